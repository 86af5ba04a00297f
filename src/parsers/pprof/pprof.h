/*
 * Profiles of pprof (the protobuf form): one message whose fields come in any order. Samples refer
 * to locations, those to functions, and those to texts by their number in a list that mostly comes
 * last: samples wait in a spool, as they are, and become rows at the end.
 *
 * Memory: 16 bytes a text and the text; 40 a mapping, 48 a location and 24 for each of its lines,
 * 40 a function; 21 to 43 more for each id that is not the number of its definition; 22 to 43 a
 * call path, and what the store keeps of those and of methods; the largest sample (up to 4 MiB)
 * twice, and 40 bytes for each of its frames. Docs: docs/formats.md, "pprof".
 */
#ifndef TS_PARSERS_PPROF_PPROF_H
#define TS_PARSERS_PPROF_PPROF_H

#include "base/buf.h"
#include "base/ckd.h"
#include "base/frame_names.h"
#include "base/idmap.h"
#include "base/spool.h"
#include "base/vec.h"
#include "parsers/format.h"
#include "tables/store_profiles.h"
#include "wire/wire.h"

enum { PPROF_MAX_MESSAGE = 4 << 20, PPROF_MAX_TEXT = 1 << 20 };

/* Fields of the outermost message. */
enum {
    PPROF_SAMPLE_TYPE = 1,
    PPROF_SAMPLE = 2,
    PPROF_MAPPING = 3,
    PPROF_LOCATION = 4,
    PPROF_FUNCTION = 5,
    PPROF_STRING = 6,
    PPROF_DROP = 7,
    PPROF_KEEP = 8,
    PPROF_TIME = 9,
    PPROF_DURATION = 10,
    PPROF_PERIOD_TYPE = 11,
    PPROF_PERIOD = 12,
    PPROF_COMMENT = 13,
    PPROF_DEFAULT = 14,
    PPROF_DOC = 15,
    PPROF_FIELDS
};

/* Definitions begin with their id. */
typedef struct pprof_mapping {
    uint64_t id;
    int64_t file;
    int64_t build_id;
} pprof_mapping;

typedef struct pprof_location {
    uint64_t id;
    uint64_t mapping;
    uint64_t address;
    size_t first_line;
    size_t line_count;
    int64_t method; /* of one without lines, or 0 */
} pprof_location;

typedef struct pprof_line {
    uint64_t function;
    int64_t line;
    int64_t method; /* row of stack_method; 0: not looked up, -1: not known */
} pprof_line;

typedef struct pprof_function {
    uint64_t id;
    int64_t name;
    int64_t system_name;
    int64_t file;
    int64_t start_line;
} pprof_function;

/* Definitions of one kind. One whose id is its place + 1 is found by it, all others by `others`. */
typedef struct pprof_list {
    ts_vec items;
    size_t size;
    ts_idmap others;
} pprof_list;

typedef struct pprof_value_type {
    int64_t type;
    int64_t unit;
    ts_profile_type out;
} pprof_value_type;

typedef struct pprof_label {
    int64_t key;
    int64_t str;
    int64_t num;
    int64_t unit;
} pprof_label;

/* A sample that is looked at. */
typedef struct pprof_sample {
    ts_vec locations; /* uint64_t, the leaf first */
    ts_vec values;    /* int64_t */
    ts_vec labels;    /* pprof_label */
    uint64_t at;      /* offset of its message */
    /* Its locations when they are one packed list: not read when its bytes were met before. */
    const uint8_t *packed;
    size_t packed_n;
    int64_t node; /* then; 0: it has no frames, -1: to be looked up */
} pprof_sample;

/* Call paths by the hash of their locations, so that a stack is found at once, and the callers that
 * a new one shares with others without a walk from the root. */
typedef struct pprof_path {
    uint64_t a; /* 96 bits of the hash */
    uint32_t b;
    uint32_t node; /* row of its innermost frame; 0: free */
} pprof_path;

typedef struct pprof_paths {
    pprof_path *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t count;
} pprof_paths;

typedef struct pprof {
    ts_job *job;
    ts_sink *sink;
    int64_t source_id;
    char name[32];
    ts_wire_push wire;
    ts_profile_id id;

    /* The message that is being read. */
    ts_buf message;
    bool too_large;
    uint64_t last_at; /* of the sample before */

    ts_spool *samples; /* distance of offsets, bytes, message */
    uint64_t samples_end;
    uint64_t samples_seen, samples_lost;
    uint64_t defined, defined_lost;

    pprof_list mappings, locations, functions;
    ts_vec lines;
    bool inlined; /* some location has several */
    ts_vec value_types;
    ts_vec comments; /* int64_t */
    int64_t number[PPROF_FIELDS];
    bool has[PPROF_FIELDS];
    pprof_value_type period_type;

    ts_buf texts;
    ts_vec text_ends; /* size_t */
    size_t certain;   /* that many texts are where they belong: no damage lies before them */
    bool damaged;     /* something was not well-formed */

    ts_language language;
    int64_t profile_row;
    pprof_sample sample;
    ts_vec prefixes; /* ts_hash of the callers, from the root on */
    pprof_paths paths;
    pprof_paths stacks; /* the same by packed lists */
    ts_buf scratch;
    ts_idmap named; /* itid by number of the text */

    uint64_t bad_values, bad_strings, unknown_ids, unknown_mappings, bad_labels, overflows;
    uint64_t bad_texts, texts_cut, values_seen, values_lost;
} pprof;

/* --- pprof_read.c: definitions --------------------------------------------------------------- */

const ts_wire_handler *pprof_handler(void);

/* The definition with this id, or NULL. */
void *pprof_find(const pprof_list *list, uint64_t id);

/* --- pprof_texts.c: texts and methods -------------------------------------------------------- */

ts_code pprof_text_bytes(pprof *p, const uint8_t *bytes, size_t n);
ts_code pprof_text_end(pprof *p);

/* The text with this number, which 0 to texts - 1 have; NULL and counted when there is none. */
ts_text pprof_text(pprof *p, int64_t number);

/* The method of a line of a location (NULL: of one that has none); -1: not known. */
ts_code pprof_method(int64_t *method, pprof *p, pprof_location *location, pprof_line *line);

/* --- pprof_paths.c --------------------------------------------------------------------------- */

/* The call path of locations, the leaf first; 0: there are none. known: all of its frames are. */
ts_code pprof_find_path(int64_t *node, bool *known, pprof *p, const uint64_t *locations, size_t n);

/* The call path of a packed list that was met before, or 0; and the list for the next time. */
int64_t pprof_find_stack(const pprof *p, const uint8_t *packed, size_t n);
ts_code pprof_add_stack(pprof *p, const uint8_t *packed, size_t n, int64_t node);
void pprof_paths_free(ts_ctx *ctx, pprof_paths *paths);

/* --- pprof_samples.c ------------------------------------------------------------------------- */

/* All samples that wait; the kinds of values have been written. */
ts_code pprof_samples_write(pprof *p);

/* --- pprof_labels.c -------------------------------------------------------------------------- */

/* The thread that its labels name, or -1. */
ts_code pprof_labels_thread(int64_t *itid, pprof *p, const pprof_sample *s);
ts_code pprof_labels_write(pprof *p, int64_t sample_id, const pprof_sample *s);

/* --- pprof_write.c --------------------------------------------------------------------------- */

ts_code pprof_write(pprof *p);

#endif
