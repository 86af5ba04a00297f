#include "serve/json_out.h"

#include "export/export_json.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { JOUT_BLOCK = 64 * 1024, JOUT_DIGITS = 32 };

void ts_jout_begin(ts_jout *j, ts_ctx *ctx, ts_jout_write write, void *user)
{
    *j = (ts_jout){.ctx = ctx, .write = write, .user = user};
}

void ts_jout_fail(ts_jout *j, ts_code code)
{
    j->code = j->code == TS_OK ? code : j->code;
}

void ts_jout_flush(ts_jout *j)
{
    if (j->code == TS_OK && j->buf.n > 0) {
        if (j->write(j->user, j->buf.p, j->buf.n) != 0) {
            j->code = ts_fail(j->ctx, TS_ERR_OUTPUT, "cannot write the reply");
        }
        j->written += j->buf.n;
        j->buf.n = 0;
    }
}

ts_code ts_jout_end(ts_jout *j)
{
    ts_jout_flush(j);
    ts_buf_free(j->ctx, &j->buf);
    return j->code;
}

static void jout_put(ts_jout *j, const char *p, size_t n)
{
    if (j->code == TS_OK) {
        j->code = ts_buf_put(j->ctx, &j->buf, p, n);
    }
    if (j->buf.n >= JOUT_BLOCK) {
        ts_jout_flush(j);
    }
}

static void jout_begin_value(ts_jout *j, const char *key)
{
    if (j->comma) {
        jout_put(j, ",", 1);
    }
    j->comma = true;
    if (key != NULL && j->code == TS_OK) {
        j->code = ts_json_string(j->ctx, &j->buf, ts_text_of(key));
        jout_put(j, ":", 1);
    }
}

void ts_jout_open(ts_jout *j, const char *key, char bracket)
{
    jout_begin_value(j, key);
    jout_put(j, &bracket, 1);
    j->comma = false;
}

void ts_jout_close(ts_jout *j, char bracket)
{
    jout_put(j, &bracket, 1);
    j->comma = true;
}

void ts_jout_line(ts_jout *j)
{
    jout_put(j, "\n", 1);
}

void ts_jout_raw(ts_jout *j, const char *key, ts_text json)
{
    jout_begin_value(j, key);
    jout_put(j, json.p, json.n);
}

void ts_jout_null(ts_jout *j, const char *key)
{
    ts_jout_raw(j, key, TS_TEXT_LIT("null"));
}

void ts_jout_bool(ts_jout *j, const char *key, bool value)
{
    ts_jout_raw(j, key, value ? TS_TEXT_LIT("true") : TS_TEXT_LIT("false"));
}

void ts_jout_text(ts_jout *j, const char *key, ts_text value)
{
    if (value.p == NULL) {
        ts_jout_null(j, key);
        return;
    }
    jout_begin_value(j, key);
    if (j->code == TS_OK) {
        j->code = ts_json_string(j->ctx, &j->buf, value);
    }
    jout_put(j, "", 0);
}

void ts_jout_str(ts_jout *j, const char *key, const char *value)
{
    ts_jout_text(j, key, ts_text_of(value));
}

/* The digits of a number, with quotation marks when a JavaScript number would not be exact. */
static void jout_number(ts_jout *j, const char *key, uint64_t magnitude, bool negative)
{
    char digits[JOUT_DIGITS];
    char *end = digits + sizeof digits;
    char *p = end;
    bool quoted = j->ints_as_text && magnitude > TS_JOUT_EXACT;
    if (quoted) {
        *--p = '"';
    }
    do {
        *--p = (char)('0' + magnitude % 10);
        magnitude /= 10;
    } while (magnitude > 0);
    if (negative) {
        *--p = '-';
    }
    if (quoted) {
        *--p = '"';
    }
    ts_jout_raw(j, key, (ts_text){p, (size_t)(end - p)});
}

void ts_jout_int(ts_jout *j, const char *key, int64_t value)
{
    jout_number(j, key, value < 0 ? 0 - (uint64_t)value : (uint64_t)value, value < 0);
}

void ts_jout_uint(ts_jout *j, const char *key, uint64_t value)
{
    jout_number(j, key, value, false);
}

size_t ts_shortest_real(char digits[32], double value)
{
    int n = 0;
    for (int precision = 15; precision <= 17; precision++) {
        n = snprintf(digits, JOUT_DIGITS, "%.*g", precision, value);
        if (strtod(digits, NULL) == value) {
            break;
        }
    }
    if (strpbrk(digits, ".e") == NULL) {
        memcpy(digits + n, ".0", 3);
        n += 2;
    }
    return (size_t)n;
}

void ts_jout_real(ts_jout *j, const char *key, double value)
{
    char digits[JOUT_DIGITS];
    if (isfinite(value)) {
        ts_jout_raw(j, key, (ts_text){digits, ts_shortest_real(digits, value)});
    } else {
        ts_jout_null(j, key);
    }
}

ts_code ts_base64(ts_ctx *ctx, ts_buf *out, const void *bytes, size_t n)
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *p = bytes;
    for (size_t i = 0; i < n; i += 3) {
        size_t rest = n - i;
        uint32_t v = (uint32_t)p[i] << 16 | (rest > 1 ? (uint32_t)p[i + 1] << 8 : 0U) |
                     (rest > 2 ? p[i + 2] : 0U);
        const char four[4] = {alphabet[v >> 18], alphabet[v >> 12 & 63],
                              rest > 1 ? alphabet[v >> 6 & 63] : '=',
                              rest > 2 ? alphabet[v & 63] : '='};
        ts_code code = ts_buf_put(ctx, out, four, sizeof four);
        if (code != TS_OK) {
            return code;
        }
    }
    return TS_OK;
}

void ts_jout_base64(ts_jout *j, const char *key, ts_text bytes)
{
    jout_begin_value(j, key);
    jout_put(j, "\"", 1);
    if (j->code == TS_OK) {
        j->code = ts_base64(j->ctx, &j->buf, bytes.p, bytes.n);
    }
    jout_put(j, "\"", 1);
}
