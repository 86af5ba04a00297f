/* Columns of tables, and blocks of ClickHouse's format Native against bytes written by hand. */
#include "tables_files.h"

#include "export/columns/native.h"
#include "tables/rows.h"

/* --- Native ----------------------------------------------------------------------------------- */

/* A batch of one column of the type and width, `rows` of the given cells. */
typedef struct made {
    ts_column column;
    ts_column_values values;
    ts_columns batch;
    uint8_t null[4];
    int64_t ints[4];
    double reals[4];
    uint32_t offsets[5];
    int64_t rowids[4];
} made;

static ts_columns *made_of(const fixture *f, made *m, ts_column_type type, ts_width width,
                           bool nullable, unsigned rows)
{
    m->column = (ts_column){"c", type, "", nullable ? "none" : "", "", 0};
    m->values.column = &m->column;
    m->values.width = width;
    m->values.nullable = nullable;
    m->values.null = m->null;
    for (unsigned i = 0; i < rows; i++) {
        m->rowids[i] = (int64_t)i + 1;
        m->values.nulls += m->null[i];
        m->values.min = m->ints[i] < m->values.min || i == 0 ? m->ints[i] : m->values.min;
        m->values.max = m->ints[i] > m->values.max || i == 0 ? m->ints[i] : m->values.max;
    }
    if (type == TS_COL_TEXT) {
        m->values.offsets = m->offsets;
    } else if (type == TS_COL_REAL) {
        m->values.reals = m->reals;
    } else {
        m->values.ints = m->ints;
    }
    m->batch = (ts_columns){.ctx = f->ctx,
                            .name = "t",
                            .count = 1,
                            .columns = &m->values,
                            .rows = rows,
                            .rowids = m->rowids};
    return &m->batch;
}

/* The bytes after the column "row" of `rows` rows. */
static void assert_native(const fixture *f, const ts_columns *b, const char *bytes, size_t n)
{
    ts_buf out = {0};
    const size_t head = 2 + 1 + 3 + 1 + 6 + 4 * (size_t)b->rows;
    assert_ok(f->ctx, ts_native_block(&out, b, NULL));
    assert_int_equal(out.p[0], 2);
    assert_int_equal(out.p[1], b->rows);
    assert_memory_equal(out.p + 2, "\3row\6UInt32", 11);
    for (unsigned i = 0; i < b->rows; i++) {
        assert_int_equal(out.p[13 + 4 * i], i + 1);
        assert_memory_equal(out.p + 14 + 4 * (size_t)i, "\0\0\0", 3);
    }
    assert_int_equal(out.n, head + n);
    assert_memory_equal(out.p + head, bytes, n);
    ts_buf_free(f->ctx, &out);
}
#define native_is(f, b, text) assert_native(f, b, text, sizeof(text) - 1)

static void test_integers(void **state)
{
    const fixture *f = *state;
    made m = {.ints = {0, 255}};
    native_is(f, made_of(f, &m, TS_COL_INT, TS_WIDTH_U8, false, 2), "\1c\5UInt8\0\xff");
    m = (made){.ints = {0, 1}};
    native_is(f, made_of(f, &m, TS_COL_INT, TS_WIDTH_BOOL, false, 2), "\1c\5UInt8\0\1");
    m = (made){.ints = {258, 65535}};
    native_is(f, made_of(f, &m, TS_COL_INT, TS_WIDTH_U16, false, 2), "\1c\6UInt16\2\1\xff\xff");
    m = (made){.ints = {0x01020304, UINT32_MAX}};
    native_is(f, made_of(f, &m, TS_COL_INT, TS_WIDTH_U32, false, 2),
              "\1c\6UInt32\4\3\2\1\xff\xff\xff\xff");
    m = (made){.ints = {0x0102030405060708, INT64_MAX}};
    native_is(f, made_of(f, &m, TS_COL_KEY, TS_WIDTH_U64, false, 2),
              "\1c\6UInt64\x8\7\6\5\4\3\2\1\xff\xff\xff\xff\xff\xff\xff\x7f");
    m = (made){.ints = {INT64_MIN, -1}};
    native_is(f, made_of(f, &m, TS_COL_INT, TS_WIDTH_I64, false, 2),
              "\1c\5Int64\0\0\0\0\0\0\0\x80\xff\xff\xff\xff\xff\xff\xff\xff");
}

static void test_reals(void **state)
{
    const fixture *f = *state;
    made m = {.reals = {1, -0.0}};
    native_is(f, made_of(f, &m, TS_COL_REAL, TS_WIDTH_I64, false, 2),
              "\1c\7Float64\0\0\0\0\0\0\xf0\x3f\0\0\0\0\0\0\0\x80");
}

static void test_nulls(void **state)
{
    const fixture *f = *state;
    made m = {.ints = {0, 7, 0}, .null = {1, 0, 1}};
    native_is(f, made_of(f, &m, TS_COL_INT, TS_WIDTH_U16, true, 3),
              "\1c\x10Nullable(UInt16)\1\0\1\0\0\7\0\0\0");
    m = (made){.null = {1, 1}};
    native_is(f, made_of(f, &m, TS_COL_REAL, TS_WIDTH_I64, true, 2),
              "\1c\x11Nullable(Float64)\1\1\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0");
    m = (made){.null = {1, 0}, .values.bytes = {(char *)"ab", 2, 0}, .offsets = {0, 0, 2}};
    native_is(f, made_of(f, &m, TS_COL_TEXT, TS_WIDTH_I64, true, 2),
              "\1c\x10Nullable(String)\1\0\0\2ab");
}

static void test_texts(void **state)
{
    const fixture *f = *state;
    made m = {.values.bytes = {(char *)"a\0b\xff", 4, 0}, .offsets = {0, 3, 3, 4}};
    native_is(f, made_of(f, &m, TS_COL_TEXT, TS_WIDTH_I64, false, 3), "\1c\6String\3a\0b\0\1\xff");
    enum { MIB = 1024 * 1024 };
    const size_t head = sizeof "\1c\6String\x80\x80\x40" - 1;
    char *text = malloc(MIB + head);
    assert_non_null(text);
    memcpy(text, "\1c\6String\x80\x80\x40", head);
    memset(text + head, 'x', MIB);
    m = (made){.values.bytes = {text + head, MIB, 0}, .offsets = {0, MIB}};
    assert_native(f, made_of(f, &m, TS_COL_TEXT, TS_WIDTH_I64, false, 1), text, MIB + head);
    free(text);
}

static void test_no_rows(void **state)
{
    const fixture *f = *state;
    made m = {0};
    native_is(f, made_of(f, &m, TS_COL_TEXT, TS_WIDTH_I64, true, 0), "\1c\x10Nullable(String)");
}

static void test_load(void **state)
{
    const fixture *f = *state;
    static const char expected[] = "\4\1\4load\6UInt64\x08\7\6\5\4\3\2\1\3row\6UInt32\1\0\0\0"
                                   "\3day\4Date\x39\x30\1c\5UInt8\x2a";
    made m = {.ints = {42}};
    ts_buf out = {0};
    const ts_native_load load = {0x0102030405060708, 12345};
    assert_ok(f->ctx,
              ts_native_block(&out, made_of(f, &m, TS_COL_INT, TS_WIDTH_U8, false, 1), &load));
    assert_int_equal(out.n, sizeof expected - 1);
    assert_memory_equal(out.p, expected, out.n);
    ts_buf_free(f->ctx, &out);
}

static void assert_refused(const fixture *f, const ts_columns *b, const char *why)
{
    ts_buf out = {0};
    assert_int_equal(ts_native_block(&out, b, NULL), TS_ERR_LIMIT);
    assert_non_null(strstr(f->ctx->error.causes[0], why));
    ts_buf_free(f->ctx, &out);
}

static void test_what_does_not_fit(void **state)
{
    const fixture *f = *state;
    static const struct {
        ts_width width;
        int64_t value;
        const char *why;
    } cases[] = {
        {TS_WIDTH_U8, 256, "t.c has values from 256 to 256"},
        {TS_WIDTH_U8, -1, "UInt8"},
        {TS_WIDTH_U16, 65536, "UInt16"},
        {TS_WIDTH_U32, (int64_t)UINT32_MAX + 1, "UInt32"},
        {TS_WIDTH_U64, -1, "UInt64"},
        {TS_WIDTH_BOOL, 2, "UInt8"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made m = {.ints = {cases[i].value}};
        assert_refused(f, made_of(f, &m, TS_COL_INT, cases[i].width, false, 1), cases[i].why);
    }
    made m = {.null = {1}};
    assert_refused(f, made_of(f, &m, TS_COL_INT, TS_WIDTH_U8, false, 1), "t.c is NULL in 1 of");
    m = (made){0};
    made_of(f, &m, TS_COL_INT, TS_WIDTH_U8, false, 1);
    m.rowids[0] = (int64_t)UINT32_MAX + 1;
    assert_refused(f, &m.batch, "rowids of t do not fit");
}

/* --- batches ---------------------------------------------------------------------------------- */

enum { LONG_TEXT = 1024 * 1024, TEXTS = 20, NODES = 2 * TS_COLUMNS_ROWS + 1 };

static void put_rows(const fixture *f, ts_sink *sink, char *text)
{
    for (unsigned i = 0; i < TEXTS; i++) {
        text[0] = (char)('a' + i);
        text[1] = '\0';
        ts_row_js_heap_string row = {.file_id = 1, .file_index = i};
        row.string = i % 5 == 3   ? TS_TEXT_NULL
                     : i % 5 == 4 ? TS_TEXT_LIT("")
                                  : (ts_text){text, LONG_TEXT - i};
        assert_ok(f->ctx, ts_put_js_heap_string(sink, &row));
    }
    for (unsigned i = 0; i < NODES; i++) {
        ts_row_js_heap_nodes row = {.file_id = 1, .node_index = i, .self_size = -(int64_t)i};
        TS_NULL_IF(i % 3 == 0, js_heap_nodes, &row, name);
        assert_ok(f->ctx, ts_put_js_heap_nodes(sink, &row));
    }
    ts_row_timeseries_value point = {.series_id = 1, .ts = 2, .value = 0.5};
    assert_ok(f->ctx, ts_put_timeseries_value(sink, &point));
}

static char *database_of(const fixture *f)
{
    ts_db *db = NULL;
    double ms;
    char *path = path_of(f, "columns.db");
    char *text = calloc(1, LONG_TEXT);
    assert_non_null(text);
    memset(text, 'x', LONG_TEXT);
    test_write_file(path, "", 0);
    assert_ok(f->ctx, ts_db_create(&db, f->ctx, path));
    put_rows(f, ts_db_sink(db), text);
    assert_ok(f->ctx, ts_db_finish(db, false, &ms));
    ts_db_close(db);
    free(text);
    return path;
}

static void check_texts(const fixture *f, ts_reader *reader)
{
    ts_columns c;
    unsigned row = 0;
    unsigned batches = 0;
    assert_ok(f->ctx, ts_columns_open(&c, f->ctx, reader, TS_T_js_heap_string));
    for (;; batches++) {
        assert_ok(f->ctx, ts_columns_next(&c));
        const ts_column_values *v = &c.columns[TS_C_js_heap_string__string];
        assert_true(v->bytes.n < TS_COLUMNS_TEXT + LONG_TEXT);
        for (unsigned i = 0; i < c.rows; i++, row++) {
            ts_text t = ts_column_text(v, i);
            assert_int_equal(v->null[i], row % 5 == 3);
            assert_int_equal(t.n, row % 5 >= 3 ? 0 : LONG_TEXT - row);
            assert_true(t.n == 0 || (t.p[0] == (char)('a' + row) && t.p[1] == '\0' &&
                                     t.p[2] == 'x' && t.p[t.n - 1] == 'x'));
            assert_int_equal(c.rowids[i], row + 1);
        }
        if (c.rows == 0) {
            break;
        }
    }
    assert_int_equal(row, TEXTS);
    assert_int_equal(batches, 2); /* 12 MiB of texts */
    ts_columns_close(&c);
}

static void check_numbers(const fixture *f, ts_reader *reader)
{
    static const unsigned sizes[] = {TS_COLUMNS_ROWS, TS_COLUMNS_ROWS, 1, 0};
    ts_columns c;
    unsigned row = 0;
    assert_ok(f->ctx, ts_columns_open(&c, f->ctx, reader, TS_T_js_heap_nodes));
    for (unsigned k = 0; k < 4; k++) {
        assert_ok(f->ctx, ts_columns_next(&c));
        assert_int_equal(c.rows, sizes[k]);
        const ts_column_values *name = &c.columns[TS_C_js_heap_nodes__name];
        const ts_column_values *size = &c.columns[TS_C_js_heap_nodes__self_size];
        unsigned nulls = 0;
        assert_int_equal(size->max, c.rows == 0 ? 0 : -(int64_t)row);
        row += c.rows;
        assert_int_equal(size->min, c.rows == 0 ? 0 : 1 - (int64_t)row);
        for (unsigned i = 0; i < c.rows; i++) {
            assert_int_equal(size->ints[i], 1 - c.rowids[i]);
            assert_int_equal(name->null[i], (c.rowids[i] - 1) % 3 == 0);
            nulls += name->null[i];
        }
        assert_int_equal(name->nulls, nulls);
        assert_int_equal(size->nulls, 0);
    }
    ts_columns_close(&c);
    assert_ok(f->ctx, ts_columns_open(&c, f->ctx, reader, TS_T_timeseries_value));
    assert_ok(f->ctx, ts_columns_next(&c));
    assert_int_equal(c.rows, 1);
    assert_true(c.columns[TS_C_timeseries_value__value].reals[0] == 0.5);
    ts_columns_close(&c);
}

static void test_batches(void **state)
{
    const fixture *f = *state;
    ts_reader *reader = NULL;
    char *path = database_of(f);
    assert_ok(f->ctx, ts_reader_open(&reader, f->ctx, path));
    check_texts(f, reader);
    check_numbers(f, reader);
    ts_reader_free(reader);
    free(path);
}

/* Each allocation fails in turn: an error, and nothing is left. */
static void test_failing_memory(void **state)
{
    const fixture *f = *state;
    ts_reader *reader = NULL;
    char *path = database_of(f);
    const ts_allocator usual = f->ctx->allocator;
    ts_code code = TS_ERR_NOMEM;
    assert_ok(f->ctx, ts_reader_open(&reader, f->ctx, path));
    for (uint64_t n = 1; code != TS_OK; n++) {
        test_failing fails = {.fail_at = n};
        ts_columns c;
        ts_buf out = {0};
        f->ctx->allocator = test_failing_allocator(&fails);
        code = ts_columns_open(&c, f->ctx, reader, TS_T_js_heap_string);
        TS_STEP(code, ts_columns_next(&c));
        TS_STEP(code, ts_native_block(&out, &c, NULL));
        assert_true(code == (fails.calls < n ? TS_OK : TS_ERR_NOMEM));
        ts_buf_free(f->ctx, &out);
        ts_columns_close(&c);
        f->ctx->allocator = usual;
    }
    ts_reader_free(reader);
    free(path);
}

/* --- declarations ----------------------------------------------------------------------------- */

static void test_widths_and_facts(void **state)
{
    (void)state;
    unsigned facts = 0;
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        facts += ts_table_is_fact(t);
        for (unsigned i = 0; i < ts_schema[t].column_count; i++) {
            const ts_column *c = &ts_schema[t].columns[i];
            ts_width width = ts_column_width(t, i);
            assert_true(width == TS_WIDTH_I64 || c->type == TS_COL_INT || c->type == TS_COL_KEY);
            assert_int_equal(width == TS_WIDTH_BOOL,
                             c->type == TS_COL_INT && strcmp(c->unit, "boolean") == 0);
        }
    }
    assert_true(facts > 20 && facts < 60);
    assert_true(ts_table_is_fact(TS_T_source) && !ts_table_is_fact(TS_T_js_heap_edges));
    assert_int_equal(ts_column_width(TS_T_js_heap_edges, TS_C_js_heap_edges__type), TS_WIDTH_U8);
    assert_int_equal(ts_column_width(TS_T_js_heap_nodes, TS_C_js_heap_nodes__id), TS_WIDTH_U32);
    assert_int_equal(ts_column_width(TS_T_js_heap_nodes, TS_C_js_heap_nodes__self_size),
                     TS_WIDTH_I64);
}

int main(void)
{
#define test_of(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        test_of(test_integers),
        test_of(test_reals),
        test_of(test_nulls),
        test_of(test_texts),
        test_of(test_no_rows),
        test_of(test_load),
        test_of(test_what_does_not_fit),
        test_of(test_batches),
        test_of(test_failing_memory),
        cmocka_unit_test(test_widths_and_facts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
