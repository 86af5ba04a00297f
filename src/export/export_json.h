/* JSON strings for readers that expect text as it is: only what JSON or a terminal needs escaped
 * is. */
#ifndef TS_EXPORT_EXPORT_JSON_H
#define TS_EXPORT_EXPORT_JSON_H

#include "base/buf.h"
#include "export/export_text.h"

/* Appends the text as a JSON string with its quotation marks; bytes that are no UTF-8 become
 * U+FFFD. */
ts_code ts_json_string(ts_ctx *ctx, ts_buf *out, ts_text text);

/* The same, to a writer. */
void ts_write_json_string(ts_writer *w, ts_text text);

#endif
