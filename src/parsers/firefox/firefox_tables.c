/* Tables that are asked by number: texts, stacks, frames, functions, resources, sources. */
#include "parsers/firefox/firefox.h"

/* Bits of frameTable.flags and funcTable.flags: the column holds something. */
enum { FRAME_HAS_LIB = 2, FRAME_HAS_CATEGORY = 4, FRAME_HAS_LINE = 16 };
enum { FUNC_IS_JS = 1, FUNC_HAS_RESOURCE = 4, FUNC_HAS_SOURCE = 8, FUNC_HAS_LINE = 16 };

/* --- numbers -----------------------------------------------------------------------------------
 */

int32_t fox_index(fox *f, const fox_cell *c, size_t n)
{
    if (c->tag == FOX_NULL || (c->tag == FOX_INT && c->i == -1)) {
        return FOX_NONE;
    }
    if (c->tag != FOX_INT || c->i < 0 || (uint64_t)c->i >= n || c->i >= INT32_MAX) {
        f->n.bad_index++;
        return FOX_NONE;
    }
    return (int32_t)c->i;
}

/* The number of an element of a table that may not have been read yet. */
static int32_t any_index(fox *f, const fox_cell *c)
{
    return fox_index(f, c, INT32_MAX);
}

static int32_t text_index(fox *f, fox_set *set, const fox_cell *c)
{
    const int32_t number = any_index(f, c);
    set->last_text = number > set->last_text ? number : set->last_text;
    return number;
}

static int32_t line_of(fox *f, const fox_cell *c)
{
    if (c->tag == FOX_INT && c->i >= 0 && c->i <= INT32_MAX) {
        return (int32_t)c->i;
    }
    f->n.bad_numbers += c->tag == FOX_NULL || (c->tag == FOX_INT && c->i == -1) ? 0 : 1;
    return 0;
}

static int64_t flags_of(const fox_rows *r, unsigned column)
{
    const fox_cell *c = fox_rows_cell(r, column);
    return !fox_rows_has(r, column) ? INT64_MAX : c->tag == FOX_INT ? c->i : 0;
}

/* --- texts -------------------------------------------------------------------------------------
 */

static ts_code add_string(fox *f, fox_set *set, const fox_cell *c)
{
    fox_stored s = {.at = (uint64_t)c->i, .n = (uint32_t)c->part, .known = c->tag == FOX_TEXT};
    size_t got;
    if (s.known && s.n <= FOX_TEXT_HELD) {
        s.held = true;
        s.at = set->bytes.n;
        TS_TRY(ts_buf_reserve(f->ctx, &set->bytes, (size_t)s.n + 1));
        TS_TRY(ts_spool_read(&got, f->texts, (uint64_t)c->i, set->bytes.p + set->bytes.n, s.n));
        set->bytes.n += got;
    }
    return ts_vec_push(f->ctx, &set->strings, &s, sizeof s);
}

ts_code fox_string(ts_text *out, fox *f, int32_t number)
{
    const fox_set *set = f->set->has_strings ? f->set : &f->common;
    const fox_stored *s;
    *out = TS_TEXT_NULL;
    if (number < 0) {
        return TS_OK;
    }
    if ((size_t)number >= set->strings.n || f->set->doubted) {
        f->n.bad_index++;
        return TS_OK;
    }
    s = (const fox_stored *)set->strings.p + number;
    if (!s->known) {
        f->n.bad_index++;
        return TS_OK;
    }
    if (s->held) {
        *out = (ts_text){s->n == 0 ? "" : set->bytes.p + s->at, s->n};
        return TS_OK;
    }
    TS_TRY(fox_bytes(f, &f->text, &(fox_cell){.i = (int64_t)s->at, .part = (int64_t)s->n}));
    *out = ts_buf_text(&f->text);
    return TS_OK;
}

ts_code fox_string_at(ts_text *out, fox *f, const fox_cell *c)
{
    *out = TS_TEXT_NULL;
    if (c->tag == FOX_TEXT) { /* the text itself */
        TS_TRY(fox_bytes(f, &f->text, c));
        *out = ts_buf_text(&f->text);
        return TS_OK;
    }
    return fox_string(out, f, any_index(f, c));
}

/* --- rows --------------------------------------------------------------------------------------
 */

typedef ts_code take_row(fox *f, fox_set *set, const fox_rows *r);

static ts_code take_string(fox *f, fox_set *set, const fox_rows *r)
{
    return add_string(f, set, fox_rows_cell(r, 0));
}

static ts_code take_stack(fox *f, fox_set *set, const fox_rows *r)
{
    const fox_cell *offset = fox_rows_cell(r, 2);
    const int64_t at = (int64_t)set->stacks.n;
    fox_stack s = {
        .frame = any_index(f, fox_rows_cell(r, 0)),
        .prefix = FOX_NONE,
        .category = any_index(f, fox_rows_cell(r, 3)),
        .sub = any_index(f, fox_rows_cell(r, 4)),
    };
    if (offset->tag == FOX_INT && offset->i >= 0 && offset->i <= at) {
        s.prefix = offset->i == 0 ? FOX_NONE : (int32_t)(at - offset->i);
    } else if (offset->tag != FOX_NULL) {
        s.depth = FOX_NO_DEPTH;
    } else {
        const fox_cell *prefix = fox_rows_cell(r, 1);
        const bool none = prefix->tag == FOX_NULL || (prefix->tag == FOX_INT && prefix->i == -1);
        if (prefix->tag == FOX_INT && prefix->i >= 0 && prefix->i < at) {
            s.prefix = (int32_t)prefix->i;
        } else if (!none) { /* it may not be before its caller */
            s.depth = FOX_NO_DEPTH;
        }
    }
    f->n.bad_stack += s.depth == FOX_NO_DEPTH ? 1 : 0;
    if (s.prefix >= 0) {
        const uint32_t depth = ((const fox_stack *)set->stacks.p)[s.prefix].depth;
        s.depth = depth == FOX_NO_DEPTH ? depth : depth + 1;
    }
    return ts_vec_push(f->ctx, &set->stacks, &s, sizeof s);
}

enum { FRAME_FUNC, FRAME_LIB, FRAME_LINE, FRAME_CATEGORY, FRAME_SUB, FRAME_FLAGS, FRAME_LOCATION };

static ts_code take_frame(fox *f, fox_set *set, const fox_rows *r)
{
    const int64_t flags = flags_of(r, FRAME_FLAGS);
    const bool has_category = (flags & FRAME_HAS_CATEGORY) != 0;
    fox_frame frame = {
        .func = set->gecko ? text_index(f, set, fox_rows_cell(r, FRAME_LOCATION))
                           : any_index(f, fox_rows_cell(r, FRAME_FUNC)),
        .lib = (flags & FRAME_HAS_LIB) != 0 ? any_index(f, fox_rows_cell(r, FRAME_LIB)) : FOX_NONE,
        .line = (flags & FRAME_HAS_LINE) != 0 ? line_of(f, fox_rows_cell(r, FRAME_LINE)) : 0,
        .category = has_category ? any_index(f, fox_rows_cell(r, FRAME_CATEGORY)) : FOX_NONE,
        .sub = has_category ? any_index(f, fox_rows_cell(r, FRAME_SUB)) : FOX_NONE,
    };
    return ts_vec_push(f->ctx, &set->frames, &frame, sizeof frame);
}

enum { FUNC_NAME, FUNC_JS, FUNC_RESOURCE, FUNC_SOURCE, FUNC_FILE, FUNC_LINE, FUNC_FLAGS };

static ts_code take_func(fox *f, fox_set *set, const fox_rows *r)
{
    const int64_t flags = flags_of(r, FUNC_FLAGS);
    const ts_vec *sources = set->has_sources ? &set->sources : &f->common.sources;
    fox_func func = {
        .name = text_index(f, set, fox_rows_cell(r, FUNC_NAME)),
        .resource = (flags & FUNC_HAS_RESOURCE) != 0 ? any_index(f, fox_rows_cell(r, FUNC_RESOURCE))
                                                     : FOX_NONE,
        .line = (flags & FUNC_HAS_LINE) != 0 ? line_of(f, fox_rows_cell(r, FUNC_LINE)) : 0,
        .is_js = flags == INT64_MAX ? fox_rows_cell(r, FUNC_JS)->tag == FOX_TRUE
                                    : (flags & FUNC_IS_JS) != 0,
    };
    func.file = FOX_NONE;
    if (!fox_rows_has(r, FUNC_SOURCE)) {
        func.file = text_index(f, set, fox_rows_cell(r, FUNC_FILE));
    } else if ((flags & FUNC_HAS_SOURCE) != 0) {
        const int32_t source = fox_index(f, fox_rows_cell(r, FUNC_SOURCE), sources->n);
        func.file = source < 0 ? FOX_NONE : ((const int32_t *)sources->p)[source];
    }
    return ts_vec_push(f->ctx, &set->funcs, &func, sizeof func);
}

static ts_code take_resource(fox *f, fox_set *set, const fox_rows *r)
{
    const fox_resource x = {text_index(f, set, fox_rows_cell(r, 0)),
                            any_index(f, fox_rows_cell(r, 1))};
    return ts_vec_push(f->ctx, &set->resources, &x, sizeof x);
}

static ts_code take_source(fox *f, fox_set *set, const fox_rows *r)
{
    const int32_t name = text_index(f, set, fox_rows_cell(r, 0));
    return ts_vec_push(f->ctx, &set->sources, &name, sizeof name);
}

/* --- loading -----------------------------------------------------------------------------------
 */

/* In this order: functions need sources. need: a column, or another one, that must be there. */
static const struct {
    fox_kind kind;
    unsigned count, need[2];
    fox_column_id columns[FOX_COLUMNS];
    take_row *take;
} loads[] = {
    {FOX_T_STRINGS, 1, {0, 0}, {FOX_C_NAME}, take_string},
    {FOX_T_SOURCES, 1, {0, 0}, {FOX_C_FILENAME}, take_source},
    {FOX_T_STACKS,
     5,
     {1, 2},
     {FOX_C_FRAME, FOX_C_PREFIX, FOX_C_PREFIX_OFFSET, FOX_C_CATEGORY, FOX_C_SUBCATEGORY},
     take_stack},
    {FOX_T_FRAMES,
     7,
     {FRAME_FUNC, FRAME_LOCATION},
     {FOX_C_FUNC, FOX_C_LIB, FOX_C_LINE, FOX_C_CATEGORY, FOX_C_SUBCATEGORY, FOX_C_FLAGS,
      FOX_C_LOCATION},
     take_frame},
    {FOX_T_FUNCS,
     7,
     {FUNC_NAME, FUNC_NAME},
     {FOX_C_NAME, FOX_C_IS_JS, FOX_C_RESOURCE, FOX_C_SOURCE, FOX_C_FILE_NAME, FOX_C_LINE_NUMBER,
      FOX_C_FLAGS},
     take_func},
    {FOX_T_RESOURCES, 2, {0, 0}, {FOX_C_NAME, FOX_C_LIB}, take_resource},
};

static ts_code load(fox *f, fox_set *set, const fox_table *t, unsigned i)
{
    fox_rows *r = NULL;
    ts_code code = fox_rows_open(&r, f, t, loads[i].columns, loads[i].count);
    if (code == TS_OK) {
        fox_rows_need(r, loads[i].need[0], loads[i].need[1]);
    }
    if (code == TS_OK && t->kind == FOX_T_FRAMES) {
        set->gecko = fox_rows_has(r, FRAME_LOCATION);
    }
    if (code == TS_OK && t->kind == FOX_T_STACKS) {
        set->stack_categories = fox_rows_has(r, 3);
        set->has_stacks = true;
        set->stacks_doubted = !fox_rows_trusted(r, 1) && !fox_rows_trusted(r, 2);
    }
    set->has_strings = set->has_strings || t->kind == FOX_T_STRINGS;
    set->has_sources = set->has_sources || t->kind == FOX_T_SOURCES;
    if (code == TS_OK && fox_rows_count(r) >= INT32_MAX) {
        code = ts_fail(f->ctx, TS_ERR_LIMIT, "%s has a table of 2^31 rows or more", f->job->name);
    }
    while (fox_rows_next(&code, r)) {
        code = loads[i].take(f, set, r);
    }
    fox_rows_free(r);
    return code;
}

/* Just after the end of the list: where a text is when others before it were removed. */
static void doubt_texts(const fox *f, fox_set *set)
{
    const int64_t n = (int64_t)(set->has_strings ? set : &f->common)->strings.n;
    set->doubted = set->last_text >= n && set->last_text - n < n;
}

ts_code fox_set_load(fox *f, fox_set *set, fox_run tables)
{
    set->last_text = FOX_NONE;
    for (unsigned i = 0; i < sizeof loads / sizeof loads[0]; i++) {
        const fox_table *t = fox_table_of(f, tables, loads[i].kind);
        if (t != NULL) {
            TS_TRY(load(f, set, t, i));
        }
    }
    doubt_texts(f, set);
    return TS_OK;
}

void fox_set_free(fox *f, fox_set *set)
{
    ts_vec *const vecs[] = {&set->strings, &set->stacks,    &set->frames,
                            &set->funcs,   &set->resources, &set->sources};
    for (size_t i = 0; i < sizeof vecs / sizeof vecs[0]; i++) {
        ts_vec_free(f->ctx, vecs[i]);
    }
    ts_buf_free(f->ctx, &set->bytes);
    *set = (fox_set){.gecko = false};
}
