/* Sampled stacks, for readers of the tables of hiperf. */
#ifndef TS_ANALYSIS_SAMPLE_VIEWS_H
#define TS_ANALYSIS_SAMPLE_VIEWS_H

#include "analysis/analysis.h"

extern const ts_analysis ts_analysis_sample_views;

#endif
