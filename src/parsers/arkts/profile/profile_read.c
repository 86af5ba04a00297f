/* A profile from its JSON events: figures, nodes, samples. */
#include "parsers/arkts/profile/profile_state.h"

#include <math.h>

enum { MAX_PROPERTIES = 32 };

/* Figures of a profile that have a column of their own. */
static const struct {
    const char *key;
    size_t offset;
    uint64_t bit;
} figures[] = {
#define FIGURE(key, column)                                                                        \
    {                                                                                              \
        key, offsetof(ts_row_js_cpu_profile, column), TS_NULL_BIT(js_cpu_profile, column)          \
    }
    FIGURE("tid", tid),
    FIGURE("gcTime", gc_time_us),
    FIGURE("cInterpreterTime", c_interpreter_time_us),
    FIGURE("asmInterpreterTime", asm_interpreter_time_us),
    FIGURE("aotTime", aot_time_us),
    FIGURE("builtinTime", builtin_time_us),
    FIGURE("napiTime", napi_time_us),
    FIGURE("arkuiEngineTime", arkui_engine_time_us),
    FIGURE("runtimeTime", runtime_time_us),
    FIGURE("otherTime", other_time_us),
#undef FIGURE
};
enum { FIGURES = sizeof figures / sizeof figures[0] };

/* --- members -------------------------------------------------------------------------------- */

static void keep_key(ts_profile *p, const char *key, size_t n)
{
    n = n < sizeof p->at.key ? n : sizeof p->at.key - 1;
    memcpy(p->at.key, key, n);
    p->at.key[n] = '\0';
}

static enum profile_member member_of(const char *key)
{
    return strcmp(key, "nodes") == 0             ? MEMBER_NODES
           : strcmp(key, "samples") == 0         ? MEMBER_SAMPLES
           : strcmp(key, "timeDeltas") == 0      ? MEMBER_DELTAS
           : strcmp(key, "timestampDeltas") == 0 ? MEMBER_DELTAS /* of Node.js 6 */
           : strcmp(key, "head") == 0            ? MEMBER_HEAD
           : strcmp(key, "timestamps") == 0      ? MEMBER_TIMES
                                                 : MEMBER_OTHER;
}

/* all: of a node of head, which has no frame inside of it. */
static enum node_member inner_of(const char *key, bool in_frame, bool all)
{
    static const struct {
        const char *key;
        size_t n;
        bool in_frame;
        enum node_member member;
    } keys[] = {
#define KEY(key, in_frame, member) {key, sizeof(key) - 1, in_frame, member}
        KEY("id", false, NODE_ID),
        KEY("callFrame", false, NODE_FRAME),
        KEY("hitCount", false, NODE_HITS),
        KEY("children", false, NODE_CHILDREN),
        KEY("parent", false, NODE_PARENT),
        KEY("functionName", true, FRAME_NAME),
        KEY("scriptId", true, FRAME_SCRIPT),
        KEY("url", true, FRAME_URL),
        KEY("lineNumber", true, FRAME_LINE),
        KEY("columnNumber", true, FRAME_COLUMN),
        KEY("moduleName", true, FRAME_MODULE),
#undef KEY
    };
    const size_t n = strlen(key); /* of the many keys only those of the same length are compared */
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i].n == n && (all || keys[i].in_frame == in_frame) &&
            memcmp(keys[i].key, key, n) == 0) {
            return keys[i].member;
        }
    }
    return NODE_OTHER;
}

/* Depths: 1 the profile, 2 one of its arrays, 3 a node, 4 its callFrame or children. */
static ts_code profile_on_key(void *user, const char *key, size_t n)
{
    ts_profile *p = user;
    if (p->at.skip > 0) {
        return TS_OK;
    }
    keep_key(p, key, n);
    if (p->at.depth == 1) {
        p->at.member = member_of(p->at.key);
    } else {
        const bool head = p->at.member == MEMBER_HEAD;
        p->at.inner = inner_of(p->at.key, p->at.depth == 4, head);
        p->nodes.ticks = p->nodes.ticks || (p->at.inner == NODE_OTHER && p->at.depth == 3 &&
                                            !head && strcmp(p->at.key, "positionTicks") == 0);
    }
    return TS_OK;
}

static ts_code odd_element(ts_profile *p);

/* Something else is in the place of one of a node's numbers. */
static void odd_number(ts_profile *p)
{
    bool number = p->at.inner == NODE_ID || p->at.inner == NODE_HITS ||
                  p->at.inner == NODE_PARENT || p->at.inner == NODE_CHILDREN ||
                  p->at.inner == FRAME_LINE || p->at.inner == FRAME_COLUMN;
    p->bad_numbers += number ? 1 : 0;
    p->nodes.now.flags |= p->at.inner == NODE_HITS ? NODE_BAD_HITS : 0U;
}

/* Times take the place of those between them. */
static unsigned list_bit(const ts_profile *p)
{
    return 1U << (p->at.member == MEMBER_TIMES ? MEMBER_DELTAS : p->at.member);
}

static ts_code begin_in_head(ts_profile *p, bool array)
{
    const uint64_t open = p->nodes.open.n;
    if (!array && p->at.depth == 2 * open + 2 && (open == 0 || p->at.inner == NODE_CHILDREN)) {
        p->at.inner = NODE_OTHER;
        p->at.members |= 1U << MEMBER_NODES;
        return profile_open_node(p);
    }
    if (array && open > 0 && p->at.depth == 2 * open + 1 && p->at.inner == NODE_CHILDREN) {
        return TS_OK;
    }
    p->at.skip = 1;
    if (p->at.depth == 2 * open + 2) { /* an element of children */
        return profile_odd_node(p);
    }
    odd_number(p);
    return TS_OK;
}

static ts_code profile_begin_value(ts_profile *p, bool array, int *want)
{
    bool known = false;
    p->at.depth++;
    if (p->at.skip > 0) {
        p->at.skip++;
        return TS_OK;
    }
    if (p->at.depth == 1) {
        known = !array;
    } else if (p->at.member == MEMBER_HEAD) {
        return begin_in_head(p, array);
    } else if (p->at.depth == 2) {
        known = array && p->at.member != MEMBER_OTHER;
        p->at.absolute = p->at.absolute || (known && p->at.member == MEMBER_TIMES);
        *want = known && p->at.member != MEMBER_NODES ? TS_JSON_WANT_INTS : TS_JSON_PLAIN;
        p->at.members |= known ? list_bit(p) : 0U;
    } else if (p->at.depth == 3) {
        known = p->at.member == MEMBER_NODES && !array;
        if (known) {
            profile_begin_node(p);
            p->at.inner = NODE_OTHER;
        }
    } else if (p->at.depth == 4 && p->at.inner == NODE_CHILDREN && array) {
        known = true;
        *want = TS_JSON_WANT_INTS;
    } else if (p->at.depth == 4 && p->at.inner == NODE_FRAME && !array) {
        known = true;
        p->nodes.now.flags |= NODE_HAS_FRAME;
    }
    if (known) {
        return TS_OK;
    }
    p->at.skip = 1;
    if (p->at.depth == 3) {
        return odd_element(p);
    }
    if (p->at.depth > 3) {
        odd_number(p);
    }
    return TS_OK;
}

static ts_code profile_end_value(ts_profile *p)
{
    p->at.depth--;
    if (p->at.skip > 0) {
        p->at.skip--;
        return TS_OK;
    }
    if (p->at.depth == 0) {
        p->done = true;
    } else if (p->at.member == MEMBER_HEAD) {
        const bool node = p->at.depth % 2 == 1;
        p->at.inner = node && p->at.depth > 1 ? NODE_CHILDREN : NODE_OTHER;
        return node ? profile_close_node(p) : TS_OK;
    } else if (p->at.depth == 1) {
        p->at.closed |= list_bit(p);
    } else if (p->at.depth == 2) {
        return profile_keep_node(p);
    } else if (p->at.depth == 3) {
        p->at.inner = NODE_OTHER;
    }
    return TS_OK;
}

static ts_code profile_on_object_begin(void *user)
{
    int want = TS_JSON_PLAIN;
    return profile_begin_value(user, false, &want);
}

static ts_code profile_on_array_begin(void *user, int *want)
{
    return profile_begin_value(user, true, want);
}

static ts_code profile_on_end(void *user)
{
    return profile_end_value(user);
}

/* --- numbers -------------------------------------------------------------------------------- */

/* An element of an array that is not what it should be. */
static ts_code odd_element(ts_profile *p)
{
    switch (p->at.member) {
    case MEMBER_NODES:
        return profile_odd_node(p);
    case MEMBER_SAMPLES:
        p->bad_numbers++;
        return ts_intvec_push(p->ctx, &p->samples.ids, PROFILE_NULL);
    case MEMBER_DELTAS:
    case MEMBER_TIMES:
        p->samples.deltas_bad++;
        return profile_add_delta(p->ctx, &p->samples, TS_NO_TIME);
    default:
        return TS_OK;
    }
}

static ts_code profile_on_ints(void *user, const int64_t *v, size_t n)
{
    ts_profile *p = user;
    if (p->at.skip > 0) {
        return TS_OK;
    }
    if (p->at.depth == 4) {
        p->nodes.now.child_count += (uint32_t)n;
        return ts_intvec_push_many(p->ctx, &p->nodes.children, v, n);
    }
    if (p->at.member == MEMBER_TIMES) {
        return profile_add_times(p->ctx, &p->samples, v, n);
    }
    return p->at.member == MEMBER_SAMPLES ? ts_intvec_push_many(p->ctx, &p->samples.ids, v, n)
                                          : profile_add_deltas(p->ctx, &p->samples, v, n);
}

static void node_number(ts_profile *p, const ts_json_number *number)
{
    cpu_node *node = &p->nodes.now;
    uint32_t flag = p->at.inner == NODE_ID        ? NODE_HAS_ID
                    : p->at.inner == NODE_HITS    ? NODE_HAS_HITS
                    : p->at.inner == NODE_PARENT  ? NODE_HAS_PARENT_ID
                    : p->at.inner == FRAME_LINE   ? NODE_HAS_LINE
                    : p->at.inner == FRAME_COLUMN ? NODE_HAS_COLUMN
                                                  : 0;
    if (flag == 0 || !number->is_int) {
        odd_number(p);
        return;
    }
    node->flags |= flag;
    switch (p->at.inner) {
    case NODE_ID:
        node->id = number->i;
        break;
    case NODE_HITS:
        node->hits = number->i;
        break;
    case NODE_PARENT:
        node->parent_id = number->i;
        break;
    case FRAME_LINE:
        node->line = number->i;
        break;
    default:
        node->column = number->i;
        break;
    }
}

/* TS_NO_TIME for what does not fit. */
static int64_t rounded(const ts_json_number *number)
{
    return number->d >= 9.2e18 || number->d <= -9.2e18 ? TS_NO_TIME : llround(number->d);
}

/* False for a time that does not fit, which is a bad number. */
static bool keep_time(ts_profile *p, int64_t *us, int64_t v)
{
    bool fits = v != TS_NO_TIME;
    *us = fits ? v : 0;
    p->bad_numbers += fits ? 0 : 1;
    return fits;
}

/* Times are rounded to whole µs: some runtimes write fractions. */
static ts_code top_number(ts_profile *p, const ts_json_number *number)
{
    int64_t v = number->is_int ? number->i : rounded(number);
    if (strcmp(p->at.key, "startTime") == 0) {
        p->start_s = number->d;
        p->has_start = keep_time(p, &p->start_us, v);
        return TS_OK;
    }
    if (strcmp(p->at.key, "endTime") == 0) {
        p->end_s = number->d;
        p->has_end = keep_time(p, &p->end_us, v);
        return TS_OK;
    }
    for (size_t i = 0; i < FIGURES; i++) {
        if (strcmp(p->at.key, figures[i].key) == 0) {
            if (v == TS_NO_TIME) {
                p->bad_numbers++;
                return TS_OK;
            }
            memcpy((char *)&p->row + figures[i].offset, &v, sizeof v);
            p->row.null &= ~figures[i].bit;
            return TS_OK;
        }
    }
    if (p->at.properties >= MAX_PROPERTIES) {
        return TS_OK;
    }
    p->at.properties++;
    return ts_source_property(p->store, p->source_id, p->at.key, (ts_text){number->p, number->n});
}

static ts_code keep_script(ts_profile *p, ts_text text)
{
    return profile_text_keep(p, &p->nodes.now.script, text);
}

/* Members of a node of head are where a callFrame is in one of nodes. */
static uint64_t value_depth(const ts_profile *p)
{
    return p->at.member == MEMBER_HEAD && p->at.depth > 1 ? 4 : p->at.depth;
}

static ts_code profile_on_number(void *user, const ts_json_number *number)
{
    ts_profile *p = user;
    if (p->at.skip > 0 || p->at.depth == 0) {
        return TS_OK;
    }
    if (p->at.depth == 1) {
        return top_number(p, number);
    }
    if (value_depth(p) == 4 && p->at.inner == FRAME_SCRIPT) {
        return keep_script(p, (ts_text){number->p, number->n});
    }
    if (value_depth(p) == 4 && p->at.inner == NODE_CHILDREN) {
        p->bad_numbers++;
        return TS_OK;
    }
    if (value_depth(p) >= 3) {
        node_number(p, number);
        return TS_OK;
    }
    if (p->at.member == MEMBER_DELTAS) {
        p->samples.deltas_bad++;
        return profile_add_delta(p->ctx, &p->samples, rounded(number));
    }
    if (p->at.member == MEMBER_TIMES) {
        const int64_t us = rounded(number);
        return profile_add_times(p->ctx, &p->samples, &us, 1);
    }
    return odd_element(p);
}

static ts_code profile_on_literal(void *user, ts_json_kind kind)
{
    ts_profile *p = user;
    (void)kind;
    if (p->at.skip > 0) {
        return TS_OK;
    }
    if (value_depth(p) == 2) {
        return odd_element(p);
    }
    /* Only children may be null. */
    if (value_depth(p) == 4 || (p->at.depth == 3 && p->at.inner != NODE_CHILDREN)) {
        odd_number(p);
    }
    return TS_OK;
}

/* --- texts ---------------------------------------------------------------------------------- */

static ts_code keep_text(ts_profile *p, ts_text text)
{
    if (p->at.depth == 1) {
        if (strcmp(p->at.key, "title") == 0) {
            p->row.null &= ~TS_NULL_BIT(js_cpu_profile, title);
            return ts_source_text(p->store, p->source_id, &p->row.title, text.p, text.n);
        }
        return TS_OK;
    }
    switch (p->at.inner) {
    case FRAME_NAME:
        return profile_text_keep(p, &p->nodes.now.name, text);
    case FRAME_MODULE:
        return profile_text_keep(p, &p->nodes.now.module, text);
    case FRAME_URL:
        return profile_text_keep(p, &p->nodes.now.url, text);
    default:
        return keep_script(p, text);
    }
}

static bool text_wanted(const ts_profile *p)
{
    if (p->at.depth == 1) {
        return p->at.member == MEMBER_OTHER;
    }
    return value_depth(p) == 4 && (p->at.inner == FRAME_NAME || p->at.inner == FRAME_MODULE ||
                                   p->at.inner == FRAME_URL || p->at.inner == FRAME_SCRIPT);
}

static ts_code profile_on_string(void *user, const char *s, size_t n, unsigned flags)
{
    ts_profile *p = user;
    ts_text text;
    bool whole;
    ts_code code;
    if (p->at.skip > 0) {
        return TS_OK;
    }
    if (!text_wanted(p)) {
        if ((flags & TS_JSON_FIRST) == 0) {
            return TS_OK;
        }
        if (value_depth(p) >= 3) {
            odd_number(p);
        }
        return value_depth(p) == 2 ? odd_element(p) : TS_OK;
    }
    code = profile_text_piece(p, &text, &whole, s, n, flags);
    return code != TS_OK || !whole ? code : keep_text(p, text);
}

static const ts_json_handler profile_handler = {
    .object_begin = profile_on_object_begin,
    .object_end = profile_on_end,
    .array_begin = profile_on_array_begin,
    .array_end = profile_on_end,
    .key = profile_on_key,
    .string = profile_on_string,
    .number = profile_on_number,
    .literal = profile_on_literal,
    .ints = profile_on_ints,
};

const ts_json_handler *ts_profile_handler(void)
{
    return &profile_handler;
}

void profile_clear_figures(ts_row_js_cpu_profile *row)
{
    row->null |= TS_NULL_BIT(js_cpu_profile, title);
    for (size_t i = 0; i < FIGURES; i++) {
        row->null |= figures[i].bit;
    }
}
