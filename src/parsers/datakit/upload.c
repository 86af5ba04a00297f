/* An upload: its metadata, then its files, then its row. */
#include "parsers/datakit/datakit.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

enum { UPLOAD_BLOCK = 64 * 1024 };

/* The name of a member without its directory. */
static const char *datakit_name(const datakit_upload *u, const datakit_entry *e)
{
    return ts_member_name(u->job->set, e->member) + e->dir;
}

/* --- reading members -------------------------------------------------------------------------- */

typedef ts_code (*upload_feed)(void *user, const char *p, size_t n);

/* What reading a member found. */
typedef struct upload_end {
    uint64_t bytes;
    bool failed; /* what could not be read, with a message; the part before it was fed */
    bool doubted;
    char what[200];
    const char *bad; /* of JSON: why it is none, or NULL */
    uint64_t at;     /* where the reader stopped */
} upload_end;

/* Feeds a member. What cannot be read is no error. */
static ts_code upload_read(upload_end *end, datakit_upload *u, const datakit_entry *e,
                           upload_feed feed, void *user)
{
    ts_stream *stream = NULL;
    const ts_damage *damage;
    size_t got = 1;
    ts_code code = ts_member_open(&stream, u->job->set, e->member);
    *end = (upload_end){0};
    while (code == TS_OK && got > 0 && (code = ts_check_cancel(u->ctx)) == TS_OK) {
        size_t size = u->job->options->block_size;
        code = ts_stream_read(&got, stream, u->block, size < UPLOAD_BLOCK ? size : UPLOAD_BLOCK);
        if (code == TS_OK && got > 0) {
            end->bytes += got;
            code = feed(user, (const char *)u->block, got);
        }
    }
    if (code == TS_ERR_INPUT) {
        end->failed = true;
        snprintf(end->what, sizeof end->what, "%.150s", u->ctx->error.causes[0]);
        code = TS_OK;
    } else if (code == TS_OK && (damage = ts_stream_damage(stream)) != NULL && !damage->trailing) {
        end->failed = true;
        end->doubted = ts_stream_doubt(stream) != NULL;
        snprintf(end->what, sizeof end->what, "%.150s", damage->what);
    }
    if (code == TS_OK && !end->doubted && stream != NULL && ts_stream_doubt(stream) != NULL) {
        end->doubted = true;
        snprintf(end->what, sizeof end->what, "%.150s", ts_stream_doubt(stream)->what);
    }
    ts_stream_close(stream);
    return code;
}

static void upload_read_metadata(datakit_upload *u, const upload_end *end)
{
    u->bytes += end->bytes;
    ts_job_read(u->job, end->bytes);
    if (end->doubted && !u->doubted) {
        u->doubted = true;
        memcpy(u->doubt, end->what, sizeof u->doubt - 1);
        u->doubt[sizeof u->doubt - 1] = '\0';
    }
}

/* --- metadata --------------------------------------------------------------------------------- */

static ts_code upload_feed_json(void *user, const char *p, size_t n)
{
    return ts_json_feed(user, p, n);
}

/* Reads a member of JSON. *replaced: parts of its texts that are none. */
static ts_code upload_json(upload_end *end, uint64_t *replaced, datakit_upload *u,
                           const datakit_entry *e, const ts_json_handler *handler, void *user)
{
    ts_json *json = NULL;
    ts_code code = ts_json_new(&json, u->ctx, handler, user, 0);
    TS_STEP(code, upload_read(end, u, e, upload_feed_json, json));
    if (code == TS_OK) {
        upload_read_metadata(u, end);
        code = ts_json_finish(json);
        *replaced = ts_json_replaced(json);
        end->at = end->failed ? end->bytes : ts_json_position(json);
        end->bad = ts_json_state(json) == TS_JSON_DONE ? NULL : ts_json_reason(json);
    }
    ts_json_free(json);
    return code;
}

/* What is wrong with a member of JSON; odd: that it is another kind of document, or NULL. */
static const char *upload_why(const upload_end *end, const char *odd)
{
    return end->failed ? end->what : odd != NULL ? odd : end->bad;
}

static ts_code upload_event(datakit_upload *u, const datakit_entry *e)
{
    datakit_event event = {.m = &u->meta};
    upload_end end;
    uint64_t replaced = 0;
    ts_code code = upload_json(&end, &replaced, u, e, &datakit_event_handler, &event);
    u->meta.bad_texts += replaced;
    TS_STEP(code, datakit_event_end(&event));
    if (code == TS_OK && upload_why(&end, event.no_object) != NULL) {
        u->meta.seen++;
        u->meta.broken++;
        code = ts_issue(u->store, u->source_id, TS_ISSUE_datakit_bad_event, datakit_name(u, e),
                        (int64_t)end.at, "%s", upload_why(&end, event.no_object));
    }
    ts_buf_free(u->ctx, &event.path);
    ts_buf_free(u->ctx, &event.text);
    return code;
}

/* The begin of a text, which is enough for what is cut. */
typedef struct upload_text {
    ts_ctx *ctx;
    ts_buf text;
} upload_text;

static ts_code upload_feed_text(void *user, const char *p, size_t n)
{
    upload_text *t = user;
    size_t room = DATAKIT_MAX_TEXT + 1 - t->text.n;
    return ts_buf_put(t->ctx, &t->text, p, n < room ? n : room);
}

static ts_code upload_value(datakit_upload *u, const datakit_entry *e)
{
    upload_text t = {.ctx = u->ctx};
    upload_end end;
    bool value;
    const char *field = ts_member_field(&value, u->job->set, e->member);
    ts_code code = upload_read(&end, u, e, upload_feed_text, &t);
    if (code == TS_OK) {
        upload_read_metadata(u, &end);
    }
    if (code == TS_OK && end.failed) {
        u->meta.seen++;
        u->meta.broken++;
        code = ts_issue(u->store, u->source_id, TS_ISSUE_datakit_bad_event, field,
                        (int64_t)end.bytes, "%s", end.what);
    } else if (code == TS_OK && strcmp(field, "tags[]") == 0) {
        u->meta.form_tags = true;
        code = datakit_meta_tag(&u->meta, ts_buf_text(&t.text));
    } else if (code == TS_OK) {
        code = datakit_meta_put(&u->meta, ts_text_of(field), ts_buf_text(&t.text), false,
                                DATAKIT_JOIN);
    }
    ts_buf_free(u->ctx, &t.text);
    return code;
}

static ts_code upload_metadata(datakit_upload *u)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < u->entry_n && code == TS_OK; i++) {
        const datakit_entry *e = &u->entries[i];
        if (e->part == DATAKIT_EVENT) {
            code = upload_event(u, e);
        } else if (e->part == DATAKIT_FORM_VALUE) {
            code = upload_value(u, e);
        }
    }
    return code;
}

/* --- files ------------------------------------------------------------------------------------ */

static ts_code upload_put_file(datakit_upload *u, ts_row_profile_attachment *row, const char *state)
{
    ts_sink *sink = ts_store_sink(u->store);
    row->id = (int64_t)ts_sink_rows(sink, TS_T_profile_attachment) + 1;
    row->profile_id = u->profile_id;
    row->state = ts_text_of(state);
    u->seen++;
    return ts_put_profile_attachment(sink, row);
}

static void upload_empty_file(ts_row_profile_attachment *row, ts_text name, bool listed)
{
    *row = (ts_row_profile_attachment){.name = name, .listed = listed};
    TS_SET_NULL(profile_attachment, row, source_id);
    TS_SET_NULL(profile_attachment, row, size);
    TS_SET_NULL(profile_attachment, row, start_ts);
    TS_SET_NULL(profile_attachment, row, end_ts);
}

static void upload_set_size(ts_row_profile_attachment *row, uint64_t bytes)
{
    TS_SET_VALUE(profile_attachment, row, size, bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes);
}

static ts_code upload_metrics(datakit_upload *u, const datakit_entry *e,
                              ts_row_profile_attachment *row)
{
    datakit_numbers numbers = {
        .in = {.table = &datakit_numbers_table, .user = &numbers, .ctx = u->ctx},
        .store = u->store,
        .profile_id = u->profile_id};
    upload_end end;
    uint64_t replaced;
    uint64_t bad;
    ts_code code;
    ts_json_place_begin(&numbers.in);
    code = upload_json(&end, &replaced, u, e, &ts_json_by_table, &numbers.in);
    bad = numbers.no_list != NULL ? 0 : numbers.lost; /* there are no elements then */
    TS_STEP_IF(code, bad > 0,
               ts_issue_n(u->store, u->source_id, TS_ISSUE_datakit_bad_number, datakit_name(u, e),
                          TS_NO_OFFSET, bad, "elements are not a name and a number"));
    if (code == TS_OK && upload_why(&end, numbers.no_list) != NULL) {
        bad++; /* what was read last */
        code = ts_issue(u->store, u->source_id, TS_ISSUE_datakit_bad_metrics, datakit_name(u, e),
                        (int64_t)end.at, "%s", upload_why(&end, numbers.no_list));
    }
    u->numbers += numbers.put + bad;
    u->numbers_lost += bad;
    ts_json_place_free(&numbers.in);
    ts_buf_free(u->ctx, &numbers.name);
    if (code == TS_OK) {
        upload_set_size(row, end.bytes);
        u->imported++;
        code = upload_put_file(u, row, "metrics");
    }
    return code;
}

static ts_code upload_feed_id(void *user, const char *p, size_t n)
{
    ts_profile_id_add(user, (const uint8_t *)p, n);
    return TS_OK;
}

/* What is no recording is still read to its end: its size, and the upload's id, are known then. */
static ts_code upload_unknown(datakit_upload *u, const datakit_entry *e,
                              ts_row_profile_attachment *row)
{
    bool ignored = strcmp(datakit_name(u, e), "code-provenance.json") == 0;
    upload_end end;
    ts_code code;
    TS_TRY_INTO(code, upload_read(&end, u, e, upload_feed_id, &u->id));
    upload_set_size(row, end.bytes);
    u->skipped++;
    u->unknown += ignored ? 0 : 1;
    if (!ignored) {
        code = ts_issue(u->store, u->source_id, TS_ISSUE_datakit_unknown, datakit_name(u, e),
                        TS_NO_OFFSET, "the file is not a recording of a known format");
    }
    TS_STEP(code, upload_put_file(u, row, ignored ? "ignored" : "unknown"));
    return code;
}

static void upload_set_times(datakit_upload *u, ts_row_profile_attachment *row,
                             const ts_upload_file *file)
{
    if (file->start != TS_NO_TIME) {
        TS_SET_VALUE(profile_attachment, row, start_ts, file->start);
        u->start = u->start == TS_NO_TIME || file->start < u->start ? file->start : u->start;
    }
    if (file->end != TS_NO_TIME) {
        TS_SET_VALUE(profile_attachment, row, end_ts, file->end);
        u->end = u->end == TS_NO_TIME || file->end > u->end ? file->end : u->end;
    }
}

/* A member was imported, or failed to be. */
static ts_code upload_imported(datakit_upload *u, const datakit_entry *e,
                               const ts_member_import *got, ts_row_profile_attachment *row)
{
    ts_upload_file file;
    ts_code code = ts_upload_file_end(&file, u->store, !got->doubted);
    bool imported = got->format != NULL;
    if (code != TS_OK) {
        return code;
    }
    ts_profile_id_add(&u->id, (const uint8_t *)file.id, sizeof file.id);
    upload_set_times(u, row, &file);
    if (got->source_id != 0) {
        TS_SET_VALUE(profile_attachment, row, source_id, got->source_id);
    }
    if (imported) {
        row->format = ts_text_of(got->format->name);
        upload_set_size(row, got->bytes);
        u->imported++;
    } else {
        u->lost++;
    }
    if (got->failed) {
        code = ts_issue(u->store, u->source_id, TS_ISSUE_datakit_failed, datakit_name(u, e),
                        TS_NO_OFFSET, "%s",
                        imported ? "a part of the file could not be imported"
                                 : "the file could not be imported");
    }
    TS_STEP(code, upload_put_file(u, row, imported ? "imported" : "failed"));
    return code;
}

static ts_code upload_file(datakit_upload *u, datakit_entry *e)
{
    ts_row_profile_attachment row;
    ts_member_import got;
    const char *name = datakit_name(u, e);
    e->done = true;
    upload_empty_file(&row, ts_text_of(name), e->listed);
    row.path = ts_text_of(ts_member_name(u->job->set, e->member));
    ts_profile_id_add(&u->id, (const uint8_t *)name, strlen(name) + 1);
    if (e->part == DATAKIT_METRICS) {
        return upload_metrics(u, e, &row);
    }
    ts_upload_file_begin(u->store);
    TS_TRY(ts_job_import(&got, u->job, e->member, u->source_id));
    if (got.database) {
        return TS_OK;
    }
    return got.format == NULL && !got.failed ? upload_unknown(u, e, &row)
                                             : upload_imported(u, e, &got, &row);
}

/* --- the order of the files ------------------------------------------------------------------- */

/* Files by their names, and by those of their fields: numbers of entries + 1, by number of the
 * text.
 */
typedef struct upload_names {
    ts_pool texts;
    ts_vec first; /* uint32_t: by number of the text */
    ts_vec next;  /* uint32_t: by number of the entry, twice */
} upload_names;

static ts_code upload_add_name(upload_names *names, ts_ctx *ctx, const char *name, uint32_t ref)
{
    uint32_t id;
    uint32_t *all;
    ts_code code = ts_pool_intern(ctx, &id, NULL, &names->texts, ts_text_of(name));
    while (code == TS_OK && names->first.n <= id) {
        code = ts_vec_add(ctx, &names->first, sizeof(uint32_t)) == NULL ? ctx->error.code : TS_OK;
    }
    if (code == TS_OK) {
        all = names->first.p;
        ((uint32_t *)names->next.p)[ref] = all[id];
        all[id] = ref + 1;
    }
    return code;
}

static ts_code upload_name_files(upload_names *names, datakit_upload *u)
{
    ts_code code = ts_vec_reserve(u->ctx, &names->next, 2 * u->entry_n + 1, sizeof(uint32_t));
    for (size_t i = u->entry_n; i > 0 && code == TS_OK; i--) {
        const datakit_entry *e = &u->entries[i - 1];
        bool value;
        const char *field = ts_member_field(&value, u->job->set, e->member);
        if (e->part == DATAKIT_FORM_VALUE) {
            continue;
        }
        if (field != NULL) {
            code = upload_add_name(names, u->ctx, field, (uint32_t)(i - 1) * 2 + 1);
        }
        TS_STEP(code, upload_add_name(names, u->ctx, datakit_name(u, e), (uint32_t)(i - 1) * 2));
    }
    return code;
}

/* The next file of this name that was not met yet, or NULL. */
static datakit_entry *upload_find(upload_names *names, datakit_upload *u, ts_text name)
{
    uint32_t id;
    uint32_t *first =
        ts_pool_find(&id, &names->texts, name) ? (uint32_t *)names->first.p + id : NULL;
    while (first != NULL && *first != 0) {
        datakit_entry *e = &u->entries[(*first - 1) / 2];
        *first = ((const uint32_t *)names->next.p)[*first - 1];
        if (!e->done) {
            return e;
        }
    }
    return NULL;
}

static ts_code upload_missing(datakit_upload *u, ts_text name)
{
    ts_row_profile_attachment row;
    ts_code code;
    upload_empty_file(&row, name, true);
    u->lost++;
    code = ts_issue(u->store, u->source_id, TS_ISSUE_datakit_missing, NULL, TS_NO_OFFSET,
                    "the file \"%.*s\" is listed, but not there",
                    (int)(name.n < 100 ? name.n : 100), name.p);
    TS_STEP(code, upload_put_file(u, &row, "missing"));
    return code;
}

/* Those that the event file lists, in its order. */
static ts_code upload_listed(datakit_upload *u)
{
    const uint32_t *listed = u->meta.listed.p;
    upload_names names = {0};
    ts_code code = upload_name_files(&names, u);
    for (size_t i = 0; i < u->meta.listed.n && code == TS_OK; i++) {
        ts_text name = ts_pool_text(&u->meta.texts, listed[i]);
        datakit_entry *e = upload_find(&names, u, name);
        if (e == NULL) {
            code = upload_missing(u, name);
        } else if (e->part == DATAKIT_METRICS || e->part == DATAKIT_FILE) {
            e->listed = true;
            code = upload_file(u, e);
        }
    }
    ts_pool_free(u->ctx, &names.texts);
    ts_vec_free(u->ctx, &names.first);
    ts_vec_free(u->ctx, &names.next);
    return code;
}

static ts_code upload_files(datakit_upload *u)
{
    ts_code code = u->meta.has_list ? upload_listed(u) : TS_OK;
    for (size_t i = 0; i < u->entry_n && code == TS_OK; i++) {
        datakit_entry *e = &u->entries[i];
        if (!e->done && (e->part == DATAKIT_METRICS || e->part == DATAKIT_FILE)) {
            e->listed = !u->meta.has_list;
            code = upload_file(u, e);
        }
    }
    return code;
}

/* --- all -------------------------------------------------------------------------------------- */

static ts_code upload_count(datakit_upload *u)
{
    ts_tally *tally;
    TS_TRY(ts_count(&tally, u->store, u->source_id, TS_ITEM_datakit_attachments, NULL));
    *tally = (ts_tally){
        .seen = u->seen, .imported = u->imported, .lost = u->lost, .skipped = u->skipped};
    return ts_count_add(u->store, u->source_id, TS_ITEM_datakit_numbers, NULL,
                        u->numbers - u->numbers_lost, u->numbers_lost, 0);
}

/* Rows of metadata of which any byte may be wrong. */
static ts_code upload_doubt(datakit_upload *u, const ts_row_marks *before)
{
    static const enum ts_table_id tables[] = {TS_T_profile, TS_T_profile_tag, TS_T_profile_number};
    ts_row_marks now;
    ts_row_marks from;
    ts_row_marks_take(&now, ts_store_sink(u->store));
    from = now;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        from.rows[tables[i]] = before->rows[tables[i]];
    }
    return ts_doubt_rows(u->store, u->source_id, NULL, &from, &now, u->bytes, u->doubt);
}

ts_code datakit_upload_import(datakit_upload *u)
{
    ts_row_marks before;
    uint64_t losses = ts_issue_losses(u->store);
    ts_code code;
    TS_TRY_INTO(code, ts_upload_begin(u->store, u->source_id));
    ts_row_marks_take(&before, ts_store_sink(u->store));
    u->profile_id = ts_upload_row(u->store)->id;
    u->start = u->end = TS_NO_TIME;
    ts_profile_id_begin(&u->id);
    u->meta.ctx = u->ctx;
    u->block = ts_alloc(u->ctx, UPLOAD_BLOCK, 1);
    code = u->block == NULL ? u->ctx->error.code : upload_metadata(u);
    if (code == TS_OK && (code = datakit_row_fill(u)) == TS_OK &&
        (code = upload_files(u)) == TS_OK && (code = datakit_row_finish(u)) == TS_OK &&
        (code = ts_upload_end(u->store)) == TS_OK) {
        code = upload_count(u);
    }
    if (code == TS_OK && u->doubted) {
        code = upload_doubt(u, &before);
    }
    u->useless = u->unknown > 0 && u->imported == 0 && u->lost == 0;
    TS_STEP_IF(code, u->useless,
               ts_issue(u->store, u->source_id, TS_ISSUE_datakit_no_profile, NULL, TS_NO_OFFSET,
                        "none of its files is a recording of a known format"));
    if (code == TS_OK) {
        ts_source(u->store, u->source_id)->bytes += (int64_t)u->bytes;
        ts_source(u->store, u->source_id)->complete = ts_issue_losses(u->store) == losses;
    }
    ts_upload_drop(u->store);
    datakit_meta_free(&u->meta);
    ts_free(u->ctx, u->block);
    return code;
}
