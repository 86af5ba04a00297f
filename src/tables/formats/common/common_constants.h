/* What code and views on common rows must agree on. */
#ifndef TS_TABLES_COMMON_CONSTANTS_H
#define TS_TABLES_COMMON_CONSTANTS_H

/* The largest process or thread id that Linux gives (PID_MAX_LIMIT). Numbers that were made up for
 * processes are larger, those for threads larger than twice that. */
#define TS_LARGEST_PID 4194304

/* Samples that share a row of stack_sample_block. */
#define TS_SAMPLE_BLOCK 1024

/* ns of a µs. */
#define TS_NS_PER_US 1000

/* callstack.colorIndex is less. */
#define TS_VIEWER_COLOURS 20

#endif
