/* What code and views on common rows must agree on. */
#ifndef TS_TABLES_COMMON_CONSTANTS_H
#define TS_TABLES_COMMON_CONSTANTS_H

/* The largest process or thread id that Linux gives (PID_MAX_LIMIT). Numbers that were made up for
 * processes are larger, those for threads larger than twice that. */
#define TS_LARGEST_PID 4194304

/* callstack.colorIndex is less. */
#define TS_VIEWER_COLOURS 20

#endif
