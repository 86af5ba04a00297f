/*
 * The context of one conversion: everything that other programs would keep in globals.
 *
 * Every function that allocates, reads, writes or can be cancelled takes a ts_ctx. It is created
 * by cli/ (or by a test, which may replace the allocator, the system calls and the limits) and
 * outlives everything made with it. It is used by one thread at a time; another thread has a copy
 * with an error of its own, whose memory is counted in the first (memory_of).
 */
#ifndef TS_BASE_CONTEXT_H
#define TS_BASE_CONTEXT_H

#include "base/hash.h"
#include "base/result.h"
#include "base/time_range.h"

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <sys/stat.h>

/* System calls of the conversion, replaceable so that tests can let each one fail. */
typedef struct ts_sys {
    void *user;
    int (*open)(void *user, const char *path, int flags, mode_t mode);
    int (*close)(void *user, int fd);
    ssize_t (*read)(void *user, int fd, void *buf, size_t n);
    ssize_t (*pread)(void *user, int fd, void *buf, size_t n, off_t off);
    ssize_t (*write)(void *user, int fd, const void *buf, size_t n);
    ssize_t (*pwrite)(void *user, int fd, const void *buf, size_t n, off_t off);
    int (*fstat)(void *user, int fd, struct stat *st);
    int (*fsync)(void *user, int fd);
    int (*ftruncate)(void *user, int fd, off_t len);
    int (*rename)(void *user, const char *from, const char *to);
    int (*unlink)(void *user, const char *path);
    /* Of names in an open directory. */
    int (*openat)(void *user, int dir, const char *name, int flags, mode_t mode);
    int (*linkat)(void *user, int from_dir, const char *from, int to_dir, const char *to,
                  int flags);
    int (*renameat)(void *user, int from_dir, const char *from, int to_dir, const char *to);
    int (*unlinkat)(void *user, int dir, const char *name);
} ts_sys;

/* The allocator below base/alloc.h. Contract of realloc/free; `n` is never 0. */
typedef struct ts_allocator {
    void *user;
    void *(*realloc)(void *user, void *p, size_t n);
    void (*free)(void *user, void *p);
} ts_allocator;

typedef enum ts_log_level { TS_LOG_ERROR, TS_LOG_WARN, TS_LOG_INFO, TS_LOG_DEBUG } ts_log_level;

/* Where messages go. `write` gets one line without a newline; text from input is already escaped.
 */
typedef struct ts_logger {
    void *user;
    ts_log_level level; /* messages above it are not formatted */
    void (*write)(void *user, ts_log_level level, const char *line);
} ts_logger;

/* Limits; 0 = no limit for max_memory, all others are always positive. */
typedef struct ts_limits {
    uint64_t max_memory;      /* bytes allocated at any time; default 0 */
    uint64_t max_inflate;     /* bytes out of one compressed input; default 64 GiB */
    uint64_t inflate_ratio;   /* default 1000, checked after inflate_grace bytes out */
    uint64_t inflate_grace;   /* default 64 MiB */
    uint64_t max_string;      /* bytes of one string; default 512 MiB */
    uint64_t max_message;     /* bytes of one protobuf message that is held whole; 256 MiB */
    uint32_t json_depth;      /* default 10 000 000 */
    uint32_t archive_depth;   /* nested wrappers; default 4 */
    uint32_t archive_members; /* default 100 000 */
} ts_limits;

typedef struct ts_ctx {
    ts_allocator allocator;
    ts_sys sys;
    ts_logger logger;
    ts_limits limits;
    ts_time_range time_range; /* what of the inputs is wanted; zeroed: all */
    const char *syscalls;     /* numbers that are wanted, "3,63"; NULL: all */
    const char *symbols;      /* folder with the files that recordings name; NULL: none */
    const char *version;      /* of the program, for what it writes; static */
    bool compat;              /* values of the reference converter where scripts compare them */
    bool strict;              /* a stream ends at a record that makes no sense */
    const volatile sig_atomic_t *cancel; /* NULL, or becomes the number of the signal */
    const char *share_dir; /* where questions are shipped; NULL: beside the program, or installed */
    const char *question_dirs; /* of the user's own questions, with colons between; NULL: none */
    const char *tmpdir;        /* for anonymous spools; default $TMPDIR or /var/tmp */
    ts_error error;            /* the chain of the call that failed last */
    ts_hash_key hash_key;      /* of all hash tables; random */
    struct ts_ctx *memory_of;  /* what counts its memory, that of another thread; NULL: it does */
    uint64_t memory_used;      /* kept by base/alloc.c */
    uint64_t memory_peak;
} ts_ctx;

/* Sets all defaults. No resources are taken; there is nothing to release. */
void ts_ctx_init(ts_ctx *ctx);

/* Sets the root cause and returns `code`. */
ts_code ts_fail(ts_ctx *ctx, ts_code code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds an outer cause and returns the code of the chain. */
ts_code ts_cause(ts_ctx *ctx, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/*
 * System calls that a signal may interrupt, made again until they are done. They give up with EINTR
 * only when the signal asked the conversion to stop, so that a pipe without a partner cannot hold
 * it. Results and errno are those of the calls.
 */
int ts_sys_open(ts_ctx *ctx, const char *path, int flags, mode_t mode);
int ts_sys_fsync(ts_ctx *ctx, int fd);
int ts_sys_ftruncate(ts_ctx *ctx, int fd, off_t len);

/*
 * As many calls as it takes to read or write all n bytes, at the position of the descriptor or at
 * `off`. Reading returns how many bytes there are, fewer than n only at the end of the file, or -1.
 * Writing returns 0 or -1. errno is that of the call that failed; ENOSPC when a call wrote nothing,
 * and EINTR when another call is needed and the conversion is asked to stop. The first call is made
 * in any case: messages are written after a signal as well. After a failure it is not known how
 * much was written.
 */
ssize_t ts_sys_read_all(ts_ctx *ctx, int fd, void *p, size_t n);
ssize_t ts_sys_pread_all(ts_ctx *ctx, int fd, void *p, size_t n, off_t off);
int ts_sys_write_all(ts_ctx *ctx, int fd, const void *p, size_t n);
int ts_sys_pwrite_all(ts_ctx *ctx, int fd, const void *p, size_t n, off_t off);

/*
 * Closes a file that was written. Network file systems report here what they could not write.
 * The descriptor is gone in any case; that the call was interrupted is no failure.
 */
int ts_sys_close_written(ts_ctx *ctx, int fd);

/* TS_ERR_INTERRUPTED once a signal has come, else TS_OK. Cheap: call it once a block. */
ts_code ts_check_cancel(ts_ctx *ctx);

/* A message for the log file and -l; never needed to understand the result. */
void ts_log(ts_ctx *ctx, ts_log_level level, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

#endif
