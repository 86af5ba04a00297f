/* What the writers of Chrome's trace events share: export_chrome.c has them all but slices. */
#ifndef TS_EXPORT_CHROME_H
#define TS_EXPORT_CHROME_H

#include "base/sorter.h"
#include "export/export_names.h"
#include "model/cells.h"
#include "export/export_json.h"

enum { CHUNK_SAMPLES = 1000 };

typedef struct chrome_work {
    ts_ctx *ctx;
    ts_reader *reader;
    ts_jout w;
    ts_export_sink sink;
    ts_calls calls; /* only selected when there are no stacks */
    ts_frames frames;
    ts_naming names;
    bool any; /* an event that is no name was written */
    /* The profile that is being written. */
    uint32_t *known; /* by call path: the last profile that has it */
    uint32_t *path;  /* a way up */
    uint32_t profile;
    bool open;
    int64_t source_id, itid;
    ts_who who;
    int64_t last, end; /* time of the last sample, and when it ends */
    unsigned pending;  /* samples of the chunk */
    uint32_t nodes[CHUNK_SAMPLES];
    int64_t deltas[CHUNK_SAMPLES];
    /* Slices of a trace of the system. */
    ts_sorter *args; /* export_chrome_slices.c: arg_record */
    const void *arg; /* the next one */
    ts_scan *words;  /* single rows of data_dict */
    /* Counters. */
    ts_vec series; /* export_chrome.c: chrome_series, by id */
    ts_pool texts;
} chrome_work;

/* Begins an event: {"ph":"X","name":...,"pid":1,"tid":1; ts_jout_ends(&c->w, "}}") ends one with
 * arguments. */
void chrome_begin(chrome_work *c, const char *phase, ts_text name, ts_who who);

/* A time in microseconds. */
void chrome_time(chrome_work *c, const char *key, int64_t ns);

/* Slices of a trace of the system (callstack): X, B, b and e events. */
ts_code chrome_slices(chrome_work *c);

#endif
