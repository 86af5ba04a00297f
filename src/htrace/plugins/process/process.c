/*
 * process-plugin: load, memory and files of each process, measured at intervals. One row of
 * live_process for each process of each message, in the order of time. Docs: docs/formats.md,
 * "process-plugin".
 *
 * Memory: the names of processes, and what the sorter takes; messages that are more are sorted in a
 * spool.
 */
#include "htrace/plugins/plugin_records.h"

#include "base/ckd.h"
#include "base/pool.h"
#include "base/sorter.h"

#include <inttypes.h>
#include <stdio.h>

enum { SORT_MEMORY = 8 << 20 };

enum { PROCESSES = 1 };
static const ts_field_def message_fields[] = {{PROCESSES, TS_FIELD_BYTES, "processesinfo"}};

enum { PID, NAME, PARENT, USER, CPU, PSS, DISK, FIELDS };
static const ts_field_def fields[FIELDS] = {
    [PID] = {1, TS_FIELD_INT32, "pid"},       [NAME] = {2, TS_FIELD_BYTES, "name"},
    [PARENT] = {3, TS_FIELD_INT32, "ppid"},   [USER] = {4, TS_FIELD_INT32, "uid"},
    [CPU] = {5, TS_FIELD_BYTES, "cpuinfo"},   [PSS] = {6, TS_FIELD_BYTES, "pssinfo"},
    [DISK] = {7, TS_FIELD_BYTES, "diskinfo"},
};

enum { LOAD, THREADS, CPU_TIME, CPU_FIELDS };
static const ts_field_def cpu_fields[CPU_FIELDS] = {
    [LOAD] = {1, TS_FIELD_REAL, "cpu_usage"},
    [THREADS] = {2, TS_FIELD_INT32, "thread_sum"},
    [CPU_TIME] = {3, TS_FIELD_UINT, "cpu_time_ms"},
};

static const ts_field_def pss_fields[] = {{1, TS_FIELD_INT32, "pss_info"}};

enum { READS, WRITES, DISK_FIELDS };
static const ts_field_def disk_fields[DISK_FIELDS] = {
    [READS] = {5, TS_FIELD_UINT, "rbytes"},
    [WRITES] = {6, TS_FIELD_UINT, "wbytes"},
};

/* One process of a message; number 0 stands for the message itself, before its processes. */
typedef struct sampled_process {
    uint64_t key; /* of the time; messages without one come last */
    uint64_t message;
    uint64_t number;
    int64_t ts;    /* as recorded */
    uint64_t hash; /* number 0: of the message */
    uint64_t null;
    int64_t pid, parent, user, cpu_time, pss, threads, reads, writes;
    double load;
    uint32_t name;
    bool after_gap;
} sampled_process;

typedef struct process_plugin {
    ts_records records;
    ts_sorter *sorter;
    ts_pool names;
    ts_buf text;
    ts_tally *processes; /* NULL before the first message */
    uint64_t messages;
    uint64_t received;
    sampled_process now; /* what all processes of the message share */
    int64_t latest;
    bool unordered;
    bool gap;
    bool gaps;
    /* While rows are put: the message before, and this one. */
    int64_t before;
    uint64_t before_hash;
    bool begun;
    bool repeat;
    int64_t dur;
    uint64_t gapped;
    uint64_t repeated;
} process_plugin;

/* --- messages --------------------------------------------------------------------------------- */

/* The name goes to the pool. */
static ts_code take_name(sampled_process *e, process_plugin *s, const ts_value *name)
{
    ts_text text;
    ts_code code = ts_records_text(&text, &s->text, &s->records, name);
    if (code == TS_OK && text.p == NULL) {
        e->null |= TS_NULL_BIT(live_process, process_name);
        return TS_OK;
    }
    return code != TS_OK ? code
                         : ts_pool_intern(s->records.host->ctx, &e->name, NULL, &s->names, text);
}

#define TAKE(column, value)                                                                        \
    ts_records_int(&e->null, TS_NULL_BIT(live_process, column), &s->records, (value))

static ts_code take_process(sampled_process *e, process_plugin *s, ts_message *m, const ts_value *v)
{
    ts_value cpu[CPU_FIELDS];
    ts_value pss[1];
    ts_value disk[DISK_FIELDS];
    TS_TRY(ts_fields_inside(cpu, m, &fields[CPU], &v[CPU], cpu_fields, CPU_FIELDS));
    TS_TRY(ts_fields_inside(pss, m, &fields[PSS], &v[PSS], pss_fields, 1));
    TS_TRY(ts_fields_inside(disk, m, &fields[DISK], &v[DISK], disk_fields, DISK_FIELDS));
    e->pid = TAKE(process_id, &v[PID]);
    e->parent = TAKE(parent_process_id, &v[PARENT]);
    e->user = TAKE(uid, &v[USER]);
    e->cpu_time = TAKE(cpu_time, &cpu[CPU_TIME]);
    e->threads = TAKE(thread_num, &cpu[THREADS]);
    (void)TAKE(cpu_usage, &cpu[LOAD]);
    e->load = cpu[LOAD].d;
    e->pss = TAKE(pss_info, &pss[0]);
    e->reads = TAKE(disk_reads, &disk[READS]);
    e->writes = TAKE(disk_writes, &disk[WRITES]);
    return take_name(e, s, &v[NAME]);
}

static ts_code one_process(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    process_plugin *s = user;
    sampled_process e = s->now;
    ts_value v[FIELDS];
    ts_code code;
    TS_TRY_INTO(code, ts_fields_part(v, NULL, m, "processesinfo", fields, FIELDS, p, n));
    s->received++;
    if (v[PID].state == TS_VALUE_UNKNOWN && v[NAME].state == TS_VALUE_UNKNOWN) {
        s->processes->seen++;
        s->processes->lost++;
        return TS_OK;
    }
    if (v[PID].state != TS_VALUE_UNKNOWN && v[PID].i == 0) {
        s->processes->seen++;
        s->processes->skipped++;
        return TS_OK;
    }
    e.number = ++s->now.number;
    code = take_process(&e, s, m, v);
    return code != TS_OK ? code : ts_sorter_add(s->sorter, &e);
}

static ts_code prepare(process_plugin *s)
{
    static const ts_sorter_order order = {.key_offset = offsetof(sampled_process, key),
                                          .key_count = 3};
    ts_code code = ts_records_tally(&s->processes, &s->records, NULL);
    return code != TS_OK ? code
                         : ts_sorter_open(&s->sorter, s->records.host->ctx, sizeof(sampled_process),
                                          &order, SORT_MEMORY);
}

/* What is said of the message itself goes before its processes. */
static ts_code add_message(process_plugin *s, const ts_message *m, const uint8_t *p, size_t n)
{
    int64_t ts = ts_records_outer(&s->records, m);
    ts_hash hash = ts_hash_begin(&s->records.host->ctx->hash_key);
    ts_hash_bytes(&hash, (const char *)p, n);
    s->now = (sampled_process){
        .key = ts == TS_NO_TIME ? UINT64_MAX : ts_sorter_key(ts),
        .message = s->messages++,
        .ts = ts,
        .hash = ts_hash_end(&hash),
        .after_gap = s->gap,
    };
    s->gaps = s->gaps || s->gap;
    s->gap = ts == TS_NO_TIME; /* that one lies between this and the next */
    if (ts != TS_NO_TIME) {
        s->unordered = s->unordered || ts < s->latest;
        s->latest = ts;
    }
    return ts_sorter_add(s->sorter, &s->now);
}

static ts_code message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    process_plugin *s = self;
    ts_value processes;
    ts_message m;
    ts_code code = ts_records_begin(&m, &s->records, seg);
    TS_STEP_IF(code, s->processes == NULL, prepare(s));
    if (code != TS_OK || (code = add_message(s, &m, p, n)) != TS_OK ||
        (code = ts_fields_part(&processes, NULL, &m, NULL, message_fields, 1, p, n)) != TS_OK ||
        (code = ts_fields_repeat(&m, PROCESSES, p, n, one_process, s)) != TS_OK) {
        return code;
    }
    ts_records_end(&s->records, &m);
    return TS_OK;
}

static ts_code gap(void *self, int64_t offset)
{
    process_plugin *s = self;
    (void)offset;
    s->gap = true;
    return TS_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The time since the message before; a loss may be anywhere when the order of coming is not that of
 * time. */
static void begin_message(process_plugin *s, const sampled_process *e)
{
    bool lost = e->after_gap || (s->gaps && s->unordered);
    s->repeat = s->begun && e->ts != TS_NO_TIME && e->ts == s->before && e->hash == s->before_hash;
    s->repeated += s->repeat;
    if (s->repeat) {
        return;
    }
    s->dur = 0;
    if (e->ts == TS_NO_TIME || lost) {
        s->dur = TS_NO_TIME;
        s->gapped += e->ts != TS_NO_TIME;
    } else if (s->begun) {
        s->dur = e->ts - s->before; /* neither is negative */
    }
    s->begun = true;
    s->before = e->ts;
    s->before_hash = e->hash;
}

static ts_code put_process(process_plugin *s, const sampled_process *e)
{
    char user[24];
    int user_n = snprintf(user, sizeof user, "%" PRId64, e->user);
    ts_row_live_process row = {
        .null = e->null,
        .dur = s->dur,
        .cpu_time = e->cpu_time,
        .process_id = e->pid,
        .parent_process_id = e->parent,
        .uid = e->user,
        .cpu_usage = e->load,
        .pss_info = e->pss,
        .thread_num = e->threads,
        .disk_writes = e->writes,
        .disk_reads = e->reads,
    };
    bool wanted;
    ts_code code = ts_records_time(&row.ts, &wanted, &s->records, e->ts);
    if (s->records.host->ctx->compat) { /* QP-7: 32 bits of them */
        row.disk_writes = (int32_t)(uint32_t)e->writes;
        row.disk_reads = (int32_t)(uint32_t)e->reads;
    }
    s->processes->seen++;
    if (code != TS_OK || !wanted || s->repeat) {
        s->processes->skipped++;
        return code;
    }
    TS_NULL_IF(row.ts == TS_NO_TIME, live_process, &row, ts);
    TS_NULL_IF(row.dur == TS_NO_TIME, live_process, &row, dur);
    if ((e->null & TS_NULL_BIT(live_process, process_name)) == 0) {
        row.process_name = ts_pool_text(&s->names, e->name);
    }
    if ((e->null & TS_NULL_BIT(live_process, uid)) == 0) {
        row.user_name = (ts_text){user, (size_t)user_n};
    }
    s->processes->imported++;
    return ts_put_live_process(ts_store_sink(s->records.host->store), &row);
}

static ts_code put_all(process_plugin *s)
{
    const void *record = NULL;
    ts_code code = ts_sorter_finish(s->sorter);
    while (code == TS_OK && (code = ts_sorter_next(&record, s->sorter)) == TS_OK &&
           record != NULL) {
        const sampled_process *e = record;
        if (e->number == 0) {
            begin_message(s, e);
        } else {
            code = put_process(s, e);
        }
    }
    return code;
}

static ts_code finish(void *self)
{
    process_plugin *s = self;
    ts_store *store = s->records.host->store;
    const int64_t id = s->records.host->source_id;
    const char *plugin = s->records.plugin;
    ts_code code;
    if (s->processes == NULL) {
        return TS_OK;
    }
    TS_TRY_INTO(code, ts_stat(store, "trace_process", "received", s->received));
    TS_TRY_INTO(code, put_all(s));
    ts_records_lose(&s->records, s->gapped);
    if (s->repeated > 0) {
        code = ts_issue_n(store, id, TS_ISSUE_sample_repeated, plugin, TS_NO_OFFSET, s->repeated,
                          "%" PRIu64 " messages are repeated", s->repeated);
    }
    TS_STEP_IF(code, s->gapped > 0,
               ts_issue_n(store, id, TS_ISSUE_sample_gap, plugin, TS_NO_OFFSET, s->gapped,
                          "dur of the processes of %" PRIu64 " messages is not known", s->gapped));
    return code != TS_OK ? code : ts_records_finish(&s->records);
}

static void close_plugin(void *self)
{
    process_plugin *s = self;
    ts_ctx *ctx = s->records.host->ctx;
    ts_sorter_close(s->sorter);
    ts_pool_free(ctx, &s->names);
    ts_buf_free(ctx, &s->text);
}

static ts_code open_plugin(void **self, const ts_plugin_host *host)
{
    process_plugin *s = *self;
    ts_records_init(&s->records, host, "process-plugin");
    s->latest = TS_NO_TIME;
    return TS_OK;
}

static const ts_plugin_name names[] = {
    {"process-plugin", TS_RECORDS_MESSAGE, NULL},
    {NULL, 0, NULL},
};

TS_HTRACE_PLUGIN(process) = {
    .names = names,
    .size = sizeof(process_plugin),
    .open = open_plugin,
    .message = message,
    .gap = gap,
    .finish = finish,
    .close = close_plugin,
};
