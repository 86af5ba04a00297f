/*
 * Methods and call paths. Rows are written at once; what is kept per source to find them again is
 * an entry of 24 bytes a method, with its place in a ts_index at most 46 bytes, and of call paths
 * what store_nodes.h says.
 */
#include "tables/store_impl.h"
#include "tables/store_nodes.h"

#include "base/alloc.h"

/*
 * A method's key, a hash of 128 bits of all its fields (that two of a billion methods agree by
 * chance has the probability 10^-21), and the row's id.
 */
typedef struct stack_entry {
    uint64_t a;
    uint64_t b;
    uint32_t id;
} stack_entry;

struct ts_stack_state {
    int64_t source_id;
    ts_stable_array methods; /* stack_entry */
    ts_index method_index;
    ts_node_index nodes;
};

/* --- states -------------------------------------------------------------------------------- */

static void state_free(ts_ctx *ctx, ts_stack_state *state)
{
    ts_stable_array_free(ctx, &state->methods);
    ts_index_free(ctx, &state->method_index);
    ts_node_index_free(ctx, &state->nodes);
    ts_free(ctx, state);
}

/* The state of a source, made when new. The one that was used last is at the end. */
static ts_code stack_state_of(ts_stack_state **out, ts_store *store, int64_t source_id)
{
    ts_stack_state **all = store->stacks.p;
    ts_stack_state *state;
    for (size_t i = store->stacks.n; i > 0; i--) {
        state = all[i - 1];
        if (state->source_id == source_id) {
            all[i - 1] = all[store->stacks.n - 1];
            all[store->stacks.n - 1] = state;
            *out = state;
            return TS_OK;
        }
    }
    TS_TRY(ts_vec_reserve(store->ctx, &store->stacks, 1, sizeof *all));
    TS_NEED(store->ctx, state = ts_zalloc(store->ctx, 1, sizeof *state));
    state->source_id = source_id;
    state->methods.size = sizeof(stack_entry);
    ((ts_stack_state **)store->stacks.p)[store->stacks.n++] = state;
    *out = state;
    return TS_OK;
}

void ts_stack_release(ts_store *store, int64_t source_id)
{
    ts_stack_state **all = store->stacks.p;
    for (size_t i = 0; i < store->stacks.n; i++) {
        if (all[i]->source_id == source_id) {
            state_free(store->ctx, all[i]);
            all[i] = all[--store->stacks.n];
            return;
        }
    }
}

void ts_store_free_stacks(ts_store *store)
{
    for (size_t i = 0; i < store->stacks.n; i++) {
        state_free(store->ctx, ((ts_stack_state **)store->stacks.p)[i]);
    }
    ts_vec_free(store->ctx, &store->stacks);
}

/* --- methods ------------------------------------------------------------------------------- */

typedef struct method_key {
    uint64_t a;
    uint64_t b;
} method_key;

/* Length first, so that texts cannot run into each other; NULL differs from empty. */
static void stack_hash_text(ts_hash *h, ts_text t)
{
    ts_hash_word(h, t.p == NULL ? UINT64_MAX : (uint64_t)t.n);
    ts_hash_bytes(h, t.p, t.p == NULL ? 0 : t.n);
}

static method_key hash_method(const ts_ctx *ctx, const ts_method *m)
{
    ts_hash h = ts_hash_begin(&ctx->hash_key);
    ts_hash_word(&h, (uint64_t)m->has_raw_id << 1 | (uint64_t)m->has_line);
    ts_hash_word(&h, m->has_raw_id ? (uint64_t)m->raw_id : 0);
    ts_hash_word(&h, m->has_line ? (uint64_t)m->line : 0);
    stack_hash_text(&h, m->name);
    stack_hash_text(&h, m->cls);
    stack_hash_text(&h, m->package);
    stack_hash_text(&h, m->signature);
    stack_hash_text(&h, m->file);
    stack_hash_text(&h, m->library);
    stack_hash_text(&h, m->modifiers);
    method_key key;
    key.a = ts_hash_end(&h);
    key.b = ts_hash_more(&h);
    return key;
}

static ts_code next_id(uint32_t *id, ts_store *store, enum ts_table_id table)
{
    uint64_t rows = ts_sink_rows(store->sink, table);
    if (rows >= UINT32_MAX) {
        return ts_fail(store->ctx, TS_ERR_LIMIT, "more than %u rows in %s", UINT32_MAX,
                       ts_schema[table].name);
    }
    *id = (uint32_t)rows + 1;
    return TS_OK;
}

static ts_code stack_put_method(ts_store *store, int64_t id, int64_t source_id, const ts_method *m)
{
    ts_row_stack_method row = {0};
    row.id = id;
    row.source_id = source_id;
    row.raw_id = m->raw_id;
    row.name = m->name;
    row.class = m->cls;
    row.package = m->package;
    row.signature = m->signature;
    row.file = m->file;
    row.line = m->line;
    row.library = m->library;
    row.modifiers = m->modifiers;
    if (!m->has_raw_id) {
        TS_SET_NULL(stack_method, &row, raw_id);
    }
    if (!m->has_line) {
        TS_SET_NULL(stack_method, &row, line);
    }
    return ts_store_put(store, TS_T_stack_method, &row);
}

static bool is_method(const void *owner, uint32_t number, const void *key)
{
    const stack_entry *e = ts_stable_array_at(owner, number);
    const method_key *wanted = key;
    return e->a == wanted->a && e->b == wanted->b;
}

ts_code ts_stack_method(int64_t *id, ts_store *store, int64_t source_id, const ts_method *method)
{
    method_key h = hash_method(store->ctx, method);
    ts_stack_state *state;
    ts_index_place place;
    stack_entry *entry;
    uint32_t found;
    uint32_t new_id = 0;
    ts_code code;
    TS_TRY_INTO(code, stack_state_of(&state, store, source_id));
    TS_TRY_INTO(code, ts_index_reserve(store->ctx, &state->method_index));
    found = ts_index_search(&place, &state->method_index, h.a, is_method, &state->methods, &h);
    if (found != TS_INDEX_NONE) {
        entry = ts_stable_array_at(&state->methods, found);
        *id = entry->id;
        return TS_OK;
    }
    TS_NEED(store->ctx, entry = ts_stable_array_add(store->ctx, &state->methods));
    if ((code = next_id(&new_id, store, TS_T_stack_method)) != TS_OK ||
        (code = stack_put_method(store, new_id, source_id, method)) != TS_OK) {
        ts_stable_array_drop(&state->methods);
        return code;
    }
    *entry = (stack_entry){h.a, h.b, new_id};
    ts_index_add(&state->method_index, place, (uint32_t)state->methods.n - 1);
    *id = new_id;
    return TS_OK;
}

ts_code ts_stack_method_new(int64_t *id, ts_store *store, int64_t source_id,
                            const ts_method *method)
{
    uint32_t new_id = 0;
    TS_TRY(next_id(&new_id, store, TS_T_stack_method));
    *id = new_id;
    return stack_put_method(store, new_id, source_id, method);
}

ts_code ts_stack_method_name(ts_store *store, int64_t id, ts_text cls, ts_text name)
{
    ts_code code = TS_OK;
    if (cls.p != NULL) {
        code = ts_sink_late_text(store->sink, TS_T_stack_method, id, TS_C_stack_method__class, cls);
    }
    return code != TS_OK || name.p == NULL ? code
                                           : ts_sink_late_text(store->sink, TS_T_stack_method, id,
                                                               TS_C_stack_method__name, name);
}

/* --- nodes --------------------------------------------------------------------------------- */

static ts_code put_node(uint32_t *id, ts_store *store, ts_row_stack_node *row)
{
    ts_code code = next_id(id, store, TS_T_stack_node);
    row->id = *id;
    row->null |= (row->parent_id == 0 ? TS_NULL_BIT(stack_node, parent_id) : 0) |
                 (row->method_id == 0 ? TS_NULL_BIT(stack_node, method_id) : 0) |
                 (row->line == TS_NO_LINE ? TS_NULL_BIT(stack_node, line) : 0);
    TS_STEP(code, ts_sink_put(store->sink, TS_T_stack_node, row));
    return code;
}

ts_code ts_stack_node_new(uint32_t *id, ts_store *store, int64_t source_id, int64_t parent_id,
                          int64_t method_id, int64_t line, int64_t depth)
{
    ts_row_stack_node row = {
        .null = TS_NULL_BIT(stack_node, raw_id),
        .source_id = source_id,
        .parent_id = parent_id,
        .method_id = method_id,
        .line = line,
        .depth = depth,
    };
    return put_node(id, store, &row);
}

ts_code ts_stack_node(int64_t *id, bool *added, ts_store *store, int64_t source_id,
                      int64_t parent_id, int64_t method_id, int64_t line, int64_t depth,
                      const int64_t *raw_id)
{
    ts_row_stack_node row = {
        .null = raw_id == NULL ? TS_NULL_BIT(stack_node, raw_id) : 0,
        .source_id = source_id,
        .parent_id = parent_id,
        .method_id = method_id,
        .line = line,
        .depth = depth,
        .raw_id = raw_id == NULL ? 0 : *raw_id,
    };
    ts_node_key key = {(uint32_t)parent_id, (uint32_t)method_id};
    ts_node_place place = {0, 0};
    ts_stack_state *state = NULL;
    uint32_t found;
    uint32_t new_id = 0;
    ts_code code;
    TS_TRY_INTO(code, stack_state_of(&state, store, source_id));
    TS_TRY_INTO(code, ts_node_reserve(store->ctx, &state->nodes));
    found = ts_node_find(&state->nodes, &place, key, line);
    if (added != NULL) {
        *added = found == 0;
    }
    if (found != 0) {
        *id = found;
        return TS_OK;
    }
    if (line != TS_NO_LINE && (code = ts_node_line_reserve(store->ctx, &state->nodes)) != TS_OK) {
        return code;
    }
    code = put_node(&new_id, store, &row);
    if (code == TS_OK) {
        ts_node_add(&state->nodes, place, key, line, new_id);
        *id = new_id;
    }
    return code;
}

void ts_stack_node_fetch(const ts_store *store, int64_t source_id, int64_t parent_id,
                         int64_t method_id, int64_t line)
{
    /* Only for the source that was used last; others do without. */
    ts_stack_state *const *all = store->stacks.p;
    const ts_stack_state *state = store->stacks.n == 0 ? NULL : all[store->stacks.n - 1];
    if (state != NULL && state->source_id == source_id) {
        ts_node_fetch(&state->nodes, (ts_node_key){(uint32_t)parent_id, (uint32_t)method_id}, line);
    }
}
