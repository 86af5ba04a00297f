/*
 * The streaming JSON reader (RFC 8259). Push-driven: it is fed blocks of any size, ends of blocks
 * may fall anywhere (inside a number, an escape, a UTF-8 sequence, a surrogate pair), and it calls
 * a handler. It never holds a document, never recurses, and keeps two bits per open level.
 *
 * Strings come in pieces, so a string of any length costs no memory. Numbers come as int64 where
 * they fit. Inside an array whose array_begin asked for it, runs of integers come in batches: that
 * is the way of the flat arrays of heap snapshots, and the reader has its own fast path for it.
 *
 * The reader checks everything RFC 8259 asks for (separators, literals, numbers, control
 * characters in strings, one value per document). A byte order mark at the start is skipped.
 */
#ifndef TS_JSON_JSON_H
#define TS_JSON_JSON_H

#include "base/context.h"

typedef enum ts_json_kind { TS_JSON_NULL, TS_JSON_FALSE, TS_JSON_TRUE } ts_json_kind;

/* Flags of a string piece. A short string comes as one piece with both. Pieces may be empty. */
enum { TS_JSON_FIRST = 1, TS_JSON_LAST = 2 };

/* What array_begin may ask for. */
enum { TS_JSON_PLAIN = 0, TS_JSON_WANT_INTS = 1 };

typedef struct ts_json_number {
    bool is_int; /* value fits int64 and has no fraction; 1e3 and 5.0 count, 0.5 and 1e30 do not */
    int64_t i;   /* valid when is_int */
    double d;    /* nearest double, always valid (finite; overflow gives +-DBL_MAX) */
    const char *p; /* the text as written, borrowed for the call; cut after 64 bytes */
    size_t n;
} ts_json_number;

/*
 * The handler. NULL members are skipped. Each returns TS_OK, or a code that ends the feed at once
 * (the reader is then dead and keeps returning that code). Keys always come before their value.
 */
typedef struct ts_json_handler {
    ts_code (*object_begin)(void *user);
    ts_code (*object_end)(void *user);
    /* May set *want to TS_JSON_WANT_INTS. */
    ts_code (*array_begin)(void *user, int *want);
    ts_code (*array_end)(void *user);
    /* The whole key, cleaned; cut after TS_JSON_KEY_MAX bytes. */
    ts_code (*key)(void *user, const char *p, size_t n);
    ts_code (*string)(void *user, const char *p, size_t n, unsigned flags);
    ts_code (*number)(void *user, const ts_json_number *number);
    ts_code (*literal)(void *user, ts_json_kind kind);
    /* Consecutive integer elements (is_int) of an array that asked for them; n >= 1. Any other
     * element of that array comes through its ordinary call, in order. Batches are passed on at the
     * latest at the end of each feed. When this is NULL, asking for integers has no effect. */
    ts_code (*ints)(void *user, const int64_t *v, size_t n);
} ts_json_handler;

enum { TS_JSON_KEY_MAX = 1024 };

typedef enum ts_json_status {
    TS_JSON_MORE, /* the document is not complete yet */
    TS_JSON_DONE, /* one complete value has been read; only white space may follow */
    TS_JSON_BAD   /* malformed: see position and reason; feeding on does nothing */
} ts_json_status;

/* Options of ts_json_new. */
enum {
    /*
     * The strings are themselves text that goes on in other strings (chunks): they are passed on as
     * bytes without any UTF-8 check, and an escaped surrogate that has no partner in the same
     * string is passed on as its three bytes ED A0..BF 80..BF, so that the inner reader can join
     * the halves. Keys are cleaned all the same.
     */
    TS_JSON_RAW_STRINGS = 1
};

typedef struct ts_json ts_json;

/* Caller frees with ts_json_free. The handler struct is borrowed for the reader's life. */
ts_code ts_json_new(ts_json **out, ts_ctx *ctx, const ts_json_handler *handler, void *user,
                    unsigned options);
void ts_json_free(ts_json *js);

/* Back to the start of a new document, keeping buffers. Counters and position start at 0 again. */
void ts_json_reset(ts_json *js);

/*
 * Feeds n bytes. Returns TS_OK also when the text is malformed (that is the input's defect: ask
 * ts_json_state); a code only from the handler, from memory, or TS_ERR_LIMIT never (too deep a
 * document is TS_JSON_BAD with that reason). After TS_JSON_DONE further non-blank bytes make it
 * BAD.
 */
ts_code ts_json_feed(ts_json *js, const char *p, size_t n);

/* The input ends here: completes a top-level number; an incomplete document becomes BAD. A number
 * at the end of an array that was cut off is not reported: digits of it may be missing. */
ts_code ts_json_finish(ts_json *js);

ts_json_status ts_json_state(const ts_json *js);

/* Bytes consumed; for BAD the offset of the bad byte. Inside a call of the handler it is the byte
 * after the item, except in ints and in pieces of a string before its last one. */
uint64_t ts_json_position(const ts_json *js);
const char *ts_json_reason(const ts_json *js); /* for BAD: "expected ',' or ']'", static text */
uint64_t ts_json_depth(const ts_json *js);     /* open arrays and objects; inside array_begin and
                                                * object_begin the new level counts, inside the
                                                * _end calls it no longer does */
uint64_t ts_json_replaced(const ts_json *js);  /* ill-formed parts of strings that became U+FFFD */

/*
 * In strings: a surrogate pair may come as two escapes, as two 3-byte sequences (see
 * TS_JSON_RAW_STRINGS) or mixed: it is joined. An unpaired one, and every ill-formed byte, becomes
 * U+FFFD and counts as replaced (unless TS_JSON_RAW_STRINGS). \u0000 gives a zero byte.
 */

#endif
