/*
 * "sample": a running Java VM is sampled from outside (src/sampler), and what was sampled becomes a
 * database. Meanwhile it is in a sample directory of Flare, in a folder of its own that is removed
 * at the end. Whether the database can be written is looked at first.
 *
 * A signal ends the sampling, not the run: what was sampled until then becomes the database. From
 * then on signals mean what they always mean.
 */
#include "cli/sample.h"

#include "base/alloc.h"
#include "cli/exit_codes.h"
#include "cli/print.h"
#include "cli/signals.h"
#include "cli/verbs.h"
#include "cli/work_folder.h"
#include "sampler/hotspot.h"
#include "sampler/jvms.h"
#include "sampler/sampler.h"
#include "tables/formats/flare/flare_constants.h"
#include "tables/publish.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { SECONDS = 30, INTERVAL_MS = 20, SHOWN_MS = 200, MS = 1000 };

typedef struct sampling {
    ts_ctx *ctx;
    const ts_options *options;
    const ts_sample_watch *watch; /* NULL: the terminal is told */
    ts_work_folder folder;
    int pid;
    char address[TS_JVM_NAME + 16]; /* what the recording is called */
    char path[4096];                /* of the sample directory */
    int64_t wanted_ms, elapsed_ms, shown_ms;
    bool signalled;
    bool shows; /* how far it is */
} sampling;

/* --- the folder ------------------------------------------------------------------------------- */

/* Sample directories, with the files in them. */
static void folder_empty(DIR *dir)
{
    struct dirent *entry;
    struct dirent *file;
    while ((entry = readdir(dir)) != NULL) {
        int fd = entry->d_name[0] == '.' ? -1
                                         : openat(dirfd(dir), entry->d_name,
                                                  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        DIR *inner = fd < 0 ? NULL : fdopendir(fd);
        while (inner != NULL && (file = readdir(inner)) != NULL) {
            (void)unlinkat(fd, file->d_name, 0);
        }
        if (inner != NULL) {
            (void)closedir(inner);
        } else if (fd >= 0) {
            (void)close(fd);
        }
        (void)unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
    }
}

/* --- sampling --------------------------------------------------------------------------------- */

static void show(sampling *s)
{
    char line[160];
    int n = s->shows && s->elapsed_ms - s->shown_ms >= SHOWN_MS
                ? snprintf(line, sizeof line, "\r\033[Ksampling %s: %.1f of %" PRId64 " s",
                           s->address, (double)s->elapsed_ms / MS, s->wanted_ms / MS)
                : 0;
    if (n > 0) {
        s->shown_ms = s->elapsed_ms;
        ts_stderr(s->ctx, line, (size_t)n);
    }
}

static bool goes_on(void *user, int64_t elapsed_ms)
{
    sampling *s = user;
    s->elapsed_ms = elapsed_ms;
    if (*s->ctx->cancel != 0) { /* who watches is ended by it */
        s->signalled = true;
        if (s->watch == NULL) {
            ts_signals_taken();
        }
        return false;
    }
    show(s);
    return s->watch == NULL || s->watch->goes_on(s->watch->user, elapsed_ms);
}

/* What is no Java VM of this user is an input that cannot be opened. */
static ts_code as_input(ts_ctx *ctx, ts_code code)
{
    char text[TS_ERROR_TEXT];
    if (code != TS_ERR_USAGE) {
        return code;
    }
    (void)snprintf(text, sizeof text, "%s", ctx->error.count > 0 ? ctx->error.causes[0] : "");
    return ts_fail(ctx, TS_ERR_INPUT, "%s", text);
}

/* The process that the argument names, and what it runs. */
static ts_code find_process(sampling *s)
{
    const char *typed = s->options->paths[0];
    ts_jvm jvm;
    ts_buf text = {0};
    char name[TS_JVM_NAME];
    char *end;
    errno = 0;
    long pid = strtol(typed, &end, 10);
    if (typed[0] < '0' || typed[0] > '9' || *end != '\0' || errno != 0 || pid <= 0 ||
        pid > INT32_MAX) {
        return ts_fail(s->ctx, TS_ERR_USAGE,
                       "sample needs the number of a process, not \"%s\"; sample alone lists Java "
                       "VMs",
                       typed);
    }
    s->pid = (int)pid;
    ts_code code = ts_jvm_check(&jvm, s->ctx, "/proc", s->pid);
    TS_STEP(code, ts_jvm_read(&text, &jvm, s->ctx, "cmdline"));
    if (code == TS_OK) {
        ts_jvm_name(name, (ts_text){text.p, text.n - 1});
        (void)snprintf(s->address, sizeof s->address, "%s:%d", name, s->pid);
    }
    ts_buf_free(s->ctx, &text);
    return as_input(s->ctx, code);
}

/* A database there must be replaceable before anything is sampled. */
static ts_code check_target(const sampling *s)
{
    const ts_target_options how = {.force = s->options->force, .sync = s->options->sync};
    ts_target *target = NULL;
    ts_code code = ts_target_open(&target, s->ctx, s->options->export_db, &how);
    ts_target_free(target);
    return code;
}

static ts_code sample(sampling *s)
{
    ts_sampler *sampler = NULL;
    const uint64_t interval = s->options->interval;
    const ts_sampler_options how = {
        .pid = s->pid,
        .interval_ms = interval == TS_NOT_GIVEN ? INTERVAL_MS : (int64_t)interval,
        .duration_ms = s->wanted_ms,
        .volume_ms = s->wanted_ms + TS_SAMPLER_VOLUME_MS, /* one directory */
        .directory = s->folder.path,
        .address = s->address,
        .goes_on = goes_on,
        .user = s,
    };
    ts_code code = ts_sampler_open(&sampler, s->ctx, &how);
    TS_STEP(code, ts_sampler_run(sampler));
    if (sampler != NULL) {
        (void)ts_sampler_path(s->path, sizeof s->path, sampler);
    }
    ts_sampler_free(sampler);
    if (s->shows && s->shown_ms > 0) {
        ts_stderr(s->ctx, "\r\033[K", 4);
    }
    return as_input(s->ctx, code);
}

/* Says why it was shorter than asked for. */
static void say_early(const sampling *s)
{
    if (s->watch != NULL || s->options->quiet) {
        return;
    }
    if (s->signalled) {
        ts_message(s->ctx, "stopped after %.1f s: what was sampled is written",
                   (double)s->elapsed_ms / MS);
    } else if (s->elapsed_ms + MS / 2 < s->wanted_ms) {
        ts_message(s->ctx, "process %d has ended after %.1f s", s->pid, (double)s->elapsed_ms / MS);
    }
}

/* Progress that is not shown. */
static void read_nothing(void *user, const char *name, uint64_t done, int64_t total)
{
    (void)user;
    (void)name;
    (void)done;
    (void)total;
}

static int write_database(const sampling *s)
{
    const char *paths[] = {s->path};
    ts_options one = *s->options;
    one.verb = TS_VERB_NONE;
    one.paths = paths;
    one.path_count = 1;
    one.format = TS_FLARE_FORMAT;
    if (s->watch == NULL) {
        return ts_convert(s->ctx, &one);
    }
    const ts_convert_watch silent = {{NULL, read_nothing}, s->watch->error, NULL};
    return ts_convert_watched(s->ctx, &one, &silent);
}

int ts_sample_into(ts_ctx *ctx, const ts_options *options, const ts_sample_watch *watch)
{
    sampling s = {.ctx = ctx,
                  .options = options,
                  .watch = watch,
                  .folder = {.prefix = "trace_streamer-sample-", .empty = folder_empty},
                  .wanted_ms = MS * (options->seconds == TS_NOT_GIVEN ? (int64_t)SECONDS
                                                                      : (int64_t)options->seconds),
                  .shows = watch == NULL && !options->quiet && !options->no_progress &&
                           isatty(STDERR_FILENO) == 1};
    ts_code code = find_process(&s);
    TS_STEP(code, check_target(&s));
    TS_STEP(code, ts_work_folder_make(&s.folder, ctx));
    TS_STEP(code, sample(&s));
    int exit_code = ts_exit_code(ctx, code);
    if (code == TS_OK) {
        say_early(&s);
        exit_code = write_database(&s);
    } else if (watch != NULL) {
        *watch->error = ctx->error;
    } else {
        ts_print_error(ctx, &ctx->error);
    }
    ts_work_folder_remove(&s.folder, ctx);
    return exit_code;
}

/* --- the verb --------------------------------------------------------------------------------- */

static int list(ts_ctx *ctx)
{
    ts_vec found = {0};
    ts_output out;
    ts_output_init(&out, ctx, STDOUT_FILENO, "standard output");
    ts_code code = ts_jvms_find(&found, ctx, "/proc");
    for (size_t i = 0; code == TS_OK && i < found.n; i++) {
        const ts_jvm_found *one = (const ts_jvm_found *)found.p + i;
        code = ts_buf_printf(ctx, &out.buf, "%-7d %s\n", one->pid, one->name);
    }
    if (code == TS_OK && found.n == 0) {
        ts_message(ctx, "no Java VM of this user runs that can be sampled");
    }
    code = ts_output_end(&out, code);
    if (code != TS_OK) {
        ts_print_error(ctx, &ctx->error);
    }
    ts_vec_free(ctx, &found);
    return ts_exit_code(ctx, code);
}

int ts_sample_verb(ts_ctx *ctx, const ts_options *options)
{
    return options->path_count == 0 ? list(ctx) : ts_sample_into(ctx, options, NULL);
}
