/* The plugins that the source format htrace decodes. */
#ifndef TS_PARSERS_HTRACE_PLUGIN_LIST_H
#define TS_PARSERS_HTRACE_PLUGIN_LIST_H

#include "htrace/plugin.h"

/* Those of plugin_list.def; NULL-terminated. */
extern const ts_htrace_plugin *const ts_htrace_plugins[];

#endif
