/* The format that this folder gives to the registry. */
#ifndef TS_PARSERS_PERF_TEXT_FORMATS_H
#define TS_PARSERS_PERF_TEXT_FORMATS_H

#include "parsers/format.h"

extern const ts_format ts_format_perf_text;

#endif
