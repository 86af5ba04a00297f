#include "cli/diff/diff_private.h"

#include "base/json_out.h"
#include "base/sha256.h"
#include "cli/exit_codes.h"
#include "cli/query_rows.h"

#include <ctype.h>
#include <stdio.h>

/* Rules, by their index. */
enum { RULE_CONDITION, RULE_ROW };

static const struct {
    const char *id, *name, *text, *level;
} rules[] = {
    {"condition", "Condition", "A condition of --fail-if holds.", "error"},
    {"row", "ChangedRow", "A row of the comparison has changed.", "note"},
};

typedef struct sarif {
    ts_output *out;
    const diff_report *report;
    const diff_result *r;
    ts_jout j;
    diff_outcome o;
    ts_buf uri;
} sarif;

/* --- places --------------------------------------------------------------------------------- */

/* Whether an URI begins here: its scheme, as RFC 3986 has it, and two slashes. */
static bool has_scheme(ts_text file)
{
    size_t i = 0;
    while (i < file.n && (isalnum((unsigned char)file.p[i]) ||
                          (i > 0 && strchr("+-.", file.p[i]) != NULL && file.p[i] != '\0'))) {
        i++;
    }
    return i > 1 && isalpha((unsigned char)file.p[0]) &&
           ts_text_begins(ts_text_from(file, i), "://");
}

/* A path as an URI, or as the relative part of one; what an URI cannot have is %XX. */
static ts_code put_uri(sarif *s, ts_text file)
{
    const bool is_uri = has_scheme(file);
    s->uri.n = 0;
    TS_TRY(ts_buf_printf(s->r->ctx, &s->uri, "%s", file.p[0] == '/' && !is_uri ? "file://" : ""));
    for (size_t i = 0; i < file.n; i++) {
        const unsigned char c = (unsigned char)file.p[i];
        const bool plain = isalnum(c) || (c != '\0' && strchr("-._~/", c) != NULL) ||
                           (is_uri && c != '\0' && strchr(":?=&@+,;", c) != NULL);
        const bool is_escape = is_uri && c == '%' && i + 2 < file.n &&
                               isxdigit((unsigned char)file.p[i + 1]) &&
                               isxdigit((unsigned char)file.p[i + 2]);
        TS_TRY(ts_buf_printf(s->r->ctx, &s->uri, plain || is_escape ? "%c" : "%%%02X", c));
    }
    return TS_OK;
}

static ts_code put_locations(sarif *s)
{
    ts_jout *j = &s->j;
    ts_jout_open(j, "locations", '[');
    if (s->o.row.n > 0 || s->o.file.n > 0) {
        ts_jout_open(j, NULL, '{');
        if (s->o.file.n > 0) {
            TS_TRY(put_uri(s, ts_buf_text(&s->o.file)));
            ts_jout_open(j, "physicalLocation", '{');
            ts_jout_open(j, "artifactLocation", '{');
            ts_jout_text(j, "uri", ts_buf_text(&s->uri));
            ts_jout_close(j, '}');
            if (s->o.line > 0) {
                ts_jout_open(j, "region", '{');
                ts_jout_int(j, "startLine", s->o.line);
                ts_jout_close(j, '}');
            }
            ts_jout_close(j, '}');
        }
        if (s->o.row.n > 0) {
            ts_jout_open(j, "logicalLocations", '[');
            ts_jout_open(j, NULL, '{');
            ts_jout_text(j, "fullyQualifiedName", ts_buf_text(&s->o.row));
            ts_jout_ends(j, "}]");
        }
        ts_jout_close(j, '}');
    }
    ts_jout_close(j, ']');
    return j->code;
}

/* --- results -------------------------------------------------------------------------------- */

/* What stays the same from one comparison to the next, so that findings can be followed. */
static void put_fingerprint(sarif *s, unsigned rule, const char *condition)
{
    const ts_text parts[] = {ts_text_of(s->r->shape->file->name), ts_text_of(rules[rule].id),
                             ts_text_of(condition), ts_buf_text(&s->o.row),
                             ts_buf_text(&s->o.file)};
    uint8_t sum[32];
    char text[2 * sizeof sum + 1];
    ts_sha256 h;
    ts_sha256_init(&h);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        ts_sha256_add(&h, parts[i].n == 0 ? "" : parts[i].p, parts[i].n);
        ts_sha256_add(&h, "", 1);
    }
    ts_sha256_end(&h, sum);
    for (size_t i = 0; i < sizeof sum; i++) {
        (void)snprintf(text + 2 * i, 3, "%02x", sum[i]);
    }
    ts_jout_open(&s->j, "partialFingerprints", '{');
    ts_jout_str(&s->j, "comparison/v1", text);
    ts_jout_close(&s->j, '}');
}

static void put_cell(ts_jout *j, const char *key, diff_cell cell)
{
    char text[DIFF_CELL_TEXT];
    const size_t n = diff_text(text, cell);
    ts_json_cell(j, key, (ts_text){text, n}, cell.type);
}

static void put_numbers(sarif *s, unsigned value, diff_cell before, diff_cell after,
                        diff_cell noise)
{
    const diff_value *v = &s->r->shape->values[value];
    ts_jout_str(&s->j, "value", v->name);
    ts_jout_str(&s->j, "unit", diff_unit_name(v->unit));
    put_cell(&s->j, "before", diff_part_cell(v, before, after, DIFF_PART_BEFORE));
    put_cell(&s->j, "after", diff_part_cell(v, before, after, DIFF_PART_AFTER));
    put_cell(&s->j, "change", diff_part_cell(v, before, after, DIFF_PART_CHANGE));
    put_cell(&s->j, "percent", diff_part_cell(v, before, after, DIFF_PART_PERCENT));
    if (s->report->runs > 0) {
        put_cell(&s->j, "noise", diff_part_cell(v, diff_null(), noise, DIFF_PART_NOISE));
    }
}

/* A result up to its properties, which the caller puts and closes. condition NULL: a row. */
static ts_code begin_result(sarif *s, unsigned rule, const char *level, const char *condition)
{
    ts_jout *j = &s->j;
    ts_jout_open(j, NULL, '{');
    ts_jout_str(j, "ruleId", rules[rule].id);
    ts_jout_int(j, "ruleIndex", rule);
    ts_jout_str(j, "level", level);
    ts_jout_open(j, "message", '{');
    if (condition != NULL) {
        TS_TRY(ts_buf_printf(s->r->ctx, &s->o.text, " (%s)", condition));
    }
    ts_jout_text(j, "text", ts_buf_text(&s->o.text));
    ts_jout_close(j, '}');
    TS_TRY(put_locations(s));
    put_fingerprint(s, rule, condition);
    ts_jout_open(j, "properties", '{');
    return j->code;
}

static ts_code put_condition(sarif *s, const diff_condition *c)
{
    TS_TRY(diff_outcome_of(&s->o, s->r, c));
    TS_TRY(begin_result(s, RULE_CONDITION, c->holds ? "error" : "note", c->text));
    ts_jout_str(&s->j, "condition", c->text);
    ts_jout_bool(&s->j, "holds", c->holds);
    if (s->report->runs > 0) {
        ts_jout_bool(&s->j, "insideNoise", c->inside);
    }
    put_numbers(s, c->value, c->before, c->after, c->noise);
    ts_jout_ends(&s->j, "}}");
    return s->j.code;
}

static ts_code put_row(sarif *s, const diff_row *row)
{
    const unsigned main = s->r->shape->main;
    const diff_cell *cells = &row->cells[2 * (size_t)main];
    TS_TRY(diff_outcome_of_row(&s->o, s->r, row));
    TS_TRY(begin_result(s, RULE_ROW, "note", NULL));
    put_numbers(s, main, cells[0], cells[1], row->noise == NULL ? diff_null() : row->noise[main]);
    ts_jout_ends(&s->j, "}}");
    /* An empty text lets what has gathered be written. */
    return s->j.code != TS_OK ? s->j.code : ts_output_puts(s->out, "");
}

static ts_code put_results(sarif *s)
{
    ts_jout_open(&s->j, "results", '[');
    for (size_t i = 0; i < s->r->condition_count; i++) {
        TS_TRY(put_condition(s, &s->r->conditions[i]));
    }
    for (size_t i = 0; i < diff_result_shown(s->r); i++) {
        TS_TRY(ts_check_cancel(s->r->ctx));
        TS_TRY(put_row(s, diff_result_row(s->r, i)));
    }
    ts_jout_close(&s->j, ']');
    return s->j.code;
}

/* --- the run -------------------------------------------------------------------------------- */

static void put_tool(sarif *s)
{
    ts_jout *j = &s->j;
    ts_jout_open(j, "tool", '{');
    ts_jout_open(j, "driver", '{');
    ts_jout_str(j, "name", "trace_streamer");
    ts_jout_str(j, "version", s->r->ctx->version);
    ts_jout_open(j, "rules", '[');
    for (size_t i = 0; i < sizeof rules / sizeof rules[0]; i++) {
        ts_jout_open(j, NULL, '{');
        ts_jout_str(j, "id", rules[i].id);
        ts_jout_str(j, "name", rules[i].name);
        ts_jout_open(j, "shortDescription", '{');
        ts_jout_str(j, "text", rules[i].text);
        ts_jout_close(j, '}');
        ts_jout_open(j, "defaultConfiguration", '{');
        ts_jout_str(j, "level", rules[i].level);
        ts_jout_ends(j, "}}");
    }
    ts_jout_ends(j, "]}}");
}

static void put_invocation(sarif *s)
{
    ts_jout *j = &s->j;
    ts_text left = s->report->notes;
    ts_text note;
    ts_jout_open(j, "invocations", '[');
    ts_jout_open(j, NULL, '{');
    ts_jout_bool(j, "executionSuccessful", true);
    ts_jout_int(j, "exitCode", s->report->failed ? TS_EXIT_DIFFERS : TS_EXIT_DONE);
    ts_jout_open(j, "toolExecutionNotifications", '[');
    while (diff_note_next(&note, &left)) {
        ts_jout_open(j, NULL, '{');
        ts_jout_str(j, "level", "warning");
        ts_jout_open(j, "message", '{');
        ts_jout_text(j, "text", note);
        ts_jout_ends(j, "}}");
    }
    ts_jout_ends(j, "]}]");
}

static void put_properties(sarif *s)
{
    static const char *const names[] = {"before", "after"};
    ts_jout *j = &s->j;
    ts_jout_open(j, "properties", '{');
    ts_jout_str(j, "by", s->r->shape->file->name);
    ts_jout_str(j, "weight", s->r->shape->values[s->r->shape->main].name);
    for (unsigned side = 0; side < 2; side++) {
        ts_jout_open(j, names[side], '{');
        ts_jout_str(j, "compared", s->report->sides[side].label.p);
        ts_jout_uint(j, "losses", s->report->losses[side]);
        ts_jout_close(j, '}');
    }
    if (s->report->runs > 0) {
        ts_jout_uint(j, "runs", s->report->runs);
        ts_jout_uint(j, "rowsInsideNoise", s->r->inside);
    }
    ts_jout_uint(j, "changedRows", s->r->changed);
    ts_jout_close(j, '}');
}

ts_code diff_sarif(ts_output *out, const diff_report *report)
{
    sarif s = {.out = out,
               .report = report,
               .r = report->result,
               .j = ts_jout_spaced(out->ctx, &out->buf, 5)};
    ts_jout_open(&s.j, NULL, '{');
    ts_jout_str(&s.j, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
    ts_jout_str(&s.j, "version", "2.1.0");
    ts_jout_open(&s.j, "runs", '[');
    ts_jout_open(&s.j, NULL, '{');
    put_tool(&s);
    put_invocation(&s);
    ts_jout_str(&s.j, "columnKind", "utf16CodeUnits");
    put_properties(&s);
    ts_code code = put_results(&s);
    ts_jout_ends(&s.j, "}]}");
    TS_STEP(code, s.j.code);
    TS_STEP(code, ts_output_puts(out, "\n"));
    diff_outcome_free(&s.o, out->ctx);
    ts_buf_free(out->ctx, &s.uri);
    return code;
}
