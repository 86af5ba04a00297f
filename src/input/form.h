/*
 * What is before the parts of a form, and before the bytes of a part: lines of a request, of
 * headers, and boundaries. All functions are pure. Docs: docs/formats.md, "Datakit uploads".
 */
#ifndef TS_INPUT_FORM_H
#define TS_INPUT_FORM_H

#include "base/text.h"

#include <stdint.h>

enum { FORM_HEAD_MAX = 64 * 1024 /* bytes of the head of a request, and of that of a part */ };

/* The next line without its end; *at: after it. False: there is no whole line. */
bool form_line(ts_text *line, size_t *at, const char *p, size_t n);

/* The head of a request. */
typedef struct form_head {
    size_t body;      /* where the body begins; 0: the head is not complete */
    bool multipart;   /* its content is a form */
    bool chunked;     /* its body comes in chunks */
    bool encoded;     /* its transfer is encoded in another way */
    int64_t length;   /* Content-Length, or -1 */
    ts_text target;   /* path of the request, or NULL */
    ts_text boundary; /* or NULL */
} form_head;

/* False: these are not lines of a request or of headers. */
bool form_head_read(form_head *out, const char *p, size_t n);

/* The head of a part. */
typedef struct form_part {
    ts_text name;     /* of the field, or NULL */
    ts_text filename; /* without folders, or NULL */
    bool value;       /* no file */
} form_part;

/* Takes a line of it. */
void form_part_line(form_part *part, ts_text line);

/* The line "--boundary" at the beginning of a body, without blanks after it; NULL: none. */
ts_text form_first_boundary(const char *p, size_t n);

#endif
