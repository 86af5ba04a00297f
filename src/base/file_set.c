#include "base/file_set.h"

#include <stdlib.h>

ts_code ts_file_set_add(ts_ctx *ctx, ts_file_set *set, dev_t dev, ino_t ino)
{
    ts_file_id *id = ts_vec_add(ctx, &set->ids, sizeof *id);
    TS_NEED(ctx, id);
    *id = (ts_file_id){dev, ino};
    return TS_OK;
}

static int file_set_compare(const void *a, const void *b)
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
    if (set->ids.n == 0) {
        return false;
    }
    if (set->sorted < set->ids.n) {
        qsort(set->ids.p, set->ids.n, sizeof id, file_set_compare);
        set->sorted = set->ids.n;
    }
    return bsearch(&id, set->ids.p, set->ids.n, sizeof id, file_set_compare) != NULL;
}

void ts_file_set_free(ts_ctx *ctx, ts_file_set *set)
{
    ts_vec_free(ctx, &set->ids);
    *set = (ts_file_set){0};
}
