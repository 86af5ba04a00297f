/*
 * The .htrace file under construction: sections with their 1024-byte headers, length-prefixed
 * segments, raw bytes; and the damage that is done to the finished file. The file must be seekable,
 * because a header gets its length at the section's end (the caller spools for pipes).
 */
#ifndef MK_OUTPUT_H
#define MK_OUTPUT_H

#include "mk.h"
#include "base/sha256.h"

enum { MK_HEADER_SIZE = 1024, MK_MAX_FLIPS = 64 };

/* Order of the six clocks in the header. */
enum { MK_BOOT, MK_REAL, MK_REAL_COARSE, MK_MONO, MK_MONO_COARSE, MK_MONO_RAW, MK_CLOCKS };

/* How the header's length field is filled at the end of a section. */
typedef enum mk_length_mode {
    MK_LENGTH_AUTO,  /* header + payload + length_value */
    MK_LENGTH_FIXED, /* length_value */
    MK_LENGTH_OLD,   /* as the older device writer counts: 8 bytes for each 4-byte prefix */
} mk_length_mode;

typedef struct mk_header {
    mk_length_mode length_mode;
    int64_t length_value;
    uint32_t version;
    uint32_t data_type;
    uint64_t clocks[MK_CLOCKS];
    const char *standalone_name;
    const char *plugin_version;
    uint64_t duration;
    bool old;    /* everything from offset 56 on is zero */
    bool sha256; /* fill the checksum */
    bool absent; /* no header at all */
} mk_header;

typedef struct mk_output {
    int fd;
    uint64_t at; /* file position after `buf` */
    size_t n;
    uint8_t *buf;
    /* The section that is open. */
    bool open;
    mk_header head;
    uint64_t start; /* of its header */
    uint64_t payload;
    uint32_t messages;
    ts_sha256 sha;
    /* Segments. `held` keeps the one that goes out after its successor. */
    int64_t segment; /* index of the next one */
    int64_t drop;    /* -1: none */
    int64_t swap;
    int64_t repeat;
    bool holding;
    mk_buf held;
    mk_buf again;
    bool list; /* print index, offset, length of every segment to stdout */
} mk_output;

void mk_output_init(mk_output *o, int fd);

/* Begins a section; ends the one before. */
void mk_section_begin(mk_output *o, const mk_header *head);
void mk_section_end(mk_output *o);

/* Payload bytes outside segments. */
void mk_output_raw(mk_output *o, const void *p, size_t n);

/* One segment of exactly `size` body bytes, given by mk_segment_put calls between begin and end. */
void mk_segment_begin(mk_output *o, uint32_t size);
void mk_segment_put(mk_output *o, const void *p, size_t n);
void mk_segment_end(mk_output *o);

/* Ends the section and writes everything out. */
void mk_output_finish(mk_output *o);

/* What is done to the finished file, in this order. */
typedef struct mk_damage {
    int64_t flips[MK_MAX_FLIPS]; /* bit offsets */
    size_t flip_count;
    bool random; /* replace about `percent` % of the bytes from `from` on */
    uint64_t seed;
    double percent;
    uint64_t from;
    bool cut; /* to `size` bytes; negative counts from the end */
    int64_t size;
} mk_damage;

void mk_damage_file(int fd, const mk_damage *d);

#endif
