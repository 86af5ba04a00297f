/*
 * Tables as files of Apache Parquet: <table>.parquet of each table of the database that has rows.
 * What is a view in the database has no file.
 */
#include "export/columns/parquet.h"
#include "export/export_parts.h"

#include <stdio.h>

typedef struct parquet_work {
    ts_parts x;
    ts_parquet *writer;
} parquet_work;

static ts_code parquet_begin(void *user, const char *table)
{
    const parquet_work *w = user;
    char name[80];
    (void)snprintf(name, sizeof name, "%s.parquet", table);
    return w->x.output->file(w->x.output->user, name);
}

static ts_code parquet_put(void *user, const char *p, size_t n)
{
    const parquet_work *w = user;
    TS_TRY(ts_check_cancel(w->x.ctx));
    return w->x.output->put(w->x.output->user, p, n);
}

static ts_code parquet_run(void *work)
{
    parquet_work *w = work;
    const ts_pq_output output = {w, parquet_begin, parquet_put};
    ts_code code = ts_parquet_open(&w->writer, w->x.ctx, w->x.reader, &output);
    for (unsigned id = 0; code == TS_OK && id < TS_TABLE_COUNT; id++) {
        bool any = false;
        TS_STEP_IF(code, ts_reader_has_table(w->x.reader, id),
                   ts_reader_has_rows(&any, w->x.reader, id));
        TS_STEP_IF(code, any, ts_parquet_table(w->writer, id));
    }
    return code;
}

static void parquet_release(void *work)
{
    parquet_work *w = work;
    ts_parquet_close(w->writer);
}

const ts_export ts_export_parquet = {
    .name = "parquet",
    .title = "tables as files of Apache Parquet, in a folder (DuckDB, Polars, pandas, Spark)",
    .extension = ".parquet",
    .needs = "source (what was read)",
    .folder = true,
    .work = sizeof(parquet_work),
    .run = parquet_run,
    .release = parquet_release,
};
