/* Lines of text traces to events (docs/formats.md, "Traces of the kernel as text"): the form of
 * lines against a regular expression, arguments of each kind, lines that are no events, pages. */
#include "ftrace_lines.h"

#include "parsers/ftrace/text/ftrace_text.h"

#include <inttypes.h>
#include <regex.h>

/* --- lines ------------------------------------------------------------------------------------ */

static bool text_equal(ts_text t, const char *s)
{
    return ts_text_is(t, s);
}

static void test_lines(void **state)
{
    static const struct {
        const char *line, *comm, *event, *args;
        int64_t ts;
        int32_t pid, tgid;
        uint32_t cpu;
    } cases[] = {
        {"          atrace-8528  ( 8528) [003] d..3 168758.663039: sched_switch: prev_comm=a b ",
         "atrace", "sched_switch", "prev_comm=a b", INT64_C(168758663039000), 8528, 8528, 3},
        {"  <...>-12 (-----) [000] .... 1.5: x:", "", "x", "", 1500000000, 12, 0, 0},
        {"<idle>-0     [001]  1234.000000001: cpu_idle: state=1 cpu_id=1", "<idle>", "cpu_idle",
         "state=1 cpu_id=1", INT64_C(1234000000001), 0, 0, 1},
        {"my-app 1-2-30 [7] 1.25: a:b:c: d", "my-app 1-2", "c", "d", 1250000000, 30, 0, 7},
        {"Binder:1 2-3 (4 ) [0] 0.1: e: f", NULL, NULL, NULL, 0, 0, 0, 0},
        {"a-3 4) [0] 0.1: e: f", "a", "e", "f", 100000000, 3, 4, 0},
        {"a-3 [0]d..2. 0.1: e: f", "a", "e", "f", 100000000, 3, 0, 0},
        {"a-3 [0]d..2.x 0.1: e: f", NULL, NULL, NULL, 0, 0, 0, 0},
        {"a-3 [0] 12 0.1: e: f", "a", "e", "f", 100000000, 3, 0, 0},
        {"a-3 [0]0.1: e: f", NULL, NULL, NULL, 0, 0, 0, 0},
        {"a-3  4  [0] 0.1: e: f", NULL, NULL, NULL, 0, 0, 0, 0},
        /* All digits, below ns they are cut. */
        {"a-3 [0] 1600000000.123456789: e: f", "a", "e", "f", INT64_C(1600000000123456789), 3, 0,
         0},
        {"a-3 [0] 1.1234567899: e: f", "a", "e", "f", 1123456789, 3, 0, 0},
        {"a-3 [0] 9223372036.854775807: e: f", "a", "e", "f", INT64_MAX, 3, 0, 0},
        {"a-3 [0] 9223372036.854775808: e: f", NULL, NULL, NULL, 0, 0, 0, 0},
        {"a-2147483647 [0] 1.0: e: f", "a", "e", "f", 1000000000, INT32_MAX, 0, 0},
        {"a-2147483648 [0] 1.0: e: f", NULL, NULL, NULL, 0, 0, 0, 0},
        {"a-99999999999999999999999 [0] 1.0: e: f", NULL, NULL, NULL, 0, 0, 0, 0},
        /* perf script */
        {"swapper     0 [002] 12.000003:       sched:sched_switch: prev_comm=x", "swapper",
         "sched_switch", "prev_comm=x", INT64_C(12000003000), 0, 0, 2},
        {" my task 7/8 [1] 1.0: power:cpu_idle: state=0", "my task", "cpu_idle", "state=0",
         1000000000, 8, 7, 1},
        /* Of threads that end: they have no number any more. */
        {":-1    -1 [001] 1.0: sched:sched_switch: prev_comm=x", "", "sched_switch", "prev_comm=x",
         1000000000, -1, 0, 1},
        {"    :-1 7/-1    [001] 1.0: a:b: c", "", "b", "c", 1000000000, -1, 7, 1},
        {"a -1 [1] 1.0: a:b: c", "", "b", "c", 1000000000, -1, 0, 1},
        {"a -2 [1] 1.0: a:b: c", "a", "b", "c", 1000000000, 2, 0, 1},
        {"a-1 [1] 1.0: a:b: c", "a", "b", "c", 1000000000, 1, 0, 1},
        {"a 7/-2 [1] 1.0: a:b: c", "a 7/", "b", "c", 1000000000, 2, 0, 1},
        {"my task 7/8 [1] 1.0: cycles: 5", NULL, NULL, NULL, 0, 0, 0, 0},
        {"my task 7/ [1] 1.0: a:b: 5", NULL, NULL, NULL, 0, 0, 0, 0},
        {"7 [1] 1.0: a:b: 5", NULL, NULL, NULL, 0, 0, 0, 0},
        {"", NULL, NULL, NULL, 0, 0, 0, 0},
        {"-", NULL, NULL, NULL, 0, 0, 0, 0},
        {"a-1 [0] 1.0: : f", NULL, NULL, NULL, 0, 0, 0, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        ftrace_line l;
        bool read = ftrace_line_read(&l, ts_text_of(cases[i].line));
        if (read != (cases[i].comm != NULL)) {
            fail_msg("line %zu: %s", i, cases[i].line);
        }
        if (read) {
            if (!text_equal(l.comm, cases[i].comm)) {
                fail_msg("line %zu: %s: name \"%.*s\"", i, cases[i].line, (int)l.comm.n, l.comm.p);
            }
            assert_true(text_equal(l.event, cases[i].event));
            assert_true(text_equal(l.args, cases[i].args));
            assert_int_equal(l.ts, cases[i].ts);
            assert_int_equal(l.pid, cases[i].pid);
            assert_int_equal(l.tgid, cases[i].tgid);
            assert_int_equal(l.cpu, cases[i].cpu);
        }
    }
}

#define SPACE "[ \t\v\f\r]"

static int64_t group_number(const char *line, const regmatch_t *m)
{
    return m->rm_so < 0 || line[m->rm_so] == '-' ? 0 : strtoll(line + m->rm_so, NULL, 10);
}

/* Random lines of the letters that matter: as the regular expression of the format finds. */
static void test_lines_as_expression(void **state)
{
    static const char *const parts[] = {"-",  "1",   " ",  "(",   ")",  "[",   "]",  ".",
                                        ":",  "a",   "\t", "-1",  " 2", "[3]", "x",  " 1.5",
                                        ": ", "-1 ", "d.", "(--", ") ", "] ",  "4:", "e:"};
    static const char *const frame[] = {"c-12",  " ( ",  "34", ") ",  "[5]",
                                        " d..1", " 6.7", ": ", "ev:", " args"};
    regex_t re;
    regex_t perf;
    uint64_t seed = 12345;
    unsigned found = 0;
    (void)state;
    assert_int_equal(regcomp(&re,
                             "-([0-9]+)" SPACE "+\\(?" SPACE "*([0-9]+|-+)?\\)?" SPACE
                             "?\\[([0-9]+)\\]" SPACE "*[a-zA-Z0-9.]{0,5}" SPACE
                             "+([0-9]+\\.[0-9]+):" SPACE "+([^ \t\v\f\r]+):",
                             REG_EXTENDED),
                     0);
    assert_int_equal(regcomp(&perf,
                             SPACE "(-1|[0-9]+)(/(-1|[0-9]+))?" SPACE "*\\[[0-9]+\\]" SPACE
                                   "+[0-9]+\\.[0-9]+:" SPACE "+[^ \t\v\f\r]+:[^ \t\v\f\r]*:",
                             REG_EXTENDED | REG_NOSUB),
                     0);
    for (int i = 0; i < (test_slow() ? 1000000 : 20000); i++) {
        char line[256] = "";
        regmatch_t m[6];
        ftrace_line l;
        bool expected;
        bool read;
        for (size_t k = 0; k < 10; k++) {
            seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407U;
            unsigned r = (unsigned)(seed >> 40);
            if (r % 8 != 0) {
                strcat(line, frame[k]);
            }
            if (r / 8 % 6 == 0) {
                strcat(line, parts[r / 64 % (sizeof parts / sizeof *parts)]);
            }
        }
        expected = regexec(&re, line, 6, m, 0) == 0;
        read = ftrace_line_read(&l, ts_text_of(line));
        if (read && l.perf) { /* "a-1 20 [000] 1.5: sched:x:" has both forms, and is perf's */
            assert_int_equal(regexec(&perf, line, 0, NULL, 0), 0);
            continue;
        }
        if (read != expected) {
            fail_msg("\"%s\": %d, should be %d", line, read, expected);
        }
        if (read) {
            found++;
            assert_int_equal(l.pid, group_number(line, &m[1]));
            assert_int_equal(l.tgid, group_number(line, &m[2]));
            assert_int_equal(l.cpu, group_number(line, &m[3]));
            assert_int_equal(l.ts / 1000000000, group_number(line, &m[4]));
            assert_ptr_equal(l.event.p + l.event.n, line + m[5].rm_eo);
        }
    }
    regfree(&re);
    regfree(&perf);
    assert_in_range(found, 100, 1000000);
}

/* --- events ----------------------------------------------------------------------------------- */

typedef struct seen {
    lines lines; /* what came */
    unsigned defects[5];
    ftrace_text_counts counts;
} seen;

static ts_code take(void *user, const ftrace_event *e)
{
    seen *s = user;
    if (e->kind >= FTRACE_KINDS) {
        add_loss(&s->lines, e);
        return TS_OK;
    }
    assert_int_equal(e->reader, FTRACE_FROM_TEXT);
    add_event(&s->lines, e);
    return TS_OK;
}

static ts_code on_defect(void *user, ftrace_text_defect what, uint64_t line, uint64_t at,
                         ts_text detail)
{
    seen *s = user;
    s->defects[what]++;
    add(&s->lines, "! %d line %" PRIu64 " at %" PRIu64 " %.*s\n", (int)what, line, at,
        (int)detail.n, detail.p);
    return TS_OK;
}

static void read_blocks(seen *s, const char *text, size_t n, size_t block)
{
    ts_ctx *ctx = test_ctx_new();
    ftrace_text *t;
    const ftrace_text_calls calls = {s, take, on_defect};
    memset(s, 0, sizeof *s);
    assert_int_equal(ftrace_text_open(&t, ctx, &calls), TS_OK);
    for (size_t at = 0; at < n; at += block) {
        assert_int_equal(ftrace_text_feed(t, text + at, n - at < block ? n - at : block), TS_OK);
    }
    assert_int_equal(ftrace_text_end(t), TS_OK);
    s->counts = *ftrace_text_count(t);
    ftrace_text_close(t);
    test_ctx_free(ctx);
}

static void read_text(seen *s, const char *text)
{
    static seen small;
    static const size_t blocks[] = {1, 2, 3, 7, 61};
    read_blocks(s, text, strlen(text), SIZE_MAX);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        read_blocks(&small, text, strlen(text), blocks[i]);
        assert_string_equal(small.lines.text, s->lines.text);
    }
}

static void check(const char *text, const char *expected)
{
    static seen s;
    read_text(&s, text);
    assert_string_equal(s.lines.text, expected);
}

/* One event in a line of its own; expected: its fields. */
static void check_args(const char *event, const char *expected)
{
    char text[1024];
    char wanted[1024];
    const char *colon = strchr(event, ':');
    snprintf(text, sizeof text, "a b-5 ( 4) [2] d..1 1.5: %s\n", event);
    if (expected == NULL) {
        snprintf(wanted, sizeof wanted, "lost c2 at 1500000000\n! 1 line 1 at 0 %.*s\n",
                 (int)(colon - event), event);
    } else {
        snprintf(wanted, sizeof wanted, "%.*s 1500000000 5/4 c2 a b%s\n", (int)(colon - event),
                 event, expected);
    }
    check(text, wanted);
}

static void test_scheduling(void **state)
{
    (void)state;
    check_args("sched_switch: prev_comm=Binder 1 x prev_pid=8 prev_prio=120 prev_state=R+ ==> "
               "next_comm=a=b c next_pid=9 next_prio=97 next_info=12,3",
               " prev_comm='Binder 1 x' prev_pid=8 prev_prio=120 prev_state=2048 next_comm='a=b c'"
               " next_pid=9 next_prio=97 next_info='12,3'");
    check_args("sched_switch: prev_comm= prev_pid=0 prev_prio=-1 prev_state=D|Z next_comm=y "
               "next_pid=1 next_prio=2",
               " prev_comm='' prev_pid=0 prev_prio=-1 prev_state=34 next_comm='y' next_pid=1 "
               "next_prio=2");
    /* A key or a number is missing. */
    check_args("sched_switch: prev_comm=a prev_pid=0 prev_prio=1 prev_state=S next_comm=y "
               "next_pid=1",
               NULL);
    check_args("sched_switch: prev_comm=a prev_pid=x prev_prio=1 prev_state=S next_comm=y "
               "next_pid=1 next_prio=1 prev_pid=4",
               NULL);
    check_args("sched_switch:", NULL);
    /* As trace-cmd and perf write it. */
    check_args("sched_switch: swapper/0:0 [120] R ==> my: x:12 [98]",
               " prev_comm='swapper/0' prev_pid=0 prev_prio=120 prev_state=0 next_comm='my: x' "
               "next_pid=12 next_prio=98");
    check_args("sched_switch: a:0 [120] ==> b:12 [98]", NULL);
    check_args("sched_switch: a:0 [x] S ==> b:12 [98]", NULL);
    check_args("sched_switch: a:0 [120] S ==> b:12", NULL);
    check_args("sched_waking: b:12 [120]", NULL);
    check_args("sched_waking: b:12 CPU:1", NULL);
    check_args("sched_wakeup: comm=x y pid=7 prio=120 target_cpu=003", " pid=7 target_cpu=3");
    check_args("sched_wakeup: comm=x pid=7 target_cpu=no", " pid=7");
    /* The last of a list in brackets. */
    check_args("sched_wakeup: comm=x y pid=7 prio=120 target_cpu=003)", " pid=7 target_cpu=3");
    check_args("sched_wakeup: comm=x pid=7 target_cpu=)", " pid=7");
    check_args("sched_wakeup: pid=7", NULL);
    check_args("sched_wakeup_new: b:12 [120]<CPU:001>", " pid=12 target_cpu=1");
    check_args("sched_waking: b:12 [120] success=1 CPU:011", " pid=12 target_cpu=11");
    check_args("sched_waking: comm=x pid=7 target_cpu=1", NULL);
    check_args("sched_waking: comm=x pid=7 prio=1 target_cpu=1", " pid=7 target_cpu=1");
    check_args("sched_blocked_reason: pid=7 iowait=1 caller=f+0x1/0x2 delay=5",
               " pid=7 iowait=1 caller_str='f+0x1/0x2' delay=5");
    check_args("sched_blocked_reason: pid=7 io_wait=0 caller=f", " pid=7 iowait=0 caller_str='f'");
    check_args("sched_process_exit: comm=my task pid=7 prio=120", " comm='my task' pid=7");
    check_args("task_rename: pid=7 oldcomm=a b newcomm=c d oom_score_adj=-5",
               " pid=7 newcomm='c d'");
    check_args("task_newtask: pid=7 comm=a b clone_flags=3d0f00 oom_score_adj=0",
               " pid=7 comm='a b' clone_flags=4001536");
}

static void test_states(void **state)
{
    static const struct {
        const char *text;
        int value;
    } states[] = {{"R", 0},  {"S", 1},     {"D", 2},     {"T", 4},  {"t", 8},   {"X", 16},
                  {"Z", 32}, {"P", 64},    {"I", 128},   {"DK", 2}, {"S|D", 3}, {"x", 0},
                  {"", 0},   {"D+", 2050}, {"R+", 2048}, {"K", 0}};
    (void)state;
    for (size_t i = 0; i < sizeof states / sizeof *states; i++) {
        char event[256];
        char expected[256];
        snprintf(event, sizeof event,
                 "sched_switch: prev_comm=a prev_pid=1 prev_prio=2 prev_state=%s ==> next_comm=b "
                 "next_pid=3 next_prio=4",
                 states[i].text);
        snprintf(expected, sizeof expected,
                 " prev_comm='a' prev_pid=1 prev_prio=2 prev_state=%d next_comm='b' next_pid=3 "
                 "next_prio=4",
                 states[i].value);
        check_args(event, expected);
    }
}

static void test_other_events(void **state)
{
    (void)state;
    check_args("print: B|4|H:a|b=c", " buf='B|4|H:a|b=c'");
    check_args("tracing_mark_write:", " buf=''");
    check_args("cpu_idle: state=4294967295 cpu_id=3", " state=4294967295 cpu_id=3");
    check_args("cpu_idle: state=4294967295", NULL);
    check_args("cpu_frequency: state=1800000 cpu_id=0", " state=1800000 cpu_id=0");
    check_args("cpu_frequency_limits: min=1 max=2 cpu_id=3", " min_freq=1 max_freq=2 cpu_id=3");
    check_args("cpu_frequency_limits: min_freq=1 max_freq=2 cpu_id=3",
               " min_freq=1 max_freq=2 cpu_id=3");
    check_args("clock_set_rate: gpu state=700 cpu_id=2", " name='gpu' state=700 cpu_id=2");
    check_args("clock_enable: ddr state=1", " name='ddr' state=1");
    check_args("clk_set_rate: ddr 900", " name='ddr' rate=900");
    check_args("clk_disable: ddr", " name='ddr'");
    check_args("oom_score_adj_update: pid=7 comm=x y oom_score_adj=-900",
               " pid=7 oom_score_adj=-900");
    check_args("irq_handler_entry: irq=4 name=uart", " irq=4 name='uart'");
    check_args("irq_handler_exit: irq=4 ret=handled", " irq=4 ret=1");
    check_args("irq_handler_exit: irq=4 ret=unhandled", " irq=4 ret=0");
    check_args("softirq_entry: vec=9 [action=RCU]", " vec=9");
    check_args("ipi_entry: (Function call interrupts)", " reason='(Function call interrupts)'");
    check_args("dma_fence_init: driver=d timeline=t context=1 seqno=2",
               " driver='d' timeline='t' context=1 seqno=2");
    check_args("dma_fence_init: driver=d", " driver='d'");
    check_args("workqueue_execute_start: work struct 0xffff: function flush_to_ldisc",
               " function_name='flush_to_ldisc'");
    check_args("workqueue_execute_start: work struct 0xffff", NULL);
    check_args("workqueue_execute_end: work struct 0xffff", "");
    check_args("sys_enter: NR 64 (1, 2, ffff)", " id=64 args='1, 2, ffff'");
    check_args("sys_exit: NR 64 = -11", " id=64 ret=-11");
    check_args("sys_exit: NR 64", NULL);
    check_args("sys_enter: 64 (1)", NULL);
    check_args("sys_enter: NR x (1)", NULL);
    check_args("timerfd_wakeup: thread_pid=1 thread_tid=2 thread_name=a interval=3 curr_mono=4 "
               "expire_mono=5",
               " thread_pid=1 thread_tid=2 thread_name='a' interval=3 curr_mono=4 expire_mono=5");
    check_args("suspend_resume: x[1] begin", "");
    check_args("regulator_disable: name=x", "");
}

/* The kernel's option `fields`. */
static void test_fields(void **state)
{
    (void)state;
    check_args("sched_switch: prev_comm=a b prev_pid=0x2e20 (11808) prev_prio=0x78 (120) "
               "prev_state=0x1 (1) next_comm=cc1 next_pid=0x2ded (11757) next_prio=0x82 (130)",
               " prev_comm='a b' prev_pid=11808 prev_prio=120 prev_state=1 next_comm='cc1' "
               "next_pid=11757 next_prio=130");
    check_args(
        "sched_switch: prev_comm=a prev_pid=0x1 (1) prev_prio=0x2 (2) prev_state=0x100 (256) "
        "next_comm=b next_pid=0x3 (3) next_prio=0x4 (4)",
        " prev_comm='a' prev_pid=1 prev_prio=2 prev_state=256 next_comm='b' next_pid=3 "
        "next_prio=4");
    check_args("sched_switch: prev_comm=a prev_pid=0x1 (1) prev_prio=0x2 (2) prev_state=0xg (1) "
               "next_comm=b next_pid=0x3 (3) next_prio=0x4 (4)",
               NULL);
    check_args("cpu_idle: state=0xffffffff (4294967295) cpu_id=0x3 (3)",
               " state=4294967295 cpu_id=3");
    check_args("cpu_idle: state=0x cpu_id=0x3 (3)", NULL);
}

static void test_binder(void **state)
{
    (void)state;
    check_args("binder_transaction: transaction=100 dest_node=7 dest_proc=30 dest_thread=0 reply=0 "
               "flags=0x10 code=0x1f",
               " debug_id=100 target_node=7 to_proc=30 to_thread=0 reply=0 code=31 flags=16");
    check_args("binder_transaction: transaction=100 dest_node=7 dest_proc=30 dest_thread=0 reply=0 "
               "flags=zz code=0x1f",
               NULL);
    check_args("binder_transaction: transaction=100 dest_node=7 dest_proc=30 dest_thread=0 reply=0 "
               "flags= code=0x1f",
               NULL);
    check_args("binder_transaction_received: transaction=100", " debug_id=100");
    check_args("binder_transaction_alloc_buf: transaction=1 data_size=64 offsets_size=8",
               " data_size=64 offsets_size=8");
    check_args("binder_lock: tag=x", "");
}

/* --- lines that are no events ------------------------------------------------------------------
 */

#define GOOD "a-1 [0] 1.0: print: E\n"
#define GOOD_ROW "print 1000000000 1/0 c0 a buf='E'\n"

static void test_no_events(void **state)
{
    static seen s;
    (void)state;
    read_text(&s, "# tracer: nop\n\ncapturing trace... done\nTRACE:\ncpus=4\nCPU 1 is empty\r\n"
                  "a-1 [0] 1.0: print: E\r\n"
                  "CPU:2 [LOST 1234 EVENTS]\ngarbage\nb-2 [0] 1.0: no_such_event: x=1\n" GOOD
                  "\tffffffff81 f+0x1 (k)\n"
                  "t 7 [0] 1.0: ftrace:print: E\n\tffffffff81 f+0x1 (k)\n\n"
                  "a-1 [0] 1.0: pri");
    assert_string_equal(s.lines.text, GOOD_ROW "lost c2\n"
                                               "lost\n! 0 line 9 at 117 garbage\n" GOOD_ROW "lost\n"
                                               "! 0 line 12 at 179 \tffffffff81 f+0x1 (k)\n"
                                               "print 1000000000 7/0 c0 t buf='E'\n"
                                               "! 3 line 16 at 253 \n");
    assert_int_equal(s.counts.overruns, 1);
    assert_int_equal(s.counts.overrun_events, 1234);
    assert_int_equal(s.counts.unknown, 2);
    assert_int_equal(s.counts.not_supported, 1);
    assert_int_equal(s.counts.not_events, 6);
    assert_int_equal(s.counts.events, 3);
    assert_int_equal(s.counts.cut, 1);
    assert_int_equal(s.counts.lines, 13);
}

/* The forms of notes that events were lost, of the kernel, trace-cmd and perf script. */
static void test_lost_notes(void **state)
{
    static seen s;
    (void)state;
    read_text(&s,
              "CPU:3 [LOST EVENTS]\nCPU:1 [20 EVENTS DROPPED]\nCPU:0 [EVENTS DROPPED]\n"
              "a-b 7 [001] 2.5: PERF_RECORD_LOST lost 41\n" GOOD "##### CPU 2 buffer started ####\n"
              "CPU:x [LOST EVENTS]\nCPU:1 [LOST x EVENTS]\n"
              "a-1 [3] 1.5: cpu_idle: state=x\n##### CPU x buffer started ####\n");
    assert_string_equal(s.lines.text, "lost c3\nlost c1\nlost c0\nlost c1\n" GOOD_ROW "started c2\n"
                                      "lost\n! 0 line 7 at 165 CPU:x [LOST EVENTS]\n"
                                      "lost\n! 0 line 8 at 185 CPU:1 [LOST x EVENTS]\n"
                                      "lost c3 at 1500000000\n! 1 line 9 at 207 cpu_idle\n");
    assert_int_equal(s.counts.overruns, 4);
    assert_int_equal(s.counts.overrun_events, 61);
}

/* Lines of the kernel that are no events, and are not lost. */
static void test_stacks(void **state)
{
    static seen s;
    (void)state;
    read_text(&s,
              GOOD "a-1 [0] 1.0: <stack trace>\n => schedule\n=> f (ffff)\n"
                   "a-1 [0] 1.0: <user stack trace>\na-1 [0] 1.5: do_exit <-__x64_sys_exit\n" GOOD);
    assert_string_equal(s.lines.text, GOOD_ROW GOOD_ROW);
    assert_int_equal(s.counts.not_events, 5);
}

/* Calls of the system that are traced one by one are events, with or without a colon in the line.
 */
static void test_syscalls(void **state)
{
    static seen s;
    (void)state;
    read_text(&s, GOOD "a-1 [0] 1.0: sys_pread64(fd: 3, buf: 7f, count: 10, pos: 0)\n"
                       "a-1 [0] 1.1: sys_pread64 -> 0x1000\na-1 [0] 1.1: sys_sync()\n"
                       "a-1 [0] 1.1: sys_write -> 0xffffffffffffffea\n"
                       "a-1 [0] 1.2: sys_write -> 16\na-1 [0] 1.2: sys_write\n"
                       "a-1 [0] 1.2: sysfs_write -> 0x1\n" GOOD);
    assert_int_equal(s.counts.not_supported, 4);
    assert_int_equal(s.counts.unknown, 3);
    assert_int_equal(s.counts.events, 2);
    assert_false(s.counts.ticks);
}

/* Clocks that count no seconds. */
static void test_ticks(void **state)
{
    static const char *const none[] = {"a-1 [0] 1.5: x\n", "a-1 [0] 15 : x\n", "a-1 (x [0] 15: x\n",
                                       "a-1 [x] 15: x\n", "15: x\n"};
    static seen s;
    (void)state;
    read_text(&s, "a-b-1 (    7) [001] d..2. 106353219999620: sched_switch: prev_comm=a\n");
    assert_true(s.counts.ticks);
    assert_int_equal(s.counts.unknown, 1);
    for (size_t i = 0; i < sizeof none / sizeof *none; i++) {
        read_text(&s, none[i]);
        assert_false(s.counts.ticks);
    }
}

/* A last line that is complete needs no end, one of which something is missing is cut. */
static void test_last_line(void **state)
{
    (void)state;
    check("a-1 [0] 1.0: print: E", GOOD_ROW);
    check(GOOD "CPU:1 [LOST EVENTS]", GOOD_ROW "lost c1\n");
    check(GOOD "a-1 [0] 1.5: cpu_idle: sta", GOOD_ROW "! 3 line 2 at 22 \n");
}

/* Names with a number behind a dash, in lines of perf script. */
static void test_perf_names(void **state)
{
    (void)state;
    check("memfd:sealed-91 21579 [001] 1.0: ftrace:print: E\n",
          "print 1000000000 21579/0 c1 memfd:sealed-91 buf='E'\n");
}

/* The kernel did not always know what function writes markers. */
static void test_old_markers(void **state)
{
    (void)state;
    check("a-1 [0] 1.0: 0: B|1|x\n", "tracing_mark_write 1000000000 1/0 c0 a buf='B|1|x'\n");
}

/* Frames of a stack begin with an address. */
static void test_no_frames(void **state)
{
    (void)state;
    check("t 7 [0] 1.0: ftrace:print: E\n\tffffg f\n\tfff f\n\n",
          "print 1000000000 7/0 c0 t buf='E'\n"
          "lost\n! 0 line 2 at 29 \tffffg f\n");
}

/* A long line is lost, and only it. */
static void test_long_line(void **state)
{
    static seen s;
    const size_t sizes[] = {FTRACE_TEXT_MAX_LINE, FTRACE_TEXT_MAX_LINE + 1,
                            2 * FTRACE_TEXT_MAX_LINE + 5};
    (void)state;
    for (size_t i = 0; i < 3; i++) {
        for (size_t block = 4095; block < 5000000; block *= 1025) {
            const char prefix[] = "a-1 [0] 1.0: no_such: ";
            const size_t n = sizes[i];
            char *text = malloc(n + 64);
            memset(text, 'x', n);
            memcpy(text, prefix, sizeof prefix - 1);
            strcpy(text + n, "\n" GOOD);
            read_blocks(&s, text, strlen(text), block);
            assert_string_equal(s.lines.text,
                                i == 0 ? GOOD_ROW : "lost\n! 2 line 1 at 0 \n" GOOD_ROW);
            assert_int_equal(s.counts.lines, 2);
            free(text);
        }
    }
}

#define ELEMENT "<script class=\"trace-data\" type=\"application/text\">\n"

/* Long lines that would not be events: comments, and what stands around the trace of a page. */
static void test_long_rest(void **state)
{
    static const struct {
        const char *before, *after;
        uint64_t lines;
    } cases[] = {
        {"# ", "\n" GOOD, 1},
        {"<html>\n<script>", "\n" ELEMENT GOOD "</script>", 1},
        {"<html><script>", "\n" ELEMENT GOOD "</script>", 1},
        {"<html>\n" ELEMENT "{\n", "\n</script>" ELEMENT GOOD "</script>", 1},
    };
    static seen s;
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const size_t n = strlen(cases[i].before);
        char *text = malloc(FTRACE_TEXT_MAX_LINE + 200);
        memcpy(text, cases[i].before, n);
        memset(text + n, 'x', FTRACE_TEXT_MAX_LINE + 1);
        strcpy(text + n + FTRACE_TEXT_MAX_LINE + 1, cases[i].after);
        read_blocks(&s, text, strlen(text), 4095);
        assert_string_equal(s.lines.text, GOOD_ROW);
        assert_int_equal(s.counts.lines, cases[i].lines);
        assert_int_equal(s.counts.too_long, 0);
        free(text);
    }
}

static void test_pages(void **state)
{
    (void)state;
    check("<!DOCTYPE html>\n<html>\n-1 [0] 1.0: print: no\n"
          "<script class=\"trace-data\" type=\"application/text\">\n# tracer: nop\n" GOOD
          "  </script>\nb-2 [0] 1.0: print: no\n"
          "<script class=\"trace-data\" type=\"application/text\">" GOOD "</script>\n</html>",
          GOOD_ROW GOOD_ROW);
    check("<HTML><script class=\"trace-data\" type=\"application/text\">"
          "a-1 [0] 1.0: print: E</script></html>",
          GOOD_ROW);
    check("<html>\n\n<script>\n" GOOD "</script>\n", "");
    check("\xef\xbb\xbf" GOOD, GOOD_ROW);
    check("\xef\xbb\xbf<html>" ELEMENT GOOD, GOOD_ROW "! 3 line 2 at 83 \n");
    check("<html>" ELEMENT "\n  {\"traceEvents\":[]}\n" GOOD "</script>" ELEMENT GOOD "</script>",
          GOOD_ROW);
    check("<html>" ELEMENT, "! 3 line 1 at 58 \n");
}

/* The first systrace wrote the trace as a text of JavaScript; beside it the page has the program
 * that looks for it. */
static void test_old_pages(void **state)
{
    (void)state;
    check(
        "<!DOCTYPE HTML>\n<script>\nif (!/^  var linuxPerfData = \"\\\\$/.test(x)) y;\n</script>\n"
        "  <script>\n  var linuxPerfData = \"\\\n# tracer: nop\\n\\\n#\\n\\\n"
        "a-1 [0] 1.0: print: E\\n\\\n"
        "dummy-0000  [000] 0.0: 0: trace_event_clock_sync: parent_ts=0.0\\n\";\n  </script>\n"
        "</body>\n</html>\n",
        GOOD_ROW "tracing_mark_write 0 0/0 c0 dummy "
                 "buf='trace_event_clock_sync: parent_ts=0.0'\n");
    check("<html>" ELEMENT "# tracer: nop\\n\\\na-1 [0] 1.0: print: E\\n\\\n  </script>", GOOD_ROW);
}

static void test_clock_sync(void **state)
{
    static seen s;
    (void)state;
    read_text(&s, "a-1 [0] 5.5: tracing_mark_write: trace_event_clock_sync: parent_ts=12.25\n"
                  "a-1 [0] 5.6: tracing_mark_write: trace_event_clock_sync: realtime_ts=1600000\n"
                  "a-1 [0] 6.5: tracing_mark_write: trace_event_clock_sync: parent_ts=13.5\n");
    assert_true(s.counts.synced);
    assert_int_equal(s.counts.sync_ts, INT64_C(5500000000));
    assert_int_equal(s.counts.sync_monotonic, INT64_C(12250000000));
    assert_int_equal(s.counts.sync_realtime, INT64_C(1600000000000));
}

static void test_bad_utf8(void **state)
{
    static seen s;
    (void)state;
    read_text(&s, "a\xff-1 [0] 1.0: print: B|1|\xc3\xa9\xc3\n");
    assert_string_equal(s.lines.text, "print 1000000000 1/0 c0 a\xef\xbf\xbd buf='B|1|\xc3\xa9"
                                      "\xef\xbf\xbd'\n");
    assert_int_equal(s.counts.bad_texts, 2);
}

static void test_every_allocation_fails(void **state)
{
    static const char text[] = "a\xff-1 [0] 1.0: print: B|1|\xc3\xa9\xc3\n" GOOD;
    static seen s;
    ts_code code = TS_ERR_NOMEM;
    (void)state;
    for (uint64_t k = 1; code != TS_OK; k++) {
        test_failing fail = {.fail_at = k};
        const ftrace_text_calls calls = {&s, take, on_defect};
        ts_ctx *ctx = test_ctx_new();
        ftrace_text *t = NULL;
        memset(&s, 0, sizeof s);
        ctx->allocator = test_failing_allocator(&fail);
        code = ftrace_text_open(&t, ctx, &calls);
        for (size_t at = 0; at < sizeof text - 1 && code == TS_OK; at++) {
            code = ftrace_text_feed(t, text + at, 1);
        }
        code = code == TS_OK ? ftrace_text_end(t) : code;
        assert_true(code == TS_OK ? k > 4 : code == TS_ERR_NOMEM);
        ftrace_text_close(t);
        test_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines),        cmocka_unit_test(test_lines_as_expression),
        cmocka_unit_test(test_scheduling),   cmocka_unit_test(test_states),
        cmocka_unit_test(test_other_events), cmocka_unit_test(test_binder),
        cmocka_unit_test(test_no_events),    cmocka_unit_test(test_long_line),
        cmocka_unit_test(test_pages),        cmocka_unit_test(test_clock_sync),
        cmocka_unit_test(test_bad_utf8),     cmocka_unit_test(test_no_frames),
        cmocka_unit_test(test_lost_notes),   cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_last_line),    cmocka_unit_test(test_perf_names),
        cmocka_unit_test(test_old_markers),  cmocka_unit_test(test_old_pages),
        cmocka_unit_test(test_long_rest),    cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_fields),       cmocka_unit_test(test_syscalls),
        cmocka_unit_test(test_ticks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
