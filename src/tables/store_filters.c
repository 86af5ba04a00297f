#include "tables/store_merge.h"
#include "tables/store_impl.h"

/* What filters of a kind are called, and, of clocks, the event that sets them. */
static const struct {
    const char *type;
    const char *event;
} kinds[TS_FILTER_COUNT] = {
    [TS_FILTER_PROCESS] = {"process_measure_filter", NULL},
    [TS_FILTER_SYSTEM] = {"sys_memory_filter", NULL},
    [TS_FILTER_VIRTUAL_MEMORY] = {"sys_virtual_memory_filter", NULL},
    [TS_FILTER_XPOWER] = {"xpower_filter", NULL},
    [TS_FILTER_CPU] = {"cpu_measure_filter", NULL},
    [TS_FILTER_CLOCK_RATE] = {"clock_rate_filter", "clock_set_rate"},
    [TS_FILTER_CLOCK_ENABLE] = {"clock_enable_filter", "clock_enable"},
    [TS_FILTER_CLOCK_DISABLE] = {"clock_disable_filter", "clock_disable"},
    [TS_FILTER_CLK_RATE] = {"clk_rate_filter", "clk_set_rate"},
    [TS_FILTER_CLK_ENABLE] = {"clk_enable_filter", "clk_enable"},
    [TS_FILTER_CLK_DISABLE] = {"clk_disable_filter", "clk_disable"},
};

/* The table of its kind: types of clocks are named after their events there. */
static ts_code put_own_filter(ts_store *store, ts_filter_kind kind,
                              const ts_row_measure_filter *filter)
{
    const int64_t id = filter->id;
    const int64_t owner = filter->source_arg_set_id;
    const ts_text name = filter->name;
    const ts_text event = ts_text_of(kinds[kind].event);
    switch (kind) {
    case TS_FILTER_PROCESS:
        return ts_put_process_measure_filter(store->sink,
                                             &(ts_row_process_measure_filter){0, id, name, owner});
    case TS_FILTER_SYSTEM:
    case TS_FILTER_VIRTUAL_MEMORY:
        return ts_put_sys_event_filter(store->sink,
                                       &(ts_row_sys_event_filter){0, id, filter->type, name});
    case TS_FILTER_CPU:
        return ts_put_cpu_measure_filter(store->sink,
                                         &(ts_row_cpu_measure_filter){0, id, name, owner});
    case TS_FILTER_CLOCK_RATE:
    case TS_FILTER_CLOCK_ENABLE:
    case TS_FILTER_CLOCK_DISABLE:
        return ts_put_clock_event_filter(store->sink,
                                         &(ts_row_clock_event_filter){0, id, event, name, owner});
    case TS_FILTER_CLK_RATE:
    case TS_FILTER_CLK_ENABLE:
    case TS_FILTER_CLK_DISABLE:
        return ts_put_clk_event_filter(store->sink,
                                       &(ts_row_clk_event_filter){0, id, event, name, owner});
    default:
        return TS_OK; /* those of power use have none */
    }
}

static ts_code put_filter(ts_store *store, int64_t id, ts_filter_kind kind, int64_t owner,
                          ts_text name)
{
    const ts_row_measure_filter row = {0, id, ts_text_of(kinds[kind].type), name, owner};
    ts_code code = ts_put_measure_filter(store->sink, &row);
    return code != TS_OK ? code : put_own_filter(store, kind, &row);
}

bool ts_filter_kind_of(ts_filter_kind *kind, ts_text type)
{
    unsigned i = 0;
    while (i < TS_FILTER_COUNT && !ts_text_is(type, kinds[i].type)) {
        i++;
    }
    *kind = (ts_filter_kind)i;
    return i < TS_FILTER_COUNT;
}

ts_code ts_filter(int64_t *id, ts_store *store, ts_filter_kind kind, int64_t owner, ts_text name)
{
    uint32_t number;
    uint32_t text;
    ts_code code;
    TS_TRY_INTO(code, ts_pool_intern(store->ctx, &text, NULL, &store->texts, name));
    if (!ts_keymap_find(&number, &store->filter_keys, (int64_t)kind, owner, text)) {
        number = store->filter_keys.index.count;
        code = ts_keymap_add(store->ctx, &store->filter_keys, (int64_t)kind, owner, text);
        code = code != TS_OK ? code : put_filter(store, number, kind, owner, name);
    }
    *id = number;
    return code;
}
