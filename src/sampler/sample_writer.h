/*
 * Writes a sample directory of the Flare profiler (docs/formats.md, "Flare"), which readers may
 * open while it grows: names of methods come before the stacks that use them, data before its
 * index, and the summary replaces the one before it.
 */
#ifndef TS_SAMPLER_SAMPLE_WRITER_H
#define TS_SAMPLER_SAMPLE_WRITER_H

#include "base/buf.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"

enum { TS_SAMPLE_FRAMES = 2000 }; /* of a record; those of the root are left out beyond it */

/* A record as it comes. */
typedef struct ts_sample {
    int64_t id; /* of the thread, > 0 */
    ts_text name;
    const char *state;
    int64_t priority;
    bool daemon;
    int64_t cpu_ns;        /* since the thread began */
    int64_t time_ms;       /* since 1970 */
    const ts_text *frames; /* "class.method", the innermost first */
    const int64_t *ids;    /* not NULL: ids of methods in their place (ts_sample_method) */
    size_t frame_count;
} ts_sample;

typedef struct ts_sample_writer {
    ts_ctx *ctx;
    char *path;
    int dir; /* descriptor of the directory */
    const char *address;
    int64_t interval_ms, sample_start_ms, record_start_ms, last_ms;
    ts_pool methods;                  /* id of a method = number + 1 */
    ts_buf method_index, method_data; /* not written yet */
    uint64_t method_offset;           /* bytes of method_info.fdata with what is not written yet */
    ts_idmap named;                   /* ids of methods that ts_sample_method has written */
    ts_vec threads;                   /* of writer_thread */
    ts_idmap ids;
    ts_vec stack; /* of int64_t */
} ts_sample_writer;

/*
 * Makes a directory below `parent`: the address with '_' for ':', '-', the local time. address is
 * borrowed. TS_ERR_OUTPUT. Caller ends it with ts_sample_writer_close, also after a failure.
 */
ts_code ts_sample_writer_open(ts_sample_writer *w, ts_ctx *ctx, const char *parent,
                              const char *address, int64_t interval_ms, int64_t sample_start_ms,
                              int64_t now_ms);

/* Adds a record, unless the thread used no CPU time since its last one and is where it was
 * (with `always` also then), or its last one is of the same interval. It is kept until
 * ts_sample_writer_flush. TS_ERR_LIMIT when a file would grow beyond 4 GiB. */
ts_code ts_sample_put(ts_sample_writer *w, const ts_sample *sample, bool always);

/* The name of a method, "class.method" with or without "()", by an id that samples then use. Of an
 * id that has a name already the call does nothing. */
ts_code ts_sample_method(ts_sample_writer *w, int64_t id, ts_text name);

/* Writes what was added. After a failure (TS_ERR_OUTPUT) nothing more should be written. */
ts_code ts_sample_writer_flush(ts_sample_writer *w);

/* Frees everything; what was not flushed is lost. */
void ts_sample_writer_close(ts_sample_writer *w);

#endif
