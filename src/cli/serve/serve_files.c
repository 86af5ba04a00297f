#include "cli/serve/serve_private.h"

#include "base/alloc.h"
#include "cli/verbs.h"
#include "cli/exit_codes.h"
#include "cli/print.h"
#include "cli/signals.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER_PREFIX "trace_streamer-serve-"

/* --- folders of servers that were killed ------------------------------------------------------ */

/* A database, one that is being written, or the file of --open. */
static bool is_made_here(const char *name)
{
    size_t dot = name[0] == '.' ? 1 : 0;
    size_t digits = strspn(name + dot, "0123456789");
    return strcmp(name, TS_GUARD_OPEN_FILE) == 0 ||
           (digits > 0 && strncmp(name + dot + digits, ".db", 3) == 0);
}

/* Removes what a server makes in its folder. */
static void folder_empty(int fd)
{
    DIR *dir = fdopendir(fd);
    struct dirent *entry;
    if (dir == NULL) {
        (void)close(fd);
        return;
    }
    while ((entry = readdir(dir)) != NULL) {
        if (is_made_here(entry->d_name)) {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
    (void)closedir(dir);
}

/* Removes a folder of this user that no server holds. */
static void folder_remove_dead(int tmpdir, const char *name)
{
    struct stat st;
    int fd = openat(tmpdir, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        return;
    }
    if (fstat(fd, &st) != 0 || st.st_uid != geteuid() || (st.st_mode & 077) != 0 ||
        flock(fd, LOCK_EX | LOCK_NB) != 0) {
        (void)close(fd);
        return;
    }
    int held = fcntl(fd, F_DUPFD_CLOEXEC, 0); /* the lock, until the name is gone */
    folder_empty(fd);
    (void)unlinkat(tmpdir, name, AT_REMOVEDIR);
    if (held >= 0) {
        (void)close(held);
    }
}

static void folders_remove_dead(const char *below)
{
    DIR *dir = opendir(below);
    struct dirent *entry;
    while (dir != NULL && (entry = readdir(dir)) != NULL) {
        if (strncmp(entry->d_name, FOLDER_PREFIX, sizeof FOLDER_PREFIX - 1) == 0) {
            folder_remove_dead(dirfd(dir), entry->d_name);
        }
    }
    if (dir != NULL) {
        (void)closedir(dir);
    }
}

/* --- the folder ------------------------------------------------------------------------------ */

/* Holds a new folder, so that no other server removes it. False: one has done so already. */
static bool folder_hold(ts_serve_files *f)
{
    struct stat st;
    f->held = open(f->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (f->held >= 0) {
        (void)flock(f->held, LOCK_EX);
    }
    if (stat(f->folder, &st) == 0) {
        return true;
    }
    if (f->held >= 0) {
        (void)close(f->held);
    }
    return false;
}

static ts_code folder_make(ts_serve_files *f)
{
    ts_buf path = {0};
    ts_code code = ts_buf_printf(f->ctx, &path, "%s/" FOLDER_PREFIX "XXXXXX%c", f->ctx->tmpdir, 0);
    TS_STEP(code, ts_copy_text(&f->folder, f->ctx, path.p, path.n - 1));
    if (code == TS_OK && (mkdtemp(f->folder) == NULL || !folder_hold(f))) {
        code = ts_fail(f->ctx, TS_ERR_OUTPUT, "cannot make a directory in %s: %s", f->ctx->tmpdir,
                       strerror(errno));
        ts_free(f->ctx, f->folder);
        f->folder = NULL;
    }
    ts_buf_free(f->ctx, &path);
    return code;
}

static ts_code files_folder(ts_serve_files *f)
{
    if (f->folder != NULL) {
        return TS_OK;
    }
    folders_remove_dead(f->ctx->tmpdir);
    ts_code code = folder_make(f);
    if (code == TS_OK) {
        ts_signals_guard(TS_GUARD_FOLDER, f->folder);
    }
    return code;
}

ts_code ts_serve_files_page(ts_buf *path, ts_serve_files *f, ts_text url)
{
    ts_buf text = {0};
    const ts_sys *sys = &f->ctx->sys;
    int fd = -1;
    ts_code code = files_folder(f);
    TS_STEP(code, ts_buf_printf(f->ctx, path, "%s/%s%c", f->folder, TS_GUARD_OPEN_FILE, 0));
    TS_STEP(code, ts_buf_printf(f->ctx, &text,
                                "<!doctype html><meta charset=\"utf-8\"><meta name=\"referrer\" "
                                "content=\"no-referrer\"><meta http-equiv=\"refresh\" "
                                "content=\"0;url=%.*s\"><title>trace_streamer</title>\n",
                                (int)url.n, url.p));
    if (code == TS_OK) {
        fd = ts_sys_open(f->ctx, path->p, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
        if (fd < 0 || ts_sys_write_all(f->ctx, fd, text.p, text.n) != 0) {
            code = ts_fail(f->ctx, TS_ERR_OUTPUT, "cannot write %s: %s", path->p, strerror(errno));
        }
    }
    if (fd >= 0) {
        (void)sys->close(sys->user, fd);
    }
    ts_buf_free(f->ctx, &text);
    return code;
}

/* --- inputs ---------------------------------------------------------------------------------- */

/* Converts a recording, as `trace_streamer INPUT -e DB` does. */
static ts_code files_convert(ts_serve_files *f, int *exit_code, const ts_options *options)
{
    ts_options one = *options;
    ts_buf path = {0};
    ts_code code = files_folder(f);
    TS_STEP(code, ts_buf_printf(f->ctx, &path, "%s/%zu.db", f->folder, f->count));
    TS_STEP(code, ts_copy_text(&f->temporary[f->count], f->ctx, path.p, path.n));
    ts_buf_free(f->ctx, &path);
    if (code != TS_OK) {
        return code;
    }
    f->paths[f->count] = f->temporary[f->count];
    one.paths = options->paths + f->count;
    one.path_count = 1;
    one.export_db = f->paths[f->count];
    one.verb = TS_VERB_NONE;
    one.json = false;
    if (options->analyze == NULL) { /* what the page shows of heaps */
        one.analyze = "default,heap";
        one.analyze_if_any = true;
    }
    one.max_memory = 0;
    *exit_code = ts_convert(f->ctx, &one);
    return *exit_code == TS_EXIT_DONE || *exit_code == TS_EXIT_STRICT ? TS_OK : TS_ERR_INPUT;
}

static ts_code files_input(ts_serve_files *f, int *exit_code, const ts_options *options)
{
    const char *path = options->paths[f->count];
    ts_db_kind kind = TS_DB_NONE;
    f->paths[f->count] = path;
    ts_code code = strcmp(path, "-") == 0 ? TS_OK : ts_db_kind_of(&kind, f->ctx, path);
    if (code == TS_OK && kind == TS_DB_FOREIGN && !options->any) {
        return ts_fail(f->ctx, TS_ERR_FORMAT,
                       "not a database of this program: path=\"%s\" (--any serves it all the same)",
                       path);
    }
    TS_STEP_IF(code, kind == TS_DB_NONE, files_convert(f, exit_code, options));
    return code;
}

ts_code ts_serve_files_open(ts_serve_files *f, int *exit_code, ts_ctx *ctx,
                            const ts_options *options)
{
    *f = (ts_serve_files){.ctx = ctx};
    *exit_code = 0;
    f->paths = ts_zalloc(ctx, options->path_count, sizeof *f->paths);
    f->temporary = ts_zalloc(ctx, options->path_count, sizeof *f->temporary);
    ts_code code = f->paths == NULL || f->temporary == NULL ? ctx->error.code : TS_OK;
    for (size_t i = 0; code == TS_OK && i < options->path_count; i++) {
        code = files_input(f, exit_code, options);
        f->count++;
    }
    return code;
}

void ts_serve_files_free(ts_serve_files *f)
{
    for (size_t i = 0; i < f->count; i++) {
        ts_free(f->ctx, f->temporary[i]);
    }
    if (f->folder != NULL) {
        int fd = open(f->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
        if (fd >= 0) {
            folder_empty(fd);
        }
        (void)rmdir(f->folder);
        ts_signals_guard(TS_GUARD_FOLDER, NULL);
        (void)close(f->held);
        ts_free(f->ctx, f->folder);
    }
    ts_free(f->ctx, f->temporary);
    ts_free(f->ctx, f->paths);
}
