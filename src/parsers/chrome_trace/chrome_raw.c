/*
 * The text of a member as it was recorded. The reader says where a value begins and ends; what lies
 * between is taken from the block that is being fed, and copied only when it goes on in the next.
 */
#include "parsers/chrome_trace/chrome_trace.h"

#include "base/json_out.h"
#include "base/utf8.h"

static bool is_blank(char ch)
{
    return ch == ' ' || ch == '\n' || ch == '\r' || ch == '\t';
}

/* Positions begin after the key: the colon and blanks around it do not belong to the value. */
static ts_text strip(ts_text t)
{
    while (t.n > 0 && (is_blank(t.p[0]) || t.p[0] == ':')) {
        t.p++;
        t.n--;
    }
    return t;
}

void chrome_raw_begin(chrome_trace *c, bool extra)
{
    chrome_raw *raw = &c->raw;
    raw->on = true;
    raw->extra = extra;
    raw->from = ts_json_position(c->json);
    raw->replaced = ts_json_replaced(c->json);
    raw->too_long = false;
    raw->held.n = 0;
    if (!extra) {
        ts_spool_free(raw->spool); /* a second args: the last one counts */
        raw->spool = NULL;
        raw->complete = false;
    }
}

/* What of the value is in this block, up to `to`. */
static ts_text part(const chrome_trace *c, uint64_t to)
{
    uint64_t from = c->raw.from > c->block_at ? c->raw.from : c->block_at;
    return (ts_text){c->block + (from - c->block_at), (size_t)(to - from)};
}

static ts_code hold(chrome_trace *c, ts_text t)
{
    chrome_raw *raw = &c->raw;
    ts_code code = TS_OK;
    if (raw->held.n == 0 && raw->spool == NULL) {
        t = strip(t);
    }
    if (raw->spool == NULL && raw->held.n + t.n > CHROME_RAW_HELD) {
        if (raw->extra) {
            raw->too_long = true;
            raw->held.n = 0;
            return TS_OK;
        }
        code = ts_spool_new(&raw->spool, c->ctx);
        if (code == TS_OK) {
            code = ts_spool_write(raw->spool, raw->held.p, raw->held.n);
            raw->held.n = 0;
        }
    }
    if (code != TS_OK || raw->too_long) {
        return code;
    }
    return raw->spool != NULL ? ts_spool_write(raw->spool, t.p, t.n)
                              : ts_buf_put(c->ctx, &raw->held, t.p, t.n);
}

static ts_code put_key(chrome_trace *c, ts_text key)
{
    ts_buf *out = &c->raw.extras;
    ts_code code = ts_buf_putc(c->ctx, out, out->n == 0 ? '{' : ',');
    TS_STEP(code, ts_json_quote(c->ctx, out, key, TS_JOUT_PLAIN));
    TS_STEP(code, ts_buf_putc(c->ctx, out, ':'));
    return code;
}

static ts_code put_extra(chrome_trace *c, ts_text key, ts_text value)
{
    ts_buf *out = &c->raw.extras;
    uint64_t replaced = 0;
    if (c->raw.too_long || out->n + value.n + key.n > CHROME_RAW_HELD) {
        c->n.first_cut = c->n.texts_cut == 0 ? (int64_t)c->event.at : c->n.first_cut;
        c->n.texts_cut++;
        return TS_OK;
    }
    TS_TRY(put_key(c, key));
    return c->raw.ill_formed ? ts_utf8_clean(c->ctx, out, &replaced, value.p, value.n)
                             : ts_buf_put(c->ctx, out, value.p, value.n);
}

/* Bytes at the end after the last ASCII one: a piece is not cut inside of a character. */
static size_t open_end(const ts_buf *b)
{
    size_t n = 0;
    while (n < b->n && n < CHROME_TEXT_MAX && ((unsigned char)b->p[b->n - 1 - n] & 0x80) != 0) {
        n++;
    }
    return n == CHROME_TEXT_MAX ? 0 : n;
}

/* Long arguments with parts that are no text: into another spool without them. */
static ts_code clean_spool(chrome_trace *c)
{
    chrome_raw *raw = &c->raw;
    ts_spool *out = NULL;
    char piece[4096];
    uint64_t at = 0;
    uint64_t replaced = 0;
    size_t got = 1;
    ts_code code = ts_spool_new(&out, c->ctx);
    raw->held.n = 0;
    while (code == TS_OK && got > 0) {
        size_t left;
        code = ts_spool_read(&got, raw->spool, at, piece, sizeof piece);
        at += got;
        if (code != TS_OK || (code = ts_buf_put(c->ctx, &raw->held, piece, got)) != TS_OK) {
            break;
        }
        left = got == 0 ? 0 : open_end(&raw->held);
        raw->clean.n = 0;
        code = ts_utf8_clean(c->ctx, &raw->clean, &replaced, raw->held.p, raw->held.n - left);
        if (code == TS_OK) {
            memmove(raw->held.p, raw->held.p + raw->held.n - left, left);
            raw->held.n = left;
            code = ts_spool_write(out, raw->clean.p, raw->clean.n);
        }
    }
    ts_spool_free(raw->spool);
    raw->spool = out;
    return code;
}

ts_code chrome_raw_end(chrome_trace *c, ts_text key)
{
    chrome_raw *raw = &c->raw;
    ts_text rest = part(c, ts_json_position(c->json));
    bool whole = raw->held.n == 0 && raw->spool == NULL && !raw->too_long;
    ts_code code = TS_OK;
    raw->on = false;
    raw->ill_formed = ts_json_replaced(c->json) != raw->replaced;
    if (whole) {
        rest = strip(rest);
    } else {
        code = hold(c, rest);
        rest = ts_buf_text(&raw->held);
    }
    if (code != TS_OK || raw->extra) {
        return code != TS_OK ? code : put_extra(c, key, rest);
    }
    raw->complete = true;
    raw->borrowed = whole && !raw->ill_formed;
    raw->text = rest;
    if (raw->spool != NULL) {
        return raw->ill_formed ? clean_spool(c) : TS_OK;
    }
    if (raw->ill_formed) {
        uint64_t replaced = 0;
        raw->clean.n = 0;
        code = ts_utf8_clean(c->ctx, &raw->clean, &replaced, rest.p, rest.n);
    } else if (!whole) { /* `held` is for members that follow */
        raw->clean.n = 0;
        code = ts_buf_put(c->ctx, &raw->clean, rest.p, rest.n);
    }
    raw->text = raw->borrowed ? raw->text : ts_buf_text(&raw->clean);
    return code;
}

ts_code chrome_raw_keep(chrome_trace *c)
{
    chrome_raw *raw = &c->raw;
    ts_code code = TS_OK;
    if (raw->on) {
        code = hold(c, part(c, c->fed));
    }
    if (code == TS_OK && raw->complete && raw->borrowed) {
        raw->clean.n = 0; /* `held` is for extras that follow */
        code = ts_buf_put(c->ctx, &raw->clean, raw->text.p, raw->text.n);
        raw->text = ts_buf_text(&raw->clean);
        raw->borrowed = false;
    }
    raw->from = c->fed;
    return code;
}

void chrome_raw_reset(chrome_trace *c)
{
    chrome_raw *raw = &c->raw;
    raw->on = false;
    raw->complete = false;
    raw->borrowed = false;
    raw->ill_formed = false;
    raw->text = TS_TEXT_NULL;
    raw->extras.n = 0;
    if (raw->spool != NULL) {
        ts_spool_free(raw->spool);
        raw->spool = NULL;
    }
}

ts_code chrome_raw_read(chrome_trace *c, ts_json *json)
{
    char piece[4096];
    uint64_t at = 0;
    size_t got = 1;
    ts_code code = TS_OK;
    ts_json_reset(json);
    if (!c->raw.complete) {
        return TS_OK;
    }
    if (c->raw.spool == NULL) {
        code = ts_json_feed(json, c->raw.text.p, c->raw.text.n);
    }
    while (c->raw.spool != NULL && code == TS_OK && got > 0) {
        code = ts_spool_read(&got, c->raw.spool, at, piece, sizeof piece);
        at += got;
        TS_STEP(code, ts_json_feed(json, piece, got));
    }
    TS_STEP(code, ts_json_finish(json));
    return code;
}
