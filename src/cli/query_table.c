#include "cli/query_rows.h"

#include "base/utf8.h"

#include <wchar.h>

/* A column is not made wider than that for a text when there is no terminal: what is longer moves
 * the rest of its line. For a terminal, COLUMN_LEAST is what a longer text is cut to at most while
 * its row fits a line, and COLUMN_WRAPPED where the row takes several. */
enum {
    COLUMN_MAX = 80,
    COLUMN_LEAST = 16,
    COLUMN_WRAPPED = 32,
    SCREEN_LEAST = 20,
    BETWEEN = 2,
    INDENT = 2,
    HELD_BYTES = 1 << 20
};

static const char cut_mark[] = "...";

typedef struct cell {
    size_t at, n; /* in text */
    size_t width;
    bool right;
    bool whole; /* a number or NULL: never cut */
} cell;

typedef struct column {
    size_t width;   /* as it is shown */
    size_t natural; /* of the widest cell */
    size_t least;   /* of its name but for long ones, and of what is never cut */
    bool any;       /* has a value */
    bool text;      /* has one that is no number */
    bool begins;    /* another line of the row, which does not fit one */
} column;

void ts_table_text_init(ts_table_text *t, ts_output *out, size_t screen)
{
    *t = (ts_table_text){.out = out,
                         .screen = screen == 0 || screen > SCREEN_LEAST ? screen : SCREEN_LEAST,
                         .utf8 = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0)};
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

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

/* --- widths -------------------------------------------------------------------------------- */

/* Bytes at the beginning of n of well-formed UTF-8 that take at most `most` columns of a terminal,
 * marks on the last character included; *width: how many they take. */
static size_t wide_prefix(size_t *width, const char *p, size_t n, size_t most)
{
    mbstate_t state = {0};
    size_t at = 0;
    *width = 0;
    while (at < n) {
        wchar_t c;
        size_t used = mbrtowc(&c, p + at, n - at, &state);
        const bool known = used > 0 && used <= n - at; /* in this locale */
        const int columns = known ? wcwidth(c) : 1;
        const size_t more = columns < 0 ? 1 : (size_t)columns;
        if (*width + more > most) {
            break;
        }
        *width += more;
        at += known ? used : 1;
    }
    return at;
}

/* The same where a character is a column: of ASCII, and without a locale. */
static size_t plain_prefix(size_t *width, const char *p, size_t n, size_t most)
{
    size_t at = 0;
    *width = 0;
    for (; at < n; at++) {
        const bool begins = ((unsigned char)p[at] & 0xc0) != 0x80;
        if (begins && *width == most) {
            break;
        }
        *width += begins ? 1 : 0;
    }
    return at;
}

static size_t text_prefix(size_t *width, locale_t utf8, const char *p, size_t n, size_t most)
{
    bool ascii = true;
    for (size_t i = 0; ascii && i < n; i++) {
        ascii = (unsigned char)p[i] < 0x80;
    }
    if (ascii || utf8 == (locale_t)0) {
        return plain_prefix(width, p, n, most);
    }
    locale_t before = uselocale(utf8);
    const size_t at = wide_prefix(width, p, n, most);
    uselocale(before);
    return at;
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
    c->whole = c->right || type == TS_CELL_NULL;
    if (c->n > 0) {
        (void)text_prefix(&c->width, t->utf8, t->text.p + at, c->n, SIZE_MAX);
    }
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

/* What is shown of a text that is wider than its column; *width: what that takes. */
static ts_code put_cut(size_t *width, ts_table_text *t, const cell *c, size_t most)
{
    const char *text = t->text.p + c->at;
    const size_t mark = smaller(sizeof cut_mark - 1, most);
    const size_t n = text_prefix(width, t->utf8, text, c->n, most - mark);
    ts_code code = ts_output_put(t->out, text, n);
    TS_STEP(code, ts_output_put(t->out, cut_mark, mark));
    *width += mark;
    t->cut++;
    return code;
}

/* Whether a line ends after a column. */
static bool is_last(const ts_table_text *t, size_t i)
{
    return i + 1 == t->columns.n || ((const column *)t->columns.p)[i + 1].begins;
}

/* A row of cells, from the first one at `row`. Lines have no blanks at their ends. */
static ts_code put_line(ts_table_text *t, const cell *row)
{
    const column *columns = t->columns.p;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < t->columns.n; i++) {
        const cell *c = &row[i];
        size_t width = c->width;
        size_t pad = columns[i].width > width ? columns[i].width - width : 0;
        code = columns[i].begins ? put_blanks(t->out, INDENT) : TS_OK;
        TS_STEP_IF(code, c->right, put_blanks(t->out, pad));
        if (code == TS_OK && t->screen > 0 && !c->whole && width > columns[i].width) {
            code = put_cut(&width, t, c, columns[i].width);
            pad = columns[i].width - width;
        } else if (code == TS_OK && c->n > 0) {
            code = ts_output_put(t->out, t->text.p + c->at, c->n);
        }
        TS_STEP(code, is_last(t, i) ? ts_output_put(t->out, "\n", 1)
                                    : put_blanks(t->out, (c->right ? 0 : pad) + BETWEEN));
    }
    return code;
}

static ts_code put_ruler(const ts_table_text *t)
{
    const column *columns = t->columns.p;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < t->columns.n; i++) {
        code = columns[i].begins ? put_blanks(t->out, INDENT) : TS_OK;
        for (size_t k = 0; code == TS_OK && k < columns[i].width; k++) {
            code = ts_output_put(t->out, "-", 1);
        }
        TS_STEP(code, ts_output_puts(t->out, is_last(t, i) ? "\n" : "  "));
    }
    return code;
}

/* --- a terminal ---------------------------------------------------------------------------- */

/* The width of a column whose texts take at most `most`. */
static size_t capped(const column *c, size_t most)
{
    const size_t floor = most > c->least ? most : c->least;
    return c->natural < floor ? c->natural : floor;
}

static size_t line_width(const ts_table_text *t, size_t most)
{
    const column *columns = t->columns.p;
    size_t width = t->columns.n > 0 ? (t->columns.n - 1) * BETWEEN : 0;
    for (size_t i = 0; i < t->columns.n; i++) {
        width += capped(&columns[i], most);
    }
    return width;
}

/* What the line from `first` to before `end` leaves of the screen goes to its texts. */
static void widen(const ts_table_text *t, size_t first, size_t end, size_t used)
{
    column *columns = t->columns.p;
    size_t left = t->screen > used ? t->screen - used : 0;
    for (size_t i = first; i < end; i++) {
        const size_t wanted = columns[i].natural - columns[i].width;
        const size_t more = smaller(wanted, left);
        columns[i].width += more;
        left -= more;
    }
}

/* Widths for the screen: texts are cut as much as needed, but not below COLUMN_LEAST; a row that is
 * still wider takes several lines, of which all but the first are indented. */
static void fit_screen(const ts_table_text *t)
{
    column *columns = t->columns.p;
    size_t most = t->screen;
    size_t first = 0;
    size_t used = 0;
    while (most > COLUMN_LEAST && line_width(t, most) > t->screen) {
        most--;
    }
    if (line_width(t, most) > t->screen) {
        most = smaller(COLUMN_WRAPPED, t->screen - INDENT);
    }
    for (size_t i = 0; i < t->columns.n; i++) {
        columns[i].width = capped(&columns[i], most);
        columns[i].begins = i > 0 && used + BETWEEN + columns[i].width > t->screen;
        if (columns[i].begins) {
            widen(t, first, i, used);
            first = i;
        }
        used = columns[i].width + (i == 0 ? 0 : columns[i].begins ? INDENT : used + BETWEEN);
    }
    widen(t, first, t->columns.n, used);
}

/* --- widths of columns --------------------------------------------------------------------- */

static void measure(const ts_table_text *t, const cell *c, column *to, bool name)
{
    const bool for_all = c->whole || (name && t->screen == 0);
    const size_t most = t->screen > 0 ? t->screen - INDENT : COLUMN_MAX;
    to->natural = larger(to->natural, for_all ? c->width : smaller(c->width, most));
    if (c->whole || name) {
        to->least = larger(to->least, c->whole ? c->width : smaller(c->width, COLUMN_WRAPPED));
    }
}

/* The names, above columns of the widths that are known by now. */
static ts_code put_header(ts_table_text *t)
{
    cell *cells = t->cells.p;
    column *columns = t->columns.p;
    for (size_t i = 0; i < t->columns.n; i++) { /* that of a column of numbers is above them */
        cells[i].right = columns[i].any && !columns[i].text;
        columns[i].width = columns[i].natural;
    }
    if (t->screen > 0) {
        fit_screen(t);
    }
    TS_TRY(put_line(t, cells));
    return put_ruler(t);
}

/* What is held was printed; the names stay. */
static void drop_rows(ts_table_text *t)
{
    t->cells.n = t->columns.n;
    t->text.n = t->header_bytes;
}

/* Widths from what is held, which is then printed. */
static ts_code fix_widths(ts_table_text *t)
{
    const cell *cells = t->cells.p;
    column *columns = t->columns.p;
    size_t n = t->columns.n;
    for (size_t i = 0; i < t->cells.n; i++) {
        measure(t, &cells[i], &columns[i % n], i < n);
    }
    t->fixed = true;
    ts_code code = put_header(t);
    for (size_t i = n; code == TS_OK && i < t->cells.n; i += n) {
        code = put_line(t, cells + i);
    }
    drop_rows(t);
    return code;
}

/* A row after the widths are known. On a terminal, where no line may move, the names are printed
 * again when a number is too wide for its column, or a column had no text before. */
static ts_code put_later(ts_table_text *t)
{
    const cell *row = (const cell *)t->cells.p + t->columns.n;
    column *columns = t->columns.p;
    bool again = false;
    for (size_t i = 0; t->screen > 0 && i < t->columns.n; i++) {
        const bool narrow = row[i].whole || columns[i].width < COLUMN_LEAST;
        if (narrow && row[i].width > columns[i].width && row[i].width > columns[i].natural) {
            measure(t, &row[i], &columns[i], false);
            again = true;
        }
    }
    ts_code code = again ? ts_output_put(t->out, "\n", 1) : TS_OK;
    TS_STEP_IF(code, again, put_header(t));
    TS_STEP(code, put_line(t, row));
    drop_rows(t);
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
    t->header_bytes = t->text.n;
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
        return put_later(t);
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
