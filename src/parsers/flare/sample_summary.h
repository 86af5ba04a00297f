/*
 * summary_info.json: what the collector writes of the recording and its threads. Format:
 * docs/formats.md, "Flare".
 *
 * flare_summary belongs to the directory, zeroed, until flare_summary_close; only sample_summary.c
 * and the inline functions here touch its fields.
 */
#ifndef TS_PARSERS_FLARE_SAMPLE_SUMMARY_H
#define TS_PARSERS_FLARE_SAMPLE_SUMMARY_H

#include "base/buf.h"
#include "base/context.h"

typedef struct flare_dir flare_dir;

/* Members of the summary. */
enum {
    FLARE_SUM_INTERVAL = 1,
    FLARE_SUM_SAMPLE_START = 2,
    FLARE_SUM_RECORD_START = 4,
    FLARE_SUM_LAST = 8,
    FLARE_SUM_ADDR = 16,
    FLARE_SUM_DIR = 32
};

typedef struct flare_summary {
    bool there; /* a file that could be read to the end of its value */
    unsigned has;
    int64_t interval_ms, sample_start_ms, record_start_ms, last_record_ms;
    ts_buf agent_addr, data_dir;
} flare_summary;

/* dir->summary. A summary that is missing or damaged is an issue, not an error. */
ts_code flare_summary_read(flare_dir *dir, uint32_t member);
void flare_summary_close(flare_dir *dir);

/* Was there a file that could be read to the end of its value? */
static inline bool flare_summary_there(const flare_summary *summary)
{
    return summary->there;
}

/* Does it have the members? FLARE_SUM_INTERVAL ... */
static inline bool flare_summary_has(const flare_summary *summary, unsigned members)
{
    return (summary->has & members) == members;
}

/* A number, in ms; 0 when it is not there. */
int64_t flare_summary_number(const flare_summary *summary, unsigned member);

/* FLARE_SUM_ADDR or FLARE_SUM_DIR; valid until flare_summary_close. */
ts_text flare_summary_text(const flare_summary *summary, unsigned member);

#endif
