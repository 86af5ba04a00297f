#include "session/questions.h"

#include "base/alloc.h"
#include "base/names.h"
#include "tables/question_text.h"

#include <stdlib.h>

enum { NAME_COLUMN = 24 };

/* --- finding ------------------------------------------------------------------------------- */

static int compare_texts(ts_text a, ts_text b)
{
    size_t n = a.n < b.n ? a.n : b.n;
    int order = n == 0 ? 0 : memcmp(a.p, b.p, n);
    return order != 0 ? order : (a.n > b.n) - (a.n < b.n);
}

static int compare_questions(const void *a, const void *b)
{
    const ts_shipped *x = a;
    const ts_shipped *y = b;
    int order = compare_texts(x->topic, y->topic);
    return order != 0 ? order : strcmp(x->name, y->name);
}

static ts_code add_question(ts_questions *q, ts_ctx *ctx, int dir, const char *file)
{
    ts_shipped *all = ts_realloc(ctx, q->all, q->count + 1, sizeof *all);
    TS_NEED(ctx, all);
    q->all = all;
    ts_shipped *s = &all[q->count];
    *s = (ts_shipped){.name = ts_strndup(ctx, file, strlen(file) - 4)};
    TS_NEED(ctx, s->name);
    q->count++;
    ts_code code = ts_query_read_at(&s->sql, ctx, dir, file);
    s->topic = ts_question_first(ts_buf_text(&s->sql), "Topic");
    s->topic = s->topic.n == 0 ? TS_TEXT_LIT("own") : s->topic;
    return code;
}

static void sort_questions(ts_questions *q)
{
    if (q->count > 0) {
        qsort(q->all, q->count, sizeof *q->all, compare_questions);
    }
}

/* Those of a folder. own: it is the user's, and those that have a name which is taken are left out.
 */
static ts_code add_folder(ts_questions *q, ts_ctx *ctx, DIR *dir, bool own)
{
    const struct dirent *entry;
    ts_code code = TS_OK;
    while (code == TS_OK && (entry = readdir(dir)) != NULL) {
        size_t n = strlen(entry->d_name);
        if (entry->d_name[0] == '.' || n <= 4 || strcmp(entry->d_name + n - 4, ".sql") != 0 ||
            (own && ts_questions_find(q, entry->d_name) != NULL)) {
            continue;
        }
        code = add_question(q, ctx, dirfd(dir), entry->d_name);
    }
    return code;
}

/* A folder that is not there has none. */
static ts_code add_own(ts_questions *q, ts_ctx *ctx)
{
    const char *rest = ctx->question_dirs;
    ts_text folder;
    ts_buf path = {0};
    ts_code code = TS_OK;
    while (code == TS_OK && ts_query_own_folder(&folder, &rest)) {
        DIR *dir = NULL;
        path.n = 0;
        code = ts_buf_put(ctx, &path, folder.p, folder.n);
        TS_STEP(code, ts_buf_putc(ctx, &path, '\0'));
        if (code == TS_OK && (dir = opendir(path.p)) != NULL) {
            code = add_folder(q, ctx, dir, true);
            (void)closedir(dir);
        }
    }
    ts_buf_free(ctx, &path);
    return code;
}

ts_code ts_questions_load(ts_questions *out, ts_ctx *ctx)
{
    TS_TRY(ts_questions_load_from(out, ctx, ""));
    ts_code code = add_own(out, ctx);
    if (code != TS_OK) {
        ts_questions_free(out, ctx);
        return code;
    }
    sort_questions(out);
    return TS_OK;
}

ts_code ts_questions_load_from(ts_questions *out, ts_ctx *ctx, const char *folder)
{
    DIR *dir;
    ts_code code = ts_query_open_shipped(&dir, ctx, folder);
    *out = (ts_questions){0};
    if (dir != NULL) {
        TS_STEP(code, add_folder(out, ctx, dir, false));
        (void)closedir(dir);
    }
    if (code != TS_OK) {
        ts_questions_free(out, ctx);
        return code;
    }
    sort_questions(out);
    return TS_OK;
}

void ts_questions_free(ts_questions *q, ts_ctx *ctx)
{
    for (size_t i = 0; i < q->count; i++) {
        ts_free(ctx, q->all[i].name);
        ts_buf_free(ctx, &q->all[i].sql);
    }
    ts_free(ctx, q->all);
    *q = (ts_questions){0};
}

const ts_shipped *ts_questions_find(const ts_questions *q, const char *name)
{
    size_t n = strlen(name);
    n -= n > 4 && strcmp(name + n - 4, ".sql") == 0 ? 4 : 0;
    for (size_t i = 0; i < q->count; i++) {
        if (strlen(q->all[i].name) == n && memcmp(q->all[i].name, name, n) == 0) {
            return &q->all[i];
        }
    }
    return NULL;
}

const char *ts_questions_nearest(const ts_questions *q, const char *typed)
{
    const char *best = NULL;
    size_t n = strlen(typed);
    n -= n > 4 && strcmp(typed + n - 4, ".sql") == 0 ? 4 : 0;
    size_t limit = n / 3 < 3 ? n / 3 : 3; /* farther is not a typing error */
    for (size_t i = 0; i < q->count; i++) {
        size_t d = ts_edit_distance(typed, n, q->all[i].name, strlen(q->all[i].name));
        if (d < limit || (d == limit && best == NULL)) {
            best = q->all[i].name;
            limit = d;
        }
    }
    return best;
}

/* --- --questions --------------------------------------------------------------------------- */

static ts_code put_text(ts_buf *out, ts_ctx *ctx, ts_text t)
{
    return ts_buf_put(ctx, out, t.p, t.n);
}

/* "from, to, limit, node (required)" */
static ts_code put_params(ts_buf *out, ts_ctx *ctx, ts_text sql)
{
    ts_text part = ts_question_part(sql, "Parameters");
    ts_question_param param;
    const char *before = "parameters: ";
    ts_code code = TS_OK;
    while (code == TS_OK && ts_question_param_next(&param, &part)) {
        ts_text name;
        while (code == TS_OK && ts_question_name_next(&name, &param.names)) {
            code = ts_buf_printf(ctx, out, "%s%.*s%s", before, (int)name.n, name.p,
                                 param.required ? " (required)" : "");
            before = ", ";
        }
    }
    TS_STEP_IF(code, strcmp(before, ", ") != 0, ts_buf_printf(ctx, out, "no parameters"));
    return code;
}

static ts_code put_question(ts_buf *out, ts_ctx *ctx, const ts_shipped *s)
{
    ts_text sql = ts_buf_text(&s->sql);
    ts_code code = ts_buf_printf(ctx, out, "  %-*s ", NAME_COLUMN, s->name);
    TS_STEP(code, put_text(out, ctx, ts_question_first(sql, "Question")));
    TS_STEP(code, ts_buf_printf(ctx, out, "\n  %*s ", NAME_COLUMN, ""));
    TS_STEP(code, put_params(out, ctx, sql));
    return code != TS_OK ? code : ts_buf_putc(ctx, out, '\n');
}

ts_code ts_questions_list(ts_buf *out, ts_ctx *ctx, const ts_questions *q)
{
    ts_text topic = TS_TEXT_NULL;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < q->count; i++) {
        const ts_shipped *s = &q->all[i];
        if (topic.p == NULL || compare_texts(topic, s->topic) != 0) {
            topic = s->topic;
            code = ts_buf_printf(ctx, out, "%s%.*s:\n", i == 0 ? "" : "\n", (int)topic.n, topic.p);
        }
        TS_STEP(code, put_question(out, ctx, s));
    }
    return code;
}

/* The comment that begins the file, without comment signs. */
static ts_code put_one(ts_buf *out, ts_ctx *ctx, const ts_shipped *s)
{
    ts_text sql = ts_buf_text(&s->sql);
    const char *p = sql.p;
    const char *end = p + sql.n;
    ts_code code = TS_OK;
    while (code == TS_OK && end - p > 3 && memcmp(p, "-- ", 3) == 0) {
        const char *newline = memchr(p, '\n', (size_t)(end - p));
        const char *stop = newline == NULL ? end : newline + 1;
        code = ts_buf_put(ctx, out, p + 3, (size_t)(stop - p) - 3);
        p = stop;
    }
    return code;
}

ts_code ts_questions_installed(ts_questions *out, ts_ctx *ctx)
{
    ts_code code = ts_questions_load(out, ctx);
    TS_STEP_IF(code, out->count == 0,
               ts_fail(ctx, TS_ERR_INPUT, "the shipped questions are not installed: %s is missing",
                       TS_DATA_DIR "/sql"));
    return code;
}

ts_code ts_questions_about(ts_buf *out, ts_ctx *ctx, const char *name)
{
    ts_questions q;
    ts_code code;
    TS_TRY_INTO(code, ts_questions_installed(&q, ctx));
    const ts_shipped *found = name == NULL ? NULL : ts_questions_find(&q, name);
    if (name == NULL) {
        code = ts_questions_list(out, ctx, &q);
    } else if (found != NULL) {
        code = put_one(out, ctx, found);
    } else {
        const char *nearest = ts_questions_nearest(&q, name);
        code = ts_fail(ctx, TS_ERR_USAGE, "unknown question \"%s\"%s%s%s", name,
                       nearest == NULL ? " (--questions lists them)" : "; did you mean ",
                       nearest == NULL ? "" : nearest, nearest == NULL ? "" : "?");
    }
    ts_questions_free(&q, ctx);
    return code;
}
