#include "model/keyed_rows.h"

#include "base/hash.h"

#include <string.h>

static bool has_key(const void *owner, uint32_t number, const void *key)
{
    const ts_keyed_rows *k = owner;
    return memcmp((const char *)k->rows.p + number * k->size, key, 2 * sizeof(int64_t)) == 0;
}

static uint64_t hash_of(const ts_keyed_rows *k, const int64_t key[2])
{
    ts_hash h = ts_hash_begin(&k->index.key);
    ts_hash_word(&h, (uint64_t)key[0]);
    ts_hash_word(&h, (uint64_t)key[1]);
    return ts_hash_end(&h);
}

void *ts_keyed_row(const ts_keyed_rows *k, const int64_t key[2])
{
    uint32_t found = k->index.count == 0
                         ? TS_INDEX_NONE
                         : ts_index_find(&k->index, hash_of(k, key), has_key, k, key);
    return found == TS_INDEX_NONE ? NULL : (char *)k->rows.p + found * k->size;
}

void *ts_keyed_row_of(ts_keyed_rows *k, const int64_t key[2])
{
    ts_index_place place;
    if (ts_index_reserve(k->ctx, &k->index) != TS_OK) {
        return NULL;
    }
    uint32_t found = ts_index_search(&place, &k->index, hash_of(k, key), has_key, k, key);
    if (found != TS_INDEX_NONE) {
        return (char *)k->rows.p + found * k->size;
    }
    void *row = ts_vec_add(k->ctx, &k->rows, k->size);
    if (row != NULL) {
        memcpy(row, key, 2 * sizeof key[0]);
        ts_index_add(&k->index, place, (uint32_t)k->rows.n - 1);
    }
    return row;
}

void ts_keyed_rows_free(ts_keyed_rows *k)
{
    ts_vec_free(k->ctx, &k->rows);
    ts_index_free(k->ctx, &k->index);
}
