/*
 * What the files of the JSON reader share; nothing outside src/json includes this.
 *
 * json.c         the interface, structure (brackets, commas, keys), literals
 * json_string.c  strings and keys: escapes, surrogates, UTF-8
 * json_number.c  numbers that are not taken by the scanner
 * json_ints.c    runs of integers, many bytes at once
 * json_bytes.c    runs of plain text, many bytes at once
 *
 * The block that is being fed is [begin, end); `at` is the next byte. Every step consumes what it
 * can and leaves the rest of its state in the struct, so that a block may end anywhere.
 */
#ifndef TS_JSON_JSON_IMPL_H
#define TS_JSON_JSON_IMPL_H

#include "json/json.h"

#include <string.h>

#if defined(__SSE2__) && !defined(TS_NO_SSE2)
#define JSON_HAS_SSE2 1
#else
#define JSON_HAS_SSE2 0
#endif
#if JSON_HAS_SSE2 && defined(__x86_64__) && defined(__GNUC__) && !defined(TS_NO_AVX2)
#define JSON_HAS_AVX2 1
#else
#define JSON_HAS_AVX2 0
#endif

enum {
    JSON_INTS = 2048,   /* integers in a batch */
    JSON_PIECE = 16384, /* bytes of a string piece that is put together */
    JSON_BORROW = 4096, /* a run of at least so many bytes is never copied */
    JSON_DIGITS = 800,  /* more than the 768 that can decide how a double is rounded */
    JSON_TEXT = 64,     /* bytes of a number's text that are kept */
    JSON_SCAN_MIN = 24  /* bytes that the integer scanner may look at for one element */
};

typedef enum json_state {
    JSON_AT_START,        /* a byte order mark may come */
    JSON_AT_VALUE,        /* a value must come */
    JSON_AT_VALUE_OR_END, /* after '[' */
    JSON_AT_KEY,          /* after ',' in an object */
    JSON_AT_KEY_OR_END,   /* after '{' */
    JSON_AT_COLON,
    JSON_AT_COMMA, /* after an element or member */
    JSON_AT_REST,  /* after the document */
    JSON_IN_STRING,
    JSON_IN_NUMBER,
    JSON_IN_LITERAL,
    JSON_STOPPED /* malformed */
} json_state;

typedef enum json_number_part {
    JSON_NUM_SIGN,     /* after '-' */
    JSON_NUM_ZERO,     /* after a leading zero */
    JSON_NUM_INT,      /* in the integer part */
    JSON_NUM_POINT,    /* after '.' */
    JSON_NUM_FRACTION, /* in the fraction */
    JSON_NUM_E,        /* after 'e' */
    JSON_NUM_EXP_SIGN, /* after the sign of the exponent */
    JSON_NUM_EXP       /* in the exponent */
} json_number_part;

/*
 * A number in the making. Its value is digits * 10^(exponent - fraction + dropped + zeros), where
 * `digits` has neither leading nor trailing zeros and, when something was dropped, stands for a
 * number that is a little larger.
 */
typedef struct json_decimal {
    json_number_part part;
    bool negative;
    bool exponent_negative;
    uint64_t fraction; /* digits after the point */
    uint64_t zeros;    /* zeros seen after the last kept digit */
    uint64_t dropped;  /* digits that did not fit into `digits` */
    int64_t exponent;  /* as written, without sign, capped */
    size_t digit_n;
    size_t text_n;
    char text[JSON_TEXT];
    char digits[JSON_DIGITS];
} json_decimal;

/* json_scan_ints and json_copy_text, below. */
typedef size_t json_ints_call(const char **at, const char *end, int64_t *out, size_t room);
typedef const char *json_copy_call(char **out, const char *out_end, const char *p, const char *end,
                                   bool any_byte);

struct ts_json {
    ts_ctx *ctx;
    json_ints_call *scan_ints; /* the best ways of this processor */
    json_copy_call *copy_text;
    const ts_json_handler *handler;
    void *user;
    unsigned options;

    ts_code code; /* what ended the reader, or TS_OK */
    json_state state;
    const char *reason;
    uint64_t base; /* bytes of all earlier blocks */
    const char *begin;
    const char *at;
    const char *end;

    uint8_t *levels; /* two bits a level: object, wants integers */
    size_t level_cap;
    uint64_t depth;
    bool in_object;
    bool want_ints;

    unsigned bom;        /* bytes of a byte order mark seen */
    const char *literal; /* the rest of a literal */
    ts_json_kind literal_kind;

    bool is_key;
    bool raw;        /* this string is passed on unchecked */
    bool key_cut;    /* the key was longer than TS_JSON_KEY_MAX */
    unsigned first;  /* TS_JSON_FIRST until a piece has been passed on */
    unsigned escape; /* 0 none, 1 after '\', 2 + hexadecimal digits seen after \u */
    uint32_t hex;    /* their value */
    uint32_t high;   /* high surrogate that waits for its partner, or 0 */
    unsigned held_n; /* bytes of an incomplete UTF-8 sequence */
    unsigned char held[4];
    uint64_t replaced;
    size_t key_n;
    size_t piece_n;
    size_t int_n;

    json_decimal decimal;
    char key[TS_JSON_KEY_MAX];
    char piece[JSON_PIECE];
    int64_t ints[JSON_INTS];
};

/* ---- json.c ---- */

/* Makes the document malformed at `at`, after passing on what was collected. */
ts_code json_bad(ts_json *js, const char *reason);

/* Passes on the integers collected so far. */
ts_code json_flush_ints(ts_json *js);

/* A value is complete: what may follow? To be called before the value's last event. */
void json_value_done(ts_json *js);

/* ---- json_string.c ---- */

/* `at` is the opening quote. */
void json_string_begin(ts_json *js, bool is_key);
ts_code json_string_step(ts_json *js);

/* Passes on the text collected so far. */
ts_code json_flush_piece(ts_json *js, unsigned flags);

/* ---- json_number.c ---- */

/* `at` is '-' or a digit. */
ts_code json_number_begin(ts_json *js);
ts_code json_number_step(ts_json *js);

/* True when the number may end here. */
bool json_number_may_end(const ts_json *js);
ts_code json_number_end(ts_json *js);

/* ---- json_ints.c ---- */

/*
 * json_scan_ints reads elements of the form: integer, white space, comma, from *at, which is
 * where an element may begin (white space before it is allowed). Writes at most `room` values to
 * `out`, returns their number and moves *at to where the next element may begin. It takes only what
 * is beyond doubt: an element that is longer than 18 digits, malformed, too near to `end` or not
 * followed by a comma is left to the caller, who reads it byte by byte.
 */
size_t json_plain_scan_ints(const char **at, const char *end, int64_t *out, size_t room);

/* ---- json_bytes.c ---- */

/*
 * json_copy_text copies text to *out and moves it on, with the escapes of one letter resolved, as
 * long as it is simple: stops before the closing quote, control characters, other escapes, bytes of
 * 0x80 and above (unless any_byte) and some bytes before `end` or `out_end`. Between *out and
 * `out_end` it may leave anything.
 */
const char *json_plain_copy_text(char **out, const char *out_end, const char *p, const char *end,
                                 bool any_byte);

/* json_scan_bytes: the first byte of [p, end) that is '"', '\' or a control character; `end` when
 * there is none. */
const char *json_plain_scan_bytes(const char *p, const char *end);

/* json_scan_text: the same, but it also stops at what is not a complete, well-formed UTF-8
 * sequence. */
const char *json_plain_scan_text(const char *p, const char *end);

/* Each of the four comes in a second way for processors that have it, the first two also in a
 * third, and reads the same. */
#if JSON_HAS_SSE2
size_t json_sse2_scan_ints(const char **at, const char *end, int64_t *out, size_t room);
const char *json_sse2_copy_text(char **out, const char *out_end, const char *p, const char *end,
                                bool any_byte);
const char *json_sse2_scan_bytes(const char *p, const char *end);
const char *json_sse2_scan_text(const char *p, const char *end);
#define JSON_BEST(name) json_sse2_##name
#else
#define JSON_BEST(name) json_plain_##name
#endif
#define json_scan_bytes JSON_BEST(scan_bytes)
#define json_scan_text JSON_BEST(scan_text)

#if JSON_HAS_AVX2
/* Only where json_may_avx2 says so. */
size_t json_avx2_scan_ints(const char **at, const char *end, int64_t *out, size_t room);
const char *json_avx2_copy_text(char **out, const char *out_end, const char *p, const char *end,
                                bool any_byte);

static inline bool json_may_avx2(void)
{
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi");
}
#endif

static inline json_ints_call *json_best_scan_ints(void)
{
#if JSON_HAS_AVX2
    if (json_may_avx2()) {
        return json_avx2_scan_ints;
    }
#endif
    return JSON_BEST(scan_ints);
}

static inline json_copy_call *json_best_copy_text(void)
{
#if JSON_HAS_AVX2
    if (json_may_avx2()) {
        return json_avx2_copy_text;
    }
#endif
    return JSON_BEST(copy_text);
}

static inline bool json_is_space(char c)
{
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

static inline bool json_is_digit(char c)
{
    return (unsigned char)(c - '0') < 10;
}

static inline const char *json_skip_space(const char *p, const char *end)
{
    while (p < end && json_is_space(*p)) {
        p++;
    }
    return p;
}

/* Eight bytes; the first one is the least significant. */
static inline uint64_t json_load64(const char *p)
{
    uint64_t w;
    memcpy(&w, p, sizeof w);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    w = __builtin_bswap64(w);
#endif
    return w;
}

#endif
