#include "cli/diff/diff_private.h"

#include <inttypes.h>

/* The parts of its key, divided by commas, and the file among them. */
static ts_code set_place(diff_outcome *o, const diff_result *r, uint64_t handle)
{
    o->line = r->keys.line == NULL ? 0 : r->keys.line(r->keys.user, handle);
    for (unsigned i = 0; i < r->shape->key_count; i++) {
        ts_text key = TS_TEXT_NULL;
        TS_TRY(r->keys.text(&key, r->keys.user, handle, i));
        if (key.p == NULL) {
            continue;
        }
        if (strcmp(r->shape->keys[i], "file") == 0) {
            TS_TRY(ts_buf_put(r->ctx, &o->file, key.p, key.n));
            continue;
        }
        TS_TRY(ts_buf_put(r->ctx, &o->row, ", ", o->row.n > 0 ? 2 : 0));
        TS_TRY(ts_buf_put(r->ctx, &o->row, key.p, key.n));
    }
    return TS_OK;
}

static void empty(diff_outcome *o)
{
    o->verdict = DIFF_PASSED;
    o->text.n = o->row.n = o->file.n = 0;
    o->line = 0;
}

/* There is no row that the condition is about. */
static ts_code say_no_row(diff_outcome *o, const diff_result *r, const diff_condition *c)
{
    if (c->scope == DIFF_NAMED) {
        o->verdict = DIFF_NO_ROW;
        return ts_buf_printf(r->ctx, &o->text, "neither side has a row \"%.*s\"", (int)c->row.n,
                             c->row.p);
    }
    return ts_buf_printf(r->ctx, &o->text, "no row changed%s",
                         r->totals.noise == NULL ? "" : " by more than the noise");
}

ts_code diff_outcome_of(diff_outcome *out, const diff_result *r, const diff_condition *c)
{
    empty(out);
    if (!c->met) {
        return say_no_row(out, r, c);
    }
    out->verdict = c->holds ? DIFF_FAILED : DIFF_PASSED;
    if (c->is_row) {
        TS_TRY(set_place(out, r, c->handle));
    }
    TS_TRY(diff_condition_say(&out->text, r->ctx, c, r->shape));
    return c->inside ? ts_buf_printf(r->ctx, &out->text, ", within the noise") : TS_OK;
}

ts_code diff_outcome_of_row(diff_outcome *out, const diff_result *r, const diff_row *row)
{
    const unsigned main = r->shape->main;
    const diff_value *v = &r->shape->values[main];
    const diff_cell *cells = &row->cells[2 * (size_t)main];
    char text[DIFF_CELL_TEXT];
    empty(out);
    TS_TRY(set_place(out, r, row->handle));
    TS_TRY(ts_buf_printf(r->ctx, &out->text, "%s of ", v->name));
    TS_TRY(ts_buf_put(r->ctx, &out->text, out->row.p, out->row.n));
    if (v->kind == DIFF_ONCE) {
        (void)diff_text(text, cells[1]);
        return ts_buf_printf(r->ctx, &out->text, " is %s", text);
    }
    return diff_say_change(&out->text, r->ctx, cells[0], cells[1],
                           row->noise == NULL ? diff_null() : row->noise[main], v->unit);
}

void diff_outcome_free(diff_outcome *o, ts_ctx *ctx)
{
    ts_buf_free(ctx, &o->text);
    ts_buf_free(ctx, &o->row);
    ts_buf_free(ctx, &o->file);
}

/* --- sentences ------------------------------------------------------------------------------ */

ts_code diff_say_verdict(ts_buf *out, ts_ctx *ctx, const diff_result *r)
{
    size_t failed = 0;
    for (size_t i = 0; i < r->condition_count; i++) {
        failed += r->conditions[i].holds ? 1 : 0;
    }
    if (r->condition_count == 0) {
        return ts_buf_printf(ctx, out, "no condition was given");
    }
    return failed == 0 ? ts_buf_printf(ctx, out, "no condition failed")
                       : ts_buf_printf(ctx, out, "%zu of %zu condition%s failed", failed,
                                       r->condition_count, r->condition_count == 1 ? "" : "s");
}

ts_code diff_say_rows(ts_buf *out, ts_ctx *ctx, const diff_result *r)
{
    const uint64_t shown = diff_result_shown(r);
    TS_TRY(r->changed == 0 ? ts_buf_printf(ctx, out, "no row differs")
                           : ts_buf_printf(ctx, out, "%" PRIu64 " row%s", r->changed,
                                           r->changed == 1 ? " differs" : "s differ"));
    if (r->totals.noise != NULL) {
        TS_TRY(
            ts_buf_printf(ctx, out, " by more than the noise, %" PRIu64 " within it", r->inside));
    }
    return r->changed > shown ? ts_buf_printf(ctx, out, "; %" PRIu64 " shown", shown) : TS_OK;
}

bool diff_note_next(ts_text *note, ts_text *left)
{
    if (left->n == 0) {
        return false;
    }
    *note = ts_text_of(left->p);
    *left = ts_text_from(*left, note->n + 1);
    return true;
}
