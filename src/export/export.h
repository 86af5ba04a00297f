/*
 * Exports: a finished database as a file of another format, for another program. An export reads
 * tables by typed scans (tables/table_scan.h), mostly through model/call_stacks.h, and hands bytes
 * over; it knows no SQL, no other export, and neither prints nor opens files. One file and one line
 * in TS_EXPORTS each; export_parts.h has what they are made of.
 */
#ifndef TS_EXPORT_EXPORT_H
#define TS_EXPORT_EXPORT_H

#include "base/context.h"
#include "base/text.h"
#include "model/call_stacks.h"

/* One database, and how it is called in what is written. */
typedef struct ts_export_side {
    ts_reader *reader;
    const char *title; /* such as the base name of the input */
    ts_stack_filter filter;
} ts_export_side;

/* Several databases, whose stacks are shown together, each below a frame with its title. */
typedef struct ts_export_several {
    void *user;
    /* The next one, whose reader is valid until the next call; reader NULL: there is none. */
    ts_code (*next)(ts_export_side *side, void *user);
    /* What it was asked for is not in it: ctx->error says why. */
    void (*left_out)(void *user);
} ts_export_several;

typedef struct ts_export_input {
    ts_export_side side; /* with `several` its title is that of all, and there is no reader */
    const ts_export_side *before;     /* NULL, or the older one: the difference is wanted */
    const ts_export_several *several; /* NULL: one database */
    const char *dimension; /* by what frames are joined, as it was typed; NULL: the usual */
    bool lp_derived;       /* metrics that Datakit would have as 0, too */
    bool lp_extended;      /* what Datakit's structure has and its points lack, too */
} ts_export_input;

/* Where the bytes go, in order. A failure of a call ends the export. */
typedef struct ts_export_output {
    void *user;
    ts_code (*put)(void *user, const char *p, size_t n);
    /* Of exports that write folders: what follows is the file of this name, from its beginning on,
     * also when it was begun before. NULL for others. */
    ts_code (*file)(void *user, const char *name);
} ts_export_output;

typedef struct ts_export {
    const char *name;      /* for --to */
    const char *title;     /* what it is and which program reads it, a few words */
    const char *extension; /* of its files, with the point */
    /* Tables of which one must have rows, as in the part Needs of a question: "table (what its
     * rows are), ..." */
    const char *needs;
    bool difference; /* it can show `before` */
    bool several;    /* it can show several databases */
    bool dimensions; /* it knows `dimension` */
    bool points;     /* it knows lp_derived and lp_extended */
    bool folder;     /* it writes files of whole tables into a folder: no filter is for it */
    size_t work;     /* bytes of its struct (export_parts.h) */
    /* TS_ERR_USAGE when the filter fits nothing; the message says what there is. */
    ts_code (*run)(void *work);
    void (*release)(void *work); /* what it holds beside the parts; NULL: nothing */
} ts_export;

/* All of them, in the order of --to=list. */
#define TS_EXPORTS(X)                                                                              \
    X(flame)                                                                                       \
    X(folded)                                                                                      \
    X(speedscope)                                                                                  \
    X(pprof)                                                                                       \
    X(chrome)                                                                                      \
    X(firefox)                                                                                     \
    X(datakit_flamegraph)                                                                          \
    X(line_protocol)                                                                               \
    X(profile_json)                                                                                \
    X(parquet)

#define TS_EXPORT_DECLARED(name) extern const ts_export ts_export_##name;
TS_EXPORTS(TS_EXPORT_DECLARED)

/* The same as an array; NULL ends it. */
extern const ts_export *const ts_exports[];

/* The export of that name. TS_ERR_USAGE names those that there are. */
ts_code ts_export_find(const ts_export **out, ts_ctx *ctx, const char *name);

/* Runs it. TS_ERR_USAGE for a difference, dimension or several databases that it cannot show;
 * errors name the export. */
ts_code ts_export_run(ts_ctx *ctx, const ts_export *what, const ts_export_input *input,
                      const ts_export_output *output);

#endif
