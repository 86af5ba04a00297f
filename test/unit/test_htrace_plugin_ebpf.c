/* hiebpf-plugin: sections by hand, rows from the description of the format. */
#include "plugin_build.h"

extern const ts_htrace_plugin ts_plugin_ebpf;

static const ts_htrace_plugin *const plugins[] = {&ts_plugin_ebpf, NULL};

#define CLOCK_REALTIME_NUMBER 0

/* Items of the example. */
#define MAPS                                                                                       \
    "00000000 2a000000 0000000070000000 0000010070000000 00100000 14000000 0e000000"               \
    "2f646174612f6c6962612e736f00"
#define ELF                                                                                        \
    "01000000 67000000 0020000000000000 00100000 0d000000 30000000 0e000000 18000000"              \
    "0066005f5a4e3161316245760001000000020001000020000000000000000100000000000003000000120001"     \
    "0000210000000000004000000000000000 2f646174612f6c6962612e736f00"
#define KERNEL                                                                                     \
    "01000100 32000000 00000010c0ffffff 00100010c0ffffff 10000000 0a000000 00000010c0ffffff"       \
    "00010000 01000000 007666735f7265616400"
#define PATH                                                                                       \
    "05000000 28000000 14000000 15000000 007841cb02000000 02000000 02000000 08000000 00000000"     \
    "2f646174612f6600"
#define READ                                                                                       \
    "02000000 80000000 14000000 15000000 6673000000000000 007841cb02000000 327841cb02000000"       \
    "78000000000000000000000000000000 64000000 0300 0200 0700000000000000 0010000000000000"        \
    "0010000000000000 0000000000000000 61707000000000000000000000000000"                           \
    "08000010c0ffffff 0401000070000000 1000000070000000"
#define OPEN                                                                                       \
    "02000000 68000000 14000000 15000000 6673000000000000 3c7841cb02000000 467841cb02000000"       \
    "78000000000000000000000000000000 feffffff 0000 0100 0000000000000000 0000000000000000"        \
    "0000000000000000 0000000000000000 61707000000000000000000000000000"
#define PAGE                                                                                       \
    "03000000 58000000 14000000 15000000 706d000000000000 017841cb02000000 037841cb02000000"       \
    "79000000000000000000000000000000 0070000000000000 00100000 0100 0200"                         \
    "61707000000000000000000000000000 4001000070000000"
#define BIO                                                                                        \
    "04000000 58000000 14000000 15000000 61707000000000000000000000000000 057841cb02000000"        \
    "d57f41cb02000000 04000000 00200000 3000000000000000 01000000 02000000"                        \
    "7a000000000000000000000000000000 4001000070000000"
#define EXAMPLE MAPS ELF KERNEL PATH READ OPEN PAGE BIO

/* --- sections ----------------------------------------------------------------------------------
 */

/* The header of a section: boottime 1 s, realtime 11 s; the header of eBPF with a command line. */
static size_t open_section(bytes *f, uint32_t clock)
{
    const size_t at = put_header(f, 0, 1000, 1 * S, 11 * S);
    memcpy(f->p + at + 108, "hiebpf-plugin", 13);
    const size_t begin = f->n;
    put(f, "EBPFFILE", 8);
    put_le(f, 1024, 4);
    put_le(f, 1, 4);
    put_le(f, clock, 4);
    put_le(f, 6, 4);
    put(f, "hiebpf", 6);
    put_zeros(f, 1024 - (f->n - begin));
    return at;
}

static void put_hex(bytes *f, const char *digits)
{
    bytes data = hex_bytes(digits);
    put(f, data.p, data.n);
    free(data.p);
}

static void close_section(bytes *f, size_t at)
{
    set_le(f, at + 8, f->n - at, 8);
}

static void section(bytes *f, const char *digits)
{
    const size_t at = open_section(f, CLOCK_REALTIME_NUMBER);
    put_hex(f, digits);
    close_section(f, at);
}

static void one_section(run *r, const char *digits)
{
    bytes f = {0};
    section(&f, digits);
    convert(r, plugins, &f);
}

/* --- rows --------------------------------------------------------------------------------------
 */

static void test_worked_example(void **state)
{
    run r;
    (void)state;
    one_section(&r, EXAMPLE);
    const char *lib = "/data/liba.so";
    CHECK_ROWS(&r, file_system_sample,
               "0|0|2|1|1|2000000000|2000000050|50|0x64|NULL|7|1|100|0x7|0x1000|0x1000|0x0",
               "1|-1|0|1|1|2000000060|2000000070|10|0x0|0x2|NULL|NULL|NULL|0x0|0x0|0x0|0x0");
    CHECK_ROWS(&r, paged_memory_sample, "0|1|2|1|2000000001|2000000003|2|4096|0x7000|1");
    CHECK_ROWS(&r, bio_latency_sample,
               "0|1|2|1|1|2000000005|2000002005|2000|4|8192|0x30|NULL|1000");
    assert_int_equal(MEM_ROWS(r.sink, ebpf_callstack), 4);
    CHECK_ROWS(&r, ebpf_callstack, "0|0|0|0x7000000010|3|2", "1|0|1|0x7000000104|4|2",
               "2|0|2|0xffffffc010000008|5|6", "3|1|0|0x7000000140|NULL|2");
    assert_mem_text(r.sink, data_dict, 1, data, "/data/f");
    assert_mem_text(r.sink, data_dict, 2, data, lib);
    assert_mem_text(r.sink, data_dict, 3, data, "f");
    assert_mem_text(r.sink, data_dict, 4, data, "a::b()");
    assert_mem_text(r.sink, data_dict, 5, data, "vfs_read");
    assert_mem_text(r.sink, data_dict, 6, data, "/proc/kallsyms");
    assert_int_equal(stat_count(&r, "trace_ebpf", "received"), 1);
    assert_int_equal(stat_count(&r, "trace_ebpf", "not_supported"), 0);
    assert_int_equal(stat_count(&r, "trace_ebpf_file_system", "received"), 2);
    assert_int_equal(stat_count(&r, "trace_ebpf_paged_memory", "received"), 1);
    assert_int_equal(stat_count(&r, "trace_ebpf_bio_latency", "received"), 1);
    assert_mem_row(r.sink, trace_range, 0, "2000000000|2000002005");
    check_counts(&r, "ebpf_items", 8, 0, 0);
    check_counts(&r, "ebpf_events", 4, 0, 0);
    check_no_issues(&r);
    run_free(&r);
}

/* The same events as samples of the common tables. */
static void test_samples(void **state)
{
    run r;
    (void)state;
    one_section(&r, EXAMPLE);
    CHECK_ROWS(&r, stack_method, "1|2|NULL|f|NULL|NULL|NULL|NULL|NULL|/data/liba.so|NULL",
               "2|2|NULL|a::b()|NULL|NULL|NULL|NULL|NULL|/data/liba.so|NULL",
               "3|2|NULL|vfs_read|NULL|NULL|NULL|NULL|NULL|/proc/kallsyms|NULL",
               "4|2|NULL|liba.so+0x2140|NULL|NULL|NULL|NULL|NULL|/data/liba.so|NULL");
    CHECK_ROWS(&r, stack_node, "1|2|NULL|1|NULL|0|NULL", "2|2|1|2|NULL|1|NULL",
               "3|2|2|3|NULL|2|NULL", "4|2|NULL|4|NULL|0|NULL");
    CHECK_ROWS(&r, stack_sample, "1|2|1|2000000000|50|3|fs_read",
               "2|2|1|2000000060|10|NULL|fs_open", "3|2|1|2000000001|2|4|page_fault_2",
               "4|2|1|2000000005|2000|4|bio_2");
    CHECK_ROWS(&r, stack_value_type, "1|2|size|bytes");
    CHECK_ROWS(&r, stack_sample_value, "1|1|100", "3|1|4096", "4|1|8192");
    CHECK_ROWS(&r, stack_sample_label, "1|path|/data/f", "1|fd|7", "2|error|2");
    assert_mem_text(r.sink, source, 1, kind, "ebpf");
    assert_mem_text(r.sink, source, 1, clock, "boottime");
    assert_int_equal(MEM_INT(r.sink, source, 1, parent_id), 1);
    assert_int_equal(MEM_INT(r.sink, source, 1, start_ts), 2000000000);
    assert_int_equal(MEM_INT(r.sink, source, 1, end_ts), 2000002005);
    assert_string_equal(property(&r, "cmdline"), "hiebpf");
    assert_mem_text(r.sink, process, 1, name, "app");
    assert_int_equal(MEM_INT(r.sink, process, 1, pid), 20);
    assert_int_equal(MEM_INT(r.sink, thread, 1, tid), 21); /* that of the path, which came first */
    run_free(&r);
}

/* Calls, their kinds, descriptors and sizes. */
static void test_calls(void **state)
{
    static const struct {
        uint16_t call;
        int32_t ret;
        int64_t args[2];
        const char *expected; /* type, return, error, fd, size */
    } calls[] = {
        {1, 5, {9, 9}, "0|0x5|NULL|5|NULL"},
        {10, 0, {9, 0x1ffffffffLL}, "1|0x0|NULL|NULL|NULL"}, /* fd -1 */
        {10, 0, {9, 6}, "1|0x0|NULL|6|NULL"},
        {2, 4, {0x10000000aLL, 0}, "2|0x4|NULL|10|4"},
        {4, -11, {-1, 0}, "2|0x0|0xb|NULL|NULL"},
        {6, 0, {3, 0}, "2|0x0|NULL|3|0"},
        {8, 1, {3, 0}, "2|0x1|NULL|3|1"},
        {3, 1, {4, 0}, "3|0x1|NULL|4|1"},
        {5, 1, {4, 0}, "3|0x1|NULL|4|1"},
        {7, 1, {4, 0}, "3|0x1|NULL|4|1"},
        {9, 2147483647, {4, 0}, "3|0x7fffffff|NULL|4|2147483647"},
    };
    const size_t n = sizeof calls / sizeof calls[0];
    bytes f = {0};
    run r;
    (void)state;
    const size_t at = open_section(&f, CLOCK_REALTIME_NUMBER);
    for (size_t i = 0; i < n; i++) {
        const size_t item = f.n;
        put_hex(&f, OPEN);
        set_le(&f, item + 8 + 16, (uint64_t)(12 * S) + i, 8);
        set_le(&f, item + 8 + 24, (uint64_t)(12 * S) + 100 + i, 8);
        set_le(&f, item + 8 + 48, (uint32_t)calls[i].ret, 4);
        set_le(&f, item + 8 + 54, calls[i].call, 2);
        set_le(&f, item + 8 + 56, (uint64_t)calls[i].args[0], 8);
        set_le(&f, item + 8 + 64, (uint64_t)calls[i].args[1], 8);
    }
    close_section(&f, at);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, file_system_sample), n);
    for (size_t i = 0; i < n; i++) {
        char *row = memsink_row_text(r.sink, TS_T_file_system_sample, i);
        char found[64] = "";
        char *fields[17] = {0};
        size_t count = 0;
        for (char *p = row; p != NULL && count < 17; count++) {
            fields[count] = strsep(&p, "|");
        }
        sprintf(found, "%s|%s|%s|%s|%s", fields[2], fields[8], fields[9], fields[10], fields[12]);
        if (strcmp(found, calls[i].expected) != 0) {
            fail_msg("call %zu: %s, not %s", i, found, calls[i].expected);
        }
        free(row);
    }
    assert_true(MEM_NULL(r.sink, file_system_sample, 4, first_argument)); /* 2^64 - 1 */
    check_no_issues(&r);
    run_free(&r);
}

/* In the order of their ends; of equal ends in that of the section. Each kind by itself. */
static void test_order(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    const size_t at = open_section(&f, CLOCK_REALTIME_NUMBER);
    static const uint8_t ends[] = {30, 10, 20, 10, 40};
    for (size_t i = 0; i < sizeof ends; i++) {
        const size_t item = f.n;
        put_hex(&f, PAGE);
        set_le(&f, item + 8 + 24, (uint64_t)(12 * S) + ends[i], 8);
        set_le(&f, item + 8 + 56, i, 4); /* size */
        put_hex(&f, BIO);
        set_le(&f, f.n - 96 + 8 + 32, (uint64_t)(12 * S) + ends[i], 8);
        set_le(&f, f.n - 96 + 8 + 44, i, 4);
    }
    close_section(&f, at);
    convert(&r, plugins, &f);
    static const int64_t sizes[] = {1, 3, 2, 0, 4};
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(MEM_INT(r.sink, paged_memory_sample, i, size), sizes[i]);
        assert_int_equal(MEM_INT(r.sink, bio_latency_sample, i, size), sizes[i]);
        assert_int_equal(MEM_INT(r.sink, bio_latency_sample, i, callchain_id), 0);
    }
    assert_true(MEM_NULL(r.sink, bio_latency_sample, 3, dur_per_4k)); /* of 0 bytes (QN-73) */
    assert_int_equal(MEM_INT(r.sink, bio_latency_sample, 4, dur_per_4k), 35 * 4096 / 4);
    assert_int_equal(MEM_ROWS(r.sink, ebpf_callstack), 1);
    run_free(&r);
}

/* Paths: of the kind, the thread and the beginning of the event; the last one, used once. */
static void test_paths(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    const size_t at = open_section(&f, CLOCK_REALTIME_NUMBER);
    put_hex(&f, READ READ);
    put_hex(&f, PATH);
    put_hex(&f, PATH);
    f.p[f.n - 2] = 'g';
    put_hex(&f, PATH); /* of another call */
    set_le(&f, f.n - 48 + 8 + 20, 4, 4);
    put_hex(&f, PATH); /* of another thread */
    set_le(&f, f.n - 48 + 8 + 4, 22, 4);
    put_hex(&f, PATH); /* of another time */
    set_le(&f, f.n - 48 + 8 + 8, 1, 8);
    put_hex(&f, BIO PATH); /* of a request */
    set_le(&f, f.n - 48 + 8 + 8, (uint64_t)(12 * S) + 5, 8);
    set_le(&f, f.n - 48 + 8 + 16, 4, 4);
    close_section(&f, at);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, file_system_sample), 2);
    assert_mem_text(r.sink, data_dict, (size_t)MEM_INT(r.sink, file_system_sample, 0, file_id),
                    data, "/data/g");
    assert_true(MEM_NULL(r.sink, file_system_sample, 1, file_id));
    const ts_text id = MEM_TEXT(r.sink, bio_latency_sample, 0, path_id);
    assert_mem_text(r.sink, data_dict, (size_t)atoi(id.p), data, "/data/f");
    assert_int_equal(memsink_count_int(r.sink, TS_T_thread, TS_C_thread__tid, 22), 1);
    check_no_issues(&r);
    run_free(&r);
}

/* Addresses that are in no map, 32-bit ones (QN-71), 0, and a map that another one ends. */
static void test_addresses(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    const size_t at = open_section(&f, CLOCK_REALTIME_NUMBER);
    put_hex(&f, MAPS ELF KERNEL);
    put_hex(&f, READ);
    set_le(&f, f.n - 24, 0x1234, 8);
    set_le(&f, f.n - 16, 0, 8);
    set_le(&f, f.n - 8, UINT64_C(0xffffffc010000100), 8); /* after vfs_read */
    put_hex(&f, PAGE);
    set_le(&f, f.n - 8, UINT64_C(0x7000010000), 8); /* after the map */
    close_section(&f, at);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, ebpf_callstack, "0|0|0|0xffffffc010000100|NULL|NULL", "1|0|1|0x1234|NULL|NULL",
               "2|1|0|0x7000010000|NULL|NULL");
    CHECK_ROWS(&r, stack_method, "1|2|NULL|0xffffffc010000100|NULL|NULL|NULL|NULL|NULL|NULL|NULL",
               "2|2|NULL|0x1234|NULL|NULL|NULL|NULL|NULL|NULL|NULL",
               "3|2|NULL|0x7000010000|NULL|NULL|NULL|NULL|NULL|NULL|NULL");
    check_no_issues(&r);
    run_free(&r);
}

/* Names that begin _Z only are demangled (QN-48), and long ones are whole (QN-80). */
static void test_names(void **state)
{
    bytes f = {0};
    char name[600];
    run r;
    (void)state;
    memset(name, 'n', sizeof name);
    const size_t at = open_section(&f, CLOCK_REALTIME_NUMBER);
    put_le(&f, 0x10001, 4);
    put_le(&f, 24 + 16 + sizeof name, 4);
    put_le(&f, UINT64_C(0xffffffc010000000), 8);
    put_le(&f, UINT64_C(0xffffffc010001000), 8);
    put_le(&f, 16, 4);
    put_le(&f, sizeof name, 4);
    put_le(&f, UINT64_C(0xffffffc010000000), 8);
    put_le(&f, 0x100, 4);
    put_le(&f, 0, 4);
    put(&f, name, sizeof name); /* up to the end of the strings */
    put_hex(&f, READ);
    close_section(&f, at);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, ebpf_callstack), 3);
    const int64_t id = MEM_INT(r.sink, ebpf_callstack, 2, symbols_id);
    assert_int_equal(MEM_TEXT(r.sink, data_dict, (size_t)id, data).n, sizeof name);
    run_free(&r);
}

/* Two sections: stacks have numbers that go on, symbols and maps are those of a section. */
static void test_two_sections(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    section(&f, EXAMPLE);
    section(&f, PAGE BIO);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, paged_memory_sample), 2);
    assert_int_equal(MEM_INT(r.sink, paged_memory_sample, 1, callchain_id), 2);
    assert_int_equal(MEM_INT(r.sink, bio_latency_sample, 1, callchain_id), 2);
    assert_true(MEM_NULL(r.sink, ebpf_callstack, 4, file_path_id));
    assert_int_equal(MEM_ROWS(r.sink, source), 3);
    assert_int_equal(stat_count(&r, "trace_ebpf", "received"), 2);
    assert_int_equal(IMPORTED(&r, "sections"), 2);
    run_free(&r);
}

/* Clocks: those of the header; monotonic, which is not among them, stays. */
static void test_clocks(void **state)
{
    (void)state;
    for (uint32_t clock = 0; clock < 3; clock++) {
        bytes f = {0};
        run r;
        const size_t at = open_section(&f, clock);
        put_hex(&f, PAGE);
        close_section(&f, at);
        convert(&r, plugins, &f);
        assert_int_equal(MEM_INT(r.sink, paged_memory_sample, 0, start_ts),
                         clock == 0 ? 2000000001 : 12000000001);
        assert_mem_text(r.sink, source, 1, clock, clock < 2 ? "boottime" : "monotonic");
        assert_int_equal(issues(&r, "clock_missing"), clock == 2);
        run_free(&r);
    }
}

/* Clocks that come in a later segment of a pipe. */
static void test_late_clocks(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    section(&f, EXAMPLE);
    set_le(&f, 60, 0, 8);
    set_le(&f, 68, 0, 8);
    put_header(&f, 0, 0, 1 * S, 11 * S);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_INT(r.sink, paged_memory_sample, 0, start_ts), 2000000001);
    run_free(&r);
}

static void test_time_range(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    section(&f, EXAMPLE);
    /* Of [2 s, 2 s + 2 ns) after 1970 + 10 s of realtime. */
    convert_range(&r, plugins, &f, (ts_time_range){TS_WANTED_REALTIME, 12 * S + 1, 12 * S + 5});
    assert_int_equal(MEM_ROWS(r.sink, file_system_sample), 0);
    assert_int_equal(MEM_ROWS(r.sink, bio_latency_sample), 0);
    CHECK_ROWS(&r, paged_memory_sample, "0|0|2|1|2000000001|2000000003|2|4096|0x7000|1");
    assert_int_equal(MEM_ROWS(r.sink, ebpf_callstack), 1);
    check_counts(&r, "ebpf_events", 1, 0, 3);
    assert_mem_row(r.sink, trace_range, 0, "2000000001|2000000003");
    run_free(&r);
    free(f.p);
}

/* --- damage ------------------------------------------------------------------------------------
 */

static void test_bad_events(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    const size_t at = open_section(&f, CLOCK_REALTIME_NUMBER);
    put_hex(&f, OPEN);
    set_le(&f, f.n - 104 + 54, 11, 2); /* call 11 */
    put_hex(&f, OPEN);
    set_le(&f, f.n - 104 + 24, 5, 8); /* ends before it begins */
    put_hex(&f, PAGE);
    set_le(&f, f.n - 88 + 24, 5, 8);
    put_hex(&f, BIO);
    set_le(&f, f.n - 88 + 32, 5, 8);
    put_hex(&f, OPEN PAGE BIO); /* those after them are there (QN-72) */
    close_section(&f, at);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, file_system_sample), 1);
    assert_int_equal(MEM_ROWS(r.sink, paged_memory_sample), 1);
    assert_int_equal(MEM_ROWS(r.sink, bio_latency_sample), 1);
    assert_int_equal(MEM_ROWS(r.sink, ebpf_callstack), 1); /* QN-77 */
    assert_int_equal(issues(&r, "ebpf_call"), 1);
    assert_int_equal(issue_offset(&r, "ebpf_call"), 2048);
    assert_int_equal(issues(&r, "ebpf_times"), 3);
    check_counts(&r, "ebpf_events", 3, 4, 0);
    assert_int_equal(stat_count(&r, "trace_ebpf_file_system", "received"), 3);
    assert_int_equal(stat_count(&r, "trace_ebpf_file_system", "invalid_data"), 2);
    assert_int_equal(stat_count(&r, "trace_ebpf_paged_memory", "invalid_data"), 1);
    assert_int_equal(stat_count(&r, "trace_ebpf_bio_latency", "invalid_data"), 1);
    run_free(&r);
}

/* A number of addresses beyond the item, items that are too short or not known, entries of odd
 * sizes: what is right around them is read. */
static void test_bad_items(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    const size_t at = open_section(&f, CLOCK_REALTIME_NUMBER);
    put_hex(&f, MAPS);
    put_hex(&f, ELF);
    set_le(&f, f.n - 103 + 24, 17, 4); /* QN-78 */
    put_hex(&f, PAGE);
    set_le(&f, f.n - 88 + 60, 9, 2); /* QN-76 */
    put_hex(&f, BIO);
    put_hex(&f, "07000000 02000000 0000");
    put_hex(&f, BIO);
    put_hex(&f, "03000000 04000000 00000000");
    close_section(&f, at);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, ebpf_callstack, "0|0|0|0x7000000140|NULL|1");
    assert_mem_text(r.sink, stack_method, 0, name, "liba.so+0x2140");
    assert_int_equal(MEM_ROWS(r.sink, paged_memory_sample), 1);
    assert_int_equal(MEM_ROWS(r.sink, bio_latency_sample), 2);
    assert_int_equal(issues(&r, "ebpf_symbols"), 1);
    assert_int_equal(issues(&r, "ebpf_ips"), 1);
    assert_int_equal(issues(&r, "ebpf_item_unknown"), 1);
    assert_int_equal(issues(&r, "ebpf_item_short"), 1);
    check_counts(&r, "ebpf_items", 4, 2, 1);
    assert_int_equal(LOST(&r, "plugin_values:hiebpf-plugin"), 1);
    assert_int_equal(stat_count(&r, "trace_ebpf", "not_supported"), 1);
    run_free(&r);
}

/* Two items one after the other that say more addresses than they have: both are used. */
static void test_two_bad_items(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    const size_t at = open_section(&f, CLOCK_REALTIME_NUMBER);
    put_hex(&f, PAGE PAGE BIO PAGE);
    for (size_t i = 0; i < 2; i++) {
        set_le(&f, 2048 + 96 * i + 8 + 60, 9, 2);
    }
    set_le(&f, 2048 + 96 * 3 + 8 + 60, 9, 2); /* and the last one */
    close_section(&f, at);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, paged_memory_sample), 3);
    assert_int_equal(issues(&r, "ebpf_ips"), 3);
    assert_int_equal(issues(&r, "ebpf_cut"), 0);
    run_free(&r);
}

/* A type was changed, by a bit or altogether: the item is lost. One of a later recorder is not. */
static void test_changed_type(void **state)
{
    static const uint32_t types[] = {6, 0x7461, 48};
    (void)state;
    for (unsigned k = 0; k < 3; k++) {
        bytes f = {0};
        run r;
        const size_t at = open_section(&f, CLOCK_REALTIME_NUMBER);
        put_hex(&f, READ PAGE);
        set_le(&f, 2048, types[k], 4);
        close_section(&f, at);
        convert(&r, plugins, &f);
        assert_int_equal(MEM_ROWS(r.sink, paged_memory_sample), 1);
        assert_int_equal(issues(&r, "ebpf_cut"), k < 2);
        assert_int_equal(issues(&r, "ebpf_item_unknown"), k == 2);
        check_counts(&r, "ebpf_items", 1, k < 2, k == 2);
        run_free(&r);
    }
}

/* A length that is wrong costs its item only. */
static void test_wrong_lengths(void **state)
{
    static const uint32_t lengths[] = {0, 7, 80, 87, 89, 96, 200, 0x7fffffff, UINT32_MAX};
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        bytes f = {0};
        run r;
        const size_t at = open_section(&f, CLOCK_REALTIME_NUMBER);
        put_hex(&f, PAGE PAGE);
        set_le(&f, f.n - 96 + 4, lengths[i], 4);
        put_hex(&f, BIO OPEN);
        close_section(&f, at);
        convert(&r, plugins, &f);
        assert_int_equal(MEM_ROWS(r.sink, paged_memory_sample), 1);
        assert_int_equal(MEM_ROWS(r.sink, bio_latency_sample), 1);
        assert_int_equal(MEM_ROWS(r.sink, file_system_sample), 1);
        assert_int_equal(issues(&r, "ebpf_cut"), 1);
        assert_int_equal(issue_offset(&r, "ebpf_cut"), 2048 + 96);
        check_counts(&r, "ebpf_items", 3, 1, 0);
        run_free(&r);
    }
}

static void test_bad_headers(void **state)
{
    static const struct {
        size_t at;
        uint64_t value;
    } bad[] = {{0, 'X'}, {8, 1023}, {16, 4}};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bytes f = {0};
        run r;
        section(&f, EXAMPLE);
        set_le(&f, 1024 + bad[i].at, bad[i].value, bad[i].at == 0 ? 1 : 4);
        section(&f, PAGE);
        convert(&r, plugins, &f);
        assert_int_equal(issues(&r, "ebpf_header"), 1);
        assert_int_equal(issue_offset(&r, "ebpf_header"), 1024);
        assert_int_equal(MEM_ROWS(r.sink, file_system_sample), 0);
        assert_int_equal(MEM_ROWS(r.sink, paged_memory_sample), 1);
        assert_int_equal(stat_count(&r, "trace_ebpf", "received"), 2);
        assert_int_equal(stat_count(&r, "trace_ebpf", "not_supported"), 1);
        run_free(&r);
    }
}

/* Cut at every byte: events that are there are those of the whole (QN-70). */
static void test_cut_recording(void **state)
{
    static const enum ts_table_id tables[] = {TS_T_file_system_sample, TS_T_paged_memory_sample,
                                              TS_T_bio_latency_sample, TS_T_stack_sample_label};
    bytes f = {0};
    run whole;
    (void)state;
    section(&f, EXAMPLE PAGE BIO);
    run_begin_with(&whole, plugins, NULL, 0);
    run_feed(&whole, f.p, f.n, f.n);
    run_end(&whole);
    for (size_t n = 1030; n < f.n; n++) {
        run r;
        run_begin_with(&r, plugins, NULL, 0);
        run_feed(&r, f.p, n, n);
        run_end(&r);
        assert_int_equal(r.code, TS_OK);
        check_run(&r, n);
        for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
            /* Ids of rows and samples, and file_id, which counts what came before. */
            check_cells(&r, &whole, tables[t], t == 3 ? 1 : 1 | UINT64_C(1) << 11);
        }
        assert_int_equal(issues(&r, "section_truncated"), 1);
        run_free(&r);
    }
    run_free(&whole);
    free(f.p);
}

/* Bytes that are there twice: never without an issue, and no more rows than they may hold. */
static void test_repeated(void **state)
{
    static const enum ts_table_id tables[] = {TS_T_file_system_sample, TS_T_paged_memory_sample,
                                              TS_T_bio_latency_sample};
    const size_t step = test_slow() ? 1 : 7;
    bytes f = {0};
    run whole;
    (void)state;
    section(&f, EXAMPLE PAGE BIO OPEN);
    run_begin_with(&whole, plugins, NULL, 0);
    run_feed(&whole, f.p, f.n, f.n);
    run_end(&whole);
    for (size_t from = 2048; from < f.n; from += step) {
        for (size_t n = 1; from + n <= f.n; n += n < 8 ? 1 : 13) {
            run r;
            run_begin_with(&r, plugins, NULL, 0);
            run_feed(&r, f.p, from + n, f.n);
            run_feed(&r, f.p + from, f.n - from, f.n);
            run_end(&r);
            assert_int_equal(r.code, TS_OK);
            check_run(&r, f.n + n);
            for (size_t t = 0; t < sizeof tables / sizeof tables[0]; t++) {
                assert_true(memsink_rows(r.sink, tables[t]) <=
                            memsink_rows(whole.sink, tables[t]) + n / 88 + 1);
            }
            /* Inside the last item nothing shows it. */
            assert_true(from + n > f.n - 112 || ts_issue_losses(r.store) > 0);
            run_free(&r);
        }
    }
    run_free(&whole);
    free(f.p);
}

static void test_every_allocation_fails(void **state)
{
    bytes f = {0};
    (void)state;
    section(&f, EXAMPLE);
    check_puts(plugins, &f);
    check_allocations(plugins, &f);
}

/* A time that does not fit is NULL, and counted. */
static void test_times_that_do_not_fit(void **state)
{
    bytes f = {0};
    run r;
    (void)state;
    const size_t at = open_section(&f, CLOCK_REALTIME_NUMBER);
    put_hex(&f, PAGE);
    set_le(&f, f.n - 88 + 24, UINT64_MAX, 8);
    close_section(&f, at);
    convert(&r, plugins, &f);
    CHECK_ROWS(&r, paged_memory_sample, "0|0|2|1|2000000001|NULL|NULL|4096|0x7000|2");
    assert_int_equal(issues(&r, "time_overflow"), 1);
    assert_int_equal(LOST(&r, "plugin_values:hiebpf-plugin"), 1);
    run_free(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_samples),
        cmocka_unit_test(test_calls),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_addresses),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_two_sections),
        cmocka_unit_test(test_clocks),
        cmocka_unit_test(test_late_clocks),
        cmocka_unit_test(test_time_range),
        cmocka_unit_test(test_bad_events),
        cmocka_unit_test(test_bad_items),
        cmocka_unit_test(test_two_bad_items),
        cmocka_unit_test(test_changed_type),
        cmocka_unit_test(test_wrong_lengths),
        cmocka_unit_test(test_bad_headers),
        cmocka_unit_test(test_cut_recording),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_times_that_do_not_fit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
