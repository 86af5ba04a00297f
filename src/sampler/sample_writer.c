/* Sample directories of the Flare profiler, written as they grow (see sample_writer.h). */
#include "sampler/sample_writer.h"

#include "base/alloc.h"
#include "base/json_out.h"
#include "base/ckd.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum {
    HEADER_BODY = 192,    /* of an index or data file */
    NAME_BYTES = 1024,    /* of a thread's name */
    METHOD_BYTES = 32768, /* of a method's */
    SERIES_HEADER = 36
};

typedef struct writer_slot {
    int64_t step;
    int32_t us;
} writer_slot;

typedef struct writer_thread {
    int64_t id;
    ts_buf name;
    const char *state;
    int64_t priority;
    bool daemon;
    int64_t begin_ms, last_ms, cpu_ns, cpu_delta;
    int64_t count;
    int64_t last_step;    /* of the last record */
    int64_t written_step; /* of the last slot in the file */
    ts_vec stack;         /* of int64_t: the last record's */
    ts_vec slots;         /* of writer_slot, not written yet */
    ts_buf index, data;   /* not written yet */
    uint64_t data_offset; /* bytes of the data file with what is not written yet */
    bool has_files;
} writer_thread;

/* --- bytes ---------------------------------------------------------------------------------- */

/* The lowest `bytes` bytes, the highest first. */
static ts_code put_be(ts_ctx *ctx, ts_buf *b, uint64_t v, unsigned bytes)
{
    char out[8];
    for (unsigned i = 0; i < bytes; i++) {
        out[i] = (char)(v >> 8 * (bytes - 1 - i));
    }
    return ts_buf_put(ctx, b, out, bytes);
}

/* Properties as text, padded to the length that collectors write since 2019-11-15. */
static ts_code put_header(ts_ctx *ctx, ts_buf *b, bool index, char key_type, int64_t now)
{
    char body[HEADER_BODY] = {0};
    char number[24];
    const char *const all[][2] = {
        {"desc", index ? "flare profiler indexed file" : "flare profiler data file"},
        {"ver", "0.1.0"},
        {"first_el_type", key_type == '4' ? "4" : "5"},
        {"second_el_type", "4"},
        {"unit_len", "4"},
        {"begin_time", number},
        {"end_time", number},
        {"amount", "0"},
    };
    size_t n = 1;
    ts_code code;
    snprintf(number, sizeof number, "%" PRId64, now);
    body[0] = (char)(sizeof all / sizeof all[0]);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        for (size_t k = 0; k < 2; k++) {
            memcpy(body + n, all[i][k], strlen(all[i][k]));
            n += strlen(all[i][k]) + 1;
        }
    }
    code = ts_buf_put(ctx, b, index ? "TIHS" : "TEHS", 4);
    if (code != TS_OK || (code = put_be(ctx, b, HEADER_BODY, 2)) != TS_OK ||
        (code = ts_buf_put(ctx, b, body, sizeof body)) != TS_OK) {
        return code;
    }
    return ts_buf_put(ctx, b, index ? "TIDS" : "TEDS", 4);
}

/* A record and its entry: the offset of an entry has 32 bits. */
static ts_code put_record(ts_ctx *ctx, ts_buf *index, ts_buf *data, uint64_t *offset, uint64_t key,
                          unsigned key_bytes, ts_text payload)
{
    if (*offset > UINT32_MAX - 65537) {
        return ts_fail(ctx, TS_ERR_LIMIT, "a sample directory's file cannot exceed 4 GiB");
    }
    TS_TRY(put_be(ctx, index, key, key_bytes));
    TS_TRY(put_be(ctx, index, *offset, 4));
    TS_TRY(put_be(ctx, data, payload.n, 2));
    *offset += payload.n + 2;
    return ts_buf_put(ctx, data, payload.p, payload.n);
}

/* --- files: what was added is appended to them ------------------------------------------------ */

/* The thread object of the format's description: of a record and of the summary. */
static ts_code put_object(ts_ctx *ctx, ts_buf *b, const writer_thread *t)
{
    const int64_t *stack = t->stack.p;
    ts_jout j = ts_jout_into(ctx, b);
    j.escapes = TS_JOUT_PLAIN;
    ts_jout_open(&j, NULL, '{');
    ts_jout_int(&j, "id", t->id);
    ts_jout_text(&j, "name", ts_buf_text(&t->name));
    ts_jout_int(&j, "priority", t->priority < 0 ? 0 : t->priority);
    ts_jout_bool(&j, "daemon", t->daemon);
    ts_jout_str(&j, "state", t->state);
    ts_jout_int(&j, "cpu_time", t->cpu_ns);
    ts_jout_int(&j, "cpu_time_delta", t->cpu_delta);
    ts_jout_int(&j, "sample_time", t->last_ms);
    ts_jout_int(&j, "sample_count", t->count);
    ts_jout_open(&j, "stacktrace", '[');
    for (size_t i = 0; i < t->stack.n; i++) {
        ts_jout_int(&j, NULL, stack[i]);
    }
    ts_jout_close(&j, ']');
    ts_jout_int(&j, "duration", 0);
    ts_jout_int(&j, "self_duration", 0);
    ts_jout_int(&j, "self_cpu_time", 0);
    ts_jout_close(&j, '}');
    return j.code;
}

static ts_code fail_write(ts_sample_writer *w, const char *name)
{
    return ts_fail(w->ctx, TS_ERR_OUTPUT, "cannot write %s/%s: %s", w->path, name, strerror(errno));
}

static ts_code append(ts_sample_writer *w, const char *name, ts_buf *b)
{
    int fd;
    ts_code code = TS_OK;
    if (b->n == 0) {
        return TS_OK;
    }
    fd = w->ctx->sys.openat(w->ctx->sys.user, w->dir, name,
                            O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0 || ts_sys_write_all(w->ctx, fd, b->p, b->n) != 0) {
        code = fail_write(w, name);
    }
    if (fd >= 0 && ts_sys_close_written(w->ctx, fd) != 0 && code == TS_OK) {
        code = fail_write(w, name);
    }
    b->n = 0;
    return code;
}

/* The header as it is now; slots that were not written stay 0. */
static ts_code write_slots(ts_sample_writer *w, writer_thread *t, int fd, const char *name)
{
    const writer_slot *list = t->slots.p;
    ts_buf b = {0};
    ts_code code = TS_OK;
    for (size_t i = 0; i < t->slots.n && code == TS_OK;) {
        int64_t first = list[i].step;
        int64_t at = first;
        b.n = 0;
        for (; i < t->slots.n && code == TS_OK && list[i].step - at < 256; i++) {
            while (at < list[i].step && code == TS_OK) {
                code = put_be(w->ctx, &b, 0, 4);
                at++;
            }
            TS_STEP(code, put_be(w->ctx, &b, (uint64_t)(uint32_t)list[i].us, 4));
            at = list[i].step + 1;
            t->written_step = list[i].step;
        }
        if (code == TS_OK &&
            ts_sys_pwrite_all(w->ctx, fd, b.p, b.n, SERIES_HEADER + (off_t)first * 4) != 0) {
            code = fail_write(w, name);
        }
    }
    ts_buf_free(w->ctx, &b);
    t->slots.n = 0;
    return code;
}

static ts_code write_series_header(ts_sample_writer *w, const writer_thread *t, int fd,
                                   const char *name)
{
    int64_t count = t->count < t->written_step + 1 ? t->count : t->written_step + 1;
    ts_buf b = {0};
    ts_code code = ts_buf_put(w->ctx, &b, "TSHS\0\x1a\3\2", 8);
    if (code == TS_OK && (code = put_be(w->ctx, &b, (uint64_t)w->interval_ms, 4)) == TS_OK &&
        (code = put_be(w->ctx, &b, (uint64_t)t->begin_ms, 8)) == TS_OK &&
        (code = put_be(w->ctx, &b, (uint64_t)(t->begin_ms + w->interval_ms * t->written_step),
                       8)) == TS_OK &&
        (code = put_be(w->ctx, &b, (uint64_t)count, 4)) == TS_OK) {
        code = ts_buf_put(w->ctx, &b, "TSDS", 4);
    }
    TS_STEP_IF(code, ts_sys_pwrite_all(w->ctx, fd, b.p, b.n, 0) != 0, fail_write(w, name));
    ts_buf_free(w->ctx, &b);
    return code;
}

static ts_code write_series(ts_sample_writer *w, writer_thread *t)
{
    char name[64];
    int fd;
    ts_code code;
    if (t->slots.n == 0) {
        return TS_OK;
    }
    snprintf(name, sizeof name, "thread_%" PRId64 "_cpu_time.fts", t->id);
    fd = w->ctx->sys.openat(w->ctx->sys.user, w->dir, name,
                            O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0666);
    if (fd < 0) {
        return fail_write(w, name);
    }
    code = write_slots(w, t, fd, name);
    TS_STEP(code, write_series_header(w, t, fd, name));
    if (ts_sys_close_written(w->ctx, fd) != 0 && code == TS_OK) {
        code = fail_write(w, name);
    }
    return code;
}

static ts_code write_thread(ts_sample_writer *w, writer_thread *t)
{
    char name[64];
    ts_code code;
    snprintf(name, sizeof name, "thread_%" PRId64 "_stack.fdata", t->id);
    code = append(w, name, &t->data);
    snprintf(name, sizeof name, "thread_%" PRId64 "_stack.fidx", t->id);
    TS_STEP(code, append(w, name, &t->index));
    TS_STEP(code, write_series(w, t));
    return code;
}

static ts_code put_summary(ts_sample_writer *w, ts_buf *b)
{
    const writer_thread *list = w->threads.p;
    ts_jout j = ts_jout_spaced(w->ctx, b, 0);
    j.escapes = TS_JOUT_PLAIN;
    ts_jout_open(&j, NULL, '{');
    ts_jout_open(&j, "sample_info", '{');
    ts_jout_int(&j, "sample_interval", w->interval_ms);
    ts_jout_int(&j, "sample_start_time", w->sample_start_ms);
    ts_jout_int(&j, "record_start_time", w->record_start_ms);
    ts_jout_int(&j, "last_record_time", w->last_ms);
    ts_jout_str(&j, "agent_addr", w->address);
    ts_jout_str(&j, "sample_data_dir", w->path);
    ts_jout_close(&j, '}');
    ts_jout_open(&j, "threads", '[');
    for (size_t i = 0; i < w->threads.n; i++) {
        ts_jout_raw(&j, NULL, TS_TEXT_LIT("")); /* what precedes the object, which has one line */
        ts_jout_fail(&j, j.code == TS_OK ? put_object(w->ctx, b, &list[i]) : TS_OK);
    }
    j.comma = true; /* the end is in a line of its own, also of no thread */
    ts_jout_ends(&j, "]}");
    ts_jout_line(&j);
    return j.code;
}

/* A reader finds the old summary or the new one, never a part. */
static ts_code write_summary(ts_sample_writer *w)
{
    static const char hidden[] = ".summary_info.json";
    ts_buf b = {0};
    ts_code code = put_summary(w, &b);
    if (code == TS_OK) {
        w->ctx->sys.unlinkat(w->ctx->sys.user, w->dir, hidden);
        code = append(w, hidden, &b);
    }
    ts_buf_free(w->ctx, &b);
    if (code == TS_OK &&
        w->ctx->sys.renameat(w->ctx->sys.user, w->dir, hidden, w->dir, "summary_info.json") != 0) {
        code = fail_write(w, "summary_info.json");
    }
    return code;
}

ts_code ts_sample_writer_flush(ts_sample_writer *w)
{
    writer_thread *list = w->threads.p;
    ts_code code = append(w, "method_info.fdata", &w->method_data);
    TS_STEP(code, append(w, "method_info.fidx", &w->method_index));
    for (size_t i = 0; i < w->threads.n && code == TS_OK; i++) {
        code = write_thread(w, &list[i]);
    }
    TS_STEP(code, write_summary(w));
    return code;
}

/* --- the directory -------------------------------------------------------------------------- */

/* A name that is free: seconds are not enough when a sampling is stopped and begun again. */
static ts_code make_directory(ts_buf *path, ts_ctx *ctx, const char *parent, const char *address,
                              int64_t now_ms)
{
    time_t seconds = (time_t)(now_ms / 1000);
    struct tm local;
    char stamp[32];
    size_t base;
    ts_code code = ts_buf_printf(ctx, path, "%s/", parent);
    if (code != TS_OK || localtime_r(&seconds, &local) == NULL ||
        strftime(stamp, sizeof stamp, "%Y%m%dT%H%M%S", &local) == 0) {
        return code != TS_OK ? code : ts_fail(ctx, TS_ERR_OUTPUT, "the time is out of range");
    }
    base = path->n;
    code = ts_buf_printf(ctx, path, "%s-%s", address, stamp);
    for (size_t i = base; i < path->n; i++) {
        if (path->p[i] == ':' || path->p[i] == '/') {
            path->p[i] = '_';
        }
    }
    base = path->n;
    for (unsigned n = 2; code == TS_OK; n++) {
        if ((code = ts_buf_putc(ctx, path, '\0')) != TS_OK || mkdir(path->p, 0777) == 0) {
            return code;
        }
        if (errno != EEXIST || n > 1000) {
            return ts_fail(ctx, TS_ERR_OUTPUT, "cannot make %s: %s", path->p, strerror(errno));
        }
        path->n = base;
        code = ts_buf_printf(ctx, path, "-%u", n);
    }
    return code;
}

ts_code ts_sample_writer_open(ts_sample_writer *w, ts_ctx *ctx, const char *parent,
                              const char *address, int64_t interval_ms, int64_t sample_start_ms,
                              int64_t now_ms)
{
    ts_buf path = {0};
    ts_code code;
    *w = (ts_sample_writer){.ctx = ctx,
                            .dir = -1,
                            .address = address,
                            .interval_ms = interval_ms,
                            .sample_start_ms = sample_start_ms,
                            .record_start_ms = now_ms,
                            .last_ms = now_ms};
    code = make_directory(&path, ctx, parent, address, now_ms);
    TS_STEP(code, ts_copy_text(&w->path, ctx, path.p, strlen(path.p)));
    ts_buf_free(ctx, &path);
    if (code != TS_OK) {
        return code;
    }
    w->dir = ts_sys_open(ctx, w->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW, 0);
    if (w->dir < 0) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "cannot open %s: %s", w->path, strerror(errno));
    }
    TS_TRY_INTO(code, put_header(ctx, &w->method_index, true, '5', now_ms));
    TS_TRY_INTO(code, put_header(ctx, &w->method_data, false, '5', now_ms));
    w->method_offset = w->method_data.n;
    return ts_sample_writer_flush(w);
}

void ts_sample_writer_close(ts_sample_writer *w)
{
    writer_thread *list = w->threads.p;
    if (w->ctx == NULL) {
        return;
    }
    for (size_t i = 0; i < w->threads.n; i++) {
        ts_buf_free(w->ctx, &list[i].name);
        ts_buf_free(w->ctx, &list[i].index);
        ts_buf_free(w->ctx, &list[i].data);
        ts_vec_free(w->ctx, &list[i].stack);
        ts_vec_free(w->ctx, &list[i].slots);
    }
    ts_vec_free(w->ctx, &w->threads);
    ts_idmap_free(w->ctx, &w->ids);
    ts_idmap_free(w->ctx, &w->named);
    ts_pool_free(w->ctx, &w->methods);
    ts_buf_free(w->ctx, &w->method_index);
    ts_buf_free(w->ctx, &w->method_data);
    ts_vec_free(w->ctx, &w->stack);
    ts_free(w->ctx, w->path);
    if (w->dir >= 0) {
        w->ctx->sys.close(w->ctx->sys.user, w->dir);
    }
    *w = (ts_sample_writer){.dir = -1};
}

/* --- records -------------------------------------------------------------------------------- */

static ts_code put_method(ts_sample_writer *w, int64_t id, ts_text name)
{
    ts_buf text = {0};
    uint64_t replaced = 0;
    ts_code code;
    name.n = name.n > METHOD_BYTES ? ts_utf8_cut(name.p, METHOD_BYTES) : name.n;
    code = ts_utf8_clean(w->ctx, &text, &replaced, name.p, name.n);
    text.n = text.n > 65000 ? ts_utf8_cut(text.p, 65000) : text.n;
    TS_STEP_IF(code, (text.n < 2 || memcmp(text.p + text.n - 2, "()", 2) != 0),
               ts_buf_put(w->ctx, &text, "()", 2));
    TS_STEP(code, put_record(w->ctx, &w->method_index, &w->method_data, &w->method_offset,
                             (uint64_t)id, 8, ts_buf_text(&text)));
    ts_buf_free(w->ctx, &text);
    return code;
}

/* The id of a method; a new one gets its record. */
static ts_code method_id(int64_t *id, ts_sample_writer *w, ts_text name)
{
    uint32_t number;
    bool added;
    ts_code code = ts_pool_intern(w->ctx, &number, &added, &w->methods, name);
    *id = (int64_t)number + 1;
    return code != TS_OK || !added ? code : put_method(w, *id, name);
}

ts_code ts_sample_method(ts_sample_writer *w, int64_t id, ts_text name)
{
    uint64_t known;
    ts_code code;
    if (ts_idmap_find(&known, &w->named, id)) {
        return TS_OK;
    }
    code = put_method(w, id, name);
    return code != TS_OK ? code : ts_idmap_put(w->ctx, &w->named, id, 1);
}

static ts_code make_stack(ts_sample_writer *w, const ts_sample *s)
{
    size_t n = s->frame_count > TS_SAMPLE_FRAMES ? TS_SAMPLE_FRAMES : s->frame_count;
    ts_code code = TS_OK;
    w->stack.n = 0;
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        int64_t *id = ts_vec_add(w->ctx, &w->stack, sizeof *id);
        code = id == NULL ? w->ctx->error.code : TS_OK;
        if (code == TS_OK && s->ids != NULL) {
            *id = s->ids[i];
        } else if (code == TS_OK) {
            code = method_id(id, w, s->frames[i]);
        }
    }
    return code;
}

static ts_code thread_of(writer_thread **out, ts_sample_writer *w, const ts_sample *s)
{
    uint64_t known;
    ts_code code;
    if (ts_idmap_find(&known, &w->ids, s->id)) {
        *out = (writer_thread *)w->threads.p + known;
        return TS_OK;
    }
    TS_NEED(w->ctx, *out = ts_vec_add(w->ctx, &w->threads, sizeof **out));
    (*out)->id = s->id;
    (*out)->begin_ms = s->time_ms;
    (*out)->cpu_ns = s->cpu_ns;
    (*out)->last_step = -1;
    (*out)->written_step = -1;
    code = ts_idmap_put(w->ctx, &w->ids, s->id, w->threads.n - 1);
    if (code != TS_OK ||
        (code = put_header(w->ctx, &(*out)->index, true, '4', s->time_ms)) != TS_OK ||
        (code = put_header(w->ctx, &(*out)->data, false, '4', s->time_ms)) != TS_OK) {
        return code;
    }
    (*out)->data_offset = (*out)->data.n;
    return TS_OK;
}

static bool unchanged(const writer_thread *t, const ts_sample_writer *w, const ts_sample *s)
{
    return t->count > 0 && t->cpu_ns == s->cpu_ns && t->stack.n == w->stack.n &&
           (t->stack.n == 0 || memcmp(t->stack.p, w->stack.p, t->stack.n * sizeof(int64_t)) == 0);
}

static ts_code keep_state(ts_sample_writer *w, writer_thread *t, const ts_sample *s)
{
    ts_vec stack = t->stack;
    ts_text name = {s->name.p,
                    s->name.n > NAME_BYTES ? ts_utf8_cut(s->name.p, NAME_BYTES) : s->name.n};
    t->stack = w->stack;
    w->stack = stack;
    /* Of a thread that ends only the dump has a time, in coarser steps: it may be too low. */
    int64_t cpu = s->ids == NULL && s->cpu_ns < t->cpu_ns ? t->cpu_ns : s->cpu_ns;
    t->cpu_delta = ts_sat_sub(cpu, t->cpu_ns);
    t->cpu_ns = cpu;
    t->last_ms = s->time_ms < t->last_ms ? t->last_ms : s->time_ms;
    t->state = s->state;
    t->priority = s->priority;
    t->daemon = s->daemon;
    t->count++;
    t->name.n = 0;
    return ts_buf_put(w->ctx, &t->name, name.p, name.n);
}

static ts_code put_slot(ts_sample_writer *w, writer_thread *t, int64_t step)
{
    int64_t us = t->cpu_delta / 1000;
    writer_slot *s = ts_vec_add(w->ctx, &t->slots, sizeof *s);
    TS_NEED(w->ctx, s);
    t->last_step = step;
    *s = (writer_slot){.step = step,
                       .us = (int32_t)(us > INT32_MAX   ? INT32_MAX
                                       : us < INT32_MIN ? INT32_MIN
                                                        : us)};
    return TS_OK;
}

ts_code ts_sample_put(ts_sample_writer *w, const ts_sample *sample, bool always)
{
    writer_thread *t;
    ts_buf payload = {0};
    int64_t step;
    ts_code code = thread_of(&t, w, sample);
    w->last_ms = sample->time_ms > w->last_ms ? sample->time_ms : w->last_ms;
    if (code != TS_OK || (code = make_stack(w, sample)) != TS_OK ||
        (!always && unchanged(t, w, sample))) {
        return code;
    }
    step = ts_sat_sub(sample->time_ms, t->begin_ms) / w->interval_ms;
    if (step <= t->last_step) {
        return TS_OK; /* a slot has one value: what was used counts to the next record */
    }
    if ((code = keep_state(w, t, sample)) == TS_OK && (code = put_slot(w, t, step)) == TS_OK &&
        (code = put_object(w->ctx, &payload, t)) == TS_OK) {
        code = put_record(w->ctx, &t->index, &t->data, &t->data_offset, (uint64_t)step, 4,
                          ts_buf_text(&payload));
    }
    ts_buf_free(w->ctx, &payload);
    return code;
}
