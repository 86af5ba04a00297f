/*
 * The points that Datakit makes of uploaded profiles, in Influx line protocol: `profile` says what
 * was profiled, `profiling_metrics` how it fared. start, end and duration are in microseconds,
 * timestamps in nanoseconds.
 */
#include "base/alloc.h"
#include "base/idmap.h"
#include "export/export_parts.h"
#include "export/export_points.h"

#include <inttypes.h>
#include <stdlib.h>

/* Of the values of an upload that describe an event. */
typedef struct line_total {
    int64_t source_id; /* of the upload */
    uint32_t event;    /* place in the uploads' texts */
    uint64_t count;
    int64_t sum;
    bool over; /* the sum does not fit */
} line_total;

typedef struct line_work {
    ts_parts x;
    /* Of --lp-extended: */
    ts_vec totals;   /* line_total, in the order of their kinds of values */
    ts_idmap by_key; /* (upload, event) -> number of the total + 1 */
    ts_vec of_type;  /* int64_t, by id of stack_value_type: the same; 0: none */
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
    const ts_upload_tag *user = (const ts_upload_tag *)l->x.uploads.tags.p + up->first_tag;
    size_t n = 0;
    line_tag *tags = ts_zalloc(l->x.ctx, OWN + up->tags, sizeof *tags);
    ts_code code = tags == NULL ? l->x.ctx->error.code : TS_OK;
    for (size_t i = 0; i < OWN + up->tags && code == TS_OK; i++) {
        ts_text key = i < OWN ? ts_text_of(line_tags[i].key) : user[i - OWN].key;
        tags[n].value = i < OWN ? up->texts[line_tags[i].text] : user[i - OWN].value;
        tags[n].number = i;
        tags[n].key.n = 0;
        code = ts_point_key(l->x.ctx, &tags[n].key, key);
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
        ts_buf_free(l->x.ctx, &tags[i].key);
    }
    ts_free(l->x.ctx, tags);
    return code;
}

static void line_begin(ts_point *p, line_work *l, const ts_upload *up, const char *measurement,
                       bool metrics)
{
    ts_point_begin(p, &l->x.w, measurement);
    if (!metrics && up->tags > 0) {
        ts_jout_fail(&l->x.w, line_put_tags(p, l, up));
        return;
    }
    for (size_t i = 0; i < sizeof line_tags / sizeof line_tags[0]; i++) {
        if (!metrics || line_tags[i].metrics) {
            ts_point_tag(p, ts_text_of(line_tags[i].key), up->texts[line_tags[i].text]);
        }
    }
}

/* --- --lp-extended ---------------------------------------------------------------------------- */

/* Finds the total of a kind of value; each has one, but those whose source is no upload. */
static ts_code line_type(line_work *l, int64_t id)
{
    const ts_upload_type *type = ts_uploads_type(&l->x.uploads, id);
    const ts_upload *up = ts_uploads_find(&l->x.uploads, type->source_id);
    line_total *total;
    uint64_t number;
    ts_code code = TS_OK;
    if (up == NULL || ts_vec_kept(&l->of_type, id) != 0) {
        return TS_OK;
    }
    int64_t key = (int64_t)((uint64_t)up->source_id << 32 | type->event);
    if (!ts_idmap_find(&number, &l->by_key, key)) {
        TS_NEED(l->x.ctx, total = ts_vec_add(l->x.ctx, &l->totals, sizeof *total));
        *total = (line_total){.source_id = up->source_id, .event = type->event};
        number = l->totals.n;
        code = ts_idmap_put(l->x.ctx, &l->by_key, key, number);
    }
    TS_STEP(code, ts_vec_keep(l->x.ctx, &l->of_type, id, (int64_t)number));
    return code;
}

/* Those that profiles describe come first. */
static ts_code line_totals(line_work *l)
{
    static const unsigned values[] = {TS_C_stack_sample_value__value_type_id,
                                      TS_C_stack_sample_value__value};
    const ts_uploads *u = &l->x.uploads;
    ts_walk rows = ts_walk_of(ts_rows_of(l->x.reader), TS_T_stack_sample_value, values, 2);
    ts_code code = TS_OK;
    for (size_t i = 0; i < u->own_types.n && code == TS_OK; i++) {
        code = line_type(l, ((const int64_t *)u->own_types.p)[i]);
    }
    for (size_t i = 0; i < u->types.n && code == TS_OK; i++) {
        code = line_type(l, (int64_t)i);
    }
    while (l->totals.n > 0 && ts_walk_next(&code, &rows)) {
        int64_t number = ts_vec_kept(&l->of_type, ts_walk_int(&rows, 0));
        line_total *total = number == 0 ? NULL : (line_total *)l->totals.p + (number - 1);
        if (total != NULL && !ts_walk_null(&rows, 1)) {
            total->count++;
            total->over = total->over || ts_ckd_add(&total->sum, total->sum, ts_walk_int(&rows, 1));
        }
    }
    return code;
}

static void line_paths(ts_jout *j, const line_work *l, const ts_upload *up)
{
    const ts_text *files = (const ts_text *)l->x.uploads.files.p + up->first_file;
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
    unsigned n = ts_metrics_of(metrics, &l->x.metrics, up, l->x.input->lp_derived);
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
    const line_total *all = l->totals.p;
    ts_jout_open(j, NULL, '{');
    for (size_t i = 0; i < l->totals.n; i++) {
        if (all[i].source_id == up->source_id && all[i].count > 0 && !all[i].over) {
            ts_jout_key(j, ts_pool_text(&l->x.uploads.texts, all[i].event));
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
        ts_jout j = ts_jout_into(l->x.ctx, &l->text);
        j.null_is_empty = true;
        l->text.n = 0;
        made[i].make(&j, l, up);
        ts_jout_fail(&l->x.w, j.code);
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
    if (l->x.input->lp_extended) {
        line_extend(&p, l, up);
    }
    ts_point_end(&p, up->end);
    l->points++;
}

static void line_metrics(line_work *l, const ts_upload *up)
{
    ts_metric metrics[TS_METRICS];
    ts_point p;
    unsigned n = ts_metrics_of(metrics, &l->x.metrics, up, l->x.input->lp_derived);
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
    const char *name = f->wanted.thread != NULL  ? "--thread"
                       : f->event != NULL        ? "--event"
                       : f->wanted.label != NULL ? "--label"
                       : f->weight != NULL       ? "--weight"
                       : span                    ? "--from and --until"
                                                 : NULL;
    return name == NULL ? TS_OK
                        : ts_fail(ctx, TS_ERR_USAGE,
                                  "the points of a profile are of all of it: %s cannot be given "
                                  "with --to=line-protocol",
                                  name);
}

/* Is the upload wanted: the source with its row, or a file of it? */
static bool line_wants(const line_work *l, const ts_upload *up)
{
    const ts_upload *all = l->x.uploads.by_source.p;
    bool wanted = ts_calls_wants_source(&l->x.calls, up->source_id);
    for (size_t id = (size_t)up->source_id + 1; id < l->x.uploads.by_source.n && !wanted; id++) {
        if (all[id].own_stacks && all[id].owner == up->source_id) {
            wanted = ts_calls_wants_source(&l->x.calls, all[id].source_id);
        } else if (all[id].owner == (int64_t)id) {
            break; /* files of an upload follow it */
        }
    }
    return wanted;
}

static ts_code line_write(line_work *l)
{
    for (size_t id = 0; id < l->x.uploads.by_source.n && l->x.w.code == TS_OK; id++) {
        const ts_upload *up = ts_uploads_find(&l->x.uploads, (int64_t)id);
        if (up != NULL && up->source_id == (int64_t)id && up->stacks && line_wants(l, up)) {
            line_profile(l, up);
            line_metrics(l, up);
        }
    }
    TS_STEP_IF(
        l->x.w.code, l->points == 0,
        ts_fail(l->x.ctx, TS_ERR_USAGE, "the source \"%.100s\" has no stacks",
                l->x.calls.filter.wanted.source == NULL ? "" : l->x.calls.filter.wanted.source));
    return l->x.w.code;
}

static ts_code line_run(void *work)
{
    line_work *l = work;
    ts_parts *x = &l->x;
    const ts_stack_filter *filter = &x->input->side.filter;
    TS_TRY(line_check(x->ctx, filter));
    TS_TRY(ts_calls_select(&x->calls, x->ctx, x->reader, filter));
    TS_TRY(ts_uploads_load(&x->uploads, x->ctx, x->reader, true));
    if (x->input->lp_extended) {
        TS_TRY(line_totals(l));
    }
    TS_TRY(ts_metrics_load(&x->metrics, x->ctx, x->reader, &x->uploads));
    return line_write(l);
}

static void line_release(void *work)
{
    line_work *l = work;
    ts_buf_free(l->x.ctx, &l->text);
    ts_vec_free(l->x.ctx, &l->totals);
    ts_idmap_free(l->x.ctx, &l->by_key);
    ts_vec_free(l->x.ctx, &l->of_type);
}

const ts_export ts_export_line_protocol = {
    .name = "line-protocol",
    .title = "points of Datakit's profiles, Influx line protocol",
    .extension = ".lp",
    .needs = TS_NEEDS_SAMPLES,
    .points = true,
    .work = sizeof(line_work),
    .run = line_run,
    .release = line_release,
};
