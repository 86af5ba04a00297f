/* The formats that this folder gives to the registry. */
#ifndef TS_PARSERS_LOGS_FORMATS_H
#define TS_PARSERS_LOGS_FORMATS_H

#include "parsers/format.h"

extern const ts_format ts_format_hilog_text;
extern const ts_format ts_format_hisysevent_text;

#endif
