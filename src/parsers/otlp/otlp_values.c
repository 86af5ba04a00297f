/* Texts of a message, entries of its tables, and attributes, whose values become texts. */
#include "parsers/otlp/otlp.h"

#include "base/json_out.h"
#include "base/utf8.h"

#include <stdio.h>

bool otlp_entry(otlp_part *out, otlp *o, int table, uint64_t number)
{
    const ts_vec *list = &o->tables[table];
    *out = (otlp_part){0, 0};
    if (number >= list->n || number >= o->certain[table]) {
        o->bad_index++;
        return false;
    }
    *out = ((const otlp_part *)list->p)[number];
    return true;
}

ts_text otlp_text(otlp *o, uint64_t number)
{
    otlp_part part;
    if (number == 0 && o->tables[TABLE_STRING].n == 0) {
        return TS_TEXT_LIT("");
    }
    return !o->no_texts && otlp_entry(&part, o, TABLE_STRING, number) ? otlp_part_text(o, part)
                                                                      : TS_TEXT_NULL;
}

/* --- texts ----------------------------------------------------------------------------------- */

/* A part at the end of what was made. */
static otlp_part made_from(const otlp *o, size_t begin)
{
    return (otlp_part){o->n + begin, o->made.n - begin};
}

ts_code otlp_clean(otlp_part *part, otlp *o)
{
    ts_text text = otlp_part_text(o, *part);
    size_t begin = o->made.n;
    if (text.n > OTLP_MAX_TEXT) {
        o->texts_cut++;
        part->n = text.n = ts_utf8_cut(text.p, OTLP_MAX_TEXT);
    }
    if (ts_utf8_valid(text.p, text.n)) {
        return TS_OK;
    }
    TS_TRY(ts_utf8_clean(o->ctx, &o->made, &o->bad_texts, text.p, text.n));
    *part = made_from(o, begin);
    return TS_OK;
}

ts_code otlp_hex(otlp_part *out, otlp *o, const uint8_t *p, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    size_t begin = o->made.n;
    TS_TRY(ts_buf_reserve(o->ctx, &o->made, 2 * n));
    for (size_t i = 0; i < n; i++) {
        o->made.p[o->made.n++] = digits[p[i] >> 4];
        o->made.p[o->made.n++] = digits[p[i] & 15];
    }
    *out = made_from(o, begin);
    return TS_OK;
}

static double real_of(uint64_t bits)
{
    double d;
    memcpy(&d, &bits, sizeof d);
    return d;
}

/* --- lists and maps as JSON ------------------------------------------------------------------ */

typedef struct open_value {
    otlp_walk walk;
    bool map;
} open_value;

/* The field of a value that counts: the last one. */
static bool value_of(ts_wire_field *out, uint8_t *kind, otlp *o, otlp_part part)
{
    ts_wire_field f;
    otlp_walk w = otlp_enter(o, OTLP_ANY, part);
    *out = (ts_wire_field){0};
    *kind = 0;
    while (otlp_next(&f, &w)) {
        *out = f;
        *kind = w.role;
    }
    return otlp_good(&w);
}

static void put_bytes(ts_jout *j, otlp *o, const ts_wire_field *f)
{
    otlp_part hex;
    size_t begin = o->made.n;
    ts_code code = otlp_hex(&hex, o, f->p, f->n);
    if (code == TS_OK) {
        ts_jout_text(j, NULL, otlp_part_text(o, hex));
    } else {
        ts_jout_fail(j, code);
    }
    o->made.n = begin;
}

/* One that is no list and no map. */
static void put_single(ts_jout *j, otlp *o, const ts_wire_field *f, uint8_t kind)
{
    switch (kind) {
    case ANY_TEXT:
        ts_jout_text(j, NULL, (ts_text){(const char *)f->p, f->n});
        break;
    case ANY_BOOL:
        ts_jout_bool(j, NULL, f->value != 0);
        break;
    case ANY_INT:
        ts_jout_int(j, NULL, (int64_t)f->value);
        break;
    case ANY_DOUBLE:
        ts_jout_real(j, NULL, real_of(f->value));
        break;
    case ANY_BYTES:
        put_bytes(j, o, f);
        break;
    case ANY_STRING:
        ts_jout_text(j, NULL, otlp_text(o, f->value));
        break;
    default:
        ts_jout_null(j, NULL);
    }
}

/* The key of a member is written, the part of its value found. */
static bool take_member(otlp_part *value, ts_jout *j, otlp *o, const ts_wire_field *member)
{
    ts_wire_field f;
    ts_text key = TS_TEXT_LIT("");
    otlp_walk w = otlp_enter(o, OTLP_KEY_VALUE, otlp_part_of(o, member));
    *value = (otlp_part){0, 0};
    while (otlp_next(&f, &w)) {
        if (w.role == KEY_TEXT) {
            key = (ts_text){(const char *)f.p, f.n};
        } else if (w.role == KEY_NUMBER) {
            key = otlp_text(o, f.value);
        } else if (w.role == KEY_VALUE) {
            *value = otlp_part_of(o, &f);
        }
    }
    ts_jout_key(j, key.p == NULL ? TS_TEXT_LIT("") : key);
    return otlp_good(&w);
}

/* A list or map from its beginning on; false: it is too deep, or not well-formed. */
static bool put_value(ts_jout *j, otlp *o, open_value *open, size_t *depth, otlp_part part)
{
    ts_wire_field f;
    uint8_t kind;
    bool good = value_of(&f, &kind, o, part);
    if (!good || (kind != ANY_LIST && kind != ANY_MAP) || *depth == OTLP_MAX_DEPTH) {
        put_single(j, o, &f, good && kind != ANY_LIST && kind != ANY_MAP ? kind : 0);
        return good && kind != ANY_LIST && kind != ANY_MAP;
    }
    ts_jout_open(j, NULL, kind == ANY_MAP ? '{' : '[');
    /* Both kinds have their elements in field 1, which is that of keys. */
    open[*depth].map = kind == ANY_MAP;
    open[(*depth)++].walk = otlp_enter(o, OTLP_RESOURCE, otlp_part_of(o, &f));
    return true;
}

static ts_code put_json(bool *good, otlp *o, otlp_part part)
{
    open_value open[OTLP_MAX_DEPTH];
    size_t depth = 0;
    ts_jout j = ts_jout_into(o->ctx, &o->scratch);
    j.escapes = TS_JOUT_PLAIN;
    o->scratch.n = 0;
    *good = put_value(&j, o, open, &depth, part);
    while (depth > 0 && j.code == TS_OK) {
        open_value *top = &open[depth - 1];
        ts_wire_field f;
        otlp_part value;
        if (!otlp_next(&f, &top->walk)) {
            *good = *good && otlp_good(&top->walk);
            ts_jout_close(&j, top->map ? '}' : ']');
            depth--;
            continue;
        }
        if (top->walk.role != RESOURCE_ATTRIBUTE) {
            continue;
        }
        value = otlp_part_of(o, &f);
        *good = (!top->map || take_member(&value, &j, o, &f)) && *good;
        *good = put_value(&j, o, open, &depth, value) && *good;
    }
    return j.code;
}

/* --- attributes ------------------------------------------------------------------------------ */

/* The text of a value; that of a list or map is JSON. */
static ts_code read_value(bool *good, otlp_attribute *out, otlp *o, otlp_part part)
{
    ts_wire_field f;
    char digits[32];
    size_t begin = o->made.n;
    ts_text text;
    *good = value_of(&f, &out->kind, o, part);
    if (!*good) {
        return TS_OK;
    }
    switch (out->kind) {
    case 0:
        return TS_OK;
    case ANY_TEXT:
        out->value = otlp_part_of(o, &f);
        return otlp_clean(&out->value, o);
    case ANY_STRING:
        text = otlp_text(o, f.value);
        out->kind = text.p == NULL ? 0 : ANY_STRING;
        return text.p == NULL ? TS_OK : (otlp_entry(&out->value, o, TABLE_STRING, f.value), TS_OK);
    case ANY_BYTES:
        return otlp_hex(&out->value, o, f.p, f.n);
    case ANY_BOOL:
        TS_TRY(ts_buf_printf(o->ctx, &o->made, "%s", f.value != 0 ? "true" : "false"));
        break;
    case ANY_INT:
        TS_TRY(ts_buf_decimal(o->ctx, &o->made, (int64_t)f.value));
        break;
    case ANY_DOUBLE:
        if (__builtin_isfinite(real_of(f.value))) {
            TS_TRY(
                ts_buf_put(o->ctx, &o->made, digits, ts_shortest_real(digits, real_of(f.value))));
        } else {
            double d = real_of(f.value);
            TS_TRY(ts_buf_printf(o->ctx, &o->made, "%s",
                                 d != d  ? "NaN"
                                 : d > 0 ? "Infinity"
                                         : "-Infinity"));
        }
        break;
    default:
        TS_TRY(put_json(good, o, part));
        TS_TRY(ts_buf_put(o->ctx, &o->made, o->scratch.p, o->scratch.n));
        break;
    }
    out->value = made_from(o, begin);
    return otlp_clean(&out->value, o);
}

static otlp_meaning meaning_of(ts_text key)
{
    static const struct {
        const char *key;
        otlp_meaning meaning;
    } known[] = {
        {"thread.id", OTLP_MEANS_THREAD},
        {"thread.name", OTLP_MEANS_THREAD_NAME},
        {"process.pid", OTLP_MEANS_PROCESS},
        {"process.executable.name", OTLP_MEANS_EXECUTABLE},
        {"profile.frame.type", OTLP_MEANS_FRAME_TYPE},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (ts_text_is(key, known[i].key)) {
            return known[i].meaning;
        }
    }
    return ts_text_begins(key, "process.executable.build_id") ? OTLP_MEANS_BUILD_ID
                                                              : OTLP_MEANS_NOTHING;
}

/* Units of the layouts that keep them in a table of their own. */
static int64_t unit_of(const otlp *o, ts_text key)
{
    uint64_t unit = 0;
    ts_hash h = ts_hash_begin(&o->ctx->hash_key);
    ts_hash_bytes(&h, key.p, key.n);
    return ts_idmap_find(&unit, &o->units, (int64_t)ts_hash_end(&h)) ? (int64_t)unit : 0;
}

ts_code otlp_attribute_read(otlp_attribute *out, otlp *o, otlp_message message, otlp_part part)
{
    ts_wire_field f;
    otlp_part value = {0, 0};
    bool valued = false;
    bool good = true;
    otlp_walk w = otlp_enter(o, message, part);
    *out = (otlp_attribute){0};
    while (otlp_next(&f, &w)) {
        if (w.role == KEY_TEXT) {
            out->key = otlp_part_of(o, &f);
            out->good = true;
        } else if (w.role == KEY_NUMBER && f.value != 0) {
            out->good = otlp_text(o, f.value).p != NULL;
            out->key = (otlp_part){0, 0};
            if (out->good) {
                out->good = otlp_entry(&out->key, o, TABLE_STRING, f.value);
            }
        } else if (w.role == KEY_VALUE) {
            value = otlp_part_of(o, &f);
            valued = true;
        } else if (w.role == KEY_UNIT) {
            out->unit = (int64_t)f.value;
        }
    }
    if (!otlp_good(&w)) {
        o->bad_entries++;
        out->good = false;
    }
    if (!out->good) {
        return TS_OK;
    }
    TS_TRY(otlp_clean(&out->key, o));
    if (valued) {
        TS_TRY(read_value(&good, out, o, value));
    }
    if (!good) {
        o->bad_entries++;
        out->good = false;
    }
    ts_text key = otlp_part_text(o, out->key);
    out->meaning = (uint8_t)meaning_of(key);
    out->unit = out->unit != 0 ? out->unit : unit_of(o, key);
    return TS_OK;
}

const otlp_attribute *otlp_attribute_at(otlp *o, uint64_t number)
{
    const otlp_attribute *a = o->attributes.p;
    if (otlp_is_none(o, number)) {
        return NULL;
    }
    if (number >= o->attributes.n || number >= o->certain[TABLE_ATTRIBUTE]) {
        o->bad_index++;
        return NULL;
    }
    return &a[number];
}
