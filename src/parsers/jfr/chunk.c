/*
 * A chunk: header, metadata, checkpoints, and the walk over its events.
 *
 * A chunk is in a spool or in memory, because metadata and pools follow the events that need them.
 * The header says where both are; where it is wrong, or the chunk is still being written, they are
 * found by a walk over all events (scan_events), whose work is limited for the recording
 * (scan_left). Checkpoints form a list from the last one back, each before the one that points to
 * it, so that following it ends. A chunk that is cut before its metadata borrows those of the chunk
 * before when version, encoding and clock agree; an event must then still fit its class byte by
 * byte.
 *
 * Events are walked twice: settings first, because samples may come before them. An event that
 * cannot be read ends the walk; what its header counts and the file lacks is reported as missing.
 * Ticks become ns with 128 bits, and a time beyond 64 bits is TS_NO_TIME.
 */
#include "parsers/jfr/chunk.h"

#include <inttypes.h>

enum {
    NS_PER_SECOND = 1000000000,
    MAX_EVENT = 64 << 20,      /* bytes that are held at once */
    MAX_CHECKPOINTS = 1 << 20, /* of a chunk */
    HEAD_BYTES = 18,           /* size and type, compressed; 12 of fixed width */
    TYPE_METADATA = 0,
    TYPE_CHECKPOINT = 1
};

static ts_code issue_at(const jfr_chunk *c, ts_issue_code issue, uint64_t pos, const char *what)
{
    return ts_issue(c->rec->store, c->rec->source_id, issue, NULL, (int64_t)(c->offset + pos), "%s",
                    what);
}

/* --- header --------------------------------------------------------------------------------- */

const uint8_t jfr_magic[JFR_MAGIC] = {'F', 'L', 'R', 0, 0, 2};

void jfr_header_read(jfr_header *h, const uint8_t *p)
{
    jfr_reader r = {p + 4, p + JFR_HEADER, false, false};
    h->major = (uint16_t)jfr_fixed(&r, 2);
    h->minor = (uint16_t)jfr_fixed(&r, 2);
    h->size = (int64_t)jfr_fixed(&r, 8);
    h->checkpoint = (int64_t)jfr_fixed(&r, 8);
    h->metadata = (int64_t)jfr_fixed(&r, 8);
    h->start_ns = (int64_t)jfr_fixed(&r, 8);
    h->duration_ns = (int64_t)jfr_fixed(&r, 8);
    h->start_ticks = (int64_t)jfr_fixed(&r, 8);
    h->ticks_per_second = (int64_t)jfr_fixed(&r, 8);
    h->state = (uint8_t)jfr_fixed(&r, 1);
    (void)jfr_fixed(&r, 2);
    h->flags = (uint8_t)jfr_fixed(&r, 1);
}

ts_code jfr_chunk_search(uint64_t *at, ts_window *v, uint64_t from)
{
    ts_code code = TS_OK;
    *at = v->size;
    while (from < v->size && code == TS_OK) {
        const uint8_t *p;
        size_t n;
        code = ts_window_get(&p, &n, v, from, JFR_MAGIC);
        if (code != TS_OK || n < JFR_MAGIC) {
            break;
        }
        const uint8_t *found = memmem(p, n, jfr_magic, JFR_MAGIC);
        if (found != NULL) {
            *at = from + (uint64_t)(found - p);
            break;
        }
        from += n - JFR_MAGIC + 1;
    }
    return code;
}

/* ticks in ns; most clocks count them already. Whole seconds and the rest: both products fit. */
static __int128 ticks_ns(const jfr_chunk *c, __int128 ticks)
{
    int64_t per_second = c->header.ticks_per_second;
    if (per_second == NS_PER_SECOND) {
        return ticks;
    }
    if (ticks <= INT64_MAX && ticks >= INT64_MIN && per_second <= INT64_MAX / NS_PER_SECOND) {
        int64_t seconds = (int64_t)ticks / per_second;
        int64_t rest = (int64_t)ticks % per_second;
        return (__int128)seconds * NS_PER_SECOND + rest * NS_PER_SECOND / per_second;
    }
    return ticks * NS_PER_SECOND / per_second;
}

int64_t jfr_ticks_span(const jfr_chunk *c, int64_t ticks)
{
    __int128 ns = ticks_ns(c, ticks);
    return ns > INT64_MAX || ns <= INT64_MIN ? TS_NO_TIME : (int64_t)ns;
}

int64_t jfr_ticks_time(const jfr_chunk *c, int64_t ticks)
{
    __int128 ns = ticks_ns(c, (__int128)ticks - c->header.start_ticks) + c->header.start_ns;
    return ns > INT64_MAX || ns <= INT64_MIN ? TS_NO_TIME : (int64_t)ns;
}

/* --- events --------------------------------------------------------------------------------- */

typedef enum walk_state { WALK_EVENT, WALK_END, WALK_CHUNK, WALK_PART, WALK_BAD } walk_state;

/* The event at `pos`. WALK_CHUNK: another chunk begins there. WALK_PART: it goes on after the end.
 */
static inline __attribute__((always_inline)) ts_code walk(walk_state *state, jfr_event *e,
                                                          jfr_chunk *c, uint64_t pos)
{
    const uint8_t *p;
    size_t n;
    if (pos >= c->view->size) {
        *state = WALK_END;
        return TS_OK;
    }
    TS_TRY(ts_window_get(&p, &n, c->view, pos, HEAD_BYTES));
    jfr_reader r = (jfr_reader){p, p + n, c->compressed, false};
    *e = (jfr_event){.pos = pos, .size = jfr_raw(&r, 4), .near = p, .near_n = n};
    e->type = jfr_raw(&r, 8);
    e->head = (uint32_t)(r.p - p);
    if (n >= JFR_MAGIC && p[0] == jfr_magic[0] && memcmp(p, jfr_magic, JFR_MAGIC) == 0) {
        *state = WALK_CHUNK;
    } else if (r.bad ? n < HEAD_BYTES : e->size > c->view->size - pos) {
        *state = WALK_PART;
    } else {
        *state = r.bad || e->size < e->head ? WALK_BAD : WALK_EVENT;
    }
    return TS_OK;
}

/* Its bytes after size and type, for the event of the last walk; *there is false when they cannot
 * be held. */
static ts_code jfr_event_body(bool *there, jfr_reader *r, jfr_chunk *c, const jfr_event *e)
{
    const uint8_t *p;
    size_t n;
    *there = false;
    if (e->size > MAX_EVENT) {
        return TS_OK;
    }
    if (e->size <= e->near_n) {
        *r = (jfr_reader){e->near + e->head, e->near + e->size, c->compressed, false};
        *there = true;
        return TS_OK;
    }
    ts_code code = ts_window_get(&p, &n, c->view, e->pos, (size_t)e->size);
    if (code == TS_OK && n >= e->size) {
        *r = (jfr_reader){p + e->head, p + e->size, c->compressed, false};
        *there = true;
    }
    return code;
}

/* The event of that type at an offset of the header or of a checkpoint. */
static ts_code event_at(bool *there, jfr_event *e, jfr_reader *r, jfr_chunk *c, int64_t offset,
                        uint64_t type)
{
    walk_state state;
    *there = false;
    if (offset < JFR_HEADER || (uint64_t)offset >= c->view->size) {
        return TS_OK;
    }
    ts_code code = walk(&state, e, c, (uint64_t)offset);
    if (code != TS_OK || state != WALK_EVENT || e->type != type) {
        return code;
    }
    return jfr_event_body(there, r, c, e);
}

/* --- metadata and pools --------------------------------------------------------------------- */

/* Where they are, as the events themselves say. */
typedef struct scan {
    int64_t metadata; /* the last one; 0: none */
    uint64_t events;  /* that need metadata */
    uint64_t pos;     /* of its end, and why it is there */
    walk_state state;
    ts_vec checkpoints; /* uint64_t, in the order of the chunk */
} scan;

/* Has the event of type 0 texts? async-profiler fills gaps with events of this type. */
static ts_code is_metadata(bool *is, jfr_chunk *c, const jfr_event *e)
{
    jfr_reader r;
    ts_code code = jfr_event_body(is, &r, c, e);
    for (unsigned i = 0; code == TS_OK && *is && i < 3; i++) {
        (void)jfr_long(&r); /* start, duration, number */
    }
    *is = code == TS_OK && *is && jfr_raw(&r, 4) > 0 && !r.bad;
    return code;
}

static ts_code scan_events(scan *s, jfr_chunk *c)
{
    bool metadata = false;
    jfr_event e = {0};
    ts_code code = TS_OK;
    for (s->pos = JFR_HEADER; code == TS_OK; s->pos += e.size) {
        code = walk(&s->state, &e, c, s->pos);
        if (code != TS_OK || s->state != WALK_EVENT || e.size > c->rec->scan_left) {
            break;
        }
        s->events += e.type > TYPE_CHECKPOINT ? 1 : 0;
        c->rec->scan_left -= e.size;
        if (e.type == TYPE_METADATA && (code = is_metadata(&metadata, c, &e)) == TS_OK &&
            metadata) {
            s->metadata = (int64_t)s->pos;
        } else if (e.type == TYPE_CHECKPOINT && s->checkpoints.n < MAX_CHECKPOINTS) {
            uint64_t *at = ts_vec_add(c->ctx, &s->checkpoints, sizeof *at);
            TS_NEED(c->ctx, at);
            *at = s->pos;
        }
    }
    return code;
}

/* More bytes of metadata than these are not kept for the chunks that come. */
enum { KEPT_METADATA = 4 << 20 };

void jfr_schema_free(ts_ctx *ctx, jfr_schema *schema)
{
    if (schema != NULL) {
        ts_buf_free(ctx, &schema->bytes);
        jfr_metadata_free(ctx, &schema->meta);
        jfr_plans_free(ctx, &schema->plans);
        ts_free(ctx, schema->uses);
        ts_free(ctx, schema->direct);
        ts_free(ctx, schema);
    }
}

static void drop_schema(jfr_chunk *c)
{
    if (c->schema != c->rec->last.schema) {
        jfr_schema_free(c->ctx, c->schema);
    }
    c->schema = NULL;
}

/* What says the same in every chunk: all but the event's time, duration and number. */
static ts_text metadata_bytes(jfr_reader r)
{
    for (unsigned i = 0; i < 3; i++) {
        (void)jfr_long(&r);
    }
    return r.bad ? TS_TEXT_NULL : (ts_text){(const char *)r.p, (size_t)(r.end - r.p)};
}

static bool is_last_metadata(const jfr_chunk *c, ts_text bytes)
{
    const jfr_schema *last = c->rec->last.schema;
    return last != NULL && last->plans.compressed == c->compressed && bytes.n > 0 &&
           last->bytes.n == bytes.n && memcmp(last->bytes.p, bytes.p, bytes.n) == 0;
}

static ts_code new_schema(bool *bad, const char **why, jfr_chunk *c, jfr_reader r)
{
    ts_text bytes = metadata_bytes(r);
    ts_code code = TS_OK;
    if (is_last_metadata(c, bytes)) {
        c->schema = c->rec->last.schema;
        *bad = false;
        return TS_OK;
    }
    TS_NEED(c->ctx, c->schema = ts_zalloc(c->ctx, 1, sizeof *c->schema));
    c->schema->plans.compressed = c->compressed;
    c->schema->string_class = JFR_NO_CLASS;
    TS_STEP_IF(code, bytes.n <= KEPT_METADATA,
               ts_buf_put(c->ctx, &c->schema->bytes, bytes.p, bytes.n));
    TS_STEP(code, jfr_metadata_read(bad, why, c->ctx, &c->schema->meta, r));
    return code;
}

static ts_code read_metadata(bool *good, jfr_chunk *c, int64_t offset)
{
    jfr_event e;
    jfr_reader r;
    bool bad = true;
    const char *why = "there is no metadata event";
    ts_code code = event_at(good, &e, &r, c, offset, TYPE_METADATA);
    if (code == TS_OK && *good) {
        drop_schema(c);
        code = new_schema(&bad, &why, c, r);
        *good = !bad;
    }
    TS_STEP_IF(code, !*good,
               issue_at(c, TS_ISSUE_jfr_bad_metadata, offset < 0 ? 0 : (uint64_t)offset, why));
    return code;
}

/*
 * A chunk that ends before its metadata: those of the chunk before, when its recorder seems to be
 * the same, by version, encoding and clock. An event must still fit its class byte by byte.
 */
static ts_code borrow_metadata(bool *good, jfr_chunk *c)
{
    const jfr_last *last = &c->rec->last;
    *good = last->schema != NULL && last->major == c->header.major &&
            last->minor == c->header.minor && last->compressed == c->compressed &&
            last->ticks_per_second == c->header.ticks_per_second;
    if (!*good) {
        return TS_OK;
    }
    drop_schema(c);
    c->schema = last->schema;
    c->borrowed = true;
    return issue_at(c, TS_ISSUE_jfr_old_metadata, 0,
                    "the chunk is cut before its metadata; those of the chunk before were used");
}

/* For chunks that come after it. */
static void keep_metadata(jfr_chunk *c)
{
    jfr_last *last = &c->rec->last;
    if (c->borrowed || c->cut || c->lost_bytes > 0 || c->schema->meta.classes.n == 0) {
        return;
    }
    if (c->schema != last->schema) {
        jfr_schema_free(c->ctx, last->schema);
    }
    *last = (jfr_last){c->schema, c->header.major, c->header.minor, c->compressed,
                       c->header.ticks_per_second};
}

static ts_code find_metadata(bool *good, jfr_chunk *c, const scan *s)
{
    int64_t offset = c->header.metadata;
    ts_code code = TS_OK;
    *good = false;
    /* Of a chunk that is being written the header may be older than its events. */
    TS_STEP_IF(code, !c->searched || s->metadata == 0, read_metadata(good, c, offset));
    TS_STEP_IF(code, !*good && s->metadata != 0 && (s->metadata != offset || c->searched),
               read_metadata(good, c, s->metadata));
    TS_STEP_IF(code, !*good && c->searched && s->metadata == 0, borrow_metadata(good, c));
    return code;
}

static ts_code add_checkpoint(bool *good, int64_t *delta, jfr_chunk *c, int64_t offset)
{
    jfr_event e;
    jfr_reader r;
    bool bad = false;
    ts_code code = event_at(good, &e, &r, c, offset, TYPE_CHECKPOINT);
    *delta = 0;
    if (code != TS_OK || !*good) {
        return code;
    }
    (void)jfr_long(&r); /* start, duration */
    (void)jfr_long(&r);
    *delta = jfr_long(&r);
    *good = !r.bad;
    TS_STEP_IF(code, *good, jfr_pools_add(&bad, c, r));
    if (code == TS_OK && bad) {
        c->doubted_pools = true;
        code = issue_at(c, TS_ISSUE_jfr_bad_checkpoint, (uint64_t)offset,
                        "entries of constant pools make no sense; what refers to them is NULL");
    }
    return code;
}

/* Newest first: from the last one back, as each says where the one before it is. */
static ts_code follow_checkpoints(bool *whole, jfr_chunk *c)
{
    int64_t at = c->header.checkpoint;
    ts_code code = TS_OK;
    *whole = false;
    while (code == TS_OK) {
        int64_t delta;
        bool good;
        code = add_checkpoint(&good, &delta, c, at);
        if (code != TS_OK || !good) {
            break;
        }
        if (delta == 0) {
            *whole = true;
            break;
        }
        /* Each is before the one that points to it. */
        if (delta > 0 || at + delta < JFR_HEADER) {
            break;
        }
        at += delta;
    }
    return code;
}

static ts_code read_pools(jfr_chunk *c, const scan *s)
{
    bool whole = false;
    ts_code code = jfr_pools_new(c);
    TS_STEP_IF(code, !c->searched, follow_checkpoints(&whole, c));
    if (code != TS_OK || whole) {
        return code;
    }
    if (!c->searched) {
        c->doubted_pools = true;
        code = issue_at(c, TS_ISSUE_jfr_bad_checkpoint,
                        c->header.checkpoint < 0 ? 0 : (uint64_t)c->header.checkpoint,
                        "the list of checkpoints is broken; all of the chunk were read");
    }
    for (size_t i = s->checkpoints.n; i-- > 0 && code == TS_OK;) {
        int64_t delta;
        bool good;
        code = add_checkpoint(&good, &delta, c, (int64_t)((const uint64_t *)s->checkpoints.p)[i]);
    }
    return code;
}

/* Are both where the header says, so that nothing has to be searched? */
static ts_code offsets_hold(bool *hold, jfr_chunk *c)
{
    const int64_t offsets[] = {c->header.metadata, c->header.checkpoint};
    ts_code code = TS_OK;
    *hold = !c->searched;
    for (unsigned i = 0; i < 2 && code == TS_OK && *hold; i++) {
        jfr_event e;
        jfr_reader r;
        code = event_at(hold, &e, &r, c, offsets[i], i);
    }
    return code;
}

ts_code jfr_chunk_pool_plan(uint32_t *plan, jfr_chunk *c, uint32_t cls)
{
    jfr_class_use *use = &c->schema->uses[cls];
    size_t n;
    const jfr_wish *wishes;
    ts_code code = TS_OK;
    if (!use->pool_planned) {
        use->pool_planned = true;
        use->pool_plan = JFR_NO_PLAN;
        wishes = jfr_wishes_of(&n, jfr_class_at(&c->schema->meta, cls)->name);
        code = jfr_plan_make(&use->pool_plan, c->ctx, &c->schema->plans, &c->schema->meta, cls,
                             wishes, n);
    }
    *plan = use->pool_plan;
    return code;
}

/* --- walks ---------------------------------------------------------------------------------- */

static jfr_role role_of(const jfr_type *type)
{
    return type->rule != NULL && jfr_rule_is_setting(type->rule) ? JFR_ROLE_SETTING
           : type->rule != NULL || type->keep                    ? JFR_ROLE_EVENT
                                                                 : JFR_ROLE_COUNTED;
}

/* The tables of the classes; types of events get their numbers. */
static ts_code use_classes(jfr_chunk *c)
{
    jfr_schema *schema = c->schema;
    ts_code code = TS_OK;
    if (schema->uses != NULL) {
        return TS_OK;
    }
    schema->uses = ts_zalloc(c->ctx, schema->meta.classes.n, sizeof *schema->uses);
    schema->direct = ts_alloc(c->ctx, JFR_DIRECT, sizeof *schema->direct);
    if (schema->uses == NULL || schema->direct == NULL) {
        return c->ctx->error.code;
    }
    for (unsigned id = 0; id < JFR_DIRECT; id++) {
        schema->direct[id] = jfr_class_find(&schema->meta, id);
    }
    for (uint32_t i = 0; i < schema->meta.classes.n && code == TS_OK; i++) {
        const jfr_class *cls = jfr_class_at(&schema->meta, i);
        schema->string_class = ts_text_is(cls->name, "java.lang.String") ? i : schema->string_class;
        if (ts_text_is(cls->super, "jdk.jfr.Event") || jfr_rule_find(cls->name) != NULL) {
            code = jfr_type_number(&schema->uses[i].type, c->rec, cls->name);
            if (code == TS_OK) {
                schema->uses[i].named = true;
                schema->uses[i].role = (uint8_t)role_of(jfr_type_at(c->rec, schema->uses[i].type));
            }
        }
    }
    return code;
}

/* An event whose class is of no event type, or not there at all. */
static ts_code unknown_event(jfr_chunk *c, const jfr_event *e)
{
    c->rec->events_lost++;
    return ts_issue(c->rec->store, c->rec->source_id, TS_ISSUE_jfr_unknown_type, NULL,
                    (int64_t)(c->offset + e->pos),
                    "an event of type %" PRIu64 ", which the metadata does not have", e->type);
}

static ts_code run_event(jfr_chunk *c, uint32_t cls, const jfr_event *e)
{
    jfr_type *type = jfr_type_at(c->rec, c->schema->uses[cls].type);
    jfr_reader r;
    bool there = false;
    bool lost = true;
    ts_code code = !c->schema->uses[cls].planned ? jfr_rule_plan(c, cls, type->rule) : TS_OK;
    TS_STEP_IF(code,
               c->schema->uses[cls].plan != JFR_NO_PLAN &&
                   (code = jfr_event_body(&there, &r, c, e)) == TS_OK && there,
               jfr_rule_run(&lost, c, cls, &r));
    if (code == TS_OK && lost) {
        type = jfr_type_at(c->rec, c->schema->uses[cls].type);
        type->lost++;
        code = ts_issue(c->rec->store, c->rec->source_id, TS_ISSUE_jfr_bad_event, NULL,
                        (int64_t)(c->offset + e->pos), "an event does not fit its type");
    }
    return code;
}

/* Settings are read in a walk of their own, because samples may be before them. */
static ts_code walk_events(walk_state *end, jfr_chunk *c, bool settings)
{
    walk_state state = WALK_EVENT;
    jfr_event e = {0};
    const jfr_role wanted = settings ? JFR_ROLE_SETTING : JFR_ROLE_EVENT;
    uint64_t pos = JFR_HEADER;
    ts_code code = TS_OK;
    for (unsigned count = 0; code == TS_OK; count++) {
        if ((count & 0xFFFF) == 0 && (code = ts_check_cancel(c->ctx)) != TS_OK) {
            break;
        }
        code = walk(&state, &e, c, pos);
        if (code != TS_OK || state != WALK_EVENT) {
            break;
        }
        pos += e.size;
        if (e.type <= TYPE_CHECKPOINT) {
            continue;
        }
        uint32_t cls = e.type < JFR_DIRECT ? c->schema->direct[e.type]
                                           : jfr_class_find(&c->schema->meta, e.type);
        const jfr_class_use *use =
            cls == JFR_NO_CLASS || !c->schema->uses[cls].named ? NULL : &c->schema->uses[cls];
        if (!settings) {
            c->rec->events_seen++;
            if (use != NULL) {
                jfr_type_at(c->rec, use->type)->seen++;
            } else {
                code = unknown_event(c, &e);
            }
        }
        if (use != NULL && code == TS_OK && use->role == wanted) {
            code = run_event(c, cls, &e);
        }
    }
    c->used = pos;
    *end = state;
    return code;
}

/* What its header counts and the file does not have. */
static int64_t missing_bytes(const jfr_chunk *c)
{
    return c->header.size > (int64_t)c->used ? c->header.size - (int64_t)c->used : 0;
}

static ts_code note_end(jfr_chunk *c, walk_state end)
{
    uint64_t at = c->used;
    bool bad = end == WALK_BAD || end == WALK_PART;
    /* What its header does not count yet may end within an event. */
    bool begun = c->open && end == WALK_PART && (int64_t)at >= c->header.size;
    c->used = end != WALK_CHUNK ? c->view->size : c->used;
    if (bad && c->searched) {
        /* Its size may be wrong, so that other chunks are in what seems to belong to it. */
        TS_TRY(jfr_chunk_search(&c->used, c->view, at));
    }
    uint64_t left = c->used - at;
    if (bad && !begun) {
        c->lost_bytes = left;
        c->rec->events_seen++;
        c->rec->events_lost++;
    } else if (begun) {
        c->rec->begun_bytes += left;
    }
    if (c->cut) {
        return ts_issue(c->rec->store, c->rec->source_id, TS_ISSUE_jfr_chunk_cut, NULL,
                        (int64_t)(c->offset + at),
                        "of the chunk's %" PRId64 " bytes, %" PRId64 " are not there, and %" PRIu64
                        " that are could not be read",
                        c->header.size, missing_bytes(c), c->lost_bytes);
    }
    if (bad && !begun) {
        return ts_issue(c->rec->store, c->rec->source_id, TS_ISSUE_jfr_bad_event_size, NULL,
                        (int64_t)(c->offset + at),
                        "no event of a possible size; the chunk's %" PRIu64
                        " bytes from here on were left out",
                        left);
    }
    return c->open ? issue_at(c, TS_ISSUE_jfr_chunk_open, at,
                              "the chunk was still being written; what was written was read")
                   : TS_OK;
}

/* --- the whole ------------------------------------------------------------------------------ */

static ts_code put_chunk(jfr_chunk *c, bool usable)
{
    ts_row_jfr_chunk row = {
        .id = (int64_t)ts_sink_rows(c->rec->sink, TS_T_jfr_chunk) + 1,
        .source_id = c->rec->source_id,
        .offset = (int64_t)c->offset,
        .size = (int64_t)c->used,
        .major = c->header.major,
        .minor = c->header.minor,
        .ts = c->header.start_ns,
        .dur = c->header.duration_ns,
        .start_ticks = c->header.start_ticks,
        .ticks_per_second = c->header.ticks_per_second,
        .state = c->header.state,
        .flags = c->header.flags,
        .classes = c->schema == NULL ? 0 : (int64_t)c->schema->meta.classes.n,
        .pool_entries = (int64_t)c->pools.entries,
        .pool_repeated = (int64_t)c->pools.repeated,
        .complete = usable && !c->cut && !c->open && c->lost_bytes == 0,
    };
    return ts_put_jfr_chunk(c->rec->sink, &row);
}

static ts_code import_events(jfr_chunk *c)
{
    walk_state end;
    ts_code code = walk_events(&end, c, true);
    if (code == TS_OK && (code = walk_events(&end, c, false)) == TS_OK) {
        if (end == WALK_CHUNK && (int64_t)c->used < c->header.size) {
            c->cut = true;
        }
        code = note_end(c, end);
    }
    return code;
}

static ts_code import_chunk(bool *usable, jfr_chunk *c)
{
    scan s = {0};
    bool hold;
    ts_code code = offsets_hold(&hold, c);
    *usable = false;
    TS_STEP_IF(code, !hold, scan_events(&s, c));
    if (code == TS_OK && c->open && !c->cut && s.metadata == 0 && c->header.metadata <= 0 &&
        s.events == 0 && s.state != WALK_EVENT) {
        /* It was just begun. */
        *usable = true;
        c->used = s.pos;
        code = note_end(c, s.state);
    } else if (code == TS_OK && (code = find_metadata(usable, c, &s)) == TS_OK && *usable &&
               (code = use_classes(c)) == TS_OK && (code = read_pools(c, &s)) == TS_OK) {
        code = import_events(c);
    }
    ts_vec_free(c->ctx, &s.checkpoints);
    return code;
}

static void note_span(jfr_chunk *c)
{
    int64_t end =
        ts_sat_add(c->header.start_ns, c->header.duration_ns < 0 ? 0 : c->header.duration_ns);
    jfr_recording *rec = c->rec;
    rec->start_ts =
        rec->chunks == 0 || c->header.start_ns < rec->start_ts ? c->header.start_ns : rec->start_ts;
    rec->end_ts = rec->chunks == 0 || end > rec->end_ts ? end : rec->end_ts;
}

static ts_code import_whole(bool *usable, jfr_chunk *c)
{
    ts_code code;
    *usable = false;
    note_span(c);
    if (c->header.ticks_per_second <= 0) {
        code = issue_at(c, TS_ISSUE_jfr_bad_chunk, 0, "ticks per second are not positive");
    } else {
        code = import_chunk(usable, c);
    }
    if (code == TS_OK && !*usable) {
        /* Without its metadata nothing in it can be read. */
        TS_STEP_IF(code, c->searched, jfr_chunk_search(&c->used, c->view, JFR_HEADER));
        c->lost_bytes = c->used;
    }
    TS_STEP(code, put_chunk(c, *usable));
    return code;
}

static void free_chunk(jfr_chunk *c)
{
    drop_schema(c);
    jfr_pools_free(c->ctx, &c->pools);
    ts_vec_free(c->ctx, &c->frames);
    ts_vec_free(c->ctx, &c->resolved);
    ts_free(c->ctx, c);
}

/*
 * A chunk that is being written says in its header what it had at some time before (of events,
 * metadata and pools); what was written since then follows.
 */
static void read_header(jfr_chunk *c, const uint8_t *p, uint64_t base, uint64_t size)
{
    jfr_header_read(&c->header, p);
    bool counted = c->header.size >= JFR_HEADER && (uint64_t)c->header.size <= size;
    c->compressed = (c->header.flags & JFR_FLAG_COMPRESSED) != 0;
    c->open = c->header.state != 0;
    c->cut = c->open ? c->header.size > 0 && (uint64_t)c->header.size > size : !counted;
    c->searched = c->cut || (c->open && (uint64_t)c->header.size != size);
    if (counted && !c->open) {
        ts_window_part(c->view, base, (uint64_t)c->header.size);
    }
    c->used = c->view->size;
}

/* Is it known until when the recording goes? Others may follow a chunk that is cut off. */
static void note_chunk_end(const jfr_chunk *c)
{
    jfr_recording *rec = c->rec;
    rec->missing_bytes = ts_sat_add(rec->missing_bytes, missing_bytes(c));
    rec->end_known = !c->cut || (c->header.flags & JFR_FLAG_LAST) != 0;
    rec->end_ts = c->open && rec->last_ts > rec->end_ts ? rec->last_ts : rec->end_ts;
    ts_range_note(rec->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, rec->first_ts);
    ts_range_note(rec->store, TS_CLOCK_REALTIME, TS_RANGE_ROWS, rec->last_ts);
}

ts_code jfr_chunk_import(uint64_t *used, jfr_recording *rec, uint64_t base, uint64_t size,
                         uint64_t offset)
{
    jfr_chunk *c = ts_zalloc(rec->ctx, 1, sizeof *c);
    const uint8_t *p;
    size_t n;
    bool usable = false;
    TS_NEED(rec->ctx, c);
    c->rec = rec;
    c->ctx = rec->ctx;
    c->offset = offset;
    c->view = &rec->view;
    ts_window_part(c->view, base, size);
    ts_code code = ts_window_get(&p, &n, c->view, 0, JFR_HEADER);
    c->cut = true;
    rec->first_ts = TS_NO_TIME;
    rec->last_ts = TS_NO_TIME;
    if (code == TS_OK && n >= JFR_HEADER) {
        read_header(c, p, base, size);
        code = import_whole(&usable, c);
    } else {
        c->used = size;
        c->lost_bytes = size;
    }
    *used = c->used;
    note_chunk_end(c);
    rec->chunks++;
    rec->chunks_lost += usable ? 0 : 1;
    rec->chunks_cut += c->cut ? 1 : 0;
    rec->lost_bytes += c->lost_bytes;
    rec->default_intervals += c->default_intervals;
    rec->replaced += c->borrowed || c->schema == NULL ? 0 : c->schema->meta.replaced;
    if (code == TS_OK && usable && c->schema != NULL) {
        keep_metadata(c);
    }
    free_chunk(c);
    return code;
}
