/*
 * Words that say nothing about a recorded program, because this program, its questions or the
 * formats have them. Where a column holds words or names (TS_TEXT_WORD, TS_TEXT_NAME), and in keys
 * of JSON, they stay; questions compare with them. test/tools/redact_words.py finds texts of
 * questions and views that are missing here.
 */
#include "tables/redact_text.h"

#include "tables/event_classes.h"
#include "tables/store.h"

static const char *const words[] = {
    /* what views and questions compare with */
    "(anonymous) (garbage collector) (idle) (program) (root) (system) (unknown)",
    "/proc/kallsyms 1/s <class> <classloader> <super> addr agentDestroy allocation arch array",
    "async boottime call calls_async class cmdline config_name contended cpu cpu-vendor",
    "cpu_frequency cpu_idle cpu_measure_filter cpu_time cpu_usage cpudesc disk_reads",
    "disk_writes diskio dur element fault file filter hidden hostname inheritableThreadLocals",
    "issue java.lang.Thread java.lang.ThreadLocal$ThreadLocalMap",
    "java.lang.ThreadLocal$ThreadLocalMap$Entry java.lang.ref.Reference javaArguments",
    "jms.destination job.class job.id job.name kafka.topic library live live_process lock",
    "mapping measure method native native_hook network object option os-arch",
    "os-kernel-version osVersion osrelease other packet_in packet_in_sec packet_out",
    "packet_out_sec path process_measure process_measure_filter process_num profiler.title",
    "pss_info queue ran rd rd_count rd_count_speed rd_speed read realtime received referent",
    "runnable rx rx_speed sample sample_directory sample_interval samples scheduling security",
    "self self_dur sent service.name suspend int64_t size slept source sql statistic strings",
    "sun.java.command sys_mem_measure sys_memory_filter sys_event_filter system_load text",
    "threadLocals thread_num total total_load touch traceEnd tx tx_speed user_load value",
    "web.method web.query web.url wr wr_count wr_count_speed wr_speed written xpower_measure",
    "state launch kind bytes call.info common.started java.thread node.name time.cpu",
    "time.wait time.queue.wait cpu_id worker pid tid name reads writes data error code from",
    "to left_at wait memory.allocated start_boottime_ns start_realtime_ns mutex block spanId",
    "localRootSpanId traceId span_id trace_id span trace thread process parent root",
    "sampling_interval interval period",
    /* how threads are, as systems and Java VMs call it */
    "- R R+ R-B Running S T t X Z P I U K W D D-IO D-NIO DK DK-IO DK-NIO TK Suspend NEW",
    "RUNNABLE BLOCKED WAITING TIMED_WAITING TERMINATED RUNNING SLEEPING PARKED CONTENDED",
    "SYSCALL DEFAULT STATE_RUNNABLE STATE_SLEEPING STATE_IN_OBJECT_WAIT",
    "STATE_IN_OBJECT_WAIT_TIMED STATE_PARKED STATE_PARKED_TIMED",
    "STATE_BLOCKED_ON_MONITOR_ENTER STATE_TERMINATED STATE_NEW LCPU_TIME idle sleeping",
    "waiting running blocked runnable park sleep io gc page-fault off-cpu native_code",
    /* units */
    "1 % B By Hz b bit bits byte bytes/s count cycles fraction gb gib hertz hour hours kb kib",
    "KiB KiB/s GiB kilobyte kilobytes mb mib megabyte megabytes MiB micros microsecond",
    "microseconds millisecond milliseconds millis minute minutes ms nanosecond nanoseconds",
    "nanos ns second seconds s us ratio celsius mW mA mAh mV pages percent permille \xC2\xB5s",
    "\xCE\xBCs boolean bytes/second",
    /* kinds of values of profiles, events of samples */
    "alloc alloc-objects alloc-samples alloc-size alloc-space alloc_object_size alloc_objects",
    "alloc_samples alloc_size alloc_space alloc_space_sampled alloc_space_tlab block",
    "block-contentions contentions cpu-samples cpu-time cpu_samples delay exception",
    "exception-samples exception_samples free_samples goroutine goroutines heap",
    "heap-live-objects heap-live-size heap-space heap_live_objects heap_live_size heap_space",
    "inuse-objects inuse-space inuse_objects inuse_space leak_samples lock-acquire",
    "lock-acquire-wait lock-count lock-release lock-release-hold lock-time malloc_space",
    "mutex-contentions native_samples objects sample_count sample_time space wall",
    "wall-samples wall-time wall_samples cpu-cycles hw-cpu-cycles instructions",
    "hw-instructions task-clock cpu-clock sw-task-clock sw-cpu-clock page-faults",
    "context-switches cache-misses branch-misses sched:sched_switch sched_switch sched_wakeup",
    "sched_waking sched_wakeup_new tracepoint mark syscall thread_state off_cpu",
    /* of systems and runtimes */
    "golang go java python nodejs node php dotnet ruby rust cpp linux darwin windows android",
    "amd64 x86_64 arm64 aarch64 arm i386 ppc64le s390x riscv64 jvm CPython ArkTS V8 Java VM",
    "pprof jfr collapse collapsed speedscope perf rawflamegraph ddtrace async-profiler JFR",
    "main system user kernel inlined private public protected static final abstract",
    "synchronized native bridge varargs strictfp synthetic transient volatile interpreted",
    "compiled C1 C2 JIT",
    /* of other columns: kinds, severities, levels, phases, roots */
    "AllocEvent FreeEvent MmapEvent MunmapEvent GPU_VK_Alloc_Event GPU_VK_Free_Event",
    "GPU_GLES_Alloc_Event GPU_GLES_Free_Event GPU_CL_Alloc_Event GPU_CL_Free_Event MINOR",
    "CRITICAL PREFIX SUFFIX NONE INCLUDE EXCLUDE G E F M N O A B C V X c n e p i b f r-- r-x",
    "rw- rwx r-xp r--p rw-p rwxp ---p s/S local global counter track begin end complete",
    "instant unknown info warning data_loss wait notified irq softirq ipi binder handled",
    "unhandled dma_fence_init dma_fence_destroy dma_fence_enable_signal dma_fence_signaled",
    "runtimeShutdown message traceStart agentCreate processCreate nodeCreate collationValue",
    "app zygote image boolean char float double short int long 1.0 1.0.1 1.0.2 1.0.3 closure",
    "regexp number string synthetic symbol bigint concatenated sliced string_or_number node",
    "context property internal shortcut weak jni_global jni_local java_frame native_stack",
    "sticky_class thread_block monitor thread_object interned_string finalizing debugger",
    "reference_cleanup vm_internal jni_monitor unreachable system_class file_read file_write",
    "socket_read socket_write hisysevent enabled cutoff period threshold stackTrace throttle",
    "level filter",
    /* plugins of OpenHarmony's recordings */
    "arkts-plugin arkts-plugin_config cpu-plugin cpu-plugin_config diskio-plugin",
    "ftrace-plugin hidump-plugin hilog-plugin hiperf-plugin hisysevent-plugin memory-plugin",
    "nativehook native_hook network-plugin process-plugin stream-plugin xpower-plugin",
    "hiebpf-plugin ffrt-profiler network-profiler bytrace_plugin hitrace_plugin",
};

/* Those with blanks. */
static const char *const phrases[] = {
    "CPU time (ns)",
    "(compiled code)",
    "(garbage collector)",
    "JS arrays",
    "V8 heap",
    "Java VM",
    "attach of the application",
    "concatenated string",
    "launch of the ability",
    "load of the application",
    "object shape",
    "sliced string",
    "span id",
    "start of the ability",
    "trace id",
    "transaction id",
    "transaction of the ability",
    "typed arrays",
    "waited for a CPU",
};

static ts_code add(ts_pool *pool, ts_ctx *ctx, const char *text)
{
    uint32_t id;
    return ts_pool_intern(ctx, &id, NULL, pool, ts_text_of(text));
}

/* Words of a line, with blanks between them. */
static ts_code add_line(ts_pool *pool, ts_ctx *ctx, const char *line)
{
    ts_code code = TS_OK;
    uint32_t id;
    while (*line != '\0' && code == TS_OK) {
        const size_t n = strcspn(line, " ");
        code = ts_pool_intern(ctx, &id, NULL, pool, (ts_text){line, n});
        line += n + strspn(line + n, " ");
    }
    return code;
}

/* "TIMED_WAITING Thread.sleep": the state, the class and the method are known. */
static ts_code add_event(ts_pool *pool, ts_ctx *ctx, const ts_event_line *line)
{
    const char *method = strchr(line->state, ' ');
    const char *dot = method == NULL ? NULL : strrchr(method, '.');
    uint32_t id;
    TS_TRY(add(pool, ctx, line->format));
    TS_TRY(add(pool, ctx, line->event));
    TS_TRY(add(pool, ctx, line->state));
    if (dot == NULL) {
        return TS_OK;
    }
    TS_TRY(ts_pool_intern(ctx, &id, NULL, pool, (ts_text){method + 1, (size_t)(dot - method - 1)}));
    return add(pool, ctx, dot + 1);
}

ts_code ts_redact_add_words(ts_pool *pool, ts_ctx *ctx)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof words / sizeof words[0] && code == TS_OK; i++) {
        code = add_line(pool, ctx, words[i]);
    }
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0] && code == TS_OK; i++) {
        code = add(pool, ctx, phrases[i]);
    }
    for (size_t i = 0; i < ts_event_line_count && code == TS_OK; i++) {
        code = add_event(pool, ctx, &ts_event_lines[i]);
    }
    for (size_t i = 0; i < TS_ITEM_COUNT && code == TS_OK; i++) {
        code = add(pool, ctx, ts_item_list[i].name);
    }
    return code;
}
