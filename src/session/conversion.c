#include "session/conversion.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* --- what texts of options mean ------------------------------------------------------------ */

ts_code ts_conversion_format(ts_conversion *s, const char *name)
{
    char word[64];
    size_t n = strcspn(name, ":");
    ts_import_request *request = &s->request;
    snprintf(word, sizeof word, "%.*s", n < sizeof word ? (int)n : 0, name);
    request->format = ts_format_find(word);
    if (request->format == NULL) {
        return ts_fail(s->ctx, TS_ERR_USAGE, "unknown format \"%s\" (--format=list lists formats)",
                       name);
    }
    request->format_options = name[n] == ':' ? name + n + 1 : NULL;
    if (request->format_options != NULL &&
        (request->format->check_options == NULL ||
         !request->format->check_options(request->format_options))) {
        return ts_fail(s->ctx, TS_ERR_USAGE, "the format %s does not have the options \"%s\"", word,
                       request->format_options);
    }
    return TS_OK;
}

void ts_conversion_syscalls(ts_ctx *ctx, const char *text)
{
    text = text != NULL ? text : ctx->compat ? "none" : "all";
    ctx->syscalls = strcmp(text, "all") == 0 ? NULL : strcmp(text, "none") == 0 ? "" : text;
}

/* Whether the text begins with the word, alone or before a comma; it is taken off then. */
static bool take_word(const char **text, const char *word)
{
    const size_t n = strlen(word);
    if (*text == NULL || strncmp(*text, word, n) != 0 ||
        ((*text)[n] != '\0' && (*text)[n] != ',')) {
        return false;
    }
    *text = (*text)[n] == '\0' ? NULL : *text + n + 1;
    return true;
}

/* --viewer=edge-names, stacks, INPUT or several of these, INPUT last: the input or NULL. */
static const char *viewer_input(unsigned *shown, const char *viewer)
{
    const char *rest = viewer;
    bool taken = true;
    *shown = viewer == NULL ? 0 : TS_SHOW_NAMES;
    while (taken) {
        taken = take_word(&rest, "edge-names");
        *shown |= taken ? TS_SHOW_EDGE_NAMES : 0;
        if (take_word(&rest, "stacks")) {
            *shown |= TS_SHOW_STACKS;
            taken = true;
        }
    }
    return rest;
}

/* --- recordings ---------------------------------------------------------------------------- */

ts_code ts_conversion_begin(ts_conversion *s)
{
    unsigned shown;
    s->dropping = ts_sink_null();
    s->store_options.viewer_source = viewer_input(&shown, s->viewer);
    ts_code code = s->db != NULL && s->threads ? ts_db_start_thread(s->db) : TS_OK;
    /* The thread has a sink of its own. */
    ts_sink *sink = s->db == NULL ? &s->dropping : ts_db_sink(s->db);
    TS_STEP(code, ts_store_new(&s->store, s->ctx, sink, &s->store_options));
    for (unsigned what = 1; code == TS_OK && s->db != NULL && what <= shown; what *= 2) {
        if ((shown & what) != 0) {
            ts_sink_show(sink, (ts_shown)what);
        }
    }
    s->watched = code == TS_OK && s->db != NULL;
    TS_STEP_IF(code, s->watched, ts_analysis_watch(s->ctx, sink, s->analyses));
    TS_STEP(code, ts_import_open(&s->run, &s->result, s->ctx, s->store, &s->request));
    return code;
}

ts_code ts_conversion_import(ts_conversion *s)
{
    return ts_import_paths(s->run);
}

ts_code ts_conversion_feed(ts_conversion *s, const char *name, const void *bytes, size_t n,
                           bool last)
{
    return ts_import_feed(s->run, name, bytes, n, last);
}

/* --- analyses ------------------------------------------------------------------------------ */

static void note_begin(void *user, const ts_analysis *analysis)
{
    ts_conversion *s = user;
    s->analysis = analysis->name;
    s->read = 0;
    s->analyses_run += analysis->cost == TS_ANALYSIS_FREE ? 0 : 1;
}

static ts_code note_idle(void *user, const ts_analysis *analysis, enum ts_table_id missing)
{
    ts_conversion *s = user;
    return analysis->cost != TS_ANALYSIS_ASKED && !s->adding
               ? TS_OK
               : ts_buf_printf(s->ctx, &s->idle,
                               "%sthe analysis %s has nothing to do: %s has no rows",
                               s->idle.n == 0 ? "" : "; ", analysis->name, ts_schema[missing].name);
}

static void note_read(void *user, uint64_t bytes)
{
    ts_conversion *s = user;
    const ts_progress *progress = s->request.progress;
    s->read += bytes;
    if (s->analysis != NULL && progress != NULL) {
        progress->update(progress->user, s->analysis, s->read, -1);
    }
}

double ts_now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Reads what the database holds so far. */
static ts_code analyse(ts_conversion *s, ts_reader *reader)
{
    const ts_reader_progress progress = {s, note_read};
    const ts_analysis_hooks hooks = {s, note_begin, note_idle};
    const double started = ts_now();
    ts_reader_set_progress(reader, &progress);
    ts_code code = ts_analysis_run(s->ctx, reader, s->store, s->analyses, &hooks);
    s->analysis_seconds = ts_now() - started;
    TS_STEP_IF(code, s->idle.n > 0 && s->adding && s->analysis == NULL,
               ts_fail(s->ctx, TS_ERR_USAGE, "%.*s", (int)s->idle.n, s->idle.p));
    return code;
}

static ts_code analyse_import(ts_conversion *s)
{
    ts_reader *reader = NULL;
    if (s->db == NULL || s->analyses == 0) {
        return TS_OK;
    }
    ts_code code = ts_db_reader(&reader, s->db);
    TS_STEP(code, analyse(s, reader));
    ts_reader_free(reader);
    return code;
}

static void tell_hurry(const ts_conversion *s, bool on)
{
    if (s->hurry != NULL) {
        s->hurry(s->hurry_user, on);
    }
}

static ts_code finish_database(ts_conversion *s)
{
    double ms = 0;
    ts_code code = ts_store_finish(s->store);
    if (code == TS_OK && s->db != NULL) {
        tell_hurry(s, true);
        code = ts_db_finish(s->db, s->index, &ms);
        tell_hurry(s, false);
        s->index_seconds = ms / 1000;
    }
    return code;
}

/* What only imports need. */
static void end_import(ts_conversion *s)
{
    ts_import_close(s->run);
    s->run = NULL;
    if (s->watched) {
        ts_analysis_unwatch(ts_db_sink(s->db), s->analyses);
        s->watched = false;
    }
}

ts_code ts_conversion_end(ts_conversion *s)
{
    ts_code code = ts_import_end(s->run);
    ts_import_close(s->run);
    s->run = NULL;
    TS_STEP(code, analyse_import(s));
    end_import(s);
    return code != TS_OK ? code : finish_database(s);
}

/* --- more rows for a finished database ----------------------------------------------------- */

ts_code ts_conversion_open_copy(ts_conversion *s, const char *from, const char *to, bool replace)
{
    ts_addition additions[sizeof(ts_analysis_set) * 8];
    size_t n = 0;
    for (unsigned i = 0; ts_analyses[i] != NULL; i++) {
        if ((s->analyses >> i & 1) != 0) {
            const ts_analysis *a = ts_analyses[i];
            additions[n++] = (ts_addition){a->writes, a->issues, a->name};
        }
    }
    TS_TRY(ts_db_copy(s->ctx, from, to, false));
    return ts_db_add(&s->db, s->ctx, to, additions, n, replace);
}

ts_code ts_conversion_add(ts_conversion *s)
{
    const ts_store_options store = {.no_meta = true, .adding = true};
    ts_reader *reader = NULL;
    s->adding = true;
    ts_code code = ts_store_new(&s->store, s->ctx, ts_db_sink(s->db), &store);
    TS_STEP(code, ts_db_reader(&reader, s->db));
    TS_STEP(code, ts_store_reopen(s->store, reader));
    TS_STEP(code, analyse(s, reader));
    ts_reader_free(reader);
    return code != TS_OK ? code : finish_database(s);
}

void ts_conversion_free(ts_conversion *s)
{
    end_import(s);
    ts_store_free(s->store);
    s->store = NULL;
    ts_buf_free(s->ctx, &s->idle);
}
