/*
 * Number and size of the objects of each class, added up while the nodes are read, so that the
 * histogram need not sort millions of rows. Bounded: when there are very many classes, what has
 * been added up so far is written and the count begins anew; a class then has several rows.
 */
#include "parsers/arkts/heap/heap_state.h"

#include "base/alloc.h"
#include "base/ckd.h"

enum {
    MAX_CLASSES = 1 << 17,
    FIRST_CLASSES = 64,
    SLOTS_PER_CLASS = 2,
    ENTRY_BITS = 18, /* of a slot, for a place + 1; above them are those of the hash */
    ENTRY_MASK = (1 << ENTRY_BITS) - 1
};

ts_code heap_classes_write(ts_heap *h)
{
    heap_classes *c = &h->classes;
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < c->count && code == TS_OK; i++) {
        const heap_class *entry = &c->entries[i];
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
    if (c->slots != NULL) {
        memset(c->slots, 0, (size_t)c->cap * SLOTS_PER_CLASS * sizeof *c->slots);
    }
    memset(c->recent, 0, sizeof c->recent);
    c->count = 0;
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

/* The bits of a hash that are in a slot: others than those that choose it. */
static uint32_t slot_bits(uint64_t hash)
{
    return (uint32_t)(hash >> 32) & ~(uint32_t)ENTRY_MASK;
}

/* The first slot that is free or has these bits. The entries of others are not looked at: that
 * would mean to wait for memory. */
static uint32_t likely_slot(const heap_classes *c, uint64_t hash, uint32_t slot)
{
    const uint32_t mask = c->cap * SLOTS_PER_CLASS - 1;
    const uint32_t bits = slot_bits(hash);
    slot &= mask;
    while (c->slots[slot] != 0 && (c->slots[slot] & ~(uint32_t)ENTRY_MASK) != bits) {
        slot = (slot + 1) & mask;
    }
    return slot;
}

static uint32_t class_slot(const heap_classes *c, uint64_t hash, int64_t type, int64_t name)
{
    uint32_t slot = likely_slot(c, hash, (uint32_t)hash);
    while (c->slots[slot] != 0) {
        const heap_class *entry = &c->entries[(c->slots[slot] & ENTRY_MASK) - 1];
        if (entry->type == type && entry->name == name) {
            break;
        }
        slot = likely_slot(c, hash, slot + 1);
    }
    return slot;
}

static ts_code grow_classes(ts_heap *h)
{
    heap_classes *c = &h->classes;
    uint32_t cap = c->cap == 0 ? FIRST_CLASSES : c->cap * 2;
    heap_class *entries;
    uint32_t *slots;
    if (c->cap == MAX_CLASSES) {
        return heap_classes_write(h);
    }
    TS_NEED(h->ctx, entries = ts_realloc(h->ctx, c->entries, cap, sizeof *entries));
    c->entries = entries;
    TS_NEED(h->ctx, slots = ts_zalloc(h->ctx, (size_t)cap * SLOTS_PER_CLASS, sizeof *slots));
    ts_free(h->ctx, c->slots);
    c->slots = slots;
    c->cap = cap;
    for (uint32_t i = 0; i < c->count; i++) {
        uint64_t hash = class_hash(h, c->entries[i].type, c->entries[i].name);
        slots[class_slot(c, hash, c->entries[i].type, c->entries[i].name)] =
            (i + 1) | slot_bits(hash);
    }
    return TS_OK;
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
    const uint32_t mask = c->cap * SLOTS_PER_CLASS - 1;
    const size_t stride = h->arrays[PART_NODES].fields.stride;
    for (size_t i = 0; i < n; i++) {
        int64_t type;
        int64_t name;
        class_of(&type, &name, h, v + i * stride, 0);
        hashes[i] = 0;
        if (c->cap > 0 && !is_recent(&c->recent[recent_place(type, name)], type, name)) {
            hashes[i] = class_hash(h, type, name);
            __builtin_prefetch(&c->slots[(uint32_t)hashes[i] & mask]);
        }
    }
    for (size_t i = 0; i < n; i++) {
        uint32_t entry =
            hashes[i] == 0 ? 0
                           : c->slots[likely_slot(c, hashes[i], (uint32_t)hashes[i])] & ENTRY_MASK;
        if (entry != 0) {
            __builtin_prefetch(&c->entries[entry - 1]);
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
    if (c->count == c->cap && (code = grow_classes(h)) != TS_OK) {
        return code;
    }
    recent = &c->recent[recent_place(type, name)];
    if (!is_recent(recent, type, name)) {
        uint32_t slot;
        hash = hash != 0 ? hash : class_hash(h, type, name);
        slot = class_slot(c, hash, type, name);
        if (c->slots[slot] == 0) {
            c->entries[c->count++] = (heap_class){type, name, 0, 0};
            c->slots[slot] = c->count | slot_bits(hash);
        }
        *recent = (heap_recent_class){type, name, c->slots[slot] & ENTRY_MASK};
    }
    entry = &c->entries[recent->entry - 1];
    entry->count++;
    if ((nulls & 1U << NODE_SELF_SIZE) == 0 && entry->self_size != HEAP_NULL &&
        ts_ckd_add(&entry->self_size, entry->self_size, v[NODE_SELF_SIZE])) {
        entry->self_size = HEAP_NULL;
        h->nodes.self_size_overflow = true;
    }
    return TS_OK;
}
