/* Time of threads in buckets whose width doubles as times or threads become more. */
#include "serve/views/views_private.h"

/* The width is at least 2 ns, so that no number of a bucket is the largest of its type. */
void ts_buckets_begin(ts_buckets *b, int64_t from, int64_t to)
{
    *b = (ts_buckets){.shift = 10, .per_lane = TS_BUCKETS, .lo = 1, .hi = 0};
    if (from < to) {
        uint64_t first = ts_time_place(from);
        uint64_t last = ts_time_place(to);
        b->shift = 1;
        while ((last >> b->shift) - (first >> b->shift) >= TS_BUCKETS) {
            b->shift++;
        }
    }
}

static uint64_t bucket_sum(uint64_t a, uint64_t b)
{
    uint64_t sum = a + b; /* both at most 2^63-1 */
    return sum > INT64_MAX ? INT64_MAX : sum;
}

/* n buckets of this width. */
static uint64_t bucket_whole(int64_t n, unsigned shift)
{
    return n <= 0                                                      ? 0
           : shift >= 63 || (uint64_t)n > (uint64_t)INT64_MAX >> shift ? INT64_MAX
                                                                       : (uint64_t)n << shift;
}

static void lane_settle(const ts_buckets *b, ts_bucket *lane)
{
    int64_t full = 0;
    for (uint64_t i = b->lo; i <= b->hi; i++) {
        ts_bucket *one = &lane[i % b->per_lane];
        full += one->full;
        one->full = 0;
        one->ns = bucket_sum(one->ns, bucket_whole(full, b->shift));
        if (i == b->hi) {
            break;
        }
    }
}

void ts_buckets_finish(ts_buckets *b)
{
    for (size_t i = 0; b->lo <= b->hi && i < b->lane_count; i++) {
        lane_settle(b, b->lanes[i]);
    }
}

/* Buckets of twice the width, in lanes of to_per_lane. */
static void lane_double(const ts_buckets *b, ts_bucket *lane, unsigned to_per_lane)
{
    ts_bucket old[TS_BUCKETS];
    lane_settle(b, lane);
    if (b->per_lane == 0 || to_per_lane == 0) {
        return; /* lanes have buckets */
    }
    memcpy(old, lane, b->per_lane * sizeof *old);
    memset(lane, 0, b->per_lane * sizeof *old);
    for (uint64_t i = b->lo; i <= b->hi; i++) {
        const ts_bucket *from = &old[i % b->per_lane];
        ts_bucket *to = &lane[(i >> 1) % to_per_lane];
        to->ns = bucket_sum(to->ns, from->ns);
        to->starts = ts_ckd_add(&to->starts, to->starts, from->starts) ? UINT32_MAX : to->starts;
        if (i == b->hi) {
            break;
        }
    }
}

static void buckets_double(ts_buckets *b, unsigned to_per_lane)
{
    for (size_t i = 0; b->lo <= b->hi && i < b->lane_count; i++) {
        lane_double(b, b->lanes[i], to_per_lane);
    }
    if (b->lo <= b->hi) {
        b->lo >>= 1;
        b->hi >>= 1;
    }
    b->shift++;
    b->per_lane = to_per_lane;
}

ts_code ts_buckets_lane(ts_ctx *ctx, ts_buckets *b)
{
    if (b->lane_count == b->lane_cap) {
        size_t cap = b->lane_cap == 0 ? 16 : 2 * b->lane_cap;
        ts_bucket **lanes = ts_realloc(ctx, b->lanes, cap, sizeof(ts_bucket *));
        TS_NEED(ctx, lanes);
        b->lanes = lanes;
        b->lane_cap = cap;
    }
    if ((b->lane_count + 1) * b->per_lane > TS_BUCKETS_ALL && b->per_lane > TS_BUCKETS_LEAST) {
        buckets_double(b, b->per_lane / 2);
        for (size_t i = 0; i < b->lane_count; i++) {
            ts_bucket *less = ts_realloc(ctx, b->lanes[i], b->per_lane, sizeof *less);
            TS_NEED(ctx, less);
            b->lanes[i] = less;
        }
    }
    ts_bucket *lane = ts_zalloc(ctx, b->per_lane, sizeof *lane);
    TS_NEED(ctx, lane);
    b->lanes[b->lane_count++] = lane;
    return TS_OK;
}

/* Makes room for the buckets of two places in time. */
static void buckets_reach(ts_buckets *b, uint64_t first, uint64_t last)
{
    for (;;) {
        uint64_t lo = first >> b->shift;
        uint64_t hi = last >> b->shift;
        if (b->lo <= b->hi) {
            lo = lo < b->lo ? lo : b->lo;
            hi = hi > b->hi ? hi : b->hi;
        }
        if (hi - lo < b->per_lane) {
            b->lo = lo;
            b->hi = hi;
            return;
        }
        buckets_double(b, b->per_lane);
    }
}

/* Adds the time from one place to another, which are in the buckets. */
static void lane_add_time(const ts_buckets *b, ts_bucket *lane, uint64_t first, uint64_t behind)
{
    uint64_t lo = first >> b->shift;
    uint64_t hi = (behind - 1) >> b->shift;
    ts_bucket *begin = &lane[lo % b->per_lane];
    ts_bucket *last = &lane[hi % b->per_lane];
    if (lo == hi) {
        begin->ns = bucket_sum(begin->ns, behind - first);
        return;
    }
    begin->ns = bucket_sum(begin->ns, ((lo + 1) << b->shift) - first);
    last->ns = bucket_sum(last->ns, behind - (hi << b->shift));
    lane[(lo + 1) % b->per_lane].full++;
    last->full--;
}

void ts_buckets_add_time(ts_buckets *b, size_t lane, int64_t ts, int64_t end)
{
    lane_add_time(b, b->lanes[lane], ts_time_place(ts), ts_time_place(end));
}

void ts_buckets_add(ts_buckets *b, size_t lane, int64_t ts, int64_t end, bool busy)
{
    uint64_t first = ts_time_place(ts);
    uint64_t behind = ts_time_place(end);
    busy = busy && behind > first;
    buckets_reach(b, first, busy ? behind - 1 : first);
    ts_bucket *begin = &b->lanes[lane][(first >> b->shift) % b->per_lane];
    begin->starts += begin->starts < UINT32_MAX ? 1 : 0;
    if (busy) {
        lane_add_time(b, b->lanes[lane], first, behind);
    }
}

void ts_buckets_free(ts_ctx *ctx, ts_buckets *b)
{
    for (size_t i = 0; i < b->lane_count; i++) {
        ts_free(ctx, b->lanes[i]);
    }
    ts_free(ctx, b->lanes);
    b->lanes = NULL;
    b->lane_count = 0;
}
