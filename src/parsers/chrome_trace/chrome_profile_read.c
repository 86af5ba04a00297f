/* Arguments of the events that hold parts of a CPU profile. */
#include "parsers/chrome_trace/chrome_profile.h"

enum {
    AT_ARGS = 1,
    AT_DATA,
    AT_PROFILE,
    AT_SAMPLES, /* lists as in chrome_profile_list */
    AT_DELTAS,
    AT_LINES,
    AT_COLUMNS,
    AT_MARKS,
    AT_NODES,
    AT_NODE,
    AT_CHILDREN,
    AT_FRAME
};

#define NODE(name) offsetof(chrome_node, name)
#define TIMES_AND_LISTS(place)                                                                     \
    {place, TS_JSON_NUMBER, .key = "startTime", .offset = offsetof(chrome_profile, start)},        \
        {place, TS_JSON_NUMBER, .key = "endTime", .offset = offsetof(chrome_profile, end)},        \
        {place, TS_JSON_LIST, .key = "samples", .to = AT_SAMPLES, .ints = true},                   \
        {place, TS_JSON_LIST, .key = "timeDeltas", .to = AT_DELTAS, .ints = true},                 \
        {place, TS_JSON_LIST, .key = "lines", .to = AT_LINES, .ints = true},                       \
    {                                                                                              \
        place, TS_JSON_LIST, .key = "columns", .to = AT_COLUMNS, .ints = true                      \
    }
static const ts_json_field fields[] = {
    {0, TS_JSON_OBJECT, .to = AT_ARGS},
    {AT_ARGS, TS_JSON_OBJECT, .key = "data", .to = AT_DATA},
    {AT_ARGS, TS_JSON_NUMBER, .key = "startTime", .offset = offsetof(chrome_profile, start)},
    {AT_ARGS, TS_JSON_NUMBER, .key = "endTime", .offset = offsetof(chrome_profile, end)},
    {AT_DATA, TS_JSON_OBJECT, .key = "cpuProfile", .to = AT_PROFILE},
    TIMES_AND_LISTS(AT_DATA),
    {AT_PROFILE, TS_JSON_LIST, .key = "nodes", .to = AT_NODES},
    {AT_PROFILE, TS_JSON_OBJECT, .key = "trace_ids", .to = AT_MARKS},
    TIMES_AND_LISTS(AT_PROFILE),
    {AT_SAMPLES, TS_JSON_NUMBER, .key = NULL},
    {AT_DELTAS, TS_JSON_NUMBER, .key = NULL},
    {AT_LINES, TS_JSON_NUMBER, .key = NULL},
    {AT_COLUMNS, TS_JSON_NUMBER, .key = NULL},
    {AT_MARKS, TS_JSON_NUMBER | TS_JSON_TEXT, .key = "*"},
    {AT_NODES, TS_JSON_OBJECT, .to = AT_NODE},
    {AT_NODE, TS_JSON_INT, .key = "id", .offset = NODE(v8.id), .flag = TS_V8_ID},
    {AT_NODE, TS_JSON_INT, .key = "parent", .offset = NODE(parent_id), .flag = CHROME_NODE_PARENT},
    {AT_NODE, TS_JSON_LIST, .key = "children", .to = AT_CHILDREN, .ints = true},
    {AT_NODE, TS_JSON_OBJECT, .key = "callFrame", .to = AT_FRAME},
    TS_V8_FRAME_FIELDS(AT_FRAME),
};
#undef NODE
#undef TIMES_AND_LISTS

/* --- levels ---------------------------------------------------------------------------------- */

/* Which of p->lists the place is of; CHROME_LISTS: it is no list of numbers. */
static unsigned list_at(unsigned place)
{
    return place >= AT_SAMPLES && place <= AT_COLUMNS ? place - AT_SAMPLES : CHROME_LISTS;
}

static ts_code on_begin(void *user, bool *take, unsigned place)
{
    const chrome_trace *c = user;
    chrome_profiles *p = c->profiles;
    (void)take;
    if (list_at(place) < CHROME_LISTS) {
        p->list_from = p->lists[list_at(place)].n;
    } else if (place == AT_NODE) {
        p->first_link = chrome_profile_at(p, p->at_profile)->links.n;
        p->node = (chrome_node){0};
        p->function.n = 0;
        p->url.n = 0;
    }
    return TS_OK;
}

/* Some write a list at two places of one event: equal ones count once. */
static void end_list(chrome_trace *c, unsigned which)
{
    chrome_profiles *p = c->profiles;
    ts_intvec *list = &p->lists[which];
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

static ts_code on_end(void *user, unsigned place)
{
    chrome_trace *c = user;
    if (list_at(place) < CHROME_LISTS) {
        end_list(c, list_at(place));
    }
    return place == AT_NODE ? chrome_profile_keep_node(c) : TS_OK;
}

/* Something that is not what its list or its member of a node takes. */
static ts_code on_odd(void *user, unsigned kind)
{
    chrome_trace *c = user;
    chrome_profiles *p = c->profiles;
    const unsigned list = list_at(p->in.at);
    const unsigned kinds = p->in.field == NULL ? 0 : p->in.field->kinds;
    const bool integer = (kinds & (TS_JSON_INT | TS_JSON_INT32)) != 0;
    if (list < CHROME_LISTS || p->in.at == AT_CHILDREN || p->in.at == AT_NODES ||
        (integer && kind == TS_JSON_NUMBER)) {
        p->odd++;
    }
    return list < CHROME_LISTS && (kind & (TS_JSON_OBJECT | TS_JSON_LIST)) == 0
               ? ts_intvec_push(c->ctx, &p->lists[list], TS_NO_TIME)
               : TS_OK;
}

/* --- numbers --------------------------------------------------------------------------------- */

static ts_code add_child(chrome_trace *c, int64_t child)
{
    chrome_profile *profile = chrome_profile_at(c->profiles, c->profiles->at_profile);
    chrome_link *link = ts_vec_add(c->ctx, &profile->links, sizeof *link);
    TS_NEED(c->ctx, link);
    *link = (chrome_link){child, (uint32_t)profile->nodes.n + 1}; /* of the node that comes next */
    return TS_OK;
}

static ts_code add_element(chrome_trace *c, int64_t v)
{
    chrome_profiles *p = c->profiles;
    if (p->in.at == AT_CHILDREN) {
        return add_child(c, v);
    }
    if (p->in.at == AT_DELTAS && v != TS_NO_TIME && ts_ckd_mul(&v, v, INT64_C(1000))) {
        p->odd++;
        v = TS_NO_TIME;
    }
    return ts_intvec_push(c->ctx, &p->lists[list_at(p->in.at)], v);
}

static ts_code on_ints(void *user, const int64_t *v, size_t n)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        code = add_element(user, v[i]);
    }
    return code;
}

static void *target(uint32_t **flags, void *user)
{
    const chrome_trace *c = user;
    *flags = &c->profiles->node.v8.has;
    return &c->profiles->node;
}

static ts_code put_mark(chrome_trace *c, const ts_json_number *v)
{
    const chrome_profiles *p = c->profiles;
    ts_row_chrome_trace_id row = {
        .source_id = chrome_profile_at(p, p->at_profile)->source_id,
        .trace_id = ts_buf_text(&p->in.key),
        .id = v == NULL ? 0 : v->i,
    };
    TS_NULL_IF(v == NULL || !v->is_int, chrome_trace_id, &row, id);
    return ts_put_chrome_trace_id(c->sink, &row);
}

/* What is no integer in a list, a beginning or end, or a mark. */
static ts_code on_number(void *user, const ts_json_number *v)
{
    chrome_trace *c = user;
    chrome_profiles *p = c->profiles;
    const unsigned list = list_at(p->in.at);
    bool fine;
    int64_t ns;
    if (p->in.at == AT_MARKS) {
        return put_mark(c, v);
    }
    const bool timed =
        (list == CHROME_LISTS || list == CHROME_DELTAS) && chrome_ns(&ns, &fine, v->p, v->n);
    if (list < CHROME_LISTS) {
        return timed ? ts_intvec_push(c->ctx, &p->lists[list], ns) : on_odd(c, TS_JSON_NUMBER);
    }
    if (timed) {
        memcpy((char *)chrome_profile_at(p, p->at_profile) + p->in.field->offset, &ns, sizeof ns);
    } else {
        p->odd++;
    }
    return TS_OK;
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

static ts_code on_text(void *user, const char *s, size_t n, unsigned flags)
{
    chrome_trace *c = user;
    chrome_profiles *p = c->profiles;
    int64_t script;
    if (p->in.at == AT_MARKS) {
        return (flags & TS_JSON_LAST) != 0 ? put_mark(c, NULL) : TS_OK;
    }
    if (p->in.field->flag != TS_V8_SCRIPT) {
        return keep_text(c, p->in.field->flag == TS_V8_NAME ? &p->function : &p->url, s, n, flags);
    }
    /* Old scripts' ids are numbers that are written as texts. */
    if ((flags & TS_JSON_FIRST) != 0 && chrome_int(&script, s, n)) {
        p->node.v8.script = script;
        p->node.v8.has |= TS_V8_SCRIPT;
    }
    return TS_OK;
}

static const ts_json_table table = {
    .fields = fields,
    .count = sizeof fields / sizeof fields[0],
    .begin = on_begin,
    .end = on_end,
    .target = target,
    .number = on_number,
    .text = on_text,
    .ints = on_ints,
    .odd = on_odd,
};

ts_code chrome_profile_read(chrome_trace *c)
{
    chrome_profiles *p = c->profiles;
    ts_code code = TS_OK;
    for (unsigned i = 0; i < CHROME_LISTS; i++) {
        ts_intvec_truncate(c->ctx, &p->lists[i], 0);
    }
    if (p->json == NULL) {
        p->in = (ts_json_place){.table = &table, .user = c, .ctx = c->ctx};
        code = ts_json_new(&p->json, c->ctx, &ts_json_by_table, &p->in, 0);
    }
    ts_json_place_begin(&p->in);
    TS_STEP(code, chrome_raw_read(c, p->json));
    return code;
}
