/*
 * Many rows with short texts at once: cells whose header has one byte a column, made like those of
 * page_record.c from their ends, where they stay.
 */
#include "tables/page_private.h"

#include "tables/schema.h"

enum { MOST_TEXT = 57, MOST_COLUMNS = 8, TYPE_NULL = 0, TYPE_TEXT = 13, SHORT_PAYLOAD = 0x7f };

/* The serial type and size of an integer. */
static inline unsigned short_integer(uint8_t *type, int64_t v)
{
    static const uint8_t sizes[] = {0, 1, 2, 3, 4, 6, 6, 8, 8};
    static const uint8_t types[] = {0, 1, 2, 3, 4, 5, 5, 6, 6};
    uint64_t zigzag = (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
    unsigned bytes = (71U - (unsigned)__builtin_clzll(zigzag | 1)) / 8;
    bool small = (uint64_t)v <= 1;
    *type = small ? (uint8_t)(8 + v) : types[bytes];
    return small ? 0 : sizes[bytes];
}

/* The cell of a row, which ends at `end`; NULL: it is none of these. `room` bytes are there, which
 * are more than a cell of integers needs. */
static inline uint8_t *encode_short(uint8_t *end, const page_table *t, const char *row,
                                    uint32_t room)
{
    uint64_t types = 0; /* the last column in the lowest byte but one */
    unsigned n = t->table->column_count;
    uint8_t *at = end;
    uint64_t nulls;
    uint64_t payload;
    memcpy(&nulls, row, sizeof nulls);
    nulls |= t->keys;
    for (unsigned i = n; i-- > 0;) {
        const char *field = row + t->fields[i];
        uint8_t type = TYPE_NULL;
        if ((nulls >> i & 1) == 0 && t->types[i] == TS_COL_TEXT) {
            ts_text text;
            memcpy(&text, field, sizeof text);
            if (text.p != NULL) {
                if (text.n > MOST_TEXT || text.n > room) {
                    return NULL;
                }
                at -= text.n;
                room -= (uint32_t)text.n;
                page_copy_short(at, text.p, text.n);
                type = (uint8_t)(TYPE_TEXT + 2 * text.n);
            }
        } else if ((nulls >> i & 1) == 0) {
            int64_t v;
            memcpy(&v, field, sizeof v);
            page_put_be64(at - 8, (uint64_t)v);
            at -= short_integer(&type, v);
        }
        types |= (uint64_t)type << 8 * (n - 1 - i);
    }
    page_put_be64(at - 8, types);
    at -= n;
    *--at = (uint8_t)(n + 1);
    payload = (uint64_t)(end - at);
    if (payload > SHORT_PAYLOAD) {
        return NULL;
    }
    at = page_varint_before(at, (uint64_t)t->rows + 1);
    *--at = (uint8_t)payload;
    return at;
}

bool page_is_short(const page_table *t)
{
    for (unsigned i = 0; i < t->table->column_count; i++) {
        if (t->types[i] == TS_COL_REAL) {
            return false;
        }
    }
    return t->table->column_count <= MOST_COLUMNS;
}

bool page_put_short(page_table *t, const void *row)
{
    open_page *leaf = &t->leaf;
    uint32_t used = leaf->header + CELL_POINTER * (leaf->cells + 1) + t->cell_max;
    uint8_t *end = leaf->bytes + leaf->content;
    uint8_t *at = leaf->bytes == NULL || leaf->content < used
                      ? NULL
                      : encode_short(end, t, row, leaf->content - used);
    if (at == NULL) {
        return false;
    }
    leaf->content = (uint32_t)(at - leaf->bytes);
    page_put16(leaf->bytes + leaf->header + (size_t)CELL_POINTER * leaf->cells, leaf->content);
    leaf->cells++;
    t->rows++;
    return true;
}
