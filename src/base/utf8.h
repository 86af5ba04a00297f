/*
 * UTF-8. Ill-formed bytes become U+FFFD, one for each maximal ill-formed part, as the Unicode
 * standard advises (table 3-7, "maximal subparts"); a surrogate that is written as three bytes is
 * one.
 */
#ifndef TS_BASE_UTF8_H
#define TS_BASE_UTF8_H

#include "base/buf.h"

/* True when n bytes are well-formed UTF-8 (U+0000 allowed, surrogates not). */
bool ts_utf8_valid(const char *p, size_t n);

/* Whether all bytes are ASCII: faster, for many texts at once. */
bool ts_utf8_ascii(const char *p, size_t n);

/* Appends p[0..n) to `out` with ill-formed parts replaced; adds their number to *replaced. */
ts_code ts_utf8_clean(ts_ctx *ctx, ts_buf *out, uint64_t *replaced, const char *p, size_t n);

/* Ill-formed parts of the text are replaced: it is what `clean` holds then. */
ts_code ts_utf8_text(ts_text *text, ts_ctx *ctx, ts_buf *clean, uint64_t *replaced);

/* Bytes of p[0..n) without a character whose last bytes are missing at the end: for a text that was
 * cut to a length. */
size_t ts_utf8_cut(const char *p, size_t n);

/* Bytes of U+cp into out[4]; returns their number. Surrogates are encoded too (3 bytes). */
size_t ts_utf8_encode(char *out, uint32_t cp);

/* Bytes of the character, or of the maximal ill-formed part (*cp is UINT32_MAX), that
 * begins at p; n > 0. */
size_t ts_utf8_next(uint32_t *cp, const char *p, size_t n);

/* Control characters, and those that turn the reading direction: a terminal must not get them. */
bool ts_utf8_steers(uint32_t cp);

/*
 * Appends p[0..n) so that a terminal can show it: control characters, DEL, C1, bidirectional
 * overrides and ill-formed bytes as \xNN or \u{...}; at most `max` bytes, then "...".
 */
ts_code ts_utf8_printable(ts_ctx *ctx, ts_buf *out, const char *p, size_t n, size_t max);

#endif
