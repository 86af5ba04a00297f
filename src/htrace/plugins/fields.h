/*
 * For plugins whose messages are small and come whole: reads the fields of one protobuf message by
 * a list of those that matter. What is damaged is recorded, what came before it counts.
 */
#ifndef TS_HTRACE_PLUGINS_FIELDS_H
#define TS_HTRACE_PLUGINS_FIELDS_H

#include "htrace/plugin.h"

#include "wire/wire.h"

typedef enum ts_field_kind {
    TS_FIELD_INT,     /* a varint: int64, bool */
    TS_FIELD_INT32,   /* int32, enum: the low 32 bits count, with their sign */
    TS_FIELD_UINT32,  /* the low 32 bits count */
    TS_FIELD_UINT,    /* uint64; above the largest int64 it is not known */
    TS_FIELD_REAL,    /* a double */
    TS_FIELD_BYTES,   /* a text, or a message in it */
    TS_FIELD_NUMBERS, /* repeated varints, packed or not; only counted */
    TS_FIELD_REALS    /* repeated doubles, packed or not; only counted */
} ts_field_kind;

typedef struct ts_field_def {
    uint32_t number;
    ts_field_kind kind;
    const char *name; /* for messages */
} ts_field_def;

typedef enum ts_value_state {
    TS_VALUE_ABSENT, /* not written, which stands for 0 or "" */
    TS_VALUE_READ,
    TS_VALUE_UNKNOWN /* has another type, is no finite number, or may be after the damage */
} ts_value_state;

/* A field's value; of several occurrences the last that has the right type. */
typedef struct ts_value {
    ts_value_state state;
    uint64_t count; /* occurrences of the right type */
    int64_t i;
    double d;
    const uint8_t *p; /* borrowed from the message */
    size_t n;
} ts_value;

/* A message on its way through a plugin whose messages have parts. */
typedef struct ts_message {
    const ts_plugin_host *host;
    const ts_segment *seg;
    uint64_t faults; /* fields and parts that could not be read: the message counts as lost */
} ts_message;

/*
 * Reads the message p[0..n) of the segment, or a part of it (part: its name for issues, NULL for
 * the message itself): values[k] is that of defs[k]. Other fields are passed over. Faults are added
 * to m->faults. *damaged, which may be NULL: the part, or the segment around the message, breaks
 * off; then all values that were not read are TS_VALUE_UNKNOWN. Issues: plugin_bad_message,
 * plugin_bad_field.
 */
ts_code ts_fields_part(ts_value *values, bool *damaged, ts_message *m, const char *part,
                       const ts_field_def *defs, size_t count, const uint8_t *p, size_t n);

/* The same for the part that the field `def` holds: when that is not known nothing of it is. */
ts_code ts_fields_inside(ts_value *values, ts_message *m, const ts_field_def *def,
                         const ts_value *part, const ts_field_def *defs, size_t count);

/* Counts the occurrences of fields that have no columns ("extra_fields:<plugin>.<name>"), but not
 * those that are empty. */
ts_code ts_fields_extra(const ts_plugin_host *host, const ts_segment *seg, const ts_field_def *defs,
                        const ts_value *values, size_t count);

/* One of the parts of a repeated field; borrowed for the call. */
typedef ts_code ts_field_call(void *user, ts_message *m, const uint8_t *p, size_t n);

/* Calls for each occurrence of a bytes field in p[0..n), in order, up to a damage. What is wrong
 * with the fields is for ts_fields_part to record. */
ts_code ts_fields_repeat(ts_message *m, uint32_t number, const uint8_t *p, size_t n,
                         ts_field_call *call, void *user);

/* The numbers of a repeated field, one after the other. Zero-initialise but for the first two. */
typedef struct ts_field_list {
    const uint32_t number;
    const ts_field_kind kind; /* TS_FIELD_NUMBERS or TS_FIELD_REALS */
    ts_wire wire;
    ts_bytes packed;
    bool begun;
} ts_field_list;

/* The next number of the field in p[0..n), its bits in *value; false at the end, and where what is
 * packed or the message is damaged. */
bool ts_fields_next(uint64_t *value, ts_field_list *list, const uint8_t *p, size_t n);

/* Text of a value: "" when it is absent, NULL when it is not known. */
static inline ts_text ts_value_text(const ts_value *value)
{
    return value->state == TS_VALUE_READ      ? (ts_text){(const char *)value->p, value->n}
           : value->state == TS_VALUE_UNKNOWN ? TS_TEXT_NULL
                                              : (ts_text){"", 0};
}

#endif
