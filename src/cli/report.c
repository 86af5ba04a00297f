#include "cli/report.h"

#include "base/utf8.h"
#include "session/ask.h"
#include "session/kinds.h"
#include "cli/people.h"
#include "cli/query_rows.h"
#include "tables/question_text.h"
#include "session/questions.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

enum { TEXT_SHOWN = 100, NAME_COLUMN = 11, KINDS_MAX = 64, LINE_COLUMNS = 72 };

/* A value of a row that is held. */
typedef struct held {
    size_t at, n; /* in texts */
    ts_cell_type type;
} held;

typedef struct report {
    ts_db *db;
    ts_ctx *ctx;
    ts_output *out;
    bool as_json, raw;
    ts_jout json;
    ts_table_text table;
    ts_people people;
    const ts_shipped *question; /* whose section is written */
    ts_text title;
    ts_vec names; /* const char *: of its columns */
    ts_buf name_texts;
    bool fits; /* the database has inputs */
    bool any;  /* a section comes before */
    int columns;
    ts_vec kinds; /* of ts_kind */
    ts_vec cells; /* of held: the rows of this section */
    ts_buf texts;
    ts_vec values, types; /* ts_text, ts_cell_type: of one of them */
    ts_buf cut;           /* as it is shown */
} report;

/* --- rows that are held ---------------------------------------------------------------------- */

static const char *name_at(const report *r, int column)
{
    return ((const char *const *)r->names.p)[column];
}

static size_t held_rows(const report *r)
{
    return r->columns == 0 ? 0 : r->cells.n / (size_t)r->columns;
}

static ts_code hold_row(report *r, const char *const *values, const size_t *lengths,
                        const ts_cell_type *types, int n)
{
    r->columns = n;
    for (int i = 0; i < n; i++) {
        const held cell = {r->texts.n, lengths[i], types[i]};
        TS_TRY(ts_vec_push(r->ctx, &r->cells, &cell, sizeof cell));
        TS_TRY(ts_buf_put(r->ctx, &r->texts, values[i], lengths[i]));
        TS_TRY(ts_buf_putc(r->ctx, &r->texts, '\0')); /* numbers are read as C reads them */
    }
    return TS_OK;
}

/* The row as it is held, in r->values and r->types. */
static ts_code take_row(ts_people_row *row, report *r, size_t place)
{
    const held *cells = (const held *)r->cells.p + place * (size_t)r->columns;
    r->values.n = 0;
    r->types.n = 0;
    for (int i = 0; i < r->columns; i++) {
        const ts_text value = {r->texts.p + cells[i].at, cells[i].n};
        TS_TRY(ts_vec_push(r->ctx, &r->values, &value, sizeof value));
        TS_TRY(ts_vec_push(r->ctx, &r->types, &cells[i].type, sizeof cells[i].type));
    }
    *row = (ts_people_row){r->names.p, r->values.p, r->types.p, r->columns};
    return TS_OK;
}

/* Appends the value as it is shown. */
static ts_code put_shown(report *r, const ts_people_row *row, int i)
{
    if (row->types[i] == TS_CELL_TEXT && row->values[i].n > TEXT_SHOWN) {
        return ts_utf8_printable(r->ctx, &r->cut, row->values[i].p, row->values[i].n, TEXT_SHOWN);
    }
    if (row->types[i] == TS_CELL_NULL && !r->raw) {
        return ts_buf_putc(r->ctx, &r->cut, '-');
    }
    return r->raw || row->types[i] == TS_CELL_BLOB
               ? ts_buf_put(r->ctx, &r->cut, row->values[i].p, row->values[i].n)
               : ts_people_put(&r->cut, &r->people, row, i);
}

/* Columns without a value say nothing to a person. */
static bool has_value(const report *r, int column)
{
    const held *cells = r->cells.p;
    for (size_t i = (size_t)column; i < r->cells.n; i += (size_t)r->columns) {
        if (cells[i].type != TS_CELL_NULL) {
            return true;
        }
    }
    return r->raw;
}

/* --- text ---------------------------------------------------------------------------------- */

static ts_code begin_section(report *r)
{
    static const char raw[] = "Times are in ns, sizes in bytes; -q with the name of a question "
                              "gives more rows.\n\n";
    static const char head[] = "-q with the name of a question gives more rows, --raw gives times "
                               "in ns and sizes in bytes.\n\n";
    ts_code code = ts_output_puts(r->out, r->any ? "\n" : r->raw ? raw : head);
    r->any = true;
    TS_STEP(code, ts_output_put(r->out, r->title.p, r->title.n));
    TS_STEP(code, ts_output_puts(r->out, " (-q "));
    TS_STEP(code, ts_output_puts(r->out, r->question->name));
    return code != TS_OK ? code : ts_output_puts(r->out, ")\n");
}

/* The columns that are shown, of their names or of a row. */
typedef struct shown_row {
    const char *values[KINDS_MAX];
    size_t lengths[KINDS_MAX];
    ts_cell_type types[KINDS_MAX];
    int n;
} shown_row;

static ts_code show_row(shown_row *out, report *r, const ts_people_row *row)
{
    size_t at[KINDS_MAX];
    out->n = 0;
    r->cut.n = 0;
    for (int i = 0; i < row->n && out->n < KINDS_MAX; i++) {
        if (has_value(r, i)) {
            at[out->n] = r->cut.n;
            TS_TRY(put_shown(r, row, i));
            out->lengths[out->n] = r->cut.n - at[out->n];
            out->types[out->n++] =
                row->types[i] == TS_CELL_NULL && !r->raw ? TS_CELL_TEXT : row->types[i];
        }
    }
    for (int i = 0; i < out->n; i++) { /* nothing moves any more */
        out->values[i] = r->cut.p + at[i];
    }
    return TS_OK;
}

static ts_code table_of_rows(report *r)
{
    shown_row shown = {.n = 0};
    for (int i = 0; i < r->columns && shown.n < KINDS_MAX; i++) {
        if (has_value(r, i)) {
            shown.values[shown.n++] = name_at(r, i);
        }
    }
    ts_code code = ts_table_text_begin(&r->table, shown.values, shown.n);
    for (size_t i = 0; code == TS_OK && i < held_rows(r); i++) {
        ts_people_row row;
        code = take_row(&row, r, i);
        TS_STEP(code, show_row(&shown, r, &row));
        TS_STEP(code,
                ts_table_text_row(&r->table, shown.values, shown.lengths, shown.types, shown.n));
    }
    return code != TS_OK ? code : ts_table_text_end(&r->table);
}

static ts_code put_line(report *r, const char *name, ts_text value)
{
    char words[64];
    snprintf(words, sizeof words, "  %-*s", NAME_COLUMN, name);
    TS_TRY(ts_output_puts(r->out, words));
    TS_TRY(ts_output_put(r->out, value.p, value.n));
    return ts_output_put(r->out, "\n", 1);
}

/* A line a column: what is read from the top. */
static ts_code lines_of_rows(report *r)
{
    ts_buf line = {0};
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < held_rows(r); i++) {
        ts_people_row row;
        code = i == 0 ? TS_OK : ts_output_put(r->out, "\n", 1);
        TS_STEP(code, take_row(&row, r, i));
        for (int k = 0; code == TS_OK && k < row.n; k++) {
            if (row.types[k] != TS_CELL_NULL) {
                r->cut.n = line.n = 0;
                code = put_shown(r, &row, k);
                TS_STEP(code, ts_utf8_printable(r->ctx, &line, r->cut.p, r->cut.n, SIZE_MAX));
                TS_STEP(code, put_line(r, row.names[k], ts_buf_text(&line)));
            }
        }
    }
    ts_buf_free(r->ctx, &line);
    return code;
}

static bool is_shown_as_lines(const report *r)
{
    return ts_text_is(ts_question_first(ts_buf_text(&r->question->sql), "Shown"), "as lines");
}

/* --- rows ---------------------------------------------------------------------------------- */

/* Names are needed longer than the visitor's. */
static ts_code report_header(void *user, const char *const *names, int n)
{
    report *r = user;
    size_t bytes = 0;
    r->name_texts.n = 0;
    r->names.n = 0;
    for (int i = 0; i < n; i++) {
        bytes += strlen(names[i]) + 1;
    }
    TS_TRY(ts_buf_reserve(r->ctx, &r->name_texts, bytes + 1)); /* nothing moves */
    for (int i = 0; i < n; i++) {
        const char *copy = r->name_texts.p + r->name_texts.n;
        TS_TRY(ts_buf_put(r->ctx, &r->name_texts, names[i], strlen(names[i]) + 1));
        TS_TRY(ts_vec_push(r->ctx, &r->names, &copy, sizeof copy));
    }
    return TS_OK;
}

static ts_code report_row(void *user, const char *const *values, const size_t *lengths,
                          const ts_cell_type *types, int n)
{
    report *r = user;
    if (!r->as_json) {
        return hold_row(r, values, lengths, types, n);
    }
    ts_jout_open(&r->json, NULL, '{');
    for (int i = 0; i < n; i++) {
        ts_json_cell(&r->json, name_at(r, i), (ts_text){values[i], lengths[i]}, types[i]);
    }
    ts_jout_close(&r->json, '}');
    return r->json.code != TS_OK ? r->json.code : ts_output_put(r->out, "", 0);
}

static ts_code ask_for(report *r)
{
    ts_text sql = ts_buf_text(&r->question->sql);
    const ts_rows_visitor visitor = {r, report_header, report_row, NULL, NULL};
    const ts_param limit = {"limit", "5"};
    ts_question_param param;
    r->cells.n = r->texts.n = 0;
    r->columns = 0;
    return ts_ask_rows(r->db, r->ctx, sql, &limit,
                       ts_question_find_param(&param, sql, "limit") ? 1 : 0, &visitor);
}

/* What is in the database, by the tables that questions need, in lines. */
static ts_code text_kinds(report *r)
{
    const ts_kind *kinds = r->kinds.p;
    const char *name = "holds";
    ts_buf line = {0};
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < r->kinds.n; i++) {
        code = ts_buf_printf(r->ctx, &line, "%.*s (%" PRId64 ")%s", (int)kinds[i].what.n,
                             kinds[i].what.p, kinds[i].rows, i + 1 < r->kinds.n ? ", " : "");
        if (code == TS_OK && (line.n > LINE_COLUMNS || i + 1 == r->kinds.n)) {
            line.n -= line.p[line.n - 1] == ' ' ? 1 : 0;
            code = put_line(r, name, ts_buf_text(&line));
            name = "";
            line.n = 0;
        }
    }
    ts_buf_free(r->ctx, &line);
    return code;
}

static ts_code text_section(report *r)
{
    ts_code code = ask_for(r);
    if (code != TS_OK || held_rows(r) == 0) {
        return code;
    }
    code = begin_section(r);
    if (code != TS_OK || !is_shown_as_lines(r)) {
        return code != TS_OK ? code : table_of_rows(r);
    }
    code = lines_of_rows(r);
    return code != TS_OK ? code : text_kinds(r);
}

static ts_code section(report *r)
{
    ts_text what;
    ts_code code;
    if (!ts_kinds_has(&what, &r->kinds, r->question)) {
        return TS_OK;
    }
    if (!r->as_json) {
        return text_section(r);
    }
    ts_jout_open(&r->json, NULL, '{');
    ts_jout_str(&r->json, "question", r->question->name);
    ts_jout_text(&r->json, "title", r->title);
    ts_jout_open(&r->json, "rows", '[');
    code = ask_for(r);
    ts_jout_close(&r->json, ']');
    ts_jout_close(&r->json, '}');
    return code != TS_OK ? code : r->json.code;
}

static void json_kinds(report *r)
{
    const ts_kind *kinds = r->kinds.p;
    ts_jout_open(&r->json, "holds", '[');
    for (size_t i = 0; i < r->kinds.n; i++) {
        ts_jout_open(&r->json, NULL, '{');
        ts_jout_text(&r->json, "what", kinds[i].what);
        ts_jout_text(&r->json, "table", kinds[i].table);
        ts_jout_int(&r->json, "rows", kinds[i].rows);
        ts_jout_close(&r->json, '}');
    }
    ts_jout_close(&r->json, ']');
}

/* Also after a failure all brackets are closed: other databases may follow. */
static ts_code sections(report *r, const ts_questions *all)
{
    ts_code code = TS_OK;
    if (r->as_json) {
        json_kinds(r);
        ts_jout_open(&r->json, "sections", '[');
    }
    for (size_t i = 0; code == TS_OK && i < all->count; i++) {
        r->question = &all->all[i];
        if (ts_report_order(&r->title, r->question) > 0) {
            code = section(r);
        }
    }
    if (r->as_json) {
        ts_jout_close(&r->json, ']');
    }
    return code;
}

static void json_head(report *r)
{
    if (r->as_json) {
        ts_jout_open(&r->json, NULL, '{');
        ts_jout_str(&r->json, "tool", "trace_streamer");
        ts_jout_str(&r->json, "version", r->ctx->version);
    }
}

/* The end of everything. */
static ts_code json_foot(report *r)
{
    if (r->as_json) {
        ts_jout_close(&r->json, '}');
        TS_TRY(r->json.code);
        TS_TRY(ts_output_put(r->out, "\n", 1));
    }
    return ts_output_flush(r->out);
}

static ts_code find_range(report *r)
{
    bool begins = false, ends = false;
    int64_t one;
    ts_code code = ts_db_int(&one, &r->fits, r->db, "SELECT 1 FROM source LIMIT 1");
    TS_STEP(code, ts_db_int(&r->people.begin, &begins, r->db, "SELECT start_ts FROM trace_range"));
    TS_STEP(code, ts_db_int(&r->people.end, &ends, r->db, "SELECT end_ts FROM trace_range"));
    if (code == TS_OK && !(begins && ends)) {
        r->people.begin = r->people.end = 0;
    }
    return code != TS_OK || r->fits
               ? code
               : ts_fail(
                     r->ctx, TS_ERR_INPUT,
                     "there is nothing to report: the database was not written by trace_streamer");
}

static void free_report(report *r)
{
    ts_table_text_free(&r->table);
    ts_buf_free(r->ctx, &r->cut);
    ts_buf_free(r->ctx, &r->texts);
    ts_buf_free(r->ctx, &r->name_texts);
    ts_vec_free(r->ctx, &r->names);
    ts_vec_free(r->ctx, &r->cells);
    ts_vec_free(r->ctx, &r->values);
    ts_vec_free(r->ctx, &r->types);
    ts_vec_free(r->ctx, &r->kinds);
}

static ts_code begin_report(report *r, ts_questions *all, ts_ctx *ctx, const ts_options *options,
                            ts_output *out)
{
    *r = (report){.ctx = ctx,
                  .out = out,
                  .as_json = options->report == TS_REPORT_JSON,
                  .raw = options->raw,
                  .people = {.ctx = ctx}};
    r->json = ts_jout_spaced(ctx, &out->buf, 5);
    ts_table_text_init(&r->table, out, isatty(out->fd) == 1 ? ts_screen_columns(out->fd) : 0);
    TS_TRY(ts_questions_installed(all, ctx));
    ts_report_sort(all);
    return TS_OK;
}

ts_code ts_report(ts_db *db, ts_ctx *ctx, const ts_options *options, ts_output *out)
{
    report r;
    ts_questions all = {0};
    ts_code code = begin_report(&r, &all, ctx, options, out);
    r.db = db;
    TS_STEP(code, find_range(&r));
    TS_STEP(code, ts_kinds_found(&r.kinds, db, ctx, &all));
    if (code == TS_OK) {
        json_head(&r);
        code = sections(&r, &all);
        TS_STEP(code, json_foot(&r));
    }
    free_report(&r);
    ts_questions_free(&all, ctx);
    return out->gone ? TS_OK : code;
}

/* --- several databases ------------------------------------------------------------------------ */

/* The database as a heading, or as the first member of its object. */
static ts_code begin_part(report *r, const char *path)
{
    if (r->as_json) {
        ts_jout_open(&r->json, NULL, '{');
        ts_jout_str(&r->json, "recording", path);
        return r->json.code;
    }
    r->cut.n = 0;
    TS_TRY(ts_utf8_printable(r->ctx, &r->cut, path, strlen(path), SIZE_MAX));
    TS_TRY(ts_output_puts(r->out, r->any ? "\n=== " : "=== "));
    TS_TRY(ts_output_put(r->out, r->cut.p, r->cut.n));
    r->any = false; /* it has the first lines of a report, too */
    return ts_output_puts(r->out, "\n\n");
}

static ts_code report_part(report *r, const ts_questions *all, const char *path)
{
    ts_code code = ts_db_open(&r->db, r->ctx, path);
    r->kinds.n = 0;
    TS_STEP(code, find_range(r));
    TS_STEP(code, ts_kinds_found(&r->kinds, r->db, r->ctx, all));
    TS_STEP(code, begin_part(r, path));
    if (code == TS_OK) {
        code = sections(r, all);
        if (r->as_json) {
            ts_jout_close(&r->json, '}');
        }
        r->any = true;
    }
    ts_db_close(r->db);
    r->db = NULL;
    TS_STEP(code, ts_check_cancel(r->ctx));
    return code;
}

ts_code ts_report_many(ts_ctx *ctx, const ts_options *options, ts_output *out)
{
    report r;
    ts_questions all = {0};
    size_t failed = 0;
    ts_code code = begin_report(&r, &all, ctx, options, out);
    r.json.flat = 7; /* two levels more than that of one */
    json_head(&r);
    if (r.as_json) {
        ts_jout_open(&r.json, "recordings", '[');
    }
    for (size_t i = 0; code == TS_OK && i < options->path_count; i++) {
        code = report_part(&r, &all, options->paths[i]);
        if (code == TS_ERR_INPUT || code == TS_ERR_USAGE || code == TS_ERR_FORMAT) {
            ts_message(ctx, "%s: %s", options->paths[i], ctx->error.causes[0]);
            failed++;
            code = TS_OK;
        }
    }
    if (r.as_json) {
        ts_jout_close(&r.json, ']');
    }
    TS_STEP(code, json_foot(&r));
    free_report(&r);
    ts_questions_free(&all, ctx);
    TS_STEP_IF(code, failed > 0 && !options->keep_going,
               ts_fail(ctx, TS_ERR_INPUT, "%zu of %zu databases could not be reported", failed,
                       options->path_count));
    return out->gone ? TS_OK : code;
}
