/*
 * A debugger message, from its text to its parts: what it is, is decided from the parsed JSON.
 *
 * Of the message only `id`, `method`, `error`, params.chunk and result.profile matter. A chunk that
 * is text goes to the heap reader as text; a chunk or profile that is an object is routed: its JSON
 * events go to that reader as they come (`route`), until the object ends, and nothing of it is
 * held. Depth 1 is the message, 2 its params or result; all other values are skipped by counting
 * their depth.
 *
 * A message counts once: as imported when it carried a whole chunk or profile or is a mark, as
 * skipped when it is of another kind, as lost when it is damaged. A damaged message opens a gap in
 * the heap or profile that is under way, unless its chunk or profile was complete before the
 * damage.
 */
#include "parsers/arkts/session/session_state.h"

/* --- events of a routed object -------------------------------------------------------------- */

static ts_code flush_raw(ts_session *s, uint64_t to)
{
    message_state *m = &s->now;
    extract_file *file = m->route == ROUTE_PROFILE ? &s->profiles.file : &s->heaps.file;
    const char *p;
    size_t n;
    if (to <= m->raw_from) { /* after damage the position is still */
        return TS_OK;
    }
    p = m->block + (m->raw_from - m->block_at);
    n = (size_t)(to - m->raw_from);
    m->raw_from = to;
    if (m->route == ROUTE_HEAP) {
        s->text_bytes->seen += n;
        s->text_bytes->imported += n;
    }
    return extract_write(s->job, file, false, p, n);
}

/* The object that begins here belongs to the heap or the profile reader. */
static ts_code begin_route(ts_session *s, enum message_route route)
{
    message_state *m = &s->now;
    ts_code code;
    m->to = route == ROUTE_HEAP ? ts_heap_handler() : &ts_json_by_table;
    m->inner = route == ROUTE_HEAP ? (void *)s->heap : ts_profile_place(s->profile);
    if (route == ROUTE_HEAP) {
        if (ts_heap_is_open(s->heap)) {
            code = ts_issue(s->store, ts_heap_source(s->heap), TS_ISSUE_second_document, NULL,
                            m->offset, "another snapshot begins without an end mark");
            TS_STEP(code, session_close_heap(s, false, 0, 0));
            if (code != TS_OK) {
                return code;
            }
        }
        s->heaps.lost = false;
        code = session_open_heap(s);
        if (code == TS_OK) {
            ts_heap_take_events(s->heap);
            code = ts_issue(s->store, ts_heap_source(s->heap), TS_ISSUE_chunk_not_text, NULL,
                            m->offset, "the chunk is a JSON object, as the viewer writes it");
        }
    } else {
        code = session_open_profile(s);
    }
    if (code != TS_OK) {
        return code;
    }
    m->route = route;
    m->route_depth = m->depth;
    m->raw_from = ts_json_position(s->json) - 1;
    return m->to->object_begin(m->inner);
}

static ts_code end_route(ts_session *s)
{
    ts_code code = flush_raw(s, ts_json_position(s->json));
    if (s->now.route == ROUTE_HEAP) {
        s->now.chunk = CHUNK_WHOLE;
    }
    s->now.route = ROUTE_NONE;
    return code;
}

/* --- the message itself --------------------------------------------------------------------- */

/* Depth 1 is the message, 2 its params or result. */
static ts_code message_begin_value(ts_session *s, bool array, int *want)
{
    message_state *m = &s->now;
    m->depth++;
    if (m->route != ROUTE_NONE) {
        return array ? m->to->array_begin(m->inner, want) : m->to->object_begin(m->inner);
    }
    if (m->skip > 0) {
        m->skip++;
        return TS_OK;
    }
    if (m->depth == 1 && !array) {
        return TS_OK;
    }
    if (m->depth == 2 && !array && (m->top == TOP_PARAMS || m->top == TOP_RESULT)) {
        if (m->top == TOP_RESULT) {
            m->result_object = true;
            m->result_empty = true;
        }
        m->wanted = false;
        return TS_OK;
    }
    if (m->depth == 3 && m->wanted && !array) {
        if (m->top == TOP_PARAMS) {
            return begin_route(s, ROUTE_HEAP);
        }
        if (!m->profile) {
            m->profile = true;
            return begin_route(s, ROUTE_PROFILE);
        }
    }
    m->chunk_bad = m->chunk_bad || (m->depth == 3 && m->wanted && m->top == TOP_PARAMS);
    m->skip = 1;
    return TS_OK;
}

static ts_code message_on_object_begin(void *user)
{
    int want = TS_JSON_PLAIN;
    return message_begin_value(user, false, &want);
}

static ts_code message_on_array_begin(void *user, int *want)
{
    return message_begin_value(user, true, want);
}

static ts_code message_end_value(ts_session *s, bool array)
{
    message_state *m = &s->now;
    m->depth--;
    if (m->route != ROUTE_NONE) {
        ts_code code = array ? m->to->array_end(m->inner) : m->to->object_end(m->inner);
        TS_STEP_IF(code, m->depth < m->route_depth, end_route(s));
        return code;
    }
    if (m->skip > 0) {
        m->skip--;
    }
    return TS_OK;
}

static ts_code message_on_object_end(void *user)
{
    return message_end_value(user, false);
}

static ts_code message_on_array_end(void *user)
{
    return message_end_value(user, true);
}

static enum message_top top_of(ts_text key)
{
    return ts_text_is(key, "id")       ? TOP_ID
           : ts_text_is(key, "method") ? TOP_METHOD
           : ts_text_is(key, "params") ? TOP_PARAMS
           : ts_text_is(key, "result") ? TOP_RESULT
           : ts_text_is(key, "error")  ? TOP_ERROR
                                       : TOP_OTHER;
}

static ts_code message_on_key(void *user, const char *p, size_t n)
{
    ts_session *s = user;
    message_state *m = &s->now;
    if (m->route != ROUTE_NONE) {
        return m->to->key(m->inner, p, n);
    }
    if (m->skip > 0) {
        return TS_OK;
    }
    if (m->depth == 1) {
        m->top = top_of((ts_text){p, n});
        m->has_method = m->has_method || m->top == TOP_METHOD;
        m->has_error = m->has_error || m->top == TOP_ERROR;
    } else {
        m->result_empty = m->result_empty && m->top != TOP_RESULT;
        m->wanted = ts_text_is((ts_text){p, n}, m->top == TOP_PARAMS ? "chunk" : "profile");
    }
    return TS_OK;
}

/* A params.chunk that is neither text nor object. */
static void note_scalar(message_state *m)
{
    if (m->skip == 0 && m->depth == 2 && m->wanted && m->top == TOP_PARAMS) {
        m->chunk_bad = true;
    }
}

static ts_code message_on_string(void *user, const char *p, size_t n, unsigned flags)
{
    ts_session *s = user;
    message_state *m = &s->now;
    if (m->route != ROUTE_NONE) {
        return m->to->string(m->inner, p, n, flags);
    }
    if (m->skip > 0 || m->depth != 2 || !m->wanted || m->top != TOP_PARAMS) {
        return TS_OK;
    }
    if (m->chunk == CHUNK_NONE) {
        session_chunk_begin(s);
    }
    m->chunk = (flags & TS_JSON_LAST) != 0 ? CHUNK_WHOLE : CHUNK_OPEN;
    return session_chunk_text(s, p, n);
}

static ts_code message_on_number(void *user, const ts_json_number *number)
{
    ts_session *s = user;
    message_state *m = &s->now;
    if (m->route != ROUTE_NONE) {
        return m->to->number(m->inner, number);
    }
    if (m->skip == 0 && m->depth == 1 && m->top == TOP_ID && number->is_int) {
        m->has_id = true;
        m->id = number->i;
    }
    note_scalar(m);
    return TS_OK;
}

static ts_code message_on_literal(void *user, ts_json_kind kind)
{
    ts_session *s = user;
    if (s->now.route != ROUTE_NONE) {
        return s->now.to->literal(s->now.inner, kind);
    }
    note_scalar(&s->now);
    return TS_OK;
}

static ts_code message_on_ints(void *user, const int64_t *v, size_t n)
{
    ts_session *s = user;
    return s->now.route == ROUTE_NONE ? TS_OK : s->now.to->ints(s->now.inner, v, n);
}

const ts_json_handler session_message_handler = {
    .object_begin = message_on_object_begin,
    .object_end = message_on_object_end,
    .array_begin = message_on_array_begin,
    .array_end = message_on_array_end,
    .key = message_on_key,
    .string = message_on_string,
    .number = message_on_number,
    .literal = message_on_literal,
    .ints = message_on_ints,
};

/* --- feeding -------------------------------------------------------------------------------- */

ts_code ts_session_message_begin(ts_session *s, int64_t offset)
{
    s->now = (message_state){.offset = offset};
    ts_json_reset(s->json);
    ts_heap_at(s->heap, offset);
    s->messages->seen++;
    return TS_OK;
}

ts_code ts_session_message_feed(ts_session *s, const char *p, size_t n)
{
    message_state *m = &s->now;
    uint64_t at;
    bool bad;
    ts_code code;
    m->block = p;
    m->block_at = m->bytes;
    m->bytes += n;
    bad = ts_json_state(s->json) == TS_JSON_BAD;
    code = ts_json_feed(s->json, p, n);
    if (!bad && ts_json_state(s->json) == TS_JSON_BAD && m->profile &&
        ts_profile_is_open(s->profile)) {
        at = ts_json_position(s->json) - m->block_at; /* or before: then inside a number */
        ts_profile_broken(s->profile, at < n ? p[at] : '0');
    }
    TS_STEP_IF(code, m->route != ROUTE_NONE, flush_raw(s, ts_json_position(s->json)));
    return code;
}

/* A message that carries something was cut or is damaged after it. */
static ts_code end_damaged(ts_session *s, bool has_ts, int64_t ts, bool truncated, bool shifted)
{
    message_state *m = &s->now;
    bool bad = ts_json_state(s->json) == TS_JSON_BAD;
    const char *why = bad ? ts_json_reason(s->json) : "the message is cut off";
    ts_code code;
    if (m->profile && (m->route == ROUTE_PROFILE || ts_profile_is_open(s->profile))) {
        bool whole = ts_profile_complete(s->profile);
        int64_t source = ts_profile_source(s->profile);
        if (whole) { /* files that the viewer cut end too early; others have no text after it */
            shifted = bad && ts_json_depth(s->json) == 0;
        }
        m->route = ROUTE_NONE;
        code = session_close_profile(s, has_ts, ts, why, shifted);
        s->messages->imported++;
        return code != TS_OK || !whole
                   ? code
                   : ts_issue(s->store, source, TS_ISSUE_profile_bad_tail, NULL, m->offset,
                              "the profile is complete, but not the message around it: %s", why);
    }
    if (m->chunk == CHUNK_WHOLE) {
        s->messages->imported++;
        return ts_issue(
            s->store, s->job->source_id, TS_ISSUE_message_bad_json, "arkts-plugin", m->offset,
            "the message is damaged after its chunk, whose text is not certain: %s", why);
    }
    m->route = ROUTE_NONE;
    s->messages->lost++;
    code = ts_issue(s->store, s->job->source_id,
                    truncated ? TS_ISSUE_message_lost : TS_ISSUE_message_bad_json, "arkts-plugin",
                    m->offset, "%s", why);
    return code != TS_OK ? code : session_gap(s, m->offset, "a message is damaged");
}

static ts_code end_other(ts_session *s)
{
    message_state *m = &s->now;
    if (m->has_error) {
        s->messages->skipped++;
        return ts_issue(s->store, s->job->source_id, TS_ISSUE_message_error_reply, "arkts-plugin",
                        m->offset, "the debugger answered a request with an error");
    }
    if (m->chunk_bad) {
        ts_code code =
            ts_issue(s->store, s->job->source_id, TS_ISSUE_chunk_bad_type, "arkts-plugin",
                     m->offset, "params.chunk is neither text nor object");
        s->messages->lost++;
        return code != TS_OK ? code : session_gap(s, m->offset, "a chunk cannot be read");
    }
    s->messages->skipped++;
    return TS_OK;
}

ts_code ts_session_message_end(ts_session *s, bool has_ts, int64_t ts, bool truncated)
{
    message_state *m = &s->now;
    /* Text that ends too early although all of it came: something in it has another length. */
    bool shifted = !truncated && ts_json_state(s->json) != TS_JSON_BAD;
    bool broken = !truncated || ts_json_state(s->json) == TS_JSON_BAD; /* not merely cut off */
    TS_TRY(ts_json_finish(s->json));
    if (m->chunk != CHUNK_NONE && ts_heap_is_open(s->heap)) {
        ts_heap_chunk_time(s->heap, has_ts, ts);
        s->heaps.has_last = has_ts;
        s->heaps.last_ts = ts;
    }
    if (s->heaps.start_pending && m->chunk != CHUNK_NONE) {
        s->heaps.start_pending = false;
        s->heaps.has_start = has_ts;
        s->heaps.start_ts = ts;
    }
    if (ts_json_state(s->json) != TS_JSON_DONE) {
        if (broken && (m->chunk != CHUNK_NONE || m->route == ROUTE_HEAP) &&
            ts_heap_is_open(s->heap)) {
            ts_heap_break(s->heap);
        }
        return end_damaged(s, has_ts, ts, truncated, shifted);
    }
    if (m->profile) {
        s->messages->imported++;
        return session_close_profile(s, has_ts, ts, NULL, false);
    }
    if (m->chunk != CHUNK_NONE) {
        s->messages->imported++;
        return TS_OK;
    }
    if (m->has_id && m->result_object && m->result_empty && !m->has_method && !m->has_error) {
        s->messages->imported++;
        return session_mark(s, m->id, has_ts, ts);
    }
    return end_other(s);
}
