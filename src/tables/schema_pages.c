/*
 * The file of a database without rows, by the page writer.
 *
 * SQLite parses each CREATE statement twice, writes its row of sqlite_schema twice and keeps what
 * it describes in memory, which takes longer than the conversion of a small recording. The rows
 * are known: names, root pages and the text of the statement (the format's section 2.6, "storage of
 * the SQL database schema"). The header of the database comes first (section 1.3), since the first
 * page is the root of sqlite_schema; roots of tables follow, in the order of the schema, then the
 * other pages of sqlite_schema.
 */
#include "tables/schema_pages.h"

#include "base/alloc.h"
#include "base/text.h"
#include "tables/page_private.h"
#include "tables/schema_sql.h"

#include <sqlite3.h>

enum { SCHEMA_ROOT = 1, FIRST_TABLE_ROOT = 2, PAGES_AT_ONCE = 16, SCHEMA_FORMAT = 4, UTF8 = 1 };

typedef struct schema_row {
    uint64_t nulls;
    ts_text type;
    ts_text name;
    ts_text tbl_name;
    int64_t rootpage;
    ts_text sql;
} schema_row;

#define COLUMN(name_, type_)                                                                       \
    {                                                                                              \
        .name = #name_, .type = (type_), .offset = offsetof(schema_row, name_)                     \
    }
static const ts_column schema_columns[] = {
    COLUMN(type, TS_COL_TEXT),    COLUMN(name, TS_COL_TEXT), COLUMN(tbl_name, TS_COL_TEXT),
    COLUMN(rootpage, TS_COL_INT), COLUMN(sql, TS_COL_TEXT),
};
#undef COLUMN

static const ts_table schema_table = {.name = "sqlite_schema",
                                      .columns = schema_columns,
                                      .column_count =
                                          sizeof schema_columns / sizeof schema_columns[0],
                                      .row_size = sizeof(schema_row)};

uint32_t ts_schema_root(unsigned id)
{
    return FIRST_TABLE_ROOT + id;
}

/* --- the header and the roots ---------------------------------------------------------------- */

/* All but the page count and the change counter, which come with the last page (ts_pages_finish).
 */
static ts_code write_header(ts_pages *p)
{
    static const char magic[16] = "SQLite format 3";
    const struct {
        uint32_t at;
        uint32_t value;
    } fields[] = {{40, 1}, /* schema cookie */
                  {44, SCHEMA_FORMAT},
                  {56, UTF8},
                  {60, TS_SCHEMA_VERSION},
                  {68, TS_APPLICATION_ID},
                  {96, (uint32_t)sqlite3_libversion_number()}};
    uint8_t header[PAGE_DATABASE_HEADER + LEAF_HEADER] = {0};
    memcpy(header, magic, sizeof magic);
    page_put16(header + 16, p->page_size == 65536 ? 1 : p->page_size);
    header[18] = 1;  /* no write-ahead log: the version that writes, */
    header[19] = 1;  /* and the one that reads */
    header[21] = 64; /* fractions of a page, which have these values always */
    header[22] = 32;
    header[23] = 32;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        page_put32(header + fields[i].at, fields[i].value);
    }
    return page_write_at(p, 0, header, sizeof header);
}

static ts_code write_roots(ts_pages *p)
{
    uint8_t *pages = ts_zalloc(p->ctx, PAGES_AT_ONCE, p->page_size);
    ts_code code = TS_OK;
    TS_NEED(p->ctx, pages);
    for (unsigned i = 0; i < PAGES_AT_ONCE; i++) {
        uint8_t *page = pages + (size_t)i * p->page_size;
        page[0] = LEAF_TYPE;
        page_put16(page + 5, p->page_size & 0xffff);
    }
    for (unsigned id = 0; id < TS_TABLE_COUNT && code == TS_OK; id += PAGES_AT_ONCE) {
        unsigned n = TS_TABLE_COUNT - id < PAGES_AT_ONCE ? TS_TABLE_COUNT - id : PAGES_AT_ONCE;
        code =
            page_write_at(p, page_offset(p, ts_schema_root(id)), pages, (size_t)n * p->page_size);
    }
    ts_free(p->ctx, pages);
    return code;
}

/* --- sqlite_schema --------------------------------------------------------------------------- */

static ts_code put_object(ts_pages *p, const char *type, const char *name, uint32_t root,
                          ts_text sql)
{
    schema_row row = {.type = ts_text_of(type),
                      .name = ts_text_of(name),
                      .tbl_name = ts_text_of(name),
                      .rootpage = root,
                      .sql = sql};
    return ts_pages_put(p, 0, &row, 0);
}

static ts_code put_objects(ts_pages *p)
{
    ts_buf sql = {0};
    ts_code code = TS_OK;
    for (unsigned i = 0; i < TS_TABLE_COUNT && code == TS_OK; i++) {
        sql.n = 0;
        code = ts_sql_create(p->ctx, &sql, &ts_schema[i]);
        TS_STEP(code,
                put_object(p, "table", ts_schema[i].name, ts_schema_root(i), ts_buf_text(&sql)));
    }
    for (unsigned i = 0; i < ts_view_count && code == TS_OK; i++) {
        code = put_object(p, "view", ts_views[i].name, 0, ts_text_of(ts_views[i].sql));
    }
    ts_buf_free(p->ctx, &sql);
    return code;
}

ts_code ts_schema_write(uint32_t *page_count, ts_ctx *ctx, int fd, const char *path,
                        uint32_t page_size)
{
    const ts_pages_config config = {.fd = fd,
                                    .path = path,
                                    .page_size = page_size,
                                    .page_count = ts_schema_root(TS_TABLE_COUNT) - 1,
                                    .queue = PAGES_AT_ONCE};
    ts_pages *p = NULL;
    ts_code code = ts_pages_new(&p, ctx, &config);
    TS_STEP(code, write_header(p));
    TS_STEP(code, write_roots(p));
    TS_STEP(code, ts_pages_table(p, 0, &schema_table, SCHEMA_ROOT));
    TS_STEP(code, put_objects(p));
    TS_STEP(code, ts_pages_finish(p, page_count));
    ts_pages_free(p);
    return code;
}
