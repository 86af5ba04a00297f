/*
 * The file format of speedscope (https://www.speedscope.app/file-format-schema.json): a "sampled"
 * profile for each thread of each source, its samples in the order of time; of the tree of heap
 * timelines one profile, a sample for each stack.
 */
#include "base/alloc.h"
#include "base/spool.h"
#include "export/export_parts.h"

typedef struct scope_work {
    ts_parts x;
    uint32_t *path;
    ts_spool *weights; /* of the profile that is being written */
    bool open;         /* a profile is */
    unsigned profiles;
    int64_t source_id, itid;
    uint32_t node; /* of samples that follow each other, which are written as one; 0: none */
    int64_t weight;
    int64_t sum;
    int64_t most; /* the greatest sum so far, and its profile */
    unsigned active;
} scope_work;

static void scope_frames(scope_work *s)
{
    ts_jout_next_line(&s->x.w);
    ts_jout_open(&s->x.w, "shared", '{');
    ts_jout_open(&s->x.w, "frames", '[');
    for (uint32_t i = 0; i < s->x.frames.keys.count && s->x.w.code == TS_OK; i++) {
        ts_frame f = ts_frames_get(&s->x.frames, i);
        ts_jout_next_line(&s->x.w);
        ts_jout_open(&s->x.w, NULL, '{');
        ts_jout_text(&s->x.w, "name", f.label);
        if (f.file.n > 0) {
            ts_jout_text(&s->x.w, "file", f.file);
        }
        if (f.line > 0) {
            ts_jout_int(&s->x.w, "line", f.line);
        }
        ts_jout_close(&s->x.w, '}');
    }
    ts_jout_line(&s->x.w);
    ts_jout_ends(&s->x.w, "]}");
    ts_jout_next_line(&s->x.w);
    ts_jout_open(&s->x.w, "profiles", '[');
}

/* --- profiles -------------------------------------------------------------------------------- */

static const char *scope_unit(const ts_weight *weight)
{
    return ts_text_is(weight->unit, "ns")      ? "nanoseconds"
           : ts_text_is(weight->unit, "bytes") ? "bytes"
                                               : "none";
}

static void scope_begin(scope_work *s, ts_text name, ts_text more)
{
    static const ts_text nameless = {"all threads", 11};
    ts_buf title = {0};
    ts_code code = TS_OK;
    if (name.n == 0 && more.n == 0) {
        name = nameless;
    }
    code = ts_buf_put(s->x.ctx, &title, name.p, name.n);
    TS_STEP_IF(code, more.n > 0,
               ts_buf_printf(s->x.ctx, &title, "%s%.*s%s", name.n > 0 ? " (" : "",
                             more.n > 1000 ? 1000 : (int)more.n, more.p, name.n > 0 ? ")" : ""));
    ts_jout_fail(&s->x.w, code);
    ts_jout_next_line(&s->x.w);
    ts_jout_open(&s->x.w, NULL, '{');
    ts_jout_str(&s->x.w, "type", "sampled");
    ts_jout_text(&s->x.w, "name", ts_buf_text(&title));
    ts_jout_str(&s->x.w, "unit", scope_unit(&s->x.calls.weights[s->x.calls.chosen]));
    ts_jout_int(&s->x.w, "startValue", 0);
    ts_jout_open(&s->x.w, "samples", '[');
    ts_buf_free(s->x.ctx, &title);
    s->open = true;
    s->sum = 0;
    ts_jout_fail(&s->x.w, ts_spool_new(&s->weights, s->x.ctx));
}

static void scope_weights(scope_work *s)
{
    ts_spool_cursor cursor;
    bool end = false;
    ts_spool_rewind(&cursor, s->weights);
    while (s->x.w.code == TS_OK && !end) {
        int64_t weight = 0;
        ts_jout_fail(&s->x.w, ts_spool_next_int(&weight, &end, &cursor));
        if (!end && s->x.w.code == TS_OK) {
            ts_jout_int(&s->x.w, NULL, weight);
        }
    }
}

static ts_code scope_sample(scope_work *s, uint32_t node, int64_t weight)
{
    uint32_t n = 0;
    for (uint32_t at = node; at != 0; at = s->x.calls.parent[at]) {
        s->path[n++] = ts_calls_frame(&s->x.calls, at);
    }
    ts_jout_open(&s->x.w, NULL, '[');
    while (n-- > 0) {
        ts_jout_int(&s->x.w, NULL, s->path[n]);
    }
    ts_jout_close(&s->x.w, ']');
    s->sum = ts_sat_add(s->sum, weight);
    if (s->x.w.code == TS_OK) {
        ts_jout_fail(&s->x.w, ts_spool_put_int(s->weights, weight));
    }
    return s->x.w.code;
}

static void scope_flush(scope_work *s)
{
    if (s->node != 0) {
        (void)scope_sample(s, s->node, s->weight);
    }
    s->node = 0;
}

static void scope_end(scope_work *s)
{
    if (!s->open) {
        return;
    }
    scope_flush(s);
    if (s->x.w.code == TS_OK) {
        ts_jout_close(&s->x.w, ']');
        ts_jout_next_line(&s->x.w);
        ts_jout_open(&s->x.w, "weights", '[');
        scope_weights(s);
        ts_jout_close(&s->x.w, ']');
        ts_jout_int(&s->x.w, "endValue", s->sum);
        ts_jout_close(&s->x.w, '}');
    }
    ts_spool_free(s->weights);
    s->weights = NULL;
    if (s->sum > s->most) {
        s->most = s->sum;
        s->active = s->profiles;
    }
    s->profiles++;
    s->open = false;
}

static ts_code scope_visit(void *user, const ts_calls_item *item)
{
    scope_work *s = user;
    int64_t sum;
    if (item->weight <= 0 || !s->x.calls.used[item->node]) {
        return TS_OK;
    }
    if (!s->open || item->source_id != s->source_id || item->itid != s->itid) {
        scope_end(s);
        s->source_id = item->source_id;
        s->itid = item->itid;
        scope_begin(s, ts_naming_thread(&s->x.names, item->itid),
                    ts_naming_source(&s->x.names, item->source_id));
    }
    if (item->node == s->node && !ts_ckd_add(&sum, s->weight, item->weight)) {
        s->weight = sum;
        return s->x.w.code;
    }
    scope_flush(s);
    s->node = item->node;
    s->weight = item->weight;
    return s->x.w.code;
}

static ts_code scope_profiles(scope_work *s)
{
    const ts_weight *weight = &s->x.calls.weights[s->x.calls.chosen];
    ts_code code = TS_OK;
    if (!s->x.calls.is_heap) {
        code = ts_calls_sorted(&s->x.calls, weight, scope_visit, s);
        scope_end(s);
        return code;
    }
    scope_begin(s, ts_tree_title(&s->x.calls), weight->name);
    for (uint32_t i = 1; i <= s->x.calls.nodes && s->x.w.code == TS_OK; i++) {
        if (weight->self[i] > 0) {
            (void)scope_sample(s, i, weight->self[i]);
        }
    }
    scope_end(s);
    return s->x.w.code;
}

static ts_code scope_run(void *work)
{
    scope_work *s = work;
    ts_jout *w = &s->x.w;
    ts_code code;
    w->escapes |= TS_JOUT_MARKUP;
    TS_TRY_INTO(code, ts_parts_calls(&s->x, TS_FRAME_FILE | TS_FRAME_LINE, TS_LOAD_CHOSEN));
    TS_TRY_INTO(code, ts_naming_load(&s->x.names, s->x.ctx, s->x.reader));
    TS_NEED(s->x.ctx, s->path = ts_alloc(s->x.ctx, (size_t)s->x.calls.nodes + 1, sizeof *s->path));
    ts_jout_open(w, NULL, '{');
    ts_jout_str(w, "$schema", "https://www.speedscope.app/file-format-schema.json");
    ts_jout_str(w, "exporter", "trace_streamer");
    ts_jout_str(w, "name", s->x.input->side.title);
    scope_frames(s);
    code = scope_profiles(s);
    ts_jout_line(w);
    ts_jout_close(w, ']');
    ts_jout_int(w, "activeProfileIndex", s->active);
    ts_jout_close(w, '}');
    ts_jout_line(w);
    return code;
}

static void scope_release(void *work)
{
    scope_work *s = work;
    ts_free(s->x.ctx, s->path);
    ts_spool_free(s->weights);
}

const ts_export ts_export_speedscope = {
    .name = "speedscope",
    .title = "for https://www.speedscope.app",
    .extension = ".speedscope.json",
    .needs = TS_NEEDS_STACKS,
    .work = sizeof(scope_work),
    .run = scope_run,
    .release = scope_release,
};
