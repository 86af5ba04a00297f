/*
 * "cut": the part of a recording that shows a problem, as a database of its own. A recording is
 * first converted into a file without a name in the directory for temporary files.
 */
#include "cli/verbs.h"

#include "cli/exit_codes.h"
#include "cli/outputs.h"
#include "cli/print.h"
#include "cli/signals.h"
#include "model/model.h"
#include "model/select.h"
#include "tables/cut.h"
#include "tables/publish.h"

#include <inttypes.h>

typedef struct cut_verb {
    ts_ctx *ctx;
    const ts_options *o;
    ts_outputs outputs;
    ts_db *from;
    ts_target *converted; /* below `from`, when it was a recording */
    ts_target *target;
    ts_model *model;
    ts_select select;
    ts_cut_done done;
} cut_verb;

static bool wants_thread(void *user, bool has, int64_t itid)
{
    return ts_select_thread(&((const cut_verb *)user)->select, has, itid);
}

static bool wants_source(void *user, bool has, int64_t id)
{
    const ts_idset *sources = &((const cut_verb *)user)->select.sources;
    return has ? ts_idset_has(sources, id) : sources->all;
}

/* What was typed, before the database is written: times and names may be wrong. */
static ts_code choose(cut_verb *v)
{
    const ts_options *o = v->o;
    const ts_wanted wanted = {
        .source = o->source, .thread = o->thread, .from = o->from, .until = o->until};
    const ts_rows_from rows = ts_db_rows(v->from);
    TS_TRY(ts_model_open(&v->model, v->ctx));
    ts_model_read(v->model, &rows);
    ts_model_begin(v->model);
    return ts_select_make(&v->select, v->model, &wanted);
}

static ts_code cut_into(cut_verb *v)
{
    const ts_options *o = v->o;
    const ts_cut_wanted wanted = {.from = v->select.span.from,
                                  .until = v->select.span.to,
                                  .user = v,
                                  .thread = wants_thread,
                                  .source = wants_source,
                                  .threads = o->thread,
                                  .sources = o->source};
    ts_signals_guard(TS_GUARD_DATABASE, ts_target_path(v->target));
    ts_signals_hurry(true);
    ts_code code = ts_db_cut(&v->done, v->from, ts_target_path(v->target), &wanted);
    ts_signals_hurry(false);
    if (code != TS_OK) {
        return ts_cause(v->ctx, "cannot cut: path=\"%s\"", o->paths[0]);
    }
    return ts_outputs_publish(v->target);
}

static ts_code cut_run_verb(cut_verb *v)
{
    ts_target_options how = {.force = v->o->force, .sync = v->o->sync};
    ts_options asked = *v->o;
    asked.export_db = NULL;
    asked.query = ""; /* its rows are wanted */
    TS_TRY(ts_outputs_check(&v->outputs, v->ctx, v->o, NULL));
    how.reads = ts_outputs_reads(&v->outputs);
    TS_TRY(ts_target_open(&v->target, v->ctx, v->o->export_db, &how));
    TS_TRY(ts_convert_to_ask(&v->from, &v->converted, v->ctx, &asked));
    TS_TRY(choose(v));
    return cut_into(v);
}

static void say_done(const cut_verb *v)
{
    ts_message(v->ctx, "%s: %" PRIu64 " rows, %" PRIu64 " were left out", v->o->export_db,
               v->done.kept, v->done.left_out);
    ts_print_left_out(v->ctx, v->done.unknown);
}

int ts_cut_verb(ts_ctx *ctx, const ts_options *options)
{
    cut_verb v = {.ctx = ctx, .o = options};
    ts_code code = cut_run_verb(&v);
    if (code != TS_OK) {
        ts_print_error(ctx, &ctx->error);
    } else if (!options->quiet) {
        say_done(&v);
    }
    const int exit_code = ts_exit_code(ctx, code);
    ts_signals_guard(TS_GUARD_DATABASE, NULL);
    ts_select_free(ctx, &v.select);
    ts_model_close(v.model);
    ts_db_close(v.from);
    ts_target_free(v.converted);
    ts_target_free(v.target);
    ts_outputs_free(&v.outputs);
    return exit_code;
}
