/* The formats that this folder gives to the registry. */
#ifndef TS_PARSERS_ARKTS_FORMATS_H
#define TS_PARSERS_ARKTS_FORMATS_H

#include "parsers/format.h"

extern const ts_format ts_format_heapsnapshot;
extern const ts_format ts_format_cpuprofile;
extern const ts_format ts_format_rawheap;

#endif
