/* Writing text and bytes to an ts_export_output, through a buffer. */
#ifndef TS_EXPORT_EXPORT_TEXT_H
#define TS_EXPORT_EXPORT_TEXT_H

#include "base/buf.h"
#include "export/export.h"

enum { TS_WRITER_BLOCK = 32 * 1024 };

/*
 * The first failure is kept in `code`; calls after it do nothing. ts_writer_end writes what is
 * left and gives the code; the caller calls it once, also after a failure.
 */
typedef struct ts_writer {
    ts_ctx *ctx;
    const ts_export_output *out;
    ts_code code;
    size_t n;
    char block[TS_WRITER_BLOCK];
} ts_writer;

void ts_writer_begin(ts_writer *w, ts_ctx *ctx, const ts_export_output *out);
ts_code ts_writer_end(ts_writer *w);

void ts_write(ts_writer *w, const char *p, size_t n);
void ts_write_str(ts_writer *w, const char *s);
void ts_write_char(ts_writer *w, char c);
void ts_write_i64(ts_writer *w, int64_t v);

/* Keeps a failure of something else, so that the writer stops too. */
void ts_writer_fail(ts_writer *w, ts_code code);

#endif
