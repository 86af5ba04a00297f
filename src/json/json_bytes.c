/*
 * Runs of text. Two ways that read the same: one in plain C, eight bytes to a word, and one with
 * SSE2, which every x86-64 processor has; copying has a third one, with AVX2, where the processor
 * that runs this has it.
 */
#include "json/json_impl.h"

#if JSON_HAS_SSE2
#include <immintrin.h>
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

/* Moves *p after well-formed sequences. False: an ill-formed or incomplete one follows. */
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

#if JSON_HAS_AVX2

#define AVX2 __attribute__((target("avx2,bmi")))

/* Of the bytes 0 to 7 those whose bits in m are not set, one after the other from the lowest byte
 * of a word on. */
#define IS_LEFT(m, i) (~(m) >> (i)&1U)
#define LEFT_BEFORE(m, i) (unsigned)__builtin_popcount(~(unsigned)(m) & ((1U << (i)) - 1))
#define LEFT_ONE(m, i) ((uint64_t)(IS_LEFT((unsigned)(m), i) * (i)) << 8 * LEFT_BEFORE(m, i))
#define LEFT(m)                                                                                    \
    (LEFT_ONE(m, 1) | LEFT_ONE(m, 2) | LEFT_ONE(m, 3) | LEFT_ONE(m, 4) | LEFT_ONE(m, 5) |          \
     LEFT_ONE(m, 6) | LEFT_ONE(m, 7))
#define LEFT_4(m) LEFT(m), LEFT((m) + 1), LEFT((m) + 2), LEFT((m) + 3)
#define LEFT_16(m) LEFT_4(m), LEFT_4((m) + 4), LEFT_4((m) + 8), LEFT_4((m) + 12)
#define LEFT_64(m) LEFT_16(m), LEFT_16((m) + 16), LEFT_16((m) + 32), LEFT_16((m) + 48)
static const uint64_t left_of[256] = {LEFT_64(0), LEFT_64(64), LEFT_64(128), LEFT_64(192)};

/* The 64 bytes that are looked at, and what they are. */
typedef struct text_block {
    __m256i bytes[2];
    uint64_t escapes; /* backslashes that are not escaped themselves */
    uint64_t feeds;   /* letters n after them */
    uint64_t stops;   /* where something else begins than text and escapes of n, '"' and '\' */
} text_block;

static AVX2 inline uint64_t bits_of_64(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)_mm256_movemask_epi8(high) << 32;
}

static AVX2 inline uint64_t equal_to(const __m256i bytes[2], char c)
{
    const __m256i all = _mm256_set1_epi8(c);
    return bits_of_64(_mm256_cmpeq_epi8(bytes[0], all), _mm256_cmpeq_epi8(bytes[1], all));
}

/* What is after a backslash that is not escaped. Where there are several in a row, every
 * second one is: those that begin at odd places carry in a subtraction into what follows them. */
static inline uint64_t escaped_bytes(uint64_t backslashes)
{
    const uint64_t odd = UINT64_C(0xAAAAAAAAAAAAAAAA);
    return ((((backslashes << 1) | odd) - backslashes) ^ odd) ^ backslashes;
}

static AVX2 inline void look(text_block *b, const char *p, bool any_byte)
{
    const __m256i last_control = _mm256_set1_epi8(0x1f);
    b->bytes[0] = _mm256_loadu_si256((const __m256i *)(const void *)p);
    b->bytes[1] = _mm256_loadu_si256((const __m256i *)(const void *)(p + BLOCK / 2));
    const uint64_t backslashes = equal_to(b->bytes, '\\');
    const uint64_t quotes = equal_to(b->bytes, '"');
    const uint64_t high = any_byte ? 0 : bits_of_64(b->bytes[0], b->bytes[1]);
    const uint64_t controls =
        bits_of_64(_mm256_cmpeq_epi8(_mm256_min_epu8(b->bytes[0], last_control), b->bytes[0]),
                   _mm256_cmpeq_epi8(_mm256_min_epu8(b->bytes[1], last_control), b->bytes[1]));
    const uint64_t escaped = escaped_bytes(backslashes);
    const uint64_t letters = equal_to(b->bytes, 'n');
    b->escapes = backslashes & ~escaped;
    b->feeds = letters & escaped;
    b->stops = ((controls | quotes | high) & ~escaped) |
               (escaped & ~(letters | quotes | backslashes)) >> 1;
}

/* A byte of all ones for each bit. */
static AVX2 inline __m256i bytes_of_bits(uint32_t bits)
{
    const __m256i which =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i bit = _mm256_set1_epi64x((int64_t)UINT64_C(0x8040201008040201));
    __m256i v = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), which);
    return _mm256_cmpeq_epi8(_mm256_and_si256(v, bit), bit);
}

/* Writes the bytes of a block but the escapes, with letters n after them as line feeds. */
static AVX2 inline void put_block(char *out, const text_block *b)
{
    const __m256i change = _mm256_set1_epi8('n' ^ '\n');
    char text[BLOCK];
    for (unsigned i = 0; i < 2; i++) {
        __m256i feeds = bytes_of_bits((uint32_t)(b->feeds >> 32 * i));
        __m256i v = _mm256_xor_si256(b->bytes[i], _mm256_and_si256(feeds, change));
        _mm256_storeu_si256((__m256i *)(void *)(text + (size_t)32 * i), v);
    }
    for (unsigned i = 0; i < BLOCK; i += 8) {
        const unsigned escapes = (unsigned)(b->escapes >> i) & 0xff;
        __m128i v = _mm_loadl_epi64((const __m128i *)(const void *)(text + i));
        __m128i left = _mm_loadl_epi64((const __m128i *)(const void *)&left_of[escapes]);
        _mm_storel_epi64((__m128i *)(void *)out, _mm_shuffle_epi8(v, left));
        out += 8 - __builtin_popcount(escapes);
    }
}

AVX2 const char *json_avx2_copy_text(char **out, const char *out_end, const char *p,
                                     const char *end, bool any_byte)
{
    char *o = *out;
    while (end - p >= BLOCK && out_end - o >= BLOCK) {
        text_block b;
        look(&b, p, any_byte);
        put_block(o, &b);
        if ((b.stops | b.escapes >> (BLOCK - 1)) == 0) { /* where it ends need not be waited for */
            o += BLOCK - __builtin_popcountll(b.escapes);
            p += BLOCK;
            continue;
        }
        /* A backslash at the end goes into the next block, with its letter. */
        const unsigned n = b.stops != 0 ? (unsigned)__builtin_ctzll(b.stops) : BLOCK - 1;
        o += n - (unsigned)__builtin_popcountll(n == 0 ? 0 : b.escapes << (BLOCK - n));
        p += n;
        if (b.stops != 0) {
            char c = *p == '\\' ? escaped(p[1]) : 0;
            if (c == 0) {
                break;
            }
            *o++ = c;
            p += 2;
        }
    }
    *out = o;
    return JSON_BEST(copy_text)(out, out_end, p, end, any_byte);
}

#endif
