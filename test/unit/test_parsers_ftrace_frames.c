/* frame_slice, frame_maps, gpu_slice: the example frames.htrace of the format's description. */
#include "ftrace_events.h"

#define MS INT64_C(1000000)

static void app(bench *b, int64_t ms, const char *text)
{
    print_at(b, ms * MS, 20, 20, "app", text);
}

static void service(bench *b, int64_t ms, const char *text)
{
    print_at(b, ms * MS, 40, 40, "render_service", text);
}

static void receive(bench *b, bool of_app, int64_t ms, int64_t now, int64_t end, int vsync)
{
    char text[256];
    snprintf(text, sizeof text,
             "B|%d|H:ReceiveVsync dataCount:24bytes now:%lld expectedEnd:%lld vsyncId:%d",
             of_app ? 20 : 40, (long long)(BEGIN + now), (long long)(BEGIN + end), vsync);
    (of_app ? app : service)(b, ms, text);
}

static void put_example(bench *b)
{
    receive(b, true, 0, -100, 16 * MS, 7);
    app(b, 1, "B|20|H:OnVsyncEvent now:1");
    app(b, 2, "B|20|H:MarshRSTransactionData cmdCount:1 transactionFlag:[20,8]");
    app(b, 3, "E|20");
    app(b, 4, "E|20");
    app(b, 5, "E|20");
    receive(b, false, 16, 16 * MS - 50, 32 * MS, 8);
    service(b, 17, "B|40|H:RSMainThread::ProcessCommandUni [20,8]");
    service(b, 18, "E|40");
    service(b, 19, "B|40|H:RSMainThread::DoComposition");
    service(b, 20, "S|40|H:M: Frame queued|1");
    service(b, 21, "E|40");
    service(b, 22, "E|40");
    service(b, 40, "F|40|H:M: Frame queued|1");
    receive(b, true, 50, 50 * MS, 60 * MS, 9);
    app(b, 70, "E|20");
}

static void test_example(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    put_example(&b);
    bench_end(&b);
    /* id, ts, vsync, ipid, itid, callstack_id, dur, src, dst, type, type_desc, flag, depth,
     * frame_no */
    CHECK_ROWS(&b, frame_slice, "0|2000000000|7|1|1|0|4000000|NULL|2|0|actural|0|0|0",
               "1|1999999900|7|1|1|0|16000100|NULL|3|1|expect|NULL|0|0",
               "2|2016000000|8|2|2|3|24000000|0|NULL|0|actural|1|0|0",
               "3|2015999950|8|2|2|3|16000050|1|NULL|1|expect|NULL|0|0",
               "4|2050000000|9|1|1|7|20000000|NULL|NULL|0|actural|2|NULL|0",
               "5|2050000000|9|1|1|7|10000000|NULL|NULL|1|expect|2|NULL|0");
    CHECK_ROWS(&b, frame_maps, "0|0|2", "1|1|3");
    CHECK_ROWS(&b, gpu_slice, "0|2|20000000");
    assert_int_equal(stat_of(&b, "trace_vsync", "received"), 3);
    assert_int_equal(stat_of(&b, "trace_vsync", "not_match"), 1);
    assert_int_equal(stat_of(&b, "trace_on_do_composition", "received"), 1);
    assert_int_equal(stat_of(&b, "trace_frame_queue", "received"), 1);
    bench_free(&b);
}

/* The frame that the application's one is shown in, which is not written itself. */
static void test_range(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    bench_limit(&b, 20 * MS, 50 * MS);
    put_example(&b);
    bench_end(&b);
    CHECK_ROWS(&b, frame_slice, "0|2016000000|8|2|2|0|24000000|NULL|NULL|0|actural|1|0|0",
               "1|2015999950|8|2|2|0|16000050|NULL|NULL|1|expect|NULL|0|0");
    assert_int_equal(MEM_ROWS(b.mem, frame_maps), 0);
    CHECK_ROWS(&b, gpu_slice, "0|0|20000000");
    assert_int_equal(MEM_ROWS(b.mem, callstack), 3);
    bench_free(&b);
    bench_begin(&b, NULL);
    bench_limit(&b, 4 * MS, 17 * MS);
    put_example(&b);
    bench_end(&b);
    CHECK_ROWS(&b, frame_maps, "0|0|2", "1|1|3");
    assert_mem_text(b.mem, frame_slice, 2, src, "0");
    bench_free(&b);
}

/* A frame is shown by one that begins behind the range. */
static void test_range_before(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    bench_limit(&b, 0, 10 * MS);
    put_example(&b);
    bench_end(&b);
    CHECK_ROWS(&b, frame_slice, "0|2000000000|7|1|1|0|4000000|NULL|NULL|0|actural|0|0|0",
               "1|1999999900|7|1|1|0|16000100|NULL|NULL|1|expect|NULL|0|0");
    assert_int_equal(MEM_ROWS(b.mem, frame_maps), 0);
    bench_free(&b);
}

/* A number that is given twice is one; texts without the numbers that they should have say
 * nothing. */
static void test_numbers(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    receive(&b, true, 0, 0, 16 * MS, 7);
    for (int i = 0; i < 2; i++) {
        app(&b, 1, "B|20|H:MarshRSTransactionData cmdCount:1 transactionFlag:[20,8]");
        app(&b, 1, "E|20");
    }
    app(&b, 2, "B|20|H:MarshRSTransactionData cmdCount:1 transactionFlag:20,9");
    app(&b, 2, "E|20");
    app(&b, 3, "E|20");
    receive(&b, false, 16, 16 * MS, 32 * MS, 8);
    service(&b, 17, "B|40|H:RSMainThread::ProcessCommandUni [20,8][20,9]");
    service(&b, 18, "E|40");
    service(&b, 20, "E|40");
    bench_end(&b);
    CHECK_ROWS(&b, frame_maps, "0|0|2", "1|1|3");
    bench_free(&b);
}

/* Of frames on other threads than the main one: UIVsyncTask says the number, if it can be read. */
static void test_tasks(void **state)
{
    static const struct {
        const char *text;
        bool known;
    } cases[] = {
        {"B|20|H:UIVsyncTask[timestamp:5][vsyncID:7]", true},
        {"B|20|H:UIVsyncTask[timestamp:x][vsyncID:7]", false},
        {"B|20|H:UIVsyncTask[timestamp:5][vsyncID:]", false},
        {"B|20|H:UIVsyncTask[vsyncID:7]", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        bench b;
        bench_begin(&b, NULL);
        print_at(&b, 0, 20, 21, "worker", "B|20|H:OnVsyncEvent now:1");
        print_at(&b, MS, 20, 21, "worker", cases[i].text);
        bench_end(&b);
        assert_int_equal(MEM_ROWS(b.mem, frame_slice), 1);
        assert_int_equal(!MEM_NULL(b.mem, frame_slice, 0, vsync), cases[i].known);
        bench_free(&b);
    }
}

/* An event that comes too late ends a frame before its beginning: its length is not known. */
static void test_ends_before(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    receive(&b, true, 10, 10 * MS, 26 * MS, 7);
    app(&b, 5, "E|20");
    bench_end(&b);
    CHECK_ROWS(&b, frame_slice, "0|2010000000|7|1|1|0|NULL|NULL|NULL|0|actural|2|NULL|0",
               "1|2010000000|7|1|1|0|16000000|NULL|NULL|1|expect|2|NULL|0");
    bench_free(&b);
}

/* The frame that was queued is over before its end: the next one has row 2. */
static void put_other_queued(bench *b)
{
    receive(b, false, 1, MS, 9 * MS, 1);
    service(b, 2, "B|40|H:MarshRSTransactionData cmdCount:1 transactionFlag:[40,8]");
    service(b, 2, "E|40");
    service(b, 3, "S|40|H:M: Frame queued|1");
    service(b, 4, "E|40");
    receive(b, false, 5, 5 * MS, 13 * MS, 2);
    service(b, 5, "B|40|H:RSMainThread::DoComposition");
    service(b, 6, "F|40|H:M: Frame queued|1");
}

/* --compat: the time of the end in place of a length; open frames take no lane. */
static void test_compat(void **state)
{
    bench b;
    (void)state;
    bench_begin_compat(&b);
    put_other_queued(&b);
    receive(&b, false, 8, 8 * MS, 13 * MS, 2);
    bench_end(&b);
    CHECK_ROWS(&b, gpu_slice, "0|2|2006000001");
    assert_true(MEM_NULL(b.mem, frame_slice, 2, dur));
    assert_int_equal(MEM_INT(b.mem, frame_slice, 4, depth), 0);
    bench_free(&b);
}

/* An end whose frame is not the one that was queued. */
static void test_other_queued(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    put_other_queued(&b);
    bench_end(&b);
    CHECK_ROWS(&b, gpu_slice, "0|2|NULL");
    bench_free(&b);
}

/* A second beginning of what is open does not begin the wait again, and an end without a beginning
 * ends nothing. */
static void test_queued_once(void **state)
{
    bench b;
    (void)state;
    bench_begin(&b, NULL);
    receive(&b, false, 1, MS, 9 * MS, 1);
    service(&b, 2, "B|40|H:RSMainThread::DoComposition");
    service(&b, 3, "F|40|H:M: Frame queued|1");
    service(&b, 4, "S|40|H:M: Frame queued|1");
    service(&b, 5, "S|40|H:M: Frame queued|1");
    service(&b, 6, "F|40|H:M: Frame queued|1");
    service(&b, 7, "F|40|H:M: Frame queued|1");
    bench_end(&b);
    CHECK_ROWS(&b, gpu_slice, "0|0|2000000");
    assert_int_equal(stat_of(&b, "trace_frame_queue", "received"), 1);
    assert_int_equal(stat_of(&b, "tracing_mark_write", "not_match"), 3);
    bench_free(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_example),      cmocka_unit_test(test_range),
        cmocka_unit_test(test_range_before), cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_tasks),        cmocka_unit_test(test_ends_before),
        cmocka_unit_test(test_compat),       cmocka_unit_test(test_other_queued),
        cmocka_unit_test(test_queued_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
