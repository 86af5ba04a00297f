/* The distinct stacks of a recording. */
#include "parsers/jfr/known_stacks.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "tables/rows.h"

enum { FIRST_SLOTS = 256, AHEAD = 8 };
#define MAX_SLOTS (UINT32_C(1) << 31)

/* --- stacks by their frames ----------------------------------------------------------------- */

typedef struct stack_key {
    uint64_t a, b;
} stack_key;

/* Two words a frame; one more where the line needs it, which the first one says. */
static stack_key hash_stack(const ts_hash_key *key, const jfr_frame *frames, size_t n,
                            bool truncated)
{
    ts_hash h = ts_hash_begin(key);
    stack_key out;
    ts_hash_word(&h, (uint64_t)n << 1 | (truncated ? 1 : 0));
    for (size_t i = 0; i < n; i++) {
        const jfr_frame *f = &frames[i];
        uint64_t line = f->line == TS_NO_LINE ? 0 : (uint64_t)f->line;
        bool small = line < UINT32_MAX;
        ts_hash_word(&h, (uint64_t)f->method << 32 | (small ? line : UINT32_MAX));
        if (!small) {
            ts_hash_word(&h, line);
        }
        ts_hash_word(&h, (uint64_t)(uint32_t)f->bytecode << 32 | (uint8_t)f->type);
    }
    out.a = ts_hash_end(&h);
    out.b = ts_hash_more(&h);
    return out;
}

/* The slot that has the stack or where it belongs. */
static uint32_t slot_of(const jfr_stacks *stacks, stack_key key)
{
    uint32_t mask = stacks->slot_count - 1;
    uint32_t slot = (uint32_t)key.a & mask;
    while (stacks->slots[slot] != 0) {
        const jfr_stack *s = jfr_stack_at(stacks, stacks->slots[slot]);
        if (s->a == key.a && s->b == key.b) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

static ts_code more_slots(ts_ctx *ctx, jfr_stacks *stacks)
{
    uint32_t count = stacks->slot_count == 0 ? FIRST_SLOTS : stacks->slot_count * 2;
    uint32_t *slots;
    if (stacks->slot_count >= MAX_SLOTS) {
        return ts_fail(ctx, TS_ERR_LIMIT, "more than %u stacks", MAX_SLOTS / 4 * 3);
    }
    slots = ts_zalloc(ctx, count, sizeof *slots);
    if (slots == NULL) {
        return ctx->error.code;
    }
    ts_free(ctx, stacks->slots);
    stacks->slots = slots;
    stacks->slot_count = count;
    for (uint32_t i = 1; i <= stacks->known.n; i++) {
        const jfr_stack *s = jfr_stack_at(stacks, i);
        slots[slot_of(stacks, (stack_key){s->a, s->b})] = i;
    }
    return TS_OK;
}

/* --- call paths ----------------------------------------------------------------------------- */

/* The path of the stack that is being added, its outermost frame last in `frames`. */
typedef struct walk {
    jfr_stacks *stacks;
    ts_ctx *ctx;
    ts_store *store;
    int64_t source_id;
    const jfr_frame *frames;
    size_t n;
    size_t depth; /* of the next frame */
    uint32_t node;
} walk;

static const jfr_frame *next_frame(const walk *w)
{
    return &w->frames[w->n - 1 - w->depth];
}

static ts_code keep_last(walk *w)
{
    const jfr_frame *f = next_frame(w);
    jfr_last_path *last = ts_vec_add(w->ctx, &w->stacks->last, sizeof *last);
    if (last == NULL) {
        return w->ctx->error.code;
    }
    *last = (jfr_last_path){f->method, w->node, f->line};
    return TS_OK;
}

/* Stacks that follow each other mostly begin alike. */
static void walk_last(walk *w)
{
    const jfr_last_path *last = w->stacks->last.p;
    size_t n = w->stacks->last.n;
    for (; w->depth < w->n && w->depth < n; w->depth++) {
        const jfr_frame *f = next_frame(w);
        if (last[w->depth].method != f->method || last[w->depth].line != f->line) {
            break;
        }
        w->node = last[w->depth].node;
    }
    w->stacks->last.n = w->depth;
}

/* A path that is there, or *found 0 and where it belongs. */
static ts_code find_path(uint32_t *found, ts_node_place *place, const walk *w)
{
    const jfr_frame *f = next_frame(w);
    ts_code code = ts_node_reserve(w->ctx, &w->stacks->nodes);
    if (code == TS_OK) {
        *found = ts_node_find(&w->stacks->nodes, place, (ts_node_key){w->node, f->method}, f->line);
    }
    return code;
}

static ts_code add_path(walk *w, ts_node_place place)
{
    const jfr_frame *f = next_frame(w);
    ts_node_key key = {w->node, f->method};
    ts_code code = TS_OK;
    if (f->line != TS_NO_LINE) {
        code = ts_node_line_reserve(w->ctx, &w->stacks->nodes);
    }
    if (code == TS_OK) {
        code = ts_stack_node_new(&w->node, w->store, w->source_id, key.parent, f->method, f->line,
                                 (int64_t)w->depth);
    }
    if (code == TS_OK) {
        ts_node_add(&w->stacks->nodes, place, key, f->line, w->node);
    }
    return code;
}

/* Below a path that is new all are new, and have the ids that follow: their places come from
 * memory a few frames ahead. */
static void fetch_path(const walk *w, size_t ahead, uint32_t id)
{
    if (w->depth + ahead < w->n) {
        const jfr_frame *f = &w->frames[w->n - 1 - w->depth - ahead];
        ts_node_fetch(&w->stacks->nodes, (ts_node_key){id + (uint32_t)ahead - 1, f->method},
                      f->line);
    }
}

static ts_code walk_path(walk *w)
{
    bool all_new = false;
    ts_code code = TS_OK;
    walk_last(w);
    for (; w->depth < w->n && code == TS_OK; w->depth++) {
        ts_node_place place;
        uint32_t found = 0;
        if ((code = find_path(&found, &place, w)) != TS_OK) {
            break;
        }
        if (found != 0) {
            w->node = found;
        } else {
            uint32_t id = (uint32_t)ts_sink_rows(ts_store_sink(w->store), TS_T_stack_node) + 1;
            for (size_t ahead = all_new ? AHEAD : 1; ahead <= AHEAD; ahead++) {
                fetch_path(w, ahead, id);
            }
            all_new = true;
            code = add_path(w, place);
        }
        if (code == TS_OK) {
            code = keep_last(w);
        }
    }
    return code;
}

/* --- rows ----------------------------------------------------------------------------------- */

static ts_code put_texts(ts_row_jfr_stack *row, ts_ctx *ctx, jfr_stacks *stacks,
                         const jfr_frame *frames, size_t n)
{
    bool types = false;
    bool codes = false;
    ts_code code;
    stacks->types.n = 0;
    stacks->codes.n = 0;
    if ((code = ts_buf_reserve(ctx, &stacks->types, n)) != TS_OK) {
        return code;
    }
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        stacks->types.p[stacks->types.n++] = frames[i].type;
        types = types || frames[i].type != JFR_NO_TYPE;
        codes = codes || frames[i].bytecode >= 0;
    }
    for (size_t i = 0; i < n && code == TS_OK && codes; i++) {
        if (i > 0) {
            code = ts_buf_putc(ctx, &stacks->codes, ',');
        }
        if (code == TS_OK && frames[i].bytecode >= 0) {
            code = ts_buf_decimal(ctx, &stacks->codes, frames[i].bytecode);
        }
    }
    row->frame_types = types ? ts_buf_text(&stacks->types) : TS_TEXT_NULL;
    row->bytecode_indexes = codes ? ts_buf_text(&stacks->codes) : TS_TEXT_NULL;
    return code;
}

static ts_code put_stack(jfr_stacks *stacks, ts_ctx *ctx, ts_store *store, int64_t source_id,
                         const jfr_frame *frames, size_t n, const jfr_stack *stack)
{
    ts_sink *sink = ts_store_sink(store);
    ts_row_jfr_stack row = {
        .id = (int64_t)ts_sink_rows(sink, TS_T_jfr_stack) + 1,
        .source_id = source_id,
        .node_id = stack->node,
        .truncated = stack->truncated,
        .null = stack->node == 0 ? TS_NULL_BIT(jfr_stack, node_id) : 0,
    };
    ts_code code = put_texts(&row, ctx, stacks, frames, n);
    return code == TS_OK ? ts_put_jfr_stack(sink, &row) : code;
}

ts_code jfr_stack_number(uint32_t *number, jfr_stacks *stacks, ts_ctx *ctx, ts_store *store,
                         int64_t source_id, const jfr_frame *frames, size_t n, bool truncated)
{
    stack_key key = hash_stack(&ctx->hash_key, frames, n, truncated);
    walk w = {.stacks = stacks,
              .ctx = ctx,
              .store = store,
              .source_id = source_id,
              .frames = frames,
              .n = n};
    jfr_stack *stack;
    uint32_t slot;
    ts_code code = TS_OK;
    if (stacks->known.n >= (size_t)stacks->slot_count / 4 * 3 &&
        (code = more_slots(ctx, stacks)) != TS_OK) {
        return code;
    }
    slot = slot_of(stacks, key);
    *number = stacks->slots[slot];
    if (*number != 0 || (code = walk_path(&w)) != TS_OK) {
        return code;
    }
    stack = ts_vec_add(ctx, &stacks->known, sizeof *stack);
    if (stack == NULL) {
        return ctx->error.code;
    }
    *stack = (jfr_stack){key.a, key.b, w.node, truncated};
    *number = (uint32_t)stacks->known.n;
    stacks->slots[slot] = *number;
    return put_stack(stacks, ctx, store, source_id, frames, n, stack);
}

void jfr_stacks_free(ts_ctx *ctx, jfr_stacks *stacks)
{
    ts_vec_free(ctx, &stacks->known);
    ts_vec_free(ctx, &stacks->last);
    ts_free(ctx, stacks->slots);
    ts_node_index_free(ctx, &stacks->nodes);
    ts_buf_free(ctx, &stacks->types);
    ts_buf_free(ctx, &stacks->codes);
}
