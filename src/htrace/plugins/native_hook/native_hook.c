/*
 * nativehook, hookdaemon: allocations and releases of native memory, and the stacks that led to
 * them. Docs: docs/formats.md, "Native memory".
 */
#include "htrace/plugins/native_hook/native_hook.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>

#define NS_PER_S INT64_C(1000000000)

enum { CONFIG = 2 }; /* of names */

/* --- events ----------------------------------------------------------------------------------- */

enum { PID, TID, ADDR, SIZE, TEXT, FRAMES, NAME, STACK, TYPE, EVENT_FIELDS };
#define NUMBER(field, n)                                                                           \
    [field] = {n,                                                                                  \
               field == PID || field == TID || field == TYPE ? TS_FIELD_INT32 : TS_FIELD_UINT32,   \
               "field " #n}
#define ADDRESS(n) [ADDR] = {n, TS_FIELD_INT, "addr"}
#define BYTES(n) [SIZE] = {n, TS_FIELD_UINT, "size"}
#define TEXTS(n) [TEXT] = {n, TS_FIELD_BYTES, "tag"}
#define FRAME(n) [FRAMES] = {n, TS_FIELD_BYTES, "frame"}

static const struct {
    const char *name;
    ts_field_def fields[EVENT_FIELDS];
} event_kinds[] = {
    [HOOK_ALLOC] = {"alloc_event",
                    {NUMBER(PID, 1), NUMBER(TID, 2), ADDRESS(3), BYTES(4), FRAME(5),
                     NUMBER(NAME, 6), NUMBER(STACK, 7)}},
    [HOOK_FREE] = {"free_event",
                   {NUMBER(PID, 1), NUMBER(TID, 2), ADDRESS(3), FRAME(4), NUMBER(NAME, 5),
                    NUMBER(STACK, 6)}},
    [HOOK_MMAP] = {"mmap_event",
                   {NUMBER(PID, 1), NUMBER(TID, 2), ADDRESS(3), TEXTS(4), BYTES(5), FRAME(6),
                    NUMBER(NAME, 7), NUMBER(STACK, 8)}},
    [HOOK_MUNMAP] = {"munmap_event",
                     {NUMBER(PID, 1), NUMBER(TID, 2), ADDRESS(3), BYTES(4), FRAME(5),
                      NUMBER(NAME, 6), NUMBER(STACK, 7)}},
    [HOOK_TAG] = {"tag_event", {ADDRESS(1), BYTES(2), TEXTS(3), NUMBER(PID, 4)}},
    [HOOK_TRACE_ALLOC] = {"trace_alloc_event",
                          {NUMBER(PID, 1), NUMBER(TID, 2), ADDRESS(3), NUMBER(TYPE, 4), TEXTS(5),
                           BYTES(6), FRAME(7), NUMBER(NAME, 8), NUMBER(STACK, 9)}},
    [HOOK_TRACE_FREE] = {"trace_free_event",
                         {NUMBER(PID, 1), NUMBER(TID, 2), ADDRESS(3), NUMBER(TYPE, 4), TEXTS(5),
                          FRAME(6), NUMBER(NAME, 7), NUMBER(STACK, 8)}},
};

/* An event that cannot be used, which is recorded. */
static void lose_event(hook *h)
{
    h->events->lost++;
    h->gap = true;
    h->lossy = true;
}

static ts_code add_event(hook *h, hook_event *e)
{
    enum { SORTER = 32 << 20 };
    static const ts_sorter_order order = {.key_offset = offsetof(hook_event, key), .key_count = 1};
    h->last_key = e->key;
    h->message_from = e->key < h->message_from ? e->key : h->message_from;
    e->flags |= h->gap ? HOOK_AFTER_GAP : 0;
    h->gap = false;
    return ts_sorter_put(&h->sorter, h->records.host->ctx, e, sizeof *e, &order, SORTER);
}

/* Frames in the events, where there are any; those of resources have none that are used. */
static ts_code event_chain(hook_event *e, hook *h, ts_message *m, const ts_value *v,
                           const uint8_t *p, size_t n)
{
    const ts_field_def *frames = &event_kinds[e->kind].fields[FRAMES];
    if (v[STACK].state == TS_VALUE_UNKNOWN) {
        ts_records_lose(&h->records, 1);
    }
    if (h->stacks) {
        return hook_stack_chain(&e->chain, h, v[PID].i, &v[STACK]);
    }
    return v[FRAMES].count == 0 || e->kind >= HOOK_TRACE_ALLOC
               ? TS_OK
               : hook_list_chain(&e->chain, h, m, v[PID].i, frames->number, p, n);
}

static ts_code one_event(hook *h, ts_message *m, hook_event *e, const uint8_t *p, size_t n)
{
    ts_value v[EVENT_FIELDS];
    h->events->seen++;
    TS_TRY(ts_fields_part(v, NULL, m, event_kinds[e->kind].name, event_kinds[e->kind].fields,
                          EVENT_FIELDS, p, n));
    for (unsigned k = 0; k < EVENT_FIELDS; k++) {
        if ((k <= SIZE || k == TYPE) && v[k].state == TS_VALUE_UNKNOWN &&
            event_kinds[e->kind].fields[k].number != 0) {
            lose_event(h);
            return TS_OK;
        }
    }
    e->pid = (int32_t)v[PID].i;
    e->tid = (int32_t)v[TID].i;
    e->addr = (uint64_t)v[ADDR].i;
    e->size = v[SIZE].i;
    e->thread = (uint32_t)v[NAME].i;
    e->trace = v[TYPE].i < 0 || v[TYPE].i > UINT8_MAX ? UINT8_MAX : (uint8_t)v[TYPE].i;
    if (v[TEXT].state == TS_VALUE_READ && v[TEXT].n > 0) {
        TS_TRY(hook_text_of(&e->text, h, &v[TEXT]));
    }
    TS_TRY(event_chain(e, h, m, v, p, n));
    return add_event(h, e);
}

/* Sums of a stack since the beginning. */
static ts_code one_statistic(hook *h, ts_message *m, hook_event *e, const uint8_t *p, size_t n)
{
    enum { STAT_PID, STAT_STACK, STAT_TYPE, APPLIED, STAT_TAG = 7, STAT_FIELDS };
    static const ts_field_def defs[STAT_FIELDS] = {
        {1, TS_FIELD_INT32, "pid"},          {2, TS_FIELD_UINT32, "callstack_id"},
        {3, TS_FIELD_INT32, "type"},         {4, TS_FIELD_UINT, "apply_count"},
        {5, TS_FIELD_UINT, "release_count"}, {6, TS_FIELD_UINT, "apply_size"},
        {7, TS_FIELD_UINT, "release_size"},  {8, TS_FIELD_BYTES, "tag_name"},
    };
    ts_value v[STAT_FIELDS];
    hook_sums sums;
    h->events->seen++;
    TS_TRY(ts_fields_part(v, NULL, m, "statistics_event", defs, STAT_FIELDS, p, n));
    for (unsigned k = 0; k < STAT_TAG; k++) {
        if (v[k].state == TS_VALUE_UNKNOWN) {
            lose_event(h);
            return TS_OK;
        }
    }
    e->pid = (int32_t)v[STAT_PID].i;
    e->size = v[STAT_TYPE].i;
    e->addr = h->sums_count++;
    if (v[STAT_TAG].state == TS_VALUE_READ && v[STAT_TAG].n > 0) {
        TS_TRY(hook_text_of(&e->text, h, &v[STAT_TAG]));
    }
    TS_TRY(hook_stack_chain(&e->chain, h, e->pid, &v[STAT_STACK]));
    if (h->sums == NULL) {
        TS_TRY(ts_spool_new(&h->sums, h->records.host->ctx));
    }
    sums = (hook_sums){v[APPLIED].i, v[APPLIED + 1].i, v[APPLIED + 2].i, v[APPLIED + 3].i};
    TS_TRY(ts_spool_write(h->sums, &sums, sizeof sums));
    return add_event(h, e);
}

/* --- messages --------------------------------------------------------------------------------- */

/* Fields of NativeHookData: the time, and one of many. */
enum { SEC, NSEC, FIRST_KIND, DATA_KINDS = 15, DATA_FIELDS = FIRST_KIND + DATA_KINDS };
static const ts_field_def data_fields[DATA_FIELDS] = {
    {1, TS_FIELD_UINT, "tv_sec"},
    {2, TS_FIELD_UINT, "tv_nsec"},
    {3, TS_FIELD_BYTES, "alloc_event"},
    {4, TS_FIELD_BYTES, "free_event"},
    {5, TS_FIELD_BYTES, "mmap_event"},
    {6, TS_FIELD_BYTES, "munmap_event"},
    {7, TS_FIELD_BYTES, "tag_event"},
    {8, TS_FIELD_BYTES, "file_path"},
    {9, TS_FIELD_BYTES, "symbol_name"},
    {10, TS_FIELD_BYTES, "thread_name_map"},
    {11, TS_FIELD_BYTES, "maps_info"},
    {12, TS_FIELD_BYTES, "symbol_tab"},
    {13, TS_FIELD_BYTES, "frame_map"},
    {14, TS_FIELD_BYTES, "stack_map"},
    {15, TS_FIELD_BYTES, "statistics_event"},
    {16, TS_FIELD_BYTES, "trace_alloc_event"},
    {17, TS_FIELD_BYTES, "trace_free_event"},
};

/* By field of NativeHookData; HOOK_KINDS: a table. */
static hook_kind kind_of(uint32_t field)
{
    switch (field) {
    case 3:
        return HOOK_ALLOC;
    case 4:
        return HOOK_FREE;
    case 5:
        return HOOK_MMAP;
    case 6:
        return HOOK_MUNMAP;
    case 7:
        return HOOK_TAG;
    case 15:
        return HOOK_STATISTICS;
    case 16:
        return HOOK_TRACE_ALLOC;
    case 17:
        return HOOK_TRACE_FREE;
    default:
        return HOOK_KINDS;
    }
}

/* What an event's time is, by which it is sorted. */
static void set_time(hook_event *e, hook *h, const ts_message *m, const ts_value *v)
{
    int64_t raw = TS_NO_TIME;
    if (v[SEC].state != TS_VALUE_UNKNOWN && v[NSEC].state != TS_VALUE_UNKNOWN &&
        (v[SEC].i != 0 || v[NSEC].i != 0)) {
        raw = ts_records_ns(&h->records, v[SEC].i, v[NSEC].i);
    } else if (e->kind != HOOK_TAG) {
        ts_records_untimed(&h->records, m);
    }
    e->flags = raw == TS_NO_TIME ? HOOK_UNTIMED : 0;
    e->key = raw == TS_NO_TIME ? h->last_key : ts_sorter_key(raw);
}

static ts_code no_kind(hook *h, ts_message *m, bool damaged)
{
    h->events->seen++;
    lose_event(h);
    if (damaged) {
        return TS_OK; /* and recorded */
    }
    m->faults++;
    return ts_issue(m->host->store, m->host->source_id, TS_ISSUE_hook_event_empty, m->seg->plugin,
                    m->seg->offset, "message %" PRIu64 ": an event is of no known kind",
                    m->seg->number);
}

static ts_code read_data(hook *h, ts_message *m, const uint8_t *p, size_t n)
{
    ts_value v[DATA_FIELDS];
    hook_event e = {0};
    const uint64_t faults = m->faults;
    unsigned found = 0;
    TS_TRY(ts_fields_part(v, NULL, m, "events", data_fields, DATA_FIELDS, p, n));
    for (unsigned k = FIRST_KIND; k < DATA_FIELDS; k++) {
        if (v[k].state == TS_VALUE_READ && (found == 0 || v[k].p > v[found].p)) {
            found = k; /* of several the last counts */
        }
    }
    if (found == 0) {
        return no_kind(h, m, m->faults > faults);
    }
    e.kind = (uint8_t)kind_of(data_fields[found].number);
    if (e.kind == HOOK_KINDS) {
        return hook_table(h, m, data_fields[found].number, v[found].p, v[found].n);
    }
    set_time(&e, h, m, v);
    return e.kind == HOOK_STATISTICS ? one_statistic(h, m, &e, v[found].p, v[found].n)
                                     : one_event(h, m, &e, v[found].p, v[found].n);
}

/* One that is damaged may have others in it, whichever kind it is. */
static ts_code one_data(void *user, ts_message *m, const uint8_t *p, size_t n)
{
    hook *h = user;
    const uint64_t faults = m->faults;
    TS_TRY(read_data(h, m, p, n));
    h->gap = h->gap || m->faults > faults;
    return TS_OK;
}

/* --- configuration ---------------------------------------------------------------------------- */

enum {
    CONFIG_PID,
    CONFIG_NAME,
    CONFIG_STRINGS,
    CONFIG_OFFLINE,
    CONFIG_STACKS,
    CONFIG_INTERVAL,
    CONFIG_LIBRARIES,
    CONFIG_PIDS,
    CONFIG_OTHERS
};
static const ts_field_def config_fields[] = {
    [CONFIG_PID] = {1, TS_FIELD_INT32, "pid"},
    [CONFIG_NAME] = {7, TS_FIELD_BYTES, "process_name"},
    [CONFIG_STRINGS] = {14, TS_FIELD_INT, "string_compressed"},
    [CONFIG_OFFLINE] = {20, TS_FIELD_INT, "offline_symbolization"},
    [CONFIG_STACKS] = {21, TS_FIELD_INT, "callframe_compress"},
    [CONFIG_INTERVAL] = {22, TS_FIELD_UINT32, "statistics_interval"},
    [CONFIG_LIBRARIES] = {25, TS_FIELD_INT, "response_library_mode"},
    [CONFIG_PIDS] = {26, TS_FIELD_NUMBERS, "expand_pids"},
    [CONFIG_OTHERS] = {2, TS_FIELD_INT, "save_file"},
    {3, TS_FIELD_BYTES, "file_name"},
    {4, TS_FIELD_INT32, "filter_size"},
    {5, TS_FIELD_INT32, "smb_pages"},
    {6, TS_FIELD_INT32, "max_stack_depth"},
    {8, TS_FIELD_INT, "malloc_disable"},
    {9, TS_FIELD_INT, "mmap_disable"},
    {10, TS_FIELD_INT, "free_stack_report"},
    {11, TS_FIELD_INT, "munmap_stack_report"},
    {12, TS_FIELD_UINT32, "malloc_free_matching_interval"},
    {13, TS_FIELD_UINT32, "malloc_free_matching_cnt"},
    {15, TS_FIELD_INT, "fp_unwind"},
    {16, TS_FIELD_INT, "blocked"},
    {17, TS_FIELD_INT, "record_accurately"},
    {18, TS_FIELD_INT, "startup_mode"},
    {19, TS_FIELD_INT, "memtrace_enable"},
    {23, TS_FIELD_INT32, "clock_id"},
    {24, TS_FIELD_UINT32, "sample_interval"},
    {27, TS_FIELD_INT, "js_stack_report"},
    {28, TS_FIELD_UINT32, "max_js_stack_depth"},
    {29, TS_FIELD_BYTES, "filter_napi_name"},
};
enum { CONFIG_FIELDS = sizeof config_fields / sizeof config_fields[0] };

/* A value as a property of the source. */
static ts_code config_property(hook *h, unsigned k, const ts_value *value, const uint8_t *p,
                               size_t n)
{
    const ts_field_def *def = &config_fields[k];
    ts_store *store = h->records.host->store;
    ts_ctx *ctx = h->records.host->ctx;
    ts_text text;
    if (value->state != TS_VALUE_READ) {
        return TS_OK;
    }
    h->bytes.n = 0;
    if (def->kind == TS_FIELD_BYTES) {
        TS_TRY(ts_records_text(&text, &h->text, &h->records, value));
        return ts_source_property(store, h->source_id, def->name, text);
    }
    if (def->kind == TS_FIELD_NUMBERS) {
        ts_field_list list = {.number = def->number, .kind = TS_FIELD_NUMBERS};
        uint64_t number;
        while (ts_fields_next(&number, &list, p, n)) {
            TS_TRY(ts_buf_printf(ctx, &h->bytes, "%s%" PRId32, h->bytes.n == 0 ? "" : ",",
                                 (int32_t)(uint32_t)number));
        }
    } else {
        TS_TRY(ts_buf_decimal(ctx, &h->bytes, value->i));
    }
    return ts_source_property(store, h->source_id, def->name, ts_buf_text(&h->bytes));
}

static bool is_there(const ts_value *value)
{
    return value->state == TS_VALUE_READ;
}

/* Presence on the wire decides; several configurations add up. */
static ts_code configure(hook *h, ts_message *m, const uint8_t *p, size_t n)
{
    ts_value v[CONFIG_FIELDS];
    ts_code code = ts_fields_part(v, NULL, m, NULL, config_fields, CONFIG_FIELDS, p, n);
    for (unsigned k = 0; k < CONFIG_FIELDS && code == TS_OK; k++) {
        code = config_property(h, k, &v[k], p, n);
    }
    h->has_pid = h->has_pid || is_there(&v[CONFIG_PID]);
    h->has_name = h->has_name || is_there(&v[CONFIG_NAME]);
    h->several = h->several || is_there(&v[CONFIG_PIDS]) || (h->has_pid && h->has_name);
    h->statistic = h->statistic || is_there(&v[CONFIG_INTERVAL]);
    h->offline = h->offline || is_there(&v[CONFIG_OFFLINE]) || is_there(&v[CONFIG_LIBRARIES]);
    h->stacks = h->stacks || h->statistic || h->offline || is_there(&v[CONFIG_STACKS]);
    h->strings = h->strings || h->stacks || is_there(&v[CONFIG_STRINGS]);
    h->interval = is_there(&v[CONFIG_INTERVAL]) ? v[CONFIG_INTERVAL].i * NS_PER_S : h->interval;
    return code;
}

/* --- the plugin ------------------------------------------------------------------------------- */

static ts_code begin_source(hook *h)
{
    const ts_plugin_host *host = h->records.host;
    if (h->source_id != 0) {
        return TS_OK;
    }
    TS_TRY(ts_source_add(&h->source_id, host->store, host->source_id, "native_hook", NULL,
                         "native_hook"));
    h->numbers_before = *ts_largest_number(host->store, TS_T_native_hook_frame);
    TS_TRY(ts_count(&h->events, host->store, host->source_id, TS_ITEM_hook_events, NULL));
    return ts_count(&h->tables, host->store, host->source_id, TS_ITEM_hook_tables, NULL);
}

static ts_code message(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    static const ts_field_def events[] = {{1, TS_FIELD_BYTES, "events"}};
    hook *h = self;
    ts_value unused;
    ts_message m;
    ts_code code = ts_records_begin(&m, &h->records, seg);
    h->message_from = UINT64_MAX;
    TS_STEP(code, begin_source(h));
    if (code == TS_OK && ts_records_again(&h->records, &m, p, n)) {
        return TS_OK;
    }
    if (seg->which == CONFIG) {
        TS_STEP(code, configure(h, &m, p, n));
    } else {
        TS_STEP(code, ts_fields_part(&unused, NULL, &m, NULL, events, 1, p, n));
        TS_STEP(code, ts_fields_repeat(&m, 1, p, n, one_data, h));
    }
    if (code == TS_OK) {
        ts_records_end(&h->records, &m);
        h->gap = h->gap || m.faults > 0 || seg->truncated;
        h->lossy = h->lossy || h->gap;
    }
    return code;
}

/* The message before may have more or other events than were written, too, from the first one on.
 */
static ts_code gap(void *self, int64_t offset)
{
    hook *h = self;
    (void)offset;
    h->gap = true;
    h->lossy = true;
    h->gap_from = h->message_from < h->gap_from ? h->message_from : h->gap_from;
    return TS_OK;
}

static ts_code finish_stats(const hook *h)
{
    const struct {
        const char *event, *type;
        uint64_t n;
    } all[] = {
        {"native_hook_malloc", "received", h->counts.alloc},
        {"native_hook_free", "received", h->counts.free},
        {"native_hook_free", "invalid_data", h->counts.free_invalid},
        {"native_hook_mmap", "received", h->counts.mmap},
        {"native_hook_munmap", "received", h->counts.munmap},
        {"native_hook_munmap", "invalid_data", h->counts.munmap_invalid},
        {"native_hook_memtag", "received", h->counts.tag},
        {"native_hook_record_statistics", "received", h->counts.statistics},
    };
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < sizeof all / sizeof all[0]; i++) {
        code = ts_stat(h->records.host->store, all[i].event, all[i].type, all[i].n);
    }
    return code;
}

static ts_code finish_issues(const hook *h)
{
    const struct {
        ts_issue_code issue;
        uint64_t n;
        const char *what;
    } all[] = {
        {TS_ISSUE_hook_stack_unknown, h->counts.stacks_unknown, "events have an unknown stack"},
        {TS_ISSUE_hook_stack_cut, h->counts.stacks_cut, "stacks were cut"},
        {TS_ISSUE_hook_free_lost, h->counts.frees_lost, "releases were not recorded"},
        {TS_ISSUE_hook_frame_unknown, h->counts.frames_unknown,
         "frames refer to frames or texts that are not known"},
        {TS_ISSUE_hook_table_bad, h->counts.tables_bad, "symbol tables have odd entries"},
        {TS_ISSUE_hook_traces, h->counts.traces, "events of other resources were skipped"},
    };
    const ts_plugin_host *host = h->records.host;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < sizeof all / sizeof all[0]; i++) {
        code = all[i].n == 0
                   ? TS_OK
                   : ts_issue_n(host->store, host->source_id, all[i].issue, HOOK_NAME, TS_NO_OFFSET,
                                all[i].n, "%" PRIu64 " %s", all[i].n, all[i].what);
    }
    return code;
}

static ts_code finish_source(hook *h)
{
    ts_store *store = h->records.host->store;
    ts_htrace_times unused = {.clocks = h->records.times.clocks};
    ts_row_source *source = ts_source(store, h->source_id);
    ts_clock clock;
    const char *name;
    (void)ts_htrace_time(&clock, &unused, h->records.recorded, 0);
    if (h->noted) {
        int64_t last = h->last == h->first ? h->last + 1 : h->last;
        ts_range_note(store, clock, TS_RANGE_ROWS, h->first);
        ts_range_note(store, clock, TS_RANGE_ROWS, last);
        TS_SET_VALUE(source, source, start_ts, h->first);
        TS_SET_VALUE(source, source, end_ts, h->last);
    }
    name = ts_clock_name(clock);
    return ts_source_text(store, h->source_id, &source->clock, name, strlen(name));
}

static ts_code finish(void *self)
{
    hook *h = self;
    if (h->source_id == 0) {
        return TS_OK;
    }
    TS_TRY(hook_events_handle(h));
    TS_TRY(hook_frames_write(h));
    TS_TRY(hook_rows_write(h));
    if (h->numbers_last > h->numbers_before) {
        *ts_largest_number(h->records.host->store, TS_T_native_hook_frame) = h->numbers_last;
    }
    TS_TRY(finish_source(h));
    TS_TRY(finish_stats(h));
    TS_TRY(finish_issues(h));
    h->records.noted = false; /* the range is noted above */
    return ts_records_finish(&h->records);
}

static void close_plugin(void *self)
{
    hook *h = self;
    hook_tables_free(h);
    hook_offline_free(h);
    hook_events_free(h);
    hook_rows_free(h);
}

static ts_code open_plugin(void **self, const ts_plugin_host *host)
{
    hook *h = *self;
    ts_records_init(&h->records, host, HOOK_NAME);
    h->message_from = UINT64_MAX;
    h->gap_from = UINT64_MAX;
    return TS_OK;
}

/* A batch of events and tables: fields 1, each with a time or one of many parts. The last one may
 * be longer than what is looked at. */
static bool reads(const uint8_t *p, size_t n, uint64_t size)
{
    ts_bytes look = {.p = p, .n = n};
    bool any = false;
    while (look.at + 2 < look.n) {
        uint64_t length;
        const uint8_t *first;
        if (look.p[look.at++] != (1 << 3 | TS_WIRE_BYTES)) {
            return false;
        }
        if (!ts_get_varint(&length, &look)) {
            return any && n < size;
        }
        first = look.p + look.at;
        if (length > size - look.at || length == 0) {
            return false;
        }
        if (look.at < look.n && first[0] != (1 << 3) && first[0] != (2 << 3) &&
            ((first[0] & 7) != TS_WIRE_BYTES || first[0] >> 3 < 3)) {
            return false;
        }
        any = true;
        look.at = length > look.n - look.at ? look.n : look.at + (size_t)length;
    }
    return any;
}

static const ts_plugin_name names[] = {
    {"nativehook", 256 << 20, reads},
    {"hookdaemon", 256 << 20, reads},
    [CONFIG] = {"nativehook_config", 1 << 20, NULL},
    {NULL, 0, NULL},
};

TS_HTRACE_PLUGIN(native_hook) = {
    .names = names,
    .size = sizeof(hook),
    .open = open_plugin,
    .message = message,
    .gap = gap,
    .finish = finish,
    .close = close_plugin,
};
