/*
 * The declarations of every format, in the order in which their tables are created. This is the one
 * list: a format is a line below and a folder here with the file <format>/<format>.def. compat
 * holds the tables that other programs know, common what several formats fill. Analyses with tables
 * of their own follow.
 *
 * Whoever includes this file defines the macros of those declarations that it needs; the others are
 * empty, and all are undefined afterwards. No include guard: it is included once for each thing
 * that is made from the declarations.
 *
 * Tables: TS_TOPIC, TS_TABLE, TS_INT, TS_REAL, TS_STR, TS_KEY, TS_TABLE_END, TS_HOT, TS_SHORT,
 * TS_FACT, TS_WIDTH and TS_TEXTS (tables/schema.h). What of them belongs to a part of a recording:
 * TS_TIMED, TS_WITH, TS_ALWAYS, TS_NEVER and TS_REFERS (tables/part_rules.h). What events of
 * samples mean: TS_EVENT (tables/event_classes.h).
 *
 * What the recordings of a format are of, as exports say that ask for it (export/export_uploads.c):
 *
 *   TS_LANGUAGE(format, inside, language, runtime)   of sources of this format; inside: below one
 * of this format only, "" for any; the first line that fits counts. runtime "": not known
 *
 * Kinds of defects:
 *
 *   TS_ISSUE(code, severity, sentence)    code: what import_issue.code holds; the sentence
 * documents it in docs/tables.md
 *
 * Severities: TS_INFO nothing is wrong with the rows, but the reader of the database should know;
 * TS_WARNING the input is not as it should be, yet everything in it was imported; TS_DATA_LOSS
 * something that the input holds or held is missing from the rows, or the input contradicts what
 * it declares or implies; TS_ERROR a whole input, or an invariant of this program, failed.
 *
 * Kinds of items, which are counted:
 *
 *   TS_ITEM(name, sentence)               name: what import_count.item holds, with ":detail" after
 * it where a part of the input has a name of its own
 *                                         ("plugin_segments:ftrace-plugin")
 *   TS_ITEM_ROWS(name, table, sentence)   the same; each item that is imported is a row of the
 * table, alone or with other kinds that name the same table, and ts_store_check_counts compares the
 * numbers. Not defined, it is a TS_ITEM.
 *
 * Indexes that --index makes:
 *
 *   TS_INDEX(name, columns, doc)    columns "table(column, ...)"; doc: what it finds
 *   TS_SHORT_INDEX(name, columns)   the same index when its table is short (TS_SHORT): columns of
 * the short rows, or "": there is none
 *
 * An index is named ix_<table>_<columns>. The most selective column comes first and the file
 * after it: SQLite's sorter decides most comparisons by the first column, and by its quick way when
 * that is an integer or a text (building ix_js_heap_edges_to takes 40 % less time so); questions
 * name both by equality, for which the order does not matter.
 */
#include "tables/formats/quote.h"
#ifndef TS_TOPIC
#define TS_TOPIC(n, h, d)
#endif
#ifndef TS_TABLE
#define TS_TABLE(t, c, d)
#endif
#ifndef TS_INT
#define TS_INT(t, c, u, n, d)
#endif
#ifndef TS_REAL
#define TS_REAL(t, c, u, n, d)
#endif
#ifndef TS_STR
#define TS_STR(t, c, u, n, d)
#endif
#ifndef TS_KEY
#define TS_KEY(t, c, d)
#endif
#ifndef TS_TABLE_END
#define TS_TABLE_END(t)
#endif
#ifndef TS_HOT
#define TS_HOT(t, u, l)
#endif
#ifndef TS_SHORT
#define TS_SHORT(s, r)
#endif
#ifndef TS_FACT
#define TS_FACT(t)
#endif
#ifndef TS_WIDTH
#define TS_WIDTH(t, w, ...)
#endif
#ifndef TS_TEXTS
#define TS_TEXTS(t, k, ...)
#endif
#ifndef TS_TIMED
#define TS_TIMED(t, b, e, h, s)
#endif
#ifndef TS_WITH
#define TS_WITH(t, c)
#endif
#ifndef TS_ALWAYS
#define TS_ALWAYS(t)
#endif
#ifndef TS_NEVER
#define TS_NEVER(t)
#endif
#ifndef TS_REFERS
#define TS_REFERS(t, x, w, u)
#endif
#ifndef TS_EVENT
#define TS_EVENT(f, e, s, c, r)
#endif
#ifndef TS_LANGUAGE
#define TS_LANGUAGE(f, i, l, r)
#endif
#ifndef TS_ISSUE
#define TS_ISSUE(c, s, d)
#endif
#ifndef TS_ITEM
#define TS_ITEM(n, d)
#endif
#ifndef TS_ITEM_ROWS
#define TS_ITEM_ROWS(n, t, d) TS_ITEM(n, d)
#endif
#ifndef TS_INDEX
#define TS_INDEX(n, c, d)
#endif
#ifndef TS_SHORT_INDEX
#define TS_SHORT_INDEX(n, c)
#endif
/* clang-format off */
#define TS_DECLARED(format) TS_QUOTE(tables/formats/format/format.def)
/* clang-format on */
#include TS_DECLARED(compat)
#include TS_DECLARED(common)
#include TS_DECLARED(arkts)
#include TS_DECLARED(flare)
#include TS_DECLARED(cloud)
#include TS_DECLARED(htrace)
#include TS_DECLARED(stack_totals)
#include TS_DECLARED(tptp)
#include TS_DECLARED(heapprofile)
#include TS_DECLARED(heap)
#include TS_DECLARED(chrome_trace)
#include TS_DECLARED(profile)
#include TS_DECLARED(pprof)
#include TS_DECLARED(jfr)
#include TS_DECLARED(folded)
#include TS_DECLARED(speedscope)
#include TS_DECLARED(datakit)
#include TS_DECLARED(ftrace)
#include TS_DECLARED(profile_metrics)
#include TS_DECLARED(logs)
#include TS_DECLARED(perf_text)
#include TS_DECLARED(native_hook)
#include TS_DECLARED(ebpf)
#include TS_DECLARED(perf)
#include TS_DECLARED(rawheap)
#include TS_DECLARED(hprof)
#include TS_DECLARED(otlp)
#include TS_DECLARED(perfetto)
#include TS_DECLARED(firefox)
#undef TS_DECLARED
#undef TS_TOPIC
#undef TS_TABLE
#undef TS_INT
#undef TS_REAL
#undef TS_STR
#undef TS_KEY
#undef TS_TABLE_END
#undef TS_HOT
#undef TS_SHORT
#undef TS_FACT
#undef TS_WIDTH
#undef TS_TEXTS
#undef TS_TIMED
#undef TS_WITH
#undef TS_ALWAYS
#undef TS_NEVER
#undef TS_REFERS
#undef TS_EVENT
#undef TS_LANGUAGE
#undef TS_ISSUE
#undef TS_ITEM
#undef TS_ITEM_ROWS
#undef TS_INDEX
#undef TS_SHORT_INDEX
