/*
 * For plugins that measure at intervals: one message is one sample, one row describes the interval
 * that ends at it. Samples are put in the order of their times at the end of the recording; the
 * first has no row, the others begin with it. Docs: docs/formats.md, "Plugins that sample".
 *
 * A sample before which others may be lost has a row without `dur`, also when it is the first one.
 * Samples whose time is not known have rows after all others.
 *
 * Memory: what a sorter takes, at most 4 MiB a plugin; more samples are sorted in a spool.
 */
#ifndef TS_HTRACE_PLUGINS_SAMPLING_H
#define TS_HTRACE_PLUGINS_SAMPLING_H

#include "htrace/plugin.h"

/* The interval between two samples, for a row. */
typedef struct ts_interval {
    int64_t ts;         /* of its end, in the trace clock; TS_NO_TIME: NULL */
    int64_t dur;        /* TS_NO_TIME: NULL; then the values of both ends must not be compared */
    const void *before; /* the record at its beginning; NULL when dur is not known */
    const void *at;     /* the record at its end */
} ts_interval;

enum {
    TS_SAMPLE_RECORD = 192,      /* the largest record */
    TS_SAMPLE_MESSAGE = 16 << 20 /* the largest message */
};

typedef struct ts_sampling_kind {
    const char *plugin;   /* its name */
    const char *received; /* the event in stat that counts samples */
    size_t record;        /* bytes of one */
    ts_code (*put)(const ts_plugin_host *host, const ts_interval *interval);
} ts_sampling_kind;

typedef struct ts_sampling ts_sampling;

/* *self: a ts_sampling, which may itself stand for the plugin: `finish`, `close` and `gap` of
 * ts_htrace_plugin are below. Both are borrowed. */
ts_code ts_sampling_new(void **self, const ts_plugin_host *host, const ts_sampling_kind *kind);
const ts_plugin_host *ts_sampling_host(const ts_sampling *s);

/* What became of a message; each is counted by one of these. */

/* It holds a sample. damaged: the message breaks off after the record's values, of which `unknown`
 * are NULL. */
ts_code ts_sampling_add(ts_sampling *s, const ts_segment *seg, const void *record, bool damaged,
                        unsigned unknown);
/* It is whole and holds no sample. */
ts_code ts_sampling_none(ts_sampling *s);
/* It is damaged, and if it held a sample nothing is known of it. */
ts_code ts_sampling_lost(ts_sampling *s);

/* Samples may be missing here. */
ts_code ts_sampling_gap(void *self, int64_t offset);

/* Puts the rows. */
ts_code ts_sampling_finish(void *self);
void ts_sampling_free(void *self);

/* What a number grew by in a second of the interval; false: not known (*rate is 0), because dur is
 * 0 or not known. */
bool ts_sampling_rate(double *rate, const ts_interval *interval, int64_t growth);

/* With --compat the number without its fraction. */
double ts_sampling_cut(const ts_plugin_host *host, double v);

/* Defines the plugin of such a kind for the list: its only segments are those of `wire`, and its
 * `message` is of the file. reads: as in ts_plugin_name. */
#define TS_SAMPLING_PLUGIN(name, wire, sampling, wire_reads)                                       \
    static ts_code open_plugin(void **self, const ts_plugin_host *host)                            \
    {                                                                                              \
        return ts_sampling_new(self, host, sampling);                                              \
    }                                                                                              \
    static const ts_plugin_name names[] = {{wire, TS_SAMPLE_MESSAGE, wire_reads},                  \
                                           {NULL, 0, NULL}};                                       \
    TS_HTRACE_PLUGIN(name) = {                                                                     \
        .names = names,                                                                            \
        .open = open_plugin,                                                                       \
        .message = message,                                                                        \
        .gap = ts_sampling_gap,                                                                    \
        .finish = ts_sampling_finish,                                                              \
        .close = ts_sampling_free,                                                                 \
    }

#endif
