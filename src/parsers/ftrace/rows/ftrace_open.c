#include "parsers/ftrace/rows/ftrace_open.h"

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

static bool is_open(const void *owner, uint32_t number, const void *key)
{
    const ftrace_key *have = &((const ftrace_open_entry *)owner)[number].key;
    const ftrace_key *wanted = key;
    return have->k[0] == wanted->k[0] && have->k[1] == wanted->k[1];
}

static uint32_t number_of(const ftrace_open *open, const ftrace_key *key)
{
    return ts_index_find(&open->index, key->k[0], is_open, open->entries.p, key);
}

uint64_t ftrace_open_find(const ftrace_open *open, ftrace_key key)
{
    uint32_t number = number_of(open, &key);
    return number == TS_INDEX_NONE ? 0 : ((ftrace_open_entry *)open->entries.p)[number].value;
}

ts_code ftrace_open_put(ts_ctx *ctx, ftrace_open *open, ftrace_key key, uint64_t value)
{
    ts_index_place place;
    ftrace_open_entry *entry;
    uint32_t number;
    TS_TRY(ts_index_reserve(ctx, &open->index));
    number = ts_index_search(&place, &open->index, key.k[0], is_open, open->entries.p, &key);
    if (number != TS_INDEX_NONE) {
        ((ftrace_open_entry *)open->entries.p)[number].value = value;
        return TS_OK;
    }
    TS_NEED(ctx, entry = ts_vec_add(ctx, &open->entries, sizeof *entry));
    *entry = (ftrace_open_entry){key, value};
    ts_index_add(&open->index, place, (uint32_t)open->entries.n - 1);
    return TS_OK;
}

/* The last entry gets the place of the one that goes. */
void ftrace_open_remove(ftrace_open *open, ftrace_key key)
{
    ftrace_open_entry *entries = open->entries.p;
    uint32_t number = number_of(open, &key);
    uint32_t last = (uint32_t)open->entries.n - 1;
    if (number == TS_INDEX_NONE) {
        return;
    }
    ts_index_remove(&open->index, key.k[0], number);
    if (number != last) {
        entries[number] = entries[last];
        ts_index_renumber(&open->index, entries[last].key.k[0], last, number);
    }
    open->entries.n--;
}

void ftrace_open_free(ts_ctx *ctx, ftrace_open *open)
{
    ts_vec_free(ctx, &open->entries);
    ts_index_free(ctx, &open->index);
}
