#include "model/labels.h"

#include "base/names.h"
#include "base/pool.h"
#include "model/cells.h"

enum { LABELS_NEAR = 10000 /* among so many the nearest ones are looked for */ };
enum { L_SAMPLE, L_KEY, L_VALUE };

typedef struct labels_find {
    ts_model *model;
    ts_vec *samples;
    ts_text typed;
    ts_buf label;
    bool listed; /* labels are collected, not samples */
    ts_pool seen;
} labels_find;

static ts_code labels_row(labels_find *f, const ts_batch *b, unsigned row)
{
    ts_ctx *ctx = ts_model_ctx(f->model);
    ts_text key = ts_cell_text(b, L_KEY, row);
    ts_text value = ts_cell_text(b, L_VALUE, row);
    f->label.n = 0;
    TS_TRY(ts_buf_put(ctx, &f->label, key.p, key.n));
    TS_TRY(ts_buf_putc(ctx, &f->label, '='));
    TS_TRY(ts_buf_put(ctx, &f->label, value.p, value.n));
    ts_text label = ts_buf_text(&f->label);
    if (f->listed) {
        uint32_t id;
        return f->seen.count >= LABELS_NEAR ? TS_OK
                                            : ts_pool_intern(ctx, &id, NULL, &f->seen, label);
    }
    bool fits = ts_text_equal(key, f->typed) || ts_text_equal(label, f->typed) ||
                (ts_glob_is(f->typed) && ts_glob_fits(f->typed, label));
    if (fits) {
        int64_t sample = b->columns[L_SAMPLE].ints[row];
        TS_TRY(ts_vec_reach(ctx, f->samples, sample, sizeof(bool)));
        ((bool *)f->samples->p)[sample] = true;
    }
    return TS_OK;
}

static ts_code labels_each(labels_find *f)
{
    static const unsigned columns[] = {TS_C_stack_sample_label__sample_id,
                                       TS_C_stack_sample_label__key,
                                       TS_C_stack_sample_label__value};
    ts_walk rows = ts_walk_of(*ts_model_rows(f->model), TS_T_stack_sample_label, columns, 3);
    ts_code code = TS_OK;
    while (ts_walk_next(&code, &rows)) {
        code = labels_row(f, rows.b, rows.row);
    }
    return code;
}

static ts_code labels_none(labels_find *f)
{
    ts_ctx *ctx = ts_model_ctx(f->model);
    ts_nearest near = {.typed = f->typed, .no_ids = true};
    f->listed = true;
    ts_code code = labels_each(f);
    for (uint32_t i = 0; code == TS_OK && i < f->seen.count; i++) {
        ts_nearest_add(&near, i, ts_pool_text(&f->seen, i), TS_TEXT_NULL);
    }
    TS_STEP(code, ts_nearest_fail(ctx, "label", "labels are ", &near));
    ts_pool_free(ctx, &f->seen);
    return code;
}

ts_code ts_labels_find(ts_vec *samples, ts_model *m, ts_text label)
{
    labels_find f = {.model = m, .samples = samples, .typed = label};
    ts_code code = labels_each(&f);
    TS_STEP_IF(code, samples->n == 0, labels_none(&f));
    ts_buf_free(ts_model_ctx(m), &f.label);
    return code;
}
