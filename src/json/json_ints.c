/*
 * Runs of integers, 64 bytes at a time. The ends of the numbers come out of a bit mask, so that
 * numbers do not wait for each other. Three ways that read the same: one in plain C, eight bytes to
 * a word, one with SSE2, which every x86-64 processor has, and one with AVX2 where the processor
 * that runs this has it.
 */
#include "json/json_impl.h"

#if JSON_HAS_SSE2
#include <immintrin.h>
#endif

enum { BLOCK = 64 };

/* Every byte of a word set to b. */
#define EACH(b) (UINT64_C(0x0101010101010101) * (b))

/* A run of integers that is being read. */
typedef struct run {
    const char *start; /* where an element begins; from there to the block there are only digits */
    const char *end;
    int64_t *out;
    size_t n;
} run;

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

/* A number of one to eight digits that is known to be one; eight bytes at p can be read. */
static inline int64_t short_value(const char *p, size_t len)
{
    return (int64_t)eight_digits((json_load64(p) ^ EACH('0')) << (BLOCK - 8 * len));
}

/*
 * Takes the elements that end in a block. `stops` has a bit for each byte that is no digit. False:
 * an element is left to the caller.
 */
static bool take_block(run *r, const char *block, uint64_t stops)
{
    uint64_t mask = bits_from(stops, block, r->start);
    while (mask != 0) {
        const char *q = block + __builtin_ctzll(mask);
        size_t len = (size_t)(q - r->start);
        mask &= mask - 1;
        if (len - 1 < 8 && (*r->start != '0' || len == 1)) {
            r->out[r->n] = short_value(r->start, len);
        } else if (len == 0 && json_is_space(*q)) {
            r->start = q + 1;
            continue;
        } else {
            q = scan_long(&r->out[r->n], r->start);
            if (q == NULL) {
                return false;
            }
            mask = bits_from(mask, block, q + 1);
        }
        if (*q != ',') {
            q = find_comma(q, r->end);
            if (q == NULL) {
                return false;
            }
            mask = bits_from(mask, block, q + 1);
        }
        r->start = q + 1;
        r->n++;
    }
    return true;
}

static size_t plain_blocks(const char **at, const char *end, int64_t *out, size_t room)
{
    run r = {*at, end, out, 0};
    const char *block = r.start;
    while (room - r.n >= BLOCK && end - block >= BLOCK + JSON_SCAN_MIN &&
           take_block(&r, block, non_digits(block))) {
        block += BLOCK;
    }
    *at = r.start;
    return r.n;
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

size_t json_plain_scan_ints(const char **at, const char *end, int64_t *out, size_t room)
{
    size_t n = plain_blocks(at, end, out, room);
    return n + scan_rest(at, end, out + n, room - n);
}

#if JSON_HAS_SSE2

/* A bit for each byte of a block that is of a kind. */
typedef struct kinds {
    uint64_t digit;
    uint64_t zero;
    uint64_t comma;
    uint64_t space;
} kinds;

static inline uint64_t bits_of(__m128i bytes, unsigned at)
{
    return (uint64_t)(unsigned)_mm_movemask_epi8(bytes) << at;
}

/* Of white space only the line feed counts: it is what V8 writes. */
static inline kinds look(const char *block)
{
    kinds k = {0, 0, 0, 0};
    for (unsigned i = 0; i < BLOCK; i += 16) {
        __m128i v = _mm_loadu_si128((const __m128i *)(const void *)(block + i));
        __m128i d = _mm_sub_epi8(v, _mm_set1_epi8('0'));
        __m128i digit = _mm_cmpeq_epi8(_mm_min_epu8(d, _mm_set1_epi8(9)), d);
        k.digit |= bits_of(digit, i);
        k.zero |= bits_of(_mm_cmpeq_epi8(d, _mm_setzero_si128()), i);
        k.comma |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8(',')), i);
        k.space |= bits_of(_mm_cmpeq_epi8(v, _mm_set1_epi8('\n')), i);
    }
    return k;
}

/*
 * Is the whole block as writers make them: numbers without sign and without leading zeros, between
 * two of them a comma, or a line feed and a comma as V8 has it, or a comma and a line feed? `open`:
 * a number began before the block. All is found out at once from the masks, so that the numbers
 * themselves need no check but that of their length.
 */
static inline bool json_is_usual(const kinds *k, uint64_t from, uint64_t open, const char *start)
{
    uint64_t digit = k->digit & from;
    uint64_t begins = digit & ~(digit << 1 | open);
    uint64_t bad = from & ~(k->digit | k->comma | k->space);
    bad |= k->comma << 1 & ~(k->digit | k->space) & from << 1;
    bad |= k->space << 1 & ~(k->digit | k->comma) & from << 1;
    bad |= k->space & k->digit >> 1 & ~(k->comma << 1) & from;
    bad |= k->space & k->comma >> 1 & ~(digit << 1 | open) & from;
    bad |= k->space >> (BLOCK - 1) & ~(k->comma >> (BLOCK - 2));
    bad |= begins & k->zero & digit >> 1;
    return bad == 0 && json_is_digit(*start) && (open == 0 || *start != '0');
}

/* take_block for a block that is usual; begins: of the numbers after the first. False: an element
 * is left to take_block. */
static inline bool take_usual(run *r, const char *block, uint64_t ends, uint64_t begins)
{
    const char *start = r->start;
    int64_t *out = r->out + r->n;
    while (ends != 0) {
        size_t len = (size_t)(block + __builtin_ctzll(ends) - start);
        if (len > 8) {
            break;
        }
        *out++ = short_value(start, len);
        start = block + (begins != 0 ? __builtin_ctzll(begins) : BLOCK);
        begins &= begins - 1;
        ends &= ends - 1;
    }
    r->start = start;
    r->n = (size_t)(out - r->out);
    return ends == 0;
}

/* Where numbers end in a block, whose bytes are of these kinds, and where those after the first
 * begin; false when it is not usual. */
static inline bool find_numbers(uint64_t *ends, uint64_t *begins, run *r, const char *block,
                                const kinds *k)
{
    r->start += r->start == block && *block == '\n' ? 1 : 0;
    uint64_t open = r->start < block ? 1 : 0;
    uint64_t from = bits_from(UINT64_MAX, block, r->start);
    *ends = ~k->digit & ((k->digit & from) << 1 | open);
    *begins = k->digit & from & ~((k->digit & from) << 1 | open);
    *begins &= open != 0 ? UINT64_MAX : *begins - 1;
    return from != 0 && json_is_usual(k, from, open, r->start);
}

static size_t sse2_blocks(const char **at, const char *end, int64_t *out, size_t room)
{
    run r = {*at, end, out, 0};
    const char *block = r.start;
    while (room - r.n >= BLOCK && end - block >= BLOCK + JSON_SCAN_MIN) {
        kinds k = look(block);
        uint64_t ends;
        uint64_t begins;
        if (!(find_numbers(&ends, &begins, &r, block, &k) && take_usual(&r, block, ends, begins)) &&
            !take_block(&r, block, ~k.digit)) {
            break;
        }
        block += BLOCK;
    }
    *at = r.start;
    return r.n;
}

size_t json_sse2_scan_ints(const char **at, const char *end, int64_t *out, size_t room)
{
    size_t n = sse2_blocks(at, end, out, room);
    return n + scan_rest(at, end, out + n, room - n);
}

#if JSON_HAS_AVX2
#define AVX2 __attribute__((target("avx2,bmi")))

enum { FOUR = 4, MOST_DIGITS = 8 };

static AVX2 inline uint64_t bits_of_64(__m256i low, __m256i high)
{
    return (uint32_t)_mm256_movemask_epi8(low) | (uint64_t)_mm256_movemask_epi8(high) << 32;
}

static AVX2 inline kinds look_avx2(const char *block)
{
    const __m256i nine = _mm256_set1_epi8(9);
    const __m256i zero = _mm256_setzero_si256();
    const __m256i comma = _mm256_set1_epi8(',');
    const __m256i feed = _mm256_set1_epi8('\n');
    __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)block);
    __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(block + BLOCK / 2));
    __m256i x = _mm256_sub_epi8(a, _mm256_set1_epi8('0'));
    __m256i y = _mm256_sub_epi8(b, _mm256_set1_epi8('0'));
    return (kinds){
        .digit = bits_of_64(_mm256_cmpeq_epi8(_mm256_min_epu8(x, nine), x),
                            _mm256_cmpeq_epi8(_mm256_min_epu8(y, nine), y)),
        .zero = bits_of_64(_mm256_cmpeq_epi8(x, zero), _mm256_cmpeq_epi8(y, zero)),
        .comma = bits_of_64(_mm256_cmpeq_epi8(a, comma), _mm256_cmpeq_epi8(b, comma)),
        .space = bits_of_64(_mm256_cmpeq_epi8(a, feed), _mm256_cmpeq_epi8(b, feed)),
    };
}

/* Eight bytes at each of two places. */
static AVX2 inline __m128i two_words(const void *a, const void *b)
{
    __m128i low = _mm_loadl_epi64((const __m128i *)a);
    return _mm_castps_si128(_mm_loadh_pi(_mm_castsi128_ps(low), (const __m64 *)b));
}

/*
 * Four numbers of at most eight digits: the eight bytes before each end, without what is before
 * the number. Digits are added up in pairs, fours and eights.
 */
static AVX2 inline void four_values(int64_t *out, const char *const ends[FOUR],
                                    const int64_t lengths[FOUR])
{
    static const uint64_t keep[MOST_DIGITS + 1] = {
        0,
        UINT64_MAX << 56,
        UINT64_MAX << 48,
        UINT64_MAX << 40,
        UINT64_MAX << 32,
        UINT64_MAX << 24,
        UINT64_MAX << 16,
        UINT64_MAX << 8,
        UINT64_MAX,
    };
    __m256i v = _mm256_set_m128i(two_words(ends[2] - MOST_DIGITS, ends[3] - MOST_DIGITS),
                                 two_words(ends[0] - MOST_DIGITS, ends[1] - MOST_DIGITS));
    __m256i kept = _mm256_set_m128i(two_words(&keep[lengths[2]], &keep[lengths[3]]),
                                    two_words(&keep[lengths[0]], &keep[lengths[1]]));
    v = _mm256_and_si256(_mm256_sub_epi8(v, _mm256_set1_epi8('0')), kept);
    v = _mm256_maddubs_epi16(v, _mm256_set1_epi16(10 | 1 << 8));
    v = _mm256_madd_epi16(v, _mm256_set1_epi32(100 | 1 << 16));
    v = _mm256_madd_epi16(_mm256_packus_epi32(v, v), _mm256_set1_epi32(10000 | 1 << 16));
    v = _mm256_permute4x64_epi64(v, 0x08);
    _mm256_storeu_si256((__m256i *)(void *)out, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(v)));
}

/*
 * take_usual for a block with at least eight bytes before it, four numbers at a time: how many
 * there are is mostly found out too late to be waited for, so that up to twelve are made anyway. Of
 * those that there are not, both ends are that of the block.
 */
static AVX2 inline bool take_usual_avx2(run *r, const char *block, uint64_t ends, uint64_t begins,
                                        uint64_t digits)
{
    const size_t count = (size_t)__builtin_popcountll(ends);
    const uint64_t of_4 = digits & digits >> 1 & digits >> 2 & digits >> 3;
    int64_t *out = r->out + r->n;
    int64_t start = r->start - block;
    const int64_t last = BLOCK - 1 - __builtin_clzll(begins | 1);
    if ((of_4 & of_4 >> 4 & digits >> 8) != 0 || count == 0 ||
        (int64_t)_tzcnt_u64(ends) - start > MOST_DIGITS) {
        return false;
    }
    for (size_t i = 0; i < 12 || i < count; i += FOUR) {
        const char *stops[FOUR];
        int64_t lengths[FOUR];
        for (unsigned k = 0; k < FOUR; k++) {
            int64_t stop = (int64_t)_tzcnt_u64(ends);
            stops[k] = block + stop;
            lengths[k] = stop - start;
            start = (int64_t)_tzcnt_u64(begins);
            ends = _blsr_u64(ends);
            begins = _blsr_u64(begins);
        }
        four_values(out + i, stops, lengths);
    }
    r->start = block + (digits >> (BLOCK - 1) != 0 ? last : BLOCK);
    r->n += count;
    return true;
}
static AVX2 size_t avx2_blocks(const char **at, const char *end, int64_t *out, size_t room)
{
    run r = {*at, end, out, 0};
    const char *block = r.start;
    while (room - r.n >= BLOCK && end - block >= BLOCK + JSON_SCAN_MIN) {
        kinds k = look_avx2(block);
        uint64_t ends;
        uint64_t begins;
        bool usual = find_numbers(&ends, &begins, &r, block, &k);
        if (usual && block != *at) {
            usual = take_usual_avx2(&r, block, ends, begins,
                                    k.digit & bits_from(UINT64_MAX, block, r.start));
        } else if (usual) {
            usual = take_usual(&r, block, ends, begins);
        }
        if (!usual && !take_block(&r, block, ~k.digit)) {
            break;
        }
        block += BLOCK;
    }
    *at = r.start;
    return r.n;
}

size_t json_avx2_scan_ints(const char **at, const char *end, int64_t *out, size_t room)
{
    size_t n = avx2_blocks(at, end, out, room);
    return n + scan_rest(at, end, out + n, room - n);
}

#endif
#endif
