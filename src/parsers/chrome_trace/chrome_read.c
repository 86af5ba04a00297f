/* The reader's events to events of the trace. */
#include "parsers/chrome_trace/chrome_trace.h"

/* TEXTS_MAX: an event may have the same member again and again. */
enum { FACT_MAX = 64, FACT_BYTES = 4096, TEXTS_MAX = 16 * CHROME_TEXT_MAX };

/* A member of an event: a text, or (also) a number. */
#define MEMBER(place, name, also, piece, key_of_it)                                                \
    {                                                                                              \
        place, TS_JSON_TEXT | TS_JSON_LITERAL | (also),                                            \
            .key = (name), .offset = offsetof(chrome_event, piece), .flag = (key_of_it)            \
    }
#define FACT(place, name, also, to_place)                                                          \
    {                                                                                              \
        place, TS_JSON_TEXT | TS_JSON_NUMBER | TS_JSON_LITERAL | (also), .key = (name),            \
                                                                         .to = (to_place)          \
    }
static const ts_json_field fields[] = {
    {0, TS_JSON_OBJECT, .to = CHROME_TOP},
    {0, TS_JSON_LIST, .to = CHROME_LIST},
    {CHROME_LIST, TS_JSON_OBJECT, .to = CHROME_EVENT},
    MEMBER(CHROME_EVENT, "ph", 0, text[CHROME_PH], CHROME_PH),
    MEMBER(CHROME_EVENT, "name", TS_JSON_NUMBER, text[CHROME_NAME], CHROME_NAME),
    MEMBER(CHROME_EVENT, "cat", 0, text[CHROME_CAT], CHROME_CAT),
    MEMBER(CHROME_EVENT, "pid", TS_JSON_NUMBER, pid_text, CHROME_PID),
    MEMBER(CHROME_EVENT, "tid", TS_JSON_NUMBER, tid_text, CHROME_TID),
    MEMBER(CHROME_EVENT, "ts", TS_JSON_NUMBER, time_text, CHROME_TS),
    MEMBER(CHROME_EVENT, "dur", TS_JSON_NUMBER, time_text, CHROME_DUR),
    MEMBER(CHROME_EVENT, "tts", TS_JSON_NUMBER, time_text, CHROME_TTS),
    MEMBER(CHROME_EVENT, "tdur", TS_JSON_NUMBER, time_text, CHROME_TDUR),
    MEMBER(CHROME_EVENT, "id", TS_JSON_NUMBER, text[CHROME_ID], CHROME_ID),
    MEMBER(CHROME_EVENT, "scope", 0, text[CHROME_SCOPE], CHROME_SCOPE),
    MEMBER(CHROME_EVENT, "s", 0, text[CHROME_SCOPE], CHROME_SCOPE),
    {CHROME_EVENT, TS_JSON_OBJECT | TS_JSON_LITERAL, .key = "id2", .to = CHROME_ID2},
    {CHROME_EVENT, TS_JSON_ANY, .key = "args", .flag = CHROME_ARGS},
    {CHROME_EVENT, TS_JSON_ANY, .key = "*"},
    {CHROME_ID2, TS_JSON_TEXT | TS_JSON_NUMBER, .key = "local",
     .offset = offsetof(chrome_event, text[CHROME_ID]), .flag = CHROME_ID},
    {CHROME_ID2, TS_JSON_TEXT | TS_JSON_NUMBER, .key = "global",
     .offset = offsetof(chrome_event, text[CHROME_ID]), .flag = CHROME_ID},
    FACT(CHROME_TOP, "traceEvents", TS_JSON_LIST, CHROME_LIST),
    FACT(CHROME_TOP, "metadata", TS_JSON_OBJECT, CHROME_FACTS),
    FACT(CHROME_TOP, "otherData", TS_JSON_OBJECT, CHROME_FACTS),
    FACT(CHROME_TOP, "*", 0, 0),
    FACT(CHROME_FACTS, "*", 0, 0),
};
#undef MEMBER
#undef FACT

/* The key of the value that comes. */
static ts_text key_of(const chrome_trace *c)
{
    return *c->in.field->key != '*' ? ts_text_of(c->in.field->key)
           : c->in.key.n == 0       ? TS_TEXT_LIT("")
                                    : ts_buf_text(&c->in.key);
}

/* --- levels ---------------------------------------------------------------------------------- */

static ts_code on_key(void *user)
{
    chrome_trace *c = user;
    const ts_json_field *field = c->in.field;
    if ((field->kinds & TS_JSON_ANY) != 0) {
        chrome_raw_begin(c, field->flag != CHROME_ARGS);
    } else if (c->in.at == CHROME_ID2) {
        c->event.id_kind = field->key;
    }
    return TS_OK;
}

static ts_code on_passed(void *user)
{
    chrome_trace *c = user;
    return chrome_raw_end(c, ts_buf_text(&c->in.key));
}

static ts_code on_begin(void *user, bool *take, unsigned place)
{
    chrome_trace *c = user;
    (void)take;
    if (place == CHROME_LIST) {
        c->list_alone = c->in.at == 0;
        c->has_list = true;
        c->list_closed = false;
    } else if (place == CHROME_EVENT) {
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
    }
    return TS_OK;
}

static ts_code on_end(void *user, unsigned place)
{
    chrome_trace *c = user;
    ts_code code = TS_OK;
    if (place == CHROME_EVENT) {
        code = chrome_event_end(c);
        chrome_raw_reset(c);
    }
    c->list_closed = c->list_closed || place == CHROME_LIST;
    c->done = c->done || c->in.at == 0;
    return code;
}

/* A value of the event that has the wrong type. */
static void bad_value(chrome_trace *c)
{
    c->n.first_bad_number = c->n.bad_numbers == 0 ? (int64_t)c->event.at : c->n.first_bad_number;
    c->n.bad_numbers++;
    c->event.bad_dur = c->event.bad_dur || c->in.field->flag == CHROME_DUR;
}

static ts_code on_odd(void *user, unsigned kind)
{
    chrome_trace *c = user;
    const bool level = kind == TS_JSON_OBJECT || kind == TS_JSON_LIST;
    switch (c->in.at) {
    case 0:
        c->done = !level;
        return TS_OK;
    case CHROME_TOP:
        return ts_issue(c->store, c->source_id, TS_ISSUE_chrome_member_skipped, NULL,
                        (int64_t)ts_json_position(c->json), "%.*s was not read",
                        key_of(c).n > 64 ? 64 : (int)key_of(c).n, key_of(c).p);
    case CHROME_LIST:
        c->n.events++;
        c->n.events_lost++;
        return ts_issue(c->store, c->source_id, TS_ISSUE_chrome_bad_event, NULL,
                        (int64_t)ts_json_position(c->json),
                        "an element of the list is not an object");
    case CHROME_EVENT:
        bad_value(c);
        return TS_OK;
    default:
        return TS_OK;
    }
}

/* --- facts ----------------------------------------------------------------------------------- */

static ts_code put_fact(chrome_trace *c, ts_text value)
{
    const ts_text key = key_of(c);
    char name[80];
    size_t n = key.n < sizeof name - 1 ? key.n : sizeof name - 1;
    if (c->facts >= FACT_MAX) {
        return TS_OK;
    }
    while (n < key.n && n > 0 && ((unsigned char)key.p[n] & 0xC0) == 0x80) {
        n--;
    }
    memcpy(name, key.p, n);
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

/* --- values ------------------------------------------------------------------------------------*/

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
    const uint32_t key = c->in.field->flag;
    int64_t *out = key == CHROME_TS    ? &e->ts
                   : key == CHROME_DUR ? &e->dur
                   : key == CHROME_TTS ? &e->tts
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
    chrome_piece *piece = (chrome_piece *)((char *)&c->event + c->in.field->offset);
    size_t room;
    ts_code code;
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

static ts_code on_text(void *user, const char *p, size_t n, unsigned flags)
{
    chrome_trace *c = user;
    return c->in.at <= CHROME_ID2 ? event_text(c, p, n, flags) : fact_text(c, p, n, flags);
}

static ts_code on_number(void *user, const ts_json_number *number)
{
    chrome_trace *c = user;
    chrome_event *e = &c->event;
    const uint32_t key = c->in.field->flag;
    if (c->in.at > CHROME_ID2) {
        return put_fact(c, (ts_text){number->p, number->n});
    }
    if (key == CHROME_ID || key == CHROME_NAME) {
        return event_text(c, number->p, number->n, TS_JSON_FIRST | TS_JSON_LAST);
    }
    if (key != CHROME_PID && key != CHROME_TID) {
        keep_time(c, number);
    } else if (!number->is_int) {
        bad_value(c);
    } else {
        *(key == CHROME_PID ? &e->pid : &e->tid) = number->i;
        *(key == CHROME_PID ? &e->has_pid : &e->has_tid) = true;
    }
    return TS_OK;
}

static ts_code on_literal(void *user, ts_json_kind kind)
{
    chrome_trace *c = user;
    if (c->in.at > CHROME_ID2) {
        return put_fact(c, kind == TS_JSON_NULL   ? TS_TEXT_NULL
                           : kind == TS_JSON_TRUE ? TS_TEXT_LIT("true")
                                                  : TS_TEXT_LIT("false"));
    }
    if (kind != TS_JSON_NULL) {
        bad_value(c);
    }
    return TS_OK;
}

const ts_json_table chrome_table = {
    .fields = fields,
    .count = sizeof fields / sizeof fields[0],
    .begin = on_begin,
    .end = on_end,
    .number = on_number,
    .text = on_text,
    .literal = on_literal,
    .key = on_key,
    .passed = on_passed,
    .odd = on_odd,
};
