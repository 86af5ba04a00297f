/*
 * The bytes say what tables there are and what rows come: the same rows go to a file by the page
 * writer and to another one by SQLite's INSERT, and the two must be equal in every cell and record,
 * without a complaint of integrity_check. Reserved rows are completed in any order.
 *
 * Built with test/unit and test/support in the include path, and with ts_test_memsink.
 */
#include "tables_pages.h"

#include "fuzz_sqlite.h"

enum { ROWS_MAX = 4000, OPEN_MAX = 64, TEXT_MAX = 300000 };

typedef struct input {
    const uint8_t *p;
    size_t n;
} input;

static uint64_t take(input *in, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes && in->n > 0; i++, in->p++, in->n--) {
        v = v << 8 | *in->p;
    }
    return v;
}

static void read_specs(input *in, char *specs, size_t cap)
{
    static const char types[] = "iiitrti";
    size_t tables = 1 + take(in, 1) % 4;
    size_t at = 0;
    for (size_t t = 0; t < tables; t++) {
        size_t columns = 1 + take(in, 1) % (take(in, 1) % 8 == 0 ? PAIR_COLUMNS : 9);
        if (at + columns + 2 >= cap) {
            break;
        }
        if (t > 0) {
            specs[at++] = ' ';
        }
        for (size_t c = 0; c < columns; c++) {
            uint64_t b = take(in, 1);
            specs[at++] = c == 0 && b % 3 == 0 ? 'k' : types[b % 7];
        }
    }
    specs[at] = '\0';
}

static void fill_row(pair *x, unsigned id, input *in, const char *text)
{
    const ts_table *t = &x->tables[id];
    for (unsigned c = 0; c < t->column_count; c++) {
        uint64_t form = take(in, 1);
        uint64_t v = take(in, 1 + (unsigned)(form & 7));
        double real;
        switch (t->columns[c].type) {
        case TS_COL_KEY:
            break;
        case TS_COL_INT:
            set_int(x, id, c, (int64_t)((form & 8) != 0 ? ~v : v));
            break;
        case TS_COL_REAL:
            memcpy(&real, &v, sizeof real);
            set_real(x, id, c, (form & 8) != 0 ? real : (double)(int64_t)v);
            break;
        case TS_COL_TEXT:
            /* Near a page's end more often than anywhere else. */
            v = (form & 16) != 0 ? x->page_size * (form >> 5) + v % 80 - 40 : v % 256;
            set_text(x, id, c, (form & 15) == 15 ? NULL : text + (form & 7), v % TEXT_MAX);
            break;
        }
    }
    set_nulls(x, id, take(in, 1) % 4 == 0 ? take(in, 8) >> (64 - t->column_count) : 0);
}

static uint64_t reservable(const pair *x, unsigned id)
{
    uint64_t nulls;
    uint64_t columns = 0;
    memcpy(&nulls, x->rows[id], sizeof nulls);
    for (unsigned c = 0; c < x->tables[id].column_count; c++) {
        columns |= x->tables[id].columns[c].type == TS_COL_INT ? UINT64_C(1) << c : 0;
    }
    return columns & ~nulls;
}

typedef struct open_row {
    unsigned id;
    int64_t rowid;
    uint64_t columns;
} open_row;

static void complete_one(pair *x, open_row *row, input *in)
{
    unsigned column = (unsigned)__builtin_ctzll(row->columns);
    pair_complete(x, row->id, row->rowid, column, (int64_t)take(in, 8));
    row->columns &= row->columns - 1;
    if (row->columns == 0) {
        ts_pages_release(x->pages, row->id, row->rowid);
    }
}

/* Rows as columns, by one of the ways that find their types. */
static void put_columns(pair *x, unsigned id, input *in)
{
    enum { AT_ONCE = 300, MOST = 15 };
    static uint32_t values[MOST][AT_ONCE];
    const uint32_t *columns[MOST];
    const unsigned n = x->tables[id].column_count;
    const unsigned count = (unsigned)take(in, 2) % AT_ONCE;
    const uint64_t nulls = take(in, 1) % 4 == 0 ? take(in, 2) : 0;
    page_types_call *way = page_types_way((enum page_way)(take(in, 1) % PAGE_WAYS));
    for (unsigned c = 0; c < n; c++) {
        const uint64_t kind = take(in, 1);
        const uint64_t seed = take(in, 4);
        columns[c] = (nulls >> c & 1) != 0 ? NULL : values[c];
        for (unsigned r = 0; r < count; r++) {
            values[c][r] = (uint32_t)(seed * (r * kind + 1) >> (kind & 31)) & INT32_MAX;
        }
    }
    for (unsigned r = 0; r < count; r++) {
        int64_t row[1 + MOST] = {0};
        for (unsigned c = 0; c < n; c++) {
            row[0] |= columns[c] == NULL ? INT64_C(1) << c : 0;
            row[1 + c] = columns[c] == NULL ? 0 : values[c][r];
        }
        insertsink_put(x->insert, id, row);
    }
    x->pages->types = way == NULL ? page_types_best() : way;
    assert_ok(x->ctx, ts_pages_put_columns(x->pages, id, columns, count));
}

static void run(pair *x, input *in, const char *text)
{
    open_row open[OPEN_MAX] = {{0}};
    for (unsigned n = 0; n < ROWS_MAX && in->n > 0; n++) {
        uint64_t command = take(in, 1);
        unsigned id = (unsigned)(command & 3) % x->count;
        open_row *slot = &open[command >> 2 & (OPEN_MAX - 1)];
        if (command < 16 && slot->columns != 0) {
            complete_one(x, slot, in);
            continue;
        }
        if (command % 16 == 9 && ts_pages_has_columns(x->pages, id)) {
            put_columns(x, id, in);
            continue;
        }
        fill_row(x, id, in, text);
        uint64_t columns = command > 200 && slot->columns == 0 ? reservable(x, id) : 0;
        pair_reserve(x, id, columns);
        if (columns != 0) {
            *slot = (open_row){id, pair_rows(x, id), columns};
        }
        for (uint64_t more = command % 16 == 7 ? take(in, 1) : 0; more > 0; more--) {
            pair_put(x, id);
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const uint32_t page_sizes[] = {512, 512, 1024, 4096, 65536};
    char specs[5 * (PAIR_COLUMNS + 1)];
    input in = {data, size};
    uint32_t page_size = page_sizes[take(&in, 1) % 5];
    uint32_t lock = (uint32_t)(4096 / page_size + 3 + take(&in, 1));
    char *text = malloc(TEXT_MAX + 8);
    void *state = NULL;
    pair x;
    assert_non_null(text);
    for (size_t i = 0; i < TEXT_MAX + 8; i++) {
        text[i] = (char)('a' + i * 7 % 26);
    }
    fuzz_sqlite_setup();
    (void)sqlite3_test_control(SQLITE_TESTCTRL_PENDING_BYTE, (lock - 1) * page_size);
    fixture_setup(&state);
    read_specs(&in, specs, sizeof specs);
    pair_begin(&x, state, page_size, lock, specs);
    run(&x, &in, text);
    pair_finish(&x);
    pair_free(&x);
    fixture_teardown(&state);
    free(text);
    return 0;
}
