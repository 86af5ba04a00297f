/* The descriptors of the formats in this folder, for parsers/registry.c. */
#ifndef TS_PARSERS_TPTP_FORMATS_H
#define TS_PARSERS_TPTP_FORMATS_H

#include "parsers/format.h"

extern const ts_format ts_format_tptp_binary; /* .trcbin */
extern const ts_format ts_format_tptp_xml;    /* .trcxml */

#endif
