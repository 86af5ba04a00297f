/*
 * Drives the imports of one run: opens each argument, unwraps, sniffs, feeds the parser, and keeps
 * the input's `source` row, its byte counts and what went wrong with it.
 */
#ifndef TS_PARSERS_IMPORT_H
#define TS_PARSERS_IMPORT_H

#include "parsers/format.h"

typedef struct ts_progress {
    void *user;
    /* done / total raw bytes of the current argument (total -1 when unknown). Called per block. */
    void (*update)(void *user, const char *name, uint64_t done, int64_t total);
} ts_progress;

typedef struct ts_import_request {
    const char *const *paths; /* arguments in order */
    size_t path_count;
    const char *directory;   /* -D, or NULL */
    const ts_format *format; /* --format, or NULL to sniff */
    const char
        *format_options;       /* of --format NAME:OPTIONS, which the format has checked, or NULL */
    const char *jfr_events;    /* --jfr-events, or NULL */
    const ts_extract *extract; /* -s, or NULL */
    const ts_progress *progress;
    bool keep_going; /* an argument that cannot be opened is a failed input, not the end */
    /* Called for each input that could not be imported, with the reason; NULL: not wanted. */
    void (*failed)(void *user, const char *reason);
    void *failed_user;
    bool read_ahead;   /* compressed files are read by a thread of their own */
    size_t block_size; /* bytes per feed; 0 = default (256 KiB). Never changes the rows. */
} ts_import_request;

typedef struct ts_import_result {
    uint32_t imported;      /* inputs from which something was imported */
    uint32_t failed;        /* inputs that could not be imported at all */
    uint64_t bytes;         /* unwrapped bytes read */
    const ts_format *first; /* format of the first imported input */
} ts_import_result;

/* How sure a format is (TS_SNIFF_NO to TS_SNIFF_SURE) that files of these names, sorted, in the
 * directory `name` are one recording together. */
int ts_import_sniff_files(const char *name, const char *const *names, uint32_t n);

/*
 * Imports everything asked for. An argument that cannot be opened is TS_ERR_INPUT before anything
 * is read, as far as that can be seen, unless the request says keep_going. Else with several inputs
 * one good one gives TS_OK; each other becomes an issue. When none could be imported the code is
 * that of the first failure (TS_ERR_INPUT or TS_ERR_FORMAT). TS_ERR_LIMIT, _NOMEM, _OUTPUT,
 * _INTERRUPTED and _INTERNAL stop at once.
 */
ts_code ts_import_run(ts_import_result *result, ts_ctx *ctx, ts_store *store,
                      const ts_import_request *request);

/*
 * The same in steps, for inputs that are not files: those that are fed, in their order, then the
 * request's paths. `request` and `result` must outlive the run, which ts_import_close ends, also
 * after an error; only then may the store be finished.
 */
ts_code ts_import_open(ts_run **out, ts_import_result *result, ts_ctx *ctx, ts_store *store,
                       const ts_import_request *request);
void ts_import_close(ts_run *run);

/*
 * Bytes of the input `name`, a base name that is the same for all of its pieces; last: it ends
 * with these. What is neither compressed nor an archive goes to its parser as it comes, the rest is
 * kept in a spool until it is whole. An input that cannot be imported is recorded as one of several
 * is. Errors: those that end the run.
 */
ts_code ts_import_feed(ts_run *run, const char *name, const void *bytes, size_t n, bool last);

/* The paths of the request. Errors as ts_import_run. */
ts_code ts_import_paths(ts_run *run);

/* After the last input. When none could be imported the code is that of the first failure. */
ts_code ts_import_end(ts_run *run);

#endif
