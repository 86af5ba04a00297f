#include "export/export_text.h"

void ts_writer_begin(ts_writer *w, ts_ctx *ctx, const ts_export_output *out)
{
    w->ctx = ctx;
    w->out = out;
    w->code = TS_OK;
    w->n = 0;
}

void ts_writer_fail(ts_writer *w, ts_code code)
{
    TS_STEP(w->code, code);
}

static void writer_flush(ts_writer *w)
{
    TS_STEP_IF(w->code, w->n > 0, w->out->put(w->out->user, w->block, w->n));
    TS_STEP(w->code, ts_check_cancel(w->ctx));
    w->n = 0;
}

ts_code ts_writer_end(ts_writer *w)
{
    writer_flush(w);
    return w->code;
}

void ts_write(ts_writer *w, const char *p, size_t n)
{
    if (w->code != TS_OK) {
        return;
    }
    if (n > TS_WRITER_BLOCK - w->n) {
        writer_flush(w);
    }
    if (n > TS_WRITER_BLOCK) {
        TS_STEP(w->code, w->out->put(w->out->user, p, n));
        return;
    }
    memcpy(w->block + w->n, p, n);
    w->n += n;
}

void ts_write_str(ts_writer *w, const char *s)
{
    ts_write(w, s, strlen(s));
}

void ts_write_char(ts_writer *w, char c)
{
    ts_write(w, &c, 1);
}

/* Formats with millions of numbers go through here: snprintf takes four times as long. */
void ts_write_i64(ts_writer *w, int64_t v)
{
    enum { DIGITS = 20 };
    char digits[DIGITS];
    uint64_t u = v < 0 ? UINT64_C(0) - (uint64_t)v : (uint64_t)v;
    size_t at = DIGITS;
    do {
        digits[--at] = (char)('0' + u % 10);
        u /= 10;
    } while (u > 0);
    if (v < 0) {
        digits[--at] = '-';
    }
    ts_write(w, digits + at, DIGITS - at);
}
