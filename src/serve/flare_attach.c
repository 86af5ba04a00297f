/* attach_jvm, connect_agent, stop_sample: live processes. */
#include "serve/flare_private.h"

ts_code fp_attach_jvm(fp_call *call)
{
    if (fp_request_option(call->request, "target_pid") == NULL) {
        return ts_fail(call->ctx, TS_ERR_USAGE, "missing option 'target_pid'");
    }
    return ts_fail(call->ctx, TS_ERR_USAGE, "not supported: recordings only");
}

ts_code fp_connect_agent(fp_call *call)
{
    return ts_fail(call->ctx, TS_ERR_USAGE, "not supported: recordings only");
}

/* The document names it and no reply: it closes the session. */
ts_code fp_stop_sample(fp_call *call)
{
    return fp_close_session(call);
}

ts_code fp_live_refresh(ts_flare *flare, fp_session *session)
{
    (void)flare;
    (void)session;
    return TS_OK;
}

void fp_live_end(fp_session *session)
{
    session->live = NULL;
}
