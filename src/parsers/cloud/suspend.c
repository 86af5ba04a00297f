/* Pauses of the Java VM: records of their ends, and how much of a call they took. */
#include "parsers/cloud/cloud_impl.h"

#include "base/alloc.h"

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
    bool first = pod->pause_first;
    pod->pause_first = false;
    if (pod->pauses_wrong || (first ? delta >= 0 : delta > 0 && delta >= delay)) {
        return TS_OK;
    }
    pod->pauses_wrong = true;
    pod->pauses_known = pod->suspend_ms < pod->pauses_known ? pod->suspend_ms : pod->pauses_known;
    return cloud_missing(pod, TS_ISSUE_cloud_pauses_contradict, "values",
                         "a pause of %" PRId32 " ms ends %" PRId32 " ms after the one before it",
                         delay, delta);
}

/* Until cloud_suspend_end, cloud_pause.sum is the pause's own length. */
static ts_code pause_record(cloud_pod *pod, cloud_cursor *c, uint64_t offset)
{
    int32_t delta = (int32_t)cloud_varint(c);
    int32_t delay = (int32_t)cloud_varint(c);
    ts_row_cloud_suspend row = {.source_id = pod->source_id};
    int64_t end = 0;
    int64_t start;
    cloud_pause *pauses;
    ts_code code;
    (void)offset;
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    if (delay < 0) {
        cloud_refuse(pod, c, "a pause is shorter than nothing");
        return TS_OK;
    }
    if ((code = check_pause(pod, delta, delay)) != TS_OK || pod->pauses_wrong) {
        return code != TS_OK ? code : doubted_pause(pod);
    }
    pod->suspend_lost = pod->suspend_lost || ts_ckd_add(&end, pod->suspend_ms, delta);
    if (pod->suspend_lost || ts_ckd_sub(&start, end, delay) || !cloud_fits(start) ||
        !cloud_fits(end)) {
        pod->suspend_ms = pod->suspend_lost ? 0 : end;
        return untimed_pause(pod, delay);
    }
    pod->suspend_ms = end;
    if ((code = cloud_grow(pod->ctx, &pod->pauses, sizeof(cloud_pause))) != TS_OK) {
        return code;
    }
    pauses = pod->pauses.p;
    pauses[pod->pauses.n++] = (cloud_pause){end, delay};
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
    pod->pauses_known = INT64_MIN;
    return rows == pod->file_pauses
               ? TS_OK
               : ts_sink_invalidate(
                     pod->sink, TS_T_cloud_suspend, (int64_t)pod->file_pauses + 1, (int64_t)rows,
                     TS_NULL_BIT(cloud_suspend, ts) | TS_NULL_BIT(cloud_suspend, dur));
}

/*
 * Framed or not? The length of a phrase and the upper half of a time may together look like a time,
 * but hardly ever the lower half of one and the first pauses. So the header of a phrase is tried
 * first.
 */
static bool take_header(cloud_pod *pod, bool *framed)
{
    cloud_cursor c = cloud_window(&pod->reader);
    uint64_t start;
    (void)cloud_fixed(&c, 4);
    start = cloud_fixed(&c, 8);
    *framed = c.got == CLOUD_GOT && cloud_plausible_ms(start);
    if (!*framed) {
        c = cloud_window(&pod->reader);
        start = cloud_fixed(&c, 8);
    }
    pod->suspend_ms = (int64_t)start;
    pod->suspend_lost = false;
    pod->pauses_wrong = false;
    pod->pause_first = true;
    return cloud_plausible_ms(start);
}

/*
 * The agent looks for pauses while it runs, and not before. The stream may begin long after the
 * agent did: it counts from the moment when its file was begun (spec 4.4).
 */
static ts_code check_start(cloud_pod *pod)
{
    enum { NEAR_MS = 3600 * 1000 };
    const ts_row_source *source = ts_source(pod->store, pod->source_id);
    int64_t began = source->start_ts / CLOUD_NS_PER_MS;
    if ((source->null & TS_NULL_BIT(source, start_ts)) != 0 || pod->file->index != 1 ||
        pod->suspend_ms >= began - NEAR_MS) {
        return TS_OK;
    }
    pod->pauses_wrong = true;
    pod->pauses_known = INT64_MIN;
    return cloud_missing(pod, TS_ISSUE_cloud_pauses_contradict, "values",
                         "the pauses count from %" PRId64 " ms, but the agent began at %" PRId64,
                         pod->suspend_ms, began);
}

ts_code cloud_suspend_import(cloud_pod *pod)
{
    cloud_reader *r = &pod->reader;
    bool framed;
    ts_code code = cloud_need(r, 12);
    pod->file_pauses = ts_sink_rows(pod->sink, TS_T_cloud_suspend);
    if (code != TS_OK) {
        return code;
    }
    if (r->n - r->at < 8) {
        return cloud_no_header(pod, 8);
    }
    if (!take_header(pod, &framed)) {
        return cloud_stop(pod, "the header holds no time");
    }
    if ((code = cloud_fact(pod, "start", pod->suspend_ms)) != TS_OK ||
        (code = check_start(pod)) != TS_OK) {
        return code;
    }
    if (framed) {
        return cloud_phrases(pod, pause_record, 8, CLOUD_N_PAUSES, false, "a pause");
    }
    r->at += 8;
    pod->kept = 8;
    return cloud_records(pod, pause_record, CLOUD_N_PAUSES, "a pause");
}

static int by_end(const void *a, const void *b)
{
    const cloud_pause *x = a;
    const cloud_pause *y = b;
    return x->end < y->end ? -1 : x->end > y->end;
}

/* In order of time, overlaps counted once, with running sums. */
void cloud_suspend_end(cloud_pod *pod)
{
    cloud_pause *pauses = pod->pauses.p;
    int64_t end = INT64_MIN;
    int64_t sum = 0;
    if (pod->pauses.n > 1) {
        qsort(pauses, pod->pauses.n, sizeof *pauses, by_end);
    }
    for (size_t i = 0; i < pod->pauses.n; i++) {
        int64_t room = ts_sat_sub(pauses[i].end, end);
        int64_t dur = pauses[i].sum < room ? pauses[i].sum : room;
        end = pauses[i].end;
        sum = ts_sat_add(sum, dur);
        pauses[i].sum = sum;
    }
}

/* Sum of all pauses up to t; a pause that contains t counts up to there. */
static int64_t paused_before(const cloud_pod *pod, int64_t t)
{
    const cloud_pause *pauses = pod->pauses.p;
    size_t low = 0;
    size_t high = pod->pauses.n;
    int64_t before;
    int64_t dur;
    int64_t over;
    while (low < high) { /* the first pause that ends after t */
        size_t mid = low + (high - low) / 2;
        if (pauses[mid].end <= t) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    before = low == 0 ? 0 : pauses[low - 1].sum;
    if (low == pod->pauses.n) {
        return before;
    }
    dur = pauses[low].sum - before;
    over = ts_sat_sub(pauses[low].end, t);
    return before + (over < dur ? dur - over : 0);
}

int64_t cloud_paused(const cloud_pod *pod, int64_t start, int64_t end)
{
    return end <= start ? 0 : paused_before(pod, end) - paused_before(pod, start);
}
