/* Arguments of the events that hold parts of a CPU profile. */
#include "parsers/chrome_trace/chrome_profile.h"

static bool key_is(const chrome_profiles *p, const char *key)
{
    return ts_text_is(ts_buf_text(&p->key), key);
}

static chrome_profile_place place_of(const chrome_profiles *p)
{
    return p->depth == 0 ? CHROME_P_NONE : p->places[p->depth - 1];
}

/* --- levels ---------------------------------------------------------------------------------- */

/* What begins: an object or a list. CHROME_P_NONE: nothing that is known. */
static chrome_profile_place next_place(chrome_profiles *p, bool array)
{
    static const char *const lists[] = {"samples", "timeDeltas", "lines", "columns"};
    chrome_profile_place at = place_of(p);
    if (p->depth == 0) {
        return array ? CHROME_P_NONE : CHROME_P_ARGS;
    }
    for (unsigned i = 0; i < CHROME_LISTS && array; i++) {
        if ((at == CHROME_P_DATA || at == CHROME_P_PROFILE) && key_is(p, lists[i])) {
            p->list = (enum chrome_profile_list)i;
            p->list_from = p->lists[i].n;
            return CHROME_P_LIST;
        }
    }
    switch (at) {
    case CHROME_P_ARGS:
        return !array && key_is(p, "data") ? CHROME_P_DATA : CHROME_P_NONE;
    case CHROME_P_DATA:
        return !array && key_is(p, "cpuProfile") ? CHROME_P_PROFILE : CHROME_P_NONE;
    case CHROME_P_PROFILE:
        return array && key_is(p, "nodes")        ? CHROME_P_NODES
               : !array && key_is(p, "trace_ids") ? CHROME_P_MARKS
                                                  : CHROME_P_NONE;
    case CHROME_P_NODES:
        return array ? CHROME_P_NONE : CHROME_P_NODE;
    case CHROME_P_NODE:
        return array && key_is(p, "children")     ? CHROME_P_CHILDREN
               : !array && key_is(p, "callFrame") ? CHROME_P_FRAME
                                                  : CHROME_P_NONE;
    default:
        return CHROME_P_NONE;
    }
}

static void begin_node(chrome_profiles *p)
{
    p->first_link = chrome_profile_at(p, p->at_profile)->links.n;
    p->node = (chrome_node){0};
    p->function.n = 0;
    p->url.n = 0;
}

static ts_code begin_value(chrome_trace *c, bool array, int *want)
{
    chrome_profiles *p = c->profiles;
    chrome_profile_place at = p->skipped > 0 ? CHROME_P_NONE : next_place(p, array);
    if (at == CHROME_P_NONE) {
        p->odd +=
            p->skipped == 0 && (place_of(p) == CHROME_P_LIST || place_of(p) == CHROME_P_NODES ||
                                place_of(p) == CHROME_P_CHILDREN)
                ? 1
                : 0;
        p->skipped++;
        return TS_OK;
    }
    if (at == CHROME_P_NODE) {
        begin_node(p);
    }
    p->places[p->depth++] = at;
    *want = at == CHROME_P_LIST || at == CHROME_P_CHILDREN ? TS_JSON_WANT_INTS : TS_JSON_PLAIN;
    return TS_OK;
}

static ts_code on_object_begin(void *user)
{
    int want = TS_JSON_PLAIN;
    return begin_value(user, false, &want);
}

static ts_code on_array_begin(void *user, int *want)
{
    return begin_value(user, true, want);
}

/* Some write a list at two places of one event: equal ones count once. */
static void end_list(chrome_trace *c)
{
    chrome_profiles *p = c->profiles;
    ts_intvec *list = &p->lists[p->list];
    const uint64_t n = p->list_from;
    uint64_t same = 0;
    while (same < n && list->n == 2 * n &&
           ts_intvec_get(list, same) == ts_intvec_get(list, n + same)) {
        same++;
    }
    if (same == n) {
        ts_intvec_truncate(c->ctx, list, n == 0 ? list->n : n);
    }
}

static ts_code end_value(void *user)
{
    chrome_trace *c = user;
    chrome_profiles *p = c->profiles;
    chrome_profile_place at;
    if (p->skipped > 0) {
        p->skipped--;
        return TS_OK;
    }
    at = place_of(p);
    p->depth--;
    if (at == CHROME_P_LIST) {
        end_list(c);
    }
    return at == CHROME_P_NODE ? chrome_profile_keep_node(c) : TS_OK;
}

static ts_code on_key(void *user, const char *key, size_t n)
{
    chrome_trace *c = user;
    chrome_profiles *p = c->profiles;
    if (p->skipped > 0) {
        return TS_OK;
    }
    p->key.n = 0;
    return ts_buf_put(c->ctx, &p->key, key, n);
}

/* --- numbers --------------------------------------------------------------------------------- */

static ts_code add_child(chrome_trace *c, int64_t child)
{
    chrome_profile *profile = chrome_profile_at(c->profiles, c->profiles->at_profile);
    chrome_link *link = ts_vec_add(c->ctx, &profile->links, sizeof *link);
    if (link == NULL) {
        return c->ctx->error.code;
    }
    *link = (chrome_link){child, (uint32_t)profile->nodes.n + 1}; /* of the node that comes next */
    return TS_OK;
}

static ts_code add_element(chrome_trace *c, int64_t v)
{
    chrome_profiles *p = c->profiles;
    if (place_of(p) == CHROME_P_CHILDREN) {
        return add_child(c, v);
    }
    if (p->list == CHROME_DELTAS && v != TS_NO_TIME && ts_ckd_mul(&v, v, INT64_C(1000))) {
        p->odd++;
        v = TS_NO_TIME;
    }
    return ts_intvec_push(c->ctx, &p->lists[p->list], v);
}

static ts_code on_ints(void *user, const int64_t *v, size_t n)
{
    chrome_trace *c = user;
    ts_code code = TS_OK;
    if (c->profiles->skipped > 0) {
        return TS_OK;
    }
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        code = add_element(c, v[i]);
    }
    return code;
}

/* Something else is in a list of numbers. */
static ts_code odd_element(chrome_trace *c)
{
    chrome_profiles *p = c->profiles;
    p->odd++;
    return place_of(p) == CHROME_P_LIST ? ts_intvec_push(c->ctx, &p->lists[p->list], TS_NO_TIME)
                                        : TS_OK;
}

static void keep_int32(chrome_profiles *p, int32_t *out, uint32_t flag, const ts_json_number *v)
{
    if (!v->is_int || v->i < INT32_MIN || v->i > INT32_MAX) {
        p->odd++;
        return;
    }
    *out = (int32_t)v->i;
    p->node.has |= flag;
}

static void keep_int(chrome_profiles *p, int64_t *out, uint32_t flag, const ts_json_number *v)
{
    if (!v->is_int) {
        p->odd++;
        return;
    }
    *out = v->i;
    p->node.has |= flag;
}

static void frame_number(chrome_profiles *p, const ts_json_number *v)
{
    if (key_is(p, "lineNumber")) {
        keep_int32(p, &p->node.line, CHROME_NODE_LINE, v);
    } else if (key_is(p, "columnNumber")) {
        keep_int32(p, &p->node.column, CHROME_NODE_COLUMN, v);
    } else if (key_is(p, "scriptId")) {
        keep_int(p, &p->node.script, CHROME_NODE_SCRIPT, v);
    }
}

static void time_number(chrome_trace *c, const ts_json_number *v)
{
    chrome_profiles *p = c->profiles;
    chrome_profile *profile = chrome_profile_at(p, p->at_profile);
    bool start = key_is(p, "startTime");
    bool fine;
    int64_t ns;
    if (!start && !key_is(p, "endTime")) {
        return;
    }
    if (!chrome_ns(&ns, &fine, v->p, v->n)) {
        p->odd++;
        return;
    }
    *(start ? &profile->start : &profile->end) = ns;
}

static ts_code put_mark(chrome_trace *c, const ts_json_number *v)
{
    const chrome_profiles *p = c->profiles;
    ts_row_chrome_trace_id row = {
        .source_id = chrome_profile_at(p, p->at_profile)->source_id,
        .trace_id = ts_buf_text(&p->key),
        .id = v == NULL ? 0 : v->i,
    };
    if (v == NULL || !v->is_int) {
        TS_SET_NULL(chrome_trace_id, &row, id);
    }
    return ts_put_chrome_trace_id(c->sink, &row);
}

static ts_code on_number(void *user, const ts_json_number *v)
{
    chrome_trace *c = user;
    chrome_profiles *p = c->profiles;
    bool fine;
    int64_t ns;
    if (p->skipped > 0) {
        return TS_OK;
    }
    switch (place_of(p)) {
    case CHROME_P_LIST:
        if (p->list == CHROME_DELTAS && chrome_ns(&ns, &fine, v->p, v->n)) {
            return ts_intvec_push(c->ctx, &p->lists[p->list], ns);
        }
        return odd_element(c);
    case CHROME_P_CHILDREN:
    case CHROME_P_NODES:
        return odd_element(c);
    case CHROME_P_MARKS:
        return put_mark(c, v);
    case CHROME_P_NODE:
        if (key_is(p, "id")) {
            keep_int(p, &p->node.id, CHROME_NODE_ID, v);
        } else if (key_is(p, "parent")) {
            keep_int(p, &p->node.parent_id, CHROME_NODE_PARENT, v);
        }
        return TS_OK;
    case CHROME_P_FRAME:
        frame_number(p, v);
        return TS_OK;
    default:
        time_number(c, v);
        return TS_OK;
    }
}

/* --- texts ----------------------------------------------------------------------------------- */

static ts_code keep_text(chrome_trace *c, ts_buf *out, const char *s, size_t n, unsigned flags)
{
    size_t room;
    if ((flags & TS_JSON_FIRST) != 0) {
        out->n = 0;
    }
    room = CHROME_RAW_HELD - out->n;
    if (n > room) {
        c->n.first_cut = c->n.texts_cut == 0 ? (int64_t)c->event.at : c->n.first_cut;
        c->n.texts_cut++;
        n = room;
        while (n > 0 && ((unsigned char)s[n] & 0xC0) == 0x80) {
            n--;
        }
    }
    return ts_buf_put(c->ctx, out, s, n);
}

static ts_code frame_text(chrome_trace *c, const char *s, size_t n, unsigned flags)
{
    chrome_profiles *p = c->profiles;
    int64_t script;
    if (key_is(p, "functionName")) {
        return keep_text(c, &p->function, s, n, flags);
    }
    if (key_is(p, "url")) {
        return keep_text(c, &p->url, s, n, flags);
    }
    /* Old scripts' ids are numbers that are written as texts. */
    if (key_is(p, "scriptId") && (flags & TS_JSON_FIRST) != 0 && chrome_int(&script, s, n)) {
        p->node.script = script;
        p->node.has |= CHROME_NODE_SCRIPT;
    }
    return TS_OK;
}

static ts_code on_string(void *user, const char *s, size_t n, unsigned flags)
{
    chrome_trace *c = user;
    chrome_profiles *p = c->profiles;
    bool last = (flags & TS_JSON_LAST) != 0;
    if (p->skipped > 0) {
        return TS_OK;
    }
    switch (place_of(p)) {
    case CHROME_P_FRAME:
        return frame_text(c, s, n, flags);
    case CHROME_P_LIST:
    case CHROME_P_CHILDREN:
    case CHROME_P_NODES:
        return last ? odd_element(c) : TS_OK;
    case CHROME_P_MARKS:
        return last ? put_mark(c, NULL) : TS_OK;
    default:
        return TS_OK;
    }
}

static ts_code on_literal(void *user, ts_json_kind kind)
{
    chrome_trace *c = user;
    chrome_profiles *p = c->profiles;
    chrome_profile_place at = place_of(p);
    (void)kind;
    return p->skipped == 0 &&
                   (at == CHROME_P_LIST || at == CHROME_P_CHILDREN || at == CHROME_P_NODES)
               ? odd_element(c)
               : TS_OK;
}

static const ts_json_handler handler = {
    .object_begin = on_object_begin,
    .object_end = end_value,
    .array_begin = on_array_begin,
    .array_end = end_value,
    .key = on_key,
    .string = on_string,
    .number = on_number,
    .literal = on_literal,
    .ints = on_ints,
};

ts_code chrome_profile_read(chrome_trace *c)
{
    chrome_profiles *p = c->profiles;
    ts_code code = TS_OK;
    p->depth = 0;
    p->skipped = 0;
    p->key.n = 0;
    for (unsigned i = 0; i < CHROME_LISTS; i++) {
        ts_intvec_truncate(c->ctx, &p->lists[i], 0);
    }
    if (p->json == NULL) {
        code = ts_json_new(&p->json, c->ctx, &handler, c, 0);
    }
    return code == TS_OK ? chrome_raw_read(c, p->json) : code;
}
