/* Loops of the JSON reader that look at eight bytes at once. */
#include "json/json_impl.h"

/* Every byte of a word set to b. */
#define EACH(b) (UINT64_C(0x0101010101010101) * (b))

/* Eight digits, each as a value 0..9 in its byte, the first digit in the lowest byte. */
static inline uint64_t eight_digits(uint64_t w)
{
    w = w * 10 + (w >> 8);
    uint64_t hundreds = (w & UINT64_C(0x000000FF000000FF)) * (100 + (UINT64_C(1000000) << 32));
    uint64_t ones = ((w >> 16) & UINT64_C(0x000000FF000000FF)) * (1 + (UINT64_C(10000) << 32));
    return (hundreds + ones) >> 32;
}

/*
 * For digits XORed with '0': the high bit of the first byte that is no digit is the lowest bit set.
 * Bits above it may be wrong, because a sum may have carried.
 */
static inline uint64_t first_non_digit(uint64_t w)
{
    return ((w + EACH(0x76)) | w) & EACH(0x80);
}

/* An integer with a sign or with more than seven digits; at least JSON_SCAN_MIN bytes follow p.
 * Returns the byte after it, or NULL when it is none of those. */
static const char *scan_long(int64_t *out, const char *p)
{
    bool negative = *p == '-';
    p += negative;
    const char *first = p;
    uint64_t w = json_load64(p) ^ EACH('0');
    uint64_t v = 0;
    if (first_non_digit(w) == 0) {
        v = eight_digits(w);
        p += 8;
    }
    while (json_is_digit(*p) && p - first < 19) {
        v = v * 10 + (unsigned char)(*p - '0');
        p++;
    }
    if (p == first || p - first > 18 || (*first == '0' && (p - first > 1 || negative))) {
        return NULL;
    }
    *out = negative ? -(int64_t)v : (int64_t)v;
    return p;
}

size_t json_scan_ints(const char **at, const char *end, int64_t *out, size_t room)
{
    const char *p = *at;
    size_t n = 0;
    while (n < room && end - p >= JSON_SCAN_MIN) {
        const char *q = p;
        if ((unsigned char)*q <= ' ') {
            q = json_skip_space(q, end);
            if (end - q < JSON_SCAN_MIN) {
                break;
            }
        }
        uint64_t w = json_load64(q) ^ EACH('0');
        uint64_t stop = first_non_digit(w);
        int64_t v;
        if (stop != 0 && (stop & 0x80) == 0 && ((w & 0xFF) != 0 || (stop & 0x8000) != 0)) {
            unsigned bit = (unsigned)__builtin_ctzll(stop);
            v = (int64_t)eight_digits(w << (71 - bit));
            q += bit / 8;
        } else {
            q = scan_long(&v, q);
            if (q == NULL) {
                break;
            }
        }
        if (*q != ',') {
            q = json_skip_space(q, end);
            if (q == end || *q != ',') {
                break;
            }
        }
        p = q + 1;
        out[n++] = v;
    }
    *at = p;
    return n;
}

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

const char *json_scan_bytes(const char *p, const char *end)
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
static size_t sequence(const char *p, const char *end)
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

const char *json_scan_text(const char *p, const char *end)
{
    for (;;) {
        while (end - p >= 8) {
            uint64_t w = json_load64(p);
            uint64_t hit = (special_bytes(w) | w) & EACH(0x80);
            if (hit != 0) {
                p += (unsigned)__builtin_ctzll(hit) / 8;
                break;
            }
            p += 8;
        }
        while (p < end && !is_special(*p) && (unsigned char)*p < 0x80) {
            p++;
        }
        if (p == end || (unsigned char)*p < 0x80) {
            return p;
        }
        size_t n = 0;
        while (p < end && (unsigned char)*p >= 0x80 && (n = sequence(p, end)) != 0) {
            p += n;
        }
        if (n == 0) {
            return p;
        }
    }
}
