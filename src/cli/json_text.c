#include "cli/json_text.h"

#include "base/utf8.h"

static void json_text_put(ts_json_text *j, const char *p, size_t n)
{
    if (j->code == TS_OK) {
        j->code = ts_buf_put(j->ctx, j->out, p, n);
    }
}

static void put_escaped(ts_json_text *j, const char *p, size_t n)
{
    json_text_put(j, "\"", 1);
    for (size_t i = 0; i < n && j->code == TS_OK; i++) {
        unsigned char c = (unsigned char)p[i];
        if (c == '"' || c == '\\') {
            j->code = ts_buf_printf(j->ctx, j->out, "\\%c", c);
        } else if (c < 0x20 || c == 0x7f) {
            j->code = ts_buf_printf(j->ctx, j->out, "\\u%04x", c);
        } else {
            j->code = ts_buf_putc(j->ctx, j->out, (char)c);
        }
    }
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

static void json_text_begin(ts_json_text *j, const char *key)
{
    if (j->comma) {
        json_text_put(j, ",", 1);
    }
    if (j->depth > 0) {
        json_text_put(j, "\n", 1);
        for (int i = 0; i < j->depth; i++) {
            json_text_put(j, "  ", 2);
        }
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
    j->depth--;
    if (!empty) {
        json_text_put(j, "\n", 1);
        for (int i = 0; i < j->depth; i++) {
            json_text_put(j, "  ", 2);
        }
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
