/*
 * Folded (collapsed) stacks: a line for each stack, its frames from the outermost on divided by
 * ';', a blank, and a number; two numbers when two profiles are compared.
 *
 * Memory: the longest line (up to FOLDED_MAX_LINE) twice, and 16 bytes for each of its frames; for
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
#include "tables/store_profiles.h"

enum {
    FOLDED_MAX_LINE = 16 << 20,
    FOLDED_HELD = 64 << 10 /* bytes that are looked at before lines are read */
};

/* A frame of the line before: where its text ends, and its row. */
typedef struct folded_step {
    size_t end;
    int64_t node;
} folded_step;

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
    ts_vec methods; /* int64_t by number of the frame's text */
    ts_buf last;    /* the stack of the line before */
    ts_vec path;    /* folded_step */
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

/* The method of a frame; a token that names a process or thread has none: 0. */
ts_code folded_method(int64_t *method, int64_t *line, folded *f, ts_text frame);

/* Bytes of the tokens at the beginning that name the process and the thread, with their ';'. */
ts_code folded_tokens(size_t *n, folded *f, ts_text stack);

#endif
