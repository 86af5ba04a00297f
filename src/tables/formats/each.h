/*
 * The formats whose declarations make the schema, in the order in which their tables are created.
 * This is the one list: a format is a folder here and a line below. compat holds the tables that
 * other programs know, common what several formats fill. Analyses with tables of their own follow.
 *
 * A folder has tables.def (tables/schema.h describes its macros), issues.def, items.def and
 * indexes.def (each_issue.h, each_item.h and each_index.h do); one that has nothing to declare
 * there holds a comment. Include each_table.h or one of these, not this file. No include guard: it
 * is included once for each thing that is made from the declarations.
 */
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
