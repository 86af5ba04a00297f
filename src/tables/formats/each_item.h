/*
 * Includes the kinds of items of every format, which are counted.
 *
 *   TS_ITEM(name, sentence)               name: what import_count.item holds, with ":detail" after
 * it where a part of the input has a name of its own
 *                                         ("plugin_segments:ftrace-plugin")
 *   TS_ITEM_ROWS(name, table, sentence)   the same; each item that is imported is a row of the
 * table, alone or with other kinds that name the same table, and ts_store_check_counts compares the
 * numbers
 */
#include "tables/formats/quote.h"
#ifndef TS_ITEM_ROWS
#define TS_ITEM_ROWS(n, t, d) TS_ITEM(n, d)
#endif
/* clang-format off */
#define TS_DECLARED(format) TS_QUOTE(tables/formats/format/items.def)
/* clang-format on */
#include "tables/formats/each.h"
#undef TS_DECLARED
#undef TS_ITEM
#undef TS_ITEM_ROWS
