/*
 * Views that are being made, and those that were: a thread for each database makes one after the
 * other, requests wait a moment for it, and what was made is kept for the next request.
 */
#ifndef TS_SERVE_VIEW_JOBS_H
#define TS_SERVE_VIEW_JOBS_H

#include "serve/api/databases.h"
#include "serve/api/remote.h"
#include "serve/api/work_slots.h"

enum {
    TS_VIEW_JOBS = 256,             /* waiting, running and kept */
    TS_VIEW_WAIT_MS = 200,          /* after which a request is answered with the progress */
    TS_VIEW_PATIENCE_S = 10,        /* a view that nothing has asked for this long is given up */
    TS_VIEW_KEPT = 64 * 1024 * 1024 /* bytes of replies */
};

typedef struct ts_view_jobs ts_view_jobs;

/* base, databases, slots and remote are borrowed; remote NULL: views are made in this process.
 * max_memory is for what the views of all databases keep. */
ts_code ts_view_jobs_open(ts_view_jobs **out, const ts_ctx *base, ts_databases *databases,
                          ts_slots *slots, ts_remote *remote, uint64_t max_memory);

/* Ends what runs. NULL is allowed. */
void ts_view_jobs_close(ts_view_jobs *jobs);

/* Lets what runs end soon, and what is asked from now on fail. */
void ts_view_jobs_stop(ts_view_jobs *jobs);

/*
 * Answers a request for a view: 200 with its JSON, 202 with {"progress","what"} when it takes
 * longer, or its error. `etag` names the file and the request.
 */
ts_code ts_view_jobs_answer(ts_reply *reply, ts_view_jobs *jobs, ts_ctx *ctx,
                            const ts_endpoint *endpoint, size_t database, const char *etag,
                            const ts_request *r);

#endif
