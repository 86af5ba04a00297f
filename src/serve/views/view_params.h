/* Parameters that several views take, each declared once. */
#ifndef TS_SERVE_VIEW_PARAMS_H
#define TS_SERVE_VIEW_PARAMS_H

#include "serve/views/views.h"

/* A number that may be any, such as an id. */
#define TS_PARAM_ANY(what, about)                                                                  \
    {                                                                                              \
        .name = what, .type = TS_VIEW_INT, .least = INT64_MIN, .most = INT64_MAX, .doc = about     \
    }
#define TS_PARAM_SOURCE                                                                            \
    {                                                                                              \
        .name = "src", .type = TS_VIEW_SOURCE, .most = 1000,                                       \
        .doc = "a source, with what was found in it: id, path, name, or a glob"                    \
    }
#define TS_PARAM_THREADS(needed, about)                                                            \
    {                                                                                              \
        .name = "thr", .type = TS_VIEW_THREADS, .most = 1000, .required = needed, .doc = about     \
    }
#define TS_PARAM_TIME(what, needed)                                                                \
    {                                                                                              \
        .name = what, .type = TS_VIEW_INT, .least = INT64_MIN, .most = INT64_MAX,                  \
        .required = needed, .doc = "ns since the origin"                                           \
    }
#define TS_PARAM_EVENT(about)                                                                      \
    {                                                                                              \
        .name = "event", .type = TS_VIEW_TEXT, .most = TS_SCAN_TEXT_MAX, .doc = about              \
    }
/* Columns of a picture. */
#define TS_PARAM_PX(from, to, usual, about)                                                        \
    {                                                                                              \
        .name = "px", .type = TS_VIEW_INT, .least = from, .most = to, .default_value = usual,      \
        .doc = about                                                                               \
    }
#define TS_PARAM_FILE                                                                              \
    {                                                                                              \
        .name = "file", .type = TS_VIEW_INT, .most = INT64_MAX, .doc = "id in js_heap_files"       \
    }
#define TS_PARAM_NODE                                                                              \
    {                                                                                              \
        .name = "node", .type = TS_VIEW_INT, .most = UINT32_MAX - 2, .required = true,             \
        .doc = "node_index"                                                                        \
    }
#define TS_PARAM_FILTER                                                                            \
    {                                                                                              \
        .name = "filter", .type = TS_VIEW_TEXT, .most = 1000,                                      \
        .doc = "part of the class, ASCII letters in either case"                                   \
    }
/* What model/pattern.h looks for. */
#define TS_PARAM_PATTERN(what, about)                                                              \
    {                                                                                              \
        .name = what, .type = TS_VIEW_TEXT, .most = 1000, .doc = about                             \
    }
#define TS_PARAM_LIMIT(to, usual, of)                                                              \
    {                                                                                              \
        .name = "limit", .type = TS_VIEW_INT, .least = 1, .most = to, .default_value = usual,      \
        .doc = of " of the reply"                                                                  \
    }
/* `offset` and after it `limit`, which ts_view_page reads. */
#define TS_PARAMS_PAGE(to, usual, of)                                                              \
    {.name = "offset", .type = TS_VIEW_INT, .most = UINT32_MAX, .doc = of " left out"},            \
        TS_PARAM_LIMIT(to, usual, of)

#endif
