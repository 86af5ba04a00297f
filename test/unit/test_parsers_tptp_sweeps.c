/*
 * TPTP traces: damage everywhere. Small traces of both forms with something of every kind, cut at
 * every byte, with bits flipped, with pieces lost or doubled, and read in blocks of several sizes.
 * Rows before the damage stay, items are conserved. TS_SLOW=1: every bit of all of them.
 */
#include "tptp_build.h"

typedef enum form { BINARY, UNSIZED, XML, WIDE, FORMS } form;

static const char definitions[] =
    "1001 s:N s:host s:1.2.3.4 i-60 t1000; 1002 s:P s:app i42 s:N t1001 s:/bin/java; "
    "1003 s:A s:P s:agent s:Profiler t1002 s: s:1; 1005 s:T s:A t1003 s:; 1008 s: s:TICKET s:true; "
    "1007 s:T s:java s:PREFIX s:EXCLUDE s: s: s:; 1009 q0 q1 t1004 s:main s: q0 q0 s:w\xc3\xb6rk "
    "s: s:; "
    "1030 q0 q1 t1005 s: s:; 1011 q0 q1 t1006 i0 s: q0 q20 s:B.java s: s: q0 q0 s:a.B s: i0 i0 i0 "
    "s: "
    "s:; 1012 s:run s:()V b0 b0 b1 b0 s: q5 q9 s: q0 q20 q30 s: s:; "
    "1012 s:-init- s:()V b0 b0 b0 b0 s: q0 q0 s: q0 q20 q31 s: s:";
static const char events[] =
    "1015 q0 q1 t2000 q30 i77 q0 q20 q0 q0 q33 s: s:; 1015 q0 q1 t2010 q31 i78 q0 q20 q0 q0 q34 s: "
    "s:; "
    "1014 q0 q1 t2011 b0 q0 q50 q48 q6 q30 q0 q20 s: s: s:; "
    "1016 q0 q1 t2020 i78 q90 q31 q0 q0 q0 q20 s: s: s:; 1023 q0 q1 t2030 s: s:; "
    "1024 q0 q1 t2031 q0 q50 q3 q0 q0 s: s:; 1027 q0 q1 t2040 q900 q800 q70 s: s:; "
    "1032 q1 t2050 q50 q1000 i2 A:a.C.wait,D.run Q485,17; 1033 q1 t2060 q50 q1000 i1 A:a.C.wait "
    "Q485; "
    "1034 q1 t2070 q51 q1 i1 A:a.C.run Q4; 1035 q1 t2080 q51 i0; "
    "1016 q0 q1 t2090 i77 q95 q30 q0 q0 q0 q20 s: s: s:; 1036 q1 q30 q500 q10 q90 q400 q12; "
    "1036 q1 q31 q5 q1 q2 q4 q3; 1037 q1 q31; 1037 q1 q30; 1038 q3 t2100 s:dump q250; "
    "1039 q20 q50 s:JNI; 1040 q50 q51 q3; 1040 q51 q50 q0; 1041 s:<a/>; 1010 q0 q1 t2110 s: s:; "
    "1031 q0 q1 t2120 s: s:; 1006 s:T t2130 s:; 1004 s:A t2140";

static const char text[] = TPTP_XML
    "<node nodeId=\"N\" hostname=\"host\" ipaddress=\"1.2.3.4\" timezone=\"-60\" "
    "time=\"0.000001\"/>"
    "<processCreate processId=\"P\" name=\"app\" pid=\"42\" nodeIdRef=\"N\" time=\"0.000001001\"/>"
    "<agentCreate agentId=\"A\" processIdRef=\"P\" agentName=\"agent\" time=\"0.000001002\"/>"
    "<traceStart traceId=\"T\" agentIdRef=\"A\" time=\"0.000001003\"/><option key=\"TICKET\"/>"
    "<filter pattern=\"java\" genericPattern=\"PREFIX\" mode=\"EXCLUDE\"/>"
    "<threadStart threadId=\"1\" time=\"0.000001004\" threadName=\"w\xc3\xb6rk &amp; &#252;\"/>"
    "<!-- a comment --><classDef threadIdRef=\"1\" time=\"0.000001006\" classId=\"20\" "
    "name=\"a.B\"/>"
    "<methodDef name=\"run\" signature=\"()V\" startLineNumber=\"5\" classIdRef=\"20\" "
    "methodId=\"30\"/>\n"
    "<methodDef name=\"-init-\" signature=\"()V\" classIdRef=\"20\" methodId=\"31\"/>"
    "<methodEntry threadIdRef=\"1\" time=\"0.000002\" methodIdRef=\"30\" ticket=\"77\"/>"
    "<methodEntry threadIdRef='1' time='0.00000201' methodIdRef='31' ticket='78'/>"
    "<objAlloc threadIdRef=\"1\" time=\"0.000002011\" objId=\"50\" size=\"48\" classIdRef=\"20\"/>"
    "<methodExit threadIdRef=\"1\" time=\"0.00000202\" ticket=\"78\" overhead=\"0.000000001\"/>"
    "<gcStart threadIdRef=\"1\" time=\"0.00000203\"/><objFree objIdRef=\"50\" "
    "time=\"0.000002031\"/>"
    "<gcFinish time=\"0.00000204\" usedObjects=\"70\"/>"
    "<monWait threadIdRef=\"1\" time=\"0.00000205\" objIdRef=\"50\"><annotation "
    "name=\"stackMethods\"><value>a.C.wait</value></annotation><annotation name=\"stackLines\">"
    "<value>485</value></annotation></monWait><monWaited threadIdRef=\"1\" time=\"0.00000206\" "
    "objIdRef=\"50\"/><methodExit threadIdRef=\"1\" time=\"0.00000209\" ticket=\"77\"/>"
    "<agMethodEntry threadIdRef=\"1\" methodIdRef=\"30\" baseTime=\"0.0000005\" numCalls=\"12\"/>"
    "<agMethodExit threadIdRef=\"1\" methodIdRef=\"30\"/>"
    "<heapDumpDef heapDumpId=\"3\" time=\"0.0000021\" name=\"dump\"/><gcRoot objIdRef=\"50\"/>"
    "<objReference srcIdRef=\"50\" targIdRef=\"51\"/><customData body=\"&lt;a/>\"/>"
    "<throw threadIdRef=\"1\" time=\"0.00000211\" objIdRef=\"50\"/><other a=\"1\"><b>c</b></other>"
    "<threadEnd threadIdRef=\"1\" time=\"0.00000212\"/><traceEnd traceIdRef=\"T\" "
    "time=\"0.00000213\"/></TRACE>\n";

/* Every how manyth byte is damaged. */
static size_t step(int f)
{
    return test_slow() ? 1 : f == WIDE ? 7 : f == XML ? 3 : 2;
}

/* The text in UTF-16, little-endian; two bytes of UTF-8 at most. */
static bytes widened(void)
{
    bytes b = {0};
    put_le(&b, 0xfeff, 2);
    for (const uint8_t *p = (const uint8_t *)text; *p != 0; p++) {
        unsigned c = *p;
        if (c >= 0xc0) {
            c = (c & 0x1f) << 6 | (*++p & 0x3f);
        }
        put_le(&b, c, 2);
    }
    return b;
}

static bytes make(form f)
{
    bytes b = {0};
    if (f == XML) {
        return bytes_of(text);
    }
    if (f == WIDE) {
        return widened();
    }
    if (f == BINARY) {
        put_tptp_head(&b);
    } else {
        put(&b, "0TBF\1\0\1\1\x0c\0\0", 12);
        put(&b, "\1\0UTF-8", 8);
        put(&b, "\2\0\0\xca\x9a\x3b\0\0\0", 10);
    }
    put_tptps(&b, definitions);
    put_tptps(&b, events);
    return b;
}

/* The import of damaged bytes: no trace at all is an answer too. */
static void import_damaged(run *r, const bytes *file, size_t block)
{
    import_begin(r);
    memsink_drop(r->sink, TS_T_stat);
    memsink_drop(r->sink, TS_T_schema_doc);
    (void)import_files(r, file, 1, block);
    if (r->code != TS_OK) {
        assert_true(r->code == TS_ERR_INPUT || r->code == TS_ERR_FORMAT);
        return;
    }
    assert_int_equal(issues(r, "conservation"), 0);
    assert_int_equal(issues(r, "items_lost"), 0);
    assert_int_equal(SEEN(r, "bytes"), file->n);
}

/* --- blocks ----------------------------------------------------------------------------------- */

static void compare_blocks(const bytes *file)
{
    static const size_t blocks[] = {1, 2, 3, 7, 4096};
    run whole;
    import_damaged(&whole, file, 0);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        run r;
        import_damaged(&r, file, blocks[i]);
        assert_int_equal(r.code, whole.code);
        if (!memsink_equal(r.sink, whole.sink)) {
            fail_msg("blocks of %zu bytes give other rows", blocks[i]);
        }
        run_free(&r);
    }
    run_free(&whole);
}

static void test_blocks(void **state)
{
    UNUSED(state);
    for (int f = 0; f < FORMS; f++) {
        bytes file = make((form)f);
        compare_blocks(&file);
        for (size_t cut = 1; cut < file.n; cut += test_slow() ? 7 : 97) {
            bytes part = {file.p, cut, 0};
            compare_blocks(&part);
        }
        for (size_t at = 0; at < file.n; at += test_slow() ? 5 : 61) {
            uint8_t was = file.p[at];
            file.p[at] ^= (uint8_t)(1U << at % 8);
            compare_blocks(&file);
            file.p[at] = was;
        }
        free(file.p);
    }
}

/* --- truncation ------------------------------------------------------------------------------- */

/* Rows that are complete when they are written. */
static const enum ts_table_id tables[] = {
    TS_T_tptp_node,      TS_T_tptp_agent,     TS_T_tptp_trace,         TS_T_tptp_filter,
    TS_T_tptp_option,    TS_T_tptp_thread,    TS_T_tptp_class,         TS_T_stack_method,
    TS_T_tptp_method,    TS_T_stack_node,     TS_T_tptp_allocation,    TS_T_tptp_free,
    TS_T_tptp_aggregate, TS_T_tptp_heap_dump, TS_T_tptp_gc_root,       TS_T_tptp_reference,
    TS_T_tptp_custom,    TS_T_tptp_event,     TS_T_tptp_monitor_frame, TS_T_tptp_event_value,
};
enum { TABLES = sizeof tables / sizeof tables[0] };

static void check_rows_before(const run *part, const run *whole, form f, size_t cut)
{
    for (size_t i = 0; i < TABLES; i++) {
        size_t row = 0;
        if (memsink_rows(part->sink, tables[i]) > memsink_rows(whole->sink, tables[i]) ||
            !memsink_is_prefix(&row, part->sink, whole->sink, tables[i])) {
            print_error("form %d, cut at %zu: row %zu of %s\n", (int)f, cut, row,
                        ts_schema[tables[i]].name);
            memsink_print(part->sink, tables[i]);
            memsink_print(whole->sink, tables[i]);
            fail();
        }
    }
    size_t n = MEM_ROWS(part->sink, stack_slice);
    assert_true(n <= MEM_ROWS(whole->sink, stack_slice));
    for (size_t i = 0; i < n; i++) {
        assert_int_equal(MEM_INT(part->sink, stack_slice, i, ts),
                         MEM_INT(whole->sink, stack_slice, i, ts));
        if (MEM_INT(part->sink, stack_slice, i, state) == 0) {
            assert_int_equal(MEM_INT(part->sink, stack_slice, i, dur),
                             MEM_INT(whole->sink, stack_slice, i, dur));
        } else { /* open: its end is not made up */
            assert_true(MEM_NULL(part->sink, stack_slice, i, dur));
        }
    }
}

/* A cut between two messages, or elements, cannot be seen; nor can one inside what was left out. */
static void test_cut_at_every_byte(void **state)
{
    UNUSED(state);
    for (int f = 0; f < FORMS; f++) {
        bytes file = make((form)f);
        size_t silent = 0;
        run whole;
        import_damaged(&whole, &file, 0);
        assert_int_equal(whole.code, TS_OK);
        assert_int_equal(complaints(&whole), 0);
        for (size_t cut = 0; cut < file.n; cut += f == WIDE ? step(f) : 1) {
            bytes part = {file.p, cut, 0};
            run r;
            import_damaged(&r, &part, 0);
            if (r.code == TS_OK) {
                check_rows_before(&r, &whole, (form)f, cut);
                silent += complaints(&r) == 0;
            }
            run_free(&r);
        }
        assert_in_range(silent, 10, 150);
        run_free(&whole);
        free(file.p);
    }
}

/* --- bits and pieces -------------------------------------------------------------------------- */

static void test_bits_flipped(void **state)
{
    UNUSED(state);
    for (int f = 0; f < FORMS; f++) {
        bytes file = make((form)f);
        for (size_t at = 0; at < file.n; at += step(f)) {
            for (size_t bit = 0; bit < 8; bit++) {
                run r;
                if (!test_slow() && bit != at / step(f) % 8) {
                    continue;
                }
                file.p[at] ^= (uint8_t)(1U << bit);
                import_damaged(&r, &file, 0);
                file.p[at] ^= (uint8_t)(1U << bit);
                run_free(&r);
            }
        }
        free(file.p);
    }
}

static void test_pieces_lost_or_doubled(void **state)
{
    UNUSED(state);
    for (int f = 0; f < FORMS; f++) {
        bytes file = make((form)f);
        for (size_t at = 0; at + 4 < file.n; at += test_slow() ? 1 : 17) {
            size_t n = 1 + at % 200;
            bytes other = {0};
            run r;
            n = n < file.n - at ? n : file.n - at;
            put(&other, file.p, at);
            if (at % 2 == 0) {
                put(&other, file.p + at, n);
                put(&other, file.p + at, file.n - at);
            } else {
                put(&other, file.p + at + n, file.n - at - n);
            }
            import_damaged(&r, &other, 0);
            run_free(&r);
            free(other.p);
        }
        free(file.p);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_bits_flipped),
        cmocka_unit_test(test_pieces_lost_or_doubled),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
