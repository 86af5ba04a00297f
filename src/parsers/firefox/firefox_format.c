/* Profiles of the Firefox Profiler: sniffing, opening, feeding, ending. */
#include "parsers/firefox/firefox.h"

#include "base/alloc.h"

static bool head_has(const ts_sniff *s, const char *text)
{
    return memmem(s->head, s->n, text, strlen(text)) != NULL;
}

/* The version of the processed form; else the first key, and what its value has. */
static int fox_sniff(const ts_sniff *s)
{
    static const struct {
        const char *key, *one, *other;
    } forms[] = {
        {"meta", "\"startTime\"", "\"interval\""}, {"libs", "\"debugName\"", "\"breakpadId\""},
        {"shared", "\"stringArray\"", ""},         {"shared", "\"stackTable\"", ""},
        {"shared", "\"frameTable\"", ""},          {"threads", "\"samples\"", ""},
        {"threads", "\"processType\"", ""},        {"threads", "\"markers\"", ""},
    };
    if (s->head == NULL || s->json_key == NULL) {
        return TS_SNIFF_NO;
    }
    if (head_has(s, "\"preprocessedProfileVersion\"")) {
        return TS_SNIFF_SURE;
    }
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (strcmp(s->json_key, forms[i].key) == 0 && head_has(s, forms[i].one) &&
            head_has(s, forms[i].other)) {
            return TS_SNIFF_LIKELY;
        }
    }
    return TS_SNIFF_NO;
}

static void fox_close(void *self)
{
    fox *f = self;
    ts_ctx *ctx = f->ctx;
    ts_vec *const vecs[] = {&f->processes, &f->threads,    &f->counters, &f->tables,
                            &f->columns,   &f->libs,       &f->pauses,   &f->categories,
                            &f->subs,      &f->properties, &f->path,     &f->thread_ids};
    ts_buf *const bufs[] = {&f->names, &f->text, &f->raw, &f->schema_keys, &f->scratch};
    ts_json_free(f->json);
    ts_json_place_free(&f->in);
    ts_spool_free(f->cells);
    ts_spool_free(f->texts);
    fox_set_free(f, &f->common);
    fox_set_free(f, &f->own);
    fox_spans_free(f);
    for (size_t i = 0; i < sizeof vecs / sizeof vecs[0]; i++) {
        ts_vec_free(ctx, vecs[i]);
    }
    for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++) {
        ts_buf_free(ctx, bufs[i]);
    }
    ts_pool_free(ctx, &f->schemas);
    ts_pool_free(ctx, &f->thread_keys);
    ts_pool_free(ctx, &f->texts_as_ids);
    ts_free(ctx, f);
}

static ts_code fox_open(void **self, ts_job *job)
{
    fox *f = ts_zalloc(job->ctx, 1, sizeof *f);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, f);
    f->job = job;
    f->ctx = job->ctx;
    f->store = job->store;
    f->sink = ts_store_sink(job->store);
    f->in = (ts_json_place){.table = &fox_fields, .user = f, .ctx = job->ctx};
    ts_json_place_begin(&f->in);
    ts_profile_id_begin(&f->id);
    code = ts_json_new(&f->json, job->ctx, &fox_handler, f, 0);
    TS_STEP(code, ts_spool_new(&f->cells, job->ctx));
    TS_STEP(code, ts_spool_new(&f->texts, job->ctx));
    if (code != TS_OK) {
        fox_close(f);
        return code;
    }
    *self = f;
    return TS_OK;
}

static ts_code fox_feed(void *self, const uint8_t *p, size_t n)
{
    fox *f = self;
    ts_profile_id_add(&f->id, p, n);
    return ts_json_feed(f->json, (const char *)p, n);
}

static ts_code fox_feed_zeros(void *self, uint64_t *used, uint64_t n)
{
    const fox *f = self;
    *used = ts_json_state(f->json) == TS_JSON_BAD ? n : 0;
    return TS_OK;
}

static ts_code fox_finish(void *self, const ts_stream_end *end)
{
    fox *f = self;
    TS_TRY(ts_count_add(f->store, f->job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0));
    TS_TRY(ts_json_finish(f->json));
    f->job->text_bad = ts_json_state(f->json) == TS_JSON_BAD && !f->done;
    if (!f->has_meta && !f->has_threads && !f->has_shared) {
        return ts_fail(
            f->ctx, TS_ERR_FORMAT,
            "%s is not a profile of the Firefox Profiler: it has neither meta nor threads",
            f->job->name);
    }
    return fox_write(f);
}

TS_SOURCE_FORMAT(firefox) = {
    .name = "firefox",
    .title = "profiles of the Firefox Profiler: Firefox, samply (processed, Gecko)",
    .source_type = "profile",
    .sniff = fox_sniff,
    .json = true,
    .open = fox_open,
    .feed = fox_feed,
    .feed_zeros = fox_feed_zeros,
    .finish = fox_finish,
    .close = fox_close,
};
