#include "json/json_fields.h"

static bool fits(const ts_json_field *f, const char *key, size_t n)
{
    return f->key != NULL &&
           ((n > 0 && f->key[0] == *key && strlen(f->key) == n && memcmp(f->key, key, n) == 0) ||
            (f->key[0] == '*' && f->key[1] == '\0'));
}

/* The line of a key in the present place, or NULL. */
static const ts_json_field *field_of(const ts_json_place *r, const char *key, size_t n)
{
    const ts_json_field *f = r->first;
    const ts_json_field *end = r->table->fields + r->table->count;
    while (f < end && f->at == r->at && !fits(f, key, n)) {
        f++;
    }
    return f < end && f->at == r->at ? f : NULL;
}

/* Objects of a list have the same keys: those that were found are kept by a few of their bytes. */
static inline const ts_json_field *known_field(ts_json_place *r, const char *key, size_t n)
{
    if (n == 0) {
        return field_of(r, key, n);
    }
    const unsigned place = (unsigned char)key[0] + 5U * (unsigned char)key[n - 1] + 7U * r->at;
    ts_json_known *known = &r->known[(place + 3U * (unsigned)n) % TS_JSON_KNOWN];
    if (known->field != NULL && known->n == n && known->field->at == r->at &&
        memcmp(known->field->key, key, n) == 0) {
        return known->field;
    }
    const ts_json_field *f = field_of(r, key, n);
    if (f != NULL && f->key[0] != '*') {
        *known = (ts_json_known){f, n};
    }
    return f;
}

static ts_code on_key(void *user, const char *p, size_t n)
{
    ts_json_place *r = user;
    if (r->skip > 0) {
        return TS_OK;
    }
    r->field = known_field(r, p, n);
    r->last = r->field;
    if (r->field != NULL && r->field->key[0] == '*') {
        r->key.n = 0;
        TS_TRY(ts_buf_put(r->ctx, &r->key, p, n));
    }
    return r->field == NULL || r->table->key == NULL ? TS_OK : r->table->key(r->user);
}

/* The reader is at a place now: in a list its elements come, in an object a key. */
static void enter(ts_json_place *r, unsigned place)
{
    const ts_json_field *f = r->table->fields;
    const ts_json_field *end = f + r->table->count;
    while (f < end && f->at != place) {
        f++;
    }
    r->at = place;
    r->first = f;
    r->field = f < end && f->key == NULL ? f : NULL;
}

static ts_code odd(ts_json_place *r, unsigned kind)
{
    return r->table->odd == NULL ? TS_OK : r->table->odd(r->user, kind);
}

static bool is_any(const ts_json_place *r)
{
    return r->field != NULL && (r->field->kinds & TS_JSON_ANY) != 0;
}

/* --- levels --------------------------------------------------------------------------------- */

static ts_code begin_level(ts_json_place *r, unsigned kind, int *want)
{
    const ts_json_field *f = r->field;
    const ts_json_field *end = r->table->fields + r->table->count;
    bool take;
    ts_code code = TS_OK;
    if (r->skip > 0 || is_any(r)) {
        r->skip++;
        return TS_OK;
    }
    while (f != NULL && f->key == NULL && (f->kinds & kind) == 0 && f + 1 < end &&
           f[1].at == f->at) {
        f++; /* elements of another kind */
    }
    take = f != NULL && (f->kinds & kind) != 0;
    if (take && r->table->begin != NULL) {
        code = r->table->begin(r->user, &take, f->to);
    }
    if (code != TS_OK || !take) {
        r->skip = 1;
        return code != TS_OK ? code : odd(r, kind);
    }
    code = ts_buf_putc(r->ctx, &r->around, (char)r->at);
    enter(r, f->to);
    *want = f->ints ? TS_JSON_WANT_INTS : TS_JSON_PLAIN;
    return code;
}

static ts_code on_object_begin(void *user)
{
    int want;
    return begin_level(user, TS_JSON_OBJECT, &want);
}

static ts_code on_array_begin(void *user, int *want)
{
    return begin_level(user, TS_JSON_LIST, want);
}

static ts_code on_end(void *user)
{
    ts_json_place *r = user;
    const unsigned place = r->at;
    if (r->skip > 0) {
        return --r->skip == 0 && is_any(r) ? r->table->passed(r->user) : TS_OK;
    }
    enter(r, (unsigned char)r->around.p[--r->around.n]);
    return r->table->end == NULL ? TS_OK : r->table->end(r->user, place);
}

/* --- values --------------------------------------------------------------------------------- */

static ts_code on_number(void *user, const ts_json_number *number)
{
    const ts_json_place *r = user;
    const ts_json_field *f = r->field;
    const unsigned kinds = f == NULL ? 0 : f->kinds;
    const int64_t v = number->i;
    uint32_t *flags;
    if (r->skip > 0) {
        return TS_OK;
    }
    if (is_any(r)) {
        return r->table->passed(r->user);
    }
    if ((kinds & TS_JSON_NUMBER) != 0) {
        return r->table->number(r->user, number);
    }
    if (!number->is_int ||
        !((kinds & TS_JSON_INT) != 0 || ((kinds & TS_JSON_SIZE) != 0 && v >= 0) ||
          ((kinds & TS_JSON_INT32) != 0 && v >= INT32_MIN && v <= INT32_MAX))) {
        return odd(user, TS_JSON_NUMBER);
    }
    char *to = (char *)r->table->target(&flags, r->user) + f->offset;
    if ((kinds & TS_JSON_INT32) != 0) {
        memcpy(to, &(int32_t){(int32_t)v}, sizeof(int32_t));
    } else {
        memcpy(to, &v, sizeof v);
    }
    *flags |= f->flag;
    return TS_OK;
}

static ts_code on_string(void *user, const char *p, size_t n, unsigned flags)
{
    ts_json_place *r = user;
    const ts_json_field *f = r->field;
    if (r->skip > 0) {
        return TS_OK;
    }
    if (is_any(r)) {
        return (flags & TS_JSON_LAST) != 0 ? r->table->passed(r->user) : TS_OK;
    }
    if (r->table->all_texts || (f != NULL && (f->kinds & TS_JSON_TEXT) != 0)) {
        return r->table->text(r->user, p, n, flags);
    }
    return (flags & TS_JSON_LAST) != 0 ? odd(r, TS_JSON_TEXT) : TS_OK;
}

static ts_code on_literal(void *user, ts_json_kind kind)
{
    ts_json_place *r = user;
    if (r->skip > 0) {
        return TS_OK;
    }
    return is_any(r) ? r->table->passed(r->user)
           : r->field != NULL && (r->field->kinds & TS_JSON_LITERAL) != 0
               ? r->table->literal(r->user, kind)
               : odd(r, TS_JSON_LITERAL);
}

static ts_code on_ints(void *user, const int64_t *v, size_t n)
{
    const ts_json_place *r = user;
    return r->skip > 0 ? TS_OK : r->table->ints(r->user, v, n);
}

const ts_json_handler ts_json_by_table = {
    .object_begin = on_object_begin,
    .object_end = on_end,
    .array_begin = on_array_begin,
    .array_end = on_end,
    .key = on_key,
    .string = on_string,
    .number = on_number,
    .literal = on_literal,
    .ints = on_ints,
};

void ts_json_place_begin(ts_json_place *r)
{
    r->skip = 0;
    r->around.n = 0;
    r->last = NULL;
    enter(r, 0);
}

void ts_json_place_free(ts_json_place *r)
{
    if (r->ctx != NULL) {
        ts_buf_free(r->ctx, &r->key);
        ts_buf_free(r->ctx, &r->around);
    }
}
