/* nativehook: messages by hand, rows from the description of the format. */
#include "plugin_build.h"

extern const ts_htrace_plugin ts_plugin_native_hook;

static const ts_htrace_plugin *const plugins[] = {&ts_plugin_native_hook, NULL};

#define HOOK "nativehook"
#define CONFIG "nativehook_config"

#define F1                                                                                         \
    "0880e001 1a06 6d616c6c6f63 221c 2f73797374656d2f6c69622f6c642d6d75736c2d61726d2e736f"         \
    "2e31 288002 3008"
#define F2 "0880 8002 1a0f 6e733a3a6d616b6528292b30783230 220d 2f646174612f6c6962612e736f 2800 3000"
#define F3 "0880 a002 1a04 6d61696e 220f 2f73797374656d2f62696e2f617070 288004 3004"

/* An event or a table, in a batch of them. */
static void event(bytes *batch, const char *digits)
{
    bytes data = hex_bytes(digits);
    put_field(batch, 1, data.p, data.n);
    free(data.p);
}

/* The batch as a segment. */
static void send(bytes *f, bytes *batch)
{
    segment(f, HOOK, batch->p, batch->n, 12 * S);
    free(batch->p);
    *batch = (bytes){0};
}

static bool is_column(enum ts_table_id table, unsigned column, const char *name)
{
    return strcmp(ts_schema[table].columns[column].name, name) == 0;
}

/* A row with texts in the place of ids of data_dict, which it has. */
static void row_text(char *out, size_t size, const run *r, enum ts_table_id table, size_t row)
{
    static const char *const dict[] = {"sub_type_id", "last_lib_id", "last_symbol_id", "symbol_id",
                                       "file_id"};
    size_t n = 0;
    for (unsigned c = 0; c < ts_schema[table].column_count; c++) {
        ts_text text = {"NULL", 4};
        char number[24];
        bool id = false;
        for (size_t k = 0; k < sizeof dict / sizeof dict[0]; k++) {
            id = id || is_column(table, c, dict[k]);
        }
        if (!memsink_is_null(r->sink, table, row, c)) {
            if (ts_schema[table].columns[c].type == TS_COL_TEXT) {
                text = memsink_text(r->sink, table, row, c);
            } else if (id) {
                size_t at = memsink_find_int(r->sink, TS_T_data_dict, TS_C_data_dict__id,
                                             memsink_int(r->sink, table, row, c));
                text = MEM_TEXT(r->sink, data_dict, at, data);
            } else {
                snprintf(number, sizeof number, "%lld",
                         (long long)memsink_int(r->sink, table, row, c));
                text = ts_text_of(number);
            }
        }
        n += (size_t)snprintf(out + n, size - n, "%s%.*s", c == 0 ? "" : "|", (int)text.n, text.p);
    }
}

static void check_rows(const run *r, enum ts_table_id table, const char *const *rows)
{
    size_t n = 0;
    for (; rows[n] != NULL; n++) {
        char text[1024];
        if (n >= memsink_rows(r->sink, table)) {
            fail_msg("%s has %zu rows", ts_schema[table].name, n);
        }
        row_text(text, sizeof text, r, table, n);
        assert_string_equal(text, rows[n]);
    }
    assert_int_equal(memsink_rows(r->sink, table), n);
}

#define CHECK(r, table, ...) check_rows((r), TS_T_##table, (const char *const[]){__VA_ARGS__, NULL})

static void plain_recording(bytes *f)
{
    bytes b = {0};
    begin(f);
    hex(f, CONFIG, "", 12 * S);
    event(&b, "080c100a 1a8701 0814 1015 1880a001 2064 2a2f" F1 "2a28" F2 "2a20" F3);
    event(&b, "080c1014 2a2d 0814 1015 1880a002 288040 3220" F3);
    event(&b, "080c1019 3a0f 0880a002 108040 1a04 68656170 2014");
    event(&b, "080c101e 1a8701 0814 1015 1880a001 2032 2a2f" F1 "2a28" F2 "2a20" F3);
    event(&b, "080c1028 2208 0814 1014 1880a001");
    event(&b, "080c102d 2208 0814 1014 1880c001");
    event(&b, "080c1032 320b 0814 1014 1880a002 208020");
    event(&b, "080c103c 82010f 0814 1014 1877 2002 2a03 746578 3040");
    event(&b, "080c1041 82010a 0814 1014 1803 2000 3001");
    event(&b, "080c1046 8a0108 0814 1014 1877 2002");
    send(f, &b);
}

static void test_plain(void **state)
{
    bytes f;
    run r;
    (void)state;
    plain_recording(&f);
    convert(&r, plugins, &f);
#define T(ns) "20000000" #ns
    CHECK(&r, native_hook,
          "0|1|1|1|AllocEvent|NULL|" T(10) "|NULL|NULL|20480|100|100|20|/data/liba.so|"
                                           "ns::make()+0x20",
          "1|2|1|1|MmapEvent|heap|" T(20) "|NULL|NULL|36864|8192|8192|30|/system/bin/app|main",
          "2|1|1|1|AllocEvent|NULL|" T(30) "|" T(40) "|10|20480|50|150|10|/data/liba.so|"
                                                     "ns::make()+0x20",
          "3|-1|1|2|FreeEvent|NULL|" T(40) "|NULL|NULL|20480|50|100|0|NULL|NULL",
          "4|-1|1|2|MunmapEvent|heap|" T(50) "|NULL|NULL|36864|4096|4096|0|NULL|NULL",
          "5|-1|1|2|GPU_VK_Alloc_Event|tex|" T(60) "|" T(70) "|10|119|64|64|10|NULL|NULL",
          "6|-1|1|2|GPU_VK_Free_Event|tex|" T(70) "|NULL|NULL|119|64|0|0|NULL|NULL");
#undef T
    CHECK(&r, native_hook_frame, "0|1|0|36864|main|/system/bin/app|512|4|0x204",
          "1|1|1|32768|ns::make()+0x20|/data/liba.so|0|0|0x20",
          "2|1|2|28672|malloc|/system/lib/ld-musl-arm.so.1|256|8|0x108",
          "3|2|0|36864|main|/system/bin/app|512|4|0x204");
    assert_int_equal(stat_count(&r, "native_hook_malloc", "received"), 2);
    assert_int_equal(stat_count(&r, "native_hook_free", "received"), 2);
    assert_int_equal(stat_count(&r, "native_hook_free", "invalid_data"), 1);
    assert_int_equal(stat_count(&r, "native_hook_mmap", "received"), 1);
    assert_int_equal(stat_count(&r, "native_hook_munmap", "received"), 1);
    assert_int_equal(stat_count(&r, "native_hook_munmap", "invalid_data"), 0);
    assert_int_equal(stat_count(&r, "native_hook_memtag", "received"), 1);
    assert_mem_row(r.sink, trace_range, 0, "2000000010|2000000070");
    check_counts(&r, "hook_events", 8, 0, 2);
    assert_int_equal(issues(&r, "hook_traces"), 1);
    assert_int_equal(issues(&r, "hook_free_lost"), 1);
    assert_int_equal(ts_issue_losses(r.store), 0);
    run_free(&r);
}

/* Texts, a frame and two stacks of it; in the process `pid` (two digits). */
static void tables(bytes *b, const char *pid)
{
    static const char *const all[] = {
        "4213 0801 120d 2f646174612f6c6962612e736f 18",
        "4a07 0801 1201 66 18",
        "6a10 0801 120a 0805 2803 3004 3801 4001 18",
        "7207 0801 1201 01 20",
        "7208 0802 1202 0101 20",
    };
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char text[256];
        snprintf(text, sizeof text, "%s%s", all[i], pid);
        event(b, text);
    }
}

static void test_statistic(void **state)
{
    bytes f;
    bytes b = {0};
    run r;
    (void)state;
    begin(&f);
    hex(&f, CONFIG, "b00101", 12 * S);
    tables(&b, "14");
    event(&b, "080c7a0d081410012003280130ac023864");
    event(&b, "080c7a0e0814100218012001280130323832");
    event(&b, "080d7a0e0814100120042804309003389003");
    send(&f, &b);
    convert(&r, plugins, &f);
    CHECK(&r, native_hook_statistic, "0|1|1|2000000000|0|NULL|3|1|300|100|/data/liba.so|f",
          "1|1|1|3000000000|0|NULL|4|4|400|400|/data/liba.so|f");
    CHECK(&r, native_hook_frame, "0|1|0|5|f|/data/liba.so|3|4|0x7");
    assert_int_equal(stat_count(&r, "native_hook_record_statistics", "received"), 3);
    assert_mem_row(r.sink, trace_range, 0, "1000000000|3000000000");
    check_counts(&r, "hook_events", 2, 0, 1);
    check_counts(&r, "hook_tables", 5, 0, 0);
    check_no_issues(&r);
    CHECK_ROWS(&r, stack_sample, "1|2|NULL|3000000000|NULL|1|malloc");
    CHECK_ROWS(&r, stack_sample_value, "1|1|4", "1|2|400", "1|3|0", "1|4|0");
    assert_string_equal(property(&r, "statistics_interval"), "1");
    run_free(&r);
}

/* Frames by ids of frames, texts by ids: what is not known keeps its place in the stack. */
static void test_stacks(void **state)
{
    bytes f;
    bytes b = {0};
    run r;
    (void)state;
    begin(&f);
    hex(&f, CONFIG, "a80101", 12 * S);
    tables(&b, "14");
    event(&b, "6a0c 0802 1206 0806 3802 4001 1814"); /* symbol 2 comes later */
    event(&b, "6a0c 0803 1206 0807 3809 4001 1814"); /* symbol 9 never */
    event(&b, "720b 0803 1205 0103020901 2014");     /* frame 9 neither */
    event(&b, "080c 1005 1a0c 0814 1015 1880a001 2064 3803");
    event(&b, "080c 1006 1a0c 0814 1015 1880a101 2010 3807"); /* a stack that is not there */
    event(&b, "080c 1007 1a0a 0814 1015 1880a201 2010");
    event(&b, "4a07 0802 1201 67 1814");
    send(&f, &b);
    convert(&r, plugins, &f);
    CHECK(&r, native_hook,
          "0|3|1|2|AllocEvent|NULL|2000000005|NULL|NULL|20480|100|100|1|/data/liba.so|f",
          "1|7|1|2|AllocEvent|NULL|2000000006|NULL|NULL|20608|16|116|1|NULL|NULL",
          "2|-1|1|2|AllocEvent|NULL|2000000007|NULL|NULL|20736|16|132|0|NULL|NULL");
    CHECK(&r, native_hook_frame, "0|1|0|5|f|/data/liba.so|3|4|0x7",
          "1|2|0|5|f|/data/liba.so|3|4|0x7", "2|2|1|5|f|/data/liba.so|3|4|0x7",
          "3|3|0|5|f|/data/liba.so|3|4|0x7", "4|3|1|NULL|NULL|NULL|NULL|NULL|NULL",
          "5|3|2|6|g|/data/liba.so|NULL|NULL|NULL", "6|3|3|NULL|NULL|NULL|NULL|NULL|NULL",
          "7|3|4|5|f|/data/liba.so|3|4|0x7");
    assert_int_equal(issues(&r, "hook_frame_unknown"), 1);
    assert_int_equal(issues(&r, "hook_stack_unknown"), 1);
    run_free(&r);
}

/* Ids belong to a process where several are recorded, and so do addresses and sums. */
static void test_several(void **state)
{
    bytes f;
    bytes b = {0};
    run r;
    (void)state;
    begin(&f);
    hex(&f, CONFIG, "a80101 d00114", 12 * S);
    tables(&b, "14");
    tables(&b, "1e");
    event(&b, "080c 1005 1a0c 0814 1015 1880a001 2064 3801");
    event(&b, "080c 1006 1a0c 081e 101f 1880a001 2010 3801");
    event(&b, "080c 1007 2208 0814 1015 1880a001");
    event(&b, "080c 1008 320d 0814 1015 1880a002 208020 3801"); /* nothing is mapped */
    send(&f, &b);
    convert(&r, plugins, &f);
    CHECK(&r, native_hook,
          "0|1|1|3|AllocEvent|NULL|2000000005|2000000007|2|20480|100|100|2|/data/liba.so|f",
          "1|3|2|4|AllocEvent|NULL|2000000006|NULL|NULL|20480|16|16|0|/data/liba.so|f",
          "2|-1|1|3|FreeEvent|NULL|2000000007|NULL|NULL|20480|100|0|0|NULL|NULL");
    CHECK(&r, native_hook_frame, "0|1|0|5|f|/data/liba.so|3|4|0x7",
          "1|2|0|5|f|/data/liba.so|3|4|0x7", "2|2|1|5|f|/data/liba.so|3|4|0x7",
          "3|3|0|5|f|/data/liba.so|3|4|0x7", "4|4|0|5|f|/data/liba.so|3|4|0x7",
          "5|4|1|5|f|/data/liba.so|3|4|0x7");
    assert_int_equal(stat_count(&r, "native_hook_munmap", "invalid_data"), 1);
    check_no_issues(&r);
    run_free(&r);
}

/* A text with an id in process 20. */
static void name(bytes *b, uint32_t field, uint64_t id, const char *text)
{
    bytes data = {0};
    bytes body = {0};
    put_number(&body, 1, id);
    put_text(&body, 2, text);
    put_number(&body, 3, 20);
    put_part(&data, field, &body);
    put_part(b, 1, &data);
}

#define MAP "5a0f0814108080041880a0042080202801"
#define SYMBOLS                                                                                    \
    "624d080110804018802020102a300100000000200000000100000200010003000000002100004000000012000100" \
    "01000000002200000400000001000100320d0066005f5a4e316131624576003814"
#define STACK_1 "721c08011a168482048180808080c0ffffff01908004c0820499b3262014"
#define STACK_2 "721308021a0d808604e480808080e0ffffff012014"

static void test_offline(void **state)
{
    bytes f;
    bytes b = {0};
    run r;
    (void)state;
    begin(&f);
    hex(&f, CONFIG, "a00101", 12 * S);
    name(&b, 8, 1, "/data/liba.so");
    name(&b, 8, 2, "/data/x.ets");
    name(&b, 9, 1, "jsfun");
    name(&b, 10, 4, "worker");
    event(&b, "6a0e 0801 1208 0805 284d 3801 4002 1814");
    event(&b, MAP);
    event(&b, SYMBOLS);
    event(&b, STACK_1);
    event(&b, STACK_2);
    event(&b, "080c100a1a0e081410151880a001206430043801");
    event(&b, "080c10141a0c081410151880c001200a3802");
    send(&f, &b);
    convert(&r, plugins, &f);
    CHECK(&r, native_hook_frame, "0|1|0|629145|unknown 0x99999|NULL|NULL|NULL|NULL",
          "1|1|1|65856|/data/liba.so+0x2140|/data/liba.so|65856|0|0x2140",
          "2|1|2|65552|f|/data/liba.so|8192|16|0x2010", "3|1|3|5|jsfun|/data/x.ets|77|NULL|NULL",
          "4|1|4|65796|a::b()|/data/liba.so|8448|4|0x2104",
          "5|2|0|-1099511627676|alloc size(100bytes)0xffffff0000000064|NULL|NULL|NULL|NULL",
          "6|2|1|66304|/data/liba.so+0x2300|/data/liba.so|66304|0|0x2300");
    CHECK(&r, native_hook,
          "0|1|1|2|AllocEvent|NULL|2000000010|NULL|NULL|20480|100|100|10|/data/liba.so|a::b()",
          "1|2|1|2|AllocEvent|NULL|2000000020|NULL|NULL|24576|10|110|0|/data/liba.so|"
          "/data/liba.so+0x2300");
    assert_string_equal(MEM_TEXT(r.sink, thread, 2, name).p, "worker");
    check_counts(&r, "hook_tables", 9, 0, 0);
    check_no_issues(&r);
    run_free(&r);
}

#define ALLOC(ns, addr) "080c10" ns "1a0b 0814 1015 1880" addr " 2064 3801"

/* A part of a mapping is released: it ends with its last byte. */
static void test_partial_munmap(void **state)
{
    bytes f;
    bytes b = {0};
    run r;
    (void)state;
    begin(&f);
    event(&b, "080c1001 2a0c 0814 1015 18808004 28808004");      /* 0x10000, 65536 */
    event(&b, "080c1002 3a0e 08808004 10808004 1a02 6161 2014"); /* tag aa of all of it */
    event(&b, "080c1003 3a0e 08808004 10808002 1a02 6262 2014"); /* of a part: of no effect */
    event(&b, "080c1004 3a0e 08808004 10808004 1a02 6363 2014"); /* a second one neither */
    event(&b, "080c1005 320c 0814 1015 18808005 20808002");      /* from 0x14000, 32768 */
    event(&b, "080c1006 320c 0814 1015 18808005 20808002");      /* once more */
    event(&b, "080c1007 320c 0814 1015 1880f003 20809004");      /* from 0xf800, 67584: the rest */
    event(&b, "080c1008 320c 0814 1015 18808004 20808004");
    send(&f, &b);
    convert(&r, plugins, &f);
    CHECK(&r, native_hook,
          "0|-1|1|1|MmapEvent|aa|2000000001|2000000007|6|65536|65536|65536|4|NULL|NULL",
          "1|-1|1|1|MunmapEvent|aa|2000000005|NULL|NULL|81920|32768|32768|2|NULL|NULL",
          "2|-1|1|1|MunmapEvent|aa|2000000007|NULL|NULL|63488|32768|0|0|NULL|NULL");
    assert_int_equal(stat_count(&r, "native_hook_munmap", "received"), 4);
    assert_int_equal(stat_count(&r, "native_hook_munmap", "invalid_data"), 2);
    assert_int_equal(stat_count(&r, "native_hook_memtag", "received"), 3);
    check_no_issues(&r);
    run_free(&r);
}

/* A mapping over others takes their places; of one that is replaced whole the end was not seen. */
static void test_mapping_over_others(void **state)
{
    bytes f;
    bytes b = {0};
    run r;
    (void)state;
    begin(&f);
    event(&b, "080c1001 2a0c 0814 1015 18808004 28808001"); /* 0x10000, 16384 */
    event(&b, "080c1002 2a0c 0814 1015 18808005 28808001"); /* 0x14000, 16384 */
    event(&b, "080c1003 2a0c 0814 1015 1880c004 28808002"); /* 0x12000, 32768 */
    event(&b, "080c1004 320b 0814 1015 18808004 208040");   /* 0x10000, 8192 */
    send(&f, &b);
    convert(&r, plugins, &f);
    CHECK(&r, native_hook,
          "0|-1|1|1|MmapEvent|NULL|2000000001|2000000004|3|65536|16384|16384|1|NULL|NULL",
          "1|-1|1|1|MmapEvent|NULL|2000000002|NULL|NULL|81920|16384|32768|1|NULL|NULL",
          "2|-1|1|1|MmapEvent|NULL|2000000003|NULL|NULL|73728|32768|65536|1|NULL|NULL",
          "3|-1|1|1|MunmapEvent|NULL|2000000004|NULL|NULL|65536|8192|57344|0|NULL|NULL");
    assert_int_equal(issues(&r, "hook_free_lost"), 1);
    run_free(&r);
}

/* A mapping is replaced, and so are symbols: an event gets the frames of its time. */
static void test_replaced_mapping(void **state)
{
    bytes f;
    bytes b = {0};
    run r;
    (void)state;
    begin(&f);
    hex(&f, CONFIG, "a00101", 12 * S);
    name(&b, 8, 1, "/a.so");
    name(&b, 8, 3, "/b.so");
    event(&b, "7209 0801 1a03 848204 2014"); /* 0x10104, of which nothing is known */
    event(&b, ALLOC("01", "20"));
    event(&b, MAP); /* which is the one it gets */
    event(&b, ALLOC("02", "21"));
    event(&b, SYMBOLS); /* and its symbols */
    event(&b, MAP);     /* once more: nothing changes */
    event(&b, ALLOC("03", "22"));
    event(&b, "5a0e 0814 108080041880a004 2000 2803"); /* another file */
    event(&b, ALLOC("04", "23"));
    event(&b, ALLOC("05", "24"));
    send(&f, &b);
    convert(&r, plugins, &f);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(MEM_INT(r.sink, native_hook, i, callchain_id), i < 3 ? 1 : 2);
    }
    CHECK(&r, native_hook_frame, "0|1|0|65796|a::b()|/a.so|8448|4|0x2104",
          "1|2|0|65796|/b.so+|/b.so|NULL|NULL|NULL");
    check_no_issues(&r);
    run_free(&r);
}

/* Fields of a wrong type, events of no kind, what is cut off inside. */
static void test_damaged_events(void **state)
{
    bytes f;
    bytes b = {0};
    run r;
    (void)state;
    begin(&f);
    event(&b, "080c1001 1a0a 0814 1015 1880a001 2001");
    event(&b, "080c1002");                              /* of no kind */
    event(&b, "080c1003 1a08 0a00 1015 1880a101");      /* pid is a text */
    event(&b, "080c1004 1a0a 0814 1015 1880a201 2004"); /* sums are not known any more */
    event(&b, "080c1005 1a0a 0814 1015 1880a301 2005");
    event(&b, "1a0a 0814 1015 1880a401 2006"); /* without a time */
    send(&f, &b);
    hex(&f, HOOK, "0a0e 080c1006 1a08 0814 1015 1880a1", 12 * S);
    convert(&r, plugins, &f);
    CHECK(&r, native_hook, "0|-1|1|1|AllocEvent|NULL|2000000001|NULL|NULL|20480|1|1|NULL|NULL|NULL",
          "1|-1|1|1|AllocEvent|NULL|2000000004|NULL|NULL|20736|4|NULL|1|NULL|NULL",
          "2|-1|1|1|AllocEvent|NULL|2000000005|NULL|NULL|20864|5|NULL|NULL|NULL|NULL",
          "3|-1|1|1|AllocEvent|NULL|NULL|NULL|NULL|20992|6|NULL|0|NULL|NULL");
    assert_int_equal(issues(&r, "hook_event_empty"), 1);
    assert_int_equal(issues(&r, "plugin_bad_field"), 1);
    assert_int_equal(issues(&r, "plugin_bad_message"), 1);
    assert_int_equal(issues(&r, "record_untimed"), 1);
    check_counts(&r, "hook_events", 4, 2, 0);
    run_free(&r);
}

/* A table that is damaged may have had events in it. */
static void test_damaged_table(void **state)
{
    bytes f;
    bytes b = {0};
    run r;
    (void)state;
    begin(&f);
    event(&b, "080c1001 1a0a 0814 1015 1880a001 2001");
    event(&b, "4204 0801 120f"); /* a name that ends early */
    event(&b, "080c1002 1a0a 0814 1015 1880a101 2002");
    send(&f, &b);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, native_hook), 2);
    assert_int_equal(MEM_INT(r.sink, native_hook, 0, all_heap_size), 1);
    assert_true(MEM_NULL(r.sink, native_hook, 1, all_heap_size));
    run_free(&r);
}

/* Nearer to the leaf than the frames whose file is known are some whose map may be lost. */
static void test_caller_after_loss(void **state)
{
    (void)state;
    for (unsigned lost = 0; lost < 2; lost++) {
        bytes f;
        bytes b = {0};
        run r;
        begin(&f);
        hex(&f, CONFIG, "a00101", 12 * S);
        name(&b, 8, 2, "/data/x.ets");
        name(&b, 9, 1, "jsfun");
        event(&b, "6a0e 0801 1208 0805 284d 3801 4002 1814");
        if (lost != 0) {
            event(&b, "5a0f 0814 1080"); /* a map that ends early */
        }
        event(&b, STACK_1);
        event(&b, "080c100a1a0e081410151880a001206430043801");
        send(&f, &b);
        convert(&r, plugins, &f);
        assert_int_equal(MEM_ROWS(r.sink, native_hook), 1);
        assert_int_equal(MEM_NULL(r.sink, native_hook, 0, last_lib_id), lost != 0);
        run_free(&r);
    }
}

/* Events in the order of their times, whatever that of the recording. */
static void test_order(void **state)
{
    bytes f;
    bytes b = {0};
    run r;
    (void)state;
    begin(&f);
    event(&b, "080c1009 2208 0814 1015 1880a001");
    send(&f, &b);
    event(&b, "080c1003 1a0a 0814 1015 1880a001 2064");
    send(&f, &b);
    convert(&r, plugins, &f);
    CHECK(&r, native_hook,
          "0|-1|1|1|AllocEvent|NULL|2000000003|2000000009|6|20480|100|100|6|NULL|NULL",
          "1|-1|1|1|FreeEvent|NULL|2000000009|NULL|NULL|20480|100|0|0|NULL|NULL");
    check_no_issues(&r);
    run_free(&r);
}

/* Rows of the range; what was allocated before it is in the sums, and ends. */
static void test_time_range(void **state)
{
    const ts_time_range range = {TS_WANTED_OFFSET, S + 3, S + 9};
    bytes f;
    bytes b = {0};
    run r;
    (void)state;
    begin(&f);
    hex(&f, CONFIG, "a80101", 12 * S);
    tables(&b, "14");
    event(&b, "080c1001 1a0a 0814 1015 1880a001 2064");
    event(&b, "080c1004 1a0c 0814 1015 1880a101 200a 3802");
    event(&b, "080c1005 2208 0814 1015 1880a001");
    event(&b, "080c1020 2208 0814 1015 1880a101");
    send(&f, &b);
    convert_range(&r, plugins, &f, range);
    CHECK(&r, native_hook,
          "0|2|1|2|AllocEvent|NULL|2000000004|2000000032|28|20608|10|110|1|/data/liba.so|f",
          "1|-1|1|2|FreeEvent|NULL|2000000005|NULL|NULL|20480|100|10|27|NULL|NULL");
    CHECK(&r, native_hook_frame, "0|2|0|5|f|/data/liba.so|3|4|0x7",
          "1|2|1|5|f|/data/liba.so|3|4|0x7");
    check_counts(&r, "hook_events", 2, 0, 2);
    free(f.p);
    run_free(&r);
}

/* The same message once more is left out. */
static void test_repeated(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (size_t i = 0; i < 2; i++) {
        hex(&f, HOOK, "0a10 080c1003 1a0a 0814 1015 1880a001 2064", 12 * S);
    }
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, native_hook), 1);
    assert_int_equal(issues(&r, "sample_repeated"), 1);
    run_free(&r);
}

/* A letter of the plugin's name is another one: the data says what it is. */
static void test_damaged_name(void **state)
{
    bytes f;
    run r;
    (void)state;
    begin(&f);
    hex(&f, "nativehogk", "0a10 080c1003 1a0a 0814 1015 1880a001 2064", 12 * S);
    hex(&f, "nativehogk", "0a10 180c1003 1a0a 0814 1015 1880a001 2064", 12 * S);
    hex(&f, "nativehogk", "1210 080c1003 1a0a 0814 1015 1880a001 2064", 12 * S);
    convert(&r, plugins, &f);
    assert_int_equal(MEM_ROWS(r.sink, native_hook), 1);
    assert_int_equal(issues(&r, "plugin_name_damaged"), 1);
    run_free(&r);
}

/* More rows than wait in memory, each changed long after. */
static void test_late_changes(void **state)
{
    enum { BLOCKS = 20000 };
    bytes f;
    run r;
    (void)state;
    begin(&f);
    for (uint64_t i = 0; i < 2 * BLOCKS; i++) {
        bytes body = {0};
        bytes data = {0};
        bytes b = {0};
        put_number(&body, 1, 20);
        put_number(&body, 2, 20);
        put_number(&body, 3, 4096 + i % BLOCKS * 16);
        if (i < BLOCKS) {
            put_number(&body, 4, 1 + i);
        }
        put_number(&data, 1, 12);
        put_number(&data, 2, i);
        put_part(&data, i < BLOCKS ? 3 : 4, &body);
        put_part(&b, 1, &data);
        send(&f, &b);
    }
    run_begin_with(&r, plugins, NULL, 0);
    run_feed(&r, f.p, f.n, f.n);
    run_end(&r);
    assert_int_equal(r.code, TS_OK);
    assert_int_equal(MEM_ROWS(r.sink, native_hook), 2 * BLOCKS);
    for (size_t i = 0; i < BLOCKS; i++) {
        assert_int_equal(MEM_INT(r.sink, native_hook, i, dur), BLOCKS);
        assert_int_equal(MEM_INT(r.sink, native_hook, i, current_size_dur), 1);
        assert_int_equal(MEM_INT(r.sink, native_hook, BLOCKS + i, heap_size), 1 + i);
    }
    assert_int_equal(MEM_INT(r.sink, native_hook, 2 * BLOCKS - 1, all_heap_size), 0);
    free(f.p);
    run_free(&r);
}

#define OFTEN                                                                                      \
    (TS_NULL_BIT(native_hook, current_size_dur) | TS_NULL_BIT(native_hook, sub_type_id) |          \
     TS_NULL_BIT(native_hook, last_lib_id) | TS_NULL_BIT(native_hook, last_symbol_id))

static void offline_recording(bytes *f)
{
    bytes b = {0};
    begin(f);
    hex(f, CONFIG, "a00101", 12 * S);
    name(&b, 8, 1, "/data/liba.so");
    event(&b, MAP);
    event(&b, SYMBOLS);
    event(&b, "7209 0801 1a03 848204 2014");
    event(&b, ALLOC("01", "20"));
    event(&b, "5a0e 0814 108080041880a004 2000 2803");
    event(&b, ALLOC("02", "21"));
    send(f, &b);
}

static void test_cut_recording(void **state)
{
    bytes f;
    (void)state;
    plain_recording(&f);
    check_cuts(plugins, &f, 1024, TS_T_native_hook, OFTEN);
    offline_recording(&f);
    check_cuts(plugins, &f, 1024, TS_T_native_hook, OFTEN);
}

static void test_every_allocation_fails(void **state)
{
    bytes f;
    bytes b = {0};
    (void)state;
    plain_recording(&f);
    check_puts(plugins, &f);
    check_allocations(plugins, &f);
    offline_recording(&f);
    check_allocations(plugins, &f);
    begin(&f);
    hex(&f, CONFIG, "b00101", 12 * S);
    tables(&b, "14");
    event(&b, "080c7a0d081410012003280130ac023864");
    send(&f, &b);
    check_allocations(plugins, &f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_statistic),
        cmocka_unit_test(test_stacks),
        cmocka_unit_test(test_several),
        cmocka_unit_test(test_offline),
        cmocka_unit_test(test_partial_munmap),
        cmocka_unit_test(test_mapping_over_others),
        cmocka_unit_test(test_replaced_mapping),
        cmocka_unit_test(test_damaged_events),
        cmocka_unit_test(test_damaged_table),
        cmocka_unit_test(test_caller_after_loss),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_time_range),
        cmocka_unit_test(test_repeated),
        cmocka_unit_test(test_damaged_name),
        cmocka_unit_test(test_late_changes),
        cmocka_unit_test(test_cut_recording),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
