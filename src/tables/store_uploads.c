/* Uploads: several files that have one row in profile (store_profiles.h). */
#include "tables/store_profiles.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "tables/store_impl.h"

struct ts_upload_state {
    ts_row_profile row;
    ts_pool texts;
    ts_upload_file file;
    ts_row_profile of_file; /* what the files so far and the current one say */
};

/* Columns that the first file that knows them fills. */
static const size_t upload_texts[] = {
    offsetof(ts_row_profile, agent_ver),    offsetof(ts_row_profile, service),
    offsetof(ts_row_profile, env),          offsetof(ts_row_profile, version),
    offsetof(ts_row_profile, host),         offsetof(ts_row_profile, pid),
    offsetof(ts_row_profile, language),     offsetof(ts_row_profile, language_ver),
    offsetof(ts_row_profile, runtime),      offsetof(ts_row_profile, runtime_os),
    offsetof(ts_row_profile, runtime_arch), offsetof(ts_row_profile, format),
    offsetof(ts_row_profile, profiler),     offsetof(ts_row_profile, runtime_id),
};

static ts_text *upload_cell(ts_row_profile *row, size_t offset)
{
    return (ts_text *)((char *)row + offset);
}

ts_code ts_upload_begin(ts_store *store, int64_t source_id)
{
    ts_upload_state *u = ts_zalloc(store->ctx, 1, sizeof *u);
    TS_NEED(store->ctx, u);
    ts_profile_row(&u->row, store, source_id, NULL);
    ts_profile_row(&u->of_file, store, source_id, NULL);
    store->upload = u;
    return TS_OK;
}

ts_row_profile *ts_upload_row(ts_store *store)
{
    return &store->upload->row;
}

ts_text ts_upload_language(const ts_store *store)
{
    return store->upload == NULL || store->upload->row.language.n == 0
               ? TS_TEXT_NULL
               : store->upload->row.language;
}

ts_code ts_upload_text(ts_store *store, ts_text *cell, ts_text text)
{
    ts_pool *texts = &store->upload->texts;
    uint32_t id;
    ts_code code;
    if (text.p == NULL) {
        *cell = text;
        return TS_OK;
    }
    code = ts_pool_intern(store->ctx, &id, NULL, texts, text);
    if (code == TS_OK) {
        *cell = ts_pool_text(texts, id);
    }
    return code;
}

void ts_upload_drop(ts_store *store)
{
    if (store->upload != NULL) {
        ts_pool_free(store->ctx, &store->upload->texts);
        ts_free(store->ctx, store->upload);
        store->upload = NULL;
    }
}

/* --- files ----------------------------------------------------------------------------------- */

void ts_upload_file_begin(ts_store *store)
{
    store->upload->file = (ts_upload_file){.start = TS_NO_TIME, .end = TS_NO_TIME};
    ts_profile_row(&store->upload->of_file, store, 0, NULL);
}

static bool upload_null(const ts_row_profile *row, uint64_t bit)
{
    return (row->null & bit) != 0;
}

/* The first amount between two samples; files have different ones. */
static void upload_take_period(ts_row_profile *to, const ts_row_profile *row)
{
    if (upload_null(to, TS_NULL_BIT(profile, period)) &&
        !upload_null(row, TS_NULL_BIT(profile, period))) {
        to->period = row->period;
        to->null &= ~TS_NULL_BIT(profile, period);
    }
    if (upload_null(to, TS_NULL_BIT(profile, default_type_id)) &&
        !upload_null(row, TS_NULL_BIT(profile, default_type_id))) {
        to->default_type_id = row->default_type_id;
        to->null &= ~TS_NULL_BIT(profile, default_type_id);
    }
}

/* Fills what is NULL in the first row. */
static ts_code upload_fill(ts_store *store, ts_row_profile *to, const ts_row_profile *row)
{
    ts_row_profile from = *row;
    bool period = upload_null(to, TS_NULL_BIT(profile, period));
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof upload_texts / sizeof upload_texts[0] && code == TS_OK; i++) {
        ts_text *cell = upload_cell(to, upload_texts[i]);
        ts_text text = *upload_cell(&from, upload_texts[i]);
        if (cell->n == 0 && text.n > 0) {
            code = ts_upload_text(store, cell, text);
        }
    }
    upload_take_period(to, row);
    if (code == TS_OK && period && !upload_null(to, TS_NULL_BIT(profile, period)) &&
        (code = ts_upload_text(store, &to->period_type, row->period_type)) == TS_OK) {
        code = ts_upload_text(store, &to->period_unit, row->period_unit);
    }
    return code;
}

/* The span of all. */
static void upload_widen(int64_t *start, int64_t *end, int64_t from, int64_t to)
{
    if (from != TS_NO_TIME && (*start == TS_NO_TIME || from < *start)) {
        *start = from;
    }
    if (to != TS_NO_TIME && (*end == TS_NO_TIME || to > *end)) {
        *end = to;
    }
}

ts_code ts_profile_put(ts_store *store, const ts_row_profile *row)
{
    ts_upload_state *u = store->upload;
    size_t n;
    if (u == NULL) {
        return ts_put_profile(store->sink, row);
    }
    u->file.any = true;
    upload_widen(&u->file.start, &u->file.end,
                 upload_null(row, TS_NULL_BIT(profile, start_ts)) ? TS_NO_TIME : row->start_ts,
                 upload_null(row, TS_NULL_BIT(profile, end_ts)) ? TS_NO_TIME : row->end_ts);
    n = row->profile_id.n < TS_PROFILE_ID ? row->profile_id.n : 0;
    if (n > 0) {
        memcpy(u->file.id, row->profile_id.p, n);
    }
    return upload_fill(store, &u->of_file, row);
}

ts_code ts_upload_file_end(ts_upload_file *out, ts_store *store, bool keep)
{
    ts_upload_state *u = store->upload;
    *out = u->file;
    if (!keep) {
        *out = (ts_upload_file){.any = u->file.any, .start = TS_NO_TIME, .end = TS_NO_TIME};
        return TS_OK;
    }
    return upload_fill(store, &u->row, &u->of_file);
}

ts_code ts_upload_end(ts_store *store)
{
    ts_code code = ts_put_profile(store->sink, &store->upload->row);
    ts_upload_drop(store);
    return code;
}
