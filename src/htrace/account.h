/*
 * What is recorded of the container: issues, counts, properties and times of the source. Owned by
 * account.c. Docs: docs/formats.md, ".htrace container"; docs/trust.md.
 */
#ifndef TS_HTRACE_ACCOUNT_H
#define TS_HTRACE_ACCOUNT_H

#include "htrace/htrace.h"

/* What becomes of bytes or items. */
typedef enum ts_outcome { TS_IMPORTED, TS_SKIPPED, TS_LOST } ts_outcome;

typedef struct ts_account {
    ts_tally *bytes; /* borrowed; NULL while scanning ahead */
    ts_tally *sections;
    ts_tally *segments;
    bool has_start; /* start_ts of the source is known */
    bool has_end;
    int64_t start_ts; /* ns, boottime */
    int64_t end_ts;
} ts_account;

ts_code ts_htrace_open_counts(ts_htrace *h);
void ts_tally_add(ts_tally *tally, ts_outcome outcome, uint64_t n); /* tally may be NULL */

/* ts_issue for this source, unless scanning ahead. */
#define ts_htrace_issue(h, code, stream, offset, ...)                                              \
    ((h)->store == NULL ? TS_OK                                                                    \
                        : ts_issue((h)->store, (h)->config.source_id, TS_ISSUE_##code, (stream),   \
                                   (int64_t)(offset), __VA_ARGS__))

ts_code ts_htrace_stat(ts_htrace *h, const char *event, const char *type, uint64_t n);

/* What a header says, as properties of the source; issues about it. */
ts_code ts_htrace_record_header(ts_htrace *h);

/* Closing notes: plugins that are not decoded. */
ts_code ts_htrace_record_end(ts_htrace *h);

/* Times of the source, when all rows are there. */
ts_code ts_htrace_record_times(ts_htrace *h);

#endif
