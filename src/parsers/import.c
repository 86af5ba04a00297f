#include "parsers/import_impl.h"

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum {
    BLOCK = 256 * 1024,
    MAX_NESTED = 16,
    MAX_KEY = 64,
    HOLE_MAX = 1 << 30, /* bytes of a hole that are fed one by one */
};

/* --- sniffing ------------------------------------------------------------------------------- */

static size_t skip_blank(ts_text t, size_t i)
{
    while (i < t.n && (t.p[i] == ' ' || t.p[i] == '\n' || t.p[i] == '\r' || t.p[i] == '\t')) {
        i++;
    }
    return i;
}

/* Where a text begins: behind a byte order mark and blanks. */
static size_t begin_of_text(ts_text head)
{
    return skip_blank(head, head.n >= 3 && memcmp(head.p, "\xef\xbb\xbf", 3) == 0 ? 3 : 0);
}

/* The first key of a JSON object, when it stands in the head and is a plain word. */
static const char *first_key(char key[MAX_KEY], ts_text head)
{
    size_t i = begin_of_text(head);
    size_t n = 0;
    if (i >= head.n || head.p[i] != '{') {
        return NULL;
    }
    i = skip_blank(head, i + 1);
    if (i >= head.n || head.p[i] != '"') {
        return NULL;
    }
    for (i++; i < head.n && n + 1 < MAX_KEY && head.p[i] != '"'; i++) {
        key[n++] = head.p[i];
    }
    key[n] = '\0';
    return i < head.n && head.p[i] == '"' ? key : NULL;
}

static const ts_format *sniff_stream(int *confidence, const char *name, ts_text head, bool whole)
{
    char key[MAX_KEY];
    const ts_sniff s = {
        .name = name,
        .head = (const uint8_t *)head.p,
        .n = head.n,
        .whole = whole,
        .json_key = first_key(key, head),
    };
    const ts_format *best = NULL;
    *confidence = TS_SNIFF_NO;
    for (const ts_format *const *f = ts_formats; *f != NULL; f++) {
        int c = (*f)->import_set == NULL ? (*f)->sniff(&s) : TS_SNIFF_NO;
        if (c > *confidence) {
            *confidence = c;
            best = *f;
        }
    }
    return best;
}

const ts_format *import_sniff(const char *name, ts_text head, bool whole)
{
    int confidence;
    return sniff_stream(&confidence, name, head, whole);
}

/* Of a file beside those that a set format has read: what may be one of a set, but has no name of
 * one, was left out by that format with reason. */
static const ts_format *sniff_beside(const char *name, ts_text head)
{
    int confidence;
    const ts_format *format = sniff_stream(&confidence, name, head, head.n < TS_PEEK);
    for (const ts_format *const *f = ts_formats; format != NULL && *f != NULL; f++) {
        if ((*f)->import_set != NULL && confidence < TS_SNIFF_SURE && format->source_type != NULL &&
            strcmp((*f)->source_type, format->source_type) == 0) {
            return NULL;
        }
    }
    return format;
}

/* Formats that look at the names of a set. */
static const ts_format *sniff_set(const char *name, const char *const *names, uint32_t n)
{
    const ts_sniff s = {.name = name, .names = names, .name_count = n};
    const ts_format *best = NULL;
    int confidence = TS_SNIFF_NO;
    for (const ts_format *const *f = ts_formats; *f != NULL; f++) {
        int c = (*f)->import_set != NULL ? (*f)->sniff(&s) : TS_SNIFF_NO;
        if (c > confidence) {
            confidence = c;
            best = *f;
        }
    }
    return best;
}

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

ts_code import_source(ts_run *run, int64_t *id, const ts_fileset *set, const char *name)
{
    ts_code code = ts_source_add(id, run->store, 0, "input", name, NULL);
    if (code == TS_OK && set != NULL && ts_fileset_kind(set) != TS_SET_FILE) {
        code = ts_source_property(run->store, *id,
                                  ts_fileset_kind(set) == TS_SET_ARCHIVE ? "archive" : "directory",
                                  ts_text_of(ts_fileset_name(set)));
    }
    return code;
}

ts_code import_done(ts_run *run, const ts_format *format, const char *name)
{
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

/* A failure of one input that others may outlive. Returns the code when it must stop the run. */
static ts_code import_failure(ts_run *run, ts_code code, const ts_fileset *set, const char *name)
{
    int64_t id;
    ts_error chain = run->ctx->error;
    if (stops_the_run(code)) {
        return code;
    }
    run->result->failed++;
    tell_failure(run);
    if (!run->failed) {
        run->failed = true;
        run->failure = chain;
    }
    code = import_source(run, &id, set, name);
    if (code != TS_OK) {
        return code;
    }
    ts_source(run->store, id)->complete = 0;
    return ts_issue(run->store, id,
                    chain.code == TS_ERR_FORMAT ? TS_ISSUE_unknown_format : TS_ISSUE_input_failed,
                    NULL, TS_NO_OFFSET, "%s", chain.causes[0]);
}

ts_code import_note_end(ts_run *run, ts_stream *stream, int64_t source_id)
{
    const ts_damage *damage = ts_stream_damage(stream);
    ts_row_source *source = ts_source(run->store, source_id);
    uint64_t bytes = ts_stream_offset(stream);
    ts_code code = TS_OK;
    source->bytes += (int64_t)bytes;
    run->result->bytes += bytes;
    ts_meta_add_bytes(run->store, bytes);
    if (damage != NULL) {
        code = ts_issue(run->store, source_id,
                        damage->trailing ? TS_ISSUE_wrapper_trailing_bytes : TS_ISSUE_wire_damage,
                        NULL, (int64_t)bytes, "%s (at byte %" PRIu64 " of the compressed file)",
                        damage->what, damage->offset);
    }
    if (code == TS_OK && ts_stream_wrappers(stream)[0] != '\0') {
        code = ts_source_property(run->store, source_id, "wrappers",
                                  ts_text_of(ts_stream_wrappers(stream)));
    }
    return code;
}

/* --- feeding -------------------------------------------------------------------------------- */

static void report_progress(ts_run *run, const ts_fileset *top)
{
    const ts_progress *progress = run->request->progress;
    if (progress != NULL && top != NULL) {
        progress->update(progress->user, ts_fileset_name(top), ts_fileset_raw_offset(top),
                         ts_fileset_raw_size(top));
    }
}

void ts_job_read(ts_job *job, uint64_t bytes)
{
    job->run->result->bytes += bytes;
    ts_meta_add_bytes(job->store, bytes);
    report_progress(job->run, job->set);
}

/* A hole of a sparse file: the parser gets its zero bytes, at once where it can. */
static ts_code feed_hole(ts_run *run, const ts_format *format, void *parser, ts_stream *stream,
                         uint64_t n, uint64_t *fed)
{
    ts_code code = ts_check_cancel(run->ctx);
    *fed = 0;
    if (code == TS_OK && format->feed_zeros != NULL) {
        code = format->feed_zeros(parser, fed, n);
    }
    if (code == TS_OK && *fed == 0) {
        *fed = n < run->block_size ? n : run->block_size;
        memset(run->block, 0, (size_t)*fed);
        code = format->feed(parser, run->block, (size_t)*fed);
    }
    if (code == TS_OK) {
        ts_stream_skip(stream, *fed);
    }
    return code;
}

/* *ended: the rest of the hole, and what follows it, was left out. */
static ts_code feed_holes(ts_run *run, const ts_format *format, void *parser, ts_stream *stream,
                          int64_t source_id, bool *ended)
{
    uint64_t slowly = 0;
    uint64_t n;
    ts_code code = ts_stream_hole(&n, stream);
    while (code == TS_OK && n > 0) {
        uint64_t fed;
        if (slowly > HOLE_MAX) {
            *ended = true;
            return ts_issue(
                run->store, source_id, TS_ISSUE_input_hole, NULL, (int64_t)ts_stream_offset(stream),
                "%" PRIu64 " more bytes of a hole and what follows it were not read", n);
        }
        code = feed_hole(run, format, parser, stream, n, &fed);
        slowly += fed <= run->block_size ? fed : 0;
        n -= code == TS_OK ? fed : n;
    }
    return code;
}

ts_code import_feed(ts_run *run, const ts_format *format, void *parser, ts_stream *stream,
                    const ts_fileset *top, int64_t source_id, bool *broken)
{
    ts_code code;
    *broken = false;
    for (;;) {
        size_t got;
        if ((code = ts_check_cancel(run->ctx)) != TS_OK) {
            return code;
        }
        if ((code = feed_holes(run, format, parser, stream, source_id, broken)) != TS_OK ||
            *broken) {
            return code;
        }
        code = ts_stream_read(&got, stream, run->block, run->block_size);
        if (code == TS_ERR_INPUT && ts_stream_offset(stream) > 0) {
            *broken = true;
            return ts_issue(run->store, source_id, TS_ISSUE_input_read_failed, NULL,
                            (int64_t)ts_stream_offset(stream), "%s", run->ctx->error.causes[0]);
        }
        if (code != TS_OK || got == 0 || (code = format->feed(parser, run->block, got)) != TS_OK) {
            return code;
        }
        report_progress(run, top);
    }
}

ts_code import_check_bytes(ts_run *run, int64_t source_id, uint64_t bytes)
{
    ts_tally *tally;
    ts_code code = ts_count(&tally, run->store, source_id, TS_ITEM_bytes, NULL);
    return code != TS_OK || tally->seen == bytes
               ? code
               : ts_issue(run->store, source_id, TS_ISSUE_conservation, NULL, TS_NO_OFFSET,
                          "bytes: seen %" PRIu64 ", but %" PRIu64 " were read", tally->seen, bytes);
}

static uint64_t losses(const ts_store *store)
{
    return ts_issue_total(store, TS_DATA_LOSS) + ts_issue_total(store, TS_ERROR);
}

ts_code import_doubt(ts_run *run, int64_t source_id, const ts_damage *doubt,
                     const ts_row_marks *from, uint64_t bytes)
{
    ts_row_marks now;
    ts_row_marks_take(&now, ts_store_sink(run->store));
    return ts_doubt_rows(run->store, source_id, NULL, from, &now, bytes, doubt->what);
}

static ts_code run_parser(ts_run *run, const ts_format *format, ts_job *job, ts_stream *stream,
                          const ts_fileset *top)
{
    uint64_t before = losses(run->store);
    void *parser = NULL;
    bool broken;
    ts_stream_end end = {0, NULL, false};
    ts_row_marks from;
    ts_code code;
    ts_row_marks_take(&from, ts_store_sink(run->store));
    if ((code = format->open(&parser, job)) != TS_OK) {
        return code;
    }
    code = import_feed(run, format, parser, stream, top, job->source_id, &broken);
    if (code == TS_OK && (code = import_note_end(run, stream, job->source_id)) == TS_OK) {
        end = (ts_stream_end){ts_stream_offset(stream), ts_stream_damage(stream),
                              ts_stream_doubt(stream) != NULL};
        code = format->finish(parser, &end);
    }
    if (code == TS_OK && ts_stream_doubted(&end, job->text_bad)) {
        code = import_doubt(run, job->source_id, end.doubted ? ts_stream_doubt(stream) : end.damage,
                            &from, end.bytes);
    }
    if (code == TS_OK) {
        code = import_check_bytes(run, job->source_id, end.bytes);
    }
    format->close(parser);
    if (code == TS_OK && (broken || losses(run->store) > before)) {
        ts_source(run->store, job->source_id)->complete = 0;
    }
    return code;
}

static ts_code import_stream(ts_run *run, const ts_format *format, ts_stream *stream,
                             ts_fileset *set, uint32_t i, const ts_fileset *top)
{
    const char *name = ts_member_name(set, i);
    ts_job job = {
        .ctx = run->ctx,
        .store = run->store,
        .options = &run->options,
        .name = name,
        .set = set,
        .member = i,
        .run = run,
    };
    ts_row_source *source;
    ts_code code = import_source(run, &job.source_id, set, name);
    if (code != TS_OK) {
        return code;
    }
    source = ts_source(run->store, job.source_id);
    code = ts_source_text(run->store, job.source_id, &source->format, format->name,
                          strlen(format->name));
    if (code == TS_OK) {
        code = run_parser(run, format, &job, stream, top);
    }
    if (code == TS_OK) {
        code = import_done(run, format, ts_fileset_name(top));
    }
    return code;
}

/* --- one argument --------------------------------------------------------------------------- */

typedef struct level {
    ts_fileset *set;
    uint32_t next;
    uint32_t count;
    int64_t source_id; /* of an archive of which not all was imported, and what it counts */
    ts_tally *members;
    uint32_t passed; /* members that are no recordings */
    uint32_t failed; /* members that could not be read or imported */
    uint8_t *taken;  /* members that a set format has read, or NULL */
    bool beside;     /* below such a set: what is no recording has been told already */
} level;

typedef struct argument {
    ts_run *run;
    level levels[MAX_NESTED];
    unsigned depth;
} argument;

static ts_code unknown(ts_run *run, const char *name, ts_text head)
{
    if (head.n == 0) {
        return ts_fail(run->ctx, TS_ERR_INPUT, "%s is empty", name);
    }
    return ts_fail(run->ctx, TS_ERR_FORMAT,
                   "%s is of no known format (--format=list shows them, --format=NAME insists)",
                   name);
}

/* What nobody can be made to believe with --format. */
static bool is_no_json(const ts_format *format, ts_text head)
{
    size_t i = begin_of_text(head);
    return format->json && i < head.n && head.p[i] != '{';
}

/*
 * A member that nothing recognises: of an archive it is passed over, else it is a failure. When it
 * could not be unpacked, nobody knows what it is.
 */
static ts_code pass_over(argument *a, const char *name, ts_text head, const ts_damage *damage)
{
    ts_run *run = a->run;
    level *l = &a->levels[a->depth - 1];
    int64_t id;
    ts_code code;
    if (ts_fileset_kind(l->set) == TS_SET_FILE) {
        return import_failure(run, unknown(run, name, head), l->set, name);
    }
    if (l->beside && (damage == NULL || damage->trailing)) {
        l->passed++;
        return TS_OK;
    }
    if ((code = import_source(run, &id, l->set, name)) != TS_OK) {
        return code;
    }
    if (damage == NULL || damage->trailing) {
        l->passed++;
        return ts_issue(run->store, id, TS_ISSUE_member_skipped, NULL, TS_NO_OFFSET,
                        "the member is no recording of a known format");
    }
    l->failed++;
    ts_source(run->store, id)->complete = 0;
    return ts_issue(run->store, id, TS_ISSUE_member_failed, NULL, (int64_t)head.n, "%s",
                    damage->what);
}

/* What of a set could not be read, on the row of its source. */
static ts_code note_unread(ts_run *run, ts_fileset *set, int64_t id)
{
    const char *first;
    uint64_t at;
    uint32_t linked = ts_fileset_skipped(set);
    uint32_t unread = ts_fileset_unread(&first, set);
    uint64_t stray = ts_fileset_stray(&at, set);
    ts_tally *tally;
    ts_code code = TS_OK;
    if (linked > 0) {
        code = ts_issue_n(run->store, id, TS_ISSUE_member_linked, NULL, TS_NO_OFFSET, linked,
                          "links to directories whose files were read");
    }
    if (code == TS_OK && unread > 0) {
        ts_source(run->store, id)->complete = 0;
        code = ts_issue_n(run->store, id, TS_ISSUE_member_unread, first, TS_NO_OFFSET, unread,
                          "members that are no files and lead to none");
    }
    if (code == TS_OK && stray > 0 &&
        (code = ts_count(&tally, run->store, id, TS_ITEM_stray_bytes, NULL)) == TS_OK) {
        ts_source(run->store, id)->complete = 0;
        tally->seen += stray;
        tally->lost += stray;
        code = ts_issue(run->store, id, TS_ISSUE_archive_stray_bytes, NULL, (int64_t)at,
                        "%" PRIu64 " bytes belong to no member", stray);
    }
    return code;
}

/* Members that are neither listed nor skipped on purpose are lost. */
static ts_code count_unread(ts_run *run, ts_fileset *set, int64_t id)
{
    const char *first;
    uint32_t unread = ts_fileset_unread(&first, set);
    ts_tally *tally;
    ts_code code = TS_OK;
    if (unread > 0 && (code = ts_count(&tally, run->store, id, TS_ITEM_members, NULL)) == TS_OK) {
        tally->seen += unread;
        tally->lost += unread;
    }
    return code;
}

/* Imports all of the set that belongs to the format. The first reports what cannot be read. */
static ts_code run_set_format(ts_run *run, const ts_format *format, ts_job *job, bool first)
{
    ts_code code = import_source(run, &job->source_id, NULL, job->name);
    if (code == TS_OK) {
        ts_row_source *source = ts_source(run->store, job->source_id);
        code = ts_source_text(run->store, job->source_id, &source->format, format->name,
                              strlen(format->name));
    }
    if (code == TS_OK) {
        code = format->import_set(job);
    }
    if (code != TS_OK) {
        return import_failure(run, code, job->set, job->name);
    }
    if (first && ((code = note_unread(run, job->set, job->source_id)) != TS_OK ||
                  (code = count_unread(run, job->set, job->source_id)) != TS_OK)) {
        return code;
    }
    return import_done(run, format, job->name);
}

/*
 * The format that takes what is left of the set as a whole. One that is insisted on may find what
 * it takes in an archive inside.
 */
static ts_code choose_set_format(const ts_format **out, ts_run *run, ts_fileset *set,
                                 uint32_t count, const uint8_t *taken)
{
    const ts_format *format = run->request->format;
    const char **names = ts_alloc(run->ctx, count == 0 ? 1 : count, sizeof *names);
    uint32_t n = 0;
    *out = NULL;
    if (names == NULL) {
        return run->ctx->error.code;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (taken[i] == 0) {
            names[n++] = ts_member_name(set, i);
        }
    }
    if (format == NULL) {
        *out = sniff_set(ts_fileset_name(set), names, n);
    } else if (format->import_set != NULL) {
        const ts_sniff s = {.name = ts_fileset_name(set), .names = names, .name_count = n};
        bool inside = ts_fileset_kind(set) == TS_SET_ARCHIVE && format->sniff(&s) == TS_SNIFF_NO;
        *out = inside ? NULL : format;
    }
    ts_free(run->ctx, names);
    return TS_OK;
}

/*
 * The set formats see a directory or an archive first, one after the other while there is something
 * for them. *taken: by member, what was read; NULL when no format took anything. Caller frees.
 */
static ts_code try_set_formats(argument *a, ts_fileset *set, uint32_t count, uint8_t **taken)
{
    ts_run *run = a->run;
    uint8_t *by_member = ts_zalloc(run->ctx, count + 1U, 1);
    const ts_format *before = NULL;
    uint32_t failed = run->result->failed;
    ts_code code = TS_OK;
    *taken = NULL;
    if (by_member == NULL) {
        return run->ctx->error.code;
    }
    for (;;) {
        const ts_format *format;
        code = choose_set_format(&format, run, set, count, by_member);
        if (code != TS_OK || format == NULL || format == before) {
            break;
        }
        ts_job job = {
            .ctx = run->ctx,
            .store = run->store,
            .options = &run->options,
            .name = ts_fileset_name(set),
            .set = set,
            .taken = by_member,
            .run = run,
        };
        code = run_set_format(run, format, &job, before == NULL);
        if (run->request->format != NULL || (before == NULL && run->result->failed > failed)) {
            memset(by_member, 1, count); /* nothing else is wanted of it */
        }
        before = format;
        *taken = by_member;
        if (code != TS_OK || run->result->failed > failed) {
            break;
        }
    }
    if (*taken == NULL) {
        ts_free(run->ctx, by_member);
    }
    return code;
}

/* The archive's own row, which only archives of which not all is imported have. */
static ts_code archive_source(ts_run *run, const ts_fileset *set, int64_t *id, ts_tally **tally)
{
    ts_code code = ts_source_add(id, run->store, 0, "archive", ts_fileset_name(set), NULL);
    return code != TS_OK ? code : ts_count(tally, run->store, *id, TS_ITEM_members, NULL);
}

static ts_code note_archive(argument *a, ts_fileset *set, level *l)
{
    ts_run *run = a->run;
    const char *first;
    uint64_t at;
    const ts_damage *damage = ts_fileset_damage(set);
    ts_code code;
    if (ts_fileset_kind(set) != TS_SET_ARCHIVE ||
        (ts_fileset_skipped(set) == 0 && ts_fileset_unread(&first, set) == 0 &&
         ts_fileset_stray(&at, set) == 0 && damage == NULL)) {
        return TS_OK;
    }
    if ((code = archive_source(run, set, &l->source_id, &l->members)) == TS_OK) {
        code = note_unread(run, set, l->source_id);
    }
    if (code == TS_OK && damage != NULL) {
        ts_source(run->store, l->source_id)->complete = 0;
        code = ts_issue(run->store, l->source_id, TS_ISSUE_wire_damage, NULL,
                        (int64_t)damage->offset, "%s", damage->what);
    }
    return code;
}

/* All members were seen: what became of them. */
static ts_code count_members(ts_run *run, level *l)
{
    const char *first;
    uint32_t linked = ts_fileset_skipped(l->set);
    uint32_t unread = ts_fileset_unread(&first, l->set);
    ts_code code = TS_OK;
    if (ts_fileset_kind(l->set) != TS_SET_ARCHIVE || l->taken != NULL) {
        return TS_OK;
    }
    if (l->members == NULL && l->failed + (l->beside ? 0 : l->passed) > 0) {
        code = archive_source(run, l->set, &l->source_id, &l->members);
    }
    if (code == TS_OK && l->members != NULL) {
        *l->members = (ts_tally){
            .seen = (uint64_t)l->count + linked + unread,
            .imported = l->count - l->passed - l->failed,
            .lost = (uint64_t)l->failed + unread,
            .skipped = (uint64_t)l->passed + linked,
        };
        code = ts_issue_n(run->store, l->source_id, TS_ISSUE_members_lost, NULL, TS_NO_OFFSET,
                          l->failed, "members were not imported");
    }
    return code;
}

/* A part that cannot be listed may be what makes it unknown. */
static ts_code unknown_directory(ts_run *run, const ts_fileset *set)
{
    const ts_damage *damage = ts_fileset_damage(set);
    if (damage != NULL) {
        return ts_fail(run->ctx, TS_ERR_INPUT, "%s: %s", ts_fileset_name(set), damage->what);
    }
    if (run->request->format != NULL) {
        return ts_fail(
            run->ctx, TS_ERR_FORMAT,
            "%s is a directory, and the format %s is that of single files; name its files",
            ts_fileset_name(set), run->request->format->name);
    }
    return ts_fail(run->ctx, TS_ERR_FORMAT,
                   "%s is a directory that no format recognises; name its files, or use -D for the "
                   "split files of one recording",
                   ts_fileset_name(set));
}

/* Takes over `set`: it becomes the innermost level, or is imported as a whole and closed. */
static ts_code enter_set(argument *a, ts_fileset *set)
{
    ts_run *run = a->run;
    const level *outer = a->depth == 0 ? NULL : &a->levels[a->depth - 1];
    level l = {.set = set};
    bool done = false;
    ts_code code = ts_fileset_count(&l.count, set);
    l.beside = outer != NULL && (outer->beside || outer->taken != NULL);
    if (code == TS_OK && ts_fileset_kind(set) != TS_SET_FILE) {
        code = try_set_formats(a, set, l.count, &l.taken);
    }
    l.beside = l.beside || l.taken != NULL;
    if (code == TS_OK && l.taken == NULL) {
        code = note_archive(a, set, &l);
        if (code == TS_OK && ts_fileset_kind(set) == TS_SET_DIRECTORY) {
            code = import_failure(run, unknown_directory(run, set), NULL, ts_fileset_name(set));
            done = true;
        }
    }
    if (code == TS_OK && !done && a->depth == MAX_NESTED) {
        code = ts_fail(run->ctx, TS_ERR_LIMIT, "archives are nested more than %d deep", MAX_NESTED);
    }
    if (code != TS_OK || done) {
        ts_free(run->ctx, l.taken);
        ts_fileset_close(set);
        return code;
    }
    a->levels[a->depth++] = l;
    return TS_OK;
}

static void leave_set(argument *a)
{
    level *l = &a->levels[--a->depth];
    ts_free(a->run->ctx, l->taken);
    ts_fileset_close(l->set);
}

static ts_code refuse(ts_run *run, const ts_format *format, const ts_fileset *set, const char *name)
{
    if (run->request->format == format) { /* nobody has looked whether it is one */
        ts_fail(run->ctx, TS_ERR_FORMAT, "%s: the format %s cannot be imported (%s)", name,
                format->name, format->refusal);
    } else {
        ts_fail(run->ctx, TS_ERR_FORMAT, "%s: %s", name, format->refusal);
    }
    return import_failure(run, TS_ERR_FORMAT, set, name);
}

/* A format of sets is insisted on: a single file may be a set of one. */
static ts_code import_as_set(argument *a, const ts_format *format, const char *name)
{
    ts_run *run = a->run;
    ts_fileset *set = a->levels[a->depth - 1].set;
    ts_job job = {
        .ctx = run->ctx,
        .store = run->store,
        .options = &run->options,
        .name = name,
        .set = set,
        .run = run,
    };
    return run_set_format(run, format, &job, true);
}

static ts_code open_member(argument *a, uint32_t i)
{
    ts_run *run = a->run;
    level *l = &a->levels[a->depth - 1];
    const char *name = ts_member_name(l->set, i);
    const ts_format *format = run->request->format;
    const ts_fileset *top = a->levels[0].set;
    ts_stream *stream = NULL;
    ts_fileset *inner = NULL;
    ts_text head;
    ts_code code;
    if ((code = ts_member_open(&stream, l->set, i)) != TS_OK ||
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
            code = pass_over(a, name, head, ts_stream_damage(stream));
            goto out;
        }
        ts_stream_close(stream);
        stream = NULL;
        code = import_as_set(a, format, name);
        goto out;
    }
    if (format == NULL) {
        format = l->beside ? sniff_beside(name, head) : import_sniff(name, head, head.n < TS_PEEK);
    }
    if (format == NULL) {
        code = pass_over(a, name, head, ts_stream_damage(stream));
    } else if (is_no_json(format, head)) {
        ts_fail(run->ctx, TS_ERR_FORMAT, "%s is no JSON object and so no %s", name, format->name);
        code = import_failure(run, TS_ERR_FORMAT, l->set, name);
    } else if (format->refusal != NULL) {
        code = refuse(run, format, l->set, name);
    } else {
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

static bool joins(const ts_run *run, const char *name)
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
           joins(run, paths[i] + dir)) {
        i++;
    }
    return i < 2 ? 1 : i;
}

static void no_recording(ts_run *run, const ts_fileset *set)
{
    const ts_format *format = run->request->format;
    ts_fail(run->ctx, TS_ERR_FORMAT, "%s holds no recording of %s%s", ts_fileset_name(set),
            format == NULL ? "a known format" : "the format ", format == NULL ? "" : format->name);
}

/* One argument, or several that make a set. */
static ts_code import_argument(ts_run *run, const char *const *paths, size_t n)
{
    const char *path = paths[0];
    argument a = {.run = run};
    uint32_t before = run->result->imported + run->result->failed;
    ts_fileset *set = NULL;
    ts_code code = n == 1 ? ts_fileset_open(&set, run->ctx, path)
                          : ts_fileset_open_files(&set, run->ctx, paths, n);
    if (code == TS_ERR_INPUT && !run->request->keep_going) {
        return code;
    }
    if (code != TS_OK) {
        return import_failure(run, code, NULL, path + directory_part(path));
    }
    code = enter_set(&a, set);
    while (code == TS_OK && a.depth > 0) {
        level *l = &a.levels[a.depth - 1];
        if (l->next < l->count && l->taken != NULL && l->taken[l->next] != 0) {
            l->next++;
            continue;
        }
        if (l->next < l->count) {
            uint32_t failed = run->result->failed;
            code = open_member(&a, l->next++);
            l->failed += run->result->failed - failed;
            continue;
        }
        if ((code = count_members(run, l)) != TS_OK) {
            break;
        }
        if (a.depth == 1 && run->result->imported + run->result->failed == before) {
            no_recording(run, l->set);
            code = import_failure(run, TS_ERR_FORMAT, NULL, ts_fileset_name(l->set));
        }
        leave_set(&a);
    }
    while (a.depth > 0) {
        leave_set(&a);
    }
    return code;
}

/* --- the run -------------------------------------------------------------------------------- */

/* What cannot be opened is better told before the work than in the middle of it, and all at once.
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
        code = import_argument(run, request->paths + i, n);
        i += n;
    }
    return code;
}

/* Everything was read. */
static ts_code finish_shared(ts_run *run)
{
    ts_code code = TS_OK;
    for (const shared_block *b = run->shared; b != NULL && code == TS_OK; b = b->next) {
        if (b->calls.finish != NULL) {
            code = b->calls.finish(run->ctx, run->store, b->bytes);
        }
    }
    return code;
}

static void end_run(ts_run *run)
{
    while (run->shared != NULL) {
        shared_block *next = run->shared->next;
        if (run->shared->calls.release != NULL) {
            run->shared->calls.release(run->ctx, run->shared->bytes);
        }
        ts_free(run->ctx, run->shared->bytes);
        ts_free(run->ctx, run->shared);
        run->shared = next;
    }
    ts_free(run->ctx, run->block);
    ts_free(run->ctx, run);
}

ts_code ts_import_run(ts_import_result *result, ts_ctx *ctx, ts_store *store,
                      const ts_import_request *request)
{
    ts_run *run = ts_zalloc(ctx, 1, sizeof *run); /* large: it keeps an error chain */
    ts_code code = TS_OK;
    *result = (ts_import_result){0};
    if (run == NULL) {
        return ctx->error.code;
    }
    run->ctx = ctx;
    run->store = store;
    run->request = request;
    run->result = result;
    run->block_size = request->block_size == 0 ? BLOCK : request->block_size;
    run->options =
        (ts_import_options){request->directory != NULL, request->extract, run->block_size};
    run->block = ts_alloc(ctx, run->block_size, 1);
    if (run->block == NULL) {
        code = ctx->error.code;
        goto out;
    }
    code = import_all(run);
    if (code == TS_OK) {
        code = finish_shared(run);
    }
    if (code == TS_OK && result->imported == 0 && run->failed) {
        ctx->error = run->failure;
        code = run->failure.code;
    }
out:
    end_run(run);
    return code;
}
