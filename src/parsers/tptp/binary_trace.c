/*
 * The binary form: streams of messages, each with its size in front.
 *
 * States: a header (TPTP_AT_HEADER), bytes to skip (the gap that a header announces, or a message
 * that is not wanted), TPTP_PROBING for the layout in up to 1 MiB, TPTP_RUNNING from message to
 * message, TPTP_SEARCHING after damage, TPTP_STOPPED when the search found nothing. A step that
 * lacks bytes sets `want`; nothing is decided from fewer, so rows do not depend on the size of
 * blocks.
 *
 * A size is believed when the attributes end with the message. One that disagrees is judged by
 * other messages of its kind (`exact`) and by three exact messages among its bytes. A message
 * longer than WINDOW is looked at before it is waited for. Searches look at no more than 64 MiB and
 * 64 bytes for each byte of the input, so damage cannot make the time quadratic.
 */
#include "parsers/tptp/binary_trace.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

enum {
    PROBE_BYTES = 1 << 20,
    SEARCH_BYTES = 1 << 20,
    NEXT_MESSAGES = 3, /* so many of them show where reading can go on */
    SEARCH_HELD = 1 + SEARCH_BYTES + NEXT_MESSAGES * TPTP_TRY,
    WINDOW = SEARCH_HELD, /* a longer message is looked at before it is believed */
    FAR_OFFSET = 4096,
    WORK_PER_BYTE = 64,
    FREE_WORK = 64 << 20
};

static const char magic[] = "0TBF";

static const uint8_t *here(const tptp_binary *b)
{
    return (const uint8_t *)b->held.p + b->at;
}

static size_t left(const tptp_binary *b)
{
    return b->held.n - b->at;
}

static uint64_t place(const tptp_binary *b)
{
    return b->offset + b->at;
}

static ts_code message_lost(tptp_binary *b)
{
    tptp_session *s;
    ts_code code = tptp_import_session(&s, &b->import);
    if (code == TS_OK) {
        tptp_count_lost(s, TPTP_C_MESSAGES);
        tptp_session_gap(s);
    }
    return code;
}

/* --- headers --------------------------------------------------------------------------------- */

/* The byte order, and where the messages begin. */
static uint64_t read_offset(tptp_binary *b, bool *wrong_order)
{
    const uint8_t *h = b->header;
    b->layout.big = h[7] == 0;
    uint64_t offset = tptp_fixed(h + 8, 4, b->layout.big);
    uint64_t other = tptp_fixed(h + 8, 4, !b->layout.big);
    *wrong_order = h[7] > 1;
    if (offset > FAR_OFFSET && other >= TPTP_STREAM_HEADER && other <= FAR_OFFSET) {
        b->layout.big = !b->layout.big;
        *wrong_order = true;
        return other;
    }
    return offset;
}

static ts_code read_stream_header(tptp_binary *b)
{
    uint64_t at = place(b);
    bool wrong_order;
    ts_code code = tptp_import_end_session(&b->import);
    if (memcmp(here(b), magic, 4) != 0) { /* --format insists on it */
        return ts_fail(b->ctx, TS_ERR_FORMAT, "%s is not a TPTP trace: it has no header",
                       b->import.job->name);
    }
    memcpy(b->header, here(b), sizeof b->header);
    b->at += sizeof b->header;
    b->ticks = (tptp_ticks){0};
    b->exact = 0;
    tptp_encoding_close(&b->encoding);
    b->encoding_name.n = 0;
    b->streams = true;
    uint64_t offset = read_offset(b, &wrong_order);
    TS_STEP_IF(code, wrong_order,
               tptp_import_issue(&b->import, TS_ISSUE_tptp_endian, at + 7,
                                 "the byte order is given as %u", b->header[7]));
    TS_STEP_IF(code, b->header[4] > 1,
               tptp_import_issue(&b->import, TS_ISSUE_tptp_major_version, at + 4,
                                 "the major version is %u", b->header[4]));
    if (code == TS_OK && offset < TPTP_STREAM_HEADER) {
        code = tptp_import_issue(&b->import, TS_ISSUE_tptp_data_offset, at + 8,
                                 "the offset to data is %" PRIu64, offset);
        offset += TPTP_STREAM_HEADER;
    }
    b->skip = offset - TPTP_STREAM_HEADER;
    b->skip_header = b->skip > 0;
    b->skip_counted = &b->import.bytes_skipped;
    b->skip_done = 0;
    b->state = TPTP_SKIPPING;
    b->after = TPTP_PROBING;
    return code;
}

static ts_code probe(tptp_binary *b, bool ended)
{
    size_t n = left(b) < PROBE_BYTES ? left(b) : PROBE_BYTES;
    int64_t points = tptp_probe(&b->layout, &b->forced, here(b), n, ended && n == left(b));
    if (points < 0 && b->header[4] > 1) {
        return ts_fail(b->ctx, TS_ERR_FORMAT,
                       "%s: version %u.%u is not known, and the messages "
                       "have no layout that is",
                       b->import.job->name, b->header[4], b->header[5]);
    }
    b->state = TPTP_RUNNING;
    return tptp_binary_facts(b);
}

/* --- damage ---------------------------------------------------------------------------------- */

/* A header of another stream: what a message can hardly be. */
static bool is_header(const uint8_t *p, size_t n)
{
    if (n < TPTP_STREAM_HEADER || memcmp(p, magic, 4) != 0 || p[7] > 1) {
        return false;
    }
    uint64_t offset = tptp_fixed(p + 8, 4, p[7] == 0);
    return offset >= TPTP_STREAM_HEADER && offset <= FAR_OFFSET;
}

/* The first place in from..to that begins three exact messages or a header; 0: none. What
 * searches cost together is linear in the input. */
static size_t find_messages(tptp_binary *b, const uint8_t *p, size_t n, size_t from, size_t to)
{
    uint64_t limit = FREE_WORK + WORK_PER_BYTE * b->import.bytes;
    for (size_t i = from; i < to && i < n && b->work < limit; i++) {
        if (n - i < TPTP_HEAD) {
            break;
        }
        uint32_t id = (uint32_t)tptp_fixed(p + i, 2, b->layout.big);
        if (id != TPTP_ENCODING && id != TPTP_FREQUENCY && tptp_event_of(id) == NULL) {
            if (p[i] == (uint8_t)magic[0] && is_header(p + i, n - i)) {
                return i;
            }
            continue;
        }
        if (tptp_are_exact(NEXT_MESSAGES, &b->work, &b->layout, p + i, n - i)) {
            return i;
        }
    }
    return 0;
}

static ts_code search(tptp_binary *b)
{
    size_t found = find_messages(b, here(b), left(b), 1, 1 + SEARCH_BYTES);
    ts_code code = TS_OK;
    if (found == 0) {
        b->state = TPTP_STOPPED;
        b->tail_at = place(b);
        return TS_OK;
    }
    TS_TRY_INTO(code, message_lost(b));
    code = tptp_import_issue(&b->import, TS_ISSUE_tptp_message_size, place(b),
                             "a message is damaged; %zu bytes were left out", found);
    b->import.bytes_lost += found;
    b->at += found;
    b->state = TPTP_RUNNING;
    return code;
}

/* Nothing can be read any more. */
static void take_tail(tptp_binary *b)
{
    b->tail += left(b);
    b->at = b->held.n;
}

static ts_code end_tail(tptp_binary *b)
{
    if (b->tail == 0) {
        return TS_OK;
    }
    b->import.bytes_lost += b->tail;
    TS_TRY(message_lost(b));
    return tptp_import_issue(&b->import, TS_ISSUE_tptp_lost_tail, b->tail_at,
                             "%" PRIu64 " bytes at the end cannot be read", b->tail);
}

/* --- messages -------------------------------------------------------------------------------- */

/* n: bytes after the head that are there. */
static ts_code other_message(tptp_binary *b, const tptp_message *m, size_t n)
{
    char name[16];
    if (tptp_is_undescribed(m->id)) {
        return tptp_binary_undescribed(b, m, here(b) + m->head, n);
    }
    snprintf(name, sizeof name, "%u", m->id);
    return tptp_import_unknown(&b->import, TS_ITEM_tptp_unknown, TS_ISSUE_tptp_unknown_message,
                               ts_text_of(name), place(b), true);
}

static ts_code system_message(tptp_binary *b, const tptp_message *m, const uint8_t *p, size_t n)
{
    const uint8_t *zero = memchr(p, 0, n);
    tptp_session *s;
    TS_TRY(tptp_import_session(&s, &b->import));
    if (m->id == TPTP_ENCODING && zero != NULL) {
        tptp_count_imported(s, TPTP_C_MESSAGES);
        return tptp_binary_encoding(b, (ts_text){(const char *)p, (size_t)(zero - p)}, place(b));
    }
    if (m->id == TPTP_FREQUENCY && n >= 8) {
        tptp_count_imported(s, TPTP_C_MESSAGES);
        return tptp_binary_frequency(b, tptp_fixed(p, 8, b->layout.big), place(b));
    }
    b->import.bytes_lost += m->size;
    tptp_count_lost(s, TPTP_C_MESSAGES);
    tptp_session_gap(s);
    return tptp_import_issue(&b->import, TS_ISSUE_tptp_message_bad, place(b),
                             "system message %u is too short", m->id);
}

/*
 * A message with bytes after its attributes. A newer version may have added some; three exact
 * messages among them show that the size is wrong.
 */
static ts_code longer_message(tptp_binary *b, tptp_message *m, size_t used, size_t n)
{
    const uint8_t *p = here(b) + m->head + used;
    if (tptp_are_exact(NEXT_MESSAGES, &b->work, &b->layout, p, n - used)) {
        tptp_session_gap(b->import.session);
        ts_code code =
            tptp_import_issue(&b->import, TS_ISSUE_tptp_message_size, place(b),
                              "a message of %" PRIu64 " bytes holds other messages", m->size);
        m->size = m->head + used;
        return code;
    }
    return tptp_import_issue(&b->import, TS_ISSUE_tptp_inexact, place(b),
                             "%" PRIu64 " bytes follow the attributes of a message",
                             m->size - m->head - used);
}

/* Another version has all messages of a kind longer or shorter: one alone is damaged. */
static ts_code alone_message(tptp_binary *b, const tptp_message *m)
{
    tptp_session *s;
    TS_TRY(tptp_import_session(&s, &b->import));
    tptp_session_gap(s);
    tptp_count_lost(s, TPTP_C_VALUES);
    return tptp_import_issue(&b->import, TS_ISSUE_tptp_size_alone, place(b),
                             "message %u of %" PRIu64 " bytes does not end with its attributes",
                             m->id, m->size);
}

/* The message after this one: where it is the entry of a method, its call path is fetched. A hint
 * and nothing more, so that nothing is asked of it. */
static void look_ahead(tptp_binary *b, const tptp_message *m)
{
    enum { TRANSIENT_AT = 0, THREAD_AT = 8, METHOD_AT = 24, NEEDED = 32 };
    const bool big = b->layout.big;
    const uint8_t *p = here(b) + m->size;
    if (left(b) < m->size + TPTP_HEAD + NEEDED ||
        tptp_fixed(p, 2, big) != tptp_events[TPTP_METHOD_ENTRY].id) {
        return;
    }
    p += TPTP_HEAD;
    tptp_fetch_entry(b->import.session,
                     tptp_either((int64_t)tptp_fixed(p + THREAD_AT, 8, big),
                                 (int64_t)tptp_fixed(p + TRANSIENT_AT, 8, big)),
                     (int64_t)tptp_fixed(p + METHOD_AT, 8, big));
}

/* n: bytes after the head that are there; all of the message, unless it is longer than WINDOW. */
static ts_code data_message(tptp_binary *b, tptp_message *m, const tptp_event_info *event, size_t n)
{
    size_t used = 0;
    uint64_t kind = UINT64_C(1) << tptp_kind_of(event);
    tptp_fit fit =
        tptp_decode(&b->record, &used, event, &b->layout, here(b) + m->head, n, b->frames);
    ts_code code = TS_OK;
    if (fit == TPTP_BAD) {
        b->import.bytes_lost += m->size;
        TS_TRY_INTO(code, message_lost(b));
        return tptp_import_issue(&b->import, TS_ISSUE_tptp_message_bad, place(b),
                                 "an attribute of message %u reaches beyond its end", m->id);
    }
    b->exact |= fit == TPTP_EXACT ? kind : 0;
    TS_STEP_IF(code, fit != TPTP_EXACT && (b->exact & kind) != 0, alone_message(b, m));
    if (code == TS_OK && fit == TPTP_SHORT) {
        code = tptp_import_issue(&b->import, TS_ISSUE_tptp_inexact, place(b),
                                 "message %u lacks attributes at its end", m->id);
    } else if (code == TS_OK && fit == TPTP_LONGER) {
        code = longer_message(b, m, used, n);
    }
    TS_STEP(code, tptp_binary_event(b, place(b)));
    if (code == TS_OK) {
        look_ahead(b, m);
    }
    return code;
}

/* The whole message is held. *used: bytes of it that are done with. */
static ts_code whole_message(tptp_binary *b, tptp_message *m)
{
    size_t n = (size_t)m->size - m->head;
    const tptp_event_info *event = tptp_event_of(m->id);
    ts_code code = event != NULL ? data_message(b, m, event, n)
                   : m->id == TPTP_ENCODING || m->id == TPTP_FREQUENCY
                       ? system_message(b, m, here(b) + m->head, n)
                       : other_message(b, m, n);
    if (event == NULL && m->id != TPTP_ENCODING && m->id != TPTP_FREQUENCY &&
        !tptp_is_undescribed(m->id)) {
        b->import.bytes_skipped += m->size;
    }
    b->at += (size_t)m->size;
    return code;
}

/* counted: where its bytes are counted, or NULL. */
static void skip_message(tptp_binary *b, uint64_t size, uint64_t *counted)
{
    b->skip_counted = counted;
    b->skip_done = 0;
    b->skip = size;
    b->skip_header = false;
    b->state = TPTP_SKIPPING;
    b->after = TPTP_RUNNING;
}

/*
 * A message of more than WINDOW bytes, of which these are there. A wrong size is more likely than a
 * message like that: messages in it, or after its attributes, show it.
 */
static ts_code long_message(tptp_binary *b, tptp_message *m)
{
    const tptp_event_info *event = tptp_event_of(m->id);
    size_t n = WINDOW - m->head;
    size_t used;
    ts_code code;
    bool complete = event != NULL && tptp_decode(NULL, &used, event, &b->layout, here(b) + m->head,
                                                 n, NULL) == TPTP_LONGER;
    if (complete) {
        if ((code = data_message(b, m, event, n)) == TS_OK) {
            skip_message(b, m->size, NULL);
        }
        return code;
    }
    if (find_messages(b, here(b), WINDOW, 1, SEARCH_BYTES) != 0) {
        b->state = TPTP_SEARCHING;
        return TS_OK;
    }
    if (event != NULL && m->size <= b->ctx->limits.max_message) {
        b->want = (size_t)m->size;
        return TS_OK;
    }
    if (event != NULL) {
        code = message_lost(b);
        code = code != TS_OK
                   ? code
                   : tptp_import_issue(&b->import, TS_ISSUE_tptp_message_bad, place(b),
                                       "a message of %" PRIu64 " bytes is longer than can be held",
                                       m->size);
    } else {
        code = other_message(b, m, n);
    }
    skip_message(b, m->size, event == NULL ? &b->import.bytes_skipped : &b->import.bytes_lost);
    return code;
}

static ts_code run_message(tptp_binary *b, bool ended)
{
    tptp_message m;
    if (left(b) >= 4 && memcmp(here(b), magic, 4) == 0) {
        if (left(b) >= TPTP_STREAM_HEADER) {
            b->state = TPTP_AT_HEADER;
            return TS_OK;
        }
        if (!ended) {
            b->want = TPTP_STREAM_HEADER;
            return TS_OK;
        }
    }
    tptp_look look = tptp_look_at(&m, &b->layout, here(b), left(b));
    if (look == TPTP_LOOK_WRONG || (ended && (look == TPTP_LOOK_NEED || m.size > left(b)))) {
        b->state = TPTP_SEARCHING;
        return TS_OK;
    }
    if (look == TPTP_LOOK_NEED) {
        b->want = (size_t)m.size;
        return TS_OK;
    }
    if (m.size <= left(b)) {
        return whole_message(b, &m);
    }
    if (m.size > WINDOW && left(b) >= WINDOW) {
        return long_message(b, &m);
    }
    b->want = m.size > WINDOW ? WINDOW : (size_t)m.size;
    return TS_OK;
}

/* --- the stream ------------------------------------------------------------------------------ */

static ts_code skip_bytes(tptp_binary *b)
{
    size_t n = left(b) < b->skip ? left(b) : (size_t)b->skip;
    b->at += n;
    b->skip -= n;
    b->skip_done += n;
    if (b->skip == 0 && b->skip_counted != NULL) {
        *b->skip_counted += b->skip_done;
    }
    b->state = b->skip == 0 ? b->after : b->state;
    return TS_OK;
}

/* One step; b->want is more than what is held when it needs more. */
static ts_code step(tptp_binary *b, bool ended)
{
    switch (b->state) {
    case TPTP_AT_HEADER:
        if (left(b) >= TPTP_STREAM_HEADER) {
            return read_stream_header(b);
        }
        b->want = TPTP_STREAM_HEADER;
        return TS_OK;
    case TPTP_SKIPPING:
        return skip_bytes(b);
    case TPTP_PROBING:
        if (ended || left(b) >= PROBE_BYTES) {
            return probe(b, ended);
        }
        b->want = PROBE_BYTES;
        return TS_OK;
    case TPTP_RUNNING:
        return run_message(b, ended);
    case TPTP_SEARCHING:
        if (ended || left(b) >= SEARCH_HELD) {
            return search(b);
        }
        b->want = SEARCH_HELD;
        return TS_OK;
    default:
        take_tail(b);
        return TS_OK;
    }
}

static ts_code run(tptp_binary *b, bool ended)
{
    ts_code code = TS_OK;
    b->want = 0;
    while (code == TS_OK && left(b) > 0 && left(b) >= b->want) {
        b->want = 0;
        code = step(b, ended);
    }
    return code;
}

static ts_code feed_binary(void *self, const uint8_t *p, size_t n)
{
    tptp_binary *b = self;
    ts_code code = ts_buf_put(b->ctx, &b->held, p, n);
    b->import.bytes += n;
    if (code != TS_OK || left(b) < b->want) {
        return code;
    }
    code = run(b, false);
    memmove(b->held.p, b->held.p + b->at, left(b));
    b->offset += b->at;
    b->held.n -= b->at;
    b->at = 0;
    return code;
}

/* Bytes that are left when a message that was skipped, or a gap, reaches beyond the end. */
static ts_code end_skip(tptp_binary *b)
{
    if (b->state != TPTP_SKIPPING || b->skip == 0) {
        return TS_OK;
    }
    if (b->skip_header && !b->events) {
        return ts_fail(b->ctx, TS_ERR_FORMAT, "%s: the offset to data lies outside the file",
                       b->import.job->name);
    }
    b->import.bytes_lost += b->skip_done;
    ts_code code = message_lost(b);
    return code != TS_OK ? code
                         : tptp_import_issue(&b->import, TS_ISSUE_tptp_lost_tail, place(b),
                                             "%" PRIu64 " bytes of a message are missing", b->skip);
}

static ts_code finish_binary(void *self, const ts_stream_end *end)
{
    tptp_binary *b = self;
    ts_code code;
    (void)end;
    if (!b->streams && (left(b) < TPTP_STREAM_HEADER || memcmp(here(b), magic, 4) != 0)) {
        return ts_fail(b->ctx, TS_ERR_FORMAT, "%s is not a TPTP trace: it has no header",
                       b->import.job->name);
    }
    TS_TRY_INTO(code, run(b, true));
    TS_TRY_INTO(code, end_skip(b));
    if (b->state == TPTP_PROBING && (code = probe(b, true)) != TS_OK) {
        return code; /* a header and nothing else */
    }
    code = end_tail(b);
    return code != TS_OK ? code : tptp_import_finish(&b->import);
}

static void close_binary(void *self)
{
    tptp_binary *b = self;
    tptp_import_close(&b->import);
    tptp_encoding_close(&b->encoding);
    ts_buf_free(b->ctx, &b->held);
    ts_buf_free(b->ctx, &b->encoding_name);
    ts_buf_free(b->ctx, &b->texts);
    ts_free(b->ctx, b->frames);
    ts_free(b->ctx, b);
}

/* --- the format ----------------------------------------------------------------------------- */

static int sniff_binary(const ts_sniff *s)
{
    return s->head != NULL && s->n >= 4 && memcmp(s->head, "0TBF", 4) == 0 ? TS_SNIFF_SURE
                                                                           : TS_SNIFF_NO;
}

/* "size=exclusive,system=bare,arrays=counted": what is not named is found from the data. */
static bool parse_options(tptp_forced *forced, const char *options)
{
    static const struct {
        const char *text;
        uint8_t what;
        uint8_t value;
    } known[] = {
        {"size=inclusive", 0, 0}, {"size=exclusive", 0, 1}, {"system=sized", 1, 0},
        {"system=bare", 1, 1},    {"arrays=plain", 2, 0},   {"arrays=counted", 2, 1},
    };
    int values[3] = {-1, -1, -1};
    const char *p = options == NULL ? "" : options;
    while (*p != '\0') {
        size_t n = strcspn(p, ",");
        size_t i = 0;
        while (i < sizeof known / sizeof known[0] &&
               (strlen(known[i].text) != n || memcmp(known[i].text, p, n) != 0)) {
            i++;
        }
        if (i == sizeof known / sizeof known[0] || (p[n] == ',' && p[n + 1] == '\0')) {
            return false;
        }
        values[known[i].what] = known[i].value;
        p += n + (p[n] == ',');
    }
    *forced = (tptp_forced){values[0], values[1], values[2]};
    return true;
}

static bool check_options(const char *options)
{
    tptp_forced forced;
    return *options != '\0' && parse_options(&forced, options);
}

static ts_code open_binary(void **self, ts_job *job)
{
    tptp_binary *b = ts_zalloc(job->ctx, 1, sizeof *b);
    *self = NULL;
    TS_NEED(job->ctx, b);
    b->ctx = job->ctx;
    b->import.job = job;
    b->import.format = "trcbin";
    b->forced = (tptp_forced){-1, -1, -1};
    (void)parse_options(&b->forced, job->options->format_options); /* they were checked */
    b->frames = ts_alloc(job->ctx, TPTP_MAX_FRAMES, sizeof *b->frames);
    if (b->frames == NULL) {
        close_binary(b);
        return job->ctx->error.code;
    }
    *self = b;
    return TS_OK;
}

TS_SOURCE_FORMAT(tptp_binary) = {
    .name = "trcbin",
    .title = "Binary trace of the Eclipse TPTP Java profiler (.trcbin)",
    .source_type = "tptp",
    .sniff = sniff_binary,
    .check_options = check_options,
    .open = open_binary,
    .feed = feed_binary,
    .finish = finish_binary,
    .close = close_binary,
};
