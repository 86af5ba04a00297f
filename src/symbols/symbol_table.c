#include "symbols/symbol_table.h"
#include "base/alloc.h"

enum { ELF_FUNC = 2, ELF_IFUNC = 10 };

static uint64_t little_endian(const char *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++) {
        v |= (uint64_t)(uint8_t)p[i] << (8 * i);
    }
    return v;
}

ts_code ts_symbols_add(ts_ctx *ctx, ts_symbol_table *t, ts_symbol symbol)
{
    return ts_vec_push(ctx, &t->symbols, &symbol, sizeof symbol);
}

ts_code ts_symbols_add_elf(ts_ctx *ctx, ts_symbol_table *t, ts_text entries, uint32_t entry_size,
                           uint64_t strings)
{
    if (!ts_symbols_elf_size(entry_size)) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "entries of %u bytes of a symbol table", entry_size);
    }
    const bool wide = entry_size == 24;
    const unsigned word = wide ? 8 : 4;
    for (size_t at = 0; entries.n - at >= entry_size; at += entry_size) {
        const char *p = entries.p + at;
        const unsigned type = (uint8_t)p[wide ? 4 : 12] & 15;
        const uint64_t value = little_endian(p + (wide ? 8 : 4), word);
        if (value == 0 || (type != ELF_FUNC && type != ELF_IFUNC)) {
            continue;
        }
        const uint64_t name = little_endian(p, 4);
        TS_TRY(ts_symbols_add(ctx, t,
                              (ts_symbol){.address = value,
                                          .size = little_endian(p + (wide ? 16 : 8), word),
                                          .name = name < strings ? name : TS_SYMBOL_NAMELESS}));
    }
    return TS_OK;
}

static bool in_order(const ts_symbol_table *t)
{
    const ts_symbol *s = (const ts_symbol *)t->symbols.p;
    size_t i = 1;
    while (i < t->symbols.n && s[i - 1].address <= s[i].address) {
        i++;
    }
    return i >= t->symbols.n;
}

/* The runs from..middle and middle..end become one in `to`; of equal addresses those of the first
 * come first. */
static void merge_runs(ts_symbol *to, const ts_symbol *from, const ts_symbol *middle,
                       const ts_symbol *end)
{
    const ts_symbol *a = from;
    const ts_symbol *b = middle;
    while (a < middle || b < end) {
        *to++ = b >= end || (a < middle && a->address <= b->address) ? *a++ : *b++;
    }
}

/* Runs of twice the length in each pass; symbols at one address keep their order, which qsort does
 * not promise. */
static ts_code sort_stable(ts_ctx *ctx, ts_symbol_table *t)
{
    const size_t n = t->symbols.n;
    ts_symbol *from = (ts_symbol *)t->symbols.p;
    ts_symbol *to;
    TS_NEED(ctx, to = (ts_symbol *)ts_alloc(ctx, n, sizeof *to));
    for (size_t run = 1; run < n; run *= 2) {
        for (size_t at = 0; at < n; at += 2 * run) {
            const size_t middle = n - at < run ? n : at + run;
            const size_t end = n - at < 2 * run ? n : at + 2 * run;
            merge_runs(to + at, from + at, from + middle, from + end);
        }
        ts_symbol *const other = from;
        from = to;
        to = other;
    }
    t->symbols.p = from;
    t->symbols.cap = n;
    ts_free(ctx, to);
    return TS_OK;
}

ts_code ts_symbols_sort(ts_ctx *ctx, ts_symbol_table *t, ts_symbol_kept kept)
{
    if (!in_order(t)) {
        TS_TRY(sort_stable(ctx, t));
    }
    ts_symbol *s = (ts_symbol *)t->symbols.p;
    size_t n = 0;
    for (size_t i = 0; i < t->symbols.n; i++) {
        const bool again = n > 0 && s[n - 1].address == s[i].address;
        if (!again) {
            s[n++] = s[i];
        } else if (kept == TS_SYMBOL_LAST) {
            s[n - 1] = s[i];
        }
    }
    t->symbols.n = n;
    return TS_OK;
}

const ts_symbol *ts_symbols_find(const ts_symbol_table *t, uint64_t v)
{
    const ts_symbol *s = (const ts_symbol *)t->symbols.p;
    size_t below = 0; /* symbols before it are not above v, those from `above` on are */
    size_t above = t->symbols.n;
    while (below < above) {
        const size_t middle = below + (above - below) / 2;
        if (s[middle].address <= v) {
            below = middle + 1;
        } else {
            above = middle;
        }
    }
    if (below == 0) {
        return NULL;
    }
    const ts_symbol *found = s + below - 1;
    const bool inside = found->size == 0 || v - found->address < found->size;
    return inside && found->name != TS_SYMBOL_NAMELESS ? found : NULL;
}

ts_text ts_symbol_text(ts_text strings, uint64_t name)
{
    if (name >= strings.n) {
        return TS_TEXT_NULL;
    }
    const ts_text from = ts_text_from(strings, (size_t)name);
    const char *end = (const char *)memchr(from.p, 0, from.n);
    return (ts_text){from.p, end == NULL ? from.n : (size_t)(end - from.p)};
}

void ts_symbols_free(ts_ctx *ctx, ts_symbol_table *t)
{
    ts_vec_free(ctx, &t->symbols);
}
