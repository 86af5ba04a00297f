/* Records and slots of threads: read when they are asked for, and dropped when there are too many.
 */
#include "base/alloc.h"
#include "base/ckd.h"
#include "serve/flare/flare_data.h"

#include <stdlib.h>

#define NS_PER_MS INT64_C(1000000)

/* --- what is kept --------------------------------------------------------------------------- */

static uint64_t held_by(const fp_thread *t)
{
    return t->records.cap * sizeof(fp_record) + t->slots.cap * sizeof(fp_slot);
}

static void drop(fp_data *data, fp_thread *t)
{
    data->loaded -= held_by(t);
    ts_vec_free(data->ctx, &t->records);
    ts_vec_free(data->ctx, &t->slots);
    t->loaded_records = t->loaded_slots = false;
}

/* Counts what `t` has now, and drops threads that were not asked for the longest; never `t`. */
static void account(fp_data *data, fp_thread *t, uint64_t before)
{
    fp_thread *list = data->threads.p;
    data->loaded += held_by(t) - before;
    t->used = ++data->tick;
    while (data->loaded > data->loaded_max) {
        fp_thread *oldest = NULL;
        for (size_t i = 0; i < data->threads.n; i++) {
            if (&list[i] != t && held_by(&list[i]) > 0 &&
                (oldest == NULL || list[i].used < oldest->used)) {
                oldest = &list[i];
            }
        }
        if (oldest == NULL) {
            return;
        }
        drop(data, oldest);
    }
}

/* --- stack records -------------------------------------------------------------------------- */

/* flare_stack is in the order of stack_sample: the first row whose sample is at least `sample`,
 * by its rowid, looked for by halving. */
static ts_code find_stack_row(int64_t *rowid, fp_data *data, int64_t sample)
{
    sqlite3_stmt *stmt = NULL;
    int64_t low = 1;
    int64_t high = 0;
    bool row = false;
    ts_code code =
        fp_prepare(&stmt, data->ctx, data->db, "SELECT max(rowid) FROM flare_stack", 0, 0, 0);
    if (code == TS_OK && (code = fp_step(&row, data->ctx, stmt)) == TS_OK && row) {
        high = ts_sat_add(sqlite3_column_int64(stmt, 0), 1);
    }
    sqlite3_finalize(stmt);
    stmt = NULL;
    TS_STEP(code,
            fp_prepare(&stmt, data->ctx, data->db,
                       "SELECT sample_id FROM flare_stack WHERE rowid >= ?1 LIMIT 1", 0, 0, 0));
    while (code == TS_OK && low < high) {
        int64_t middle = low + (high - low) / 2;
        sqlite3_reset(stmt);
        sqlite3_bind_int64(stmt, 1, middle);
        code = fp_step(&row, data->ctx, stmt);
        if (code == TS_OK && row && sqlite3_column_int64(stmt, 0) < sample) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    sqlite3_finalize(stmt);
    *rowid = low;
    return code;
}

static int64_t slot_of(const fp_data *data, const fp_thread *t, int64_t first, int64_t time)
{
    int64_t begin = t->has_series ? t->begin : first;
    int64_t unit = t->has_series ? t->unit : data->sample_interval;
    int64_t step = ts_sat_sub(time, begin) / unit;
    return step < 0 ? 0 : step > INT32_MAX ? INT32_MAX : step;
}

/* The number of the node in a column; 0: an empty stack. */
static uint32_t node_number(const fp_data *data, sqlite3_stmt *stmt, int column)
{
    int64_t n;
    return sqlite3_column_type(stmt, column) == SQLITE_NULL ||
                   ts_ckd_sub(&n, sqlite3_column_int64(stmt, column), data->node_base) || n < 0 ||
                   n >= data->node_count
               ? 0
               : (uint32_t)n + 1;
}

/* A row of stack_sample with what flare_stack has of it; a time that is not known is that of the
 * record before. */
static ts_code take_record(fp_data *data, fp_thread *t, sqlite3_stmt *samples, sqlite3_stmt *stacks,
                           bool matched)
{
    const fp_record *list = t->records.p;
    const fp_record *before = t->records.n == 0 ? NULL : &list[t->records.n - 1];
    int64_t first = t->records.n == 0 ? 0 : list[0].time;
    fp_record r = {.node = node_number(data, samples, 2)};
    int64_t step;
    r.time = sqlite3_column_type(samples, 1) != SQLITE_NULL
                 ? sqlite3_column_int64(samples, 1) / NS_PER_MS
             : before != NULL ? before->time
                              : data->record_start_time;
    step = matched && sqlite3_column_type(stacks, 2) != SQLITE_NULL
               ? sqlite3_column_int64(stacks, 2)
               : slot_of(data, t, before == NULL ? r.time : first, r.time);
    r.step = step < 0 ? 0 : step > INT32_MAX ? INT32_MAX : (int32_t)step;
    r.cpu = matched ? sqlite3_column_int64(stacks, 3) : 0;
    if (r.time < INT64_MIN / 4 || r.time > INT64_MAX / 4) {
        r.time = 0;
    }
    return ts_vec_push(data->ctx, &t->records, &r, sizeof r);
}

/* Both tables are in the order of samples: they are read side by side. */
static ts_code merge(fp_data *data, fp_thread *t, sqlite3_stmt *samples, sqlite3_stmt *stacks)
{
    bool row = true;
    bool stack = false;
    ts_code code = fp_step(&stack, data->ctx, stacks);
    while (code == TS_OK && (code = fp_step(&row, data->ctx, samples)) == TS_OK && row) {
        int64_t id = sqlite3_column_int64(samples, 0);
        while (code == TS_OK && stack && sqlite3_column_int64(stacks, 1) < id) {
            code = fp_step(&stack, data->ctx, stacks);
        }
        TS_STEP(code, take_record(data, t, samples, stacks,
                                  stack && sqlite3_column_int64(stacks, 1) == id));
    }
    return code;
}

static ts_code read_records(fp_data *data, fp_thread *t)
{
    sqlite3_stmt *samples = NULL;
    sqlite3_stmt *stacks = NULL;
    int64_t rowid = 0;
    ts_code code = find_stack_row(&rowid, data, t->first_sample);
    TS_STEP(code,
            fp_prepare(&samples, data->ctx, data->db,
                       "SELECT id, ts, node_id FROM stack_sample WHERE id BETWEEN ?1 AND ?2 AND "
                       "+itid = ?3 ORDER BY id",
                       t->first_sample, t->last_sample, t->itid));
    TS_STEP(code, fp_prepare(&stacks, data->ctx, data->db,
                             "SELECT rowid, sample_id, step, cpu_time FROM flare_stack "
                             "WHERE rowid >= ?1 AND sample_id <= ?2 ORDER BY rowid",
                             rowid, t->last_sample, 0));
    TS_STEP(code, merge(data, t, samples, stacks));
    sqlite3_finalize(samples);
    sqlite3_finalize(stacks);
    return code;
}

ts_code fp_data_records(fp_data *data, fp_thread *thread)
{
    uint64_t before = held_by(thread);
    ts_code code = TS_OK;
    if (!thread->loaded_records && thread->first_sample <= thread->last_sample) {
        thread->records.n = 0;
        code = read_records(data, thread);
    }
    thread->loaded_records = code == TS_OK;
    account(data, thread, before);
    return code;
}

/* --- slots ---------------------------------------------------------------------------------- */

static int by_step(const void *a, const void *b)
{
    const fp_slot *x = a;
    const fp_slot *y = b;
    return x->step < y->step ? -1 : x->step > y->step;
}

static ts_code take_slot(bool *sorted, fp_data *data, fp_thread *t, sqlite3_stmt *stmt)
{
    const fp_slot *list = t->slots.p;
    int64_t ms = sqlite3_column_int64(stmt, 0) / NS_PER_MS;
    double us = sqlite3_column_double(stmt, 1);
    int64_t step = ts_sat_sub(ms, t->begin) / t->unit;
    if (sqlite3_column_type(stmt, 0) == SQLITE_NULL || step < 0 || !(us > -1e15 && us < 1e15)) {
        return TS_OK;
    }
    *sorted = *sorted && (t->slots.n == 0 || list[t->slots.n - 1].step < step);
    const fp_slot slot = {.step = step, .us = (int64_t)us};
    return ts_vec_push(data->ctx, &t->slots, &slot, sizeof slot);
}

ts_code fp_data_slots(fp_data *data, fp_thread *thread)
{
    uint64_t before = held_by(thread);
    sqlite3_stmt *stmt = NULL;
    bool row = true;
    bool sorted = true;
    ts_code code = TS_OK;
    if (!thread->loaded_slots && thread->first_value <= thread->last_value) {
        thread->slots.n = 0;
        code = fp_prepare(&stmt, data->ctx, data->db,
                          "SELECT ts, value FROM timeseries_value WHERE rowid BETWEEN ?1 AND ?2 "
                          "AND +series_id = ?3 ORDER BY rowid",
                          thread->first_value, thread->last_value, thread->series_id);
        while (code == TS_OK && (code = fp_step(&row, data->ctx, stmt)) == TS_OK && row) {
            code = take_slot(&sorted, data, thread, stmt);
        }
        sqlite3_finalize(stmt);
    }
    if (code == TS_OK && !sorted) {
        qsort(thread->slots.p, thread->slots.n, sizeof(fp_slot), by_step);
    }
    thread->loaded_slots = code == TS_OK;
    account(data, thread, before);
    return code;
}

/* --- the last record ------------------------------------------------------------------------ */

ts_code fp_data_last(fp_data *data, fp_thread *thread)
{
    sqlite3_stmt *stmt = NULL;
    int64_t rowid = 0;
    int64_t id = thread->last_sample;
    bool row = false;
    ts_code code;
    if (thread->last_known || thread->first_sample > id) {
        return TS_OK;
    }
    code = find_stack_row(&rowid, data, id);
    TS_STEP(code, fp_prepare(&stmt, data->ctx, data->db,
                             "SELECT s.node_id, f.cpu_time_delta FROM stack_sample AS s "
                             "LEFT JOIN flare_stack AS f ON f.rowid = ?2 AND f.sample_id = s.id "
                             "WHERE s.id = ?1",
                             id, rowid, 0));
    if (code == TS_OK && (code = fp_step(&row, data->ctx, stmt)) == TS_OK && row) {
        thread->last_node = node_number(data, stmt, 0);
        thread->last_delta = sqlite3_column_int64(stmt, 1);
        thread->last_known = true;
    }
    sqlite3_finalize(stmt);
    return code;
}
