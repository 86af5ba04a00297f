#include "base/lines.h"

#include <string.h>

static ts_code hand_out(ts_lines *l, ts_line_call *call, void *user, ts_text line)
{
    ts_code code;
    l->number++;
    line.n -= line.n > 0 && line.p[line.n - 1] == '\r' ? 1 : 0;
    code = call(user, line);
    l->held.n = 0;
    l->too_long = false;
    l->at = l->fed;
    return code;
}

ts_code ts_lines_feed(ts_ctx *ctx, ts_lines *l, ts_line_call *call, void *user, const void *bytes,
                      size_t n)
{
    const char *p = bytes;
    ts_code code = TS_OK;
    while (n > 0 && code == TS_OK) {
        const char *lf = memchr(p, '\n', n);
        size_t part = lf == NULL ? n : (size_t)(lf - p);
        size_t used = part + (lf == NULL ? 0 : 1);
        size_t room = l->max - l->held.n;
        l->too_long = l->too_long || part > room;
        part = part < room ? part : room;
        l->fed += used;
        if (lf != NULL && l->held.n == 0) {
            code = hand_out(l, call, user, (ts_text){p, part});
        } else {
            code = ts_buf_put(ctx, &l->held, p, part);
            TS_STEP_IF(code, lf != NULL, hand_out(l, call, user, ts_buf_text(&l->held)));
        }
        p += used;
        n -= used;
    }
    return code;
}
