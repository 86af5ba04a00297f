/*
 * Uploads to Datakit: the profiles of one process at one time, and what is known of it. An upload
 * is a directory (or an archive of one) with an event file, or the form that a client sends, as its
 * body or as the whole request. Metadata is read first, then the profiles in it are imported by
 * their own formats below the upload's source; all of it is one row in profile.
 *
 * Memory: the metadata (up to 16 MiB), and 40 bytes a file.
 * Docs: docs/formats.md, "Datakit uploads".
 */
#ifndef TS_PARSERS_DATAKIT_DATAKIT_H
#define TS_PARSERS_DATAKIT_DATAKIT_H

#include "base/buf.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"
#include "json/json_fields.h"
#include "parsers/format.h"
#include "tables/store_profiles.h"

enum {
    DATAKIT_MAX_TEXT = 1 << 20,
    DATAKIT_MAX_TEXTS = 1 << 16,
    DATAKIT_MAX_BYTES = 16 << 20,
    DATAKIT_LEVELS = 8, /* of an event file: deeper values are left out */
};

/* --- metadata (datakit_metadata.c) ------------------------------------------------------------ */

/* A tag, or a member of the event file or value of the form. Numbers of texts. */
typedef struct datakit_pair {
    uint32_t key;
    uint32_t value;
    bool tag;
    bool used; /* a column has it */
} datakit_pair;

typedef struct datakit_meta {
    ts_ctx *ctx;
    ts_pool texts;
    ts_vec pairs; /* datakit_pair */
    ts_idmap by_key;
    ts_vec listed; /* uint32_t: names of attachments, as the event file lists them */
    bool has_list;
    bool form_tags; /* the form has values "tags[]" */
    ts_buf clean;
    uint64_t bytes;
    uint64_t seen, cut, too_many, bad_texts;
    uint64_t broken; /* files and times that cannot be read */
} datakit_meta;

/* How a value that there is already changes. */
typedef enum datakit_again { DATAKIT_REPLACE, DATAKIT_JOIN } datakit_again;

ts_code datakit_meta_put(datakit_meta *m, ts_text key, ts_text value, bool tag,
                         datakit_again again);

/* "key:value", or with commas a list of such. */
ts_code datakit_meta_tag(datakit_meta *m, ts_text text);
ts_code datakit_meta_tags(datakit_meta *m, ts_text text);

/* A name in the list of attachments. */
ts_code datakit_meta_listed(datakit_meta *m, ts_text name);

/* The value of the first of the names (divided by blanks, NULL ends) that is not empty, and notes
 * that it is used: of a tag, of a value, or of either. NULL: there is none. */
typedef enum datakit_where { DATAKIT_TAG = 1, DATAKIT_VALUE = 2, DATAKIT_EITHER = 3 } datakit_where;
ts_text datakit_meta_get(datakit_meta *m, const char *names, datakit_where where);

void datakit_meta_free(datakit_meta *m);

/* --- files of JSON (event.c, numbers.c) ------------------------------------------------------- */

/* An event file: members become values, by their paths. Zero-initialise but for m. */
typedef struct datakit_event {
    datakit_meta *m;
    const char *no_object; /* why the document is none, or NULL */
    ts_buf path;
    size_t ends[DATAKIT_LEVELS + 1]; /* of the path up to each level */
    bool array[DATAKIT_LEVELS + 1];
    uint64_t depth;
    ts_buf text;
} datakit_event;
extern const ts_json_handler datakit_event_handler;

/* After the document: values that are lists of tags. */
ts_code datakit_event_end(datakit_event *e);

/* A metrics.json: rows of profile_number. Zero-initialise but for the first three. */
typedef struct datakit_numbers {
    ts_json_place in; /* by datakit_numbers_table */
    ts_store *store;
    int64_t profile_id;
    const char *no_list; /* why the document is no list, or NULL */
    ts_buf name;
    ts_row_profile_number row;
    char text[64];
    unsigned place; /* in a pair */
    bool bad;       /* the pair */
    uint64_t put, lost;
} datakit_numbers;
extern const ts_json_table datakit_numbers_table;

/* --- times (datakit_times.c) ------------------------------------------------------------------ */

/* RFC 3339, with up to nine digits of a second. False: it is none, before 1970, or beyond 64 bits.
 */
bool datakit_time(int64_t *ns, ts_text text);

/* --- an upload (upload.c, row.c) -------------------------------------------------------------- */

typedef enum datakit_part {
    DATAKIT_EVENT,
    DATAKIT_FORM_VALUE,
    DATAKIT_METRICS,
    DATAKIT_FILE
} datakit_part;

/* A member of the set. */
typedef struct datakit_entry {
    uint32_t member;
    datakit_part part;
    size_t dir;  /* bytes of its name up to the last slash, with it */
    bool listed; /* by the event file, or there is no list */
    bool done;
} datakit_entry;

typedef struct datakit_upload {
    ts_job *job;
    ts_ctx *ctx;
    ts_store *store;
    int64_t source_id;
    int64_t profile_id;
    datakit_entry *entries;
    size_t entry_n;
    datakit_meta meta;
    ts_profile_id id;   /* of names and files */
    int64_t start, end; /* of all files */
    bool doubted;       /* metadata may be wrong anywhere */
    char doubt[160];
    uint64_t bytes; /* of metadata */
    uint64_t seen, imported, skipped, lost;
    uint64_t unknown; /* of the skipped ones, those that are not left out by their names */
    bool useless;     /* it has files, and none of them is of use */
    uint64_t numbers, numbers_lost;
    uint8_t *block;
} datakit_upload;

/* All of an upload; the source is there. */
ts_code datakit_upload_import(datakit_upload *u);

/* The cells of the upload's row, its tags and properties. */
ts_code datakit_row_fill(datakit_upload *u);

/* What files say fills what metadata does not; the row is complete. */
ts_code datakit_row_finish(datakit_upload *u);

#endif
