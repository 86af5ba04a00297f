/* The JSON writer (base/json_out.h) for exports. */
#ifndef TS_EXPORT_EXPORT_JSON_H
#define TS_EXPORT_EXPORT_JSON_H

#include "base/json_out.h"
#include "export/export.h"

/* Where a writer's text goes. */
typedef struct ts_export_sink {
    ts_jout *json;
    const ts_export_output *out;
} ts_export_sink;

/* Begins a writer to `out`, with what `sink` keeps for it; a failure of `out` is the writer's.
 * NULL is an empty text. */
void ts_export_json(ts_jout *j, ts_export_sink *sink, ts_ctx *ctx, const ts_export_output *out);

#endif
