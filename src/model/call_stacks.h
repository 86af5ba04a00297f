/*
 * The stacks of a database as a profile: methods, call paths and their weights, of what a filter
 * wants. Stacks come from stack_sample and stack_slice (a call weighs its own time), or, where a
 * database has neither, from the allocation tree of heap timelines, the dominator trees of analysed
 * heaps, or else from callstack. Stacks of threads in heap dumps are not looked at for it.
 *
 * Memory: 13 bytes a call path and 8 more for each weight that is loaded, 12 a method, and the
 * names of methods that have a weight; never a copy of the samples.
 */
#ifndef TS_MODEL_CALL_STACKS_H
#define TS_MODEL_CALL_STACKS_H

#include "base/ckd.h"
#include "base/pool.h"
#include "base/vec.h"
#include "model/cells.h"
#include "model/sample_events.h"
#include "model/select.h"

/* What a profile is made of, as ts_export.needs has it. */
#define TS_NEEDS_STACKS                                                                            \
    "stack_sample (sampled stacks), stack_slice (traced calls), "                                  \
    "js_heap_trace_node (allocation stacks of a heap), "                                           \
    "js_heap_dominated (analysed heaps), java_heap_dominated (analysed heap dumps of Java), "      \
    "callstack (slices of a trace of the system)"

/* Stands for a thread that was not recorded. */
#define TS_NO_THREAD INT64_MIN

/*
 * What of the database is wanted, as it was typed; NULL: everything. event: stack_sample.event, or
 * "call" for traced invocations. weight: what stacks are weighed by, see ts_calls_open. Of a sample
 * the part in the span counts, a call whole when it begins there (docs/exports.md says why); those
 * without a time are in the whole only. demangle: names of C++ and Rust as they are written
 * (symbols/demangle.h). only, ignore, hide: patterns of frames (model/stack_filter.h). no_idle:
 * without what waits for nothing to do, unless that is the weight. no_samples, no_calls: only
 * calls, only samples.
 */
typedef struct ts_stack_filter {
    ts_wanted wanted;
    const char *event;
    const char *weight;
    const char *only, *ignore, *hide;
    bool demangle;
    bool no_idle;
    bool no_samples, no_calls;
} ts_stack_filter;

/* --- frames -------------------------------------------------------------------------------- */

/* What distinguishes frames, beside the name; the last: of one without a name its line, which is
 * in the label then. */
enum { TS_FRAME_FILE = 1, TS_FRAME_LINE = 2, TS_FRAME_NAMELESS_LINE = 4 };
/* And one that only has ts_frames_line say the line. */
enum { TS_FRAME_SEEN_LINE = 8 };

/* Distinct frames, numbered from 0; profiles that are compared share them. Zeroed with `parts`:
 * empty. Release with ts_frames_free. */
typedef struct ts_frames {
    unsigned parts;
    ts_pool keys;
    ts_vec lines; /* int64_t of each: the least line that it was seen with; 0: none */
} ts_frames;

typedef struct ts_frame {
    ts_text label; /* package.class.name as recorded; (anonymous) without a name */
    ts_text file;  /* may be empty */
    int64_t line;  /* where the method begins; 0: not recorded, or not distinguished */
} ts_frame;

ts_frame ts_frames_get(const ts_frames *frames, uint32_t id);
int64_t ts_frames_line(const ts_frames *frames, uint32_t id);
ts_code ts_frames_intern(ts_ctx *ctx, uint32_t *id, ts_frames *frames, const ts_frame *frame);
void ts_frames_free(ts_ctx *ctx, ts_frames *frames);

/* --- profiles ------------------------------------------------------------------------------ */

typedef enum ts_weight_kind {
    TS_WEIGHT_SAMPLES, /* their number, and that of calls */
    TS_WEIGHT_DUR,     /* dur of samples, self_dur of calls, whatever they stand for */
    TS_WEIGHT_CLASS,   /* what events of one class weigh (model/sample_events.h), in one unit */
    TS_WEIGHT_ASYNC,   /* self_dur of asynchronous spans, which belong to no thread */
    TS_WEIGHT_VALUE,   /* stack_sample_value of one name and unit */
    TS_WEIGHT_HEAP     /* of the tree of heap timelines, or of slices of a trace of the system */
} ts_weight_kind;

/* What call paths weigh by themselves, by their places in ts_paths. */
typedef struct ts_path_weights {
    uint32_t n;
    ts_wide *self;
    uint64_t *count; /* rows */
    ts_wide no_stack;
    uint64_t no_stack_count;
    ts_wide idle; /* left out */
    uint64_t idle_count;
} ts_path_weights;

typedef struct ts_weight {
    ts_weight_kind kind;
    ts_text name;
    ts_text value;      /* name of its kind of value */
    ts_text unit;       /* ns, bytes, count, or as recorded; may be empty */
    ts_event_kind what; /* class of its events; of a class its reason, NULL: all */
    unsigned classes;   /* of a kind of value: a bit for each class that it has, by source */
    bool usual;         /* what a profile of several kinds means to show */
    bool part;          /* it is in the weight of its class, which is listed too, or is no weight */
    bool length;        /* of a class: also of samples and calls by their length */
    bool over;          /* its sum does not fit into 64 bits */
    int64_t *self;      /* by call path, never negative; NULL: not loaded */
    int64_t total;
    bool of_samples, of_calls; /* it has such */
    ts_path_weights of;        /* with ts_calls_weigh, instead of self */
} ts_weight;

enum { TS_WEIGHTS = 80 };

typedef struct ts_calls {
    ts_ctx *ctx;
    ts_reader *reader;
    ts_stack_filter filter;
    bool is_heap;       /* of heaps, or of marks: nothing to visit */
    bool is_marks;      /* of slices of a trace of the system */
    bool is_dominators; /* of what keeps what alive in a heap */
    bool any_sample, any_slice;
    bool filtered;  /* something is not wanted */
    bool stackless; /* ts_calls_each visits also what has no stack, as call path 0 */
    ts_model *model;
    ts_model *own; /* NULL: the model is that of the caller */
    ts_select select;
    ts_events *events; /* NULL: not asked for; kept by the model */
    /* With ts_calls_weigh: */
    const struct ts_paths *paths;       /* item.node is a place in it + 1; kept by the model, or: */
    struct ts_tree_stacks *trees;       /* those of is_heap */
    const struct ts_path_sums *sums[2]; /* of samples and of calls, by which their rows are found;
                                    NULL: all rows are looked at */
    bool no_idle;                       /* what is waiting for nothing to do is left out */
    bool valueless;                     /* rows without a value are counted too, by sums */
    ts_pool *weighed;                   /* events of what has a weight, or NULL */
    /* Each by id, NULL: all of them. */
    ts_vec sliced; /* bool: the source has traced calls */
    ts_pool names; /* of weights */

    uint32_t nodes;    /* call paths 1 to nodes; a caller's number is smaller */
    uint32_t *parent;  /* 0: a root */
    uint32_t *method;  /* 0: not known */
    int32_t *line;     /* that runs, or makes the call; 0: not known */
    bool *used;        /* has a weight, or is on the way to one */
    uint32_t *visible; /* with patterns of frames (model/stack_filter.h), else NULL */
    bool *passes;
    uint32_t methods;
    uint32_t *frame;  /* by method, of those that are used */
    uint64_t *key;    /* the same (model/path_ids.h); 0: not used */
    uint32_t unknown; /* the frame of no method */

    ts_weight weights[TS_WEIGHTS];
    unsigned weight_count;
    unsigned chosen; /* the weight that the filter names, or the default */
} ts_calls;

typedef enum ts_calls_load {
    TS_LOAD_CHOSEN, /* the weight that is chosen */
    TS_LOAD_ALL,    /* and every other one that is not zero everywhere */
    TS_LOAD_COUNT   /* the number of samples and calls, perhaps none; no other weight is known */
} ts_calls_load;

/*
 * Reads the profile. Weights are: cpu, wall, waiting, allocation and live, what the events of one
 * class weigh: the values of that class or, where a source has none in ns, the length of its
 * samples; wall also the own time of calls. waiting:REASON is a part of waiting. The names of
 * stack_value_type, of which the one with the unit U is NAME/U. calls_async, the own time of spans
 * that belong to no thread. samples (or count), the number of samples and calls. dur (or time,
 * self), the length of all samples and calls, which is also what wall means where nothing is of
 * that class. Of heap timelines inuse_space, inuse_objects, alloc_space and alloc_objects.
 *
 * Without a name the first of these that is above zero: CPU time; CPU cycles, then other CPU
 * counts; elapsed time; of a profile of allocations and of what is in use the kind that it means;
 * allocations, bytes first; what is in use; waiting; other values. Frames are interned in `frames`.
 *
 * TS_ERR_USAGE when something that the filter names does not exist, or when nothing has a weight.
 * TS_ERR_LIMIT when a sum does not fit into 64 bits. Release with ts_calls_free, also after an
 * error; reader, frames and what the filter names must live as long.
 */
ts_code ts_calls_open(ts_calls *p, ts_ctx *ctx, ts_reader *reader, const ts_stack_filter *filter,
                      ts_frames *frames, ts_calls_load load);
void ts_calls_free(ts_calls *p);

/* What a request asks for. */
typedef struct ts_weigh_asked {
    const char *event, *weight; /* as in ts_stack_filter */
    bool samples, calls;        /* which rows count */
    bool heap, marks; /* or else, where the database has none of these: heaps, slices of a trace of
                         the system */
    bool no_idle;
    bool valueless;  /* also rows without the weight are counted; of a whole recording only */
    ts_pool *events; /* gets the events of samples that weigh something; NULL: not asked for */
} ts_weigh_asked;

/*
 * What all call paths weigh, of a model that goes on: of a whole recording by sums that are kept,
 * of a span by its rows. p->weights[p->chosen].of has it; nothing that is wanted is no error.
 * Without a name the totals of classes are there, too, as far as they are looked at. *select
 * becomes that of *p. TS_ERR_USAGE when there is no weight of that name, or something is selected
 * that heaps do not have. Release with
 * ts_calls_free, also after an error, and before the model's next request.
 */
ts_code ts_calls_weigh(ts_calls *p, ts_model *m, ts_select *select, const ts_weigh_asked *asked);

/* What the stacks of is_heap are, for people. */
ts_text ts_tree_title(const ts_calls *p);

/* The frame of a call path. */
uint32_t ts_calls_frame(const ts_calls *p, uint32_t node);

/* A sample or call that is wanted, with its part of a weight. */
typedef struct ts_calls_item {
    int64_t id; /* in its table */
    int64_t source_id;
    int64_t itid;       /* or TS_NO_THREAD */
    int64_t ts;         /* or TS_NO_TIME */
    int64_t dur;        /* or TS_NO_TIME; of a call the whole, not its own */
    int64_t own;        /* of a call, without that of its callees, or TS_NO_TIME */
    ts_text event;      /* of a sample, borrowed until the visit ends; may be empty: not recorded */
    int64_t weight;     /* of what has a length, that of the part in the span */
    ts_event_kind what; /* where the weight is of a class */
    uint32_t node;      /* 0: it has none (p->stackless) */
    bool call;
    bool begins; /* in the span; else a part of it lies there */
} ts_calls_item;

typedef ts_code (*ts_calls_visit)(void *user, const ts_calls_item *item);

/*
 * Visits all that is wanted, in the order of the tables: samples, then calls. Those without the
 * weight are left out. Not for heap timelines (visits nothing). Stops at a failure of `visit`.
 */
ts_code ts_calls_each(const ts_calls *p, const ts_weight *weight, ts_calls_visit visit, void *user);

/* The same by source, thread and time, those without a thread or time first; id is not set. Takes
 * 16 MiB and spools (base/sorter.h). */
ts_code ts_calls_sorted(const ts_calls *p, const ts_weight *weight, ts_calls_visit visit,
                        void *user);

/* Whether the filter wants a source, a thread (TS_NO_THREAD: none was recorded), a time. */
bool ts_calls_wants_source(const ts_calls *p, int64_t source_id);
bool ts_calls_wants_thread(const ts_calls *p, int64_t itid);
bool ts_calls_wants_time(const ts_calls *p, int64_t ts);

/* A profile of which only the three above are asked: no stacks are read. */
ts_code ts_calls_select(ts_calls *p, ts_ctx *ctx, ts_reader *reader, const ts_stack_filter *filter);

/* TS_ERR_USAGE: `what` went wrong, and what stacks there are. */
ts_code ts_calls_explain(const ts_calls *p, const char *what);

/* --- the tree of frames ---------------------------------------------------------------------- */

/* Call paths of one or two profiles by their frames: equal paths are one, whatever their source.
 * Numbers from 1; a caller's is smaller. */
typedef struct ts_frame_paths {
    uint32_t n;
    uint32_t cap; /* of the arrays */
    uint32_t *parent;
    uint32_t *frame;
    int64_t *self;   /* of the chosen weight */
    int64_t *before; /* that of the older profile; NULL: there is none */
} ts_frame_paths;

/* before may be NULL. Release with ts_frame_paths_free, also after an error. */
ts_code ts_frame_paths_make(ts_frame_paths *tree, ts_ctx *ctx, const ts_calls *p,
                            const ts_calls *before);
void ts_frame_paths_free(ts_frame_paths *tree, ts_ctx *ctx);

/* Adds a further profile below a path of its own, whose frame is `above`. The tree is zeroed, or
 * one of such profiles. */
ts_code ts_frame_paths_add(ts_frame_paths *tree, ts_ctx *ctx, const ts_calls *p, uint32_t above);

#endif
