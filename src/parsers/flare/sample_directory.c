/* One sample directory: which files it has, in which order they are read, its rows at the end. */
#include "parsers/flare/sample_directory.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>

/* --- times and intervals -------------------------------------------------------------------- */

int64_t flare_dir_interval(const flare_dir *dir)
{
    int64_t interval = dir->summary.interval_ms;
    if (interval > 0 && interval <= INT32_MAX) {
        return interval;
    }
    interval = dir->series_ms;
    return interval > 0 ? interval : FLARE_DEFAULT_INTERVAL_MS;
}

ts_code flare_dir_ns(int64_t *ns, bool *fits, flare_dir *dir, const char *file, int64_t offset,
                     int64_t ms)
{
    *fits = !ts_ckd_mul(ns, ms, FLARE_NS_PER_MS);
    if (*fits) {
        return TS_OK;
    }
    *ns = ts_sat_mul(ms, FLARE_NS_PER_MS);
    return flare_issue(dir, TS_ISSUE_time_overflow, file, offset, "%" PRId64 " ms does not fit",
                       ms);
}

/* --- beginning ------------------------------------------------------------------------------ */

static ts_code begin_process(flare_dir *dir)
{
    ts_text addr = ts_buf_text(&dir->summary.agent_addr);
    const char *colon = addr.n == 0 ? NULL : memrchr(addr.p, ':', addr.n);
    ts_text host = {addr.p, colon == NULL ? addr.n : (size_t)(colon - addr.p)};
    ts_row_process_detail *detail = ts_process_detail_row(dir->store, dir->ipid);
    ts_row_source *source = ts_source(dir->store, dir->source_id);
    detail->runtime = TS_TEXT_LIT("Java VM");
    if (!flare_summary_has(&dir->summary, FLARE_SUM_ADDR) || addr.n == 0) {
        return TS_OK;
    }
    TS_TRY(ts_process_name(dir->store, dir->ipid, addr));
    TS_TRY(ts_source_text(dir->store, dir->source_id, &detail->host, host.p, host.n));
    TS_TRY(ts_source_text(dir->store, dir->source_id, &source->host, host.p, host.n));
    TS_TRY(ts_source_text(dir->store, dir->source_id, &source->name, addr.p, addr.n));
    return ts_source_property(dir->store, dir->source_id, TS_FLARE_AGENT_ADDR, addr);
}

/* Which times --time-range asks for. */
static ts_code choose_span(flare_dir *dir)
{
    int64_t begin = ts_sat_mul(dir->summary.record_start_ms, FLARE_NS_PER_MS);
    dir->wanted_all = dir->ctx->time_range.kind == TS_WANTED_ALL;
    dir->wanted = TS_SPAN_ALL;
    if (dir->ctx->time_range.kind == TS_WANTED_OFFSET &&
        !flare_summary_has(&dir->summary, FLARE_SUM_RECORD_START)) {
        dir->wanted_all = true;
        return flare_issue(dir, TS_ISSUE_time_range_unrelated, NULL, TS_NO_OFFSET,
                           "the start of the recording is not known");
    }
    (void)ts_wanted_span(&dir->wanted, dir->ctx, TS_CLOCK_REALTIME, NULL, begin);
    return TS_OK;
}

static ts_code begin_counts(flare_dir *dir)
{
    ts_code code =
        ts_count(&dir->stack_records, dir->store, dir->source_id, TS_ITEM_stack_records, NULL);
    TS_STEP(code, ts_count(&dir->slots, dir->store, dir->source_id, TS_ITEM_series_slots, NULL));
    TS_STEP(code, ts_count(&dir->method_records, dir->store, dir->source_id, TS_ITEM_method_records,
                           NULL));
    TS_STEP(code,
            ts_count(&dir->index_entries, dir->store, dir->source_id, TS_ITEM_index_entries, NULL));
    return code;
}

/* --- threads -------------------------------------------------------------------------------- */

/* What is wrong with the set of a thread's files. */
static ts_code note_files(flare_dir *dir, const flare_entry *entry, bool listed, bool has_series,
                          bool has_stacks)
{
    const char *name = entry->name;
    ts_code code = TS_OK;
    TS_STEP_IF(code, !listed && dir->summary.there,
               flare_issue(dir, TS_ISSUE_flare_thread_unlisted, name, TS_NO_OFFSET,
                           "thread %" PRId64 " is not in the summary", entry->id));
    TS_STEP_IF(code, !has_series,
               flare_issue(dir, TS_ISSUE_flare_series_bad, name, TS_NO_OFFSET,
                           "thread %" PRId64 " has no series of CPU times", entry->id));
    TS_STEP_IF(code, !has_stacks,
               flare_issue(dir, TS_ISSUE_flare_data_bad, name, TS_NO_OFFSET,
                           "thread %" PRId64 " has no stacks", entry->id));
    return code;
}

static ts_code read_thread(flare_dir *dir, const flare_entry *entries, size_t n)
{
    uint32_t index = FLARE_NO_MEMBER;
    uint32_t data = FLARE_NO_MEMBER;
    flare_series_check check = {0};
    flare_thread *thread;
    size_t series = 0;
    ts_code code;
    TS_TRY_INTO(code, flare_thread_of(&thread, dir, entries[0].id));
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
    bool has_stacks = index != FLARE_NO_MEMBER || data != FLARE_NO_MEMBER;
    code = note_files(dir, &entries[0], thread->listed, series > 0, has_stacks);
    TS_STEP(code, flare_series_read(&check, dir, thread, entries, series));
    TS_STEP_IF(code, has_stacks, flare_stacks_read(dir, thread, &check, index, data));
    flare_series_check_close(&check);
    return code;
}

/* --- the end -------------------------------------------------------------------------------- */

static ts_code put_number(flare_dir *dir, const char *key, int64_t value)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRId64, value);
    return ts_source_property(dir->store, dir->source_id, key, ts_text_of(text));
}

static ts_code put_properties(flare_dir *dir)
{
    const flare_summary *s = &dir->summary;
    ts_code code = put_number(dir, "sample_interval", flare_dir_interval(dir));
    TS_STEP_IF(code, flare_summary_has(s, FLARE_SUM_SAMPLE_START),
               put_number(dir, TS_FLARE_SAMPLE_START, s->sample_start_ms));
    TS_STEP_IF(code, flare_summary_has(s, FLARE_SUM_RECORD_START),
               put_number(dir, "record_start_time", s->record_start_ms));
    TS_STEP_IF(code, flare_summary_has(s, FLARE_SUM_LAST),
               put_number(dir, "last_record_time", s->last_record_ms));
    TS_STEP_IF(code, flare_summary_has(s, FLARE_SUM_DIR),
               ts_source_property(dir->store, dir->source_id, "sample_data_dir",
                                  ts_buf_text(&s->data_dir)));
    return code;
}

/* The summary is written once a second; records may be newer. */
static ts_code set_times(flare_dir *dir)
{
    const flare_summary *s = &dir->summary;
    ts_row_source *source = ts_source(dir->store, dir->source_id);
    int64_t listed_last = s->last_record_ms;
    bool has_last = flare_summary_has(s, FLARE_SUM_LAST);
    int64_t first;
    int64_t last;
    bool fits = true;
    ts_code code = ts_source_text(dir->store, dir->source_id, &source->clock, "realtime", 8);
    flare_threads_span(&first, &last, &dir->threads);
    bool older = has_last && last > listed_last;
    if (flare_summary_has(s, FLARE_SUM_RECORD_START)) {
        first = s->record_start_ms;
    }
    last = has_last && !older ? listed_last : last;
    if (code == TS_OK && first != INT64_MAX) {
        code = flare_dir_ns(&source->start_ts, &fits, dir, NULL, TS_NO_OFFSET, first);
        source->null &= ~(fits ? TS_NULL_BIT(source, start_ts) : 0);
    }
    if (code == TS_OK && last != INT64_MIN) {
        code = flare_dir_ns(&source->end_ts, &fits, dir, NULL, TS_NO_OFFSET, last);
        source->null &= ~(fits ? TS_NULL_BIT(source, end_ts) : 0);
    }
    if (code != TS_OK || !older) {
        return code;
    }
    return flare_issue(dir, TS_ISSUE_flare_summary_stale, FLARE_SUMMARY_FILE, TS_NO_OFFSET,
                       "last_record_time is %" PRId64 ", the newest record's %" PRId64, listed_last,
                       last);
}

static ts_code finish_directory(flare_dir *dir)
{
    ts_code code;
    TS_TRY_INTO(code, ts_count_add(dir->store, dir->source_id, TS_ITEM_bytes, NULL,
                                   dir->bytes_seen - dir->bytes_lost - dir->bytes_skipped,
                                   dir->bytes_lost, dir->bytes_skipped));
    code = flare_threads_put(dir);
    TS_STEP(code, put_properties(dir));
    TS_STEP(code, set_times(dir));
    ts_stack_release(dir->store, dir->source_id);
    return code;
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
    TS_TRY_INTO(code, flare_summary_read(dir, members[FLARE_SUMMARY]));
    TS_TRY_INTO(code, begin_process(dir));
    TS_TRY_INTO(code, choose_span(dir));
    TS_TRY_INTO(code,
                flare_methods_read(dir, members[FLARE_METHOD_INDEX], members[FLARE_METHOD_DATA]));
    while (i < n && code == TS_OK) {
        size_t end = i + 1;
        if (entries[i].kind == FLARE_OTHER) {
            code = flare_issue(dir, TS_ISSUE_member_skipped, (&entries[i])->name, TS_NO_OFFSET,
                               "the file does not belong to a sample directory");
        } else {
            while (end < n && entries[end].kind != FLARE_OTHER &&
                   entries[end].id == entries[i].id) {
                end++;
            }
            code = read_thread(dir, entries + i, end - i);
        }
        i = end;
    }
    TS_STEP(code, flare_threads_check_missing(dir));
    return code;
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
    TS_STEP(code, finish_directory(&dir));
    ts_buf_free(dir.ctx, &dir.summary.agent_addr);
    ts_buf_free(dir.ctx, &dir.summary.data_dir);
    ts_idmap_free(dir.ctx, &dir.methods.rows);
    ts_vec_free(dir.ctx, &dir.threads.list);
    ts_idmap_free(dir.ctx, &dir.threads.ids);
    return code;
}
