#include "parsers/ftrace/rows/ftrace_state.h"

#include "base/ckd.h"
#include "tables/store_processes.h"

#include <stdlib.h>

_Static_assert(sizeof(ts_row_measure) == sizeof(ts_row_process_measure) &&
                   offsetof(ts_row_measure, filter_id) ==
                       offsetof(ts_row_process_measure, filter_id) &&
                   (int)TS_C_measure__dur == (int)TS_C_process_measure__dur,
               "tables of values have the same columns");

/* The value that came before ends at ts. */
static ts_code end_value(ftrace_machine *m, const ftrace_value *v, int64_t ts)
{
    int64_t dur = 0;
    bool known = ftrace_lost(m) <= v->begun && ts >= v->ts && !ts_ckd_sub(&dur, ts, v->ts);
    ts_code code = ts_sink_settle(m->sink, v->table, v->row, TS_NULL_BIT(measure, dur), &dur);
    return code != TS_OK || known
               ? code
               : ts_sink_invalidate(m->sink, v->table, v->row, v->row, TS_NULL_BIT(measure, dur));
}

ts_code ftrace_value_put(ftrace_machine *m, enum ts_table_id table, int64_t filter, int64_t ts,
                         int64_t value)
{
    ftrace_counters *c = &m->counters;
    ts_row_measure row = {
        .type = TS_TEXT_LIT("measure"), .ts = ts, .value = value, .filter_id = filter};
    ftrace_value *v;
    uint64_t place;
    ts_code code = TS_OK;
    if (ts_idmap_find(&place, &c->places, filter)) {
        code = end_value(m, (ftrace_value *)c->values.p + place, ts);
    } else {
        place = c->values.n;
        TS_NEED(m->ctx, ts_vec_add(m->ctx, &c->values, sizeof *v));
        code = ts_idmap_put(m->ctx, &c->places, filter, place);
    }
    TS_STEP(code, ts_sink_reserve(m->sink, table, &row, TS_NULL_BIT(measure, dur)));
    v = (ftrace_value *)c->values.p + place;
    *v = (ftrace_value){table, (int64_t)ts_sink_rows(m->sink, table), ts, m->losses.now};
    return code;
}

/* --- events -------------------------------------------------------------------------------- */

static ts_code put_of(ftrace_machine *m, const ftrace_event *event, ts_filter_kind kind,
                      int64_t owner, ts_text name, int64_t value)
{
    enum ts_table_id table = kind == TS_FILTER_PROCESS ? TS_T_process_measure : TS_T_measure;
    int64_t filter = 0;
    ts_code code = ftrace_clean(&name, m);
    TS_STEP(code, ts_filter(&filter, m->store, kind, owner, ftrace_or_empty(name)));
    return code != TS_OK ? code : ftrace_value_put(m, table, filter, event->ts, value);
}

/* A state above 10 says that the CPU is not idle any more. */
static ts_code put_idle(ftrace_machine *m, const ftrace_event *event)
{
    enum { DEEPEST = 10 };
    uint32_t state = (uint32_t)event->number[FTRACE_N_cpu_idle_state];
    int64_t cpu = event->number[FTRACE_N_cpu_idle_cpu_id];
    ts_code code = put_of(m, event, TS_FILTER_CPU, cpu, TS_TEXT_LIT("cpu_idle"),
                          state > DEEPEST ? 0 : (int64_t)state + 1);
    if (code != TS_OK || (m->compat /* QT-4 */ && event->reader == FTRACE_FROM_TEXT)) {
        return code;
    }
    return ftrace_raw_put(m, event, TS_TEXT_LIT("cpu_idle"), cpu, 0);
}

static ts_code put_limits(ftrace_machine *m, const ftrace_event *event)
{
    const int64_t *n = event->number;
    int64_t cpu = n[FTRACE_N_cpu_frequency_limits_cpu_id];
    TS_TRY(put_of(m, event, TS_FILTER_CPU, cpu, TS_TEXT_LIT("cpu_frequency_limits_max"),
                  n[FTRACE_N_cpu_frequency_limits_max_freq]));
    return put_of(m, event, TS_FILTER_CPU, cpu, TS_TEXT_LIT("cpu_frequency_limits_min"),
                  n[FTRACE_N_cpu_frequency_limits_min_freq]);
}

static ts_code put_clock(ftrace_machine *m, const ftrace_event *event, ts_filter_kind kind)
{
    bool first =
        m->compat /* QT-5 */ && event->reader == FTRACE_FROM_TEXT && kind == TS_FILTER_CLOCK_RATE;
    return put_of(m, event, kind, first ? 0 : event->number[FTRACE_N_clock_enable_cpu_id],
                  event->text[FTRACE_T_clock_enable_name],
                  event->number[FTRACE_N_clock_enable_state]);
}

FTRACE_SAME(N, clock_enable, clock_disable, cpu_id);
FTRACE_SAME(N, clock_enable, clock_set_rate, cpu_id);
FTRACE_SAME(N, clock_enable, clock_disable, state);
FTRACE_SAME(N, clock_enable, clock_set_rate, state);
FTRACE_SAME(T, clk_enable, clk_disable, name);
FTRACE_SAME(T, clk_enable, clk_set_rate, name);

static ts_code put_score(ftrace_machine *m, const ftrace_event *event)
{
    const int64_t *n = event->number;
    const int64_t pid = n[FTRACE_N_oom_score_adj_update_pid];
    bool known = !m->compat /* QF-27 */ || ftrace_process_known(&m->threads, pid);
    ftrace_process *process = NULL;
    TS_TRY(known ? ftrace_process_seen(&process, &m->threads, pid, TS_NO_TIME) : TS_OK);
    return put_of(m, event, TS_FILTER_PROCESS, known ? process->ipid : FTRACE_NO_ROW,
                  TS_TEXT_LIT("oom_score_adj"), n[FTRACE_N_oom_score_adj_update_oom_score_adj]);
}

ts_code ftrace_counter_event(ftrace_machine *m, const ftrace_event *event)
{
    const int64_t *n = event->number;
    ts_text clk = event->text[FTRACE_T_clk_enable_name];
    switch ((ftrace_kind)event->kind) {
    case FTRACE_cpu_idle:
        return put_idle(m, event);
    case FTRACE_cpu_frequency:
        return put_of(m, event, TS_FILTER_CPU, n[FTRACE_N_cpu_frequency_cpu_id],
                      TS_TEXT_LIT("cpu_frequency"), n[FTRACE_N_cpu_frequency_state]);
    case FTRACE_cpu_frequency_limits:
        return put_limits(m, event);
    case FTRACE_clock_set_rate:
        return put_clock(m, event, TS_FILTER_CLOCK_RATE);
    case FTRACE_clock_enable:
        return put_clock(m, event, TS_FILTER_CLOCK_ENABLE);
    case FTRACE_clock_disable:
        return put_clock(m, event, TS_FILTER_CLOCK_DISABLE);
    case FTRACE_clk_set_rate:
        return put_of(m, event, TS_FILTER_CLK_RATE, event->cpu, clk, n[FTRACE_N_clk_set_rate_rate]);
    case FTRACE_clk_enable:
        return put_of(m, event, TS_FILTER_CLK_ENABLE, event->cpu, clk, 1);
    case FTRACE_clk_disable:
        return put_of(m, event, TS_FILTER_CLK_DISABLE, event->cpu, clk, 0);
    default:
        return put_score(m, event);
    }
}

/* --- the end ------------------------------------------------------------------------------- */

static int by_row(const void *a, const void *b)
{
    const ftrace_value *x = a;
    const ftrace_value *y = b;
    if (x->table != y->table) {
        return x->table < y->table ? -1 : 1;
    }
    return (x->row > y->row) - (x->row < y->row);
}

ts_code ftrace_counters_finish(ftrace_machine *m)
{
    ts_vec *values = &m->counters.values;
    ts_code code = TS_OK;
    if (values->n > 1) { /* so that neighbours become one range */
        qsort(values->p, values->n, sizeof(ftrace_value), by_row);
    }
    for (size_t i = 0; i < values->n && code == TS_OK; i++) {
        code = end_value(m, (ftrace_value *)values->p + i, INT64_MIN);
    }
    values->n = 0;
    return code;
}

void ftrace_counters_free(ftrace_machine *m)
{
    ts_idmap_free(m->ctx, &m->counters.places);
    ts_vec_free(m->ctx, &m->counters.values);
}
