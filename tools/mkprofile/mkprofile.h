/* Makes profiles of servers for tests: what all forms share. */
#ifndef TS_MKPROFILE_H
#define TS_MKPROFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

typedef enum packing { PACKED_AUTO, PACKED_ALWAYS, PACKED_NEVER, PACKED_MIXED } packing;

/* A file of a bundle: its name there, and where its bytes are. */
typedef struct bundle_file {
    char *name; /* allocated; the path follows in it */
    const char *path;
} bundle_file;

enum { BUNDLE_FILES = 256 };

typedef struct options {
    const char *form;
    const char *output;
    const char *order; /* normal, samples-first, strings-first, reversed */
    uint64_t samples, functions, stacks, depth, labels, types, inlined, profiles, seed;
    packing packed; /* auto: as Go, lists of up to two elements are not */
    bool sparse;    /* ids that are neither dense nor small */
    bool evented, frames_last;
    const char *shape;  /* of a bundle: directory, form, request */
    const char *style;  /* of its metadata: event, tags, none */
    const char *format; /* that it says */
    bundle_file files[BUNDLE_FILES];
    size_t file_n;
} options;

/* Equal inputs give equal numbers. */
uint64_t mix(uint64_t a, uint64_t b);

/* Location number (from 0) of stack `s` at depth `d` (0: the root), and how deep it is. Stacks
 * share their callers. */
uint64_t frame_of(const options *o, uint64_t s, uint64_t d);
uint64_t depth_of(const options *o, uint64_t s);
uint64_t stack_of(const options *o, uint64_t sample);

/* Name of function `f`; the result is static for the next call. */
const char *function_name(uint64_t f);
const char *function_file(uint64_t f);

void write_pprof(FILE *out, const options *o);
void write_folded(FILE *out, const options *o);
void write_perf(FILE *out, const options *o);
void write_speedscope(FILE *out, const options *o);

/* Opens its output itself, which may be a directory. */
void write_bundle(const options *o);

#endif
