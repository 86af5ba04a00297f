#include "tables/store_impl.h"

#include <inttypes.h>
#include <stdio.h>

/* A fixed text, not the time of the build: two builds of one version write the same bytes. */
#define PUBLISH_DATE "2026/11/22"

/* --- stat ---------------------------------------------------------------------------------- */

typedef struct stat_type {
    const char *name;
    const char *severity;
} stat_type;

static const stat_type stat_types[TS_STAT_TYPES] = {
    {"received", "info"},      {"data_lost", "error"},    {"not_match", "info"},
    {"not_supported", "warn"}, {"invalid_data", "error"},
};

static const char *const stat_events[TS_STAT_EVENTS] = {
    "binder_transaction",
    "binder_transaction_received",
    "binder_transaction_alloc_buf",
    "binder_transaction_lock",
    "binder_transaction_locked",
    "binder_transaction_unlock",
    "sched_switch",
    "sched_blocked_reason",
    "task_rename",
    "task_newtask",
    "tracing_mark_write",
    "print",
    "sched_wakeup",
    "sched_waking",
    "cpu_idle",
    "cpu_frequency",
    "cpu_frequency_limits",
    "suspend_resume",
    "workqueue_execute_start",
    "workqueue_execute_end",
    "clock_set_rate",
    "clock_enable",
    "clock_disable",
    "clk_set_rate",
    "clk_enable",
    "clk_disable",
    "sys_enter",
    "sys_exit",
    "regulator_set_voltage",
    "regulator_set_voltage_complete",
    "regulator_disable",
    "regulator_disable_complete",
    "ipi_entry",
    "ipi_exit",
    "irq_handler_entry",
    "irq_handler_exit",
    "softirq_raise",
    "softirq_entry",
    "softirq_exit",
    "oom_score_adj_update",
    "sched_wakeup_new",
    "sched_process_exit",
    "sched_process_free",
    "trace_event_clock_sync",
    "signal_generate",
    "signal_deliver",
    "trace_block_bio_backmerge",
    "trace_block_bio_bounce",
    "trace_block_bio_complete",
    "trace_block_bio_frontmerge",
    "trace_bblock_bio_queue", /* so spelled by all who read this table */
    "trace_block_bio_remap",
    "trace_block_dirty_buffer",
    "trace_block_getrq",
    "trace_block_plug",
    "trace_block_rq_complete",
    "trace_block_rq_insert",
    "trace_block_rq_remap",
    "trace_block_rq_issue",
    "trace_ffrt",
    "memory",
    "hilog",
    "hidump_fps",
    "native_hook_malloc",
    "native_hook_free",
    "native_hook_mmap",
    "native_hook_munmap",
    "native_hook_record_statistics",
    "native_hook_memtag",
    "sys_memory",
    "sys_virtual_memory",
    "trace_diskio",
    "trace_process",
    "trace_cpu_usage",
    "trace_network",
    "trace_js_memory",
    "trace_perf",
    "trace_ebpf",
    "trace_ebpf_file_system",
    "trace_ebpf_paged_memory",
    "trace_ebpf_bio_latency",
    "trace_hisys_event",
    "trace_smaps",
    "trace_vsync",
    "trace_on_do_composition",
    "trace_frame_queue",
    "trace_ash_mem",
    "trace_dma_mem",
    "trace_gpu_process_mem",
    "trace_gpu_window_mem",
    "trace_window_manager_service",
    "dma_fence_init",
    "dma_fence_destroy",
    "dma_fence_enable_signal",
    "dma_fence_signaled",
    "dma_fence",
    "timerfd_wakeup",
    "other",
};

ts_code ts_stat(ts_store *store, const char *event, const char *type, uint64_t n)
{
    for (size_t e = 0; e < TS_STAT_EVENTS; e++) {
        if (strcmp(stat_events[e], event) != 0) {
            continue;
        }
        for (size_t t = 0; t < TS_STAT_TYPES; t++) {
            if (strcmp(stat_types[t].name, type) == 0) {
                store->stat[e][t] = ts_store_add(store->stat[e][t], n);
                return TS_OK;
            }
        }
    }
    return ts_fail(store->ctx, TS_ERR_INTERNAL, "stat has no row for %s, %s", event, type);
}

/* Viewers draw call stacks only where one of these events says that there is something. */
static ts_code count_slices(ts_store *store)
{
    uint64_t slices = ts_sink_rows(store->sink, TS_T_stack_slice);
    return slices == 0 ? TS_OK : ts_stat(store, "print", "received", slices);
}

static ts_code write_stat(ts_store *store)
{
    TS_TRY(count_slices(store));
    for (size_t e = 0; e < TS_STAT_EVENTS; e++) {
        for (size_t t = 0; t < TS_STAT_TYPES; t++) {
            ts_row_stat row = {0,
                               ts_text_of(stat_events[e]),
                               ts_text_of(stat_types[t].name),
                               ts_store_clamp(store->stat[e][t]),
                               ts_text_of(stat_types[t].severity),
                               TS_TEXT_LIT("trace")};
            TS_TRY(ts_sink_put(store->sink, TS_T_stat, &row));
        }
    }
    return TS_OK;
}

/* --- dictionary and configuration ---------------------------------------------------------- */

ts_code ts_dict(int64_t *id, ts_store *store, ts_text text)
{
    char key[TS_POOL_KEY];
    bool added;
    uint32_t number;
    ts_code code;
    if (text.p == NULL) {
        text = TS_TEXT_LIT("");
    }
    TS_TRY_INTO(code, ts_pool_intern(store->ctx, &number, &added, &store->dict,
                                     ts_pool_key(key, store->ctx, text)));
    *id = number;
    if (added) {
        ts_row_data_dict row = {0, number, text};
        if (store->dict_closed) {
            return ts_fail(store->ctx, TS_ERR_INTERNAL, "a text after the end of data_dict");
        }
        code = ts_sink_put(store->sink, TS_T_data_dict, &row);
    }
    return code;
}

ts_code ts_dict_append(ts_store *store, ts_text text)
{
    ts_row_data_dict row = {0, (int64_t)ts_sink_rows(store->sink, TS_T_data_dict), text};
    if (store->reopened) {
        return ts_fail(
            store->ctx, TS_ERR_USAGE,
            "the dictionary of a finished database is complete: convert the input again");
    }
    store->dict_closed = true;
    return ts_sink_put(store->sink, TS_T_data_dict, &row);
}

/* The order of datasource_clockid; names that are not here follow as they come. */
static const char *const clock_sources[] = {
    "ftrace-plugin", "ffrt-profiler",  "memory-plugin",     "hilog-plugin",
    "nativehook",    "hidump-plugin",  "network-plugin",    "diskio-plugin",
    "cpu-plugin",    "process-plugin", "hisysevent-plugin", "arkts-plugin",
};

static ts_code add_clock_source(ts_named_clock **out, ts_store *store, ts_text name)
{
    TS_NEED(store->ctx, *out = ts_stable_array_add(store->ctx, &store->clock_sources));
    (*out)->name = name;
    return TS_OK;
}

ts_code ts_datasource_clock(ts_store *store, const char *name, ts_clock clock)
{
    ts_named_clock *source = NULL;
    for (size_t i = 0; source == NULL && i < store->clock_sources.n; i++) {
        ts_named_clock *known = ts_stable_array_at(&store->clock_sources, i);
        source = ts_text_is(known->name, name) ? known : NULL;
    }
    if (source == NULL) {
        ts_text kept;
        TS_TRY(ts_store_keep(store, &kept, ts_text_of(name)));
        TS_TRY(add_clock_source(&source, store, kept));
    }
    source->clock = source->seen ? source->clock : clock;
    source->seen = true;
    return TS_OK;
}

static ts_code write_clock_sources(ts_store *store)
{
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < store->clock_sources.n; i++) {
        const ts_named_clock *source = ts_stable_array_at(&store->clock_sources, i);
        const int64_t id = (int64_t)ts_sink_rows(store->sink, TS_T_datasource_clockid);
        const ts_row_datasource_clockid row = {0, id, source->name, source->clock};
        code = source->seen ? ts_sink_put(store->sink, TS_T_datasource_clockid, &row) : TS_OK;
    }
    return code;
}

/* --- meta ---------------------------------------------------------------------------------- */

void ts_meta_add_bytes(ts_store *store, uint64_t bytes)
{
    store->meta_bytes = ts_store_add(store->meta_bytes, bytes);
}

ts_code ts_meta_source(ts_store *store, const char *base_name, const char *source_type)
{
    ts_code code = TS_OK;
    TS_STEP_IF(code, store->meta_source_name.p == NULL,
               ts_store_keep(store, &store->meta_source_name, ts_text_of(base_name)));
    TS_STEP_IF(code, store->meta_source_type.p == NULL,
               ts_store_keep(store, &store->meta_source_type, ts_text_of(source_type)));
    return code;
}

static ts_code put_meta(ts_store *store, const char *name, ts_text value)
{
    ts_row_meta row = {0, ts_text_of(name), value.p == NULL ? TS_TEXT_LIT("") : value};
    return ts_sink_put(store->sink, TS_T_meta, &row);
}

static ts_code write_meta(ts_store *store)
{
    char bytes[32];
    char duration[32];
    int64_t start;
    int64_t end;
    if (store->no_meta) {
        return TS_OK;
    }
    ts_store_range(store, &start, &end);
    snprintf(bytes, sizeof bytes, "%" PRIu64, store->meta_bytes);
    /* The difference of two int64 as unsigned: it cannot overflow because start <= end. */
    snprintf(duration, sizeof duration, "%" PRIu64 " s",
             ((uint64_t)end - (uint64_t)start) / UINT64_C(1000000000));
    TS_TRY(put_meta(store, "datasize", ts_text_of(bytes)));
    TS_TRY(put_meta(store, "parse_tool", TS_TEXT_LIT("trace_streamer")));
    TS_TRY(put_meta(store, "tool_version", ts_text_of(store->ctx->version)));
    TS_TRY(put_meta(store, "tool_publish_time", TS_TEXT_LIT(PUBLISH_DATE)));
    TS_TRY(put_meta(store, "source_name", store->meta_source_name));
    TS_TRY(put_meta(store, "output_name", store->meta_output_name));
    TS_TRY(put_meta(store, "runtime", store->meta_runtime));
    TS_TRY(put_meta(store, "trace_duration", ts_text_of(duration)));
    return put_meta(store, "source_type", store->meta_source_type);
}

/* --- all ----------------------------------------------------------------------------------- */

ts_code ts_store_begin_fixed(ts_store *store, const ts_store_options *options)
{
    static const ts_store_options none = {0};
    ts_named_clock *source;
    int64_t id;
    options = options == NULL ? &none : options;
    store->no_meta = options->no_meta;
    for (size_t i = 0; i < sizeof clock_sources / sizeof clock_sources[0]; i++) {
        TS_TRY(add_clock_source(&source, store, ts_text_of(clock_sources[i])));
    }
    TS_TRY(ts_store_keep(store, &store->viewer_source, ts_text_of(options->viewer_source)));
    if (options->with_times) {
        TS_TRY(ts_store_keep(store, &store->meta_output_name, ts_text_of(options->output_name)));
        TS_TRY(ts_store_keep(store, &store->meta_runtime, ts_text_of(options->runtime)));
    }
    if (options->adding) {
        return TS_OK;
    }
    return ts_dict(&id, store, TS_TEXT_LIT("")); /* id 0 is the empty text */
}

static ts_code write_data_types(ts_store *store)
{
    static const char *const names[] = {"int32_t", "string", "double", "boolean"};
    for (int64_t i = 0; i < 4; i++) {
        ts_row_data_type row = {0, i, i, ts_text_of(names[i])};
        TS_TRY(ts_sink_put(store->sink, TS_T_data_type, &row));
    }
    return TS_OK;
}

void ts_device_info(ts_store *store, const ts_row_device_info *row)
{
    store->has_device = true;
    store->device = *row;
}

static ts_code write_device_info(ts_store *store)
{
    ts_row_device_info row = store->device;
    if (!store->has_device) {
        TS_SET_NULL(device_info, &row, physical_width);
        TS_SET_NULL(device_info, &row, physical_height);
        TS_SET_NULL(device_info, &row, physical_frame_rate);
    }
    return ts_sink_put(store->sink, TS_T_device_info, &row);
}

ts_code ts_store_write_fixed(ts_store *store)
{
    TS_TRY(write_data_types(store));
    TS_TRY(write_stat(store));
    TS_TRY(write_meta(store));
    TS_TRY(write_clock_sources(store));
    return write_device_info(store);
}
