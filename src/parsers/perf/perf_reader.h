/*
 * Recordings of Linux perf and of hiperf (perf.data), as files and as sections of .htrace. What
 * says how to read the records comes after them, so bytes are kept (input/byte_window.h) until the
 * input has ended; then each recording is read.
 *
 *     ts_perf_reader_open(&r, job);
 *     ts_perf_reader_begin(r, 0);                for each recording: where it begins in the input
 *     ts_perf_reader_feed(r, p, n);              its bytes, in blocks of any size
 *     ts_perf_reader_finish(r, source_id, NULL);
 *     ts_perf_reader_close(r);
 */
#ifndef TS_PARSERS_PERF_PERF_READER_H
#define TS_PARSERS_PERF_PERF_READER_H

#include "htrace/plugin.h"
#include "parsers/format.h"

typedef struct ts_perf_reader ts_perf_reader;

/* The job is borrowed. Errors of all: memory, spools, what the sink says. */
ts_code ts_perf_reader_open(ts_perf_reader **out, ts_job *job);
ts_code ts_perf_reader_begin(ts_perf_reader *r, int64_t offset);
ts_code ts_perf_reader_feed(ts_perf_reader *r, const uint8_t *p, size_t n);

/* The one recording is the first n bytes of this blob, which the reader closes; nothing was fed. */
void ts_perf_reader_blob(ts_perf_reader *r, ts_blob *blob, uint64_t n);

/* Sources of the recordings are below parent_id. host: of the .htrace around them, whose clocks
 * times are converted with; NULL: there is none. */
ts_code ts_perf_reader_finish(ts_perf_reader *r, int64_t parent_id, const ts_plugin_host *host);

/* NULL is allowed. */
void ts_perf_reader_close(ts_perf_reader *r);

/* May these be the first bytes of a recording? */
bool ts_perf_reads(const uint8_t *p, size_t n);

#endif
