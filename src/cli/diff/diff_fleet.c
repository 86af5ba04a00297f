#include "cli/diff/diff_private.h"

#include "base/alloc.h"
#include "cli/fleet/fleet_private.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

#if !TS_FLEET_BUILT

ts_code diff_fleet(bool *failed, ts_ctx *ctx, const ts_options *options, ts_output *out)
{
    (void)options;
    (void)out;
    *failed = false;
    return ts_fail(ctx, TS_ERR_USAGE,
                   "this build of trace_streamer has no fleet: libcurl was missing when it was "
                   "built");
}

#else

/* Two groups of recordings that are compared. */
typedef struct fleet_diff {
    ts_ctx *ctx;
    const ts_options *options;
    ts_fleet *fleet;
    ts_questions all;
    const ts_shipped *by;
    ts_fleet_chosen chosen[2];
    ts_fleet_count counts[2];
    diff_side sides[2];
    diff_shape shape;
    diff_condition *conditions;
    diff_table table;
    diff_result result;
    ts_buf others;
    ts_buf notes; /* each with a zero byte */
} fleet_diff;

/* --- before anything is asked ----------------------------------------------------------------- */

static ts_code prepare(fleet_diff *d)
{
    const ts_options *o = d->options;
    TS_TRY(diff_load(&d->all, d->ctx, true));
    d->by = o->by == NULL ? NULL : ts_questions_find(&d->all, o->by);
    TS_TRY(diff_names(&d->others, d->ctx, &d->all, NULL, d->by));
    if (o->by != NULL && d->by == NULL) {
        return ts_fail(d->ctx, TS_ERR_USAGE, "bad value for --by: \"%s\" is not one of: %.*s",
                       o->by, (int)d->others.n, d->others.p);
    }
    TS_NEED(d->ctx, d->conditions = ts_zalloc(d->ctx, o->fail_if.count + 1, sizeof *d->conditions));
    for (size_t i = 0; i < o->fail_if.count; i++) {
        TS_TRY(diff_condition_parse(&d->conditions[i], d->ctx, o->fail_if.all[i]));
    }
    return TS_OK;
}

static ts_code open_sides(fleet_diff *d)
{
    const ts_options *o = d->options;
    const ts_fleet_options options = ts_fleet_options_of(d->ctx, o);
    TS_TRY(ts_fleet_open(&d->fleet, d->ctx, &options));
    for (unsigned i = 0; i < 2; i++) {
        d->chosen[i] = (ts_fleet_chosen){.only = &o->paths[i], .only_count = 1};
        TS_TRY(ts_fleet_choose(d->fleet, &d->counts[i], &d->chosen[i]));
        d->sides[i] = (diff_side){.ctx = d->ctx, .path = o->paths[i], .file = -1};
        TS_TRY(ts_buf_printf(d->ctx, &d->sides[i].label, "%s, %" PRIu64 " recording%s%c",
                             o->paths[i], d->counts[i].recordings,
                             d->counts[i].recordings == 1 ? "" : "s", 0));
        if (d->counts[i].incomplete > 0) {
            const size_t at = d->notes.n;
            TS_TRY(ts_buf_printf(d->ctx, &d->notes,
                                 "%s: %" PRIu64 " recording%s lost data (fleet ask losses): the "
                                 "comparison is of what is left%c",
                                 o->paths[i], d->counts[i].incomplete,
                                 d->counts[i].incomplete == 1 ? "" : "s", 0));
            ts_message(d->ctx, "%s", d->notes.p + at);
        }
    }
    return TS_OK;
}

/* --- rows ------------------------------------------------------------------------------------- */

static ts_code ask_side(fleet_diff *d, unsigned side, uint64_t *rows)
{
    char count[24];
    const ts_param param = {"recordings_count", count};
    diff_asking asking = {.table = &d->table, .side = side};
    const ts_rows_visitor visitor = {&asking, diff_take_header, diff_take_row, NULL, NULL};
    const ts_fleet_question question = {.name = d->shape.file->name,
                                        .sql = ts_buf_text(&d->shape.file->sql),
                                        .chosen = &d->chosen[side],
                                        .params = &param,
                                        .param_count = 1};
    (void)snprintf(count, sizeof count, "%" PRIu64, d->counts[side].recordings);
    TS_TRY(ts_fleet_ask(d->fleet, &question, &visitor));
    *rows += asking.rows;
    return TS_OK;
}

/* The rows of both sides by one comparison; rows[side]: how many there are. */
static ts_code ask_both(fleet_diff *d, const ts_shipped *by, uint64_t rows[2])
{
    rows[0] = rows[1] = 0;
    diff_table_free(&d->table);
    TS_TRY(diff_shape_read(&d->shape, d->ctx, by));
    diff_table_init(&d->table, d->ctx, &d->shape);
    TS_TRY(ask_side(d, 0, &rows[0]));
    return ask_side(d, 1, &rows[1]);
}

/* What was asked for, or the first of which both sides have something. */
static ts_code ask_what_fits(fleet_diff *d)
{
    uint64_t rows[2];
    if (d->by != NULL) {
        return ask_both(d, d->by, rows);
    }
    for (size_t i = 0; i < d->all.count; i++) {
        TS_TRY(ask_both(d, &d->all.all[i], rows));
        if (rows[0] > 0 && rows[1] > 0) {
            d->by = &d->all.all[i];
            d->others.n = 0;
            return diff_names(&d->others, d->ctx, &d->all, NULL, d->by);
        }
    }
    return ts_fail(d->ctx, TS_ERR_USAGE,
                   "the recordings of both sides have nothing in common that can be compared");
}

static ts_code choose_value(fleet_diff *d)
{
    diff_shape *s = &d->shape;
    const char *weight = d->options->weight;
    for (unsigned v = 0; weight == NULL && v < s->value_count; v++) {
        if (diff_result_has(&d->result, v)) {
            s->main = v;
            return TS_OK;
        }
    }
    s->main = weight == NULL ? 0 : diff_value_find(s, weight, strlen(weight));
    return s->main < s->value_count
               ? TS_OK
               : ts_fail(d->ctx, TS_ERR_USAGE, "--by=%s has no value \"%s\" for --weight",
                         d->by->name, weight);
}

static ts_code fill_result(fleet_diff *d)
{
    const ts_options *o = d->options;
    for (size_t i = 0; i < o->fail_if.count; i++) {
        TS_TRY(diff_condition_bind(&d->conditions[i], d->ctx, &d->shape));
    }
    diff_result_init(&d->result, d->ctx, &d->shape);
    d->result.conditions = d->conditions;
    d->result.condition_count = o->fail_if.count;
    d->result.limit = o->limit;
    diff_table_count(&d->table, &d->result);
    TS_TRY(choose_value(d));
    TS_TRY(diff_table_put(&d->table, &d->result));
    return diff_result_end(&d->result);
}

static ts_code print_result(fleet_diff *d, bool *failed, ts_output *out)
{
    const uint64_t losses[2] = {d->counts[0].incomplete, d->counts[1].incomplete};
    diff_report report = {.result = &d->result, .sides = d->sides, .losses = losses};
    TS_TRY(ts_buf_putc(d->ctx, &d->others, '\0'));
    report.others = d->others.p;
    report.notes = ts_buf_text(&d->notes);
    for (size_t i = 0; i < d->result.condition_count; i++) {
        report.failed = report.failed || d->conditions[i].holds;
    }
    if (!d->options->quiet) {
        TS_TRY(diff_say(d->ctx, &report));
    }
    TS_TRY(diff_print(out, &report, d->options->output, isatty(STDOUT_FILENO) == 1));
    *failed = report.failed;
    return diff_say_failures(d->ctx, &report);
}

/* --- all of it -------------------------------------------------------------------------------- */

ts_code diff_fleet(bool *failed, ts_ctx *ctx, const ts_options *options, ts_output *out)
{
    fleet_diff d = {.ctx = ctx, .options = options};
    *failed = false;
    diff_table_init(&d.table, ctx, &d.shape);
    diff_result_init(&d.result, ctx, &d.shape);
    ts_code code = prepare(&d);
    TS_STEP(code, open_sides(&d));
    TS_STEP(code, ask_what_fits(&d));
    TS_STEP(code, fill_result(&d));
    TS_STEP(code, print_result(&d, failed, out));
    diff_result_free(&d.result);
    diff_table_free(&d.table);
    for (size_t i = 0; d.conditions != NULL && i < options->fail_if.count; i++) {
        diff_condition_free(&d.conditions[i], ctx);
    }
    ts_free(ctx, d.conditions);
    ts_buf_free(ctx, &d.sides[0].label);
    ts_buf_free(ctx, &d.sides[1].label);
    ts_buf_free(ctx, &d.others);
    ts_buf_free(ctx, &d.notes);
    ts_questions_free(&d.all, ctx);
    ts_fleet_close(d.fleet);
    return code;
}

#endif
