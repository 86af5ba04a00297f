/*
 * The .htrace container (docs/formats.md): header, sections, segments, clocks, routing of plugin
 * segments. It knows nothing of what plugins carry: handlers get their segments' data as a stream.
 */
#ifndef TS_HTRACE_HTRACE_H
#define TS_HTRACE_HTRACE_H

#include "base/context.h"
#include "tables/store.h"

enum { TS_HTRACE_HEADER = 1024, TS_HTRACE_LOOK_INTO = 256 };

/* One segment on its way to a handler. */
typedef struct ts_segment {
    const char *plugin; /* canonical name ("js-memory" arrives as "arkts-plugin") */
    int64_t offset;     /* of its length prefix in the unwrapped input */
    int64_t ts;     /* outer time in ns, realtime clock as recorded; 0 when the fields are missing.
                     * In `begin` and `data` of a segment above the hold limit it is not known yet */
    bool truncated; /* known at `end`: data was cut or the framing broke inside */
} ts_segment;

/* What a plugin's parser gives the container. Registered in a table by the format's parser. */
typedef struct ts_plugin_handler {
    const char *name; /* exact plugin name */
    void *user;
    ts_code (*begin)(void *user, const ts_segment *seg);
    ts_code (*data)(void *user, const ts_segment *seg, const uint8_t *p, size_t n);
    ts_code (*end)(void *user, const ts_segment *seg);
    /* Bytes were lost between segments at this offset: what went on may have a gap. */
    ts_code (*gap)(void *user, int64_t offset);
    /* May this be data of the plugin? p: its first bytes, at most TS_HTRACE_LOOK_INTO of `size`.
     * Asked when the name on the wire is damaged; NULL: such segments are not taken. */
    bool (*reads)(const uint8_t *p, size_t n, uint64_t size);
    /* Segments whose `name` was other than canonical were seen: noted once by the container. */
} ts_plugin_handler;

typedef struct ts_htrace ts_htrace;

typedef struct ts_htrace_config {
    int64_t source_id;
    const ts_plugin_handler *handlers; /* borrowed */
    size_t handler_count;
    /* A segment up to this many bytes is handed on in one piece; 0 = 4 MiB. Never changes the data.
     */
    uint64_t hold;
    /* Random access for the scan that finds late clocks before the first segment is handed on: NULL
     * for pipes. Offsets are those of the file that is being fed; read_at sets *got, less than n
     * only at the end. */
    void *blob_user;
    ts_code (*read_at)(void *blob_user, size_t *got, uint64_t off, void *buf, size_t n);
} ts_htrace_config;

/* Caller frees with ts_htrace_free. */
ts_code ts_htrace_new(ts_htrace **out, ts_ctx *ctx, ts_store *store,
                      const ts_htrace_config *config);
void ts_htrace_free(ts_htrace *h);

/* As if n zero bytes were fed, of which *used are taken without looking at each; 0 when each
 * matters. */
ts_code ts_htrace_feed_zeros(ts_htrace *h, uint64_t *used, uint64_t n);
ts_code ts_htrace_feed(ts_htrace *h, const uint8_t *p, size_t n);

/* The input ends here (cut or not). */
ts_code ts_htrace_finish(ts_htrace *h);

/* -D: the next file of the run begins; clocks stay unless the new header has its own first ones. */
ts_code ts_htrace_next_file(ts_htrace *h);

/* The clocks known now, all zero when none. */
const ts_clock_set *ts_htrace_clocks(const ts_htrace *h);

#endif
