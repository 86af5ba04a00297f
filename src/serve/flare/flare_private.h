/* What the files of the Flare protocol share. */
#ifndef TS_SERVE_FLARE_PRIVATE_H
#define TS_SERVE_FLARE_PRIVATE_H

#include "serve/flare/flare.h"
#include "serve/flare/flare_data.h"
#include "serve/flare/flare_request.h"
#include "serve/flare/flare_tree.h"
#include "base/json_out.h"

#include <pthread.h>

typedef struct fp_live fp_live; /* a Java VM that is sampled: flare_attach.c */

/* An open session. Everything below `lock` is used with the lock held. */
typedef struct fp_session {
    struct fp_session *next;
    char *id;
    char *path; /* of the sample directory that it reads; NULL: a row of a database */
    bool attach;
    unsigned refs; /* kept with the hub's lock: the list's and those of requests */
    pthread_mutex_t lock;
    bool open;
    ts_ctx ctx;
    ts_sandbox *sandbox; /* does not move; NULL: nothing was read yet */
    fp_data data;
    fp_live *live;
} fp_session;

struct ts_flare_hub {
    ts_ctx *ctx;
    ts_ctx own; /* for the list of sessions; used with the lock held */
    ts_flare_hub_options options;
    char *samples;
    pthread_mutex_t lock;
    fp_session *sessions; /* by id */
};

/* One request that is being answered. */
typedef struct fp_call {
    ts_flare_hub *flare;
    ts_ctx *ctx; /* the session's while it is locked, else the connection's */
    ts_guard *guard;
    const fp_request *request;
    ts_flare_reply reply;
    void *user;
    ts_code refused; /* what `reply` returned when it was not TS_OK */
    fp_session *session;
    ts_buf out;
    ts_jout json;
} fp_call;

/* --- replies (flare_protocol.c) ------------------------------------------------------------- */

/* Begins a reply up to `"data":{`; ends and sends it. */
void fp_reply_begin(fp_call *call);
ts_code fp_reply_end(fp_call *call);

/* --- sessions (flare_session.c) ------------------------------------------------------------- */

/* The open session with this id, locked; TS_ERR_USAGE "sample session not found". */
ts_code fp_session_get(fp_call *call, ts_text id);
void fp_session_put(fp_call *call);

void fp_session_release(ts_flare_hub *flare, fp_session *session);
fp_session *fp_session_find(ts_flare_hub *flare, ts_text id);

/* The session with this id, or a new one that is not open yet; locked. */
ts_code fp_session_claim(fp_session **out, fp_call *call, ts_text id);
/* Takes a session that could not be opened out of the list. */
void fp_session_forget(ts_flare_hub *flare, fp_session *session);

ts_code fp_list_sessions(fp_call *call);
ts_code fp_close_session(fp_call *call);
ts_code fp_close_all_session(fp_call *call);

/* --- samples (flare_samples.c) -------------------------------------------------------------- */

ts_code fp_history_samples(fp_call *call);
ts_code fp_open_sample(fp_call *call);

/* Closes and frees a sandbox of this context; NULL is allowed. */
void fp_sandbox_free(ts_ctx *ctx, ts_sandbox *sandbox);

/* Reads a session's directory anew into its data; the old data stays when that fails. */
ts_code fp_session_read(ts_flare_hub *flare, fp_session *session);

/* --- live processes (flare_attach.c) -------------------------------------------------------- */

ts_code fp_attach_jvm(fp_call *call);
ts_code fp_connect_agent(fp_call *call);
ts_code fp_stop_sample(fp_call *call);

/* With the session locked: reads what was sampled since, unless that was just done. */
ts_code fp_live_refresh(ts_flare_hub *flare, fp_session *session);
/* Ends the sampling and frees it. */
void fp_live_end(fp_session *session);

/* --- questions ------------------------------------------------------------------------------ */

ts_code fp_dashboard(fp_call *call); /* flare_dashboard.c */
ts_code fp_cpu_time(fp_call *call);  /* flare_cpu.c */
ts_code fp_cpu_ts(fp_call *call);
ts_code fp_sequenced_call_tree(fp_call *call); /* flare_calls.c */
ts_code fp_d3_flame_graph(fp_call *call);
ts_code fp_call_tree(fp_call *call);
ts_code fp_flame_graph(fp_call *call);            /* flare_svg.c */
ts_code fp_list_methods_by_filter(fp_call *call); /* flare_search.c */
ts_code fp_search_slow_method_calls(fp_call *call);

/* Reads thread_id and the range and builds the sequenced tree of calls; the caller closes the
 * tree, also after a failure. start and end become what the reply says. */
ts_code fp_sequenced_tree(fp_tree *tree, int64_t *thread_id, int64_t *start, int64_t *end,
                          fp_call *call);

#endif
