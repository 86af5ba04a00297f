/* Rows of samples: those of the viewer's tables and those of the common model. */
#include "parsers/perf/perf_data.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

/* --- what is gathered --------------------------------------------------------------------------
 */

static ts_code flush_samples(perfd *r)
{
    ts_sink *sink = r->sink;
    unsigned n = r->batch_n;
    unsigned labels = r->label_n;
    r->batch_n = 0;
    r->label_n = 0;
    if (n == 0) {
        return TS_OK;
    }
    TS_TRY(ts_sink_put_many(sink, TS_T_perf_sample, r->sample_rows, sizeof r->sample_rows[0], n));
    TS_TRY(ts_sink_put_many(sink, TS_T_stack_sample, r->stack_rows, sizeof r->stack_rows[0], n));
    TS_TRY(
        ts_sink_put_many(sink, TS_T_stack_sample_value, r->value_rows, sizeof r->value_rows[0], n));
    return labels == 0 ? TS_OK
                       : ts_sink_put_many(sink, TS_T_stack_sample_label, r->label_rows,
                                          sizeof r->label_rows[0], labels);
}

static ts_code flush_chain(perfd *r)
{
    unsigned n = r->chain_row_n;
    r->chain_row_n = 0;
    return n == 0 ? TS_OK
                  : ts_sink_put_many(r->sink, TS_T_perf_callchain, r->chain_rows,
                                     sizeof r->chain_rows[0], n);
}

/* --- chains ------------------------------------------------------------------------------------
 */

static bool is_chain(const void *owner, uint32_t number, const void *key)
{
    const perfd_chain *have = (const perfd_chain *)((const perfd *)owner)->chains.p + number;
    const perfd_chain *wanted = key;
    return have->a == wanted->a && have->b == wanted->b;
}

static void hash_chain(perfd_chain *out, const perfd *r, int64_t pid)
{
    const perfd_frame *f = r->frames.p;
    ts_hash h = ts_hash_begin(&r->chain_index.key);
    ts_hash_word(&h, (uint64_t)pid);
    for (size_t i = 0; i < r->frames.n; i++) {
        ts_hash_word(&h, f[i].ip);
        ts_hash_word(&h, (uint64_t)f[i].file << 32 | f[i].symbol);
        ts_hash_word(&h, f[i].offset);
    }
    out->a = ts_hash_end(&h);
    out->b = ts_hash_more(&h);
    out->node = 0;
}

static ts_code put_chain(perfd *r, int64_t chain_id)
{
    const perfd_frame *frames = r->frames.p;
    int64_t id = (int64_t)ts_sink_rows(r->sink, TS_T_perf_callchain) + r->chain_row_n;
    for (size_t i = 0; i < r->frames.n; i++) {
        const perfd_frame *f = &frames[r->frames.n - 1 - i];
        bool symbol = f->symbol != TS_INDEX_NONE;
        if (r->chain_row_n == PERFD_BATCH) {
            TS_TRY(flush_chain(r));
        }
        r->chain_rows[r->chain_row_n++] = (ts_row_perf_callchain){
            .null = TS_NULL_BITS(perf_callchain, source_file_id, line_number),
            .id = id + (int64_t)i,
            .callchain_id = chain_id,
            .depth = (int64_t)i,
            .ip = (int64_t)f->ip,
            .vaddr_in_file = (int64_t)f->vaddr,
            .offset_to_vaddr = symbol ? (int64_t)f->offset : 0,
            .file_id = f->file == TS_INDEX_NONE ? -1 : (int64_t)(r->shared->files + f->file),
            .symbol_id = symbol ? (int64_t)f->symbol : -1,
            .name = f->name.dict,
        };
    }
    return TS_OK;
}

/* The row of the call path that the frames are. */
static ts_code find_node(uint32_t *node, perfd *r)
{
    const perfd_frame *frames = r->frames.p;
    ts_path_walk walk = {0};
    uint32_t *steps;
    r->steps.n = 0;
    TS_TRY(ts_vec_reserve(r->ctx, &r->steps, r->frames.n, sizeof *steps));
    steps = r->steps.p;
    for (size_t i = 0; i < r->frames.n; i++) {
        steps[i] = frames[r->frames.n - 1 - i].name.step;
    }
    walk.frames = steps;
    walk.n = r->frames.n;
    TS_TRY(ts_paths_walk(&walk, &r->call_paths, r->store, r->source_id));
    *node = ts_paths_row(&r->call_paths, &walk);
    return TS_OK;
}

/* The chain of the frames; 0: there are none. */
static ts_code find_chain(uint64_t *id, uint32_t *node, perfd *r, int64_t pid)
{
    perfd_chain chain;
    ts_index_place place;
    uint32_t number;
    *id = 0;
    *node = 0;
    if (r->frames.n == 0) {
        return TS_OK;
    }
    TS_TRY(ts_index_reserve(r->ctx, &r->chain_index));
    hash_chain(&chain, r, pid);
    number = ts_index_search(&place, &r->chain_index, chain.a, is_chain, r, &chain);
    if (number == TS_INDEX_NONE) {
        number = (uint32_t)r->chains.n;
        TS_TRY(put_chain(r, (int64_t)(r->first_chain + number + 1)));
        TS_TRY(find_node(&chain.node, r));
        TS_TRY(ts_vec_push(r->ctx, &r->chains, &chain, sizeof chain));
        ts_index_add(&r->chain_index, place, number);
    }
    *id = r->first_chain + number + 1;
    *node = ((const perfd_chain *)r->chains.p)[number].node;
    return TS_OK;
}

/* What the frames of a sample depend on. */
static void hash_stack(perfd_met *out, perfd *r, const perfd_sample *s)
{
    const perfd_maps *maps = perfd_maps_of(r, s->pid);
    ts_hash h = ts_hash_begin(&r->ctx->hash_key);
    ts_hash_word(&h, (uint64_t)s->pid);
    ts_hash_word(&h, (uint64_t)(maps == NULL ? 0 : maps->version) << 32 | r->kernel_version);
    ts_hash_word(&h, (uint64_t)(s->misc & 7) << 2 | (uint64_t)(s->has_stack_id ? 2 : 0) |
                         (perfd_flag(s->attr, PERFD_FLAG_NO_USER_CHAIN) ? 1 : 0));
    ts_hash_word(&h, s->user_ip);
    ts_hash_word(&h, s->has_stack_id ? s->stack_id : s->ip_n == 0 ? s->ip : 0);
    for (uint64_t i = 0; i < s->ip_n; i++) {
        ts_hash_word(&h, perfd_u64(s->ips + 8 * i));
    }
    for (uint64_t i = 0; i < s->call_n; i++) {
        ts_hash_word(&h, perfd_u64(s->calls + PERFD_BRANCH_ENTRY * i));
    }
    ts_hash_word(&h, s->call_n == 0 ? 0 : perfd_u64(s->calls + PERFD_BRANCH_TO));
    out->a = ts_hash_end(&h);
    out->b = ts_hash_more(&h) | 1;
}

/* The places that a stack may be in. */
static perfd_met *set_of(const perfd *r, const perfd_met *key)
{
    const uint64_t sets = (UINT64_C(1) << r->met_bits) / PERFD_MET_WAYS;
    return &r->met[(key->a & (sets - 1)) * PERFD_MET_WAYS];
}

/* NULL: it was not met lately. */
static const perfd_met *find_met(const perfd_met *first, const perfd_met *key)
{
    for (unsigned i = 0; i < PERFD_MET_WAYS; i++) {
        if (first[i].a == key->a && first[i].b == key->b) {
            return &first[i];
        }
    }
    return NULL;
}

static void keep_met(perfd_met *set, const perfd_met *met)
{
    memmove(set + 1, set, (PERFD_MET_WAYS - 1) * sizeof *set);
    *set = *met;
}

void perfd_expect_sample(perfd *r, const perfd_sample *s)
{
    if (s->server_n == 0) {
        hash_stack(&r->waiting_key, r, s);
        const perfd_met *set = set_of(r, &r->waiting_key);
        __builtin_prefetch(set);
        __builtin_prefetch(set + PERFD_MET_WAYS - 1);
    }
}

/* The chain of a sample, by its bytes where they were met before. Those of several processes have
 * other maps, too. */
static ts_code chain_of(uint64_t *id, uint32_t *node, perfd *r, const perfd_sample *s)
{
    perfd_met key = r->waiting_key;
    perfd_met *set = NULL;
    if (s->server_n == 0) {
        set = set_of(r, &key);
        const perfd_met *met = find_met(set, &key);
        if (met != NULL) {
            *id = r->first_chain + met->chain + 1;
            *node = met->node;
            return TS_OK;
        }
    }
    TS_TRY(perfd_resolve(r, s));
    TS_TRY(find_chain(id, node, r, s->pid));
    if (set != NULL && *id != 0 && r->stack_known) {
        key.chain = (uint32_t)(*id - r->first_chain - 1);
        key.node = *node;
        keep_met(set, &key);
    }
    return TS_OK;
}

/* --- times -------------------------------------------------------------------------------------
 */

/* On the clock of the rows of everything else, where the clocks are known. */
static int64_t trace_time(ts_clock *clock, perfd *r, const perfd_sample *s)
{
    *clock = TS_CLOCK_BOOTTIME;
    if (!s->has_time || s->time > INT64_MAX) {
        return TS_NO_TIME;
    }
    return r->clock == TS_CLOCK_UNKNOWN
               ? (int64_t)s->time
               : ts_htrace_time(clock, &r->times, r->clock, (int64_t)s->time);
}

static ts_code choose_wanted(perfd *r, ts_clock clock, int64_t ts)
{
    const ts_clock_set *set = r->clocks.at[TS_CLOCK_REALTIME] != 0 ? &r->clocks : NULL;
    if (r->spanned || ts == TS_NO_TIME) {
        return TS_OK;
    }
    r->spanned = true;
    if (r->host != NULL) {
        return ts_htrace_wanted(&r->wanted, r->host, r->name, clock, ts);
    }
    return ts_wanted_span(&r->wanted, r->ctx, clock, set, ts)
               ? TS_OK
               : PERFD_ISSUE(r, time_range_unrelated, UINT64_MAX, "all samples are kept");
}

static void note_time(perfd *r, ts_clock clock, int64_t ts)
{
    if (ts == TS_NO_TIME) {
        return;
    }
    ts_range_note(r->store, clock, TS_RANGE_ROWS, ts);
    r->row_clock = clock;
    r->first_ts = r->first_ts == TS_NO_TIME || ts < r->first_ts ? ts : r->first_ts;
    r->last_ts = r->last_ts == TS_NO_TIME || ts > r->last_ts ? ts : r->last_ts;
}

/* --- samples -----------------------------------------------------------------------------------
 */

static bool contains(ts_text text, const char *part)
{
    bool found = false;
    for (size_t i = 0; i < text.n && !found; i++) {
        found = ts_text_begins(ts_text_from(text, i), part);
    }
    return found;
}

static ts_code value_type(int64_t *id, perfd *r, perfd_event *event)
{
    ts_row_stack_value_type row = {
        .id = (int64_t)ts_sink_rows(r->sink, TS_T_stack_value_type) + 1,
        .source_id = r->source_id,
        .name = event->name,
        .unit = contains(event->name, "cycles") ? TS_TEXT_LIT("cycles")
                : contains(event->name, "cpu-clock") || contains(event->name, "task-clock") ||
                        contains(event->name, "offcpu-time")
                    ? TS_TEXT_LIT("ns")
                    : TS_TEXT_LIT("count"),
    };
    if (event->value_type == 0) {
        TS_TRY(ts_put_stack_value_type(r->sink, &row));
        event->value_type = row.id;
    }
    *id = event->value_type;
    return TS_OK;
}

static ts_text cpu_text(perfd *r, uint32_t cpu)
{
    char *text = r->label_text[r->label_n];
    if (cpu < PERFD_CPUS) {
        return ts_text_of(r->cpu_names[cpu]);
    }
    snprintf(text, sizeof r->label_text[0], "%" PRIu32, cpu);
    return ts_text_of(text);
}

static void add_label(perfd *r, int64_t sample, ts_text key, ts_text value)
{
    r->label_rows[r->label_n++] =
        (ts_row_stack_sample_label){.sample_id = sample, .key = key, .value = value};
}

/* The values of the events that were counted together with the one that took the sample. */
static ts_code put_group(perfd *r, const perfd_sample *s, int64_t sample)
{
    enum { WITH_ID = 4, WITH_LOST = 16 };
    uint64_t format = s->attr->read_format;
    size_t words = 1 + (size_t)((format & WITH_ID) != 0) + (size_t)((format & WITH_LOST) != 0);
    const perfd_event *events = r->events.p;
    r->group_reads += s->group_n > 1 ? 1 : 0;
    for (uint64_t i = 1; i < s->group_n; i++) {
        const uint8_t *p = s->group + 8 * words * i;
        uint64_t number = 0;
        char key[32];
        char value[24];
        ts_row_stack_sample_label row = {.sample_id = sample};
        snprintf(key, sizeof key, "group-%" PRIu64, i);
        snprintf(value, sizeof value, "%" PRIu64, perfd_u64(p));
        row.key = ts_text_of(key);
        row.value = ts_text_of(value);
        if ((format & WITH_ID) != 0 &&
            (ts_idmap_find(&number, &r->event_of, (int64_t)perfd_u64(p + 8)) ||
             ts_idmap_find(&number, &r->attr_of, (int64_t)perfd_u64(p + 8))) &&
            number < r->events.n) {
            row.key = events[number].name;
        }
        TS_TRY(ts_put_stack_sample_label(r->sink, &row));
    }
    return TS_OK;
}

/* The thread's number, which is asked for once. Threads that have ended have none. */
static ts_code find_thread(int64_t *itid, perfd *r, const perfd_sample *s)
{
    uint32_t number;
    perfd_thread *t;
    *itid = -1;
    if (!s->has_tid) {
        return TS_OK;
    }
    TS_TRY(perfd_thread_at(&number, r, s->pid, s->tid));
    t = (perfd_thread *)r->threads.p + number;
    if (!t->sampled) {
        t->sampled = true;
        TS_TRY(ts_vec_push(r->ctx, &r->sampled, &number, sizeof number));
    }
    if (t->itid == -2) {
        t->itid = -1;
        TS_TRY(s->tid < 0 || s->pid < 0
                   ? TS_OK
                   : ts_thread_seen(&t->itid, r->store, r->source_id, s->tid, s->pid));
    }
    *itid = t->itid;
    return TS_OK;
}

static ts_code put_rows(perfd *r, const perfd_sample *s, int64_t ts, uint64_t chain, uint32_t node)
{
    perfd_event *event = (perfd_event *)r->events.p + s->event;
    unsigned at = r->batch_n;
    int64_t row = (int64_t)ts_sink_rows(r->sink, TS_T_stack_sample) + 1 + at;
    ts_row_perf_sample *sample = &r->sample_rows[at];
    ts_row_stack_sample *stack = &r->stack_rows[at];
    int64_t itid;
    TS_TRY(find_thread(&itid, r, s));
    r->value_rows[at] = (ts_row_stack_sample_value){.sample_id = row, .value = (int64_t)s->period};
    TS_TRY(value_type(&r->value_rows[at].value_type_id, r, event));
    *sample = (ts_row_perf_sample){
        .id = (int64_t)ts_sink_rows(r->sink, TS_T_perf_sample) + at,
        .callchain_id = (int64_t)chain,
        .timeStamp = (int64_t)s->time,
        .thread_id = s->tid,
        .event_count = (int64_t)s->period,
        .event_type_id = r->first_event + s->event,
        .timestamp_trace = ts,
        .cpu_id = s->cpu,
        .thread_state = event->state,
    };
    TS_NULL_IF(chain == 0, perf_sample, sample, callchain_id);
    TS_NULL_IF(!s->has_time, perf_sample, sample, timeStamp);
    TS_NULL_IF(!s->has_tid, perf_sample, sample, thread_id);
    TS_NULL_IF(ts == TS_NO_TIME, perf_sample, sample, timestamp_trace);
    TS_NULL_IF(!s->has_cpu, perf_sample, sample, cpu_id);
    *stack = (ts_row_stack_sample){.null = TS_NULL_BITS(stack_sample, dur),
                                   .id = row,
                                   .source_id = r->source_id,
                                   .itid = itid,
                                   .ts = ts,
                                   .node_id = node,
                                   .event = event->name};
    TS_NULL_IF(itid < 0, stack_sample, stack, itid);
    TS_NULL_IF(ts == TS_NO_TIME, stack_sample, stack, ts);
    TS_NULL_IF(node == 0, stack_sample, stack, node_id);
    if (s->has_cpu) {
        add_label(r, row, TS_TEXT_LIT("cpu"), cpu_text(r, s->cpu));
    }
    if (event->state.p[0] != '-') {
        add_label(r, row, TS_TEXT_LIT("thread_state"), event->state);
    }
    r->batch_n++;
    if (s->group_n > 1) {
        TS_TRY(flush_samples(r));
        TS_TRY(put_group(r, s, row));
    }
    return r->batch_n == PERFD_BATCH ? flush_samples(r) : TS_OK;
}

ts_code perfd_put_sample(perfd *r, const perfd_sample *s)
{
    ts_clock clock;
    int64_t ts = trace_time(&clock, r, s);
    uint64_t chain;
    uint32_t node;
    TS_TRY(choose_wanted(r, clock, ts));
    if (r->ctx->time_range.kind != TS_WANTED_ALL &&
        (ts == TS_NO_TIME || !ts_span_has(&r->wanted, ts))) {
        r->samples_skipped++;
        return TS_OK;
    }
    note_time(r, clock, ts);
    TS_TRY(chain_of(&chain, &node, r, s));
    TS_TRY(put_rows(r, s, ts, chain, node));
    r->branches_used += s->call_n;
    r->branches_skipped += s->branch_n - s->call_n;
    r->samples_good++;
    return TS_OK;
}

/* --- the beginning and the end -----------------------------------------------------------------
 */

static ts_code put_report(perfd *r, const char *type, ts_text value)
{
    ts_row_perf_report row = {.id = (int64_t)ts_sink_rows(r->sink, TS_T_perf_report),
                              .report_type = ts_text_of(type),
                              .report_value = value};
    return ts_put_perf_report(r->sink, &row);
}

ts_code perfd_rows_begin(perfd *r)
{
    const perfd_event *events = r->events.p;
    r->first_event = (int64_t)ts_sink_rows(r->sink, TS_T_perf_report);
    r->first_chain = r->shared->chains;
    for (unsigned i = 0; i < PERFD_CPUS; i++) {
        snprintf(r->cpu_names[i], sizeof r->cpu_names[i], "%u", i & 255);
    }
    for (size_t i = 0; i < r->events.n; i++) {
        TS_TRY(put_report(r, "config_name", events[i].name));
    }
    if (r->workload != NULL && r->workload[0] != '\0') {
        TS_TRY(put_report(r, "workload_cmd", ts_text_of(r->workload)));
    }
    return put_report(r, "cmdline", ts_text_of(r->cmdline == NULL ? "" : r->cmdline));
}

static ts_code put_thread(perfd *r, const perfd_thread *t)
{
    ts_row_perf_thread row = {
        .id = (int64_t)ts_sink_rows(r->sink, TS_T_perf_thread),
        .thread_id = t->tid,
        .process_id = t->pid,
        .thread_name = t->name == TS_INDEX_NONE ? TS_TEXT_NULL : ts_pool_text(&r->texts, t->name)};
    return ts_put_perf_thread(r->sink, &row);
}

/* The process and thread of the common tables, which get a name if nothing else gave them one. */
static ts_code name_thread(perfd *r, perfd_thread *t)
{
    ts_text name = t->name == TS_INDEX_NONE ? TS_TEXT_NULL : ts_pool_text(&r->texts, t->name);
    ts_row_thread *row;
    if (t->itid == -2 && t->tid >= 0 && t->pid >= 0) {
        TS_TRY(ts_thread_seen(&t->itid, r->store, r->source_id, t->tid, t->pid));
    }
    if (t->itid < 0 || name.n == 0) {
        return TS_OK;
    }
    row = ts_thread_row(r->store, t->itid);
    if (row->name.n == 0) {
        TS_TRY(ts_thread_name(r->store, t->itid, name));
    }
    if (t->tid == t->pid && t->pid != 0) {
        int64_t ipid;
        TS_TRY(ts_process(&ipid, r->store, r->source_id, t->pid));
        if (ts_process_row(r->store, ipid)->name.n == 0) {
            return ts_process_name(r->store, ipid, name);
        }
    }
    return TS_OK;
}

static ts_code put_threads(perfd *r)
{
    perfd_thread *threads = r->threads.p;
    const uint32_t *numbers = r->commed.p;
    for (size_t i = 0; i < r->commed.n; i++) {
        TS_TRY(put_thread(r, &threads[numbers[i]]));
        TS_TRY(name_thread(r, &threads[numbers[i]]));
    }
    numbers = r->sampled.p;
    for (size_t i = 0; i < r->sampled.n; i++) {
        if (!threads[numbers[i]].commed) {
            TS_TRY(put_thread(r, &threads[numbers[i]]));
            TS_TRY(name_thread(r, &threads[numbers[i]]));
        }
    }
    return TS_OK;
}

static ts_code note_losses(perfd *r)
{
    const perfd_event *events = r->events.p;
    uint64_t lost = 0;
    for (size_t i = 0; i < r->events.n; i++) {
        lost = (uint64_t)ts_sat_add((int64_t)lost, (int64_t)events[i].lost);
        TS_TRY(ts_issue_n(r->store, r->source_id, TS_ISSUE_perf_lost, r->name, TS_NO_OFFSET,
                          events[i].lost, "the recorder lost %" PRIu64 " records of %.*s",
                          events[i].lost, (int)events[i].name.n, events[i].name.p));
    }
    r->records_lost = (uint64_t)ts_sat_add((int64_t)r->records_lost, (int64_t)lost);
    TS_TRY(ts_issue_n(r->store, r->source_id, TS_ISSUE_perf_event_unknown, r->name, TS_NO_OFFSET,
                      r->unknown_events, "samples have the id of no event; the first was taken"));
    return ts_issue_n(r->store, r->source_id, TS_ISSUE_perf_group_read, r->name, TS_NO_OFFSET,
                      r->group_reads,
                      "samples have the values of several events; those of the others are labels");
}

static ts_code put_counts(perfd *r)
{
    ts_store *store = r->store;
    int64_t id = r->source_id;
    TS_TRY(ts_count_add(store, id, TS_ITEM_perf_records, NULL, r->records_good, r->records_lost,
                        r->records_skipped));
    TS_TRY(ts_count_add(store, id, TS_ITEM_perf_samples, NULL, r->samples_good, r->samples_lost,
                        r->samples_skipped));
    TS_TRY(ts_count_add(store, id, TS_ITEM_perf_branches, NULL, r->branches_used, 0,
                        r->branches_skipped));
    TS_TRY(ts_count_add(store, id, TS_ITEM_perf_features, NULL, r->features_good, r->features_lost,
                        r->features_skipped));
    return ts_count_add(store, id, TS_ITEM_perf_symbols, NULL, r->symbols_good, r->symbols_lost, 0);
}

ts_code perfd_rows_end(perfd *r)
{
    ts_row_source *source;
    TS_TRY(flush_chain(r));
    TS_TRY(flush_samples(r));
    TS_TRY(perfd_end_files(r));
    TS_TRY(ts_paths_flush(&r->call_paths, r->store));
    TS_TRY(put_threads(r));
    source = ts_source(r->store, r->source_id);
    if (r->first_ts != TS_NO_TIME) {
        source->clock = ts_text_of(
            ts_clock_name(r->clock == TS_CLOCK_UNKNOWN ? TS_CLOCK_RELATIVE : r->row_clock));
        TS_SET_VALUE(source, source, start_ts, r->first_ts);
        TS_SET_VALUE(source, source, end_ts, r->last_ts);
    }
    source->bytes = (int64_t)r->size;
    TS_TRY(note_losses(r));
    TS_TRY(ts_htrace_times_finish(&r->times, r->store, r->source_id, r->name));
    source->complete = r->records_lost + r->samples_lost + r->features_lost == 0 && !r->cut;
    TS_TRY(put_counts(r));
    r->shared->chains += r->chains.n;
    r->shared->files += r->files.n;
    ts_stack_release(r->store, r->source_id);
    return TS_OK;
}
