#include "cli/verbs.h"

#include "cli/diff/diff_private.h"
#include "cli/exit_codes.h"
#include "cli/outputs.h"
#include "cli/signals.h"
#include "tables/question_text.h"

#include <unistd.h>

typedef struct comparing {
    ts_ctx *ctx;
    const ts_options *options;
    diff_comparison d;
    ts_target *targets[2]; /* of recordings: their temporary databases */
    ts_output out;
    diff_runs runs; /* of --baseline */
    diff_inputs inputs;
    ts_buf notes; /* each with a zero byte */
    uint64_t losses[2];
    bool failed;
} comparing;

ts_code ts_diff_list(ts_buf *out, ts_ctx *ctx, const ts_options *options)
{
    ts_questions all = {0};
    ts_code code = diff_load(&all, ctx, options->at != NULL);
    for (size_t i = 0; code == TS_OK && i < all.count; i++) {
        ts_text line = ts_question_first(ts_buf_text(&all.all[i].sql), "Question");
        code = ts_buf_printf(ctx, out, "%-16s %.*s\n", all.all[i].name, (int)line.n, line.p);
    }
    ts_questions_free(&all, ctx);
    return code;
}

/* --- what is asked for --------------------------------------------------------------------- */

/* Without memory it is said, and left out of what is printed. */
static void say_note(void *user, const char *text)
{
    comparing *c = user;
    ts_error saved = c->ctx->error;
    ts_message(c->ctx, "%s", text);
    (void)ts_buf_put(c->ctx, &c->notes, text, strlen(text) + 1);
    c->ctx->error = saved;
}

static diff_asked asked_of(comparing *c)
{
    const ts_options *o = c->options;
    return (diff_asked){.by = o->by,
                        .before = o->before,
                        .after = o->after,
                        .source = o->source,
                        .thread = o->thread,
                        .event = o->event,
                        .label = o->label,
                        .weight = o->weight,
                        .from = o->from,
                        .until = o->until,
                        .demangle = o->demangle,
                        .limit = o->limit,
                        .conditions = o->fail_if.all,
                        .condition_count = o->fail_if.count,
                        .runs = (const char *const *)c->runs.paths,
                        .run_count = c->runs.count,
                        .baseline = o->baseline,
                        .note = say_note,
                        .note_user = c,
                        .guard = ts_export_guard};
}

/* A finished database as it is, or what a recording is converted to; with --analyze a database that
 * lacks these analyses is copied and gets their rows. */
static ts_code open_side(void *user, diff_side *s, unsigned side)
{
    comparing *c = user;
    ts_options one = *c->options;
    ts_target **target = &c->targets[side];
    one.paths = &s->path;
    one.path_count = 1;
    one.query = "";
    ts_code code = ts_convert_to_ask(&s->db, target, c->ctx, &one);
    s->fd = *target == NULL ? -1 : ts_target_fd(*target);
    return code;
}

static void close_run(void *user)
{
    comparing *c = user;
    ts_target_free(c->targets[0]);
    c->targets[0] = NULL;
}

static ts_code open_sides(comparing *c)
{
    const ts_options *o = c->options;
    const bool two = o->path_count > 1;
    c->inputs = (diff_inputs){.paths = {o->paths[0], o->paths[two ? 1 : 0]},
                              .count = two ? 2 : 1,
                              .one = !two || strcmp(o->paths[0], o->paths[1]) == 0,
                              .open = open_side,
                              .closed = close_run,
                              .user = c};
    return diff_open(&c->d, &c->inputs);
}

static void begin(comparing *c)
{
    const diff_asked asked = asked_of(c);
    diff_begin(&c->d, c->ctx, &asked);
}

static void end(comparing *c)
{
    diff_end(&c->d);
    ts_target_free(c->targets[1]);
    ts_target_free(c->targets[0]);
    diff_runs_free(&c->runs, c->ctx);
    ts_buf_free(c->ctx, &c->notes);
}

/* --- what was found ------------------------------------------------------------------------ */

static ts_code print_all(comparing *c)
{
    diff_comparison *d = &c->d;
    diff_report report = {.result = &d->result,
                          .sides = d->sides,
                          .others = d->others.p,
                          .losses = c->losses,
                          .runs = c->runs.count};
    ts_code code = diff_losses(c->losses, d);
    report.notes = ts_buf_text(&c->notes);
    report.failed = diff_failed(d);
    TS_STEP_IF(code, !c->options->quiet, diff_say(c->ctx, &report));
    TS_STEP(code, diff_print(&c->out, &report, c->options->output, isatty(STDOUT_FILENO) == 1));
    c->failed = report.failed;
    return code != TS_OK ? code : diff_say_failures(c->ctx, &report);
}

/* --to instead of rows. */
static ts_code compare_pictures(comparing *c)
{
    diff_comparison *d = &c->d;
    if (d->one && diff_sides_same(d->sides)) {
        return diff_same(d);
    }
    ts_code code = diff_labels(d);
    TS_STEP(code, diff_export(c->ctx, c->options, d));
    return code != TS_OK ? code : diff_losses(c->losses, d);
}

/* --flame-diff: the picture beside the rows. */
static ts_code write_flame(comparing *c, const diff_comparison *d)
{
    ts_options flame = *c->options;
    flame.to = "flame";
    flame.out = flame.flame_diff;
    return diff_export(c->ctx, &flame, d);
}

/* Of a baseline the side before is its most typical run. */
static ts_code write_flame_of_run(const comparing *c)
{
    const diff_comparison *d = &c->d;
    ts_options options = *c->options;
    const char *paths[2] = {c->runs.paths[diff_baseline_typical(d->baseline, d->shape.main)],
                            options.paths[0]};
    comparing pair = {.ctx = c->ctx, .options = &options};
    options.paths = paths;
    options.path_count = 2;
    begin(&pair);
    pair.d.asked.note = NULL;
    ts_code code = diff_prepare(&pair.d);
    TS_STEP(code, open_sides(&pair));
    TS_STEP(code, diff_labels(&pair.d));
    TS_STEP(code, write_flame(&pair, &pair.d));
    end(&pair);
    return code;
}

static ts_code write_flames(comparing *c)
{
    if (c->runs.count > 0) {
        return write_flame_of_run(c);
    }
    return c->d.one && diff_sides_same(c->d.sides) ? diff_same(&c->d) : write_flame(c, &c->d);
}

static ts_code compare(comparing *c)
{
    ts_code code = c->options->to == NULL ? TS_OK : diff_export_check(c->ctx, c->options);
    TS_STEP(code, diff_prepare(&c->d));
    TS_STEP(code, open_sides(c));
    if (code == TS_OK && c->options->to != NULL) {
        return compare_pictures(c);
    }
    ts_signals_hurry(true);
    TS_STEP(code, diff_run(&c->d));
    TS_STEP(code, diff_labels(&c->d));
    ts_signals_hurry(false);
    TS_STEP_IF(code, c->options->flame_diff != NULL, write_flames(c));
    ts_signals_hurry(true);
    TS_STEP(code, print_all(c));
    ts_signals_hurry(false);
    return code;
}

int ts_diff(ts_ctx *ctx, const ts_options *options)
{
    comparing c = {.ctx = ctx, .options = options};
    ts_code code =
        options->baseline == NULL ? TS_OK : diff_runs_list(&c.runs, ctx, options->baseline);
    begin(&c);
    ts_output_init(&c.out, ctx, STDOUT_FILENO, "standard output");
    TS_STEP(code, options->at == NULL ? compare(&c) : diff_fleet(&c.failed, ctx, options, &c.out));
    if (code != TS_OK) {
        ts_print_error(ctx, &ctx->error);
    }
    int exit_code = code == TS_OK && c.failed ? TS_EXIT_DIFFERS : ts_exit_code(ctx, code);
    end(&c);
    ts_output_free(&c.out);
    return exit_code;
}
