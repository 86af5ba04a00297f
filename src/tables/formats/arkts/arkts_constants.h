/* What the importers of ArkTS and JavaScript heaps and the views on them must agree on.
 * tools/mkviews reads this file too: each constant is a decimal number or a plain text. */
#ifndef TS_TABLES_ARKTS_CONSTANTS_H
#define TS_TABLES_ARKTS_CONSTANTS_H

/* Edges that a row of js_heap_edge_block covers. */
#define TS_HEAP_EDGE_BLOCK 64

/* Types of edges whose name_or_index is an index, not a string. */
#define TS_HEAP_EDGE_ELEMENT "element"
#define TS_HEAP_EDGE_HIDDEN "hidden"

/* Types of nodes whose class is their name. */
#define TS_HEAP_NODE_OBJECT "object"
#define TS_HEAP_NODE_NATIVE "native"

#endif
