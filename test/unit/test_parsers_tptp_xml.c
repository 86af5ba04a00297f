/*
 * TPTP traces in XML: what an unknown element contains is skipped up to its end; when the end is
 * missing it is read (docs/formats.md, TPTP traces). And what expat takes of memory is counted.
 */
#include "tptp_build.h"

#define DEFINED                                                                                    \
    TPTP_XML "<threadStart threadId=\"7\" time=\"0.000001\" threadName=\"w\"/>"                    \
             "<classDef classId=\"20\" name=\"a.B\" time=\"0.000001001\"/>"                        \
             "<methodDef methodId=\"30\" name=\"run\" classIdRef=\"20\"/>"
#define CALL                                                                                       \
    "<methodEntry threadIdRef=\"7\" time=\"0.000002\" methodIdRef=\"30\" ticket=\"1\"/>"           \
    "<methodExit threadIdRef=\"7\" time=\"0.0000025\" ticket=\"1\"/>"
#define WAIT(inside)                                                                               \
    "<monWait threadIdRef=\"7\" time=\"0.000002\" objIdRef=\"50\">" inside                         \
    "<annotation name=\"stackMethods\"><value>a.B.run</value></annotation></monWait>"

enum { CALLS = 1, WAITS = 2 };

static const struct {
    const char *name;
    const char *xml;
    size_t rows;
    unsigned bad; /* places of tptp_xml_bad */
    int kind;
} cases[] = {
    {"closed", DEFINED "<other a=\"1\">" CALL "</other>" CALL "</TRACE>", 1, 0, CALLS},
    {"closed, with another one in it", DEFINED "<other><b><c/></b>" CALL "</other>" CALL, 1, 0,
     CALLS},
    {"closed, ends missing in it", DEFINED "<other><b><c>" CALL "</other>" CALL, 1, 0, CALLS},
    {"not closed", DEFINED "<other a=\"1\">" CALL CALL, 2, 1, CALLS},
    {"not closed, the root is", DEFINED "<other a=\"1\">" CALL CALL "</TRACE>", 2, 1, CALLS},
    {"its end is damaged", DEFINED "<other a=\"1\">" CALL "</othr>" CALL, 2, 2, CALLS},
    {"two, not closed", DEFINED "<other><more>" CALL CALL, 2, 2, CALLS},
    {"the inner one is closed", DEFINED "<other>" CALL "<more>" CALL "</more>" CALL, 2, 1, CALLS},
    {"a tag in it is damaged", DEFINED "<other>" CALL "<a b=\"1\"c=\"2\"/>" CALL, 2, 2, CALLS},
    {"a tag in it is damaged, closed", DEFINED "<other><a b=\"1\"c=\"2\"/></other>" CALL, 1, 0,
     CALLS},
    {"a trace in it", "<stream>" DEFINED CALL "</TRACE></stream>", 1, 2, CALLS},
    {"in an event, closed", DEFINED WAIT("<note><value>x</value></note>"), 1, 0, WAITS},
    {"in an event, not closed", DEFINED WAIT("<note>"), 1, 1, WAITS},
};

/* Blocks of 0: all at once. */
static unsigned check_case(size_t i, size_t block)
{
    bytes file = bytes_of(cases[i].xml);
    unsigned bad = 0;
    run r;
    size_t rows;
    import_begin(&r);
    (void)import_files(&r, &file, 1, block);
    assert_int_equal(r.code, TS_OK);
    rows = cases[i].kind == CALLS ? MEM_ROWS(r.sink, stack_slice) : MEM_ROWS(r.sink, lock_wait);
    if (rows != cases[i].rows || issues(&r, "tptp_xml_bad") != cases[i].bad ||
        issues(&r, "conservation") + issues(&r, "items_lost") != 0) {
        print_error("%s: %zu rows and not %zu\n", cases[i].name, rows, cases[i].rows);
        memsink_print(r.sink, TS_T_import_issue);
        bad = 1;
    }
    if (cases[i].kind == WAITS && MEM_ROWS(r.sink, tptp_monitor_frame) != 1) {
        print_error("%s: no frame\n", cases[i].name);
        bad = 1;
    }
    run_free(&r);
    free(file.p);
    return bad;
}

static void test_ends(void **state)
{
    unsigned bad = 0;
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bad += check_case(i, 0) + check_case(i, 1) + check_case(i, 100);
    }
    assert_int_equal(bad, 0);
}

/* The end is sought in 1 MiB. */
static void test_far_end(void **state)
{
    static const size_t calls[] = {8000, 8010}; /* 131 bytes each, MiB: 1 048 576 */
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        bytes b = bytes_of(DEFINED "<other>");
        run r;
        for (size_t k = 0; k < calls[i]; k++) {
            put_str(&b, CALL);
        }
        put_str(&b, "</other>");
        import_bytes(&r, b);
        assert_int_equal(MEM_ROWS(r.sink, stack_slice), i == 0 ? 0 : calls[i]);
        assert_int_equal(issues(&r, "tptp_xml_bad"), i == 0 ? 0 : 2);
        run_free(&r);
    }
}

/* What is read again is bounded: elements that nobody closes cost time that is linear. */
static void test_many(void **state)
{
    enum { ELEMENTS = 700000 };
    bytes b = bytes_of(DEFINED CALL);
    run r;
    UNUSED(state);
    for (size_t k = 0; k < ELEMENTS; k++) {
        put_str(&b, "<a>");
    }
    put_str(&b, CALL);
    import_bytes(&r, b);
    assert_int_equal(MEM_ROWS(r.sink, stack_slice), 1); /* the rest is skipped */
    assert_true(issues(&r, "tptp_xml_bad") > 0);
    run_free(&r);
}

/* What expat takes for a long tag is part of --max-memory: 3 bytes for each of it. */
static void test_memory(void **state)
{
    enum { MB = 1000000, TAG = 10 * MB };
    static const uint64_t limits[] = {40 * MB, 100 * MB};
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        bytes b = bytes_of(DEFINED CALL "<customData body=\"");
        run r;
        for (size_t k = 0; k < TAG / 100; k++) {
            put_str(&b, "0123456789012345678901234567890123456789012345678901234567890123456789"
                        "012345678901234567890123456789");
        }
        put_str(&b, "\"/>");
        import_begin(&r);
        r.ctx->limits.max_memory = r.ctx->memory_used + limits[i];
        (void)import_files(&r, &b, 1, 65536);
        assert_int_equal(r.code, i == 0 ? TS_ERR_LIMIT : TS_OK);
        r.ctx->limits.max_memory = 0;
        run_free(&r);
        free(b.p);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ends),
        cmocka_unit_test(test_far_end),
        cmocka_unit_test(test_many),
        cmocka_unit_test(test_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
