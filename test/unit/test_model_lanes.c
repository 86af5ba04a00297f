/* Lanes and their pictures against plain sums over random rows, in order and not; counters, search
 * of slices; failing memory, and a watch that ends the work at each of its calls. */
#include "support.h"

#include "model/measured.h"
#include "model/slices.h"
#include "tables/schema.h"

#include <sqlite3.h>
#include <stdlib.h>

enum { ROWS = 3000, CPUS = 3 };

static const enum ts_table_id tables[] = {
    TS_T_source,      TS_T_thread,           TS_T_thread_detail, TS_T_process,
    TS_T_trace_range, TS_T_stack_method,     TS_T_stack_node,    TS_T_stack_sample,
    TS_T_stack_slice, TS_T_stack_value_type, TS_T_profile,       TS_T_chrome_slice,
    TS_T_flare_stack, TS_T_callstack,        TS_T_sched_slice,   TS_T_thread_state,
    TS_T_timeseries,  TS_T_timeseries_value, TS_T_measure,       TS_T_measure_filter,
    TS_T_cpu_usage,   TS_T_live_process,     TS_T_log,           TS_T_stack_sample_label,
};

typedef struct row {
    int64_t ts, end;
    unsigned cpu, state;
} row;

typedef struct fixture {
    ts_ctx *ctx;
    sqlite3 *db;
    ts_model *model;
    unsigned asked, stop_at; /* calls of the watch; 0: it never ends the work */
} fixture;

static ts_code watch_check(void *user, ts_ctx *ctx)
{
    fixture *f = user;
    return ++f->asked == f->stop_at ? ts_fail(ctx, TS_ERR_INTERRUPTED, "enough") : TS_OK;
}

static void run(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK) {
        fail_msg("%s", message);
    }
}

/* Not all tables: those that are not there have no lanes. */
static void make_tables(sqlite3 *db)
{
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        const ts_table *t = &ts_schema[tables[i]];
        char sql[2000];
        int n = snprintf(sql, sizeof sql, "CREATE TABLE %s(", t->name);
        for (unsigned c = 0; c < t->column_count; c++) {
            n += snprintf(sql + n, sizeof sql - (size_t)n, "%s%s %s", c == 0 ? "" : ", ",
                          t->columns[c].name,
                          t->columns[c].type == TS_COL_KEY ? "INTEGER PRIMARY KEY" : "");
        }
        snprintf(sql + n, sizeof sql - (size_t)n, ")");
        run(db, sql);
    }
}

static void model_open(fixture *f, ts_ctx *ctx)
{
    assert_ok(ctx, ts_model_open(&f->model, ctx));
    ts_model_read(f->model,
                  &(ts_rows_from){.ctx = ctx, .db = f->db, .watch = {f, watch_check, NULL}});
}

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->ctx = test_ctx_new();
    assert_int_equal(sqlite3_open(":memory:", &f->db), SQLITE_OK);
    make_tables(f->db);
    model_open(f, f->ctx);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    ts_model_close(f->model);
    assert_int_equal(sqlite3_close(f->db), SQLITE_OK);
    test_ctx_free(f->ctx);
    free(f);
    return 0;
}

static uint64_t next(uint64_t *seed)
{
    *seed ^= *seed << 13;
    *seed ^= *seed >> 7;
    *seed ^= *seed << 17;
    return *seed;
}

static void insert(sqlite3 *db, const char *sql, const int64_t *values, int n)
{
    sqlite3_stmt *stmt = NULL;
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL), SQLITE_OK);
    for (int i = 0; i < n; i++) {
        sqlite3_bind_int64(stmt, i + 1, values[i]);
    }
    assert_int_equal(sqlite3_step(stmt), SQLITE_DONE);
    sqlite3_finalize(stmt);
}

/* Spans of all lengths; in every third round mostly one after the other, as traces have them. */
static void fill(fixture *f, row *rows, uint64_t *seed, unsigned round)
{
    unsigned bits = round % 3 == 1 ? 12 : (unsigned)(next(seed) % 62) + 1;
    int64_t now = -500;
    run(f->db, "DELETE FROM sched_slice; DELETE FROM measure; BEGIN");
    for (unsigned i = 0; i < ROWS; i++) {
        int64_t length = (int64_t)(next(seed) >> 1 >> (63 - next(seed) % bits));
        now += (int64_t)(next(seed) % 100);
        rows[i].ts =
            round % 3 == 1 && i % 50 != 0 ? now : (int64_t)(next(seed) >> (63 - bits) >> 1) - 50;
        rows[i].end = ts_sat_add(rows[i].ts, length);
        rows[i].cpu = (unsigned)(next(seed) % CPUS);
        rows[i].state = next(seed) % 3 == 0 ? 1 : 0;
        insert(f->db, "INSERT INTO sched_slice(ts, dur, cpu, itid) VALUES (?, ?, ?, ?)",
               (int64_t[]){rows[i].ts, length, rows[i].cpu, rows[i].state == 1 ? 0 : 7}, 4);
        insert(f->db, "INSERT INTO measure(ts, value, filter_id) VALUES (?, ?, ?)",
               (int64_t[]){rows[i].ts, (int64_t)(i % 1000), rows[i].cpu}, 3);
    }
    run(f->db, "COMMIT");
}

typedef struct expected {
    const row *rows;
    const ts_time_lanes *all;
    const uint32_t *lanes;
    ts_lane_columns columns;
    size_t drawn;
} expected;

static void expect_times(const expected *e, unsigned cpu, const ts_lane_sum *cells)
{
    for (uint32_t c = 0; c < e->columns.count; c++) {
        ts_wide from = e->columns.begin + (ts_wide)c * (ts_wide)e->columns.width;
        ts_wide to = from + (ts_wide)e->columns.width;
        from = from < e->columns.from ? e->columns.from : from;
        to = to > (ts_wide)e->columns.to + 1 ? (ts_wide)e->columns.to + 1 : to;
        uint64_t starts = 0;
        ts_wide ns[2] = {0, 0};
        for (unsigned i = 0; i < ROWS; i++) {
            const row *r = &e->rows[i];
            if (r->cpu == cpu) {
                ts_wide low = r->ts > from ? r->ts : from;
                ts_wide high = r->end < to ? r->end : to;
                ns[r->state] += low < high ? high - low : 0;
                starts += r->ts >= from && r->ts < to ? 1 : 0;
            }
        }
        assert_int_equal(cells[c].rows, starts);
        for (unsigned s = 0; s < 2; s++) {
            assert_int_equal(cells[c].ns[s], ns[s] > INT64_MAX ? INT64_MAX : (int64_t)ns[s]);
        }
    }
}

static void expect_values(const expected *e, unsigned cpu, const ts_lane_sum *cells)
{
    for (uint32_t c = 0; c < e->columns.count; c++) {
        ts_wide from = e->columns.begin + (ts_wide)c * (ts_wide)e->columns.width;
        ts_wide to = from + (ts_wide)e->columns.width;
        unsigned n = 0, first = 0, last = 0, least = 1000, greatest = 0, sum = 0;
        for (unsigned i = 0; i < ROWS; i++) {
            const row *r = &e->rows[i];
            unsigned value = i % 1000;
            if (r->cpu != cpu || r->ts < from || r->ts >= to || r->ts < e->columns.from ||
                r->ts > e->columns.to) {
                continue;
            }
            first = n == 0 || r->ts < e->rows[first].ts ? i : first;
            last = n == 0 || r->ts >= e->rows[last].ts ? i : last;
            least = value < least ? value : least;
            greatest = value > greatest ? value : greatest;
            sum += value;
            n++;
        }
        const ts_lane_values *v = &cells[c].values;
        assert_int_equal(cells[c].rows, n);
        assert_int_equal(v->count, n);
        if (n > 0) {
            assert_true(v->least == least && v->greatest == greatest);
            assert_true(ts_lane_mean(v) == (double)sum / n);
            assert_true(v->first == first % 1000 && v->last == last % 1000);
        }
    }
}

static ts_code drawn(void *user, size_t number, const ts_lane_sum *cells)
{
    expected *e = user;
    const ts_lane *lane = (const ts_lane *)e->all->lanes.p + e->lanes[number];
    assert_int_equal(number, e->drawn++);
    if (ts_lane_has_values(e->all->kind)) {
        expect_values(e, (unsigned)lane->number, cells);
    } else {
        expect_times(e, (unsigned)lane->number, cells);
    }
    return TS_OK;
}

static ts_lane_columns some_columns(const row *rows, uint64_t *seed)
{
    static const int64_t px[] = {1, 2, 7, 40};
    int64_t from = rows[next(seed) % ROWS].ts;
    int64_t to = rows[next(seed) % ROWS].end;
    if (next(seed) % 5 == 0) {
        from = INT64_MIN;
        to = INT64_MAX;
    }
    return ts_lane_columns_of((int64_t)(next(seed) % 1000), from < to ? from : to,
                              from < to ? to : from, px[next(seed) % 4]);
}

static void test_pictures(void **state)
{
    fixture *f = *state;
    uint64_t seed = 88172645463325252;
    static row rows[ROWS];
    for (unsigned round = 0; round < 12; round++) {
        fill(f, rows, &seed, round);
        ts_model_close(f->model);
        model_open(f, f->ctx);
        /* Without room for rows, in every other round, pictures read the table again. */
        size_t lent = round % 2 == 1 ? (size_t)600 << 20 : 0;
        f->ctx->limits.max_memory = (uint64_t)1 << 30;
        assert_ok(f->ctx, ts_alloc_lent(f->ctx, lent));
        for (unsigned k = 0; k < 12; k++) {
            static const uint32_t lanes[] = {2, 0, 1};
            expected e = {.rows = rows, .lanes = lanes, .columns = some_columns(rows, &seed)};
            assert_ok(f->ctx, ts_time_lanes_get(&e.all, f->model,
                                                k % 2 == 0 ? TS_LANE_CPU : TS_LANE_MEASURE));
            assert_int_equal(e.all->lanes.n, CPUS);
            assert_true(e.all->kept == (lent == 0));
            assert_ok(f->ctx, ts_time_lanes_draw(f->model, e.all, lanes, 1 + k % CPUS, &e.columns,
                                                 drawn, &e));
            assert_int_equal(e.drawn, 1 + k % CPUS);
        }
        ts_alloc_returned(f->ctx, lent);
    }
}

/* What is without an end lasts to that of the recording, in pictures but not in what has ended. */
static ts_code first_cell(void *user, size_t number, const ts_lane_sum *cells)
{
    (void)number;
    *(ts_lane_sum *)user = cells[0];
    return TS_OK;
}

static void test_open(void **state)
{
    fixture *f = *state;
    const ts_lane_columns all = {0, UINT64_MAX, 1, 0, INT64_MAX};
    static const uint32_t lane = 0;
    const ts_time_lanes *lanes;
    ts_lane_sum sum;
    run(f->db, "INSERT INTO trace_range VALUES (0, 100);"
               "INSERT INTO thread_state(ts, dur, itid, state) VALUES (10, 20, 1, 'Running'), "
               "(30, 7, 1, 'DK-IO'), (37, NULL, 1, 'R+'), (5, 1, 2, 'X')");
    assert_ok(f->ctx, ts_time_lanes_get(&lanes, f->model, TS_LANE_STATE));
    const ts_lane *l = lanes->lanes.p;
    assert_int_equal(lanes->lanes.n, 2);
    assert_int_equal(l[0].open, 1);
    assert_int_equal(l[0].open_ns[1], 63);
    assert_true(l[0].first == 10 && l[0].last == 100);
    assert_ok(f->ctx, ts_time_lanes_draw(f->model, lanes, &lane, 1, &all, first_cell, &sum));
    assert_true(sum.rows == 3 && sum.ns[0] == 20 && sum.ns[1] == 63 && sum.ns[3] == 7);
    assert_string_equal(ts_lane_state_name(TS_LANE_STATE, 1), "runnable");
    assert_null(ts_lane_state_name(TS_LANE_CPU, 2));
}

/* Rows of slices that are kept, of all of a lane and of a part of it. */
static ts_code kept_row(void *user, const ts_lane_row *one)
{
    ts_lane_row *all = user;
    all[0].rowid++;
    all[all[0].rowid] = *one;
    return TS_OK;
}

static void test_kept(void **state)
{
    fixture *f = *state;
    const ts_time_lanes *lanes;
    ts_lane_row rows[8] = {{.rowid = 0}};
    run(f->db, "INSERT INTO trace_range VALUES (0, 1000);"
               "INSERT INTO callstack(id, ts, dur, callid, name, depth, cookie, parent_id) VALUES "
               " (0, 100, 80, 2, 'a', 0, NULL, NULL), (1, 110, NULL, 2, 'b', 1, NULL, 0), "
               " (2, 7, 1, 3, 'c', 0, NULL, NULL), (3, 90, -5, 2, 'd', NULL, NULL, NULL), "
               " (4, 0, 9223372036854775807, 2, 'e', 63, NULL, NULL);");
    assert_ok(f->ctx, ts_time_lanes_get(&lanes, f->model, TS_LANE_SLICE));
    assert_true(lanes->kept && lanes->lanes.n == 2);
    const ts_lane *l = lanes->lanes.p;
    assert_ok(f->ctx, ts_lane_rows_each(f->model, lanes, &l[0], 0, 2000, kept_row, rows));
    assert_int_equal(rows[0].rowid, 4);
    assert_true(rows[1].ts == 100 && rows[1].end == 180 && rows[1].rowid == 1);
    assert_true(rows[1].depth == 0 && rows[1].state == 0 && !rows[1].open);
    assert_true(rows[2].ts == 110 && rows[2].end == 1000 && rows[2].rowid == 2 && rows[2].open);
    assert_true(rows[2].depth == 1 && rows[2].state == TS_LANE_STATES);
    assert_true(rows[3].ts == 90 && rows[3].end == 90 && rows[3].rowid == 4 && rows[3].depth == -1);
    assert_true(rows[4].ts == 0 && rows[4].end == INT64_MAX && rows[4].depth == 63);
    rows[0].rowid = 0;
    assert_ok(f->ctx, ts_lane_rows_each(f->model, lanes, &l[1], 9, 20, kept_row, rows));
    assert_int_equal(rows[0].rowid, 0);
    assert_ok(f->ctx, ts_lane_rows_each(f->model, lanes, &l[1], 7, 8, kept_row, rows));
    assert_true(rows[0].rowid == 1 && rows[1].rowid == 3);
}

/* --- slices ----------------------------------------------------------------------------------- */

static const char slices_sql[] =
    "INSERT INTO thread_detail(itid, source_id) VALUES (1, 1), (2, 2);"
    "INSERT INTO source(id, path) VALUES (1, 'a'), (2, 'b');"
    "INSERT INTO stack_method(id, name) VALUES (1, 'main'), (2, 'work');"
    "INSERT INTO stack_node(id, parent_id, method_id) VALUES (1, NULL, 1), (2, 1, 2);"
    "INSERT INTO stack_slice(id, source_id, itid, parent_id, node_id, ts, dur, self_dur, cpu_dur) "
    " VALUES (1, 1, 1, NULL, 1, 100, 50, 20, 9), (2, 1, 1, 1, 2, 110, 30, 30, NULL), "
    " (3, 1, 1, NULL, 2, 160, NULL, NULL, NULL);"
    "INSERT INTO callstack(id, ts, dur, callid, name, cookie, parent_id) VALUES "
    " (0, 100, 80, 2, 'H:work', NULL, NULL), (1, 110, 50, 2, 'inner', NULL, 0), "
    " (2, 110, 10, 2, 'H:WORK 2', NULL, 1), (3, 170, NULL, 2, 'inner', NULL, 0), "
    " (4, 0, 500, 2, 'H:work', 77, NULL), (5, 300, 5, 2, 'long', NULL, NULL), "
    " (6, 300, 9, 2, 'longer', NULL, 5);";

static ts_code find(ts_slice_hits *hits, fixture *f, ts_ctx *ctx, const char *what, int64_t source,
                    int64_t ts, int64_t id)
{
    ts_select select = {
        .sources = {.all = source == 0}, .threads = {.all = true}, .span = TS_SPAN_ALL};
    ts_pattern pattern = {0};
    const ts_slices_asked asked = {&select, what == NULL ? NULL : &pattern, ts, id, true};
    ts_code code = TS_OK;
    *hits = (ts_slice_hits){0};
    TS_STEP_IF(code, source != 0, ts_idset_add(ctx, &select.sources, source));
    TS_STEP_IF(code, what != NULL, ts_pattern_make(&pattern, ctx, ts_text_of(what)));
    TS_STEP(code, ts_slices_find(hits, f->model, &asked));
    ts_pattern_free(&pattern);
    ts_select_free(ctx, &select);
    return code;
}

static void test_find(void **state)
{
    fixture *f = *state;
    ts_slice_hits h;
    run(f->db, slices_sql);
    assert_ok(f->ctx, find(&h, f, f->ctx, NULL, 0, INT64_MIN, 0));
    /* self: 20 + 30; 80 - 50, 50 - 10, 10, 0 (its callee is longer), 9 */
    assert_true(h.sums[0].count == 9 && h.sums[0].open == 2 &&
                h.sums[0].self == 50 + 30 + 40 + 10 + 9);
    assert_true(h.sums[0].outer == 50 + 80 + 5 && h.sums[0].has_cpu && h.sums[0].cpu == 9);
    assert_true(h.sums[1].count == 1 && h.sums[1].dur == 500 && !h.sums[1].has_self);
    assert_true(h.has_next && h.next.id == 4 && h.next.mark && !h.has_before);
    ts_slice_hits_free(f->ctx, &h);
    assert_ok(f->ctx, find(&h, f, f->ctx, "work", 0, 110, 2));
    assert_true(h.sums[0].count == 4 && h.sums[0].dur == 30 + 80 + 10 && h.sums[1].count == 1);
    assert_true(h.has_next && h.next.id == 3 && !h.next.mark && h.next.dur.null);
    assert_true(ts_text_is(ts_buf_text(&h.next_name), "work"));
    assert_true(h.has_before && h.before.id == 0 && h.before.mark);
    assert_true(ts_text_is(ts_buf_text(&h.before_name), "H:work"));
    ts_slice_hits_free(f->ctx, &h);
    assert_ok(f->ctx, find(&h, f, f->ctx, "/^inner$/", 2, INT64_MIN, 0));
    assert_true(h.sums[0].count == 2 && h.sums[0].open == 1 && h.next.ts == 110);
    ts_slice_hits_free(f->ctx, &h);
    assert_ok(f->ctx, find(&h, f, f->ctx, "inner", 1, INT64_MIN, 0));
    assert_true(h.sums[0].count == 0 && !h.has_next && !h.has_before);
    ts_slice_hits_free(f->ctx, &h);
    run(f->db, "UPDATE callstack SET id = -1 WHERE id = 5");
    ts_model_close(f->model);
    model_open(f, f->ctx);
    assert_int_equal(find(&h, f, f->ctx, NULL, 0, 0, 0), TS_ERR_INPUT);
    ts_slice_hits_free(f->ctx, &h);
}

/* --- all of it -------------------------------------------------------------------------------- */

static ts_code nothing(void *user, size_t number, const ts_lane_sum *cells)
{
    (void)user, (void)number, (void)cells;
    return TS_OK;
}

/* Every lane, and the names of counters. */
static ts_code ask_all(fixture *f, ts_ctx *ctx)
{
    const ts_series_list *list;
    ts_slice_hits hits;
    ts_code code = ts_series_get(&list, f->model);
    for (ts_lane_kind k = 0; code == TS_OK && k < TS_LANES; k++) {
        const ts_lane_columns columns = ts_lane_columns_of(0, 95, 130, 3);
        const ts_time_lanes *all;
        uint32_t lanes[8] = {0, 1, 2, 3, 4, 5, 6, 7};
        code = ts_time_lanes_get(&all, f->model, k);
        TS_STEP_IF(code, all->lanes.n > 0,
                   ts_time_lanes_draw(f->model, all, lanes, all->lanes.n < 8 ? all->lanes.n : 8,
                                      &columns, nothing, NULL));
    }
    if (code == TS_OK) {
        code = find(&hits, f, ctx, "work", 2, 110, 0);
        ts_slice_hits_free(ctx, &hits);
    }
    return code;
}

static const char more_sql[] =
    "INSERT INTO trace_range VALUES (0, 1000);"
    "INSERT INTO process(id, pid, name) VALUES (0, 0, NULL), (1, 70, 'shop');"
    "INSERT INTO thread(id, tid, name, ipid) VALUES (0, 0, NULL, 0), (1, 70, 'main', 1);"
    "INSERT INTO thread_state(ts, dur, itid, state) VALUES (96, 50, 1, 'S');"
    "INSERT INTO timeseries(id, source_id, itid, name, unit) VALUES (1, 1, 1, 'load', '%');"
    "INSERT INTO timeseries_value VALUES (1, 100, 1.5), (1, 120, NULL), (1, 121, 4);"
    "INSERT INTO measure_filter(id, type, name, source_arg_set_id) VALUES "
    " (3, 'cpu_measure_filter', 'cpu_frequency', 2), (4, 'process_measure_filter', 'mem', 1);"
    "INSERT INTO measure(ts, value, filter_id) VALUES (100, 5, 3), (101, 6, 4), (102, 7, 5);"
    "INSERT INTO cpu_usage(ts, total_load, process_num) VALUES (100, 12.5, 9);"
    "INSERT INTO live_process(ts, process_id, process_name, cpu_time) VALUES (100, 5, 'a', 3), "
    " (100, 6, NULL, 4);"
    "INSERT INTO stack_sample(id, source_id, itid, ts, dur, node_id, event) VALUES "
    " (1, 1, 1, 100, 10, 2, 'cpu'), (2, 1, 1, 110, 20, 1, 'wall');"
    "INSERT INTO log(ts, level) VALUES (100, 'E'), (101, NULL);";

static void test_counters(void **state)
{
    fixture *f = *state;
    const ts_series_list *list;
    run(f->db, more_sql);
    run(f->db, "INSERT INTO source(id, path) VALUES (4, 'x'), (5, 'y')");
    assert_ok(f->ctx, ts_series_get(&list, f->model));
    const ts_series *s = list->all.p;
    assert_int_equal(list->all.n, 1 + 3 + 4 + 2 * 6);
    assert_true(ts_text_is(s[0].name, "load") && ts_text_is(s[0].unit, "%") &&
                s[0].source.value == 1);
    assert_true(ts_text_is(s[0].owner, "main") && s[0].itid.value == 1);
    assert_true(s[1].kind == TS_LANE_MEASURE && s[1].id == 3 && s[1].source.null);
    assert_true(ts_text_is(s[1].name, "cpu_frequency") && ts_text_is(s[1].owner, "CPU 2"));
    assert_true(ts_text_is(s[2].owner, "shop") && s[3].name.p == NULL && s[3].owner.p == NULL);
    assert_true(s[4].kind == TS_LANE_CPU_USAGE && ts_text_is(s[4].name, "total_load"));
    assert_true(ts_text_is(s[4].unit, "%") && s[7].unit.p == NULL);
    assert_true(s[8].kind == TS_LANE_LIVE && ts_text_is(s[8].owner, "a"));
    assert_true(s[9].pid == 6 && ts_text_is(s[9].owner, "process 6"));
}

/* Each allocation fails once; all that was taken is given back. */
static void test_no_memory(void **state)
{
    fixture *f = *state;
    test_failing failing = {0};
    bool failed = true;
    run(f->db, slices_sql);
    run(f->db, more_sql);
    ts_model_close(f->model);
    f->model = NULL;
    for (uint64_t nth = 1; failed; nth++) {
        ts_ctx base = *f->ctx;
        failing = (test_failing){0};
        base.allocator = test_failing_allocator(&failing);
        model_open(f, &base);
        failing.fail_at = failing.calls + nth;
        ts_code code = ask_all(f, &base);
        failed = failing.calls >= failing.fail_at;
        assert_int_equal(code, failed ? TS_ERR_NOMEM : TS_OK);
        ts_model_close(f->model);
        f->model = NULL;
    }
}

static void test_watch(void **state)
{
    fixture *f = *state;
    ts_code code = TS_ERR_INTERRUPTED;
    run(f->db, slices_sql);
    run(f->db, more_sql);
    for (unsigned stop = 1; code != TS_OK; stop++) {
        ts_model_close(f->model);
        model_open(f, f->ctx);
        f->asked = 0;
        f->stop_at = stop;
        code = ask_all(f, f->ctx);
        assert_true(code == TS_OK ? f->asked < stop : code == TS_ERR_INTERRUPTED);
        assert_true(code != TS_OK || stop > 40);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_pictures, setup, teardown),
        cmocka_unit_test_setup_teardown(test_open, setup, teardown),
        cmocka_unit_test_setup_teardown(test_kept, setup, teardown),
        cmocka_unit_test_setup_teardown(test_find, setup, teardown),
        cmocka_unit_test_setup_teardown(test_counters, setup, teardown),
        cmocka_unit_test_setup_teardown(test_no_memory, setup, teardown),
        cmocka_unit_test_setup_teardown(test_watch, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
