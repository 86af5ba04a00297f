#include "serve/api/derived.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

ts_code ts_identity_of(ts_identity *out, ts_ctx *ctx, const char *path)
{
    struct stat st;
    if (stat(path, &st) != 0) {
        return ts_fail(ctx, TS_ERR_INPUT, "the database is not there any more: %s",
                       strerror(errno));
    }
    *out = (ts_identity){st.st_dev, st.st_ino, st.st_size, st.st_mtim};
    return TS_OK;
}

bool ts_identity_same(const ts_identity *a, const ts_identity *b)
{
    return a->dev == b->dev && a->ino == b->ino && a->size == b->size &&
           a->changed.tv_sec == b->changed.tv_sec && a->changed.tv_nsec == b->changed.tv_nsec;
}

ts_derived *ts_derived_open(void)
{
    void *p =
        mmap(NULL, sizeof(ts_derived), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}

void ts_derived_close(ts_derived *d)
{
    if (d != NULL) {
        (void)munmap(d, sizeof *d);
    }
}

bool ts_derived_add(ts_derived *d, size_t database, const ts_identity *of, const char *path)
{
    size_t made = atomic_load(&d->made);
    if (made == TS_DERIVED_COPIES || strlen(path) >= sizeof d->copies[0].path) {
        return false;
    }
    d->copies[made].database = database;
    d->copies[made].of = *of;
    memcpy(d->copies[made].path, path, strlen(path) + 1);
    atomic_store(&d->made, made + 1);
    atomic_store(&d->all[database].state, TS_DERIVED_DONE);
    return true;
}

void ts_derived_failed(ts_derived *d, size_t database, const char *message)
{
    ts_derived_file *one = &d->all[database];
    (void)snprintf(one->message, sizeof one->message, "%s", message);
    atomic_store(&one->state, TS_DERIVED_FAILED);
}

const char *ts_derived_find(const ts_derived *d, size_t database, const ts_identity *now)
{
    for (size_t i = d == NULL ? 0 : atomic_load(&d->made); i > 0; i--) {
        const ts_derived_copy *copy = &d->copies[i - 1];
        if (copy->database == database && ts_identity_same(&copy->of, now)) {
            return copy->path;
        }
    }
    return NULL;
}
