/*
 * mktptp: traces of the TPTP Java profiler. A trace is a sequence of events (trace.c), which an
 * encoder writes as messages (binary.c) or elements (xml.c) into an output that damages bytes on
 * demand and may be a ZIP archive (output.c).
 */
#ifndef MKTPTP_H
#define MKTPTP_H

#include "mk.h"

#include <stdio.h>

/* --- events ----------------------------------------------------------------------------------- */

enum { TP_ATTRIBUTES = 24, TP_FRAMES = 64 };

enum { TP_UNKNOWN_ID = 1099 }; /* after those of the 45 events */

typedef enum tp_kind {
    TP_NONE,
#define EVENT(id, name) TP_##name,
#define A(event, type, name)
#include "events.def"
#undef EVENT
#undef A
    TP_KINDS
} tp_kind;

/* TP_AT_node_time: the place of a value in its event. */
enum {
    TP_AT_NONE,
#define EVENT(id, name)                                                                            \
    }                                                                                              \
    ;                                                                                              \
    enum {
#define A(event, type, name) TP_AT_##event##_##name,
#include "events.def"
#undef EVENT
#undef A
};

typedef struct tp_attribute {
    const char *type; /* its first character */
    const char *name;
} tp_attribute;

typedef struct tp_schema {
    int id;
    const char *name;
    tp_attribute attributes[TP_ATTRIBUTES]; /* up to one without a name */
} tp_schema;

extern const tp_schema tp_schemas[TP_KINDS];

/* Times and durations are nanoseconds. The texts belong to the caller. */
typedef struct tp_event {
    tp_kind kind;
    int64_t n[TP_ATTRIBUTES];
    const char *s[TP_ATTRIBUTES];
    int frames;
    const char *methods[TP_FRAMES];
    int64_t lines[TP_FRAMES];
} tp_event;

#define TP_SET(e, event, name, value) ((e)->n[TP_AT_##event##_##name] = (value))
#define TP_TEXT(e, event, name, value) ((e)->s[TP_AT_##event##_##name] = (value))

/* --- what is asked for ------------------------------------------------------------------------ */

typedef enum tp_edit_kind { TP_CUT, TP_PATCH, TP_INSERT, TP_REMOVE, TP_EDIT_KINDS } tp_edit_kind;

typedef struct tp_edit {
    tp_edit_kind what;
    uint64_t offset;
    uint64_t count;
    mk_buf bytes;
} tp_edit;

/* Every Nth of these, counted from 1; 0: none. All are in both forms. */
#define TP_FAULTS(F)                                                                               \
    F(missing_exit, "missing-exit", "an exit is not written")                                      \
    F(extra_exit, "extra-exit", "an exit of a call that was never entered stands before an entry") \
    F(backwards, "backwards", "an entry or exit is 3 ms earlier than it was")                      \
    F(undefined_method, "undefined-method", "the definition of a method is not written")           \
    F(undefined_class, "undefined-class", "the definition of a class is not written")              \
    F(undefined_thread, "undefined-thread", "the start of a thread is not written")                \
    F(unknown_free, "unknown-free", "an object is freed that nobody allocated")                    \
    F(monitor_begin, "monitor-begin", "the beginning of a monitor's wait is not written")          \
    F(monitor_end, "monitor-end", "the end of a monitor's wait is not written")                    \
    F(redefine, "redefine", "an entry is preceded by another definition of its method")            \
    F(unknown_event, "unknown-event", "an event of a kind that nobody knows stands before another")

/* Damage to the bytes of one event: EVENT:KIND. The first four are in both forms. */
#define TP_BREAKS(B)                                                                               \
    B(unknown, "unknown", "of an unknown kind")                                                    \
    B(drop, "drop", "not written")                                                                 \
    B(twice, "twice", "written twice")                                                             \
    B(half, "half", "the file ends inside it")                                                     \
    B(size_small, "size-small", "binary: a size of 3")                                             \
    B(size_large, "size-large", "binary: a size behind the end of the file")                       \
    B(size_less, "size-less", "binary: a size that is 5 too small")                                \
    B(size_more, "size-more", "binary: a size that is 5 too large")                                \
    B(longer, "longer", "binary: 8 bytes more than its attributes need")                           \
    B(shorter, "shorter", "binary: the last two attributes are missing")                           \
    B(no_end, "no-end", "binary: its texts do not end")                                            \
    B(count_negative, "count-negative", "binary: a count of frames of -1")                         \
    B(count_huge, "count-huge", "binary: a count of frames of 65537")                              \
    B(number, "number", "XML: numbers that do not parse")                                          \
    B(overflow, "overflow", "XML: numbers beyond 64 bit")                                          \
    B(bad_bytes, "bad-bytes", "bytes that are not of the encoding, in its texts")                  \
    B(raw_lt, "raw-lt", "XML: < in its texts as it is")                                            \
    B(entity, "entity", "XML: an entity that nobody declared in its texts")                        \
    B(text, "text", "XML: text before it")                                                         \
    B(nested, "nested", "XML: 300 nested elements before it")                                      \
    B(other, "other", "XML: an unknown element with content before it")                            \
    B(attribute, "attribute", "XML: an attribute that nobody knows")                               \
    B(padding, "padding", "binary: 60 bytes of zeros before it")                                   \
    B(garbage, "garbage", "binary: 60 bytes that are no message before it")

typedef enum tp_break_kind {
#define TP_BREAK_ID(id, name, help) TP_BREAK_##id,
    TP_BREAKS(TP_BREAK_ID)
#undef TP_BREAK_ID
        TP_BREAK_KINDS
} tp_break_kind;

typedef struct tp_break {
    int64_t event;
    tp_break_kind what;
} tp_break;

enum { TP_MAX_EDITS = 64, TP_MAX_BREAKS = 256 };

typedef struct tp_config {
    const char *output, *expect, *form, *names;
    /* size */
    int64_t seed, calls, threads, depth, methods, classes, sessions, start, open, dumps, objects;
    int64_t step, stop;
    /* binary */
    const char *endian, *size, *system, *arrays, *entry, *exit, *encoding, *cpu, *unit, *ids;
    int64_t frequency, major, minor, platform, data_offset, endian_byte;
    bool frequency_double;
    /* XML */
    const char *xml_encoding, *root, *close, *declared;
    bool bom, zip, entities, lines, words, all, shuffle, comments, extras, slashes, no_tickets,
        worked;
    /* damage */
#define TP_FAULT_FIELD(id, name, help) int64_t id;
    TP_FAULTS(TP_FAULT_FIELD)
#undef TP_FAULT_FIELD
    tp_edit edits[TP_MAX_EDITS];
    size_t edit_count;
    tp_break breaks[TP_MAX_BREAKS];
    size_t break_count;
} tp_config;

/* What a reader must find, as far as nothing is damaged. */
#define TP_FIGURES(F)                                                                              \
    F(bytes)                                                                                       \
    F(sessions)                                                                                    \
    F(events)                                                                                      \
    F(threads)                                                                                     \
    F(classes)                                                                                     \
    F(methods)                                                                                     \
    F(entries)                                                                                     \
    F(exits)                                                                                       \
    F(max_depth)                                                                                   \
    F(allocations)                                                                                 \
    F(frees)                                                                                       \
    F(gcs)                                                                                         \
    F(gc_ns)                                                                                       \
    F(waits)                                                                                       \
    F(wait_ns)                                                                                     \
    F(contended)                                                                                   \
    F(contended_ns)                                                                                \
    F(aggregates)                                                                                  \
    F(dumps)                                                                                       \
    F(roots)                                                                                       \
    F(references)                                                                                  \
    F(filters)                                                                                     \
    F(options)                                                                                     \
    F(custom)                                                                                      \
    F(hot_calls)                                                                                   \
    F(hot_self_ns)                                                                                 \
    F(leaked_objects)                                                                              \
    F(leaked_bytes)                                                                                \
    F(busy_monitor)                                                                                \
    F(busy_contended)                                                                              \
    F(busy_ns)

typedef struct tp_figures {
#define TP_FIGURE_FIELD(name) int64_t name;
    TP_FIGURES(TP_FIGURE_FIELD)
#undef TP_FIGURE_FIELD
} tp_figures;

/* --- output ----------------------------------------------------------------------------------- */

typedef struct tp_output tp_output;

tp_output *tp_output_new(const tp_config *c);
/* A member of the archive, or a part of the file. */
void tp_output_begin(tp_output *o, const char *name);
void tp_output_put(tp_output *o, const void *p, size_t n);
/* Nothing that comes later is written. */
void tp_output_stop(tp_output *o);
bool tp_output_stopped(const tp_output *o);
void tp_output_end(tp_output *o);
/* Returns the bytes of the file. */
int64_t tp_output_free(tp_output *o);

/* --- encoders --------------------------------------------------------------------------------- */

typedef struct tp_encoder {
    const tp_config *c;
    tp_output *out;
    tp_figures *figures;
    mk_buf b, wide;
    mk_rand rand;
    int64_t count; /* of events, the next one's number */
    bool xml;
} tp_encoder;

/* The event number count; damaged as the configuration says. */
void tp_encode(tp_encoder *e, const tp_event *event);
bool tp_breaks(const tp_encoder *e, tp_break_kind what);

void tp_binary_begin(tp_encoder *e);
void tp_binary_event(tp_encoder *e, const tp_event *event);
void tp_xml_begin(tp_encoder *e);
void tp_xml_event(tp_encoder *e, const tp_event *event);
void tp_xml_end(tp_encoder *e);

/* A time that both forms can say. */
int64_t tp_quantum(const tp_config *c, int64_t ns);
uint64_t tp_ticks(const tp_config *c, int64_t ns);

/* --- the trace -------------------------------------------------------------------------------- */

void tp_trace_write(tp_encoder *e, int64_t session);

/* Events with bytes that were worked out by hand (worked.c). */
void tp_worked_write(tp_encoder *encoder);

#endif
