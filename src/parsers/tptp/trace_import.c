#include "parsers/tptp/trace_import.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

void tptp_import_close(tptp_import *import)
{
    tptp_session_free(import->session);
    import->session = NULL;
    ts_pool_free(import->job->ctx, &import->unknown);
}

ts_code tptp_import_session(tptp_session **out, tptp_import *import)
{
    ts_code code = import->session == NULL
                       ? tptp_session_begin(&import->session, import->job, import->format)
                       : TS_OK;
    *out = import->session;
    return code;
}

ts_code tptp_import_issue(tptp_import *import, ts_issue_code issue, uint64_t offset,
                          const char *fmt, ...)
{
    tptp_session *s;
    char text[160];
    va_list ap;
    ts_code code = tptp_import_session(&s, import);
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    TS_STEP(code, ts_issue(s->store, s->source_id, issue, NULL, (int64_t)offset, "%s", text));
    return code;
}

ts_code tptp_import_end_session(tptp_import *import)
{
    ts_code code = import->session == NULL ? TS_OK : tptp_session_end(import->session);
    tptp_session_free(import->session);
    import->session = NULL;
    return code;
}

ts_code tptp_import_take(bool *begun, tptp_import *import, const tptp_record *r)
{
    tptp_session *s;
    ts_code code = import->session != NULL && tptp_session_is_over(import->session, r)
                       ? tptp_import_end_session(import)
                       : TS_OK;
    *begun = import->session == NULL;
    if (code != TS_OK || (code = tptp_import_session(&s, import)) != TS_OK) {
        return code;
    }
    return tptp_session_take(s, r);
}

ts_code tptp_import_unknown(tptp_import *import, ts_item item, ts_issue_code issue, ts_text name,
                            uint64_t offset, bool message)
{
    ts_ctx *ctx = import->job->ctx;
    char detail[48];
    char key[52];
    tptp_session *s;
    uint32_t number;
    size_t n = name.n < sizeof detail - 1 ? name.n : sizeof detail - 1;
    bool added = false;
    ts_code code;
    TS_TRY_INTO(code, tptp_import_session(&s, import));
    while (n > 0 && n < name.n && ((unsigned char)name.p[n] & 0xc0) == 0x80) {
        n--; /* no part of a character */
    }
    memcpy(detail, name.p, n);
    detail[n] = '\0';
    key[0] = (char)('A' + (int)(item % 26));
    memcpy(key + 1, detail, n);
    if (!ts_pool_find(&number, &import->unknown, (ts_text){key, n + 1})) {
        if (import->unknown.count >= TPTP_OWN_COUNTS) {
            memcpy(detail, "others", sizeof "others");
        } else if ((code = ts_pool_intern(ctx, &number, &added, &import->unknown,
                                          (ts_text){key, n + 1})) != TS_OK) {
            return code;
        }
    }
    TS_TRY_INTO(code, ts_count_add(s->store, s->source_id, item, detail, 0, 0, 1));
    if (message) {
        tptp_count_skipped(s, TPTP_C_MESSAGES);
    }
    return !added ? TS_OK
                  : ts_issue(s->store, s->source_id, issue, NULL, (int64_t)offset, "%s", detail);
}

ts_code tptp_import_finish(tptp_import *import)
{
    TS_TRY(tptp_import_end_session(import));
    /* What was left out may reach beyond the end. */
    uint64_t lost = import->bytes_lost < import->bytes ? import->bytes_lost : import->bytes;
    uint64_t skipped = import->bytes - lost;
    skipped = import->bytes_skipped < skipped ? import->bytes_skipped : skipped;
    return ts_count_add(import->job->store, import->job->source_id, TS_ITEM_bytes, NULL,
                        import->bytes - lost - skipped, lost, skipped);
}

/* --- texts in an encoding ------------------------------------------------------------------- */

enum { MAX_NAME = 63, PIECE = 4096 };

/* In lower case, without - and _. */
static bool plain_name(char out[MAX_NAME + 1], ts_text name)
{
    size_t n = 0;
    for (size_t i = 0; i < name.n; i++) {
        char c = name.p[i];
        if (c == '-' || c == '_') {
            continue;
        }
        if (n == MAX_NAME || c < ' ' || c > '~' || c == '/') {
            return false;
        }
        out[n++] = (char)(c >= 'A' && c <= 'Z' ? c + ('a' - 'A') : c);
    }
    out[n] = '\0';
    return n > 0;
}

/* The converter of a name, also of one that lacks its - (ISO88591, KOI8R). */
static iconv_t open_converter(ts_text name, const char *plain)
{
    char text[MAX_NAME + 1];
    snprintf(text, sizeof text, "%.*s", (int)name.n, name.p);
    iconv_t converter = iconv_open("UTF-8", text);
    if (converter == (iconv_t)-1 && strncmp(plain, "iso8859", 7) == 0) {
        snprintf(text, sizeof text, "ISO-8859-%.8s", plain + 7);
        converter = iconv_open("UTF-8", text);
    }
    converter = converter == (iconv_t)-1 ? iconv_open("UTF-8", plain) : converter;
    return converter;
}

tptp_encoding_kind tptp_encoding_open(tptp_encoding *e, ts_text name)
{
    char plain[MAX_NAME + 1];
    tptp_encoding_close(e);
    if (!plain_name(plain, name) || name.n > MAX_NAME) {
        return TPTP_ENC_UNKNOWN;
    }
    if (strcmp(plain, "utf8") == 0 || strcmp(plain, "usascii") == 0 ||
        strcmp(plain, "ascii") == 0) {
        return TPTP_ENC_UTF8;
    }
    if (strncmp(plain, "utf16", 5) == 0 || strncmp(plain, "utf32", 5) == 0 ||
        strncmp(plain, "ucs", 3) == 0 || strcmp(plain, "unicode") == 0) {
        return TPTP_ENC_WIDE;
    }
    e->converter = open_converter(name, plain);
    e->other = e->converter != (iconv_t)-1;
    return e->other ? TPTP_ENC_OTHER : TPTP_ENC_UNKNOWN;
}

void tptp_encoding_close(tptp_encoding *e)
{
    if (e->other) {
        iconv_close(e->converter);
    }
    e->other = false;
}

static ts_code convert(ts_ctx *ctx, tptp_encoding *e, ts_buf *out, uint64_t *replaced, size_t *used,
                       ts_text text, bool more)
{
    char *in = (char *)(uintptr_t)text.p; /* iconv does not write there */
    size_t left = text.n;
    ts_code code = TS_OK;
    while (left > 0 && code == TS_OK) {
        char piece[PIECE];
        char *at = piece;
        size_t room = sizeof piece;
        size_t done = iconv(e->converter, &in, &left, &at, &room);
        int why = done == (size_t)-1 ? errno : 0;
        code = ts_buf_put(ctx, out, piece, sizeof piece - room);
        if (code != TS_OK || why == 0 || why == E2BIG) {
            continue;
        }
        if (why == EINVAL && more) {
            break;
        }
        ++*replaced;
        in++;
        left--;
        code = ts_buf_put(ctx, out, "\xef\xbf\xbd", 3);
    }
    *used = text.n - left;
    return code;
}

ts_code tptp_encoding_put(ts_ctx *ctx, tptp_encoding *e, ts_buf *out, uint64_t *replaced,
                          size_t *used, ts_text text, bool more)
{
    if (e->other) {
        return convert(ctx, e, out, replaced, used, text, more);
    }
    *used = text.n;
    return ts_utf8_clean(ctx, out, replaced, text.p, text.n);
}
