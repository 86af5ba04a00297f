/*
 * Strings of one text. The text of a concatenated string is that of its leaves, up to those that
 * make 1024 UTF-16 units. It is not put together: texts have hashes of which that of two texts
 * after each other can be computed (polynomials modulo 2^61 - 1, at two points that are drawn anew
 * for every run). Only strings that are as long as one of them need a hash too. Chains along
 * `first`, which programs make by adding to a string again and again, share what is computed, so
 * that they are linear.
 */
#include "analysis/heap/duplicates.h"

#include "base/alloc.h"

#include <stdlib.h>

enum {
    WIDTH = 1024,      /* UTF-16 units of a concatenated string */
    MAX_VISITS = 65536 /* nodes of one, when they hold each other */
};

/* Visits that rings of concatenated strings may cost all together. */
#define RING_VISITS (UINT64_C(1) << 28)

static const uint64_t prime = (UINT64_C(1) << 61) - 1;

/* --- hashes of texts ------------------------------------------------------------------------ */

static uint64_t times(uint64_t a, uint64_t b)
{
    unsigned __int128 p = (unsigned __int128)a * b;
    uint64_t r = (uint64_t)(p & prime) + (uint64_t)(p >> 61);
    return r >= prime ? r - prime : r;
}

static uint64_t plus(uint64_t a, uint64_t b)
{
    uint64_t r = a + b;
    return r >= prime ? r - prime : r;
}

/* A text: its hash, base to the power of its bytes, their number, its UTF-16 units (WIDTH: that
 * many or more). */
typedef struct mark {
    uint64_t hash[2];
    uint64_t power[2];
    uint64_t bytes;
    uint32_t units;
} mark;

/* A string, until a second one has its text. */
typedef struct entry {
    uint64_t key[2];
    uint32_t node;
    uint32_t group; /* HG_NONE: none yet */
} entry;

/* What a string is looked up by. */
typedef struct pending {
    entry wanted;
    hg_group made;
} pending;

enum { WAITING = 16 };

typedef struct found {
    hg *g;
    hg_duplicates *d;
    uint64_t base[2];
    mark *texts; /* of strings that are parts, or the text of a concatenated string */
    size_t text_room;
    uint32_t text_count;
    uint32_t *text_of; /* of a string: its place in `texts`, or HG_NONE */
    uint32_t *uses;    /* string nodes of a string: 2 means more too; then, from GROUPS on, the
                        * group of those with no other key */
    mark *whole;       /* of concatenated strings, by their number */
    uint8_t *state;    /* NEW, OPEN: under way, DONE, CUT: the beginning, LEFT_OUT */
    uint32_t *which;   /* nodes of the concatenated strings */
    uint32_t *first;   /* what their first parts lead to */
    uint32_t *second;
    uint32_t concatenated;
    size_t truncated; /* at most so many strings are */
    uint32_t *stack;
    ts_index index; /* of texts, then of entries */
    uint64_t ring_visits;
    entry *entries;
    uint32_t entry_count;
    pending *waiting; /* strings whose slots are being fetched: a ring */
    unsigned waiting_n;
    size_t part; /* the first part of a node at or after the one that is looked at */
} found;

enum { NEW, OPEN, DONE, CUT, LEFT_OUT };
enum { GROUPS = 3 };

static const mark nothing = {{0, 0}, {1, 1}, 0, 0};

static void append(mark *to, const mark *more)
{
    for (unsigned i = 0; i < 2; i++) {
        to->hash[i] = plus(times(to->hash[i], more->power[i]), more->hash[i]);
        to->power[i] = times(to->power[i], more->power[i]);
    }
    to->bytes += more->bytes;
    to->units = to->units + more->units < WIDTH ? to->units + more->units : (uint32_t)WIDTH;
}

static void mark_bytes(mark *m, const found *f, const char *p, size_t n)
{
    uint32_t units = m->units;
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)p[i];
        units += hg_units(c);
        units = units < WIDTH ? units : (uint32_t)WIDTH;
        for (unsigned k = 0; k < 2; k++) {
            m->hash[k] = plus(times(m->hash[k], f->base[k]), c + 1U);
            m->power[k] = times(m->power[k], f->base[k]);
        }
    }
    m->bytes += n;
    m->units = units;
}

static void mark_part(void *user, const char *p, size_t n)
{
    found *f = user;
    mark_bytes(&f->texts[f->text_count], f, p, n);
}

/* The text of a string of the file. */
static ts_code mark_string(found *f, uint32_t string)
{
    const ts_batch *b;
    ts_code code;
    TS_TRY_INTO(code, hg_string_row(&b, f->g, string));
    f->texts[f->text_count] = nothing;
    code = hg_text_parts(f->g->ctx, f->g->texts, b, 0, mark_part, f);
    f->text_of[string] = f->text_count++;
    return code;
}

/* --- names and texts ------------------------------------------------------------------------ */

static bool is_concatenated(const hg *g, uint32_t node)
{
    return hg_kind(g->flags[node]) == HG_KIND_CONCATENATED;
}

/* Strings that are parts of concatenated ones: those that have a place in `texts`. */
static ts_code mark_parts(found *f)
{
    hg *g = f->g;
    const hg_part *parts = g->parts.p;
    size_t marked = 0;
    ts_code code = TS_OK;
    if (f->concatenated == 0) {
        return TS_OK;
    }
    for (size_t i = 0; i <= g->parts.n; i++) {
        uint32_t to = i < g->parts.n ? parts[i].target : 0;
        if (f->g->name[to] != HG_NONE && !is_concatenated(g, to)) {
            marked += f->text_of[f->g->name[to]] == HG_NONE ? 1 : 0;
            f->text_of[f->g->name[to]] = 0; /* in the order of strings below */
        }
    }
    /* Texts of strings are different, so that at most one has the text of a concatenated one. */
    f->text_room = marked + f->concatenated + 1;
    TS_NEED(g->ctx, f->texts = hg_take(g, f->text_room, sizeof *f->texts));
    for (uint32_t i = 0; i < g->strings.count && code == TS_OK; i++) {
        code = f->text_of[i] == HG_NONE ? TS_OK : mark_string(f, i);
    }
    return code;
}

/* --- concatenated strings ------------------------------------------------------------------- */

/* Of a concatenated string. */
static uint32_t number_of(const found *f, uint32_t node)
{
    return f->g->name[node];
}

/* What the first part of this name leads to; `otherwise` when there is none. */
static uint32_t part_of(const hg *g, uint32_t node, uint32_t word, uint32_t otherwise)
{
    const hg_part *parts = g->parts.p;
    for (size_t i = hg_search(&g->parts, sizeof *parts, node);
         i < g->parts.n && parts[i].node == node; i++) {
        if (parts[i].word == word) {
            return parts[i].target;
        }
    }
    return otherwise;
}

/* Detached native nodes have another name than in the file. */
static bool is_renamed(const hg *g, uint32_t node)
{
    return g->has_detachedness && hg_kind(g->flags[node]) == HG_KIND_NATIVE &&
           hg_detachedness(g->flags[node]) == 2;
}

/* renamed: place for a text that is not among the others. */
static const mark *text_of_leaf(mark *renamed, const found *f, uint32_t node)
{
    uint32_t name = f->g->name[node];
    const mark *text =
        name == HG_NONE || f->text_of[name] == HG_NONE ? &nothing : &f->texts[f->text_of[name]];
    if (!is_renamed(f->g, node)) {
        return text;
    }
    *renamed = nothing;
    mark_bytes(renamed, f, HG_DETACHED, sizeof HG_DETACHED - 1);
    append(renamed, text);
    return renamed;
}

/* Adds the leaves below `node` until there are WIDTH units. False: `limit` nodes were visited
 * before that. */
static bool add_leaves(mark *to, found *f, uint32_t node, uint32_t *visits, uint32_t limit)
{
    uint32_t top = 0;
    f->stack[top++] = node;
    while (top > 0 && to->units < WIDTH) {
        uint32_t v = f->stack[--top];
        uint32_t number;
        if ((*visits)++ >= limit) {
            return false;
        }
        if (!is_concatenated(f->g, v)) {
            mark renamed;
            append(to, text_of_leaf(&renamed, f, v));
            continue;
        }
        number = number_of(f, v);
        if (f->state[number] == DONE && to->units + f->whole[number].units < WIDTH) {
            append(to, &f->whole[number]); /* all of it */
            continue;
        }
        f->stack[top++] = f->second[number];
        f->stack[top++] = f->first[number];
    }
    return true;
}

/* The text of a concatenated string after `first`, from `node` on. */
static void finish_whole(found *f, uint32_t number, const mark *first, uint32_t node)
{
    bool much = f->ring_visits >= RING_VISITS; /* what may still be looked at is little */
    uint32_t visits = 0;
    bool whole;
    f->whole[number] = *first;
    whole = first->units >= WIDTH ||
            add_leaves(&f->whole[number], f, node, &visits, much ? 2 * WIDTH : MAX_VISITS);
    f->state[number] = DONE;
    if (!whole) {
        f->ring_visits += visits;
        f->state[number] = much ? LEFT_OUT : CUT;
    }
}

/* Goes along `first` to what is known, and back. The way back is kept where the texts will be.
 */
static void find_whole(found *f, uint32_t v)
{
    const hg *g = f->g;
    uint32_t back = HG_NONE;
    uint32_t first = f->which[v];
    while (is_concatenated(g, first) && f->state[number_of(f, first)] == NEW) {
        v = number_of(f, first);
        f->whole[v].units = back;
        f->state[v] = OPEN;
        back = v;
        first = f->first[v];
    }
    while (back != HG_NONE) {
        uint32_t known = is_concatenated(g, first) ? number_of(f, first) : HG_NONE;
        v = back;
        back = f->whole[v].units;
        if (known != HG_NONE && f->state[known] != DONE) { /* a ring */
            finish_whole(f, v, &nothing, f->which[v]);
        } else {
            mark renamed;
            finish_whole(f, v,
                         known == HG_NONE ? text_of_leaf(&renamed, f, first) : &f->whole[known],
                         f->second[v]);
        }
        first = f->which[v];
    }
}

static ts_code find_all_whole(found *f)
{
    ts_code code = TS_OK;
    for (uint32_t v = 0; v < f->concatenated && code == TS_OK; v++) {
        find_whole(f, v);
        code = hg_poll(f->g->ctx, v);
    }
    return code;
}

/* V8 has made one string of both parts: one of them is empty. */
static bool is_flat(const found *f, uint32_t node)
{
    const hg_part *parts = f->g->parts.p;
    for (size_t i = f->part; i < f->g->parts.n && parts[i].node == node; i++) {
        uint32_t to = parts[i].target;
        mark renamed;
        if (parts[i].word != HG_WORD_FIRST && parts[i].word != HG_WORD_SECOND) {
            continue;
        }
        if (is_concatenated(f->g, to) ? f->whole[number_of(f, to)].units == 0
                                      : text_of_leaf(&renamed, f, to)->units == 0) {
            return true;
        }
    }
    return false;
}

/* --- strings with the text of a concatenated one --------------------------------------------- */

enum { LENGTHS = 65536 };

static bool is_whole(const void *owner, uint32_t number, const void *key)
{
    const mark *text = key;
    return memcmp(((const found *)owner)->whole[number].hash, text->hash, sizeof text->hash) == 0;
}

/* The texts of concatenated strings, and a bit for each length. */
static ts_code note_whole(found *f, uint64_t lengths[LENGTHS / 64])
{
    for (uint32_t i = 0; i < f->concatenated; i++) {
        ts_index_place place;
        TS_TRY(ts_index_reserve(f->g->ctx, &f->index));
        if (ts_index_search(&place, &f->index, f->whole[i].hash[0], is_whole, f, &f->whole[i]) ==
            TS_INDEX_NONE) {
            ts_index_add(&f->index, place, i);
        }
        lengths[f->whole[i].bytes % LENGTHS / 64] |= UINT64_C(1) << f->whole[i].bytes % 64;
    }
    return TS_OK;
}

static ts_code match_string(found *f, uint32_t string)
{
    TS_TRY(mark_string(f, string));
    const mark *text = &f->texts[f->text_count - 1];
    if (ts_index_find(&f->index, text->hash[0], is_whole, f, text) == TS_INDEX_NONE) {
        f->text_of[string] = HG_NONE;
        f->text_count--;
    }
    return TS_OK;
}

static ts_code match_strings(found *f)
{
    hg *g = f->g;
    uint64_t lengths[LENGTHS / 64] = {0};
    ts_code code = TS_OK;
    if (f->concatenated == 0) {
        return TS_OK;
    }
    TS_TRY_INTO(code, note_whole(f, lengths));
    for (uint32_t i = 0; i < g->strings.count && code == TS_OK; i++) {
        const uint16_t bytes = g->strings.bytes[i];
        if (f->uses[i] > 0 && f->text_of[i] == HG_NONE &&
            (g->strings.bits[i] & HG_TEXT_KNOWN) != 0 && f->text_count < f->text_room &&
            (lengths[bytes / 64] >> bytes % 64 & 1) != 0) {
            code = match_string(f, i);
        }
    }
    return code;
}

/* --- truncated strings ---------------------------------------------------------------------- */

static ts_code read_number(bool *known, int64_t *value, const found *f, uint32_t node,
                           uint32_t word)
{
    hg *g = f->g;
    uint32_t number = part_of(g, node, word, HG_NONE);
    uint32_t text = number == HG_NONE || (g->flags[number] & HG_INT) == 0
                        ? HG_NONE
                        : part_of(g, number, HG_WORD_VALUE, HG_NONE);
    const ts_batch *b;
    ts_code code;
    *known = false;
    if (text == HG_NONE || f->g->name[text] == HG_NONE || is_renamed(g, text)) {
        return TS_OK;
    }
    code = hg_string_row(&b, g, g->name[text]);
    *known = code == TS_OK && hg_integer(value, &b->columns[0].texts[0]);
    return code;
}

static ts_code note_truncated(hg_group *made, const found *f, uint32_t node)
{
    const hg *g = f->g;
    uint32_t flag = part_of(g, node, HG_WORD_TRUNCATED, HG_NONE);
    uint32_t value = flag == HG_NONE || (g->flags[flag] & HG_BOOL) == 0
                         ? HG_NONE
                         : part_of(g, flag, HG_WORD_VALUE, HG_NONE);
    bool known;
    ts_code code;
    made->null = 3;
    if (value == HG_NONE || (g->flags[value] & HG_TRUE) == 0) {
        return TS_OK;
    }
    made->truncated = 1;
    code = read_number(&known, &made->length, f, node, HG_WORD_LENGTH);
    made->null &= known ? 2 : 3;
    if (code == TS_OK) {
        code = read_number(&known, &made->hash, f, node, HG_WORD_HASH);
        made->null &= known ? 1 : 3;
    }
    return code;
}

/* --- groups --------------------------------------------------------------------------------- */

/* What a string is found by: of truncated ones the text with the rest of their key. */
static void entry_of(entry *made, const found *f, const hg_group *group)
{
    ts_hash h = ts_hash_begin(&f->g->ctx->hash_key);
    *made = (entry){{group->key[0], group->key[1]}, group->node, HG_NONE};
    if (group->truncated == 0) {
        return;
    }
    ts_hash_word(&h, group->key[0]);
    ts_hash_word(&h, group->key[1]);
    ts_hash_word(&h, (uint64_t)group->length);
    ts_hash_word(&h, (uint64_t)group->hash);
    ts_hash_word(&h, group->null);
    made->key[0] = ts_hash_end(&h);
    made->key[1] = ts_hash_more(&h);
}

static uint64_t hash_of_entry(const entry *e)
{
    return e->key[0] ^ e->key[1];
}

static bool is_entry(const void *owner, uint32_t number, const void *key)
{
    const entry *e = key;
    return memcmp(((const entry *)owner)[number].key, e->key, sizeof e->key) == 0;
}

/* Adds the string to its group. *number: of the group, HG_NONE: there is none yet. */
static ts_code join(found *f, const hg_group *made, uint32_t *number)
{
    hg *g = f->g;
    hg_group *group;
    if (*number == HG_NONE) {
        TS_NEED(g->ctx, group = ts_vec_add(g->ctx, &f->d->groups, sizeof *group));
        *group = *made;
        *number = (uint32_t)f->d->groups.n - 1;
    }
    group = (hg_group *)f->d->groups.p + *number;
    group->count++;
    hg_add(g, &group->shallow, hg_size(&g->size, made->node));
    hg_add(g, &group->retained, hg_retained(g, made->node));
    return TS_OK;
}

/* The first string of a text is an entry, the second one makes a group of both. */
static ts_code join_entry(found *f, const pending *p)
{
    hg_group first = p->made;
    ts_index_place place;
    TS_TRY(ts_index_reserve(f->g->ctx, &f->index));
    uint32_t number = ts_index_search(&place, &f->index, hash_of_entry(&p->wanted), is_entry,
                                      f->entries, &p->wanted);
    if (number == TS_INDEX_NONE) {
        ts_index_add(&f->index, place, f->entry_count);
        f->entries[f->entry_count++] = p->wanted;
        return TS_OK;
    }
    entry *e = &f->entries[number];
    first.node = e->node;
    ts_code code = e->group == HG_NONE ? join(f, &first, &e->group) : TS_OK;
    TS_STEP(code, join(f, &p->made, &e->group));
    return code;
}

/* The string takes the place of one that waited for its slot, in the order of the strings. */
static ts_code join_later(found *f, const hg_group *made)
{
    pending *p = &f->waiting[f->waiting_n % WAITING];
    ts_code code = f->waiting_n >= WAITING ? join_entry(f, p) : TS_OK;
    entry_of(&p->wanted, f, made);
    p->made = *made;
    f->waiting_n++;
    if (f->index.slots != NULL) {
        __builtin_prefetch(&f->index.slots[hash_of_entry(&p->wanted) & (f->index.slot_count - 1)],
                           1);
    }
    return code;
}

static ts_code join_rest(found *f)
{
    ts_code code = TS_OK;
    for (unsigned i = f->waiting_n < WAITING ? 0 : f->waiting_n - WAITING;
         i < f->waiting_n && code == TS_OK; i++) {
        code = join_entry(f, &f->waiting[i % WAITING]);
    }
    return code;
}

/* Strings whose texts are in no concatenated one are distinguished by their numbers; of those a
 * single one is no group. */
static ts_code group_node(found *f, uint32_t node)
{
    hg *g = f->g;
    const hg_part *parts = g->parts.p;
    hg_group made = {.node = node, .null = 3};
    uint32_t name = f->g->name[node];
    ts_code code = TS_OK;
    if (is_concatenated(g, node)) {
        if (f->state[name] == LEFT_OUT || is_flat(f, node)) {
            return TS_OK;
        }
        memcpy(made.key, f->whole[name].hash, sizeof made.key);
    } else if (name == HG_NONE || (g->strings.bits[name] & HG_TEXT_KNOWN) == 0) {
        return TS_OK; /* not certain */
    } else if (f->text_of[name] != HG_NONE) {
        const mark *text = &f->texts[f->text_of[name]];
        memcpy(made.key, text->hash, sizeof made.key);
    } else if (f->uses[name] < 2) {
        return TS_OK;
    } else {
        made.key[0] = name;
        made.key[1] = UINT64_MAX; /* no hash */
    }
    if (f->part < g->parts.n && parts[f->part].node == node &&
        (code = note_truncated(&made, f, node)) != TS_OK) {
        return code;
    }
    if (made.truncated == 0 && made.key[1] == UINT64_MAX) {
        uint32_t group = f->uses[name] < GROUPS ? HG_NONE : f->uses[name] - GROUPS;
        code = join(f, &made, &group);
        f->uses[name] = group + GROUPS;
        return code;
    }
    return join_later(f, &made);
}

static bool is_text(const hg *g, uint32_t v)
{
    uint32_t kind = hg_kind(g->flags[v]);
    return kind == HG_KIND_STRING || kind == HG_KIND_CONCATENATED;
}

static ts_code group_all(found *f)
{
    hg *g = f->g;
    const hg_part *parts = g->parts.p;
    const size_t count = (size_t)f->concatenated + f->text_count + f->truncated;
    pending waiting[WAITING];
    ts_code code = TS_OK;
    ts_index_free(g->ctx, &f->index);
    f->waiting = waiting;
    f->entries = hg_take(g, count, sizeof *f->entries);
    TS_STEP_IF(code, f->entries == NULL, g->ctx->error.code);
    f->part = 0;
    for (uint32_t v = 0; v < g->n && code == TS_OK; v++) {
        if (is_text(g, v) && hg_size(&g->size, v) > 0) {
            while (f->part < g->parts.n && parts[f->part].node < v) {
                f->part++;
            }
            code = group_node(f, v);
        }
    }
    TS_STEP(code, join_rest(f));
    f->waiting = NULL;
    return code;
}

static int by_node(const void *a, const void *b)
{
    uint32_t x = ((const hg_group *)a)->node;
    uint32_t y = ((const hg_group *)b)->node;
    return x < y ? -1 : x > y;
}

static ts_code duplicates_prepare(found *f)
{
    hg *g = f->g;
    const hg_part *parts = g->parts.p;
    f->uses = hg_take(g, g->strings.count, sizeof *f->uses);
    f->text_of = hg_take(g, g->strings.count, sizeof *f->text_of);
    if (f->uses == NULL || f->text_of == NULL) {
        return g->ctx->error.code;
    }
    memset(f->uses, 0, g->strings.count * sizeof *f->uses);
    memset(f->text_of, 0xff, g->strings.count * sizeof *f->text_of);
    for (uint32_t v = 0; v < g->n; v++) {
        f->concatenated += is_concatenated(g, v) ? 1 : 0;
        if (is_text(g, v) && !is_concatenated(g, v) && f->g->name[v] != HG_NONE &&
            f->uses[f->g->name[v]] < 2) {
            f->uses[f->g->name[v]]++;
        }
    }
    f->which = hg_take(g, f->concatenated, sizeof *f->which);
    f->first = hg_take(g, f->concatenated, sizeof *f->first);
    f->second = hg_take(g, f->concatenated, sizeof *f->second);
    f->whole = hg_take(g, f->concatenated, sizeof *f->whole);
    f->state = hg_take(g, f->concatenated, 1);
    f->stack = hg_take(g, MAX_VISITS + 2, sizeof *f->stack);
    if (f->which == NULL || f->first == NULL || f->second == NULL || f->whole == NULL ||
        f->state == NULL || f->stack == NULL) {
        return g->ctx->error.code;
    }
    memset(f->state, NEW, f->concatenated);
    for (uint32_t v = 0, i = 0; v < g->n && f->concatenated > 0; v++) {
        if (is_concatenated(g, v)) {
            f->which[i] = v;
            f->first[i] = f->second[i] = 0;
            g->name[v] = i++;
        }
    }
    for (size_t i = g->parts.n; i-- > 0;) { /* the first one of a name is set last */
        uint32_t to = parts[i].target;
        f->truncated += parts[i].word == HG_WORD_TRUNCATED ? 1 : 0;
        if (is_concatenated(g, parts[i].node) && parts[i].word == HG_WORD_FIRST) {
            f->first[g->name[parts[i].node]] = to;
        } else if (is_concatenated(g, parts[i].node) && parts[i].word == HG_WORD_SECOND) {
            f->second[g->name[parts[i].node]] = to;
        }
    }
    for (unsigned i = 0; i < 2; i++) { /* any points but 0 and 1 */
        f->base[i] = ts_hash_number(&g->ctx->hash_key, (int64_t)i) % (prime - 1024) + 512;
    }
    return TS_OK;
}

ts_code hg_find_duplicates(hg_duplicates *d, hg *g)
{
    found f = {.g = g, .d = d};
    ts_code code = duplicates_prepare(&f);
    TS_STEP(code, mark_parts(&f));
    TS_STEP(code, find_all_whole(&f));
    TS_STEP(code, match_strings(&f));
    if (code == TS_OK && (code = group_all(&f)) == TS_OK && d->groups.n > 0) {
        qsort(d->groups.p, d->groups.n, sizeof(hg_group), by_node);
    }
    hg_give(g, f.texts);
    hg_give(g, f.entries);
    hg_give(g, f.text_of);
    hg_give(g, f.uses);
    hg_give(g, f.whole);
    hg_give(g, f.state);
    hg_give(g, f.which);
    hg_give(g, f.first);
    hg_give(g, f.second);
    hg_give(g, f.stack);
    ts_index_free(g->ctx, &f.index);
    return code;
}

void hg_duplicates_free(ts_ctx *ctx, hg_duplicates *d)
{
    ts_vec_free(ctx, &d->groups);
    *d = (hg_duplicates){0};
}

/* --- texts for rows ------------------------------------------------------------------------- */

static ts_code put_leaf(ts_buf *out, uint32_t *units, hg *g, uint32_t node)
{
    const ts_batch *b;
    size_t from = out->n;
    ts_code code;
    if (is_renamed(g, node) &&
        (code = ts_buf_put(g->ctx, out, HG_DETACHED, sizeof HG_DETACHED - 1)) != TS_OK) {
        return code;
    }
    if (g->name[node] == HG_NONE) {
        return TS_OK;
    }
    code = hg_string_row(&b, g, g->name[node]);
    TS_STEP(code, hg_whole_text(g->ctx, out, g->texts, b, 0));
    for (size_t i = from; i < out->n && *units < WIDTH; i++) {
        *units += hg_units((unsigned char)out->p[i]);
    }
    return code;
}

ts_code hg_string_text(ts_buf *out, hg *g, uint32_t node)
{
    ts_vec stack = {0};
    uint32_t units = 0;
    /* Strings may share parts, so that a small heap holds a long text. */
    uint64_t visits = (uint64_t)g->n + MAX_VISITS;
    ts_code code = TS_OK;
    uint32_t next = node;
    for (bool more = true; more && code == TS_OK && units < WIDTH;) {
        uint32_t *later;
        if (is_concatenated(g, next)) {
            more = visits-- > 0; /* else a ring, whose leaves are no part of the text */
            later = ts_vec_add(g->ctx, &stack, sizeof *later);
            if (later == NULL) {
                code = g->ctx->error.code;
                break;
            }
            *later = part_of(g, next, HG_WORD_SECOND, 0);
            next = part_of(g, next, HG_WORD_FIRST, 0);
            continue;
        }
        code = put_leaf(out, &units, g, next);
        later = stack.p;
        more = stack.n > 0;
        next = more ? later[--stack.n] : 0;
    }
    ts_vec_free(g->ctx, &stack);
    return code;
}
