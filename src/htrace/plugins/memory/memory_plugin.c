/*
 * memory-plugin: memory of the system and of processes over time. Values of counters become rows of
 * process_measure and sys_mem_measure, mappings, shared memory and memory of the GPU rows of their
 * tables. Docs: docs/formats.md, "memory-plugin".
 */
#include "htrace/plugins/memory/memory.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>

enum { DATA, CONFIG }; /* names of segments */

/* Fields of a message (MemoryData), in the order in which they are handled. */
enum {
    PROCESSES,
    SYSTEM,
    VIRTUAL,
    ZRAM,
    GPU_LIMIT,
    GPU_USED,
    ASHMEM,
    DMA,
    GPU,
    WINDOW,
    IMAGE,
    CPU,
    WINDOW_INFO,
    PROFILE,
    FIELDS
};
static const ts_field_def fields[FIELDS] = {
    [PROCESSES] = {1, TS_FIELD_BYTES, "processesinfo"},
    [SYSTEM] = {2, TS_FIELD_BYTES, "meminfo"},
    [VIRTUAL] = {3, TS_FIELD_BYTES, "vmeminfo"},
    [ZRAM] = {4, TS_FIELD_INT, "zram"},
    [ASHMEM] = {5, TS_FIELD_BYTES, "ashmeminfo"},
    [DMA] = {6, TS_FIELD_BYTES, "dmainfo"},
    [GPU] = {7, TS_FIELD_BYTES, "gpumemoryinfo"},
    [WINDOW] = {8, TS_FIELD_BYTES, "gpudumpinfo"},
    [GPU_LIMIT] = {9, TS_FIELD_INT, "gpu_limit_size"},
    [GPU_USED] = {10, TS_FIELD_INT, "gpu_used_size"},
    [IMAGE] = {11, TS_FIELD_BYTES, "rsdumpinfo"},
    [CPU] = {12, TS_FIELD_BYTES, "cpudumpinfo"},
    [WINDOW_INFO] = {13, TS_FIELD_BYTES, "windowinfo"},
    [PROFILE] = {14, TS_FIELD_BYTES, "profilememinfo"},
};

/* Fields of a process: its counters first. */
enum { ALWAYS = 9, COUNTERS = 13, PID = COUNTERS, NAME, MAPS, PROCESS_FIELDS };
static const ts_field_def process_fields[PROCESS_FIELDS] = {
    {3, TS_FIELD_INT, "mem.vm.size"},       {4, TS_FIELD_INT, "mem.rss"},
    {5, TS_FIELD_INT, "mem.rss.anon"},      {6, TS_FIELD_INT, "mem.rss.file"},
    {7, TS_FIELD_INT, "mem.rss.schem"},     {8, TS_FIELD_INT, "mem.swap"},
    {9, TS_FIELD_INT, "mem.locked"},        {10, TS_FIELD_INT, "mem.hwm"},
    {11, TS_FIELD_INT, "mm.oom_score_adj"}, {14, TS_FIELD_INT, "mem.purg_sum"},
    {15, TS_FIELD_INT, "mem.purg_pin"},     {16, TS_FIELD_INT, "mem.gl_pss"},
    {17, TS_FIELD_INT, "mem.graph_pss"},    [PID] = {1, TS_FIELD_INT32, "pid"},
    [NAME] = {2, TS_FIELD_BYTES, "name"},   [MAPS] = {12, TS_FIELD_BYTES, "smapinfo"},
};

/* --- what the parts share --------------------------------------------------------------------- */

ts_code memory_dict(int64_t *id, uint64_t *null, uint64_t bit, memory_plugin *s,
                    const ts_value *value)
{
    ts_text text;
    ts_code code = ts_records_text(&text, &s->text, &s->records, value);
    *id = 0;
    if (code == TS_OK && text.p == NULL) {
        *null |= bit;
        return TS_OK;
    }
    return code != TS_OK ? code : ts_dict(id, s->records.host->store, text);
}

ts_code memory_process(int64_t *ipid, bool *known, memory_plugin *s, const ts_value *pid,
                       const ts_value *name)
{
    const ts_plugin_host *host = s->records.host;
    ts_text text = {"", 0};
    ts_code code = TS_OK;
    *ipid = 0;
    *known = pid->state != TS_VALUE_UNKNOWN;
    if (*known && name != NULL && name->state == TS_VALUE_READ) {
        code = ts_records_text(&text, &s->text, &s->records, name);
    }
    return code != TS_OK || !*known
               ? code
               : ts_process_named(ipid, host->store, host->source_id, pid->i, text);
}

ts_code memory_record(bool *put, const memory_plugin *s, const char *part, bool some)
{
    return ts_records_row(put, &s->records, part, some, s->wanted);
}

/* --- processes -------------------------------------------------------------------------------- */

static ts_code put_counter(memory_plugin *s, ts_counters *counters, ts_filter_kind kind,
                           int64_t owner, const char *name, const ts_value *value)
{
    int64_t filter;
    ts_code code = ts_filter(&filter, s->records.host->store, kind, owner, ts_text_of(name));
    return code != TS_OK ? code
                         : ts_counters_put(counters, filter, s->raw, value->i,
                                           value->state != TS_VALUE_UNKNOWN);
}

/* Memory of graphics comes in messages of its own, which do not say that all else is 0. */
static bool only_graphics(const ts_value *v)
{
    bool graphics = false;
    for (unsigned k = 0; k < COUNTERS; k++) {
        if (k < ALWAYS && v[k].state != TS_VALUE_ABSENT) {
            return false;
        }
        graphics = graphics || (k >= ALWAYS && v[k].state == TS_VALUE_READ);
    }
    return graphics;
}

static ts_code one_process(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    memory_plugin *s = user;
    ts_value v[PROCESS_FIELDS];
    bool known;
    bool put;
    ts_code code =
        ts_fields_part(v, NULL, m, "processesinfo", process_fields, PROCESS_FIELDS, p, n);
    if (code != TS_OK || (code = memory_process(&s->ipid, &known, s, &v[PID], &v[NAME])) != TS_OK ||
        (code = memory_record(&put, s, "processes", known)) != TS_OK || !known) {
        return code;
    }
    ts_process_row(s->records.host->store, s->ipid)->mem_count = 1;
    for (unsigned k = only_graphics(v) ? ALWAYS : 0; code == TS_OK && k < COUNTERS; k++) {
        if (k < ALWAYS || v[k].state == TS_VALUE_READ) {
            code = put_counter(s, &s->of_process, TS_FILTER_PROCESS, s->ipid,
                               process_fields[k].name, &v[k]);
        }
    }
    TS_STEP_IF(code, v[MAPS].count > 0,
               ts_stat(s->records.host->store, "trace_smaps", "received", 1));
    return code != TS_OK ? code
                         : ts_fields_repeat(m, process_fields[MAPS].number, p, n, memory_map, s);
}

/* --- the system ------------------------------------------------------------------------------- */

enum { KEY, VALUE, PAIR };
static const ts_field_def pair_fields[PAIR] = {
    [KEY] = {1, TS_FIELD_INT, "key"},
    [VALUE] = {2, TS_FIELD_INT, "value"},
};

/* A value of a counter by its number. */
static ts_code one_pair(memory_plugin *s, ts_message *m, const uint8_t *p, size_t n,
                        ts_filter_kind kind)
{
    bool virtual_memory = kind == TS_FILTER_VIRTUAL_MEMORY;
    const char *part = virtual_memory ? "vmeminfo" : "meminfo";
    const ts_plugin_host *host = s->records.host;
    ts_value v[PAIR];
    const char *name;
    bool put;
    ts_code code;
    TS_TRY_INTO(code, ts_fields_part(v, NULL, m, part, pair_fields, PAIR, p, n));
    name = v[KEY].state == TS_VALUE_UNKNOWN ? NULL
           : virtual_memory                 ? memory_virtual_name(v[KEY].i)
                                            : memory_system_name(v[KEY].i);
    TS_TRY_INTO(code, memory_record(&put, s, part, name != NULL));
    if (name != NULL) {
        return put_counter(s, &s->of_system, kind, -1, name, &v[VALUE]);
    }
    if (v[KEY].state == TS_VALUE_UNKNOWN) {
        return TS_OK; /* that is recorded */
    }
    code = ts_stat(host->store, virtual_memory ? "sys_virtual_memory" : "sys_memory",
                   "invalid_data", 1);
    return code != TS_OK
               ? code
               : ts_issue(host->store, host->source_id, TS_ISSUE_counter_unknown, m->seg->plugin,
                          m->seg->offset, "message %" PRIu64 ": %s has the number %" PRId64,
                          m->seg->number, part, v[KEY].i);
}

static ts_code one_system(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    return one_pair(user, m, p, n, TS_FILTER_SYSTEM);
}

static ts_code one_virtual(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    return one_pair(user, m, p, n, TS_FILTER_VIRTUAL_MEMORY);
}

/* What is beside the pairs of a message. */
static ts_code put_totals(memory_plugin *s, const ts_value *v)
{
    static const char *const names[] = {"sys.mem.zram", "sys.mem.gpu.limit", "sys.mem.gpu.used"};
    ts_code code = TS_OK;
    for (unsigned k = 0; code == TS_OK && v[SYSTEM].count > 0 && k < 3; k++) {
        code = put_counter(s, &s->of_system, TS_FILTER_SYSTEM, -1, names[k], &v[ZRAM + k]);
    }
    return code;
}

/* --- messages --------------------------------------------------------------------------------- */

static ts_code count_parts(const memory_plugin *s, const ts_value *v)
{
    static const struct {
        unsigned field;
        const char *event;
    } events[] = {
        {PROCESSES, "memory"},
        {SYSTEM, "sys_memory"},
        {VIRTUAL, "sys_virtual_memory"},
        {ASHMEM, "trace_ash_mem"},
        {DMA, "trace_dma_mem"},
        {GPU, "trace_gpu_process_mem"},
        {WINDOW, "trace_gpu_window_mem"},
        {WINDOW_INFO, "trace_window_manager_service"},
    };
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < sizeof events / sizeof events[0]; i++) {
        if (v[events[i].field].count > 0) {
            code = ts_stat(s->records.host->store, events[i].event, "received", 1);
        }
    }
    return code;
}

static ts_code repeat(memory_plugin *s, unsigned field, const uint8_t *p, size_t n,
                      ts_field_call *call)
{
    return ts_fields_repeat(s->m, fields[field].number, p, n, call, s);
}

static ts_code read_parts(memory_plugin *s, const ts_value *v, const uint8_t *p, size_t n)
{
    ts_idmap_free(s->records.host->ctx, &s->shared);
    TS_TRY(count_parts(s, v));
    TS_TRY(repeat(s, PROCESSES, p, n, one_process));
    TS_TRY(repeat(s, SYSTEM, p, n, one_system));
    TS_TRY(put_totals(s, v));
    TS_TRY(repeat(s, VIRTUAL, p, n, one_virtual));
    TS_TRY(memory_ashmem(s, p, n));
    TS_TRY(memory_dma(s, p, n));
    TS_TRY(repeat(s, GPU, p, n, memory_gpu));
    TS_TRY(repeat(s, WINDOW_INFO, p, n, memory_window_info));
    TS_TRY(repeat(s, WINDOW, p, n, memory_window));
    TS_TRY(repeat(s, CPU, p, n, memory_cpu_dump));
    TS_TRY(repeat(s, PROFILE, p, n, memory_profile));
    return repeat(s, IMAGE, p, n, memory_image);
}

/* --- configuration ---------------------------------------------------------------------------- */

/* The processes that were asked for. */
static ts_code configure(memory_plugin *s, ts_message *m, const uint8_t *p, size_t n)
{
    static const ts_field_def pids[] = {{9, TS_FIELD_NUMBERS, "pid"}};
    const ts_plugin_host *host = s->records.host;
    ts_field_list list = {.number = 9, .kind = TS_FIELD_NUMBERS};
    ts_value v;
    uint64_t pid;
    ts_code code = ts_fields_part(&v, NULL, m, NULL, pids, 1, p, n);
    while (code == TS_OK && ts_fields_next(&pid, &list, p, n)) {
        int64_t ipid = 0;
        char text[24];
        code = ts_process_seen(&ipid, host->store, host->source_id, (int32_t)(uint32_t)pid);
        snprintf(text, sizeof text, "%" PRId64, ipid);
        TS_STEP(code, ts_records_config(&s->records, "memory_config", "ipid", ts_text_of(text)));
    }
    return code;
}

/* --- the plugin ------------------------------------------------------------------------------- */

static ts_code message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    memory_plugin *s = self;
    ts_value v[FIELDS];
    ts_message m;
    ts_code code = ts_records_begin(&m, &s->records, seg);
    if (code != TS_OK || ts_records_again(&s->records, &m, p, n)) {
        return code;
    }
    s->m = &m;
    if (seg->which == CONFIG) {
        code = configure(s, &m, p, n);
    } else {
        s->raw = ts_records_outer(&s->records, &m);
        if ((code = ts_fields_part(v, NULL, &m, NULL, fields, FIELDS, p, n)) == TS_OK &&
            (code = ts_records_time(&s->ts, &s->wanted, &s->records, s->raw)) == TS_OK) {
            code = read_parts(s, v, p, n);
        }
    }
    s->m = NULL;
    ts_records_end(&s->records, &m);
    return code;
}

static ts_code gap(void *self, int64_t offset)
{
    memory_plugin *s = self;
    ts_code code = ts_counters_gap(&s->of_process);
    (void)offset;
    return code != TS_OK ? code : ts_counters_gap(&s->of_system);
}

static ts_code finish(void *self)
{
    memory_plugin *s = self;
    if (s->records.messages == NULL) {
        return TS_OK;
    }
    TS_TRY(memory_windows_end(s));
    TS_TRY(ts_counters_finish(&s->of_process));
    TS_TRY(ts_counters_finish(&s->of_system));
    return ts_records_finish(&s->records);
}

static void close_plugin(void *self)
{
    memory_plugin *s = self;
    ts_ctx *ctx = s->records.host->ctx;
    ts_counters_free(&s->of_process);
    ts_counters_free(&s->of_system);
    ts_idmap_free(ctx, &s->shared);
    ts_idmap_free(ctx, &s->windows);
    ts_vec_free(ctx, &s->held);
    ts_vec_free(ctx, &s->waiting);
    ts_buf_free(ctx, &s->text);
}

static ts_code open_plugin(void **self, const ts_plugin_host *host)
{
    memory_plugin *s = *self;
    ts_records_init(&s->records, host, "memory-plugin");
    ts_counters_init(&s->of_process, &s->records, TS_T_process_measure);
    ts_counters_init(&s->of_system, &s->records, TS_T_sys_mem_measure);
    ts_records_table_add(&s->records, TS_T_smaps, TS_NULL_BIT(smaps, timeStamp));
    ts_records_table_add(&s->records, TS_T_memory_ashmem, TS_NULL_BIT(memory_ashmem, ts));
    ts_records_table_add(&s->records, TS_T_memory_dma, TS_NULL_BIT(memory_dma, ts));
    ts_records_table_add(&s->records, TS_T_memory_process_gpu, TS_NULL_BIT(memory_process_gpu, ts));
    ts_records_table_add(&s->records, TS_T_memory_window_gpu, TS_NULL_BIT(memory_window_gpu, ts));
    ts_records_table_add(&s->records, TS_T_memory_cpu, TS_NULL_BIT(memory_cpu, ts));
    ts_records_table_add(&s->records, TS_T_memory_profile, TS_NULL_BIT(memory_profile, ts));
    ts_records_table_add(&s->records, TS_T_memory_rs_image, TS_NULL_BIT(memory_rs_image, ts));
    return TS_OK;
}

static const ts_plugin_name names[] = {
    [DATA] = {"memory-plugin", TS_RECORDS_MESSAGE, NULL},
    [CONFIG] = {"memory-plugin_config", 1 << 20, NULL},
    {NULL, 0, NULL},
};

TS_HTRACE_PLUGIN(memory) = {
    .names = names,
    .size = sizeof(memory_plugin),
    .open = open_plugin,
    .message = message,
    .gap = gap,
    .finish = finish,
    .close = close_plugin,
};
