/*
 * Comparisons of two sessions. Both databases are opened once more, in the context of the session
 * that gets the rows: its memory is used, its tst_cancel ends the call, and errors are its own.
 */
#include "lib/library.h"

#include "session/diff/diff_compare.h"

#include <stdlib.h>

/* --- what is asked ------------------------------------------------------------------------- */

static ts_code take_limit(uint64_t *limit, ts_ctx *ctx, const char *text)
{
    const size_t n = strlen(text);
    if (n == 0 || n > 10 || strspn(text, "0123456789") != n ||
        (*limit = strtoull(text, NULL, 10)) > UINT32_MAX) {
        return ts_fail(ctx, TS_ERR_USAGE, "bad value for limit: \"%s\" is not a number of rows",
                       text);
    }
    return TS_OK;
}

static ts_code take_params(diff_asked *asked, ts_ctx *ctx, const tst_param *params, size_t n)
{
    const struct {
        const char *name;
        const char **value;
    } known[] = {
        {"source", &asked->source}, {"before", &asked->before}, {"after", &asked->after},
        {"thread", &asked->thread}, {"event", &asked->event},   {"label", &asked->label},
        {"weight", &asked->weight}, {"from", &asked->from},     {"until", &asked->until},
    };
    for (size_t i = 0; i < n; i++) {
        const char **value = NULL;
        for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
            value = strcmp(params[i].name, known[k].name) == 0 ? known[k].value : value;
        }
        if (value != NULL) {
            *value = params[i].value;
        } else if (strcmp(params[i].name, "limit") == 0) {
            TS_TRY(params[i].value == NULL ? TS_OK
                                           : take_limit(&asked->limit, ctx, params[i].value));
        } else {
            return ts_fail(ctx, TS_ERR_USAGE,
                           "a comparison has no parameter \"%s\"; it has source, before, after, "
                           "thread, event, label, weight, from, until, limit",
                           params[i].name);
        }
    }
    return TS_OK;
}

/* --- both sides ---------------------------------------------------------------------------- */

typedef struct sides {
    tst_session *of[2];
} sides;

static ts_code open_side(void *user, diff_side *s, unsigned side)
{
    const sides *both = user;
    const tst_session *session = both->of[side];
    s->fd = session->target == NULL ? -1 : ts_target_fd(session->target);
    return ts_db_open(&s->db, s->ctx, tst_path(session));
}

static const char *side_name(const tst_session *s, const char *otherwise)
{
    return s->path != NULL ? s->path : otherwise;
}

/* The inputs; before NULL: there is nothing before. */
static ts_code make_inputs(diff_inputs *out, diff_asked *asked, sides *both)
{
    const tst_session *before = both->of[0];
    tst_session *after = both->of[1];
    *out = (diff_inputs){.paths = {NULL, side_name(after, "the session after")},
                         .count = before == NULL || before == after ? 1 : 2,
                         .one = before == NULL || before == after,
                         .open = open_side,
                         .user = both};
    if (before == NULL && asked->before != NULL) {
        return ts_fail(&after->ctx, TS_ERR_USAGE,
                       "there is no session before, whose source could be \"%s\"", asked->before);
    }
    asked->before = before == NULL ? "none" : asked->before;
    out->paths[0] =
        before == NULL || before == after ? out->paths[1] : side_name(before, "the session before");
    out->one = out->one || (before->path != NULL && after->path != NULL &&
                            strcmp(before->path, after->path) == 0);
    return before == NULL || before->state == LIBRARY_FINISHED
               ? TS_OK
               : ts_fail(&after->ctx, TS_ERR_USAGE,
                         "the session before has no database to compare: %s",
                         before->state == LIBRARY_FAILED ? "it has failed"
                                                         : "tst_finish was not called");
}

/* --- rows ---------------------------------------------------------------------------------- */

static ts_code hold_number(tst_rows *rows, diff_cell number)
{
    const library_cell cell = {.type = number.type == TS_CELL_INT    ? TST_INT64
                                       : number.type == TS_CELL_REAL ? TST_DOUBLE
                                                                     : TST_NULL,
                               .i = number.type == TS_CELL_INT ? number.u.i : 0,
                               .r = number.type == TS_CELL_REAL ? number.u.r : 0};
    return library_hold_cell(rows, &cell);
}

static ts_code hold_row(tst_rows *rows, const diff_columns *columns, const diff_result *r,
                        const diff_row *row, ts_buf *text)
{
    ts_text keys[DIFF_KEYS];
    TS_TRY(diff_key_texts(keys, text, r, row));
    for (unsigned i = 0; i < r->shape->key_count; i++) {
        const library_cell cell = {
            .type = keys[i].p == NULL ? TST_NULL : TST_TEXT, .p = keys[i].p, .n = keys[i].n};
        TS_TRY(library_hold_cell(rows, &cell));
    }
    for (unsigned i = 0; i < columns->count; i++) {
        const diff_column *c = &columns->all[i];
        TS_TRY(hold_number(rows, diff_column_cell(r, row, c->value, c->part)));
    }
    return TS_OK;
}

static ts_code hold_result(tst_rows *rows, const diff_result *r)
{
    diff_columns columns;
    const char *names[DIFF_COLUMNS];
    ts_buf text = {0};
    diff_columns_list(&columns, r, false);
    ts_code code = library_hold_names(rows, names, (int)diff_columns_names(names, &columns, r));
    for (size_t i = 0; code == TS_OK && i < diff_result_shown(r); i++) {
        code = ts_check_cancel(r->ctx);
        TS_STEP(code, hold_row(rows, &columns, r, diff_result_row(r, i), &text));
    }
    ts_buf_free(r->ctx, &text);
    return code;
}

int tst_diff(tst_rows **out, tst_session *before, tst_session *after, const char *by,
             const tst_param *params, size_t param_count)
{
    ts_ctx *ctx = &after->ctx;
    sides both = {{before, after}};
    diff_asked asked = {.by = by};
    diff_inputs inputs = {0};
    diff_comparison d;
    library_begin(after);
    ts_code code = library_new_rows(out, after);
    TS_STEP(code, take_params(&asked, ctx, params, param_count));
    TS_STEP(code, make_inputs(&inputs, &asked, &both));
    diff_begin(&d, ctx, &asked);
    TS_STEP(code, diff_prepare(&d));
    TS_STEP(code, diff_open(&d, &inputs));
    TS_STEP(code, diff_run(&d));
    TS_STEP(code, hold_result(*out, &d.result));
    diff_end(&d);
    return library_end_rows(out, after, code);
}
