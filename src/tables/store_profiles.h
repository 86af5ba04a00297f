/*
 * What formats with profiles share of their tables: the row of a profile, the kinds of values, and
 * threads that have a name only.
 */
#ifndef TS_TABLES_STORE_PROFILES_H
#define TS_TABLES_STORE_PROFILES_H

#include "tables/profile_kinds.h"
#include "tables/store.h"

/* A UUID of version 8 made of the bytes of a file, in whatever blocks they come. */
typedef struct ts_profile_id {
    ts_hash hash;
    uint64_t total;
    uint8_t rest[8];
    size_t rest_n;
} ts_profile_id;

enum { TS_PROFILE_ID = 37 };

void ts_profile_id_begin(ts_profile_id *id);
void ts_profile_id_add(ts_profile_id *id, const uint8_t *p, size_t n);
/* Writes it in its usual form; ends the use of *id. */
void ts_profile_id_end(char out[TS_PROFILE_ID], ts_profile_id *id);

/* A row with the source's id, its number, the format, and NULL everywhere else. */
void ts_profile_row(ts_row_profile *row, ts_store *store, int64_t source_id, const char *format);

/* start_ts, end_ts and dur from what is known of them (TS_NO_TIME: nothing). */
void ts_profile_times(ts_row_profile *row, int64_t start, int64_t end, int64_t dur);

/* Writes the row; while an upload is being read, what it says is joined with that instead. Texts
 * are borrowed for the call. Errors: memory. */
ts_code ts_profile_put(ts_store *store, const ts_row_profile *row);

/*
 * An upload: several files that are one profile. From its begin to its end the rows that importers
 * put (ts_profile_put) are not written; their cells fill those of the upload's row that are NULL,
 * and its times, where they are not set, are the first and the last of all files.
 *
 * Errors of all: memory. At most one upload is open at a time.
 */
ts_code ts_upload_begin(ts_store *store, int64_t source_id);

/* Its row so far: numbers may be set. Valid until its end. */
ts_row_profile *ts_upload_row(ts_store *store);

/* Sets a text of the row, which is copied. */
ts_code ts_upload_text(ts_store *store, ts_text *cell, ts_text text);

/* The language that the metadata of the open upload names; NULL: none, or there is no upload. */
ts_text ts_upload_language(const ts_store *store);

/* A file of the upload. After the import of its importer, the end takes over what it said (keep),
 * or forgets it because any byte of it may be wrong. */
typedef struct ts_upload_file {
    bool any;               /* it had the row of a profile */
    int64_t start, end;     /* what it says, or TS_NO_TIME */
    char id[TS_PROFILE_ID]; /* made of its bytes; "" when it is not known */
} ts_upload_file;
void ts_upload_file_begin(ts_store *store);
ts_code ts_upload_file_end(ts_upload_file *out, ts_store *store, bool keep);

/* Writes the row. */
ts_code ts_upload_end(ts_store *store);

/* Without a row: the import failed. */
void ts_upload_drop(ts_store *store);

/*
 * A kind of value: its rows in stack_value_type (name and unit of the database) and
 * profile_value_type. A kind without a name is called as its event, and so are "samples", which
 * questions take for the number of rows. file: name of the profile's file, or NULL.
 */
typedef struct ts_profile_type {
    int64_t id;
    int64_t scale;
    ts_text cause; /* for stack_sample.event; static or the name's */
} ts_profile_type;
ts_code ts_profile_type_add(ts_profile_type *out, ts_store *store, int64_t source_id,
                            int64_t profile_id, ts_text name, ts_text unit, ts_text file);

/* A thread that has no number. */
ts_code ts_profile_named_thread(int64_t *itid, ts_store *store, int64_t source_id, ts_text name);

/* value * scale, rounded to nothing: false when it does not fit. */
static inline bool ts_profile_scaled(int64_t *out, int64_t value, int64_t scale)
{
    return !__builtin_mul_overflow(value, scale, out);
}

#endif
