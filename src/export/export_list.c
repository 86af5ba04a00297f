/* All exports, in the order of --to=list: one line each, and the declaration. */
#include "export/export_formats.h"

/* clang-format off */
const ts_export *const ts_exports[] = {
    &ts_export_flame,
    &ts_export_folded,
    &ts_export_speedscope,
    &ts_export_pprof,
    &ts_export_chrome,
    &ts_export_datakit_flamegraph,
    &ts_export_line_protocol,
    &ts_export_profile_json,
    NULL,
};
/* clang-format on */
