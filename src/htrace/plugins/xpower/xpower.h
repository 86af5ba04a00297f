/*
 * What the parts of xpower-plugin share. Its messages are reports on the power use of one
 * application over an interval; every row has the time at which the interval begins.
 */
#ifndef TS_HTRACE_PLUGINS_XPOWER_H
#define TS_HTRACE_PLUGINS_XPOWER_H

#include "htrace/plugins/counters.h"

typedef struct xpower {
    ts_records records;
    ts_counters counters; /* xpower_measure */
    ts_idmap starts;      /* beginnings of the reports so far, in ms: 16 bytes each */
    bool configured;      /* trace_config has the name of the application */
    bool unnamed;         /* a report does not name it */
    ts_buf text;
    /* The report that is being read. */
    int64_t raw; /* its beginning as recorded, in ns */
    int64_t ts;  /* the same as rows have it */
    bool wanted;
} xpower;

/* Parts of a report that are lists: columns of a table, each in a field of its own. p[0..n) is the
 * part app_detail.cpu, app_detail.gpu, or component_top. */
ts_code xpower_threads(xpower *x, ts_message *m, const uint8_t *p, size_t n);
ts_code xpower_frequencies(xpower *x, ts_message *m, const uint8_t *p, size_t n);
ts_code xpower_top(xpower *x, ts_message *m, const uint8_t *p, size_t n);

#endif
