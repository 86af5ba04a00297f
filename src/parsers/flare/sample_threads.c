/* Threads of a sample directory and their rows. */
#include "parsers/flare/sample_directory.h"

#include <inttypes.h>
#include <stdlib.h>

ts_code flare_thread_of(flare_thread **out, flare_dir *dir, int64_t id)
{
    uint64_t known;
    if (ts_idmap_find(&known, &dir->threads.ids, id)) {
        *out = (flare_thread *)dir->threads.list.p + known;
        return TS_OK;
    }
    TS_NEED(dir->ctx, *out = ts_vec_add(dir->ctx, &dir->threads.list, sizeof **out));
    **out = (flare_thread){.id = id, .first_ms = INT64_MAX, .last_ms = INT64_MIN};
    TS_TRY(ts_idmap_put(dir->ctx, &dir->threads.ids, id, dir->threads.list.n - 1));
    return ts_thread(&(*out)->itid, dir->store, dir->source_id, id, dir->ipid, "java");
}

/* Texts that differ from what the row has. */
static ts_code keep_texts(flare_dir *dir, const flare_thread *thread, const flare_object *o)
{
    ts_row_thread_detail *detail = ts_thread_detail_row(dir->store, thread->itid);
    ts_text name = ts_thread_row(dir->store, thread->itid)->name;
    ts_text now = ts_buf_text(&o->name);
    ts_text state = ts_buf_text(&o->state);
    ts_code code = TS_OK;
    if (flare_object_has(o, FLARE_HAS_NAME) && (name.p == NULL || !ts_text_equal(name, now))) {
        code = ts_thread_name(dir->store, thread->itid, now);
    }
    if (code == TS_OK && flare_object_has(o, FLARE_HAS_STATE) && state.n > 0 &&
        (detail->state.p == NULL || detail->state.n != state.n ||
         memcmp(detail->state.p, state.p, state.n) != 0)) {
        code = ts_source_text(dir->store, dir->source_id, &detail->state, state.p, state.n);
    }
    return code;
}

ts_code flare_thread_state(flare_dir *dir, flare_thread *thread, const flare_object *o)
{
    if (!flare_object_has(o, FLARE_HAS_TIME) ||
        ((thread->has & FLARE_HAS_TIME) != 0 && o->sample_time < thread->sample_time)) {
        return TS_OK;
    }
    thread->has |= o->has;
    thread->sample_time = o->sample_time;
    if (flare_object_has(o, FLARE_HAS_CPU)) {
        thread->cpu_time = o->cpu_time;
    }
    thread->sample_count = o->sample_count;
    /* Agents send no priority; what they put there, and in daemon, has no meaning then. */
    if (flare_object_has(o, FLARE_HAS_PRIORITY) && o->priority > 0) {
        ts_row_thread_detail *detail = ts_thread_detail_row(dir->store, thread->itid);
        TS_SET_VALUE(thread_detail, detail, priority, o->priority);
        if (flare_object_has(o, FLARE_HAS_DAEMON)) {
            TS_SET_VALUE(thread_detail, detail, daemon, o->daemon);
        }
    }
    return keep_texts(dir, thread, o);
}

ts_code flare_thread_list(flare_dir *dir, const flare_object *o)
{
    flare_thread *thread;
    TS_TRY(flare_thread_of(&thread, dir, o->id));
    thread->listed = true;
    thread->listed_count = flare_object_has(o, FLARE_HAS_COUNT) ? o->sample_count : 0;
    return flare_thread_state(dir, thread, o);
}

void flare_thread_note_time(flare_thread *thread, int64_t ms)
{
    if (thread->first_ms > thread->last_ms) {
        thread->first_ms = ms;
        thread->last_ms = ms;
    }
    thread->first_ms = ms < thread->first_ms ? ms : thread->first_ms;
    thread->last_ms = ms > thread->last_ms ? ms : thread->last_ms;
}

void flare_threads_span(int64_t *first, int64_t *last, const flare_threads *threads)
{
    const flare_thread *list = threads->list.p;
    *first = INT64_MAX;
    *last = INT64_MIN;
    for (size_t i = 0; i < threads->list.n; i++) {
        const flare_thread *t = &list[i];
        *first = t->first_ms < *first ? t->first_ms : *first;
        *last = t->last_ms > *last ? t->last_ms : *last;
        flare_series_extend(first, last, &t->series);
    }
}

/* --- rows ----------------------------------------------------------------------------------- */

ts_code flare_threads_check_missing(flare_dir *dir)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < dir->threads.list.n && code == TS_OK; i++) {
        const flare_thread *t = (const flare_thread *)dir->threads.list.p + i;
        TS_STEP_IF(code, t->listed_count > 0 && !t->has_files,
                   flare_issue(dir, TS_ISSUE_flare_thread_missing, FLARE_SUMMARY_FILE, TS_NO_OFFSET,
                               "thread %" PRId64 " has %" PRId64 " records and no files", t->id,
                               t->listed_count));
    }
    return code;
}

static int thread_by_id(const void *a, const void *b)
{
    const flare_thread *x = a;
    const flare_thread *y = b;
    return x->id < y->id ? -1 : x->id > y->id;
}

/* Time of the thread's newest state; a time beyond 64 bits is NULL. */
static ts_code set_sample_time(ts_row_flare_thread *row, flare_dir *dir, const flare_thread *t)
{
    bool fits = true;
    ts_code code = (t->has & FLARE_HAS_TIME) != 0 ? flare_dir_ns(&row->sample_ts, &fits, dir, NULL,
                                                                 TS_NO_OFFSET, t->sample_time)
                                                  : TS_OK;
    TS_NULL_IF((t->has & FLARE_HAS_TIME) == 0 || !fits, flare_thread, row, sample_ts);
    return code;
}

static ts_code put_thread(flare_dir *dir, const flare_thread *t)
{
    ts_row_flare_thread row = {
        .itid = t->itid,
        .source_id = dir->source_id,
        .sample_count = t->sample_count,
        .cpu_time = t->cpu_time,
        .in_summary = t->listed,
    };
    TS_NULL_IF((t->has & FLARE_HAS_TIME) == 0, flare_thread, &row, sample_count);
    TS_NULL_IF((t->has & FLARE_HAS_CPU) == 0, flare_thread, &row, cpu_time);
    ts_code code = set_sample_time(&row, dir, t);
    TS_STEP(code, flare_series_columns(&row, dir, &t->series));
    TS_STEP(code, ts_put_flare_thread(dir->sink, &row));
    return code;
}

ts_code flare_threads_put(flare_dir *dir)
{
    ts_vec *list = &dir->threads.list;
    ts_code code = TS_OK;
    if (list->n > 1) {
        qsort(list->p, list->n, sizeof(flare_thread), thread_by_id);
    }
    for (size_t i = 0; i < list->n && code == TS_OK; i++) {
        code = put_thread(dir, (const flare_thread *)list->p + i);
    }
    return code;
}
