/*
 * Gives SQLite the C library's own allocator while fuzzing: it makes tens of thousands of
 * allocations for one database, and is not what is looked for errors, so that the sanitizer's
 * bookkeeping would only make it slow.
 */
#ifndef TS_FUZZ_FUZZ_SQLITE_H
#define TS_FUZZ_FUZZ_SQLITE_H

#include "fuzz.h"

#include <sqlite3.h>

#if defined(__GLIBC__) && !defined(TS_FUZZ_REPLAY)

/* glibc's functions below malloc and its kin, which the sanitizer has replaced. */
extern void *__libc_malloc(size_t n);
extern void *__libc_realloc(void *p, size_t n);
extern void __libc_free(void *p);

enum { FUZZ_SIZE_ROOM = 16 };

static inline void *fuzz_sqlite_sized(char *block, int n)
{
    if (block == NULL) {
        return NULL;
    }
    memcpy(block, &n, sizeof n);
    return block + FUZZ_SIZE_ROOM;
}

static inline void *fuzz_sqlite_malloc(int n)
{
    return fuzz_sqlite_sized(__libc_malloc((size_t)n + FUZZ_SIZE_ROOM), n);
}

static inline void *fuzz_sqlite_realloc(void *p, int n)
{
    return fuzz_sqlite_sized(__libc_realloc((char *)p - FUZZ_SIZE_ROOM, (size_t)n + FUZZ_SIZE_ROOM),
                             n);
}

static inline void fuzz_sqlite_free(void *p)
{
    if (p != NULL) {
        __libc_free((char *)p - FUZZ_SIZE_ROOM);
    }
}

static inline int fuzz_sqlite_size(void *p)
{
    int n = 0;
    if (p != NULL) {
        memcpy(&n, (char *)p - FUZZ_SIZE_ROOM, sizeof n);
    }
    return n;
}

static inline int fuzz_sqlite_roundup(int n)
{
    return (n + 7) & ~7;
}

static inline int fuzz_sqlite_start(void *user)
{
    (void)user;
    return SQLITE_OK;
}

static inline void fuzz_sqlite_stop(void *user)
{
    (void)user;
}

/* Before the first use of SQLite. */
static inline void fuzz_sqlite_setup(void)
{
    static bool done;
    static const sqlite3_mem_methods methods = {
        fuzz_sqlite_malloc,  fuzz_sqlite_free,  fuzz_sqlite_realloc, fuzz_sqlite_size,
        fuzz_sqlite_roundup, fuzz_sqlite_start, fuzz_sqlite_stop,    NULL};
    if (!done) {
        check(sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) == SQLITE_OK);
        done = true;
    }
}

#else

static inline void fuzz_sqlite_setup(void) {}

#endif

#endif
