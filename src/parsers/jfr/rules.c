/* The rules, and running them. */
#include "parsers/jfr/rules.h"

/* clang-format off */
/* A field that is wanted; L: and is a label of the sample (of a series: sets it apart). */
#define F(name) {(name), NULL}
#define L(name) {(name), (name)}
#define FIELDS(...) .fields = {__VA_ARGS__}
#define VALUES(...) .values = {__VA_ARGS__}
/* Values: 1 each; the weight; field i; field i of a family. */
#define ONE(n) {(n), "count", JFR_AMOUNT_ONE, 0, JFR_ALONE}
#define WEIGHT(n) {(n), "count", JFR_AMOUNT_WEIGHT, 0, JFR_ALONE}
#define BYTES(n, i) {(n), "bytes", JFR_AMOUNT_FIELD, (i), JFR_ALONE}
#define WEIGHED_BYTES(n, i, f) {(n), "bytes", JFR_AMOUNT_FIELD_WEIGHT, (i), (f)}
#define ALLOC_SPACE(i, f) {"alloc_space", "bytes", JFR_AMOUNT_FIELD, (i), (f)}
#define EVENT(e, what, how) .event = (e), .fate = JFR_FATE_##what, .run = jfr_run_##how
#define SAMPLE(e, k) EVENT(e, SAMPLE, sample), .kind = (k)
#define SERIES(e) EVENT(e, SERIES, series)
#define SPAN_IDS L("spanId"), L("localRootSpanId")
/* As put_lock_wait wants them: class, owner, address, time-out. */
#define LOCK(k) .lock = (k), .span = JFR_SPAN_DURATION
/* clang-format on */

static const jfr_rule jfr_rules[] = {
    /* threads that run or wait */
    {SAMPLE("jdk.ExecutionSample", "cpu"), .span = JFR_SPAN_CPU, .cpu = true, FIELDS(L("state"))},
    {SAMPLE("jdk.NativeMethodSample", "native_code"), VALUES(ONE("native_samples")),
     FIELDS(L("state"))},
    {SAMPLE("jdk.CPUTimeSample", "cpu"), .span = JFR_SPAN_FIELD, .cpu = true,
     FIELDS(F("samplingPeriod"), L("failed"), L("biased"))},
    {SAMPLE("datadog.ExecutionSample", "cpu"), .span = JFR_SPAN_CPU, .cpu = true, .weight = 1,
     VALUES(WEIGHT("cpu_samples")), FIELDS(F("weight"), L("state"), L("mode"), SPAN_IDS)},
    {SAMPLE("datadog.MethodSample", "wall"), .span = JFR_SPAN_WALL, .weight = 1,
     VALUES(WEIGHT("wall_samples")), FIELDS(F("weight"), L("state"), L("mode"), SPAN_IDS)},
    {SAMPLE("profiler.WallClockSample", "wall"), .span = JFR_SPAN_WALL, .weight = 1,
     VALUES(WEIGHT("wall_samples")), FIELDS(F("samples"), L("state"))},
    /* memory */
    {SAMPLE("jdk.ObjectAllocationInNewTLAB", "alloc"),
     VALUES(ALLOC_SPACE(0, JFR_ALLOC_TLAB), BYTES("alloc_object_size", 1)),
     FIELDS(F("tlabSize"), F("allocationSize"), L("objectClass"))},
    {SAMPLE("jdk.ObjectAllocationOutsideTLAB", "alloc"), VALUES(ALLOC_SPACE(0, JFR_ALLOC_TLAB)),
     FIELDS(F("allocationSize"), L("objectClass"))},
    {SAMPLE("jdk.ObjectAllocationSample", "alloc"), VALUES(ALLOC_SPACE(0, JFR_ALLOC_SAMPLE)),
     FIELDS(F("weight"), L("objectClass"))},
    {SAMPLE("datadog.ObjectSample", "alloc"), .weight = 1,
     VALUES(WEIGHT("alloc_samples"), WEIGHED_BYTES("alloc_space", 1, JFR_ALLOC_WEIGHTED)),
     FIELDS(F("weight"), F("size"), L("objectClass"), SPAN_IDS)},
    {SAMPLE("datadog.HeapLiveObject", "live"), .weight = 1,
     VALUES(WEIGHT("heap_live_objects"), WEIGHED_BYTES("heap_space", 1, JFR_ALONE)),
     FIELDS(F("weight"), F("size"), L("objectClass"), L("age"))},
    {SAMPLE("profiler.LiveObject", "live"),
     VALUES(ONE("heap_live_objects"), BYTES("heap_space", 0)),
     FIELDS(F("allocationSize"), L("objectClass"))},
    {SAMPLE("jdk.OldObjectSample", "leak"), VALUES(ONE("leak_samples")),
     FIELDS(L("allocationTime"), L("objectAge"))},
    {SAMPLE("profiler.Malloc", "malloc"), VALUES(BYTES("malloc_space", 0)),
     FIELDS(F("size"), L("address"))},
    {SAMPLE("profiler.Free", "free"), VALUES(ONE("free_samples")), FIELDS(L("address"))},
    {SAMPLE("datadog.DirectAllocationSample", "direct_alloc"),
     VALUES(BYTES("direct_alloc_space", 0)),
     FIELDS(F("allocated"), L("source"), L("allocatingClass"))},
    /* waiting */
    {SAMPLE("jdk.JavaMonitorEnter", "lock"), LOCK("contended"),
     FIELDS(L("monitorClass"), L("previousOwner"), F("address"))},
    {SAMPLE("jdk.JavaMonitorWait", "wait"), LOCK("wait"),
     FIELDS(L("monitorClass"), L("notifier"), F("address"), F("timeout"))},
    {SAMPLE("jdk.ThreadPark", "park"), LOCK("park"),
     FIELDS(L("parkedClass"), F(NULL), F("address"), F("timeout"))},
    {SAMPLE("jdk.ThreadSleep", "sleep"), .span = JFR_SPAN_DURATION},
    {SAMPLE("jdk.SocketRead", "socket_read"), .span = JFR_SPAN_DURATION,
     VALUES(BYTES("socket_read_bytes", 0)),
     FIELDS(F("bytesRead"), L("host"), L("address"), L("port"))},
    {SAMPLE("jdk.SocketWrite", "socket_write"), .span = JFR_SPAN_DURATION,
     VALUES(BYTES("socket_write_bytes", 0)),
     FIELDS(F("bytesWritten"), L("host"), L("address"), L("port"))},
    {SAMPLE("jdk.FileRead", "file_read"), .span = JFR_SPAN_DURATION,
     VALUES(BYTES("file_read_bytes", 0)), FIELDS(F("bytesRead"), L("path"))},
    {SAMPLE("jdk.FileWrite", "file_write"), .span = JFR_SPAN_DURATION,
     VALUES(BYTES("file_write_bytes", 0)), FIELDS(F("bytesWritten"), L("path"))},
    /* exceptions */
    {SAMPLE("jdk.JavaExceptionThrow", "exception"), VALUES(ONE("exception_samples")),
     FIELDS(L("thrownClass"), L("message"))},
    {SAMPLE("jdk.JavaErrorThrow", "exception"), VALUES(ONE("exception_samples")),
     FIELDS(L("thrownClass"), L("message"))},
    {SAMPLE("datadog.ExceptionSample", "exception"), VALUES(ONE("exception_samples")),
     FIELDS(L("type"), L("message"), SPAN_IDS)},
    /* measurements */
    {SERIES("jdk.CPULoad"), FIELDS(F("jvmUser"), F("jvmSystem"), F("machineTotal"))},
    {SERIES("jdk.ThreadCPULoad"), .kind = "thread", FIELDS(F("user"), F("system"))},
    {SERIES("jdk.ThreadContextSwitchRate"), FIELDS(F("switchRate"))},
    {SERIES("jdk.ExceptionStatistics"), FIELDS(F("throwables"))},
    {SERIES("jdk.CPUTimeSamplesLost"), FIELDS(F("lostSamples"))},
    {SERIES("jdk.Compilation"), .span = JFR_SPAN_DURATION},
    {SERIES("jdk.ClassLoaderStatistics"),
     FIELDS(F("classCount"), F("chunkSize"), F("blockSize"), L("classLoader"))},
    {SERIES("datadog.HeapUsage"), FIELDS(F("size"))},
    {SERIES("datadog.AvailableProcessorCores"),
     FIELDS(F("availableProcessorCores"), F("cores"), F("count"))},
    {SERIES("datadog.ExceptionCount"), FIELDS(F("count"), L("type"))},
    {SERIES("datadog.DirectAllocationTotal"), FIELDS(F("allocated"), L("source"))},
    /* collections of garbage: used and committed bytes of the heap, number, when */
    {EVENT("jdk.GCHeapSummary", GC, gc),
     FIELDS(F("heapUsed"), F("heapSpace.committedSize"), F("gcId"), F("when"))},
    {EVENT("jdk.GCPhasePause", GC, gc), .kind = "pause",
     FIELDS(F(NULL), F(NULL), F("gcId"), F(NULL), F("name"))},
    {EVENT("jdk.GarbageCollection", GC, collection), .span = JFR_SPAN_DURATION,
     FIELDS(F("sumOfPauses"), F("longestPause"), F("gcId"), F("cause"), F("name"))},
    /* facts */
    {EVENT("jdk.JVMInformation", PROPERTY, property),
     FIELDS(L("jvmName"), L("jvmVersion"), L("jvmArguments"), L("jvmFlags"), L("javaArguments"),
            L("jvmStartTime"), L("pid"))},
    {EVENT("jdk.OSInformation", PROPERTY, property), FIELDS(L("osVersion"))},
    {EVENT("jdk.InitialSystemProperty", PROPERTY, property), .kind = "system",
     FIELDS(F("key"), F("value"))},
    {EVENT("profiler.Log", PROPERTY, property),
     FIELDS({.path = "message", .label = "profiler.Log"})},
    {EVENT("datadog.Endpoint", ENDPOINT, endpoint), FIELDS(F("localRootSpanId"), F("endpoint"))},
    {EVENT("jdk.ActiveSetting", SETTING, setting), FIELDS(F("id"), F("name"), F("value"))},
    {EVENT("datadog.DatadogProfilerConfig", SETTING, setting), .kind = "datadog",
     FIELDS(F("cpuInterval"), F("wallInterval"))},
    {EVENT("jdk.ThreadStart", THREAD, thread), .kind = "start", FIELDS(F("thread"))},
    {EVENT("jdk.ThreadEnd", THREAD, thread), .kind = "end", FIELDS(F("thread"))},
};

static const size_t jfr_rule_count = sizeof jfr_rules / sizeof jfr_rules[0];

const jfr_rule *jfr_rule_find(ts_text name)
{
    for (size_t i = 0; i < jfr_rule_count; i++) {
        if (ts_text_is(name, jfr_rules[i].event)) {
            return &jfr_rules[i];
        }
    }
    return NULL;
}

bool jfr_rule_is_setting(const jfr_rule *rule)
{
    return rule->fate == JFR_FATE_SETTING || rule->fate == JFR_FATE_PROPERTY ||
           rule->fate == JFR_FATE_ENDPOINT;
}

ts_code jfr_rule_plan(jfr_chunk *c, uint32_t cls, const jfr_rule *rule)
{
    jfr_wish wishes[SLOT_FIELD + JFR_RULE_FIELDS] = {
        {"startTime", SLOT_TIME},           {"duration", SLOT_DURATION},
        {"eventThread", SLOT_EVENT_THREAD}, {"sampledThread", SLOT_SAMPLED_THREAD},
        {"stackTrace", SLOT_STACK},
    };
    size_t n = SLOT_FIELD;
    for (unsigned i = 0; i < JFR_RULE_FIELDS && rule != NULL; i++) {
        if (rule->fields[i].path != NULL) {
            wishes[n++] = (jfr_wish){rule->fields[i].path, (uint8_t)(SLOT_FIELD + i)};
        }
        c->schema->uses[cls].labels |= (uint8_t)((rule->fields[i].label != NULL) << i);
    }
    c->schema->uses[cls].planned = true;
    return jfr_plan_make(&c->schema->uses[cls].plan, c->ctx, &c->schema->plans, &c->schema->meta,
                         cls, wishes, n);
}

_Static_assert((int)SLOT_FIELD + (int)JFR_RULE_FIELDS <= (int)JFR_SLOTS, "slots");

ts_code jfr_rule_run(bool *lost, jfr_chunk *c, uint32_t cls, jfr_reader *r)
{
    jfr_value values[JFR_SLOTS];
    const jfr_reader whole = *r;
    jfr_type *type = jfr_type_at(c->rec, c->schema->uses[cls].type);
    const jfr_rule *rule = type->rule;
    bool setting = rule != NULL && jfr_rule_is_setting(rule);
    bool keep = type->keep;
    ts_code code =
        jfr_plan_run(r, &c->schema->plans,
                     jfr_plan_at(&c->schema->plans, c->schema->uses[cls].plan), values, NULL);
    *lost = r->bad || r->p != r->end;
    if (code != TS_OK || *lost) {
        return code;
    }
    if (!setting && !(c->rec->wanted_all ||
                      ((jfr_value_time(c, &values[SLOT_TIME])) != TS_NO_TIME &&
                       ts_span_has(&c->rec->wanted, (jfr_value_time(c, &values[SLOT_TIME])))))) {
        type->skipped++;
        return TS_OK;
    }
    type->imported++;
    if (rule != NULL) {
        code = rule->run(c, cls, rule, values);
    }
    TS_STEP_IF(code, keep, jfr_keep_event(c, cls, values, whole));
    return code;
}
