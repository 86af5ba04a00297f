#include "export/export_totals.h"

#include "tables/profile_kinds.h"
#include "model/cells.h"

static ts_code total_find(uint32_t *number, ts_totals *t, ts_ctx *ctx, int64_t source_id,
                          ts_text event)
{
    uint32_t id;
    uint64_t at;
    ts_total *total;
    ts_code code = ts_pool_intern(ctx, &id, NULL, &t->events, event);
    int64_t key = (int64_t)((uint64_t)source_id << 32 | id);
    if (code != TS_OK) {
        return code;
    }
    if (!ts_idmap_find(&at, &t->by_key, key)) {
        at = t->all.n;
        TS_NEED(ctx, total = ts_vec_add(ctx, &t->all, sizeof *total));
        *total = (ts_total){.source_id = source_id, .event = ts_pool_text(&t->events, id)};
        code = ts_idmap_put(ctx, &t->by_key, key, at);
    }
    *number = (uint32_t)at;
    return code;
}

static ts_code total_type(ts_totals *t, ts_ctx *ctx, const ts_uploads *uploads, int64_t id,
                          int64_t source_id, ts_text event)
{
    const ts_upload *up = ts_uploads_find(uploads, source_id);
    uint32_t number = 0;
    ts_code code = up == NULL ? TS_OK : ts_vec_reach(ctx, &t->types, id, sizeof(uint32_t));
    if (up != NULL && code == TS_OK &&
        (code = total_find(&number, t, ctx, up->source_id, event)) == TS_OK) {
        ((uint32_t *)t->types.p)[id] = number + 1;
    }
    return code;
}

/* A profile says itself what its values stand for; of others the name of the kind does. */
static ts_code total_types(ts_totals *t, ts_ctx *ctx, ts_reader *reader, const ts_uploads *uploads,
                           ts_vec *sources)
{
    static const unsigned types[] = {TS_C_stack_value_type__source_id, TS_C_stack_value_type__name};
    static const unsigned own[] = {TS_C_profile_value_type__value_type_id,
                                   TS_C_profile_value_type__event_type};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, reader, TS_T_profile_value_type, own, 2);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            int64_t id = b->columns[0].ints[i];
            int64_t source = id < 0 || (uint64_t)id >= sources->n ? 0 : ((int64_t *)sources->p)[id];
            code = total_type(t, ctx, uploads, id, source, ts_cell_text(b, 1, i));
        }
    }
    ts_scan_close(scan);
    scan = NULL;
    TS_STEP(code, ts_scan_open(&scan, reader, TS_T_stack_value_type, types, 2));
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            int64_t id = b->rowids[i];
            bool known = (uint64_t)id < t->types.n && ((uint32_t *)t->types.p)[id] != 0;
            code = known ? TS_OK
                         : total_type(t, ctx, uploads, id, b->columns[0].ints[i],
                                      ts_value_event(ts_cell_text(b, 1, i), TS_TEXT_NULL));
        }
    }
    ts_scan_close(scan);
    return code;
}

static ts_code total_sources(ts_vec *sources, ts_ctx *ctx, ts_reader *reader)
{
    static const unsigned types[] = {TS_C_stack_value_type__source_id};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, reader, TS_T_stack_value_type, types, 1);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = ts_vec_reach(ctx, sources, b->rowids[i], sizeof(int64_t));
            if (code == TS_OK) {
                ((int64_t *)sources->p)[b->rowids[i]] = b->columns[0].ints[i];
            }
        }
    }
    ts_scan_close(scan);
    return code;
}

ts_code ts_totals_load(ts_totals *t, ts_ctx *ctx, ts_reader *reader, const ts_uploads *uploads)
{
    static const unsigned values[] = {TS_C_stack_sample_value__value_type_id,
                                      TS_C_stack_sample_value__value};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_vec sources = {0};
    *t = (ts_totals){0};
    ts_code code = total_sources(&sources, ctx, reader);
    TS_STEP(code, total_types(t, ctx, reader, uploads, &sources));
    TS_STEP_IF(code, t->types.n > 0,
               ts_scan_open(&scan, reader, TS_T_stack_sample_value, values, 2));
    while (code == TS_OK && scan != NULL && (code = ts_scan_next(&b, scan)) == TS_OK &&
           b->rows > 0) {
        for (unsigned i = 0; i < b->rows; i++) {
            int64_t id = b->columns[0].ints[i];
            uint32_t number =
                id < 0 || (uint64_t)id >= t->types.n ? 0 : ((const uint32_t *)t->types.p)[id];
            ts_total *total = number == 0 ? NULL : (ts_total *)t->all.p + (number - 1);
            if (total != NULL && b->columns[1].null[i] == 0) {
                total->count++;
                total->over =
                    total->over || ts_ckd_add(&total->sum, total->sum, b->columns[1].ints[i]);
            }
        }
    }
    ts_scan_close(scan);
    ts_vec_free(ctx, &sources);
    return code;
}

void ts_totals_free(ts_totals *t, ts_ctx *ctx)
{
    ts_vec_free(ctx, &t->all);
    ts_vec_free(ctx, &t->types);
    ts_pool_free(ctx, &t->events);
    ts_idmap_free(ctx, &t->by_key);
}
