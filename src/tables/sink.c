#include "tables/sink.h"

#include "base/alloc.h"

const char ts_text_in_spool[1] = "";

ts_code ts_sink_put_long(ts_sink *sink, ts_ctx *ctx, enum ts_table_id table, const void *row,
                         ts_text *text, ts_spool *spool)
{
    size_t n = (size_t)ts_spool_size(spool);
    size_t got = 0;
    char *bytes;
    ts_code code;
    if (sink->put_long != NULL) {
        *text = (ts_text){ts_text_in_spool, n};
        code = sink->put_long(sink->self, table, row, spool);
        sink->rows[table] += code == TS_OK ? 1 : 0;
        return code;
    }
    bytes = ts_alloc(ctx, n, 1);
    if (bytes == NULL) {
        return ctx->error.code;
    }
    code = ts_spool_read(&got, spool, 0, bytes, n);
    if (code == TS_OK) {
        *text = (ts_text){bytes, got};
        code = ts_sink_put(sink, table, row);
    }
    ts_free(ctx, bytes);
    return code;
}
