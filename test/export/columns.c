/*
 * The columns of a finished database, outside of a server:
 *
 *   columns native DB DIR     each table with rows as DIR/<table>.native
 *   columns parquet DB DIR    each table with rows as DIR/<table>.parquet
 *   columns measure DB TABLE... | all     rows a second of Native and Parquet, on one core
 *   columns facts             names of the tables that are facts
 */
#include "base/alloc.h"
#include "base/context.h"
#include "export/columns/native.h"
#include "export/columns/parquet.h"
#include "tables/schema.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int failed(const ts_ctx *ctx)
{
    for (unsigned i = ctx->error.count; i-- > 0;) {
        fprintf(stderr, "columns: %s\n", ctx->error.causes[i]);
    }
    return 1;
}

typedef struct totals {
    uint64_t rows, bytes, cells;
} totals;

static ts_code one_table(totals *t, ts_ctx *ctx, ts_reader *reader, enum ts_table_id table,
                         FILE *out)
{
    ts_columns c;
    ts_buf block = {0};
    ts_code code = ts_columns_open(&c, ctx, reader, table);
    TS_STEP(code, ts_columns_next(&c));
    while (code == TS_OK && c.rows > 0) {
        block.n = 0;
        code = ts_native_block(&block, &c, NULL);
        if (code == TS_OK && out != NULL && fwrite(block.p, 1, block.n, out) != block.n) {
            code = ts_fail(ctx, TS_ERR_OUTPUT, "cannot write");
        }
        t->rows += c.rows;
        t->bytes += block.n;
        t->cells += (uint64_t)c.rows * (c.count + 1);
        TS_STEP(code, ts_columns_next(&c));
    }
    ts_buf_free(ctx, &block);
    ts_columns_close(&c);
    return code;
}

/* A file of Parquet, or its bytes counted. */
typedef struct parquet_to {
    ts_parquet *writer;
    const char *dir; /* NULL: they are only counted */
    FILE *file;
    uint64_t bytes;
} parquet_to;

static ts_code parquet_begin(void *user, const char *table)
{
    parquet_to *to = user;
    char path[4096];
    to->bytes = 0;
    if (to->dir != NULL) {
        (void)snprintf(path, sizeof path, "%s/%s.parquet", to->dir, table);
        to->file = to->file == NULL ? fopen(path, "wb") : freopen(path, "wb", to->file);
    }
    return to->dir == NULL || to->file != NULL ? TS_OK : TS_ERR_OUTPUT;
}

static ts_code parquet_put(void *user, const char *p, size_t n)
{
    parquet_to *to = user;
    to->bytes += n;
    return n == 0 || to->file == NULL || fwrite(p, 1, n, to->file) == n ? TS_OK : TS_ERR_OUTPUT;
}

static bool is_asked(const char *name, char **names, int count)
{
    bool asked = false;
    for (int i = 0; i < count; i++) {
        asked = asked || strcmp(names[i], name) == 0 || strcmp(names[i], "all") == 0;
    }
    return asked;
}

static double processor_seconds(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

enum { MEASURED = 5 };

/* The best of some runs. */
static ts_code measure(parquet_to *to, ts_ctx *ctx, ts_reader *reader, enum ts_table_id table)
{
    totals t = {0};
    double native = 0;
    double parquet = 0;
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < MEASURED; i++) {
        double start = processor_seconds();
        t = (totals){0};
        code = one_table(&t, ctx, reader, table, NULL);
        double between = processor_seconds();
        TS_STEP(code, ts_parquet_table(to->writer, table));
        double end = processor_seconds();
        native = i == 0 || between - start < native ? between - start : native;
        parquet = i == 0 || end - between < parquet ? end - between : parquet;
    }
    if (code == TS_OK && t.rows > 0) {
        printf("%s: %llu rows, native %.2f M rows/s, %.2f bytes a row, parquet %.2f M rows/s, %.2f "
               "bytes a row\n",
               ts_schema[table].name, (unsigned long long)t.rows, (double)t.rows / native / 1e6,
               (double)t.bytes / (double)t.rows, (double)t.rows / parquet / 1e6,
               (double)to->bytes / (double)t.rows);
    }
    return code;
}

static ts_code write_table(ts_ctx *ctx, ts_reader *reader, enum ts_table_id table, const char *dir)
{
    char path[4096];
    totals t = {0};
    (void)snprintf(path, sizeof path, "%s/%s.native", dir, ts_schema[table].name);
    FILE *f = fopen(path, "wb");
    if (f == NULL) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "cannot open %s", path);
    }
    ts_code code = one_table(&t, ctx, reader, table, f);
    return fclose(f) == 0 ? code : ts_fail(ctx, TS_ERR_OUTPUT, "cannot write %s", path);
}

int main(int argc, char **argv)
{
    ts_ctx ctx;
    ts_reader *reader = NULL;
    ts_ctx_init(&ctx);
    if (argc == 2 && strcmp(argv[1], "facts") == 0) {
        for (unsigned id = 0; id < TS_TABLE_COUNT; id++) {
            if (ts_table_is_fact(id)) {
                printf("%s\n", ts_schema[id].name);
            }
        }
        return 0;
    }
    if (argc < 4) {
        fprintf(stderr, "usage: columns native|parquet DB DIR | measure DB TABLE... | facts\n");
        return 2;
    }
    parquet_to to = {.dir = strcmp(argv[1], "parquet") == 0 ? argv[3] : NULL};
    const ts_pq_output output = {&to, parquet_begin, parquet_put};
    ts_code code = ts_reader_open(&reader, &ctx, argv[2]);
    TS_STEP(code, ts_parquet_open(&to.writer, &ctx, reader, &output));
    for (unsigned id = 0; code == TS_OK && id < TS_TABLE_COUNT; id++) {
        bool any = false;
        bool native = strcmp(argv[1], "native") == 0;
        bool parquet = strcmp(argv[1], "parquet") == 0;
        TS_STEP_IF(code, ts_reader_has_table(reader, id), ts_reader_has_rows(&any, reader, id));
        TS_STEP_IF(code, any && native, write_table(&ctx, reader, id, argv[3]));
        TS_STEP_IF(code, any && parquet, ts_parquet_table(to.writer, id));
        TS_STEP_IF(code,
                   any && !native && !parquet && is_asked(ts_schema[id].name, argv + 3, argc - 3),
                   measure(&to, &ctx, reader, id));
    }
    if (to.file != NULL && fclose(to.file) != 0) {
        code = TS_ERR_OUTPUT;
    }
    ts_parquet_close(to.writer);
    int status = code == TS_OK ? 0 : failed(&ctx);
    ts_reader_free(reader);
    return status;
}
