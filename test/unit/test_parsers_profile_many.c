/* CPU profiles with more samples than are put at once: rows against a model, sample by sample. */
#include "parsers_run.h"

#include "tables/sample_batch.h"

enum { NODES = 5, MOST = 3 * TS_SAMPLES_MOST + 10 };

/* A profile, and what is unusual in it. */
typedef struct many {
    unsigned n;
    int64_t first_id;
    unsigned run_length;
    unsigned odd_at;   /* this sample */
    int64_t odd_id;    /* has this id, */
    int64_t odd_delta; /* and this delta, if they are not 0 */
    int64_t from, to;  /* the part that is wanted; to = 0: all */
    bool shuffled;     /* nodes are not in the order of their ids */
} many;

typedef struct model {
    int64_t ids[MOST];
    int64_t deltas[MOST];
    int64_t ts[MOST + 1];
} model;

static void make_model(model *m, const many *c)
{
    int64_t ts = 0;
    for (unsigned i = 0; i < c->n; i++) {
        m->ids[i] = c->first_id + (i / c->run_length * 3 + i / 100) % NODES;
        m->deltas[i] = i * 7919 % (i % 50 == 0 ? 70000 : 300);
        if (i == c->odd_at) {
            m->ids[i] = c->odd_id != 0 ? c->odd_id : m->ids[i];
            m->deltas[i] = c->odd_delta != 0 ? c->odd_delta : m->deltas[i];
        }
        ts += m->deltas[i] * 1000;
        m->ts[i] = ts;
    }
    m->ts[c->n] = ts + 5000;
}

static bytes profile_of(const model *m, const many *c)
{
    bytes text = {0};
    put_str(&text, "{\"nodes\":[");
    for (int i = 0; i < NODES; i++) {
        const int64_t id = c->first_id + (c->shuffled ? (i * 2 + 3) % NODES : i);
        putf(&text, "%s{\"id\":%lld,\"callFrame\":{\"functionName\":\"f%lld\"}}", i == 0 ? "" : ",",
             (long long)id, (long long)(id - c->first_id));
    }
    putf(&text, "],\"startTime\":0,\"endTime\":%lld,\"samples\":[",
         (long long)(m->ts[c->n] / 1000));
    for (unsigned i = 0; i < c->n; i++) {
        putf(&text, "%s%lld", i == 0 ? "" : ",", (long long)m->ids[i]);
    }
    put_str(&text, "],\"timeDeltas\":[");
    for (unsigned i = 0; i < c->n; i++) {
        putf(&text, "%s%lld", i == 0 ? "" : ",", (long long)m->deltas[i]);
    }
    put_str(&text, "]}");
    return text;
}

static bool is_wanted(const many *c, int64_t ts)
{
    return c->to == 0 || (ts >= c->from && ts < c->to);
}

/* Samples k .. end - 1 are run number `number`. */
static void assert_run(const run *r, const model *m, size_t number, unsigned k, unsigned end)
{
    assert_cell(r, js_cpu_profiler_sample, number, id, number);
    assert_cell(r, js_cpu_profiler_sample, number, function_id, m->ids[k]);
    assert_cell(r, js_cpu_profiler_sample, number, start_time, m->ts[k]);
    assert_cell(r, js_cpu_profiler_sample, number, end_time, m->ts[end]);
    assert_cell(r, js_cpu_profiler_sample, number, dur, m->ts[end] - m->ts[k]);
}

static void assert_many(const run *r, const model *m, const many *c)
{
    size_t rows = 0;
    size_t runs = 0;
    unsigned begin = 0;
    for (unsigned k = 0; k < c->n; k++) {
        const bool known = m->ids[k] >= c->first_id && m->ids[k] < c->first_id + NODES;
        const int64_t place = m->ids[k] - c->first_id;
        if (!is_wanted(c, m->ts[k])) {
            continue;
        }
        begin = rows == 0 || m->ids[k] != m->ids[k - 1] ? k : begin;
        assert_cell(r, stack_sample, rows, id, rows + 1);
        assert_cell(r, stack_sample, rows, ts, m->ts[k]);
        assert_cell(r, stack_sample, rows, dur, m->ts[k + 1] - m->ts[k]);
        assert_int_equal(
            memsink_is_null(r->sink, TS_T_stack_sample, rows, TS_C_stack_sample__node_id), !known);
        if (known) { /* (2 i + 3) mod 5 = place: i = 3 place + 1 mod 5 */
            assert_cell(r, stack_sample, rows, node_id,
                        1 + (c->shuffled ? (3 * place + 1) % NODES : place));
        }
        rows++;
        if (k + 1 == c->n || m->ids[k + 1] != m->ids[k] || !is_wanted(c, m->ts[k + 1])) {
            assert_run(r, m, runs++, begin, k + 1);
        }
    }
    assert_rows(r, stack_sample, rows);
    assert_rows(r, js_cpu_profiler_sample, runs);
    assert_int_equal(SKIPPED(r, "cpu_samples"), c->n - rows);
}

static void check(many c)
{
    static model m;
    run r;
    make_model(&m, &c);
    import_begin(&r);
    if (c.to != 0) {
        r.ctx->time_range = (ts_time_range){TS_WANTED_OFFSET, c.from, c.to};
    }
    bytes text = profile_of(&m, &c);
    (void)import_files(&r, &text, 1, 0);
    free(text.p);
    assert_ok(r.ctx, r.code);
    assert_int_equal(issues(&r, "conservation"), 0);
    assert_many(&r, &m, &c);
    run_free(&r);
}

static const unsigned counts[] = {1, 2, 3, 1023, 1024, 1025, 1026, 2047, 2048, 2049, 2050, MOST};

static void test_counts(void **state)
{
    UNUSED(state);
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        check((many){.n = counts[i], .first_id = 1, .run_length = 3});
        check((many){.n = counts[i], .first_id = 1, .run_length = 1, .shuffled = true});
        check((many){.n = counts[i], .first_id = 100, .run_length = MOST});
    }
}

/* Ids at the borders of what batches hold. */
static void test_ids(void **state)
{
    static const int64_t first[] = {
        1,         2,          INT32_MAX - NODES - 1,   INT32_MAX - NODES, INT32_MAX - NODES + 1,
        INT32_MAX, UINT32_MAX, (int64_t)UINT32_MAX + 1, INT64_C(1) << 62,  -2,
        -1000000};
    UNUSED(state);
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        check((many){.n = 2500, .first_id = first[i], .run_length = 4});
    }
}

/* A sample of no node, and times that are far from each other: in each place of a batch. */
static void test_odd_samples(void **state)
{
    static const unsigned at[] = {0, 1, 2, 1023, 1024, 1025, 1026, 2046, 2047, 2048, 2049, 2499};
    UNUSED(state);
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        const many usual = {.n = 2500, .first_id = 1, .run_length = 3, .odd_at = at[i]};
        many c = usual;
        c.odd_id = 77;
        check(c);
        c.odd_id = INT64_MAX;
        check(c);
        c = usual;
        c.odd_delta = INT32_MAX;
        check(c);
        c.odd_delta = INT64_C(1) << 31;
        check(c);
        c.odd_delta = INT64_C(1) << 50;
        check(c);
    }
}

/* What is wanted begins and ends in the middle of batches and of runs. */
static void test_parts(void **state)
{
    static model m;
    const many usual = {.n = MOST, .first_id = 1, .run_length = 3};
    static const unsigned at[] = {0, 1, 5, 1023, 1024, 1025, 1500, 2048, 2049, MOST - 1};
    UNUSED(state);
    make_model(&m, &usual);
    for (size_t i = 0; i < sizeof at / sizeof at[0]; i++) {
        for (size_t k = i; k < sizeof at / sizeof at[0]; k++) {
            many c = usual;
            c.from = m.ts[at[i]];
            c.to = m.ts[at[k]] + 1;
            check(c);
        }
    }
}

/* A second profile of the same run: its root is the first one's, ids are shifted. */
static void test_second_profile(void **state)
{
    static model m;
    const many c = {.n = 2500, .first_id = 1, .run_length = 3};
    bytes files[2];
    run r;
    UNUSED(state);
    make_model(&m, &c);
    files[0] = profile_of(&m, &c);
    files[1] = profile_of(&m, &c);
    import_begin(&r);
    (void)import_files(&r, files, 2, 0);
    free(files[0].p);
    free(files[1].p);
    assert_ok(r.ctx, r.code);
    assert_rows(&r, stack_sample, 5000);
    size_t runs = memsink_rows(r.sink, TS_T_js_cpu_profiler_sample) / 2;
    for (size_t i = 0; i < runs; i++) {
        int64_t id = memsink_int(r.sink, TS_T_js_cpu_profiler_sample, i,
                                 TS_C_js_cpu_profiler_sample__function_id);
        assert_cell(&r, js_cpu_profiler_sample, i + runs, function_id, id == 1 ? 1 : id + NODES);
    }
    run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counts),         cmocka_unit_test(test_ids),
        cmocka_unit_test(test_odd_samples),    cmocka_unit_test(test_parts),
        cmocka_unit_test(test_second_profile),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
