#include "parsers/ftrace/ftrace_args.h"

/* typeId of data_type */
enum { TYPE_INT = 0, TYPE_TEXT = 1, TYPE_BOOL = 3 };

void ftrace_args_init(ftrace_args *args, ts_store *store)
{
    *args = (ftrace_args){store, (int64_t)ts_sink_rows(ts_store_sink(store), TS_T_args)};
}

static ts_code put(int64_t *set, ftrace_args *args, const char *key, int64_t type, int64_t value)
{
    ts_sink *sink = ts_store_sink(args->store);
    ts_row_args row = {.id = (int64_t)ts_sink_rows(sink, TS_T_args),
                       .datatype = type,
                       .value = value,
                       .argset = ftrace_args_set(set, args)};
    ts_code code = ts_dict(&row.key, args->store, ts_text_of(key));
    return code != TS_OK ? code : ts_put_args(sink, &row);
}

ts_code ftrace_args_int(int64_t *set, ftrace_args *args, const char *key, int64_t value)
{
    return put(set, args, key, TYPE_INT, value);
}

ts_code ftrace_args_bool(int64_t *set, ftrace_args *args, const char *key, bool value)
{
    return put(set, args, key, TYPE_BOOL, value);
}

ts_code ftrace_args_text(int64_t *set, ftrace_args *args, const char *key, ts_text value)
{
    int64_t id = 0;
    ts_code code = ts_dict(&id, args->store, value);
    return code != TS_OK ? code : put(set, args, key, TYPE_TEXT, id);
}
