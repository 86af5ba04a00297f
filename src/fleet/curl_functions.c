#include "fleet/curl_functions.h"

#include <dlfcn.h>

ts_code ts_curl_load(ts_curl *out, ts_ctx *ctx)
{
    void *library = dlopen("libcurl.so.4", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        return ts_fail(ctx, TS_ERR_OUTPUT, "cannot load libcurl: %s; install it (Debian: libcurl4)",
                       dlerror());
    }
#define LOAD(name)                                                                                 \
    {                                                                                              \
        void *found = dlsym(library, "curl_" #name);                                               \
        if (found == NULL) {                                                                       \
            return ts_fail(ctx, TS_ERR_OUTPUT,                                                     \
                           "libcurl has no curl_" #name "; install version 7.74 or later");        \
        }                                                                                          \
        memcpy(&out->name, &found, sizeof found); /* ISO C has no cast from one to the other */    \
    }
    TS_CURL_FUNCTIONS(LOAD)
#undef LOAD
    return TS_OK;
}
