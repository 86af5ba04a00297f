/* What code and views on common rows must agree on. */
#ifndef TS_TABLES_COMMON_CONSTANTS_H
#define TS_TABLES_COMMON_CONSTANTS_H

/* callstack.colorIndex is less. */
#define TS_VIEWER_COLOURS 20

#endif
