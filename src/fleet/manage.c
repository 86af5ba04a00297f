/*
 * What is in a fleet: making its tables, listing, taking out, clearing, checking. What is done to
 * rows is done on each server; lists come from the views of the first, which show what all have.
 */
#include "fleet/load.h"

#include "base/alloc.h"
#include "base/hash.h"
#include "export/columns/native.h"
#include "fleet/cluster.h"
#include "fleet/dialect.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* --- counting --------------------------------------------------------------------------------- */

static ts_code take_counts(ts_fleet *f, uint64_t counts[TS_TABLE_COUNT])
{
    ts_engine_rows rows = ts_engine_rows_of(f);
    while (ts_engine_next(&rows)) {
        uint64_t table;
        uint64_t count;
        if (rows.count != 2 || !ts_engine_field(&table, rows.fields[0]) ||
            !ts_engine_field(&count, rows.fields[1]) || table >= TS_TABLE_COUNT) {
            return ts_fail(f->ctx, TS_ERR_OUTPUT, "the server's counts make no sense");
        }
        counts[table] = count;
    }
    return TS_OK;
}

ts_code ts_fleet_counts(ts_fleet *f, uint64_t counts[TS_TABLE_COUNT],
                        const bool which[TS_TABLE_COUNT], const char *where)
{
    ts_buf sql = {0};
    ts_code code = TS_OK;
    memset(counts, 0, TS_TABLE_COUNT * sizeof *counts);
    for (unsigned t = 0; code == TS_OK && t < TS_TABLE_COUNT; t++) {
        if (which == NULL || which[t]) {
            code = ts_buf_printf(f->ctx, &sql, "%sSELECT %u AS t, count() AS c FROM `%s` WHERE %s",
                                 sql.n == 0 ? "" : " UNION ALL ", t, ts_schema[t].name, where);
        }
    }
    if (code == TS_OK && sql.n > 0) {
        code = ts_engine_ask(f, ts_buf_text(&sql), true);
        TS_STEP(code, take_counts(f, counts));
    }
    ts_buf_free(f->ctx, &sql);
    return code;
}

size_t ts_fleet_servers(const ts_fleet *f)
{
    return f->shard_count;
}

/* Milliseconds since 1970 by the server's clock. */
static ts_code server_now(ts_fleet *f, uint64_t *ms)
{
    uint64_t seconds = 0;
    TS_TRY(ts_engine_askf(f, "SELECT toUInt32(now())"));
    TS_TRY(ts_engine_number(&seconds, f));
    *ms = seconds * 1000;
    return TS_OK;
}

/* --- what is there, and what should be -------------------------------------------------------- */

/* Of one server. A view is known by its columns, which are those that its table had. */
typedef struct layout {
    bool tables[TS_TABLE_COUNT];
    uint64_t columns[TS_TABLE_COUNT];     /* a bit each */
    uint64_t views[TS_DIALECT_VIEWS_MAX]; /* of its own rows: a sum over the columns; 0: missing */
    uint64_t over[TS_DIALECT_VIEWS_MAX];  /* Distributed ones of a cluster */
    bool recording;
    uint64_t differences;
    char first[256]; /* a type that is not ours */
} layout;

static const char *view_prefix(const ts_fleet *f)
{
    return ts_cluster_is(f) ? TS_DIALECT_SHARD_PREFIX : TS_DIALECT_PREFIX;
}

/* Types that hold the same values are the same: tables that an older engine has made. */
static bool same_type(const char *a, const char *b)
{
    char plain[2][TS_DIALECT_TYPE];
    const char *from[2] = {a, b};
    for (int i = 0; i < 2; i++) {
        const char *low = "LowCardinality(";
        const bool is_low = strncmp(from[i], low, strlen(low)) == 0;
        (void)snprintf(plain[i], sizeof plain[i], "%s", from[i] + (is_low ? strlen(low) : 0));
        const size_t n = strlen(plain[i]);
        plain[i][n - (is_low && n > 0 ? 1 : 0)] = '\0';
    }
    return strcmp(plain[0], plain[1]) == 0;
}

static int table_of(const char *name)
{
    int t = 0;
    while (t < (int)TS_TABLE_COUNT && strcmp(ts_schema[t].name, name) != 0) {
        t++;
    }
    return t;
}

static void take_column(layout *l, const ts_dialect *d, int t, const char *name, const char *type)
{
    const ts_table *table = &ts_schema[t];
    char own[TS_DIALECT_TYPE];
    l->tables[t] = true;
    for (unsigned i = 0; i < table->column_count; i++) {
        if (strcmp(ts_native_name(&table->columns[i]), name) == 0) {
            ts_dialect_type(own, d, (enum ts_table_id)t, i);
            l->columns[t] |= UINT64_C(1) << i;
            if (!same_type(own, type) && l->differences++ == 0) {
                (void)snprintf(l->first, sizeof l->first, "%s.%s is %s and should be %s",
                               table->name, name, type, own);
            }
        }
    }
}

/* What one column adds to the sum of its view: order is no part of it. */
static uint64_t column_sum(const ts_fleet *f, ts_text name, ts_text type)
{
    ts_hash h = ts_hash_begin(&f->ctx->hash_key);
    ts_hash_bytes(&h, name.p, name.n);
    ts_hash_bytes(&h, type.p, type.n);
    return ts_hash_end(&h);
}

/* A column of a view with that prefix; false: it is none of those. */
static bool take_view(uint64_t sums[TS_DIALECT_VIEWS_MAX], const ts_fleet *f,
                      const ts_engine_rows *row, const char *prefix)
{
    if (!ts_text_begins(row->fields[0], prefix)) {
        return false;
    }
    const ts_text name = ts_text_from(row->fields[0], strlen(prefix));
    for (size_t v = 0; v < ts_dialect_view_count(); v++) {
        if (ts_text_is(name, ts_dialect_view_name(v))) {
            sums[v] += column_sum(f, row->fields[1], row->fields[2]);
        }
    }
    return true;
}

/* Of f->server. */
static ts_code read_layout(layout *l, ts_fleet *f, bool database)
{
    const ts_dialect d = {.codecs = f->server->codecs};
    char sql[200];
    *l = (layout){0};
    (void)snprintf(sql, sizeof sql,
                   "SELECT table, name, type FROM system.columns WHERE database = '%s'",
                   f->server->address.database);
    TS_TRY(ts_engine_ask(f, ts_text_of(sql), database));
    ts_engine_rows rows = ts_engine_rows_of(f);
    while (ts_engine_next(&rows)) {
        if (rows.count != 3 || take_view(l->views, f, &rows, view_prefix(f)) ||
            take_view(l->over, f, &rows, TS_DIALECT_PREFIX)) {
            continue;
        }
        const int t = table_of(rows.fields[0].p);
        l->recording |= ts_text_is(rows.fields[0], "recording");
        if (t < (int)TS_TABLE_COUNT) {
            take_column(l, &d, t, rows.fields[1].p, rows.fields[2].p);
        }
    }
    return TS_OK;
}

/* --- init ------------------------------------------------------------------------------------- */

static ts_code make_database(ts_fleet *f)
{
    uint64_t there = 0;
    char sql[200];
    const char *database = f->server->address.database;
    (void)snprintf(sql, sizeof sql, "SELECT count() FROM system.databases WHERE name = '%s'",
                   database);
    TS_TRY(ts_engine_ask(f, ts_text_of(sql), false));
    TS_TRY(ts_engine_number(&there, f));
    (void)snprintf(sql, sizeof sql, "CREATE DATABASE IF NOT EXISTS `%s`", database);
    return there > 0 ? TS_OK : ts_engine_ask(f, ts_text_of(sql), false);
}

static ts_code check_newer(ts_fleet *f, const layout *l)
{
    uint64_t version = 0;
    if (!l->recording) {
        return TS_OK;
    }
    TS_TRY(ts_engine_askf(f, "SELECT max(schema_version) FROM recording"));
    TS_TRY(ts_engine_number(&version, f));
    return version <= TS_SCHEMA_VERSION
               ? TS_OK
               : ts_fail(f->ctx, TS_ERR_OUTPUT,
                         "the fleet has recordings of version %" PRIu64
                         " of the schema, newer than this program's %d: use a newer program",
                         version, TS_SCHEMA_VERSION);
}

/* f->server can have the fleet. Nothing is changed yet. */
static ts_code look_before(ts_fleet *f, layout *l, uint64_t keep)
{
    TS_TRY(ts_engine_greet(f));
    if (keep > 0 && !f->server->codecs) {
        return ts_fail(f->ctx, TS_ERR_USAGE,
                       "the engine %s does not delete rows by itself: use fleet forget "
                       "--older-than=%" PRIu64 "d now and then",
                       f->server->version, keep);
    }
    TS_TRY(ts_cluster_fits(f));
    TS_TRY(read_layout(l, f, false));
    if (l->differences > 0) {
        return ts_fail(f->ctx, TS_ERR_OUTPUT,
                       "%sthe tables there are others: %s; choose another database", f->server->who,
                       l->first);
    }
    return check_newer(f, l);
}

static ts_code run_statement(ts_fleet *f, ts_buf *sql)
{
    ts_code code = ts_engine_ask(f, ts_buf_text(sql), true);
    sql->n = 0;
    return code;
}

static ts_code add_columns(ts_fleet *f, ts_buf *sql, unsigned *added, const layout *l, unsigned t)
{
    const ts_dialect d = {.codecs = f->server->codecs};
    for (unsigned i = 0; i < ts_schema[t].column_count; i++) {
        if ((l->columns[t] >> i & 1) == 0) {
            TS_TRY(ts_buf_printf(f->ctx, sql, "ALTER TABLE `%s` ADD COLUMN ", ts_schema[t].name));
            TS_TRY(ts_dialect_column(f->ctx, sql, &d, t, i));
            TS_TRY(run_statement(f, sql));
            (*added)++;
        }
    }
    return TS_OK;
}

/* `old`: one that is there has the columns that its table had. */
static ts_code make_view(ts_fleet *f, ts_buf *sql, const layout *l, size_t v, bool old)
{
    if (old && l->views[v] != 0) {
        TS_TRY(ts_buf_printf(f->ctx, sql, "DROP TABLE IF EXISTS `%s%s`", view_prefix(f),
                             ts_dialect_view_name(v)));
        TS_TRY(run_statement(f, sql));
    } else if (l->views[v] != 0) {
        return TS_OK;
    }
    TS_TRY(ts_dialect_view(f->ctx, sql, view_prefix(f), v));
    return run_statement(f, sql);
}

static ts_code make_table(ts_fleet *f, ts_buf *sql, ts_fleet_made *made, const layout *l,
                          const ts_dialect *d, unsigned t)
{
    const unsigned before = made->columns;
    if (!l->tables[t]) {
        TS_TRY(ts_dialect_table(f->ctx, sql, d, t));
        TS_TRY(run_statement(f, sql));
    } else {
        TS_TRY(add_columns(f, sql, &made->columns, l, t));
    }
    return make_view(f, sql, l, t, made->columns > before);
}

/* On f->server. The view of recordings comes first: by it is known what kind of fleet this is. */
static ts_code make_tables(ts_fleet *f, ts_buf *sql, ts_fleet_made *made, const layout *l,
                           uint64_t keep)
{
    const ts_dialect d = {.codecs = f->server->codecs, .keep = keep};
    TS_TRY(make_database(f));
    TS_TRY(ts_dialect_recording(f->ctx, sql, &d));
    TS_TRY(run_statement(f, sql));
    TS_TRY(make_view(f, sql, l, TS_DIALECT_VIEW_RECORDING, false));
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        TS_TRY(make_table(f, sql, made, l, &d, t));
    }
    for (size_t v = TS_TABLE_COUNT; v < ts_dialect_view_count(); v++) {
        TS_TRY(make_view(f, sql, l, v, false));
    }
    made->servers += l->recording ? 0 : 1;
    return TS_OK;
}

/* The view over all servers, on f->server; one with other columns than the servers' is remade. */
static ts_code make_over(ts_fleet *f, ts_buf *sql, const layout *l, size_t v)
{
    if (l->over[v] == l->views[v]) {
        return TS_OK;
    }
    if (l->over[v] != 0) {
        TS_TRY(ts_buf_printf(f->ctx, sql, "DROP TABLE IF EXISTS `" TS_DIALECT_PREFIX "%s`",
                             ts_dialect_view_name(v)));
        TS_TRY(run_statement(f, sql));
    }
    TS_TRY(ts_dialect_over(f->ctx, sql, f->cluster, f->server->address.database, v));
    return run_statement(f, sql);
}

/* That of recordings comes last: with it the fleet is finished. */
static ts_code make_overs(ts_fleet *f, ts_buf *sql, layout *l)
{
    TS_TRY(read_layout(l, f, true));
    for (size_t v = 0; v < ts_dialect_view_count(); v++) {
        if (v != TS_DIALECT_VIEW_RECORDING) {
            TS_TRY(make_over(f, sql, l, v));
        }
    }
    return make_over(f, sql, l, TS_DIALECT_VIEW_RECORDING);
}

/* Each server is looked at before one is changed, and has its own views before others ask them. */
static ts_code make_servers(ts_fleet *f, ts_buf *sql, layout *layouts, ts_fleet_made *made,
                            uint64_t keep)
{
    for (size_t i = 0; i < f->shard_count; i++) {
        f->server = &f->shards[i];
        TS_TRY(look_before(f, &layouts[i], keep));
    }
    for (size_t i = 0; i < f->shard_count; i++) {
        f->server = &f->shards[i];
        TS_TRY(make_tables(f, sql, made, &layouts[i], keep));
    }
    for (size_t i = 0; ts_cluster_is(f) && i < f->shard_count; i++) {
        f->server = &f->shards[i];
        TS_TRY(make_overs(f, sql, &layouts[i]));
    }
    f->server = &f->front;
    return ts_cluster_is_shard(f);
}

ts_code ts_fleet_init(ts_fleet *f, ts_fleet_made *made, uint64_t keep)
{
    ts_buf sql = {0};
    *made = (ts_fleet_made){0};
    ts_engine_fresh(f);
    layout *layouts = ts_zalloc(f->ctx, f->shard_count, sizeof *layouts);
    TS_NEED(f->ctx, layouts);
    ts_code code = make_servers(f, &sql, layouts, made, keep);
    ts_buf_free(f->ctx, &sql);
    ts_free(f->ctx, layouts);
    return code;
}

/* --- list ------------------------------------------------------------------------------------- */

const char *const ts_fleet_list_names[TS_FLEET_COLUMNS] = {
    "id",     "loaded_at", "day",    "path",   "host",           "bytes",  "rows",
    "amount", "complete",  "issues", "labels", "schema_version", "program"};

ts_code ts_fleet_list(ts_fleet *f,
                      ts_code (*take)(void *user, const ts_text fields[TS_FLEET_COLUMNS]),
                      void *user)
{
    ts_engine_fresh(f);
    TS_TRY(ts_engine_askf(
        f, "SELECT lower(hex(id)), loaded_at, day, path, host, bytes, rows, amount, "
           "complete, issues, arrayStringConcat(arrayMap((k, v) -> concat(k, '=', v), "
           "label.key, label.value), ','), schema_version, program FROM v_recording "
           "ORDER BY load"));
    ts_engine_rows rows = ts_engine_rows_of(f);
    while (ts_engine_next(&rows)) {
        if (rows.count != TS_FLEET_COLUMNS) {
            return ts_fail(f->ctx, TS_ERR_OUTPUT, "the server's rows make no sense");
        }
        TS_TRY(take(user, rows.fields));
    }
    return TS_OK;
}

/* --- deleting --------------------------------------------------------------------------------- */

/* Waits until the engine has deleted what it was told to. */
static ts_code wait_for_mutations(ts_fleet *f)
{
    const uint64_t steps = f->options.timeout_s * 5;
    for (uint64_t i = 0; i < steps; i++) {
        const struct timespec step = {0, 200 * 1000000L};
        uint64_t open = 0;
        TS_TRY(ts_engine_askf(f,
                              "SELECT count() FROM system.mutations WHERE database = '%s' AND "
                              "NOT is_done",
                              f->server->address.database));
        TS_TRY(ts_engine_number(&open, f));
        if (open == 0) {
            return TS_OK;
        }
        TS_TRY(ts_check_cancel(f->ctx));
        (void)nanosleep(&step, NULL);
    }
    return ts_fail(f->ctx, TS_ERR_OUTPUT,
                   "%sthe engine still deletes after %" PRIu64
                   " s: look at system.mutations, and run it again",
                   f->server->who, f->options.timeout_s);
}

/* Deletes such rows from all tables that have some; *rows: how many these were. */
static ts_code delete_rows(ts_fleet *f, uint64_t *rows, const char *where)
{
    uint64_t counts[TS_TABLE_COUNT];
    *rows = 0;
    TS_TRY(ts_fleet_counts(f, counts, NULL, where));
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        if (counts[t] > 0) {
            *rows += counts[t];
            TS_TRY(ts_engine_askf(f, "ALTER TABLE `%s` DELETE WHERE %s", ts_schema[t].name, where));
        }
    }
    return wait_for_mutations(f);
}

ts_code ts_fleet_sweep(ts_fleet *f, uint64_t *rows, uint64_t older_ms)
{
    char where[300];
    uint64_t now = 0;
    *rows = 0;
    ts_engine_fresh(f);
    TS_TRY(ts_cluster_answers(f));
    TS_TRY(server_now(f, &now));
    const uint64_t before = now > older_ms ? now - older_ms : 0;
    (void)snprintf(where, sizeof where,
                   "load NOT IN (SELECT load FROM `%s`.recording) AND load < %" PRIu64,
                   f->front.address.database, before << 23);
    for (size_t i = 0; i < f->shard_count; i++) {
        uint64_t deleted;
        f->server = &f->shards[i];
        TS_TRY(delete_rows(f, &deleted, where));
        *rows += deleted;
    }
    return TS_OK;
}

/* --- forget ----------------------------------------------------------------------------------- */

/* "id = ..." for the only recording whose id begins so. */
static ts_code put_id(ts_fleet *f, ts_buf *where, const char *id)
{
    const size_t n = strlen(id);
    if (n < 8 || n > 64 || strspn(id, "0123456789abcdef") != n) {
        return ts_fail(f->ctx, TS_ERR_USAGE,
                       "\"%s\" is not an id: 8 to 64 digits of what fleet list shows", id);
    }
    TS_TRY(ts_engine_askf(f,
                          "SELECT DISTINCT lower(hex(id)) AS h FROM v_recording WHERE "
                          "substring(h, 1, %zu) = '%s' LIMIT 2",
                          n, id));
    ts_engine_rows rows = ts_engine_rows_of(f);
    if (!ts_engine_next(&rows)) {
        return ts_fail(f->ctx, TS_ERR_USAGE, "no recording has the id %s", id);
    }
    TS_TRY(ts_buf_printf(f->ctx, where, "%s'%.*s'", where->n == 0 ? "" : ",", (int)rows.fields[0].n,
                         rows.fields[0].p));
    return ts_engine_next(&rows)
               ? ts_fail(f->ctx, TS_ERR_USAGE, "several recordings have ids that begin with %s", id)
               : TS_OK;
}

/* The loads of these recordings, "1,2,3" in `loads`. */
static ts_code find_loads(ts_fleet *f, ts_buf *loads, uint64_t *recordings, const char *where)
{
    char last[65] = "";
    TS_TRY(ts_engine_askf(f, "SELECT lower(hex(id)) AS h, load FROM recording WHERE %s ORDER BY h",
                          where));
    ts_engine_rows rows = ts_engine_rows_of(f);
    while (ts_engine_next(&rows)) {
        *recordings += rows.count == 2 && strcmp(last, rows.fields[0].p) != 0 ? 1 : 0;
        (void)snprintf(last, sizeof last, "%s", rows.fields[0].p);
        TS_TRY(ts_buf_printf(f->ctx, loads, "%s%s", loads->n == 0 ? "" : ",", rows.fields[1].p));
    }
    return ts_buf_putc(f->ctx, loads, '\0');
}

static ts_code forget_loads(ts_fleet *f, ts_buf *where, const char *loads)
{
    uint64_t rows;
    where->n = 0;
    TS_TRY(ts_buf_printf(f->ctx, where, "load IN (%s)%c", loads, 0));
    TS_TRY(ts_engine_askf(f, "ALTER TABLE recording DELETE WHERE %s", where->p));
    TS_TRY(wait_for_mutations(f));
    return delete_rows(f, &rows, where->p);
}

/* On each server those that it has. */
static ts_code forget_everywhere(ts_fleet *f, uint64_t *count, const char *where)
{
    ts_buf loads = {0};
    ts_buf sql = {0};
    ts_code code = ts_cluster_answers(f);
    for (size_t i = 0; code == TS_OK && i < f->shard_count; i++) {
        f->server = &f->shards[i];
        loads.n = 0;
        code = find_loads(f, &loads, count, where);
        TS_STEP_IF(code, loads.n > 1, forget_loads(f, &sql, loads.p));
    }
    ts_buf_free(f->ctx, &loads);
    ts_buf_free(f->ctx, &sql);
    return code;
}

ts_code ts_fleet_forget(ts_fleet *f, uint64_t *count, const char *const *ids, size_t n,
                        uint64_t older_ms)
{
    ts_buf list = {0};
    ts_buf where = {0};
    uint64_t now = 0;
    ts_code code = TS_OK;
    *count = 0;
    ts_engine_fresh(f);
    for (size_t i = 0; code == TS_OK && i < n; i++) {
        code = put_id(f, &list, ids[i]);
    }
    TS_STEP_IF(code, n > 0, ts_buf_printf(f->ctx, &where, "h IN (%.*s)%c", (int)list.n, list.p, 0));
    TS_STEP_IF(code, n == 0, server_now(f, &now));
    TS_STEP_IF(code, n == 0,
               ts_buf_printf(f->ctx, &where, "load < %" PRIu64 "%c",
                             (now > older_ms ? now - older_ms : 0) << 23, 0));
    TS_STEP(code, forget_everywhere(f, count, where.p));
    ts_buf_free(f->ctx, &list);
    ts_buf_free(f->ctx, &where);
    return code;
}

/* --- check ------------------------------------------------------------------------------------ */

typedef struct checking {
    uint64_t *differences;
    void (*tell)(void *user, const char *what);
    void *user;
} checking;

static void tell(const checking *c, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void tell(const checking *c, const char *fmt, ...)
{
    char text[512];
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    (*c->differences)++;
    c->tell(c->user, text);
}

static void check_views(const checking *c, const ts_fleet *f, const layout *l)
{
    for (size_t v = 0; v < ts_dialect_view_count(); v++) {
        const char *name = ts_dialect_view_name(v);
        if (l->views[v] == 0) {
            tell(c, "%sthe view %s%s is missing: fleet init makes it", f->server->who,
                 view_prefix(f), name);
        } else if (ts_cluster_is(f) && l->over[v] != l->views[v]) {
            tell(c, "%sthe table " TS_DIALECT_PREFIX "%s %s: fleet init makes it", f->server->who,
                 name, l->over[v] == 0 ? "is missing" : "has other columns than the servers");
        }
    }
}

static void check_layout(const checking *c, const ts_fleet *f, const layout *l)
{
    const char *who = f->server->who;
    if (!l->recording) {
        tell(c, "%sthe table recording is missing: fleet init makes it", who);
    }
    if (l->differences > 0) {
        tell(c, "%s%" PRIu64 " columns have other types: %s", who, l->differences, l->first);
    }
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        const ts_table *table = &ts_schema[t];
        const uint64_t all = (UINT64_C(1) << table->column_count) - 1;
        if (!l->tables[t]) {
            tell(c, "%sthe table %s is missing: fleet init makes it", who, table->name);
        } else if ((l->columns[t] & all) != all) {
            tell(c, "%s%s lacks columns: fleet init adds them", who, table->name);
        }
    }
    check_views(c, f, l);
}

/* Each load of f->server that counts has as many rows as it says. No join: old and new engines want
 * other words. */
static ts_code check_rows(const checking *c, ts_fleet *f)
{
    ts_buf sql = {0};
    ts_code code =
        ts_buf_printf(f->ctx, &sql,
                      "SELECT max(i), sum(want) AS w, sum(there) AS h FROM (SELECT load, "
                      "lower(hex(id)) AS i, toInt64(rows) AS want, toInt64(0) AS there "
                      "FROM `%srecording`",
                      view_prefix(f));
    for (unsigned t = 0; code == TS_OK && t < TS_TABLE_COUNT; t++) {
        code = ts_buf_printf(f->ctx, &sql,
                             " UNION ALL SELECT load, '' AS i, toInt64(0) AS want, "
                             "toInt64(count()) AS there FROM `%s%s` GROUP BY load",
                             view_prefix(f), ts_schema[t].name);
    }
    TS_STEP(code, ts_buf_printf(f->ctx, &sql, ") AS loads GROUP BY load HAVING w != h"));
    TS_STEP(code, ts_engine_ask(f, ts_buf_text(&sql), true));
    if (code == TS_OK) {
        ts_engine_rows rows = ts_engine_rows_of(f);
        while (ts_engine_next(&rows)) {
            tell(c, "%sthe recording %.12s has %s rows and was committed with %s", f->server->who,
                 rows.fields[0].p, rows.count == 3 ? rows.fields[2].p : "?",
                 rows.count == 3 ? rows.fields[1].p : "?");
        }
    }
    ts_buf_free(f->ctx, &sql);
    return code;
}

static ts_code check_server(const checking *c, ts_fleet *f)
{
    layout l;
    uint64_t shards = f->shard_count;
    TS_TRY(ts_engine_greet(f));
    TS_TRY(read_layout(&l, f, true));
    check_layout(c, f, &l);
    if (ts_cluster_is(f)) {
        TS_TRY(ts_cluster_count(f, &shards));
    }
    if (shards != f->shard_count) {
        tell(c, "%sthe cluster %s has %" PRIu64 " shards there and %zu at %s", f->server->who,
             f->cluster, shards, f->shard_count, f->front.address.host);
    }
    return TS_OK;
}

/* How many recordings count, by the servers' own views. */
static ts_code count_recordings(ts_fleet *f, uint64_t *count)
{
    *count = 0;
    for (size_t i = 0; i < f->shard_count; i++) {
        uint64_t own;
        f->server = &f->shards[i];
        TS_TRY(ts_engine_askf(f, "SELECT count() FROM " TS_DIALECT_SHARD_PREFIX "recording"));
        TS_TRY(ts_engine_number(&own, f));
        *count += own;
    }
    return TS_OK;
}

/*
 * Each server shows what all have: one that takes another for itself, or its cluster's servers for
 * others, shows some twice and some not at all. Recordings may come and go meanwhile.
 */
static ts_code check_seen(const checking *c, ts_fleet *f)
{
    uint64_t seen[TS_CLUSTER_SHARDS_MAX] = {0};
    uint64_t before;
    uint64_t after;
    TS_TRY(count_recordings(f, &before));
    for (size_t i = 0; i < f->shard_count; i++) {
        f->server = &f->shards[i];
        TS_TRY(ts_engine_askf(f, "SELECT count() FROM " TS_DIALECT_PREFIX "recording"));
        TS_TRY(ts_engine_number(&seen[i], f));
    }
    TS_TRY(count_recordings(f, &after));
    const uint64_t least = before < after ? before : after;
    const uint64_t most = before < after ? after : before;
    for (size_t i = 0; i < f->shard_count; i++) {
        if (seen[i] < least || seen[i] > most) {
            tell(c, "%sv_recording shows %" PRIu64 " recordings, and all servers have %" PRIu64,
                 f->shards[i].who, seen[i], after);
        }
    }
    return TS_OK;
}

/* No recording is on two servers: it would count twice. */
static ts_code check_homes(const checking *c, ts_fleet *f)
{
    f->server = &f->front;
    TS_TRY(ts_engine_askf(f, "SELECT lower(hex(id)) AS h, count() AS n FROM v_recording GROUP BY h "
                             "HAVING n > 1 ORDER BY h"));
    ts_engine_rows rows = ts_engine_rows_of(f);
    while (ts_engine_next(&rows)) {
        tell(c, "the recording %.12s is on several servers: forget it and load it again",
             rows.fields[0].p);
    }
    return TS_OK;
}

ts_code ts_fleet_check(ts_fleet *f, uint64_t *differences, void (*to)(void *user, const char *what),
                       void *user)
{
    const checking c = {differences, to, user};
    *differences = 0;
    ts_engine_fresh(f);
    for (size_t i = 0; i < f->shard_count; i++) {
        f->server = &f->shards[i];
        TS_TRY(check_server(&c, f));
    }
    for (size_t i = 0; *differences == 0 && i < f->shard_count; i++) {
        f->server = &f->shards[i];
        TS_TRY(check_rows(&c, f));
    }
    if (*differences == 0 && ts_cluster_is(f)) {
        TS_TRY(check_seen(&c, f));
        TS_TRY(check_homes(&c, f));
    }
    return TS_OK;
}
