/*
 * Files of speedscope: frames that several profiles share, which may come after them, and profiles
 * of samples or of calls. What profiles hold waits in spools as integers until all is read.
 *
 *     {"shared": {"frames": [{"name", "file", "line", "col"}]},
 *      "profiles": [{"type": "sampled", "name", "unit", "startValue", "endValue",
 *                    "samples": [[frame, ...]], "weights": [w]},
 *                   {"type": "evented", ..., "events": [{"type": "O"|"C", "frame", "at"}]}]}
 *
 * Memory: 40 bytes a frame and its texts, 160 a profile and its name, 48 for each open call and 24
 * for each frame of the deepest stack, 40 for each frame that a profile uses; what the store keeps
 * of call paths and methods. Docs: docs/formats.md, "speedscope".
 */
#ifndef TS_PARSERS_SPEEDSCOPE_SPEEDSCOPE_H
#define TS_PARSERS_SPEEDSCOPE_SPEEDSCOPE_H

#include "base/buf.h"
#include "base/ckd.h"
#include "tables/frame_names.h"
#include "base/spool.h"
#include "base/vec.h"
#include "json/json_fields.h"
#include "parsers/format.h"
#include "tables/store_profiles.h"

enum { SCOPE_MAX_TEXT = 1 << 20 };

/* Objects and lists of the text. */
typedef enum scope_level {
    SCOPE_TOP = 1,
    SCOPE_SHARED,
    SCOPE_FRAMES,
    SCOPE_FRAME,
    SCOPE_PROFILES,
    SCOPE_PROFILE,
    SCOPE_SAMPLES,
    SCOPE_SAMPLE,
    SCOPE_WEIGHTS,
    SCOPE_EVENTS,
    SCOPE_EVENT
} scope_level;

/* A number as it was written: whole where it is. */
typedef struct scope_number {
    bool known;
    bool whole;
    int64_t i;
    double d;
} scope_number;

typedef struct scope_frame {
    size_t name, name_n; /* in texts */
    size_t file, file_n;
    int64_t line; /* 0: none */
    bool known;
} scope_frame;

typedef enum scope_kind { SCOPE_UNKNOWN, SCOPE_SAMPLED, SCOPE_EVENTED } scope_kind;

typedef struct scope_profile {
    scope_kind kind;
    size_t name, name_n;
    ts_value_unit unit;
    bool has_unit; /* false: "none" or not there */
    scope_number start, end;
    uint64_t samples_at, samples, weights_at, weights, events_at, events;
    uint64_t frames_named; /* the largest number of a frame in its samples, and 1 */
    bool complete;         /* its object was closed */
    bool odd;              /* an element of its lists is none: others may have moved */
} scope_profile;

typedef struct scope {
    ts_job *job;
    ts_sink *sink;
    ts_json *json;
    ts_profile_id id;

    ts_json_place in;
    bool done;
    ts_buf text;
    bool text_cut;

    ts_buf texts; /* names of frames and profiles */
    ts_vec frames;
    ts_vec profiles;
    ts_spool *samples; /* each: number of frames, frames */
    ts_spool *weights; /* each: a number */
    ts_spool *events;  /* each: 1 opens, 0 closes, -1 neither; frame; a number */
    ts_vec sample;     /* int64_t: frames of the sample that is read */
    int64_t event_type, event_frame;
    scope_number event_at;
    size_t exporter, exporter_n;
    bool has_frames, has_profiles;
    int64_t max_frame; /* that samples and events name */
    bool doubted;      /* frames are missing, and the others may have moved */

    uint64_t bad_elements, bad_numbers, texts_cut;
} scope;

extern const ts_json_table scope_table;

/* The next number that is in a spool. */
ts_code scope_next_number(scope_number *n, ts_spool_cursor *c);

/* All profiles become rows. */
ts_code scope_write(scope *s);

/* --- one profile that is written ------------------------------------------------------------- */

typedef struct scope_call {
    int64_t slice; /* row; 0 when the profile has no times */
    int64_t frame;
    int64_t node;
    int64_t ts;
    int64_t children; /* time in callees */
} scope_call;

typedef struct scope_writer {
    scope *s;
    const scope_profile *profile;
    int64_t source_id;
    int64_t itid;
    ts_profile_type type; /* of values; id 0: samples have a length instead */
    ts_vec methods;       /* int64_t by frame; 0: not looked up */
    ts_vec open;          /* scope_call */
    ts_vec path;          /* int64_t: nodes of the last stack, frames of it in `last` */
    ts_vec last;
    uint64_t samples, samples_lost, values, values_lost, events, events_lost;
    uint64_t bad_frames, overflows;
} scope_writer;

/* The call path of a frame below `parent`. */
ts_code scope_node(int64_t *node, scope_writer *w, int64_t parent, int64_t frame, int64_t depth);

/* In ns, bytes or counts; TS_NO_TIME when it does not fit or is not known. */
int64_t scope_scaled(scope_writer *w, const scope_number *n);

ts_code scope_write_calls(scope_writer *w);
ts_code scope_put_sample(scope_writer *w, int64_t node, int64_t ts, int64_t weight);

#endif
