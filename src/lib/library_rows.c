/*
 * Rows: of statements, which SQLite makes one by one, or of answers of the model, which are handed
 * over at once and held.
 *
 * A held row is, for each column, a byte of its type and its value: 8 bytes of a number, or 8 bytes
 * of a length, the bytes and a zero byte.
 */
#include "lib/library.h"

#include "base/alloc.h"
#include "session/ask.h"

#include <locale.h>
#include <stdlib.h>

/* --- held rows ----------------------------------------------------------------------------- */

static ts_code hold_bytes(tst_rows *rows, tst_type type, const void *p, size_t n)
{
    ts_ctx *ctx = &rows->session->ctx;
    const uint64_t length = n;
    TS_TRY(ts_buf_putc(ctx, &rows->held, (char)type));
    if (type == TST_NULL) {
        return TS_OK;
    }
    if (type == TST_INT64 || type == TST_DOUBLE) {
        return ts_buf_put(ctx, &rows->held, p, n);
    }
    TS_TRY(ts_buf_put(ctx, &rows->held, &length, sizeof length));
    TS_TRY(n == 0 ? TS_OK : ts_buf_put(ctx, &rows->held, p, n));
    return ts_buf_putc(ctx, &rows->held, '\0');
}

ts_code library_hold_cell(tst_rows *rows, const library_cell *cell)
{
    switch (cell->type) {
    case TST_INT64:
        return hold_bytes(rows, cell->type, &cell->i, sizeof cell->i);
    case TST_DOUBLE:
        return hold_bytes(rows, cell->type, &cell->r, sizeof cell->r);
    default:
        return hold_bytes(rows, cell->type, cell->p, cell->n);
    }
}

ts_code library_hold(tst_rows *rows)
{
    ts_code code = TS_OK;
    for (int i = 0; i < rows->columns && code == TS_OK; i++) {
        const library_cell cell = library_cell_of(rows, i);
        code = library_hold_cell(rows, &cell);
    }
    return code;
}

/* The next held row becomes the present one. */
static void read_held(tst_rows *rows)
{
    library_cell *cells = rows->cells.p;
    for (int i = 0; i < rows->columns; i++) {
        const char *p = rows->held.p + rows->held_at;
        library_cell *c = &cells[i];
        uint64_t n;
        c->type = (tst_type)*p;
        rows->held_at++;
        switch (c->type) {
        case TST_NULL:
            break;
        case TST_INT64:
            memcpy(&c->i, p + 1, sizeof c->i);
            rows->held_at += sizeof c->i;
            break;
        case TST_DOUBLE:
            memcpy(&c->r, p + 1, sizeof c->r);
            rows->held_at += sizeof c->r;
            break;
        default:
            memcpy(&n, p + 1, sizeof n);
            c->p = p + 1 + sizeof n;
            c->n = (size_t)n;
            rows->held_at += sizeof n + c->n + 1;
        }
    }
}

ts_code library_hold_names(tst_rows *rows, const char *const *names, int n)
{
    ts_ctx *ctx = &rows->session->ctx;
    if (rows->columns != 0) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "an answer has several results");
    }
    rows->columns = n;
    for (int i = 0; i < n; i++) {
        const size_t at = rows->names.n;
        TS_TRY(ts_vec_push(ctx, &rows->offsets, &at, sizeof at));
        TS_TRY(ts_buf_put(ctx, &rows->names, names[i], strlen(names[i]) + 1));
    }
    return TS_OK;
}

/* The visitor of an answer of the model. */
static ts_code hold_header(void *user, const char *const *names, int n)
{
    return library_hold_names(user, names, n);
}

static ts_code hold_row(void *user, const char *const *values, const size_t *lengths,
                        const ts_cell_type *types, int n)
{
    tst_rows *rows = user;
    ts_code code = TS_OK;
    for (int i = 0; i < n && code == TS_OK; i++) {
        library_cell cell = {.type = TST_TEXT, .p = values[i], .n = lengths[i]};
        if (types[i] == TS_CELL_NULL || values[i] == NULL) {
            cell.type = TST_NULL;
        } else if (types[i] == TS_CELL_INT) {
            cell = (library_cell){.type = TST_INT64, .i = strtoll(values[i], NULL, 10)};
        } else if (types[i] == TS_CELL_REAL) {
            cell = (library_cell){.type = TST_DOUBLE,
                                  .r = strtod_l(values[i], NULL, rows->session->locale)};
        } else if (types[i] == TS_CELL_BLOB) {
            cell.type = TST_BLOB;
        }
        code = library_hold_cell(rows, &cell);
    }
    return code;
}

/* --- making -------------------------------------------------------------------------------- */

void tst_rows_free(tst_rows *rows)
{
    if (rows == NULL) {
        return;
    }
    tst_session *s = rows->session;
    ts_steps_close(rows->steps);
    ts_buf_free(&s->ctx, &rows->names);
    ts_buf_free(&s->ctx, &rows->held);
    ts_vec_free(&s->ctx, &rows->offsets);
    ts_vec_free(&s->ctx, &rows->cells);
    ts_free(&s->ctx, rows);
}

ts_code library_new_rows(tst_rows **out, tst_session *s)
{
    *out = NULL;
    if (s->state != LIBRARY_FINISHED) {
        return ts_fail(&s->ctx, TS_ERR_USAGE, "there is no database to ask: %s",
                       s->state == LIBRARY_FAILED ? "the session has failed"
                                                  : "tst_finish was not called");
    }
    TS_NEED(&s->ctx, *out = ts_zalloc(&s->ctx, 1, sizeof **out));
    (*out)->session = s;
    return TS_OK;
}

int library_end_rows(tst_rows **out, tst_session *s, ts_code code)
{
    tst_rows *rows = *out;
    if (code == TS_OK && rows->steps != NULL) {
        rows->columns = ts_steps_columns(rows->steps);
    }
    TS_STEP_IF(code, rows->columns > 0,
               ts_vec_reserve(&s->ctx, &rows->cells, (size_t)rows->columns, sizeof(library_cell)));
    if (code != TS_OK) {
        tst_rows_free(rows);
        *out = NULL;
    }
    return library_end(s, code);
}

int tst_query(tst_rows **out, tst_session *session, const char *sql, const tst_param *params,
              size_t param_count)
{
    library_begin(session);
    ts_code code = library_new_rows(out, session);
    TS_STEP(code, ts_steps_open(&(*out)->steps, session->db, sql, strlen(sql),
                                (const ts_param *)(const void *)params, param_count));
    return library_end_rows(out, session, code);
}

int tst_ask(tst_rows **out, tst_session *session, const char *question, const tst_param *params,
            size_t param_count)
{
    ts_ctx *ctx = &session->ctx;
    const ts_param *given = (const ts_param *)(const void *)params;
    ts_query query = {0};
    library_begin(session);
    ts_code code = library_new_rows(out, session);
    TS_STEP(code, ts_query_read_shipped(&query, ctx, question));
    TS_STEP(code, ts_ask_check(ctx, &query, given, param_count));
    TS_STEP(code, ts_ask_check_fits(session->db, ctx, question, ts_buf_text(&query.sql)));
    TS_STEP(code, ts_ask_open(&(*out)->steps, session->db, ctx, &query, given, param_count));
    if (code == TS_OK && (*out)->steps == NULL) {
        const ts_rows_visitor visitor = {*out, hold_header, hold_row, NULL, NULL};
        code = ts_ask_query(session->db, ctx, &query, given, param_count, &visitor);
    }
    ts_buf_free(ctx, &query.sql);
    return library_end_rows(out, session, code);
}

/* A parameter is the same in both interfaces. */
_Static_assert(sizeof(tst_param) == sizeof(ts_param) &&
                   offsetof(tst_param, name) == offsetof(ts_param, name) &&
                   offsetof(tst_param, value) == offsetof(ts_param, value),
               "tst_param is ts_param");

/* --- reading ------------------------------------------------------------------------------- */

ts_code library_step(bool *row, tst_rows *rows)
{
    ts_code code = TS_OK;
    *row = rows->held_at < rows->held.n;
    rows->is_held = *row;
    if (*row) {
        read_held(rows);
    } else if (rows->steps != NULL) {
        code = ts_steps_next(row, rows->steps);
    }
    rows->row = code == TS_OK && *row;
    return code;
}

int tst_rows_next(tst_rows *rows)
{
    bool row;
    library_begin(rows->session);
    const int code = library_end(rows->session, library_step(&row, rows));
    return code == TST_OK && row ? TST_ROW : code;
}

int tst_rows_columns(const tst_rows *rows)
{
    return rows->columns;
}

const char *tst_rows_name(const tst_rows *rows, int column)
{
    const size_t *offsets = rows->offsets.p;
    if (column < 0 || column >= rows->columns) {
        return NULL;
    }
    return rows->steps == NULL ? rows->names.p + offsets[column]
                               : ts_steps_name(rows->steps, column);
}

/* By ts_cell_type. */
static const tst_type types_of[] = {[TS_CELL_NULL] = TST_NULL,
                                    [TS_CELL_INT] = TST_INT64,
                                    [TS_CELL_REAL] = TST_DOUBLE,
                                    [TS_CELL_TEXT] = TST_TEXT,
                                    [TS_CELL_BLOB] = TST_BLOB};

tst_type library_declared(const tst_rows *rows, int column)
{
    return rows->steps == NULL ? TST_NULL : types_of[ts_steps_declared(rows->steps, column)];
}

library_cell library_cell_of(const tst_rows *rows, int column)
{
    const library_cell *cells = rows->cells.p;
    if (!rows->row || column < 0 || column >= rows->columns) {
        return (library_cell){.type = TST_NULL};
    }
    if (rows->is_held) {
        return cells[column];
    }
    const ts_step_value c = ts_steps_value(rows->steps, column);
    return (library_cell){.type = types_of[c.type], .i = c.i, .r = c.r, .p = c.p, .n = c.n};
}

tst_type tst_rows_type(const tst_rows *rows, int column)
{
    return library_cell_of(rows, column).type;
}

int64_t tst_rows_int64(const tst_rows *rows, int column)
{
    const library_cell c = library_cell_of(rows, column);
    switch (c.type) {
    case TST_INT64:
        return c.i;
    case TST_DOUBLE:
        return c.r >= -9223372036854775808.0 && c.r < 9223372036854775808.0 ? (int64_t)c.r
               : c.r > 0                                                    ? INT64_MAX
               : c.r < 0                                                    ? INT64_MIN
                                                                            : 0;
    case TST_TEXT:
        return strtoll(c.p, NULL, 10);
    default:
        return 0;
    }
}

double tst_rows_double(const tst_rows *rows, int column)
{
    const library_cell c = library_cell_of(rows, column);
    return c.type == TST_INT64    ? (double)c.i
           : c.type == TST_DOUBLE ? c.r
           : c.type == TST_TEXT   ? strtod_l(c.p, NULL, rows->session->locale)
                                  : 0;
}

const char *tst_rows_text(const tst_rows *rows, int column, size_t *n)
{
    const library_cell c = library_cell_of(rows, column);
    const char *text = c.type == TST_NULL ? NULL : c.p;
    size_t length = c.n;
    if (c.type == TST_INT64 || c.type == TST_DOUBLE) {
        library_cell *cells = rows->cells.p;
        text = ts_number_text(cells[column].number,
                              c.type == TST_INT64 ? TS_CELL_INT : TS_CELL_REAL, c.i, c.r);
        length = strlen(text);
    }
    if (n != NULL) {
        *n = length;
    }
    return text;
}

const void *tst_rows_blob(const tst_rows *rows, int column, size_t *n)
{
    return tst_rows_text(rows, column, n);
}
