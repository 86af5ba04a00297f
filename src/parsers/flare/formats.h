/* The format of this folder, for the registry. Format facts: docs/formats.md, "Flare". */
#ifndef TS_PARSERS_FLARE_FORMATS_H
#define TS_PARSERS_FLARE_FORMATS_H

#include "parsers/format.h"

extern const ts_format ts_format_flare;

#endif
