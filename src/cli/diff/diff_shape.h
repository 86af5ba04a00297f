/*
 * What can be compared: the files of share/sql/diff. Each is a question on one database, whose rows
 * are keys and values of one side; the program puts those of both sides together. Its first comment
 * says what it is, as that of a question does (question_text.h), with these parts of its own:
 *
 *     -- Order:  20
 *     -- Key:    method, file
 *     -- Values: self_wall  ns, sum, share: time of the method itself
 *     --         wall       ns, level: time of it and all that it called
 *
 * Order: the least one that both sides have is compared when nothing else is asked for. The columns
 * of the statement are those of the key, then the values. After the name of a value: its unit
 * (plain, bytes, ns), its kind, and "share" when its share of the total is compared as well.
 */
#ifndef TS_CLI_DIFF_SHAPE_H
#define TS_CLI_DIFF_SHAPE_H

#include "cli/questions.h"

enum { DIFF_KEYS = 4, DIFF_VALUES = 16, DIFF_NAME = 32 };

typedef enum diff_unit { DIFF_PLAIN, DIFF_BYTES, DIFF_NS, DIFF_SHARE } diff_unit;

typedef enum diff_kind {
    DIFF_SUM,   /* added up: a row that is missing has 0, all rows have a total */
    DIFF_LEVEL, /* a row that is missing has 0; no total, since rows contain each other */
    DIFF_EACH,  /* a row that is missing has none; no total */
    DIFF_ONCE   /* one number, of both sides together: no before and after */
} diff_kind;

typedef struct diff_value {
    char name[DIFF_NAME];
    diff_unit unit;
    diff_kind kind;
    unsigned share_of; /* of a DIFF_SHARE: number of the value */
    bool has_share;    /* the next value is its share */
} diff_value;

typedef struct diff_shape {
    const ts_shipped *file;
    char keys[DIFF_KEYS][DIFF_NAME];
    unsigned key_count;
    diff_value values[DIFF_VALUES];
    unsigned value_count;
    unsigned main; /* number of the value that rows are ordered by */
} diff_shape;

/* TS_ERR_INTERNAL when the file does not say it. */
ts_code diff_shape_read(diff_shape *out, ts_ctx *ctx, const ts_shipped *file);

/* "class, method, call" into out, those for which `fits` is set (NULL: all); except: one that is
 * left out, or NULL. */
ts_code diff_names(ts_buf *out, ts_ctx *ctx, const ts_questions *all, const bool *fits,
                   const ts_shipped *except);

/* Sorts by Order. */
void diff_order(const ts_questions *all);

/* The number of a value by its name; value_count: there is none. */
unsigned diff_value_find(const diff_shape *shape, const char *name, size_t n);

const char *diff_unit_name(diff_unit unit);

#endif
