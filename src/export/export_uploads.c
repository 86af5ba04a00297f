/* The sources of a database as Datakit's profiles (export_uploads.h). */
#include "export/export_uploads.h"

#include "model/cells.h"
#include "tables/formats/flare/flare_constants.h"

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

static int64_t upload_cell(const ts_batch *b, unsigned column, unsigned i)
{
    return b->columns[column].null[i] != 0 ? TS_NO_TIME : b->columns[column].ints[i];
}

/* What a source does not say is what the one around it says. */
static ts_code upload_texts(ts_uploads *u, ts_ctx *ctx, ts_upload *up, const ts_upload *around,
                            const ts_batch *b, unsigned i)
{
    static const struct {
        ts_upload_text text;
        unsigned column;
    } kept[] = {{TS_UP_PATH, UP_PATH}, {TS_UP_FORMAT, UP_FORMAT}, {TS_UP_HOST, UP_HOST}};
    char pid[24];
    ts_code code = TS_OK;
    for (size_t k = 0; k < sizeof kept / sizeof kept[0] && code == TS_OK; k++) {
        ts_text text = ts_cell_text(b, kept[k].column, i);
        if (text.n > 0) {
            code = upload_keep(&up->texts[kept[k].text], u, ctx, text);
        } else if (around != NULL) {
            up->texts[kept[k].text] = around->texts[kept[k].text];
        }
    }
    if (code == TS_OK && b->columns[UP_PID].null[i] == 0) {
        int n = snprintf(pid, sizeof pid, "%" PRId64, b->columns[UP_PID].ints[i]);
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

static ts_code upload_source(ts_uploads *u, ts_ctx *ctx, const ts_batch *b, unsigned i)
{
    static const ts_hash_key none = {{0, 0}};
    int64_t id = b->rowids[i];
    int64_t parent = b->columns[UP_PARENT].null[i] != 0 ? -1 : b->columns[UP_PARENT].ints[i];
    ts_text clock = ts_cell_text(b, UP_CLOCK, i);
    ts_code code;
    TS_TRY(code, ts_vec_reach(ctx, &u->by_source, id, sizeof(ts_upload)));
    ts_upload *up = &((ts_upload *)u->by_source.p)[id];
    const ts_upload *around = parent < id ? upload_at(u, parent) : NULL;
    *up = (ts_upload){
        .source_id = id,
        .owner = id,
        .start = TS_NO_TIME,
        .end = TS_NO_TIME,
        .dur = TS_NO_TIME,
        .own_start = upload_cell(b, UP_START, i),
        .own_end = upload_cell(b, UP_END, i),
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
    code = upload_texts(u, ctx, up, around, b, i);
    upload_language(up, around == NULL ? TS_TEXT_NULL : around->texts[TS_UP_FORMAT]);
    for (unsigned k = UP_KIND; k < UP_HASHED; k++) {
        bool number = k == UP_PID || k >= UP_START;
        if (number) {
            ts_hash_word(&up->hash, (uint64_t)upload_cell(b, k, i));
        } else if (k != UP_PATH) {
            upload_hash_text(up, ts_cell_text(b, k, i));
        }
    }
    /* Not known yet whether boottime can be converted: properties come later. */
    if (ts_text_is(clock, "boottime")) {
        up->realtime = TS_NO_TIME + 1;
    }
    return code;
}

/* --- rows of profiles ----------------------------------------------------------------------------
 */

enum { UP_PROFILE_TEXTS = 14, UP_PROFILE_START = UP_PROFILE_TEXTS + 1 };

/* What a row of profile says counts more than what is known of its source. */
static ts_code upload_profile(ts_uploads *u, ts_ctx *ctx, const ts_batch *b, unsigned i)
{
    static const ts_upload_text texts[UP_PROFILE_TEXTS] = {
        TS_UP_ID,      TS_UP_AGENT_VER,  TS_UP_ENDPOINT,     TS_UP_SERVICE,  TS_UP_ENV,
        TS_UP_VERSION, TS_UP_HOST,       TS_UP_PID,          TS_UP_LANGUAGE, TS_UP_LANGUAGE_VER,
        TS_UP_RUNTIME, TS_UP_RUNTIME_OS, TS_UP_RUNTIME_ARCH, TS_UP_FORMAT};
    ts_upload *up = upload_at(u, b->columns[0].ints[i]);
    ts_code code = TS_OK;
    if (up == NULL) {
        return TS_OK;
    }
    for (unsigned k = 0; k < UP_PROFILE_TEXTS && code == TS_OK; k++) {
        ts_text text = ts_cell_text(b, k + 1, i);
        if (text.n > 0) {
            code = upload_keep(&up->texts[texts[k]], u, ctx, text);
        }
    }
    if (code != TS_OK ||
        (code = ts_vec_reach(ctx, &u->by_profile, b->rowids[i], sizeof(int64_t))) != TS_OK) {
        return code;
    }
    ((int64_t *)u->by_profile.p)[b->rowids[i]] = up->source_id;
    up->profile = true;
    up->start = upload_cell(b, UP_PROFILE_START, i);
    up->end = upload_cell(b, UP_PROFILE_START + 1, i);
    up->dur = upload_cell(b, UP_PROFILE_START + 2, i);
    return code;
}

/* --- uploads of several files ----------------------------------------------------------------
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
    return id < 0 || (uint64_t)id >= u->by_profile.n
               ? NULL
               : upload_at(u, ((const int64_t *)u->by_profile.p)[id]);
}

/* Rows of one profile follow each other; what is elsewhere is left out. */
static ts_code upload_tag(ts_uploads *u, ts_ctx *ctx, const ts_batch *b, unsigned i)
{
    ts_upload *up = upload_of_profile(u, b->columns[0].ints[i]);
    ts_upload_tag tag;
    ts_upload_tag *next;
    ts_code code;
    if (up == NULL || (up->tags > 0 && up->first_tag + up->tags != u->tags.n)) {
        return TS_OK;
    }
    TS_TRY(code, upload_keep(&tag.key, u, ctx, ts_cell_text(b, 1, i)));
    TS_TRY(code, upload_keep(&tag.value, u, ctx, ts_cell_text(b, 2, i)));
    up->first_tag = up->tags == 0 ? u->tags.n : up->first_tag;
    TS_NEED(ctx, next = ts_vec_add(ctx, &u->tags, sizeof *next));
    *next = tag;
    up->tags++;
    return TS_OK;
}

static ts_code upload_file_name(ts_uploads *u, ts_ctx *ctx, const ts_batch *b, unsigned i)
{
    ts_upload *up = upload_of_profile(u, b->columns[0].ints[i]);
    ts_text name;
    ts_text *next;
    ts_code code;
    if (up == NULL || b->columns[2].null[i] != 0 ||
        (up->files > 0 && up->first_file + up->files != u->files.n)) {
        return TS_OK;
    }
    TS_TRY(code, upload_keep(&name, u, ctx, ts_cell_text(b, 1, i)));
    up->first_file = up->files == 0 ? u->files.n : up->first_file;
    TS_NEED(ctx, next = ts_vec_add(ctx, &u->files, sizeof *next));
    *next = name;
    up->files++;
    return TS_OK;
}

/* --- properties -------------------------------------------------------------------------------
 */

static void upload_property(ts_uploads *u, const ts_batch *b, unsigned i)
{
    ts_upload *up = upload_at(u, b->columns[0].ints[i]);
    ts_text key = ts_cell_text(b, 1, i);
    ts_text value = ts_cell_text(b, 2, i);
    char digits[24];
    if (up == NULL || value.n == 0 || value.n > 19) {
        return;
    }
    memcpy(digits, value.p, value.n);
    digits[value.n] = '\0';
    if (strspn(digits, "0123456789") != value.n) {
        return;
    }
    int64_t v = strtoll(digits, NULL, 10);
    if (ts_text_is(key, "start_boottime_ns")) {
        up->boottime = v;
    } else if (ts_text_is(key, "start_realtime_ns")) {
        up->real_start = v;
    }
}

/* Both clocks as the recording read them at one moment. A parent is before its children, so
 * theirs are known when the children need them. */
static void upload_clocks(ts_uploads *u, const int64_t *parents)
{
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

/* --- rows --------------------------------------------------------------------------------------
 */

typedef ts_code (*upload_row)(ts_uploads *u, ts_ctx *ctx, const ts_batch *b, unsigned i);

static ts_code upload_each(ts_uploads *u, ts_ctx *ctx, ts_reader *reader, enum ts_table_id table,
                           const unsigned *columns, unsigned n, upload_row row)
{
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, reader, table, columns, n);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = row(u, ctx, b, i);
        }
    }
    ts_scan_close(scan);
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

static ts_code upload_sample(ts_uploads *u, ts_ctx *ctx, const ts_batch *b, unsigned i)
{
    ts_upload *up = upload_at(u, b->columns[0].ints[i]);
    (void)ctx;
    if (up != NULL) {
        upload_seen(up, upload_cell(b, 1, i), upload_cell(b, 2, i));
    }
    return TS_OK;
}

static ts_code upload_method(ts_uploads *u, ts_ctx *ctx, const ts_batch *b, unsigned i)
{
    ts_upload *up = upload_at(u, b->columns[0].ints[i]);
    (void)ctx;
    for (unsigned k = 1; k < 4 && up != NULL; k++) {
        upload_hash_text(up, ts_cell_text(b, k, i));
    }
    return TS_OK;
}

/* Values have the source of their kind. */
static ts_code upload_values(ts_uploads *u, ts_ctx *ctx, ts_reader *reader)
{
    static const unsigned types[] = {TS_C_stack_value_type__source_id};
    static const unsigned values[] = {TS_C_stack_sample_value__value_type_id,
                                      TS_C_stack_sample_value__value};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_vec sources = {0};
    ts_code code = ts_scan_open(&scan, reader, TS_T_stack_value_type, types, 1);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = ts_vec_reach(ctx, &sources, b->rowids[i], sizeof(int64_t));
            if (code == TS_OK) {
                ((int64_t *)sources.p)[b->rowids[i]] = b->columns[0].ints[i];
            }
        }
    }
    ts_scan_close(scan);
    scan = NULL;
    TS_STEP_IF(code, sources.n > 0,
               ts_scan_open(&scan, reader, TS_T_stack_sample_value, values, 2));
    while (code == TS_OK && scan != NULL && (code = ts_scan_next(&b, scan)) == TS_OK &&
           b->rows > 0) {
        for (unsigned i = 0; i < b->rows; i++) {
            int64_t type = b->columns[0].ints[i];
            ts_upload *up = type < 0 || (uint64_t)type >= sources.n
                                ? NULL
                                : upload_at(u, ((const int64_t *)sources.p)[type]);
            if (up != NULL) {
                ts_hash_word(&up->hash, (uint64_t)b->columns[1].ints[i]);
            }
        }
    }
    ts_scan_close(scan);
    ts_vec_free(ctx, &sources);
    return code;
}

/* --- all ---------------------------------------------------------------------------------------
 */

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
    ts_code code = upload_each(u, ctx, reader, TS_T_stack_method, methods, 4, upload_method);
    TS_STEP(code, upload_each(u, ctx, reader, TS_T_stack_sample, samples, 3, upload_sample));
    TS_STEP(code, upload_each(u, ctx, reader, TS_T_stack_slice, calls, 3, upload_sample));
    TS_STEP(code, upload_values(u, ctx, reader));
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

static ts_code upload_read_clocks(ts_uploads *u, ts_reader *reader, const ts_vec *parents)
{
    static const unsigned columns[] = {TS_C_source_property__source_id, TS_C_source_property__key,
                                       TS_C_source_property__value};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, reader, TS_T_source_property, columns, 3);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows; i++) {
            upload_property(u, b, i);
        }
    }
    ts_scan_close(scan);
    if (code == TS_OK && parents->n > 0) {
        upload_clocks(u, parents->p);
    }
    return code;
}

static ts_code upload_lossy(ts_uploads *u, ts_ctx *ctx, int64_t source_id)
{
    int64_t *id = ts_vec_add(ctx, &u->lossy, sizeof *id);
    TS_NEED(ctx, id);
    *id = source_id;
    return TS_OK;
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
    static const unsigned tags[] = {TS_C_profile_tag__profile_id, TS_C_profile_tag__key,
                                    TS_C_profile_tag__value};
    static const unsigned files[] = {TS_C_profile_attachment__profile_id,
                                     TS_C_profile_attachment__name, TS_C_profile_attachment__path};
    const ts_batch *b;
    ts_scan *scan = NULL;
    *u = (ts_uploads){0};
    ts_code code = ts_scan_open(&scan, reader, TS_T_source, upload_columns, UP_COLUMNS);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = upload_source(u, ctx, b, i);
            TS_STEP(code, ts_vec_reach(ctx, &u->parents, b->rowids[i], sizeof(int64_t)));
            if (code == TS_OK) {
                ((int64_t *)u->parents.p)[b->rowids[i]] =
                    b->columns[UP_PARENT].null[i] != 0 ? INT64_MAX : b->columns[UP_PARENT].ints[i];
            }
            TS_STEP_IF(code, b->columns[UP_COMPLETE].ints[i] == 0,
                       upload_lossy(u, ctx, b->rowids[i]));
        }
    }
    ts_scan_close(scan);
    TS_STEP(code, upload_each(u, ctx, reader, TS_T_profile, profiles, UP_PROFILE_START + 3,
                              upload_profile));
    if (code == TS_OK) {
        upload_owners(u);
        code = upload_each(u, ctx, reader, TS_T_profile_tag, tags, 3, upload_tag);
    }
    TS_STEP(code, upload_each(u, ctx, reader, TS_T_profile_attachment, files, 3, upload_file_name));
    TS_STEP_IF(code, rows, upload_read_clocks(u, reader, &u->parents));
    TS_STEP_IF(code, rows, upload_read_rows(u, ctx, reader));
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
    ts_pool_free(ctx, &u->texts);
}

const ts_upload *ts_uploads_find(const ts_uploads *u, int64_t source_id)
{
    const ts_upload *up = upload_at(u, source_id);
    return up == NULL ? NULL : upload_at(u, up->owner);
}
