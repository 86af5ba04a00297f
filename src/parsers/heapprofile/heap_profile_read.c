/* A heap profile from its JSON events. */
#include "parsers/heapprofile/heap_profile.h"

#include "base/utf8.h"

#include <inttypes.h>

enum { MAX_TEXT = 1 << 20, MAX_NODES = 1 << 28 };

#define NODE(name) offsetof(heap_profile_node, name)
#define SAMPLE(name) offsetof(heap_profile_sample, name)
static const ts_json_field fields[] = {
    {0, TS_JSON_OBJECT, .to = AT_TOP},
    {AT_TOP, TS_JSON_OBJECT, .key = "head", .to = AT_NODE},
    {AT_TOP, TS_JSON_LIST, .key = "samples", .to = AT_SAMPLES},
    {AT_NODE, TS_JSON_OBJECT, .key = "callFrame", .to = AT_FRAME},
    /* Sizes are scaled by how likely they were to be sampled, and never negative. */
    {AT_NODE, TS_JSON_SIZE, .key = "selfSize", .offset = NODE(self_size), .flag = HAS_SIZE},
    {AT_NODE, TS_JSON_NUMBER, .key = "id"},
    {AT_NODE, TS_JSON_LIST, .key = "children", .to = AT_CHILDREN},
    {AT_CHILDREN, TS_JSON_OBJECT, .to = AT_NODE},
    TS_V8_FRAME_FIELDS(AT_FRAME),
    {AT_SAMPLES, TS_JSON_OBJECT, .to = AT_SAMPLE},
    {AT_SAMPLE, TS_JSON_SIZE, .key = "size", .offset = SAMPLE(size), .flag = HAS_SIZE},
    {AT_SAMPLE, TS_JSON_INT, .key = "nodeId", .offset = SAMPLE(node), .flag = TS_V8_ID},
    {AT_SAMPLE, TS_JSON_INT, .key = "ordinal", .offset = SAMPLE(ordinal), .flag = HAS_ORDINAL},
};
#undef NODE
#undef SAMPLE

static heap_profile_frame *innermost(heap_profile *p)
{
    return (heap_profile_frame *)p->open.p + p->open.n - 1;
}

static heap_profile_node *current(heap_profile *p)
{
    return (heap_profile_node *)p->nodes.p + innermost(p)->index;
}

/* --- nodes ---------------------------------------------------------------------------------- */

ts_code heap_profile_put(heap_profile *p, const heap_profile_frame *open, heap_profile_node *node)
{
    return ts_v8_put(&node->v8.stack_node, p->job->store, p->source_id, open->parent, open->method,
                     open->depth, (node->v8.has & TS_V8_ID) != 0 ? &node->v8.id : NULL);
}

/* Its row is due: what follows needs it as caller, or nothing follows. */
static ts_code put_node(heap_profile *p)
{
    heap_profile_frame *open = innermost(p);
    heap_profile_node *node = current(p);
    if (node->v8.stack_node != 0) {
        return TS_OK;
    }
    if (open->method == 0) {
        TS_TRY(ts_issue(p->job->store, p->source_id, TS_ISSUE_heap_profile_no_frame, p->name,
                        (int64_t)ts_json_position(p->json),
                        "a node has no callFrame before its callees"));
    }
    return heap_profile_put(p, open, node);
}

static ts_code begin_node(heap_profile *p)
{
    heap_profile_frame *open;
    heap_profile_node *node;
    int64_t parent = 0;
    int64_t depth = 0;
    p->nodes_seen++;
    if (p->nodes.n >= MAX_NODES) {
        return ts_fail(p->job->ctx, TS_ERR_LIMIT, "a heap profile has more than %d nodes",
                       MAX_NODES);
    }
    if (p->open.n > 0) {
        TS_TRY(put_node(p));
        parent = current(p)->v8.stack_node;
        depth = innermost(p)->depth + 1;
    }
    node = ts_vec_add(p->job->ctx, &p->nodes, sizeof *node);
    TS_NEED(p->job->ctx,
            open = node == NULL ? NULL : ts_vec_add(p->job->ctx, &p->open, sizeof *open));
    *open = (heap_profile_frame){.index = p->nodes.n - 1, .parent = parent, .depth = depth};
    p->in.last = NULL;
    return TS_OK;
}

static ts_code end_node(heap_profile *p)
{
    uint32_t has = current(p)->v8.has;
    ts_code code = put_node(p);
    p->no_id += (has & TS_V8_ID) == 0 ? 1 : 0;
    p->fields_missing += (has & HAS_SIZE) == 0 ? 1 : 0;
    p->open.n--;
    p->head_closed = p->head_closed || p->open.n == 0;
    return code;
}

static ts_code end_frame(heap_profile *p)
{
    const heap_profile_node *node = current(p);
    p->fields_missing += (node->v8.has & TS_V8_FRAME) == TS_V8_FRAME ? 0 : 1;
    p->in.last = NULL;
    return ts_v8_method(&innermost(p)->method, p->job->store, p->source_id,
                        ts_buf_text(&p->function), ts_buf_text(&p->url), TS_TEXT_NULL,
                        ts_v8_line(&node->v8));
}

static ts_code keep_id(void *user, const ts_json_number *number)
{
    heap_profile *p = user;
    heap_profile_node *node = current(p);
    const int64_t id = number->i;
    uint64_t other;
    if (!number->is_int) {
        p->bad_numbers++;
        return TS_OK;
    }
    if (ts_idmap_find(&other, &p->by_id, id)) {
        return ts_issue(p->job->store, p->source_id, TS_ISSUE_heap_profile_duplicate_node, p->name,
                        (int64_t)ts_json_position(p->json),
                        "node id %" PRId64 " occurs again; the first node counts", id);
    }
    node->v8.id = id;
    node->v8.has |= TS_V8_ID;
    p->max_id = id > p->max_id ? id : p->max_id;
    return ts_idmap_put(p->job->ctx, &p->by_id, id, innermost(p)->index);
}

/* --- samples -------------------------------------------------------------------------------- */

static ts_code end_sample(heap_profile *p)
{
    heap_profile_sample *s = &p->sample;
    uint64_t sum = 0;
    int64_t total;
    p->samples_seen++;
    p->fields_missing += (s->has & SAMPLE_FIELDS) == SAMPLE_FIELDS ? 0 : 1;
    /* Those that were allocated at an unknown time come last. */
    s->key = (s->has & HAS_ORDINAL) == 0 ? UINT64_MAX : ts_sorter_key(s->ordinal);
    if ((s->has & TS_V8_ID) != 0) {
        (void)ts_idmap_find(&sum, &p->sampled, s->node);
        if ((s->has & HAS_SIZE) == 0 || sum > INT64_MAX ||
            ts_ckd_add(&total, (int64_t)sum, s->size)) {
            total = -1; /* no sum that a node can have */
        }
        TS_TRY(ts_idmap_put(p->job->ctx, &p->sampled, s->node, (uint64_t)total));
    }
    return ts_sorter_add(p->samples, s);
}

/* --- levels --------------------------------------------------------------------------------- */

/* Something else than an object is where a node or a sample should be. */
static ts_code odd_element(heap_profile *p)
{
    bool node = p->in.at == AT_CHILDREN;
    if (!node && p->in.at != AT_SAMPLES) {
        return TS_OK;
    }
    p->nodes_seen += node ? 1 : 0;
    p->nodes_lost += node ? 1 : 0;
    p->samples_seen += node ? 0 : 1;
    return ts_issue(p->job->store, p->source_id, TS_ISSUE_heap_profile_bad_element, p->name,
                    (int64_t)ts_json_position(p->json), "an element of %s is not an object",
                    node ? "children" : "samples");
}

static ts_code on_odd(void *user, unsigned kind)
{
    heap_profile *p = user;
    const unsigned kinds = p->in.last == NULL ? 0 : p->in.last->kinds;
    const bool number =
        (kinds & TS_JSON_TEXT) == 0 &&
        (kinds & (TS_JSON_INT | TS_JSON_INT32 | TS_JSON_SIZE | TS_JSON_NUMBER)) != 0;
    const bool element = p->in.at == AT_CHILDREN || p->in.at == AT_SAMPLES;
    p->bad_numbers += number && !(element && kind == TS_JSON_NUMBER) ? 1 : 0;
    return kind == TS_JSON_OBJECT ? TS_OK : odd_element(p);
}

static ts_code on_begin(void *user, bool *take, unsigned place)
{
    heap_profile *p = user;
    switch (place) {
    case AT_NODE:
        *take = !p->has_head || p->in.at == AT_CHILDREN;
        p->has_head = true;
        return *take ? begin_node(p) : TS_OK;
    case AT_FRAME:
        *take = innermost(p)->method == 0;
        p->function.n = *take ? 0 : p->function.n;
        p->url.n = *take ? 0 : p->url.n;
        return TS_OK;
    case AT_SAMPLES:
        *take = !p->has_samples;
        p->has_samples = true;
        return TS_OK;
    case AT_SAMPLE:
        p->sample = (heap_profile_sample){0};
        return TS_OK;
    default:
        return TS_OK;
    }
}

static ts_code on_end(void *user, unsigned place)
{
    heap_profile *p = user;
    switch (place) {
    case AT_NODE:
        return end_node(p);
    case AT_FRAME:
        return end_frame(p);
    case AT_SAMPLE:
        return end_sample(p);
    default:
        p->in.last = NULL;
        p->samples_closed = p->samples_closed || place == AT_SAMPLES;
        p->done = p->done || place == AT_TOP;
        return TS_OK;
    }
}

/* --- values --------------------------------------------------------------------------------- */

static void *target(uint32_t **flags, void *user)
{
    heap_profile *p = user;
    *flags = p->in.at == AT_SAMPLE ? &p->sample.has : &current(p)->v8.has;
    return p->in.at == AT_SAMPLE ? (void *)&p->sample : current(p);
}

/* Script ids are numbers that are written as texts. */
static void keep_script(heap_profile *p)
{
    int64_t v = 0;
    bool good = p->text.n > 0;
    for (size_t i = 0; i < p->text.n && good; i++) {
        int digit = p->text.p[i] - '0';
        good = digit >= 0 && digit <= 9 && !ts_ckd_mul(&v, v, INT64_C(10)) &&
               !ts_ckd_add(&v, v, (int64_t)digit);
    }
    if (!good) {
        p->bad_numbers++;
        return;
    }
    current(p)->v8.script = v;
    current(p)->v8.has |= TS_V8_SCRIPT;
}

static ts_code on_text(void *user, const char *s, size_t n, unsigned flags)
{
    heap_profile *p = user;
    const uint32_t what = p->in.field->flag;
    ts_buf *out = what == TS_V8_NAME ? &p->function : what == TS_V8_URL ? &p->url : &p->text;
    if ((flags & TS_JSON_FIRST) != 0) {
        out->n = 0;
        p->text_cut = false;
    }
    size_t left = MAX_TEXT - out->n;
    p->text_cut = p->text_cut || n > left;
    ts_code code = ts_buf_put(p->job->ctx, out, s, n < left ? n : left);
    if (code != TS_OK || (flags & TS_JSON_LAST) == 0) {
        return code;
    }
    if (p->text_cut) {
        p->texts_cut++;
        out->n = ts_utf8_cut(out->p, out->n);
    }
    if (what == TS_V8_SCRIPT) {
        keep_script(p);
    } else {
        current(p)->v8.has |= what;
    }
    return TS_OK;
}

const ts_json_table heap_profile_table = {
    .fields = fields,
    .count = sizeof fields / sizeof fields[0],
    .begin = on_begin,
    .end = on_end,
    .target = target,
    .number = keep_id,
    .text = on_text,
    .odd = on_odd,
};
