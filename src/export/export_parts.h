/*
 * What exports are made of: a writer, and what they read of the database. The struct of an export
 * begins with a ts_parts; ts_export_run makes it, zeroed, and releases the parts that were loaded.
 */
#ifndef TS_EXPORT_EXPORT_PARTS_H
#define TS_EXPORT_EXPORT_PARTS_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/json_out.h"
#include "base/pool.h"
#include "base/vec.h"
#include "model/call_stacks.h"
#include "tables/table_scan.h"
#include "export/export.h"

/* --- export_names.c --------------------------------------------------------------------------- */

/* Sources, processes and threads by their ids. Memory: 48 bytes each, and their names. */

typedef struct ts_naming {
    ts_vec sources, processes, threads; /* by id */
    ts_pool texts;
} ts_naming;

/* Release with ts_naming_free, also after an error. */
ts_code ts_naming_load(ts_naming *names, ts_ctx *ctx, ts_reader *reader);
void ts_naming_free(ts_naming *names, ts_ctx *ctx);

/* Each may be an empty text: not known. */
ts_text ts_naming_source(const ts_naming *names, int64_t source_id);
ts_text ts_naming_thread(const ts_naming *names, int64_t itid);
ts_text ts_naming_process(const ts_naming *names, int64_t ipid);
ts_text ts_naming_process_of(const ts_naming *names, int64_t itid); /* the thread's process */

/* Numbers of the system for something on a thread of a source. */
typedef struct ts_who {
    int64_t pid; /* of the thread's process, else of the source, else 0 */
    int64_t tid; /* else made up, above TS_WHO_MADE_UP: one for each thread and each source */
} ts_who;

#define TS_WHO_MADE_UP 1000000000

/* itid: TS_NO_THREAD when it was not recorded. */
ts_who ts_naming_who(const ts_naming *names, int64_t source_id, int64_t itid);

/* --- export_uploads.c ------------------------------------------------------------------------- */

/*
 * What Datakit calls a profile: what was recorded of one process at one time. Each source whose
 * samples or calls have stacks is one. A source says what it knows itself or what the sources
 * around it say; what was not recorded is an empty text or TS_NO_TIME.
 *
 * Memory: some 300 bytes a source, and their texts.
 */

/* Texts of an upload. */
typedef enum ts_upload_text {
    TS_UP_ID, /* a UUID; of sources without one it is made of their rows: equal ones have equal ids
               */
    TS_UP_AGENT_VER,
    TS_UP_ENDPOINT,
    TS_UP_SERVICE,
    TS_UP_ENV,
    TS_UP_VERSION,
    TS_UP_HOST,
    TS_UP_PID,
    TS_UP_LANGUAGE, /* as Datakit writes it: java, golang, python, nodejs ...; or arkts */
    TS_UP_LANGUAGE_VER,
    TS_UP_RUNTIME,
    TS_UP_RUNTIME_OS,
    TS_UP_RUNTIME_ARCH,
    TS_UP_FORMAT,
    TS_UP_PATH, /* of the input */
    TS_UP_TEXTS
} ts_upload_text;

typedef struct ts_upload {
    int64_t source_id;
    int64_t owner;   /* the source that it is a file of, or itself */
    bool own_stacks; /* the source has samples or calls */
    bool stacks;     /* it, or a file of it, has */
    bool profile;    /* it has a row in profile */
    size_t first_tag, tags;
    size_t first_file, files;
    ts_text texts[TS_UP_TEXTS];
    int64_t start, end;           /* ns of the epoch, or TS_NO_TIME */
    int64_t dur;                  /* ns, or TS_NO_TIME; of clocks of any kind */
    int64_t own_start, own_end;   /* on the source's clock */
    int64_t first, last;          /* beginning of the first sample or call, end of the last */
    int64_t realtime;             /* what is added to times of the source; TS_NO_TIME: not known */
    int64_t boottime, real_start; /* as the recording states them; TS_NO_TIME: it does not */
    ts_hash hash;
} ts_upload;

/* What an upload is made of, as ts_export.needs has it. */
#define TS_NEEDS_SAMPLES "stack_sample (sampled stacks), stack_slice (traced calls)"

/* A tag that is none of the texts. */
typedef struct ts_upload_tag {
    ts_text key, value;
} ts_upload_tag;

/* A kind of value: its source, and the event that it describes. */
typedef struct ts_upload_type {
    int64_t source_id;
    uint32_t event; /* place in texts */
} ts_upload_type;

typedef struct ts_uploads {
    ts_vec by_source;  /* ts_upload, by source_id; all sources, those without stacks too */
    ts_vec parents;    /* int64_t, by source_id; INT64_MAX: none */
    ts_vec lossy;      /* int64_t: ids of sources that are not complete */
    ts_vec by_profile; /* int64_t: source_id, by id of profile */
    ts_vec tags;       /* ts_upload_tag, profile by profile */
    ts_vec files;      /* ts_text: names of attachments, profile by profile */
    ts_vec types;      /* ts_upload_type, by id of stack_value_type */
    ts_vec own_types;  /* int64_t: ids of those that profiles describe themselves, in their order */
    ts_pool texts;
} ts_uploads;

/*
 * Reads all sources: their texts only (of methods' languages), or, with `rows`, all of the above,
 * for which samples, calls, values and methods are read. Release with ts_uploads_free, also after
 * an error.
 */
ts_code ts_uploads_load(ts_uploads *u, ts_ctx *ctx, ts_reader *reader, bool rows);
void ts_uploads_free(ts_uploads *u, ts_ctx *ctx);

/* The kind of value with this id; NULL: none. */
static inline ts_upload_type *ts_uploads_type(const ts_uploads *u, int64_t id)
{
    return id < 0 || (uint64_t)id >= u->types.n ? NULL : (ts_upload_type *)u->types.p + id;
}

/* The upload of a source: that which it is a file of, or itself. NULL: there is no such source. */
const ts_upload *ts_uploads_find(const ts_uploads *u, int64_t source_id);

/* --- export_methods.c ------------------------------------------------------------------------- */

/*
 * Methods as profiles of servers name them: texts by the rules of the language that the method's
 * source was written in. Equal ones of several sources are one.
 *
 * Memory: 12 bytes a method, and the texts of each different one.
 */

/* None is NULL. Texts are cut at 32 KiB. */
typedef struct ts_method_row {
    ts_text method;  /* of Java "Ret Class.name(Arg, Arg)"; (anonymous) without a name */
    ts_text library; /* code library, such as "Standard Library" */
    ts_text package;
    ts_text cls; /* bare: without Go's "(*...)" */
    ts_text file;
    ts_text modifiers; /* of the first one that was met: does not tell methods apart */
} ts_method_row;

typedef struct ts_methods {
    ts_pool keys;     /* all but modifiers */
    ts_vec modifiers; /* ts_text, by key */
    ts_pool texts;    /* of modifiers */
    uint32_t *key;    /* by id of stack_method; 0 is the one that is not known */
    int32_t *line;    /* by id of stack_method: where it begins; 0: not known */
} ts_methods;

/* The methods of p; of the tree of heap timelines their frames. Release with ts_methods_free, also
 * after an error. */
ts_code ts_methods_load(ts_methods *m, ts_ctx *ctx, const ts_calls *p, const ts_frames *frames,
                        const ts_uploads *uploads);
void ts_methods_free(ts_methods *m, ts_ctx *ctx);

ts_method_row ts_methods_get(const ts_methods *m, uint32_t key);

/* --- export_metrics.c ------------------------------------------------------------------------- */

/*
 * Numbers of a profile that Datakit shows beside its samples: what it calls metrics, by the names
 * and types that it has for each language. Types are fixed by name: a rate that happens to be whole
 * stays a float. Of what a source did not record there is none.
 *
 * Memory: 130 bytes a source, and 16 a kind of value.
 */

typedef struct ts_metric {
    const char *name; /* "prof_jvm_cpu_cores" */
    bool is_int;
    int64_t i;
    double real; /* finite */
} ts_metric;

enum { TS_METRICS = 64 }; /* of one source at most */

typedef struct ts_metrics {
    ts_vec by_source; /* sums, of sources without a profile of their own */
    ts_vec profiles;  /* ts_profile_metric, profile by profile */
    ts_vec first;     /* size_t, by source_id: number of the first one + 1 */
    ts_vec count;     /* size_t */
    ts_ctx *ctx;
} ts_metrics;

/* Reads values, pauses and waiting for locks. Release with ts_metrics_free, also after an error. */
ts_code ts_metrics_load(ts_metrics *m, ts_ctx *ctx, ts_reader *reader, const ts_uploads *uploads);
void ts_metrics_free(ts_metrics *m, ts_ctx *ctx);

/* The metrics of an upload, by name bytewise; returns their number. derived: also those of a
 * profile that Datakit would have as 0 (analysis/profile_metrics). */
unsigned ts_metrics_of(ts_metric out[TS_METRICS], const ts_metrics *m, const ts_upload *up,
                       bool derived);

/* --- export.c ------------------------------------------------------------------------------------
 */

typedef struct ts_parts {
    ts_ctx *ctx;
    ts_reader *reader; /* that of input->side */
    const ts_export_input *input;
    const ts_export_output *output; /* of those that write folders; others have w */
    ts_jout w;                      /* to the output; NULL is an empty text */
    ts_frames frames;
    ts_calls calls;
    ts_naming names;
    ts_uploads uploads;
    ts_methods methods;
    ts_metrics metrics;
} ts_parts;

/* Opens the call paths that are wanted. frame_parts: of what frames are told apart by. */
ts_code ts_parts_calls(ts_parts *x, unsigned frame_parts, ts_calls_load load);

/* --- export_several.c ------------------------------------------------------------------------- */

/* By what stacks are weighed, for people. */
typedef struct ts_shown_weight {
    char *name, *unit;
} ts_shown_weight;

/*
 * Call paths of all databases of input->several, each below a frame with its title. All have the
 * weight that the first one with such stacks chose; what is left out of a database with another
 * unit, or without such stacks, is said by it. `seen` gets each before it is closed; NULL: nothing.
 * TS_ERR_USAGE when none is left. Frames are those of x; release the tree, and the weight with
 * ts_shown_weight_free, also after an error.
 */
typedef ts_code ts_several_seen(void *work, const ts_calls *calls);
ts_code ts_parts_several(ts_frame_paths *tree, ts_shown_weight *weight, ts_parts *x,
                         unsigned frame_parts, ts_several_seen *seen);
void ts_shown_weight_free(ts_shown_weight *weight, ts_ctx *ctx);

#endif
