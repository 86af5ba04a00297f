/*
 * Configurations of a recording, and what came after each: the run gets them at its end. Owned by
 * session_config.c; the heap side counts what came. Docs: docs/formats.md, "ArkTS messages".
 */
#ifndef TS_PARSERS_ARKTS_SESSION_CONFIG_H
#define TS_PARSERS_ARKTS_SESSION_CONFIG_H

#include "base/vec.h"
#include "parsers/arkts/session/session.h"

/* A configuration, and how many heaps came after it. */
typedef struct session_config {
    ts_row_js_config row;
    uint64_t snapshots, timelines;
} session_config;

typedef struct session_configs {
    ts_vec all; /* session_config */
    bool has_type;
    int64_t type; /* of the last one */
    int64_t pid;  /* -1: not known */
} session_configs;

/* A heap came after the last configuration. */
void session_config_note_heap(session_configs *configs, bool timeline);

/* Hands all of them to the run. profiles: there were CPU profiles. */
ts_code session_config_put(ts_session *s, bool profiles);

#endif
