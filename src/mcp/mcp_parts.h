/* What the parts of the server share. */
#ifndef TS_MCP_MCP_PARTS_H
#define TS_MCP_MCP_PARTS_H

#include "base/buf.h"
#include "base/json_out.h"
#include "base/vec.h"
#include "mcp/mcp.h"

#include "tracestreamer.h"

#include <pthread.h>

/* --- mcp_message.c ---------------------------------------------------------------------------- */

/* A message that was read: its values by the path of their keys, such as "params.name". */
typedef struct mcp_message {
    ts_buf texts;
    ts_vec values; /* mcp_value, in the order of the message */
    ts_buf path;   /* while it is read: of the value that comes */
    ts_vec levels; /* size_t: length of the path of each open level */
    bool good;     /* it is one JSON object */
} mcp_message;

/* `line` becomes *out, which the caller releases also after an error. Errors: memory. */
ts_code mcp_message_read(mcp_message *out, ts_ctx *ctx, ts_text line);
void mcp_message_free(mcp_message *m, ts_ctx *ctx);

/* The text, or the number as it was written; p NULL: there is none of that path. */
ts_text mcp_message_text(const mcp_message *m, const char *path);

/* The value of that path as JSON, of a text or number; p NULL: there is none. */
ts_text mcp_message_json(const mcp_message *m, const char *path);

/* Takes a text or number whose path begins with `prefix`: the rest of its path, and the text. *at
 * begins with 0. False: there is no other one. */
bool mcp_message_next(ts_text *name, ts_text *text, size_t *at, const mcp_message *m,
                      const char *prefix);

/* --- mcp_recordings.c ------------------------------------------------------------------------- */

typedef struct mcp_recording {
    char *path;
    tst_session *session; /* NULL: not opened yet */
} mcp_recording;

struct ts_mcp {
    ts_ctx *ctx;
    ts_mcp_put *put;
    void *user;
    mcp_recording recordings[MCP_RECORDINGS];
    size_t count;
    pthread_mutex_t lock; /* of what follows */
    tst_session *asked;   /* by the request that is answered, if it asks one */
    ts_buf id;            /* of that request, as JSON; empty: there is none */
    bool cancelled;       /* by the client */
    bool late;            /* it took too long */
    double began;
};

/* --- mcp_answer.c ----------------------------------------------------------------------------- */

/* A request for a tool, and its answer. */
typedef struct mcp_call {
    ts_mcp *m;
    const mcp_message *message;
    ts_buf text;
    bool failed;
    const char *progress; /* token, as JSON, or NULL */
    double told;          /* when progress was */
} mcp_call;

/* The argument of that name; p NULL: not given. */
ts_text mcp_argument(const mcp_call *call, const char *name);

/* A whole number from 0 to `most` of that argument, else the default. */
int64_t mcp_argument_number(const mcp_call *call, const char *name, int64_t otherwise,
                            int64_t most);

/* Appends to the answer; what is beyond its limit is cut off by mcp_answer_end alone. */
ts_code mcp_say(mcp_call *call, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
ts_code mcp_say_text(mcp_call *call, ts_text text);

/* The answer is that it cannot be done, because of what follows. */
ts_code mcp_refuse(mcp_call *call, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same for a call of the library that failed. */
ts_code mcp_refuse_session(mcp_call *call, const tst_session *s);

/* The rows as lines, their columns divided by tabs, as many as fit `room` bytes more; then how many
 * are left out. title: a line before them, or NULL. Releases them, whatever fails. *n, if not NULL:
 * how many there are. */
ts_code mcp_say_rows(uint64_t *n, mcp_call *call, tst_session *s, const char *title, tst_rows *rows,
                     size_t room);

/* Rows of SQL with one parameter or none, below a title; nothing when there are none. */
ts_code mcp_say_query(mcp_call *call, tst_session *s, const char *title, const char *sql,
                      size_t room);

/* The bytes that the answer still has room for. */
size_t mcp_room(const mcp_call *call);

/* A recording by what the argument says, its path, base name or number; without it the only one.
 * Opens it. *out NULL: it was refused. */
ts_code mcp_recording_of(tst_session **out, mcp_call *call, const char *argument);

/* The one of that path is opened, and known from now on. */
ts_code mcp_recording_open(tst_session **out, mcp_call *call, ts_text path, ts_text analyze);

/* The list of them. */
ts_code mcp_recordings_say(mcp_call *call);
ts_code mcp_recording_close(mcp_call *call, ts_text name);
void mcp_recordings_free(ts_mcp *m);

/* --- mcp_tools.c, mcp_questions.c, mcp_tree.c ---------------------------------------------------
 */

/* Does what the tool of that name does. *known false: there is none. */
ts_code mcp_tool_run(bool *known, mcp_call *call, ts_text name);

/* The list of all, as the member "tools". */
void mcp_tools_list(ts_jout *j);

ts_code mcp_questions(mcp_call *call);
ts_code mcp_ask(mcp_call *call);
ts_code mcp_fitting(mcp_call *call, tst_session *s);
ts_code mcp_flame(mcp_call *call);

/* Parameters of a question: those of the arguments below `prefix`, which stay valid with it. */
typedef struct mcp_params {
    ts_buf texts;
    ts_vec offsets; /* size_t: of name and value, in turn */
    ts_vec all;     /* tst_param, by mcp_params_end */
} mcp_params;
ts_code mcp_params_add(mcp_params *p, ts_ctx *ctx, ts_text name, ts_text value);
ts_code mcp_params_of(mcp_params *p, const mcp_call *call, const char *prefix);
ts_code mcp_params_end(mcp_params *p, ts_ctx *ctx);
void mcp_params_free(mcp_params *p, ts_ctx *ctx);

#endif
