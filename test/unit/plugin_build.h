/*
 * For the tests of plugins whose messages are made by hand: recordings, conversions that must give
 * the same rows for all blocks, what every plugin keeps. The clocks of all recordings: boottime 1
 * s, realtime 11 s, so that the outer time of 12 s is 2 s.
 */
#ifndef TS_TEST_PLUGIN_BUILD_H
#define TS_TEST_PLUGIN_BUILD_H

#include "htrace_build.h"

#include "base/ckd.h"

#define S INT64_C(1000000000)

typedef const ts_htrace_plugin *const *plugin_list;

/* --- recordings --------------------------------------------------------------------------------
 */

static inline void begin(bytes *f)
{
    *f = (bytes){0};
    put_header(f, 0, 0, 1 * S, 11 * S);
}

/* ts < 0: without a time. */
static inline void segment(bytes *f, const char *name, const void *data, size_t n, int64_t ts)
{
    bytes body = {0};
    put_text(&body, 1, name);
    put_field(&body, 3, data, n);
    if (ts >= 0) {
        put_number(&body, 5, (uint64_t)(ts / S));
        put_number(&body, 6, (uint64_t)(ts % S));
    }
    put_raw_segment(f, &body);
}

/* Bytes in hexadecimal digits; blanks are passed over. */
static inline bytes hex_bytes(const char *digits)
{
    bytes data = {0};
    for (; digits[0] != '\0'; digits++) {
        if (digits[0] != ' ') {
            char two[3] = {digits[0], digits[1], '\0'};
            put_le(&data, strtoul(two, NULL, 16), 1);
            digits++;
        }
    }
    return data;
}

/* A message in hexadecimal digits. */
static inline void hex(bytes *f, const char *name, const char *digits, int64_t ts)
{
    bytes data = hex_bytes(digits);
    segment(f, name, data.p, data.n, ts);
    free(data.p);
}

/* Bytes that are no segment: what follows is behind a gap. */
static inline void put_gap(bytes *f)
{
    put(f, "\xff\xff\xff\x7f not a segment", 18);
}

static inline void put_double(bytes *b, uint32_t field, double v)
{
    uint64_t bits;
    memcpy(&bits, &v, sizeof bits);
    put_varint(b, (uint64_t)field << 3 | 1);
    put_le(b, bits, 8);
}

/* A part of a message, which is freed. */
static inline void put_part(bytes *b, uint32_t field, bytes *part)
{
    put_field(b, field, part->p, part->n);
    free(part->p);
    *part = (bytes){0};
}

/* A recording without clocks in its header; those of `begin` come in a segment by late_clocks. */
static inline void begin_late(bytes *f)
{
    *f = (bytes){0};
    put_header(f, 0, 0, 0, 0);
}

static inline void late_clocks(bytes *f)
{
    hex(f, "ftrace-plugin", "3206 0801 1202 0801 3206 0802 1202 080b", 14 * S);
}

/* --- running -----------------------------------------------------------------------------------
 */

/* Converts f: the same rows, whatever the blocks and whether messages are held or collected. */
static inline void convert_range(run *r, plugin_list plugins, const bytes *f, ts_time_range range)
{
    static const size_t blocks[] = {7, 1};
    run_begin_with(r, plugins, NULL, 0);
    r->ctx->time_range = range;
    run_feed(r, f->p, f->n, f->n);
    run_end(r);
    for (size_t i = 0; i < 4; i++) {
        run other;
        run_begin_with(&other, plugins, NULL, i / 2 * 8);
        other.ctx->time_range = range;
        run_feed(&other, f->p, f->n, blocks[i % 2]);
        run_end(&other);
        assert_int_equal(other.code, r->code);
        assert_true(memsink_equal(other.sink, r->sink));
        run_free(&other);
    }
    assert_int_equal(r->code, TS_OK);
    check_run(r, f->n);
}

/* Frees f. */
static inline void convert(run *r, plugin_list plugins, bytes *f)
{
    convert_range(r, plugins, f, (ts_time_range){0});
    free(f->p);
    *f = (bytes){0};
}

/* The rows of a table as text. */
#define CHECK_ROWS(r, table, ...)                                                                  \
    memsink_assert_rows((r)->sink, TS_T_##table, (const char *const[]){__VA_ARGS__, NULL},         \
                        __FILE__, __LINE__)

/* seen, imported, lost and skipped of a kind of items. */
static inline void check_counts(const run *r, const char *item, int64_t imported, int64_t lost,
                                int64_t skipped)
{
    assert_int_equal(IMPORTED(r, item), imported);
    assert_int_equal(LOST(r, item), lost);
    assert_int_equal(SKIPPED(r, item), skipped);
}

/* No issue but that of a header without a length. */
static inline void check_no_issues(const run *r)
{
    if (MEM_ROWS(r->sink, import_issue) != issues(r, "header_length_unknown")) {
        memsink_print(r->sink, TS_T_import_issue);
        fail_msg("there are issues");
    }
}

/* --- what every plugin keeps -------------------------------------------------------------------
 */

/* Are the cells of a row, but those that are NULL, those of a row of the other sink? */
static inline bool has_cells(const memsink *part, size_t i, const memsink *whole, size_t j,
                             enum ts_table_id table, uint64_t except)
{
    const ts_table *t = &ts_schema[table];
    bool same = true;
    for (unsigned c = 0; same && c < t->column_count; c++) {
        if (memsink_is_null(part, table, i, c) || (except >> c & 1) != 0) {
            continue;
        }
        if (memsink_is_null(whole, table, j, c)) {
            same = false;
        } else if (t->columns[c].type == TS_COL_TEXT) {
            ts_text a = memsink_text(part, table, i, c);
            ts_text b = memsink_text(whole, table, j, c);
            same = a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
        } else if (t->columns[c].type == TS_COL_REAL) {
            same = memsink_real(part, table, i, c) == memsink_real(whole, table, j, c);
        } else {
            same = memsink_int(part, table, i, c) == memsink_int(whole, table, j, c);
        }
    }
    return same;
}

/* Each row of the part is a row of the whole, or cells of it. */
static inline void check_cells(const run *part, const run *whole, enum ts_table_id table,
                               uint64_t except)
{
    size_t n = memsink_rows(whole->sink, table);
    for (size_t i = 0; i < memsink_rows(part->sink, table); i++) {
        size_t j = 0;
        while (j < n && !has_cells(part->sink, i, whole->sink, j, table, except)) {
            j++;
        }
        if (j == n) {
            memsink_print(part->sink, table);
            fail_msg("%s: row %zu is not in the whole recording", ts_schema[table].name, i);
        }
    }
}

/* The recording cut at every byte from `from` on: each cell of the table is that of the whole one,
 * or NULL. except: columns that may differ. Frees f. */
static inline void check_cuts(plugin_list plugins, bytes *f, size_t from, enum ts_table_id table,
                              uint64_t except)
{
    run whole;
    run_begin_with(&whole, plugins, NULL, 0);
    run_feed(&whole, f->p, f->n, f->n);
    run_end(&whole);
    assert_true(memsink_rows(whole.sink, table) > 1);
    for (size_t n = from; n < f->n; n++) {
        run r;
        run_begin_with(&r, plugins, NULL, 0);
        run_feed(&r, f->p, n, n);
        run_end(&r);
        assert_int_equal(r.code, TS_OK);
        check_run(&r, n);
        check_cells(&r, &whole, table, except);
        assert_int_equal(issues(&r, "plugin_bad_message"), 0); /* the container has said it */
        run_free(&r);
    }
    run_free(&whole);
    free(f->p);
    *f = (bytes){0};
}

/* Each allocation fails in turn, with --time-range. */
static inline void check_allocations_range(plugin_list plugins, const bytes *f, ts_time_range range)
{
    bool done = false;
    for (uint64_t k = 0; !done; k++) {
        run r;
        test_failing fail = {.fail_at = k + 1, .forever = true};
        ts_htrace_config config = {.plugins = plugins, .hold = 16};
        ts_allocator allocator;
        run_begin_with(&r, plugins, NULL, 16);
        ts_htrace_free(r.h);
        r.h = NULL;
        allocator = r.ctx->allocator;
        r.ctx->time_range = range;
        config.source_id = r.source_id;
        r.ctx->allocator = test_failing_allocator(&fail);
        r.code = ts_htrace_new(&r.h, r.ctx, r.store, &config);
        run_feed(&r, f->p, f->n, 10);
        if (r.code == TS_OK) {
            r.code = ts_htrace_finish(r.h);
        }
        done = r.code == TS_OK;
        assert_true(done ? k > 10 : r.code == TS_ERR_NOMEM);
        r.ctx->allocator = allocator;
        run_free(&r);
    }
}

/* Each allocation fails in turn. Frees f. */
static inline void check_allocations(plugin_list plugins, bytes *f)
{
    check_allocations_range(plugins, f, (ts_time_range){0});
    free(f->p);
    *f = (bytes){0};
}

/* Each row in turn cannot be written. */
static inline void check_puts(plugin_list plugins, const bytes *f)
{
    bool done = false;
    for (uint64_t k = 1; !done; k++) {
        run r;
        run_begin_with(&r, plugins, NULL, 16);
        memsink_fail_at(r.sink, memsink_calls(r.sink) + k);
        run_feed(&r, f->p, f->n, f->n);
        if (r.code == TS_OK) {
            r.code = ts_htrace_finish(r.h);
        }
        done = r.code == TS_OK;
        assert_true(done ? k > 10 : r.code == TS_ERR_OUTPUT);
        memsink_fail_at(r.sink, 0);
        run_free(&r);
    }
}

#endif
