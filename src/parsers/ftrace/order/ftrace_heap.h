/* What is merged: the next event of each source, in a heap with the earliest one first. */
#ifndef TS_PARSERS_FTRACE_FTRACE_HEAP_H
#define TS_PARSERS_FTRACE_FTRACE_HEAP_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ftrace_heap_item {
    int64_t ts;
    uint64_t number; /* of the event, in the order of their adding: no two are equal */
    uint32_t source;
} ftrace_heap_item;

static inline bool ftrace_heap_before(const ftrace_heap_item *a, const ftrace_heap_item *b)
{
    return a->ts != b->ts ? a->ts < b->ts : a->number < b->number;
}

/* The item at place i goes down to where it belongs. */
static inline void ftrace_heap_sink(ftrace_heap_item *items, uint32_t n, uint32_t i)
{
    ftrace_heap_item moved = items[i];
    for (;;) {
        uint32_t child = 2 * i + 1;
        if (child >= n) {
            break;
        }
        child += child + 1 < n && ftrace_heap_before(&items[child + 1], &items[child]);
        if (!ftrace_heap_before(&items[child], &moved)) {
            break;
        }
        items[i] = items[child];
        i = child;
    }
    items[i] = moved;
}

static inline void ftrace_heap_make(ftrace_heap_item *items, uint32_t n)
{
    for (uint32_t i = n / 2; i-- > 0;) {
        ftrace_heap_sink(items, n, i);
    }
}

#endif
