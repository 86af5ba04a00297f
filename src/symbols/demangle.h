/*
 * Names of C++ and Rust functions as their programmers write them.
 *
 * Only names that begin `_Z` or `_R` are looked at: a function of C may be called `f`, which is
 * also how a compiler writes the type float. A name that is no mangled one, or that is too long,
 * stays as it is.
 */
#ifndef TS_SYMBOLS_DEMANGLE_H
#define TS_SYMBOLS_DEMANGLE_H

#include "base/buf.h"

enum {
    TS_DEMANGLE_NAME = 1024,     /* bytes of a name; the library refuses longer ones */
    TS_DEMANGLE_TEXT = 64 * 1024 /* bytes of the result; a short name could expand to 2^100 */
};

/*
 * *out is the name as written, in `b`, whose bytes it replaces, or `name` itself. It is valid until
 * `b` changes. Fails with TS_ERR_NOMEM or TS_ERR_LIMIT.
 */
ts_code ts_demangle(ts_text *out, ts_ctx *ctx, ts_buf *b, ts_text name);

#endif
