/*
 * From ids to nodes. Ids are multiples of a power of two from the least one on: a bit for each
 * that is there, in blocks of which the empty ones are left out, counts of bits before each block,
 * and the nodes by the rank of their bit. Where that takes more than 4 bytes an object beside the
 * nodes, objects are sorted by id instead.
 */
#include "parsers/hprof/hprof.h"

#include "base/alloc.h"
#include "base/sort.h"

#include <inttypes.h>

enum { BLOCK_WORDS = 8, BLOCK_BITS = 64 * BLOCK_WORDS, SMALL = 1 << 20, KIND_BITS = 29 };

static const uint64_t *ids_of(const hprof_dump *d)
{
    return d->ids.p;
}

static unsigned kind_of(const hprof_dump *d, uint32_t seq)
{
    return ((const uint32_t *)d->what.p)[seq] >> KIND_BITS;
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

/* --- bits ----------------------------------------------------------------------------------- */

static uint64_t bit_of(const hprof_dump *d, uint64_t id)
{
    return (id - d->least) >> d->shift;
}

/* The words of the block that has the bit, or NULL: it has none. */
static uint64_t *block_of(const hprof_bits *b, uint64_t bit)
{
    const uint32_t block = b->directory[bit / BLOCK_BITS];
    return block == 0 ? NULL : b->words + (size_t)(block - 1) * BLOCK_WORDS;
}

static bool is_set(const hprof_bits *b, uint64_t bit)
{
    const uint64_t *words = block_of(b, bit);
    return words != NULL && (words[bit / 64 % BLOCK_WORDS] >> (bit % 64) & 1) != 0;
}

/* Of a bit that is set. */
static uint32_t rank(const hprof_bits *b, uint64_t bit)
{
    const uint64_t *words = block_of(b, bit);
    const uint64_t word = bit / 64 % BLOCK_WORDS;
    uint32_t n = b->counts[b->directory[bit / BLOCK_BITS] - 1];
    for (uint64_t i = 0; i < word; i++) {
        n += (uint32_t)__builtin_popcountll(words[i]);
    }
    return n + (uint32_t)__builtin_popcountll(words[word] & ((UINT64_C(1) << bit % 64) - 1));
}

static void count_bits(hprof_bits *b)
{
    uint32_t n = 0;
    for (uint32_t block = 0; block < b->blocks; block++) {
        b->counts[block] = n;
        for (unsigned i = 0; i < BLOCK_WORDS; i++) {
            n += (uint32_t)__builtin_popcountll(b->words[(size_t)block * BLOCK_WORDS + i]);
        }
    }
}

/* Whether the id has a bit already, which it has now. */
static bool set_bit(hprof_dump *d, uint64_t id)
{
    const uint64_t bit = bit_of(d, id);
    uint64_t *word = &block_of(&d->bits, bit)[bit / 64 % BLOCK_WORDS];
    const uint64_t mask = UINT64_C(1) << bit % 64;
    const bool had = (*word & mask) != 0;
    *word |= mask;
    return had;
}

static void free_bits(hprof_dump *d)
{
    ts_ctx *ctx = d->f->ctx;
    ts_free(ctx, d->bits.directory);
    ts_free(ctx, d->bits.words);
    ts_free(ctx, d->bits.counts);
    ts_free(ctx, d->bits.places);
    d->bits = (hprof_bits){0};
}

/* Numbers of the blocks that ids need, in their order, and room for them. Without words: they would
 * take too much. */
static ts_code make_blocks(hprof_dump *d)
{
    hprof_bits *b = &d->bits;
    ts_ctx *ctx = d->f->ctx;
    const uint64_t most = 2 * (uint64_t)d->objects > SMALL ? 2 * (uint64_t)d->objects : SMALL;
    const uint64_t blocks = bit_of(d, d->greatest) / BLOCK_BITS + 1;
    if (blocks > most / sizeof *b->directory) {
        return TS_OK;
    }
    b->directory_n = blocks;
    TS_NEED(ctx, b->directory = ts_zalloc(ctx, (size_t)blocks, sizeof *b->directory));
    for (uint32_t seq = 0; seq < d->objects; seq++) {
        b->directory[bit_of(d, ids_of(d)[seq]) / BLOCK_BITS] = 1;
    }
    for (uint64_t i = 0; i < blocks; i++) {
        b->directory[i] = b->directory[i] == 0 ? 0 : ++b->blocks;
    }
    if (b->blocks > most / (BLOCK_WORDS * sizeof *b->words)) {
        free_bits(d);
        return TS_OK;
    }
    TS_NEED(ctx, b->words = ts_zalloc(ctx, (size_t)b->blocks * BLOCK_WORDS, sizeof *b->words));
    TS_NEED(ctx, b->counts = ts_alloc(ctx, b->blocks, sizeof *b->counts));
    TS_NEED(ctx, b->places = ts_alloc(ctx, b->blocks, sizeof *b->places));
    for (uint64_t i = 0; i < blocks; i++) {
        if (b->directory[i] != 0) {
            b->places[b->directory[i] - 1] = (uint32_t)i;
        }
    }
    return TS_OK;
}

/* --- objects whose id was there before -------------------------------------------------------- */

/* An object of another id has it: only an instance with the id of a class is kept, as the values
 * that the class has as an object. */
static ts_code meet_twice(hprof_dump *d, uint32_t seq)
{
    uint64_t id = ids_of(d)[seq];
    uint64_t number, had;
    TS_TRY(ts_vec_push(d->f->ctx, &d->twice, &seq, sizeof seq));
    if (kind_of(d, seq) == TS_JAVA_INSTANCE && ts_idmap_find(&number, &d->class_of, (int64_t)id) &&
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

static bool is_class_twice(const hprof_dump *d, uint32_t seq)
{
    uint32_t class = ((const uint32_t *)d->what.p)[seq] & ((1U << KIND_BITS) - 1);
    return kind_of(d, seq) == TS_JAVA_CLASS && hprof_class_at(d, class)->node != seq;
}

/* Classes come first, so that of a class and another object of one id the class has the node. */
static ts_code find_twice_by_bits(hprof_dump *d)
{
    size_t classes = d->twice.n; /* classes that were there before: known already */
    d->lost += classes;
    TS_TRY(classes == 0
               ? TS_OK
               : ts_issue_n(d->f->store, d->f->source_id, TS_ISSUE_hprof_duplicate, d->f->name,
                            TS_NO_OFFSET, classes, "classes with the id of a class before"));
    for (size_t i = 0; i < d->classes.n; i++) {
        const hprof_class *c = hprof_class_at(d, (uint32_t)i);
        if (c->known) {
            set_bit(d, c->id);
        }
    }
    for (uint32_t seq = 0; seq < d->objects; seq++) {
        if (kind_of(d, seq) != TS_JAVA_CLASS && set_bit(d, ids_of(d)[seq])) {
            TS_TRY(meet_twice(d, seq));
        }
    }
    ts_sort(d->twice.p, d->twice.n, sizeof(uint32_t), by_number, NULL);
    return TS_OK;
}

static ts_code index_bits(hprof_dump *d)
{
    hprof_bits *b = &d->bits;
    ts_ctx *ctx = d->f->ctx;
    TS_TRY(find_twice_by_bits(d));
    TS_NEED(ctx, d->numbers = ts_alloc(ctx, d->objects, sizeof *d->numbers));
    count_bits(b);
    const uint32_t *twice = d->twice.p;
    for (uint32_t seq = 0, at = 0; seq < d->objects; seq++) {
        if (at < d->twice.n && twice[at] == seq) {
            at++;
        } else {
            d->numbers[rank(b, bit_of(d, ids_of(d)[seq]))] = 1 + seq - at;
        }
    }
    return TS_OK;
}

/* --- sorted --------------------------------------------------------------------------------- */

/* By id; of one id the class that counts, then by seq. */
static int by_id(const void *a, const void *b, void *user)
{
    const hprof_dump *d = user;
    uint32_t x = *(const uint32_t *)a;
    uint32_t y = *(const uint32_t *)b;
    uint64_t p = ids_of(d)[x];
    uint64_t q = ids_of(d)[y];
    bool class_x, class_y;
    if (p != q) {
        return p < q ? -1 : 1;
    }
    class_x = kind_of(d, x) == TS_JAVA_CLASS && !is_class_twice(d, x);
    class_y = kind_of(d, y) == TS_JAVA_CLASS && !is_class_twice(d, y);
    return class_x != class_y ? (class_x ? -1 : 1) : x < y ? -1 : x > y ? 1 : 0;
}

static ts_code index_sorted(hprof_dump *d)
{
    ts_ctx *ctx = d->f->ctx;
    d->twice.n = 0;
    TS_NEED(ctx, d->numbers = ts_alloc(ctx, d->objects, sizeof *d->numbers));
    for (uint32_t i = 0; i < d->objects; i++) {
        d->numbers[i] = i;
    }
    ts_sort(d->numbers, d->objects, sizeof *d->numbers, by_id, d);
    for (uint32_t i = 1; i < d->objects; i++) {
        if (ids_of(d)[d->numbers[i]] == ids_of(d)[d->numbers[i - 1]]) {
            TS_TRY(meet_twice(d, d->numbers[i]));
        }
    }
    ts_sort(d->twice.p, d->twice.n, sizeof(uint32_t), by_number, NULL);
    return TS_OK;
}

ts_code hprof_index(hprof_dump *d)
{
    if (d->objects > 0) {
        d->shift = d->all_bits == 0 ? 0 : (unsigned)__builtin_ctzll(d->all_bits);
        TS_TRY(make_blocks(d));
        TS_TRY(d->bits.words != NULL ? index_bits(d) : index_sorted(d));
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
    free_bits(d);
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
        if (ids_of(d)[d->numbers[mid]] < id) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return low;
}

uint32_t hprof_node_of(const hprof_dump *d, uint64_t id)
{
    if (d->objects == 0 || id < d->least || id > d->greatest) {
        return HPROF_NONE;
    }
    if (d->bits.words != NULL) {
        uint64_t bit = bit_of(d, id);
        bool there =
            (id - d->least) >> d->shift << d->shift == id - d->least && is_set(&d->bits, bit);
        return there ? d->numbers[rank(&d->bits, bit)] : HPROF_NONE;
    }
    uint32_t at = sorted_below(d, id);
    bool there = at < d->objects && ids_of(d)[d->numbers[at]] == id;
    return there ? hprof_node_of_seq(d, d->numbers[at]) : HPROF_NONE;
}

uint32_t hprof_target_of(const hprof_dump *d, uint64_t id)
{
    uint32_t node = hprof_node_of(d, id);
    uint64_t number;
    return node != HPROF_NONE || !ts_idmap_find(&number, &d->class_of, (int64_t)id)
               ? node
               : hprof_class_at(d, (uint32_t)number)->node;
}

/* The id after this one, which is there and not the greatest. */
static uint64_t next_by_bits(const hprof_dump *d, uint64_t id)
{
    const hprof_bits *b = &d->bits;
    const uint64_t bit = bit_of(d, id);
    uint32_t block = b->directory[bit / BLOCK_BITS] - 1;
    uint64_t word = (uint64_t)block * BLOCK_WORDS + bit / 64 % BLOCK_WORDS;
    uint64_t left = b->words[word] >> bit % 64 >> 1 << bit % 64 << 1;
    while (left == 0) {
        left = b->words[++word];
    }
    block = (uint32_t)(word / BLOCK_WORDS);
    return d->least + (((uint64_t)b->places[block] * BLOCK_BITS + word % BLOCK_WORDS * 64 +
                        (unsigned)__builtin_ctzll(left))
                       << d->shift);
}

uint64_t hprof_next_id(const hprof_dump *d, uint64_t id)
{
    if (id >= d->greatest) {
        return 0;
    }
    if (d->bits.words == NULL) {
        return ids_of(d)[d->numbers[sorted_below(d, id + 1)]];
    }
    return next_by_bits(d, id);
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

ts_code hprof_record_of_seq(hprof_sub *s, bool *got, hprof_dump *d, uint32_t seq)
{
    hprof_walk w = {.f = d->f, .in = &d->f->near, .dump = d->number};
    w.pos = ((const uint64_t *)d->places.p)[seq / HPROF_STEP];
    w.segment = segment_of(d->f, w.pos);
    for (uint32_t at = seq / HPROF_STEP * HPROF_STEP; at <= seq;) {
        TS_TRY(hprof_walk_next(s, got, &w));
        *got = *got && afford(d->f, s);
        if (!*got) {
            return TS_OK;
        }
        at += hprof_is_object(s->tag) ? 1 : 0;
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
