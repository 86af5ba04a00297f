/*
 * What the fuzz targets share: a check that ends the run, hashes, numbers drawn from the input, and
 * a row sink that keeps one hash a table and watches over the rules of tables/sink.h.
 */
#ifndef TS_FUZZ_FUZZ_H
#define TS_FUZZ_FUZZ_H

#include "base/alloc.h"
#include "base/context.h"
#include "tables/rows.h"
#include "tables/sink.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer keeps the input that ends the process like this; a replayed one fails its test. */
#define check(ok) ((ok) ? (void)0 : check_failed(#ok, __FILE__, __LINE__))

#define fuzz_fail(what) check_failed(what, __FILE__, __LINE__)

static inline void check_failed(const char *what, const char *file, int line)
{
    fprintf(stderr, "%s:%d: not true: %s\n", file, line, what);
    abort();
}

/* --- hashes and numbers ----------------------------------------------------------------------- */

static inline void mix(uint64_t *hash, uint64_t v)
{
    *hash = (*hash ^ v) * UINT64_C(0x100000001b3);
    *hash ^= *hash >> 29;
}

static inline void mix_bytes(uint64_t *hash, const void *p, size_t n)
{
    const uint8_t *bytes = p;
    uint64_t word;
    size_t i = 0;
    mix(hash, n);
    for (; n - i >= sizeof word; i += sizeof word) {
        memcpy(&word, bytes + i, sizeof word);
        mix(hash, word);
    }
    for (; i < n; i++) {
        mix(hash, bytes[i]);
    }
}

/* xorshift64*; the state is never 0. */
static inline uint64_t draw(uint64_t *state)
{
    uint64_t x = *state == 0 ? UINT64_C(0x9e3779b97f4a7c15) : *state;
    x ^= x >> 12;
    x ^= x << 25;
    x ^= x >> 27;
    *state = x;
    return x * UINT64_C(0x2545f4914f6cdd1d);
}

/*
 * The size of the next block, at most `left`. A seed of 0 gives everything in one block, other
 * seeds a mixture of single bytes, small and large blocks: which ones depends on the input, so that
 * the fuzzer chooses where the cuts are.
 */
static inline size_t draw_block(uint64_t *state, bool whole, size_t left)
{
    uint64_t v = draw(state);
    uint64_t n = left;
    if (!whole) {
        n = 1 + (v >> 8) % (v % 4 == 0 ? 1 : v % 4 == 1 ? 8 : v % 4 == 2 ? 100 : 3000);
    }
    return n < left ? (size_t)n : left;
}

/* A context on the heap, as large as it is, with limits that a short input can reach. */
static inline ts_ctx *fuzz_ctx_new(void)
{
    ts_ctx *ctx = malloc(sizeof *ctx);
    check(ctx != NULL);
    ts_ctx_init(ctx);
    ctx->hash_key = (ts_hash_key){{1, 2}}; /* the same in every run of one input */
    ctx->limits.json_depth = 1000;
    ctx->limits.max_inflate = 4 << 20;
    ctx->limits.inflate_grace = 1 << 20;
    ctx->limits.archive_members = 200;
    return ctx;
}

static inline void fuzz_ctx_free(ts_ctx *ctx)
{
    check(ctx->memory_used == 0);
    free(ctx);
}

/* --- a sink that hashes ----------------------------------------------------------------------- */

typedef struct fuzz_open_row {
    enum ts_table_id table;
    int64_t rowid;
    uint64_t columns;
} fuzz_open_row;

typedef struct fuzz_sink {
    ts_sink sink;
    uint64_t tables[TS_TABLE_COUNT];    /* a hash of each table's rows */
    uint64_t completed[TS_TABLE_COUNT]; /* one of what was completed, in whatever order */
    uint64_t issues;                    /* above the severity `info` */
    fuzz_open_row *open;                /* rows that are reserved */
    size_t open_count;
    size_t open_cap;
} fuzz_sink;

static inline void fuzz_mix_row(uint64_t *hash, const ts_table *t, const void *row)
{
    uint64_t null;
    memcpy(&null, row, sizeof null);
    for (unsigned c = 0; c < t->column_count; c++) {
        const char *cell = (const char *)row + t->columns[c].offset;
        ts_text text = {NULL, 0};
        uint64_t v;
        bool is_text = t->columns[c].type == TS_COL_TEXT;
        if (is_text) {
            memcpy(&text, cell, sizeof text);
        }
        if ((null >> c & 1) != 0 || (is_text && text.p == NULL)) {
            mix(hash, UINT64_MAX - c);
        } else if (is_text) {
            mix_bytes(hash, text.p, text.n);
        } else {
            memcpy(&v, cell, sizeof v);
            mix(hash, v);
        }
    }
}

static inline void fuzz_reserve(fuzz_sink *s, enum ts_table_id table, uint64_t columns)
{
    if (columns == 0) {
        return;
    }
    if (s->open_count == s->open_cap) {
        s->open_cap = s->open_cap * 2 + 16;
        s->open = realloc(s->open, s->open_cap * sizeof *s->open);
        check(s->open != NULL);
    }
    s->open[s->open_count++] = (fuzz_open_row){table, (int64_t)s->sink.rows[table] + 1, columns};
}

static inline fuzz_open_row *fuzz_find_open(fuzz_sink *s, enum ts_table_id table, int64_t rowid)
{
    size_t i = s->open_count;
    while (i > 0 && (s->open[i - 1].table != table || s->open[i - 1].rowid != rowid)) {
        i--;
    }
    check(i > 0);
    return &s->open[i - 1];
}

static inline ts_code fuzz_put(void *self, enum ts_table_id table, const void *row,
                               uint64_t reserved)
{
    fuzz_sink *s = self;
    const ts_table *t = &ts_schema[table];
    if (t->columns[0].type == TS_COL_KEY) {
        int64_t key;
        memcpy(&key, (const char *)row + t->columns[0].offset, sizeof key);
        check(key == (int64_t)s->sink.rows[table] + 1);
    }
    if (table == TS_T_import_issue) {
        const ts_row_import_issue *issue = row;
        check(!ts_text_is(issue->code, "conservation"));
        check(!ts_text_is(issue->code, "items_lost")); /* importers name their losses themselves */
        s->issues += !ts_text_is(issue->severity, "info");
    }
    fuzz_reserve(s, table, reserved);
    fuzz_mix_row(&s->tables[table], t, row);
    return TS_OK;
}

static inline ts_code fuzz_complete(void *self, enum ts_table_id table, int64_t rowid,
                                    unsigned column, int64_t value)
{
    fuzz_sink *s = self;
    fuzz_open_row *row = fuzz_find_open(s, table, rowid);
    check((row->columns >> column & 1) != 0);
    uint64_t one = (uint64_t)rowid;
    mix(&one, column);
    mix(&one, (uint64_t)value);
    s->completed[table] += one;
    return TS_OK;
}

static inline ts_code fuzz_amend(void *self, const ts_amendment *what)
{
    fuzz_sink *s = self;
    const ts_table *table = &ts_schema[what->table];
    uint64_t one = (uint64_t)what->first;
    check(what->first >= 1 && what->last >= what->first &&
          (uint64_t)what->last <= s->sink.rows[what->table]);
    check(what->columns != 0 && (what->columns >> 1) >> (table->column_count - 1) == 0);
    if (what->kind == TS_AMEND_TEXT || what->kind == TS_AMEND_INT) {
        unsigned column = (unsigned)__builtin_ctzll(what->columns);
        check(what->first == what->last && (what->columns & (what->columns - 1)) == 0);
        check(table->columns[column].type ==
              (what->kind == TS_AMEND_TEXT ? TS_COL_TEXT : TS_COL_INT));
        check(what->kind != TS_AMEND_TEXT || what->text.p != NULL);
    }
    mix(&one, what->kind);
    mix(&one, (uint64_t)what->last);
    mix(&one, what->columns);
    mix(&one, (uint64_t)what->value);
    mix(&one, what->text.n);
    s->completed[what->table] += one;
    return TS_OK;
}

static inline void fuzz_release(void *self, enum ts_table_id table, int64_t rowid)
{
    fuzz_sink *s = self;
    *fuzz_find_open(s, table, rowid) = s->open[s->open_count - 1];
    s->open_count--;
}

static inline void fuzz_sink_init(fuzz_sink *s)
{
    *s = (fuzz_sink){.sink = ts_sink_of(s, &(ts_sink_calls){.put = fuzz_put,
                                                            .complete = fuzz_complete,
                                                            .release = fuzz_release,
                                                            .amend = fuzz_amend})};
}

static inline void fuzz_sink_free(fuzz_sink *s)
{
    free(s->open);
}

#endif
