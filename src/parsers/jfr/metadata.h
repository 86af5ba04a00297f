/*
 * The classes that a chunk's metadata event declares (docs/formats.md, "JDK Flight Recorder"):
 * types of events, of what is in constant pools and of fields. Names are texts of the metadata,
 * borrowed while it lives.
 */
#ifndef TS_PARSERS_JFR_METADATA_H
#define TS_PARSERS_JFR_METADATA_H

#include "base/buf.h"
#include "base/idmap.h"
#include "base/text.h"
#include "base/vec.h"
#include "parsers/jfr/primitives.h"

enum { JFR_NO_CLASS = UINT32_MAX };

/* What a class is to a decoder. */
typedef enum jfr_kind {
    JFR_COMPOSITE,
    JFR_BOOLEAN,
    JFR_BYTE,
    JFR_CHAR,
    JFR_SHORT,
    JFR_INT,
    JFR_LONG,
    JFR_FLOAT,
    JFR_DOUBLE,
    JFR_STRING
} jfr_kind;

/* What annotations say of a number. */
typedef enum jfr_unit {
    JFR_PLAIN,
    JFR_TIME_TICKS,
    JFR_TIME_MS,
    JFR_TIME_NS,
    JFR_SPAN_TICKS,
    JFR_SPAN_NS,
    JFR_SPAN_US,
    JFR_SPAN_MS,
    JFR_SPAN_S,
    JFR_BYTES,
    JFR_BITS,
    JFR_FRACTION,
    JFR_HERTZ
} jfr_unit;

typedef struct jfr_field {
    ts_text name;
    uint64_t type_id;
    uint32_t cls; /* number of the class, or JFR_NO_CLASS when there is none of that id */
    bool pool;    /* a key in the pool of the class */
    bool array;
    uint8_t unit; /* jfr_unit */
} jfr_field;

typedef struct jfr_class {
    uint64_t id;
    ts_text name;
    ts_text super;
    uint32_t first; /* of its fields, which are consecutive */
    uint32_t count;
    uint8_t kind; /* jfr_kind */
} jfr_class;

typedef struct jfr_metadata {
    ts_buf text;       /* of all strings */
    ts_vec strings;    /* ts_text */
    ts_vec classes;    /* jfr_class, in the order of the metadata */
    ts_vec fields;     /* jfr_field */
    ts_idmap by_id;    /* number of a class, by its id */
    uint64_t replaced; /* parts of strings that are no text */
    uint64_t repeated; /* classes whose id another one has; the first one counts */
} jfr_metadata;

/*
 * Reads the payload of a metadata event after its size and type. *bad: it makes no sense; why is
 * then a static sentence. The caller frees with jfr_metadata_free in any case. Errors: memory.
 */
ts_code jfr_metadata_read(bool *bad, const char **why, ts_ctx *ctx, jfr_metadata *m, jfr_reader r);
void jfr_metadata_free(ts_ctx *ctx, jfr_metadata *m);

static inline const jfr_class *jfr_class_at(const jfr_metadata *m, uint32_t i)
{
    return (const jfr_class *)m->classes.p + i;
}

static inline const jfr_field *jfr_field_at(const jfr_metadata *m, uint32_t i)
{
    return (const jfr_field *)m->fields.p + i;
}

/* Number of the class with this id, or JFR_NO_CLASS. */
uint32_t jfr_class_find(const jfr_metadata *m, uint64_t id);

#endif
