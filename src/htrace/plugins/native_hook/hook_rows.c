/*
 * Rows of native memory. They wait in a spool, because the end of an allocation is known only when
 * it is released, and its caller when all frames are. The newest ones are in memory, where changes
 * reach them; changes of older ones are sorted, and merged with the rows when these are written.
 */
#include "htrace/plugins/native_hook/native_hook.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>

enum { BLOCK_ROWS = 512 };

/* What a kind of row is called, and its samples (NULL: it has none). */
static const struct {
    const char *event, *sample;
} types[HOOK_TYPES] = {
    [HOOK_T_ALLOC] = {"AllocEvent", "malloc"},
    [HOOK_T_FREE] = {"FreeEvent", NULL},
    [HOOK_T_MMAP] = {"MmapEvent", "mmap"},
    [HOOK_T_MUNMAP] = {"MunmapEvent", NULL},
    [HOOK_T_VK_ALLOC] = {"GPU_VK_Alloc_Event", "gpu_vk"},
    [HOOK_T_VK_FREE] = {"GPU_VK_Free_Event", NULL},
    [HOOK_T_GLES_ALLOC] = {"GPU_GLES_Alloc_Event", "gpu_gles"},
    [HOOK_T_GLES_FREE] = {"GPU_GLES_Free_Event", NULL},
    [HOOK_T_CL_ALLOC] = {"GPU_CL_Alloc_Event", "gpu_cl"},
    [HOOK_T_CL_FREE] = {"GPU_CL_Free_Event", NULL},
};

/* --- waiting rows ----------------------------------------------------------------------------- */

static ts_code flush_rows(hook *h, uint32_t n)
{
    if (h->rows == NULL) {
        TS_TRY(ts_spool_new(&h->rows, h->records.host->ctx));
    }
    TS_TRY(ts_spool_write(h->rows, h->recent, n * sizeof *h->recent));
    h->recent_n -= n;
    memmove(h->recent, h->recent + n, h->recent_n * sizeof *h->recent);
    return TS_OK;
}

ts_code hook_row_add(hook *h, const hook_row *row)
{
    ts_ctx *ctx = h->records.host->ctx;
    if (h->recent == NULL) {
        TS_NEED(ctx, h->recent = ts_alloc(ctx, HOOK_RECENT, sizeof *h->recent));
    }
    if (h->recent_n == HOOK_RECENT) {
        TS_TRY(flush_rows(h, HOOK_RECENT / 2));
    }
    h->recent[h->recent_n++] = *row;
    h->row_count++;
    return TS_OK;
}

static void apply(hook_row *row, const hook_change *change)
{
    switch ((hook_column)change->column) {
    case HOOK_END:
        row->end_ts = change->value;
        row->flags |= HOOK_ROW_ENDED;
        break;
    case HOOK_CURRENT:
        row->current = change->value;
        break;
    case HOOK_SUB_TYPE:
        row->text = (uint32_t)change->value;
        break;
    case HOOK_GONE: /* no address space has more than 48 bits */
        row->gone_low = (uint32_t)change->value;
        row->gone_high = (uint16_t)((uint64_t)change->value >> 32);
        break;
    }
}

ts_code hook_row_change(hook *h, uint64_t row, hook_column column, int64_t value)
{
    enum { SORTER = 8 << 20 };
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    const hook_change change = {row, column, value};
    const uint64_t first = h->row_count - h->recent_n;
    if (row >= first) {
        apply(&h->recent[row - first], &change);
        return TS_OK;
    }
    return ts_sorter_put(&h->changes, h->records.host->ctx, &change, sizeof change, &order, SORTER);
}

ts_code hook_row_part(hook *h, uint64_t row, uint64_t left)
{
    enum { SORTER = 4 << 20 };
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    const hook_part part = {row, h->ts, left};
    return h->ts == TS_NO_TIME
               ? TS_OK
               : ts_sorter_put(&h->parts, h->records.host->ctx, &part, sizeof part, &order, SORTER);
}

/* --- tables ----------------------------------------------------------------------------------- */

static const hook_chain *chain_of(const hook *h, const hook_row *row)
{
    return row->chain == 0 ? NULL : hook_chain_at(h, row->chain - 1);
}

static int64_t chain_number(hook *h, const hook_row *row)
{
    const hook_chain *chain = chain_of(h, row);
    if (chain != NULL && chain->number != 0) {
        return hook_chain_number(h, chain);
    }
    return row->type == HOOK_T_MUNMAP && h->stacks && !h->several && !h->offline ? 0 : -1;
}

static ts_code put_hook(hook *h, const hook_row *row)
{
    ts_sink *sink = ts_store_sink(h->records.host->store);
    const hook_chain *chain = chain_of(h, row);
    ts_row_native_hook out = {
        .id = (int64_t)ts_sink_rows(sink, TS_T_native_hook),
        .callchain_id = chain_number(h, row),
        .ipid = row->ipid,
        .itid = row->itid,
        .event_type = ts_text_of(types[row->type].event),
        .start_ts = row->ts,
        .end_ts = row->end_ts,
        .dur = row->end_ts - (row->end_ts == TS_NO_TIME ? 0 : row->ts),
        .addr = (int64_t)row->addr,
        .heap_size = row->size,
        .all_heap_size = row->all,
        .current_size_dur = row->current,
        .last_lib_id = chain == NULL ? -1 : (int64_t)chain->library - 1,
        .last_symbol_id = chain == NULL ? -1 : (int64_t)chain->symbol - 1,
    };
    const hook_text *info;
    TS_NULL_IF(row->text == 0, native_hook, &out, sub_type_id);
    TS_NULL_IF((row->flags & HOOK_ROW_UNSUMMED) != 0, native_hook, &out, all_heap_size);
    TS_NULL_IF(row->current == TS_NO_TIME, native_hook, &out, current_size_dur);
    TS_NULL_IF(row->ts == TS_NO_TIME, native_hook, &out, start_ts, dur);
    TS_NULL_IF(row->end_ts == TS_NO_TIME, native_hook, &out, end_ts, dur);
    TS_NULL_IF(out.last_lib_id < 0, native_hook, &out, last_lib_id);
    TS_NULL_IF(out.last_symbol_id < 0, native_hook, &out, last_symbol_id);
    if (row->text != 0) {
        TS_TRY(hook_text_info(&info, h, row->text));
        out.sub_type_id = info->dict;
    }
    return ts_put_native_hook(sink, &out);
}

static ts_code put_statistic_row(hook *h, const hook_row *row, const hook_sums *sums)
{
    ts_sink *sink = ts_store_sink(h->records.host->store);
    const hook_chain *chain = chain_of(h, row);
    ts_row_native_hook_statistic out = {
        .id = (int64_t)ts_sink_rows(sink, TS_T_native_hook_statistic),
        .callchain_id = chain_number(h, row),
        .ipid = row->ipid,
        .ts = row->ts,
        .type = row->size,
        .apply_count = sums->apply_count,
        .release_count = sums->release_count,
        .apply_size = sums->apply_size,
        .release_size = sums->release_size,
        .last_lib_id = chain == NULL ? -1 : (int64_t)chain->library - 1,
        .last_symbol_id = chain == NULL ? -1 : (int64_t)chain->symbol - 1,
    };
    const hook_text *info;
    TS_NULL_IF(row->text == 0, native_hook_statistic, &out, sub_type_id);
    TS_NULL_IF(row->ts == TS_NO_TIME, native_hook_statistic, &out, ts);
    TS_NULL_IF(out.last_lib_id < 0, native_hook_statistic, &out, last_lib_id);
    TS_NULL_IF(out.last_symbol_id < 0, native_hook_statistic, &out, last_symbol_id);
    if (row->text != 0) {
        TS_TRY(hook_text_info(&info, h, row->text));
        out.sub_type_id = info->dict;
    }
    return ts_put_native_hook_statistic(sink, &out);
}

/* --- samples ---------------------------------------------------------------------------------- */

enum { OBJECTS, SPACE, LIVE_OBJECTS, LIVE_SPACE, VALUES };

/* The kinds of values, before the first sample. */
static ts_code put_value_types(hook *h)
{
    static const char *const kinds[VALUES][2] = {
        [OBJECTS] = {"alloc_objects", "count"},
        [SPACE] = {"alloc_space", "bytes"},
        [LIVE_OBJECTS] = {"inuse_objects", "count"},
        [LIVE_SPACE] = {"inuse_space", "bytes"},
    };
    ts_sink *sink = ts_store_sink(h->records.host->store);
    ts_code code = TS_OK;
    if (h->value_types != 0) {
        return TS_OK;
    }
    TS_TRY(ts_count(&h->samples, h->records.host->store, h->records.host->source_id,
                    TS_ITEM_hook_samples, NULL));
    h->value_types = (int64_t)ts_sink_rows(sink, TS_T_stack_value_type) + 1;
    for (int64_t i = 0; i < VALUES && code == TS_OK; i++) {
        const ts_row_stack_value_type row = {
            .id = h->value_types + i,
            .source_id = h->source_id,
            .name = ts_text_of(kinds[i][0]),
            .unit = ts_text_of(kinds[i][1]),
        };
        code = ts_put_stack_value_type(sink, &row);
    }
    return code;
}

static ts_code put_values(hook *h, int64_t sample, const int64_t values[VALUES])
{
    ts_row_stack_sample_value rows[VALUES];
    for (int64_t i = 0; i < VALUES; i++) {
        rows[i] = (ts_row_stack_sample_value){
            .sample_id = sample,
            .value_type_id = h->value_types + i,
            .value = values[i],
        };
    }
    return ts_sink_put_many(ts_store_sink(h->records.host->store), TS_T_stack_sample_value, rows,
                            sizeof rows[0], VALUES);
}

static ts_code put_label(hook *h, int64_t sample, const char *key, ts_text value)
{
    const ts_row_stack_sample_label row = {
        .sample_id = sample, .key = ts_text_of(key), .value = value};
    return ts_put_stack_sample_label(ts_store_sink(h->records.host->store), &row);
}

/* A sample with its values; *id is its number. */
static ts_code put_sample(int64_t *id, hook *h, const hook_row *row, const char *event,
                          const int64_t values[VALUES])
{
    ts_sink *sink = ts_store_sink(h->records.host->store);
    const hook_chain *chain = chain_of(h, row);
    ts_row_stack_sample out = {
        .source_id = h->source_id,
        .itid = row->itid,
        .ts = row->ts,
        .dur = row->end_ts - (row->end_ts == TS_NO_TIME ? 0 : row->ts),
        .node_id = chain == NULL ? 0 : chain->node,
        .event = ts_text_of(event),
    };
    TS_TRY(put_value_types(h));
    *id = out.id = (int64_t)ts_sink_rows(sink, TS_T_stack_sample) + 1;
    TS_NULL_IF(row->ts == TS_NO_TIME, stack_sample, &out, ts, dur);
    TS_NULL_IF(row->end_ts == TS_NO_TIME, stack_sample, &out, dur);
    TS_NULL_IF(out.node_id == 0, stack_sample, &out, node_id);
    TS_NULL_IF(row->type == HOOK_T_STATISTIC, stack_sample, &out, itid);
    TS_TRY(ts_put_stack_sample(sink, &out));
    h->samples->seen++;
    h->samples->imported++;
    TS_TRY(put_values(h, *id, values));
    return row->text == 0 ? TS_OK
                          : put_label(h, *id, "sub_type", ts_pool_text(&h->texts, row->text - 1));
}

static ts_code next_part(hook *h)
{
    const void *record = NULL;
    TS_TRY(ts_sorter_next(&record, h->parts));
    h->part = record;
    return TS_OK;
}

/* What was left of a mapping each time that a part of it was released. */
static ts_code put_parts(hook *h, int64_t sample, uint64_t number)
{
    ts_code code = TS_OK;
    while (code == TS_OK && h->part != NULL && h->part->row <= number) {
        char text[48];
        const int n =
            snprintf(text, sizeof text, "%" PRIu64 " %" PRId64, h->part->left, h->part->ts);
        TS_STEP_IF(code, h->part->row == number,
                   put_label(h, sample, "left_at", (ts_text){text, (size_t)n}));
        TS_STEP(code, next_part(h));
    }
    return code;
}

static ts_code put_allocation(hook *h, const hook_row *row, uint64_t number)
{
    const bool live = (row->flags & HOOK_ROW_ENDED) == 0;
    const int64_t gone = (int64_t)((uint64_t)row->gone_high << 32 | row->gone_low);
    const int64_t left = row->size - gone;
    const int64_t values[VALUES] = {1, row->size, live, live ? left : 0};
    char addr[24];
    int64_t id;
    int n = snprintf(addr, sizeof addr, "0x%" PRIx64, row->addr);
    TS_TRY(put_sample(&id, h, row, types[row->type].sample, values));
    TS_TRY(put_label(h, id, "addr", (ts_text){addr, (size_t)n}));
    TS_TRY(put_parts(h, id, number));
    if (!live || gone == 0) {
        return TS_OK;
    }
    n = snprintf(addr, sizeof addr, "%" PRId64, left);
    return put_label(h, id, "left", (ts_text){addr, (size_t)n});
}

/* Of statistics the last row of a chain and a type, whose sums are those of all. */
static ts_code put_sums(hook *h, const hook_row *row, uint64_t number, const hook_sums *sums)
{
    static const char *const names[] = {"malloc", "mmap",   "file_page", "memory", "fd",
                                        "thread", "gpu_vk", "gpu_gles",  "gpu_cl"};
    const int64_t values[VALUES] = {sums->apply_count, sums->apply_size,
                                    ts_sat_sub(sums->apply_count, sums->release_count),
                                    ts_sat_sub(sums->apply_size, sums->release_size)};
    const int64_t known = sizeof names / sizeof names[0];
    uint64_t last;
    int64_t id;
    if (!ts_idmap_find(&last, &h->last_sums, (int64_t)row->chain << 32 | (uint32_t)row->size) ||
        last != number) {
        return TS_OK;
    }
    return put_sample(&id, h, row, row->size >= 0 && row->size < known ? names[row->size] : "other",
                      values);
}

/* --- merging ---------------------------------------------------------------------------------- */

static ts_code write_row(hook *h, const hook_row *row, uint64_t number)
{
    hook_sums sums;
    size_t got;
    if ((row->flags & HOOK_ROW_UNWANTED) != 0) {
        return TS_OK;
    }
    if (row->type != HOOK_T_STATISTIC) {
        TS_TRY(put_hook(h, row));
        return types[row->type].sample == NULL ? TS_OK : put_allocation(h, row, number);
    }
    TS_TRY(ts_spool_read(&got, h->sums, row->addr * sizeof sums, &sums, sizeof sums));
    TS_TRY(put_statistic_row(h, row, &sums));
    return put_sums(h, row, number, &sums);
}

/* Rows of the spool with their changes. */
static ts_code merge_rows(hook *h)
{
    const hook_change *change = NULL;
    const void *record = NULL;
    hook_row *rows = h->recent;
    size_t got = 1;
    ts_code code = h->changes == NULL ? TS_OK : ts_sorter_finish(h->changes);
    TS_STEP_IF(code, h->changes != NULL, ts_sorter_next(&record, h->changes));
    change = record;
    TS_STEP_IF(code, h->parts != NULL, ts_sorter_finish(h->parts));
    TS_STEP_IF(code, h->parts != NULL, next_part(h));
    for (uint64_t at = 0; code == TS_OK && at < h->row_count; at += got / sizeof *rows) {
        code = ts_spool_read(&got, h->rows, at * sizeof *rows, rows, BLOCK_ROWS * sizeof *rows);
        for (size_t i = 0; code == TS_OK && i < got / sizeof *rows; i++) {
            while (code == TS_OK && change != NULL && change->row == at + i) {
                apply(&rows[i], change);
                code = ts_sorter_next(&record, h->changes);
                change = record;
            }
            TS_STEP(code, write_row(h, &rows[i], at + i));
        }
        if (code == TS_OK && got < sizeof *rows) {
            code = ts_fail(h->records.host->ctx, TS_ERR_INTERNAL, "rows are missing");
        }
    }
    return code;
}

ts_code hook_rows_write(hook *h)
{
    if (h->row_count == 0) {
        return TS_OK;
    }
    TS_TRY(flush_rows(h, h->recent_n));
    return merge_rows(h);
}

void hook_rows_free(hook *h)
{
    ts_ctx *ctx = h->records.host->ctx;
    ts_spool_free(h->rows);
    ts_free(ctx, h->recent);
    ts_sorter_close(h->changes);
    ts_sorter_close(h->parts);
    ts_idmap_free(ctx, &h->last_sums);
}
