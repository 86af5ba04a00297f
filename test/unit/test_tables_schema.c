/* The declaration of the tables and the texts made from it. */
#include "support.h"

#include "tables/rows.h"
#include "tables/event_classes.h"
#include "tables/schema_sql.h"
#include "tables/schema_text.h"
#include "tables/store.h"

/* Names, columns and order that the viewer and existing scripts rely on: i INTEGER, t TEXT, r REAL.
 */
static const char *const compatible[] = {
    "process:id/i ipid/i pid/i name/t start_ts/i switch_count/i thread_count/i slice_count/i "
    "mem_count/i",
    "thread:id/i itid/i tid/i name/t start_ts/i end_ts/i ipid/i is_main_thread/i switch_count/i",
    "trace_range:start_ts/i end_ts/i",
    "data_type:id/i typeId/i desc/t",
    "symbols:id/i funcname/t addr/i",
    "stat:event_name/t stat_type/t count/i serverity/t source/t",
    "args:id/i key/i datatype/i value/i argset/i",
    "meta:name/t value/t",
    "trace_config:id/i trace_source/t key/t value/t",
    "data_dict:id/i data/t",
    "datasource_clockid:id/i data_source_name/t clock_id/i",
    "clock_snapshot:id/i clock_id/i ts/i clock_name/t",
    "ebpf_callstack:id/i callchain_id/i depth/i ip/t symbols_id/i file_path_id/i",
    "bio_latency_sample:id/i callchain_id/i type/i ipid/i itid/i start_ts/i end_ts/i latency_dur/i "
    "tier/i size/i block_number/t path_id/t dur_per_4k/i",
    "file_system_sample:id/i callchain_id/i type/i ipid/i itid/i start_ts/i end_ts/i dur/i "
    "return_value/t error_code/t fd/i file_id/i size/i first_argument/t second_argument/t "
    "third_argument/t fourth_argument/t",
    "paged_memory_sample:id/i callchain_id/i type/i ipid/i start_ts/i end_ts/i dur/i size/i addr/t "
    "itid/i",
    "native_hook:id/i callchain_id/i ipid/i itid/i event_type/t sub_type_id/i start_ts/i end_ts/i "
    "dur/i addr/i heap_size/i all_heap_size/i current_size_dur/i last_lib_id/i last_symbol_id/i",
    "native_hook_frame:id/i callchain_id/i depth/i ip/i symbol_id/i file_id/i offset/i "
    "symbol_offset/i vaddr/t",
    "native_hook_statistic:id/i callchain_id/i ipid/i ts/i type/i sub_type_id/i apply_count/i "
    "release_count/i apply_size/i release_size/i last_lib_id/i last_symbol_id/i",
    "js_heap_files:id/i file_name/t start_time/i end_time/i self_size/i",
    "js_heap_edges:file_id/i edge_index/i type/i name_or_index/i to_node/i from_node_id/i "
    "to_node_id/i",
    "js_heap_info:file_id/i key/t type/i int_value/i str_value/t",
    "js_heap_location:file_id/i object_index/i script_id/i line/i column/i",
    "js_heap_nodes:file_id/i node_index/i type/i name/i id/i self_size/i edge_count/i "
    "trace_node_id/i detachedness/i native_size/i",
    "js_heap_sample:file_id/i timestamp_us/i last_assigned_id/i",
    "js_heap_string:file_id/i file_index/i string/t",
    "js_heap_trace_function_info:file_id/i function_index/i function_id/i name/i script_name/i "
    "script_id/i line/i column/i",
    "js_heap_trace_node:file_id/i id/i function_info_index/i count/i size/i parent_id/i",
    "js_cpu_profiler_node:function_id/i function_index/i script_id/t url_index/i line_number/i "
    "column_number/i hit_count/i children/t parent_id/i",
    "js_cpu_profiler_sample:id/i function_id/i start_time/i end_time/i dur/i",
    "js_config:pid/i type/i interval/i capture_numeric_value/i trace_allocation/i "
    "enable_cpu_profiler/i cpu_profiler_interval/i",
    "perf_report:id/i report_type/t report_value/t",
    "perf_sample:id/i callchain_id/i timeStamp/i thread_id/i event_count/i event_type_id/i "
    "timestamp_trace/i cpu_id/i thread_state/t",
    "perf_callchain:id/i callchain_id/i depth/i ip/i vaddr_in_file/i offset_to_vaddr/i file_id/i "
    "symbol_id/i name/i source_file_id/i line_number/i",
    "perf_thread:id/i thread_id/i process_id/i thread_name/t",
    "perf_files:id/i file_id/i serial_id/i symbol/t path/t",
    "perf_napi_async:id/i ts/i traceid/t cpu_id/i thread_id/i process_id/i caller_callchainid/i "
    "callee_callchainid/i perf_sample_id/i event_count/i event_type_id/i",
    "measure:type/t ts/i dur/i value/i filter_id/i",
    "sys_mem_measure:type/t ts/i dur/i value/i filter_id/i",
    "process_measure:type/t ts/i dur/i value/i filter_id/i",
    "xpower_measure:type/t ts/i dur/i value/i filter_id/i",
    "cpu_measure_filter:id/i name/t cpu/i",
    "measure_filter:id/i type/t name/t source_arg_set_id/i",
    "process_measure_filter:id/i name/t ipid/i",
    "clock_event_filter:id/i type/t name/t cpu/i",
    "clk_event_filter:id/i type/t name/t cpu/i",
    "task_pool:id/i allocation_task_row/i execute_task_row/i return_task_row/i allocation_itid/i "
    "execute_itid/i return_itid/i task_id/i priority/i execute_state/i return_state/i "
    "timeout_row/i",
    "app_startup:id/i call_id/i ipid/i tid/i start_time/i end_time/i start_name/i packed_name/t",
    "static_initalize:id/i ipid/i tid/i call_id/i start_time/i end_time/i so_name/t depth/i",
    "animation:id/i input_time/i start_point/i end_point/i frame_info/t name/t",
    "dynamic_frame:id/i x/i y/i width/i height/i alpha/t name/t end_time/i",
    "device_info:physical_width/i physical_height/i physical_frame_rate/i",
    "frame_slice:id/i ts/i vsync/i ipid/i itid/i callstack_id/i dur/i src/t dst/i type/i "
    "type_desc/t flag/i depth/i frame_no/i",
    "frame_maps:id/i src_row/i dst_row/i",
    "gpu_slice:id/i frame_row/i dur/i",
    "smaps:id/i timeStamp/i start_addr/t end_addr/t dirty/i swapper/i resident_size/i pss/i "
    "virtaul_size/i reside/r protection_id/i path_id/i shared_clean/i shared_dirty/i "
    "private_clean/i private_dirty/i swap/i swap_pss/i type/i",
    "memory_ashmem:id/i ts/i ipid/i adj/i fd/i ashmem_name_id/i size/i pss/i ashmem_id/i time/i "
    "ref_count/i purged/i flag/i",
    "memory_dma:id/i ts/i ipid/i fd/i size/i ino/i exp_pid/i exp_task_comm_id/i buf_name_id/i "
    "exp_name_id/i flag/i",
    "memory_process_gpu:id/i ts/i gpu_name_id/i all_gpu_size/i addr/t ipid/i itid/i "
    "used_gpu_size/i",
    "memory_window_gpu:id/i ts/i window_name_id/i window_id/i module_name_id/i category_name_id/i "
    "size/i count/i purgeable_size/i ipid/i",
    "memory_cpu:id/i ts/i total_size/i",
    "memory_profile:id/i ts/i channel_id/i total_size/i",
    "memory_rs_image:id/i ipid/i ts/i mem_size/i type_id/i surface_name_id/i",
    "app_name:id/i app_name/i app_key/i",
    "hisys_event_measure:id/i serial/i ts/i name_id/i key_id/i type/i int_value/r string_value/t",
    "device_state:id/i brightness/i bt_state/i location/i wifi/i stream_default/i voice_call/i "
    "music/i stream_ring/i media/i voice_assistant/i system/i alarm/i notification/i bt_sco/i "
    "enforced_audible/i stream_dtmf/i stream_tts/i accessibility/i recording/i stream_all/i",
    "hisys_all_event:id/i domain_id/i event_name_id/i ts/i type/i time_zone/t pid/i tid/i uid/i "
    "level/t tag/t event_id/t seq/i info/t contents/t",
    "xpower_app_detail_display:id/i start_time/i count_1hz/i count_5hz/i count_10hz/i count_15hz/i "
    "count_24hz/i count_30hz/i count_45hz/i count_60hz/i count_90hz/i count_120hz/i count_180hz/i",
    "xpower_app_statistic:id/i component_type_id/i start_time/i duration/i energy/i",
    "xpower_app_detail_cpu:id/i thread_name_id/i start_time/i thread_time/i thread_loads/i "
    "thread_energy/i",
    "xpower_app_detail_gpu:id/i frequency/i start_time/i idle_time/i run_time/i",
    "xpower_app_detail_wifi:id/i start_time/i tx_packets/i rx_packets/i tx_bytes/i rx_bytes/i",
    "xpower_component_top:id/i component_type_id/i start_time/i appname/i background_duration/i "
    "background_energy/i foreground_duration/i foreground_energy/i screen_off_duration/i "
    "screen_off_energy/i screen_on_duration/i screen_on_energy/i camera_id/i uid/i load/i "
    "app_usage_duration/i app_usage_energy/i",
    "raw:id/i ts/i name/t cpu/i itid/i",
    "instant:ts/i name/t ref/i wakeup_from/i ref_type/t value/r",
    "sched_slice:id/i ts/i dur/i ts_end/i cpu/i itid/i ipid/i end_state/t priority/i arg_setid/i "
    "prev_itid/i prev_state/t",
    "thread_state:id/i ts/i dur/i cpu/i itid/i tid/i pid/i state/t arg_setid/i",
    "callstack:id/i ts/i dur/i callid/i cat/t name/t depth/i cookie/i parent_id/i "
    "argsetid/i chainId/t spanId/t parentSpanId/t flag/t trace_level/t trace_tag/t "
    "custom_category/t custom_args/t child_callid/i "
    "colorIndex/i",
    "irq:id/i ts/i dur/i callid/i cat/t name/t depth/i cookie/i parent_id/i argsetid/i flag/t",
    "hidump:id/i ts/i fps/i",
    "syscall:syscall_number/i ts/i dur/i itid/i args/t ret/i",
    "log:seq/i ts/i pid/i tid/i level/t tag/t context/t origints/i",
    "network:ts/i dur/i tx/i rx/i tx_speed/r rx_speed/r packet_in/i packet_in_sec/r packet_out/i "
    "packet_out_sec/r net_type/t",
    "sys_event_filter:id/i type/t name/t",
    "diskio:ts/i dur/i rd/i wr/i rd_speed/r wr_speed/r rd_count/i wr_count/i rd_count_speed/r "
    "wr_count_speed/r",
    "cpu_usage:ts/i dur/i total_load/r user_load/r system_load/r process_num/i",
    "live_process:ts/i dur/i cpu_time/i process_id/i process_name/t parent_process_id/i uid/i "
    "user_name/t cpu_usage/r pss_info/i thread_num/i disk_writes/i disk_reads/i",
    "dma_fence:id/i ts/i dur/i cat/t driver/t timeline/t context/i seqno/i",
    "timerfd_wakeup:id/i ts/i pid/i tid/i thread_name/i interval/i curr_mono/t expire_mono/i",
};

/* The same for this project's tables; k is the key. */
static const char *const own[] = {
    "source:id/k parent_id/i kind/t path/t format/t format_version/t name/t pid/i host/t clock/t "
    "start_ts/i end_ts/i bytes/i complete/i",
    "source_property:source_id/i key/t value/t",
    "import_issue:source_id/i severity/t code/t stream/t offset/i count/i message/t",
    "import_count:source_id/i item/t declared/i seen/i imported/i lost/i skipped/i",
    "schema_doc:table_name/t column_name/t type/t unit/t description/t",
    "process_detail:ipid/i source_id/i host/t command_line/t runtime/t pid_known/i",
    "thread_detail:itid/i source_id/i tid_kind/t group_name/t priority/i daemon/i state/t",
    "stack_method:id/k source_id/i raw_id/i name/t class/t package/t signature/t file/t line/i "
    "library/t modifiers/t",
    "stack_node:id/k source_id/i parent_id/i method_id/i line/i depth/i raw_id/i",
    "stack_sample:id/k source_id/i itid/i ts/i dur/i node_id/i event/t",
    "event_class:format/t event/t state/t class/t reason/t",
    "stack_value_type:id/k source_id/i name/t unit/t",
    "stack_sample_value:sample_id/i value_type_id/i value/i",
    "stack_sample_label:sample_id/i key/t value/t",
    "stack_slice:id/k source_id/i itid/i parent_id/i node_id/i ts/i dur/i self_dur/i cpu_dur/i "
    "depth/i state/i",
    "runtime_pause:id/k source_id/i kind/t itid/i ts/i dur/i bytes_before/i bytes_after/i "
    "bytes_total/i objects_before/i objects_after/i state/i name/t cause/t",
    "lock_wait:id/k source_id/i kind/t itid/i object_id/i class/t owner_itid/i timeout/i ts/i "
    "dur/i node_id/i slice_id/i state/i",
    "timeseries:id/k source_id/i itid/i name/t unit/t interval/i",
    "timeseries_value:series_id/i ts/i value/r",
};

static void describe(char *out, size_t room, const ts_table *table)
{
    static const char letters[] = {
        [TS_COL_INT] = 'i', [TS_COL_REAL] = 'r', [TS_COL_TEXT] = 't', [TS_COL_KEY] = 'k'};
    size_t n = (size_t)snprintf(out, room, "%s:", table->name);
    for (unsigned i = 0; i < table->column_count; i++) {
        n += (size_t)snprintf(out + n, room - n, "%s%s/%c", i == 0 ? "" : " ",
                              table->columns[i].name, letters[table->columns[i].type]);
    }
    assert_true(n < room);
}

static void test_compatible_tables_come_first_in_order(void **state)
{
    (void)state;
    char text[2048];
    size_t n = sizeof compatible / sizeof compatible[0];
    assert_int_equal(n, 89);
    assert_true(TS_TABLE_COUNT > n);
    for (size_t i = 0; i < TS_TABLE_COUNT; i++) {
        assert_int_equal(ts_schema[i].cls, i < n ? TS_CLASS_COMPAT : TS_CLASS_OWN);
        if (i < n) {
            describe(text, sizeof text, &ts_schema[i]);
            assert_string_equal(text, compatible[i]);
        }
    }
}

static void test_own_tables_have_the_designed_columns(void **state)
{
    (void)state;
    char text[2048];
    for (size_t i = 0; i < sizeof own / sizeof own[0]; i++) {
        describe(text, sizeof text, &ts_schema[89 + i]);
        assert_string_equal(text, own[i]);
    }
}

static void test_everything_is_described(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        const ts_table *table = &ts_schema[i];
        assert_true(table->column_count > 0 && table->column_count <= 63);
        assert_true(strncmp(table->doc, "one row", 7) == 0);
        for (unsigned k = 0; k < table->column_count; k++) {
            const ts_column *column = &table->columns[k];
            if (strlen(column->doc) < 4 || strlen(column->doc) > 200) {
                fail_msg("%s.%s: \"%s\"", table->name, column->name, column->doc);
            }
            assert_true(column->type != TS_COL_KEY || k == 0);
            assert_true(column->offset >= sizeof(uint64_t) && column->offset < table->row_size);
        }
        for (unsigned k = 0; k < i; k++) {
            assert_string_not_equal(table->name, ts_schema[k].name);
        }
    }
}

static void test_times_have_a_unit(void **state)
{
    (void)state;
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        for (unsigned k = 0; k < ts_schema[i].column_count; k++) {
            const ts_column *column = &ts_schema[i].columns[k];
            size_t n = strlen(column->name);
            if (strcmp(column->name, "ts") == 0 || strcmp(column->name, "dur") == 0 ||
                (n > 3 && strcmp(column->name + n - 3, "_ts") == 0)) {
                assert_string_equal(column->unit, "ns");
            }
            if (n > 3 && strcmp(column->name + n - 3, "_us") == 0) {
                assert_string_equal(column->unit, "µs");
            }
        }
    }
}

static void test_row_structs_fit_the_columns(void **state)
{
    (void)state;
    const ts_table *stat = &ts_schema[TS_T_stat];
    assert_string_equal(stat->name, "stat");
    assert_int_equal(stat->row_size, sizeof(ts_row_stat));
    assert_int_equal(stat->columns[TS_C_stat__count].offset, offsetof(ts_row_stat, count));
    /* Two tables whose name and column run together to the same word. */
    assert_int_equal(TS_C_measure__filter_id, 4);
    assert_int_equal(TS_C_measure_filter__id, 0);
    ts_row_stat row = {0};
    TS_SET_NULL(stat, &row, count);
    assert_int_equal(row.null, UINT64_C(1) << 2);
}

static void assert_create(ts_ctx *ctx, enum ts_table_id id, const char *expected)
{
    ts_buf b = {0};
    assert_ok(ctx, ts_sql_create(ctx, &b, &ts_schema[id]));
    assert_ok(ctx, ts_buf_putc(ctx, &b, '\0'));
    assert_string_equal(b.p, expected);
    ts_buf_free(ctx, &b);
}

static void test_create_statements(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    assert_create(ctx, TS_T_trace_range,
                  "CREATE TABLE trace_range(start_ts INTEGER, end_ts INTEGER)");
    /* Keywords are quoted. */
    assert_create(ctx, TS_T_data_type,
                  "CREATE TABLE data_type(id INTEGER, typeId INTEGER, \"desc\" TEXT)");
    assert_create(ctx, TS_T_timeseries_value,
                  "CREATE TABLE timeseries_value(series_id INTEGER, ts INTEGER, value REAL)");
    assert_create(ctx, TS_T_stack_value_type,
                  "CREATE TABLE stack_value_type(id INTEGER PRIMARY KEY, source_id INTEGER, name "
                  "TEXT, unit TEXT)");
    test_ctx_free(ctx);
}

static char *listing(ts_ctx *ctx, const char *name, bool *found)
{
    ts_buf b = {0};
    assert_ok(ctx, ts_schema_listing(found, ctx, &b, name));
    char *text = strndup(b.p == NULL ? "" : b.p, b.n);
    assert_non_null(text);
    ts_buf_free(ctx, &b);
    return text;
}

static void test_listing(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    bool found = false;
    char *all = listing(ctx, NULL, &found);
    assert_true(found);
    unsigned lines = 0;
    for (const char *p = all; *p != '\0'; p++) {
        lines += *p == '\n' ? 1 : 0;
    }
    assert_int_equal(lines, TS_TABLE_COUNT + ts_view_count);
    assert_non_null(strstr(all, "args_view"));
    free(all);
    char *one = listing(ctx, "js_heap_edges", &found);
    assert_true(found);
    assert_non_null(strstr(one, "to_node_id"));
    assert_non_null(strstr(one, "; NULL: no such node, or not known which\n"));
    free(one);
    one = listing(ctx, "args_view", &found);
    assert_true(found);
    assert_non_null(strstr(one, "CREATE VIEW args_view"));
    assert_non_null(strstr(one, "\n  keyName                  TEXT    name of the argument; "
                                "NULL: not in data_dict\n"));
    free(one);
    one = listing(ctx, "js_heap_edge", &found);
    assert_false(found);
    assert_string_equal(one, "");
    free(one);
    test_ctx_free(ctx);
}

static void test_markdown_names_everything(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    ts_buf b = {0};
    char line[512];
    assert_ok(ctx, ts_schema_markdown(ctx, &b));
    assert_ok(ctx, ts_buf_putc(ctx, &b, '\0'));
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        snprintf(line, sizeof line, "\n### %s\n\nOne row", ts_schema[i].name);
        assert_non_null(strstr(b.p, line));
    }
    for (unsigned i = 0; i < ts_view_count; i++) {
        snprintf(line, sizeof line, "\n### %s\n\nView. ", ts_views[i].name);
        const char *section = strstr(b.p, line);
        assert_non_null(section);
        const char *end = strstr(section + 1, "\n##");
        for (unsigned k = 0; k < ts_views[i].column_count; k++) {
            snprintf(line, sizeof line, "\n| `%s` | ", ts_views[i].columns[k].name);
            const char *column = strstr(section, line);
            assert_true(column != NULL && (end == NULL || column < end));
        }
    }
    for (unsigned i = 0; i < ts_index_count; i++) {
        snprintf(line, sizeof line, "\n| `%s` | ", ts_indexes[i].name);
        assert_non_null(strstr(b.p, line));
    }
    for (unsigned i = 0; i < TS_ISSUE_COUNT; i++) {
        snprintf(line, sizeof line, "\n| `%s` | %s |", ts_issue_list[i].name,
                 ts_severity_name(ts_issue_list[i].severity));
        assert_non_null(strstr(b.p, line));
    }
    for (unsigned i = 0; i < TS_ITEM_COUNT; i++) {
        snprintf(line, sizeof line, "\n| `%s` | ", ts_item_list[i].name);
        assert_non_null(strstr(b.p, line));
    }
    /* No line ends in a blank, no cell is broken. */
    assert_null(strstr(b.p, " \n"));
    assert_null(strstr(b.p, "||"));
    ts_buf_free(ctx, &b);
    test_ctx_free(ctx);
}

/* What users read first comes first: our tables by topic; the compatible ones are the last. */
static void test_markdown_is_by_topic(void **state)
{
    (void)state;
    ts_ctx *ctx = test_ctx_new();
    ts_buf b = {0};
    assert_ok(ctx, ts_schema_markdown(ctx, &b));
    assert_ok(ctx, ts_buf_putc(ctx, &b, '\0'));
    const char *last = strstr(b.p, "\n## Compatible tables\n");
    assert_non_null(last);
    assert_null(strstr(last + 1, "\n## "));
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        char line[128];
        snprintf(line, sizeof line, "\n### %s\n", ts_schema[i].name);
        const char *section = strstr(b.p, line);
        assert_non_null(section);
        assert_true((section > last) == (ts_schema[i].cls == TS_CLASS_COMPAT));
    }
    const char *heap = strstr(b.p, "\n## Heap snapshots and allocation timelines\n");
    const char *profiles = strstr(b.p, "\n## CPU profiles of JavaScript and ArkTS\n");
    const char *nodes = strstr(b.p, "\n### v_js_node\n");
    assert_true(heap != NULL && nodes > heap && profiles > nodes);
    assert_non_null(
        strstr(b.p, "* [CPU profiles of JavaScript and ArkTS](#cpu-profiles-of-javascript-and-"
                    "arkts): `js_cpu_profile`, `v_js_cpu_sample`\n"));
    assert_true(strstr(b.p, "* [CPU profiles") < heap);
    ts_buf_free(ctx, &b);
    test_ctx_free(ctx);
}

/* Every table has a topic, and every view one that there is. */
static void test_topics_hold_all(void **state)
{
    (void)state;
    assert_int_equal(ts_topics[0].first_table, 0);
    for (unsigned i = 1; i < ts_topic_count; i++) {
        assert_true(ts_topics[i].first_table > ts_topics[i - 1].first_table);
        assert_true(ts_topics[i].first_table < TS_TABLE_COUNT);
    }
    for (unsigned i = 0; i < ts_view_count; i++) {
        unsigned found = 0;
        for (unsigned k = 0; k < ts_topic_count; k++) {
            found += strcmp(ts_views[i].topic, ts_topics[k].name) == 0;
        }
        assert_int_equal(found, 1);
    }
}

/* By the most particular line: of the method the thread was in, of its state, of the event. */
static void test_classes_of_events(void **state)
{
    static const struct {
        const char *format, *event, *state;
        ts_event_class class;
        const char *reason;
    } cases[] = {
        {"jfr", "cpu", "STATE_RUNNABLE", TS_CLASS_cpu, NULL},
        {"jfr", "sleep", "", TS_CLASS_waiting, "sleep"},
        {"jfr", "wall", "STATE_RUNNABLE", TS_CLASS_wall, NULL},
        {"jfr", "wall", "STATE_SLEEPING", TS_CLASS_waiting, "sleep"},
        {"jfr", "wall", "CONTENDED Object.wait", TS_CLASS_waiting, "lock"},
        {"flare", "wall", "TIMED_WAITING Object.wait", TS_CLASS_waiting, "wait"},
        {"flare", "wall", "TIMED_WAITING Unsafe.park", TS_CLASS_waiting, "park"},
        {"cpuprofile", "cpu", "(idle)", TS_CLASS_waiting, "idle"},
        {"cpuprofile", "cpu", "(idle)s", TS_CLASS_cpu, NULL},
        {"chrome-trace", "cpu", "(garbage collector)", TS_CLASS_cpu, "gc"},
        {"heapprofile", "alloc", "", TS_CLASS_live, NULL},
        {"pprof", "alloc", "", TS_CLASS_allocation, NULL},
        {"pprof", "delay", "", TS_CLASS_waiting, "lock"},
        {"pprof", "space", "", TS_CLASS_other, NULL},
        {"other", "cpu", "", TS_CLASS_other, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *reason;
        assert_int_equal(ts_class_of(&reason, ts_text_of(cases[i].format),
                                     ts_text_of(cases[i].event), ts_text_of(cases[i].state)),
                         cases[i].class);
        assert_int_equal(reason == NULL, cases[i].reason == NULL);
        assert_true(reason == NULL || strcmp(reason, cases[i].reason) == 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_classes_of_events),
        cmocka_unit_test(test_compatible_tables_come_first_in_order),
        cmocka_unit_test(test_own_tables_have_the_designed_columns),
        cmocka_unit_test(test_everything_is_described),
        cmocka_unit_test(test_times_have_a_unit),
        cmocka_unit_test(test_row_structs_fit_the_columns),
        cmocka_unit_test(test_create_statements),
        cmocka_unit_test(test_listing),
        cmocka_unit_test(test_markdown_names_everything),
        cmocka_unit_test(test_markdown_is_by_topic),
        cmocka_unit_test(test_topics_hold_all),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
