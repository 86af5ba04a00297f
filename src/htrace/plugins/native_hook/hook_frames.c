/* Frames of the chains of native memory: native_hook_frame, and the call paths of its samples. */
#include "htrace/plugins/native_hook/native_hook.h"

#include "base/alloc.h"

enum { LEFT_OUT = 128, HEX = 18 };

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
 * is left out. */
static void resolve_frame(hook *h, const hook_owner *owner, hook_frame *f)
{
    uint64_t symbol;
    uint64_t file;
    if (!h->strings || (f->has & (HOOK_HAS_SYMBOL | LEFT_OUT)) != 0) {
        return;
    }
    if ((f->has & HOOK_HAS_SYMBOL_ID) == 0 || (f->has & HOOK_HAS_FILE_ID) == 0 ||
        !ts_idmap_find(&symbol, &owner->symbols, f->symbol) ||
        !ts_idmap_find(&file, &owner->files, f->file)) {
        f->has |= LEFT_OUT;
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
    ts_method method = {.name = TS_TEXT_NULL};
    int64_t id;
    if (f->method != 0) {
        return TS_OK;
    }
    if ((f->has & HOOK_HAS_SYMBOL) != 0) {
        method.name = ts_pool_text(&h->texts, f->symbol - 1);
    }
    if ((f->has & HOOK_HAS_FILE) != 0) {
        method.library = ts_pool_text(&h->texts, f->file - 1);
    }
    TS_TRY(ts_stack_method(&id, h->records.host->store, h->source_id, &method));
    f->method = (uint32_t)id;
    return TS_OK;
}

/* The row of a frame; the library and the function nearest to the leaf count as the caller. */
static ts_code put_frame(hook *h, hook_chain *chain, int64_t depth, hook_frame *f)
{
    ts_store *store = h->records.host->store;
    ts_sink *sink = ts_store_sink(store);
    ts_row_native_hook_frame row = {
        .id = (int64_t)ts_sink_rows(sink, TS_T_native_hook_frame),
        .callchain_id = chain->number,
        .depth = depth,
        .ip = (int64_t)f->ip,
        .offset = (int64_t)f->offset,
        .symbol_offset = (int64_t)f->symbol_offset,
    };
    char hex[HEX];
    const hook_text *info;
    int64_t node = chain->node;
    bool added;
    row.vaddr = address_of(hex, h, f);
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
    }
    TS_TRY(find_method(h, f));
    TS_TRY(ts_stack_node(&node, &added, store, h->source_id, node, f->method, TS_NO_LINE, depth,
                         NULL));
    chain->node = (uint32_t)node;
    return ts_put_native_hook_frame(sink, &row);
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
        hook_frame f;
        memcpy(&f, h->bytes.p + (i - 1) * sizeof f, sizeof f);
        resolve_frame(h, hook_owner_at(h, chain->owner), &f);
        h->counts.frames_unknown += (f.has & LEFT_OUT) != 0;
        if ((f.has & LEFT_OUT) == 0) {
            code = put_frame(h, chain, depth++, &f);
        }
    }
    return code;
}

/* Frames by their ids. */
static ts_code write_stack(hook *h, hook_chain *chain)
{
    const hook_owner *owner = hook_owner_at(h, chain->owner);
    int64_t depth = 0;
    ts_code code = read_list(h, chain, sizeof(uint64_t));
    for (uint32_t i = chain->count; i > 0 && code == TS_OK; i--) {
        uint64_t found;
        int64_t id;
        hook_frame *f = NULL;
        memcpy(&id, h->bytes.p + (i - 1) * sizeof id, sizeof id);
        if (ts_idmap_find(&found, &owner->frames, id)) {
            f = (hook_frame *)h->frames.p + found;
            resolve_frame(h, owner, f);
        }
        if (f == NULL || (f->has & LEFT_OUT) != 0) {
            h->counts.frames_unknown++;
        } else {
            code = put_frame(h, chain, depth++, f);
        }
    }
    return code;
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
    if (h->stacks) {
        return write_stacks(h);
    }
    for (size_t i = 0; i < h->order.n && code == TS_OK; i++) {
        hook_chain *chain = hook_chain_at(h, ((const uint32_t *)h->order.p)[i]);
        code = is_asked_for(h, chain) ? write_list(h, chain) : TS_OK;
    }
    return code;
}
