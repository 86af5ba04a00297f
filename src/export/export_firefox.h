/*
 * The tables that all threads of a profile of the Firefox Profiler share: texts, functions, frames,
 * stacks, libraries. A stack is a call path that has a weight or leads to one that has; its number
 * is known before the first thread is written, the tables follow after the last.
 *
 * Memory: 9 bytes a call path and method, 50 a function and a frame, and each text once.
 */
#ifndef TS_EXPORT_EXPORT_FIREFOX_H
#define TS_EXPORT_EXPORT_FIREFOX_H

#include "export/export_parts.h"

/* What a frame is; the order is that of the file. */
typedef enum ts_fire_category {
    TS_FIRE_OTHER,
    TS_FIRE_JAVASCRIPT,
    TS_FIRE_JAVA,
    TS_FIRE_NATIVE,
    TS_FIRE_KERNEL,
    TS_FIRE_GC,
    TS_FIRE_IDLE
} ts_fire_category;

enum { TS_FIRE_TEXT_MAX = 32 * 1024 }; /* bytes of a text that are shown */

typedef struct ts_fire_tables {
    const ts_parts *x;
    ts_pool strings;
    ts_pool libraries, sources, functions, frames; /* records, as the .c file says */
    uint32_t *library;                             /* by method: its record + 1; 0: none */
    uint8_t *category;                             /* by method */
    uint32_t *stack;                               /* by call path: its number + 1; 0: none */
    uint32_t stacks;
} ts_fire_tables;

/* Of x->calls, which may be only selected: there are no stacks. Release with ts_fire_tables_free,
 * also after an error. */
ts_code ts_fire_tables_open(ts_fire_tables *t, ts_parts *x);
void ts_fire_tables_free(ts_fire_tables *t);

/* Number of a text, which is cut. */
ts_code ts_fire_string(uint32_t *id, ts_fire_tables *t, ts_text text);

/* The member `categories` of meta, and the member `shared`. */
void ts_fire_put_categories(ts_jout *w);
ts_code ts_fire_put_tables(ts_jout *w, ts_fire_tables *t);

#endif
