/* The worked bytes of the format's description, each message as it stands there, and a header. */
#include "parsers_run.h"

/* Bytes of pairs of hexadecimal digits; blanks do not count. "00*8" is eight zero bytes. */
static void put_hex(bytes *b, const char *hex)
{
    for (const char *p = hex; *p != '\0';) {
        unsigned v;
        int taken;
        unsigned times = 1;
        if (*p == ' ') {
            p++;
            continue;
        }
        assert_int_equal(sscanf(p, "%2x%n", &v, &taken), 1);
        p += taken;
        if (*p == '*') {
            times = (unsigned)strtoul(p + 1, NULL, 10);
            p += 1 + strspn(p + 1, "0123456789");
        }
        for (; times > 0; times--) {
            uint8_t byte = (uint8_t)v;
            put(b, &byte, 1);
        }
    }
}

#define HEADER "30 54 42 46 01 00 01 01 0c 00 00 00 "
#define HEADER_BIG "30 54 42 46 01 00 01 00 00 00 00 0c "
#define ENCODING "01 00 0c 00 00 00 55 54 46 2d 38 00 "
#define FREQUENCY "02 00 0e 00 00 00 00 18 0d 8f 00 00 00 00 "
#define ENCODING_BARE "01 00 55 54 46 2d 38 00 "
#define FREQUENCY_BARE "02 00 00 18 0d 8f 00 00 00 00 "
#define TIME "38 cb c9 05 8b 82 7f 27 "
#define THREAD                                                                                     \
    "f1 03 4a 00 00 00 00*8 01 00*7 " TIME "73 79 73 74 65 6d 00 00 00*8 01 00*7 "                 \
    "52 65 66 65 72 65 6e 63 65 20 48 61 6e 64 6c 65 72 00 00 00 "
#define CLASS                                                                                      \
    "f3 03 84 00 00 00 00 00 00 00 00 00 00 00 08 00 00 00 00 00 00 00 38 cb c9 05 8b 82 7f 27 "   \
    "00 00 00 00 00 00 00 00 00 00 00 00 00 81 19 00 00 00 00 00 00 54 6f 6f 6c 42 75 74 74 6f "   \
    "6e 2e 6a 61 76 61 00 00 00 00 00 00 00 00 00 00 00 82 19 00 00 00 00 00 00 43 48 2e 69 66 "   \
    "61 2e 64 72 61 77 2e 73 74 61 6e 64 61 72 64 2e 54 6f 6f 6c 42 75 74 74 6f 6e 00 00 00 00 "   \
    "00 00 00 00 00 00 00 00 00 00 00 00 "
#define METHOD                                                                                     \
    "f4 03 53 00 00 00 70 61 69 6e 74 00 28 4c 6a 61 76 61 2f 61 77 74 2f 47 72 61 70 68 69 63 "   \
    "73 3b 29 56 00 00 00 00 00 00 7b 00 00 00 00 00 00 00 81 00 00 00 00 00 00 00 00 00 00 00 "   \
    "00 00 00 00 00 81 19 00 00 00 00 00 00 7b 19 00 00 00 00 00 00 00 00 "
#define ENTRY                                                                                      \
    "f7 03 54 00 00 00 00*8 08 00*7 " TIME "7b 19 00*6 f0 10 00 00 00*8 81 19 00*6 00*8 00*8 "     \
    "20 00*7 00 00 "
#define EXIT                                                                                       \
    "f8 03 55 00 00 00 00*8 08 00*7 18 aa ce 05 8b 82 7f 27 f0 10 00 00 "                          \
    "00 65 04 00 00 00 00 00 7b 19 00*6 00*8 00*8 00*8 81 19 00*6 00 00 00 "
#define ALLOC                                                                                      \
    "f6 03 5a 00 00 00 00*8 08 00*7 " TIME "00 00*8 59 1b 00*6 30 00*7 7d 00*7 7b 19 00*6 00*8 "   \
    "81 19 00*6 00 00 00 "
#define WAIT                                                                                       \
    "08 04 58 00 00 00 08 00*7 " TIME "59 1b 00*6 e8 03 00*6 02 00 00 00 "                         \
    "6a 61 76 61 2e 6c 61 6e 67 2e 4f 62 6a 65 63 74 2e 77 61 69 74 00 61 2e 42 2e 72 75 6e 00 "   \
    "e5 01 00*6 11 00*7 "
#define UNKNOWN                                                                                    \
    "20 00 3c 00 00 00 00 00 00 00 01 00 00 00 b1 7b 93 1e d0 ab d1 41 00 00 00 00 01 00 00 00 "   \
    "52 65 66 65 72 65 6e 63 65 20 48 61 6e 64 6c 65 72 00 73 79 73 74 65 6d 00 00 00 00 00 00 "

static void import_hex(run *r, const char *hex)
{
    bytes file = {0};
    put_hex(&file, hex);
    import_bytes(r, file);
}

static void test_thread(void **state)
{
    run r;
    (void)state;
    import_hex(&r, HEADER ENCODING FREQUENCY THREAD);
    assert_int_equal(MEM_ROWS(r.sink, tptp_thread), 1);
    assert_mem_row(r.sink, tptp_thread, 0, "1|2|1|1|NULL|1");
    assert_mem_text(r.sink, thread, 1, name, "Reference Handler");
    assert_mem_text(r.sink, thread_detail, 1, group_name, "system");
    assert_cell(&r, thread, 1, tid, 1);
    assert_cell(&r, thread, 1, start_ts, INT64_C(1185890426304424450));
    assert_string_equal(property(&r, "frequency"), "2400000000");
    assert_string_equal(property(&r, "encoding"), "UTF-8");
    assert_string_equal(property(&r, "time_base"), "1970");
    assert_string_equal(property(&r, "endian"), "little");
    assert_string_equal(property(&r, "platform"), "64 bit");
    run_free(&r);
}

static void test_calls(void **state)
{
    run r;
    (void)state;
    import_hex(&r, HEADER ENCODING FREQUENCY CLASS METHOD ENTRY ALLOC WAIT EXIT);
    assert_mem_row(
        r.sink, tptp_class, 0,
        "1|2|6529|CH.ifa.draw.standard.ToolButton|CH.ifa.draw.standard|ToolButton.java|NULL|"
        "NULL|NULL|NULL|NULL|NULL|NULL|NULL|6530|1|1185890426304424450|1");
    assert_mem_row(r.sink, stack_method, 0,
                   "1|2|6523|paint|ToolButton|CH.ifa.draw.standard|(Ljava/awt/Graphics;)V|"
                   "ToolButton.java|123|NULL|NULL");
    assert_mem_row(r.sink, tptp_method, 0, "1|2|1|1|129|NULL|NULL");
    /* One value of a clock that runs says nothing of the call: no CPU time. */
    assert_mem_row(r.sink, stack_slice, 0,
                   "1|2|1|NULL|1|1185890426304424450|133000|133000|NULL|0|0");
    assert_mem_row(r.sink, tptp_invocation, 0, "1|2|1|NULL|1|4336|32|NULL|NULL|NULL");
    assert_mem_row(r.sink, tptp_allocation, 0,
                   "1|2|1|1185890426304424450|7001|1|48|0|1|125|1|NULL");
    assert_mem_row(r.sink, lock_wait, 0,
                   "1|2|wait|1|7001|CH.ifa.draw.standard.ToolButton|NULL|1000000000|"
                   "1185890426304424450|NULL|3|1|1");
    assert_mem_row(r.sink, tptp_monitor_frame, 0, "1|begin|0|java.lang.Object.wait|485");
    assert_mem_row(r.sink, tptp_monitor_frame, 1, "1|begin|1|a.B.run|17");
    assert_mem_row(r.sink, stack_node, 1, "2|2|NULL|2|17|0|NULL");
    assert_mem_row(r.sink, stack_node, 2, "3|2|2|3|485|1|NULL");
    assert_int_equal(issues(&r, "tptp_undefined"), 1); /* thread 8 */
    assert_int_equal(issues(&r, "tptp_end_missing"), 1);
    run_free(&r);
}

/* The proposal's own example is a message of a number that has no table. */
static void test_unknown(void **state)
{
    run r;
    (void)state;
    import_hex(&r, HEADER ENCODING FREQUENCY UNKNOWN THREAD);
    assert_int_equal(issues(&r, "tptp_unknown_message"), 1);
    assert_int_equal(MEM_ROWS(r.sink, tptp_thread), 1);
    assert_int_equal(count_cell(&r, "tptp_unknown:32", TS_C_import_count__skipped), 1);
    run_free(&r);
}

static void test_bare_system_messages(void **state)
{
    run r;
    (void)state;
    import_hex(&r, HEADER ENCODING_BARE FREQUENCY_BARE THREAD);
    assert_string_equal(property(&r, "sys_length"), "no");
    assert_string_equal(property(&r, "frequency"), "2400000000");
    assert_int_equal(MEM_ROWS(r.sink, tptp_thread), 1);
    run_free(&r);
}

static void test_big_header(void **state)
{
    run r;
    (void)state;
    /* A runtimeShutdown of thread 5 at 7 s after the beginning, 1 GHz. */
    import_hex(&r, HEADER_BIG "00 02 00 00 00 0e 00 00 00 00 3b 9a ca 00 "
                              "04 07 00 00 00 20 00*8 00*7 05 00 00 00 01 a1 3b 86 00 00 00 ");
    assert_string_equal(property(&r, "endian"), "big");
    assert_mem_row(r.sink, tptp_event, 0, "1|2|runtimeShutdown|1|7000000000|NULL|NULL");
    assert_string_equal(property(&r, "time_base"), "relative");
    run_free(&r);
}

/* Elements with content, in one block and in blocks of one byte. */
static void test_blocks(void **state)
{
    static const char text[] =
        "<TRACE><threadStart threadId=\"1\" time=\"0.000001004\" threadName=\"w&amp;\"/>\n"
        "<monWait threadIdRef=\"1\" time=\"0.00000205\" objIdRef=\"50\"><annotation "
        "name=\"stackMethods\"><value>a.C.wait</value></annotation><annotation "
        "name=\"stackLines\"><value>485</value></annotation></monWait><monWaited "
        "threadIdRef=\"1\" time=\"0.00000206\" objIdRef=\"50\"/></TRACE>";
    bytes file = bytes_of(text);
    run whole;
    run parts;
    (void)state;
    import_begin(&whole);
    (void)import_files(&whole, &file, 1, 0);
    assert_ok(whole.ctx, whole.code);
    import_begin(&parts);
    (void)import_files(&parts, &file, 1, 1);
    assert_ok(parts.ctx, parts.code);
    assert_mem_row(parts.sink, lock_wait, 0, "1|2|wait|1|50|NULL|NULL|NULL|2050|10|1|NULL|0");
    assert_mem_row(parts.sink, tptp_monitor_frame, 0, "1|begin|0|a.C.wait|485");
    assert_int_equal(MEM_ROWS(parts.sink, import_issue), 0);
    assert_true(memsink_equal(whole.sink, parts.sink));
    run_free(&whole);
    run_free(&parts);
    free(file.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_thread),     cmocka_unit_test(test_calls),
        cmocka_unit_test(test_unknown),    cmocka_unit_test(test_bare_system_messages),
        cmocka_unit_test(test_big_header), cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
