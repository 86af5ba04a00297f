/* What is in a fleet: making its tables, listing, taking out, clearing, checking. */
#include "fleet/load.h"

#include "export/columns/native.h"
#include "fleet/dialect.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

/* --- counting --------------------------------------------------------------------------------- */

/* Digits and nothing else; fields end with a zero byte. */
static bool field_number(uint64_t *out, ts_text field)
{
    char *end;
    *out = strtoull(field.p, &end, 10);
    return field.n > 0 && field.p[0] >= '0' && field.p[0] <= '9' && *end == '\0';
}

static ts_code take_counts(ts_fleet *f, uint64_t counts[TS_TABLE_COUNT])
{
    ts_engine_rows rows = ts_engine_rows_of(f);
    while (ts_engine_next(&rows)) {
        uint64_t table;
        uint64_t count;
        if (rows.count != 2 || !field_number(&table, rows.fields[0]) ||
            !field_number(&count, rows.fields[1]) || table >= TS_TABLE_COUNT) {
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

typedef struct layout {
    bool tables[TS_TABLE_COUNT];
    bool views[TS_TABLE_COUNT];
    uint64_t columns[TS_TABLE_COUNT]; /* a bit each */
    bool recording, v_recording;
    uint64_t differences;
    char first[256]; /* a type that is not ours */
} layout;

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

static ts_code read_layout(layout *l, ts_fleet *f)
{
    const ts_dialect d = {.codecs = f->codecs};
    *l = (layout){0};
    TS_TRY(ts_engine_askf(f, "SELECT table, name, type FROM system.columns WHERE database = '%s'",
                          f->address.database));
    ts_engine_rows rows = ts_engine_rows_of(f);
    while (ts_engine_next(&rows)) {
        const char *table = rows.fields[0].p;
        const bool view = rows.fields[0].n > 2 && table[0] == 'v' && table[1] == '_';
        const int t = table_of(view ? table + 2 : table);
        l->recording |= strcmp(table, "recording") == 0;
        l->v_recording |= strcmp(table, "v_recording") == 0;
        if (rows.count == 3 && t < (int)TS_TABLE_COUNT && view) {
            l->views[t] = true;
        } else if (rows.count == 3 && t < (int)TS_TABLE_COUNT) {
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
    (void)snprintf(sql, sizeof sql, "SELECT count() FROM system.databases WHERE name = '%s'",
                   f->address.database);
    TS_TRY(ts_engine_ask(f, ts_text_of(sql), false));
    TS_TRY(ts_engine_number(&there, f));
    (void)snprintf(sql, sizeof sql, "CREATE DATABASE IF NOT EXISTS `%s`", f->address.database);
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

static ts_code run_statement(ts_fleet *f, ts_buf *sql)
{
    ts_code code = ts_engine_ask(f, ts_buf_text(sql), true);
    sql->n = 0;
    return code;
}

static ts_code add_columns(ts_fleet *f, ts_buf *sql, unsigned *added, const layout *l, unsigned t)
{
    const ts_dialect d = {.codecs = f->codecs};
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
    if (made->columns > before && l->views[t]) { /* it has the columns that the table had */
        TS_TRY(ts_buf_printf(f->ctx, sql, "DROP TABLE IF EXISTS `v_%s`", ts_schema[t].name));
        TS_TRY(run_statement(f, sql));
    } else if (l->views[t]) {
        return TS_OK;
    }
    TS_TRY(ts_dialect_view(f->ctx, sql, t));
    return run_statement(f, sql);
}

static ts_code make_tables(ts_fleet *f, ts_buf *sql, ts_fleet_made *made, const layout *l,
                           const ts_dialect *d)
{
    TS_TRY(ts_dialect_recording(f->ctx, sql, d));
    TS_TRY(run_statement(f, sql));
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        TS_TRY(make_table(f, sql, made, l, d, t));
    }
    for (size_t i = 0; i < ts_dialect_view_count; i++) {
        TS_TRY(ts_engine_ask(f, ts_text_of(ts_dialect_views[i].sql), true));
    }
    return TS_OK;
}

ts_code ts_fleet_init(ts_fleet *f, ts_fleet_made *made, uint64_t keep)
{
    layout l;
    ts_buf sql = {0};
    const ts_dialect d = {.codecs = f->codecs, .keep = keep};
    *made = (ts_fleet_made){0};
    ts_engine_fresh(f);
    if (keep > 0 && !f->codecs) {
        return ts_fail(f->ctx, TS_ERR_USAGE,
                       "the engine %s does not delete rows by itself: use fleet forget "
                       "--older-than=%" PRIu64 "d now and then",
                       f->version, keep);
    }
    TS_TRY(make_database(f));
    TS_TRY(read_layout(&l, f));
    if (l.differences > 0) {
        return ts_fail(f->ctx, TS_ERR_OUTPUT,
                       "the tables there are others: %s; choose another database", l.first);
    }
    TS_TRY(check_newer(f, &l));
    made->tables = !l.recording;
    ts_code code = make_tables(f, &sql, made, &l, &d);
    ts_buf_free(f->ctx, &sql);
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
                              f->address.database));
        TS_TRY(ts_engine_number(&open, f));
        if (open == 0) {
            return TS_OK;
        }
        TS_TRY(ts_check_cancel(f->ctx));
        (void)nanosleep(&step, NULL);
    }
    return ts_fail(f->ctx, TS_ERR_OUTPUT,
                   "the engine still deletes after %" PRIu64
                   " s: look at system.mutations, and say "
                   "it again",
                   f->options.timeout_s);
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
    ts_engine_fresh(f);
    TS_TRY(server_now(f, &now));
    const uint64_t before = now > older_ms ? now - older_ms : 0;
    (void)snprintf(where, sizeof where,
                   "load NOT IN (SELECT load FROM `%s`.recording) AND load < %" PRIu64,
                   f->address.database, before << 23);
    return delete_rows(f, rows, where);
}

/* --- forget ----------------------------------------------------------------------------------- */

/* "id = ..." for the only recording whose id begins so. */
static ts_code put_id(ts_fleet *f, ts_buf *where, const char *id)
{
    const size_t n = strlen(id);
    if (n < 8 || n > 64 || strspn(id, "0123456789abcdef") != n) {
        return ts_fail(f->ctx, TS_ERR_USAGE,
                       "\"%s\" is no id: 8 to 64 digits of what fleet list shows", id);
    }
    TS_TRY(ts_engine_askf(f,
                          "SELECT DISTINCT lower(hex(id)) AS h FROM recording WHERE "
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

ts_code ts_fleet_forget(ts_fleet *f, uint64_t *count, const char *const *ids, size_t n,
                        uint64_t older_ms)
{
    ts_buf list = {0};
    ts_buf where = {0};
    ts_buf loads = {0};
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
    TS_STEP(code, find_loads(f, &loads, count, where.p));
    TS_STEP_IF(code, loads.n > 1, forget_loads(f, &where, loads.p));
    ts_buf_free(f->ctx, &list);
    ts_buf_free(f->ctx, &where);
    ts_buf_free(f->ctx, &loads);
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

static void check_layout(const checking *c, const layout *l)
{
    if (!l->recording || !l->v_recording) {
        tell(c, "the table recording or its view is missing: fleet init makes them");
    }
    if (l->differences > 0) {
        tell(c, "%" PRIu64 " columns have other types: %s", l->differences, l->first);
    }
    for (unsigned t = 0; t < TS_TABLE_COUNT; t++) {
        const ts_table *table = &ts_schema[t];
        const uint64_t all = (UINT64_C(1) << table->column_count) - 1;
        if (!l->tables[t] || !l->views[t]) {
            tell(c, "the %s is missing: fleet init makes it",
                 l->tables[t] ? "view of a table" : table->name);
        } else if ((l->columns[t] & all) != all) {
            tell(c, "%s lacks columns: fleet init adds them", table->name);
        }
    }
}

/* Each load that counts has as many rows as it says. No join: old and new engines want other words.
 */
static ts_code check_rows(const checking *c, ts_fleet *f)
{
    ts_buf sql = {0};
    ts_code code =
        ts_buf_printf(f->ctx, &sql,
                      "SELECT max(i), sum(want) AS w, sum(there) AS h FROM (SELECT load, "
                      "lower(hex(id)) AS i, toInt64(rows) AS want, toInt64(0) AS there "
                      "FROM v_recording");
    for (unsigned t = 0; code == TS_OK && t < TS_TABLE_COUNT; t++) {
        code = ts_buf_printf(f->ctx, &sql,
                             " UNION ALL SELECT load, '' AS i, toInt64(0) AS want, "
                             "toInt64(count()) AS there FROM `v_%s` GROUP BY load",
                             ts_schema[t].name);
    }
    TS_STEP(code, ts_buf_printf(f->ctx, &sql, ") AS loads GROUP BY load HAVING w != h"));
    TS_STEP(code, ts_engine_ask(f, ts_buf_text(&sql), true));
    if (code == TS_OK) {
        ts_engine_rows rows = ts_engine_rows_of(f);
        while (ts_engine_next(&rows)) {
            tell(c, "the recording %.12s has %s rows and was committed with %s", rows.fields[0].p,
                 rows.count == 3 ? rows.fields[2].p : "?",
                 rows.count == 3 ? rows.fields[1].p : "?");
        }
    }
    ts_buf_free(f->ctx, &sql);
    return code;
}

ts_code ts_fleet_check(ts_fleet *f, uint64_t *differences, void (*to)(void *user, const char *what),
                       void *user)
{
    layout l;
    const checking c = {differences, to, user};
    *differences = 0;
    ts_engine_fresh(f);
    TS_TRY(read_layout(&l, f));
    check_layout(&c, &l);
    return *differences == 0 ? check_rows(&c, f) : TS_OK;
}
