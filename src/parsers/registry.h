/* The descriptors of all source formats by name. Formats do not know each other: this is for
 * import_sniff.c, and for tests of single formats. */
#ifndef TS_PARSERS_REGISTRY_H
#define TS_PARSERS_REGISTRY_H

#include "parsers/format.h"

#define TS_FORMAT(name) extern const ts_format ts_format_##name;
#include "parsers/format_list.def"
#undef TS_FORMAT

#endif
