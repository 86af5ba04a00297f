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
    if (p == first || p - first > 18 || (*first == '0' && p - first > 1)) {
        return NULL;
    }
    *out = negative ? -(int64_t)v : (int64_t)v;
    return p;
}

/* Bit i is set when byte i of the 64 at p is no digit. */
static inline uint64_t non_digits(const char *p)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 64; i += 8) {
        uint64_t w = json_load64(p + i) ^ EACH('0');
        uint64_t high = (((w & EACH(0x7F)) + EACH(0x76)) | w) & EACH(0x80);
        /* The product moves the eight high bits side by side into the top byte. */
        mask |= ((high >> 7) * UINT64_C(0x0102040810204080) >> 56) << i;
    }
    return mask;
}

/* Drops the bits of the bytes before p. */
static inline uint64_t bits_from(uint64_t mask, const char *block, const char *p)
{
    return p <= block ? mask : p - block >= 64 ? 0 : mask & (UINT64_MAX << (p - block));
}

/* The comma after white space at p, or NULL. */
static const char *find_comma(const char *p, const char *end)
{
    p = json_skip_space(p, end);
    return p < end && *p == ',' ? p : NULL;
}

/*
 * The fast way, 64 bytes at a time: the ends of the numbers come out of a bit mask, so that numbers
 * do not wait for each other. A faster way to get the mask is all that another processor needs.
 */
static size_t scan_blocks(const char **at, const char *end, int64_t *out, size_t room)
{
    const char *start = *at; /* where an element begins */
    const char *block = start;
    size_t n = 0;
    while (room - n >= 64 && end - block >= 64 + JSON_SCAN_MIN) {
        uint64_t mask = bits_from(non_digits(block), block, start);
        while (mask != 0) {
            const char *q = block + __builtin_ctzll(mask);
            size_t len = (size_t)(q - start);
            mask &= mask - 1;
            if (len - 1 < 8 && (*start != '0' || len == 1)) {
                uint64_t w = json_load64(start) ^ EACH('0');
                out[n] = (int64_t)eight_digits(w << (64 - 8 * len));
            } else if (len == 0 && json_is_space(*q)) {
                start = q + 1;
                continue;
            } else {
                q = scan_long(&out[n], start);
                if (q == NULL) {
                    goto out;
                }
                mask = bits_from(mask, block, q + 1);
            }
            if (*q != ',') {
                q = find_comma(q, end);
                if (q == NULL) {
                    goto out;
                }
                mask = bits_from(mask, block, q + 1);
            }
            start = q + 1;
            n++;
        }
        block += 64;
    }
out:
    *at = start;
    return n;
}

/* One by one, up to the end of the block or of the room. */
static size_t scan_rest(const char **at, const char *end, int64_t *out, size_t room)
{
    const char *p = *at;
    size_t n = 0;
    while (n < room) {
        const char *q = json_skip_space(p, end);
        if (end - q < JSON_SCAN_MIN) {
            break;
        }
        uint64_t w = json_load64(q) ^ EACH('0');
        uint64_t stop = first_non_digit(w);
        if (stop != 0 && (stop & 0x80) == 0 && ((w & 0xFF) != 0 || (stop & 0x8000) != 0)) {
            unsigned bit = (unsigned)__builtin_ctzll(stop);
            out[n] = (int64_t)eight_digits(w << (71 - bit));
            q += bit / 8;
        } else {
            q = scan_long(&out[n], q);
        }
        if (q != NULL && *q != ',') {
            q = find_comma(q, end);
        }
        if (q == NULL) {
            break;
        }
        p = q + 1;
        n++;
    }
    *at = p;
    return n;
}

size_t json_scan_ints(const char **at, const char *end, int64_t *out, size_t room)
{
    size_t n = scan_blocks(at, end, out, room);
    return n + scan_rest(at, end, out + n, room - n);
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

/* The character that the escape of c stands for; 0 when there is none or it is \u. */
static inline char escaped(char c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
        return c;
    case 'b':
        return '\b';
    case 'f':
        return '\f';
    case 'n':
        return '\n';
    case 'r':
        return '\r';
    case 't':
        return '\t';
    default:
        return 0;
    }
}

const char *json_copy_text(char **out, const char *out_end, const char *p, const char *end,
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
