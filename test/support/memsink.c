#include "memsink.h"

#include "support.h"

#include <inttypes.h>

typedef struct mem_table {
    char *rows;         /* row structs, texts point to memory of their own */
    uint64_t *reserved; /* per row: the columns that may still be completed */
    size_t n;
    size_t cap;
} mem_table;

/* Texts are packed into blocks: a sweep makes millions of them, and each allocation of its own
 * would cost more than all the code under test. */
typedef struct text_block {
    struct text_block *next;
    size_t used;
    size_t size;
    char bytes[];
} text_block;

enum { TEXT_BLOCK = 16 * 1024 };

struct memsink {
    ts_sink sink;
    text_block *texts;
    bool dropped[TS_TABLE_COUNT];
    ts_ctx *ctx;
    uint64_t calls;
    uint64_t fail_at;
    mem_table tables[TS_TABLE_COUNT];
};

static void *must(void *p)
{
    if (p == NULL) {
        fail_msg("the test itself ran out of memory");
    }
    return p;
}

static char *room_for_text(memsink *m, size_t n)
{
    text_block *b = m->texts;
    if (b == NULL || b->size - b->used < n) {
        size_t size = b == NULL ? TEXT_BLOCK : b->size * 2;
        size = size < n ? n : size;
        b = must(malloc(sizeof *b + size));
        b->next = m->texts;
        b->used = 0;
        b->size = size;
        m->texts = b;
    }
    b->used += n;
    return b->bytes + b->used - n;
}

/* --- cells --------------------------------------------------------------------------------- */

static uint64_t null_bits(const void *row)
{
    uint64_t bits;
    memcpy(&bits, row, sizeof bits); /* the first member of every row struct */
    return bits;
}

static ts_text text_cell(const ts_column *column, const void *row)
{
    ts_text text;
    memcpy(&text, (const char *)row + column->offset, sizeof text);
    return text;
}

static bool cell_is_null(const ts_table *t, const void *row, unsigned column)
{
    if ((null_bits(row) >> column & 1) != 0) {
        return true;
    }
    return t->columns[column].type == TS_COL_TEXT && text_cell(&t->columns[column], row).p == NULL;
}

static int64_t int_cell(const ts_column *column, const void *row)
{
    int64_t value;
    memcpy(&value, (const char *)row + column->offset, sizeof value);
    return value;
}

static double real_cell(const ts_column *column, const void *row)
{
    double value;
    memcpy(&value, (const char *)row + column->offset, sizeof value);
    return value;
}

static bool cells_equal(const ts_table *t, const void *a, const void *b, unsigned column)
{
    const ts_column *c = &t->columns[column];
    bool null = cell_is_null(t, a, column);
    if (null != cell_is_null(t, b, column) || null) {
        return null && cell_is_null(t, b, column);
    }
    if (c->type == TS_COL_TEXT) {
        ts_text x = text_cell(c, a);
        ts_text y = text_cell(c, b);
        return x.n == y.n && memcmp(x.p, y.p, x.n) == 0;
    }
    return memcmp((const char *)a + c->offset, (const char *)b + c->offset, 8) == 0;
}

/* --- the sink ------------------------------------------------------------------------------ */

static ts_code call(memsink *m)
{
    m->calls++;
    if (m->calls != m->fail_at) {
        return TS_OK;
    }
    return m->ctx == NULL ? TS_ERR_OUTPUT : ts_fail(m->ctx, TS_ERR_OUTPUT, "the sink was to fail");
}

/* Only integers that have a value can be reserved. */
static void check_reserved(const ts_table *t, const void *row, uint64_t reserved)
{
    for (unsigned i = 0; reserved != 0 && i < 64; i++) {
        if ((reserved >> i & 1) != 0 &&
            (i >= t->column_count || t->columns[i].type != TS_COL_INT || cell_is_null(t, row, i))) {
            fail_msg("%s: column %u cannot be reserved", t->name, i);
        }
    }
}

static ts_code put(void *self, enum ts_table_id table, const void *row, uint64_t reserved)
{
    memsink *m = self;
    mem_table *mem = &m->tables[table];
    const ts_table *t = &ts_schema[table];
    char *copy;
    ts_code code = call(m);
    if (code != TS_OK || m->dropped[table]) {
        return code;
    }
    if (t->columns[0].type == TS_COL_KEY && int_cell(&t->columns[0], row) != (int64_t)mem->n + 1) {
        fail_msg("%s: row %zu has the key %" PRId64, t->name, mem->n,
                 int_cell(&t->columns[0], row));
    }
    check_reserved(t, row, reserved);
    if (mem->n == mem->cap) {
        mem->cap = mem->cap == 0 ? 16 : mem->cap * 2;
        mem->rows = must(realloc(mem->rows, mem->cap * t->row_size));
        mem->reserved = must(realloc(mem->reserved, mem->cap * sizeof *mem->reserved));
    }
    mem->reserved[mem->n] = reserved;
    copy = mem->rows + mem->n * t->row_size;
    memcpy(copy, row, t->row_size);
    for (unsigned i = 0; i < t->column_count; i++) {
        ts_text text = {NULL, 0};
        if (t->columns[i].type != TS_COL_TEXT) {
            continue;
        }
        if (!cell_is_null(t, row, i)) {
            ts_text from = text_cell(&t->columns[i], row);
            char *bytes = room_for_text(m, from.n + 1);
            memcpy(bytes, from.p, from.n);
            bytes[from.n] = '\0';
            text = (ts_text){bytes, from.n};
        }
        memcpy(copy + t->columns[i].offset, &text, sizeof text);
    }
    mem->n++;
    return TS_OK;
}

static ts_code complete(void *self, enum ts_table_id table, int64_t rowid, unsigned column,
                        int64_t value)
{
    memsink *m = self;
    mem_table *mem = &m->tables[table];
    const ts_table *t = &ts_schema[table];
    ts_code code = call(m);
    if (code != TS_OK) {
        return code;
    }
    if (rowid < 1 || (uint64_t)rowid > mem->n || column >= t->column_count ||
        (mem->reserved[rowid - 1] >> column & 1) == 0) {
        fail_msg("%s: column %u of row %" PRId64 " is not reserved", t->name, column, rowid);
    }
    memcpy(mem->rows + (size_t)(rowid - 1) * t->row_size + t->columns[column].offset, &value,
           sizeof value);
    return TS_OK;
}

/* The columns are those of the table, and none is a key. */
static void check_amended(const memsink *m, const ts_amendment *what)
{
    const ts_table *t = &ts_schema[what->table];
    const ts_column *one = &t->columns[what->columns == 0 ? 0 : __builtin_ctzll(what->columns)];
    bool single = what->kind == TS_AMEND_TEXT || what->kind == TS_AMEND_INT;
    if (what->first < 1 || what->last < what->first ||
        (uint64_t)what->last > m->tables[what->table].n || what->columns == 0 ||
        (t->column_count < 64 && what->columns >> t->column_count != 0) ||
        ((what->columns & 1) != 0 && t->columns[0].type == TS_COL_KEY)) {
        fail_msg("%s: rows %" PRId64 " to %" PRId64 " cannot be changed", t->name, what->first,
                 what->last);
    }
    if (single && (what->first != what->last || (what->columns & (what->columns - 1)) != 0 ||
                   one->type != (what->kind == TS_AMEND_TEXT ? TS_COL_TEXT : TS_COL_INT))) {
        fail_msg("%s: column %s of row %" PRId64 " takes no such value", t->name, one->name,
                 what->first);
    }
}

/* A column that is named in TS_COMPLETE_COLUMN becomes 0 and not NULL. */
static void amend_cell(char *row, const ts_column *column, unsigned c, const ts_amendment *what,
                       ts_text text)
{
    char *cell = row + column->offset;
    uint64_t bits = null_bits(row);
    int64_t value = what->value;
    switch (what->kind) {
    case TS_AMEND_TEXT:
        memcpy(cell, &text, sizeof text);
        bits &= ~(UINT64_C(1) << c);
        break;
    case TS_AMEND_MOVE:
        if ((bits >> c & 1) == 0) {
            value += int_cell(column, row); /* tests have no sums beyond 64 bits */
            memcpy(cell, &value, sizeof value);
        }
        break;
    case TS_AMEND_INT:
        memcpy(cell, &value, sizeof value);
        bits &= ~(UINT64_C(1) << c);
        break;
    case TS_AMEND_NULL:
        if (strcmp(column->name, TS_COMPLETE_COLUMN) == 0) {
            memset(cell, 0, sizeof value);
        } else {
            bits |= UINT64_C(1) << c;
        }
        break;
    }
    memcpy(row, &bits, sizeof bits);
}

static ts_code amend(void *self, const ts_amendment *what)
{
    memsink *m = self;
    mem_table *mem = &m->tables[what->table];
    const ts_table *t = &ts_schema[what->table];
    ts_text text = TS_TEXT_NULL;
    ts_code code = call(m);
    if (code != TS_OK || m->dropped[what->table]) {
        return code;
    }
    check_amended(m, what);
    if (what->kind == TS_AMEND_TEXT) {
        char *bytes = room_for_text(m, what->text.n + 1);
        memcpy(bytes, what->text.p, what->text.n);
        bytes[what->text.n] = '\0';
        text = (ts_text){bytes, what->text.n};
    }
    for (int64_t rowid = what->first; rowid <= what->last; rowid++) {
        assert_int_equal(mem->reserved[rowid - 1] & what->columns, 0);
        for (uint64_t left = what->columns; left != 0; left &= left - 1) {
            unsigned c = (unsigned)__builtin_ctzll(left);
            amend_cell(mem->rows + (size_t)(rowid - 1) * t->row_size, &t->columns[c], c, what,
                       text);
        }
    }
    return TS_OK;
}

static void release(void *self, enum ts_table_id table, int64_t rowid)
{
    memsink *m = self;
    mem_table *mem = &m->tables[table];
    if (rowid < 1 || (uint64_t)rowid > mem->n || mem->reserved[rowid - 1] == 0) {
        fail_msg("%s: row %" PRId64 " is released and was not reserved", ts_schema[table].name,
                 rowid);
    }
    mem->reserved[rowid - 1] = 0;
}

memsink *memsink_new(ts_ctx *ctx)
{
    memsink *m = must(calloc(1, sizeof *m));
    m->ctx = ctx;
    m->sink = ts_sink_of(
        m, &(ts_sink_calls){.put = put, .complete = complete, .release = release, .amend = amend});
    return m;
}

void memsink_clear(memsink *m)
{
    for (size_t table = 0; table < TS_TABLE_COUNT; table++) {
        mem_table *mem = &m->tables[table];
        free(mem->rows);
        free(mem->reserved);
        *mem = (mem_table){NULL, NULL, 0, 0};
        m->sink.rows[table] = 0;
    }
    while (m->texts != NULL) {
        text_block *next = m->texts->next;
        free(m->texts);
        m->texts = next;
    }
    m->calls = 0;
}

void memsink_free(memsink *m)
{
    if (m != NULL) {
        memsink_clear(m);
        free(m);
    }
}

ts_sink *memsink_sink(memsink *m)
{
    return &m->sink;
}

void memsink_fail_at(memsink *m, uint64_t nth)
{
    m->fail_at = nth;
}

void memsink_drop(memsink *m, enum ts_table_id table)
{
    m->dropped[table] = true;
}

uint64_t memsink_calls(const memsink *m)
{
    return m->calls;
}

/* --- getters ------------------------------------------------------------------------------- */

size_t memsink_rows(const memsink *m, enum ts_table_id table)
{
    return m->tables[table].n;
}

const void *memsink_row(const memsink *m, enum ts_table_id table, size_t row)
{
    if (row >= m->tables[table].n) {
        fail_msg("%s has %zu rows, row %zu was asked for", ts_schema[table].name,
                 m->tables[table].n, row);
    }
    return m->tables[table].rows + row * ts_schema[table].row_size;
}

bool memsink_is_null(const memsink *m, enum ts_table_id table, size_t row, unsigned column)
{
    return cell_is_null(&ts_schema[table], memsink_row(m, table, row), column);
}

/* The row, after checking that the cell holds a value of the type. */
static const void *typed_row(const memsink *m, enum ts_table_id table, size_t row, unsigned column,
                             ts_column_type type)
{
    const ts_table *t = &ts_schema[table];
    const void *p = memsink_row(m, table, row);
    ts_column_type have = t->columns[column].type;
    if (have != type && !(have == TS_COL_KEY && type == TS_COL_INT)) {
        fail_msg("%s.%s is of another type", t->name, t->columns[column].name);
    }
    if (cell_is_null(t, p, column)) {
        fail_msg("%s.%s is NULL in row %zu", t->name, t->columns[column].name, row);
    }
    return p;
}

int64_t memsink_int(const memsink *m, enum ts_table_id table, size_t row, unsigned column)
{
    const void *p = typed_row(m, table, row, column, TS_COL_INT);
    return int_cell(&ts_schema[table].columns[column], p);
}

double memsink_real(const memsink *m, enum ts_table_id table, size_t row, unsigned column)
{
    const void *p = typed_row(m, table, row, column, TS_COL_REAL);
    return real_cell(&ts_schema[table].columns[column], p);
}

ts_text memsink_text(const memsink *m, enum ts_table_id table, size_t row, unsigned column)
{
    const void *p = typed_row(m, table, row, column, TS_COL_TEXT);
    return text_cell(&ts_schema[table].columns[column], p);
}

size_t memsink_count_int(const memsink *m, enum ts_table_id table, unsigned column, int64_t value)
{
    size_t n = 0;
    for (size_t i = 0; i < memsink_rows(m, table); i++) {
        n += !memsink_is_null(m, table, i, column) && memsink_int(m, table, i, column) == value;
    }
    return n;
}

size_t memsink_find_int(const memsink *m, enum ts_table_id table, unsigned column, int64_t value)
{
    for (size_t i = 0; i < memsink_rows(m, table); i++) {
        if (!memsink_is_null(m, table, i, column) && memsink_int(m, table, i, column) == value) {
            return i;
        }
    }
    return SIZE_MAX;
}

size_t memsink_find_text(const memsink *m, enum ts_table_id table, unsigned column,
                         const char *value)
{
    for (size_t i = 0; i < memsink_rows(m, table); i++) {
        if (!memsink_is_null(m, table, i, column) &&
            ts_text_is(memsink_text(m, table, i, column), value)) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* --- rows as text -------------------------------------------------------------------------- */

static void print_text(FILE *f, ts_text text)
{
    for (size_t i = 0; i < text.n; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c < 0x20 || c == '\\') {
            fprintf(f, "\\x%02x", c);
        } else {
            fputc(c, f);
        }
    }
}

char *memsink_row_text(const memsink *m, enum ts_table_id table, size_t row)
{
    const ts_table *t = &ts_schema[table];
    const void *p = memsink_row(m, table, row);
    char *out = NULL;
    size_t n = 0;
    FILE *f = must(open_memstream(&out, &n));
    for (unsigned i = 0; i < t->column_count; i++) {
        const ts_column *c = &t->columns[i];
        if (i > 0) {
            fputc('|', f);
        }
        if (cell_is_null(t, p, i)) {
            fputs("NULL", f);
        } else if (c->type == TS_COL_TEXT) {
            print_text(f, text_cell(c, p));
        } else if (c->type == TS_COL_REAL) {
            fprintf(f, "%.17g", real_cell(c, p));
        } else {
            fprintf(f, "%" PRId64, int_cell(c, p));
        }
    }
    fclose(f);
    return must(out);
}

void memsink_assert_row(const memsink *m, enum ts_table_id table, size_t row, const char *expected,
                        const char *file, int line)
{
    char *have = memsink_row_text(m, table, row);
    bool same = strcmp(have, expected) == 0;
    if (!same) {
        print_error("%s, row %zu\n  is       %s\n  expected %s\n", ts_schema[table].name, row, have,
                    expected);
    }
    free(have);
    if (!same) {
        _fail(file, line);
    }
}

void memsink_assert_rows(const memsink *m, enum ts_table_id table, const char *const *expected,
                         const char *file, int line)
{
    size_t have = memsink_rows(m, table);
    size_t n = 0;
    for (; expected[n] != NULL && n < have; n++) {
        memsink_assert_row(m, table, n, expected[n], file, line);
    }
    if (expected[n] != NULL || n < have) {
        memsink_print(m, table);
        print_error("%s has %zu rows, the row %zu is the first that %s\n", ts_schema[table].name,
                    have, n, n < have ? "was not expected" : "is missing");
        _fail(file, line);
    }
}

void memsink_assert_text(const memsink *m, enum ts_table_id table, size_t row, unsigned column,
                         const char *expected, const char *file, int line)
{
    ts_text have = memsink_text(m, table, row, column);
    if (!ts_text_is(have, expected)) {
        print_error("%s.%s, row %zu\n  is       %.*s\n  expected %s\n", ts_schema[table].name,
                    ts_schema[table].columns[column].name, row, (int)have.n, have.p, expected);
        _fail(file, line);
    }
}

void memsink_print(const memsink *m, enum ts_table_id table)
{
    for (size_t i = 0; i < memsink_rows(m, table); i++) {
        char *text = memsink_row_text(m, table, i);
        print_error("%s %zu: %s\n", ts_schema[table].name, i, text);
        free(text);
    }
}

/* --- comparing ----------------------------------------------------------------------------- */

bool memsink_same_cells(const memsink *a, size_t i, const memsink *b, size_t j,
                        enum ts_table_id table, unsigned first)
{
    const ts_table *t = &ts_schema[table];
    for (unsigned c = first; c < t->column_count; c++) {
        if (!cells_equal(t, memsink_row(a, table, i), memsink_row(b, table, j), c)) {
            return false;
        }
    }
    return true;
}

bool memsink_is_prefix(size_t *differs, const memsink *part, const memsink *whole,
                       enum ts_table_id table)
{
    size_t n = memsink_rows(part, table);
    size_t more = memsink_rows(whole, table);
    *differs = 0;
    while (*differs < n && *differs < more &&
           memsink_same_cells(part, *differs, whole, *differs, table, 0)) {
        ++*differs;
    }
    return *differs == n;
}

bool memsink_equal(const memsink *a, const memsink *b)
{
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        enum ts_table_id table = (enum ts_table_id)i;
        size_t row;
        if (memsink_rows(a, table) == memsink_rows(b, table) &&
            memsink_is_prefix(&row, a, b, table)) {
            continue;
        }
        memsink_is_prefix(&row, a, b, table);
        print_error("%s: %zu and %zu rows, first difference in row %zu\n", ts_schema[table].name,
                    memsink_rows(a, table), memsink_rows(b, table), row);
        for (int side = 0; side < 2; side++) {
            const memsink *m = side == 0 ? a : b;
            if (row < memsink_rows(m, table)) {
                char *text = memsink_row_text(m, table, row);
                print_error("  %s\n", text);
                free(text);
            }
        }
        return false;
    }
    return true;
}
