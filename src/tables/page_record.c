/*
 * Rows become records, records become cells. Cells grow down, so a usual row is encoded from its
 * end: values, types, header size, rowid, payload size, each before the one that follows it, and
 * nothing has to be moved. What is too large for a leaf, or reserved, is put together forwards.
 */
#include "tables/page_private.h"
#include "tables/rows.h"
#include "tables/sink.h"

#include "base/alloc.h"

/* Serial types of the record format. */
enum { TYPE_NULL = 0, TYPE_INT64 = 6, TYPE_REAL = 7, TYPE_ZERO = 8, TYPE_TEXT = 13 };

/*
 * Serial types and sizes of integers, by their form: how many bits a number has, 0 to 63, 64 more
 * for numbers below 0, of which it is those of the complement; 128 is NULL.
 */
enum { INT64_FORM = 63, NEGATIVE_FORMS = 64, NULL_FORM = 128 };
static const uint8_t form_type[NULL_FORM + 1] = {
    8, 9, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4,
    4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6,
    6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2,
    2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5, 5,
    5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 0};
static const uint8_t form_size[NULL_FORM + 1] = {
    0, 0, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4,
    4, 4, 4, 4, 4, 4, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 8, 8, 8, 8,
    8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2,
    2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 6, 6, 6, 6, 6, 6, 6, 6,
    6, 6, 6, 6, 6, 6, 6, 6, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 0};
static const uint8_t type_size[10] = {0, 1, 2, 3, 4, 6, 8, 8, 0, 0};

enum {
    HEADER_VARINT = 2,  /* header size: at most 63 columns of 9 bytes */
    TEXT_VARINT = 3,    /* type of a text that fits into a leaf */
    PAYLOAD_VARINT = 3, /* size of a record that fits into a leaf */
    INT_BYTES = 8,
    SHORT_TEXT = 57, /* its type is one byte */
    SLACK = 8        /* whole words are stored, which reach below what they stand for */
};

/* Without a branch: the values of a column are of any size, in any order. */
static inline unsigned integer_form(int64_t v)
{
    uint64_t sign = v < 0 ? UINT64_MAX : 0;
    uint64_t bits = (uint64_t)v ^ sign;
    unsigned n = 63U ^ (unsigned)__builtin_clzll(2 * bits + 1);
    return n | (unsigned)(sign & NEGATIVE_FORMS);
}

static inline uint8_t serial_type(int64_t v)
{
    return form_type[integer_form(v)];
}

/* Reals with whole values are stored as integers where that is shorter, and NaN as NULL, as SQLite
 * does with columns of type REAL; it reads them as reals again. */
static uint8_t real_type(int64_t *bits)
{
    double v;
    memcpy(&v, bits, sizeof v);
    if (v != v) {
        return TYPE_NULL;
    }
    if (v > -140737488355329.0 && v < 140737488355328.0) { /* 6 bytes */
        int64_t whole = (int64_t)v;
        if ((double)whole == v) {
            *bits = whole;
            return serial_type(whole);
        }
    }
    return TYPE_REAL;
}

static uint32_t header_size(uint32_t types_n)
{
    return types_n + (types_n < 0x7f ? 1 : 2); /* the varint counts itself */
}

/* --- cells from their ends ----------------------------------------------------------------------
 */

/* Copies the last n bytes before `from` to before `at`, a word at a time: up to 7 bytes more are
 * read and written below. */
static inline uint8_t *copy_before(uint8_t *at, const uint8_t *from, uint32_t n)
{
    for (uint32_t i = 0; i < n; i += 8) {
        memcpy(at - i - 8, from - i - 8, 8);
    }
    return at - n;
}

/* Header size, rowid and payload size before the types of a record that ends at `end`. */
static inline uint8_t *put_head(uint8_t *at, const uint8_t *end, uint32_t types_n, page_table *t,
                                int64_t rowid)
{
    uint64_t payload;
    uint64_t word;
    unsigned word_n;
    at = page_varint_before(at, header_size(types_n));
    payload = (uint64_t)(end - at);
    if (rowid >= INT64_C(1) << 55) {
        at = page_varint_before(at, (uint64_t)rowid);
    } else {
        word = page_next_rowid_word(&word_n, t, rowid);
        page_put_be64(at - 8, word);
        at -= word_n;
    }
    return page_varint_before(at, payload);
}

static inline __attribute__((always_inline)) uint8_t *encode_integers(uint8_t *end, page_table *t,
                                                                      const int64_t *values,
                                                                      unsigned n, uint64_t nulls,
                                                                      int64_t rowid)
{
    uint8_t types[8 + MAX_COLUMNS];
    uint8_t *at = end;
    memset(types, 0, 8);
    for (unsigned i = n; i-- > 0;) {
        unsigned form = (nulls >> i & 1) != 0 ? NULL_FORM : integer_form(values[i]);
        page_put_be64(at - 8, (uint64_t)values[i]);
        at -= form_size[form];
        types[8 + i] = form_type[form];
    }
    at = copy_before(at, types + 8 + n, n);
    return put_head(at, end, n, t, rowid);
}

/* A row of integers. Unrolled for the usual numbers of columns, which saves a third of the time. */
static uint8_t *encode_integer_row(uint8_t *end, page_table *t, const void *row, int64_t rowid)
{
    const int64_t *values = (const int64_t *)row + 1; /* behind the mask of NULLs */
    uint64_t nulls = *(const uint64_t *)row | t->keys;
    unsigned n = t->table->column_count;
    if (nulls != 0) {
        return encode_integers(end, t, values, n, nulls, rowid);
    }
    switch (n) {
#define UNROLLED(count)                                                                            \
    case count:                                                                                    \
        return encode_integers(end, t, values, count, 0, rowid);
        UNROLLED(2)
        UNROLLED(3)
        UNROLLED(4)
        UNROLLED(5)
        UNROLLED(6)
        UNROLLED(7)
        UNROLLED(8)
        UNROLLED(9)
#undef UNROLLED
    default:
        return encode_integers(end, t, values, n, 0, rowid);
    }
}

/* A row of integers of which some are reserved: those take 8 bytes each. from_end: how far from
 * the end each of the k columns begins. */
static inline __attribute__((always_inline)) uint8_t *
encode_reserved(uint8_t *end, page_table *t, const int64_t *values, unsigned n, uint64_t nulls,
                uint64_t reserved, unsigned k, uint32_t *from_end)
{
    uint8_t types[8 + MAX_COLUMNS];
    uint8_t *at = end;
    memset(types, 0, 8);
    for (unsigned i = n; i-- > 0;) {
        unsigned form;
        if ((nulls >> i & 1) != 0) { /* nearly always in the same columns */
            types[8 + i] = TYPE_NULL;
            continue;
        }
        form = (reserved >> i & 1) != 0 ? INT64_FORM : integer_form(values[i]);
        page_put_be64(at - 8, (uint64_t)values[i]);
        at -= form_size[form];
        types[8 + i] = form_type[form];
        if ((reserved >> i & 1) != 0) {
            from_end[--k] = (uint32_t)(end - at);
        }
    }
    at = copy_before(at, types + 8 + n, n);
    return put_head(at, end, n, t, t->rows + 1);
}

/* A cell in the making: where its values begin so far, and their types, which end at `types_end`
 * with room for a word before them. */
typedef struct backwards {
    uint8_t *at;
    uint8_t *type;
} backwards;

static inline __attribute__((always_inline)) void put_integer(backwards *b, int64_t v)
{
    unsigned form = integer_form(v);
    page_put_be64(b->at - 8, (uint64_t)v);
    b->at -= form_size[form];
    *--b->type = form_type[form];
}

static inline void put_null(backwards *b)
{
    *--b->type = TYPE_NULL;
}

/* A value that comes later; returns how far from the end it begins. */
static inline uint32_t put_late(backwards *b, const uint8_t *end, int64_t v)
{
    b->at -= INT_BYTES;
    page_put_be64(b->at, (uint64_t)v);
    *--b->type = TYPE_INT64;
    return (uint32_t)(end - b->at);
}

/* All of a record of n types but its values, before these. */
static inline uint8_t *put_types(const backwards *b, const uint8_t *end, uint32_t n, page_table *t,
                                 int64_t rowid)
{
    memset(b->type - 8, 0, 8);
    return put_head(copy_before(b->at, b->type + n, n), end, n, t, rowid);
}

#define INVOCATION_LATE                                                                            \
    (TS_NULL_BIT(stack_slice, dur) | TS_NULL_BIT(stack_slice, self_dur) |                          \
     TS_NULL_BIT(stack_slice, state))
#define INVOCATION_NULLS (TS_NULL_BIT(stack_slice, id) | TS_NULL_BIT(stack_slice, cpu_dur))

/* An invocation without a time of the processor, whose end comes later: which of its columns are
 * there is not asked for each of them. */
static uint8_t *encode_invocation(uint8_t *end, page_table *t, const ts_row_stack_slice *row,
                                  uint32_t *from_end)
{
    uint8_t types[8 + TS_N_stack_slice];
    backwards b = {end, types + sizeof types};
    from_end[2] = put_late(&b, end, row->state);
    put_integer(&b, row->depth);
    put_null(&b);
    from_end[1] = put_late(&b, end, row->self_dur);
    from_end[0] = put_late(&b, end, row->dur);
    put_integer(&b, row->ts);
    put_integer(&b, row->node_id);
    if ((row->null & TS_NULL_BIT(stack_slice, parent_id)) == 0) {
        put_integer(&b, row->parent_id);
    } else {
        put_null(&b);
    }
    put_integer(&b, row->itid);
    put_integer(&b, row->source_id);
    put_null(&b);
    return put_types(&b, end, TS_N_stack_slice, t, t->rows + 1);
}

static uint8_t *encode_reserved_row(uint8_t *end, page_table *t, const void *row, uint64_t reserved,
                                    unsigned k, uint32_t *from_end)
{
    const int64_t *values = (const int64_t *)row + 1;
    uint64_t nulls = *(const uint64_t *)row | t->keys;
    if (reserved == INVOCATION_LATE && t->shape == PAGE_SHAPE_INVOCATION &&
        (nulls & ~TS_NULL_BIT(stack_slice, parent_id)) == INVOCATION_NULLS) {
        return encode_invocation(end, t, row, from_end);
    }
    return encode_reserved(end, t, values, t->table->column_count, nulls, reserved, k, from_end);
}

/* The first n columns of a row, unrolled for samples. */
static uint8_t *encode_first(uint8_t *end, page_table *t, const void *row, unsigned n)
{
    enum { SAMPLE = 4, LAST_OF_RUN = 6 };
    const int64_t *values = (const int64_t *)row + 1;
    uint64_t nulls = (*(const uint64_t *)row | t->keys) & ((UINT64_C(1) << n) - 1);
    if (nulls == 1 && n == SAMPLE) {
        return encode_integers(end, t, values, SAMPLE, 1, t->rows + 1);
    }
    if (nulls == 1 && n == LAST_OF_RUN) {
        return encode_integers(end, t, values, LAST_OF_RUN, 1, t->rows + 1);
    }
    return encode_integers(end, t, values, n, nulls, t->rows + 1);
}

/* A column that is no integer; a real's bits. */
static inline void put_other(backwards *b, const void *field, ts_column_type is)
{
    if (is == TS_COL_TEXT) {
        ts_text text;
        memcpy(&text, field, sizeof text);
        if (text.p == NULL) {
            put_null(b);
            return;
        }
        b->at -= text.n;
        page_copy_text(b->at, text.p, text.n);
        b->type = page_varint_before(b->type, TYPE_TEXT + 2 * (uint64_t)text.n);
    } else {
        int64_t v;
        memcpy(&v, field, sizeof v);
        *--b->type = real_type(&v);
        page_put_be64(b->at - 8, (uint64_t)v);
        b->at -= type_size[*b->type];
    }
}

/* n integers. nulls: a bit for each. */
static inline void put_group(backwards *b, const int64_t *values, unsigned n, uint64_t nulls)
{
    for (unsigned i = n; i-- > 0;) {
        if ((nulls >> i & 1) != 0) {
            put_null(b);
        } else {
            put_integer(b, values[i]);
        }
    }
}

static uint8_t *encode_row(uint8_t *end, page_table *t, const void *row, int64_t rowid)
{
    uint8_t types[8 + MAX_COLUMNS * TEXT_VARINT];
    uint8_t *const types_end = types + sizeof types;
    backwards b = {end, types_end};
    unsigned column = t->table->column_count;
    uint64_t all;
    memcpy(&all, row, sizeof all);
    all |= t->keys;
    for (unsigned g = t->group_count; g-- > 0;) {
        const column_group *group = &t->groups[g];
        const char *field = (const char *)row + group->field;
        uint64_t nulls;
        column -= group->n;
        nulls = all >> column & ((UINT64_C(1) << group->n) - 1);
        if (group->type == TS_COL_INT && nulls == 0) {
            put_group(&b, (const int64_t *)(const void *)field, group->n, 0);
        } else if (group->type == TS_COL_INT) {
            put_group(&b, (const int64_t *)(const void *)field, group->n, nulls);
        } else if (nulls != 0) {
            put_null(&b);
        } else {
            put_other(&b, field, (ts_column_type)group->type);
        }
    }
    return put_types(&b, end, (uint32_t)(types_end - b.type), t, rowid);
}

#define TAG_TEXT                                                                                   \
    (TS_NULL_BIT(cloud_tag, text_id) | TS_NULL_BIT(cloud_tag, text_file) |                         \
     TS_NULL_BIT(cloud_tag, text_offset))

/* A tag of an invocation with a short value, which nearly all are. */
static uint8_t *encode_tag(uint8_t *end, page_table *t, const ts_row_cloud_tag *row, int64_t rowid)
{
    uint8_t types[8 + TS_N_cloud_tag];
    backwards b = {end, types + sizeof types};
    put_null(&b);
    put_null(&b);
    put_null(&b);
    b.at -= row->value.n;
    page_copy_text(b.at, row->value.p, row->value.n);
    *--b.type = (uint8_t)(TYPE_TEXT + 2 * row->value.n);
    put_integer(&b, row->type);
    put_integer(&b, row->dictionary_id);
    put_integer(&b, row->word_id);
    put_integer(&b, row->ts);
    put_integer(&b, row->record);
    put_integer(&b, row->block_id);
    put_integer(&b, row->slice_id);
    put_integer(&b, row->source_id);
    put_null(&b);
    return put_types(&b, end, TS_N_cloud_tag, t, rowid);
}

static inline bool is_usual_tag(const ts_row_cloud_tag *row)
{
    return row->null == TAG_TEXT && row->value.p != NULL && row->value.n <= SHORT_TEXT;
}

/* The bytes of a row's texts, or more than fits into a leaf. */
static uint32_t text_bytes(const ts_pages *p, const page_table *t, const void *row)
{
    uint32_t sum = 0;
    for (unsigned i = 0; i < t->text_count; i++) {
        ts_text text;
        memcpy(&text, (const char *)row + t->text_at[i], sizeof text);
        if (text.p != NULL) {
            if (text.n > p->max_local - sum) {
                return p->page_size;
            }
            sum += (uint32_t)text.n;
        }
    }
    return sum;
}

static inline uint8_t *encode(uint8_t *end, page_table *t, const void *row)
{
    return t->integers ? encode_integer_row(end, t, row, t->rows + 1)
                       : encode_row(end, t, row, t->rows + 1);
}

static inline bool has_room(const open_page *leaf, uint32_t most)
{
    return leaf->content >= leaf->header + CELL_POINTER * (leaf->cells + 1) + most;
}

static inline void take_cell(page_table *t, const uint8_t *at)
{
    open_page *leaf = &t->leaf;
    leaf->content = (uint32_t)(at - leaf->bytes);
    page_put16(leaf->bytes + leaf->header + (size_t)CELL_POINTER * leaf->cells, leaf->content);
    leaf->cells++;
    t->rows++;
}

static inline void put_in_place(page_table *t, const void *row)
{
    take_cell(t, encode(t->leaf.bytes + t->leaf.content, t, row));
}

/* What is remembered of a row says first how far from the end of its cell a column stands. */
static void place_columns(const page_table *t, reserved_row *kept, unsigned n, uint32_t end)
{
    kept->page = t->leaf_number;
    for (unsigned k = 0; k < n; k++) {
        kept->offsets[k] = end - kept->offsets[k];
    }
}

static unsigned count_bits(uint64_t v)
{
    unsigned n = 0;
    for (; v != 0; v &= v - 1) { /* few, and not every processor counts them at once */
        n++;
    }
    return n;
}

/* A row of integers of which some come later. */
static ts_code put_reserved(ts_pages *p, page_table *t, const void *row, uint64_t reserved)
{
    open_page *leaf = &t->leaf;
    bool in_place = has_room(leaf, t->cell_max);
    uint8_t *end = in_place ? leaf->bytes + leaf->content : p->scratch + p->page_size;
    reserved_row *kept;
    uint8_t *at;
    uint8_t *cell;
    uint32_t n;
    unsigned columns = count_bits(reserved);
    ts_code code = page_reserve(&kept, p, t, t->rows + 1, reserved);
    if (code != TS_OK) {
        return code;
    }
    kept->local = p->page_size;
    at = encode_reserved_row(end, t, row, reserved, columns, kept->offsets);
    if (in_place) {
        place_columns(t, kept, columns, (uint32_t)(end - leaf->bytes));
        take_cell(t, at);
        return TS_OK;
    }
    n = (uint32_t)(end - at);
    if ((code = page_cell(p, t, n, &cell)) != TS_OK) {
        return code;
    }
    memcpy(cell, at, n);
    place_columns(t, kept, columns, (uint32_t)(cell + n - leaf->bytes));
    t->rows++;
    return TS_OK;
}

/* A cell that ends with the scratch, for which the leaf has perhaps no room. */
static ts_code put_by_scratch(ts_pages *p, page_table *t, const uint8_t *at)
{
    const uint8_t *end = p->scratch + p->page_size;
    uint32_t n = (uint32_t)(end - at);
    uint8_t *cell;
    ts_code code = page_cell(p, t, n, &cell);
    if (code == TS_OK) {
        memcpy(cell, at, n);
        t->rows++;
    }
    return code;
}

/* A row of a known form of which some columns come later; its cell begins at `at`. */
static ts_code put_known_reserved(ts_pages *p, page_table *t, uint64_t reserved, uint8_t *at,
                                  uint8_t *end, const uint32_t *from_end)
{
    uint32_t n = (uint32_t)(end - at);
    unsigned columns = 0;
    reserved_row *kept;
    uint8_t *cell;
    ts_code code;
    if ((code = page_reserve(&kept, p, t, t->rows + 1, reserved)) != TS_OK ||
        (code = page_cell(p, t, n, &cell)) != TS_OK) {
        return code;
    }
    if (cell != at) {
        memcpy(cell, at, n);
    }
    kept->local = p->page_size;
    for (uint64_t left = reserved; left != 0; left &= left - 1) {
        kept->offsets[columns++] = from_end[__builtin_ctzll(left)];
    }
    place_columns(t, kept, columns, (uint32_t)(cell + n - t->leaf.bytes));
    t->rows++;
    return TS_OK;
}

/* A row of a form that is known; *done: it was put. */
static inline ts_code put_known(bool *done, ts_pages *p, page_table *t, const void *row,
                                uint64_t reserved)
{
    const open_page *leaf = &t->leaf;
    bool in_place = has_room(leaf, t->known_max);
    uint8_t *end = in_place ? leaf->bytes + leaf->content : p->scratch + p->page_size;
    uint32_t from_end[PAGE_KNOWN_RESERVED];
    uint8_t *at = reserved >> PAGE_KNOWN_RESERVED != 0
                      ? NULL
                      : t->known(end, row, t->keys, t->rows + 1, reserved, from_end);
    *done = at != NULL;
    if (at == NULL) {
        return TS_OK;
    }
    if (reserved != 0) {
        return put_known_reserved(p, t, reserved, at, end, from_end);
    }
    if (in_place) {
        take_cell(t, at);
        return TS_OK;
    }
    return put_by_scratch(p, t, at);
}

/* --- records of any size ------------------------------------------------------------------------
 */

/* A record in parts, so that large texts are never copied together. */
typedef struct record {
    uint8_t header[HEADER_VARINT + MAX_COLUMNS * MAX_VARINT];
    uint32_t header_n;
    uint8_t numbers[MAX_COLUMNS * 8];
    ts_text parts[MAX_COLUMNS + 1];
    unsigned part_n;
    uint64_t size;
    uint64_t offsets[MAX_COLUMNS]; /* of columns, behind the header */
} record;

/* One column: its type into `types`, its bytes into the parts. */
static unsigned encode_column(record *r, uint8_t *types, uint8_t **numbers, ts_column_type column,
                              const char *field, bool reserved)
{
    uint8_t type = TYPE_NULL;
    unsigned n;
    ts_text text;
    int64_t v;
    if (column == TS_COL_TEXT) {
        memcpy(&text, field, sizeof text);
        if (text.p == NULL) {
            types[0] = TYPE_NULL;
            return 1;
        }
        r->parts[r->part_n++] = text;
        r->size += text.n;
        return page_varint(types, TYPE_TEXT + 2 * (uint64_t)text.n);
    }
    memcpy(&v, field, sizeof v);
    if (column == TS_COL_INT) {
        type = reserved ? TYPE_INT64 : serial_type(v);
    } else if (column == TS_COL_REAL) {
        type = real_type(&v);
    }
    types[0] = type;
    n = type_size[type];
    if (n > 0) {
        page_put_be64(*numbers, (uint64_t)v << (64 - 8 * n));
        r->parts[r->part_n++] = (ts_text){(const char *)*numbers, n};
        r->size += n;
        *numbers += 8;
    }
    return 1;
}

static void make_record(record *r, const ts_table *table, const void *row, uint64_t reserved)
{
    uint8_t types[MAX_COLUMNS * MAX_VARINT];
    /* cppcheck-suppress ctuuninitvar ; only the place is taken, nothing is read */
    uint8_t *numbers = r->numbers;
    uint32_t types_n = 0;
    uint64_t nulls;
    unsigned n;
    memcpy(&nulls, row, sizeof nulls);
    r->part_n = 1;
    r->size = 0;
    for (unsigned i = 0; i < table->column_count; i++) {
        const ts_column *column = &table->columns[i];
        r->offsets[i] = r->size;
        if ((nulls >> i & 1) != 0) {
            types[types_n++] = TYPE_NULL;
            continue;
        }
        types_n += encode_column(r, types + types_n, &numbers, column->type,
                                 (const char *)row + column->offset, (reserved >> i & 1) != 0);
    }
    n = page_varint(r->header, header_size(types_n));
    /* cppcheck-suppress uninitvar ; the loop has written types_n bytes */
    memcpy(r->header + n, types, types_n);
    r->header_n = n + types_n;
    r->parts[0] = (ts_text){(const char *)r->header, r->header_n};
    r->size += r->header_n;
}

static ts_code read_long(ts_pages *p, uint8_t *out, size_t n)
{
    size_t got = 0;
    ts_code code = ts_spool_read(&got, p->long_text, p->long_at, out, n);
    p->long_at += got;
    if (code == TS_OK && got != n) {
        code = ts_fail(p->ctx, TS_ERR_INTERNAL, "a temporary file became shorter");
    }
    return code;
}

/* Copies the next n bytes of the record to `out`, moving through its parts. */
static ts_code copy_record(ts_pages *p, record *r, unsigned *part, uint8_t *out, size_t n)
{
    ts_code code = TS_OK;
    while (n > 0 && code == TS_OK) {
        ts_text *t = &r->parts[*part];
        /* The parts hold r->size bytes, of which n are left. NOLINTNEXTLINE(clang-analyzer-*) */
        size_t m = t->n < n ? t->n : n;
        if (t->p == ts_text_in_spool) {
            code = read_long(p, out, m);
        } else if (m > 0) {
            memcpy(out, t->p, m);
            t->p += m;
        }
        out += m;
        n -= m;
        t->n -= m;
        *part += t->n == 0 ? 1 : 0;
    }
    return code;
}

static ts_code put_overflow(ts_pages *p, record *r, unsigned *part, uint64_t left)
{
    uint32_t room = p->page_size - OVERFLOW_HEADER;
    ts_code code = TS_OK;
    while (left > 0) {
        uint32_t n = left < room ? (uint32_t)left : room;
        uint32_t number;
        uint8_t *page;
        if ((code = page_claim(p, &number, &page)) != TS_OK) {
            return code;
        }
        page_put32(page, left > room ? page_peek(p) : 0);
        if ((code = copy_record(p, r, part, page + OVERFLOW_HEADER, n)) != TS_OK) {
            return code;
        }
        memset(page + OVERFLOW_HEADER + n, 0, room - n);
        left -= n;
    }
    return code;
}

/* How much of a payload stays in the leaf (file format, "overflow"). */
static uint32_t page_local_size(const ts_pages *p, uint64_t size)
{
    uint32_t k;
    if (size <= p->max_local) {
        return (uint32_t)size;
    }
    k = p->min_local + (uint32_t)((size - p->min_local) % (p->page_size - OVERFLOW_HEADER));
    return k <= p->max_local ? k : p->min_local;
}

static ts_code remember(ts_pages *p, page_table *t, const record *r, uint64_t reserved, uint32_t at,
                        uint32_t local)
{
    reserved_row *kept;
    unsigned n = 0;
    ts_code code = page_reserve(&kept, p, t, t->rows + 1, reserved);
    if (code != TS_OK) {
        return code;
    }
    kept->page = t->leaf_number;
    kept->at = at;
    kept->local = local;
    kept->overflow = local < r->size ? page_peek(p) : 0;
    for (unsigned i = 0; i < t->table->column_count; i++) {
        if ((reserved >> i & 1) != 0) {
            /* Set for every column. NOLINTNEXTLINE(clang-analyzer-*) */
            kept->offsets[n++] = (uint32_t)(r->header_n + r->offsets[i]);
        }
    }
    return TS_OK;
}

static ts_code put_record(ts_pages *p, page_table *t, const void *row, uint64_t reserved)
{
    record r;
    uint8_t head[2 * MAX_VARINT];
    unsigned head_n;
    uint32_t local;
    unsigned part = 0;
    uint8_t *cell;
    ts_code code;
    make_record(&r, t->table, row, reserved);
    if (r.size > PAGE_MAX_RECORD) {
        return ts_fail(p->ctx, TS_ERR_LIMIT, "a row of table %s has more than %llu bytes",
                       t->table->name, (unsigned long long)PAGE_MAX_RECORD);
    }
    local = page_local_size(p, r.size);
    head_n = page_varint(head, r.size);
    head_n += page_varint(head + head_n, (uint64_t)t->rows + 1);
    code = page_cell(p, t, head_n + local + (local < r.size ? OVERFLOW_HEADER : 0), &cell);
    if (code != TS_OK) {
        return code;
    }
    memcpy(cell, head, head_n);
    if ((code = copy_record(p, &r, &part, cell + head_n, local)) != TS_OK) {
        return code;
    }
    if (local < r.size) {
        page_put32(cell + head_n + local, page_peek(p));
    }
    if (reserved != 0) {
        code = remember(p, t, &r, reserved, (uint32_t)(cell + head_n - t->leaf.bytes), local);
    }
    return code == TS_OK && local < r.size ? put_overflow(p, &r, &part, r.size - local) : code;
}

/* --- rows ---------------------------------------------------------------------------------------
 */

static bool same_columns(const ts_table *a, const ts_table *b)
{
    bool same = a->column_count == b->column_count;
    for (unsigned i = 0; same && i < a->column_count; i++) {
        same = a->columns[i].type == b->columns[i].type &&
               a->columns[i].offset == b->columns[i].offset;
    }
    return same;
}

static page_shape shape_of(const ts_table *table)
{
    return same_columns(table, &ts_schema[TS_T_stack_slice]) ? PAGE_SHAPE_INVOCATION
           : same_columns(table, &ts_schema[TS_T_cloud_tag]) ? PAGE_SHAPE_TAG
                                                             : PAGE_SHAPE_OTHER;
}

static void add_to_groups(page_table *t, const ts_column *column)
{
    column_group *last = t->group_count == 0 ? NULL : &t->groups[t->group_count - 1];
    if (last != NULL && last->type == TS_COL_INT && column->type == TS_COL_INT &&
        column->offset == last->field + last->n * sizeof(int64_t)) {
        last->n++;
        return;
    }
    t->groups[t->group_count++] =
        (column_group){(uint8_t)column->type, 1, (uint16_t)column->offset};
}

ts_code page_prepare(ts_pages *p, page_table *t, const ts_table *table)
{
    uint32_t payload = HEADER_VARINT;
    if (table->column_count > MAX_COLUMNS) {
        return ts_fail(p->ctx, TS_ERR_INTERNAL, "table %s has too many columns", table->name);
    }
    t->table = table;
    t->shape = shape_of(table);
    t->text_count = 0;
    t->group_count = 0;
    t->word_rowid = INT64_MIN;
    t->reservable = 0;
    t->reservable_count = 0;
    t->integers = true;
    t->keys = table->columns[0].type == TS_COL_KEY ? 1 : 0;
    for (unsigned i = 0; i < table->column_count; i++) {
        const ts_column *column = &table->columns[i];
        bool is_int = column->type == TS_COL_INT;
        t->types[i] = (uint8_t)column->type;
        t->fields[i] = (uint16_t)column->offset;
        add_to_groups(t, column);
        if (column->type == TS_COL_TEXT) {
            t->text_at[t->text_count++] = (uint16_t)column->offset;
        }
        payload += column->type == TS_COL_TEXT ? TEXT_VARINT : 1 + INT_BYTES;
        t->reservable |= is_int ? UINT64_C(1) << i : 0;
        t->reservable_count += is_int ? 1 : 0;
        t->integers = t->integers && (is_int || column->type == TS_COL_KEY) &&
                      column->offset == sizeof(uint64_t) + i * sizeof(int64_t);
    }
    t->known = page_known_form(table);
    t->known_max = payload + t->text_count * PAGE_KNOWN_TEXT;
    if (t->known_max > p->max_local) {
        t->known = NULL;
    }
    t->known_max += PAYLOAD_VARINT + MAX_VARINT + SLACK;
    t->payload_max = payload;
    t->cell_max = payload + PAYLOAD_VARINT + MAX_VARINT + SLACK;
    return TS_OK;
}

static ts_code check_reserved(ts_pages *p, const page_table *t, const void *row, uint64_t reserved)
{
    uint64_t nulls;
    memcpy(&nulls, row, sizeof nulls);
    if ((reserved & ~t->reservable) != 0 || (reserved & nulls) != 0) {
        return ts_fail(p->ctx, TS_ERR_INTERNAL,
                       "columns that cannot be reserved: table=%s, columns=%#llx", t->table->name,
                       (unsigned long long)reserved);
    }
    return TS_OK;
}

/* A row of any size, of which columns may come later. */
static __attribute__((noinline)) ts_code put_large(ts_pages *p, page_table *t, const void *row,
                                                   uint64_t reserved)
{
    ts_code code = put_record(p, t, row, reserved);
    t->rows += code == TS_OK ? 1 : 0;
    return code;
}

static __attribute__((noinline)) ts_code put_whole(ts_pages *p, page_table *t, const void *row)
{
    uint32_t texts;
    if (t->known != NULL) {
        bool done;
        ts_code code = put_known(&done, p, t, row, 0);
        if (code != TS_OK || done) {
            return code;
        }
    }
    texts = t->text_count == 0 ? 0 : text_bytes(p, t, row);
    if (t->payload_max + texts > p->max_local) {
        return put_large(p, t, row, 0);
    }
    if (has_room(&t->leaf, t->cell_max + texts)) {
        put_in_place(t, row);
        return TS_OK;
    }
    return put_by_scratch(p, t, encode(p->scratch + p->page_size, t, row));
}

static __attribute__((noinline)) ts_code put_with_late(ts_pages *p, page_table *t, const void *row,
                                                       uint64_t reserved)
{
    ts_code code = check_reserved(p, t, row, reserved);
    if (code != TS_OK) {
        return code;
    }
    if (t->known != NULL) {
        bool done;
        code = put_known(&done, p, t, row, reserved);
        if (code != TS_OK || done) {
            return code;
        }
    }
    return t->integers && t->payload_max <= p->max_local ? put_reserved(p, t, row, reserved)
                                                         : put_large(p, t, row, reserved);
}

/* Nothing but a choice, so that the usual rows pay for what they need only. */
ts_code ts_pages_put(ts_pages *p, unsigned id, const void *row, uint64_t reserved)
{
    page_table *t = &p->tables[id];
    if (reserved != 0) {
        return put_with_late(p, t, row, reserved);
    }
    if (t->shape == PAGE_SHAPE_TAG && is_usual_tag(row) &&
        has_room(&t->leaf, t->cell_max + SHORT_TEXT)) {
        take_cell(t, encode_tag(t->leaf.bytes + t->leaf.content, t, row, t->rows + 1));
        return TS_OK;
    }
    return put_whole(p, t, row);
}

ts_code ts_pages_put_first(ts_pages *p, unsigned id, const void *row, unsigned n)
{
    page_table *t = &p->tables[id];
    if (has_room(&t->leaf,
                 HEADER_VARINT + n * (1 + INT_BYTES) + PAYLOAD_VARINT + MAX_VARINT + SLACK)) {
        take_cell(t, encode_first(t->leaf.bytes + t->leaf.content, t, row, n));
        return TS_OK;
    }
    return put_by_scratch(p, t, encode_first(p->scratch + p->page_size, t, row, n));
}

ts_code ts_pages_put_long(ts_pages *p, unsigned id, const void *row, ts_spool *text)
{
    page_table *t = &p->tables[id];
    ts_code code;
    p->long_text = text;
    p->long_at = 0;
    code = put_record(p, t, row, 0);
    p->long_text = NULL;
    t->rows += code == TS_OK ? 1 : 0;
    return code;
}
