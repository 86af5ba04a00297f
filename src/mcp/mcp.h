/*
 * A server of the Model Context Protocol (https://modelcontextprotocol.io): programs that work with
 * language models ask recordings through it. A message of JSON-RPC 2.0 is a line, and so is each
 * answer. Tools open recordings and databases, ask SQL and shipped questions, draw trees of calls
 * as text and compare; the library (tracestreamer.h) does it. Databases are only read.
 *
 * A tool's answer is at most MCP_ANSWER_MOST bytes of text and counts what it leaves out. What a
 * tool cannot do is an answer, too, which says what to do instead.
 */
#ifndef TS_MCP_MCP_H
#define TS_MCP_MCP_H

#include "base/buf.h"
#include "base/context.h"
#include "base/text.h"

enum {
    MCP_ANSWER_MOST = 8000,
    MCP_LINE_MOST = 1 << 20, /* bytes of a message of the client */
    MCP_RECORDINGS = 16      /* open at once */
};

typedef struct ts_mcp ts_mcp;

/* Gets a message without its line feed. Errors end ts_mcp_take. */
typedef ts_code ts_mcp_put(void *user, ts_text message);

/* The caller frees it with ts_mcp_free. Errors: memory. */
ts_code ts_mcp_new(ts_mcp **out, ts_ctx *ctx, ts_mcp_put *put, void *user);
void ts_mcp_free(ts_mcp *m);

/* A recording or database that tools can name; it is opened when one first does. TS_ERR_LIMIT:
 * there are MCP_RECORDINGS. */
ts_code ts_mcp_add(ts_mcp *m, const char *path);

/* Tells the request in `line`, which ts_mcp_take gets next, from those that wait: from now on it is
 * the one that ts_mcp_cancel finds. Errors: memory. */
ts_code ts_mcp_next(ts_mcp *m, ts_text line);

/* Answers a message of the client. What is wrong with the message is said in the answer; errors:
 * memory, and those of `put`. */
ts_code ts_mcp_take(ts_mcp *m, ts_text line);

/*
 * For another thread than that of ts_mcp_take, which has a context of its own: whether `line`
 * cancels a request. *id: its id as in the message; empty: it does not. The caller releases it.
 */
ts_code ts_mcp_cancels(ts_buf *id, ts_ctx *ctx, ts_text line);

/* The same: whether `line` is a request of that id, which may be cancelled. */
ts_code ts_mcp_is_request(bool *is, ts_ctx *ctx, ts_text line, ts_text id);

/* From any thread: the request of that id, if it is the one that is answered, ends without an
 * answer; p NULL: whichever it is, with an answer that says that it took too long. False: it is
 * another one, or none. */
bool ts_mcp_cancel(ts_mcp *m, ts_text id);

/* From any thread: seconds since the request began that is answered, 0 when there is none. */
double ts_mcp_busy(ts_mcp *m);

#endif
