/* Directories and archives of stream files. Each pod becomes a source of its own. */
#include "parsers/cloud/pod.h"
#include "parsers/format.h"

#include "base/alloc.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONVERSATION_BLOCK = 256 * 1024 };

static int sniff_set(const ts_sniff *s)
{
    bool has[CLOUD_KINDS] = {false};
    if (s->names == NULL) {
        return TS_SNIFF_NO;
    }
    for (uint32_t i = 0; i < s->name_count; i++) {
        cloud_file f;
        if (cloud_file_parse(&f, s->names[i])) {
            has[f.kind] = true;
        }
    }
    if (has[CLOUD_CALLS] || has[CLOUD_TRACE]) {
        return has[CLOUD_DICTIONARY] || has[CLOUD_POS_DICTIONARY] ? TS_SNIFF_SURE : TS_SNIFF_LIKELY;
    }
    return has[CLOUD_DICTIONARY] || has[CLOUD_POS_DICTIONARY] || has[CLOUD_SUSPEND] ||
                   has[CLOUD_PARAMS]
               ? TS_SNIFF_LIKELY
               : TS_SNIFF_NO;
}

static int compare_pods(const void *a, const void *b)
{
    const cloud_file *x = a;
    const cloud_file *y = b;
    size_t n = x->pod_n < y->pod_n ? x->pod_n : y->pod_n;
    int order = memcmp(x->name, y->name, n);
    if (order == 0 && x->pod_n != y->pod_n) {
        order = x->pod_n < y->pod_n ? -1 : 1;
    }
    return order != 0 ? order : x->member < y->member ? -1 : x->member > y->member;
}

/* The files of all pods, pod by pod. */
static ts_code list_files(cloud_file **files, uint32_t *n, ts_job *job)
{
    uint32_t count;
    ts_code code = ts_fileset_count(&count, job->set);
    *n = 0;
    if (code != TS_OK) {
        return code;
    }
    TS_NEED(job->ctx, *files = ts_alloc(job->ctx, count == 0 ? 1 : count, sizeof **files));
    for (uint32_t i = 0; i < count; i++) {
        cloud_file *f = &(*files)[*n];
        if (!ts_job_taken(job, i) && cloud_file_parse(f, ts_member_name(job->set, i))) {
            f->member = i;
            ts_job_take(job, i);
            (*n)++;
        }
    }
    qsort(*files, *n, sizeof **files, compare_pods);
    return TS_OK;
}

/* The start of the agent: the directory's name, or what follows the last _ of a pod's name. */
static bool start_ms(int64_t *out, const char *p, size_t n)
{
    const char *line = n == 0 ? NULL : memrchr(p, '_', n);
    const char *digits = line == NULL ? p : line + 1;
    uint64_t ms = 0;
    if (n - (size_t)(digits - p) != 13) {
        return false;
    }
    for (size_t i = 0; i < 13; i++) {
        if (digits[i] < '0' || digits[i] > '9') {
            return false;
        }
        ms = ms * 10 + (uint64_t)(digits[i] - '0');
    }
    *out = cloud_ns((int64_t)ms);
    return cloud_plausible_ms(ms);
}

ts_code cloud_source_name(ts_job *job, int64_t id, const char *p, size_t n)
{
    ts_row_source *source = ts_source(job->store, id);
    int64_t start;
    ts_code code;
    if (n == 0) {
        return TS_OK;
    }
    if ((code = ts_source_text(job->store, id, &source->name, p, n)) == TS_OK &&
        start_ms(&start, p, n)) {
        TS_SET_VALUE(source, source, start_ts, start);
    }
    return code;
}

/* The row of a pod: that of the job for the first one (cloud_format.c). */
static ts_code cloud_source(int64_t *id, ts_job *job, bool first)
{
    ts_code code = TS_OK;
    *id = job->source_id;
    TS_STEP_IF(code, !first, ts_source_add(id, job->store, 0, "input", job->label, "cloud"));
    if (code != TS_OK) {
        return code;
    }
    ts_row_source *source = ts_source(job->store, *id);
    return ts_source_text(job->store, *id, &source->kind, "pod", 3);
}

/* The pod's row. Its name is the last part of what its files' names have in common. */
static ts_code begin_pod_source(int64_t *id, ts_job *job, const cloud_file *f, bool first)
{
    size_t begin = cloud_file_pod_base(f);
    ts_code code;
    TS_TRY_INTO(code, cloud_source(id, job, first));
    ts_row_source *source = ts_source(job->store, *id);
    if (f->pod_n == 0) {
        return cloud_source_name(job, *id, job->name, strlen(job->name));
    }
    if (ts_fileset_kind(job->set) == TS_SET_FILE) {
        return cloud_source_name(job, *id, f->name + begin, f->pod_n - begin);
    }
    code = ts_source_property(job->store, *id,
                              ts_fileset_kind(job->set) == TS_SET_ARCHIVE ? "archive" : "directory",
                              ts_text_of(job->label));
    TS_STEP(code, ts_source_text(job->store, *id, &source->path, f->name, f->pod_n));
    return code != TS_OK ? code : cloud_source_name(job, *id, f->name + begin, f->pod_n - begin);
}

/* The agent's own files are called <stream>/<index>. */
static bool is_agent(const cloud_file *f)
{
    return f->name[f->pod_n] == '/' || f->pod_n == 0;
}

/* Digits only, `n` of them or, for 0, any number. */
static bool is_number(const char *p, size_t length, size_t n)
{
    for (size_t i = 0; i < length; i++) {
        if (p[i] < '0' || p[i] > '9') {
            return false;
        }
    }
    return n == 0 ? length > 0 : length == n;
}

/*
 * The part of a pod's name that is that of its server: <server>/<year>/<month>/<day>/<start>. Where
 * the input is a directory below the server's it has fewer parts, all of one server. False: the
 * directories are not called so.
 */
static bool server_of(size_t *out, const cloud_file *f)
{
    static const size_t digits[] = {0, 2, 2, 4};
    size_t end = f->pod_n;
    for (size_t i = 0; i < 4; i++) {
        size_t begin = end;
        while (begin > 0 && f->name[begin - 1] != '/') {
            begin--;
        }
        if (!is_number(f->name + begin, end - begin, digits[i])) {
            return false;
        }
        end = begin == 0 ? 0 : begin - 1;
        if (begin == 0) {
            break;
        }
    }
    *out = end;
    return true;
}

static const cloud_file *own_params(const cloud_file *files, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (files[i].kind == CLOUD_PARAMS) {
            return &files[i];
        }
    }
    return NULL;
}

/* Params for starts of a server that have none, found last. Pods of a server follow one another. */
typedef struct server_params {
    const cloud_file *pod; /* one of the server; NULL: none so far */
    size_t server;         /* the part of its name that is the server's */
    const cloud_file *params;
} server_params;

/*
 * Params of another start of the server, which are the same: those of the start before, or else of
 * the first one after it. NULL: there are none. Pods are in the order of their names, and `last` is
 * what was found for the one before of the same server: its own, or those of the first after it.
 */
static const cloud_file *find_params(server_params *last, const cloud_file *files, size_t n,
                                     const cloud_file *pod, const cloud_file *own)
{
    size_t server;
    size_t other;
    if (!is_agent(pod) || !server_of(&server, pod)) {
        return NULL;
    }
    if (last->pod == NULL || last->server != server ||
        memcmp(last->pod->name, pod->name, server) != 0) {
        *last = (server_params){pod, server, NULL};
        for (size_t i = 0; i < n && (last->params == NULL || files + i < pod); i++) {
            const cloud_file *f = &files[i];
            if (f->kind == CLOUD_PARAMS && is_agent(f) && server_of(&other, f) && other == server &&
                memcmp(f->name, pod->name, server) == 0) {
                last->params = f;
            }
        }
    }
    last->params = own != NULL ? own : last->params;
    return last->params;
}

/* The files of a pod, which are `n` of all. */
static ts_code import_pod(ts_job *job, int64_t id, server_params *last, const cloud_file *all,
                          size_t count, const cloud_file *pod, size_t n)
{
    const cloud_file *own = own_params(pod, n);
    const cloud_file *params = find_params(last, all, count, pod, own);
    cloud_file *files = ts_alloc(job->ctx, n + 1, sizeof *files);
    ts_code code = TS_OK;
    TS_NEED(job->ctx, files);
    memcpy(files, pod, n * sizeof *files);
    if (own == NULL && params != NULL) {
        files[n] = *params;
        files[n++].borrowed = true;
        code = ts_issue(job->store, id, TS_ISSUE_cloud_params_borrowed, "params 1", TS_NO_OFFSET,
                        "from %s", params->name);
    }
    TS_STEP(code, cloud_pod_import(job, id, files, n, is_agent(pod)));
    ts_free(job->ctx, files);
    return code;
}

static ts_code import_pods(ts_job *job, const cloud_file *files, size_t n, bool *first)
{
    server_params last = {NULL, 0, NULL};
    size_t i = 0;
    ts_code code = TS_OK;
    while (i < n && code == TS_OK) {
        size_t end = i + 1;
        int64_t id;
        while (end < n &&
               ((&files[i])->pod_n == (&files[end])->pod_n &&
                memcmp((&files[i])->name, (&files[end])->name, (&files[i])->pod_n) == 0)) {
            end++;
        }
        code = begin_pod_source(&id, job, &files[i], *first);
        TS_STEP(code, import_pod(job, id, &last, files, n, &files[i], end - i));
        *first = false;
        i = end;
    }
    return code;
}

/* --- conversations -------------------------------------------------------------------------- */

static ts_code read_conversation(ts_job *job, ts_stream *stream, uint32_t member, bool first)
{
    const char *name = ts_member_name(job->set, member);
    cloud_conversation *v = NULL;
    uint8_t *block = ts_alloc(job->ctx, CONVERSATION_BLOCK, 1);
    ts_row_source *source;
    int64_t id = 0;
    size_t got = 1;
    ts_code code = block == NULL ? job->ctx->error.code : cloud_source(&id, job, first);
    if (code != TS_OK) {
        goto out;
    }
    source = ts_source(job->store, id);
    if ((code = ts_source_text(job->store, id, &source->path, name, strlen(name))) != TS_OK ||
        (code = cloud_conversation_new(&v, job, id)) != TS_OK) {
        goto out;
    }
    while (code == TS_OK && got > 0) {
        code = ts_stream_read(&got, stream, block, CONVERSATION_BLOCK);
        if (code == TS_ERR_INPUT && ts_stream_offset(stream) > 0) {
            got = 0;
            code = ts_issue(job->store, id, TS_ISSUE_input_read_failed, NULL,
                            (int64_t)ts_stream_offset(stream), "%s", job->ctx->error.causes[0]);
            TS_STEP(code, cloud_lose_of(job->store, id, "ends", 1));
        }
        TS_STEP_IF(code, got > 0, cloud_conversation_feed(v, block, got));
    }
    if (code == TS_OK) {
        ts_job_read(job, ts_stream_offset(stream));
        source->bytes += (int64_t)ts_stream_offset(stream);
        code = cloud_conversation_finish(v);
    }
out:
    if (v != NULL) {
        cloud_conversation_free(v);
    }
    ts_free(job->ctx, block);
    return code;
}

/* Imports the member when it is a conversation; *others counts those that are none. */
static ts_code try_conversation(ts_job *job, uint32_t member, bool *first, uint32_t *others)
{
    ts_stream *stream = NULL;
    ts_text head;
    ts_code code = ts_member_open(&stream, job->set, member);
    if (code == TS_OK && (code = ts_stream_peek(&head, stream)) == TS_OK) {
        if (cloud_is_conversation((const uint8_t *)head.p, head.n)) {
            ts_job_take(job, member);
            code = read_conversation(job, stream, member, *first);
            *first = false;
        } else {
            (*others)++;
        }
    }
    if (stream != NULL) {
        ts_stream_close(stream);
    }
    if (code == TS_ERR_INPUT) {
        ts_job_take(job, member);
        code = ts_issue(job->store, job->source_id, TS_ISSUE_member_failed,
                        ts_member_name(job->set, member), TS_NO_OFFSET, "%s",
                        job->ctx->error.causes[0]);
        TS_STEP(code, cloud_lose_of(job->store, job->source_id, "files", 1));
    }
    return code;
}

/* The members that belong to no pod by their name. */
static ts_code import_others(ts_job *job, bool *first, uint32_t *others)
{
    uint32_t count;
    ts_code code = ts_fileset_count(&count, job->set);
    for (uint32_t i = 0; i < count && code == TS_OK; i++) {
        cloud_file f;
        if (!ts_job_taken(job, i) && !cloud_file_parse(&f, ts_member_name(job->set, i))) {
            code = try_conversation(job, i, first, others);
        }
    }
    return code;
}

static ts_code note_set(ts_job *job, uint32_t others)
{
    const ts_damage *damage = ts_fileset_damage(job->set);
    ts_code code = TS_OK;
    if (damage != NULL) {
        code = ts_issue(job->store, job->source_id, TS_ISSUE_wire_damage, NULL,
                        (int64_t)damage->offset, "%s", damage->what);
        TS_STEP(code, cloud_lose_of(job->store, job->source_id, "ends", 1));
    }
    TS_STEP_IF(code, others > 0,
               ts_issue_n(job->store, job->source_id, TS_ISSUE_member_skipped, NULL, TS_NO_OFFSET,
                          others, "files that are not streams of a pod"));
    return code;
}

static ts_code import_pod_set(ts_job *job)
{
    cloud_file *files = NULL;
    uint32_t n = 0;
    uint32_t others = 0;
    bool first = true;
    ts_code code = list_files(&files, &n, job);
    TS_STEP(code, import_pods(job, files, n, &first));
    TS_STEP(code, import_others(job, &first, &others));
    TS_STEP(code, first ? ts_fail(job->ctx, TS_ERR_FORMAT,
                                  "%s holds no streams of the Cloud Profiler", job->name)
                        : note_set(job, others));
    ts_free(job->ctx, files);
    return code;
}

static bool is_stream_file(const char *name)
{
    cloud_file f;
    return cloud_file_parse(&f, name);
}

TS_SOURCE_FORMAT(cloud) = {
    .name = "cloud",
    .title = "agent directory or stream files of the Cloud Profiler for Java (also zip or tar)",
    .source_type = "cloud",
    .sniff = sniff_set,
    .import_set = import_pod_set,
    .joins = is_stream_file,
};

/* --- one file: a conversation, or a single stream of a pod ---------------------------------- */

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
    s->known = true;
    ts_code code = cloud_is_conversation(p, s->head.n)
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
    int64_t id;
    ts_tally *tally;
    ts_tally *of_stream;
    if (!cloud_file_parse(&f, name)) {
        static const char *const names[] = {"dictionary", "", "params", "suspend",
                                            "",           "", "trace",  "calls"};
        f.kind = kind_of_head((const uint8_t *)s->head.p, s->head.n);
        f.index = 1;
        if (f.kind == CLOUD_OTHER) {
            return ts_fail(s->job->ctx, TS_ERR_FORMAT, "%s is not a stream of the Cloud Profiler",
                           name);
        }
        snprintf(f.stream, sizeof f.stream, "%s", names[f.kind]);
    }
    f.spool = s->spool;
    size_t begin = cloud_file_pod_base(&f);
    TS_TRY(cloud_source(&id, s->job, true));
    TS_TRY(cloud_source_name(s->job, id, name + begin, f.pod_n - begin));
    TS_TRY(cloud_pod_import(s->job, id, &f, 1, false));
    TS_TRY(ts_count(&of_stream, s->job->store, id, TS_ITEM_cloud_stream_bytes, f.stream));
    TS_TRY(ts_count(&tally, s->job->store, id, TS_ITEM_bytes, NULL));
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
