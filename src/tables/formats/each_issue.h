/*
 * Includes the kinds of defects of every format.
 *
 *   TS_ISSUE(code, severity, sentence)    code: what import_issue.code holds; the sentence
 * documents it in docs/tables.md
 *
 * Severities: TS_INFO nothing is wrong with the rows, but the reader of the database should know;
 * TS_WARNING the input is not as it should be, yet everything in it was imported; TS_DATA_LOSS
 * something that the input holds or held is missing from the rows, or the input contradicts what
 * it declares or implies; TS_ERROR a whole input, or an invariant of this program, failed.
 */
#include "tables/formats/quote.h"
/* clang-format off */
#define TS_DECLARED(format) TS_QUOTE(tables/formats/format/issues.def)
/* clang-format on */
#include "tables/formats/each.h"
#undef TS_DECLARED
#undef TS_ISSUE
