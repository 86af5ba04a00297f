/*
 * Stacks that were met before, by the bytes of their lists of locations: most samples of a profile
 * that was not added up have one of a few. Of a group of places that is full, what was met first
 * goes.
 *
 * No base/index: it has to forget all at once when it is full, and a conversion of 1 million
 * samples with 200 000 stacks took 28 % longer by user CPU; with SipHash of the lists, too, 37 %.
 */
#include "parsers/pprof/pprof.h"

#include "base/alloc.h"

/* When less than one in RARE of LOOK lists was there, the next PASS are not looked for. */
enum {
    FIRST_SLOTS = 1 << 10,
    MOST_SLOTS = 1 << 17,
    GROUP = 4,
    LOOK = 1 << 13,
    RARE = 32,
    PASS = 1 << 16
};

/* The group of a list. */
static pprof_stack *group_of(const pprof_stacks *stacks, uint64_t a)
{
    return &stacks->slots[a & (stacks->slot_count - GROUP)];
}

static uint64_t load64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

static uint64_t load32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return v;
}

/* A list of less than 16 bytes as two words, which with its length say what it is. */
static void load_short(uint64_t out[2], const uint8_t *p, size_t n)
{
    if (n >= 8) {
        out[0] = load64(p);
        out[1] = load64(p + n - 8);
    } else if (n >= 4) {
        out[0] = load32(p);
        out[1] = load32(p + n - 4);
    } else {
        out[0] = n == 0 ? 0 : (uint64_t)p[0] << 16 | (uint64_t)p[n / 2] << 8 | p[n - 1];
        out[1] = 0;
    }
}

/*
 * NH (Black, Halevi, Krawczyk, Krovetz and Rogaway, "UMAC"): pairs of words, to which random ones
 * are added, multiplied; the sum and the length are folded to 96 bits by random factors
 * (Dietzfelbinger). Of two lists, whatever they are, both have the same with a probability of
 * little more than 2^-64. A list is compared with four others.
 */
static pprof_stack_key hash_words(const pprof_stacks *stacks, const uint8_t *p, size_t n)
{
    const uint64_t *random = stacks->random;
    unsigned __int128 sum = 0;
    uint64_t last[2];
    for (size_t at = 0; at + 16 < n; at += 16, random += 2) {
        sum += (unsigned __int128)(load64(p + at) + random[0]) * (load64(p + at + 8) + random[1]);
    }
    if (n >= 16) { /* the last words may have bytes of those before */
        last[0] = load64(p + n - 16);
        last[1] = load64(p + n - 8);
    } else {
        load_short(last, p, n);
    }
    sum += (unsigned __int128)(last[0] + random[0]) * (last[1] + random[1]);
    sum = (uint64_t)sum * stacks->fold[0] + (uint64_t)(sum >> 64) * stacks->fold[1] +
          n * stacks->fold[2];
    return (pprof_stack_key){(uint64_t)(sum >> 64), (uint32_t)(sum >> 32)};
}

void pprof_stacks_begin(pprof *p)
{
    const ts_hash_key *key = &p->job->ctx->hash_key;
    int64_t n = 0;
    for (size_t i = 0; i < PPROF_HASH_WORDS; i++) {
        p->stacks.random[i] = ts_hash_number(key, n++);
    }
    for (size_t i = 0; i < sizeof p->stacks.fold / sizeof p->stacks.fold[0]; i++, n += 2) {
        p->stacks.fold[i] =
            (unsigned __int128)ts_hash_number(key, n) << 64 | ts_hash_number(key, n + 1) | 1;
    }
}

bool pprof_stack_hash(pprof_stack_key *key, pprof *p, const uint8_t *packed, size_t n)
{
    pprof_stacks *stacks = &p->stacks;
    ts_hash h;
    if (stacks->pass > 0) {
        stacks->pass--;
        return false;
    }
    if (n <= sizeof stacks->random) {
        *key = hash_words(stacks, packed, n);
    } else {
        h = ts_hash_begin(&p->job->ctx->hash_key);
        ts_hash_bytes(&h, (const char *)packed, n);
        key->a = ts_hash_end(&h);
        key->b = (uint32_t)ts_hash_more(&h);
    }
    if (stacks->slots != NULL) {
        __builtin_prefetch(group_of(stacks, key->a));
    }
    return true;
}

uint32_t pprof_stack_find(pprof *p, pprof_stack_key key)
{
    pprof_stacks *stacks = &p->stacks;
    if (stacks->looked == LOOK) {
        stacks->pass = stacks->found < LOOK / RARE ? PASS : 0;
        stacks->looked = 0;
        stacks->found = 0;
    }
    stacks->looked++;
    const pprof_stack *slot = stacks->slots == NULL ? NULL : group_of(stacks, key.a);
    for (size_t i = 0; slot != NULL && i < GROUP; i++) {
        if (slot[i].a == key.a && slot[i].b == key.b && slot[i].node != 0) {
            stacks->found++;
            return slot[i].node;
        }
    }
    return 0;
}

/* A place in the group of a hash: a free one, or NULL. */
static pprof_stack *free_place(const pprof_stacks *stacks, uint64_t a)
{
    pprof_stack *group = group_of(stacks, a);
    size_t i = 0;
    while (i < GROUP && group[i].node != 0) {
        i++;
    }
    return i < GROUP ? &group[i] : NULL;
}

static ts_code grow(ts_ctx *ctx, pprof_stacks *stacks)
{
    pprof_stack *old = stacks->slots;
    size_t n = stacks->slot_count;
    size_t count = n == 0 ? FIRST_SLOTS : 2 * n;
    pprof_stack *slots = ts_zalloc(ctx, count, sizeof *slots);
    TS_NEED(ctx, slots);
    stacks->slots = slots;
    stacks->slot_count = count;
    for (size_t i = 0; i < n; i++) { /* a group becomes two: there is room */
        if (old[i].node != 0) {
            *free_place(stacks, old[i].a) = old[i];
        }
    }
    ts_free(ctx, old);
    return TS_OK;
}

ts_code pprof_stack_add(pprof *p, pprof_stack_key key, uint32_t node)
{
    pprof_stacks *stacks = &p->stacks;
    pprof_stack *place = stacks->slots == NULL ? NULL : free_place(stacks, key.a);
    if (place == NULL && stacks->count >= stacks->slot_count / 2 &&
        stacks->slot_count < MOST_SLOTS) {
        TS_TRY(grow(p->job->ctx, stacks));
        place = free_place(stacks, key.a);
    }
    stacks->count += place != NULL ? 1 : 0;
    if (place == NULL) {
        place = group_of(stacks, key.a) + stacks->turn++ % GROUP;
    }
    *place = (pprof_stack){key.a, key.b, node};
    return TS_OK;
}

void pprof_stacks_free(ts_ctx *ctx, pprof_stacks *stacks)
{
    ts_free(ctx, stacks->slots);
    *stacks = (pprof_stacks){0};
}
