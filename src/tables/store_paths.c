#include "tables/store_paths.h"

#include "tables/store_impl.h"

#include "base/alloc.h"
#include "base/ckd.h"

enum { FIRST_SLOTS = 256, MANY_SLOTS = 1 << 16, FIRST_WORDS = 1 << 10, AHEAD = 16, RUN_HEAD = 2 };
#define HEAD (UINT32_C(1) << 31)
#define MOST_WORDS HEAD
#define MAX_SLOTS HEAD

/* --- frames --------------------------------------------------------------------------------- */

ts_code ts_paths_frame(uint32_t *number, ts_ctx *ctx, ts_path_store *paths, int64_t method,
                       int64_t line)
{
    ts_node_key key = {0, method > 0 ? (uint32_t)method : 0};
    ts_node_place place = {0, 0};
    ts_path_frame *frame;
    ts_code code = ts_node_reserve(ctx, &paths->index);
    line = line > 0 ? line : TS_NO_LINE;
    if (code != TS_OK) {
        return code;
    }
    *number = ts_node_find(&paths->index, &place, key, line);
    if (*number != 0) {
        return TS_OK;
    }
    if (line != TS_NO_LINE && (code = ts_node_line_reserve(ctx, &paths->index)) != TS_OK) {
        return code;
    }
    TS_NEED(ctx, frame = ts_vec_add(ctx, &paths->frames, sizeof *frame));
    *frame = (ts_path_frame){key.method, line};
    *number = (uint32_t)paths->frames.n;
    ts_node_add(&paths->index, place, key, line, *number);
    return TS_OK;
}

ts_code ts_paths_frame_new(uint32_t *number, ts_ctx *ctx, ts_path_store *paths, int64_t method)
{
    ts_path_frame *frame;
    TS_TRY(ts_node_reserve(ctx, &paths->index)); /* runs are hashed by what it has */
    TS_NEED(ctx, frame = ts_vec_add(ctx, &paths->frames, sizeof *frame));
    *frame = (ts_path_frame){(uint32_t)method, TS_NO_LINE};
    *number = (uint32_t)paths->frames.n;
    return TS_OK;
}

/* --- slots ---------------------------------------------------------------------------------- */

/* By the random numbers that the frames have, too. */
static uint32_t paths_hash(const ts_path_store *p, uint32_t caller, uint32_t frame)
{
    return ts_node_hash(&p->index, (ts_node_key){caller, frame}, TS_NO_LINE);
}

/* The first run with the tag of this hash from *slot on, where it is then, or 0. */
static inline uint32_t paths_tagged(const ts_path_store *p, uint32_t *slot, uint32_t hash)
{
    const ts_tag_slots *s = &p->slots;
    uint32_t tag = ts_tag_of(s, hash);
    uint32_t found;
    while ((found = s->slots[*slot]) != 0) {
        if ((found & ~s->mask) == tag) {
            return found & s->mask;
        }
        *slot = ts_tag_next(s, *slot);
    }
    return 0;
}

/* The run after this one, or the end. */
static uint32_t run_after(const ts_path_store *p, uint32_t run)
{
    const uint32_t *words = p->words.p;
    uint32_t n = (uint32_t)p->words.n;
    for (run += RUN_HEAD; run < n && words[run] < HEAD; run++) {
    }
    return run;
}

/* The hashes of a few runs first, so that their slots come from memory at the same time. */
static void fill_slots(ts_path_store *p)
{
    const uint32_t *words = p->words.p;
    uint32_t hashes[AHEAD];
    uint32_t runs[AHEAD];
    uint32_t at = 1;
    for (uint32_t left = p->run_count; left > 0;) {
        uint32_t n = left < AHEAD ? left : AHEAD;
        for (uint32_t i = 0; i < n; i++) {
            runs[i] = at;
            hashes[i] = paths_hash(p, words[at] - HEAD, words[at + RUN_HEAD]);
            __builtin_prefetch(&p->slots.slots[ts_tag_home(&p->slots, hashes[i])], 1);
            at = run_after(p, at);
        }
        for (uint32_t i = 0; i < n; i++) {
            ts_tag_put(&p->slots, hashes[i], runs[i]);
        }
        left -= n;
    }
}

/* Slots for one run more, whose place and whose frames' are not above `last`. */
static ts_code grow_slots(ts_ctx *ctx, ts_path_store *p, size_t last)
{
    uint32_t old = p->slots.count;
    uint32_t count = p->run_count < p->run_limit ? old
                     : old == 0                  ? FIRST_SLOTS
                     : old < MANY_SLOTS          ? 2 * old
                                                 : old + old / 2;
    if (last >= MOST_WORDS || count > MAX_SLOTS) {
        return ts_fail(ctx, TS_ERR_LIMIT, "more than %u call paths", p->run_count);
    }
    p->run_limit = 0;
    TS_TRY(ts_tag_renew(ctx, &p->slots, count, (uint32_t)last | (FIRST_WORDS - 1)));
    p->run_limit = count / 3 * 2;
    fill_slots(p);
    return TS_OK;
}

/* Room for a run of n frames. */
static ts_code reserve_run(ts_ctx *ctx, ts_path_store *p, size_t n)
{
    bool first = p->words.n == 0;
    size_t last;
    if (ts_ckd_add(&n, n, (size_t)RUN_HEAD + 1) || ts_ckd_add(&last, p->words.n, n)) {
        return ts_fail(ctx, TS_ERR_LIMIT, "a stack of %zu frames", n);
    }
    TS_TRY(ts_vec_reserve(ctx, &p->words, first && n < FIRST_WORDS ? FIRST_WORDS : n,
                          sizeof(uint32_t)));
    if (first) {
        ((uint32_t *)p->words.p)[p->words.n++] = 0;
    }
    return p->run_count < p->run_limit && last <= p->slots.mask ? TS_OK : grow_slots(ctx, p, last);
}

/* --- known paths ---------------------------------------------------------------------------- */

/* Along the run, as far as it goes the same way. */
static inline void follow(const ts_path_store *p, ts_path_walk *w)
{
    const uint32_t *words = p->words.p;
    uint32_t end = (uint32_t)p->words.n;
    while (w->level < w->n && w->place + 1 < end && words[w->place + 1] == w->frames[w->level]) {
        w->place++;
        w->level++;
    }
}

/* Is what was found the run that begins here? Then into it; else from the next slot on. */
static inline bool enter(const ts_path_store *p, ts_path_walk *w)
{
    const uint32_t *words = p->words.p;
    while (w->found != 0) {
        const uint32_t *run = words + w->found;
        if (run[0] == (w->place | HEAD) && run[RUN_HEAD] == w->frames[w->level]) {
            w->run = w->found;
            w->place = w->found + RUN_HEAD;
            w->level++;
            follow(p, w);
            return true;
        }
        w->slot = ts_tag_next(&p->slots, w->slot);
        w->found = paths_tagged(p, &w->slot, w->hash);
    }
    return false;
}

static inline void aim(const ts_path_store *p, ts_path_walk *w)
{
    w->hash = paths_hash(p, w->place, w->frames[w->level]);
    w->slot = ts_tag_home(&p->slots, w->hash);
}

void ts_paths_ahead(const ts_path_store *paths, ts_path_walk **walks, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < n && paths->run_count > 0; i++) {
        if (walks[i]->level < walks[i]->n) {
            aim(paths, walks[i]);
            walks[count++] = walks[i];
        }
    }
    while (count > 0) {
        size_t kept = 0;
        for (size_t i = 0; i < count; i++) {
            ts_path_walk *w = walks[i];
            w->found = paths_tagged(paths, &w->slot, w->hash);
            __builtin_prefetch((const uint32_t *)paths->words.p + w->found);
        }
        for (size_t i = 0; i < count; i++) {
            ts_path_walk *w = walks[i];
            if (enter(paths, w) && w->level < w->n) {
                aim(paths, w);
                __builtin_prefetch(&paths->slots.slots[w->slot]);
                walks[kept++] = w;
            }
        }
        count = kept;
    }
}

/* --- new paths ------------------------------------------------------------------------------ */

ts_code ts_paths_flush(ts_path_store *paths, ts_store *store)
{
    ts_code code = TS_OK;
    if (paths->row_n > 0) {
        code = ts_sink_put_many(store->sink, TS_T_stack_node, paths->rows, sizeof paths->rows[0],
                                paths->row_n);
        paths->row_n = 0;
    }
    return code;
}

/* The rows of frames[0..n), of which the first has this id and depth; there is room for them. */
static void add_rows(ts_path_store *p, int64_t source_id, uint32_t id, uint32_t caller,
                     const uint32_t *frames, size_t n, size_t depth)
{
    const ts_path_frame *all = p->frames.p;
    ts_row_stack_node *row = p->rows + p->row_n;
    for (size_t i = 0; i < n; i++, row++) {
        const ts_path_frame *f = all + frames[i] - 1;
        *row = (ts_row_stack_node){
            .null = TS_NULL_BIT(stack_node, raw_id) |
                    (f->method == 0 ? TS_NULL_BIT(stack_node, method_id) : 0) |
                    (f->line == TS_NO_LINE ? TS_NULL_BIT(stack_node, line) : 0),
            .id = (int64_t)id + (int64_t)i,
            .source_id = source_id,
            .parent_id = (int64_t)id + (int64_t)i - 1,
            .method_id = f->method,
            .line = f->line,
            .depth = (int64_t)(depth + i),
        };
    }
    row = p->rows + p->row_n;
    row->parent_id = caller;
    row->null |= caller == 0 ? TS_NULL_BIT(stack_node, parent_id) : 0;
    p->row_n += (unsigned)n;
}

/* All frames from the level of the walk on, for which there is room. */
static ts_code add_run(ts_path_walk *w, ts_path_store *p, ts_store *store, int64_t source_id)
{
    uint64_t row = ts_sink_rows(store->sink, TS_T_stack_node) + p->row_n + 1;
    uint32_t *words = p->words.p;
    uint32_t caller = ts_paths_row(p, w);
    uint32_t run = (uint32_t)p->words.n;
    const size_t n = w->n - w->level;
    ts_code code = TS_OK;
    if (row + n > UINT32_MAX) {
        return ts_fail(store->ctx, TS_ERR_LIMIT, "more than %u rows in %s", UINT32_MAX,
                       ts_schema[TS_T_stack_node].name);
    }
    words[run] = w->place | HEAD;
    words[run + 1] = (uint32_t)row;
    memcpy(words + run + RUN_HEAD, w->frames + w->level, n * sizeof *words);
    p->words.n += RUN_HEAD + n;
    ts_tag_put(&p->slots, paths_hash(p, w->place, w->frames[w->level]), run);
    p->run_count++;
    w->run = run;
    w->place = (uint32_t)p->words.n - 1;
    while (w->level < w->n && code == TS_OK) {
        size_t some = TS_PATHS_ROWS - p->row_n;
        some = some < w->n - w->level ? some : w->n - w->level;
        add_rows(p, source_id, (uint32_t)row, caller, w->frames + w->level, some, w->level);
        w->level += some;
        row += some;
        caller = (uint32_t)row - 1;
        code = p->row_n == TS_PATHS_ROWS ? ts_paths_flush(p, store) : TS_OK;
    }
    return code;
}

ts_code ts_paths_walk(ts_path_walk *walk, ts_path_store *paths, ts_store *store, int64_t source_id)
{
    bool known = paths->run_count > 0;
    ts_code code;
    while (known && walk->level < walk->n) {
        aim(paths, walk);
        walk->found = paths_tagged(paths, &walk->slot, walk->hash);
        known = enter(paths, walk);
    }
    if (walk->level == walk->n) {
        return TS_OK;
    }
    code = reserve_run(store->ctx, paths, walk->n - walk->level);
    TS_STEP(code, add_run(walk, paths, store, source_id));
    return code;
}

void ts_paths_free(ts_ctx *ctx, ts_path_store *paths)
{
    ts_vec_free(ctx, &paths->frames);
    ts_vec_free(ctx, &paths->words);
    ts_node_index_free(ctx, &paths->index);
    ts_free(ctx, paths->slots.slots);
    *paths = (ts_path_store){0};
}
