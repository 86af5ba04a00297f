CREATE TABLE IF NOT EXISTS recording (
    `id` FixedString(32),
    `load` UInt64,
    `day` Date,
    `program` String,
    `schema_version` UInt32,
    `amount` String,
    `options` String,
    `path` String,
    `bytes` UInt64,
    `begin` Nullable(Int64),
    `end` Nullable(Int64),
    `host` String,
    `label.key` Array(String),
    `label.value` Array(String),
    `complete` UInt8,
    `issues` UInt64,
    `rows` UInt64,
    `loaded_at` DateTime DEFAULT now()
)
ENGINE = MergeTree ORDER BY (id, load);
CREATE TABLE IF NOT EXISTS `process` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ipid` Int64,
    `pid` Int64,
    `name` Nullable(String),
    `start_ts` Nullable(Int64),
    `switch_count` Int64,
    `thread_count` Int64,
    `slice_count` Int64,
    `mem_count` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `thread` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `itid` Int64,
    `tid` Nullable(Int64),
    `name` Nullable(String),
    `start_ts` Nullable(Int64),
    `end_ts` Nullable(Int64),
    `ipid` Nullable(Int64),
    `is_main_thread` Nullable(UInt8),
    `switch_count` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `trace_range` (
    load UInt64,
    row UInt32,
    day Date,
    `start_ts` Int64,
    `end_ts` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `data_type` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `typeId` Int64,
    `desc` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `symbols` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `funcname` String,
    `addr` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stat` (
    load UInt64,
    row UInt32,
    day Date,
    `event_name` String,
    `stat_type` String,
    `count` Int64,
    `serverity` String,
    `source` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `args` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `key` Int64,
    `datatype` Int64,
    `value` Int64,
    `argset` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `meta` (
    load UInt64,
    row UInt32,
    day Date,
    `name` String,
    `value` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `trace_config` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `trace_source` String,
    `key` String,
    `value` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `data_dict` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `data` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `datasource_clockid` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `data_source_name` String,
    `clock_id` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `clock_snapshot` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `clock_id` Int64,
    `ts` Int64,
    `clock_name` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `ebpf_callstack` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `callchain_id` Int64,
    `depth` Int64,
    `ip` Nullable(String),
    `symbols_id` Nullable(Int64),
    `file_path_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `bio_latency_sample` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `callchain_id` Int64,
    `type` Int64,
    `ipid` Nullable(Int64),
    `itid` Nullable(Int64),
    `start_ts` Nullable(Int64),
    `end_ts` Nullable(Int64),
    `latency_dur` Nullable(Int64),
    `tier` Int64,
    `size` Int64,
    `block_number` Nullable(String),
    `path_id` Nullable(String),
    `dur_per_4k` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `file_system_sample` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `callchain_id` Int64,
    `type` Int64,
    `ipid` Nullable(Int64),
    `itid` Nullable(Int64),
    `start_ts` Nullable(Int64),
    `end_ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `return_value` String,
    `error_code` Nullable(String),
    `fd` Nullable(Int64),
    `file_id` Nullable(Int64),
    `size` Nullable(Int64),
    `first_argument` Nullable(String),
    `second_argument` Nullable(String),
    `third_argument` Nullable(String),
    `fourth_argument` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `paged_memory_sample` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `callchain_id` Int64,
    `type` Int64,
    `ipid` Nullable(Int64),
    `start_ts` Nullable(Int64),
    `end_ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `size` Int64,
    `addr` Nullable(String),
    `itid` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `native_hook` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `callchain_id` Int64,
    `ipid` Nullable(Int64),
    `itid` Nullable(Int64),
    `event_type` String,
    `sub_type_id` Nullable(Int64),
    `start_ts` Nullable(Int64),
    `end_ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `addr` Int64,
    `heap_size` Int64,
    `all_heap_size` Nullable(Int64),
    `current_size_dur` Nullable(Int64),
    `last_lib_id` Nullable(Int64),
    `last_symbol_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `native_hook_frame` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `callchain_id` Int64,
    `depth` Int64,
    `ip` Nullable(Int64),
    `symbol_id` Nullable(Int64),
    `file_id` Nullable(Int64),
    `offset` Nullable(Int64),
    `symbol_offset` Nullable(Int64),
    `vaddr` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `native_hook_statistic` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `callchain_id` Int64,
    `ipid` Nullable(Int64),
    `ts` Nullable(Int64),
    `type` Int64,
    `sub_type_id` Nullable(Int64),
    `apply_count` Int64,
    `release_count` Int64,
    `apply_size` Int64,
    `release_size` Int64,
    `last_lib_id` Nullable(Int64),
    `last_symbol_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_files` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `file_name` String,
    `start_time` Nullable(Int64),
    `end_time` Nullable(Int64),
    `self_size` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_edges` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` UInt16,
    `edge_index` Nullable(UInt32),
    `type` Nullable(UInt8),
    `name_or_index` Nullable(UInt32),
    `to_node` Nullable(UInt32),
    `from_node_id` Nullable(UInt32),
    `to_node_id` Nullable(UInt32)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_info` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` Int64,
    `key` String,
    `type` Int64,
    `int_value` Nullable(Int64),
    `str_value` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_location` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` UInt16,
    `object_index` Nullable(UInt32),
    `script_id` Nullable(UInt32),
    `line` Nullable(UInt32),
    `column` Nullable(UInt32)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_nodes` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` UInt16,
    `node_index` Nullable(UInt32),
    `type` Nullable(UInt8),
    `name` Nullable(UInt32),
    `id` Nullable(UInt32),
    `self_size` Nullable(Int64),
    `edge_count` Nullable(UInt32),
    `trace_node_id` Nullable(UInt32),
    `detachedness` Nullable(UInt8),
    `native_size` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_sample` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` Int64,
    `timestamp_us` Nullable(Int64),
    `last_assigned_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_string` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` UInt16,
    `file_index` Nullable(UInt32),
    `string` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_trace_function_info` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` Int64,
    `function_index` Nullable(Int64),
    `function_id` Nullable(Int64),
    `name` Nullable(Int64),
    `script_name` Nullable(Int64),
    `script_id` Nullable(Int64),
    `line` Nullable(Int64),
    `column` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_trace_node` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` Int64,
    `id` Nullable(Int64),
    `function_info_index` Nullable(Int64),
    `count` Nullable(Int64),
    `size` Nullable(Int64),
    `parent_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_cpu_profiler_node` (
    load UInt64,
    row UInt32,
    day Date,
    `function_id` Nullable(Int64),
    `function_index` Int64,
    `script_id` Nullable(String),
    `url_index` Int64,
    `line_number` Nullable(Int64),
    `column_number` Nullable(Int64),
    `hit_count` Nullable(Int64),
    `children` String,
    `parent_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_cpu_profiler_sample` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `function_id` Nullable(Int64),
    `start_time` Nullable(Int64),
    `end_time` Nullable(Int64),
    `dur` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_config` (
    load UInt64,
    row UInt32,
    day Date,
    `pid` Int64,
    `type` Int64,
    `interval` Nullable(Int64),
    `capture_numeric_value` Nullable(UInt8),
    `trace_allocation` Nullable(UInt8),
    `enable_cpu_profiler` Nullable(UInt8),
    `cpu_profiler_interval` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perf_report` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `report_type` String,
    `report_value` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perf_sample` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `callchain_id` Nullable(Int64),
    `timeStamp` Nullable(Int64),
    `thread_id` Nullable(Int64),
    `event_count` Int64,
    `event_type_id` Int64,
    `timestamp_trace` Nullable(Int64),
    `cpu_id` Nullable(Int64),
    `thread_state` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perf_callchain` (
    load UInt64,
    row UInt32,
    day Date,
    `id` UInt32,
    `callchain_id` Int64,
    `depth` Int64,
    `ip` Int64,
    `vaddr_in_file` Int64,
    `offset_to_vaddr` Nullable(Int64),
    `file_id` Int64,
    `symbol_id` Int64,
    `name` Nullable(Int64),
    `source_file_id` Nullable(Int64),
    `line_number` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perf_thread` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `thread_id` Int64,
    `process_id` Int64,
    `thread_name` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perf_files` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `file_id` Int64,
    `serial_id` Int64,
    `symbol` Nullable(String),
    `path` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perf_napi_async` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ts` Int64,
    `traceid` String,
    `cpu_id` Nullable(Int64),
    `thread_id` Int64,
    `process_id` Int64,
    `caller_callchainid` Int64,
    `callee_callchainid` Int64,
    `perf_sample_id` Int64,
    `event_count` Int64,
    `event_type_id` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `measure` (
    load UInt64,
    row UInt32,
    day Date,
    `type` String,
    `ts` Int64,
    `dur` Nullable(Int64),
    `value` Int64,
    `filter_id` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `sys_mem_measure` (
    load UInt64,
    row UInt32,
    day Date,
    `type` String,
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `value` Nullable(Int64),
    `filter_id` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `process_measure` (
    load UInt64,
    row UInt32,
    day Date,
    `type` String,
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `value` Nullable(Int64),
    `filter_id` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_measure` (
    load UInt64,
    row UInt32,
    day Date,
    `type` String,
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `value` Nullable(Int64),
    `filter_id` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cpu_measure_filter` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `name` String,
    `cpu` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `measure_filter` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `type` String,
    `name` String,
    `source_arg_set_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `process_measure_filter` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `name` String,
    `ipid` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `clock_event_filter` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `type` String,
    `name` String,
    `cpu` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `clk_event_filter` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `type` String,
    `name` String,
    `cpu` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `task_pool` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `allocation_task_row` Nullable(Int64),
    `execute_task_row` Nullable(Int64),
    `return_task_row` Nullable(Int64),
    `allocation_itid` Nullable(Int64),
    `execute_itid` Nullable(Int64),
    `return_itid` Nullable(Int64),
    `task_id` Int64,
    `priority` Nullable(Int64),
    `execute_state` Nullable(Int64),
    `return_state` Nullable(Int64),
    `timeout_row` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `app_startup` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `call_id` Int64,
    `ipid` Nullable(Int64),
    `tid` Nullable(Int64),
    `start_time` Int64,
    `end_time` Nullable(Int64),
    `start_name` Int64,
    `packed_name` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `static_initalize` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ipid` Nullable(Int64),
    `tid` Nullable(Int64),
    `call_id` Int64,
    `start_time` Int64,
    `end_time` Nullable(Int64),
    `so_name` String,
    `depth` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `animation` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `input_time` Nullable(Int64),
    `start_point` Int64,
    `end_point` Nullable(Int64),
    `frame_info` Nullable(String),
    `name` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `dynamic_frame` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `x` Int64,
    `y` Int64,
    `width` Int64,
    `height` Int64,
    `alpha` Nullable(String),
    `name` String,
    `end_time` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `device_info` (
    load UInt64,
    row UInt32,
    day Date,
    `physical_width` Nullable(Int64),
    `physical_height` Nullable(Int64),
    `physical_frame_rate` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `frame_slice` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ts` Int64,
    `vsync` Nullable(Int64),
    `ipid` Int64,
    `itid` Int64,
    `callstack_id` Int64,
    `dur` Nullable(Int64),
    `src` Nullable(String),
    `dst` Nullable(Int64),
    `type` Int64,
    `type_desc` String,
    `flag` Nullable(Int64),
    `depth` Nullable(Int64),
    `frame_no` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `frame_maps` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `src_row` Int64,
    `dst_row` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `gpu_slice` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `frame_row` Int64,
    `dur` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `smaps` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `timeStamp` Nullable(Int64),
    `start_addr` Nullable(String),
    `end_addr` Nullable(String),
    `dirty` Nullable(Int64),
    `swapper` Nullable(Int64),
    `resident_size` Nullable(Int64),
    `pss` Nullable(Int64),
    `virtaul_size` Nullable(Int64),
    `reside` Nullable(Float64),
    `protection_id` Nullable(Int64),
    `path_id` Nullable(Int64),
    `shared_clean` Nullable(Int64),
    `shared_dirty` Nullable(Int64),
    `private_clean` Nullable(Int64),
    `private_dirty` Nullable(Int64),
    `swap` Nullable(Int64),
    `swap_pss` Nullable(Int64),
    `type` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_ashmem` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ts` Nullable(Int64),
    `ipid` Nullable(Int64),
    `adj` Nullable(Int64),
    `fd` Nullable(Int64),
    `ashmem_name_id` Nullable(Int64),
    `size` Nullable(Int64),
    `pss` Nullable(Int64),
    `ashmem_id` Nullable(Int64),
    `time` Nullable(Int64),
    `ref_count` Nullable(Int64),
    `purged` Nullable(Int64),
    `flag` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_dma` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ts` Nullable(Int64),
    `ipid` Nullable(Int64),
    `fd` Nullable(Int64),
    `size` Nullable(Int64),
    `ino` Nullable(Int64),
    `exp_pid` Nullable(Int64),
    `exp_task_comm_id` Nullable(Int64),
    `buf_name_id` Nullable(Int64),
    `exp_name_id` Nullable(Int64),
    `flag` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_process_gpu` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ts` Nullable(Int64),
    `gpu_name_id` Nullable(Int64),
    `all_gpu_size` Nullable(Int64),
    `addr` Nullable(String),
    `ipid` Nullable(Int64),
    `itid` Nullable(Int64),
    `used_gpu_size` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_window_gpu` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ts` Nullable(Int64),
    `window_name_id` Nullable(Int64),
    `window_id` Nullable(Int64),
    `module_name_id` Nullable(Int64),
    `category_name_id` Nullable(Int64),
    `size` Nullable(Int64),
    `count` Nullable(Int64),
    `purgeable_size` Nullable(Int64),
    `ipid` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_cpu` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ts` Nullable(Int64),
    `total_size` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_profile` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ts` Nullable(Int64),
    `channel_id` Nullable(Int64),
    `total_size` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_rs_image` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ipid` Nullable(Int64),
    `ts` Nullable(Int64),
    `mem_size` Nullable(Int64),
    `type_id` Nullable(Int64),
    `surface_name_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `app_name` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `app_name` Int64,
    `app_key` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `hisys_event_measure` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `serial` Nullable(Int64),
    `ts` Nullable(Int64),
    `name_id` Int64,
    `key_id` Int64,
    `type` Int64,
    `int_value` Float64,
    `string_value` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `device_state` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `brightness` Nullable(Int64),
    `bt_state` Nullable(Int64),
    `location` Nullable(Int64),
    `wifi` Nullable(Int64),
    `stream_default` Nullable(Int64),
    `voice_call` Nullable(Int64),
    `music` Nullable(Int64),
    `stream_ring` Nullable(Int64),
    `media` Nullable(Int64),
    `voice_assistant` Nullable(Int64),
    `system` Nullable(Int64),
    `alarm` Nullable(Int64),
    `notification` Nullable(Int64),
    `bt_sco` Nullable(Int64),
    `enforced_audible` Nullable(Int64),
    `stream_dtmf` Nullable(Int64),
    `stream_tts` Nullable(Int64),
    `accessibility` Nullable(Int64),
    `recording` Nullable(Int64),
    `stream_all` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `hisys_all_event` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `domain_id` Nullable(Int64),
    `event_name_id` Nullable(Int64),
    `ts` Nullable(Int64),
    `type` Nullable(Int64),
    `time_zone` Nullable(String),
    `pid` Nullable(Int64),
    `tid` Nullable(Int64),
    `uid` Nullable(Int64),
    `level` Nullable(String),
    `tag` Nullable(String),
    `event_id` Nullable(String),
    `seq` Nullable(Int64),
    `info` Nullable(String),
    `contents` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_app_detail_display` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `start_time` Nullable(Int64),
    `count_1hz` Nullable(Int64),
    `count_5hz` Nullable(Int64),
    `count_10hz` Nullable(Int64),
    `count_15hz` Nullable(Int64),
    `count_24hz` Nullable(Int64),
    `count_30hz` Nullable(Int64),
    `count_45hz` Nullable(Int64),
    `count_60hz` Nullable(Int64),
    `count_90hz` Nullable(Int64),
    `count_120hz` Nullable(Int64),
    `count_180hz` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_app_statistic` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `component_type_id` Nullable(Int64),
    `start_time` Nullable(Int64),
    `duration` Nullable(Int64),
    `energy` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_app_detail_cpu` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `thread_name_id` Nullable(Int64),
    `start_time` Nullable(Int64),
    `thread_time` Nullable(Int64),
    `thread_loads` Nullable(Int64),
    `thread_energy` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_app_detail_gpu` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `frequency` Nullable(Int64),
    `start_time` Nullable(Int64),
    `idle_time` Nullable(Int64),
    `run_time` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_app_detail_wifi` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `start_time` Nullable(Int64),
    `tx_packets` Nullable(Int64),
    `rx_packets` Nullable(Int64),
    `tx_bytes` Nullable(Int64),
    `rx_bytes` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_component_top` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `component_type_id` Nullable(Int64),
    `start_time` Nullable(Int64),
    `appname` Nullable(Int64),
    `background_duration` Nullable(Int64),
    `background_energy` Nullable(Int64),
    `foreground_duration` Nullable(Int64),
    `foreground_energy` Nullable(Int64),
    `screen_off_duration` Nullable(Int64),
    `screen_off_energy` Nullable(Int64),
    `screen_on_duration` Nullable(Int64),
    `screen_on_energy` Nullable(Int64),
    `camera_id` Nullable(Int64),
    `uid` Nullable(Int64),
    `load_` Nullable(Int64),
    `app_usage_duration` Nullable(Int64),
    `app_usage_energy` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `raw` (
    load UInt64,
    row UInt32,
    day Date,
    `id` UInt32,
    `ts` Int64,
    `name` String,
    `cpu` Nullable(Int64),
    `itid` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `instant` (
    load UInt64,
    row UInt32,
    day Date,
    `ts` Int64,
    `name` String,
    `ref` Int64,
    `wakeup_from` Nullable(Int64),
    `ref_type` String,
    `value` Nullable(Float64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `sched_slice` (
    load UInt64,
    row UInt32,
    day Date,
    `id` UInt32,
    `ts` Int64,
    `dur` Nullable(Int64),
    `ts_end` Nullable(Int64),
    `cpu` Int64,
    `itid` UInt32,
    `ipid` Nullable(Int64),
    `end_state` Nullable(String),
    `priority` Int64,
    `arg_setid` Nullable(Int64),
    `prev_itid` Nullable(Int64),
    `prev_state` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `thread_state` (
    load UInt64,
    row UInt32,
    day Date,
    `id` UInt32,
    `ts` Int64,
    `dur` Nullable(Int64),
    `cpu` Nullable(Int64),
    `itid` UInt32,
    `tid` Int64,
    `pid` Nullable(Int64),
    `state` String,
    `arg_setid` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `callstack` (
    load UInt64,
    row UInt32,
    day Date,
    `id` UInt32,
    `ts` Int64,
    `dur` Nullable(Int64),
    `callid` UInt32,
    `cat` Nullable(String),
    `name` Nullable(String),
    `depth` Int64,
    `cookie` Nullable(Int64),
    `parent_id` Nullable(Int64),
    `argsetid` Nullable(Int64),
    `chainId` Nullable(String),
    `spanId` Nullable(String),
    `parentSpanId` Nullable(String),
    `flag` Nullable(String),
    `trace_level` Nullable(String),
    `trace_tag` Nullable(String),
    `custom_category` Nullable(String),
    `custom_args` Nullable(String),
    `child_callid` Nullable(Int64),
    `colorIndex` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `irq` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ts` Int64,
    `dur` Nullable(Int64),
    `callid` Int64,
    `cat` String,
    `name` String,
    `depth` Int64,
    `cookie` Nullable(Int64),
    `parent_id` Nullable(Int64),
    `argsetid` Nullable(Int64),
    `flag` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `hidump` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ts` Nullable(Int64),
    `fps` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `syscall` (
    load UInt64,
    row UInt32,
    day Date,
    `syscall_number` Int64,
    `ts` Int64,
    `dur` Nullable(Int64),
    `itid` Int64,
    `args` Nullable(String),
    `ret` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `log` (
    load UInt64,
    row UInt32,
    day Date,
    `seq` Nullable(Int64),
    `ts` Nullable(Int64),
    `pid` Nullable(Int64),
    `tid` Nullable(Int64),
    `level` Nullable(String),
    `tag` Nullable(String),
    `context` Nullable(String),
    `origints` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `network` (
    load UInt64,
    row UInt32,
    day Date,
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `tx` Nullable(Int64),
    `rx` Nullable(Int64),
    `tx_speed` Nullable(Float64),
    `rx_speed` Nullable(Float64),
    `packet_in` Nullable(Int64),
    `packet_in_sec` Nullable(Float64),
    `packet_out` Nullable(Int64),
    `packet_out_sec` Nullable(Float64),
    `net_type` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `sys_event_filter` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `type` String,
    `name` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `diskio` (
    load UInt64,
    row UInt32,
    day Date,
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `rd` Nullable(Int64),
    `wr` Nullable(Int64),
    `rd_speed` Nullable(Float64),
    `wr_speed` Nullable(Float64),
    `rd_count` Nullable(Int64),
    `wr_count` Nullable(Int64),
    `rd_count_speed` Nullable(Float64),
    `wr_count_speed` Nullable(Float64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cpu_usage` (
    load UInt64,
    row UInt32,
    day Date,
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `total_load` Nullable(Float64),
    `user_load` Nullable(Float64),
    `system_load` Nullable(Float64),
    `process_num` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `live_process` (
    load UInt64,
    row UInt32,
    day Date,
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `cpu_time` Nullable(Int64),
    `process_id` Nullable(Int64),
    `process_name` Nullable(String),
    `parent_process_id` Nullable(Int64),
    `uid` Nullable(Int64),
    `user_name` Nullable(String),
    `cpu_usage` Nullable(Float64),
    `pss_info` Nullable(Int64),
    `thread_num` Nullable(Int64),
    `disk_writes` Nullable(Int64),
    `disk_reads` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `dma_fence` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ts` Int64,
    `dur` Nullable(Int64),
    `cat` String,
    `driver` String,
    `timeline` String,
    `context` Int64,
    `seqno` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `timerfd_wakeup` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `ts` Int64,
    `pid` Int64,
    `tid` Int64,
    `thread_name` Int64,
    `interval` Int64,
    `curr_mono` String,
    `expire_mono` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `source` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `parent_id` Nullable(Int64),
    `kind` String,
    `path` Nullable(String),
    `format` Nullable(String),
    `format_version` Nullable(String),
    `name` Nullable(String),
    `pid` Nullable(Int64),
    `host` Nullable(String),
    `clock` Nullable(String),
    `start_ts` Nullable(Int64),
    `end_ts` Nullable(Int64),
    `bytes` Int64,
    `complete` UInt8
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `source_property` (
    load UInt64,
    row UInt32,
    day Date,
    `source_id` Int64,
    `key` String,
    `value` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `import_issue` (
    load UInt64,
    row UInt32,
    day Date,
    `source_id` Nullable(Int64),
    `severity` String,
    `code` String,
    `stream` Nullable(String),
    `offset` Nullable(Int64),
    `count` Int64,
    `message` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `import_count` (
    load UInt64,
    row UInt32,
    day Date,
    `source_id` Nullable(Int64),
    `item` String,
    `declared` Nullable(Int64),
    `seen` Int64,
    `imported` Int64,
    `lost` Int64,
    `skipped` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `schema_doc` (
    load UInt64,
    row UInt32,
    day Date,
    `table_name` String,
    `column_name` String,
    `type` String,
    `unit` Nullable(String),
    `description` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `process_detail` (
    load UInt64,
    row UInt32,
    day Date,
    `ipid` Int64,
    `source_id` Nullable(Int64),
    `host` Nullable(String),
    `command_line` Nullable(String),
    `runtime` Nullable(String),
    `pid_known` UInt8
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `thread_detail` (
    load UInt64,
    row UInt32,
    day Date,
    `itid` Int64,
    `source_id` Nullable(Int64),
    `tid_kind` String,
    `group_name` Nullable(String),
    `priority` Nullable(Int64),
    `daemon` Nullable(UInt8),
    `state` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_method` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `raw_id` Nullable(Int64),
    `name` Nullable(String),
    `class` Nullable(String),
    `package` Nullable(String),
    `signature` Nullable(String),
    `file` Nullable(String),
    `line` Nullable(Int64),
    `library` Nullable(String),
    `modifiers` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_node` (
    load UInt64,
    row UInt32,
    day Date,
    `id` UInt32,
    `source_id` UInt32,
    `parent_id` Nullable(UInt32),
    `method_id` Nullable(UInt32),
    `line` Nullable(Int64),
    `depth` Int64,
    `raw_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_sample` (
    load UInt64,
    row UInt32,
    day Date,
    `id` UInt32,
    `source_id` UInt32,
    `itid` Nullable(UInt32),
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `node_id` Nullable(UInt32),
    `event` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `event_class` (
    load UInt64,
    row UInt32,
    day Date,
    `format` String,
    `event` String,
    `state` String,
    `class` String,
    `reason` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_value_type` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `name` String,
    `unit` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_sample_value` (
    load UInt64,
    row UInt32,
    day Date,
    `sample_id` UInt32,
    `value_type_id` UInt32,
    `value` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_sample_label` (
    load UInt64,
    row UInt32,
    day Date,
    `sample_id` UInt32,
    `key` String,
    `value` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_slice` (
    load UInt64,
    row UInt32,
    day Date,
    `id` UInt32,
    `source_id` UInt32,
    `itid` Nullable(UInt32),
    `parent_id` Nullable(UInt32),
    `node_id` Nullable(UInt32),
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `self_dur` Nullable(Int64),
    `cpu_dur` Nullable(Int64),
    `depth` Nullable(Int64),
    `state` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `runtime_pause` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `kind` String,
    `itid` Nullable(Int64),
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `bytes_before` Nullable(Int64),
    `bytes_after` Nullable(Int64),
    `bytes_total` Nullable(Int64),
    `objects_before` Nullable(Int64),
    `objects_after` Nullable(Int64),
    `state` Int64,
    `name` Nullable(String),
    `cause` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `lock_wait` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `kind` String,
    `itid` Nullable(Int64),
    `object_id` Nullable(Int64),
    `class` Nullable(String),
    `owner_itid` Nullable(Int64),
    `timeout` Nullable(Int64),
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `node_id` Nullable(Int64),
    `slice_id` Nullable(Int64),
    `state` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `timeseries` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `itid` Nullable(Int64),
    `name` String,
    `unit` Nullable(String),
    `interval` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `timeseries_value` (
    load UInt64,
    row UInt32,
    day Date,
    `series_id` UInt32,
    `ts` Nullable(Int64),
    `value` Nullable(Float64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_file_detail` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` Int64,
    `source_id` Int64,
    `node_stride` Nullable(Int64),
    `first_info_rowid` Nullable(Int64),
    `node_type_count` Int64,
    `first_edge_type_rowid` Nullable(Int64),
    `edge_type_count` Int64,
    `first_node_rowid` Nullable(Int64),
    `node_count` Int64,
    `first_edge_rowid` Nullable(Int64),
    `edge_count` Int64,
    `first_edge_block_id` Nullable(Int64),
    `edge_block_count` Int64,
    `first_string_rowid` Nullable(Int64),
    `string_count` Int64,
    `first_sample_rowid` Nullable(Int64),
    `first_location_rowid` Nullable(Int64),
    `first_trace_function_rowid` Nullable(Int64),
    `first_trace_node_rowid` Nullable(Int64),
    `first_class_rowid` Nullable(Int64),
    `class_count` Int64,
    `complete` UInt8
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_class` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` UInt16,
    `type` Nullable(UInt8),
    `name` Nullable(UInt32),
    `count` Nullable(Int64),
    `self_size` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_edge_block` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `file_id` Int64,
    `first_node_rowid` Nullable(Int64),
    `last_node_rowid` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_cpu_profile` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `id_offset` Int64,
    `title` Nullable(String),
    `tid` Nullable(Int64),
    `start_time` Nullable(Int64),
    `end_time` Nullable(Int64),
    `started_ts` Nullable(Int64),
    `reported_ts` Nullable(Int64),
    `node_count` Int64,
    `sample_count` Int64,
    `first_sample_id` Nullable(Int64),
    `gc_time_us` Nullable(Int64),
    `c_interpreter_time_us` Nullable(Int64),
    `asm_interpreter_time_us` Nullable(Int64),
    `aot_time_us` Nullable(Int64),
    `builtin_time_us` Nullable(Int64),
    `napi_time_us` Nullable(Int64),
    `arkui_engine_time_us` Nullable(Int64),
    `runtime_time_us` Nullable(Int64),
    `other_time_us` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `flare_thread` (
    load UInt64,
    row UInt32,
    day Date,
    `itid` Int64,
    `source_id` Int64,
    `sample_count` Nullable(Int64),
    `cpu_time` Nullable(Int64),
    `sample_ts` Nullable(Int64),
    `in_summary` UInt8,
    `series_id` Nullable(Int64),
    `series_ts` Nullable(Int64),
    `series_end_ts` Nullable(Int64),
    `slot_count` Nullable(Int64),
    `series_cpu_us` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `flare_stack` (
    load UInt64,
    row UInt32,
    day Date,
    `sample_id` Int64,
    `step` Nullable(Int64),
    `cpu_time` Nullable(Int64),
    `cpu_time_delta` Nullable(Int64),
    `sample_count` Nullable(Int64),
    `state` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_dictionary` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `word_id` Nullable(Int64),
    `word` String,
    `method_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_param` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `name` String,
    `dictionary_id` Nullable(Int64),
    `is_index` UInt8,
    `is_list` UInt8,
    `sort_order` Int64,
    `signature` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_suspend` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `ts` Nullable(Int64),
    `dur` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_text` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `stream` String,
    `file` Int64,
    `offset` Int64,
    `value` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_block` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `file` Int64,
    `offset` Int64,
    `bytes` Int64,
    `itid` Int64,
    `real_ts` Int64,
    `start_ts` Nullable(Int64),
    `end_ts` Nullable(Int64),
    `events` Int64,
    `complete` UInt8
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_root` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `slice_id` Nullable(Int64),
    `block_id` Int64,
    `record` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_tag` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `slice_id` Nullable(Int64),
    `block_id` Int64,
    `record` Int64,
    `ts` Nullable(Int64),
    `word_id` Nullable(Int64),
    `dictionary_id` Nullable(Int64),
    `type` Nullable(Int64),
    `value` Nullable(String),
    `text_id` Nullable(Int64),
    `text_file` Nullable(Int64),
    `text_offset` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_call` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `calls_file` Int64,
    `record` Int64,
    `ts` Nullable(Int64),
    `dur` Int64,
    `method_id` Nullable(Int64),
    `calls` Int64,
    `itid` Nullable(Int64),
    `thread_index` Nullable(Int64),
    `thread_name` Nullable(String),
    `logs_written` Nullable(Int64),
    `logs_generated` Nullable(Int64),
    `cpu_dur` Nullable(Int64),
    `wait_dur` Nullable(Int64),
    `memory` Nullable(Int64),
    `file_read` Nullable(Int64),
    `file_written` Nullable(Int64),
    `net_read` Nullable(Int64),
    `net_written` Nullable(Int64),
    `transactions` Nullable(Int64),
    `queue_wait_dur` Nullable(Int64),
    `suspend_dur` Nullable(Int64),
    `trace_file` Int64,
    `trace_offset` Int64,
    `trace_record` Int64,
    `root_slice_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_call_param` (
    load UInt64,
    row UInt32,
    day Date,
    `call_id` Int64,
    `word_id` Int64,
    `dictionary_id` Nullable(Int64),
    `ordinal` Int64,
    `value` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `smaps_detail` (
    load UInt64,
    row UInt32,
    day Date,
    `smaps_id` Int64,
    `ipid` Nullable(Int64),
    `category` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_total` (
    load UInt64,
    row UInt32,
    day Date,
    `source_id` Int64,
    `itid` Nullable(Int64),
    `event` Nullable(String),
    `method_id` Nullable(Int64),
    `self_count` Int64,
    `total_count` Int64,
    `self_dur` Nullable(Int64),
    `total_dur` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_node` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `node_id` Nullable(String),
    `hostname` Nullable(String),
    `ip_address` Nullable(String),
    `timezone` Nullable(Int64),
    `ts` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_process` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `process_id` Nullable(String),
    `node_id` Nullable(Int64),
    `ipid` Nullable(Int64),
    `pid` Nullable(Int64),
    `name` Nullable(String),
    `executable` Nullable(String),
    `ts` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_agent` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `agent_id` Nullable(String),
    `process_id` Nullable(Int64),
    `name` Nullable(String),
    `type` Nullable(String),
    `parameters` Nullable(String),
    `version` Nullable(String),
    `ts` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_trace` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `trace_id` Nullable(String),
    `agent_id` Nullable(Int64),
    `collation_value` Nullable(String),
    `ts` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_filter` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `trace_id` Nullable(Int64),
    `pattern` Nullable(String),
    `generic_pattern` Nullable(String),
    `mode` Nullable(String),
    `method_pattern` Nullable(String),
    `method_generic_pattern` Nullable(String),
    `method_mode` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_option` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `trace_id` Nullable(Int64),
    `key` Nullable(String),
    `value` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_thread` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `itid` Int64,
    `thread_id` Nullable(Int64),
    `parent_name` Nullable(String),
    `object_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_class` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `class_id` Nullable(Int64),
    `name` Nullable(String),
    `package` Nullable(String),
    `source_name` Nullable(String),
    `class_loader` Nullable(String),
    `superclass` Nullable(String),
    `interface_names` Nullable(String),
    `interfaces` Nullable(Int64),
    `access` Nullable(String),
    `static_fields` Nullable(Int64),
    `instance_fields` Nullable(Int64),
    `methods` Nullable(Int64),
    `object_id` Nullable(Int64),
    `itid` Nullable(Int64),
    `ts` Nullable(Int64),
    `defined` UInt8
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_method` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `method_id` Int64,
    `class_id` Nullable(Int64),
    `end_line` Nullable(Int64),
    `exceptions` Nullable(String),
    `signature_notation` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_invocation` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `slice_id` Int64,
    `object_id` Nullable(Int64),
    `class_id` Nullable(Int64),
    `ticket` Nullable(Int64),
    `stack_depth` Nullable(Int64),
    `sequence` Nullable(Int64),
    `exit_sequence` Nullable(Int64),
    `overhead` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_allocation` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `itid` Nullable(Int64),
    `ts` Nullable(Int64),
    `object_id` Nullable(Int64),
    `class_id` Nullable(Int64),
    `size` Nullable(Int64),
    `is_array` Nullable(Int64),
    `method_id` Nullable(Int64),
    `line` Nullable(Int64),
    `slice_id` Nullable(Int64),
    `context` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_free` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `allocation_id` Nullable(Int64),
    `object_id` Nullable(Int64),
    `itid` Nullable(Int64),
    `ts` Nullable(Int64),
    `age` Nullable(Int64),
    `sequence` Nullable(Int64),
    `stack_depth` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_monitor_frame` (
    load UInt64,
    row UInt32,
    day Date,
    `lock_wait_id` Int64,
    `phase` String,
    `level` Int64,
    `method` Nullable(String),
    `line` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_aggregate` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `parent_id` Nullable(Int64),
    `itid` Nullable(Int64),
    `method_id` Nullable(Int64),
    `node_id` Nullable(Int64),
    `depth` Nullable(Int64),
    `base_dur` Nullable(Int64),
    `min_dur` Nullable(Int64),
    `max_dur` Nullable(Int64),
    `base_cpu_dur` Nullable(Int64),
    `calls` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_heap_dump` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `dump_id` Nullable(Int64),
    `name` Nullable(String),
    `ts` Nullable(Int64),
    `base_time` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_gc_root` (
    load UInt64,
    row UInt32,
    day Date,
    `source_id` Int64,
    `heap_dump_id` Nullable(Int64),
    `object_id` Nullable(Int64),
    `class_id` Nullable(Int64),
    `type` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_reference` (
    load UInt64,
    row UInt32,
    day Date,
    `source_id` Int64,
    `heap_dump_id` Nullable(Int64),
    `from_object_id` Nullable(Int64),
    `to_object_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_custom` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `body` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_event` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `kind` String,
    `itid` Nullable(Int64),
    `ts` Nullable(Int64),
    `ref` Nullable(String),
    `collation_value` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_event_value` (
    load UInt64,
    row UInt32,
    day Date,
    `event_id` Int64,
    `key` String,
    `value` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `heap_profile_node` (
    load UInt64,
    row UInt32,
    day Date,
    `source_id` Int64,
    `node_id` Int64,
    `id` Nullable(Int64),
    `script_id` Nullable(Int64),
    `line_number` Nullable(Int64),
    `column_number` Nullable(Int64),
    `self_size` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `heap_profile_sample` (
    load UInt64,
    row UInt32,
    day Date,
    `sample_id` Int64,
    `ordinal` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_analysis` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` Int64,
    `root` Nullable(Int64),
    `first_retained_rowid` Int64,
    `first_dominated_rowid` Int64,
    `first_constructor_id` Int64,
    `constructor_count` Int64,
    `base_file_id` Nullable(Int64),
    `first_comparison_rowid` Int64,
    `comparison_count` Int64,
    `user_roots` UInt8,
    `unreached_count` Int64,
    `orphan_count` Int64,
    `total_size` Int64,
    `native_size` Int64,
    `typed_array_size` Int64,
    `code_size` Int64,
    `string_size` Int64,
    `js_array_size` Int64,
    `system_size` Int64,
    `extra_native_size` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_retained` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` UInt16,
    `node_id` Nullable(UInt32),
    `dominator` Nullable(UInt32),
    `retainer` Nullable(UInt32),
    `retaining_edge` Nullable(UInt32),
    `distance` Nullable(UInt32),
    `shallow_size` Int64,
    `retained_size` Int64,
    `detachedness` UInt8,
    `constructor_id` UInt32,
    `held_by` UInt8,
    `tree_position` UInt32,
    `tree_count` UInt32,
    `previous` Nullable(UInt32),
    `retained_native_size` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_dominated` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` UInt16,
    `node_index` UInt32
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_constructor` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `file_id` Int64,
    `name` String,
    `script_id` Nullable(Int64),
    `line` Nullable(Int64),
    `column` Nullable(Int64),
    `count` Int64,
    `distance` Nullable(Int64),
    `shallow_size` Int64,
    `retained_size` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_comparison` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` Int64,
    `base_file_id` Int64,
    `name` String,
    `script_id` Nullable(Int64),
    `line` Nullable(Int64),
    `column` Nullable(Int64),
    `new_count` Int64,
    `deleted_count` Int64,
    `new_size` Int64,
    `deleted_size` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_duplicate_string` (
    load UInt64,
    row UInt32,
    day Date,
    `file_id` Int64,
    `node_index` Int64,
    `string` String,
    `count` Int64,
    `shallow_size` Int64,
    `retained_size` Int64,
    `truncated` UInt8,
    `length` Nullable(Int64),
    `hash` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `chrome_event` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `phase` Nullable(String),
    `name` Nullable(String),
    `category` Nullable(String),
    `ipid` Nullable(Int64),
    `itid` Nullable(Int64),
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `thread_ts` Nullable(Int64),
    `thread_dur` Nullable(Int64),
    `event_id` Nullable(String),
    `id_kind` Nullable(String),
    `scope` Nullable(String),
    `args` Nullable(String),
    `extra` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `chrome_slice` (
    load UInt64,
    row UInt32,
    day Date,
    `slice_id` Int64,
    `event_id` Int64,
    `end_event_id` Nullable(Int64),
    `async` UInt8
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `chrome_counter` (
    load UInt64,
    row UInt32,
    day Date,
    `series_id` Int64,
    `ipid` Nullable(Int64),
    `counter` Nullable(String),
    `event_id` Nullable(String),
    `key` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `chrome_profile_node` (
    load UInt64,
    row UInt32,
    day Date,
    `source_id` Int64,
    `node_id` Int64,
    `id` Int64,
    `script_id` Nullable(Int64),
    `line_number` Nullable(Int64),
    `column_number` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `chrome_sample` (
    load UInt64,
    row UInt32,
    day Date,
    `sample_id` Int64,
    `event_id` Nullable(Int64),
    `line` Nullable(Int64),
    `column` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `chrome_trace_id` (
    load UInt64,
    row UInt32,
    day Date,
    `source_id` Int64,
    `trace_id` String,
    `id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `profile_id` Nullable(String),
    `agent_ver` Nullable(String),
    `endpoint` Nullable(String),
    `service` Nullable(String),
    `env` Nullable(String),
    `version` Nullable(String),
    `start_ts` Nullable(Int64),
    `end_ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `host` Nullable(String),
    `pid` Nullable(String),
    `language` Nullable(String),
    `language_ver` Nullable(String),
    `runtime` Nullable(String),
    `runtime_os` Nullable(String),
    `runtime_arch` Nullable(String),
    `format` Nullable(String),
    `profiler` Nullable(String),
    `runtime_id` Nullable(String),
    `period` Nullable(Int64),
    `period_type` Nullable(String),
    `period_unit` Nullable(String),
    `default_type_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile_value_type` (
    load UInt64,
    row UInt32,
    day Date,
    `value_type_id` Int64,
    `profile_id` Int64,
    `type` String,
    `event_type` String,
    `kind` String,
    `unit` Nullable(String),
    `scale` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile_tag` (
    load UInt64,
    row UInt32,
    day Date,
    `profile_id` Int64,
    `key` String,
    `value` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile_number` (
    load UInt64,
    row UInt32,
    day Date,
    `profile_id` Int64,
    `name` String,
    `value` Nullable(Float64),
    `text` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile_attachment` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `profile_id` Int64,
    `name` String,
    `path` Nullable(String),
    `source_id` Nullable(Int64),
    `format` Nullable(String),
    `state` String,
    `listed` UInt8,
    `size` Nullable(Int64),
    `start_ts` Nullable(Int64),
    `end_ts` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile_label_unit` (
    load UInt64,
    row UInt32,
    day Date,
    `sample_id` Int64,
    `key` String,
    `unit` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_chunk` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `offset` Int64,
    `size` Int64,
    `major` Int64,
    `minor` Int64,
    `ts` Int64,
    `dur` Int64,
    `start_ticks` Int64,
    `ticks_per_second` Int64,
    `state` Int64,
    `flags` Int64,
    `classes` Int64,
    `pool_entries` Int64,
    `pool_repeated` Int64,
    `complete` UInt8
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_event_type` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `name` String,
    `count` Int64,
    `lost` Int64,
    `became` String,
    `kept` Int64
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_event` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `type_id` Int64,
    `ts` Nullable(Int64),
    `dur` Nullable(Int64),
    `itid` Nullable(Int64),
    `node_id` Nullable(Int64),
    `fields` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_sample` (
    load UInt64,
    row UInt32,
    day Date,
    `sample_id` Int64,
    `type_id` Int64,
    `weight` Nullable(Float64),
    `stack_id` Nullable(Int64)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_stack` (
    load UInt64,
    row UInt32,
    day Date,
    `id` Int64,
    `source_id` Int64,
    `node_id` Nullable(Int64),
    `truncated` UInt8,
    `frame_types` Nullable(String),
    `bytecode_indexes` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_thread` (
    load UInt64,
    row UInt32,
    day Date,
    `itid` Int64,
    `source_id` Int64,
    `os_tid` Nullable(Int64),
    `java_tid` Nullable(Int64),
    `os_name` Nullable(String),
    `java_name` Nullable(String),
    `group_name` Nullable(String),
    `is_virtual` Nullable(UInt8)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_setting` (
    load UInt64,
    row UInt32,
    day Date,
    `chunk_id` Int64,
    `event` Nullable(String),
    `name` Nullable(String),
    `value` Nullable(String)
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile_metric` (
    load UInt64,
    row UInt32,
    day Date,
    `profile_id` Int64,
    `name` String,
    `value` String,
    `num` Float64,
    `is_int` UInt8,
    `source` String
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE VIEW IF NOT EXISTS v_recording AS
SELECT * FROM recording WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_process` AS
SELECT * FROM `process` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_thread` AS
SELECT * FROM `thread` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_trace_range` AS
SELECT * FROM `trace_range` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_data_type` AS
SELECT * FROM `data_type` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_symbols` AS
SELECT * FROM `symbols` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_stat` AS
SELECT * FROM `stat` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_args` AS
SELECT * FROM `args` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_meta` AS
SELECT * FROM `meta` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_trace_config` AS
SELECT * FROM `trace_config` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_data_dict` AS
SELECT * FROM `data_dict` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_datasource_clockid` AS
SELECT * FROM `datasource_clockid` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_clock_snapshot` AS
SELECT * FROM `clock_snapshot` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_ebpf_callstack` AS
SELECT * FROM `ebpf_callstack` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_bio_latency_sample` AS
SELECT * FROM `bio_latency_sample` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_file_system_sample` AS
SELECT * FROM `file_system_sample` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_paged_memory_sample` AS
SELECT * FROM `paged_memory_sample` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_native_hook` AS
SELECT * FROM `native_hook` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_native_hook_frame` AS
SELECT * FROM `native_hook_frame` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_native_hook_statistic` AS
SELECT * FROM `native_hook_statistic` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_files` AS
SELECT * FROM `js_heap_files` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_edges` AS
SELECT * FROM `js_heap_edges` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_info` AS
SELECT * FROM `js_heap_info` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_location` AS
SELECT * FROM `js_heap_location` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_nodes` AS
SELECT * FROM `js_heap_nodes` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_sample` AS
SELECT * FROM `js_heap_sample` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_string` AS
SELECT * FROM `js_heap_string` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_trace_function_info` AS
SELECT * FROM `js_heap_trace_function_info` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_trace_node` AS
SELECT * FROM `js_heap_trace_node` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_cpu_profiler_node` AS
SELECT * FROM `js_cpu_profiler_node` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_cpu_profiler_sample` AS
SELECT * FROM `js_cpu_profiler_sample` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_config` AS
SELECT * FROM `js_config` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_perf_report` AS
SELECT * FROM `perf_report` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_perf_sample` AS
SELECT * FROM `perf_sample` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_perf_callchain` AS
SELECT * FROM `perf_callchain` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_perf_thread` AS
SELECT * FROM `perf_thread` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_perf_files` AS
SELECT * FROM `perf_files` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_perf_napi_async` AS
SELECT * FROM `perf_napi_async` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_measure` AS
SELECT * FROM `measure` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_sys_mem_measure` AS
SELECT * FROM `sys_mem_measure` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_process_measure` AS
SELECT * FROM `process_measure` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_xpower_measure` AS
SELECT * FROM `xpower_measure` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_cpu_measure_filter` AS
SELECT * FROM `cpu_measure_filter` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_measure_filter` AS
SELECT * FROM `measure_filter` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_process_measure_filter` AS
SELECT * FROM `process_measure_filter` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_clock_event_filter` AS
SELECT * FROM `clock_event_filter` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_clk_event_filter` AS
SELECT * FROM `clk_event_filter` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_task_pool` AS
SELECT * FROM `task_pool` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_app_startup` AS
SELECT * FROM `app_startup` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_static_initalize` AS
SELECT * FROM `static_initalize` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_animation` AS
SELECT * FROM `animation` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_dynamic_frame` AS
SELECT * FROM `dynamic_frame` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_device_info` AS
SELECT * FROM `device_info` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_frame_slice` AS
SELECT * FROM `frame_slice` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_frame_maps` AS
SELECT * FROM `frame_maps` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_gpu_slice` AS
SELECT * FROM `gpu_slice` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_smaps` AS
SELECT * FROM `smaps` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_memory_ashmem` AS
SELECT * FROM `memory_ashmem` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_memory_dma` AS
SELECT * FROM `memory_dma` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_memory_process_gpu` AS
SELECT * FROM `memory_process_gpu` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_memory_window_gpu` AS
SELECT * FROM `memory_window_gpu` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_memory_cpu` AS
SELECT * FROM `memory_cpu` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_memory_profile` AS
SELECT * FROM `memory_profile` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_memory_rs_image` AS
SELECT * FROM `memory_rs_image` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_app_name` AS
SELECT * FROM `app_name` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_hisys_event_measure` AS
SELECT * FROM `hisys_event_measure` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_device_state` AS
SELECT * FROM `device_state` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_hisys_all_event` AS
SELECT * FROM `hisys_all_event` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_xpower_app_detail_display` AS
SELECT * FROM `xpower_app_detail_display` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_xpower_app_statistic` AS
SELECT * FROM `xpower_app_statistic` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_xpower_app_detail_cpu` AS
SELECT * FROM `xpower_app_detail_cpu` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_xpower_app_detail_gpu` AS
SELECT * FROM `xpower_app_detail_gpu` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_xpower_app_detail_wifi` AS
SELECT * FROM `xpower_app_detail_wifi` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_xpower_component_top` AS
SELECT * FROM `xpower_component_top` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_raw` AS
SELECT * FROM `raw` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_instant` AS
SELECT * FROM `instant` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_sched_slice` AS
SELECT * FROM `sched_slice` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_thread_state` AS
SELECT * FROM `thread_state` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_callstack` AS
SELECT * FROM `callstack` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_irq` AS
SELECT * FROM `irq` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_hidump` AS
SELECT * FROM `hidump` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_syscall` AS
SELECT * FROM `syscall` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_log` AS
SELECT * FROM `log` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_network` AS
SELECT * FROM `network` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_sys_event_filter` AS
SELECT * FROM `sys_event_filter` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_diskio` AS
SELECT * FROM `diskio` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_cpu_usage` AS
SELECT * FROM `cpu_usage` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_live_process` AS
SELECT * FROM `live_process` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_dma_fence` AS
SELECT * FROM `dma_fence` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_timerfd_wakeup` AS
SELECT * FROM `timerfd_wakeup` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_source` AS
SELECT * FROM `source` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_source_property` AS
SELECT * FROM `source_property` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_import_issue` AS
SELECT * FROM `import_issue` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_import_count` AS
SELECT * FROM `import_count` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_schema_doc` AS
SELECT * FROM `schema_doc` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_process_detail` AS
SELECT * FROM `process_detail` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_thread_detail` AS
SELECT * FROM `thread_detail` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_stack_method` AS
SELECT * FROM `stack_method` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_stack_node` AS
SELECT * FROM `stack_node` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_stack_sample` AS
SELECT * FROM `stack_sample` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_event_class` AS
SELECT * FROM `event_class` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_stack_value_type` AS
SELECT * FROM `stack_value_type` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_stack_sample_value` AS
SELECT * FROM `stack_sample_value` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_stack_sample_label` AS
SELECT * FROM `stack_sample_label` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_stack_slice` AS
SELECT * FROM `stack_slice` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_runtime_pause` AS
SELECT * FROM `runtime_pause` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_lock_wait` AS
SELECT * FROM `lock_wait` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_timeseries` AS
SELECT * FROM `timeseries` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_timeseries_value` AS
SELECT * FROM `timeseries_value` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_file_detail` AS
SELECT * FROM `js_heap_file_detail` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_class` AS
SELECT * FROM `js_heap_class` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_edge_block` AS
SELECT * FROM `js_heap_edge_block` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_cpu_profile` AS
SELECT * FROM `js_cpu_profile` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_flare_thread` AS
SELECT * FROM `flare_thread` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_flare_stack` AS
SELECT * FROM `flare_stack` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_cloud_dictionary` AS
SELECT * FROM `cloud_dictionary` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_cloud_param` AS
SELECT * FROM `cloud_param` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_cloud_suspend` AS
SELECT * FROM `cloud_suspend` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_cloud_text` AS
SELECT * FROM `cloud_text` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_cloud_block` AS
SELECT * FROM `cloud_block` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_cloud_root` AS
SELECT * FROM `cloud_root` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_cloud_tag` AS
SELECT * FROM `cloud_tag` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_cloud_call` AS
SELECT * FROM `cloud_call` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_cloud_call_param` AS
SELECT * FROM `cloud_call_param` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_smaps_detail` AS
SELECT * FROM `smaps_detail` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_stack_total` AS
SELECT * FROM `stack_total` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_node` AS
SELECT * FROM `tptp_node` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_process` AS
SELECT * FROM `tptp_process` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_agent` AS
SELECT * FROM `tptp_agent` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_trace` AS
SELECT * FROM `tptp_trace` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_filter` AS
SELECT * FROM `tptp_filter` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_option` AS
SELECT * FROM `tptp_option` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_thread` AS
SELECT * FROM `tptp_thread` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_class` AS
SELECT * FROM `tptp_class` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_method` AS
SELECT * FROM `tptp_method` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_invocation` AS
SELECT * FROM `tptp_invocation` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_allocation` AS
SELECT * FROM `tptp_allocation` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_free` AS
SELECT * FROM `tptp_free` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_monitor_frame` AS
SELECT * FROM `tptp_monitor_frame` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_aggregate` AS
SELECT * FROM `tptp_aggregate` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_heap_dump` AS
SELECT * FROM `tptp_heap_dump` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_gc_root` AS
SELECT * FROM `tptp_gc_root` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_reference` AS
SELECT * FROM `tptp_reference` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_custom` AS
SELECT * FROM `tptp_custom` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_event` AS
SELECT * FROM `tptp_event` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_tptp_event_value` AS
SELECT * FROM `tptp_event_value` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_heap_profile_node` AS
SELECT * FROM `heap_profile_node` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_heap_profile_sample` AS
SELECT * FROM `heap_profile_sample` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_analysis` AS
SELECT * FROM `js_heap_analysis` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_retained` AS
SELECT * FROM `js_heap_retained` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_dominated` AS
SELECT * FROM `js_heap_dominated` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_constructor` AS
SELECT * FROM `js_heap_constructor` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_comparison` AS
SELECT * FROM `js_heap_comparison` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_js_heap_duplicate_string` AS
SELECT * FROM `js_heap_duplicate_string` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_chrome_event` AS
SELECT * FROM `chrome_event` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_chrome_slice` AS
SELECT * FROM `chrome_slice` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_chrome_counter` AS
SELECT * FROM `chrome_counter` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_chrome_profile_node` AS
SELECT * FROM `chrome_profile_node` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_chrome_sample` AS
SELECT * FROM `chrome_sample` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_chrome_trace_id` AS
SELECT * FROM `chrome_trace_id` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_profile` AS
SELECT * FROM `profile` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_profile_value_type` AS
SELECT * FROM `profile_value_type` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_profile_tag` AS
SELECT * FROM `profile_tag` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_profile_number` AS
SELECT * FROM `profile_number` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_profile_attachment` AS
SELECT * FROM `profile_attachment` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_profile_label_unit` AS
SELECT * FROM `profile_label_unit` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_jfr_chunk` AS
SELECT * FROM `jfr_chunk` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_jfr_event_type` AS
SELECT * FROM `jfr_event_type` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_jfr_event` AS
SELECT * FROM `jfr_event` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_jfr_sample` AS
SELECT * FROM `jfr_sample` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_jfr_stack` AS
SELECT * FROM `jfr_stack` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_jfr_thread` AS
SELECT * FROM `jfr_thread` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_jfr_setting` AS
SELECT * FROM `jfr_setting` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_profile_metric` AS
SELECT * FROM `profile_metric` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
