/* Formats in this folder, for the list in parsers/registry.c. */
#ifndef TS_PARSERS_DATAKIT_FORMATS_H
#define TS_PARSERS_DATAKIT_FORMATS_H

#include "parsers/format.h"

extern const ts_format ts_format_datakit;

#endif
