/*
 * The parts of a conversion that no parser can be without (scripts/bench.sh floors takes their
 * times):
 *   bench_floors read FORM FILE...   the file, or several as one, in memory and taken apart into
 *                                    its smallest pieces, with nothing done with them
 *   bench_floors scan DB             all rows of a database, as structs of rows
 *   bench_floors copy DB OUT         the same, written to a new database by the page writer
 *   bench_floors each DB OUT         the same with a call for each row, and not for many
 *   bench_floors late DB OUT         the same, and integers of which formats know the values late
 *                                    (TS_HOT) come after their row
 *   bench_floors samples DB DIR      bytes a row and a sample of rows of samples that have less
 *                                    and less in them, written by SQLite
 */
#include "json/json.h"
#include "parsers/cloud/reader.h"
#include "parsers/jfr/primitives.h"
#include "tables/database.h"
#include "tables/rows.h"
#include "tables/table_scan.h"
#include "wire/wire.h"

#include <fcntl.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- reading --------------------------------------------------------------------------------- */

/* Takes p[0..n) apart; returns how many pieces there were, which is printed, so that no compiler
 * leaves the work out. */
typedef uint64_t read_call(ts_ctx *ctx, const uint8_t *p, size_t n);

static uint64_t read_json(ts_ctx *ctx, const uint8_t *p, size_t n)
{
    static const ts_json_handler nothing = {.key = NULL};
    ts_json *js = NULL;
    ts_code code = ts_json_new(&js, ctx, &nothing, NULL, 0);
    for (size_t at = 0; at < n && code == TS_OK; at += 1 << 18) {
        code = ts_json_feed(js, (const char *)p + at, n - at < 1 << 18 ? n - at : 1 << 18);
    }
    TS_STEP(code, ts_json_finish(js));
    const uint64_t at = ts_json_state(js) == TS_JSON_DONE ? ts_json_position(js) : 0;
    ts_json_free(js);
    return at;
}

static uint64_t read_lines(ts_ctx *ctx, const uint8_t *p, size_t n)
{
    uint64_t lines = 0;
    (void)ctx;
    for (const uint8_t *end = p + n; p < end && (p = memchr(p, '\n', (size_t)(end - p))) != NULL;
         p++) {
        lines++;
    }
    return lines;
}

/* What the bytes of a field are, at the depth at which they are. */
typedef enum wire_kind { WIRE_TEXT, WIRE_MESSAGE, WIRE_PACKED } wire_kind;
typedef wire_kind wire_kind_call(unsigned depth, const ts_wire_field *parent, uint32_t field);

enum { WIRE_DEPTH = 8 };

static uint64_t walk_packed(const ts_wire *outer, const ts_wire_field *field)
{
    uint64_t v[1024];
    ts_wire in;
    uint64_t sum = 0;
    ts_wire_enter(&in, outer, field);
    if (field->n <= sizeof v / sizeof v[0]) {
        const size_t count = ts_wire_packed_all(v, &in);
        return count + (count > 0 ? v[count - 1] & 1 : 0);
    }
    while (ts_wire_packed(v, &in)) {
        sum++;
    }
    return sum;
}

static uint64_t walk_message(const uint8_t *p, size_t n, wire_kind_call *kind)
{
    ts_wire level[WIRE_DEPTH];
    ts_wire_field field[WIRE_DEPTH] = {{0}};
    unsigned depth = 0;
    uint64_t fields = 0;
    ts_wire_init(&level[0], p, n);
    for (bool more = true; more;) {
        ts_wire_field *f = &field[depth];
        if (!ts_wire_next(f, &level[depth])) {
            more = depth-- > 0;
            continue;
        }
        fields++;
        const wire_kind is = f->type != TS_WIRE_BYTES
                                 ? WIRE_TEXT
                                 : kind(depth, depth > 0 ? &field[depth - 1] : NULL, f->number);
        if (is == WIRE_PACKED) {
            fields += walk_packed(&level[depth], f);
        } else if (is == WIRE_MESSAGE && depth + 1 < WIRE_DEPTH) {
            ts_wire_enter(&level[depth + 1], &level[depth], f);
            depth++;
        }
    }
    return fields;
}

/* A profile: its samples have lists of numbers, 1 and 2, and labels, 3; locations have lines. */
static wire_kind pprof_kind(unsigned depth, const ts_wire_field *parent, uint32_t field)
{
    enum { SAMPLE = 2, LOCATION = 4, STRING = 6, COMMENT = 13, LABEL = 3, LINE = 4 };
    if (depth == 0) {
        return field == STRING || field == COMMENT ? WIRE_TEXT : WIRE_MESSAGE;
    }
    return depth > 1                                     ? WIRE_TEXT
           : parent->number == SAMPLE && field < LABEL   ? WIRE_PACKED
           : parent->number == SAMPLE && field == LABEL  ? WIRE_MESSAGE
           : parent->number == LOCATION && field == LINE ? WIRE_MESSAGE
                                                         : WIRE_TEXT;
}

static uint64_t read_pprof(ts_ctx *ctx, const uint8_t *p, size_t n)
{
    (void)ctx;
    return walk_message(p, n, pprof_kind);
}

/* A segment of a recording whose data, 3, are events of CPUs, 2, which are a list, 2, of events:
 * times, names of threads, 3, and one message that has the fields of the kind of event. */
static wire_kind ftrace_kind(unsigned depth, const ts_wire_field *parent, uint32_t field)
{
    enum { DATA = 3, DETAIL = 2, EVENT = 2, COMM = 3 };
    (void)parent;
    return depth == 0   ? (field == DATA ? WIRE_MESSAGE : WIRE_TEXT)
           : depth == 1 ? (field == DETAIL ? WIRE_MESSAGE : WIRE_TEXT)
           : depth == 2 ? (field == EVENT ? WIRE_MESSAGE : WIRE_TEXT)
           : depth == 3 ? (field == COMM ? WIRE_TEXT : WIRE_MESSAGE)
                        : WIRE_TEXT;
}

static uint32_t little32(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint64_t read_htrace(ts_ctx *ctx, const uint8_t *p, size_t n)
{
    enum { HEADER = 1024 };
    uint64_t fields = 0;
    (void)ctx;
    for (size_t at = HEADER; at + 4 <= n;) {
        const size_t size = little32(p + at);
        at += 4;
        fields += size <= n - at ? walk_message(p + at, size, ftrace_kind) : 0;
        at += size < n - at ? size : n - at;
    }
    return fields;
}

/* Sizes and types of events. */
static uint64_t read_jfr(ts_ctx *ctx, const uint8_t *p, size_t n)
{
    enum { HEADER = 68, SIZE_AT = 8 };
    uint64_t events = 0;
    (void)ctx;
    for (size_t chunk = 0; chunk + HEADER <= n;) {
        jfr_reader header = {p + chunk + SIZE_AT, p + n, false, false};
        const uint64_t size = jfr_fixed(&header, 8);
        if (size < HEADER || size > n - chunk) {
            break;
        }
        for (size_t at = chunk + HEADER; at < chunk + size;) {
            jfr_reader r = {p + at, p + chunk + size, true, false};
            const uint64_t length = jfr_varint(&r);
            events += 1 + (jfr_varint(&r) & 1);
            at += length > 0 ? (size_t)length : (size_t)size;
        }
        chunk += (size_t)size;
    }
    return events;
}

/* Ids and sizes of messages; the size counts the head. */
static uint64_t read_tptp(ts_ctx *ctx, const uint8_t *p, size_t n)
{
    enum { OFFSET_AT = 8, HEADER = 12, HEAD = 6 };
    uint64_t messages = 0;
    (void)ctx;
    for (size_t at = n < HEADER ? n : little32(p + OFFSET_AT); at + HEAD <= n;) {
        const size_t size = little32(p + at + 2);
        messages += 1 + (p[at] & 1);
        at += size > HEAD ? size : HEAD;
    }
    return messages;
}

/* The stream of events of a pod, which alone says where one of them ends. */
static uint64_t read_cloud(ts_ctx *ctx, const uint8_t *p, size_t n)
{
    enum { TIMER = 8, ENTER = 0, EXIT = 1, FINISH = 3, INLINE = 0, BY_INDEX = 2 };
    cloud_cursor c = {p, p + n, CLOUD_GOT};
    uint64_t events = 0;
    (void)ctx;
    (void)cloud_fixed(&c, TIMER);
    while (c.got == CLOUD_GOT && c.p < c.end) {
        (void)cloud_fixed(&c, 8);
        (void)cloud_fixed(&c, 8);
        for (uint8_t h = 0; (h & 3) != FINISH && c.got == CLOUD_GOT; events++) {
            h = cloud_u8(&c);
            events += (h & 3) != FINISH && (h & 0x80) != 0 ? cloud_varint(&c) & 1 : 0;
            if ((h & 3) == FINISH || (h & 3) == EXIT) {
                continue;
            }
            events += cloud_varint(&c) & 1;
            const uint8_t type = (h & 3) == ENTER ? UINT8_MAX : cloud_u8(&c);
            if (type == INLINE || type == BY_INDEX) {
                (void)cloud_text(&c);
            } else if (type != UINT8_MAX) {
                events += (cloud_varint(&c) ^ cloud_varint(&c)) & 1;
            }
        }
    }
    return c.got == CLOUD_GOT ? events : 0;
}

static const struct {
    const char *form;
    read_call *read;
} forms[] = {
    {"json", read_json}, {"lines", read_lines}, {"pprof", read_pprof}, {"htrace", read_htrace},
    {"jfr", read_jfr},   {"tptp", read_tptp},   {"cloud", read_cloud},
};

/* Appends a file to out. */
static ts_code load(ts_ctx *ctx, ts_buf *out, const char *path)
{
    struct stat st;
    ts_code code = TS_OK;
    const int fd = ts_sys_open(ctx, path, O_RDONLY, 0);
    if (fd < 0 || ctx->sys.fstat(ctx->sys.user, fd, &st) != 0) {
        code = ts_fail(ctx, TS_ERR_INPUT, "cannot open %s", path);
        goto out;
    }
    TS_STEP(code, ts_buf_reserve(ctx, out, (size_t)st.st_size));
    if (code == TS_OK) {
        const ssize_t got = ts_sys_read_all(ctx, fd, out->p + out->n, (size_t)st.st_size);
        out->n += got > 0 ? (size_t)got : 0;
    }
out:
    if (fd >= 0) {
        (void)close(fd);
    }
    return code;
}

static ts_code run_read(ts_ctx *ctx, const char *form, char **files)
{
    ts_buf in = {0};
    ts_code code = TS_OK;
    read_call *read = NULL;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        read = strcmp(forms[i].form, form) == 0 ? forms[i].read : read;
    }
    if (read == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "there is no form %s", form);
    }
    for (; *files != NULL && code == TS_OK; files++) {
        code = load(ctx, &in, *files);
    }
    if (code == TS_OK) {
        const uint64_t pieces = read(ctx, (const uint8_t *)in.p, in.n);
        (void)printf("%" PRIu64 "\n", pieces);
        code = pieces > 0 ? TS_OK : ts_fail(ctx, TS_ERR_INPUT, "it cannot be taken apart");
    }
    ts_buf_free(ctx, &in);
    return code;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* The rows of a batch, as structs of the table. */
static void gather(char *rows, const ts_table *table, const ts_batch *b)
{
    for (unsigned r = 0; r < b->rows; r++) {
        memset(rows + r * table->row_size, 0, sizeof(uint64_t));
    }
    for (unsigned c = 0; c < table->column_count; c++) {
        const ts_column *column = &table->columns[c];
        const ts_batch_column *from = &b->columns[c];
        for (unsigned r = 0; r < b->rows; r++) {
            char *row = rows + r * table->row_size;
            uint64_t *null = (uint64_t *)(void *)row;
            *null |= (uint64_t)from->null[r] << c;
            if (column->type == TS_COL_TEXT) {
                const ts_text t = from->null[r] != 0
                                      ? TS_TEXT_NULL
                                      : (ts_text){from->texts[r].p, from->texts[r].n};
                memcpy(row + column->offset, &t, sizeof t);
            } else if (column->type == TS_COL_REAL) {
                memcpy(row + column->offset, &from->reals[r], sizeof from->reals[r]);
            } else {
                memcpy(row + column->offset, &from->ints[r], sizeof from->ints[r]);
            }
        }
    }
}

/* How rows are put. */
typedef enum put_mode { PUT_MANY, PUT_EACH, PUT_LATE } put_mode;

/* Columns that are reserved together when a row of the table is put. */
static const uint64_t late_columns[TS_TABLE_COUNT] = {
#define TS_HOT(t, usual, late) [TS_T_##t] = late,
#include "tables/formats/each.h"
};

/* The row first, then those of its columns that formats know later. */
static ts_code put_late(ts_sink *to, enum ts_table_id id, const char *row, uint64_t rowid)
{
    int64_t values[TS_SCAN_COLUMNS];
    unsigned n = 0;
    uint64_t null;
    memcpy(&null, row, sizeof null);
    const uint64_t late = late_columns[id] & ~null;
    for (uint64_t left = late; left != 0; left &= left - 1) {
        const unsigned column = (unsigned)__builtin_ctzll(left);
        memcpy(&values[n++], row + ts_schema[id].columns[column].offset, sizeof values[0]);
    }
    TS_TRY(ts_sink_reserve(to, id, row, late));
    return late == 0 ? TS_OK : ts_sink_settle(to, id, (int64_t)rowid, late, values);
}

static ts_code put_rows(ts_sink *to, enum ts_table_id id, const char *rows, unsigned n,
                        put_mode mode)
{
    const size_t size = ts_schema[id].row_size;
    ts_code code = TS_OK;
    if (mode == PUT_MANY) {
        return ts_sink_put_many(to, id, rows, size, n);
    }
    for (unsigned i = 0; i < n && code == TS_OK; i++) {
        code = mode == PUT_EACH ? ts_sink_put(to, id, rows + i * size)
                                : put_late(to, id, rows + i * size, ts_sink_rows(to, id) + 1);
    }
    return code;
}

static ts_code copy_table(ts_ctx *ctx, ts_sink *to, ts_reader *reader, enum ts_table_id id,
                          put_mode mode)
{
    const ts_table *table = &ts_schema[id];
    unsigned columns[TS_SCAN_COLUMNS];
    char *rows = NULL;
    unsigned room = 0;
    const ts_batch *b;
    ts_scan *scan = NULL;
    for (unsigned i = 0; i < table->column_count; i++) {
        columns[i] = i;
    }
    ts_code code = ts_scan_open(&scan, reader, id, columns, table->column_count);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        if (b->rows > room) {
            ts_free(ctx, rows);
            room = b->rows * 2;
            rows = ts_alloc(ctx, room, table->row_size);
            code = rows == NULL ? TS_ERR_NOMEM : TS_OK;
        }
        if (code == TS_OK) {
            gather(rows, table, b);
            code = put_rows(to, id, rows, b->rows, mode);
        }
    }
    ts_free(ctx, rows);
    ts_scan_close(scan);
    return code;
}

/* An empty file, for ts_db_create. */
static ts_code make_file(ts_ctx *ctx, const char *path)
{
    const int fd = ts_sys_open(ctx, path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    return fd >= 0 && close(fd) == 0 ? TS_OK
                                     : ts_fail(ctx, TS_ERR_OUTPUT, "cannot create %s", path);
}

/* All tables but the one that is written with the schema; out: NULL for none. */
static ts_code run_copy(ts_ctx *ctx, const char *path, const char *out, put_mode mode)
{
    ts_sink dropping = ts_sink_null();
    ts_reader *reader = NULL;
    ts_db *db = NULL;
    uint64_t rows = 0;
    double index_ms;
    ts_code code = ts_reader_open(&reader, ctx, path);
    TS_STEP_IF(code, out != NULL, make_file(ctx, out));
    TS_STEP_IF(code, out != NULL, ts_db_create(&db, ctx, out));
    ts_sink *to = db == NULL ? &dropping : ts_db_sink(db);
    for (unsigned i = 0; i < TS_TABLE_COUNT && code == TS_OK; i++) {
        const enum ts_table_id id = (enum ts_table_id)i;
        if (ts_reader_has_table(reader, id) && ts_sink_rows(to, id) == 0 && id != TS_T_schema_doc) {
            code = copy_table(ctx, to, reader, id, mode);
            rows += ts_sink_rows(to, id);
        }
    }
    TS_STEP_IF(code, db != NULL, ts_db_finish(db, false, &index_ms));
    ts_db_close(db);
    ts_reader_free(reader);
    (void)printf("%" PRIu64 "\n", rows);
    return code;
}

/* --- samples of CPU profiles ------------------------------------------------------------------ */

/* The rows of a short recording come again until there are so many samples, with later ids and
 * times, because the pages that every file has would count else. */
#define AGAIN                                                                                      \
    "WITH once(ids, ns, most) AS MATERIALIZED (SELECT (SELECT max(id) FROM old.stack_sample),"     \
    " (SELECT max(end_time) - min(start_time) FROM old.js_cpu_profiler_sample),"                   \
    " 2500000 / (SELECT count(*) FROM old.stack_sample)),"                                         \
    " again(n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM again, once WHERE n + 1 < most) "
#define OF_SAMPLES " FROM again CROSS JOIN once CROSS JOIN old.stack_sample"

/* What a row has, and the statement that makes such rows of the attached database. */
static const struct {
    const char *what, *columns, *rows;
} shapes[] = {
    {"id, node", "id INTEGER PRIMARY KEY, node_id INTEGER",
     (AGAIN "SELECT id + n * ids, node_id" OF_SAMPLES)},
    {"id, node, duration in us", "id INTEGER PRIMARY KEY, node_id INTEGER, dur_us INTEGER",
     (AGAIN "SELECT id + n * ids, node_id, dur / 1000" OF_SAMPLES)},
    {"runs, as the reference has them",
     "id INTEGER, function_id INTEGER, start_time INTEGER, end_time INTEGER, dur INTEGER",
     (AGAIN "SELECT id + n * ids, function_id, start_time + n * ns, end_time + n * ns, dur"
            " FROM again CROSS JOIN once CROSS JOIN old.js_cpu_profiler_sample")},
};

static int one_number(void *user, int n, char **values, char **names)
{
    (void)n;
    (void)names;
    *(double *)user = values[0] == NULL ? 0 : strtod(values[0], NULL);
    return 0;
}

static int shape_bytes(double *bytes, double *rows, const char *from, const char *to, size_t i)
{
    static const char size[] = "SELECT page_count * page_size FROM pragma_page_count('main'), "
                               "pragma_page_size('main')";
    sqlite3 *db = NULL;
    char *sql = sqlite3_mprintf("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF;"
                                "ATTACH %Q AS old; BEGIN; CREATE TABLE t(%s); INSERT INTO t %s;"
                                "COMMIT",
                                from, shapes[i].columns, shapes[i].rows);
    int rc = sqlite3_open(to, &db);
    rc = rc == SQLITE_OK ? sqlite3_exec(db, sql, NULL, NULL, NULL) : rc;
    rc = rc == SQLITE_OK ? sqlite3_exec(db, size, one_number, bytes, NULL) : rc;
    rc = rc == SQLITE_OK ? sqlite3_exec(db, "SELECT count(*) FROM t", one_number, rows, NULL) : rc;
    if (rc != SQLITE_OK) {
        (void)fprintf(stderr, "bench_floors: %s: %s\n", to, sqlite3_errmsg(db));
    }
    sqlite3_free(sql);
    (void)sqlite3_close(db);
    return rc;
}

static ts_code run_samples(ts_ctx *ctx, const char *path, const char *dir)
{
    double samples = 0;
    int rc = SQLITE_OK;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0] && rc == SQLITE_OK; i++) {
        char to[4096];
        double bytes = 0;
        double rows = 0;
        (void)snprintf(to, sizeof to, "%s/samples-%zu.db", dir, i);
        (void)unlink(to);
        rc = shape_bytes(&bytes, &rows, path, to, i);
        (void)unlink(to);
        samples = i == 0 ? rows : samples;
        if (rc == SQLITE_OK && rows > 0) {
            (void)printf("%-32s %9.0f rows %6.1f bytes a row %6.1f bytes a sample\n",
                         shapes[i].what, rows, bytes / rows, bytes / samples);
        }
    }
    return rc == SQLITE_OK ? TS_OK : ts_fail(ctx, TS_ERR_INPUT, "cannot write rows of samples");
}

int main(int argc, char **argv)
{
    static ts_ctx ctx;
    const char *what = argc > 2 ? argv[1] : "";
    ts_code code;
    ts_ctx_init(&ctx);
    if (strcmp(what, "read") == 0 && argc > 3) {
        code = run_read(&ctx, argv[2], argv + 3);
    } else if (strcmp(what, "scan") == 0) {
        code = run_copy(&ctx, argv[2], NULL, PUT_MANY);
    } else if (strcmp(what, "copy") == 0 && argc > 3) {
        code = run_copy(&ctx, argv[2], argv[3], PUT_MANY);
    } else if (strcmp(what, "each") == 0 && argc > 3) {
        code = run_copy(&ctx, argv[2], argv[3], PUT_EACH);
    } else if (strcmp(what, "late") == 0 && argc > 3) {
        code = run_copy(&ctx, argv[2], argv[3], PUT_LATE);
    } else if (strcmp(what, "samples") == 0 && argc > 3) {
        code = run_samples(&ctx, argv[2], argv[3]);
    } else {
        (void)fprintf(
            stderr, "usage: bench_floors read FORM FILE... | scan DB | copy DB OUT | each DB OUT | "
                    "late DB OUT | samples DB DIR\n");
        return 2;
    }
    for (unsigned i = 0; code != TS_OK && i < ctx.error.count; i++) {
        (void)fprintf(stderr, "bench_floors: %s\n", ctx.error.causes[i]);
    }
    return code == TS_OK ? 0 : 1;
}
