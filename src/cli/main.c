/*
 * trace_streamer: turns profiler recordings into one SQLite database.
 *
 * The locale is never set: numbers and sorting are the same everywhere.
 */
#include "base/config_path.h"
#include "cli/verbs.h"
#include "cli/exit_codes.h"
#include "cli/print.h"
#include "cli/signals.h"
#include "version_made.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int about(ts_ctx *ctx, const ts_options *options)
{
    ts_output out;
    ts_output_init(&out, ctx, STDOUT_FILENO, "standard output");
    ts_code code = ts_output_end(&out, ts_about(&out.buf, ctx, options));
    if (code != TS_OK) {
        ts_print_error(ctx, &ctx->error);
    }
    return ts_exit_code(ctx, code);
}

/* Folders of the user's own questions: those of the variable, and that of the user's settings. */
static const char *question_dirs(char *out, size_t n)
{
    const char *named = getenv("TRACE_STREAMER_SQL");
    size_t used = named == NULL ? 0 : strlen(named);
    if (used + 2 > n) {
        return NULL; /* longer than any path */
    }
    memcpy(out, named == NULL ? "" : named, used);
    out[used] = '\0';
    if (ts_config_path(out + used + 1, n - used - 1, "sql")) {
        out[used] = ':';
    }
    return out;
}

/* What the verbs do, by ts_verb; the others are modes. */
static int (*const verbs[])(ts_ctx *ctx, const ts_options *options) = {
    [TS_VERB_NONE] = ts_convert,
    [TS_VERB_DIFF] = ts_diff,
    [TS_VERB_SERVE] = ts_serve,
    [TS_VERB_SAMPLE] = ts_sample_verb,
    [TS_VERB_UPGRADE] = ts_upgrade,
    [TS_VERB_FLEET] = ts_fleet_verb,
    [TS_VERB_MCP] = ts_mcp_verb,
    [TS_VERB_CUT] = ts_cut_verb,
    [TS_VERB_MERGE] = ts_merge_verb,
    [TS_VERB_REDACT] = ts_redact_verb,
    [TS_VERB_UNREDACT] = ts_unredact_verb,
};

int main(int argc, char **argv)
{
    ts_ctx ctx;
    ts_options options;
    char dirs[2 * PATH_MAX];
    int exit_code;
    ts_standard_descriptors();
    ts_ctx_init(&ctx);
    ctx.version = TS_VERSION;
#ifdef __EMSCRIPTEN__
    ctx.share_dir = getenv("TRACE_STREAMER_SHARE"); /* it has no folder of its own to look from */
#endif
    ctx.question_dirs = question_dirs(dirs, sizeof dirs);
    ctx.cancel = ts_signals_install();
    ts_code code = ts_options_parse(&options, &ctx, argc, argv);
    if (code != TS_OK) {
        ts_print_error(&ctx, &ctx.error);
        if (code == TS_ERR_USAGE) {
            bool told = options.verb == TS_VERB_HELP || options.verb == TS_VERB_VERSION;
            const char *verb = told ? "" : ts_verb_list[options.verb].name;
            ts_message(&ctx, "hint: trace_streamer %s%s--help shows the options", verb,
                       verb[0] == '\0' ? "" : " ");
        }
        exit_code = ts_exit_code(&ctx, code);
    } else if (options.mode != TS_MODE_RUN) {
        exit_code = about(&ctx, &options);
    } else {
        exit_code = options.verb != TS_VERB_NONE ? verbs[options.verb](&ctx, &options)
                    : options.at != NULL         ? ts_fleet_load_all(&ctx, &options)
                    : options.each               ? ts_convert_each(&ctx, &options)
                    : options.redact != NULL     ? ts_redact_verb(&ctx, &options)
                                                 : ts_convert(&ctx, &options);
    }
    ts_options_free(&options, &ctx);
    return exit_code;
}
