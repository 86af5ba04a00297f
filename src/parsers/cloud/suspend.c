/* Pauses of the Java VM: records of their ends, and how much of a call they took. */
#include "parsers/cloud/pod.h"

#include <inttypes.h>
#include <stdlib.h>

/* A pause whose time does not fit takes part in no sum. */
static ts_code untimed_pause(cloud_pod *pod, int32_t delay)
{
    ts_row_cloud_suspend row = {
        .id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_suspend) + 1,
        .source_id = pod->source_id,
        .dur = cloud_ns(delay),
    };
    ts_code code =
        cloud_missing(pod, TS_ISSUE_time_overflow, "values", "the time of a pause does not fit");
    TS_SET_NULL(cloud_suspend, &row, ts);
    cloud_count(pod, CLOUD_N_PAUSES);
    return code != TS_OK ? code : ts_put_cloud_suspend(pod->sink, &row);
}

/* Its time is not known, and neither is its length: the record may be made of the parts of two. */
static ts_code doubted_pause(cloud_pod *pod)
{
    ts_row_cloud_suspend row = {
        .id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_suspend) + 1,
        .source_id = pod->source_id,
        .null = TS_NULL_BIT(cloud_suspend, ts) | TS_NULL_BIT(cloud_suspend, dur),
    };
    cloud_count(pod, CLOUD_N_PAUSES);
    return ts_put_cloud_suspend(pod->sink, &row);
}

/*
 * Pauses follow one another: none begins before the one before it has ended, or ends with it. A
 * record that says so is not where the agent wrote it, and the times that count from it are wrong.
 */
static ts_code check_pause(cloud_pod *pod, int32_t delta, int32_t delay)
{
    cloud_suspend *suspend = &pod->suspend;
    bool first = suspend->first;
    suspend->first = false;
    if (suspend->wrong || (first ? delta >= 0 : delta > 0 && delta >= delay)) {
        return TS_OK;
    }
    suspend->wrong = true;
    suspend->known = suspend->last_end < suspend->known ? suspend->last_end : suspend->known;
    return cloud_missing(pod, TS_ISSUE_cloud_pauses_contradict, "values",
                         "a pause of %" PRId32 " ms ends %" PRId32 " ms after the one before it",
                         delay, delta);
}

/* Until cloud_suspend_end, cloud_pause.sum is the pause's own length. */
static ts_code pause_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    cloud_suspend *suspend = &pod->suspend;
    int32_t delta = (int32_t)cloud_varint(c);
    int32_t delay = (int32_t)cloud_varint(c);
    ts_row_cloud_suspend row = {.source_id = pod->source_id};
    int64_t end = 0;
    int64_t start;
    cloud_pause *pause;
    ts_code code;
    (void)offset;
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    if (delay < 0) {
        cloud_reject_record(&pod->stream, c, "a pause has a negative duration");
        return TS_OK;
    }
    if ((code = check_pause(pod, delta, delay)) != TS_OK || suspend->wrong) {
        return code != TS_OK ? code : doubted_pause(pod);
    }
    suspend->lost = suspend->lost || ts_ckd_add(&end, suspend->last_end, delta);
    if (suspend->lost || ts_ckd_sub(&start, end, delay) || !cloud_fits(start) || !cloud_fits(end)) {
        suspend->last_end = suspend->lost ? 0 : end;
        return untimed_pause(pod, delay);
    }
    suspend->last_end = end;
    TS_NEED(pod->ctx, pause = ts_vec_add(pod->ctx, &suspend->pauses, sizeof *pause));
    *pause = (cloud_pause){end, delay};
    if (!cloud_wanted(pod, start)) {
        cloud_count_skipped(pod, CLOUD_N_PAUSES);
        return TS_OK;
    }
    cloud_note_time(pod, start);
    cloud_note_time(pod, end);
    row.id = (int64_t)ts_sink_rows(pod->sink, TS_T_cloud_suspend) + 1;
    row.ts = cloud_ns(start);
    row.dur = cloud_ns(delay);
    cloud_count(pod, CLOUD_N_PAUSES);
    return ts_put_cloud_suspend(pod->sink, &row);
}

ts_code cloud_doubt_pauses(cloud_pod *pod)
{
    uint64_t rows = ts_sink_rows(pod->sink, TS_T_cloud_suspend);
    pod->suspend.known = INT64_MIN;
    return rows == pod->suspend.before
               ? TS_OK
               : ts_sink_invalidate(
                     pod->sink, TS_T_cloud_suspend, (int64_t)pod->suspend.before + 1, (int64_t)rows,
                     TS_NULL_BIT(cloud_suspend, ts) | TS_NULL_BIT(cloud_suspend, dur));
}

/*
 * Framed or not? The length of a phrase and the upper half of a time may together look like a time,
 * but hardly ever the lower half of one and the first pauses. So the header of a phrase is tried
 * first.
 */
static bool take_suspend_header(cloud_pod *pod, bool *framed)
{
    cloud_suspend *suspend = &pod->suspend;
    cloud_cursor c = cloud_window(&pod->stream.reader);
    (void)cloud_fixed(&c, 4);
    uint64_t start = cloud_fixed(&c, 8);
    *framed = c.got == CLOUD_GOT && cloud_plausible_ms(start);
    if (!*framed) {
        c = cloud_window(&pod->stream.reader);
        start = cloud_fixed(&c, 8);
    }
    suspend->last_end = (int64_t)start;
    suspend->lost = false;
    suspend->wrong = false;
    suspend->first = true;
    return cloud_plausible_ms(start);
}

/*
 * The agent looks for pauses while it runs, and not before. The stream may begin long after the
 * agent did: it counts from the moment when its file was begun.
 */
static ts_code check_start(cloud_pod *pod)
{
    cloud_suspend *suspend = &pod->suspend;
    enum { NEAR_MS = 3600 * 1000 };
    const ts_row_source *source = ts_source(pod->store, pod->source_id);
    int64_t began = source->start_ts / CLOUD_NS_PER_MS;
    if ((source->null & TS_NULL_BIT(source, start_ts)) != 0 || pod->stream.file->index != 1 ||
        suspend->last_end >= began - NEAR_MS) {
        return TS_OK;
    }
    suspend->wrong = true;
    suspend->known = INT64_MIN;
    return cloud_missing(pod, TS_ISSUE_cloud_pauses_contradict, "values",
                         "the pauses count from %" PRId64 " ms, but the agent began at %" PRId64,
                         suspend->last_end, began);
}

ts_code cloud_suspend_import(cloud_pod *pod)
{
    cloud_reader *r = &pod->stream.reader;
    bool framed;
    ts_code code = cloud_need(r, 12);
    pod->suspend.before = ts_sink_rows(pod->sink, TS_T_cloud_suspend);
    if (code != TS_OK) {
        return code;
    }
    if (r->n - r->at < 8) {
        return cloud_no_header(pod, 8);
    }
    if (!take_suspend_header(pod, &framed)) {
        return cloud_stop(pod, "the header contains no valid time");
    }
    TS_TRY_INTO(code, cloud_fact(pod, "start", pod->suspend.last_end));
    TS_TRY_INTO(code, check_start(pod));
    if (framed) {
        return cloud_phrases(pod, pause_record, 8, CLOUD_N_PAUSES, false, "a pause");
    }
    r->at += 8;
    cloud_stream_keep(&pod->stream);
    return cloud_records(pod, pause_record, CLOUD_N_PAUSES, "a pause");
}

static int pause_by_end(const void *a, const void *b)
{
    const cloud_pause *x = a;
    const cloud_pause *y = b;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* In order of time, overlaps counted once, with running sums. */
void cloud_suspend_end(cloud_suspend *suspend)
{
    cloud_pause *pauses = suspend->pauses.p;
    int64_t end = INT64_MIN;
    int64_t sum = 0;
    if (suspend->pauses.n > 1) {
        qsort(pauses, suspend->pauses.n, sizeof *pauses, pause_by_end);
    }
    for (size_t i = 0; i < suspend->pauses.n; i++) {
        int64_t limit = ts_sat_sub(pauses[i].end, end);
        int64_t dur = pauses[i].sum < limit ? pauses[i].sum : limit;
        end = pauses[i].end;
        sum = ts_sat_add(sum, dur);
        pauses[i].sum = sum;
    }
}

/* Sum of all pauses up to t; a pause that contains t counts up to there. */
static int64_t paused_before(const cloud_suspend *suspend, int64_t t)
{
    const cloud_pause *pauses = suspend->pauses.p;
    size_t low = 0;
    size_t high = suspend->pauses.n;
    /* the first pause that ends after t */
    CLOUD_BISECT(low, high, mid, pauses[mid].end <= t)
    int64_t before = low == 0 ? 0 : pauses[low - 1].sum;
    if (low == suspend->pauses.n) {
        return before;
    }
    int64_t dur = pauses[low].sum - before;
    int64_t over = ts_sat_sub(pauses[low].end, t);
    return before + (over < dur ? dur - over : 0);
}

int64_t cloud_paused(const cloud_suspend *suspend, int64_t start, int64_t end)
{
    return end <= start ? 0 : paused_before(suspend, end) - paused_before(suspend, start);
}
