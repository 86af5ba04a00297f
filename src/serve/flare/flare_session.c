/* Sessions of the Flare protocol: the list of those that are open, and who holds them. */
#include "base/alloc.h"
#include "serve/flare/flare_private.h"

ts_code ts_flare_hub_new(ts_flare_hub **out, ts_ctx *ctx, const ts_flare_hub_options *options)
{
    ts_flare_hub *flare = ts_zalloc(ctx, 1, sizeof *flare);
    *out = NULL;
    TS_NEED(ctx, flare);
    flare->ctx = ctx;
    flare->own = *ctx;
    flare->own.memory_used = 0;
    flare->options = *options;
    if (options->samples != NULL) {
        flare->samples = ts_strndup(ctx, options->samples, strlen(options->samples));
    }
    if ((options->samples != NULL && flare->samples == NULL) ||
        pthread_mutex_init(&flare->lock, NULL) != 0) {
        ts_free(ctx, flare->samples);
        ts_free(ctx, flare);
        return ts_fail(ctx, TS_ERR_NOMEM, "cannot allocate the list of sessions");
    }
    *out = flare;
    return TS_OK;
}

/* --- one session ---------------------------------------------------------------------------- */

/* With the hub's lock held. */
static ts_code fp_session_new(fp_session **out, ts_flare_hub *flare, ts_text id)
{
    fp_session **at = &flare->sessions;
    fp_session *s = ts_zalloc(&flare->own, 1, sizeof *s);
    *out = NULL;
    if (s == NULL) {
        return flare->own.error.code;
    }
    s->id = ts_strndup(&flare->own, id.p, id.n);
    if (s->id == NULL || pthread_mutex_init(&s->lock, NULL) != 0) {
        ts_free(&flare->own, s->id);
        ts_free(&flare->own, s);
        return ts_fail(&flare->own, TS_ERR_NOMEM, "cannot allocate a session");
    }
    s->ctx = *flare->ctx;
    s->ctx.memory_used = 0;
    s->ctx.memory_peak = 0;
    s->refs = 1;
    while (*at != NULL && strcmp((*at)->id, s->id) < 0) {
        at = &(*at)->next;
    }
    s->next = *at;
    *at = s;
    *out = s;
    return TS_OK;
}

/* With the hub's lock held. */
static fp_session *session_find(ts_flare_hub *flare, ts_text id)
{
    fp_session *s = flare->sessions;
    while (s != NULL && !ts_text_is(id, s->id)) {
        s = s->next;
    }
    return s;
}

static void session_free(fp_session *s)
{
    if (s->live != NULL) {
        fp_live_end(s);
    }
    fp_data_close(&s->data);
    fp_sandbox_free(&s->ctx, s->sandbox);
    ts_free(&s->ctx, s->path);
    pthread_mutex_destroy(&s->lock);
}

/* The last one that lets go frees it: sampling may take a moment to end. */
void fp_session_release(ts_flare_hub *flare, fp_session *session)
{
    bool last;
    pthread_mutex_lock(&flare->lock);
    last = --session->refs == 0;
    pthread_mutex_unlock(&flare->lock);
    if (!last) {
        return;
    }
    session_free(session);
    pthread_mutex_lock(&flare->lock);
    ts_free(&flare->own, session->id);
    ts_free(&flare->own, session);
    pthread_mutex_unlock(&flare->lock);
}

fp_session *fp_session_hold(ts_flare_hub *flare, ts_text id)
{
    pthread_mutex_lock(&flare->lock);
    fp_session *s = session_find(flare, id);
    if (s != NULL) {
        s->refs++;
    }
    pthread_mutex_unlock(&flare->lock);
    return s;
}

/* Takes the session out of the list: this one, that with this id, or, when both are NULL, any. */
static bool take_out(ts_flare_hub *flare, const fp_session *session, const ts_text *id)
{
    fp_session **at = &flare->sessions;
    fp_session *s;
    pthread_mutex_lock(&flare->lock);
    while (*at != NULL &&
           ((session != NULL && *at != session) || (id != NULL && !ts_text_is(*id, (*at)->id)))) {
        at = &(*at)->next;
    }
    s = *at;
    if (s != NULL) {
        *at = s->next;
    }
    pthread_mutex_unlock(&flare->lock);
    if (s != NULL) {
        fp_session_release(flare, s);
    }
    return s != NULL;
}

/* The session with this id, or a new one that is not open yet; locked. */
static ts_code session_claim(fp_session **out, fp_call *call, ts_text id)
{
    ts_code code = TS_OK;
    pthread_mutex_lock(&call->flare->lock);
    *out = session_find(call->flare, id);
    if (*out == NULL) {
        code = fp_session_new(out, call->flare, id);
        call->ctx->error = call->flare->own.error;
    }
    if (code == TS_OK) {
        (*out)->refs++;
    }
    pthread_mutex_unlock(&call->flare->lock);
    if (code == TS_OK) {
        pthread_mutex_lock(&(*out)->lock);
    }
    return code;
}

ts_code fp_session_open(fp_call *call, ts_text id, fp_begin *begin, const void *what)
{
    fp_session *session;
    ts_code code;
    TS_TRY_INTO(code, session_claim(&session, call, id));
    if (!session->open) {
        code = begin(call, session, what);
        session->open = code == TS_OK;
        call->ctx->error = session->ctx.error;
    }
    pthread_mutex_unlock(&session->lock);
    if (code != TS_OK) {
        (void)take_out(call->flare, session, NULL);
    }
    fp_session_release(call->flare, session);
    return code;
}

ts_code fp_session_get(fp_call *call, ts_text id)
{
    fp_session *s = fp_session_hold(call->flare, id);
    ts_code code = TS_OK;
    if (s == NULL) {
        return ts_fail(call->ctx, TS_ERR_USAGE, "sample session not found");
    }
    pthread_mutex_lock(&s->lock);
    if (s->open && s->live != NULL) {
        code = fp_live_refresh(call->flare, s);
        call->ctx->error = s->ctx.error;
    }
    TS_STEP_IF(code, !s->open, ts_fail(call->ctx, TS_ERR_USAGE, "sample session not found"));
    if (code != TS_OK) {
        pthread_mutex_unlock(&s->lock);
        fp_session_release(call->flare, s);
        return code;
    }
    if (s->sandbox != NULL) {
        s->sandbox->guard = call->guard;
    }
    call->session = s;
    call->ctx = &s->ctx;
    return TS_OK;
}

void fp_session_put(fp_call *call)
{
    fp_session *s = call->session;
    call->session = NULL;
    if (s->sandbox != NULL) {
        s->sandbox->guard = NULL;
    }
    pthread_mutex_unlock(&s->lock);
    fp_session_release(call->flare, s);
}

void ts_flare_hub_free(ts_flare_hub *flare)
{
    if (flare == NULL) {
        return;
    }
    while (take_out(flare, NULL, NULL)) {
    }
    pthread_mutex_destroy(&flare->lock);
    ts_free(flare->ctx, flare->samples);
    ts_free(flare->ctx, flare);
}

/* --- commands ------------------------------------------------------------------------------- */

ts_code fp_list_sessions(fp_call *call)
{
    fp_reply_begin(call);
    ts_jout_open(&call->json, "sample_sessions", '[');
    pthread_mutex_lock(&call->flare->lock);
    for (const fp_session *s = call->flare->sessions; s != NULL; s = s->next) {
        ts_jout_open(&call->json, NULL, '{');
        ts_jout_str(&call->json, "session_id", s->id);
        ts_jout_str(&call->json, "type", s->attach ? "attach" : "file");
        ts_jout_close(&call->json, '}');
    }
    pthread_mutex_unlock(&call->flare->lock);
    ts_jout_close(&call->json, ']');
    return fp_reply_end(call);
}

/* Also of an id that is not open: it is closed then. */
ts_code fp_close_session(fp_call *call)
{
    ts_text id;
    TS_TRY(fp_request_need_text(&id, call->ctx, call->request, "session_id"));
    take_out(call->flare, NULL, &id);
    fp_reply_begin(call);
    ts_jout_text(&call->json, "session_id", id);
    return fp_reply_end(call);
}

ts_code fp_close_all_session(fp_call *call)
{
    while (take_out(call->flare, NULL, NULL)) {
    }
    fp_reply_begin(call);
    return fp_reply_end(call);
}
