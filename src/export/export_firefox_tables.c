/*
 * Records are arrays of uint32_t in pools, equal ones once. A cell is a number + 1, and 0 where
 * there is none.
 */
#include "export/export_firefox.h"

#include "base/alloc.h"

enum { NAMED_NAME }; /* of libraries and sources */
enum { FUNC_NAME, FUNC_SOURCE, FUNC_LINE, FUNC_LIBRARY, FUNC_CATEGORY, FUNC_CELLS };
enum { FRAME_FUNC, FRAME_LINE, FRAME_CATEGORY, FRAME_CELLS };

static const struct {
    const char *name, *color;
} categories[] = {{"Other", "grey"},      {"JavaScript", "yellow"}, {"Java", "blue"},
                  {"Native", "blue"},     {"Kernel", "orange"},     {"GC", "magenta"},
                  {"Idle", "transparent"}};

/* --- texts and records ------------------------------------------------------------------------ */

ts_code ts_fire_string(uint32_t *id, ts_fire_tables *t, ts_text text)
{
    text.n = text.n > TS_FIRE_TEXT_MAX ? TS_FIRE_TEXT_MAX : text.n;
    return ts_pool_intern(t->x->ctx, id, NULL, &t->strings, text);
}

/* *cell: the number of the record + 1. */
static ts_code fire_record(uint32_t *cell, ts_fire_tables *t, ts_pool *pool, const uint32_t *record,
                           unsigned cells)
{
    const ts_text key = {(const char *)record, cells * sizeof *record};
    ts_code code = ts_pool_intern(t->x->ctx, cell, NULL, pool, key);
    *cell += 1;
    return code;
}

/* The record of a text alone; an empty one has none. */
static ts_code fire_named(uint32_t *cell, ts_fire_tables *t, ts_pool *pool, ts_text text)
{
    uint32_t name;
    *cell = 0;
    if (text.n == 0) {
        return TS_OK;
    }
    TS_TRY(ts_fire_string(&name, t, text));
    name++;
    return fire_record(cell, t, pool, &name, 1);
}

static uint32_t fire_cell(const ts_pool *pool, uint32_t id, unsigned cell)
{
    uint32_t value;
    memcpy(&value, ts_pool_text(pool, id).p + cell * sizeof value, sizeof value);
    return value;
}

static uint32_t fire_line(int64_t line)
{
    return line > 0 && line < INT32_MAX ? (uint32_t)line + 1 : 0;
}

/* --- methods ---------------------------------------------------------------------------------- */

/* What methods of a source are, unless they say so themselves. */
static ts_fire_category fire_of_language(const ts_upload *up)
{
    static const struct {
        const char *language;
        ts_fire_category category;
    } known[] = {{"java", TS_FIRE_JAVA},        {"nodejs", TS_FIRE_JAVASCRIPT},
                 {"arkts", TS_FIRE_JAVASCRIPT}, {"javascript", TS_FIRE_JAVASCRIPT},
                 {"golang", TS_FIRE_NATIVE},    {"cpp", TS_FIRE_NATIVE},
                 {"c++", TS_FIRE_NATIVE},       {"rust", TS_FIRE_NATIVE}};
    for (size_t i = 0; up != NULL && i < sizeof known / sizeof known[0]; i++) {
        if (ts_text_is(up->texts[TS_UP_LANGUAGE], known[i].language)) {
            return known[i].category;
        }
    }
    return TS_FIRE_OTHER;
}

/* Samplers of the system call the kernel's code [kernel], [kernel.kallsyms], [guest.kernel...], and
 * its modules name.ko. */
static bool fire_is_kernel(ts_text library)
{
    return ts_text_begins(library, "[kernel") || ts_text_begins(library, "[guest.kernel") ||
           ts_text_ends(library, ".ko");
}

static ts_fire_category fire_category(ts_text name, ts_text library, ts_fire_category of_source)
{
    if (ts_text_is(name, "(idle)")) {
        return TS_FIRE_IDLE;
    }
    if (ts_text_is(name, "(garbage collector)")) {
        return TS_FIRE_GC;
    }
    if (ts_text_is(name, "(root)") || ts_text_is(name, "(program)")) {
        return TS_FIRE_OTHER;
    }
    if (fire_is_kernel(library)) {
        return TS_FIRE_KERNEL;
    }
    /* Only code that was compiled is in a library. */
    return of_source == TS_FIRE_OTHER && library.n > 0 ? TS_FIRE_NATIVE : of_source;
}

static ts_code fire_methods(ts_fire_tables *t, const ts_uploads *uploads)
{
    static const unsigned columns[] = {TS_C_stack_method__source_id, TS_C_stack_method__name,
                                       TS_C_stack_method__library};
    const ts_calls *p = &t->x->calls;
    ts_walk rows = ts_walk_of(ts_rows_of(t->x->reader), TS_T_stack_method, columns, 3);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        const int64_t id = ts_walk_id(&rows);
        if (id < 1 || id > p->methods) {
            return ts_rows_changed(p->ctx, "stack_method");
        }
        ts_text library = ts_walk_text(&rows, 2);
        const ts_upload *up = ts_uploads_find(uploads, ts_walk_int(&rows, 0));
        t->category[id] =
            (uint8_t)fire_category(ts_walk_text(&rows, 1), library, fire_of_language(up));
        code = fire_named(&t->library[id], t, &t->libraries, library);
    }
    return code;
}

/* The trees have no rows of methods: allocation stacks are of JavaScript. */
static void fire_methods_of_tree(ts_fire_tables *t)
{
    const ts_calls *p = &t->x->calls;
    for (uint32_t i = 1; !p->is_marks && i <= p->methods; i++) {
        ts_text label = ts_frames_get(&t->x->frames, p->frame[i]).label;
        t->category[i] = (uint8_t)fire_category(label, TS_TEXT_LIT(""), TS_FIRE_JAVASCRIPT);
    }
}

ts_code ts_fire_tables_open(ts_fire_tables *t, ts_parts *x)
{
    const ts_calls *p = &x->calls;
    ts_code code = TS_OK;
    t->x = x;
    if (p->nodes == 0) {
        return TS_OK;
    }
    TS_NEED(x->ctx, t->library = ts_zalloc(x->ctx, (size_t)p->methods + 1, sizeof *t->library));
    TS_NEED(x->ctx, t->category = ts_zalloc(x->ctx, (size_t)p->methods + 1, 1));
    TS_NEED(x->ctx, t->stack = ts_zalloc(x->ctx, (size_t)p->nodes + 1, sizeof *t->stack));
    for (uint32_t i = 1; i <= p->nodes; i++) {
        t->stack[i] = p->used[i] ? ++t->stacks : 0;
    }
    if (p->is_heap) {
        fire_methods_of_tree(t);
        return TS_OK;
    }
    code = ts_uploads_load(&x->uploads, x->ctx, x->reader, false);
    return code != TS_OK ? code : fire_methods(t, &x->uploads);
}

void ts_fire_tables_free(ts_fire_tables *t)
{
    if (t->x == NULL) {
        return;
    }
    ts_pool *const pools[] = {&t->strings, &t->libraries, &t->sources, &t->functions, &t->frames};
    for (size_t i = 0; i < sizeof pools / sizeof pools[0]; i++) {
        ts_pool_free(t->x->ctx, pools[i]);
    }
    ts_free(t->x->ctx, t->library);
    ts_free(t->x->ctx, t->category);
    ts_free(t->x->ctx, t->stack);
}

/* --- writing ---------------------------------------------------------------------------------- */

void ts_fire_put_categories(ts_jout *w)
{
    ts_jout_open(w, "categories", '[');
    for (size_t i = 0; i < sizeof categories / sizeof categories[0]; i++) {
        ts_jout_open(w, NULL, '{');
        ts_jout_str(w, "name", categories[i].name);
        ts_jout_str(w, "color", categories[i].color);
        ts_jout_open(w, "subcategories", '[');
        ts_jout_str(w, NULL, "Other");
        ts_jout_ends(w, "]}");
    }
    ts_jout_close(w, ']');
}

static void fire_value(ts_jout *w, uint32_t cell, const char *none)
{
    if (cell > 0) {
        ts_jout_int(w, NULL, cell - INT64_C(1));
    } else {
        ts_jout_raw(w, NULL, ts_text_of(none));
    }
}

/* A column of a pool's records. none: what is written for a cell without a number. */
static void fire_column(ts_jout *w, const char *key, const ts_pool *pool, unsigned cell,
                        const char *none)
{
    ts_jout_open(w, key, '[');
    for (uint32_t i = 0; i < pool->count && w->code == TS_OK; i++) {
        fire_value(w, fire_cell(pool, i, cell), none);
    }
    ts_jout_close(w, ']');
}

/* A column of one value, for each of the records. */
static void fire_same(ts_jout *w, const char *key, uint32_t n, const char *value)
{
    ts_jout_open(w, key, '[');
    for (uint32_t i = 0; i < n && w->code == TS_OK; i++) {
        ts_jout_raw(w, NULL, ts_text_of(value));
    }
    ts_jout_close(w, ']');
}

static void fire_table(ts_jout *w, const char *key)
{
    ts_jout_next_line(w);
    ts_jout_open(w, key, '{');
}

static void fire_end_table(ts_jout *w, uint32_t n)
{
    ts_jout_int(w, "length", n);
    ts_jout_close(w, '}');
}

/* The number + 1 of a call path's frame. */
static ts_code fire_frame(uint32_t *cell, ts_fire_tables *t, uint32_t node)
{
    const ts_calls *p = &t->x->calls;
    const uint32_t method = p->method[node];
    const ts_frame at = ts_frames_get(&t->x->frames, ts_calls_frame(p, node));
    uint32_t name;
    uint32_t func[FUNC_CELLS] = {[FUNC_LINE] = fire_line(at.line),
                                 [FUNC_LIBRARY] = t->library[method],
                                 [FUNC_CATEGORY] = t->category[method] + UINT32_C(1)};
    uint32_t frame[FRAME_CELLS] = {
        [FRAME_LINE] = fire_line(p->line[node]), [FRAME_CATEGORY] = func[FUNC_CATEGORY]};
    TS_TRY(ts_fire_string(&name, t, at.label));
    func[FUNC_NAME] = name + 1;
    TS_TRY(fire_named(&func[FUNC_SOURCE], t, &t->sources, at.file));
    TS_TRY(fire_record(&frame[FRAME_FUNC], t, &t->functions, func, FUNC_CELLS));
    return fire_record(cell, t, &t->frames, frame, FRAME_CELLS);
}

static ts_code fire_put_stacks(ts_jout *w, ts_fire_tables *t)
{
    const ts_calls *p = &t->x->calls;
    fire_table(w, "stackTable");
    ts_jout_open(w, "frame", '[');
    for (uint32_t i = 1; i <= p->nodes && w->code == TS_OK; i++) {
        uint32_t frame;
        if (t->stack[i] > 0) {
            TS_TRY(fire_frame(&frame, t, i));
            fire_value(w, frame, "null");
        }
    }
    ts_jout_close(w, ']');
    ts_jout_open(w, "prefix", '[');
    for (uint32_t i = 1; i <= p->nodes && w->code == TS_OK; i++) {
        if (t->stack[i] > 0) {
            fire_value(w, p->parent[i] == 0 ? 0 : t->stack[p->parent[i]], "null");
        }
    }
    ts_jout_close(w, ']');
    fire_end_table(w, t->stacks);
    return w->code;
}

static void fire_put_frames(ts_jout *w, const ts_pool *frames)
{
    fire_table(w, "frameTable");
    fire_same(w, "address", frames->count, "-1");
    fire_same(w, "inlineDepth", frames->count, "0");
    fire_column(w, "category", frames, FRAME_CATEGORY, "0");
    fire_same(w, "subcategory", frames->count, "0");
    fire_column(w, "func", frames, FRAME_FUNC, "0");
    fire_same(w, "nativeSymbol", frames->count, "null");
    fire_same(w, "innerWindowID", frames->count, "0");
    fire_column(w, "line", frames, FRAME_LINE, "null");
    fire_same(w, "column", frames->count, "null");
    fire_end_table(w, frames->count);
}

static void fire_put_functions(ts_jout *w, const ts_pool *functions)
{
    fire_table(w, "funcTable");
    fire_column(w, "name", functions, FUNC_NAME, "0");
    ts_jout_open(w, "isJS", '[');
    for (uint32_t i = 0; i < functions->count && w->code == TS_OK; i++) {
        ts_jout_bool(w, NULL, fire_cell(functions, i, FUNC_CATEGORY) == TS_FIRE_JAVASCRIPT + 1);
    }
    ts_jout_close(w, ']');
    fire_same(w, "relevantForJS", functions->count, "false");
    fire_column(w, "resource", functions, FUNC_LIBRARY, "-1");
    fire_column(w, "source", functions, FUNC_SOURCE, "null");
    fire_column(w, "lineNumber", functions, FUNC_LINE, "null");
    fire_same(w, "columnNumber", functions->count, "null");
    fire_end_table(w, functions->count);
}

static void fire_put_names(ts_jout *w, const ts_fire_tables *t)
{
    fire_table(w, "resourceTable");
    fire_same(w, "lib", t->libraries.count, "null");
    fire_column(w, "name", &t->libraries, NAMED_NAME, "0");
    fire_same(w, "host", t->libraries.count, "null");
    fire_same(w, "type", t->libraries.count, "1"); /* a library */
    fire_end_table(w, t->libraries.count);
    fire_table(w, "nativeSymbols");
    fire_same(w, "libIndex", 0, "null");
    fire_same(w, "address", 0, "null");
    fire_same(w, "name", 0, "null");
    fire_same(w, "functionSize", 0, "null");
    fire_end_table(w, 0);
    fire_table(w, "sources");
    fire_same(w, "uuid", t->sources.count, "null");
    fire_column(w, "filename", &t->sources, NAMED_NAME, "0");
    fire_end_table(w, t->sources.count);
}

ts_code ts_fire_put_tables(ts_jout *w, ts_fire_tables *t)
{
    ts_jout_next_line(w);
    ts_jout_open(w, "shared", '{');
    TS_TRY(fire_put_stacks(w, t));
    fire_put_frames(w, &t->frames);
    fire_put_functions(w, &t->functions);
    fire_put_names(w, t);
    ts_jout_next_line(w);
    ts_jout_open(w, "stringArray", '[');
    for (uint32_t i = 0; i < t->strings.count && w->code == TS_OK; i++) {
        ts_jout_text(w, NULL, ts_pool_text(&t->strings, i));
    }
    ts_jout_ends(w, "]}");
    return w->code;
}
