/*
 * JSON of a message, as proto3 maps it, with the rules of OTLP: ids of traces and spans are hex,
 * enums are numbers. It becomes a message of protobuf whose field numbers are the roles of
 * otlp_fields.c, so that everything after that is the same. Members have the names of their fields
 * in camel case, or as they are in the definition.
 *
 * An element of a list that is not what it should be moves all that come after it: the message is
 * bad then. A single member that is not is left out.
 */
#include "parsers/otlp/otlp.h"

#include "base/alloc.h"
#include "base/json_out.h"
#include "json/json_fields.h"

#include <ctype.h>
#include <stdlib.h>

/* Objects and lists. A list and the object in it have one place each, but for kinds of values. */
enum {
    P_TOP = 1,
    P_GROUPS,
    P_GROUP,
    P_RESOURCE,
    P_SCOPEDS,
    P_SCOPED,
    P_SCOPE,
    P_PROFILES,
    P_PROFILE,
    P_TYPE, /* an object, or a list of them */
    P_SAMPLES,
    P_SAMPLE,
    P_INTS,
    P_DICTIONARY,
    P_MAPPINGS,
    P_MAPPING,
    P_LOCATIONS,
    P_LOCATION,
    P_LINES,
    P_LINE,
    P_FUNCTIONS,
    P_FUNCTION,
    P_LINKS,
    P_LINK,
    P_TEXTS,
    P_KEY_VALUES,
    P_KEY_VALUE,
    P_ANY,
    P_ANY_LIST,
    P_ANY_MAP,
    P_ANYS,
    P_UNITS,
    P_UNIT,
    P_STACKS,
    P_STACK
};

/* What a value becomes; in the lower bits of a line's flag. Above them: what its name shows. */
enum {
    AS_NUMBER = 1,
    AS_TEXT,
    AS_HEX,
    AS_BASE64,
    AS_ID,
    AS_REAL,
    AS_BOOL,
    AS_ENUM,
    AS_MASK = 15,
    SHOWS_DICTIONARY = 16,
    SHOWS_1_8 = 32,       /* or later */
    SHOWS_UNTIL_1_8 = 64, /* that or earlier */
    SHOWS_OLD = 128,      /* before 1.8 */
    SHOWS_TABLES = 256,
    SHOWS_OWN_TABLES = 512
};

#define SCALAR (TS_JSON_NUMBER | TS_JSON_TEXT | TS_JSON_LITERAL)
/* clang-format off */
#define ONE(at, kinds, to, key, role, flag) {at, kinds, to, false, key, role, flag},
/* A member in camel case, and as it is in the definition. */
#define TWO(at, kinds, to, key, name, role, flag) ONE(at, kinds, to, key, role, flag) ONE(at, kinds, to, name, role, flag)
#define NUMBER(at, key, name, role) TWO(at, SCALAR, 0, key, name, role, AS_NUMBER)
#define LIST(at, to, key, name, role, flag) TWO(at, TS_JSON_LIST, to, key, name, role, flag)
#define ELEMENT(at, to) ONE(at, TS_JSON_OBJECT, to, NULL, 0, 0)

#define TABLES(at, shows)                                                                          \
    LIST(at, P_MAPPINGS, "mappingTable", "mapping_table", TABLE_MAPPING, shows)                     \
    LIST(at, P_LOCATIONS, "locationTable", "location_table", TABLE_LOCATION, shows)                 \
    LIST(at, P_FUNCTIONS, "functionTable", "function_table", TABLE_FUNCTION, shows)                 \
    LIST(at, P_LINKS, "linkTable", "link_table", TABLE_LINK, shows)                                 \
    LIST(at, P_TEXTS, "stringTable", "string_table", TABLE_STRING, shows)                           \
    LIST(at, P_KEY_VALUES, "attributeTable", "attribute_table", TABLE_ATTRIBUTE, shows)             \
    LIST(at, P_UNITS, "attributeUnits", "attribute_units", TABLE_UNIT, shows | SHOWS_OLD)

static const ts_json_field fields[] = {
    ONE(0, TS_JSON_OBJECT, P_TOP, NULL, 0, 0)
    LIST(P_TOP, P_GROUPS, "resourceProfiles", "resource_profiles", TOP_GROUP, 0)
    ONE(P_TOP, TS_JSON_OBJECT, P_DICTIONARY, "dictionary", TOP_DICTIONARY, SHOWS_DICTIONARY)
    TABLES(P_TOP, SHOWS_TABLES)
    ELEMENT(P_GROUPS, P_GROUP)
    ONE(P_GROUP, TS_JSON_OBJECT, P_RESOURCE, "resource", GROUP_RESOURCE, 0)
    LIST(P_GROUP, P_SCOPEDS, "scopeProfiles", "scope_profiles", GROUP_SCOPED, 0)
    TWO(P_GROUP, SCALAR, 0, "schemaUrl", "schema_url", GROUP_SCHEMA, AS_TEXT)
    ONE(P_RESOURCE, TS_JSON_LIST, P_KEY_VALUES, "attributes", RESOURCE_ATTRIBUTE, 0)
    NUMBER(P_RESOURCE, "droppedAttributesCount", "dropped_attributes_count", RESOURCE_DROPPED)
    ELEMENT(P_SCOPEDS, P_SCOPED)
    ONE(P_SCOPED, TS_JSON_OBJECT, P_SCOPE, "scope", SCOPED_SCOPE, 0)
    ONE(P_SCOPED, TS_JSON_LIST, P_PROFILES, "profiles", SCOPED_PROFILE, 0)
    TWO(P_SCOPED, SCALAR, 0, "schemaUrl", "schema_url", SCOPED_SCHEMA, AS_TEXT)
    ONE(P_SCOPE, SCALAR, 0, "name", SCOPE_NAME, AS_TEXT)
    ONE(P_SCOPE, SCALAR, 0, "version", SCOPE_VERSION, AS_TEXT)
    ONE(P_SCOPE, TS_JSON_LIST, P_KEY_VALUES, "attributes", SCOPE_ATTRIBUTE, 0)
    ELEMENT(P_PROFILES, P_PROFILE)
    TWO(P_PROFILE, TS_JSON_OBJECT | TS_JSON_LIST, P_TYPE, "sampleType", "sample_type", PROFILE_TYPE, 0)
    ONE(P_PROFILE, TS_JSON_LIST, P_SAMPLES, "samples", PROFILE_SAMPLE, 0)
    ONE(P_PROFILE, TS_JSON_LIST, P_SAMPLES, "sample", PROFILE_SAMPLE, SHOWS_UNTIL_1_8)
    TABLES(P_PROFILE, SHOWS_OWN_TABLES)
    LIST(P_PROFILE, P_INTS, "locationIndices", "location_indices", PROFILE_LOCATIONS, SHOWS_OLD)
    TWO(P_PROFILE, SCALAR, 0, "timeNanos", "time_nanos", PROFILE_TIME, AS_NUMBER | SHOWS_OLD)
    TWO(P_PROFILE, SCALAR, 0, "durationNanos", "duration_nanos", PROFILE_DURATION, AS_NUMBER | SHOWS_OLD)
    TWO(P_PROFILE, SCALAR, 0, "timeUnixNano", "time_unix_nano", PROFILE_TIME, AS_NUMBER | SHOWS_1_8)
    NUMBER(P_PROFILE, "durationNano", "duration_nano", PROFILE_DURATION)
    TWO(P_PROFILE, TS_JSON_OBJECT, P_TYPE, "periodType", "period_type", PROFILE_PERIOD_TYPE, 0)
    ONE(P_PROFILE, SCALAR, 0, "period", PROFILE_PERIOD, AS_NUMBER)
    LIST(P_PROFILE, P_INTS, "commentStrindices", "comment_strindices", PROFILE_COMMENT, 0)
    NUMBER(P_PROFILE, "defaultSampleTypeStrindex", "default_sample_type_strindex", PROFILE_DEFAULT_TEXT)
    NUMBER(P_PROFILE, "defaultSampleTypeIndex", "default_sample_type_index", PROFILE_DEFAULT_TYPE)
    TWO(P_PROFILE, SCALAR, 0, "profileId", "profile_id", PROFILE_ID, AS_ID)
    LIST(P_PROFILE, P_INTS, "attributeIndices", "attribute_indices", PROFILE_ATTRIBUTE, 0)
    ONE(P_PROFILE, TS_JSON_LIST, P_KEY_VALUES, "attributes", PROFILE_KEY_VALUE, 0)
    NUMBER(P_PROFILE, "droppedAttributesCount", "dropped_attributes_count", PROFILE_DROPPED)
    TWO(P_PROFILE, SCALAR, 0, "originalPayloadFormat", "original_payload_format", PROFILE_FORMAT, AS_TEXT)
    TWO(P_PROFILE, SCALAR, 0, "originalPayload", "original_payload", PROFILE_PAYLOAD, AS_BASE64)
    ELEMENT(P_TYPE, P_TYPE)
    NUMBER(P_TYPE, "typeStrindex", "type_strindex", TYPE_NAME)
    NUMBER(P_TYPE, "unitStrindex", "unit_strindex", TYPE_UNIT)
    TWO(P_TYPE, SCALAR, 0, "aggregationTemporality", "aggregation_temporality", TYPE_TEMPORALITY, AS_ENUM)
    ELEMENT(P_SAMPLES, P_SAMPLE)
    TWO(P_SAMPLE, SCALAR, 0, "locationsStartIndex", "locations_start_index", SAMPLE_START, AS_NUMBER | SHOWS_OLD)
    TWO(P_SAMPLE, SCALAR, 0, "locationsLength", "locations_length", SAMPLE_LENGTH, AS_NUMBER | SHOWS_OLD)
    TWO(P_SAMPLE, SCALAR, 0, "stackIndex", "stack_index", SAMPLE_STACK, AS_NUMBER | SHOWS_1_8)
    ONE(P_SAMPLE, TS_JSON_LIST, P_INTS, "values", SAMPLE_VALUE, SHOWS_1_8)
    ONE(P_SAMPLE, TS_JSON_LIST, P_INTS, "value", SAMPLE_VALUE, SHOWS_OLD)
    LIST(P_SAMPLE, P_INTS, "attributeIndices", "attribute_indices", SAMPLE_ATTRIBUTE, 0)
    NUMBER(P_SAMPLE, "linkIndex", "link_index", SAMPLE_LINK)
    LIST(P_SAMPLE, P_INTS, "timestampsUnixNano", "timestamps_unix_nano", SAMPLE_TIME, 0)
    ONE(P_INTS, SCALAR, 0, NULL, 0, AS_NUMBER)
    TABLES(P_DICTIONARY, 0)
    LIST(P_DICTIONARY, P_STACKS, "stackTable", "stack_table", TABLE_STACK, SHOWS_1_8)
    ELEMENT(P_MAPPINGS, P_MAPPING)
    NUMBER(P_MAPPING, "filenameStrindex", "filename_strindex", MAPPING_FILE)
    LIST(P_MAPPING, P_INTS, "attributeIndices", "attribute_indices", MAPPING_ATTRIBUTE, 0)
    ELEMENT(P_LOCATIONS, P_LOCATION)
    NUMBER(P_LOCATION, "mappingIndex", "mapping_index", LOCATION_MAPPING)
    ONE(P_LOCATION, SCALAR, 0, "address", LOCATION_ADDRESS, AS_NUMBER)
    ONE(P_LOCATION, TS_JSON_LIST, P_LINES, "lines", LOCATION_LINE, 0)
    ONE(P_LOCATION, TS_JSON_LIST, P_LINES, "line", LOCATION_LINE, SHOWS_UNTIL_1_8)
    LIST(P_LOCATION, P_INTS, "attributeIndices", "attribute_indices", LOCATION_ATTRIBUTE, 0)
    ELEMENT(P_LINES, P_LINE)
    NUMBER(P_LINE, "functionIndex", "function_index", LINE_FUNCTION)
    ONE(P_LINE, SCALAR, 0, "line", LINE_LINE, AS_NUMBER)
    ELEMENT(P_FUNCTIONS, P_FUNCTION)
    NUMBER(P_FUNCTION, "nameStrindex", "name_strindex", FUNCTION_NAME)
    NUMBER(P_FUNCTION, "systemNameStrindex", "system_name_strindex", FUNCTION_SYSTEM_NAME)
    NUMBER(P_FUNCTION, "filenameStrindex", "filename_strindex", FUNCTION_FILE)
    NUMBER(P_FUNCTION, "startLine", "start_line", FUNCTION_LINE)
    ELEMENT(P_LINKS, P_LINK)
    TWO(P_LINK, SCALAR, 0, "traceId", "trace_id", LINK_TRACE, AS_HEX)
    TWO(P_LINK, SCALAR, 0, "spanId", "span_id", LINK_SPAN, AS_HEX)
    ONE(P_TEXTS, SCALAR, 0, NULL, 0, AS_TEXT)
    ELEMENT(P_KEY_VALUES, P_KEY_VALUE)
    ONE(P_KEY_VALUE, SCALAR, 0, "key", KEY_TEXT, AS_TEXT)
    ONE(P_KEY_VALUE, TS_JSON_OBJECT, P_ANY, "value", KEY_VALUE, 0)
    NUMBER(P_KEY_VALUE, "keyStrindex", "key_strindex", KEY_NUMBER)
    NUMBER(P_KEY_VALUE, "unitStrindex", "unit_strindex", KEY_UNIT)
    TWO(P_ANY, SCALAR, 0, "stringValue", "string_value", ANY_TEXT, AS_TEXT)
    TWO(P_ANY, SCALAR, 0, "boolValue", "bool_value", ANY_BOOL, AS_BOOL)
    TWO(P_ANY, SCALAR, 0, "intValue", "int_value", ANY_INT, AS_NUMBER)
    TWO(P_ANY, SCALAR, 0, "doubleValue", "double_value", ANY_DOUBLE, AS_REAL)
    TWO(P_ANY, TS_JSON_OBJECT, P_ANY_LIST, "arrayValue", "array_value", ANY_LIST, 0)
    TWO(P_ANY, TS_JSON_OBJECT, P_ANY_MAP, "kvlistValue", "kvlist_value", ANY_MAP, 0)
    TWO(P_ANY, SCALAR, 0, "bytesValue", "bytes_value", ANY_BYTES, AS_BASE64)
    NUMBER(P_ANY, "stringValueStrindex", "string_value_strindex", ANY_STRING)
    ONE(P_ANY_LIST, TS_JSON_LIST, P_ANYS, "values", RESOURCE_ATTRIBUTE, 0)
    ONE(P_ANY_MAP, TS_JSON_LIST, P_KEY_VALUES, "values", RESOURCE_ATTRIBUTE, 0)
    ELEMENT(P_ANYS, P_ANY)
    ELEMENT(P_UNITS, P_UNIT)
    TWO(P_UNIT, SCALAR, 0, "attributeKeyStrindex", "attribute_key_strindex", UNIT_KEY, AS_NUMBER)
    NUMBER(P_UNIT, "unitStrindex", "unit_strindex", UNIT_UNIT)
    ELEMENT(P_STACKS, P_STACK)
    LIST(P_STACK, P_INTS, "locationIndices", "location_indices", STACK_LOCATION, 0)
};
/* clang-format on */

/* An open object, whose length comes later, or a list, whose elements have its role. */
typedef struct level {
    bool list;
    uint16_t role;
    size_t length_at;
} level;

struct otlp_json {
    ts_json *json;
    ts_json_place in;
    ts_json_handler handler; /* of tables, but for what begins */
    bool list;               /* what begins is one */
    bool begun;              /* a byte of the document came */
    bool bad;                /* an element of a list is not what it should be */
    ts_vec levels;
    ts_buf text;
    uint32_t shown;
};

/* --- the message that is made ------------------------------------------------------------------
 */

static bool is_full(otlp *o)
{
    o->too_large = o->too_large || o->message.n > OTLP_MAX_MESSAGE;
    return o->too_large;
}

static ts_code put_tag(otlp *o, uint16_t role, ts_wire_type type)
{
    return ts_buf_varint(o->ctx, &o->message, (uint64_t)role << 3 | type);
}

static ts_code put_number(otlp *o, uint16_t role, uint64_t v)
{
    TS_TRY(put_tag(o, role, TS_WIRE_VARINT));
    return ts_buf_varint(o->ctx, &o->message, v);
}

static ts_code put_bytes(otlp *o, uint16_t role, const char *p, size_t n)
{
    TS_TRY(put_tag(o, role, TS_WIRE_BYTES));
    TS_TRY(ts_buf_varint(o->ctx, &o->message, n));
    return ts_buf_put(o->ctx, &o->message, p, n);
}

/* Of a value: that of its line, or of the list that it is in. */
static uint16_t role_of(const struct otlp_json *j)
{
    const level *l = j->levels.p;
    return j->in.field->key == NULL ? (j->levels.n == 0 ? 0 : l[j->levels.n - 1].role)
                                    : j->in.field->offset;
}

/* Lengths have five bytes, whatever they are. */
static ts_code open_level(void *user, bool *take, unsigned place)
{
    otlp *o = user;
    struct otlp_json *j = o->json;
    level l = {j->list, role_of(j), 0};
    *take = true;
    if (!j->list && place != P_TOP && !is_full(o)) {
        TS_TRY(put_tag(o, l.role, TS_WIRE_BYTES));
        l.length_at = o->message.n;
        TS_TRY(ts_buf_put(o->ctx, &o->message, "\x80\x80\x80\x80", 5));
    }
    return ts_vec_push(o->ctx, &j->levels, &l, sizeof l);
}

static ts_code close_level(void *user, unsigned place)
{
    otlp *o = user;
    struct otlp_json *j = o->json;
    const level l = ((const level *)j->levels.p)[--j->levels.n];
    size_t n = o->message.n - l.length_at - 5;
    (void)place;
    for (size_t i = 0; l.length_at > 0 && i < 5; i++, n >>= 7) {
        o->message.p[l.length_at + i] = (char)((n & 0x7F) | (i < 4 ? 0x80 : 0));
    }
    return TS_OK;
}

/* --- values ------------------------------------------------------------------------------------
 */

static ts_code odd(otlp *o)
{
    struct otlp_json *j = o->json;
    if (j->in.field != NULL && j->in.field->key == NULL) {
        j->bad = true;
    } else {
        o->bad_elements++;
    }
    return TS_OK;
}

/* A decimal of 64 bits, with a sign or above 2^63. */
static bool read_decimal(uint64_t *out, ts_text t)
{
    bool negative = t.n > 0 && t.p[0] == '-';
    t = negative ? ts_text_from(t, 1) : t;
    *out = 0;
    for (size_t i = 0; i < t.n; i++) {
        if (!ts_is_digit(t.p[i]) || ts_ckd_mul(out, *out, UINT64_C(10)) ||
            ts_ckd_add(out, *out, (uint64_t)(t.p[i] - '0'))) {
            return false;
        }
    }
    if (negative && *out > UINT64_C(1) << 63) {
        return false;
    }
    *out = negative ? 0 - *out : *out;
    return t.n > 0;
}

static int hex_digit(char c)
{
    return ts_is_digit(c)         ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

/* In place. */
static bool from_hex(ts_buf *t)
{
    if (t->n % 2 != 0) {
        return false;
    }
    for (size_t i = 0; i < t->n / 2; i++) {
        int a = hex_digit(t->p[2 * i]);
        int b = hex_digit(t->p[2 * i + 1]);
        if (a < 0 || b < 0) {
            return false;
        }
        t->p[i] = (char)(a << 4 | b);
    }
    t->n /= 2;
    return true;
}

static int base64_digit(char c)
{
    return c >= 'A' && c <= 'Z'   ? c - 'A'
           : c >= 'a' && c <= 'z' ? c - 'a' + 26
           : ts_is_digit(c)       ? c - '0' + 52
           : c == '+' || c == '-' ? 62
           : c == '/' || c == '_' ? 63
                                  : -1;
}

/* In place; of both alphabets, with or without padding. */
static bool from_base64(ts_buf *t)
{
    uint32_t bits = 0;
    unsigned have = 0;
    size_t n = 0;
    while (t->n > 0 && t->p[t->n - 1] == '=') {
        t->n--;
    }
    for (size_t i = 0; i < t->n; i++) {
        int digit = base64_digit(t->p[i]);
        if (digit < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)digit;
        have += 6;
        if (have >= 8) {
            have -= 8;
            t->p[n++] = (char)(bits >> have & 0xFF);
        }
    }
    t->n = n;
    return have < 6;
}

static ts_code put_real(otlp *o, uint16_t role, double d)
{
    uint64_t bits;
    memcpy(&bits, &d, sizeof bits);
    TS_TRY(put_tag(o, role, TS_WIRE_FIXED64));
    for (int i = 0; i < 8; i++) {
        TS_TRY(ts_buf_putc(o->ctx, &o->message, (char)(bits >> (8 * i) & 0xFF)));
    }
    return TS_OK;
}

/* Names of numbers that JSON has none for; else false. */
static bool read_real(double *out, ts_buf *t)
{
    static const struct {
        const char *name;
        double value;
    } names[] = {{"NaN", __builtin_nan("")},
                 {"Infinity", __builtin_inf()},
                 {"+Inf", __builtin_inf()},
                 {"-Infinity", -__builtin_inf()},
                 {"-Inf", -__builtin_inf()}};
    char *end;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (ts_text_is(ts_buf_text(t), names[i].name)) {
            *out = names[i].value;
            return true;
        }
    }
    if (t->n == 0 || t->n > 64 || !(ts_is_digit(t->p[0]) || t->p[0] == '-')) {
        return false;
    }
    char digits[65];
    memcpy(digits, t->p, t->n);
    digits[t->n] = '\0';
    *out = strtod(digits, &end);
    return *end == '\0';
}

static ts_code take_text(otlp *o)
{
    struct otlp_json *j = o->json;
    ts_buf *t = &j->text;
    uint16_t role = role_of(j);
    uint64_t v;
    double d;
    bool id = t->n == 32;
    switch (j->in.field->flag & AS_MASK) {
    case AS_TEXT:
        return put_bytes(o, role, ts_buf_text(t).p, t->n);
    case AS_NUMBER:
        return read_decimal(&v, ts_buf_text(t)) ? put_number(o, role, v) : odd(o);
    case AS_HEX:
        return from_hex(t) ? put_bytes(o, role, ts_buf_text(t).p, t->n) : odd(o);
    case AS_BASE64:
        return from_base64(t) ? put_bytes(o, role, ts_buf_text(t).p, t->n) : odd(o);
    case AS_ID:
        return (id ? from_hex(t) : from_base64(t)) ? put_bytes(o, role, ts_buf_text(t).p, t->n)
                                                   : odd(o);
    case AS_REAL:
        return read_real(&d, t) ? put_real(o, role, d) : odd(o);
    case AS_ENUM:
        return put_number(o, role,
                          ts_text_ends(ts_buf_text(t), "_CUMULATIVE") ? 2
                          : ts_text_ends(ts_buf_text(t), "_DELTA")    ? 1
                                                                      : 0);
    default:
        return odd(o);
    }
}

static ts_code on_text(void *user, const char *p, size_t n, unsigned flags)
{
    otlp *o = user;
    struct otlp_json *j = o->json;
    if ((flags & TS_JSON_FIRST) != 0) {
        j->text.n = 0;
    }
    o->too_large = o->too_large || j->text.n + n > OTLP_MAX_MESSAGE;
    if (is_full(o)) {
        return TS_OK;
    }
    TS_TRY(ts_buf_put(o->ctx, &j->text, p, n));
    return (flags & TS_JSON_LAST) != 0 ? take_text(o) : TS_OK;
}

static ts_code on_number(void *user, const ts_json_number *number)
{
    otlp *o = user;
    const struct otlp_json *j = o->json;
    uint64_t v;
    unsigned as = j->in.field->flag & AS_MASK;
    if (is_full(o)) {
        return TS_OK;
    }
    if (as == AS_REAL) {
        return put_real(o, role_of(j), number->d);
    }
    if (as != AS_NUMBER && as != AS_ENUM) {
        return odd(o);
    }
    if (number->is_int) {
        return put_number(o, role_of(j), (uint64_t)number->i);
    }
    return number->n < 64 && read_decimal(&v, (ts_text){number->p, number->n})
               ? put_number(o, role_of(j), v)
               : odd(o);
}

/* null is as if the member were not there. */
static ts_code on_literal(void *user, ts_json_kind kind)
{
    otlp *o = user;
    const struct otlp_json *j = o->json;
    if ((j->in.field->flag & AS_MASK) == AS_BOOL && kind != TS_JSON_NULL) {
        return is_full(o) ? TS_OK : put_number(o, role_of(j), kind == TS_JSON_TRUE ? 1 : 0);
    }
    return kind == TS_JSON_NULL && j->in.field->key != NULL ? TS_OK : odd(o);
}

static ts_code on_key(void *user)
{
    otlp *o = user;
    o->any = true;
    o->json->shown |= o->json->in.field->flag & ~(uint32_t)AS_MASK;
    return TS_OK;
}

/* Members that are not known are passed over, and so is null in place of an object or a list. */
static ts_code on_odd(void *user, unsigned kind)
{
    otlp *o = user;
    const ts_json_field *f = o->json->in.field;
    return f == NULL || (f->key != NULL && kind == TS_JSON_LITERAL) ? TS_OK : odd(o);
}

static const ts_json_table table = {
    .fields = fields,
    .count = sizeof fields / sizeof fields[0],
    .begin = open_level,
    .end = close_level,
    .number = on_number,
    .text = on_text,
    .literal = on_literal,
    .key = on_key,
    .odd = on_odd,
};

/* --- the document ------------------------------------------------------------------------------
 */

static ts_code object_begin(void *user)
{
    ((otlp *)((ts_json_place *)user)->user)->json->list = false;
    return ts_json_by_table.object_begin(user);
}

static ts_code array_begin(void *user, int *want)
{
    ((otlp *)((ts_json_place *)user)->user)->json->list = true;
    return ts_json_by_table.array_begin(user, want);
}

static void begin_document(otlp *o)
{
    struct otlp_json *j = o->json;
    ts_json_reset(j->json);
    j->in.at = 0;
    j->in.skip = 0;
    j->in.around.n = 0;
    ts_json_place_begin(&j->in);
    j->levels.n = 0;
    j->shown = 0;
    j->begun = false;
    j->bad = false;
    o->message.n = 0;
    o->too_large = false;
}

ts_code otlp_json_open(otlp *o)
{
    struct otlp_json *j;
    if (o->json != NULL) {
        begin_document(o);
        return TS_OK;
    }
    TS_NEED(o->ctx, j = ts_zalloc(o->ctx, 1, sizeof *j));
    o->json = j;
    j->in = (ts_json_place){.table = &table, .user = o, .ctx = o->ctx};
    j->handler = ts_json_by_table;
    j->handler.object_begin = object_begin;
    j->handler.array_begin = array_begin;
    TS_TRY(ts_json_new(&j->json, o->ctx, &j->handler, &j->in, 0));
    begin_document(o);
    return TS_OK;
}

void otlp_json_close(otlp *o)
{
    struct otlp_json *j = o->json;
    if (j == NULL) {
        return;
    }
    ts_json_free(j->json);
    ts_json_place_free(&j->in);
    ts_vec_free(o->ctx, &j->levels);
    ts_buf_free(o->ctx, &j->text);
    ts_free(o->ctx, j);
    o->json = NULL;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

ts_code otlp_json_feed(otlp *o, const uint8_t *p, size_t n)
{
    struct otlp_json *j = o->json;
    for (size_t i = 0; !j->begun && i < n; i++) {
        j->begun = !is_blank(p[i]);
    }
    return ts_json_feed(j->json, (const char *)p, n);
}

bool otlp_json_begun(const otlp *o)
{
    return o->json->begun;
}

bool otlp_json_done(const otlp *o)
{
    return ts_json_state(o->json->json) == TS_JSON_DONE;
}

bool otlp_json_bad(const otlp *o)
{
    return ts_json_state(o->json->json) == TS_JSON_BAD;
}

/* The layout that the names of members show. */
static otlp_layout shown_layout(uint32_t shown)
{
    return (shown & SHOWS_OWN_TABLES) != 0 && (shown & (SHOWS_DICTIONARY | SHOWS_TABLES)) == 0
               ? OTLP_1_4
           : (shown & SHOWS_TABLES) != 0 ? OTLP_1_6
           : (shown & SHOWS_1_8) != 0    ? ((shown & SHOWS_UNTIL_1_8) != 0 ? OTLP_1_8 : OTLP_1_9)
           : (shown & (SHOWS_OLD | SHOWS_UNTIL_1_8)) != 0
               ? ((shown & SHOWS_DICTIONARY) != 0 ? OTLP_1_7 : OTLP_1_6)
               : OTLP_1_9;
}

static ts_code lose(otlp *o, ts_issue_code issue, uint64_t at, const char *text)
{
    o->messages_lost++;
    o->not_whole = true;
    o->number++;
    return otlp_issue(o, issue, at, text);
}

ts_code otlp_json_end(otlp *o, bool cut)
{
    struct otlp_json *j = o->json;
    ts_code code = TS_OK;
    uint64_t at = o->message_at + ts_json_position(j->json);
    if (!j->begun) {
        return TS_OK;
    }
    o->bad_texts += ts_json_replaced(j->json);
    if (ts_json_state(j->json) != TS_JSON_DONE) {
        code = cut && ts_json_state(j->json) == TS_JSON_MORE
                   ? lose(o, TS_ISSUE_otlp_cut, at, "the last message is cut off")
                   : lose(o, TS_ISSUE_otlp_bad_message, at, ts_json_reason(j->json));
    } else if (o->too_large) {
        code = lose(o, TS_ISSUE_otlp_too_large, o->message_at, "a message is too large");
    } else if (j->bad) {
        code = lose(o, TS_ISSUE_otlp_bad_message, o->message_at,
                    "an element of a list is not of its type");
    } else {
        o->names = true;
        o->layout = shown_layout(j->shown);
        code = otlp_take(o);
    }
    begin_document(o);
    return code;
}
