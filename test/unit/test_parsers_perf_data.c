/* Recordings of perf and hiperf (docs/formats.md, "perf.data"): rows, stacks by id, defects,
 * damage. */
#include "perf_build.h"

static void test_rows(void **state)
{
    static const frame frames[] = {
        {1, 0, MAIN},
        {1, 1, LEAF},
        {1, 2, SCHEDULE},
        {2, 0, 0x50008, 0, 0, -1, -1, "@0x50008"},
        {2, 1, 0x40008, 0, 0, 4, -1, "other.so+0x8"},
        {2, 2, 0x30008, 0, 0, 3, -1, "nosym.so+0x8"},
        {2, 3, 0x9010, 0x9010, 0, 2, 0, "onClick: a.ets:3"},
        {2, 4, LEAF},
    };
    run r;
    UNUSED(state);
    import_bytes(&r, first_example());
    assert_int_equal(r.code, TS_OK);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, perf_report, 3);
    assert_mem_row(r.sink, perf_report, 0, "0|config_name|hw-cpu-cycles");
    assert_mem_row(r.sink, perf_report, 1, "1|config_name|sched:sched_switch");
    assert_mem_row(r.sink, perf_report, 2, "2|cmdline|hiperf record -a --offcpu");
    assert_rows(&r, perf_files, 6);
    assert_mem_row(r.sink, perf_files, 0, "0|0|0|schedule|[kernel.kallsyms]");
    assert_mem_row(r.sink, perf_files, 1, "1|1|0|main|/system/lib/liba.so");
    assert_mem_row(r.sink, perf_files, 2, "2|1|1|ns::leaf(int)|/system/lib/liba.so");
    assert_mem_row(r.sink, perf_files, 3, "3|2|0|onClick: a.ets:3|/data/x.abc");
    assert_mem_row(r.sink, perf_files, 4, "4|3|-1|NULL|/system/lib/nosym.so");
    assert_mem_row(r.sink, perf_files, 5, "5|4|-1|NULL|/data/other.so");
    assert_rows(&r, perf_thread, 2);
    assert_mem_row(r.sink, perf_thread, 0, "0|20|20|app");
    assert_mem_row(r.sink, perf_thread, 1, "1|21|20|renamed");
    assert_rows(&r, perf_sample, 3);
    assert_mem_row(r.sink, perf_sample, 0, "0|1|2000000000|21|500|0|2000000000|3|-");
    assert_mem_row(r.sink, perf_sample, 1, "1|2|2000000010|21|7|1|2000000010|3|Suspend");
    assert_mem_row(r.sink, perf_sample, 2, "2|1|2000000020|21|600|0|2000000020|2|-");
    assert_frames(&r, frames, sizeof frames / sizeof frames[0]);
    assert_int_equal(count_sum(&r, "perf_symbols", TS_C_import_count__imported), 4);
    assert_cell(&r, trace_range, 0, start_ts, 2000000000);
    assert_cell(&r, trace_range, 0, end_ts, 2000000020);
    run_free(&r);
}

static void test_common_rows(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, first_example());
    assert_rows(&r, stack_sample, 3);
    assert_mem_text(r.sink, stack_sample, 0, event, "hw-cpu-cycles");
    assert_mem_text(r.sink, stack_sample, 1, event, "sched:sched_switch");
    assert_cell(&r, stack_sample, 2, ts, 2000000020);
    assert_null_cell(&r, stack_sample, 0, dur);
    assert_cell(&r, stack_sample, 0, node_id, MEM_INT(r.sink, stack_sample, 2, node_id));
    assert_rows(&r, stack_value_type, 2);
    assert_mem_row(r.sink, stack_value_type, 0, "1|2|hw-cpu-cycles|cycles");
    assert_mem_row(r.sink, stack_value_type, 1, "2|2|sched:sched_switch|count");
    assert_mem_row(r.sink, stack_sample_value, 2, "3|1|600");
    assert_rows(&r, stack_sample_label, 4);
    assert_mem_row(r.sink, stack_sample_label, 1, "2|cpu|3");
    assert_mem_row(r.sink, stack_sample_label, 2, "2|thread_state|Suspend");
    assert_mem_text(r.sink, stack_method, 0, name, "schedule");
    assert_mem_text(r.sink, stack_method, 0, library, "[kernel.kallsyms]");
    assert_cell(&r, stack_node, 0, depth, 0);
    assert_mem_text(r.sink, source, 1, clock, "monotonic");
    run_free(&r);
}

static void test_stacks_by_id(void **state)
{
    static const frame frames[] = {
        {1, 0, MAIN}, {1, 1, LEAF}, {1, 2, SCHEDULE}, {2, 0, MAIN}, {2, 1, LEAF},
    };
    run r;
    UNUSED(state);
    import_bytes(&r, second_example());
    assert_rows(&r, import_issue, 0);
    assert_frames(&r, frames, sizeof frames / sizeof frames[0]);
    run_free(&r);
}

static void test_blocks(void **state)
{
    bytes b = first_example();
    UNUSED(state);
    check_blocks(&b, 0);
    free(b.p);
}

/* What is before the cut stays; frames that had names in the whole may have none. */
static void test_cut_at_every_byte(void **state)
{
    bytes b = first_example();
    run all;
    UNUSED(state);
    import_damaged(&all, &b, 0);
    for (size_t cut = 16; cut < b.n; cut++) {
        bytes part = {b.p, cut, 0};
        run r;
        import_damaged(&r, &part, 0);
        assert_int_equal(r.code, TS_OK);
        assert_true(MEM_ROWS(r.sink, import_issue) > 0);
        assert_true(MEM_ROWS(r.sink, perf_sample) <= 3);
        for (size_t i = 0; i < MEM_ROWS(r.sink, perf_sample); i++) {
            assert_cell(&r, perf_sample, i, timestamp_trace,
                        MEM_INT(all.sink, perf_sample, i, timestamp_trace));
            assert_cell(&r, perf_sample, i, callchain_id,
                        MEM_INT(all.sink, perf_sample, i, callchain_id));
        }
        run_free(&r);
    }
    run_free(&all);
    free(b.p);
}

static void test_every_bit_flipped(void **state)
{
    bytes a = first_example();
    bytes b = second_example();
    UNUSED(state);
    check_bits(&a, 1);
    check_bits(&b, 1);
    free(a.p);
    free(b.p);
}

/* What is taken out of the records or put into them is missed, or what it says is doubted. */
static void test_deleted_and_doubled(void **state)
{
    bytes b = first_example();
    UNUSED(state);
    for (size_t at = 400; at + 24 < b.n; at += 8) {
        bytes deleted = {0};
        bytes doubled = {0};
        run r;
        put(&deleted, b.p, at);
        put(&deleted, b.p + at + 24, b.n - at - 24);
        put(&doubled, b.p, at + 24);
        put(&doubled, b.p + at, b.n - at);
        import_damaged(&r, &deleted, 0);
        assert_true(MEM_ROWS(r.sink, import_issue) > 0);
        run_free(&r);
        import_damaged(&r, &doubled, 0);
        run_free(&r);
        free(deleted.p);
        free(doubled.p);
    }
    free(b.p);
}

static void test_every_allocation_fails(void **state)
{
    bytes b = first_example();
    bool done = false;
    UNUSED(state);
    for (uint64_t k = 1; !done; k++) {
        test_failing fail = {.fail_at = k, .forever = true};
        ts_allocator allocator;
        run r;
        import_begin(&r);
        allocator = r.ctx->allocator;
        r.ctx->allocator = test_failing_allocator(&fail);
        (void)import_files(&r, &b, 1, 0);
        done = r.code == TS_OK;
        assert_true(done ? k > 50 : r.code == TS_ERR_NOMEM);
        r.ctx->allocator = allocator;
        run_free(&r);
    }
    free(b.p);
}

/* --- Linux -------------------------------------------------------------------------------------
 */

/* A sample of the type IP, TID, TIME with a chain: 8 bytes an address. */
static void put_sample(bytes *b, uint16_t misc, uint32_t tid, uint64_t time, const uint64_t *ips,
                       uint64_t n)
{
    put_le(b, 9, 4);
    put_le(b, misc, 2);
    put_le(b, 8 + 8 * (4 + n), 2);
    put_le(b, n > 0 ? ips[0] : 0x1234, 8);
    put_le(b, 20, 4);
    put_le(b, tid, 4);
    put_le(b, time, 8);
    put_le(b, n, 8);
    for (uint64_t i = 0; i < n; i++) {
        put_le(b, ips[i], 8);
    }
}

/* FORK of process 30 from 20; its trailer has pid, tid and time. */
static void put_fork(bytes *b, uint64_t time)
{
    put_le(b, 7, 4);
    put_le(b, 0, 2);
    put_le(b, 8 + 24 + 16, 2);
    put_le(b, 30, 4);
    put_le(b, 20, 4);
    put_le(b, 30, 4);
    put_le(b, 20, 4);
    put_le(b, time, 8);
    put_le(b, 20 | (uint64_t)20 << 32, 8);
    put_le(b, time, 8);
}

static void put_round(bytes *b)
{
    put_hex(b, "4400000000000800");
}

static made begin_linux(void)
{
    return (made){.sample_type = 0x27, .flags = 1 << 18};
}

/* A map whose trailer, as the recorder's own records have it, is 0. */
static void put_linux_map(bytes *b, uint64_t start, const char *path)
{
    size_t at = b->n;
    put_map(b, start, path);
    put_zeros(b, 16);
    set_le(b, at + 6, b->n - at, 2);
}

static void put_kernel_map(bytes *b, uint64_t start, uint64_t n, const char *path)
{
    size_t at = b->n;
    put_le(b, 1, 4);
    put_le(b, 1, 4);
    put_le(b, UINT32_MAX, 8);
    put_le(b, start, 8);
    put_le(b, n, 8);
    put_le(b, 0, 8);
    put(b, path, strlen(path) + 1);
    put_zeros(b, 16 + (8 - b->n % 8) % 8);
    set_le(b, at + 6, b->n - at, 2);
}

/* Buffers of two CPUs are flushed one after the other: rows are in the order of times, and the
 * sample after the fork has the maps of the parent. */
static void test_order_of_times(void **state)
{
    static const uint64_t ip = 0x30008;
    made m = begin_linux();
    run r;
    UNUSED(state);
    put_linux_map(&m.records, 0x30000, "/usr/lib/a.so");
    put_sample(&m.records, 2, 20, 500, &ip, 1);
    put_sample(&m.records, 2, 20, 900, &ip, 1);
    put_round(&m.records);
    put_sample(&m.records, 2, 21, 700, &ip, 1);
    put_sample(&m.records, 2, 22, 900, &ip, 1);
    put_round(&m.records);
    import_bytes(&r, whole(&m));
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, perf_sample, 4);
    static const int64_t tids[] = {20, 21, 20, 22};
    static const int64_t times[] = {500, 700, 900, 900};
    for (size_t i = 0; i < 4; i++) {
        assert_cell(&r, perf_sample, i, thread_id, tids[i]);
        assert_cell(&r, perf_sample, i, timeStamp, times[i]);
    }
    assert_rows(&r, perf_report, 3);
    assert_mem_row(r.sink, perf_report, 1, "1|config_name|event-1");
    assert_mem_row(r.sink, perf_report, 2, "2|cmdline|");
    assert_mem_row(r.sink, perf_files, 0, "0|0|-1|NULL|/usr/lib/a.so");
    run_free(&r);
}

/* A map in the middle of another one: what is left of that keeps its place in the file. */
static void test_maps_replace_each_other(void **state)
{
    static const uint64_t ips[] = {0x30008, 0x30408, 0x30808};
    static const frame frames[] = {
        {1, 0, 0x30808, 0, 0, 0, -1, "a.so+0x808"},
        {1, 1, 0x30408, 0, 0, 1, -1, "b.so+0x8"},
        {1, 2, 0x30008, 0, 0, 0, -1, "a.so+0x8"},
    };
    made m = begin_linux();
    size_t at;
    run r;
    UNUSED(state);
    put_map(&m.records, 0x30000, "/usr/lib/a.so");
    at = m.records.n;
    put_map(&m.records, 0x30400, "/usr/lib/b.so");
    set_le(&m.records, at + 24, 0x400, 8);
    put_sample(&m.records, 2, 20, 500, ips, 3);
    import_bytes(&r, whole(&m));
    assert_int_equal(MEM_ROWS(r.sink, perf_callchain), 3);
    for (size_t i = 0; i < 3; i++) {
        assert_true(
            ts_text_is(dict_text(&r, MEM_INT(r.sink, perf_callchain, i, name)), frames[i].name));
    }
    run_free(&r);
}

/* Thousands of maps, in a falling order and twice: each address is in its own. */
static void test_many_maps(void **state)
{
    enum { MAPS = 1000 };
    made m = begin_linux();
    run r;
    UNUSED(state);
    for (unsigned i = 0; i < 2 * MAPS; i++) {
        char name[32];
        snprintf(name, sizeof name, "/lib/%u", (MAPS - 1 - i % MAPS) * 7 % MAPS);
        put_map(&m.records, 0x1000000 + 0x1000 * (uint64_t)((MAPS - 1 - i % MAPS) * 7 % MAPS),
                name);
    }
    for (unsigned i = 0; i < MAPS; i++) {
        uint64_t ip = 0x1000000 + 0x1000 * (uint64_t)i + 0x10;
        put_sample(&m.records, 2, 20, i, &ip, 1);
    }
    import_bytes(&r, whole(&m));
    assert_rows(&r, perf_callchain, MAPS);
    for (unsigned i = 0; i < MAPS; i++) {
        char name[32];
        snprintf(name, sizeof name, "%u+0x10", i);
        assert_true(ts_text_is(dict_text(&r, MEM_INT(r.sink, perf_callchain, i, name)), name));
    }
    run_free(&r);
}

static void test_forked(void **state)
{
    static const uint64_t ip = 0x30008;
    made m = begin_linux();
    size_t at;
    run r;
    UNUSED(state);
    put_hex(&m.records, COMMS);
    put_map(&m.records, 0x30000, "/usr/lib/a.so");
    put_fork(&m.records, 600);
    at = m.records.n;
    put_sample(&m.records, 2, 30, 700, &ip, 1);
    set_le(&m.records, at + 16, 30, 4);
    import_bytes(&r, whole(&m));
    assert_rows(&r, import_issue, 0);
    assert_true(ts_text_is(dict_text(&r, MEM_INT(r.sink, perf_callchain, 0, name)), "a.so+0x8"));
    assert_rows(&r, perf_thread, 3);
    assert_mem_row(r.sink, perf_thread, 2, "2|30|30|app");
    run_free(&r);
}

/* The first context is that of the CPU; a sample without a chain has its address. */
static void test_contexts(void **state)
{
    static const uint64_t ips[] = {0xffffffff81000010, 0xfffffffffffffe00, 0x30008, 1, 0};
    static const frame frames[] = {
        {1, 0, 0x30008, 0, 0, 1, -1, "a.so+0x8"},
        {1, 1, UINT64_C(0xffffffff81000010), 0, 0, 0, -1, "[kernel.kallsyms]+0xffffffff81000010"},
        {2, 0, 0x1234, 0, 0, -1, -1, "@0x1234"},
    };
    made m = begin_linux();
    run r;
    UNUSED(state);
    put_kernel_map(&m.records, UINT64_C(0xffffffff81000000), 0x1000000, "[kernel.kallsyms]_text");
    put_map(&m.records, 0x30000, "/usr/lib/a.so");
    put_sample(&m.records, 1, 20, 500, ips, 5);
    put_sample(&m.records, 2, 20, 600, NULL, 0);
    import_bytes(&r, whole(&m));
    assert_rows(&r, import_issue, 0);
    assert_frames(&r, frames, 3);
    run_free(&r);
}

/* Imports a recording with a folder for --symbols that has this list of the kernel. */
static void import_with_list(run *r, made *m, const char *list)
{
    char folder[] = "/tmp/test_perf_data.XXXXXX";
    char path[64];
    bytes file = whole(m);
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/kallsyms", folder);
    test_write_file(path, list, strlen(list));
    import_begin(r);
    r->ctx->symbols = folder;
    (void)import_files(r, &file, 1, 0);
    r->ctx->symbols = NULL;
    assert_ok(r->ctx, r->code);
    free(file.p);
    assert_int_equal(unlink(path), 0);
    assert_int_equal(rmdir(folder), 0);
}

/*
 * What is after the end of the kernel's map has the kernel's names up to the end of its code; a
 * module only its own, also where a map of the kernel is around its map.
 */
static void test_kernel_names(void **state)
{
    static const char list[] = "ffffffff81000000 T _text\n"
                               "ffffffff81000100 t do_work\n"
                               "ffffffff81000200 T _etext\n"
                               "ffffffff82000000 T _sinittext\n"
                               "ffffffff82000010 T start_kernel\n"
                               "ffffffff82000100 T _einittext\n"
                               "ffffffffc0000100 t mod_work\t[my_mod]\n"
                               "ffffffffc0010000 t foreign\t[other]\n";
    static const uint64_t ips[] = {UINT64_C(0xffffffff81000110), UINT64_C(0xffffffff82000015),
                                   UINT64_C(0xffffffff82000105), UINT64_C(0xffffffffc0000108),
                                   UINT64_C(0xffffffffc0000008), UINT64_C(0xffffffffc0010008),
                                   UINT64_C(0xffffffffc0050008)};
    static const frame frames[] = {
        {1, 0, UINT64_C(0xffffffffc0050008), 0, 0, -1, -1, "@0xffffffffc0050008"},
        {1, 1, UINT64_C(0xffffffffc0010008), 0, 0, 1, -1, "[my_mod]+0x10008"},
        {1, 2, UINT64_C(0xffffffffc0000008), 0, 0, 1, -1, "[my_mod]+0x8"},
        {1, 3, UINT64_C(0xffffffffc0000108), UINT64_C(0xffffffffc0000100), 8, 1, 0, "mod_work"},
        {1, 4, UINT64_C(0xffffffff82000105), 0, 0, -1, -1, "@0xffffffff82000105"},
        {1, 5, UINT64_C(0xffffffff82000015), UINT64_C(0xffffffff82000010), 5, 0, 1, "start_kernel"},
        {1, 6, UINT64_C(0xffffffff81000110), UINT64_C(0xffffffff81000100), 16, 0, 0, "do_work"},
    };
    UNUSED(state);
    for (int around = 0; around < 2; around++) {
        made m = begin_linux();
        run r;
        put_kernel_map(&m.records, UINT64_C(0xffffffff81000000),
                       around != 0 ? UINT64_C(0x3f040000) : 0x200, "[kernel.kallsyms]_text");
        set_le(&m.records, 32, UINT64_C(0xffffffff81000000), 8); /* of _text */
        put_kernel_map(&m.records, UINT64_C(0xffffffffc0000000), 0x20000, "[my_mod]");
        put_sample(&m.records, 1, 20, 500, ips, 7);
        import_with_list(&r, &m, list);
        if (around == 0) {
            assert_frames(&r, frames, 7);
            assert_rows(&r, perf_files, 3);
        } else {
            for (size_t i = 1; i < 4; i++) {
                assert_cell(&r, perf_callchain, i, file_id, 1);
                assert_cell(&r, perf_callchain, i, symbol_id, frames[i].symbol);
            }
        }
        run_free(&r);
    }
}

/* A sample with the values of two events, each with its id: the second is a label. */
static void test_group(void **state)
{
    made m = {.sample_type = 0x37, .flags = 1 << 18, .read_format = 4 | 8};
    run r;
    UNUSED(state);
    put_le(&m.records, 9, 4);
    put_le(&m.records, 2, 2);
    put_le(&m.records, 8 + 8 * (3 + 5 + 1), 2);
    put_le(&m.records, 0x1234, 8);
    put_le(&m.records, 20 | (uint64_t)20 << 32, 8);
    put_le(&m.records, 500, 8);
    put_le(&m.records, 2, 8);
    put_le(&m.records, 77, 8);
    put_le(&m.records, 1, 8);
    put_le(&m.records, 88, 8);
    put_le(&m.records, 2, 8);
    put_le(&m.records, 0, 8);
    add_events(&m);
    import_bytes(&r, whole(&m));
    assert_int_equal(issue_sum(&r, "perf_group_read"), 1);
    assert_rows(&r, perf_sample, 1);
    assert_rows(&r, stack_sample_label, 1);
    assert_mem_row(r.sink, stack_sample_label, 0, "1|sched:sched_switch|88");
    assert_cell(&r, perf_sample, 0, event_count, 4000); /* that of the attribute */
    run_free(&r);
}

/* Attributes and features as records, after a header of 16 bytes. */
static void test_pipe(void **state)
{
    static const uint64_t ip = 0x30008;
    made m = begin_linux();
    bytes b = {0};
    size_t at;
    run r;
    UNUSED(state);
    put(&b, "PERFILE2", 8);
    put_le(&b, 16, 8);
    put_le(&b, 64, 8);
    set_le(&b, 22, 8 + ATTR + 8, 2);
    put_attr(&b, &m);
    put_le(&b, 1, 8);
    at = b.n;
    put_le(&b, 80, 8);
    put_le(&b, 3, 8);
    put_string(&b, "a-host1");
    set_le(&b, at + 6, b.n - at, 2);
    put_map(&b, 0x30000, "/usr/lib/a.so");
    put_sample(&b, 2, 20, 500, &ip, 1);
    import_bytes(&r, b);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, perf_sample, 1);
    assert_mem_text(r.sink, source, 1, host, "a-host1");
    assert_mem_row(r.sink, perf_report, 0, "0|config_name|event-0");
    run_free(&r);
    b = (bytes){0};
    put(&b, "PERFILE2", 8);
    put_le(&b, 16, 8);
    put_sample(&b, 2, 20, 500, &ip, 1);
    import_bytes(&r, b);
    assert_int_equal(issues(&r, "perf_pipe"), 1);
    assert_rows(&r, perf_sample, 0);
    run_free(&r);
}

/* --- what does not fit in memory ----------------------------------------------------------------
 */

/* A recording that goes into a spool has the same rows. */
static void test_spooled(void **state)
{
    made m = begin();
    bytes b;
    run small;
    run large;
    UNUSED(state);
    put_hex(&m.records, KERNEL_MAP COMMS LIBA_MAP);
    for (unsigned i = 0; i < 12000; i++) {
        size_t at = m.records.n;
        put_hex(&m.records, FIRST);
        set_le(&m.records, at + 32, 1000 - i % 1000 + i / 1000 * 1000, 8);
        set_le(&m.records, at + 72 + 24, 0x10000 + i % 4096, 8);
        if (i % 100 == 99) {
            put_round(&m.records);
        }
    }
    add_events(&m);
    add_symbols(&m);
    b = whole(&m);
    import_one(&large, &b);
    import_begin(&small);
    small.ctx->limits.max_memory = 16 << 20;
    (void)import_files(&small, &b, 1, 0);
    assert_ok(small.ctx, small.code);
    assert_true(memsink_equal(small.sink, large.sink));
    assert_rows(&small, perf_sample, 12000);
    run_free(&small);
    run_free(&large);
    free(b.p);
}

/* --- defects -----------------------------------------------------------------------------------
 */

static void test_bad_records(void **state)
{
    made m = begin();
    run r;
    UNUSED(state);
    put_hex(&m.records, KERNEL_MAP LIBA_MAP FIRST);
    put_hex(&m.records, "0900000001001000"
                        "0000000000000000"); /* a sample of 8 bytes */
    put_hex(&m.records, "c800000001001000"
                        "0000000000000000"); /* of no known type */
    put_hex(&m.records, "02000000010018000100000000000000"
                        "0500000000000000"); /* LOST 5 */
    put_hex(&m.records, "0900000001000400"); /* of 4 bytes */
    put_hex(&m.records, FIRST);
    add_events(&m);
    import_bytes(&r, whole(&m));
    assert_int_equal(r.code, TS_OK);
    assert_rows(&r, perf_sample, 1);
    assert_int_equal(issues(&r, "perf_sample_bad"), 1);
    assert_int_equal(issues(&r, "perf_record_bad"), 1);
    assert_int_equal(issue_sum(&r, "perf_lost"), 5);
    assert_int_equal(count_sum(&r, "perf_samples", TS_C_import_count__lost), 1);
    assert_int_equal(count_sum(&r, "perf_records", TS_C_import_count__skipped), 1);
    run_free(&r);
}

/* A feature that is cut takes no other with it; symbols before the cut stay. */
static void test_bad_feature(void **state)
{
    made m = begin();
    run r;
    UNUSED(state);
    put_hex(&m.records, KERNEL_MAP LIBA_MAP FIRST);
    put_string(add_feature(&m, 11), "hiperf record");
    add_events(&m);
    add_symbols(&m);
    m.features[2].n = 120;
    import_bytes(&r, whole(&m));
    assert_int_equal(issues(&r, "perf_feature_bad"), 1);
    assert_mem_row(r.sink, perf_files, 0, "0|0|0|schedule|[kernel.kallsyms]");
    assert_mem_row(r.sink, perf_report, 2, "2|cmdline|hiperf record");
    assert_rows(&r, perf_sample, 1);
    run_free(&r);
}

/* The stack of a sample is not in the table: it has its own address. */
static void test_unknown_stack(void **state)
{
    static const frame frames[] = {{1, 0, SCHEDULE}};
    made m = begin();
    run r;
    UNUSED(state);
    put_hex(&m.records, KERNEL_MAP BY_ID);
    set_le(&m.records, m.records.n - 8, 77 | 5 << 23, 8);
    add_events(&m);
    add_symbols(&m);
    put_hex(add_feature(&m, 197), STACKS);
    import_bytes(&r, whole(&m));
    assert_int_equal(issues(&r, "perf_stack_unknown"), 1);
    assert_frames(&r, frames, 1);
    run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_common_rows),
        cmocka_unit_test(test_stacks_by_id),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit_flipped),
        cmocka_unit_test(test_deleted_and_doubled),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_order_of_times),
        cmocka_unit_test(test_maps_replace_each_other),
        cmocka_unit_test(test_many_maps),
        cmocka_unit_test(test_forked),
        cmocka_unit_test(test_contexts),
        cmocka_unit_test(test_kernel_names),
        cmocka_unit_test(test_group),
        cmocka_unit_test(test_pipe),
        cmocka_unit_test(test_spooled),
        cmocka_unit_test(test_bad_records),
        cmocka_unit_test(test_bad_feature),
        cmocka_unit_test(test_unknown_stack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
