/*
 * Loading a recording exactly once. Blocks of rows are atomic on the server, loads are not: an
 * attempt has a number of its own, `load`, which all of its rows carry, and one row of the table
 * `recording`, written last, makes them count. Before that the server's counts are compared with
 * ours. An attempt that fails leaves rows that no view shows (ts_fleet_sweep); the next one has
 * another number. Two programs that load one recording at once both commit, and the views take the
 * later commit: on a cluster they have chosen the same shard.
 *
 * Memory: one batch of rows (columns.h), its block, and the compressed blocks of one request.
 */
#include "fleet/load.h"

#include "base/alloc.h"
#include "export/columns/native.h"
#include "fleet/class_names.h"
#include "fleet/cluster.h"
#include "fleet/dialect.h"
#include "tables/rows.h"

#include <inttypes.h>
#include <stdio.h>
#include <zlib.h>

enum {
    REQUEST_ROWS = 1024 * 1024, /* the engine writes a block of so many */
    REQUEST_BYTES = 32 * 1024 * 1024,
    GZIP_WINDOW = 15 + 16,
    GZIP_LEVEL = 1
};

/* --- amounts ---------------------------------------------------------------------------------- */

static ts_code choose_tables(ts_amount *out, ts_ctx *ctx, const char *names)
{
    for (const char *p = names; *p != '\0';
         p += p[strcspn(p, ",")] == ',' ? strcspn(p, ",") + 1 : strlen(p)) {
        const ts_text name = {p, strcspn(p, ",")};
        unsigned t = 0;
        while (t < TS_TABLE_COUNT && !ts_text_is(name, ts_schema[t].name)) {
            t++;
        }
        if (t == TS_TABLE_COUNT) {
            return ts_fail(ctx, TS_ERR_USAGE, "unknown table \"%.*s\" (--tables lists tables)",
                           (int)name.n, name.p);
        }
        out->tables[t] = true;
    }
    int n = snprintf(out->name, sizeof out->name, "tables:");
    for (unsigned t = 0; t < TS_TABLE_COUNT && (size_t)n < sizeof out->name; t++) {
        n += out->tables[t] ? snprintf(out->name + n, sizeof out->name - (size_t)n, "%s%s",
                                       out->name[n - 1] == ':' ? "" : ",", ts_schema[t].name)
                            : 0;
    }
    return (size_t)n < sizeof out->name
               ? TS_OK
               : ts_fail(ctx, TS_ERR_USAGE, "so many tables: choose --rows=all");
}

ts_code ts_amount_choose(ts_amount *out, ts_ctx *ctx, const char *rows, const char *names)
{
    *out = (ts_amount){0};
    if (names != NULL) {
        return choose_tables(out, ctx, names);
    }
    const bool all = rows != NULL && strcmp(rows, "all") == 0;
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        out->tables[t] = all || ts_table_is_fact(t);
    }
    out->facts = !all;
    out->tables[TS_T_js_heap_string] = true;
    (void)snprintf(out->name, sizeof out->name, "%s", all ? "all" : "facts");
    return TS_OK;
}

/* --- blocks of rows --------------------------------------------------------------------------- */

typedef struct sender {
    ts_ctx *ctx;
    ts_fleet *fleet; /* NULL: nothing is sent */
    ts_load_result *result;
    ts_native_load load;
    z_stream zip;
    bool zipping;
    ts_buf sql;   /* of the table */
    ts_buf block; /* one batch */
    ts_buf body;  /* compressed blocks that are not sent yet */
    uint64_t body_rows, body_bytes;
    uint64_t counts[TS_TABLE_COUNT];
    uint64_t sizes[TS_TABLE_COUNT]; /* bytes, compressed */
    ts_class_names names;           /* where only those of classes are sent */
} sender;

static void *load_zalloc(void *user, unsigned count, unsigned size)
{
    return ts_alloc(user, count, size);
}

static void load_zfree(void *user, void *p)
{
    ts_free(user, p);
}

static ts_code sender_open(sender *s, ts_ctx *ctx, ts_fleet *fleet, ts_load_result *result)
{
    *s = (sender){.ctx = ctx, .fleet = fleet, .result = result};
    s->zip.zalloc = load_zalloc;
    s->zip.zfree = load_zfree;
    s->zip.opaque = ctx;
    if (deflateInit2(&s->zip, GZIP_LEVEL, Z_DEFLATED, GZIP_WINDOW, 8, Z_DEFAULT_STRATEGY) != Z_OK) {
        return ctx->error.code != TS_OK ? ctx->error.code
                                        : ts_fail(ctx, TS_ERR_INTERNAL, "zlib does not start");
    }
    s->zipping = true;
    return TS_OK;
}

static void sender_close(sender *s)
{
    if (s->zipping) {
        (void)deflateEnd(&s->zip);
    }
    ts_buf_free(s->ctx, &s->sql);
    ts_buf_free(s->ctx, &s->block);
    ts_buf_free(s->ctx, &s->body);
    ts_class_names_free(&s->names, s->ctx);
}

/* Compresses to the end of s->body. */
static ts_code compress_more(sender *s, ts_text from, int flush)
{
    union {
        const char *in;
        Bytef *out;
    } p = {from.p}; /* zlib's pointer lacks the const, without ZLIB_CONST */
    int rc = Z_OK;
    s->zip.next_in = p.out;
    s->zip.avail_in = (uInt)from.n;
    while (s->zip.avail_in > 0 || (flush == Z_FINISH && rc != Z_STREAM_END)) {
        enum { ROOM = 256 * 1024 };
        TS_TRY(ts_buf_reserve(s->ctx, &s->body, ROOM));
        s->zip.next_out = (Bytef *)s->body.p + s->body.n;
        s->zip.avail_out = ROOM;
        rc = deflate(&s->zip, flush);
        if (rc != Z_OK && rc != Z_STREAM_END && rc != Z_BUF_ERROR) {
            return ts_fail(s->ctx, TS_ERR_INTERNAL, "zlib fails: %d", rc);
        }
        s->body.n += ROOM - s->zip.avail_out;
    }
    return TS_OK;
}

static ts_code send_body(sender *s, enum ts_table_id table)
{
    if (s->body_rows == 0) {
        return TS_OK;
    }
    TS_TRY(compress_more(s, (ts_text){"", 0}, Z_FINISH));
    if (s->fleet != NULL) {
        TS_TRY(ts_engine_put(s->fleet, s->sql.p, ts_buf_text(&s->body), true));
    }
    s->result->sent += s->body.n;
    s->sizes[table] += s->body.n;
    s->body.n = 0;
    s->body_rows = 0;
    s->body_bytes = 0;
    return deflateReset(&s->zip) == Z_OK ? TS_OK
                                         : ts_fail(s->ctx, TS_ERR_INTERNAL, "zlib does not reset");
}

static ts_code put_statement(sender *s, enum ts_table_id table)
{
    const ts_table *t = &ts_schema[table];
    s->sql.n = 0;
    ts_code code = ts_buf_printf(s->ctx, &s->sql, "INSERT INTO `%s` (`load`,`row`,`day`", t->name);
    for (unsigned i = 0; code == TS_OK && i < t->column_count; i++) {
        code = ts_buf_printf(s->ctx, &s->sql, ",`%s`", ts_native_name(&t->columns[i]));
    }
    TS_STEP(code, ts_buf_printf(s->ctx, &s->sql, ") FORMAT Native%c", 0));
    return code;
}

static ts_code send_batch(sender *s, const ts_columns *c)
{
    s->block.n = 0;
    TS_TRY(ts_native_block(&s->block, c, &s->load));
    TS_TRY(compress_more(s, ts_buf_text(&s->block), Z_NO_FLUSH));
    s->body_rows += c->rows;
    s->body_bytes += s->block.n;
    s->counts[c->table] += c->rows;
    s->result->rows += c->rows;
    s->result->bytes += s->block.n;
    const bool full =
        s->body_bytes >= REQUEST_BYTES || s->body_rows + TS_COLUMNS_ROWS > REQUEST_ROWS;
    return full ? send_body(s, c->table) : TS_OK;
}

static void keep_slow_calls(ts_columns *c)
{
    const ts_column_values *dur = &c->columns[TS_C_cloud_call__dur];
    bool keep[TS_COLUMNS_ROWS];
    for (unsigned i = 0; i < c->rows; i++) {
        keep[i] = dur->ints[i] >= TS_FACT_CALL_NS;
    }
    ts_columns_keep(c, keep);
}

/* Of tables that may be large, what is asked across recordings. */
static void keep_facts(const sender *s, ts_columns *c)
{
    if (c->table == TS_T_js_heap_string) {
        ts_class_names_keep(&s->names, c);
    } else if (c->table == TS_T_cloud_call) {
        keep_slow_calls(c);
    }
}

static ts_code send_table(sender *s, ts_reader *reader, enum ts_table_id table, bool facts)
{
    ts_columns c = {0};
    ts_code code = put_statement(s, table);
    TS_STEP(code, ts_columns_open(&c, s->ctx, reader, table));
    TS_STEP(code, ts_columns_next(&c));
    while (code == TS_OK && c.rows > 0) {
        if (facts) {
            keep_facts(s, &c);
        }
        TS_STEP_IF(code, c.rows > 0, send_batch(s, &c));
        TS_STEP(code, ts_check_cancel(s->ctx));
        TS_STEP(code, ts_columns_next(&c));
    }
    ts_columns_close(&c);
    TS_STEP(code, send_body(s, table));
    s->result->tables += s->counts[table] > 0 ? 1 : 0;
    return code;
}

/* Tables whose rows were made a view of others (callstack of traced calls, runs of samples) are
 * none in the file. */
static ts_code send_tables(sender *s, const ts_load_request *r)
{
    ts_code code = TS_OK;
    TS_STEP_IF(code, r->amount->facts && s->names.keys.p == NULL,
               ts_class_names_find(&s->names, s->ctx, r->reader));
    s->result->rows = s->result->tables = s->result->bytes = s->result->sent = 0;
    for (unsigned t = 0; code == TS_OK && t < TS_TABLE_COUNT; t++) {
        if (r->amount->tables[t] && ts_reader_has_table(r->reader, t)) {
            code = send_table(s, r->reader, t, r->amount->facts);
        }
    }
    return code;
}

/* --- one attempt ------------------------------------------------------------------------------ */

/* The server has what was sent, no more and no less. */
static ts_code check_counts(sender *s)
{
    uint64_t there[TS_TABLE_COUNT];
    bool sent[TS_TABLE_COUNT];
    char where[64];
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        sent[t] = s->counts[t] > 0;
    }
    (void)snprintf(where, sizeof where, "load = %" PRIu64, s->load.load);
    TS_TRY(ts_fleet_counts(s->fleet, there, sent, where));
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        if (there[t] != s->counts[t]) {
            return ts_fail(s->ctx, TS_ERR_OUTPUT,
                           "%" PRIu64 " rows of %s were sent and the server has %" PRIu64
                           ": nothing was committed",
                           s->counts[t], ts_schema[t].name, there[t]);
        }
    }
    return TS_OK;
}

static ts_code put_text(ts_ctx *ctx, ts_buf *out, const char *text)
{
    TS_TRY(ts_buf_putc(ctx, out, ','));
    return ts_engine_quote(ctx, out, ts_text_of(text));
}

static ts_code put_time(ts_ctx *ctx, ts_buf *out, bool has, int64_t ns)
{
    return has ? ts_buf_printf(ctx, out, ",%" PRId64, ns) : ts_buf_printf(ctx, out, ",NULL");
}

static ts_code put_labels(ts_ctx *ctx, ts_buf *out, const ts_fleet_labels *l, bool values)
{
    ts_code code = ts_buf_printf(ctx, out, ",[");
    for (size_t i = 0; code == TS_OK && l != NULL && i < l->count; i++) {
        TS_STEP_IF(code, i > 0, ts_buf_putc(ctx, out, ','));
        TS_STEP(code,
                ts_engine_quote(ctx, out, ts_text_of(values ? l->all[i].value : l->all[i].key)));
    }
    TS_STEP(code, ts_buf_putc(ctx, out, ']'));
    return code;
}

/* The values of ts_recording_columns, but for the last, which the server fills in. */
static ts_code put_commit(ts_buf *out, const sender *s, const ts_load_request *r,
                          const ts_recording *facts)
{
    ts_ctx *ctx = s->ctx;
    const char *slash = strrchr(r->path, '/');
    ts_code code = ts_buf_putc(ctx, out, '(');
    TS_STEP(code, ts_engine_quote(ctx, out,
                                  (ts_text){(const char *)r->identity.id, sizeof r->identity.id}));
    TS_STEP(code, ts_buf_printf(ctx, out, ",%" PRIu64 ",%u", s->load.load, (unsigned)facts->day));
    TS_STEP(code, put_text(ctx, out, ctx->version == NULL ? "" : ctx->version));
    TS_STEP(code, ts_buf_printf(ctx, out, ",%d", TS_SCHEMA_VERSION));
    TS_STEP(code, put_text(ctx, out, r->amount->name));
    TS_STEP(code, put_text(ctx, out, r->options));
    TS_STEP(code, put_text(ctx, out, slash == NULL || slash[1] == '\0' ? r->path : slash + 1));
    TS_STEP(code, ts_buf_printf(ctx, out, ",%" PRIu64, r->identity.bytes));
    TS_STEP(code, put_time(ctx, out, facts->has_begin, facts->begin));
    TS_STEP(code, put_time(ctx, out, facts->has_end, facts->end));
    TS_STEP(code, put_text(ctx, out, facts->host));
    TS_STEP(code, put_labels(ctx, out, r->labels, false));
    TS_STEP(code, put_labels(ctx, out, r->labels, true));
    TS_STEP(code, ts_buf_printf(ctx, out, ",%d,%" PRIu64 ",%" PRIu64 ")", facts->complete ? 1 : 0,
                                facts->issues, s->result->rows));
    return code;
}

/* Whether the commit whose answer was lost was taken. */
static ts_code look_for_commit(sender *s)
{
    uint64_t count = 0;
    const ts_error lost = s->ctx->error;
    const long retry_after = s->fleet->retry_after;
    TS_TRY(ts_engine_askf(s->fleet, "SELECT count() FROM recording WHERE load = %" PRIu64,
                          s->load.load));
    TS_TRY(ts_engine_number(&count, s->fleet));
    if (count == 0) {
        s->ctx->error = lost;
        s->fleet->transient = true;
        s->fleet->retry_after = retry_after;
    }
    return count > 0 ? TS_OK : lost.code;
}

static ts_code commit(sender *s, const ts_load_request *r, const ts_recording *facts)
{
    ts_buf sql = {0};
    ts_buf values = {0};
    ts_code code = put_commit(&values, s, r, facts);
    TS_STEP(code, ts_buf_printf(s->ctx, &sql, "INSERT INTO recording ("));
    for (const ts_recording_column *c = ts_recording_columns; code == TS_OK && c[1].name != NULL;
         c++) {
        code = ts_buf_printf(s->ctx, &sql, "%s`%s`", c == ts_recording_columns ? "" : ",", c->name);
    }
    TS_STEP(code, ts_buf_printf(s->ctx, &sql, ") VALUES%c", 0));
    if (code == TS_OK) {
        code = ts_engine_put(s->fleet, sql.p, ts_buf_text(&values), false);
        if (code == TS_ERR_OUTPUT && s->fleet->transient) {
            code = look_for_commit(s);
        }
    }
    ts_buf_free(s->ctx, &sql);
    ts_buf_free(s->ctx, &values);
    return code;
}

static ts_code attempt(sender *s, const ts_load_request *r, const ts_recording *facts)
{
    s->load = (ts_native_load){ts_load_number(), facts->day};
    s->result->load = s->load.load;
    memset(s->counts, 0, sizeof s->counts);
    s->body.n = 0;
    s->body_rows = s->body_bytes = 0;
    (void)deflateReset(&s->zip);
    TS_TRY(send_tables(s, r));
    TS_TRY(check_counts(s));
    TS_TRY(ts_check_cancel(s->ctx));
    return commit(s, r, facts);
}

ts_code ts_fleet_load(ts_fleet *fleet, ts_load_result *result, const ts_load_request *request)
{
    sender s;
    ts_recording facts;
    *result = (ts_load_result){0};
    ts_engine_fresh(fleet);
    fleet->transient = false;
    ts_code code = sender_open(&s, fleet->ctx, fleet, result);
    TS_STEP(code, ts_recording_read(&facts, request->reader));
    TS_STEP(code, ts_cluster_choose(fleet, request->identity.id));
    for (bool again = code == TS_OK; again;) {
        result->attempts++;
        code = attempt(&s, request, &facts);
        again = code == TS_ERR_OUTPUT && fleet->transient;
        if (again) {
            code = ts_engine_wait(fleet);
            again = code == TS_OK;
        }
    }
    fleet->server = &fleet->front;
    sender_close(&s);
    return code;
}

/* --- before ----------------------------------------------------------------------------------- */

static bool covers(ts_text has, const char *wanted)
{
    return ts_text_is(has, "all") || ts_text_is(has, wanted);
}

static bool id_of(uint8_t id[32], ts_text hex)
{
    bool good = hex.n == 64;
    for (size_t i = 0; good && i < 64; i++) {
        const char c = hex.p[i];
        const bool decimal = c >= '0' && c <= '9';
        good = decimal || (c >= 'a' && c <= 'f');
        id[i / 2] = (uint8_t)(id[i / 2] << 4 | (decimal ? c - '0' : c - 'a' + 10));
    }
    return good;
}

static ts_code ask_loaded(ts_fleet *f, const ts_recording_id *identities, size_t n,
                          const char *options)
{
    ts_buf sql = {0};
    char hex[TS_RECORDING_HEX];
    ts_code code = ts_buf_printf(f->ctx, &sql,
                                 "SELECT lower(hex(id)), amount FROM v_recording WHERE "
                                 "schema_version = %d AND options = ",
                                 TS_SCHEMA_VERSION);
    TS_STEP(code, ts_engine_quote(f->ctx, &sql, ts_text_of(options)));
    TS_STEP(code, ts_buf_printf(f->ctx, &sql, " AND lower(hex(id)) IN (''"));
    for (size_t i = 0; code == TS_OK && i < n; i++) {
        ts_recording_hex(hex, identities[i].id);
        code = ts_buf_printf(f->ctx, &sql, ",'%s'", hex);
    }
    TS_STEP(code, ts_buf_putc(f->ctx, &sql, ')'));
    ts_engine_fresh(f);
    TS_STEP(code, ts_engine_ask(f, ts_buf_text(&sql), true));
    ts_buf_free(f->ctx, &sql);
    return code;
}

ts_code ts_fleet_loaded(ts_fleet *fleet, bool *loaded, const ts_recording_id *identities, size_t n,
                        const ts_amount *amount, const char *options)
{
    enum { AT_ONCE = 1000 };
    for (size_t from = 0; from < n; from += AT_ONCE) {
        const size_t count = n - from < AT_ONCE ? n - from : AT_ONCE;
        TS_TRY(ask_loaded(fleet, identities + from, count, options));
        ts_engine_rows rows = ts_engine_rows_of(fleet);
        while (ts_engine_next(&rows)) {
            uint8_t id[32] = {0};
            if (rows.count == 2 && id_of(id, rows.fields[0]) &&
                covers(rows.fields[1], amount->name)) {
                for (size_t i = from; i < from + count; i++) {
                    loaded[i] |= memcmp(id, identities[i].id, sizeof id) == 0;
                }
            }
        }
    }
    return TS_OK;
}

ts_code ts_fleet_dry_run(ts_ctx *ctx, ts_buf *out, ts_load_result *result,
                         const ts_load_request *request)
{
    sender s;
    *result = (ts_load_result){0};
    ts_code code = sender_open(&s, ctx, NULL, result);
    s.load = (ts_native_load){ts_load_number(), 0};
    TS_STEP(code, send_tables(&s, request));
    for (unsigned t = 0; code == TS_OK && t < TS_TABLE_COUNT; t++) {
        if (s.counts[t] > 0) {
            code = ts_buf_printf(ctx, out, "-- %-32s %10" PRIu64 " rows %12" PRIu64 " bytes sent\n",
                                 ts_schema[t].name, s.counts[t], s.sizes[t]);
        }
    }
    sender_close(&s);
    return code;
}

ts_code ts_fleet_statements(ts_ctx *ctx, ts_buf *out, bool plain)
{
    const ts_dialect d = {.codecs = !plain};
    return ts_dialect_script(ctx, out, &d);
}
