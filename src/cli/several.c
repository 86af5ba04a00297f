#include "cli/several.h"

#include "base/alloc.h"
#include "cli/print.h"
#include "cli/signals.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

/* The database that is open, and what became of those before it. */
typedef struct several {
    ts_ctx *ctx;
    const ts_options *options;
    const ts_export *what;
    size_t next;
    ts_db *db;
    ts_reader *reader;
    ts_target *copy;
    size_t failed;
    size_t written; /* files */
} several;

static void close_one(several *s)
{
    ts_reader_free(s->reader);
    ts_target_free(s->copy);
    ts_db_close(s->db);
    s->reader = NULL;
    s->copy = NULL;
    s->db = NULL;
}

/* Of the database that was opened last: one that lacks what is asked for is left out, what cannot
 * be read has failed. False: it is no failure of this database alone. */
static bool say_failure(several *s, ts_code code)
{
    if (code != TS_ERR_INPUT && code != TS_ERR_USAGE) {
        return false;
    }
    if (code == TS_ERR_INPUT || !s->options->quiet) {
        ts_message(s->ctx, "%s: %s", s->options->paths[s->next - 1], s->ctx->error.causes[0]);
    }
    s->failed += code == TS_ERR_INPUT ? 1 : 0;
    return true;
}

static ts_code open_one(several *s, const char *path)
{
    TS_TRY(ts_db_open(&s->db, s->ctx, path));
    TS_TRY(ts_export_fits(s->db, s->ctx, s->what));
    return ts_export_reader(&s->reader, &s->copy, s->ctx, path);
}

/* s->reader NULL: there is no further one. */
static ts_code open_next(several *s)
{
    ts_code code = TS_OK;
    close_one(s);
    while (code == TS_OK && s->reader == NULL && s->next < s->options->path_count) {
        code = open_one(s, s->options->paths[s->next++]);
        if (say_failure(s, code)) {
            close_one(s);
            code = TS_OK;
        }
    }
    return code;
}

static ts_code end(several *s, ts_code code)
{
    close_one(s);
    return code != TS_OK || s->failed == 0 || s->options->keep_going
               ? code
               : ts_fail(s->ctx, TS_ERR_INPUT, "%zu of %zu databases could not be exported",
                         s->failed, s->options->path_count);
}

/* --- together --------------------------------------------------------------------------------- */

static ts_code several_next(ts_export_side *side, void *user)
{
    several *s = user;
    TS_TRY(open_next(s));
    *side = (ts_export_side){.reader = s->reader, .filter = ts_stack_filter_of(s->options)};
    side->title = s->reader == NULL ? "" : s->options->paths[s->next - 1];
    return TS_OK;
}

static void several_left_out(void *user)
{
    (void)say_failure(user, TS_ERR_USAGE);
}

ts_code ts_several_together(ts_text_file *file, const ts_export *what, const ts_options *options)
{
    several s = {.ctx = file->ctx, .options = options, .what = what};
    const ts_export_several side = {&s, several_next, several_left_out};
    char title[64];
    snprintf(title, sizeof title, "%zu recordings", options->path_count);
    return end(&s, ts_export_file_several(file, what, &side, options, title));
}

/* --- apart ------------------------------------------------------------------------------------ */

bool ts_several_in_directory(const ts_options *options)
{
    struct stat st;
    return options->out != NULL && strcmp(options->out, "-") != 0 && stat(options->out, &st) == 0 &&
           S_ISDIR(st.st_mode);
}

/* DIR/NAME.EXTENSION, without the .db of the database. */
static ts_code file_name(char **out, ts_ctx *ctx, const ts_export *what, const char *dir,
                         const char *path)
{
    const char *name = ts_export_title(path);
    size_t n = strlen(name);
    ts_buf text = {0};
    n -= n > 3 && strcmp(name + n - 3, ".db") == 0 ? 3 : 0;
    *out = NULL;
    ts_code code = ts_buf_printf(ctx, &text, "%s/%.*s%s", dir, (int)n, name, what->extension);
    if (code == TS_OK && (*out = ts_strndup(ctx, text.p, text.n)) == NULL) {
        code = ctx->error.code;
    }
    ts_buf_free(ctx, &text);
    return code;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* No two have the same name. */
static ts_code check_names(ts_ctx *ctx, char **names, size_t n)
{
    qsort(names, n, sizeof *names, compare_names);
    for (size_t i = 1; i < n; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            return ts_fail(ctx, TS_ERR_USAGE,
                           "two databases would have the file \"%s\": export them in two runs with "
                           "directories of their own",
                           names[i]);
        }
    }
    return TS_OK;
}

ts_code ts_several_check(ts_ctx *ctx, const ts_options *options, const ts_export *what)
{
    const size_t n = options->path_count;
    ts_code code = TS_OK;
    if (what->folder) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "--to=%s writes a folder for one database: run it for each", what->name);
    }
    if (!ts_several_in_directory(options)) {
        return what->several
                   ? TS_OK
                   : ts_fail(ctx, TS_ERR_USAGE,
                             "--to=%s writes one database: give -o DIR, a directory that is there, "
                             "for a file for each",
                             what->name);
    }
    char **names = ts_zalloc(ctx, n, sizeof *names);
    TS_NEED(ctx, names);
    for (size_t i = 0; code == TS_OK && i < n; i++) {
        code = file_name(&names[i], ctx, what, options->out, options->paths[i]);
    }
    TS_STEP(code, check_names(ctx, names, n));
    for (size_t i = 0; i < n; i++) {
        ts_free(ctx, names[i]);
    }
    ts_free(ctx, (void *)names);
    return code;
}

/* A signal comes before the file has its name, or after it. */
static ts_code publish_one(ts_text_file *file)
{
    TS_TRY(ts_text_file_prepare(file));
    ts_signals_hold();
    ts_code code = ts_check_cancel(file->ctx);
    TS_STEP(code, ts_text_file_rename(file));
    if (code == TS_OK) {
        ts_signals_guard(TS_GUARD_EXPORT, NULL);
    }
    ts_signals_release();
    return code;
}

static ts_code write_one(several *s, ts_outputs *outputs, const char *name, const char *path)
{
    ts_text_file file;
    ts_code code = ts_text_file_open(&file, s->ctx, name, s->options->sync, outputs);
    ts_signals_guard(TS_GUARD_EXPORT, ts_target_path(file.target));
    TS_STEP(code, ts_export_file_write(&file, s->what, s->db, s->reader, NULL, s->options,
                                       ts_export_title(path)));
    TS_STEP(code, publish_one(&file));
    ts_text_file_close(&file);
    ts_signals_guard(TS_GUARD_EXPORT, NULL);
    return code;
}

ts_code ts_several_apart(ts_ctx *ctx, const ts_export *what, const ts_options *options,
                         ts_outputs *outputs)
{
    several s = {.ctx = ctx, .options = options, .what = what};
    ts_code code = open_next(&s);
    while (code == TS_OK && s.reader != NULL) {
        const char *path = options->paths[s.next - 1];
        char *name = NULL;
        code = file_name(&name, ctx, what, options->out, path);
        TS_STEP(code, write_one(&s, outputs, name, path));
        ts_free(ctx, name);
        s.written += code == TS_OK ? 1 : 0;
        code = say_failure(&s, code) ? TS_OK : code;
        TS_STEP(code, open_next(&s));
    }
    TS_STEP_IF(
        code, s.written == 0 && s.failed == 0,
        ts_fail(ctx, TS_ERR_USAGE, "none of the databases has what --to=%s writes", what->name));
    return end(&s, code);
}
