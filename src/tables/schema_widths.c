#include "tables/schema.h"

#include "tables/rows.h"

#include <string.h>

typedef struct width_line {
    enum ts_table_id table;
    ts_width width;
    uint64_t columns; /* TS_NULL_BIT of each */
} width_line;

#define TS_WIDTH(t, w, ...) {TS_T_##t, TS_WIDTH_##w, TS_NULL_BITS(t, __VA_ARGS__)},
static const width_line widths[] = {
#include "tables/formats/each.h"
};

ts_width ts_column_width(enum ts_table_id table, unsigned column)
{
    const ts_column *c = &ts_schema[table].columns[column];
    for (size_t i = 0; i < sizeof widths / sizeof widths[0]; i++) {
        if (widths[i].table == table && (widths[i].columns >> column & 1) != 0) {
            return widths[i].width;
        }
    }
    return c->type == TS_COL_INT && strcmp(c->unit, "boolean") == 0 ? TS_WIDTH_BOOL : TS_WIDTH_I64;
}

typedef struct texts_line {
    enum ts_table_id table;
    ts_text_class class;
    uint64_t columns;
} texts_line;

#define TS_TEXTS(t, k, ...) {TS_T_##t, TS_TEXT_##k, TS_NULL_BITS(t, __VA_ARGS__)},
static const texts_line texts[] = {
#include "tables/formats/each.h"
};

ts_text_class ts_column_text_class(enum ts_table_id table, unsigned column)
{
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (texts[i].table == table && (texts[i].columns >> column & 1) != 0) {
            return texts[i].class;
        }
    }
    return TS_TEXT_VALUE;
}

#define TS_FACT(t) [TS_T_##t] = true,
static const bool facts[TS_TABLE_COUNT] = {
#include "tables/formats/each.h"
};

bool ts_table_is_fact(enum ts_table_id table)
{
    return facts[table];
}
