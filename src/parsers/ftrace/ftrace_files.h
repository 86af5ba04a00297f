/*
 * What files of events of the kernel have in common, text and raw: their events go through the
 * feed to the machine; losses become issues.
 *
 * Memory: FTRACE_FILE_QUEUE bytes of events, or a quarter of --max-memory, the rest in a spool; and
 * what the machine keeps.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_FILES_H
#define TS_PARSERS_FTRACE_FTRACE_FILES_H

#include "parsers/format.h"
#include "parsers/ftrace/order/ftrace_feed.h"
#include "parsers/ftrace/rows/ftrace_machine.h"

enum { FTRACE_FILE_QUEUE = 64 << 20 };

typedef struct ftrace_file {
    ts_job *job;
    ftrace_feed feed;
    ftrace_machine *machine;
    const ts_clock_set *clocks; /* NULL: none is known */
} ftrace_file;

/* Opens the feed. ftrace_file_close releases it, also after an error. */
ts_code ftrace_file_open(ftrace_file *f, ts_job *job);
void ftrace_file_close(ftrace_file *f);

/* Opens the machine; clocks: NULL, or those that are known, borrowed until the end. Once. */
ts_code ftrace_file_machine(ftrace_file *f, const ts_clock_set *clocks);

/* An event, as ftrace_queue_take. user: the ftrace_file. */
ts_code ftrace_file_take(void *user, const ftrace_event *event);

/* All events were taken: makes the rows. The machine is open. */
ts_code ftrace_file_finish(ftrace_file *f);

/* Adds to the tally of (input, item). */
ts_code ftrace_file_count(const ftrace_file *f, ts_item item, const char *detail, uint64_t imported,
                          uint64_t lost, uint64_t skipped);

/* An issue of `count` defects; none when count is 0. */
ts_code ftrace_file_note(const ftrace_file *f, ts_issue_code issue, uint64_t count,
                         const char *text);

/* Events of the kernel that were dropped before they were read: counted as lost, and an issue.
 * count: how many times; events: how many events, 0 where that is not recorded. */
ts_code ftrace_file_dropped(const ftrace_file *f, uint64_t count, uint64_t events);

#endif
