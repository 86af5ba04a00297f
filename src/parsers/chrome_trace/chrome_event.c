/* A complete event: its row, and who else gets it. */
#include "parsers/chrome_trace/chrome_trace.h"

#include <inttypes.h>

/* --- time ------------------------------------------------------------------------------------ */

/* The first time says where --time-range counts from: files are nearly in order of time. */
static ts_code begin_time(chrome_trace *c, int64_t ts)
{
    c->timed = true;
    if (ts_wanted_span(&c->wanted, c->ctx, TS_CLOCK_MONOTONIC, NULL, ts)) {
        return TS_OK;
    }
    c->wanted = TS_SPAN_ALL;
    return ts_issue(c->store, c->source_id, TS_ISSUE_time_range_unrelated, NULL, TS_NO_OFFSET,
                    "the times count from an unknown moment");
}

static void note_time(chrome_trace *c, int64_t ts)
{
    if (ts != TS_NO_TIME) {
        c->first_ts = c->first_ts == TS_NO_TIME || ts < c->first_ts ? ts : c->first_ts;
        c->last_ts = c->last_ts == TS_NO_TIME || ts > c->last_ts ? ts : c->last_ts;
    }
}

/* Durations are not negative. */
static void check_dur(chrome_trace *c, int64_t *dur)
{
    if (*dur < 0 && *dur != TS_NO_TIME) {
        *dur = TS_NO_TIME;
        c->event.bad_dur = c->event.bad_dur || dur == &c->event.dur;
        c->n.first_negative = c->n.negative == 0 ? (int64_t)c->event.at : c->n.first_negative;
        c->n.negative++;
    }
}

/* --- the row --------------------------------------------------------------------------------- */

static ts_code put_row(chrome_trace *c, uint32_t thread, bool profile)
{
    const chrome_event *e = &c->event;
    const chrome_thread *t = chrome_thread_at(c, thread);
    ts_row_chrome_event row = {
        .id = (int64_t)ts_sink_rows(c->sink, TS_T_chrome_event) + 1,
        .source_id = c->source_id,
        .phase = chrome_text(c, &e->text[CHROME_PH]),
        .name = chrome_text(c, &e->text[CHROME_NAME]),
        .category = chrome_text(c, &e->text[CHROME_CAT]),
        .ipid = t->ipid,
        .itid = t->itid,
        .ts = e->ts,
        .dur = e->dur,
        .thread_ts = e->tts,
        .thread_dur = e->tdur,
        .event_id = chrome_text(c, &e->text[CHROME_ID]),
        .id_kind = e->text[CHROME_ID].set ? ts_text_of(e->id_kind) : TS_TEXT_NULL,
        .scope = chrome_text(c, &e->text[CHROME_SCOPE]),
    };
    if (c->raw.extras.n > 0) {
        TS_TRY(ts_buf_putc(c->ctx, &c->raw.extras, '}'));
        row.extra = ts_buf_text(&c->raw.extras);
    }
    TS_NULL_IF(t->ipid < 0, chrome_event, &row, ipid);
    TS_NULL_IF(t->itid < 0, chrome_event, &row, itid);
    TS_NULL_IF(e->ts == TS_NO_TIME, chrome_event, &row, ts);
    TS_NULL_IF(e->dur == TS_NO_TIME, chrome_event, &row, dur);
    TS_NULL_IF(e->tts == TS_NO_TIME, chrome_event, &row, thread_ts);
    TS_NULL_IF(e->tdur == TS_NO_TIME, chrome_event, &row, thread_dur);
    if (!c->raw.complete || profile) {
        return ts_put_chrome_event(c->sink, &row);
    }
    if (c->raw.spool == NULL) {
        row.args = c->raw.text;
        return ts_put_chrome_event(c->sink, &row);
    }
    if (ts_spool_size(c->raw.spool) > c->ctx->limits.max_string) {
        c->n.first_cut = c->n.texts_cut == 0 ? (int64_t)e->at : c->n.first_cut;
        c->n.texts_cut++;
        return ts_put_chrome_event(c->sink, &row);
    }
    return ts_sink_put_long(c->sink, c->ctx, TS_T_chrome_event, &row, &row.args, c->raw.spool);
}

/* --- spans of one event ---------------------------------------------------------------------- */

ts_code chrome_name_of(uint32_t *name, chrome_trace *c)
{
    ts_text text = chrome_text(c, &c->event.text[CHROME_NAME]);
    *name = CHROME_NO_NAME;
    return text.p == NULL ? TS_OK : ts_pool_intern(c->ctx, name, NULL, &c->names, text);
}

static ts_code add_span(chrome_trace *c, uint32_t thread, int64_t event_id)
{
    const chrome_event *e = &c->event;
    chrome_slice s = {
        .group_ts = ts_sorter_key(e->ts),
        .ts = ts_sorter_key(e->ts),
        .length = e->bad_dur             ? UINT64_MAX
                  : e->dur == TS_NO_TIME ? 0
                                         : UINT64_MAX - (uint64_t)e->dur,
        .event_id = (uint64_t)event_id,
        .cpu = e->tdur,
        .thread = thread,
        .end = chrome_slice_end(0, (e->fine ? CHROME_SLICE_FINE : 0U) |
                                       (e->bad_dur             ? CHROME_SLICE_LOST
                                        : e->dur == TS_NO_TIME ? CHROME_SLICE_OPEN
                                                               : 0U)),
    };
    ts_code code = chrome_name_of(&s.name, c);
    TS_STEP(code, chrome_slice_add(c, &s));
    return code;
}

/* --- who gets it ----------------------------------------------------------------------------- */

static bool name_is(const chrome_trace *c, const char *name)
{
    return ts_text_is(chrome_text(c, &c->event.text[CHROME_NAME]), name);
}

static bool is_profile(const chrome_trace *c, char phase, chrome_profile_part *part)
{
    uint32_t n = c->event.text[CHROME_NAME].n;
    *part = n == 7 ? CHROME_PROFILE_BEGIN : n == 12 ? CHROME_PROFILE_CHUNK : CHROME_PROFILE_WHOLE;
    return phase == 'P'
               ? (n == 7 && name_is(c, "Profile")) || (n == 12 && name_is(c, "ProfileChunk"))
               : (phase == 'I' || phase == 'i') && n == 10 && name_is(c, "CpuProfile");
}

static bool has_no_time(chrome_trace *c)
{
    if (c->event.ts != TS_NO_TIME) {
        return false;
    }
    c->n.first_no_time = c->n.no_time == 0 ? (int64_t)c->event.at : c->n.first_no_time;
    c->n.no_time++;
    return true;
}

static ts_code give_pair(chrome_trace *c, char phase, uint32_t thread, int64_t event_id)
{
    bool end = phase == 'E' || phase == 'e' || phase == 'F';
    bool lost = has_no_time(c);
    *(end ? &c->n.ends : &c->n.slices) += 1;
    *(end ? &c->n.ends_lost : &c->n.slices_lost) += lost ? 1 : 0;
    return lost ? TS_OK : chrome_pair_add(c, phase, thread, event_id);
}

static ts_code give(chrome_trace *c, char phase, uint32_t thread, int64_t event_id)
{
    switch (phase) {
    case 'X':
        c->n.slices++;
        if (has_no_time(c)) {
            c->n.slices_lost++;
            return TS_OK;
        }
        return add_span(c, thread, event_id);
    case 'B':
    case 'E':
    case 'b':
    case 'e':
    case 'S':
    case 'F':
        return give_pair(c, phase, thread, event_id);
    case 'M':
        return chrome_metadata(c, thread);
    case 'C':
        return chrome_counter(c, thread);
    default:
        if (phase == '\0' || strchr("nTpIiRstfPNODvVc()", phase) == NULL) {
            c->n.first_unknown =
                c->n.unknown_phases == 0 ? (int64_t)c->event.at : c->n.first_unknown;
            c->n.unknown_phases++;
        }
        return TS_OK;
    }
}

/* Of events outside of --time-range metadata and profiles count nevertheless, and ends of spans
 * that began in it. */
static ts_code give_unwanted(chrome_trace *c, char phase, uint32_t thread)
{
    if (phase == 'M') {
        return chrome_metadata(c, thread);
    }
    if (phase == 'C') {
        return TS_OK;
    }
    return strchr("BEbeSF", phase) != NULL && phase != '\0' ? give_pair(c, phase, thread, 0)
                                                            : TS_OK;
}

ts_code chrome_event_end(chrome_trace *c)
{
    chrome_event *e = &c->event;
    ts_text ph = chrome_text(c, &e->text[CHROME_PH]);
    char phase = ph.n == 1 ? *ph.p : '\0';
    chrome_profile_part part;
    bool profile = is_profile(c, phase, &part);
    int64_t id = 0;
    uint32_t thread;
    bool wanted;
    ts_code code = chrome_thread_of(&thread, c);
    check_dur(c, &e->dur);
    check_dur(c, &e->tdur);
    TS_STEP_IF(code, !c->timed && e->ts != TS_NO_TIME && phase != 'M', begin_time(c, e->ts));
    if (code != TS_OK) {
        return code;
    }
    wanted = e->ts == TS_NO_TIME || phase == 'M' || ts_span_has(&c->wanted, e->ts);
    if (wanted) {
        TS_TRY_INTO(code, put_row(c, thread, profile));
        id = (int64_t)ts_sink_rows(c->sink, TS_T_chrome_event);
        if (phase != 'M') {
            note_time(c, e->ts);
            note_time(c, e->dur == TS_NO_TIME ? TS_NO_TIME : ts_time_add(e->ts, e->dur));
        }
        code = profile ? TS_OK : give(c, phase, thread, id);
    } else {
        c->n.events_skipped++;
        code = give_unwanted(c, phase, thread);
    }
    TS_STEP_IF(code, profile, chrome_profile_add(c, part, thread, id));
    return code;
}
