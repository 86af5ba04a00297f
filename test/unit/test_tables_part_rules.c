/* What rows belong to and refer to is declared for every table, and for every column that looks
 * like a reference. */
#include "tables/part_rules.h"

#include "support.h"

static const ts_column *column_of(enum ts_table_id table, const char *name)
{
    const ts_column *found = NULL;
    for (unsigned i = 0; i < ts_schema[table].column_count && found == NULL; i++) {
        found = strcmp(ts_schema[table].columns[i].name, name) == 0 ? &ts_schema[table].columns[i]
                                                                    : NULL;
    }
    return found;
}

static bool refers(enum ts_table_id table, const char *column)
{
    ts_reference r;
    bool found = false;
    for (unsigned at = 0; !found && ts_reference_next(&r, &at);) {
        found = r.table == table && strcmp(r.what, column) == 0;
    }
    return found;
}

static bool is_referred_to(enum ts_table_id table)
{
    ts_reference r;
    bool found = false;
    for (unsigned at = 0; !found && ts_reference_next(&r, &at);) {
        found = r.to == table && r.table != table && !r.place;
    }
    return found;
}

/* A table without a rule would be empty in every part, unless something refers to its rows. */
static void test_tables_have_a_rule(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        const enum ts_table_id id = (enum ts_table_id)i;
        if (ts_part_rule_of(id) == NULL && !is_referred_to(id)) {
            fail_msg("%s has neither of TS_TIMED, TS_WITH, TS_ALWAYS and TS_NEVER, and nothing "
                     "refers to it",
                     ts_schema[i].name);
        }
    }
}

/* A table whose rows have a time is not cut by what refers to it alone. */
static void test_times_are_looked_at(void **state)
{
    (void)state;
    /* Times of things, not of what happened. */
    static const char things[] = " process thread clock_snapshot source trace_range flare_thread "
                                 "tptp_class cloud_block js_cpu_profile profile "
                                 "profile_attachment jfr_chunk tptp_node tptp_process tptp_agent "
                                 "tptp_trace timeseries gpu_slice js_heap_constructor stack_total "
                                 "flare_stack cloud_tag tptp_invocation thread_detail ";
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        const ts_part_rule *rule = ts_part_rule_of((enum ts_table_id)i);
        char word[64];
        bool timed = false;
        for (unsigned c = 0; c < ts_schema[i].column_count; c++) {
            timed = timed || strcmp(ts_schema[i].columns[c].unit, "ns") == 0;
        }
        (void)snprintf(word, sizeof word, " %s ", ts_schema[i].name);
        if (timed && (rule == NULL || rule->kind != TS_PART_TIMED) &&
            strstr(things, word) == NULL) {
            fail_msg("%s has times and no TS_TIMED", ts_schema[i].name);
        }
    }
}

/* Columns that only look like a reference: numbers that the recording or its system uses, keys of
 * the tables themselves, and texts. */
static const char *const plain[] = {
    "perf_files.file_id",
    "clock_snapshot.clock_id",
    "ebpf_callstack.callchain_id",
    "native_hook_frame.callchain_id",
    "js_heap_location.script_id",
    "js_heap_trace_function_info.function_id",
    "js_heap_trace_function_info.script_id",
    "js_cpu_profiler_node.function_id",
    "js_cpu_profiler_node.script_id",
    "perf_sample.cpu_id",
    "perf_callchain.callchain_id",
    "perf_thread.thread_id",
    "perf_thread.process_id",
    "perf_files.serial_id",
    "perf_napi_async.cpu_id",
    "perf_napi_async.process_id",
    "task_pool.task_id",
    "memory_ashmem.ashmem_id",
    "memory_window_gpu.window_id",
    "hisys_all_event.event_id",
    "xpower_component_top.camera_id",
    "irq.callid",
    "irq.parent_id",
    "live_process.process_id",
    "live_process.parent_process_id",
    "stack_method.raw_id",
    "stack_node.raw_id",
    "lock_wait.object_id",
    "cloud_dictionary.word_id",
    "cloud_tag.word_id",
    "cloud_call_param.word_id",
    "tptp_node.node_id",
    "tptp_process.process_id",
    "tptp_agent.agent_id",
    "tptp_trace.trace_id",
    "tptp_thread.thread_id",
    "tptp_thread.object_id",
    "tptp_class.class_id",
    "tptp_class.object_id",
    "tptp_invocation.object_id",
    "tptp_allocation.object_id",
    "tptp_free.object_id",
    "tptp_heap_dump.dump_id",
    "tptp_gc_root.object_id",
    "tptp_reference.from_object_id",
    "tptp_reference.to_object_id",
    "tptp_event.ref",
    "heap_profile_node.script_id",
    "js_heap_constructor.script_id",
    "js_heap_comparison.script_id",
    "chrome_event.event_id",
    "chrome_counter.event_id",
    "chrome_profile_node.script_id",
    "chrome_trace_id.trace_id",
    "profile.profile_id",
    "profile.runtime_id",
};

static bool is_plain(const ts_table *table, const char *column)
{
    char name[128];
    bool found = false;
    (void)snprintf(name, sizeof name, "%s.%s", table->name, column);
    for (size_t i = 0; i < sizeof plain / sizeof plain[0] && !found; i++) {
        found = strcmp(plain[i], name) == 0;
    }
    return found;
}

static bool ends(const char *name, const char *end)
{
    return ts_text_ends(ts_text_of(name), end);
}

static bool looks_like(const ts_column *c)
{
    return c->type != TS_COL_KEY &&
           (ends(c->name, "_id") || ends(c->name, "itid") || ends(c->name, "ipid") ||
            ends(c->name, "_row") || ends(c->name, "_rowid") || ends(c->name, "parent") ||
            ends(c->name, "setid") || ends(c->name, "callchainid") || strcmp(c->name, "ref") == 0 ||
            strcmp(c->name, "callid") == 0 || strstr(c->unit, "id of ") != NULL ||
            strstr(c->unit, "ids of ") != NULL || strstr(c->unit, "rowid of ") != NULL);
}

static void test_references_are_declared(void **state)
{
    (void)state;
    unsigned missing = 0;
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        for (unsigned c = 0; c < ts_schema[i].column_count; c++) {
            const ts_column *column = &ts_schema[i].columns[c];
            if (looks_like(column) && !refers((enum ts_table_id)i, column->name) &&
                !is_plain(&ts_schema[i], column->name)) {
                print_error("%s.%s: its unit is \"%s\", and there is no TS_REFERS\n",
                            ts_schema[i].name, column->name, column->unit);
                missing++;
            }
        }
    }
    assert_int_equal(missing, 0);
}

static void test_rules_name_columns(void **state)
{
    (void)state;
    for (unsigned i = 0; i < ts_part_rule_count; i++) {
        const ts_part_rule *rule = &ts_part_rules[i];
        if (rule->kind == TS_PART_WITH &&
            (column_of(rule->table, rule->begin) == NULL || !refers(rule->table, rule->begin))) {
            fail_msg("TS_WITH(%s, %s): no such reference", ts_schema[rule->table].name,
                     rule->begin);
        }
    }
}

static ts_reference found(enum ts_table_id table, const char *what, unsigned which)
{
    ts_reference r = {.when = ""};
    for (unsigned at = 0; ts_reference_next(&r, &at);) {
        if (r.table == table && strcmp(r.what, what) == 0 && which-- == 0) {
            return r;
        }
    }
    fail_msg("%s.%s is no reference", ts_schema[table].name, what);
    return r;
}

static void test_units_are_read(void **state)
{
    (void)state;
    ts_reference r = found(TS_T_thread, "ipid", 0);
    assert_true(r.to == TS_T_process && ts_text_is(r.key, "id") && !r.list && !r.place);
    r = found(TS_T_frame_slice, "src", 0);
    assert_true(r.to == TS_T_frame_slice && ts_text_is(r.key, "id") && r.list);
    r = found(TS_T_native_hook, "callchain_id", 0);
    assert_true(r.to == TS_T_native_hook_frame && ts_text_is(r.key, "callchain_id"));
    r = found(TS_T_js_heap_file_detail, "first_node_rowid", 0);
    assert_true(r.to == TS_T_js_heap_nodes && ts_text_is(r.key, "rowid") && r.place);
    r = found(TS_T_js_cpu_profile, "id_offset", 0);
    assert_true(r.to == TS_T_js_cpu_profiler_node && ts_text_is(r.key, "function_id") && r.place);
    r = found(TS_T_js_cpu_profiler_node, "children", 0);
    assert_true(ts_text_is(r.key, "function_id") && r.list && r.place);
    r = found(TS_T_args, "value", 0);
    assert_true(r.to == TS_T_data_dict && strcmp(r.when, "datatype = 1") == 0);
    r = found(TS_T_args, "value", 1);
    assert_true(r.to == TS_T_callstack);
    /* An asynchronous call has a thread there. */
    r = found(TS_T_callstack, "parent_id", 0);
    assert_true(r.to == TS_T_callstack && strcmp(r.when, "cookie IS NULL") == 0);
    r = found(TS_T_callstack, "parent_id", 1);
    assert_true(r.to == TS_T_thread);
    /* The key of perf_files is made of two columns, which say nothing alone. */
    r = found(TS_T_perf_callchain, "file_id", 0);
    assert_true(r.to == TS_T_perf_files && r.place);
    r = found(TS_T_perf_callchain, "file_id * 4294967296", 0);
    assert_true(ts_text_is(r.key, "file_id * 4294967296 + serial_id") && !r.place);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables_have_a_rule),      cmocka_unit_test(test_times_are_looked_at),
        cmocka_unit_test(test_references_are_declared), cmocka_unit_test(test_rules_name_columns),
        cmocka_unit_test(test_units_are_read),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
