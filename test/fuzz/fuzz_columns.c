/*
 * The bytes are a database file: four tables of it, from fixed root pages, become blocks of
 * ClickHouse and files of Parquet. What comes out is bytes or an error; a file begins and ends as
 * one of Parquet does.
 */
#include "fuzz.h"

#include "export/columns/native.h"
#include "export/columns/parquet.h"
#include "tables_pages.h"

#include <sys/mman.h>

static const enum ts_table_id tables[] = {TS_T_js_heap_nodes, TS_T_stack_method,
                                          TS_T_timeseries_value, TS_T_source_property};
enum { TABLES = sizeof tables / sizeof tables[0], FIRST_ROOT = 2 };

typedef struct file_end {
    char first[4], last[4];
    uint64_t n;
} file_end;

static ts_code file_begin(void *user, const char *table)
{
    (void)table;
    *(file_end *)user = (file_end){.n = 0};
    return TS_OK;
}

static ts_code file_put(void *user, const char *p, size_t n)
{
    file_end *f = user;
    for (size_t i = 0; i < n; i++, f->n++) {
        if (f->n < 4) {
            f->first[f->n] = p[i];
        }
        memmove(f->last, f->last + 1, 3);
        f->last[3] = p[i];
    }
    return TS_OK;
}

static void check_blocks(ts_ctx *ctx, ts_reader *r, enum ts_table_id table)
{
    ts_columns c;
    ts_buf block = {0};
    ts_code code = ts_columns_open(&c, ctx, r, table);
    TS_STEP(code, ts_columns_next(&c));
    while (code == TS_OK && c.rows > 0) {
        block.n = 0;
        code = ts_native_block(&block, &c, NULL);
        check(code != TS_OK || block.n > c.rows);
        TS_STEP(code, ts_columns_next(&c));
    }
    check(code == TS_OK || code == TS_ERR_INPUT || code == TS_ERR_LIMIT);
    ts_buf_free(ctx, &block);
    ts_columns_close(&c);
}

static void check_file(ts_ctx *ctx, ts_reader *r, enum ts_table_id table)
{
    file_end f;
    ts_parquet *writer;
    const ts_pq_output output = {&f, file_begin, file_put};
    ts_code code = ts_parquet_open(&writer, ctx, r, &output);
    TS_STEP(code, ts_parquet_table(writer, table));
    check(code == TS_OK || code == TS_ERR_INPUT);
    check(code != TS_OK || (memcmp(f.first, "PAR1", 4) == 0 && memcmp(f.last, "PAR1", 4) == 0));
    ts_parquet_close(writer);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ts_ctx *ctx = test_ctx_new();
    ts_reader *r = NULL;
    int fd = memfd_create("columns", MFD_CLOEXEC);
    const ts_reader_config config = {.fd = fd, .path = "columns"};
    if (fd >= 0 && size > 0 && write(fd, data, size) == (ssize_t)size &&
        ts_reader_new(&r, ctx, &config) == TS_OK) {
        for (unsigned i = 0; i < TABLES; i++) {
            ts_reader_table(r, tables[i], &ts_schema[tables[i]], FIRST_ROOT + i, false);
            check_blocks(ctx, r, tables[i]);
            check_file(ctx, r, tables[i]);
        }
    }
    ts_reader_free(r);
    close(fd);
    ctx->error = (ts_error){0};
    test_ctx_free(ctx);
    return 0;
}
