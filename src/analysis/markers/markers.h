/*
 * What the names of slices say: the start of applications (app_startup),
 * libraries that are loaded (static_initalize), tasks (task_pool), animations (animation), windows
 * that are drawn (dynamic_frame), and the display (device_info).
 *
 * callstack is read once; what is found there goes through bounded sorters, so that memory does not
 * grow with slices: at most 4 MiB a sorter, of which there are six, 80 bytes a thread of a finished
 * database, 600 bytes a start of an application and a package that was attached, and 32 bytes for
 * each library of a process that is being loaded at one time. Time: O(n log n) in the rows that
 * have such names, linear in all others.
 */
#ifndef TS_ANALYSIS_MARKERS_H
#define TS_ANALYSIS_MARKERS_H

#include "analysis/analysis.h"

extern const ts_analysis ts_analysis_markers;

#endif
