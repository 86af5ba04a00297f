/* ftrace-plugin and ffrt-profiler: recordings made by hand, and their rows. */
#include "ftrace_messages.h"

#include "parsers/ftrace/ftrace_event.h"

extern const ts_htrace_plugin ts_plugin_ftrace;

static const ts_htrace_plugin *const plugins[] = {&ts_plugin_ftrace, NULL};

#define FTRACE "ftrace-plugin"
#define BEGIN INT64_C(2000000000)

/* --- making events -----------------------------------------------------------------------------
 */

static unsigned kind_named(const char *name)
{
    unsigned kind = 0;
    while (kind < FTRACE_KINDS && strcmp(ftrace_kinds[kind].name, name) != 0) {
        kind++;
    }
    assert_true(kind < FTRACE_KINDS);
    return kind;
}

/* A field of the body, "name=value". */
static void put_body_field(bytes *body, const ftrace_kind_info *kind, const char *name, size_t n,
                           const char *value)
{
    unsigned i = 0;
    while (i < kind->field_count &&
           (strlen(kind->fields[i].name) != n || memcmp(kind->fields[i].name, name, n) != 0)) {
        i++;
    }
    assert_true(i < kind->field_count);
    if (kind->fields[i].is_text) {
        put_text(body, kind->fields[i].number, value);
    } else {
        put_number(body, kind->fields[i].number, (uint64_t)strtoll(value, NULL, 0));
    }
}

/* An event at BEGIN + at; fields: "name=value;name=value". */
static void put_event(bytes *detail, int64_t at, int32_t tgid, int32_t pid, const char *comm,
                      const char *kind_name, const char *fields)
{
    const ftrace_kind_info *kind = &ftrace_kinds[kind_named(kind_name)];
    bytes event = {0};
    bytes common = {0};
    bytes body = {0};
    char text[256];
    snprintf(text, sizeof text, "%s", fields);
    for (char *at_field = text, *next; at_field != NULL && *at_field != '\0'; at_field = next) {
        char *value = strchr(at_field, '=');
        next = strchr(at_field, ';');
        if (next != NULL) {
            *next++ = '\0';
        }
        put_body_field(&body, kind, at_field, (size_t)(value - at_field), value + 1);
    }
    put_number(&event, 1, (uint64_t)(BEGIN + at));
    put_number(&event, 2, (uint64_t)(int64_t)tgid);
    put_text(&event, 3, comm);
    put_number(&common, 4, (uint64_t)(int64_t)pid);
    put_part(&event, 50, &common);
    put_part(&event, kind->number, &body);
    put_part(detail, 2, &event);
}

static void put_print(bytes *detail, int64_t at, int32_t tgid, int32_t pid, const char *text)
{
    char field[200];
    snprintf(field, sizeof field, "buf=%s", text);
    put_event(detail, at, tgid, pid, pid == 20 ? "app" : "other", "print", field);
}

/* Ends the events of a CPU. */
static void put_detail(bytes *data, uint32_t cpu, bytes *detail)
{
    bytes all = {0};
    put_number(&all, 1, cpu);
    put(&all, detail->p, detail->n);
    free(detail->p);
    *detail = (bytes){0};
    put_part(data, 2, &all);
}

static void put_clock(bytes *data, const char *clock)
{
    bytes stats = {0};
    put_text(&stats, 3, clock);
    put_part(data, 1, &stats);
}

static void put_data(bytes *f, bytes *data)
{
    segment(f, FTRACE, data->p, data->n, 12 * S);
    free(data->p);
    *data = (bytes){0};
}

/* A message with one marker, and what it says of the clock of times; NULL: nothing. */
static void put_one(bytes *f, const char *clock, int64_t at, const char *text)
{
    bytes detail = {0};
    bytes data = {0};
    if (clock != NULL) {
        put_clock(&data, clock);
    }
    put_print(&detail, at, 20, 20, text);
    put_detail(&data, 0, &detail);
    put_data(f, &data);
}

/* The example sched.htrace; CPU 1 stands first, so that nothing is in order of time. */
static void put_sched(bytes *f)
{
    bytes c0 = {0};
    bytes c1 = {0};
    bytes data = {0};
    put_event(&c0, 0, 0, 0, "swapper", "sched_switch",
              "prev_comm=swapper;next_comm=app;next_pid=20;next_prio=120;prev_prio=120");
    put_event(&c0, 10, 20, 20, "app", "sched_waking", "pid=21;target_cpu=1");
    put_event(&c0, 20, 20, 20, "app", "sched_wakeup", "pid=21;target_cpu=1");
    put_event(&c1, 30, 30, 30, "svc", "sched_switch",
              "prev_comm=svc;prev_pid=30;next_comm=worker;next_pid=21;next_prio=120");
    put_event(&c0, 100, 20, 20, "app", "sched_switch",
              "prev_comm=app;prev_pid=20;prev_state=2;next_comm=swapper;next_prio=120");
    put_event(&c0, 110, 0, 0, "swapper", "sched_blocked_reason", "pid=20;iowait=1;caller=0x1000");
    put_event(&c1, 150, 20, 21, "worker", "sched_wakeup", "pid=20");
    put_event(&c0, 160, 0, 0, "swapper", "sched_switch",
              "prev_comm=swapper;next_comm=app;next_pid=20;next_prio=120");
    put_event(&c1, 200, 20, 21, "worker", "sched_switch",
              "prev_comm=worker;prev_pid=21;prev_state=2048;next_comm=svc;next_pid=30;"
              "next_prio=120");
    put_event(&c0, 260, 20, 20, "app", "sched_switch",
              "prev_comm=app;prev_pid=20;prev_state=1;next_comm=svc;next_pid=30;next_prio=120");
    put_event(&c1, 300, 30, 30, "svc", "sched_wakeup", "pid=20");
    put_event(&c1, 310, 30, 30, "svc", "sched_process_exit", "comm=worker;pid=21");
    put_event(&c0, 320, 30, 30, "svc", "task_rename", "pid=20;newcomm=com.app");
    put_detail(&data, 1, &c1);
    put_detail(&data, 0, &c0);
    put_data(f, &data);
}

static void check_sched(const run *r)
{
    CHECK_ROWS(r, sched_slice, "0|2000000000|100|2000000100|0|1|1|D|120|NULL|0|R",
               "1|2000000030|170|2000000200|1|2|1|R+|120|NULL|3|R",
               "2|2000000100|60|2000000160|0|0|0|R|120|NULL|1|D",
               "3|2000000160|100|2000000260|0|1|1|S|120|NULL|0|R",
               "4|2000000200|NULL|NULL|1|3|2|NULL|120|NULL|2|R+",
               "5|2000000260|NULL|NULL|0|3|2|NULL|120|NULL|1|S");
    CHECK_ROWS(r, thread_state, "0|2000000000|100|0|1|20|20|Running|NULL",
               "1|2000000020|10|NULL|2|21|20|R|NULL", "2|2000000030|170|1|2|21|20|Running|NULL",
               "3|2000000030|170|NULL|3|30|30|R|NULL", "4|2000000100|50|NULL|1|20|20|D-IO|0",
               "5|2000000150|10|NULL|1|20|20|R|NULL", "6|2000000160|100|0|1|20|20|Running|NULL",
               "7|2000000200|60|1|3|30|30|Running|NULL", "8|2000000200|NULL|NULL|2|21|20|R+|NULL",
               "9|2000000260|NULL|0|3|30|30|Running|NULL", "10|2000000260|40|NULL|1|20|20|S|NULL",
               "11|2000000300|NULL|NULL|1|20|20|R|NULL");
    assert_mem_row(r->sink, trace_range, 0, "2000000000|2000000320");
    assert_int_equal(stat_count(r, "sched_switch", "received"), 6);
}

static void test_scheduling(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    put_sched(&f);
    convert(&r, plugins, &f);
    check_sched(&r);
    check_counts(&r, "plugin_messages:ftrace-plugin", 1, 0, 0);
    check_no_issues(&r);
    assert_mem_row(r.sink, datasource_clockid, 0, "0|ftrace-plugin|1");
    run_free(&r);
}

/* A part of the time: the rows of events are not limited to it, and that is said. */
/* The header's clocks begin 1 s before the first event. */
static void test_time_range(void **state)
{
    const ts_time_range part = {TS_WANTED_OFFSET, S + 50, S + 100};
    const ts_time_range all = {TS_WANTED_REALTIME, 11 * S, INT64_MAX};
    const ts_time_range before = {TS_WANTED_REALTIME, INT64_MIN, 12 * S};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    put_sched(&f);
    convert_range(&r, plugins, &f, all);
    check_sched(&r);
    check_no_issues(&r);
    run_free(&r);
    convert_range(&r, plugins, &f, part);
    CHECK_ROWS(&r, sched_slice, "0|2000000000|100|2000000100|0|1|1|D|120|NULL|0|R",
               "1|2000000030|170|2000000200|1|2|1|R+|120|NULL|3|R");
    check_no_issues(&r);
    check_counts(&r, "plugin_messages:ftrace-plugin", 1, 0, 0);
    run_free(&r);
    convert_range(&r, plugins, &f, before);
    assert_int_equal(MEM_ROWS(r.sink, sched_slice) + MEM_ROWS(r.sink, thread_state), 0);
    assert_int_equal(MEM_ROWS(r.sink, thread), 4);
    assert_mem_row(r.sink, trace_range, 0, "0|1");
    run_free(&r);
    free(f.p);
}

/* A clock that nothing is known of: all is kept. */
static void test_time_range_unrelated(void **state)
{
    const ts_time_range real = {TS_WANTED_REALTIME, INT64_MIN, 12 * S};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    put_one(&f, "global", 0, "B|20|outer");
    convert_range(&r, plugins, &f, real);
    assert_int_equal(MEM_ROWS(r.sink, callstack), 1);
    assert_int_equal(issues(&r, "time_range_unrelated"), 1);
    run_free(&r);
    free(f.p);
}

/* The range goes on behind a gap; rows and sets of arguments are numbered on. */
static void test_time_range_gap(void **state)
{
    const ts_time_range part = {TS_WANTED_OFFSET, S + 5, S + 105};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (int64_t at = 0; at <= 100; at += 100) {
        bytes detail = {0};
        bytes data = {0};
        if (at > 0) {
            put_gap(&f);
        }
        put_print(&detail, at, 20, 20, "B|20|ends");
        put_print(&detail, at + 1, 20, 20, "E|20");
        put_event(&detail, at + 2, 20, 20, "app", "binder_transaction", "debug_id=1;flags=1");
        put_print(&detail, at + 3, 20, 20, "B|20|open");
        put_event(&detail, at + 4, 20, 20, "app", "binder_transaction", "debug_id=2;flags=16");
        put_detail(&data, 0, &detail);
        put_data(&f, &data);
    }
    convert_range(&r, plugins, &f, part);
    assert_int_equal(MEM_ROWS(r.sink, callstack), 6);
    assert_int_equal(MEM_INT(r.sink, callstack, 0, ts), BEGIN + 3);
    assert_int_equal(MEM_INT(r.sink, callstack, 1, parent_id), 0);
    assert_int_equal(MEM_INT(r.sink, callstack, 1, argsetid), 0);
    assert_int_equal(MEM_INT(r.sink, callstack, 2, ts), BEGIN + 100);
    assert_int_equal(MEM_INT(r.sink, callstack, 3, argsetid), 1);
    assert_int_equal(MEM_INT(r.sink, callstack, 5, argsetid), 2);
    assert_int_equal(MEM_INT(r.sink, callstack, 5, parent_id), 4);
    assert_int_equal(MEM_INT(r.sink, args, 20, argset), 2);
    run_free(&r);
    free(f.p);
}

/* The same CPU by CPU in segments of their own, the events of a CPU in any order. */
static void test_order_of_time(void **state)
{
    static const int64_t times[] = {50, 10, 30, 20, 40, 0};
    bytes f;
    bytes detail = {0};
    bytes data = {0};
    run r;
    (void)state;
    begin(&f);
    for (size_t i = 0; i < 6; i++) {
        char text[20];
        snprintf(text, sizeof text, "C|20|n|%d", (int)i);
        put_print(&detail, times[i] / 20, 20, 20, text); /* three times, two events each */
        put_detail(&data, (uint32_t)i, &detail);
        put_data(&f, &data);
    }
    convert(&r, plugins, &f);
    /* 2 (10), 1 (30, 20) and 0 (0 ns later): equal times in the order of the recording. */
    CHECK_ROWS(&r, process_measure, "measure|2000000000|0|1|0", "measure|2000000000|1|5|0",
               "measure|2000000001|0|2|0", "measure|2000000001|1|3|0", "measure|2000000002|0|0|0",
               "measure|2000000002|NULL|4|0");
    run_free(&r);
}

/* Times of the clock mono, before and behind those of boot; the clocks of `begin`, and mono 0.5 s:
 * boottime is half a second more. */
static void test_clocks(void **state)
{
    for (int late = 0; late < 2; late++) {
        bytes f;
        run r;
        (void)state;
        begin_late(&f);
        if (!late) {
            message(&f, "32(0801 12(0801)) 32(0804 12(1080cab5ee01))");
        }
        put_one(&f, "mono", 0, "C|20|n|1");
        if (late) {
            message(&f, "32(0801 12(0801)) 32(0804 12(1080cab5ee01))");
        }
        put_one(&f, "boot", 500000000 - 5, "C|20|n|2");
        convert(&r, plugins, &f);
        CHECK_ROWS(&r, process_measure, "measure|2499999995|5|2|0", "measure|2500000000|NULL|1|0");
        assert_mem_row(r.sink, datasource_clockid, 0, "0|ftrace-plugin|1");
        run_free(&r);
    }
}

static void put_one_clock(bytes *data, uint64_t clock, uint64_t ns)
{
    bytes time = {0};
    bytes detail = {0};
    put_number(&time, 1, ns / (uint64_t)S);
    put_number(&time, 2, ns % (uint64_t)S);
    put_number(&detail, 1, clock);
    put_part(&detail, 2, &time);
    put_part(data, 6, &detail);
}

/* Boottime is 1 s; mono 0: it is not known. */
static void put_clocks(bytes *f, uint64_t mono)
{
    bytes data = {0};
    put_one_clock(&data, 1, (uint64_t)S);
    if (mono != 0) {
        put_one_clock(&data, 4, mono);
    }
    put_data(f, &data);
}

/* Clocks that cannot be related: times stay as they are. */
static void test_unrelated_clocks(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin_late(&f);
    put_clocks(&f, 0);
    put_one(&f, "boot", 0, "C|20|n|1");
    put_one(&f, "mono", 5, "C|20|n|2");
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, process_measure, "measure|2000000000|5|1|0", "measure|2000000005|NULL|2|0");
    assert_int_equal(issues(&r, "clock_missing"), 1);
    run_free(&r);
    begin_late(&f);
    set_le(&f, 60, S, 8); /* boottime, and the third clock, which is above 63 bits */
    set_le(&f, 84, UINT64_MAX, 8);
    put_one(&f, "mono", 0, "C|20|n|1");
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, process_measure, "measure|2000000000|NULL|1|0");
    run_free(&r);
}

/* Times that do not fit 64 bits when they are moved: of the clock of the first event, of another.
 */
static void test_times_beyond(void **state)
{
    static const char *const first[] = {"mono", "boot"};
    (void)state;
    for (size_t i = 0; i < 2; i++) {
        bytes f;
        run r;
        begin_late(&f);
        put_clocks(&f, (uint64_t)S / 2);
        put_one(&f, first[i], 0, "C|20|n|1");
        put_one(&f, "mono", INT64_MAX - BEGIN - 5, "C|20|n|2");
        convert(&r, plugins, &f);
        assert_int_equal(MEM_ROWS(r.sink, process_measure), 1);
        assert_int_equal(MEM_INT(r.sink, process_measure, 0, ts), BEGIN + (i == 0 ? S / 2 : 0));
        assert_int_equal(issues(&r, "time_overflow"), 1);
        check_counts(&r, "ftrace_events:(none that is known)", 0, 1, 0);
        run_free(&r);
    }
}

/* A clock that is none of the recording's: times as they are, and an issue. */
static void test_other_clock(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    put_one(&f, "global", 0, "C|20|n|1");
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, process_measure, "measure|2000000000|NULL|1|0");
    assert_int_equal(issues(&r, "ftrace_clock_unknown"), 1);
    assert_int_equal(MEM_ROWS(r.sink, datasource_clockid), 0);
    run_free(&r);
}

/* What the kernel lost; kinds that are not handled; events that cannot be read. */
static void test_losses(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    message(&f, "0a(0801 12(0800 1807) 12(0803 4006) 12(0805) 1a())");
    message(&f, "12(0801 1805)");                             /* five were overwritten */
    message(&f, "12(12(0801 a206()) 12(0801))");              /* no kind that is handled */
    message(&f, "12(12(aa45(12(43)) 0f) 12(0801 aa450105))"); /* damaged, and odd */
    message(&f, "12(12(08ffffffffffffffffff01 aa45()))");     /* no time */
    convert(&r, plugins, &f);
    assert_int_equal(issues(&r, "ftrace_overrun"), 3); /* CPUs 0, 1 and 3 */
    check_counts(&r, "ftrace_events:dropped", 0, 7 + 6 + 5, 0);
    assert_int_equal(stat_count(&r, "other", "data_lost"), 1);
    assert_int_equal(stat_count(&r, "other", "not_supported"), 2);
    assert_int_equal(issues(&r, "plugin_bad_message"), 2);
    assert_int_equal(issues(&r, "time_overflow"), 1);
    check_counts(&r, "plugin_messages:ftrace-plugin", 4, 1, 0);
    check_counts(&r, "ftrace_events:(none that is known)", 0, 3, 2);
    run_free(&r);
}

/* What was lost before the recording began is not lost from it; a counter may begin anew. */
static void test_lost_before(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    message(&f, "0a(12(0800 1807) 12(0801 1807) 12(0802 1809))");
    message(&f, "0a(0801 12(0800 1807) 12(0801 1808) 12(0802 1803))");
    convert(&r, plugins, &f);
    assert_int_equal(issues(&r, "ftrace_overrun"), 2);
    check_counts(&r, "ftrace_events:dropped", 0, 1 + 3, 0);
    run_free(&r);
}

/* Events of CPU 1 are missing before its second list: what goes on there is not known, nor what a
 * thread did that may have run there; what a thread did that ran on CPU 0 is. */
static void test_overwritten(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (unsigned part = 0; part < 3; part++) {
        static const struct {
            unsigned cpu, overwritten;
            int64_t first;
            const char *texts[2];
        } parts[] = {{0, 0, 0, {"C|20|n|1", "B|20|x"}},
                     {1, 0, 10, {"C|20|m|1", "C|20|m|2"}},
                     {1, 9, 20, {"C|20|m|3", "C|20|m|4"}}};
        bytes detail = {0};
        bytes data = {0};
        for (int64_t i = 0; i < 2; i++) {
            put_print(&detail, parts[part].first + i, 20, 20, parts[part].texts[i]);
        }
        if (parts[part].overwritten > 0) {
            put_number(&detail, 3, parts[part].overwritten);
        }
        put_detail(&data, parts[part].cpu, &detail);
        put_data(&f, &data);
    }
    put_one(&f, NULL, 30, "E|20");
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, process_measure, "measure|2000000000|NULL|1|0", "measure|2000000010|1|1|1",
               "measure|2000000011|NULL|2|1", "measure|2000000020|1|3|1",
               "measure|2000000021|NULL|4|1");
    assert_true(MEM_NULL(r.sink, callstack, 0, dur));
    assert_int_equal(issues(&r, "ftrace_gap"), 1);
    assert_int_equal(issues(&r, "ftrace_overrun"), 1);
    check_counts(&r, "ftrace_events:dropped", 0, 9, 0);
    run_free(&r);
}

/* What a list of a CPU may hold beside its events; an event whose time is a text; a CPU that is
 * named behind more events than are held. */
static void test_odd_details(void **state)
{
    bytes f;
    bytes data = {0};
    bytes detail = {0};
    char *text = malloc((1 << 20) - 90);
    run r;
    (void)state;
    begin(&f);
    message(&f, "12(0801 2005 12(0801 aa45(12(45))))");
    message(&f, "12(12(0a() aa45(12(45))))");
    convert(&r, plugins, &f);
    assert_int_equal(issues(&r, "plugin_bad_field"), 1);
    check_counts(&r, "ftrace_events:print", 1, 0, 0);
    check_counts(&r, "ftrace_events:(none that is known)", 0, 1, 0);
    check_counts(&r, "plugin_messages:ftrace-plugin", 1, 1, 0);
    run_free(&r);
    begin(&f);
    memset(text, 'x', (1 << 20) - 91);
    text[(1 << 20) - 91] = '\0';
    memcpy(text, "B|20|", 5);
    for (int64_t i = 0; i < 5; i++) {
        bytes body = {0};
        bytes event = {0};
        put_text(&body, 2, text);
        put_number(&event, 1, (uint64_t)(BEGIN + i));
        put_part(&event, 1109, &body);
        put_part(&detail, 2, &event);
    }
    put_number(&detail, 1, 3);
    put_part(&data, 2, &detail);
    put_data(&f, &data);
    run_begin_with(&r, plugins, NULL, 0);
    run_feed(&r, f.p, f.n, f.n);
    run_end(&r);
    assert_int_equal(r.code, TS_OK);
    assert_int_equal(issues(&r, "plugin_bad_message"), 1);
    assert_int_equal(MEM_ROWS(r.sink, callstack), 5);
    run_free(&r);
    free(f.p);
    free(text);
}

static void put_overruns(bytes *f, uint64_t cpus)
{
    bytes stats = {0};
    bytes data = {0};
    put_number(&stats, 1, 1);
    for (uint64_t cpu = 0; cpu < cpus; cpu++) {
        bytes one = {0};
        put_number(&one, 1, cpu);
        put_number(&one, 3, 7);
        put_part(&stats, 2, &one);
    }
    put_part(&data, 1, &stats);
    put_data(f, &data);
}

/* Counters are kept of 4096 CPUs. */
static void test_many_cpus(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    put_overruns(&f, 4100);
    run_begin_with(&r, plugins, NULL, 0);
    run_feed(&r, f.p, f.n, f.n);
    run_end(&r);
    assert_int_equal(r.code, TS_OK);
    assert_true(issues(&r, "ftrace_overrun") > 0 && issues(&r, "ftrace_overrun") <= 4096);
    run_free(&r);
    free(f.p);
}

/* Symbols are rows; a process without a name gets that of the list. */
static void test_names(void **state)
{
    bytes f;
    bytes detail = {0};
    bytes data = {0};
    run r;
    (void)state;
    begin(&f);
    put_event(&detail, 0, 20, 20, "", "print", "buf=B|33|x");
    put_detail(&data, 0, &detail);
    put_data(&f, &data);
    message(&f, "2a(0820 12(66)) 2a(088080808080808080f001) 42(0821 12(6e))");
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, symbols, "0|f|32", "1||-1152921504606846976");
    assert_int_equal(MEM_ROWS(r.sink, callstack), 1);
    bool named = false;
    for (size_t i = 0; i < MEM_ROWS(r.sink, process); i++) {
        const ts_row_process *row = MEM_ROW(r.sink, process, i);
        named = named || (row->pid == 33 && ts_text_is(row->name, "n"));
    }
    assert_true(named);
    run_free(&r);
}

/* --- ffrt-profiler ------------------------------------------------------------------------------
 */

static void put_ffrt(bytes *f, int64_t at, int32_t tid, const char *process, const char *type,
                     const char *label, int64_t cookie)
{
    bytes event = {0};
    bytes trace = {0};
    bytes data = {0};
    put_number(&event, 1, 2);
    put_number(&event, 2, (uint64_t)at);
    put_number(&event, 4, 20);
    put_number(&event, 5, (uint64_t)tid);
    if (type == NULL) {
        put_text(&event, 6, process);
    } else {
        put_text(&trace, 2, type);
        put_field(&trace, 3, label, strlen(label) + 1); /* with its zero */
        if (cookie != 0) {
            put_number(&trace, 4, (uint64_t)cookie);
        }
        put_part(&event, 8, &trace);
    }
    put_part(&data, 1, &event);
    segment(f, "ffrt-profiler", data.p, data.n, 12 * S);
    free(data.p);
}

/* Markers of ffrt stand among those of the kernel, in order of time. */
static void test_ffrt(void **state)
{
    bytes f;
    bytes detail = {0};
    bytes data = {0};
    run r;
    (void)state;
    begin(&f);
    hex(&f, "ffrt-profiler_config", "2001", 12 * S); /* boottime */
    put_ffrt(&f, 0, 21, "com.app", NULL, NULL, 0);
    put_ffrt(&f, 10, 21, NULL, "B", "task", 0);
    put_ffrt(&f, 30, 21, NULL, "E", "", 0);
    put_ffrt(&f, 40, 21, NULL, "S", "wait", 7);
    put_print(&detail, 20, 20, 21, "B|20|H:inner");
    put_print(&detail, 25, 20, 21, "E|20|");
    put_print(&detail, 45, 20, 20, "F|20|H:wait|7");
    put_detail(&data, 0, &detail);
    put_data(&f, &data);
    hex(&f, "ffrt-profiler", "0a06 0802 4a020801", 12 * S); /* raw */
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, callstack), 3);
    assert_int_equal(MEM_INT(r.sink, callstack, 0, dur), 20);
    assert_int_equal(MEM_INT(r.sink, callstack, 1, dur), 5);
    assert_int_equal(MEM_INT(r.sink, callstack, 1, depth), 1);
    assert_int_equal(MEM_INT(r.sink, callstack, 2, cookie), 7);
    assert_int_equal(MEM_INT(r.sink, callstack, 2, dur), 5);
    assert_mem_text(r.sink, callstack, 0, name, "H:task");
    assert_int_equal(stat_count(&r, "trace_ffrt", "received"), 3);
    assert_int_equal(stat_count(&r, "tracing_mark_write", "received"),
                     3 + 3); /* viewers look there */
    check_counts(&r, "plugin_records:ffrt-profiler", 4, 0, 1);
    check_counts(&r, "plugin_messages:ffrt-profiler", 5, 0, 0);
    check_counts(&r, "plugin_messages:ffrt-profiler_config", 1, 0, 0);
    run_free(&r);
}

/* Names of threads, also of those without markers. */
static void test_ffrt_names(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    put_ffrt(&f, 10, 22, NULL, "B", "task", 0);
    put_ffrt(&f, 0, 21, "worker", NULL, NULL, 0);
    put_ffrt(&f, 0, 20, "com.app", NULL, NULL, 0);
    put_ffrt(&f, 20, 21, NULL, "B", "task", 0);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, callstack), 2);
    assert_int_equal(MEM_ROWS(r.sink, thread), 4);
    assert_mem_text(r.sink, thread, 1, name, "worker");
    assert_mem_text(r.sink, thread, 2, name, "com.app");
    assert_mem_text(r.sink, process, 1, name, "com.app");
    run_free(&r);
}

static void test_ffrt_damage(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, "ffrt-profiler_config", "2009", 12 * S); /* no such clock */
    hex(&f, "ffrt-profiler", "0a08 0802 2014 2815 4205", 12 * S);
    hex(&f, "ffrt-profiler", "0a0c 0802 2014 2815 4204 0a00 1005", 12 * S); /* type is a number */
    hex(&f, "ffrt-profiler", "0a0a 0a00 2014 2815 4200 0a00", 12 * S);      /* time is a text */
    convert(&r, plugins, &f);
    assert_int_equal(issues(&r, "ftrace_clock_unknown"), 1);
    assert_true(LOST(&r, "plugin_records:ffrt-profiler") >= 2);
    assert_int_equal(LOST(&r, "plugin_messages:ffrt-profiler"), 3);
    run_free(&r);
}

/* --- damage -------------------------------------------------------------------------------------
 */

static void test_cut_recording(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    put_sched(&f);
    hex(&f, "ffrt-profiler_config", "2001", 12 * S);
    put_ffrt(&f, 10, 21, NULL, "B", "task", 0);
    for (size_t n = 1024; n < f.n; n++) {
        run r;
        run_begin_with(&r, plugins, NULL, 0);
        run_feed(&r, f.p, n, n);
        run_end(&r);
        assert_int_equal(r.code, TS_OK);
        check_run(&r, n);
        assert_int_equal(issues(&r, "plugin_bad_message"), 0); /* the container has said it */
        run_free(&r);
    }
    free(f.p);
}

/* A message that stands twice: its events count once, those of one time with others between. */
static void test_repeated(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    put_sched(&f);
    put_sched(&f);
    convert(&r, plugins, &f);
    check_sched(&r);
    assert_int_equal(issues(&r, "sample_repeated"), 1);
    check_counts(&r, "ftrace_events:(none that is known)", 0, 0, 13);
    run_free(&r);
}

/* Bytes that are no segment stand between two messages: nothing is joined across them. */
static void test_gap(void **state)
{
    bytes f;
    bytes detail = {0};
    bytes data = {0};
    run r;
    (void)state;
    begin(&f);
    put_print(&detail, 0, 20, 20, "B|20|outer");
    put_print(&detail, 10, 20, 20, "C|20|n|1");
    put_detail(&data, 0, &detail);
    put_data(&f, &data);
    put(&f, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12);
    put_print(&detail, 100, 20, 20, "E|20");
    put_print(&detail, 110, 20, 20, "C|20|n|2");
    put_print(&detail, 120, 20, 20, "B|20|later");
    put_print(&detail, 130, 20, 20, "E|20");
    put_detail(&data, 0, &detail);
    put_data(&f, &data);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, callstack), 2);
    assert_true(MEM_NULL(r.sink, callstack, 0, dur));
    assert_int_equal(MEM_INT(r.sink, callstack, 1, dur), 10);
    assert_int_equal(MEM_INT(r.sink, callstack, 1, depth), 0);
    assert_true(MEM_NULL(r.sink, callstack, 1, parent_id));
    CHECK_ROWS(&r, process_measure, "measure|2000000010|NULL|1|0", "measure|2000000110|NULL|2|0");
    assert_int_equal(issues(&r, "ftrace_gap"), 1);
    run_free(&r);
}

/* A block of several messages stands twice, behind what cannot be read. */
static void test_doubled_block(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    put_one(&f, NULL, 0, "C|20|n|1");
    put_one(&f, NULL, 10, "C|20|n|2");
    put(&f, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12);
    put_one(&f, NULL, 0, "C|20|n|1");
    put_one(&f, NULL, 10, "C|20|n|2");
    put_one(&f, NULL, 20, "C|20|n|3");
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, process_measure, "measure|2000000000|10|1|0", "measure|2000000010|NULL|2|0",
               "measure|2000000020|NULL|3|0");
    assert_int_equal(issues(&r, "sample_repeated"), 1);
    check_counts(&r, "ftrace_events:(none that is known)", 0, 0, 2);
    run_free(&r);
}

/* Each kind of loss, and texts of all lengths up to one that does not fit what is there. */
static void put_losses(bytes *f)
{
    char label[600] = "";
    put_sched(f);
    put_sched(f);
    put(f, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 12);
    put_one(f, NULL, 400, "C|20|n|1");
    put_one(f, NULL, 400, "C|20|n|1");
    message(f, "12(12(08ffffffffffffffffff01 aa45()) 12(0801 a206()) 12(12(43)) 12(0a() aa45()))");
    put_overruns(f, 300);
    message(f, "12(0801 1805 0f) 12(0a00) 0a(0801 12(0800 1807))");
    put_ffrt(f, 0, 21, "com.app", NULL, NULL, 0);
    for (size_t n = 1; n < 280; n++) {
        label[n - 1] = 'x';
        put_ffrt(f, 10, 21, NULL, "B", label, 7);
    }
    memset(label, 'x', sizeof label - 1);
    put_ffrt(f, 10, 21, NULL, "B", label, 7);
    hex(f, "ffrt-profiler", "0a08 0802 2014 2815 4205", 12 * S);
    hex(f, "ffrt-profiler", "0a0a 0802 2014 2815 3000 3800", 12 * S);
}

static void test_every_failure_of_losses(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    put_losses(&f);
    run_begin_with(&r, plugins, NULL, 0);
    run_feed(&r, f.p, f.n, f.n);
    run_end(&r);
    assert_int_equal(r.code, TS_OK);
    assert_true(issues(&r, "sample_repeated") > 0 && issues(&r, "ftrace_gap") == 1);
    assert_true(LOST(&r, "plugin_records:ffrt-profiler") >= 1);
    run_free(&r);
    check_puts(plugins, &f);
    check_allocations(plugins, &f);
}

/* What was overwritten is recorded at the end: behind so many texts of other segments that there is
 * no room for one of its own. */
static void test_overruns_without_room(void **state)
{
    (void)state;
    for (int others = 30; others < 60; others++) {
        bytes f;
        begin(&f);
        put_overruns(&f, 1);
        for (int i = 0; i < others; i++) {
            char name[20];
            snprintf(name, sizeof name, "other-%d", i);
            segment(&f, name, "", 0, 12 * S);
        }
        check_allocations(plugins, &f);
    }
}

static void test_every_allocation_fails(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    put_sched(&f);
    put_ffrt(&f, 0, 21, "com.app", NULL, NULL, 0);
    put_ffrt(&f, 10, 21, NULL, "B", "task", 0);
    message(&f, "0a(0801 12(0800 1807) 1a(30)) 2a(0820 12(66)) 42(0821 12(6e))");
    check_allocations_range(plugins, &f, (ts_time_range){TS_WANTED_OFFSET, S + 5, S + 305});
    check_allocations(plugins, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_scheduling),
        cmocka_unit_test(test_time_range),
        cmocka_unit_test(test_time_range_unrelated),
        cmocka_unit_test(test_time_range_gap),
        cmocka_unit_test(test_order_of_time),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_other_clock),
        cmocka_unit_test(test_unrelated_clocks),
        cmocka_unit_test(test_times_beyond),
        cmocka_unit_test(test_odd_details),
        cmocka_unit_test(test_many_cpus),
        cmocka_unit_test(test_losses),
        cmocka_unit_test(test_lost_before),
        cmocka_unit_test(test_overwritten),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_ffrt),
        cmocka_unit_test(test_ffrt_names),
        cmocka_unit_test(test_ffrt_damage),
        cmocka_unit_test(test_cut_recording),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_doubled_block),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_every_failure_of_losses),
        cmocka_unit_test(test_overruns_without_room),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
