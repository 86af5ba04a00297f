/*
 * Number and size of the objects of each class, added up while the nodes are read, so that the
 * histogram need not sort millions of rows. Bounded: when there are very many classes, what has
 * been added up so far is written and the count begins anew; a class then has several rows.
 */
#include "parsers/arkts/heap_state.h"

#include "base/alloc.h"
#include "base/ckd.h"

enum { MAX_CLASSES = 1 << 17, FIRST_CLASSES = 64, SLOTS_PER_CLASS = 2 };

void heap_classes_free(ts_heap *h)
{
    ts_free(h->ctx, h->classes.entries);
    ts_free(h->ctx, h->classes.slots);
    h->classes = (heap_classes){0};
}

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
        if (entry->type == HEAP_NULL) {
            TS_SET_NULL(js_heap_class, &row, type);
        }
        if (entry->self_size == HEAP_NULL) {
            TS_SET_NULL(js_heap_class, &row, self_size);
        }
        if (entry->name == HEAP_NULL) {
            TS_SET_NULL(js_heap_class, &row, name);
        }
        code = ts_put_js_heap_class(h->sink, &row);
    }
    if (c->slots != NULL) {
        memset(c->slots, 0, (size_t)c->cap * SLOTS_PER_CLASS * sizeof *c->slots);
    }
    c->count = 0;
    return code;
}

static uint32_t class_slot(const ts_heap *h, int64_t type, int64_t name)
{
    const heap_classes *c = &h->classes;
    uint32_t mask = c->cap * SLOTS_PER_CLASS - 1;
    ts_hash hash = ts_hash_begin(&h->ctx->hash_key);
    ts_hash_word(&hash, (uint64_t)type);
    ts_hash_word(&hash, (uint64_t)name);
    uint32_t slot = (uint32_t)ts_hash_end(&hash) & mask;
    while (c->slots[slot] != 0 && (c->entries[c->slots[slot] - 1].type != type ||
                                   c->entries[c->slots[slot] - 1].name != name)) {
        slot = (slot + 1) & mask;
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
    entries = ts_realloc(h->ctx, c->entries, cap, sizeof *entries);
    if (entries == NULL) {
        return h->ctx->error.code;
    }
    c->entries = entries;
    slots = ts_zalloc(h->ctx, (size_t)cap * SLOTS_PER_CLASS, sizeof *slots);
    if (slots == NULL) {
        return h->ctx->error.code;
    }
    ts_free(h->ctx, c->slots);
    c->slots = slots;
    c->cap = cap;
    for (uint32_t i = 0; i < c->count; i++) {
        slots[class_slot(h, c->entries[i].type, c->entries[i].name)] = i + 1;
    }
    return TS_OK;
}

ts_code heap_classes_add(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    heap_classes *c = &h->classes;
    int64_t type = (nulls & 1U << NODE_TYPE) != 0 ? HEAP_NULL : v[NODE_TYPE];
    bool named = type >= 0 && type < 64 && (h->meta.named_types >> type & 1) != 0;
    int64_t name = !named || (nulls & 1U << NODE_NAME) != 0 ? HEAP_NULL : v[NODE_NAME];
    uint32_t slot;
    uint32_t *recent;
    heap_class *entry;
    ts_code code;
    if (c->count == c->cap && (code = grow_classes(h)) != TS_OK) {
        return code;
    }
    recent = &c->recent[((uint64_t)type ^ (uint64_t)name) & (HEAP_RECENT_CLASSES - 1)];
    if (*recent >= c->count || c->entries[*recent].type != type ||
        c->entries[*recent].name != name) {
        slot = class_slot(h, type, name);
        if (c->slots[slot] == 0) {
            c->entries[c->count++] = (heap_class){type, name, 0, 0};
            c->slots[slot] = c->count;
        }
        *recent = c->slots[slot] - 1;
    }
    entry = &c->entries[*recent];
    entry->count++;
    if ((nulls & 1U << NODE_SELF_SIZE) == 0 && entry->self_size != HEAP_NULL &&
        ts_ckd_add(&entry->self_size, entry->self_size, v[NODE_SELF_SIZE])) {
        entry->self_size = HEAP_NULL;
        h->nodes.self_size_overflow = true;
    }
    return TS_OK;
}
