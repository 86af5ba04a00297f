/* Sources and threads by what people type (sources.h). */
#include "base/buf.h"
#include "model/names.h"
#include "model/sources.h"

static bool number_of(int64_t *out, ts_text text)
{
    *out = 0;
    if (text.n == 0 || text.n > 18) {
        return false;
    }
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] < '0' || text.p[i] > '9') {
            return false;
        }
        *out = *out * 10 + (text.p[i] - '0');
    }
    return true;
}

static bool same(ts_text a, ts_text b)
{
    return a.p != NULL && b.p != NULL && a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

static ts_code find_none(ts_ctx *ctx, const char *what, const char *those, const ts_nearest *near)
{
    ts_buf names = {0};
    ts_code code = ts_nearest_put(&names, ctx, near);
    if (code == TS_OK) {
        code = ts_fail(ctx, TS_ERR_USAGE, "no %s is \"%.*s\"; %s%.*s", what,
                       (int)(near->typed.n > 100 ? 100 : near->typed.n), near->typed.p,
                       names.n == 0 ? "none was recorded" : those, (int)names.n,
                       names.n == 0 ? "" : names.p);
    }
    ts_buf_free(ctx, &names);
    return code;
}

/* --- sources --------------------------------------------------------------------------------- */

/* Ways in which a source is named, in the order of preference. */
typedef enum source_way {
    SOURCE_ID,
    SOURCE_PATH,
    SOURCE_NAME,
    SOURCE_PATH_NAME,
    SOURCE_LAST_PART,
    SOURCE_GLOB,
    SOURCE_WAYS
} source_way;

static ts_text last_part(ts_text path)
{
    size_t at = path.n;
    while (at > 0 && path.p[at - 1] != '/') {
        at--;
    }
    return path.p == NULL ? path : (ts_text){path.p + at, path.n - at};
}

static const ts_source_entry *source_by_id(const ts_sources *s, int64_t id)
{
    const ts_source_entry *rows = s->rows.p;
    for (size_t i = 0; i < s->rows.n; i++) {
        if (rows[i].id == id) {
            return &rows[i];
        }
    }
    return NULL;
}

/* The nearest path at or above it. */
static ts_text path_of(const ts_sources *s, const ts_source_entry *row)
{
    for (size_t steps = 0; row != NULL && steps <= s->rows.n; steps++) {
        if (row->path.n > 0) {
            return row->path;
        }
        row = source_by_id(s, row->parent);
    }
    return TS_TEXT_NULL;
}

/* Whether the text is first, a slash and second. */
static bool is_pair(ts_text text, ts_text first, ts_text second)
{
    return first.p != NULL && second.p != NULL && text.n == first.n + 1 + second.n &&
           memcmp(text.p, first.p, first.n) == 0 && text.p[first.n] == '/' &&
           memcmp(text.p + first.n + 1, second.p, second.n) == 0;
}

static bool is_source(const ts_sources *s, const ts_source_entry *row, source_way way,
                      ts_text typed)
{
    int64_t id;
    ts_text path;
    switch (way) {
    case SOURCE_ID:
        return number_of(&id, typed) && row->id == id;
    case SOURCE_PATH:
        return same(row->path, typed);
    case SOURCE_NAME:
        return same(row->name, typed);
    case SOURCE_PATH_NAME:
        path = path_of(s, row);
        return is_pair(typed, path, row->name) || is_pair(typed, last_part(path), row->name);
    case SOURCE_LAST_PART:
        return same(last_part(row->path), typed);
    case SOURCE_GLOB:
        return ts_glob_is(typed) &&
               ((row->path.p != NULL &&
                 (ts_glob_fits(typed, row->path) || ts_glob_fits(typed, last_part(row->path)))) ||
                (row->name.p != NULL && ts_glob_fits(typed, row->name)));
    case SOURCE_WAYS:
        break;
    }
    return false;
}

/* Parents come before their children. */
static ts_code add_children(ts_idset *out, ts_ctx *ctx, const ts_sources *s)
{
    const ts_source_entry *rows = s->rows.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < s->rows.n && code == TS_OK; i++) {
        if (rows[i].parent != 0 && ts_idset_has(out, rows[i].parent)) {
            code = ts_idset_add(ctx, out, rows[i].id);
        }
    }
    return code;
}

ts_code ts_sources_find(ts_idset *out, ts_model *m, ts_text selector)
{
    ts_ctx *ctx = ts_model_ctx(m);
    const ts_sources *s;
    ts_nearest near = {.typed = selector};
    out->all = selector.p == NULL;
    if (out->all) {
        return TS_OK;
    }
    ts_code code = ts_sources_get(&s, m);
    if (code != TS_OK) {
        return code;
    }
    const ts_source_entry *rows = s->rows.p;
    for (source_way way = 0; way < SOURCE_WAYS && out->count == 0; way++) {
        for (size_t i = 0; i < s->rows.n && code == TS_OK; i++) {
            code =
                is_source(s, &rows[i], way, selector) ? ts_idset_add(ctx, out, rows[i].id) : TS_OK;
        }
    }
    if (code != TS_OK || out->count > 0) {
        return code != TS_OK ? code : add_children(out, ctx, s);
    }
    for (size_t i = 0; i < s->rows.n; i++) {
        ts_nearest_add(&near, rows[i].id, rows[i].name.n > 0 ? rows[i].name : rows[i].path,
                       last_part(rows[i].path));
    }
    return find_none(ctx, "source", "sources are ", &near);
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
    bool is_number = number_of(&number, text);
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
    return find_none(ctx, "thread", "threads are ", &near);
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
