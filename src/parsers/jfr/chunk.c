/* A chunk: header, metadata, checkpoints, and the walk over its events. */
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

ts_code jfr_chunk_search(uint64_t *at, jfr_view *v, uint64_t from)
{
    ts_code code = TS_OK;
    *at = v->size;
    while (from < v->size && code == TS_OK) {
        const uint8_t *p;
        const uint8_t *found;
        size_t n;
        code = jfr_view_get(&p, &n, v, from, JFR_MAGIC);
        if (code != TS_OK || n < JFR_MAGIC) {
            break;
        }
        found = memmem(p, n, jfr_magic, JFR_MAGIC);
        if (found != NULL) {
            *at = from + (uint64_t)(found - p);
            break;
        }
        from += n - JFR_MAGIC + 1;
    }
    return code;
}

/* ticks in ns; most clocks count them already, and most numbers are small. */
static __int128 ticks_ns(const jfr_chunk *c, __int128 ticks)
{
    int64_t per_second = c->header.ticks_per_second;
    int64_t product;
    if (per_second == NS_PER_SECOND) {
        return ticks;
    }
    if (ticks <= INT64_MAX && ticks >= INT64_MIN &&
        !ts_ckd_mul(&product, (int64_t)ticks, (int64_t)NS_PER_SECOND)) {
        return product / per_second;
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

typedef enum walk_state { WALK_EVENT, WALK_END, WALK_CHUNK, WALK_BAD } walk_state;

/* The event at `pos`. WALK_CHUNK: another chunk begins there. */
static ts_code walk(walk_state *state, jfr_event *e, jfr_chunk *c, uint64_t pos)
{
    const uint8_t *p;
    size_t n;
    jfr_reader r;
    ts_code code;
    if (pos >= c->view->size) {
        *state = WALK_END;
        return TS_OK;
    }
    if ((code = jfr_view_get(&p, &n, c->view, pos, HEAD_BYTES)) != TS_OK) {
        return code;
    }
    r = (jfr_reader){p, p + n, c->compressed, false};
    *e = (jfr_event){.pos = pos, .size = jfr_raw(&r, 4)};
    e->type = jfr_raw(&r, 8);
    e->head = (uint32_t)(r.p - p);
    if (n >= JFR_MAGIC && memcmp(p, jfr_magic, JFR_MAGIC) == 0) {
        *state = WALK_CHUNK;
    } else if (r.bad || e->size < e->head || e->size > c->view->size - pos) {
        *state = WALK_BAD;
    } else {
        *state = WALK_EVENT;
    }
    return TS_OK;
}

ts_code jfr_event_body(bool *there, jfr_reader *r, jfr_chunk *c, const jfr_event *e)
{
    const uint8_t *p;
    size_t n;
    ts_code code;
    *there = false;
    if (e->size > MAX_EVENT) {
        return TS_OK;
    }
    code = jfr_view_get(&p, &n, c->view, e->pos, (size_t)e->size);
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
    ts_code code;
    *there = false;
    if (offset < JFR_HEADER || (uint64_t)offset >= c->view->size) {
        return TS_OK;
    }
    code = walk(&state, e, c, (uint64_t)offset);
    if (code != TS_OK || state != WALK_EVENT || e->type != type) {
        return code;
    }
    return jfr_event_body(there, r, c, e);
}

/* --- metadata and pools --------------------------------------------------------------------- */

/* Where they are, as the events themselves say. */
typedef struct scan {
    int64_t metadata;   /* the last one; 0: none */
    ts_vec checkpoints; /* uint64_t, in the order of the chunk */
} scan;

static ts_code scan_events(scan *s, jfr_chunk *c)
{
    walk_state state = WALK_EVENT;
    jfr_event e = {0};
    ts_code code = TS_OK;
    for (uint64_t pos = JFR_HEADER; state == WALK_EVENT && code == TS_OK; pos += e.size) {
        code = walk(&state, &e, c, pos);
        if (code != TS_OK || state != WALK_EVENT || e.size > c->rec->scan_left) {
            break;
        }
        c->rec->scan_left -= e.size;
        if (e.type == TYPE_METADATA) {
            s->metadata = (int64_t)pos;
        } else if (e.type == TYPE_CHECKPOINT && s->checkpoints.n < MAX_CHECKPOINTS) {
            uint64_t *at = ts_vec_add(c->ctx, &s->checkpoints, sizeof *at);
            if (at == NULL) {
                return c->ctx->error.code;
            }
            *at = pos;
        }
    }
    return code;
}

static ts_code read_metadata(bool *good, jfr_chunk *c, int64_t offset)
{
    jfr_event e;
    jfr_reader r;
    bool bad = true;
    const char *why = "no metadata event stands there";
    ts_code code = event_at(good, &e, &r, c, offset, TYPE_METADATA);
    if (code == TS_OK && *good) {
        jfr_metadata_free(c->ctx, &c->meta);
        c->meta = (jfr_metadata){0};
        code = jfr_metadata_read(&bad, &why, c->ctx, &c->meta, r);
        *good = !bad;
    }
    if (code == TS_OK && !*good) {
        code = issue_at(c, TS_ISSUE_jfr_bad_metadata, offset < 0 ? 0 : (uint64_t)offset, why);
    }
    return code;
}

/*
 * A chunk that ends before its metadata: those of the chunk before, when its recorder seems to be
 * the same, by version, encoding and clock. An event must still fit its class byte by byte.
 */
static ts_code borrow_metadata(bool *good, jfr_chunk *c)
{
    const jfr_last *last = &c->rec->last;
    *good = last->known && last->major == c->header.major && last->minor == c->header.minor &&
            last->compressed == c->compressed &&
            last->ticks_per_second == c->header.ticks_per_second;
    if (!*good) {
        return TS_OK;
    }
    jfr_metadata_free(c->ctx, &c->meta);
    c->meta = last->meta;
    c->borrowed = true;
    return issue_at(c, TS_ISSUE_jfr_old_metadata, 0,
                    "the chunk is cut before its metadata; those of the chunk before were used");
}

/* For chunks that come after it. */
static void keep_metadata(jfr_chunk *c)
{
    jfr_last *last = &c->rec->last;
    if (c->borrowed || c->cut || c->lost_bytes > 0 || c->meta.classes.n == 0) {
        return;
    }
    jfr_metadata_free(c->ctx, &last->meta);
    *last = (jfr_last){
        c->meta, c->header.major, c->header.minor, c->compressed, c->header.ticks_per_second, true};
    c->meta = (jfr_metadata){0};
}

static ts_code find_metadata(bool *good, jfr_chunk *c, const scan *s)
{
    int64_t offset = c->header.metadata;
    ts_code code = TS_OK;
    *good = false;
    /* Of a chunk that is being written the header may be older than its events. */
    if (!c->cut || s->metadata == 0) {
        code = read_metadata(good, c, offset);
    }
    if (code == TS_OK && !*good && s->metadata != 0 && (s->metadata != offset || c->cut)) {
        code = read_metadata(good, c, s->metadata);
    }
    return code == TS_OK && !*good && c->cut && s->metadata == 0 ? borrow_metadata(good, c) : code;
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
    if (*good) {
        code = jfr_pools_add(&bad, c, r);
    }
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
        /* Each stands before the one that points to it. */
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
    if (code == TS_OK && !c->cut) {
        code = follow_checkpoints(&whole, c);
    }
    if (code != TS_OK || whole) {
        return code;
    }
    if (!c->cut) {
        c->doubted_pools = true;
        code = issue_at(c, TS_ISSUE_jfr_bad_checkpoint,
                        c->header.checkpoint < 0 ? 0 : (uint64_t)c->header.checkpoint,
                        "the list of checkpoints is broken; all that stand in the chunk were read");
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
    *hold = !c->cut;
    for (unsigned i = 0; i < 2 && code == TS_OK && *hold; i++) {
        jfr_event e;
        jfr_reader r;
        code = event_at(hold, &e, &r, c, offsets[i], i);
    }
    return code;
}

ts_code jfr_chunk_pool_plan(jfr_chunk *c, uint32_t cls)
{
    jfr_pool *pool = &c->pools.by_class[cls];
    size_t n;
    const jfr_wish *wishes;
    if (pool->planned) {
        return TS_OK;
    }
    pool->planned = true;
    wishes = jfr_wishes_of(&n, jfr_class_at(&c->meta, cls)->name);
    return jfr_plan_make(&pool->plan, c->ctx, &c->plans, &c->meta, cls, wishes, n);
}

/* --- walks ---------------------------------------------------------------------------------- */

static uint32_t class_of(const jfr_chunk *c, uint64_t id)
{
    return id < JFR_DIRECT ? c->direct[id] : jfr_class_find(&c->meta, id);
}

static ts_code name_types(jfr_chunk *c)
{
    ts_code code = TS_OK;
    c->uses = ts_zalloc(c->ctx, c->meta.classes.n, sizeof *c->uses);
    if (c->uses == NULL) {
        return c->ctx->error.code;
    }
    for (unsigned id = 0; id < JFR_DIRECT; id++) {
        c->direct[id] = jfr_class_find(&c->meta, id);
    }
    for (uint32_t i = 0; i < c->meta.classes.n && code == TS_OK; i++) {
        const jfr_class *cls = jfr_class_at(&c->meta, i);
        if (ts_text_is(cls->name, "java.lang.String")) {
            c->string_class = i;
        }
        if (ts_text_is(cls->super, "jdk.jfr.Event") || jfr_rule_find(cls->name) != NULL) {
            code = jfr_type_number(&c->uses[i].type, c->rec, cls->name);
            c->uses[i].named = true;
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

static ts_code run_event(jfr_chunk *c, uint32_t cls, const jfr_event *e, bool settings)
{
    jfr_type *type = jfr_type_at(c->rec, c->uses[cls].type);
    const jfr_rule *rule = type->rule;
    jfr_reader r;
    bool there = false;
    bool lost = true;
    ts_code code = TS_OK;
    if ((rule == NULL && !type->keep) || (rule != NULL && jfr_rule_is_setting(rule)) != settings) {
        return TS_OK;
    }
    if (!c->uses[cls].planned) {
        code = jfr_rule_plan(c, cls, rule);
    }
    if (code == TS_OK && c->uses[cls].plan != JFR_NO_PLAN &&
        (code = jfr_event_body(&there, &r, c, e)) == TS_OK && there) {
        code = jfr_rule_run(&lost, c, cls, &r);
    }
    if (code == TS_OK && lost) {
        type = jfr_type_at(c->rec, c->uses[cls].type);
        type->lost++;
        code = ts_issue(c->rec->store, c->rec->source_id, TS_ISSUE_jfr_bad_event, NULL,
                        (int64_t)(c->offset + e->pos), "an event does not fit its type");
    }
    return code;
}

/* Settings are read in a walk of their own, because samples may stand before them. */
static ts_code walk_events(walk_state *end, jfr_chunk *c, bool settings)
{
    walk_state state = WALK_EVENT;
    jfr_event e = {0};
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
        uint32_t cls = class_of(c, e.type);
        bool named = cls != JFR_NO_CLASS && c->uses[cls].named;
        if (!settings) {
            c->rec->events_seen++;
            if (named) {
                jfr_type_at(c->rec, c->uses[cls].type)->seen++;
            } else {
                code = unknown_event(c, &e);
            }
        }
        if (named && code == TS_OK) {
            code = run_event(c, cls, &e, settings);
        }
    }
    c->used = pos;
    *end = state;
    return code;
}

static ts_code note_end(jfr_chunk *c, walk_state end)
{
    uint64_t at = c->used;
    uint64_t left;
    if (end != WALK_CHUNK) {
        c->used = c->view->size;
    }
    if (end == WALK_BAD && c->cut) {
        /* Its size may be wrong, so that other chunks stand in what seems to belong to it. */
        ts_code code = jfr_chunk_search(&c->used, c->view, at);
        if (code != TS_OK) {
            return code;
        }
    }
    left = c->used - at;
    if (end == WALK_BAD) {
        c->lost_bytes = left;
        c->rec->events_seen++;
        c->rec->events_lost++;
        return ts_issue(c->rec->store, c->rec->source_id,
                        c->cut ? TS_ISSUE_jfr_chunk_cut : TS_ISSUE_jfr_bad_event_size, NULL,
                        (int64_t)(c->offset + at),
                        "no event of a possible size; the chunk's %" PRIu64
                        " bytes from here on were left out",
                        left);
    }
    return c->cut ? issue_at(c, TS_ISSUE_jfr_chunk_cut, at,
                             "the chunk is not complete; what its pools have was read")
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
        .classes = (int64_t)c->meta.classes.n,
        .pool_entries = (int64_t)c->pools.entries,
        .pool_repeated = (int64_t)c->pools.repeated,
        .complete = usable && !c->cut && c->lost_bytes == 0,
    };
    return ts_put_jfr_chunk(c->rec->sink, &row);
}

static ts_code import_events(jfr_chunk *c)
{
    walk_state end;
    ts_code code = name_types(c);
    if (code == TS_OK && (code = walk_events(&end, c, true)) == TS_OK &&
        (code = walk_events(&end, c, false)) == TS_OK) {
        if (end == WALK_CHUNK) {
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
    if (code == TS_OK && !hold) {
        code = scan_events(&s, c);
    }
    if (code == TS_OK && (code = find_metadata(usable, c, &s)) == TS_OK && *usable) {
        code = read_pools(c, &s);
    }
    ts_vec_free(c->ctx, &s.checkpoints);
    return code == TS_OK && *usable ? import_events(c) : code;
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
        if (c->cut) {
            code = jfr_chunk_search(&c->used, c->view, JFR_HEADER);
        }
        c->lost_bytes = c->used;
    }
    return code == TS_OK ? put_chunk(c, *usable) : code;
}

static void free_chunk(jfr_chunk *c)
{
    if (!c->borrowed) {
        jfr_metadata_free(c->ctx, &c->meta);
    }
    jfr_plans_free(c->ctx, &c->plans);
    jfr_pools_free(c->ctx, &c->pools);
    ts_vec_free(c->ctx, &c->frames);
    ts_free(c->ctx, c->uses);
    ts_free(c->ctx, c);
}

ts_code jfr_chunk_import(uint64_t *used, jfr_recording *rec, uint64_t base, uint64_t size,
                         uint64_t offset)
{
    jfr_chunk *c = ts_zalloc(rec->ctx, 1, sizeof *c);
    const uint8_t *p;
    size_t n;
    bool usable = false;
    ts_code code;
    if (c == NULL) {
        return rec->ctx->error.code;
    }
    c->rec = rec;
    c->ctx = rec->ctx;
    c->offset = offset;
    c->string_class = JFR_NO_CLASS;
    c->view = &rec->view;
    jfr_view_part(c->view, base, size);
    code = jfr_view_get(&p, &n, c->view, 0, JFR_HEADER);
    c->cut = true;
    if (code == TS_OK && n >= JFR_HEADER) {
        jfr_header_read(&c->header, p);
        c->compressed = (c->header.flags & 1) != 0;
        c->plans.compressed = c->compressed;
        c->cut =
            c->header.size < JFR_HEADER || (uint64_t)c->header.size > size || c->header.state != 0;
        if (c->header.size >= JFR_HEADER && (uint64_t)c->header.size < size) {
            jfr_view_part(c->view, base, (uint64_t)c->header.size);
        }
        c->used = c->view->size;
        code = import_whole(&usable, c);
    } else {
        c->used = size;
        c->lost_bytes = size;
    }
    *used = c->used;
    rec->chunks++;
    rec->chunks_lost += usable ? 0 : 1;
    rec->chunks_cut += c->cut ? 1 : 0;
    rec->lost_bytes += c->lost_bytes;
    rec->default_intervals += c->default_intervals;
    rec->replaced += c->borrowed ? 0 : c->meta.replaced;
    if (code == TS_OK && usable) {
        keep_metadata(c);
    }
    free_chunk(c);
    return code;
}
