/*
 * --each: a database for each recording, in a directory, by several processes. A recording whose
 * database is there and newer is left alone, so that a run that was stopped goes on where it was.
 * Databases get their names when they are complete: what is there is whole.
 *
 * A recording is a file, or a directory whose files a format takes together: one whose own files,
 * without those of its directories, it takes, or in which it is surer of all than of those of any
 * directory inside.
 */
#include "cli/verbs.h"

#include "base/alloc.h"
#include "base/vec.h"
#include "cli/exit_codes.h"
#include "cli/print.h"
#include "cli/signals.h"
#include "input/input.h"
#include "parsers/import.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TEXT = 1024, MOST_JOBS = 256 };

typedef struct recording {
    char *path; /* of the input */
    char *name; /* of its database, below the directory */
    bool directory;
    struct timespec newest; /* of a directory: when a file of it was changed last */
} recording;

/* What a process says at its end. */
typedef struct result {
    uint64_t losses;
    char why[TEXT]; /* it failed */
} result;

typedef struct worker {
    pid_t pid; /* 0: free */
    int from;  /* its result */
    size_t recording;
} worker;

typedef struct each {
    ts_ctx *ctx;
    const ts_options *options;
    ts_vec recordings; /* recording */
    worker workers[MOST_JOBS];
    unsigned jobs, running;
    size_t next;
    uint64_t converted, there, unknown, failed, lossy;
    int exit_code; /* of the first failure */
} each;

/* --- what there is ---------------------------------------------------------------------------- */

/* "PATH/MEMBER"; member NULL: the path itself. */
static ts_code join(char **out, ts_ctx *ctx, const char *path, const char *member,
                    const char *suffix)
{
    ts_buf text = {0};
    ts_code code = member == NULL ? ts_buf_printf(ctx, &text, "%s%s", path, suffix)
                                  : ts_buf_printf(ctx, &text, "%s/%s%s", path, member, suffix);
    *out = NULL;
    if (code == TS_OK && (*out = ts_strndup(ctx, text.p, text.n)) == NULL) {
        code = ctx->error.code;
    }
    ts_buf_free(ctx, &text);
    return code;
}

/* member: of the argument; NULL: all of it. Its database is called by `name`. */
static ts_code add(recording **out, each *e, const char *argument, const char *member,
                   const char *name)
{
    recording *r = ts_vec_add(e->ctx, &e->recordings, sizeof *r);
    *out = r;
    TS_NEED(e->ctx, r);
    *r = (recording){0};
    TS_TRY(join(&r->path, e->ctx, argument, member, ""));
    return join(&r->name, e->ctx, name, NULL, ".db");
}

/* --- directories ------------------------------------------------------------------------------ */

/* A directory of an argument: the names in it are [from, to) of its files, which are sorted, and
 * begin with `prefix` bytes that name it. */
typedef struct directory {
    uint32_t from, to;
    size_t prefix;
} directory;

typedef struct listing {
    each *e;
    const char *argument;
    const char *base; /* how its directory is called */
    const char **names;
    const char **parts; /* of one directory: names in it */
    ts_vec pending;     /* directory */
} listing;

static bool is_later(const struct timespec *a, const struct timespec *b)
{
    return a->tv_sec > b->tv_sec || (a->tv_sec == b->tv_sec && a->tv_nsec > b->tv_nsec);
}

/* The end of the directory inside d that has the file i; i: it is none's. */
static uint32_t end_of_inner(const listing *l, const directory *d, uint32_t i, size_t *prefix)
{
    const char *slash = strchr(l->names[i] + d->prefix, '/');
    uint32_t end = i;
    if (slash != NULL) {
        *prefix = (size_t)(slash + 1 - l->names[i]);
        while (end < d->to && strncmp(l->names[end], l->names[i], *prefix) == 0) {
            end++;
        }
    }
    return end;
}

/* How sure a format is of its files, or of those of no directory inside. */
static int sureness(listing *l, const directory *d, bool own)
{
    uint32_t n = 0;
    for (uint32_t i = d->from; i < d->to; i++) {
        const char *name = l->names[i] + d->prefix;
        if (!own || strchr(name, '/') == NULL) {
            l->parts[n++] = name;
        }
    }
    return ts_import_sniff_files(l->base, l->parts, n);
}

static bool is_one_recording(listing *l, const directory *d)
{
    const int all = sureness(l, d, false);
    if (all < TS_SNIFF_LIKELY || sureness(l, d, true) >= TS_SNIFF_LIKELY) {
        return all >= TS_SNIFF_LIKELY;
    }
    for (uint32_t i = d->from; i < d->to;) {
        directory inner = {i, i, d->prefix};
        inner.to = end_of_inner(l, d, i, &inner.prefix);
        if (inner.to > i && sureness(l, &inner, false) >= all) {
            return false;
        }
        i = inner.to > i ? inner.to : i + 1;
    }
    return true;
}

static ts_code add_directory(listing *l, const directory *d)
{
    each *e = l->e;
    const char *first = l->names[d->from];
    char *inner = NULL;
    recording *r = NULL;
    if (d->prefix > 0) {
        TS_NEED(e->ctx, inner = ts_strndup(e->ctx, first, d->prefix - 1));
    }
    ts_code code = add(&r, e, l->argument, inner, inner != NULL ? inner : l->base);
    ts_free(e->ctx, inner);
    if (code == TS_OK) {
        r->directory = true;
    }
    for (uint32_t i = d->from; code == TS_OK && i < d->to; i++) {
        struct stat st;
        char *path = NULL;
        code = join(&path, e->ctx, l->argument, l->names[i], "");
        if (code == TS_OK && stat(path, &st) == 0 && is_later(&st.st_mtim, &r->newest)) {
            r->newest = st.st_mtim;
        }
        ts_free(e->ctx, path);
    }
    return code;
}

/* Its files; directories in it wait for their turn. */
static ts_code take_apart(listing *l, const directory *d)
{
    ts_code code = TS_OK;
    for (uint32_t i = d->from; code == TS_OK && i < d->to;) {
        directory inner = {i, i, 0};
        recording *r;
        inner.to = end_of_inner(l, d, i, &inner.prefix);
        code = inner.to > i ? ts_vec_push(l->e->ctx, &l->pending, &inner, sizeof inner)
                            : add(&r, l->e, l->argument, l->names[i], l->names[i]);
        i = inner.to > i ? inner.to : i + 1;
    }
    return code;
}

static ts_code add_listed(listing *l, uint32_t count)
{
    const directory all = {0, count, 0};
    ts_code code = count > 0 ? ts_vec_push(l->e->ctx, &l->pending, &all, sizeof all) : TS_OK;
    while (code == TS_OK && l->pending.n > 0) {
        const directory d = ((const directory *)l->pending.p)[--l->pending.n];
        code = is_one_recording(l, &d) ? add_directory(l, &d) : take_apart(l, &d);
        TS_STEP(code, ts_check_cancel(l->e->ctx));
    }
    return code;
}

static ts_code add_set(each *e, const char *argument, ts_fileset *set)
{
    listing l = {.e = e, .argument = argument, .base = ts_fileset_name(set)};
    uint32_t count = 0;
    l.base = l.base[0] == '.' || l.base[0] == '/' ? "recording" : l.base; /* such as "." */
    ts_code code = ts_fileset_count(&count, set);
    TS_STEP_IF(code,
               (l.names = ts_alloc(e->ctx, (size_t)count + 1, sizeof *l.names)) == NULL ||
                   (l.parts = ts_alloc(e->ctx, (size_t)count + 1, sizeof *l.parts)) == NULL,
               e->ctx->error.code);
    for (uint32_t i = 0; code == TS_OK && i < count; i++) {
        l.names[i] = ts_member_name(set, i);
    }
    TS_STEP(code, add_listed(&l, count));
    ts_vec_free(e->ctx, &l.pending);
    ts_free(e->ctx, (void *)l.names);
    ts_free(e->ctx, (void *)l.parts);
    return code;
}

static ts_code add_argument(each *e, const char *argument)
{
    ts_fileset *set = NULL;
    recording *r;
    struct stat st;
    const char *slash = strrchr(argument, '/');
    if (strcmp(argument, "-") == 0) {
        return ts_fail(e->ctx, TS_ERR_USAGE, "--each reads files: - has no name for its database");
    }
    if (stat(argument, &st) == 0 && !S_ISDIR(st.st_mode)) {
        return add(&r, e, argument, NULL, slash == NULL ? argument : slash + 1);
    }
    ts_code code = ts_fileset_open(&set, e->ctx, argument);
    TS_STEP(code, add_set(e, argument, set));
    ts_fileset_close(set);
    return code;
}

static int compare_names(const void *a, const void *b)
{
    const recording *x = a;
    const recording *y = b;
    return strcmp(x->name, y->name);
}

static ts_code find_recordings(each *e)
{
    const recording *all;
    for (size_t i = 0; i < e->options->path_count; i++) {
        TS_TRY(add_argument(e, e->options->paths[i]));
    }
    all = e->recordings.p;
    if (e->recordings.n > 1) {
        qsort(e->recordings.p, e->recordings.n, sizeof *all, compare_names);
    }
    for (size_t i = 1; i < e->recordings.n; i++) {
        if (strcmp(all[i - 1].name, all[i].name) == 0) {
            return ts_fail(e->ctx, TS_ERR_USAGE,
                           "\"%s\" and \"%s\" would have the same database %s: convert them in two "
                           "runs with directories of their own",
                           all[i - 1].path, all[i].path, all[i].name);
        }
    }
    return TS_OK;
}

/* --- one recording ---------------------------------------------------------------------------- */

/* The directories above a database. */
static ts_code make_parents(ts_ctx *ctx, char *path, size_t begin)
{
    for (char *p = strchr(path + begin, '/'); p != NULL; p = strchr(p + 1, '/')) {
        *p = '\0';
        const bool made = mkdir(path, 0777) == 0 || errno == EEXIST;
        const int error = errno;
        *p = '/';
        if (!made) {
            return ts_fail(ctx, TS_ERR_OUTPUT, "cannot make a directory for \"%s\": %s", path,
                           strerror(error));
        }
    }
    return TS_OK;
}

/* Whether the database is there, and not older than its recording. */
static bool is_there(const char *database, const recording *r)
{
    struct stat a;
    struct stat b;
    if (stat(database, &a) != 0 || stat(r->path, &b) != 0) {
        return false;
    }
    return !is_later(r->directory ? &r->newest : &b.st_mtim, &a.st_mtim);
}

static void no_progress(void *user, const char *name, uint64_t bytes, int64_t total)
{
    (void)user;
    (void)name;
    (void)bytes;
    (void)total;
}

/* The work of a process, which ends here. */
static void convert_one(each *e, const char *input, const char *database, int to)
{
    ts_options options = *e->options;
    ts_error error = {0};
    result r = {0};
    const ts_convert_watch watch = {
        .progress = {.update = no_progress}, .error = &error, .losses = &r.losses};
    options.paths = &input;
    options.path_count = 1;
    options.export_db = database;
    options.out = NULL;
    options.quiet = true;
    options.threads = options.threads == TS_NOT_GIVEN && e->jobs > 1 ? 1 : options.threads;
    const int exit_code = ts_convert_watched(e->ctx, &options, &watch);
    if (error.count > 0) {
        snprintf(r.why, sizeof r.why, "%s", error.causes[error.count - 1]);
    }
    (void)!write(to, &r, sizeof r); /* it is smaller than what a pipe holds */
    _exit(exit_code);
}

static ts_code start(each *e, worker *w, size_t at, const char *database)
{
    const recording *r = (const recording *)e->recordings.p + at;
    int ends[2];
    if (pipe(ends) != 0) {
        return ts_fail(e->ctx, TS_ERR_LIMIT, "cannot make a pipe: %s", strerror(errno));
    }
    const pid_t pid = fork();
    if (pid == 0) {
        (void)close(ends[0]);
        convert_one(e, r->path, database, ends[1]);
    }
    (void)close(ends[1]);
    if (pid < 0) {
        (void)close(ends[0]);
        return ts_fail(e->ctx, TS_ERR_LIMIT, "cannot make a process: %s", strerror(errno));
    }
    *w = (worker){pid, ends[0], at};
    e->running++;
    return TS_OK;
}

/* --- results ---------------------------------------------------------------------------------- */

static void note(each *e, const recording *r, const result *said, int exit_code)
{
    if (exit_code == TS_EXIT_FORMAT) {
        e->unknown++;
    } else if (exit_code == TS_EXIT_DONE || exit_code == TS_EXIT_STRICT) {
        e->converted++;
        e->lossy += said->losses > 0 ? 1 : 0;
    } else if (ts_check_cancel(e->ctx) == TS_OK) {
        e->failed++;
        e->exit_code = e->exit_code == 0 ? exit_code : e->exit_code;
        ts_message(e->ctx, "%s: %s", r->path,
                   said->why[0] != '\0' ? said->why : "the process that converted it was ended");
    }
}

/* Waits for a process that ends. A signal is handed on to all, once. */
static void wait_one(each *e, bool *told)
{
    int status = 0;
    const pid_t pid = waitpid(-1, &status, 0);
    if (pid < 0 && errno == EINTR && ts_check_cancel(e->ctx) != TS_OK && !*told) {
        *told = true;
        for (unsigned i = 0; i < e->jobs; i++) {
            if (e->workers[i].pid > 0) {
                (void)kill(e->workers[i].pid, *e->ctx->cancel);
            }
        }
    }
    for (unsigned i = 0; pid > 0 && i < e->jobs; i++) {
        worker *w = &e->workers[i];
        if (w->pid == pid) {
            result said = {0};
            if (read(w->from, &said, sizeof said) != (ssize_t)sizeof said) {
                said = (result){0};
            }
            (void)close(w->from);
            w->pid = 0;
            e->running--;
            note(e, (const recording *)e->recordings.p + w->recording, &said,
                 WIFEXITED(status) ? WEXITSTATUS(status) : TS_EXIT_SIGNAL + WTERMSIG(status));
        }
    }
}

static worker *free_worker(each *e)
{
    for (unsigned i = 0; i < e->jobs; i++) {
        if (e->workers[i].pid == 0) {
            return &e->workers[i];
        }
    }
    return NULL;
}

/* The next recording, unless it is there or a database. */
static ts_code begin_next(each *e)
{
    const size_t at = e->next++;
    const recording *r = (const recording *)e->recordings.p + at;
    ts_db_kind kind = TS_DB_NONE;
    char *database = NULL;
    ts_code code = join(&database, e->ctx, e->options->out, r->name, "");
    if (code == TS_OK && ts_db_kind_of(&kind, e->ctx, r->path) == TS_OK && kind != TS_DB_NONE) {
        e->unknown++;
    } else if (code == TS_OK && is_there(database, r)) {
        e->there++;
    } else if (code == TS_OK) {
        code = make_parents(e->ctx, database, strlen(e->options->out) + 1);
        TS_STEP(code, start(e, free_worker(e), at, database));
    }
    ts_free(e->ctx, database);
    return code;
}

static ts_code convert_all(each *e)
{
    ts_code code = TS_OK;
    bool told = false;
    while ((code == TS_OK && e->next < e->recordings.n) || e->running > 0) {
        TS_STEP(code, ts_check_cancel(e->ctx));
        if (code == TS_OK && e->next < e->recordings.n && e->running < e->jobs) {
            code = begin_next(e);
        } else if (e->running > 0) {
            wait_one(e, &told);
        }
    }
    return code;
}

static void say(each *e)
{
    if (!e->options->quiet || e->failed > 0) {
        ts_message(e->ctx,
                   "%s: %" PRIu64 " converted, %" PRIu64 " of them with losses; %" PRIu64
                   " there already, %" PRIu64 " of no known format, %" PRIu64 " failed",
                   e->options->out, e->converted, e->lossy, e->there, e->unknown, e->failed);
    }
}

static unsigned jobs_of(const ts_options *o)
{
    uint64_t n = o->jobs;
    if (n == 0) {
        const long cpus = sysconf(_SC_NPROCESSORS_ONLN);
        n = cpus > 0 ? (uint64_t)cpus : 1;
    }
    return n > MOST_JOBS ? MOST_JOBS : (unsigned)n;
}

int ts_convert_each(ts_ctx *ctx, const ts_options *options)
{
    each e = {.ctx = ctx, .options = options, .jobs = jobs_of(options)};
    struct stat st;
    ts_code code =
        stat(options->out, &st) == 0 && S_ISDIR(st.st_mode)
            ? TS_OK
            : ts_fail(ctx, TS_ERR_OUTPUT, "\"%s\" is not a directory: make it first", options->out);
    TS_STEP(code, find_recordings(&e));
    TS_STEP(code, convert_all(&e));
    if (code != TS_OK) {
        ts_print_error(ctx, &ctx->error);
    } else {
        say(&e);
    }
    for (size_t i = 0; i < e.recordings.n; i++) {
        ts_free(ctx, ((recording *)e.recordings.p)[i].path);
        ts_free(ctx, ((recording *)e.recordings.p)[i].name);
    }
    ts_vec_free(ctx, &e.recordings);
    return code != TS_OK                    ? ts_exit_code(ctx, code)
           : e.failed > 0                   ? TS_EXIT_INPUT
           : e.converted + e.there == 0     ? TS_EXIT_FORMAT
           : options->strict && e.lossy > 0 ? TS_EXIT_STRICT
                                            : TS_EXIT_DONE;
}
