/*
 * Analyses: what is found out from rows that were written, and becomes rows. They run between the
 * last import and the end of the store, in the order of one list, or on a finished database. An
 * analysis reads tables by typed scans (tables/table_scan.h) and writes others with ts_put_<table>;
 * it knows no SQL, no format and no other analysis. What the store keeps until its end (source,
 * process, thread, data_dict, issues and counts) has no rows yet: it is asked of the store.
 */
#ifndef TS_ANALYSIS_ANALYSIS_H
#define TS_ANALYSIS_ANALYSIS_H

#include "tables/store.h"
#include "tables/table_scan.h"

typedef enum ts_analysis_cost {
    TS_ANALYSIS_FREE,    /* reads next to no rows: part of every conversion but --analyze=none */
    TS_ANALYSIS_DEFAULT, /* costs little: part of a conversion that chooses no others */
    TS_ANALYSIS_ASKED    /* runs when it is named */
} ts_analysis_cost;

typedef struct ts_analysis {
    const char *name;  /* for --analyze */
    const char *title; /* what it finds out, a few words */
    ts_analysis_cost cost;
    const enum ts_table_id *needs;  /* each must have rows, else there is nothing to do; */
    bool any;                       /* or: one of them */
    const enum ts_table_id *writes; /* tables that only it fills; both end with TS_TABLE_COUNT */
    const ts_issue_code *issues;    /* that only it records; ends with TS_ISSUE_COUNT */
    /*
     * Memory comes before rows: with TS_ERR_LIMIT before the first row the database stays without
     * the analysis (issue analysis_skipped), after it the conversion ends. The reader checks for
     * signals with each piece that it reads; loops beside it call ts_check_cancel.
     */
    ts_code (*run)(ts_ctx *ctx, ts_reader *reader, ts_store *store);
    /* NULL, or: before rows are put; sets *watch, by which it keeps what `run` would read again,
     * and which it finds in the sink then. unwatch frees it; NULL is allowed. */
    ts_code (*watch)(ts_sink_watch **watch, ts_ctx *ctx, const ts_sink *sink);
    void (*unwatch)(ts_sink_watch *watch);
} ts_analysis;

/* In the order in which they run; NULL ends the list (list.c). */
extern const ts_analysis *const ts_analyses[];
extern const ts_analysis ts_analysis_call_views, ts_analysis_sample_views,
    ts_analysis_profile_metrics, ts_analysis_stack_totals, ts_analysis_heap, ts_analysis_markers,
    ts_analysis_napi_async;

/* Numbers in the list, a bit each. */
typedef uint64_t ts_analysis_set;

/*
 * What a value of --analyze means: "none", or names divided by commas, of which "default" stands
 * for those of that cost; list NULL is "default". With `importing`, those that cost nothing are
 * chosen too. TS_ERR_USAGE names what is unknown and what there is.
 */
ts_code ts_analysis_choose(ts_analysis_set *set, ts_ctx *ctx, const char *list, bool importing);

/* What is told while analyses run; members may be NULL. */
typedef struct ts_analysis_hooks {
    void *user;
    /* Before one that has something to do. */
    void (*begin)(void *user, const ts_analysis *analysis);
    /* One has nothing to do: `missing` has no rows. A code ends the run. */
    ts_code (*idle)(void *user, const ts_analysis *analysis, enum ts_table_id missing);
} ts_analysis_hooks;

/* Before an import whose rows those of the set are going to read: one of them may watch the sink
 * (memory of its own, only without --max-memory). ts_analysis_unwatch frees that, also after a
 * failure; it may be called at any time. */
ts_code ts_analysis_watch(ts_ctx *ctx, ts_sink *sink, ts_analysis_set set);
void ts_analysis_unwatch(ts_sink *sink, ts_analysis_set set);

/* *missing: the first table that has no rows and that it needs, or TS_TABLE_COUNT. */
ts_code ts_analysis_missing(enum ts_table_id *missing, ts_reader *reader, const ts_analysis *a);
/* Whether a table of it has rows. */
ts_code ts_analysis_done(bool *done, ts_reader *reader, const ts_analysis *a);

/* Runs those of the set whose needs have rows. Errors name the analysis. */
ts_code ts_analysis_run(ts_ctx *ctx, ts_reader *reader, ts_store *store, ts_analysis_set set,
                        const ts_analysis_hooks *hooks);

#endif
