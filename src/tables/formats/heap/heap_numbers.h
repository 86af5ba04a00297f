/* Numbers in the rows of the analysis heap, and in the descriptions of its
 * tables. */
#ifndef TS_TABLES_HEAP_NUMBERS_H
#define TS_TABLES_HEAP_NUMBERS_H

/* Distance of the root when it holds nodes of the program; theirs begins with 1. */
#define TS_HEAP_SYSTEM_DISTANCE 100000000

/* A sum that does not fit into 64 bits. */
#define TS_HEAP_SATURATED 9223372036854775807

#endif
