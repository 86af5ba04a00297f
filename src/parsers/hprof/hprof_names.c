/* Strings of a file, names of classes, and stacks. */
#include "parsers/hprof/hprof.h"

#include "base/sort.h"
#include "base/utf8.h"
#include "tables/frame_names.h"

#include <inttypes.h>

enum { PLACE_BITS = 21 };

/* --- strings -------------------------------------------------------------------------------- */

static int by_id(const void *a, const void *b, void *user)
{
    const hprof_string *x = a;
    const hprof_string *y = b;
    (void)user;
    if (x->id != y->id) {
        return x->id < y->id ? -1 : 1;
    }
    return x->place < y->place ? -1 : x->place > y->place ? 1 : 0;
}

static const hprof_string *find_string(hprof_file *f, uint64_t id)
{
    const hprof_string *s = f->strings.p;
    size_t low = 0;
    size_t high = f->strings.n;
    if (!f->strings_sorted) {
        ts_sort(f->strings.p, f->strings.n, sizeof *s, by_id, NULL);
        f->strings_sorted = true;
    }
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (s[mid].id < id) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low < f->strings.n && s[low].id == id ? &s[low] : NULL;
}

/* n bytes of the file into f->raw. */
static ts_code read_bytes(hprof_file *f, uint64_t at, size_t n)
{
    f->raw.n = 0;
    TS_TRY(ts_buf_reserve(f->ctx, &f->raw, n + 1));
    while (f->raw.n < n) {
        size_t left = n - f->raw.n;
        const uint8_t *p;
        size_t have;
        TS_TRY(
            hprof_get(&p, &have, &f->near, at + f->raw.n, left < HPROF_NEAR ? left : HPROF_NEAR));
        if (have == 0) {
            break;
        }
        TS_TRY(ts_buf_put(f->ctx, &f->raw, p, have < left ? have : left));
    }
    return TS_OK;
}

/* A unit of three bytes that is half of a character beyond U+FFFF; 0: none. */
static unsigned surrogate(const uint8_t *p, size_t n)
{
    return n >= 3 && p[0] == 0xed && p[1] >= 0xa0 && p[1] <= 0xbf && (p[2] & 0xc0) == 0x80
               ? 0xd000U | (p[1] & 0x3fU) << 6 | (p[2] & 0x3fU)
               : 0;
}

/* Modified UTF-8 in f->raw becomes UTF-8 in place: U+0000 has two bytes there, characters beyond
 * U+FFFF are pairs of three. */
static void unmodify(hprof_file *f)
{
    uint8_t *p = (uint8_t *)f->raw.p;
    size_t n = f->raw.n;
    size_t out = 0;
    for (size_t i = 0; i < n;) {
        unsigned high = surrogate(p + i, n - i);
        unsigned low = high >> 10 == 0x36 ? surrogate(p + i + 3, n - i - 3) : 0;
        if (p[i] == 0xc0 && i + 1 < n && p[i + 1] == 0x80) {
            p[out++] = 0;
            i += 2;
        } else if (low >> 10 == 0x37) {
            out +=
                ts_utf8_encode((char *)p + out, 0x10000 + ((high & 0x3ff) << 10 | (low & 0x3ff)));
            i += 6;
        } else {
            p[out++] = p[i++];
        }
    }
    f->raw.n = out;
}

ts_code hprof_name(ts_text *out, hprof_file *f, uint64_t id)
{
    const hprof_string *s = find_string(f, id);
    uint64_t bad = 0;
    size_t n;
    bool cut;
    f->names++;
    f->clean.n = 0;
    if (s == NULL) {
        f->names_lost++;
        TS_TRY(ts_buf_printf(f->ctx, &f->clean, "<string 0x%" PRIx64 ">", id));
        *out = ts_buf_text(&f->clean);
        return TS_OK;
    }
    n = (size_t)(s->place & ((1U << PLACE_BITS) - 1));
    cut = n > HPROF_NAME || n > f->text_budget;
    f->names_cut += cut ? 1 : 0;
    n = n < f->text_budget ? n : (size_t)f->text_budget; /* many may be the same */
    n = n < HPROF_NAME ? n : HPROF_NAME;
    f->text_budget -= n;
    TS_TRY(read_bytes(f, s->place >> PLACE_BITS, n));
    f->raw.n = cut ? ts_utf8_cut(f->raw.p, f->raw.n) : f->raw.n;
    unmodify(f);
    *out = ts_buf_text(&f->raw);
    TS_TRY(ts_utf8_text(out, f->ctx, &f->clean, &bad));
    f->names_bad += bad > 0 ? 1 : 0;
    return TS_OK;
}

/* --- classes -------------------------------------------------------------------------------- */

ts_code hprof_class_name(ts_ctx *ctx, ts_buf *out, ts_text symbol)
{
    static const char codes[] = "ZCFDBSIJ";
    static const char *const names[] = {"boolean", "char",  "float", "double",
                                        "byte",    "short", "int",   "long"};
    size_t first = out->n;
    size_t depth = 0;
    ts_text element;
    const char *code;
    while (depth < symbol.n && symbol.p[depth] == '[') {
        depth++;
    }
    element = ts_text_from(symbol, depth);
    code = depth > 0 && element.n == 1 ? strchr(codes, element.p[0]) : NULL;
    if (code != NULL && *code != 0) {
        element = ts_text_of(names[code - codes]);
    } else if (depth > 0 && element.n > 2 && element.p[0] == 'L' &&
               element.p[element.n - 1] == ';') {
        element = (ts_text){element.p + 1, element.n - 2};
    } else if (depth > 0) {
        depth = 0;
        element = symbol;
    }
    TS_TRY(ts_buf_put(ctx, out, element.p, element.n));
    for (size_t i = 0; i < depth; i++) {
        TS_TRY(ts_buf_put(ctx, out, "[]", 2));
    }
    for (size_t i = first; i < out->n; i++) {
        out->p[i] = out->p[i] == '/' ? '.' : out->p[i];
    }
    return TS_OK;
}

/* --- stacks --------------------------------------------------------------------------------- */

typedef struct frame_texts {
    ts_buf name, class, signature, file;
} frame_texts;

static ts_code copy_name(ts_text *out, hprof_file *f, ts_buf *into, uint64_t id)
{
    ts_text text;
    TS_TRY(hprof_name(&text, f, id));
    into->n = 0;
    TS_TRY(ts_buf_put(f->ctx, into, text.p, text.n));
    *out = ts_buf_text(into);
    return TS_OK;
}

static ts_code class_of_frame(ts_method *m, hprof_file *f, ts_buf *into, uint32_t serial)
{
    uint64_t class, name;
    ts_text text;
    if (!ts_idmap_find(&class, &f->class_of_serial, serial) ||
        !ts_idmap_find(&name, &f->name_of, (int64_t) class)) {
        return TS_OK;
    }
    TS_TRY(hprof_name(&text, f, name));
    into->n = 0;
    TS_TRY(ts_java_class(f->ctx, into, text));
    ts_java_split(&m->package, &m->cls, ts_buf_text(into));
    return TS_OK;
}

static ts_code method_of(int64_t *method, hprof_file *f, frame_texts *t, const hprof_frame *frame)
{
    ts_method m = {0};
    TS_TRY(copy_name(&m.name, f, &t->name, frame->method));
    if (frame->signature != 0) {
        TS_TRY(copy_name(&m.signature, f, &t->signature, frame->signature));
    }
    if (frame->file != 0) {
        TS_TRY(copy_name(&m.file, f, &t->file, frame->file));
    }
    TS_TRY(class_of_frame(&m, f, &t->class, frame->class_serial));
    return ts_stack_method(method, f->store, f->source_id, &m);
}

/* The path grows by the frame with the id, if the file has it. */
static ts_code add_frame(int64_t *node, int64_t *depth, hprof_file *f, frame_texts *t, uint64_t id)
{
    uint64_t number;
    int64_t method;
    const hprof_frame *frame;
    bool added;
    if (!ts_idmap_find(&number, &f->frame_of, (int64_t)id)) {
        f->frames_lost++;
        return TS_OK;
    }
    frame = (const hprof_frame *)f->frames.p + number;
    TS_TRY(method_of(&method, f, t, frame));
    TS_TRY(ts_stack_node(node, &added, f->store, f->source_id, *node, method,
                         frame->line > 0 ? frame->line : TS_NO_LINE, *depth, NULL));
    ++*depth;
    return TS_OK;
}

static ts_code read_stack(uint32_t *node, hprof_file *f, const hprof_trace *trace)
{
    frame_texts t = {0};
    int64_t id = 0;
    int64_t depth = 0;
    ts_code code = TS_OK;
    for (uint32_t i = trace->frames; i > 0 && code == TS_OK; i--) { /* innermost first */
        const uint8_t *p;
        size_t n;
        code = hprof_get(&p, &n, &f->near, trace->at + (uint64_t)(i - 1) * f->id_size, f->id_size);
        TS_STEP_IF(code, n >= f->id_size, add_frame(&id, &depth, f, &t, hprof_id(p, f->id_size)));
    }
    *node = (uint32_t)id;
    ts_buf_free(f->ctx, &t.name);
    ts_buf_free(f->ctx, &t.class);
    ts_buf_free(f->ctx, &t.signature);
    ts_buf_free(f->ctx, &t.file);
    return code;
}

ts_code hprof_stack(uint32_t *node, hprof_file *f, uint32_t serial)
{
    uint64_t number;
    hprof_trace *trace;
    *node = 0;
    if (f->traces.n == 0 || !ts_idmap_find(&number, &f->trace_of, serial)) {
        return TS_OK;
    }
    trace = (hprof_trace *)f->traces.p + number;
    if (!trace->known) {
        f->stacks++;
        TS_TRY(read_stack(&trace->node, f, trace));
        trace->known = true;
    }
    *node = trace->node;
    return TS_OK;
}
