#include "tables/seen.h"
#include "tables/store_impl.h"

static const char *const types[TS_FILTER_COUNT] = {
    [TS_FILTER_PROCESS] = "process_measure_filter",
    [TS_FILTER_SYSTEM] = "sys_memory_filter",
    [TS_FILTER_VIRTUAL_MEMORY] = "sys_virtual_memory_filter",
    [TS_FILTER_XPOWER] = "xpower_filter",
};

static ts_code put_filter(ts_store *store, int64_t id, ts_filter_kind kind, int64_t owner,
                          ts_text name)
{
    ts_row_measure_filter row = {0, id, ts_text_of(types[kind]), name, owner};
    ts_row_process_measure_filter of_process = {0, id, name, owner};
    ts_row_sys_event_filter of_system = {0, id, row.type, name};
    ts_code code = ts_put_measure_filter(store->sink, &row);
    if (code != TS_OK || kind == TS_FILTER_XPOWER) { /* which have no table of their own */
        return code;
    }
    return kind == TS_FILTER_PROCESS ? ts_put_process_measure_filter(store->sink, &of_process)
                                     : ts_put_sys_event_filter(store->sink, &of_system);
}

ts_code ts_filter(int64_t *id, ts_store *store, ts_filter_kind kind, int64_t owner, ts_text name)
{
    uint32_t number;
    uint32_t text;
    ts_code code = ts_pool_intern(store->ctx, &text, NULL, &store->texts, name);
    if (code != TS_OK) {
        return code;
    }
    if (!ts_keymap_find(&number, &store->filter_keys, (int64_t)kind, owner, text)) {
        number = store->filter_keys.count;
        code = ts_keymap_add(store->ctx, &store->filter_keys, (int64_t)kind, owner, text);
        code = code != TS_OK ? code : put_filter(store, number, kind, owner, name);
    }
    *id = number;
    return code;
}
