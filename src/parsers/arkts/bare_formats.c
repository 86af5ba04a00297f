/*
 * Bare files as Node.js, Chrome and DevTools write them: .heapsnapshot, .heaptimeline, .cpuprofile.
 * Their times count from their own start.
 */
#include "parsers/format.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "json/json.h"
#include "parsers/arkts/heap/heap.h"
#include "parsers/arkts/session/session.h"

#include <inttypes.h>
#include <stdio.h>

static bool head_has(const ts_sniff *s, const char *text)
{
    return memmem(s->head, s->n, text, strlen(text)) != NULL;
}

static bool first_key_is(const ts_sniff *s, const char *const *keys)
{
    for (; s->json_key != NULL && *keys != NULL; keys++) {
        if (strcmp(s->json_key, *keys) == 0) {
            return true;
        }
    }
    return false;
}

static int sniff_heap(const ts_sniff *s)
{
    static const char *const keys[] = {"edges",      "nodes",   "locations",
                                       "samples",    "strings", "trace_function_infos",
                                       "trace_tree", NULL};
    if (s->head == NULL || s->json_key == NULL) {
        return TS_SNIFF_NO;
    }
    if (strcmp(s->json_key, "snapshot") == 0) { /* its strings may say anything */
        return head_has(s, "\"node_fields\"") ? TS_SNIFF_SURE : TS_SNIFF_LIKELY;
    }
    if (head_has(s, "\"callFrame\"")) {
        return TS_SNIFF_NO;
    }
    return first_key_is(s, keys) ? TS_SNIFF_WEAK : TS_SNIFF_NO;
}

static int sniff_profile(const ts_sniff *s)
{
    static const char *const keys[] = {"nodes",      "startTime", "endTime", "samples",
                                       "timeDeltas", "tid",       "gcTime",  NULL};
    static const char *const old[] = {"head", "typeId", "uid", "title", NULL};
    if (s->head != NULL && first_key_is(s, old) && head_has(s, "\"head\"") &&
        head_has(s, "\"functionName\"") && !head_has(s, "\"callFrame\"")) {
        return TS_SNIFF_SURE;
    }
    if (s->head == NULL || !first_key_is(s, keys)) {
        return TS_SNIFF_NO;
    }
    return head_has(s, "\"callFrame\"")                                    ? TS_SNIFF_SURE
           : head_has(s, "\"startTime\"") || head_has(s, "\"timeDeltas\"") ? TS_SNIFF_LIKELY
                                                                           : TS_SNIFF_NO;
}

/* --- what both have in common --------------------------------------------------------------- */

static ts_code count(ts_job *job, ts_item item, uint64_t n)
{
    return ts_count_add(job->store, job->source_id, item, NULL, n, 0, 0);
}

/* The file is one recording, of which what could be read is kept. */
static ts_code count_file(ts_job *job, ts_item recording, uint64_t bytes)
{
    ts_code code = count(job, recording, 1);
    TS_STEP(code, count(job, TS_ITEM_bytes, bytes));
    return code;
}

/* --- heap snapshots ------------------------------------------------------------------------- */

typedef struct bare_heap {
    ts_job *job;
    ts_arkts_run *run;
    ts_heap *heap;
    extract_file file;
    bool trailing;
} bare_heap;

static void heap_close(void *self)
{
    bare_heap *b = self;
    extract_drop(b->job, &b->file);
    ts_heap_free(b->heap);
    ts_free(b->job->ctx, b);
}

static ts_code heap_open(void **self, ts_job *job)
{
    bare_heap *b = ts_zalloc(job->ctx, 1, sizeof *b);
    char label[32];
    char file[48];
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, b);
    b->job = job;
    snprintf(label, sizeof label, "Snapshot%" PRIu64,
             ts_sink_rows(ts_store_sink(job->store), TS_T_js_heap_files));
    snprintf(file, sizeof file, "%s.heapsnapshot", label);
    code = ts_arkts_run_of(&b->run, job);
    TS_STEP(code, ts_heap_new(&b->heap, job->ctx, job->store));
    TS_STEP(code, ts_heap_begin(b->heap, job->source_id, label, "heapsnapshot"));
    TS_STEP(code, extract_begin(job, &b->file, file));
    if (code != TS_OK) {
        heap_close(b);
        return code;
    }
    *self = b;
    return TS_OK;
}

static bool is_blank(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] != ' ' && p[i] != '\n' && p[i] != '\r' && p[i] != '\t') {
            return false;
        }
    }
    return true;
}

static ts_code heap_feed(void *self, const uint8_t *p, size_t n)
{
    bare_heap *b = self;
    size_t used;
    ts_code code = extract_write(b->job, &b->file, false, (const char *)p, n);
    if (code != TS_OK || b->trailing) {
        return code;
    }
    code = ts_heap_feed(b->heap, &used, (const char *)p, n);
    b->trailing = code == TS_OK && used < n && !is_blank(p + used, n - used);
    return code;
}

static ts_code heap_feed_zeros(void *self, uint64_t *used, uint64_t n)
{
    bare_heap *b = self;
    *used = b->file.file == NULL && (b->trailing || ts_heap_pass(b->heap, n)) ? n : 0;
    return TS_OK;
}

static ts_code heap_finish(void *self, const ts_stream_end *end_of)
{
    bare_heap *b = self;
    bool complete = ts_heap_complete(b->heap);
    ts_heap_end end = {
        .timeline = ts_heap_has_samples(b->heap),
        .marked = complete,
        .doubted = ts_stream_doubted(end_of, ts_heap_damaged(b->heap)),
        .clock = TS_CLOCK_RELATIVE,
        .has_start = true,
        .has_end = complete,
        .placed = true,
        .place = b->run->bare_end,
    };
    int64_t file = (int64_t)ts_sink_rows(ts_store_sink(b->job->store), TS_T_js_heap_files) + 1;
    int64_t last = 0;
    ts_code code = TS_OK;
    b->job->text_bad = ts_heap_damaged(b->heap);
    if (ts_ckd_mul(&last, ts_heap_last_sample_us(b->heap), INT64_C(1000))) {
        last = 0;
        end.has_end = end.has_end && !end.timeline;
        code = ts_issue(b->job->store, ts_heap_source(b->heap), TS_ISSUE_time_overflow, NULL,
                        TS_NO_OFFSET,
                        "the last sample's time of %" PRId64 " us is beyond 64 bit nanoseconds",
                        ts_heap_last_sample_us(b->heap));
    }
    end.end_ts = end.timeline ? last : 0;
    ts_arkts_advance(b->job, b->run, last > TS_BARE_WIDTH ? last : TS_BARE_WIDTH);
    if (code == TS_OK && (code = count_file(b->job, TS_ITEM_snapshots, end_of->bytes)) == TS_OK &&
        b->trailing) {
        code = ts_issue(b->job->store, b->job->source_id, TS_ISSUE_json_trailing_bytes, NULL,
                        TS_NO_OFFSET, "text follows the snapshot and was not looked at");
    }
    if (code == TS_OK && (code = ts_heap_finish(b->heap, &end)) == TS_OK &&
        (code = ts_arkts_place(b->job, b->run, TS_T_js_heap_files, file, file,
                               TS_NULL_BIT(js_heap_files, start_time) |
                                   TS_NULL_BIT(js_heap_files, end_time))) == TS_OK &&
        (code = extract_end(b->job, &b->file, complete)) == TS_OK) {
        code = ts_arkts_need_config(b->job, b->run, true);
    }
    return code;
}

/* --- CPU profiles --------------------------------------------------------------------------- */

typedef struct bare_profile {
    ts_job *job;
    ts_arkts_run *run;
    ts_profile *profile;
    ts_json *json;
    extract_file file;
    uint64_t bytes; /* fed */
} bare_profile;

static void profile_close(void *self)
{
    bare_profile *b = self;
    extract_drop(b->job, &b->file);
    ts_json_free(b->json);
    ts_profile_free(b->profile);
    ts_free(b->job->ctx, b);
}

static ts_code profile_open(void **self, ts_job *job)
{
    bare_profile *b = ts_zalloc(job->ctx, 1, sizeof *b);
    char file[48];
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, b);
    b->job = job;
    code = ts_arkts_run_of(&b->run, job);
    TS_STEP(code, ts_profile_new(&b->profile, job->ctx, job->store, &b->run->profile_ids));
    TS_STEP(code, ts_profile_begin(b->profile, job->source_id));
    TS_STEP(code, ts_json_new(&b->json, job->ctx, &ts_json_by_table, ts_profile_place(b->profile),
                              TS_JSON_RAW_STRINGS));
    if (code == TS_OK) {
        snprintf(file, sizeof file, "%s.cpuprofile", ts_profile_name(b->profile));
        code = extract_begin(job, &b->file, file);
    }
    if (code != TS_OK) {
        profile_close(b);
        return code;
    }
    *self = b;
    return TS_OK;
}

static ts_code profile_feed(void *self, const uint8_t *p, size_t n)
{
    bare_profile *b = self;
    bool bad = ts_json_state(b->json) == TS_JSON_BAD;
    uint64_t at;
    TS_TRY(extract_write(b->job, &b->file, false, (const char *)p, n));
    TS_TRY(ts_json_feed(b->json, (const char *)p, n));
    if (!bad && ts_json_state(b->json) == TS_JSON_BAD) {
        at = ts_json_position(b->json) - b->bytes; /* or before: then inside a number */
        ts_profile_broken(b->profile, at < n ? (char)p[at] : '0');
    }
    b->bytes += n;
    return TS_OK;
}

static ts_code profile_feed_zeros(void *self, uint64_t *used, uint64_t n)
{
    bare_profile *b = self;
    *used = b->file.file == NULL && ts_json_state(b->json) == TS_JSON_BAD ? n : 0;
    return TS_OK;
}

static ts_code profile_finish(void *self, const ts_stream_end *end_of)
{
    bare_profile *b = self;
    ts_sink *sink = ts_store_sink(b->job->store);
    int64_t first = (int64_t)ts_sink_rows(sink, TS_T_js_cpu_profiler_sample) + 1;
    ts_profile_end end = {.relative = true, .pid = -1, .place = b->run->bare_end};
    bool complete = ts_profile_complete(b->profile);
    int64_t source = ts_profile_source(b->profile);
    char reason[160];
    ts_code code;
    TS_TRY_INTO(code, count_file(b->job, TS_ITEM_profiles, end_of->bytes));
    TS_TRY_INTO(code, ts_json_finish(b->json));
    if (ts_json_state(b->json) == TS_JSON_BAD) {
        snprintf(reason, sizeof reason, "%s at byte %" PRIu64, ts_json_reason(b->json),
                 ts_json_position(b->json));
        end.reason = reason;
        b->job->text_bad = !complete;
    }
    code = ts_profile_finish(b->profile, &end);
    ts_arkts_advance(b->job, b->run, ts_profile_extent(b->profile));
    TS_STEP(code, ts_arkts_place(b->job, b->run, TS_T_js_cpu_profiler_sample, first,
                                 (int64_t)ts_sink_rows(sink, TS_T_js_cpu_profiler_sample),
                                 TS_NULL_BIT(js_cpu_profiler_sample, start_time) |
                                     TS_NULL_BIT(js_cpu_profiler_sample, end_time)));
    if (code == TS_OK && complete && end.reason != NULL) {
        code = ts_issue(b->job->store, source, TS_ISSUE_json_trailing_bytes, NULL,
                        (int64_t)ts_json_position(b->json),
                        "text follows the profile and was not looked at");
    }
    if (code == TS_OK && (code = extract_end(b->job, &b->file, complete)) == TS_OK) {
        code = ts_arkts_need_config(b->job, b->run, true);
    }
    return code;
}

/* --- the formats ---------------------------------------------------------------------------- */

TS_SOURCE_FORMAT(heapsnapshot) = {
    .name = "heapsnapshot",
    .title = "heap snapshot or allocation timeline of V8 or ArkTS (.heapsnapshot, .heaptimeline)",
    .source_type = "heap-snapshot",
    .sniff = sniff_heap,
    .json = true,
    .open = heap_open,
    .feed = heap_feed,
    .feed_zeros = heap_feed_zeros,
    .finish = heap_finish,
    .close = heap_close,
};

TS_SOURCE_FORMAT(cpuprofile) = {
    .name = "cpuprofile",
    .title = "CPU profile of V8 or ArkTS (.cpuprofile)",
    .source_type = "cpu-profile",
    .sniff = sniff_profile,
    .json = true,
    .open = profile_open,
    .feed = profile_feed,
    .feed_zeros = profile_feed_zeros,
    .finish = profile_finish,
    .close = profile_close,
};
