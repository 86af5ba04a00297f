#include "session/diff/diff_rows.h"

#include <stdio.h>

static void add_column(diff_columns *c, const diff_value *v, unsigned value, diff_part part)
{
    static const char *const parts[] = {"_before", "_after", "_change", "_percent", "_noise"};
    diff_column *added = &c->all[c->count++];
    *added = (diff_column){.value = value, .part = part};
    snprintf(added->name, sizeof added->name, "%s%s", v->name,
             v->kind == DIFF_ONCE ? "" : parts[part]);
}

/* A table for people has all parts of the value that rows are ordered by only. */
static void add_value(diff_columns *c, const diff_value *v, unsigned value, bool all, bool noise)
{
    if (v->kind == DIFF_ONCE) {
        add_column(c, v, value, DIFF_PART_AFTER);
        return;
    }
    if (all) {
        add_column(c, v, value, DIFF_PART_BEFORE);
    }
    add_column(c, v, value, DIFF_PART_AFTER);
    add_column(c, v, value, DIFF_PART_CHANGE);
    if (all && v->unit != DIFF_SHARE) {
        add_column(c, v, value, DIFF_PART_PERCENT);
    }
    if (all && noise) {
        add_column(c, v, value, DIFF_PART_NOISE);
    }
}

void diff_columns_list(diff_columns *c, const diff_result *r, bool narrow)
{
    c->count = 0;
    for (unsigned i = 0; i < r->shape->value_count; i++) {
        /* The value that rows are ordered by comes first. */
        unsigned m = r->shape->main;
        unsigned v = i == 0 ? m : i <= m ? i - 1 : i;
        const diff_value *value = &r->shape->values[v];
        bool others_share = value->unit == DIFF_SHARE && value->share_of != m;
        if (diff_result_has(r, v) && !(narrow && others_share)) {
            add_value(c, value, v, !narrow || v == m, r->totals.noise != NULL);
        }
    }
}

diff_cell diff_part_cell(const diff_value *v, diff_cell before, diff_cell after, diff_part part)
{
    double steps = v->unit == DIFF_SHARE ? 100 : 1000;
    switch (part) {
    case DIFF_PART_BEFORE:
        return diff_round(before, steps);
    case DIFF_PART_AFTER:
    case DIFF_PART_NOISE: /* a number of its own */
        return diff_round(after, steps);
    case DIFF_PART_CHANGE:
        return diff_round(diff_change(before, after), steps);
    case DIFF_PART_PERCENT:
        break;
    }
    return diff_round(diff_percent(before, after), 10);
}

diff_cell diff_column_cell(const diff_result *r, const diff_row *row, unsigned value,
                           diff_part part)
{
    const diff_cell *cells = &row->cells[2 * (size_t)value];
    const diff_cell noise = row->noise == NULL ? diff_null() : row->noise[value];
    return diff_part_cell(&r->shape->values[value], cells[0],
                          part == DIFF_PART_NOISE ? noise : cells[1], part);
}

unsigned diff_columns_names(const char *names[DIFF_COLUMNS], const diff_columns *c,
                            const diff_result *r)
{
    unsigned n = 0;
    for (unsigned i = 0; i < r->shape->key_count; i++) {
        names[n++] = r->shape->keys[i];
    }
    for (unsigned i = 0; i < c->count; i++) {
        names[n++] = c->all[i].name;
    }
    return n;
}

/* The parts of the key may share a buffer of their maker, so they are copied. */
ts_code diff_key_texts(ts_text out[DIFF_KEYS], ts_buf *text, const diff_result *r,
                       const diff_row *row)
{
    size_t at[DIFF_KEYS];
    ts_code code = TS_OK;
    text->n = 0;
    for (unsigned i = 0; code == TS_OK && i < r->shape->key_count; i++) {
        ts_text key = TS_TEXT_NULL;
        code = r->keys.text(&key, r->keys.user, row->handle, i);
        at[i] = text->n;
        out[i] = key;
        TS_STEP(code, ts_buf_put(r->ctx, text, key.p == NULL ? "" : key.p, key.n));
        code = code != TS_OK ? code : ts_buf_putc(r->ctx, text, '\0');
    }
    for (unsigned i = 0; code == TS_OK && i < r->shape->key_count; i++) {
        out[i].p = out[i].p == NULL ? NULL : text->p + at[i];
    }
    return code;
}
