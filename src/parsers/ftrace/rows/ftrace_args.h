/*
 * Sets of arguments: rows of args that share a number. Sets of one machine are numbered
 * from 0, or from a number that no machine before it has used.
 *
 * Memory: the texts, in data_dict.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_ARGS_H
#define TS_PARSERS_FTRACE_FTRACE_ARGS_H

#include "tables/store.h"

enum { FTRACE_NO_ARGS = -1 };

/* typeId of data_type */
enum { FTRACE_ARG_INT = 0, FTRACE_ARG_TEXT = 1, FTRACE_ARG_BOOL = 3 };

typedef struct ftrace_args {
    ts_store *store;
    ts_sink *sink;     /* where rows go */
    int64_t first;     /* number of the first set */
    int64_t next;      /* of the next one */
    int64_t slice_key; /* in data_dict: the key whose values are slices; -1: none yet */
} ftrace_args;

void ftrace_args_init(ftrace_args *args, ts_store *store, ts_sink *sink);

/* The next number when *set is FTRACE_NO_ARGS. */
static inline int64_t ftrace_args_set(int64_t *set, ftrace_args *args)
{
    if (*set == FTRACE_NO_ARGS) {
        *set = args->next++;
    }
    return *set;
}

/* Adds an argument to the set; FTRACE_NO_ARGS becomes a new one. */
ts_code ftrace_args_int(int64_t *set, ftrace_args *args, const char *key, int64_t value);
ts_code ftrace_args_bool(int64_t *set, ftrace_args *args, const char *key, bool value);
/* The id of a row of callstack. All such arguments have one key. */
ts_code ftrace_args_slice(int64_t *set, ftrace_args *args, const char *key, int64_t slice);
ts_code ftrace_args_text(int64_t *set, ftrace_args *args, const char *key, ts_text value);

#endif
