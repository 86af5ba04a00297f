/* The text of a speedscope file: frames and profiles into memory, samples and events into spools.
 */
#include "parsers/speedscope/speedscope.h"

/* --- numbers in spools ---------------------------------------------------------------------- */

ts_code scope_put_number(ts_spool *s, const scope_number *n)
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

/* --- keys and levels ------------------------------------------------------------------------ */

static scope_key key_of(const char *p, size_t n)
{
    static const struct {
        const char *name;
        scope_key key;
    } keys[] = {{"shared", SCOPE_K_SHARED},    {"profiles", SCOPE_K_PROFILES},
                {"frames", SCOPE_K_FRAMES},    {"name", SCOPE_K_NAME},
                {"file", SCOPE_K_FILE},        {"line", SCOPE_K_LINE},
                {"col", SCOPE_K_COL},          {"type", SCOPE_K_TYPE},
                {"unit", SCOPE_K_UNIT},        {"startValue", SCOPE_K_START},
                {"endValue", SCOPE_K_END},     {"samples", SCOPE_K_SAMPLES},
                {"weights", SCOPE_K_WEIGHTS},  {"events", SCOPE_K_EVENTS},
                {"frame", SCOPE_K_FRAME},      {"at", SCOPE_K_AT},
                {"exporter", SCOPE_K_EXPORTER}};
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strlen(keys[i].name) == n && memcmp(keys[i].name, p, n) == 0) {
            return keys[i].key;
        }
    }
    return SCOPE_K_OTHER;
}

static scope_frame *last_frame(const scope *s)
{
    return (scope_frame *)s->frames.p + s->frames.n - 1;
}

static scope_profile *last_profile(const scope *s)
{
    return (scope_profile *)s->profiles.p + s->profiles.n - 1;
}

static ts_code on_key(void *user, const char *p, size_t n)
{
    scope *s = user;
    if (s->skip == 0) {
        s->key = key_of(p, n);
    }
    return TS_OK;
}

/* Whose elements are known by their place. */
static bool in_list(const scope *s)
{
    return s->at == SCOPE_FRAMES || s->at == SCOPE_SAMPLES || s->at == SCOPE_SAMPLE ||
           s->at == SCOPE_WEIGHTS || s->at == SCOPE_EVENTS;
}

/* Inside of lists each element counts, also one of the wrong type. */
static ts_code odd_element(scope *s)
{
    scope_number unknown = {0};
    int64_t *frame;
    s->bad_elements++;
    if (s->at != SCOPE_FRAMES && in_list(s)) {
        last_profile(s)->odd = true;
    }
    switch (s->at) {
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
        frame = ts_vec_add(s->job->ctx, &s->sample, sizeof *frame);
        if (frame == NULL) {
            return s->job->ctx->error.code;
        }
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

static bool is_known_value(const scope *s)
{
    return s->key != SCOPE_K_OTHER;
}

static ts_code begin_profile(scope *s)
{
    scope_profile *p = ts_vec_add(s->job->ctx, &s->profiles, sizeof *p);
    if (p == NULL) {
        return s->job->ctx->error.code;
    }
    p->unit = ts_value_unit_of(TS_TEXT_NULL);
    s->at = SCOPE_PROFILE;
    return TS_OK;
}

static ts_code on_object_begin(void *user)
{
    scope *s = user;
    if (s->skip > 0) {
        s->skip++;
        return TS_OK;
    }
    if (s->at == SCOPE_OUTSIDE) {
        s->at = SCOPE_TOP;
    } else if (s->at == SCOPE_TOP && s->key == SCOPE_K_SHARED) {
        s->at = SCOPE_SHARED;
    } else if (s->at == SCOPE_FRAMES) {
        scope_frame *f = ts_vec_add(s->job->ctx, &s->frames, sizeof *f);
        if (f == NULL) {
            return s->job->ctx->error.code;
        }
        s->at = SCOPE_FRAME;
    } else if (s->at == SCOPE_PROFILES) {
        s->key = SCOPE_K_OTHER;
        return begin_profile(s);
    } else if (s->at == SCOPE_EVENTS) {
        s->event_type = -1;
        s->event_frame = -1;
        s->event_at = (scope_number){0};
        s->at = SCOPE_EVENT;
    } else {
        s->skip = 1;
        s->bad_elements += is_known_value(s) && s->at == SCOPE_PROFILE ? 1 : 0;
        return s->at == SCOPE_SAMPLES || s->at == SCOPE_SAMPLE || s->at == SCOPE_WEIGHTS
                   ? odd_element(s)
                   : TS_OK;
    }
    s->key = SCOPE_K_OTHER;
    return TS_OK;
}

static ts_code end_event(scope *s)
{
    ts_code code;
    s->at = SCOPE_EVENTS;
    last_profile(s)->events++;
    if (s->event_type < 0 || s->event_frame < 0 || !s->event_at.known) {
        s->bad_elements++;
        s->event_type = -1;
    }
    if ((code = ts_spool_put_int(s->events, s->event_type)) != TS_OK ||
        (code = ts_spool_put_int(s->events, s->event_frame)) != TS_OK) {
        return code;
    }
    return scope_put_number(s->events, &s->event_at);
}

static ts_code on_object_end(void *user)
{
    scope *s = user;
    if (s->skip > 0) {
        s->skip--;
        return TS_OK;
    }
    switch (s->at) {
    case SCOPE_EVENT:
        return end_event(s);
    case SCOPE_FRAME:
        s->bad_elements += last_frame(s)->known ? 0 : 1;
        s->at = SCOPE_FRAMES;
        break;
    case SCOPE_PROFILE:
        last_profile(s)->complete = true;
        s->at = SCOPE_PROFILES;
        break;
    case SCOPE_SHARED:
        s->at = SCOPE_TOP;
        break;
    default:
        s->done = s->at == SCOPE_TOP;
        s->at = SCOPE_OUTSIDE;
    }
    s->key = SCOPE_K_OTHER;
    return TS_OK;
}

/* The lists of a profile; one that comes twice is passed over. */
static bool begin_list(scope *s)
{
    scope_profile *p = last_profile(s);
    if (s->key == SCOPE_K_SAMPLES && p->samples == 0) {
        p->samples_at = ts_spool_size(s->samples);
        s->at = SCOPE_SAMPLES;
    } else if (s->key == SCOPE_K_WEIGHTS && p->weights == 0) {
        p->weights_at = ts_spool_size(s->weights);
        s->at = SCOPE_WEIGHTS;
    } else if (s->key == SCOPE_K_EVENTS && p->events == 0) {
        p->events_at = ts_spool_size(s->events);
        s->at = SCOPE_EVENTS;
    } else {
        s->bad_elements += is_known_value(s) ? 1 : 0;
        return false;
    }
    return true;
}

static ts_code on_array_begin(void *user, int *want)
{
    scope *s = user;
    if (s->skip > 0) {
        s->skip++;
        return TS_OK;
    }
    if (s->at == SCOPE_SHARED && s->key == SCOPE_K_FRAMES && !s->has_frames) {
        s->has_frames = true;
        s->at = SCOPE_FRAMES;
    } else if (s->at == SCOPE_TOP && s->key == SCOPE_K_PROFILES) {
        s->has_profiles = true;
        s->at = SCOPE_PROFILES;
    } else if (s->at == SCOPE_SAMPLES) {
        s->sample.n = 0;
        s->at = SCOPE_SAMPLE;
        *want = TS_JSON_WANT_INTS;
    } else if (s->at != SCOPE_PROFILE || !begin_list(s)) {
        s->skip = 1;
        return s->at == SCOPE_SAMPLE || s->at == SCOPE_WEIGHTS || s->at == SCOPE_EVENTS ||
                       s->at == SCOPE_FRAMES
                   ? odd_element(s)
                   : TS_OK;
    }
    s->key = SCOPE_K_OTHER;
    return TS_OK;
}

static ts_code end_sample(scope *s)
{
    const int64_t *frames = s->sample.p;
    ts_code code = ts_spool_put_int(s->samples, (int64_t)s->sample.n);
    for (size_t i = 0; i < s->sample.n && code == TS_OK; i++) {
        code = ts_spool_put_int(s->samples, frames[i]);
    }
    last_profile(s)->samples++;
    s->at = SCOPE_SAMPLES;
    return code;
}

static ts_code on_array_end(void *user)
{
    scope *s = user;
    if (s->skip > 0) {
        s->skip--;
        return TS_OK;
    }
    if (s->at == SCOPE_SAMPLE) {
        return end_sample(s);
    }
    s->at = s->at == SCOPE_FRAMES     ? SCOPE_SHARED
            : s->at == SCOPE_PROFILES ? SCOPE_TOP
                                      : SCOPE_PROFILE;
    s->key = SCOPE_K_OTHER;
    return TS_OK;
}

/* --- values --------------------------------------------------------------------------------- */

static ts_code on_ints(void *user, const int64_t *v, size_t n)
{
    scope *s = user;
    ts_code code;
    if (s->skip > 0 || s->at != SCOPE_SAMPLE) {
        return TS_OK;
    }
    code = ts_vec_reserve(s->job->ctx, &s->sample, n, sizeof *v);
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
    scope_number n = {true, number->is_int, number->i, number->d};
    if (s->skip > 0) {
        return TS_OK;
    }
    switch (s->at) {
    case SCOPE_WEIGHTS:
        last_profile(s)->weights++;
        return scope_put_number(s->weights, &n);
    case SCOPE_SAMPLE:
    case SCOPE_SAMPLES:
    case SCOPE_EVENTS:
    case SCOPE_FRAMES:
        return odd_element(s);
    case SCOPE_FRAME:
        if (s->key == SCOPE_K_LINE) {
            last_frame(s)->line = n.whole && n.i > 0 ? n.i : 0;
            s->bad_numbers += n.whole && n.i >= 0 ? 0 : 1;
        }
        break;
    case SCOPE_PROFILE:
        if (s->key == SCOPE_K_START) {
            last_profile(s)->start = n;
        } else if (s->key == SCOPE_K_END) {
            last_profile(s)->end = n;
        }
        break;
    case SCOPE_EVENT:
        if (s->key == SCOPE_K_FRAME) {
            s->event_frame = n.whole && n.i >= 0 ? n.i : -1;
            s->max_frame = s->event_frame > s->max_frame ? s->event_frame : s->max_frame;
        } else if (s->key == SCOPE_K_AT) {
            s->event_at = n;
        }
        break;
    default:
        break;
    }
    return TS_OK;
}

static ts_code on_literal(void *user, ts_json_kind kind)
{
    scope *s = user;
    (void)kind;
    return s->skip > 0 || !in_list(s) ? TS_OK : odd_element(s);
}

static ts_code keep_text(size_t *at, size_t *n, scope *s)
{
    *at = s->texts.n;
    *n = s->text.n;
    return ts_buf_put(s->job->ctx, &s->texts, s->text.p, s->text.n);
}

static void keep_kind(scope *s)
{
    ts_text t = ts_buf_text(&s->text);
    if (s->at == SCOPE_EVENT) {
        s->event_type = ts_text_is(t, "O") ? 1 : ts_text_is(t, "C") ? 0 : -1;
    } else {
        last_profile(s)->kind = ts_text_is(t, "sampled")   ? SCOPE_SAMPLED
                                : ts_text_is(t, "evented") ? SCOPE_EVENTED
                                                           : SCOPE_UNKNOWN;
    }
}

static ts_code keep_string(scope *s)
{
    scope_frame *f;
    scope_profile *p;
    if (s->at == SCOPE_FRAME) {
        f = last_frame(s);
        f->known = f->known || s->key == SCOPE_K_NAME;
        return s->key == SCOPE_K_NAME   ? keep_text(&f->name, &f->name_n, s)
               : s->key == SCOPE_K_FILE ? keep_text(&f->file, &f->file_n, s)
                                        : TS_OK;
    }
    if (s->at == SCOPE_TOP && s->key == SCOPE_K_EXPORTER) {
        return keep_text(&s->exporter, &s->exporter_n, s);
    }
    if (s->at == SCOPE_EVENT || (s->at == SCOPE_PROFILE && s->key == SCOPE_K_TYPE)) {
        if (s->key == SCOPE_K_TYPE) {
            keep_kind(s);
        }
        return TS_OK;
    }
    if (s->at != SCOPE_PROFILE) {
        return in_list(s) ? odd_element(s) : TS_OK;
    }
    p = last_profile(s);
    if (s->key == SCOPE_K_UNIT) {
        p->has_unit = !ts_text_is(ts_buf_text(&s->text), "none");
        p->unit = ts_value_unit_of(ts_buf_text(&s->text));
    }
    return s->key == SCOPE_K_NAME ? keep_text(&p->name, &p->name_n, s) : TS_OK;
}

/* The limit may have cut a character: what is left of it goes as well. */
static void scope_drop_part(ts_buf *text)
{
    while (text->n > 0 && ((unsigned char)text->p[text->n - 1] & 0xC0) == 0x80) {
        text->n--;
    }
    text->n -= text->n > 0 && (unsigned char)text->p[text->n - 1] >= 0xC0 ? 1 : 0;
}

static ts_code on_string(void *user, const char *p, size_t n, unsigned flags)
{
    scope *s = user;
    size_t left;
    ts_code code;
    if (s->skip > 0) {
        return TS_OK;
    }
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

static const ts_json_handler handler = {
    .object_begin = on_object_begin,
    .object_end = on_object_end,
    .array_begin = on_array_begin,
    .array_end = on_array_end,
    .key = on_key,
    .string = on_string,
    .number = on_number,
    .literal = on_literal,
    .ints = on_ints,
};

const ts_json_handler *scope_handler(void)
{
    return &handler;
}
