#include "cli/diff/diff_private.h"

#include "base/utf8.h"

#include <inttypes.h>
#include <stdio.h>

/* --- texts ---------------------------------------------------------------------------------- */

static const char *entity_of(uint32_t cp)
{
    switch (cp) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;"; /* also of ]]> */
    case '"':
        return "&quot;";
    case '\t':
        return "&#9;";
    case '\n':
        return "&#10;"; /* which attributes would lose */
    case '\r':
        return "&#13;";
    default:
        return NULL;
    }
}

/* Characters that XML 1.0 does not have (2.2) are left out; so are the other control characters,
 * which it advises against. Bytes that are no UTF-8 become U+FFFD. */
static ts_code put_xml(ts_output *out, ts_text text)
{
    size_t n;
    for (size_t i = 0; i < text.n; i += n) {
        uint32_t cp;
        n = ts_utf8_next(&cp, text.p + i, text.n - i);
        const char *entity = entity_of(cp);
        if (cp == UINT32_MAX) {
            TS_TRY(ts_output_puts(out, "\xEF\xBF\xBD"));
        } else if (entity != NULL) {
            TS_TRY(ts_output_puts(out, entity));
        } else if (cp >= 0x20 && !(cp >= 0x7f && cp <= 0x9f) && (cp & 0xfffe) != 0xfffe) {
            TS_TRY(ts_output_put(out, text.p + i, n));
        }
    }
    return TS_OK;
}

/* ' name="value"' */
static ts_code put_attribute(ts_output *out, const char *name, ts_text value)
{
    TS_TRY(ts_output_puts(out, " "));
    TS_TRY(ts_output_puts(out, name));
    TS_TRY(ts_output_puts(out, "=\""));
    TS_TRY(put_xml(out, value));
    return ts_output_puts(out, "\"");
}

static ts_code put_count(ts_output *out, const char *name, uint64_t count)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, count);
    return put_attribute(out, name, ts_text_of(text));
}

/* --- parts ---------------------------------------------------------------------------------- */

typedef struct counts {
    uint64_t tests, failed, skipped;
} counts;

static counts count_cases(const diff_result *r)
{
    counts n = {.tests = r->condition_count == 0 ? 1 : r->condition_count};
    for (size_t i = 0; i < r->condition_count; i++) {
        const diff_condition *c = &r->conditions[i];
        n.failed += c->holds ? 1 : 0;
        n.skipped += c->scope == DIFF_NAMED && !c->met ? 1 : 0;
    }
    return n;
}

static ts_code put_counts(ts_output *out, const char *element, const diff_report *report)
{
    const counts n = count_cases(report->result);
    TS_TRY(ts_output_puts(out, element));
    TS_TRY(put_count(out, "tests", n.tests));
    TS_TRY(put_count(out, "failures", n.failed));
    TS_TRY(put_count(out, "errors", 0));
    return put_attribute(out, "time", ts_text_of("0"));
}

static ts_code put_property(ts_output *out, const char *name, ts_text value)
{
    TS_TRY(ts_output_puts(out, "      <property"));
    TS_TRY(put_attribute(out, "name", ts_text_of(name)));
    TS_TRY(put_attribute(out, "value", value));
    return ts_output_puts(out, "/>\n");
}

static ts_code put_number(ts_output *out, const char *name, uint64_t value)
{
    char text[24];
    (void)snprintf(text, sizeof text, "%" PRIu64, value);
    return put_property(out, name, ts_text_of(text));
}

static ts_code put_properties(ts_output *out, const diff_report *report)
{
    const diff_result *r = report->result;
    TS_TRY(ts_output_puts(out, "    <properties>\n"));
    TS_TRY(put_property(out, "before", ts_text_of(report->sides[0].label.p)));
    TS_TRY(put_property(out, "after", ts_text_of(report->sides[1].label.p)));
    TS_TRY(put_property(out, "by", ts_text_of(r->shape->file->name)));
    TS_TRY(put_property(out, "weight", ts_text_of(r->shape->values[r->shape->main].name)));
    TS_TRY(put_number(out, "changed_rows", r->changed));
    if (report->runs > 0) {
        TS_TRY(put_number(out, "runs", report->runs));
        TS_TRY(put_number(out, "rows_inside_noise", r->inside));
    }
    TS_TRY(put_number(out, "losses_before", report->losses[0]));
    TS_TRY(put_number(out, "losses_after", report->losses[1]));
    return ts_output_puts(out, "    </properties>\n");
}

/* The element of a verdict, with its sentence as attribute and as text. */
static ts_code put_verdict(ts_output *out, const char *element, const char *type, ts_text text)
{
    TS_TRY(ts_output_puts(out, "      <"));
    TS_TRY(ts_output_puts(out, element));
    TS_TRY(put_attribute(out, "message", text));
    if (type == NULL) {
        return ts_output_puts(out, "/>\n");
    }
    TS_TRY(put_attribute(out, "type", ts_text_of(type)));
    TS_TRY(ts_output_puts(out, ">"));
    TS_TRY(put_xml(out, text));
    TS_TRY(ts_output_puts(out, "</"));
    TS_TRY(ts_output_puts(out, element));
    return ts_output_puts(out, ">\n");
}

static ts_code begin_case(ts_output *out, const diff_report *report, ts_text name)
{
    ts_buf class = {0};
    ts_code code = ts_buf_printf(out->ctx, &class, "trace_streamer.diff.%s",
                                 report->result->shape->file->name);
    TS_STEP(code, ts_output_puts(out, "    <testcase"));
    TS_STEP(code, put_attribute(out, "classname", ts_buf_text(&class)));
    TS_STEP(code, put_attribute(out, "name", name));
    TS_STEP(code, put_attribute(out, "time", ts_text_of("0")));
    TS_STEP(code, ts_output_puts(out, ">\n"));
    ts_buf_free(out->ctx, &class);
    return code;
}

/* The sentence is the case's output when it neither failed nor was skipped. */
static ts_code put_case(ts_output *out, const diff_report *report, const diff_condition *c,
                        diff_outcome *o)
{
    TS_TRY(diff_outcome_of(o, report->result, c));
    TS_TRY(begin_case(out, report, ts_text_of(c->text)));
    const ts_text text = ts_buf_text(&o->text);
    if (o->verdict == DIFF_FAILED) {
        TS_TRY(put_verdict(out, "failure", "condition", text));
    } else if (o->verdict == DIFF_NO_ROW) {
        TS_TRY(put_verdict(out, "skipped", NULL, text));
    } else {
        TS_TRY(ts_output_puts(out, "      <system-out>"));
        TS_TRY(put_xml(out, text));
        TS_TRY(ts_output_puts(out, "</system-out>\n"));
    }
    return ts_output_puts(out, "    </testcase>\n");
}

static ts_code put_cases(ts_output *out, const diff_report *report)
{
    const diff_result *r = report->result;
    diff_outcome o = {0};
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < r->condition_count; i++) {
        code = put_case(out, report, &r->conditions[i], &o);
    }
    if (r->condition_count == 0) {
        TS_STEP(code, begin_case(out, report, ts_text_of("comparison")));
        TS_STEP(code, ts_output_puts(out, "    </testcase>\n"));
    }
    diff_outcome_free(&o, r->ctx);
    return code;
}

/* The rows, a sentence each. */
static ts_code put_rows(ts_output *out, const diff_result *r)
{
    diff_outcome o = {0};
    ts_buf rows = {0};
    ts_code code = ts_output_puts(out, "    <system-out>");
    TS_STEP(code, diff_say_rows(&rows, r->ctx, r));
    TS_STEP(code, put_xml(out, ts_buf_text(&rows)));
    for (size_t i = 0; code == TS_OK && i < diff_result_shown(r); i++) {
        code = ts_check_cancel(r->ctx);
        TS_STEP(code, ts_output_puts(out, "\n"));
        TS_STEP(code, diff_outcome_of_row(&o, r, diff_result_row(r, i)));
        TS_STEP(code, put_xml(out, ts_buf_text(&o.text)));
    }
    TS_STEP(code, ts_output_puts(out, "</system-out>\n"));
    ts_buf_free(r->ctx, &rows);
    diff_outcome_free(&o, r->ctx);
    return code;
}

static ts_code put_notes(ts_output *out, ts_text left)
{
    ts_text note;
    TS_TRY(ts_output_puts(out, "    <system-err>"));
    while (diff_note_next(&note, &left)) {
        TS_TRY(put_xml(out, note));
        TS_TRY(ts_output_puts(out, "\n"));
    }
    return ts_output_puts(out, "</system-err>\n");
}

ts_code diff_junit(ts_output *out, const diff_report *report)
{
    TS_TRY(ts_output_puts(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"));
    TS_TRY(put_counts(out, "<testsuites name=\"trace_streamer diff\"", report));
    TS_TRY(ts_output_puts(out, ">\n"));
    TS_TRY(put_counts(out, "  <testsuite name=\"trace_streamer diff\"", report));
    TS_TRY(put_count(out, "skipped", count_cases(report->result).skipped));
    TS_TRY(ts_output_puts(out, ">\n"));
    TS_TRY(put_properties(out, report));
    TS_TRY(put_cases(out, report));
    TS_TRY(put_rows(out, report->result));
    TS_TRY(put_notes(out, report->notes));
    return ts_output_puts(out, "  </testsuite>\n</testsuites>\n");
}
