#include "tables/schema.h"

#include "tables/rows.h"

/* The columns of each table: columns_<table>. */
#define TS_TABLE(t, c, d) static const ts_column columns_##t[] = {
#define TS_INT(t, c, u, n, d) {#c, TS_COL_INT, u, n, d, offsetof(ts_row_##t, c)},
#define TS_REAL(t, c, u, n, d) {#c, TS_COL_REAL, u, n, d, offsetof(ts_row_##t, c)},
#define TS_STR(t, c, u, n, d) {#c, TS_COL_TEXT, u, n, d, offsetof(ts_row_##t, c)},
#define TS_KEY(t, c, d) {#c, TS_COL_KEY, "", "", d, offsetof(ts_row_##t, c)},
#define TS_TABLE_END(t)                                                                            \
    }                                                                                              \
    ;
#include "tables/formats/each.h"

/* Rows have one bit a column for NULL. */
#define TS_TABLE(t, c, d) _Static_assert(TS_N_##t <= 63, "too many columns");
#include "tables/formats/each.h"

#define TS_TABLE(t, c, d)                                                                          \
    [TS_T_##t] = {#t, TS_CLASS_##c, d, columns_##t, TS_N_##t, sizeof(ts_row_##t)},
const ts_table ts_schema[TS_TABLE_COUNT] = {
#include "tables/formats/each.h"
};

/* FIRST_<topic>: the number of tables before the topic. */
#define TS_TOPIC(n, h, d) FIRST_##n, BACK_##n = FIRST_##n - 1,
#define TS_TABLE(t, c, d) PLACE_##t,
enum {
#include "tables/formats/each.h"
    PLACE_OF_NONE
};

#define TS_TOPIC(n, h, d) {#n, h, d, FIRST_##n},
const ts_topic ts_topics[] = {
#include "tables/formats/each.h"
};

const unsigned ts_topic_count = sizeof ts_topics / sizeof ts_topics[0];

#define TS_INDEX(name, columns, doc) {#name, doc, "CREATE INDEX " #name " ON " columns},
const ts_sql_index ts_indexes[] = {
#include "tables/formats/each.h"
};

const unsigned ts_index_count = sizeof ts_indexes / sizeof ts_indexes[0];
