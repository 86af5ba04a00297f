/* Formats of the Cloud Profiler, for the registry. */
#ifndef TS_PARSERS_CLOUD_FORMATS_H
#define TS_PARSERS_CLOUD_FORMATS_H

#include "parsers/format.h"

/* Directories and archives of stream files. */
extern const ts_format ts_format_cloud;

/* One file: a TCP conversation, or a single stream. */
extern const ts_format ts_format_cloud_stream;

#endif
