/*
 * The files of a recording in each of the three containers: agent directory (gzip, meta streams
 * plain), flat stream files (meta streams in phrases), one file with a merged TCP conversation.
 * A stream is written record by record; offsets are those of its uncompressed bytes before edits.
 */
#ifndef MC_STREAM_H
#define MC_STREAM_H

#include "cloud.h"

#include <stdio.h>
#include <zlib.h>

typedef struct mc_output {
    const mc_config *config;
    int64_t pod; /* number of the one that is written */
    char name[128];
    char root[4096]; /* agent: the directory of the pod's streams */
    FILE *tcp;
    uint64_t handles;
    int64_t commands; /* data commands so far */
    uint64_t unacknowledged;
    bool tcp_ended;
} mc_output;

typedef struct mc_stream {
    mc_output *out;
    mc_kind kind;
    uint32_t index; /* of the file, from 1 */
    uint64_t offset;
    bool missing; /* the file is not written */
    bool edited;
    bool cut;
    FILE *file;
    bool gzip;
    z_stream z;
    uint64_t unflushed;
    uint64_t compressed;
    bool framed;
    mk_buf phrase;
    int64_t phrases;
    mk_buf field; /* TCP: bytes of the next data command */
    uint8_t handle[16];
    mk_buf altered;
} mc_stream;

void mc_output_begin(mc_output *o, const mc_config *c);
void mc_output_pod(mc_output *o, int64_t pod);
void mc_output_end(mc_output *o);

void mc_stream_open(mc_stream *s, mc_output *o, mc_kind kind, uint32_t index);
/* `last`: no file of this stream follows. */
void mc_stream_close(mc_stream *s, bool last);
void mc_stream_put(mc_stream *s, const void *p, size_t n);

/* One record (or stream header) of a meta stream: into a phrase where the container has them. It
 * empties `record`. A stream header stays in the phrase of the records after it. */
void mc_stream_record(mc_stream *s, mk_buf *record);

/* The kind with this name; dies when there is none. */
mc_kind mc_kind_named(const char *name, size_t n);

#endif
