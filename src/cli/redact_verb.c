/*
 * "redact", and --redact at a conversion: a database whose texts are tokens. A recording is first
 * converted into a file without a name in the directory for temporary files, so that no database
 * with its texts is left, however the run ends.
 */
#include "cli/verbs.h"

#include "cli/exit_codes.h"
#include "cli/outputs.h"
#include "cli/print.h"
#include "cli/redact_key.h"
#include "cli/signals.h"
#include "model/pattern.h"
#include "tables/publish.h"
#include "tables/redact.h"

#include <inttypes.h>

typedef struct redact_verb {
    ts_ctx *ctx;
    const ts_options *o;
    ts_redactor r;
    ts_vec keeps; /* ts_pattern */
    ts_outputs outputs;
    ts_db *from;
    ts_target *converted; /* below `from`, when it was a recording */
    ts_target *target;
    ts_redacted done;
} redact_verb;

static ts_redact_level level_of(const char *name)
{
    return name == NULL || strcmp(name, "all") == 0 ? TS_REDACT_ALL
           : strcmp(name, "names") == 0             ? TS_REDACT_NAMES
                                                    : TS_REDACT_STRINGS;
}

static bool is_kept(void *user, ts_text text)
{
    redact_verb *v = user;
    ts_pattern *all = v->keeps.p;
    bool kept = false;
    for (size_t i = 0; i < v->keeps.n && !kept; i++) {
        kept = ts_pattern_in(&all[i], text);
    }
    return kept;
}

static ts_code make_keep(redact_verb *v, const char *expression)
{
    ts_buf text = {0};
    ts_pattern *p;
    TS_NEED(v->ctx, p = ts_vec_add(v->ctx, &v->keeps, sizeof *p));
    *p = (ts_pattern){0};
    ts_code code = ts_buf_printf(v->ctx, &text, "/%s/", expression);
    TS_STEP(code, text.n < 3 ? ts_fail(v->ctx, TS_ERR_USAGE, "--redact-keep= keeps everything")
                             : ts_pattern_make(p, v->ctx, ts_buf_text(&text)));
    if (code != TS_OK) {
        ts_cause(v->ctx, "bad value for --redact-keep: \"%s\"", expression);
    }
    ts_buf_free(v->ctx, &text);
    return code;
}

/* What may go wrong before the recording is read, which takes longest. */
static ts_code begin(redact_verb *v)
{
    const ts_options *o = v->o;
    const ts_target_options how = {
        .force = o->force, .sync = o->sync, .reads = ts_outputs_reads(&v->outputs)};
    ts_code code = ts_outputs_check(&v->outputs, v->ctx, o, NULL);
    v->r.level = level_of(o->redact);
    v->r.user = v;
    v->r.keep = o->redact_keep.count == 0 ? NULL : is_kept;
    for (size_t i = 0; i < o->redact_keep.count && code == TS_OK; i++) {
        code = make_keep(v, o->redact_keep.all[i]);
    }
    TS_STEP(code, ts_redactor_init(&v->r, v->ctx));
    TS_STEP(code, ts_target_open(&v->target, v->ctx, o->export_db, &how));
    TS_STEP(code, ts_redact_key(&v->r.key, v->ctx, o->redact_key, true));
    return code;
}

static ts_code redact_run_verb(redact_verb *v)
{
    ts_options asked = *v->o;
    asked.export_db = NULL;
    asked.query = ""; /* its rows are wanted */
    TS_TRY(begin(v));
    TS_TRY(ts_convert_to_ask(&v->from, &v->converted, v->ctx, &asked));
    ts_signals_guard(TS_GUARD_DATABASE, ts_target_path(v->target));
    ts_signals_hurry(true);
    ts_code code = ts_db_redact(&v->done, v->from, ts_target_path(v->target), &v->r);
    ts_signals_hurry(false);
    if (code != TS_OK) {
        return ts_cause(v->ctx, "cannot redact: path=\"%s\"", v->o->paths[0]);
    }
    return ts_outputs_publish(v->target);
}

static void say_done(const redact_verb *v)
{
    ts_message(v->ctx, "%s: %" PRIu64 " texts became tokens%s%s", v->o->export_db, v->done.tokens,
               v->o->redact_key == NULL ? "" : "; the key is in ",
               v->o->redact_key == NULL ? "" : v->o->redact_key);
    ts_print_left_out(v->ctx, v->done.left_out);
}

int ts_redact_verb(ts_ctx *ctx, const ts_options *options)
{
    redact_verb v = {.ctx = ctx, .o = options};
    ts_code code = redact_run_verb(&v);
    if (code != TS_OK) {
        ts_print_error(ctx, &ctx->error);
    } else if (!options->quiet) {
        say_done(&v);
    }
    const int exit_code = ts_exit_code(ctx, code);
    ts_signals_guard(TS_GUARD_DATABASE, NULL);
    for (size_t i = 0; i < v.keeps.n; i++) {
        ts_pattern_free((ts_pattern *)v.keeps.p + i);
    }
    ts_vec_free(ctx, &v.keeps);
    ts_redactor_free(&v.r);
    ts_db_close(v.from);
    ts_target_free(v.converted);
    ts_target_free(v.target);
    ts_outputs_free(&v.outputs);
    return exit_code;
}
