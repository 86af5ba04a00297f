#include "cli/verbs.h"

#include "cli/ask_print.h"
#include "cli/exit_codes.h"
#include "cli/export_folder.h"
#include "cli/outputs.h"
#include "cli/extract.h"
#include "cli/log_file.h"
#include "cli/print.h"
#include "cli/progress.h"
#include "cli/query_rows.h"
#include "session/questions.h"
#include "cli/report.h"
#include "cli/several.h"
#include "cli/signals.h"
#include "cli/summary.h"
#include "session/ask.h"
#include "session/conversion.h"
#include "tables/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

/* Everything that one run holds. */
typedef struct run {
    ts_ctx *ctx;
    const ts_options *options;
    ts_conversion conversion;
    ts_log_file log;
    ts_outputs outputs;
    ts_text_file json;
    const ts_export *to; /* NULL: no export is asked for */
    ts_text_file exported;
    ts_export_folder folder;
    ts_reader *reader; /* of the finished database, for the export */
    ts_target *copy;   /* of one with a write-ahead log */
    bool several;      /* finished databases, which are asked or exported */
    ts_query query;
    ts_extractor extractor;
    ts_extract extract;
    ts_target *target;
    ts_progress_line line;
    ts_progress progress;
    const ts_convert_watch *watch; /* NULL: the terminal is told */
    ts_output out;
    ts_buf failures; /* reasons of inputs that could not be imported, each with a zero byte */
    uint32_t failure_count;
    double started;
    ts_summary summary;
    ts_error error; /* why it failed; clean-up may overwrite the context's */
} run;

/* --- steps --------------------------------------------------------------------------------- */

static void set_limits(ts_ctx *ctx, const ts_options *o)
{
    if (o->max_inflate != 0) {
        ctx->limits.max_inflate = o->max_inflate;
    }
    ctx->limits.max_memory = o->max_memory;
    ctx->time_range = o->time_range;
    ctx->compat = o->compat;
    ctx->symbols = o->symbols;
    ts_conversion_syscalls(ctx, o->syscalls);
    ctx->strict = o->strict;
}

/* Where the object of --json goes; without a name nothing is asked for. */
static ts_code open_json(run *r)
{
    const ts_options *o = r->options;
    r->json = (ts_text_file){.ctx = r->ctx, .fd = -1};
    return o->json ? ts_text_file_open(&r->json, r->ctx, o->json_file, o->sync, &r->outputs)
                   : TS_OK;
}

/* Writes the object, in place of what was written before. */
static ts_code write_json(run *r)
{
    ts_output out;
    if (r->json.name == NULL) {
        return TS_OK;
    }
    ts_output_init(&out, r->ctx, r->json.fd, r->json.name);
    ts_code code = ts_summary_json(&out.buf, &r->summary);
    TS_STEP(code, ts_text_file_restart(&r->json));
    return ts_output_end(&out, code);
}

/* Shown on a terminal that shows no log. */
static void begin_progress(run *r)
{
    const ts_options *o = r->options;
    bool log_to_stderr = o->level >= 0 && o->log_file == NULL;
    if (r->watch != NULL) {
        r->progress = r->watch->progress;
        return;
    }
    ts_progress_init(&r->line, &r->progress, r->ctx,
                     !o->quiet && !o->no_progress && !log_to_stderr && isatty(STDERR_FILENO) == 1);
}

/* Stacks of heaps are the dominator trees, which come from their analysis. */
static const char *needed_analyses(const run *r)
{
    const char *asked = r->options->analyze;
    const bool heaps = r->to != NULL && strstr(r->to->needs, "_heap_dominated") != NULL;
    return asked == NULL && heaps ? "default,heap" : asked;
}

/* What can be wrong with the options' values is found before any work is done. */
static ts_code convert_prepare(run *r)
{
    const ts_options *o = r->options;
    ts_ctx *ctx = r->ctx;
    ts_code code;
    set_limits(ctx, o);
    code = o->format == NULL ? TS_OK : ts_conversion_format(&r->conversion, o->format);
    TS_STEP(code, ts_row_format_check(ctx, o->output, isatty(STDOUT_FILENO) == 1));
    TS_STEP(code, ts_export_file_check(&r->to, ctx, o));
    TS_STEP_IF(code, r->several && r->to != NULL, ts_several_check(ctx, o, r->to));
    TS_STEP(code, ts_analysis_choose(&r->conversion.analyses, ctx, needed_analyses(r), true));
    if (code == TS_OK && o->query != NULL) {
        code = ts_query_read(&r->query, ctx, o->query);
        TS_STEP(code, ts_ask_check(ctx, &r->query, o->params, o->param_count));
    }
    TS_STEP(code, ts_outputs_check(&r->outputs, ctx, o, r->query.is_file ? &r->query.st : NULL));
    /* From here on files are written. */
    TS_STEP(code, ts_log_open(&r->log, ctx, o, &r->outputs.reads));
    if (code == TS_OK) {
        code = open_json(r);
        ts_signals_guard(TS_GUARD_JSON, ts_target_path(r->json.target));
    }
    TS_STEP_IF(code, r->to != NULL && r->to->folder,
               ts_export_folder_open(&r->folder, ctx, r->to, o));
    if (code == TS_OK && r->to != NULL && !r->to->folder &&
        !(r->several && ts_several_in_directory(o))) {
        const char *path = strcmp(o->out, "-") == 0 ? NULL : o->out;
        code = ts_text_file_open(&r->exported, ctx, path, o->sync, &r->outputs);
        ts_signals_guard(TS_GUARD_EXPORT, ts_target_path(r->exported.target));
    }
    if (code == TS_OK && o->extract) {
        code = ts_extractor_open(&r->extractor, &r->extract, ctx, o, &r->outputs);
        r->summary.extractor = &r->extractor;
    }
    return code;
}

/* Something is printed about the database, or made of it. */
static bool is_asked(const ts_options *o)
{
    return o->query != NULL || o->report != TS_REPORT_NONE || o->to != NULL;
}

static ts_code open_database(run *r)
{
    const ts_options *o = r->options;
    ts_code code;
    if (o->export_db == NULL && !is_asked(o)) {
        return TS_OK; /* rows are dropped */
    }
    if (o->export_db != NULL) {
        const ts_target_options target = {
            .force = o->force, .sync = o->sync, .reads = ts_outputs_reads(&r->outputs)};
        code = ts_target_open(&r->target, r->ctx, o->export_db, &target);
    } else {
        code = ts_target_anonymous(&r->target, r->ctx);
    }
    if (code != TS_OK) {
        return code;
    }
    ts_signals_guard(TS_GUARD_DATABASE, ts_target_path(r->target));
    code = ts_db_create(&r->conversion.db, r->ctx, ts_target_path(r->target));
    if (code == TS_OK && o->export_db == NULL) {
        code = ts_target_hide(r->target);
        ts_signals_guard(TS_GUARD_DATABASE, NULL);
    }
    return code;
}

/* "YYYY-MM-DD HH:MM:SS", local time, as the reference writes it. */
static void runtime_text(char *out, size_t cap)
{
    time_t now = time(NULL);
    struct tm tm;
    out[0] = '\0';
    if (localtime_r(&now, &tm) != NULL) {
        (void)strftime(out, cap, "%Y-%m-%d %H:%M:%S", &tm);
    }
}

enum { FAILURES_SHOWN = 20 };

/* Called by the import. Without memory for the reason only the number is known. */
static void note_failure(void *user, const char *reason)
{
    run *r = user;
    if (r->failure_count++ < FAILURES_SHOWN) {
        ts_error saved = r->ctx->error;
        (void)ts_buf_put(r->ctx, &r->failures, reason, strlen(reason) + 1);
        r->ctx->error = saved;
    }
}

/* --- importing ----------------------------------------------------------------------------- */

static uint64_t threads_of(const ts_options *o)
{
    if (o->threads != TS_NOT_GIVEN) {
        return o->threads;
    }
#ifdef CPU_COUNT
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint64_t)CPU_COUNT(&set) : 1;
#else
    long n = sysconf(_SC_NPROCESSORS_ONLN); /* it does not know what the process is limited to */
    return n > 0 ? (uint64_t)n : 1;
#endif
}

/* Analyses that were asked for and had nothing to do. */
static void say_idle(const run *r)
{
    const ts_buf *idle = &r->conversion.idle;
    const ts_options *o = r->options;
    if (idle->n > 0 && o->analyze != NULL && !o->quiet && !o->analyze_if_any) {
        ts_message(r->ctx, "%.*s", (int)idle->n, idle->p);
    }
}

static void hurry(void *user, bool on)
{
    (void)user;
    ts_signals_hurry(on);
}

/* What a conversion and the rows that are added to a finished database have in common. */
static void begin_conversion(run *r)
{
    ts_conversion *s = &r->conversion;
    s->request.progress = &r->progress;
    s->hurry = hurry;
}

/* What became of the conversion, for the summary. */
static ts_code note_conversion(run *r, ts_code code)
{
    const ts_conversion *s = &r->conversion;
    ts_progress_clear(&r->line);
    r->summary.store = s->store;
    r->summary.result = s->result;
    r->summary.analyses = s->analyses_run;
    r->summary.analysis_seconds = s->analysis_seconds;
    r->summary.index_seconds = s->index_seconds;
    if (code == TS_OK) {
        say_idle(r);
    }
    return code;
}

static ts_code import(run *r)
{
    const ts_options *o = r->options;
    ts_conversion *s = &r->conversion;
    char runtime[32];
    runtime_text(runtime, sizeof runtime);
    begin_conversion(r);
    s->store_options = (ts_store_options){.with_times = o->with_times,
                                          .no_meta = o->no_meta,
                                          .output_name = o->export_db == NULL ? "" : o->export_db,
                                          .runtime = runtime};
    s->viewer = o->viewer;
    s->threads = threads_of(o) > 1;
    s->index = o->index;
    s->request.paths = o->paths;
    s->request.path_count = o->path_count;
    s->request.directory = o->directory;
    s->request.extract = o->extract ? &r->extract : NULL;
    s->request.jfr_events = o->jfr_events;
    s->request.read_ahead = s->threads;
    s->request.keep_going = o->keep_going;
    s->request.failed = note_failure;
    s->request.failed_user = r;
    ts_code code = ts_conversion_begin(s);
    TS_STEP(code, ts_conversion_import(s));
    TS_STEP(code, ts_conversion_end(s));
    return note_conversion(r, code);
}

/* Into a folder; of a finished database its file is opened once more, unless there is a copy. */
static ts_code export_tables(run *r, const char *path)
{
    const ts_target *made = r->target != NULL ? r->target : r->copy;
    const int own = made != NULL ? -1 : ts_sys_open(r->ctx, path, O_RDONLY | O_CLOEXEC, 0);
    if (made == NULL && own < 0) {
        return ts_fail(r->ctx, TS_ERR_INPUT, "cannot read the database: path=\"%s\": %s", path,
                       strerror(errno));
    }
    ts_code code = ts_export_folder_write(&r->folder, r->conversion.db, r->reader,
                                          made != NULL ? ts_target_fd(made) : own);
    if (own >= 0) {
        (void)r->ctx->sys.close(r->ctx->sys.user, own);
    }
    return code;
}

static ts_code export_stacks(run *r)
{
    const ts_options *o = r->options;
    const char *path = o->path_count == 0 ? o->directory : o->paths[0];
    ts_code code = TS_OK;
    if (r->to == NULL) {
        return TS_OK;
    }
    if (r->reader == NULL) {
        code = ts_reader_open_fd(&r->reader, r->ctx, ts_target_fd(r->target),
                                 ts_target_path(r->target));
    }
    if (r->to->folder) {
        return code != TS_OK ? code : export_tables(r, path);
    }
    TS_STEP(code, ts_export_file_write(&r->exported, r->to, r->conversion.db, r->reader, NULL, o,
                                       ts_export_title(path)));
    return code;
}

static ts_code ask(run *r)
{
    const ts_options *o = r->options;
    ts_code code = TS_OK;
    ts_signals_hurry(true);
    if (o->report != TS_REPORT_NONE) {
        code = ts_report(r->conversion.db, r->ctx, o, &r->out);
    } else if (o->query != NULL) {
        code = ts_ask_print(r->conversion.db, r->ctx, &r->query, o, &r->out,
                            isatty(STDOUT_FILENO) == 1);
    }
    ts_signals_hurry(false);
    return code != TS_OK ? code : export_stacks(r);
}

/* -q and --to on a database that exists already. */
static ts_code ask_finished(run *r)
{
    const char *path = r->options->paths[0];
    ts_code code = ts_db_open(&r->conversion.db, r->ctx, path);
    TS_STEP_IF(code, !r->options->quiet, ts_upgrade_say_version(r->ctx, r->conversion.db, path));
    TS_STEP_IF(code, r->to != NULL, ts_export_reader(&r->reader, &r->copy, r->ctx, path));
    return code != TS_OK ? code : ask(r);
}

/* --- more rows for a finished database -------------------------------------------------------- */

static ts_code check_adding(const run *r)
{
    const ts_options *o = r->options;
    if (is_asked(o) || o->index || o->with_times || o->no_meta || o->format != NULL ||
        o->viewer != NULL || o->time_range.kind != TS_WANTED_ALL || o->syscalls != NULL ||
        o->symbols != NULL || o->compat) {
        return ts_fail(
            r->ctx, TS_ERR_USAGE,
            "--analyze adds to the finished database: -q, --report, --to, --index, "
            "--with-times, -nm, "
            "--viewer, --format, --time-range, --syscalls, --symbols and --compat cannot be "
            "given with it");
    }
    if (r->conversion.analyses == 0) {
        return ts_fail(r->ctx, TS_ERR_USAGE, "--analyze=%s selects no analysis", o->analyze);
    }
    return TS_OK;
}

static ts_code add_rows(run *r)
{
    begin_conversion(r);
    return note_conversion(r, ts_conversion_add(&r->conversion));
}

/* The rows of a program that wrote to it in between would be lost. */
static ts_code check_unchanged(const run *r, const struct stat *before)
{
    struct stat now;
    const char *path = r->options->paths[0];
    if (stat(path, &now) == 0 && now.st_ino == before->st_ino && now.st_size == before->st_size &&
        now.st_mtim.tv_sec == before->st_mtim.tv_sec &&
        now.st_mtim.tv_nsec == before->st_mtim.tv_nsec) {
        return TS_OK;
    }
    return ts_fail(r->ctx, TS_ERR_OUTPUT,
                   "the database was changed by another program: path=\"%s\"", path);
}

/*
 * The rows go to a copy, which takes the place of the database, or becomes that of -e. Old or new,
 * it is whole wherever the program dies.
 */
static ts_code add_to_finished(run *r, ts_db_kind kind)
{
    const ts_options *o = r->options;
    struct stat before;
    ts_target_options target = {.force = o->force, .sync = o->sync};
    ts_code code = ts_analysis_choose(&r->conversion.analyses, r->ctx, o->analyze, false);
    if (code != TS_OK || (code = check_adding(r)) != TS_OK) {
        return code;
    }
    if (kind != TS_DB_OURS) {
        return ts_fail(r->ctx, TS_ERR_INPUT,
                       "cannot add to the database: path=\"%s\": not a database of trace_streamer",
                       o->paths[0]);
    }
    target.reads = o->export_db == NULL ? NULL : ts_outputs_reads(&r->outputs);
    if (stat(o->paths[0], &before) != 0) {
        return ts_fail(r->ctx, TS_ERR_INPUT, "cannot read the database: path=\"%s\"", o->paths[0]);
    }
    r->summary.target = o->export_db == NULL ? o->paths[0] : o->export_db;
    code = ts_target_open(&r->target, r->ctx, r->summary.target, &target);
    if (code == TS_OK) {
        ts_signals_guard(TS_GUARD_DATABASE, ts_target_path(r->target));
        ts_signals_hurry(true);
        code = ts_conversion_open_copy(&r->conversion, o->paths[0], ts_target_path(r->target),
                                       r->options->force);
        ts_signals_hurry(false);
    }
    TS_STEP(code, add_rows(r));
    if (code != TS_OK && r->target != NULL) { /* what failed may name the copy */
        return ts_cause(r->ctx, "cannot add to the database: path=\"%s\"", o->paths[0]);
    }
    TS_STEP_IF(code, o->export_db == NULL, check_unchanged(r, &before));
    return code;
}

static ts_code import_and_ask(run *r)
{
    ts_code code = open_database(r);
    TS_STEP(code, import(r));
    TS_STEP_IF(code, is_asked(r->options), ask(r));
    return code;
}

static void set_result(run *r, ts_code code)
{
    r->summary.seconds = ts_now() - r->started;
    r->summary.exit_code = ts_exit_code(r->ctx, code);
    r->summary.error = NULL;
    if (code != TS_OK) {
        r->error = r->ctx->error;
        r->summary.error = &r->error;
    } else if (r->options->strict && ts_summary_losses(&r->summary) > 0) {
        r->summary.exit_code = r->summary.result.failed > 0 ? TS_EXIT_INPUT : TS_EXIT_STRICT;
    }
}

/*
 * Gives the outputs their names. The database comes first: a summary that reports it is never
 * there without it. A signal comes before all of this and stops it, or after it and changes
 * nothing.
 */
static ts_code rename_outputs(run *r, bool done)
{
    bool database = done && r->summary.target != NULL;
    ts_code code;
    ts_signals_hold();
    code = database || (done && (r->exported.target != NULL || r->folder.ctx != NULL))
               ? ts_check_cancel(r->ctx)
               : TS_OK;
    TS_STEP_IF(code, database, ts_target_rename(r->target));
    const bool renamed = code == TS_OK && database;
    TS_STEP_IF(code, done, ts_export_folder_publish(&r->folder));
    TS_STEP_IF(code, done, ts_text_file_rename(&r->exported));
    if (code != TS_OK && renamed) {
        ts_cause(r->ctx, "the database is complete and was published: path=\"%s\"",
                 r->summary.target);
    }
    if (code == TS_OK && (code = ts_text_file_rename(&r->json)) != TS_OK && database) {
        ts_cause(r->ctx, "the database is complete and was published: path=\"%s\"",
                 r->summary.target);
    }
    if (code == TS_OK) {
        ts_signals_guard(TS_GUARD_JSON, NULL);
        if (done) {
            ts_signals_guard(TS_GUARD_EXPORT, NULL);
        }
        if (database) {
            ts_signals_guard(TS_GUARD_DATABASE, NULL);
        }
        ts_signals_done(r->summary.exit_code);
    }
    ts_signals_release();
    return code;
}

static ts_code publish(run *r)
{
    bool database = r->summary.target != NULL;
    ts_code code = database ? ts_target_prepare(r->target) : TS_OK;
    TS_STEP(code, ts_text_file_prepare(&r->exported));
    TS_STEP(code, ts_text_file_prepare(&r->json));
    return code != TS_OK ? code : rename_outputs(r, true);
}

/* Nothing but the summary, which reports why. */
static void publish_failure(run *r)
{
    if (ts_text_file_prepare(&r->json) == TS_OK) {
        (void)rename_outputs(r, false);
    }
}

/*
 * A database is at its place with exit codes 0 and 3 only, so everything that can still fail
 * comes before the renaming; should that itself fail, a --json file is written again.
 */
static void convert_finish(run *r, ts_code code)
{
    set_result(r, code);
    bool failed = code != TS_OK;
    code = write_json(r);
    if (code != TS_OK) {
        if (!failed) {
            set_result(r, code);
        }
        return;
    }
    if (!failed && (code = publish(r)) != TS_OK) {
        set_result(r, code);
        failed = r->json.target != NULL && write_json(r) == TS_OK;
    }
    if (failed) {
        publish_failure(r);
    }
}

/* --- a database for questions ----------------------------------------------------------------- */

/* Takes those analyses off the set whose rows the database has. */
static ts_code drop_done(run *r, const char *path)
{
    ts_reader *reader = NULL;
    ts_code code = r->conversion.analyses == 0 ? TS_OK : ts_reader_open(&reader, r->ctx, path);
    for (unsigned i = 0; code == TS_OK && r->conversion.analyses != 0 && ts_analyses[i] != NULL;
         i++) {
        enum ts_table_id missing = TS_TABLE_COUNT;
        bool done = false;
        if ((r->conversion.analyses >> i & 1) == 0) {
            continue;
        }
        code = ts_analysis_done(&done, reader, ts_analyses[i]);
        TS_STEP(code, ts_analysis_missing(&missing, reader, ts_analyses[i]));
        if (done || missing != TS_TABLE_COUNT) {
            r->conversion.analyses &= ~((ts_analysis_set)1 << i);
        }
    }
    ts_reader_free(reader);
    return code;
}

static ts_code open_with_analyses(run *r)
{
    const char *path = r->options->paths[0];
    ts_code code = drop_done(r, path);
    if (code != TS_OK || r->conversion.analyses == 0) {
        return code != TS_OK ? code : ts_db_open(&r->conversion.db, r->ctx, path);
    }
    code = ts_target_anonymous(&r->target, r->ctx);
    if (code == TS_OK) {
        ts_signals_guard(TS_GUARD_DATABASE, ts_target_path(r->target));
        code = ts_conversion_open_copy(&r->conversion, path, ts_target_path(r->target),
                                       r->options->force);
    }
    if (code == TS_OK) {
        code = ts_target_hide(r->target);
        ts_signals_guard(TS_GUARD_DATABASE, NULL);
    }
    return code != TS_OK ? code : add_rows(r);
}

static ts_code open_to_ask(run *r)
{
    const ts_options *o = r->options;
    ts_db_kind kind = TS_DB_NONE;
    ts_code code = o->format == NULL ? TS_OK : ts_conversion_format(&r->conversion, o->format);
    TS_STEP_IF(code, strcmp(o->paths[0], "-") != 0, ts_db_kind_of(&kind, r->ctx, o->paths[0]));
    TS_STEP_IF(code, kind == TS_DB_FOREIGN,
               ts_fail(r->ctx, TS_ERR_INPUT, "not a database of trace_streamer: path=\"%s\"",
                       o->paths[0]));
    TS_STEP(code,
            ts_analysis_choose(&r->conversion.analyses, r->ctx, o->analyze, kind == TS_DB_NONE));
    if (code != TS_OK || kind == TS_DB_OURS) {
        r->conversion.analyses = o->analyze == NULL ? 0 : r->conversion.analyses;
        return code != TS_OK ? code : open_with_analyses(r);
    }
    code = open_database(r);
    return code != TS_OK ? code : import(r);
}

static void print_failures(const run *r);

ts_code ts_convert_to_ask(ts_db **db, ts_target **target, ts_ctx *ctx, const ts_options *options)
{
    run r = {.ctx = ctx, .options = options, .conversion = {.ctx = ctx}, .started = ts_now()};
    r.summary = (ts_summary){.ctx = ctx, .options = options};
    set_limits(ctx, options);
    begin_progress(&r);
    ts_code code = open_to_ask(&r);
    ts_progress_clear(&r.line);
    r.error = ctx->error;
    r.summary.error = code == TS_OK ? NULL : &r.error;
    print_failures(&r);
    ctx->error = r.error;
    ts_signals_guard(TS_GUARD_DATABASE, NULL);
    ts_conversion_free(&r.conversion);
    ts_buf_free(ctx, &r.failures);
    if (code != TS_OK) {
        ts_db_close(r.conversion.db);
        ts_target_free(r.target);
        r.conversion.db = NULL;
        r.target = NULL;
    }
    *db = r.conversion.db;
    *target = r.target;
    return code;
}

/* --- messages ------------------------------------------------------------------------------ */

/* Errors of single inputs, which --quiet does not hide; the run's own was printed. */
static void print_failures(const run *r)
{
    const char *p = r->failures.p;
    const char *end = p == NULL ? NULL : p + r->failures.n;
    const ts_error *error = r->summary.error;
    uint32_t shown = 0;
    for (; p < end; p += strlen(p) + 1, shown++) {
        if (error == NULL || error->count == 0 || strcmp(p, error->causes[0]) != 0) {
            ts_message(r->ctx, "%s", p);
        }
    }
    if (shown < r->failure_count) {
        ts_message(r->ctx, "and %u more inputs could not be imported", r->failure_count - shown);
    }
}

/* Of a run whose result is an answer or a file a line is enough. */
static void print_summary(run *r)
{
    const ts_summary *s = &r->summary;
    const bool line =
        s->target == NULL && s->extractor == NULL && is_asked(r->options) && !r->options->verbose;
    ts_buf text = {0};
    if (line && ts_summary_line(&text, s) == TS_OK) {
        ts_message(r->ctx, "%.*s", (int)text.n, text.p);
    } else if (!line && ts_summary_text(&text, s) == TS_OK) {
        ts_stderr(r->ctx, text.p, text.n);
    }
    ts_buf_free(r->ctx, &text);
    if (s->result.failed > 0) {
        ts_message(r->ctx, "%u of %u inputs could not be imported", s->result.failed,
                   s->result.failed + s->result.imported);
    }
}

static void print_end(run *r)
{
    const ts_summary *s = &r->summary;
    const ts_options *o = r->options;
    uint64_t losses = ts_summary_losses(s);
    if (r->watch != NULL) {
        *r->watch->error = r->error;
        if (r->watch->losses != NULL) {
            *r->watch->losses = losses;
        }
        return;
    }
    if (s->error != NULL) {
        ts_print_error(r->ctx, s->error);
    }
    print_failures(r);
    if (s->error != NULL) {
        return;
    }
    if (!o->quiet && s->store != NULL) {
        print_summary(r);
    }
    if (losses > 0 && (!o->quiet || o->strict)) {
        ts_message(r->ctx, "damage was recorded: %llu defect%s that lost data%s%s",
                   (unsigned long long)losses, losses == 1 ? "" : "s",
                   s->target == NULL ? "" : " (table import_issue, view v_data_quality)",
                   !o->strict                      ? ""
                   : s->exit_code == TS_EXIT_INPUT ? "; exit code 1 because of --strict"
                                                   : "; exit code 3 because of --strict");
    }
}

static void convert_release(run *r)
{
    ts_progress_clear(&r->line);
    ts_conversion_free(&r->conversion);
    ts_reader_free(r->reader);
    ts_target_free(r->copy);
    ts_db_close(r->conversion.db);
    ts_target_free(r->target);
    ts_text_file_close(&r->exported);
    ts_export_folder_close(&r->folder);
    ts_text_file_close(&r->json);
    ts_signals_guard(TS_GUARD_DATABASE, NULL);
    ts_signals_guard(TS_GUARD_JSON, NULL);
    ts_signals_guard(TS_GUARD_EXPORT, NULL);
    if (r->options->extract) {
        ts_extractor_close(&r->extractor);
    }
    ts_output_free(&r->out);
    ts_buf_free(r->ctx, &r->query.sql);
    ts_buf_free(r->ctx, &r->failures);
    ts_outputs_free(&r->outputs);
    ts_log_close(&r->log);
}

/* Questions or analyses of one input and nothing else: it may be a database. */
static bool may_be_finished(const ts_options *options)
{
    return ((is_asked(options) && options->export_db == NULL) || options->analyze != NULL) &&
           !options->extract && options->directory == NULL && options->path_count == 1 &&
           strcmp(options->paths[0], "-") != 0;
}

/* Several finished databases, and what they are asked for. */
static bool are_finished(ts_ctx *ctx, const ts_options *o)
{
    ts_db_kind kind = TS_DB_NONE;
    bool all = is_asked(o) && o->export_db == NULL && o->analyze == NULL && !o->extract &&
               o->directory == NULL && !o->json && o->path_count > 1;
    for (size_t i = 0; all && i < o->path_count; i++) {
        all = strcmp(o->paths[i], "-") != 0 && ts_db_kind_of(&kind, ctx, o->paths[i]) == TS_OK &&
              kind == TS_DB_OURS;
    }
    return all;
}

static ts_code ask_several(run *r)
{
    const ts_options *o = r->options;
    ts_code code = TS_OK;
    ts_signals_hurry(true);
    if (o->report != TS_REPORT_NONE) {
        code = ts_report_many(r->ctx, o, &r->out);
    } else if (o->query != NULL) {
        code = ts_ask_print_many(r->ctx, &r->query, o, &r->out, isatty(STDOUT_FILENO) == 1);
    }
    ts_signals_hurry(false);
    if (code != TS_OK || r->to == NULL) {
        return code;
    }
    return r->exported.name == NULL ? ts_several_apart(r->ctx, r->to, o, &r->outputs)
                                    : ts_several_together(&r->exported, r->to, o);
}

static ts_code work(run *r, ts_db_kind kind)
{
    const ts_options *o = r->options;
    if (r->several) {
        return ask_several(r);
    }
    if (kind != TS_DB_NONE) {
        return o->analyze != NULL ? add_to_finished(r, kind) : ask_finished(r);
    }
    if (o->export_db == NULL && !is_asked(o) && !o->extract && !o->json) {
        return ts_fail(r->ctx, TS_ERR_USAGE,
                       "--analyze needs -e DB for the rows, or a finished database of this program "
                       "as the input");
    }
    return import_and_ask(r);
}

int ts_convert(ts_ctx *ctx, const ts_options *options)
{
    return ts_convert_watched(ctx, options, NULL);
}

int ts_convert_watched(ts_ctx *ctx, const ts_options *options, const ts_convert_watch *watch)
{
    run r = {.ctx = ctx,
             .options = options,
             .conversion = {.ctx = ctx},
             .started = ts_now(),
             .watch = watch};
    r.summary = (ts_summary){.ctx = ctx, .options = options, .target = options->export_db};
    r.extractor.dir = -1;
    r.log.fd = -1;
    ts_output_init(&r.out, ctx, STDOUT_FILENO, "standard output");
    begin_progress(&r);
    ts_db_kind kind = TS_DB_NONE;
    r.several = are_finished(ctx, options);
    ts_code code = convert_prepare(&r);
    TS_STEP_IF(code, may_be_finished(options), ts_db_kind_of(&kind, ctx, options->paths[0]));
    TS_STEP(code, work(&r, kind));
    ts_progress_clear(&r.line);
    convert_finish(&r, code);
    int exit_code = r.summary.exit_code;
    print_end(&r);
    convert_release(&r);
    return exit_code;
}
