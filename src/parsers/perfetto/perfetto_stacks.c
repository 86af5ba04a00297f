/*
 * Call stacks. Mappings, frames and stacks are interned entries that refer to others; what they
 * refer to is resolved when they come, and equal ones are one: a stack is the number of its
 * innermost call, a call is a frame and its caller. Rows are made of those that samples or events
 * have, when the whole trace was read: names of frames may be sent at its end (ModuleSymbols).
 */
#include "parsers/perfetto/perfetto.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

/* Texts; PERFETTO_NONE: none. These three are kept as bytes: no padding. */
typedef struct mapping {
    uint32_t path, build_id;
} mapping;

typedef struct stack_frame {
    uint64_t pc; /* in the mapping */
    mapping in;
    uint32_t function, source, line, has_pc;
} stack_frame;

typedef struct call {
    uint32_t caller; /* number + 1; 0: none */
    uint32_t frame;  /* PERFETTO_NONE: not known */
} call;

typedef struct symbol_key {
    uint64_t pc;
    mapping in;
} symbol_key;

/* Functions that are inlined into each other at an address, innermost first. */
typedef struct symbol {
    uint32_t first, count; /* of symbol_lines */
} symbol;

typedef struct symbol_line {
    uint32_t function, source, line;
} symbol_line;

/* The rows of a call. */
typedef struct call_node {
    int64_t node, depth;
} call_node;

static ts_code pool_struct(uint32_t *number, perfetto *p, ts_pool *pool, const void *x, size_t n)
{
    return ts_pool_intern(p->ctx, number, NULL, pool, (ts_text){x, n});
}

static void struct_of(void *x, const ts_pool *pool, uint32_t number, size_t n)
{
    memcpy(x, ts_pool_text(pool, number).p, n);
}

/* --- entries --------------------------------------------------------------------------------- */

/* What an entry refers to, in a dump of a heap or of the sequence. 0 is none. */
static uint32_t entry_of(perfetto *p, uint32_t of_heap, perfetto_interned kind, uint64_t iid)
{
    uint32_t in_heap = kind >= INTERNED_MAPPING ? (uint32_t)kind : (uint32_t)INTERNED_FUNCTION;
    uint32_t found;
    if (iid == 0) {
        return PERFETTO_NONE;
    }
    if (of_heap != 0 && perfetto_interned_look(&found, p, INTERNED_OF_HEAP | in_heap, iid)) {
        return found;
    }
    return perfetto_interned_find(p, kind, iid);
}

/* Bytes that are a text. */
static ts_code text_of_entry(uint32_t *text, perfetto *p, uint32_t of_heap, perfetto_interned kind,
                             uint64_t iid)
{
    ts_wire_field f = {.type = TS_WIRE_BYTES};
    uint32_t bytes = entry_of(p, of_heap, kind, iid);
    *text = PERFETTO_NONE;
    if (bytes == PERFETTO_NONE || perfetto_text(p, bytes).n == 0) {
        return TS_OK;
    }
    f.p = (const uint8_t *)perfetto_text(p, bytes).p;
    f.n = perfetto_text(p, bytes).n;
    return perfetto_text_of(text, p, &f);
}

/* A part of a path, in p->scratch. */
static ts_code add_part(perfetto *p, uint32_t of_heap, uint64_t iid)
{
    uint32_t bytes = entry_of(p, of_heap, INTERNED_PATH, iid);
    ts_text part = bytes == PERFETTO_NONE ? TS_TEXT_LIT("") : perfetto_text(p, bytes);
    if (p->scratch.n > PERFETTO_TEXT_MAX) {
        return TS_OK;
    }
    if (p->scratch.n > 0 || part.n == 0 || part.p[0] != '/') {
        TS_TRY(ts_buf_putc(p->ctx, &p->scratch, '/'));
    }
    return ts_buf_put(p->ctx, &p->scratch, part.p, part.n);
}

static ts_code add_parts(perfetto *p, uint32_t of_heap, const ts_wire_field *f, bool *good)
{
    ts_wire w;
    uint64_t iid;
    ts_code code = TS_OK;
    if (f->type == TS_WIRE_VARINT) {
        return add_part(p, of_heap, f->value);
    }
    ts_wire_init(&w, f->p, f->n);
    while (code == TS_OK && ts_wire_packed(&iid, &w)) {
        code = add_part(p, of_heap, iid);
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

/* The text of the path in p->scratch. A few bytes may make a long one of parts: all together are
 * bounded. */
static ts_code path_text(uint32_t *path, perfetto *p)
{
    uint32_t before = p->texts.count;
    const ts_wire_field f = {
        .type = TS_WIRE_BYTES, .p = (const uint8_t *)p->scratch.p, .n = p->scratch.n};
    if (p->path_bytes > PERFETTO_PATHS) {
        p->n.texts_cut++;
        return TS_OK;
    }
    TS_TRY(perfetto_text_of(path, p, &f));
    p->path_bytes += p->texts.count > before ? f.n : 0;
    return TS_OK;
}

ts_code perfetto_mapping(perfetto *p, uint32_t of_heap, const ts_wire_field *message, bool *good)
{
    enum { IID = 1, BUILD_ID, PATH = 7, NUMBERS };
    uint64_t v[NUMBERS];
    mapping m = {PERFETTO_NONE, PERFETTO_NONE};
    uint32_t number;
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    (void)perfetto_numbers(v, NUMBERS, message, good);
    p->scratch.n = 0;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && *good && ts_wire_next(&f, &w)) {
        if (f.number == PATH) {
            code = add_parts(p, of_heap, &f, good);
        }
    }
    if (code != TS_OK || !*good) {
        return code;
    }
    m.build_id = entry_of(p, of_heap, INTERNED_BUILD_ID, v[BUILD_ID]);
    if (p->scratch.n > 0) {
        TS_TRY_INTO(code, path_text(&m.path, p));
    }
    TS_TRY_INTO(code, pool_struct(&number, p, &p->mappings, &m, sizeof m));
    return perfetto_interned_put(p, of_heap | INTERNED_MAPPING, v[IID], number);
}

ts_code perfetto_frame_of(perfetto *p, uint32_t of_heap, const ts_wire_field *message, bool *good)
{
    enum { IID = 1, FUNCTION, MAPPING, PC, SOURCE, LINE, NUMBERS };
    uint64_t v[NUMBERS];
    uint64_t there = perfetto_numbers(v, NUMBERS, message, good);
    stack_frame x = {.pc = v[PC],
                     .in = {PERFETTO_NONE, PERFETTO_NONE},
                     .has_pc = (uint32_t)(there >> PC & 1),
                     .line = v[LINE] > INT32_MAX ? 0 : (uint32_t)v[LINE]};
    uint32_t in;
    uint32_t number;
    if (!*good) {
        return TS_OK;
    }
    in = entry_of(p, of_heap, INTERNED_MAPPING, v[MAPPING]);
    if (in != PERFETTO_NONE) {
        struct_of(&x.in, &p->mappings, in, sizeof x.in);
    }
    TS_TRY(text_of_entry(&x.function, p, of_heap, INTERNED_FUNCTION, v[FUNCTION]));
    TS_TRY(text_of_entry(&x.source, p, of_heap, INTERNED_SOURCE, v[SOURCE]));
    TS_TRY(pool_struct(&number, p, &p->frames, &x, sizeof x));
    return perfetto_interned_put(p, of_heap | INTERNED_FRAME, v[IID], number);
}

/* The frame of a stack; none is no frame. */
static uint32_t frame_entry(perfetto *p, uint32_t of_heap, uint64_t iid)
{
    if (iid == 0) {
        perfetto_interned_missing(p);
    }
    return entry_of(p, of_heap, INTERNED_FRAME, iid);
}

/* One more call of a stack, inside of *last. */
static ts_code add_call(uint32_t *last, perfetto *p, uint32_t frame)
{
    const call c = {*last, frame};
    uint32_t number;
    TS_TRY(pool_struct(&number, p, &p->calls, &c, sizeof c));
    *last = number + 1;
    return TS_OK;
}

ts_code perfetto_stack(perfetto *p, uint32_t of_heap, const ts_wire_field *message, bool *good)
{
    enum { IID = 1, FRAMES, NUMBERS };
    uint64_t v[NUMBERS];
    uint64_t iid;
    uint32_t last = 0;
    ts_wire w;
    ts_wire inner;
    ts_wire_field f;
    ts_code code = TS_OK;
    (void)perfetto_numbers(v, NUMBERS, message, good);
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && *good && ts_wire_next(&f, &w)) {
        if (f.number != FRAMES) {
            continue;
        }
        if (f.type != TS_WIRE_BYTES) {
            code = add_call(&last, p, frame_entry(p, of_heap, f.value));
            continue;
        }
        ts_wire_init(&inner, f.p, f.n);
        while (code == TS_OK && ts_wire_packed(&iid, &inner)) {
            code = add_call(&last, p, frame_entry(p, of_heap, iid));
        }
        *good = *good && inner.fault == TS_WIRE_OK;
    }
    if (code != TS_OK || !*good) {
        return code;
    }
    return perfetto_interned_put(p, of_heap | INTERNED_STACK, v[IID], last);
}

uint32_t perfetto_stack_find(perfetto *p, uint32_t of_heap, uint64_t iid)
{
    uint32_t found = entry_of(p, of_heap, INTERNED_STACK, iid);
    return found == PERFETTO_NONE ? 0 : found;
}

/* A line {1 function, 2 file, 3 line}. */
static ts_code read_line(symbol_line *x, perfetto *p, const ts_wire_field *message, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    *x = (symbol_line){PERFETTO_NONE, PERFETTO_NONE, 0};
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.number == 1 || f.number == 2) {
            code = perfetto_text_of(f.number == 1 ? &x->function : &x->source, p, &f);
        } else if (f.number == 3 && f.type == TS_WIRE_VARINT && f.value <= INT32_MAX) {
            x->line = (uint32_t)f.value;
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

static ts_code add_inline_frame(uint32_t *last, perfetto *p, const ts_wire_field *message,
                                bool *good)
{
    symbol_line line;
    uint32_t number;
    ts_code code = read_line(&line, p, message, good);
    if (code != TS_OK || !*good) {
        return code;
    }
    const stack_frame x = {.in = {PERFETTO_NONE, PERFETTO_NONE},
                           .function = line.function,
                           .source = line.source,
                           .line = line.line};
    TS_TRY_INTO(code, pool_struct(&number, p, &p->frames, &x, sizeof x));
    return add_call(last, p, number);
}

ts_code perfetto_stack_inline(uint32_t *last, perfetto *p, const ts_wire_field *message, bool *good)
{
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    *last = 0;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && *good && ts_wire_next(&f, &w)) {
        if (f.number == 1 && f.type == TS_WIRE_BYTES) {
            code = add_inline_frame(last, p, &f, good);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    return code;
}

/* --- symbols --------------------------------------------------------------------------------- */

static ts_code add_symbol_line(perfetto *p, const ts_wire_field *message, bool *good)
{
    symbol_line x;
    ts_code code = read_line(&x, p, message, good);
    TS_STEP(code, ts_vec_push(p->ctx, &p->symbol_lines, &x, sizeof x));
    return code;
}

/* An address and its lines; the last that is sent for one counts. */
static ts_code add_symbol(perfetto *p, const mapping *in, const ts_wire_field *message, bool *good)
{
    enum { ADDRESS = 1, LINES, NUMBERS };
    uint64_t v[NUMBERS];
    symbol_key key = {.in = *in};
    symbol s = {.first = (uint32_t)p->symbol_lines.n};
    uint32_t number;
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    (void)perfetto_numbers(v, NUMBERS, message, good);
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && *good && ts_wire_next(&f, &w)) {
        if (f.number == LINES && f.type == TS_WIRE_BYTES) {
            bool room = p->symbol_lines.n - s.first < PERFETTO_INLINED;
            p->n.deep += room ? 0 : 1;
            TS_STEP_IF(code, room, add_symbol_line(p, &f, good));
        }
    }
    if (code != TS_OK || !*good) {
        return code;
    }
    key.pc = v[ADDRESS];
    s.count = (uint32_t)p->symbol_lines.n - s.first;
    TS_TRY_INTO(code, pool_struct(&number, p, &p->symbol_keys, &key, sizeof key));
    if (number == p->symbols.n) {
        return ts_vec_push(p->ctx, &p->symbols, &s, sizeof s);
    }
    ((symbol *)p->symbols.p)[number] = s;
    return TS_OK;
}

ts_code perfetto_module_symbols(perfetto *p, const ts_wire_field *message, bool *good)
{
    enum { PATH = 1, BUILD_ID, SYMBOLS };
    mapping in = {PERFETTO_NONE, PERFETTO_NONE};
    ts_wire w;
    ts_wire_field f;
    ts_code code = TS_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && ts_wire_next(&f, &w)) {
        if (f.type == TS_WIRE_BYTES && f.number == PATH) {
            code = perfetto_text_of(&in.path, p, &f);
        } else if (f.type == TS_WIRE_BYTES && f.number == BUILD_ID && f.n <= PERFETTO_TEXT_MAX) {
            code = ts_pool_intern(p->ctx, &in.build_id, NULL, &p->texts,
                                  (ts_text){(const char *)f.p, f.n});
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    ts_wire_init(&w, message->p, message->n);
    while (code == TS_OK && *good && ts_wire_next(&f, &w)) {
        if (f.number == SYMBOLS && f.type == TS_WIRE_BYTES) {
            code = add_symbol(p, &in, &f, good);
        }
    }
    return code;
}

/* --- rows ------------------------------------------------------------------------------------ */

/* Without a name: where the code is. */
static ts_text name_of(char *place, size_t size, const perfetto *p, const stack_frame *x)
{
    ts_text path = perfetto_text(p, x->in.path);
    const char *base = path.p;
    size_t n;
    int written;
    if (x->function != PERFETTO_NONE && perfetto_text(p, x->function).n > 0) {
        return perfetto_text(p, x->function);
    }
    if (x->has_pc == 0 && path.p == NULL) {
        return TS_TEXT_NULL;
    }
    for (size_t i = 0; i < path.n; i++) {
        base = path.p[i] == '/' ? path.p + i + 1 : base;
    }
    n = path.n - (size_t)(base - path.p);
    n = n > size - 32 ? ts_utf8_cut(base, size - 32) : n;
    written = path.p == NULL ? snprintf(place, size, "0x%" PRIx64, x->pc)
                             : snprintf(place, size, "%.*s+0x%" PRIx64, (int)n, base, x->pc);
    return (ts_text){place, (size_t)written};
}

/* The node of one function inside of *at, which becomes it. */
static ts_code put_node(perfetto *p, call_node *at, ts_text name, ts_text file, ts_text library,
                        uint32_t line)
{
    ts_method m = {.name = name, .file = file, .library = library};
    int64_t method = 0;
    bool added;
    if (name.p != NULL) {
        TS_TRY(ts_stack_method(&method, p->store, p->source_id, &m));
    }
    TS_TRY(ts_stack_node(&at->node, &added, p->store, p->source_id, at->node, method,
                         line == 0 ? TS_NO_LINE : (int64_t)line, at->depth, NULL));
    at->depth++;
    return TS_OK;
}

static ts_code put_frame(perfetto *p, call_node *at, uint32_t frame)
{
    enum { PLACE = 320 };
    char place[PLACE];
    stack_frame x;
    symbol_key key;
    uint32_t number;
    ts_code code = TS_OK;
    if (frame == PERFETTO_NONE) {
        return put_node(p, at, TS_TEXT_NULL, TS_TEXT_NULL, TS_TEXT_NULL, 0);
    }
    struct_of(&x, &p->frames, frame, sizeof x);
    key = (symbol_key){.pc = x.pc, .in = x.in};
    if (x.function == PERFETTO_NONE && x.has_pc != 0 &&
        ts_pool_find(&number, &p->symbol_keys, (ts_text){(const char *)&key, sizeof key}) &&
        ((const symbol *)p->symbols.p)[number].count > 0) {
        const symbol *s = (const symbol *)p->symbols.p + number;
        for (uint32_t i = s->count; i-- > 0 && code == TS_OK;) { /* outermost first */
            const symbol_line *l = (const symbol_line *)p->symbol_lines.p + s->first + i;
            x.function = l->function;
            code = put_node(p, at, name_of(place, PLACE, p, &x), perfetto_text(p, l->source),
                            perfetto_text(p, x.in.path), l->line);
        }
        return code;
    }
    return put_node(p, at, name_of(place, PLACE, p, &x), perfetto_text(p, x.source),
                    perfetto_text(p, x.in.path), x.line);
}

ts_code perfetto_call_node(int64_t *node, perfetto *p, uint32_t number)
{
    call_node at = {0};
    call_node *nodes;
    size_t more = p->calls.count - p->call_nodes.n;
    *node = 0;
    if (number == 0) {
        return TS_OK;
    }
    if (more > 0) {
        TS_TRY(ts_vec_reserve(p->ctx, &p->call_nodes, more, sizeof *nodes));
        memset((call_node *)p->call_nodes.p + p->call_nodes.n, 0, more * sizeof *nodes);
        p->call_nodes.n += more;
    }
    nodes = p->call_nodes.p;
    p->frame_list.n = 0;
    for (uint32_t i = number; i != 0;) { /* up to a caller that has rows */
        call c;
        if (nodes[i - 1].node != 0) {
            at = nodes[i - 1];
            break;
        }
        TS_TRY(ts_vec_push(p->ctx, &p->frame_list, &i, sizeof i));
        struct_of(&c, &p->calls, i - 1, sizeof c);
        i = c.caller;
    }
    for (size_t i = p->frame_list.n; i-- > 0;) {
        uint32_t own = ((const uint32_t *)p->frame_list.p)[i];
        call c;
        struct_of(&c, &p->calls, own - 1, sizeof c);
        TS_TRY(put_frame(p, &at, c.frame));
        nodes[own - 1] = at;
    }
    *node = at.node;
    return TS_OK;
}
