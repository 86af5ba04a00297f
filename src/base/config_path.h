/* Where users keep what belongs to them. */
#ifndef TS_BASE_CONFIG_PATH_H
#define TS_BASE_CONFIG_PATH_H

#include <stdbool.h>
#include <stddef.h>

/* The path of `name` in trace_streamer of $XDG_CONFIG_HOME, or of ~/.config, with a zero byte.
 * False: there is no absolute one, or it is longer than n. */
bool ts_config_path(char *out, size_t n, const char *name);

#endif
