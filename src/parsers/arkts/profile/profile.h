/*
 * CPU profiles in V8's JSON form (also those of ArkTS): JSON events in, rows of js_cpu_* and
 * stack_* out. Nodes and samples are collected (about 100 bytes a node, 16 a sample) and written at
 * the end, because parents must come before children and samples in time order.
 *
 * A profile that ends early keeps its complete nodes and the samples whose times are known.
 * Docs: docs/formats.md, "CPU profiles".
 */
#ifndef TS_PARSERS_ARKTS_PROFILE_H
#define TS_PARSERS_ARKTS_PROFILE_H

#include "base/buf.h"
#include "base/context.h"
#include "json/json_fields.h"
#include "tables/store.h"

typedef struct ts_profile ts_profile;

/*
 * What the profiles of one run share. Node ids of later ones are shifted to stay unique. Viewers
 * take a single root: in js_cpu_profiler_node what the roots of later profiles call is below
 * that of the first one, if it has the id 1.
 */
typedef struct ts_profile_ids {
    bool any;
    bool merged;          /* the root calls what is in root_children */
    int64_t max_id;       /* largest function_id written so far */
    int64_t root_row;     /* rowid of the root in js_cpu_profiler_node, or 0 */
    ts_buf root_children; /* owned by who owns this */
} ts_profile_ids;

enum { TS_PROFILE_ROOT = 1 }; /* id of the root, for viewers */

/* After the last profile: the root's callees. */
ts_code ts_profile_ids_finish(ts_profile_ids *ids, ts_store *store);

/* Caller frees with ts_profile_free. Serves one profile after the other. `ids` is borrowed. */
ts_code ts_profile_new(ts_profile **out, ts_ctx *ctx, ts_store *store, ts_profile_ids *ids);
void ts_profile_free(ts_profile *p);

/* Begins a profile: a `source` row below parent_source, named Profile<n>. */
ts_code ts_profile_begin(ts_profile *p, int64_t parent_source);
bool ts_profile_is_open(const ts_profile *p);
int64_t ts_profile_source(const ts_profile *p);
/* "Profile0": for names of files and for issues. */
const char *ts_profile_name(const ts_profile *p);

/* Position of the input that the next events come from, for issues. */
void ts_profile_at(ts_profile *p, int64_t offset);

/* The user of ts_json_by_table for the events of the profile object, from a reader with or without
 * TS_JSON_RAW_STRINGS. */
ts_json_place *ts_profile_place(ts_profile *p);

/*
 * The text is no JSON from the byte `c` on. One that JSON is not made of was damaged itself. Any
 * other is where two parts meet that were not neighbours, and what was read of the list that it
 * breaks off may be one of them: times of `timeDeltas`, nodes of `samples` become unknown.
 */
void ts_profile_broken(ts_profile *p, char c);

/* Its outermost object was closed. */
bool ts_profile_complete(const ts_profile *p);

typedef struct ts_profile_end {
    const ts_clock_set *clocks; /* to convert from monotonic, or NULL */
    bool relative;              /* times count from startTime (bare files) */
    bool has_started, has_reported;
    int64_t started_ts, reported_ts; /* ns, already converted */
    int64_t pid;                     /* of the configuration, or -1 */
    const char *reason;              /* why it is not complete, for the issue */
    bool shifted;  /* it ends elsewhere than the message around it, all of which came */
    int64_t place; /* ns, added to the times in js_cpu_profiler_sample (bare files) */
} ts_profile_end;

/* Ends the open profile: writes all its rows. */
ts_code ts_profile_finish(ts_profile *p, const ts_profile_end *end);

/* How far the samples of the profile that was finished last go, from startTime, in ns. */
int64_t ts_profile_extent(const ts_profile *p);

#endif
