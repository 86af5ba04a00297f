#include "cli/query_rows.h"

#include "base/utf8.h"

#include <wchar.h>

/* A column is not made wider than that for a text: what is longer moves the rest of its line. */
enum { COLUMN_MAX = 80, HELD_BYTES = 1 << 20 };

typedef struct cell {
    size_t at, n; /* in text */
    size_t width;
    bool right;
} cell;

typedef struct column {
    size_t width;
    bool any;  /* has a value */
    bool text; /* has one that is no number */
} column;

void ts_table_text_init(ts_table_text *t, ts_output *out)
{
    *t = (ts_table_text){.out = out, .utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0)};
}

void ts_table_text_free(ts_table_text *t)
{
    if (t->utf8 != (locale_t)0) {
        freelocale(t->utf8);
    }
    ts_buf_free(t->out->ctx, &t->text);
    ts_vec_free(t->out->ctx, &t->cells);
    ts_vec_free(t->out->ctx, &t->columns);
}

/* --- widths -------------------------------------------------------------------------------- */

static size_t wide_width(const char *p, size_t n)
{
    mbstate_t state = {0};
    size_t width = 0;
    while (n > 0) {
        wchar_t c;
        size_t used = mbrtowc(&c, p, n, &state);
        if (used == 0 || used > n) { /* not in this locale */
            return width + n;
        }
        int columns = wcwidth(c);
        width += columns < 0 ? 1 : (size_t)columns;
        p += used;
        n -= used;
    }
    return width;
}

/* Columns of a terminal that n bytes of well-formed UTF-8 take. */
static size_t ts_text_width(locale_t utf8, const char *p, size_t n)
{
    size_t beginnings = 0;
    bool ascii = true;
    for (size_t i = 0; i < n; i++) {
        ascii = ascii && (unsigned char)p[i] < 0x80;
        beginnings += ((unsigned char)p[i] & 0xc0) != 0x80 ? 1 : 0;
    }
    if (ascii || utf8 == (locale_t)0) {
        return beginnings;
    }
    locale_t before = uselocale(utf8);
    size_t width = wide_width(p, n);
    uselocale(before);
    return width;
}

/* --- cells --------------------------------------------------------------------------------- */

static ts_code put_value(ts_table_text *t, const char *p, size_t n, ts_cell_type type)
{
    ts_ctx *ctx = t->out->ctx;
    if (type == TS_CELL_NULL) {
        return ts_buf_put(ctx, &t->text, "NULL", 4);
    }
    if (type != TS_CELL_BLOB) {
        return ts_utf8_printable(ctx, &t->text, p, n, SIZE_MAX);
    }
    ts_code code = ts_buf_put(ctx, &t->text, "X'", 2);
    for (size_t i = 0; code == TS_OK && i < n; i++) {
        code = ts_buf_printf(ctx, &t->text, "%02X", (unsigned char)p[i]);
    }
    return code != TS_OK ? code : ts_buf_putc(ctx, &t->text, '\'');
}

static ts_code add_cell(ts_table_text *t, const char *p, size_t n, ts_cell_type type)
{
    size_t at = t->text.n;
    cell *c = ts_vec_add(t->out->ctx, &t->cells, sizeof *c);
    TS_NEED(t->out->ctx, c);
    ts_code code = put_value(t, p, n, type);
    *c =
        (cell){.at = at, .n = t->text.n - at, .right = type == TS_CELL_INT || type == TS_CELL_REAL};
    c->width = c->n == 0 ? 0 : ts_text_width(t->utf8, t->text.p + at, c->n);
    return code;
}

static ts_code put_blanks(ts_output *out, size_t n)
{
    static const char blanks[] = "                                                                ";
    ts_code code = TS_OK;
    while (code == TS_OK && n > 0) {
        size_t part = n < sizeof blanks - 1 ? n : sizeof blanks - 1;
        code = ts_output_put(out, blanks, part);
        n -= part;
    }
    return code;
}

/* A line of cells, from the first one at `row`. It has no blanks at its end. */
static ts_code put_line(const ts_table_text *t, const cell *row)
{
    const column *columns = t->columns.p;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < t->columns.n; i++) {
        const cell *c = &row[i];
        size_t pad = columns[i].width > c->width ? columns[i].width - c->width : 0;
        bool last = i + 1 == t->columns.n;
        code = c->right ? put_blanks(t->out, pad) : TS_OK;
        TS_STEP_IF(code, c->n > 0, ts_output_put(t->out, t->text.p + c->at, c->n));
        TS_STEP_IF(code, !last, put_blanks(t->out, (c->right ? 0 : pad) + 2));
    }
    return code != TS_OK ? code : ts_output_put(t->out, "\n", 1);
}

static ts_code put_ruler(const ts_table_text *t)
{
    const column *columns = t->columns.p;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < t->columns.n; i++) {
        for (size_t k = 0; code == TS_OK && k < columns[i].width; k++) {
            code = ts_output_put(t->out, "-", 1);
        }
        TS_STEP(code, ts_output_puts(t->out, i + 1 < t->columns.n ? "  " : "\n"));
    }
    return code;
}

/* Widths from what is held, which is then printed. */
static ts_code fix_widths(ts_table_text *t)
{
    cell *cells = t->cells.p;
    column *columns = t->columns.p;
    size_t n = t->columns.n;
    for (size_t i = 0; i < t->cells.n; i++) {
        column *c = &columns[i % n];
        bool text = !cells[i].right;
        size_t most = text && i >= n && cells[i].width > COLUMN_MAX ? COLUMN_MAX : cells[i].width;
        c->width = most > c->width ? most : c->width;
    }
    for (size_t i = 0; i < n; i++) { /* the name of a column of numbers is above them */
        cells[i].right = columns[i].any && !columns[i].text;
    }
    t->fixed = true;
    ts_code code = put_line(t, cells);
    TS_STEP(code, put_ruler(t));
    for (size_t i = n; code == TS_OK && i < t->cells.n; i += n) {
        code = put_line(t, cells + i);
    }
    t->cells.n = 0;
    t->text.n = 0;
    return code;
}

/* --- results ------------------------------------------------------------------------------- */

ts_code ts_table_text_begin(ts_table_text *t, const char *const *names, int n)
{
    ts_code code = TS_OK;
    t->cells.n = 0;
    t->columns.n = 0;
    t->text.n = 0;
    t->rows = 0;
    t->fixed = false;
    t->open = true;
    for (int i = 0; code == TS_OK && i < n; i++) {
        code = ts_vec_add(t->out->ctx, &t->columns, sizeof(column)) == NULL
                   ? t->out->ctx->error.code
                   : add_cell(t, names[i], strlen(names[i]), TS_CELL_TEXT);
    }
    return code;
}

ts_code ts_table_text_row(ts_table_text *t, const char *const *values, const size_t *lengths,
                          const ts_cell_type *types, int n)
{
    ts_code code = TS_OK;
    for (int i = 0; code == TS_OK && i < n; i++) {
        column *c = (column *)t->columns.p + i;
        c->any = c->any || types[i] != TS_CELL_NULL;
        c->text = c->text || types[i] == TS_CELL_TEXT || types[i] == TS_CELL_BLOB;
        code = add_cell(t, values[i], lengths[i], types[i]);
    }
    if (code != TS_OK) {
        return code;
    }
    if (t->fixed) {
        code = put_line(t, t->cells.p);
        t->cells.n = 0;
        t->text.n = 0;
        return code;
    }
    t->rows++;
    return t->rows < TS_TABLE_ROWS && t->text.n < HELD_BYTES ? TS_OK : fix_widths(t);
}

ts_code ts_table_text_end(ts_table_text *t)
{
    ts_code code = t->open && !t->fixed ? fix_widths(t) : TS_OK;
    t->open = false;
    return code;
}
