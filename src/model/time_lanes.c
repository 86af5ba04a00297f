#include "model/lane_private.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "model/path_sums.h"
#include "model/when.h"

enum { LANE_REPORT = 1 << 16 };

/* --- sums ------------------------------------------------------------------------------------- */

int64_t lane_ns_sum(int64_t a, uint64_t b)
{
    return b > (uint64_t)(INT64_MAX - a) ? INT64_MAX : a + (int64_t)b;
}

static double size_of(double value)
{
    return value < 0 ? -value : value;
}

/* Neumaier's sum. */
static void values_sum(ts_lane_values *v, double value)
{
    double sum = v->sum + value;
    v->error += size_of(v->sum) >= size_of(value) ? v->sum - sum + value : value - sum + v->sum;
    v->sum = sum;
}

void lane_values_add(ts_lane_values *to, const ts_lane_values *part)
{
    if (part->count == 0) {
        return;
    }
    if (to->count == 0) {
        *to = *part;
        return;
    }
    to->count += part->count;
    to->least = part->least < to->least ? part->least : to->least;
    to->greatest = part->greatest > to->greatest ? part->greatest : to->greatest;
    values_sum(to, part->sum);
    to->error += part->error;
    if (part->first_ts < to->first_ts ||
        (part->first_ts == to->first_ts && part->first_row < to->first_row)) {
        to->first = part->first;
        to->first_ts = part->first_ts;
        to->first_row = part->first_row;
    }
    if (part->last_ts > to->last_ts ||
        (part->last_ts == to->last_ts && part->last_row > to->last_row)) {
        to->last = part->last;
        to->last_ts = part->last_ts;
        to->last_row = part->last_row;
    }
}

void ts_lane_sum_add(ts_lane_sum *to, const ts_lane_sum *part, bool values)
{
    to->rows += part->rows;
    if (values) {
        lane_values_add(&to->values, &part->values);
        return;
    }
    for (unsigned i = 0; i < TS_LANE_STATES; i++) {
        to->ns[i] = lane_ns_sum(to->ns[i], (uint64_t)part->ns[i]);
    }
}

double ts_lane_mean(const ts_lane_values *v)
{
    double sum = v->sum + v->error;
    return (sum - sum == 0 ? sum : v->sum) / (double)v->count; /* the error of infinity is none */
}

ts_lane_values lane_one_value(const lane_row *row)
{
    return (ts_lane_values){row->has_value ? 1 : 0,
                            row->value,
                            row->value,
                            row->value,
                            0,
                            row->value,
                            row->value,
                            row->ts,
                            row->ts,
                            row->rowid,
                            row->rowid};
}

/* --- building --------------------------------------------------------------------------------- */

typedef struct lanes_build {
    ts_ctx *ctx;
    ts_time_lanes *all;
    unsigned block_rows;
    ts_index threads; /* of samples: the first lane of a thread */
    uint32_t lane;    /* of the row before */
    uint32_t name;
} lanes_build;

/* With the place of its name. */
typedef struct named_key {
    const lane_key *key;
    uint32_t name;
} named_key;

static bool same_cell(ts_cell a, ts_cell b)
{
    return a.value == b.value && a.null == b.null;
}

static bool thread_is(const void *owner, uint32_t number, const void *key)
{
    const ts_lane *l = (const ts_lane *)((const ts_time_lanes *)owner)->lanes.p + number;
    const lane_key *k = ((const named_key *)key)->key;
    return same_cell(l->source, k->source) && same_cell(l->itid, k->itid);
}

static bool lane_is(const void *owner, uint32_t number, const void *key)
{
    const ts_lane *l = (const ts_lane *)((const ts_time_lanes *)owner)->lanes.p + number;
    const named_key *k = key;
    return l->name == k->name && l->number == k->key->number && thread_is(owner, number, key);
}

static uint64_t key_hash(const ts_index *index, const named_key *k, bool thread)
{
    ts_hash h = ts_hash_begin(&index->key);
    ts_hash_word(&h, (uint64_t)k->key->source.value);
    ts_hash_word(&h, (uint64_t)k->key->itid.value);
    ts_hash_word(&h, thread ? 0 : k->name);
    ts_hash_word(&h, thread ? 0 : (uint64_t)k->key->number);
    return ts_hash_end(&h);
}

uint32_t lane_place(const ts_time_lanes *all, const lane_key *key, uint32_t *last)
{
    named_key k = {key, TS_NO_INDEX};
    const ts_lane *before = *last < all->lanes.n ? (const ts_lane *)all->lanes.p + *last : NULL;
    if (key->name.p != NULL && before != NULL && before->name != TS_NO_INDEX &&
        ts_text_equal(ts_pool_text(&all->names, before->name), key->name)) {
        k.name = before->name;
    } else if (key->name.p != NULL && !ts_pool_find(&k.name, &all->names, key->name)) {
        return TS_NO_INDEX;
    }
    if (before != NULL && lane_is(all, *last, &k)) {
        return *last;
    }
    if (all->index.count == 0) {
        return TS_NO_INDEX;
    }
    uint32_t found = ts_index_find(&all->index, key_hash(&all->index, &k, false), lane_is, all, &k);
    *last = found == TS_NO_INDEX ? *last : found;
    return found;
}

/* Whether a lane of the same thread came before. */
static ts_code lane_again(bool *again, lanes_build *b, const named_key *k)
{
    ts_index_place place;
    TS_TRY(ts_index_reserve(b->ctx, &b->threads));
    *again = ts_index_search(&place, &b->threads, key_hash(&b->threads, k, true), thread_is, b->all,
                             k) != TS_INDEX_NONE;
    if (!*again) {
        ts_index_add(&b->threads, place, (uint32_t)b->all->lanes.n);
    }
    return TS_OK;
}

static ts_code lane_make(uint32_t *out, lanes_build *b, const lane_key *key)
{
    ts_time_lanes *all = b->all;
    named_key k = {key, TS_NO_INDEX};
    ts_index_place place;
    bool again = false;
    ts_code code;
    if ((key->name.p != NULL &&
         (code = ts_pool_intern(b->ctx, &k.name, NULL, &all->names, key->name)) != TS_OK) ||
        (code = ts_index_reserve(b->ctx, &all->index)) != TS_OK ||
        (all->kind == TS_LANE_SAMPLE && (code = lane_again(&again, b, &k)) != TS_OK)) {
        return code;
    }
    (void)ts_index_search(&place, &all->index, key_hash(&all->index, &k, false), lane_is, all, &k);
    ts_lane *l = ts_vec_add(b->ctx, &all->lanes, sizeof *l);
    TS_NEED(b->ctx, l);
    *l = (ts_lane){.source = key->source,
                   .itid = key->itid,
                   .number = key->number,
                   .name = k.name,
                   .again = again,
                   .first = INT64_MAX,
                   .last = INT64_MIN};
    *out = (uint32_t)all->lanes.n - 1;
    ts_index_add(&all->index, place, *out);
    return TS_OK;
}

/* A row with a time, into the last block. */
static ts_code block_row(lanes_build *b, ts_lane *l, const lane_row *row)
{
    bool values = ts_lane_has_values(b->all->kind);
    if (l->fill % b->block_rows == 0) {
        TS_TRY(lane_body_end(b->ctx, b->all, l));
        lane_block *add = ts_vec_add(b->ctx, &l->blocks, sizeof *add);
        TS_NEED(b->ctx, add);
        *add = (lane_block){.begin = row->ts, .end = row->end, .first = row->rowid};
        l->fill = 0;
    }
    lane_block *block = (lane_block *)l->blocks.p + l->blocks.n - 1;
    l->fill++;
    block->begin = row->ts < block->begin ? row->ts : block->begin;
    block->end = row->end > block->end ? row->end : block->end;
    block->last = row->rowid;
    block->sum.rows++;
    if (values) {
        const ts_lane_values one = lane_one_value(row);
        lane_values_add(&block->sum.values, &one);
    } else if (row->state < TS_LANE_STATES) {
        uint64_t ns = (uint64_t)row->end - (uint64_t)row->ts;
        block->sum.ns[row->state] = lane_ns_sum(block->sum.ns[row->state], ns);
        l->open_ns[row->state] =
            row->open ? lane_ns_sum(l->open_ns[row->state], ns) : l->open_ns[row->state];
    }
    if (!row->open && row->end > row->ts) {
        int64_t ns = lane_ns_sum(0, (uint64_t)row->end - (uint64_t)row->ts);
        l->longest = ns > l->longest ? ns : l->longest;
    }
    l->first = row->ts < l->first ? row->ts : l->first;
    l->last = row->end > l->last ? row->end : l->last;
    return lane_body_row(b->ctx, b->all, l, row);
}

static ts_code build_row(void *user, const lane_key *key, const lane_row *row)
{
    lanes_build *b = user;
    uint32_t lane = lane_place(b->all, key, &b->lane);
    if (lane == TS_NO_INDEX) {
        TS_TRY(lane_make(&lane, b, key));
        b->lane = lane;
    }
    ts_lane *l = (ts_lane *)b->all->lanes.p + lane;
    l->rows++;
    l->open += row->open ? 1 : 0;
    l->dur_rows += row->dur.null ? 0 : 1;
    l->dur += row->dur.null ? 0 : row->dur.value;
    l->cpu_rows += row->cpu.null ? 0 : 1;
    l->cpu += row->cpu.null ? 0 : row->cpu.value;
    return row->ts == TS_NO_TIME ? TS_OK : block_row(b, l, row);
}

/* Adds the levels above the lowest, and gives back what is not needed. */
static ts_code lane_finish(ts_ctx *ctx, ts_lane *l, bool values)
{
    size_t begin = 0;
    size_t end = l->blocks.n;
    l->levels[0] = 0;
    l->level_count = end == 0 ? 0 : 1;
    l->levels[1] = end;
    while (end - begin > 1) {
        for (size_t i = begin; i < end; i += LANE_BLOCK_FAN) {
            lane_block *add = ts_vec_add(ctx, &l->blocks, sizeof *add);
            TS_NEED(ctx, add);
            const lane_block *all = l->blocks.p;
            *add = all[i];
            for (size_t k = i + 1; k < end && k < i + LANE_BLOCK_FAN; k++) {
                add->begin = all[k].begin < add->begin ? all[k].begin : add->begin;
                add->end = all[k].end > add->end ? all[k].end : add->end;
                add->last = all[k].last;
                ts_lane_sum_add(&add->sum, &all[k].sum, values);
            }
        }
        begin = end;
        end = l->blocks.n;
        l->levels[++l->level_count] = end;
    }
    if (end > 0 && end < l->blocks.cap) {
        void *less = ts_realloc(ctx, l->blocks.p, end, sizeof(lane_block));
        TS_NEED(ctx, less);
        l->blocks.p = less;
        l->blocks.cap = end;
    }
    return TS_OK;
}

ts_code lane_reader_make(lane_reader *r, ts_model *m, ts_lane_kind kind, int64_t end)
{
    *r = (lane_reader){.ctx = ts_model_ctx(m), .kind = kind, .end = end};
    if (kind == TS_LANE_SAMPLE) {
        TS_TRY(ts_call_paths(&r->paths, m));
        return ts_events_get(&r->events, m);
    }
    return kind == TS_LANE_PROCESS_CPU ? ts_threads_get(&r->threads, m) : TS_OK;
}

/* All rows, for lanes and for the sums of paths, which need not read them again. */
static ts_code build_scan(lane_reader *r, ts_model *m, const lane_table *t)
{
    const ts_rows_from *from = ts_model_rows(m);
    uint64_t total = ts_rows_count(from, ts_schema[t->table].name);
    uint64_t done = 0;
    const char *what = r->kind == TS_LANE_SAMPLE ? "reading samples"
                       : r->kind == TS_LANE_CALL ? "reading calls"
                                                 : "reading the timeline";
    const ts_batch *b;
    ts_rows *rows = NULL;
    ts_sums_pass *sums = NULL;
    ts_code code = ts_rows_open(&rows, from, t->table, t->columns, t->count);
    TS_STEP_IF(code, (lane_is_stacks(r->kind)),
               ts_path_sums_pass(&sums, m, r->kind == TS_LANE_CALL));
    ts_model_report(m, what, 0, total);
    while (code == TS_OK && (code = ts_rows_next(&b, rows)) == TS_OK && b->rows > 0) {
        code = sums == NULL ? TS_OK : ts_path_sums_batch(sums, b);
        for (unsigned i = 0; code == TS_OK && i < b->rows; i++) {
            code = t->row(r, b, i);
        }
        if (done / LANE_REPORT != (done + b->rows) / LANE_REPORT) {
            ts_model_report(m, what, done, total);
        }
        done += b->rows;
    }
    ts_rows_close(rows);
    return ts_path_sums_kept(sums, m, code);
}

static void lanes_free(ts_ctx *ctx, void *what)
{
    ts_time_lanes *all = what;
    ts_lane *lanes = all->lanes.p;
    for (size_t i = 0; i < all->lanes.n; i++) {
        ts_vec_free(ctx, &lanes[i].blocks);
        ts_vec_free(ctx, &lanes[i].staged);
    }
    ts_vec_free(ctx, &all->bodies);
    ts_vec_free(ctx, &all->lanes);
    ts_index_free(ctx, &all->index);
    ts_pool_free(ctx, &all->names);
    ts_free(ctx, all);
}

/* Gives back what is not needed. */
static ts_code bodies_finish(ts_ctx *ctx, ts_vec *bodies)
{
    if (bodies->n < bodies->cap) {
        void *less = ts_realloc(ctx, bodies->p, bodies->n, 1);
        TS_NEED(ctx, less);
        bodies->p = less;
        bodies->cap = bodies->n;
    }
    return TS_OK;
}

static ts_code lanes_make(void **what, ts_model *m, const void *user)
{
    ts_ctx *ctx = ts_model_ctx(m);
    ts_time_lanes *all = ts_zalloc(ctx, 1, sizeof *all);
    lane_reader r;
    *what = all;
    TS_NEED(ctx, all);
    all->kind = *(const ts_lane_kind *)user;
    all->kept = lane_is_kept(all->kind);
    const lane_table *t = lane_table_of(all->kind);
    if (!lane_is_stacks(all->kind) &&
        !ts_rows_there(ts_model_rows(m), t->table, t->columns, t->count)) {
        return TS_OK;
    }
    lanes_build b = {.ctx = ctx,
                     .all = all,
                     .block_rows = lane_is_stacks(all->kind) ? LANE_MANY_ROWS : LANE_BLOCK_ROWS};
    ts_span range = {0, INT64_MIN};
    ts_code code = ts_whole_range(&range, m);
    all->end = range.to;
    if (code == TS_OK && (code = lane_reader_make(&r, m, all->kind, all->end)) == TS_OK) {
        r.visit = build_row;
        r.user = &b;
        code = build_scan(&r, m, t);
    }
    ts_lane *lanes = all->lanes.p;
    for (size_t i = 0; code == TS_OK && i < all->lanes.n; i++) {
        code = lane_body_end(ctx, all, &lanes[i]);
        ts_vec_free(ctx, &lanes[i].staged);
        TS_STEP(code, lane_finish(ctx, &lanes[i], ts_lane_has_values(all->kind)));
    }
    TS_STEP(code, bodies_finish(ctx, &all->bodies));
    ts_index_free(ctx, &b.threads);
    return code;
}

ts_code ts_time_lanes_get(const ts_time_lanes **out, ts_model *m, ts_lane_kind kind)
{
    void *what;
    ts_code code =
        ts_model_keep(&what, m, "lanes", lane_table_of(kind)->name, lanes_make, lanes_free, &kind);
    *out = what;
    return code;
}

const char *ts_lane_kind_name(ts_lane_kind kind)
{
    return lane_table_of(kind)->name;
}

const char *ts_lane_state_name(ts_lane_kind kind, unsigned state)
{
    return state < TS_LANE_STATES ? lane_table_of(kind)->states[state] : NULL;
}

const ts_column *ts_lane_column(const ts_time_lanes *lanes, const ts_lane *lane)
{
    const lane_table *t = lane_table_of(lanes->kind);
    return &ts_schema[t->table].columns[t->columns[lane->number]];
}
