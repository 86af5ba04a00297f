/* Samples of CPU profiles, short (sample_rows.h): rows on their way to the file. */
#include "tables/sample_rows.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "tables/database_private.h"
#include "tables/formats/common/common_constants.h"
#include "tables/schema_sql.h"
#include "tables/views_impl.h"

#define COLUMN(type, name, field)                                                                  \
    {                                                                                              \
        name, type, "", "", "", offsetof(sample_row, field)                                        \
    }
static const ts_column row_columns[SAMPLE_COLUMNS] = {
    COLUMN(TS_COL_KEY, "id", id),
    COLUMN(TS_COL_INT, "node_id", node_id),
    COLUMN(TS_COL_INT, "since_us", since_us),
    COLUMN(TS_COL_INT, "dur_us", dur_us),
    COLUMN(TS_COL_INT, "before", before),
    COLUMN(TS_COL_INT, "run", run),
    COLUMN(TS_COL_INT, "shift", shift),
    COLUMN(TS_COL_INT, "place", place),
    COLUMN(TS_COL_INT, "source_id", source_id),
    COLUMN(TS_COL_INT, "itid", itid),
    COLUMN(TS_COL_INT, "ts", ts),
    COLUMN(TS_COL_INT, "dur", dur),
    COLUMN(TS_COL_TEXT, "event", event),
};
#undef COLUMN

const ts_table ts_sample_row_table = {.name = TS_SAMPLE_ROWS,
                                      .columns = row_columns,
                                      .column_count = SAMPLE_COLUMNS,
                                      .row_size = sizeof(sample_row)};

/* Blocks are put by SQLite: their columns have no places in a struct. */
static const ts_column block_columns[BLOCK_COLUMNS] = {
    {"id", TS_COL_KEY, "", "", "", 0},     {"source_id", TS_COL_INT, "", "", "", 0},
    {"itid", TS_COL_INT, "", "", "", 0},   {"ts", TS_COL_INT, "", "", "", 0},
    {"event", TS_COL_TEXT, "", "", "", 0}, {"shift", TS_COL_INT, "", "", "", 0},
    {"place", TS_COL_INT, "", "", "", 0},
};

const ts_table ts_sample_block_table = {
    .name = TS_SAMPLE_BLOCKS, .columns = block_columns, .column_count = BLOCK_COLUMNS};

/* The tables as they are declared (TS_SHORT), and those that are made when views do not do. */
typedef struct short_tables {
    enum ts_table_id samples, runs;
    const char *samples_view, *runs_view;
    const char *all_samples, *all_runs, *some_runs;
    const char *fill; /* the tables, from the views and the runs that they do not show */
} short_tables;

#define TS_SHORT(s, r)                                                                             \
    typedef ts_row_##s short_sample;                                                               \
    typedef ts_row_##r short_run;                                                                  \
    enum {                                                                                         \
        SHORT_ITID = TS_C_##s##__itid,                                                             \
        SHORT_TS = TS_C_##s##__ts,                                                                 \
        SHORT_DUR = TS_C_##s##__dur,                                                               \
        SHORT_NODE = TS_C_##s##__node_id,                                                          \
        SHORT_EVENT = TS_C_##s##__event,                                                           \
        RUN_ID = TS_C_##r##__id,                                                                   \
        RUN_FUNCTION = TS_C_##r##__function_id,                                                    \
        RUN_START = TS_C_##r##__start_time,                                                        \
        RUN_END = TS_C_##r##__end_time,                                                            \
        RUN_DUR = TS_C_##r##__dur                                                                  \
    };                                                                                             \
    static const short_tables tables = {                                                           \
        .samples = TS_T_##s,                                                                       \
        .runs = TS_T_##r,                                                                          \
        .samples_view = ts_view_##s,                                                               \
        .runs_view = ts_view_##r,                                                                  \
        .all_samples = #s "_all",                                                                  \
        .all_runs = #r "_all",                                                                     \
        .some_runs = #r "_some",                                                                   \
        .fill = "INSERT INTO " #s "_all SELECT * FROM " #s " ORDER BY id;"                         \
                "INSERT INTO " #r "_all SELECT * FROM (SELECT * FROM " #r                          \
                " UNION ALL SELECT * FROM " #r "_some) ORDER BY id;"                               \
                "DROP VIEW " #s "; DROP VIEW " #r "; DROP TABLE " #r "_some;"                      \
                "DROP TABLE " TS_SAMPLE_ROWS "; DROP TABLE " TS_SAMPLE_BLOCKS ";"};
#include "tables/formats/each.h"

#define BIT(column) (UINT64_C(1) << (column))
#define FROM(column) (UINT64_MAX << (column))

void ts_samples_free(ts_ctx *ctx, ts_samples *s)
{
    ts_vec_free(ctx, &s->blocks);
    ts_buf_free(ctx, &s->events);
    ts_buf_free(ctx, &s->event);
    *s = (ts_samples){0};
}

void ts_samples_begin(ts_db *db)
{
    db->samples.on = ts_pages_form(db->pages, tables.samples, &ts_sample_row_table) == TS_OK;
}

static bool has(const short_sample *row, unsigned column)
{
    return (row->null >> column & 1) == 0;
}

/* --- the row that waits --------------------------------------------------------------------- */

static ts_code write_waiting(ts_db *db)
{
    ts_samples *s = &db->samples;
    const sample_row *row = &s->row;
    if (!s->waits) {
        return TS_OK;
    }
    s->waits = false;
    if ((row->null & BIT(SAMPLE_SOURCE)) == 0) {
        return ts_pages_put(db->pages, tables.samples, row, 0);
    }
    return ts_pages_put_first(db->pages, tables.samples, row,
                              (row->null & BIT(SAMPLE_PLACE)) == 0   ? SAMPLE_PLACE + 1
                              : (row->null & BIT(SAMPLE_SHIFT)) == 0 ? SAMPLE_SHIFT + 1
                              : (row->null & BIT(SAMPLE_RUN)) == 0   ? SAMPLE_RUN + 1
                                                                     : SAMPLE_DUR_US + 1);
}

ts_code ts_samples_flush(ts_db *db)
{
    db->samples.closed = true;
    return write_waiting(db);
}

/* --- samples -------------------------------------------------------------------------------- */

static sample_block *last_block(const ts_samples *s)
{
    return s->blocks.n == 0 ? NULL : (sample_block *)s->blocks.p + s->blocks.n - 1;
}

static ts_text event_of(const ts_samples *s, const sample_block *b)
{
    return (ts_text){s->events.p + b->event_at, b->event_n};
}

/* Events are short: a call would take longer. */
static inline bool same_bytes(const char *a, const char *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (a[i] != b[i]) {
            return false;
        }
    }
    return true;
}

static inline bool same_event(const ts_samples *s, const sample_block *b, ts_text event)
{
    if ((b->null & BIT(BLOCK_EVENT)) != 0 || event.p == NULL) {
        return (b->null & BIT(BLOCK_EVENT)) != 0 && event.p == NULL;
    }
    return b->event_n == event.n && same_bytes(s->events.p + b->event_at, event.p, event.n);
}

static ts_text event_in(const short_sample *row)
{
    return has(row, SHORT_EVENT) ? row->event : TS_TEXT_NULL;
}

/* The block of a sample: a new one begins with it. */
static ts_code add_block(ts_db *db, int64_t id, const short_sample *row)
{
    ts_samples *s = &db->samples;
    const sample_block *before = last_block(s);
    ts_text event = event_in(row);
    bool known = before != NULL && event.p != NULL && same_event(s, before, event);
    sample_block b = {.null = BIT(BLOCK_TS) | BIT(BLOCK_SHIFT) | BIT(BLOCK_PLACE),
                      .id = id,
                      .source_id = row->source_id,
                      .itid = row->itid,
                      .event_at = known ? before->event_at : s->events.n,
                      .event_n = event.p == NULL ? 0 : event.n};
    sample_block *added;
    ts_code code = TS_OK;
    b.null |= has(row, SHORT_ITID) ? 0 : BIT(BLOCK_ITID);
    b.null |= event.p != NULL ? 0 : BIT(BLOCK_EVENT);
    if (event.p != NULL && !known) {
        code = ts_buf_put(db->ctx, &s->events, event.p, event.n);
    }
    if (code != TS_OK) {
        return code;
    }
    TS_NEED(db->ctx, added = ts_vec_add(db->ctx, &s->blocks, sizeof *added));
    *added = b;
    s->closed = false;
    return TS_OK;
}

static bool is_like(const ts_samples *s, const sample_block *b, const short_sample *row)
{
    bool has_itid = has(row, SHORT_ITID);
    return !s->closed && row->source_id == b->source_id &&
           has_itid == ((b->null & BIT(BLOCK_ITID)) == 0) && (!has_itid || row->itid == b->itid) &&
           same_event(s, b, event_in(row));
}

/* ns as µs. False: they are no whole number of them. */
static inline bool in_us(int64_t *us, int64_t ns)
{
    *us = ns / TS_NS_PER_US;
    return *us * TS_NS_PER_US == ns;
}

/* The times of a sample in µs. False: they are not. */
static inline bool short_times(sample_row *out, sample_block *b, const sample_times *t)
{
    int64_t since = 0;
    if (!t->has_ts || !t->has_dur || (b->null & BIT(BLOCK_TS)) != 0) {
        out->null |= (t->has_ts ? 0 : BIT(SAMPLE_SINCE)) | (t->has_dur ? 0 : BIT(SAMPLE_DUR_US));
    }
    if (t->has_ts && (b->null & BIT(BLOCK_TS)) == 0 && ts_ckd_sub(&since, t->ts, b->ts)) {
        return false;
    }
    if (!in_us(&out->since_us, since) || !in_us(&out->dur_us, t->has_dur ? t->dur : 0)) {
        return false;
    }
    if (t->has_ts && (b->null & BIT(BLOCK_TS)) != 0) {
        b->ts = t->ts;
        b->null &= ~BIT(BLOCK_TS);
    }
    return true;
}

/* A row that says everything itself. */
static ts_code whole_row(ts_db *db, sample_row *out, const short_sample *row)
{
    ts_samples *s = &db->samples;
    ts_text event = event_in(row);
    ts_code code = TS_OK;
    out->null = FROM(SAMPLE_SINCE) & ~FROM(SAMPLE_SOURCE);
    out->null |= has(row, SHORT_ITID) ? 0 : BIT(SAMPLE_ITID);
    out->null |= has(row, SHORT_TS) ? 0 : BIT(SAMPLE_TS);
    out->null |= has(row, SHORT_DUR) ? 0 : BIT(SAMPLE_DUR);
    out->source_id = row->source_id;
    out->itid = row->itid;
    out->ts = row->ts;
    out->dur = row->dur;
    out->event = TS_TEXT_NULL;
    s->event.n = 0;
    if (event.p != NULL) { /* a byte, so that the empty text has a place too */
        code = ts_buf_put(db->ctx, &s->event, event.p, event.n);
        TS_STEP(code, ts_buf_putc(db->ctx, &s->event, '\0'));
        out->event = (ts_text){s->event.p, event.n};
    }
    return code;
}

static ts_code put_sample(ts_db *db, const short_sample *row)
{
    ts_samples *s = &db->samples;
    sample_row *out = &s->row;
    int64_t id = row->id / TS_SAMPLE_BLOCK;
    sample_block *b = last_block(s);
    ts_code code = write_waiting(db);
    if (code == TS_OK && (b == NULL || b->id != id)) {
        code = add_block(db, id, row);
        b = last_block(s);
    }
    if (code != TS_OK) {
        return code;
    }
    s->is = (sample_times){row->ts, row->dur, has(row, SHORT_TS), has(row, SHORT_DUR)};
    out->id = row->id;
    out->node_id = row->node_id;
    out->null = FROM(SAMPLE_BEFORE);
    if ((!is_like(s, b, row) || !short_times(out, b, &s->is)) &&
        (code = whole_row(db, out, row)) != TS_OK) {
        return code;
    }
    out->null |= has(row, SHORT_NODE) ? 0 : BIT(SAMPLE_NODE);
    s->in_run = s->source_id == row->source_id ? s->in_run : 0;
    s->source_id = row->source_id;
    if (s->in_run++ == 0) {
        s->first = s->is;
    }
    s->waits = true;
    return TS_OK;
}

/* --- runs ----------------------------------------------------------------------------------- */

/* Whether a cell is what the view will show. */
static bool shows(const short_run *row, unsigned column, int64_t value, bool has_value,
                  int64_t shown)
{
    bool is_null = (row->null >> column & 1) != 0;
    return is_null ? !has_value : has_value && value == shown;
}

/* Times: those of the samples and what is added to them. */
static bool times_show(sample_row *out, sample_block *b, const ts_samples *s, const short_run *row)
{
    const bool starts = s->first.has_ts;
    const bool ends = s->is.has_ts;
    const bool has_place = (b->null & BIT(BLOCK_PLACE)) == 0;
    int64_t start = 0;
    int64_t end = 0;
    int64_t dur = 0;
    int64_t place = has_place ? b->place : 0;
    if (starts != ends || (starts && ts_ckd_sub(&place, row->start_time, s->first.ts))) {
        return false;
    }
    if ((starts &&
         (ts_ckd_add(&start, s->first.ts, place) || ts_ckd_add(&end, s->is.ts, place) ||
          ts_ckd_add(&end, end, s->is.has_dur ? s->is.dur : 0) || ts_ckd_sub(&dur, end, start))) ||
        !shows(row, RUN_START, row->start_time, starts, start) ||
        !shows(row, RUN_END, row->end_time, ends, end) ||
        !shows(row, RUN_DUR, row->dur, starts, dur)) {
        return false;
    }
    if (starts && !has_place) {
        b->place = place;
        b->null &= ~BIT(BLOCK_PLACE);
    } else if (place != b->place && starts) {
        if (ts_ckd_sub(&out->place, place, b->place)) {
            return false;
        }
        out->null &= ~BIT(SAMPLE_PLACE);
    }
    return true;
}

/* function_id: that of the call path and shifts. */
static bool function_shows(sample_row *out, sample_block *b, const short_run *row)
{
    bool has_function = (row->null & BIT(RUN_FUNCTION)) == 0;
    int64_t shift;
    int64_t sum;
    if (((out->null & BIT(SAMPLE_NODE)) == 0) != has_function) {
        return false;
    }
    if (!has_function) {
        return true;
    }
    if (ts_ckd_sub(&shift, row->function_id, out->node_id)) {
        return false;
    }
    if ((b->null & BIT(BLOCK_SHIFT)) != 0) {
        if (ts_ckd_add(&sum, out->node_id, shift)) {
            return false;
        }
        b->shift = shift;
        b->null &= ~BIT(BLOCK_SHIFT);
        return true;
    }
    if (shift == b->shift) {
        return true;
    }
    if (ts_ckd_sub(&out->shift, shift, b->shift) || ts_ckd_add(&sum, out->node_id, b->shift)) {
        return false;
    }
    out->null &= ~BIT(SAMPLE_SHIFT);
    return true;
}

/* Its last sample waits. */
static ts_code put_run(ts_db *db, const short_run *row)
{
    ts_samples *s = &db->samples;
    sample_block *b = last_block(s);
    ts_code code = TS_OK;
    bool shown = s->waits && s->in_run > 0 && !s->closed && row->id == s->runs &&
                 (row->null & BIT(RUN_ID)) == 0;
    if (shown && times_show(&s->row, b, s, row) && function_shows(&s->row, b, row)) {
        s->row.before = (int64_t)s->in_run - 1;
        s->row.run = s->runs;
        s->row.null &= ~(BIT(SAMPLE_BEFORE) | BIT(SAMPLE_RUN));
    } else {
        s->whole = true;
        code = ts_pages_put(db->pages, tables.runs, row, 0);
    }
    s->runs++;
    s->in_run = 0;
    return code != TS_OK ? code : write_waiting(db);
}

ts_code ts_samples_put(ts_db *db, enum ts_table_id table, const void *row)
{
    return table == tables.samples ? put_sample(db, row) : put_run(db, row);
}

/* --- many at once --------------------------------------------------------------------------- */

/* The columns of rows that end at once, from those of a batch. */
typedef struct short_columns {
    uint32_t since[TS_SAMPLES_MOST];
    uint32_t before[TS_SAMPLES_MOST];
    uint32_t run[TS_SAMPLES_MOST];
    uint32_t shift[TS_SAMPLES_MOST];
    uint8_t ends[TS_SAMPLES_MOST];
    uint32_t in_run; /* after them */
    uint32_t runs;
    int64_t end;  /* of the last one, µs since the block */
    bool shifted; /* some have a shift */
} short_columns;

/* How many samples of a batch from `at` on are of the last block, whose values are theirs; 0: the
 * next one is not. *since: of the first, in µs. */
static unsigned like_the_last(int64_t *since, const ts_samples *s, const ts_sample_batch *batch,
                              const ts_sample_place *at, int64_t id)
{
    const sample_block *b = last_block(s);
    const short_sample row = ts_sample_row(batch, at);
    const unsigned most = TS_SAMPLE_BLOCK - (unsigned)(id % TS_SAMPLE_BLOCK);
    const unsigned left = batch->count - at->i;
    bool begun = s->in_run > 0 && s->first.has_ts && s->first.ts == at->run_ts;
    if (b == NULL || b->id != id / TS_SAMPLE_BLOCK || !is_like(s, b, &row) ||
        (b->null & BIT(BLOCK_TS)) != 0 || s->source_id != batch->source_id ||
        (at->goes_on ? !begun : s->in_run > 0) || s->in_run > INT32_MAX - TS_SAMPLES_MOST ||
        s->runs > INT32_MAX - TS_SAMPLES_MOST || ts_ckd_sub(since, at->ts, b->ts) || *since < 0 ||
        !in_us(since, *since) || ((b->null & BIT(BLOCK_PLACE)) == 0 && b->place != batch->place)) {
        return 0;
    }
    return left < most ? left : most;
}

/* False: a value is too large. */
static bool make_since(short_columns *c, const uint32_t *dur_us, int64_t since, unsigned n)
{
    for (unsigned i = 0; i < n; i++) {
        c->since[i] = (uint32_t)since;
        since += dur_us[i];
    }
    c->end = since;
    return since <= INT32_MAX;
}

/* Shifts, beside `shift` of the block, and how many columns each row has. False: a value may be too
 * large. */
static bool make_shifts(short_columns *c, const uint32_t *nodes, const uint32_t *functions,
                        int64_t shift, unsigned n)
{
    const uint32_t most = UINT32_C(1) << 29; /* differences of three such numbers fit */
    const uint32_t of_block = (uint32_t)shift;
    uint32_t all = 0;
    uint32_t any = 0;
    for (unsigned i = 0; i < n; i++) {
        const uint32_t mask = functions[i] != 0 ? UINT32_MAX : 0;
        const uint32_t more = (functions[i] - nodes[i] - of_block) & mask;
        all |= functions[i] | nodes[i];
        any |= more;
        c->shift[i] = more;
        c->ends[i] = (uint8_t)(SAMPLE_DUR_US + 1 + (2 & mask) + (more != 0));
    }
    c->shifted = any != 0;
    return all < most && shift > -(int64_t)most && shift < (int64_t)most;
}

static void make_runs(short_columns *c, const uint32_t *functions, unsigned n)
{
    uint32_t in_run = c->in_run;
    uint32_t runs = c->runs;
    for (unsigned i = 0; i < n; i++) {
        const uint32_t mask = functions[i] != 0 ? UINT32_MAX : 0;
        c->before[i] = in_run & mask;
        c->run[i] = runs & mask;
        in_run = (in_run + 1) & ~mask;
        runs -= mask;
    }
    c->in_run = in_run;
    c->runs = runs;
}

/* What the first run of a block says about it. */
static void note_run(sample_block *b, const ts_sample_batch *batch, unsigned from, unsigned n)
{
    for (unsigned i = from; i < from + n; i++) {
        if (batch->function_id[i] != 0) {
            if ((b->null & BIT(BLOCK_SHIFT)) != 0) {
                b->shift = (int64_t)batch->function_id[i] - batch->node_id[i];
            }
            b->place = batch->place;
            b->null &= ~(BIT(BLOCK_SHIFT) | BIT(BLOCK_PLACE));
            return;
        }
    }
}

/* To the sample after n, the same as ts_sample_move. */
static void move_behind(ts_sample_place *at, const sample_block *b, const short_columns *c,
                        unsigned n)
{
    at->i += n;
    at->ts = b->ts + c->end * TS_NS_PER_US;
    at->goes_on = c->in_run > 0;
    if (c->in_run == 0) {
        at->run_ts = at->ts;
    } else if (c->in_run <= n) { /* it began with one of these */
        at->run_ts = b->ts + (int64_t)c->since[n - c->in_run] * TS_NS_PER_US;
    }
}

/* n samples that are all short, the first of them `since` µs after the block. False: they are not,
 * and nothing is done. */
static bool put_short(ts_code *code, ts_db *db, const ts_sample_batch *batch, ts_sample_place *at,
                      int64_t since, unsigned n)
{
    ts_samples *s = &db->samples;
    sample_block *last = last_block(s);
    sample_block b = *last;
    short_columns c;
    ts_first_columns rows = {
        .columns = {NULL, batch->node_id + at->i, c.since, batch->dur_us + at->i, c.before, c.run},
        .ends = c.ends,
        .count = n,
    };
    note_run(&b, batch, at->i, n);
    c.in_run = (uint32_t)s->in_run;
    c.runs = (uint32_t)s->runs;
    if (!make_since(&c, batch->dur_us + at->i, since, n) ||
        !make_shifts(&c, batch->node_id + at->i, batch->function_id + at->i, b.shift, n)) {
        return false;
    }
    make_runs(&c, batch->function_id + at->i, n);
    *last = b;
    rows.columns[SAMPLE_SHIFT] = c.shifted ? c.shift : NULL;
    if ((*code = write_waiting(db)) == TS_OK) {
        *code = ts_pages_put_first_columns(db->pages, tables.samples, &rows);
    }
    move_behind(at, &b, &c, n);
    s->in_run = c.in_run;
    s->runs = c.runs;
    s->first = (sample_times){at->run_ts, 0, true, true};
    return true;
}

/* One sample, and the run that ends with it. */
static ts_code put_one(ts_db *db, const ts_sample_batch *batch, ts_sample_place *at, int64_t id)
{
    short_sample row = ts_sample_row(batch, at);
    short_run run;
    ts_code code;
    row.id = id;
    code = put_sample(db, &row);
    if (code == TS_OK && ts_sample_run(&run, batch, at)) {
        run.id = db->samples.runs;
        code = put_run(db, &run);
    }
    ts_sample_move(at, batch, 1);
    return code;
}

ts_code ts_samples_put_batch(ts_db *db, const ts_sample_batch *batch)
{
    const int64_t first = (int64_t)db->sink.rows[tables.samples] + 1;
    ts_sample_place at = ts_sample_begin(batch);
    ts_code code = TS_OK;
    while (at.i < batch->count && code == TS_OK) {
        int64_t since;
        unsigned n = like_the_last(&since, &db->samples, batch, &at, first + at.i);
        if (n > 0 && put_short(&code, db, batch, &at, since, n)) {
            continue;
        }
        n = n == 0 ? 1 : n;
        for (unsigned i = 0; i < n && code == TS_OK; i++) {
            code = put_one(db, batch, &at, first + at.i);
        }
    }
    return code;
}

/* --- the finished file ---------------------------------------------------------------------- */

/* Gives a table another declaration in the schema; its pages stay. */
static ts_code redeclare(ts_db *db, const char *name, const ts_table *as)
{
    ts_buf create = {0};
    ts_code code = ts_sql_create(db->ctx, &create, as);
    TS_STEP(code, ts_buf_putc(db->ctx, &create, '\0'));
    TS_STEP(code, ts_db_runf(db,
                             "PRAGMA writable_schema = ON;"
                             "UPDATE sqlite_master SET name = %Q, tbl_name = %Q, sql = %Q "
                             "WHERE type = 'table' AND name = %Q;"
                             "PRAGMA writable_schema = RESET;",
                             as->name, as->name, create.p, name));
    ts_buf_free(db->ctx, &create);
    return code;
}

static int bind_block(sqlite3_stmt *st, const ts_samples *s, const sample_block *b)
{
    const int64_t values[BLOCK_COLUMNS] = {
        [BLOCK_ID] = b->id, [BLOCK_SOURCE] = b->source_id, [BLOCK_ITID] = b->itid,
        [BLOCK_TS] = b->ts, [BLOCK_SHIFT] = b->shift,      [BLOCK_PLACE] = b->place};
    int rc = SQLITE_OK;
    for (unsigned i = 0; i < BLOCK_COLUMNS && rc == SQLITE_OK; i++) {
        ts_text event = event_of(s, b);
        rc = (b->null >> i & 1) != 0 ? sqlite3_bind_null(st, (int)i + 1)
             : i == BLOCK_EVENT
                 ? sqlite3_bind_text64(st, (int)i + 1, event.p, event.n, SQLITE_STATIC, SQLITE_UTF8)
                 : sqlite3_bind_int64(st, (int)i + 1, values[i]);
    }
    return rc;
}

static ts_code put_blocks(ts_db *db)
{
    const ts_samples *s = &db->samples;
    const sample_block *blocks = s->blocks.p;
    sqlite3_stmt *st = NULL;
    int rc = sqlite3_prepare_v2(
        db->handle, "INSERT INTO " TS_SAMPLE_BLOCKS " VALUES(?, ?, ?, ?, ?, ?, ?)", -1, &st, NULL);
    for (size_t i = 0; i < s->blocks.n && rc == SQLITE_OK; i++) {
        rc = bind_block(st, s, &blocks[i]);
        if (rc == SQLITE_OK) {
            (void)sqlite3_step(st);
            rc = sqlite3_reset(st);
        }
    }
    ts_code code = rc == SQLITE_OK ? TS_OK : ts_db_fail(db, rc, "write");
    (void)sqlite3_finalize(st);
    return code;
}

/* Whether rows that were put change later. */
static bool changes(const ts_db *db)
{
    const ts_amendment *all = db->amended.p;
    bool any = false;
    for (size_t i = 0; i < db->amended.n; i++) {
        any = any || all[i].table == tables.samples || all[i].table == tables.runs;
    }
    return any;
}

static ts_code make_tables(ts_db *db)
{
    ts_table samples = ts_schema[tables.samples];
    ts_table runs = ts_schema[tables.runs];
    samples.name = tables.all_samples;
    runs.name = tables.all_runs;
    TS_TRY(ts_db_create_table(db, &samples));
    TS_TRY(ts_db_create_table(db, &runs));
    return ts_db_run(db, tables.fill);
}

static ts_code make_views(ts_db *db)
{
    ts_code code = ts_db_run(db, "BEGIN EXCLUSIVE");
    TS_STEP_IF(code, !db->samples.whole,
               ts_db_runf(db, "DROP TABLE \"%w\"", ts_schema[tables.runs].name));
    TS_STEP(code, ts_db_create_table(db, &ts_sample_block_table));
    TS_STEP(code, put_blocks(db));
    TS_STEP(code, ts_db_run(db, tables.samples_view));
    TS_STEP(code, ts_db_run(db, tables.runs_view));
    TS_STEP_IF(code, db->samples.whole, make_tables(db));
    TS_STEP(code, ts_db_run(db, "COMMIT"));
    return code;
}

const char *ts_samples_index(const ts_sql_index *index)
{
#define TS_SHORT_INDEX(n, c)                                                                       \
    {#n, sizeof(c) == 1 ? NULL : "CREATE INDEX " #n " ON " TS_SAMPLE_ROWS "(" c ")"},
    static const struct {
        const char *name;
        const char *sql; /* NULL: what it would be on is no column of the rows */
    } other[] = {
#include "tables/formats/each.h"
    };
    for (size_t i = 0; i < sizeof other / sizeof other[0]; i++) {
        if (strcmp(index->name, other[i].name) == 0) {
            return other[i].sql;
        }
    }
    return index->sql;
}

ts_code ts_samples_finish(ts_db *db)
{
    ts_table runs = ts_schema[tables.runs];
    ts_code code;
    if (!db->samples.on) {
        return TS_OK;
    }
    db->samples.whole = db->samples.whole || changes(db);
    runs.name = tables.some_runs;
    (void)sqlite3_db_config(db->handle, SQLITE_DBCONFIG_DEFENSIVE, 0, NULL);
    code = redeclare(db, ts_schema[tables.samples].name, &ts_sample_row_table);
    TS_STEP_IF(code, db->samples.whole, redeclare(db, ts_schema[tables.runs].name, &runs));
    TS_STEP(code, make_views(db));
    if (code == TS_OK && db->samples.whole) {
        code = redeclare(db, tables.all_samples, &ts_schema[tables.samples]);
        TS_STEP(code, redeclare(db, tables.all_runs, &ts_schema[tables.runs]));
        db->samples.on = false;
    }
    return code;
}
