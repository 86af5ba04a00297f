/* Profiles of a speedscope file as rows. */
#include "parsers/shared/notes.h"
#include "parsers/speedscope/speedscope.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

/* --- numbers -------------------------------------------------------------------------------- */

int64_t scope_scaled(scope_writer *w, const scope_number *n)
{
    int64_t v;
    double scaled;
    if (!n->known) {
        return TS_NO_TIME;
    }
    if (n->whole) {
        if (ts_profile_scaled(&v, n->i, w->profile->unit.scale)) {
            return v;
        }
        w->overflows++;
        return TS_NO_TIME;
    }
    scaled = nearbyint(n->d * (double)w->profile->unit.scale);
    if (!(scaled > -9.2e18 && scaled < 9.2e18)) {
        w->overflows++;
        return TS_NO_TIME;
    }
    return (int64_t)scaled;
}

/* Whole as long as both are: the sum of many parts is not rounded before it is needed. */
static void add_number(scope_number *sum, const scope_number *n)
{
    int64_t v;
    bool whole = sum->whole && n->whole && !ts_ckd_add(&v, sum->i, n->i);
    sum->known = sum->known && n->known;
    sum->d = sum->d + n->d;
    sum->i = whole ? v : 0;
    sum->whole = whole;
}

/* --- call paths ----------------------------------------------------------------------------- */

static ts_code new_method(int64_t *method, scope_writer *w, int64_t frame)
{
    const scope_frame *f = (const scope_frame *)w->s->frames.p + frame;
    const char *texts = ts_buf_text(&w->s->texts).p;
    ts_text name = {texts + f->name, f->name_n};
    ts_text file = {texts + f->file, f->file_n};
    ts_frame_parts parts;
    ts_method row = {.has_raw_id = true, .raw_id = frame};
    if (f->file_n == 0) {
        file = TS_TEXT_NULL;
    }
    TS_TRY(ts_frame_split(w->s->job->ctx, &parts, &w->s->text, ts_language_of_file(file), name,
                          file, TS_TEXT_NULL));
    row.name = f->known ? parts.name : TS_TEXT_NULL;
    row.cls = parts.cls;
    row.package = parts.package;
    row.file = parts.file;
    row.library = parts.library;
    row.has_line = f->line > 0;
    row.line = f->line;
    return ts_stack_method(method, w->s->job->store, w->source_id, &row);
}

ts_code scope_node(int64_t *node, scope_writer *w, int64_t parent, int64_t frame, int64_t depth)
{
    int64_t *methods = w->methods.p;
    int64_t method = 0;
    bool added;
    ts_code code = TS_OK;
    if (frame < 0 || (uint64_t)frame >= w->s->frames.n || w->s->doubted) {
        w->bad_frames++;
    } else {
        if (methods[frame] == 0) {
            code = new_method(&methods[frame], w, frame);
        }
        method = methods[frame];
    }
    return code != TS_OK ? code
                         : ts_stack_node(node, &added, w->s->job->store, w->source_id, parent,
                                         method, TS_NO_LINE, depth, NULL);
}

/* --- samples -------------------------------------------------------------------------------- */

ts_code scope_put_sample(scope_writer *w, int64_t node, int64_t ts, int64_t weight)
{
    bool timed = w->type.id == 0;
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(w->s->sink, TS_T_stack_sample) + 1,
        .source_id = w->source_id,
        .itid = w->itid,
        .ts = ts,
        .dur = timed ? weight : TS_NO_TIME,
        .node_id = node,
        .event = timed                                      ? TS_TEXT_LIT("wall")
                 : w->profile->unit.kind == TS_VALUE_MEMORY ? TS_TEXT_LIT("alloc")
                                                            : TS_TEXT_NULL,
    };
    ts_row_stack_sample_value value = {
        .sample_id = row.id, .value_type_id = w->type.id, .value = weight};
    ts_code code;
    if (row.ts == TS_NO_TIME) {
        TS_SET_NULL(stack_sample, &row, ts);
    } else {
        ts_range_note(w->s->job->store, TS_CLOCK_RELATIVE, TS_RANGE_ROWS, ts);
    }
    TS_NULL_IF(row.dur == TS_NO_TIME, stack_sample, &row, dur);
    TS_NULL_IF(node == 0, stack_sample, &row, node_id);
    w->samples++;
    code = ts_put_stack_sample(w->s->sink, &row);
    if (code != TS_OK || timed) {
        return code;
    }
    w->values++;
    w->values_lost += weight == TS_NO_TIME ? 1 : 0;
    return weight == TS_NO_TIME ? TS_OK : ts_put_stack_sample_value(w->s->sink, &value);
}

/* The stack of the next sample; frames that the one before has too are not looked up again. */
static ts_code next_stack(int64_t *node, bool *known, scope_writer *w, ts_spool_cursor *c)
{
    ts_ctx *ctx = w->s->job->ctx;
    int64_t n, frame;
    bool end;
    bool same = true;
    ts_code code = ts_spool_next_int(&n, &end, c);
    *known = n >= 0;
    *node = 0;
    for (int64_t i = 0; i < n && code == TS_OK; i++) {
        int64_t *last = w->last.p;
        int64_t *path = w->path.p;
        TS_TRY_INTO(code, ts_spool_next_int(&frame, &end, c));
        same = same && (uint64_t)i < w->path.n && last[i] == frame;
        if (same) {
            *node = path[i];
            continue;
        }
        w->path.n = (size_t)i < w->path.n ? (size_t)i : w->path.n;
        w->last.n = w->path.n;
        TS_TRY_INTO(code, ts_vec_reserve(ctx, &w->path, 1, sizeof *path));
        TS_TRY_INTO(code, ts_vec_reserve(ctx, &w->last, 1, sizeof *last));
        TS_TRY_INTO(code, scope_node(node, w, *node, frame, i));
        ((int64_t *)w->path.p)[w->path.n++] = *node;
        ((int64_t *)w->last.p)[w->last.n++] = frame;
    }
    return code;
}

static ts_code write_samples(scope_writer *w)
{
    const scope_profile *p = w->profile;
    /* A frame that is not there, far after the list: something was lost or moved, and stacks may
     * be beside weights of others. */
    bool moved = w->s->done && !w->s->doubted && p->frames_named > w->s->frames.n;
    bool equal = p->weights == p->samples && !p->odd;
    bool paired = equal && !moved;
    bool timed = w->type.id == 0;
    ts_spool_cursor samples, weights;
    scope_number at = p->start.known ? p->start : (scope_number){.known = true, .whole = true};
    ts_code code = TS_OK;
    ts_spool_rewind(&samples, w->s->samples);
    samples.off = p->samples_at;
    ts_spool_rewind(&weights, w->s->weights);
    weights.off = p->weights_at;
    for (uint64_t i = 0; i < p->samples && code == TS_OK; i++) {
        scope_number weight = {0};
        int64_t node;
        bool known;
        if ((code = next_stack(&node, &known, w, &samples)) != TS_OK ||
            (paired && (code = scope_next_number(&weight, &weights)) != TS_OK)) {
            return code;
        }
        if (weight.known && weight.d < 0) {
            w->s->bad_numbers++;
            weight.known = false;
        }
        code = scope_put_sample(w, node, timed && paired ? scope_scaled(w, &at) : TS_NO_TIME,
                                scope_scaled(w, &weight));
        add_number(&at, &weight);
    }
    if (code == TS_OK && !equal) {
        code = ts_issue_n(w->s->job->store, w->source_id, TS_ISSUE_prof_value_count, NULL,
                          TS_NO_OFFSET, p->samples,
                          "there are %" PRIu64 " samples and %" PRIu64 " weights", p->samples,
                          p->weights);
    }
    return code;
}

/* --- one profile ---------------------------------------------------------------------------- */

static ts_code begin_profile(scope_writer *w)
{
    scope *s = w->s;
    const scope_profile *p = w->profile;
    ts_text name = {ts_buf_text(&s->texts).p + p->name, p->name_n};
    ts_row_source *source;
    int64_t row = (int64_t)ts_sink_rows(s->sink, TS_T_profile) + 1;
    ts_code code;
    TS_TRY_INTO(code, ts_source_add(&w->source_id, s->job->store, s->job->source_id, "profile",
                                    NULL, "speedscope"));
    source = ts_source(s->job->store, w->source_id);
    source->complete = p->complete;
    if (p->unit.kind == TS_VALUE_DURATION) {
        source->clock = TS_TEXT_LIT("relative");
    } else {
        code = ts_profile_type_add(&w->type, s->job->store, w->source_id, row,
                                   TS_TEXT_LIT("weight"), ts_text_of(p->unit.base), TS_TEXT_NULL);
    }
    TS_STEP(code, ts_source_text(s->job->store, w->source_id, &source->name, name.p, name.n));
    TS_STEP(code, ts_profile_named_thread(&w->itid, s->job->store, w->source_id, name));
    return code != TS_OK ? code
                         : ts_vec_reserve(s->job->ctx, &w->methods, s->frames.n, sizeof(int64_t));
}

static ts_code put_profile(scope_writer *w)
{
    scope *s = w->s;
    char id[TS_PROFILE_ID];
    ts_row_profile row;
    int64_t start = TS_NO_TIME;
    int64_t end = TS_NO_TIME;
    int64_t dur = TS_NO_TIME;
    ts_profile_row(&row, s->job->store, w->source_id, "speedscope");
    if (w->profile->unit.kind == TS_VALUE_DURATION) {
        start = scope_scaled(w, &w->profile->start);
        end = scope_scaled(w, &w->profile->end);
        dur = start == TS_NO_TIME || end == TS_NO_TIME || end < start ? TS_NO_TIME
                                                                      : ts_sat_sub(end, start);
    }
    ts_profile_times(&row, TS_NO_TIME, TS_NO_TIME, dur); /* no time of any clock */
    if (ts_json_state(s->json) == TS_JSON_DONE) {
        ts_profile_id copy = s->id;
        ts_profile_id_end(id, &copy);
        row.profile_id = ts_text_of(id);
    }
    row.profiler = s->exporter_n == 0
                       ? TS_TEXT_NULL
                       : (ts_text){ts_buf_text(&s->texts).p + s->exporter, s->exporter_n};
    return ts_profile_put(s->job->store, &row);
}

static ts_code scope_count(scope_writer *w, ts_item item, uint64_t seen, uint64_t lost)
{
    return ts_count_add(w->s->job->store, w->source_id, item, NULL, seen - lost, lost, 0);
}

static ts_code end_profile(scope_writer *w)
{
    ts_store *store = w->s->job->store;
    const ts_note notes[] = {
        {TS_ISSUE_prof_bad_element, w->profile->kind == SCOPE_UNKNOWN ? 1 : 0,
         "the profile is neither sampled nor evented"},
        {TS_ISSUE_prof_unknown_id, w->bad_frames, "frames that are named are not there"},
        {TS_ISSUE_time_overflow, w->overflows, "numbers do not fit into 64 bits"},
        {TS_ISSUE_prof_bad_time,
         w->profile->start.known && w->profile->end.known && w->profile->end.d < w->profile->start.d
             ? 1
             : 0,
         "the profile ends before it begins"},
    };
    ts_code code = put_profile(w);
    TS_STEP(code, ts_notes_put(store, w->source_id, NULL, TS_NO_OFFSET, notes,
                               sizeof notes / sizeof notes[0]));
    if (code != TS_OK || (code = scope_count(w, TS_ITEM_profile_samples, w->samples, 0)) != TS_OK ||
        (code = scope_count(w, TS_ITEM_profile_values, w->values, w->values_lost)) != TS_OK) {
        return code;
    }
    ts_stack_release(store, w->source_id);
    return scope_count(w, TS_ITEM_profile_events, w->events, w->events_lost);
}

static ts_code write_profile(scope *s, size_t i)
{
    scope_writer w = {.s = s, .profile = (const scope_profile *)s->profiles.p + i, .itid = -1};
    ts_code code = begin_profile(&w);
    if (code == TS_OK) {
        if (s->frames.n > 0) {
            memset(w.methods.p, 0, s->frames.n * sizeof(int64_t));
        }
        code = w.profile->kind == SCOPE_SAMPLED   ? write_samples(&w)
               : w.profile->kind == SCOPE_EVENTED ? scope_write_calls(&w)
                                                  : TS_OK;
    }
    TS_STEP(code, end_profile(&w));
    ts_vec_free(s->job->ctx, &w.methods);
    ts_vec_free(s->job->ctx, &w.open);
    ts_vec_free(s->job->ctx, &w.path);
    ts_vec_free(s->job->ctx, &w.last);
    return code;
}

ts_code scope_write(scope *s)
{
    ts_code code = TS_OK;
    /* Just after the end of the list: where a frame is when others before it were removed. */
    s->doubted = s->done && s->max_frame >= (int64_t)s->frames.n &&
                 s->max_frame - (int64_t)s->frames.n < (int64_t)s->frames.n;
    for (size_t i = 0; i < s->profiles.n && code == TS_OK; i++) {
        code = ts_check_cancel(s->job->ctx);
        TS_STEP(code, write_profile(s, i));
    }
    return code;
}
