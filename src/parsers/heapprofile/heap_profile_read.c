/* A heap profile from its JSON events. */
#include "parsers/heapprofile/heap_profile.h"

#include "base/utf8.h"

#include <inttypes.h>

enum { MAX_TEXT = 1 << 20, MAX_NODES = 1 << 28 };

static const struct {
    const char *key;
    heap_profile_state at;
    heap_profile_key what;
} keys[] = {
    {"head", AT_TOP, KEY_HEAD},
    {"samples", AT_TOP, KEY_SAMPLES},
    {"callFrame", AT_NODE, KEY_FRAME},
    {"selfSize", AT_NODE, KEY_SELF_SIZE},
    {"id", AT_NODE, KEY_ID},
    {"children", AT_NODE, KEY_CHILDREN},
    {"functionName", AT_FRAME, KEY_NAME},
    {"scriptId", AT_FRAME, KEY_SCRIPT},
    {"url", AT_FRAME, KEY_URL},
    {"lineNumber", AT_FRAME, KEY_LINE},
    {"columnNumber", AT_FRAME, KEY_COLUMN},
    {"size", AT_SAMPLE, KEY_SIZE},
    {"nodeId", AT_SAMPLE, KEY_NODE},
    {"ordinal", AT_SAMPLE, KEY_ORDINAL},
};

static ts_code on_key(void *user, const char *key, size_t n)
{
    heap_profile *p = user;
    if (p->skip > 0) {
        return TS_OK;
    }
    p->key = KEY_OTHER;
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i].at == p->at && strlen(keys[i].key) == n && memcmp(keys[i].key, key, n) == 0) {
            p->key = keys[i].what;
        }
    }
    return TS_OK;
}

static heap_profile_frame *innermost(heap_profile *p)
{
    return (heap_profile_frame *)p->open.p + p->open.n - 1;
}

static heap_profile_node *current(heap_profile *p)
{
    return (heap_profile_node *)p->nodes.p + innermost(p)->index;
}

/* --- nodes ---------------------------------------------------------------------------------- */

/* Its row is due: what follows needs it as caller, or nothing follows. */
static ts_code put_node(heap_profile *p)
{
    heap_profile_frame *open = innermost(p);
    heap_profile_node *node = current(p);
    bool added;
    if (node->stack_node != 0) {
        return TS_OK;
    }
    if (open->method == 0) {
        ts_code code = ts_issue(p->job->store, p->source_id, TS_ISSUE_heap_profile_no_frame,
                                p->name, (int64_t)ts_json_position(p->json),
                                "a node has no callFrame before its callees");
        if (code != TS_OK) {
            return code;
        }
    }
    return ts_stack_node(&node->stack_node, &added, p->job->store, p->source_id, open->parent,
                         open->method, TS_NO_LINE, open->depth,
                         (node->has & HAS_ID) != 0 ? &node->id : NULL);
}

static ts_code begin_node(heap_profile *p)
{
    heap_profile_frame *open;
    heap_profile_node *node;
    int64_t parent = 0;
    int64_t depth = 0;
    ts_code code;
    p->nodes_seen++;
    if (p->nodes.n >= MAX_NODES) {
        return ts_fail(p->job->ctx, TS_ERR_LIMIT, "a heap profile has more than %d nodes",
                       MAX_NODES);
    }
    if (p->open.n > 0) {
        if ((code = put_node(p)) != TS_OK) {
            return code;
        }
        parent = current(p)->stack_node;
        depth = innermost(p)->depth + 1;
    }
    node = ts_vec_add(p->job->ctx, &p->nodes, sizeof *node);
    open = node == NULL ? NULL : ts_vec_add(p->job->ctx, &p->open, sizeof *open);
    if (open == NULL) {
        return p->job->ctx->error.code;
    }
    *open = (heap_profile_frame){.index = p->nodes.n - 1, .parent = parent, .depth = depth};
    p->at = AT_NODE;
    p->key = KEY_OTHER;
    return TS_OK;
}

static ts_code end_node(heap_profile *p)
{
    uint32_t has = current(p)->has;
    ts_code code = put_node(p);
    p->no_id += (has & HAS_ID) == 0 ? 1 : 0;
    p->fields_missing += (has & HAS_SIZE) == 0 ? 1 : 0;
    p->open.n--;
    p->at = p->open.n == 0 ? AT_TOP : AT_CHILDREN;
    p->head_closed = p->head_closed || p->open.n == 0;
    return code;
}

static ts_code end_frame(heap_profile *p)
{
    const heap_profile_node *node = current(p);
    ts_method method = {
        .name = ts_buf_text(&p->function),
        .file = p->url.n == 0 ? TS_TEXT_NULL : ts_buf_text(&p->url),
        .has_line = (node->has & HAS_LINE) != 0 && node->line >= 0,
        .line = node->line,
    };
    p->fields_missing += (node->has & FRAME_FIELDS) == FRAME_FIELDS ? 0 : 1;
    p->at = AT_NODE;
    p->key = KEY_OTHER;
    return ts_stack_method(&innermost(p)->method, p->job->store, p->source_id, &method);
}

static ts_code keep_id(heap_profile *p, int64_t id)
{
    heap_profile_node *node = current(p);
    uint64_t other;
    if (ts_idmap_find(&other, &p->by_id, id)) {
        return ts_issue(p->job->store, p->source_id, TS_ISSUE_heap_profile_duplicate_node, p->name,
                        (int64_t)ts_json_position(p->json),
                        "node id %" PRId64 " occurs again; the first node counts", id);
    }
    node->id = id;
    node->has |= HAS_ID;
    p->max_id = id > p->max_id ? id : p->max_id;
    return ts_idmap_put(p->job->ctx, &p->by_id, id, innermost(p)->index);
}

/* --- samples -------------------------------------------------------------------------------- */

static ts_code end_sample(heap_profile *p)
{
    heap_profile_sample *s = &p->sample;
    uint64_t sum = 0;
    int64_t total;
    p->at = AT_SAMPLES;
    p->samples_seen++;
    p->fields_missing += (s->has & SAMPLE_FIELDS) == SAMPLE_FIELDS ? 0 : 1;
    /* Those that were allocated at an unknown time come last. */
    s->key = (s->has & HAS_ORDINAL) == 0 ? UINT64_MAX : ts_sorter_key(s->ordinal);
    if ((s->has & HAS_ID) != 0) {
        (void)ts_idmap_find(&sum, &p->sampled, s->node);
        if ((s->has & HAS_SIZE) == 0 || sum > INT64_MAX ||
            ts_ckd_add(&total, (int64_t)sum, s->size)) {
            total = -1; /* no sum that a node can have */
        }
        ts_code code = ts_idmap_put(p->job->ctx, &p->sampled, s->node, (uint64_t)total);
        if (code != TS_OK) {
            return code;
        }
    }
    return ts_sorter_add(p->samples, s);
}

/* --- levels --------------------------------------------------------------------------------- */

static void skip_value(heap_profile *p)
{
    bool number = p->key == KEY_SELF_SIZE || p->key == KEY_ID || p->key == KEY_LINE ||
                  p->key == KEY_COLUMN || p->key >= KEY_SIZE;
    p->bad_numbers += number ? 1 : 0;
}

/* Something else than an object is where a node or a sample should be. */
static ts_code odd_element(heap_profile *p)
{
    bool node = p->at == AT_CHILDREN;
    if (!node && p->at != AT_SAMPLES) {
        return TS_OK;
    }
    p->nodes_seen += node ? 1 : 0;
    p->nodes_lost += node ? 1 : 0;
    p->samples_seen += node ? 0 : 1;
    return ts_issue(p->job->store, p->source_id, TS_ISSUE_heap_profile_bad_element, p->name,
                    (int64_t)ts_json_position(p->json), "an element of %s is no object",
                    node ? "children" : "samples");
}

static ts_code on_object_begin(void *user)
{
    heap_profile *p = user;
    if (p->skip > 0) {
        p->skip++;
    } else if (ts_json_depth(p->json) == 1) {
        p->at = AT_TOP;
    } else if ((p->at == AT_TOP && p->key == KEY_HEAD && !p->has_head) || p->at == AT_CHILDREN) {
        p->has_head = true;
        return begin_node(p);
    } else if (p->at == AT_NODE && p->key == KEY_FRAME && innermost(p)->method == 0) {
        p->at = AT_FRAME;
        p->function.n = 0;
        p->url.n = 0;
    } else if (p->at == AT_SAMPLES) {
        p->at = AT_SAMPLE;
        p->sample = (heap_profile_sample){0};
    } else {
        p->skip = 1;
        skip_value(p);
    }
    return TS_OK;
}

static ts_code on_object_end(void *user)
{
    heap_profile *p = user;
    if (p->skip > 0) {
        p->skip--;
        return TS_OK;
    }
    if (ts_json_depth(p->json) == 0) {
        p->done = true;
        return TS_OK;
    }
    return p->at == AT_FRAME ? end_frame(p) : p->at == AT_SAMPLE ? end_sample(p) : end_node(p);
}

static ts_code on_array_begin(void *user, int *want)
{
    heap_profile *p = user;
    (void)want;
    if (p->skip > 0) {
        p->skip++;
    } else if (p->at == AT_TOP && p->key == KEY_SAMPLES && !p->has_samples) {
        p->at = AT_SAMPLES;
        p->has_samples = true;
    } else if (p->at == AT_NODE && p->key == KEY_CHILDREN) {
        p->at = AT_CHILDREN;
    } else {
        p->skip = 1;
        skip_value(p);
        return odd_element(p);
    }
    return TS_OK;
}

static ts_code on_array_end(void *user)
{
    heap_profile *p = user;
    if (p->skip > 0) {
        p->skip--;
        return TS_OK;
    }
    p->samples_closed = p->samples_closed || p->at == AT_SAMPLES;
    p->at = p->at == AT_SAMPLES ? AT_TOP : AT_NODE;
    p->key = KEY_OTHER;
    return TS_OK;
}

/* --- values --------------------------------------------------------------------------------- */

static void keep_int32(heap_profile *p, int32_t *out, uint32_t flag, int64_t v)
{
    if (v < INT32_MIN || v > INT32_MAX) {
        p->bad_numbers++;
        return;
    }
    *out = (int32_t)v;
    current(p)->has |= flag;
}

static ts_code keep_number(heap_profile *p, int64_t v)
{
    heap_profile_sample *s = &p->sample;
    switch (p->key) {
    case KEY_ID:
        return keep_id(p, v);
    case KEY_SELF_SIZE:
        current(p)->self_size = v;
        current(p)->has |= HAS_SIZE;
        break;
    case KEY_LINE:
        keep_int32(p, &current(p)->line, HAS_LINE, v);
        break;
    case KEY_COLUMN:
        keep_int32(p, &current(p)->column, HAS_COLUMN, v);
        break;
    case KEY_SCRIPT:
        current(p)->script = v;
        current(p)->has |= HAS_SCRIPT;
        break;
    case KEY_SIZE:
        s->size = v;
        s->has |= HAS_SIZE;
        break;
    case KEY_NODE:
        s->node = v;
        s->has |= HAS_ID;
        break;
    case KEY_ORDINAL:
        s->ordinal = v;
        s->has |= HAS_ORDINAL;
        break;
    default:
        break;
    }
    return TS_OK;
}

/* Sizes are scaled by how likely they were to be sampled, and never negative. */
static bool is_valid(heap_profile_key key, const ts_json_number *number)
{
    bool size = key == KEY_SELF_SIZE || key == KEY_SIZE;
    return number->is_int && (!size || number->i >= 0);
}

static ts_code on_number(void *user, const ts_json_number *number)
{
    heap_profile *p = user;
    if (p->skip > 0) {
        return TS_OK;
    }
    if (p->at == AT_CHILDREN || p->at == AT_SAMPLES) {
        return odd_element(p);
    }
    if (!is_valid(p->key, number)) {
        skip_value(p);
        return TS_OK;
    }
    return keep_number(p, number->i);
}

static ts_code on_literal(void *user, ts_json_kind kind)
{
    heap_profile *p = user;
    (void)kind;
    if (p->skip == 0) {
        skip_value(p);
        return odd_element(p);
    }
    return TS_OK;
}

/* Script ids are numbers that are written as texts. */
static ts_code keep_script(heap_profile *p)
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
        return TS_OK;
    }
    return keep_number(p, v);
}

static ts_code on_string(void *user, const char *s, size_t n, unsigned flags)
{
    heap_profile *p = user;
    ts_buf *out = p->key == KEY_NAME ? &p->function : p->key == KEY_URL ? &p->url : &p->text;
    size_t left;
    ts_code code;
    if (p->skip > 0) {
        return TS_OK;
    }
    if (p->key != KEY_NAME && p->key != KEY_URL && p->key != KEY_SCRIPT) {
        if ((flags & TS_JSON_LAST) == 0) { /* where pieces end depends on how the input is read */
            return TS_OK;
        }
        skip_value(p);
        return odd_element(p);
    }
    if ((flags & TS_JSON_FIRST) != 0) {
        out->n = 0;
        p->text_cut = false;
    }
    left = MAX_TEXT - out->n;
    p->text_cut = p->text_cut || n > left;
    code = ts_buf_put(p->job->ctx, out, s, n < left ? n : left);
    if (code != TS_OK || (flags & TS_JSON_LAST) == 0) {
        return code;
    }
    if (p->text_cut) {
        p->texts_cut++;
        out->n = ts_utf8_cut(out->p, out->n);
    }
    if (p->key == KEY_SCRIPT) {
        return keep_script(p);
    }
    current(p)->has |= p->key == KEY_NAME ? HAS_NAME : HAS_URL;
    return TS_OK;
}

static const ts_json_handler handler = {
    .object_begin = on_object_begin,
    .object_end = on_object_end,
    .array_begin = on_array_begin,
    .array_end = on_array_end,
    .key = on_key,
    .string = on_string,
    .number = on_number,
    .literal = on_literal,
};

const ts_json_handler *heap_profile_handler(void)
{
    return &handler;
}
