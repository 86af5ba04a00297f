#include "export/export_json.h"

static int export_take(void *user, const void *bytes, size_t len)
{
    const ts_export_sink *sink = user;
    ts_jout_fail(sink->json, sink->out->put(sink->out->user, bytes, len));
    ts_jout_fail(sink->json, ts_check_cancel(sink->json->ctx));
    return (int)sink->json->code;
}

void ts_export_json(ts_jout *j, ts_export_sink *sink, ts_ctx *ctx, const ts_export_output *out)
{
    *sink = (ts_export_sink){j, out};
    ts_jout_begin(j, ctx, export_take, sink);
    j->null_is_empty = true;
}
