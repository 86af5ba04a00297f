#include "export/export_methods.h"

#include "base/alloc.h"
#include "export/export_private.h"

enum { METHODS_TEXT_MAX = 32 * 1024 };

/* --- Java ------------------------------------------------------------------------------------ */

static const char *java_word(char c)
{
    static const char *const words[] = {"Bbyte", "Cchar", "Ddouble", "Ffloat",
                                        "Iint",  "Jlong", "Sshort",  "Zboolean"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (words[i][0] == c) {
            return words[i] + 1;
        }
    }
    return NULL;
}

/* The type of a descriptor that begins at *at, by its simple name; *at is behind it then. False
 * when it is none. */
typedef struct java_type {
    ts_text name;
    size_t dimensions;
} java_type;

static bool java_next(java_type *type, ts_text d, size_t *at)
{
    *type = (java_type){{"", 0}, 0};
    while (*at < d.n && d.p[*at] == '[') {
        type->dimensions++;
        (*at)++;
    }
    if (*at >= d.n) {
        return false;
    }
    if (d.p[*at] != 'L') {
        type->name = ts_text_of(java_word(d.p[(*at)++]));
        return type->name.p != NULL;
    }
    const char *from = d.p + *at + 1;
    const char *end = memchr(from, ';', d.n - *at - 1);
    if (end == NULL || end == from) {
        return false;
    }
    *at = (size_t)(end - d.p) + 1;
    const char *slash = memrchr(from, '/', (size_t)(end - from));
    from = slash == NULL ? from : slash + 1;
    type->name = (ts_text){from, (size_t)(end - from)};
    return true;
}

static ts_code java_put(ts_ctx *ctx, ts_buf *out, const java_type *type)
{
    ts_code code = ts_buf_put(ctx, out, type->name.p, type->name.n);
    for (size_t i = 0; i < type->dimensions && code == TS_OK; i++) {
        code = ts_buf_put(ctx, out, "[]", 2);
    }
    return code;
}

/* Where the result of a descriptor begins; 0 when it is none. */
static size_t java_result(ts_text d)
{
    java_type type;
    size_t at = 1;
    if (d.n < 3 || d.p[0] != '(') {
        return 0;
    }
    while (at < d.n && d.p[at] != ')') {
        if (!java_next(&type, d, &at)) {
            return 0;
        }
    }
    size_t result = at + 1;
    at = result;
    if (result >= d.n) {
        return 0;
    }
    if (d.p[result] == 'V') {
        return result + 1 == d.n ? result : 0;
    }
    return java_next(&type, d, &at) && at == d.n ? result : 0;
}

static ts_code java_arguments(ts_ctx *ctx, ts_buf *out, ts_text d)
{
    java_type type;
    size_t at = 1;
    ts_code code = ts_buf_putc(ctx, out, '(');
    while (code == TS_OK && d.p[at] != ')') {
        bool first = at == 1;
        (void)java_next(&type, d, &at);
        code = first ? TS_OK : ts_buf_put(ctx, out, ", ", 2);
        if (code == TS_OK) {
            code = java_put(ctx, out, &type);
        }
    }
    return code == TS_OK ? ts_buf_putc(ctx, out, ')') : code;
}

/* "Ret (Arg,Arg)": a result that is a primitive or void is not shown. */
static bool java_is_plain(ts_text ret)
{
    return ts_text_is(ret, "byte") || ts_text_is(ret, "char") || ts_text_is(ret, "double") ||
           ts_text_is(ret, "float") || ts_text_is(ret, "int") || ts_text_is(ret, "long") ||
           ts_text_is(ret, "short") || ts_text_is(ret, "boolean") || ts_text_is(ret, "void");
}

static ts_code java_put_spaced(ts_ctx *ctx, ts_buf *out, ts_text arguments)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < arguments.n && code == TS_OK; i++) {
        code = ts_buf_putc(ctx, out, arguments.p[i]);
        if (code == TS_OK && arguments.p[i] == ',' && i + 1 < arguments.n &&
            arguments.p[i + 1] != ' ') {
            code = ts_buf_putc(ctx, out, ' ');
        }
    }
    return code;
}

static ts_code java_name(ts_ctx *ctx, ts_buf *out, ts_text cls, ts_text name)
{
    ts_code code = TS_OK;
    if (cls.n > 0 && (code = ts_buf_put(ctx, out, cls.p, cls.n)) == TS_OK) {
        code = ts_buf_putc(ctx, out, '.');
    }
    return code == TS_OK ? ts_buf_put(ctx, out, name.p, name.n) : code;
}

ts_code ts_method_java(ts_ctx *ctx, ts_buf *out, ts_text cls, ts_text name, ts_text signature)
{
    java_type type = {{"", 0}, 0};
    size_t from = out->n;
    size_t result = java_result(signature);
    size_t at = result;
    const char *bracket = signature.n > 0 ? memchr(signature.p, '(', signature.n) : NULL;
    ts_text ret = {signature.p, bracket == NULL ? 0 : (size_t)(bracket - signature.p)};
    ts_text rest = {bracket, signature.n - ret.n};
    bool spelt =
        result == 0 && ret.n > 1 && ret.p[ret.n - 1] == ' ' && signature.p[signature.n - 1] == ')';
    ts_code code = TS_OK;
    ret.n -= spelt ? 1 : 0;
    if (result > 0 && (signature.p[result] == 'L' || signature.p[result] == '[')) {
        (void)java_next(&type, signature, &at);
        code = java_put(ctx, out, &type);
    } else if (spelt && !java_is_plain(ret)) {
        code = ts_buf_put(ctx, out, ret.p, ret.n);
    }
    if (code == TS_OK && out->n > from) {
        code = ts_buf_putc(ctx, out, ' ');
    }
    if (code == TS_OK) {
        code = java_name(ctx, out, cls, name);
    }
    if (code == TS_OK && result > 0) {
        code = java_arguments(ctx, out, signature);
    } else if (code == TS_OK && spelt) {
        code = java_put_spaced(ctx, out, rest);
    }
    return code;
}

/* What only tells hidden classes and lambdas apart goes: "/0x0000000009047000", "/124351398",
 * "+0x00007f861400a220/494317290". */
static ts_text java_plain_class(ts_text cls)
{
    for (size_t i = 0; i + 1 < cls.n; i++) {
        bool digit = cls.p[i + 1] >= '0' && cls.p[i + 1] <= '9';
        if (digit &&
            (cls.p[i] == '/' || (cls.p[i] == '+' && i + 2 < cls.n && cls.p[i + 2] == 'x'))) {
            cls.n = i;
        }
    }
    return cls;
}

static bool java_is_standard(ts_text package)
{
    static const char *const names[] = {"java",        "javax",         "jdk",
                                        "sun",         "com.sun",       "org.w3c.dom",
                                        "org.xml.sax", "org.ietf.jgss", "org.omg"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t n = strlen(names[i]);
        if (package.n >= n && memcmp(package.p, names[i], n) == 0 &&
            (package.n == n || package.p[n] == '.')) {
            return true;
        }
    }
    return false;
}

/* Recordings that have one name for both: the package ends at the last point. */
static void java_split(ts_method *m)
{
    m->cls = java_plain_class(m->cls);
    const char *dot = m->cls.n > 0 ? memrchr(m->cls.p, '.', m->cls.n) : NULL;
    if (m->package.n == 0 && dot != NULL) {
        m->package = (ts_text){m->cls.p, (size_t)(dot - m->cls.p)};
        m->cls = (ts_text){dot + 1, m->cls.n - m->package.n - 1};
    }
    if (java_is_standard(m->package)) {
        m->library = TS_TEXT_LIT("Standard Library");
    }
}

/* --- the pool ----------------------------------------------------------------------------------
 */

typedef struct method_head {
    uint32_t method, library, package, cls, file;
} method_head;

static ts_text methods_cut(ts_text text)
{
    text.n = text.n > METHODS_TEXT_MAX ? METHODS_TEXT_MAX : text.n;
    return text;
}

static ts_code methods_intern(uint32_t *key, ts_methods *m, ts_ctx *ctx, ts_buf *scratch,
                              const ts_method *method)
{
    const ts_text texts[] = {method->method, method->library, method->package, method->cls,
                             method->file};
    const method_head head = {(uint32_t)texts[0].n, (uint32_t)texts[1].n, (uint32_t)texts[2].n,
                              (uint32_t)texts[3].n, (uint32_t)texts[4].n};
    bool added = false;
    uint32_t id = 0;
    scratch->n = 0;
    ts_code code = ts_buf_put(ctx, scratch, &head, sizeof head);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0] && code == TS_OK; i++) {
        code = ts_buf_put(ctx, scratch, texts[i].p, texts[i].n);
    }
    if (code == TS_OK) {
        code = ts_pool_intern(ctx, key, &added, &m->keys, ts_buf_text(scratch));
    }
    if (code == TS_OK && added) {
        ts_text *modifiers = ts_vec_add(ctx, &m->modifiers, sizeof *modifiers);
        code = modifiers == NULL ? ctx->error.code
                                 : ts_pool_intern(ctx, &id, NULL, &m->texts, method->modifiers);
        if (code == TS_OK) {
            *modifiers = ts_pool_text(&m->texts, id);
        }
    }
    return code;
}

ts_method ts_methods_get(const ts_methods *m, uint32_t key)
{
    ts_text text = ts_pool_text(&m->keys, key);
    method_head head;
    ts_method out = {.modifiers = ((const ts_text *)m->modifiers.p)[key]};
    memcpy(&head, text.p, sizeof head);
    const char *at = text.p + sizeof head;
    out.method = (ts_text){at, head.method};
    out.library = (ts_text){at += head.method, head.library};
    out.package = (ts_text){at += head.library, head.package};
    out.cls = (ts_text){at += head.package, head.cls};
    out.file = (ts_text){at + head.cls, head.file};
    return out;
}

/* --- rows --------------------------------------------------------------------------------------
 */

enum {
    MC_SOURCE,
    MC_NAME,
    MC_CLASS,
    MC_PACKAGE,
    MC_SIGNATURE,
    MC_FILE,
    MC_LINE,
    MC_LIBRARY,
    MC_MODIFIERS,
    MC_COLUMNS
};

static const unsigned method_columns[MC_COLUMNS] = {
    TS_C_stack_method__source_id, TS_C_stack_method__name,      TS_C_stack_method__class,
    TS_C_stack_method__package,   TS_C_stack_method__signature, TS_C_stack_method__file,
    TS_C_stack_method__line,      TS_C_stack_method__library,   TS_C_stack_method__modifiers};

/* Go's "(*T[...])" is of the type T. */
static ts_text go_bare(ts_text cls)
{
    if (cls.n > 3 && memcmp(cls.p, "(*", 2) == 0 && cls.p[cls.n - 1] == ')') {
        const char *bracket = memchr(cls.p, '[', cls.n);
        const char *end = bracket != NULL ? bracket : cls.p + cls.n - 1;
        return (ts_text){cls.p + 2, (size_t)(end - cls.p) - 2};
    }
    return cls;
}

static ts_code methods_row(ts_methods *m, ts_ctx *ctx, const ts_uploads *uploads, const ts_batch *b,
                           unsigned i, ts_buf *text, ts_buf *scratch)
{
    const ts_upload *up = ts_uploads_find(uploads, b->columns[MC_SOURCE].ints[i]);
    ts_text language = up == NULL ? (ts_text){"", 0} : up->texts[TS_UP_LANGUAGE];
    int64_t line = b->columns[MC_LINE].ints[i];
    ts_text name = methods_cut(profile_cell(b, MC_NAME, i));
    ts_method method = {
        .library = methods_cut(profile_cell(b, MC_LIBRARY, i)),
        .package = methods_cut(profile_cell(b, MC_PACKAGE, i)),
        .cls = methods_cut(profile_cell(b, MC_CLASS, i)),
        .file = methods_cut(profile_cell(b, MC_FILE, i)),
        .modifiers = methods_cut(profile_cell(b, MC_MODIFIERS, i)),
    };
    ts_code code = TS_OK;
    name = name.n == 0 ? TS_TEXT_LIT("(anonymous)") : name;
    text->n = 0;
    if (ts_text_is(language, "java")) {
        java_split(&method);
        code = ts_method_java(ctx, text, method.cls, name,
                              methods_cut(profile_cell(b, MC_SIGNATURE, i)));
    } else if (ts_text_is(language, "golang")) {
        code = java_name(ctx, text, method.cls, name);
        method.cls = go_bare(method.cls);
    } else {
        code = ts_buf_put(ctx, text, name.p, name.n);
    }
    method.method = ts_buf_text(text);
    m->line[b->rowids[i]] = line > 0 && line <= INT32_MAX ? (int32_t)line : 0;
    return code == TS_OK ? methods_intern(&m->key[b->rowids[i]], m, ctx, scratch, &method) : code;
}

static ts_code methods_read(ts_methods *m, ts_ctx *ctx, const ts_calls *p,
                            const ts_uploads *uploads, ts_buf *scratch)
{
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_buf text = {0};
    ts_code code = ts_scan_open(&scan, p->reader, TS_T_stack_method, method_columns, MC_COLUMNS);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = b->rowids[i] < 1 || b->rowids[i] > p->methods
                       ? profile_bad_rows(p, "stack_method")
                       : methods_row(m, ctx, uploads, b, i, &text, scratch);
        }
    }
    ts_scan_close(scan);
    ts_buf_free(ctx, &text);
    return code;
}

/* The tree of heap timelines has no rows of methods. */
static ts_code methods_of_heap(ts_methods *m, ts_ctx *ctx, const ts_calls *p,
                               const ts_frames *frames, ts_buf *scratch)
{
    ts_code code = TS_OK;
    for (uint32_t i = 1; i <= p->methods && code == TS_OK; i++) {
        const ts_frame f = ts_frames_get(frames, p->frame[i]);
        const ts_method method = {
            .method = methods_cut(f.label),
            .library = {"", 0},
            .package = {"", 0},
            .cls = {"", 0},
            .file = methods_cut(f.file),
            .modifiers = {"", 0},
        };
        m->line[i] = f.line > 0 && f.line <= INT32_MAX ? (int32_t)f.line : 0;
        code = methods_intern(&m->key[i], m, ctx, scratch, &method);
    }
    return code;
}

ts_code ts_methods_load(ts_methods *m, ts_ctx *ctx, const ts_calls *p, const ts_frames *frames,
                        const ts_uploads *uploads)
{
    static const ts_method unknown = {{"(unknown)", 9}, {"", 0}, {"", 0},
                                      {"", 0},          {"", 0}, {"", 0}};
    ts_buf scratch = {0};
    *m = (ts_methods){0};
    m->key = ts_zalloc(ctx, (size_t)p->methods + 1, sizeof *m->key);
    m->line = ts_zalloc(ctx, (size_t)p->methods + 1, sizeof *m->line);
    ts_code code = m->key == NULL || m->line == NULL ? ctx->error.code : TS_OK;
    if (code == TS_OK) {
        code = methods_intern(&m->key[0], m, ctx, &scratch, &unknown);
    }
    if (code == TS_OK) {
        code = p->is_heap ? methods_of_heap(m, ctx, p, frames, &scratch)
                          : methods_read(m, ctx, p, uploads, &scratch);
    }
    ts_buf_free(ctx, &scratch);
    return code;
}

void ts_methods_free(ts_methods *m, ts_ctx *ctx)
{
    ts_pool_free(ctx, &m->keys);
    ts_pool_free(ctx, &m->texts);
    ts_vec_free(ctx, &m->modifiers);
    ts_free(ctx, m->key);
    ts_free(ctx, m->line);
    *m = (ts_methods){0};
}
