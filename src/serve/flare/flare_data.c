/* A sample directory of a database as arrays: what is read when a session is opened. */
#include "serve/flare/flare_data.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "tables/formats/flare/flare_constants.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NS_PER_MS INT64_C(1000000)

/* --- statements ----------------------------------------------------------------------------- */

ts_code fp_prepare(sqlite3_stmt **out, ts_ctx *ctx, sqlite3 *db, const char *sql, int64_t a,
                   int64_t b, int64_t c)
{
    const int64_t values[] = {a, b, c};
    if (sqlite3_prepare_v2(db, sql, -1, out, NULL) != SQLITE_OK) {
        return ts_fail(ctx, TS_ERR_INPUT, "%s", sqlite3_errmsg(db));
    }
    for (int i = 0; i < sqlite3_bind_parameter_count(*out) && i < 3; i++) {
        sqlite3_bind_int64(*out, i + 1, values[i]);
    }
    return TS_OK;
}

ts_code fp_step(bool *row, ts_ctx *ctx, sqlite3_stmt *stmt)
{
    int rc = sqlite3_step(stmt);
    *row = rc == SQLITE_ROW;
    if (rc == SQLITE_ROW || rc == SQLITE_DONE) {
        return TS_OK;
    }
    return ts_fail(ctx, rc == SQLITE_NOMEM ? TS_ERR_NOMEM : TS_ERR_INPUT, "%s",
                   sqlite3_errmsg(sqlite3_db_handle(stmt)));
}

static ts_code copy_text(char **out, ts_ctx *ctx, sqlite3_stmt *stmt, int column)
{
    const unsigned char *text = sqlite3_column_text(stmt, column);
    return ts_copy_text(out, ctx, text == NULL ? "" : (const char *)text,
                        text == NULL ? 0 : (size_t)sqlite3_column_bytes(stmt, column));
}

static bool column_is_null(sqlite3_stmt *stmt, int column)
{
    return sqlite3_column_type(stmt, column) == SQLITE_NULL;
}

/* Calls `take` for each row of a statement, whose ?1 is the source. */
static ts_code each_row(fp_data *data, const char *sql,
                        ts_code (*take)(fp_data *data, sqlite3_stmt *stmt))
{
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    ts_code code = fp_prepare(&stmt, data->ctx, data->db, sql, data->source_id, 0, 0);
    while (code == TS_OK && (code = fp_step(&row, data->ctx, stmt)) == TS_OK && row) {
        code = take(data, stmt);
    }
    sqlite3_finalize(stmt);
    return code;
}

/* --- facts of the directory ----------------------------------------------------------------- */

static ts_code take_times(fp_data *data, sqlite3_stmt *stmt)
{
    data->record_start_time = sqlite3_column_int64(stmt, 0) / NS_PER_MS;
    data->last_record_time = sqlite3_column_int64(stmt, 1) / NS_PER_MS;
    return TS_OK;
}

/* The newest record counts, also when the summary is older; the start is the summary's. */
static ts_code take_property(fp_data *data, sqlite3_stmt *stmt)
{
    const char *key = (const char *)sqlite3_column_text(stmt, 0);
    int64_t value = sqlite3_column_int64(stmt, 1);
    if (key == NULL) {
        return TS_OK;
    }
    if (strcmp(key, "sample_interval") == 0) {
        data->sample_interval = value;
    } else if (strcmp(key, TS_FLARE_SAMPLE_START) == 0) {
        data->sample_start_time = value;
    } else if (strcmp(key, "record_start_time") == 0) {
        data->record_start_time = value;
    } else if (strcmp(key, "last_record_time") == 0) {
        data->last_record_time = value > data->last_record_time ? value : data->last_record_time;
    } else if (strcmp(key, TS_FLARE_AGENT_ADDR) == 0) {
        ts_free(data->ctx, data->agent_addr);
        return copy_text(&data->agent_addr, data->ctx, stmt, 1);
    }
    return TS_OK;
}

static ts_code read_properties(fp_data *data)
{
    ts_code code = each_row(data, "SELECT key, value FROM source_property WHERE source_id = ?1",
                            take_property);
    TS_STEP_IF(code, data->agent_addr == NULL, ts_copy_text(&data->agent_addr, data->ctx, "", 0));
    if (data->sample_interval <= 0 || data->sample_interval > INT32_MAX) {
        data->sample_interval = 20;
    }
    if (data->sample_start_time == 0) {
        data->sample_start_time = data->record_start_time;
    }
    return code;
}

/* --- threads -------------------------------------------------------------------------------- */

static const char threads_sql[] =
    "SELECT t.tid, f.itid, f.sample_count, f.cpu_time, f.sample_ts, d.priority, d.daemon, t.name,"
    " d.state, d.group_name, f.series_id, f.series_ts, s.interval, f.series_end_ts,"
    " f.series_cpu_us"
    " FROM flare_thread AS f LEFT JOIN thread AS t ON t.rowid = f.itid + 1"
    " LEFT JOIN thread_detail AS d ON d.rowid = f.itid + 1"
    " LEFT JOIN timeseries AS s ON s.id = f.series_id"
    " WHERE f.source_id = ?1 AND t.tid IS NOT NULL ORDER BY t.tid, f.itid";

static void take_series(fp_thread *t, sqlite3_stmt *stmt)
{
    int64_t interval = sqlite3_column_int64(stmt, 12);
    t->has_series = !column_is_null(stmt, 10) && !column_is_null(stmt, 11) &&
                    !column_is_null(stmt, 13) && interval >= NS_PER_MS;
    if (!t->has_series) {
        return;
    }
    t->series_id = sqlite3_column_int64(stmt, 10);
    t->series_us = sqlite3_column_int64(stmt, 14);
    t->begin = sqlite3_column_int64(stmt, 11) / NS_PER_MS;
    t->unit = interval / NS_PER_MS;
    t->end = sqlite3_column_int64(stmt, 13) / NS_PER_MS;
    t->end = t->end < t->begin ? t->begin : t->end;
}

static ts_code take_thread(fp_data *data, sqlite3_stmt *stmt)
{
    fp_thread *list = data->threads.p;
    int64_t id = sqlite3_column_int64(stmt, 0);
    fp_thread *t;
    if (data->threads.n > 0 && list[data->threads.n - 1].id == id) {
        return TS_OK; /* a second row of one thread: the first counts */
    }
    TS_NEED(data->ctx, t = ts_vec_add(data->ctx, &data->threads, sizeof *t));
    t->id = id;
    t->itid = sqlite3_column_int64(stmt, 1);
    t->sample_count = column_is_null(stmt, 2) ? -1 : sqlite3_column_int64(stmt, 2);
    t->cpu_time = sqlite3_column_int64(stmt, 3);
    t->sample_time = sqlite3_column_int64(stmt, 4) / NS_PER_MS;
    t->priority = sqlite3_column_int64(stmt, 5);
    t->daemon = sqlite3_column_int64(stmt, 6) != 0;
    t->first_value = t->first_sample = INT64_MAX;
    t->last_value = t->last_sample = INT64_MIN;
    take_series(t, stmt);
    TS_TRY(copy_text(&t->name, data->ctx, stmt, 7));
    TS_TRY(copy_text(&t->state, data->ctx, stmt, 8));
    return copy_text(&t->group, data->ctx, stmt, 9);
}

fp_thread *fp_data_thread(const fp_data *data, int64_t id)
{
    fp_thread *list = data->threads.p;
    size_t low = 0;
    size_t high = data->threads.n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (list[middle].id < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low < data->threads.n && list[low].id == id ? &list[low] : NULL;
}

bool fp_data_listed(const fp_thread *thread)
{
    return thread->sample_count > 0 || (thread->sample_count < 0 && thread->sample_rows > 0);
}

/* --- where the rows of each thread are ------------------------------------------------------ */

static void note_row(fp_thread *t, bool values, int64_t row)
{
    if (values) {
        t->first_value = row < t->first_value ? row : t->first_value;
        t->last_value = row > t->last_value ? row : t->last_value;
        return;
    }
    t->first_sample = row < t->first_sample ? row : t->first_sample;
    t->last_sample = row > t->last_sample ? row : t->last_sample;
    t->sample_rows++;
}

/* From the number that rows have of their thread (series) to the place of the thread. */
static ts_code map_threads(ts_idmap *map, fp_data *data, bool values)
{
    const fp_thread *list = data->threads.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < data->threads.n && code == TS_OK; i++) {
        if (!values || list[i].has_series) {
            code = ts_idmap_put(data->ctx, map, values ? list[i].series_id : list[i].itid, i);
        }
    }
    return code;
}

/* Rows of a thread are together, so a thread is looked up only where the number changes. */
static ts_code scan_rows(fp_data *data, const ts_idmap *map, sqlite3_stmt *stmt, bool values)
{
    fp_thread *thread = NULL;
    int64_t last = 0;
    bool first = true;
    bool row = true;
    ts_code code;
    while ((code = fp_step(&row, data->ctx, stmt)) == TS_OK && row) {
        int64_t key = sqlite3_column_int64(stmt, 1);
        uint64_t place;
        if (first || key != last) {
            thread = ts_idmap_find(&place, map, key) ? (fp_thread *)data->threads.p + place : NULL;
            first = false;
            last = key;
        }
        if (thread != NULL) {
            note_row(thread, values, sqlite3_column_int64(stmt, 0));
        }
    }
    return code;
}

static ts_code read_spans(fp_data *data, bool values)
{
    ts_idmap map = {0};
    sqlite3_stmt *stmt = NULL;
    ts_code code = map_threads(&map, data, values);
    TS_STEP(code, fp_prepare(&stmt, data->ctx, data->db,
                             values ? "SELECT rowid, series_id FROM timeseries_value"
                                    : "SELECT id, itid FROM stack_sample WHERE source_id = ?1",
                             data->source_id, 0, 0));
    TS_STEP(code, scan_rows(data, &map, stmt, values));
    sqlite3_finalize(stmt);
    ts_idmap_free(data->ctx, &map);
    return code;
}

/* --- methods and call paths ----------------------------------------------------------------- */

/* Ids of one source are together in their table: numbers are ids less the first. */
static ts_code read_id_span(int64_t *base, uint32_t *count, fp_data *data, const char *sql)
{
    sqlite3_stmt *stmt = NULL;
    bool row = false;
    int64_t n = 0;
    ts_code code = fp_prepare(&stmt, data->ctx, data->db, sql, data->source_id, 0, 0);
    if (code == TS_OK && (code = fp_step(&row, data->ctx, stmt)) == TS_OK && row &&
        !column_is_null(stmt, 0)) {
        *base = sqlite3_column_int64(stmt, 0);
        if (ts_ckd_sub(&n, sqlite3_column_int64(stmt, 1), *base) || n >= INT32_MAX) {
            code = ts_fail(data->ctx, TS_ERR_INPUT, "ids of one source are too far apart");
        }
        *count = code == TS_OK ? (uint32_t)n + 1 : 0;
    }
    sqlite3_finalize(stmt);
    return code;
}

/* Number of an id, 0 when it is none of the source. */
static uint32_t number_of(int64_t id, int64_t base, uint32_t count)
{
    int64_t n;
    return ts_ckd_sub(&n, id, base) || n < 0 || n >= count ? 0 : (uint32_t)n + 1;
}

/* "class.name()"; a method whose name is only its id has none. */
static ts_code put_label(fp_data *data, fp_method *m, sqlite3_stmt *stmt)
{
    const char *name = (const char *)sqlite3_column_text(stmt, 2);
    const char *type = (const char *)sqlite3_column_text(stmt, 3);
    char decimal[24];
    ts_code code;
    snprintf(decimal, sizeof decimal, "%" PRId64, m->id);
    m->at = data->texts.n;
    m->resolved = name != NULL && *name != '\0' && (type != NULL || strcmp(name, decimal) != 0);
    if (!m->resolved) {
        code = ts_buf_put(data->ctx, &data->texts, decimal, strlen(decimal));
    } else {
        code = type == NULL ? TS_OK : ts_buf_printf(data->ctx, &data->texts, "%s.", type);
        TS_STEP(code, ts_buf_printf(data->ctx, &data->texts, "%s()", name));
    }
    m->n = data->texts.n - m->at;
    return code;
}

static ts_code take_method(fp_data *data, sqlite3_stmt *stmt)
{
    int64_t id = sqlite3_column_int64(stmt, 0);
    uint32_t number = number_of(id, data->method_base, data->method_count);
    int64_t raw = sqlite3_column_int64(stmt, 1);
    fp_method *m;
    if (number == 0) {
        return TS_OK;
    }
    m = &data->methods[number];
    m->present = true;
    m->id = column_is_null(stmt, 1) || raw > FP_JS_SAFE || raw < -FP_JS_SAFE ? -id : raw;
    return put_label(data, m, stmt);
}

static ts_code read_methods(fp_data *data)
{
    TS_TRY(read_id_span(&data->method_base, &data->method_count, data,
                        "SELECT min(id), max(id) FROM stack_method WHERE source_id = ?1"));
    TS_NEED(data->ctx, data->methods = ts_zalloc(data->ctx, (size_t)data->method_count + 1,
                                                 sizeof *data->methods));
    return each_row(data, "SELECT id, raw_id, name, class FROM stack_method WHERE source_id = ?1",
                    take_method);
}

static ts_code take_node(fp_data *data, sqlite3_stmt *stmt)
{
    uint32_t n = number_of(sqlite3_column_int64(stmt, 0), data->node_base, data->node_count);
    uint32_t parent = column_is_null(stmt, 1) ? 0
                                              : number_of(sqlite3_column_int64(stmt, 1),
                                                          data->node_base, data->node_count);
    data->nodes[n].parent = parent < n ? parent : 0;
    data->nodes[n].method =
        number_of(sqlite3_column_int64(stmt, 2), data->method_base, data->method_count);
    return TS_OK;
}

static ts_code read_nodes(fp_data *data)
{
    TS_TRY(read_id_span(&data->node_base, &data->node_count, data,
                        "SELECT min(id), max(id) FROM stack_node WHERE source_id = ?1"));
    TS_NEED(data->ctx,
            data->nodes = ts_zalloc(data->ctx, (size_t)data->node_count + 1, sizeof *data->nodes));
    return each_row(data, "SELECT id, parent_id, method_id FROM stack_node WHERE source_id = ?1",
                    take_node);
}

ts_text fp_data_label(const fp_data *data, uint32_t method)
{
    const fp_method *m = &data->methods[method];
    return method == 0 || !m->present ? TS_TEXT_LIT("") : (ts_text){data->texts.p + m->at, m->n};
}

int64_t fp_data_method_id(const fp_data *data, uint32_t method)
{
    return data->methods[method].id;
}

/* --- opening and closing -------------------------------------------------------------------- */

ts_code fp_data_open(fp_data *data, ts_ctx *ctx, sqlite3 *db, int64_t source_id)
{
    *data = (fp_data){.ctx = ctx, .db = db, .source_id = source_id, .loaded_max = FP_LOADED_MAX};
    TS_TRY(each_row(data, "SELECT start_ts, end_ts FROM source WHERE id = ?1", take_times));
    TS_TRY(read_properties(data));
    TS_TRY(each_row(data, threads_sql, take_thread));
    TS_TRY(read_methods(data));
    TS_TRY(read_nodes(data));
    TS_TRY(read_spans(data, false));
    return read_spans(data, true);
}

void fp_data_close(fp_data *data)
{
    fp_thread *list = data->threads.p;
    if (data->ctx == NULL) {
        return;
    }
    for (size_t i = 0; i < data->threads.n; i++) {
        ts_free(data->ctx, list[i].name);
        ts_free(data->ctx, list[i].state);
        ts_free(data->ctx, list[i].group);
        ts_vec_free(data->ctx, &list[i].records);
        ts_vec_free(data->ctx, &list[i].slots);
    }
    ts_vec_free(data->ctx, &data->threads);
    ts_free(data->ctx, data->nodes);
    ts_free(data->ctx, data->methods);
    ts_free(data->ctx, data->agent_addr);
    ts_buf_free(data->ctx, &data->texts);
    *data = (fp_data){0};
}
