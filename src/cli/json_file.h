/* Where the object of --json goes (text_file.h). */
#ifndef TS_CLI_JSON_FILE_H
#define TS_CLI_JSON_FILE_H

#include "cli/summary.h"
#include "cli/text_file.h"

/* Makes ready what --json asks for, or nothing. Close with ts_text_file_close, also after an error.
 */
ts_code ts_json_file_open(ts_text_file *j, ts_ctx *ctx, const ts_options *options,
                          ts_outputs *outputs);

/* Writes the object, in place of what was written before. */
ts_code ts_json_file_write(ts_text_file *j, const ts_summary *summary);

#endif
