/*
 * TPTP traces: where events are missing, stand twice or in another place, what depends on them is
 * NULL and nothing else is (docs/formats.md, TPTP traces).
 */
#include "tptp_build.h"

#define DEFINED                                                                                    \
    "1009 q0 q7 t1000 s: s: q0 q0 s:w s: s:; 1009 q0 q8 t1000 s: s: q0 q0 s:v s: s:; "             \
    "1011 q0 q7 t1001 i0 s: q0 q20 s: s: s: q0 q0 s:a.B s: i0 i0 i0 s: s:; "                       \
    "1012 s:run s:()V b0 b0 b0 b0 s: q5 q9 s: q0 q20 q30 s: s:; "
/* Of thread 7: its time, ticket and recorded stack depth. */
#define IN(time, ticket, stack)                                                                    \
    "1015 q0 q7 t" #time " q30 i" #ticket " q0 q20 q0 q0 q" #stack " s: s:; "
#define OUT(time, ticket) "1016 q0 q7 t" #time " i" #ticket " q0 q30 q0 q0 q0 q20 s: s: s:; "
/* A text without an end: it is left out. */
#define BAD "1041 i1684234849; "

enum { NONE = -1 };

/* What is known of an invocation: depth, row of the caller from 0, own time. */
typedef struct known {
    int64_t depth;
    int64_t parent;
    int64_t self;
} known;

static const struct gap_case {
    const char *name;
    const char *trace;
    const char *issue; /* besides those of what was left out; "": none */
    size_t n;
    known rows[8];
} cases[] = {
    {"nothing is missing",
     IN(2000, 1, 5) IN(2010, 2, 6) OUT(2030, 2) OUT(2090, 1),
     "",
     2,
     {{0, NONE, 70}, {1, 0, 20}}},
    {"a gap",
     IN(2000, 1, 0) BAD IN(2010, 2, 0) IN(2020, 3, 0) OUT(2030, 3) OUT(2040, 2) OUT(2090, 1)
         IN(2100, 4, 0) OUT(2110, 4),
     "",
     4,
     {{0, NONE, NONE}, {NONE, NONE, 20}, {NONE, 1, 10}, {0, NONE, 10}}},
    /* What begins between two gaps may itself have another caller, so that its end shows nothing.
     */
    {"two gaps",
     IN(2000, 1, 0) BAD IN(2010, 2, 0) BAD IN(2020, 3, 0) OUT(2030, 3) OUT(2040, 2) IN(2050, 4, 0)
         OUT(2060, 4) OUT(2090, 1) IN(2100, 5, 0) OUT(2110, 5),
     "",
     5,
     {{0, NONE, NONE}, {NONE, NONE, NONE}, {NONE, NONE, 10}, {NONE, NONE, 10}, {0, NONE, 10}}},
    {"an exit from before the trace",
     OUT(1999, 3) IN(2000, 9, 0) OUT(2010, 9) OUT(2020, 4) IN(2030, 10, 0) OUT(2040, 10),
     "tptp_exit_unmatched",
     2,
     {{0, NONE, 10}, {0, NONE, 10}}},
    {"an exit whose entry is missing",
     IN(2000, 1, 0) OUT(2010, 2) IN(2020, 3, 0) OUT(2030, 3) OUT(2090, 1) IN(2100, 4, 0)
         OUT(2110, 4),
     "tptp_exit_unmatched",
     3,
     {{0, NONE, NONE}, {NONE, NONE, 10}, {0, NONE, 10}}},
    {"a piece that stands twice",
     IN(2000, 1, 0) IN(2010, 2, 0) OUT(2020, 2) IN(2010, 2, 0) OUT(2020, 2) IN(2030, 3, 0)
         OUT(2040, 3) OUT(2090, 1),
     "tptp_order",
     4,
     {{0, NONE, NONE}, {1, 0, 10}, {NONE, NONE, 10}, {NONE, NONE, 10}}},
    {"tickets that are used again",
     IN(2000, 2, 0) IN(2010, 3, 0) OUT(2020, 3) IN(2030, 1, 0) OUT(2040, 1) OUT(2090, 2),
     "",
     3,
     {{0, NONE, 70}, {1, 0, 10}, {1, 0, 10}}},
    {"times that run back",
     IN(2000, 1, 0) IN(2010, 2, 0) OUT(2020, 2) IN(2015, 3, 0) OUT(2025, 3) OUT(2090, 1),
     "",
     3,
     {{0, NONE, 70}, {1, 0, 10}, {1, 0, 10}}},
    /* Where another one begins at its depth, an invocation has ended: when is not known. */
    {"a missing exit",
     IN(2000, 1, 5) IN(2010, 2, 6) IN(2020, 3, 6) OUT(2030, 3) OUT(2090, 1) IN(2100, 4, 5)
         OUT(2110, 4),
     "tptp_exit_missing",
     4,
     {{0, NONE, NONE}, {1, 0, NONE}, {1, 0, 10}, {0, NONE, 10}}},
    {"missing exits of two, and of a root",
     IN(2000, 1, 5) IN(2010, 2, 6) IN(2020, 3, 7) IN(2030, 4, 5) OUT(2040, 4),
     "tptp_exit_missing",
     4,
     {{0, NONE, NONE}, {1, 0, NONE}, {2, 1, NONE}, {0, NONE, 10}}},
    {"a depth that no one had",
     IN(2000, 1, 5) IN(2010, 2, 8) IN(2020, 3, 7) OUT(2030, 3) OUT(2090, 1),
     "tptp_exit_missing",
     3,
     {{0, NONE, NONE}, {1, 0, NONE}, {NONE, NONE, 10}}},
    {"a missing exit behind a gap",
     IN(2000, 1, 5) IN(2010, 2, 6) BAD IN(2020, 3, 6) OUT(2030, 3) OUT(2090, 1) IN(2100, 4, 5)
         OUT(2110, 4),
     "tptp_exit_missing",
     4,
     {{0, NONE, NONE}, {1, 0, NONE}, {NONE, NONE, 10}, {0, NONE, 10}}},
    {"methods that filters hide",
     IN(2000, 1, 5) IN(2010, 2, 9) OUT(2030, 2) IN(2040, 3, 7) OUT(2050, 3) OUT(2090, 1),
     "",
     3,
     {{0, NONE, 60}, {1, 0, 20}, {1, 0, 10}}},
    {"an entry without its ticket",
     IN(2000, 1, 0) IN(2010, 0, 0) OUT(2020, 2) OUT(2090, 1),
     "tptp_order",
     2,
     {{0, NONE, NONE}, {NONE, NONE, NONE}}},
    {"entries alone have tickets",
     IN(2000, 1, 0) OUT(2010, 0) IN(2020, 2, 0) OUT(2030, 0),
     "",
     2,
     {{0, NONE, 10}, {0, NONE, 10}}},
    /* The second exit is one of what begins later: 3 is not certain to have ended. */
    {"pieces that were exchanged",
     IN(2000, 1, 0) IN(2010, 2, 0) IN(2040, 3, 0) OUT(2030, 2) IN(2050, 4, 0) OUT(2060, 4)
         OUT(2090, 1),
     "tptp_exit_missing",
     4,
     {{0, NONE, NONE}, {1, 0, 20}, {2, 1, 0}, {NONE, NONE, 10}}},
};

static unsigned check_known(const char *name, const run *r, size_t i, unsigned column, int64_t want)
{
    int64_t got = memsink_is_null(r->sink, TS_T_stack_slice, i, column)
                      ? NONE
                      : memsink_int(r->sink, TS_T_stack_slice, i, column);
    if (got != want) {
        print_error("%s: row %zu: %s is %lld and not %lld\n", name, i,
                    ts_schema[TS_T_stack_slice].columns[column].name, (long long)got,
                    (long long)want);
    }
    return got != want;
}

static unsigned check_case(const struct gap_case *c)
{
    bytes file = {0};
    unsigned bad = 0;
    run r;
    put_tptp_head(&file);
    put_tptps(&file, DEFINED);
    put_tptps(&file, c->trace);
    import_one(&r, &file);
    assert_int_equal(MEM_ROWS(r.sink, stack_slice), c->n);
    for (size_t i = 0; i < c->n; i++) {
        const known *k = &c->rows[i];
        bad += check_known(c->name, &r, i, TS_C_stack_slice__depth, k->depth);
        bad += check_known(c->name, &r, i, TS_C_stack_slice__parent_id,
                           k->parent == NONE ? NONE : k->parent + 1);
        bad += check_known(c->name, &r, i, TS_C_stack_slice__self_dur, k->self);
        bad += MEM_NULL(r.sink, stack_slice, i, node_id) != (k->depth == NONE);
    }
    if (*c->issue != '\0' ? issues(&r, c->issue) == 0
                          : issues(&r, "tptp_order") + issues(&r, "tptp_exit_missing") != 0) {
        print_error("%s: issues\n", c->name);
        bad++;
    }
    assert_int_equal(issues(&r, "conservation"), 0);
    run_free(&r);
    free(file.p);
    return bad;
}

static void test_gaps(void **state)
{
    unsigned bad = 0;
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bad += check_case(&cases[i]);
    }
    assert_int_equal(bad, 0);
}

/* A thread waits for one thing at a time: of more than 64 the oldest has no end, which is said. */
static void test_many_open(void **state)
{
    enum { OPEN = 70, KEPT = 64 };
    bytes file = {0};
    size_t without = 0;
    int64_t said = 0;
    run r;
    UNUSED(state);
    put_tptp_head(&file);
    put_tptps(&file, DEFINED);
    for (int i = 0; i < OPEN; i++) {
        char one[64];
        snprintf(one, sizeof one, "q7 t%d q%d q0 i0", 2000 + i, 50 + i);
        put_tptp(&file, 1032, one);
        snprintf(one, sizeof one, "q0 q7 t%d s: s:", 3000 + i);
        put_tptp(&file, 1023, one);
    }
    for (int i = OPEN; i-- > 0;) {
        char one[64];
        snprintf(one, sizeof one, "q7 t%d q%d q0 i0", 4000 + i, 50 + i);
        put_tptp(&file, 1033, one);
        snprintf(one, sizeof one, "q0 q7 t%d q0 q0 q0 s: s:", 5000 + i);
        put_tptp(&file, 1027, one);
    }
    import_one(&r, &file);
    for (size_t i = 0; i < MEM_ROWS(r.sink, import_issue); i++) {
        said += MEM_INT(r.sink, import_issue, i, count);
    }
    assert_int_equal(said, 4 * (OPEN - KEPT)); /* without an end, and without a beginning */
    assert_int_equal(MEM_ROWS(r.sink, lock_wait), 2 * OPEN - KEPT);
    assert_int_equal(MEM_ROWS(r.sink, runtime_pause), 2 * OPEN - KEPT);
    for (size_t i = 0; i < OPEN; i++) {
        without += MEM_NULL(r.sink, lock_wait, i, dur) && MEM_INT(r.sink, lock_wait, i, state) == 1;
        without += MEM_NULL(r.sink, runtime_pause, i, dur) &&
                   MEM_INT(r.sink, runtime_pause, i, state) == 1;
    }
    assert_int_equal(without, 2 * (OPEN - KEPT));
    run_free(&r);
    free(file.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_many_open),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
