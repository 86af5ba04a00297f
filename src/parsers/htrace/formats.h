/* The format that this folder gives to the registry, and the plugins that it reads. */
#ifndef TS_PARSERS_HTRACE_FORMATS_H
#define TS_PARSERS_HTRACE_FORMATS_H

#include "htrace/plugin.h"
#include "parsers/format.h"

extern const ts_format ts_format_htrace;

/* All plugins that are decoded, of plugin_list.def; NULL-terminated. */
extern const ts_htrace_plugin *const ts_htrace_plugins[];

#endif
