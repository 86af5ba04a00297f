/* Heap dumps of Java and Android as files. docs/formats.md, "Heap dumps of Java". */
#include "parsers/format.h"

#include "base/alloc.h"

typedef struct hprof_file {
    ts_job *job;
} hprof_file;

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

static void hprof_close(void *self)
{
    hprof_file *f = self;
    ts_free(f->job->ctx, f);
}

static ts_code hprof_open(void **self, ts_job *job)
{
    hprof_file *f = ts_zalloc(job->ctx, 1, sizeof *f);
    *self = f;
    TS_NEED(job->ctx, f);
    f->job = job;
    return TS_OK;
}

static ts_code hprof_feed(void *self, const uint8_t *p, size_t n)
{
    (void)self;
    (void)p;
    (void)n;
    return TS_OK;
}

static ts_code hprof_finish(void *self, const ts_stream_end *end)
{
    hprof_file *f = self;
    return ts_count_add(f->job->store, f->job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0);
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
