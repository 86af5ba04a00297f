/* cpu_time and cpu_ts: CPU time of threads by slots of time (docs/flare.md). */
#include "base/ckd.h"
#include "serve/flare/flare_private.h"

enum {
    THREADS_PER_REPLY = 50,
    DEFAULT_WIDTH = 900,
    MAX_STEPS = 1000000 /* of one thread: a larger unit is taken instead */
};

typedef struct cpu_range {
    int64_t start, end, unit; /* ms */
    bool legacy;              /* the original's rule: without the last slot, whole groups only */
} cpu_range;

static ts_code read_range(cpu_range *r, const fp_call *call)
{
    const fp_data *data = &call->session->data;
    int64_t width = fp_request_int(call->request, "graph_width", DEFAULT_WIDTH);
    r->start = fp_request_int(call->request, "start_time", -1);
    r->end = fp_request_int(call->request, "end_time", -1);
    r->unit = fp_request_int(call->request, "unit_time_ms", -1);
    r->legacy = fp_request_bool(call->request, "legacy");
    if (r->start < data->record_start_time) {
        r->start = data->record_start_time;
    }
    if (r->end < 0 || r->end > data->last_record_time) {
        r->end = data->last_record_time;
    }
    if (r->unit < 10) {
        int64_t span = ts_sat_sub(r->end, r->start);
        int64_t groups;
        if (span <= 0) {
            return ts_fail(call->ctx, TS_ERR_USAGE,
                           "time period error, end_time must be greater than start_time");
        }
        groups = span / (width < 1 ? DEFAULT_WIDTH : width) / data->sample_interval;
        groups = groups > 10 ? groups / 10 * 10 : groups < 1 ? 1 : groups;
        r->unit = ts_sat_mul(groups, data->sample_interval);
    }
    return TS_OK;
}

/* What of a thread's series is asked for, in slots. */
typedef struct cpu_slots {
    int64_t start, end;  /* ms, within the series */
    int64_t first, last; /* slots, both included; none when last < first */
    int64_t merge;       /* slots in a step */
    int64_t steps;
} cpu_slots;

static int64_t clamp(int64_t v, int64_t low, int64_t high)
{
    return v < low ? low : v > high ? high : v;
}

static cpu_slots slots_of(const cpu_range *r, const fp_thread *t)
{
    cpu_slots s = {.start = clamp(r->start, t->begin, t->end),
                   .end = clamp(r->end, t->begin, t->end),
                   .merge = r->unit / t->unit};
    int64_t count;
    s.first = (s.start - t->begin) / t->unit;
    s.last = (s.end - t->begin) / t->unit - (r->legacy ? 1 : 0);
    s.merge = s.merge < 1 ? 1 : s.merge;
    count = s.last < s.first ? 0 : s.last - s.first + 1;
    if (count / s.merge >= MAX_STEPS) {
        s.merge = count / MAX_STEPS + 1;
    }
    s.steps = r->legacy || count == 0 ? count / s.merge : (count - 1) / s.merge + 1;
    return s;
}

/* The first slot with a value from `step` on. */
static size_t slot_from(const fp_thread *t, int64_t step)
{
    const fp_slot *list = t->slots.p;
    size_t low = 0;
    size_t high = t->slots.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].step < step) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static int64_t total_of(const cpu_slots *s, const fp_thread *t)
{
    const fp_slot *list = t->slots.p;
    int64_t end = s->first + s->steps * s->merge; /* the first slot that is left out */
    int64_t total = 0;
    end = end > s->last + 1 ? s->last + 1 : end;
    for (size_t i = slot_from(t, s->first); i < t->slots.n && list[i].step < end; i++) {
        total = ts_sat_add(total, list[i].us);
    }
    return total;
}

static int64_t rounded_ms(int64_t us)
{
    return us < 0 ? (us - 500) / 1000 : us / 1000 + (us % 1000 >= 500 ? 1 : 0);
}

/* The values of the steps in one pass over the slots that have one. */
static void write_values(ts_jout *j, const cpu_slots *s, const fp_thread *t, bool as_ms)
{
    const fp_slot *list = t->slots.p;
    size_t i = slot_from(t, s->first);
    ts_jout_open(j, "ts_data", '[');
    for (int64_t k = 0; k < s->steps && j->code == TS_OK; k++) {
        int64_t end = s->first + (k + 1) * s->merge;
        int64_t sum = 0;
        end = end > s->last + 1 ? s->last + 1 : end;
        for (; i < t->slots.n && list[i].step < end; i++) {
            sum = ts_sat_add(sum, list[i].us);
        }
        ts_jout_int(j, NULL, as_ms ? rounded_ms(sum) : sum);
    }
    ts_jout_close(j, ']');
}

static ts_code write_thread(fp_call *call, const cpu_range *r, fp_thread *t, bool document)
{
    ts_jout *j = &call->json;
    ts_code code = fp_data_slots(&call->session->data, t);
    cpu_slots s;
    if (code != TS_OK) {
        return code;
    }
    s = slots_of(r, t);
    ts_jout_open(j, NULL, '{');
    ts_jout_int(j, "id", t->id);
    if (document) {
        ts_jout_str(j, "name", t->name);
    }
    ts_jout_int(j, "start_time", s.start);
    ts_jout_int(j, "end_time", s.end);
    ts_jout_int(j, "unit_time_ms", ts_sat_mul(s.merge, t->unit));
    if (document) {
        ts_jout_int(j, "cpu_time_ms", rounded_ms(total_of(&s, t)));
    } else {
        ts_jout_int(j, "total_cpu_time", total_of(&s, t));
        ts_jout_int(j, "steps", s.steps);
    }
    write_values(j, &s, t, document);
    ts_jout_close(j, '}');
    return TS_OK;
}

/* The threads that are asked for, one after the other; NULL at the end. [] asks for all that the
 * dashboard lists; those without a series are left out. */
static fp_thread *next_thread(size_t *at, const fp_call *call, const int64_t *ids, size_t n)
{
    const fp_data *data = &call->session->data;
    fp_thread *list = data->threads.p;
    while (*at < (n == 0 ? data->threads.n : n)) {
        fp_thread *t = n == 0 ? &list[*at] : fp_data_thread(data, ids[*at]);
        ++*at;
        if (t != NULL && t->has_series && (n > 0 || fp_data_listed(t))) {
            return t;
        }
    }
    return NULL;
}

static void begin_reply(fp_call *call, const char *list)
{
    fp_reply_session(call);
    ts_jout_open(&call->json, list, '[');
}

static ts_code answer(fp_call *call, bool document)
{
    const char *key = document ? "threads" : "thread_cpu_times";
    const int64_t *ids = NULL;
    fp_thread *thread;
    size_t n = 0;
    size_t at = 0;
    unsigned in_reply = 0;
    cpu_range range;
    ts_code code = fp_request_need_ints(&ids, &n, call->ctx, call->request, "thread_ids");
    if (code != TS_OK || (code = read_range(&range, call)) != TS_OK) {
        return code;
    }
    begin_reply(call, key);
    while (code == TS_OK && (thread = next_thread(&at, call, ids, n)) != NULL) {
        if (in_reply == THREADS_PER_REPLY && !document) {
            ts_jout_close(&call->json, ']');
            TS_TRY_INTO(code, fp_reply_end(call));
            begin_reply(call, key);
            in_reply = 0;
        }
        code = write_thread(call, &range, thread, document);
        in_reply++;
    }
    if (code != TS_OK) {
        return code;
    }
    ts_jout_close(&call->json, ']');
    return fp_reply_end(call);
}

ts_code fp_cpu_time(fp_call *call)
{
    return answer(call, false);
}

/* The document's older name and shape: milliseconds, all threads in one reply. */
ts_code fp_cpu_ts(fp_call *call)
{
    return answer(call, true);
}
