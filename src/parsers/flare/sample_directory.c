/* One sample directory: which files it has, in which order they are read, its rows at the end. */
#include "parsers/flare/flare_impl.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- names of files ------------------------------------------------------------------------- */

/* A decimal number without leading zeros. */
static bool take_number(int64_t *out, const char **p)
{
    const char *at = *p;
    bool negative = *at == '-';
    const char *first = at + negative;
    int64_t v = 0;
    for (at = first; *at >= '0' && *at <= '9'; at++) {
        int64_t digit = *at - '0';
        if (ts_ckd_mul(&v, v, INT64_C(10)) || ts_ckd_add(&v, v, negative ? -digit : digit)) {
            return false;
        }
    }
    if (at == first || (*first == '0' && (at - first > 1 || negative))) {
        return false;
    }
    *p = at;
    *out = v;
    return true;
}

/* thread_<id>_cpu_time.fts, thread_<id>_cpu_time.<volume>.fts, thread_<id>_stack.fidx, .fdata */
static void parse_thread_file(flare_entry *e, const char *p)
{
    static const char series[] = "_cpu_time.";
    int64_t volume = 0;
    p += strlen("thread_");
    if (!take_number(&e->id, &p)) {
        return;
    }
    if (strcmp(p, "_stack.fidx") == 0) {
        e->kind = FLARE_STACK_INDEX;
    } else if (strcmp(p, "_stack.fdata") == 0) {
        e->kind = FLARE_STACK_DATA;
    } else if (strncmp(p, series, sizeof series - 1) == 0) {
        p += sizeof series - 1;
        if (strcmp(p, "fts") == 0 ||
            (take_number(&volume, &p) && volume >= 0 && strcmp(p, ".fts") == 0)) {
            e->kind = FLARE_SERIES;
            e->volume = (uint64_t)volume;
        }
    }
}

void flare_entry_parse(flare_entry *e, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash == NULL ? name : slash + 1;
    *e = (flare_entry){.name = name, .dir = (size_t)(base - name), .kind = FLARE_OTHER};
    if (strcmp(base, FLARE_SUMMARY_FILE) == 0) {
        e->kind = FLARE_SUMMARY;
    } else if (strcmp(base, "method_info.fidx") == 0) {
        e->kind = FLARE_METHOD_INDEX;
    } else if (strcmp(base, "method_info.fdata") == 0) {
        e->kind = FLARE_METHOD_DATA;
    } else if (strncmp(base, "thread_", 7) == 0) {
        parse_thread_file(e, base);
    }
}

/* --- what the other files ask for ----------------------------------------------------------- */

int64_t flare_dir_interval(const flare_dir *dir)
{
    if ((dir->summary.has & FLARE_SUM_INTERVAL) != 0 && dir->summary.interval_ms > 0 &&
        dir->summary.interval_ms <= INT32_MAX) {
        return dir->summary.interval_ms;
    }
    return dir->series_interval_ms > 0 ? dir->series_interval_ms : FLARE_DEFAULT_INTERVAL_MS;
}

ts_code flare_dir_ns(int64_t *ns, bool *fits, flare_dir *dir, const char *file, int64_t offset,
                     int64_t ms)
{
    *fits = !ts_ckd_mul(ns, ms, FLARE_NS_PER_MS);
    if (*fits) {
        return TS_OK;
    }
    *ns = ts_sat_mul(ms, FLARE_NS_PER_MS);
    return ts_issue(dir->store, dir->source_id, TS_ISSUE_time_overflow, file, offset,
                    "%" PRId64 " ms does not fit", ms);
}

ts_code flare_dir_thread(flare_thread **out, flare_dir *dir, int64_t id)
{
    uint64_t known;
    ts_code code;
    if (ts_idmap_find(&known, &dir->thread_ids, id)) {
        *out = (flare_thread *)dir->threads.p + known;
        return TS_OK;
    }
    *out = ts_vec_add(dir->ctx, &dir->threads, sizeof **out);
    if (*out == NULL) {
        return dir->ctx->error.code;
    }
    **out = (flare_thread){.id = id, .first_ms = INT64_MAX, .last_ms = INT64_MIN};
    code = ts_idmap_put(dir->ctx, &dir->thread_ids, id, dir->threads.n - 1);
    return code != TS_OK
               ? code
               : ts_thread(&(*out)->itid, dir->store, dir->source_id, id, dir->ipid, "java");
}

/* Texts that differ from what the row has. */
static ts_code keep_texts(flare_dir *dir, const flare_thread *thread, const flare_object *o)
{
    ts_row_thread_detail *detail = ts_thread_detail_row(dir->store, thread->itid);
    ts_text name = ts_thread_row(dir->store, thread->itid)->name;
    ts_text now = ts_buf_text(&o->name);
    ts_text state = ts_buf_text(&o->state);
    ts_code code = TS_OK;
    if ((o->has & FLARE_HAS_NAME) != 0 &&
        (name.p == NULL || name.n != now.n || memcmp(name.p, now.p, now.n) != 0)) {
        code = ts_thread_name(dir->store, thread->itid, now);
    }
    if (code == TS_OK && (o->has & FLARE_HAS_STATE) != 0 && state.n > 0 &&
        (detail->state.p == NULL || detail->state.n != state.n ||
         memcmp(detail->state.p, state.p, state.n) != 0)) {
        code = ts_source_text(dir->store, dir->source_id, &detail->state, state.p, state.n);
    }
    return code;
}

ts_code flare_dir_state(flare_dir *dir, flare_thread *thread, const flare_object *o)
{
    if ((o->has & FLARE_HAS_TIME) == 0 ||
        ((thread->has & FLARE_HAS_TIME) != 0 && o->sample_time < thread->sample_time)) {
        return TS_OK;
    }
    thread->has |= o->has;
    thread->sample_time = o->sample_time;
    if ((o->has & FLARE_HAS_CPU) != 0) {
        thread->cpu_time = o->cpu_time;
    }
    thread->sample_count = o->sample_count;
    /* Agents send no priority; what they put there, and in daemon, says nothing then. */
    if ((o->has & FLARE_HAS_PRIORITY) != 0 && o->priority > 0) {
        ts_row_thread_detail *detail = ts_thread_detail_row(dir->store, thread->itid);
        detail->priority = o->priority;
        detail->null &= ~TS_NULL_BIT(thread_detail, priority);
        if ((o->has & FLARE_HAS_DAEMON) != 0) {
            detail->daemon = o->daemon;
            detail->null &= ~TS_NULL_BIT(thread_detail, daemon);
        }
    }
    return keep_texts(dir, thread, o);
}

/* --- beginning ------------------------------------------------------------------------------ */

static ts_code begin_process(flare_dir *dir)
{
    const flare_summary *sum = &dir->summary;
    ts_text addr = ts_buf_text(&sum->agent_addr);
    const char *colon = addr.n == 0 ? NULL : memrchr(addr.p, ':', addr.n);
    ts_text host = {addr.p, colon == NULL ? addr.n : (size_t)(colon - addr.p)};
    ts_row_process_detail *detail = ts_process_detail_row(dir->store, dir->ipid);
    ts_row_source *source = ts_source(dir->store, dir->source_id);
    ts_code code;
    detail->runtime = TS_TEXT_LIT("Java VM");
    if ((sum->has & FLARE_SUM_ADDR) == 0 || addr.n == 0) {
        return TS_OK;
    }
    if ((code = ts_process_name(dir->store, dir->ipid, addr)) != TS_OK ||
        (code = ts_source_text(dir->store, dir->source_id, &detail->host, host.p, host.n)) !=
            TS_OK ||
        (code = ts_source_text(dir->store, dir->source_id, &source->host, host.p, host.n)) !=
            TS_OK ||
        (code = ts_source_text(dir->store, dir->source_id, &source->name, addr.p, addr.n)) !=
            TS_OK) {
        return code;
    }
    return ts_source_property(dir->store, dir->source_id, TS_FLARE_AGENT_ADDR, addr);
}

/* Which times --time-range asks for. */
static ts_code choose_span(flare_dir *dir)
{
    int64_t begin = ts_sat_mul(dir->summary.record_start_ms, FLARE_NS_PER_MS);
    dir->wanted_all = dir->ctx->time_range.kind == TS_WANTED_ALL;
    dir->wanted = TS_SPAN_ALL;
    if (dir->ctx->time_range.kind == TS_WANTED_OFFSET &&
        (dir->summary.has & FLARE_SUM_RECORD_START) == 0) {
        dir->wanted_all = true;
        return ts_issue(dir->store, dir->source_id, TS_ISSUE_time_range_unrelated, NULL,
                        TS_NO_OFFSET, "nothing says when the recording begins");
    }
    (void)ts_wanted_span(&dir->wanted, dir->ctx, TS_CLOCK_REALTIME, NULL, begin);
    return TS_OK;
}

static ts_code begin_counts(flare_dir *dir)
{
    ts_code code = ts_count(&dir->stacks, dir->store, dir->source_id, TS_ITEM_stack_records, NULL);
    if (code == TS_OK &&
        (code = ts_count(&dir->slots, dir->store, dir->source_id, TS_ITEM_series_slots, NULL)) ==
            TS_OK &&
        (code = ts_count(&dir->method_records, dir->store, dir->source_id, TS_ITEM_method_records,
                         NULL)) == TS_OK) {
        code =
            ts_count(&dir->index_entries, dir->store, dir->source_id, TS_ITEM_index_entries, NULL);
    }
    return code;
}

/* --- threads -------------------------------------------------------------------------------- */

/* What is wrong with the set of a thread's files. */
static ts_code note_files(flare_dir *dir, const flare_thread *thread, const char *name,
                          bool has_series, bool has_stacks)
{
    ts_code code = TS_OK;
    if (!thread->listed && dir->summary.there) {
        code = ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_thread_unlisted, name,
                        TS_NO_OFFSET, "the summary does not know thread %" PRId64, thread->id);
    }
    if (code == TS_OK && !has_series) {
        code = ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_series_bad, name, TS_NO_OFFSET,
                        "thread %" PRId64 " has no series of CPU times", thread->id);
    }
    if (code == TS_OK && !has_stacks) {
        code = ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_data_bad, name, TS_NO_OFFSET,
                        "thread %" PRId64 " has no stacks", thread->id);
    }
    return code;
}

static ts_code read_thread(flare_dir *dir, const flare_entry *entries, size_t n)
{
    uint32_t index = FLARE_NO_MEMBER;
    uint32_t data = FLARE_NO_MEMBER;
    flare_series_check check = {0};
    flare_thread *thread;
    size_t series = 0;
    bool has_stacks;
    ts_code code = flare_dir_thread(&thread, dir, entries[0].id);
    if (code != TS_OK) {
        return code;
    }
    thread->has_files = true;
    while (series < n && entries[series].kind == FLARE_SERIES) {
        series++;
    }
    for (size_t i = series; i < n; i++) {
        if (entries[i].kind == FLARE_STACK_INDEX) {
            index = entries[i].member;
        } else {
            data = entries[i].member;
        }
    }
    has_stacks = index != FLARE_NO_MEMBER || data != FLARE_NO_MEMBER;
    code = note_files(dir, thread, entries[0].name, series > 0, has_stacks);
    if (code == TS_OK) {
        code = flare_series_read(&check, dir, thread, entries, series);
    }
    if (code == TS_OK && has_stacks) {
        code = flare_stacks_read(dir, thread, &check, index, data);
    }
    flare_series_check_close(&check);
    return code;
}

/* Threads of which the summary has a record in this directory, and whose files are not there. */
static ts_code check_missing(flare_dir *dir)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < dir->threads.n && code == TS_OK; i++) {
        const flare_thread *t = (const flare_thread *)dir->threads.p + i;
        if (t->listed_count > 0 && !t->has_files) {
            code = ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_thread_missing,
                            FLARE_SUMMARY_FILE, TS_NO_OFFSET,
                            "thread %" PRId64 " has %" PRId64 " records and no files", t->id,
                            t->listed_count);
        }
    }
    return code;
}

static int by_id(const void *a, const void *b)
{
    const flare_thread *x = a;
    const flare_thread *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Times of a thread's row; a time beyond 64 bits is NULL. */
static ts_code set_thread_times(ts_row_flare_thread *row, flare_dir *dir, const flare_thread *t)
{
    bool fits = true;
    ts_code code = TS_OK;
    if ((t->has & FLARE_HAS_TIME) != 0) {
        code = flare_dir_ns(&row->sample_ts, &fits, dir, NULL, TS_NO_OFFSET, t->sample_time);
    }
    if ((t->has & FLARE_HAS_TIME) == 0 || !fits) {
        TS_SET_NULL(flare_thread, row, sample_ts);
    }
    if (code != TS_OK || !t->has_series) {
        return code;
    }
    code = flare_dir_ns(&row->series_ts, &fits, dir, NULL, TS_NO_OFFSET, t->begin_ms);
    if (!fits) {
        TS_SET_NULL(flare_thread, row, series_ts);
    }
    if (code == TS_OK) {
        code = flare_dir_ns(&row->series_end_ts, &fits, dir, NULL, TS_NO_OFFSET, t->end_ms);
    }
    if (!fits) {
        TS_SET_NULL(flare_thread, row, series_end_ts);
    }
    return code;
}

static ts_code put_thread(flare_dir *dir, const flare_thread *t)
{
    ts_code code;
    ts_row_flare_thread row = {
        .itid = t->itid,
        .source_id = dir->source_id,
        .sample_count = t->sample_count,
        .cpu_time = t->cpu_time,
        .in_summary = t->listed,
        .series_id = t->series_id,
        .slot_count = t->slots,
        .series_cpu_us = t->total_us,
    };
    if ((t->has & FLARE_HAS_TIME) == 0) {
        TS_SET_NULL(flare_thread, &row, sample_count);
    }
    if ((t->has & FLARE_HAS_CPU) == 0) {
        TS_SET_NULL(flare_thread, &row, cpu_time);
    }
    if (!t->has_series) {
        TS_SET_NULL(flare_thread, &row, series_id);
        TS_SET_NULL(flare_thread, &row, series_ts);
        TS_SET_NULL(flare_thread, &row, series_end_ts);
        TS_SET_NULL(flare_thread, &row, slot_count);
    }
    if (!t->has_series || t->total_lost) {
        TS_SET_NULL(flare_thread, &row, series_cpu_us);
    }
    code = set_thread_times(&row, dir, t);
    return code != TS_OK ? code : ts_put_flare_thread(dir->sink, &row);
}

/* --- the end -------------------------------------------------------------------------------- */

static ts_code put_number(flare_dir *dir, unsigned has, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    return (dir->summary.has & has) == 0
               ? TS_OK
               : ts_source_property(dir->store, dir->source_id, key, ts_text_of(text));
}

static ts_code put_properties(flare_dir *dir)
{
    const flare_summary *s = &dir->summary;
    char text[24];
    ts_code code;
    snprintf(text, sizeof text, "%" PRId64, flare_dir_interval(dir));
    if ((code = ts_source_property(dir->store, dir->source_id, "sample_interval",
                                   ts_text_of(text))) != TS_OK ||
        (code = put_number(dir, FLARE_SUM_SAMPLE_START, TS_FLARE_SAMPLE_START,
                           s->sample_start_ms)) != TS_OK ||
        (code = put_number(dir, FLARE_SUM_RECORD_START, "record_start_time", s->record_start_ms)) !=
            TS_OK ||
        (code = put_number(dir, FLARE_SUM_LAST, "last_record_time", s->last_record_ms)) != TS_OK ||
        (s->has & FLARE_SUM_DIR) == 0) {
        return code;
    }
    return ts_source_property(dir->store, dir->source_id, "sample_data_dir",
                              ts_buf_text(&s->data_dir));
}

/* The summary is written once a second; records may be newer. */
static ts_code set_times(flare_dir *dir)
{
    const flare_summary *s = &dir->summary;
    ts_row_source *source = ts_source(dir->store, dir->source_id);
    int64_t first = INT64_MAX;
    int64_t last = INT64_MIN;
    bool fits = true;
    bool older;
    ts_code code = ts_source_text(dir->store, dir->source_id, &source->clock, "realtime", 8);
    for (size_t i = 0; i < dir->threads.n; i++) {
        const flare_thread *t = (const flare_thread *)dir->threads.p + i;
        first = t->first_ms < first ? t->first_ms : first;
        last = t->last_ms > last ? t->last_ms : last;
        if (t->has_series && t->slots > 0) {
            first = t->begin_ms < first ? t->begin_ms : first;
            last = t->end_ms > last ? t->end_ms : last;
        }
    }
    older = (s->has & FLARE_SUM_LAST) != 0 && last > s->last_record_ms;
    first = (s->has & FLARE_SUM_RECORD_START) != 0 ? s->record_start_ms : first;
    last = (s->has & FLARE_SUM_LAST) != 0 && !older ? s->last_record_ms : last;
    if (code == TS_OK && first != INT64_MAX) {
        code = flare_dir_ns(&source->start_ts, &fits, dir, NULL, TS_NO_OFFSET, first);
        source->null &= ~(fits ? TS_NULL_BIT(source, start_ts) : 0);
    }
    if (code == TS_OK && last != INT64_MIN) {
        code = flare_dir_ns(&source->end_ts, &fits, dir, NULL, TS_NO_OFFSET, last);
        source->null &= ~(fits ? TS_NULL_BIT(source, end_ts) : 0);
    }
    return code != TS_OK || !older
               ? code
               : ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_summary_stale,
                          FLARE_SUMMARY_FILE, TS_NO_OFFSET,
                          "last_record_time is %" PRId64 ", the newest record's %" PRId64,
                          s->last_record_ms, last);
}

static ts_code finish(flare_dir *dir)
{
    ts_tally *bytes;
    ts_code code = ts_count(&bytes, dir->store, dir->source_id, TS_ITEM_bytes, NULL);
    if (code != TS_OK) {
        return code;
    }
    bytes->seen += dir->bytes_seen;
    bytes->lost += dir->bytes_lost;
    bytes->skipped += dir->bytes_skipped;
    bytes->imported += dir->bytes_seen - dir->bytes_lost - dir->bytes_skipped;
    if (dir->threads.n > 0) {
        qsort(dir->threads.p, dir->threads.n, sizeof(flare_thread), by_id);
    }
    for (size_t i = 0; i < dir->threads.n && code == TS_OK; i++) {
        code = put_thread(dir, (const flare_thread *)dir->threads.p + i);
    }
    if (code == TS_OK && (code = put_properties(dir)) == TS_OK) {
        code = set_times(dir);
    }
    ts_stack_release(dir->store, dir->source_id);
    return code;
}

static ts_code note_other(flare_dir *dir, const flare_entry *entry)
{
    return ts_issue(dir->store, dir->source_id, TS_ISSUE_member_skipped, entry->name, TS_NO_OFFSET,
                    "the file is none of a sample directory");
}

/* Entries are sorted: first the files of the directory, then those of each thread. */
static ts_code read_all(flare_dir *dir, const flare_entry *entries, size_t n)
{
    uint32_t members[FLARE_METHOD_DATA + 1] = {FLARE_NO_MEMBER, FLARE_NO_MEMBER, FLARE_NO_MEMBER};
    size_t i = 0;
    ts_code code;
    for (; i < n && entries[i].kind <= FLARE_METHOD_DATA; i++) {
        members[entries[i].kind] = entries[i].member;
    }
    if ((code = flare_summary_read(dir, members[FLARE_SUMMARY])) != TS_OK ||
        (code = begin_process(dir)) != TS_OK || (code = choose_span(dir)) != TS_OK ||
        (code = flare_methods_read(dir, members[FLARE_METHOD_INDEX], members[FLARE_METHOD_DATA])) !=
            TS_OK) {
        return code;
    }
    while (i < n && code == TS_OK) {
        size_t end = i + 1;
        if (entries[i].kind == FLARE_OTHER) {
            code = note_other(dir, &entries[i]);
        } else {
            while (end < n && entries[end].kind != FLARE_OTHER &&
                   entries[end].id == entries[i].id) {
                end++;
            }
            code = read_thread(dir, entries + i, end - i);
        }
        i = end;
    }
    return code == TS_OK ? check_missing(dir) : code;
}

ts_code flare_dir_import(flare_files *files, int64_t source_id, const flare_entry *entries,
                         size_t n)
{
    ts_job *job = files->job;
    flare_dir dir = {
        .ctx = job->ctx,
        .store = job->store,
        .sink = ts_store_sink(job->store),
        .job = job,
        .files = files,
        .source_id = source_id,
    };
    ts_code code = begin_counts(&dir);
    if (code == TS_OK && (code = ts_process(&dir.ipid, dir.store, source_id, -1)) == TS_OK) {
        TS_SET_NULL(process, ts_process_row(dir.store, dir.ipid), pid);
        code = read_all(&dir, entries, n);
    }
    if (code == TS_OK) {
        code = finish(&dir);
    }
    flare_summary_free(&dir);
    ts_idmap_free(dir.ctx, &dir.thread_ids);
    ts_idmap_free(dir.ctx, &dir.methods);
    ts_vec_free(dir.ctx, &dir.threads);
    return code;
}
