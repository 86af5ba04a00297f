#include "cli/diff/diff_private.h"

#include "base/alloc.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>

static int compare_paths(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Takes the path over where it is that of a database. */
static ts_code add_path(diff_runs *runs, ts_ctx *ctx, char *path)
{
    ts_db_kind kind = TS_DB_NONE;
    char **paths;
    ts_code code = ts_db_kind_of(&kind, ctx, path);
    if (code != TS_OK || kind != TS_DB_OURS) {
        ts_free(ctx, path);
        return code;
    }
    paths = ts_realloc(ctx, runs->paths, runs->count + 1, sizeof *paths);
    if (paths == NULL) {
        ts_free(ctx, path);
        return ctx->error.code;
    }
    runs->paths = paths;
    runs->paths[runs->count++] = path;
    return TS_OK;
}

static ts_code add_name(diff_runs *runs, ts_ctx *ctx, const char *dir, const char *name)
{
    const size_t n = strlen(dir);
    ts_buf joined = {0};
    char *path = NULL;
    if (name[0] == '.') { /* a temporary, and the directories above */
        return TS_OK;
    }
    ts_code code = ts_buf_printf(ctx, &joined, "%s%s%s", dir, dir[n - 1] == '/' ? "" : "/", name);
    if (code == TS_OK) {
        path = ts_strndup(ctx, joined.p, joined.n);
        code = path == NULL ? ctx->error.code : add_path(runs, ctx, path);
    }
    ts_buf_free(ctx, &joined);
    return code;
}

ts_code diff_runs_list(diff_runs *out, ts_ctx *ctx, const char *dir)
{
    ts_code code = TS_OK;
    const struct dirent *entry;
    DIR *open = opendir(dir);
    *out = (diff_runs){0};
    if (open == NULL) {
        return ts_fail(ctx, TS_ERR_INPUT, "cannot read the baseline: path=\"%s\": %s", dir,
                       strerror(errno));
    }
    while (code == TS_OK && (entry = readdir(open)) != NULL) {
        code = add_name(out, ctx, dir, entry->d_name);
    }
    (void)closedir(open);
    TS_STEP_IF(code, out->count == 0,
               ts_fail(ctx, TS_ERR_USAGE,
                       "the baseline has no database of trace_streamer: path=\"%s\": put one "
                       "there for each run, with INPUT -e DB",
                       dir));
    if (out->count > 1) {
        qsort(out->paths, out->count, sizeof *out->paths, compare_paths);
    }
    return code;
}

void diff_runs_free(diff_runs *runs, ts_ctx *ctx)
{
    for (size_t i = 0; i < runs->count; i++) {
        ts_free(ctx, runs->paths[i]);
    }
    ts_free(ctx, runs->paths);
    *runs = (diff_runs){0};
}
