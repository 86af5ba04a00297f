/*
 * Stacks of addresses, whose symbols the recording has beside them (offline symbolization).
 *
 * A *spot* is an address of an owner as it is known at a time: its mapping, the symbol table of the
 * mapping's file, and thereby its frame. A stack is bound to spots when it comes. An address that
 * has no mapping yet gets the first that comes, and a mapping without symbols the first table of
 * its file. Mappings and tables may also be replaced: then an event whose stack is bound to a spot
 * that is another now, with another frame, gets a new chain of what is now. h->epoch counts
 * replacements, so that this is looked for after one only.
 *
 * Memory: 64 bytes a spot, 24 a mapping and a symbol; texts of symbols are in a spool.
 */
#include "htrace/plugins/native_hook/native_hook.h"

#include "base/alloc.h"
#include "symbols/demangle.h"

enum { NAME_PIECE = 256, NAME_MAX = 64 * 1024 };

/* --- spots ------------------------------------------------------------------------------------ */

typedef struct spot_key {
    uint64_t ip;
    uint32_t owner;
} spot_key;

static hook_spot *spot_at(const hook *h, uint32_t place)
{
    return (hook_spot *)h->spots.p + place;
}

static bool is_spot(const void *owner, uint32_t number, const void *key)
{
    const hook_spot *s = spot_at(owner, number);
    const spot_key *k = key;
    return s->ip == k->ip && s->owner == k->owner;
}

static uint64_t hash_spot(const hook *h, const spot_key *key)
{
    ts_hash hash = ts_hash_begin(&h->spot_index.key);
    ts_hash_word(&hash, key->ip);
    ts_hash_word(&hash, key->owner);
    return ts_hash_end(&hash);
}

/* The name at a place of a string table, up to NUL or the table's end. */
static ts_code read_name(hook *h, const hook_symbols *t, uint64_t at)
{
    bool ended = false;
    h->text.n = 0;
    while (!ended && at < t->strings_n && h->text.n < NAME_MAX) {
        size_t piece = t->strings_n - at < NAME_PIECE ? (size_t)(t->strings_n - at) : NAME_PIECE;
        const char *nul;
        char *to;
        TS_TRY(ts_buf_reserve(h->records.host->ctx, &h->text, piece));
        to = h->text.p + h->text.n;
        TS_TRY(ts_spool_read(&piece, h->strings_spool, t->strings_at + at, to, piece));
        nul = piece == 0 ? NULL : memchr(to, '\0', piece);
        ended = nul != NULL || piece == 0;
        h->text.n += nul != NULL ? (size_t)(nul - to) : piece;
        at += piece;
    }
    return TS_OK;
}

/* The symbol of a spot whose table is known. */
static ts_code find_symbol(hook *h, hook_spot *s, const hook_symbols *t)
{
    const ts_symbol *symbol = ts_symbols_find(&t->table, s->v);
    ts_value name = {.state = TS_VALUE_READ};
    ts_text text;
    s->state = t->any ? HOOK_SPOT_NAMELESS : HOOK_SPOT_BARE;
    if (symbol == NULL) {
        return TS_OK;
    }
    s->state = HOOK_SPOT_SYMBOL;
    s->symbol = symbol->address;
    TS_TRY(read_name(h, t, symbol->name));
    TS_TRY(ts_demangle(&text, h->records.host->ctx, &h->name, ts_buf_text(&h->text)));
    name.p = (const uint8_t *)text.p;
    name.n = text.n;
    if (text.p == h->text.p) { /* which is where ill-formed bytes are replaced */
        h->name.n = 0;
        TS_TRY(ts_buf_put(h->records.host->ctx, &h->name, text.p, text.n));
        name.p = (const uint8_t *)h->name.p;
    }
    return hook_text_of(&s->name, h, &name);
}

/* Gives the spot its mapping, and the symbols of its file if there are any; else it waits. */
static ts_code bind_spot(hook *h, uint32_t place, uint32_t map)
{
    hook_spot *s = spot_at(h, place);
    hook_owner *o = hook_owner_at(h, s->owner);
    const hook_map *m = (const hook_map *)h->maps.p + map;
    const hook_symbols *t;
    uint64_t found;
    s->map = map + 1;
    s->table = 0;
    s->state = HOOK_SPOT_MAPPED;
    if (!ts_idmap_find(&found, &o->tables, m->file)) {
        s->waiting = ts_idmap_find(&found, &o->waiting, m->file) ? (uint32_t)found : 0;
        return ts_idmap_put(h->records.host->ctx, &o->waiting, m->file, (uint64_t)place + 1);
    }
    t = (const hook_symbols *)h->symbols.p + found;
    s->table = (uint32_t)found + 1;
    s->v = s->ip - m->start + m->offset + t->vaddr - t->file_offset;
    return find_symbol(h, s, t);
}

static bool is_script(uint64_t ip)
{
    return ip >> 40 == 0xFFFFFE;
}

static ts_code new_spot(uint32_t *place, hook *h, const spot_key *key)
{
    ts_ctx *ctx = h->records.host->ctx;
    hook_spot *s;
    hook_range range;
    *place = (uint32_t)h->spots.n;
    TS_NEED(ctx, s = ts_vec_add(ctx, &h->spots, sizeof *s));
    s->ip = key->ip;
    s->owner = key->owner;
    s->epoch = h->epoch;
    if (is_script(key->ip)) {
        s->state = HOOK_SPOT_SCRIPT;
        return TS_OK;
    }
    if (hook_ranges_find(&range, &hook_owner_at(h, key->owner)->mapped, key->ip)) {
        return bind_spot(h, *place, range.value);
    }
    range = (hook_range){key->ip, key->ip, *place};
    return hook_ranges_add(ctx, &hook_owner_at(h, key->owner)->unmapped, range);
}

/* Whether the spot is what its address is now. */
static bool is_current(const hook *h, const hook_spot *s)
{
    const hook_owner *o = hook_owner_at(h, s->owner);
    hook_range range;
    uint64_t table;
    if (s->epoch == h->epoch || s->state == HOOK_SPOT_SCRIPT || s->state == HOOK_SPOT_UNMAPPED) {
        return true; /* one that is not mapped gets the first mapping */
    }
    return hook_ranges_find(&range, &o->mapped, s->ip) && range.value + 1 == s->map &&
           (!ts_idmap_find(&table, &o->tables, ((const hook_map *)h->maps.p)[range.value].file)
                ? s->table == 0
                : s->table == table + 1);
}

/* The spot of an address as it is now. */
static ts_code spot_now(uint32_t *place, hook *h, uint32_t owner, uint64_t ip)
{
    const spot_key key = {ip, owner};
    ts_index_place at;
    uint64_t hash;
    uint32_t found;
    TS_TRY(ts_index_reserve(h->records.host->ctx, &h->spot_index));
    hash = hash_spot(h, &key);
    found = ts_index_search(&at, &h->spot_index, hash, is_spot, h, &key);
    if (found != TS_INDEX_NONE && is_current(h, spot_at(h, found))) {
        spot_at(h, found)->epoch = h->epoch;
        *place = found;
        return TS_OK;
    }
    TS_TRY(new_spot(place, h, &key));
    if (found == TS_INDEX_NONE) {
        ts_index_add(&h->spot_index, at, *place);
    } else {
        ts_index_renumber(&h->spot_index, hash, found, *place);
    }
    return TS_OK;
}

/* Whether two spots of an address have the same frame. */
static bool same_frame(const hook *h, const hook_spot *a, const hook_spot *b)
{
    const hook_map *maps = h->maps.p;
    bool same =
        a->state == b->state && a->v == b->v && a->symbol == b->symbol && a->name == b->name;
    return same && (a->map == 0 || b->map == 0 ? a->map == b->map
                                               : maps[a->map - 1].file == maps[b->map - 1].file);
}

/* --- mappings and symbols --------------------------------------------------------------------- */

static ts_code take_unmapped(void *user, const hook_range *part)
{
    hook *h = user;
    return bind_spot(h, part->value, (uint32_t)h->maps.n - 1);
}

static ts_code note_replaced(void *user, const hook_range *part)
{
    (void)part;
    *(bool *)user = true;
    return TS_OK;
}

ts_code hook_map_table(hook *h, uint32_t owner, uint64_t start, uint64_t end, const hook_map *map)
{
    ts_ctx *ctx = h->records.host->ctx;
    hook_range range;
    bool replaced = false;
    hook_owner *o = hook_owner_at(h, owner);
    const hook_map *known = h->maps.p;
    if (hook_ranges_find(&range, &o->mapped, start) && range.first == start &&
        range.last == end - 1 && known[range.value].start == map->start &&
        known[range.value].offset == map->offset && known[range.value].file == map->file) {
        return TS_OK; /* the same once more */
    }
    range = (hook_range){start, end - 1, (uint32_t)h->maps.n};
    TS_TRY(hook_ranges_cut(ctx, &o->mapped, range.first, range.last, note_replaced, &replaced));
    TS_TRY(ts_vec_push(ctx, &h->maps, map, sizeof *map));
    TS_TRY(hook_ranges_add(ctx, &o->mapped, range));
    h->epoch += replaced;
    return hook_ranges_cut(ctx, &o->unmapped, range.first, range.last, take_unmapped, h);
}

/* Spots that waited for symbols of the file. */
static ts_code bind_waiting(hook *h, uint32_t owner, int64_t file)
{
    hook_owner *o = hook_owner_at(h, owner);
    uint64_t place = 0;
    ts_code code = TS_OK;
    (void)ts_idmap_find(&place, &o->waiting, file);
    ts_idmap_remove(&o->waiting, file);
    while (place != 0 && code == TS_OK) {
        hook_spot *s = spot_at(h, (uint32_t)place - 1);
        uint32_t next = s->waiting;
        code = bind_spot(h, (uint32_t)place - 1, s->map - 1);
        place = next;
    }
    return code;
}

/* What makes two symbol tables one. */
static void hash_table(uint64_t out[2], const hook *h, const hook_symbols *t, uint32_t size,
                       ts_text entries, ts_text strings)
{
    ts_hash hash = ts_hash_begin(&h->records.host->ctx->hash_key);
    ts_hash_word(&hash, t->vaddr);
    ts_hash_word(&hash, t->file_offset);
    ts_hash_word(&hash, size);
    ts_hash_bytes(&hash, entries.p, entries.n);
    ts_hash_bytes(&hash, strings.p, strings.n);
    out[0] = ts_hash_end(&hash);
    out[1] = ts_hash_more(&hash);
}

ts_code hook_symbol_table(hook *h, uint32_t owner, int64_t file, const hook_symbols *symbols,
                          uint32_t entry_size, ts_text entries, ts_text strings)
{
    ts_ctx *ctx = h->records.host->ctx;
    ts_idmap *tables = &hook_owner_at(h, owner)->tables;
    const uint32_t size = entry_size == 16 ? 16 : 24;
    hook_symbols t = *symbols;
    uint64_t found;
    ts_code code = TS_OK;
    bool known = ts_idmap_find(&found, tables, file);
    hash_table(t.hash, h, &t, entry_size, entries, strings);
    h->counts.tables_bad += !ts_symbols_elf_size(entry_size) || entries.n % size != 0;
    if (known) {
        hook_symbols *old = (hook_symbols *)h->symbols.p + found;
        if (memcmp(old->hash, t.hash, sizeof t.hash) == 0) {
            return TS_OK;
        }
        ts_symbols_free(ctx, &old->table); /* spots have what they need of it */
    }
    t.any = entries.n >= size;
    t.strings_n = strings.n;
    if (h->strings_spool == NULL) {
        TS_TRY(ts_spool_new(&h->strings_spool, ctx));
    }
    t.strings_at = ts_spool_size(h->strings_spool);
    TS_TRY(ts_spool_write(h->strings_spool, strings.p, strings.n));
    code = ts_symbols_add_elf(ctx, &t.table, entries, size, strings.n);
    TS_STEP(code, ts_symbols_sort(ctx, &t.table, TS_SYMBOL_LAST));
    TS_STEP(code, ts_vec_push(ctx, &h->symbols, &t, sizeof t));
    if (code != TS_OK) {
        ts_symbols_free(ctx, &t.table);
        return code;
    }
    TS_TRY(ts_idmap_put(ctx, tables, file, h->symbols.n - 1));
    h->epoch += known;
    return bind_waiting(h, owner, file);
}

/* --- stacks ----------------------------------------------------------------------------------- */

/* Writes a chain's list of spots for addresses, which are in h->bytes. */
static ts_code write_spots(hook *h, hook_chain *chain)
{
    chain->at = ts_spool_size(h->lists);
    chain->number = ++h->numbers;
    chain->epoch = h->epoch;
    chain->listed = true;
    for (uint32_t i = 0; i < chain->count; i++) {
        uint64_t ip;
        uint32_t spot;
        memcpy(&ip, h->bytes.p + i * sizeof ip, sizeof ip);
        TS_TRY(spot_now(&spot, h, chain->owner, ip));
        TS_TRY(ts_spool_write(h->lists, &spot, sizeof spot));
    }
    return TS_OK;
}

ts_code hook_stack_bind(hook *h, uint32_t place, uint32_t count)
{
    hook_chain chain = *hook_chain_at(h, place);
    chain.count = count;
    TS_TRY(write_spots(h, &chain));
    *hook_chain_at(h, place) = chain;
    return TS_OK;
}

/* Puts the addresses of the chain into h->bytes; *other: one of them has another frame now. */
static ts_code compare_now(bool *other, hook *h, const hook_chain *chain)
{
    uint32_t *spots = NULL;
    size_t n = chain->count * sizeof *spots;
    ts_code code = TS_OK;
    *other = false;
    h->bytes.n = 0;
    TS_TRY(ts_buf_reserve(h->records.host->ctx, &h->bytes, chain->count * sizeof(uint64_t) + 1));
    TS_NEED(h->records.host->ctx, spots = ts_alloc(h->records.host->ctx, n + 1, 1));
    code = ts_spool_read(&n, h->lists, chain->at, spots, n);
    for (uint32_t i = 0; i < chain->count && code == TS_OK; i++) {
        const uint64_t ip = spot_at(h, spots[i])->ip;
        uint32_t now;
        memcpy(h->bytes.p + i * sizeof ip, &ip, sizeof ip);
        code = spot_now(&now, h, chain->owner, ip);
        if (code == TS_OK && now != spots[i]) {
            *other = *other || !same_frame(h, spot_at(h, spots[i]), spot_at(h, now));
        }
    }
    ts_free(h->records.host->ctx, spots);
    return code;
}

ts_code hook_stack_now(uint32_t *place, hook *h)
{
    ts_ctx *ctx = h->records.host->ctx;
    hook_chain chain = *hook_chain_at(h, *place);
    bool other;
    if (chain.epoch == h->epoch || !chain.listed) {
        return TS_OK;
    }
    TS_TRY(compare_now(&other, h, &chain));
    if (!other) {
        hook_chain_at(h, *place)->epoch = h->epoch;
        return TS_OK;
    }
    chain.wanted = false;
    TS_TRY(write_spots(h, &chain));
    TS_TRY(ts_vec_push(ctx, &h->chains, &chain, sizeof chain));
    *place = (uint32_t)h->chains.n - 1;
    return ts_idmap_put(ctx, &hook_owner_at(h, chain.owner)->stacks, chain.id, *place);
}

void hook_offline_free(hook *h)
{
    ts_ctx *ctx = h->records.host->ctx;
    for (size_t i = 0; i < h->symbols.n; i++) {
        ts_symbols_free(ctx, &((hook_symbols *)h->symbols.p)[i].table);
    }
    ts_vec_free(ctx, &h->symbols);
    ts_vec_free(ctx, &h->maps);
    ts_vec_free(ctx, &h->spots);
    ts_index_free(ctx, &h->spot_index);
    ts_spool_free(h->strings_spool);
    ts_buf_free(ctx, &h->name);
}
