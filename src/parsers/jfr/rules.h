/*
 * What becomes of events, by the name of their type (docs/formats.md, "JDK Flight Recorder"): a
 * rule binds fields by their names and says what they mean.
 */
#ifndef TS_PARSERS_JFR_RULES_H
#define TS_PARSERS_JFR_RULES_H

#include "parsers/jfr/chunk.h"

/* Slots of every event; those of the fields of a rule follow. */
enum {
    SLOT_TIME,
    SLOT_DURATION,
    SLOT_EVENT_THREAD,
    SLOT_SAMPLED_THREAD,
    SLOT_STACK,
    SLOT_FIELD,
    JFR_RULE_FIELDS = 8
};

/* What events become. */
typedef enum jfr_fate {
    JFR_FATE_SAMPLE,
    JFR_FATE_SERIES,
    JFR_FATE_GC,
    JFR_FATE_PROPERTY,
    JFR_FATE_SETTING,
    JFR_FATE_THREAD,
    JFR_FATE_ENDPOINT
} jfr_fate;

/* What a value is made of; f: its field, w: the weight of the event. */
typedef enum jfr_amount {
    JFR_AMOUNT_NONE,
    JFR_AMOUNT_ONE,
    JFR_AMOUNT_FIELD,
    JFR_AMOUNT_WEIGHT,
    JFR_AMOUNT_FIELD_WEIGHT /* f * w */
} jfr_amount;

/* What a sample stands for. */
typedef enum jfr_span_rule {
    JFR_SPAN_NONE,
    JFR_SPAN_DURATION, /* of the event */
    JFR_SPAN_CPU,      /* the interval between execution samples, times the weight */
    JFR_SPAN_WALL,
    JFR_SPAN_FIELD /* the first field */
} jfr_span_rule;

typedef struct jfr_rule_value {
    const char *name;
    const char *unit;
    uint8_t amount; /* jfr_amount */
    uint8_t field;
    uint8_t family; /* jfr_family */
} jfr_rule_value;

/* A field and the label that has its text; a NULL label: the field is wanted otherwise. */
typedef struct jfr_rule_field {
    const char *path;
    const char *label;
} jfr_rule_field;

typedef ts_code jfr_run(jfr_chunk *c, uint32_t cls, const jfr_rule *rule, const jfr_value *values);

struct jfr_rule {
    const char *event;
    jfr_fate fate;
    const char *kind; /* stack_sample.event; lock_wait.kind is that of `lock` */
    const char *lock;
    uint8_t span;   /* jfr_span_rule */
    uint8_t weight; /* number of the field + 1; 0: none, the weight is 1 */
    bool cpu;       /* its span is CPU time */
    jfr_rule_value values[3];
    jfr_rule_field fields[JFR_RULE_FIELDS];
    jfr_run *run;
};

/* The rows of an event, by its fate. */
jfr_run jfr_run_sample, jfr_run_series, jfr_run_gc, jfr_run_collection, jfr_run_property,
    jfr_run_setting, jfr_run_endpoint, jfr_run_thread;

/* The value of field i of the rule. */
static inline const jfr_value *jfr_field_of(const jfr_value *values, unsigned i)
{
    return &values[SLOT_FIELD + i];
}

/* The thread that an event is of. */
static inline const jfr_value *jfr_thread_of(const jfr_value *values)
{
    bool sampled = values[SLOT_SAMPLED_THREAD].kind != JFR_V_NONE;
    return &values[sampled ? SLOT_SAMPLED_THREAD : SLOT_EVENT_THREAD];
}

/* A row of jfr_event; r: its bytes after size and type, which fit the plan. */
ts_code jfr_keep_event(jfr_chunk *c, uint32_t cls, const jfr_value *values, jfr_reader r);

#endif
