/* The sources of a database as Datakit's profiles (export_parts.h). */
#include "export/export_parts.h"

#include "tables/formats/flare/flare_constants.h"
#include "tables/profile_kinds.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* --- what formats say by themselves ---------------------------------------------------------- */

#define TS_LANGUAGE(format, inside, language, runtime) {format, inside, language, runtime},
static const struct {
    const char *format, *inside, *language, *runtime;
} upload_formats[] = {
#include "tables/formats/each.h"
};

static void upload_language(ts_upload *u, ts_text inside)
{
    for (size_t i = 0; i < sizeof upload_formats / sizeof upload_formats[0]; i++) {
        if (ts_text_is(u->texts[TS_UP_FORMAT], upload_formats[i].format) &&
            (upload_formats[i].inside[0] == '\0' || ts_text_is(inside, upload_formats[i].inside))) {
            u->texts[TS_UP_LANGUAGE] = ts_text_of(upload_formats[i].language);
            u->texts[TS_UP_RUNTIME] = ts_text_of(upload_formats[i].runtime);
            return;
        }
    }
}

/* --- sources ---------------------------------------------------------------------------------- */

static ts_code upload_keep(ts_text *out, ts_uploads *u, ts_ctx *ctx, ts_text text)
{
    uint32_t id;
    ts_code code = ts_pool_intern(ctx, &id, NULL, &u->texts, text);
    if (code == TS_OK) {
        *out = ts_pool_text(&u->texts, id);
    }
    return code;
}

enum {
    UP_PARENT,
    UP_KIND,
    UP_PATH,
    UP_FORMAT,
    UP_NAME,
    UP_PID,
    UP_HOST,
    UP_CLOCK,
    UP_START,
    UP_END,
    UP_BYTES,
    UP_HASHED,
    UP_COMPLETE = UP_HASHED,
    UP_COLUMNS
};

static const unsigned upload_columns[UP_COLUMNS] = {
    TS_C_source__parent_id, TS_C_source__kind,   TS_C_source__path,  TS_C_source__format,
    TS_C_source__name,      TS_C_source__pid,    TS_C_source__host,  TS_C_source__clock,
    TS_C_source__start_ts,  TS_C_source__end_ts, TS_C_source__bytes, TS_C_source__complete};

/* NULL when there is no source with this id. */
static ts_upload *upload_at(const ts_uploads *u, int64_t id)
{
    ts_upload *all = u->by_source.p;
    return id > 0 && (uint64_t)id < u->by_source.n && all[id].source_id == id ? &all[id] : NULL;
}

static int64_t upload_cell(const ts_walk *at, unsigned column)
{
    return ts_walk_int_or(at, column, TS_NO_TIME);
}

/* What a source does not say is what the one around it says. */
static ts_code upload_texts(ts_uploads *u, ts_ctx *ctx, ts_upload *up, const ts_upload *around,
                            const ts_walk *at)
{
    static const struct {
        ts_upload_text text;
        unsigned column;
    } kept[] = {{TS_UP_PATH, UP_PATH}, {TS_UP_FORMAT, UP_FORMAT}, {TS_UP_HOST, UP_HOST}};
    char pid[24];
    ts_code code = TS_OK;
    for (size_t k = 0; k < sizeof kept / sizeof kept[0] && code == TS_OK; k++) {
        ts_text text = ts_walk_text(at, kept[k].column);
        if (text.n > 0) {
            code = upload_keep(&up->texts[kept[k].text], u, ctx, text);
        } else if (around != NULL) {
            up->texts[kept[k].text] = around->texts[kept[k].text];
        }
    }
    if (code == TS_OK && !ts_walk_null(at, UP_PID)) {
        int n = snprintf(pid, sizeof pid, "%" PRId64, ts_walk_int(at, UP_PID));
        code = upload_keep(&up->texts[TS_UP_PID], u, ctx, (ts_text){pid, (size_t)n});
    } else if (around != NULL) {
        up->texts[TS_UP_PID] = around->texts[TS_UP_PID];
    }
    return code;
}

static void upload_hash_text(ts_upload *up, ts_text text)
{
    ts_hash_bytes(&up->hash, text.p, text.n);
}

static ts_code upload_source(ts_uploads *u, ts_ctx *ctx, const ts_walk *at)
{
    static const ts_hash_key none = {{0, 0}};
    int64_t id = ts_walk_id(at);
    int64_t parent = ts_walk_int_or(at, UP_PARENT, -1);
    ts_text clock = ts_walk_text(at, UP_CLOCK);
    ts_code code;
    TS_TRY_INTO(code, ts_vec_reach(ctx, &u->by_source, id, sizeof(ts_upload)));
    ts_upload *up = &((ts_upload *)u->by_source.p)[id];
    const ts_upload *around = parent < id ? upload_at(u, parent) : NULL;
    *up = (ts_upload){
        .source_id = id,
        .owner = id,
        .start = TS_NO_TIME,
        .end = TS_NO_TIME,
        .dur = TS_NO_TIME,
        .own_start = upload_cell(at, UP_START),
        .own_end = upload_cell(at, UP_END),
        .first = TS_NO_TIME,
        .last = TS_NO_TIME,
        .realtime = ts_text_is(clock, "realtime") ? 0 : TS_NO_TIME,
        .boottime = TS_NO_TIME,
        .real_start = TS_NO_TIME,
        .hash = ts_hash_begin(&none),
    };
    for (unsigned k = 0; k < TS_UP_TEXTS; k++) {
        up->texts[k] = (ts_text){"", 0};
    }
    up->texts[TS_UP_SERVICE] = TS_TEXT_LIT("unnamed-service");
    code = upload_texts(u, ctx, up, around, at);
    upload_language(up, around == NULL ? TS_TEXT_NULL : around->texts[TS_UP_FORMAT]);
    for (unsigned k = UP_KIND; k < UP_HASHED; k++) {
        bool number = k == UP_PID || k >= UP_START;
        if (number) {
            ts_hash_word(&up->hash, (uint64_t)upload_cell(at, k));
        } else if (k != UP_PATH) {
            upload_hash_text(up, ts_walk_text(at, k));
        }
    }
    /* Not known yet whether boottime can be converted: properties come later. */
    if (ts_text_is(clock, "boottime")) {
        up->realtime = TS_NO_TIME + 1;
    }
    TS_STEP(code, ts_vec_keep(ctx, &u->parents, id, ts_walk_int_or(at, UP_PARENT, INT64_MAX)));
    TS_STEP_IF(code, ts_walk_int(at, UP_COMPLETE) == 0,
               ts_vec_keep(ctx, &u->lossy, (int64_t)u->lossy.n, id));
    return code;
}

/* --- rows of profiles ---------------------------------------------------------------------------
 */

enum { UP_PROFILE_TEXTS = 14, UP_PROFILE_START = UP_PROFILE_TEXTS + 1 };

/* What a row of profile says counts more than what is known of its source. */
static ts_code upload_profile(ts_uploads *u, ts_ctx *ctx, const ts_walk *at)
{
    static const ts_upload_text texts[UP_PROFILE_TEXTS] = {
        TS_UP_ID,      TS_UP_AGENT_VER,  TS_UP_ENDPOINT,     TS_UP_SERVICE,  TS_UP_ENV,
        TS_UP_VERSION, TS_UP_HOST,       TS_UP_PID,          TS_UP_LANGUAGE, TS_UP_LANGUAGE_VER,
        TS_UP_RUNTIME, TS_UP_RUNTIME_OS, TS_UP_RUNTIME_ARCH, TS_UP_FORMAT};
    ts_upload *up = upload_at(u, ts_walk_int(at, 0));
    ts_code code = TS_OK;
    if (up == NULL) {
        return TS_OK;
    }
    for (unsigned k = 0; k < UP_PROFILE_TEXTS && code == TS_OK; k++) {
        ts_text text = ts_walk_text(at, k + 1);
        if (text.n > 0) {
            code = upload_keep(&up->texts[texts[k]], u, ctx, text);
        }
    }
    TS_STEP(code, ts_vec_keep(ctx, &u->by_profile, ts_walk_id(at), up->source_id));
    up->profile = true;
    up->start = upload_cell(at, UP_PROFILE_START);
    up->end = upload_cell(at, UP_PROFILE_START + 1);
    up->dur = upload_cell(at, UP_PROFILE_START + 2);
    return code;
}

/* --- uploads of several files -------------------------------------------------------------------
 */

/* A source without a row of its own is a file of that around it which has one. */
static void upload_owners(ts_uploads *u)
{
    const int64_t *parents = u->parents.p;
    for (size_t id = 0; id < u->by_source.n && id < u->parents.n; id++) {
        ts_upload *up = upload_at(u, (int64_t)id);
        const ts_upload *around =
            up != NULL && parents[id] < (int64_t)id ? upload_at(u, parents[id]) : NULL;
        if (around != NULL && !up->profile &&
            (around->profile || around->owner != around->source_id)) {
            up->owner = around->owner;
        }
    }
}

/* The upload of a profile, or NULL. */
static ts_upload *upload_of_profile(const ts_uploads *u, int64_t id)
{
    return upload_at(u, ts_vec_kept(&u->by_profile, id));
}

/* Rows of one profile follow each other; what is elsewhere is left out. */
static ts_code upload_tag(ts_uploads *u, ts_ctx *ctx, const ts_walk *at)
{
    ts_upload *up = upload_of_profile(u, ts_walk_int(at, 0));
    ts_upload_tag tag;
    if (up == NULL || (up->tags > 0 && up->first_tag + up->tags != u->tags.n)) {
        return TS_OK;
    }
    TS_TRY(upload_keep(&tag.key, u, ctx, ts_walk_text(at, 1)));
    TS_TRY(upload_keep(&tag.value, u, ctx, ts_walk_text(at, 2)));
    up->first_tag = up->tags == 0 ? u->tags.n : up->first_tag;
    up->tags++;
    return ts_vec_push(ctx, &u->tags, &tag, sizeof tag);
}

static ts_code upload_file_name(ts_uploads *u, ts_ctx *ctx, const ts_walk *at)
{
    ts_upload *up = upload_of_profile(u, ts_walk_int(at, 0));
    ts_text name;
    if (up == NULL || ts_walk_null(at, 2) ||
        (up->files > 0 && up->first_file + up->files != u->files.n)) {
        return TS_OK;
    }
    TS_TRY(upload_keep(&name, u, ctx, ts_walk_text(at, 1)));
    up->first_file = up->files == 0 ? u->files.n : up->first_file;
    up->files++;
    return ts_vec_push(ctx, &u->files, &name, sizeof name);
}

/* --- properties ---------------------------------------------------------------------------------
 */

static ts_code upload_property(ts_uploads *u, ts_ctx *ctx, const ts_walk *at)
{
    ts_upload *up = upload_at(u, ts_walk_int(at, 0));
    ts_text key = ts_walk_text(at, 1);
    ts_text value = ts_walk_text(at, 2);
    char digits[24];
    (void)ctx;
    if (up == NULL || value.n == 0 || value.n > 19) {
        return TS_OK;
    }
    memcpy(digits, value.p, value.n);
    digits[value.n] = '\0';
    if (strspn(digits, "0123456789") != value.n) {
        return TS_OK;
    }
    int64_t v = strtoll(digits, NULL, 10);
    if (ts_text_is(key, "start_boottime_ns")) {
        up->boottime = v;
    } else if (ts_text_is(key, "start_realtime_ns")) {
        up->real_start = v;
    }
    return TS_OK;
}

/* Both clocks as the recording read them at one moment. A parent is before its children, so
 * theirs are known when the children need them. */
static void upload_clocks(ts_uploads *u)
{
    const int64_t *parents = u->parents.p;
    for (size_t id = 0; id < u->by_source.n; id++) {
        ts_upload *up = upload_at(u, (int64_t)id);
        const ts_upload *around = parents[id] < (int64_t)id ? upload_at(u, parents[id]) : NULL;
        if (up == NULL) {
            continue;
        }
        if (around != NULL && up->boottime == TS_NO_TIME) {
            up->boottime = around->boottime;
        }
        if (around != NULL && up->real_start == TS_NO_TIME) {
            up->real_start = around->real_start;
        }
        if (up->realtime != TS_NO_TIME + 1) {
            continue;
        }
        if (up->boottime == TS_NO_TIME || up->real_start == TS_NO_TIME || up->real_start == 0 ||
            ts_ckd_sub(&up->realtime, up->real_start, up->boottime)) {
            up->realtime = TS_NO_TIME;
        }
    }
}

/* --- rows ---------------------------------------------------------------------------------------
 */

typedef ts_code (*upload_row)(ts_uploads *u, ts_ctx *ctx, const ts_walk *at);

static ts_code upload_each(ts_uploads *u, ts_ctx *ctx, ts_reader *reader, enum ts_table_id table,
                           const unsigned *columns, unsigned n, upload_row row)
{
    ts_walk rows = ts_walk_of(ts_rows_of(reader), table, columns, n);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        code = row(u, ctx, &rows);
    }
    return code;
}

static void upload_seen(ts_upload *up, int64_t ts, int64_t dur)
{
    int64_t end = dur == TS_NO_TIME || dur < 0 ? ts : ts_time_add(ts, dur);
    up->own_stacks = true;
    if (ts != TS_NO_TIME) {
        up->first = up->first == TS_NO_TIME || ts < up->first ? ts : up->first;
        up->last = up->last == TS_NO_TIME || end > up->last ? end : up->last;
    }
    ts_hash_word(&up->hash, (uint64_t)ts);
    ts_hash_word(&up->hash, (uint64_t)dur);
}

static ts_code upload_sample(ts_uploads *u, ts_ctx *ctx, const ts_walk *at)
{
    ts_upload *up = upload_at(u, ts_walk_int(at, 0));
    (void)ctx;
    if (up != NULL) {
        upload_seen(up, upload_cell(at, 1), upload_cell(at, 2));
    }
    return TS_OK;
}

static ts_code upload_method(ts_uploads *u, ts_ctx *ctx, const ts_walk *at)
{
    ts_upload *up = upload_at(u, ts_walk_int(at, 0));
    (void)ctx;
    for (unsigned k = 1; k < 4 && up != NULL; k++) {
        upload_hash_text(up, ts_walk_text(at, k));
    }
    return TS_OK;
}

static ts_code upload_type(ts_uploads *u, ts_ctx *ctx, const ts_walk *at)
{
    ts_upload_type type = {.source_id = ts_walk_int(at, 0)};
    TS_TRY(ts_vec_reach(ctx, &u->types, ts_walk_id(at), sizeof type));
    TS_TRY(ts_pool_intern(ctx, &type.event, NULL, &u->texts,
                          ts_value_event(ts_walk_text(at, 1), TS_TEXT_NULL)));
    ((ts_upload_type *)u->types.p)[ts_walk_id(at)] = type;
    return TS_OK;
}

/* A profile says itself what its values mean. */
static ts_code upload_own_type(ts_uploads *u, ts_ctx *ctx, const ts_walk *at)
{
    int64_t id = ts_walk_int(at, 0);
    ts_upload_type *type = ts_uploads_type(u, id);
    if (type == NULL) {
        return TS_OK;
    }
    TS_TRY(ts_pool_intern(ctx, &type->event, NULL, &u->texts, ts_walk_text(at, 1)));
    return ts_vec_keep(ctx, &u->own_types, (int64_t)u->own_types.n, id);
}

/* Values have the source of their kind. */
static ts_code upload_value(ts_uploads *u, ts_ctx *ctx, const ts_walk *at)
{
    const ts_upload_type *type = ts_uploads_type(u, ts_walk_int(at, 0));
    ts_upload *up = type == NULL ? NULL : upload_at(u, type->source_id);
    (void)ctx;
    if (up != NULL) {
        ts_hash_word(&up->hash, (uint64_t)ts_walk_int(at, 1));
    }
    return TS_OK;
}

/* --- all -------------------------------------------------------------------------------------- */

static ts_code upload_id(ts_uploads *u, ts_ctx *ctx, ts_upload *up)
{
    char text[40];
    uint64_t a = ts_hash_end(&up->hash);
    uint64_t b = ts_hash_more(&up->hash);
    /* A UUID of version 8: bits that are made in a way of one's own. */
    a = (a & ~UINT64_C(0xF000)) | UINT64_C(0x8000);
    b = (b & ~(UINT64_C(3) << 62)) | UINT64_C(1) << 63;
    int n = snprintf(text, sizeof text,
                     "%08" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%04" PRIx64 "-%012" PRIx64, a >> 32,
                     a >> 16 & 0xFFFF, a & 0xFFFF, b >> 48, b & UINT64_C(0xFFFFFFFFFFFF));
    return upload_keep(&up->texts[TS_UP_ID], u, ctx, (ts_text){text, (size_t)n});
}

static void upload_times(ts_upload *up)
{
    int64_t start = up->own_start != TS_NO_TIME ? up->own_start : up->first;
    int64_t end = up->own_end != TS_NO_TIME ? up->own_end : up->last;
    if (start != TS_NO_TIME && end != TS_NO_TIME &&
        (ts_ckd_sub(&up->dur, end, start) || up->dur < 0)) {
        up->dur = end < start ? 0 : TS_NO_TIME;
    }
    up->start = ts_time_add(start, up->realtime);
    up->end = ts_time_add(end, up->realtime);
}

/* A profile has its own; what it does not say stays unknown. */
static ts_code upload_complete(ts_uploads *u, ts_ctx *ctx, ts_upload *up)
{
    if (!up->profile) {
        upload_times(up);
    }
    return up->texts[TS_UP_ID].n > 0 ? TS_OK : upload_id(u, ctx, up);
}

static ts_code upload_read_rows(ts_uploads *u, ts_ctx *ctx, ts_reader *reader)
{
    static const unsigned methods[] = {TS_C_stack_method__source_id, TS_C_stack_method__name,
                                       TS_C_stack_method__class, TS_C_stack_method__package};
    static const unsigned samples[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__ts,
                                       TS_C_stack_sample__dur};
    static const unsigned calls[] = {TS_C_stack_slice__source_id, TS_C_stack_slice__ts,
                                     TS_C_stack_slice__dur};
    static const unsigned types[] = {TS_C_stack_value_type__source_id, TS_C_stack_value_type__name};
    static const unsigned own[] = {TS_C_profile_value_type__value_type_id,
                                   TS_C_profile_value_type__event_type};
    static const unsigned values[] = {TS_C_stack_sample_value__value_type_id,
                                      TS_C_stack_sample_value__value};
    ts_code code = upload_each(u, ctx, reader, TS_T_stack_method, methods, 4, upload_method);
    TS_STEP(code, upload_each(u, ctx, reader, TS_T_stack_sample, samples, 3, upload_sample));
    TS_STEP(code, upload_each(u, ctx, reader, TS_T_stack_slice, calls, 3, upload_sample));
    TS_STEP(code, upload_each(u, ctx, reader, TS_T_stack_value_type, types, 2, upload_type));
    TS_STEP(code, upload_each(u, ctx, reader, TS_T_profile_value_type, own, 2, upload_own_type));
    TS_STEP_IF(code, u->types.n > 0,
               upload_each(u, ctx, reader, TS_T_stack_sample_value, values, 2, upload_value));
    for (size_t id = 0; id < u->by_source.n; id++) {
        const ts_upload *up = upload_at(u, (int64_t)id);
        ts_upload *owner = up == NULL ? NULL : upload_at(u, up->owner);
        if (owner != NULL && up->own_stacks) {
            owner->stacks = true;
        }
    }
    for (size_t id = 0; id < u->by_source.n && code == TS_OK; id++) {
        ts_upload *up = upload_at(u, (int64_t)id);
        if (up != NULL && up->stacks) {
            code = upload_complete(u, ctx, up);
        }
    }
    return code;
}

ts_code ts_uploads_load(ts_uploads *u, ts_ctx *ctx, ts_reader *reader, bool rows)
{
    static const unsigned profiles[] = {
        TS_C_profile__source_id,  TS_C_profile__profile_id,   TS_C_profile__agent_ver,
        TS_C_profile__endpoint,   TS_C_profile__service,      TS_C_profile__env,
        TS_C_profile__version,    TS_C_profile__host,         TS_C_profile__pid,
        TS_C_profile__language,   TS_C_profile__language_ver, TS_C_profile__runtime,
        TS_C_profile__runtime_os, TS_C_profile__runtime_arch, TS_C_profile__format,
        TS_C_profile__start_ts,   TS_C_profile__end_ts,       TS_C_profile__dur};
    static const unsigned properties[] = {TS_C_source_property__source_id,
                                          TS_C_source_property__key, TS_C_source_property__value};
    static const unsigned tags[] = {TS_C_profile_tag__profile_id, TS_C_profile_tag__key,
                                    TS_C_profile_tag__value};
    static const unsigned files[] = {TS_C_profile_attachment__profile_id,
                                     TS_C_profile_attachment__name, TS_C_profile_attachment__path};
    *u = (ts_uploads){0};
    ts_code code =
        upload_each(u, ctx, reader, TS_T_source, upload_columns, UP_COLUMNS, upload_source);
    TS_STEP(code, upload_each(u, ctx, reader, TS_T_profile, profiles, UP_PROFILE_START + 3,
                              upload_profile));
    if (code == TS_OK) {
        upload_owners(u);
        code = upload_each(u, ctx, reader, TS_T_profile_tag, tags, 3, upload_tag);
    }
    TS_STEP(code, upload_each(u, ctx, reader, TS_T_profile_attachment, files, 3, upload_file_name));
    TS_STEP_IF(code, rows,
               upload_each(u, ctx, reader, TS_T_source_property, properties, 3, upload_property));
    if (code == TS_OK && rows) {
        upload_clocks(u);
        code = upload_read_rows(u, ctx, reader);
    }
    return code;
}

void ts_uploads_free(ts_uploads *u, ts_ctx *ctx)
{
    ts_vec_free(ctx, &u->by_source);
    ts_vec_free(ctx, &u->parents);
    ts_vec_free(ctx, &u->lossy);
    ts_vec_free(ctx, &u->by_profile);
    ts_vec_free(ctx, &u->tags);
    ts_vec_free(ctx, &u->files);
    ts_vec_free(ctx, &u->types);
    ts_vec_free(ctx, &u->own_types);
    ts_pool_free(ctx, &u->texts);
}

const ts_upload *ts_uploads_find(const ts_uploads *u, int64_t source_id)
{
    const ts_upload *up = upload_at(u, source_id);
    return up == NULL ? NULL : upload_at(u, up->owner);
}
