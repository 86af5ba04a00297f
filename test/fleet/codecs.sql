CREATE TABLE IF NOT EXISTS recording (
    `id` FixedString(32) CODEC(ZSTD(1)),
    `load` UInt64 CODEC(Delta, ZSTD(1)),
    `day` Date CODEC(ZSTD(1)),
    `program` String CODEC(ZSTD(1)),
    `schema_version` UInt32 CODEC(ZSTD(1)),
    `amount` String CODEC(ZSTD(1)),
    `options` String CODEC(ZSTD(1)),
    `path` String CODEC(ZSTD(1)),
    `bytes` UInt64 CODEC(ZSTD(1)),
    `begin` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `host` String CODEC(ZSTD(1)),
    `label.key` Array(String) CODEC(ZSTD(1)),
    `label.value` Array(String) CODEC(ZSTD(1)),
    `complete` UInt8 CODEC(ZSTD(1)),
    `issues` UInt64 CODEC(ZSTD(1)),
    `rows` UInt64 CODEC(ZSTD(1)),
    `loaded_at` DateTime DEFAULT now() CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree ORDER BY (id, load);
CREATE TABLE IF NOT EXISTS `process` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ipid` Int64 CODEC(ZSTD(1)),
    `pid` Int64 CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `start_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `switch_count` Int64 CODEC(ZSTD(1)),
    `thread_count` Int64 CODEC(ZSTD(1)),
    `slice_count` Int64 CODEC(ZSTD(1)),
    `mem_count` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `thread` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `itid` Int64 CODEC(ZSTD(1)),
    `tid` Nullable(Int64) CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `start_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `is_main_thread` Nullable(UInt8) CODEC(ZSTD(1)),
    `switch_count` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `trace_range` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `start_ts` Int64 CODEC(Delta, ZSTD(1)),
    `end_ts` Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `data_type` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `typeId` Int64 CODEC(ZSTD(1)),
    `desc` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `symbols` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `funcname` String CODEC(ZSTD(1)),
    `addr` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stat` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `event_name` String CODEC(ZSTD(1)),
    `stat_type` String CODEC(ZSTD(1)),
    `count` Int64 CODEC(ZSTD(1)),
    `serverity` String CODEC(ZSTD(1)),
    `source` LowCardinality(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `args` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `key` Int64 CODEC(Delta, ZSTD(1)),
    `datatype` Int64 CODEC(ZSTD(1)),
    `value` Int64 CODEC(ZSTD(1)),
    `argset` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `meta` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `value` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `trace_config` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `trace_source` String CODEC(ZSTD(1)),
    `key` LowCardinality(String) CODEC(ZSTD(1)),
    `value` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `data_dict` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `data` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `datasource_clockid` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `data_source_name` String CODEC(ZSTD(1)),
    `clock_id` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `clock_snapshot` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `clock_id` Int64 CODEC(ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `clock_name` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `ebpf_callstack` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `callchain_id` Int64 CODEC(ZSTD(1)),
    `depth` Int64 CODEC(ZSTD(1)),
    `ip` Nullable(String) CODEC(ZSTD(1)),
    `symbols_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `file_path_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `bio_latency_sample` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `callchain_id` Int64 CODEC(ZSTD(1)),
    `type` Int64 CODEC(ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `start_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `latency_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `tier` Int64 CODEC(ZSTD(1)),
    `size` Int64 CODEC(ZSTD(1)),
    `block_number` Nullable(String) CODEC(ZSTD(1)),
    `path_id` Nullable(String) CODEC(ZSTD(1)),
    `dur_per_4k` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `file_system_sample` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `callchain_id` Int64 CODEC(ZSTD(1)),
    `type` Int64 CODEC(ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `start_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `return_value` String CODEC(ZSTD(1)),
    `error_code` Nullable(String) CODEC(ZSTD(1)),
    `fd` Nullable(Int64) CODEC(ZSTD(1)),
    `file_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `size` Nullable(Int64) CODEC(ZSTD(1)),
    `first_argument` Nullable(String) CODEC(ZSTD(1)),
    `second_argument` Nullable(String) CODEC(ZSTD(1)),
    `third_argument` Nullable(String) CODEC(ZSTD(1)),
    `fourth_argument` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `paged_memory_sample` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `callchain_id` Int64 CODEC(ZSTD(1)),
    `type` Int64 CODEC(ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `start_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `size` Int64 CODEC(ZSTD(1)),
    `addr` Nullable(String) CODEC(ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `native_hook` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `callchain_id` Int64 CODEC(ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `event_type` String CODEC(ZSTD(1)),
    `sub_type_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `start_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `addr` Int64 CODEC(ZSTD(1)),
    `heap_size` Int64 CODEC(ZSTD(1)),
    `all_heap_size` Nullable(Int64) CODEC(ZSTD(1)),
    `current_size_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `last_lib_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `last_symbol_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `native_hook_frame` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `callchain_id` Int64 CODEC(ZSTD(1)),
    `depth` Int64 CODEC(ZSTD(1)),
    `ip` Nullable(Int64) CODEC(ZSTD(1)),
    `symbol_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `file_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `offset` Nullable(Int64) CODEC(ZSTD(1)),
    `symbol_offset` Nullable(Int64) CODEC(ZSTD(1)),
    `vaddr` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `native_hook_statistic` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `callchain_id` Int64 CODEC(ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `type` Int64 CODEC(ZSTD(1)),
    `sub_type_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `apply_count` Int64 CODEC(ZSTD(1)),
    `release_count` Int64 CODEC(ZSTD(1)),
    `apply_size` Int64 CODEC(ZSTD(1)),
    `release_size` Int64 CODEC(ZSTD(1)),
    `last_lib_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `last_symbol_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_files` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `file_name` String CODEC(ZSTD(1)),
    `start_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `self_size` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_edges` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `edge_index` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `type` Nullable(UInt8) CODEC(ZSTD(1)),
    `name_or_index` Nullable(UInt32) CODEC(ZSTD(1)),
    `to_node` Nullable(UInt32) CODEC(ZSTD(1)),
    `from_node_id` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `to_node_id` Nullable(UInt32) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_info` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `key` LowCardinality(String) CODEC(ZSTD(1)),
    `type` Int64 CODEC(ZSTD(1)),
    `int_value` Nullable(Int64) CODEC(ZSTD(1)),
    `str_value` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_location` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `object_index` Nullable(UInt32) CODEC(ZSTD(1)),
    `script_id` Nullable(UInt32) CODEC(ZSTD(1)),
    `line` Nullable(UInt32) CODEC(ZSTD(1)),
    `column` Nullable(UInt32) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_nodes` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `node_index` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `type` Nullable(UInt8) CODEC(ZSTD(1)),
    `name` Nullable(UInt32) CODEC(ZSTD(1)),
    `id` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `self_size` Nullable(Int64) CODEC(ZSTD(1)),
    `edge_count` Nullable(UInt32) CODEC(ZSTD(1)),
    `trace_node_id` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `detachedness` Nullable(UInt8) CODEC(ZSTD(1)),
    `native_size` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_sample` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `timestamp_us` Nullable(Int64) CODEC(ZSTD(1)),
    `last_assigned_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_string` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `file_index` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `string` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_trace_function_info` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `function_index` Nullable(Int64) CODEC(ZSTD(1)),
    `function_id` Nullable(Int64) CODEC(ZSTD(1)),
    `name` Nullable(Int64) CODEC(ZSTD(1)),
    `script_name` Nullable(Int64) CODEC(ZSTD(1)),
    `script_id` Nullable(Int64) CODEC(ZSTD(1)),
    `line` Nullable(Int64) CODEC(ZSTD(1)),
    `column` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_trace_node` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `function_info_index` Nullable(Int64) CODEC(ZSTD(1)),
    `count` Nullable(Int64) CODEC(ZSTD(1)),
    `size` Nullable(Int64) CODEC(ZSTD(1)),
    `parent_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_cpu_profiler_node` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `function_id` Nullable(Int64) CODEC(ZSTD(1)),
    `function_index` Int64 CODEC(Delta, ZSTD(1)),
    `script_id` Nullable(String) CODEC(ZSTD(1)),
    `url_index` Int64 CODEC(Delta, ZSTD(1)),
    `line_number` Nullable(Int64) CODEC(ZSTD(1)),
    `column_number` Nullable(Int64) CODEC(ZSTD(1)),
    `hit_count` Nullable(Int64) CODEC(ZSTD(1)),
    `children` String CODEC(ZSTD(1)),
    `parent_id` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_cpu_profiler_sample` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `function_id` Nullable(Int64) CODEC(ZSTD(1)),
    `start_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_config` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `pid` Int64 CODEC(ZSTD(1)),
    `type` Int64 CODEC(ZSTD(1)),
    `interval_` Nullable(Int64) CODEC(ZSTD(1)),
    `capture_numeric_value` Nullable(UInt8) CODEC(ZSTD(1)),
    `trace_allocation` Nullable(UInt8) CODEC(ZSTD(1)),
    `enable_cpu_profiler` Nullable(UInt8) CODEC(ZSTD(1)),
    `cpu_profiler_interval` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perf_report` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `report_type` String CODEC(ZSTD(1)),
    `report_value` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perf_sample` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `callchain_id` Nullable(Int64) CODEC(ZSTD(1)),
    `timeStamp` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `thread_id` Nullable(Int64) CODEC(ZSTD(1)),
    `event_count` Int64 CODEC(ZSTD(1)),
    `event_type_id` Int64 CODEC(Delta, ZSTD(1)),
    `timestamp_trace` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `cpu_id` Nullable(Int64) CODEC(ZSTD(1)),
    `thread_state` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perf_callchain` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` UInt32 CODEC(Delta, ZSTD(1)),
    `callchain_id` Int64 CODEC(ZSTD(1)),
    `depth` Int64 CODEC(ZSTD(1)),
    `ip` Int64 CODEC(ZSTD(1)),
    `vaddr_in_file` Int64 CODEC(ZSTD(1)),
    `offset_to_vaddr` Nullable(Int64) CODEC(ZSTD(1)),
    `file_id` Int64 CODEC(ZSTD(1)),
    `symbol_id` Int64 CODEC(ZSTD(1)),
    `name` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `source_file_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `line_number` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perf_thread` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `thread_id` Int64 CODEC(ZSTD(1)),
    `process_id` Int64 CODEC(ZSTD(1)),
    `thread_name` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perf_files` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `file_id` Int64 CODEC(ZSTD(1)),
    `serial_id` Int64 CODEC(ZSTD(1)),
    `symbol` Nullable(String) CODEC(ZSTD(1)),
    `path` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perf_napi_async` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `traceid` String CODEC(ZSTD(1)),
    `cpu_id` Nullable(Int64) CODEC(ZSTD(1)),
    `thread_id` Int64 CODEC(ZSTD(1)),
    `process_id` Int64 CODEC(ZSTD(1)),
    `caller_callchainid` Int64 CODEC(ZSTD(1)),
    `callee_callchainid` Int64 CODEC(ZSTD(1)),
    `perf_sample_id` Int64 CODEC(Delta, ZSTD(1)),
    `event_count` Int64 CODEC(ZSTD(1)),
    `event_type_id` Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `measure` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `value` Int64 CODEC(ZSTD(1)),
    `filter_id` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `sys_mem_measure` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `value` Nullable(Int64) CODEC(ZSTD(1)),
    `filter_id` Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `process_measure` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `value` Nullable(Int64) CODEC(ZSTD(1)),
    `filter_id` Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_measure` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `value` Nullable(Int64) CODEC(ZSTD(1)),
    `filter_id` Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cpu_measure_filter` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `cpu` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `measure_filter` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `source_arg_set_id` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `process_measure_filter` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `ipid` Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `clock_event_filter` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `cpu` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `clk_event_filter` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `cpu` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `task_pool` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `allocation_task_row` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `execute_task_row` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `return_task_row` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `allocation_itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `execute_itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `return_itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `task_id` Int64 CODEC(ZSTD(1)),
    `priority` Nullable(Int64) CODEC(ZSTD(1)),
    `execute_state` Nullable(Int64) CODEC(ZSTD(1)),
    `return_state` Nullable(Int64) CODEC(ZSTD(1)),
    `timeout_row` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `app_startup` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `call_id` Int64 CODEC(Delta, ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `tid` Nullable(Int64) CODEC(ZSTD(1)),
    `start_time` Int64 CODEC(Delta, ZSTD(1)),
    `end_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `start_name` Int64 CODEC(ZSTD(1)),
    `packed_name` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `static_initalize` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `tid` Nullable(Int64) CODEC(ZSTD(1)),
    `call_id` Int64 CODEC(Delta, ZSTD(1)),
    `start_time` Int64 CODEC(Delta, ZSTD(1)),
    `end_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `so_name` String CODEC(ZSTD(1)),
    `depth` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `animation` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `input_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `start_point` Int64 CODEC(Delta, ZSTD(1)),
    `end_point` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `frame_info` Nullable(String) CODEC(ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `dynamic_frame` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `x` Int64 CODEC(ZSTD(1)),
    `y` Int64 CODEC(ZSTD(1)),
    `width` Int64 CODEC(ZSTD(1)),
    `height` Int64 CODEC(ZSTD(1)),
    `alpha` Nullable(String) CODEC(ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `end_time` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `device_info` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `physical_width` Nullable(Int64) CODEC(ZSTD(1)),
    `physical_height` Nullable(Int64) CODEC(ZSTD(1)),
    `physical_frame_rate` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `frame_slice` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `vsync` Nullable(Int64) CODEC(ZSTD(1)),
    `ipid` Int64 CODEC(Delta, ZSTD(1)),
    `itid` Int64 CODEC(Delta, ZSTD(1)),
    `callstack_id` Int64 CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `src` Nullable(String) CODEC(ZSTD(1)),
    `dst` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `type` Int64 CODEC(ZSTD(1)),
    `type_desc` String CODEC(ZSTD(1)),
    `flag` Nullable(Int64) CODEC(ZSTD(1)),
    `depth` Nullable(Int64) CODEC(ZSTD(1)),
    `frame_no` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `frame_maps` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `src_row` Int64 CODEC(Delta, ZSTD(1)),
    `dst_row` Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `gpu_slice` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `frame_row` Int64 CODEC(Delta, ZSTD(1)),
    `dur` Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `smaps` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `timeStamp` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `start_addr` Nullable(String) CODEC(ZSTD(1)),
    `end_addr` Nullable(String) CODEC(ZSTD(1)),
    `dirty` Nullable(Int64) CODEC(ZSTD(1)),
    `swapper` Nullable(Int64) CODEC(ZSTD(1)),
    `resident_size` Nullable(Int64) CODEC(ZSTD(1)),
    `pss` Nullable(Int64) CODEC(ZSTD(1)),
    `virtaul_size` Nullable(Int64) CODEC(ZSTD(1)),
    `reside` Nullable(Float64) CODEC(ZSTD(1)),
    `protection_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `path_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `shared_clean` Nullable(Int64) CODEC(ZSTD(1)),
    `shared_dirty` Nullable(Int64) CODEC(ZSTD(1)),
    `private_clean` Nullable(Int64) CODEC(ZSTD(1)),
    `private_dirty` Nullable(Int64) CODEC(ZSTD(1)),
    `swap` Nullable(Int64) CODEC(ZSTD(1)),
    `swap_pss` Nullable(Int64) CODEC(ZSTD(1)),
    `type` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_ashmem` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `adj` Nullable(Int64) CODEC(ZSTD(1)),
    `fd` Nullable(Int64) CODEC(ZSTD(1)),
    `ashmem_name_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `size` Nullable(Int64) CODEC(ZSTD(1)),
    `pss` Nullable(Int64) CODEC(ZSTD(1)),
    `ashmem_id` Nullable(Int64) CODEC(ZSTD(1)),
    `time` Nullable(Int64) CODEC(ZSTD(1)),
    `ref_count` Nullable(Int64) CODEC(ZSTD(1)),
    `purged` Nullable(Int64) CODEC(ZSTD(1)),
    `flag` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_dma` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `fd` Nullable(Int64) CODEC(ZSTD(1)),
    `size` Nullable(Int64) CODEC(ZSTD(1)),
    `ino` Nullable(Int64) CODEC(ZSTD(1)),
    `exp_pid` Nullable(Int64) CODEC(ZSTD(1)),
    `exp_task_comm_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `buf_name_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `exp_name_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `flag` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_process_gpu` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `gpu_name_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `all_gpu_size` Nullable(Int64) CODEC(ZSTD(1)),
    `addr` Nullable(String) CODEC(ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `used_gpu_size` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_window_gpu` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `window_name_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `window_id` Nullable(Int64) CODEC(ZSTD(1)),
    `module_name_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `category_name_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `size` Nullable(Int64) CODEC(ZSTD(1)),
    `count` Nullable(Int64) CODEC(ZSTD(1)),
    `purgeable_size` Nullable(Int64) CODEC(ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_cpu` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `total_size` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_profile` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `channel_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `total_size` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `memory_rs_image` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `mem_size` Nullable(Int64) CODEC(ZSTD(1)),
    `type_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `surface_name_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `app_name` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `app_name` Int64 CODEC(Delta, ZSTD(1)),
    `app_key` Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `hisys_event_measure` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `serial` Nullable(Int64) CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `name_id` Int64 CODEC(Delta, ZSTD(1)),
    `key_id` Int64 CODEC(Delta, ZSTD(1)),
    `type` Int64 CODEC(ZSTD(1)),
    `int_value` Float64 CODEC(ZSTD(1)),
    `string_value` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `device_state` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `brightness` Nullable(Int64) CODEC(ZSTD(1)),
    `bt_state` Nullable(Int64) CODEC(ZSTD(1)),
    `location` Nullable(Int64) CODEC(ZSTD(1)),
    `wifi` Nullable(Int64) CODEC(ZSTD(1)),
    `stream_default` Nullable(Int64) CODEC(ZSTD(1)),
    `voice_call` Nullable(Int64) CODEC(ZSTD(1)),
    `music` Nullable(Int64) CODEC(ZSTD(1)),
    `stream_ring` Nullable(Int64) CODEC(ZSTD(1)),
    `media` Nullable(Int64) CODEC(ZSTD(1)),
    `voice_assistant` Nullable(Int64) CODEC(ZSTD(1)),
    `system` Nullable(Int64) CODEC(ZSTD(1)),
    `alarm` Nullable(Int64) CODEC(ZSTD(1)),
    `notification` Nullable(Int64) CODEC(ZSTD(1)),
    `bt_sco` Nullable(Int64) CODEC(ZSTD(1)),
    `enforced_audible` Nullable(Int64) CODEC(ZSTD(1)),
    `stream_dtmf` Nullable(Int64) CODEC(ZSTD(1)),
    `stream_tts` Nullable(Int64) CODEC(ZSTD(1)),
    `accessibility` Nullable(Int64) CODEC(ZSTD(1)),
    `recording` Nullable(Int64) CODEC(ZSTD(1)),
    `stream_all` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `hisys_all_event` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `domain_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `event_name_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `type` Nullable(Int64) CODEC(ZSTD(1)),
    `time_zone` Nullable(String) CODEC(ZSTD(1)),
    `pid` Nullable(Int64) CODEC(ZSTD(1)),
    `tid` Nullable(Int64) CODEC(ZSTD(1)),
    `uid` Nullable(Int64) CODEC(ZSTD(1)),
    `level` Nullable(String) CODEC(ZSTD(1)),
    `tag` Nullable(String) CODEC(ZSTD(1)),
    `event_id` Nullable(String) CODEC(ZSTD(1)),
    `seq` Nullable(Int64) CODEC(ZSTD(1)),
    `info` Nullable(String) CODEC(ZSTD(1)),
    `contents` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_app_detail_display` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `start_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `count_1hz` Nullable(Int64) CODEC(ZSTD(1)),
    `count_5hz` Nullable(Int64) CODEC(ZSTD(1)),
    `count_10hz` Nullable(Int64) CODEC(ZSTD(1)),
    `count_15hz` Nullable(Int64) CODEC(ZSTD(1)),
    `count_24hz` Nullable(Int64) CODEC(ZSTD(1)),
    `count_30hz` Nullable(Int64) CODEC(ZSTD(1)),
    `count_45hz` Nullable(Int64) CODEC(ZSTD(1)),
    `count_60hz` Nullable(Int64) CODEC(ZSTD(1)),
    `count_90hz` Nullable(Int64) CODEC(ZSTD(1)),
    `count_120hz` Nullable(Int64) CODEC(ZSTD(1)),
    `count_180hz` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_app_statistic` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `component_type_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `start_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `duration` Nullable(Int64) CODEC(ZSTD(1)),
    `energy` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_app_detail_cpu` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `thread_name_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `start_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `thread_time` Nullable(Int64) CODEC(ZSTD(1)),
    `thread_loads` Nullable(Int64) CODEC(ZSTD(1)),
    `thread_energy` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_app_detail_gpu` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `frequency` Nullable(Int64) CODEC(ZSTD(1)),
    `start_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `idle_time` Nullable(Int64) CODEC(ZSTD(1)),
    `run_time` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_app_detail_wifi` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `start_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `tx_packets` Nullable(Int64) CODEC(ZSTD(1)),
    `rx_packets` Nullable(Int64) CODEC(ZSTD(1)),
    `tx_bytes` Nullable(Int64) CODEC(ZSTD(1)),
    `rx_bytes` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `xpower_component_top` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `component_type_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `start_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `appname` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `background_duration` Nullable(Int64) CODEC(ZSTD(1)),
    `background_energy` Nullable(Int64) CODEC(ZSTD(1)),
    `foreground_duration` Nullable(Int64) CODEC(ZSTD(1)),
    `foreground_energy` Nullable(Int64) CODEC(ZSTD(1)),
    `screen_off_duration` Nullable(Int64) CODEC(ZSTD(1)),
    `screen_off_energy` Nullable(Int64) CODEC(ZSTD(1)),
    `screen_on_duration` Nullable(Int64) CODEC(ZSTD(1)),
    `screen_on_energy` Nullable(Int64) CODEC(ZSTD(1)),
    `camera_id` Nullable(Int64) CODEC(ZSTD(1)),
    `uid` Nullable(Int64) CODEC(ZSTD(1)),
    `load_` Nullable(Int64) CODEC(ZSTD(1)),
    `app_usage_duration` Nullable(Int64) CODEC(ZSTD(1)),
    `app_usage_energy` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `raw` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` UInt32 CODEC(Delta, ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `cpu` Nullable(Int64) CODEC(ZSTD(1)),
    `itid` Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `instant` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `ref` Int64 CODEC(Delta, ZSTD(1)),
    `wakeup_from` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ref_type` String CODEC(ZSTD(1)),
    `value` Nullable(Float64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `sched_slice` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` UInt32 CODEC(Delta, ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ts_end` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `cpu` Int64 CODEC(ZSTD(1)),
    `itid` UInt32 CODEC(Delta, ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_state` Nullable(String) CODEC(ZSTD(1)),
    `priority` Int64 CODEC(ZSTD(1)),
    `arg_setid` Nullable(Int64) CODEC(ZSTD(1)),
    `prev_itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `prev_state` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `thread_state` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` UInt32 CODEC(Delta, ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `cpu` Nullable(Int64) CODEC(ZSTD(1)),
    `itid` UInt32 CODEC(Delta, ZSTD(1)),
    `tid` Int64 CODEC(ZSTD(1)),
    `pid` Nullable(Int64) CODEC(ZSTD(1)),
    `state` LowCardinality(String) CODEC(ZSTD(1)),
    `arg_setid` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `callstack` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` UInt32 CODEC(Delta, ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `callid` UInt32 CODEC(Delta, ZSTD(1)),
    `cat` Nullable(String) CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `depth` Int64 CODEC(ZSTD(1)),
    `cookie` Nullable(Int64) CODEC(ZSTD(1)),
    `parent_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `argsetid` Nullable(Int64) CODEC(ZSTD(1)),
    `chainId` Nullable(String) CODEC(ZSTD(1)),
    `spanId` Nullable(String) CODEC(ZSTD(1)),
    `parentSpanId` Nullable(String) CODEC(ZSTD(1)),
    `flag` Nullable(String) CODEC(ZSTD(1)),
    `trace_level` Nullable(String) CODEC(ZSTD(1)),
    `trace_tag` Nullable(String) CODEC(ZSTD(1)),
    `custom_category` Nullable(String) CODEC(ZSTD(1)),
    `custom_args` Nullable(String) CODEC(ZSTD(1)),
    `child_callid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `colorIndex` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `irq` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `callid` Int64 CODEC(ZSTD(1)),
    `cat` String CODEC(ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `depth` Int64 CODEC(ZSTD(1)),
    `cookie` Nullable(Int64) CODEC(ZSTD(1)),
    `parent_id` Nullable(Int64) CODEC(ZSTD(1)),
    `argsetid` Nullable(Int64) CODEC(ZSTD(1)),
    `flag` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `hidump` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `fps` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `syscall` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `syscall_number` Int64 CODEC(ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `itid` Int64 CODEC(Delta, ZSTD(1)),
    `args` Nullable(String) CODEC(ZSTD(1)),
    `ret` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `log` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `seq` Nullable(Int64) CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `pid` Nullable(Int64) CODEC(ZSTD(1)),
    `tid` Nullable(Int64) CODEC(ZSTD(1)),
    `level` Nullable(String) CODEC(ZSTD(1)),
    `tag` Nullable(String) CODEC(ZSTD(1)),
    `context` Nullable(String) CODEC(ZSTD(1)),
    `origints` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `network` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `tx` Nullable(Int64) CODEC(ZSTD(1)),
    `rx` Nullable(Int64) CODEC(ZSTD(1)),
    `tx_speed` Nullable(Float64) CODEC(ZSTD(1)),
    `rx_speed` Nullable(Float64) CODEC(ZSTD(1)),
    `packet_in` Nullable(Int64) CODEC(ZSTD(1)),
    `packet_in_sec` Nullable(Float64) CODEC(ZSTD(1)),
    `packet_out` Nullable(Int64) CODEC(ZSTD(1)),
    `packet_out_sec` Nullable(Float64) CODEC(ZSTD(1)),
    `net_type` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `sys_event_filter` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `diskio` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `rd` Nullable(Int64) CODEC(ZSTD(1)),
    `wr` Nullable(Int64) CODEC(ZSTD(1)),
    `rd_speed` Nullable(Float64) CODEC(ZSTD(1)),
    `wr_speed` Nullable(Float64) CODEC(ZSTD(1)),
    `rd_count` Nullable(Int64) CODEC(ZSTD(1)),
    `wr_count` Nullable(Int64) CODEC(ZSTD(1)),
    `rd_count_speed` Nullable(Float64) CODEC(ZSTD(1)),
    `wr_count_speed` Nullable(Float64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cpu_usage` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `total_load` Nullable(Float64) CODEC(ZSTD(1)),
    `user_load` Nullable(Float64) CODEC(ZSTD(1)),
    `system_load` Nullable(Float64) CODEC(ZSTD(1)),
    `process_num` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `live_process` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `cpu_time` Nullable(Int64) CODEC(ZSTD(1)),
    `process_id` Nullable(Int64) CODEC(ZSTD(1)),
    `process_name` Nullable(String) CODEC(ZSTD(1)),
    `parent_process_id` Nullable(Int64) CODEC(ZSTD(1)),
    `uid` Nullable(Int64) CODEC(ZSTD(1)),
    `user_name` Nullable(String) CODEC(ZSTD(1)),
    `cpu_usage` Nullable(Float64) CODEC(ZSTD(1)),
    `pss_info` Nullable(Int64) CODEC(ZSTD(1)),
    `thread_num` Nullable(Int64) CODEC(ZSTD(1)),
    `disk_writes` Nullable(Int64) CODEC(ZSTD(1)),
    `disk_reads` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `dma_fence` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `cat` String CODEC(ZSTD(1)),
    `driver` String CODEC(ZSTD(1)),
    `timeline` String CODEC(ZSTD(1)),
    `context` Int64 CODEC(ZSTD(1)),
    `seqno` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `timerfd_wakeup` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `pid` Int64 CODEC(ZSTD(1)),
    `tid` Int64 CODEC(ZSTD(1)),
    `thread_name` Int64 CODEC(Delta, ZSTD(1)),
    `interval_` Int64 CODEC(ZSTD(1)),
    `curr_mono` String CODEC(ZSTD(1)),
    `expire_mono` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `source` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `parent_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `kind` LowCardinality(String) CODEC(ZSTD(1)),
    `path` Nullable(String) CODEC(ZSTD(1)),
    `format` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `format_version` Nullable(String) CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `pid` Nullable(Int64) CODEC(ZSTD(1)),
    `host` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `clock` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `start_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `bytes` Int64 CODEC(ZSTD(1)),
    `complete` UInt8 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `source_property` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `key` LowCardinality(String) CODEC(ZSTD(1)),
    `value` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `import_issue` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `source_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `severity` LowCardinality(String) CODEC(ZSTD(1)),
    `code` LowCardinality(String) CODEC(ZSTD(1)),
    `stream` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `offset` Nullable(Int64) CODEC(ZSTD(1)),
    `count` Int64 CODEC(ZSTD(1)),
    `message` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `import_count` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `source_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `item` LowCardinality(String) CODEC(ZSTD(1)),
    `declared` Nullable(Int64) CODEC(ZSTD(1)),
    `seen` Int64 CODEC(ZSTD(1)),
    `imported` Int64 CODEC(ZSTD(1)),
    `lost` Int64 CODEC(ZSTD(1)),
    `skipped` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `schema_doc` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `table_name` String CODEC(ZSTD(1)),
    `column_name` String CODEC(ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `unit` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `description` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `process_detail` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `ipid` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `host` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `command_line` Nullable(String) CODEC(ZSTD(1)),
    `runtime` Nullable(String) CODEC(ZSTD(1)),
    `pid_known` UInt8 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `thread_detail` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `itid` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `tid_kind` String CODEC(ZSTD(1)),
    `group_name` Nullable(String) CODEC(ZSTD(1)),
    `priority` Nullable(Int64) CODEC(ZSTD(1)),
    `daemon` Nullable(UInt8) CODEC(ZSTD(1)),
    `state` LowCardinality(Nullable(String)) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_method` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `raw_id` Nullable(Int64) CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `class` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `package` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `signature` Nullable(String) CODEC(ZSTD(1)),
    `file` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `line` Nullable(Int64) CODEC(ZSTD(1)),
    `library` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `modifiers` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_node` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` UInt32 CODEC(Delta, ZSTD(1)),
    `source_id` UInt32 CODEC(Delta, ZSTD(1)),
    `parent_id` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `method_id` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `line` Nullable(Int64) CODEC(ZSTD(1)),
    `depth` Int64 CODEC(ZSTD(1)),
    `raw_id` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_sample` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` UInt32 CODEC(Delta, ZSTD(1)),
    `source_id` UInt32 CODEC(Delta, ZSTD(1)),
    `itid` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `node_id` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `event` LowCardinality(Nullable(String)) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `event_class` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `format` LowCardinality(String) CODEC(ZSTD(1)),
    `event` LowCardinality(String) CODEC(ZSTD(1)),
    `state` LowCardinality(String) CODEC(ZSTD(1)),
    `class` LowCardinality(String) CODEC(ZSTD(1)),
    `reason` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_value_type` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `unit` LowCardinality(Nullable(String)) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_sample_value` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `sample_id` UInt32 CODEC(Delta, ZSTD(1)),
    `value_type_id` UInt32 CODEC(Delta, ZSTD(1)),
    `value` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_sample_label` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `sample_id` UInt32 CODEC(Delta, ZSTD(1)),
    `key` LowCardinality(String) CODEC(ZSTD(1)),
    `value` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_slice` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` UInt32 CODEC(Delta, ZSTD(1)),
    `source_id` UInt32 CODEC(Delta, ZSTD(1)),
    `itid` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `parent_id` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `node_id` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `self_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `cpu_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `depth` Nullable(Int64) CODEC(ZSTD(1)),
    `state` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `runtime_pause` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `kind` LowCardinality(String) CODEC(ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `bytes_before` Nullable(Int64) CODEC(ZSTD(1)),
    `bytes_after` Nullable(Int64) CODEC(ZSTD(1)),
    `bytes_total` Nullable(Int64) CODEC(ZSTD(1)),
    `objects_before` Nullable(Int64) CODEC(ZSTD(1)),
    `objects_after` Nullable(Int64) CODEC(ZSTD(1)),
    `state` Int64 CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `cause` LowCardinality(Nullable(String)) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `lock_wait` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `kind` LowCardinality(String) CODEC(ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `object_id` Nullable(Int64) CODEC(ZSTD(1)),
    `class` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `owner_itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `timeout` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `node_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `slice_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `state` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `timeseries` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `unit` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `interval_` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `timeseries_value` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `series_id` UInt32 CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `value` Nullable(Float64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_file_detail` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `node_stride` Nullable(Int64) CODEC(ZSTD(1)),
    `first_info_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `node_type_count` Int64 CODEC(ZSTD(1)),
    `first_edge_type_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `edge_type_count` Int64 CODEC(ZSTD(1)),
    `first_node_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `node_count` Int64 CODEC(ZSTD(1)),
    `first_edge_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `edge_count` Int64 CODEC(ZSTD(1)),
    `first_edge_block_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `edge_block_count` Int64 CODEC(ZSTD(1)),
    `first_string_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `string_count` Int64 CODEC(ZSTD(1)),
    `first_sample_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `first_location_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `first_trace_function_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `first_trace_node_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `first_class_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `class_count` Int64 CODEC(ZSTD(1)),
    `complete` UInt8 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_class` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `type` Nullable(UInt8) CODEC(ZSTD(1)),
    `name` Nullable(UInt32) CODEC(ZSTD(1)),
    `count` Nullable(Int64) CODEC(ZSTD(1)),
    `self_size` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_edge_block` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `first_node_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `last_node_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_cpu_profile` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `id_offset` Int64 CODEC(ZSTD(1)),
    `title` Nullable(String) CODEC(ZSTD(1)),
    `tid` Nullable(Int64) CODEC(ZSTD(1)),
    `start_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `started_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `reported_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `node_count` Int64 CODEC(ZSTD(1)),
    `sample_count` Int64 CODEC(ZSTD(1)),
    `first_sample_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `gc_time_us` Nullable(Int64) CODEC(ZSTD(1)),
    `c_interpreter_time_us` Nullable(Int64) CODEC(ZSTD(1)),
    `asm_interpreter_time_us` Nullable(Int64) CODEC(ZSTD(1)),
    `aot_time_us` Nullable(Int64) CODEC(ZSTD(1)),
    `builtin_time_us` Nullable(Int64) CODEC(ZSTD(1)),
    `napi_time_us` Nullable(Int64) CODEC(ZSTD(1)),
    `arkui_engine_time_us` Nullable(Int64) CODEC(ZSTD(1)),
    `runtime_time_us` Nullable(Int64) CODEC(ZSTD(1)),
    `other_time_us` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `flare_thread` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `itid` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `sample_count` Nullable(Int64) CODEC(ZSTD(1)),
    `cpu_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `sample_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `in_summary` UInt8 CODEC(ZSTD(1)),
    `series_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `series_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `series_end_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `slot_count` Nullable(Int64) CODEC(ZSTD(1)),
    `series_cpu_us` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `flare_stack` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `sample_id` Int64 CODEC(Delta, ZSTD(1)),
    `step` Nullable(Int64) CODEC(ZSTD(1)),
    `cpu_time` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `cpu_time_delta` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `sample_count` Nullable(Int64) CODEC(ZSTD(1)),
    `state` LowCardinality(Nullable(String)) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_dictionary` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `word_id` Nullable(Int64) CODEC(ZSTD(1)),
    `word` String CODEC(ZSTD(1)),
    `method_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_param` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `dictionary_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `is_index` UInt8 CODEC(ZSTD(1)),
    `is_list` UInt8 CODEC(ZSTD(1)),
    `sort_order` Int64 CODEC(ZSTD(1)),
    `signature` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_suspend` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_text` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `stream` LowCardinality(String) CODEC(ZSTD(1)),
    `file` Int64 CODEC(ZSTD(1)),
    `offset` Int64 CODEC(ZSTD(1)),
    `value` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_block` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `file` Int64 CODEC(ZSTD(1)),
    `offset` Int64 CODEC(ZSTD(1)),
    `bytes` Int64 CODEC(ZSTD(1)),
    `itid` Int64 CODEC(Delta, ZSTD(1)),
    `real_ts` Int64 CODEC(Delta, ZSTD(1)),
    `start_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `events` Int64 CODEC(ZSTD(1)),
    `complete` UInt8 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_root` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `slice_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `block_id` Int64 CODEC(Delta, ZSTD(1)),
    `record` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_tag` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `slice_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `block_id` Int64 CODEC(Delta, ZSTD(1)),
    `record` Int64 CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `word_id` Nullable(Int64) CODEC(ZSTD(1)),
    `dictionary_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `type` Nullable(Int64) CODEC(ZSTD(1)),
    `value` Nullable(String) CODEC(ZSTD(1)),
    `text_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `text_file` Nullable(Int64) CODEC(ZSTD(1)),
    `text_offset` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_call` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `calls_file` Int64 CODEC(ZSTD(1)),
    `record` Int64 CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Int64 CODEC(Delta, ZSTD(1)),
    `method_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `calls` Int64 CODEC(ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `thread_index` Nullable(Int64) CODEC(ZSTD(1)),
    `thread_name` Nullable(String) CODEC(ZSTD(1)),
    `logs_written` Nullable(Int64) CODEC(ZSTD(1)),
    `logs_generated` Nullable(Int64) CODEC(ZSTD(1)),
    `cpu_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `wait_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `memory` Nullable(Int64) CODEC(ZSTD(1)),
    `file_read` Nullable(Int64) CODEC(ZSTD(1)),
    `file_written` Nullable(Int64) CODEC(ZSTD(1)),
    `net_read` Nullable(Int64) CODEC(ZSTD(1)),
    `net_written` Nullable(Int64) CODEC(ZSTD(1)),
    `transactions` Nullable(Int64) CODEC(ZSTD(1)),
    `queue_wait_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `suspend_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `trace_file` Int64 CODEC(ZSTD(1)),
    `trace_offset` Int64 CODEC(ZSTD(1)),
    `trace_record` Int64 CODEC(ZSTD(1)),
    `root_slice_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `cloud_call_param` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `call_id` Int64 CODEC(Delta, ZSTD(1)),
    `word_id` Int64 CODEC(ZSTD(1)),
    `dictionary_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ordinal` Int64 CODEC(Delta, ZSTD(1)),
    `value` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `smaps_detail` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `smaps_id` Int64 CODEC(Delta, ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `category` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `stack_total` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `event` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `method_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `self_count` Int64 CODEC(ZSTD(1)),
    `total_count` Int64 CODEC(ZSTD(1)),
    `self_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `total_dur` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_node` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `node_id` Nullable(String) CODEC(ZSTD(1)),
    `hostname` Nullable(String) CODEC(ZSTD(1)),
    `ip_address` Nullable(String) CODEC(ZSTD(1)),
    `timezone` Nullable(Int64) CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_process` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `process_id` Nullable(String) CODEC(ZSTD(1)),
    `node_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `pid` Nullable(Int64) CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `executable` Nullable(String) CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_agent` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `agent_id` Nullable(String) CODEC(ZSTD(1)),
    `process_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `type` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `parameters` Nullable(String) CODEC(ZSTD(1)),
    `version` Nullable(String) CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_trace` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `trace_id` Nullable(String) CODEC(ZSTD(1)),
    `agent_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `collation_value` Nullable(String) CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_filter` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `trace_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `pattern` Nullable(String) CODEC(ZSTD(1)),
    `generic_pattern` Nullable(String) CODEC(ZSTD(1)),
    `mode` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `method_pattern` Nullable(String) CODEC(ZSTD(1)),
    `method_generic_pattern` Nullable(String) CODEC(ZSTD(1)),
    `method_mode` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_option` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `trace_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `key` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `value` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_thread` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `itid` Int64 CODEC(Delta, ZSTD(1)),
    `thread_id` Nullable(Int64) CODEC(ZSTD(1)),
    `parent_name` Nullable(String) CODEC(ZSTD(1)),
    `object_id` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_class` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `class_id` Nullable(Int64) CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `package` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `source_name` Nullable(String) CODEC(ZSTD(1)),
    `class_loader` Nullable(String) CODEC(ZSTD(1)),
    `superclass` Nullable(String) CODEC(ZSTD(1)),
    `interface_names` Nullable(String) CODEC(ZSTD(1)),
    `interfaces` Nullable(Int64) CODEC(ZSTD(1)),
    `access` Nullable(String) CODEC(ZSTD(1)),
    `static_fields` Nullable(Int64) CODEC(ZSTD(1)),
    `instance_fields` Nullable(Int64) CODEC(ZSTD(1)),
    `methods` Nullable(Int64) CODEC(ZSTD(1)),
    `object_id` Nullable(Int64) CODEC(ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `defined` UInt8 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_method` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `method_id` Int64 CODEC(Delta, ZSTD(1)),
    `class_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_line` Nullable(Int64) CODEC(ZSTD(1)),
    `exceptions` Nullable(String) CODEC(ZSTD(1)),
    `signature_notation` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_invocation` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `slice_id` Int64 CODEC(Delta, ZSTD(1)),
    `object_id` Nullable(Int64) CODEC(ZSTD(1)),
    `class_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ticket` Nullable(Int64) CODEC(ZSTD(1)),
    `stack_depth` Nullable(Int64) CODEC(ZSTD(1)),
    `sequence` Nullable(Int64) CODEC(ZSTD(1)),
    `exit_sequence` Nullable(Int64) CODEC(ZSTD(1)),
    `overhead` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_allocation` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `object_id` Nullable(Int64) CODEC(ZSTD(1)),
    `class_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `size` Nullable(Int64) CODEC(ZSTD(1)),
    `is_array` Nullable(Int64) CODEC(ZSTD(1)),
    `method_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `line` Nullable(Int64) CODEC(ZSTD(1)),
    `slice_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `context` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_free` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `allocation_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `object_id` Nullable(Int64) CODEC(ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `age` Nullable(Int64) CODEC(ZSTD(1)),
    `sequence` Nullable(Int64) CODEC(ZSTD(1)),
    `stack_depth` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_monitor_frame` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `lock_wait_id` Int64 CODEC(Delta, ZSTD(1)),
    `phase` String CODEC(ZSTD(1)),
    `level` Int64 CODEC(ZSTD(1)),
    `method` Nullable(String) CODEC(ZSTD(1)),
    `line` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_aggregate` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `parent_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `method_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `node_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `depth` Nullable(Int64) CODEC(ZSTD(1)),
    `base_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `min_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `max_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `base_cpu_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `calls` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_heap_dump` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `dump_id` Nullable(Int64) CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `base_time` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_gc_root` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `heap_dump_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `object_id` Nullable(Int64) CODEC(ZSTD(1)),
    `class_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `type` LowCardinality(Nullable(String)) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_reference` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `heap_dump_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `from_object_id` Nullable(Int64) CODEC(ZSTD(1)),
    `to_object_id` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_custom` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `body` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_event` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `kind` LowCardinality(String) CODEC(ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ref` Nullable(String) CODEC(ZSTD(1)),
    `collation_value` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `tptp_event_value` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `event_id` Int64 CODEC(Delta, ZSTD(1)),
    `key` LowCardinality(String) CODEC(ZSTD(1)),
    `value` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `heap_profile_node` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `node_id` Int64 CODEC(Delta, ZSTD(1)),
    `id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `script_id` Nullable(Int64) CODEC(ZSTD(1)),
    `line_number` Nullable(Int64) CODEC(ZSTD(1)),
    `column_number` Nullable(Int64) CODEC(ZSTD(1)),
    `self_size` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `heap_profile_sample` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `sample_id` Int64 CODEC(Delta, ZSTD(1)),
    `ordinal` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_analysis` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `root` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `first_retained_rowid` Int64 CODEC(Delta, ZSTD(1)),
    `first_dominated_rowid` Int64 CODEC(Delta, ZSTD(1)),
    `first_constructor_id` Int64 CODEC(Delta, ZSTD(1)),
    `constructor_count` Int64 CODEC(ZSTD(1)),
    `base_file_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `first_comparison_rowid` Int64 CODEC(Delta, ZSTD(1)),
    `comparison_count` Int64 CODEC(ZSTD(1)),
    `user_roots` UInt8 CODEC(ZSTD(1)),
    `unreached_count` Int64 CODEC(ZSTD(1)),
    `orphan_count` Int64 CODEC(ZSTD(1)),
    `total_size` Int64 CODEC(ZSTD(1)),
    `native_size` Int64 CODEC(ZSTD(1)),
    `typed_array_size` Int64 CODEC(ZSTD(1)),
    `code_size` Int64 CODEC(ZSTD(1)),
    `string_size` Int64 CODEC(ZSTD(1)),
    `js_array_size` Int64 CODEC(ZSTD(1)),
    `system_size` Int64 CODEC(ZSTD(1)),
    `extra_native_size` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_retained` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `node_id` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `dominator` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `retainer` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `retaining_edge` Nullable(UInt32) CODEC(ZSTD(1)),
    `distance` Nullable(UInt32) CODEC(ZSTD(1)),
    `shallow_size` Int64 CODEC(ZSTD(1)),
    `retained_size` Int64 CODEC(ZSTD(1)),
    `detachedness` UInt8 CODEC(ZSTD(1)),
    `constructor_id` UInt32 CODEC(Delta, ZSTD(1)),
    `held_by` UInt8 CODEC(ZSTD(1)),
    `tree_position` UInt32 CODEC(ZSTD(1)),
    `tree_count` UInt32 CODEC(ZSTD(1)),
    `previous` Nullable(UInt32) CODEC(ZSTD(1)),
    `retained_native_size` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_dominated` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `node_index` UInt32 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_constructor` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `script_id` Nullable(Int64) CODEC(ZSTD(1)),
    `line` Nullable(Int64) CODEC(ZSTD(1)),
    `column` Nullable(Int64) CODEC(ZSTD(1)),
    `count` Int64 CODEC(ZSTD(1)),
    `distance` Nullable(Int64) CODEC(ZSTD(1)),
    `shallow_size` Int64 CODEC(ZSTD(1)),
    `retained_size` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_comparison` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `base_file_id` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `script_id` Nullable(Int64) CODEC(ZSTD(1)),
    `line` Nullable(Int64) CODEC(ZSTD(1)),
    `column` Nullable(Int64) CODEC(ZSTD(1)),
    `new_count` Int64 CODEC(ZSTD(1)),
    `deleted_count` Int64 CODEC(ZSTD(1)),
    `new_size` Int64 CODEC(ZSTD(1)),
    `deleted_size` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `js_heap_duplicate_string` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `node_index` Int64 CODEC(Delta, ZSTD(1)),
    `string` String CODEC(ZSTD(1)),
    `count` Int64 CODEC(ZSTD(1)),
    `shallow_size` Int64 CODEC(ZSTD(1)),
    `retained_size` Int64 CODEC(ZSTD(1)),
    `truncated` UInt8 CODEC(ZSTD(1)),
    `length` Nullable(Int64) CODEC(ZSTD(1)),
    `hash` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `java_heap_analysis` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `first_retained_rowid` Int64 CODEC(Delta, ZSTD(1)),
    `first_dominated_rowid` Int64 CODEC(Delta, ZSTD(1)),
    `first_class_rowid` Int64 CODEC(Delta, ZSTD(1)),
    `reached_count` Int64 CODEC(ZSTD(1)),
    `reached_size` Int64 CODEC(ZSTD(1)),
    `unreached_count` Int64 CODEC(ZSTD(1)),
    `unreached_size` Int64 CODEC(ZSTD(1)),
    `pathless_count` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `java_heap_retained` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `dominator` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `retainer` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `retaining_reference` Nullable(UInt32) CODEC(ZSTD(1)),
    `distance` Nullable(UInt32) CODEC(ZSTD(1)),
    `shallow_size` Int64 CODEC(ZSTD(1)),
    `retained_size` Int64 CODEC(ZSTD(1)),
    `tree_position` UInt32 CODEC(ZSTD(1)),
    `tree_count` UInt32 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `java_heap_dominated` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `node_index` UInt32 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `java_heap_class_retained` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `class_id` UInt32 CODEC(Delta, ZSTD(1)),
    `count` Int64 CODEC(ZSTD(1)),
    `shallow_size` Int64 CODEC(ZSTD(1)),
    `retained_size` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `chrome_event` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `phase` Nullable(String) CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `category` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `thread_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `thread_dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `event_id` Nullable(String) CODEC(ZSTD(1)),
    `id_kind` Nullable(String) CODEC(ZSTD(1)),
    `scope` Nullable(String) CODEC(ZSTD(1)),
    `args` Nullable(String) CODEC(ZSTD(1)),
    `extra` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `chrome_slice` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `slice_id` Int64 CODEC(Delta, ZSTD(1)),
    `event_id` Int64 CODEC(Delta, ZSTD(1)),
    `end_event_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `async` UInt8 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `chrome_counter` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `series_id` Int64 CODEC(Delta, ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `counter` Nullable(String) CODEC(ZSTD(1)),
    `event_id` Nullable(String) CODEC(ZSTD(1)),
    `key` LowCardinality(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `chrome_profile_node` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `node_id` Int64 CODEC(Delta, ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `script_id` Nullable(Int64) CODEC(ZSTD(1)),
    `line_number` Nullable(Int64) CODEC(ZSTD(1)),
    `column_number` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `chrome_sample` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `sample_id` Int64 CODEC(Delta, ZSTD(1)),
    `event_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `line` Nullable(Int64) CODEC(ZSTD(1)),
    `column` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `chrome_trace_id` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `trace_id` String CODEC(ZSTD(1)),
    `id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `profile_id` Nullable(String) CODEC(ZSTD(1)),
    `agent_ver` Nullable(String) CODEC(ZSTD(1)),
    `endpoint` Nullable(String) CODEC(ZSTD(1)),
    `service` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `env` Nullable(String) CODEC(ZSTD(1)),
    `version` Nullable(String) CODEC(ZSTD(1)),
    `start_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `host` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `pid` Nullable(String) CODEC(ZSTD(1)),
    `language` Nullable(String) CODEC(ZSTD(1)),
    `language_ver` Nullable(String) CODEC(ZSTD(1)),
    `runtime` Nullable(String) CODEC(ZSTD(1)),
    `runtime_os` Nullable(String) CODEC(ZSTD(1)),
    `runtime_arch` Nullable(String) CODEC(ZSTD(1)),
    `format` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `profiler` Nullable(String) CODEC(ZSTD(1)),
    `runtime_id` Nullable(String) CODEC(ZSTD(1)),
    `period` Nullable(Int64) CODEC(ZSTD(1)),
    `period_type` Nullable(String) CODEC(ZSTD(1)),
    `period_unit` Nullable(String) CODEC(ZSTD(1)),
    `default_type_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile_value_type` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `value_type_id` Int64 CODEC(Delta, ZSTD(1)),
    `profile_id` Int64 CODEC(Delta, ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `event_type` String CODEC(ZSTD(1)),
    `kind` LowCardinality(String) CODEC(ZSTD(1)),
    `unit` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `scale` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile_tag` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `profile_id` Int64 CODEC(Delta, ZSTD(1)),
    `key` LowCardinality(String) CODEC(ZSTD(1)),
    `value` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile_number` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `profile_id` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `value` Nullable(Float64) CODEC(ZSTD(1)),
    `text` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile_attachment` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `profile_id` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `path` Nullable(String) CODEC(ZSTD(1)),
    `source_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `format` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `state` LowCardinality(String) CODEC(ZSTD(1)),
    `listed` UInt8 CODEC(ZSTD(1)),
    `size` Nullable(Int64) CODEC(ZSTD(1)),
    `start_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_ts` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile_label_unit` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `sample_id` Int64 CODEC(Delta, ZSTD(1)),
    `key` LowCardinality(String) CODEC(ZSTD(1)),
    `unit` LowCardinality(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_chunk` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `offset` Int64 CODEC(ZSTD(1)),
    `size` Int64 CODEC(ZSTD(1)),
    `major` Int64 CODEC(ZSTD(1)),
    `minor` Int64 CODEC(ZSTD(1)),
    `ts` Int64 CODEC(Delta, ZSTD(1)),
    `dur` Int64 CODEC(Delta, ZSTD(1)),
    `start_ticks` Int64 CODEC(ZSTD(1)),
    `ticks_per_second` Int64 CODEC(ZSTD(1)),
    `state` Int64 CODEC(ZSTD(1)),
    `flags` Int64 CODEC(ZSTD(1)),
    `classes` Int64 CODEC(ZSTD(1)),
    `pool_entries` Int64 CODEC(ZSTD(1)),
    `pool_repeated` Int64 CODEC(ZSTD(1)),
    `complete` UInt8 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_event_type` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `count` Int64 CODEC(ZSTD(1)),
    `lost` Int64 CODEC(ZSTD(1)),
    `became` String CODEC(ZSTD(1)),
    `kept` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_event` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `type_id` Int64 CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `node_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `fields` String CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_sample` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `sample_id` Int64 CODEC(Delta, ZSTD(1)),
    `type_id` Int64 CODEC(Delta, ZSTD(1)),
    `weight` Nullable(Float64) CODEC(ZSTD(1)),
    `stack_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_stack` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `node_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `truncated` UInt8 CODEC(ZSTD(1)),
    `frame_types` Nullable(String) CODEC(ZSTD(1)),
    `bytecode_indexes` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_thread` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `itid` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `os_tid` Nullable(Int64) CODEC(ZSTD(1)),
    `java_tid` Nullable(Int64) CODEC(ZSTD(1)),
    `os_name` Nullable(String) CODEC(ZSTD(1)),
    `java_name` Nullable(String) CODEC(ZSTD(1)),
    `group_name` Nullable(String) CODEC(ZSTD(1)),
    `is_virtual` Nullable(UInt8) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `jfr_setting` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `chunk_id` Int64 CODEC(Delta, ZSTD(1)),
    `event` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `value` Nullable(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `profile_metric` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `profile_id` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `value` String CODEC(ZSTD(1)),
    `num` Float64 CODEC(ZSTD(1)),
    `is_int` UInt8 CODEC(ZSTD(1)),
    `source` LowCardinality(String) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `java_heap_file` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `version` String CODEC(ZSTD(1)),
    `id_size` Int64 CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `array_header` Nullable(Int64) CODEC(ZSTD(1)),
    `reference_size` Nullable(Int64) CODEC(ZSTD(1)),
    `alignment` Int64 CODEC(ZSTD(1)),
    `first_object_rowid` Int64 CODEC(Delta, ZSTD(1)),
    `object_count` Int64 CODEC(ZSTD(1)),
    `first_reference_rowid` Int64 CODEC(Delta, ZSTD(1)),
    `reference_count` Int64 CODEC(ZSTD(1)),
    `first_class_id` Int64 CODEC(Delta, ZSTD(1)),
    `class_count` Int64 CODEC(ZSTD(1)),
    `first_string_rowid` Int64 CODEC(Delta, ZSTD(1)),
    `string_count` Int64 CODEC(ZSTD(1)),
    `complete` UInt8 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `java_heap_class` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` UInt32 CODEC(Delta, ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `node_index` UInt32 CODEC(Delta, ZSTD(1)),
    `address` Int64 CODEC(ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `super_id` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `loader` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `known` UInt8 CODEC(ZSTD(1)),
    `dump_size` Nullable(Int64) CODEC(ZSTD(1)),
    `instance_size` Int64 CODEC(ZSTD(1)),
    `mat_instance_size` Int64 CODEC(ZSTD(1)),
    `count` Int64 CODEC(ZSTD(1)),
    `shallow_size` Int64 CODEC(ZSTD(1)),
    `mat_size` Int64 CODEC(ZSTD(1)),
    `trace_node_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `java_heap_field` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` UInt32 CODEC(Delta, ZSTD(1)),
    `class_id` UInt32 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(String) CODEC(ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `is_static` UInt8 CODEC(ZSTD(1)),
    `value` Nullable(Int64) CODEC(ZSTD(1)),
    `real_value` Nullable(Float64) CODEC(ZSTD(1)),
    `target` Nullable(UInt32) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `java_heap_object` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `node_index` UInt32 CODEC(Delta, ZSTD(1)),
    `kind` UInt8 CODEC(ZSTD(1)),
    `address` Nullable(Int64) CODEC(ZSTD(1)),
    `class_id` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `length` Nullable(UInt32) CODEC(ZSTD(1)),
    `shallow_size` Int64 CODEC(ZSTD(1)),
    `mat_size` Int64 CODEC(ZSTD(1)),
    `heap` Nullable(String) CODEC(ZSTD(1)),
    `first_reference_rowid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `reference_count` UInt32 CODEC(ZSTD(1)),
    `trace_node_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `java_heap_reference` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `owner` UInt32 CODEC(Delta, ZSTD(1)),
    `target` UInt32 CODEC(Delta, ZSTD(1)),
    `type` UInt8 CODEC(ZSTD(1)),
    `name` Nullable(UInt32) CODEC(Delta, ZSTD(1)),
    `strength` UInt8 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `java_heap_root` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `node_index` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `address` Int64 CODEC(ZSTD(1)),
    `kind` LowCardinality(String) CODEC(ZSTD(1)),
    `thread_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `frame` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `java_heap_thread` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `file_id` Int64 CODEC(Delta, ZSTD(1)),
    `serial` Int64 CODEC(ZSTD(1)),
    `node_index` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `tid` Nullable(Int64) CODEC(ZSTD(1)),
    `daemon` Nullable(UInt8) CODEC(ZSTD(1)),
    `status` Nullable(Int64) CODEC(ZSTD(1)),
    `sample_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `java_heap_string` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `file_id` UInt16 CODEC(Delta, ZSTD(1)),
    `node_index` UInt32 CODEC(Delta, ZSTD(1)),
    `text` String CODEC(ZSTD(1)),
    `length` UInt32 CODEC(ZSTD(1)),
    `hash` Nullable(Int64) CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perfetto_track` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `uuid` Nullable(String) CODEC(ZSTD(1)),
    `parent_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `kind` LowCardinality(String) CODEC(ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perfetto_event` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `type` LowCardinality(String) CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `category` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `track_id` Int64 CODEC(Delta, ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `itid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `dur` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `thread_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `flow_ids` Nullable(String) CODEC(ZSTD(1)),
    `correlation` Nullable(String) CODEC(ZSTD(1)),
    `args` Nullable(String) CODEC(ZSTD(1)),
    `node_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `sequence` Int64 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perfetto_slice` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `slice_id` Int64 CODEC(Delta, ZSTD(1)),
    `event_id` Int64 CODEC(Delta, ZSTD(1)),
    `end_event_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `track_id` Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `perfetto_counter` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `series_id` Int64 CODEC(Delta, ZSTD(1)),
    `track_id` Int64 CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `firefox_marker` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `id` Int64 CODEC(Delta, ZSTD(1)),
    `source_id` Int64 CODEC(Delta, ZSTD(1)),
    `itid` Int64 CODEC(Delta, ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `category` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `phase` Nullable(Int64) CODEC(ZSTD(1)),
    `ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `end_ts` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `type` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `data` Nullable(String) CODEC(ZSTD(1)),
    `node_id` Nullable(Int64) CODEC(Delta, ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `firefox_slice` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `slice_id` Int64 CODEC(Delta, ZSTD(1)),
    `marker_id` Int64 CODEC(Delta, ZSTD(1)),
    `end_marker_id` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `async` UInt8 CODEC(ZSTD(1))
)
ENGINE = MergeTree PARTITION BY toYYYYMM(day) ORDER BY (load, row);
CREATE TABLE IF NOT EXISTS `firefox_counter` (
    load UInt64 CODEC(ZSTD(1)),
    row UInt32 CODEC(Delta, ZSTD(1)),
    day Date CODEC(ZSTD(1)),
    `series_id` Int64 CODEC(Delta, ZSTD(1)),
    `ipid` Nullable(Int64) CODEC(Delta, ZSTD(1)),
    `category` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `name` LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    `description` Nullable(String) CODEC(ZSTD(1))
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
CREATE VIEW IF NOT EXISTS `v_java_heap_analysis` AS
SELECT * FROM `java_heap_analysis` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_java_heap_retained` AS
SELECT * FROM `java_heap_retained` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_java_heap_dominated` AS
SELECT * FROM `java_heap_dominated` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_java_heap_class_retained` AS
SELECT * FROM `java_heap_class_retained` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
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
CREATE VIEW IF NOT EXISTS `v_java_heap_file` AS
SELECT * FROM `java_heap_file` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_java_heap_class` AS
SELECT * FROM `java_heap_class` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_java_heap_field` AS
SELECT * FROM `java_heap_field` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_java_heap_object` AS
SELECT * FROM `java_heap_object` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_java_heap_reference` AS
SELECT * FROM `java_heap_reference` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_java_heap_root` AS
SELECT * FROM `java_heap_root` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_java_heap_thread` AS
SELECT * FROM `java_heap_thread` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_java_heap_string` AS
SELECT * FROM `java_heap_string` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_perfetto_track` AS
SELECT * FROM `perfetto_track` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_perfetto_event` AS
SELECT * FROM `perfetto_event` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_perfetto_slice` AS
SELECT * FROM `perfetto_slice` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_perfetto_counter` AS
SELECT * FROM `perfetto_counter` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_firefox_marker` AS
SELECT * FROM `firefox_marker` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_firefox_slice` AS
SELECT * FROM `firefox_slice` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS `v_firefox_counter` AS
SELECT * FROM `firefox_counter` WHERE load IN (SELECT load FROM recording ORDER BY loaded_at DESC, load DESC LIMIT 1 BY id);
CREATE VIEW IF NOT EXISTS v_class AS
SELECT load, day, file_id, multiIf(type_name IN ('object', 'native'), text,
  type_name = 'code', '(compiled code)', type_name = 'hidden', '(system)',
  concat('(', type_name, ')')) AS class, count, self_size
FROM (SELECT * FROM (SELECT load, day, file_id, name_index, count, self_size,
  toUInt32(first_row + type_index) AS info_row
FROM (SELECT load, day, toUInt32(file_id) AS file_id, ifNull(type, 255) AS type_index,
  ifNull(name, 4294967295) AS name_index, ifNull(count, 0) AS count,
  ifNull(self_size, 0) AS self_size FROM v_js_heap_class) AS g
ANY LEFT JOIN (SELECT load, toUInt32(file_id) AS file_id,
  ifNull(first_info_rowid, 0) AS first_row FROM v_js_heap_file_detail) AS d
USING (load, file_id)) AS c
ANY LEFT JOIN (SELECT load, row AS info_row, str_value AS type_name
  FROM v_js_heap_info) AS i USING (load, info_row)) AS t
ANY LEFT JOIN (SELECT load, toUInt32(file_id) AS file_id,
  ifNull(file_index, 4294967294) AS name_index, ifNull(string, '') AS text
  FROM v_js_heap_string) AS s USING (load, file_id, name_index);
CREATE VIEW IF NOT EXISTS v_method AS
SELECT load, day, source_id, itid, event, library, package, class, name, file,
  self_count, total_count, self_dur, total_dur
FROM (SELECT load, day, source_id, itid, event, toUInt32(ifNull(method_id, 0)) AS method,
  self_count, total_count, self_dur, total_dur FROM v_stack_total) AS t
ANY LEFT JOIN (SELECT load, toUInt32(id) AS method, ifNull(library, '') AS library,
  ifNull(package, '') AS package, ifNull(class, '') AS class, ifNull(name, '') AS name,
  ifNull(file, '') AS file FROM v_stack_method) AS m USING (load, method);
