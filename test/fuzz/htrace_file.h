/* For fuzzers that make .htrace recordings of their input: one section with a header and segments.
 */
#ifndef TS_FUZZ_HTRACE_FILE_H
#define TS_FUZZ_HTRACE_FILE_H

#include "import_check.h"

/* Bytes of the header, and the most that a segment has beside its name and its data. */
enum { FILE_HEADER = 1024, FILE_MORE = 64 };

/* A recording; `most`: bytes of segments. The caller frees it. */
static inline uint8_t *file_begin(size_t *size, size_t most)
{
    uint8_t *file = calloc(1, FILE_HEADER + most);
    check(file != NULL);
    memcpy(file, "OHOSPROF", 8);
    file[18] = 1;
    file[60] = 100; /* boottime */
    file[70] = 1;   /* realtime, 65 536 */
    *size = FILE_HEADER;
    return file;
}

/* The header says how long the section is; the recording is imported and freed. */
static inline void file_import(fuzz_run *r, uint8_t *file, size_t size, uint64_t cuts)
{
    for (unsigned i = 0; i < 8; i++) {
        file[8 + i] = (uint8_t)((uint64_t)size >> (8 * i));
    }
    fuzz_import_format(r, &ts_format_htrace, file, size, cuts);
    free(file);
}

static inline uint8_t *put_varint(uint8_t *p, uint64_t v)
{
    for (; v >= 0x80; v >>= 7) {
        *p++ = (uint8_t)(v | 0x80);
    }
    *p++ = (uint8_t)v;
    return p;
}

/* A field of bytes; `missing` of those that it announces do not come. */
static inline uint8_t *put_bytes(uint8_t *p, uint8_t tag, const void *data, size_t n,
                                 size_t missing)
{
    *p++ = tag;
    p = put_varint(p, n + missing);
    if (n > 0) {
        memcpy(p, data, n);
    }
    return p + n;
}

/* What a segment is. */
typedef struct file_segment {
    const char *name;
    const uint8_t *data;
    size_t n;
    bool garbage; /* bytes that are no segment stand before it */
    bool timed;
    uint8_t sec;
    size_t missing; /* bytes of its data */
} file_segment;

/* Puts it at `out`; its size. */
static inline size_t file_segment_put(uint8_t *out, const file_segment *s)
{
    uint8_t *p = out;
    uint8_t *body;
    if (s->garbage) {
        memcpy(p, "\xff\xff\xff\xff--", 6);
        p += 6;
    }
    body = put_bytes(p + 4, 0x0a, s->name, strlen(s->name), 0);
    body = put_bytes(body, 0x1a, s->data, s->n, s->missing);
    if (s->timed) {
        *body++ = 0x28;
        body = put_varint(body, s->sec);
        *body++ = 0x30;
        body = put_varint(body, 7);
    }
    for (unsigned i = 0; i < 4; i++) {
        p[i] = (uint8_t)((size_t)(body - p - 4) >> (8 * i));
    }
    return (size_t)(body - out);
}

#endif
