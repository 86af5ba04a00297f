#include "fleet/fleet_question.h"

#include "base/alloc.h"
#include "fleet/engine.h"
#include "fleet/chosen.h"
#include "tables/question_values.h"

#include <stdio.h>

/* --- parameters ------------------------------------------------------------------------------- */

/* The number after "(default " in what the parameter is. */
static ts_text default_of(ts_text doc)
{
    static const char before[] = "(default ";
    const size_t n = sizeof before - 1;
    for (size_t i = 0; i + n < doc.n; i++) {
        if (memcmp(doc.p + i, before, n) == 0) {
            size_t end = i + n;
            while (end < doc.n && ((doc.p[end] >= '0' && doc.p[end] <= '9') || doc.p[end] == '.')) {
                end++;
            }
            return (ts_text){doc.p + i + n, end - i - n};
        }
    }
    return (ts_text){"", 0};
}

/* Digits, and a point with digits. */
static bool is_number(ts_text text)
{
    size_t digits = 0;
    size_t points = 0;
    for (size_t i = 0; i < text.n; i++) {
        digits += text.p[i] >= '0' && text.p[i] <= '9' ? 1 : 0;
        points += text.p[i] == '.' ? 1 : 0;
    }
    return digits > 0 && digits < 19 && points < 2 && digits + points == text.n;
}

/* The last one of that name, or NULL. */
static const ts_param *given(const ts_fleet_question *q, ts_text name)
{
    const ts_param *found = NULL;
    for (size_t i = 0; i < q->param_count; i++) {
        found = ts_text_is(name, q->params[i].name) ? &q->params[i] : found;
    }
    return found;
}

/* "one of A, B or C" */
static ts_code check_word(ts_ctx *ctx, const ts_question_param *param, const ts_param *given)
{
    ts_buf word = {0};
    ts_code code = ts_question_value(&word, NULL, ctx, param, given, 1, 0); /* asks no database */
    ts_buf_free(ctx, &word);
    return code;
}

static ts_code put_param(ts_buf *out, ts_ctx *ctx, const ts_fleet_question *q, ts_text name)
{
    char text[64];
    ts_question_param param;
    const ts_param *own = given(q, name);
    const char *value = own == NULL ? NULL : own->value;
    (void)snprintf(text, sizeof text, "%.*s", (int)name.n, name.p);
    if (!ts_question_find_param(&param, q->sql, text)) {
        return ts_fail(ctx, TS_ERR_INTERNAL, "the question %s does not say what :%s is", q->name,
                       text);
    }
    if (ts_text_begins(param.doc, "number")) {
        const ts_text number = value == NULL ? default_of(param.doc) : ts_text_of(value);
        return is_number(number)
                   ? ts_buf_put(ctx, out, number.p, number.n)
                   : ts_fail(ctx, TS_ERR_USAGE, "--param %s: \"%.*s\" is not a number", text,
                             (int)number.n, number.p);
    }
    if (ts_text_begins(param.doc, "glob")) {
        return ts_fleet_put_match(out, ctx, ts_text_of(value == NULL ? "*" : value));
    }
    if (ts_text_begins(param.doc, "one of ") && own != NULL) {
        TS_TRY(check_word(ctx, &param, own));
    }
    return ts_engine_quote(ctx, out, ts_text_of(value == NULL ? "" : value));
}

static ts_code check_params(ts_ctx *ctx, const ts_fleet_question *q)
{
    ts_question_param param;
    for (size_t i = 0; i < q->param_count; i++) {
        if (!ts_question_find_param(&param, q->sql, q->params[i].name)) {
            return ts_fail(ctx, TS_ERR_USAGE, "%s has no parameter \"%s\": fleet ask lists them",
                           q->name, q->params[i].name);
        }
    }
    return TS_OK;
}

/* --- statements ------------------------------------------------------------------------------- */

static size_t word_length(const char *p, const char *end)
{
    size_t n = 0;
    while (p + n < end && ((p[n] >= 'a' && p[n] <= 'z') || p[n] == '_')) {
        n++;
    }
    return n;
}

/* The length of what is copied as it is: a comment, a text in quotation marks, or one character. */
static size_t plain_length(const char *p, const char *end)
{
    const bool comment = p + 1 < end && p[0] == '-' && p[1] == '-';
    const char *stop = comment      ? memchr(p, '\n', (size_t)(end - p))
                       : *p == '\'' ? memchr(p + 1, '\'', (size_t)(end - p - 1))
                                    : p;
    return stop == NULL ? (size_t)(end - p) : (size_t)(stop - p) + 1;
}

ts_code ts_fleet_question_sql(ts_buf *out, ts_ctx *ctx, const ts_fleet_question *q)
{
    const char *p = q->sql.p;
    const char *end = p + q->sql.n;
    TS_TRY(check_params(ctx, q));
    while (end > p && (end[-1] == '\n' || end[-1] == ' ' || end[-1] == ';')) {
        end--;
    }
    while (p < end) {
        const size_t n = *p == ':' ? word_length(p + 1, end) : 0;
        if (n == 0) {
            const size_t plain = plain_length(p, end);
            const bool comment = *p == '-' && plain > 1;
            TS_TRY(ts_buf_put(ctx, out, comment ? "\n" : p, comment ? 1 : plain));
            p += plain;
            continue;
        }
        const ts_text name = {p + 1, n};
        TS_TRY(ts_text_is(name, "recordings") ? ts_fleet_chosen_sql(out, ctx, q->chosen)
                                              : put_param(out, ctx, q, name));
        p += 1 + n;
    }
    return TS_OK;
}

/* --- answers ---------------------------------------------------------------------------------- */

static ts_cell_type cell_type(const char *type)
{
    static const char nullable[] = "Nullable(";
    type += strncmp(type, nullable, sizeof nullable - 1) == 0 ? sizeof nullable - 1 : 0;
    return strncmp(type, "Int", 3) == 0 || strncmp(type, "UInt", 4) == 0 ? TS_CELL_INT
           : strncmp(type, "Float", 5) == 0                              ? TS_CELL_REAL
                                                                         : TS_CELL_TEXT;
}

typedef struct answer {
    size_t count;
    ts_cell_type declared[TS_ENGINE_FIELDS];
    const char *values[TS_ENGINE_FIELDS];
    size_t lengths[TS_ENGINE_FIELDS];
    ts_cell_type types[TS_ENGINE_FIELDS];
} answer;

static ts_code take_head(answer *a, ts_engine_rows *rows, ts_fleet *f, const ts_fleet_question *q,
                         const ts_rows_visitor *visitor)
{
    bool good = ts_engine_next(rows);
    a->count = rows->count;
    for (size_t i = 0; good && i < a->count; i++) {
        const char *name = rows->fields[i].p;
        const char *by = q->chosen->by == NULL ? "recording" : q->chosen->by;
        a->values[i] = strcmp(name, "part") == 0 ? by : name;
    }
    ts_engine_rows types = *rows;
    good = good && ts_engine_next(&types) && types.count == a->count;
    for (size_t i = 0; good && i < a->count; i++) {
        a->declared[i] = cell_type(types.fields[i].p);
    }
    *rows = types;
    return !good ? ts_fail(f->ctx, TS_ERR_OUTPUT, "the server's answer has no names of columns")
           : visitor->header == NULL ? TS_OK
                                     : visitor->header(visitor->user, a->values, (int)a->count);
}

/* The engine divides by 0 as it is: nan, inf and -inf are no values. */
static bool is_none(const ts_engine_rows *rows, size_t i, ts_cell_type type)
{
    const char *p = rows->fields[i].p;
    return rows->null[i] ||
           (type == TS_CELL_REAL && strcspn(p, "ni") == (*p == '-' ? 1U : 0U) && *p != '\0');
}

static ts_code take_rows(ts_fleet *f, const ts_fleet_question *q, const ts_rows_visitor *visitor)
{
    answer a = {0};
    ts_engine_rows rows = ts_engine_rows_of(f);
    TS_TRY(take_head(&a, &rows, f, q, visitor));
    while (ts_engine_next(&rows)) {
        if (rows.count != a.count) {
            return ts_fail(f->ctx, TS_ERR_OUTPUT, "the server's rows make no sense");
        }
        for (size_t i = 0; i < a.count; i++) {
            const bool none = is_none(&rows, i, a.declared[i]);
            a.values[i] = none ? NULL : rows.fields[i].p;
            a.lengths[i] = none ? 0 : rows.fields[i].n;
            a.types[i] = none ? TS_CELL_NULL : a.declared[i];
        }
        TS_TRY(ts_check_cancel(f->ctx));
        TS_TRY(visitor->row(visitor->user, a.values, a.lengths, a.types, (int)a.count));
    }
    return TS_OK;
}

ts_code ts_fleet_ask(ts_fleet *f, const ts_fleet_question *q, const ts_rows_visitor *visitor)
{
    ts_buf sql = {0};
    ts_engine_fresh(f);
    ts_code code = ts_fleet_question_sql(&sql, f->ctx, q);
    TS_STEP(code, ts_buf_printf(f->ctx, &sql, "\nFORMAT TabSeparatedWithNamesAndTypes"));
    TS_STEP(code, ts_engine_ask(f, ts_buf_text(&sql), true));
    TS_STEP(code, take_rows(f, q, visitor));
    ts_buf_free(f->ctx, &sql);
    return code == TS_OK ? TS_OK : ts_cause(f->ctx, "cannot answer %s", q->name);
}
