/* The sink on a thread: the same calls as without it, in their order, and their failures. */
#include "support.h"
#include "memsink.h"

#include "tables/sample_batch.h"
#include "tables/sink_thread.h"
#include "tables/store.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CALLS = 60000, LONG_TEXT = 40000 };

typedef struct fixture {
    ts_ctx *ctx;
    ts_ctx own;
    memsink *rows;
    ts_sink_thread *thread;
} fixture;

static int setup(void **state)
{
    fixture *f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->ctx = test_ctx_new();
    f->own = *f->ctx;
    f->own.memory_of = f->ctx;
    f->rows = memsink_new(&f->own);
    assert_int_equal(ts_sink_thread_start(&f->thread, f->ctx, memsink_sink(f->rows), &f->own),
                     TS_OK);
    assert_non_null(f->thread);
    *state = f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    ts_sink_thread_free(f->thread);
    memsink_free(f->rows);
    assert_int_equal(f->ctx->memory_used, 0);
    test_ctx_free(f->ctx);
    free(f);
    return 0;
}

/* A change of each kind to rows of measure. */
static void amend(ts_sink *sink, ts_text text, uint64_t r)
{
    int64_t last = (int64_t)ts_sink_rows(sink, TS_T_measure);
    int64_t first = last - (int64_t)((r >> 34) % 5);
    first = first < 1 ? 1 : first;
    if (last == 0) {
        return;
    }
    switch (r >> 30 & 3) {
    case 0:
        assert_int_equal(ts_sink_late_text(sink, TS_T_measure, first, TS_C_measure__type, text),
                         TS_OK);
        break;
    case 1:
        assert_int_equal(
            ts_sink_late_int(sink, TS_T_measure, first, TS_C_measure__value, (int64_t)(r >> 40)),
            TS_OK);
        break;
    case 2:
        assert_int_equal(ts_sink_invalidate(sink, TS_T_measure, first, last,
                                            TS_NULL_BIT(measure, value) | TS_NULL_BIT(measure, ts)),
                         TS_OK);
        break;
    default:
        assert_int_equal(ts_sink_move(sink, TS_T_measure, first, last, TS_NULL_BIT(measure, ts),
                                      (int64_t)(r >> 40) - 1000),
                         TS_OK);
    }
}

/* Calls of all kinds, chosen by a number that both sides know. */
static void call(ts_sink *sink, char *text, uint64_t *seed)
{
    uint64_t r = *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
    int64_t value = (int64_t)(r >> 20);
    size_t n = (r >> 33) % 300 == 0 ? LONG_TEXT : (size_t)(r >> 40) % 60;
    ts_row_measure plain = {.ts = value, .value = -value, .type = TS_TEXT_LIT("measure")};
    ts_row_js_heap_edges edge = {.edge_index = value, .from_node_id = value + 1};
    ts_row_js_heap_edges many[50];
    memset(text, 'a' + (int)(r >> 59), n);
    switch (r >> 61) {
    case 0:
        plain.type = (ts_text){text, n};
        assert_int_equal(ts_put_measure(sink, &plain), TS_OK);
        break;
    case 1: {
        TS_SET_NULL(measure, &plain, value);
        plain.type = TS_TEXT_NULL;
        ts_row_measure both[2] = {plain, plain};
        both[1].type = (ts_text){text, n};
        assert_int_equal(ts_sink_put_many(sink, TS_T_measure, both, sizeof plain, 2), TS_OK);
        break;
    }
    case 2:
        for (unsigned i = 0; i < 50; i++) {
            many[i] = edge;
            many[i].to_node_id = i;
        }
        assert_int_equal(ts_sink_put_many(sink, TS_T_js_heap_edges, many, sizeof many[0],
                                          1 + (unsigned)((r >> 50) % 50)),
                         TS_OK);
        break;
    case 4: {
        uint32_t values[TS_N_js_heap_edges][60];
        const uint32_t *columns[8];
        for (unsigned i = 0; i < TS_N_js_heap_edges; i++) {
            columns[i] = values[i];
            for (unsigned k = 0; k < 60; k++) {
                values[i][k] = (uint32_t)(r >> 33) >> (i + k) % 31;
            }
        }
        columns[r >> 40 & 7] = NULL; /* or none of them */
        assert_int_equal(
            ts_sink_put_columns(sink, TS_T_js_heap_edges, columns, 1 + (unsigned)((r >> 50) % 60)),
            TS_OK);
        break;
    }
    case 3: {
        const uint64_t late = TS_NULL_BIT(irq, dur) | TS_NULL_BIT(irq, argsetid);
        ts_row_irq row = {.id = value, .name = {text, n % 20}};
        int64_t values[] = {value, 5};
        assert_int_equal(ts_sink_reserve(sink, TS_T_irq, &row, late), TS_OK);
        int64_t rowid = (int64_t)ts_sink_rows(sink, TS_T_irq);
        if ((r >> 30 & 1) != 0) {
            assert_int_equal(ts_sink_settle(sink, TS_T_irq, rowid, late, values), TS_OK);
        } else {
            assert_int_equal(ts_sink_complete(sink, TS_T_irq, rowid, TS_C_irq__dur, value), TS_OK);
            ts_sink_release(sink, TS_T_irq, rowid);
        }
        break;
    }
    case 5: {
        uint32_t values[3][TS_SAMPLES_MOST];
        ts_sample_batch samples = {
            .source_id = value,
            .itid = (int64_t)((r >> 40) % 3) - 1,
            .event = (r >> 41) % 3 == 0 ? TS_TEXT_NULL : (ts_text){text, n},
            .ts = value,
            .goes_on = (r >> 45) % 2 == 0,
            .run_ts = value - 5,
            .count = 1 + (unsigned)((r >> 46) % ((r >> 52) % 64 == 0 ? TS_SAMPLES_MOST : 9)),
            .dur_us = values[0],
            .node_id = values[1],
            .function_id = values[2]};
        for (unsigned i = 0; i < samples.count; i++) {
            values[0][i] = (uint32_t)(r >> 33) >> i % 31;
            values[1][i] = 1 + i;
            values[2][i] = (r >> i % 60 & 1) != 0 ? 5 + i : 0;
            samples.runs += values[2][i] != 0;
        }
        assert_int_equal(ts_sink_put_samples(sink, &samples), TS_OK);
        break;
    }
    case 6:
        amend(sink, (ts_text){text, n}, r);
        break;
    default:
        assert_int_equal(ts_put_js_heap_edges(sink, &edge), TS_OK);
    }
}

static void compare(const memsink *a, const memsink *b, enum ts_table_id table)
{
    const ts_table *info = &ts_schema[table];
    assert_int_equal(memsink_rows(a, table), memsink_rows(b, table));
    for (size_t i = 0; i < memsink_rows(a, table); i++) {
        for (unsigned c = 0; c < info->column_count; c++) {
            bool null = memsink_is_null(a, table, i, c);
            assert_int_equal(null, memsink_is_null(b, table, i, c));
            if (null) {
                continue;
            }
            if (info->columns[c].type == TS_COL_TEXT) {
                ts_text x = memsink_text(a, table, i, c);
                ts_text y = memsink_text(b, table, i, c);
                assert_int_equal(x.n, y.n);
                assert_memory_equal(x.p, y.p, x.n);
            } else {
                assert_int_equal(memsink_int(a, table, i, c), memsink_int(b, table, i, c));
            }
        }
    }
}

static void test_same_rows(void **state)
{
    fixture *f = *state;
    ts_ctx *ctx = test_ctx_new();
    memsink *expected = memsink_new(ctx);
    char *text = malloc(LONG_TEXT);
    uint64_t seeds[2] = {1, 1};
    assert_non_null(text);
    for (unsigned i = 0; i < CALLS; i++) {
        call(memsink_sink(expected), text, &seeds[0]);
        call(ts_sink_thread_sink(f->thread), text, &seeds[1]);
        if (i == CALLS - 100) { /* the rest without the thread */
            assert_int_equal(ts_sink_thread_stop(f->thread), TS_OK);
        }
    }
    compare(expected, f->rows, TS_T_measure);
    compare(expected, f->rows, TS_T_irq);
    compare(expected, f->rows, TS_T_js_heap_edges);
    compare(expected, f->rows, TS_T_stack_sample);
    compare(expected, f->rows, TS_T_js_cpu_profiler_sample);
    assert_int_equal(ts_sink_rows(ts_sink_thread_sink(f->thread), TS_T_js_heap_edges),
                     memsink_rows(expected, TS_T_js_heap_edges));
    free(text);
    memsink_free(expected);
    test_ctx_free(ctx);
}

/* No call is made behind the one that fails, and some call says so. */
static void test_failure(void **state)
{
    fixture *f = *state;
    ts_sink *sink = ts_sink_thread_sink(f->thread);
    ts_row_js_heap_edges row = {0};
    ts_code code = TS_OK;
    unsigned i = 0;
    memsink_fail_at(f->rows, 2000);
    for (; i < 1000000 && code == TS_OK; i++) {
        code = ts_put_js_heap_edges(sink, &row);
    }
    assert_int_equal(code, TS_ERR_OUTPUT);
    assert_in_range(i, 2000, 50000);
    assert_int_equal(f->ctx->error.code, TS_ERR_OUTPUT);
    assert_int_equal(memsink_rows(f->rows, TS_T_js_heap_edges), 1999);
    assert_int_equal(ts_sink_thread_stop(f->thread), TS_ERR_OUTPUT);
}

/* A failure of the last call is found by stopping. */
static void test_failure_at_the_end(void **state)
{
    fixture *f = *state;
    ts_row_js_heap_edges row = {0};
    memsink_fail_at(f->rows, 10);
    for (unsigned i = 0; i < 10; i++) {
        assert_int_equal(ts_put_js_heap_edges(ts_sink_thread_sink(f->thread), &row), TS_OK);
    }
    assert_int_equal(ts_sink_thread_stop(f->thread), TS_ERR_OUTPUT);
    assert_int_equal(f->ctx->error.code, TS_ERR_OUTPUT);
}

static void test_nothing(void **state)
{
    fixture *f = *state;
    assert_int_equal(ts_sink_thread_stop(f->thread), TS_OK);
    assert_int_equal(ts_sink_thread_stop(f->thread), TS_OK);
}

/* What cannot lose rows: a sink of which a required call is missing. */
static void test_required_calls(void **state)
{
    const ts_sink_calls all = ts_sink_null().calls;
    ts_sink_calls lacking[5] = {all, all, all, all, all};
    lacking[0].put = NULL;
    lacking[1].complete = NULL;
    lacking[2].release = NULL;
    lacking[3].amend = NULL;
    (void)state;
    for (unsigned i = 0; i < 5; i++) {
        int status = 0;
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            (void)signal(SIGILL, SIG_DFL);
            (void)signal(SIGTRAP, SIG_DFL);
            _exit(ts_sink_of(NULL, &lacking[i]).calls.put == NULL);
        }
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(i == 4 ? WIFEXITED(status) && WEXITSTATUS(status) == 0 : WIFSIGNALED(status));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_same_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failure, setup, teardown),
        cmocka_unit_test_setup_teardown(test_failure_at_the_end, setup, teardown),
        cmocka_unit_test_setup_teardown(test_nothing, setup, teardown),
        cmocka_unit_test(test_required_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
