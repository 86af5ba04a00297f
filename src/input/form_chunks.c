/*
 * Bodies that were sent in chunks (RFC 9112, 7.1): a line with the size in hexadecimal digits,
 * perhaps with extensions, as many bytes, the end of a line; at last a chunk of size 0 and lines of
 * trailers up to a blank one. The body goes into a spool, with the head of the request before it,
 * so that the reader of the form sees no chunks. A chunk whose bytes no line end follows has a
 * wrong size or has lost bytes in an unknown place: it and what follows is left out.
 */
#include "input/archive_private.h"
#include "input/form.h"

#include <inttypes.h>

enum { CHUNK_LINE = 4096, CHUNK_DIGITS = 15, CHUNK_END = 2 };

typedef struct form_chunks {
    ts_archive *ar;
    ts_spool *out;
    uint64_t at;
    uint64_t good;     /* bytes of the spool that stay */
    bool bare;         /* the last line ended with LF only */
    const char *fault; /* what is wrong; NULL: nothing yet */
    uint64_t fault_at;
} form_chunks;

static void chunk_fault(form_chunks *c, uint64_t at, const char *what)
{
    c->fault = what;
    c->fault_at = at;
}

/* The next line, up to `most` bytes of it; without one there is a fault. */
static ts_code chunk_line(ts_text *line, form_chunks *c, size_t most, const char *cut)
{
    const uint8_t *p;
    size_t n;
    size_t used = 0;
    ts_code code = ts_archive_window(&p, &n, c->ar, c->at, most);
    *line = TS_TEXT_NULL;
    if (code != TS_OK) {
        return code;
    }
    n = n < most ? n : most;
    if (!form_line(line, &used, (const char *)p, n)) {
        chunk_fault(c, c->at, n < most ? cut : "a line of the chunks of the body is too long");
    }
    c->bare = used < 2 || p[used - 2] != '\r';
    c->at += used;
    return TS_OK;
}

/* The size in front of a line: blanks or an extension may follow it. */
static bool chunk_size(uint64_t *size, ts_text line)
{
    size_t i = 0;
    *size = 0;
    for (; i < line.n && i <= CHUNK_DIGITS; i++) {
        static const char digits[] = "0123456789abcdefABCDEF";
        const char *digit = line.p[i] == '\0' ? NULL : strchr(digits, line.p[i]);
        if (digit == NULL) {
            break;
        }
        *size = *size << 4 | (uint64_t)(digit - digits < 16 ? digit - digits : digit - digits - 6);
    }
    return i > 0 && i <= CHUNK_DIGITS &&
           (i == line.n || line.p[i] == ';' || line.p[i] == ' ' || line.p[i] == '\t');
}

/* Copies n bytes. */
static ts_code chunk_copy(form_chunks *c, uint64_t n)
{
    ts_code code = TS_OK;
    while (n > 0 && code == TS_OK && c->fault == NULL) {
        const uint8_t *p;
        size_t got;
        code = ts_archive_window(&p, &got, c->ar, c->at, 1);
        got = got < n ? got : (size_t)n;
        if (code == TS_OK && got == 0) {
            chunk_fault(c, c->at, "the body of the request ends within a chunk");
        }
        TS_STEP(code, ts_spool_write(c->out, p, got));
        c->at += got;
        n -= got;
    }
    return code;
}

/* The end of the line after the bytes of a chunk, as that before them: they are good then, or when
 * they are cut. */
static ts_code chunk_end(form_chunks *c, uint64_t begin)
{
    const uint8_t *p;
    size_t n;
    if (c->fault != NULL) {
        c->good = ts_spool_size(c->out);
        return TS_OK;
    }
    TS_TRY(ts_archive_window(&p, &n, c->ar, c->at, CHUNK_END));
    if (c->bare && n >= 1 && p[0] == '\n') {
        c->at += 1;
    } else if (!c->bare && n >= CHUNK_END && p[0] == '\r' && p[1] == '\n') {
        c->at += CHUNK_END;
    } else if (n == 0 || (n == 1 && p[0] == '\r')) {
        chunk_fault(c, c->at, "the body of the request ends after a chunk");
    } else {
        chunk_fault(c, begin, "a chunk of the body has another size than it says");
        return TS_OK;
    }
    c->good = ts_spool_size(c->out);
    return TS_OK;
}

/* What follows the last chunk. */
static ts_code chunk_trailers(form_chunks *c)
{
    uint64_t begin = c->at;
    ts_text line = {"", 1};
    ts_code code = TS_OK;
    while (code == TS_OK && line.n > 0 && c->fault == NULL) {
        code = chunk_line(&line, c, CHUNK_LINE, "the body of the request ends within its trailers");
        if (c->at - begin > FORM_HEAD_MAX) {
            chunk_fault(c, begin, "the trailers of the request are longer than 64 KiB");
        }
    }
    return code;
}

static ts_code chunk_all(form_chunks *c)
{
    uint64_t size = 1;
    ts_code code = TS_OK;
    while (code == TS_OK && size > 0 && c->fault == NULL) {
        uint64_t begin = c->at;
        ts_text line;
        code =
            chunk_line(&line, c, CHUNK_LINE, "the body of the request ends before its last chunk");
        if (code != TS_OK || c->fault != NULL) {
            break;
        }
        if (!chunk_size(&size, line)) {
            chunk_fault(c, begin, "a chunk of the body has no size");
        } else if (size > 0 && (code = chunk_copy(c, size)) == TS_OK) {
            code = chunk_end(c, begin);
        }
    }
    TS_STEP_IF(code, c->fault == NULL, chunk_trailers(c));
    return code;
}

ts_code ts_form_dechunk(ts_archive *ar, uint64_t body)
{
    form_chunks c = {.ar = ar};
    ts_blob *blob = NULL;
    ts_code code;
    TS_TRY_INTO(code, ts_spool_new(&c.out, ar->ctx));
    if ((code = chunk_copy(&c, body)) == TS_OK) {
        c.good = ts_spool_size(c.out);
        code = chunk_all(&c);
    }
    TS_STEP(code, ts_blob_decoded(&blob, ar->blob, c.out, c.good));
    if (code != TS_OK) {
        ts_spool_free(c.out);
        return code;
    }
    ar->chunks = (ts_form_chunks){true, c.fault, c.fault_at, c.at, ts_blob_size(ar->blob) - c.at};
    ts_blob_close(ar->blob);
    ar->blob = blob;
    ar->block_off = 0;
    ar->block_n = 0;
    return TS_OK;
}
