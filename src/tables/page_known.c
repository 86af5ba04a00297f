/*
 * Rows of tables of which many come, with texts among their columns: for each form of a table the
 * code that makes a cell is unrolled, with the places of its columns in it. Cells are those of
 * page_record.c, made like them from their ends. Rows with long texts are not for this.
 */
#include "tables/page_private.h"

enum { TYPE_INT64 = 6, TYPE_TEXT = 13, MOST_COLUMNS = 24 };

/* --- values ---------------------------------------------------------------------------------- */

/*
 * Serial types, and sizes in the high byte, of integers by the place of the highest bit of the
 * zigzag form: 0 to 63; 64 and 65 are the numbers 0 and 1, 66 is NULL.
 */
enum { FORM_NULL = 66, SIZE_SHIFT = 8 };
#define FORM(type, size) ((type) | (size) << SIZE_SHIFT)
#define EIGHT(f) f, f, f, f, f, f, f, f
static const uint16_t forms_of_integers[FORM_NULL + 1] = {
    EIGHT(FORM(1, 1)), EIGHT(FORM(2, 2)), EIGHT(FORM(3, 3)), EIGHT(FORM(4, 4)),
    EIGHT(FORM(5, 6)), EIGHT(FORM(5, 6)), EIGHT(FORM(6, 8)), EIGHT(FORM(6, 8)),
    FORM(8, 0),        FORM(9, 0),        FORM(0, 0)};
#undef EIGHT
#undef FORM

/* Without a branch: values are of any size, in any order. */
static inline unsigned form_of(int64_t v, bool null)
{
    uint64_t zigzag = (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0);
    unsigned highest = 63U ^ (unsigned)__builtin_clzll(zigzag | 1);
    highest |= (unsigned)((uint64_t)v <= 1) << 6; /* of 0 and 1: themselves */
    return forms_of_integers[null ? FORM_NULL : highest];
}

/* --- cells ----------------------------------------------------------------------------------- */

/* What is known of a form when the code is made. */
typedef struct known_shape {
    unsigned n;
    uint64_t texts;
    uint64_t reals;
} known_shape;

/* Where a column of the row struct stands: behind the mask of NULLs, texts take two words. */
#define FIELD_AT(shape, i)                                                                         \
    (8 * (1 + (i) + (size_t)__builtin_popcountll((shape).texts & ((UINT64_C(1) << (i)) - 1))))

/* The types of a cell: the last column in the lowest byte of the first word. */
typedef uint64_t known_types[MOST_COLUMNS / 8];

static inline void set_type(known_types types, unsigned from_end, unsigned type)
{
    types[from_end / 8] |= (uint64_t)type << from_end % 8 * 8;
}

/* All calls give constants, so that each column is code of its own. */
static inline __attribute__((always_inline)) uint8_t *
encode_known(const known_shape shape, uint8_t *end, const char *row, uint64_t keys, int64_t rowid,
             uint64_t reserved, uint32_t *from_end)
{
    known_types types = {0};
    uint8_t *at = end;
    uint64_t nulls;
    uint64_t payload;
    memcpy(&nulls, row, sizeof nulls);
    nulls |= keys;
#pragma GCC unroll 24
    for (unsigned i = shape.n; i-- > 0;) {
        bool null = (nulls >> i & 1) != 0;
        const char *field = row + FIELD_AT(shape, i);
        unsigned form;
        int64_t v;
        if ((shape.texts >> i & 1) != 0) {
            ts_text text;
            memcpy(&text, field, sizeof text);
            if (null || text.p == NULL) {
                continue;
            }
            if (text.n > PAGE_KNOWN_TEXT) {
                return NULL;
            }
            at -= text.n;
            page_copy_short(at, text.p, text.n);
            set_type(types, shape.n - 1 - i, (unsigned)(TYPE_TEXT + 2 * text.n));
            continue;
        }
        memcpy(&v, field, sizeof v);
        if ((shape.reals >> i & 1) != 0 && v != 0 && !null) {
            return NULL;
        }
        page_put_be64(at - 8, (uint64_t)v);
        if (i < PAGE_KNOWN_RESERVED && (reserved >> i & 1) != 0) {
            at -= 8;
            set_type(types, shape.n - 1 - i, TYPE_INT64);
            from_end[i] = (uint32_t)(end - at);
            continue;
        }
        form = form_of(v, null);
        at -= form >> SIZE_SHIFT;
        set_type(types, shape.n - 1 - i, form & UINT8_MAX);
    }
#pragma GCC unroll 3
    for (unsigned i = 0; i < shape.n; i += 8) {
        page_put_be64(at - i - 8, types[i / 8]);
    }
    at -= shape.n;
    *--at = (uint8_t)(shape.n + 1);
    payload = (uint64_t)(end - at);
    at = page_varint_before(at, (uint64_t)rowid);
    return page_varint_before(at, payload);
}

/* --- forms ----------------------------------------------------------------------------------- */

#define BIT(i) (UINT64_C(1) << (i))

/* clang-format off */
#define EACH_FORM(FORM)                                                                            \
    FORM(thread_state, 9, BIT(7), 0)                                                               \
    FORM(sched_slice, 12, BIT(7) | BIT(11), 0)                                                     \
    FORM(callstack, 20, BIT(4) | BIT(5) | UINT64_C(0xff) << 10, 0)                                 \
    FORM(raw, 5, BIT(2), 0)                                                                        \
    FORM(instant, 6, BIT(1) | BIT(4), BIT(5))                                                      \
    FORM(measure, 5, BIT(0), 0)                                                                    \
    FORM(irq, 11, BIT(4) | BIT(5) | BIT(10), 0)
/* clang-format on */

#define ENCODE(name, n, texts, reals)                                                              \
    static uint8_t *encode_##name(uint8_t *end, const void *row, uint64_t keys, int64_t rowid,     \
                                  uint64_t reserved, uint32_t *from_end)                           \
    {                                                                                              \
        return encode_known((known_shape){n, texts, reals}, end, row, keys, rowid, reserved,       \
                            from_end);                                                             \
    }
EACH_FORM(ENCODE)
#undef ENCODE

static const struct {
    known_shape shape;
    page_known_call *encode;
} forms[] = {
#define ENTRY(name, n, texts, reals) {{n, texts, reals}, encode_##name},
    EACH_FORM(ENTRY)
#undef ENTRY
};

page_known_call *page_known_form(const ts_table *table)
{
    known_shape shape = {.n = table->column_count};
    for (unsigned i = 0; i < table->column_count; i++) {
        shape.texts |= table->columns[i].type == TS_COL_TEXT ? BIT(i) : 0;
        shape.reals |= table->columns[i].type == TS_COL_REAL ? BIT(i) : 0;
    }
    for (size_t k = 0; k < sizeof forms / sizeof *forms; k++) {
        bool same = forms[k].shape.n == shape.n && forms[k].shape.texts == shape.texts &&
                    forms[k].shape.reals == shape.reals;
        for (unsigned i = 0; i < table->column_count && same; i++) {
            same = table->columns[i].offset == FIELD_AT(shape, i);
        }
        if (same) {
            return forms[k].encode;
        }
    }
    return NULL;
}
