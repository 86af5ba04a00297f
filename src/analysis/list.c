/* All analyses, in the order in which they run: a line each. */
#include "analysis/analysis.h"

const ts_analysis *const ts_analyses[] = {
    &ts_analysis_call_views,
    &ts_analysis_sample_views,
    &ts_analysis_profile_metrics,
    &ts_analysis_stack_totals,
    &ts_analysis_heap,
    &ts_analysis_markers,
    &ts_analysis_napi_async,
    NULL,
};
