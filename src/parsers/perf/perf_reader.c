/* Recordings of perf and hiperf: their bytes are kept, then each is read. */
#include "parsers/perf/perf_data.h"

#include "base/alloc.h"
#include "input/unpack.h"

enum { GZIP = 0x1f }; /* the first byte of what is compressed */

typedef struct recording {
    uint64_t base;  /* in the window */
    int64_t offset; /* in the input; TS_NO_OFFSET: it was compressed */
    const char *fault;
} recording;

struct ts_perf_reader {
    ts_job *job;
    ts_window in;
    bool begun;
    bool looked;       /* at the first byte of the recording */
    ts_unpack *unpack; /* NULL: it is not compressed */
    ts_vec recordings; /* recording */
};

ts_code ts_perf_reader_open(ts_perf_reader **out, ts_job *job)
{
    ts_perf_reader *r = ts_zalloc(job->ctx, 1, sizeof *r);
    *out = r;
    TS_NEED(job->ctx, r);
    r->job = job;
    r->in.ctx = job->ctx;
    return TS_OK;
}

/* The bytes of the recording before, if there is one, have ended. */
static void end_recording(ts_perf_reader *r)
{
    recording *rec;
    if (r->unpack == NULL) {
        return;
    }
    rec = (recording *)r->recordings.p + (r->recordings.n - 1);
    rec->fault = ts_unpack_fault(r->unpack);
    if (rec->fault == NULL && !ts_unpack_ended(r->unpack)) {
        rec->fault = "it ends early";
    }
    ts_unpack_close(r->unpack);
    r->unpack = NULL;
}

ts_code ts_perf_reader_begin(ts_perf_reader *r, int64_t offset)
{
    recording rec = {.offset = offset};
    if (!r->begun) {
        r->begun = true;
        TS_TRY(ts_window_begin(&r->in, UINT64_MAX));
    }
    end_recording(r);
    r->looked = false;
    rec.base = ts_window_total(&r->in);
    return ts_vec_push(r->job->ctx, &r->recordings, &rec, sizeof rec);
}

static ts_code keep(void *user, const uint8_t *p, size_t n)
{
    ts_perf_reader *r = user;
    return ts_window_add(&r->in, p, n);
}

ts_code ts_perf_reader_feed(ts_perf_reader *r, const uint8_t *p, size_t n)
{
    recording *rec = (recording *)r->recordings.p + (r->recordings.n - 1);
    if (!r->looked && n > 0 && p[0] == GZIP) {
        rec->offset = TS_NO_OFFSET;
        TS_TRY(ts_unpack_open(&r->unpack, r->job->ctx, TS_UNPACK_GZIP, keep, r));
    }
    r->looked = r->looked || n > 0;
    return r->unpack != NULL ? ts_unpack_feed(r->unpack, p, n) : ts_window_add(&r->in, p, n);
}

void ts_perf_reader_blob(ts_perf_reader *r, ts_blob *blob, uint64_t n)
{
    ts_window_of_blob(&r->in, blob, n);
}

void ts_perf_reader_close(ts_perf_reader *r)
{
    if (r == NULL) {
        return;
    }
    ts_unpack_close(r->unpack);
    ts_window_free(&r->in);
    ts_vec_free(r->job->ctx, &r->recordings);
    ts_free(r->job->ctx, r);
}

/* --- one recording -----------------------------------------------------------------------------
 */

static void free_tables(perfd *r)
{
    ts_ctx *ctx = r->ctx;
    perfd_maps *maps = r->maps.p;
    for (size_t i = 0; i < r->maps.n; i++) {
        perfd_free_maps(r, &maps[i]);
    }
    ts_vec_free(ctx, &r->maps);
    ts_vec_free(ctx, &r->free_maps);
    ts_vec_free(ctx, &r->kernel);
    ts_vec_free(ctx, &r->processes);
    ts_idmap_free(ctx, &r->process_of);
    ts_vec_free(ctx, &r->threads);
    ts_vec_free(ctx, &r->commed);
    ts_vec_free(ctx, &r->sampled);
    ts_index_free(ctx, &r->thread_index);
    ts_pool_free(ctx, &r->paths);
    ts_vec_free(ctx, &r->path_info);
    for (size_t i = 0; i < r->files.n; i++) {
        ts_idmap_free(ctx, &((perfd_file *)r->files.p)[i].functions);
    }
    ts_vec_free(ctx, &r->files);
    ts_vec_free(ctx, &r->build_ids);
    ts_vec_free(ctx, &r->symbols);
    for (size_t i = 0; i < sizeof r->tops / sizeof r->tops[0]; i++) {
        ts_vec_free(ctx, &r->tops[i]);
    }
    ts_vec_free(ctx, &r->named);
    ts_vec_free(ctx, &r->nameless);
    ts_index_free(ctx, &r->nameless_index);
    ts_vec_free(ctx, &r->stacks);
    ts_idmap_free(ctx, &r->stacks_of);
    ts_vec_free(ctx, &r->nodes);
}

static void perfd_free(perfd *r)
{
    ts_ctx *ctx = r->ctx;
    free_tables(r);
    ts_window_free(&r->plain);
    ts_buf_free(ctx, &r->clean);
    ts_buf_free(ctx, &r->scratch);
    ts_buf_free(ctx, &r->aside);
    ts_vec_free(ctx, &r->attrs);
    ts_idmap_free(ctx, &r->attr_of);
    ts_vec_free(ctx, &r->events);
    ts_idmap_free(ctx, &r->event_of);
    ts_pool_free(ctx, &r->texts);
    ts_free(ctx, r->workload);
    ts_free(ctx, r->event_types);
    ts_free(ctx, r->cmdline);
    ts_free(ctx, r->arch);
    ts_free(ctx, r->release);
    ts_free(ctx, r->cache);
    ts_free(ctx, r->met);
    ts_free(ctx, r->record);
    ts_vec_free(ctx, &r->frames);
    ts_vec_free(ctx, &r->steps);
    ts_vec_free(ctx, &r->places);
    ts_vec_free(ctx, &r->asked);
    ts_vec_free(ctx, &r->expanded);
    ts_vec_free(ctx, &r->chains);
    ts_index_free(ctx, &r->chain_index);
    ts_paths_free(ctx, &r->call_paths);
    ts_free(ctx, r);
}

/* As large as a recording of this size may need. */
static ts_code make_caches(perfd *r)
{
    r->cache_bits = PERFD_CACHE_LEAST;
    while (r->cache_bits < PERFD_CACHE_BITS && r->size >> (r->cache_bits + 4) > 0) {
        r->cache_bits++;
    }
    TS_NEED(r->ctx, r->cache = ts_zalloc(r->ctx, (size_t)1 << r->cache_bits, sizeof *r->cache));
    r->met_bits = r->cache_bits < PERFD_CACHE_BITS ? r->cache_bits : PERFD_MET_BITS;
    TS_NEED(r->ctx, r->met = ts_zalloc(r->ctx, (size_t)1 << r->met_bits, sizeof *r->met));
    return TS_OK;
}

static ts_code make(perfd **out, ts_perf_reader *from, int64_t parent_id,
                    const ts_plugin_host *host)
{
    ts_job *job = from->job;
    perfd *r = ts_zalloc(job->ctx, 1, sizeof *r);
    void *shared = NULL;
    ts_code code;
    *out = r;
    TS_NEED(job->ctx, r);
    r->ctx = job->ctx;
    r->store = job->store;
    r->sink = ts_store_sink(job->store);
    r->job = job;
    r->host = host;
    r->in = &from->in;
    r->data = &from->in;
    r->plain.ctx = job->ctx;
    r->devhost = -1;
    r->first_ts = TS_NO_TIME;
    r->last_ts = TS_NO_TIME;
    r->wanted = TS_SPAN_ALL;
    r->times.clocks = host == NULL ? NULL : host->clocks;
    code = ts_job_shared(&shared, job, "perf", sizeof(perfd_shared),
                         (ts_shared_calls){.release = perfd_close_folder});
    r->shared = shared;
    TS_STEP(code, perfd_open_folder(r));
    TS_STEP(code, ts_job_source(&r->source_id, r->name, job, parent_id, "perf", "perf", "Perf"));
    return code;
}

static ts_code read_recording(perfd *r, const char *fault)
{
    bool good;
    if (fault != NULL) {
        TS_TRY(
            PERFD_ISSUE(r, perf_compressed, UINT64_MAX, "the recording is compressed: %s", fault));
    }
    TS_TRY(perfd_read_header(&good, r));
    if (!good) {
        r->features_lost++;
        return perfd_rows_end(r);
    }
    TS_TRY(make_caches(r));
    TS_TRY(perfd_read_features(r));
    TS_TRY(perfd_rows_begin(r));
    TS_TRY(perfd_read_records(r));
    return perfd_rows_end(r);
}

ts_code ts_perf_reader_finish(ts_perf_reader *from, int64_t parent_id, const ts_plugin_host *host)
{
    const recording *all = from->recordings.p;
    ts_code code = TS_OK;
    end_recording(from);
    for (size_t i = 0; i < from->recordings.n && code == TS_OK; i++) {
        uint64_t end = i + 1 < from->recordings.n ? all[i + 1].base : ts_window_total(&from->in);
        perfd *r = NULL;
        ts_window_part(&from->in, all[i].base, end - all[i].base);
        code = make(&r, from, parent_id, host);
        if (r != NULL) {
            r->offset = all[i].offset;
            r->size = end - all[i].base;
        }
        TS_STEP(code, read_recording(r, all[i].fault));
        if (r != NULL) {
            perfd_free(r);
        }
    }
    return code;
}
