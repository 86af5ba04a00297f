#include "parsers/arkts/profile_impl.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>

enum { MAX_PROPERTIES = 32, MAX_TEXT = 1 << 20 };

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
    n = n < sizeof p->key ? n : sizeof p->key - 1;
    memcpy(p->key, key, n);
    p->key[n] = '\0';
}

static enum profile_member member_of(const char *key)
{
    return strcmp(key, "nodes") == 0        ? MEMBER_NODES
           : strcmp(key, "samples") == 0    ? MEMBER_SAMPLES
           : strcmp(key, "timeDeltas") == 0 ? MEMBER_DELTAS
                                            : MEMBER_OTHER;
}

static enum node_member inner_of(const char *key, bool in_frame)
{
    static const struct {
        const char *key;
        bool in_frame;
        enum node_member member;
    } keys[] = {
        {"id", false, NODE_ID},           {"callFrame", false, NODE_FRAME},
        {"hitCount", false, NODE_HITS},   {"children", false, NODE_CHILDREN},
        {"parent", false, NODE_PARENT},   {"functionName", true, FRAME_NAME},
        {"scriptId", true, FRAME_SCRIPT}, {"url", true, FRAME_URL},
        {"lineNumber", true, FRAME_LINE}, {"columnNumber", true, FRAME_COLUMN},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (keys[i].in_frame == in_frame && strcmp(keys[i].key, key) == 0) {
            return keys[i].member;
        }
    }
    return NODE_OTHER;
}

/* Depths: 1 the profile, 2 one of its arrays, 3 a node, 4 its callFrame or children. */
static ts_code on_key(void *user, const char *key, size_t n)
{
    ts_profile *p = user;
    if (p->skip > 0) {
        return TS_OK;
    }
    keep_key(p, key, n);
    if (p->depth == 1) {
        p->member = member_of(p->key);
    } else {
        p->inner = inner_of(p->key, p->depth == 4);
        p->ticks = p->ticks || (p->depth == 3 && strcmp(p->key, "positionTicks") == 0);
    }
    return TS_OK;
}

static void begin_node(ts_profile *p)
{
    p->now = (cpu_node){.parent = NO_INDEX, .first_child = p->children.n};
    p->inner = NODE_OTHER;
}

static ts_code odd_element(ts_profile *p);

/* Something else stands in the place of one of a node's numbers. */
static void odd_number(ts_profile *p)
{
    bool number = p->inner == NODE_ID || p->inner == NODE_HITS || p->inner == NODE_PARENT ||
                  p->inner == NODE_CHILDREN || p->inner == FRAME_LINE || p->inner == FRAME_COLUMN;
    p->bad_numbers += number ? 1 : 0;
    p->now.flags |= p->inner == NODE_HITS ? NODE_BAD_HITS : 0U;
}

static ts_code begin(ts_profile *p, bool array, int *want)
{
    bool known = false;
    p->depth++;
    if (p->skip > 0) {
        p->skip++;
        return TS_OK;
    }
    if (p->depth == 1) {
        known = !array;
    } else if (p->depth == 2) {
        known = array && p->member != MEMBER_OTHER;
        *want = known && p->member != MEMBER_NODES ? TS_JSON_WANT_INTS : TS_JSON_PLAIN;
        p->members |= known ? 1U << p->member : 0U;
    } else if (p->depth == 3) {
        known = p->member == MEMBER_NODES && !array;
        if (known) {
            begin_node(p);
        }
    } else if (p->depth == 4 && p->inner == NODE_CHILDREN && array) {
        known = true;
        *want = TS_JSON_WANT_INTS;
    } else if (p->depth == 4 && p->inner == NODE_FRAME && !array) {
        known = true;
        p->now.flags |= NODE_HAS_FRAME;
    }
    if (known) {
        return TS_OK;
    }
    p->skip = 1;
    if (p->depth == 3) {
        return odd_element(p);
    }
    if (p->depth > 3) {
        odd_number(p);
    }
    return TS_OK;
}

static ts_code end(ts_profile *p)
{
    p->depth--;
    if (p->skip > 0) {
        p->skip--;
        return TS_OK;
    }
    if (p->depth == 0) {
        p->done = true;
    } else if (p->depth == 1) {
        p->closed |= 1U << p->member;
    } else if (p->depth == 2) {
        return profile_keep_node(p);
    } else if (p->depth == 3) {
        p->inner = NODE_OTHER;
    }
    return TS_OK;
}

static ts_code on_object_begin(void *user)
{
    int want = TS_JSON_PLAIN;
    return begin(user, false, &want);
}

static ts_code on_array_begin(void *user, int *want)
{
    return begin(user, true, want);
}

static ts_code on_end(void *user)
{
    return end(user);
}

/* --- numbers -------------------------------------------------------------------------------- */

static ts_code push_delta(ts_profile *p, int64_t v)
{
    p->negative = p->negative || (v < 0 && v != TS_NO_TIME);
    return ts_intvec_push(p->ctx, &p->deltas, v);
}

/* An element of an array that is not what it should be. */
static ts_code odd_element(ts_profile *p)
{
    switch (p->member) {
    case MEMBER_NODES:
        p->nodes_seen++;
        p->nodes_lost++;
        return ts_issue(p->store, p->source_id, TS_ISSUE_cpu_bad_node, p->name, p->offset,
                        "an element of nodes is no object");
    case MEMBER_SAMPLES:
        p->bad_numbers++;
        return ts_intvec_push(p->ctx, &p->samples, PROFILE_NULL);
    case MEMBER_DELTAS:
        p->deltas_bad++;
        return push_delta(p, TS_NO_TIME);
    default:
        return TS_OK;
    }
}

static ts_code on_ints(void *user, const int64_t *v, size_t n)
{
    ts_profile *p = user;
    ts_code code = TS_OK;
    if (p->skip > 0) {
        return TS_OK;
    }
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        if (p->depth == 4) {
            code = ts_intvec_push(p->ctx, &p->children, v[i]);
            p->now.child_count++;
        } else {
            code = p->member == MEMBER_SAMPLES ? ts_intvec_push(p->ctx, &p->samples, v[i])
                                               : push_delta(p, v[i]);
        }
    }
    return code;
}

static void node_number(ts_profile *p, const ts_json_number *number)
{
    cpu_node *node = &p->now;
    uint32_t flag = p->inner == NODE_ID        ? NODE_HAS_ID
                    : p->inner == NODE_HITS    ? NODE_HAS_HITS
                    : p->inner == NODE_PARENT  ? NODE_HAS_PARENT_ID
                    : p->inner == FRAME_LINE   ? NODE_HAS_LINE
                    : p->inner == FRAME_COLUMN ? NODE_HAS_COLUMN
                                               : 0;
    if (flag == 0 || !number->is_int) {
        odd_number(p);
        return;
    }
    node->flags |= flag;
    switch (p->inner) {
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

/* Times are rounded to whole µs: some runtimes write fractions. */
static ts_code profile_number(ts_profile *p, const ts_json_number *number)
{
    int64_t v = number->is_int ? number->i : rounded(number);
    if (strcmp(p->key, "startTime") == 0) {
        p->has_start = v != TS_NO_TIME;
        p->start_us = p->has_start ? v : 0;
        p->bad_numbers += p->has_start ? 0 : 1;
        return TS_OK;
    }
    if (strcmp(p->key, "endTime") == 0) {
        p->has_end = v != TS_NO_TIME;
        p->end_us = p->has_end ? v : 0;
        p->bad_numbers += p->has_end ? 0 : 1;
        return TS_OK;
    }
    for (size_t i = 0; i < FIGURES; i++) {
        if (strcmp(p->key, figures[i].key) == 0) {
            if (v == TS_NO_TIME) {
                p->bad_numbers++;
                return TS_OK;
            }
            memcpy((char *)&p->row + figures[i].offset, &v, sizeof v);
            p->row.null &= ~figures[i].bit;
            return TS_OK;
        }
    }
    if (p->properties >= MAX_PROPERTIES) {
        return TS_OK;
    }
    p->properties++;
    return ts_source_property(p->store, p->source_id, p->key, (ts_text){number->p, number->n});
}

/* Long texts wait in a file: a profile may have a long one for each of its nodes. */
static ts_code keep_name(ts_profile *p, uint32_t *id, ts_text text)
{
    char key[TS_POOL_KEY];
    ts_text kept = ts_pool_key(key, p->ctx, text);
    uint64_t at = 0;
    bool added;
    ts_code code = ts_pool_intern(p->ctx, id, &added, &p->texts, kept);
    if (code == TS_OK && added && kept.p == key) {
        if (p->spool == NULL && (code = ts_spool_new(&p->spool, p->ctx)) != TS_OK) {
            return code;
        }
        at = ts_spool_size(p->spool);
        code = ts_spool_write(p->spool, text.p, text.n);
    }
    return code != TS_OK || !added ? code : ts_intvec_push(p->ctx, &p->text_at, (int64_t)at);
}

ts_code profile_text(ts_profile *p, ts_text *out, ts_buf *room, uint32_t id)
{
    uint64_t at = (uint64_t)ts_intvec_get(&p->text_at, id);
    uint64_t n;
    size_t got = 0;
    ts_code code;
    *out = ts_pool_text(&p->texts, id);
    if (!ts_pool_is_key(&n, *out)) {
        return TS_OK;
    }
    room->n = 0;
    if ((code = ts_buf_reserve(p->ctx, room, (size_t)n)) != TS_OK ||
        (code = ts_spool_read(&got, p->spool, at, room->p, (size_t)n)) != TS_OK) {
        return code;
    }
    if (got != n) {
        return ts_fail(p->ctx, TS_ERR_INTERNAL, "a temporary file became shorter");
    }
    *out = (ts_text){room->p, (size_t)n};
    return TS_OK;
}

static ts_code keep_script(ts_profile *p, ts_text text)
{
    return keep_name(p, &p->now.script, text);
}

static ts_code on_number(void *user, const ts_json_number *number)
{
    ts_profile *p = user;
    if (p->skip > 0 || p->depth == 0) {
        return TS_OK;
    }
    if (p->depth == 1) {
        return profile_number(p, number);
    }
    if (p->depth == 4 && p->inner == FRAME_SCRIPT) {
        return keep_script(p, (ts_text){number->p, number->n});
    }
    if (p->depth == 4 && p->inner == NODE_CHILDREN) {
        p->bad_numbers++;
        return TS_OK;
    }
    if (p->depth >= 3) {
        node_number(p, number);
        return TS_OK;
    }
    if (p->member == MEMBER_DELTAS) {
        p->deltas_bad++;
        return push_delta(p, rounded(number));
    }
    return odd_element(p);
}

static ts_code on_literal(void *user, ts_json_kind kind)
{
    ts_profile *p = user;
    (void)kind;
    if (p->skip > 0) {
        return TS_OK;
    }
    if (p->depth == 2) {
        return odd_element(p);
    }
    /* Only children may be null. */
    if (p->depth == 4 || (p->depth == 3 && p->inner != NODE_CHILDREN)) {
        odd_number(p);
    }
    return TS_OK;
}

/* --- texts ---------------------------------------------------------------------------------- */

static ts_code keep_text(ts_profile *p, ts_text text)
{
    ts_code code;
    if (!ts_utf8_valid(text.p, text.n)) {
        p->clean.n = 0;
        code = ts_utf8_clean(p->ctx, &p->clean, &p->replaced, text.p, text.n);
        if (code != TS_OK) {
            return code;
        }
        text = ts_buf_text(&p->clean);
    }
    if (p->depth == 1) {
        if (strcmp(p->key, "title") == 0) {
            p->row.null &= ~TS_NULL_BIT(js_cpu_profile, title);
            return ts_source_text(p->store, p->source_id, &p->row.title, text.p, text.n);
        }
        return TS_OK;
    }
    switch (p->inner) {
    case FRAME_NAME:
        return keep_name(p, &p->now.name, text);
    case FRAME_URL:
        return keep_name(p, &p->now.url, text);
    default:
        return keep_script(p, text);
    }
}

static bool text_wanted(const ts_profile *p)
{
    if (p->depth == 1) {
        return p->member == MEMBER_OTHER;
    }
    return p->depth == 4 &&
           (p->inner == FRAME_NAME || p->inner == FRAME_URL || p->inner == FRAME_SCRIPT);
}

static ts_code on_string(void *user, const char *s, size_t n, unsigned flags)
{
    ts_profile *p = user;
    size_t room;
    ts_code code;
    if (p->skip > 0) {
        return TS_OK;
    }
    if (!text_wanted(p)) {
        if ((flags & TS_JSON_FIRST) == 0) {
            return TS_OK;
        }
        if (p->depth >= 3) {
            odd_number(p);
        }
        return p->depth == 2 ? odd_element(p) : TS_OK;
    }
    if ((flags & TS_JSON_FIRST) != 0) {
        p->text.n = 0;
        p->text_cut = false;
    }
    room = MAX_TEXT - p->text.n;
    p->text_cut = p->text_cut || n > room;
    code = ts_buf_put(p->ctx, &p->text, s, n < room ? n : room);
    if (code != TS_OK || (flags & TS_JSON_LAST) == 0) {
        return code;
    }
    if (p->text_cut) {
        p->texts_cut++;
        while (p->text.n > 0 && ((unsigned char)p->text.p[p->text.n - 1] & 0xC0) == 0x80) {
            p->text.n--;
        }
        p->text.n -= p->text.n > 0 && (unsigned char)p->text.p[p->text.n - 1] >= 0xC0 ? 1 : 0;
    }
    return keep_text(p, ts_buf_text(&p->text));
}

static const ts_json_handler profile_handler = {
    .object_begin = on_object_begin,
    .object_end = on_end,
    .array_begin = on_array_begin,
    .array_end = on_end,
    .key = on_key,
    .string = on_string,
    .number = on_number,
    .literal = on_literal,
    .ints = on_ints,
};

const ts_json_handler *ts_profile_handler(void)
{
    return &profile_handler;
}

/* --- life of a profile ---------------------------------------------------------------------- */

ts_code ts_profile_new(ts_profile **out, ts_ctx *ctx, ts_store *store, ts_profile_ids *ids)
{
    ts_profile *p = ts_zalloc(ctx, 1, sizeof *p);
    *out = p;
    if (p == NULL) {
        return ctx->error.code;
    }
    p->ctx = ctx;
    p->store = store;
    p->sink = ts_store_sink(store);
    p->ids = ids;
    return TS_OK;
}

static void clear(ts_profile *p)
{
    ts_free(p->ctx, p->nodes);
    ts_free(p->ctx, p->slots);
    p->nodes = NULL;
    p->slots = NULL;
    ts_intvec_free(p->ctx, &p->children);
    ts_intvec_free(p->ctx, &p->samples);
    ts_intvec_free(p->ctx, &p->deltas);
    ts_pool_free(p->ctx, &p->texts);
    ts_intvec_free(p->ctx, &p->text_at);
    ts_spool_free(p->spool);
    p->spool = NULL;
    ts_buf_free(p->ctx, &p->name_text);
    ts_buf_free(p->ctx, &p->url_text);
    ts_buf_free(p->ctx, &p->text);
    ts_buf_free(p->ctx, &p->clean);
    p->open = false;
}

void ts_profile_free(ts_profile *p)
{
    if (p != NULL) {
        clear(p);
        ts_free(p->ctx, p);
    }
}

ts_code ts_profile_begin(ts_profile *p, int64_t parent_source)
{
    ts_profile fresh = {.ctx = p->ctx, .store = p->store, .sink = p->sink, .ids = p->ids};
    uint32_t empty;
    ts_code code;
    *p = fresh;
    p->offset = TS_NO_OFFSET;
    p->id_offset = p->ids->any ? p->ids->max_id : 0;
    p->row.null = TS_NULL_BIT(js_cpu_profile, title);
    for (size_t i = 0; i < FIGURES; i++) {
        p->row.null |= figures[i].bit;
    }
    snprintf(p->name, sizeof p->name, "Profile%" PRIu64,
             ts_sink_rows(p->sink, TS_T_js_cpu_profile));
    code = keep_name(p, &empty, TS_TEXT_LIT(""));
    if (code == TS_OK) {
        code = ts_source_add(&p->source_id, p->store, parent_source, "cpu_profile", NULL,
                             "cpuprofile");
    }
    p->open = code == TS_OK;
    return code;
}

void ts_profile_broken(ts_profile *p, char c)
{
    p->broken = !p->done && c != '\0' && strchr("0123456789+-.,:[]{}\"", c) != NULL;
}

bool ts_profile_is_open(const ts_profile *p)
{
    return p->open;
}

int64_t ts_profile_source(const ts_profile *p)
{
    return p->source_id;
}

const char *ts_profile_name(const ts_profile *p)
{
    return p->name;
}

void ts_profile_at(ts_profile *p, int64_t offset)
{
    p->offset = offset;
}

bool ts_profile_complete(const ts_profile *p)
{
    return p->done;
}

/* --- the end -------------------------------------------------------------------------------- */

static profile_clock choose_clock(const ts_profile *p, const ts_profile_end *end_of)
{
    profile_clock clock = {.clock = TS_CLOCK_MONOTONIC, .base_us = p->start_us};
    if (end_of->relative) {
        clock.clock = TS_CLOCK_RELATIVE;
        clock.base_us = 0;
    } else if (end_of->clocks != NULL &&
               ts_clock_convert(&clock.offset_ns, end_of->clocks, TS_CLOCK_MONOTONIC,
                                TS_CLOCK_BOOTTIME, 0)) {
        clock.clock = TS_CLOCK_BOOTTIME;
        clock.unknown = end_of->clocks->doubted;
    }
    clock.unknown = clock.unknown || (!end_of->relative && !p->has_start);
    return clock;
}

/* Which samples --time-range asks for. */
static ts_code choose_span(ts_profile *p, const ts_profile_end *end_of, profile_clock *clock)
{
    uint64_t over = clock->over;
    int64_t begin = profile_time(clock, 0);
    clock->over = over; /* it is no time of a row */
    if ((begin != TS_NO_TIME || p->ctx->time_range.kind == TS_WANTED_ALL) &&
        ts_wanted_span(&clock->wanted, p->ctx, clock->clock, end_of->clocks, begin)) {
        return TS_OK;
    }
    return ts_issue(p->store, p->source_id, TS_ISSUE_time_range_unrelated, p->name, TS_NO_OFFSET,
                    "the times are in clock %s; all samples were imported",
                    ts_clock_name(clock->clock));
}

static ts_code note(ts_profile *p, ts_issue_code issue, uint64_t count, const char *text)
{
    return count == 0
               ? TS_OK
               : ts_issue_n(p->store, p->source_id, issue, p->name, p->offset, count, "%s", text);
}

static ts_code check_members(ts_profile *p)
{
    static const struct {
        enum profile_member member;
        const char *text;
    } members[] = {{MEMBER_NODES, "nodes is missing"},
                   {MEMBER_SAMPLES, "samples is missing"},
                   {MEMBER_DELTAS, "timeDeltas is missing"}};
    ts_code code = TS_OK;
    for (size_t i = 0; i < 3 && p->done && code == TS_OK; i++) {
        bool there = (p->members & 1U << members[i].member) != 0;
        code = note(p, TS_ISSUE_profile_field_missing, there ? 0 : 1, members[i].text);
    }
    return code;
}

static ts_code record_issues(ts_profile *p, const ts_profile_end *end_of,
                             const profile_clock *clock)
{
    ts_code code;
    if (clock->clock == TS_CLOCK_MONOTONIC && end_of->clocks != NULL &&
        end_of->clocks->at[TS_CLOCK_BOOTTIME] != 0) {
        code = note(p, TS_ISSUE_clock_missing, 1,
                    "the clock snapshot has no monotonic clock; the samples' times stay in it");
        if (code != TS_OK) {
            return code;
        }
    }
    if ((code = check_members(p)) == TS_OK &&
        (code = note(p, TS_ISSUE_profile_incomplete, p->done ? 0 : 1,
                     end_of->reason != NULL ? end_of->reason : "the profile is cut off")) ==
            TS_OK &&
        (code = note(p, TS_ISSUE_profile_no_start, p->has_start ? 0 : 1, "startTime is missing")) ==
            TS_OK &&
        (code = note(p, TS_ISSUE_profile_field_missing, p->has_end || !p->done ? 0 : 1,
                     "endTime is missing; the last sample lasts 0")) == TS_OK &&
        (code = note(p, TS_ISSUE_cpu_bad_number, p->bad_numbers,
                     "numbers that are none, or no integers, are NULL")) == TS_OK &&
        (code = note(p, TS_ISSUE_cpu_bad_number, p->deltas_bad,
                     "timeDeltas that are no integers were rounded; what is no number ends the "
                     "known times")) == TS_OK &&
        (code = note(p, TS_ISSUE_cpu_bad_number, p->ids_over,
                     "node ids that do not fit 64 bit with id_offset are NULL")) == TS_OK &&
        (code = note(p, TS_ISSUE_cpu_text_cut, p->texts_cut, "texts longer than 1 MiB were cut")) ==
            TS_OK &&
        (code = note(p, TS_ISSUE_cpu_bad_text, p->replaced,
                     "parts of names that are no text became U+FFFD")) == TS_OK &&
        (code = note(p, TS_ISSUE_cpu_field_missing, p->missing, "nodes without a callFrame")) ==
            TS_OK &&
        (code = note(p, TS_ISSUE_profile_ids_shifted, p->id_offset != 0 ? 1 : 0,
                     "node ids were shifted by id_offset")) == TS_OK) {
        code = note(p, TS_ISSUE_time_overflow, clock->over,
                    "times of the profile or its samples do not fit 64 bit nanoseconds");
    }
    return code;
}

static ts_code describe_source(ts_profile *p, const profile_clock *clock)
{
    ts_row_source *source = ts_source(p->store, p->source_id);
    const char *name = ts_clock_name(clock->clock);
    ts_code code;
    source->complete = p->done;
    if ((p->row.null & TS_NULL_BIT(js_cpu_profile, start_time)) == 0) {
        source->start_ts = p->row.start_time;
        source->null &= ~TS_NULL_BIT(source, start_ts);
    }
    if ((p->row.null & TS_NULL_BIT(js_cpu_profile, end_time)) == 0) {
        source->end_ts = p->row.end_time;
        source->null &= ~TS_NULL_BIT(source, end_ts);
    }
    code = ts_source_text(p->store, p->source_id, &source->name, p->name, strlen(p->name));
    return code != TS_OK
               ? code
               : ts_source_text(p->store, p->source_id, &source->clock, name, strlen(name));
}

static void fill_times(ts_profile *p, const ts_profile_end *end_of, profile_clock *clock)
{
    ts_row_js_cpu_profile *row = &p->row;
    int64_t length;
    if (ts_ckd_sub(&length, p->end_us, p->start_us)) {
        length = TS_NO_TIME;
    }
    row->start_time = p->has_start ? profile_time(clock, 0) : TS_NO_TIME;
    row->end_time = p->has_end ? profile_time(clock, length) : TS_NO_TIME;
    clock->over += p->has_end && length == TS_NO_TIME ? 1 : 0;
    row->started_ts = end_of->started_ts;
    row->reported_ts = end_of->reported_ts;
    if (row->start_time == TS_NO_TIME) {
        TS_SET_NULL(js_cpu_profile, row, start_time);
    }
    if (row->end_time == TS_NO_TIME) {
        TS_SET_NULL(js_cpu_profile, row, end_time);
    }
    if (!end_of->has_started) {
        TS_SET_NULL(js_cpu_profile, row, started_ts);
    }
    if (!end_of->has_reported) {
        TS_SET_NULL(js_cpu_profile, row, reported_ts);
    }
}

/* A profile's tid makes a thread; its process is that of the configuration. */
static ts_code find_thread(ts_profile *p, const ts_profile_end *end_of, int64_t *itid)
{
    int64_t ipid = -1;
    ts_code code = TS_OK;
    *itid = -1;
    if ((p->row.null & TS_NULL_BIT(js_cpu_profile, tid)) != 0) {
        return TS_OK;
    }
    if (end_of->pid >= 0) {
        code = ts_process(&ipid, p->store, p->source_id, end_of->pid);
    }
    return code != TS_OK ? code : ts_thread(itid, p->store, p->source_id, p->row.tid, ipid, "os");
}

ts_code ts_profile_finish(ts_profile *p, const ts_profile_end *end_of)
{
    profile_clock clock = choose_clock(p, end_of);
    uint64_t samples = ts_sink_rows(p->sink, TS_T_stack_sample);
    uint64_t nodes = ts_sink_rows(p->sink, TS_T_js_cpu_profiler_node);
    int64_t itid;
    char text[32];
    ts_code code;
    p->shifted = end_of->shifted;
    fill_times(p, end_of, &clock);
    if ((code = choose_span(p, end_of, &clock)) != TS_OK ||
        (code = find_thread(p, end_of, &itid)) != TS_OK || (code = profile_put_nodes(p)) != TS_OK ||
        (code = profile_put_samples(p, &clock, itid)) != TS_OK ||
        (code = record_issues(p, end_of, &clock)) != TS_OK) {
        goto out;
    }
    p->row.id = (int64_t)ts_sink_rows(p->sink, TS_T_js_cpu_profile) + 1;
    p->row.source_id = p->source_id;
    p->row.id_offset = p->id_offset;
    p->row.node_count = (int64_t)(ts_sink_rows(p->sink, TS_T_js_cpu_profiler_node) - nodes);
    p->row.sample_count = (int64_t)(ts_sink_rows(p->sink, TS_T_stack_sample) - samples);
    p->row.first_sample_id = (int64_t)samples + 1;
    if (p->row.sample_count == 0) {
        TS_SET_NULL(js_cpu_profile, &p->row, first_sample_id);
    }
    if (end_of->relative && p->has_start) {
        snprintf(text, sizeof text, "%" PRId64, p->start_us);
        code = ts_source_property(p->store, p->source_id, "startTime", ts_text_of(text));
    }
    if (code == TS_OK && (code = ts_put_js_cpu_profile(p->sink, &p->row)) == TS_OK) {
        code = describe_source(p, &clock);
    }
out:
    p->ids->any = true;
    ts_stack_release(p->store, p->source_id);
    clear(p);
    return code;
}
