/* The reader's events to events of the trace. */
#include "parsers/chrome_trace/chrome_trace.h"

/* TEXTS_MAX: an event may have the same member again and again. */
enum { FACT_MAX = 64, FACT_BYTES = 4096, TEXTS_MAX = 16 * CHROME_TEXT_MAX };

/* --- places ---------------------------------------------------------------------------------- */

/* The value whose level was just opened is not looked at. */
static ts_code skip_value(chrome_trace *c)
{
    c->skip_back = c->at;
    c->skip_from = c->depth - 1;
    c->at = CHROME_IN_SKIPPED;
    return TS_OK;
}

static void begin_event(chrome_trace *c)
{
    c->event = (chrome_event){
        .ts = TS_NO_TIME,
        .dur = TS_NO_TIME,
        .tts = TS_NO_TIME,
        .tdur = TS_NO_TIME,
        .at = ts_json_position(c->json) - 1,
    };
    c->texts.n = 0;
    chrome_raw_reset(c);
    c->n.events++;
    c->at = CHROME_IN_EVENT;
}

static ts_code odd_element(chrome_trace *c)
{
    c->n.events++;
    c->n.events_lost++;
    return ts_issue(c->store, c->source_id, TS_ISSUE_chrome_bad_event, NULL,
                    (int64_t)ts_json_position(c->json), "an element of the list is no object");
}

/* --- keys ------------------------------------------------------------------------------------ */

static bool key_is(const char *p, size_t n, const char *key)
{
    return strlen(key) == n && memcmp(p, key, n) == 0;
}

static chrome_key event_key(const char *p, size_t n)
{
    switch (n) {
    case 1:
        return *p == 's' ? CHROME_SCOPE : CHROME_OTHER;
    case 2:
        return memcmp(p, "ph", 2) == 0   ? CHROME_PH
               : memcmp(p, "ts", 2) == 0 ? CHROME_TS
               : memcmp(p, "id", 2) == 0 ? CHROME_ID
                                         : CHROME_OTHER;
    case 3:
        return memcmp(p, "pid", 3) == 0   ? CHROME_PID
               : memcmp(p, "tid", 3) == 0 ? CHROME_TID
               : memcmp(p, "dur", 3) == 0 ? CHROME_DUR
               : memcmp(p, "cat", 3) == 0 ? CHROME_CAT
               : memcmp(p, "tts", 3) == 0 ? CHROME_TTS
               : memcmp(p, "id2", 3) == 0 ? CHROME_ID2
                                          : CHROME_OTHER;
    case 4:
        return memcmp(p, "name", 4) == 0   ? CHROME_NAME
               : memcmp(p, "args", 4) == 0 ? CHROME_ARGS
               : memcmp(p, "tdur", 4) == 0 ? CHROME_TDUR
                                           : CHROME_OTHER;
    case 5:
        return memcmp(p, "scope", 5) == 0 ? CHROME_SCOPE : CHROME_OTHER;
    default:
        return CHROME_OTHER;
    }
}

static ts_code keep_key(chrome_trace *c, ts_buf *out, const char *p, size_t n)
{
    out->n = 0;
    return ts_buf_put(c->ctx, out, p, n);
}

static ts_code on_key(void *user, const char *p, size_t n)
{
    chrome_trace *c = user;
    ts_code code = TS_OK;
    switch (c->at) {
    case CHROME_IN_EVENT:
        if (c->raw.on) {
            return TS_OK;
        }
        c->key = event_key(p, n);
        if (c->key == CHROME_ARGS || c->key == CHROME_OTHER) {
            code = c->key == CHROME_OTHER ? keep_key(c, &c->fact, p, n) : TS_OK;
            chrome_raw_begin(c, c->key == CHROME_OTHER);
        }
        return code;
    case CHROME_IN_ID2:
        c->key = CHROME_OTHER;
        if (key_is(p, n, "local") || key_is(p, n, "global")) {
            c->key = CHROME_ID;
            c->event.id_kind = *p == 'l' ? "local" : "global";
        }
        return TS_OK;
    case CHROME_AT_TOP:
        return keep_key(c, &c->top_key, p, n);
    case CHROME_IN_FACTS:
        return keep_key(c, &c->fact, p, n);
    default:
        return TS_OK;
    }
}

/* --- levels ---------------------------------------------------------------------------------- */

/* A member of the outermost object that is an object or a list. */
static ts_code begin_member(chrome_trace *c, bool array)
{
    ts_text key = ts_buf_text(&c->top_key);
    if (array && ts_text_is(key, "traceEvents")) {
        c->at = CHROME_IN_LIST;
        c->has_list = true;
        c->list_closed = false;
        return TS_OK;
    }
    if (!array && (ts_text_is(key, "metadata") || ts_text_is(key, "otherData"))) {
        c->at = CHROME_IN_FACTS;
        return TS_OK;
    }
    (void)skip_value(c);
    return ts_issue(c->store, c->source_id, TS_ISSUE_chrome_member_skipped, NULL,
                    (int64_t)ts_json_position(c->json), "%.*s was not read",
                    key.n > 64 ? 64 : (int)key.n, key.p);
}

/* A value of the event that has the wrong type. */
static void bad_value(chrome_trace *c)
{
    c->n.first_bad_number = c->n.bad_numbers == 0 ? (int64_t)c->event.at : c->n.first_bad_number;
    c->n.bad_numbers++;
    c->event.bad_dur = c->event.bad_dur || c->key == CHROME_DUR;
}

static ts_code begin_value(chrome_trace *c, bool array)
{
    c->depth++;
    switch (c->at) {
    case CHROME_AT_START:
        c->list_alone = array;
        c->has_list = array;
        c->at = array ? CHROME_IN_LIST : CHROME_AT_TOP;
        return TS_OK;
    case CHROME_AT_TOP:
        return begin_member(c, array);
    case CHROME_IN_LIST:
        if (!array) {
            begin_event(c);
            return TS_OK;
        }
        (void)skip_value(c);
        return odd_element(c);
    case CHROME_IN_EVENT:
        if (c->raw.on) {
            return skip_value(c);
        }
        if (c->key == CHROME_ID2 && !array) {
            c->at = CHROME_IN_ID2;
            c->key = CHROME_OTHER;
            return TS_OK;
        }
        bad_value(c);
        return skip_value(c);
    default:
        return c->at == CHROME_IN_SKIPPED ? TS_OK : skip_value(c);
    }
}

static ts_code end_raw(chrome_trace *c)
{
    return c->raw.on ? chrome_raw_end(c, ts_buf_text(&c->fact)) : TS_OK;
}

static ts_code end_value(chrome_trace *c)
{
    ts_code code;
    c->depth--;
    switch (c->at) {
    case CHROME_IN_SKIPPED:
        if (c->depth > c->skip_from) {
            return TS_OK;
        }
        c->at = c->skip_back;
        return c->at == CHROME_IN_EVENT ? end_raw(c) : TS_OK;
    case CHROME_IN_ID2:
        c->at = CHROME_IN_EVENT;
        return TS_OK;
    case CHROME_IN_EVENT:
        c->at = CHROME_IN_LIST;
        code = chrome_event_end(c);
        chrome_raw_reset(c);
        return code;
    case CHROME_IN_LIST:
        c->list_closed = true;
        c->done = c->list_alone;
        c->at = c->list_alone ? CHROME_AT_END : CHROME_AT_TOP;
        return TS_OK;
    case CHROME_IN_FACTS:
        c->at = CHROME_AT_TOP;
        return TS_OK;
    default:
        c->done = true;
        c->at = CHROME_AT_END;
        return TS_OK;
    }
}

static ts_code on_object_begin(void *user)
{
    return begin_value(user, false);
}

static ts_code on_array_begin(void *user, int *want)
{
    (void)want;
    return begin_value(user, true);
}

static ts_code on_end(void *user)
{
    return end_value(user);
}

/* --- facts ----------------------------------------------------------------------------------- */

static ts_code put_fact(chrome_trace *c, ts_text value)
{
    const ts_buf *key = c->at == CHROME_AT_TOP ? &c->top_key : &c->fact;
    char name[80];
    size_t n = key->n < sizeof name - 1 ? key->n : sizeof name - 1;
    if (c->facts >= FACT_MAX) {
        return TS_OK;
    }
    while (n < key->n && n > 0 && ((unsigned char)key->p[n] & 0xC0) == 0x80) {
        n--;
    }
    memcpy(name, key->n == 0 ? "" : key->p, n);
    name[n] = '\0';
    c->facts++;
    return ts_source_property(c->store, c->source_id, name, value);
}

static ts_code fact_text(chrome_trace *c, const char *p, size_t n, unsigned flags)
{
    ts_buf *out = &c->fact_value;
    ts_code code;
    if ((flags & TS_JSON_FIRST) != 0) {
        out->n = 0;
    }
    n = n < FACT_BYTES - out->n ? n : FACT_BYTES - out->n;
    code = ts_buf_put(c->ctx, out, p, n);
    if (code != TS_OK || (flags & TS_JSON_LAST) == 0) {
        return code;
    }
    while (out->n == FACT_BYTES && ((unsigned char)out->p[out->n - 1] & 0x80) != 0) {
        out->n--; /* perhaps a part of a character; what is shorter is whole */
        if (((unsigned char)out->p[out->n] & 0xC0) == 0xC0) {
            break;
        }
    }
    return put_fact(c, ts_buf_text(out));
}

/* --- texts ----------------------------------------------------------------------------------- */

static chrome_piece *piece_of(chrome_trace *c)
{
    switch (c->key) {
    case CHROME_PH:
    case CHROME_NAME:
    case CHROME_CAT:
    case CHROME_ID:
    case CHROME_SCOPE:
        return &c->event.text[c->key];
    case CHROME_PID:
        return &c->event.pid_text;
    case CHROME_TID:
        return &c->event.tid_text;
    case CHROME_TS:
    case CHROME_DUR:
    case CHROME_TTS:
    case CHROME_TDUR:
        return &c->event.time_text;
    default:
        return NULL;
    }
}

/* Of a text that was cut inside of a character. */
static void drop_part(chrome_piece *piece, ts_buf *texts)
{
    while (piece->n > 0 && ((unsigned char)texts->p[texts->n - 1] & 0xC0) == 0x80) {
        piece->n--;
        texts->n--;
    }
    if (piece->n > 0 && (unsigned char)texts->p[texts->n - 1] >= 0xC0) {
        piece->n--;
        texts->n--;
    }
}

/* A time or duration: the member that is being read. Hermes writes them as texts. */
static void keep_time(chrome_trace *c, const ts_json_number *number)
{
    chrome_event *e = &c->event;
    int64_t *out = c->key == CHROME_TS    ? &e->ts
                   : c->key == CHROME_DUR ? &e->dur
                   : c->key == CHROME_TTS ? &e->tts
                                          : &e->tdur;
    bool fine = false;
    bool good = number->is_int && number->n < 19 ? !ts_ckd_mul(out, number->i, INT64_C(1000))
                                                 : chrome_ns(out, &fine, number->p, number->n);
    c->event.fine = c->event.fine || fine;
    if (!good || *out == TS_NO_TIME) {
        *out = TS_NO_TIME;
        bad_value(c);
    }
}

static ts_code event_text(chrome_trace *c, const char *p, size_t n, unsigned flags)
{
    chrome_piece *piece = piece_of(c);
    size_t room;
    ts_code code;
    if (piece == NULL) {
        if ((flags & TS_JSON_LAST) != 0) {
            bad_value(c);
        }
        return TS_OK;
    }
    if ((flags & TS_JSON_FIRST) != 0) {
        *piece = (chrome_piece){.at = (uint32_t)c->texts.n, .set = true};
        c->text_cut = false;
    }
    room = c->texts.n < TEXTS_MAX ? CHROME_TEXT_MAX - piece->n : 0;
    c->text_cut = c->text_cut || n > room;
    n = n < room ? n : room;
    code = ts_buf_put(c->ctx, &c->texts, p, n);
    piece->n += (uint32_t)n;
    if (code == TS_OK && (flags & TS_JSON_LAST) != 0 && piece == &c->event.time_text) {
        const ts_text text = chrome_text(c, piece);
        keep_time(c, &(ts_json_number){.p = text.p, .n = text.n});
    } else if (code == TS_OK && (flags & TS_JSON_LAST) != 0 && c->text_cut) {
        drop_part(piece, &c->texts);
        c->n.first_cut = c->n.texts_cut == 0 ? (int64_t)c->event.at : c->n.first_cut;
        c->n.texts_cut++;
    }
    return code;
}

static ts_code on_string(void *user, const char *p, size_t n, unsigned flags)
{
    chrome_trace *c = user;
    switch (c->at) {
    case CHROME_IN_EVENT:
        if (c->raw.on) {
            return (flags & TS_JSON_LAST) != 0 ? end_raw(c) : TS_OK;
        }
        return event_text(c, p, n, flags);
    case CHROME_IN_ID2:
        return c->key == CHROME_ID ? event_text(c, p, n, flags) : TS_OK;
    case CHROME_AT_TOP:
    case CHROME_IN_FACTS:
        return fact_text(c, p, n, flags);
    case CHROME_IN_LIST:
        return (flags & TS_JSON_LAST) != 0 ? odd_element(c) : TS_OK;
    case CHROME_AT_START:
        c->done = (flags & TS_JSON_LAST) != 0;
        return TS_OK;
    default:
        return TS_OK;
    }
}

/* --- numbers --------------------------------------------------------------------------------- */

static ts_code event_number(chrome_trace *c, const ts_json_number *number)
{
    chrome_event *e = &c->event;
    switch (c->key) {
    case CHROME_TS:
    case CHROME_DUR:
    case CHROME_TTS:
    case CHROME_TDUR:
        keep_time(c, number);
        break;
    case CHROME_PID:
    case CHROME_TID:
        if (!number->is_int) {
            bad_value(c);
        } else if (c->key == CHROME_PID) {
            e->pid = number->i;
            e->has_pid = true;
        } else {
            e->tid = number->i;
            e->has_tid = true;
        }
        break;
    case CHROME_ID:
    case CHROME_NAME:
        return event_text(c, number->p, number->n, TS_JSON_FIRST | TS_JSON_LAST);
    default:
        bad_value(c);
        break;
    }
    return TS_OK;
}

static ts_code on_number(void *user, const ts_json_number *number)
{
    chrome_trace *c = user;
    switch (c->at) {
    case CHROME_IN_EVENT:
        return c->raw.on ? end_raw(c) : event_number(c, number);
    case CHROME_IN_ID2:
        return c->key == CHROME_ID ? event_number(c, number) : TS_OK;
    case CHROME_AT_TOP:
    case CHROME_IN_FACTS:
        return put_fact(c, (ts_text){number->p, number->n});
    case CHROME_IN_LIST:
        return odd_element(c);
    case CHROME_AT_START:
        c->done = true;
        return TS_OK;
    default:
        return TS_OK;
    }
}

static ts_code on_literal(void *user, ts_json_kind kind)
{
    chrome_trace *c = user;
    switch (c->at) {
    case CHROME_IN_EVENT:
        if (c->raw.on) {
            return end_raw(c);
        }
        if (kind != TS_JSON_NULL) {
            bad_value(c);
        }
        return TS_OK;
    case CHROME_AT_TOP:
    case CHROME_IN_FACTS:
        return put_fact(c, kind == TS_JSON_NULL   ? TS_TEXT_NULL
                           : kind == TS_JSON_TRUE ? TS_TEXT_LIT("true")
                                                  : TS_TEXT_LIT("false"));
    case CHROME_IN_LIST:
        return odd_element(c);
    case CHROME_AT_START:
        c->done = true;
        return TS_OK;
    default:
        return TS_OK;
    }
}

static const ts_json_handler handler = {
    .object_begin = on_object_begin,
    .object_end = on_end,
    .array_begin = on_array_begin,
    .array_end = on_end,
    .key = on_key,
    .string = on_string,
    .number = on_number,
    .literal = on_literal,
};

const ts_json_handler *chrome_handler(void)
{
    return &handler;
}
