/*
 * An event as bytes, for what waits in memory or in a spool: varints and the bytes of its texts,
 * without its time. It says itself where it ends.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_PACK_H
#define TS_PARSERS_FTRACE_FTRACE_PACK_H

#include "base/context.h"
#include "parsers/ftrace/ftrace_event.h"

#include <string.h>

enum {
    FTRACE_VARINT_MAX = 10,
    /* Of an event without the bytes of its texts: thread, process, CPU, kind, three bytes, the
     * numbers, the lengths of the name and of the texts. */
    FTRACE_PACKED_MAX = 3 + (5 + FTRACE_NUMBERS + FTRACE_TEXTS) * FTRACE_VARINT_MAX
};

/* What is left of bytes; both are NULL when they ended too early. */
typedef struct ftrace_packed {
    const uint8_t *p;
    const uint8_t *end;
} ftrace_packed;

static inline uint8_t *ftrace_put_uint(uint8_t *p, uint64_t v)
{
    while (v >= 0x80) {
        *p++ = (uint8_t)(v | 0x80);
        v >>= 7;
    }
    *p++ = (uint8_t)v;
    return p;
}

static inline uint8_t *ftrace_put_int(uint8_t *p, int64_t v)
{
    return ftrace_put_uint(p, ((uint64_t)v << 1) ^ (v < 0 ? UINT64_MAX : 0));
}

static inline uint64_t ftrace_get_uint(ftrace_packed *in)
{
    uint64_t v = 0;
    if (in->end - in->p > 1 && in->p[0] < 0x80) {
        return *in->p++;
    }
    for (unsigned shift = 0; shift < 64 && in->p != in->end; shift += 7) {
        uint8_t byte = *in->p++;
        v |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80) {
            return v;
        }
    }
    in->p = in->end = NULL;
    return 0;
}

static inline int64_t ftrace_get_int(ftrace_packed *in)
{
    uint64_t zigzag = ftrace_get_uint(in);
    return (int64_t)((zigzag >> 1) ^ ((zigzag & 1) != 0 ? UINT64_MAX : 0));
}

/* The most bytes that the event takes; false: beyond what a size can hold. */
bool ftrace_packed_max(size_t *size, const ftrace_event *event);

/* Writes the event at p, where there is room for ftrace_packed_max bytes. Returns its end. */
uint8_t *ftrace_pack(uint8_t *p, const ftrace_event *event);

/* The event that begins at in->p, which is then at its end; its texts are borrowed from the
 * bytes, its time is 0. in->p is NULL when the bytes are none. */
void ftrace_unpack(ftrace_event *event, ftrace_packed *in);

#endif
