#include "cli/query_rows.h"

#include "base/alloc.h"
#include "base/utf8.h"

struct ts_row_printer {
    ts_output *out;
    ts_row_format format;
    ts_buf scratch; /* a value on its way to a terminal */
    bool terminal;
    bool any;  /* a result was printed before */
    bool rows; /* json: this result has some */
    ts_table_text table;
    ts_arrow_rows *arrow;
    ts_buf keys;     /* json and arrow: names, each with a zero byte */
    size_t *key_at;  /* by column */
    ts_vec declared; /* arrow: ts_cell_type of the columns of the next result, if they are known */
    ts_buf unbound;  /* parameters without a value */
};
typedef struct ts_row_printer printer;

static const char hex_digits[] = "0123456789ABCDEF";

/* --- tsv ----------------------------------------------------------------------------------- */

static const char *escape_of(char c)
{
    switch (c) {
    case '\t':
        return "\\t";
    case '\n':
        return "\\n";
    case '\r':
        return "\\r";
    case '\0':
        return "\\0";
    case '\\':
        return "\\\\";
    default:
        return NULL;
    }
}

static ts_code put_plain(printer *p, const char *value, size_t n)
{
    if (!p->terminal) {
        return ts_output_put(p->out, value, n);
    }
    p->scratch.n = 0;
    TS_TRY(ts_utf8_printable(p->out->ctx, &p->scratch, value, n, SIZE_MAX));
    return ts_output_put(p->out, p->scratch.p, p->scratch.n);
}

static ts_code tsv_value(printer *p, const char *value, size_t n)
{
    size_t from = 0;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i <= n; i++) {
        const char *escape = i < n ? escape_of(value[i]) : "";
        if (escape == NULL) {
            continue;
        }
        code = i > from ? put_plain(p, value + from, i - from) : TS_OK;
        TS_STEP(code, ts_output_puts(p->out, escape));
        from = i + 1;
    }
    return code;
}

/* --- csv ----------------------------------------------------------------------------------- */

static bool needs_quotes(const char *value, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (strchr(",\"\r\n", value[i]) != NULL) { /* a zero byte as well */
            return true;
        }
    }
    return n == 0 || value[0] == ' ' || value[n - 1] == ' ';
}

static ts_code csv_text(printer *p, const char *value, size_t n)
{
    size_t from = 0;
    if (!needs_quotes(value, n)) {
        return put_plain(p, value, n);
    }
    ts_code code = ts_output_put(p->out, "\"", 1);
    for (size_t i = 0; code == TS_OK && i < n; i++) {
        if (value[i] == '"') { /* twice: now, and with what follows */
            code = put_plain(p, value + from, i + 1 - from);
            from = i;
        }
    }
    TS_STEP_IF(code, n > from, put_plain(p, value + from, n - from));
    return code != TS_OK ? code : ts_output_put(p->out, "\"", 1);
}

static ts_code csv_value(printer *p, const char *value, size_t n, ts_cell_type type)
{
    if (type != TS_CELL_BLOB) {
        return csv_text(p, value, n);
    }
    ts_code code = ts_output_put(p->out, "X'", 2);
    for (size_t i = 0; code == TS_OK && i < n; i++) {
        unsigned char c = (unsigned char)value[i];
        const char hex[2] = {hex_digits[c >> 4], hex_digits[c & 15]};
        code = ts_output_put(p->out, hex, 2);
    }
    return code != TS_OK ? code : ts_output_put(p->out, "'", 1);
}

static ts_code separated_row(printer *p, const char *const *values, const size_t *lengths,
                             const ts_cell_type *types, int n)
{
    bool csv = p->format == TS_ROWS_CSV;
    ts_code code = TS_OK;
    for (int i = 0; code == TS_OK && i < n; i++) {
        size_t length = lengths == NULL ? strlen(values[i]) : lengths[i];
        if (values[i] != NULL) {
            code = csv ? csv_value(p, values[i], length, types == NULL ? TS_CELL_TEXT : types[i])
                       : tsv_value(p, values[i], length);
        }
        TS_STEP(code, ts_output_put(p->out, i + 1 < n ? csv ? "," : "\t" : "\n", 1));
    }
    return code;
}

/* --- names of columns ---------------------------------------------------------------------- */

/* How many of the columns before have the same name. */
static int same_before(const char *const *names, int i)
{
    int n = 0;
    for (int k = 0; k < i; k++) {
        n += strcmp(names[k], names[i]) == 0 ? 1 : 0;
    }
    return n;
}

/* Each is there once. */
static ts_code keep_names(printer *p, const char *const *names, int n)
{
    ts_ctx *ctx = p->out->ctx;
    size_t *at = ts_realloc(ctx, p->key_at, (size_t)n, sizeof *at);
    ts_code code = TS_OK;
    TS_NEED(ctx, at);
    p->key_at = at;
    p->keys.n = 0;
    for (int i = 0; code == TS_OK && i < n; i++) {
        int before = same_before(names, i);
        at[i] = p->keys.n;
        code = ts_buf_put(ctx, &p->keys, names[i], strlen(names[i]));
        TS_STEP_IF(code, before > 0, ts_buf_printf(ctx, &p->keys, ":%d", before));
        TS_STEP(code, ts_buf_putc(ctx, &p->keys, '\0'));
    }
    return code;
}

/* --- json ---------------------------------------------------------------------------------- */

static ts_code json_header(printer *p, const char *const *names, int n)
{
    TS_TRY(keep_names(p, names, n));
    p->rows = false;
    return p->format == TS_ROWS_JSON ? ts_output_put(p->out, "[", 1) : TS_OK;
}

/* As SQLite writes it; infinite ones, which JSON lacks, become 9e999, too large for all. */
static void json_number(ts_jout *j, const char *key, ts_text value)
{
    const bool infinite = memchr(value.p, 'I', value.n) != NULL;
    ts_jout_raw(j, key,
                !infinite           ? value
                : value.p[0] == '-' ? TS_TEXT_LIT("-9e999")
                                    : TS_TEXT_LIT("9e999"));
}

/* The bytes as a string of hexadecimal digits. */
static void json_hex(ts_jout *j, const char *key, ts_text value)
{
    ts_jout_raw(j, key, TS_TEXT_LIT("\""));
    for (size_t i = 0; i < value.n && j->code == TS_OK; i++) {
        const unsigned char c = (unsigned char)value.p[i];
        const char hex[2] = {hex_digits[c >> 4], hex_digits[c & 15]};
        ts_jout_put(j, hex, 2);
    }
    ts_jout_put(j, "\"", 1);
}

void ts_json_cell(ts_jout *j, const char *key, ts_text value, ts_cell_type type)
{
    switch (type) {
    case TS_CELL_NULL:
        ts_jout_null(j, key);
        break;
    case TS_CELL_INT:
    case TS_CELL_REAL:
        json_number(j, key, value);
        break;
    case TS_CELL_TEXT:
        ts_jout_text(j, key, value);
        break;
    case TS_CELL_BLOB:
        json_hex(j, key, value);
        break;
    }
}

static ts_code json_row(printer *p, const char *const *values, const size_t *lengths,
                        const ts_cell_type *types, int n)
{
    ts_jout j = ts_jout_spaced(p->out->ctx, &p->out->buf, 1);
    j.comma = p->rows;
    if (p->format == TS_ROWS_JSON) {
        ts_jout_next_line(&j);
    }
    j.comma = false;
    p->rows = true;
    ts_jout_open(&j, NULL, '{');
    for (int i = 0; i < n; i++) {
        ts_json_cell(&j, p->keys.p + p->key_at[i], (ts_text){values[i], lengths[i]}, types[i]);
    }
    ts_jout_close(&j, '}');
    if (j.code != TS_OK) {
        return j.code;
    }
    /* An empty text lets what has gathered be written. */
    return ts_output_puts(p->out, p->format == TS_ROWS_JSON ? "" : "\n");
}

/* --- arrow --------------------------------------------------------------------------------- */

static ts_code arrow_header(printer *p, const char *const *names, int n)
{
    if (p->any) {
        return ts_fail(
            p->out->ctx, TS_ERR_USAGE,
            "--output=arrow is a stream of one result, and here is a second one: ask one "
            "statement, with the same columns in all databases");
    }
    p->any = true;
    TS_TRY(keep_names(p, names, n));
    const char **keys = ts_alloc(p->out->ctx, (size_t)n, sizeof *keys);
    TS_NEED(p->out->ctx, keys);
    for (int i = 0; i < n; i++) {
        keys[i] = p->keys.p + p->key_at[i];
    }
    ts_code code = ts_arrow_rows_new(&p->arrow, p->out, keys,
                                     p->declared.n == (size_t)n ? p->declared.p : NULL, (size_t)n);
    ts_free(p->out->ctx, (void *)keys);
    return code;
}

/* --- results ------------------------------------------------------------------------------- */

/* The result before ends. */
ts_code ts_row_printer_end(ts_row_printer *p)
{
    if (p->format == TS_ROWS_TABLE) {
        return ts_table_text_end(&p->table);
    }
    if (p->format == TS_ROWS_JSON && p->any) {
        return ts_output_puts(p->out, p->rows ? "\n]\n" : "]\n");
    }
    if (p->arrow != NULL) {
        ts_code code = ts_arrow_rows_end(p->arrow);
        ts_arrow_rows_free(p->arrow);
        p->arrow = NULL;
        return code;
    }
    return TS_OK;
}

ts_code ts_row_printer_header(void *user, const char *const *names, int n)
{
    printer *p = user;
    bool json = p->format == TS_ROWS_JSON || p->format == TS_ROWS_JSONL;
    if (p->format == TS_ROWS_ARROW) {
        return arrow_header(p, names, n);
    }
    ts_code code = ts_row_printer_end(p);
    TS_STEP_IF(code, p->any && !json, ts_output_put(p->out, "\n", 1));
    p->any = true;
    if (code != TS_OK) {
        return code;
    }
    if (json) {
        return json_header(p, names, n);
    }
    return p->format == TS_ROWS_TABLE ? ts_table_text_begin(&p->table, names, n)
                                      : separated_row(p, names, NULL, NULL, n);
}

ts_code ts_row_printer_row(void *user, const char *const *values, const size_t *lengths,
                           const ts_cell_type *types, int n)
{
    printer *p = user;
    switch (p->format) {
    case TS_ROWS_TABLE:
        return ts_table_text_row(&p->table, values, lengths, types, n);
    case TS_ROWS_JSON:
    case TS_ROWS_JSONL:
        return json_row(p, values, lengths, types, n);
    case TS_ROWS_ARROW:
        return ts_arrow_rows_add(p->arrow, values, lengths, types);
    case TS_ROWS_AUTO:
    case TS_ROWS_TSV:
    case TS_ROWS_CSV:
    case TS_ROWS_MARKDOWN: /* of these the caller writes all */
    case TS_ROWS_JUNIT:
    case TS_ROWS_SARIF:
    case TS_ROWS_GITHUB:
        break;
    }
    return separated_row(p, values, lengths, types, n);
}

/* Without memory the types of values decide. */
static void note_declared(void *user, const ts_cell_type *types, int n)
{
    printer *p = user;
    const ts_error saved = p->out->ctx->error;
    p->declared.n = 0;
    if (ts_vec_reserve(p->out->ctx, &p->declared, (size_t)n, sizeof *types) == TS_OK) {
        memcpy(p->declared.p, types, (size_t)n * sizeof *types);
        p->declared.n = (size_t)n;
    }
    p->out->ctx->error = saved;
}

/* Each name once, with a zero byte. Without memory it is not said. */
static void note_unbound(void *user, const char *name)
{
    printer *p = user;
    size_t n = strlen(name) + 1;
    for (size_t at = 0; at < p->unbound.n; at += strlen(p->unbound.p + at) + 1) {
        if (strcmp(p->unbound.p + at, name) == 0) {
            return;
        }
    }
    ts_error saved = p->out->ctx->error;
    (void)ts_buf_put(p->out->ctx, &p->unbound, name, n);
    p->out->ctx->error = saved;
}

static void note_written(void *user, const char *name)
{
    note_unbound(((ts_written_rows *)user)->printer, name);
}

static void declared_written(void *user, const ts_cell_type *types, int n)
{
    note_declared(((ts_written_rows *)user)->printer, types, n);
}

static void say_unbound(const printer *p)
{
    for (size_t at = 0; at < p->unbound.n; at += strlen(p->unbound.p + at) + 1) {
        ts_message(p->out->ctx, "the parameter :%s has no value: it is NULL (--param %s=VALUE)",
                   p->unbound.p + at, p->unbound.p + at);
    }
}

ts_row_format ts_row_format_chosen(ts_row_format format, bool terminal)
{
    if (format == TS_ROWS_AUTO) {
        return terminal ? TS_ROWS_TABLE : TS_ROWS_TSV;
    }
    return format;
}

ts_code ts_row_format_check(ts_ctx *ctx, ts_row_format format, bool terminal)
{
    return format != TS_ROWS_ARROW || !terminal
               ? TS_OK
               : ts_fail(
                     ctx, TS_ERR_USAGE,
                     "--output=arrow is binary, and standard output is a terminal: send it to a "
                     "file or a program (> FILE or | PROGRAM)");
}

/* --- rows from elsewhere ------------------------------------------------------------------- */

static void printer_init(printer *p, ts_output *to, ts_row_format format, bool terminal)
{
    *p = (printer){
        .out = to, .format = ts_row_format_chosen(format, terminal), .terminal = terminal};
    ts_table_text_init(&p->table, to, terminal ? ts_screen_columns(to->fd) : 0);
}

static void printer_release(printer *p)
{
    ts_ctx *ctx = p->out->ctx;
    ts_table_text_free(&p->table);
    ts_arrow_rows_free(p->arrow);
    ts_vec_free(ctx, &p->declared);
    ts_buf_free(ctx, &p->unbound);
    ts_buf_free(ctx, &p->scratch);
    ts_buf_free(ctx, &p->keys);
    ts_free(ctx, p->key_at);
}

ts_code ts_row_printer_new(ts_row_printer **out, ts_output *to, ts_row_format format, bool terminal)
{
    TS_TRY(ts_row_format_check(to->ctx, format, terminal));
    TS_NEED(to->ctx, *out = ts_zalloc(to->ctx, 1, sizeof **out));
    printer_init(*out, to, format, terminal);
    return TS_OK;
}

void ts_row_printer_free(ts_row_printer *p)
{
    if (p != NULL) {
        ts_ctx *ctx = p->out->ctx;
        printer_release(p);
        ts_free(ctx, p);
    }
}

ts_code ts_query_print(ts_rows_asked *ask, void *user, const ts_row_print *print, ts_output *out)
{
    printer p;
    const bool typed = print->format == TS_ROWS_ARROW;
    ts_rows_visitor visitor = {&p, ts_row_printer_header, ts_row_printer_row, note_unbound,
                               typed ? note_declared : NULL};
    ts_written_rows written = {.ctx = out->ctx, .printer = &p};
    if (print->demangle) {
        visitor = (ts_rows_visitor){&written, ts_written_header, ts_written_row, note_written,
                                    typed ? declared_written : NULL};
    }
    TS_TRY(ts_row_format_check(out->ctx, print->format, print->terminal));
    printer_init(&p, out, print->format, print->terminal);
    ts_code code = ask(user, &visitor);
    ts_written_free(&written);
    /* The rows before a failure are right: they are shown, and its cause is kept. A stream of Arrow
     * would look whole. */
    ts_error saved = out->ctx->error;
    const bool shown = !out->gone && (code == TS_OK || p.format != TS_ROWS_ARROW);
    ts_code ended = shown ? ts_row_printer_end(&p) : TS_OK;
    TS_STEP(ended, ts_output_flush(out));
    if (print->say_unbound && code == TS_OK) {
        say_unbound(&p);
    }
    if (print->say_cut && code == TS_OK && p.table.cut > 0) {
        ts_message(out->ctx,
                   "%zu text%s cut to the width of the terminal; --output=jsonl prints all",
                   p.table.cut, p.table.cut == 1 ? " is" : "s are");
    }
    printer_release(&p);
    if (out->gone && (code == TS_OK || code == TS_ERR_OUTPUT)) {
        return TS_OK;
    }
    if (code != TS_OK) {
        out->ctx->error = saved;
        return code;
    }
    return ended;
}
