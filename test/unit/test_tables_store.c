/* Sources, issues and counts. */
#include "memsink.h"
#include "support.h"

#include "tables/store.h"

typedef struct bench {
    ts_ctx *ctx;
    memsink *mem;
    ts_store *store;
} bench;

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->ctx = test_ctx_new();
    b->mem = memsink_new(b->ctx);
    assert_ok(b->ctx, ts_store_new(&b->store, b->ctx, memsink_sink(b->mem), NULL));
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    ts_store_free(b->store);
    memsink_free(b->mem);
    test_ctx_free(b->ctx);
    free(b);
    return 0;
}

static int64_t add_source(bench *b, int64_t parent, const char *kind, const char *path)
{
    int64_t id = 0;
    assert_ok(b->ctx, ts_source_add(&id, b->store, parent, kind, path, "htrace"));
    return id;
}

static void finish(bench *b)
{
    assert_ok(b->ctx, ts_store_finish(b->store));
}

/* --- sources ------------------------------------------------------------------------------- */

static void sources_are_written_in_id_order(void **state)
{
    bench *b = *state;
    int64_t file = add_source(b, 0, "input", "a.htrace");
    int64_t snapshot = add_source(b, file, "snapshot", NULL);
    ts_row_source *row = ts_source(b->store, snapshot);
    assert_int_equal(file, 1);
    assert_int_equal(snapshot, 2);
    assert_ok(b->ctx, ts_source_text(b->store, snapshot, &row->name, "Snapshot0", 9));
    assert_ok(b->ctx, ts_source_text(b->store, snapshot, &row->clock, "boottime", 8));
    row->start_ts = 11000;
    row->null &= ~TS_NULL_BIT(source, start_ts);
    ts_source(b->store, file)->bytes = 4096;
    ts_range_note(b->store, TS_CLOCK_BOOTTIME, TS_RANGE_ROWS, 11000);
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, source), 2);
    assert_mem_row(b->mem, source, 0,
                   "1|NULL|input|a.htrace|htrace|NULL|NULL|NULL|NULL|NULL|NULL|NULL|4096|1");
    assert_mem_row(b->mem, source, 1,
                   "2|1|snapshot|NULL|htrace|NULL|Snapshot0|NULL|NULL|boottime|11000|NULL|0|1");
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 0);
}

static void rows_of_sources_never_move(void **state)
{
    bench *b = *state;
    int64_t first = add_source(b, 0, "input", "a");
    ts_row_source *row = ts_source(b->store, first);
    for (int i = 0; i < 1000; i++) {
        add_source(b, first, "snapshot", "b");
    }
    row->bytes = 7;
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, source), 1001);
    assert_int_equal(MEM_INT(b->mem, source, 0, bytes), 7);
    assert_int_equal(MEM_INT(b->mem, source, 1000, id), 1001);
}

static void root_is_the_topmost_ancestor(void **state)
{
    bench *b = *state;
    int64_t a = add_source(b, 0, "input", "a");
    int64_t other = add_source(b, 0, "input", "b");
    int64_t pod = add_source(b, a, "pod", "c");
    int64_t stream = add_source(b, pod, "stream", "d");
    assert_int_equal(ts_source_root(b->store, stream), a);
    assert_int_equal(ts_source_root(b->store, other), other);
    assert_int_equal(ts_source_root(b->store, 0), 0);
    assert_int_equal(ts_source_root(b->store, 99), 0);
    assert_int_equal(ts_source_count(b->store), 4);
}

static void unknown_parent_is_refused(void **state)
{
    bench *b = *state;
    int64_t id;
    assert_int_equal(ts_source_add(&id, b->store, 1, "x", "y", NULL), TS_ERR_INTERNAL);
    assert_int_equal(ts_source_add(&id, b->store, -1, "x", "y", NULL), TS_ERR_INTERNAL);
}

static void texts_of_rows_are_utf8(void **state)
{
    bench *b = *state;
    int64_t id = add_source(b, 0, "input",
                            "a\xff"
                            "b");
    assert_ok(b->ctx, ts_source_property(b->store, id, "k\x80", TS_TEXT_LIT("v\0w\xc3")));
    assert_ok(b->ctx, ts_source_property(b->store, id, "empty", TS_TEXT_LIT("")));
    assert_ok(b->ctx, ts_source_property(b->store, id, "none", TS_TEXT_NULL));
    ts_source(b->store, id)->host = ts_text_of("set\xfe directly");
    finish(b);
    assert_mem_text(b->mem, source, 0, path,
                    "a\xef\xbf\xbd"
                    "b");
    assert_mem_text(b->mem, source, 0, host, "set\xef\xbf\xbd directly");
    assert_mem_row(b->mem, source_property, 0, "1|k\xef\xbf\xbd|v\\x00w\xef\xbf\xbd");
    assert_mem_row(b->mem, source_property, 1, "1|empty|");
    assert_mem_row(b->mem, source_property, 2, "1|none|NULL");
}

static void loss_makes_a_source_and_its_parents_incomplete(void **state)
{
    bench *b = *state;
    int64_t file = add_source(b, 0, "input", "a");
    int64_t good = add_source(b, file, "snapshot", NULL);
    int64_t bad = add_source(b, file, "snapshot", NULL);
    int64_t other = add_source(b, 0, "input", "b");
    int64_t counted = add_source(b, other, "snapshot", NULL);
    ts_tally *t;
    assert_ok(b->ctx, ts_issue(b->store, good, TS_ISSUE_heap_duplicate_node_id, NULL, TS_NO_OFFSET,
                               "a warning loses nothing"));
    assert_ok(b->ctx, ts_issue(b->store, bad, TS_ISSUE_snapshot_gap, NULL, 17, "a gap"));
    assert_ok(b->ctx, ts_count(&t, b->store, counted, TS_ITEM_nodes, NULL));
    t->seen = 3;
    t->imported = 2;
    t->lost = 1;
    finish(b);
    assert_int_equal(MEM_INT(b->mem, source, 0, complete), 0);
    assert_int_equal(MEM_INT(b->mem, source, 1, complete), 1);
    assert_int_equal(MEM_INT(b->mem, source, 2, complete), 0);
    assert_int_equal(MEM_INT(b->mem, source, 3, complete), 0);
    assert_int_equal(MEM_INT(b->mem, source, 4, complete), 0);
}

/* --- issues -------------------------------------------------------------------------------- */

static void first_five_issues_are_single_rows(void **state)
{
    bench *b = *state;
    int64_t id = add_source(b, 0, "input", "a");
    for (int i = 0; i < 8; i++) {
        assert_ok(b->ctx, ts_issue(b->store, id, TS_ISSUE_segment_no_name, NULL, 100 + i,
                                   "segment %d has no name", i));
    }
    assert_int_equal(ts_issue_total(b->store, TS_DATA_LOSS), 8);
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 6);
    assert_mem_row(b->mem, import_issue, 0,
                   "1|data_loss|segment_no_name|NULL|100|1|segment 0 has no name");
    assert_mem_row(b->mem, import_issue, 4,
                   "1|data_loss|segment_no_name|NULL|104|1|segment 4 has no name");
    assert_mem_row(b->mem, import_issue, 5, "1|data_loss|segment_no_name|NULL|NULL|3|and 3 more");
}

static void exactly_five_issues_have_no_rest(void **state)
{
    bench *b = *state;
    int64_t id = add_source(b, 0, "input", "a");
    for (int i = 0; i < 5; i++) {
        assert_ok(b->ctx, ts_issue(b->store, id, TS_ISSUE_heap_bad_string, "Snapshot0",
                                   TS_NO_OFFSET, "%d", i));
    }
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 5);
    assert_mem_row(b->mem, import_issue, 0, "1|warning|heap_bad_string|Snapshot0|NULL|1|0");
}

static void issues_stand_by_source_then_as_they_came(void **state)
{
    bench *b = *state;
    int64_t one = add_source(b, 0, "input", "a");
    int64_t two = add_source(b, 0, "input", "b");
    assert_ok(b->ctx, ts_issue(b->store, two, TS_ISSUE_trailing_bytes, NULL, 1, "first"));
    assert_ok(b->ctx, ts_issue(b->store, one, TS_ISSUE_zero_run, NULL, 2, "second"));
    assert_ok(b->ctx, ts_issue(b->store, 0, TS_ISSUE_input_failed, NULL, 3, "third"));
    assert_ok(b->ctx, ts_issue(b->store, two, TS_ISSUE_header_bad_magic, NULL, 0, "fourth"));
    assert_ok(b->ctx, ts_issue(b->store, one, TS_ISSUE_zero_run, "x", 5, "fifth"));
    assert_int_equal(ts_issue_total(b->store, TS_DATA_LOSS), 1);
    assert_int_equal(ts_issue_total(b->store, TS_ERROR), 2);
    assert_int_equal(ts_issue_losses(b->store), 3);
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 5);
    assert_mem_row(b->mem, import_issue, 0, "NULL|error|input_failed|NULL|3|1|third");
    assert_mem_row(b->mem, import_issue, 1, "1|warning|zero_run|NULL|2|1|second");
    assert_mem_row(b->mem, import_issue, 2, "1|warning|zero_run|x|5|1|fifth");
    assert_mem_row(b->mem, import_issue, 3, "2|data_loss|trailing_bytes|NULL|1|1|first");
    assert_mem_row(b->mem, import_issue, 4, "2|error|header_bad_magic|NULL|0|1|fourth");
}

static void groups_of_issues_count_their_number(void **state)
{
    bench *b = *state;
    int64_t id = add_source(b, 0, "input", "a");
    assert_ok(b->ctx, ts_issue_n(b->store, id, TS_ISSUE_heap_edge_bad_target, "Snapshot0", 9, 250,
                                 "250 edges"));
    assert_ok(b->ctx, ts_issue_n(b->store, id, TS_ISSUE_heap_edge_bad_target, "Snapshot1", 9, 0,
                                 "none makes no row"));
    for (int i = 0; i < 4; i++) {
        assert_ok(b->ctx,
                  ts_issue(b->store, id, TS_ISSUE_heap_edge_bad_target, "Snapshot1", 10, "one"));
    }
    assert_ok(b->ctx, ts_issue_n(b->store, id, TS_ISSUE_heap_edge_bad_target, "Snapshot2", 11,
                                 UINT64_MAX, "many"));
    assert_ok(b->ctx,
              ts_issue_n(b->store, id, TS_ISSUE_heap_edge_bad_target, "Snapshot2", 11, 5, "5"));
    assert_true(ts_issue_total(b->store, TS_DATA_LOSS) == UINT64_MAX);
    assert_ok(b->ctx, ts_issue(b->store, id, TS_ISSUE_header_bad_magic, NULL, 0, "error"));
    assert_true(ts_issue_losses(b->store) == UINT64_MAX); /* and not 0 */
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 7);
    assert_mem_row(b->mem, import_issue, 0,
                   "1|data_loss|heap_edge_bad_target|Snapshot0|9|250|250 edges");
    assert_int_equal(MEM_INT(b->mem, import_issue, 5, count), INT64_MAX);
    assert_mem_text(b->mem, import_issue, 5, stream, "Snapshot2");
}

static void long_messages_are_cut_at_a_character(void **state)
{
    bench *b = *state;
    int64_t id = add_source(b, 0, "input", "a");
    char text[4000];
    ts_text message;
    for (size_t i = 0; i + 3 <= sizeof text; i += 3) {
        memcpy(text + i, "\xe2\x82\xac", 3);
    }
    text[3999] = '\0';
    assert_ok(b->ctx, ts_issue(b->store, id, TS_ISSUE_heap_bad_json, NULL, 0, "%s", text));
    finish(b);
    message = MEM_TEXT(b->mem, import_issue, 0, message);
    assert_in_range(message.n, 1018, 1023);
    assert_memory_equal(message.p + message.n - 6, "\xe2\x82\xac...", 6);
}

static void unknown_source_is_refused(void **state)
{
    bench *b = *state;
    ts_tally *t;
    assert_int_equal(ts_issue(b->store, 1, TS_ISSUE_zero_run, NULL, 0, "x"), TS_ERR_INTERNAL);
    assert_int_equal(ts_count(&t, b->store, -1, TS_ITEM_bytes, NULL), TS_ERR_INTERNAL);
}

static void every_code_and_item_is_documented(void **state)
{
    (void)state;
    for (int i = 0; i < TS_ISSUE_COUNT; i++) {
        size_t n = strlen(ts_issue_list[i].doc);
        assert_true(n > 20 && ts_issue_list[i].doc[n - 1] == '.');
        assert_true(strspn(ts_issue_list[i].name, "abcdefghijklmnopqrstuvwxyz_") ==
                    strlen(ts_issue_list[i].name));
    }
    for (int i = 0; i < TS_ITEM_COUNT; i++) {
        size_t n = strlen(ts_item_list[i].doc);
        assert_true(n > 5 && ts_item_list[i].doc[n - 1] == '.');
    }
    assert_string_equal(ts_severity_name(TS_INFO), "info");
    assert_string_equal(ts_severity_name(TS_WARNING), "warning");
    assert_string_equal(ts_severity_name(TS_DATA_LOSS), "data_loss");
    assert_string_equal(ts_severity_name(TS_ERROR), "error");
}

/* --- counts -------------------------------------------------------------------------------- */

static void counts_become_rows_by_source(void **state)
{
    bench *b = *state;
    int64_t one = add_source(b, 0, "input", "a");
    int64_t two = add_source(b, one, "snapshot", NULL);
    ts_tally *messages;
    ts_tally *again;
    ts_tally *plugin;
    ts_tally *other;
    assert_ok(b->ctx, ts_count(&messages, b->store, two, TS_ITEM_messages, NULL));
    assert_ok(b->ctx, ts_count(&plugin, b->store, one, TS_ITEM_plugin_segments, "ftrace-plugin"));
    assert_ok(b->ctx, ts_count(&other, b->store, one, TS_ITEM_plugin_segments, "cpu\xff"));
    assert_ok(b->ctx, ts_count(&again, b->store, two, TS_ITEM_messages, NULL));
    assert_ptr_equal(messages, again);
    messages->has_declared = true;
    messages->declared = 5;
    messages->seen = 4;
    messages->imported = 3;
    messages->lost = 1;
    plugin->seen = plugin->skipped = 2;
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, import_count), 3);
    assert_mem_row(b->mem, import_count, 0, "1|plugin_segments:ftrace-plugin|NULL|2|0|0|2");
    assert_mem_row(b->mem, import_count, 1, "1|plugin_segments:cpu\xef\xbf\xbd|NULL|0|0|0|0");
    assert_mem_row(b->mem, import_count, 2, "2|messages|5|4|3|1|0");
}

/* --- losses: counted exactly when recorded -------------------------------------------------- */

/* Adds a tally of n seen items to a source, of which `lost` were lost. */
static ts_tally *add_tally(bench *b, int64_t source, ts_item item, uint64_t n, uint64_t lost)
{
    ts_tally *t;
    assert_ok(b->ctx, ts_count(&t, b->store, source, item, NULL));
    t->seen = n;
    t->imported = n - lost;
    t->lost = lost;
    return t;
}

static void items_lost_without_an_issue_get_one(void **state)
{
    bench *b = *state;
    int64_t one = add_source(b, 0, "input", "a");
    int64_t inner = add_source(b, one, "pod", NULL);
    int64_t two = add_source(b, 0, "input", "b");
    add_tally(b, inner, TS_ITEM_messages, 4, 1);
    add_tally(b, two, TS_ITEM_messages, 4, 0);
    assert_ok(b->ctx, ts_issue(b->store, one, TS_ISSUE_empty_mark, NULL, 0, "a warning only"));
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 2);
    assert_mem_row(b->mem, import_issue, 1,
                   "2|data_loss|items_lost|NULL|NULL|1|messages: 1 of 4 were lost");
    assert_int_equal(ts_issue_total(b->store, TS_DATA_LOSS), 1);
    assert_int_equal(MEM_ROWS(b->mem, import_count), 2);
}

static void losses_of_an_input_may_stand_at_its_recordings(void **state)
{
    bench *b = *state;
    int64_t one = add_source(b, 0, "input", "a");
    int64_t inner = add_source(b, one, "pod", NULL);
    add_tally(b, one, TS_ITEM_messages, 4, 1);
    assert_ok(b->ctx, ts_issue(b->store, inner, TS_ISSUE_message_lost, NULL, 0, "lost"));
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 1);
    assert_int_equal(MEM_ROWS(b->mem, import_count), 1);
}

static void numbers_that_differ_from_the_declared_ones_are_a_loss(void **state)
{
    bench *b = *state;
    int64_t one = add_source(b, 0, "input", "a");
    ts_tally *t = add_tally(b, one, TS_ITEM_messages, 4, 0);
    t->has_declared = true;
    t->declared = 5;
    finish(b);
    assert_mem_row(b->mem, import_issue, 0,
                   "1|data_loss|items_lost|NULL|NULL|1|messages: 4 were seen, but 5 declared");
    assert_mem_row(b->mem, import_count, 1, "1|missing_parts|NULL|1|0|1|0");
}

static void losses_that_nothing_counts_are_counted(void **state)
{
    bench *b = *state;
    int64_t one = add_source(b, 0, "input", "a");
    int64_t inner = add_source(b, one, "pod", NULL);
    int64_t two = add_source(b, 0, "input", "b");
    add_tally(b, two, TS_ITEM_messages, 4, 1);
    assert_ok(b->ctx, ts_issue_n(b->store, inner, TS_ISSUE_message_lost, NULL, 0, 7, "lost"));
    assert_ok(b->ctx, ts_issue(b->store, two, TS_ISSUE_message_lost, NULL, 0, "lost"));
    assert_ok(b->ctx, ts_issue(b->store, 0, TS_ISSUE_input_failed, NULL, TS_NO_OFFSET, "failed"));
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 3);
    assert_int_equal(MEM_ROWS(b->mem, import_count), 3);
    assert_mem_row(b->mem, import_count, 0, "NULL|missing_parts|NULL|1|0|1|0");
    assert_mem_row(b->mem, import_count, 1, "1|missing_parts|NULL|7|0|7|0");
    assert_mem_row(b->mem, import_count, 2, "3|messages|NULL|4|3|1|0");
}

static void items_that_vanish_are_an_error(void **state)
{
    bench *b = *state;
    int64_t id = add_source(b, 0, "input", "a");
    ts_tally *t;
    assert_ok(b->ctx, ts_count(&t, b->store, id, TS_ITEM_extra_fields, "native_size"));
    t->seen = 10;
    t->imported = 8;
    t->skipped = 1;
    assert_ok(b->ctx, ts_count(&t, b->store, id, TS_ITEM_edges, NULL));
    t->imported = 1;
    t->lost = UINT64_MAX; /* a sum that wraps to `seen` is no conservation */
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 3);
    /* Without a source, because rows of several would be added up. */
    assert_mem_row(b->mem, import_issue, 0,
                   "NULL|error|conservation|NULL|NULL|1|edges: imported 1, but js_heap_edges has 0 "
                   "rows");
    assert_mem_row(b->mem, import_issue, 1,
                   "1|error|conservation|NULL|NULL|1|extra_fields:native_size: seen 10, imported "
                   "8, lost 0, skipped 1");
    assert_int_equal(ts_issue_total(b->store, TS_ERROR), 3);
}

/* Samples of CPU profiles and stack records are rows of one table: only their sum says something.
 */
static void kinds_of_one_table_are_added_up(void **state)
{
    bench *b = *state;
    int64_t one = add_source(b, 0, "input", "a");
    assert_int_equal(ts_item_list[TS_ITEM_cpu_samples].table, TS_T_stack_sample);
    assert_int_equal(ts_item_list[TS_ITEM_stack_records].table, TS_T_stack_sample);
    assert_int_equal(ts_item_list[TS_ITEM_messages].table, TS_TABLE_COUNT);
    add_tally(b, one, TS_ITEM_stack_records, 3, 0);
    add_tally(b, one, TS_ITEM_cpu_samples, 2, 0);
    add_tally(b, one, TS_ITEM_messages, 9, 0);
    for (int64_t i = 1; i <= 4; i++) {
        ts_row_stack_sample row = {.id = i, .source_id = one};
        assert_ok(b->ctx, ts_put_stack_sample(memsink_sink(b->mem), &row));
    }
    finish(b);
    assert_int_equal(MEM_ROWS(b->mem, import_issue), 1);
    assert_mem_row(b->mem, import_issue, 0,
                   "NULL|error|conservation|NULL|NULL|1|cpu_samples: imported 5, but stack_sample "
                   "has 4 rows");
}

typedef struct visits {
    int n;
    char text[200];
} visits;

static void visit(void *user, int64_t source_id, ts_item item, const char *detail,
                  const ts_tally *tally)
{
    visits *v = user;
    size_t at = strlen(v->text);
    v->n++;
    snprintf(v->text + at, sizeof v->text - at, "%d %s %s %d;", (int)source_id,
             ts_item_list[item].name, detail == NULL ? "-" : detail, (int)tally->seen);
}

static void tallies_are_visited_as_they_were_made(void **state)
{
    bench *b = *state;
    int64_t one = add_source(b, 0, "input", "a");
    int64_t two = add_source(b, 0, "input", "b");
    visits v = {0, ""};
    ts_tally *t;
    assert_ok(b->ctx, ts_count(&t, b->store, two, TS_ITEM_bytes, NULL));
    t->seen = 9;
    assert_ok(b->ctx, ts_count(&t, b->store, one, TS_ITEM_plugin_bytes, "p"));
    ts_count_visit(b->store, visit, &v);
    assert_int_equal(v.n, 2);
    assert_string_equal(v.text, "2 bytes - 9;1 plugin_bytes p 0;");
}

static void many_tallies_are_found_again(void **state)
{
    bench *b = *state;
    int64_t id = add_source(b, 0, "input", "a");
    ts_tally *tallies[2000];
    char name[32];
    for (int i = 0; i < 2000; i++) {
        snprintf(name, sizeof name, "plugin-%d", i);
        assert_ok(b->ctx, ts_count(&tallies[i], b->store, id, TS_ITEM_plugin_segments, name));
        tallies[i]->seen = (uint64_t)i;
    }
    for (int i = 0; i < 2000; i++) {
        ts_tally *t;
        snprintf(name, sizeof name, "plugin-%d", i);
        assert_ok(b->ctx, ts_count(&t, b->store, id, TS_ITEM_plugin_segments, name));
        assert_ptr_equal(t, tallies[i]);
        assert_int_equal(t->seen, i);
    }
}

/* --- failing ------------------------------------------------------------------------------- */

/* Everything that allocates or writes, once. */
static ts_code small_import(ts_ctx *ctx, ts_sink *sink)
{
    static const ts_method method = {.name = {"f", 1}, .file = {"f.js", 4}};
    ts_store *store = NULL;
    ts_clock_set clocks = {.at = {0, 5, 6, 0, 0, 0, 0, 0}};
    int64_t id;
    int64_t other;
    bool added;
    ts_tally *t;
    ts_code code = ts_store_new(&store, ctx, sink, NULL);
    if (code != TS_OK) {
        return code;
    }
    if ((code = ts_source_add(&id, store, 0, "input", "a\xff", "htrace")) != TS_OK ||
        (code = ts_source_property(store, id, "k", TS_TEXT_LIT("v"))) != TS_OK ||
        (code = ts_count(&t, store, id, TS_ITEM_nodes, "d")) != TS_OK ||
        (code = ts_process(&other, store, id, 7)) != TS_OK ||
        (code = ts_thread(&other, store, id, 8, other, "os")) != TS_OK ||
        (code = ts_thread_name(store, other, TS_TEXT_LIT("main"))) != TS_OK ||
        (code = ts_dict(&other, store, TS_TEXT_LIT("word"))) != TS_OK ||
        (code = ts_clock_snapshot(store, &clocks)) != TS_OK ||
        (code = ts_datasource_clock(store, "other", TS_CLOCK_REALTIME)) != TS_OK ||
        (code = ts_meta_source(store, "a", "b")) != TS_OK ||
        (code = ts_stack_method(&other, store, id, &method)) != TS_OK ||
        (code = ts_stack_node(&other, &added, store, id, 0, other, 3, 0, NULL)) != TS_OK) {
        goto out;
    }
    t->seen = 1;
    for (int i = 0; i < 7 && code == TS_OK; i++) {
        code = ts_issue(store, id, TS_ISSUE_heap_bad_json, "s", i, "%d", i);
    }
    if (code == TS_OK) {
        code = ts_store_finish(store);
    }
out:
    ts_store_free(store);
    return code;
}

static void every_row_that_cannot_be_written_is_an_error(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    memsink *m = memsink_new(ctx);
    uint64_t calls;
    (void)state;
    assert_ok(ctx, small_import(ctx, memsink_sink(m)));
    calls = memsink_calls(m);
    assert_true(calls > 500);
    for (uint64_t i = 1; i <= calls; i++) {
        memsink_clear(m);
        memsink_fail_at(m, i);
        assert_int_equal(small_import(ctx, memsink_sink(m)), TS_ERR_OUTPUT);
        assert_int_equal(ctx->memory_used, 0);
    }
    memsink_free(m);
    test_ctx_free(ctx);
}

static void every_allocation_that_fails_is_an_error(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    test_failing f = {0};
    uint64_t calls;
    (void)state;
    ctx->allocator = test_failing_allocator(&f);
    for (calls = 1;; calls++) {
        memsink *m = memsink_new(ctx);
        ts_code code;
        f = (test_failing){.fail_at = calls};
        code = small_import(ctx, memsink_sink(m));
        memsink_free(m);
        assert_int_equal(ctx->memory_used, 0);
        if (f.calls < f.fail_at) {
            assert_int_equal(code, TS_OK);
            break;
        }
        assert_int_equal(code, TS_ERR_NOMEM);
    }
    assert_true(calls > 20);
    test_ctx_free(ctx);
}

static void finishing_twice_is_refused(void **state)
{
    bench *b = *state;
    finish(b);
    assert_int_equal(ts_store_finish(b->store), TS_ERR_INTERNAL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(sources_are_written_in_id_order, setup, teardown),
        cmocka_unit_test_setup_teardown(rows_of_sources_never_move, setup, teardown),
        cmocka_unit_test_setup_teardown(root_is_the_topmost_ancestor, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_parent_is_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(texts_of_rows_are_utf8, setup, teardown),
        cmocka_unit_test_setup_teardown(loss_makes_a_source_and_its_parents_incomplete, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(first_five_issues_are_single_rows, setup, teardown),
        cmocka_unit_test_setup_teardown(exactly_five_issues_have_no_rest, setup, teardown),
        cmocka_unit_test_setup_teardown(issues_stand_by_source_then_as_they_came, setup, teardown),
        cmocka_unit_test_setup_teardown(groups_of_issues_count_their_number, setup, teardown),
        cmocka_unit_test_setup_teardown(long_messages_are_cut_at_a_character, setup, teardown),
        cmocka_unit_test_setup_teardown(unknown_source_is_refused, setup, teardown),
        cmocka_unit_test(every_code_and_item_is_documented),
        cmocka_unit_test_setup_teardown(counts_become_rows_by_source, setup, teardown),
        cmocka_unit_test_setup_teardown(items_lost_without_an_issue_get_one, setup, teardown),
        cmocka_unit_test_setup_teardown(losses_of_an_input_may_stand_at_its_recordings, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(numbers_that_differ_from_the_declared_ones_are_a_loss,
                                        setup, teardown),
        cmocka_unit_test_setup_teardown(losses_that_nothing_counts_are_counted, setup, teardown),
        cmocka_unit_test_setup_teardown(items_that_vanish_are_an_error, setup, teardown),
        cmocka_unit_test_setup_teardown(kinds_of_one_table_are_added_up, setup, teardown),
        cmocka_unit_test_setup_teardown(tallies_are_visited_as_they_were_made, setup, teardown),
        cmocka_unit_test_setup_teardown(many_tallies_are_found_again, setup, teardown),
        cmocka_unit_test(every_row_that_cannot_be_written_is_an_error),
        cmocka_unit_test(every_allocation_that_fails_is_an_error),
        cmocka_unit_test_setup_teardown(finishing_twice_is_refused, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
