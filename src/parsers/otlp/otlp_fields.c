/* What the numbers of fields are in each layout, and walks over fields. */
#include "parsers/otlp/otlp.h"

#include "parsers/proto_kind.h"

const char *const otlp_layout_names[OTLP_LAYOUTS] = {"1.3", "1.4", "1.6", "1.7",
                                                     "1.8", "1.9", "1.10"};

const char *const otlp_message_names[] = {
    [OTLP_TOP] = "ProfilesData",
    [OTLP_DICTIONARY] = "ProfilesDictionary",
    [OTLP_GROUP] = "ResourceProfiles",
    [OTLP_RESOURCE] = "Resource",
    [OTLP_SCOPED] = "ScopeProfiles",
    [OTLP_SCOPE] = "InstrumentationScope",
    [OTLP_CONTAINER] = "ProfileContainer",
    [OTLP_PROFILE] = "Profile",
    [OTLP_SAMPLE] = "Sample",
    [OTLP_TYPE] = "ValueType",
    [OTLP_MAPPING] = "Mapping",
    [OTLP_LOCATION] = "Location",
    [OTLP_LINE] = "Line",
    [OTLP_FUNCTION] = "Function",
    [OTLP_KEY_VALUE] = "KeyValue",
    [OTLP_KEY_VALUE_UNIT] = "KeyValueAndUnit",
    [OTLP_UNIT] = "AttributeUnit",
    [OTLP_LINK] = "Link",
    [OTLP_STACK] = "Stack",
    [OTLP_LABEL] = "Label",
    [OTLP_ANY] = "AnyValue",
};

typedef struct field_line {
    uint8_t message, role;
    char kind;
    uint8_t number[OTLP_LAYOUTS]; /* 0: not in this one */
} field_line;

/* clang-format off */
#define ALL(n) {n, n, n, n, n, n, n}
#define LINE(message, role, kind, ...) {OTLP_##message, role, kind, __VA_ARGS__},

/* Layouts:                                      1.3 1.4 1.6 1.7 1.8 1.9 1.10 */
static const field_line field_lines[] = {
    LINE(TOP, TOP_GROUP, 'b', ALL(1))
    LINE(TOP, TOP_DICTIONARY, 'b',             {0, 0, 0, 2, 2, 2, 2})
    LINE(TOP, TABLE_MAPPING, 'b',              {0, 0, 2, 0, 0, 0, 0})
    LINE(TOP, TABLE_LOCATION, 'b',             {0, 0, 3, 0, 0, 0, 0})
    LINE(TOP, TABLE_FUNCTION, 'b',             {0, 0, 4, 0, 0, 0, 0})
    LINE(TOP, TABLE_LINK, 'b',                 {0, 0, 5, 0, 0, 0, 0})
    LINE(TOP, TABLE_STRING, 'b',               {0, 0, 6, 0, 0, 0, 0})
    LINE(TOP, TABLE_ATTRIBUTE, 'b',            {0, 0, 7, 0, 0, 0, 0})
    LINE(TOP, TABLE_UNIT, 'b',                 {0, 0, 8, 0, 0, 0, 0})
    LINE(DICTIONARY, TABLE_MAPPING, 'b',       {0, 0, 0, 1, 1, 1, 1})
    LINE(DICTIONARY, TABLE_LOCATION, 'b',      {0, 0, 0, 2, 2, 2, 2})
    LINE(DICTIONARY, TABLE_FUNCTION, 'b',      {0, 0, 0, 3, 3, 3, 3})
    LINE(DICTIONARY, TABLE_LINK, 'b',          {0, 0, 0, 4, 4, 4, 4})
    LINE(DICTIONARY, TABLE_STRING, 'b',        {0, 0, 0, 5, 5, 5, 5})
    LINE(DICTIONARY, TABLE_ATTRIBUTE, 'b',     {0, 0, 0, 6, 6, 6, 6})
    LINE(DICTIONARY, TABLE_UNIT, 'b',          {0, 0, 0, 7, 0, 0, 0})
    LINE(DICTIONARY, TABLE_STACK, 'b',         {0, 0, 0, 0, 7, 7, 7})
    LINE(GROUP, GROUP_RESOURCE, 'b', ALL(1))
    LINE(GROUP, GROUP_SCOPED, 'b', ALL(2))
    LINE(GROUP, GROUP_SCHEMA, 'b', ALL(3))
    LINE(RESOURCE, RESOURCE_ATTRIBUTE, 'b', ALL(1))
    LINE(RESOURCE, RESOURCE_DROPPED, 'n', ALL(2))
    LINE(RESOURCE, OTLP_IGNORED, 'b', ALL(3))
    LINE(SCOPED, SCOPED_SCOPE, 'b', ALL(1))
    LINE(SCOPED, SCOPED_PROFILE, 'b', ALL(2))
    LINE(SCOPED, SCOPED_SCHEMA, 'b', ALL(3))
    LINE(SCOPE, SCOPE_NAME, 'b', ALL(1))
    LINE(SCOPE, SCOPE_VERSION, 'b', ALL(2))
    LINE(SCOPE, SCOPE_ATTRIBUTE, 'b', ALL(3))
    LINE(SCOPE, SCOPE_DROPPED, 'n', ALL(4))
    LINE(CONTAINER, PROFILE_ID, 'b',           {1, 0, 0, 0, 0, 0, 0})
    LINE(CONTAINER, OTLP_IGNORED, 'n',         {2, 0, 0, 0, 0, 0, 0})
    LINE(CONTAINER, OTLP_IGNORED, 'n',         {3, 0, 0, 0, 0, 0, 0})
    LINE(CONTAINER, PROFILE_KEY_VALUE, 'b',    {4, 0, 0, 0, 0, 0, 0})
    LINE(CONTAINER, PROFILE_DROPPED, 'n',      {5, 0, 0, 0, 0, 0, 0})
    LINE(CONTAINER, PROFILE_FORMAT, 'b',       {6, 0, 0, 0, 0, 0, 0})
    LINE(CONTAINER, PROFILE_PAYLOAD, 'b',      {7, 0, 0, 0, 0, 0, 0})
    LINE(CONTAINER, CONTAINER_PROFILE, 'b',    {8, 0, 0, 0, 0, 0, 0})
    LINE(PROFILE, PROFILE_TYPE, 'b', ALL(1))
    LINE(PROFILE, PROFILE_SAMPLE, 'b', ALL(2))
    LINE(PROFILE, TABLE_MAPPING, 'b',          {3, 3, 0, 0, 0, 0, 0})
    LINE(PROFILE, TABLE_LOCATION, 'b',         {4, 4, 0, 0, 0, 0, 0})
    LINE(PROFILE, TABLE_FUNCTION, 'b',         {5, 6, 0, 0, 0, 0, 0})
    LINE(PROFILE, TABLE_ATTRIBUTE, 'b',        {16, 7, 0, 0, 0, 0, 0})
    LINE(PROFILE, TABLE_UNIT, 'b',             {17, 8, 0, 0, 0, 0, 0})
    LINE(PROFILE, TABLE_LINK, 'b',             {18, 9, 0, 0, 0, 0, 0})
    LINE(PROFILE, TABLE_STRING, 'b',           {6, 10, 0, 0, 0, 0, 0})
    LINE(PROFILE, PROFILE_LOCATIONS, 'l',      {15, 5, 3, 3, 0, 0, 0})
    LINE(PROFILE, PROFILE_TIME, 'n',           {9, 11, 4, 4, 3, 3, 3})
    LINE(PROFILE, PROFILE_DURATION, 'n',       {10, 12, 5, 5, 4, 4, 4})
    LINE(PROFILE, PROFILE_PERIOD_TYPE, 'b',    {11, 13, 6, 6, 5, 5, 5})
    LINE(PROFILE, PROFILE_PERIOD, 'n',         {12, 14, 7, 7, 6, 6, 6})
    LINE(PROFILE, PROFILE_COMMENT, 'l',        {13, 15, 8, 8, 7, 0, 0})
    LINE(PROFILE, PROFILE_DEFAULT_TEXT, 'n',   {14, 16, 0, 0, 0, 0, 0})
    LINE(PROFILE, PROFILE_DEFAULT_TYPE, 'n',   {0, 0, 9, 9, 0, 0, 0})
    LINE(PROFILE, PROFILE_DROP, 'n',           {7, 0, 0, 0, 0, 0, 0})
    LINE(PROFILE, PROFILE_KEEP, 'n',           {8, 0, 0, 0, 0, 0, 0})
    LINE(PROFILE, PROFILE_ID, 'b',             {0, 17, 10, 10, 8, 7, 7})
    LINE(PROFILE, PROFILE_KEY_VALUE, 'b',      {0, 18, 0, 0, 0, 0, 0})
    LINE(PROFILE, PROFILE_ATTRIBUTE, 'l',      {0, 22, 14, 14, 12, 11, 11})
    LINE(PROFILE, PROFILE_DROPPED, 'n',        {0, 19, 11, 11, 9, 8, 8})
    LINE(PROFILE, PROFILE_FORMAT, 'b',         {0, 20, 12, 12, 10, 9, 9})
    LINE(PROFILE, PROFILE_PAYLOAD, 'b',        {0, 21, 13, 13, 11, 10, 10})
    LINE(SAMPLE, SAMPLE_LOCATION, 'l',         {1, 0, 0, 0, 0, 0, 0})
    LINE(SAMPLE, SAMPLE_START, 'n',            {7, 1, 1, 1, 0, 0, 0})
    LINE(SAMPLE, SAMPLE_LENGTH, 'n',           {8, 2, 2, 2, 0, 0, 0})
    LINE(SAMPLE, OTLP_IGNORED, 'n',            {9, 0, 0, 0, 0, 0, 0})
    LINE(SAMPLE, SAMPLE_STACK, 'n',            {0, 0, 0, 0, 1, 1, 1})
    LINE(SAMPLE, SAMPLE_VALUE, 'l',            {2, 3, 3, 3, 2, 2, 4})
    LINE(SAMPLE, SAMPLE_LABEL, 'b',            {3, 0, 0, 0, 0, 0, 0})
    LINE(SAMPLE, SAMPLE_ATTRIBUTE, 'l',        {10, 4, 4, 4, 3, 3, 2})
    LINE(SAMPLE, SAMPLE_LINK, 'n',             {12, 5, 5, 5, 4, 4, 3})
    LINE(SAMPLE, SAMPLE_TIME, 'l',             {13, 6, 6, 6, 5, 5, 5})
    LINE(TYPE, TYPE_NAME, 'n', ALL(1))
    LINE(TYPE, TYPE_UNIT, 'n', ALL(2))
    LINE(TYPE, TYPE_TEMPORALITY, 'n',          {3, 3, 3, 3, 3, 0, 0})
    LINE(MAPPING, OTLP_IGNORED, 'n', ALL(1))
    LINE(MAPPING, OTLP_IGNORED, 'n', ALL(2))
    LINE(MAPPING, OTLP_IGNORED, 'n', ALL(3))
    LINE(MAPPING, OTLP_IGNORED, 'n',           {4, 0, 0, 0, 0, 0, 0})
    LINE(MAPPING, MAPPING_FILE, 'n',           {5, 4, 4, 4, 4, 4, 4})
    LINE(MAPPING, MAPPING_BUILD_ID, 'n',       {6, 0, 0, 0, 0, 0, 0})
    LINE(MAPPING, OTLP_IGNORED, 'n',           {7, 6, 6, 6, 0, 0, 0})
    LINE(MAPPING, OTLP_IGNORED, 'n',           {8, 7, 7, 7, 0, 0, 0})
    LINE(MAPPING, OTLP_IGNORED, 'n',           {9, 8, 8, 8, 0, 0, 0})
    LINE(MAPPING, OTLP_IGNORED, 'n',           {10, 9, 9, 9, 0, 0, 0})
    LINE(MAPPING, OTLP_IGNORED, 'n',           {11, 0, 0, 0, 0, 0, 0})
    LINE(MAPPING, MAPPING_ATTRIBUTE, 'l',      {12, 5, 5, 5, 5, 5, 5})
    LINE(LOCATION, OTLP_IGNORED, 'n',          {1, 0, 0, 0, 0, 0, 0})
    LINE(LOCATION, LOCATION_MAPPING, 'n',      {2, 1, 1, 1, 1, 1, 1})
    LINE(LOCATION, LOCATION_ADDRESS, 'n',      {3, 2, 2, 2, 2, 2, 2})
    LINE(LOCATION, LOCATION_LINE, 'b',         {4, 3, 3, 3, 3, 3, 3})
    LINE(LOCATION, OTLP_IGNORED, 'n',          {5, 4, 4, 4, 0, 0, 0})
    LINE(LOCATION, LOCATION_TYPE, 'n',         {6, 0, 0, 0, 0, 0, 0})
    LINE(LOCATION, LOCATION_ATTRIBUTE, 'l',    {7, 5, 5, 5, 4, 4, 4})
    LINE(LINE, LINE_FUNCTION, 'n', ALL(1))
    LINE(LINE, LINE_LINE, 'n', ALL(2))
    LINE(LINE, OTLP_IGNORED, 'n', ALL(3))
    LINE(FUNCTION, OTLP_IGNORED, 'n',          {1, 0, 0, 0, 0, 0, 0})
    LINE(FUNCTION, FUNCTION_NAME, 'n',         {2, 1, 1, 1, 1, 1, 1})
    LINE(FUNCTION, FUNCTION_SYSTEM_NAME, 'n',  {3, 2, 2, 2, 2, 2, 2})
    LINE(FUNCTION, FUNCTION_FILE, 'n',         {4, 3, 3, 3, 3, 3, 3})
    LINE(FUNCTION, FUNCTION_LINE, 'n',         {5, 4, 4, 4, 4, 4, 4})
    LINE(KEY_VALUE, KEY_TEXT, 'b', ALL(1))
    LINE(KEY_VALUE, KEY_VALUE, 'b', ALL(2))
    LINE(KEY_VALUE, KEY_NUMBER, 'n', ALL(3))
    LINE(KEY_VALUE_UNIT, KEY_NUMBER, 'n', ALL(1))
    LINE(KEY_VALUE_UNIT, KEY_VALUE, 'b', ALL(2))
    LINE(KEY_VALUE_UNIT, KEY_UNIT, 'n', ALL(3))
    LINE(UNIT, UNIT_KEY, 'n', ALL(1))
    LINE(UNIT, UNIT_UNIT, 'n', ALL(2))
    LINE(LINK, LINK_TRACE, 'b', ALL(1))
    LINE(LINK, LINK_SPAN, 'b', ALL(2))
    LINE(STACK, STACK_LOCATION, 'l', ALL(1))
    LINE(LABEL, LABEL_KEY, 'n', ALL(1))
    LINE(LABEL, LABEL_TEXT, 'n', ALL(2))
    LINE(LABEL, LABEL_NUMBER, 'n', ALL(3))
    LINE(LABEL, LABEL_UNIT, 'n', ALL(4))
    LINE(ANY, ANY_TEXT, 'b', ALL(1))
    LINE(ANY, ANY_BOOL, 'n', ALL(2))
    LINE(ANY, ANY_INT, 'n', ALL(3))
    LINE(ANY, ANY_DOUBLE, 'n', ALL(4))
    LINE(ANY, ANY_LIST, 'b', ALL(5))
    LINE(ANY, ANY_MAP, 'b', ALL(6))
    LINE(ANY, ANY_BYTES, 'b', ALL(7))
    LINE(ANY, ANY_STRING, 'n', ALL(8))
};
/* clang-format on */

void otlp_fields_of(otlp_fields *out, otlp_layout layout, bool names)
{
    *out = (otlp_fields){0};
    for (size_t i = 0; i < sizeof field_lines / sizeof field_lines[0]; i++) {
        const field_line *l = &field_lines[i];
        unsigned number = names ? l->role : l->number[layout];
        if (number > 0 && number < OTLP_FIELDS) {
            out->role[l->message][number] = l->role;
            out->kind[l->message][number] = l->kind;
        }
    }
    if (names) { /* a table of JSON has keys and units of all releases */
        out->role[OTLP_KEY_VALUE][KEY_UNIT] = KEY_UNIT;
        out->kind[OTLP_KEY_VALUE][KEY_UNIT] = 'n';
    }
}

otlp_walk otlp_enter(otlp *o, otlp_message message, otlp_part part)
{
    otlp_walk w = {.fields = &o->fields, .unknown = &o->unknown, .message = message};
    ts_wire_init(&w.wire, o->bytes + part.at, part.n);
    return w;
}

otlp_walk otlp_enter_again(otlp *o, otlp_message message, otlp_part part)
{
    otlp_walk w = otlp_enter(o, message, part);
    w.unknown = &o->again;
    return w;
}

static bool is_right(char kind, ts_wire_type type)
{
    return kind == 'l' ? type != TS_WIRE_FIXED32
                       : (kind == 'b') == (type == TS_WIRE_BYTES) && type != TS_WIRE_FIXED32;
}

static void note_unknown(otlp_walk *w, uint32_t number)
{
    if (w->unknown->count++ == 0) {
        w->unknown->message = w->message;
        w->unknown->number = number;
    }
}

bool otlp_next(ts_wire_field *f, otlp_walk *w)
{
    while (w->part ? ts_wire_next_part(f, &w->wire) : ts_wire_next(f, &w->wire)) {
        uint8_t role = f->number < OTLP_FIELDS ? w->fields->role[w->message][f->number] : 0;
        if (role == 0) {
            note_unknown(w, f->number);
            continue;
        }
        if (!is_right(w->fields->kind[w->message][f->number], f->type)) {
            w->odd = true;
            return false;
        }
        if (role != OTLP_IGNORED) {
            w->role = role;
            return true;
        }
    }
    return false;
}

ts_code otlp_numbers(bool *good, otlp *o, ts_vec *list, const ts_wire_field *f, bool fixed)
{
    ts_wire w;
    ts_bytes in = {f->p, f->n, 0};
    size_t most = f->type != TS_WIRE_BYTES ? 1 : fixed ? f->n / 8 : f->n;
    if (most == 0) { /* the list may have no memory yet */
        *good = f->n == 0;
        return TS_OK;
    }
    TS_TRY(ts_vec_reserve(o->ctx, list, most, sizeof(uint64_t)));
    uint64_t *out = (uint64_t *)list->p + list->n;
    *good = true;
    if (f->type != TS_WIRE_BYTES) {
        *out = f->value;
        list->n++;
        return TS_OK;
    }
    if (fixed) {
        while (ts_get_u64le(out, &in)) {
            out++;
        }
        *good = ts_bytes_left(&in) == 0;
    } else {
        ts_wire_init(&w, f->p, f->n);
        out += ts_wire_packed_all(out, &w);
        *good = w.fault == TS_WIRE_OK;
    }
    list->n = (size_t)(out - (uint64_t *)list->p);
    return TS_OK;
}

ts_code otlp_issue(otlp *o, ts_issue_code issue, uint64_t at, const char *text)
{
    return ts_issue(o->store, o->job->source_id, issue, NULL, (int64_t)at, "%s", text);
}
