#include "parsers/tptp/binary_trace.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

/* --- facts and system messages --------------------------------------------------------------- */

static ts_code number_fact(tptp_session *s, const char *key, uint64_t v)
{
    char text[24];
    snprintf(text, sizeof text, "%" PRIu64, v);
    return tptp_fact(s, key, ts_text_of(text));
}

ts_code tptp_binary_facts(tptp_binary *b)
{
    tptp_session *s;
    char version[16];
    ts_code code;
    TS_TRY_INTO(code, tptp_import_session(&s, &b->import));
    ts_row_source *source = ts_source(s->store, s->source_id);
    snprintf(version, sizeof version, "%u.%u", b->header[4], b->header[5]);
    TS_TRY_INTO(code, ts_source_text(s->store, s->source_id, &source->format_version, version,
                                     strlen(version)));
    TS_TRY_INTO(code, tptp_fact(s, "platform",
                                b->header[6] == 0   ? TS_TEXT_LIT("32 bit")
                                : b->header[6] == 1 ? TS_TEXT_LIT("64 bit")
                                                    : TS_TEXT_LIT("unknown")));
    TS_TRY_INTO(code,
                tptp_fact(s, "endian", b->layout.big ? TS_TEXT_LIT("big") : TS_TEXT_LIT("little")));
    TS_TRY_INTO(
        code, tptp_fact(s, "size_mode",
                        b->layout.exclusive ? TS_TEXT_LIT("exclusive") : TS_TEXT_LIT("inclusive")));
    TS_TRY_INTO(
        code, tptp_fact(s, "sys_length", b->layout.bare ? TS_TEXT_LIT("no") : TS_TEXT_LIT("yes")));
    TS_TRY_INTO(code, tptp_fact(s, "arrays",
                                b->layout.counted ? TS_TEXT_LIT("counted") : TS_TEXT_LIT("plain")));
    if (b->encoding_name.n > 0 &&
        (code = tptp_fact(s, "encoding", ts_buf_text(&b->encoding_name))) != TS_OK) {
        return code;
    }
    return b->ticks.frequency == 0 ? TS_OK : number_fact(s, "frequency", b->ticks.frequency);
}

ts_code tptp_binary_encoding(tptp_binary *b, ts_text name, uint64_t offset)
{
    tptp_session *s;
    char plain[64];
    TS_TRY(tptp_import_session(&s, &b->import));
    b->encoding_name.n = 0;
    TS_TRY(ts_utf8_printable(b->ctx, &b->encoding_name, name.p, name.n, 60));
    TS_TRY(tptp_fact(s, "encoding", ts_buf_text(&b->encoding_name)));
    snprintf(plain, sizeof plain, "%.*s", (int)b->encoding_name.n, b->encoding_name.p);
    switch (tptp_encoding_open(&b->encoding, name)) {
    case TPTP_ENC_WIDE:
        if (!b->events) {
            return ts_fail(b->ctx, TS_ERR_FORMAT,
                           "%s: the encoding %s has zero bytes, which end texts in this format",
                           b->import.job->name, plain);
        }
        return ts_issue(s->store, s->source_id, TS_ISSUE_tptp_encoding, NULL, (int64_t)offset,
                        "the encoding %s has zero bytes", plain);
    case TPTP_ENC_UNKNOWN:
        return ts_issue(s->store, s->source_id, TS_ISSUE_tptp_encoding, NULL, (int64_t)offset,
                        "the encoding %s is not known", plain);
    default:
        return TS_OK;
    }
}

ts_code tptp_binary_frequency(tptp_binary *b, uint64_t raw, uint64_t offset)
{
    tptp_session *s;
    tptp_rate rate = tptp_ticks_rate(&b->ticks, raw);
    ts_code code = tptp_import_session(&s, &b->import);
    if (code != TS_OK || (code = number_fact(s, "frequency", b->ticks.frequency)) != TS_OK ||
        rate == TPTP_RATE_PLAIN) {
        return code;
    }
    return tptp_import_issue(&b->import, TS_ISSUE_tptp_frequency, offset,
                             rate == TPTP_RATE_MHZ      ? "the frequency is in MHz"
                             : rate == TPTP_RATE_DOUBLE ? "the frequency is a floating-point number"
                                                        : "the frequency is 0");
}

/* --- times ----------------------------------------------------------------------------------- */

static void convert_span(tptp_binary *b, unsigned slot)
{
    tptp_record *r = &b->record;
    if (!tptp_ticks_span(&r->num[slot], &b->ticks, r->num[slot])) {
        r->num[slot] = 0;
        r->bad |= UINT64_C(1) << slot;
    }
}

static ts_code convert_times(tptp_binary *b, uint64_t offset)
{
    tptp_record *r = &b->record;
    uint64_t time = (uint64_t)r->num[TPTP_N_TIME];
    ts_code code = TS_OK;
    if (time != 0 && b->ticks.frequency == 0 && b->ticks.scale == 0) {
        tptp_ticks_guess(&b->ticks, time);
        code = tptp_import_issue(&b->import, TS_ISSUE_tptp_no_frequency, offset,
                                 b->ticks.scale == 1      ? "times were taken as ns"
                                 : b->ticks.scale == 1000 ? "times were taken as us"
                                                          : "times were taken as ms");
    }
    if (time != 0 && !tptp_ticks_ns(&r->num[TPTP_N_TIME], &b->ticks, time)) {
        r->num[TPTP_N_TIME] = 0;
        r->bad |= TPTP_BIT(TIME);
    }
    r->cpu_raw = r->num[TPTP_N_CPU];
    if (r->cpu_raw != 0) {
        convert_span(b, TPTP_N_CPU);
    } else { /* there is no other way to say that it was not recorded */
        r->has &= ~TPTP_BIT(CPU);
    }
    if (r->kind == TPTP_AG_METHOD_ENTRY || r->kind == TPTP_HEAP_DUMP_DEF) {
        convert_span(b, TPTP_N_BASE_TIME);
        convert_span(b, TPTP_N_MIN_TIME);
        convert_span(b, TPTP_N_MAX_TIME);
        convert_span(b, TPTP_N_BASE_CPU);
    }
    return code;
}

/* --- texts ----------------------------------------------------------------------------------- */

/* There is room for the longest form of all texts of the record. */
static ts_code convert_text(tptp_binary *b, uint64_t *replaced, ts_text *text)
{
    size_t at = b->texts.n;
    size_t used;
    if (text->n == 0 || (!b->encoding.other && ts_utf8_valid(text->p, text->n))) {
        return TS_OK;
    }
    ts_code code =
        tptp_encoding_put(b->ctx, &b->encoding, &b->texts, replaced, &used, *text, false);
    *text = (ts_text){b->texts.p + at, b->texts.n - at};
    return code;
}

static ts_code convert_texts(tptp_binary *b, uint64_t offset)
{
    tptp_record *r = &b->record;
    uint64_t replaced = 0;
    size_t most;
    b->texts.n = 0;
    /* At most 4 bytes of UTF-8 for one of any other encoding. */
    if (ts_ckd_mul(&most, r->text_bytes, (size_t)4)) {
        return ts_fail(b->ctx, TS_ERR_LIMIT, "texts of %zu bytes", r->text_bytes);
    }
    ts_code code = ts_buf_reserve(b->ctx, &b->texts, most + 4096);
    for (uint64_t has = r->has_text; has != 0 && code == TS_OK; has &= has - 1) {
        code = convert_text(b, &replaced, &r->text[__builtin_ctzll(has)]);
    }
    for (uint32_t i = 0; i < r->frame_count && code == TS_OK; i++) {
        code = convert_text(b, &replaced, &b->frames[i].method);
    }
    return code != TS_OK || replaced == 0
               ? code
               : tptp_import_issue(&b->import, TS_ISSUE_tptp_bad_text, offset,
                                   "a text is not valid in its encoding");
}

/* The sequence counter of an exit may be a text. */
static void number_of_text(tptp_record *r)
{
    ts_text t = r->text[TPTP_S_SEQUENCE_TEXT];
    int64_t v = 0;
    if (t.n == 0) {
        return;
    }
    for (size_t i = 0; i < t.n; i++) {
        if (t.p[i] < '0' || t.p[i] > '9' || ts_ckd_mul(&v, v, 10) ||
            ts_ckd_add(&v, v, t.p[i] - '0')) {
            r->bad |= TPTP_BIT(SEQUENCE);
            return;
        }
    }
    r->num[TPTP_N_SEQUENCE] = v;
    r->has |= TPTP_BIT(SEQUENCE);
}

/* --- events without a description ------------------------------------------------------------ */

enum { SHOWN_BYTES = 256, THREAD_HEAD = 24, LATER_S = 3600 };

/* Two ids of a thread and a time, in which most events begin. */
static void guess_thread(tptp_binary *b, const tptp_session *s, const uint8_t *p, size_t n)
{
    tptp_record *r = &b->record;
    int64_t latest = ts_sat_add(s->last_ts, LATER_S * INT64_C(1000000000));
    int64_t ts;
    if (n < THREAD_HEAD || s->first_ts == TS_NO_TIME) {
        return;
    }
    int64_t id = tptp_either((int64_t)tptp_fixed(p + 8, 8, b->layout.big),
                             (int64_t)tptp_fixed(p, 8, b->layout.big));
    if (tptp_thread_is_known(s, id) &&
        tptp_ticks_ns(&ts, &b->ticks, tptp_fixed(p + 16, 8, b->layout.big)) && ts >= s->first_ts &&
        ts <= latest) {
        r->num[TPTP_N_THREAD] = id;
        r->num[TPTP_N_TIME] = ts;
        r->has = TPTP_BIT(THREAD) | TPTP_BIT(TIME);
    }
}

ts_code tptp_binary_undescribed(tptp_binary *b, const tptp_message *m, const uint8_t *p, size_t n)
{
    static const char digits[] = "0123456789abcdef";
    char name[24];
    char size[24];
    char hex[2 * SHOWN_BYTES];
    tptp_attribute attributes[2];
    tptp_record *r = &b->record;
    tptp_session *s;
    bool begun;
    ts_code code;
    TS_TRY_INTO(code, tptp_import_session(&s, &b->import));
    memset(r, 0, sizeof *r);
    guess_thread(b, s, p, n);
    n = n < SHOWN_BYTES ? n : SHOWN_BYTES;
    for (size_t i = 0; i < n; i++) {
        hex[2 * i] = digits[p[i] >> 4];
        hex[2 * i + 1] = digits[p[i] & 15];
    }
    snprintf(name, sizeof name, "message %u", m->id);
    snprintf(size, sizeof size, "%" PRIu64, m->size - m->head);
    attributes[0] = (tptp_attribute){TS_TEXT_LIT("size"), ts_text_of(size)};
    attributes[1] = (tptp_attribute){TS_TEXT_LIT("bytes"), (ts_text){hex, 2 * n}};
    r->kind = TPTP_OTHER;
    r->name = ts_text_of(name);
    r->offset = b->offset + b->at;
    r->attributes = attributes;
    r->attribute_count = 2;
    code = tptp_import_take(&begun, &b->import, r);
    r->attributes = NULL;
    r->attribute_count = 0;
    return code;
}

ts_code tptp_binary_event(tptp_binary *b, uint64_t offset)
{
    bool begun = false;
    ts_code code = convert_times(b, offset);
    b->record.offset = offset;
    b->events = true;
    if (code == TS_OK && b->record.text_bytes > 0) {
        code = convert_texts(b, offset);
        number_of_text(&b->record);
    }
    TS_STEP(code, tptp_import_take(&begun, &b->import, &b->record));
    return code != TS_OK || !begun ? code : tptp_binary_facts(b);
}
