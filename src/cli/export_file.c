#include "cli/outputs.h"

#include "session/ask.h"
#include "session/finished_reader.h"
#include "cli/print.h"
#include "cli/signals.h"

#include <inttypes.h>

/* Whether something is chosen that exports of stacks know. */
static bool is_filtered(const ts_options *o)
{
    return o->source != NULL || o->thread != NULL || o->event != NULL || o->label != NULL ||
           o->weight != NULL || o->from != NULL || o->until != NULL || o->demangle;
}

ts_code ts_export_file_check(const ts_export **what, ts_ctx *ctx, const ts_options *options)
{
    *what = NULL;
    if (options->to == NULL) {
        return TS_OK;
    }
    TS_TRY(ts_export_find(what, ctx, options->to));
    if (!(*what)->folder) {
        return options->layout == TS_LAYOUT_ANY
                   ? TS_OK
                   : ts_fail(ctx, TS_ERR_USAGE, "--layout is for --to=parquet, not for --to=%s",
                             (*what)->name);
    }
    return is_filtered(options)
               ? ts_fail(ctx, TS_ERR_USAGE,
                         "--to=%s writes whole tables: --source, --thread, --event, --label, "
                         "--weight, --from, --until and --demangle are not for it",
                         (*what)->name)
               : TS_OK;
}

void ts_export_guard(const char *path)
{
    ts_signals_guard(TS_GUARD_DATABASE, path);
}

ts_code ts_export_reader(ts_reader **reader, ts_target **copy, ts_ctx *ctx, const char *path)
{
    return ts_reader_finished(reader, copy, ctx, path, ts_export_guard);
}

const char *ts_export_title(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (strcmp(path, "-") == 0) {
        return "standard input";
    }
    return slash == NULL || slash[1] == '\0' ? path : slash + 1;
}

ts_stack_filter ts_stack_filter_of(const ts_options *options)
{
    return (ts_stack_filter){
        .wanted = {options->source, options->thread, options->from, options->until, options->label},
        .event = options->event,
        .weight = options->weight,
        .demangle = options->demangle};
}

/* What is written, and how much of it there may be. */
typedef struct export_out {
    ts_output *out;
    uint64_t written;
    uint64_t most; /* 0: no limit */
} export_out;

static ts_code export_put(void *user, const char *p, size_t n)
{
    export_out *e = user;
    e->written += n;
    if (e->most > 0 && e->written > e->most) {
        return ts_fail(e->out->ctx, TS_ERR_LIMIT,
                       "the output would be longer than %" PRIu64
                       " bytes: choose less by --source, --thread, --event, --from or --until, or "
                       "a format that shares call paths (--to=pprof), or give --max-output=SIZE",
                       e->most);
    }
    return ts_output_put(e->out, p, n);
}

ts_code ts_export_fits(ts_db *db, ts_ctx *ctx, const ts_export *what)
{
    ts_buf text = {0};
    ts_buf name = {0};
    ts_code code = ts_buf_printf(ctx, &text, "-- Topic: stacks\n-- Needs: %s\n", what->needs);
    TS_STEP(code, ts_buf_printf(ctx, &name, "--to=%s%c", what->name, 0));
    TS_STEP(code, ts_ask_check_fits(db, ctx, name.p, ts_buf_text(&text)));
    ts_buf_free(ctx, &name);
    ts_buf_free(ctx, &text);
    return code;
}

static ts_code write_input(ts_text_file *file, const ts_export *what, const ts_options *options,
                           ts_export_input *input)
{
    ts_output out;
    export_out limited = {.out = &out, .most = options->max_output};
    const ts_export_output output = {&limited, export_put, NULL};
    input->dimension = options->dimension;
    input->lp_derived = options->lp_derived;
    input->lp_extended = options->lp_extended;
    ts_output_init(&out, file->ctx, file->fd, file->name);
    ts_code code = ts_text_file_restart(file);
    TS_STEP(code, ts_export_run(file->ctx, what, input, &output));
    return ts_output_end(&out, code);
}

ts_code ts_export_file_write(ts_text_file *file, const ts_export *what, ts_db *db,
                             ts_reader *reader, const ts_export_side *before,
                             const ts_options *options, const char *title)
{
    ts_export_input input = {
        .side = {.reader = reader, .title = title, .filter = ts_stack_filter_of(options)},
        .before = before};
    TS_TRY(ts_export_fits(db, file->ctx, what));
    return write_input(file, what, options, &input);
}

ts_code ts_export_file_several(ts_text_file *file, const ts_export *what,
                               const ts_export_several *several, const ts_options *options,
                               const char *title)
{
    ts_export_input input = {.side = {.title = title}, .several = several};
    return write_input(file, what, options, &input);
}
