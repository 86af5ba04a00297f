/*
 * Runs of text. Two ways that read the same: one in plain C, eight bytes to a word, and one with
 * SSE2, which every x86-64 processor has.
 */
#include "json/json_impl.h"

#if JSON_HAS_SSE2
#include <emmintrin.h>
#endif

/* Every byte of a word set to b. */
#define EACH(b) (UINT64_C(0x0101010101010101) * (b))

/* High bits of the bytes below 0x80 that are '"', '\' or below 0x20; exact for the first one, and
 * meaningless in bytes of 0x80 and above. */
static inline uint64_t special_bytes(uint64_t w)
{
    uint64_t control = w - EACH(0x20);
    uint64_t quote = (w ^ EACH('"')) - EACH(1);
    uint64_t backslash = (w ^ EACH('\\')) - EACH(1);
    return control | quote | backslash;
}

static inline bool is_special(char c)
{
    return (unsigned char)c < 0x20 || c == '"' || c == '\\';
}

/* The character that the escape of c stands for; 0 when there is none or it is \u. */
static inline char escaped(char c)
{
    static const char meaning[256] = {
        ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
        ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
    };
    return meaning[(unsigned char)c];
}

const char *json_plain_copy_text(char **out, const char *out_end, const char *p, const char *end,
                                 bool any_byte)
{
    char *o = *out;
    while (end - p >= 16 && out_end - o >= 16) {
        uint64_t w;
        memcpy(o, p, 8);
        w = json_load64(p);
        uint64_t hit = special_bytes(w) & EACH(0x80);
        hit = any_byte ? hit & ~w : hit | (w & EACH(0x80));
        if (hit == 0) {
            p += 8;
            o += 8;
            continue;
        }
        unsigned n = (unsigned)__builtin_ctzll(hit) / 8;
        p += n;
        o += n;
        char c = *p == '\\' ? escaped(p[1]) : 0;
        if (c == 0) {
            break;
        }
        *o++ = c;
        p += 2;
    }
    *out = o;
    return p;
}

const char *json_plain_scan_bytes(const char *p, const char *end)
{
    while (end - p >= 8) {
        uint64_t w = json_load64(p);
        uint64_t hit = special_bytes(w) & ~w & EACH(0x80);
        if (hit != 0) {
            return p + (unsigned)__builtin_ctzll(hit) / 8;
        }
        p += 8;
    }
    while (p < end && !is_special(*p)) {
        p++;
    }
    return p;
}

/* Length of the well-formed sequence of two to four bytes at p; 0 when there is none (Unicode
 * standard, table 3-7). */
static size_t json_sequence(const char *p, const char *end)
{
    const unsigned char *s = (const unsigned char *)p;
    size_t left = (size_t)(end - p);
    if (s[0] < 0xC2 || s[0] > 0xF4) {
        return 0;
    }
    size_t n = s[0] < 0xE0 ? 2 : s[0] < 0xF0 ? 3 : 4;
    if (left < n) {
        return 0;
    }
    unsigned char low = s[0] == 0xE0 ? 0xA0 : s[0] == 0xF0 ? 0x90 : 0x80;
    unsigned char high = s[0] == 0xED ? 0x9F : s[0] == 0xF4 ? 0x8F : 0xBF;
    if (s[1] < low || s[1] > high) {
        return 0;
    }
    for (size_t i = 2; i < n; i++) {
        if ((s[i] & 0xC0) != 0x80) {
            return 0;
        }
    }
    return n;
}

/* Where the ASCII text at p ends: at a special byte, at one of 0x80 and above, or at `end`. */
static inline const char *plain_ascii(const char *p, const char *end)
{
    while (end - p >= 8) {
        uint64_t w = json_load64(p);
        uint64_t hit = (special_bytes(w) | w) & EACH(0x80);
        if (hit != 0) {
            return p + (unsigned)__builtin_ctzll(hit) / 8;
        }
        p += 8;
    }
    while (p < end && !is_special(*p) && (unsigned char)*p < 0x80) {
        p++;
    }
    return p;
}

/* Moves *p behind well-formed sequences. False: an ill-formed or incomplete one follows. */
static inline bool skip_sequences(const char **p, const char *end)
{
    size_t n = 1;
    while (*p < end && (unsigned char)**p >= 0x80 && (n = json_sequence(*p, end)) != 0) {
        *p += n;
    }
    return n != 0;
}

const char *json_plain_scan_text(const char *p, const char *end)
{
    do {
        p = plain_ascii(p, end);
        if (p == end || (unsigned char)*p < 0x80) {
            return p;
        }
    } while (skip_sequences(&p, end));
    return p;
}

#if JSON_HAS_SSE2

enum { BLOCK = 64, STEP = 16, COPY = 32 };

static inline __m128i json_load(const char *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* Each byte that is '"', '\' or a control character. */
static inline __m128i special(__m128i v)
{
    __m128i last_control = _mm_set1_epi8(0x1f);
    __m128i control = _mm_cmpeq_epi8(_mm_min_epu8(v, last_control), v);
    __m128i quote = _mm_cmpeq_epi8(v, _mm_set1_epi8('"'));
    return _mm_or_si128(_mm_or_si128(control, quote), _mm_cmpeq_epi8(v, _mm_set1_epi8('\\')));
}

/* A bit for each byte of the block that copying stops at. */
static inline uint64_t stops(const char *block, bool any_byte)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < BLOCK; i += STEP) {
        __m128i v = json_load(block + i);
        __m128i hit = any_byte ? special(v) : _mm_or_si128(special(v), v);
        mask |= (uint64_t)(unsigned)_mm_movemask_epi8(hit) << i;
    }
    return mask;
}

/* Copies n bytes, at most 64, and up to 31 more. */
static inline void copy(char *out, const char *p, size_t n)
{
    for (size_t i = 0; i == 0 || i < n; i += COPY) {
        __m128i a = json_load(p + i);
        __m128i b = json_load(p + i + STEP);
        _mm_storeu_si128((__m128i *)(void *)(out + i), a);
        _mm_storeu_si128((__m128i *)(void *)(out + i + STEP), b);
    }
}

const char *json_sse2_copy_text(char **out, const char *out_end, const char *p, const char *end,
                                bool any_byte)
{
    char *o = *out;
    while (end - p >= BLOCK + COPY && out_end - o >= BLOCK + COPY) {
        const char *block = p;
        uint64_t mask = stops(block, any_byte);
        while (mask != 0) {
            unsigned at = (unsigned)__builtin_ctzll(mask);
            size_t n = (size_t)(block + at - p);
            char c;
            copy(o, p, n);
            o += n;
            p += n;
            c = *p == '\\' ? escaped(p[1]) : 0;
            if (c == 0) {
                *out = o;
                return p;
            }
            *o++ = c;
            p += 2;
            mask &= mask - 1;
            mask &= ~(UINT64_C(2) << at); /* what was escaped */
        }
        if (p < block + BLOCK) {
            size_t n = (size_t)(block + BLOCK - p);
            copy(o, p, n);
            o += n;
            p += n;
        }
    }
    *out = o;
    return json_plain_copy_text(out, out_end, p, end, any_byte);
}

const char *json_sse2_scan_bytes(const char *p, const char *end)
{
    while (end - p >= STEP) {
        unsigned hit = (unsigned)_mm_movemask_epi8(special(json_load(p)));
        if (hit != 0) {
            return p + (unsigned)__builtin_ctz(hit);
        }
        p += STEP;
    }
    return json_plain_scan_bytes(p, end);
}

static inline const char *sse2_ascii(const char *p, const char *end)
{
    while (end - p >= STEP) {
        __m128i v = json_load(p);
        unsigned hit = (unsigned)_mm_movemask_epi8(_mm_or_si128(special(v), v));
        if (hit != 0) {
            return p + (unsigned)__builtin_ctz(hit);
        }
        p += STEP;
    }
    return plain_ascii(p, end);
}

const char *json_sse2_scan_text(const char *p, const char *end)
{
    do {
        p = sse2_ascii(p, end);
        if (p == end || (unsigned char)*p < 0x80) {
            return p;
        }
    } while (skip_sequences(&p, end));
    return p;
}

#endif
