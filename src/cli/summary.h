/* What a run did: the text for people on standard error, the object of --json. */
#ifndef TS_CLI_SUMMARY_H
#define TS_CLI_SUMMARY_H

#include "base/buf.h"
#include "cli/extract.h"
#include "cli/options.h"
#include "parsers/import.h"

typedef struct ts_summary {
    ts_ctx *ctx;
    const ts_options *options;
    ts_store *store;               /* NULL: nothing was imported */
    const ts_extractor *extractor; /* NULL without -s */
    ts_import_result result;
    double seconds;
    double index_seconds;
    double analysis_seconds;
    unsigned analyses;  /* that ran, but for those that cost nothing */
    const char *target; /* the database that is written, or NULL */
    int exit_code;
    const ts_error *error; /* NULL when all went well */
} ts_summary;

/* Issues that mean missing rows. */
uint64_t ts_summary_losses(const ts_summary *s);

/* Appends the text of the closing summary; its lines are escaped for a terminal. */
ts_code ts_summary_text(ts_buf *out, const ts_summary *s);

/* Appends one line of it without its end, for a run whose result is something else. */
ts_code ts_summary_line(ts_buf *out, const ts_summary *s);

/* Appends the object of --json and a newline. */
ts_code ts_summary_json(ts_buf *out, const ts_summary *s);

#endif
