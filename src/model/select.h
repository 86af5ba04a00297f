/* What is wanted of a database: sources, threads, labels and a span of time. */
#ifndef TS_MODEL_SELECT_H
#define TS_MODEL_SELECT_H

#include "base/ckd.h"
#include "base/time_range.h"
#include "model/cells.h"
#include "model/sources.h"

/* As it was typed (sources.h, when.h, labels.h); NULL: everything. Borrowed. */
typedef struct ts_wanted {
    const char *source, *thread;
    const char *from, *until; /* the second is not included */
    const char *label;
} ts_wanted;

typedef struct ts_select {
    ts_idset sources, threads;
    bool labelled;  /* only samples that have a label: */
    ts_vec samples; /* bool by id */
    ts_span span;   /* on the clock of the rows */
} ts_select;

/* TS_ERR_USAGE for what does not exist and for what is no time; the message names the options of
 * the command line. Caller frees with ts_select_free, also after an error. */
ts_code ts_select_make(ts_select *out, ts_model *m, const ts_wanted *wanted);
void ts_select_free(ts_ctx *ctx, ts_select *select);

/* One time; name: what it was given for, such as "--from". */
ts_code ts_select_time(int64_t *out, ts_model *m, const char *name, const char *typed,
                       const ts_idset *sources);

static inline bool ts_select_whole(const ts_select *s)
{
    return s->span.from == INT64_MIN && s->span.to == INT64_MAX;
}

/* Rows without a source, thread (has_ false) or time (TS_NO_TIME) are wanted when no source, no
 * thread and no time was named, or a thread "-". */
static inline bool ts_select_thread(const ts_select *s, bool has_thread, int64_t itid)
{
    return has_thread ? ts_idset_has(&s->threads, itid) : s->threads.all || s->threads.no_id;
}

/* A call has no labels. */
static inline bool ts_select_label(const ts_select *s, bool call, int64_t id)
{
    return !s->labelled || (!call && ts_vec_bool(&s->samples, id));
}

static inline bool ts_select_ts(const ts_select *s, int64_t ts)
{
    return ts_select_whole(s) || (ts != TS_NO_TIME && ts_span_has(&s->span, ts));
}

/* How much of what begins at ts and lasts dur ns lies in the span; 0: nothing, or it is an instant.
 */
static inline int64_t ts_select_inside(const ts_select *s, int64_t ts, int64_t dur)
{
    if (ts == TS_NO_TIME || dur <= 0 || ts_select_whole(s)) {
        return ts_select_ts(s, ts) && dur > 0 ? dur : 0;
    }
    int64_t end = ts_sat_add(ts, dur);
    int64_t first = ts > s->span.from ? ts : s->span.from;
    int64_t last = end < s->span.to ? end : s->span.to;
    return last > first ? last - first : 0;
}

#endif
