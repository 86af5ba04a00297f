/*
 * The demanglers are those of libiberty, in the forms that give their text piece by piece: they
 * use the stack only: nothing leaks when one is left early, and none can abort the program for want
 * of memory. A name of a hundred bytes can expand to more text than fits any memory, because it may
 * refer to its own parts again and again. A demangler cannot be asked to stop, so that it is left
 * by longjmp when the text gets too long.
 */
#include "symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>

typedef struct demangled {
    ts_ctx *ctx;
    ts_buf *text;
    ts_code code;
    jmp_buf enough;
} demangled;

static void take_piece(const char *p, size_t n, void *opaque)
{
    demangled *d = (demangled *)opaque;
    if (n > TS_DEMANGLE_TEXT - d->text->n) {
        longjmp(d->enough, 1);
    }
    d->code = ts_buf_put(d->ctx, d->text, p, n);
    if (d->code != TS_OK) {
        longjmp(d->enough, 1);
    }
}

/* Whether the name was one of theirs; false as well when it was left. */
static bool demangle(demangled *d, const char *name)
{
    enum { OPTIONS = DMGL_PARAMS | DMGL_ANSI };
    if (setjmp(d->enough) != 0) {
        return false;
    }
    if (rust_demangle_callback(name, OPTIONS, take_piece, d) != 0) {
        return true;
    }
    d->text->n = 0;
    return name[1] == 'Z' && cplus_demangle_v3_callback(name, OPTIONS, take_piece, d) != 0;
}

ts_code ts_demangle(ts_text *out, ts_ctx *ctx, ts_buf *b, ts_text name)
{
    char text[TS_DEMANGLE_NAME + 1];
    *out = name;
    if (name.n < 3 || name.n > TS_DEMANGLE_NAME || name.p[0] != '_' ||
        (name.p[1] != 'Z' && name.p[1] != 'R') || memchr(name.p, 0, name.n) != NULL) {
        return TS_OK;
    }
    memcpy(text, name.p, name.n);
    text[name.n] = 0;
    b->n = 0;
    demangled d = {.ctx = ctx, .text = b, .code = TS_OK};
    if (demangle(&d, text) && b->n > 0) {
        *out = ts_buf_text(b);
    }
    return d.code;
}
