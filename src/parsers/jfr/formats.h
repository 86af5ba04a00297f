/* The formats that this folder gives to the registry. */
#ifndef TS_PARSERS_JFR_FORMATS_H
#define TS_PARSERS_JFR_FORMATS_H

#include "parsers/format.h"

extern const ts_format ts_format_jfr;
extern const ts_format ts_format_jfr_old; /* refused */

#endif
