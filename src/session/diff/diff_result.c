#include "base/sort.h"
#include "session/diff/diff_rows.h"

#include <stddef.h>

enum { KEEP_MORE = 4096 };

void diff_result_init(diff_result *r, ts_ctx *ctx, diff_shape *shape)
{
    *r = (diff_result){.ctx = ctx, .shape = shape};
    r->row_size = offsetof(diff_row, cells) + 2 * (size_t)shape->value_count * sizeof(diff_cell);
}

void diff_result_free(diff_result *r)
{
    ts_vec_free(r->ctx, &r->kept);
}

/* --- totals -------------------------------------------------------------------------------- */

void diff_result_count(diff_result *r, const diff_row *row, const bool in[2])
{
    for (unsigned side = 0; side < 2; side++) {
        r->rows[side] += in[side] ? 1 : 0;
        for (unsigned v = 0; v < r->shape->value_count; v++) {
            diff_cell cell = row->cells[2 * v + side];
            if (cell.type != TS_CELL_NULL) {
                r->seen[side][v] = true;
                diff_cell *total = &r->totals.cells[2 * v + side];
                *total = diff_add(*total, cell);
            }
        }
    }
}

bool diff_result_has(const diff_result *r, unsigned value)
{
    const diff_value *v = &r->shape->values[value];
    value = v->unit == DIFF_SHARE ? v->share_of : value;
    bool before = r->seen[0][value];
    bool after = r->seen[1][value];
    if (r->shape->values[value].kind == DIFF_ONCE) {
        return after;
    }
    return (before && after) || (before && r->rows[1] == 0) || (after && r->rows[0] == 0);
}

static diff_cell share(const diff_result *r, const diff_row *row, unsigned of, unsigned side)
{
    double total = diff_number(r->totals.cells[2 * of + side]);
    diff_cell cell = row->cells[2 * of + side];
    if (cell.type == TS_CELL_NULL) {
        return cell;
    }
    return diff_real(total == 0 ? 0 : 100 * diff_number(cell) / total);
}

void diff_result_complete(const diff_result *r, diff_row *row, const bool in[2])
{
    for (unsigned v = 0; v < r->shape->value_count; v++) {
        const diff_value *value = &r->shape->values[v];
        for (unsigned side = 0; side < 2; side++) {
            diff_cell *cell = &row->cells[2 * v + side];
            if (value->unit == DIFF_SHARE && side == 0 && row->noise != NULL) {
                continue; /* the median of the shares */
            }
            if (value->unit == DIFF_SHARE) {
                *cell = share(r, row, value->share_of, side);
            } else if (!in[side] && value->kind <= DIFF_LEVEL && diff_result_has(r, v)) {
                *cell = diff_int(0);
            }
        }
    }
}

/* --- rows ---------------------------------------------------------------------------------- */

static bool is_main_noise(const diff_shape *shape, const diff_row *row)
{
    const diff_cell *cells = &row->cells[2 * (size_t)shape->main];
    return row->noise != NULL && diff_is_noise(cells[0], cells[1], row->noise[shape->main]);
}

/* The largest change of the main value first, those that are noise last, then the larger value. */
static int compare_rows(const void *a, const void *b, void *user)
{
    const diff_shape *shape = user;
    const diff_row *x = a;
    const diff_row *y = b;
    size_t m = 2 * (size_t)shape->main;
    bool once = shape->values[shape->main].kind == DIFF_ONCE;
    int order = once ? 0 : is_main_noise(shape, x) - is_main_noise(shape, y);
    order = once || order != 0 ? order
                               : diff_compare_size(diff_change(y->cells[m], y->cells[m + 1]),
                                                   diff_change(x->cells[m], x->cells[m + 1]));
    order = order != 0 ? order : diff_compare_size(y->cells[m + 1], x->cells[m + 1]);
    order = order != 0 ? order : diff_compare_size(y->cells[m], x->cells[m]);
    return order != 0 ? order : (x->handle > y->handle) - (x->handle < y->handle);
}

static void sort_kept(diff_result *r)
{
    if (r->kept.n > 1) {
        ts_sort(r->kept.p, r->kept.n, r->row_size, compare_rows, r->shape);
    }
}

/* What of a row has changed. */
typedef enum row_change { ROW_SAME, ROW_NOISE, ROW_CHANGED } row_change;

static row_change change_of(const diff_result *r, const diff_row *row)
{
    row_change found = ROW_SAME;
    for (unsigned v = 0; v < r->shape->value_count; v++) {
        diff_cell before = row->cells[2 * (size_t)v];
        diff_cell after = row->cells[2 * (size_t)v + 1];
        if (!diff_result_has(r, v)) {
            continue;
        }
        if (r->shape->values[v].kind == DIFF_ONCE ? diff_number(after) != 0
                                                  : diff_compare(before, after) != 0) {
            found = ROW_NOISE;
            /* With a baseline, values that are added up say whether the row itself came or went. */
            const bool missing = before.type == TS_CELL_NULL || after.type == TS_CELL_NULL;
            if (row->noise == NULL || (!missing && !diff_is_noise(before, after, row->noise[v]))) {
                return ROW_CHANGED;
            }
        }
    }
    return found;
}

static ts_code keep(diff_result *r, const diff_row *row)
{
    TS_TRY(ts_vec_push(r->ctx, &r->kept, row, r->row_size));
    if (r->limit > 0 && r->kept.n >= r->limit && r->kept.n - r->limit >= r->limit + KEEP_MORE) {
        sort_kept(r);
        r->kept.n = (size_t)r->limit;
    }
    return TS_OK;
}

ts_code diff_result_take(diff_result *r, const diff_row *row)
{
    ts_text key = TS_TEXT_NULL;
    ts_code code = TS_OK;
    if (r->condition_count > 0) {
        code = r->keys.text(&key, r->keys.user, row->handle, 0);
    }
    for (size_t i = 0; code == TS_OK && i < r->condition_count; i++) {
        code = diff_condition_row(&r->conditions[i], r->ctx, r->shape, key, row);
    }
    const row_change change = row->alone ? ROW_CHANGED : change_of(r, row);
    r->inside += change == ROW_NOISE ? 1 : 0;
    if (code != TS_OK || change != ROW_CHANGED) {
        return code;
    }
    r->changed++;
    return keep(r, row);
}

ts_code diff_result_end(diff_result *r)
{
    sort_kept(r);
    if (r->limit > 0 && r->kept.n > r->limit) {
        r->kept.n = (size_t)r->limit;
    }
    for (size_t i = 0; i < r->condition_count; i++) {
        diff_condition *c = &r->conditions[i];
        if (!diff_result_has(r, c->value) && (r->rows[0] > 0 || r->rows[1] > 0)) {
            return ts_fail(r->ctx, TS_ERR_USAGE,
                           "--fail-if=\"%s\": %s is not recorded on both sides", c->text,
                           r->shape->values[c->value].name);
        }
        diff_condition_end(c, &r->totals);
    }
    return TS_OK;
}

diff_cell diff_total_noise(const diff_result *r, unsigned value)
{
    return r->totals.noise == NULL ? diff_null() : r->totals.noise[value];
}

size_t diff_result_shown(const diff_result *r)
{
    return r->kept.n;
}

const diff_row *diff_result_row(const diff_result *r, size_t i)
{
    const char *rows = r->kept.p;
    return (const diff_row *)(const void *)(rows + i * r->row_size);
}
