/* Frames of the chains of native memory: native_hook_frame, and the call paths of its samples. */
#include "htrace/plugins/native_hook/native_hook.h"

#include "base/alloc.h"

#include <inttypes.h>

enum { HEX = 18 };

/* "0x" and the number; returns its length. */
static size_t write_hex(char out[HEX], uint64_t v)
{
    static const char digits[] = "0123456789abcdef";
    unsigned n = v == 0 ? 1 : (67U - (unsigned)__builtin_clzll(v)) / 4;
    out[0] = '0';
    out[1] = 'x';
    for (unsigned i = 0; i < n; i++) {
        out[2 + i] = digits[v >> (4 * (n - 1 - i)) & 15];
    }
    return 2 + n;
}

/* Texts of a frame that has ids of them; one that lacks an id, or whose text was never recorded,
 * is unknown. */
static void resolve_frame(hook *h, const hook_owner *owner, hook_frame *f)
{
    uint64_t symbol;
    uint64_t file;
    if (!h->strings || (f->has & (HOOK_HAS_SYMBOL | HOOK_LEFT_OUT)) != 0) {
        return;
    }
    if ((f->has & HOOK_HAS_SYMBOL_ID) == 0 || (f->has & HOOK_HAS_FILE_ID) == 0 ||
        !ts_idmap_find(&symbol, &owner->symbols, f->symbol) ||
        !ts_idmap_find(&file, &owner->files, f->file)) {
        f->has |= HOOK_LEFT_OUT;
        return;
    }
    f->symbol = (uint32_t)symbol;
    f->file = (uint32_t)file;
    f->has |= HOOK_HAS_SYMBOL | HOOK_HAS_FILE;
}

/* Where the code is in its file, as far as it is recorded. */
static ts_text address_of(char hex[HEX], const hook *h, const hook_frame *f)
{
    const unsigned both = HOOK_HAS_OFFSET | HOOK_HAS_SYMBOL_OFFSET;
    ts_text symbol;
    const char *plus;
    if ((f->has & both) == both && f->offset != 0 && f->symbol_offset != 0 && f->offset != f->ip) {
        return (ts_text){hex, write_hex(hex, f->offset + f->symbol_offset)};
    }
    if ((f->has & HOOK_HAS_SYMBOL) == 0) {
        return TS_TEXT_NULL;
    }
    symbol = ts_pool_text(&h->texts, f->symbol - 1);
    plus = symbol.n == 0 ? NULL : memrchr(symbol.p, '+', symbol.n);
    return plus == NULL || plus + 1 == symbol.p + symbol.n
               ? TS_TEXT_NULL
               : ts_text_from(symbol, (size_t)(plus + 1 - symbol.p));
}

static ts_code find_method(hook *h, hook_frame *f)
{
    ts_method method = {.has_line = (f->has & HOOK_IS_SCRIPT) != 0, .line = (int64_t)f->offset};
    int64_t id;
    if (f->method != 0) {
        return TS_OK;
    }
    if ((f->has & HOOK_HAS_SYMBOL) != 0) {
        method.name = ts_pool_text(&h->texts, f->symbol - 1);
    }
    if ((f->has & HOOK_HAS_FILE) != 0) {
        method.library = ts_pool_text(&h->texts, f->file - 1);
        method.file = method.has_line ? method.library : TS_TEXT_NULL;
    }
    TS_TRY(ts_stack_method(&id, h->records.host->store, h->source_id, &method));
    f->method = (uint32_t)id;
    return TS_OK;
}

/* The row of a frame; the library and the function nearest to the leaf count as the caller. */
static ts_code put_frame(hook *h, hook_chain *chain, int64_t depth, hook_frame *f, ts_text vaddr)
{
    ts_store *store = h->records.host->store;
    ts_sink *sink = ts_store_sink(store);
    ts_row_native_hook_frame row = {
        .id = (int64_t)ts_sink_rows(sink, TS_T_native_hook_frame),
        .callchain_id = hook_chain_number(h, chain),
        .depth = depth,
        .ip = (int64_t)f->ip,
        .offset = (int64_t)f->offset,
        .symbol_offset = (int64_t)f->symbol_offset,
    };
    const hook_text *info;
    int64_t node = chain->node;
    bool added;
    row.vaddr = vaddr;
    TS_NULL_IF((f->has & HOOK_HAS_IP) == 0, native_hook_frame, &row, ip);
    TS_NULL_IF((f->has & HOOK_HAS_OFFSET) == 0, native_hook_frame, &row, offset);
    TS_NULL_IF((f->has & HOOK_HAS_SYMBOL_OFFSET) == 0, native_hook_frame, &row, symbol_offset);
    TS_NULL_IF((f->has & HOOK_HAS_SYMBOL) == 0, native_hook_frame, &row, symbol_id);
    TS_NULL_IF((f->has & HOOK_HAS_FILE) == 0, native_hook_frame, &row, file_id);
    if ((f->has & HOOK_HAS_SYMBOL) != 0) {
        TS_TRY(hook_text_info(&info, h, f->symbol));
        row.symbol_id = info->dict;
    }
    if ((f->has & HOOK_HAS_FILE) != 0) {
        TS_TRY(hook_text_info(&info, h, f->file));
        row.file_id = info->dict;
        if (depth == 0 || !info->passed) {
            chain->library = (uint32_t)info->dict + 1;
            chain->symbol = (f->has & HOOK_HAS_SYMBOL) != 0 ? (uint32_t)row.symbol_id + 1 : 0;
        }
    } else if (h->lossy) { /* it may have been in a file whose map is lost */
        chain->library = 0;
        chain->symbol = 0;
    }
    TS_TRY(find_method(h, f));
    TS_TRY(ts_stack_node(&node, &added, store, h->source_id, node, f->method, TS_NO_LINE, depth,
                         NULL));
    chain->node = (uint32_t)node;
    return ts_put_native_hook_frame(sink, &row);
}

/* A frame that the recording lacks keeps its place: a stack without it would be another one. If no
 * frame nearer to the leaf is known, so is no caller. */
static ts_code put_unknown(hook *h, hook_chain *chain, int64_t depth)
{
    hook_frame f = {0};
    h->counts.frames_unknown++;
    TS_TRY(put_frame(h, chain, depth, &f, TS_TEXT_NULL));
    chain->library = 0;
    chain->symbol = 0;
    return TS_OK;
}

static ts_code read_list(hook *h, const hook_chain *chain, size_t size)
{
    size_t got;
    h->bytes.n = 0;
    TS_TRY(ts_buf_reserve(h->records.host->ctx, &h->bytes, chain->count * size + 1));
    if (chain->count == 0) {
        return TS_OK;
    }
    TS_TRY(ts_spool_read(&got, h->lists, chain->at, h->bytes.p, chain->count * size));
    return got == chain->count * size
               ? TS_OK
               : ts_fail(h->records.host->ctx, TS_ERR_INTERNAL, "frames of a stack are missing");
}

/* Frames as they are in the events. */
static ts_code write_list(hook *h, hook_chain *chain)
{
    int64_t depth = 0;
    ts_code code = read_list(h, chain, sizeof(hook_frame));
    for (uint32_t i = chain->count; i > 0 && code == TS_OK; i--) {
        char hex[HEX];
        hook_frame f;
        memcpy(&f, h->bytes.p + (i - 1) * sizeof f, sizeof f);
        resolve_frame(h, hook_owner_at(h, chain->owner), &f);
        code = (f.has & HOOK_LEFT_OUT) != 0
                   ? put_unknown(h, chain, depth++)
                   : put_frame(h, chain, depth++, &f, address_of(hex, h, &f));
    }
    return code;
}

/* Puts places of the owner's frames into h->direct, when their ids are as dense as they usually
 * are; else it is empty. */
static ts_code list_frames(hook *h, uint32_t owner)
{
    const ts_idmap *frames = &hook_owner_at(h, owner)->frames;
    uint64_t most = 0;
    if (h->direct_owner == owner + 1) {
        return TS_OK;
    }
    h->direct_owner = owner + 1;
    h->direct.n = 0;
    for (uint32_t i = 0; i < frames->count; i++) {
        most = (uint64_t)frames->entries[i].id > most ? (uint64_t)frames->entries[i].id : most;
    }
    if (most >= 4 * (uint64_t)frames->count + 1024 || most >= SIZE_MAX / sizeof(uint32_t)) {
        return TS_OK;
    }
    const size_t n = (size_t)most + 1;
    TS_TRY(ts_vec_reserve(h->records.host->ctx, &h->direct, n, sizeof(uint32_t)));
    memset(h->direct.p, 0, n * sizeof(uint32_t));
    h->direct.n = n;
    for (uint32_t i = 0; i < frames->count; i++) {
        ((uint32_t *)h->direct.p)[frames->entries[i].id] = (uint32_t)frames->entries[i].value + 1;
    }
    return TS_OK;
}

/* The frame of an id; NULL: it was never recorded. */
static hook_frame *frame_of(const hook *h, const hook_owner *owner, uint64_t id)
{
    uint64_t found;
    if (h->direct.n > 0) {
        found = id < h->direct.n ? ((const uint32_t *)h->direct.p)[id] : 0;
        return found == 0 ? NULL : (hook_frame *)h->frames.p + (found - 1);
    }
    return ts_idmap_find(&found, &owner->frames, (int64_t)id) ? (hook_frame *)h->frames.p + found
                                                              : NULL;
}

/* Frames by their ids. */
static ts_code write_stack(hook *h, hook_chain *chain)
{
    const hook_owner *owner = hook_owner_at(h, chain->owner);
    int64_t depth = 0;
    ts_code code = read_list(h, chain, sizeof(uint64_t));
    TS_STEP(code, list_frames(h, chain->owner));
    for (uint32_t i = chain->count; i > 0 && code == TS_OK; i--) {
        char hex[HEX];
        uint64_t id;
        hook_frame *f;
        memcpy(&id, h->bytes.p + (i - 1) * sizeof id, sizeof id);
        f = frame_of(h, owner, id);
        if (f != NULL) {
            resolve_frame(h, owner, f);
        }
        code = f == NULL || (f->has & HOOK_LEFT_OUT) != 0
                   ? put_unknown(h, chain, depth++)
                   : put_frame(h, chain, depth++, f, address_of(hex, h, f));
    }
    return code;
}

/* --- addresses -------------------------------------------------------------------------------- */

/* A name for what has no symbol: its place in the file, or the address. */
static ts_code name_spot(hook *h, hook_frame *f, ts_text vaddr)
{
    ts_ctx *ctx = h->records.host->ctx;
    h->text.n = 0;
    if ((f->has & HOOK_HAS_FILE) != 0) {
        ts_text file = ts_pool_text(&h->texts, f->file - 1);
        TS_TRY(ts_buf_put(ctx, &h->text, file.p, file.n));
        TS_TRY(ts_buf_putc(ctx, &h->text, '+'));
        TS_TRY(ts_buf_put(ctx, &h->text, vaddr.n == 0 ? "" : vaddr.p, vaddr.n));
    } else if (f->ip >> 40 == 0xFFFFFF) {
        TS_TRY(ts_buf_printf(ctx, &h->text, "alloc size(%" PRIu64 "bytes)0x%" PRIx64,
                             f->ip & ((UINT64_C(1) << 40) - 1), f->ip));
    } else {
        TS_TRY(ts_buf_printf(ctx, &h->text, "unknown 0x%" PRIx64, f->ip));
    }
    f->has |= HOOK_HAS_SYMBOL;
    return hook_text_place(&f->symbol, h, ts_buf_text(&h->text));
}

/* The frame of code of JavaScript; NULL: it was never recorded. */
static hook_frame *script_frame(const hook *h, const hook_owner *owner, uint64_t ip)
{
    uint64_t found;
    return ts_idmap_find(&found, &owner->frames, (int64_t)(ip & ((UINT64_C(1) << 40) - 1)))
               ? (hook_frame *)h->frames.p + found
               : NULL;
}

static ts_code write_script(hook *h, hook_chain *chain, int64_t depth, uint64_t ip)
{
    const hook_owner *owner = hook_owner_at(h, chain->owner);
    hook_frame f = *script_frame(h, owner, ip);
    uint64_t text;
    f.method = 0;
    f.has &= HOOK_HAS_IP | HOOK_HAS_OFFSET | HOOK_HAS_SYMBOL_ID | HOOK_HAS_FILE_ID;
    if ((f.has & HOOK_HAS_SYMBOL_ID) != 0 && ts_idmap_find(&text, &owner->symbols, f.symbol)) {
        f.symbol = (uint32_t)text;
        f.has |= HOOK_HAS_SYMBOL;
    }
    if ((f.has & HOOK_HAS_FILE_ID) != 0 && ts_idmap_find(&text, &owner->files, f.file)) {
        f.file = (uint32_t)text;
        f.has |= HOOK_HAS_FILE;
    }
    f.has |= (f.has & HOOK_HAS_OFFSET) != 0 ? HOOK_IS_SCRIPT : 0;
    return put_frame(h, chain, depth, &f, TS_TEXT_NULL);
}

static ts_code write_spot(hook *h, hook_chain *chain, int64_t depth, hook_spot *s)
{
    const hook_owner *owner = hook_owner_at(h, chain->owner);
    hook_frame f = {.ip = s->ip, .method = s->method, .has = HOOK_HAS_IP};
    char hex[HEX];
    ts_text vaddr = TS_TEXT_NULL;
    uint64_t file;
    if (s->map != 0 &&
        ts_idmap_find(&file, &owner->files, ((const hook_map *)h->maps.p)[s->map - 1].file)) {
        f.file = (uint32_t)file;
        f.has |= HOOK_HAS_FILE;
    }
    if (s->state >= HOOK_SPOT_BARE) {
        vaddr = (ts_text){hex, write_hex(hex, s->v)};
    }
    if (s->state >= HOOK_SPOT_NAMELESS) {
        f.has |= HOOK_HAS_OFFSET | HOOK_HAS_SYMBOL_OFFSET;
        f.offset = s->state == HOOK_SPOT_SYMBOL ? s->symbol : s->ip;
        f.symbol_offset = s->state == HOOK_SPOT_SYMBOL ? s->v - s->symbol : 0;
    }
    if (s->name == 0) {
        TS_TRY(name_spot(h, &f, vaddr));
        s->name = f.symbol;
    }
    f.symbol = s->name;
    f.has |= HOOK_HAS_SYMBOL;
    TS_TRY(put_frame(h, chain, depth, &f, vaddr));
    s->method = f.method;
    return TS_OK;
}

/* What cannot be followed drops its callers. */
static uint32_t followed(hook *h, const hook_chain *chain, const uint32_t *spots)
{
    const hook_owner *owner = hook_owner_at(h, chain->owner);
    for (uint32_t i = 0; i < chain->count; i++) {
        const hook_spot *s = (const hook_spot *)h->spots.p + spots[i];
        if (s->state == HOOK_SPOT_SCRIPT && script_frame(h, owner, s->ip) == NULL) {
            h->counts.frames_unknown++;
            return i;
        }
        if (s->state == HOOK_SPOT_UNMAPPED && s->ip == 0) {
            return i;
        }
    }
    return chain->count;
}

static ts_code write_spots_of(hook *h, hook_chain *chain)
{
    int64_t depth = 0;
    uint32_t n;
    TS_TRY(read_list(h, chain, sizeof(uint32_t)));
    n = followed(h, chain, (const uint32_t *)(const void *)h->bytes.p);
    for (uint32_t i = n; i > 0; i--, depth++) {
        hook_spot *s =
            (hook_spot *)h->spots.p + ((const uint32_t *)(const void *)h->bytes.p)[i - 1];
        TS_TRY(s->state == HOOK_SPOT_SCRIPT ? write_script(h, chain, depth, s->ip)
                                            : write_spot(h, chain, depth, s));
    }
    return TS_OK;
}

/* --- the order of chains ---------------------------------------------------------------------- */

static bool is_asked_for(const hook *h, const hook_chain *chain)
{
    return chain->listed &&
           (chain->wanted ||
            (!h->statistic && h->records.host->ctx->time_range.kind == TS_WANTED_ALL));
}

typedef struct chain_order {
    uint64_t key; /* owner and id */
    uint64_t place;
} chain_order;

static ts_code take_stack(void *user, const void *record)
{
    hook *h = user;
    return write_stack(h, hook_chain_at(h, (uint32_t)((const chain_order *)record)->place));
}

/* By their ids. */
static ts_code write_stacks(hook *h)
{
    enum { SORTER = 4 << 20 };
    static const ts_sorter_order order = {.key_offset = 0, .key_count = 1};
    ts_sorter *sorter = NULL;
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < h->chains.n && code == TS_OK; i++) {
        const hook_chain *chain = hook_chain_at(h, i);
        const chain_order record = {(uint64_t)chain->owner << 32 | chain->id, i};
        if (is_asked_for(h, chain)) {
            code = ts_sorter_put(&sorter, h->records.host->ctx, &record, sizeof record, &order,
                                 SORTER);
        }
    }
    TS_STEP(code, ts_sorter_drain(sorter, take_stack, h));
    ts_sorter_close(sorter);
    return code;
}

ts_code hook_frames_write(hook *h)
{
    ts_code code = TS_OK;
    if (h->stacks && !h->offline) {
        return write_stacks(h);
    }
    for (uint32_t i = 0; h->offline && i < h->chains.n && code == TS_OK; i++) {
        hook_chain *chain = hook_chain_at(h, i);
        code = is_asked_for(h, chain) ? write_spots_of(h, chain) : TS_OK;
    }
    for (size_t i = 0; i < h->order.n && code == TS_OK; i++) {
        hook_chain *chain = hook_chain_at(h, ((const uint32_t *)h->order.p)[i]);
        code = is_asked_for(h, chain) ? write_list(h, chain) : TS_OK;
    }
    return code;
}
