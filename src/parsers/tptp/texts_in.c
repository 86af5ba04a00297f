#include "parsers/tptp/texts_in.h"

#include "base/utf8.h"

#include <errno.h>
#include <stdio.h>

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
    iconv_t converter;
    snprintf(text, sizeof text, "%.*s", (int)name.n, name.p);
    converter = iconv_open("UTF-8", text);
    if (converter == (iconv_t)-1 && strncmp(plain, "iso8859", 7) == 0) {
        snprintf(text, sizeof text, "ISO-8859-%.8s", plain + 7);
        converter = iconv_open("UTF-8", text);
    }
    if (converter == (iconv_t)-1) {
        converter = iconv_open("UTF-8", plain);
    }
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
