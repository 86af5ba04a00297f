/* The progress line: on a terminal only, at most ten times a second, erased at the end. */
#ifndef TS_CLI_PROGRESS_H
#define TS_CLI_PROGRESS_H

#include "parsers/import.h"

typedef struct ts_progress_line {
    ts_ctx *ctx;
    bool enabled;
    bool shown;
    double started;    /* of the current argument, s */
    double last;       /* when the line was drawn, s */
    uint64_t previous; /* bytes at the last update: fewer means a new argument */
} ts_progress_line;

/* hooks gets the callback for ts_import_request. */
void ts_progress_init(ts_progress_line *line, ts_progress *hooks, ts_ctx *ctx, bool enabled);

/* Erases the line when one is shown. */
void ts_progress_clear(ts_progress_line *line);

/*
 * The text of the line into out[0..cap), without control characters: name, done bytes of total (-1
 * unknown) after `seconds`. No division by a time or size of zero.
 */
void ts_progress_text(char *out, size_t cap, const char *name, uint64_t done, int64_t total,
                      double seconds);

#endif
