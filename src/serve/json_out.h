/*
 * Writing JSON as a stream: to a function, a block at a time, in one line unless ts_jout_line is
 * called. Commas are set by the writer; texts are well-formed whatever their bytes are.
 */
#ifndef TS_SERVE_JSON_OUT_H
#define TS_SERVE_JSON_OUT_H

#include "base/buf.h"

/* The largest integer to which a JavaScript number is exact. */
#define TS_JOUT_EXACT 9007199254740991

/* Takes len bytes; anything but 0 ends the writing. */
typedef int (*ts_jout_write)(void *user, const void *bytes, size_t len);

/*
 * A writer. The first failure is kept in `code`, and calls after it do nothing: TS_ERR_NOMEM or
 * TS_ERR_LIMIT, and TS_ERR_OUTPUT when `write` refused. key NULL: an element of an array.
 */
typedef struct ts_jout {
    ts_ctx *ctx;
    ts_jout_write write;
    void *user;
    ts_code code;
    bool ints_as_text; /* integers beyond TS_JOUT_EXACT are texts */
    bool comma;        /* the next member is not the first */
    uint64_t written;  /* bytes that `write` took */
    ts_buf buf;        /* what it has not got yet */
} ts_jout;

/* Nothing is allocated. The caller ends it with ts_jout_end. */
void ts_jout_begin(ts_jout *j, ts_ctx *ctx, ts_jout_write write, void *user);

/* Hands what is left to `write`, unless something failed, and frees the writer's memory. */
ts_code ts_jout_end(ts_jout *j);

/* Hands everything to `write` now. */
void ts_jout_flush(ts_jout *j);

/* Keeps a failure of something else, so that the writer stops too. */
void ts_jout_fail(ts_jout *j, ts_code code);

void ts_jout_open(ts_jout *j, const char *key, char bracket);     /* '{' or '[' */
void ts_jout_close(ts_jout *j, char bracket);                     /* '}' or ']' */
void ts_jout_text(ts_jout *j, const char *key, ts_text value);    /* p NULL: null */
void ts_jout_str(ts_jout *j, const char *key, const char *value); /* NULL: null */
void ts_jout_int(ts_jout *j, const char *key, int64_t value);
void ts_jout_uint(ts_jout *j, const char *key, uint64_t value);
void ts_jout_real(ts_jout *j, const char *key, double value); /* shortest exact; not finite: null */
void ts_jout_bool(ts_jout *j, const char *key, bool value);
void ts_jout_null(ts_jout *j, const char *key);
void ts_jout_base64(ts_jout *j, const char *key, ts_text bytes); /* a text of base64 (RFC 4648) */

/* A value that is JSON already, such as a reply that was kept. */
void ts_jout_raw(ts_jout *j, const char *key, ts_text json);

/* A line break, for documents whose elements are in lines of their own. */
void ts_jout_line(ts_jout *j);

/* Appends base64 with padding. */
ts_code ts_base64(ts_ctx *ctx, ts_buf *out, const void *bytes, size_t n);

/* The shortest digits that give this finite number again, with a point or an exponent; digits has
 * 32 bytes. Returns the length. */
size_t ts_shortest_real(char digits[32], double value);

#endif
