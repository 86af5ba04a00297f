/*
 * What the rows call an input: its base name, as long as that says which argument is meant. Where
 * several arguments have the base name, each is called what it is called on the command line.
 */
#include "parsers/import_impl.h"

#include "base/alloc.h"

#include <stdlib.h>

/* The last part of a path without slashes after it. */
static ts_text label_base(const char *path)
{
    size_t end = strlen(path);
    size_t begin;
    while (end > 1 && path[end - 1] == '/') {
        end--;
    }
    for (begin = end; begin > 0 && path[begin - 1] != '/';) {
        begin--;
    }
    return (ts_text){path + begin, end - begin};
}

static int label_compare(const void *a, const void *b)
{
    const ts_text *x = a;
    const ts_text *y = b;
    size_t n = x->n < y->n ? x->n : y->n;
    int order = n == 0 ? 0 : memcmp(x->p, y->p, n);
    return order != 0 ? order : (x->n > y->n) - (x->n < y->n);
}

ts_code import_labels_open(ts_run *run)
{
    const ts_import_request *request = run->request;
    if (request->path_count < 2) {
        return TS_OK;
    }
    TS_NEED(run->ctx, run->bases = ts_alloc(run->ctx, request->path_count, sizeof *run->bases));
    for (size_t i = 0; i < request->path_count; i++) {
        run->bases[i] = label_base(request->paths[i]);
    }
    qsort(run->bases, request->path_count, sizeof *run->bases, label_compare);
    return TS_OK;
}

void import_labels_close(ts_run *run)
{
    ts_free(run->ctx, run->bases);
    ts_buf_free(run->ctx, &run->label);
    ts_buf_free(run->ctx, &run->set_label);
}

static bool label_repeats(const ts_run *run, const char *path)
{
    size_t n = run->request->path_count;
    ts_text base = label_base(path);
    const ts_text *found = n < 2 ? NULL : bsearch(&base, run->bases, n, sizeof base, label_compare);
    return found != NULL && ((found > run->bases && label_compare(found - 1, found) == 0) ||
                             (found + 1 < run->bases + n && label_compare(found + 1, found) == 0));
}

void import_labels_argument(ts_run *run, const char *const *paths, size_t n)
{
    bool repeats = false;
    size_t end;
    for (size_t i = 0; i < n; i++) {
        repeats = repeats || label_repeats(run, paths[i]);
    }
    run->argument[0] = run->argument[1] = run->inside = NULL;
    run->by_file = false;
    run->joined = n > 1;
    run->given = TS_TEXT_NULL;
    if (repeats) {
        /* Of files that are read as one directory, the directory. */
        const char *slash = strrchr(paths[0], '/');
        end = n == 1 ? strlen(paths[0]) : slash == NULL ? 0 : (size_t)(slash - paths[0]);
        while (end > 1 && paths[0][end - 1] == '/') {
            end--;
        }
        run->given = end == 0 ? TS_TEXT_LIT(".") : (ts_text){paths[0], end};
    }
}

void import_labels_enter(ts_run *run, const ts_fileset *set, const ts_fileset *outer)
{
    if (outer == NULL) {
        run->argument[0] = set;
    } else if (outer == run->argument[0] && ts_fileset_kind(outer) == TS_SET_FILE) {
        run->argument[1] = set;
    } else if (run->by_file && outer == run->argument[0]) {
        run->inside = set;
    }
}

/* "dir/name", or one of them alone, the other is empty. Errors: memory. */
static ts_code label_join(const char **out, ts_ctx *ctx, ts_buf *b, ts_text dir, ts_text name)
{
    ts_code code;
    b->n = 0;
    if ((dir.n > 0 && (code = ts_buf_put(ctx, b, dir.p, dir.n)) != TS_OK) ||
        (dir.n > 0 && name.n > 0 && (code = ts_buf_putc(ctx, b, '/')) != TS_OK) ||
        (name.n > 0 && (code = ts_buf_put(ctx, b, name.p, name.n)) != TS_OK) ||
        (code = ts_buf_putc(ctx, b, '\0')) != TS_OK) {
        return code;
    }
    *out = b->p;
    return TS_OK;
}

/* A file of a directory, which is called as in a tar of the directory. */
static ts_code label_file(const char **out, ts_run *run, ts_buf *b, const char *name)
{
    ts_text dir = run->given;
    *out = name;
    if (run->joined && dir.p == NULL) {
        return TS_OK;
    }
    if (dir.p == NULL) {
        dir = ts_text_of(ts_fileset_name(run->argument[0]));
    }
    return label_join(out, run->ctx, b, dir, ts_text_of(name));
}

ts_code import_label_set(const char **out, ts_run *run, const ts_fileset *set, const char *name)
{
    if (set != NULL && set == run->inside) {
        return label_file(out, run, &run->set_label, name);
    }
    *out = name;
    if (!(set == NULL || set == run->argument[0] || set == run->argument[1]) ||
        run->given.p == NULL) {
        return TS_OK;
    }
    return label_join(out, run->ctx, &run->set_label, run->given, TS_TEXT_NULL);
}

ts_code import_label(const char **out, ts_run *run, const ts_fileset *set, const char *name)
{
    if (set == NULL || ts_fileset_kind(set) == TS_SET_FILE) {
        return import_label_set(out, run, set, name);
    }
    *out = name;
    return run->by_file && set == run->argument[0] ? label_file(out, run, &run->label, name)
                                                   : TS_OK;
}
