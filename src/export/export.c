#include "export/export.h"

#include "base/buf.h"

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

ts_code ts_export_run(ts_ctx *ctx, const ts_export *what, const ts_export_input *input,
                      const ts_export_output *output)
{
    if (input->before != NULL && !what->difference) {
        return ts_fail(ctx, TS_ERR_USAGE, "--to=%s cannot show a difference", what->name);
    }
    if (input->dimension != NULL && !what->dimensions) {
        return ts_fail(ctx, TS_ERR_USAGE, "--to=%s has no dimensions: --dimension is not for it",
                       what->name);
    }
    if ((input->lp_derived || input->lp_extended) && !what->points) {
        return ts_fail(ctx, TS_ERR_USAGE, "--to=%s has no points: %s is for line-protocol",
                       what->name, input->lp_derived ? "--lp-derived" : "--lp-extended");
    }
    ts_log(ctx, TS_LOG_INFO, "export %s", what->name);
    ts_code code = what->run(ctx, input, output);
    return code == TS_OK || code == TS_ERR_USAGE
               ? code
               : ts_cause(ctx, "the export %s failed", what->name);
}
