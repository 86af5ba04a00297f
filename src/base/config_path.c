#include "base/config_path.h"

#include <stdio.h>
#include <stdlib.h>

bool ts_config_path(char *out, size_t n, const char *name)
{
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    const bool set = config != NULL && config[0] == '/';
    const char *root = set ? config : home;
    if (root == NULL || root[0] != '/') {
        return false;
    }
    const int length =
        snprintf(out, n, "%s%s/trace_streamer/%s", root, set ? "" : "/.config", name);
    return length > 0 && (size_t)length < n;
}
