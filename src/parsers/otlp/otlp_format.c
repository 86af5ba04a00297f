/*
 * Files of OTLP: sniffing, and the messages in them. One message alone; messages with their length
 * before them (4 bytes, the highest first), each perhaps a frame of zstd; or JSON, mostly one
 * document a line.
 */
#include "parsers/format.h"
#include "parsers/otlp/otlp.h"

#include "base/alloc.h"
#include "input/unpack.h"
#include "parsers/shared/notes.h"
#include "parsers/proto_kind.h"

#include <inttypes.h>
#include <stdio.h>

enum { FORM_UNKNOWN, FORM_BARE, FORM_FRAMED, FORM_JSON };
enum { LENGTH = 4 };

static const uint8_t zstd_magic[4] = {0x28, 0xB5, 0x2F, 0xFD};

/* --- sniffing ----------------------------------------------------------------------------------
 */

static bool is_key(const ts_sniff *s, const char *key)
{
    return s->json_key != NULL && strcmp(s->json_key, key) == 0;
}

static bool head_has(const ts_sniff *s, const char *text)
{
    return memmem(s->head, s->n, text, strlen(text)) != NULL;
}

/* A length and a message or a frame of zstd; nothing is read in front of it. */
static bool is_framed(const ts_sniff *s)
{
    const uint8_t *p = s->head;
    uint32_t n;
    if (s->n < LENGTH + sizeof zstd_magic) {
        return false;
    }
    n = (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
    size_t have = s->n - LENGTH < n ? s->n - LENGTH : n;
    if (n < sizeof zstd_magic || n > OTLP_MAX_MESSAGE || (s->whole && n > s->n - LENGTH)) {
        return false;
    }
    return memcmp(p + LENGTH, zstd_magic, sizeof zstd_magic) == 0 ||
           (p[LENGTH] == '{' && head_has(s, "\"resourceProfiles\"")) ||
           ts_proto_kind_of((ts_text){(const char *)p + LENGTH, have}) == TS_PROTO_OTLP;
}

static int otlp_sniff(const ts_sniff *s)
{
    if (s->head == NULL) {
        return TS_SNIFF_NO;
    }
    if (is_key(s, "resourceProfiles") || is_key(s, "resource_profiles")) {
        return TS_SNIFF_SURE;
    }
    if (s->json_key != NULL) {
        return (is_key(s, "dictionary") && head_has(s, "Table\"")) ||
                       head_has(s, "\"resourceProfiles\"")
                   ? TS_SNIFF_LIKELY
                   : TS_SNIFF_NO;
    }
    return ts_proto_kind_of((ts_text){(const char *)s->head, s->n}) == TS_PROTO_OTLP || is_framed(s)
               ? TS_SNIFF_LIKELY
               : TS_SNIFF_NO;
}

/* "layout=1.9": any release, in place of what the first facts of each message show. */
static bool read_layout(otlp_layout *layout, const char *options)
{
    static const struct {
        const char *name;
        otlp_layout layout;
    } names[] = {{"1.3", OTLP_1_3}, {"1.4", OTLP_1_4},   {"1.5", OTLP_1_4},
                 {"1.6", OTLP_1_6}, {"1.7", OTLP_1_7},   {"1.8", OTLP_1_8},
                 {"1.9", OTLP_1_9}, {"1.10", OTLP_1_10}, {"1.11", OTLP_1_10}};
    static const char key[] = "layout=";
    if (options == NULL || strncmp(options, key, sizeof key - 1) != 0) {
        return false;
    }
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(options + sizeof key - 1, names[i].name) == 0) {
            *layout = names[i].layout;
            return true;
        }
    }
    return false;
}

static bool check_options(const char *options)
{
    otlp_layout layout;
    return read_layout(&layout, options);
}

/* --- messages ----------------------------------------------------------------------------------
 */

static ts_code lose(otlp *o, ts_issue_code issue, uint64_t at, const char *text)
{
    o->messages_lost++;
    o->not_whole = true;
    return otlp_issue(o, issue, at, text);
}

/* Bytes of a message that is held. */
static ts_code hold(otlp *o, ts_buf *buf, const uint8_t *p, size_t n)
{
    o->too_large = o->too_large || n > OTLP_MAX_MESSAGE - buf->n;
    return o->too_large ? TS_OK : ts_buf_put(o->ctx, buf, p, n);
}

static ts_code take_unpacked(void *user, const uint8_t *p, size_t n)
{
    otlp *o = user;
    return hold(o, &o->message, p, n);
}

/* The frames of a message. fault: what is wrong with them, or NULL. */
static ts_code unpack(const char **fault, otlp *o)
{
    ts_unpack *u;
    o->message.n = 0;
    TS_TRY(ts_unpack_open(&u, o->ctx, TS_UNPACK_ZSTD, take_unpacked, o));
    ts_code code = ts_unpack_feed(u, (const uint8_t *)o->packed.p, o->packed.n);
    *fault = ts_unpack_fault(u);
    *fault = *fault == NULL && !ts_unpack_ended(u) ? "the compressed data end too early" : *fault;
    ts_unpack_close(u);
    if (code == TS_ERR_LIMIT) { /* so says a damaged head, too: it is this message that is lost */
        *fault = "the compressed data need too much memory";
        code = TS_OK;
    }
    return code;
}

static void swap_buffers(otlp *o)
{
    ts_buf held = o->packed;
    o->packed = o->message;
    o->message = held;
}

/* A message of protobuf or JSON, as its first byte shows. */
static ts_code take_any(otlp *o)
{
    if (o->message.n == 0 || o->message.p[0] != '{') {
        o->names = false;
        return otlp_take(o);
    }
    swap_buffers(o);
    TS_TRY(otlp_json_open(o));
    TS_TRY(otlp_json_feed(o, (const uint8_t *)o->packed.p, o->packed.n));
    return otlp_json_end(o, o->cut);
}

/* What is in `packed` is one, or, cut, the beginning of one. */
static ts_code take_framed(otlp *o)
{
    bool zstd =
        o->packed.n >= sizeof zstd_magic && memcmp(o->packed.p, zstd_magic, sizeof zstd_magic) == 0;
    const char *fault = NULL;
    if (zstd && !o->too_large) {
        TS_TRY(unpack(&fault, o));
    } else {
        swap_buffers(o);
    }
    if (o->too_large) {
        return lose(o, TS_ISSUE_otlp_too_large, o->message_at, "a message is too large");
    }
    if (fault != NULL && !o->cut) {
        return lose(o, TS_ISSUE_otlp_bad_message, o->message_at, fault);
    }
    return take_any(o);
}

/* --- messages with a length --------------------------------------------------------------------
 */

/* What may be the first byte of one: a field of bytes 1 to 8, JSON, a frame of zstd. */
static bool may_begin(uint8_t byte)
{
    return (byte % 8 == TS_WIRE_BYTES && byte >= 0x0A && byte <= 0x42) || byte == '{' ||
           byte == zstd_magic[0];
}

static ts_code begin_framed(otlp *o, const uint8_t *p)
{
    const uint8_t *h = o->head;
    o->left = (uint32_t)h[0] << 24 | (uint32_t)h[1] << 16 | (uint32_t)h[2] << 8 | h[3];
    o->message_at = o->fed;
    o->packed.n = 0;
    o->too_large = o->left > OTLP_MAX_MESSAGE;
    if (o->left == 0 || may_begin(*p)) {
        return TS_OK;
    }
    o->lost_sync = true;
    return lose(o, TS_ISSUE_otlp_lost_sync, o->fed - LENGTH, "no message follows a length");
}

static ts_code feed_framed(otlp *o, const uint8_t *p, size_t n)
{
    while (n > 0 && !o->lost_sync) {
        size_t part = 1;
        if (o->head_n < LENGTH) {
            o->head[o->head_n++] = *p;
        } else {
            if (o->head_n == LENGTH) {
                o->head_n++;
                TS_TRY(begin_framed(o, p));
            }
            part = o->left < n ? (size_t)o->left : n;
            TS_TRY(hold(o, &o->packed, p, part));
            o->left -= part;
            if (o->left == 0 && !o->lost_sync) {
                o->head_n = 0;
                TS_TRY(take_framed(o));
            }
        }
        o->fed += part;
        p += part;
        n -= part;
    }
    return TS_OK;
}

static ts_code finish_framed(otlp *o)
{
    static const uint8_t empty[] = {0};
    if (o->head_n == LENGTH && o->head[0] + o->head[1] + o->head[2] + o->head[3] == 0) {
        return begin_framed(o, empty); /* the last one has no bytes */
    }
    if (o->head_n == 0 || o->lost_sync) {
        return TS_OK;
    }
    o->cut = true;
    if (o->head_n <= LENGTH) {
        return lose(o, TS_ISSUE_otlp_cut, o->fed, "the length of the last message is cut off");
    }
    return take_framed(o);
}

/* --- JSON --------------------------------------------------------------------------------------
 */

static ts_code next_document(otlp *o, bool cut)
{
    TS_TRY(otlp_json_end(o, cut));
    o->message_at = o->fed;
    return TS_OK;
}

/* A line is a document when the first one is; else documents have lines of their own, and one that
 * is damaged goes on to the next line that begins with a brace which cannot belong to it. */
static ts_code end_line(otlp *o)
{
    bool done = otlp_json_done(o) || otlp_json_bad(o);
    o->lines = o->lines || done;
    return o->lines || done ? next_document(o, false) : TS_OK;
}

static ts_code feed_json(otlp *o, const uint8_t *p, size_t n)
{
    while (n > 0) {
        const uint8_t *lf = memchr(p, '\n', n);
        size_t part = lf == NULL ? n : (size_t)(lf - p) + 1;
        bool brace = o->line_begins && *p == '{' && otlp_json_begun(o);
        part = brace ? 1 : part;
        TS_TRY(otlp_json_feed(o, p, part));
        if (brace && otlp_json_bad(o)) {
            TS_TRY(next_document(o, false));
            TS_TRY(otlp_json_feed(o, p, part));
        }
        o->fed += part;
        o->line_begins = p[part - 1] == '\n';
        if (o->line_begins && otlp_json_begun(o)) {
            TS_TRY(end_line(o));
        } else if (o->line_begins) {
            TS_TRY(next_document(o, false));
        }
        p += part;
        n -= part;
    }
    return TS_OK;
}

/* --- the stream --------------------------------------------------------------------------------
 */

static void otlp_close(void *self)
{
    otlp *o = self;
    ts_ctx *ctx = o->ctx;
    ts_vec *const lists[] = {&o->attributes,     &o->others,        &o->types_read, &o->locations,
                             &o->location_codes, &o->stack_codes,   &o->expanded,   &o->stack,
                             &o->values,         &o->times,         &o->labels,     &o->types,
                             &o->attribute_list, &o->location_list, &o->entry_list};
    ts_buf *const buffers[] = {&o->message, &o->packed, &o->made, &o->keys, &o->key, &o->scratch};
    otlp_json_close(o);
    otlp_sources_free(o);
    for (int i = 0; i < OTLP_TABLES; i++) {
        ts_vec_free(ctx, &o->tables[i]);
    }
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        ts_vec_free(ctx, lists[i]);
    }
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++) {
        ts_buf_free(ctx, buffers[i]);
    }
    ts_idmap_free(ctx, &o->units);
    ts_idmap_free(ctx, &o->named);
    ts_idmap_free(ctx, &o->once);
    ts_free(ctx, o);
}

static ts_code otlp_open(void **self, ts_job *job)
{
    otlp *o = ts_zalloc(job->ctx, 1, sizeof *o);
    *self = NULL;
    TS_NEED(job->ctx, o);
    o->job = job;
    o->ctx = job->ctx;
    o->store = job->store;
    o->sink = ts_store_sink(job->store);
    o->wanted = TS_SPAN_ALL;
    o->line_begins = true;
    o->fields_of = -1;
    o->first_profile_row = (int64_t)ts_sink_rows(o->sink, TS_T_profile) + 1;
    o->forced = read_layout(&o->forced_layout, job->options->format_options);
    *self = o;
    return TS_OK;
}

/* A length of less than 256 MiB begins with a byte that no field has; only that of a file whose
 * first message is larger than 160 MiB begins with the byte of field 1. */
static int form_of(uint8_t byte)
{
    return byte == '{' || byte == 0xEF || byte == ' ' || byte == '\t' || byte == '\r' ? FORM_JSON
           : byte < 0x10 && byte != 0x0A                                              ? FORM_FRAMED
                                                                                      : FORM_BARE;
}

static ts_code otlp_feed(void *self, const uint8_t *p, size_t n)
{
    otlp *o = self;
    if (n == 0) {
        return TS_OK;
    }
    if (o->form == FORM_UNKNOWN) {
        o->form = form_of(*p);
        if (o->form == FORM_JSON) {
            TS_TRY(otlp_json_open(o));
        }
    }
    return o->form == FORM_JSON     ? feed_json(o, p, n)
           : o->form == FORM_FRAMED ? feed_framed(o, p, n)
                                    : hold(o, &o->message, p, n);
}

static ts_code otlp_feed_zeros(void *self, uint64_t *used, uint64_t n)
{
    const otlp *o = self;
    *used = o->lost_sync || (o->form == FORM_BARE && o->too_large) ? n : 0;
    return TS_OK;
}

/* Nothing says how long the message is but its end. */
static ts_code finish_bare(otlp *o)
{
    ts_wire w;
    ts_wire_field f;
    if (o->too_large) {
        return lose(o, TS_ISSUE_otlp_too_large, 0, "the message is too large");
    }
    ts_wire_init(&w, (const uint8_t *)o->message.p, o->message.n);
    while (ts_wire_next(&f, &w)) {
    }
    o->cut = w.fault == TS_WIRE_LENGTH || w.fault == TS_WIRE_CUT;
    return otlp_take(o);
}

static ts_code finish_form(otlp *o)
{
    switch (o->form) {
    case FORM_BARE:
        return finish_bare(o);
    case FORM_FRAMED:
        return finish_framed(o);
    case FORM_JSON:
        return otlp_json_end(o, true);
    default:
        return TS_OK;
    }
}

static ts_code record_issues(otlp *o)
{
    uint64_t samples = 0;
    char unknown[96];
    snprintf(unknown, sizeof unknown, "fields are not known, the first one is %" PRIu32 " of %s",
             o->unknown.number, otlp_message_names[o->unknown.message]);
    for (size_t i = 0; i < o->sources.n; i++) {
        const otlp_source *s = ((otlp_source *const *)o->sources.p)[i];
        samples += s->samples + s->samples_lost + s->samples_skipped;
    }
    const ts_note notes[] = {
        {TS_ISSUE_prof_no_samples, samples == 0 && o->messages_good > 0 ? 1 : 0,
         "there are no samples"},
        {TS_ISSUE_prof_no_types, o->no_types, "values have no kind"},
        {TS_ISSUE_otlp_bad_index, o->bad_index, "entries that are referred to are not there"},
        {TS_ISSUE_otlp_bad_entry, o->bad_entries, "entries of tables are not well-formed"},
        {TS_ISSUE_otlp_shape, o->shapes, "numbers of values fit neither times nor kinds"},
        {TS_ISSUE_otlp_times_skipped, o->times_skipped, "times of observations were left out"},
        {TS_ISSUE_otlp_too_large, o->too_much, "samples have too many frames or labels"},
        {TS_ISSUE_otlp_cumulative, o->cumulative, "values are sums since the beginning"},
        {TS_ISSUE_otlp_unknown_field, o->unknown.count, unknown},
        {TS_ISSUE_prof_bad_label, o->bad_labels, "labels were left out"},
        {TS_ISSUE_prof_bad_element, o->bad_elements, "members are not of their type"},
        {TS_ISSUE_prof_bad_time, o->bad_times, "times do not fit into 64 bits"},
        {TS_ISSUE_time_overflow, o->overflows, "values or times do not fit into 64 bits"},
        {TS_ISSUE_prof_text_cut, o->texts_cut, "texts longer than 1 MiB were cut"},
        {TS_ISSUE_prof_bad_text, o->bad_texts,
         "parts of texts that are not valid text became U+FFFD"},
    };
    return ts_notes_put(o->store, o->job->source_id, NULL, TS_NO_OFFSET, notes,
                        sizeof notes / sizeof notes[0]);
}

static ts_code otlp_finish(void *self, const ts_stream_end *end)
{
    otlp *o = self;
    int64_t id = o->job->source_id;
    TS_TRY(ts_count_add(o->store, id, TS_ITEM_bytes, NULL, end->bytes, 0, 0));
    TS_TRY(finish_form(o));
    if (!o->any) {
        return ts_fail(o->ctx, TS_ERR_FORMAT, "%s is not a file of OTLP: it has no profiles",
                       o->job->name);
    }
    o->job->text_bad = o->messages_lost > 0;
    TS_TRY(otlp_sources_end(o));
    TS_TRY(ts_count_add(o->store, id, TS_ITEM_otlp_messages, NULL, o->messages_good,
                        o->messages_lost, 0));
    return record_issues(o);
}

TS_SOURCE_FORMAT(otlp) = {
    .name = "otlp-profiles",
    .title = "profiles of OpenTelemetry (OTLP 1.3 to 1.11: protobuf, JSON)",
    .source_type = "profile",
    .sniff = otlp_sniff,
    .check_options = check_options,
    .open = otlp_open,
    .feed = otlp_feed,
    .feed_zeros = otlp_feed_zeros,
    .finish = otlp_finish,
    .close = otlp_close,
};
