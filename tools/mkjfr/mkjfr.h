/*
 * mkjfr: makes JFR recordings for tests. Deterministic: equal options give equal bytes.
 *
 * The classes are a table of texts (classes.c); events are written by the names of their fields, in
 * the order that a chunk's metadata has, which differs from chunk to chunk.
 */
#ifndef MKJFR_H
#define MKJFR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* --- options -------------------------------------------------------------------------------- */

typedef enum producer { LIKE_JDK, LIKE_ASYNC, LIKE_DATADOG } producer;

/* What is wrong with the last chunk, on purpose. */
typedef enum damage {
    DAMAGE_NONE,
    DAMAGE_SIZE_ZERO,       /* an event of size 0 */
    DAMAGE_SIZE_HUGE,       /* an event that is larger than its chunk */
    DAMAGE_METADATA_OFFSET, /* of the header is wrong */
    DAMAGE_POOL_OFFSET,
    DAMAGE_POOL_LOOP,    /* the first checkpoint points forward */
    DAMAGE_POOL_CYCLE,   /* entries refer to each other */
    DAMAGE_POOL_MISSING, /* entries are left out */
    DAMAGE_HUGE_COUNT,   /* of frames */
    DAMAGE_RECURSIVE,    /* a class that contains itself */
    DAMAGE_NESTED,       /* classes in classes, each twice: 2^40 fields */
    DAMAGE_ARRAYS,       /* arrays of arrays of empty elements, with large counts */
    DAMAGE_TICKS,        /* per second: 0 */
    DAMAGE_CHUNK_SIZE,   /* 0 in the header, as while it is written */
    DAMAGE_STRAY,        /* bytes between chunks */
    DAMAGE_ODD_TEXT,     /* texts that are none */
    DAMAGE_COUNT
} damage;

typedef struct options {
    const char *output;
    producer like;
    bool mixed;      /* chunks of all producers in turn */
    bool compressed; /* integers */
    unsigned chunks, events, threads, methods, stacks, depth, checkpoints;
    unsigned seed;
    damage damage;
} options;

/* --- bytes ---------------------------------------------------------------------------------- */

typedef struct bytes {
    uint8_t *p;
    size_t n, cap;
    bool compressed;
} bytes;

void put_bytes(bytes *b, const void *p, size_t n);
void put_byte(bytes *b, unsigned v);
void put_fixed(bytes *b, uint64_t v, unsigned width);

/* An integer of a type of that width. */
void put_int(bytes *b, uint64_t v, unsigned width);
void put_real(bytes *b, double v, unsigned width);

/* NULL and "" have encodings of their own; others take turns in the three that can say them. */
void put_string(bytes *b, const char *text, unsigned turn);

/* Room for a size; its place. End writes the size from there on. */
size_t begin_event(bytes *b);
void end_event(bytes *b, size_t at);

/* --- classes -------------------------------------------------------------------------------- */

enum { MAX_FIELDS = 12 };

typedef struct field {
    char name[40];
    char type[48];
    bool pool, array;
    char unit; /* 0; T, D: ticks; m, n: durations in ms and ns */
} field;

typedef struct class_def {
    char name[56];
    bool event;
    field fields[MAX_FIELDS];
    unsigned count;
    uint64_t id;
} class_def;

typedef struct classes {
    class_def *p;
    unsigned n;
} classes;

/* Those of a producer; ids and the order of fields depend on the chunk. */
void make_classes(classes *c, const options *o, producer like, unsigned number);
const class_def *find_class(const classes *c, const char *name);
void put_metadata(bytes *b, const classes *c);

/* --- content -------------------------------------------------------------------------------- */

/* A chunk while it is made. */
typedef struct chunk {
    const options *o;
    producer like;
    unsigned number;
    classes classes;
    bytes b;
    uint64_t random;
    uint64_t ticks;
    size_t last_checkpoint;
} chunk;

uint64_t draw(chunk *c, uint64_t below);
void put_checkpoints(chunk *c, unsigned number);
void put_events(chunk *c, unsigned from, unsigned to);

#endif
