#include "session/ask.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "session/kinds.h"
#include "session/questions.h"
#include "model/answers.h"
#include "model/java_paths.h"
#include "model/select.h"
#include "model/when.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAMES_SHOWN = 3, TABLE_NAME_MAX = 64 };

/* --- parameters that are given -----------------------------------------------------------------
 */

bool ts_ask_documented(ts_text sql)
{
    return ts_question_part(sql, "Parameters").p != NULL;
}

static bool is_given(const ts_param *params, size_t count, ts_text name)
{
    for (size_t i = 0; i < count; i++) {
        if (ts_text_is(name, params[i].name)) {
            return true;
        }
    }
    return false;
}

/* "from, to, limit" */
static ts_code put_names(ts_buf *out, ts_ctx *ctx, ts_text sql)
{
    ts_text part = ts_question_part(sql, "Parameters");
    ts_question_param param;
    ts_code code = TS_OK;
    while (code == TS_OK && ts_question_param_next(&param, &part)) {
        code = ts_buf_printf(ctx, out, "%s%.*s", out->n == 0 ? "" : ", ", (int)param.names.n,
                             param.names.p);
    }
    return code;
}

static ts_code unknown_param(ts_ctx *ctx, const ts_query *query, const char *name)
{
    ts_buf names = {0};
    ts_code code = put_names(&names, ctx, ts_buf_text(&query->sql));
    TS_STEP(code, ts_fail(ctx, TS_ERR_USAGE, "%s has no parameter \"%s\"%s%.*s", query->name, name,
                          names.n == 0 ? " (it has none)" : "; it has ", (int)names.n,
                          names.n == 0 ? "" : names.p));
    ts_buf_free(ctx, &names);
    return code;
}

ts_code ts_ask_check(ts_ctx *ctx, const ts_query *query, const ts_param *params, size_t count)
{
    ts_text sql = ts_buf_text(&query->sql);
    ts_text part = ts_question_part(sql, "Parameters");
    ts_question_param param;
    ts_text name;
    for (size_t i = 0; part.p != NULL && i < count; i++) {
        if (!ts_question_find_param(&param, sql, params[i].name)) {
            return unknown_param(ctx, query, params[i].name);
        }
    }
    while (ts_question_param_next(&param, &part)) {
        while (param.required && ts_question_name_next(&name, &param.names)) {
            if (!is_given(params, count, name)) {
                return ts_fail(ctx, TS_ERR_USAGE, "%s needs --param %.*s=VALUE: %.*s", query->name,
                               (int)name.n, name.p, (int)param.doc.n, param.doc.p);
            }
        }
    }
    return TS_OK;
}

/* --- what the database holds -------------------------------------------------------------------
 */

static ts_code has_rows(bool *out, ts_db *db, ts_text table)
{
    char sql[TABLE_NAME_MAX + 40];
    int64_t one;
    *out = false;
    for (size_t i = 0; i < table.n; i++) {
        char c = table.p[i];
        if (table.n > TABLE_NAME_MAX ||
            !((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_')) {
            return TS_OK;
        }
    }
    snprintf(sql, sizeof sql, "SELECT 1 FROM %.*s LIMIT 1", (int)table.n, table.p);
    return ts_db_int(&one, out, db, sql);
}

ts_code ts_ask_fits(bool *fits, ts_text *what, ts_db *db, ts_text sql)
{
    ts_text part = ts_question_part(sql, "Needs");
    ts_question_need need;
    ts_code code = TS_OK;
    *fits = part.p == NULL;
    while (code == TS_OK && !*fits && ts_question_need_next(&need, &part)) {
        code = has_rows(fits, db, need.table);
        *what = need.what;
    }
    return code;
}

/* "no sampled stacks and no traced calls" */
static ts_code put_missing(ts_buf *out, ts_ctx *ctx, ts_text sql)
{
    ts_text part = ts_question_part(sql, "Needs");
    ts_question_need need;
    ts_code code = TS_OK;
    while (code == TS_OK && ts_question_need_next(&need, &part)) {
        code = ts_buf_printf(ctx, out, "%sno %.*s", out->n == 0 ? "" : " and ", (int)need.what.n,
                             need.what.p);
    }
    return code;
}

/* Which of the other questions are suggested first. */
typedef struct suggestion {
    ts_text topic;
    bool same; /* those of this topic, or the others */
    bool main; /* those of --report, or the others */
} suggestion;

static bool is_suggested(const ts_shipped *s, const suggestion *want)
{
    ts_text sql = ts_buf_text(&s->sql);
    bool same = ts_text_equal(s->topic, want->topic);
    bool main = ts_question_part(sql, "Report").p != NULL;
    /* What every database has is no suggestion. */
    return same == want->same && main == want->main && !ts_text_is(s->topic, "input") &&
           ts_question_part(sql, "Needs").p != NULL;
}

/* "; it has traced calls: ask a, b": questions that fit, all because of the same rows. */
static ts_code put_others(ts_buf *out, ts_ctx *ctx, const ts_vec *kinds, const ts_questions *all,
                          const suggestion *want)
{
    ts_text first = TS_TEXT_NULL;
    ts_code code = TS_OK;
    unsigned shown = 0;
    for (size_t i = 0; code == TS_OK && i < all->count && shown < NAMES_SHOWN; i++) {
        const ts_shipped *s = &all->all[i];
        ts_text what = TS_TEXT_NULL;
        if (!is_suggested(s, want) || !ts_kinds_has(&what, kinds, s) ||
            (shown > 0 && !ts_text_equal(first, what))) {
            continue;
        }
        code = shown++ == 0
                   ? ts_buf_printf(ctx, out, "; it has %.*s: ask %s", (int)what.n, what.p, s->name)
                   : ts_buf_printf(ctx, out, ", %s", s->name);
        first = what;
    }
    return code;
}

static ts_code does_not_fit(ts_db *db, ts_ctx *ctx, const char *name, ts_text sql)
{
    ts_text topic = ts_question_first(sql, "Topic");
    ts_questions all = {0};
    ts_buf text = {0};
    ts_vec kinds = {0};
    ts_code code = put_missing(&text, ctx, sql);
    size_t n = text.n;
    TS_STEP(code, ts_questions_load(&all, ctx));
    TS_STEP(code, ts_kinds_found(&kinds, db, ctx, &all));
    for (int i = 0; code == TS_OK && text.n == n && i < 4; i++) {
        const suggestion want = {topic, i < 2, i % 2 == 0};
        code = put_others(&text, ctx, &kinds, &all, &want);
    }
    TS_STEP(code, ts_fail(ctx, TS_ERR_USAGE, "cannot answer %s: the database has %.*s", name,
                          (int)text.n, text.p));
    ts_vec_free(ctx, &kinds);
    ts_questions_free(&all, ctx);
    ts_buf_free(ctx, &text);
    return code;
}

ts_code ts_ask_check_fits(ts_db *db, ts_ctx *ctx, const char *name, ts_text sql)
{
    ts_text what = TS_TEXT_NULL;
    bool fits;
    ts_code code = ts_ask_fits(&fits, &what, db, sql);
    if (code != TS_OK || fits) {
        return code;
    }
    return does_not_fit(db, ctx, name, sql);
}

/* --- times -------------------------------------------------------------------------------------
 */

static bool is_plain_number(const char *text)
{
    const char *p = text + (text[0] == '-' ? 1 : 0);
    return *p >= '0' && *p <= '9' && p[strspn(p, "0123456789.eE")] == '\0';
}

static bool is_time_param(ts_text sql, const char *name)
{
    ts_question_param param;
    if (ts_ask_documented(sql)) {
        return ts_question_find_param(&param, sql, name) && param.is_time;
    }
    return strcmp(name, "from") == 0 || strcmp(name, "to") == 0 || strcmp(name, "at") == 0 ||
           strcmp(name, "ts") == 0;
}

typedef struct resolving {
    ts_db *db;
    ts_ctx *ctx;
    ts_model *model;
    ts_text sql;
    const ts_param *given;
    size_t count;
    ts_idset sources; /* that the parameter source names */
} resolving;

static bool names_sources(const ts_question_param *p)
{
    return ts_text_begins(p->doc, "id of a source") || ts_text_begins(p->doc, "a source");
}

static bool names_threads(const ts_question_param *p)
{
    return ts_text_begins(p->doc, "itid of ") || ts_text_begins(p->doc, "a thread");
}

/* Times count from the beginning of the sources that are asked for. */
static ts_code resolve_sources(resolving *r)
{
    ts_question_param param;
    const char *typed = NULL;
    for (size_t i = 0; i < r->count; i++) {
        if (ts_question_find_param(&param, r->sql, r->given[i].name) && names_sources(&param)) {
            typed = r->given[i].value;
        }
    }
    return ts_sources_find(&r->sources, r->model, ts_text_of(typed));
}

static ts_code resolve_threads(ts_buf *text, resolving *r, const ts_param *p)
{
    ts_idset threads = {0};
    ts_code code = ts_threads_find(&threads, r->model, ts_text_of(p->value));
    if (code == TS_OK && threads.no_id) {
        code = ts_fail(r->ctx, TS_ERR_USAGE,
                       "bad value for the parameter %s: a question cannot choose what has no "
                       "thread (-); --to can",
                       p->name);
    }
    TS_STEP(code, ts_idset_put(text, r->ctx, &threads));
    ts_idset_free(r->ctx, &threads);
    return code;
}

static bool names_references(const ts_question_param *p)
{
    return ts_text_begins(p->doc, "references that no path takes");
}

/* The number that is given for a parameter of the question. */
static int64_t given_number(const resolving *r, const char *name, int64_t otherwise)
{
    for (size_t i = 0; i < r->count; i++) {
        if (strcmp(r->given[i].name, name) == 0) {
            return strtoll(r->given[i].value, NULL, 10);
        }
    }
    return otherwise;
}

/* The path itself: a statement cannot look for it. */
static ts_code resolve_references(ts_buf *text, resolving *r, const ts_param *p)
{
    unsigned kinds;
    TS_TRY(ts_java_kinds(&kinds, r->ctx, p->name, ts_text_of(p->value)));
    return ts_java_path_put(text, r->model, given_number(r, "file", 1), given_number(r, "node", 0),
                            kinds);
}

static ts_code resolve_value(ts_buf *text, resolving *r, const ts_param *p)
{
    ts_question_param param;
    int64_t ns;
    bool documented = ts_question_find_param(&param, r->sql, p->name);
    if (documented && names_sources(&param)) {
        return ts_idset_put(text, r->ctx, &r->sources);
    }
    if (documented && names_threads(&param)) {
        return resolve_threads(text, r, p);
    }
    if (documented && names_references(&param)) {
        return resolve_references(text, r, p);
    }
    if (!is_time_param(r->sql, p->name)) {
        return documented ? ts_question_value(text, r->db, r->ctx, &param, r->given, r->count,
                                              (size_t)(p - r->given))
                          : ts_buf_put(r->ctx, text, p->value, strlen(p->value));
    }
    if (is_plain_number(p->value) ||
        !(documented || p->value[0] == '+' || ts_parse_date(&ns, p->value))) {
        return ts_buf_put(r->ctx, text, p->value, strlen(p->value));
    }
    ts_code code = ts_select_time(&ns, r->model, p->name, p->value, &r->sources);
    return code != TS_OK ? code : ts_buf_printf(r->ctx, text, "%" PRId64, ns);
}

static void free_params(ts_ctx *ctx, ts_param *params, size_t count)
{
    for (size_t i = 0; params != NULL && i < count; i++) {
        ts_free(ctx, (char *)(uintptr_t)params[i].value);
    }
    ts_free(ctx, params);
}

/* *out: the parameters with what is bound for them; free_params gives them back. */
static ts_code resolve_params(ts_param **out, ts_db *db, ts_ctx *ctx, ts_text sql,
                              const ts_param *given, size_t count)
{
    const ts_rows_from from = ts_db_rows(db);
    resolving r = {.db = db, .ctx = ctx, .sql = sql, .given = given, .count = count};
    ts_buf text = {0};
    ts_param *params = ts_zalloc(ctx, count, sizeof *params);
    ts_code code = params == NULL ? ctx->error.code : ts_model_open(&r.model, ctx);
    *out = params;
    if (code == TS_OK) {
        ts_model_read(r.model, &from);
        code = resolve_sources(&r);
    }
    for (size_t i = 0; code == TS_OK && i < count; i++) {
        text.n = 0;
        params[i].name = given[i].name;
        code = resolve_value(&text, &r, &given[i]);
        TS_STEP_IF(code, (params[i].value = ts_strndup(ctx, text.p, text.n)) == NULL,
                   ctx->error.code);
    }
    ts_buf_free(ctx, &text);
    ts_idset_free(ctx, &r.sources);
    ts_model_close(r.model);
    return code;
}

/* --- asking ------------------------------------------------------------------------------------
 */

/* What the model is asked with: sources, threads and times as typed, since it knows them itself,
 * all else as what is bound, such as the id of a process that was named. */
static ts_code model_params(ts_param **out, ts_ctx *ctx, ts_text sql, const ts_param *params,
                            const ts_param *given, size_t count)
{
    ts_question_param param;
    TS_NEED(ctx, *out = ts_zalloc(ctx, count + 1, sizeof **out));
    for (size_t i = 0; i < count; i++) {
        bool typed = is_time_param(sql, given[i].name) ||
                     (ts_question_find_param(&param, sql, given[i].name) &&
                      (names_sources(&param) || names_threads(&param)));
        (*out)[i] = typed ? given[i] : params[i];
    }
    return TS_OK;
}

/* A shipped question: the model's answer where it has one, else the statement's. params: what is
 * bound, as resolve_params has it; given: as typed. */
static ts_code ask_shipped(ts_db *db, ts_ctx *ctx, ts_text sql, const ts_param *params,
                           const ts_param *given, size_t count, const ts_rows_visitor *visitor)
{
    ts_text part = ts_question_part(sql, "Model");
    ts_text name = TS_TEXT_NULL;
    size_t column;
    ts_model *model = NULL;
    ts_reader *reader = NULL;
    ts_rows_from from;
    ts_answer *answer = ts_question_line(&name, &column, &part) ? ts_answer_find(name, given, count)
                                                                : (ts_answer *)NULL;
    if (answer == NULL) {
        return ts_db_query(db, sql.p, sql.n, params, count, visitor);
    }
    ts_param *asked = NULL;
    ts_code code = ts_db_rows_open(&from, &reader, db);
    TS_STEP(code, model_params(&asked, ctx, sql, params, given, count));
    TS_STEP(code, ts_model_open(&model, ctx));
    if (code == TS_OK) {
        ts_model_read(model, &from);
        code = answer(model, asked, count, visitor);
    }
    ts_model_close(model);
    ts_free(ctx, asked);
    ts_reader_free(reader);
    return code;
}

ts_code ts_ask_open(ts_steps **out, ts_db *db, ts_ctx *ctx, const ts_query *query,
                    const ts_param *params, size_t count)
{
    const ts_text sql = ts_buf_text(&query->sql);
    ts_text part = ts_question_part(sql, "Model");
    ts_param *resolved = NULL;
    *out = NULL;
    if (query->shipped && part.p != NULL) {
        return TS_OK;
    }
    ts_code code = resolve_params(&resolved, db, ctx, sql, params, count);
    TS_STEP(code, ts_steps_open(out, db, sql.p, sql.n, resolved, count));
    free_params(ctx, resolved, count);
    return code;
}

ts_code ts_ask_query(ts_db *db, ts_ctx *ctx, const ts_query *query, const ts_param *params,
                     size_t count, const ts_rows_visitor *visitor)
{
    const ts_text sql = ts_buf_text(&query->sql);
    ts_param *resolved = NULL;
    ts_code code = resolve_params(&resolved, db, ctx, sql, params, count);
    TS_STEP(code, query->shipped ? ask_shipped(db, ctx, sql, resolved, params, count, visitor)
                                 : ts_db_query(db, sql.p, sql.n, resolved, count, visitor));
    free_params(ctx, resolved, count);
    return code;
}

ts_code ts_ask_rows(ts_db *db, ts_ctx *ctx, ts_text sql, const ts_param *params, size_t count,
                    const ts_rows_visitor *visitor)
{
    ts_param *resolved = NULL;
    ts_code code = resolve_params(&resolved, db, ctx, sql, params, count);
    TS_STEP(code, ask_shipped(db, ctx, sql, resolved, params, count, visitor));
    free_params(ctx, resolved, count);
    return code;
}

/* --- what could be asked -----------------------------------------------------------------------
 */

static ts_code tell_sources(ts_model *model, const ts_choices *choices)
{
    const ts_sources *all = NULL;
    ts_code code = ts_sources_get(&all, model);
    for (size_t i = 0; code == TS_OK && i < all->rows.n; i++) {
        const ts_source_entry *row = (const ts_source_entry *)all->rows.p + i;
        code = row->path.p == NULL ? TS_OK : choices->told(choices->user, row->path);
        TS_STEP_IF(code, row->name.p != NULL, choices->told(choices->user, row->name));
    }
    return code;
}

/* Names as they are typed: a comma divides several. */
static ts_code tell_threads(ts_model *model, ts_ctx *ctx, const ts_choices *choices)
{
    const ts_threads *all = NULL;
    ts_buf name = {0};
    ts_code code = ts_threads_get(&all, model);
    for (size_t i = 0; code == TS_OK && i < all->rows.n; i++) {
        const ts_text text = ((const ts_thread_entry *)all->rows.p + i)->name;
        name.n = 0;
        for (size_t k = 0; code == TS_OK && k < text.n; k++) {
            code = text.p[k] == ',' ? ts_buf_putc(ctx, &name, '\\') : TS_OK;
            TS_STEP(code, ts_buf_putc(ctx, &name, text.p[k]));
        }
        TS_STEP_IF(code, name.n > 0, choices->told(choices->user, ts_buf_text(&name)));
    }
    ts_buf_free(ctx, &name);
    return code;
}

ts_code ts_ask_choices(ts_db *db, ts_ctx *ctx, const ts_question_param *param,
                       const ts_param *given, size_t count, const ts_choices *choices)
{
    ts_model *model = NULL;
    if (db == NULL || !(names_sources(param) || names_threads(param))) {
        return ts_question_choices(db, ctx, param, given, count, choices);
    }
    const ts_rows_from from = ts_db_rows(db);
    ts_code code = ts_model_open(&model, ctx);
    if (code == TS_OK) {
        ts_model_read(model, &from);
        code =
            names_sources(param) ? tell_sources(model, choices) : tell_threads(model, ctx, choices);
    }
    ts_model_close(model);
    return code;
}
