#include "parsers/tptp/xml_trace.h"

#include "base/utf8.h"

#include <string.h>

/* Bytes at which scanning a tag stops: what ends it, and what needs cleaning. */
enum { PLAIN, QUOTE, ENDS, OPENS, UNUSUAL };

static unsigned class_of(unsigned char c)
{
    static const uint8_t low[64] = {
        /* 0x00 to 0x1f: tab, line feed and carriage return are plain */
        UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, /* 0x00 */
        UNUSUAL, PLAIN,   PLAIN,   UNUSUAL, UNUSUAL, PLAIN,   UNUSUAL, UNUSUAL, /* 0x08 */
        UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, /* 0x10 */
        UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, UNUSUAL, /* 0x18 */
        PLAIN,   PLAIN,   QUOTE,   PLAIN,   PLAIN,   PLAIN,   UNUSUAL, QUOTE,   /* 0x20 */
        PLAIN,   PLAIN,   PLAIN,   PLAIN,   PLAIN,   PLAIN,   PLAIN,   PLAIN,   /* 0x28 */
        PLAIN,   PLAIN,   PLAIN,   PLAIN,   PLAIN,   PLAIN,   PLAIN,   PLAIN,   /* 0x30 */
        PLAIN,   PLAIN,   PLAIN,   PLAIN,   OPENS,   PLAIN,   ENDS,    PLAIN,   /* 0x38 */
    };
    return c < 64 ? low[c] : c < 0x80 ? PLAIN : UNUSUAL;
}

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static bool begins_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == ':' ||
           (unsigned char)c >= 0x80;
}

/* A start tag. A quote is followed by a blank or the end: else one is missing. */
static tptp_piece start_piece(size_t *size, tptp_scan *s, const char *p, size_t n)
{
    size_t i = s->at == 0 ? 1 : s->at;
    char quote = s->quote;
    for (; i < n; i++) {
        unsigned k = class_of((unsigned char)p[i]);
        if (k == PLAIN) {
            continue;
        }
        if (k == UNUSUAL) {
            s->special = true;
        } else if (k == OPENS) {
            s->special = true;
            s->first_open = s->first_open == 0 ? i : s->first_open;
            if (quote == 0) {
                *size = s->first_open;
                return TPTP_PIECE_BAD;
            }
        } else if (k == QUOTE && quote == 0) {
            quote = p[i];
        } else if (k == QUOTE && quote == p[i]) {
            if (i + 1 == n) {
                break; /* what follows decides */
            }
            quote = 0;
            if (!is_blank(p[i + 1]) && p[i + 1] != '/' && p[i + 1] != '>') {
                *size = s->first_open == 0 ? i + 1 : s->first_open;
                return TPTP_PIECE_BAD;
            }
        } else if (k == ENDS && quote == 0) {
            *size = i + 1;
            return p[i - 1] == '/' ? TPTP_PIECE_EMPTY : TPTP_PIECE_START;
        }
    }
    s->at = i;
    s->quote = quote;
    return TPTP_PIECE_MORE;
}

static tptp_piece end_piece(size_t *size, tptp_scan *s, const char *p, size_t n)
{
    for (size_t i = s->at < 2 ? 2 : s->at; i < n; i++) {
        if (p[i] == '>' || p[i] == '<') {
            *size = i + (p[i] == '>');
            return p[i] == '>' ? TPTP_PIECE_END : TPTP_PIECE_BAD;
        }
    }
    s->at = n;
    return TPTP_PIECE_MORE;
}

/* Up to the text `end`, which is not sought before `from`. */
static tptp_piece until(size_t *size, tptp_scan *s, const char *p, size_t n, size_t from,
                        const char *end, tptp_piece piece)
{
    size_t k = strlen(end);
    size_t i = s->at < from ? from : s->at;
    const char *found = i >= n ? NULL : memmem(p + i, n - i, end, k);
    if (found != NULL) {
        *size = (size_t)(found - p) + k;
        return piece;
    }
    s->at = n < from + k ? from : n - k + 1;
    return TPTP_PIECE_MORE;
}

/* DOCTYPE with its quotes and its part in brackets. */
static tptp_piece declaration_piece(size_t *size, tptp_scan *s, const char *p, size_t n)
{
    size_t i = s->at < 2 ? 2 : s->at;
    for (; i < n; i++) {
        char c = p[i];
        if (s->quote != 0) {
            s->quote = c == s->quote ? 0 : s->quote;
        } else if (c == '"' || c == '\'') {
            s->quote = c;
        } else if (c == '[' || c == ']') {
            s->brackets = c == '[' ? s->brackets + 1 : s->brackets == 0 ? 0 : s->brackets - 1;
        } else if (c == '>' && s->brackets == 0) {
            *size = i + 1;
            return TPTP_PIECE_OTHER;
        }
    }
    s->at = i;
    return TPTP_PIECE_MORE;
}

static tptp_piece mark_piece(size_t *size, tptp_scan *s, const char *p, size_t n, bool ended)
{
    static const char cdata[] = "<![CDATA[";
    size_t known = n < sizeof cdata - 1 ? n : sizeof cdata - 1;
    if (n >= 4 && memcmp(p, "<!--", 4) == 0) {
        return until(size, s, p, n, 4, "-->", TPTP_PIECE_OTHER);
    }
    if (memcmp(p, cdata, known) == 0) {
        if (known < sizeof cdata - 1) {
            return TPTP_PIECE_MORE;
        }
        return until(size, s, p, n, known, "]]>", TPTP_PIECE_CDATA);
    }
    return n < 4 && !ended ? TPTP_PIECE_MORE : declaration_piece(size, s, p, n);
}

static tptp_piece text_piece(size_t *size, tptp_scan *s, const char *p, size_t n, bool ended)
{
    size_t i = s->at == 0 ? (p[0] == '<') : s->at;
    const char *open = i >= n ? NULL : memchr(p + i, '<', n - i);
    if (open == NULL && !ended) {
        s->at = n;
        return TPTP_PIECE_MORE;
    }
    *size = open == NULL ? n : (size_t)(open - p);
    return TPTP_PIECE_TEXT;
}

tptp_piece tptp_xml_piece(size_t *size, bool *special, tptp_scan *scan, const char *p, size_t n,
                          bool ended)
{
    tptp_piece piece;
    if (p[0] != '<') {
        piece = text_piece(size, scan, p, n, ended);
    } else if (n == 1) {
        piece = TPTP_PIECE_MORE;
    } else if (p[1] == '/') {
        piece = end_piece(size, scan, p, n);
    } else if (p[1] == '?') {
        piece = until(size, scan, p, n, 2, "?>", TPTP_PIECE_OTHER);
    } else if (p[1] == '!') {
        piece = mark_piece(size, scan, p, n, ended);
    } else if (begins_name(p[1])) {
        piece = start_piece(size, scan, p, n);
    } else {
        piece = text_piece(size, scan, p, n, ended);
    }
    *special = scan->special;
    if (piece != TPTP_PIECE_MORE) {
        *scan = (tptp_scan){0};
    }
    return piece;
}

size_t tptp_xml_name(const char **name, const char *p, size_t n)
{
    size_t from = n > 1 && p[1] == '/' ? 2 : 1;
    size_t i = from;
    while (i < n && !is_blank(p[i]) && p[i] != '/' && p[i] != '>') {
        i++;
    }
    *name = p + from;
    return i - from;
}

/* --- cleaning -------------------------------------------------------------------------------- */

/* May the character with this number be in XML? */
static bool is_xml_char(uint64_t c)
{
    return c == 9 || c == 10 || c == 13 || (c >= 0x20 && c <= 0xd7ff) ||
           (c >= 0xe000 && c <= 0xfffd) || (c >= 0x10000 && c <= 0x10ffff);
}

/* "#123;" or "#x7b;" of a character that may be there. */
static bool is_reference(const char *p, size_t n)
{
    bool hex = n > 1 && (p[1] == 'x');
    unsigned base = hex ? 16 : 10;
    uint64_t c = 0;
    size_t i = hex ? 2 : 1;
    size_t first = i;
    for (; i < n && i < first + 8; i++) {
        char d = p[i];
        unsigned v = d >= '0' && d <= '9'          ? (unsigned)(d - '0')
                     : hex && d >= 'a' && d <= 'f' ? (unsigned)(d - 'a') + 10
                     : hex && d >= 'A' && d <= 'F' ? (unsigned)(d - 'A') + 10
                                                   : 99;
        if (v == 99) {
            break;
        }
        c = c * base + v;
    }
    return i > first && i < n && p[i] == ';' && is_xml_char(c);
}

/* Does a known entity follow "&"? */
static bool is_entity(const char *p, size_t n)
{
    static const char *const known[] = {"lt;", "gt;", "amp;", "quot;", "apos;"};
    if (n > 0 && p[0] == '#') {
        return is_reference(p, n);
    }
    for (unsigned i = 0; i < sizeof known / sizeof known[0]; i++) {
        size_t k = strlen(known[i]);
        if (n >= k && memcmp(p, known[i], k) == 0) {
            return true;
        }
    }
    return false;
}

/* Characters that UTF-8 has and XML lacks. */
static bool is_forbidden(const char *p, size_t n)
{
    unsigned char c = (unsigned char)p[0];
    return (c < 0x20 && !is_blank(p[0])) ||
           (n >= 3 && c == 0xef && (unsigned char)p[1] == 0xbf && (unsigned char)p[2] >= 0xbe);
}

ts_code tptp_xml_clean(ts_ctx *ctx, ts_buf *out, tptp_cleaned *found, const char *p, size_t n,
                       bool tag)
{
    size_t first = out->n;
    ts_buf utf8 = {0};
    ts_code code = ts_utf8_clean(ctx, &utf8, &found->replaced, p, n);
    size_t plain = 0; /* up to here it was appended */
    for (size_t i = 0; i < utf8.n && code == TS_OK; i++) {
        const char *with = NULL;
        size_t bytes = 1;
        char c = utf8.p[i];
        if (c == '<' && (!tag || i > 0)) {
            with = "&lt;";
        } else if (c == '>' && !tag) {
            with = "&gt;";
        } else if (c == '&' && !is_entity(utf8.p + i + 1, utf8.n - i - 1)) {
            with = "&amp;";
            found->entities++;
        } else if (is_forbidden(utf8.p + i, utf8.n - i)) {
            with = "\xef\xbf\xbd";
            bytes = (unsigned char)c < 0x20 ? 1 : 3;
            found->replaced++;
        }
        if (with != NULL) {
            code = ts_buf_put(ctx, out, utf8.p + plain, i - plain);
            TS_STEP(code, ts_buf_put(ctx, out, with, strlen(with)));
            i += bytes - 1;
            plain = i + 1;
        }
    }
    TS_STEP(code, ts_buf_put(ctx, out, utf8.p + plain, utf8.n - plain));
    out->n = code == TS_OK ? out->n : first;
    ts_buf_free(ctx, &utf8);
    return code;
}
