/*
 * Profiles of pprof (the protobuf form): one message whose fields come in any order. Samples refer
 * to locations, those to functions, and those to texts by their number in a list that mostly comes
 * last: samples wait in a spool, as they are, and become rows at the end.
 *
 * Memory: 16 bytes a text and the text; 24 a mapping, 52 a location and 28 for each of its lines,
 * 40 a function; 21 to 43 more for each id that is not the number of its definition; up to 42 for
 * each (method, line); 4 a call path and 16 for each stack that had a new one; 2 MiB of stacks;
 * what the store keeps of methods; the bytes of a batch of samples (256 KiB, or the largest sample,
 * up to 4 MiB) twice, 8 bytes for each of their numbers and 4 for each frame. Docs:
 * docs/formats.md, "pprof".
 */
#ifndef TS_PARSERS_PPROF_PPROF_H
#define TS_PARSERS_PPROF_PPROF_H

#include "base/buf.h"
#include "base/ckd.h"
#include "tables/frame_names.h"
#include "base/idmap.h"
#include "base/spool.h"
#include "base/vec.h"
#include "parsers/format.h"
#include "tables/store_paths.h"
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

/* Keys of labels, and threads that labels name, as they were found last. */
typedef enum pprof_key_kind {
    PPROF_KEY_OTHER,
    PPROF_KEY_THREAD,
    PPROF_KEY_NATIVE,
    PPROF_KEY_NAME,
    PPROF_KEY_SPAN
} pprof_key_kind;

typedef struct pprof_key {
    int64_t number; /* of the text; 0: free */
    ts_text text;   /* NULL: there is none */
    pprof_key_kind kind;
} pprof_key;

typedef struct pprof_thread {
    int64_t id;
    int64_t number; /* of the name's text */
    int64_t itid;   /* or -1 */
    bool native;
    bool found;
} pprof_thread;

enum { PPROF_KEYS = 16, PPROF_THREADS = 64 };

/* Stacks that were met before (pprof_stacks.c). */
enum { PPROF_HASH_WORDS = 64 };

typedef struct pprof_stack_key {
    uint64_t a; /* 96 bits of a hash */
    uint32_t b;
} pprof_stack_key;

typedef struct pprof_stack {
    uint64_t a;
    uint32_t b;
    uint32_t node; /* row of its innermost frame; 0: free */
} pprof_stack;

typedef struct pprof_stacks {
    pprof_stack *slots; /* groups of four, the place of a list is one group */
    size_t slot_count;  /* a power of two, or 0 */
    size_t count;
    uint32_t turn;
    /* Of the hash. */
    uint64_t random[PPROF_HASH_WORDS];
    unsigned __int128 fold[3];
    /* Of the last lists that were looked for; and as long as `pass` is not 0, none are. */
    uint32_t looked;
    uint32_t found;
    uint32_t pass;
} pprof_stacks;

enum { PPROF_BATCH = 64, PPROF_VALUE_ROWS = 128, PPROF_LABEL_ROWS = 64, PPROF_NUMBER = 24 };

/* A sample of the batch that is looked at. Its lists are parts of those of the batch. */
typedef struct pprof_sample {
    uint64_t at;                       /* offset of its message */
    size_t first_location, location_n; /* the leaf first */
    size_t first_value, value_n;
    size_t first_label, label_n;
    size_t first_frame, frame_n; /* in `stack`, the root first */
    uint32_t node;               /* row of its innermost frame */
    bool good;
    bool known;    /* all of its locations */
    bool expanded; /* its frames are there, or its node is */
    /* Its locations when they are one packed list: not read when its bytes were met before. */
    const uint8_t *packed;
    size_t packed_n;
    bool hashed;
    pprof_stack_key key;
} pprof_sample;

typedef struct pprof {
    ts_job *job;
    ts_sink *sink;
    int64_t source_id;
    char name[TS_SOURCE_NAME];
    ts_wire_push wire;
    ts_profile_id id;

    /* The message that is being read. */
    ts_buf message;
    bool too_large;
    uint64_t spooled_to; /* offset after the sample before */

    ts_spool *samples; /* as pprof_read.c says */
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
    pprof_sample batch[PPROF_BATCH];
    ts_path_walk walks[PPROF_BATCH]; /* of its samples without a node */
    size_t batch_n;
    size_t batch_frames; /* frames of `stack` that it needs to its end */
    uint64_t sample_at;  /* of the sample read last */
    ts_vec locations_of; /* of the batch: uint64_t */
    ts_vec values;       /* int64_t */
    ts_vec labels;       /* pprof_label */
    ts_vec stack;        /* uint32_t: numbers of frames, the root first */
    ts_vec codes;        /* uint32_t, one for each location */
    ts_vec expanded;     /* uint32_t */
    ts_row_stack_sample_value value_rows[PPROF_VALUE_ROWS]; /* not written yet */
    unsigned value_row_n;
    ts_row_stack_sample_label label_rows[PPROF_LABEL_ROWS]; /* the same */
    char numbers[PPROF_LABEL_ROWS][PPROF_NUMBER];           /* texts of them */
    unsigned label_row_n;
    ts_path_store paths;
    pprof_stacks stacks;
    ts_buf scratch;
    ts_idmap named; /* itid by number of the text */
    pprof_key keys[PPROF_KEYS];
    pprof_thread threads[PPROF_THREADS];

    uint64_t bad_values, bad_strings, unknown_ids, unknown_mappings, bad_labels, overflows;
    uint64_t bad_texts, texts_cut, values_seen, values_lost;
} pprof;

/* --- pprof_read.c: definitions --------------------------------------------------------------- */

extern const ts_wire_handler pprof_handler;

/* The definition with this id, or NULL. */
void *pprof_find(const pprof_list *list, uint64_t id);

/* --- pprof_texts.c: texts and methods -------------------------------------------------------- */

ts_code pprof_text_bytes(pprof *p, const uint8_t *bytes, size_t n);
ts_code pprof_text_end(pprof *p);

/* The text with this number, which 0 to texts - 1 have; NULL and counted when there is none. */
ts_text pprof_text(pprof *p, int64_t number);

/* --- pprof_paths.c --------------------------------------------------------------------------- */

/* When all definitions are there. */
ts_code pprof_paths_begin(pprof *p);

/* Adds the frames of a sample's locations to `stack`. resolve: methods that no sample had before
 * are looked up, which may write rows; otherwise such a sample stays as it is. */
ts_code pprof_expand(pprof *p, pprof_sample *s, bool resolve);

/* Finds what is known of the paths of all samples of the batch at the same time. Writes nothing. */
void pprof_walk_ahead(pprof *p);

/* The rest of the way: node becomes the row of the innermost frame. */
ts_code pprof_walk(pprof *p, pprof_sample *s);

/* --- pprof_stacks.c -------------------------------------------------------------------------- */

void pprof_stacks_begin(pprof *p);

/* False: where nearly all lists differ, most are not looked for. */
bool pprof_stack_hash(pprof_stack_key *key, pprof *p, const uint8_t *packed, size_t n);

/* The call path of a list that was met before, or 0; and the list for the next time. */
uint32_t pprof_stack_find(pprof *p, pprof_stack_key key);
ts_code pprof_stack_add(pprof *p, pprof_stack_key key, uint32_t node);
void pprof_stacks_free(ts_ctx *ctx, pprof_stacks *stacks);

/* --- pprof_samples.c ------------------------------------------------------------------------- */

/* All samples that wait; the kinds of values have been written. */
ts_code pprof_samples_write(pprof *p);

/* --- pprof_labels.c -------------------------------------------------------------------------- */

#endif
