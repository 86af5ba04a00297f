#include "cli/json_text.h"

#include "base/utf8.h"

static void json_text_put(ts_json_text *j, const char *p, size_t n)
{
    if (j->code == TS_OK) {
        j->code = ts_buf_put(j->ctx, j->out, p, n);
    }
}

/* The character that begins at p, of well-formed UTF-8; those beyond U+FFFF need no escape and are
 * given as x. */
static uint32_t char_at(const char *p, size_t *bytes)
{
    const unsigned char *u = (const unsigned char *)p;
    *bytes = u[0] < 0x80 ? 1 : u[0] < 0xe0 ? 2 : u[0] < 0xf0 ? 3 : 4;
    switch (*bytes) {
    case 1:
        return u[0];
    case 2:
        return (u[0] & 31U) << 6 | (u[1] & 63U);
    case 3:
        return (u[0] & 15U) << 12 | (u[1] & 63U) << 6 | (u[2] & 63U);
    default:
        return 'x';
    }
}

/* Well-formed UTF-8. What could steer a terminal is escaped too. */
static void put_escaped(ts_json_text *j, const char *p, size_t n)
{
    size_t from = 0;
    size_t bytes;
    json_text_put(j, "\"", 1);
    for (size_t i = 0; i < n && j->code == TS_OK; i += bytes) {
        uint32_t c = char_at(p + i, &bytes);
        bool quoted = c == '"' || c == '\\';
        if (!quoted && !ts_utf8_steers(c)) {
            continue;
        }
        json_text_put(j, p + from, i - from);
        from = i + bytes;
        if (j->code == TS_OK) {
            j->code = quoted ? ts_buf_printf(j->ctx, j->out, "\\%c", (int)c)
                             : ts_buf_printf(j->ctx, j->out, "\\u%04x", (unsigned)c);
        }
    }
    json_text_put(j, p + from, n - from);
    json_text_put(j, "\"", 1);
}

static void json_text_put_text(ts_json_text *j, ts_text text)
{
    ts_buf clean = {0};
    uint64_t replaced = 0;
    if (j->code == TS_OK) {
        j->code = ts_utf8_clean(j->ctx, &clean, &replaced, text.p, text.n);
    }
    if (j->code == TS_OK) {
        put_escaped(j, clean.n == 0 ? "" : clean.p, clean.n);
    }
    ts_buf_free(j->ctx, &clean);
}

/* Members of the depth j->depth are in lines of their own. */
static void json_text_line(ts_json_text *j)
{
    json_text_put(j, "\n", 1);
    for (int i = 0; i < j->depth; i++) {
        json_text_put(j, "  ", 2);
    }
}

static void json_text_begin(ts_json_text *j, const char *key)
{
    bool in_line = j->flat > 0 && j->depth >= j->flat;
    if (j->comma) {
        json_text_put(j, in_line ? ", " : ",", in_line ? 2 : 1);
    }
    if (j->depth > 0 && !in_line) {
        json_text_line(j);
    }
    j->comma = true;
    if (key != NULL) {
        json_text_put_text(j, ts_text_of(key));
        json_text_put(j, ": ", 2);
    }
}

void ts_json_open(ts_json_text *j, const char *key, char bracket)
{
    json_text_begin(j, key);
    json_text_put(j, &bracket, 1);
    j->comma = false;
    j->depth++;
}

void ts_json_close(ts_json_text *j, char bracket)
{
    bool empty = !j->comma;
    bool in_line = j->flat > 0 && j->depth >= j->flat;
    j->depth--;
    if (!empty && !in_line) {
        json_text_line(j);
    }
    json_text_put(j, &bracket, 1);
    j->comma = true;
}

void ts_json_str(ts_json_text *j, const char *key, ts_text value)
{
    json_text_begin(j, key);
    if (value.p == NULL) {
        json_text_put(j, "null", 4);
    } else {
        json_text_put_text(j, value);
    }
}

void ts_json_u64(ts_json_text *j, const char *key, uint64_t value)
{
    json_text_begin(j, key);
    if (j->code == TS_OK) {
        j->code = ts_buf_printf(j->ctx, j->out, "%llu", (unsigned long long)value);
    }
}

void ts_json_i64(ts_json_text *j, const char *key, int64_t value)
{
    json_text_begin(j, key);
    if (j->code == TS_OK) {
        j->code = ts_buf_printf(j->ctx, j->out, "%lld", (long long)value);
    }
}

void ts_json_number(ts_json_text *j, const char *key, ts_text value)
{
    json_text_begin(j, key);
    if (memchr(value.p, 'I', value.n) == NULL) {
        json_text_put(j, value.p, value.n);
    } else if (value.p[0] == '-') {
        json_text_put(j, "-9e999", 6);
    } else {
        json_text_put(j, "9e999", 5);
    }
}

void ts_json_hex(ts_json_text *j, const char *key, ts_text value)
{
    json_text_begin(j, key);
    json_text_put(j, "\"", 1);
    for (size_t i = 0; i < value.n && j->code == TS_OK; i++) {
        j->code = ts_buf_printf(j->ctx, j->out, "%02X", (unsigned char)value.p[i]);
    }
    json_text_put(j, "\"", 1);
}

void ts_json_seconds(ts_json_text *j, const char *key, double seconds)
{
    json_text_begin(j, key);
    if (j->code == TS_OK) {
        j->code = ts_buf_printf(j->ctx, j->out, "%.6f", seconds > 0 ? seconds : 0.0);
    }
}

void ts_json_bool(ts_json_text *j, const char *key, bool value)
{
    json_text_begin(j, key);
    json_text_put(j, value ? "true" : "false", value ? 4 : 5);
}
