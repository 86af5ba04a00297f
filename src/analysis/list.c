/* All analyses, in the order in which they run: one line each, and the include. */
#include "analysis/call_views/call_views.h"

const ts_analysis *const ts_analyses[] = {
    &ts_analysis_call_views,
    NULL,
};
