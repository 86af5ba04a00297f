/*
 * Stacks by id: trees of addresses, one for each process. A node has 40 bits of an address, the
 * number of its caller's node (23 bits; in older files 20) and a bit for the kernel.
 */
#include "parsers/perf/perf_data.h"

#include <stdlib.h>

enum { IP_BITS = 40, MOST_BITS = 23 };

static uint32_t node_index(const uint8_t *nodes, size_t i)
{
    return perfd_u32(nodes + i * PERFD_NODE);
}

static uint64_t node_value(const uint8_t *nodes, size_t i)
{
    return perfd_u64(nodes + i * PERFD_NODE + 4);
}

static int by_index(const void *a, const void *b)
{
    uint32_t x = perfd_u32(a);
    uint32_t y = perfd_u32(b);
    return x < y ? -1 : x > y;
}

static void sort_nodes(uint8_t *nodes, size_t n)
{
    bool sorted = true;
    for (size_t i = 1; i < n && sorted; i++) {
        sorted = node_index(nodes, i - 1) < node_index(nodes, i);
    }
    if (!sorted) {
        qsort(nodes, n, PERFD_NODE, by_index);
    }
}

static ts_code read_table(bool *good, perfd_cursor *c)
{
    perfd *r = c->r;
    perfd_stacks *table;
    const uint8_t *p;
    uint32_t pid;
    uint32_t n;
    size_t first = r->nodes.n;
    TS_TRY(perfd_take(&p, c, 12));
    *good = p != NULL;
    if (!*good) {
        return TS_OK;
    }
    pid = perfd_u32(p);
    n = perfd_u32(p + 8);
    *good = n <= (c->end - c->at) / PERFD_NODE;
    if (!*good) {
        return TS_OK;
    }
    for (uint32_t i = 0; i < n; i++) {
        TS_TRY(perfd_take(&p, c, PERFD_NODE));
        TS_TRY(ts_vec_push(r->ctx, &r->nodes, p, PERFD_NODE));
    }
    if (n > 0) {
        sort_nodes((uint8_t *)r->nodes.p + first * PERFD_NODE, n);
    }
    TS_NEED(r->ctx, table = ts_vec_add(r->ctx, &r->stacks, sizeof *table));
    *table = (perfd_stacks){(int32_t)pid, first, n};
    return TS_OK;
}

ts_code perfd_read_stacks(bool *good, perfd_cursor *c)
{
    perfd *r = c->r;
    size_t tables = r->stacks.n;
    size_t nodes = r->nodes.n;
    uint32_t n;
    TS_TRY(perfd_take_u32(good, &n, c));
    for (uint32_t i = 0; i < n && *good; i++) {
        TS_TRY(read_table(good, c));
    }
    *good = *good && c->at == c->end;
    if (!*good) { /* nothing of a damaged table is guessed */
        r->stacks.n = tables;
        r->nodes.n = nodes;
    }
    return TS_OK;
}

/* The place of a node in its table, or SIZE_MAX. Numbers mostly have no gaps. */
static size_t find_node(const perfd *r, const perfd_stacks *table, uint32_t index)
{
    const uint8_t *nodes = (const uint8_t *)r->nodes.p + table->first * PERFD_NODE;
    size_t from = 0;
    size_t n = table->count;
    uint32_t guess = n == 0 ? 0 : index - node_index(nodes, 0);
    if (n > 0 && guess < n && node_index(nodes, guess) == index) {
        return table->first + guess;
    }
    while (n > 0) {
        size_t half = n / 2;
        if (node_index(nodes, from + half) < index) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from < table->count && node_index(nodes, from) == index ? table->first + from : SIZE_MAX;
}

static uint32_t caller_of(uint64_t value, unsigned bits)
{
    return (uint32_t)(value >> IP_BITS) & ((1U << bits) - 1);
}

static bool fits(const perfd *r, unsigned bits)
{
    const perfd_stacks *tables = r->stacks.p;
    for (size_t t = 0; t < r->stacks.n; t++) {
        for (size_t i = 0; i < tables[t].count; i++) {
            uint32_t caller = caller_of(node_value(r->nodes.p, tables[t].first + i), bits);
            if (caller != 0 && find_node(r, &tables[t], caller) == SIZE_MAX) {
                return false;
            }
        }
    }
    return true;
}

ts_code perfd_stacks_ready(perfd *r)
{
    static const unsigned widths[] = {23, 20, 21, 22};
    const perfd_stacks *tables = r->stacks.p;
    uint64_t found;
    for (size_t i = 0; i < r->stacks.n; i++) {
        if (!ts_idmap_find(&found, &r->stacks_of, tables[i].pid)) {
            TS_TRY(ts_idmap_put(r->ctx, &r->stacks_of, tables[i].pid, i));
        }
    }
    r->node_bits = MOST_BITS;
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        if (fits(r, widths[i])) {
            r->node_bits = widths[i];
            return TS_OK;
        }
    }
    return r->stacks.n == 0 ? TS_OK
                            : PERFD_ISSUE(r, perf_feature_bad, UINT64_MAX,
                                          "stacks by id have callers that are not there");
}

ts_code perfd_expand(bool *known, perfd *r, int64_t pid, uint64_t stack_id)
{
    const perfd_stacks *table;
    uint64_t number;
    uint32_t index = (uint32_t)(stack_id & ((1U << r->node_bits) - 1));
    uint64_t n = stack_id >> r->node_bits;
    r->expanded.n = 0;
    *known = ts_idmap_find(&number, &r->stacks_of, pid) && n <= PERFD_MAX_BY_ID;
    table = (const perfd_stacks *)r->stacks.p + (*known ? number : 0);
    for (uint64_t i = 0; i < n && index != 0 && *known; i++) {
        size_t at = find_node(r, table, index);
        uint64_t value = at == SIZE_MAX ? 0 : node_value(r->nodes.p, at);
        uint64_t ip = value & ((UINT64_C(1) << IP_BITS) - 1);
        *known = at != SIZE_MAX;
        ip |= (value >> (IP_BITS + r->node_bits) & 1) != 0 ? UINT64_C(0xffffff) << IP_BITS : 0;
        index = caller_of(value, r->node_bits);
        if (*known) {
            TS_TRY(ts_vec_push(r->ctx, &r->expanded, &ip, sizeof ip));
        }
    }
    *known = *known && r->expanded.n > 0;
    return TS_OK;
}
