/*
 * A comparison of two databases, or of two sources of one. The program and the library are made of
 * it; it prints nothing.
 *
 *     diff_comparison d;
 *     diff_begin(&d, ctx, &asked);
 *     ts_code code = diff_prepare(&d);
 *     TS_STEP(code, diff_open(&d, &inputs));
 *     TS_STEP(code, diff_run(&d));         then d.result has the rows
 *     diff_end(&d);
 */
#ifndef TS_SESSION_DIFF_COMPARE_H
#define TS_SESSION_DIFF_COMPARE_H

#include "model/call_stacks.h"
#include "session/diff/diff_rows.h"
#include "session/finished_reader.h"

/* --- what is asked ---------------------------------------------------------------------------- */

/* What the options of the same names say; zeroed members are the defaults. Texts are borrowed. */
typedef struct diff_asked {
    const char *by;             /* NULL: the first that both sides have */
    const char *before, *after; /* sources of the sides; before "none": only one input */
    const char *source;         /* of both, where these say nothing */
    const char *thread, *event, *label, *weight, *from, *until;
    bool demangle;
    uint64_t limit;                /* rows that are kept; 0: all */
    const char *const *conditions; /* of --fail-if */
    size_t condition_count;
    /* Databases that are runs of a baseline, which is the side before (diff_rows.h), and what that
     * is called: there is one input, the one after, and `before` is a source of each run. */
    const char *const *runs;
    size_t run_count;
    const char *baseline;
    /* NULL, or told what else there is to know of the result, a sentence without its point. */
    void (*note)(void *user, const char *text);
    void *note_user;
    ts_reader_guard *guard; /* NULL, or as session/finished_reader.h says */
} diff_asked;

/* What of profiles is wanted; the source is that of a side. */
ts_stack_filter diff_stack_filter(const diff_asked *asked, const char *source);

/* --- diff_side.c ------------------------------------------------------------------------------ */

/* One of the two inputs of a comparison: a database, and what of it is compared. */
typedef struct diff_side {
    ts_ctx *ctx;
    const char *path;     /* for messages; of the database too if fd is -1 */
    const char *selector; /* of --before, --after or --source; NULL: all */
    bool nothing;         /* there is no input */
    ts_db *db;
    int fd;        /* of the database, where it has no path that lasts; else -1 */
    bool borrowed; /* db is that of the other side */
    ts_buf chosen; /* ids of the sources, as questions take them, with a zero byte; empty: all */
    int64_t file;  /* of heaps: id in js_heap_files; -1: none */
    bool analysed; /* the file has rows of the analysis heap */
    ts_buf label;  /* "heap.db, Snapshot1", with a zero byte */
} diff_side;

/* Whether both have the same sources of one input. */
bool diff_sides_same(const diff_side sides[2]);

/* Scans of its pages; *copy: what is read instead, or NULL. The caller frees the reader, then the
 * copy, before the side is closed. */
ts_code diff_side_reader(ts_reader **out, ts_target **copy, const diff_side *s,
                         const diff_asked *asked);

/* --- diff_compare.c --------------------------------------------------------------------------- */

typedef struct diff_inputs {
    const char *paths[2]; /* what messages call them, and the databases */
    unsigned count;       /* 1: both sides are of the first one */
    bool one;             /* they are the same */
    /* Opens that of a side: sets s->db, which is closed with the comparison, and s->fd. */
    ts_code (*open)(void *user, diff_side *s, unsigned side);
    /* NULL, or told that a run of a baseline, which was opened as side 0, is closed. */
    void (*closed)(void *user);
    void *user;
} diff_inputs;

/* Everything that a comparison holds. */
typedef struct diff_comparison {
    ts_ctx *ctx;
    diff_asked asked;
    ts_questions all; /* what can be compared, in order */
    bool *fits;       /* one each: both sides have it */
    const ts_shipped *by;
    diff_shape shape;
    diff_shape classes; /* of class.sql, for heaps */
    diff_condition *conditions;
    diff_side sides[2];
    bool one;         /* a single input */
    bool is_explicit; /* sources were chosen, so that the sides of a single input differ */
    diff_table table;
    struct diff_heap *heap;
    struct diff_methods *methods;
    diff_result result; /* after diff_run */
    ts_buf others;      /* "node, series": what else both sides have, with a zero byte after it */
    const char *run_source; /* these are of a baseline */
    const diff_inputs *inputs;
    diff_baseline *baseline;
    uint64_t run_losses;
} diff_comparison;

void diff_begin(diff_comparison *d, ts_ctx *ctx, const diff_asked *asked);

/* All that can be wrong before an input is opened. TS_ERR_USAGE. */
ts_code diff_prepare(diff_comparison *d);

/* Opens both sides and finds their sources. TS_ERR_USAGE; TS_ERR_INPUT for databases of other
 * versions of the schema. With a baseline the inputs are borrowed until diff_run. */
ts_code diff_open(diff_comparison *d, const diff_inputs *inputs);

/* Chooses what is compared, and compares. TS_ERR_USAGE when the sides do not have it. */
ts_code diff_run(diff_comparison *d);

/* Makes the labels of both sides. */
ts_code diff_labels(diff_comparison *d);

/* How many losses each input has, of which a note is made. */
ts_code diff_losses(uint64_t losses[2], diff_comparison *d);

/* TS_ERR_USAGE: both sides are the same, as diff_run has it too. */
ts_code diff_same(const diff_comparison *d);

/* Whether a condition holds. */
bool diff_failed(const diff_comparison *d);

/* Releases all, and closes the databases. */
void diff_end(diff_comparison *d);

#endif
