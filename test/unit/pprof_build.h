/* For the tests of pprof: builds profiles by hand. */
#ifndef TS_TEST_PPROF_BUILD_H
#define TS_TEST_PPROF_BUILD_H

#include "parsers_run.h"

/* A message as a field of another one; takes it over. */
static inline void put_inner(bytes *b, uint32_t field, bytes inner)
{
    put_field(b, field, inner.p, inner.n);
    free(inner.p);
}

static inline void put_value_type(bytes *b, uint32_t field, uint64_t type, uint64_t unit)
{
    bytes m = {0};
    put_number(&m, 1, type);
    put_number(&m, 2, unit);
    put_inner(b, field, m);
}

/* Lists end with 0 (locations) or have n elements. */
static inline bytes sample_of(const uint64_t *locations, const int64_t *values, size_t n,
                              bool packed)
{
    bytes m = {0};
    bytes list = {0};
    for (; *locations != 0; locations++) {
        if (packed) {
            put_varint(&list, *locations);
        } else {
            put_number(&m, 1, *locations);
        }
    }
    if (packed) {
        put_field(&m, 1, list.p, list.n);
    }
    list.n = 0;
    for (size_t i = 0; i < n; i++) {
        if (packed) {
            put_varint(&list, (uint64_t)values[i]);
        } else {
            put_number(&m, 2, (uint64_t)values[i]);
        }
    }
    if (packed) {
        put_field(&m, 2, list.p, list.n);
    }
    free(list.p);
    return m;
}

static inline void put_label(bytes *sample, uint64_t key, uint64_t str, int64_t num, uint64_t unit)
{
    bytes m = {0};
    put_number(&m, 1, key);
    put_number(&m, 2, str);
    put_number(&m, 3, (uint64_t)num);
    put_number(&m, 4, unit);
    put_inner(sample, 3, m);
}

static inline void put_function(bytes *b, uint64_t id, uint64_t name, uint64_t file, uint64_t line)
{
    bytes m = {0};
    put_number(&m, 1, id);
    put_number(&m, 2, name);
    put_number(&m, 3, name);
    put_number(&m, 4, file);
    put_number(&m, 5, line);
    put_inner(b, 5, m);
}

typedef struct line_of {
    uint64_t function;
    uint64_t line;
} line_of;

static inline void put_location(bytes *b, uint64_t id, uint64_t mapping, uint64_t address,
                                const line_of *lines, size_t n)
{
    bytes m = {0};
    put_number(&m, 1, id);
    put_number(&m, 2, mapping);
    put_number(&m, 3, address);
    for (size_t i = 0; i < n; i++) {
        bytes line = {0};
        put_number(&line, 1, lines[i].function);
        put_number(&line, 2, lines[i].line);
        put_inner(&m, 4, line);
    }
    put_inner(b, 4, m);
}

static inline void put_mapping(bytes *b, uint64_t id, uint64_t file)
{
    bytes m = {0};
    put_number(&m, 1, id);
    put_number(&m, 5, file);
    put_inner(b, 3, m);
}

/* Numbers of the texts below. */
enum {
    T_EMPTY,
    T_SAMPLES,
    T_COUNT,
    T_CPU,
    T_NANOSECONDS,
    T_MAIN,
    T_LEAF,
    T_INLINED,
    T_FILE,
    T_IMAGE,
    T_THREAD,
    T_NATIVE,
    T_WORKER,
    T_BYTES,
    T_SPAN,
    T_SIZE,
    T_COMMENT,
    T_TEXTS
};
static const char *const tiny_texts[T_TEXTS] = {"",
                                                "samples",
                                                "count",
                                                "cpu",
                                                "milliseconds",
                                                "main.main",
                                                "main.(*T).leaf",
                                                "main.inlined",
                                                "/src/main.go",
                                                "/bin/app",
                                                "thread name",
                                                "thread native id",
                                                "worker",
                                                "bytes",
                                                "span id",
                                                "size",
                                                "made by hand"};

static inline void put_texts(bytes *b)
{
    for (size_t i = 0; i < T_TEXTS; i++) {
        put_text(b, 6, tiny_texts[i]);
    }
}

static inline void put_types(bytes *b)
{
    put_value_type(b, 1, T_SAMPLES, T_COUNT);
    put_value_type(b, 1, T_CPU, T_NANOSECONDS);
}

/* main.main (line 10) calls main.(*T).leaf (line 21), into which main.inlined (line 31) was put;
 * location 3 has an address only. */
static inline void put_places(bytes *b)
{
    static const line_of leaf[] = {{3, 31}, {2, 21}};
    static const line_of root[] = {{1, 10}};
    put_mapping(b, 1, T_IMAGE);
    put_location(b, 1, 1, 0x1000, root, 1);
    put_location(b, 2, 1, 0x2000, leaf, 2);
    put_location(b, 3, 1, 0x3abc, NULL, 0);
    put_function(b, 1, T_MAIN, T_FILE, 9);
    put_function(b, 2, T_LEAF, T_FILE, 20);
    put_function(b, 3, T_INLINED, T_FILE, 30);
}

/* Leaf first: (2, 1), (3, 1), and one without a stack. */
static inline void put_samples(bytes *b)
{
    static const uint64_t stacks[][3] = {{2, 1, 0}, {3, 1, 0}, {0}};
    static const int64_t values[][2] = {{1, 10}, {2, 20}, {0, 5}};
    bytes first = sample_of(stacks[0], values[0], 2, true);
    bytes second = sample_of(stacks[1], values[1], 2, false);
    bytes third = sample_of(stacks[2], values[2], 2, true);
    put_label(&first, T_THREAD, T_WORKER, 0, 0);
    put_label(&first, T_NATIVE, 0, 4711, 0);
    put_label(&first, T_SIZE, 0, 64, T_BYTES);
    put_label(&second, T_SPAN, 0, -1, 0);
    put_inner(b, 2, first);
    put_inner(b, 2, second);
    put_inner(b, 2, third);
}

static inline void put_rest(bytes *b)
{
    put_number(b, 9, 1700000000000000000);
    put_number(b, 10, 2000000000);
    put_value_type(b, 11, T_CPU, T_NANOSECONDS);
    put_number(b, 12, 10);
    put_number(b, 13, T_COMMENT);
    put_number(b, 14, T_CPU);
}

static inline bytes tiny_pprof(void)
{
    bytes b = {0};
    put_types(&b);
    put_samples(&b);
    put_places(&b);
    put_texts(&b);
    put_rest(&b);
    return b;
}

#endif
