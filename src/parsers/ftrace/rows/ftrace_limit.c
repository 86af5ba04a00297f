/*
 * --time-range for events of the kernel: a sink that keeps rows until it knows which are wanted.
 *
 * Rows of the tables in held_tables are spooled; later changes of them (completed columns, and
 * cells that become NULL) are sorted by row and by order of call, and applied whenever the rows are
 * read. At the end the rows are read three times: to find the slices and frames that meet the
 * range, with the slices around them; to find the sets of arguments of rows that are written; and
 * to write. References to frames and slices that are not written become NULL, and a row that is
 * only a relation of such rows is left out.
 *
 * Ids become dense again: the new id of a row is the number of written rows before it, which a set
 * of numbers (number_set) knows without a table. A row that begins after the range is not kept, but
 * has its place in the numbering, so that changes find their rows. Rows of other tables pass at
 * once.
 */
#include "parsers/ftrace/rows/ftrace_state.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/ckd.h"
#include "base/sorter.h"
#include "base/spool.h"
#include "tables/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { CHANGES_MEMORY = 8 << 20, BLOCK = 1 << 16 };

/* The tables whose rows are kept until the end, in the order in which they are written. */
#define HELD(table)                                                                                \
    table(callstack) table(thread_state) table(irq) table(frame_slice) table(args)                 \
        table(sched_slice) table(instant) table(raw) table(measure) table(process_measure)         \
            table(dma_fence) table(frame_maps) table(gpu_slice) table(syscall)                     \
                table(timerfd_wakeup)

#define HELD_PLACE(name) HELD_##name,
#define HELD_TABLE(name) TS_T_##name,
#define HELD_ROW(name) ts_row_##name name;

enum held_place { HELD(HELD_PLACE) HELD_TABLES };

static const enum ts_table_id held_tables[HELD_TABLES] = {HELD(HELD_TABLE)};

typedef union held_row {
    uint64_t null; /* the first member of all */
    HELD(HELD_ROW)
} held_row;

/* A change of a row that was put. */
typedef struct held_change {
    uint64_t key;    /* key_of the row */
    uint64_t number; /* in the order of the calls */
    uint64_t column;
    int64_t value; /* TS_NO_TIME: NULL */
} held_change;

typedef struct held_table {
    ts_spool *rows;        /* NULL: none yet */
    uint64_t base;         /* rows that the table had before */
    int id, ts, dur, args; /* columns, or -1 */
} held_table;

/* A set of numbers below n that can say how many of it are below a number. */
typedef struct number_set {
    uint64_t *words;
    uint64_t *below; /* of each word; NULL before set_count */
    uint64_t n;
} number_set;

struct ftrace_limit {
    ts_ctx *ctx;
    ts_sink *to;
    ts_span wanted;
    ts_sink sink;
    uint8_t place[TS_TABLE_COUNT]; /* 1 + place of the table, 0: its rows pass */
    held_table tables[HELD_TABLES];
    ts_sorter *changes; /* NULL: none yet */
    ts_spool *sorted;   /* the same in order, when all were made */
    uint64_t change_count;
    ts_spool *parents; /* int64_t for each row of callstack: the row that it is in, -1: none */
    ts_buf buf;
    number_set slices, frames, sets; /* that are written */
};

/* --- sets of numbers ----------------------------------------------------------------------- */

static ts_code open_set(number_set *set, ts_ctx *ctx, uint64_t n)
{
    set->n = n;
    set->words = ts_zalloc(ctx, (size_t)(n / 64 + 1), sizeof *set->words);
    return set->words == NULL ? ctx->error.code : TS_OK;
}

static void free_set(ts_ctx *ctx, number_set *set)
{
    ts_free(ctx, set->words);
    ts_free(ctx, set->below);
    *set = (number_set){0};
}

static bool in_set(const number_set *set, int64_t number)
{
    return number >= 0 && (uint64_t)number < set->n &&
           (set->words[number / 64] >> (number % 64) & 1) != 0;
}

static void put_in(const number_set *set, int64_t number)
{
    if (number >= 0 && (uint64_t)number < set->n) {
        set->words[number / 64] |= UINT64_C(1) << (number % 64);
    }
}

/* All are in it. */
static ts_code set_count(ts_ctx *ctx, number_set *set)
{
    uint64_t sum = 0;
    TS_NEED(ctx, set->below = ts_alloc(ctx, (size_t)(set->n / 64 + 1), sizeof *set->below));
    for (uint64_t i = 0; i <= set->n / 64; i++) {
        set->below[i] = sum;
        sum += (uint64_t)__builtin_popcountll(set->words[i]);
    }
    return TS_OK;
}

/* Of a number in the set: how many are below it. */
static int64_t rank_of(const number_set *set, int64_t number)
{
    uint64_t under = set->words[number / 64] & ((UINT64_C(1) << (number % 64)) - 1);
    return (int64_t)(set->below[number / 64] + (uint64_t)__builtin_popcountll(under));
}

/* --- rows are put -------------------------------------------------------------------------- */

static int64_t integer_of(const held_row *row, const ts_column *column)
{
    int64_t v;
    memcpy(&v, (const char *)row + column->offset, sizeof v);
    return v;
}

static ts_text *text_of(held_row *row, const ts_column *column)
{
    return (ts_text *)(void *)((char *)row + column->offset);
}

static uint64_t key_of(enum held_place place, uint64_t index)
{
    return (uint64_t)place << 56 | index;
}

/* A row as it is spooled: its index, a bit for each column that is NULL, the numbers of the others
 * or the lengths of their texts, and the texts. */
static ts_code encode(ftrace_limit *limit, const ts_table *table, uint64_t index, held_row *row)
{
    uint64_t null = row->null;
    ts_code code;
    limit->buf.n = 0;
    for (unsigned c = 0; c < table->column_count; c++) {
        const ts_column *column = &table->columns[c];
        if (column->type == TS_COL_TEXT && text_of(row, column)->p == NULL) {
            null |= UINT64_C(1) << c;
        }
    }
    code = ts_buf_put(limit->ctx, &limit->buf, &index, sizeof index);
    TS_STEP(code, ts_buf_put(limit->ctx, &limit->buf, &null, sizeof null));
    for (unsigned c = 0; c < table->column_count && code == TS_OK; c++) {
        const ts_column *column = &table->columns[c];
        int64_t v = column->type == TS_COL_TEXT ? (int64_t)text_of(row, column)->n
                                                : integer_of(row, column);
        code = (null >> c & 1) != 0 ? TS_OK : ts_buf_put(limit->ctx, &limit->buf, &v, sizeof v);
    }
    for (unsigned c = 0; c < table->column_count && code == TS_OK; c++) {
        const ts_column *column = &table->columns[c];
        if (column->type == TS_COL_TEXT && (null >> c & 1) == 0) {
            code = ts_buf_put(limit->ctx, &limit->buf, text_of(row, column)->p,
                              text_of(row, column)->n);
        }
    }
    return code;
}

static bool is_behind(const ts_span *wanted, int64_t ts)
{
    return ts >= wanted->to && wanted->to != INT64_MAX;
}

static ts_code put_parent(ftrace_limit *limit, const ts_row_callstack *row)
{
    /* The parent of an asynchronous slice is a thread. */
    const uint64_t none = TS_NULL_BIT(callstack, parent_id);
    bool has = (row->null & none) == 0 && (row->null & TS_NULL_BIT(callstack, cookie)) != 0;
    int64_t parent = has ? row->parent_id : -1;
    ts_code code = limit->parents != NULL ? TS_OK : ts_spool_new(&limit->parents, limit->ctx);
    return code != TS_OK ? code : ts_spool_write(limit->parents, &parent, sizeof parent);
}

static ts_code limit_put(void *self, enum ts_table_id id, const void *row, uint64_t reserved)
{
    ftrace_limit *limit = self;
    const ts_table *table = &ts_schema[id];
    held_table *held = &limit->tables[limit->place[id] - (limit->place[id] != 0)];
    held_row copy;
    ts_code code = TS_OK;
    (void)reserved;
    if (limit->place[id] == 0) {
        return ts_sink_put(limit->to, id, row);
    }
    memcpy(&copy, row, table->row_size);
    TS_TRY_INTO(code, id == TS_T_callstack ? put_parent(limit, &copy.callstack) : TS_OK);
    if (held->ts >= 0 && is_behind(&limit->wanted, integer_of(&copy, &table->columns[held->ts]))) {
        return TS_OK;
    }
    TS_TRY_INTO(code, held->rows != NULL ? TS_OK : ts_spool_new(&held->rows, limit->ctx));
    TS_TRY_INTO(code, encode(limit, table, limit->sink.rows[id] - held->base, &copy));
    return ts_spool_write(held->rows, limit->buf.p, limit->buf.n);
}

static ts_code change(void *self, enum ts_table_id id, int64_t rowid, unsigned column,
                      int64_t value)
{
    static const ts_sorter_order order = {.key_offset = offsetof(held_change, key), .key_count = 2};
    ftrace_limit *limit = self;
    held_change c = {.number = limit->change_count++, .column = column, .value = value};
    if (limit->place[id] == 0 || (uint64_t)rowid <= limit->tables[limit->place[id] - 1].base) {
        return ts_fail(limit->ctx, TS_ERR_INTERNAL, "a change of %s %" PRId64 ", which is written",
                       ts_schema[id].name, rowid);
    }
    c.key = key_of((enum held_place)(limit->place[id] - 1),
                   (uint64_t)rowid - 1 - limit->tables[limit->place[id] - 1].base);
    return ts_sorter_put(&limit->changes, limit->ctx, &c, sizeof c, &order, CHANGES_MEMORY);
}

static ts_code limit_amend(void *self, const ts_amendment *what)
{
    const int64_t value = what->kind == TS_AMEND_NULL ? TS_NO_TIME : what->value;
    ftrace_limit *limit = self;
    ts_code code = TS_OK;
    if (what->kind == TS_AMEND_TEXT || what->kind == TS_AMEND_MOVE) {
        return ts_fail(limit->ctx, TS_ERR_INTERNAL, "a late text or time of %s %" PRId64,
                       ts_schema[what->table].name, what->first);
    }
    for (int64_t row = what->first; row <= what->last && code == TS_OK; row++) {
        for (uint64_t left = what->columns; left != 0 && code == TS_OK; left &= left - 1) {
            code = change(self, what->table, row, (unsigned)__builtin_ctzll(left), value);
        }
    }
    return code;
}

static void limit_release(void *self, enum ts_table_id table, int64_t rowid)
{
    (void)self;
    (void)table;
    (void)rowid;
}

/* --- rows are read back -------------------------------------------------------------------- */

/* Reads a spool from its beginning to its end. */
typedef struct stream {
    ts_spool *spool;
    uint64_t next; /* of what is not in `bytes` */
    size_t at, have;
    uint8_t *bytes; /* BLOCK */
} stream;

static ts_code open_stream(stream *s, ts_ctx *ctx, ts_spool *spool)
{
    *s = (stream){.spool = spool};
    s->bytes = ts_alloc(ctx, BLOCK, 1);
    return s->bytes == NULL ? ctx->error.code : TS_OK;
}

/* The next n bytes; into NULL: they are passed over. *end: there are none. */
static ts_code read_stream(bool *end, stream *s, void *into, size_t n)
{
    size_t done = 0;
    *end = false;
    while (done < n) {
        size_t some = n - done < s->have - s->at ? n - done : s->have - s->at;
        ts_code code;
        if (some > 0) {
            if (into != NULL) {
                memcpy((char *)into + done, s->bytes + s->at, some);
            }
            s->at += some;
            done += some;
            continue;
        }
        if (s->spool == NULL) {
            *end = true;
            return TS_OK;
        }
        s->at = 0;
        code = ts_spool_read(&s->have, s->spool, s->next, s->bytes, BLOCK);
        s->next += s->have;
        if (code != TS_OK || s->have == 0) {
            *end = true;
            return code;
        }
    }
    return TS_OK;
}

/* The rows of tables in turn, as they are when all changes were made. */
typedef struct walk {
    ftrace_limit *limit;
    stream rows, changes;
    held_change change; /* the next one */
    bool no_change;     /* there is none */
    held_row row;
    uint64_t index;
    bool with_texts;
    ts_buf texts;
} walk;

static ts_code next_change(walk *w)
{
    return read_stream(&w->no_change, &w->changes, &w->change, sizeof w->change);
}

static ts_code walk_begin(walk *w, ftrace_limit *limit, bool with_texts)
{
    *w = (walk){.limit = limit, .with_texts = with_texts};
    TS_TRY(open_stream(&w->changes, limit->ctx, limit->sorted));
    return next_change(w);
}

/* The rows of this table come next: a later one than before. */
static ts_code walk_table(walk *w, enum held_place place)
{
    ts_free(w->limit->ctx, w->rows.bytes);
    return open_stream(&w->rows, w->limit->ctx, w->limit->tables[place].rows);
}

static void walk_end(walk *w)
{
    ts_free(w->limit->ctx, w->rows.bytes);
    ts_free(w->limit->ctx, w->changes.bytes);
    ts_buf_free(w->limit->ctx, &w->texts);
}

static ts_code read_texts(walk *w, const ts_table *table, size_t n)
{
    bool end;
    if (!w->with_texts) {
        return read_stream(&end, &w->rows, NULL, n);
    }
    w->texts.n = 0;
    TS_TRY(ts_buf_reserve(w->limit->ctx, &w->texts, n + 1));
    TS_TRY(read_stream(&end, &w->rows, w->texts.p, n));
    n = 0;
    for (unsigned c = 0; c < table->column_count; c++) {
        ts_text *text = text_of(&w->row, &table->columns[c]);
        if (table->columns[c].type == TS_COL_TEXT && (w->row.null >> c & 1) == 0) {
            text->p = (const char *)w->texts.p + n;
            n += text->n;
        }
    }
    return TS_OK;
}

static ts_code apply_changes(walk *w, const ts_table *table, uint64_t key)
{
    ts_code code = TS_OK;
    while (code == TS_OK && !w->no_change && w->change.key <= key) {
        if (w->change.key == key && w->change.value == TS_NO_TIME) {
            w->row.null |= UINT64_C(1) << w->change.column;
        } else if (w->change.key == key) {
            w->row.null &= ~(UINT64_C(1) << w->change.column);
            memcpy((char *)&w->row + table->columns[w->change.column].offset, &w->change.value,
                   sizeof w->change.value);
        }
        code = next_change(w);
    }
    return code;
}

static ts_code walk_next(bool *end, walk *w, enum held_place place)
{
    const ts_table *table = &ts_schema[held_tables[place]];
    uint64_t head[2];
    size_t texts = 0;
    ts_code code = read_stream(end, &w->rows, head, sizeof head);
    if (code != TS_OK || *end) {
        return code;
    }
    memset(&w->row, 0, sizeof w->row);
    w->index = head[0];
    w->row.null = head[1];
    for (unsigned c = 0; c < table->column_count && code == TS_OK; c++) {
        uint64_t v = 0;
        if ((head[1] >> c & 1) != 0) {
            continue;
        }
        code = read_stream(end, &w->rows, &v, sizeof v);
        if (table->columns[c].type == TS_COL_TEXT) {
            text_of(&w->row, &table->columns[c])->n = (size_t)v;
            texts += (size_t)v;
        } else {
            memcpy((char *)&w->row + table->columns[c].offset, &v, sizeof v);
        }
    }
    TS_STEP(code, read_texts(w, table, texts));
    return code != TS_OK ? code : apply_changes(w, table, key_of(place, w->index));
}

/* --- which rows are written ---------------------------------------------------------------- */

/* Does [ts, ts + dur] meet the range? What has no end goes on; rows after it were not kept. */
static bool meets(const ftrace_limit *limit, enum held_place place, const held_row *row)
{
    const held_table *held = &limit->tables[place];
    const ts_table *table = &ts_schema[held_tables[place]];
    int64_t ts = integer_of(row, &table->columns[held->ts]);
    if (held->dur < 0) {
        return ts >= limit->wanted.from;
    }
    return (row->null >> held->dur & 1) != 0 ||
           ts_sat_add(ts, integer_of(row, &table->columns[held->dur])) >= limit->wanted.from;
}

/* The slices around one that is written are written too. */
static ts_code keep_parents(ftrace_limit *limit, int64_t index)
{
    int64_t base = (int64_t)limit->tables[HELD_callstack].base;
    for (;;) {
        int64_t parent = -1;
        size_t got = 0;
        ts_code code = ts_spool_read(&got, limit->parents, (uint64_t)index * sizeof parent, &parent,
                                     sizeof parent);
        index = parent - base;
        if (code != TS_OK || index < 0 || in_set(&limit->slices, index)) {
            return code;
        }
        put_in(&limit->slices, index);
    }
}

static ts_code choose(walk *w, enum held_place place, const number_set *set)
{
    bool end = false;
    ts_code code = walk_table(w, place);
    while (code == TS_OK && (code = walk_next(&end, w, place)) == TS_OK && !end) {
        if (!meets(w->limit, place, &w->row)) {
            continue;
        }
        put_in(set, (int64_t)w->index);
        if (place == HELD_callstack) {
            code = keep_parents(w->limit, (int64_t)w->index);
        }
    }
    return code;
}

static bool is_written(const ftrace_limit *limit, enum held_place place, uint64_t index,
                       const held_row *row)
{
    return place == HELD_callstack     ? in_set(&limit->slices, (int64_t)index)
           : place == HELD_frame_slice ? in_set(&limit->frames, (int64_t)index)
                                       : meets(limit, place, row);
}

/* The row's set of arguments, NULL: it has none. */
static int64_t *set_of(const ftrace_limit *limit, enum held_place place, held_row *row)
{
    const int column = limit->tables[place].args;
    return column < 0 || (row->null >> column & 1) != 0
               ? NULL
               : (int64_t *)(void *)((char *)row +
                                     ts_schema[held_tables[place]].columns[column].offset);
}

/* The sets of arguments of rows that are written. */
static ts_code choose_sets(walk *w, const ftrace_args *args)
{
    ts_code code = TS_OK;
    for (enum held_place place = HELD_callstack; place <= HELD_irq && code == TS_OK; place++) {
        bool end = false;
        code = walk_table(w, place);
        while (code == TS_OK && (code = walk_next(&end, w, place)) == TS_OK && !end) {
            const int64_t *set = set_of(w->limit, place, &w->row);
            if (set != NULL && is_written(w->limit, place, w->index, &w->row)) {
                put_in(&w->limit->sets, *set - args->first);
            }
        }
    }
    return code;
}

static ts_code choose_all(ftrace_limit *limit, const ftrace_args *args)
{
    const held_table *tables = limit->tables;
    walk w;
    ts_code code;
    TS_TRY_INTO(code, open_set(&limit->slices, limit->ctx,
                               limit->sink.rows[TS_T_callstack] - tables[HELD_callstack].base));
    TS_TRY_INTO(code, open_set(&limit->frames, limit->ctx,
                               limit->sink.rows[TS_T_frame_slice] - tables[HELD_frame_slice].base));
    TS_TRY_INTO(code, open_set(&limit->sets, limit->ctx, (uint64_t)(args->next - args->first)));
    code = walk_begin(&w, limit, false);
    TS_STEP(code, choose(&w, HELD_callstack, &limit->slices));
    TS_STEP(code, choose(&w, HELD_frame_slice, &limit->frames));
    walk_end(&w);
    if (code == TS_OK) {
        code = walk_begin(&w, limit, false);
        TS_STEP(code, choose_sets(&w, args));
        walk_end(&w);
    }
    TS_STEP(code, set_count(limit->ctx, &limit->slices));
    TS_STEP(code, set_count(limit->ctx, &limit->frames));
    return code != TS_OK ? code : set_count(limit->ctx, &limit->sets);
}

/* --- rows are written ---------------------------------------------------------------------- */

/* The new number of what a row refers to; false: it is not written. */
static bool renumber(int64_t *number, const number_set *set, int64_t base)
{
    if (!in_set(set, *number - base)) {
        return false;
    }
    *number = base + rank_of(set, *number - base);
    return true;
}

/* "12,15": those that are written, with their new numbers, in limit->buf. */
static ts_code renumber_list(ftrace_limit *limit, ts_text *list)
{
    const int64_t base = (int64_t)limit->tables[HELD_frame_slice].base;
    const ts_text all = *list;
    ts_code code = TS_OK;
    limit->buf.n = 0;
    for (size_t at = 0; at < all.n && code == TS_OK; at++) {
        int64_t number = 0;
        char text[32];
        for (; at < all.n && all.p[at] != ','; at++) {
            number = number * 10 + (all.p[at] - '0');
        }
        if (renumber(&number, &limit->frames, base)) {
            int n = snprintf(text, sizeof text, "%s%" PRId64, limit->buf.n > 0 ? "," : "", number);
            code = ts_buf_put(limit->ctx, &limit->buf, text, (size_t)n);
        }
    }
    *list = limit->buf.n == 0 ? TS_TEXT_NULL : ts_buf_text(&limit->buf);
    return code;
}

static ts_code renumber_frame(ftrace_limit *limit, ts_row_frame_slice *row)
{
    if ((row->null & TS_NULL_BIT(frame_slice, callstack_id)) == 0 &&
        !renumber(&row->callstack_id, &limit->slices,
                  (int64_t)limit->tables[HELD_callstack].base)) {
        TS_SET_NULL(frame_slice, row, callstack_id);
    }
    if ((row->null & TS_NULL_BIT(frame_slice, dst)) == 0 &&
        !renumber(&row->dst, &limit->frames, (int64_t)limit->tables[HELD_frame_slice].base)) {
        TS_SET_NULL(frame_slice, row, dst);
    }
    return row->src.p == NULL ? TS_OK : renumber_list(limit, &row->src);
}

/* What the row refers to gets its new numbers. *put: it is written. */
static ts_code prepare(bool *put, walk *w, enum held_place place, const ftrace_args *args)
{
    ftrace_limit *limit = w->limit;
    held_row *row = &w->row;
    const int64_t slices = (int64_t)limit->tables[HELD_callstack].base;
    const int64_t frames = (int64_t)limit->tables[HELD_frame_slice].base;
    int64_t *set;
    switch (place) {
    case HELD_args:
        *put = renumber(&row->args.argset, &limit->sets, args->first) &&
               (row->args.key != args->slice_key || row->args.datatype != FTRACE_ARG_INT ||
                renumber(&row->args.value, &limit->slices, slices));
        return TS_OK;
    case HELD_frame_maps:
        *put = renumber(&row->frame_maps.src_row, &limit->frames, frames) &&
               renumber(&row->frame_maps.dst_row, &limit->frames, frames);
        return TS_OK;
    case HELD_gpu_slice:
        *put = renumber(&row->gpu_slice.frame_row, &limit->frames, frames);
        return TS_OK;
    default:
        break;
    }
    *put = is_written(limit, place, w->index, row);
    set = *put ? set_of(limit, place, row) : NULL;
    if (set != NULL) {
        renumber(set, &limit->sets, args->first);
    }
    if (*put && place == HELD_callstack && (row->null & TS_NULL_BIT(callstack, parent_id)) == 0 &&
        (row->null & TS_NULL_BIT(callstack, cookie)) != 0) {
        renumber(&row->callstack.parent_id, &limit->slices, slices);
    }
    return *put && place == HELD_frame_slice ? renumber_frame(limit, &row->frame_slice) : TS_OK;
}

static ts_code write_table(walk *w, enum held_place place, const ftrace_args *args)
{
    ftrace_limit *limit = w->limit;
    const enum ts_table_id id = held_tables[place];
    bool end = false;
    ts_code code = walk_table(w, place);
    while (code == TS_OK && (code = walk_next(&end, w, place)) == TS_OK && !end) {
        bool put = false;
        code = prepare(&put, w, place, args);
        if (code != TS_OK || !put) {
            continue;
        }
        if (limit->tables[place].id >= 0) {
            const int64_t number = (int64_t)limit->to->rows[id];
            memcpy((char *)&w->row + ts_schema[id].columns[limit->tables[place].id].offset, &number,
                   sizeof number);
        }
        code = ts_sink_put(limit->to, id, &w->row);
    }
    return code;
}

static ts_code write_change(void *spool, const void *change)
{
    return ts_spool_write(spool, change, sizeof(held_change));
}

static ts_code sort_changes(ftrace_limit *limit)
{
    ts_code code = ts_spool_new(&limit->sorted, limit->ctx);
    TS_STEP(code, ts_sorter_drain(limit->changes, write_change, limit->sorted));
    ts_sorter_close(limit->changes);
    limit->changes = NULL;
    return code;
}

ts_code ftrace_limit_finish(ftrace_limit *limit, const ftrace_args *args)
{
    walk w;
    ts_code code;
    TS_TRY_INTO(code, sort_changes(limit));
    TS_TRY_INTO(code, choose_all(limit, args));
    code = walk_begin(&w, limit, true);
    for (enum held_place place = 0; place < HELD_TABLES && code == TS_OK; place++) {
        code = write_table(&w, place, args);
    }
    walk_end(&w);
    return code;
}

/* --- the limit ----------------------------------------------------------------------------- */

static int column_of(const ts_table *table, const char *name)
{
    for (unsigned c = 0; c < table->column_count; c++) {
        if (strcmp(table->columns[c].name, name) == 0) {
            return (int)c;
        }
    }
    return -1;
}

ts_code ftrace_limit_open(ftrace_limit **out, ts_ctx *ctx, ts_sink *to, const ts_span *wanted)
{
    ftrace_limit *limit = ts_zalloc(ctx, 1, sizeof *limit);
    *out = limit;
    TS_NEED(ctx, limit);
    limit->ctx = ctx;
    limit->to = to;
    limit->wanted = *wanted;
    limit->sink = ts_sink_of(limit, &(ts_sink_calls){.put = limit_put,
                                                     .complete = change,
                                                     .release = limit_release,
                                                     .amend = limit_amend});
    memcpy(limit->sink.rows, to->rows, sizeof to->rows);
    for (unsigned i = 0; i < HELD_TABLES; i++) {
        const ts_table *table = &ts_schema[held_tables[i]];
        limit->place[held_tables[i]] = (uint8_t)(i + 1);
        limit->tables[i] = (held_table){.base = to->rows[held_tables[i]],
                                        .id = column_of(table, "id"),
                                        .ts = column_of(table, "ts"),
                                        .dur = column_of(table, "dur"),
                                        .args = column_of(table, "argsetid")};
        if (limit->tables[i].args < 0) {
            limit->tables[i].args = column_of(table, "arg_setid");
        }
    }
    return TS_OK;
}

ts_sink *ftrace_limit_sink(ftrace_limit *limit)
{
    return &limit->sink;
}

void ftrace_limit_close(ftrace_limit *limit)
{
    if (limit == NULL) {
        return;
    }
    for (unsigned i = 0; i < HELD_TABLES; i++) {
        ts_spool_free(limit->tables[i].rows);
    }
    ts_spool_free(limit->sorted);
    ts_spool_free(limit->parents);
    ts_sorter_close(limit->changes);
    ts_buf_free(limit->ctx, &limit->buf);
    free_set(limit->ctx, &limit->slices);
    free_set(limit->ctx, &limit->frames);
    free_set(limit->ctx, &limit->sets);
    ts_free(limit->ctx, limit);
}
