/*
 * Writing JSON: to a buffer, or as a stream to a function, a block at a time. Commas are set by the
 * writer; texts are well-formed whatever their bytes are.
 */
#ifndef TS_BASE_JSON_OUT_H
#define TS_BASE_JSON_OUT_H

#include "base/buf.h"

/* The largest integer to which a JavaScript number is exact. */
#define TS_JOUT_EXACT 9007199254740991

/* What of a text is escaped beside quotation marks, backslashes and control characters. Bytes that
 * are no UTF-8 become U+FFFD. */
enum {
    TS_JOUT_PLAIN = 0,
    TS_JOUT_LETTERS = 1, /* \b, \f, \n, \r and \t have their letter, as JSON.stringify has them */
    TS_JOUT_STEERS = 2,  /* what could steer a terminal (base/utf8.h) */
    TS_JOUT_MARKUP = 4,  /* "<", ">" and "&": the text may be in a script of an HTML page */
};

/* Takes len bytes; anything but 0 ends the writing. It may say why by ts_jout_fail. */
typedef int (*ts_jout_write)(void *user, const void *bytes, size_t len);

/*
 * A writer. The first failure is kept in `code`, and calls after it do nothing: TS_ERR_NOMEM or
 * TS_ERR_LIMIT, and TS_ERR_OUTPUT when `write` refused. key NULL: an element of an array, or the
 * value of ts_jout_key.
 */
typedef struct ts_jout {
    ts_ctx *ctx;
    ts_jout_write write; /* NULL: everything stays in `to` */
    void *user;
    ts_buf *to; /* what is written into; NULL: `buf` */
    ts_code code;
    unsigned escapes;   /* TS_JOUT_STEERS unless it is changed */
    bool ints_as_text;  /* integers beyond TS_JOUT_EXACT are texts */
    bool comma;         /* the next member is not the first */
    bool keyed;         /* its key is written */
    bool null_is_empty; /* texts whose p is NULL are not null */
    bool spaced;        /* blanks after commas and colons, and members in lines of their own */
    int depth;
    int flat;         /* spaced: members of this depth and deeper are in one line; 0: none */
    uint64_t written; /* bytes that `write` took */
    ts_buf buf;       /* what it has not got yet */
} ts_jout;

/* Nothing is allocated. The caller ends it with ts_jout_end. */
void ts_jout_begin(ts_jout *j, ts_ctx *ctx, ts_jout_write write, void *user);

/* A writer that appends to a buffer of the caller, who ends it by asking for its code. */
ts_jout ts_jout_into(ts_ctx *ctx, ts_buf *to);

/* The same for texts that people read: spaced, with lines down to the depth `flat`. */
ts_jout ts_jout_spaced(ts_ctx *ctx, ts_buf *to, int flat);

/* Hands what is left to `write`, unless something failed, and frees the writer's memory. */
ts_code ts_jout_end(ts_jout *j);

/* Hands everything to `write` now. */
void ts_jout_flush(ts_jout *j);

/* Keeps a failure of something else, so that the writer stops too. */
void ts_jout_fail(ts_jout *j, ts_code code);

void ts_jout_open(ts_jout *j, const char *key, char bracket);     /* '{' or '[' */
void ts_jout_close(ts_jout *j, char bracket);                     /* '}' or ']' */
void ts_jout_ends(ts_jout *j, const char *brackets);              /* several: "]}" */
void ts_jout_text(ts_jout *j, const char *key, ts_text value);    /* p NULL: null */
void ts_jout_str(ts_jout *j, const char *key, const char *value); /* NULL: null */
void ts_jout_int(ts_jout *j, const char *key, int64_t value);
void ts_jout_uint(ts_jout *j, const char *key, uint64_t value);
void ts_jout_real(ts_jout *j, const char *key, double value); /* shortest exact; not finite: null */
void ts_jout_seconds(ts_jout *j, const char *key, double seconds); /* negative ones are 0 */
void ts_jout_bool(ts_jout *j, const char *key, bool value);
void ts_jout_null(ts_jout *j, const char *key);
void ts_jout_base64(ts_jout *j, const char *key, ts_text bytes); /* a text of base64 (RFC 4648) */

/* A key that is no constant; its value is the next one, with the key NULL. */
void ts_jout_key(ts_jout *j, ts_text key);

/* A value that is JSON already, such as a reply that was kept. */
void ts_jout_raw(ts_jout *j, const char *key, ts_text json);

/* The same, formatted; fewer than 400 bytes. */
void ts_jout_printf(ts_jout *j, const char *key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Bytes between values, and around the document: they change nothing about commas. */
void ts_jout_put(ts_jout *j, const char *p, size_t n);
void ts_jout_put_str(ts_jout *j, const char *s);
void ts_jout_put_int(ts_jout *j, int64_t v);

/* A line break, for documents whose elements stand in lines of their own. */
void ts_jout_line(ts_jout *j);

/* The comma, if one is due, and a line break after it: the next element begins a line. */
void ts_jout_next_line(ts_jout *j);

/* Appends the text as a JSON string with its quotation marks. */
ts_code ts_json_quote(ts_ctx *ctx, ts_buf *out, ts_text text, unsigned escapes);

/* The shortest digits that give this finite number again, with a point or an exponent; digits has
 * 32 bytes. Returns the length. */
size_t ts_shortest_real(char digits[32], double value);

/* The same without an exponent, for formats that know none. False: the number is not finite. */
enum { TS_REAL_DIGITS = 400 };
bool ts_plain_real(char out[TS_REAL_DIGITS], double value);

#endif
