/* The exports by name, for export_list.c. */
#ifndef TS_EXPORT_EXPORT_FORMATS_H
#define TS_EXPORT_EXPORT_FORMATS_H

#include "export/export.h"

extern const ts_export ts_export_chrome;
extern const ts_export ts_export_datakit_flamegraph;
extern const ts_export ts_export_flame;
extern const ts_export ts_export_folded;
extern const ts_export ts_export_line_protocol;
extern const ts_export ts_export_pprof;
extern const ts_export ts_export_profile_json;
extern const ts_export ts_export_speedscope;

#endif
