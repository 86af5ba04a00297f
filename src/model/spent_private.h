/* Pieces of time, and what they make of a thread. */
#ifndef TS_MODEL_SPENT_PRIVATE_H
#define TS_MODEL_SPENT_PRIVATE_H

#include "base/sorter.h"
#include "model/spent.h"

/* What a piece says, those that count first in front. */
typedef enum spent_class {
    SPENT_RECORDED,
    SPENT_STATE,
    SPENT_SAMPLE,
    SPENT_WAIT,
    SPENT_CLASSES,
    SPENT_NOMINAL = SPENT_CLASSES /* a moment with CPU time of no place */
} spent_class;

/* What it is, beside a ts_wait_reason. */
enum { SPENT_RAN = TS_WAIT_REASONS, SPENT_NEITHER };

typedef struct spent_piece {
    uint64_t lane;
    uint64_t begin; /* ts_sorter_key */
    uint64_t what;  /* class << 8 | ts_wait_reason, SPENT_RAN or SPENT_NEITHER */
    uint64_t end;   /* ts_sorter_key */
    int64_t cpu;    /* of SPENT_RECORDED and SPENT_NOMINAL */
    int64_t lock;   /* of SPENT_RECORDED: waited for locks in it */
} spent_piece;

enum { SPENT_KEYS = 4 };

/* A pause of a runtime. */
typedef struct spent_pause {
    int64_t source_id, begin, end;
} spent_pause;

/* The pieces of a thread in their order, one at a time. */
typedef struct spent_sweep spent_sweep;
ts_code spent_sweep_open(spent_sweep **out, ts_ctx *ctx);
void spent_sweep_close(spent_sweep *s);
/* The pauses are in the order of time, do not overlap, and are borrowed. */
void spent_sweep_begin(spent_sweep *s, ts_spent *thread, ts_span range, const spent_pause *pauses,
                       size_t pause_count);
ts_code spent_sweep_add(spent_sweep *s, const spent_piece *piece);
void spent_sweep_end(spent_sweep *s);

#endif
