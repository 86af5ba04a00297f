/*
 * The schema: one declaration per table, among those of its format (formats/each.h), from which
 * everything else comes: CREATE statements, row structs (rows.h), typed writers (rows.h),
 * docs/tables.md, --tables, schema_doc. The macros of tables:
 *
 *   TS_TOPIC(topic, title, doc)        the tables that follow are about this; docs/tables.md has a
 *                                      section for each, views name theirs
 *   TS_TABLE(table, class, doc)        class COMPAT or OWN; doc: "one row per ..."
 *   TS_INT(table, column, unit, null, doc)    unit "ns", "bytes", "id of x", "" ...
 *   TS_REAL(table, column, unit, null, doc)   null: what NULL means, "" = never NULL
 *   TS_STR(table, column, unit, null, doc)
 *   TS_KEY(table, column, doc)                INTEGER PRIMARY KEY (the rowid), first column
 *   TS_TABLE_END(table)
 *   TS_HOT(table, usual, late)                very many rows come: they get an encoder of their own
 *                                             (page_cell.c). Masks of columns (TS_NULL_BIT), or 0:
 *                                             usual ones that are NULL, those that are reserved
 *                                             together
 *   TS_SHORT(samples, runs)                   the two tables whose rows are short where CPU
 *                                             profiles allow it (sample_rows.h)
 *   TS_FACT(table)                            what is asked across recordings: few rows in each
 *   TS_WIDTH(table, width, columns...)        what is known of the integers of 1 to 12 columns, for
 *                                             formats of columns (ts_width): U8 U16 U32 U64. That
 *                                             of others is I64, of the unit "boolean" BOOL
 *   TS_TEXTS(table, class, columns...)        what the texts of 1 to 12 columns are when a database
 *                                             is redacted (ts_text_class): OWN WORD NUMBER NAME
 *                                             PLACE JSON. Columns without a line are VALUE, so that
 *                                             a new one cannot leak; an "id of data_dict" has the
 *                                             class of the text that it names
 */
#ifndef TS_TABLES_SCHEMA_H
#define TS_TABLES_SCHEMA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ts_column_type { TS_COL_INT, TS_COL_REAL, TS_COL_TEXT, TS_COL_KEY } ts_column_type;
typedef enum ts_table_class { TS_CLASS_COMPAT, TS_CLASS_OWN } ts_table_class;

typedef struct ts_column {
    const char *name;
    ts_column_type type;
    const char *unit;
    const char *null_meaning; /* "" = never NULL */
    const char *doc;
    size_t offset; /* in the row struct */
} ts_column;

typedef struct ts_table {
    const char *name;
    ts_table_class cls;
    const char *doc;
    const ts_column *columns;
    unsigned column_count;
    size_t row_size;
} ts_table;

/* Which integers a column of integers may hold. */
typedef enum ts_width {
    TS_WIDTH_I64,
    TS_WIDTH_U8,
    TS_WIDTH_U16,
    TS_WIDTH_U32,
    TS_WIDTH_U64, /* from 0 to the greatest of I64: SQLite has no others */
    TS_WIDTH_BOOL /* 0 and 1 */
} ts_width;

/* What the texts of a column are, for redaction (redact.h). */
typedef enum ts_text_class {
    TS_TEXT_VALUE,  /* what the recorded program had in its memory, wrote or was given */
    TS_TEXT_OWN,    /* written by this program out of a fixed set: stays */
    TS_TEXT_WORD,   /* as recorded, one of the words that formats have: those that are known stay */
    TS_TEXT_NUMBER, /* numbers as text: what is nothing but numbers stays */
    TS_TEXT_NAME,   /* of a class, method, file, thread, process, library, event, metric */
    TS_TEXT_PLACE,  /* who and where: hosts, users, the name of the recording */
    TS_TEXT_JSON    /* as VALUE, with keys and form */
} ts_text_class;

/* Ids of tables: TS_T_js_heap_nodes ... in creation order. */
#define TS_TABLE(t, c, d) TS_T_##t,
enum ts_table_id {
#include "tables/formats/each.h"
    TS_TABLE_COUNT
};

/* Indexed by ts_table_id. */
extern const ts_table ts_schema[TS_TABLE_COUNT];

/* TS_WIDTH_I64 for columns that are not of integers. */
ts_width ts_column_width(enum ts_table_id table, unsigned column);

/* Of columns of text, and of ids of texts. */
ts_text_class ts_column_text_class(enum ts_table_id table, unsigned column);

/* Whether it is one of the TS_FACT. */
bool ts_table_is_fact(enum ts_table_id table);

/* What tables and views are about: a section of docs/tables.md. */
typedef struct ts_topic {
    const char *name;
    const char *title;
    const char *doc;      /* sentences, or "" */
    unsigned first_table; /* the tables up to the first one of the next topic */
} ts_topic;

extern const ts_topic ts_topics[];
extern const unsigned ts_topic_count;

/* Made from formats/<format>/views/<view>.sql by tools/mkviews.c, which describes their form. */
typedef struct ts_view {
    const char *name;
    const char *topic; /* name of a ts_topic */
    const char *doc;   /* what it answers, one or two sentences */
    const ts_column *columns;
    unsigned column_count;
    const char *sql; /* the whole CREATE VIEW statement */
} ts_view;

/* In the order of their creation. */
extern const ts_view ts_views[];
extern const unsigned ts_view_count;

/* A documented index of --index, declared by a format (formats/each.h). */
typedef struct ts_sql_index {
    const char *name;
    const char *doc; /* which questions it serves */
    const char *sql;
} ts_sql_index;

extern const ts_sql_index ts_indexes[];
extern const unsigned ts_index_count;

/* `PRAGMA application_id` ("trcs") and `PRAGMA user_version` of databases of ours. */
enum { TS_APPLICATION_ID = 0x74726373, TS_SCHEMA_VERSION = 2 };

#endif
