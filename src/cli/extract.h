/*
 * -s: writes the recordings that are contained in an input as files of their own.
 *
 * <input>.<name> in the directory of -o: "trace.htrace.Snapshot0.heapsnapshot"; one that was cut is
 * called "trace.htrace.Snapshot0.incomplete.heapsnapshot". A second input of the same name gets
 * "-2" after its name. A file has no name before it is whole, so nothing partial is ever left.
 */
#ifndef TS_CLI_EXTRACT_H
#define TS_CLI_EXTRACT_H

#include "base/pool.h"
#include "cli/nameless.h"
#include "cli/options.h"
#include "cli/outputs.h"
#include "parsers/format.h"

typedef struct ts_extractor {
    ts_ctx *ctx;
    const ts_options *options;
    ts_outputs *outputs;
    int dir; /* -o */
    ts_nameless_folder folder;
    ts_pool names; /* of this run */
    uint64_t files;
    uint64_t bytes;
    uint64_t incomplete;
} ts_extractor;

/*
 * Opens the directory: TS_ERR_OUTPUT when that is not possible. hooks is for ts_import_request.
 * Close with ts_extractor_close, also after an error.
 */
ts_code ts_extractor_open(ts_extractor *x, ts_extract *hooks, ts_ctx *ctx,
                          const ts_options *options, ts_outputs *outputs);
void ts_extractor_close(ts_extractor *x);

#endif
