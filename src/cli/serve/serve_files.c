#include "cli/serve/serve_private.h"

#include "base/alloc.h"
#include "cli/verbs.h"
#include "cli/exit_codes.h"
#include "cli/print.h"
#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

/* --- folders of servers that were killed ------------------------------------------------------ */

/* A database, one that is being written, or the file of --open. */
static bool is_made_here(const char *name)
{
    size_t dot = name[0] == '.' ? 1 : 0;
    size_t digits = strspn(name + dot, "0123456789");
    return strcmp(name, TS_GUARD_OPEN_FILE) == 0 ||
           (digits > 0 && strncmp(name + dot + digits, ".db", 3) == 0);
}

/* What a server makes in its folder. */
static void folder_empty(DIR *dir)
{
    struct dirent *entry;
    while ((entry = readdir(dir)) != NULL) {
        if (is_made_here(entry->d_name)) {
            (void)unlinkat(dirfd(dir), entry->d_name, 0);
        }
    }
}

ts_code ts_serve_folder_make(ts_work_folder *f, ts_ctx *ctx)
{
    f->prefix = "trace_streamer-serve-";
    f->empty = folder_empty;
    return ts_work_folder_make(f, ctx);
}

static ts_code files_folder(ts_serve_files *f)
{
    if (f->folder.path != NULL) {
        return TS_OK;
    }
    TS_TRY(ts_serve_folder_make(&f->folder, f->ctx));
    ts_signals_guard(TS_GUARD_FOLDER, f->folder.path);
    return TS_OK;
}

ts_code ts_serve_files_page(ts_buf *path, ts_serve_files *f, ts_text url)
{
    ts_buf text = {0};
    const ts_sys *sys = &f->ctx->sys;
    int fd = -1;
    ts_code code = files_folder(f);
    TS_STEP(code, ts_buf_printf(f->ctx, path, "%s/%s%c", f->folder.path, TS_GUARD_OPEN_FILE, 0));
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
    TS_STEP(code, ts_buf_printf(f->ctx, &path, "%s/%zu.db", f->folder.path, f->count));
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
    if (f->folder.path != NULL) {
        ts_work_folder_remove(&f->folder, f->ctx);
        ts_signals_guard(TS_GUARD_FOLDER, NULL);
    }
    ts_free(f->ctx, f->temporary);
    ts_free(f->ctx, f->paths);
}
