#include "parsers/cloud/conversation.h"

#include "base/alloc.h"
#include "parsers/cloud/cloud_impl.h"

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
    MAX_STREAMS = 4096, /* of one pod; each has a spool */
    HANDLE = 16
};

typedef struct field {
    const uint8_t *p;
    size_t n;
} field;

typedef struct stream {
    uint8_t handle[HANDLE];
    size_t file; /* number among the files */
} stream;

struct cloud_conversation {
    ts_job *job;
    ts_ctx *ctx;
    int64_t source_id; /* of the file */
    int64_t pod_id;
    bool in_pod;
    bool any_pod;
    bool stopped;
    bool failed; /* the connection has ended; only another one may follow */
    uint64_t bytes;
    uint64_t parsed;
    ts_buf pending;
    cloud_array files;   /* cloud_file */
    cloud_array streams; /* stream: a handle may be opened anew */
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

static void drop_files(cloud_conversation *v)
{
    cloud_file *files = v->files.p;
    for (size_t i = 0; i < v->files.n; i++) {
        ts_spool_free(files[i].spool);
    }
    v->files.n = 0;
    v->streams.n = 0;
}

static ts_code end_pod(cloud_conversation *v)
{
    ts_code code = TS_OK;
    if (v->in_pod) {
        code = cloud_pod_import(v->job, v->pod_id, v->files.p, v->files.n, false);
    }
    v->in_pod = false;
    drop_files(v);
    return code;
}

static ts_code begin_pod(cloud_conversation *v)
{
    ts_row_source *source;
    ts_code code = end_pod(v);
    if (code != TS_OK) {
        return code;
    }
    v->pod_id = v->source_id;
    if (v->any_pod && (code = ts_source_add(&v->pod_id, v->job->store, 0, "input", v->job->name,
                                            "cloud")) != TS_OK) {
        return code;
    }
    v->in_pod = true;
    v->any_pod = true;
    v->failed = false;
    source = ts_source(v->job->store, v->pod_id);
    return ts_source_text(v->job->store, v->pod_id, &source->kind, "pod", 3);
}

static ts_code property(cloud_conversation *v, const char *key, field value)
{
    return ts_source_property(v->job->store, v->pod_id, key,
                              (ts_text){(const char *)value.p, value.n});
}

static ts_code name_pod(cloud_conversation *v, field pod, field service, field space)
{
    ts_code code = cloud_source_name(v->job, v->pod_id, (const char *)pod.p, pod.n);
    if (code == TS_OK && (code = property(v, "service", service)) == TS_OK) {
        code = property(v, "namespace", space);
    }
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

static ts_code version(cloud_conversation *v, cloud_cursor *c)
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
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    if ((code = begin_pod(v)) != TS_OK || (code = name_pod(v, pod, service, space)) != TS_OK) {
        return code;
    }
    source = ts_source(v->job->store, v->pod_id);
    n = snprintf(text, sizeof text, "%" PRIu64, client);
    code = ts_source_text(v->job->store, v->pod_id, &source->format_version, text, (size_t)n);
    n = snprintf(text, sizeof text, "%" PRIu64, server);
    if (code == TS_OK) {
        code = property(v, "server_version", (field){(const uint8_t *)text, (size_t)n});
    }
    return code != TS_OK || server != REFUSED
               ? code
               : ts_issue(v->job->store, v->pod_id, TS_ISSUE_cloud_refused, NULL,
                          (int64_t)v->parsed, "the collector refuses version %" PRIu64, client);
}

static ts_code init_old(cloud_conversation *v, cloud_cursor *c)
{
    field space = take_field(c);
    field service = take_field(c);
    field pod = take_field(c);
    ts_code code;
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    code = begin_pod(v);
    return code != TS_OK ? code : name_pod(v, pod, service, space);
}

/* The file of the stream with this number, made when new. */
static ts_code file_of(cloud_conversation *v, size_t *number, field name, int64_t index)
{
    cloud_file f = {.index = index, .name = ""};
    cloud_file *files = v->files.p;
    size_t n = name.n < sizeof f.stream ? name.n : sizeof f.stream - 1;
    ts_code code;
    memcpy(f.stream, name.p, n);
    f.kind = cloud_kind_of(f.stream, n);
    for (size_t i = 0; i < v->files.n; i++) {
        if (files[i].index == index && strcmp(files[i].stream, f.stream) == 0) {
            *number = i;
            return TS_OK;
        }
    }
    if ((code = cloud_grow(v->ctx, &v->files, sizeof f)) != TS_OK ||
        (code = ts_spool_new(&f.spool, v->ctx)) != TS_OK) {
        return code;
    }
    *number = v->files.n;
    ((cloud_file *)v->files.p)[v->files.n++] = f;
    return TS_OK;
}

static ts_code init(cloud_conversation *v, cloud_cursor *c)
{
    field name = take_field(c);
    const uint8_t *handle;
    stream s;
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
    if (v->streams.n == MAX_STREAMS || seq < 0) {
        cloud_fail(c, CLOUD_BAD);
        return TS_OK;
    }
    if (!v->in_pod && (code = begin_pod(v)) != TS_OK) {
        return code;
    }
    memcpy(s.handle, handle, HANDLE);
    if ((code = file_of(v, &s.file, name, seq + 1)) != TS_OK ||
        (code = cloud_grow(v->ctx, &v->streams, sizeof s)) != TS_OK) {
        return code;
    }
    ((stream *)v->streams.p)[v->streams.n++] = s;
    return TS_OK;
}

static ts_code data(cloud_conversation *v, cloud_cursor *c)
{
    const uint8_t *handle = take_handle(c);
    field f = take_field(c);
    const stream *streams = v->streams.p;
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    for (size_t i = v->streams.n; i > 0; i--) {
        if (memcmp(streams[i - 1].handle, handle, HANDLE) == 0) {
            return ts_spool_write(((cloud_file *)v->files.p)[streams[i - 1].file].spool, f.p, f.n);
        }
    }
    return ts_issue(v->job->store, v->source_id, TS_ISSUE_cloud_handle_unknown, NULL,
                    (int64_t)v->parsed, "%zu bytes for a stream that was not opened", f.n);
}

/* One command at the cursor. */
static ts_code command(cloud_conversation *v, cloud_cursor *c)
{
    uint8_t type = cloud_u8(c);
    if (v->failed && type != VERSION) {
        cloud_fail(c, CLOUD_BAD);
    }
    switch (c->got == CLOUD_GOT ? type : ACK) {
    case ACK:
    case FLUSH:
    case CLOSE:
        return TS_OK;
    case VERSION:
        return version(v, c);
    case INIT:
        return init(v, c);
    case DATA:
        return data(v, c);
    case INIT_OLD:
        return init_old(v, c);
    case VERSION_OLD:
        (void)cloud_fixed(c, 8);
        return TS_OK;
    case RESULT:
        (void)take_handle(c);
        (void)cloud_u8(c);
        return TS_OK;
    case FAILED:
        v->failed = true;
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
    if (v == NULL) {
        return job->ctx->error.code;
    }
    v->job = job;
    v->ctx = job->ctx;
    v->source_id = source_id;
    return TS_OK;
}

static ts_code stop(cloud_conversation *v, const char *what)
{
    v->stopped = true;
    return ts_issue(v->job->store, v->source_id, TS_ISSUE_cloud_conversation_bad, NULL,
                    (int64_t)v->parsed, "%s", what);
}

/* All commands that are whole. */
static ts_code commands(cloud_conversation *v, size_t *used, const uint8_t *p, size_t n)
{
    ts_code code = TS_OK;
    *used = 0;
    while (*used < n && code == TS_OK) {
        cloud_cursor c = {p + *used, p + n, CLOUD_GOT};
        code = command(v, &c);
        if (c.got == CLOUD_SHORT) {
            break;
        }
        if (c.got == CLOUD_BAD) {
            return stop(v, "no command begins here");
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
            (code = commands(v, &used, (const uint8_t *)v->pending.p, v->pending.n)) != TS_OK) {
            return code;
        }
        memmove(v->pending.p, v->pending.p + used, v->pending.n - used);
        v->pending.n -= used;
        return TS_OK;
    }
    if ((code = commands(v, &used, p, n)) != TS_OK || v->stopped) {
        return code;
    }
    return ts_buf_put(v->ctx, &v->pending, p + used, n - used);
}

ts_code cloud_conversation_finish(cloud_conversation *v)
{
    ts_tally *tally;
    ts_code code = ts_count(&tally, v->job->store, v->source_id, TS_ITEM_bytes, NULL);
    if (code != TS_OK) {
        return code;
    }
    tally->seen += v->bytes;
    tally->imported += v->parsed;
    tally->lost += v->bytes - v->parsed;
    if (!v->stopped && v->parsed < v->bytes) {
        code = stop(v, "the conversation ends inside a command");
    }
    if (code == TS_OK && !v->any_pod) {
        return ts_fail(v->ctx, TS_ERR_FORMAT, "%s names no pod", v->job->name);
    }
    return code != TS_OK ? code : end_pod(v);
}

void cloud_conversation_free(cloud_conversation *v)
{
    drop_files(v);
    ts_free(v->ctx, v->files.p);
    ts_free(v->ctx, v->streams.p);
    ts_buf_free(v->ctx, &v->pending);
    ts_free(v->ctx, v);
}
