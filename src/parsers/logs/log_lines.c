#include "parsers/logs/log_lines.h"

#include <inttypes.h>

static ts_code lose_line(log_lines *l, ts_issue_code issue, const char *what)
{
    l->lost++;
    return ts_issue(l->job->store, l->job->source_id, issue, NULL, (int64_t)l->at,
                    "line %" PRIu64 " %s", l->number, what);
}

static ts_code one_line(log_lines *l, ts_text line)
{
    l->number++;
    if (l->too_long) {
        l->too_long = false;
        return lose_line(l, TS_ISSUE_log_long_line, "is longer than 1 MiB");
    }
    line.n -= line.n > 0 && line.p[line.n - 1] == '\r' ? 1 : 0;
    if (l->number == 1 && line.n >= 3 && memcmp(line.p, "\xef\xbb\xbf", 3) == 0) {
        line = (ts_text){line.p + 3, line.n - 3};
    }
    return l->call(l->user, line);
}

ts_code log_lines_feed(log_lines *l, const uint8_t *bytes, size_t n)
{
    const char *p = (const char *)bytes;
    ts_code code = TS_OK;
    while (n > 0 && code == TS_OK) {
        const char *lf = memchr(p, '\n', n);
        size_t part = lf == NULL ? n : (size_t)(lf - p);
        size_t used = part + (lf == NULL ? 0 : 1);
        size_t room = LOG_MAX_LINE - l->held.n;
        l->too_long = l->too_long || part > room;
        if (lf != NULL && l->held.n == 0) {
            code = one_line(l, (ts_text){p, part});
        } else {
            code = ts_buf_put(l->job->ctx, &l->held, p, part < room ? part : room);
            if (code == TS_OK && lf != NULL) {
                code = one_line(l, ts_buf_text(&l->held));
                l->held.n = 0;
            }
        }
        l->fed += used;
        l->at = lf == NULL ? l->at : l->fed;
        p += used;
        n -= used;
    }
    return code;
}

ts_code log_lines_end(log_lines *l)
{
    if (l->held.n == 0) {
        return TS_OK;
    }
    l->number++;
    return lose_line(l, TS_ISSUE_log_cut_line, "has no end");
}

void log_lines_free(log_lines *l)
{
    ts_buf_free(l->job->ctx, &l->held);
}
