/* GET heap/diff: the classes of two heap files, by their totals or by the ids of their nodes. */
#include "serve/views/heap_private.h"

enum { Q_FILE, Q_BASE, Q_BY, Q_FILTER, Q_OFFSET, Q_LIMIT };
enum { BY_TOTALS, BY_IDS };

const ts_view_param ts_heap_diff_params[] = {
    {.name = "file",
     .type = TS_VIEW_INT,
     .most = INT64_MAX,
     .required = true,
     .doc = "id in js_heap_files"},
    {.name = "base",
     .type = TS_VIEW_INT,
     .most = INT64_MAX,
     .required = true,
     .doc = "the file that it is compared with"},
    {.name = "by",
     .type = TS_VIEW_CHOICE,
     .choices = "totals,ids",
     .doc = "numbers of both files, or what came and went"},
    TS_PARAM_FILTER,
    TS_PARAMS_PAGE(10000, 200, "rows"),
    {.name = NULL}};

typedef struct diff {
    ts_heap_sides sides;
    ts_vec rows; /* of ts_heap_pair */
} diff;

/* --- by totals -------------------------------------------------------------------------------- */

static const ts_heap_class *diff_class(const diff *d, const ts_heap_pair *row, unsigned side)
{
    uint32_t place = row->sides[side];
    return place == TS_NO_INDEX ? NULL
                                : (const ts_heap_class *)d->sides.classes[side]->classes.p + place;
}

static ts_wide diff_delta(const diff *d, const ts_heap_pair *row, bool size)
{
    ts_wide delta = 0;
    for (unsigned i = 0; i < 2; i++) {
        const ts_heap_class *c = diff_class(d, row, i);
        if (c != NULL) {
            ts_wide value = size ? c->size : c->count;
            delta += i == 0 ? value : -value;
        }
    }
    return delta;
}

static int by_growth(const void *user, uint32_t a, uint32_t b)
{
    const diff *d = user;
    const ts_heap_pair *rows = d->rows.p;
    ts_wide x = diff_delta(d, &rows[a], true);
    ts_wide y = diff_delta(d, &rows[b], true);
    return (x < y) - (x > y);
}

static void diff_put(ts_jout *out, const diff *d, const ts_heap_pair *row)
{
    ts_jout_open(out, NULL, '[');
    ts_view_text(out, NULL, row->text);
    for (unsigned size = 0; size < 2; size++) {
        bool known = true;
        for (unsigned i = 0; i < 2; i++) {
            const ts_heap_class *c = diff_class(d, row, i);
            bool here = c == NULL || (size == 1 ? c->has_size : c->has_count);
            known = known && here;
            ts_heap_put_number(out, here, c == NULL ? 0 : size == 1 ? c->size : c->count);
        }
        ts_heap_put_number(out, known, diff_delta(d, row, size == 1));
    }
    ts_jout_close(out, ']');
}

static ts_code diff_totals(diff *d, ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    ts_jout *out = call->out;
    const ts_page page = ts_view_page(call, Q_OFFSET);
    ts_text filter = ts_view_value_of(call, Q_FILTER)->text;
    uint32_t *places = NULL;
    uint32_t n = 0;
    ts_code code = ts_heap_pairs_make(&d->rows, ctx, d->sides.classes);
    const ts_heap_pair *rows = d->rows.p;
    TS_STEP_IF(code, (places = ts_alloc(ctx, d->rows.n, sizeof *places)) == NULL, ctx->error.code);
    for (size_t i = 0; code == TS_OK && i < d->rows.n; i++) {
        if (ts_text_has(rows[i].text, filter)) {
            places[n++] = (uint32_t)i;
        }
    }
    TS_STEP(code, ts_sort_by(ctx, places, n, by_growth, d));
    if (code == TS_OK) {
        ts_jout_open(out, NULL, '{');
        ts_heap_table(out, "class,count,previous_count,count_delta,self_size,"
                           "previous_self_size,self_size_delta");
        for (uint64_t i = page.first; i < n && i < page.end; i++) {
            diff_put(out, d, &rows[places[i]]);
        }
        ts_heap_table_end(out, n);
        ts_jout_close(out, '}');
    }
    ts_free(ctx, places);
    return code;
}

/* --- by ids ----------------------------------------------------------------------------------- */

static void change_put(ts_jout *out, ts_text text, const ts_heap_change *c)
{
    ts_jout_open(out, NULL, '[');
    ts_view_text(out, NULL, text);
    ts_jout_uint(out, NULL, c->added);
    ts_jout_uint(out, NULL, c->removed);
    ts_wide_put(out, NULL, (ts_wide)c->added - c->removed);
    ts_wide_put(out, NULL, c->added_size);
    ts_wide_put(out, NULL, c->removed_size);
    ts_wide_put(out, NULL, c->size_delta);
    ts_jout_uint(out, NULL, c->kept);
    ts_jout_close(out, ']');
}

static ts_code diff_ids(const ts_heap_changes *changes, ts_view_call *call)
{
    ts_jout *out = call->out;
    const ts_page page = ts_view_page(call, Q_OFFSET);
    const ts_heap_change *rows = changes->rows.p;
    ts_text filter = ts_view_value_of(call, Q_FILTER)->text;
    uint64_t row = 0;
    ts_jout_open(out, NULL, '{');
    ts_heap_table(out, "class,new_count,deleted_count,count_delta,new_size,deleted_size,"
                       "size_delta,kept_count");
    for (size_t i = 0; i < changes->rows.n; i++) {
        ts_text text = rows[i].text == TS_NO_INDEX ? TS_TEXT_NULL
                                                   : ts_pool_text(&changes->texts, rows[i].text);
        if (ts_text_has(text, filter)) {
            if (row >= page.first && row < page.end) {
                change_put(out, text, &rows[i]);
            }
            row++;
        }
    }
    ts_heap_table_end(out, row);
    ts_jout_bool(out, "comparable", changes->comparable);
    ts_jout_close(out, '}');
    return TS_OK;
}

ts_code ts_heap_diff_run(ts_view_call *call)
{
    ts_ctx *ctx = ts_view_ctx(call);
    diff d = {0};
    ts_model *m = call->views->model;
    const ts_heap_changes *changes = NULL;
    ts_heap_file *f = ts_alloc(ctx, 2, sizeof *f);
    ts_code code = f == NULL ? ctx->error.code : TS_OK;
    for (unsigned i = 0; code == TS_OK && i < 2; i++) {
        d.sides.files[i] = &f[i];
        code = ts_heap_file_read(&f[i], m, ts_view_value_of(call, i)->number);
        if (code == TS_OK && !ts_heap_file_sound(&f[i])) {
            code =
                ts_fail(ctx, TS_ERR_USAGE, "heap file %lld is damaged: its classes are not certain",
                        (long long)f[i].at.file_id);
        }
        TS_STEP(code, ts_heap_classes_get(&d.sides.classes[i], m, &f[i]));
    }
    if (code == TS_OK && ts_view_value_of(call, Q_BY)->number == BY_IDS) {
        code = ts_heap_changes_get(&changes, m, &d.sides);
        TS_STEP(code, diff_ids(changes, call));
    } else if (code == TS_OK) {
        code = diff_totals(&d, call);
    }
    ts_free(ctx, f);
    ts_vec_free(ctx, &d.rows);
    return code;
}
