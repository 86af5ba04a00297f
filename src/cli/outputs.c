#include "cli/outputs.h"

#include "cli/signals.h"
#include "input/input.h"

#include <stdio.h>
#include <unistd.h>

/* --- what is read -------------------------------------------------------------------------- */

/* Of a directory that -D names, only the files of a recording are read. */
static const char split_prefix[] = "hiprofiler_data_";

static ts_code add_directory(ts_outputs *o, const char *path, const char *prefix)
{
    ts_fileset *set = NULL;
    ts_code code = ts_fileset_open(&set, o->ctx, path);
    if (code == TS_OK) {
        code = ts_fileset_files(&o->reads, set, prefix);
        ts_fileset_close(set);
    }
    /* One that cannot be listed is not read either: the import says so. */
    return code == TS_ERR_INPUT ? TS_OK : code;
}

static ts_code outputs_add_file(ts_outputs *o, const struct stat *st)
{
    TS_TRY(ts_file_set_add(o->ctx, &o->args, st->st_dev, st->st_ino));
    return ts_file_set_add(o->ctx, &o->reads, st->st_dev, st->st_ino);
}

static ts_code add_input(ts_outputs *o, const char *path)
{
    struct stat st;
    int rc = strcmp(path, "-") == 0 ? fstat(STDIN_FILENO, &st) : stat(path, &st);
    if (rc != 0) {
        return TS_OK;
    }
    return S_ISDIR(st.st_mode) ? add_directory(o, path, "") : outputs_add_file(o, &st);
}

static ts_code add_inputs(ts_outputs *o, const ts_options *options, const struct stat *query)
{
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < options->path_count; i++) {
        code = add_input(o, options->paths[i]);
    }
    TS_STEP_IF(code, options->directory != NULL,
               add_directory(o, options->directory, split_prefix));
    TS_STEP_IF(code, options->baseline != NULL, add_directory(o, options->baseline, ""));
    TS_STEP_IF(code, query != NULL, outputs_add_file(o, query));
    return code;
}

/* --- what is written ----------------------------------------------------------------------- */

static ts_code add_output(ts_outputs *o, const char *option, const char *path)
{
    ts_named_output *n = &o->named[o->count];
    if (path == NULL) {
        return TS_OK;
    }
    *n = (ts_named_output){.option = option, .path = path};
    o->count++;
    n->exists = stat(path, &n->st) == 0 && S_ISREG(n->st.st_mode);
    o->directory =
        o->directory || (!n->exists && stat(path, &n->st) == 0 && S_ISDIR(n->st.st_mode));
    ts_code code = ts_place_name_of(&n->name, o->ctx, path);
    /* What has no place yet is no other file; opening it fails with the reason. */
    return code == TS_ERR_OUTPUT ? TS_OK : code;
}

static bool same_place(const ts_named_output *a, const ts_named_output *b)
{
    return ts_place_name_is(&a->name, b->name.dir, b->name.ino, b->name.base);
}

static ts_code check_pair(ts_outputs *o, const ts_named_output *a, const ts_named_output *b)
{
    bool same =
        a->exists && b->exists && a->st.st_dev == b->st.st_dev && a->st.st_ino == b->st.st_ino;
    if (same || same_place(a, b)) {
        return ts_fail(o->ctx, TS_ERR_USAGE,
                       "the outputs of %s and %s are the same file: path=\"%s\"", a->option,
                       b->option, b->path);
    }
    if (strcmp(a->option, "-e") == 0 && ts_place_name_beside(&a->name, &b->name)) {
        return ts_fail(o->ctx, TS_ERR_USAGE,
                       "the output of %s has a name that SQLite uses beside the database of -e: "
                       "path=\"%s\"",
                       b->option, b->path);
    }
    return TS_OK;
}

static ts_code check_input(ts_outputs *o, const ts_named_output *n)
{
    ts_db_kind kind = TS_DB_NONE;
    if (!n->exists || !ts_file_set_has(&o->reads, &n->st)) {
        return TS_OK;
    }
    if (strcmp(n->option, "-e") == 0 && !ts_file_set_has(&o->args, &n->st) &&
        ts_db_kind_of(&kind, o->ctx, n->path) == TS_OK && kind == TS_DB_OURS) {
        o->beside_inputs = true;
        return TS_OK;
    }
    return ts_fail(o->ctx, TS_ERR_USAGE, "the output of %s is an input: path=\"%s\"", n->option,
                   n->path);
}

ts_code ts_outputs_check(ts_outputs *o, ts_ctx *ctx, const ts_options *options,
                         const struct stat *query)
{
    bool any = options->extract && options->force;
    *o = (ts_outputs){.ctx = ctx};
    ts_code code = add_output(o, "-e", options->export_db);
    TS_STEP(code, add_output(o, "--json", options->json_file));
    TS_STEP(code, add_output(o, "--log-file", options->log_file));
    TS_STEP_IF(code, options->to != NULL && strcmp(options->out, "-") != 0,
               add_output(o, options->flame_diff == NULL ? "-o" : "--flame-diff", options->out));
    for (size_t i = 0; code == TS_OK && i < o->count; i++) {
        any = any || o->named[i].exists || strcmp(o->named[i].option, "-e") == 0;
        for (size_t k = i + 1; code == TS_OK && k < o->count; k++) {
            code = check_pair(o, &o->named[i], &o->named[k]);
        }
    }
    /* Files that are not there yet are no inputs, so directories need not be listed for them. */
    TS_STEP_IF(code, any || o->directory, add_inputs(o, options, query));
    for (size_t i = 0; code == TS_OK && i < o->count; i++) {
        code = check_input(o, &o->named[i]);
    }
    return code;
}

bool ts_outputs_is_open_file(const ts_outputs *o, const char *path)
{
    for (size_t i = 0; i < o->count; i++) {
        if (o->named[i].path == path) {
            return o->named[i].name.open_file;
        }
    }
    return false;
}

ts_file_set *ts_outputs_reads(ts_outputs *o)
{
    return o->beside_inputs ? &o->args : &o->reads;
}

ts_code ts_outputs_check_name(ts_outputs *o, const struct stat *dir, const char *name,
                              const struct stat *st, const char *path)
{
    const ts_place_name own = {dir->st_dev, dir->st_ino, name, NULL, false};
    if (st != NULL && ts_file_set_has(&o->reads, st)) {
        return ts_fail(o->ctx, TS_ERR_USAGE, "a recording would replace an input: path=\"%s/%s\"",
                       path, name);
    }
    for (size_t i = 0; i < o->count; i++) {
        const ts_named_output *n = &o->named[i];
        if (ts_place_name_is(&n->name, own.dir, own.ino, own.base) ||
            (strcmp(n->option, "-e") == 0 && ts_place_name_beside(&n->name, &own))) {
            return ts_fail(o->ctx, TS_ERR_USAGE,
                           "a recording would have the name of the output of %s: path=\"%s/%s\"",
                           n->option, path, name);
        }
    }
    return TS_OK;
}

void ts_outputs_free(ts_outputs *o)
{
    for (size_t i = 0; i < o->count; i++) {
        ts_place_name_free(&o->named[i].name, o->ctx);
    }
    o->count = 0;
    if (o->ctx != NULL) {
        ts_file_set_free(o->ctx, &o->args);
        ts_file_set_free(o->ctx, &o->reads);
    }
}

ts_code ts_outputs_publish(ts_target *database)
{
    ts_signals_hold();
    ts_code code = ts_target_commit(database);
    if (code == TS_OK) {
        ts_signals_guard(TS_GUARD_DATABASE, NULL);
    }
    ts_signals_release();
    return code;
}
