/*
 * Names of frames, by language: which of their parts are package, class, method and library, and
 * how Java's are written for people. Profiles in many formats and their exports share these rules.
 *
 * Package, class and name, joined by '.', are what the profiler calls the function, so that a
 * method is shown as people know it; ts_frame_class gives the bare type.
 */
#ifndef TS_TABLES_FRAME_NAMES_H
#define TS_TABLES_FRAME_NAMES_H

#include "base/buf.h"

typedef enum ts_language {
    TS_LANG_UNKNOWN,
    TS_LANG_JAVA,
    TS_LANG_GO,
    TS_LANG_PYTHON,
    TS_LANG_NODEJS,
    TS_LANG_PHP,
    TS_LANG_DOTNET,
    TS_LANG_RUBY,
    TS_LANG_RUST,
    TS_LANG_CPP
} ts_language;

/* Of what profilers call a language ("go", "Golang", "jvm", "node.js"), in letters of any case. */
ts_language ts_language_of(ts_text name);

/* What it is called in profiles ("golang"); NULL when it is not known. Static text. */
const char *ts_language_name(ts_language language);

/* The language that the name of a source file shows: Go or Python. */
ts_language ts_language_of_file(ts_text file);

/* Parts of a frame's name; NULL texts: it has none. */
typedef struct ts_frame_parts {
    ts_text name;
    ts_text cls;
    ts_text package;
    ts_text library;
    ts_text file;
    bool has_line;
    int64_t line;
} ts_frame_parts;

/*
 * Splits what a profiler calls a function. file may be NULL; library is that of the code (the image
 * that it was loaded from), for languages whose names and files show none, or NULL. The texts of
 * *out borrow from all of them and from *scratch, which is emptied first. Errors: memory.
 */
ts_code ts_frame_split(ts_ctx *ctx, ts_frame_parts *out, ts_buf *scratch, ts_language language,
                       ts_text raw, ts_text file, ts_text library);

/* The bare type of a class as ts_frame_split gives it: "T" of Go's "(*T[...])". Borrows. */
ts_text ts_frame_class(ts_language language, ts_text cls);

/* --- Java ----------------------------------------------------------------------------------- */

/* Appends the name of a class from its symbol: '/' becomes '.', what names hidden classes apart
 * ("+0x00007f...", "/0x...", "/124351398") goes, "[Lp/C;" becomes "p.C[]". */
ts_code ts_java_class(ts_ctx *ctx, ts_buf *out, ts_text symbol);

/* Divides "java.util.HashMap$Node" into package and class at the last '.'. */
void ts_java_split(ts_text *package, ts_text *cls, ts_text name);

/*
 * Appends "[Ret ]Class.name(Arg, Arg)" with simple names of types; the result is shown when it is a
 * reference or an array. A descriptor that is none (or NULL) is left out, "()" too.
 */
ts_code ts_java_method(ts_ctx *ctx, ts_buf *out, ts_text cls, ts_text name, ts_text descriptor);

/* Appends the access flags of a method as words, divided by blanks, in the order of the seed's
 * format: public protected private abstract static final synchronized native strictfp. */
ts_code ts_java_modifiers(ts_ctx *ctx, ts_buf *out, int64_t flags);

/* "Standard Library" for packages and modules of the JDK, else the module, or NULL. Borrows. */
ts_text ts_java_library(ts_text package, ts_text module);

#define TS_STANDARD_LIBRARY TS_TEXT_LIT("Standard Library")

#endif
