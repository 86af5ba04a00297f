/* What the readers of nodes and edges share. */
#ifndef TS_ANALYSIS_HEAP_READ_H
#define TS_ANALYSIS_HEAP_READ_H

#include "analysis/heap/graph.h"

/* Calls `type` with each name of a list of types. */
ts_code hg_read_types(hg *g, int64_t first, int64_t count, void *user,
                      void (*type)(void *user, int64_t number, ts_text name));

/* Edges, and what their names tell of their owners. Nodes, strings and root are known. */
ts_code hg_read_edges(hg *g);

#endif
