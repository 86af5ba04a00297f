/*
 * Drives the imports of a run: each argument is a set of members, sets nest, and each member has
 * its turn once.
 *
 * Sets are levels of a stack (argument.levels, at most MAX_NESTED), not a recursion: a member that
 * is an archive becomes the next level, which is left after its last member. A set is first offered
 * to the formats that are sets of files; members that such a format took (`taken`) are passed over,
 * and the others are recognised one by one by their first bytes.
 *
 * An error that concerns one input (TS_ERR_INPUT, TS_ERR_FORMAT) becomes a row of `source` with
 * complete = 0 and an issue, and the first one is kept; any other code ends the run
 * (stops_the_run). While a member is imported, the next one may be opened already (import_ahead.c);
 * rows still come in the order of the members.
 */
#include "parsers/import_impl.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "parsers/known_files.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum {
    BLOCK = 256 * 1024,
    MAX_NESTED = 16,
};

/* --- what an import leaves in the store ----------------------------------------------------- */

ts_code ts_job_shared(void **out, ts_job *job, const char *key, size_t size, ts_shared_calls calls)
{
    ts_run *run = job->run;
    shared_block *b;
    for (b = run->shared; b != NULL; b = b->next) {
        if (strcmp(b->key, key) == 0) {
            *out = b->bytes;
            return TS_OK;
        }
    }
    b = ts_zalloc(run->ctx, 1, sizeof *b);
    if (b == NULL || (b->bytes = ts_zalloc(run->ctx, size, 1)) == NULL) {
        ts_free(run->ctx, b);
        return run->ctx->error.code;
    }
    b->key = key;
    b->calls = calls;
    b->next = run->shared;
    run->shared = b;
    *out = b->bytes;
    return TS_OK;
}

ts_code ts_job_source(int64_t *id, char name[TS_SOURCE_NAME], ts_job *job, int64_t parent_id,
                      const char *kind, const char *format, const char *prefix)
{
    void *count;
    TS_TRY(ts_job_shared(&count, job, prefix, sizeof(uint64_t), (ts_shared_calls){0}));
    snprintf(name, TS_SOURCE_NAME, "%s%" PRIu64, prefix, (*(uint64_t *)count)++);
    TS_TRY(ts_source_add(id, job->store, parent_id, kind, NULL, format));
    ts_row_source *source = ts_source(job->store, *id);
    return ts_source_text(job->store, *id, &source->name, name, strlen(name));
}

/* An input's own row with the label as its path. `set` gives the name of the archive that it is
 * in. */
static ts_code import_source(ts_run *run, int64_t *id, const ts_fileset *set, const char *label)
{
    const char *name;
    ts_code code = ts_source_add(id, run->store, import_parent(run),
                                 run->inner == NULL ? "input" : "attachment", label, NULL);
    if (code != TS_OK || set == NULL || ts_fileset_kind(set) == TS_SET_FILE) {
        return code;
    }
    TS_TRY_INTO(code, import_label_set(&name, run, set, ts_fileset_name(set)));
    return ts_source_property(run->store, *id,
                              ts_fileset_kind(set) == TS_SET_ARCHIVE ? "archive" : "directory",
                              ts_text_of(name));
}

ts_code import_job_source(ts_run *run, ts_job *job, const ts_format *format, const ts_fileset *in)
{
    TS_TRY(import_source(run, &job->source_id, in, job->label));
    ts_row_source *source = ts_source(run->store, job->source_id);
    return ts_source_text(run->store, job->source_id, &source->format, format->name,
                          strlen(format->name));
}

ts_code import_done(ts_run *run, const ts_format *format, const char *name)
{
    if (run->inner != NULL) { /* the set is what counts */
        run->inner->out->format =
            run->inner->out->format == NULL ? format : run->inner->out->format;
        return TS_OK;
    }
    if (run->result->imported++ == 0) {
        run->result->first = format;
    }
    return ts_meta_source(run->store, name, format->source_type);
}

static bool stops_the_run(ts_code code)
{
    return code != TS_ERR_INPUT && code != TS_ERR_FORMAT;
}

static void tell_failure(const ts_run *run)
{
    if (run->request->failed != NULL) {
        run->request->failed(run->request->failed_user, run->ctx->error.causes[0]);
    }
}

ts_code import_failed(ts_run *run, ts_code code, const ts_fileset *set, const char *label)
{
    int64_t id;
    ts_error chain = run->ctx->error;
    if (stops_the_run(code)) {
        return code;
    }
    if (run->inner != NULL) {
        run->inner->out->failed = true;
        run->inner->failures++;
    } else {
        run->result->failed++;
        tell_failure(run);
    }
    if (run->inner == NULL && !run->failed) {
        run->failed = true;
        run->failure = chain;
    }
    TS_TRY_INTO(code, import_source(run, &id, set, label));
    ts_source(run->store, id)->complete = 0;
    return ts_issue(run->store, id,
                    chain.code == TS_ERR_FORMAT ? TS_ISSUE_unknown_format : TS_ISSUE_input_failed,
                    NULL, TS_NO_OFFSET, "%s", chain.causes[0]);
}

/* A failure of one input that does not end the run. Returns the code when it must end it. */
static ts_code import_failure(ts_run *run, ts_code code, const ts_fileset *set, const char *name)
{
    const char *label = name;
    if (stops_the_run(code)) {
        return code;
    }
    TS_TRY(import_label(&label, run, set, name));
    return import_failed(run, code, set, label);
}

/* --- one argument --------------------------------------------------------------------------- */

typedef struct argument {
    ts_run *run;
    import_level levels[MAX_NESTED];
    unsigned depth;
} argument;

enum { KNOWN_TEXT = 512 };

/* "WHAT (MADE BY); HOW" */
static const char *tell_known(char text[KNOWN_TEXT], const ts_known_file *known)
{
    const char *maker = known->maker;
    snprintf(text, KNOWN_TEXT, "%s%s%s%s; %s", known->what, maker == NULL ? "" : " (",
             maker == NULL ? "" : maker, maker == NULL ? "" : ")", known->how);
    return text;
}

/* The beginning of a text's first line; empty when it is no text. */
static ts_text first_line(ts_text head)
{
    enum { SHOWN = 80 };
    size_t n = 0;
    while (n < head.n && n < SHOWN && head.p[n] != '\n' && head.p[n] != '\r') {
        if (((unsigned char)head.p[n] < ' ' && head.p[n] != '\t') || head.p[n] == 0x7F) {
            return TS_TEXT_LIT("");
        }
        n++;
    }
    n = n == SHOWN ? ts_utf8_cut(head.p, n) : n;
    return ts_utf8_valid(head.p, n) ? (ts_text){head.p, n} : TS_TEXT_LIT("");
}

ts_code import_unknown(ts_run *run, const char *name, ts_text head, const ts_damage *damage)
{
    char text[KNOWN_TEXT];
    const ts_known_file *known;
    if (head.n == 0 && damage != NULL) {
        return ts_fail(run->ctx, TS_ERR_INPUT, "nothing of %s can be read: %s", name, damage->what);
    }
    if (head.n == 0) {
        return ts_fail(run->ctx, TS_ERR_INPUT, "%s is empty", name);
    }
    if ((known = ts_known_file_of(head)) != NULL) {
        return ts_fail(run->ctx, TS_ERR_FORMAT, "%s is %s", name, tell_known(text, known));
    }
    ts_text line = first_line(head);
    return ts_fail(run->ctx, TS_ERR_FORMAT,
                   "the format of %s is unknown%s%.*s%s (--format=list lists formats, "
                   "--format=NAME forces one)",
                   name, line.n == 0 ? "" : ": it is text that begins \"", (int)line.n, line.p,
                   line.n == 0 ? "" : "\"");
}

/* What even --format cannot make a recording. */
static bool is_no_json(const ts_format *format, ts_text head)
{
    size_t i = import_text_begins(head);
    return format->json && i < head.n && head.p[i] != '{';
}

/*
 * Databases in a directory are not missing recordings. One may be the output, also
 * the unfinished one: a conversion that is repeated must say the same.
 */
static bool import_is_database(const import_level *l, ts_text head)
{
    static const char magic[] = "SQLite format 3"; /* with its zero */
    return ts_fileset_kind(l->set) == TS_SET_DIRECTORY && head.n >= sizeof magic &&
           memcmp(head.p, magic, sizeof magic) == 0;
}

/*
 * A member that nothing recognises: of an archive or directory it is passed over, else it is a
 * failure. When it could not be unpacked, its format is unknown.
 */
static ts_code import_pass_over(argument *a, const char *name, ts_text head,
                                const ts_damage *damage)
{
    ts_run *run = a->run;
    import_level *l = &a->levels[a->depth - 1];
    const ts_known_file *known;
    char text[KNOWN_TEXT];
    const char *label;
    int64_t id;
    if (run->inner != NULL && (damage == NULL || damage->trailing)) {
        run->inner->out->database = import_is_database(l, head);
        l->passed++;
        return TS_OK;
    }
    TS_TRY(import_label(&label, run, l->set, name));
    if (ts_fileset_kind(l->set) == TS_SET_FILE) {
        return import_failed(run, import_unknown(run, label, head, damage), l->set, label);
    }
    if (import_is_database(l, head)) {
        l->databases++;
        return TS_OK;
    }
    if (l->beside && (damage == NULL || damage->trailing)) {
        l->passed++;
        return TS_OK;
    }
    TS_TRY(import_source(run, &id, l->set, label));
    if (damage == NULL || damage->trailing) {
        l->passed++;
        known = ts_known_file_of(head);
        return known != NULL ? ts_issue(run->store, id, TS_ISSUE_file_named, NULL, TS_NO_OFFSET,
                                        "%s is %s", name, tell_known(text, known))
                             : ts_issue(run->store, id, TS_ISSUE_member_skipped, NULL, TS_NO_OFFSET,
                                        "the member is not a recording of a known format");
    }
    l->failed++;
    if (run->inner != NULL) {
        run->inner->out->failed = true;
    }
    ts_source(run->store, id)->complete = 0;
    return ts_issue(run->store, id, TS_ISSUE_member_failed, NULL, (int64_t)head.n, "%s",
                    damage->what);
}

/* Takes over `set`: it becomes the innermost level, or is imported as a whole and closed. */
static ts_code enter_set(argument *a, ts_fileset *set)
{
    ts_run *run = a->run;
    const import_level *outer = a->depth == 0 ? NULL : &a->levels[a->depth - 1];
    import_level l = {.set = set};
    ts_code code = ts_fileset_count(&l.count, set);
    import_labels_enter(run, set, outer == NULL ? NULL : outer->set);
    l.beside = outer != NULL && (outer->beside || outer->taken != NULL);
    TS_STEP_IF(code, ts_fileset_kind(set) != TS_SET_FILE && run->inner == NULL,
               import_try_set_formats(&l.taken, run, set, l.count));
    l.beside = l.beside || l.taken != NULL;
    if (code == TS_OK && l.taken == NULL) {
        run->by_file = run->by_file || ts_fileset_kind(set) == TS_SET_DIRECTORY;
        code = import_note_archive(run, set, &l);
    }
    TS_STEP_IF(
        code, a->depth == MAX_NESTED,
        ts_fail(run->ctx, TS_ERR_LIMIT, "archives are nested more than %d deep", MAX_NESTED));
    if (code != TS_OK) {
        ts_free(run->ctx, l.taken);
        import_ahead_drop(run, set);
        ts_fileset_close(set);
        return code;
    }
    a->levels[a->depth++] = l;
    return TS_OK;
}

static void leave_set(argument *a)
{
    import_level *l = &a->levels[--a->depth];
    ts_free(a->run->ctx, l->taken);
    import_ahead_drop(a->run, l->set);
    ts_fileset_close(l->set);
}

ts_code import_refused(ts_run *run, const ts_format *format, const char *name, ts_text head)
{
    if (is_no_json(format, head)) {
        return ts_fail(run->ctx, TS_ERR_FORMAT, "%s is not a JSON object, as %s requires", name,
                       format->name);
    }
    if (format->refusal == NULL) {
        return TS_OK;
    }
    return run->request->format == format /* it was not sniffed */
               ? ts_fail(run->ctx, TS_ERR_FORMAT, "%s: the format %s cannot be imported (%s)", name,
                         format->name, format->refusal)
               : ts_fail(run->ctx, TS_ERR_FORMAT, "%s: %s", name, format->refusal);
}

/* A format of sets is insisted on: a single file may be a set of one. */
static ts_code import_as_set(argument *a, const ts_format *format, const char *name)
{
    ts_run *run = a->run;
    ts_fileset *set = a->levels[a->depth - 1].set;
    ts_job job = import_job(run, name, set);
    TS_TRY(import_label(&job.label, run, set, name));
    return import_run_set_format(run, format, &job, true);
}

/* While a member is imported: the next one of its directory, or else the next argument. */
static void open_ahead(const argument *a)
{
    const import_level *l = &a->levels[0];
    const uint32_t next = l->next;
    if (a->depth != 1 || l->beside || ts_fileset_kind(l->set) == TS_SET_ARCHIVE) {
        return;
    }
    if (next < l->count) {
        import_ahead_member(a->run, l->set, next);
    } else if (a->run->next != NULL) {
        import_ahead_argument(a->run, a->run->next);
    }
}

static ts_code import_open_member(argument *a, uint32_t i)
{
    ts_run *run = a->run;
    import_level *l = &a->levels[a->depth - 1];
    const char *name = ts_member_name(l->set, i);
    const ts_format *format = run->inner == NULL ? run->request->format : NULL;
    const ts_fileset *top = a->levels[0].set;
    ts_stream *stream = NULL;
    ts_fileset *inner = NULL;
    ts_text head;
    ts_code code;
    if ((code = import_ahead_take(&stream, run, l->set, i)) != TS_OK ||
        (code = ts_stream_peek(&head, stream)) != TS_OK) {
        code = import_failure(run, code, l->set, name);
        goto out;
    }
    if (ts_stream_wrap(stream) != TS_WRAP_NONE) {
        ts_stream_close(stream);
        stream = NULL;
        code = ts_member_enter(&inner, l->set, i);
        code = code != TS_OK ? import_failure(run, code, l->set, name) : enter_set(a, inner);
        goto out;
    }
    if (format != NULL && format->import_set != NULL) {
        if (ts_fileset_kind(l->set) != TS_SET_FILE) {
            code = import_pass_over(a, name, head, ts_stream_damage(stream));
            goto out;
        }
        ts_stream_close(stream);
        stream = NULL;
        code = import_as_set(a, format, name);
        goto out;
    }
    if (format == NULL) {
        format = l->beside ? import_sniff_beside(name, head)
                           : import_sniff(name, head, head.n < TS_PEEK);
    }
    if (format == NULL) {
        code = import_pass_over(a, name, head, ts_stream_damage(stream));
    } else if (import_refused(run, format, name, head) != TS_OK) {
        code = import_failure(run, TS_ERR_FORMAT, l->set, name);
    } else {
        open_ahead(a);
        code = import_stream(run, format, stream, l->set, i, top);
        if (code != TS_OK) {
            code = import_failure(run, code, l->set, name);
        }
    }
out:
    if (stream != NULL) {
        ts_stream_close(stream);
    }
    return code;
}

static uint32_t import_failures(const ts_run *run)
{
    return run->inner == NULL ? run->result->failed : run->inner->failures;
}

/* The next member of the innermost level, which has one. */
static ts_code import_next_member(argument *a)
{
    ts_run *run = a->run;
    import_level *l = &a->levels[a->depth - 1];
    uint32_t failed = import_failures(run);
    if (l->taken != NULL && l->taken[l->next] != 0) {
        l->next++;
        return TS_OK;
    }
    ts_code code = import_open_member(a, l->next++);
    l->failed += import_failures(run) - failed;
    return code;
}

static bool import_joins(const ts_run *run, const char *name)
{
    for (const ts_format *const *f = ts_formats; *f != NULL; f++) {
        if ((*f)->joins != NULL && (run->request->format == NULL || run->request->format == *f) &&
            (*f)->joins(name)) {
            return true;
        }
    }
    return false;
}

static size_t directory_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* How many of the arguments from the first one on make one set. */
static size_t count_joined(const ts_run *run, const char *const *paths, size_t n)
{
    size_t dir = directory_part(paths[0]);
    size_t i = 0;
    while (i < n && directory_part(paths[i]) == dir && memcmp(paths[i], paths[0], dir) == 0 &&
           import_joins(run, paths[i] + dir)) {
        i++;
    }
    return i < 2 ? 1 : i;
}

/* A part of a directory that cannot be listed may be what has them. */
static ts_code no_recording(ts_run *run, const ts_fileset *set)
{
    const ts_format *format = run->request->format;
    const ts_damage *damage = ts_fileset_damage(set);
    if (ts_fileset_kind(set) == TS_SET_DIRECTORY && damage != NULL) {
        return ts_fail(run->ctx, TS_ERR_INPUT, "%s: %s", ts_fileset_name(set), damage->what);
    }
    return ts_fail(run->ctx, TS_ERR_FORMAT, "%s holds no recording of %s%s", ts_fileset_name(set),
                   format == NULL ? "a known format" : "the format ",
                   format == NULL ? "" : format->name);
}

ts_code import_members(ts_run *run, ts_fileset *set)
{
    argument a = {.run = run};
    uint32_t before = run->result->imported + run->result->failed;
    ts_code code = enter_set(&a, set);
    while (code == TS_OK && a.depth > 0) {
        import_level *l = &a.levels[a.depth - 1];
        if (l->next < l->count) {
            code = import_next_member(&a);
            continue;
        }
        if ((code = import_count_members(run, l)) != TS_OK) {
            break;
        }
        if (a.depth == 1 && run->result->imported + run->result->failed == before) {
            code = no_recording(run, l->set);
            code = import_failure(run, code, NULL, ts_fileset_name(l->set));
        }
        leave_set(&a);
    }
    while (a.depth > 0) {
        leave_set(&a);
    }
    return code;
}

/* One argument, or several that make a set. */
static ts_code import_argument(ts_run *run, const char *const *paths, size_t n)
{
    const char *path = paths[0];
    ts_fileset *set = NULL;
    import_labels_argument(run, paths, n);
    ts_code code = n == 1 ? import_ahead_open(&set, run, path)
                          : ts_fileset_open_files(&set, run->ctx, paths, n);
    if (code == TS_ERR_INPUT && !run->request->keep_going) {
        return code;
    }
    if (code != TS_OK) {
        return import_failure(run, code, NULL, path + directory_part(path));
    }
    return import_members(run, set);
}

/* The member is that of level 0, which the caller owns; archives in it are entered and left. */
static ts_code import_inside(argument *a, uint32_t i)
{
    ts_code code = import_open_member(a, i);
    while (code == TS_OK && a->depth > 1) {
        import_level *l = &a->levels[a->depth - 1];
        if (l->next < l->count) {
            code = import_next_member(a);
        } else if ((code = import_count_members(a->run, l)) == TS_OK) {
            leave_set(a);
        }
    }
    while (a->depth > 1) {
        leave_set(a);
    }
    return code;
}

ts_code ts_job_import(ts_member_import *out, ts_job *job, uint32_t i, int64_t parent_id)
{
    ts_run *run = job->run;
    import_inner inner = {parent_id, out, 0};
    argument a = {.run = run, .depth = 1};
    uint64_t sources = ts_source_count(job->store);
    *out = (ts_member_import){0};
    a.levels[0].set = job->set;
    run->inner = &inner;
    ts_code code = import_inside(&a, i);
    run->inner = NULL;
    out->failed = out->failed || a.levels[0].failed > 0;
    out->source_id = ts_source_count(job->store) > sources ? (int64_t)sources + 1 : 0;
    return code;
}

/* --- the run -------------------------------------------------------------------------------- */

/* What cannot be opened is reported before the work begins, not in the middle of it, and all at
 * once.
 */
static ts_code check_arguments(ts_run *run)
{
    const ts_import_request *request = run->request;
    ts_ctx *ctx = run->ctx;
    bool missing = false;
    for (size_t i = 0; i < request->path_count && !request->keep_going; i++) {
        const char *path = request->paths[i];
        if (strcmp(path, "-") != 0 && faccessat(AT_FDCWD, path, R_OK, AT_EACCESS) != 0) {
            ts_fail(ctx, TS_ERR_INPUT, "cannot open '%s': %s", path, strerror(errno));
            tell_failure(run);
            if (!missing) {
                run->failure = ctx->error;
            }
            missing = true;
        }
    }
    if (!missing) {
        return TS_OK;
    }
    ctx->error = run->failure;
    return TS_ERR_INPUT;
}

static ts_code import_all(ts_run *run)
{
    const ts_import_request *request = run->request;
    ts_code code = check_arguments(run);
    if (code == TS_OK && request->directory != NULL) {
        code = import_directory(run, request->directory);
        if (code == TS_ERR_INPUT && request->keep_going) {
            code = import_failure(run, code, NULL,
                                  request->directory + directory_part(request->directory));
        }
    }
    for (size_t i = 0; i < request->path_count && code == TS_OK;) {
        size_t n = count_joined(run, request->paths + i, request->path_count - i);
        size_t next = i + n;
        size_t left = request->path_count - next;
        run->next = left > 0 && count_joined(run, request->paths + next, left) == 1
                        ? request->paths[next]
                        : NULL;
        code = import_argument(run, request->paths + i, n);
        i = next;
    }
    return code;
}

/* Everything was read. */
static ts_code finish_shared(ts_run *run)
{
    ts_code code = TS_OK;
    for (const shared_block *b = run->shared; b != NULL && code == TS_OK; b = b->next) {
        TS_STEP_IF(code, b->calls.finish != NULL, b->calls.finish(run->ctx, run->store, b->bytes));
    }
    return code;
}

void ts_import_close(ts_run *run)
{
    if (run == NULL) {
        return;
    }
    import_fed_close(run);
    while (run->shared != NULL) {
        shared_block *next = run->shared->next;
        if (run->shared->calls.release != NULL) {
            run->shared->calls.release(run->ctx, run->shared->bytes);
        }
        ts_free(run->ctx, run->shared->bytes);
        ts_free(run->ctx, run->shared);
        run->shared = next;
    }
    import_ahead_drop(run, NULL);
    import_labels_close(run);
    ts_free(run->ctx, run->block);
    ts_free(run->ctx, run);
}

ts_code ts_import_open(ts_run **out, ts_import_result *result, ts_ctx *ctx, ts_store *store,
                       const ts_import_request *request)
{
    ts_run *run = ts_zalloc(ctx, 1, sizeof *run); /* large: it keeps an error chain */
    *out = run;
    *result = (ts_import_result){0};
    TS_NEED(ctx, run);
    run->ctx = ctx;
    run->store = store;
    run->request = request;
    run->result = result;
    run->block_size = request->block_size == 0 ? BLOCK : request->block_size;
    run->options = (ts_import_options){.directory_run = request->directory != NULL,
                                       .extract = request->extract,
                                       .block_size = run->block_size,
                                       .jfr_events = request->jfr_events,
                                       .format_options = request->format_options};
    TS_NEED(ctx, run->block = ts_alloc(ctx, run->block_size, 1));
    return TS_OK;
}

ts_code ts_import_paths(ts_run *run)
{
    TS_TRY(import_labels_open(run));
    return import_all(run);
}

ts_code ts_import_end(ts_run *run)
{
    TS_TRY(finish_shared(run));
    if (run->result->imported == 0 && run->failed) {
        run->ctx->error = run->failure;
        return run->failure.code;
    }
    return TS_OK;
}

ts_code ts_import_run(ts_import_result *result, ts_ctx *ctx, ts_store *store,
                      const ts_import_request *request)
{
    ts_run *run;
    ts_code code = ts_import_open(&run, result, ctx, store, request);
    TS_STEP(code, ts_import_paths(run));
    TS_STEP(code, ts_import_end(run));
    ts_import_close(run);
    return code;
}
