/* All analyses, in the order in which they run: one line each, and the include. */
#include "analysis/call_views/call_views.h"
#include "analysis/heap/heap_analysis.h"
#include "analysis/markers/markers.h"
#include "analysis/profile_metrics/profile_metrics.h"
#include "analysis/sample_views/sample_views.h"
#include "analysis/stack_totals/stack_totals.h"

const ts_analysis *const ts_analyses[] = {
    &ts_analysis_call_views,
    &ts_analysis_sample_views,
    &ts_analysis_profile_metrics,
    &ts_analysis_stack_totals,
    &ts_analysis_heap,
    &ts_analysis_markers,
    NULL,
};
