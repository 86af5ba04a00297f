/* What keeps heap objects alive: dominators, retained sizes, distances, classes, comparison. */
#ifndef TS_ANALYSIS_HEAP_HEAP_ANALYSIS_H
#define TS_ANALYSIS_HEAP_HEAP_ANALYSIS_H

#include "analysis/analysis.h"

extern const ts_analysis ts_analysis_heap;

#endif
