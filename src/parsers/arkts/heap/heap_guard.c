/*
 * The distance that is kept from a contradiction, and nodes that are unlike those of V8.
 *
 * What shows damage is after it: rows in between are made of parts of others, or are in the
 * place of others, and each of them could be right. Such damage comes in blocks, of what a device
 * or a transport loses, doubles or exchanges, so that HEAP_GUARD covers the two blocks of 4 KiB of
 * an exchange. A row that is unlike those of V8 proves no damage. It counts where other numbers
 * contradict each other and do not show where.
 */
#include "parsers/arkts/heap/heap_state.h"

static void note_trail(heap_trail *trail, uint64_t at, heap_place place)
{
    if (at >= trail->next) {
        trail->place[trail->count % HEAP_TRAIL] = place;
        trail->at[trail->count % HEAP_TRAIL] = at;
        trail->count++;
        trail->next = at + HEAP_TRAIL_STEP;
    }
}

static heap_place trail_guard(const heap_trail *trail, uint64_t at)
{
    uint64_t oldest = trail->count > HEAP_TRAIL ? trail->count - HEAP_TRAIL : 0;
    for (uint64_t i = trail->count; i > oldest; i--) {
        if (trail->at[(i - 1) % HEAP_TRAIL] + HEAP_GUARD <= at) {
            return trail->place[(i - 1) % HEAP_TRAIL];
        }
    }
    return (heap_place){0, 0};
}

heap_place heap_guard(const ts_heap *h, enum heap_part part)
{
    uint64_t stride = part == PART_STRINGS ? 1 : h->arrays[part].fields.stride;
    uint64_t rows = part == PART_STRINGS ? h->strings.count : h->arrays[part].rows;
    uint64_t back = stride == 0 ? rows : (HEAP_GUARD + stride - 1) / stride;
    if (part == PART_NODES) {
        return trail_guard(&h->trails.nodes, rows * stride);
    }
    if (part == PART_STRINGS) {
        return trail_guard(&h->trails.strings, h->trails.string_bytes / 2);
    }
    return (heap_place){rows > back ? rows - back : 0, 0};
}

/* One that is made of the parts of two others hardly passes all of these. */
static bool is_odd(const ts_heap *h, const int64_t *v, uint32_t nulls)
{
    uint32_t missing = h->arrays[PART_NODES].fields.missing;
    uint64_t type = (uint64_t)v[NODE_TYPE];
    bool foreign = type >= 64 || (h->meta.foreign_types >> type & 1) != 0;
    if ((nulls & ~missing) != 0) {
        return true;
    }
    if ((missing & 1U << NODE_TYPE) == 0 && !foreign &&
        (((missing & 1U << NODE_ID) == 0 && v[NODE_ID] % 2 != 1) ||
         ((missing & 1U << NODE_SELF_SIZE) == 0 && v[NODE_SELF_SIZE] % 4 != 0))) {
        return true;
    }
    return ((missing & 1U << NODE_TRACE_NODE_ID) == 0 && v[NODE_TRACE_NODE_ID] < 0) ||
           ((missing & 1U << NODE_DETACHEDNESS) == 0 && (uint64_t)v[NODE_DETACHEDNESS] > 2);
}

void heap_look_at_node(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    heap_trust *t = &h->trust[PART_NODES];
    const heap_array *a = &h->arrays[PART_NODES];
    note_trail(&h->trails.nodes, a->rows * a->fields.stride,
               (heap_place){a->rows, h->nodes.self_size});
    if (t->odd || t->irregular || !is_odd(h, v, nulls)) {
        return;
    }
    if (a->rows < SOME_USES) {
        t->irregular = true;
    } else {
        t->odd = true;
        if (t->bad == UINT64_MAX) {
            t->guard = heap_guard(h, PART_NODES);
        }
    }
}

void heap_look_at_string(ts_heap *h, size_t n)
{
    h->trails.string_bytes += n + 3; /* two quotes and a comma */
    note_trail(&h->trails.strings, h->trails.string_bytes / 2, (heap_place){h->strings.count, 0});
}
