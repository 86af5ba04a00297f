/* Files of speedscope: sniffing, opening, feeding, ending. */
#include "parsers/format.h"
#include "parsers/shared/notes.h"
#include "parsers/speedscope/speedscope.h"

#include "base/alloc.h"

#include <inttypes.h>
#include <stdio.h>

static bool head_has(const ts_sniff *s, const char *text)
{
    return memmem(s->head, s->n, text, strlen(text)) != NULL;
}

/* $schema names speedscope, or both parts can be seen; where one of them is long, how it begins. */
static int scope_sniff(const ts_sniff *s)
{
    if (s->head == NULL || s->json_key == NULL) {
        return TS_SNIFF_NO;
    }
    if (head_has(s, "\"$schema\"") && head_has(s, "speedscope")) {
        return TS_SNIFF_SURE;
    }
    if (head_has(s, "\"shared\"") && head_has(s, "\"profiles\"")) {
        return TS_SNIFF_LIKELY;
    }
    if (strcmp(s->json_key, "shared") == 0 && head_has(s, "\"frames\"")) {
        return TS_SNIFF_LIKELY;
    }
    return strcmp(s->json_key, "profiles") == 0 &&
                   (head_has(s, "\"evented\"") || head_has(s, "\"sampled\"") ||
                    head_has(s, "\"startValue\""))
               ? TS_SNIFF_LIKELY
               : TS_SNIFF_NO;
}

static void scope_close(void *self)
{
    scope *s = self;
    ts_ctx *ctx = s->job->ctx;
    ts_json_free(s->json);
    ts_json_place_free(&s->in);
    ts_spool_free(s->samples);
    ts_spool_free(s->weights);
    ts_spool_free(s->events);
    ts_vec_free(ctx, &s->frames);
    ts_vec_free(ctx, &s->profiles);
    ts_vec_free(ctx, &s->sample);
    ts_buf_free(ctx, &s->text);
    ts_buf_free(ctx, &s->texts);
    ts_free(ctx, s);
}

static ts_code scope_open(void **self, ts_job *job)
{
    scope *s = ts_zalloc(job->ctx, 1, sizeof *s);
    ts_code code;
    *self = NULL;
    TS_NEED(job->ctx, s);
    s->job = job;
    s->in = (ts_json_place){.table = &scope_table, .user = s, .ctx = job->ctx};
    ts_json_place_begin(&s->in);
    s->sink = ts_store_sink(job->store);
    s->max_frame = -1;
    ts_profile_id_begin(&s->id);
    if ((code = ts_json_new(&s->json, job->ctx, &ts_json_by_table, &s->in, 0)) != TS_OK ||
        (code = ts_spool_new(&s->samples, job->ctx)) != TS_OK ||
        (code = ts_spool_new(&s->weights, job->ctx)) != TS_OK ||
        (code = ts_spool_new(&s->events, job->ctx)) != TS_OK) {
        scope_close(s);
        return code;
    }
    *self = s;
    return TS_OK;
}

static ts_code scope_feed(void *self, const uint8_t *p, size_t n)
{
    scope *s = self;
    ts_profile_id_add(&s->id, p, n);
    return ts_json_feed(s->json, (const char *)p, n);
}

static ts_code scope_feed_zeros(void *self, uint64_t *used, uint64_t n)
{
    const scope *s = self;
    *used = ts_json_state(s->json) == TS_JSON_BAD ? n : 0;
    return TS_OK;
}

static ts_code scope_issues(scope *s, bool bad)
{
    const char *reason = bad ? ts_json_reason(s->json) : "the file is cut off";
    const int64_t at = (int64_t)ts_json_position(s->json);
    const ts_note notes[] = {
        {TS_ISSUE_prof_incomplete, s->done ? 0 : 1, reason},
        {TS_ISSUE_json_trailing_bytes, s->done && bad ? 1 : 0,
         "text follows the profiles and was not looked at"},
        {TS_ISSUE_prof_no_samples, s->done && s->profiles.n == 0 ? 1 : 0, "there are no profiles"},
        {TS_ISSUE_prof_bad_element, s->bad_elements,
         "members or elements are missing or not of their type"},
        {TS_ISSUE_prof_bad_number, s->bad_numbers, "numbers are negative or not whole"},
        {TS_ISSUE_prof_text_cut, s->texts_cut, "texts longer than 1 MiB were cut"},
        {TS_ISSUE_prof_bad_text, ts_json_replaced(s->json),
         "parts of texts that are not valid text became U+FFFD"},
    };
    TS_TRY(ts_notes_put(s->job->store, s->job->source_id, NULL, at, notes, 2));
    return ts_notes_put(s->job->store, s->job->source_id, NULL, TS_NO_OFFSET, notes + 2,
                        sizeof notes / sizeof notes[0] - 2);
}

/* A number of samples that was cut off with its profile is not in the spool; what is, counts. */
static ts_code scope_finish(void *self, const ts_stream_end *end)
{
    scope *s = self;
    bool bad;
    ts_code code =
        ts_count_add(s->job->store, s->job->source_id, TS_ITEM_bytes, NULL, end->bytes, 0, 0);
    if (code != TS_OK || (code = ts_json_finish(s->json)) != TS_OK) {
        return code;
    }
    bad = ts_json_state(s->json) == TS_JSON_BAD;
    s->job->text_bad = bad && !s->done;
    if (!s->has_frames && !s->has_profiles) {
        return ts_fail(s->job->ctx, TS_ERR_FORMAT,
                       "%s is not a file of speedscope: it has neither frames nor profiles",
                       s->job->name);
    }
    code = scope_write(s);
    TS_STEP(code, scope_issues(s, bad));
    return code;
}

TS_SOURCE_FORMAT(speedscope) = {
    .name = "speedscope",
    .title = "profiles of speedscope (.speedscope.json)",
    .source_type = "profile",
    .sniff = scope_sniff,
    .json = true,
    .open = scope_open,
    .feed = scope_feed,
    .feed_zeros = scope_feed_zeros,
    .finish = scope_finish,
    .close = scope_close,
};
