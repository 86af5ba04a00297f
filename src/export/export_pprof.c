/*
 * The profile of pprof (https://github.com/google/pprof/blob/main/proto/profile.proto), gzipped: a
 * sample for each call path with a value for each kind of weight, so that `go tool pprof` can
 * choose one by -sample_index. Numbers in comments are those of the fields.
 */
#include "base/idmap.h"
#include "base/utf8.h"
#include "export/export_gzip.h"
#include "export/export_parts.h"

typedef struct pprof_work {
    ts_parts x; /* x.w.code is the first failure; calls after it do nothing */
    ts_gzip zip;
    ts_buf message;   /* that is being put together */
    ts_buf part;      /* a message or a packed field in it */
    ts_idmap places;  /* (frame, line) -> number of the location */
    ts_vec locations; /* pprof_location */
    ts_pool strings;
} pprof_work;

typedef struct pprof_location {
    uint32_t frame;
    int32_t line;
} pprof_location;

/* --- protobuf -----------------------------------------------------------------------------------
 */

static void pprof_varint(pprof_work *w, ts_buf *out, uint64_t v)
{
    TS_STEP(w->x.w.code, ts_buf_varint(w->x.ctx, out, v));
}

/* A field of wire type 0. */
static void pprof_int(pprof_work *w, ts_buf *out, unsigned field, uint64_t v)
{
    pprof_varint(w, out, field << 3);
    pprof_varint(w, out, v);
}

/* A field of wire type 2. */
static void pprof_bytes(pprof_work *w, ts_buf *out, unsigned field, ts_text bytes)
{
    pprof_varint(w, out, field << 3 | 2);
    pprof_varint(w, out, bytes.n);
    TS_STEP(w->x.w.code, ts_buf_put(w->x.ctx, out, bytes.p, bytes.n));
}

/* Ends w->message: it is a field of the profile. */
static void pprof_end_message(pprof_work *w, unsigned field)
{
    ts_buf *head = &w->part;
    head->n = 0;
    pprof_varint(w, head, field << 3 | 2);
    pprof_varint(w, head, w->message.n);
    ts_gzip_put(&w->zip, head->p, w->x.w.code == TS_OK ? head->n : 0);
    ts_gzip_put(&w->zip, w->message.p, w->message.n);
    w->message.n = 0;
}

/* Place of a text in the string table. */
static uint64_t pprof_string(pprof_work *w, ts_text text)
{
    ts_buf clean = {0};
    uint64_t replaced;
    uint32_t id = 0;
    if (w->x.w.code == TS_OK && !ts_utf8_valid(text.p, text.n)) {
        w->x.w.code = ts_utf8_clean(w->x.ctx, &clean, &replaced, text.p, text.n);
        text = ts_buf_text(&clean);
    }
    TS_STEP(w->x.w.code, ts_pool_intern(w->x.ctx, &id, NULL, &w->strings, text));
    ts_buf_free(w->x.ctx, &clean);
    return id;
}

/* --- the profile --------------------------------------------------------------------------------
 */

static void value_type(pprof_work *w, unsigned field, const ts_weight *weight)
{
    static const ts_text ns = {"nanoseconds", 11};
    static const ts_text count = {"count", 5};
    ts_text unit = ts_text_is(weight->unit, "ns") ? ns : weight->unit;
    pprof_int(w, &w->message, 1, pprof_string(w, weight->name)); /* type */
    pprof_int(w, &w->message, 2, pprof_string(w, unit.n == 0 ? count : unit));
    pprof_end_message(w, field);
}

static uint64_t location_of(pprof_work *w, uint32_t node)
{
    const pprof_location at = {ts_calls_frame(&w->x.calls, node), w->x.calls.line[node]};
    int64_t key = (int64_t)((uint64_t)at.frame << 32 | (uint32_t)at.line);
    uint64_t number = 0;
    if (w->x.w.code != TS_OK || ts_idmap_find(&number, &w->places, key)) {
        return number;
    }
    pprof_location *added = ts_vec_add(w->x.ctx, &w->locations, sizeof *added);
    if (added == NULL) {
        w->x.w.code = w->x.ctx->error.code;
        return 0;
    }
    *added = at;
    number = w->locations.n;
    w->x.w.code = ts_idmap_put(w->x.ctx, &w->places, key, number);
    return number;
}

static bool has_weight(const ts_calls *calls, uint32_t node)
{
    for (unsigned k = 0; k < calls->weight_count; k++) {
        if (calls->weights[k].self != NULL && calls->weights[k].self[node] > 0) {
            return true;
        }
    }
    return false;
}

static void pprof_sample(pprof_work *w, uint32_t node)
{
    w->part.n = 0;
    for (uint32_t at = node; at != 0 && w->x.w.code == TS_OK; at = w->x.calls.parent[at]) {
        pprof_varint(w, &w->part, location_of(w, at));
    }
    pprof_bytes(w, &w->message, 1, ts_buf_text(&w->part)); /* location_id, innermost first */
    w->part.n = 0;
    for (unsigned k = 0; k < w->x.calls.weight_count; k++) {
        const ts_weight *weight = &w->x.calls.weights[k];
        if (weight->self != NULL) {
            pprof_varint(w, &w->part, (uint64_t)weight->self[node]);
        }
    }
    pprof_bytes(w, &w->message, 2, ts_buf_text(&w->part)); /* value */
    pprof_end_message(w, 2);
}

static void pprof_samples(pprof_work *w)
{
    for (uint32_t i = 1; i <= w->x.calls.nodes && w->x.w.code == TS_OK; i++) {
        if (has_weight(&w->x.calls, i)) {
            pprof_sample(w, i);
        }
    }
}

static void pprof_locations(pprof_work *w)
{
    const pprof_location *all = w->locations.p;
    for (size_t i = 0; i < w->locations.n && w->x.w.code == TS_OK; i++) {
        w->part.n = 0;
        pprof_int(w, &w->part, 1, all[i].frame + UINT64_C(1)); /* function_id */
        pprof_int(w, &w->part, 2, (uint64_t)all[i].line);
        pprof_int(w, &w->message, 1, i + 1);
        pprof_bytes(w, &w->message, 4, ts_buf_text(&w->part)); /* line */
        pprof_end_message(w, 4);
    }
}

static void pprof_functions(pprof_work *w)
{
    for (uint32_t i = 0; i < w->x.frames.keys.count && w->x.w.code == TS_OK; i++) {
        ts_frame f = ts_frames_get(&w->x.frames, i);
        uint64_t name = pprof_string(w, f.label);
        pprof_int(w, &w->message, 1, i + UINT64_C(1));
        pprof_int(w, &w->message, 2, name);
        pprof_int(w, &w->message, 3, name); /* system_name */
        pprof_int(w, &w->message, 4, pprof_string(w, f.file));
        pprof_int(w, &w->message, 5, f.line > 0 ? (uint64_t)f.line : 0); /* start_line */
        pprof_end_message(w, 5);
    }
}

static void pprof_strings(pprof_work *w)
{
    for (uint32_t i = 0; i < w->strings.count && w->x.w.code == TS_OK; i++) {
        ts_text text = ts_pool_text(&w->strings, i);
        TS_STEP(w->x.w.code, ts_buf_put(w->x.ctx, &w->message, text.p, text.n));
        pprof_end_message(w, 6);
    }
}

static void pprof_write(pprof_work *w, const char *title)
{
    const ts_weight *chosen = &w->x.calls.weights[w->x.calls.chosen];
    (void)pprof_string(w, (ts_text){"", 0}); /* string 0 is empty */
    ts_gzip_begin(&w->zip, &w->x.w, Z_DEFAULT_COMPRESSION);
    for (unsigned k = 0; k < w->x.calls.weight_count && w->x.w.code == TS_OK; k++) {
        if (w->x.calls.weights[k].self != NULL) {
            value_type(w, 1, &w->x.calls.weights[k]); /* sample_type */
        }
    }
    pprof_samples(w);
    pprof_locations(w);
    pprof_functions(w);
    uint64_t type = pprof_string(w, chosen->name);
    uint64_t comment = pprof_string(w, ts_text_of(title));
    pprof_strings(w);
    w->part.n = 0;
    pprof_int(w, &w->part, 13, comment);
    pprof_int(w, &w->part, 14, type); /* default_sample_type */
    ts_gzip_put(&w->zip, w->part.p, w->x.w.code == TS_OK ? w->part.n : 0);
    ts_gzip_end(&w->zip);
}

static ts_code pprof_run(void *work)
{
    pprof_work *w = work;
    ts_calls_load load = w->x.input->side.filter.weight == NULL ? TS_LOAD_ALL : TS_LOAD_CHOSEN;
    ts_code code;
    TS_TRY_INTO(code, ts_parts_calls(&w->x, TS_FRAME_FILE | TS_FRAME_LINE, load));
    pprof_write(w, w->x.input->side.title);
    return w->x.w.code;
}

static void pprof_release(void *work)
{
    pprof_work *w = work;
    ts_gzip_free(&w->zip);
    ts_buf_free(w->x.ctx, &w->message);
    ts_buf_free(w->x.ctx, &w->part);
    ts_idmap_free(w->x.ctx, &w->places);
    ts_vec_free(w->x.ctx, &w->locations);
    ts_pool_free(w->x.ctx, &w->strings);
}

const ts_export ts_export_pprof = {
    .name = "pprof",
    .title = "gzipped protobuf, for go tool pprof",
    .extension = ".pb.gz",
    .needs = TS_NEEDS_STACKS,
    .work = sizeof(pprof_work),
    .run = pprof_run,
    .release = pprof_release,
};
