/*
 * dynamic_frame: the windows that the render service draws, each time; and device_info: the size of
 * the desktop among them and how often the display is drawn.
 */
#include "analysis/markers/marker_work.h"

enum { VSYNCS = 6, SECOND = 1000000000 };

typedef struct window_record {
    uint64_t number;
    int64_t row;
    int64_t x, y, width, height;
    int64_t end;
} window_record;

typedef struct window_work {
    marker_work *w;
    uint64_t count;
    ts_sorter *records; /* in the order of their coming */
    bool has_size;
    int64_t width, height;
    unsigned vsyncs;
    int64_t first_vsync, last_vsync;
} window_work;

/* "NAME] (x, y, width, height) ..."; rest: what follows. */
static bool read_window(ts_text *name, int64_t numbers[4], ts_text *rest)
{
    *name = marker_part(rest, "]");
    if (rest->p == NULL) {
        return false;
    }
    (void)marker_part(rest, "(");
    for (unsigned i = 0; i < 4; i++) {
        ts_text part = marker_part(rest, i < 3 ? "," : ")");
        if (!marker_number(&numbers[i], &part) || part.n != 0 || rest->p == NULL) {
            return false;
        }
    }
    return true;
}

/* What follows "Alpha", up to a blank or a comma. */
static ts_text alpha_of(ts_text rest)
{
    static const char marks[] = ":[ ";
    size_t n = 0;
    (void)marker_part(&rest, "lpha");
    while (rest.n > 0 && memchr(marks, rest.p[0], sizeof marks - 1) != NULL) {
        rest = ts_text_from(rest, 1);
    }
    while (n < rest.n && (ts_is_digit(rest.p[n]) || rest.p[n] == '.')) {
        n++;
    }
    return n == 0 ? TS_TEXT_NULL : (ts_text){rest.p, n};
}

static ts_code windows_take(void *self, const marker *m, unsigned pattern)
{
    window_work *o = self;
    ts_text rest = ts_text_from(m->name, m->prefix);
    ts_text name;
    int64_t n[4];
    window_record record;
    if (pattern == MARKER_VSYNC) {
        o->first_vsync = o->vsyncs == 0 ? m->ts : o->first_vsync;
        o->last_vsync = o->vsyncs < VSYNCS ? m->ts : o->last_vsync;
        o->vsyncs += o->vsyncs < VSYNCS;
        return TS_OK;
    }
    if (!read_window(&name, n, &rest)) {
        return TS_OK;
    }
    if (ts_text_begins(name, "SCBDesktop") && !o->has_size) {
        o->has_size = true;
        o->width = n[2];
        o->height = n[3];
    }
    if (!ts_text_begins(name, "WindowScene_")) {
        return TS_OK;
    }
    record = (window_record){.number = o->count++,
                             .row = m->row,
                             .x = n[0],
                             .y = n[1],
                             .width = n[2],
                             .height = n[3],
                             .end = m->end};
    return marker_keep(o->w, &o->records, &record, sizeof record, 1);
}

/* --- rows ---------------------------------------------------------------------------------- */

static ts_code put_window(void *self, const void *record)
{
    window_work *o = self;
    const window_record *r = record;
    ts_row_dynamic_frame row = {.id = (int64_t)ts_sink_rows(o->w->sink, TS_T_dynamic_frame),
                                .x = r->x,
                                .y = r->y,
                                .width = r->width,
                                .height = r->height,
                                .end_time = r->end};
    int64_t n[4];
    ts_text rest;
    TS_TRY(marker_name(&rest, o->w, r->row));
    (void)marker_part(&rest, "[");
    (void)read_window(&row.name, n, &rest);
    row.alpha = alpha_of(rest);
    row.null |= r->end == TS_NO_TIME ? TS_NULL_BIT(dynamic_frame, end_time) : 0;
    return ts_put_dynamic_frame(o->w->sink, &row);
}

/* The rate that displays have which is nearest to that of the first calls; 0: not known. */
static int64_t frame_rate(const window_work *o)
{
    int64_t span;
    double rate;
    if (o->vsyncs < VSYNCS || ts_ckd_sub(&span, o->last_vsync, o->first_vsync) || span <= 0) {
        return 0;
    }
    rate = (double)(VSYNCS - 1) * SECOND / (double)span;
    return rate < 75 ? 60 : rate < 105 ? 90 : 120;
}

static void note_device(const window_work *o)
{
    ts_row_device_info row = {.physical_width = o->width,
                              .physical_height = o->height,
                              .physical_frame_rate = frame_rate(o)};
    if (!o->has_size) {
        row.null |=
            TS_NULL_BIT(device_info, physical_width) | TS_NULL_BIT(device_info, physical_height);
    }
    if (row.physical_frame_rate == 0) {
        TS_SET_NULL(device_info, &row, physical_frame_rate);
    }
    ts_device_info(o->w->store, &row);
}

static ts_code windows_finish(void *self)
{
    window_work *o = self;
    note_device(o);
    return ts_sorter_drain(o->records, put_window, o);
}

static void windows_close(void *self)
{
    window_work *o = self;
    ts_sorter_close(o->records);
}

const marker_kind marker_windows = {sizeof(window_work), windows_take, windows_finish,
                                    windows_close};
