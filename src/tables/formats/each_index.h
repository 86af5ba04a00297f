/*
 * Includes the indexes of every format: those that --index makes.
 *
 *   TS_INDEX(name, columns, doc)    columns "table(column, ...)"; doc: what it finds
 *
 * An index is named ix_<table>_<columns>. The most selective column comes first and the file
 * after it: SQLite's sorter decides most comparisons by the first column, and by its quick way when
 * that is an integer or a text (building ix_js_heap_edges_to takes 40 % less time so); questions
 * name both by equality, for which the order does not matter.
 */
#include "tables/formats/quote.h"
/* clang-format off */
#define TS_DECLARED(format) TS_QUOTE(tables/formats/format/indexes.def)
/* clang-format on */
#include "tables/formats/each.h"
#undef TS_DECLARED
#undef TS_INDEX
