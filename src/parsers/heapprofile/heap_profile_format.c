/* Sampling heap profiles as files: sniffing, opening, feeding, ending. */
#include "parsers/format.h"
#include "parsers/heapprofile/heap_profile.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

enum { SAMPLE_MEMORY = 4 << 20 };

static bool head_has(const ts_sniff *s, const char *text)
{
    return memmem(s->head, s->n, text, strlen(text)) != NULL;
}

static int heap_profile_sniff(const ts_sniff *s)
{
    if (s->head == NULL || s->json_key == NULL) {
        return TS_SNIFF_NO;
    }
    if (strcmp(s->json_key, "head") == 0) {
        return head_has(s, "\"callFrame\"")      ? TS_SNIFF_SURE
               : head_has(s, "\"functionName\"") ? TS_SNIFF_NO /* an old CPU profile */
                                                 : TS_SNIFF_LIKELY;
    }
    return strcmp(s->json_key, "samples") == 0 && head_has(s, "\"nodeId\"") &&
                   head_has(s, "\"ordinal\"")
               ? TS_SNIFF_SURE
               : TS_SNIFF_NO;
}

static void heap_profile_close(void *self)
{
    heap_profile *p = self;
    ts_ctx *ctx = p->job->ctx;
    ts_json_free(p->json);
    ts_json_place_free(&p->in);
    ts_sorter_close(p->samples);
    ts_vec_free(ctx, &p->nodes);
    ts_vec_free(ctx, &p->open);
    ts_idmap_free(ctx, &p->by_id);
    ts_idmap_free(ctx, &p->sampled);
    ts_buf_free(ctx, &p->text);
    ts_buf_free(ctx, &p->function);
    ts_buf_free(ctx, &p->url);
    ts_free(ctx, p);
}

static ts_code heap_profile_open(void **self, ts_job *job)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    heap_profile *p = ts_zalloc(job->ctx, 1, sizeof *p);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, p);
    p->job = job;
    p->in = (ts_json_place){.table = &heap_profile_table, .user = p, .ctx = job->ctx};
    ts_json_place_begin(&p->in);
    p->sink = ts_store_sink(job->store);
    if ((code = ts_job_source(&p->source_id, p->name, job, job->source_id, "heap_profile",
                              "heapprofile", "HeapProfile")) != TS_OK ||
        (code = ts_json_new(&p->json, job->ctx, &ts_json_by_table, &p->in, 0)) != TS_OK ||
        (code = ts_sorter_open(&p->samples, job->ctx, sizeof(heap_profile_sample), &order,
                               SAMPLE_MEMORY)) != TS_OK) {
        heap_profile_close(p);
        return code;
    }
    *self = p;
    return TS_OK;
}

static ts_code heap_profile_feed(void *self, const uint8_t *p, size_t n)
{
    return ts_json_feed(((heap_profile *)self)->json, (const char *)p, n);
}

static ts_code heap_profile_feed_zeros(void *self, uint64_t *used, uint64_t n)
{
    const heap_profile *p = self;
    *used = ts_json_state(p->json) == TS_JSON_BAD ? n : 0;
    return TS_OK;
}

static ts_code heap_profile_finish(void *self, const ts_stream_end *end)
{
    heap_profile *p = self;
    char reason[160];
    bool bad;
    ts_code code;
    TS_TRY_INTO(code, ts_count_add(p->job->store, p->job->source_id, TS_ITEM_bytes, NULL,
                                   end->bytes, 0, 0));
    TS_TRY_INTO(code, ts_json_finish(p->json));
    bad = ts_json_state(p->json) == TS_JSON_BAD;
    snprintf(reason, sizeof reason, "%s at byte %" PRIu64, bad ? ts_json_reason(p->json) : "",
             ts_json_position(p->json));
    p->job->text_bad = bad && !p->done;
    code = heap_profile_write(p, bad ? reason : NULL);
    if (code == TS_OK && bad && p->done) {
        code = ts_issue(p->job->store, p->source_id, TS_ISSUE_json_trailing_bytes, NULL,
                        (int64_t)ts_json_position(p->json),
                        "text follows the profile and was not looked at");
    }
    return code;
}

TS_SOURCE_FORMAT(heapprofile) = {
    .name = "heapprofile",
    .title = "sampling heap profile of V8 (.heapprofile)",
    .source_type = "heap-profile",
    .sniff = heap_profile_sniff,
    .json = true,
    .open = heap_profile_open,
    .feed = heap_profile_feed,
    .feed_zeros = heap_profile_feed_zeros,
    .finish = heap_profile_finish,
    .close = heap_profile_close,
};
