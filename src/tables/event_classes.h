/*
 * What events of samples stand for: CPU time, elapsed time, waiting, allocations, what is in use.
 * It is decided once for each kind of event, by lines
 *
 *     TS_EVENT(format, event, state, class, reason)
 *
 * in the declarations of its format (formats/each.h): format is source.format, event
 * stack_sample.event or the name of a kind of value, state "*" for any, class one of ts_event_class
 * without its prefix, reason "" for none. The rows of event_class are those of the formats that a
 * database has.
 */
#ifndef TS_TABLES_EVENT_CLASSES_H
#define TS_TABLES_EVENT_CLASSES_H

#include "tables/rows.h"

typedef enum ts_event_class {
    TS_CLASS_cpu,
    TS_CLASS_wall,
    TS_CLASS_waiting,
    TS_CLASS_allocation,
    TS_CLASS_live,
    TS_CLASS_other
} ts_event_class;

typedef struct ts_event_line {
    const char *format, *event, *state;
    ts_event_class class;
    const char *reason;
} ts_event_line;

extern const ts_event_line ts_event_lines[];
extern const size_t ts_event_line_count;

/* The class of an event by its most particular line, TS_CLASS_other without one; *reason may be
 * NULL, and is NULL when there is none. state: as in event_class, TS_TEXT_NULL: not known. */
ts_event_class ts_class_of(const char **reason, ts_text format, ts_text event, ts_text state);

const char *ts_event_class_name(ts_event_class class);

/* As it is put. */
ts_row_event_class ts_event_row(const ts_event_line *line);

#endif
