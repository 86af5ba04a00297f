/* The format that this folder gives to the registry. */
#ifndef TS_PARSERS_CHROME_TRACE_FORMATS_H
#define TS_PARSERS_CHROME_TRACE_FORMATS_H

#include "parsers/format.h"

extern const ts_format ts_format_chrome_trace;

#endif
