/*
 * Number and size of the objects of each class, added up while the nodes are read, so that the
 * histogram need not sort millions of rows. Bounded: when there are very many classes, what has
 * been added up so far is written and the count begins anew; a class then has several rows.
 */
#include "parsers/arkts/heap/heap_state.h"

#include "base/alloc.h"
#include "base/ckd.h"

enum { MAX_CLASSES = 1 << 17 };

ts_code heap_classes_write(ts_heap *h)
{
    heap_classes *c = &h->classes;
    ts_code code = TS_OK;
    for (size_t i = 0; i < c->entries.n && code == TS_OK; i++) {
        const heap_class *entry = (const heap_class *)c->entries.p + i;
        ts_row_js_heap_class row = {
            .file_id = h->file_id,
            .type = entry->type,
            .name = entry->name,
            .count = entry->count,
            .self_size = entry->self_size,
        };
        TS_NULL_IF(entry->type == HEAP_NULL, js_heap_class, &row, type);
        TS_NULL_IF(entry->self_size == HEAP_NULL, js_heap_class, &row, self_size);
        TS_NULL_IF(entry->name == HEAP_NULL, js_heap_class, &row, name);
        code = ts_put_js_heap_class(h->sink, &row);
    }
    ts_index_free(h->ctx, &c->index);
    memset(c->recent, 0, sizeof c->recent);
    c->entries.n = 0;
    return code;
}

/* Never 0. */
static uint64_t class_hash(const ts_heap *h, int64_t type, int64_t name)
{
    ts_hash hash = ts_hash_begin(&h->ctx->hash_key);
    ts_hash_word(&hash, (uint64_t)type);
    ts_hash_word(&hash, (uint64_t)name);
    return ts_hash_end(&hash) | UINT64_C(1) << 63;
}

static bool is_class(const void *owner, uint32_t number, const void *key)
{
    const heap_class *entry = (const heap_class *)owner + number;
    const heap_class *wanted = key;
    return entry->type == wanted->type && entry->name == wanted->name;
}

/* What a node is counted by. */
static void class_of(int64_t *type, int64_t *name, const ts_heap *h, const int64_t *v,
                     uint32_t nulls)
{
    int64_t t = (nulls & 1U << NODE_TYPE) != 0 ? HEAP_NULL : v[NODE_TYPE];
    bool named = t >= 0 && t < 64 && (h->meta.named_types >> t & 1) != 0;
    *type = t;
    *name = !named || (nulls & 1U << NODE_NAME) != 0 ? HEAP_NULL : v[NODE_NAME];
}

static size_t recent_place(int64_t type, int64_t name)
{
    return (size_t)(((uint64_t)type ^ (uint64_t)name) & (HEAP_RECENT_CLASSES - 1));
}

static bool is_recent(const heap_recent_class *recent, int64_t type, int64_t name)
{
    return recent->type == type && recent->name == name && recent->entry != 0;
}

void heap_classes_fetch(uint64_t *hashes, const ts_heap *h, const int64_t *v, size_t n)
{
    const heap_classes *c = &h->classes;
    const size_t stride = h->arrays[PART_NODES].fields.stride;
    for (size_t i = 0; i < n; i++) {
        int64_t type;
        int64_t name;
        class_of(&type, &name, h, v + i * stride, 0);
        hashes[i] = 0;
        if (c->index.slots != NULL &&
            !is_recent(&c->recent[recent_place(type, name)], type, name)) {
            hashes[i] = class_hash(h, type, name);
            __builtin_prefetch(&c->index.slots[hashes[i] & (c->index.slot_count - 1)]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t entry =
            hashes[i] == 0 ? 0 : (uint32_t)c->index.slots[hashes[i] & (c->index.slot_count - 1)];
        if (entry != 0) {
            __builtin_prefetch((const heap_class *)c->entries.p + (entry - 1));
        }
    }
}

ts_code heap_classes_add(ts_heap *h, const int64_t *v, uint32_t nulls, uint64_t hash)
{
    heap_classes *c = &h->classes;
    heap_recent_class *recent;
    heap_class *entry;
    int64_t type;
    int64_t name;
    ts_code code;
    class_of(&type, &name, h, v, nulls);
    if (c->entries.n == MAX_CLASSES && (code = heap_classes_write(h)) != TS_OK) {
        return code;
    }
    recent = &c->recent[recent_place(type, name)];
    if (!is_recent(recent, type, name)) {
        const heap_class made = {type, name, 0, 0};
        ts_index_place place;
        hash = hash != 0 ? hash : class_hash(h, type, name);
        TS_TRY(ts_index_reserve(h->ctx, &c->index));
        uint32_t found = ts_index_search(&place, &c->index, hash, is_class, c->entries.p, &made);
        if (found == TS_INDEX_NONE) {
            TS_TRY(ts_vec_push(h->ctx, &c->entries, &made, sizeof made));
            found = (uint32_t)c->entries.n - 1;
            ts_index_add(&c->index, place, found);
        }
        *recent = (heap_recent_class){type, name, found + 1};
    }
    entry = (heap_class *)c->entries.p + (recent->entry - 1);
    entry->count++;
    if ((nulls & 1U << NODE_SELF_SIZE) == 0 && entry->self_size != HEAP_NULL &&
        ts_ckd_add(&entry->self_size, entry->self_size, v[NODE_SELF_SIZE])) {
        entry->self_size = HEAP_NULL;
        h->nodes.self_size_overflow = true;
    }
    return TS_OK;
}
