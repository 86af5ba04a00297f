/*
 * Nodes of call trees as V8 writes them, each with the frame of a function: in CPU profiles, in
 * traces and in heap profiles. What a node says, the method of its frame, its call path.
 *
 * Who calls whom is with each format, because it is recorded in three ways and damaged in three: a
 * bare profile lists the children of all nodes and says when a node has two callers or is below
 * itself; a trace has nodes in chunks, of which some may be lost, each with its caller; in a heap
 * profile a node is inside of its caller.
 */
#ifndef TS_PARSERS_SHARED_V8_NODE_H
#define TS_PARSERS_SHARED_V8_NODE_H

#include "json/json_fields.h"
#include "tables/store.h"

typedef struct ts_v8_node {
    int64_t id;
    int64_t script;
    int64_t stack_node; /* its call path; 0: not written yet */
    int32_t line, column;
    uint32_t has;
} ts_v8_node;

/* What was recorded of a node. */
enum {
    TS_V8_ID = 1,
    TS_V8_NAME = 2,
    TS_V8_SCRIPT = 4,
    TS_V8_URL = 8,
    TS_V8_LINE = 16,
    TS_V8_COLUMN = 32,
    TS_V8_FRAME = TS_V8_NAME | TS_V8_SCRIPT | TS_V8_URL | TS_V8_LINE | TS_V8_COLUMN,
    TS_V8_OWN = 64 /* from here on flags are the format's own */
};

/* Lines of a table of fields: the members of a callFrame. Texts come by calls. */
#define TS_V8_FRAME_FIELDS(place)                                                                  \
    {place, TS_JSON_TEXT, .key = "functionName", .flag = TS_V8_NAME},                              \
        {place, TS_JSON_TEXT | TS_JSON_INT, .key = "scriptId",                                     \
         .offset = offsetof(ts_v8_node, script), .flag = TS_V8_SCRIPT},                            \
        {place, TS_JSON_TEXT, .key = "url", .flag = TS_V8_URL},                                    \
        {place, TS_JSON_INT32, .key = "lineNumber", .offset = offsetof(ts_v8_node, line),          \
         .flag = TS_V8_LINE},                                                                      \
    {                                                                                              \
        place, TS_JSON_INT32, .key = "columnNumber", .offset = offsetof(ts_v8_node, column),       \
                              .flag = TS_V8_COLUMN                                                 \
    }

/* The method of a frame. Empty texts are none; line: below 0 when it is not known. */
ts_code ts_v8_method(int64_t *id, ts_store *store, int64_t source_id, ts_text name, ts_text url,
                     ts_text module, int64_t line);

/* Writes a call path below that of its caller, or at the root (0). raw_id: the node's, or NULL. */
ts_code ts_v8_put(int64_t *stack_node, ts_store *store, int64_t source_id, int64_t caller,
                  int64_t method, int64_t depth, const int64_t *raw_id);

/* The line of a node, for ts_v8_method. */
static inline int64_t ts_v8_line(const ts_v8_node *node)
{
    return (node->has & TS_V8_LINE) != 0 ? node->line : -1;
}

#endif
