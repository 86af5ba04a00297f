/*
 * Names of methods. An id is a pointer of one run of a JVM, so names are kept by agent address and
 * start of the run: a directory of the run may lack names that another one has. That one may be
 * imported later, so that names which are missing are looked for again when everything was read.
 */
#include "parsers/flare/sample_directory.h"

#include "base/alloc.h"
#include "base/pool.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

/* Names by id. Texts are kept in the pool. */
typedef struct name_map {
    ts_idmap ids; /* to ids of texts */
    ts_pool texts;
} name_map;

/* The names of a directory, while its two files are read. */
typedef struct name_reader {
    name_map names;
    name_map later; /* those after the first place where data and index disagree */
    bool disagree;
    bool cut;             /* the data ends inside a record */
    uint64_t bad_entries; /* of the index, before the last record */
} name_reader;

struct flare_family {
    flare_family *next;
    struct shared_state *shared;
    ts_text addr;
    int64_t sample_start_ms;
    char *addr_copy;
    name_map names;
};

/* A row whose method had no name in any directory so far. */
typedef struct missing_name {
    const flare_family *family;
    int64_t source_id, id, row, offset;
    uint32_t file; /* text in `files` */
} missing_name;

/* What the directories of one run of this program share. */
typedef struct shared_state {
    flare_family *families;
    ts_vec missing; /* missing_name */
    ts_pool files;  /* names, because the sets are closed before the end */
} shared_state;

static void names_free(ts_ctx *ctx, name_map *names)
{
    ts_idmap_free(ctx, &names->ids);
    ts_pool_free(ctx, &names->texts);
}

static void release_shared(ts_ctx *ctx, void *bytes)
{
    shared_state *shared = bytes;
    while (shared->families != NULL) {
        flare_family *next = shared->families->next;
        names_free(ctx, &shared->families->names);
        ts_free(ctx, shared->families->addr_copy);
        ts_free(ctx, shared->families);
        shared->families = next;
    }
    ts_vec_free(ctx, &shared->missing);
    ts_pool_free(ctx, &shared->files);
}

static ts_code note_missing(ts_store *store, int64_t source_id, int64_t id, const char *file,
                            int64_t offset)
{
    return ts_issue(store, source_id, TS_ISSUE_flare_method_missing, file, offset,
                    "method %" PRId64 " has no name", id);
}

static ts_code note_sibling(ts_store *store, int64_t source_id, int64_t id, const char *file,
                            int64_t offset)
{
    return ts_issue(store, source_id, TS_ISSUE_flare_method_from_sibling, file, offset,
                    "method %" PRId64, id);
}

/* "java.lang.Thread.run()": class up to the last point, without the parentheses. */
static void split_name(ts_text *cls, ts_text *name, ts_text text)
{
    if (text.n >= 2 && memcmp(text.p + text.n - 2, "()", 2) == 0) {
        text.n -= 2;
    }
    const char *point = text.n == 0 ? NULL : memrchr(text.p, '.', text.n);
    *cls = TS_TEXT_NULL;
    *name = text;
    if (point != NULL) {
        *cls = (ts_text){text.p, (size_t)(point - text.p)};
        *name = (ts_text){point + 1, text.n - cls->n - 1};
    }
}

/* All directories were read: names that came after the stacks that need them. */
static ts_code finish_names(ts_ctx *ctx, ts_store *store, void *bytes)
{
    (void)ctx;
    const shared_state *shared = bytes;
    ts_code code = TS_OK;
    for (size_t i = 0; i < shared->missing.n && code == TS_OK; i++) {
        const missing_name *m = (const missing_name *)shared->missing.p + i;
        const char *file = ts_pool_text(&shared->files, m->file).p;
        ts_text cls;
        ts_text name;
        uint64_t number;
        if (!ts_idmap_find(&number, &m->family->names.ids, m->id)) {
            code = note_missing(store, m->source_id, m->id, file, m->offset);
            continue;
        }
        split_name(&cls, &name, ts_pool_text(&m->family->names.texts, (uint32_t)number));
        code = ts_stack_method_name(store, m->row, cls, name);
        TS_STEP(code, note_sibling(store, m->source_id, m->id, file, m->offset));
    }
    return code;
}

/* The names of the same run of the JVM. None when the summary does not say which it is. */
static ts_code find_family(flare_dir *dir)
{
    const flare_summary *sum = &dir->summary;
    ts_text addr = ts_buf_text(&sum->agent_addr);
    int64_t start = sum->sample_start_ms;
    shared_state *shared;
    flare_family *family;
    void *bytes;
    ts_code code;
    if (!flare_summary_has(sum, FLARE_SUM_ADDR | FLARE_SUM_SAMPLE_START)) {
        return TS_OK;
    }
    TS_TRY_INTO(code, ts_job_shared(&bytes, dir->job, "flare", sizeof *shared,
                                    (ts_shared_calls){finish_names, release_shared}));
    shared = bytes;
    for (family = shared->families; family != NULL; family = family->next) {
        if (family->sample_start_ms == start && family->addr.n == addr.n &&
            memcmp(family->addr.p, addr.p, addr.n) == 0) {
            dir->methods.family = family;
            return TS_OK;
        }
    }
    TS_NEED(dir->ctx, family = ts_zalloc(dir->ctx, 1, sizeof *family));
    family->addr_copy = ts_strndup(dir->ctx, addr.p, addr.n);
    if (family->addr_copy == NULL) {
        ts_free(dir->ctx, family);
        return dir->ctx->error.code;
    }
    family->addr = (ts_text){family->addr_copy, addr.n};
    family->sample_start_ms = start;
    family->shared = shared;
    family->next = shared->families;
    shared->families = family;
    dir->methods.family = family;
    return TS_OK;
}

/* *before: the id had another name. */
static ts_code set_name(ts_ctx *ctx, name_map *names, int64_t id, ts_text text, bool *before)
{
    uint32_t number;
    uint64_t old;
    ts_code code = ts_pool_intern(ctx, &number, NULL, &names->texts, text);
    *before = false;
    if (code != TS_OK) {
        return code;
    }
    *before = ts_idmap_find(&old, &names->ids, id) && old != number;
    return ts_idmap_put(ctx, &names->ids, id, number);
}

/* --- rows ----------------------------------------------------------------------------------- */

static ts_code put_method(flare_dir *dir, int64_t id, ts_text text, int64_t *row)
{
    ts_method m = {.has_raw_id = true, .raw_id = id};
    split_name(&m.cls, &m.name, text);
    return ts_stack_method(row, dir->store, dir->source_id, &m);
}

static ts_code keep_row(flare_dir *dir, int64_t id, int64_t row)
{
    return ts_idmap_put(dir->ctx, &dir->methods.rows, id, (uint64_t)row);
}

/* A sibling that comes later may have the name. */
static ts_code remember_missing(flare_dir *dir, int64_t id, int64_t row)
{
    shared_state *shared = dir->methods.family->shared;
    uint32_t file;
    missing_name *m;
    /* With its NUL, to be handed on as a string. */
    TS_TRY(ts_pool_intern(dir->ctx, &file, NULL, &shared->files,
                          (ts_text){dir->file, strlen(dir->file) + 1}));
    TS_NEED(dir->ctx, m = ts_vec_add(dir->ctx, &shared->missing, sizeof *m));
    *m = (missing_name){dir->methods.family, dir->source_id, id, row, dir->offset, file};
    return TS_OK;
}

ts_code flare_method_row(int64_t *row, flare_dir *dir, int64_t id)
{
    char number[24];
    ts_method m = {.has_raw_id = true, .raw_id = id};
    uint64_t known;
    ts_code code;
    if (ts_idmap_find(&known, &dir->methods.rows, id)) {
        *row = (int64_t)known;
        return TS_OK;
    }
    if (dir->methods.family != NULL && ts_idmap_find(&known, &dir->methods.family->names.ids, id)) {
        code = put_method(dir, id, ts_pool_text(&dir->methods.family->names.texts, (uint32_t)known),
                          row);
        TS_STEP(code, note_sibling(dir->store, dir->source_id, id, dir->file, dir->offset));
    } else {
        snprintf(number, sizeof number, "%" PRId64, id);
        m.name = ts_text_of(number);
        code = ts_stack_method(row, dir->store, dir->source_id, &m);
        TS_STEP(code, dir->methods.family == NULL
                          ? note_missing(dir->store, dir->source_id, id, dir->file, dir->offset)
                          : remember_missing(dir, id, *row));
    }
    TS_STEP(code, keep_row(dir, id, *row));
    return code;
}

/* --- reading -------------------------------------------------------------------------------- */

/* A name begins with anything but a control character, and holds none. */
static bool name_starts_well(uint8_t first)
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
                         name_reader *r)
{
    const char *p = (const char *)record->p;
    ts_buf clean = {0};
    uint64_t replaced = 0;
    bool renamed = false;
    ts_code code = TS_OK;
    r->disagree = r->disagree || pair->bad_entries > 0;
    if (!record->has_key) {
        dir->method_records->lost++;
        dir->bytes_lost += record->n + 2;
        return flare_issue(dir, TS_ISSUE_flare_method_no_id, pair->data.name, (int64_t)record->at,
                           "the index has no id for this name");
    }
    if (!ts_utf8_valid(p, record->n)) {
        code = ts_utf8_clean(dir->ctx, &clean, &replaced, p, record->n);
        TS_STEP(code, flare_issue(dir, TS_ISSUE_flare_bad_text, pair->data.name,
                                  (int64_t)record->at, "a name is not UTF-8"));
    }
    if (code == TS_OK) {
        ts_text text = replaced > 0 ? ts_buf_text(&clean) : (ts_text){p, record->n};
        dir->method_records->imported++;
        code = set_name(dir->ctx, r->disagree ? &r->later : &r->names, record->key, text, &renamed);
    }
    TS_STEP_IF(code, renamed,
               flare_issue(dir, TS_ISSUE_flare_method_renamed, pair->data.name, (int64_t)record->at,
                           "method %" PRId64 " has two names; the last one counts", record->key));
    ts_buf_free(dir->ctx, &clean);
    return code;
}

static ts_code read_names(flare_dir *dir, flare_pair *pair, name_reader *r)
{
    flare_record record;
    bool end = false;
    ts_code code;
    for (;;) {
        if ((code = flare_pair_next(&end, pair, &record)) != TS_OK || end) {
            return code;
        }
        r->bad_entries = pair->bad_entries;
        dir->method_records->seen++;
        bool again = true;
        while (again && (record.cut || !is_name(record.p, record.n))) {
            TS_TRY_INTO(code,
                        flare_pair_reject(&again, pair, &record, "the record is not a valid name"));
            if (!again) {
                dir->method_records->lost++;
                r->cut = record.cut && pair->at >= pair->data.size;
                r->disagree = r->disagree || !r->cut;
            }
        }
        if (!again) {
            continue;
        }
        flare_pair_accept(pair, &record);
        TS_TRY_INTO(code, take_name(dir, pair, &record, r));
    }
}

static ts_code put_names(flare_dir *dir, const name_map *names)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < names->ids.count && code == TS_OK; i++) {
        ts_text text = ts_pool_text(&names->texts, (uint32_t)names->ids.entries[i].value);
        int64_t id = names->ids.entries[i].id;
        int64_t row;
        bool ignored;
        if ((code = put_method(dir, id, text, &row)) == TS_OK &&
            (code = keep_row(dir, id, row)) == TS_OK && dir->methods.family != NULL) {
            code = set_name(dir->ctx, &dir->methods.family->names, id, text, &ignored);
        }
    }
    return code;
}

/*
 * Records of names often have equal lengths, so that bytes which are missing from the data, or were
 * put in, move names to the ids of others without an error. The ends of both files show it:
 * entries after the end of data that does not end inside a record, or records without entries when
 * there was damage before. What is before the first visible damage is certain then, and nothing
 * is when no place can be shown.
 */
static ts_code drop_uncertain(flare_dir *dir, const flare_pair *pair, name_reader *r)
{
    bool lags = pair->bad_entries > r->bad_entries;
    bool moved = lags ? !r->cut || r->disagree : pair->unmatched_tail > 0 && r->disagree;
    name_map *dropped = r->disagree ? &r->later : &r->names;
    uint64_t n = dropped->ids.count;
    ts_code code = TS_OK;
    if (moved) {
        dir->method_records->imported -= n; /* a record each, at least */
        dir->method_records->lost += n;
        names_free(dir->ctx, dropped);
        *dropped = (name_map){0};
        return flare_issue_n(
            dir, TS_ISSUE_flare_method_uncertain, pair->data.name, TS_NO_OFFSET, n,
            "index and data do not end together: which id a name has is not certain");
    }
    for (uint32_t i = 0; i < r->later.ids.count && code == TS_OK; i++) {
        bool ignored;
        code = set_name(dir->ctx, &r->names, r->later.ids.entries[i].id,
                        ts_pool_text(&r->later.texts, (uint32_t)r->later.ids.entries[i].value),
                        &ignored);
    }
    return code;
}

ts_code flare_methods_read(flare_dir *dir, uint32_t index, uint32_t data)
{
    name_reader r = {0};
    flare_pair pair = {0};
    ts_code code;
    TS_TRY_INTO(code, find_family(dir));
    if (index == FLARE_NO_MEMBER && data == FLARE_NO_MEMBER) {
        return flare_issue(dir, TS_ISSUE_flare_data_bad, NULL, TS_NO_OFFSET,
                           "the directory has no file of method names");
    }
    code = flare_pair_open(&pair, dir, index, data, FLARE_KEY_I64, name_starts_well);
    TS_STEP(code, read_names(dir, &pair, &r));
    TS_STEP(code, flare_pair_finish(&pair));
    TS_STEP(code, drop_uncertain(dir, &pair, &r));
    TS_STEP(code, put_names(dir, &r.names));
    flare_pair_close(&pair);
    names_free(dir->ctx, &r.names);
    names_free(dir->ctx, &r.later);
    return code;
}
