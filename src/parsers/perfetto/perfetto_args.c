/*
 * Debug annotations as JSON: a name and a value, which may be a list or a dictionary of others, in
 * one of two forms. Their messages are walked with a stack of their own, down to PERFETTO_NESTING;
 * what is deeper is left out.
 */
#include "parsers/perfetto/perfetto.h"

#include "base/json_out.h"

#include <inttypes.h>

/* Fields of DebugAnnotation. */
enum {
    ARG_NAME_IID = 1,
    ARG_BOOL,
    ARG_UINT,
    ARG_INT,
    ARG_DOUBLE,
    ARG_TEXT,
    ARG_POINTER,
    ARG_NESTED,
    ARG_LEGACY_JSON,
    ARG_NAME,
    ARG_ENTRIES,
    ARG_ITEMS,
    ARG_TEXT_IID = 17
};

/* Fields of NestedValue, the older form. */
enum {
    NESTED_TYPE = 1,
    NESTED_KEYS,
    NESTED_VALUES,
    NESTED_ITEMS,
    NESTED_INT,
    NESTED_DOUBLE,
    NESTED_BOOL,
    NESTED_TEXT
};

/* A list or a dictionary whose members are being written. */
typedef struct level {
    ts_wire w;
    ts_wire keys;     /* of the older form: walked beside the values */
    uint32_t members; /* field of w that is one */
    char bracket;
    bool nested; /* of the older form */
} level;

typedef struct writer {
    perfetto *p;
    ts_jout j;
    level levels[PERFETTO_NESTING];
    unsigned depth;
    bool good;
} writer;

ts_code perfetto_arg(perfetto *p, const char *key)
{
    return ts_buf_printf(p->ctx, &p->args, "%s\"%s\":", p->args.n == 0 ? "{" : ",", key);
}

static ts_text bytes_of(const ts_wire_field *f)
{
    return (ts_text){(const char *)f->p, f->n};
}

static double real_of(const ts_wire_field *f)
{
    double v;
    memcpy(&v, &f->value, sizeof v);
    return v;
}

static void push(writer *x, const ts_wire_field *f, uint32_t members, char bracket, bool nested)
{
    level *l;
    if (x->depth == PERFETTO_NESTING) {
        x->p->n.deep++;
        ts_jout_null(&x->j, NULL);
        return;
    }
    l = &x->levels[x->depth++];
    *l = (level){.members = members, .bracket = bracket, .nested = nested};
    ts_wire_init(&l->w, f->p, f->n);
    ts_wire_init(&l->keys, f->p, f->n);
    ts_jout_open(&x->j, NULL, bracket);
}

/* The value of the older form; its lists and dictionaries are gone through later. */
static void put_nested(writer *x, const ts_wire_field *message)
{
    ts_wire w;
    ts_wire_field f;
    ts_wire_field value = {0};
    uint64_t type = 0;
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        type = f.number == NESTED_TYPE && f.type == TS_WIRE_VARINT ? f.value : type;
        value = f.number >= NESTED_INT && f.number <= NESTED_TEXT ? f : value;
    }
    x->good = x->good && w.fault == TS_WIRE_OK;
    if (type == 1) {
        push(x, message, NESTED_VALUES, '{', true);
    } else if (type == 2) {
        push(x, message, NESTED_ITEMS, '[', true);
    } else if (value.number == NESTED_INT) {
        ts_jout_int(&x->j, NULL, (int64_t)value.value);
    } else if (value.number == NESTED_DOUBLE) {
        ts_jout_real(&x->j, NULL, real_of(&value));
    } else if (value.number == NESTED_BOOL) {
        ts_jout_bool(&x->j, NULL, value.value != 0);
    } else if (value.number == NESTED_TEXT && value.type == TS_WIRE_BYTES) {
        ts_jout_text(&x->j, NULL, bytes_of(&value));
    } else {
        ts_jout_null(&x->j, NULL);
    }
}

static void put_simple(writer *x, const ts_wire_field *v)
{
    ts_jout *j = &x->j;
    switch (v->number) {
    case ARG_BOOL:
        ts_jout_bool(j, NULL, v->value != 0);
        return;
    case ARG_UINT:
        ts_jout_uint(j, NULL, v->value);
        return;
    case ARG_INT:
        ts_jout_int(j, NULL, (int64_t)v->value);
        return;
    case ARG_DOUBLE:
        ts_jout_real(j, NULL, real_of(v));
        return;
    case ARG_POINTER:
        ts_jout_printf(j, NULL, "\"0x%" PRIx64 "\"", v->value);
        return;
    case ARG_TEXT_IID:
        ts_jout_text(
            j, NULL,
            perfetto_text(x->p, perfetto_interned_find(x->p, INTERNED_ARG_TEXT, v->value)));
        return;
    default:
        ts_jout_null(j, NULL);
        return;
    }
}

/* A name, when it is of a dictionary, and a value. */
static void put_annotation(writer *x, const ts_wire_field *message, bool named)
{
    ts_wire w;
    ts_wire_field f;
    ts_wire_field value = {0};
    ts_text name = TS_TEXT_LIT("NULL");
    ts_wire_init(&w, message->p, message->n);
    while (ts_wire_next(&f, &w)) {
        if (f.number == ARG_NAME && f.type == TS_WIRE_BYTES) {
            name = bytes_of(&f);
        } else if (f.number == ARG_NAME_IID && f.type == TS_WIRE_VARINT && named) {
            uint32_t text = perfetto_interned_find(x->p, INTERNED_ARG_NAME, f.value);
            name = text == PERFETTO_NONE ? name : perfetto_text(x->p, text);
        } else if ((f.number >= ARG_BOOL && f.number <= ARG_LEGACY_JSON) ||
                   f.number == ARG_TEXT_IID ||
                   ((f.number == ARG_ENTRIES || f.number == ARG_ITEMS) &&
                    value.number != f.number)) {
            value = f;
        }
    }
    x->good = x->good && w.fault == TS_WIRE_OK;
    if (named) {
        ts_jout_key(&x->j, name);
    }
    if (value.type != TS_WIRE_BYTES) {
        put_simple(x, &value);
    } else if (value.number == ARG_ENTRIES || value.number == ARG_ITEMS) {
        push(x, message, value.number, value.number == ARG_ENTRIES ? '{' : '[', false);
    } else if (value.number == ARG_NESTED) {
        put_nested(x, &value);
    } else if (value.number == ARG_TEXT || value.number == ARG_LEGACY_JSON) {
        ts_jout_text(&x->j, NULL, bytes_of(&value));
    } else {
        ts_jout_null(&x->j, NULL);
    }
}

/* The next field of this number. */
static bool next_member(ts_wire_field *f, ts_wire *w, uint32_t number)
{
    while (ts_wire_next(f, w)) {
        if (f->number == number && f->type == TS_WIRE_BYTES) {
            return true;
        }
    }
    return false;
}

static void put_members(writer *x)
{
    ts_wire_field f;
    ts_wire_field key;
    while (x->depth > 0 && x->j.code == TS_OK) {
        level *l = &x->levels[x->depth - 1];
        if (!next_member(&f, &l->w, l->members)) {
            x->good = x->good && l->w.fault == TS_WIRE_OK;
            ts_jout_close(&x->j, l->bracket == '{' ? '}' : ']');
            x->depth--;
        } else if (!l->nested) {
            put_annotation(x, &f, l->bracket == '{');
        } else {
            if (l->bracket == '{') {
                ts_jout_key(&x->j, next_member(&key, &l->keys, NESTED_KEYS) ? bytes_of(&key)
                                                                            : TS_TEXT_LIT("NULL"));
            }
            put_nested(x, &f);
        }
    }
}

ts_code perfetto_annotation(perfetto *p, const ts_wire_field *message, bool *good)
{
    writer x;
    x.p = p;
    x.j = ts_jout_into(p->ctx, &p->args);
    x.j.escapes = TS_JOUT_PLAIN;
    x.depth = 0;
    x.good = true;
    TS_TRY(ts_buf_putc(p->ctx, &p->args, p->args.n == 0 ? '{' : ','));
    put_annotation(&x, message, true);
    put_members(&x);
    *good = *good && x.good;
    return x.j.code;
}
