/* Recordings of perf and hiperf as files. */
#include "parsers/perf/perf_reader.h"

#include "base/alloc.h"

typedef struct perf_file {
    ts_job *job;
    ts_perf_reader *reader;
    bool again; /* the file can be read again at any place, so that its bytes need not be kept */
} perf_file;

static int perf_data_sniff(const ts_sniff *s)
{
    return s->head != NULL && ts_perf_reads(s->head, s->n) ? TS_SNIFF_SURE : TS_SNIFF_NO;
}

static void perf_data_close(void *self)
{
    perf_file *f = self;
    ts_perf_reader_close(f->reader);
    ts_free(f->job->ctx, f);
}

static ts_code perf_data_open(void **self, ts_job *job)
{
    perf_file *f = ts_zalloc(job->ctx, 1, sizeof *f);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, f);
    f->job = job;
    f->again = job->set != NULL && ts_member_seekable(job->set, job->member);
    code = ts_perf_reader_open(&f->reader, job);
    TS_STEP(code, ts_perf_reader_begin(f->reader, 0));
    if (code != TS_OK) {
        perf_data_close(f);
        return code;
    }
    *self = f;
    return TS_OK;
}

static ts_code perf_data_feed(void *self, const uint8_t *p, size_t n)
{
    perf_file *f = self;
    return f->again ? TS_OK : ts_perf_reader_feed(f->reader, p, n);
}

static ts_code perf_data_finish(void *self, const ts_stream_end *end)
{
    perf_file *f = self;
    TS_TRY(ts_count_add(f->job->store, f->job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0));
    if (f->again) {
        ts_blob *blob;
        TS_TRY(ts_member_blob(&blob, f->job->set, f->job->member));
        ts_perf_reader_blob(f->reader, blob, end->bytes); /* it may grow meanwhile */
    }
    return ts_perf_reader_finish(f->reader, f->job->source_id, NULL);
}

TS_SOURCE_FORMAT(perf) = {
    .name = "perf",
    .title = "recording of hiperf or Linux perf (perf.data)",
    .source_type = "profile",
    .sniff = perf_data_sniff,
    .open = perf_data_open,
    .feed = perf_data_feed,
    .finish = perf_data_finish,
    .close = perf_data_close,
};
