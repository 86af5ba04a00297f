/*
 * The debugger message that is being read: where in it the reader is, and what it carries. Owned by
 * session_message.c. Docs: docs/formats.md, "ArkTS messages".
 */
#ifndef TS_PARSERS_ARKTS_SESSION_MESSAGE_H
#define TS_PARSERS_ARKTS_SESSION_MESSAGE_H

#include "json/json.h"
#include "parsers/arkts/session/session.h"

/* Where in a message the reader is. */
enum message_top { TOP_OTHER, TOP_ID, TOP_METHOD, TOP_PARAMS, TOP_RESULT, TOP_ERROR };

/* An object inside a message whose events go to another reader. */
enum message_route { ROUTE_NONE, ROUTE_HEAP, ROUTE_PROFILE };

enum chunk_state { CHUNK_NONE, CHUNK_OPEN, CHUNK_WHOLE };

typedef struct message_state {
    int64_t offset;
    uint64_t depth;
    uint64_t skip;
    enum message_top top;
    bool wanted; /* the member inside params or result that counts */
    bool has_id, has_method, has_error;
    int64_t id;
    bool result_object, result_empty;
    enum chunk_state chunk;
    bool chunk_bad;
    bool profile; /* it carried result.profile */
    enum message_route route;
    uint64_t route_depth;
    uint64_t bytes;
    /* The raw bytes of a routed object, for -s. */
    const char *block;
    uint64_t block_at;
    uint64_t raw_from;
} message_state;

extern const ts_json_handler session_message_handler; /* user: the ts_session */

#endif
