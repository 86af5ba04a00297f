/* The messages of a recording: envelopes, marks, gaps, configurations, files that the viewer cut.
 */
#include "parsers_run.h"

typedef struct rec {
    bytes b;
    size_t header;
} rec;

static rec new_rec(void)
{
    rec x = {0};
    x.header = begin_recording(&x.b);
    return x;
}

static void rec_import(run *r, rec *x)
{
    close_header(&x->b, x->header);
    import_bytes(r, x->b);
}

static bytes tiny_text(void)
{
    snap s = tiny_snap();
    return snap_text(&s);
}

static void put_tiny(bytes *b, uint64_t ts)
{
    bytes text = tiny_text();
    put_snapshot(b, &text, 100, ts);
    free(text.p);
}

/* --- files that the viewer cut ---------------------------------------------------------------- */

static void test_viewer_profile_envelope(void **state)
{
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_config(&x.b, 1, -1, true);
    put_message(&x.b, "{\"id\":3, \"result\":{\"profile\":" TINY_PROFILE "\"}", AT(2000));
    put_message(&x.b, "{\"id\":3, \"result\":{\"profile\":" TINY_PROFILE, AT(3000));
    rec_import(&r, &x);
    assert_rows(&r, js_cpu_profile, 2);
    assert_rows(&r, js_cpu_profiler_node, 4 + 3);
    assert_rows(&r, stack_sample, 8);
    assert_int_equal(issue_sum(&r, "profile_bad_tail"), 2);
    assert_int_equal(issues(&r, "profile_incomplete"), 0);
    assert_cell(&r, js_cpu_profile, 0, reported_ts, 2000);
    run_free(&r);
}

static void test_viewer_object_chunk(void **state)
{
    /* Sorted keys; all edges, of the nodes only the second and third. */
    static const char cut[] =
        "{\"params\":{\"chunk\":{\"edges\":[1,0,7,2,3,14,2,4,14,0,1,7],\"locations\":[],\"nodes\":["
        "1,2,3,24,2,1,0,2,3,6,16,0,2,2],\"samples\":[],\"snapshot\":{\"edge_count\":4," META_ALL ","
        "\"node_count\":3,\"trace_function_count\":0},\"strings\":[\"\xc3\xa4\",\"\\ud83d\"],"
        "\"trace_function_infos\":[],\"trace_tree\":[]}}}";
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_config(&x.b, 1, 0, false);
    put_message(&x.b, cut, AT(11000));
    put_mark(&x.b, 1, AT(13000));
    put_tiny(&x.b, AT(21000));
    rec_import(&r, &x);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0 (incomplete)|11000|13000|40");
    assert_mem_row(r.sink, js_heap_edges, 0, "0|0|1|0|7|NULL|NULL"); /* which node is missing? */
    assert_mem_row(r.sink, js_heap_edges, 1, "0|1|2|3|14|NULL|NULL");
    assert_mem_row(r.sink, js_heap_edges, 3, "0|3|0|1|7|NULL|NULL");
    assert_mem_row(r.sink, js_heap_edges, 4, "1|0|1|0|7|1|3");
    assert_mem_text(r.sink, js_heap_string, 0, string, "\xc3\xa4");
    assert_mem_text(r.sink, js_heap_string, 1, string, "\xef\xbf\xbd");
    assert_int_equal(issues(&r, "chunk_not_text"), 1);
    assert_int_equal(issue_sum(&r, "heap_edge_no_owner"), 4);
    assert_int_equal(issues(&r, "heap_edge_count_mismatch"), 1);
    assert_int_equal(issue_sum(&r, "heap_bad_string"), 1);
    assert_rows(&r, js_heap_files, 2);
    run_free(&r);
}

static void test_chunks_that_are_no_text(void **state)
{
    static const char *const odd[] = {"null", "5", "true", "[\"x\"]"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof odd / sizeof odd[0]; i++) {
        char m[128];
        run r;
        rec x = new_rec();
        put_config(&x.b, 1, 0, false);
        snprintf(m, sizeof m, "{\"params\":{\"chunk\":%s}}", odd[i]);
        put_message(&x.b, m, AT(1000));
        put_mark(&x.b, 1, AT(2000));
        put_tiny(&x.b, AT(11000));
        rec_import(&r, &x);
        assert_int_equal(issues(&r, "chunk_bad_type"), 1);
        assert_rows(&r, js_heap_files, 1);
        assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0|11000|13000|40");
        run_free(&r);
    }
}

/* --- marks ------------------------------------------------------------------------------------ */

static void test_second_document_without_a_mark(void **state)
{
    bytes text = tiny_text();
    run whole;
    UNUSED(state);
    import_one(&whole, &text);
    for (int variant = 0; variant < 2; variant++) {
        run r;
        rec x = new_rec();
        put_config(&x.b, 1, 0, false);
        if (variant == 0) {
            put_chunks(&x.b, &text, 0, AT(11000));
            put_chunks(&x.b, &text, 0, AT(12000));
        } else { /* both in one message */
            bytes both = {0};
            put(&both, text.p, text.n);
            put_str(&both, " \n");
            put(&both, text.p, text.n);
            put_chunks(&x.b, &both, 0, AT(11000));
            free(both.p);
        }
        put_mark(&x.b, 1, AT(13000));
        rec_import(&r, &x);
        assert_rows(&r, js_heap_files, 2);
        assert_mem_text(r.sink, js_heap_files, 0, file_name, "Snapshot0 (incomplete)");
        if (variant == 0) {
            assert_cell(&r, js_heap_files, 0, end_time, 11000); /* its last chunk */
        } else { /* whose time is not known before it has ended */
            assert_null_cell(&r, js_heap_files, 0, end_time);
        }
        assert_mem_text(r.sink, js_heap_files, 1, file_name, "Snapshot1");
        assert_cell(&r, js_heap_files, 1, end_time, 13000);
        assert_rows(&r, js_heap_edges, 8);
        assert_cell(&r, js_heap_edges, 4, from_node_id, 1);
        assert_int_equal(issues(&r, "second_document"), 1);
        run_free(&r);
    }
    run_free(&whole);
    free(text.p);
}

static void test_mark_on_unfinished_json(void **state)
{
    bytes text = tiny_text();
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_config(&x.b, 1, 0, false);
    put_chunk_n(&x.b, (const char *)text.p, text.n - 20, AT(11000));
    put_mark(&x.b, 1, AT(13000));
    put_tiny(&x.b, AT(21000));
    rec_import(&r, &x);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0 (incomplete)|11000|13000|40");
    assert_mem_row(r.sink, js_heap_files, 1, "1|Snapshot1|21000|23000|40");
    assert_int_equal(issues(&r, "snapshot_incomplete"), 1);
    assert_int_equal(complaints(&r), 1);
    run_free(&r);
    free(text.p);
}

static void test_timeline_without_its_end(void **state)
{
    snap s = tiny_timeline();
    bytes text = snap_text(&s);
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_config(&x.b, 1, 1, false);
    put_mark(&x.b, 1, AT(1000));
    put_chunks(&x.b, &text, 0, AT(2000));
    put_mark(&x.b, 1, AT(11000)); /* the start of the next one */
    put_chunks(&x.b, &text, 0, AT(12000));
    put_mark(&x.b, 2, AT(13000));
    rec_import(&r, &x);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Timeline (incomplete)|1000|2000|40");
    assert_mem_row(r.sink, js_heap_files, 1, "1|Timeline|11000|13000|40");
    assert_int_equal(issues(&r, "snapshot_no_end_mark"), 1);
    run_free(&r);
    free(text.p);
}

static void test_timeline_without_its_start(void **state)
{
    snap s = tiny_timeline();
    bytes text = snap_text(&s);
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_config(&x.b, 1, 1, false);
    put_mark(&x.b, 1, AT(1000));
    put_chunks(&x.b, &text, 0, AT(2000));
    put_mark(&x.b, 2, AT(3000));
    put_chunks(&x.b, &text, 0, AT(12000)); /* the first one's start is not this one's */
    put_mark(&x.b, 2, AT(13000));
    rec_import(&r, &x);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Timeline|1000|3000|40");
    assert_mem_row(r.sink, js_heap_files, 1, "1|Timeline|12000|13000|40");
    assert_int_equal(issues(&r, "timeline_no_start"), 1);
    run_free(&r);
    free(text.p);
}

static void test_timeline_without_a_configuration(void **state)
{
    snap s = tiny_timeline();
    bytes text = snap_text(&s);
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_mark(&x.b, 1, AT(1000));
    put_chunks(&x.b, &text, 0, AT(2000));
    put_mark(&x.b, 2, AT(13000));
    rec_import(&r, &x);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Timeline|1000|13000|40");
    assert_rows(&r, js_config, 1);
    assert_mem_row(r.sink, js_config, 0, "0|1|0|0|0|0|0");
    assert_int_equal(issues(&r, "config_made_up"), 1);
    run_free(&r);
    free(text.p);
}

static void test_timeline_start_after_damage(void **state)
{
    snap s = tiny_timeline();
    bytes text = snap_text(&s);
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_config(&x.b, 1, 1, false);
    put_message(&x.b, "{\"id\":", AT(500));
    put_mark(&x.b, 1, AT(1000));
    put_chunks(&x.b, &text, 0, AT(2000));
    put_mark(&x.b, 2, AT(13000));
    rec_import(&r, &x);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Timeline|1000|13000|40");
    assert_int_equal(issues(&r, "timeline_no_start"), 0);
    run_free(&r);
    free(text.p);
}

/* --- gaps ------------------------------------------------------------------------------------- */

/* The messages of two snapshots in chunks of 200 bytes; message `bad` is damaged like this. */
enum { DAMAGE_JSON, DAMAGE_NAME, DAMAGE_WIRE, DAMAGES };

static void put_damaged(bytes *b, int damage)
{
    bytes body = {0};
    switch (damage) {
    case DAMAGE_JSON:
        put_message(b, "{\"params\":{\"chunk\":\"abc", AT(1));
        break;
    case DAMAGE_NAME: /* a plugin without a name: it might have been a chunk */
        put_field(&body, 3, "\x0a\x01x", 3);
        put_raw_segment(b, &body);
        break;
    default: /* field 1 of the result runs past the end */
        put_text(&body, 1, "arkts-plugin");
        put_field(&body, 3, "\x0a\x7fx", 3);
        put_raw_segment(b, &body);
        break;
    }
}

static void test_gap_inside_a_snapshot(void **state)
{
    bytes text = tiny_text();
    size_t chunks = (text.n + 199) / 200;
    UNUSED(state);
    for (size_t bad = 0; bad < chunks; bad++) {
        for (int damage = 0; damage < DAMAGES; damage++) {
            run r;
            rec x = new_rec();
            size_t last;
            put_config(&x.b, 1, 0, false);
            for (size_t i = 0; i < chunks; i++) {
                size_t n = text.n - 200 * i < 200 ? text.n - 200 * i : 200;
                if (i == bad) {
                    put_damaged(&x.b, damage);
                } else {
                    put_chunk_n(&x.b, (const char *)text.p + 200 * i, n, AT(11000 + i));
                }
            }
            put_mark(&x.b, 1, AT(13000));
            put_tiny(&x.b, AT(21000));
            rec_import(&r, &x);
            last = MEM_ROWS(r.sink, js_heap_files) - 1;
            assert_true(complaints(&r) > 0);

            /* The next one is whole. */
            assert_cell(&r, js_heap_files, last, start_time, 21000);
            assert_cell(&r, js_heap_files, last, end_time, 23000);
            assert_cell(&r, js_heap_files, last, self_size, 40);
            assert_cell(&r, js_heap_file_detail, last, edge_count, 4);
            assert_cell(&r, js_heap_file_detail, last, complete, 1);
            if (last > 0) {
                ts_text name = MEM_TEXT(r.sink, js_heap_files, 0, file_name);
                assert_true(ts_text_is(name, "Snapshot0 (incomplete)"));
                assert_true(LOST(&r, "text_bytes") > 0 || bad + 1 == chunks);
            }
            run_free(&r);
        }
    }
    free(text.p);
}

static void test_next_snapshot_without_a_mark_after_a_gap(void **state)
{
    bytes text = tiny_text();
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_config(&x.b, 1, 0, false);
    put_chunk_n(&x.b, (const char *)text.p, 500, AT(11000));
    put_damaged(&x.b, DAMAGE_NAME);
    put_chunk_n(&x.b, (const char *)text.p + 700, text.n - 700, AT(12000));
    put_chunks(&x.b, &text, 5, AT(21000)); /* its beginning is cut over several chunks */
    put_mark(&x.b, 1, AT(23000));
    rec_import(&r, &x);
    assert_rows(&r, js_heap_files, 2);
    assert_mem_text(r.sink, js_heap_files, 1, file_name, "Snapshot1");
    assert_cell(&r, js_heap_files, 1, end_time, 23000);
    assert_cell(&r, js_heap_file_detail, 1, complete, 1);
    assert_int_equal(LOST(&r, "text_bytes"), text.n - 700);
    run_free(&r);
    free(text.p);
}

static void test_text_behind_damage_is_lost(void **state)
{
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_config(&x.b, 1, 0, false);
    put_chunk(&x.b, "{\"snapshot\":{}!", AT(11000));
    put_chunk(&x.b, "0123456789", AT(12000));
    put_mark(&x.b, 1, AT(13000));
    rec_import(&r, &x);
    assert_int_equal(SEEN(&r, "text_bytes"), 25);
    assert_int_equal(LOST(&r, "text_bytes"), 11);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0 (incomplete)|11000|13000|0");
    run_free(&r);
}

/* --- interleaving ----------------------------------------------------------------------------- */

static void test_profile_inside_a_snapshot(void **state)
{
    bytes text = tiny_text();
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_config(&x.b, 1, 0, true);
    put_mark(&x.b, 3, AT(1000));
    put_mark(&x.b, 3, AT(1001));
    put_chunk_n(&x.b, (const char *)text.p, 600, AT(11000));
    put_message(&x.b, "{\"method\":\"HeapProfiler.heapStatsUpdate\",\"params\":{\"chunks\":[1]}}",
                AT(11001));
    put_profile(&x.b, TINY_PROFILE, AT(11002));
    put_chunk(&x.b, "", AT(11003));
    put_chunk_n(&x.b, (const char *)text.p + 600, text.n - 600, AT(11004));
    put_mark(&x.b, 1, AT(13000));
    rec_import(&r, &x);
    assert_mem_row(r.sink, js_heap_files, 0, "0|Snapshot0|11000|13000|40");
    assert_rows(&r, js_cpu_profiler_node, 4);
    assert_cell(&r, js_cpu_profile, 0, started_ts, 1000);
    assert_cell(&r, js_cpu_profile, 0, reported_ts, 11002);
    assert_int_equal(complaints(&r), 0);
    assert_int_equal(SEEN(&r, "messages"), 8);
    assert_int_equal(SKIPPED(&r, "messages"), 1);
    run_free(&r);
    free(text.p);
}

static void test_error_reply(void **state)
{
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_message(&x.b, "{\"id\":1,\"error\":{\"code\":-32000,\"message\":\"profile chunk\"}}",
                AT(1));
    put_tiny(&x.b, AT(11000));
    rec_import(&r, &x);
    assert_int_equal(issues(&r, "message_error_reply"), 1);
    assert_rows(&r, js_heap_files, 1);
    run_free(&r);
}

static void test_blank_chunks_make_no_snapshot(void **state)
{
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_config(&x.b, 1, 0, false);
    put_chunk(&x.b, "", AT(1));
    put_chunk(&x.b, " \n", AT(2));
    put_mark(&x.b, 1, AT(3));
    rec_import(&r, &x);
    assert_rows(&r, js_heap_files, 0);
    assert_int_equal(issues(&r, "empty_mark"), 1);
    run_free(&r);
}

/* --- configurations --------------------------------------------------------------------------- */

static void test_configurations(void **state)
{
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_config(&x.b, 1734, -1, true);
    put_config(&x.b, -5, 0, false);
    put_config(&x.b, 1734, 1, false);
    rec_import(&r, &x);
    assert_mem_row(r.sink, js_config, 0, "1734|-1|10|1|1|1|1000");
    assert_rows(&r, js_config, 1);
    assert_int_equal(issues(&r, "config_merged"), 2);
    for (size_t i = 0; i < 3; i++) { /* -5 stands without its sign */
        static const char *const all[] = {"pid=1734,type=-1,", "pid=4294967291,type=0,",
                                          "pid=1734,type=1,"};
        size_t row =
            memsink_find_text(r.sink, TS_T_source_property, TS_C_source_property__key, "js_config");
        ts_text text = MEM_TEXT(r.sink, source_property, row + i, value);
        assert_int_equal(strncmp(text.p, all[i], strlen(all[i])), 0);
    }
    assert_int_equal(memsink_count_int(r.sink, TS_T_process, TS_C_process__pid, 1734), 1);
    assert_int_not_equal(memsink_find_text(r.sink, TS_T_datasource_clockid,
                                           TS_C_datasource_clockid__data_source_name,
                                           "arkts-plugin"),
                         SIZE_MAX);
    run_free(&r);
}

static void test_empty_and_damaged_configuration(void **state)
{
    bytes body = {0};
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_text(&body, 1, "arkts-plugin_config");
    put_field(&body, 3, "\x08", 1); /* the value of pid is missing */
    put_raw_segment(&x.b, &body);
    put_text(&body, 1, "arkts-plugin_config");
    put_field(&body, 3, "", 0); /* all values are the defaults */
    put_raw_segment(&x.b, &body);
    rec_import(&r, &x);
    assert_rows(&r, js_config, 1);
    assert_mem_row(r.sink, js_config, 0, "0|0|0|0|0|0|0");
    assert_int_equal(issues(&r, "config_bad"), 1);
    assert_int_equal(LOST(&r, "configs"), 1);
    run_free(&r);
}

/* The viewer shows a heap only when the configuration's type says that there is one. */
static void test_type_of_the_configuration_follows_the_data(void **state)
{
    static const struct {
        int64_t configured;
        bool timeline;
        const char *row;
        int changed;
    } cases[] = {
        {-1, false, "1|0|10|1|1|0|1000", 1}, {-1, true, "1|1|10|1|1|0|1000", 1},
        {0, true, "1|1|10|1|1|0|1000", 1},   {1, false, "1|0|10|1|1|0|1000", 1},
        {0, false, "1|0|10|1|1|0|1000", 0},  {1, true, "1|1|10|1|1|0|1000", 0},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        snap s = cases[i].timeline ? tiny_timeline() : tiny_snap();
        bytes text = snap_text(&s);
        run r;
        rec x = new_rec();
        put_config(&x.b, 1, cases[i].configured, false);
        if (cases[i].timeline) {
            put_mark(&x.b, 1, AT(1000));
        }
        put_chunks(&x.b, &text, 0, AT(11000));
        put_mark(&x.b, cases[i].timeline ? 2 : 1, AT(13000));
        rec_import(&r, &x);
        assert_mem_row(r.sink, js_config, 0, cases[i].row);
        assert_int_equal(issues(&r, "config_type_changed"), cases[i].changed);
        assert_mem_text(r.sink, js_heap_files, 0, file_name,
                        cases[i].timeline ? "Timeline" : "Snapshot0");
        run_free(&r);
        free(text.p);
    }
}

static void test_older_plugin_name(void **state)
{
    bytes text = tiny_text();
    bytes body = {0};
    bytes m = {0};
    bytes data = {0};
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_text(&body, 1, "js-memory_config");
    put_field(&body, 3, "\x08\x07", 2);
    put_raw_segment(&x.b, &body);
    put_str(&m, "{\"params\":{\"chunk\":\"");
    put_escaped(&m, (const char *)text.p, text.n);
    put_str(&m, "\"}}");
    put_field(&data, 1, m.p, m.n);
    put_text(&body, 1, "js-memory");
    put_field(&body, 3, data.p, data.n);
    put_raw_segment(&x.b, &body);
    put_mark(&x.b, 1, AT(13000));
    rec_import(&r, &x);
    assert_mem_row(r.sink, js_config, 0, "7|0|0|0|0|0|0");
    assert_rows(&r, js_heap_nodes, 3);
    assert_true(issues(&r, "plugin_name_alias") >= 1);
    run_free(&r);
    free(text.p);
    free(m.p);
    free(data.p);
}

/* --- clocks ----------------------------------------------------------------------------------- */

static void test_times_without_clocks(void **state)
{
    run r;
    bytes b = {0};
    size_t at = put_header(&b, 0, 0, 0, 0);
    UNUSED(state);
    put_config(&b, 1, 0, true);
    put_tiny(&b, AT(11000));
    put_profile(&b, TINY_PROFILE, AT(15000));
    close_header(&b, at);
    import_bytes(&r, b);
    assert_cell(&r, js_heap_files, 0, start_time, AT(11000));
    assert_cell(&r, js_heap_files, 0, end_time, AT(13000));
    assert_cell(&r, stack_sample, 0, ts, 1100000);
    assert_cell(&r, trace_range, 0, start_ts, AT(11000));
    assert_true(issues(&r, "no_clock_snapshot") >= 1);
    assert_true(issues(&r, "clock_not_related") >= 1);
    run_free(&r);
}

/* --- the viewer (what its queries need of a database) ----------------------------------------- */

/* boottime so far from realtime that no outer time fits: NULL, not the last moment there is. */
static void test_times_that_do_not_fit(void **state)
{
    run r;
    rec x = {0};
    UNUSED(state);
    x.header = put_header(&x.b, 0, 0, INT64_MAX, 1);
    put_config(&x.b, 0, -1, true);
    put_tiny(&x.b, 2000);
    put_message(&x.b, "{\"id\":3,\"result\":{}}", 3000);
    put_message(&x.b, "{\"id\":3,\"result\":{\"profile\":" TINY_PROFILE "}}", 4000);
    rec_import(&r, &x);
    assert_null_cell(&r, js_heap_files, 0, start_time);
    assert_null_cell(&r, js_heap_files, 0, end_time);
    assert_null_cell(&r, js_cpu_profile, 0, started_ts);
    assert_null_cell(&r, js_cpu_profile, 0, reported_ts);
    assert_true(issue_sum(&r, "time_overflow") >= 4);
    run_free(&r);
}

static void test_what_the_viewer_needs(void **state)
{
    run r;
    rec x = new_rec();
    UNUSED(state);
    put_config(&x.b, 1, 0, false);
    put_tiny(&x.b, AT(11000));
    put_tiny(&x.b, AT(21000));
    put_profile(&x.b, TINY_PROFILE, AT(30000));
    rec_import(&r, &x);
    assert_rows(&r, js_config, 1);
    assert_cell(&r, js_config, 0, enable_cpu_profiler, 1);
    for (size_t i = 0; i < MEM_ROWS(r.sink, js_heap_files); i++) {
        ts_text name = MEM_TEXT(r.sink, js_heap_files, i, file_name);
        assert_int_equal(strncmp(name.p, "Snapshot", 8), 0);
        assert_false(MEM_NULL(r.sink, js_heap_files, i, self_size));
        assert_true(MEM_INT(r.sink, js_heap_files, i, end_time) <=
                    MEM_INT(r.sink, trace_range, 0, end_ts));
    }
    for (size_t i = 0; i < MEM_ROWS(r.sink, js_heap_nodes); i++) {
        assert_cell(&r, js_heap_nodes, i, node_index, i % 3);
        assert_true(MEM_INT(r.sink, js_heap_nodes, i, id) < INT64_C(4294967296));
    }
    for (size_t i = 0; i < MEM_ROWS(r.sink, js_heap_edges); i++) {
        assert_cell(&r, js_heap_edges, i, edge_index, i % 4);
    }
    assert_cell(&r, js_cpu_profiler_node, 0, function_id, 1);
    for (size_t i = 0; i < MEM_ROWS(r.sink, js_cpu_profiler_sample); i++) {
        assert_cell(&r, js_cpu_profiler_sample, i, id, i);
    }
    run_free(&r);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_viewer_profile_envelope),
        cmocka_unit_test(test_viewer_object_chunk),
        cmocka_unit_test(test_chunks_that_are_no_text),
        cmocka_unit_test(test_second_document_without_a_mark),
        cmocka_unit_test(test_mark_on_unfinished_json),
        cmocka_unit_test(test_timeline_without_its_end),
        cmocka_unit_test(test_timeline_without_its_start),
        cmocka_unit_test(test_timeline_without_a_configuration),
        cmocka_unit_test(test_timeline_start_after_damage),
        cmocka_unit_test(test_gap_inside_a_snapshot),
        cmocka_unit_test(test_next_snapshot_without_a_mark_after_a_gap),
        cmocka_unit_test(test_text_behind_damage_is_lost),
        cmocka_unit_test(test_profile_inside_a_snapshot),
        cmocka_unit_test(test_error_reply),
        cmocka_unit_test(test_blank_chunks_make_no_snapshot),
        cmocka_unit_test(test_configurations),
        cmocka_unit_test(test_empty_and_damaged_configuration),
        cmocka_unit_test(test_type_of_the_configuration_follows_the_data),
        cmocka_unit_test(test_older_plugin_name),
        cmocka_unit_test(test_times_without_clocks),
        cmocka_unit_test(test_times_that_do_not_fit),
        cmocka_unit_test(test_what_the_viewer_needs),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
