/* The file metrics.json of an upload: a list of names with numbers. */
#include "parsers/datakit/datakit.h"

#include "base/alloc.h"

enum { NUMBERS_NAME = 1024 };

struct datakit_numbers {
    ts_ctx *ctx;
    ts_sink *sink;
    ts_json *json;
    int64_t profile_id;
    ts_buf name;
    ts_row_profile_number row;
    char text[64];
    uint64_t depth;
    unsigned place; /* in a pair */
    bool bad;       /* the pair */
    bool no_list;   /* the document is something else */
    uint64_t put, lost;
};

static ts_code numbers_begin(datakit_numbers *d, bool array)
{
    d->depth++;
    d->no_list = d->no_list || (d->depth == 1 && !array);
    if (d->depth == 2) {
        d->place = 0;
        d->bad = !array;
        d->name.n = 0;
    } else if (d->depth > 2) {
        d->bad = true;
    }
    return TS_OK;
}

static ts_code numbers_object_begin(void *user)
{
    return numbers_begin(user, false);
}

static ts_code numbers_array_begin(void *user, int *want)
{
    (void)want;
    return numbers_begin(user, true);
}

static ts_code numbers_end(void *user)
{
    datakit_numbers *d = user;
    d->depth--;
    if (d->depth != 1 || d->no_list) {
        return TS_OK;
    }
    if (d->bad || d->place != 2) {
        d->lost++;
        return TS_OK;
    }
    d->put++;
    d->row.name = ts_buf_text(&d->name);
    return ts_put_profile_number(d->sink, &d->row);
}

/* Values outside of pairs do not count, nor does anything in the wrong place of a pair. */
static bool numbers_expects(datakit_numbers *d, unsigned place)
{
    bool fits = d->depth == 2 && d->place == place;
    d->no_list = d->no_list || d->depth == 0;
    if (d->depth == 1) {
        d->lost++;
    }
    d->bad = d->bad || !fits;
    return fits;
}

static ts_code numbers_string(void *user, const char *p, size_t n, unsigned flags)
{
    datakit_numbers *d = user;
    bool last = (flags & TS_JSON_LAST) != 0;
    ts_code code = TS_OK;
    if (d->depth == 2 && d->place == 0) {
        d->bad = d->bad || d->name.n + n > NUMBERS_NAME;
        code = d->bad ? TS_OK : ts_buf_put(d->ctx, &d->name, p, n);
        d->place += last ? 1 : 0;
    } else if (last) {
        (void)numbers_expects(d, 0);
    }
    return code;
}

static ts_code numbers_number(void *user, const ts_json_number *number)
{
    datakit_numbers *d = user;
    if (numbers_expects(d, 1)) {
        size_t n = number->n < sizeof d->text ? number->n : sizeof d->text;
        memcpy(d->text, number->p, n);
        d->row = (ts_row_profile_number){
            .profile_id = d->profile_id, .value = number->d, .text = {d->text, n}};
        d->place = 2;
    }
    return TS_OK;
}

/* What is not known yet has no number. */
static ts_code numbers_literal(void *user, ts_json_kind kind)
{
    datakit_numbers *d = user;
    if (numbers_expects(d, 1)) {
        d->row = (ts_row_profile_number){.profile_id = d->profile_id};
        TS_SET_NULL(profile_number, &d->row, value);
        d->bad = d->bad || kind != TS_JSON_NULL;
        d->place = 2;
    }
    return TS_OK;
}

static const ts_json_handler numbers_handler = {
    .object_begin = numbers_object_begin,
    .object_end = numbers_end,
    .array_begin = numbers_array_begin,
    .array_end = numbers_end,
    .string = numbers_string,
    .number = numbers_number,
    .literal = numbers_literal,
};

ts_code datakit_numbers_open(datakit_numbers **out, ts_ctx *ctx, ts_store *store,
                             int64_t profile_id)
{
    datakit_numbers *d = ts_zalloc(ctx, 1, sizeof *d);
    ts_code code;
    *out = NULL;
    TS_NEED(ctx, d);
    d->ctx = ctx;
    d->sink = ts_store_sink(store);
    d->profile_id = profile_id;
    if ((code = ts_json_new(&d->json, ctx, &numbers_handler, d, 0)) != TS_OK) {
        datakit_numbers_close(d);
        return code;
    }
    *out = d;
    return TS_OK;
}

void datakit_numbers_close(datakit_numbers *d)
{
    if (d != NULL) {
        ts_ctx *ctx = d->ctx;
        ts_json_free(d->json);
        ts_buf_free(ctx, &d->name);
        ts_free(ctx, d);
    }
}

ts_code datakit_numbers_feed(datakit_numbers *d, const char *p, size_t n)
{
    return ts_json_feed(d->json, p, n);
}

ts_code datakit_numbers_finish(const char **why, uint64_t *at, datakit_numbers *d)
{
    ts_code code = ts_json_finish(d->json);
    *why = NULL;
    if (code == TS_OK && (ts_json_state(d->json) != TS_JSON_DONE || d->no_list)) {
        *why = d->no_list ? "it is not a list" : ts_json_reason(d->json);
        *at = ts_json_position(d->json);
    }
    return code;
}

void datakit_numbers_counts(uint64_t *put, uint64_t *bad, const datakit_numbers *d)
{
    *put = d->put;
    *bad = d->no_list ? 0 : d->lost; /* there are no elements then */
}
