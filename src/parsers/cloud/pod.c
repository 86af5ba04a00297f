/* One pod: the order of its files, and its rows. */
#include "parsers/cloud/pod.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- files ---------------------------------------------------------------------------------- */

static int compare_files(const void *a, const void *b)
{
    const cloud_file *x = a;
    const cloud_file *y = b;
    int order;
    if (x->kind != y->kind) {
        return x->kind < y->kind ? -1 : 1;
    }
    if (x->kind == CLOUD_OTHER && (order = strcmp(x->stream, y->stream)) != 0) {
        return order;
    }
    if (x->index != y->index) {
        return x->index < y->index ? -1 : 1;
    }
    return x->member < y->member ? -1 : x->member > y->member;
}

static ts_code import_other(cloud_pod *pod)
{
    ts_code code = strcmp(pod->stream.file->stream, "callsDictionary") == 0
                       ? cloud_calls_words_check(pod)
                       : TS_OK;
    return code != TS_OK ? code : cloud_stream_skipped(pod);
}

ts_code cloud_pod_read_stream(cloud_pod *pod)
{
    switch (pod->stream.file->kind) {
    case CLOUD_DICTIONARY:
    case CLOUD_POS_DICTIONARY:
        return cloud_dictionary_import(pod);
    case CLOUD_PARAMS:
        return cloud_params_import(pod);
    case CLOUD_SUSPEND:
        return cloud_suspend_import(pod);
    case CLOUD_SQL:
    case CLOUD_XML:
        return cloud_texts_import(pod);
    case CLOUD_TRACE:
        return cloud_trace_import(pod);
    case CLOUD_CALLS:
        return cloud_calls_import(pod);
    default:
        return import_other(pod);
    }
}

/* Is the file at i the one after that before it? *again: it has the same number. */
static ts_code check_index(cloud_pod *pod, const cloud_file *files, size_t i, bool *again)
{
    const cloud_file *f = &files[i];
    bool first = i == 0 || files[i - 1].kind != f->kind;
    int64_t before = first ? 0 : files[i - 1].index;
    ts_code code;
    *again = !first && f->index == before && f->kind != CLOUD_OTHER;
    if (*again) {
        TS_TRY_INTO(code, cloud_lose(pod, "files", 1));
        return ts_issue(pod->store, pod->source_id, TS_ISSUE_cloud_file_twice, f->name,
                        TS_NO_OFFSET, "a second file has the number %" PRId64, f->index);
    }
    if (f->kind == CLOUD_TRACE && !first &&
        (code = cloud_trace_follow(pod, f->index > before + 1)) != TS_OK) {
        return code;
    }
    if (f->kind == CLOUD_OTHER || f->index <= before + 1) {
        return TS_OK;
    }
    TS_TRY_INTO(code, cloud_lose(pod, "files", (uint64_t)(f->index - before - 1)));
    return ts_issue_n(pod->store, pod->source_id, TS_ISSUE_cloud_file_gap, f->stream, TS_NO_OFFSET,
                      (uint64_t)(f->index - before - 1),
                      "files %" PRId64 " to %" PRId64 " are missing", before + 1, f->index - 1);
}

static ts_code end_kind(cloud_pod *pod, cloud_kind kind)
{
    switch (kind) {
    case CLOUD_POS_DICTIONARY: /* after CLOUD_DICTIONARY */
        return cloud_dictionary_end(pod);
    case CLOUD_SUSPEND:
        cloud_suspend_end(&pod->suspend);
        return TS_OK;
    case CLOUD_SQL:
        pod->texts.xml_first = pod->texts.places.n;
        return TS_OK;
    case CLOUD_TRACE:
        cloud_amounts_end(pod);
        return cloud_trace_end(pod);
    case CLOUD_CALLS:
        return cloud_calls_end(pod);
    default:
        return TS_OK;
    }
}

static ts_code read_files(cloud_pod *pod, const cloud_file *files, size_t n)
{
    size_t i = 0;
    ts_code code = TS_OK;
    for (int kind = 0; kind < CLOUD_KINDS && code == TS_OK; kind++) {
        for (; i < n && files[i].kind == (cloud_kind)kind && code == TS_OK; i++) {
            bool again;
            bool newest;
            code = check_index(pod, files, i, &again);
            newest = i + 1 == n || files[i + 1].kind != files[i].kind ||
                     (kind == CLOUD_OTHER && strcmp(files[i + 1].stream, files[i].stream) != 0);
            TS_STEP_IF(code, !again, cloud_stream_import(pod, &files[i], newest));
        }
        TS_STEP(code, end_kind(pod, (cloud_kind)kind));
    }
    return code;
}

/* --- the pod -------------------------------------------------------------------------------- */

static bool is_number(ts_text t)
{
    for (size_t i = 0; i < t.n; i++) {
        if (t.p[i] < '0' || t.p[i] > '9') {
            return false;
        }
    }
    return t.n > 0;
}

/* What follows the last c, all of it without one; *before: what is before that. */
static ts_text last_part(ts_text *before, ts_text t, char c)
{
    size_t n = t.n;
    while (n > 0 && t.p[n - 1] != c) {
        n--;
    }
    *before = (ts_text){t.p, n > 0 ? n - 1 : 0};
    return ts_text_from(t, n);
}

/* A source is called by the time of its start: <pod>/<year>/<month>/<day>/<start>, <pod>_<start> or
 * <start>. */
static ts_text pod_name(const ts_row_source *source)
{
    ts_text before;
    ts_text part = last_part(&before, source->name, '_');
    if (before.n > 0 && is_number(part)) {
        return before;
    }
    if (!is_number(source->name) || source->path.n == 0) {
        return source->name;
    }
    before = source->path;
    do {
        part = last_part(&before, before, '/');
    } while (is_number(part));
    return part.n > 0 ? part : source->name;
}

static ts_code begin_pod(cloud_pod *pod)
{
    static const ts_item items[CLOUD_ITEMS] = {
        TS_ITEM_cloud_words,  TS_ITEM_cloud_params,      TS_ITEM_cloud_pauses, TS_ITEM_cloud_texts,
        TS_ITEM_cloud_blocks, TS_ITEM_cloud_enters,      TS_ITEM_cloud_exits,  TS_ITEM_cloud_tags,
        TS_ITEM_cloud_calls,  TS_ITEM_cloud_call_params,
    };
    ts_row_source *source = ts_source(pod->store, pod->source_id);
    int64_t at = (source->null & TS_NULL_BIT(source, start_ts)) != 0 ? 0 : source->start_ts;
    ts_code code = TS_OK;
    for (size_t i = 0; i < CLOUD_ITEMS && code == TS_OK; i++) {
        code = ts_count(&pod->counts[i], pod->store, pod->source_id, items[i], NULL);
    }
    source->clock = TS_TEXT_LIT("realtime");
    if (code == TS_OK && (code = ts_process(&pod->ipid, pod->store, pod->source_id, -1)) == TS_OK) {
        TS_SET_NULL(process, ts_process_row(pod->store, pod->ipid), pid);
        ts_process_detail_row(pod->store, pod->ipid)->runtime = TS_TEXT_LIT("Java VM");
        TS_STEP_IF(code, source->name.p != NULL,
                   ts_process_name(pod->store, pod->ipid, pod_name(source)));
    }
    pod->wanted = TS_SPAN_ALL;
    if (code == TS_OK && at == 0 && pod->ctx->time_range.kind == TS_WANTED_OFFSET) {
        return ts_issue(pod->store, pod->source_id, TS_ISSUE_time_range_unrelated, NULL,
                        TS_NO_OFFSET, "the start of the pod is not known");
    }
    (void)ts_wanted_span(&pod->wanted, pod->ctx, TS_CLOCK_REALTIME, NULL, at);
    return code;
}

static ts_code end_pod(cloud_pod *pod, uint64_t losses)
{
    ts_row_source *source = ts_source(pod->store, pod->source_id);
    int64_t slices = (int64_t)ts_sink_rows(pod->sink, TS_T_stack_slice) - pod->roots.first_slice;
    ts_code code;
    TS_TRY_INTO(code, cloud_stream_check_ends(pod));
    if (slices > 0) {
        ts_process_row(pod->store, pod->ipid)->slice_count = slices;
    }
    if (pod->first_ms <= pod->last_ms) {
        ts_range_note(pod->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, cloud_ns(pod->first_ms));
        ts_range_note(pod->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, cloud_ns(pod->last_ms));
        TS_SET_VALUE(source, source, end_ts, cloud_ns(pod->last_ms));
    } else if ((source->null & TS_NULL_BIT(source, start_ts)) == 0) {
        ts_range_note(pod->store, TS_CLOCK_REALTIME, TS_RANGE_MARKS, source->start_ts);
    } else {
        source->clock = TS_TEXT_NULL;
    }
    source->complete = ts_issue_losses(pod->store) > losses ? 0 : source->complete;
    ts_stack_release(pod->store, pod->source_id);
    return code;
}

static void free_pod(cloud_pod *pod)
{
    ts_ctx *ctx = pod->ctx;
    for (size_t i = 0; i < pod->threads.list.n; i++) {
        ts_free(ctx, cloud_thread_at(&pod->threads, (uint32_t)i)->frames);
    }
    ts_vec_free(ctx, &pod->threads.list);
    ts_vec_free(ctx, &pod->threads.busy);
    ts_idmap_free(ctx, &pod->threads.ids);
    ts_vec_free(ctx, &pod->words.list);
    ts_vec_free(ctx, &pod->words.far);
    ts_idmap_free(ctx, &pod->words.far_ids);
    ts_free(ctx, pod->words.by_text);
    ts_pool_free(ctx, &pod->words.texts);
    ts_buf_free(ctx, &pod->words.signature);
    ts_buf_free(ctx, &pod->param_signature);
    ts_vec_free(ctx, &pod->suspend.pauses);
    ts_vec_free(ctx, &pod->texts.places);
    ts_vec_free(ctx, &pod->roots.blocks);
    ts_vec_free(ctx, &pod->roots.roots);
    ts_vec_free(ctx, &pod->amounts);
    ts_vec_free(ctx, &pod->calls.names);
    ts_pool_free(ctx, &pod->calls.thread_names);
    ts_buf_free(ctx, &pod->calls.name);
    cloud_paths_close(ctx, &pod->paths);
    ts_buf_free(ctx, &pod->stream.facts);
    ts_buf_free(ctx, &pod->text);
    ts_free(ctx, pod);
}

ts_code cloud_pod_import(ts_job *job, int64_t source_id, cloud_file *files, size_t n, bool agent)
{
    uint64_t losses = ts_issue_losses(job->store);
    cloud_pod *pod = ts_zalloc(job->ctx, 1, sizeof *pod);
    ts_code code;
    TS_NEED(job->ctx, pod);
    pod->job = job;
    pod->ctx = job->ctx;
    pod->store = job->store;
    pod->sink = ts_store_sink(job->store);
    pod->source_id = source_id;
    pod->agent = agent;
    pod->first_ms = INT64_MAX;
    pod->last_ms = INT64_MIN;
    pod->words.first_row = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_dictionary);
    pod->words.first_method = (int64_t)ts_sink_rows(pod->sink, TS_T_stack_method);
    pod->suspend.known = INT64_MAX;
    pod->roots.first_slice = (int64_t)ts_sink_rows(pod->sink, TS_T_stack_slice);
    if (n > 1) {
        qsort(files, n, sizeof *files, compare_files);
    }
    if ((code = begin_pod(pod)) == TS_OK && (code = read_files(pod, files, n)) == TS_OK) {
        code = end_pod(pod, losses);
    }
    free_pod(pod);
    return code;
}
