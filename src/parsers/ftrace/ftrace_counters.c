#include "parsers/ftrace/ftrace_state.h"

#include "base/ckd.h"

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
    bool known = ts >= v->ts && !ts_ckd_sub(&dur, ts, v->ts);
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
        if (ts_vec_add(m->ctx, &c->values, sizeof *v) == NULL) {
            return m->ctx->error.code;
        }
        code = ts_idmap_put(m->ctx, &c->places, filter, place);
    }
    code = code != TS_OK ? code : ts_sink_reserve(m->sink, table, &row, TS_NULL_BIT(measure, dur));
    v = (ftrace_value *)c->values.p + place;
    *v = (ftrace_value){table, (int64_t)ts_sink_rows(m->sink, table), ts};
    return code;
}

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
