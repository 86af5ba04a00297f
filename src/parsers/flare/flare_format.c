/*
 * Sample directories of the Flare profiler. A set may hold several (the collector keeps them side
 * by side): each becomes a source of its own, since threads of different JVMs share numbers.
 */
#include "parsers/format.h"
#include "parsers/flare/sample_directory.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <stdlib.h>
#include <string.h>

/* --- names of the files of a sample directory ----------------------------------------------- */

/* A decimal number without leading zeros. */
static bool take_number(int64_t *out, const char **p)
{
    const char *at = *p;
    bool negative = *at == '-';
    const char *first = at + negative;
    int64_t v = 0;
    for (at = first; *at >= '0' && *at <= '9'; at++) {
        int64_t digit = *at - '0';
        if (ts_ckd_mul(&v, v, INT64_C(10)) || ts_ckd_add(&v, v, negative ? -digit : digit)) {
            return false;
        }
    }
    if (at == first || (*first == '0' && (at - first > 1 || negative))) {
        return false;
    }
    *p = at;
    *out = v;
    return true;
}

/* thread_<id>_cpu_time.fts, thread_<id>_cpu_time.<volume>.fts, thread_<id>_stack.fidx, .fdata */
static void parse_thread_file(flare_entry *e, const char *p)
{
    static const char series[] = "_cpu_time.";
    int64_t volume = 0;
    p += strlen("thread_");
    if (!take_number(&e->id, &p)) {
        return;
    }
    if (strcmp(p, "_stack.fidx") == 0) {
        e->kind = FLARE_STACK_INDEX;
    } else if (strcmp(p, "_stack.fdata") == 0) {
        e->kind = FLARE_STACK_DATA;
    } else if (strncmp(p, series, sizeof series - 1) == 0) {
        p += sizeof series - 1;
        if (strcmp(p, "fts") == 0 ||
            (take_number(&volume, &p) && volume >= 0 && strcmp(p, ".fts") == 0)) {
            e->kind = FLARE_SERIES;
            e->volume = (uint64_t)volume;
        }
    }
}

static void flare_entry_parse(flare_entry *e, const char *name)
{
    const char *slash = strrchr(name, '/');
    const char *base = slash == NULL ? name : slash + 1;
    *e = (flare_entry){.name = name, .dir = (size_t)(base - name), .kind = FLARE_OTHER};
    if (strcmp(base, FLARE_SUMMARY_FILE) == 0) {
        e->kind = FLARE_SUMMARY;
    } else if (strcmp(base, "method_info.fidx") == 0) {
        e->kind = FLARE_METHOD_INDEX;
    } else if (strcmp(base, "method_info.fdata") == 0) {
        e->kind = FLARE_METHOD_DATA;
    } else if (strncmp(base, "thread_", 7) == 0) {
        parse_thread_file(e, base);
    }
}

static int sniff_directory(const ts_sniff *s)
{
    bool has[FLARE_OTHER + 1] = {false};
    if (s->names == NULL) {
        return TS_SNIFF_NO;
    }
    for (uint32_t i = 0; i < s->name_count; i++) {
        flare_entry e;
        flare_entry_parse(&e, s->names[i]);
        has[e.kind] = true;
    }
    if (has[FLARE_SERIES] || has[FLARE_STACK_INDEX] || has[FLARE_STACK_DATA]) {
        return has[FLARE_SUMMARY] || has[FLARE_METHOD_DATA] ? TS_SNIFF_SURE : TS_SNIFF_LIKELY;
    }
    return has[FLARE_SUMMARY] ? TS_SNIFF_WEAK : TS_SNIFF_NO;
}

static bool is_sample_file(const char *name)
{
    flare_entry e;
    flare_entry_parse(&e, name);
    return e.kind != FLARE_OTHER;
}

static int compare_dirs(const flare_entry *x, const flare_entry *y)
{
    size_t n = x->dir < y->dir ? x->dir : y->dir;
    int order = memcmp(x->name, y->name, n);
    return order != 0 ? order : x->dir < y->dir ? -1 : x->dir > y->dir;
}

/* Files of the directory itself first, then thread by thread: series, index, data; others last. */
static int compare_entries(const void *a, const void *b)
{
    const flare_entry *x = a;
    const flare_entry *y = b;
    int order = compare_dirs(x, y);
    int thread_x = x->kind == FLARE_OTHER ? 2 : x->kind >= FLARE_SERIES;
    int thread_y = y->kind == FLARE_OTHER ? 2 : y->kind >= FLARE_SERIES;
    order = order == 0 ? thread_x - thread_y : order;
    if (order == 0 && x->id != y->id) {
        order = x->id < y->id ? -1 : 1;
    }
    if (order == 0 && x->kind != y->kind) {
        order = x->kind < y->kind ? -1 : 1;
    }
    if (order == 0 && x->volume != y->volume) {
        order = x->volume < y->volume ? -1 : 1;
    }
    return order != 0 ? order : x->member < y->member ? -1 : x->member > y->member;
}

static ts_code list_entries(flare_entry **entries, uint32_t *n, ts_job *job)
{
    uint32_t count;
    ts_code code = ts_fileset_count(&count, job->set);
    *n = 0;
    if (code != TS_OK) {
        return code;
    }
    TS_NEED(job->ctx, *entries = ts_alloc(job->ctx, count == 0 ? 1 : count, sizeof **entries));
    for (uint32_t i = 0; i < count; i++) {
        flare_entry *e = &(*entries)[*n];
        if (ts_job_taken(job, i)) {
            continue;
        }
        flare_entry_parse(e, ts_member_name(job->set, i));
        e->member = i;
        (*n)++;
        if (e->kind != FLARE_OTHER) {
            ts_job_take(job, i);
        }
    }
    qsort(*entries, *n, sizeof **entries, compare_entries);
    return TS_OK;
}

/* A directory without a summary and without a thread is none. */
static bool is_sample(const flare_entry *entries, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (entries[i].kind == FLARE_SUMMARY ||
            (entries[i].kind >= FLARE_SERIES && entries[i].kind != FLARE_OTHER)) {
            return true;
        }
    }
    return false;
}

/* The directory's row: that of the input for the first one. Its name is the last part of the path.
 */
static ts_code begin_directory_source(int64_t *id, ts_job *job, const flare_entry *entry,
                                      bool first)
{
    size_t end = entry->dir == 0 ? 0 : entry->dir - 1;
    size_t begin = end;
    ts_code code;
    *id = job->source_id;
    if (!first &&
        (code = ts_source_add(id, job->store, 0, "input", job->label, TS_FLARE_FORMAT)) != TS_OK) {
        return code;
    }
    ts_row_source *source = ts_source(job->store, *id);
    code = ts_source_text(job->store, *id, &source->kind, TS_FLARE_DIRECTORY,
                          sizeof TS_FLARE_DIRECTORY - 1);
    while (begin > 0 && entry->name[begin - 1] != '/') {
        begin--;
    }
    if (code == TS_OK && begin < end) {
        code = ts_source_property(
            job->store, *id, ts_fileset_kind(job->set) == TS_SET_ARCHIVE ? "archive" : "directory",
            ts_text_of(job->label));
        TS_STEP(code,
                ts_source_text(job->store, *id, &source->path, entry->name + begin, end - begin));
    }
    return code;
}

static ts_code note_damage(ts_job *job)
{
    const ts_damage *damage = ts_fileset_damage(job->set);
    return damage == NULL ? TS_OK
                          : ts_issue(job->store, job->source_id, TS_ISSUE_wire_damage, NULL,
                                     (int64_t)damage->offset, "%s", damage->what);
}

static ts_code import_directories(flare_files *files, const flare_entry *entries, size_t n,
                                  uint64_t before)
{
    ts_job *job = files->job;
    bool first = true;
    size_t i = 0;
    ts_code code = TS_OK;
    while (i < n && code == TS_OK) {
        size_t end = i + 1;
        int64_t id;
        while (end < n && compare_dirs(&entries[i], &entries[end]) == 0) {
            end++;
        }
        if (is_sample(entries + i, end - i)) {
            code = begin_directory_source(&id, job, &entries[i], first);
            TS_STEP(code, flare_dir_import(files, id, entries + i, end - i));
            if (code == TS_OK && ts_issue_losses(job->store) > before) {
                ts_source(job->store, id)->complete = 0;
            }
            before = ts_issue_losses(job->store);
            first = false;
        } else {
            code = ts_issue_n(job->store, job->source_id, TS_ISSUE_member_skipped, entries[i].name,
                              TS_NO_OFFSET, end - i, "files in a directory without samples");
        }
        i = end;
    }
    TS_STEP_IF(code, first,
               ts_fail(job->ctx, TS_ERR_FORMAT,
                       "%s holds neither a summary_info.json nor the files of a thread",
                       job->name));
    return code;
}

static ts_code import_directory_set(ts_job *job)
{
    uint64_t before = ts_issue_losses(job->store);
    flare_entry *entries = NULL;
    flare_files files = {.job = job};
    uint32_t n = 0;
    ts_code code = list_entries(&entries, &n, job);
    TS_STEP(code, note_damage(job));
    TS_STEP(code, flare_files_open(&files, job, is_sample_file));
    TS_STEP(code, import_directories(&files, entries, n, before));
    flare_files_close(&files);
    ts_free(job->ctx, entries);
    return code;
}

TS_SOURCE_FORMAT(flare) = {
    .name = TS_FLARE_FORMAT,
    .title = "sample directory of the Flare profiler for Java (also zip or tar of it)",
    .source_type = "flare",
    .sniff = sniff_directory,
    .import_set = import_directory_set,
};
