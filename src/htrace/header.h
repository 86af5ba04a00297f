/* The 1024-byte header of a section: little endian, packed. It is read, never judged, here. */
#ifndef TS_HTRACE_HEADER_H
#define TS_HTRACE_HEADER_H

#include "htrace/htrace.h"

enum {
    TS_HTRACE_MAGIC = 8,
    TS_HTRACE_TYPE_SEGMENTS = 0,
    TS_HTRACE_TYPE_HIPERF = 1,
    TS_HTRACE_TYPE_STANDALONE = 1000,
    TS_HTRACE_TYPE_UNKNOWN = 1024,
    TS_HTRACE_STANDALONE_NAME = 128,
    TS_HTRACE_PLUGIN_VERSION = 8
};

typedef struct ts_htrace_header {
    uint64_t length;     /* header and payload of this section; <= 1024 when never filled in */
    uint32_t version;    /* major << 16 | minor */
    uint32_t pieces;     /* length prefixes and bodies: twice the number of segments */
    uint8_t sha256[32];  /* of the payload; known to be wrong in real files, so never checked */
    uint32_t data_type;  /* TS_HTRACE_TYPE_... */
    ts_clock_set clocks; /* ns, all read at the start of the recording; 0 = not read */
    char standalone[TS_HTRACE_STANDALONE_NAME + 1];    /* NUL-terminated, bytes as they are */
    char plugin_version[TS_HTRACE_PLUGIN_VERSION + 1]; /* likewise */
    uint64_t duration_ns;
} ts_htrace_header;

/* True when p begins with the eight bytes OHOSPROF. */
bool ts_htrace_magic(const uint8_t *p, size_t n);

/* Reads a header; false when n < 1024 or the magic is wrong. */
bool ts_htrace_header_read(ts_htrace_header *out, const uint8_t *p, size_t n);

#endif
