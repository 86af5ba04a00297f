/*
 * Items of a section: a type, a length and a body.
 *
 * The numbers in a body say how long it is, so an item whose length is that one is certain. One
 * that is not (its type is not known, or its length is not what it should be) is believed when a
 * certain item or the end of the section follows, at once or after one that may be an item.
 * Otherwise its length may be what is damaged: reading goes on at the next place where a certain
 * item begins, and the bytes before it are lost.
 */
#include "htrace/plugins/ebpf/ebpf.h"

static uint32_t fixed_of(uint32_t type)
{
    switch (type) {
    case EBPF_MAPS:
    case EBPF_ELF:
        return 28;
    case EBPF_FILE:
        return 104;
    case EBPF_PAGE:
    case EBPF_BLOCK:
        return 80;
    case EBPF_TEXT:
        return 32;
    case EBPF_KERNEL:
        return 24;
    default:
        return 0;
    }
}

/* The length that the fixed part of an item says it has. */
static uint64_t length_of(uint32_t type, const uint8_t *p)
{
    const uint64_t fixed = fixed_of(type);
    switch (type) {
    case EBPF_MAPS:
        return fixed + ebpf_u32(p + 24);
    case EBPF_ELF:
        return fixed + ebpf_u32(p + 12) + ebpf_u32(p + 16) + (uint64_t)ebpf_u32(p + 20);
    case EBPF_FILE:
        return fixed + 8 * ebpf_number(p + 52, 2);
    case EBPF_PAGE:
        return fixed + 8 * ebpf_number(p + 60, 2);
    case EBPF_BLOCK:
        return fixed + 8 * (uint64_t)ebpf_u32(p + 56);
    case EBPF_TEXT:
        return fixed + ebpf_u32(p + 24);
    default:
        return fixed + ebpf_u32(p + 16) + (uint64_t)ebpf_u32(p + 20);
    }
}

/* What is at a place. */
typedef struct item_look {
    bool plausible; /* an item of a known type, long enough, and all of it in the section */
    bool certain;   /* its numbers say that length */
    uint64_t after; /* its end */
} item_look;

static ts_code look_at(item_look *look, ebpf_items *items, uint64_t at)
{
    const uint8_t *p;
    size_t n;
    *look = (item_look){0};
    TS_TRY(ts_window_get(&p, &n, items->bytes, at, EBPF_ITEM + EBPF_FIXED));
    if (n < EBPF_ITEM) {
        return TS_OK;
    }
    const uint32_t type = ebpf_u32(p);
    const uint32_t length = ebpf_u32(p + 4);
    const uint32_t fixed = fixed_of(type);
    look->plausible =
        fixed != 0 && length >= fixed && length <= items->bytes->size - at - EBPF_ITEM;
    look->certain = look->plausible && length == length_of(type, p + EBPF_ITEM);
    look->after = at + EBPF_ITEM + length;
    return TS_OK;
}

static ts_code is_certain(bool *certain, ebpf_items *items, uint64_t at)
{
    item_look look;
    TS_TRY(look_at(&look, items, at));
    *certain = look.certain;
    return TS_OK;
}

/* Can the section go on at `at`? It ends there, or a certain item begins, or one that may be one
 * and leads to such a place. */
static ts_code goes_on(bool *good, ebpf_items *items, uint64_t at)
{
    item_look look;
    *good = at == items->bytes->size;
    if (*good) {
        return TS_OK;
    }
    TS_TRY(look_at(&look, items, at));
    *good = look.certain || (look.plausible && look.after == items->bytes->size);
    return *good || !look.plausible ? TS_OK : is_certain(good, items, look.after);
}

/* The next place after `at` where a certain item begins; the end of the section without one. */
static ts_code find_certain(uint64_t *place, ebpf_items *items, uint64_t at)
{
    bool certain = false;
    ts_code code = TS_OK;
    do {
        at++;
        if (items->bytes->size - at < EBPF_ITEM) {
            at = items->bytes->size;
        }
        TS_STEP_IF(code, at < items->bytes->size, is_certain(&certain, items, at));
    } while (code == TS_OK && !certain && at < items->bytes->size);
    *place = at;
    return code;
}

static ts_code pass_over(ebpf_found *found, ebpf_item *item, ebpf_items *items)
{
    uint64_t next;
    TS_TRY(find_certain(&next, items, items->at));
    const uint64_t passed = next - items->at;
    *found = EBPF_LOST;
    item->pos = items->at;
    item->length = passed < UINT32_MAX ? (uint32_t)passed : UINT32_MAX;
    items->at = next;
    return TS_OK;
}

/* Is an item of no known type one of a known type, which was changed? Its numbers say its length
 * then, and its type is a bit away from that one, or far from all that recorders give. */
static bool is_changed(uint32_t type, uint32_t length, const uint8_t *p)
{
    static const uint32_t known[] = {EBPF_MAPS,  EBPF_ELF,  EBPF_FILE,  EBPF_PAGE,
                                     EBPF_BLOCK, EBPF_TEXT, EBPF_KERNEL};
    const bool far = type >= 64 && type >> 8 != EBPF_KERNEL >> 8;
    bool changed = false;
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        changed = changed || ((far || __builtin_popcount(type ^ known[i]) == 1) &&
                              length >= fixed_of(known[i]) && length == length_of(known[i], p));
    }
    return changed;
}

ts_code ebpf_next(ebpf_found *found, ebpf_item *item, ebpf_items *items)
{
    const uint64_t size = items->bytes->size;
    const uint8_t *p;
    size_t n;
    bool trusted = false;
    *found = EBPF_END;
    if (items->at >= size) {
        return TS_OK;
    }
    TS_TRY(ts_window_get(&p, &n, items->bytes, items->at, EBPF_ITEM + EBPF_FIXED));
    if (n < EBPF_ITEM || ebpf_u32(p + 4) > size - items->at - EBPF_ITEM) {
        return pass_over(found, item, items);
    }
    *item =
        (ebpf_item){.type = ebpf_u32(p), .length = ebpf_u32(p + 4), .pos = items->at + EBPF_ITEM};
    const uint32_t fixed = fixed_of(item->type);
    *found = fixed == 0 ? EBPF_UNKNOWN : item->length < fixed ? EBPF_SHORT : EBPF_GOOD;
    if (*found == EBPF_UNKNOWN && is_changed(item->type, item->length, p + EBPF_ITEM)) {
        *found = EBPF_LOST;
        item->pos -= EBPF_ITEM;
        items->at += EBPF_ITEM + (uint64_t)item->length;
        return TS_OK;
    }
    memcpy(item->fixed, p + EBPF_ITEM, *found == EBPF_GOOD ? fixed : 0);
    if (*found != EBPF_GOOD || item->length != length_of(item->type, item->fixed)) {
        TS_TRY(goes_on(&trusted, items, item->pos + item->length));
        if (!trusted) {
            return pass_over(found, item, items);
        }
    }
    items->at = item->pos + item->length;
    return TS_OK;
}
