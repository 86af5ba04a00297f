/* Heap dumps of Java and Android as files. docs/formats.md, "Heap dumps of Java". */
#include "parsers/hprof/hprof.h"

#include "base/alloc.h"
#include "parsers/shared/notes.h"

#include <stdarg.h>
#include <stdio.h>

/* "JAVA PROFILE 1.0.", a digit, NUL. */
static int hprof_sniff(const ts_sniff *s)
{
    static const char head[] = "JAVA PROFILE 1.0.";
    size_t n = sizeof head - 1;
    return s->head != NULL && s->n > n + 1 && memcmp(s->head, head, n) == 0 &&
                   ts_is_digit((char)s->head[n]) && s->head[n + 1] == 0
               ? TS_SNIFF_SURE
               : TS_SNIFF_NO;
}

ts_code hprof_lose(hprof_file *f, ts_issue_code issue, ts_item item, const char *detail, int64_t at,
                   uint64_t count, const char *fmt, ...)
{
    char text[400];
    va_list args;
    f->complete = false;
    f->bad = f->bad || issue != TS_ISSUE_hprof_incomplete;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    TS_TRY(ts_count_add(f->store, f->source_id, item, detail, 0, count, 0));
    return ts_issue_n(f->store, f->source_id, issue, f->name, at, count, "%s", text);
}

/* --- a dump --------------------------------------------------------------------------------- */

static void dump_free(hprof_dump *d)
{
    ts_ctx *ctx = d->f->ctx;
    ts_vec *const vecs[] = {&d->places,  &d->twice, &d->classes, &d->order, &d->fields, &d->roots,
                            &d->threads, &d->heaps, &d->locals,  &d->texts, &d->wide};
    for (size_t i = 0; i < sizeof vecs / sizeof vecs[0]; i++) {
        ts_vec_free(ctx, vecs[i]);
    }
    hprof_list_free(d);
    ts_idmap_free(ctx, &d->class_of);
    ts_idmap_free(ctx, &d->thread_of);
    ts_idmap_free(ctx, &d->body_of);
    ts_buf_free(ctx, &d->names);
    hprof_index_free(d);
    ts_free(ctx, d);
}

static ts_code put_file(hprof_dump *d)
{
    hprof_file *f = d->f;
    int64_t ts = 0;
    ts_row_java_heap_file row = {
        .id = d->file_id,
        .source_id = f->source_id,
        .version = ts_text_of(f->version),
        .id_size = f->id_size,
        .array_header = d->header,
        .reference_size = d->reference_known ? d->reference : 0,
        .alignment = d->align,
        .first_object_rowid = d->first_object,
        .object_count = d->nodes,
        .first_reference_rowid = d->first_reference,
        .reference_count =
            (int64_t)ts_sink_rows(f->sink, TS_T_java_heap_reference) + 1 - d->first_reference,
        .first_class_id = d->first_class_id,
        .class_count = (int64_t)d->order.n,
        .first_string_rowid = d->first_string,
        .string_count = (int64_t)ts_sink_rows(f->sink, TS_T_java_heap_string) + 1 - d->first_string,
        .complete = f->complete,
    };
    TS_NULL_ZEROS(java_heap_file, &row, array_header, reference_size);
    TS_NULL_IF(f->time_ms > INT64_MAX ||
                   __builtin_mul_overflow((int64_t)f->time_ms, INT64_C(1000000), &ts),
               java_heap_file, &row, ts);
    row.ts = ts;
    TS_TRY(ts_count_add(f->store, f->source_id, TS_ITEM_hprof_dumps, NULL, 1, 0, 0));
    return ts_put_java_heap_file(f->sink, &row);
}

static ts_code put_losses(hprof_dump *d)
{
    hprof_file *f = d->f;
    const ts_note notes[] = {
        {TS_ISSUE_hprof_fields, d->fields_bad, "instances are longer or shorter than their fields"},
        {TS_ISSUE_hprof_too_many, d->too_many ? 1 : 0, "objects were left out"},
    };
    f->complete = f->complete && d->lost == 0 && d->fields_bad == 0 && f->names_lost == 0 &&
                  f->names_cut == 0 && f->frames_lost == 0;
    TS_TRY(ts_count_add(f->store, f->source_id, TS_ITEM_hprof_objects, NULL,
                        d->objects - d->twice.n, d->lost + d->fields_bad, 0));
    return ts_notes_put(f->store, f->source_id, f->name, TS_NO_OFFSET, notes,
                        sizeof notes / sizeof notes[0]);
}

static ts_code read_dump(hprof_file *f, uint32_t number)
{
    hprof_dump *d = ts_zalloc(f->ctx, 1, sizeof *d);
    ts_code code;
    TS_NEED(f->ctx, d);
    d->f = f;
    d->in = &f->in;
    d->number = number;
    d->near_seq = UINT32_MAX;
    d->file_id = (int64_t)ts_sink_rows(f->sink, TS_T_java_heap_file) + 1;
    code = hprof_objects(d);
    TS_STEP(code, hprof_index(d));
    TS_STEP(code, hprof_classes(d));
    TS_STEP(code, hprof_sizes(d));
    if (code == TS_OK) {
        hprof_find_threads(d);
    }
    TS_STEP(code, hprof_put_classes(d));
    TS_STEP(code, hprof_put_roots(d));
    TS_STEP(code, hprof_put_objects(d));
    TS_STEP(code, hprof_put_strings(d));
    TS_STEP(code, hprof_put_threads(d));
    TS_STEP(code, put_losses(d));
    TS_STEP(code, put_file(d));
    dump_free(d);
    return code;
}

/* --- the file ------------------------------------------------------------------------------- */

static void hprof_close(void *self)
{
    hprof_file *f = self;
    ts_ctx *ctx = f->ctx;
    ts_window_free(&f->window);
    ts_vec_free(ctx, &f->strings);
    ts_vec_free(ctx, &f->frames);
    ts_vec_free(ctx, &f->traces);
    ts_vec_free(ctx, &f->segments);
    ts_idmap_free(ctx, &f->name_of);
    ts_idmap_free(ctx, &f->class_of_serial);
    ts_idmap_free(ctx, &f->frame_of);
    ts_idmap_free(ctx, &f->trace_of);
    ts_buf_free(ctx, &f->raw);
    ts_buf_free(ctx, &f->clean);
    ts_buf_free(ctx, &f->text);
    ts_free(ctx, f);
}

static ts_code hprof_open(void **self, ts_job *job)
{
    hprof_file *f = ts_zalloc(job->ctx, 1, sizeof *f);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, f);
    f->job = job;
    f->ctx = job->ctx;
    f->store = job->store;
    f->sink = ts_store_sink(job->store);
    f->complete = true;
    f->window.ctx = job->ctx;
    f->again = job->set != NULL && ts_member_seekable(job->set, job->member);
    code = ts_window_begin(&f->window, UINT64_MAX);
    TS_STEP(code,
            ts_job_source(&f->source_id, f->name, job, job->source_id, "heap", "hprof", "Heap"));
    if (code != TS_OK) {
        hprof_close(f);
        return code;
    }
    *self = f;
    return TS_OK;
}

static ts_code hprof_feed(void *self, const uint8_t *p, size_t n)
{
    hprof_file *f = self;
    return f->again ? TS_OK : ts_window_add(&f->window, p, n);
}

static ts_code put_notes(hprof_file *f)
{
    const ts_note notes[] = {
        {TS_ISSUE_hprof_string_missing, f->names_lost, "names are not in the file"},
        {TS_ISSUE_hprof_bad_text, f->names_bad, "names hold bytes that are not valid text"},
        {TS_ISSUE_hprof_text_cut, f->names_cut,
         "names were cut: they are long, or many are the same"},
        {TS_ISSUE_hprof_frames, f->frames_lost, "frames are not in the file"},
    };
    TS_TRY(ts_count_add(f->store, f->source_id, TS_ITEM_hprof_names, NULL, f->names - f->names_lost,
                        f->names_lost + f->names_cut, 0));
    TS_TRY(ts_count_add(f->store, f->source_id, TS_ITEM_hprof_stacks, NULL, f->stacks,
                        f->frames_lost, 0));
    return ts_notes_put(f->store, f->source_id, f->name, TS_NO_OFFSET, notes,
                        sizeof notes / sizeof notes[0]);
}

static ts_code hprof_finish(void *self, const ts_stream_end *end)
{
    hprof_file *f = self;
    bool readable;
    TS_TRY(ts_count_add(f->store, f->job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0));
    if (f->again) {
        ts_blob *blob;
        TS_TRY(ts_member_blob(&blob, f->job->set, f->job->member));
        ts_window_of_blob(&f->window, blob, end->bytes); /* it may grow meanwhile */
    }
    TS_TRY(hprof_records(&readable, f));
    if (!readable) {
        ts_source(f->store, f->source_id)->complete = 0;
        return hprof_lose(f, TS_ISSUE_hprof_header, TS_ITEM_hprof_records, "bad", 0, 1,
                          "the header is cut, or ids of %u bytes are not known", f->id_size);
    }
    for (uint32_t i = 0; i < f->dumps; i++) {
        TS_TRY(read_dump(f, i));
    }
    ts_source(f->store, f->source_id)->complete = f->complete;
    f->job->text_bad = f->bad;
    TS_TRY(put_notes(f));
    ts_stack_release(f->store, f->source_id);
    return TS_OK;
}

TS_SOURCE_FORMAT(hprof) = {
    .name = "hprof",
    .title = "heap dump of Java or Android (HPROF)",
    .source_type = "heap-dump",
    .sniff = hprof_sniff,
    .open = hprof_open,
    .feed = hprof_feed,
    .finish = hprof_finish,
    .close = hprof_close,
};
