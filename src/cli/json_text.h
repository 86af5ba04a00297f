/* Writing JSON text: well-formed whatever the texts are. Commas are set by the writer. */
#ifndef TS_CLI_JSON_TEXT_H
#define TS_CLI_JSON_TEXT_H

#include "base/buf.h"

/*
 * A writer into a buffer. The first failure (out of memory) is kept in `code`; calls after it do
 * nothing. key NULL: an element of an array.
 */
typedef struct ts_json_text {
    ts_ctx *ctx;
    ts_buf *out;
    ts_code code;
    bool comma; /* the next member is not the first */
    int depth;
    int flat; /* members of this depth and deeper are in one line; 0: each in its own */
} ts_json_text;

void ts_json_open(ts_json_text *j, const char *key, char bracket); /* '{' or '[' */
void ts_json_close(ts_json_text *j, char bracket);                 /* '}' or ']' */
void ts_json_str(ts_json_text *j, const char *key, ts_text value); /* NULL: null */
void ts_json_u64(ts_json_text *j, const char *key, uint64_t value);
void ts_json_i64(ts_json_text *j, const char *key, int64_t value);
/* A number as SQLite writes it; infinite ones, which JSON lacks, become 9e999, too large for all.
 */
void ts_json_number(ts_json_text *j, const char *key, ts_text value);
/* The bytes as a string of hexadecimal digits. */
void ts_json_hex(ts_json_text *j, const char *key, ts_text value);
void ts_json_seconds(ts_json_text *j, const char *key, double seconds);
void ts_json_bool(ts_json_text *j, const char *key, bool value);

#endif
