/*
 * Streams of one pod of a conversation: a spool for each file, found by the handle under which it
 * was opened. Commands: docs/formats.md, "Cloud Profiler".
 *
 * The conversation owns the struct, zeroed but for ctx, until cloud_streams_close; the streams own
 * the spools. Only conversation_streams.c changes its fields.
 */
#ifndef TS_PARSERS_CLOUD_CONVERSATION_STREAMS_H
#define TS_PARSERS_CLOUD_CONVERSATION_STREAMS_H

#include "base/index.h"
#include "base/vec.h"
#include "parsers/cloud/file_names.h"

enum {
    CLOUD_HANDLE = 16,       /* bytes */
    CLOUD_MAX_STREAMS = 4096 /* of one pod, and handles; each stream has a spool of up to 64 KiB */
};

typedef struct cloud_streams {
    ts_ctx *ctx;
    ts_vec files;     /* cloud_file */
    ts_vec streams;   /* one a handle */
    ts_index by_name; /* of files */
    ts_index by_handle;
} cloud_streams;

void cloud_streams_close(cloud_streams *s);

/* Drops all streams, for the next pod. */
void cloud_streams_clear(cloud_streams *s);

/* Are there as many streams as may be? */
bool cloud_streams_full(const cloud_streams *s);

/* The handle stands for the file of the stream with that index from now on; made when new. */
ts_code cloud_streams_open(cloud_streams *s, const uint8_t *handle, ts_text name, int64_t index);

/* The spool of the stream that was opened with the handle, or NULL. */
ts_spool *cloud_streams_find(const cloud_streams *s, const uint8_t *handle);

#endif
