#include "parsers/logs/log_lines.h"

#include <inttypes.h>

static ts_code lose_line(log_lines *l, ts_issue_code issue, const char *what)
{
    l->lost++;
    return ts_issue(l->job->store, l->job->source_id, issue, NULL, (int64_t)l->text.at,
                    "line %" PRIu64 " %s", l->text.number, what);
}

static ts_code one_line(void *user, ts_text line)
{
    log_lines *l = user;
    if (l->text.too_long) {
        return lose_line(l, TS_ISSUE_log_long_line, "is longer than 1 MiB");
    }
    return l->call(
        l->user,
        ts_text_from(line, l->text.number == 1 && ts_text_begins(line, "\xef\xbb\xbf") ? 3 : 0));
}

ts_code log_lines_feed(log_lines *l, const uint8_t *p, size_t n)
{
    l->text.max = LOG_MAX_LINE;
    return ts_lines_feed(l->job->ctx, &l->text, one_line, l, p, n);
}

ts_code log_lines_end(log_lines *l)
{
    if (!ts_lines_open(&l->text)) {
        return TS_OK;
    }
    l->text.number++;
    return lose_line(l, TS_ISSUE_log_cut_line, "has no end");
}

void log_lines_free(log_lines *l)
{
    ts_buf_free(l->job->ctx, &l->text.held);
}
