/* One file: a TCP conversation, or a single stream of a pod. */
#include "parsers/cloud/pod.h"
#include "parsers/cloud/conversation.h"
#include "parsers/format.h"

#include "base/alloc.h"

#include <stdio.h>
#include <string.h>

typedef struct single {
    ts_job *job;
    ts_buf head; /* until it is known what the file is */
    bool known;
    cloud_conversation *conversation; /* NULL: a stream */
    ts_spool *spool;
} single;

enum { HEAD = 1024, MAX_PHRASE = 10240 /* the agent's buffer */ };

/* --- recognising ---------------------------------------------------------------------------- */

static uint64_t number_at(const uint8_t *p, unsigned n)
{
    cloud_cursor c = {p, p + n, CLOUD_GOT};
    return cloud_fixed(&c, n);
}

/* Do the bytes begin with a parameter: a printable name, two booleans, an order, a signature? */
static bool is_param(const uint8_t *p, size_t n)
{
    cloud_cursor c = {p, p + n, CLOUD_GOT};
    cloud_string name = cloud_text(&c);
    for (size_t i = 0; i < name.units; i++) {
        if (name.p[2 * i] == 0 && name.p[2 * i + 1] < ' ') {
            return false;
        }
    }
    if (name.units == 0 || cloud_u8(&c) > 1 || cloud_u8(&c) > 1) {
        return false;
    }
    (void)cloud_varint(&c);
    (void)cloud_text(&c);
    return c.got == CLOUD_GOT;
}

/* Are all bytes pauses that follow one another? */
static bool are_pauses(const uint8_t *p, size_t n)
{
    cloud_cursor c = {p, p + n, CLOUD_GOT};
    size_t pauses = 0;
    while (c.p < c.end) {
        int32_t delta = (int32_t)cloud_varint(&c);
        int32_t delay = (int32_t)cloud_varint(&c);
        if (c.got != CLOUD_GOT) {
            break; /* the head ends here */
        }
        if (delay <= 0 || delay > delta) {
            return false;
        }
        pauses++;
    }
    return pauses > 0;
}

/* What the first bytes of a stream say. CLOUD_OTHER: nothing. */
static cloud_kind kind_of_head(const uint8_t *p, size_t n)
{
    static const uint8_t word[] = {9, 0, 'c', 0, 'a', 0, 'l', 0, 'l', 0, '.'};
    n = n < HEAD ? n : HEAD;
    if (n >= 16 && number_at(p, 4) == 0xfffefdfc && number_at(p + 4, 4) <= 4) {
        return CLOUD_CALLS;
    }
    if (n >= 24 && cloud_plausible_ms(number_at(p, 8)) && number_at(p + 8, 8) >> 32 == 0 &&
        cloud_plausible_ms(number_at(p + 16, 8))) {
        return CLOUD_TRACE;
    }
    if ((n >= 4 + sizeof word && memcmp(p + 4, word, sizeof word) == 0) ||
        (n >= sizeof word && memcmp(p, word, sizeof word) == 0)) {
        return CLOUD_DICTIONARY;
    }
    if (n >= 5 && ((p[0] == 1 && is_param(p + 1, n - 1)) ||
                   (number_at(p, 4) < MAX_PHRASE && p[4] == 1 && is_param(p + 5, n - 5)))) {
        return CLOUD_PARAMS;
    }
    if (n >= 12 && number_at(p, 4) < MAX_PHRASE && cloud_plausible_ms(number_at(p + 4, 8))) {
        return CLOUD_SUSPEND;
    }
    if (n >= 10 && cloud_plausible_ms(number_at(p, 8)) && are_pauses(p + 8, n - 8)) {
        return CLOUD_SUSPEND;
    }
    return CLOUD_OTHER;
}

static int sniff_stream(const ts_sniff *s)
{
    cloud_file f;
    if (s->head == NULL) {
        return TS_SNIFF_NO;
    }
    if (cloud_is_conversation(s->head, s->n)) {
        return TS_SNIFF_SURE;
    }
    if (cloud_file_parse(&f, s->name) && f.kind != CLOUD_OTHER) {
        return TS_SNIFF_LIKELY;
    }
    return kind_of_head(s->head, s->n) != CLOUD_OTHER ? TS_SNIFF_LIKELY : TS_SNIFF_NO;
}

/* --- reading -------------------------------------------------------------------------------- */

static void close_single(void *self)
{
    single *s = self;
    if (s->conversation != NULL) {
        cloud_conversation_free(s->conversation);
    }
    ts_spool_free(s->spool);
    ts_buf_free(s->job->ctx, &s->head);
    ts_free(s->job->ctx, s);
}

static ts_code open_single(void **self, ts_job *job)
{
    single *s = ts_zalloc(job->ctx, 1, sizeof *s);
    *self = s;
    TS_NEED(job->ctx, s);
    s->job = job;
    return TS_OK;
}

static ts_code pass(single *s, const uint8_t *p, size_t n)
{
    return s->conversation != NULL ? cloud_conversation_feed(s->conversation, p, n)
                                   : ts_spool_write(s->spool, p, n);
}

static ts_code decide(single *s)
{
    const uint8_t *p = (const uint8_t *)s->head.p;
    ts_code code;
    s->known = true;
    code = cloud_is_conversation(p, s->head.n)
               ? cloud_conversation_new(&s->conversation, s->job, s->job->source_id)
               : ts_spool_new(&s->spool, s->job->ctx);
    return code != TS_OK ? code : pass(s, p, s->head.n);
}

static ts_code feed_single(void *self, const uint8_t *p, size_t n)
{
    single *s = self;
    ts_code code;
    if (s->known) {
        return pass(s, p, n);
    }
    if ((code = ts_buf_put(s->job->ctx, &s->head, p, n)) != TS_OK || s->head.n < HEAD) {
        return code;
    }
    return decide(s);
}

static ts_code import_stream(single *s)
{
    const char *name = s->job->name;
    cloud_file f;
    size_t begin;
    int64_t id;
    ts_tally *tally;
    ts_tally *of_stream;
    ts_code code;
    if (!cloud_file_parse(&f, name)) {
        static const char *const names[] = {"dictionary", "", "params", "suspend",
                                            "",           "", "trace",  "calls"};
        f.kind = kind_of_head((const uint8_t *)s->head.p, s->head.n);
        f.index = 1;
        if (f.kind == CLOUD_OTHER) {
            return ts_fail(s->job->ctx, TS_ERR_FORMAT, "%s is no stream of the Cloud Profiler",
                           name);
        }
        snprintf(f.stream, sizeof f.stream, "%s", names[f.kind]);
    }
    f.spool = s->spool;
    begin = cloud_file_pod_base(&f);
    TS_TRY(code, cloud_source(&id, s->job, true));
    TS_TRY(code, cloud_source_name(s->job, id, name + begin, f.pod_n - begin));
    TS_TRY(code, cloud_pod_import(s->job, id, &f, 1, false));
    TS_TRY(code, ts_count(&of_stream, s->job->store, id, TS_ITEM_cloud_stream_bytes, f.stream));
    TS_TRY(code, ts_count(&tally, s->job->store, id, TS_ITEM_bytes, NULL));
    *tally = *of_stream;
    return TS_OK;
}

static ts_code finish_single(void *self, const ts_stream_end *end)
{
    single *s = self;
    ts_code code = s->known ? TS_OK : decide(s);
    (void)end;
    if (code != TS_OK) {
        return code;
    }
    return s->conversation != NULL ? cloud_conversation_finish(s->conversation) : import_stream(s);
}

TS_SOURCE_FORMAT(cloud_stream) = {
    .name = "cloud-stream",
    .title = "TCP conversation or single stream file of the Cloud Profiler for Java",
    .source_type = "cloud",
    .sniff = sniff_stream,
    .open = open_single,
    .feed = feed_single,
    .finish = finish_single,
    .close = close_single,
};
