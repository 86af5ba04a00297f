/* What the rules of languages (tables/frame_names.h) make of the columns of stack_method. */
#ifndef TS_EXPORT_EXPORT_LANGUAGE_H
#define TS_EXPORT_EXPORT_LANGUAGE_H

#include "base/buf.h"

typedef struct ts_named {
    ts_text name, cls, package, library, signature; /* none is NULL */
} ts_named;

/*
 * Appends the method's text for people to *text: of Java "Ret Class.name(Arg, Arg)", of Go
 * "(*T).name", else its name. Of Java a class with a package in front is divided, and what only
 * tells hidden classes apart goes; of Go the class becomes the bare type. language: as profiles
 * name it. Texts of *m may borrow from *scratch afterwards, which is emptied first.
 */
ts_code ts_language_method(ts_ctx *ctx, ts_buf *text, ts_buf *scratch, ts_named *m,
                           ts_text language);

#endif
