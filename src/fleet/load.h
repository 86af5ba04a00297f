/* What loading and managing have in common. Used inside this layer only. */
#ifndef TS_FLEET_LOAD_H
#define TS_FLEET_LOAD_H

#include "fleet/engine.h"
#include "fleet/fleet.h"

/* An id as text, with a zero byte at its end. */
enum { TS_RECORDING_HEX = 65 };
void ts_recording_hex(char out[TS_RECORDING_HEX], const uint8_t id[32]);

/* How many rows of each table of fleet->server fulfil the condition; only tables of `which` are
 * asked, NULL: all. */
ts_code ts_fleet_counts(ts_fleet *fleet, uint64_t counts[TS_TABLE_COUNT],
                        const bool which[TS_TABLE_COUNT], const char *where);

/* What the commit says of a recording. */
typedef struct ts_recording {
    uint16_t day; /* since 1970 */
    int64_t begin, end;
    bool has_begin, has_end;
    char host[256];
    bool complete;
    uint64_t issues;
} ts_recording;

ts_code ts_recording_read(ts_recording *out, ts_reader *reader);

#endif
