/* memory-plugin: messages by hand, rows from the description of the format. */
#include "plugin_build.h"

extern const ts_htrace_plugin ts_plugin_memory;

static const ts_htrace_plugin *const plugins[] = {&ts_plugin_memory, NULL};

#define MEMORY "memory-plugin"
#define FIRST                                                                                      \
    "0a1b0814120361707018882720b81728d00f5898f8ffffffffffffff01 120708011080a4e803 "               \
    "12070802108092f401 120408631001 1a040801104d 200c"
#define MAPS                                                                                       \
    "0a4c0814120361707018016241 0a0438303030 120438303031 1a0472772d73 "                           \
    "220d2f6465762f6173686d656d2f78 2804 3004 3802 41000000000000e03f 480e 5000 5805 6006 6807 "   \
    "7008 7800 800101 2a130a03617070101420092a0178308020380540642a130a036170701014200a2a0178"      \
    "308020380540642a110a0162101e20072a017830802038054064 "                                        \
    "32190a0d636f6d706f7365725f686f73741028180520808040284d320f0a036170701014180620808040284d"

/* A process's mem.gl_pss, and nothing else. */
static void graphics(bytes *f, uint64_t pid, uint64_t value, int64_t ts)
{
    bytes process = {0};
    bytes data = {0};
    put_number(&process, 1, pid);
    put_number(&process, 16, value);
    put_part(&data, 1, &process);
    segment(f, MEMORY, data.p, data.n, ts);
    free(data.p);
}

static void test_worked_example(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, "memory-plugin_config", "4a0114", 12 * S);
    hex(&f, MEMORY, FIRST, 12 * S);
    hex(&f, MEMORY, "0a120814120361707018ec27209c1828d00f5800 1207080210e084ee01", 13 * S);
    hex(&f, MEMORY, "0a0f08141203617070800180058801c002", 14 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, trace_config, "0|memory_config|ipid|1");
    CHECK_ROWS(&r, process_measure, "measure|2000000000|1000000000|5000|0",
               "measure|2000000000|1000000000|3000|1", "measure|2000000000|1000000000|2000|2",
               "measure|2000000000|1000000000|0|3", "measure|2000000000|1000000000|0|4",
               "measure|2000000000|1000000000|0|5", "measure|2000000000|1000000000|0|6",
               "measure|2000000000|1000000000|0|7", "measure|2000000000|1000000000|-1000|8",
               "measure|3000000000|NULL|5100|0", "measure|3000000000|NULL|3100|1",
               "measure|3000000000|NULL|2000|2", "measure|3000000000|NULL|0|3",
               "measure|3000000000|NULL|0|4", "measure|3000000000|NULL|0|5",
               "measure|3000000000|NULL|0|6", "measure|3000000000|NULL|0|7",
               "measure|3000000000|NULL|0|8", "measure|4000000000|NULL|640|15",
               "measure|4000000000|NULL|320|16");
    CHECK_ROWS(&r, sys_mem_measure, "measure|2000000000|NULL|8000000|9",
               "measure|2000000000|1000000000|4000000|10", "measure|2000000000|1000000000|12|11",
               "measure|2000000000|1000000000|0|12", "measure|2000000000|1000000000|0|13",
               "measure|2000000000|NULL|77|14", "measure|3000000000|NULL|3900000|10",
               "measure|3000000000|NULL|0|11", "measure|3000000000|NULL|0|12",
               "measure|3000000000|NULL|0|13");
    CHECK_ROWS(&r, sys_event_filter, "9|sys_memory_filter|sys.mem.total",
               "10|sys_memory_filter|sys.mem.free", "11|sys_memory_filter|sys.mem.zram",
               "12|sys_memory_filter|sys.mem.gpu.limit", "13|sys_memory_filter|sys.mem.gpu.used",
               "14|sys_virtual_memory_filter|sys.virtual.mem.nr.free.pages");
    CHECK_ROWS(&r, process_measure_filter, "0|mem.vm.size|1", "1|mem.rss|1", "2|mem.rss.anon|1",
               "3|mem.rss.file|1", "4|mem.rss.schem|1", "5|mem.swap|1", "6|mem.locked|1",
               "7|mem.hwm|1", "8|mm.oom_score_adj|1", "15|mem.gl_pss|1", "16|mem.graph_pss|1");
    assert_int_equal(MEM_ROWS(r.sink, measure_filter), 17);
    assert_mem_row(r.sink, measure_filter, 9, "9|sys_memory_filter|sys.mem.total|-1");
    assert_mem_row(r.sink, measure_filter, 16, "16|process_measure_filter|mem.graph_pss|1");
    assert_int_equal(stat_count(&r, "memory", "received"), 3);
    assert_int_equal(stat_count(&r, "sys_memory", "received"), 2);
    assert_int_equal(stat_count(&r, "sys_memory", "invalid_data"), 1);
    assert_int_equal(stat_count(&r, "sys_virtual_memory", "received"), 1);
    assert_int_equal(issues(&r, "counter_unknown"), 1);
    assert_int_equal(issues(&r, "counter_gap"), 0);
    assert_int_equal(MEM_INT(r.sink, process, 1, mem_count), 1);
    assert_mem_text(r.sink, process, 1, name, "app");
    assert_mem_text(r.sink, thread, 1, name, "app");
    assert_int_equal(MEM_INT(r.sink, thread, 1, is_main_thread), 1);
    assert_mem_row(r.sink, trace_range, 0, "2000000000|4000000000");
    assert_mem_row(r.sink, datasource_clockid, 0, "0|memory-plugin|2");
    run_free(&r);
}

/* Mappings as named, and what depends on the other parts of the same message only. */
static void test_maps(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, MEMORY, MAPS, 12 * S);
    hex(&f, MEMORY, MAPS, 13 * S);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, smaps), 2);
    for (size_t i = 0; i < 2; i++) {
        assert_int_equal(MEM_INT(r.sink, smaps, i, timeStamp), (int64_t)(2 + i) * S);
        assert_mem_text(r.sink, smaps, i, start_addr, "0x8000");
        assert_mem_text(r.sink, smaps, i, end_addr, "0x8001");
        assert_int_equal(MEM_INT(r.sink, smaps, i, dirty), 14);
        assert_int_equal(MEM_INT(r.sink, smaps, i, resident_size), 4);
        assert_int_equal(MEM_INT(r.sink, smaps, i, pss), 2);
        assert_int_equal(MEM_INT(r.sink, smaps, i, virtaul_size), 4);
        assert_true(MEM_REAL(r.sink, smaps, i, reside) == 0.5);
        assert_int_equal(MEM_INT(r.sink, smaps, i, shared_clean), 7);
        assert_int_equal(MEM_INT(r.sink, smaps, i, shared_dirty), 8);
        assert_int_equal(MEM_INT(r.sink, smaps, i, private_clean), 5);
        assert_int_equal(MEM_INT(r.sink, smaps, i, private_dirty), 6);
        assert_int_equal(MEM_INT(r.sink, smaps, i, swap_pss), 1);
        assert_int_equal(MEM_INT(r.sink, smaps, i, type), 9);
        for (size_t k = 0; k < 3; k++) {
            static const int64_t expected[3][4] = {{1, 9, 3, 0}, {1, 10, 3, 1}, {2, 7, 0, 2}};
            assert_int_equal(MEM_INT(r.sink, memory_ashmem, 3 * i + k, ipid), expected[k][0]);
            assert_int_equal(MEM_INT(r.sink, memory_ashmem, 3 * i + k, fd), expected[k][1]);
            assert_int_equal(MEM_INT(r.sink, memory_ashmem, 3 * i + k, pss), expected[k][2]);
            assert_int_equal(MEM_INT(r.sink, memory_ashmem, 3 * i + k, flag), expected[k][3]);
        }
        assert_int_equal(MEM_INT(r.sink, memory_dma, 2 * i, ipid), 3);
        assert_int_equal(MEM_INT(r.sink, memory_dma, 2 * i, fd), 5);
        assert_int_equal(MEM_INT(r.sink, memory_dma, 2 * i, flag), 2);
        assert_int_equal(MEM_INT(r.sink, memory_dma, 2 * i + 1, ipid), 1);
        assert_int_equal(MEM_INT(r.sink, memory_dma, 2 * i + 1, flag), 0);
    }
    CHECK_ROWS(&r, smaps_detail, "0|1|0", "1|1|0");
    assert_int_equal(MEM_ROWS(r.sink, memory_ashmem), 6);
    assert_int_equal(MEM_ROWS(r.sink, memory_dma), 4);
    assert_int_equal(MEM_INT(r.sink, process, 1, pid), 20);
    assert_int_equal(MEM_INT(r.sink, process, 2, pid), 30);
    assert_int_equal(MEM_INT(r.sink, process, 3, pid), 40);
    assert_int_equal(stat_count(&r, "trace_smaps", "received"), 2);
    check_no_issues(&r);
    run_free(&r);
}

static int64_t dict(const run *r, const char *text)
{
    size_t row = memsink_find_text(r->sink, TS_T_data_dict, TS_C_data_dict__data, text);
    assert_int_not_equal(row, SIZE_MAX);
    return MEM_INT(r->sink, data_dict, row, id);
}

static void test_gpu(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, MEMORY,
        "3a190a056d616c69301080401a0d0a04307861621014181520802042200a0377696e10032080081a"
        "140a04536b6961120c0a05496d61676510801018044864503c5a150888271208706978656c6d6170"
        "18142204737572665a1408f02e1208706978656c6d617022056e6f70696462030889066a070a0377"
        "696e1014722c0a284368616e6e656c3a2044656661756c7420486561702028546f74616c206d656d"
        "6f72793a20313029100a",
        12 * S);
    run_begin_with(&r, plugins, NULL, 0);
    run_feed(&r, f.p, f.n, f.n);
    run_end(&r);
    if (issues(&r, "plugin_bad_message") > 0) {
        memsink_print(r.sink, TS_T_import_issue);
    }
    assert_int_equal(MEM_ROWS(r.sink, memory_process_gpu), 1);
    assert_int_equal(MEM_INT(r.sink, memory_process_gpu, 0, all_gpu_size), 8192);
    assert_int_equal(MEM_INT(r.sink, memory_process_gpu, 0, used_gpu_size), 4096);
    assert_mem_text(r.sink, memory_process_gpu, 0, addr, "0xab");
    assert_int_equal(MEM_INT(r.sink, memory_process_gpu, 0, ipid), 1);
    assert_int_equal(MEM_INT(r.sink, memory_process_gpu, 0, itid), 1);
    assert_int_equal(MEM_INT(r.sink, thread, 1, tid), 21);
    assert_int_equal(MEM_INT(r.sink, thread, 2, tid), 20);
    assert_int_equal(MEM_INT(r.sink, memory_rs_image, 0, mem_size), 5000);
    assert_int_equal(MEM_INT(r.sink, memory_rs_image, 0, ipid), 1);
    assert_int_equal(MEM_INT(r.sink, memory_rs_image, 1, mem_size), 6000);
    assert_true(MEM_NULL(r.sink, memory_rs_image, 1, ipid));
    assert_int_equal(MEM_INT(r.sink, memory_rs_image, 1, surface_name_id), dict(&r, "nopid"));
    CHECK_ROWS(&r, memory_cpu, "0|2000000000|777");
    assert_int_equal(MEM_INT(r.sink, memory_profile, 0, total_size), 10);
    assert_int_equal(MEM_INT(r.sink, memory_profile, 0, channel_id),
                     dict(&r, "Channel: Default Heap (Total memory: 10)"));
    assert_int_equal(MEM_ROWS(r.sink, sys_mem_measure), 0);
    assert_int_equal(MEM_INT(r.sink, memory_window_gpu, 0, window_id), 3);
    assert_int_equal(MEM_INT(r.sink, memory_window_gpu, 0, size), 2048);
    assert_int_equal(MEM_INT(r.sink, memory_window_gpu, 0, count), 4);
    assert_int_equal(MEM_INT(r.sink, memory_window_gpu, 0, purgeable_size), 1024);
    assert_int_equal(MEM_INT(r.sink, memory_window_gpu, 0, ipid), 1);
    assert_int_equal(MEM_INT(r.sink, memory_window_gpu, 0, window_name_id), dict(&r, "win"));
    check_run(&r, f.n);
    run_free(&r);
    free(f.p);
}

/* Threads whose process is not said: the last one with the number, or one that gets a process of
 * its own. */
static void test_gpu_threads(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    /* (pid, tid): (20, 7), (30, 7), (0, 7), (0, 9) */
    hex(&f, MEMORY, "3a240a046d616c6910401a061014180720011a06101e180720021a04180720031a0418092004",
        12 * S);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, memory_process_gpu), 4);
    assert_int_equal(MEM_INT(r.sink, memory_process_gpu, 2, itid),
                     MEM_INT(r.sink, memory_process_gpu, 1, itid));
    assert_int_not_equal(MEM_INT(r.sink, memory_process_gpu, 2, itid),
                         MEM_INT(r.sink, memory_process_gpu, 0, itid));
    size_t itid = (size_t)MEM_INT(r.sink, memory_process_gpu, 3, itid);
    assert_false(MEM_NULL(r.sink, thread, itid, ipid));
    size_t ipid = (size_t)MEM_INT(r.sink, thread, itid, ipid);
    assert_int_equal(MEM_INT(r.sink, process, ipid, pid), 9);
    assert_int_equal(MEM_INT(r.sink, process, ipid, thread_count), 1);
    check_no_issues(&r);
    run_free(&r);
}

/* The process of a window may be said behind its rows, or never. */
static void test_windows_later(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, MEMORY, "420f 0a0161 1a0a 0a016d 1205 0a0163 1001", 12 * S);
    hex(&f, MEMORY, "420f 0a0162 1a0a 0a016d 1205 0a0163 1002", 13 * S);
    hex(&f, MEMORY, "6a05 0a0161 1014 6a05 0a0161 1015", 14 * S);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, memory_window_gpu), 2);
    assert_int_equal(MEM_INT(r.sink, memory_window_gpu, 0, ipid), 1);
    assert_true(MEM_NULL(r.sink, memory_window_gpu, 1, ipid));
    assert_int_equal(MEM_INT(r.sink, process, 1, pid), 20);
    run_free(&r);
}

/* dur spans no gap, and no time that is earlier. */
static void test_gaps(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    graphics(&f, 1, 1, 12 * S);
    graphics(&f, 1, 2, 13 * S);
    put_gap(&f);
    graphics(&f, 1, 3, 14 * S);
    graphics(&f, 1, 4, 16 * S);
    graphics(&f, 1, 5, 15 * S);
    graphics(&f, 1, 6, -1);
    graphics(&f, 1, 7, 17 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, process_measure, "measure|2000000000|1000000000|1|0",
               "measure|3000000000|NULL|2|0", "measure|4000000000|2000000000|3|0",
               "measure|6000000000|NULL|4|0", "measure|5000000000|NULL|5|0",
               "measure|NULL|NULL|6|0", "measure|7000000000|NULL|7|0");
    assert_int_equal(issues(&r, "counter_gap"), 1);
    assert_int_equal(issues(&r, "record_untimed"), 1);
    assert_int_equal(LOST(&r, "plugin_values:memory-plugin"), 4);
    run_free(&r);
}

/* Values that hold in the range: the one before it, too. */
static void test_types_of_mappings(void **state)
{
    static const struct {
        const char *path;
        const char *permissions;
        int64_t type;
    } maps[] = {
        {"[stack]", "rw-p", 5},
        {"  [heap] ", "rw-p", 8},
        {"[anon:dalvik-main space]", "rw-p", 7},
        {"/system/framework/boot.art", "r--p", 6},
        {"/dev/tty", "rw-p", 10},
        {"/dev/a.tty", "rw-p", 12},
        {"/x/dev/ashmem/y", "rw-s", 9},
        {"/lib/libc.so", "r-xp", 0},
        {"/lib/libc.so", "rw-p", 2},
        {"/data/app/x/lib.so", "r-xp", 1},
        {"/data/app/x/lib.so", "r--p", 3},
        {"[anon:.bss]/data/app/x.so", "rw-p", 3},
        {"/a/com.huawei.wx/b.so", "r-xp", 1},
        {"/a/b.apk", "r-xp", 0},
        {"/a/com.huawei.wx/b.dex", "r--p", 3},
        {"/system/bin/sh", "r-xp", 0},
        {"/system/bin/sh", "rw-p", 2},
        {"[anon:.bss]", "rw-p", 2},
        {"a[bss]", "r-xp", 2},
        {"", "rw-p", 4},
        {"[anon:linker_alloc]", "rw-p", 4},
        {"[anon:other]", "rw-p", 8},
        {"/a/file", "r--p", 10},
        {"/a/com.huawei.wx/file", "r--p", 11},
    };
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        bytes map = {0};
        bytes process = {0};
        bytes data = {0};
        put_text(&map, 1, "1");
        put_text(&map, 3, maps[i].permissions);
        put_text(&map, 4, maps[i].path);
        put_number(&process, 1, 7);
        put_part(&process, 12, &map);
        put_part(&data, 1, &process);
        segment(&f, MEMORY, data.p, data.n, (int64_t)(12 + i) * S);
        free(data.p);
    }
    convert(&r, plugins, &f);
    for (size_t i = 0; i < sizeof maps / sizeof maps[0]; i++) {
        if (MEM_INT(r.sink, smaps, i, type) != maps[i].type) {
            fail_msg("%s: %" PRId64, maps[i].path, MEM_INT(r.sink, smaps, i, type));
        }
    }
    run_free(&r);
}

static void test_time_range(void **state)
{
    const ts_time_range range = {TS_WANTED_OFFSET, 2 * S + S / 2, 4 * S};
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (int i = 1; i < 7; i++) {
        graphics(&f, 1, (uint64_t)i, (11 + i) * S); /* at 2 s to 7 s; wanted: 3.5 s to 5 s */
    }
    convert_range(&r, plugins, &f, range);
    CHECK_ROWS(&r, process_measure, "measure|3000000000|1000000000|2|0",
               "measure|4000000000|1000000000|3|0");
    check_counts(&r, "plugin_records:memory-plugin.process_measure", 2, 0, 4);
    run_free(&r);
    free(f.p);
}

static void test_late_clocks(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin_late(&f);
    graphics(&f, 1, 1, 12 * S);
    late_clocks(&f);
    graphics(&f, 1, 2, 13 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, process_measure, "measure|2000000000|1000000000|1|0",
               "measure|3000000000|NULL|2|0");
    run_free(&r);
}

static void test_repeated(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    graphics(&f, 1, 1, 12 * S);
    graphics(&f, 1, 1, 12 * S);
    graphics(&f, 1, 2, 13 * S);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, process_measure, "measure|2000000000|1000000000|1|0",
               "measure|3000000000|NULL|2|0");
    assert_int_equal(issues(&r, "sample_repeated"), 1);
    run_free(&r);
}

static void test_damaged(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, MEMORY,
        "0a04 0801 18ff"
        "0a05 08ff"
        "0801",
        12 * S);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, process_measure), 9);
    for (size_t i = 0; i < 9; i++) {
        assert_true(MEM_NULL(r.sink, process_measure, i, value));
    }
    check_counts(&r, "plugin_messages:memory-plugin", 0, 1, 0);
    assert_true(LOST(&r, "plugin_values:memory-plugin") >= 9);
    run_free(&r);
}

/* One field that cannot be read: which parts share memory with others is not known. */
static void test_one_damaged_field(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, MEMORY, "2a160a03617070101420092a0178308020380540641a0161", 12 * S);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, memory_ashmem), 1);
    assert_int_equal(MEM_INT(r.sink, memory_ashmem, 0, fd), 9);
    assert_true(MEM_NULL(r.sink, memory_ashmem, 0, adj));
    assert_true(MEM_NULL(r.sink, memory_ashmem, 0, flag));
    assert_true(MEM_NULL(r.sink, memory_ashmem, 0, pss));
    run_free(&r);
}

static void some_messages(bytes *f)
{
    begin(f);
    hex(f, "memory-plugin_config", "4a0114", 12 * S);
    hex(f, MEMORY, FIRST, 12 * S);
    hex(f, MEMORY, MAPS, 13 * S);
    hex(f, MEMORY, "420f 0a0161 1a0a 0a016d 1205 0a0163 1001 3a080a01611a030a0162", 14 * S);
    graphics(f, 20, 7, 15 * S);
}

static void test_cut_recording(void **state)
{
    static const enum ts_table_id tables[] = {TS_T_process_measure, TS_T_sys_mem_measure};
    (void)state;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        bytes f;
        some_messages(&f);
        check_cuts(plugins, &f, 1024, tables[i], 0);
    }
}

static void test_every_allocation_fails(void **state)
{
    bytes f;
    (void)state;
    some_messages(&f);
    check_allocations(plugins, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_maps),
        cmocka_unit_test(test_one_damaged_field),
        cmocka_unit_test(test_gpu),
        cmocka_unit_test(test_gpu_threads),
        cmocka_unit_test(test_windows_later),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_time_range),
        cmocka_unit_test(test_late_clocks),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_damaged),
        cmocka_unit_test(test_types_of_mappings),
        cmocka_unit_test(test_cut_recording),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
