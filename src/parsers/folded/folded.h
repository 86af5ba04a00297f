/*
 * Folded (collapsed) stacks: a line for each stack, its frames from the outermost on divided by
 * ';', a blank, and a number; two numbers when two profiles are compared.
 *
 * Memory: the longest line (up to FOLDED_MAX_LINE) twice, and 12 bytes for each of its frames; for
 * each distinct frame 32 bytes and its text up to 128 bytes; what the store keeps of call paths and
 * methods. Docs: docs/formats.md, "Folded stacks".
 */
#ifndef TS_PARSERS_FOLDED_FOLDED_H
#define TS_PARSERS_FOLDED_FOLDED_H

#include "base/buf.h"
#include "base/ckd.h"
#include "tables/frame_names.h"
#include "base/pool.h"
#include "base/vec.h"
#include "parsers/format.h"
#include "tables/store_paths.h"
#include "tables/store_profiles.h"

enum {
    FOLDED_MAX_LINE = 16 << 20,
    FOLDED_HELD = 64 << 10, /* bytes that are looked at before lines are read */
    FOLDED_BATCH = 64,      /* lines whose call paths are looked up together */
    FOLDED_FRAMES = 1 << 15 /* no more lines are added to as many frames */
};

/* A frame of the line before: where its text ends, and its number. */
typedef struct folded_step {
    uint32_t end; /* of a line that is not too long */
    uint32_t frame;
} folded_step;

/* A line whose rows are not written yet: its frames, from `first` on in `stack`. */
typedef struct folded_sample {
    size_t first, n;
    int64_t itid; /* -1: none */
    int64_t value[2];
} folded_sample;

typedef struct folded {
    ts_job *job;
    ts_sink *sink;
    int64_t source_id;
    char name[TS_SOURCE_NAME];
    ts_profile_id id;

    ts_buf line;    /* that is being read */
    bool too_long;  /* it is passed over */
    uint64_t lines; /* seen */
    uint64_t at;    /* offset of its beginning */
    uint64_t fed;

    /* Lines at the beginning, until it is known whether they have one number or two. */
    ts_buf held;
    bool decided, differential;

    ts_pool frames;
    ts_vec numbers; /* uint32_t by number of the frame's text: the frame's in `paths` */
    ts_path_store paths;
    ts_buf last; /* the stack of the line before */
    ts_vec path; /* folded_step */

    ts_vec stack; /* uint32_t, frames of the batch */
    unsigned batch_n;
    folded_sample batch[FOLDED_BATCH];
    ts_path_walk walks[FOLDED_BATCH];
    ts_row_stack_sample rows[FOLDED_BATCH];
    ts_row_stack_sample_value values[2 * FOLDED_BATCH];

    ts_buf clean, scratch;

    ts_profile_type types[2];
    int64_t pid; /* 0: none */
    int64_t ipid;
    int64_t itid; /* of the line; -1: none */
    bool java, python;

    uint64_t good, bad, rounded, bad_texts;
} folded;

/* What is at the end of a line. */
typedef struct folded_weights {
    size_t stack; /* bytes of the stack */
    int64_t value[2];
    unsigned count; /* 0: it is no line of this format */
    bool rounded;
    bool overflow;
} folded_weights;

/* Numbers at the end of a line without CR and LF: at most `most`. */
folded_weights folded_read_weights(ts_text line, unsigned most);

/* Nothing, or blanks, or what begins with #. */
bool folded_is_comment(ts_text line);

/* One line, without its end. */
ts_code folded_line(folded *f, ts_text line);

/* The rows of lines that have none yet. */
ts_code folded_flush(folded *f);

/* The number of a frame. */
ts_code folded_number(uint32_t *number, folded *f, ts_text frame);

/* Bytes of the tokens at the beginning that name the process and the thread, with their ';'. */
ts_code folded_tokens(size_t *n, folded *f, ts_text stack);

#endif
