/*
 * From ids to nodes (base/nearmap.h). Where that takes more than 6 bytes an object beside lists of
 * nodes, objects are sorted by id instead.
 */
#include "parsers/hprof/hprof.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <inttypes.h>

enum { SMALL = 2 << 20 };

/* Of those that are held. */
static const hprof_object *object_at(const hprof_dump *d, uint32_t seq)
{
    return (const hprof_object *)d->list.held.p + seq;
}

/* Seqs without a node below this one. */
static size_t twice_below(const hprof_dump *d, uint32_t seq)
{
    const uint32_t *twice = d->twice.p;
    size_t low = 0;
    size_t high = d->twice.n;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        if (twice[mid] < seq) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

uint32_t hprof_node_of_seq(const hprof_dump *d, uint32_t seq)
{
    size_t below = d->twice.n == 0 ? 0 : twice_below(d, seq);
    bool twice = below < d->twice.n && ((const uint32_t *)d->twice.p)[below] == seq;
    return twice ? HPROF_NONE : 1 + seq - (uint32_t)below;
}

/* The seq of a node of the file. */
static uint32_t seq_of_node(const hprof_dump *d, uint32_t node)
{
    uint32_t low = node - 1;
    uint32_t high = node - 1 + (uint32_t)d->twice.n;
    while (low < high) { /* the least seq with so many nodes up to it */
        uint32_t mid = low + (high - low) / 2;
        if (mid + 1 - (uint32_t)twice_below(d, mid + 1) < node) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

/* --- the map ---------------------------------------------------------------------------------- */

/* Room for the bits of all ids; without blocks they would take too much. */
static ts_code make_room(hprof_dump *d)
{
    const uint64_t most = 3 * (uint64_t)d->objects;
    const ts_nearmap_range range = {d->least, d->greatest, d->all_bits,
                                    most > SMALL ? most : SMALL};
    hprof_cursor at = {.d = d};
    bool fits;
    ts_code code = ts_nearmap_begin(&fits, &d->map, d->f->ctx, &range);
    if (code != TS_OK || !fits) {
        return code;
    }
    for (const hprof_object *o; (o = hprof_list_next(&code, &at)) != NULL;) {
        ts_nearmap_room(&d->map, o->id);
    }
    TS_TRY(code);
    return ts_nearmap_blocks(&fits, &d->map, d->f->ctx);
}

/* --- objects whose id was there before -------------------------------------------------------- */

/* An object of another id has it: only an instance with the id of a class is kept, as the values
 * that the class has as an object. */
static ts_code meet_twice(hprof_dump *d, const hprof_object *o, uint32_t seq)
{
    const uint64_t id = o->id;
    uint64_t number, had;
    TS_TRY(ts_vec_push(d->f->ctx, &d->twice, &seq, sizeof seq));
    if (hprof_kind(o) == TS_JAVA_INSTANCE && ts_idmap_find(&number, &d->class_of, (int64_t)id) &&
        hprof_class_at(d, (uint32_t)number)->known &&
        !ts_idmap_find(&had, &d->body_of, (int64_t)number)) {
        TS_TRY(ts_idmap_put(d->f->ctx, &d->body_of, (int64_t)number, seq));
        return TS_OK;
    }
    d->lost++;
    return ts_issue(d->f->store, d->f->source_id, TS_ISSUE_hprof_duplicate, d->f->name,
                    TS_NO_OFFSET, "the id 0x%" PRIx64 " is there before", id);
}

static int by_number(const void *a, const void *b, void *user)
{
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    (void)user;
    return x < y ? -1 : x > y ? 1 : 0;
}

/* A class, and not one with the id of a class before. */
static bool is_first_class(const hprof_dump *d, uint32_t seq)
{
    const hprof_object *o = object_at(d, seq);
    return hprof_kind(o) == TS_JAVA_CLASS && hprof_class_at(d, o->what & HPROF_NUMBER)->node == seq;
}

/* Classes come first, so that of a class and another object of one id the class has the node. */
static ts_code find_twice_by_map(hprof_dump *d)
{
    size_t classes = d->twice.n; /* classes that were there before: known already */
    hprof_cursor at = {.d = d};
    ts_code code = TS_OK;
    d->lost += classes;
    TS_TRY(classes == 0
               ? TS_OK
               : ts_issue_n(d->f->store, d->f->source_id, TS_ISSUE_hprof_duplicate, d->f->name,
                            TS_NO_OFFSET, classes, "classes with the id of a class before"));
    for (size_t i = 0; i < d->classes.n; i++) {
        const hprof_class *c = hprof_class_at(d, (uint32_t)i);
        if (c->known) {
            ts_nearmap_set(&d->map, c->id);
        }
    }
    for (const hprof_object *o; (o = hprof_list_next(&code, &at)) != NULL;) {
        if (hprof_kind(o) != TS_JAVA_CLASS && ts_nearmap_set(&d->map, o->id)) {
            code = meet_twice(d, o, at.seq);
        }
    }
    ts_sort(d->twice.p, d->twice.n, sizeof(uint32_t), by_number, NULL);
    return code;
}

/* Gives the map the value of each number; put: for the second time, when lists have their places.
 */
static ts_code give_values(hprof_dump *d, bool put)
{
    const uint32_t *twice = d->twice.p;
    hprof_cursor at = {.d = d};
    ts_code code = TS_OK;
    uint32_t other = 0;
    for (const hprof_object *o; (o = hprof_list_next(&code, &at)) != NULL;) {
        if (other < d->twice.n && twice[other] == at.seq) {
            other++;
        } else if (put) {
            ts_nearmap_put(&d->map, o->id, 1 + at.seq - other);
        } else {
            ts_nearmap_value(&d->map, o->id, 1 + at.seq - other);
        }
    }
    return code;
}

static ts_code index_map(hprof_dump *d)
{
    TS_TRY(find_twice_by_map(d));
    ts_nearmap_count(&d->map);
    TS_TRY(give_values(d, false));
    TS_TRY(ts_nearmap_lists(&d->map, d->f->ctx));
    return give_values(d, true);
}

/* --- sorted --------------------------------------------------------------------------------- */

/* By id; of one id the class that counts, then by seq. */
static int by_id(const void *a, const void *b, void *user)
{
    const hprof_dump *d = user;
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    uint64_t p = object_at(d, x)->id;
    uint64_t q = object_at(d, y)->id;
    bool class_x, class_y;
    if (p != q) {
        return p < q ? -1 : 1;
    }
    class_x = is_first_class(d, x);
    class_y = is_first_class(d, y);
    return class_x != class_y ? (class_x ? -1 : 1) : x < y ? -1 : x > y ? 1 : 0;
}

static ts_code index_sorted(hprof_dump *d)
{
    ts_ctx *ctx = d->f->ctx;
    d->twice.n = 0;
    TS_TRY(hprof_list_hold(d));
    TS_NEED(ctx, d->numbers = ts_alloc(ctx, d->objects, sizeof *d->numbers));
    for (uint32_t i = 0; i < d->objects; i++) {
        d->numbers[i] = i;
    }
    ts_sort(d->numbers, d->objects, sizeof *d->numbers, by_id, d);
    for (uint32_t i = 1; i < d->objects; i++) {
        const hprof_object *o = object_at(d, d->numbers[i]);
        if (o->id == object_at(d, d->numbers[i - 1])->id) {
            TS_TRY(meet_twice(d, o, d->numbers[i]));
        }
    }
    ts_sort(d->twice.p, d->twice.n, sizeof(uint32_t), by_number, NULL);
    return TS_OK;
}

ts_code hprof_index(hprof_dump *d)
{
    if (d->objects > 0) {
        TS_TRY(make_room(d));
        TS_TRY(ts_nearmap_made(&d->map) ? index_map(d) : index_sorted(d));
    }
    d->nodes = 1 + d->objects - (uint32_t)d->twice.n;
    for (size_t i = 0; i < d->classes.n; i++) {
        hprof_class *c = hprof_class_at(d, (uint32_t)i);
        c->node = c->known ? hprof_node_of_seq(d, c->node) : HPROF_NONE;
    }
    return TS_OK;
}

void hprof_index_free(hprof_dump *d)
{
    ts_nearmap_free(&d->map, d->f->ctx);
    ts_free(d->f->ctx, d->numbers);
}

/* --- asking ----------------------------------------------------------------------------------- */

/* How many of the sorted objects have an id below this one. */
static uint32_t sorted_below(const hprof_dump *d, uint64_t id)
{
    uint32_t low = 0;
    uint32_t high = d->objects;
    while (low < high) {
        uint32_t mid = low + (high - low) / 2;
        if (object_at(d, d->numbers[mid])->id < id) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

uint32_t hprof_node_of(const hprof_dump *d, uint64_t id)
{
    if (ts_nearmap_made(&d->map)) {
        return ts_nearmap_find(&d->map, id);
    }
    if (d->objects == 0 || id < d->least || id > d->greatest) {
        return HPROF_NONE;
    }
    uint32_t at = sorted_below(d, id);
    bool there = at < d->objects && object_at(d, d->numbers[at])->id == id;
    return there ? hprof_node_of_seq(d, d->numbers[at]) : HPROF_NONE;
}

void hprof_nodes_of(uint32_t *nodes, const hprof_dump *d, const uint64_t *ids, unsigned n)
{
    if (ts_nearmap_made(&d->map)) {
        for (unsigned i = 0; i < n; i++) {
            ts_nearmap_hint(&d->map, ids[i]);
        }
        for (unsigned i = 0; i < n; i++) {
            ts_nearmap_hint_block(&d->map, ids[i]);
        }
    }
    for (unsigned i = 0; i < n; i++) {
        nodes[i] = ids[i] == 0 ? HPROF_NONE : hprof_node_of(d, ids[i]);
    }
}

uint32_t hprof_target_of(const hprof_dump *d, uint64_t id)
{
    uint32_t node = hprof_node_of(d, id);
    uint64_t number;
    return node != HPROF_NONE || !ts_idmap_find(&number, &d->class_of, (int64_t)id)
               ? node
               : hprof_class_at(d, (uint32_t)number)->node;
}

uint64_t hprof_next_id(const hprof_dump *d, uint64_t id)
{
    if (id >= d->greatest) {
        return 0;
    }
    return ts_nearmap_made(&d->map) ? ts_nearmap_next(&d->map, id)
                                    : object_at(d, d->numbers[sorted_below(d, id + 1)])->id;
}

/* Each step costs some of what the file may cost: objects may have millions of roots between them.
 */
static bool afford(hprof_file *f, const hprof_sub *s)
{
    uint64_t cost = s->tag == HPROF_CLASS ? s->next - s->at : 16;
    f->text_budget -= f->text_budget < cost ? f->text_budget : cost;
    return f->text_budget > 0;
}

static size_t segment_of(const hprof_file *f, uint64_t pos)
{
    const hprof_segment *segments = f->segments.p;
    size_t low = 0;
    size_t high = f->segments.n;
    while (low + 1 < high) {
        size_t mid = low + (high - low) / 2;
        if (segments[mid].at <= pos) {
            low = mid;
        } else {
            high = mid;
        }
    }
    return low;
}

/* The walk of the call before goes on when that is nearer than a place that is kept: strings and
 * their arrays mostly come in the order of the file. */
static void walk_to(hprof_dump *d, uint32_t seq)
{
    const bool near = d->near_seq <= seq && seq - d->near_seq <= seq % HPROF_STEP;
    if (!near) {
        d->near_walk = (hprof_walk){.f = d->f, .in = &d->f->near, .dump = d->number};
        d->near_walk.pos = ((const uint64_t *)d->places.p)[seq / HPROF_STEP];
        d->near_walk.segment = segment_of(d->f, d->near_walk.pos);
        d->near_seq = seq / HPROF_STEP * HPROF_STEP;
    }
}

ts_code hprof_record_of_seq(hprof_sub *s, bool *got, hprof_dump *d, uint32_t seq)
{
    walk_to(d, seq);
    while (d->near_seq <= seq) {
        TS_TRY(hprof_walk_next(s, got, &d->near_walk));
        *got = *got && afford(d->f, s);
        if (!*got) {
            d->near_seq = UINT32_MAX; /* the walk has ended */
            return TS_OK;
        }
        d->near_seq += hprof_is_object(s->tag) ? 1 : 0;
    }
    return TS_OK;
}

ts_code hprof_record_of(hprof_sub *s, bool *got, hprof_dump *d, uint32_t node)
{
    *got = false;
    return node == 0 || node > d->objects - d->twice.n
               ? TS_OK
               : hprof_record_of_seq(s, got, d, seq_of_node(d, node));
}
