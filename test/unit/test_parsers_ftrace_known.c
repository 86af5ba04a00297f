/* Lines of text traces that begin as others did, and arguments in forms that were met, are compared
 * only: each line must give what it gives when it is the first one. */
#include "ftrace_lines.h"

#include "base/alloc.h"
#include "parsers/ftrace/text/ftrace_text.h"

static const char *const heads[] = {
    "          <idle>-0     (    0) [",
    "      thread1025-1025  ( 1024) [",
    "      thread1025-1026  ( 1024) [",
    "     kworker/0:1-12    (-----) [",
    "           <...>-2000  (-----) [",
    "       my app-2-30     (   30) [",
    "       x-1 [0] 5-77    (   77) [",
    "          atrace-8528  [",
    "a-3 [",
};

static const char *const places[] = {"003] d..3 ", "000] .... ", "1] d..31 ", "12345] d..3 ",
                                     "0] "};

static const char *const times[] = {
    "168758.663039",     "2.000005559", "2.000005560",
    "1234567.123456789", "12345678.5",  "9223372036.854775808",
    "1.1234567890",      "0.5",         "1.",
    "00000012.12345678",
};

static const char *const events[] = {
    ("sched_switch: prev_comm=a prev_pid=1 prev_prio=120 prev_state=R ==> next_comm=b next_pid=2 "
     "next_prio=120"),
    ("sched_switch: prev_comm=my app prev_pid=30 prev_prio=-1 prev_state=R+ ==> next_comm=x=1 y "
     "next_pid=0x2a next_prio=97 next_info=(1,2)"),
    ("sched_switch: prev_comm=a prev_pid=1  prev_prio=120 prev_state=D|K ==> next_comm=prev_pid=3 "
     "next_pid=2 next_prio=120"),
    "sched_wakeup: comm=b pid=2 prio=120 target_cpu=001",
    "sched_wakeup: comm=b c pid=2 prio=120 target_cpu=001",
    "sched_wakeup_new: comm=b pid=2 prio=120 target_cpu=001",
    "sched_waking: comm=b pid=2 prio=120 target_cpu=001",
    "sched_waking: pid=2 target_cpu=001",
    "sched_waking: pid=12345678901234567890123 target_cpu=999999999999999999",
    "sched_waking: pid=-9223372036854775808 target_cpu=9999999999999999999",
    "sched_blocked_reason: pid=7 iowait=0 caller=f+0x1/0x2",
    "sched_process_exit: comm=my app pid=30 prio=120",
    "irq_handler_entry: irq=21 name=uart",
    "irq_handler_exit: irq=21 ret=handled",
    "softirq_entry: vec=1 [action=TIMER]",
    "clk_set_rate: clk 300",
    "clk_set_rate: name=clk rate=300",
    "clock_set_rate: clk state=300 cpu_id=0",
    "cpu_idle: state=4294967295 cpu_id=3",
    "cpu_frequency: state=1200000 cpu_id=3",
    "cpu_frequency_limits: min=1 max=2 cpu_id=0",
    ("binder_transaction: transaction=1 dest_node=7 dest_proc=2 dest_thread=3 reply=0 flags=0x11 "
     "code=0x3"),
    "binder_transaction_received: transaction=1",
    "tracing_mark_write: B|30|H:call: 7",
    "tracing_mark_write: E|",
    "sys_close: NR 57 (1, 2)",
    "not_an_event: a=1",
    "sched:sched_switch: prev_comm=a",
    "x: y",
};

static const char letters[] = " \t=-:[]().|0179aRSx+\v";

static uint64_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
    return *seed >> 33;
}

static size_t random_line(char *line, size_t room, uint64_t *seed)
{
#define ANY(list) (list)[next_random(seed) % (sizeof(list) / sizeof *(list))]
    const char *head = ANY(heads);
    const char *place = ANY(places);
    const char *time = ANY(times);
    size_t n = (size_t)snprintf(line, room, "%s%s%s: %s", head, place, time, ANY(events));
#undef ANY
    while (next_random(seed) % 3 == 0) {
        const size_t at = next_random(seed) % n;
        const char letter = letters[next_random(seed) % (sizeof letters - 1)];
        switch (next_random(seed) % 4) {
        case 0:
            line[at] = letter;
            break;
        case 1:
            memmove(line + at + 1, line + at, n++ - at);
            line[at] = letter;
            break;
        case 2:
            memmove(line + at, line + at + 1, --n - at);
            break;
        default:
            line[n++] = letter;
        }
    }
    line[n++] = '\n';
    return n;
}

static ts_code take(void *user, const ftrace_event *e)
{
    if (e->kind >= FTRACE_KINDS) {
        add_loss(user, e);
    } else {
        add_event(user, e);
    }
    return TS_OK;
}

static ts_code on_defect(void *user, ftrace_text_defect defect, uint64_t line, uint64_t at,
                         ts_text what)
{
    (void)line;
    (void)at;
    add(user, "defect %d %.*s\n", (int)defect, (int)what.n, what.p);
    return TS_OK;
}

static ftrace_text *open_text(ts_ctx *ctx, lines *out)
{
    const ftrace_text_calls calls = {.user = out, .take = take, .defect = on_defect};
    ftrace_text *t = NULL;
    assert_int_equal(ftrace_text_open(&t, ctx, &calls), TS_OK);
    assert_int_equal(ftrace_text_feed(t, "# tracer: nop\n", 14), TS_OK);
    return t;
}

/* Each line of a text, which follows many, and as the first one of a text of its own. */
static void test_lines_as_first(void **state)
{
    enum { LINES = 20000 };
    ts_ctx *ctx = test_ctx_new();
    lines *all = malloc(sizeof *all);
    lines *alone = malloc(sizeof *alone);
    ftrace_text *text;
    uint64_t seed = 1;
    size_t found = 0;
    (void)state;
    all->n = 0;
    text = open_text(ctx, all);
    for (unsigned i = 0; i < LINES; i++) {
        char line[512];
        const size_t n = random_line(line, 256, &seed);
        ftrace_text *first;
        alone->n = all->n = 0;
        first = open_text(ctx, alone);
        assert_int_equal(ftrace_text_feed(first, line, n), TS_OK);
        assert_int_equal(ftrace_text_feed(text, line, n), TS_OK);
        ftrace_text_close(first);
        if (all->n != alone->n || memcmp(all->text, alone->text, all->n) != 0) {
            fail_msg("%.*s: %.*s, alone %.*s", (int)n, line, (int)all->n, all->text, (int)alone->n,
                     alone->text);
        }
        found += all->n > 0 && memcmp(all->text, "sched_", 6) == 0;
    }
    assert_in_range(found, LINES / 10, LINES);
    ftrace_text_close(text);
    free(all);
    free(alone);
    test_ctx_free(ctx);
}

/* Names of threads in arguments of a form that is known. */
static void test_names_in_a_form(void **state)
{
    static const struct {
        const char *args, *prev, *next;
        int64_t next_pid;
    } cases[] = {
        {"prev_comm=a prev_pid=1 prev_prio=2 prev_state=S ==> next_comm=b next_pid=3 next_prio=4",
         "a", "b", 3},
        {"prev_comm=my a prev_pid=1 prev_prio=2 prev_state=S ==> next_comm=b next_pid=5 "
         "next_prio=4",
         "my a", "b", 5},
        {"prev_comm=a=1 b prev_pid=1 prev_prio=2 prev_state=S ==> next_comm=next_comm=b "
         "next_pid=6 next_prio=4",
         "a=1 b", "next_comm=b", 6},
        {"prev_comm= prev_pid=1 prev_prio=2 prev_state=S ==> next_comm=b  c next_pid=-7 "
         "next_prio=4",
         "", "b  c", -7},
        {"next_comm=b next_pid=8 next_prio=4 prev_comm=a prev_pid=1 prev_prio=2 prev_state=S", "a",
         "b", 8},
    };
    ts_ctx *ctx = test_ctx_new();
    ftrace_names *names = NULL;
    (void)state;
    assert_int_equal(ftrace_names_new(&names, ctx), TS_OK);
    for (size_t i = 0; i < 100; i++) {
        const size_t at = i * 7 / 3 % (sizeof cases / sizeof *cases);
        ftrace_event e = {.kind = FTRACE_sched_switch};
        assert_true(ftrace_args_read(&e, names, ts_text_of(cases[at].args)));
        assert_true(ts_text_is(e.text[FTRACE_T_sched_switch_prev_comm], cases[at].prev));
        assert_true(ts_text_is(e.text[FTRACE_T_sched_switch_next_comm], cases[at].next));
        assert_int_equal(e.number[FTRACE_N_sched_switch_next_pid], cases[at].next_pid);
        assert_int_equal(e.number[FTRACE_N_sched_switch_prev_state], 1);
    }
    ts_free(ctx, names);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_as_first),
        cmocka_unit_test(test_names_in_a_form),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
