/*
 * The .htrace container (docs/formats.md): header, sections, segments, clocks, routing of segments
 * to the plugins that claim their names (htrace/plugin.h). It does not know what they carry.
 */
#ifndef TS_HTRACE_HTRACE_H
#define TS_HTRACE_HTRACE_H

#include "base/context.h"
#include "htrace/plugin.h"
#include "tables/store.h"

enum { TS_HTRACE_HEADER = 1024 };

typedef struct ts_htrace_config {
    int64_t source_id;
    const ts_htrace_plugin *const *plugins; /* borrowed, ends with NULL; NULL: none */
    void *user;                             /* for them: ts_plugin_host.user */
    /* A segment up to this many bytes is delivered in one piece; 0 = 4 MiB. Never changes the data.
     */
    uint64_t hold;
    /* Random access for the scan that finds late clocks before the first segment is delivered: NULL
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

/* Something that the recording had is not in what was fed: a gap is reported to all plugins. */
ts_code ts_htrace_gap(ts_htrace *h, int64_t offset);

/* The input ends here (cut or not): what it says of itself is recorded, plugins finish. */
ts_code ts_htrace_finish(ts_htrace *h);

/* -D: the next file of the run begins; clocks stay unless the new header has its own first ones. */
ts_code ts_htrace_next_file(ts_htrace *h);

/* The clocks known now, all zero when none. */
const ts_clock_set *ts_htrace_clocks(const ts_htrace *h);

#endif
