/*
 * Names of methods. An id is a pointer of one run of a JVM, so names are kept by agent address and
 * start of the run: a later directory of the run may lack names that an earlier one has.
 */
#include "parsers/flare/flare_impl.h"

#include "base/alloc.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

enum { KEY_I64 = 5 };

/* Names by id. Texts are kept in the pool. */
typedef struct name_map {
    flare_idmap ids; /* to ids of texts */
    ts_pool texts;
} name_map;

struct flare_family {
    flare_family *next;
    ts_text addr;
    int64_t sample_start_ms;
    char *addr_copy;
    name_map names;
};

/* What the directories of one run of this program share. */
typedef struct shared_state {
    flare_family *families;
} shared_state;

static void names_free(ts_ctx *ctx, name_map *names)
{
    flare_idmap_free(ctx, &names->ids);
    ts_pool_free(ctx, &names->texts);
}

static void release(ts_ctx *ctx, void *bytes)
{
    shared_state *shared = bytes;
    while (shared->families != NULL) {
        flare_family *next = shared->families->next;
        names_free(ctx, &shared->families->names);
        ts_free(ctx, shared->families->addr_copy);
        ts_free(ctx, shared->families);
        shared->families = next;
    }
}

/* The names of the same run of the JVM. None when the summary does not say which it is. */
static ts_code find_family(flare_dir *dir)
{
    const flare_summary *sum = &dir->summary;
    unsigned needed = FLARE_SUM_ADDR | FLARE_SUM_SAMPLE_START;
    shared_state *shared;
    flare_family *family;
    void *bytes;
    ts_code code;
    if ((sum->has & needed) != needed) {
        return TS_OK;
    }
    if ((code = ts_job_shared(&bytes, dir->job, "flare", sizeof *shared, release)) != TS_OK) {
        return code;
    }
    shared = bytes;
    for (family = shared->families; family != NULL; family = family->next) {
        if (family->sample_start_ms == sum->sample_start_ms &&
            family->addr.n == sum->agent_addr.n &&
            memcmp(family->addr.p, ts_buf_text(&sum->agent_addr).p, family->addr.n) == 0) {
            dir->family = family;
            return TS_OK;
        }
    }
    family = ts_zalloc(dir->ctx, 1, sizeof *family);
    if (family == NULL) {
        return dir->ctx->error.code;
    }
    family->addr_copy = ts_strndup(dir->ctx, ts_buf_text(&sum->agent_addr).p, sum->agent_addr.n);
    if (family->addr_copy == NULL) {
        ts_free(dir->ctx, family);
        return dir->ctx->error.code;
    }
    family->addr = (ts_text){family->addr_copy, sum->agent_addr.n};
    family->sample_start_ms = sum->sample_start_ms;
    family->next = shared->families;
    shared->families = family;
    dir->family = family;
    return TS_OK;
}

/* *before: the id had another name. */
static ts_code set_name(ts_ctx *ctx, name_map *names, int64_t id, ts_text text, bool *before)
{
    uint32_t number;
    uint32_t *at;
    ts_code code = ts_pool_intern(ctx, &number, NULL, &names->texts, text);
    *before = false;
    if (code != TS_OK) {
        return code;
    }
    at = flare_idmap_find(ctx, &names->ids, id);
    if (at == NULL) {
        return flare_idmap_add(ctx, &names->ids, id, number);
    }
    *before = *at != number;
    *at = number;
    return TS_OK;
}

/* --- rows ----------------------------------------------------------------------------------- */

/* "java.lang.Thread.run()": class up to the last point, without the parentheses. */
static ts_code put_method(flare_dir *dir, int64_t id, ts_text text, int64_t *row)
{
    ts_method m = {.has_raw_id = true, .raw_id = id};
    const char *point;
    if (text.n >= 2 && memcmp(text.p + text.n - 2, "()", 2) == 0) {
        text.n -= 2;
    }
    point = text.n == 0 ? NULL : memrchr(text.p, '.', text.n);
    m.name = text;
    if (point != NULL) {
        m.cls = (ts_text){text.p, (size_t)(point - text.p)};
        m.name = (ts_text){point + 1, text.n - m.cls.n - 1};
    }
    return ts_stack_method(row, dir->store, dir->source_id, &m);
}

static ts_code keep_row(flare_dir *dir, int64_t id, int64_t row)
{
    return flare_idmap_add(dir->ctx, &dir->methods, id, (uint32_t)row);
}

ts_code flare_method_row(int64_t *row, flare_dir *dir, int64_t id)
{
    char number[24];
    ts_method m = {.has_raw_id = true, .raw_id = id};
    const uint32_t *known = flare_idmap_find(dir->ctx, &dir->methods, id);
    const uint32_t *sibling;
    ts_code code;
    if (known != NULL) {
        *row = *known;
        return TS_OK;
    }
    sibling = dir->family == NULL ? NULL : flare_idmap_find(dir->ctx, &dir->family->names.ids, id);
    if (sibling != NULL) {
        code = put_method(dir, id, ts_pool_text(&dir->family->names.texts, *sibling), row);
        if (code == TS_OK) {
            code = ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_method_from_sibling, NULL,
                            TS_NO_OFFSET, "method %" PRId64, id);
        }
    } else {
        snprintf(number, sizeof number, "%" PRId64, id);
        m.name = ts_text_of(number);
        code = ts_stack_method(row, dir->store, dir->source_id, &m);
        if (code == TS_OK) {
            code = ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_method_missing, NULL,
                            TS_NO_OFFSET, "method %" PRId64 " has no name", id);
        }
    }
    return code == TS_OK ? keep_row(dir, id, *row) : code;
}

/* --- reading -------------------------------------------------------------------------------- */

/* A name begins with anything but a control character, and holds none. */
static bool starts_well(uint8_t first)
{
    return first >= 0x20;
}

static bool is_name(const uint8_t *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (p[i] < 0x20) {
            return false;
        }
    }
    return n > 0;
}

static ts_code take_name(flare_dir *dir, flare_pair *pair, const flare_record *record,
                         name_map *names)
{
    const char *p = (const char *)record->p;
    ts_buf clean = {0};
    uint64_t replaced = 0;
    bool renamed = false;
    ts_code code = TS_OK;
    if (!record->has_key) {
        dir->method_records->lost++;
        dir->bytes_lost += record->n + 2;
        return ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_method_no_id, pair->data.name,
                        (int64_t)record->at, "the index has no id for this name");
    }
    if (!ts_utf8_valid(p, record->n)) {
        code = ts_utf8_clean(dir->ctx, &clean, &replaced, p, record->n);
        if (code == TS_OK) {
            code = ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_bad_text, pair->data.name,
                            (int64_t)record->at, "a name is no UTF-8");
        }
    }
    if (code == TS_OK) {
        ts_text text = replaced > 0 ? ts_buf_text(&clean) : (ts_text){p, record->n};
        dir->method_records->imported++;
        code = set_name(dir->ctx, names, record->key, text, &renamed);
    }
    if (code == TS_OK && renamed) {
        code = ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_method_renamed, pair->data.name,
                        (int64_t)record->at,
                        "method %" PRId64 " has two names; the last one counts", record->key);
    }
    ts_buf_free(dir->ctx, &clean);
    return code;
}

static ts_code read_names(flare_dir *dir, flare_pair *pair, name_map *names)
{
    flare_record record;
    bool end = false;
    ts_code code;
    for (;;) {
        if ((code = flare_pair_next(&end, pair, &record)) != TS_OK || end) {
            return code;
        }
        dir->method_records->seen++;
        bool again = true;
        while (again && (record.cut || !is_name(record.p, record.n))) {
            code = flare_pair_reject(&again, pair, &record, "the record is no name");
            if (code != TS_OK) {
                return code;
            }
            if (!again) {
                dir->method_records->lost++;
            }
        }
        if (!again) {
            continue;
        }
        flare_pair_accept(pair, &record);
        if ((code = take_name(dir, pair, &record, names)) != TS_OK) {
            return code;
        }
    }
}

static ts_code put_names(flare_dir *dir, const name_map *names)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < names->ids.count && code == TS_OK; i++) {
        ts_text text = ts_pool_text(&names->texts, names->ids.values[i]);
        int64_t id = names->ids.keys[i];
        int64_t row;
        bool ignored;
        if ((code = put_method(dir, id, text, &row)) == TS_OK &&
            (code = keep_row(dir, id, row)) == TS_OK && dir->family != NULL) {
            code = set_name(dir->ctx, &dir->family->names, id, text, &ignored);
        }
    }
    return code;
}

ts_code flare_methods_read(flare_dir *dir, uint32_t index, uint32_t data)
{
    name_map names = {0};
    flare_pair pair = {0};
    ts_code code = find_family(dir);
    if (code != TS_OK) {
        return code;
    }
    if (index == FLARE_NO_MEMBER && data == FLARE_NO_MEMBER) {
        return ts_issue(dir->store, dir->source_id, TS_ISSUE_flare_data_bad, NULL, TS_NO_OFFSET,
                        "the directory has no file of method names");
    }
    code = flare_pair_open(&pair, dir, index, data, KEY_I64);
    pair.starts_well = starts_well;
    if (code == TS_OK && (code = read_names(dir, &pair, &names)) == TS_OK &&
        (code = flare_pair_finish(&pair)) == TS_OK) {
        code = put_names(dir, &names);
    }
    flare_pair_close(&pair);
    names_free(dir->ctx, &names);
    return code;
}
