#include "cli/report.h"

#include "base/utf8.h"
#include "cli/ask.h"
#include "cli/query_rows.h"
#include "tables/question_text.h"
#include "cli/questions.h"

#include <stdlib.h>

enum { TEXT_SHOWN = 100 };

typedef struct report {
    ts_db *db;
    ts_ctx *ctx;
    ts_output *out;
    bool as_json;
    ts_jout json;
    ts_table_text table;
    const ts_shipped *question; /* whose section is written */
    ts_text title;
    const char *const *names; /* of its columns */
    bool fits;                /* a question did */
    bool any;                 /* a table comes before */
    bool rows;                /* this section has some */
    ts_buf cut;               /* long texts of a row */
} report;

/* "40 Hottest methods": the number and the rest. */
static long report_order(const ts_shipped *s, ts_text *title)
{
    ts_text line = ts_question_first(ts_buf_text(&s->sql), "Report");
    long order = 0;
    size_t i = 0;
    for (; i < line.n && i < 9 && line.p[i] >= '0' && line.p[i] <= '9'; i++) {
        order = order * 10 + (line.p[i] - '0');
    }
    while (i < line.n && line.p[i] == ' ') {
        i++;
    }
    *title = (ts_text){line.p + i, line.n - i};
    return order;
}

static int compare_order(const void *a, const void *b)
{
    ts_text title;
    long x = report_order(a, &title);
    long y = report_order(b, &title);
    return (x > y) - (x < y);
}

/* --- text ---------------------------------------------------------------------------------- */

static ts_code begin_table(report *r, int n)
{
    static const char head[] = "Times are in ns, sizes in bytes; -q with the name of a question "
                               "gives more rows.\n\n";
    ts_code code = ts_output_puts(r->out, r->any ? "\n" : head);
    r->any = true;
    TS_STEP(code, ts_output_put(r->out, r->title.p, r->title.n));
    TS_STEP(code, ts_output_puts(r->out, " (-q "));
    TS_STEP(code, ts_output_puts(r->out, r->question->name));
    TS_STEP(code, ts_output_puts(r->out, ")\n"));
    return code != TS_OK ? code : ts_table_text_begin(&r->table, r->names, n);
}

static ts_code table_row(report *r, const char *const *values, const size_t *lengths,
                         const ts_cell_type *types, int n)
{
    enum { COLUMNS_MAX = 64 };
    const char *shown[COLUMNS_MAX];
    size_t sizes[COLUMNS_MAX];
    ts_code code = r->rows ? TS_OK : begin_table(r, n);
    r->rows = true;
    if (code != TS_OK || n > COLUMNS_MAX) {
        return code;
    }
    r->cut.n = 0;
    code = ts_buf_reserve(r->ctx, &r->cut, (size_t)n * (TEXT_SHOWN + 16)); /* nothing moves */
    for (int i = 0; code == TS_OK && i < n; i++) {
        shown[i] = values[i];
        sizes[i] = lengths[i];
        if (types[i] == TS_CELL_TEXT && lengths[i] > TEXT_SHOWN) {
            size_t at = r->cut.n;
            code = ts_utf8_printable(r->ctx, &r->cut, values[i], lengths[i], TEXT_SHOWN);
            shown[i] = r->cut.p + at;
            sizes[i] = r->cut.n - at;
        }
    }
    return code != TS_OK ? code : ts_table_text_row(&r->table, shown, sizes, types, n);
}

/* --- rows ---------------------------------------------------------------------------------- */

static ts_code report_header(void *user, const char *const *names, int n)
{
    report *r = user;
    (void)n;
    r->names = names;
    return TS_OK;
}

static ts_code report_row(void *user, const char *const *values, const size_t *lengths,
                          const ts_cell_type *types, int n)
{
    report *r = user;
    if (!r->as_json) {
        return table_row(r, values, lengths, types, n);
    }
    ts_jout_open(&r->json, NULL, '{');
    for (int i = 0; i < n; i++) {
        ts_json_cell(&r->json, r->names[i], (ts_text){values[i], lengths[i]}, types[i]);
    }
    ts_jout_close(&r->json, '}');
    return r->json.code != TS_OK ? r->json.code : ts_output_put(r->out, "", 0);
}

static ts_code ask_for(report *r)
{
    ts_text sql = ts_buf_text(&r->question->sql);
    const ts_rows_visitor visitor = {r, report_header, report_row, NULL};
    const ts_param limit = {"limit", "5"};
    ts_question_param param;
    r->rows = false;
    ts_code code = ts_ask_rows(r->db, r->ctx, sql, &limit,
                               ts_question_find_param(&param, sql, "limit") ? 1 : 0, &visitor);
    TS_STEP_IF(code, r->rows, ts_table_text_end(&r->table));
    return code;
}

static ts_code section(report *r)
{
    ts_text what;
    bool fits;
    ts_code code = ts_ask_fits(&fits, &what, r->db, ts_buf_text(&r->question->sql));
    if (code != TS_OK || !fits) {
        return code;
    }
    r->fits = true;
    if (!r->as_json) {
        return ask_for(r);
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

static ts_code sections(report *r, const ts_questions *all)
{
    ts_code code = TS_OK;
    if (r->as_json) {
        ts_jout_open(&r->json, NULL, '{');
        ts_jout_str(&r->json, "tool", "trace_streamer");
        ts_jout_str(&r->json, "version", r->ctx->version);
        ts_jout_open(&r->json, "sections", '[');
    }
    for (size_t i = 0; code == TS_OK && i < all->count; i++) {
        r->question = &all->all[i];
        if (report_order(r->question, &r->title) > 0) {
            code = section(r);
        }
    }
    if (code == TS_OK && !r->fits) {
        r->out->buf.n = 0;
        return ts_fail(r->ctx, TS_ERR_INPUT,
                       "there is nothing to report: the database is none of trace_streamer");
    }
    if (code == TS_OK && r->as_json) {
        ts_jout_close(&r->json, ']');
        ts_jout_close(&r->json, '}');
        code = r->json.code != TS_OK ? r->json.code : ts_output_put(r->out, "\n", 1);
    }
    return code != TS_OK ? code : ts_output_flush(r->out);
}

ts_code ts_report(ts_db *db, ts_ctx *ctx, ts_report_form form, ts_output *out)
{
    report r = {.db = db, .ctx = ctx, .out = out, .as_json = form == TS_REPORT_JSON};
    ts_questions all = {0};
    r.json = ts_jout_spaced(ctx, &out->buf, 5);
    ts_table_text_init(&r.table, out);
    ts_code code = ts_questions_installed(&all, ctx);
    if (code == TS_OK) {
        qsort(all.all, all.count, sizeof *all.all, compare_order);
        code = sections(&r, &all);
    }
    ts_table_text_free(&r.table);
    ts_buf_free(ctx, &r.cut);
    ts_questions_free(&all, ctx);
    return out->gone ? TS_OK : code;
}
