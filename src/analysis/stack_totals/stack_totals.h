/* Self and total samples of methods. */
#ifndef TS_ANALYSIS_STACK_TOTALS_H
#define TS_ANALYSIS_STACK_TOTALS_H

#include "analysis/analysis.h"

extern const ts_analysis ts_analysis_stack_totals;

#endif
