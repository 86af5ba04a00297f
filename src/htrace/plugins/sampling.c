#include "htrace/plugins/sampling.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>
#include <string.h>

/* One sample as it is kept; the plugin's record follows. */
typedef struct kept {
    int64_t ts;      /* realtime as recorded, or TS_NO_TIME */
    uint64_t number; /* in the order of coming, from 0 */
    bool after_gap;
} kept;

struct ts_sampling {
    const ts_plugin_host *host;
    const ts_sampling_kind *kind;
    ts_htrace_times times;
    size_t size; /* of a kept sample with its record */
    uint8_t *p;
    size_t n;
    size_t cap;
    int64_t latest;
    bool unordered;     /* samples did not come in the order of their times */
    bool gap;           /* before the next sample */
    bool gaps;          /* anywhere before the last sample */
    ts_tally *messages; /* NULL before the first */
    ts_tally *samples;
    uint64_t untimed;
    uint64_t gapped;
    uint64_t repeated;
    int64_t first_untimed; /* offset */
};

ts_code ts_sampling_new(void **self, const ts_plugin_host *host, const ts_sampling_kind *kind)
{
    ts_sampling *s = NULL;
    *self = NULL;
    if (kind->record > TS_SAMPLE_RECORD) {
        return ts_fail(host->ctx, TS_ERR_INTERNAL, "a sample's record is too large");
    }
    TS_NEED(host->ctx, s = ts_zalloc(host->ctx, 1, sizeof *s));
    s->host = host;
    s->kind = kind;
    s->times.clocks = host->clocks;
    s->size = sizeof(kept) + (kind->record + 7) / 8 * 8;
    s->latest = TS_NO_TIME;
    *self = s;
    return TS_OK;
}

void ts_sampling_free(void *self)
{
    ts_sampling *s = self;
    if (s != NULL) {
        ts_free(s->host->ctx, s->p);
        ts_free(s->host->ctx, s);
    }
}

const ts_plugin_host *ts_sampling_host(const ts_sampling *s)
{
    return s->host;
}

/* --- samples ---------------------------------------------------------------------------------- */

static ts_code begin(ts_sampling *s)
{
    ts_store *store = s->host->store;
    const int64_t id = s->host->source_id;
    const char *plugin = s->kind->plugin;
    ts_code code = TS_OK;
    if (s->messages == NULL &&
        ((code = ts_datasource_clock(store, plugin, TS_CLOCK_REALTIME)) != TS_OK ||
         (code = ts_count(&s->samples, store, id, TS_ITEM_plugin_samples, plugin)) != TS_OK ||
         (code = ts_count(&s->messages, store, id, TS_ITEM_plugin_messages, plugin)) != TS_OK)) {
        return code;
    }
    s->messages->seen++;
    return TS_OK;
}

/* Values that are not known in rows that are there. */
static ts_code lose_values(const ts_sampling *s, uint64_t n)
{
    ts_tally *tally;
    ts_code code = TS_OK;
    if (n == 0) {
        return TS_OK;
    }
    code = ts_count(&tally, s->host->store, s->host->source_id, TS_ITEM_plugin_values,
                    s->kind->plugin);
    if (code == TS_OK) {
        tally->seen += n;
        tally->lost += n;
    }
    return code;
}

static kept *sample_at(const ts_sampling *s, size_t i)
{
    return (kept *)(void *)(s->p + i * s->size);
}

static ts_code grow(ts_sampling *s)
{
    size_t cap = s->cap == 0 ? 64 : s->cap * 2;
    uint8_t *p;
    if (s->n < s->cap) {
        return TS_OK;
    }
    TS_NEED(s->host->ctx, p = ts_realloc(s->host->ctx, s->p, cap, s->size));
    s->p = p;
    s->cap = cap;
    return TS_OK;
}

static ts_code keep(ts_sampling *s, const ts_segment *seg, const void *record)
{
    kept *k;
    ts_code code;
    TS_TRY(code, grow(s));
    k = sample_at(s, s->n);
    *k = (kept){.ts = seg->timed ? seg->ts : TS_NO_TIME, .number = s->n, .after_gap = s->gap};
    memcpy(k + 1, record, s->kind->record);
    s->n++;
    s->gaps = s->gaps || s->gap;
    s->gap = k->ts == TS_NO_TIME; /* that one lies between this and the next */
    if (k->ts == TS_NO_TIME) {
        s->first_untimed = s->untimed == 0 ? seg->offset : s->first_untimed;
        s->untimed++;
        return TS_OK;
    }
    s->unordered = s->unordered || k->ts < s->latest;
    s->latest = k->ts;
    return TS_OK;
}

ts_code ts_sampling_add(ts_sampling *s, const ts_segment *seg, const void *record, bool damaged,
                        unsigned unknown)
{
    ts_code code = begin(s);
    TS_STEP(code, ts_stat(s->host->store, s->kind->received, "received", 1));
    TS_STEP(code, keep(s, seg, record));
    if (code != TS_OK) {
        return code;
    }
    *(damaged ? &s->messages->lost : &s->messages->imported) += 1;
    return lose_values(s, unknown);
}

ts_code ts_sampling_none(ts_sampling *s)
{
    ts_code code = begin(s);
    if (code == TS_OK) {
        s->messages->skipped++;
    }
    return code;
}

ts_code ts_sampling_lost(ts_sampling *s)
{
    ts_code code = begin(s);
    if (code == TS_OK) {
        s->messages->lost++;
        s->gap = true;
    }
    return code;
}

ts_code ts_sampling_gap(void *self, int64_t offset)
{
    ts_sampling *s = self;
    (void)offset;
    s->gap = true;
    return TS_OK;
}

/* --- order ------------------------------------------------------------------------------------ */

/* By time; those without one last; equal ones as they came. */
static bool comes_before(const kept *a, const kept *b)
{
    if (a->ts != b->ts && a->ts != TS_NO_TIME && b->ts != TS_NO_TIME) {
        return a->ts < b->ts;
    }
    if ((a->ts == TS_NO_TIME) != (b->ts == TS_NO_TIME)) {
        return b->ts == TS_NO_TIME;
    }
    return a->number < b->number;
}

static void exchange(const ts_sampling *s, size_t i, size_t j)
{
    uint8_t spare[sizeof(kept) + TS_SAMPLE_RECORD];
    memcpy(spare, sample_at(s, i), s->size);
    memcpy(sample_at(s, i), sample_at(s, j), s->size);
    memcpy(sample_at(s, j), spare, s->size);
}

static void sift(const ts_sampling *s, size_t root, size_t n)
{
    for (;;) {
        size_t child = 2 * root + 1;
        if (child >= n) {
            return;
        }
        if (child + 1 < n && comes_before(sample_at(s, child), sample_at(s, child + 1))) {
            child++;
        }
        if (!comes_before(sample_at(s, root), sample_at(s, child))) {
            return;
        }
        exchange(s, root, child);
        root = child;
    }
}

/* A heap sort: in place, and never more than n log n; numbers make it stable. */
static void sort(const ts_sampling *s)
{
    for (size_t i = s->n / 2; i > 0; i--) {
        sift(s, i - 1, s->n);
    }
    for (size_t n = s->n; n > 1; n--) {
        exchange(s, 0, n - 1);
        sift(s, 0, n - 1);
    }
}

/* --- rows ------------------------------------------------------------------------------------- */

/* No two measurements have one time, to the nanosecond, and all values in common: the message
 * is repeated. */
static bool is_repeated(const ts_sampling *s, size_t i)
{
    const kept *k = sample_at(s, i);
    const kept *before = i == 0 ? NULL : sample_at(s, i - 1);
    return before != NULL && k->ts != TS_NO_TIME && k->ts == before->ts &&
           memcmp(k + 1, before + 1, s->kind->record) == 0;
}

static ts_code put_row(ts_sampling *s, size_t i, int64_t ts)
{
    const kept *k = sample_at(s, i);
    ts_interval row = {.ts = ts, .dur = TS_NO_TIME, .at = k + 1};
    /* A loss may be anywhere when the order of coming is not that of time. */
    bool gap = k->after_gap || (s->gaps && s->unordered);
    if (k->ts != TS_NO_TIME && !gap) { /* then it is not the first: that has no row */
        const kept *before = sample_at(s, i - 1);
        row.dur = k->ts - before->ts; /* neither is negative */
        row.before = before + 1;
    }
    s->gapped += k->ts != TS_NO_TIME && gap;
    s->samples->imported++;
    return s->kind->put(s->host, &row);
}

/* The first sample begins an interval and has none itself. */
static bool has_row(const ts_sampling *s, size_t i)
{
    const kept *k = sample_at(s, i);
    return i > 0 || k->ts == TS_NO_TIME || k->after_gap || (s->gaps && s->unordered);
}

static ts_code put_rows(ts_sampling *s)
{
    ts_span span = TS_SPAN_ALL;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < s->n; i++) {
        ts_clock clock;
        int64_t ts = ts_htrace_time(&clock, &s->times, TS_CLOCK_REALTIME, sample_at(s, i)->ts);
        bool all;
        if (i == 0) {
            code = ts_htrace_wanted(&span, s->host, s->kind->plugin, clock, ts);
        }
        all = span.from == INT64_MIN && span.to == INT64_MAX;
        s->samples->seen++;
        s->repeated += is_repeated(s, i);
        if (is_repeated(s, i) || (ts == TS_NO_TIME ? !all : !ts_span_has(&span, ts))) {
            s->samples->skipped++;
            continue;
        }
        ts_range_note(s->host->store, clock, TS_RANGE_ROWS, ts);
        if (!has_row(s, i)) {
            s->samples->skipped++;
        } else if (code == TS_OK) {
            code = put_row(s, i, ts);
        }
    }
    return code;
}

static ts_code record(ts_sampling *s)
{
    ts_store *store = s->host->store;
    const int64_t id = s->host->source_id;
    const char *plugin = s->kind->plugin;
    ts_code code = ts_htrace_times_finish(&s->times, store, id, plugin);
    /* Times that do not fit are among the issues of the conversion. */
    TS_STEP(code, lose_values(s, s->untimed * 2 + s->times.over + s->gapped));
    if (code == TS_OK && s->untimed > 0) {
        code = ts_issue_n(store, id, TS_ISSUE_sample_untimed, plugin, s->first_untimed, s->untimed,
                          "ts and dur of %" PRIu64 " samples are not known", s->untimed);
    }
    if (code == TS_OK && s->repeated > 0) {
        code = ts_issue_n(store, id, TS_ISSUE_sample_repeated, plugin, TS_NO_OFFSET, s->repeated,
                          "%" PRIu64 " samples are repeated", s->repeated);
    }
    if (code == TS_OK && s->gapped > 0) {
        code = ts_issue_n(store, id, TS_ISSUE_sample_gap, plugin, TS_NO_OFFSET, s->gapped,
                          "dur of %" PRIu64 " samples is not known", s->gapped);
    }
    return code;
}

ts_code ts_sampling_finish(void *self)
{
    ts_sampling *s = self;
    ts_code code = TS_OK;
    if (s->messages == NULL) {
        return TS_OK;
    }
    if (s->unordered || s->untimed > 0) {
        sort(s);
    }
    code = put_rows(s);
    TS_STEP(code, record(s));
    return code;
}

bool ts_sampling_rate(double *rate, const ts_interval *interval, int64_t growth)
{
    bool known = interval->dur != TS_NO_TIME && interval->dur != 0;
    *rate = known ? (double)growth / ((double)interval->dur / 1e9) : 0;
    return known;
}

double ts_sampling_cut(const ts_plugin_host *host, double v)
{
    const double beyond = 9223372036854775808.0;
    return host->ctx->compat && v > -beyond && v < beyond ? (double)(int64_t)v : v;
}
