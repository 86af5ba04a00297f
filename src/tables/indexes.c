#include "tables/schema.h"

#define TS_INDEX(name, columns, doc) {#name, doc, "CREATE INDEX " #name " ON " columns},
const ts_sql_index ts_indexes[] = {
#include "tables/formats/each.h"
};

const unsigned ts_index_count = sizeof ts_indexes / sizeof ts_indexes[0];
