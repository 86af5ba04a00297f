/* Counters as series of measured values. */
#include "parsers/firefox/firefox.h"

enum { C_TIME, C_DELTAS, C_COUNT, C_NUMBER, C_COLUMNS };

/* A counter that is a level: what was added since the point before is recorded. */
static bool is_level(const fox *f, const fox_counter *c)
{
    const ts_text graph = fox_text(f, c->graph);
    return graph.p != NULL ? ts_text_is(graph, "line-accumulated")
                           : ts_text_is(fox_text(f, c->category), "Memory");
}

static ts_text unit_of(const fox *f, const fox_counter *c)
{
    const ts_text unit = fox_text(f, c->unit);
    if (fox_is_own(f)) { /* the export has no other place for it */
        const ts_text own = fox_text(f, c->description);
        return own.n > 0 ? own : TS_TEXT_NULL;
    }
    if (unit.n > 0) {
        return unit;
    }
    return ts_text_is(fox_text(f, c->category), "Memory")  ? TS_TEXT_LIT("bytes")
           : ts_text_is(fox_text(f, c->category), "power") ? TS_TEXT_LIT("pWh")
                                                           : TS_TEXT_NULL;
}

/* The process of the thread that shows it, or that has its number. */
static int64_t process_of(const fox *f, const fox_counter *c)
{
    const fox_thread *threads = f->threads.p;
    const fox_process *p = (const fox_process *)f->processes.p + c->process;
    if (c->thread >= 0 && (uint64_t)c->thread < f->threads.n && threads[c->thread].ipid >= 0) {
        return threads[c->thread].ipid;
    }
    return p->ipid;
}

/* "Memory.malloc"; those of this program are called as they were. suffix: "" or ".number". */
static ts_code put_series(int64_t *id, fox *f, const fox_counter *c, const char *suffix)
{
    const ts_text category = fox_text(f, c->category);
    const ts_text name = fox_text(f, c->name);
    const int64_t ipid = process_of(f, c);
    ts_row_timeseries row = {
        .id = (int64_t)ts_sink_rows(f->sink, TS_T_timeseries) + 1,
        .source_id = f->source_id,
        .unit = suffix[0] == '\0' ? unit_of(f, c) : TS_TEXT_LIT("count"),
    };
    ts_row_firefox_counter more = {
        .series_id = row.id,
        .ipid = ipid,
        .category = category,
        .name = name,
        .description = fox_text(f, c->description),
    };
    f->scratch.n = 0;
    if (category.n > 0 && !fox_is_own(f)) {
        TS_TRY(ts_buf_put(f->ctx, &f->scratch, category.p, category.n));
        TS_TRY(ts_buf_putc(f->ctx, &f->scratch, '.'));
    }
    TS_TRY(ts_buf_put(f->ctx, &f->scratch, name.p, name.n));
    TS_TRY(ts_buf_put(f->ctx, &f->scratch, suffix, strlen(suffix)));
    row.name = ts_buf_text(&f->scratch);
    *id = row.id;
    TS_SET_NULL(timeseries, &row, itid);
    TS_SET_NULL(timeseries, &row, interval);
    TS_NULL_IF(ipid < 0, firefox_counter, &more, ipid);
    TS_TRY(ts_put_timeseries(f->sink, &row));
    return ts_put_firefox_counter(f->sink, &more);
}

static ts_code put_point(fox *f, int64_t series, int64_t ts, const fox_cell *c, double value)
{
    ts_row_timeseries_value row = {.series_id = series, .ts = ts, .value = value};
    const bool known = fox_is_number(c);
    f->n.points++;
    f->n.points_lost += ts == TS_NO_TIME || !known ? 1 : 0;
    f->n.bad_values += ts == TS_NO_TIME || !known ? 1 : 0;
    TS_NULL_IF(ts == TS_NO_TIME, timeseries_value, &row, ts);
    TS_NULL_IF(!known, timeseries_value, &row, value);
    fox_note_time(f, ts);
    return ts_put_timeseries_value(f->sink, &row);
}

/* One of the columns. accumulated: a level, whose first number says nothing. */
static ts_code put_points(fox *f, const fox_counter *c, const fox_table *t, unsigned column,
                          bool level)
{
    static const fox_column_id columns[C_COLUMNS] = {FOX_C_TIME, FOX_C_TIME_DELTAS, FOX_C_COUNT,
                                                     FOX_C_NUMBER};
    const fox_thread at = {.process = c->process};
    fox_rows *r = NULL;
    fox_time when = 0, v;
    int64_t series = 0;
    double sum = 0;
    ts_code code = fox_rows_open(&r, f, t, columns, C_COLUMNS);
    const bool wanted = code == TS_OK && fox_rows_has(r, column);
    const bool deltas = wanted && !fox_rows_has(r, C_TIME) && fox_rows_has(r, C_DELTAS);
    TS_STEP_IF(code, wanted, put_series(&series, f, c, column == C_NUMBER ? ".number" : ""));
    for (bool first = !fox_is_own(f); wanted && fox_rows_next(&code, r); first = false) {
        const fox_cell *value = fox_rows_cell(r, column);
        const fox_cell *time = fox_rows_cell(r, deltas ? C_DELTAS : C_TIME);
        fox_cell now = *time;
        if (deltas) {
            now.tag = fox_cell_time(&v, time) ? FOX_DECIMAL : FOX_NULL;
            when += v;
            now.i = (int64_t)(when / FOX_MS);
            now.part = (int64_t)(when % FOX_MS);
        }
        sum = !level ? value->d : sum + (first ? 0 : value->d);
        code = put_point(f, series, fox_at(f, &at, &now), value, sum);
    }
    fox_rows_free(r);
    return code;
}

static ts_code write_counter(fox *f, const fox_counter *c)
{
    const fox_table *all = f->tables.p;
    uint64_t missing;
    for (size_t i = c->tables.first; i < c->tables.first + c->tables.count; i++) {
        (void)fox_table_rows(&missing, f, &all[i]);
        f->n.points_lost += missing;
        f->n.points += missing;
        TS_TRY(put_points(f, c, &all[i], C_COUNT, is_level(f, c)));
        TS_TRY(put_points(f, c, &all[i], C_NUMBER, false));
    }
    return TS_OK;
}

ts_code fox_counters(fox *f)
{
    for (size_t i = 0; i < f->counters.n; i++) {
        const fox_counter *c = (const fox_counter *)f->counters.p + i;
        if (c->complete) {
            TS_TRY(write_counter(f, c));
        } else {
            f->n.counters_lost++;
        }
    }
    return TS_OK;
}
