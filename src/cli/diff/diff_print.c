#include "cli/diff/diff_private.h"

#include "cli/query_rows.h"

/* --- rows ---------------------------------------------------------------------------------- */

typedef struct printing {
    const diff_result *result;
    diff_columns columns;
    ts_row_format format;
    ts_buf text; /* of the key */
    char numbers[DIFF_COLUMNS][DIFF_CELL_TEXT];
    const char *values[DIFF_COLUMNS];
    size_t lengths[DIFF_COLUMNS];
    ts_cell_type types[DIFF_COLUMNS];
} printing;

static ts_code put_keys(printing *p, const diff_row *row)
{
    ts_text keys[DIFF_KEYS];
    ts_code code = diff_key_texts(keys, &p->text, p->result, row);
    for (unsigned i = 0; code == TS_OK && i < p->result->shape->key_count; i++) {
        p->types[i] = keys[i].p == NULL ? TS_CELL_NULL : TS_CELL_TEXT;
        p->values[i] = keys[i].p;
        p->lengths[i] = keys[i].n;
    }
    return code;
}

static void put_cell(printing *p, unsigned at, const diff_column *c, const diff_row *row)
{
    const diff_cell *cells = &row->cells[2 * (size_t)c->value];
    diff_cell cell = diff_column_cell(p->result, row, c->value, c->part);
    p->types[at] = cell.type;
    p->values[at] = cell.type == TS_CELL_NULL ? NULL : p->numbers[at];
    p->lengths[at] = diff_text(p->numbers[at], cell);
    if (p->format == TS_ROWS_TABLE && c->part == DIFF_PART_PERCENT && cell.type == TS_CELL_NULL) {
        bool is_new = diff_number(cells[0]) == 0 && diff_number(cells[1]) != 0;
        p->types[at] = TS_CELL_TEXT;
        p->values[at] = is_new ? "new" : "";
        p->lengths[at] = strlen(p->values[at]);
    }
}

static ts_code print_rows(printing *p, ts_row_printer *printer)
{
    const diff_result *r = p->result;
    unsigned keys = r->shape->key_count;
    const char *names[DIFF_COLUMNS];
    const int n = (int)diff_columns_names(names, &p->columns, r);
    ts_code code = ts_row_printer_header(printer, names, n);
    for (size_t i = 0; code == TS_OK && i < diff_result_shown(r); i++) {
        const diff_row *row = diff_result_row(r, i);
        code = ts_check_cancel(r->ctx);
        code = code != TS_OK ? code : put_keys(p, row);
        for (unsigned k = 0; k < p->columns.count; k++) {
            const diff_column *c = &p->columns.all[k];
            put_cell(p, keys + k, c, row);
        }
        TS_STEP(code, ts_row_printer_row(printer, p->values, p->lengths, p->types, n));
    }
    return code != TS_OK ? code : ts_row_printer_end(printer);
}

/* --- json ---------------------------------------------------------------------------------- */

static void json_cell(ts_jout *j, const char *key, diff_cell cell)
{
    char text[DIFF_CELL_TEXT];
    size_t n = diff_text(text, cell);
    ts_json_cell(j, key, (ts_text){text, n}, cell.type);
}

static void json_sides(ts_jout *j, const diff_report *report)
{
    static const char *const names[] = {"before", "after"};
    for (unsigned i = 0; i < 2; i++) {
        ts_jout_open(j, names[i], '{');
        ts_jout_str(j, "input", report->sides[i].path);
        ts_jout_str(j, "compared", report->sides[i].label.p);
        ts_jout_uint(j, "losses", report->losses[i]);
        if (i == 0 && report->runs > 0) {
            ts_jout_uint(j, "runs", report->runs);
        }
        ts_jout_close(j, '}');
    }
}

static void json_change(ts_jout *j, const diff_value *v, diff_cell before, diff_cell after,
                        diff_cell noise)
{
    static const char *const parts[] = {"before", "after", "change", "percent"};
    if (v->kind == DIFF_ONCE) {
        json_cell(j, "value", after);
        return;
    }
    for (diff_part part = DIFF_PART_BEFORE; part <= DIFF_PART_PERCENT; part++) {
        if (v->unit != DIFF_SHARE || part != DIFF_PART_PERCENT) {
            json_cell(j, parts[part], diff_part_cell(v, before, after, part));
        }
    }
    if (noise.type != TS_CELL_NULL) {
        json_cell(j, "noise", diff_part_cell(v, diff_null(), noise, DIFF_PART_NOISE));
    }
}

static void json_totals(ts_jout *j, const diff_result *r)
{
    ts_jout_open(j, "totals", '{');
    for (unsigned v = 0; v < r->shape->value_count; v++) {
        const diff_value *value = &r->shape->values[v];
        if ((value->kind == DIFF_SUM || value->kind == DIFF_ONCE) && diff_result_has(r, v)) {
            ts_jout_open(j, value->name, '{');
            ts_jout_text(j, "unit",
                         value->unit == DIFF_PLAIN ? TS_TEXT_NULL
                                                   : ts_text_of(diff_unit_name(value->unit)));
            json_change(j, value, r->totals.cells[2 * (size_t)v],
                        r->totals.cells[2 * (size_t)v + 1], diff_total_noise(r, v));
            ts_jout_close(j, '}');
        }
    }
    ts_jout_close(j, '}');
}

static void json_conditions(ts_jout *j, const diff_result *r)
{
    ts_jout_open(j, "conditions", '[');
    for (size_t i = 0; i < r->condition_count; i++) {
        const diff_condition *c = &r->conditions[i];
        ts_jout_open(j, NULL, '{');
        ts_jout_str(j, "condition", c->text);
        ts_jout_bool(j, "holds", c->holds);
        if (r->totals.noise != NULL) {
            ts_jout_bool(j, "inside_noise", c->inside);
        }
        ts_jout_text(j, "row",
                     c->scope == DIFF_NAMED           ? c->row
                     : c->scope == DIFF_ANY && c->met ? ts_buf_text(&c->met_row)
                                                      : TS_TEXT_NULL);
        json_change(j, &r->shape->values[c->value], c->before, c->after, c->noise);
        ts_jout_close(j, '}');
    }
    ts_jout_close(j, ']');
}

/* All but the rows, which follow. */
static ts_code json_head(ts_output *out, const diff_report *report)
{
    const diff_result *r = report->result;
    ts_jout j = ts_jout_spaced(out->ctx, &out->buf, 2);
    ts_jout_open(&j, NULL, '{');
    ts_jout_str(&j, "by", r->shape->file->name);
    ts_jout_str(&j, "weight", r->shape->values[r->shape->main].name);
    json_sides(&j, report);
    json_totals(&j, r);
    json_conditions(&j, r);
    ts_jout_bool(&j, "failed", report->failed);
    ts_jout_uint(&j, "changed_rows", r->changed);
    if (report->runs > 0) {
        ts_jout_uint(&j, "rows_inside_noise", r->inside);
    }
    ts_jout_key(&j, TS_TEXT_LIT("rows"));
    return j.code;
}

/* --- all of it ----------------------------------------------------------------------------- */

static ts_code print_as_rows(ts_output *out, const diff_report *report, ts_row_format format,
                             bool terminal)
{
    printing p = {.result = report->result};
    ts_row_printer *printer = NULL;
    p.format = ts_row_format_chosen(format, terminal);
    diff_columns_list(&p.columns, report->result, p.format == TS_ROWS_TABLE);
    ts_code code = ts_row_printer_new(&printer, out, p.format, terminal);
    TS_STEP_IF(code, p.format == TS_ROWS_JSON, json_head(out, report));
    TS_STEP(code, print_rows(&p, printer));
    TS_STEP_IF(code, p.format == TS_ROWS_JSON, ts_output_puts(out, "}\n"));
    ts_row_printer_free(printer);
    ts_buf_free(out->ctx, &p.text);
    return code;
}

ts_code diff_print(ts_output *out, const diff_report *report, ts_row_format format, bool terminal)
{
    ts_code code;
    switch (format) {
    case TS_ROWS_MARKDOWN:
        code = diff_markdown(out, report);
        break;
    case TS_ROWS_JUNIT:
        code = diff_junit(out, report);
        break;
    case TS_ROWS_SARIF:
        code = diff_sarif(out, report);
        break;
    case TS_ROWS_GITHUB:
        code = diff_github(out, report);
        break;
    default:
        code = print_as_rows(out, report, format, terminal);
        break;
    }
    TS_STEP(code, ts_output_flush(out));
    return out->gone ? TS_OK : code;
}

/* --- lines --------------------------------------------------------------------------------- */

static ts_code say_total(ts_ctx *ctx, const diff_result *r, unsigned v)
{
    ts_buf text = {0};
    const diff_value *value = &r->shape->values[v];
    const diff_cell *cells = &r->totals.cells[2 * (size_t)v];
    ts_code code =
        diff_say_change(&text, ctx, cells[0], cells[1], diff_total_noise(r, v), value->unit);
    if (code == TS_OK) {
        ts_message(ctx, "%s%.*s", value->name, (int)text.n, text.p);
    }
    ts_buf_free(ctx, &text);
    return code;
}

ts_code diff_say(ts_ctx *ctx, const diff_report *report)
{
    const diff_result *r = report->result;
    ts_code code = TS_OK;
    ts_message(ctx, "before: %s", report->sides[0].label.p);
    ts_message(ctx, "after: %s", report->sides[1].label.p);
    ts_message(ctx, "compared by %s%s%s", r->shape->file->name,
               report->others[0] == '\0' ? "" : "; --by can also be ", report->others);
    for (unsigned v = 0; code == TS_OK && v < r->shape->value_count; v++) {
        if (r->shape->values[v].kind == DIFF_SUM && diff_result_has(r, v)) {
            code = say_total(ctx, r, v);
        }
    }
    if (code == TS_OK && r->changed > diff_result_shown(r)) {
        ts_message(ctx, "%llu rows differ, %llu shown (--limit=0: all)",
                   (unsigned long long)r->changed, (unsigned long long)diff_result_shown(r));
    } else if (code == TS_OK && r->changed == 0) {
        ts_message(ctx, "no row differs%s", r->inside > 0 ? " by more than the noise" : "");
    }
    if (code == TS_OK && r->inside > 0) {
        ts_message(ctx, "%llu row%s only within the noise of the baseline",
                   (unsigned long long)r->inside, r->inside == 1 ? " differs" : "s differ");
    }
    return code;
}

ts_code diff_say_failures(ts_ctx *ctx, const diff_report *report)
{
    const diff_result *r = report->result;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < r->condition_count; i++) {
        const diff_condition *c = &r->conditions[i];
        ts_buf text = {0};
        if (c->holds && (code = diff_condition_say(&text, ctx, c, r->shape)) == TS_OK) {
            ts_message(ctx, "failed: %s: %.*s", c->text, (int)text.n, text.p);
        } else if (code == TS_OK && c->inside &&
                   (code = diff_condition_say(&text, ctx, c, r->shape)) == TS_OK) {
            ts_message(ctx, "within the noise: %s: %.*s", c->text, (int)text.n, text.p);
        } else if (code == TS_OK && c->scope == DIFF_NAMED && !c->met) {
            ts_message(ctx, "%s: neither side has a row \"%.*s\"", c->text, (int)c->row.n,
                       c->row.p);
        }
        ts_buf_free(ctx, &text);
    }
    return code;
}
