#include "export/export_parts.h"

#include "base/alloc.h"

#define EXPORT_LISTED(name) &ts_export_##name,
const ts_export *const ts_exports[] = {TS_EXPORTS(EXPORT_LISTED) NULL};

static ts_code export_unknown(ts_ctx *ctx, const char *name)
{
    ts_buf names = {0};
    ts_code code = TS_OK;
    for (unsigned i = 0; ts_exports[i] != NULL && code == TS_OK; i++) {
        code = ts_buf_printf(ctx, &names, "%s%s", i == 0 ? "" : ", ", ts_exports[i]->name);
    }
    TS_STEP(code, ts_fail(ctx, TS_ERR_USAGE, "unknown format for --to: \"%.100s\"; known are: %.*s",
                          name, (int)names.n, names.p));
    ts_buf_free(ctx, &names);
    return code;
}

ts_code ts_export_find(const ts_export **out, ts_ctx *ctx, const char *name)
{
    for (unsigned i = 0; ts_exports[i] != NULL; i++) {
        if (strcmp(ts_exports[i]->name, name) == 0) {
            *out = ts_exports[i];
            return TS_OK;
        }
    }
    return export_unknown(ctx, name);
}

ts_code ts_parts_calls(ts_parts *x, unsigned frame_parts, ts_calls_load load)
{
    x->frames.parts = frame_parts;
    return ts_calls_open(&x->calls, x->ctx, x->reader, &x->input->side.filter, &x->frames, load);
}

/* A writer's text on its way to the output. */
typedef struct export_sink {
    ts_jout *w;
    const ts_export_output *output;
} export_sink;

static int export_take(void *user, const void *bytes, size_t len)
{
    const export_sink *sink = user;
    ts_jout_fail(sink->w, sink->output->put(sink->output->user, bytes, len));
    ts_jout_fail(sink->w, ts_check_cancel(sink->w->ctx));
    return (int)sink->w->code;
}

static ts_code export_run(ts_ctx *ctx, const ts_export *what, const ts_export_input *input,
                          const ts_export_output *output)
{
    ts_parts *x = ts_zalloc(ctx, 1, what->work);
    TS_NEED(ctx, x);
    export_sink sink = {&x->w, output};
    x->ctx = ctx;
    x->reader = input->side.reader;
    x->input = input;
    x->output = output;
    ts_jout_begin(&x->w, ctx, export_take, &sink);
    x->w.null_is_empty = true;
    ts_jout_fail(&x->w, what->run(x));
    ts_code code = ts_jout_end(&x->w);
    if (what->release != NULL) {
        what->release(x);
    }
    ts_metrics_free(&x->metrics, ctx);
    ts_methods_free(&x->methods, ctx);
    ts_uploads_free(&x->uploads, ctx);
    ts_naming_free(&x->names, ctx);
    ts_calls_free(&x->calls);
    ts_frames_free(ctx, &x->frames);
    ts_free(ctx, x);
    return code;
}

ts_code ts_export_run(ts_ctx *ctx, const ts_export *what, const ts_export_input *input,
                      const ts_export_output *output)
{
    if (input->before != NULL && !what->difference) {
        return ts_fail(ctx, TS_ERR_USAGE, "--to=%s cannot show a difference", what->name);
    }
    if (input->several != NULL && !what->several) {
        return ts_fail(ctx, TS_ERR_USAGE, "--to=%s writes one database", what->name);
    }
    if (input->dimension != NULL && !what->dimensions) {
        return ts_fail(ctx, TS_ERR_USAGE, "--to=%s has no dimensions: --dimension is not for it",
                       what->name);
    }
    if ((input->lp_derived || input->lp_extended) && !what->points) {
        return ts_fail(ctx, TS_ERR_USAGE, "--to=%s has no points: %s is for line-protocol",
                       what->name, input->lp_derived ? "--lp-derived" : "--lp-extended");
    }
    if (what->folder && output->file == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "--to=%s writes a folder of files", what->name);
    }
    ts_log(ctx, TS_LOG_INFO, "export %s", what->name);
    ts_code code = export_run(ctx, what, input, output);
    return code == TS_OK || code == TS_ERR_USAGE
               ? code
               : ts_cause(ctx, "the export %s failed", what->name);
}
