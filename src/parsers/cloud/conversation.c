/*
 * A TCP conversation of an agent and its collector, as one sequence of commands.
 *
 * A command is one byte and its fields. Only complete commands are taken; the rest of a block waits
 * in `pending`, so rows do not depend on the size of blocks. VERSION or INIT_OLD begins a pod and
 * names it, INIT opens a stream by a handle, and DATA adds bytes to the spool of its stream. A pod
 * is imported when the next one begins, or at the end, since its streams need each other.
 *
 * Each DATA and FLUSH is answered by an ACK: `open` counts those without one, and is an issue at
 * the end, because the collector may not have them. FAILED ends the connection; only another
 * VERSION may follow. An invalid command, or one above the limits of pods and streams, stops the
 * reading of the conversation; what follows is lost, and what came before is imported.
 */
#include "parsers/cloud/conversation.h"

#include "base/alloc.h"
#include "parsers/cloud/conversation_streams.h"
#include "parsers/cloud/pod.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The server's version when it takes nothing from the agent. */
#define REFUSED UINT64_C(88888888)

enum {
    ACK = 0x00,
    INIT_OLD = 0x01,
    DATA = 0x02,
    CLOSE = 0x04,
    VERSION_OLD = 0x08,
    FLUSH = 0x11,
    RESULT = 0x13,
    FAILED = 0xff, /* instead of ACK: the collector gives up */
    VERSION = 0x14,
    INIT = 0x15,
    MAX_FIELD = 1 << 20,
    MAX_PODS = 4096 /* each has rows in tables that stay in memory, 2 KiB */
};

typedef struct field {
    const uint8_t *p;
    size_t n;
} field;

struct cloud_conversation {
    ts_job *job;
    ts_ctx *ctx;
    int64_t source_id; /* of the file */
    int64_t pod_id;
    const char *why; /* the next command is rejected */
    uint32_t pods;
    bool in_pod;
    bool refused; /* the collector takes nothing of this pod */
    bool any_pod;
    bool stopped;
    bool failed; /* the connection has ended; only another one may follow */
    uint64_t bytes;
    uint64_t parsed;
    uint64_t stray; /* of parsed, for streams that were not opened */
    uint64_t open;  /* commands that the collector has not acknowledged */
    ts_buf pending;
    cloud_streams streams; /* of the pod */
};

bool cloud_is_conversation(const uint8_t *p, size_t n)
{
    uint64_t version = 0;
    if (n < CLOUD_CONVERSATION_HEAD || p[0] != VERSION) {
        return false;
    }
    for (size_t i = 1; i < 9; i++) {
        version = version << 8 | p[i];
    }
    return (version == 100505 || version == 100605 || version == 100705) && p[9] == 0 &&
           p[10] == 0 && p[11] < 4;
}

/* --- pods ----------------------------------------------------------------------------------- */

/* No command after the limit is taken. */
static void reject_command(cloud_conversation *v, cloud_cursor *c, const char *why)
{
    v->why = why;
    cloud_fail(c, CLOUD_BAD);
}

/* Is one more pod too much? */
static bool too_many_pods(cloud_conversation *v, cloud_cursor *c)
{
    if (v->pods < MAX_PODS) {
        return false;
    }
    reject_command(v, c, "a conversation has more than 4096 pods; what follows is not read");
    return true;
}

/* Every agent opens these at once, before it sends anything. */
static ts_code check_streams(cloud_conversation *v)
{
    const cloud_file *files = v->streams.files.p;
    bool has[CLOUD_KINDS] = {false};
    uint64_t missing;
    ts_code code;
    for (size_t i = 0; i < v->streams.files.n; i++) {
        has[files[i].kind] = true;
    }
    missing = (uint64_t)!has[CLOUD_TRACE] + !has[CLOUD_CALLS] +
              !(has[CLOUD_DICTIONARY] || has[CLOUD_POS_DICTIONARY]);
    if (missing == 0 || v->refused || v->failed) {
        return TS_OK;
    }
    code = cloud_lose_of(v->job->store, v->pod_id, "streams", missing);
    return code != TS_OK
               ? code
               : ts_issue(v->job->store, v->pod_id, TS_ISSUE_cloud_stream_missing, NULL,
                          (int64_t)v->parsed,
                          "of dictionary, trace and calls %" PRIu64 " were not opened", missing);
}

static ts_code end_conversation_pod(cloud_conversation *v)
{
    ts_code code = TS_OK;
    if (v->in_pod && (code = check_streams(v)) == TS_OK) {
        code = cloud_pod_import(v->job, v->pod_id, v->streams.files.p, v->streams.files.n, false);
    }
    v->in_pod = false;
    cloud_streams_clear(&v->streams);
    return code;
}

static ts_code begin_conversation_pod(cloud_conversation *v)
{
    ts_row_source *source;
    ts_code code;
    TS_TRY(code, end_conversation_pod(v));
    v->pod_id = v->source_id;
    if (v->any_pod && (code = ts_source_add(&v->pod_id, v->job->store, 0, "input", v->job->label,
                                            "cloud")) != TS_OK) {
        return code;
    }
    v->in_pod = true;
    v->any_pod = true;
    v->pods++;
    v->refused = false;
    v->open = 0;
    v->failed = false;
    source = ts_source(v->job->store, v->pod_id);
    return ts_source_text(v->job->store, v->pod_id, &source->kind, "pod", 3);
}

static ts_code pod_property(cloud_conversation *v, const char *key, field value)
{
    return ts_source_property(v->job->store, v->pod_id, key,
                              (ts_text){(const char *)value.p, value.n});
}

static ts_code name_pod(cloud_conversation *v, field pod, field service, field space)
{
    ts_code code = cloud_source_name(v->job, v->pod_id, (const char *)pod.p, pod.n);
    TS_STEP(code, pod_property(v, "service", service));
    TS_STEP(code, pod_property(v, "namespace", space));
    return code;
}

/* --- commands ------------------------------------------------------------------------------- */

static field take_field(cloud_cursor *c)
{
    field f = {c->p, 0};
    uint64_t n = cloud_fixed(c, 4);
    f.p = c->p;
    if (c->got == CLOUD_GOT && n > MAX_FIELD) {
        cloud_fail(c, CLOUD_BAD);
    } else if (n > (size_t)(c->end - c->p)) {
        cloud_fail(c, CLOUD_SHORT);
    } else {
        f.n = (size_t)n;
        c->p += f.n;
    }
    return f;
}

static const uint8_t *take_handle(cloud_cursor *c)
{
    const uint8_t *p = c->p;
    (void)cloud_fixed(c, 8);
    (void)cloud_fixed(c, 8);
    return p;
}

static ts_code take_version(cloud_conversation *v, cloud_cursor *c)
{
    uint64_t client = cloud_fixed(c, 8);
    field pod = take_field(c);
    field service = take_field(c);
    field space = take_field(c);
    uint64_t server = cloud_fixed(c, 8);
    char text[48];
    ts_row_source *source;
    int n;
    ts_code code;
    if (c->got != CLOUD_GOT || too_many_pods(v, c)) {
        return TS_OK;
    }
    TS_TRY(code, begin_conversation_pod(v));
    TS_TRY(code, name_pod(v, pod, service, space));
    source = ts_source(v->job->store, v->pod_id);
    n = snprintf(text, sizeof text, "%" PRIu64, client);
    code = ts_source_text(v->job->store, v->pod_id, &source->format_version, text, (size_t)n);
    n = snprintf(text, sizeof text, "%" PRIu64, server);
    TS_STEP(code, pod_property(v, "server_version", (field){(const uint8_t *)text, (size_t)n}));
    v->refused = server == REFUSED;
    return code != TS_OK || server != REFUSED
               ? code
               : ts_issue(v->job->store, v->pod_id, TS_ISSUE_cloud_refused, NULL,
                          (int64_t)v->parsed, "the collector refuses version %" PRIu64, client);
}

static ts_code take_init_old(cloud_conversation *v, cloud_cursor *c)
{
    field space = take_field(c);
    field service = take_field(c);
    field pod = take_field(c);
    ts_code code;
    if (c->got != CLOUD_GOT || too_many_pods(v, c)) {
        return TS_OK;
    }
    code = begin_conversation_pod(v);
    return code != TS_OK ? code : name_pod(v, pod, service, space);
}

static ts_code take_init(cloud_conversation *v, cloud_cursor *c)
{
    field name = take_field(c);
    const uint8_t *handle;
    int64_t seq;
    ts_code code;
    (void)cloud_fixed(c, 8);
    handle = take_handle(c);
    (void)cloud_fixed(c, 8);
    (void)cloud_fixed(c, 8);
    seq = (int32_t)cloud_fixed(c, 4);
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    if (seq < 0) {
        cloud_fail(c, CLOUD_BAD);
        return TS_OK;
    }
    if (cloud_streams_full(&v->streams)) {
        reject_command(v, c, "a pod has more than 4096 streams; what follows is not read");
        return TS_OK;
    }
    if (!v->in_pod && too_many_pods(v, c)) {
        return TS_OK;
    }
    if (!v->in_pod && (code = begin_conversation_pod(v)) != TS_OK) {
        return code;
    }
    return cloud_streams_open(&v->streams, handle, (ts_text){(const char *)name.p, name.n},
                              seq + 1);
}

static ts_code take_data(cloud_conversation *v, cloud_cursor *c)
{
    const uint8_t *handle = take_handle(c);
    field f = take_field(c);
    ts_spool *spool;
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    v->open++;
    if ((spool = cloud_streams_find(&v->streams, handle)) != NULL) {
        return ts_spool_write(spool, f.p, f.n);
    }
    v->stray += f.n;
    return ts_issue(v->job->store, v->source_id, TS_ISSUE_cloud_handle_unknown, NULL,
                    (int64_t)v->parsed, "%zu bytes for a stream that was not opened", f.n);
}

/* One command at the cursor. */
static ts_code take_command(cloud_conversation *v, cloud_cursor *c)
{
    uint8_t type = cloud_u8(c);
    if (v->failed && type != VERSION) {
        cloud_fail(c, CLOUD_BAD);
    }
    switch (c->got == CLOUD_GOT ? type : ACK) {
    case ACK:
        v->open -= v->open > 0;
        return TS_OK;
    case FLUSH:
        v->open++;
        return TS_OK;
    case CLOSE:
        return TS_OK;
    case VERSION:
        return take_version(v, c);
    case INIT:
        return take_init(v, c);
    case DATA:
        return take_data(v, c);
    case INIT_OLD:
        return take_init_old(v, c);
    case VERSION_OLD:
        (void)cloud_fixed(c, 8);
        return TS_OK;
    case RESULT:
        (void)take_handle(c);
        (void)cloud_u8(c);
        return TS_OK;
    case FAILED:
        v->failed = true;
        v->open = 0;
        return ts_issue(v->job->store, v->any_pod ? v->pod_id : v->source_id,
                        TS_ISSUE_cloud_refused, NULL, (int64_t)v->parsed,
                        "the collector reports an error");
    default:
        cloud_fail(c, CLOUD_BAD);
        return TS_OK;
    }
}

/* --- the conversation ----------------------------------------------------------------------- */

ts_code cloud_conversation_new(cloud_conversation **out, ts_job *job, int64_t source_id)
{
    cloud_conversation *v = ts_zalloc(job->ctx, 1, sizeof *v);
    *out = v;
    TS_NEED(job->ctx, v);
    v->job = job;
    v->ctx = job->ctx;
    v->streams.ctx = job->ctx;
    v->source_id = source_id;
    return TS_OK;
}

static ts_code stop_conversation(cloud_conversation *v, const char *what)
{
    v->stopped = true;
    return ts_issue(v->job->store, v->source_id, TS_ISSUE_cloud_conversation_bad, NULL,
                    (int64_t)v->parsed, "%s", what);
}

/* All commands that are complete. */
static ts_code take_commands(cloud_conversation *v, size_t *used, const uint8_t *p, size_t n)
{
    ts_code code = TS_OK;
    *used = 0;
    while (*used < n && code == TS_OK) {
        cloud_cursor c = {p + *used, p + n, CLOUD_GOT};
        code = take_command(v, &c);
        if (c.got == CLOUD_SHORT) {
            break;
        }
        if (c.got == CLOUD_BAD) {
            return stop_conversation(v, v->why != NULL ? v->why : "invalid command");
        }
        v->parsed += (size_t)(c.p - (p + *used));
        *used = (size_t)(c.p - p);
    }
    return code;
}

ts_code cloud_conversation_feed(cloud_conversation *v, const uint8_t *p, size_t n)
{
    size_t used;
    ts_code code;
    v->bytes += n;
    if (v->stopped) {
        return TS_OK;
    }
    if (v->pending.n > 0) {
        if ((code = ts_buf_put(v->ctx, &v->pending, p, n)) != TS_OK ||
            (code = take_commands(v, &used, (const uint8_t *)v->pending.p, v->pending.n)) !=
                TS_OK) {
            return code;
        }
        memmove(v->pending.p, v->pending.p + used, v->pending.n - used);
        v->pending.n -= used;
        return TS_OK;
    }
    if ((code = take_commands(v, &used, p, n)) != TS_OK || v->stopped) {
        return code;
    }
    return ts_buf_put(v->ctx, &v->pending, p + used, n - used);
}

static ts_code answers_missing(cloud_conversation *v)
{
    ts_code code = cloud_lose_of(v->job->store, v->pod_id, "answers", v->open);
    return code != TS_OK
               ? code
               : ts_issue(v->job->store, v->pod_id, TS_ISSUE_cloud_answer_missing, NULL,
                          (int64_t)v->parsed,
                          "%" PRIu64 " commands are not acknowledged by the collector", v->open);
}

ts_code cloud_conversation_finish(cloud_conversation *v)
{
    ts_code code;
    TS_TRY(code, ts_count_add(v->job->store, v->source_id, TS_ITEM_bytes, NULL,
                              v->parsed - v->stray, v->bytes - v->parsed + v->stray, 0));
    if (!v->stopped && v->parsed < v->bytes) {
        code = stop_conversation(v, "the conversation ends inside a command");
    } else if (!v->stopped && v->any_pod && v->open > 0) {
        code = answers_missing(v);
    }
    if (code == TS_OK && !v->any_pod) {
        return ts_fail(v->ctx, TS_ERR_FORMAT, "%s names no pod", v->job->name);
    }
    return code != TS_OK ? code : end_conversation_pod(v);
}

void cloud_conversation_free(cloud_conversation *v)
{
    cloud_streams_close(&v->streams);
    ts_buf_free(v->ctx, &v->pending);
    ts_free(v->ctx, v);
}
