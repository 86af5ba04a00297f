/* JFR recordings as files: sniffing, taking a stream apart into chunks, ending. */
#include "parsers/jfr/chunk.h"
#include "parsers/format.h"

#include <inttypes.h>

/* A stream that is taken apart into chunks. */
typedef struct jfr_file {
    jfr_recording rec;
    bool begun;      /* bytes of a chunk are in rec.view */
    uint64_t offset; /* of them in the input */
    uint64_t wanted; /* bytes of the current chunk; UINT64_MAX: as many as there are */
    uint64_t at;     /* in the input */
    uint64_t stray;  /* bytes that belong to no chunk */
    uint64_t stray_at;
    uint8_t head[JFR_HEADER];
    size_t head_n;
} jfr_file;

static bool has_magic(const ts_sniff *s)
{
    return s->head != NULL && s->n >= JFR_MAGIC && memcmp(s->head, jfr_magic, 4) == 0;
}

static bool is_version_2(const ts_sniff *s)
{
    return has_magic(s) && s->head[4] == 0 && s->head[5] == 2;
}

static int jfr_sniff(const ts_sniff *s)
{
    return is_version_2(s) ? TS_SNIFF_SURE : TS_SNIFF_NO;
}

static int jfr_sniff_old(const ts_sniff *s)
{
    return has_magic(s) && !is_version_2(s) ? TS_SNIFF_SURE : TS_SNIFF_NO;
}

static void jfr_close(void *self)
{
    jfr_file *f = self;
    ts_ctx *ctx = f->rec.ctx;
    jfr_recording_free(&f->rec);
    ts_free(ctx, f);
}

static ts_code jfr_open(void **self, ts_job *job)
{
    jfr_file *f = ts_zalloc(job->ctx, 1, sizeof *f);
    *self = NULL;
    TS_NEED(job->ctx, f);
    f->rec = (jfr_recording){
        .job = job,
        .ctx = job->ctx,
        .store = job->store,
        .sink = ts_store_sink(job->store),
        .type_base = (int64_t)ts_sink_rows(ts_store_sink(job->store), TS_T_jfr_event_type) + 1,
        .stacks = {.row_base = (int64_t)ts_sink_rows(ts_store_sink(job->store), TS_T_jfr_stack)},
        .samples_before = ts_sink_rows(ts_store_sink(job->store), TS_T_stack_sample),
        .view = {.ctx = job->ctx},
        .wanted = TS_SPAN_ALL,
        .wanted_all = job->ctx->time_range.kind == TS_WANTED_ALL};
    ts_profile_id_begin(&f->rec.id);
    ts_code code =
        ts_source_add(&f->rec.source_id, job->store, job->source_id, "recording", NULL, "jfr");
    if (code != TS_OK) {
        jfr_close(f);
        return code;
    }
    ts_row_source *source = ts_source(job->store, f->rec.source_id);
    source->clock = ts_text_of(ts_clock_name(TS_CLOCK_REALTIME));
    *self = f;
    return TS_OK;
}

/* --- chunks --------------------------------------------------------------------------------- */

static void add_stray(jfr_file *f, uint64_t at, uint64_t n)
{
    f->stray_at = n > 0 && f->stray == 0 ? at : f->stray_at;
    f->stray += n;
    f->rec.end_known = f->rec.end_known && n == 0; /* there may have been a chunk */
}

/* The chunk is as complete as it gets; others may follow in it. */
static ts_code import_bytes(jfr_file *f)
{
    uint64_t size = ts_window_total(&f->rec.view);
    uint64_t at = 0;
    ts_code code = TS_OK;
    /* Each of many headers that are none could have all that follows searched. */
    f->rec.scan_left = 4 * size;
    while (at < size && code == TS_OK) {
        uint64_t next;
        uint64_t used = 0;
        ts_window_part(&f->rec.view, 0, size);
        if ((code = jfr_chunk_search(&next, &f->rec.view, at)) != TS_OK) {
            break;
        }
        add_stray(f, f->offset + at, next - at);
        at = next;
        if (at < size) {
            code = jfr_chunk_import(&used, &f->rec, at, size - at, f->offset + at);
            at += used;
        }
    }
    f->begun = false;
    return code;
}

static void set_range(jfr_recording *rec, const jfr_header *h)
{
    if (!rec->wanted_known) {
        rec->wanted_known = true;
        (void)ts_wanted_span(&rec->wanted, rec->ctx, TS_CLOCK_REALTIME, NULL, h->start_ns);
    }
}

static ts_code begin_chunk(jfr_file *f)
{
    jfr_header h;
    jfr_header_read(&h, f->head);
    f->offset = f->at - JFR_HEADER;
    f->wanted = h.size < JFR_HEADER || h.state != 0 ? UINT64_MAX : (uint64_t)h.size;
    f->head_n = 0;
    set_range(&f->rec, &h);
    f->begun = true;
    TS_TRY(ts_window_begin(&f->rec.view, f->wanted));
    TS_TRY(ts_window_add(&f->rec.view, f->head, JFR_HEADER));
    return f->wanted == JFR_HEADER ? import_bytes(f) : TS_OK;
}

/* Takes a byte between two chunks: those of a header, or stray ones. */
static ts_code take_byte(jfr_file *f, uint8_t byte)
{
    if (f->head_n < JFR_MAGIC && byte != jfr_magic[f->head_n]) {
        add_stray(f, f->at - f->head_n, f->head_n);
        f->head_n = 0;
        if (byte != jfr_magic[0]) { /* which is in it once only */
            add_stray(f, f->at, 1);
            f->at++;
            return TS_OK;
        }
    }
    f->head[f->head_n++] = byte;
    f->at++;
    return f->head_n == JFR_HEADER ? begin_chunk(f) : TS_OK;
}

static ts_code jfr_feed(void *self, const uint8_t *p, size_t n)
{
    jfr_file *f = self;
    ts_code code = TS_OK;
    ts_profile_id_add(&f->rec.id, p, n);
    while (n > 0 && code == TS_OK) {
        size_t take = 1;
        if (!f->begun) {
            code = take_byte(f, *p);
        } else {
            uint64_t left = f->wanted - ts_window_total(&f->rec.view);
            take = left < n ? (size_t)left : n;
            f->at += take;
            code = ts_window_add(&f->rec.view, p, take);
            TS_STEP_IF(code, ts_window_total(&f->rec.view) == f->wanted, import_bytes(f));
        }
        p += take;
        n -= take;
    }
    return code;
}

static ts_code count_bytes(jfr_file *f, uint64_t bytes)
{
    uint64_t lost = f->stray + f->rec.lost_bytes;
    ts_tally *tally;
    TS_TRY(ts_count(&tally, f->rec.store, f->rec.job->source_id, TS_ITEM_bytes, NULL));
    tally->seen += bytes;
    tally->lost += lost;
    tally->skipped += f->rec.begun_bytes;
    tally->imported += bytes - lost - f->rec.begun_bytes;
    if (f->rec.missing_bytes > 0) {
        tally->has_declared = true;
        tally->declared += bytes + (uint64_t)f->rec.missing_bytes;
    }
    return f->rec.lost_bytes == 0 && f->rec.missing_bytes == 0
               ? TS_OK
               : ts_issue(f->rec.store, f->rec.job->source_id, TS_ISSUE_jfr_lost_bytes, NULL,
                          TS_NO_OFFSET,
                          "%" PRIu64 " bytes in chunks could not be read, and %" PRId64
                          " more that their headers count are not there%s",
                          f->rec.lost_bytes, f->rec.missing_bytes,
                          f->rec.end_known ? "" : "; when the recording ends is not known");
}

static ts_code jfr_finish(void *self, const ts_stream_end *end)
{
    jfr_file *f = self;
    ts_tally *events;
    ts_code code = f->begun ? import_bytes(f) : TS_OK;
    add_stray(f, f->at - f->head_n, f->head_n);
    TS_STEP_IF(code, f->stray > 0,
               ts_issue_n(f->rec.store, f->rec.job->source_id, TS_ISSUE_jfr_stray_bytes, NULL,
                          (int64_t)f->stray_at, 1,
                          "%" PRIu64 " bytes belong to no chunk of version 2", f->stray));
    TS_STEP(code, count_bytes(f, end->bytes));
    TS_STEP(code, jfr_recording_finish(&f->rec));
    if (code == TS_OK && (code = ts_count(&events, f->rec.store, f->rec.source_id,
                                          TS_ITEM_jfr_events, NULL)) == TS_OK) {
        ts_source(f->rec.store, f->rec.source_id)->complete =
            f->stray == 0 && f->rec.chunks > 0 && f->rec.chunks_cut + f->rec.chunks_lost == 0 &&
            f->rec.lost_bytes == 0 && events->lost == 0;
        ts_source(f->rec.store, f->rec.source_id)->bytes = (int64_t)end->bytes;
    }
    return code;
}

TS_SOURCE_FORMAT(jfr) = {
    .name = "jfr",
    .title = "recording of the JDK Flight Recorder (.jfr)",
    .source_type = "jfr",
    .sniff = jfr_sniff,
    .open = jfr_open,
    .feed = jfr_feed,
    .finish = jfr_finish,
    .close = jfr_close,
};

TS_SOURCE_FORMAT(jfr_old) = {
    .name = "jfr-old",
    .title = "recording of a Flight Recorder before version 2.0, which cannot be read",
    .source_type = "jfr",
    .sniff = jfr_sniff_old,
    .refusal =
        "recordings of the Flight Recorder before version 2.0 (Oracle JDK 7 and 8) cannot be "
        "read; version 2.0 and 2.1 (JDK 9 and later, async-profiler) can",
};
