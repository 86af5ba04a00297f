/*
 * ffrt-profiler of .htrace recordings: markers of a scheduler of tasks in user space, which are
 * handled as those of the kernel are. Docs: docs/formats.md, "ffrt-profiler".
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_FFRT_H
#define TS_PARSERS_FTRACE_FTRACE_FFRT_H

#include "base/buf.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "htrace/plugins/fields.h"
#include "parsers/ftrace/plugin/ftrace_recording.h"

enum { FTRACE_FFRT_MESSAGE = 64 << 20, FTRACE_FFRT_CONFIG = 1 << 20 };
enum { FTRACE_FFRT_NAME_MAX = 1024 };

typedef struct ftrace_ffrt {
    const ts_plugin_host *host;
    ftrace_recording *recording;
    ts_tally *messages; /* NULL before the first */
    ts_tally *configs;
    ts_tally *events;
    ts_clock clock;
    ts_idmap names; /* of threads, by tid and pid: their number in `texts` */
    ts_pool texts;
    ts_buf marker;
} ftrace_ffrt;

/* Both are borrowed. */
void ftrace_ffrt_init(ftrace_ffrt *ffrt, const ts_plugin_host *host, ftrace_recording *recording);
void ftrace_ffrt_free(ftrace_ffrt *ffrt);

/* A message of ffrt-profiler or of ffrt-profiler_config. */
ts_code ftrace_ffrt_message(ftrace_ffrt *ffrt, const ts_segment *seg, const uint8_t *p, size_t n);

#endif
