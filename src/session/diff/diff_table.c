#include "session/diff/diff_rows.h"

#include "base/alloc.h"
#include "session/ask.h"

void diff_table_init(diff_table *t, ts_ctx *ctx, const diff_shape *shape)
{
    *t = (diff_table){.ctx = ctx, .shape = shape};
}

void diff_table_free(diff_table *t)
{
    ts_pool_free(t->ctx, &t->pool);
    ts_vec_free(t->ctx, &t->cells);
    ts_vec_free(t->ctx, &t->lines);
    ts_free(t->ctx, t->noise);
    ts_buf_free(t->ctx, &t->in);
    ts_buf_free(t->ctx, &t->scratch);
}

/* --- keys: of each part a byte (0: NULL) and, if it has one, its length and text ------------ */

ts_code diff_table_key(uint32_t *id, diff_table *t, const ts_text *keys)
{
    unsigned n = t->shape->value_count * 2;
    bool added;
    ts_code code = TS_OK;
    t->scratch.n = 0;
    for (unsigned i = 0; code == TS_OK && i < t->shape->key_count; i++) {
        code = ts_buf_putc(t->ctx, &t->scratch, keys[i].p == NULL ? 0 : 1);
        if (code == TS_OK && keys[i].p != NULL) {
            code = ts_buf_put(t->ctx, &t->scratch, &keys[i].n, sizeof keys[i].n);
            code = code != TS_OK ? code : ts_buf_put(t->ctx, &t->scratch, keys[i].p, keys[i].n);
        }
    }
    TS_STEP(code, ts_vec_reserve(t->ctx, &t->cells, n, sizeof(diff_cell)));
    TS_STEP(code, ts_vec_reserve(t->ctx, &t->lines, 1, sizeof(int64_t)));
    TS_STEP(code, ts_buf_reserve(t->ctx, &t->in, 1));
    TS_STEP(code, ts_pool_intern(t->ctx, id, &added, &t->pool, ts_buf_text(&t->scratch)));
    if (code == TS_OK && added) {
        diff_cell *cells = t->cells.p;
        for (unsigned i = 0; i < n; i++) {
            cells[t->cells.n++] = diff_null();
        }
        ((int64_t *)t->lines.p)[t->lines.n++] = 0;
        t->in.p[t->in.n++] = 0;
    }
    return code;
}

ts_text diff_table_text(const diff_table *t, uint64_t id, unsigned key)
{
    const char *p = ts_pool_text(&t->pool, (uint32_t)id).p;
    for (;; key--) {
        size_t n = 0;
        bool is_text = *p++ != 0;
        if (is_text) {
            memcpy(&n, p, sizeof n);
            p += sizeof n;
        }
        if (key == 0) {
            return is_text ? (ts_text){p, n} : TS_TEXT_NULL;
        }
        p += n;
    }
}

/* --- rows ---------------------------------------------------------------------------------- */

void diff_table_in(diff_table *t, uint32_t id, unsigned side)
{
    t->in.p[id] = (char)(t->in.p[id] | (1 << side));
}

diff_cell *diff_table_cell(diff_table *t, uint32_t id, unsigned value, unsigned side)
{
    diff_cell *cells = t->cells.p;
    return &cells[((size_t)id * t->shape->value_count + value) * 2 + side];
}

/* Adds to the values of a side; cells: one each value, shares left out of account. */
void diff_table_add(diff_table *t, uint32_t id, unsigned side, const diff_cell *cells)
{
    diff_table_in(t, id, side);
    for (unsigned v = 0; v < t->shape->value_count; v++) {
        diff_cell *mine = diff_table_cell(t, id, v, side);
        *mine = diff_add(*mine, cells[v]);
    }
}

void diff_table_line(diff_table *t, uint32_t id, unsigned side, int64_t line)
{
    int64_t *known = (int64_t *)t->lines.p + id;
    *known = line > 0 && (side == 1 || *known == 0) ? line : *known;
}

ts_code diff_take_header(void *user, const char *const *names, int n)
{
    const diff_asking *a = user;
    const diff_shape *s = a->table->shape;
    unsigned at = 0;
    bool fits = true;
    for (unsigned i = 0; i < s->key_count; i++, at++) {
        fits = fits && (int)at < n && strcmp(names[at], s->keys[i]) == 0;
    }
    for (unsigned v = 0; v < s->value_count; v++) {
        if (s->values[v].unit != DIFF_SHARE) {
            fits = fits && (int)at < n && strcmp(names[at], s->values[v].name) == 0;
            at++;
        }
    }
    return fits && (int)at == n
               ? TS_OK
               : ts_fail(a->table->ctx, TS_ERR_INTERNAL,
                         "the comparison \"%s\" has other columns than it says", s->file->name);
}

ts_code diff_take_row(void *user, const char *const *values, const size_t *lengths,
                      const ts_cell_type *types, int n)
{
    diff_asking *a = user;
    const diff_shape *s = a->table->shape;
    ts_text keys[DIFF_KEYS] = {{NULL, 0}};
    diff_cell cells[DIFF_VALUES] = {{0}};
    uint32_t id;
    unsigned at = s->key_count;
    (void)n;
    a->rows++;
    for (unsigned i = 0; i < s->key_count; i++) {
        keys[i] = (ts_text){values[i], lengths[i]};
    }
    for (unsigned v = 0; v < s->value_count; v++) {
        bool share = s->values[v].unit == DIFF_SHARE;
        cells[v] = share ? diff_null() : diff_parse(types[at], values[at]);
        at += share ? 0 : 1;
    }
    ts_code code = diff_table_key(&id, a->table, keys);
    if (code == TS_OK) {
        diff_table_add(a->table, id, a->side, cells);
    }
    return code;
}

ts_code diff_table_ask(diff_table *t, ts_db *db, unsigned side, const ts_param *params, size_t n)
{
    diff_asking a = {.table = t, .side = side};
    const ts_rows_visitor visitor = {&a, diff_take_header, diff_take_row, NULL, NULL};
    return ts_ask_rows(db, t->ctx, ts_buf_text(&t->shape->file->sql), params, n, &visitor);
}

/* --- both sides ---------------------------------------------------------------------------- */

void diff_table_row(diff_row *row, bool in[2], const diff_table *t, uint32_t id)
{
    size_t n = 2 * (size_t)t->shape->value_count;
    memcpy(row->cells, (const diff_cell *)t->cells.p + id * n, n * sizeof(diff_cell));
    row->handle = id;
    row->noise = t->noise == NULL ? NULL : t->noise + id * (n / 2);
    row->alone = false;
    in[0] = (t->in.p[id] & 1) != 0;
    in[1] = (t->in.p[id] & 2) != 0;
}

static int64_t table_line(void *user, uint64_t handle)
{
    const diff_table *t = user;
    return ((const int64_t *)t->lines.p)[handle];
}

static ts_code table_text(ts_text *out, void *user, uint64_t handle, unsigned key)
{
    *out = diff_table_text(user, handle, key);
    return TS_OK;
}

void diff_table_count(const diff_table *t, diff_result *r)
{
    diff_row row;
    bool in[2];
    for (uint32_t id = 0; id < t->pool.count; id++) {
        diff_table_row(&row, in, t, id);
        diff_result_count(r, &row, in);
    }
    if (t->noise != NULL) { /* the median of sums is not the sum of medians */
        for (unsigned v = 0; v < t->shape->value_count; v++) {
            r->totals.cells[2 * (size_t)v] = t->median_totals[v];
        }
        r->totals.noise = t->noise + (size_t)t->pool.count * t->shape->value_count;
    }
}

ts_code diff_table_put(diff_table *t, diff_result *r)
{
    diff_row row;
    bool in[2];
    ts_code code = TS_OK;
    r->keys = (diff_keys){t, table_text, table_line};
    for (uint32_t id = 0; code == TS_OK && id < t->pool.count; id++) {
        diff_table_row(&row, in, t, id);
        diff_result_complete(r, &row, in);
        code = diff_result_take(r, &row);
    }
    return code;
}
