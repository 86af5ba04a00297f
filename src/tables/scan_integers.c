/*
 * The usual rows of large tables: integers only, wanted columns near the beginning, rowids that
 * follow each other. Their serial types are one byte each, so that eight columns are looked at as
 * one word: their sizes, and where each of them begins, are found without a branch. Everything that
 * is unusual is left to scan_cell, which says what is wrong with it.
 */
#include "tables/scan_private.h"

#define EACH UINT64_C(0x0101010101010101)

enum { SHORT_SIZE = 0x80 };

/* Bytes of eight varints of less than 10, or serial types: the first in the lowest byte. */
static inline uint64_t types_at(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
#if __BYTE_ORDER__ != __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    return v;
}

/* 0x80 in each byte that is at least `least`; all bytes are less than 0x80. */
static inline uint64_t at_least(uint64_t bytes, unsigned least)
{
    return (bytes + EACH * (0x80 - least)) & EACH * 0x80;
}

/* Whether all are types of integers or NULL. */
static inline bool all_integers(uint64_t types)
{
    uint64_t no_real;
    if ((types & EACH * 0x80) != 0) {
        return false;
    }
    no_real = at_least(types, PAGE_TYPE_REAL) & ~at_least(types, PAGE_TYPE_ZERO);
    return (at_least(types, PAGE_TYPES_KNOWN) | no_real) == 0;
}

/* As many bytes as the number of the type, and one more of 48 bits, two more of 64. */
static inline uint64_t sizes_of(uint64_t types)
{
    uint64_t sizes =
        types + (at_least(types, PAGE_TYPE_INT48) >> 7) + (at_least(types, PAGE_TYPE_INT64) >> 7);
    return sizes & ~((at_least(types, PAGE_TYPE_ZERO) >> 7) * 0xff);
}

/* The rowid that is expected next, as its varint is in a cell. */
typedef struct expected {
    uint64_t bytes;
    unsigned n; /* at end_row 8 */
} expected;

static bool expect(expected *e, int64_t rowid)
{
    if (rowid <= 0 || rowid >> 56 != 0) {
        return false;
    }
    e->bytes = page_rowid_word(&e->n, rowid);
    return true;
}

/* --- layouts -------------------------------------------------------------------------------- */

/* Each types have one place; those that share it take it from each other. The sums take the few
 * bits that types have into one byte. */
static inline size_t slot_of_layout(const uint64_t types[SCAN_WORDS])
{
    uint64_t h = types[0] + (types[1] << 2);
    h += h >> 29;
    h += h >> 14;
    h ^= h >> 6;
    return (size_t)h & (SCAN_LAYOUTS - 1);
}

/* Where the wanted columns of rows with these types are. False: not only integers. */
static bool make_layout(scan_layout *layout, const ts_scan *s, const uint64_t types[SCAN_WORDS])
{
    uint64_t sizes[SCAN_WORDS];
    uint64_t begins[SCAN_WORDS]; /* of each column, after the columns of the words before */
    uint32_t before[SCAN_WORDS];
    uint32_t end = 0;
    for (unsigned w = 0; w < SCAN_WORDS; w++) {
        if (!all_integers(types[w])) {
            return false;
        }
        layout->types[w] = types[w];
        sizes[w] = sizes_of(types[w]);
        begins[w] = sizes[w] * EACH;
        before[w] = end;
        end += (uint32_t)(begins[w] >> 56);
        begins[w] <<= 8;
    }
    layout->end = end;
    for (unsigned k = 0; k < s->slot_count; k++) {
        unsigned w = s->chosen[k].column / 8;
        unsigned shift = s->chosen[k].column % 8 * 8;
        unsigned type = types[w] >> shift & 0xff;
        unsigned n = sizes[w] >> shift & 0xff;
        layout->cells[k] = (scan_place){
            .at = (uint8_t)(before[w] + (begins[w] >> shift & 0xff)),
            .shift = (uint8_t)(n == 0 ? 63 : 64 - 8 * n),
            .keep = n == 0 ? 0 : -1,
            .null = type == 0,
            .fixed = type == PAGE_TYPE_ONE,
        };
    }
    return true;
}

/* A record whose header of n bytes has fewer columns than are wanted: the others are NULL. False:
 * it is no header. */
static inline bool leave_out(uint64_t types[SCAN_WORDS], unsigned n)
{
    if (n == 0) {
        return false;
    }
    types[0] &= n > 8 ? UINT64_MAX : (UINT64_C(1) << (n - 1) * 8) - 1;
    types[1] &= n > 9 ? (UINT64_C(1) << (n - 9) * 8) - 1 : 0;
    return true;
}

/* --- cells ---------------------------------------------------------------------------------- */

static inline __attribute__((always_inline)) uint32_t integer_cells(ts_scan *s,
                                                                    const scan_frame *leaf,
                                                                    uint32_t row, uint32_t end_row,
                                                                    unsigned words, unsigned slots)
{
    const uint8_t *bytes = leaf->bytes;
    const uint8_t *pointer = bytes + leaf->header + LEAF_HEADER + (size_t)CELL_POINTER * leaf->next;
    const uint32_t usable = s->reader->usable;
    const uint32_t lowest = leaf->header + LEAF_HEADER + CELL_POINTER * leaf->cells;
    const uint64_t last_mask = UINT64_MAX >> (8 * words - s->columns) * 8;
    int64_t rowid = s->last_rowid;
    expected next;
    if (!expect(&next, rowid + 1)) {
        return row;
    }
    for (; row < end_row; row++, pointer += CELL_POINTER) {
        uint32_t offset = scan_be16(pointer);
        const uint8_t *at = bytes + offset;
        uint64_t types[SCAN_WORDS] = {0};
        const scan_layout *layout;
        uint32_t size;
        if (offset < lowest || offset >= usable) {
            break;
        }
        size = *at++;
        if (scan_be64(at) >> (64 - 8 * next.n) != next.bytes) {
            break;
        }
        at += next.n;
        types[0] = types_at(at + 1) & (words == 1 ? last_mask : UINT64_MAX);
        if (words == 2) {
            types[1] = types_at(at + 9) & last_mask;
        }
        if (*at < s->columns + 1 && !leave_out(types, *at)) {
            break;
        }
        layout = &s->layouts[slot_of_layout(types)];
        if (layout->types[0] != types[0] || layout->types[1] != types[1]) {
            if (!make_layout(&s->layouts[slot_of_layout(types)], s, types)) {
                break;
            }
        }
        if (size >= SHORT_SIZE || *at >= SHORT_SIZE || *at + layout->end > size ||
            at + size > bytes + usable) {
            break;
        }
        at += *at;
        for (unsigned k = 0; k < slots; k++) {
            const scan_slot *slot = &s->chosen[k];
            const scan_place place = layout->cells[k];
            int64_t value = (int64_t)scan_be64(at + place.at) >> place.shift;
            slot->ints[row] = (value & place.keep) | place.fixed;
            slot->null[row] = place.null;
        }
        s->rowids[row] = ++rowid;
        if ((next.bytes & 0x7f) != 0x7f) {
            next.bytes++;
        } else if (!expect(&next, rowid + 1)) {
            row++;
            break;
        }
    }
    s->last_rowid = rowid;
    return row;
}

uint32_t scan_integer_cells(ts_scan *s, const scan_frame *leaf, uint32_t row, uint32_t end_row)
{
    unsigned words = s->columns <= 8 ? 1 : 2;
    if (!s->any_row) {
        return row; /* nothing says which rowid comes */
    }
    switch (s->slot_count + 8 * words) {
    case 3 + 8:
        return integer_cells(s, leaf, row, end_row, 1, 3);
    case 6 + 16:
        return integer_cells(s, leaf, row, end_row, 2, 6);
    default:
        return integer_cells(s, leaf, row, end_row, words, s->slot_count);
    }
}
