/* Cells of leaves as rows of a batch (file format, sections 1.6 and 2.1). */
#include "tables/scan_private.h"

#include "base/alloc.h"

enum { NO_SUCH_TYPE = 0xff };
#define BYTES(name, size) size,
static const uint8_t type_sizes[PAGE_TYPE_BLOB] = {PAGE_TYPES(BYTES) NO_SUCH_TYPE, NO_SUCH_TYPE};
#undef BYTES

/* --- one value ----------------------------------------------------------------------------- */

static ts_code wrong_type(const ts_scan *s, uint32_t page, unsigned column, int64_t rowid)
{
    static const char *const names[] = {"integer", "real", "text", "key"};
    const ts_reader *r = s->reader;
    const ts_column *c = &s->table->columns[column];
    return ts_fail(r->ctx, r->damage,
                   "cannot read the database: path=\"%s\", table=%s, page=%u: column %s of row "
                   "%lld holds no %s",
                   r->path, s->table->name, page, c->name, (long long)rowid, names[c->type]);
}

/* An integer of a serial type up to 9, of which 8 bytes may be read. */
static inline int64_t integer_at(const uint8_t *p, unsigned type, unsigned size)
{
    if (size == 0) {
        return type == PAGE_TYPE_ONE;
    }
    return (int64_t)scan_be64(p) >> (64 - 8 * size);
}

/* Sets a cell of a type other than text. False: the column cannot hold it. */
static inline bool set_number(const scan_slot *slot, unsigned row, const uint8_t *p, uint64_t type,
                              unsigned size)
{
    int64_t v;
    if (type >= PAGE_TYPE_BLOB || slot->type == TS_COL_TEXT) {
        return false;
    }
    v = integer_at(p, (unsigned)type, size);
    slot->null[row] = 0;
    if (slot->type == TS_COL_INT) {
        slot->ints[row] = v;
        return type != PAGE_TYPE_REAL;
    }
    if (type == PAGE_TYPE_REAL) {
        memcpy(&slot->reals[row], &v, sizeof v);
    } else {
        slot->reals[row] = (double)v;
    }
    return true;
}

static inline void set_null(const scan_slot *slot, unsigned row, int64_t rowid)
{
    if (slot->type == TS_COL_KEY) {
        slot->ints[row] = rowid;
        slot->null[row] = 0;
    } else {
        scan_set_null(slot, row);
    }
}

/* Columns that a record does not have are NULL: they were added later. */
static void set_missing(const ts_scan *s, unsigned from, unsigned row, int64_t rowid)
{
    for (; from < s->columns; from++) {
        if (s->slot_of[from] >= 0) {
            set_null(&s->chosen[s->slot_of[from]], row, rowid);
        }
    }
}

static inline uint64_t size_of_type(uint64_t type)
{
    return type < PAGE_TYPE_BLOB ? type_sizes[type] : (type - PAGE_TYPE_BLOB) / 2;
}

/* --- records in their leaf ----------------------------------------------------------------- */

static ts_code scan_decode(ts_scan *s, const scan_frame *leaf, const uint8_t *record, uint64_t n,
                           unsigned row, int64_t rowid)
{
    const uint8_t *end = record + n;
    const uint8_t *type_at = record;
    uint64_t header = scan_varint(&type_at);
    const uint8_t *types_end;
    const uint8_t *value;
    if (header > n || type_at > record + header) {
        return scan_damaged(s, leaf->page, "the header of a record is longer than the record");
    }
    types_end = record + header;
    value = types_end;
    for (unsigned i = 0; i < s->columns; i++) {
        int k = s->slot_of[i];
        uint64_t type;
        uint64_t size;
        if (type_at >= types_end) {
            set_missing(s, i, row, rowid);
            break;
        }
        type = *type_at < 0x80 ? *type_at++ : scan_varint(&type_at);
        size = size_of_type(type);
        if (size > (uint64_t)(end - value) || type_at > types_end ||
            (size == NO_SUCH_TYPE && type < PAGE_TYPE_BLOB)) {
            return scan_damaged(s, leaf->page, "a value lies outside of its record");
        }
        if (k >= 0) {
            const scan_slot *slot = &s->chosen[k];
            if (type == 0 || slot->type == TS_COL_KEY) {
                set_null(slot, row, rowid);
            } else if (slot->type == TS_COL_TEXT && type > PAGE_TYPE_BLOB && (type & 1) != 0) {
                slot->texts[row] = (ts_scan_text){(const char *)value, (size_t)size, size};
                slot->null[row] = 0;
            } else if (!set_number(slot, row, value, type, (unsigned)size)) {
                return wrong_type(s, leaf->page, i, rowid);
            }
        }
        value += size;
    }
    return TS_OK;
}

/* --- records with overflow pages ----------------------------------------------------------- */

/* The next page of the chain into the buffer. */
static ts_code chain_step(ts_scan *s)
{
    scan_chain *c = &s->chain;
    uint32_t part = s->reader->usable - OVERFLOW_HEADER;
    uint32_t number = c->page == 0 ? c->first : c->next;
    uint64_t at = c->page == 0 ? c->local_n : c->at + part;
    if (number == 0 || part == 0) {
        return scan_damaged(s, c->leaf, "the overflow pages of a row end before the row");
    }
    TS_TRY(scan_fetch(s, number, s->overflow));
    c->page = number;
    c->at = at;
    c->next = scan_be32(s->overflow);
    uint64_t index = (at - c->local_n) / part + 1;
    if (index > c->seen) {
        c->seen = index;
        if (++s->visited > scan_pages_max(s)) {
            return scan_damaged(s, number, "pages are used twice");
        }
    }
    return TS_OK;
}

ts_code scan_chain_read(ts_scan *s, uint64_t offset, uint8_t *out, size_t n)
{
    scan_chain *c = &s->chain;
    uint32_t part = s->reader->usable - OVERFLOW_HEADER;
    if (offset < c->local_n) {
        size_t m = c->local_n - offset < n ? (size_t)(c->local_n - offset) : n;
        memcpy(out, c->local + offset, m);
        offset += m;
        out += m;
        n -= m;
    }
    if (n > 0 && c->page != 0 && offset < c->at) {
        c->page = 0; /* back to the first one */
    }
    while (n > 0) {
        size_t m;
        if (c->page == 0 || offset >= c->at + part) {
            TS_TRY(chain_step(s));
            continue;
        }
        m = (size_t)(c->at + part - offset);
        m = m < n ? m : n;
        memcpy(out, s->overflow + OVERFLOW_HEADER + (offset - c->at), m);
        offset += m;
        out += m;
        n -= m;
    }
    return TS_OK;
}

/* There is space for one text a column. */
static ts_code chained_text(ts_scan *s, unsigned k, uint64_t offset, uint64_t size)
{
    scan_slot *slot = &s->chosen[k];
    size_t n = size > TS_SCAN_TEXT_MAX ? TS_SCAN_TEXT_MAX : (size_t)size;
    ts_code code;
    if (s->text == NULL) {
        TS_NEED(s->reader->ctx,
                s->text = ts_alloc(s->reader->ctx, s->slot_count, TS_SCAN_TEXT_MAX));
    }
    code = scan_chain_read(s, offset, (uint8_t *)s->text + s->text_n, n);
    if (code == TS_OK) {
        slot->texts[0] = (ts_scan_text){s->text + s->text_n, n, size};
        slot->null[0] = 0;
        s->text_at[k] = offset;
        s->text_n += n;
    }
    return code;
}

/* A row of which values are in overflow pages; it is alone in its batch. */
static ts_code decode_chained(ts_scan *s, int64_t rowid)
{
    scan_chain *c = &s->chain;
    uint8_t header[SCAN_HEADER + MAX_VARINT] = {0};
    size_t n = c->size < SCAN_HEADER ? (size_t)c->size : SCAN_HEADER;
    const uint8_t *at = header;
    uint64_t value;
    ts_code code;
    TS_TRY_INTO(code, scan_chain_read(s, 0, header, n < MAX_VARINT ? n : MAX_VARINT));
    uint64_t header_n = scan_varint(&at);
    if (header_n > n || at > header + header_n) {
        return scan_damaged(s, c->leaf, "the header of a record is too long");
    }
    TS_TRY_INTO(code, scan_chain_read(s, 0, header, (size_t)header_n));
    value = header_n;
    for (unsigned i = 0; i < s->columns; i++) {
        int k = s->slot_of[i];
        uint8_t number[8 + SCAN_PAD] = {0};
        if (at >= header + header_n) {
            set_missing(s, i, 0, rowid);
            break;
        }
        uint64_t type = scan_varint(&at);
        uint64_t size = size_of_type(type);
        if (at > header + header_n || size > c->size - value ||
            (size == NO_SUCH_TYPE && type < PAGE_TYPE_BLOB)) {
            return scan_damaged(s, c->leaf, "a value lies outside of its record");
        }
        if (k >= 0) {
            const scan_slot *slot = &s->chosen[k];
            if (type == 0 || slot->type == TS_COL_KEY) {
                set_null(slot, 0, rowid);
            } else if (slot->type == TS_COL_TEXT && type > PAGE_TYPE_BLOB && (type & 1) != 0) {
                code = chained_text(s, (unsigned)k, value, size);
            } else if (type >= PAGE_TYPE_BLOB) {
                code = wrong_type(s, c->leaf, i, rowid);
            } else if ((code = scan_chain_read(s, value, number, (size_t)size)) == TS_OK &&
                       !set_number(slot, 0, number, type, (unsigned)size)) {
                code = wrong_type(s, c->leaf, i, rowid);
            }
            if (code != TS_OK) {
                return code;
            }
        }
        value += size;
    }
    return TS_OK;
}

/* Of a record with overflow pages: the bytes of it that are in the leaf. */
static uint32_t scan_local_size(uint32_t usable, uint64_t size)
{
    uint32_t max = usable - 35;
    uint32_t min = (usable - 12) * 32 / 255 - 23;
    uint32_t k = min + (uint32_t)((size - min) % (usable - OVERFLOW_HEADER));
    return k <= max ? k : min;
}

static ts_code begin_chain(bool *done, ts_scan *s, const scan_frame *leaf, const uint8_t *record,
                           uint64_t size, unsigned row, int64_t rowid)
{
    const ts_reader *r = s->reader;
    uint32_t local = scan_local_size(r->usable, size);
    uint64_t pages = r->pages == NULL ? r->page_count : r->pages->next;
    if (size / r->usable > pages || record + local + OVERFLOW_HEADER > leaf->bytes + r->usable) {
        return scan_damaged(s, leaf->page,
                            "a row is larger than the file, or extends beyond its page");
    }
    if (row > 0) {
        *done = false; /* alone in the next batch */
        return TS_OK;
    }
    s->chain = (scan_chain){.local = record,
                            .local_n = local,
                            .leaf = leaf->page,
                            .first = scan_be32(record + local),
                            .size = size};
    s->chained = true;
    s->text_n = 0;
    return decode_chained(s, rowid);
}

/* --- cells --------------------------------------------------------------------------------- */

ts_code scan_cell(bool *done, ts_scan *s, const scan_frame *leaf, uint32_t cell, unsigned row)
{
    const ts_reader *r = s->reader;
    const uint8_t *end = leaf->bytes + r->usable;
    uint32_t first = leaf->header + LEAF_HEADER;
    uint32_t offset = scan_be16(leaf->bytes + first + (size_t)CELL_POINTER * cell);
    const uint8_t *at = leaf->bytes + offset;
    uint64_t size;
    int64_t rowid;
    ts_code code;
    *done = true;
    if (offset < first + CELL_POINTER * leaf->cells || offset >= r->usable) {
        return scan_damaged(s, leaf->page, "a row lies outside of its page");
    }
    size = *at < 0x80 ? *at++ : scan_varint(&at);
    rowid = (int64_t)scan_varint(&at);
    if (s->any_row && rowid <= s->last_rowid) {
        return scan_damaged(s, leaf->page, "the rows are not in order");
    }
    if (size <= r->usable - 35) {
        if (at > end || size > (uint64_t)(end - at)) {
            return scan_damaged(s, leaf->page, "a row lies outside of its page");
        }
        code = scan_decode(s, leaf, at, size, row, rowid);
    } else {
        code = begin_chain(done, s, leaf, at, size, row, rowid);
    }
    if (code == TS_OK && *done) {
        s->rowids[row] = rowid;
        s->last_rowid = rowid;
        s->any_row = true;
    }
    return code;
}
