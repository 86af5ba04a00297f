/*
 * CPU profiles in a trace: an event begins one, others bring nodes and samples, from another thread
 * perhaps. What belongs together has the same process and id. Samples are sorted by their events'
 * times, because the time of each counts from the one before it.
 */
#include "parsers/chrome_trace/chrome_profile.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

ts_code chrome_profiles_open(chrome_trace *c)
{
    c->profiles = ts_zalloc(c->ctx, 1, sizeof *c->profiles);
    return c->profiles == NULL ? c->ctx->error.code : TS_OK;
}

void chrome_profiles_close(chrome_trace *c)
{
    chrome_profiles *p = c->profiles;
    if (p == NULL) {
        return;
    }
    for (size_t i = 0; i < p->all.n; i++) {
        chrome_profile *profile = chrome_profile_at(p, i);
        ts_vec_free(c->ctx, &profile->nodes);
        ts_vec_free(c->ctx, &profile->links);
        ts_idmap_free(c->ctx, &profile->by_id);
    }
    for (unsigned i = 0; i < CHROME_LISTS; i++) {
        ts_intvec_free(c->ctx, &p->lists[i]);
    }
    ts_vec_free(c->ctx, &p->all);
    ts_vec_free(c->ctx, &p->by_key);
    ts_pool_free(c->ctx, &p->keys);
    ts_sorter_close(p->samples);
    ts_json_free(p->json);
    ts_json_place_free(&p->in);
    ts_buf_free(c->ctx, &p->key);
    ts_buf_free(c->ctx, &p->function);
    ts_buf_free(c->ctx, &p->url);
    ts_free(c->ctx, p);
    c->profiles = NULL;
}

/* --- profiles -------------------------------------------------------------------------------- */

static ts_code new_profile(uint32_t *index, chrome_trace *c)
{
    chrome_profiles *p = c->profiles;
    chrome_profile *profile;
    TS_NEED(c->ctx, profile = ts_vec_add(c->ctx, &p->all, sizeof *profile));
    profile->itid = -1;
    profile->start = TS_NO_TIME;
    profile->end = TS_NO_TIME;
    *index = (uint32_t)p->all.n - 1;
    return ts_job_source(&profile->source_id, profile->name, c->job, c->source_id, "cpu_profile",
                         "chrome-trace", "TraceProfile");
}

/* The profile of the event's process and id. */
static ts_code profile_of(uint32_t *index, chrome_trace *c, uint32_t thread)
{
    chrome_profiles *p = c->profiles;
    ts_text id = chrome_text(c, &c->event.text[CHROME_ID]);
    int64_t ipid = chrome_thread_at(c, thread)->ipid;
    uint32_t *number;
    uint32_t key;
    bool added;
    ts_code code;
    p->key.n = 0;
    TS_TRY_INTO(code, ts_buf_put(c->ctx, &p->key, &ipid, sizeof ipid));
    TS_TRY_INTO(code, ts_buf_put(c->ctx, &p->key, id.p, id.n));
    TS_TRY_INTO(code, ts_pool_intern(c->ctx, &key, &added, &p->keys, ts_buf_text(&p->key)));
    if (added) {
        TS_NEED(c->ctx, number = ts_vec_add(c->ctx, &p->by_key, sizeof *number));
        code = new_profile(number, c);
    }
    *index = ((uint32_t *)p->by_key.p)[key];
    return code;
}

static void begin_profile(chrome_trace *c, chrome_profile *profile, uint32_t thread)
{
    const chrome_thread *t = chrome_thread_at(c, thread);
    profile->began = true;
    profile->itid = t->itid;
    if (t->ipid >= 0) {
        const ts_row_process *process = ts_process_row(c->store, t->ipid);
        ts_row_source *source = ts_source(c->store, profile->source_id);
        if ((process->null & TS_NULL_BIT(process, pid)) == 0) {
            TS_SET_VALUE(source, source, pid, process->pid);
        }
    }
}

/* --- events ---------------------------------------------------------------------------------- */

static int32_t place_in_text(const ts_intvec *list, uint64_t i)
{
    int64_t v = i < list->n ? ts_intvec_get(list, i) : -1;
    return v < 0 || v > INT32_MAX ? -1 : (int32_t)v;
}

/* The samples of the event. When there is not a time for each, which is missing is not known. */
static ts_code add_samples(chrome_trace *c, chrome_profile *profile, int64_t event_id)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 4};
    chrome_profiles *p = c->profiles;
    const ts_intvec *ids = &p->lists[CHROME_SAMPLES];
    const ts_intvec *deltas = &p->lists[CHROME_DELTAS];
    bool match = ids->n == deltas->n;
    ts_code code = TS_OK;
    if (!match) {
        bool extra = deltas->n > ids->n;
        code =
            ts_issue_n(c->store, profile->source_id,
                       extra ? TS_ISSUE_cpu_delta_extra : TS_ISSUE_cpu_delta_missing, profile->name,
                       (int64_t)c->event.at, extra ? deltas->n - ids->n : ids->n - deltas->n,
                       "%" PRIu64 " samples have %" PRIu64 " timeDeltas", ids->n, deltas->n);
    }
    TS_STEP_IF(
        code, p->samples == NULL,
        ts_sorter_open(&p->samples, c->ctx, sizeof(chrome_sample), &order, CHROME_SAMPLE_MEMORY));
    profile->samples += ids->n;
    profile->deltas += deltas->n;
    profile->deltas_used += match ? ids->n : 0;
    for (uint64_t i = 0; i < ids->n && code == TS_OK; i++) {
        chrome_sample s = {
            .profile = p->at_profile,
            .ts = c->event.ts == TS_NO_TIME ? UINT64_MAX : ts_sorter_key(c->event.ts),
            .order = c->n.events,
            .index = i,
            .delta = match ? ts_intvec_get(deltas, i) : TS_NO_TIME,
            .node = ts_intvec_get(ids, i),
            .event_id = event_id,
            .line = place_in_text(&p->lists[CHROME_LINES], i),
            .column = place_in_text(&p->lists[CHROME_COLUMNS], i),
        };
        if (s.delta < 0 && s.delta != TS_NO_TIME) {
            profile->negative = true;
            p->negative = true;
        }
        p->any = true;
        code = ts_sorter_add(p->samples, &s);
    }
    return code;
}

ts_code chrome_profile_add(chrome_trace *c, chrome_profile_part part, uint32_t thread,
                           int64_t event_id)
{
    chrome_profiles *p = c->profiles;
    chrome_profile *profile;
    ts_code code;
    TS_TRY_INTO(code, part == CHROME_PROFILE_WHOLE ? new_profile(&p->at_profile, c)
                                                   : profile_of(&p->at_profile, c, thread));
    profile = chrome_profile_at(p, p->at_profile);
    if (part != CHROME_PROFILE_CHUNK) {
        begin_profile(c, profile, thread);
    }
    p->odd = 0;
    TS_TRY_INTO(code, chrome_profile_read(c));
    if (p->odd > 0) {
        code =
            ts_issue_n(c->store, profile->source_id, TS_ISSUE_chrome_profile_broken, profile->name,
                       (int64_t)c->event.at, p->odd, "values are not what they should be");
    }
    TS_STEP(code, add_samples(c, profile, event_id));
    return code;
}

/* --- samples --------------------------------------------------------------------------------- */

/* A sample waits for the next one, which says how long it lasted. */
typedef struct sample_writer {
    ts_sorter *by_time; /* of profiles with negative deltas; or NULL */
    int64_t ts;         /* of the sample that was read last */
    uint64_t profile;
    uint64_t order;
    bool waits;
    chrome_sample sample; /* delta: its time */
    uint64_t skipped;
} sample_writer;

static ts_code put_sample(chrome_trace *c, const chrome_sample *s, int64_t end)
{
    chrome_profile *profile = chrome_profile_at(c->profiles, (size_t)s->profile);
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(c->sink, TS_T_stack_sample) + 1,
        .source_id = profile->source_id,
        .itid = profile->itid,
        .ts = s->delta,
        .event = TS_TEXT_LIT("cpu"),
    };
    ts_row_chrome_sample more = {
        .sample_id = row.id, .event_id = s->event_id, .line = s->line, .column = s->column};
    uint64_t index;
    ts_code code = TS_OK;
    if (s->node != TS_NO_TIME && ts_idmap_find(&index, &profile->by_id, s->node)) {
        row.node_id = ((chrome_node *)profile->nodes.p)[index].v8.stack_node;
    } else {
        TS_SET_NULL(stack_sample, &row, node_id);
        if (s->node != TS_NO_TIME) {
            code = ts_issue(c->store, profile->source_id, TS_ISSUE_cpu_unknown_sample,
                            profile->name, TS_NO_OFFSET,
                            "a sample names node %" PRId64 ", which is not there", s->node);
        }
    }
    TS_NULL_IF(row.itid < 0, stack_sample, &row, itid);
    TS_NULL_IF(row.ts == TS_NO_TIME, stack_sample, &row, ts);
    TS_NULL_IF(row.ts == TS_NO_TIME || end == TS_NO_TIME || ts_ckd_sub(&row.dur, end, row.ts),
               stack_sample, &row, dur);
    TS_NULL_IF(s->event_id == 0, chrome_sample, &more, event_id);
    TS_NULL_IF(s->line < 0, chrome_sample, &more, line);
    TS_NULL_IF(s->column < 0, chrome_sample, &more, column);
    if (code != TS_OK || (code = ts_put_stack_sample(c->sink, &row)) != TS_OK) {
        return code;
    }
    return ts_put_chrome_sample(c->sink, &more);
}

static ts_code put_waiting(chrome_trace *c, sample_writer *w, int64_t end)
{
    if (!w->waits) {
        return TS_OK;
    }
    w->waits = false;
    if (w->sample.delta != TS_NO_TIME && !ts_span_has(&c->wanted, w->sample.delta)) {
        w->skipped++;
        return TS_OK;
    }
    if (w->sample.delta != TS_NO_TIME) {
        c->first_ts = c->first_ts == TS_NO_TIME || w->sample.delta < c->first_ts ? w->sample.delta
                                                                                 : c->first_ts;
        c->last_ts = w->sample.delta > c->last_ts ? w->sample.delta : c->last_ts;
    }
    return put_sample(c, &w->sample, end);
}

static ts_code count_samples(chrome_trace *c, const chrome_profile *profile, uint64_t skipped)
{
    uint64_t used = profile->deltas_used;
    TS_TRY(ts_count_add(c->store, profile->source_id, TS_ITEM_cpu_samples, NULL,
                        profile->samples - skipped, 0, skipped));
    skipped = skipped < used ? skipped : used;
    return ts_count_add(c->store, profile->source_id, TS_ITEM_cpu_time_deltas, NULL, used - skipped,
                        profile->deltas - used, skipped);
}

/* The last sample lasts until the end of the profile, where that is known. */
static ts_code end_samples(chrome_trace *c, sample_writer *w, uint64_t number)
{
    chrome_profile *profile = chrome_profile_at(c->profiles, (size_t)number);
    bool early = w->waits && profile->end != TS_NO_TIME && w->sample.delta != TS_NO_TIME &&
                 profile->end < w->sample.delta;
    ts_code code = TS_OK;
    if (early) {
        code = ts_issue(c->store, profile->source_id, TS_ISSUE_profile_end_before_start,
                        profile->name, TS_NO_OFFSET, "endTime lies before the last sample");
    }
    TS_STEP(code, put_waiting(c, w, early ? TS_NO_TIME : profile->end));
    profile->samples_skipped = w->skipped;
    w->skipped = 0;
    return code;
}

/* A sample with its time, in order of time. */
static ts_code take_timed(chrome_trace *c, sample_writer *w, const chrome_sample *s)
{
    ts_code code = TS_OK;
    if (w->waits) {
        code = w->sample.profile == s->profile ? put_waiting(c, w, s->delta)
                                               : end_samples(c, w, w->sample.profile);
    }
    w->sample = *s;
    w->waits = true;
    return code;
}

/* A sample with its delta, in order of its event. */
static ts_code take_sample(chrome_trace *c, sample_writer *w, const chrome_sample *record,
                           bool first)
{
    chrome_sample s = *record;
    const chrome_profile *profile = chrome_profile_at(c->profiles, (size_t)s.profile);
    if (first || w->profile != s.profile) {
        w->profile = s.profile;
        w->ts = profile->began ? profile->start : TS_NO_TIME;
    }
    w->ts = ts_time_add(w->ts, s.delta);
    s.delta = w->ts;
    if (w->by_time == NULL) {
        return take_timed(c, w, &s);
    }
    s.ts = s.delta == TS_NO_TIME ? UINT64_MAX : ts_sorter_key(s.delta);
    s.order = w->order++;
    return ts_sorter_add(w->by_time, &s);
}

static ts_code put_samples(chrome_trace *c)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 3};
    chrome_profiles *p = c->profiles;
    sample_writer w = {0};
    const void *record = NULL;
    bool first = true;
    ts_code code = ts_sorter_finish(p->samples);
    if (code == TS_OK && p->negative) {
        code =
            ts_sorter_open(&w.by_time, c->ctx, sizeof(chrome_sample), &order, CHROME_SAMPLE_MEMORY);
    }
    while (code == TS_OK && (code = ts_sorter_next(&record, p->samples)) == TS_OK &&
           record != NULL) {
        code = take_sample(c, &w, record, first);
        first = false;
    }
    TS_STEP_IF(code, w.by_time != NULL, ts_sorter_finish(w.by_time));
    while (code == TS_OK && w.by_time != NULL &&
           (code = ts_sorter_next(&record, w.by_time)) == TS_OK && record != NULL) {
        code = take_timed(c, &w, record);
    }
    TS_STEP_IF(code, w.waits, end_samples(c, &w, w.sample.profile));
    ts_sorter_close(w.by_time);
    return code;
}

/* --- the end --------------------------------------------------------------------------------- */

static ts_code describe(chrome_trace *c, const chrome_profile *profile)
{
    ts_row_source *source = ts_source(c->store, profile->source_id);
    const char *clock = ts_clock_name(TS_CLOCK_MONOTONIC);
    ts_code code = TS_OK;
    if (profile->start != TS_NO_TIME) {
        TS_SET_VALUE(source, source, start_ts, profile->start);
    }
    if (profile->end != TS_NO_TIME) {
        TS_SET_VALUE(source, source, end_ts, profile->end);
    }
    if (!profile->began || profile->start == TS_NO_TIME) {
        source->complete = 0;
        code = ts_issue(c->store, profile->source_id, TS_ISSUE_chrome_profile_no_start,
                        profile->name, TS_NO_OFFSET, "the profile has no beginning");
    }
    if (code == TS_OK && profile->negative) {
        code = ts_issue(c->store, profile->source_id, TS_ISSUE_cpu_negative_delta, profile->name,
                        TS_NO_OFFSET, "negative timeDeltas: the samples were put in time order");
    }
    TS_STEP(code,
            ts_source_text(c->store, profile->source_id, &source->clock, clock, strlen(clock)));
    return code;
}

ts_code chrome_profiles_finish(chrome_trace *c)
{
    chrome_profiles *p = c->profiles;
    ts_code code = TS_OK;
    for (size_t i = 0; i < p->all.n && code == TS_OK; i++) {
        code = chrome_profile_put_nodes(c, chrome_profile_at(p, i));
        TS_STEP(code, describe(c, chrome_profile_at(p, i)));
    }
    TS_STEP_IF(code, p->any, put_samples(c));
    for (size_t i = 0; i < p->all.n && code == TS_OK; i++) {
        const chrome_profile *profile = chrome_profile_at(p, i);
        code = count_samples(c, profile, profile->samples_skipped);
    }
    return code;
}
