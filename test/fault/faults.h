/*
 * Failure of everything below a conversion, for tests that run it in their own process: every
 * allocation of base/alloc.h and every system call of ts_ctx.sys can be made to fail by its number.
 */
#ifndef TS_TEST_FAULTS_H
#define TS_TEST_FAULTS_H

#include "support.h"

enum { FAULT_TEXT = 4096 };

typedef struct faults {
    const char *what; /* the call that fails, "realloc", "pwrite" ...; NULL: every system call */
    uint64_t fail_at; /* number of the call that fails, from 1; 0: none */
    uint64_t calls;   /* so many of `what` were seen */
    const char *const *names; /* to count calls of several names in one run, or NULL */
    uint64_t *seen;           /* of each of the names */
    size_t name_count;
    int number;        /* errno of the failure */
    bool forever;      /* and all after it */
    bool failed;       /* it came so far */
    bool message_lost; /* the call that failed was to write text to descriptor 1 or 2 */
    size_t most;       /* bytes of one read or write; 0: no limit */
    bool interrupt;    /* every second call that may be interrupted is */
    int open_files;    /* balance of opened and closed */
    int64_t blocks;    /* allocated and not yet freed, in blocks */
    uint64_t toggle;
    size_t text_n;
    char text[FAULT_TEXT + 1]; /* what went to descriptors 1 and 2, cut */
    ts_sys sys;                /* those below */
    ts_allocator allocator;
} faults;

/* Puts the faults between the context and the system. They must outlive its use. */
void faults_install(faults *f, ts_ctx *ctx);

/* True when the call that is being made must fail; sets errno. For other allocators of a test. */
bool faults_hit(faults *f, const char *what);

/* Paths in the folder; the caller frees with free(). */
char *fault_path(const char *dir, const char *name);

/* A new empty folder below $TMPDIR or /tmp; the caller frees the name after fault_remove. */
char *fault_folder(void);
void fault_remove(char *dir);
void fault_empty(const char *dir); /* removes the files in it */

/* Names in a folder, "." and ".." not counted. */
int fault_names(const char *dir);

/* The file is there and has these bytes. */
bool fault_file_is(const char *path, const void *p, size_t n);

/* TS_SLOW=1: all points of a sweep, else so many steps at most that `points` are tried. */
uint64_t fault_step(uint64_t all, uint64_t points);

#endif
