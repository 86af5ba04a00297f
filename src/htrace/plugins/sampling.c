#include "htrace/plugins/sampling.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/sorter.h"

#include <inttypes.h>
#include <string.h>

enum { SORT_MEMORY = 4 << 20 };

/* One sample as it is sorted; the plugin's record follows. */
typedef struct kept {
    uint64_t key;    /* of the time; those without one come last */
    uint64_t number; /* in the order of coming, from 0 */
    int64_t ts;      /* realtime as recorded, or TS_NO_TIME */
    uint64_t after_gap;
} kept;

/* A sample with its record. */
typedef union sample {
    kept k;
    uint8_t bytes[sizeof(kept) + TS_SAMPLE_RECORD];
} sample;

struct ts_sampling {
    const ts_plugin_host *host;
    const ts_sampling_kind *kind;
    ts_htrace_times times;
    ts_sorter *sorter; /* NULL before the first sample */
    size_t size;       /* of a sample with its record */
    uint64_t n;
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
    /* While rows are put: the sample before. */
    sample before;
    bool begun;
    ts_span span;
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
    s->span = TS_SPAN_ALL;
    *self = s;
    return TS_OK;
}

void ts_sampling_free(void *self)
{
    ts_sampling *s = self;
    if (s != NULL) {
        ts_sorter_close(s->sorter);
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

static ts_code keep(ts_sampling *s, const ts_segment *seg, const void *record)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 2};
    const int64_t ts = seg->timed ? seg->ts : TS_NO_TIME;
    sample k = {.k = {.key = ts == TS_NO_TIME ? UINT64_MAX : ts_sorter_key(ts),
                      .number = s->n++,
                      .ts = ts,
                      .after_gap = s->gap}};
    ts_code code = TS_OK;
    memcpy(&k.k + 1, record, s->kind->record);
    s->gaps = s->gaps || s->gap;
    s->gap = ts == TS_NO_TIME; /* that one lies between this and the next */
    if (ts == TS_NO_TIME) {
        s->first_untimed = s->untimed == 0 ? seg->offset : s->first_untimed;
        s->untimed++;
    } else {
        s->unordered = s->unordered || ts < s->latest;
        s->latest = ts;
    }
    TS_STEP_IF(code, s->sorter == NULL,
               ts_sorter_open(&s->sorter, s->host->ctx, s->size, &order, SORT_MEMORY));
    return code != TS_OK ? code : ts_sorter_add(s->sorter, &k);
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

/* --- rows ------------------------------------------------------------------------------------- */

/* No two measurements have one time, to the nanosecond, and all values in common: the message
 * is repeated. */
static bool is_repeated(const ts_sampling *s, const kept *k)
{
    return s->begun && k->ts != TS_NO_TIME && k->ts == s->before.k.ts &&
           memcmp(k + 1, &s->before.k + 1, s->kind->record) == 0;
}

static ts_code put_sample(ts_sampling *s, const kept *k)
{
    ts_clock clock;
    ts_interval row = {.ts = ts_htrace_time(&clock, &s->times, TS_CLOCK_REALTIME, k->ts),
                       .dur = TS_NO_TIME,
                       .at = k + 1};
    const bool repeated = is_repeated(s, k);
    /* A loss may be anywhere when the order of coming is not that of time. */
    const bool gap = k->after_gap || (s->gaps && s->unordered);
    bool all;
    if (!s->begun) {
        TS_TRY(ts_htrace_wanted(&s->span, s->host, s->kind->plugin, clock, row.ts));
    }
    all = s->span.from == INT64_MIN && s->span.to == INT64_MAX;
    s->samples->seen++;
    s->repeated += repeated;
    if (repeated || (row.ts == TS_NO_TIME ? !all : !ts_span_has(&s->span, row.ts))) {
        s->samples->skipped++;
        return TS_OK;
    }
    ts_range_note(s->host->store, clock, TS_RANGE_ROWS, row.ts);
    if (!s->begun && k->ts != TS_NO_TIME && !gap) { /* it begins an interval and has none itself */
        s->samples->skipped++;
        return TS_OK;
    }
    if (k->ts != TS_NO_TIME && !gap) {
        row.dur = k->ts - s->before.k.ts; /* neither is negative */
        row.before = &s->before.k + 1;
    }
    s->gapped += k->ts != TS_NO_TIME && gap;
    s->samples->imported++;
    return s->kind->put(s->host, &row);
}

static ts_code put_rows(ts_sampling *s)
{
    const void *k = NULL;
    ts_code code = s->sorter == NULL ? TS_OK : ts_sorter_finish(s->sorter);
    while (code == TS_OK && s->sorter != NULL && (code = ts_sorter_next(&k, s->sorter)) == TS_OK &&
           k != NULL) {
        code = put_sample(s, k);
        memcpy(s->before.bytes, k, s->size);
        s->begun = true;
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
    TS_STEP_IF(code, s->untimed > 0,
               ts_issue_n(store, id, TS_ISSUE_sample_untimed, plugin, s->first_untimed, s->untimed,
                          "ts and dur of %" PRIu64 " samples are not known", s->untimed));
    TS_STEP_IF(code, s->repeated > 0,
               ts_issue_n(store, id, TS_ISSUE_sample_repeated, plugin, TS_NO_OFFSET, s->repeated,
                          "%" PRIu64 " samples are repeated", s->repeated));
    TS_STEP_IF(code, s->gapped > 0,
               ts_issue_n(store, id, TS_ISSUE_sample_gap, plugin, TS_NO_OFFSET, s->gapped,
                          "dur of %" PRIu64 " samples is not known", s->gapped));
    return code;
}

ts_code ts_sampling_finish(void *self)
{
    ts_sampling *s = self;
    ts_code code = TS_OK;
    if (s->messages == NULL) {
        return TS_OK;
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
