/*
 * How the values of a class are decoded: a flat list of operations, made from the metadata when the
 * class is first met. Composite fields are part of the list; arrays are loops in it. The values
 * that are wanted have slots, which are given by the names of fields and never by their positions.
 *
 * What runs are steps, made from the operations: neighbours that are passed over are one step. A
 * plan has two lists of them, one that reads what is wanted and one that passes over all.
 */
#ifndef TS_PARSERS_JFR_PLAN_H
#define TS_PARSERS_JFR_PLAN_H

#include "base/buf.h"
#include "base/idmap.h"
#include "base/text.h"
#include "parsers/jfr/primitives.h"
#include "base/vec.h"

/* --- classes (metadata.c) ------------------------------------------------------------------- */

/*
 * The classes that a chunk's metadata event declares (docs/formats.md, "JDK Flight Recorder"):
 * types of events, of what is in constant pools and of fields. Names are texts of the metadata,
 * borrowed while it lives.
 */

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

typedef enum jfr_op_kind {
    JFR_OP_BOOLEAN,
    JFR_OP_BYTE,
    JFR_OP_CHAR,
    JFR_OP_SHORT,
    JFR_OP_INT,
    JFR_OP_LONG,
    JFR_OP_FLOAT,
    JFR_OP_DOUBLE,
    JFR_OP_STRING,
    JFR_OP_REF,   /* a key in the pool of cls */
    JFR_OP_ARRAY, /* a count; what follows up to `jump` that often */
    JFR_OP_NEXT,  /* the end of an element: back to `jump` while there are more */
    JFR_OP_OPEN,  /* a composite begins and ends; no bytes */
    JFR_OP_CLOSE
} jfr_op_kind;

enum { JFR_NO_SLOT = 255, JFR_SLOTS = 14, JFR_NO_FIELD = UINT32_MAX, JFR_NO_PLAN = UINT32_MAX };

typedef struct jfr_op {
    uint8_t kind; /* jfr_op_kind */
    uint8_t slot; /* JFR_NO_SLOT: not wanted */
    uint8_t unit; /* jfr_unit */
    uint32_t jump;
    uint32_t field; /* whose value it is, or JFR_NO_FIELD for the elements of an array */
    uint32_t cls;   /* of REF and OPEN */
} jfr_op;

/* A field that is wanted, by its path ("heapSpace.committedSize"; elements of an array as if it was
 * a composite), and where its value goes. */
typedef struct jfr_wish {
    const char *path;
    uint8_t slot;
} jfr_wish;

/* Kinds of steps beside those of operations that read a value. */
enum {
    JFR_STEP_VARINTS = JFR_OP_CLOSE + 1, /* n of them are passed over */
    JFR_STEP_BYTES,
    JFR_STEP_TEXT,          /* a string is passed over */
    JFR_STEP_LOOP,          /* a count; the steps up to n that often */
    JFR_STEP_NEXT,          /* back to n while there are more */
    JFR_STEP_ARRAY_VARINTS, /* a count; n varints that often are passed over */
    JFR_STEP_ARRAY_BYTES
};

typedef struct jfr_step {
    uint8_t kind;
    uint8_t slot;
    uint8_t unit;
    uint32_t n;
    uint32_t cls;
} jfr_step;

/* Consecutive steps. */
typedef struct jfr_steps {
    uint32_t first;
    uint32_t count;
} jfr_steps;

typedef struct jfr_plan {
    uint32_t cls;
    uint32_t first; /* operation */
    uint32_t count;
    jfr_steps reading;
    jfr_steps passing;
    uint32_t slots;     /* a bit each: those that a field has */
    const void *wishes; /* what it was made for */
} jfr_plan;

/* The plans of a chunk. */
typedef struct jfr_plans {
    ts_vec ops;      /* jfr_op */
    ts_vec steps;    /* jfr_step */
    ts_vec plans;    /* jfr_plan */
    bool compressed; /* the chunk's integers */
} jfr_plans;

/*
 * Makes the plan of a class; *number is JFR_NO_PLAN when the class cannot be decoded: it has a
 * field of a class that is not there, contains itself, or is too large. wishes: n of them, borrowed
 * for the call.
 */
ts_code jfr_plan_make(uint32_t *number, ts_ctx *ctx, jfr_plans *plans, const jfr_metadata *m,
                      uint32_t cls, const jfr_wish *wishes, size_t n);
void jfr_plans_free(ts_ctx *ctx, jfr_plans *plans);

static inline const jfr_plan *jfr_plan_at(const jfr_plans *plans, uint32_t i)
{
    return (const jfr_plan *)plans->plans.p + i;
}

static inline const jfr_op *jfr_plan_ops(const jfr_plans *plans, const jfr_plan *plan)
{
    return (const jfr_op *)plans->ops.p + plan->first;
}

/* --- running -------------------------------------------------------------------------------- */

typedef enum jfr_value_kind {
    JFR_V_NONE,
    JFR_V_INT,
    JFR_V_REAL,
    JFR_V_STRING,
    JFR_V_REF
} jfr_value_kind;

typedef struct jfr_value {
    uint8_t kind; /* jfr_value_kind */
    uint8_t unit; /* jfr_unit */
    uint32_t cls; /* of REF */
    int64_t i;    /* also the key of REF */
    double real;
    jfr_string string;
} jfr_value;

/* Called at the end of each element of the array in slot `slot`, when the slots have its values. */
typedef struct jfr_element {
    ts_code (*each)(void *user, const jfr_value *values);
    void *user;
    uint8_t slot;
} jfr_element;

enum { JFR_MAX_NESTING = 16 };

/*
 * Reads a value of the plan's class. values: JFR_SLOTS of them, which the call clears, or NULL when
 * the value is passed over; element: NULL, or what to do with elements. r->bad: it makes no sense.
 * Errors: those of `each`.
 */
ts_code jfr_plan_run(jfr_reader *r, const jfr_plans *plans, const jfr_plan *plan, jfr_value *values,
                     const jfr_element *element);

/* Reads the value of an operation that has one: all but ARRAY, NEXT, OPEN, CLOSE. */
void jfr_op_read(jfr_value *v, const jfr_op *op, jfr_reader *r);

#endif
