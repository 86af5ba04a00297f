/*
 * Profiles of OpenTelemetry (OTLP). A file is messages one after the other, of protobuf or lines of
 * JSON; each has profiles and the tables that name everything in them, mostly at its end. A message
 * is held whole, and its tables are indexed before its profiles are read.
 *
 * The definition has renumbered its fields with nearly each release, and nothing in a message says
 * which one it follows: otlp_layout.c finds out, and otlp_fields.c says what a number is there.
 * JSON becomes a message whose field numbers are our own (OTLP_NAMES), so that both are read by the
 * same code.
 *
 * Memory: the largest message (at most 256 MiB), for JSON up to four times its text; 16 bytes an
 * entry of its tables, 56 an attribute, 8 more a stack and 8 a location; of each source 700 bytes,
 * its texts, and with stacks 4 KiB and what tables/store_paths.h says of its call paths; 50 bytes
 * for each thread that has a name only and each fact that is written once. Docs: docs/formats.md,
 * "otlp-profiles".
 */
#ifndef TS_PARSERS_OTLP_OTLP_H
#define TS_PARSERS_OTLP_OTLP_H

#include "base/buf.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/time_range.h"
#include "base/vec.h"
#include "parsers/format.h"
#include "tables/frame_names.h"
#include "tables/store_paths.h"
#include "tables/store_profiles.h"
#include "wire/wire.h"

enum {
    OTLP_MAX_MESSAGE = 256 << 20,
    OTLP_MAX_TEXT = 1 << 20,
    OTLP_MAX_STACK = 1 << 16, /* frames */
    OTLP_MAX_DEPTH = 16       /* lists and maps in an attribute's value */
};

/* --- otlp_fields.c: what fields are ---------------------------------------------------------- */

/* Releases of the definition that brought another layout; each holds until the next one. */
typedef enum otlp_layout {
    OTLP_1_3,
    OTLP_1_4,
    OTLP_1_6,
    OTLP_1_7,
    OTLP_1_8,
    OTLP_1_9,
    OTLP_1_10,
    OTLP_LAYOUTS
} otlp_layout;

extern const char *const otlp_layout_names[OTLP_LAYOUTS];
extern const char *const otlp_message_names[];

typedef enum otlp_message {
    OTLP_TOP,
    OTLP_DICTIONARY,
    OTLP_GROUP, /* ResourceProfiles */
    OTLP_RESOURCE,
    OTLP_SCOPED, /* ScopeProfiles */
    OTLP_SCOPE,
    OTLP_CONTAINER,
    OTLP_PROFILE,
    OTLP_SAMPLE,
    OTLP_TYPE,
    OTLP_MAPPING,
    OTLP_LOCATION,
    OTLP_LINE,
    OTLP_FUNCTION,
    OTLP_KEY_VALUE,
    OTLP_KEY_VALUE_UNIT,
    OTLP_UNIT,
    OTLP_LINK,
    OTLP_STACK,
    OTLP_LABEL,
    OTLP_ANY,
    OTLP_MESSAGES
} otlp_message;

/* The tables, wherever they are. */
enum {
    TABLE_MAPPING = 1,
    TABLE_LOCATION,
    TABLE_FUNCTION,
    TABLE_LINK,
    TABLE_STRING,
    TABLE_ATTRIBUTE,
    TABLE_UNIT,
    TABLE_STACK,
    OTLP_TABLES
};

/* Roles of fields, by message; where tables are, these come first. IGNORED: known, not needed. */
enum {
    TOP_GROUP = OTLP_TABLES,
    TOP_DICTIONARY,
    GROUP_RESOURCE = 1,
    GROUP_SCOPED,
    GROUP_SCHEMA,
    RESOURCE_ATTRIBUTE = 1,
    RESOURCE_DROPPED,
    SCOPED_SCOPE = 1,
    SCOPED_PROFILE,
    SCOPED_SCHEMA,
    SCOPE_NAME = 1,
    SCOPE_VERSION,
    SCOPE_ATTRIBUTE,
    SCOPE_DROPPED,
    PROFILE_TYPE = OTLP_TABLES,
    PROFILE_SAMPLE,
    PROFILE_LOCATIONS,
    PROFILE_TIME,
    PROFILE_DURATION,
    PROFILE_PERIOD_TYPE,
    PROFILE_PERIOD,
    PROFILE_COMMENT,
    PROFILE_DEFAULT_TEXT,
    PROFILE_DEFAULT_TYPE,
    PROFILE_DROP,
    PROFILE_KEEP,
    PROFILE_ID,
    PROFILE_KEY_VALUE,
    PROFILE_ATTRIBUTE,
    PROFILE_DROPPED,
    PROFILE_FORMAT,
    PROFILE_PAYLOAD,
    CONTAINER_PROFILE,
    SAMPLE_LOCATION = 1,
    SAMPLE_START,
    SAMPLE_LENGTH,
    SAMPLE_STACK,
    SAMPLE_VALUE,
    SAMPLE_LABEL,
    SAMPLE_ATTRIBUTE,
    SAMPLE_LINK,
    SAMPLE_TIME,
    TYPE_NAME = 1,
    TYPE_UNIT,
    TYPE_TEMPORALITY,
    MAPPING_FILE = 1,
    MAPPING_BUILD_ID,
    MAPPING_ATTRIBUTE,
    LOCATION_MAPPING = 1,
    LOCATION_ADDRESS,
    LOCATION_LINE,
    LOCATION_TYPE,
    LOCATION_ATTRIBUTE,
    LINE_FUNCTION = 1,
    LINE_LINE,
    FUNCTION_NAME = 1,
    FUNCTION_SYSTEM_NAME,
    FUNCTION_FILE,
    FUNCTION_LINE,
    KEY_TEXT = 1,
    KEY_VALUE,
    KEY_NUMBER,
    KEY_UNIT,
    UNIT_KEY = 1,
    UNIT_UNIT,
    LINK_TRACE = 1,
    LINK_SPAN,
    STACK_LOCATION = 1,
    LABEL_KEY = 1,
    LABEL_TEXT,
    LABEL_NUMBER,
    LABEL_UNIT,
    ANY_TEXT = 1,
    ANY_BOOL,
    ANY_INT,
    ANY_DOUBLE,
    ANY_LIST,
    ANY_MAP,
    ANY_BYTES,
    ANY_STRING,
    OTLP_ROLES = PROFILE_PAYLOAD + 2, /* the largest one and 1 */
    OTLP_IGNORED = 255
};

enum { OTLP_FIELDS = 32 }; /* numbers of fields are smaller */

/* Roles of the fields of all messages in one layout, and what these may be. */
typedef struct otlp_fields {
    uint8_t role[OTLP_MESSAGES][OTLP_FIELDS]; /* 0: there is none */
    char kind[OTLP_MESSAGES][OTLP_FIELDS];    /* 'n' number, 'b' bytes, 'l' list of numbers */
} otlp_fields;

/* names: of a message that was JSON, whose numbers are the roles. */
void otlp_fields_of(otlp_fields *out, otlp_layout layout, bool names);

/* Fields that have none: how many, and the first of them. */
typedef struct otlp_unknown {
    uint64_t count;
    otlp_message message;
    uint32_t number;
} otlp_unknown;

/* A walk over the fields of a message that have a role. */
typedef struct otlp_walk {
    ts_wire wire;
    const otlp_fields *fields;
    otlp_unknown *unknown; /* the others */
    otlp_message message;
    bool part; /* the last field may go on after the end */
    bool odd;  /* a field has the wrong wire type, which ended the walk */
    uint8_t role;
} otlp_walk;

bool otlp_next(ts_wire_field *f, otlp_walk *w);

/* Was the message well-formed to its end? */
static inline bool otlp_good(const otlp_walk *w)
{
    return !w->odd &&
           (w->wire.fault == TS_WIRE_OK ||
            (w->part && (w->wire.fault == TS_WIRE_LENGTH || w->wire.fault == TS_WIRE_CUT)));
}

/* --- otlp_layout.c --------------------------------------------------------------------------- */

/* Finds out what layout a message has, from the first fact that shows it. guessed: two of them are
 * possible, which differ in what attributes are and what values. */
otlp_layout otlp_layout_of(bool *guessed, const uint8_t *p, size_t n);

/* --- what is being read ---------------------------------------------------------------------- */

/* A part of the message, or, from its end on, of `made`. */
typedef struct otlp_part {
    size_t at, n;
} otlp_part;

typedef enum otlp_meaning {
    OTLP_MEANS_NOTHING,
    OTLP_MEANS_THREAD,
    OTLP_MEANS_THREAD_NAME,
    OTLP_MEANS_PROCESS,
    OTLP_MEANS_EXECUTABLE,
    OTLP_MEANS_FRAME_TYPE,
    OTLP_MEANS_BUILD_ID
} otlp_meaning;

typedef struct otlp_attribute {
    otlp_part key, value;
    int64_t unit; /* number of its text; 0: none */
    uint8_t kind; /* of its value, as AnyValue numbers them; 0: there is none */
    uint8_t meaning;
    bool good; /* it has a key */
} otlp_attribute;

/* Columns of `profile` that come with the first profile of a source. */
enum {
    OTLP_SERVICE,
    OTLP_VERSION,
    OTLP_ENV,
    OTLP_HOST,
    OTLP_PID,
    OTLP_LANGUAGE,
    OTLP_LANGUAGE_VER,
    OTLP_RUNTIME,
    OTLP_OS,
    OTLP_ARCH,
    OTLP_RUNTIME_ID,
    OTLP_PROFILER,
    OTLP_AGENT_VER,
    OTLP_PERIOD_TYPE,
    OTLP_PERIOD_UNIT,
    OTLP_PROFILE_ID,
    OTLP_COLUMNS
};

typedef struct otlp_source {
    int64_t id;
    int64_t profile_row;
    char name[TS_SOURCE_NAME];
    size_t key, key_n;              /* in `keys` */
    otlp_part column[OTLP_COLUMNS]; /* in `keys`; n SIZE_MAX: not recorded */
    size_t first_type, type_n;      /* in `types` */
    int64_t estimated; /* kind of values that are made of numbers of samples; 0: none */
    int64_t default_type;
    int64_t period;
    int64_t start, end; /* TS_NO_TIME: not known */
    int64_t ipid;       /* -1: none */
    ts_language language;
    bool has_period;
    uint64_t profiles, ids, messages, dropped;
    uint64_t last_message; /* that had one of its profiles */
    uint64_t samples, samples_lost, samples_skipped, values, values_lost, values_skipped;
    ts_path_store *paths; /* NULL: no stack yet */
} otlp_source;

/* A profile that is being read. */
typedef struct otlp_profile {
    int64_t time, duration, period; /* TS_NO_TIME: not recorded, or too large */
    bool has_period, bad_time;
    int64_t period_type, period_unit;
    int64_t default_text, default_type; /* -1: none */
    otlp_part id, format, payload;      /* n 0: none */
    uint64_t dropped;
    otlp_source *source;
} otlp_profile;

/* A kind of values as the profile has it. */
typedef struct otlp_type {
    int64_t name, unit, temporality;
} otlp_type;

typedef struct otlp_code {
    uint32_t epoch; /* in which the code holds */
    uint32_t code;
} otlp_code;

enum { OTLP_VALUE_ROWS = 128 };

typedef struct otlp {
    ts_job *job;
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;

    /* The stream (otlp_format.c). */
    int form;
    uint8_t head[8];
    size_t head_n;
    uint64_t fed;        /* bytes before the piece that is looked at */
    uint64_t message_at; /* where the message begins */
    uint64_t left;       /* bytes of a message with a length */
    ts_buf message;
    ts_buf packed; /* of a message that is compressed */
    bool too_large;
    bool lost_sync;
    bool lines;       /* of JSON: each is a document */
    bool line_begins; /* with the next byte */
    bool forced;      /* --format otlp-profiles:layout=... */
    otlp_layout forced_layout;
    struct otlp_json *json;

    /* The message. */
    const uint8_t *bytes;
    size_t n;
    bool cut; /* it goes on after what there is */
    bool names;
    bool guessed;
    otlp_layout layout;
    otlp_fields fields;
    int fields_of;   /* layout that these are of; OTLP_LAYOUTS: names */
    uint64_t number; /* of the message, from 1 */
    ts_buf made;
    ts_vec tables[OTLP_TABLES];  /* otlp_part */
    size_t certain[OTLP_TABLES]; /* how many entries are in their places */
    uint8_t last_tables[3];      /* those of the last fields, the last one first; 0: none */
    uint64_t unknown_before;     /* fields that are not known, up to the last entry */
    size_t joined_text;          /* the first text that may have the next ones in it */
    ts_vec attributes;           /* otlp_attribute, of the table */
    ts_vec others;               /* otlp_attribute, of a resource and its scope */
    size_t scope_others;         /* where those of the scope begin */
    ts_idmap units;              /* text number of a unit by hash of the key */
    bool no_texts;               /* it is not known which is which */
    uint64_t budget;             /* of frames and labels: an input may ask for many by few bytes */
    otlp_part scope_name, scope_version, schema[2];

    /* The profile. */
    otlp_profile profile;
    ts_vec types_read; /* otlp_type */
    ts_vec locations;  /* uint64_t: location_indices */
    uint32_t epoch;
    const otlp_source *epoch_source;
    ts_vec location_codes; /* otlp_code */
    ts_vec stack_codes;    /* otlp_code: rows */
    ts_vec expanded;       /* uint32_t */
    ts_vec stack;          /* uint32_t: frames, the root first */

    /* The sample. */
    ts_vec values, times, attribute_list, location_list; /* uint64_t */
    ts_vec entry_list;                                   /* attributes of an entry */
    ts_vec labels;                                       /* of otlp_samples.c */
    ts_row_stack_sample_value value_rows[OTLP_VALUE_ROWS];
    unsigned value_row_n;

    ts_vec sources; /* otlp_source * */
    ts_index by_key;
    ts_vec types; /* ts_profile_type */
    ts_buf keys;  /* keys of sources, and texts of columns */
    ts_buf key;   /* of the source that is looked for */
    ts_buf scratch;
    ts_idmap named; /* itid by hash of source and name */
    ts_idmap once;  /* hashes of facts that were written */
    int64_t first_profile_row;
    ts_span wanted;
    bool spanned;

    uint64_t messages_lost, messages_good;
    bool any; /* some message had a resource, or tables */
    bool not_whole;
    otlp_unknown unknown, again; /* again: of walks after the first one */
    uint64_t bad_index, bad_entries, bad_texts, texts_cut, bad_labels, shapes, times_skipped,
        overflows, cumulative, bad_times, bad_elements, bad_numbers, too_much, no_types;
} otlp;

static inline ts_text otlp_part_text(const otlp *o, otlp_part part)
{
    const char *p = part.at < o->n || (part.at == o->n && part.n == 0)
                        ? (const char *)o->bytes + part.at
                        : o->made.p + (part.at - o->n);
    return (ts_text){p == NULL ? "" : p, part.n};
}

static inline otlp_part otlp_part_of(const otlp *o, const ts_wire_field *f)
{
    return (otlp_part){f->n == 0 ? 0 : (size_t)(f->p - o->bytes), f->n};
}

/* The kinds of a source's values; NULL: it has none. */
static inline ts_profile_type *otlp_types(const otlp *o, const otlp_source *s)
{
    return s->type_n == 0 ? NULL : (ts_profile_type *)o->types.p + s->first_type;
}

/* A walk over a part of the message. */
otlp_walk otlp_enter(otlp *o, otlp_message message, otlp_part part);

/* The same of one that was walked over before: fields that are not known have been counted. */
otlp_walk otlp_enter_again(otlp *o, otlp_message message, otlp_part part);

/* Appends the numbers of a list, packed or not. False: it is not well-formed. */
ts_code otlp_numbers(bool *good, otlp *o, ts_vec *list, const ts_wire_field *f, bool fixed);

ts_code otlp_issue(otlp *o, ts_issue_code issue, uint64_t at, const char *text);

/* --- otlp_tables.c --------------------------------------------------------------------------- */

/* All are empty. */
void otlp_tables_clear(otlp *o);

ts_code otlp_tables_add(otlp *o, int table, const ts_wire_field *f);

/* All entries of a dictionary. good: it is well-formed. */
ts_code otlp_dictionary(bool *good, otlp *o, otlp_part part);

/* After the last entry: attributes and units are read, and caches begin empty. */
ts_code otlp_tables_finish(otlp *o);

/* --- otlp_message.c -------------------------------------------------------------------------- */

/* The message that is in o->bytes becomes rows. */
ts_code otlp_take(otlp *o);

/* A property of the profile's source that has no column: equal ones are written once. */
ts_code otlp_fact(otlp *o, const char *prefix, ts_text key, ts_text value);

/* --- otlp_values.c: texts and attributes ----------------------------------------------------- */

/* The text with this number; NULL and counted when there is none. */
ts_text otlp_text(otlp *o, uint64_t number);

/* A text of the message for rows: cut, and cleaned. */
ts_code otlp_clean(otlp_part *part, otlp *o);

/* An attribute with its value as a text. */
ts_code otlp_attribute_read(otlp_attribute *out, otlp *o, otlp_message message, otlp_part part);

/* The attribute with this number in the table; NULL and counted when there is none, NULL for none
 * at all. */
const otlp_attribute *otlp_attribute_at(otlp *o, uint64_t number);

/* The entry of a table; false and counted: there is none. */
bool otlp_entry(otlp_part *out, otlp *o, int table, uint64_t number);

/* In index 0, which since 1.8 means none. */
static inline bool otlp_is_none(const otlp *o, uint64_t number)
{
    return number == 0 && o->layout >= OTLP_1_8;
}

/* Appends bytes in hex to `made`. */
ts_code otlp_hex(otlp_part *out, otlp *o, const uint8_t *p, size_t n);

/* --- otlp_sources.c -------------------------------------------------------------------------- */

/* The source of the profile that was read; its rows when it is new. NULL: kinds have no names. */
ts_code otlp_source_find(otlp *o);

/* What a source keeps of a profile: times, ids, properties. */
ts_code otlp_source_note(otlp *o);

ts_code otlp_sources_end(otlp *o);
void otlp_sources_free(otlp *o);

/* --- otlp_stacks.c --------------------------------------------------------------------------- */

/* The row of the innermost frame of a list of locations, the leaf first; 0: it is empty. */
ts_code otlp_path(uint32_t *node, otlp *o, const uint64_t *locations, size_t n);
ts_code otlp_stack(uint32_t *node, otlp *o, uint64_t number);

/* Takes so much of the budget; false: there is not so much left. */
static inline bool otlp_spend(otlp *o, uint64_t amount)
{
    bool enough = amount <= o->budget;
    o->budget -= enough ? amount : 0;
    return enough;
}

/* --- otlp_samples.c -------------------------------------------------------------------------- */

ts_code otlp_sample(otlp *o, otlp_part part);
ts_code otlp_samples_flush(otlp *o);

/* --- otlp_json.c ----------------------------------------------------------------------------- */

/* Text of JSON becomes messages in o->message. */
ts_code otlp_json_open(otlp *o);
void otlp_json_close(otlp *o);

/* Bytes of one document; what it is is seen at its end. */
ts_code otlp_json_feed(otlp *o, const uint8_t *p, size_t n);
bool otlp_json_begun(const otlp *o);
bool otlp_json_done(const otlp *o);
bool otlp_json_bad(const otlp *o);

/* The document ends here, and is taken when it is whole. cut: the file ends in it. */
ts_code otlp_json_end(otlp *o, bool cut);

#endif
