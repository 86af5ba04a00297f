/*
 * The bytes are rows of a database: of each the table, and for each column what stands in its cell,
 * of any type. All views of the server are asked. What must hold: a reply is one JSON value, or the
 * view fails with a code that it documents and a sentence, and memory is given back.
 *
 * Options: -max_len=4096
 */
#include "fuzz.h"

#include "serve_tables.h"
#include "support.h"

enum { ROWS_MAX = 400, MEMORY = 32 << 20 };

typedef struct input {
    const uint8_t *p;
    size_t n;
} input;

static unsigned byte(input *in)
{
    if (in->n == 0) {
        return 0;
    }
    in->n--;
    return *in->p++;
}

static int64_t word(input *in)
{
    uint64_t value = 0;
    for (unsigned i = 0; i < 8; i++) {
        value = value << 8 | byte(in);
    }
    return (int64_t)value;
}

/* What stands in a cell: the lowest three bits of a byte are its kind, the others a small number.
 */
static void bind(sqlite3_stmt *stmt, int at, input *in, int64_t rows)
{
    static const char *const texts[] = {
        "",        "cpu",    "ns",   "object", "native", "string",   "(idle)", "(root)",
        "element", "hidden", "weak", "code",   "a\"\\b", "\xff\xc3", "alloc",  "x"};
    unsigned kind = byte(in);
    unsigned small = kind >> 3;
    switch (kind & 7) {
    case 0:
        sqlite3_bind_null(stmt, at);
        break;
    case 1:
        sqlite3_bind_int64(stmt, at, small);
        break;
    case 2:
        sqlite3_bind_int64(stmt, at, rows + 1 - small);
        break;
    case 3:
        sqlite3_bind_text(stmt, at, texts[small & 15], -1, SQLITE_STATIC);
        break;
    case 4:
        sqlite3_bind_int64(stmt, at, word(in));
        break;
    case 5:
        sqlite3_bind_double(stmt, at, (double)word(in) / (small + 1));
        break;
    case 6:
        sqlite3_bind_int64(stmt, at, (int64_t)byte(in) * (small + 1));
        break;
    default:
        sqlite3_bind_blob(stmt, at, "\0blob", 5, SQLITE_STATIC);
    }
}

static void fill(sqlite3 *db, sqlite3_stmt **inserts, input *in)
{
    int64_t rows[SERVE_TABLES] = {0};
    serve_run(db, "BEGIN");
    for (unsigned i = 0; i < ROWS_MAX && in->n > 0; i++) {
        unsigned table = byte(in) % SERVE_TABLES;
        sqlite3_stmt *stmt = inserts[table];
        int n = sqlite3_bind_parameter_count(stmt);
        for (int c = 1; c <= n; c++) {
            bind(stmt, c, in, rows[table]);
        }
        (void)sqlite3_step(stmt); /* keys that are no integers, or there already, are refused */
        sqlite3_reset(stmt);
        rows[table]++;
    }
}

static sqlite3_stmt *insert_into(sqlite3 *db, unsigned table)
{
    const ts_table *t = serve_table(table);
    char sql[512];
    sqlite3_stmt *stmt = NULL;
    size_t n = (size_t)snprintf(sql, sizeof sql, "INSERT INTO \"%s\" VALUES (", t->name);
    for (unsigned c = 0; c < t->column_count; c++) {
        n += (size_t)snprintf(sql + n, sizeof sql - n, c == 0 ? "?" : ",?");
    }
    (void)snprintf(sql + n, sizeof sql - n, ")");
    check(sqlite3_prepare_v2(db, sql, -1, &stmt, NULL) == SQLITE_OK);
    return stmt;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static sqlite3 *db; /* empty between the inputs */
    static sqlite3_stmt *inserts[SERVE_TABLES];
    input in = {data, size};
    if (db == NULL) {
        db = serve_database();
        for (unsigned i = 0; i < SERVE_TABLES; i++) {
            inserts[i] = insert_into(db, i);
        }
    }
    fill(db, inserts, &in);
    ts_ctx *ctx = test_ctx_new();
    ts_view_db *views = NULL;
    const ts_view_db_options options = {.max_memory = MEMORY};
    check(ts_view_db_open(&views, ctx, &options) == TS_OK);
    for (unsigned i = 0; i < SERVE_REQUESTS; i++) {
        serve_reply reply = {0};
        serve_ask(&reply, ctx, views, db, NULL, serve_requests[i]);
        if (reply.code == TS_OK) {
            check(serve_reply_is_json(&reply));
        } else {
            check(reply.code == TS_ERR_USAGE || reply.code == TS_ERR_INPUT ||
                  reply.code == TS_ERR_LIMIT);
            check(ts_view_db_ctx(views)->error.count > 0);
        }
        serve_reply_free(&reply);
        check(ts_view_db_memory(views) <= MEMORY);
    }
    ts_view_db_close(views);
    test_ctx_free(ctx);
    serve_run(db, "ROLLBACK");
    return 0;
}
