#include "cli/diff/diff_private.h"

#include <inttypes.h>
#include <stdio.h>

/* Of a value of a property more is escaped than of the text after "::". */
static ts_code put_escaped(ts_output *out, ts_text text, bool property)
{
    char code[4] = "%";
    for (size_t i = 0; i < text.n; i++) {
        const unsigned char c = (unsigned char)text.p[i];
        const bool escaped =
            c < ' ' || c == '%' || c == 0x7f || (property && (c == ':' || c == ','));
        (void)snprintf(code, sizeof code, "%%%02X", c);
        TS_TRY(ts_output_put(out, escaped ? code : text.p + i, escaped ? 3 : 1));
    }
    return TS_OK;
}

/* ::error file=a.js,line=7,title=TITLE::TEXT */
static ts_code put_command(ts_output *out, const char *command, const diff_outcome *at,
                           const char *title, ts_text text)
{
    char line[40];
    TS_TRY(ts_output_puts(out, "::"));
    TS_TRY(ts_output_puts(out, command));
    TS_TRY(ts_output_puts(out, " "));
    if (at != NULL && at->file.n > 0) {
        TS_TRY(ts_output_puts(out, "file="));
        TS_TRY(put_escaped(out, ts_buf_text(&at->file), true));
        (void)snprintf(line, sizeof line, ",line=%" PRId64, at->line);
        TS_TRY(ts_output_puts(out, at->line > 0 ? line : ""));
        TS_TRY(ts_output_puts(out, ","));
    }
    TS_TRY(ts_output_puts(out, "title="));
    TS_TRY(put_escaped(out, ts_text_of(title), true));
    TS_TRY(ts_output_puts(out, "::"));
    TS_TRY(put_escaped(out, text, false));
    return ts_output_puts(out, "\n");
}

static ts_code put_conditions(ts_output *out, const diff_result *r, bool failed)
{
    diff_outcome o = {0};
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < r->condition_count; i++) {
        if (r->conditions[i].holds == failed) {
            code = diff_outcome_of(&o, r, &r->conditions[i]);
            TS_STEP(code, put_command(out,
                                      failed                     ? "error"
                                      : o.verdict == DIFF_NO_ROW ? "warning"
                                                                 : "notice",
                                      &o, r->conditions[i].text, ts_buf_text(&o.text)));
        }
    }
    diff_outcome_free(&o, r->ctx);
    return code;
}

static ts_code put_notes(ts_output *out, const diff_report *report)
{
    ts_text left = report->notes;
    ts_text note;
    ts_code code = TS_OK;
    while (code == TS_OK && diff_note_next(&note, &left)) {
        code = put_command(out, "warning", NULL, "trace_streamer diff", note);
    }
    return code;
}

static ts_code put_summary(ts_output *out, const diff_report *report)
{
    const diff_result *r = report->result;
    ts_buf text = {0};
    ts_code code = diff_say_verdict(&text, r->ctx, r);
    TS_STEP(code, ts_buf_printf(r->ctx, &text, "\nbefore: %s\nafter: %s\ncompared by %s: ",
                                report->sides[0].label.p, report->sides[1].label.p,
                                r->shape->file->name));
    TS_STEP(code, diff_say_rows(&text, r->ctx, r));
    for (unsigned v = 0; code == TS_OK && v < r->shape->value_count; v++) {
        const diff_cell *cells = &r->totals.cells[2 * (size_t)v];
        if (r->shape->values[v].kind == DIFF_SUM && diff_result_has(r, v)) {
            code = ts_buf_printf(r->ctx, &text, "\n%s", r->shape->values[v].name);
            TS_STEP(code, diff_say_change(&text, r->ctx, cells[0], cells[1], diff_total_noise(r, v),
                                          r->shape->values[v].unit));
        }
    }
    TS_STEP(code, put_command(out, "notice", NULL, "trace_streamer diff", ts_buf_text(&text)));
    ts_buf_free(r->ctx, &text);
    return code;
}

ts_code diff_github(ts_output *out, const diff_report *report)
{
    TS_TRY(put_conditions(out, report->result, true));
    TS_TRY(put_notes(out, report));
    TS_TRY(put_conditions(out, report->result, false));
    return put_summary(out, report);
}
