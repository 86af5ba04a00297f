/*
 * What comparisons are made of, of two databases (diff_compare.h) or of recordings of a fleet:
 * numbers, what can be compared, conditions, rows and their columns.
 */
#ifndef TS_SESSION_DIFF_ROWS_H
#define TS_SESSION_DIFF_ROWS_H

#include "base/buf.h"
#include "base/pool.h"
#include "base/vec.h"
#include "session/questions.h"
#include "tables/database.h"

/* --- diff_value.c ----------------------------------------------------------------------------- */

/* Numbers of a comparison: integers as long as they fit, reals beyond. */

/* type: TS_CELL_NULL, TS_CELL_INT or TS_CELL_REAL. */
typedef struct diff_cell {
    ts_cell_type type;
    union {
        int64_t i;
        double r;
    } u;
} diff_cell;

static inline diff_cell diff_null(void)
{
    return (diff_cell){.type = TS_CELL_NULL};
}

static inline diff_cell diff_int(int64_t i)
{
    return (diff_cell){TS_CELL_INT, {.i = i}};
}

static inline diff_cell diff_real(double r)
{
    return (diff_cell){TS_CELL_REAL, {.r = r}};
}

/* 0 for NULL. */
double diff_number(diff_cell a);

/* The cell of a result of SQLite; what is no number is NULL. */
diff_cell diff_parse(ts_cell_type type, const char *text);

/* NULL counts as nothing: the other one; of two, NULL. */
diff_cell diff_add(diff_cell a, diff_cell b);

/* after - before; NULL when one is NULL. */
diff_cell diff_change(diff_cell before, diff_cell after);

/* The change in percent of what was before; NULL when that is 0 or one is NULL. */
diff_cell diff_percent(diff_cell before, diff_cell after);

/* < 0, 0, > 0 as |a| is smaller than, equal to or larger than |b|; NULL is the smallest. */
int diff_compare_size(diff_cell a, diff_cell b);

/* < 0, 0, > 0; NULL is the smallest. */
int diff_compare(diff_cell a, diff_cell b);

/* Whether the change is no more than the noise: the spread of several runs before (NULL: of one).
 */
bool diff_is_noise(diff_cell before, diff_cell after, diff_cell noise);

/* A real to the nearest of so many steps a unit, as it is printed; what is too large for that, and
 * others, as they are. */
diff_cell diff_round(diff_cell a, double steps);

enum { DIFF_CELL_TEXT = 40 };

/* As SQLite prints it; NULL is empty. Returns the length. */
size_t diff_text(char out[DIFF_CELL_TEXT], diff_cell a);

/* --- diff_shape.c ----------------------------------------------------------------------------- */

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

/* All that can be compared, of databases or of a fleet, in order. TS_ERR_INPUT: it is not
 * installed. */
ts_code diff_load(ts_questions *all, ts_ctx *ctx, bool fleet);

/* The number of a value by its name; value_count: there is none. */
unsigned diff_value_find(const diff_shape *shape, const char *name, size_t n);

const char *diff_unit_name(diff_unit unit);

/* --- diff_condition.c
 * ------------------------------------------------------------------------------ */

/*
 * Conditions of --fail-if:
 *
 *     VALUE[ROW] OP NUMBER UNIT        self_size>+5%  self_size[UserSession]>+1MB  count[*]>100k
 *
 * Without [ROW] the total of all rows is meant; [*] is any row; [NAME] the row whose first key is
 * NAME (up to the last bracket). OP is >, >=, < or <=. A number with a sign is a change, with a
 * percent sign a relative one; a number without a sign is the value after. Units: of bytes B, kB,
 * MB, GB (1000) and KiB, MiB, GiB; of times ns, us, ms, s, m; of all values k, M, G.
 *
 * Where there is a baseline (diff_baseline.c), a change inside the noise makes none of them true,
 * and of any row only those count that changed by more. A value after is compared as it is.
 */

typedef enum diff_scope { DIFF_TOTAL, DIFF_ANY, DIFF_NAMED } diff_scope;
typedef enum diff_op { DIFF_GT, DIFF_GE, DIFF_LT, DIFF_LE } diff_op;
typedef enum diff_form { DIFF_AFTER, DIFF_CHANGE, DIFF_RELATIVE } diff_form;

typedef struct diff_condition {
    const char *text;
    ts_text value_name; /* in text */
    ts_text row;        /* of DIFF_NAMED, in text */
    diff_scope scope;
    diff_op op;
    diff_form form;
    double number;
    double scale;
    diff_unit unit; /* that the number has; DIFF_PLAIN: that of the value */
    unsigned value; /* number in the shape */
    bool met;       /* before and after are set */
    bool inside;    /* it would hold, but for the noise */
    bool holds;
    diff_cell before, after, noise;
    ts_buf met_row;  /* of DIFF_ANY: the row's first key */
    uint64_t handle; /* of the row that it is about, if is_row */
    bool is_row;
} diff_condition;

/* Reads one; text is borrowed. TS_ERR_USAGE says what is wrong with it. */
ts_code diff_condition_parse(diff_condition *out, ts_ctx *ctx, const char *text);

/* Finds its value. TS_ERR_USAGE: there is none of this name or unit, or it has no total. */
ts_code diff_condition_bind(diff_condition *c, ts_ctx *ctx, const diff_shape *shape);

/* What a row (key: its first key) says to a condition that is not about the total. */
struct diff_row;
ts_code diff_condition_row(diff_condition *c, ts_ctx *ctx, const diff_shape *shape, ts_text key,
                           const struct diff_row *row);

/* All rows were seen. totals: of them, as a row. */
void diff_condition_end(diff_condition *c, const struct diff_row *totals);

/* "self_size of UserSession was 12 and is 15 bytes (+3, +25.0 %)" */
ts_code diff_condition_say(ts_buf *out, ts_ctx *ctx, const diff_condition *c,
                           const diff_shape *shape);

void diff_condition_free(diff_condition *c, ts_ctx *ctx);

/* " was 12 and is 15 bytes (+3, +25.0 %)", and with noise that is not NULL
 * " was 12 and is 15 bytes (+3, +25.0 %, noise 4)" */
ts_code diff_say_change(ts_buf *out, ts_ctx *ctx, diff_cell before, diff_cell after,
                        diff_cell noise, diff_unit unit);

/* --- diff_result.c ---------------------------------------------------------------------------- */

/*
 * The rows of a comparison, whatever makes them: each is counted (totals) and then taken
 * (conditions, and the list that is printed, of which only the largest changes are kept).
 */

/* cells: two of each value of the shape, before and after. */
typedef struct diff_row {
    uint64_t handle;        /* of its maker; the smaller one comes first among equals */
    const diff_cell *noise; /* of each value; NULL: there is no baseline */
    bool alone;             /* on one side only: a change, whatever its values are */
    diff_cell cells[2 * DIFF_VALUES];
} diff_row;

/* The key of a row. The text is borrowed until the next call; p NULL: NULL. */
typedef struct diff_keys {
    void *user;
    ts_code (*text)(ts_text *out, void *user, uint64_t handle, unsigned key);
    int64_t (*line)(void *user, uint64_t handle); /* where it begins in its file; 0: not known */
} diff_keys;

typedef struct diff_result {
    ts_ctx *ctx;
    diff_shape *shape;
    diff_condition *conditions;
    size_t condition_count;
    uint64_t limit; /* 0: none */
    diff_keys keys;
    diff_row totals;
    bool seen[2][DIFF_VALUES]; /* a row of the side has the value */
    uint64_t rows[2];          /* rows of each side */
    uint64_t changed;          /* rows with a change, with a baseline by more than the noise */
    uint64_t inside;           /* rows with a change that is noise */
    ts_vec kept;               /* of row_size bytes each: diff_row, cut to the values there are */
    size_t row_size;
    bool sorted;
} diff_result;

void diff_result_init(diff_result *r, ts_ctx *ctx, diff_shape *shape);
void diff_result_free(diff_result *r);

/* Adds a row to the totals. in: which sides have it. A missing side's cells are NULL. */
void diff_result_count(diff_result *r, const diff_row *row, const bool in[2]);

/* Whether a value is there on both sides (or one side has no rows at all). */
bool diff_result_has(const diff_result *r, unsigned value);

/* Gives cells of a missing side their values, and shares. After all rows were counted. */
void diff_result_complete(const diff_result *r, diff_row *row, const bool in[2]);

/* Shows a completed row to the conditions and keeps it, if it has a change or is alone. */
ts_code diff_result_take(diff_result *r, const diff_row *row);

/* All were taken: the kept ones in order. */
ts_code diff_result_end(diff_result *r);

/* The noise of the total of a value; NULL: there is no baseline, or no total. */
diff_cell diff_total_noise(const diff_result *r, unsigned value);

size_t diff_result_shown(const diff_result *r);
const diff_row *diff_result_row(const diff_result *r, size_t i);

/* --- diff_table.c ----------------------------------------------------------------------------- */

/*
 * A comparison whose rows come from SQL: those of both sides in one table, by their key.
 *
 * Memory: for each key its text, 48 bytes, and 32 bytes for each value; 16 more of each with a
 * baseline.
 */

typedef struct diff_table {
    ts_ctx *ctx;
    const diff_shape *shape;
    ts_pool pool; /* keys, of which each is encoded as one text */
    ts_vec cells; /* diff_cell: 2 * value_count of each key */
    ts_buf in;    /* a byte each key: bit 0 before, bit 1 after */
    ts_vec lines; /* int64_t of each key: where it begins after; 0: not known */
    ts_buf scratch;
    diff_cell *noise; /* value_count of each key, then those of the totals; NULL: no baseline */
    diff_cell median_totals[DIFF_VALUES]; /* of the runs of the baseline */
} diff_table;

void diff_table_init(diff_table *t, ts_ctx *ctx, const diff_shape *shape);
void diff_table_free(diff_table *t);

/* The number of a key; it is new when it was not there. p NULL: NULL. */
ts_code diff_table_key(uint32_t *id, diff_table *t, const ts_text *keys);

/* Notes that a side has the key, and gives one of its values. */
void diff_table_in(diff_table *t, uint32_t id, unsigned side);
diff_cell *diff_table_cell(diff_table *t, uint32_t id, unsigned value, unsigned side);

/* Adds to the values of a side; cells: one each value, shares left out of account. */
void diff_table_add(diff_table *t, uint32_t id, unsigned side, const diff_cell *cells);

/* Notes where what the key names begins in its file; that of the side after counts. */
void diff_table_line(diff_table *t, uint32_t id, unsigned side, int64_t line);

/* Runs the statement of the shape on a side. Columns: the key, then the values but shares. */
ts_code diff_table_ask(diff_table *t, ts_db *db, unsigned side, const ts_param *params, size_t n);

/* A row, and which sides have it. */
void diff_table_row(diff_row *row, bool in[2], const diff_table *t, uint32_t id);

/* All rows to the result, whose keys are those of the table until it is freed. */
ts_code diff_table_put(diff_table *t, diff_result *r);

/* The totals and which values there are; before conditions are looked at. */
void diff_table_count(const diff_table *t, diff_result *r);

/* One part of the key. */
ts_text diff_table_text(const diff_table *t, uint64_t id, unsigned key);

/* Adds a row of a side, whose columns are those of the shape: for visitors (tables/database.h). */
typedef struct diff_asking {
    diff_table *table;
    unsigned side;
    uint64_t rows;
} diff_asking;

ts_code diff_take_header(void *user, const char *const *names, int n);
ts_code diff_take_row(void *user, const char *const *values, const size_t *lengths,
                      const ts_cell_type *types, int n);

/* --- diff_baseline.c -------------------------------------------------------------------------- */

/*
 * A baseline: several runs as the side before. Of each row and value, and of each total, what was
 * before is the median of the runs, and the noise is their spread, the largest less the smallest.
 * Each run is thus inside the noise, and of one run the noise is 0. A run without a row has 0 where
 * values are added up or contain each other, and nothing of other values; a run that has not
 * recorded a value at all does not count for it.
 *
 *     diff_baseline_open(&b, ctx, &table);
 *     diff_baseline_add(b, &run);      for each: the result of a run against nothing, and its table
 *     diff_baseline_end(b);            then the table has the medians as its side before
 *     diff_baseline_free(b);
 *
 * Memory: 16 MiB for sorting (or an eighth of --max-memory, if that is less), what does not fit
 * goes to a temporary file; 16 bytes a run and value.
 */
typedef struct diff_baseline diff_baseline;

ts_code diff_baseline_open(diff_baseline **out, ts_ctx *ctx, diff_table *table);
ts_code diff_baseline_add(diff_baseline *b, const diff_table *run, const diff_result *of);
ts_code diff_baseline_end(diff_baseline *b);

/* The run whose total of a value is nearest to the median, the first of several. */
size_t diff_baseline_typical(const diff_baseline *b, unsigned value);
void diff_baseline_free(diff_baseline *b);

/* --- diff_columns.c --------------------------------------------------------------------------- */

/*
 * The columns of a result: those of the key, then of each value that both sides have NAME_before,
 * NAME_after, NAME_change and NAME_percent (NULL when there was nothing before; a share has none),
 * and with a baseline NAME_noise, the value that rows are ordered by first; of a value of both
 * sides together NAME alone.
 */

enum { DIFF_COLUMNS = DIFF_KEYS + 5 * DIFF_VALUES, DIFF_COLUMN_NAME = DIFF_NAME + 16 };

typedef enum diff_part {
    DIFF_PART_BEFORE,
    DIFF_PART_AFTER,
    DIFF_PART_CHANGE,
    DIFF_PART_PERCENT,
    DIFF_PART_NOISE
} diff_part;

typedef struct diff_column {
    char name[DIFF_COLUMN_NAME];
    unsigned value; /* number in the shape */
    diff_part part;
} diff_column;

typedef struct diff_columns {
    diff_column all[DIFF_COLUMNS];
    unsigned count; /* without those of the key */
} diff_columns;

/* narrow: for a table that people read, with all four of the value that rows are ordered by and two
 * of the others. */
void diff_columns_list(diff_columns *out, const diff_result *r, bool narrow);

/* Names of the key's columns and the others; returns how many there are. */
unsigned diff_columns_names(const char *names[DIFF_COLUMNS], const diff_columns *c,
                            const diff_result *r);

/* The part of a value of a row, or of the totals, rounded as it is shown. */
diff_cell diff_column_cell(const diff_result *r, const diff_row *row, unsigned value,
                           diff_part part);

/* The same of numbers that are in no row. */
diff_cell diff_part_cell(const diff_value *v, diff_cell before, diff_cell after, diff_part part);

/* All parts of a row's key, at out[0] on; of NULL p is NULL, else a zero byte follows. They are in
 * `text`, which is used again. */
ts_code diff_key_texts(ts_text out[DIFF_KEYS], ts_buf *text, const diff_result *r,
                       const diff_row *row);

#endif
