/* Trees and methods as JSON. */
#include "serve/views/frame_tree.h"

#include "base/pool.h"
#include "model/path_ids.h"

ts_code ts_method_list_begin(ts_method_list *l, ts_ctx *ctx, const ts_paths *paths)
{
    *l = (ts_method_list){0};
    TS_NEED(ctx, l->number = ts_alloc(ctx, paths->methods.count, sizeof *l->number));
    for (uint32_t i = 0; i < paths->methods.count; i++) {
        l->number[i] = TS_NO_INDEX;
    }
    return TS_OK;
}

void ts_method_list_free(ts_ctx *ctx, ts_method_list *l)
{
    ts_free(ctx, l->number);
    ts_vec_free(ctx, &l->methods);
}

ts_code ts_method_list_add(uint32_t *out, ts_ctx *ctx, ts_method_list *l, uint32_t method)
{
    *out = TS_NO_INDEX;
    if (method == TS_NO_INDEX) {
        return TS_OK;
    }
    if (l->number[method] == TS_NO_INDEX) {
        uint32_t *place = ts_vec_add(ctx, &l->methods, sizeof *place);
        TS_NEED(ctx, place);
        *place = method;
        l->number[method] = (uint32_t)l->methods.n - 1;
    }
    *out = l->number[method];
    return TS_OK;
}

/* Files, packages and libraries, of which many methods have the same: places in a list. */
enum { M_FILE, M_PACKAGE, M_LIBRARY, M_SHARED };
enum { C_NAME, C_CLASS, C_PACKAGE, C_FILE, C_LIBRARY, C_LINE };

/* What is read of the methods of a reply. */
typedef struct method_texts {
    ts_buf bytes;   /* names */
    ts_buf scratch; /* a text of the list, cut */
    ts_buf written; /* a name that was demangled */
    bool demangle;
    ts_pool shared; /* the list */
    struct method_text {
        size_t at;
        size_t n;
        uint32_t shared[M_SHARED]; /* TS_NO_INDEX: NULL */
        int64_t line;
        bool has_line;
    } * all; /* per number */
} method_texts;

static ts_code method_shared(uint32_t *place, method_texts *t, ts_ctx *ctx,
                             const ts_scan_text *text)
{
    t->scratch.n = 0;
    ts_code code = ts_method_text(&t->scratch, ctx, text, "");
    return code != TS_OK ? code
                         : ts_pool_intern(ctx, place, NULL, &t->shared, ts_buf_text(&t->scratch));
}

static ts_code method_read(method_texts *t, ts_ctx *ctx, uint32_t number, const ts_batch *b)
{
    static const unsigned columns[M_SHARED] = {C_FILE, C_PACKAGE, C_LIBRARY};
    struct method_text *m = &t->all[number];
    m->has_line = !b->columns[C_LINE].null[0];
    m->line = b->columns[C_LINE].ints[0];
    m->at = t->bytes.n;
    ts_scan_text name = *b->columns[C_NAME].texts;
    ts_code code = t->demangle ? ts_method_written(&name, ctx, &t->written, &name) : TS_OK;
    TS_STEP(code, ts_method_label(&t->bytes, ctx, b->columns[C_PACKAGE].texts,
                                  b->columns[C_CLASS].texts, &name));
    m->n = t->bytes.n - m->at;
    for (unsigned i = 0; code == TS_OK && i < M_SHARED; i++) {
        const ts_batch_column *column = &b->columns[columns[i]];
        code = column->null[0] ? TS_OK : method_shared(&m->shared[i], t, ctx, column->texts);
    }
    return code;
}

/* Methods that are no rows of stack_method. */
static ts_code methods_frames(method_texts *t, ts_ctx *ctx, const ts_method_list *l,
                              const ts_frames *frames)
{
    const uint32_t *methods = l->methods.p;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < l->methods.n; i++) {
        const ts_frame frame = ts_frames_get(frames, methods[i]);
        const ts_scan_text texts[] = {{frame.label.p, frame.label.n, frame.label.n},
                                      {frame.file.p, frame.file.n, frame.file.n}};
        struct method_text *m = &t->all[i];
        m->has_line = frame.line > 0;
        m->line = frame.line;
        m->at = t->bytes.n;
        code = ts_method_text(&t->bytes, ctx, &texts[0], "");
        m->n = t->bytes.n - m->at;
        TS_STEP_IF(code, frame.file.n > 0, method_shared(&m->shared[M_FILE], t, ctx, &texts[1]));
    }
    return code;
}

/* Reads the methods in the order of their ids, in which they are near each other. */
static ts_code methods_read(method_texts *t, ts_view_call *call, const ts_method_list *l,
                            const ts_paths *paths)
{
    static const unsigned columns[] = {TS_C_stack_method__name,    TS_C_stack_method__class,
                                       TS_C_stack_method__package, TS_C_stack_method__file,
                                       TS_C_stack_method__library, TS_C_stack_method__line};
    const ts_rows_from from = ts_view_rows(call);
    ts_rows *rows = NULL;
    const ts_batch *b;
    TS_NEED(from.ctx, t->all = ts_zalloc(from.ctx, l->methods.n, sizeof *t->all));
    for (size_t i = 0; i < l->methods.n; i++) {
        memset(t->all[i].shared, 0xff, sizeof t->all[i].shared); /* TS_NO_INDEX */
    }
    if (paths->frames != NULL) {
        return methods_frames(t, from.ctx, l, paths->frames);
    }
    ts_code code = ts_rows_open(&rows, &from, TS_T_stack_method, columns, 6);
    for (uint32_t i = 0; code == TS_OK && i < paths->methods.count; i++) {
        if (l->number[i] == TS_NO_INDEX) {
            continue;
        }
        code = ts_rows_one(&b, rows, ts_ids_at(&paths->methods, i));
        TS_STEP_IF(code, b->rows == 1, method_read(t, from.ctx, l->number[i], b));
    }
    ts_rows_close(rows);
    return code;
}

static void methods_names(ts_jout *out, const method_texts *t, size_t count)
{
    ts_jout_open(out, "name", '[');
    for (size_t i = 0; i < count; i++) {
        ts_jout_text(out, NULL, (ts_text){ts_buf_text(&t->bytes).p + t->all[i].at, t->all[i].n});
    }
    ts_jout_close(out, ']');
}

static void methods_shared(ts_jout *out, const method_texts *t, size_t count)
{
    static const char *const names[M_SHARED] = {"file", "package", "library"};
    for (unsigned column = 0; column < M_SHARED; column++) {
        ts_jout_open(out, names[column], '[');
        for (size_t i = 0; i < count; i++) {
            uint32_t place = t->all[i].shared[column];
            ts_jout_int(out, NULL, place == TS_NO_INDEX ? -1 : (int64_t)place);
        }
        ts_jout_close(out, ']');
    }
    ts_jout_open(out, "texts", '[');
    for (uint32_t i = 0; i < t->shared.count; i++) {
        ts_jout_text(out, NULL, ts_pool_text(&t->shared, i));
    }
    ts_jout_close(out, ']');
}

static void methods_lines(ts_jout *out, const method_texts *t, size_t count)
{
    ts_jout_open(out, "line", '[');
    for (size_t i = 0; i < count; i++) {
        if (t->all[i].has_line) {
            ts_jout_int(out, NULL, t->all[i].line);
        } else {
            ts_jout_null(out, NULL);
        }
    }
    ts_jout_close(out, ']');
}

ts_code ts_method_list_write(ts_view_call *call, const char *key, const ts_method_list *l,
                             const ts_paths *paths)
{
    ts_ctx *ctx = ts_view_ctx(call);
    const uint32_t *methods = l->methods.p;
    size_t n = l->methods.n;
    method_texts t = {.demangle = l->demangle};
    ts_code code = methods_read(&t, call, l, paths);
    if (code == TS_OK) {
        ts_jout_open(call->out, key, '{');
        ts_jout_open(call->out, "id", '[');
        for (size_t i = 0; i < n; i++) {
            ts_jout_int(call->out, NULL, ts_ids_at(&paths->methods, methods[i]));
        }
        ts_jout_close(call->out, ']');
        methods_names(call->out, &t, n);
        methods_lines(call->out, &t, n);
        methods_shared(call->out, &t, n);
        ts_jout_close(call->out, '}');
    }
    ts_buf_free(ctx, &t.bytes);
    ts_buf_free(ctx, &t.scratch);
    ts_buf_free(ctx, &t.written);
    ts_pool_free(ctx, &t.shared);
    ts_free(ctx, t.all);
    return code;
}

static void write_sum(ts_jout *out, ts_wide sum, bool *capped)
{
    ts_jout_int(out, NULL, ts_wide_cap(sum, capped));
}

static ts_code write_methods(ts_view_call *call, const ts_tree *t, const ts_shown_tree *s,
                             ts_method_list *methods)
{
    ts_ctx *ctx = ts_view_ctx(call);
    ts_code code = TS_OK;
    ts_jout_open(call->out, "method", '[');
    for (uint32_t i = 0; code == TS_OK && i < s->n; i++) {
        uint32_t number;
        code = ts_method_list_add(&number, ctx, methods, t->method[s->order[i]]);
        ts_jout_int(call->out, NULL, number == TS_NO_INDEX ? -1 : (int64_t)number);
    }
    ts_jout_close(call->out, ']');
    return code;
}

/* Ids of call paths, and the places of those that are not stable. */
static ts_code write_path_ids(ts_view_call *call, const ts_tree *t, const ts_shown_tree *s)
{
    ts_ctx *ctx = ts_view_ctx(call);
    uint64_t *ids = ts_alloc(ctx, s->n, sizeof *ids);
    bool *moved = ts_alloc(ctx, s->n, sizeof *moved);
    ts_code code = ids == NULL || moved == NULL ? ctx->error.code : TS_OK;
    for (uint32_t i = 0; code == TS_OK && i < s->n; i++) {
        ids[i] = t->path_id[s->order[i]];
    }
    TS_STEP(code, ts_path_ids_part(ids, moved, ctx, s->n));
    if (code == TS_OK) {
        ts_jout_open(call->out, "path", '[');
        for (uint32_t i = 0; i < s->n; i++) {
            ts_path_id_put(call->out, NULL, ids[i]);
        }
        ts_jout_close(call->out, ']');
        ts_jout_open(call->out, "unstable", '[');
        for (uint32_t i = 0; i < s->n; i++) {
            if (moved[i]) {
                ts_jout_uint(call->out, NULL, i);
            }
        }
        ts_jout_close(call->out, ']');
    }
    ts_free(ctx, ids);
    ts_free(ctx, moved);
    return code;
}

static void write_ids(ts_jout *out, const ts_tree *t, const ts_shown_tree *s)
{
    ts_jout_open(out, "id", '[');
    for (uint32_t i = 0; i < s->n; i++) {
        ts_jout_int(out, NULL, ts_tree_id(t, s->order[i]));
    }
    ts_jout_close(out, ']');
    if (t->leaf_of != NULL) {
        ts_jout_open(out, "leaf", '[');
        for (uint32_t i = 0; i < s->n; i++) {
            ts_jout_int(out, NULL, ts_ids_at(t->nodes, t->leaf_of[s->order[i]]));
        }
        ts_jout_close(out, ']');
    }
    ts_jout_open(out, "parent", '[');
    for (uint32_t i = 0; i < s->n; i++) {
        uint32_t parent = t->parent[s->order[i]];
        ts_jout_int(out, NULL,
                    parent == TS_NO_INDEX || s->number[parent] == TS_NO_INDEX
                        ? -1
                        : (int64_t)s->number[parent]);
    }
    ts_jout_close(out, ']');
    if (t->line == NULL) {
        return;
    }
    ts_jout_open(out, "line", '[');
    for (uint32_t i = 0; i < s->n; i++) {
        int32_t line = t->line[s->order[i]];
        if (line == TS_PATH_NO_LINE) {
            ts_jout_null(out, NULL);
        } else {
            ts_jout_int(out, NULL, line);
        }
    }
    ts_jout_close(out, ']');
}

static void write_weights(ts_jout *out, const ts_tree *t, const ts_shown_tree *s, bool *capped)
{
    ts_jout_open(out, "self", '[');
    for (uint32_t i = 0; i < s->n; i++) {
        write_sum(out, t->self[s->order[i]], capped);
    }
    ts_jout_close(out, ']');
    ts_jout_open(out, "totals", '[');
    for (uint32_t i = 0; i < s->n; i++) {
        write_sum(out, t->total[s->order[i]], capped);
    }
    ts_jout_close(out, ']');
    ts_jout_open(out, "counts", '[');
    for (uint32_t i = 0; i < s->n; i++) {
        ts_jout_uint(out, NULL, t->count[s->order[i]]);
    }
    ts_jout_close(out, ']');
}

/* What is left out, below the shown nodes in their order, of the roots last. */
static void write_rest(ts_jout *out, const ts_tree *t, const ts_shown_tree *s, bool *capped)
{
    ts_jout_open(out, "rest", '{');
    for (unsigned column = 0; column < 3; column++) {
        static const char *const names[] = {"parent", "n", "total"};
        ts_jout_open(out, names[column], '[');
        for (uint32_t i = 0; i <= s->n; i++) {
            uint32_t at = i < s->n ? s->order[i] : t->n;
            if (s->rest_count[at] == 0) {
                continue;
            }
            if (column == 0) {
                ts_jout_int(out, NULL, i < s->n ? (int64_t)i : -1);
            } else if (column == 1) {
                ts_jout_uint(out, NULL, s->rest_count[at]);
            } else {
                write_sum(out, s->rest_total[at], capped);
            }
        }
        ts_jout_close(out, ']');
    }
    ts_jout_close(out, '}');
}

ts_code ts_tree_write(ts_view_call *call, const ts_tree *t, const ts_shown_tree *s,
                      ts_method_list *methods)
{
    ts_jout *out = call->out;
    bool capped = false;
    ts_jout_int(out, "total", ts_wide_cap(s->total, &capped));
    ts_jout_uint(out, "count", s->count);
    write_ids(out, t, s);
    ts_code code = write_path_ids(call, t, s);
    TS_STEP(code, write_methods(call, t, s, methods));
    write_weights(out, t, s, &capped);
    write_rest(out, t, s, &capped);
    ts_jout_bool(out, "capped", capped);
    return code;
}
