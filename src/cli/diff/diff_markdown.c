/*
 * Tables of GitHub's Markdown, which GitLab and others read as well. A recorded name is a code
 * span: in it nothing is markup, HTML, a link or a mention. Control characters are written as
 * escapes first, so that a name is in one line. A code span ends at a backtick, and a pipe ends a
 * cell unless a single backslash is before it: a name that has a backtick, or a backslash before a
 * pipe, is written as the element code instead, with entities for all punctuation.
 */
#include "cli/diff/diff_private.h"

#include "base/utf8.h"
#include "cli/people.h"

#include <inttypes.h>
#include <stdio.h>

enum { NAME_MAX_BYTES = 200 };

typedef struct markdown {
    ts_output *out;
    ts_ctx *ctx;
    const diff_report *report;
    const diff_result *r;
    ts_buf text; /* on its way */
} markdown;

/* --- names ---------------------------------------------------------------------------------- */

static bool is_plain(char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == ' ' ||
           (unsigned char)c >= 0x80;
}

static ts_code put_entities(markdown *m, ts_text text)
{
    char entity[8];
    TS_TRY(ts_output_puts(m->out, "<code>"));
    for (size_t i = 0; i < text.n; i++) {
        (void)snprintf(entity, sizeof entity, "&#%d;", text.p[i]);
        TS_TRY(is_plain(text.p[i]) ? ts_output_put(m->out, text.p + i, 1)
                                   : ts_output_puts(m->out, entity));
    }
    return ts_output_puts(m->out, "</code>");
}

static ts_code put_span(markdown *m, ts_text text)
{
    TS_TRY(ts_output_puts(m->out, "`"));
    for (size_t i = 0; i < text.n; i++) {
        TS_TRY(ts_output_puts(m->out, text.p[i] == '|' ? "\\" : ""));
        TS_TRY(ts_output_put(m->out, text.p + i, 1));
    }
    return ts_output_puts(m->out, "`");
}

static bool needs_entities(ts_text text)
{
    for (size_t i = 0; i < text.n; i++) {
        if (text.p[i] == '`' || (text.p[i] == '\\' && i + 1 < text.n && text.p[i + 1] == '|')) {
            return true;
        }
    }
    return false;
}

static ts_code put_name(markdown *m, ts_text name)
{
    if (name.n == 0) {
        return ts_output_puts(m->out, name.p == NULL ? "" : "(empty)");
    }
    m->text.n = 0;
    TS_TRY(ts_utf8_printable(m->ctx, &m->text, name.p, name.n, NAME_MAX_BYTES));
    const ts_text text = ts_buf_text(&m->text);
    return needs_entities(text) ? put_entities(m, text) : put_span(m, text);
}

/* --- numbers -------------------------------------------------------------------------------- */

/* With its unit; of a change the sign, also of one that is positive. */
static ts_code put_value(markdown *m, const diff_value *v, diff_cell cell, diff_part part)
{
    char digits[DIFF_CELL_TEXT];
    const bool percent = part == DIFF_PART_PERCENT;
    m->text.n = 0;
    if (cell.type == TS_CELL_NULL) {
        return TS_OK;
    }
    if ((part == DIFF_PART_CHANGE || percent) && diff_number(cell) > 0) {
        TS_TRY(ts_buf_putc(m->ctx, &m->text, '+'));
    }
    if (v->unit == DIFF_PLAIN && !percent) {
        const size_t n = diff_text(digits, diff_round(cell, 1000));
        TS_TRY(ts_buf_put(m->ctx, &m->text, digits, n));
    } else {
        TS_TRY(ts_people_in_unit(&m->text, m->ctx, diff_number(cell),
                                 ts_text_of(percent ? "%" : diff_unit_name(v->unit))));
    }
    return ts_output_put(m->out, m->text.p, m->text.n);
}

/* " before | after | change | percent | noise |" */
static ts_code put_change(markdown *m, const diff_value *v, diff_cell before, diff_cell after,
                          diff_cell noise)
{
    const bool once = v->kind == DIFF_ONCE;
    const bool is_new = diff_number(before) == 0 && diff_number(after) != 0;
    for (diff_part part = DIFF_PART_BEFORE; part <= DIFF_PART_PERCENT; part++) {
        const diff_cell cell = diff_part_cell(v, before, after, part);
        TS_TRY(ts_output_puts(m->out, " "));
        if (part == DIFF_PART_PERCENT && cell.type == TS_CELL_NULL && !once && is_new) {
            TS_TRY(ts_output_puts(m->out, "new"));
        } else if (!once || part == DIFF_PART_AFTER) {
            TS_TRY(put_value(m, v, cell, part));
        }
        TS_TRY(ts_output_puts(m->out, " |"));
    }
    if (m->report->runs > 0) {
        TS_TRY(ts_output_puts(m->out, " "));
        TS_TRY(put_value(m, v, noise, DIFF_PART_NOISE));
        TS_TRY(ts_output_puts(m->out, " |"));
    }
    return ts_output_puts(m->out, "\n");
}

/* The head of a table whose last columns put_change has. */
static ts_code put_head(markdown *m, const char *names, const char *rule)
{
    const bool noise = m->report->runs > 0;
    TS_TRY(ts_output_puts(m->out, "\n"));
    TS_TRY(ts_output_puts(m->out, names));
    TS_TRY(ts_output_puts(m->out, " Before | After | Change | % |"));
    TS_TRY(ts_output_puts(m->out, noise ? " Noise |\n" : "\n"));
    TS_TRY(ts_output_puts(m->out, rule));
    TS_TRY(ts_output_puts(m->out, " ---: | ---: | ---: | ---: |"));
    return ts_output_puts(m->out, noise ? " ---: |\n" : "\n");
}

/* --- parts ---------------------------------------------------------------------------------- */

static ts_code put_summary(markdown *m)
{
    static const char *const names[] = {"\n- before: ", "\n- after: "};
    m->text.n = 0;
    TS_TRY(ts_buf_printf(m->ctx, &m->text, "### Comparison by %s: ", m->r->shape->file->name));
    TS_TRY(diff_say_verdict(&m->text, m->ctx, m->r));
    TS_TRY(ts_buf_putc(m->ctx, &m->text, '\n'));
    TS_TRY(ts_output_put(m->out, m->text.p, m->text.n));
    for (unsigned side = 0; side < 2; side++) {
        TS_TRY(ts_output_puts(m->out, names[side]));
        TS_TRY(put_name(m, ts_text_of(m->report->sides[side].label.p)));
        if (m->report->losses[side] > 0) {
            m->text.n = 0;
            TS_TRY(ts_buf_printf(m->ctx, &m->text, ", **incomplete** (%" PRIu64 " lost)",
                                 m->report->losses[side]));
            TS_TRY(ts_output_put(m->out, m->text.p, m->text.n));
        }
    }
    return ts_output_puts(m->out, "\n");
}

static ts_code put_condition(markdown *m, const diff_condition *c, diff_outcome *o)
{
    const diff_value *v = &m->r->shape->values[c->value];
    TS_TRY(diff_outcome_of(o, m->r, c));
    TS_TRY(ts_output_puts(m->out, o->verdict == DIFF_FAILED   ? "| **failed** | "
                                  : o->verdict == DIFF_NO_ROW ? "| no such row | "
                                  : c->inside                 ? "| within the noise | "
                                                              : "| passed | "));
    TS_TRY(put_name(m, ts_text_of(c->text)));
    TS_TRY(ts_output_puts(m->out, " | "));
    if (c->scope == DIFF_TOTAL) {
        TS_TRY(ts_output_puts(m->out, "total"));
    } else {
        TS_TRY(c->met ? put_name(m, (ts_text){o->row.n == 0 ? "" : o->row.p, o->row.n}) : TS_OK);
    }
    TS_TRY(ts_output_puts(m->out, " |"));
    return put_change(m, v, c->before, c->after, c->noise);
}

/* Those that failed first. */
static ts_code put_conditions(markdown *m)
{
    diff_outcome o = {0};
    ts_code code = TS_OK;
    if (m->r->condition_count == 0) {
        return TS_OK;
    }
    code = put_head(m, "| Result | Condition | Row |", "| --- | --- | --- |");
    for (unsigned pass = 0; pass < 2; pass++) {
        for (size_t i = 0; code == TS_OK && i < m->r->condition_count; i++) {
            const diff_condition *c = &m->r->conditions[i];
            if (c->holds == (pass == 0)) {
                code = put_condition(m, c, &o);
            }
        }
    }
    diff_outcome_free(&o, m->ctx);
    return code;
}

static ts_code put_notes(markdown *m)
{
    ts_text left = m->report->notes;
    ts_text note;
    if (left.n > 0) {
        TS_TRY(ts_output_puts(m->out, "\n**Incomplete or uncertain:**\n\n"));
    }
    while (diff_note_next(&note, &left)) {
        TS_TRY(ts_output_puts(m->out, "- "));
        TS_TRY(put_name(m, note));
        TS_TRY(ts_output_puts(m->out, "\n"));
    }
    return TS_OK;
}

static ts_code put_totals(markdown *m)
{
    bool any = false;
    for (unsigned v = 0; v < m->r->shape->value_count; v++) {
        const diff_value *value = &m->r->shape->values[v];
        const diff_cell *cells = &m->r->totals.cells[2 * (size_t)v];
        if ((value->kind != DIFF_SUM && value->kind != DIFF_ONCE) || !diff_result_has(m->r, v)) {
            continue;
        }
        if (!any) {
            TS_TRY(put_head(m, "| Total |", "| --- |"));
            any = true;
        }
        TS_TRY(ts_output_puts(m->out, "| "));
        TS_TRY(ts_output_puts(m->out, value->name));
        TS_TRY(ts_output_puts(m->out, " |"));
        TS_TRY(put_change(m, value, cells[0], cells[1], diff_total_noise(m->r, v)));
    }
    return TS_OK;
}

/* --- rows ----------------------------------------------------------------------------------- */

static ts_code put_rows_head(markdown *m, const diff_columns *columns)
{
    const unsigned keys = m->r->shape->key_count;
    const char *names[DIFF_COLUMNS];
    const unsigned n = diff_columns_names(names, columns, m->r);
    TS_TRY(ts_output_puts(m->out, "\n|"));
    for (unsigned i = 0; i < n; i++) {
        TS_TRY(ts_output_puts(m->out, " "));
        TS_TRY(ts_output_puts(m->out, names[i]));
        TS_TRY(ts_output_puts(m->out, " |"));
    }
    TS_TRY(ts_output_puts(m->out, "\n|"));
    for (unsigned i = 0; i < n; i++) {
        TS_TRY(ts_output_puts(m->out, i < keys ? " --- |" : " ---: |"));
    }
    return ts_output_puts(m->out, "\n");
}

static ts_code put_row(markdown *m, const diff_columns *columns, const diff_row *row, ts_buf *key)
{
    ts_text keys[DIFF_KEYS];
    TS_TRY(diff_key_texts(keys, key, m->r, row));
    TS_TRY(ts_output_puts(m->out, "|"));
    for (unsigned i = 0; i < m->r->shape->key_count; i++) {
        TS_TRY(ts_output_puts(m->out, " "));
        TS_TRY(put_name(m, keys[i]));
        TS_TRY(ts_output_puts(m->out, " |"));
    }
    for (unsigned i = 0; i < columns->count; i++) {
        const diff_column *c = &columns->all[i];
        const diff_cell *cells = &row->cells[2 * (size_t)c->value];
        const diff_cell cell = diff_column_cell(m->r, row, c->value, c->part);
        const bool is_new = c->part == DIFF_PART_PERCENT && cell.type == TS_CELL_NULL &&
                            diff_number(cells[0]) == 0 && diff_number(cells[1]) != 0;
        TS_TRY(ts_output_puts(m->out, is_new ? " new" : " "));
        TS_TRY(put_value(m, &m->r->shape->values[c->value], cell, c->part));
        TS_TRY(ts_output_puts(m->out, " |"));
    }
    return ts_output_puts(m->out, "\n");
}

static ts_code put_rows(markdown *m)
{
    diff_columns columns;
    ts_buf key = {0};
    ts_code code = TS_OK;
    diff_columns_list(&columns, m->r, true);
    if (diff_result_shown(m->r) > 0) {
        code = put_rows_head(m, &columns);
    }
    for (size_t i = 0; code == TS_OK && i < diff_result_shown(m->r); i++) {
        code = ts_check_cancel(m->ctx);
        TS_STEP(code, put_row(m, &columns, diff_result_row(m->r, i), &key));
    }
    m->text.n = 0;
    TS_STEP(code, diff_say_rows(&m->text, m->ctx, m->r));
    TS_STEP(code, ts_output_puts(m->out, "\n"));
    TS_STEP(code, ts_output_put(m->out, m->text.p, m->text.n));
    TS_STEP(code, ts_output_puts(m->out, "\n"));
    ts_buf_free(m->ctx, &key);
    return code;
}

ts_code diff_markdown(ts_output *out, const diff_report *report)
{
    markdown m = {.out = out, .ctx = out->ctx, .report = report, .r = report->result};
    ts_code code = put_summary(&m);
    TS_STEP(code, put_conditions(&m));
    TS_STEP(code, put_notes(&m));
    TS_STEP(code, put_totals(&m));
    TS_STEP(code, put_rows(&m));
    ts_buf_free(m.ctx, &m.text);
    return code;
}
