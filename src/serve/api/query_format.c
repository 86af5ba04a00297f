/* Rows as text of several formats. */
#include "serve/api/query.h"

#include "base/utf8.h"

#include <math.h>
#include <stdio.h>

static const struct {
    const char *name;
    const char *type;
} formats[TS_FORMATS] = {
    [TS_FORMAT_REPLY] = {"", "application/json; charset=utf-8"},
    [TS_FORMAT_CSV] = {"csv", "text/csv; charset=utf-8"},
    [TS_FORMAT_TSV] = {"tsv", "text/tab-separated-values; charset=utf-8"},
    [TS_FORMAT_JSON] = {"json", "application/json; charset=utf-8"},
    [TS_FORMAT_NDJSON] = {"ndjson", "application/x-ndjson; charset=utf-8"},
    [TS_FORMAT_MD] = {"md", "text/markdown; charset=utf-8"},
};

ts_result_format ts_result_format_of(ts_text name)
{
    for (unsigned i = TS_FORMAT_CSV; i < TS_FORMATS; i++) {
        if (ts_text_is(name, formats[i].name)) {
            return (ts_result_format)i;
        }
    }
    return TS_FORMATS;
}

const char *ts_result_type(ts_result_format format)
{
    return formats[format].type;
}

const char *ts_result_extension(ts_result_format format)
{
    return formats[format].name;
}

/* --- plain text ------------------------------------------------------------------------------ */

static int out_write(void *user, const void *bytes, size_t len)
{
    ts_result_out *o = user;
    return ts_buf_put(o->ctx, o->out, bytes, len) == TS_OK ? 0 : 1;
}

static void out_put(ts_result_out *o, const char *p, size_t n)
{
    TS_STEP(o->code, ts_buf_put(o->ctx, o->out, p, n));
}

/* A text in which some characters become others; `escape` gives NULL for those that stay. */
static void out_escaped(ts_result_out *o, ts_text text, const char *(*escape)(char c))
{
    size_t from = 0;
    for (size_t i = 0; i < text.n; i++) {
        const char *other = escape(text.p[i]);
        if (other != NULL) {
            out_put(o, text.p + from, i - from);
            out_put(o, other, strlen(other));
            from = i + 1;
        }
    }
    out_put(o, text.p + from, text.n - from);
}

static const char *csv_escape(char c)
{
    return c == '"' ? "\"\"" : NULL;
}

static const char *tsv_escape(char c)
{
    return c == '\t' ? "\\t" : c == '\n' ? "\\n" : c == '\r' ? "\\r" : c == '\\' ? "\\\\" : NULL;
}

static const char *md_escape(char c)
{
    return c == '|'    ? "\\|"
           : c == '\n' ? " "
           : c == '\r' ? ""
           : c == '\\' ? "\\\\"
           : c == '`'  ? "\\`"
           : c == '*'  ? "\\*"
           : c == '_'  ? "\\_"
           : c == '['  ? "\\["
           : c == '<'  ? "&lt;"
           : c == '&'  ? "&amp;"
                       : NULL;
}

static bool csv_quoted(ts_text t)
{
    bool quoted = t.n == 0; /* NULL is nothing, an empty text is "" */
    for (size_t i = 0; i < t.n && !quoted; i++) {
        quoted = t.p[i] == '"' || t.p[i] == ',' || t.p[i] == '\r' || t.p[i] == '\n';
    }
    return quoted;
}

static void out_text(ts_result_out *o, ts_text t)
{
    switch (o->format) {
    case TS_FORMAT_CSV:
        if (csv_quoted(t)) {
            out_put(o, "\"", 1);
            out_escaped(o, t, csv_escape);
            out_put(o, "\"", 1);
        } else {
            out_put(o, t.p, t.n);
        }
        break;
    case TS_FORMAT_TSV:
        out_escaped(o, t, tsv_escape);
        break;
    default:
        out_escaped(o, t, md_escape);
        break;
    }
}

/* Text in UTF-8, whatever the database has. */
static ts_text column_bytes(sqlite3_stmt *st, int i)
{
    const void *p = sqlite3_column_type(st, i) == SQLITE_TEXT
                        ? (const void *)sqlite3_column_text(st, i)
                        : sqlite3_column_blob(st, i);
    return (ts_text){p == NULL ? "" : p, (size_t)sqlite3_column_bytes(st, i)};
}

static void out_hex(ts_result_out *o, ts_text bytes)
{
    static const char digits[] = "0123456789ABCDEF";
    out_put(o, "X'", 2);
    for (size_t i = 0; i < bytes.n; i++) {
        unsigned char c = (unsigned char)bytes.p[i];
        const char hex[2] = {digits[c >> 4], digits[c & 15]};
        out_put(o, hex, 2);
    }
    out_put(o, "'", 1);
}

static void out_plain(ts_result_out *o, sqlite3_stmt *st, int i)
{
    char digits[32];
    switch (sqlite3_column_type(st, i)) {
    case SQLITE_INTEGER:
        out_put(o, digits,
                (size_t)snprintf(digits, sizeof digits, "%lld",
                                 (long long)sqlite3_column_int64(st, i)));
        break;
    case SQLITE_FLOAT: {
        double v = sqlite3_column_double(st, i);
        if (isfinite(v)) {
            out_put(o, digits, ts_shortest_real(digits, v));
        } else {
            out_put(o, v < 0 ? "-Inf" : "Inf", v < 0 ? 4 : 3);
        }
        break;
    }
    case SQLITE_TEXT:
        out_text(o, column_bytes(st, i));
        break;
    case SQLITE_BLOB:
        out_hex(o, column_bytes(st, i));
        break;
    default:
        break;
    }
}

static void out_separated(ts_result_out *o, sqlite3_stmt *st, bool names)
{
    int n = sqlite3_column_count(st);
    const char *separator = o->format == TS_FORMAT_CSV   ? ","
                            : o->format == TS_FORMAT_TSV ? "\t"
                                                         : " | ";
    bool md = o->format == TS_FORMAT_MD;
    const char *end = md ? " |\n" : o->format == TS_FORMAT_CSV ? "\r\n" : "\n";
    out_put(o, "| ", md ? 2 : 0);
    for (int i = 0; i < n; i++) {
        out_put(o, separator, i > 0 ? strlen(separator) : 0);
        if (names) {
            const char *name = sqlite3_column_name(st, i);
            out_text(o, ts_text_of(name == NULL ? "" : name));
        } else {
            out_plain(o, st, i);
        }
    }
    out_put(o, end, strlen(end));
}

/* --- JSON ------------------------------------------------------------------------------------ */

static void json_text(ts_result_out *o, const char *key, ts_text t)
{
    if (o->format != TS_FORMAT_REPLY || t.n <= TS_RESULT_CELL) {
        ts_jout_text(&o->json, key, t);
        return;
    }
    ts_jout_open(&o->json, key, '{');
    ts_jout_text(&o->json, "text", (ts_text){t.p, ts_utf8_cut(t.p, TS_RESULT_CELL)});
    ts_jout_uint(&o->json, "bytes", t.n);
    ts_jout_close(&o->json, '}');
}

static void json_cell(ts_result_out *o, const char *key, sqlite3_stmt *st, int i)
{
    ts_jout *j = &o->json;
    switch (sqlite3_column_type(st, i)) {
    case SQLITE_INTEGER:
        ts_jout_int(j, key, sqlite3_column_int64(st, i));
        break;
    case SQLITE_FLOAT:
        ts_jout_real(j, key, sqlite3_column_double(st, i));
        break;
    case SQLITE_TEXT:
        json_text(o, key, column_bytes(st, i));
        break;
    case SQLITE_BLOB:
        ts_jout_open(j, key, '{');
        ts_jout_base64(j, "base64", column_bytes(st, i));
        ts_jout_close(j, '}');
        break;
    default:
        ts_jout_null(j, key);
        break;
    }
}

/* Keys of objects: the names, a second of the same name with ":1" and so on. */
static void json_names(ts_result_out *o, sqlite3_stmt *st)
{
    int n = sqlite3_column_count(st);
    for (int i = 0; i < n && o->code == TS_OK; i++) {
        const char *name = sqlite3_column_name(st, i);
        unsigned same = 0;
        name = name == NULL ? "" : name;
        for (int k = 0; k < i; k++) {
            const char *other = sqlite3_column_name(st, k);
            same += other != NULL && strcmp(other, name) == 0 ? 1 : 0;
        }
        ts_buf *key = ts_vec_add(o->ctx, &o->names, sizeof *key);
        o->code = key == NULL ? o->ctx->error.code : ts_buf_printf(o->ctx, key, "%s", name);
        TS_STEP_IF(o->code, same > 0, ts_buf_printf(o->ctx, key, ":%u", same));
        TS_STEP(o->code, ts_buf_putc(o->ctx, key, '\0'));
    }
}

static void json_object(ts_result_out *o, sqlite3_stmt *st)
{
    const ts_buf *names = o->names.p;
    ts_jout_open(&o->json, NULL, '{');
    for (size_t i = 0; i < o->names.n; i++) {
        json_cell(o, names[i].p, st, (int)i);
    }
    ts_jout_close(&o->json, '}');
}

static const char *type_of(sqlite3_stmt *st, int i, bool has_row)
{
    static const char *const names[] = {
        [SQLITE_INTEGER] = "INTEGER", [SQLITE_FLOAT] = "REAL", [SQLITE_TEXT] = "TEXT",
        [SQLITE_BLOB] = "BLOB",       [SQLITE_NULL] = "",
    };
    const char *declared = sqlite3_column_decltype(st, i);
    if (declared != NULL) {
        return declared;
    }
    return has_row ? names[sqlite3_column_type(st, i)] : "";
}

static void reply_begin(ts_result_out *o, sqlite3_stmt *st, bool has_row)
{
    ts_jout *j = &o->json;
    int n = sqlite3_column_count(st);
    ts_jout_open(j, NULL, '{');
    ts_jout_open(j, "columns", '[');
    for (int i = 0; i < n; i++) {
        const char *name = sqlite3_column_name(st, i);
        ts_jout_str(j, NULL, name == NULL ? "" : name);
    }
    ts_jout_close(j, ']');
    ts_jout_open(j, "types", '[');
    for (int i = 0; i < n; i++) {
        ts_jout_str(j, NULL, type_of(st, i, has_row));
    }
    ts_jout_close(j, ']');
    ts_jout_open(j, "rows", '[');
}

static void reply_row(ts_result_out *o, sqlite3_stmt *st)
{
    int n = sqlite3_column_count(st);
    ts_jout_open(&o->json, NULL, '[');
    for (int i = 0; i < n; i++) {
        json_cell(o, NULL, st, i);
    }
    ts_jout_close(&o->json, ']');
    ts_jout_line(&o->json);
}

static void reply_end(ts_result_out *o, const ts_result_end *end)
{
    ts_jout *j = &o->json;
    ts_jout_close(j, ']');
    ts_jout_uint(j, "row_count", end->rows);
    ts_jout_bool(j, "truncated", end->truncated);
    ts_jout_real(j, "elapsed_ms", (double)end->elapsed_ns / 1e6);
    if (end->error == NULL) {
        ts_jout_null(j, "error");
    } else {
        ts_jout_open(j, "error", '{');
        ts_jout_str(j, "code", end->error);
        ts_jout_str(j, "message", end->message);
        ts_jout_close(j, '}');
    }
    ts_jout_close(j, '}');
}

/* --- all formats ----------------------------------------------------------------------------- */

void ts_result_out_init(ts_result_out *o, ts_ctx *ctx, ts_buf *out, const ts_result_plan *plan)
{
    *o = (ts_result_out){.ctx = ctx, .out = out, .format = plan->format};
    ts_jout_begin(&o->json, ctx, out_write, o);
    o->json.ints_as_text = plan->ints_as_text;
}

void ts_result_out_begin(ts_result_out *o, sqlite3_stmt *st, bool has_row)
{
    switch (o->format) {
    case TS_FORMAT_REPLY:
        reply_begin(o, st, has_row);
        break;
    case TS_FORMAT_JSON:
    case TS_FORMAT_NDJSON:
        json_names(o, st);
        if (o->format == TS_FORMAT_JSON) {
            ts_jout_open(&o->json, NULL, '[');
        }
        break;
    default:
        out_separated(o, st, true);
        for (int i = 0; o->format == TS_FORMAT_MD && i < sqlite3_column_count(st); i++) {
            out_put(o, i == 0 ? "|---|" : "---|", i == 0 ? 5 : 4);
        }
        out_put(o, "\n", o->format == TS_FORMAT_MD ? 1 : 0);
        break;
    }
    ts_jout_flush(&o->json);
}

void ts_result_out_row(ts_result_out *o, sqlite3_stmt *st)
{
    switch (o->format) {
    case TS_FORMAT_REPLY:
        reply_row(o, st);
        break;
    case TS_FORMAT_JSON:
        json_object(o, st);
        ts_jout_line(&o->json);
        break;
    case TS_FORMAT_NDJSON:
        o->json.comma = false;
        json_object(o, st);
        ts_jout_line(&o->json);
        break;
    default:
        out_separated(o, st, false);
        break;
    }
}

void ts_result_out_end(ts_result_out *o, const ts_result_end *end)
{
    if (o->format == TS_FORMAT_REPLY) {
        reply_end(o, end);
    } else if (o->format == TS_FORMAT_JSON) {
        ts_jout_close(&o->json, ']');
        ts_jout_line(&o->json);
    }
    ts_jout_flush(&o->json);
}

ts_code ts_result_out_free(ts_result_out *o)
{
    ts_buf *names = o->names.p;
    for (size_t i = 0; i < o->names.n; i++) {
        ts_buf_free(o->ctx, &names[i]);
    }
    ts_vec_free(o->ctx, &o->names);
    (void)ts_jout_end(&o->json);
    return o->code != TS_OK ? o->code : o->json.code;
}
