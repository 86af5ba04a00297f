/*
 * The objects of a dump in their order, until their sizes are known: in memory, or, where that
 * would take more than a part of --max-memory, in a temporary file. They are read from the first to
 * the last. Only where ids are sorted, since the map of ids does not fit, all are in memory.
 */
#include "parsers/hprof/hprof.h"

#include "base/alloc.h"

enum { LIMIT_PART = 16, AT_ONCE = 4096 };

static ts_code store(hprof_dump *d)
{
    hprof_list *l = &d->list;
    if (l->stored == NULL) {
        TS_TRY(ts_spool_new(&l->stored, d->f->ctx));
    }
    TS_TRY(ts_spool_write(l->stored, l->held.p, l->held.n * sizeof(hprof_object)));
    l->held.n = 0;
    return TS_OK;
}

ts_code hprof_list_add(hprof_dump *d, const hprof_object *o)
{
    hprof_list *l = &d->list;
    const uint64_t limit = d->f->ctx->limits.max_memory / LIMIT_PART;
    if (limit != 0 && l->held.n >= AT_ONCE && l->held.n % AT_ONCE == 0 &&
        2 * l->held.n * sizeof *o > limit) {
        TS_TRY(store(d));
    }
    if (l->held.n == l->held.cap) {
        TS_TRY(ts_vec_reserve(d->f->ctx, &l->held, 1, sizeof *o));
    }
    ((hprof_object *)l->held.p)[l->held.n++] = *o;
    d->objects++;
    return TS_OK;
}

ts_code hprof_list_end(hprof_dump *d)
{
    hprof_list *l = &d->list;
    if (l->stored == NULL) {
        return TS_OK;
    }
    TS_TRY(store(d));
    ts_vec_free(d->f->ctx, &l->held);
    return ts_vec_reserve(d->f->ctx, &l->held, AT_ONCE, sizeof(hprof_object));
}

bool hprof_list_more(ts_code *code, hprof_cursor *c)
{
    hprof_list *l = &c->d->list;
    const uint64_t seq = c->part + c->n;
    const size_t left = (size_t)(c->d->objects - seq);
    size_t got = 0;
    if (*code != TS_OK || left == 0) {
        return false;
    }
    *code = ts_check_cancel(c->d->f->ctx);
    c->all = l->held.p;
    c->part = seq;
    c->at = 0;
    c->n = (unsigned)(left < AT_ONCE ? left : AT_ONCE);
    if (l->stored == NULL) {
        c->all += seq;
    } else if (*code == TS_OK) {
        *code = ts_spool_read(&got, l->stored, seq * sizeof(hprof_object), l->held.p,
                              c->n * sizeof(hprof_object));
    }
    return *code == TS_OK;
}

ts_code hprof_list_hold(hprof_dump *d)
{
    hprof_list *l = &d->list;
    size_t got;
    if (l->stored == NULL) {
        return TS_OK;
    }
    TS_TRY(ts_vec_reserve(d->f->ctx, &l->held, d->objects, sizeof(hprof_object)));
    TS_TRY(ts_spool_read(&got, l->stored, 0, l->held.p, d->objects * sizeof(hprof_object)));
    ts_spool_free(l->stored);
    l->stored = NULL;
    return TS_OK;
}

void hprof_list_free(hprof_dump *d)
{
    ts_spool_free(d->list.stored);
    d->list.stored = NULL;
    ts_vec_free(d->f->ctx, &d->list.held);
}
