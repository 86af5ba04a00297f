/* The distinct stacks of a recording. */
#include "parsers/jfr/recording.h"

#include "base/hash.h"
#include "tables/rows.h"

enum { AHEAD = 8 };

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

static bool is_stack(const void *owner, uint32_t number, const void *key)
{
    const jfr_stack *s = jfr_stack_at(owner, number);
    const stack_key *wanted = key;
    return s->a == wanted->a && s->b == wanted->b;
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
    TS_NEED(w->ctx, last);
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
    ts_code code = f->line != TS_NO_LINE ? ts_node_line_reserve(w->ctx, &w->stacks->nodes) : TS_OK;
    TS_STEP(code, ts_stack_node_new(&w->node, w->store, w->source_id, key.parent, f->method,
                                    f->line, (int64_t)w->depth));
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
        TS_STEP(code, keep_last(w));
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
    TS_TRY_INTO(code, ts_buf_reserve(ctx, &stacks->types, n));
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        stacks->types.p[stacks->types.n++] = frames[i].type;
        types = types || frames[i].type != JFR_NO_TYPE;
        codes = codes || frames[i].bytecode >= 0;
    }
    for (size_t i = 0; i < n && code == TS_OK && codes; i++) {
        TS_STEP_IF(code, i > 0, ts_buf_putc(ctx, &stacks->codes, ','));
        TS_STEP_IF(code, frames[i].bytecode >= 0,
                   ts_buf_decimal(ctx, &stacks->codes, frames[i].bytecode));
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
    TS_STEP(code, ts_put_jfr_stack(sink, &row));
    return code;
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
    ts_index_place place;
    jfr_stack *stack;
    ts_code code = ts_index_reserve(ctx, &stacks->index);
    *number = 0;
    if (code != TS_OK) {
        return code;
    }
    uint32_t found = ts_index_search(&place, &stacks->index, key.a, is_stack, stacks, &key);
    if (found != TS_INDEX_NONE) {
        *number = found;
        return TS_OK;
    }
    TS_TRY_INTO(code, walk_path(&w));
    TS_NEED(ctx, stack = ts_vec_add(ctx, &stacks->known, sizeof *stack));
    *stack = (jfr_stack){key.a, key.b, w.node, truncated};
    *number = (uint32_t)stacks->known.n;
    ts_index_add(&stacks->index, place, *number);
    return put_stack(stacks, ctx, store, source_id, frames, n, stack);
}

void jfr_stacks_free(ts_ctx *ctx, jfr_stacks *stacks)
{
    ts_vec_free(ctx, &stacks->known);
    ts_vec_free(ctx, &stacks->last);
    ts_index_free(ctx, &stacks->index);
    ts_node_index_free(ctx, &stacks->nodes);
    ts_buf_free(ctx, &stacks->types);
    ts_buf_free(ctx, &stacks->codes);
}
