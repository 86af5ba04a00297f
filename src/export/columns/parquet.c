#include "export/columns/parquet.h"

#include "base/alloc.h"
#include "export/columns/parquet_column.h"

#include <stdio.h>

enum { REQUIRED = 0, OPTIONAL = 1, ZSTD = 6 };
enum { AS_UTF8 = 0, AS_UINT8 = 11, AS_UINT16 = 12, AS_UINT32 = 13, AS_UINT64 = 14 };

static const char magic[] = {'P', 'A', 'R', '1'};

enum {
    COLUMNS_MAX = TS_SCAN_COLUMNS + 1,
    KEPT_BYTES = 1024 * 1024 /* of a column, for the next table */
};

struct ts_parquet {
    ts_ctx *ctx;
    ts_reader *reader;
    ts_pq_output output;
    const ts_table *table;
    ts_columns rows;
    ts_pq_work work;
    ts_pq_column columns[COLUMNS_MAX]; /* `row`, then those of the table */
    ts_width widths[COLUMNS_MAX];      /* of the columns of the table */
    unsigned count;                    /* of columns */
    uint64_t written;
    uint64_t row_count;
    uint64_t group_rows;
    uint64_t held_rows; /* of them, those that are not in pages yet */
    uint32_t groups;
    ts_buf group_list; /* encoded */
    ts_buf footer;     /* and pages of dictionaries */
};

static ts_code put(ts_parquet *f, const void *p, size_t n)
{
    f->written += n;
    return f->output.put(f->output.user, p, n);
}

/* --- columns ---------------------------------------------------------------------------------- */

static void set_type(ts_pq_column *c, const ts_column *column, ts_width width)
{
    c->bytes = 8;
    c->is_unsigned = false;
    if (column->type == TS_COL_TEXT || column->type == TS_COL_REAL) {
        c->type = column->type == TS_COL_TEXT ? TS_PQ_BYTES : TS_PQ_DOUBLE;
        return;
    }
    c->type = width == TS_WIDTH_BOOL                           ? TS_PQ_BOOLEAN
              : width == TS_WIDTH_I64 || width == TS_WIDTH_U64 ? TS_PQ_INT64
                                                               : TS_PQ_INT32;
    c->bytes = c->type == TS_PQ_INT32 ? 4 : 8;
    c->is_unsigned = width != TS_WIDTH_I64;
}

/* Everything that a file begins with; it may have begun before. */
static ts_code begin(ts_parquet *f)
{
    f->written = 0;
    f->row_count = 0;
    f->group_rows = 0;
    f->held_rows = 0;
    f->groups = 0;
    f->group_list.n = 0;
    for (unsigned i = 0; i < f->count; i++) {
        ts_pq_column *c = &f->columns[i];
        ts_pq_chunk_next(c, f->ctx);
        c->not_utf8 = false;
        if (i == 0) {
            c->name = "row";
            c->type = TS_PQ_INT64;
            c->bytes = 8;
            c->required = true;
            c->is_unsigned = false;
        } else {
            c->name = f->table->columns[i - 1].name;
            set_type(c, &f->table->columns[i - 1], f->widths[i - 1]);
        }
    }
    TS_TRY(f->output.begin(f->output.user, f->table->name));
    return put(f, magic, sizeof magic);
}

/* --- row groups ------------------------------------------------------------------------------- */

/* An integer as its type has it, little endian. */
static ts_text int_bytes(char out[8], uint64_t v, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        out[i] = (char)(v >> (8 * i));
    }
    return (ts_text){out, bytes};
}

/* Zeros of both signs are one value, but not of one order. */
static ts_text real_bytes(char out[8], double v, double zero)
{
    uint64_t bits;
    v = v == 0 ? zero : v;
    memcpy(&bits, &v, sizeof bits);
    return int_bytes(out, bits, sizeof bits);
}

static void put_stats(ts_thrift *t, const ts_pq_column *c)
{
    const ts_pq_stats *s = &c->stats;
    const size_t bytes = c->type == TS_PQ_BOOLEAN ? 1 : c->bytes;
    char least[8];
    char most[8];
    ts_thrift_struct(t, 12);
    ts_thrift_i64(t, 3, (int64_t)s->nulls);
    if (s->any && c->type == TS_PQ_BYTES && !s->texts_long) {
        ts_thrift_bytes(t, 5, (ts_text){s->most_text, s->most_n});
        ts_thrift_bytes(t, 6, (ts_text){s->least_text, s->least_n});
    } else if (s->any && c->type == TS_PQ_DOUBLE) {
        ts_thrift_bytes(t, 5, real_bytes(most, s->most_real, 0.0));
        ts_thrift_bytes(t, 6, real_bytes(least, s->least_real, -0.0));
    } else if (s->any && c->type != TS_PQ_BYTES) {
        ts_thrift_bytes(t, 5, int_bytes(most, (uint64_t)s->most, bytes));
        ts_thrift_bytes(t, 6, int_bytes(least, (uint64_t)s->least, bytes));
    }
    ts_thrift_end(t);
}

static ts_text column_name(char out[64], const ts_pq_column *c)
{
    bool taken = strcmp(c->name, "day") == 0 || strcmp(c->name, "recording") == 0;
    (void)snprintf(out, 64, "%s%s", c->name, taken ? "_" : "");
    return ts_text_of(out);
}

/* The chunk that begins at the offset. */
static void put_chunk(ts_thrift *t, const ts_pq_column *c, uint64_t offset)
{
    char name[64];
    const size_t packed = c->dictionary_n + c->pages.n;
    ts_thrift_item_struct(t);
    ts_thrift_i64(t, 2, 0);
    ts_thrift_struct(t, 3);
    ts_thrift_i32(t, 1, c->type);
    ts_thrift_list(t, 2, TS_THRIFT_I32, (uint32_t)__builtin_popcount(c->ways | 1U << TS_PQ_RLE));
    for (int way = 0; way <= TS_PQ_DICTIONARY; way++) {
        if (((c->ways | 1U << TS_PQ_RLE) >> way & 1) != 0) {
            ts_thrift_item_i32(t, way);
        }
    }
    ts_thrift_list(t, 3, TS_THRIFT_BYTES, 1);
    ts_thrift_item_bytes(t, column_name(name, c));
    ts_thrift_i32(t, 4, ZSTD);
    ts_thrift_i64(t, 5, (int64_t)c->values);
    ts_thrift_i64(t, 6, (int64_t)c->size);
    ts_thrift_i64(t, 7, (int64_t)packed);
    ts_thrift_i64(t, 9, (int64_t)(offset + c->dictionary_n));
    if (c->dictionary_n > 0) {
        ts_thrift_i64(t, 11, (int64_t)offset);
    }
    put_stats(t, c);
    ts_thrift_end(t);
    ts_thrift_end(t);
}

static ts_code put_pages(ts_parquet *f)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; i < f->count && f->held_rows > 0; i++) {
        TS_STEP(code, ts_pq_page(&f->columns[i], &f->work));
    }
    f->held_rows = 0;
    return code;
}

/* Writes the pages of the group, and describes it in f->group_list. */
static ts_code end_group(ts_parquet *f)
{
    uint64_t size = 0;
    TS_TRY(put_pages(f));
    if (f->group_rows == 0) {
        return TS_OK;
    }
    ts_thrift t = ts_thrift_begin(f->ctx, &f->group_list);
    ts_thrift_list(&t, 1, TS_THRIFT_STRUCT, f->count);
    for (unsigned i = 0; i < f->count; i++) {
        ts_pq_column *c = &f->columns[i];
        const uint64_t offset = f->written;
        f->footer.n = 0;
        TS_TRY(ts_pq_chunk_end(&f->footer, c, &f->work));
        TS_TRY(put(f, f->footer.p, f->footer.n));
        TS_TRY(put(f, c->pages.p, c->pages.n));
        put_chunk(&t, c, offset);
        size += c->size;
        ts_pq_chunk_next(c, f->ctx);
    }
    ts_thrift_i64(&t, 2, (int64_t)size);
    ts_thrift_i64(&t, 3, (int64_t)f->group_rows);
    ts_thrift_end(&t);
    f->groups++;
    f->group_rows = 0;
    return t.code;
}

static bool pages_are_full(const ts_parquet *f)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < f->count; i++) {
        bytes += ts_pq_held(&f->columns[i]);
    }
    return f->held_rows + TS_COLUMNS_ROWS > TS_PQ_PAGE_ROWS || bytes >= TS_PQ_PAGE_BYTES;
}

static bool group_is_full(const ts_parquet *f)
{
    size_t bytes = 0;
    for (unsigned i = 0; i < f->count; i++) {
        bytes += f->columns[i].pages.n;
    }
    return f->group_rows + TS_COLUMNS_ROWS > TS_PQ_GROUP_ROWS || bytes >= TS_PQ_GROUP_BYTES;
}

/* Columns of which the batch has values that the type does not hold get a type that does. */
static bool widen(ts_parquet *f)
{
    bool any = false;
    for (unsigned i = 0; i + 1 < f->count; i++) {
        ts_column_values v = f->rows.columns[i];
        v.width = f->widths[i];
        if (!ts_column_fits(&v)) {
            f->widths[i] = TS_WIDTH_I64;
            any = true;
        }
    }
    return any;
}

static ts_code put_batch(ts_parquet *f)
{
    const ts_column_values rowids = {.ints = f->rows.rowids};
    TS_TRY(ts_pq_hold(&f->columns[0], f->ctx, &rowids, f->rows.rows));
    for (unsigned i = 1; i < f->count; i++) {
        TS_TRY(ts_pq_hold(&f->columns[i], f->ctx, &f->rows.columns[i - 1], f->rows.rows));
    }
    f->held_rows += f->rows.rows;
    f->group_rows += f->rows.rows;
    f->row_count += f->rows.rows;
    if (pages_are_full(f)) {
        TS_TRY(put_pages(f));
    }
    return group_is_full(f) ? end_group(f) : TS_OK;
}

/* --- the footer ------------------------------------------------------------------------------- */

static void put_logical(ts_thrift *t, const ts_pq_column *c, ts_width width)
{
    static const struct {
        int converted;
        int8_t bits;
    } as[] = {[TS_WIDTH_U8] = {AS_UINT8, 8},
              [TS_WIDTH_U16] = {AS_UINT16, 16},
              [TS_WIDTH_U32] = {AS_UINT32, 32},
              [TS_WIDTH_U64] = {AS_UINT64, 64}};
    if (c->type == TS_PQ_BYTES && !c->not_utf8) {
        ts_thrift_i32(t, 6, AS_UTF8);
        ts_thrift_struct(t, 10);
        ts_thrift_struct(t, 1);
        ts_thrift_end(t);
        ts_thrift_end(t);
    } else if (c->type != TS_PQ_BYTES && c->type != TS_PQ_BOOLEAN && c->is_unsigned) {
        ts_thrift_i32(t, 6, as[width].converted);
        ts_thrift_struct(t, 10);
        ts_thrift_struct(t, 10);
        ts_thrift_i8(t, 1, as[width].bits);
        ts_thrift_bool(t, 2, false);
        ts_thrift_end(t);
        ts_thrift_end(t);
    }
}

static void put_schema(ts_thrift *t, const ts_parquet *f)
{
    ts_thrift_list(t, 2, TS_THRIFT_STRUCT, f->count + 1);
    ts_thrift_item_struct(t);
    ts_thrift_bytes(t, 4, ts_text_of(f->table->name));
    ts_thrift_i32(t, 5, (int32_t)f->count);
    ts_thrift_end(t);
    for (unsigned i = 0; i < f->count; i++) {
        const ts_pq_column *c = &f->columns[i];
        char name[64];
        ts_thrift_item_struct(t);
        ts_thrift_i32(t, 1, c->type);
        ts_thrift_i32(t, 3, c->required ? REQUIRED : OPTIONAL);
        ts_thrift_bytes(t, 4, column_name(name, c));
        put_logical(t, c, i == 0 ? TS_WIDTH_I64 : f->widths[i - 1]);
        ts_thrift_end(t);
    }
}

static void put_key(ts_thrift *t, const char *key, const char *value)
{
    ts_thrift_item_struct(t);
    ts_thrift_bytes(t, 1, ts_text_of(key));
    ts_thrift_bytes(t, 2, ts_text_of(value));
    ts_thrift_end(t);
}

/* What a column means, as docs/tables.md has it. */
static ts_code put_description(ts_thrift *t, ts_buf *text, const ts_column *c)
{
    char key[80];
    text->n = 0;
    TS_TRY(ts_buf_printf(t->ctx, text, "%s", c->doc));
    if (c->unit[0] != '\0') {
        TS_TRY(ts_buf_printf(t->ctx, text, "; unit: %s", c->unit));
    }
    if (c->null_meaning[0] != '\0') {
        TS_TRY(ts_buf_printf(t->ctx, text, "; NULL: %s", c->null_meaning));
    }
    TS_TRY(ts_buf_putc(t->ctx, text, '\0'));
    (void)snprintf(key, sizeof key, "column.%s", c->name);
    put_key(t, key, text->p);
    return TS_OK;
}

enum { OWN_KEYS = 5 };

static ts_code put_keys(ts_thrift *t, const ts_parquet *f, const char *program)
{
    char version[16];
    ts_buf text = {0};
    ts_code code = TS_OK;
    (void)snprintf(version, sizeof version, "%d", TS_SCHEMA_VERSION);
    ts_thrift_list(t, 5, TS_THRIFT_STRUCT, OWN_KEYS + f->table->column_count);
    put_key(t, "program", program);
    put_key(t, "schema_version", version);
    put_key(t, "table", f->table->name);
    put_key(t, "description", f->table->doc);
    put_key(t, "column.row", "the rowid: order and identity of the rows");
    for (unsigned i = 0; i < f->table->column_count && code == TS_OK; i++) {
        code = put_description(t, &text, &f->table->columns[i]);
    }
    ts_buf_free(f->ctx, &text);
    return code;
}

static ts_code put_footer(ts_parquet *f)
{
    ts_buf *out = &f->footer;
    char program[80];
    out->n = 0;
    (void)snprintf(program, sizeof program, "trace_streamer version %s",
                   f->ctx->version == NULL ? "" : f->ctx->version);
    ts_thrift t = ts_thrift_begin(f->ctx, out);
    ts_thrift_i32(&t, 1, 2);
    put_schema(&t, f);
    ts_thrift_i64(&t, 3, (int64_t)f->row_count);
    ts_thrift_list(&t, 4, TS_THRIFT_STRUCT, f->groups);
    ts_thrift_items(&t, ts_buf_text(&f->group_list));
    TS_TRY(put_keys(&t, f, program));
    ts_thrift_bytes(&t, 6, ts_text_of(program));
    ts_thrift_list(&t, 7, TS_THRIFT_STRUCT, f->count);
    for (unsigned i = 0; i < f->count; i++) { /* the order that the type defines */
        ts_thrift_item_struct(&t);
        ts_thrift_struct(&t, 1);
        ts_thrift_end(&t);
        ts_thrift_end(&t);
    }
    ts_thrift_end(&t);
    TS_TRY(t.code);
    TS_TRY(ts_pq_le(f->ctx, out, out->n, 4));
    TS_TRY(ts_buf_put(f->ctx, out, magic, sizeof magic));
    return put(f, out->p, out->n);
}

/* --- the file --------------------------------------------------------------------------------- */

static ts_code put_rows(bool *again, ts_parquet *f, enum ts_table_id table)
{
    ts_code code = ts_columns_open(&f->rows, f->ctx, f->reader, table);
    *again = false;
    TS_STEP(code, begin(f));
    TS_STEP(code, ts_columns_next(&f->rows));
    while (code == TS_OK && f->rows.rows > 0 && !*again) {
        *again = widen(f);
        TS_STEP_IF(code, !*again, put_batch(f));
        TS_STEP_IF(code, !*again, ts_columns_next(&f->rows));
    }
    ts_columns_close(&f->rows);
    return code;
}

ts_code ts_parquet_open(ts_parquet **out, ts_ctx *ctx, ts_reader *reader,
                        const ts_pq_output *output)
{
    ts_parquet *f = ts_zalloc(ctx, 1, sizeof *f);
    *out = f;
    TS_NEED(ctx, f);
    f->ctx = ctx;
    f->reader = reader;
    f->output = *output;
    return ts_pq_work_open(&f->work, ctx);
}

void ts_parquet_close(ts_parquet *f)
{
    if (f == NULL) {
        return;
    }
    for (unsigned i = 0; i < COLUMNS_MAX; i++) {
        ts_pq_column_free(&f->columns[i], f->ctx);
    }
    ts_pq_work_close(&f->work);
    ts_buf_free(f->ctx, &f->group_list);
    ts_buf_free(f->ctx, &f->footer);
    ts_free(f->ctx, f);
}

/* Texts of a table need not be like those of the next. */
static void trim(ts_parquet *f)
{
    for (unsigned i = 0; i < f->count; i++) {
        ts_pq_column *c = &f->columns[i];
        if (c->held.bytes.cap + c->pages.cap > KEPT_BYTES) {
            ts_pq_column_free(c, f->ctx);
        }
    }
}

ts_code ts_parquet_table(ts_parquet *f, enum ts_table_id table)
{
    bool again = true;
    ts_code code = TS_OK;
    f->table = &ts_schema[table];
    f->count = f->table->column_count + 1;
    for (unsigned i = 0; i < f->table->column_count; i++) {
        f->widths[i] = ts_column_width(table, i);
    }
    while (code == TS_OK && again) {
        code = put_rows(&again, f, table);
    }
    TS_STEP(code, end_group(f));
    TS_STEP(code, put_footer(f));
    trim(f);
    return code;
}
