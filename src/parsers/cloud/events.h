/*
 * Events of the trace: decoding a batch of them, and looking ahead. No state; a batch belongs to
 * the caller, texts in it point into the reader's window. Stream trace: docs/formats.md, "Cloud
 * Profiler".
 */
#ifndef TS_PARSERS_CLOUD_EVENTS_H
#define TS_PARSERS_CLOUD_EVENTS_H

#include "parsers/cloud/reader.h"
#include "parsers/cloud/threads.h"

enum { CLOUD_ENTER, CLOUD_EXIT, CLOUD_TAG, CLOUD_FINISH };
enum { CLOUD_INLINE_VALUE, CLOUD_XML_VALUE, CLOUD_INDEX_VALUE, CLOUD_SQL_VALUE };

/* Only what its kind and type have is set after `step`. */
typedef struct cloud_event {
    const uint8_t *end; /* where the next one begins */
    uint8_t kind;
    uint8_t type;
    uint8_t first; /* an ENTER: number in the batch of the callee that comes last; or none */
    uint8_t next;  /* an ENTER: that of the caller's callee before this one */
    uint32_t step;
    uint32_t word;
    uint32_t file;
    uint32_t offset;
    cloud_string value;
} cloud_event;

enum { CLOUD_BATCH = 64, CLOUD_NO_EVENT = 255 };

/* Events of a block that follow each other in the window. */
typedef struct cloud_batch {
    unsigned n;
    cloud_got got; /* what stopped it: nothing, or what events[n] lacks */
    cloud_event events[CLOUD_BATCH + 1];
} cloud_batch;

/* Decodes events up to the end of the block, or of the window, or until the batch is full. */
void cloud_decode_events(cloud_batch *batch, cloud_cursor c);

/* Call paths are spread all over the memory. What the events of a batch will look up is fetched as
 * soon as the caller's path is known: before the batch is applied, and after each ENTER in it. */
void cloud_look_ahead(const cloud_pod *pod, const cloud_thread *t, cloud_batch *batch);
void cloud_look_below(const cloud_pod *pod, const cloud_thread *t, const cloud_batch *batch,
                      unsigned i);

#endif
