/* Traced invocations, for readers of the table callstack. */
#ifndef TS_ANALYSIS_CALL_VIEWS_H
#define TS_ANALYSIS_CALL_VIEWS_H

#include "analysis/analysis.h"

extern const ts_analysis ts_analysis_call_views;

#endif
