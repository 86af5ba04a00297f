/* The nodes of two heap files, each sorted by id, merged. */
#include "base/alloc.h"
#include "base/sorter.h"
#include "model/heaps.h"

typedef struct match_side {
    ts_sorter *sorter;
    ts_heap_node at;          /* the copy of one whose id is looked at */
    const ts_heap_node *next; /* the one after it; NULL: the end */
    bool there;
} match_side;

struct ts_heap_match {
    ts_ctx *ctx;
    match_side sides[2];
    ts_heap_evidence evidence;
    ts_heap_node given[2]; /* the last pair */
    bool begun;
};

ts_code ts_heap_match_new(ts_heap_match **out, ts_ctx *ctx, size_t memory)
{
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 2};
    ts_heap_match *m = ts_zalloc(ctx, 1, sizeof *m);
    ts_code code = m == NULL ? ctx->error.code : TS_OK;
    *out = m;
    for (unsigned side = 0; code == TS_OK && side < 2; side++) {
        m->ctx = ctx;
        code = ts_sorter_open(&m->sides[side].sorter, ctx, sizeof(ts_heap_node), &order, memory);
    }
    return code;
}

void ts_heap_match_free(ts_heap_match *m)
{
    if (m != NULL) {
        ts_sorter_close(m->sides[0].sorter);
        ts_sorter_close(m->sides[1].sorter);
        ts_free(m->ctx, m);
    }
}

static int64_t id_of(const ts_heap_node *node)
{
    return (int64_t)(node->id ^ (UINT64_C(1) << 63));
}

ts_code ts_heap_match_add(ts_heap_match *m, unsigned side, const ts_heap_node *node)
{
    int64_t id = id_of(node);
    if (side == 0 && id % 2 != 0 && id > m->evidence.last_old) {
        m->evidence.last_old = id;
    }
    return ts_sorter_add(m->sides[side].sorter, node);
}

static ts_code match_take(match_side *s)
{
    const void *record;
    s->there = s->next != NULL;
    if (!s->there) {
        return TS_OK;
    }
    s->at = *s->next;
    ts_code code = ts_sorter_next(&record, s->sorter);
    s->next = code == TS_OK ? record : NULL;
    return code;
}

static ts_code match_begin(ts_heap_match *m)
{
    ts_code code = TS_OK;
    m->begun = true;
    for (unsigned side = 0; code == TS_OK && side < 2; side++) {
        match_side *s = &m->sides[side];
        const void *record = NULL;
        code = ts_sorter_finish(s->sorter);
        if (code == TS_OK && (code = ts_sorter_next(&record, s->sorter)) == TS_OK) {
            s->next = record;
            code = match_take(s);
        }
    }
    return code;
}

/* < 0: the older side's node is alone; 0: they are one. */
static int match_order(const match_side *a, const match_side *b)
{
    if (!a->there || !b->there) {
        return a->there ? -1 : 1;
    }
    if (a->at.id != b->at.id) {
        return a->at.id < b->at.id ? -1 : 1;
    }
    bool last = (a->next == NULL || a->next->id != a->at.id) &&
                (b->next == NULL || b->next->id != b->at.id);
    return last ? 0 : (a->at.class > b->at.class) - (a->at.class < b->at.class);
}

ts_code ts_heap_match_next(const ts_heap_node *pair[2], ts_heap_match *m)
{
    match_side *a = &m->sides[0];
    match_side *b = &m->sides[1];
    ts_code code = m->begun ? TS_OK : match_begin(m);
    pair[0] = pair[1] = NULL;
    if (code != TS_OK || (!a->there && !b->there)) {
        return code;
    }
    int order = match_order(a, b);
    if (order <= 0) {
        m->given[0] = a->at;
        pair[0] = &m->given[0];
        code = match_take(a);
    }
    if (code == TS_OK && order >= 0) {
        m->given[1] = b->at;
        pair[1] = &m->given[1];
        code = match_take(b);
    }
    if (code == TS_OK && pair[1] != NULL) {
        ts_heap_note(&m->evidence, id_of(pair[1]), pair[0] != NULL,
                     pair[0] != NULL && pair[0]->class == pair[1]->class &&
                         pair[0]->size == pair[1]->size);
    }
    return code;
}

const ts_heap_evidence *ts_heap_match_evidence(const ts_heap_match *m)
{
    return &m->evidence;
}
