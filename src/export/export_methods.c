#include "export/export_parts.h"

#include "base/alloc.h"
#include "tables/frame_names.h"

enum { METHODS_TEXT_MAX = 32 * 1024 };

/* --- the pool -----------------------------------------------------------------------------------
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
                              const ts_method_row *method)
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
    TS_STEP(code, ts_pool_intern(ctx, key, &added, &m->keys, ts_buf_text(scratch)));
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

ts_method_row ts_methods_get(const ts_methods *m, uint32_t key)
{
    ts_text text = ts_pool_text(&m->keys, key);
    method_head head;
    ts_method_row out = {.modifiers = ((const ts_text *)m->modifiers.p)[key]};
    memcpy(&head, text.p, sizeof head);
    const char *at = text.p + sizeof head;
    out.method = (ts_text){at, head.method};
    out.library = (ts_text){at += head.method, head.library};
    out.package = (ts_text){at += head.library, head.package};
    out.cls = (ts_text){at += head.package, head.cls};
    out.file = (ts_text){at + head.cls, head.file};
    return out;
}

/* --- texts by the rules of languages (tables/frame_names.h) ------------------------------------
 */

typedef struct method_names {
    ts_text name, cls, package, library, signature; /* none is NULL */
} method_names;

static ts_text language_text(ts_text t)
{
    return t.p == NULL ? (ts_text){"", 0} : t;
}

static ts_code language_join(ts_ctx *ctx, ts_buf *out, ts_text cls, ts_text name)
{
    ts_code code = TS_OK;
    if (cls.n > 0 && (code = ts_buf_put(ctx, out, cls.p, cls.n)) == TS_OK) {
        code = ts_buf_putc(ctx, out, '.');
    }
    TS_STEP(code, ts_buf_put(ctx, out, name.p, name.n));
    return code;
}

/* --- Java with its types spelt: "Ret (Arg,Arg)" ---------------------------------------------- */

/* A result that is a primitive type or void is not shown. */
static bool spelt_is_plain(ts_text ret)
{
    static const char *const words[] = {"byte", "char",  "double",  "float", "int",
                                        "long", "short", "boolean", "void"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        if (ts_text_is(ret, words[i])) {
            return true;
        }
    }
    return false;
}

/* Divides it; false when it is none. */
static bool spelt_split(ts_text *ret, ts_text *arguments, ts_text signature)
{
    const char *bracket = signature.n > 0 ? memchr(signature.p, '(', signature.n) : NULL;
    if (bracket == NULL || bracket < signature.p + 2 || bracket[-1] != ' ' ||
        signature.p[signature.n - 1] != ')') {
        return false;
    }
    *ret = (ts_text){signature.p, (size_t)(bracket - signature.p) - 1};
    *arguments = (ts_text){bracket, signature.n - ret->n - 1};
    return true;
}

static ts_code spelt_put(ts_ctx *ctx, ts_buf *out, const method_names *m, ts_text ret,
                         ts_text arguments)
{
    ts_code code = TS_OK;
    if (!spelt_is_plain(ret) && (code = ts_buf_put(ctx, out, ret.p, ret.n)) == TS_OK) {
        code = ts_buf_putc(ctx, out, ' ');
    }
    TS_STEP(code, language_join(ctx, out, m->cls, m->name));
    for (size_t i = 0; i < arguments.n && code == TS_OK; i++) {
        bool blank = arguments.p[i] == ',' && i + 1 < arguments.n && arguments.p[i + 1] != ' ';
        code = ts_buf_put(ctx, out, blank ? ", " : arguments.p + i, blank ? 2 : 1);
    }
    return code;
}

static ts_code language_java(ts_ctx *ctx, ts_buf *text, ts_buf *scratch, method_names *m)
{
    ts_text package = m->package;
    ts_text cls;
    ts_text ret, arguments;
    TS_TRY(ts_java_class(ctx, scratch, m->cls));
    cls = ts_buf_text(scratch);
    if (package.n == 0) {
        ts_java_split(&package, &cls, cls);
    }
    m->cls = language_text(cls);
    m->package = language_text(package);
    m->library = language_text(ts_java_library(m->package, m->library));
    if (spelt_split(&ret, &arguments, m->signature)) {
        return spelt_put(ctx, text, m, ret, arguments);
    }
    return ts_java_method(ctx, text, m->cls, m->name, m->signature);
}

/*
 * Appends the method's text for people to *text: of Java "Ret Class.name(Arg, Arg)", of Go
 * "(*T).name", else its name. Of Java a class with a package in front is divided, and what only
 * tells hidden classes apart goes; of Go the class becomes the bare type. language: as profiles
 * name it. Texts of *m may borrow from *scratch afterwards, which is emptied first.
 */
static ts_code language_method(ts_ctx *ctx, ts_buf *text, ts_buf *scratch, method_names *m,
                               ts_text language)
{
    ts_language known = ts_language_of(language);
    ts_code code;
    scratch->n = 0;
    if (known == TS_LANG_JAVA) {
        return language_java(ctx, text, scratch, m);
    }
    if (known != TS_LANG_GO) {
        return ts_buf_put(ctx, text, m->name.p, m->name.n);
    }
    code = language_join(ctx, text, m->cls, m->name);
    m->cls = language_text(ts_frame_class(known, m->cls));
    return code;
}

/* --- rows ---------------------------------------------------------------------------------------
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

/* Buffers that are used for each method anew. */
typedef struct method_buffers {
    ts_buf text, names, key;
} method_buffers;

static ts_code methods_row(ts_methods *m, ts_ctx *ctx, const ts_uploads *uploads, const ts_walk *at,
                           method_buffers *buffers)
{
    const ts_upload *up = ts_uploads_find(uploads, ts_walk_int(at, MC_SOURCE));
    int64_t line = ts_walk_int(at, MC_LINE);
    ts_text name = methods_cut(ts_walk_text(at, MC_NAME));
    method_names named = {
        .name = name.n == 0 ? TS_TEXT_LIT("(anonymous)") : name,
        .cls = methods_cut(ts_walk_text(at, MC_CLASS)),
        .package = methods_cut(ts_walk_text(at, MC_PACKAGE)),
        .library = methods_cut(ts_walk_text(at, MC_LIBRARY)),
        .signature = methods_cut(ts_walk_text(at, MC_SIGNATURE)),
    };
    buffers->text.n = 0;
    ts_code code = language_method(ctx, &buffers->text, &buffers->names, &named,
                                   up == NULL ? TS_TEXT_NULL : up->texts[TS_UP_LANGUAGE]);
    const ts_method_row method = {
        .method = ts_buf_text(&buffers->text),
        .library = named.library,
        .package = named.package,
        .cls = named.cls,
        .file = methods_cut(ts_walk_text(at, MC_FILE)),
        .modifiers = methods_cut(ts_walk_text(at, MC_MODIFIERS)),
    };
    m->line[ts_walk_id(at)] = line > 0 && line <= INT32_MAX ? (int32_t)line : 0;
    TS_STEP(code, methods_intern(&m->key[ts_walk_id(at)], m, ctx, &buffers->key, &method));
    return code;
}

static ts_code methods_read(ts_methods *m, ts_ctx *ctx, const ts_calls *p,
                            const ts_uploads *uploads)
{
    method_buffers buffers = {{0}, {0}, {0}};
    ts_walk rows = ts_walk_of(ts_rows_of(p->reader), TS_T_stack_method, method_columns, MC_COLUMNS);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        code = ts_walk_id(&rows) < 1 || ts_walk_id(&rows) > p->methods
                   ? ts_rows_changed(p->ctx, "stack_method")
                   : methods_row(m, ctx, uploads, &rows, &buffers);
    }
    ts_buf_free(ctx, &buffers.text);
    ts_buf_free(ctx, &buffers.names);
    ts_buf_free(ctx, &buffers.key);
    return code;
}

/* The tree of heap timelines has no rows of methods. */
static ts_code methods_of_heap(ts_methods *m, ts_ctx *ctx, const ts_calls *p,
                               const ts_frames *frames, ts_buf *scratch)
{
    ts_code code = TS_OK;
    for (uint32_t i = 1; i <= p->methods && code == TS_OK; i++) {
        const ts_frame f = ts_frames_get(frames, p->frame[i]);
        const ts_method_row method = {
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
    static const ts_method_row unknown = {{"(unknown)", 9}, {"", 0}, {"", 0},
                                          {"", 0},          {"", 0}, {"", 0}};
    ts_buf scratch = {0};
    *m = (ts_methods){0};
    m->key = ts_zalloc(ctx, (size_t)p->methods + 1, sizeof *m->key);
    m->line = ts_zalloc(ctx, (size_t)p->methods + 1, sizeof *m->line);
    ts_code code = m->key == NULL || m->line == NULL ? ctx->error.code : TS_OK;
    TS_STEP(code, methods_intern(&m->key[0], m, ctx, &scratch, &unknown));
    TS_STEP(code, p->is_heap ? methods_of_heap(m, ctx, p, frames, &scratch)
                             : methods_read(m, ctx, p, uploads));
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
