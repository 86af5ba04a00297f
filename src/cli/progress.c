#include "cli/progress.h"

#include "session/conversion.h"

#include "cli/print.h"

#include <stdio.h>
#include <time.h>

enum { LINE_MAX_BYTES = 160, NAME_SHOWN = 36 };

static const char erase[] = "\r\033[K";

/* The end of a long name is more useful than its beginning. */
static void short_name(char *out, size_t cap, const char *name)
{
    size_t n = strlen(name);
    const char *p = n > NAME_SHOWN ? name + n - (NAME_SHOWN - 3) : name;
    size_t k = 0;
    for (const char *dots = n > NAME_SHOWN ? "..." : ""; *dots != '\0'; dots++) {
        out[k++] = *dots;
    }
    for (; *p != '\0' && k + 1 < cap; p++) {
        out[k++] = *p >= ' ' && *p <= '~' ? *p : '?';
    }
    out[k] = '\0';
}

void ts_progress_text(char *out, size_t cap, const char *name, uint64_t done, int64_t total,
                      double seconds)
{
    char shown[NAME_SHOWN + 4];
    double mb = (double)done / 1e6;
    double speed = seconds > 0 ? mb / seconds : 0;
    short_name(shown, sizeof shown, name);
    if (total <= 0) {
        snprintf(out, cap, "%s  %.1f MB  %.1f MB/s", shown, mb, speed);
        return;
    }
    double part = (double)done / (double)total;
    part = part > 1 ? 1 : part;
    if (done == 0 || seconds < 0.5) {
        snprintf(out, cap, "%s  %3.0f%%  %.1f MB/s", shown, part * 100, speed);
        return;
    }
    double left = seconds * (1 - part) / (part > 0 ? part : 1);
    unsigned long s = left < 359999 ? (unsigned long)left : 359999;
    snprintf(out, cap, "%s  %3.0f%%  %.1f MB/s  %lu:%02lu left", shown, part * 100, speed, s / 60,
             s % 60);
}

static void update(void *user, const char *name, uint64_t done, int64_t total)
{
    ts_progress_line *line = user;
    double now = ts_now();
    if (!line->enabled) {
        return;
    }
    if (done < line->previous) {
        line->started = now;
    }
    line->previous = done;
    if (now - line->last < 0.1) {
        return;
    }
    char text[LINE_MAX_BYTES];
    char whole[LINE_MAX_BYTES + sizeof erase];
    ts_progress_text(text, sizeof text, name, done, total, now - line->started);
    int n = snprintf(whole, sizeof whole, "%s%s", erase, text);
    ts_stderr(line->ctx, whole, n < 0 ? 0 : (size_t)n);
    line->shown = true;
    line->last = now;
}

void ts_progress_init(ts_progress_line *line, ts_progress *hooks, ts_ctx *ctx, bool enabled)
{
    double now = ts_now();
    *line = (ts_progress_line){ctx, enabled, false, now, now, 0};
    *hooks = (ts_progress){line, update};
}

void ts_progress_clear(ts_progress_line *line)
{
    if (line->shown) {
        ts_stderr(line->ctx, erase, sizeof erase - 1);
        line->shown = false;
    }
}
