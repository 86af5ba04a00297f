/* The bytes of an XML text as UTF-8 (docs/formats.md, "TPTP traces"): byte order mark, declaration,
 * or UTF-8. */
#include "parsers/tptp/xml_trace.h"

#include "base/utf8.h"

#include <stdio.h>

enum { BOM_BYTES = 3, HEAD_BYTES = 256 };

/* The name in encoding="..." of a declaration, or NULL. */
static ts_text declared_encoding(const char *p, size_t n)
{
    n = n < HEAD_BYTES - BOM_BYTES ? n : HEAD_BYTES - BOM_BYTES; /* what is always there by now */
    if (n < 5 || memcmp(p, "<?xml", 5) != 0) {
        return TS_TEXT_NULL;
    }
    const char *end = memmem(p, n, "?>", 2);
    n = end == NULL ? n : (size_t)(end - p);
    const char *e = memmem(p, n, "encoding", 8);
    if (e == NULL) {
        return TS_TEXT_NULL;
    }
    e += 8;
    while (e < p + n && *e != '"' && *e != '\'') {
        e++;
    }
    end = e >= p + n ? NULL : memchr(e + 1, *e, (size_t)(p + n - e - 1));
    return end == NULL ? TS_TEXT_NULL : (ts_text){e + 1, (size_t)(end - e - 1)};
}

static ts_code take_declared(tptp_xml *x, const char *p, size_t n)
{
    ts_text name = declared_encoding(p, n);
    x->decoding = TPTP_DECODE_UTF8;
    if (name.n == 0) {
        return TS_OK;
    }
    TS_TRY(ts_utf8_printable(x->ctx, &x->declared, name.p, name.n, 60));
    switch (tptp_encoding_open(&x->encoding, name)) {
    case TPTP_ENC_OTHER:
        x->decoding = TPTP_DECODE_OTHER;
        return TS_OK;
    case TPTP_ENC_UNKNOWN:
        return tptp_import_issue(&x->import, TS_ISSUE_tptp_encoding, 0,
                                 "the encoding %.*s is not known", (int)x->declared.n,
                                 x->declared.p);
    default: /* UTF-16 would not look like this */
        return TS_OK;
    }
}

/* From the first bytes; *skip: those of a byte order mark. */
static ts_code detect(tptp_xml *x, size_t *skip)
{
    const unsigned char *p = (const unsigned char *)x->raw.p;
    size_t n = x->raw.n;
    *skip = 0;
    if (n >= BOM_BYTES && memcmp(p, "\xef\xbb\xbf", BOM_BYTES) == 0) {
        *skip = BOM_BYTES;
        return take_declared(x, x->raw.p + BOM_BYTES, n - BOM_BYTES);
    }
    if (n >= 2 && ((p[0] == 0xff && p[1] == 0xfe) || (p[0] == 0xfe && p[1] == 0xff))) {
        *skip = 2;
        x->decoding = p[0] == 0xff ? TPTP_DECODE_LE16 : TPTP_DECODE_BE16;
        return TS_OK;
    }
    if (n >= 2 && ((p[0] == 0) != (p[1] == 0))) {
        x->decoding = p[1] == 0 ? TPTP_DECODE_LE16 : TPTP_DECODE_BE16;
        return TS_OK;
    }
    return take_declared(x, x->raw.p, n);
}

static unsigned unit_at(const tptp_xml *x, const unsigned char *p)
{
    return x->decoding == TPTP_DECODE_LE16 ? p[0] | (unsigned)p[1] << 8
                                           : p[1] | (unsigned)p[0] << 8;
}

/* Takes whole characters from `raw`; *used: their bytes. */
static ts_code decode_wide(tptp_xml *x, size_t *used, uint64_t *replaced, bool ended)
{
    const unsigned char *p = (const unsigned char *)x->raw.p;
    size_t n = x->raw.n;
    size_t i = 0;
    ts_code code = ts_buf_reserve(x->ctx, &x->held, n / 2 * 3 + 4);
    while (code == TS_OK && i + 2 <= n) {
        uint32_t c = unit_at(x, p + i);
        size_t bytes = 2;
        if (c >= 0xd800 && c < 0xdc00 && i + 4 > n && !ended) {
            break;
        }
        if (c >= 0xd800 && c < 0xdc00 && i + 4 <= n && unit_at(x, p + i + 2) >= 0xdc00 &&
            unit_at(x, p + i + 2) < 0xe000) {
            c = 0x10000 + ((c - 0xd800) << 10) + (unit_at(x, p + i + 2) - 0xdc00);
            bytes = 4;
        } else if (c >= 0xd800 && c < 0xe000) {
            c = 0xfffd;
            ++*replaced;
        }
        x->held.n += ts_utf8_encode(x->held.p + x->held.n, c);
        i += bytes;
    }
    *used = ended ? n : i;
    return code;
}

/* Nothing was fed: there is no memory either. */
static void drop_used(tptp_xml *x, size_t used)
{
    if (used > 0) {
        memmove(x->raw.p, x->raw.p + used, x->raw.n - used);
        x->raw.n -= used;
    }
}

ts_code tptp_xml_decode(tptp_xml *x, const uint8_t *p, size_t n, bool ended)
{
    uint64_t replaced = 0;
    size_t used = 0;
    ts_code code;
    if (x->decoding == TPTP_DECODE_UTF8) {
        return ts_buf_put(x->ctx, &x->held, p, n);
    }
    TS_TRY_INTO(code, ts_buf_put(x->ctx, &x->raw, p, n));
    if (x->decoding == TPTP_DECODE_UNKNOWN) {
        if (x->raw.n < HEAD_BYTES && !ended) {
            return TS_OK;
        }
        TS_TRY_INTO(code, detect(x, &used));
        x->offset += used;
        drop_used(x, used);
    }
    used = x->raw.n;
    if (x->decoding == TPTP_DECODE_UTF8) {
        code = ts_buf_put(x->ctx, &x->held, x->raw.p, x->raw.n);
    } else if (x->decoding == TPTP_DECODE_OTHER) {
        code = tptp_encoding_put(x->ctx, &x->encoding, &x->held, &replaced, &used,
                                 ts_buf_text(&x->raw), !ended);
    } else {
        code = decode_wide(x, &used, &replaced, ended);
    }
    drop_used(x, used);
    x->replaced += replaced;
    return code;
}
