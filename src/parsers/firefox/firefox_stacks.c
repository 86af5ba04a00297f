/* Stacks as call paths: methods of frames, nodes of stacks that samples have. */
#include "parsers/firefox/firefox.h"

static const char other[] = "Other";

/* --- methods -----------------------------------------------------------------------------------
 */

ts_code fox_category_name(ts_text *out, fox *f, int32_t category, int32_t sub)
{
    const fox_category *c;
    ts_text name;
    *out = TS_TEXT_NULL;
    if (category < 0) {
        return TS_OK;
    }
    if ((size_t)category >= f->categories.n) {
        f->n.bad_index++;
        return TS_OK;
    }
    c = (const fox_category *)f->categories.p + category;
    *out = fox_text(f, c->name);
    if (sub < 0) {
        return TS_OK;
    }
    if ((size_t)sub >= c->subs.count) {
        f->n.bad_index += sub == 0 ? 0 : 1; /* without a list there is only the first one */
        return TS_OK;
    }
    name = fox_text(f, ((const fox_name *)f->subs.p)[c->subs.first + (size_t)sub]);
    if (ts_text_is(name, other)) {
        return TS_OK;
    }
    f->scratch.n = 0;
    TS_TRY(ts_buf_put(f->ctx, &f->scratch, out->p, out->n));
    TS_TRY(ts_buf_putc(f->ctx, &f->scratch, '/'));
    TS_TRY(ts_buf_put(f->ctx, &f->scratch, name.p, name.n));
    *out = ts_buf_text(&f->scratch);
    return TS_OK;
}

static const fox_lib *lib_of(fox *f, int32_t number)
{
    const fox_run libs = f->set->libs;
    if (number < 0) {
        return NULL;
    }
    if ((size_t)number >= libs.count) {
        f->n.bad_index++;
        return NULL;
    }
    return (const fox_lib *)f->libs.p + libs.first + number;
}

/* The library whose code is at an address: the last one that begins at it or before, as they are
 * in the order of their beginning. A caller's address is where it returns to, perhaps the end. */
static const fox_lib *lib_at(const fox *f, uint64_t address)
{
    const fox_run libs = f->set->libs;
    const fox_lib *all = libs.count == 0 ? NULL : (const fox_lib *)f->libs.p + libs.first;
    size_t low = 0, high = libs.count;
    while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if ((uint64_t)all[middle].start <= address) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    if (low > 1 && (uint64_t)all[low - 1].start == address &&
        (uint64_t)all[low - 2].end == address) {
        low--; /* it returns to the end of the one before */
    }
    return low > 0 && address <= (uint64_t)all[low - 1].end ? &all[low - 1] : NULL;
}

static ts_code put_method(int64_t *id, fox *f, ts_method *m, int32_t category, int32_t sub)
{
    TS_TRY(fox_category_name(&m->modifiers, f, category, sub));
    return ts_stack_method(id, f->store, f->source_id, m);
}

static ts_code gecko_method(int64_t *id, fox *f, fox_frame *frame, int32_t category, int32_t sub)
{
    ts_text text;
    fox_location at;
    ts_method m = {.name = TS_TEXT_NULL};
    const fox_lib *lib;
    TS_TRY(fox_string(&text, f, frame->func));
    if (text.p == NULL) {
        return put_method(id, f, &m, category, sub);
    }
    fox_locate(&at, text);
    lib = at.has_address ? lib_at(f, at.address) : NULL;
    frame->located = (int32_t)at.frame_line;
    m.name = at.name;
    m.file = at.file;
    m.library = lib != NULL ? fox_text(f, lib->name) : at.library;
    m.has_line = at.line > 0;
    m.line = at.line;
    m.modifiers = at.is_js ? TS_TEXT_LIT("JavaScript") : TS_TEXT_NULL;
    if (category >= 0) {
        return put_method(id, f, &m, category, sub);
    }
    return ts_stack_method(id, f->store, f->source_id, &m);
}

/* Names of functions, files and libraries are texts of which only one is borrowed at a time when
 * they are long: each is kept in f->raw. */
static ts_code keep(ts_text *out, size_t *at, fox *f, int32_t number)
{
    ts_text t;
    TS_TRY(fox_string(&t, f, number));
    *at = f->raw.n;
    *out = t;
    return t.p == NULL ? TS_OK : ts_buf_put(f->ctx, &f->raw, t.p, t.n);
}

static ts_code new_method(int64_t *id, fox *f, const fox_frame *frame, int32_t category,
                          int32_t sub)
{
    const fox_set *set = f->set;
    const fox_func *func = (const fox_func *)set->funcs.p + frame->func;
    const fox_resource *resource = NULL;
    const fox_lib *lib;
    size_t name_at, file_at, library_at;
    ts_method m = {.has_line = func->line > 0, .line = func->line};
    if (func->resource >= 0 && (size_t)func->resource < set->resources.n) {
        resource = (const fox_resource *)set->resources.p + func->resource;
    } else if (func->resource >= 0) {
        f->n.bad_index++;
    }
    f->raw.n = 0;
    TS_TRY(keep(&m.name, &name_at, f, func->name));
    TS_TRY(keep(&m.file, &file_at, f, func->file));
    lib = lib_of(f, frame->lib >= 0 || resource == NULL ? frame->lib : resource->lib);
    if (lib != NULL) {
        m.library = fox_text(f, lib->name);
    } else {
        TS_TRY(keep(&m.library, &library_at, f, resource == NULL ? FOX_NONE : resource->name));
        m.library.p = m.library.p == NULL ? NULL : ts_buf_text(&f->raw).p + library_at;
    }
    m.name.p = m.name.p == NULL ? NULL : ts_buf_text(&f->raw).p + name_at;
    m.file.p = m.file.p == NULL ? NULL : ts_buf_text(&f->raw).p + file_at;
    if (category < 0 && func->is_js) {
        m.modifiers = TS_TEXT_LIT("JavaScript");
        return ts_stack_method(id, f->store, f->source_id, &m);
    }
    return put_method(id, f, &m, category, sub);
}

/* The method of a stack's frame, and the line. method 0: it is not known. */
static ts_code method_of(int64_t *method, int64_t *line, fox *f, const fox_stack *s)
{
    const fox_set *set = f->set;
    const bool by_stack = set->stack_categories;
    fox_frame *frame;
    int32_t category, sub;
    *method = 0;
    *line = TS_NO_LINE;
    if (s->frame < 0 || (size_t)s->frame >= set->frames.n) {
        f->n.bad_index += s->frame < 0 ? 0 : 1;
        return TS_OK;
    }
    frame = (fox_frame *)set->frames.p + s->frame;
    category = by_stack ? s->category : frame->category;
    sub = by_stack ? s->sub : frame->sub;
    if (frame->method != 0 && !by_stack) {
        *method = frame->method;
    } else if (set->gecko) {
        TS_TRY(gecko_method(method, f, frame, category, sub));
    } else if (frame->func >= 0 && (size_t)frame->func < set->funcs.n) {
        TS_TRY(new_method(method, f, frame, category, sub));
    } else {
        f->n.bad_index++;
    }
    frame->method = (uint32_t)*method;
    *line = frame->line > 0 ? frame->line : frame->located > 0 ? frame->located : TS_NO_LINE;
    return TS_OK;
}

/* --- call paths --------------------------------------------------------------------------------
 */

static ts_code make_node(fox *f, int32_t number)
{
    fox_stack *s = (fox_stack *)f->set->stacks.p + number;
    const fox_stack *parent =
        s->prefix < 0 ? NULL : (const fox_stack *)f->set->stacks.p + s->prefix;
    int64_t method, line, node;
    bool added;
    TS_TRY(method_of(&method, &line, f, s));
    TS_TRY(ts_stack_node(&node, &added, f->store, f->source_id, parent == NULL ? 0 : parent->node,
                         method, line, s->depth, NULL));
    s->node = (uint32_t)node;
    return TS_OK;
}

ts_code fox_node(int64_t *node, fox *f, const fox_cell *stack)
{
    const fox_stack *all = f->set->stacks.p;
    int32_t at = fox_index(f, stack, f->set->stacks.n);
    *node = 0;
    if (at < 0 || f->set->stacks_doubted || all[at].depth == FOX_NO_DEPTH) {
        return TS_OK;
    }
    if (all[at].depth >= FOX_DEPTH_MAX) {
        f->n.deep++;
        return TS_OK;
    }
    f->path.n = 0;
    for (int32_t i = at; i >= 0 && all[i].node == 0; i = all[i].prefix) {
        TS_TRY(ts_vec_push(f->ctx, &f->path, &i, sizeof i));
    }
    while (f->path.n > 0) {
        TS_TRY(make_node(f, ((const int32_t *)f->path.p)[--f->path.n]));
    }
    *node = all[at].node;
    return TS_OK;
}
