/* A profile from its JSON events: figures, nodes, samples. */
#include "parsers/arkts/profile/profile_state.h"

#include <math.h>
#include <stdio.h>

enum { MAX_PROPERTIES = 32 };

/* Objects and lists of the text. A node of `head` has the nodes that it calls inside of it. */
enum {
    AT_TOP = 1,
    AT_FRAME,
    AT_NODE,
    AT_CHILDREN,
    AT_NODES,
    AT_HEAD,
    AT_HEAD_CHILDREN,
    AT_SAMPLES,
    AT_DELTAS,
    AT_TIMES
};

_Static_assert(TS_N_js_cpu_profile <= 32, "the bit of a column fits a flag");

/* A figure that has a column of its own. */
#define FIGURE(name, column)                                                                       \
    {                                                                                              \
        AT_TOP, TS_JSON_NUMBER | TS_JSON_TEXT,                                                     \
            .key = (name), .offset = offsetof(ts_row_js_cpu_profile, column),                      \
            .flag = (uint32_t)TS_NULL_BIT(js_cpu_profile, column)                                  \
    }
#define LIST(name, place, in_ints)                                                                 \
    {                                                                                              \
        AT_TOP, TS_JSON_LIST | TS_JSON_NUMBER, .key = (name), .to = (place), .ints = (in_ints)     \
    }
#define NODE_INT(place, name, column, has)                                                         \
    {                                                                                              \
        place, TS_JSON_INT, .key = (name), .offset = offsetof(cpu_node, column), .flag = (has)     \
    }
#define FRAME_TEXT(place, name, column, also)                                                      \
    {                                                                                              \
        place, TS_JSON_TEXT | (also), .key = (name), .offset = offsetof(cpu_node, column)          \
    }
#define NODE_NUMBERS(place)                                                                        \
    NODE_INT(place, "id", id, NODE_HAS_ID), NODE_INT(place, "hitCount", hits, NODE_HAS_HITS),      \
        NODE_INT(place, "parent", parent_id, NODE_HAS_PARENT_ID)
#define FRAME(place)                                                                               \
    FRAME_TEXT(place, "functionName", name, 0),                                                    \
        FRAME_TEXT(place, "scriptId", script, TS_JSON_NUMBER), FRAME_TEXT(place, "url", url, 0),   \
        NODE_INT(place, "lineNumber", line, NODE_HAS_LINE),                                        \
        NODE_INT(place, "columnNumber", column, NODE_HAS_COLUMN),                                  \
        FRAME_TEXT(place, "moduleName", module, 0)

static const uint32_t title_bit = (uint32_t)TS_NULL_BIT(js_cpu_profile, title);
static const ts_json_field fields[] = {
    {0, TS_JSON_OBJECT, .to = AT_TOP},
    FRAME(AT_FRAME),
    NODE_NUMBERS(AT_NODE),
    {AT_NODE, TS_JSON_OBJECT, .key = "callFrame", .to = AT_FRAME},
    {AT_NODE, TS_JSON_LIST, .key = "children", .to = AT_CHILDREN, .ints = true},
    {AT_NODE, 0, .key = "positionTicks", .flag = NODE_TICKS},
    {AT_CHILDREN, 0, .key = NULL},
    {AT_NODES, TS_JSON_OBJECT, .to = AT_NODE},
    NODE_NUMBERS(AT_HEAD),
    FRAME(AT_HEAD),
    {AT_HEAD, TS_JSON_LIST, .key = "children", .to = AT_HEAD_CHILDREN},
    {AT_HEAD_CHILDREN, TS_JSON_OBJECT, .to = AT_HEAD},
    {AT_SAMPLES, 0, .key = NULL},
    {AT_DELTAS, TS_JSON_NUMBER, .key = NULL},
    {AT_TIMES, TS_JSON_NUMBER, .key = NULL},
    LIST("nodes", AT_NODES, false),
    LIST("samples", AT_SAMPLES, true),
    LIST("timeDeltas", AT_DELTAS, true),
    LIST("timestampDeltas", AT_DELTAS, true), /* of Node.js 6 */
    LIST("timestamps", AT_TIMES, true),       /* of old V8, in the place of deltas */
    {AT_TOP, TS_JSON_OBJECT | TS_JSON_NUMBER, .key = "head", .to = AT_HEAD}, /* of old V8 */
    FIGURE("title", title),
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
    {AT_TOP, TS_JSON_NUMBER | TS_JSON_TEXT, .key = "startTime"},
    {AT_TOP, TS_JSON_NUMBER | TS_JSON_TEXT, .key = "endTime"},
    {AT_TOP, TS_JSON_NUMBER | TS_JSON_TEXT, .key = "*"},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

void profile_clear_figures(ts_row_js_cpu_profile *row)
{
    for (size_t i = 0; i < FIELDS; i++) {
        row->null |= fields[i].at == AT_TOP ? fields[i].flag : 0;
    }
}

/* --- levels --------------------------------------------------------------------------------- */

/* Times take the place of those between them. */
static unsigned list_of(unsigned place)
{
    return place == AT_NODES || place == AT_HEAD     ? LIST_NODES
           : place == AT_SAMPLES                     ? LIST_SAMPLES
           : place == AT_DELTAS || place == AT_TIMES ? LIST_DELTAS
                                                     : 0;
}

static ts_code on_begin(void *user, bool *take, unsigned place)
{
    ts_profile *p = user;
    (void)take;
    p->lists |= list_of(place);
    p->absolute = p->absolute || place == AT_TIMES;
    if (place == AT_NODE) {
        profile_begin_node(p);
    }
    p->nodes.now.flags |= place == AT_FRAME ? NODE_HAS_FRAME : 0U;
    return place == AT_HEAD ? profile_open_node(p) : TS_OK;
}

static ts_code on_end(void *user, unsigned place)
{
    ts_profile *p = user;
    p->done = p->done || place == AT_TOP;
    p->closed |= place == AT_HEAD ? 0 : list_of(place);
    return place == AT_NODE   ? profile_keep_node(p)
           : place == AT_HEAD ? profile_close_node(p)
                              : TS_OK;
}

/* Something else is where a number or a node should be. */
static ts_code on_odd(void *user, unsigned kind)
{
    ts_profile *p = user;
    const ts_json_field *field = p->in.field;
    switch (p->in.at) {
    case AT_NODES:
        return profile_odd_node(p);
    case AT_HEAD_CHILDREN:
        p->bad_numbers += kind == TS_JSON_LIST ? 0 : 1;
        return kind == TS_JSON_LIST ? profile_odd_node(p) : TS_OK;
    case AT_SAMPLES:
        p->bad_numbers++;
        return ts_intvec_push(p->ctx, &p->samples.ids, PROFILE_NULL);
    case AT_DELTAS:
    case AT_TIMES:
        p->samples.deltas_bad++;
        return profile_add_delta(p->ctx, &p->samples, TS_NO_TIME);
    case AT_CHILDREN:
        p->bad_numbers++;
        return TS_OK;
    default:
        break;
    }
    if (field == NULL || p->in.at == AT_TOP) {
        return TS_OK;
    }
    p->nodes.ticks = p->nodes.ticks || field->flag == NODE_TICKS;
    p->nodes.now.flags |= field->flag == NODE_HAS_HITS ? NODE_BAD_HITS : 0U;
    p->bad_numbers +=
        (field->kinds & TS_JSON_INT) != 0 ||
        /* Of children, only those of a node in the list may be null. */
        ((field->kinds & TS_JSON_LIST) != 0 && (kind != TS_JSON_LITERAL || p->in.at == AT_HEAD));
    return TS_OK;
}

/* --- numbers -------------------------------------------------------------------------------- */

static ts_code on_ints(void *user, const int64_t *v, size_t n)
{
    ts_profile *p = user;
    switch (p->in.at) {
    case AT_CHILDREN:
        p->nodes.now.child_count += (uint32_t)n;
        return ts_intvec_push_many(p->ctx, &p->nodes.children, v, n);
    case AT_TIMES:
        return profile_add_times(p->ctx, &p->samples, v, n);
    case AT_SAMPLES:
        return ts_intvec_push_many(p->ctx, &p->samples.ids, v, n);
    default:
        return profile_add_deltas(p->ctx, &p->samples, v, n);
    }
}

static void *target(uint32_t **flags, void *user)
{
    ts_profile *p = user;
    *flags = &p->nodes.now.flags;
    return &p->nodes.now;
}

/* TS_NO_TIME for what does not fit. */
static int64_t rounded(const ts_json_number *number)
{
    return number->d >= 9.2e18 || number->d <= -9.2e18 ? TS_NO_TIME : llround(number->d);
}

/* Times are rounded to whole µs: some runtimes write fractions. */
static ts_code top_number(ts_profile *p, const ts_json_number *number)
{
    const ts_json_field *field = p->in.field;
    const int64_t v = number->is_int ? number->i : rounded(number);
    const bool start = strcmp(field->key, "startTime") == 0;
    const bool time = start || strcmp(field->key, "endTime") == 0;
    const bool figure = field->flag != 0 && field->flag != title_bit;
    const ts_text key = *field->key == '*' ? ts_buf_text(&p->in.key) : ts_text_of(field->key);
    char name[64];
    if (time) {
        *(start ? &p->start_s : &p->end_s) = number->d;
        *(start ? &p->start_us : &p->end_us) = v != TS_NO_TIME ? v : 0;
        *(start ? &p->has_start : &p->has_end) = v != TS_NO_TIME;
    }
    if (time || figure) {
        p->bad_numbers += v == TS_NO_TIME;
    }
    if (figure && v != TS_NO_TIME) {
        memcpy((char *)&p->row + field->offset, &v, sizeof v);
        p->row.null &= ~(uint64_t)field->flag;
    }
    if (time || figure || p->properties >= MAX_PROPERTIES) {
        return TS_OK;
    }
    p->properties++;
    snprintf(name, sizeof name, "%.*s", (int)key.n, key.p);
    return ts_source_property(p->store, p->source_id, name, (ts_text){number->p, number->n});
}

static ts_code keep_text(ts_profile *p, ts_text text)
{
    uint32_t id;
    TS_TRY(profile_text_keep(p, &id, text));
    memcpy((char *)&p->nodes.now + p->in.field->offset, &id, sizeof id);
    return TS_OK;
}

static ts_code on_number(void *user, const ts_json_number *number)
{
    ts_profile *p = user;
    const int64_t v = rounded(number);
    switch (p->in.at) {
    case AT_TOP:
        return top_number(p, number);
    case AT_DELTAS:
        p->samples.deltas_bad++;
        return profile_add_delta(p->ctx, &p->samples, v);
    case AT_TIMES:
        return profile_add_times(p->ctx, &p->samples, &v, 1);
    default:
        return keep_text(p, (ts_text){number->p, number->n});
    }
}

/* --- texts ---------------------------------------------------------------------------------- */

static ts_code on_text(void *user, const char *s, size_t n, unsigned flags)
{
    ts_profile *p = user;
    ts_text text;
    bool whole;
    ts_code code = profile_text_piece(p, &text, &whole, s, n, flags);
    if (code != TS_OK || !whole || (p->in.at == AT_TOP && p->in.field->flag != title_bit)) {
        return code;
    }
    if (p->in.at != AT_TOP) {
        return keep_text(p, text);
    }
    p->row.null &= ~(uint64_t)title_bit;
    return ts_source_text(p->store, p->source_id, &p->row.title, text.p, text.n);
}

const ts_json_table profile_table = {
    .fields = fields,
    .count = FIELDS,
    .begin = on_begin,
    .end = on_end,
    .target = target,
    .number = on_number,
    .text = on_text,
    .ints = on_ints,
    .odd = on_odd,
};
