/* The file below the scans: which tables it has, and its pages. */
#include "tables/scan_private.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "tables/sample_rows.h"
#include "tables/schema_sql.h"
#include "tables/views_impl.h"

#include <errno.h>
#include <fcntl.h>

enum {
    FILE_HEADER = 100,
    PAGE_SIZE_AT = 16,
    RESERVED_AT = 20,
    ENCODING_AT = 56,
    USER_VERSION_AT = 60,
    APPLICATION_ID_AT = 68,
    MIN_USABLE = 480,
    UTF8 = 1
};

/* --- the file ------------------------------------------------------------------------------ */

static ts_code reader_cannot_read(const ts_reader *r, const char *why)
{
    return ts_fail(r->ctx, r->damage, "cannot read the database: path=\"%s\": %s", r->path, why);
}

static ts_code read_at(const ts_reader *r, uint64_t offset, uint8_t *out, size_t n)
{
    ssize_t got = ts_sys_pread_all(r->ctx, r->fd, out, n, (off_t)offset);
    if (got == (ssize_t)n) {
        return TS_OK;
    }
    return got < 0 && errno == EINTR
               ? ts_check_cancel(r->ctx)
               : reader_cannot_read(r, got < 0 ? strerror(errno) : "it has become shorter");
}

static ts_code read_layout(ts_reader *r, const uint8_t header[FILE_HEADER], uint64_t bytes)
{
    uint32_t size = scan_be16(header + PAGE_SIZE_AT);
    uint64_t pages;
    size = size == 1 ? 65536 : size;
    if (memcmp(header, "SQLite format 3", 16) != 0) {
        return reader_cannot_read(r, "it is not an SQLite database");
    }
    if (size < 512 || (size & (size - 1)) != 0 || size - header[RESERVED_AT] < MIN_USABLE) {
        return reader_cannot_read(r, "page 1: its page size is invalid");
    }
    if (scan_be32(header + ENCODING_AT) != UTF8) {
        return reader_cannot_read(r, "its texts are not UTF-8");
    }
    r->page_size = size;
    r->usable = size - header[RESERVED_AT];
    pages = bytes / size;
    r->page_count = pages > PAGE_MAX_NUMBER ? PAGE_MAX_NUMBER : (uint32_t)pages;
    return TS_OK;
}

ts_code ts_reader_new(ts_reader **out, ts_ctx *ctx, const ts_reader_config *config)
{
    uint8_t header[FILE_HEADER];
    struct stat st;
    ts_code code;
    ts_reader *r = ts_zalloc(ctx, 1, sizeof *r);
    *out = NULL;
    TS_NEED(ctx, r);
    r->ctx = ctx;
    r->fd = config->fd;
    r->path = config->path;
    r->pages = config->pages;
    r->db = config->db;
    r->damage = config->pages == NULL || config->given ? TS_ERR_INPUT : TS_ERR_OUTPUT;
    if (ctx->sys.fstat(ctx->sys.user, r->fd, &st) != 0) {
        code = reader_cannot_read(r, strerror(errno));
    } else if (st.st_size < FILE_HEADER) {
        code = reader_cannot_read(r, "it is not an SQLite database");
    } else if ((code = read_at(r, 0, header, FILE_HEADER)) == TS_OK) {
        code = read_layout(r, header, (uint64_t)st.st_size);
    }
    if (code != TS_OK) {
        ts_free(ctx, r);
        return code;
    }
    *out = r;
    return TS_OK;
}

void ts_reader_table(ts_reader *reader, unsigned id, const ts_table *table, uint32_t root,
                     bool written)
{
    reader->tables[id] = (reader_table){table, root, written};
}

void ts_reader_set_progress(ts_reader *reader, const ts_reader_progress *progress)
{
    reader->progress = *progress;
}

void ts_reader_free(ts_reader *reader)
{
    if (reader == NULL) {
        return;
    }
    ts_ctx *ctx = reader->ctx;
    if (reader->owns_fd) {
        ctx->sys.close(ctx->sys.user, reader->fd);
    }
    ts_free(ctx, reader->own_path);
    ts_free(ctx, reader);
}

bool ts_reader_has_table(const ts_reader *reader, enum ts_table_id table)
{
    return reader->tables[table].table != NULL;
}

ts_code ts_reader_has_rows(bool *any, ts_reader *reader, enum ts_table_id table)
{
    const reader_table *t = &reader->tables[table];
    const ts_batch *batch;
    ts_scan *scan = NULL;
    ts_code code;
    *any = false;
    if (t->written) {
        *any = page_rows(&reader->pages->tables[table]) > 0;
        return TS_OK;
    }
    if (t->root == 0) {
        return TS_OK;
    }
    code = ts_scan_open(&scan, reader, table, NULL, 0);
    TS_STEP(code, ts_scan_next(&batch, scan));
    if (code == TS_OK) {
        *any = batch->rows > 0;
    }
    ts_scan_close(scan);
    return code;
}

/* --- pages --------------------------------------------------------------------------------- */

ts_code scan_damaged(const ts_scan *s, uint32_t number, const char *what)
{
    const ts_reader *r = s->reader;
    return ts_fail(r->ctx, r->damage, "damaged database: path=\"%s\", table=%s, page=%u: %s",
                   r->path, s->table->name, number, what);
}

/* One page first; as long as pages come from what was read ahead, more and more. */
static ts_code fill_window(ts_scan *s, uint32_t number, uint32_t end)
{
    ts_reader *r = s->reader;
    uint32_t most = SCAN_WINDOW / r->page_size;
    bool near = s->window_count > 0 && number > s->window_first &&
                number - s->window_first <= 2 * s->window_count;
    uint32_t n = near ? s->window_next * 2 : 1;
    ts_code code = ts_check_cancel(r->ctx);
    n = n > most ? most : n;
    s->window_next = n;
    n = n > end - number ? end - number : n;
    s->window_count = 0;
    if (code == TS_OK) {
        code =
            read_at(r, (uint64_t)(number - 1) * r->page_size, s->window, (size_t)n * r->page_size);
    }
    if (code == TS_OK) {
        s->window_first = number;
        s->window_count = n;
        if (r->progress.read != NULL) {
            r->progress.read(r->progress.user, (uint64_t)n * r->page_size);
        }
    }
    return code;
}

ts_code scan_fetch(ts_scan *s, uint32_t number, uint8_t *bytes)
{
    ts_reader *r = s->reader;
    uint32_t end = r->page_count + 1; /* after the pages that the file has */
    const uint8_t *queued = r->pages == NULL ? NULL : page_queued(r->pages, number);
    if (r->pages != NULL) {
        uint32_t lock = r->pages->lock_page; /* is never written, so the file may end before it */
        end = r->pages->out_count > 0 ? r->pages->out_first : r->pages->next;
        end = number <= lock && end > lock ? lock : end;
    }
    if (queued != NULL) {
        memcpy(bytes, queued, r->page_size);
        return TS_OK;
    }
    if (number == 0 || number >= end) {
        return scan_damaged(s, number, "the page does not exist");
    }
    if (number < s->window_first || number - s->window_first >= s->window_count) {
        TS_TRY(fill_window(s, number, end));
    }
    memcpy(bytes, s->window + (size_t)(number - s->window_first) * r->page_size, r->page_size);
    return TS_OK;
}

/* --- finished files ------------------------------------------------------------------------ */

enum { S_TYPE, S_NAME, S_ROOT, S_SQL, S_COUNT };
static const ts_column schema_columns[] = {
    {"type", TS_COL_TEXT, "", "", "", 0},     {"name", TS_COL_TEXT, "", "", "", 0},
    {"tbl_name", TS_COL_TEXT, "", "", "", 0}, {"rootpage", TS_COL_INT, "", "", "", 0},
    {"sql", TS_COL_TEXT, "", "", "", 0},
};
static const ts_table schema_table = {
    .name = "sqlite_schema", .columns = schema_columns, .column_count = 5};

/* Quotation marks depend on which words SQLite's version keeps for itself. */
static bool same_sql(ts_text a, ts_text b)
{
    size_t i = 0;
    size_t k = 0;
    for (;;) {
        while (i < a.n && a.p[i] == '"') {
            i++;
        }
        while (k < b.n && b.p[k] == '"') {
            k++;
        }
        if (i == a.n || k == b.n) {
            return i == a.n && k == b.n;
        }
        if (a.p[i++] != b.p[k++]) {
            return false;
        }
    }
}

static ts_code check_table(const ts_reader *r, const ts_table *table, int64_t root, ts_text sql)
{
    ts_buf expected = {0};
    ts_code code = ts_sql_create(r->ctx, &expected, table);
    TS_STEP_IF(code, !same_sql(sql, ts_buf_text(&expected)),
               ts_fail(r->ctx, r->damage,
                       "cannot read the database: path=\"%s\": its table %s is not as this "
                       "program makes it (changed columns, or WITHOUT ROWID)",
                       r->path, table->name));
    TS_STEP_IF(code, (root < 2 || root > r->page_count),
               reader_cannot_read(r, "page 1: a table begins at a page that there is not"));
    ts_buf_free(r->ctx, &expected);
    return code;
}

/* stack_sample is a view of these two. */
static ts_code note_sample_table(ts_reader *r, ts_text name, int64_t root, ts_text sql)
{
    bool rows = ts_text_is(name, TS_SAMPLE_ROWS);
    const ts_table *table = rows ? &ts_sample_row_table : &ts_sample_block_table;
    ts_code code;
    if (!rows && !ts_text_is(name, TS_SAMPLE_BLOCKS)) {
        return TS_OK;
    }
    code = check_table(r, table, root, sql);
    if (code == TS_OK) {
        *(rows ? &r->sample_rows : &r->sample_blocks) =
            (reader_table){table, (uint32_t)root, false};
    }
    return code;
}

static ts_code note_table(ts_reader *r, ts_text name, int64_t root, ts_text sql)
{
    ts_code code;
    for (unsigned id = 0; id < TS_TABLE_COUNT; id++) {
        /* Rows have another name when a view is in their place. */
        const char *moved_to = id == TS_T_js_heap_edges ? TS_EDGE_ROWS
                               : id == TS_T_callstack   ? TS_CALL_ROWS
                                                        : NULL;
        bool moved = moved_to != NULL && ts_text_is(name, moved_to);
        ts_table table = ts_schema[id];
        if (!moved && !ts_text_is(name, table.name)) {
            continue;
        }
        table.name = moved ? moved_to : table.name;
        code = check_table(r, &table, root, sql);
        if (code == TS_OK) {
            ts_reader_table(r, id, &ts_schema[id], (uint32_t)root, false);
        }
        return code;
    }
    return note_sample_table(r, name, root, sql);
}

static ts_code read_schema(ts_reader *r)
{
    static const unsigned columns[S_COUNT] = {0, 1, 3, 4};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code;
    /* Its place is that of any table while the tables are not known. */
    ts_reader_table(r, 0, &schema_table, 1, false);
    code = ts_scan_open(&scan, r, 0, columns, S_COUNT);
    r->tables[0] = (reader_table){0};
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            const ts_scan_text *type = &b->columns[S_TYPE].texts[i];
            const ts_scan_text *name = &b->columns[S_NAME].texts[i];
            const ts_scan_text *sql = &b->columns[S_SQL].texts[i];
            if (type->n == 5 && memcmp(type->p, "table", 5) == 0) {
                code = note_table(r, (ts_text){name->p, name->n}, b->columns[S_ROOT].ints[i],
                                  (ts_text){sql->p, sql->n});
            }
        }
    }
    ts_scan_close(scan);
    TS_STEP_IF(code, (r->sample_rows.table == NULL) != (r->sample_blocks.table == NULL),
               reader_cannot_read(r, "it has one of " TS_SAMPLE_ROWS " and " TS_SAMPLE_BLOCKS));
    if (code == TS_OK && r->sample_rows.table != NULL) {
        ts_reader_table(r, TS_T_stack_sample, &ts_schema[TS_T_stack_sample], r->sample_rows.root,
                        false);
    }
    return code;
}

/* What is beside the database and may hold newer pages. */
static ts_code check_beside(const ts_reader *r, const char *suffix)
{
    struct stat st;
    ts_buf name = {0};
    ts_code code = ts_buf_printf(r->ctx, &name, "%s%s", r->path, suffix);
    TS_STEP(code, ts_buf_putc(r->ctx, &name, '\0'));
    if (code == TS_OK && stat(name.p, &st) == 0 && st.st_size > 0) {
        code = ts_fail(r->ctx, r->damage,
                       "cannot read the database: path=\"%s\": the file beside it that ends in %s "
                       "may hold newer pages; open it with sqlite3 once",
                       r->path, suffix);
    }
    ts_buf_free(r->ctx, &name);
    return code;
}

static ts_code check_ours(const ts_reader *r)
{
    uint8_t header[FILE_HEADER];
    TS_TRY(read_at(r, 0, header, FILE_HEADER));
    if (scan_be32(header + APPLICATION_ID_AT) != TS_APPLICATION_ID) {
        return reader_cannot_read(r, "not a database of trace_streamer");
    }
    if (scan_be32(header + USER_VERSION_AT) != TS_SCHEMA_VERSION) {
        return ts_fail(r->ctx, r->damage,
                       "cannot read the database: path=\"%s\": it has version %u of the schema, "
                       "not %d; convert the recording again",
                       r->path, scan_be32(header + USER_VERSION_AT), TS_SCHEMA_VERSION);
    }
    return TS_OK;
}

/* A finished file; with `own`, the descriptor becomes the reader's, also when this fails, and
 * nothing beside the file may hold newer pages. */
static ts_code open_file(ts_reader **out, ts_ctx *ctx, int fd, const char *path, bool own)
{
    ts_reader *r = NULL;
    const ts_reader_config config = {.fd = fd, .path = path};
    ts_code code = ts_reader_new(&r, ctx, &config);
    if (code != TS_OK) {
        if (own) {
            ctx->sys.close(ctx->sys.user, fd);
        }
        return code;
    }
    r->owns_fd = own;
    code = check_ours(r);
    TS_STEP_IF(code, own, check_beside(r, "-wal"));
    TS_STEP_IF(code, own, check_beside(r, "-journal"));
    TS_STEP(code, read_schema(r));
    if (code != TS_OK) {
        ts_reader_free(r);
        return code;
    }
    *out = r;
    return TS_OK;
}

ts_code ts_reader_open_fd(ts_reader **out, ts_ctx *ctx, int fd, const char *path)
{
    *out = NULL;
    return open_file(out, ctx, fd, path, false);
}

ts_code ts_reader_open(ts_reader **out, ts_ctx *ctx, const char *path)
{
    int fd = ts_sys_open(ctx, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0);
    *out = NULL;
    return fd < 0 ? ts_fail(ctx, TS_ERR_INPUT, "cannot read the database: path=\"%s\": %s", path,
                            strerror(errno))
                  : open_file(out, ctx, fd, path, true);
}
