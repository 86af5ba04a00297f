/*
 * What a row of a table belongs to, and what it refers to: by this a part of a database is written
 * (cut.h), and several become one (merge.h). Declared beside the tables:
 *
 *   TS_TIMED(table, begin, end, thread, source)   rows of a time: expressions of SQL, of the row t;
 *                                 "": it has none, `source` the column source_id or else the source
 *                                 of the thread. Functions: or_open(end) for what may not have
 *                                 ended, thread_of_tid(tid)
 *   TS_WITH(table, column)        a row belongs to what the column refers to
 *   TS_ALWAYS(table)              all rows belong to any part
 *   TS_NEVER(table)               no row does: sums over all of the recording
 *   (none of these)               a row belongs to what refers to it
 *   TS_REFERS(table, what, when, unit)   what the unit of a column does not say: `what` is a column
 *                                 or an expression, `when` a condition or "". With "place among" at
 *                                 its beginning the unit says that the number moves with others,
 *                                 and that there may be no such row
 *
 * The unit of a column says the rest: "id of x", "ids of x" (a list as text), "rowid of x", or
 * another column that x has.
 */
#ifndef TS_TABLES_PART_RULES_H
#define TS_TABLES_PART_RULES_H

#include "base/text.h"
#include "tables/schema.h"

typedef enum ts_part_kind {
    TS_PART_TIMED,
    TS_PART_WITH,
    TS_PART_ALWAYS,
    TS_PART_NEVER
} ts_part_kind;

typedef struct ts_part_rule {
    enum ts_table_id table;
    ts_part_kind kind;
    const char *begin; /* TS_PART_WITH: the column */
    const char *end, *thread, *source;
} ts_part_rule;

/* In the order of the declarations. */
extern const ts_part_rule ts_part_rules[];
extern const unsigned ts_part_rule_count;

/* The first rule of a table, of which others may follow; NULL: a row belongs to what refers to it.
 */
const ts_part_rule *ts_part_rule_of(enum ts_table_id table);

typedef struct ts_reference {
    enum ts_table_id table;
    const char *what;    /* a column or expression */
    const char *when;    /* "": always */
    enum ts_table_id to; /* a row of this */
    ts_text key;         /* by this column or expression of it, or "rowid" */
    bool list;           /* `what` is a text with numbers */
    bool place;          /* there may be no such row, or it is the first of many */
} ts_reference;

/* All references of all tables, one after the other: false after the last. *at begins with 0. */
bool ts_reference_next(ts_reference *out, unsigned *at);

#endif
