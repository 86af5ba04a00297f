/*
 * Many recordings in one database of ClickHouse: its tables are made from the declaration of
 * tables, rows of finished databases are sent to it, each recording exactly once (load.c says how).
 * Questions to it are asked with the engine's own tools.
 *
 * Failures of the server and of the way to it are TS_ERR_OUTPUT; the message has what the engine
 * said.
 */
#ifndef TS_FLEET_FLEET_H
#define TS_FLEET_FLEET_H

#include "base/buf.h"
#include "tables/table_scan.h"

typedef struct ts_fleet ts_fleet;

typedef struct ts_fleet_options {
    const char *at;      /* address; borrowed */
    const char *cluster; /* of ts_fleet_init: that the fleet is made on; NULL: not said; borrowed */
    uint64_t timeout_s;  /* of one request */
    uint64_t retries;    /* after failures that may pass, of one recording or question */
    void (*say)(void *user, const char *text); /* what is waited for, and warnings; or NULL */
    void *user;
} ts_fleet_options;

/*
 * Looks at the address, asks the server for its version, and whether the fleet is on a cluster
 * (cluster.h). Caller frees with ts_fleet_close.
 */
ts_code ts_fleet_open(ts_fleet **out, ts_ctx *ctx, const ts_fleet_options *options);
void ts_fleet_close(ts_fleet *fleet);

/* The version of the engine. */
const char *ts_fleet_engine(const ts_fleet *fleet);

/* --- what is there (manage.c) ----------------------------------------------------------------- */

typedef struct ts_fleet_made {
    size_t servers;   /* where there were no tables */
    unsigned columns; /* that were added */
} ts_fleet_made;

/*
 * Makes the database, its tables and views, on each server of a cluster; tables that are there get
 * columns that they lack and are not changed otherwise. keep: days that rows stay, 0: always
 * (TS_ERR_USAGE where the engine is too old). TS_ERR_OUTPUT when a column has another type, or
 * recordings were loaded by a newer program.
 */
ts_code ts_fleet_init(ts_fleet *fleet, ts_fleet_made *made, uint64_t keep);

/* How many servers have rows: 1, or the shards of a cluster. */
size_t ts_fleet_servers(const ts_fleet *fleet);

enum { TS_FLEET_COLUMNS = 13 };
extern const char *const ts_fleet_list_names[TS_FLEET_COLUMNS];

/* The recordings that count, one call each, with the texts of ts_fleet_list_names. */
ts_code ts_fleet_list(ts_fleet *fleet,
                      ts_code (*take)(void *user, const ts_text fields[TS_FLEET_COLUMNS]),
                      void *user);

/*
 * Takes recordings out: first the rows that commit them, so that they are gone at once, then the
 * rest. ids: beginnings of hexadecimal ids, 8 digits at least. older_ms: those loaded longer ago;
 * 0: by id. TS_ERR_USAGE when an id fits none, or several.
 */
ts_code ts_fleet_forget(ts_fleet *fleet, uint64_t *count, const char *const *ids, size_t n,
                        uint64_t older_ms);

/* Deletes rows of loads that were not committed and began longer ago, on all servers. */
ts_code ts_fleet_sweep(ts_fleet *fleet, uint64_t *rows, uint64_t older_ms);

/*
 * Looks whether tables and views are those of this program, and whether each recording has as many
 * rows as its commit says; of a cluster, too, whether each server shows what all have. One call a
 * difference; *differences is their number.
 */
ts_code ts_fleet_check(ts_fleet *fleet, uint64_t *differences,
                       void (*tell)(void *user, const char *what), void *user);

/* --- labels (recording_labels.c)
 * ------------------------------------------------------------------------ */

enum { TS_FLEET_LABELS = 64, TS_FLEET_LABEL_KEY = 64, TS_FLEET_LABEL_VALUE = 1024 };

typedef struct ts_fleet_labels {
    struct {
        char *key, *value;
    } all[TS_FLEET_LABELS];
    size_t count;
} ts_fleet_labels;

/* "build=4711". TS_ERR_USAGE: no key of letters, digits and "._-", given twice, too long, too many.
 */
ts_code ts_fleet_labels_add(ts_fleet_labels *labels, ts_ctx *ctx, const char *text);

/* A file with one JSON object of texts, numbers and truth values. */
ts_code ts_fleet_labels_read(ts_fleet_labels *labels, ts_ctx *ctx, const char *path);
void ts_fleet_labels_free(ts_fleet_labels *labels, ts_ctx *ctx);

/* --- recordings (recording_id.c)
 * ------------------------------------------------------------------ */

/* What is known of an input before it is converted. */
typedef struct ts_recording_id {
    uint8_t id[32]; /* SHA-256 of its bytes; of a directory: of names and contents of its files */
    uint64_t bytes;
} ts_recording_id;

/* TS_ERR_INPUT for what cannot be read twice. */
ts_code ts_recording_identity(ts_recording_id *out, ts_ctx *ctx, const char *path);

/* The number of an attempt: milliseconds since 1970 and 23 random bits. */
uint64_t ts_load_number(void);
static inline uint64_t ts_load_ms(uint64_t load)
{
    return load >> 23;
}

/* --- loading (load.c) ------------------------------------------------------------------------- */

enum { TS_FACT_CALL_NS = 100000000 };

/* Which tables, and what that is called: "facts", "all", or "tables:a,b". */
typedef struct ts_amount {
    bool tables[TS_TABLE_COUNT];
    bool facts; /* of js_heap_string only names of classes (class_names.h), of cloud_call only those
                   of TS_FACT_CALL_NS or longer */
    char name[1024];
} ts_amount;

/* rows: "facts" or "all", NULL: facts; names: of tables, divided by commas, instead. TS_ERR_USAGE.
 */
ts_code ts_amount_choose(ts_amount *out, ts_ctx *ctx, const char *rows, const char *names);

typedef struct ts_load_request {
    ts_recording_id identity;
    ts_reader *reader;
    const char *path;    /* as it is shown */
    const char *options; /* that change rows, as they were typed */
    const ts_amount *amount;
    const ts_fleet_labels *labels;
} ts_load_request;

typedef struct ts_load_result {
    uint64_t load;
    uint64_t rows, tables;
    uint64_t bytes, sent; /* as rows are, and on the wire */
    unsigned attempts;
} ts_load_result;

/* Whether such a load counts already. One question for all of them; loaded[i] is set. */
ts_code ts_fleet_loaded(ts_fleet *fleet, bool *loaded, const ts_recording_id *identities, size_t n,
                        const ts_amount *amount, const char *options);

/* Sends the rows and commits them; afterwards the recording counts, or the error says why not. */
ts_code ts_fleet_load(ts_fleet *fleet, ts_load_result *result, const ts_load_request *request);

/* What would be sent, without a server: rows and bytes of each table are appended to `out`. */
ts_code ts_fleet_dry_run(ts_ctx *ctx, ts_buf *out, ts_load_result *result,
                         const ts_load_request *request);

/* The statements that make the tables of today's engines, or of those before 2020. */
ts_code ts_fleet_statements(ts_ctx *ctx, ts_buf *out, bool plain);

#endif
