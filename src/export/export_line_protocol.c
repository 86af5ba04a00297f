/*
 * The points that Datakit makes of uploaded profiles, in Influx line protocol: `profile` says what
 * was profiled, `profiling_metrics` how it fared. start, end and duration are in microseconds,
 * timestamps in nanoseconds.
 */
#include "base/alloc.h"
#include "export/export_formats.h"
#include "export/export_json.h"
#include "export/export_metrics.h"
#include "export/export_points.h"
#include "export/export_totals.h"

#include <inttypes.h>
#include <stdlib.h>

typedef struct line_work {
    ts_ctx *ctx;
    ts_writer w;
    ts_calls calls;
    ts_uploads uploads;
    ts_metrics metrics;
    ts_totals totals; /* of --lp-extended */
    bool derived, extended;
    ts_buf text;
    unsigned points;
} line_work;

/* Tags of `profile` in the order of their keys; those of `profiling_metrics` are marked. */
static const struct {
    const char *key;
    ts_upload_text text;
    bool metrics;
} line_tags[] = {
    {"endpoint", TS_UP_ENDPOINT, false},
    {"env", TS_UP_ENV, true},
    {"host", TS_UP_HOST, true},
    {"language", TS_UP_LANGUAGE, true},
    {"runtime", TS_UP_RUNTIME, false},
    {"runtime_arch", TS_UP_RUNTIME_ARCH, false},
    {"runtime_os", TS_UP_RUNTIME_OS, false},
    {"service", TS_UP_SERVICE, true},
    {"version", TS_UP_VERSION, true},
};

/* What user tags must not be called: fields, also those of --lp-extended. */
static const char *const line_fields[] = {"profile_id", "agent_ver", "start",  "end",
                                          "duration",   "pid",       "format", "language_ver",
                                          "oss_path",   "metrics",   "samples"};

/* A tag with its key as it will be written. */
typedef struct line_tag {
    ts_buf key;
    ts_text value;
    size_t number; /* in the order of the profile */
} line_tag;

static int line_compare(const void *a, const void *b)
{
    const line_tag *x = a;
    const line_tag *y = b;
    size_t n = x->key.n < y->key.n ? x->key.n : y->key.n;
    int order = n == 0 ? 0 : memcmp(x->key.p, y->key.p, n);
    return order != 0             ? order
           : x->key.n != y->key.n ? (x->key.n > y->key.n) - (x->key.n < y->key.n)
                                  : (x->number > y->number) - (x->number < y->number);
}

static bool line_is_reserved(ts_text key)
{
    for (size_t i = 0; i < sizeof line_fields / sizeof line_fields[0]; i++) {
        if (ts_text_is(key, line_fields[i])) {
            return true;
        }
    }
    for (size_t i = 0; i < sizeof line_tags / sizeof line_tags[0]; i++) {
        if (ts_text_is(key, line_tags[i].key)) {
            return true;
        }
    }
    return false;
}

/* The tags of a profile and those of its user, by key bytewise; of several with one key the first
 * counts. */
static ts_code line_put_tags(ts_point *p, line_work *l, const ts_upload *up)
{
    enum { OWN = sizeof line_tags / sizeof line_tags[0] };
    const ts_upload_tag *user = (const ts_upload_tag *)l->uploads.tags.p + up->first_tag;
    size_t n = 0;
    line_tag *tags = ts_zalloc(l->ctx, OWN + up->tags, sizeof *tags);
    ts_code code = tags == NULL ? l->ctx->error.code : TS_OK;
    for (size_t i = 0; i < OWN + up->tags && code == TS_OK; i++) {
        ts_text key = i < OWN ? ts_text_of(line_tags[i].key) : user[i - OWN].key;
        tags[n].value = i < OWN ? up->texts[line_tags[i].text] : user[i - OWN].value;
        tags[n].number = i;
        tags[n].key.n = 0;
        code = ts_point_key(l->ctx, &tags[n].key, key);
        n += i < OWN || !line_is_reserved(ts_buf_text(&tags[n].key)) ? 1 : 0;
    }
    if (code == TS_OK) {
        qsort(tags, n, sizeof *tags, line_compare);
    }
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        ts_text key = ts_buf_text(&tags[i].key);
        ts_text before = i == 0 ? TS_TEXT_NULL : ts_buf_text(&tags[i - 1].key);
        if (!ts_text_equal(key, before)) {
            ts_point_tag(p, key, tags[i].value);
        }
    }
    for (size_t i = 0; tags != NULL && i < OWN + up->tags; i++) {
        ts_buf_free(l->ctx, &tags[i].key);
    }
    ts_free(l->ctx, tags);
    return code;
}

static void line_begin(ts_point *p, line_work *l, const ts_upload *up, const char *measurement,
                       bool metrics)
{
    ts_point_begin(p, &l->w, measurement);
    if (!metrics && up->tags > 0) {
        ts_writer_fail(&l->w, line_put_tags(p, l, up));
        return;
    }
    for (size_t i = 0; i < sizeof line_tags / sizeof line_tags[0]; i++) {
        if (!metrics || line_tags[i].metrics) {
            ts_point_tag(p, ts_text_of(line_tags[i].key), up->texts[line_tags[i].text]);
        }
    }
}

/* --- --lp-extended ------------------------------------------------------------------------------
 */

static void line_paths(ts_jout *j, const line_work *l, const ts_upload *up)
{
    const ts_text *files = (const ts_text *)l->uploads.files.p + up->first_file;
    ts_jout_open(j, NULL, '[');
    for (size_t i = 0; i < up->files; i++) {
        ts_jout_text(j, NULL, files[i]);
    }
    if (up->files == 0 && up->texts[TS_UP_PATH].n > 0) {
        ts_jout_text(j, NULL, up->texts[TS_UP_PATH]);
    }
    ts_jout_close(j, ']');
}

static void line_metric_texts(ts_jout *j, const line_work *l, const ts_upload *up)
{
    ts_metric metrics[TS_METRICS];
    char real[TS_REAL_DIGITS];
    unsigned n = ts_metrics_of(metrics, &l->metrics, up, l->derived);
    ts_jout_open(j, NULL, '{');
    for (unsigned i = 0; i < n; i++) {
        if (metrics[i].is_int) {
            ts_jout_printf(j, metrics[i].name, "\"%" PRId64 "\"", metrics[i].i);
        } else if (ts_plain_real(real, metrics[i].real)) {
            ts_jout_str(j, metrics[i].name, real);
        }
    }
    ts_jout_close(j, '}');
}

static void line_samples(ts_jout *j, const line_work *l, const ts_upload *up)
{
    const ts_total *all = l->totals.all.p;
    ts_jout_open(j, NULL, '{');
    for (size_t i = 0; i < l->totals.all.n; i++) {
        if (all[i].source_id == up->source_id && all[i].count > 0 && !all[i].over) {
            ts_jout_key(j, all[i].event);
            ts_jout_open(j, NULL, '{');
            ts_jout_uint(j, "count", all[i].count);
            ts_jout_int(j, "total", all[i].sum);
            ts_jout_close(j, '}');
        }
    }
    ts_jout_close(j, '}');
}

static void line_extend(ts_point *p, line_work *l, const ts_upload *up)
{
    static const struct {
        const char *name;
        void (*make)(ts_jout *j, const line_work *l, const ts_upload *up);
    } made[] = {
        {"oss_path", line_paths}, {"metrics", line_metric_texts}, {"samples", line_samples}};
    ts_point_text(p, "language_ver", up->texts[TS_UP_LANGUAGE_VER]);
    for (size_t i = 0; i < sizeof made / sizeof made[0]; i++) {
        ts_jout j = ts_jout_into(l->ctx, &l->text);
        j.null_is_empty = true;
        l->text.n = 0;
        made[i].make(&j, l, up);
        ts_writer_fail(&l->w, j.code);
        ts_point_text(p, made[i].name, ts_buf_text(&l->text));
    }
}

/* --- points -------------------------------------------------------------------------------------
 */

/* Towards minus infinity, so that a time is never in the microsecond after its own. */
static int64_t line_us(int64_t ns)
{
    return ns / 1000 - (ns % 1000 < 0 ? 1 : 0);
}

static void line_profile(line_work *l, const ts_upload *up)
{
    ts_point p;
    line_begin(&p, l, up, "profile", false);
    ts_point_text(&p, "profile_id", up->texts[TS_UP_ID]);
    ts_point_text(&p, "agent_ver", up->texts[TS_UP_AGENT_VER]);
    if (up->start != TS_NO_TIME) {
        ts_point_int(&p, "start", line_us(up->start));
    }
    if (up->end != TS_NO_TIME) {
        ts_point_int(&p, "end", line_us(up->end));
    }
    if (up->start != TS_NO_TIME && up->end != TS_NO_TIME) {
        ts_point_int(&p, "duration",
                     up->end < up->start ? 0 : line_us(up->end) - line_us(up->start));
    } else if (up->dur != TS_NO_TIME) {
        ts_point_int(&p, "duration", line_us(up->dur));
    }
    ts_point_text(&p, "pid", up->texts[TS_UP_PID]);
    ts_point_text(&p, "format", up->texts[TS_UP_FORMAT]);
    if (l->extended) {
        line_extend(&p, l, up);
    }
    ts_point_end(&p, up->end);
    l->points++;
}

static void line_metrics(line_work *l, const ts_upload *up)
{
    ts_metric metrics[TS_METRICS];
    ts_point p;
    unsigned n = ts_metrics_of(metrics, &l->metrics, up, l->derived);
    if (n == 0) {
        return;
    }
    line_begin(&p, l, up, "profiling_metrics", true);
    for (unsigned i = 0; i < n; i++) {
        if (metrics[i].is_int) {
            ts_point_int(&p, metrics[i].name, metrics[i].i);
        } else {
            ts_point_real(&p, metrics[i].name, metrics[i].real);
        }
    }
    ts_point_end(&p, up->end);
}

/* A point is of a whole profile. */
static ts_code line_check(ts_ctx *ctx, const ts_stack_filter *f)
{
    bool span = f->wanted.from != NULL || f->wanted.until != NULL;
    const char *name = f->wanted.thread != NULL ? "--thread"
                       : f->event != NULL       ? "--event"
                       : f->weight != NULL      ? "--weight"
                       : span                   ? "--from and --until"
                                                : NULL;
    return name == NULL ? TS_OK
                        : ts_fail(ctx, TS_ERR_USAGE,
                                  "the points of a profile are of all of it: %s cannot be given "
                                  "with --to=line-protocol",
                                  name);
}

static ts_code line_load(line_work *l, const ts_export_input *input)
{
    ts_code code = line_check(l->ctx, &input->side.filter);
    TS_STEP(code, ts_calls_select(&l->calls, l->ctx, input->side.reader, &input->side.filter));
    TS_STEP(code, ts_uploads_load(&l->uploads, l->ctx, input->side.reader, true));
    TS_STEP_IF(code, l->extended,
               ts_totals_load(&l->totals, l->ctx, input->side.reader, &l->uploads));
    TS_STEP(code, ts_metrics_load(&l->metrics, l->ctx, input->side.reader, &l->uploads));
    return code;
}

/* Is the upload wanted: the source with its row, or a file of it? */
static bool line_wants(const line_work *l, const ts_upload *up)
{
    const ts_upload *all = l->uploads.by_source.p;
    bool wanted = ts_calls_wants_source(&l->calls, up->source_id);
    for (size_t id = (size_t)up->source_id + 1; id < l->uploads.by_source.n && !wanted; id++) {
        if (all[id].own_stacks && all[id].owner == up->source_id) {
            wanted = ts_calls_wants_source(&l->calls, all[id].source_id);
        } else if (all[id].owner == (int64_t)id) {
            break; /* files of an upload follow it */
        }
    }
    return wanted;
}

static ts_code line_write(line_work *l)
{
    for (size_t id = 0; id < l->uploads.by_source.n && l->w.code == TS_OK; id++) {
        const ts_upload *up = ts_uploads_find(&l->uploads, (int64_t)id);
        if (up != NULL && up->source_id == (int64_t)id && up->stacks && line_wants(l, up)) {
            line_profile(l, up);
            line_metrics(l, up);
        }
    }
    TS_STEP_IF(l->w.code, l->points == 0,
               ts_fail(l->ctx, TS_ERR_USAGE, "the source \"%.100s\" has no stacks",
                       l->calls.filter.wanted.source == NULL ? "" : l->calls.filter.wanted.source));
    return l->w.code;
}

static ts_code line_run(ts_ctx *ctx, const ts_export_input *input, const ts_export_output *output)
{
    line_work *l = ts_zalloc(ctx, 1, sizeof *l);
    TS_NEED(ctx, l);
    l->ctx = ctx;
    l->derived = input->lp_derived;
    l->extended = input->lp_extended;
    ts_writer_begin(&l->w, ctx, output);
    ts_code code = line_load(l, input);
    TS_STEP(code, line_write(l));
    ts_writer_fail(&l->w, code);
    code = ts_writer_end(&l->w);
    ts_buf_free(ctx, &l->text);
    ts_totals_free(&l->totals, ctx);
    ts_metrics_free(&l->metrics, ctx);
    ts_uploads_free(&l->uploads, ctx);
    ts_calls_free(&l->calls);
    ts_free(ctx, l);
    return code;
}

const ts_export ts_export_line_protocol = {
    .name = "line-protocol",
    .title = "points of Datakit's profiles, Influx line protocol",
    .extension = ".lp",
    .needs = TS_NEEDS_SAMPLES,
    .points = true,
    .run = line_run,
};
