/*
 * What is open, by a key of 128 bits: asynchronous slices, transactions. Entries are removed when
 * their end is seen, so that memory is that of the most that were open at once: 35 to 70 bytes
 * each. Zeroed: empty.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_OPEN_H
#define TS_PARSERS_FTRACE_FTRACE_OPEN_H

#include "base/index.h"
#include "base/text.h"
#include "base/vec.h"

typedef struct ftrace_key {
    uint64_t k[2];
} ftrace_key;

typedef struct ftrace_open_entry {
    ftrace_key key;
    uint64_t value;
} ftrace_open_entry;

typedef struct ftrace_open {
    ts_vec entries; /* ftrace_open_entry */
    ts_index index;
} ftrace_open;

/* The hash of numbers and texts with the key of the run: that two of a billion keys agree has the
 * probability 10^-21. */
ftrace_key ftrace_key_of(const ts_ctx *ctx, int64_t a, int64_t b, ts_text c, ts_text d);

/* The value of a key; 0: it is not there. */
uint64_t ftrace_open_find(const ftrace_open *open, ftrace_key key);

/* Gives the key a value, which is not 0. */
ts_code ftrace_open_put(ts_ctx *ctx, ftrace_open *open, ftrace_key key, uint64_t value);
void ftrace_open_remove(ftrace_open *open, ftrace_key key);
void ftrace_open_free(ts_ctx *ctx, ftrace_open *open);

#endif
