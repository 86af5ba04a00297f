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
#include "base/alloc.h"
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

/* Streams of one pod: a spool for each file, found by the handle under which it was opened. */
enum {
    HANDLE = 16,       /* bytes */
    MAX_STREAMS = 4096 /* of one pod, and handles; each stream has a spool of up to 64 KiB */
};

typedef struct pod_streams {
    ts_ctx *ctx;
    ts_vec files;     /* cloud_file */
    ts_vec streams;   /* one a handle */
    ts_index by_name; /* of files */
    ts_index by_handle;
} pod_streams;

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
    pod_streams streams; /* of the pod */
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

/* --- streams of a pod ----------------------------------------------------------------------- */

typedef struct open_stream {
    uint8_t handle[HANDLE];
    size_t file; /* number among the files */
} open_stream;

/* Drops all streams, for the next pod. */
static void clear_streams(pod_streams *s)
{
    cloud_file *files = s->files.p;
    for (size_t i = 0; i < s->files.n; i++) {
        ts_spool_free(files[i].spool);
    }
    s->files.n = 0;
    s->streams.n = 0;
    ts_index_free(s->ctx, &s->by_name);
    ts_index_free(s->ctx, &s->by_handle);
}

static uint64_t hash_name(const pod_streams *s, const char *name, int64_t index)
{
    ts_hash h = ts_hash_begin(&s->ctx->hash_key);
    ts_hash_word(&h, (uint64_t)index);
    ts_hash_bytes(&h, name, strlen(name));
    return ts_hash_end(&h);
}

static bool is_file(const void *owner, uint32_t number, const void *key)
{
    const pod_streams *s = owner;
    const cloud_file *f = (const cloud_file *)s->files.p + number;
    const cloud_file *wanted = key;
    return f->index == wanted->index && strcmp(f->stream, wanted->stream) == 0;
}

static uint64_t hash_handle(const pod_streams *s, const uint8_t *handle)
{
    ts_hash h = ts_hash_begin(&s->ctx->hash_key);
    ts_hash_bytes(&h, (const char *)handle, HANDLE);
    return ts_hash_end(&h);
}

static bool is_stream(const void *owner, uint32_t number, const void *key)
{
    const pod_streams *s = owner;
    return memcmp(((const open_stream *)s->streams.p)[number].handle, key, HANDLE) == 0;
}

/* The file of the stream with this number, made when new. */
static ts_code file_of(size_t *number, pod_streams *s, ts_text name, int64_t index)
{
    cloud_file f = {.index = index, .name = ""};
    ts_index_place place;
    uint32_t found;
    size_t n = name.n < sizeof f.stream ? name.n : sizeof f.stream - 1;
    memcpy(f.stream, name.p, n);
    f.kind = cloud_kind_of(f.stream, n);
    TS_TRY(ts_index_reserve(s->ctx, &s->by_name));
    found = ts_index_search(&place, &s->by_name, hash_name(s, f.stream, index), is_file, s, &f);
    if (found != TS_INDEX_NONE) {
        *number = found;
        return TS_OK;
    }
    TS_TRY(ts_vec_reserve(s->ctx, &s->files, 1, sizeof f));
    TS_TRY(ts_spool_new(&f.spool, s->ctx));
    *number = s->files.n;
    ((cloud_file *)s->files.p)[s->files.n++] = f;
    ts_index_add(&s->by_name, place, (uint32_t)*number);
    return TS_OK;
}

/* The handle stands for the file of the stream with that index from now on; made when new. */
static ts_code open_stream_file(pod_streams *s, const uint8_t *handle, ts_text name, int64_t index)
{
    open_stream *opened;
    ts_index_place place;
    size_t file;
    uint32_t number;
    TS_TRY(file_of(&file, s, name, index));
    TS_TRY(ts_index_reserve(s->ctx, &s->by_handle));
    number = ts_index_search(&place, &s->by_handle, hash_handle(s, handle), is_stream, s, handle);
    if (number != TS_INDEX_NONE) {
        ((open_stream *)s->streams.p)[number].file = file;
        return TS_OK;
    }
    TS_NEED(s->ctx, opened = ts_vec_add(s->ctx, &s->streams, sizeof *opened));
    memcpy(opened->handle, handle, HANDLE);
    opened->file = file;
    ts_index_add(&s->by_handle, place, (uint32_t)s->streams.n - 1);
    return TS_OK;
}

/* The spool of the stream that was opened with the handle, or NULL. */
static ts_spool *find_spool(const pod_streams *s, const uint8_t *handle)
{
    uint32_t number = ts_index_find(&s->by_handle, hash_handle(s, handle), is_stream, s, handle);
    if (number == TS_INDEX_NONE) {
        return NULL;
    }
    return ((const cloud_file *)s->files.p)[((const open_stream *)s->streams.p)[number].file].spool;
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
    for (size_t i = 0; i < v->streams.files.n; i++) {
        has[files[i].kind] = true;
    }
    uint64_t missing = (uint64_t)!has[CLOUD_TRACE] + !has[CLOUD_CALLS] +
                       !(has[CLOUD_DICTIONARY] || has[CLOUD_POS_DICTIONARY]);
    if (missing == 0 || v->refused || v->failed) {
        return TS_OK;
    }
    TS_TRY(cloud_lose_of(v->job->store, v->pod_id, "streams", missing));
    return ts_issue(v->job->store, v->pod_id, TS_ISSUE_cloud_stream_missing, NULL,
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
    clear_streams(&v->streams);
    return code;
}

static ts_code begin_conversation_pod(cloud_conversation *v)
{
    ts_code code;
    TS_TRY_INTO(code, end_conversation_pod(v));
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
    ts_row_source *source = ts_source(v->job->store, v->pod_id);
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
    ts_code code;
    if (c->got != CLOUD_GOT || too_many_pods(v, c)) {
        return TS_OK;
    }
    TS_TRY_INTO(code, begin_conversation_pod(v));
    TS_TRY_INTO(code, name_pod(v, pod, service, space));
    ts_row_source *source = ts_source(v->job->store, v->pod_id);
    int n = snprintf(text, sizeof text, "%" PRIu64, client);
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
    if (c->got != CLOUD_GOT || too_many_pods(v, c)) {
        return TS_OK;
    }
    ts_code code = begin_conversation_pod(v);
    return code != TS_OK ? code : name_pod(v, pod, service, space);
}

static ts_code take_init(cloud_conversation *v, cloud_cursor *c)
{
    field name = take_field(c);
    ts_code code;
    (void)cloud_fixed(c, 8);
    const uint8_t *handle = take_handle(c);
    (void)cloud_fixed(c, 8);
    (void)cloud_fixed(c, 8);
    int64_t seq = (int32_t)cloud_fixed(c, 4);
    if (c->got != CLOUD_GOT) {
        return TS_OK;
    }
    if (seq < 0) {
        cloud_fail(c, CLOUD_BAD);
        return TS_OK;
    }
    if (v->streams.streams.n == MAX_STREAMS || v->streams.files.n == MAX_STREAMS) {
        reject_command(v, c, "a pod has more than 4096 streams; what follows is not read");
        return TS_OK;
    }
    if (!v->in_pod && too_many_pods(v, c)) {
        return TS_OK;
    }
    if (!v->in_pod && (code = begin_conversation_pod(v)) != TS_OK) {
        return code;
    }
    return open_stream_file(&v->streams, handle, (ts_text){(const char *)name.p, name.n}, seq + 1);
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
    if ((spool = find_spool(&v->streams, handle)) != NULL) {
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
        TS_TRY_INTO(code, ts_buf_put(v->ctx, &v->pending, p, n));
        TS_TRY_INTO(code, take_commands(v, &used, (const uint8_t *)v->pending.p, v->pending.n));
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
    TS_TRY(cloud_lose_of(v->job->store, v->pod_id, "answers", v->open));
    return ts_issue(v->job->store, v->pod_id, TS_ISSUE_cloud_answer_missing, NULL,
                    (int64_t)v->parsed,
                    "%" PRIu64 " commands are not acknowledged by the collector", v->open);
}

ts_code cloud_conversation_finish(cloud_conversation *v)
{
    ts_code code;
    TS_TRY_INTO(code, ts_count_add(v->job->store, v->source_id, TS_ITEM_bytes, NULL,
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
    clear_streams(&v->streams);
    ts_vec_free(v->ctx, &v->streams.files);
    ts_vec_free(v->ctx, &v->streams.streams);
    ts_buf_free(v->ctx, &v->pending);
    ts_free(v->ctx, v);
}
