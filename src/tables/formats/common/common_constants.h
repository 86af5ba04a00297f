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

/* The order in which weights of stacks are looked at where none is asked for. USUAL: what a profile
 * of allocations and of what is in use means to show. After these come the length of all samples
 * and calls, and their number. */
#define TS_RANK_CPU 1
#define TS_RANK_CPU_CYCLES 2
#define TS_RANK_CPU_COUNT 3
#define TS_RANK_WALL 4
#define TS_RANK_USUAL 5
#define TS_RANK_ALLOCATED 6
#define TS_RANK_ALLOCATIONS 7
#define TS_RANK_LIVE 8
#define TS_RANK_LIVE_COUNT 9
#define TS_RANK_WAITING 10
#define TS_RANK_WAITS 11
#define TS_RANK_OTHER 12
#define TS_RANK_ASYNC 13

#endif
