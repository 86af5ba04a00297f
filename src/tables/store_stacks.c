/*
 * Methods and call paths. Rows are written at once; what is kept per source to find them again is
 * an entry of 24 bytes a method and slots of 4 bytes at a load of 3/8 to 3/4, at most 35 bytes, and
 * of call paths what store_nodes.h says.
 */
#include "tables/store_impl.h"
#include "tables/store_nodes.h"

#include "base/alloc.h"

enum { ENTRY_SHIFT = 10, ENTRY_BLOCK = 1 << ENTRY_SHIFT, FIRST_SLOTS = 256 };
#define MAX_SLOTS (UINT32_C(1) << 31)

/*
 * A method's key, a hash of 128 bits of all its fields (that two of a billion methods agree by
 * chance has the probability 10^-21), and the row's id.
 */
typedef struct stack_entry {
    uint64_t a;
    uint64_t b;
    uint32_t id;
} stack_entry;

/* A hash table whose entries are never moved or removed. */
typedef struct stack_table {
    stack_entry **blocks;
    size_t block_count;
    size_t block_cap;
    uint32_t *slots; /* number of the entry + 1; 0 is empty */
    uint32_t slot_count;
    uint32_t count;
    ts_hash_key key;
} stack_table;

struct ts_stack_state {
    int64_t source_id;
    stack_table methods;
    ts_node_index nodes;
};

/* --- tables -------------------------------------------------------------------------------- */

static stack_entry *entry_at(const stack_table *table, uint32_t i)
{
    return &table->blocks[i >> ENTRY_SHIFT][i & (ENTRY_BLOCK - 1)];
}

/* The slot that holds the key or where it belongs. */
static uint32_t stack_find_slot(const stack_table *table, uint64_t a, uint64_t b)
{
    uint32_t mask = table->slot_count - 1;
    ts_hash h = ts_hash_begin(&table->key);
    ts_hash_word(&h, a);
    ts_hash_word(&h, b);
    uint32_t slot = (uint32_t)ts_hash_end(&h) & mask;
    while (table->slots[slot] != 0) {
        const stack_entry *e = entry_at(table, table->slots[slot] - 1);
        if (e->a == a && e->b == b) {
            break;
        }
        slot = (slot + 1) & mask;
    }
    return slot;
}

static ts_code stack_grow_slots(ts_ctx *ctx, stack_table *table)
{
    uint32_t count = table->slot_count == 0 ? FIRST_SLOTS : table->slot_count * 2;
    uint32_t *slots;
    if (table->slot_count >= MAX_SLOTS) {
        return ts_fail(ctx, TS_ERR_LIMIT, "more than %u methods", MAX_SLOTS / 4 * 3);
    }
    slots = ts_zalloc(ctx, count, sizeof *slots);
    if (slots == NULL) {
        return ctx->error.code;
    }
    ts_free(ctx, table->slots);
    table->slots = slots;
    table->slot_count = count;
    table->key = ctx->hash_key;
    for (uint32_t i = 0; i < table->count; i++) {
        const stack_entry *e = entry_at(table, i);
        slots[stack_find_slot(table, e->a, e->b)] = i + 1;
    }
    return TS_OK;
}

static ts_code grow_entries(ts_ctx *ctx, stack_table *table)
{
    if (table->block_count == table->block_cap) {
        size_t cap = table->block_cap == 0 ? 4 : table->block_cap * 2;
        stack_entry **blocks = ts_realloc(ctx, table->blocks, cap, sizeof *blocks);
        if (blocks == NULL) {
            return ctx->error.code;
        }
        table->blocks = blocks;
        table->block_cap = cap;
    }
    table->blocks[table->block_count] = ts_alloc(ctx, ENTRY_BLOCK, sizeof(stack_entry));
    if (table->blocks[table->block_count] == NULL) {
        return ctx->error.code;
    }
    table->block_count++;
    return TS_OK;
}

/* Makes room for one more entry, so that stack_insert cannot fail. */
static ts_code stack_reserve(ts_ctx *ctx, stack_table *table)
{
    ts_code code;
    if (table->count >= table->slot_count / 4 * 3 &&
        (code = stack_grow_slots(ctx, table)) != TS_OK) {
        return code;
    }
    return table->count >> ENTRY_SHIFT < table->block_count ? TS_OK : grow_entries(ctx, table);
}

static void stack_insert(stack_table *table, uint32_t slot, uint64_t a, uint64_t b, uint32_t id)
{
    *entry_at(table, table->count) = (stack_entry){a, b, id};
    table->count++;
    table->slots[slot] = table->count;
}

static void stack_table_free(ts_ctx *ctx, stack_table *table)
{
    for (size_t i = 0; i < table->block_count; i++) {
        ts_free(ctx, table->blocks[i]);
    }
    ts_free(ctx, table->blocks);
    ts_free(ctx, table->slots);
}

/* --- states -------------------------------------------------------------------------------- */

static void state_free(ts_ctx *ctx, ts_stack_state *state)
{
    stack_table_free(ctx, &state->methods);
    ts_node_index_free(ctx, &state->nodes);
    ts_free(ctx, state);
}

/* The state of a source, made when new. The one that was used last is at the end. */
static ts_code stack_state_of(ts_stack_state **out, ts_store *store, int64_t source_id)
{
    ts_stack_state *state;
    for (size_t i = store->stack_count; i > 0; i--) {
        state = store->stacks[i - 1];
        if (state->source_id == source_id) {
            store->stacks[i - 1] = store->stacks[store->stack_count - 1];
            store->stacks[store->stack_count - 1] = state;
            *out = state;
            return TS_OK;
        }
    }
    if (store->stack_count == store->stack_cap) {
        size_t cap = store->stack_cap == 0 ? 4 : store->stack_cap * 2;
        ts_stack_state **stacks = ts_realloc(store->ctx, store->stacks, cap, sizeof *stacks);
        if (stacks == NULL) {
            return store->ctx->error.code;
        }
        store->stacks = stacks;
        store->stack_cap = cap;
    }
    state = ts_zalloc(store->ctx, 1, sizeof *state);
    if (state == NULL) {
        return store->ctx->error.code;
    }
    state->source_id = source_id;
    store->stacks[store->stack_count++] = state;
    *out = state;
    return TS_OK;
}

void ts_stack_release(ts_store *store, int64_t source_id)
{
    for (size_t i = 0; i < store->stack_count; i++) {
        if (store->stacks[i]->source_id == source_id) {
            state_free(store->ctx, store->stacks[i]);
            store->stacks[i] = store->stacks[--store->stack_count];
            return;
        }
    }
}

void ts_store_free_stacks(ts_store *store)
{
    for (size_t i = 0; i < store->stack_count; i++) {
        state_free(store->ctx, store->stacks[i]);
    }
    ts_free(store->ctx, store->stacks);
    store->stacks = NULL;
    store->stack_count = 0;
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

ts_code ts_stack_method(int64_t *id, ts_store *store, int64_t source_id, const ts_method *method)
{
    method_key h = hash_method(store->ctx, method);
    ts_stack_state *state;
    stack_table *table;
    uint32_t slot;
    uint32_t new_id = 0;
    ts_code code = stack_state_of(&state, store, source_id);
    if (code != TS_OK) {
        return code;
    }
    table = &state->methods;
    code = stack_reserve(store->ctx, table);
    if (code != TS_OK) {
        return code;
    }
    slot = stack_find_slot(table, h.a, h.b);
    if (table->slots[slot] != 0) {
        *id = entry_at(table, table->slots[slot] - 1)->id;
        return TS_OK;
    }
    if ((code = next_id(&new_id, store, TS_T_stack_method)) != TS_OK ||
        (code = stack_put_method(store, new_id, source_id, method)) != TS_OK) {
        return code;
    }
    stack_insert(table, slot, h.a, h.b, new_id);
    *id = new_id;
    return TS_OK;
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
    return code == TS_OK ? ts_sink_put(store->sink, TS_T_stack_node, row) : code;
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
    ts_code code = stack_state_of(&state, store, source_id);
    if (state == NULL) { /* out of memory */
        return store->ctx->error.code;
    }
    if (code != TS_OK || (code = ts_node_reserve(store->ctx, &state->nodes)) != TS_OK) {
        return code;
    }
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
    const ts_stack_state *state =
        store->stack_count == 0 ? NULL : store->stacks[store->stack_count - 1];
    if (state != NULL && state->source_id == source_id) {
        ts_node_fetch(&state->nodes, (ts_node_key){(uint32_t)parent_id, (uint32_t)method_id}, line);
    }
}
