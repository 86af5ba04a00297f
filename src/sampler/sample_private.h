/* What the two files of the writer of sample directories share. */
#ifndef TS_SAMPLER_SAMPLE_PRIVATE_H
#define TS_SAMPLER_SAMPLE_PRIVATE_H

#include "sampler/sample_writer.h"

typedef struct ts_writer_slot {
    int64_t step;
    int32_t us;
} ts_writer_slot;

typedef struct ts_writer_thread {
    int64_t id;
    ts_buf name;
    const char *state;
    int64_t priority;
    bool daemon;
    int64_t begin_ms, last_ms, cpu_ns, cpu_delta;
    int64_t count;
    int64_t last_step;    /* of the last record */
    int64_t written_step; /* of the last slot in the file */
    ts_vec stack;         /* of int64_t: the last record's */
    ts_vec slots;         /* of ts_writer_slot, not written yet */
    ts_buf index, data;   /* not written yet */
    uint64_t data_offset; /* bytes of the data file with what is not written yet */
    bool has_files;
} ts_writer_thread;

/* The lowest `bytes` bytes, the highest first. */
ts_code ts_sample_put_be(ts_ctx *ctx, ts_buf *b, uint64_t v, unsigned bytes);

/* The thread object of the format's description: of a record and of the summary. */
ts_code ts_sample_put_object(ts_ctx *ctx, ts_buf *b, const ts_writer_thread *t);

#endif
