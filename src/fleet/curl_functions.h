/*
 * libcurl, loaded when something is sent. Linked to the program, its 19 libraries would be loaded
 * at each start of it: 10 ms, a third of what a start takes, for what most runs never do.
 */
#ifndef TS_FLEET_CURL_FUNCTIONS_H
#define TS_FLEET_CURL_FUNCTIONS_H

#include "base/context.h"

#include <curl/curl.h>

#define TS_CURL_FUNCTIONS(F)                                                                       \
    F(easy_init)                                                                                   \
    F(easy_setopt)                                                                                 \
    F(easy_perform)                                                                                \
    F(easy_getinfo)                                                                                \
    F(easy_strerror)                                                                               \
    F(easy_escape)                                                                                 \
    F(easy_cleanup)                                                                                \
    F(slist_append)                                                                                \
    F(slist_free_all)                                                                              \
    F(free)

/* Named as in curl/curl.h, less "curl_". */
typedef struct ts_curl {
#define TS_CURL_MEMBER(name) __typeof__(&curl_##name) name;
    TS_CURL_FUNCTIONS(TS_CURL_MEMBER)
#undef TS_CURL_MEMBER
} ts_curl;

/* Stays loaded until the program ends: libraries below it cannot be loaded twice. TS_ERR_OUTPUT,
 * with what to install, when it is not there. */
ts_code ts_curl_load(ts_curl *out, ts_ctx *ctx);

#endif
