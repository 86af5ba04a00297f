/*
 * For plugins whose messages are small and come whole: reads the fields of one protobuf message by
 * a list of those that matter. What is damaged is recorded, what came before it counts.
 */
#ifndef TS_HTRACE_PLUGINS_FIELDS_H
#define TS_HTRACE_PLUGINS_FIELDS_H

#include "htrace/plugin.h"

typedef enum ts_field_kind {
    TS_FIELD_INT,  /* a varint: int32, int64, uint64, bool, enum */
    TS_FIELD_REAL, /* a double */
    TS_FIELD_BYTES /* a text, or a message in it */
} ts_field_kind;

typedef struct ts_field_def {
    uint32_t number;
    ts_field_kind kind;
    const char *name; /* for messages */
} ts_field_def;

typedef enum ts_value_state {
    TS_VALUE_ABSENT, /* not written, which stands for 0 or "" */
    TS_VALUE_READ,
    TS_VALUE_UNKNOWN /* has another type, is no finite number, or may stand behind the damage */
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

/*
 * Reads the message p[0..n) of the segment: values[k] is that of defs[k]. Other fields are passed
 * over. *damaged: the message or the segment around it breaks off; then all values that were not
 * read are TS_VALUE_UNKNOWN. Issues: plugin_bad_message, plugin_bad_field.
 */
ts_code ts_fields_read(ts_value *values, bool *damaged, const ts_plugin_host *host,
                       const ts_segment *seg, const ts_field_def *defs, size_t count,
                       const uint8_t *p, size_t n);

#endif
