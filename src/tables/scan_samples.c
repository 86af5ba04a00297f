/* Rows of stack_sample from those of stack_sample_row and stack_sample_block (sample_rows.h), as
 * the view of that name makes them. */
#include "tables/scan_private.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "tables/database_private.h"
#include "tables/formats/common/common_constants.h"

enum { SCAN_EVENT = 3 /* column of the scan of blocks */ };

/* What the rows of a block have in common. */
typedef struct scan_block {
    int64_t id; /* -1: none was read */
    int64_t source_id, itid, ts;
    bool no_itid, no_ts, no_event;
    size_t event_size;
} scan_block;

typedef struct scan_samples {
    ts_scan *rows;
    int8_t at[SAMPLE_COLUMNS]; /* columns of `rows`; -1: not read */
    ts_scan *events;           /* of rows that say it themselves; NULL until there is one */
    ts_scan *blocks;           /* NULL: they are in memory */
    scan_block block;
    ts_buf event;    /* of the block */
    ts_buf texts;    /* of the batch */
    size_t *offsets; /* in `texts`, of the events; NULL: they are not wanted */
} scan_samples;

static const unsigned event_column = SAMPLE_EVENT;

void scan_samples_close(ts_scan *s)
{
    scan_samples *x = s->samples;
    ts_ctx *ctx = s->reader->ctx;
    if (x == NULL) {
        return;
    }
    ts_scan_close(x->rows);
    ts_scan_close(x->events);
    ts_scan_close(x->blocks);
    ts_buf_free(ctx, &x->event);
    ts_buf_free(ctx, &x->texts);
    ts_free(ctx, x->offsets);
    ts_free(ctx, x);
    s->samples = NULL;
}

/* Columns of stack_sample_row that a column of stack_sample is made of. */
static uint64_t parts_of(unsigned column)
{
    static const uint64_t parts[TS_N_stack_sample] = {
        [TS_C_stack_sample__node_id] = UINT64_C(1) << SAMPLE_NODE,
        [TS_C_stack_sample__itid] = UINT64_C(1) << SAMPLE_ITID,
        [TS_C_stack_sample__ts] = UINT64_C(1) << SAMPLE_SINCE | UINT64_C(1) << SAMPLE_TS,
        [TS_C_stack_sample__dur] = UINT64_C(1) << SAMPLE_DUR_US | UINT64_C(1) << SAMPLE_DUR,
    };
    return parts[column];
}

ts_code scan_samples_open(ts_scan *s)
{
    static const unsigned block_columns[] = {BLOCK_SOURCE, BLOCK_ITID, BLOCK_TS, BLOCK_EVENT};
    ts_reader *r = s->reader;
    uint64_t wanted = UINT64_C(1) << SAMPLE_SOURCE;
    unsigned columns[SAMPLE_COLUMNS];
    unsigned n = 0;
    scan_samples *x = ts_zalloc(r->ctx, 1, sizeof *x);
    s->samples = x;
    TS_NEED(r->ctx, x);
    x->block.id = -1;
    for (unsigned i = 0; i < s->slot_count; i++) {
        wanted |= parts_of(s->chosen[i].column);
        if (s->chosen[i].column == TS_C_stack_sample__event && x->offsets == NULL) {
            TS_NEED(r->ctx, x->offsets = ts_alloc(r->ctx, s->capacity, sizeof *x->offsets));
        }
    }
    for (unsigned i = 0; i < SAMPLE_COLUMNS; i++) {
        x->at[i] = (wanted >> i & 1) != 0 ? (int8_t)n : -1;
        columns[n] = i;
        n += (wanted >> i & 1) != 0 ? 1 : 0;
    }
    ts_code code = scan_open_table(&x->rows, r, &r->sample_rows, TS_T_stack_sample, columns, n);
    TS_STEP_IF(code, r->sample_blocks.table != NULL,
               scan_open_table(&x->blocks, r, &r->sample_blocks, TS_TABLE_COUNT, block_columns, 4));
    return code;
}

/* --- blocks --------------------------------------------------------------------------------- */

static ts_code scan_no_block(const ts_scan *s)
{
    const ts_scan *rows = s->samples->rows;
    return scan_damaged(s, rows->depth > 0 ? rows->frames[rows->depth - 1].page : rows->root,
                        "a row has no row of " TS_SAMPLE_BLOCKS);
}

static ts_code keep_event(ts_scan *s, const char *p, size_t n, uint64_t size)
{
    scan_samples *x = s->samples;
    x->event.n = 0;
    x->block.event_size = (size_t)size;
    return ts_buf_put(s->reader->ctx, &x->event, p, n);
}

static ts_code block_in_memory(ts_scan *s, int64_t id)
{
    const ts_samples *kept = &s->reader->db->samples;
    const sample_block *b = (const sample_block *)kept->blocks.p + id;
    if ((uint64_t)id >= kept->blocks.n) {
        return scan_no_block(s);
    }
    s->samples->block = (scan_block){.id = id,
                                     .source_id = b->source_id,
                                     .itid = b->itid,
                                     .ts = b->ts,
                                     .no_itid = (b->null >> BLOCK_ITID & 1) != 0,
                                     .no_ts = (b->null >> BLOCK_TS & 1) != 0,
                                     .no_event = (b->null >> BLOCK_EVENT & 1) != 0};
    return keep_event(s, kept->events.p + b->event_at, b->event_n, b->event_n);
}

static ts_code read_block(ts_scan *s, int64_t id)
{
    scan_samples *x = s->samples;
    const ts_batch *b;
    if (x->blocks == NULL) {
        return block_in_memory(s, id);
    }
    TS_TRY(ts_scan_row(&b, x->blocks, id));
    if (b->rows == 0) {
        return scan_no_block(s);
    }
    const ts_scan_text *event = &b->columns[SCAN_EVENT].texts[0];
    x->block = (scan_block){.id = id,
                            .source_id = b->columns[0].ints[0],
                            .itid = b->columns[1].ints[0],
                            .ts = b->columns[2].ints[0],
                            .no_itid = b->columns[1].null[0] != 0,
                            .no_ts = b->columns[2].null[0] != 0,
                            .no_event = b->columns[SCAN_EVENT].null[0] != 0};
    return keep_event(s, event->p, event->n, event->size);
}

/* --- cells ---------------------------------------------------------------------------------- */

/* Rows from `row` on and below `end` are of one block. */
typedef struct sample_span {
    const ts_batch *rows;
    unsigned row, end;
} sample_span;

static const ts_batch_column *part(const ts_scan *s, const sample_span *span, unsigned column)
{
    return &span->rows->columns[s->samples->at[column]];
}

static void fill_common(const ts_scan *s, const scan_slot *slot, const sample_span *span,
                        const ts_batch_column *own, int64_t value, bool null)
{
    const ts_batch_column *source = part(s, span, SAMPLE_SOURCE);
    for (unsigned i = span->row; i < span->end; i++) {
        bool whole = source->null[i] == 0;
        slot->ints[i] = whole ? own->ints[i] : value;
        slot->null[i] = whole ? own->null[i] : null;
        slot->ints[i] = slot->null[i] ? 0 : slot->ints[i];
    }
}

/* `own`, or `base` and so many µs. */
static ts_code fill_time(ts_scan *s, const scan_slot *slot, const sample_span *span,
                         const ts_batch_column *own, const ts_batch_column *us, int64_t base,
                         bool no_base)
{
    for (unsigned i = span->row; i < span->end; i++) {
        bool null = us->null[i] != 0 || no_base;
        int64_t ns;
        if (own->null[i] == 0) {
            slot->ints[i] = own->ints[i];
            slot->null[i] = 0;
            continue;
        }
        if (ts_ckd_mul(&ns, us->ints[i], (int64_t)TS_NS_PER_US) || ts_ckd_add(&ns, ns, base)) {
            return scan_damaged(s, s->samples->rows->root, "a time is beyond 64 bits");
        }
        slot->ints[i] = null ? 0 : ns;
        slot->null[i] = null;
    }
    return TS_OK;
}

static ts_code fill_events(ts_scan *s, const scan_slot *slot, const sample_span *span)
{
    scan_samples *x = s->samples;
    ts_ctx *ctx = s->reader->ctx;
    const ts_batch_column *source = part(s, span, SAMPLE_SOURCE);
    size_t common = x->texts.n;
    ts_code code = ts_buf_put(ctx, &x->texts, x->event.p, x->event.n);
    for (unsigned i = span->row; i < span->end && code == TS_OK; i++) {
        const ts_batch *b;
        if (source->null[i] != 0) {
            x->offsets[i] = common;
            slot->texts[i] = (ts_scan_text){"", x->event.n, x->block.event_size};
            slot->null[i] = x->block.no_event;
            continue;
        }
        if (x->events == NULL &&
            (code = scan_open_table(&x->events, s->reader, &s->reader->sample_rows,
                                    TS_T_stack_sample, &event_column, 1)) != TS_OK) {
            return code;
        }
        TS_TRY_INTO(code, ts_scan_row(&b, x->events, span->rows->rowids[i]));
        bool null = b->rows == 0 || b->columns[0].null[0] != 0;
        slot->null[i] = null;
        slot->texts[i] = null ? (ts_scan_text){"", 0, 0} : b->columns[0].texts[0];
        x->offsets[i] = x->texts.n;
        code = ts_buf_put(ctx, &x->texts, slot->texts[i].p, slot->texts[i].n);
    }
    return code;
}

static ts_code fill_slot(ts_scan *s, const scan_slot *slot, const sample_span *span)
{
    const scan_block *b = &s->samples->block;
    switch (slot->column) {
    case TS_C_stack_sample__id:
        for (unsigned i = span->row; i < span->end; i++) {
            slot->ints[i] = span->rows->rowids[i];
            slot->null[i] = 0;
        }
        return TS_OK;
    case TS_C_stack_sample__source_id:
        fill_common(s, slot, span, part(s, span, SAMPLE_SOURCE), b->source_id, false);
        return TS_OK;
    case TS_C_stack_sample__itid:
        fill_common(s, slot, span, part(s, span, SAMPLE_ITID), b->itid, b->no_itid);
        return TS_OK;
    case TS_C_stack_sample__ts:
        return fill_time(s, slot, span, part(s, span, SAMPLE_TS), part(s, span, SAMPLE_SINCE),
                         b->ts, b->no_ts);
    case TS_C_stack_sample__dur:
        return fill_time(s, slot, span, part(s, span, SAMPLE_DUR), part(s, span, SAMPLE_DUR_US), 0,
                         false);
    case TS_C_stack_sample__node_id: {
        const ts_batch_column *node = part(s, span, SAMPLE_NODE);
        size_t n = span->end - span->row;
        memcpy(slot->ints + span->row, node->ints + span->row, n * sizeof *node->ints);
        memcpy(slot->null + span->row, node->null + span->row, n);
        return TS_OK;
    }
    default:
        return fill_events(s, slot, span);
    }
}

/* The rows of a batch of short ones. */
static ts_code scan_samples_fill(ts_scan *s, const ts_batch *rows)
{
    scan_samples *x = s->samples;
    sample_span span = {rows, 0, 0};
    ts_code code = TS_OK;
    x->texts.n = 0;
    memcpy(s->rowids, rows->rowids, rows->rows * sizeof *s->rowids);
    for (; span.row < rows->rows; span.row = span.end) {
        int64_t id = rows->rowids[span.row] / TS_SAMPLE_BLOCK;
        if (rows->rowids[span.row] < 0) {
            return scan_no_block(s);
        }
        if (id != x->block.id && (code = read_block(s, id)) != TS_OK) {
            return code;
        }
        for (span.end = span.row;
             span.end < rows->rows && rows->rowids[span.end] / TS_SAMPLE_BLOCK == id;) {
            span.end++;
        }
        for (unsigned k = 0; k < s->slot_count && code == TS_OK; k++) {
            code = fill_slot(s, &s->chosen[k], &span);
        }
        if (code != TS_OK) {
            return code;
        }
    }
    for (unsigned k = 0; k < s->slot_count && x->offsets != NULL; k++) {
        for (unsigned i = 0; i < rows->rows && s->chosen[k].type == TS_COL_TEXT; i++) {
            scan_slot *slot = &s->chosen[k];
            slot->texts[i].p = x->texts.n == 0 ? "" : x->texts.p + x->offsets[i];
            if (slot->null[i] != 0) {
                scan_set_null(slot, i);
            }
        }
    }
    s->batch.rows = rows->rows;
    if (s->reader->db != NULL && s->reader->db->amended.n > 0) {
        scan_apply_late(s);
    }
    return TS_OK;
}

/* --- the calls ------------------------------------------------------------------------------ */

ts_code scan_samples_next(ts_scan *s)
{
    const ts_batch *rows;
    ts_code code = ts_scan_next(&rows, s->samples->rows);
    return code != TS_OK ? code : scan_samples_fill(s, rows);
}

ts_code scan_samples_seek(ts_scan *s, int64_t rowid)
{
    return ts_scan_seek(s->samples->rows, rowid);
}

ts_code scan_samples_row(ts_scan *s, int64_t rowid)
{
    const ts_batch *rows;
    ts_code code = ts_scan_row(&rows, s->samples->rows, rowid);
    return code != TS_OK ? code : scan_samples_fill(s, rows);
}

/* A text that is not in the batch whole: of the row, or of its block. */
ts_code scan_samples_text(size_t *got, ts_scan *s, unsigned row, uint64_t offset, char *out,
                          size_t n)
{
    scan_samples *x = s->samples;
    int64_t rowid = s->rowids[row];
    const ts_batch *b;
    ts_code code = TS_OK;
    *got = 0;
    if (x->events != NULL) {
        code = ts_scan_row(&b, x->events, rowid);
        if (code == TS_OK && b->rows == 1 && b->columns[0].null[0] == 0) {
            return ts_scan_text_part(got, x->events, 0, 0, offset, out, n);
        }
    }
    if (code == TS_OK && x->blocks != NULL) {
        code = ts_scan_row(&b, x->blocks, rowid / TS_SAMPLE_BLOCK);
        if (code == TS_OK && b->rows == 1) {
            return ts_scan_text_part(got, x->blocks, 0, SCAN_EVENT, offset, out, n);
        }
    }
    return code;
}
