#include "session/diff/diff_rows.h"

#include "base/alloc.h"
#include "base/sort.h"
#include "base/sorter.h"

enum { SORT_MEMORY = 16 << 20 };

/* A value of a run; slot: number of the key times that of values, and the value. */
typedef struct run_value {
    uint64_t slot;
    uint64_t type; /* ts_cell_type */
    uint64_t bits; /* of the integer or the real */
} run_value;

struct diff_baseline {
    ts_ctx *ctx;
    diff_table *table;
    ts_sorter *sorter; /* NULL: no run has a row */
    uint64_t runs;
    uint64_t having[DIFF_VALUES]; /* runs that have recorded the value */
    ts_vec totals;                /* diff_cell: value_count of each run */
    ts_vec found;                 /* diff_cell: of the slot that is read, in order */
    uint64_t slot;
    uint64_t unknown; /* runs that have the row, and not this value */
};

ts_code diff_baseline_open(diff_baseline **out, ts_ctx *ctx, diff_table *table)
{
    TS_NEED(ctx, *out = ts_zalloc(ctx, 1, sizeof **out));
    **out = (diff_baseline){.ctx = ctx, .table = table};
    return TS_OK;
}

void diff_baseline_free(diff_baseline *b)
{
    if (b != NULL) {
        ts_sorter_close(b->sorter);
        ts_vec_free(b->ctx, &b->totals);
        ts_vec_free(b->ctx, &b->found);
        ts_free(b->ctx, b);
    }
}

/* --- runs ---------------------------------------------------------------------------------- */

static diff_cell cell_of(const run_value *value)
{
    diff_cell cell = {.type = (ts_cell_type)value->type};
    memcpy(&cell.u, &value->bits, sizeof cell.u);
    return cell;
}

static int compare_values(const void *user, const void *a, const void *b)
{
    const run_value *x = a;
    const run_value *y = b;
    (void)user;
    return x->slot != y->slot ? (x->slot > y->slot) - (x->slot < y->slot)
                              : diff_compare(cell_of(x), cell_of(y));
}

static ts_code put_value(diff_baseline *b, uint64_t slot, diff_cell cell)
{
    static const ts_sorter_order order = {.compare = compare_values};
    const uint64_t limit = b->ctx->limits.max_memory;
    const size_t memory = limit != 0 && limit / 8 < SORT_MEMORY ? (size_t)(limit / 8) : SORT_MEMORY;
    run_value value = {.slot = slot, .type = (uint64_t)cell.type};
    memcpy(&value.bits, &cell.u, sizeof value.bits);
    return ts_sorter_put(&b->sorter, b->ctx, &value, sizeof value, &order, memory);
}

static bool run_has(const diff_result *of, unsigned value)
{
    return of->shape->values[value].kind != DIFF_ONCE && diff_result_has(of, value);
}

static ts_code add_row(diff_baseline *b, const diff_table *run, const diff_result *of, uint32_t id)
{
    const unsigned n = b->table->shape->value_count;
    ts_text keys[DIFF_KEYS];
    diff_row row;
    bool in[2];
    uint32_t mine;
    diff_table_row(&row, in, run, id);
    diff_result_complete(of, &row, in);
    if (!in[1]) {
        return TS_OK;
    }
    for (unsigned i = 0; i < b->table->shape->key_count; i++) {
        keys[i] = diff_table_text(run, id, i);
    }
    TS_TRY(diff_table_key(&mine, b->table, keys));
    diff_table_in(b->table, mine, 0);
    for (unsigned v = 0; v < n; v++) {
        if (run_has(of, v)) {
            TS_TRY(put_value(b, (uint64_t)mine * n + v, row.cells[2 * (size_t)v + 1]));
        }
    }
    return TS_OK;
}

ts_code diff_baseline_add(diff_baseline *b, const diff_table *run, const diff_result *of)
{
    const diff_shape *shape = b->table->shape;
    for (uint32_t id = 0; id < run->pool.count; id++) {
        TS_TRY(add_row(b, run, of, id));
    }
    for (unsigned v = 0; v < shape->value_count; v++) {
        /* A run without rows has seen nothing of any value. */
        const bool has = shape->values[v].kind != DIFF_ONCE && (of->rows[1] == 0 || run_has(of, v));
        diff_cell total = of->totals.cells[2 * (size_t)v + 1];
        total = total.type == TS_CELL_NULL ? diff_int(0) : total;
        total = has && shape->values[v].kind == DIFF_SUM ? total : diff_null();
        b->having[v] += has ? 1 : 0;
        TS_TRY(ts_vec_push(b->ctx, &b->totals, &total, sizeof total));
    }
    b->runs++;
    return TS_OK;
}

/* --- medians ------------------------------------------------------------------------------- */

static int compare_cells(const void *a, const void *b, void *user)
{
    (void)user;
    return diff_compare(*(const diff_cell *)a, *(const diff_cell *)b);
}

/* An integer where it is one. */
static diff_cell middle(diff_cell a, diff_cell b)
{
    const diff_cell sum = diff_add(a, b);
    return sum.type == TS_CELL_INT && sum.u.i % 2 == 0 ? diff_int(sum.u.i / 2)
                                                       : diff_real(diff_number(sum) / 2);
}

/* Of numbers in order; of none both are NULL. */
static void settle(diff_cell *median, diff_cell *noise, const diff_cell *all, size_t n)
{
    *median = n == 0 ? diff_null() : middle(all[(n - 1) / 2], all[n / 2]);
    *noise = n == 0 ? diff_null() : diff_change(all[0], all[n - 1]);
}

/* A value of which a run that lacks the row has 0. */
static bool is_zero_elsewhere(const diff_value *v)
{
    return v->unit == DIFF_SHARE || v->kind <= DIFF_LEVEL;
}

static ts_code end_slot(diff_baseline *b)
{
    diff_table *t = b->table;
    const unsigned n = t->shape->value_count;
    const unsigned v = (unsigned)(b->slot % n);
    const diff_cell zero = t->shape->values[v].unit == DIFF_SHARE ? diff_real(0) : diff_int(0);
    const uint64_t seen = b->found.n + b->unknown;
    if (seen == 0) {
        return TS_OK;
    }
    if (is_zero_elsewhere(&t->shape->values[v]) && seen < b->having[v]) {
        for (uint64_t i = seen; i < b->having[v]; i++) {
            TS_TRY(ts_vec_push(b->ctx, &b->found, &zero, sizeof zero));
        }
        ts_sort(b->found.p, b->found.n, sizeof zero, compare_cells, NULL);
    }
    settle(diff_table_cell(t, (uint32_t)(b->slot / n), v, 0), &t->noise[b->slot], b->found.p,
           b->found.n);
    b->found.n = 0;
    b->unknown = 0;
    return TS_OK;
}

static ts_code take_value(void *user, const void *record)
{
    diff_baseline *b = user;
    const run_value *value = record;
    const diff_cell cell = cell_of(value);
    if (value->slot != b->slot) {
        TS_TRY(end_slot(b));
        b->slot = value->slot;
    }
    if (cell.type == TS_CELL_NULL) {
        b->unknown++;
        return TS_OK;
    }
    return ts_vec_push(b->ctx, &b->found, &cell, sizeof cell);
}

/* What rows have before that no run has. */
static void set_zeros(diff_baseline *b)
{
    diff_table *t = b->table;
    const unsigned n = t->shape->value_count;
    for (uint64_t slot = 0; slot < (uint64_t)t->pool.count * n; slot++) {
        const unsigned v = (unsigned)(slot % n);
        const bool zero = b->having[v] > 0 && is_zero_elsewhere(&t->shape->values[v]);
        const bool share = t->shape->values[v].unit == DIFF_SHARE;
        *diff_table_cell(t, (uint32_t)(slot / n), v, 0) = !zero   ? diff_null()
                                                          : share ? diff_real(0)
                                                                  : diff_int(0);
        t->noise[slot] = diff_change(*diff_table_cell(t, (uint32_t)(slot / n), v, 0),
                                     *diff_table_cell(t, (uint32_t)(slot / n), v, 0));
    }
}

static ts_code settle_totals(diff_baseline *b)
{
    diff_table *t = b->table;
    const unsigned n = t->shape->value_count;
    const diff_cell *totals = b->totals.p;
    for (unsigned v = 0; v < n; v++) {
        b->found.n = 0;
        for (uint64_t run = 0; run < b->runs; run++) {
            const diff_cell *total = &totals[run * n + v];
            if (total->type != TS_CELL_NULL) {
                TS_TRY(ts_vec_push(b->ctx, &b->found, total, sizeof *total));
            }
        }
        if (b->found.n > 1) {
            ts_sort(b->found.p, b->found.n, sizeof *totals, compare_cells, NULL);
        }
        settle(&t->median_totals[v], &t->noise[(size_t)t->pool.count * n + v], b->found.p,
               b->found.n);
    }
    return TS_OK;
}

ts_code diff_baseline_end(diff_baseline *b)
{
    diff_table *t = b->table;
    const size_t keys = (size_t)t->pool.count + 1;
    TS_NEED(b->ctx, t->noise = ts_zalloc(b->ctx, keys * t->shape->value_count, sizeof *t->noise));
    set_zeros(b);
    TS_TRY(ts_sorter_drain(b->sorter, take_value, b));
    TS_TRY(end_slot(b));
    return settle_totals(b);
}

size_t diff_baseline_typical(const diff_baseline *b, unsigned value)
{
    const unsigned n = b->table->shape->value_count;
    const diff_cell *totals = b->totals.p;
    const diff_cell median = b->table->median_totals[value];
    size_t best = 0;
    for (size_t run = 1; run < b->runs; run++) {
        const diff_cell far = diff_change(median, totals[run * n + value]);
        if (diff_compare_size(far, diff_change(median, totals[best * n + value])) < 0) {
            best = run;
        }
    }
    return best;
}
