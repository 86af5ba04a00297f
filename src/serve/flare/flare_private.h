/* What the files of the Flare protocol share. */
#ifndef TS_SERVE_FLARE_PRIVATE_H
#define TS_SERVE_FLARE_PRIVATE_H

#include "base/idmap.h"
#include "base/json_out.h"
#include "serve/flare/flare.h"
#include "serve/flare/flare_data.h"

#include <pthread.h>

/* --- flare_request.c -------------------------------------------------------------------------- */

/* A request of the Flare protocol: {"cmd": "...", "options": {...}} (docs/flare.md). */

typedef enum fp_kind { FP_OTHER, FP_INT, FP_TEXT, FP_ARRAY, FP_TRUE } fp_kind;

typedef struct fp_option {
    fp_kind kind;
    ts_buf name;
    int64_t number;
    ts_buf text;  /* of FP_TEXT */
    ts_vec items; /* of int64_t, of FP_ARRAY */
    ts_buf bad;   /* the first item of the array that is no integer, as written; empty: none */
} fp_option;

typedef struct fp_request {
    ts_ctx *ctx;
    bool has_cmd;
    ts_buf cmd;
    ts_vec options;   /* of fp_option; of two with one name the last counts */
    ts_buf malformed; /* why the text is not JSON; empty: it is */
} fp_request;

/* Reads a request. Text that is not JSON is no failure here. Caller frees with fp_request_free,
 * also after a failure (TS_ERR_NOMEM, TS_ERR_LIMIT). */
ts_code fp_request_read(fp_request *r, ts_ctx *ctx, const char *p, size_t n);
void fp_request_free(fp_request *r);

/* The option; NULL: not there. */
const fp_option *fp_request_option(const fp_request *r, const char *name);

/* An integer, or the default when it is missing or of another type. */
int64_t fp_request_int(const fp_request *r, const char *name, int64_t otherwise);
bool fp_request_bool(const fp_request *r, const char *name);

/* A text without the blanks around it; `otherwise` when it is missing or of another type. */
ts_text fp_request_text(const fp_request *r, const char *name, const char *otherwise);

/* The same of an option that must be there, with its blanks. TS_ERR_USAGE with the protocol's
 * words. */
ts_code fp_request_need_text(ts_text *out, ts_ctx *ctx, const fp_request *r, const char *name);

/* An array of integers that must be there; borrowed. TS_ERR_USAGE with the protocol's words. */
ts_code fp_request_need_ints(const int64_t **out, size_t *n, ts_ctx *ctx, const fp_request *r,
                             const char *name);

/* --- flare_tree.c ----------------------------------------------------------------------------- */

/*
 * Trees of the Flare protocol: of a range of records, merged where neighbours in time are equal
 * (sequenced) or wherever callers are equal (merged). Nodes are an array; parents come before their
 * children.
 */

enum {
    FP_TREE_LEVELS = 5000,  /* below the root; deeper frames are left out and counted */
    FP_TREE_NODES = 500000, /* of one reply */
    FP_TREE_HELD = 10000000 /* in memory */
};

typedef struct fp_tree_node {
    uint32_t method;                    /* number in fp_data */
    uint32_t parent, first, last, next; /* 0: none (the root is nothing's child) */
    uint32_t depth;
    uint32_t cut; /* frames below it that were left out, of the deepest stack */
    int64_t calls;
    int64_t duration; /* ms */
    int64_t start;    /* ms after the first record */
    int64_t cpu;      /* ns */
} fp_tree_node;

typedef struct fp_tree {
    const fp_data *data;
    ts_vec nodes;      /* of fp_tree_node; number 0 is the root */
    ts_idmap children; /* merged trees: from parent << 32 | method to the node */
    bool merged;
    ts_vec path; /* uint32_t: numbers of fp_data.nodes from leaf to root */
} fp_tree;

/* Makes an empty tree. Caller frees with fp_tree_close, also after a failure. */
ts_code fp_tree_open(fp_tree *tree, const fp_data *data, bool merged);
void fp_tree_close(fp_tree *tree);

/* The records that a time range selects: list[first] to
 * list[last], both included; *any is false when there are none. A negative time is that end of the
 * recording. */
void fp_tree_range(size_t *first, size_t *last, bool *any, const fp_data *data,
                   const fp_thread *thread, int64_t start, int64_t end);

/*
 * Adds records: each one lasts until the next one of the range, and the last is left out (section
 * 6.6). *begin and *end become the times of the first and the last that was added.
 */
ts_code fp_tree_sequence(fp_tree *tree, int64_t *begin, int64_t *end, const fp_thread *thread,
                         size_t first, size_t last);

/* Adds records: each one gets the time and the CPU time since the one before. */
ts_code fp_tree_merge(fp_tree *tree, const fp_thread *thread, size_t first, size_t last);

/* Writes the tree as nested objects under `key`: the root has this label. TS_ERR_LIMIT "range too
 * large: n nodes". */
ts_code fp_tree_write(ts_jout *j, const char *key, const fp_tree *tree, const char *label);
/* The label of a node, with what was cut below it. */
ts_code fp_tree_label(ts_buf *out, const fp_tree *tree, uint32_t node);

/* --- sessions and requests -----------------------------------------------------------------------
 */

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
/* The same with the id of the session. */
void fp_reply_session(fp_call *call);
ts_code fp_reply_end(fp_call *call);

/* --- sessions (flare_session.c) ------------------------------------------------------------- */

/* The open session with this id, locked; TS_ERR_USAGE "sample session not found". */
ts_code fp_session_get(fp_call *call, ts_text id);
void fp_session_put(fp_call *call);

/* A reference to the session with this id, open or not, or NULL; and its end, without a lock. */
fp_session *fp_session_hold(ts_flare_hub *flare, ts_text id);
void fp_session_release(ts_flare_hub *flare, fp_session *session);

/* Opens the session with this id, unless it is open: `begin` does it, with its lock held. What
 * could not be opened is not in the list any more. */
typedef ts_code fp_begin(fp_call *call, fp_session *session, const void *what);
ts_code fp_session_open(fp_call *call, ts_text id, fp_begin *begin, const void *what);

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
