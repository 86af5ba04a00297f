/* Binary heap dumps of ArkTS as files: sniffing, keeping the bytes, and what is done in its order.
 */
#include "parsers/arkts/arkts_run.h"
#include "parsers/arkts/rawheap/rawheap.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct rawheap_file {
    ts_job *job;
    ts_window in;
    extract_file file;
    bool again; /* the file can be read again at any place, so that its bytes need not be kept */
} rawheap_file;

/* A table of roots can be here, whose addresses have so many bytes. */
static bool has_roots(const ts_sniff *s, size_t at)
{
    enum { WORD = 8 };
    return s->n >= at + 8 && rawheap_u32(s->head + at + 4) == WORD &&
           (!s->whole || rawheap_u32(s->head + at) <= (s->n - at - 8) / WORD);
}

/* The first version had no number: eight zeros, which much may begin with. */
static int rawheap_sniff(const ts_sniff *s)
{
    unsigned version;
    if (s->head == NULL || s->n < 8 || !rawheap_version_of(&version, s->head)) {
        return TS_SNIFF_NO;
    }
    return s->head[0] != '\0' || has_roots(s, 16) || has_roots(s, 72) ? TS_SNIFF_SURE : TS_SNIFF_NO;
}

static void rawheap_close(void *self)
{
    rawheap_file *f = self;
    extract_drop(f->job, &f->file);
    ts_window_free(&f->in);
    ts_free(f->job->ctx, f);
}

static ts_code rawheap_open(void **self, ts_job *job)
{
    rawheap_file *f = ts_zalloc(job->ctx, 1, sizeof *f);
    char name[48];
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, f);
    f->job = job;
    f->in.ctx = job->ctx;
    f->again = job->set != NULL && ts_member_seekable(job->set, job->member);
    snprintf(name, sizeof name, "Snapshot%" PRIu64 ".rawheap",
             ts_sink_rows(ts_store_sink(job->store), TS_T_js_heap_files));
    code = ts_window_begin(&f->in, UINT64_MAX);
    TS_STEP(code, extract_begin(job, &f->file, name));
    if (code != TS_OK) {
        rawheap_close(f);
        return code;
    }
    *self = f;
    return TS_OK;
}

static ts_code rawheap_feed(void *self, const uint8_t *p, size_t n)
{
    rawheap_file *f = self;
    TS_TRY(extract_write(f->job, &f->file, false, (const char *)p, n));
    return f->again ? TS_OK : ts_window_add(&f->in, p, n);
}

/* --- one dump --------------------------------------------------------------------------------- */

static void release(rawheap *r)
{
    ts_ctx *ctx = r->ctx;
    rawheap_pages_free(r);
    rawheap_types_free(r);
    ts_vec_free(ctx, &r->layout.tables);
    ts_pool_free(ctx, &r->texts);
    ts_vec_free(ctx, &r->text_places);
    ts_vec_free(ctx, &r->nodes);
    ts_index_free(ctx, &r->by_address);
    ts_nearmap_free(&r->map, ctx);
    ts_idmap_free(ctx, &r->hashes);
    ts_vec_free(ctx, &r->values);
    ts_idmap_free(ctx, &r->value_of);
    ts_idmap_free(ctx, &r->native_of);
    ts_vec_free(ctx, &r->late);
    ts_vec_free(ctx, &r->kept);
    ts_spool_free(r->edges);
    ts_intvec_free(ctx, &r->edge_counts);
    ts_free(ctx, r);
}

static ts_code put_properties(rawheap *r)
{
    static const char *const keys[] = {"space_type", "heap_type", "vm_type"};
    static const char *const versions[] = {"unknown", "1", "2", "3"};
    const rawheap_layout *l = &r->layout;
    for (size_t i = 0; i < 3; i++) {
        if (l->texts[i][0] != '\0') {
            TS_TRY(
                ts_source_property(r->store, r->job->source_id, keys[i], ts_text_of(l->texts[i])));
        }
    }
    return ts_source_property(r->store, r->job->source_id, "rawheap_version",
                              ts_text_of(versions[l->version]));
}

/* ns since 1970: the device's clock counts µs or ns. */
static int64_t header_time(uint64_t time)
{
    const uint64_t ns = UINT64_C(100000000000000000);
    int64_t out;
    if (time > ns) {
        return time > INT64_MAX ? 0 : (int64_t)time;
    }
    return ts_ckd_mul(&out, (int64_t)time, INT64_C(1000)) ? 0 : out;
}

/* A dump without a time has a place after other files without one. */
static ts_code place_file(rawheap *r, ts_arkts_run *run)
{
    const int64_t file = (int64_t)ts_sink_rows(ts_store_sink(r->store), TS_T_js_heap_files);
    ts_arkts_advance(r->job, run, TS_BARE_WIDTH);
    return ts_arkts_place(r->job, run, TS_T_js_heap_files, file, file,
                          TS_NULL_BIT(js_heap_files, start_time) |
                              TS_NULL_BIT(js_heap_files, end_time));
}

/* The rows, by the reader of heap snapshots. */
static ts_code put_rows(rawheap *r, ts_heap *heap, ts_arkts_run *run)
{
    const int64_t time = header_time(r->layout.time);
    const int64_t source = ts_heap_source(heap);
    ts_heap_end end = {
        .marked = true,
        .clock = time != 0 ? TS_CLOCK_REALTIME : TS_CLOCK_RELATIVE,
        .has_start = true,
        .has_end = true,
        .start_ts = time,
        .end_ts = time,
        .placed = time == 0,
        .place = run->bare_end,
    };
    TS_TRY(rawheap_make_nodes(r));
    TS_TRY(rawheap_make_edges(r));
    TS_TRY(rawheap_put_events(r, heap));
    end.doubted = r->losses > 0;
    TS_TRY(ts_heap_finish(heap, &end));
    ts_source(r->store, source)->bytes = (int64_t)r->size;
    if (time != 0) {
        ts_range_note(r->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, time);
    } else {
        TS_TRY(place_file(r, run));
    }
    return ts_arkts_need_config(r->job, run, true);
}

static ts_code convert(rawheap *r)
{
    ts_arkts_run *run = NULL;
    ts_heap *heap = NULL;
    char label[32];
    ts_code code = ts_arkts_run_of(&run, r->job);
    snprintf(label, sizeof label, "Snapshot%" PRIu64,
             ts_sink_rows(ts_store_sink(r->store), TS_T_js_heap_files));
    TS_STEP(code, ts_heap_new(&heap, r->ctx, r->store));
    TS_STEP(code, ts_heap_begin(heap, r->job->source_id, label, "rawheap"));
    TS_STEP(code, put_rows(r, heap, run));
    ts_heap_free(heap);
    return code;
}

/* Whether what the rows take fits the memory that there may be. */
static ts_code check_memory(bool *fits, rawheap *r)
{
    enum { A_ROW = 80, TEXTS = 3 }; /* node, index, the reader of snapshots; texts, index */
    const uint64_t limit = r->ctx->limits.max_memory;
    const uint64_t left = limit > r->ctx->memory_used ? limit - r->ctx->memory_used : 0;
    uint64_t rows;
    TS_TRY(rawheap_count_rows(&rows, r));
    *fits = limit == 0 || rows * A_ROW + r->layout.strings.size * TEXTS <= left;
    return *fits ? TS_OK
                 : RAWHEAP_ISSUE(r, rawheap_memory, TS_NO_OFFSET,
                                 "%" PRIu64 " objects do not fit the memory that is left of "
                                 "--max-memory; nothing was converted",
                                 rows);
}

/* *converted: there are rows. */
static ts_code read_dump(bool *converted, rawheap *r)
{
    bool good = false;
    *converted = false;
    TS_TRY(rawheap_pages_begin(r));
    TS_TRY(rawheap_read_layout(&good, r));
    TS_TRY(put_properties(r));
    if (r->layout.version == 3) {
        return rawheap_read_static(r);
    }
    if (good) {
        TS_TRY(rawheap_read_types(&good, r));
    }
    if (good) {
        TS_TRY(check_memory(&good, r));
    }
    if (good) {
        *converted = true;
        return convert(r);
    }
    return TS_OK;
}

static ts_code read_bytes(ts_job *job, ts_window *in, bool doubted)
{
    rawheap *r = ts_zalloc(job->ctx, 1, sizeof *r);
    bool converted;
    ts_code code;
    TS_NEED(job->ctx, r);
    r->job = job;
    r->ctx = job->ctx;
    r->store = job->store;
    r->in = in;
    r->size = ts_window_total(in);
    r->losses = doubted ? 1 : 0;
    ts_window_part(in, 0, r->size);
    code = read_dump(&converted, r);
    TS_STEP(code, ts_count_add(job->store, job->source_id, TS_ITEM_snapshots, NULL,
                               converted ? 1 : 0, converted ? 0 : 1, 0));
    release(r);
    return code;
}

static ts_code rawheap_finish(void *self, const ts_stream_end *end)
{
    rawheap_file *f = self;
    TS_TRY(ts_count_add(f->job->store, f->job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0));
    if (f->again) {
        ts_blob *blob;
        TS_TRY(ts_member_blob(&blob, f->job->set, f->job->member));
        ts_window_of_blob(&f->in, blob, end->bytes); /* it may grow meanwhile */
    }
    TS_TRY(read_bytes(f->job, &f->in, end->doubted));
    return extract_end(f->job, &f->file, true);
}

TS_SOURCE_FORMAT(rawheap) = {
    .name = "rawheap",
    .title = "binary heap dump of ArkTS (.rawheap)",
    .source_type = "heap-snapshot",
    .sniff = rawheap_sniff,
    .open = rawheap_open,
    .feed = rawheap_feed,
    .finish = rawheap_finish,
    .close = rawheap_close,
};
