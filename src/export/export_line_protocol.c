/*
 * The points that Datakit makes of uploaded profiles, in Influx line protocol: `profile` says what
 * was profiled, `profiling_metrics` how it fared. start, end and duration are in microseconds,
 * timestamps in nanoseconds.
 */
#include "base/alloc.h"
#include "export/export_formats.h"
#include "export/export_metrics.h"
#include "export/export_points.h"

typedef struct line_work {
    ts_ctx *ctx;
    ts_writer w;
    ts_calls calls;
    ts_uploads uploads;
    ts_metrics metrics;
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

static void line_begin(ts_point *p, line_work *l, const ts_upload *up, const char *measurement,
                       bool metrics)
{
    ts_point_begin(p, &l->w, measurement);
    for (size_t i = 0; i < sizeof line_tags / sizeof line_tags[0]; i++) {
        if (!metrics || line_tags[i].metrics) {
            ts_point_tag(p, ts_text_of(line_tags[i].key), up->texts[line_tags[i].text]);
        }
    }
}

/* Towards minus infinity, so that a time is never in the microsecond behind its own. */
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
    ts_point_end(&p, up->end);
    l->points++;
}

static void line_metrics(line_work *l, const ts_upload *up)
{
    ts_metric metrics[TS_METRICS];
    ts_point p;
    unsigned n = ts_metrics_of(metrics, &l->metrics, up);
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
static ts_code line_check(ts_ctx *ctx, const ts_export_filter *f)
{
    bool span = f->span.from != INT64_MIN || f->span.to != INT64_MAX;
    const char *name = f->thread != NULL   ? "--thread"
                       : f->event != NULL  ? "--event"
                       : f->weight != NULL ? "--weight"
                       : span              ? "--from and --until"
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
    if (code == TS_OK) {
        code = ts_calls_select(&l->calls, l->ctx, &input->side);
    }
    if (code == TS_OK) {
        code = ts_uploads_load(&l->uploads, l->ctx, input->side.reader, true);
    }
    return code == TS_OK ? ts_metrics_load(&l->metrics, l->ctx, input->side.reader) : code;
}

static ts_code line_write(line_work *l)
{
    for (size_t id = 0; id < l->uploads.by_source.n && l->w.code == TS_OK; id++) {
        const ts_upload *up = ts_uploads_find(&l->uploads, (int64_t)id);
        if (up != NULL && up->stacks && ts_calls_wants_source(&l->calls, up->source_id)) {
            line_profile(l, up);
            line_metrics(l, up);
        }
    }
    return l->w.code == TS_OK && l->points == 0
               ? ts_fail(l->ctx, TS_ERR_USAGE, "the source \"%.100s\" has no stacks",
                         l->calls.filter.source == NULL ? "" : l->calls.filter.source)
               : l->w.code;
}

static ts_code line_run(ts_ctx *ctx, const ts_export_input *input, const ts_export_output *output)
{
    line_work *l = ts_zalloc(ctx, 1, sizeof *l);
    if (l == NULL) {
        return ctx->error.code;
    }
    l->ctx = ctx;
    ts_writer_begin(&l->w, ctx, output);
    ts_code code = line_load(l, input);
    if (code == TS_OK) {
        code = line_write(l);
    }
    ts_writer_fail(&l->w, code);
    code = ts_writer_end(&l->w);
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
    .run = line_run,
};
