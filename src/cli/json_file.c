#include "cli/json_file.h"

#include "cli/print.h"

ts_code ts_json_file_open(ts_text_file *j, ts_ctx *ctx, const ts_options *options,
                          ts_outputs *outputs)
{
    *j = (ts_text_file){.ctx = ctx, .fd = -1};
    if (!options->json) {
        return TS_OK;
    }
    return ts_text_file_open(j, ctx, options->json_file, options->sync, outputs);
}

ts_code ts_json_file_write(ts_text_file *j, const ts_summary *summary)
{
    ts_output out;
    if (j->name == NULL) {
        return TS_OK;
    }
    ts_output_init(&out, j->ctx, j->fd, j->name);
    ts_code code = ts_summary_json(&out.buf, summary);
    TS_STEP(code, ts_text_file_restart(j));
    TS_STEP(code, ts_output_flush(&out));
    if (out.gone) {
        code = TS_OK;
    }
    ts_output_free(&out);
    return code;
}
