/* The files of a sample directory: what was added is appended to them (see sample_writer.h). */
#include "sampler/sample_private.h"

#include "base/json_out.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { SERIES_HEADER = 36 };

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
static ts_code write_slots(ts_sample_writer *w, ts_writer_thread *t, int fd, const char *name)
{
    const ts_writer_slot *list = t->slots.p;
    ts_buf b = {0};
    ts_code code = TS_OK;
    for (size_t i = 0; i < t->slots.n && code == TS_OK;) {
        int64_t first = list[i].step;
        int64_t at = first;
        b.n = 0;
        for (; i < t->slots.n && code == TS_OK && list[i].step - at < 256; i++) {
            while (at < list[i].step && code == TS_OK) {
                code = ts_sample_put_be(w->ctx, &b, 0, 4);
                at++;
            }
            TS_STEP(code, ts_sample_put_be(w->ctx, &b, (uint64_t)(uint32_t)list[i].us, 4));
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

static ts_code write_series_header(ts_sample_writer *w, const ts_writer_thread *t, int fd,
                                   const char *name)
{
    int64_t count = t->count < t->written_step + 1 ? t->count : t->written_step + 1;
    ts_buf b = {0};
    ts_code code = ts_buf_put(w->ctx, &b, "TSHS\0\x1a\3\2", 8);
    if (code == TS_OK &&
        (code = ts_sample_put_be(w->ctx, &b, (uint64_t)w->interval_ms, 4)) == TS_OK &&
        (code = ts_sample_put_be(w->ctx, &b, (uint64_t)t->begin_ms, 8)) == TS_OK &&
        (code = ts_sample_put_be(
             w->ctx, &b, (uint64_t)(t->begin_ms + w->interval_ms * t->written_step), 8)) == TS_OK &&
        (code = ts_sample_put_be(w->ctx, &b, (uint64_t)count, 4)) == TS_OK) {
        code = ts_buf_put(w->ctx, &b, "TSDS", 4);
    }
    TS_STEP_IF(code, ts_sys_pwrite_all(w->ctx, fd, b.p, b.n, 0) != 0, fail_write(w, name));
    ts_buf_free(w->ctx, &b);
    return code;
}

static ts_code write_series(ts_sample_writer *w, ts_writer_thread *t)
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

static ts_code write_thread(ts_sample_writer *w, ts_writer_thread *t)
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
    const ts_writer_thread *list = w->threads.p;
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
        ts_jout_fail(&j, j.code == TS_OK ? ts_sample_put_object(w->ctx, b, &list[i]) : TS_OK);
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
    ts_writer_thread *list = w->threads.p;
    ts_code code = append(w, "method_info.fdata", &w->method_data);
    TS_STEP(code, append(w, "method_info.fidx", &w->method_index));
    for (size_t i = 0; i < w->threads.n && code == TS_OK; i++) {
        code = write_thread(w, &list[i]);
    }
    TS_STEP(code, write_summary(w));
    return code;
}
