/*
 * A conversion without where it comes from and where it goes: recordings that are read or fed,
 * the analyses, and the end of the database. The program and the library are made of it; it prints
 * nothing, publishes nothing and knows no signals.
 *
 *     ts_conversion s = {.ctx = ctx, .db = db, .request = {.paths = paths, .path_count = n}};
 *     ts_code code = ts_conversion_begin(&s);
 *     TS_STEP(code, ts_conversion_import(&s));
 *     TS_STEP(code, ts_conversion_end(&s));
 *     ts_conversion_free(&s);
 */
#ifndef TS_SESSION_CONVERSION_H
#define TS_SESSION_CONVERSION_H

#include "analysis/analysis.h"
#include "base/buf.h"
#include "parsers/import.h"
#include "tables/database.h"

typedef struct ts_conversion {
    /* Set by the caller before ts_conversion_begin; zeroed members are the defaults. */
    ts_ctx *ctx;
    ts_db *db;                 /* NULL: rows are dropped. The caller's, who closes it. */
    ts_import_request request; /* its progress is told about analyses, too */
    ts_store_options store_options;
    ts_analysis_set analyses; /* of ts_analysis_choose */
    const char *viewer;       /* of --viewer, or NULL */
    bool threads;             /* rows are written by a thread of their own */
    bool index;
    /* NULL, or told when a step begins and ends that does not look for ts_ctx.cancel. */
    void (*hurry)(void *user, bool on);
    void *hurry_user;

    /* What it did. */
    ts_store *store; /* NULL: not begun */
    ts_import_result result;
    ts_buf idle; /* analyses that were asked for and had nothing to do, a sentence; "": none */
    double analysis_seconds, index_seconds;
    unsigned analyses_run; /* but for those that cost nothing */

    /* Its own. */
    ts_run *run;
    ts_sink dropping;
    const char *analysis; /* that runs */
    uint64_t read;        /* bytes, by it */
    bool adding, watched;
} ts_conversion;

/* Seconds of a clock that only goes forward. */
double ts_now(void);

/* --format NAME or NAME:OPTIONS into the request; `name` must outlive the conversion. TS_ERR_USAGE.
 */
ts_code ts_conversion_format(ts_conversion *s, const char *name);

/* --syscalls: "all", "none", a list, or NULL. */
void ts_conversion_syscalls(ts_ctx *ctx, const char *text);

/*
 * "FROM,TO" of --time-range; either may be missing (no end there). Each is a number of milliseconds
 * since 1970, a date and time of ISO 8601 (UTC unless it has an offset), or "+SECONDS" (or with a
 * unit: "+100ms") from the beginning of each recording. False: no such range, empty, or one of both
 * kinds.
 */
bool ts_parse_time_range(ts_time_range *out, const char *text);

/* Makes the store. Nothing may follow an error but ts_conversion_free. */
ts_code ts_conversion_begin(ts_conversion *s);

/* The paths and the directory of the request; errors as ts_import_run. */
ts_code ts_conversion_import(ts_conversion *s);

/* A piece of an input (ts_import_feed). */
ts_code ts_conversion_feed(ts_conversion *s, const char *name, const void *bytes, size_t n,
                           bool last);

/* The end of the inputs: runs the analyses, ends the store, and ends the database with its indexes.
 */
ts_code ts_conversion_end(ts_conversion *s);

/*
 * Instead of all of these: the analyses' rows are added to a finished database. The first copies
 * `from` to the empty file `to` and opens that as s->db; the second makes the rows and ends it.
 * TS_ERR_USAGE when none of them has anything to do.
 */
ts_code ts_conversion_open_copy(ts_conversion *s, const char *from, const char *to, bool replace);
ts_code ts_conversion_add(ts_conversion *s);

/* Releases all but the database. */
void ts_conversion_free(ts_conversion *s);

#endif
