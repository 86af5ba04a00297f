#include "base/file_set.h"

#include "base/alloc.h"

#include <stdlib.h>

ts_code ts_file_set_add(ts_ctx *ctx, ts_file_set *set, dev_t dev, ino_t ino)
{
    if (set->n == set->cap) {
        size_t cap = set->cap == 0 ? 16 : set->cap * 2;
        ts_file_id *ids = ts_realloc(ctx, set->ids, cap, sizeof *ids);
        if (ids == NULL) {
            return ctx->error.code;
        }
        set->ids = ids;
        set->cap = cap;
    }
    set->ids[set->n++] = (ts_file_id){dev, ino};
    return TS_OK;
}

static int compare(const void *a, const void *b)
{
    const ts_file_id *x = a;
    const ts_file_id *y = b;
    if (x->dev != y->dev) {
        return x->dev < y->dev ? -1 : 1;
    }
    return (x->ino > y->ino) - (x->ino < y->ino);
}

bool ts_file_set_has(ts_file_set *set, const struct stat *st)
{
    const ts_file_id id = {st->st_dev, st->st_ino};
    if (set->n == 0) {
        return false;
    }
    if (set->sorted < set->n) {
        qsort(set->ids, set->n, sizeof *set->ids, compare);
        set->sorted = set->n;
    }
    return bsearch(&id, set->ids, set->n, sizeof *set->ids, compare) != NULL;
}

void ts_file_set_free(ts_ctx *ctx, ts_file_set *set)
{
    ts_free(ctx, set->ids);
    *set = (ts_file_set){0};
}
