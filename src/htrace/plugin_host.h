/*
 * Plugins that are open: their segments' data, gaps, the end. Owned by plugin_host.c. Docs:
 * htrace/plugin.h; docs/architecture.md, "Plugins of .htrace".
 */
#ifndef TS_HTRACE_HOST_H
#define TS_HTRACE_HOST_H

#include "base/buf.h"
#include "htrace/htrace.h"

/* A plugin of the list, open for this input. */
typedef struct ts_reader {
    const ts_htrace_plugin *plugin;
    ts_plugin_host host;
    void *self;
    ts_buf message; /* of the segment under way, when it is to come whole but comes in pieces */
    uint64_t size;  /* bytes of it that came */
} ts_reader;

typedef struct ts_host {
    ts_reader *readers; /* of the plugins in the configuration, in their order; owned */
    size_t count;
    uint64_t delivered; /* segments given to plugins */
    uint64_t timed;     /* of these, what has its times converted as it comes: no ftrace */
    int64_t first;      /* their offsets */
    int64_t last;
    bool gap; /* a loss that plugins do not know of yet */
    int64_t gap_offset;
} ts_host;

/* Opens all plugins of the configuration. */
ts_code ts_readers_open(ts_htrace *h);
ts_code ts_readers_finish(ts_htrace *h);
void ts_readers_close(ts_htrace *h);

/* The reader that claims this canonical name, and its name for it; NULL when none does. */
ts_reader *ts_reader_find(const ts_plugin_name **as, const ts_htrace *h, const char *name,
                          size_t n);

/* Notes that bytes at this offset are missing from what plugins see. */
void ts_htrace_note_gap(ts_htrace *h, uint64_t offset);

/* Gives the plugin the segment that is under way: its beginning (after a gap that was noted), a
 * piece of its data, its end. `ts_deliver_whole` stands for the last two when all data is there. */
ts_code ts_deliver_begin(ts_htrace *h);
ts_code ts_deliver_data(ts_htrace *h, const uint8_t *p, size_t n);
ts_code ts_deliver_end(ts_htrace *h);
ts_code ts_deliver_whole(ts_htrace *h, const uint8_t *p, size_t n);

#endif
