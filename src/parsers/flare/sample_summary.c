/*
 * summary_info.json. It is rewritten in place, so that text of an earlier, longer one may follow
 * its end. Without it the directory is read all the same.
 */
#include "parsers/flare/sample_directory.h"

#include "base/alloc.h"

#include <inttypes.h>

enum where { IN_NOTHING, IN_INFO, IN_THREADS };

typedef struct summary_reader {
    flare_dir *dir;
    flare_object thread;
    ts_json *json;
    uint64_t depth;
    enum where where;
    unsigned field;
    bool done;
} summary_reader;

static ts_code summary_open(void *user)
{
    summary_reader *r = user;
    r->depth++;
    if (r->where == IN_THREADS && r->depth == 3) {
        flare_object_clear(&r->thread);
    }
    return TS_OK;
}

static ts_code summary_array(void *user, int *want)
{
    summary_reader *r = user;
    if (r->where == IN_THREADS && r->depth == 3) {
        (void)flare_object_array(&r->thread);
    }
    *want = TS_JSON_PLAIN;
    r->depth++;
    return TS_OK;
}

static ts_code summary_close(void *user)
{
    summary_reader *r = user;
    ts_code code = TS_OK;
    TS_STEP_IF(code, r->where == IN_THREADS && r->depth == 3,
               flare_object_has(&r->thread, FLARE_HAS_ID) ? flare_thread_list(r->dir, &r->thread)
                                                          : TS_OK);
    r->depth--;
    r->done = r->depth == 0;
    return code;
}

static bool is(const char *p, size_t n, const char *name)
{
    return strlen(name) == n && memcmp(p, name, n) == 0;
}

static ts_code summary_key(void *user, const char *p, size_t n)
{
    summary_reader *r = user;
    if (r->depth == 1) {
        r->where = is(p, n, "sample_info") ? IN_INFO
                   : is(p, n, "threads")   ? IN_THREADS
                                           : IN_NOTHING;
    } else if (r->where == IN_INFO && r->depth == 2) {
        r->field = is(p, n, "sample_interval")       ? FLARE_SUM_INTERVAL
                   : is(p, n, TS_FLARE_SAMPLE_START) ? FLARE_SUM_SAMPLE_START
                   : is(p, n, "record_start_time")   ? FLARE_SUM_RECORD_START
                   : is(p, n, "last_record_time")    ? FLARE_SUM_LAST
                   : is(p, n, TS_FLARE_AGENT_ADDR)   ? FLARE_SUM_ADDR
                   : is(p, n, "sample_data_dir")     ? FLARE_SUM_DIR
                                                     : 0;
    } else if (r->where == IN_THREADS && r->depth == 3) {
        flare_object_key(&r->thread, p, n);
    }
    return TS_OK;
}

static ts_code summary_string(void *user, const char *p, size_t n, unsigned flags)
{
    summary_reader *r = user;
    flare_summary *sum = &r->dir->summary;
    if (r->where == IN_THREADS && r->depth == 3) {
        return flare_object_string(&r->thread, p, n, flags);
    }
    if (r->where == IN_INFO && r->depth == 2 &&
        (r->field == FLARE_SUM_ADDR || r->field == FLARE_SUM_DIR)) {
        ts_buf *to = r->field == FLARE_SUM_ADDR ? &sum->agent_addr : &sum->data_dir;
        if ((flags & TS_JSON_FIRST) != 0) {
            to->n = 0;
        }
        sum->has |= r->field;
        return ts_buf_put(r->dir->ctx, to, p, n);
    }
    return TS_OK;
}

static ts_code summary_number(void *user, const ts_json_number *number)
{
    summary_reader *r = user;
    flare_summary *sum = &r->dir->summary;
    if (r->where == IN_THREADS && r->depth == 3) {
        flare_object_number(&r->thread, number);
        return TS_OK;
    }
    if (r->where != IN_INFO || r->depth != 2 || !number->is_int) {
        return TS_OK;
    }
    int64_t *to = r->field == FLARE_SUM_INTERVAL       ? &sum->interval_ms
                  : r->field == FLARE_SUM_SAMPLE_START ? &sum->sample_start_ms
                  : r->field == FLARE_SUM_RECORD_START ? &sum->record_start_ms
                  : r->field == FLARE_SUM_LAST         ? &sum->last_record_ms
                                                       : NULL;
    if (to != NULL) {
        *to = number->i;
        sum->has |= r->field;
    }
    return TS_OK;
}

static ts_code summary_literal(void *user, ts_json_kind kind)
{
    summary_reader *r = user;
    if (r->where == IN_THREADS && r->depth == 3) {
        flare_object_literal(&r->thread, kind);
    }
    return TS_OK;
}

static const ts_json_handler summary_handler = {
    .object_begin = summary_open,
    .object_end = summary_close,
    .array_begin = summary_array,
    .array_end = summary_close,
    .key = summary_key,
    .string = summary_string,
    .number = summary_number,
    .literal = summary_literal,
};

/* Feeds the file until something is wrong; what follows the first value is, unless it is blank. */
static ts_code feed_summary(summary_reader *r, flare_in *in, uint64_t *end)
{
    uint64_t at = 0;
    ts_code code = TS_OK;
    while (at < in->size && code == TS_OK && ts_json_state(r->json) != TS_JSON_BAD) {
        const uint8_t *p;
        size_t got;
        code = flare_in_get(&p, &got, in, at, r->dir->files->block);
        if (code != TS_OK || got == 0) {
            break;
        }
        code = ts_json_feed(r->json, (const char *)p, got);
        at += got;
    }
    *end = ts_json_position(r->json);
    TS_STEP_IF(code, !r->done, ts_json_finish(r->json));
    return code;
}

static ts_code check_summary(summary_reader *r, const flare_in *in, uint64_t end)
{
    flare_dir *dir = r->dir;
    unsigned needed =
        FLARE_SUM_INTERVAL | FLARE_SUM_SAMPLE_START | FLARE_SUM_RECORD_START | FLARE_SUM_LAST;
    const char *why = ts_json_state(r->json) == TS_JSON_BAD ? ts_json_reason(r->json)
                                                            : "the file contains no object";
    ts_code code = flare_issue_n(dir, TS_ISSUE_flare_bad_text, in->name, TS_NO_OFFSET,
                                 ts_json_replaced(r->json), "parts of texts are not UTF-8");
    dir->summary.there = true;
    if (code != TS_OK) {
        return code;
    }
    if (!r->done) {
        dir->bytes_lost += in->size - end;
        return flare_issue(dir, TS_ISSUE_flare_summary_bad, in->name, (int64_t)end,
                           "%s; threads that are only in the summary are lost", why);
    }
    if (!flare_summary_has(&dir->summary, needed)) {
        return flare_issue(
            dir, TS_ISSUE_flare_summary_members, in->name, (int64_t)end,
            "sample_info lacks members; their values were taken from the other files");
    }
    if (ts_json_state(r->json) == TS_JSON_BAD) {
        return flare_issue(dir, TS_ISSUE_json_trailing_bytes, in->name,
                           (int64_t)ts_json_position(r->json),
                           "text follows the summary and was not read");
    }
    return TS_OK;
}

ts_code flare_summary_read(flare_dir *dir, uint32_t member)
{
    summary_reader r = {.dir = dir, .thread = {.ctx = dir->ctx}};
    flare_in in;
    uint64_t end = 0;
    bool there;
    ts_code code = flare_in_open(&there, &in, dir, member);
    if (code == TS_OK && !there) {
        code = flare_issue(dir, TS_ISSUE_flare_summary_missing, FLARE_SUMMARY_FILE, TS_NO_OFFSET,
                           "its values were taken from the other files");
    } else if (code == TS_OK &&
               (code = ts_json_new(&r.json, dir->ctx, &summary_handler, &r, 0)) == TS_OK &&
               (code = feed_summary(&r, &in, &end)) == TS_OK) {
        code = check_summary(&r, &in, end);
    }
    flare_in_close(&in);
    ts_json_free(r.json);
    flare_object_free(&r.thread);
    return code;
}
