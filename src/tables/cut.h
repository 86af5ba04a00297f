/*
 * A part of a finished database is written anew: rows of a time and of threads, and everything that
 * they refer to (part_rules.h). Ids, row numbers and values stay, so that who reads the part and
 * who has the whole speak of the same; the issues are those of the whole, with one more for each
 * table of which rows are missing. CPU profiles lose their short form (sample_rows.h).
 *
 * Which rows those are is found by going over the tables until no row refers to something new.
 * Memory: a set of ids for each column that is referred to, less than a byte an id.
 */
#ifndef TS_TABLES_CUT_H
#define TS_TABLES_CUT_H

#include "base/buf.h"
#include "tables/database.h"

typedef struct ts_cut_wanted {
    int64_t from, until; /* on the clock of the rows; INT64_MIN and INT64_MAX: all, also without a
                            time */
    void *user;
    /* Whether rows of a thread or of a source are wanted; has false: of none. */
    bool (*thread)(void *user, bool has, int64_t itid);
    bool (*source)(void *user, bool has, int64_t id);
    const char *threads, *sources; /* as they were typed, for meta; NULL: all */
} ts_cut_wanted;

typedef struct ts_cut_done {
    uint64_t kept, left_out; /* rows */
    unsigned unknown;        /* tables, views, indexes and triggers that are not this program's */
} ts_cut_done;

/* Writes to the empty file `to`. TS_ERR_INPUT when `from` has another version of the schema. */
ts_code ts_db_cut(ts_cut_done *done, ts_db *from, const char *to, const ts_cut_wanted *wanted);

#endif
