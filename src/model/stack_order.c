/* Samples and calls by source, thread and time. */
#include "base/sorter.h"
#include "model/call_stacks.h"

enum { SORTED_MEMORY = 16 * 1024 * 1024 };

typedef struct sorted_record {
    uint64_t key[3]; /* source, thread, time */
    int64_t dur;
    int64_t weight;
    uint64_t node_call; /* node * 2 + call */
} sorted_record;

static ts_code sorted_add(void *user, const ts_calls_item *item)
{
    const sorted_record r = {
        .key = {ts_sorter_key(item->source_id), ts_sorter_key(item->itid), ts_sorter_key(item->ts)},
        .dur = item->dur,
        .weight = item->weight,
        .node_call = (uint64_t)item->node * 2 + (item->call ? 1 : 0),
    };
    return ts_sorter_add(user, &r);
}

static int64_t sorted_value(uint64_t key)
{
    return (int64_t)(key ^ (UINT64_C(1) << 63));
}

ts_code ts_calls_sorted(const ts_calls *p, const ts_weight *weight, ts_calls_visit visit,
                        void *user)
{
    const ts_sorter_order order = {.key_offset = 0, .key_count = 3};
    const void *record;
    ts_sorter *sorter = NULL;
    ts_code code = ts_sorter_open(&sorter, p->ctx, sizeof(sorted_record), &order, SORTED_MEMORY);
    TS_STEP(code, ts_calls_each(p, weight, sorted_add, sorter));
    TS_STEP(code, ts_sorter_finish(sorter));
    while (code == TS_OK && (code = ts_sorter_next(&record, sorter)) == TS_OK && record != NULL) {
        const sorted_record *r = record;
        const ts_calls_item item = {
            .source_id = sorted_value(r->key[0]),
            .itid = sorted_value(r->key[1]),
            .ts = sorted_value(r->key[2]),
            .dur = r->dur,
            .weight = r->weight,
            .node = (uint32_t)(r->node_call / 2),
            .call = (r->node_call & 1) != 0,
        };
        code = visit(user, &item);
    }
    ts_sorter_close(sorter);
    return code;
}
