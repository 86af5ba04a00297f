#include "export/export_methods.h"

#include "base/alloc.h"
#include "export/export_language.h"
#include "model/cells.h"

enum { METHODS_TEXT_MAX = 32 * 1024 };

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

/* Buffers that are used for each method anew. */
typedef struct method_buffers {
    ts_buf text, names, key;
} method_buffers;

static ts_code methods_row(ts_methods *m, ts_ctx *ctx, const ts_uploads *uploads, const ts_batch *b,
                           unsigned i, method_buffers *buffers)
{
    const ts_upload *up = ts_uploads_find(uploads, b->columns[MC_SOURCE].ints[i]);
    int64_t line = b->columns[MC_LINE].ints[i];
    ts_text name = methods_cut(ts_cell_text(b, MC_NAME, i));
    ts_named named = {
        .name = name.n == 0 ? TS_TEXT_LIT("(anonymous)") : name,
        .cls = methods_cut(ts_cell_text(b, MC_CLASS, i)),
        .package = methods_cut(ts_cell_text(b, MC_PACKAGE, i)),
        .library = methods_cut(ts_cell_text(b, MC_LIBRARY, i)),
        .signature = methods_cut(ts_cell_text(b, MC_SIGNATURE, i)),
    };
    buffers->text.n = 0;
    ts_code code = ts_language_method(ctx, &buffers->text, &buffers->names, &named,
                                      up == NULL ? TS_TEXT_NULL : up->texts[TS_UP_LANGUAGE]);
    const ts_method_row method = {
        .method = ts_buf_text(&buffers->text),
        .library = named.library,
        .package = named.package,
        .cls = named.cls,
        .file = methods_cut(ts_cell_text(b, MC_FILE, i)),
        .modifiers = methods_cut(ts_cell_text(b, MC_MODIFIERS, i)),
    };
    m->line[b->rowids[i]] = line > 0 && line <= INT32_MAX ? (int32_t)line : 0;
    TS_STEP(code, methods_intern(&m->key[b->rowids[i]], m, ctx, &buffers->key, &method));
    return code;
}

static ts_code methods_read(ts_methods *m, ts_ctx *ctx, const ts_calls *p,
                            const ts_uploads *uploads)
{
    const ts_batch *b;
    ts_scan *scan = NULL;
    method_buffers buffers = {{0}, {0}, {0}};
    ts_code code = ts_scan_open(&scan, p->reader, TS_T_stack_method, method_columns, MC_COLUMNS);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = b->rowids[i] < 1 || b->rowids[i] > p->methods
                       ? ts_rows_changed(p->ctx, "stack_method")
                       : methods_row(m, ctx, uploads, b, i, &buffers);
        }
    }
    ts_scan_close(scan);
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
