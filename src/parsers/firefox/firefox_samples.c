/* Samples and allocations of a thread as rows of stack_sample. */
#include "parsers/firefox/firefox.h"

#include <inttypes.h>
#include <math.h>

enum { NS_PER_US = 1000, NS_PER_MS = 1000000 };

/* Kinds of values. */
enum { K_SAMPLES, K_CPU_TIME, K_CYCLES, K_BYTES, K_ALLOC, K_FREE };

static const struct {
    const char *name, *unit;
} kinds[] = {
    [K_SAMPLES] = {"wall-samples", "count"}, [K_CPU_TIME] = {"cpu-time", "ns"},
    [K_CYCLES] = {"cpu-cycles", "cycles"},   [K_BYTES] = {"bytes", "bytes"},
    [K_ALLOC] = {"alloc_space", "bytes"},    [K_FREE] = {"free_space", "bytes"},
};

/* --- times -------------------------------------------------------------------------------------
 */

fox_number fox_start(const fox *f, size_t process)
{
    const fox_process *p = f->processes.p;
    return process < f->processes.n ? p[process].start : (fox_number){false, 0};
}

void fox_note_time(fox *f, int64_t ts)
{
    if (ts != TS_NO_TIME) {
        ts_range_note(f->store, f->clock, TS_RANGE_ROWS, ts);
    }
}

/* A time of the process in ns. */
static int64_t at_time(fox *f, size_t process, fox_time v)
{
    const int64_t ts = fox_ns(fox_start(f, process).v + v);
    f->n.overflows += ts == TS_NO_TIME ? 1 : 0;
    return ts;
}

int64_t fox_at(fox *f, const fox_thread *t, const fox_cell *time)
{
    fox_time v;
    if (!fox_cell_time(&v, time)) {
        f->n.bad_times += time->tag == FOX_NULL ? 0 : 1;
        return TS_NO_TIME;
    }
    return at_time(f, t->process, v);
}

/* --- values ------------------------------------------------------------------------------------
 */

static ts_code put_value(fox *f, unsigned kind, int64_t sample, int64_t value)
{
    ts_row_stack_sample_value row = {.sample_id = sample, .value = value};
    if (f->kinds[kind].id == 0) {
        TS_TRY(ts_profile_type_add(&f->kinds[kind], f->store, f->source_id, f->profile_row,
                                   ts_text_of(kinds[kind].name), ts_text_of(kinds[kind].unit),
                                   TS_TEXT_NULL));
    }
    row.value_type_id = f->kinds[kind].id;
    f->n.values++;
    return ts_put_stack_sample_value(f->sink, &row);
}

/* A number, times `scale`, to the nearest whole one. */
static bool whole(int64_t *v, fox *f, const fox_cell *c, int64_t scale)
{
    fox_time x;
    if (!fox_cell_time(&x, c) || ts_ckd_mul(&x, x, (fox_time)scale)) {
        f->n.bad_values += c->tag == FOX_NULL ? 0 : 1;
        return false;
    }
    x = (x < 0 ? x - FOX_MS / 2 : x + FOX_MS / 2) / FOX_MS;
    if (x > INT64_MAX || x < -INT64_MAX) {
        f->n.bad_values++;
        return false;
    }
    *v = (int64_t)x;
    return true;
}

/* --- samples -----------------------------------------------------------------------------------
 */

enum { S_STACK, S_TIME, S_DELTAS, S_WEIGHT, S_CPU, S_COLUMNS };

/* A sample that waits for the time of the next one. */
typedef struct waiting {
    bool any;
    bool first; /* its CPU time says nothing */
    int64_t ts;
    fox_cell stack, weight, cpu, offset;
} waiting;

typedef struct sampling {
    fox *f;
    const fox_thread *t;
    fox_weight_type weights;
    bool bytes;     /* times are bytes that were allocated */
    bool doubted;   /* when the profiler paused is not known */
    bool unweighed; /* which weight is whose is not known */
    fox_run pauses;
    size_t pause; /* the next one */
    waiting last;
} sampling;

/* How long a sample lasts that ends at `end`, or in a pause of the profiler before that. */
static int64_t until(sampling *s, int64_t ts, int64_t end)
{
    const fox_pause *all = s->f->pauses.p;
    while (s->pause < s->pauses.count) {
        const fox_pause *p = &all[s->pauses.first + s->pause];
        const int64_t from =
            p->start.known ? fox_ns(fox_start(s->f, s->t->process).v + p->start.v) : TS_NO_TIME;
        if (from != TS_NO_TIME && from >= ts) {
            end = from < end ? from : end;
            break;
        }
        s->pause++;
    }
    return ts_sat_sub(end, ts);
}

/* next: the time of the sample after it; last: there is none. */
static int64_t sample_dur(sampling *s, int64_t next, bool last)
{
    fox *f = s->f;
    const int64_t ts = s->last.ts;
    fox_time v;
    if (s->weights == FOX_W_MS) {
        if (s->unweighed) {
            return TS_NO_TIME;
        }
        if (s->last.weight.tag == FOX_NULL) {
            return NS_PER_MS;
        }
        const int64_t dur = fox_cell_time(&v, &s->last.weight) ? fox_ns(v) : TS_NO_TIME;
        f->n.bad_values += dur == TS_NO_TIME ? 1 : 0;
        return dur;
    }
    if (s->weights == FOX_W_BYTES || s->bytes || s->doubted || ts == TS_NO_TIME) {
        return TS_NO_TIME;
    }
    if (last) {
        const int64_t interval = f->interval.known ? fox_ns(f->interval.v) : 0;
        return interval > 0 ? until(s, ts, ts_sat_add(ts, interval)) : TS_NO_TIME;
    }
    return next == TS_NO_TIME || next < ts ? TS_NO_TIME : until(s, ts, next);
}

static ts_code put_label(fox *f, int64_t sample, const char *key, ts_text value)
{
    const ts_row_stack_sample_label row = {
        .sample_id = sample, .key = ts_text_of(key), .value = value};
    return ts_put_stack_sample_label(f->sink, &row);
}

static ts_code put_values(sampling *s, int64_t sample)
{
    fox *f = s->f;
    const ts_text unit = fox_text(f, f->cpu_unit);
    const bool us =
        ts_text_is(unit, "\xC2\xB5s") || ts_text_is(unit, "\xCE\xBCs") || ts_text_is(unit, "us");
    const bool ns = ts_text_is(unit, "ns");
    int64_t v = 1;
    if (s->weights != FOX_W_MS && !s->unweighed &&
        (s->last.weight.tag == FOX_NULL || whole(&v, f, &s->last.weight, 1))) {
        TS_TRY(
            put_value(f, s->weights == FOX_W_BYTES || s->bytes ? K_BYTES : K_SAMPLES, sample, v));
    }
    if (!s->last.first && s->last.cpu.tag != FOX_NULL &&
        whole(&v, f, &s->last.cpu, us ? NS_PER_US : 1)) {
        TS_TRY(put_value(f, us || ns ? K_CPU_TIME : K_CYCLES, sample, v));
    }
    if (s->bytes && whole(&v, f, &s->last.offset, 1)) {
        f->scratch.n = 0;
        TS_TRY(ts_buf_decimal(f->ctx, &f->scratch, v));
        TS_TRY(put_label(f, sample, "offset", ts_buf_text(&f->scratch)));
    }
    return TS_OK;
}

static ts_code put_sample(sampling *s, int64_t next, bool last)
{
    fox *f = s->f;
    int64_t node;
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(f->sink, TS_T_stack_sample) + 1,
        .source_id = f->source_id,
        .itid = s->t->itid,
        .ts = s->last.ts,
        .event = s->weights == FOX_W_BYTES || s->bytes ? TS_TEXT_LIT("alloc") : TS_TEXT_LIT("wall"),
    };
    if (!s->last.any) {
        return TS_OK;
    }
    TS_TRY(fox_node(&node, f, &s->last.stack));
    row.node_id = node;
    row.dur = sample_dur(s, next, last);
    fox_note_time(f, row.ts);
    TS_NULL_IF(row.ts == TS_NO_TIME, stack_sample, &row, ts);
    TS_NULL_IF(row.dur == TS_NO_TIME, stack_sample, &row, dur);
    TS_NULL_IF(node == 0, stack_sample, &row, node_id);
    f->n.samples++;
    TS_TRY(ts_put_stack_sample(f->sink, &row));
    return put_values(s, row.id);
}

static ts_code read_samples(sampling *s, fox_rows *r)
{
    fox *f = s->f;
    const bool deltas = !fox_rows_has(r, S_TIME) && fox_rows_has(r, S_DELTAS);
    fox_time sum = 0;
    ts_code code = TS_OK;
    s->unweighed = fox_rows_lost(r, S_WEIGHT);
    while (fox_rows_next(&code, r)) {
        const fox_cell *time = fox_rows_cell(r, deltas ? S_DELTAS : S_TIME);
        waiting now = {
            .any = true,
            .first = !s->last.any,
            .ts = TS_NO_TIME,
            .stack = *fox_rows_cell(r, S_STACK),
            .weight = *fox_rows_cell(r, S_WEIGHT),
            .cpu = *fox_rows_cell(r, S_CPU),
            .offset = *time,
        };
        fox_time v;
        if (!s->bytes && deltas) {
            f->n.bad_times += fox_cell_time(&v, time) ? 0 : 1;
            sum += v;
            now.ts = at_time(f, s->t->process, sum);
        } else if (!s->bytes) {
            now.ts = fox_at(f, s->t, time);
        }
        code = put_sample(s, now.ts, false);
        s->last = now;
    }
    TS_STEP(code, put_sample(s, TS_NO_TIME, true));
    return code;
}

ts_code fox_samples(fox *f, const fox_thread *t)
{
    static const fox_column_id columns[S_COLUMNS] = {FOX_C_STACK, FOX_C_TIME, FOX_C_TIME_DELTAS,
                                                     FOX_C_WEIGHT, FOX_C_CPU_DELTA};
    const fox_table *table = fox_table_of(f, t->tables, FOX_T_SAMPLES);
    const fox_process *process = (const fox_process *)f->processes.p + t->process;
    sampling s = {
        .f = f,
        .t = t,
        .bytes = ts_text_is(fox_text(f, f->time_unit), "bytes"),
        .doubted = !t->has_pauses && !process->has_pauses && !process->complete,
        .pauses = t->pauses.count > 0 ? t->pauses : process->pauses,
    };
    fox_rows *r = NULL;
    uint64_t missing;
    ts_code code;
    if (table == NULL) {
        return TS_OK;
    }
    s.weights = (fox_weight_type)table->weight_type;
    (void)fox_table_rows(&missing, f, table);
    f->n.samples_lost += missing;
    code = fox_rows_open(&r, f, table, columns, S_COLUMNS);
    if (code == TS_OK) {
        fox_rows_need(r, S_STACK, S_STACK);
        fox_rows_need(r, S_TIME, S_DELTAS);
    }
    TS_STEP(code, read_samples(&s, r));
    fox_rows_free(r);
    return code;
}

/* --- allocations -------------------------------------------------------------------------------
 */

enum { A_TIME, A_WEIGHT, A_STACK, A_CLASS, A_TYPE, A_ADDRESS, A_COLUMNS };

static ts_code allocation_labels(fox *f, const fox_rows *r, int64_t sample)
{
    static const struct {
        unsigned column;
        const char *key;
    } labels[] = {{A_CLASS, "className"}, {A_TYPE, "typeName"}};
    const fox_cell *address = fox_rows_cell(r, A_ADDRESS);
    ts_text text;
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        TS_TRY(fox_string_at(&text, f, fox_rows_cell(r, labels[i].column)));
        if (text.p != NULL) {
            TS_TRY(put_label(f, sample, labels[i].key, text));
        }
    }
    if (address->tag != FOX_INT) {
        return TS_OK;
    }
    f->scratch.n = 0;
    TS_TRY(ts_buf_printf(f->ctx, &f->scratch, "0x%" PRIx64, (uint64_t)address->i));
    return put_label(f, sample, "memoryAddress", ts_buf_text(&f->scratch));
}

static ts_code put_allocation(fox *f, const fox_thread *t, const fox_rows *r)
{
    int64_t node, v;
    const bool known = whole(&v, f, fox_rows_cell(r, A_WEIGHT), 1);
    const bool freed = known && v < 0;
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(f->sink, TS_T_stack_sample) + 1,
        .source_id = f->source_id,
        .itid = t->itid,
        .ts = fox_at(f, t, fox_rows_cell(r, A_TIME)),
        .event = freed ? TS_TEXT_LIT("free") : TS_TEXT_LIT("alloc"),
    };
    TS_TRY(fox_node(&node, f, fox_rows_cell(r, A_STACK)));
    row.node_id = node;
    fox_note_time(f, row.ts);
    TS_SET_NULL(stack_sample, &row, dur);
    TS_NULL_IF(row.ts == TS_NO_TIME, stack_sample, &row, ts);
    TS_NULL_IF(node == 0, stack_sample, &row, node_id);
    f->n.samples++;
    TS_TRY(ts_put_stack_sample(f->sink, &row));
    if (known) {
        TS_TRY(put_value(f, freed ? K_FREE : K_ALLOC, row.id, freed ? -v : v));
    }
    return allocation_labels(f, r, row.id);
}

ts_code fox_allocations(fox *f, const fox_thread *t)
{
    static const fox_column_id columns[A_COLUMNS] = {FOX_C_TIME,      FOX_C_WEIGHT,
                                                     FOX_C_STACK,     FOX_C_CLASS_NAME,
                                                     FOX_C_TYPE_NAME, FOX_C_MEMORY_ADDRESS};
    ts_code code = TS_OK;
    for (fox_kind kind = FOX_T_JS_ALLOCATIONS; kind <= FOX_T_NATIVE_ALLOCATIONS; kind++) {
        const fox_table *table = fox_table_of(f, t->tables, kind);
        fox_rows *r = NULL;
        uint64_t missing;
        if (table == NULL) {
            continue;
        }
        (void)fox_table_rows(&missing, f, table);
        f->n.samples_lost += missing;
        code = fox_rows_open(&r, f, table, columns, A_COLUMNS);
        while (fox_rows_next(&code, r)) {
            code = put_allocation(f, t, r);
        }
        fox_rows_free(r);
        TS_TRY(code);
    }
    return code;
}
