/*
 * Texts of the recorded program become tokens that keep their shape. A text is cut into pieces of
 * letters, digits, '_' and bytes outside ASCII; what is between them stays, so packages keep their
 * depth and paths their folders. The token of a piece depends on the key and the piece alone:
 * equal pieces have equal tokens, in all columns and in all databases with that key.
 *
 *   * Up to TS_TOKEN_EXACT characters of ASCII: as many characters, by format-preserving
 * encryption, so different pieces have different tokens. The first one stays a digit, a capital or
 * another letter, and digits alone stay digits alone.
 *   * Longer, not ASCII, or such a word: 24 to 128 characters of a hash, so that the length is
 * known by its class only, and different pieces have different tokens but for a chance of 2^-127.
 *   * The extension of a file stays when it is a known one.
 *
 * What has blanks, is long or is punctuation for the most part is no name but a sentence, a
 * statement or a piece of source code, and becomes a single token; texts of TS_TEXT_NAME are cut
 * all the same.
 *
 * Encryption is an alternating Feistel network of ten rounds. Its function, and the hash, is
 * SipHash-2-4. Whoever has the key can find texts by trying; whoever does not, sees lengths, how
 * often a piece occurs, and what refers to what.
 */
#ifndef TS_TABLES_REDACT_TEXT_H
#define TS_TABLES_REDACT_TEXT_H

#include "base/buf.h"
#include "base/hash.h"
#include "base/pool.h"
#include "tables/schema.h"

/* What becomes tokens. */
typedef enum ts_redact_level {
    TS_REDACT_STRINGS, /* TS_TEXT_VALUE, values in JSON, words and numbers that are none */
    TS_REDACT_NAMES,   /* and TS_TEXT_NAME */
    TS_REDACT_ALL      /* and TS_TEXT_PLACE */
} ts_redact_level;

enum { TS_TOKEN_EXACT = 18, TS_TOKEN_MOST = 128, TS_REDACT_CUT = 256 };

typedef struct ts_redactor {
    ts_ctx *ctx;
    ts_hash_key key;
    ts_redact_level level;
    bool (*keep)(void *user, ts_text text); /* texts that stay whatever they are; NULL: none do */
    void *user;
    /* Told of each piece, and of each text that is one token, before it is appended. NULL: none. */
    ts_code (*learn)(void *user, ts_text token, ts_text piece);
    ts_pool words;
    ts_buf out;
} ts_redactor;

/* `key`, `level`, `keep`, `user` and `learn` are the caller's; the words are made. Freed with
 * ts_redactor_free, also after an error. */
ts_code ts_redactor_init(ts_redactor *r, ts_ctx *ctx);
void ts_redactor_free(ts_redactor *r);

/* *out: `text` itself, or its token, valid until the next call. */
ts_code ts_redact_text(ts_text *out, ts_redactor *r, ts_text_class class, ts_text text);

/* The same for an entry of a dictionary, which is a name or a value: words stay, sentences do not.
 */
ts_code ts_redact_entry(ts_text *out, ts_redactor *r, ts_text text);

/* Whether the byte is one of those that pieces are made of. */
bool ts_redact_is_piece(char c);

/* Words that this program knows: of its questions and views, states, units, kinds (redact_words.c).
 * Interned into the pool. */
ts_code ts_redact_add_words(ts_pool *words, ts_ctx *ctx);

#endif
