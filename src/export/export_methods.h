/*
 * Methods as profiles of servers name them: texts by the rules of the language that the method's
 * source was written in. Equal ones of several sources are one.
 *
 * Memory: 12 bytes a method, and the texts of each different one.
 */
#ifndef TS_EXPORT_EXPORT_METHODS_H
#define TS_EXPORT_EXPORT_METHODS_H

#include "base/buf.h"
#include "export/export_uploads.h"

/* None is NULL. Texts are cut at 32 KiB. */
typedef struct ts_method_row {
    ts_text method;  /* of Java "Ret Class.name(Arg, Arg)"; (anonymous) without a name */
    ts_text library; /* code library, such as "Standard Library" */
    ts_text package;
    ts_text cls; /* bare: without Go's "(*...)" */
    ts_text file;
    ts_text modifiers; /* of the first one that was met: does not tell methods apart */
} ts_method_row;

typedef struct ts_methods {
    ts_pool keys;     /* all but modifiers */
    ts_vec modifiers; /* ts_text, by key */
    ts_pool texts;    /* of modifiers */
    uint32_t *key;    /* by id of stack_method; 0 is the one that is not known */
    int32_t *line;    /* by id of stack_method: where it begins; 0: not known */
} ts_methods;

/* The methods of p; of the tree of heap timelines their frames. Release with ts_methods_free, also
 * after an error. */
ts_code ts_methods_load(ts_methods *m, ts_ctx *ctx, const ts_calls *p, const ts_frames *frames,
                        const ts_uploads *uploads);
void ts_methods_free(ts_methods *m, ts_ctx *ctx);

ts_method_row ts_methods_get(const ts_methods *m, uint32_t key);

#endif
