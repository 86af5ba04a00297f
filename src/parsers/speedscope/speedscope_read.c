/* The text of a speedscope file: frames and profiles into memory, samples and events into spools.
 */
#include "parsers/speedscope/speedscope.h"

/* --- numbers in spools ---------------------------------------------------------------------- */

static ts_code scope_put_number(ts_spool *s, const scope_number *n)
{
    int64_t bits;
    ts_code code = ts_spool_put_int(s, !n->known ? 2 : n->whole ? 0 : 1);
    if (code != TS_OK || !n->known) {
        return code;
    }
    memcpy(&bits, &n->d, sizeof bits);
    return ts_spool_put_int(s, n->whole ? n->i : bits);
}

ts_code scope_next_number(scope_number *n, ts_spool_cursor *c)
{
    int64_t kind, bits;
    bool end;
    ts_code code = ts_spool_next_int(&kind, &end, c);
    *n = (scope_number){.known = kind != 2, .whole = kind == 0};
    if (code != TS_OK || !n->known) {
        return code;
    }
    code = ts_spool_next_int(&bits, &end, c);
    n->i = bits;
    memcpy(&n->d, &bits, sizeof bits);
    n->d = n->whole ? (double)bits : n->d;
    return code;
}

/* --- members ------------------------------------------------------------------------------- */

/* What comes by calls. */
enum {
    FRAME_NAME = 1,
    FRAME_FILE,
    FRAME_LINE,
    PROFILE_TYPE,
    PROFILE_NAME,
    PROFILE_UNIT,
    PROFILE_START,
    PROFILE_END,
    WEIGHT,
    EVENT_TYPE,
    EVENT_FRAME,
    EVENT_AT,
    EXPORTER
};

static const ts_json_field fields[] = {
    {0, TS_JSON_OBJECT, .to = SCOPE_TOP},
    {SCOPE_TOP, TS_JSON_OBJECT, .key = "shared", .to = SCOPE_SHARED},
    {SCOPE_TOP, TS_JSON_LIST, .key = "profiles", .to = SCOPE_PROFILES},
    {SCOPE_TOP, TS_JSON_TEXT, .key = "exporter", .flag = EXPORTER},
    {SCOPE_SHARED, TS_JSON_LIST, .key = "frames", .to = SCOPE_FRAMES},
    {SCOPE_FRAMES, TS_JSON_OBJECT, .to = SCOPE_FRAME},
    {SCOPE_FRAME, TS_JSON_TEXT, .key = "name", .flag = FRAME_NAME},
    {SCOPE_FRAME, TS_JSON_TEXT, .key = "file", .flag = FRAME_FILE},
    {SCOPE_FRAME, TS_JSON_NUMBER, .key = "line", .flag = FRAME_LINE},
    {SCOPE_PROFILES, TS_JSON_OBJECT, .to = SCOPE_PROFILE},
    {SCOPE_PROFILE, TS_JSON_TEXT, .key = "type", .flag = PROFILE_TYPE},
    {SCOPE_PROFILE, TS_JSON_TEXT, .key = "name", .flag = PROFILE_NAME},
    {SCOPE_PROFILE, TS_JSON_TEXT, .key = "unit", .flag = PROFILE_UNIT},
    {SCOPE_PROFILE, TS_JSON_NUMBER, .key = "startValue", .flag = PROFILE_START},
    {SCOPE_PROFILE, TS_JSON_NUMBER, .key = "endValue", .flag = PROFILE_END},
    {SCOPE_PROFILE, TS_JSON_LIST, .key = "samples", .to = SCOPE_SAMPLES},
    {SCOPE_PROFILE, TS_JSON_LIST, .key = "weights", .to = SCOPE_WEIGHTS},
    {SCOPE_PROFILE, TS_JSON_LIST, .key = "events", .to = SCOPE_EVENTS},
    /* Members of other objects: a profile that has them as objects or lists is no good one. */
    {SCOPE_PROFILE, .key = "shared"},
    {SCOPE_PROFILE, .key = "profiles"},
    {SCOPE_PROFILE, .key = "frames"},
    {SCOPE_PROFILE, .key = "file"},
    {SCOPE_PROFILE, .key = "line"},
    {SCOPE_PROFILE, .key = "col"},
    {SCOPE_PROFILE, .key = "frame"},
    {SCOPE_PROFILE, .key = "at"},
    {SCOPE_PROFILE, .key = "exporter"},
    {SCOPE_SAMPLES, TS_JSON_LIST, .to = SCOPE_SAMPLE, .ints = true},
    {SCOPE_SAMPLE, .kinds = 0},
    {SCOPE_WEIGHTS, TS_JSON_NUMBER, .flag = WEIGHT},
    {SCOPE_EVENTS, TS_JSON_OBJECT, .to = SCOPE_EVENT},
    {SCOPE_EVENT, TS_JSON_TEXT, .key = "type", .flag = EVENT_TYPE},
    {SCOPE_EVENT, TS_JSON_NUMBER, .key = "frame", .flag = EVENT_FRAME},
    {SCOPE_EVENT, TS_JSON_NUMBER, .key = "at", .flag = EVENT_AT},
};

/* --- levels --------------------------------------------------------------------------------- */

static scope_frame *last_frame(const scope *s)
{
    return (scope_frame *)s->frames.p + s->frames.n - 1;
}

static scope_profile *last_profile(const scope *s)
{
    return (scope_profile *)s->profiles.p + s->profiles.n - 1;
}

/* Whose elements are known by their place. */
static bool in_list(const scope *s)
{
    return s->in.at == SCOPE_FRAMES || s->in.at == SCOPE_SAMPLES || s->in.at == SCOPE_SAMPLE ||
           s->in.at == SCOPE_WEIGHTS || s->in.at == SCOPE_EVENTS;
}

/* Inside of lists each element counts, also one of the wrong type. */
static ts_code odd_element(scope *s)
{
    scope_number unknown = {0};
    int64_t *frame;
    s->bad_elements++;
    if (s->in.at != SCOPE_FRAMES && in_list(s)) {
        last_profile(s)->odd = true;
    }
    switch (s->in.at) {
    case SCOPE_FRAMES: /* frames are known by their place */
        return ts_vec_add(s->job->ctx, &s->frames, sizeof(scope_frame)) == NULL
                   ? s->job->ctx->error.code
                   : TS_OK;
    case SCOPE_SAMPLES: {
        ts_code code = ts_spool_put_int(s->samples, -1);
        last_profile(s)->samples++;
        return code;
    }
    case SCOPE_SAMPLE:
        TS_NEED(s->job->ctx, frame = ts_vec_add(s->job->ctx, &s->sample, sizeof *frame));
        *frame = -1;
        return TS_OK;
    case SCOPE_WEIGHTS:
        last_profile(s)->weights++;
        return scope_put_number(s->weights, &unknown);
    case SCOPE_EVENTS:
        s->event_type = -1;
        s->event_frame = -1;
        last_profile(s)->events++;
        return ts_spool_put_int(s->events, -1) != TS_OK ||
                       ts_spool_put_int(s->events, -1) != TS_OK ||
                       scope_put_number(s->events, &unknown) != TS_OK
                   ? s->job->ctx->error.code
                   : TS_OK;
    default:
        return TS_OK;
    }
}

static ts_code on_odd(void *user, unsigned kind)
{
    scope *s = user;
    const bool level = kind == TS_JSON_OBJECT || kind == TS_JSON_LIST;
    if (level && s->in.at == SCOPE_PROFILE && s->in.field != NULL) {
        s->bad_elements++;
    }
    return in_list(s) ? odd_element(s) : TS_OK;
}

static ts_code begin_profile(scope *s)
{
    scope_profile *p = ts_vec_add(s->job->ctx, &s->profiles, sizeof *p);
    TS_NEED(s->job->ctx, p);
    p->unit = ts_value_unit_of(TS_TEXT_NULL);
    return TS_OK;
}

/* A list of a profile; one that comes twice is passed over. */
static bool begin_list(uint64_t *at, uint64_t elements, const ts_spool *spool)
{
    *at = elements == 0 ? ts_spool_size(spool) : *at;
    return elements == 0;
}

static ts_code on_begin(void *user, bool *take, unsigned place)
{
    scope *s = user;
    scope_profile *p;
    switch (place) {
    case SCOPE_FRAMES:
        *take = !s->has_frames;
        s->has_frames = true;
        return TS_OK;
    case SCOPE_FRAME:
        return ts_vec_add(s->job->ctx, &s->frames, sizeof(scope_frame)) == NULL
                   ? s->job->ctx->error.code
                   : TS_OK;
    case SCOPE_PROFILES:
        s->has_profiles = true;
        return TS_OK;
    case SCOPE_PROFILE:
        return begin_profile(s);
    case SCOPE_SAMPLES:
        p = last_profile(s);
        *take = begin_list(&p->samples_at, p->samples, s->samples);
        return TS_OK;
    case SCOPE_WEIGHTS:
        p = last_profile(s);
        *take = begin_list(&p->weights_at, p->weights, s->weights);
        return TS_OK;
    case SCOPE_EVENTS:
        p = last_profile(s);
        *take = begin_list(&p->events_at, p->events, s->events);
        return TS_OK;
    case SCOPE_SAMPLE:
        s->sample.n = 0;
        return TS_OK;
    case SCOPE_EVENT:
        s->event_type = -1;
        s->event_frame = -1;
        s->event_at = (scope_number){0};
        return TS_OK;
    default:
        return TS_OK;
    }
}

static ts_code end_event(scope *s)
{
    last_profile(s)->events++;
    if (s->event_type < 0 || s->event_frame < 0 || !s->event_at.known) {
        s->bad_elements++;
        s->event_type = -1;
    }
    TS_TRY(ts_spool_put_int(s->events, s->event_type));
    TS_TRY(ts_spool_put_int(s->events, s->event_frame));
    return scope_put_number(s->events, &s->event_at);
}

static ts_code end_sample(scope *s)
{
    const int64_t *frames = s->sample.p;
    ts_code code = ts_spool_put_int(s->samples, (int64_t)s->sample.n);
    for (size_t i = 0; i < s->sample.n && code == TS_OK; i++) {
        code = ts_spool_put_int(s->samples, frames[i]);
    }
    last_profile(s)->samples++;
    return code;
}

static ts_code on_end(void *user, unsigned place)
{
    scope *s = user;
    switch (place) {
    case SCOPE_EVENT:
        return end_event(s);
    case SCOPE_SAMPLE:
        return end_sample(s);
    case SCOPE_FRAME:
        s->bad_elements += last_frame(s)->known ? 0 : 1;
        return TS_OK;
    case SCOPE_PROFILE:
        last_profile(s)->complete = true;
        return TS_OK;
    default:
        s->done = s->done || place == SCOPE_TOP;
        return TS_OK;
    }
}

/* --- values --------------------------------------------------------------------------------- */

static ts_code on_ints(void *user, const int64_t *v, size_t n)
{
    scope *s = user;
    ts_code code = ts_vec_reserve(s->job->ctx, &s->sample, n, sizeof *v);
    if (code == TS_OK) {
        scope_profile *p = last_profile(s);
        memcpy((int64_t *)s->sample.p + s->sample.n, v, n * sizeof *v);
        s->sample.n += n;
        for (size_t i = 0; i < n; i++) {
            uint64_t named = v[i] < 0 ? UINT64_MAX : (uint64_t)v[i] + 1;
            s->max_frame = v[i] > s->max_frame ? v[i] : s->max_frame;
            p->frames_named = named > p->frames_named ? named : p->frames_named;
        }
    }
    return code;
}

static ts_code on_number(void *user, const ts_json_number *number)
{
    scope *s = user;
    const scope_number n = {true, number->is_int, number->i, number->d};
    switch (s->in.field->flag) {
    case WEIGHT:
        last_profile(s)->weights++;
        return scope_put_number(s->weights, &n);
    case FRAME_LINE:
        last_frame(s)->line = n.whole && n.i > 0 ? n.i : 0;
        s->bad_numbers += n.whole && n.i >= 0 ? 0 : 1;
        break;
    case PROFILE_START:
        last_profile(s)->start = n;
        break;
    case PROFILE_END:
        last_profile(s)->end = n;
        break;
    case EVENT_FRAME:
        s->event_frame = n.whole && n.i >= 0 ? n.i : -1;
        s->max_frame = s->event_frame > s->max_frame ? s->event_frame : s->max_frame;
        break;
    default:
        s->event_at = n;
        break;
    }
    return TS_OK;
}

static ts_code keep_text(size_t *at, size_t *n, scope *s)
{
    *at = s->texts.n;
    *n = s->text.n;
    return ts_buf_put(s->job->ctx, &s->texts, s->text.p, s->text.n);
}

static ts_code keep_string(scope *s)
{
    const ts_text t = ts_buf_text(&s->text);
    switch (s->in.field == NULL ? 0 : s->in.field->flag) {
    case FRAME_NAME:
        last_frame(s)->known = true;
        return keep_text(&last_frame(s)->name, &last_frame(s)->name_n, s);
    case FRAME_FILE:
        return keep_text(&last_frame(s)->file, &last_frame(s)->file_n, s);
    case EXPORTER:
        return keep_text(&s->exporter, &s->exporter_n, s);
    case EVENT_TYPE:
        s->event_type = ts_text_is(t, "O") ? 1 : ts_text_is(t, "C") ? 0 : -1;
        return TS_OK;
    case PROFILE_TYPE:
        last_profile(s)->kind = ts_text_is(t, "sampled")   ? SCOPE_SAMPLED
                                : ts_text_is(t, "evented") ? SCOPE_EVENTED
                                                           : SCOPE_UNKNOWN;
        return TS_OK;
    case PROFILE_NAME:
        return keep_text(&last_profile(s)->name, &last_profile(s)->name_n, s);
    case PROFILE_UNIT:
        last_profile(s)->has_unit = !ts_text_is(t, "none");
        last_profile(s)->unit = ts_value_unit_of(t);
        return TS_OK;
    default:
        return on_odd(s, TS_JSON_TEXT);
    }
}

/* The limit may have cut a character: what is left of it goes as well. */
static void scope_drop_part(ts_buf *text)
{
    while (text->n > 0 && ((unsigned char)text->p[text->n - 1] & 0xC0) == 0x80) {
        text->n--;
    }
    text->n -= text->n > 0 && (unsigned char)text->p[text->n - 1] >= 0xC0 ? 1 : 0;
}

/* Texts that are not wanted count, too, when they are cut. */
static ts_code on_text(void *user, const char *p, size_t n, unsigned flags)
{
    scope *s = user;
    size_t left;
    ts_code code;
    if ((flags & TS_JSON_FIRST) != 0) {
        s->text.n = 0;
        s->text_cut = false;
    }
    left = SCOPE_MAX_TEXT - s->text.n;
    s->text_cut = s->text_cut || n > left;
    code = ts_buf_put(s->job->ctx, &s->text, p, n < left ? n : left);
    if (code != TS_OK || (flags & TS_JSON_LAST) == 0) {
        return code;
    }
    if (s->text_cut) {
        s->texts_cut++;
        scope_drop_part(&s->text);
    }
    return keep_string(s);
}

const ts_json_table scope_table = {
    .fields = fields,
    .count = sizeof fields / sizeof fields[0],
    .all_texts = true,
    .begin = on_begin,
    .end = on_end,
    .number = on_number,
    .text = on_text,
    .ints = on_ints,
    .odd = on_odd,
};
