/* Records of a stream, one after the other or in phrases. */
#include "parsers/cloud/pod.h"

#include <inttypes.h>
#include <stdio.h>

enum { MAX_PHRASE = 1 << 20 };

ts_code cloud_records(cloud_pod *pod, cloud_record record, cloud_item item, const char *what)
{
    cloud_reader *r = &pod->stream.reader;
    ts_code code = TS_OK;
    while (code == TS_OK) {
        cloud_cursor c = cloud_window(r);
        if (c.p == c.end && r->ended) {
            break;
        }
        code = c.p == c.end ? TS_OK : record(pod, &c, cloud_offset(r));
        if (code != TS_OK) {
            break;
        }
        if (c.got == CLOUD_GOT && c.p > r->buf + r->at) {
            cloud_take(r, &c);
            cloud_stream_keep(&pod->stream);
        } else if (c.got == CLOUD_BAD) {
            return cloud_stop_at(pod, item, cloud_stream_take_reason(&pod->stream));
        } else if (r->n - r->at >= CLOUD_MAX_RECORD) {
            return cloud_stop_at(pod, item, "a record has more than 268435456 bytes");
        } else if (!r->ended) {
            code = cloud_longer(r);
        } else {
            return cloud_cut(pod, item, what);
        }
    }
    return code;
}

/* The phrase that is being read. */
typedef struct phrase {
    size_t n;
    bool cut; /* the stream ends inside it */
    bool bad; /* a part was left out */
} phrase;

/* What is at the cursor, to the end of the phrase, is no valid record. */
static ts_code leave_out(cloud_pod *pod, phrase *f, const cloud_cursor *c, size_t n,
                         cloud_item item, const char *what)
{
    cloud_reader *r = &pod->stream.reader;
    uint64_t offset = cloud_offset(r) + f->n - n;
    f->bad = true;
    if (c->got == CLOUD_SHORT && f->cut) {
        r->at += f->n - n;
        return cloud_cut(pod, item, what);
    }
    cloud_count_lost(pod, item);
    return cloud_issue(
        pod, TS_ISSUE_cloud_phrase_bad, offset, "%s: %zu bytes of the phrase are left out",
        c->got == CLOUD_BAD ? cloud_stream_take_reason(&pod->stream) : "a record is incomplete", n);
}

/* The records of a phrase, which is in the window. */
static ts_code read_phrase(cloud_pod *pod, phrase *f, cloud_record record, cloud_item item,
                           const char *what)
{
    cloud_reader *r = &pod->stream.reader;
    size_t after = r->at + f->n;
    cloud_cursor c = {r->buf + r->at, r->buf + after, CLOUD_GOT};
    ts_code code = TS_OK;
    while (c.p < c.end && code == TS_OK && !f->bad) {
        const uint8_t *begin = c.p;
        code = record(pod, &c, r->base + (uint64_t)(begin - r->buf));
        TS_STEP_IF(code, c.got != CLOUD_GOT,
                   leave_out(pod, f, &c, after - (size_t)(begin - r->buf), item, what));
    }
    r->at = after;
    return code;
}

/* The length of the next phrase; 0 when there is none or it is invalid. */
static ts_code begin_phrase(cloud_pod *pod, phrase *f)
{
    cloud_reader *r = &pod->stream.reader;
    cloud_cursor c;
    uint64_t length;
    ts_code code = cloud_need(r, 4);
    *f = (phrase){0};
    c = cloud_window(r);
    if (code != TS_OK || c.p == c.end) {
        return code;
    }
    length = cloud_fixed(&c, 4);
    if (c.got != CLOUD_GOT) {
        return cloud_stop(pod, "the stream ends inside the length of a phrase");
    }
    if (length == 0 || length > MAX_PHRASE) {
        char text[64];
        snprintf(text, sizeof text, "invalid length of a phrase: %" PRIu64 " bytes", length);
        return cloud_stop(pod, text);
    }
    cloud_take(r, &c);
    pod->stream.phrases++;
    TS_TRY(code, cloud_need(r, (size_t)length));
    f->n = (size_t)length;
    if (r->n - r->at < f->n) {
        f->cut = true;
        f->n = r->n - r->at;
    }
    return TS_OK;
}

/* After a phrase: is it the last one that is read? */
static ts_code end_phrase(cloud_pod *pod, const phrase *f, bool exact, const char *what)
{
    uint64_t offset = cloud_stream_offset(&pod->stream);
    pod->stream.damaged = f->cut || (f->bad && exact);
    if (!f->bad) {
        pod->stream.kept = offset;
    }
    if (f->cut) {
        return f->bad ? TS_OK
                      : cloud_missing(pod, TS_ISSUE_cloud_record_cut, "ends",
                                      "the stream ends inside a phrase, between two records");
    }
    return pod->stream.damaged ? cloud_issue(pod, TS_ISSUE_cloud_stream_bad, offset,
                                             "the number that %s has after that is not known", what)
                               : TS_OK;
}

ts_code cloud_phrases(cloud_pod *pod, cloud_record record, size_t header, cloud_item item,
                      bool exact, const char *what)
{
    ts_code code = TS_OK;
    while (code == TS_OK && !pod->stream.damaged) {
        phrase f;
        if ((code = begin_phrase(pod, &f)) != TS_OK || (f.n == 0 && !f.cut)) {
            return code;
        }
        if (header > f.n) {
            pod->stream.damaged = true;
            TS_TRY(code, cloud_lose(pod, "headers", 1));
            return cloud_issue(pod, TS_ISSUE_cloud_header_cut, 0,
                               "the first phrase has %zu bytes, the header %zu", f.n, header);
        }
        pod->stream.reader.at += header; /* it was decoded before the first phrase */
        f.n -= header;
        header = 0;
        if ((code = read_phrase(pod, &f, record, item, what)) == TS_OK) {
            code = end_phrase(pod, &f, exact, what);
        }
    }
    return code;
}
