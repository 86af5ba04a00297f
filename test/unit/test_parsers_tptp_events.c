/*
 * Each event of a TPTP trace on its own bytes, and as an element: the rows are those that the
 * format's description gives, all columns of them, and both forms have the same.
 */
#include "tptp_build.h"

enum { EXPECTED = 4 };

typedef struct event_case {
    const char *name;
    const char *binary; /* what is before it, and it */
    const char *xml;
    struct {
        enum ts_table_id table;
        size_t row;
        const char *text;
    } rows[EXPECTED];
} event_case;

/* Definitions that events refer to: their parts in both forms. */
#define B_THREAD "1009 q0 q7 t1000 s:main s: q0 q0 s:worker s: s:; "
#define X_THREAD                                                                                   \
    "<threadStart threadId=\"7\" time=\"0.000001000\" groupName=\"main\" threadName=\"worker\"/>"
#define B_CLASS "1011 q0 q7 t1001 i0 s: q0 q20 s:B.java s: s: q0 q0 s:a.B s: i0 i0 i0 s: s:; "
#define X_CLASS                                                                                    \
    "<classDef threadIdRef=\"7\" time=\"0.000001001\" classId=\"20\" sourceName=\"B.java\" "       \
    "name=\"a.B\"/>"
#define B_METHOD "1012 s:run s:()V b0 b0 b0 b0 s: q5 q9 s: q0 q20 q30 s: s:; "
#define X_METHOD                                                                                   \
    "<methodDef name=\"run\" signature=\"()V\" startLineNumber=\"5\" endLineNumber=\"9\" "         \
    "classIdRef=\"20\" methodId=\"30\"/>"
#define B_ALL B_THREAD B_CLASS B_METHOD
#define X_ALL X_THREAD X_CLASS X_METHOD
#define B_ENTRY "1015 q0 q7 t2000 q30 i77 q0 q20 q0 q11 q33 s: s:; "
#define X_ENTRY                                                                                    \
    "<methodEntry threadIdRef=\"7\" time=\"0.000002000\" methodIdRef=\"30\" ticket=\"77\" "        \
    "classIdRef=\"20\" sequenceCounter=\"11\" stackDepth=\"33\"/>"
#define B_NODE "1001 s:N1 s:host s:1.2.3.4,5.6.7.8 i-480 t5000000007"
#define X_NODE                                                                                     \
    "<node nodeId=\"N1\" hostname=\"host\" ipaddress=\"1.2.3.4,5.6.7.8\" timezone=\"-480\" "       \
    "time=\"5.000000007\"/>"
#define B_PROCESS "1002 s:P1 s:app i42 s:N1 t5000000008 s:/bin/java"
#define X_PROCESS                                                                                  \
    "<processCreate processId=\"P1\" name=\"app\" pid=\"42\" nodeIdRef=\"N1\" "                    \
    "time=\"5.000000008\" exe=\"/bin/java\"/>"
#define B_AGENT "1003 s:A1 s:P1 s:agent s:Profiler t5000000009 s:x=1 s:1.0"
#define X_AGENT                                                                                    \
    "<agentCreate agentId=\"A1\" version=\"1.0\" processIdRef=\"P1\" agentName=\"agent\" "         \
    "agentType=\"Profiler\" agentParameters=\"x=1\" time=\"5.000000009\"/>"
#define X_FRAMES                                                                                   \
    "<annotation name=\"stackMethods\"><value>a.C.wait</value><value>D.run</value></annotation>"   \
    "<annotation name=\"stackLines\"><value>485</value><value>0</value></annotation>"
#define B_DUMP "1038 q3 t6000 s:first q250; "
#define X_DUMP                                                                                     \
    "<heapDumpDef heapDumpId=\"3\" time=\"0.000006000\" name=\"first\" basetime=\"0.00000025\"/>"

static const event_case cases[] = {
    {"node", B_NODE, X_NODE, {{TS_T_tptp_node, 0, "1|2|N1|host|1.2.3.4,5.6.7.8|-480|5000000007"}}},
    {"processCreate",
     B_NODE "; " B_PROCESS,
     X_NODE X_PROCESS,
     {{TS_T_tptp_process, 0, "1|2|P1|1|1|42|app|/bin/java|5000000008"}}},
    {"agentCreate",
     B_NODE "; " B_PROCESS "; " B_AGENT,
     X_NODE X_PROCESS X_AGENT,
     {{TS_T_tptp_agent, 0, "1|2|A1|1|agent|Profiler|x=1|1.0|5000000009"}}},
    {"agentDestroy",
     B_AGENT "; 1004 s:A1 t5000000011",
     X_AGENT "<agentDestroy agentIdRef=\"A1\" time=\"5.000000011\"/>",
     {{TS_T_tptp_event, 0, "1|2|agentDestroy|NULL|5000000011|A1|NULL"}}},
    {"traceStart",
     B_AGENT "; 1005 s:T1 s:A1 t5000000010 s:c",
     X_AGENT "<traceStart traceId=\"T1\" agentIdRef=\"A1\" time=\"5.00000001\" "
             "collationValue=\"c\"/>",
     {{TS_T_tptp_trace, 0, "1|2|T1|1|c|5000000010"}}},
    {"traceEnd",
     "1006 s:T1 t5000000010 s:c",
     "<traceEnd traceIdRef=\"T1\" time=\"5.00000001\" collationValue=\"c\"/>",
     {{TS_T_tptp_event, 0, "1|2|traceEnd|NULL|5000000010|T1|c"}}},
    {"filter",
     "1005 s:T1 s: t10 s:; 1007 s:T1 s:java s:PREFIX s:EXCLUDE s:get s:SUFFIX s:INCLUDE",
     "<traceStart traceId=\"T1\" time=\"0.00000001\"/><filter traceIdRef=\"T1\" pattern=\"java\" "
     "mode=\"EXCLUDE\" genericPattern=\"PREFIX\" methodPattern=\"get\" methodMode=\"INCLUDE\" "
     "methodGenericPattern=\"SUFFIX\"/>",
     {{TS_T_tptp_filter, 0, "1|2|1|java|PREFIX|EXCLUDE|get|SUFFIX|INCLUDE"}}},
    {"option",
     "1005 s:T1 s: t10 s:; 1008 s:T1 s:TICKET s:true; 1008 s: s:TICKET s:",
     "<traceStart traceId=\"T1\" time=\"0.00000001\"/><option traceIdRef=\"T1\" key=\"TICKET\" "
     "value=\"true\"/><option key=\"TICKET\" value=\"\"/>",
     {{TS_T_tptp_option, 0, "1|2|1|TICKET|true"}, {TS_T_tptp_option, 1, "2|2|NULL|TICKET|NULL"}}},
    {"threadStart",
     "1009 q0 q7 t1000 s:group s:parent q0 q9 s:worker_1 s: s:",
     "<threadStart threadId=\"7\" time=\"0.000001\" threadName=\"worker 1\" groupName=\"group\" "
     "parentName=\"parent\" objIdRef=\"9\"/>",
     {{TS_T_tptp_thread, 0, "1|2|1|7|parent|9"},
      {TS_T_thread_detail, 1, "1|2|unknown|group|NULL|NULL|NULL"}}},
    {"threadEnd",
     B_THREAD "1010 q0 q7 t9000 s: s:",
     X_THREAD "<threadEnd threadIdRef=\"7\" time=\"0.000009\"/>",
     {{0}}},
    {"classDef",
     B_THREAD "1011 q0 q7 t1001 i2 s:x.I,x.J q0 q20 s:B.java s:app s:x/Y q0 q21 s:a/b/B$C s:public "
              "i3 i4 i5 s: s:",
     X_THREAD "<classDef threadIdRef=\"7\" time=\"0.000001001\" numInterfaces=\"2\" "
              "interfaceNames=\"x.I,x.J\" classId=\"20\" sourceName=\"B.java\" classLoader=\"app\" "
              "superClass=\"x/Y\" objIdRef=\"21\" name=\"a/b/B$C\" accessFlags=\"public\" "
              "numStaticFields=\"3\" numMethods=\"4\" numInstanceFields=\"5\"/>",
     {{TS_T_tptp_class, 0,
       "1|2|20|a.b.B$C|a.b|B.java|app|x.Y|x.I,x.J|2|public|3|5|4|21|1|1001|1"}}},
    {"methodDef",
     B_THREAD B_CLASS "1012 s:run s:(I)V b1 b1 b1 b1 s:x.E q5 q9 s:jvm q0 q20 q30 s: s:; "
                      "1012 s:-init- s: b0 b0 b0 b0 s: q0 q0 s: q0 q20 q31 s: s:; "
                      "1012 s:-clinit- s: b0 b0 b1 b0 s: q0 q0 s: q0 q20 q32 s: s:",
     X_THREAD X_CLASS
     "<methodDef name=\"run\" signature=\"(I)V\" isNative=\"true\" isAbstract=\"1\" isStatic=\"1\" "
     "isSynchronized=\"true\" exceptions=\"x.E\" startLineNumber=\"5\" endLineNumber=\"9\" "
     "signatureNotation=\"jvm\" classIdRef=\"20\" methodId=\"30\"/>"
     "<methodDef name=\"-init-\" classIdRef=\"20\" methodId=\"31\"/>"
     "<methodDef name=\"&lt;clinit&gt;\" isStatic=\"true\" isNative=\"false\" classIdRef=\"20\" "
     "methodId=\"32\"/>",
     {{TS_T_stack_method, 0,
       "1|2|30|run|B|a|(I)V|B.java|5|NULL|abstract static synchronized native"},
      {TS_T_stack_method, 1, "2|2|31|<init>|B|a|NULL|B.java|NULL|NULL|NULL"},
      {TS_T_stack_method, 2, "3|2|32|<clinit>|B|a|NULL|B.java|NULL|NULL|static"},
      {TS_T_tptp_method, 0, "1|2|1|1|9|x.E|jvm"}}},
    {"objAlloc",
     B_ALL B_ENTRY "1014 q0 q7 t2001 b4 q0 q50 q48 q6 q30 q0 q20 s:ctx s: s:",
     X_ALL X_ENTRY "<objAlloc threadIdRef=\"7\" time=\"0.000002001\" isArray=\"4\" objId=\"50\" "
                   "size=\"48\" line=\"6\" methodIdRef=\"30\" classIdRef=\"20\" "
                   "contextData=\"ctx\"/>",
     {{TS_T_tptp_allocation, 0, "1|2|1|2001|50|1|48|4|1|6|1|ctx"}}},
    {"methodEntry",
     B_ALL B_ENTRY,
     X_ALL X_ENTRY,
     {{TS_T_stack_slice, 0, "1|2|1|NULL|1|2000|NULL|NULL|NULL|0|1"},
      {TS_T_tptp_invocation, 0, "1|2|1|NULL|1|77|33|11|NULL|NULL"}}},
    {"methodEntry in layout B",
     B_ALL "1015 q0 q7 t2000 q30 i77 q0 q60 q0 q20 q0 q11 q33 s: s:",
     X_ALL "<methodEntry threadIdRef=\"7\" time=\"0.000002000\" methodIdRef=\"30\" ticket=\"77\" "
           "objIdRef=\"60\" classIdRef=\"20\" sequenceCounter=\"11\" stackDepth=\"33\"/>",
     {{TS_T_tptp_invocation, 0, "1|2|1|60|1|77|33|11|NULL|NULL"}}},
    {"methodExit",
     B_ALL "1015 q0 q7 t2000 q30 i77 q0 q20 q100 q0 q0 s: s:; "
           "1016 q0 q7 t2500 i77 q400 q30 q0 q60 q20 q0 s:12 s: s:",
     X_ALL "<methodEntry threadIdRef=\"7\" time=\"0.000002\" methodIdRef=\"30\" ticket=\"77\" "
           "classIdRef=\"20\" threadCpuTime=\"0.0000001\"/>"
           "<methodExit threadIdRef=\"7\" time=\"0.0000025\" ticket=\"77\" "
           "threadCpuTime=\"0.0000004\" methodIdRef=\"30\" objIdRef=\"60\" "
           "transientClassIdRef=\"20\" sequenceCounter=\"12\"/>",
     {{TS_T_stack_slice, 0, "1|2|1|NULL|1|2000|500|500|300|0|0"}}},
    {"methodExit in layout B",
     B_ALL B_ENTRY "1016 q0 q7 t2500 i0 q0 q30 q0 q0 q0 q20 q12 s: s:",
     X_ALL X_ENTRY "<methodExit threadIdRef=\"7\" time=\"0.0000025\" methodIdRef=\"30\" "
                   "classIdRef=\"20\" sequenceCounter=\"12\"/>",
     {{TS_T_stack_slice, 0, "1|2|1|NULL|1|2000|500|500|NULL|0|0"},
      {TS_T_tptp_invocation, 0, "1|2|1|NULL|1|77|33|11|12|NULL"}}},
    {"gcStart, gcFinish",
     B_THREAD "1023 q0 q7 t3000 s: s:; 1027 q0 q7 t3400 q900 q800 q70 s: s:",
     X_THREAD "<gcStart threadIdRef=\"7\" time=\"0.000003\"/><gcFinish threadIdRef=\"7\" "
              "time=\"0.0000034\" totalObjectSpace=\"900\" usedObjSpace=\"800\" "
              "usedObjects=\"70\"/>",
     {{TS_T_runtime_pause, 0, "1|2|gc|1|3000|400|NULL|800|900|NULL|70|0|NULL|NULL"}}},
    {"objFree",
     B_ALL "1014 q0 q7 t2001 b0 q0 q50 q48 q6 q30 q0 q20 s: s: s:; "
           "1024 q0 q7 t2100 q0 q50 q3 q8 q9 s: s:",
     X_ALL "<objAlloc threadIdRef=\"7\" time=\"0.000002001\" objId=\"50\" size=\"48\" line=\"6\" "
           "methodIdRef=\"30\" classIdRef=\"20\"/><objFree threadIdRef=\"7\" time=\"0.0000021\" "
           "objIdRef=\"50\" objectAge=\"3\" sequenceCounter=\"8\" stackDepth=\"9\"/>",
     {{TS_T_tptp_free, 0, "1|2|1|50|1|2100|3|8|9"}}},
    {"runtimeInitDone",
     B_THREAD "1030 q0 q7 t1500 s: s:",
     X_THREAD "<runtimeInitDone threadIdRef=\"7\" time=\"0.0000015\"/>",
     {{TS_T_tptp_event, 0, "1|2|runtimeInitDone|1|1500|NULL|NULL"}}},
    {"runtimeShutdown",
     "1031 q0 q0 t1500 s: s:",
     "<runtimeShutdown time=\"0.0000015\"/>",
     {{TS_T_tptp_event, 0, "1|2|runtimeShutdown|NULL|1500|NULL|NULL"}}},
    {"monWait, monWaited",
     B_THREAD "1032 q7 t4000 q50 q1000 i2 A:a.C.wait,D.run Q485,0; "
              "1033 q7 t4700 q50 q1000 i1 A:a.C.wait Q485",
     X_THREAD
     "<monWait threadIdRef=\"7\" time=\"0.000004\" objIdRef=\"50\" timeout=\"1000\">" X_FRAMES
     "</monWait><monWaited threadIdRef=\"7\" time=\"0.0000047\" "
     "objIdRef=\"50\" timeout=\"1000\"><Annotation key=\"STACKMETHODS\" "
     "value=\"a.C.wait\"/><annotation key=\"the lines\" value=\"485\"/></monWaited>",
     {{TS_T_lock_wait, 0, "1|2|wait|1|50|NULL|NULL|1000000000|4000|700|2|NULL|0"},
      {TS_T_tptp_monitor_frame, 0, "1|begin|0|a.C.wait|485"},
      {TS_T_tptp_monitor_frame, 1, "1|begin|1|D.run|NULL"},
      {TS_T_tptp_monitor_frame, 2, "1|end|0|a.C.wait|485"}}},
    {"monContendedEnter, monContendedEntered",
     B_THREAD "1009 q0 q8 t1000 s: s: q0 q0 s:owner s: s:; "
              "1034 q7 t4000 q50 q8 i0; 1035 q7 t4700 q50 i0",
     X_THREAD "<threadStart threadId=\"8\" time=\"0.000001\" threadName=\"owner\"/>"
              "<monContendedEnter threadIdRef=\"7\" time=\"0.000004\" objIdRef=\"50\" "
              "threadOwner=\"8\"/><monContendedEntered threadIdRef=\"7\" time=\"0.0000047\" "
              "objIdRef=\"50\"/>",
     {{TS_T_lock_wait, 0, "1|2|contended|1|50|NULL|2|NULL|4000|700|NULL|NULL|0"}}},
    {"agMethodEntry, agMethodExit",
     B_ALL "1036 q7 q30 q500 q10 q90 q400 q12; 1036 q7 q30 q5 q1 q2 q4 q3; 1037 q7 q30; "
           "1037 q7 q30",
     X_ALL "<agMethodEntry threadIdRef=\"7\" methodIdRef=\"30\" baseTime=\"0.0000005\" "
           "minTime=\"0.00000001\" maxTime=\"0.00000009\" baseCPUTime=\"0.0000004\" "
           "numCalls=\"12\"/><agMethodEntry threadIdRef=\"7\" methodIdRef=\"30\" "
           "baseTime=\"0.000000005\" minTime=\"1e-9\" maxTime=\"0.000000002\" "
           "baseCpuTime=\"4E-9\" numCalls=\"3\"/>"
           "<agMethodExit threadIdRef=\"7\" methodIdRef=\"30\"/>"
           "<agMethodExit threadIdRef=\"7\" methodIdRef=\"30\"/>",
     {{TS_T_tptp_aggregate, 0, "1|2|NULL|1|1|1|0|500|10|90|400|12"},
      {TS_T_tptp_aggregate, 1, "2|2|1|1|1|2|1|5|1|2|4|3"}}},
    {"heapDumpDef", B_DUMP, X_DUMP, {{TS_T_tptp_heap_dump, 0, "1|2|3|first|6000|250"}}},
    {"gcRoot",
     B_ALL B_DUMP "1039 q20 q50 s:JNI_global",
     X_ALL X_DUMP "<gcRoot classIdRef=\"20\" objIdRef=\"50\" type=\"JNI global\"/>",
     {{TS_T_tptp_gc_root, 0, "2|1|50|1|JNI global"}}},
    {"objReference",
     B_DUMP "1038 q4 t6001 s: q0; 1040 q50 q51 q3; 1040 q52 q53 q0",
     X_DUMP "<heapDumpDef heapDumpId=\"4\" time=\"0.000006001\"/><objReference srcIdRef=\"50\" "
            "targIdRef=\"51\" heapDumpIdRef=\"3\"/><objReference srcId=\"52\" trgIdRef=\"53\"/>",
     {{TS_T_tptp_reference, 0, "2|1|50|51"}, {TS_T_tptp_reference, 1, "2|2|52|53"}}},
    {"customData",
     "1041 s:<a_b=\"c\"/>",
     "<customData body=\"&lt;a b=&quot;c&quot;/>\"/>",
     {{TS_T_tptp_custom, 0, "1|2|<a b=\"c\"/>"}}},
};
enum { CASES = sizeof cases / sizeof cases[0] };

static void import_form(run *r, const event_case *c, bool xml)
{
    bytes b = {0};
    if (xml) {
        put_str(&b, TPTP_XML);
        put_str(&b, c->xml);
        put_str(&b, "</TRACE>");
    } else {
        put_tptp_head(&b);
        put_tptps(&b, c->binary);
    }
    import_bytes(r, b);
}

static bool check_rows(const event_case *c, const run *r, bool xml)
{
    bool ok = true;
    for (int i = 0; i < EXPECTED && c->rows[i].text != NULL; i++) {
        enum ts_table_id table = c->rows[i].table;
        char *have = c->rows[i].row < memsink_rows(r->sink, table)
                         ? memsink_row_text(r->sink, table, c->rows[i].row)
                         : strdup("no row");
        if (strcmp(have, c->rows[i].text) != 0) {
            print_error("%s, %s, %s %zu:\n  is       %s\n  expected %s\n", c->name,
                        xml ? "XML" : "binary", ts_schema[table].name, c->rows[i].row, have,
                        c->rows[i].text);
            ok = false;
        }
        free(have);
    }
    if (complaints(r) > 0) {
        print_error("%s, %s:\n", c->name, xml ? "XML" : "binary");
        memsink_print(r->sink, TS_T_import_issue);
        ok = false;
    }
    return ok;
}

/* Tables whose rows do not say which form it was. */
static bool of_the_trace(enum ts_table_id table)
{
    return table != TS_T_meta && table != TS_T_source && table != TS_T_source_property &&
           table != TS_T_import_count && table != TS_T_import_issue && table != TS_T_stat &&
           table != TS_T_event_class;
}

static bool same_rows(const event_case *c, const run *binary, const run *xml)
{
    bool ok = true;
    for (int t = 0; t < TS_TABLE_COUNT; t++) {
        enum ts_table_id table = (enum ts_table_id)t;
        size_t row = 0;
        if (!of_the_trace(table)) {
            continue;
        }
        if (memsink_rows(binary->sink, table) != memsink_rows(xml->sink, table) ||
            !memsink_is_prefix(&row, binary->sink, xml->sink, table)) {
            print_error("%s: row %zu of %s differs\n", c->name, row, ts_schema[table].name);
            memsink_print(binary->sink, table);
            memsink_print(xml->sink, table);
            ok = false;
        }
    }
    return ok;
}

static void test_each_event(void **state)
{
    unsigned bad = 0;
    UNUSED(state);
    for (int i = 0; i < CASES; i++) {
        run binary;
        run xml;
        import_form(&binary, &cases[i], false);
        import_form(&xml, &cases[i], true);
        bad += !check_rows(&cases[i], &binary, false) || !check_rows(&cases[i], &xml, true) ||
               !same_rows(&cases[i], &binary, &xml);
        run_free(&binary);
        run_free(&xml);
    }
    assert_int_equal(bad, 0);
}

/* --- events of which no description gives the attributes -------------------------------------- */

/* In XML a CPU time of 0 at the entry is a time; binary traces have no other way to say that there
 * is none. */
static void test_entry_at_cpu_time_0(void **state)
{
    static const event_case zero = {
        "methodExit after an entry at CPU time 0",
        B_ALL "1015 q0 q7 t1000 q30 i76 q0 q20 q0 q0 q0 s: s:; "
              "1016 q0 q7 t1500 i76 q50 q30 q0 q60 q20 q0 s:12 s: s:",
        X_ALL "<methodEntry threadIdRef=\"7\" time=\"0.000001\" methodIdRef=\"30\" ticket=\"76\" "
              "classIdRef=\"20\" threadCpuTime=\"0.000000000\"/>"
              "<methodExit threadIdRef=\"7\" time=\"0.0000015\" ticket=\"76\" "
              "threadCpuTime=\"0.00000005\" methodIdRef=\"30\" objIdRef=\"60\" "
              "transientClassIdRef=\"20\" sequenceCounter=\"12\"/>",
        {{TS_T_stack_slice, 0, "1|2|1|NULL|1|1000|500|500|50|0|0"}}};
    event_case unknown = zero;
    run r;
    (void)state;
    import_form(&r, &zero, true);
    assert_true(check_rows(&zero, &r, true));
    run_free(&r);
    unknown.rows[0].text = "1|2|1|NULL|1|1000|500|500|NULL|0|0";
    import_form(&r, &unknown, false);
    assert_true(check_rows(&unknown, &r, false));
    run_free(&r);
}

/* The 45 events of the profiler less the 30 that have a table in the binary form. */
static void test_undescribed_messages(void **state)
{
    static const unsigned ids[] = {1013, 1017, 1018, 1019, 1020, 1021,
                                   1022, 1025, 1026, 1028, 1029};
    UNUSED(state);
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        bytes b = {0};
        char want[64];
        run r;
        put_tptp_head(&b);
        put_tptps(&b, B_THREAD);
        put_tptp(&b, ids[i], "q0 q7 t1500 i258");
        put_tptp(&b, ids[i], "q0 q8 t1500 i258"); /* no such thread */
        put_tptp(&b, ids[i], "q0 q7 t999 i258");  /* before all other times */
        put_tptp(&b, ids[i], "b255");
        put_tptp(&b, 1031, "q0 q7 t1600 s: s:");
        import_bytes(&r, b);
        assert_int_equal(complaints(&r), 0);
        assert_int_equal(MEM_ROWS(r.sink, tptp_event), 5);
        for (size_t row = 0; row < 4; row++) {
            char *have = memsink_row_text(r.sink, TS_T_tptp_event, row);
            snprintf(want, sizeof want, "%zu|2|message %u|%s|NULL|NULL", row + 1, ids[i],
                     row == 0 ? "1|1500" : "NULL|NULL");
            assert_string_equal(have, want);
            free(have);
            assert_mem_text(r.sink, tptp_event_value, 2 * row, key, "size");
            assert_mem_text(r.sink, tptp_event_value, 2 * row, value, row < 3 ? "28" : "1");
            assert_mem_text(r.sink, tptp_event_value, 2 * row + 1, key, "bytes");
        }
        assert_mem_text(r.sink, tptp_event_value, 1, value,
                        "00000000000000000700000000000000dc0500000000000002010000");
        assert_mem_text(r.sink, tptp_event_value, 7, value, "ff");
        run_free(&r);
    }
}

/* A long one: its first 256 bytes; one that is longer than what is searched: the same. */
static void test_undescribed_long(void **state)
{
    static const size_t sizes[] = {1000, 3000000};
    UNUSED(state);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bytes b = {0};
        char want[513];
        run r;
        put_tptp_head(&b);
        put_le(&b, 1028, 2);
        put_le(&b, 6 + sizes[i], 4);
        for (size_t k = 0; k < sizes[i]; k++) {
            put(&b, "\xab", 1);
        }
        put_tptp(&b, 1041, "s:x");
        import_bytes(&r, b);
        memset(want, 'a', 512);
        for (size_t k = 1; k < 512; k += 2) {
            want[k] = 'b';
        }
        want[512] = '\0';
        assert_int_equal(complaints(&r), 0);
        assert_mem_text(r.sink, tptp_event_value, 0, value, i == 0 ? "1000" : "3000000");
        assert_mem_text(r.sink, tptp_event_value, 1, value, want);
        assert_int_equal(MEM_ROWS(r.sink, tptp_custom), 1);
        run_free(&r);
    }
}

/* What the trace DTD names and the binary form has no number for. */
static void test_elements_of_xml(void **state)
{
    static const char *const names[] = {"processSuspend",
                                        "processResume",
                                        "classUnload",
                                        "methodCall",
                                        "methodReturn",
                                        "methodBody",
                                        "method",
                                        "methodCount",
                                        "value",
                                        "line",
                                        "tag",
                                        "code",
                                        "objDef",
                                        "objMove",
                                        "throw",
                                        "catch",
                                        "invocationContext"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        char xml[256];
        char want[64];
        char *have;
        run r;
        snprintf(xml, sizeof xml,
                 TPTP_XML X_THREAD "<%s threadIdRef=\"7\" time=\"0.0000015\" objId=\"50\" "
                                   "other=\"a &lt; b\"/></TRACE>",
                 names[i]);
        import_bytes(&r, bytes_of(xml));
        snprintf(want, sizeof want, "1|2|%s|1|1500|NULL|NULL", names[i]);
        assert_int_equal(complaints(&r), 0);
        have = memsink_row_text(r.sink, TS_T_tptp_event, 0);
        assert_string_equal(have, want);
        free(have);
        assert_int_equal(MEM_ROWS(r.sink, tptp_event_value), 2);
        assert_mem_text(r.sink, tptp_event_value, 0, key, "objId");
        assert_mem_text(r.sink, tptp_event_value, 0, value, "50");
        assert_mem_text(r.sink, tptp_event_value, 1, key, "other");
        assert_mem_text(r.sink, tptp_event_value, 1, value, "a < b");
        run_free(&r);
    }
}

static void test_thread_end(void **state)
{
    run r;
    UNUSED(state);
    for (int i = 0; i < CASES; i++) {
        if (strcmp(cases[i].name, "threadEnd") == 0) {
            import_form(&r, &cases[i], false);
            assert_cell(&r, thread, 1, tid, 7);
            assert_cell(&r, thread, 1, start_ts, 1000);
            assert_cell(&r, thread, 1, end_ts, 9000);
            assert_mem_text(r.sink, thread, 1, name, "worker");
            run_free(&r);
        }
    }
}

/* The smallest message of each kind is all zeros: numbers, and texts of their end only. One byte
 * more, or one less, is not exact. */
static void test_smallest_messages(void **state)
{
    static const struct {
        unsigned id;
        unsigned size;
    } smallest[] = {
        {1001, 21}, {1002, 22}, {1003, 20},  {1004, 15}, {1005, 17}, {1006, 16}, {1007, 13},
        {1008, 9},  {1009, 51}, {1010, 32},  {1011, 86}, {1012, 56}, {1014, 90}, {1015, 84},
        {1016, 85}, {1023, 32}, {1024, 72},  {1027, 56}, {1030, 32}, {1031, 32}, {1032, 42},
        {1033, 42}, {1034, 42}, {1035, 34},  {1036, 62}, {1037, 22}, {1038, 31}, {1039, 23},
        {1040, 30}, {1041, 7},  {1015, 100}, {1016, 92},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof smallest / sizeof smallest[0]; i++) {
        for (int more = 0; more < 2; more++) {
            bytes b = {0};
            run r;
            put_tptp_head(&b);
            put_tptps(&b, B_ALL);
            put_le(&b, smallest[i].id, 2);
            put_le(&b, smallest[i].size + (unsigned)more, 4);
            put_zeros(&b, smallest[i].size - 6 + (unsigned)more);
            import_bytes(&r, b);
            if (issue_sum(&r, "tptp_inexact") != more || issue_sum(&r, "tptp_message_bad") != 0) {
                print_error("message %u of %u bytes\n", smallest[i].id,
                            smallest[i].size + (unsigned)more);
                memsink_print(r.sink, TS_T_import_issue);
                fail();
            }
            run_free(&r);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_event),           cmocka_unit_test(test_entry_at_cpu_time_0),
        cmocka_unit_test(test_undescribed_messages), cmocka_unit_test(test_undescribed_long),
        cmocka_unit_test(test_elements_of_xml),      cmocka_unit_test(test_thread_end),
        cmocka_unit_test(test_smallest_messages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
