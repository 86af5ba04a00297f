/*
 * Events that begin and end spans (B and E of a thread, b and e of an asynchronous id, S and F of
 * old traces) are sorted by what they belong to and by time, and matched. Those of one time stay in
 * the order of the file.
 */
#include "parsers/chrome_trace/chrome_trace.h"

typedef struct pair_event {
    uint64_t a, b;  /* what it belongs to: 0 and the thread, or a hash of the id */
    uint64_t ts;    /* key */
    uint64_t order; /* in the file */
    int64_t event_id, tts;
    uint32_t thread, name;
    uint32_t flags; /* of the slice */
    uint32_t phase;
} pair_event;

/* A span whose end has not come. Ends may cross: it may be over while one inside of it is not. */
typedef struct open_span {
    pair_event begin;
    uint64_t limit;    /* when the first of those around it ended, if one has */
    uint32_t outer;    /* place + 1 of the next one around it of its name, or 0 */
    uint32_t no_limit; /* place + 1 of the next one around it that may have no limit, or 0 */
    bool over, has_limit;
} open_span;

/* Spans of the current thread or id. */
typedef struct pair_group {
    ts_vec open;  /* open_span, in the order of their begins; the last one is not over */
    ts_vec names; /* uint32_t by name: place + 1 of the innermost open span, or 0 */
    uint64_t a, b;
    uint64_t ts, first; /* the first span of an asynchronous id */
    bool any;
} pair_group;

static void hash_text(ts_hash *h, ts_text t)
{
    ts_hash_word(h, t.p == NULL ? 0 : 1);
    ts_hash_bytes(h, t.p, t.n);
}

/* Whose ids these are: each thread of Node.js numbers its asynchronous resources from 1 on. */
static uint64_t owner_of(const chrome_trace *c, uint32_t thread)
{
    const chrome_event *e = &c->event;
    ts_text category = chrome_text(c, &e->text[CHROME_CAT]);
    if (category.n >= 16 && memmem(category.p, category.n, "node.async_hooks", 16) != NULL) {
        return (uint64_t)thread;
    }
    return e->id_kind != NULL && *e->id_kind == 'l'
               ? (uint64_t)chrome_thread_at(c, thread)->ipid | UINT64_C(1) << 62
               : UINT64_MAX;
}

/*
 * Asynchronous events belong together when category, id and scope are equal, and the process for
 * local ids; old ones also have equal names. The 128 bits of the hash are as good as the texts.
 */
static void hash_id(pair_event *p, chrome_trace *c, char phase, uint32_t thread)
{
    const chrome_event *e = &c->event;
    bool old = phase == 'S' || phase == 'F';
    ts_hash h = ts_hash_begin(&c->ctx->hash_key);
    ts_hash_word(&h, old ? 1 : 2);
    ts_hash_word(&h, owner_of(c, thread));
    hash_text(&h, chrome_text(c, &e->text[CHROME_CAT]));
    hash_text(&h, chrome_text(c, &e->text[CHROME_ID]));
    hash_text(&h, chrome_text(c, &e->text[CHROME_SCOPE]));
    hash_text(&h, old ? chrome_text(c, &e->text[CHROME_NAME]) : TS_TEXT_NULL);
    p->a = ts_hash_end(&h) | 1; /* 0 is for threads */
    p->b = ts_hash_more(&h);
    c->n.no_id += e->text[CHROME_ID].set ? 0 : 1;
}

ts_code chrome_pair_add(chrome_trace *c, char phase, uint32_t thread, int64_t event_id)
{
    const chrome_event *e = &c->event;
    pair_event p = {
        .ts = ts_sorter_key(e->ts),
        .order = c->n.events,
        .event_id = event_id,
        .tts = e->tts,
        .thread = thread,
        .flags = e->fine ? CHROME_SLICE_FINE : 0U,
        .phase = (uint32_t)phase,
    };
    TS_TRY(chrome_name_of(&p.name, c));
    if (phase == 'B' || phase == 'E') {
        p.b = thread;
    } else {
        hash_id(&p, c, phase, thread);
    }
    c->paired = true;
    return ts_sorter_add(c->pairs, &p);
}

ts_code chrome_pairs_open(chrome_trace *c)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 4};
    return ts_sorter_open(&c->pairs, c->ctx, sizeof(pair_event), &order, CHROME_PAIR_MEMORY);
}

/* --- matching -------------------------------------------------------------------------------- */

static uint32_t *open_of(const pair_group *g, uint32_t name)
{
    return (uint32_t *)g->names.p + (name == CHROME_NO_NAME ? 0 : name + 1);
}

static open_span *span_at(const pair_group *g, size_t i)
{
    return (open_span *)g->open.p + i;
}

static bool is_end(uint32_t phase)
{
    return phase == 'E' || phase == 'e' || phase == 'F';
}

/* An open span is over. end: what ended it, or NULL; limit: how long it is at most. */
static ts_code close_span(chrome_trace *c, pair_group *g, open_span *span, const pair_event *end,
                          uint64_t limit, uint32_t flags)
{
    const pair_event *p = &span->begin;
    chrome_slice s = {
        .group_ts = p->a == 0 ? p->ts : g->ts,
        .group = p->a == 0 ? 0 : g->first,
        .ts = p->ts,
        .length = (flags & CHROME_SLICE_OPEN) != 0 ? 0 : UINT64_MAX - (limit - p->ts),
        .event_id = (uint64_t)p->event_id,
        .end = chrome_slice_end(end == NULL ? 0 : end->event_id,
                                flags | p->flags | (end == NULL ? 0 : end->flags)),
        .cpu = TS_NO_TIME,
        .thread = p->thread,
        .name = p->name,
    };
    if (end != NULL && p->a == 0 && p->tts != TS_NO_TIME && end->tts >= p->tts &&
        ts_ckd_sub(&s.cpu, end->tts, p->tts)) {
        s.cpu = TS_NO_TIME;
    }
    if (p->event_id == 0) { /* outside of --time-range */
        c->n.slices_skipped++;
        return TS_OK;
    }
    return chrome_slice_add(c, &s);
}

/* Those inside of the span at this place ended before this time, if their own ends do not come.
 * Each is limited once: what has a limit is passed over by ever longer steps. */
static void limit_inner(pair_group *g, size_t place, uint64_t ts)
{
    size_t i = g->open.n;
    while (i > place + 1) {
        open_span *span = span_at(g, i - 1);
        if (!span->has_limit) {
            span->has_limit = true;
            span->limit = ts;
        } else if (span->no_limit > 0 && span_at(g, span->no_limit - 1)->has_limit) {
            span->no_limit = span_at(g, span->no_limit - 1)->no_limit;
        }
        i = span->no_limit;
    }
}

/* Ends the innermost span of its name, or of all. */
static ts_code match_end(chrome_trace *c, pair_group *g, const pair_event *end)
{
    const size_t place = end->name == CHROME_NO_NAME ? g->open.n : (size_t)*open_of(g, end->name);
    open_span *span;
    ts_code code;
    if (place == 0) {
        c->n.ends_unmatched++;
        return TS_OK;
    }
    span = span_at(g, place - 1);
    code = close_span(c, g, span, end, end->ts, 0);
    span->over = true;
    *open_of(g, span->begin.name) = span->outer;
    limit_inner(g, place - 1, end->ts);
    while (g->open.n > 0 && span_at(g, g->open.n - 1)->over) {
        g->open.n--;
    }
    return code;
}

static ts_code begin_span(chrome_trace *c, pair_group *g, const pair_event *p)
{
    open_span *open;
    uint32_t *place = open_of(g, p->name);
    if (g->open.n >= UINT32_MAX - 1 ||
        (open = ts_vec_add(c->ctx, &g->open, sizeof *open)) == NULL) {
        return c->ctx->error.code != TS_OK
                   ? c->ctx->error.code
                   : ts_fail(c->ctx, TS_ERR_LIMIT, "too many spans are open at once");
    }
    *open = (open_span){.begin = *p, .outer = *place, .no_limit = (uint32_t)g->open.n - 1};
    *place = (uint32_t)g->open.n;
    return TS_OK;
}

static ts_code end_group(chrome_trace *c, pair_group *g)
{
    ts_code code = TS_OK;
    for (; code == TS_OK && g->open.n > 0; g->open.n--) {
        open_span *span = span_at(g, g->open.n - 1);
        *open_of(g, span->begin.name) = 0;
        if (!span->over && span->has_limit) {
            c->n.ends++;
            c->n.ends_lost++;
            c->n.ends_missing++;
        }
        if (!span->over) {
            code = close_span(c, g, span, NULL, span->limit,
                              span->has_limit ? CHROME_SLICE_LOST : CHROME_SLICE_OPEN);
        }
    }
    return code;
}

static ts_code match(chrome_trace *c, pair_group *g, const pair_event *p)
{
    ts_code code = TS_OK;
    if (!g->any || p->a != g->a || p->b != g->b) {
        code = end_group(c, g);
        g->any = true;
        g->a = p->a;
        g->b = p->b;
        g->ts = p->ts;
        g->first = p->order;
    }
    if (code != TS_OK) {
        return code;
    }
    return is_end(p->phase) ? match_end(c, g, p) : begin_span(c, g, p);
}

ts_code chrome_pairs_finish(chrome_trace *c)
{
    pair_group g = {0};
    const void *record = NULL;
    size_t names = (size_t)c->names.count + 1;
    ts_code code = c->paired ? ts_vec_reserve(c->ctx, &g.names, names, sizeof(uint32_t)) : TS_OK;
    if (code == TS_OK && c->paired) {
        memset(g.names.p, 0, names * sizeof(uint32_t));
        code = ts_sorter_finish(c->pairs);
    }
    while (code == TS_OK && c->paired && (code = ts_sorter_next(&record, c->pairs)) == TS_OK &&
           record != NULL) {
        code = match(c, &g, record);
    }
    TS_STEP(code, end_group(c, &g));
    ts_sorter_close(c->pairs);
    c->pairs = NULL;
    ts_vec_free(c->ctx, &g.open);
    ts_vec_free(c->ctx, &g.names);
    return code;
}
