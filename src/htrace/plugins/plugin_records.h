/*
 * For plugins whose messages hold records (lines of a log, events, values of counters) that become
 * rows as they come: counts of messages and records, their times, texts, and --time-range.
 *
 * The clocks of a recording may become known after the first rows (a pipe whose first snapshot is
 * in a late ftrace segment). Rows put before keep the recorded clock and are moved then.
 */
#ifndef TS_HTRACE_PLUGINS_PLUGIN_RECORDS_H
#define TS_HTRACE_PLUGINS_PLUGIN_RECORDS_H

#include "base/buf.h"
#include "htrace/plugins/fields.h"

enum {
    TS_RECORDS_MESSAGE = 64 << 20, /* the largest message */
    TS_RECORDS_TABLES = 10
};

/* A table of the plugin, whose rows have times. */
typedef struct ts_records_table {
    enum ts_table_id table;
    uint64_t columns; /* a bit for each that is a time */
    int64_t first;    /* row that is not moved yet */
} ts_records_table;

typedef struct ts_records {
    const ts_plugin_host *host;
    const char *plugin;
    ts_htrace_times times;
    ts_clock recorded; /* clock of the recorded times */
    ts_clock shown;    /* clock of the times in rows now */
    ts_span span;      /* wanted, in that clock */
    bool timed;        /* a time has come */
    int64_t begin;     /* that time, as recorded */
    int64_t first;     /* of the wanted times, as recorded */
    int64_t last;
    bool noted;
    ts_tally *messages; /* NULL before the first */
    uint64_t message;   /* hash of the message before */
    bool has_message;
    uint64_t repeated; /* messages */
    uint64_t lost_values;
    uint64_t untimed;
    int64_t first_untimed; /* offset */
    uint64_t replaced;     /* texts with bytes that are no UTF-8 */
    ts_records_table tables[TS_RECORDS_TABLES];
    size_t table_count;
} ts_records;

/* The recorded times are realtime; a plugin whose records say their clocks sets `recorded` to
 * TS_CLOCK_UNKNOWN. host is borrowed. */
void ts_records_init(ts_records *r, const ts_plugin_host *host, const char *plugin);

/* Rows of this table, from now on, have times of the plugin in these columns. */
void ts_records_table_add(ts_records *r, enum ts_table_id table, uint64_t columns);

/* A message begins: *m is for its fields. Call ts_records_end after it with the same. */
ts_code ts_records_begin(ts_message *m, ts_records *r, const ts_segment *seg);
void ts_records_end(ts_records *r, const ts_message *m);

/* Is the message, with its time, the one before once more? Then it is skipped, and does not end.
 * For plugins whose messages hold what cannot be twice. */
bool ts_records_again(ts_records *r, const ts_message *m, const uint8_t *p, size_t n);

/* The tally of records; part: NULL, or which ones ("plugin_records:<plugin>.<part>"). */
ts_code ts_records_tally(ts_tally **out, const ts_records *r, const char *part);

/* Counts a record of a part: lost unless `some` of it is known, skipped unless --time-range wants
 * it. *put: it becomes a row. */
ts_code ts_records_row(bool *put, const ts_records *r, const char *part, bool some, bool wanted);

/* A recorded time of seconds and ns; TS_NO_TIME, and counted, when it does not fit. */
int64_t ts_records_ns(ts_records *r, int64_t sec, int64_t part);

/*
 * A recorded time for a row: *ts is that of the trace, or TS_NO_TIME. False: --time-range leaves it
 * out. raw may be TS_NO_TIME.
 */
ts_code ts_records_time(int64_t *ts, bool *wanted, ts_records *r, int64_t raw);

/* The time of a record was not recorded. */
void ts_records_untimed(ts_records *r, const ts_message *m);

/* The outer time of a message's segment, as recorded; one that is missing is counted. */
int64_t ts_records_outer(ts_records *r, const ts_message *m);

/* Values that are NULL in rows that are there. */
static inline void ts_records_lose(ts_records *r, uint64_t n)
{
    r->lost_values += n;
}

/* The text of a value with what is no UTF-8 replaced, in *buf when something is. A value that is
 * not known is NULL and lost. */
ts_code ts_records_text(ts_text *out, ts_buf *buf, ts_records *r, const ts_value *value);

/* The number of a value, 0 when it is absent; sets `bit` in *null, and counts it as lost, when it
 * is not known. */
int64_t ts_records_int(uint64_t *null, uint64_t bit, ts_records *r, const ts_value *value);

/* The number of the next row of a table, from 0. */
static inline int64_t ts_records_next(const ts_records *r, enum ts_table_id table)
{
    return (int64_t)ts_sink_rows(ts_store_sink(r->host->store), table);
}

/* A row of trace_config: what was asked for. */
ts_code ts_records_config(const ts_records *r, const char *source, const char *key, ts_text value);

/* After the last message: moves rows, notes the range, records the issues. */
ts_code ts_records_finish(ts_records *r);

#endif
