/* The one list of source formats. A new format adds its descriptor's line here. */
#include "parsers/format.h"

#include "parsers/arkts/formats.h"
#include "parsers/chrome_trace/formats.h"
#include "parsers/cloud/formats.h"
#include "parsers/datakit/formats.h"
#include "parsers/flare/formats.h"
#include "parsers/folded/formats.h"
#include "parsers/ftrace/formats.h"
#include "parsers/heapprofile/formats.h"
#include "parsers/htrace/formats.h"
#include "parsers/perf_text/formats.h"
#include "parsers/pprof/formats.h"
#include "parsers/jfr/formats.h"
#include "parsers/logs/formats.h"
#include "parsers/speedscope/formats.h"
#include "parsers/tptp/formats.h"

#include <string.h>

/* One a line. */
/* clang-format off */
const ts_format *const ts_formats[] = {
    &ts_format_htrace,
    &ts_format_heapsnapshot,
    &ts_format_heapprofile,
    &ts_format_cpuprofile,
    &ts_format_chrome_trace,
    &ts_format_rawheap,
    &ts_format_flare,
    &ts_format_cloud,
    &ts_format_cloud_stream,
    &ts_format_tptp_binary,
    &ts_format_tptp_xml,
    &ts_format_pprof,
    &ts_format_gperftools,
    &ts_format_jfr,
    &ts_format_jfr_old,
    &ts_format_ftrace_text,
    &ts_format_ftrace_raw,
    &ts_format_hilog_text,
    &ts_format_hisysevent_text,
    &ts_format_perf_text,
    &ts_format_folded,
    &ts_format_speedscope,
    &ts_format_datakit,
    NULL,
};
/* clang-format on */

const ts_format *ts_format_find(const char *name)
{
    for (const ts_format *const *f = ts_formats; *f != NULL; f++) {
        if (strcmp((*f)->name, name) == 0) {
            return *f;
        }
    }
    return NULL;
}
