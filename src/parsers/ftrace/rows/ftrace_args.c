#include "parsers/ftrace/rows/ftrace_state.h"

void ftrace_args_init(ftrace_args *args, ts_store *store, ts_sink *sink)
{
    const int64_t first = (int64_t)ts_sink_rows(sink, TS_T_args);
    *args = (ftrace_args){store, sink, first, first, -1};
}

ts_code ftrace_args_put(int64_t *set, ftrace_args *args, const char *key, int64_t type,
                        int64_t value)
{
    ts_row_args row = {.id = (int64_t)ts_sink_rows(args->sink, TS_T_args),
                       .datatype = type,
                       .value = value,
                       .argset = *set == FTRACE_NO_ARGS ? args->next++ : *set};
    ts_code code = ts_dict(&row.key, args->store, ts_text_of(key));
    *set = row.argset;
    return code != TS_OK ? code : ts_put_args(args->sink, &row);
}

ts_code ftrace_args_text(int64_t *set, ftrace_args *args, const char *key, ts_text value)
{
    int64_t id = 0;
    ts_code code = ts_dict(&id, args->store, value);
    return code != TS_OK ? code : ftrace_args_put(set, args, key, FTRACE_ARG_TEXT, id);
}

ts_code ftrace_args_slice(int64_t *set, ftrace_args *args, const char *key, int64_t slice)
{
    ts_code code = ts_dict(&args->slice_key, args->store, ts_text_of(key));
    return code != TS_OK ? code : ftrace_args_put(set, args, key, FTRACE_ARG_INT, slice);
}
