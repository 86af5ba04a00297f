#include "parsers/ftrace/ftrace_files.h"

#include <inttypes.h>

ts_code ftrace_file_open(ftrace_file *f, ts_job *job)
{
    uint64_t quarter = job->ctx->limits.max_memory / 4;
    size_t memory =
        quarter == 0 || quarter > FTRACE_FILE_QUEUE ? FTRACE_FILE_QUEUE : (size_t)quarter;
    f->job = job;
    return ftrace_feed_open(&f->feed, job->ctx, memory);
}

void ftrace_file_close(ftrace_file *f)
{
    ftrace_machine_close(f->machine);
    ftrace_feed_close(&f->feed);
    f->machine = NULL;
}

ts_code ftrace_file_machine(ftrace_file *f, const ts_clock_set *clocks)
{
    /* No clock is recorded: that of the trace is taken to be the one of the rows. */
    const ftrace_machine_options options = {.clock = TS_CLOCK_BOOTTIME, .clocks = clocks};
    f->clocks = clocks;
    return ftrace_machine_open(&f->machine, f->job->ctx, f->job->store, f->job->source_id,
                               &options);
}

ts_code ftrace_file_take(void *user, const ftrace_event *event)
{
    ftrace_file *f = user;
    return ftrace_feed_add(&f->feed, event);
}

static ts_code to_machine(void *user, const ftrace_event *event)
{
    ftrace_file *f = user;
    return ftrace_machine_event(f->machine, event);
}

/* --time-range: a range of the clock counts only when that is related to the trace's. */
static ts_code limit_rows(ftrace_file *f)
{
    const ts_job *job = f->job;
    ts_span wanted;
    if (!f->feed.has_events) {
        return TS_OK;
    }
    if (!ts_wanted_span(&wanted, job->ctx, TS_CLOCK_BOOTTIME, f->clocks, f->feed.earliest)) {
        return ts_issue(job->store, job->source_id, TS_ISSUE_time_range_unrelated, NULL,
                        TS_NO_OFFSET,
                        "times of events of the kernel cannot be related to the range; all are "
                        "kept");
    }
    return ftrace_machine_limit(f->machine, &wanted);
}

ts_code ftrace_file_finish(ftrace_file *f)
{
    ts_code code = limit_rows(f);
    TS_STEP(code, ftrace_feed_drain(&f->feed, to_machine, f));
    ftrace_feed_close(&f->feed);
    TS_STEP(code, ftrace_machine_finish(f->machine));
    TS_STEP(code, ftrace_feed_note(&f->feed, f->job->store, f->job->source_id, NULL));
    return code;
}

ts_code ftrace_file_count(const ftrace_file *f, ts_item item, const char *detail, uint64_t imported,
                          uint64_t lost, uint64_t skipped)
{
    return imported + lost + skipped == 0 ? TS_OK
                                          : ts_count_add(f->job->store, f->job->source_id, item,
                                                         detail, imported, lost, skipped);
}

ts_code ftrace_file_note(const ftrace_file *f, ts_issue_code issue, uint64_t count,
                         const char *text)
{
    return ts_issue_n(f->job->store, f->job->source_id, issue, NULL, TS_NO_OFFSET, count,
                      "%" PRIu64 " %s", count, text);
}

ts_code ftrace_file_dropped(const ftrace_file *f, uint64_t count, uint64_t events)
{
    ts_code code = ftrace_file_count(f, TS_ITEM_ftrace_events, "dropped", 0,
                                     events > count ? events : count, 0);
    return code != TS_OK ? code
                         : ts_issue_n(f->job->store, f->job->source_id, TS_ISSUE_ftrace_dropped,
                                      NULL, TS_NO_OFFSET, count,
                                      "the kernel dropped events %" PRIu64 " times, %" PRIu64
                                      " of them are numbered",
                                      count, events);
}
