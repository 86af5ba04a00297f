#include "parsers/ftrace/ftrace_open.h"

#include "base/alloc.h"

enum { FIRST_SLOTS = 16 };

ftrace_key ftrace_key_of(const ts_ctx *ctx, int64_t a, int64_t b, ts_text c, ts_text d)
{
    ts_hash h = ts_hash_begin(&ctx->hash_key);
    ftrace_key key;
    ts_hash_word(&h, (uint64_t)a);
    ts_hash_word(&h, (uint64_t)b);
    ts_hash_bytes(&h, c.p, c.n);
    ts_hash_bytes(&h, d.p, d.n);
    key.k[0] = ts_hash_end(&h);
    key.k[1] = ts_hash_more(&h);
    return key;
}

static bool same(ftrace_key a, ftrace_key b)
{
    return a.k[0] == b.k[0] && a.k[1] == b.k[1];
}

/* The slot of the key, or the free one where it belongs. cap > 0, and one is free. */
static size_t slot_of(const ftrace_open *open, ftrace_key key)
{
    size_t i = key.k[0] & (open->cap - 1);
    while (open->slots[i].value != 0 && !same(open->slots[i].key, key)) {
        i = (i + 1) & (open->cap - 1);
    }
    return i;
}

uint64_t ftrace_open_find(const ftrace_open *open, ftrace_key key)
{
    return open->cap == 0 ? 0 : open->slots[slot_of(open, key)].value;
}

static ts_code grow(ts_ctx *ctx, ftrace_open *open)
{
    ftrace_open more = {.count = open->count, .cap = open->cap == 0 ? FIRST_SLOTS : 2 * open->cap};
    more.slots = ts_zalloc(ctx, more.cap, sizeof *more.slots);
    if (more.slots == NULL) {
        return ctx->error.code;
    }
    for (size_t i = 0; i < open->cap; i++) {
        if (open->slots[i].value != 0) {
            more.slots[slot_of(&more, open->slots[i].key)] = open->slots[i];
        }
    }
    ts_free(ctx, open->slots);
    *open = more;
    return TS_OK;
}

ts_code ftrace_open_put(ts_ctx *ctx, ftrace_open *open, ftrace_key key, uint64_t value)
{
    ftrace_open_slot *slot;
    ts_code code;
    if (open->count + 1 > open->cap / 2 && (code = grow(ctx, open)) != TS_OK) {
        return code;
    }
    slot = &open->slots[slot_of(open, key)];
    open->count += slot->value == 0;
    *slot = (ftrace_open_slot){key, value};
    return TS_OK;
}

void ftrace_open_remove(ftrace_open *open, ftrace_key key)
{
    size_t mask = open->cap - 1;
    size_t hole;
    if (ftrace_open_find(open, key) == 0) {
        return;
    }
    hole = slot_of(open, key);
    open->count--;
    /* Those after it that would not be found any more move up. */
    for (size_t i = (hole + 1) & mask; open->slots[i].value != 0; i = (i + 1) & mask) {
        size_t home = open->slots[i].key.k[0] & mask;
        if (((i - home) & mask) >= ((i - hole) & mask)) {
            open->slots[hole] = open->slots[i];
            hole = i;
        }
    }
    open->slots[hole].value = 0;
}

void ftrace_open_free(ts_ctx *ctx, ftrace_open *open)
{
    ts_free(ctx, open->slots);
    *open = (ftrace_open){0};
}
