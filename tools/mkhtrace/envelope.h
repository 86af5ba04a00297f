/*
 * The protobuf messages around the data: ProfilerPluginData in all the shapes that writers give it,
 * ArkTSConfig, and an ftrace segment that carries clocks only.
 */
#ifndef MK_ENVELOPE_H
#define MK_ENVELOPE_H

#include "output.h"

enum { MK_FIELD_NAME = 1, MK_FIELD_DATA = 3, MK_FIELD_SEC = 5, MK_FIELD_NSEC = 6, MK_FIELDS = 8 };

typedef struct mk_envelope {
    uint8_t order[MK_FIELDS]; /* field numbers in the order they are written; 0 ends early */
    bool padded_varints;      /* lengths as 4-byte varints, whatever their value */
    bool explicit_zeros;      /* write fields whose value is zero */
    bool missing_time;        /* leave tv_sec and tv_nsec out */
    bool missing_nsec;
    const char *version; /* field 7 */
    uint32_t status;
    uint32_t clock_id;
    uint32_t sample_interval;
    mk_buf extra; /* unknown fields, written after the others */
} mk_envelope;

typedef struct mk_config {
    int32_t pid;
    int32_t type; /* 0 snapshot, 1 timeline, -1 none */
    uint32_t interval;
    bool capture_numeric_value;
    bool track_allocations;
    bool enable_cpu_profiler;
    uint32_t cpu_profiler_interval;
    const char *split_outfile_name;
} mk_config;

void mk_varint(mk_buf *b, uint64_t v);

/* Tag and length of a length-delimited field. */
void mk_field_bytes(mk_buf *b, uint32_t number, uint64_t length, bool padded);
void mk_field_varint(mk_buf *b, uint32_t number, uint64_t v);

/* A segment whose `data` field has exactly `size` bytes, given by mk_segment_put in between.
 * `ts` is in ns; below 0 the segment has no time fields. */
typedef struct mk_plugin_segment {
    mk_output *out;
    mk_buf tail;
} mk_plugin_segment;

void mk_plugin_begin(mk_plugin_segment *s, mk_output *out, const mk_envelope *e, const char *plugin,
                     uint64_t size, int64_t ts);
void mk_plugin_end(mk_plugin_segment *s);

/* A segment around bytes that are at hand. */
void mk_plugin_whole(mk_output *out, const mk_envelope *e, const char *plugin, const mk_buf *data,
                     int64_t ts);

void mk_config_encode(mk_buf *out, const mk_config *c);

/* TracePluginResult with clocks_detail only; clocks that are 0 are left out. */
void mk_clocks_encode(mk_buf *out, const uint64_t clocks[MK_CLOCKS]);

#endif
