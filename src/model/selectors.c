/* Sources and threads by what people type (sources.h). */
#include "base/alloc.h"
#include "base/buf.h"
#include "base/names.h"
#include "model/sources.h"
#include "tables/source_names.h"

static bool same(ts_text a, ts_text b)
{
    return a.p != NULL && b.p != NULL && ts_text_equal(a, b);
}

/* --- sources --------------------------------------------------------------------------------- */

static ts_source_name source_name(const void *all, size_t i)
{
    const ts_sources *s = all;
    const ts_source_entry *row = (const ts_source_entry *)s->rows.p + i;
    return (ts_source_name){row->id, row->parent, row->path, row->name};
}

ts_text ts_sources_path(const ts_sources *sources, size_t i)
{
    const ts_source_names names = {sources, sources->rows.n, source_name};
    return ts_source_names_path(&names, i);
}

ts_code ts_sources_find(ts_idset *out, ts_model *m, ts_text selector)
{
    ts_ctx *ctx = ts_model_ctx(m);
    const ts_sources *s;
    out->all = selector.p == NULL;
    if (out->all) {
        return TS_OK;
    }
    ts_code code;
    TS_TRY_INTO(code, ts_sources_get(&s, m));
    const ts_source_names names = {s, s->rows.n, source_name};
    bool *found = ts_zalloc(ctx, s->rows.n, sizeof *found);
    code = found == NULL ? ctx->error.code : ts_source_names_find(found, ctx, &names, selector);
    for (size_t i = 0; i < s->rows.n && code == TS_OK; i++) {
        code = found[i] ? ts_idset_add(ctx, out, source_name(s, i).id) : TS_OK;
    }
    ts_free(ctx, found);
    return code;
}

/* --- threads --------------------------------------------------------------------------------- */

typedef enum thread_way {
    THREAD_NAME,
    THREAD_TID,
    THREAD_ID,
    THREAD_GLOB,
    THREAD_WAYS,
    THREAD_PID,
    THREAD_PROCESS
} thread_way;

/* One selector of a list, without its form, and \, as a comma. */
typedef struct thread_asked {
    thread_way first, last; /* ways that are tried, in their order */
    ts_text text;
    ts_text typed;
} thread_asked;

static bool begins(ts_text *text, const char *form)
{
    size_t n = strlen(form);
    if (text->n < n || memcmp(text->p, form, n) != 0) {
        return false;
    }
    *text = (ts_text){text->p + n, text->n - n};
    return true;
}

static thread_asked asked_of(ts_text text)
{
    static const struct {
        const char *form;
        thread_way way;
    } forms[] = {{"tid=", THREAD_TID},
                 {"id=", THREAD_ID},
                 {"pid=", THREAD_PID},
                 {"process=", THREAD_PROCESS},
                 {"name=", THREAD_NAME}};
    thread_asked asked = {THREAD_NAME, THREAD_GLOB, text, text};
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (begins(&asked.text, forms[i].form)) {
            asked.first = asked.last = forms[i].way;
            break;
        }
    }
    return asked;
}

static bool is_thread(const ts_thread_entry *row, thread_way way, ts_text text)
{
    int64_t number;
    bool is_number = ts_name_number(&number, text);
    switch (way) {
    case THREAD_NAME:
        return same(row->name, text);
    case THREAD_TID:
        return is_number && row->tid == number;
    case THREAD_ID:
        return is_number && row->id == number;
    case THREAD_PID:
        return is_number && row->pid == number;
    case THREAD_GLOB:
        return row->name.p != NULL && ts_glob_is(text) && ts_glob_fits(text, row->name);
    case THREAD_PROCESS:
        return same(row->process, text) ||
               (row->process.p != NULL && ts_glob_fits(text, row->process));
    case THREAD_WAYS:
        break;
    }
    return false;
}

static ts_code find_asked(ts_idset *out, ts_model *m, const ts_threads *t, const thread_asked *a)
{
    ts_ctx *ctx = ts_model_ctx(m);
    const ts_thread_entry *rows = t->rows.p;
    ts_nearest near = {.typed = a->text};
    ts_code code = TS_OK;
    bool found = false;
    for (thread_way way = a->first; way <= a->last && !found; way++) {
        for (size_t i = 0; i < t->rows.n && code == TS_OK; i++) {
            if (is_thread(&rows[i], way, a->text)) {
                code = ts_idset_add(ctx, out, rows[i].id);
                found = true;
            }
        }
    }
    if (code != TS_OK || found) {
        return code;
    }
    for (size_t i = 0; i < t->rows.n; i++) {
        if (rows[i].id != 0) { /* the idle thread, which is no recording's */
            ts_nearest_add(&near, rows[i].id,
                           a->first == THREAD_PROCESS ? rows[i].process : rows[i].name,
                           TS_TEXT_NULL);
        }
    }
    near.typed = a->typed;
    return ts_nearest_fail(ctx, "thread", "threads are ", &near);
}

/* The next part of a list, into `part` with its commas: *rest is what is left. */
static ts_code next_part(ts_buf *part, ts_ctx *ctx, ts_text *rest)
{
    size_t i = 0;
    ts_code code = TS_OK;
    part->n = 0;
    while (i < rest->n && rest->p[i] != ',' && code == TS_OK) {
        i += rest->p[i] == '\\' && i + 1 < rest->n && rest->p[i + 1] == ',' ? 1 : 0;
        code = ts_buf_putc(ctx, part, rest->p[i]);
        i++;
    }
    *rest = i < rest->n ? (ts_text){rest->p + i + 1, rest->n - i - 1} : TS_TEXT_NULL;
    return code;
}

/* Threads whose name is all of the text, commas and forms included. */
static ts_code find_whole(ts_idset *out, ts_ctx *ctx, const ts_threads *t, ts_text text)
{
    const ts_thread_entry *rows = t->rows.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < t->rows.n && code == TS_OK; i++) {
        code = same(rows[i].name, text) ? ts_idset_add(ctx, out, rows[i].id) : TS_OK;
    }
    return code;
}

ts_code ts_threads_find(ts_idset *out, ts_model *m, ts_text selector)
{
    ts_ctx *ctx = ts_model_ctx(m);
    const ts_threads *t = NULL;
    ts_buf part = {0};
    out->all = selector.p == NULL;
    if (out->all) {
        return TS_OK;
    }
    ts_code code = ts_threads_get(&t, m);
    if (code == TS_OK && (code = find_whole(out, ctx, t, selector)) == TS_OK && out->count > 0) {
        return TS_OK;
    }
    for (bool more = true; more && code == TS_OK; more = selector.p != NULL) {
        code = next_part(&part, ctx, &selector);
        ts_text text = part.n == 0 ? TS_TEXT_LIT("") : ts_buf_text(&part);
        const thread_asked asked = asked_of(text);
        if (code == TS_OK && ts_text_is(text, "-")) {
            out->no_id = true;
        } else if (code == TS_OK) {
            code = find_asked(out, m, t, &asked);
        }
    }
    ts_buf_free(ctx, &part);
    return code;
}
