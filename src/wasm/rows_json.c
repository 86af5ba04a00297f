#include "wasm/rows_json.h"

#include "base/alloc.h"
#include "base/json_out.h"

#include <math.h>

/* What the reply has not got yet. */
typedef struct pieces {
    wasm_reply reply;
    char *bytes; /* JSON_PIECE */
    size_t n;
} pieces;

/* How many of the n bytes are whole characters. The writer makes well-formed UTF-8. */
static size_t whole_characters(const char *p, size_t n)
{
    size_t k = n;
    while (k > 0 && n - k < 3 && ((unsigned char)p[k - 1] & 0xC0) == 0x80) {
        k--;
    }
    if (k == 0) {
        return n;
    }
    const unsigned char lead = (unsigned char)p[k - 1];
    const size_t length = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return k - 1 + length <= n ? n : k - 1;
}

static int put(void *user, const void *bytes, size_t n)
{
    pieces *s = user;
    const char *p = bytes;
    while (n > 0) {
        const size_t room = JSON_PIECE - s->n;
        const size_t now = n < room ? n : room;
        memcpy(s->bytes + s->n, p, now);
        s->n += now;
        p += now;
        n -= now;
        if (n > 0) { /* the piece is full, and not the last one */
            const size_t whole = whole_characters(s->bytes, s->n);
            s->reply(s->bytes, (uint32_t)whole, 0);
            memmove(s->bytes, s->bytes + whole, s->n - whole);
            s->n -= whole;
        }
    }
    return 0;
}

static void put_value(ts_jout *j, const tst_rows *rows, int column)
{
    size_t n;
    const tst_type type = tst_rows_type(rows, column);
    if (type == TST_NULL) {
        ts_jout_null(j, NULL);
        return;
    }
    if (type == TST_DOUBLE && !isfinite(tst_rows_double(rows, column))) {
        ts_jout_raw(j, NULL,
                    tst_rows_double(rows, column) > 0 ? TS_TEXT_LIT("1e999")
                                                      : TS_TEXT_LIT("-1e999"));
        return;
    }
    if (type == TST_BLOB) {
        const char *p = tst_rows_blob(rows, column, &n);
        ts_jout_text(j, NULL, (ts_text){p, n});
        return;
    }
    const char *p = tst_rows_text(rows, column, &n);
    if (type == TST_TEXT) {
        ts_jout_text(j, NULL, (ts_text){p, n});
    } else {
        ts_jout_raw(j, NULL, (ts_text){p, n}); /* numbers as SQLite prints them */
    }
}

static int put_rows(ts_jout *j, tst_rows *rows)
{
    const int columns = tst_rows_columns(rows);
    int code = TST_OK;
    ts_jout_open(j, NULL, '{');
    ts_jout_open(j, "columns", '[');
    for (int i = 0; i < columns; i++) {
        ts_jout_str(j, NULL, tst_rows_name(rows, i));
    }
    ts_jout_close(j, ']');
    ts_jout_open(j, "values", '[');
    while (j->code == TS_OK && (code = tst_rows_next(rows)) == TST_ROW) {
        ts_jout_open(j, NULL, '[');
        for (int i = 0; i < columns; i++) {
            put_value(j, rows, i);
        }
        ts_jout_close(j, ']');
    }
    ts_jout_ends(j, "]}");
    return j->code != TS_OK ? TST_MEMORY : code;
}

int rows_json(ts_ctx *ctx, tst_rows *rows, wasm_reply reply)
{
    pieces s = {.reply = reply, .bytes = ts_alloc(ctx, 1, JSON_PIECE)};
    int code = s.bytes == NULL ? TST_MEMORY : TST_OK;
    ts_jout j;
    ts_jout_begin(&j, ctx, put, &s);
    j.escapes = TS_JOUT_PLAIN;
    j.null_is_empty = true;
    if (s.bytes == NULL) {
        /* nothing can be written */
    } else if (tst_rows_columns(rows) > 0) {
        ts_jout_put_str(&j, "ok\r\n");
        code = put_rows(&j, rows);
        ts_jout_put_str(&j, "\r\n");
    } else {
        while ((code = tst_rows_next(rows)) == TST_ROW) {
        }
        ts_jout_put_str(&j, "ok\r\n");
    }
    if (ts_jout_end(&j) != TS_OK && code == TST_OK) {
        code = TST_MEMORY;
    }
    if (code != TST_OK) { /* what was replied ends so that it is no JSON */
        rows_json_failed(reply);
    } else {
        reply(s.bytes, (uint32_t)s.n, 1);
    }
    ts_free(ctx, s.bytes);
    return code;
}

void rows_json_failed(wasm_reply reply)
{
    static const char failed[] = "false\r\n";
    reply(failed, sizeof failed - 1, 1);
}
