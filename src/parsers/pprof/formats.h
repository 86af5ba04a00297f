/* The formats that this folder gives to the registry. */
#ifndef TS_PARSERS_PPROF_FORMATS_H
#define TS_PARSERS_PPROF_FORMATS_H

#include "parsers/format.h"

extern const ts_format ts_format_pprof;
extern const ts_format ts_format_gperftools; /* refused with advice */

#endif
