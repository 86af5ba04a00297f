/* Rows become records, records become cells. */
#include "tables/page_private.h"

#include "base/alloc.h"
#include "base/ckd.h"

/* Serial types and sizes of integers, by the number of bits of their magnitude. */
static const uint8_t int_type[64] = {
    1, 1, 1, 1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4,
    5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6};
static const uint8_t int_size[7] = {0, 1, 2, 3, 4, 6, 8};

static inline void put_be64(uint8_t *out, uint64_t v)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    v = __builtin_bswap64(v);
#endif
    memcpy(out, &v, 8);
}

/* The integer in its shortest form; up to 8 bytes are written, the size is returned. */
static inline unsigned put_int(uint8_t *out, uint8_t *type, int64_t v)
{
    uint64_t magnitude = v < 0 ? ~(uint64_t)v : (uint64_t)v;
    unsigned bits;
    unsigned size;
    if ((uint64_t)v <= 1) { /* 0 and 1 are types of their own */
        *type = (uint8_t)(8 + v);
        return 0;
    }
    bits = 64 - (unsigned)__builtin_clzll(magnitude | 1);
    *type = int_type[bits];
    size = int_size[*type];
    put_be64(out, (uint64_t)v << (64 - 8 * size));
    return size;
}

/* --- tables of integers ------------------------------------------------------------------------- */

/* Largest record of integers: header size, 63 types, 63 values; and what put_int may write beyond. */
enum { INT_RECORD = 1 + MAX_COLUMNS + 8 * MAX_COLUMNS + 8 };

static ts_code put_integers(ts_pages *p, page_table *t, const void *row, int64_t rowid)
{
    uint8_t record[INT_RECORD];
    const int64_t *values = (const int64_t *)row + 1; /* behind the mask of NULLs */
    unsigned n = t->table->column_count;
    uint64_t nulls = *(const uint64_t *)row | (t->has_key ? 1 : 0);
    uint8_t *type = record + 1;
    uint8_t *body = record + 1 + n;
    uint8_t head[2 * MAX_VARINT];
    unsigned head_n;
    uint32_t record_n;
    uint8_t *cell;
    ts_code code;
    record[0] = (uint8_t)(1 + n);
    for (unsigned i = 0; i < n; i++) {
        if ((nulls >> i & 1) != 0) {
            type[i] = 0;
        } else {
            body += put_int(body, &type[i], values[i]);
        }
    }
    record_n = (uint32_t)(body - record);
    head_n = page_varint(head, record_n);
    head_n += page_varint(head + head_n, (uint64_t)rowid);
    code = page_cell(p, t, head_n + record_n, &cell);
    if (code == TS_OK) {
        memcpy(cell, head, head_n);
        memcpy(cell + head_n, record, record_n);
    }
    return code;
}

/* --- any table ---------------------------------------------------------------------------------- */

/* A record in parts, so that large texts are never copied together. */
typedef struct record {
    uint8_t header[MAX_VARINT + MAX_COLUMNS * MAX_VARINT];
    uint32_t header_n;
    uint8_t numbers[MAX_COLUMNS * 8 + 8];
    ts_text parts[MAX_COLUMNS + 1];
    unsigned part_n;
    uint64_t size;
    uint16_t offsets[MAX_COLUMNS]; /* of columns in the body, while they are small */
} record;

/* One column: its type into `types`, its bytes into the parts. */
static unsigned encode_column(record *r, uint8_t *types, uint8_t **numbers, const ts_column *column,
                              const char *field, bool reserved)
{
    uint8_t type = 0;
    unsigned n = 0;
    ts_text text;
    int64_t i;
    switch (column->type) {
    case TS_COL_KEY:
        types[0] = 0;
        return 1;
    case TS_COL_INT:
        memcpy(&i, field, sizeof i);
        if (reserved) {
            type = 6;
            n = 8;
            put_be64(*numbers, (uint64_t)i);
        } else {
            n = put_int(*numbers, &type, i);
        }
        break;
    case TS_COL_REAL:
        memcpy(&i, field, sizeof i);
        type = 7;
        n = 8;
        put_be64(*numbers, (uint64_t)i);
        break;
    case TS_COL_TEXT:
        memcpy(&text, field, sizeof text);
        if (text.p == NULL) {
            types[0] = 0;
            return 1;
        }
        r->parts[r->part_n++] = text;
        r->size += text.n;
        return page_varint(types, 13 + 2 * (uint64_t)text.n);
    }
    r->parts[r->part_n++] = (ts_text){(const char *)*numbers, n};
    r->size += n;
    *numbers += n;
    types[0] = type;
    return 1;
}

/* Header size, counted with the varint that says it. */
static uint32_t finish_header(record *r, const uint8_t *types, uint32_t types_n)
{
    uint32_t total = types_n + 1;
    unsigned n;
    if (total >= 0x80) {
        total = types_n + 2;
    }
    n = page_varint(r->header, total);
    memcpy(r->header + n, types, types_n);
    return n + types_n;
}

static void encode(record *r, const ts_table *table, const void *row, uint64_t reserved)
{
    uint8_t types[MAX_COLUMNS * MAX_VARINT];
    uint8_t *numbers = r->numbers;
    uint32_t types_n = 0;
    uint64_t nulls;
    memcpy(&nulls, row, sizeof nulls);
    r->part_n = 1;
    r->size = 0;
    for (unsigned i = 0; i < table->column_count; i++) {
        const ts_column *column = &table->columns[i];
        r->offsets[i] = (uint16_t)(r->size < UINT16_MAX ? r->size : UINT16_MAX);
        if ((nulls >> i & 1) != 0) {
            types[types_n++] = 0;
            continue;
        }
        types_n += encode_column(r, types + types_n, &numbers, column,
                                 (const char *)row + column->offset, (reserved >> i & 1) != 0);
    }
    r->header_n = finish_header(r, types, types_n);
    r->parts[0] = (ts_text){(const char *)r->header, r->header_n};
    r->size += r->header_n;
}

/* Copies the next n bytes of the record to `out`, moving through its parts. */
static void copy_record(record *r, unsigned *part, uint8_t *out, size_t n)
{
    while (n > 0) {
        ts_text *t = &r->parts[*part];
        size_t m = t->n < n ? t->n : n;
        if (m > 0) {
            memcpy(out, t->p, m);
        }
        out += m;
        n -= m;
        t->p += m;
        t->n -= m;
        *part += t->n == 0 ? 1 : 0;
    }
}

static ts_code put_overflow(ts_pages *p, record *r, unsigned *part, uint64_t left)
{
    uint32_t room = p->page_size - 4;
    ts_code code = TS_OK;
    while (left > 0 && code == TS_OK) {
        uint32_t n = left < room ? (uint32_t)left : room;
        uint32_t number = page_peek(p);
        uint32_t next = number + 1 == p->lock_page ? number + 2 : number + 1;
        page_put32(p->overflow, left > room ? next : 0);
        copy_record(r, part, p->overflow + 4, n);
        memset(p->overflow + 4 + n, 0, room - n);
        code = page_emit(p, &number, p->overflow);
        left -= n;
    }
    return code;
}

/* How much of a payload stays in the leaf (file format, "overflow"). */
static uint32_t local_size(const ts_pages *p, uint64_t size)
{
    uint32_t usable = p->page_size;
    uint32_t k;
    if (size <= p->max_local) {
        return (uint32_t)size;
    }
    k = p->min_local + (uint32_t)((size - p->min_local) % (usable - 4));
    return k <= p->max_local ? k : p->min_local;
}

static ts_code keep_reserved(ts_pages *p, page_table *t, const record *r, uint64_t columns,
                             int64_t rowid, const uint8_t *body)
{
    reserved_row *kept = ts_alloc(p->ctx, 1, sizeof *kept);
    if (kept == NULL) {
        return p->ctx->error.code;
    }
    kept->rowid = rowid;
    kept->columns = columns;
    kept->page = 0;
    kept->at = (uint32_t)(body - t->leaf.bytes);
    memcpy(kept->offsets, r->offsets, sizeof kept->offsets);
    kept->next = t->reserved;
    t->reserved = kept;
    return TS_OK;
}

static ts_code put_record(ts_pages *p, page_table *t, const void *row, int64_t rowid,
                          uint64_t reserved)
{
    record r;
    uint8_t head[2 * MAX_VARINT];
    unsigned head_n;
    uint32_t local;
    unsigned part = 0;
    uint8_t *cell;
    uint32_t total;
    ts_code code;
    encode(&r, t->table, row, reserved);
    if (r.size > INT32_MAX) {
        return ts_fail(p->ctx, TS_ERR_LIMIT, "a row of table %s has more than %d bytes",
                       t->table->name, INT32_MAX);
    }
    local = local_size(p, r.size);
    head_n = page_varint(head, r.size);
    head_n += page_varint(head + head_n, (uint64_t)rowid);
    total = head_n + local + (local < r.size ? 4U : 0U);
    if ((code = page_cell(p, t, total, &cell)) != TS_OK) {
        return code;
    }
    memcpy(cell, head, head_n);
    copy_record(&r, &part, cell + head_n, local);
    if (local < r.size) {
        if (reserved != 0) {
            return ts_fail(p->ctx, TS_ERR_INTERNAL, "a reserved row of table %s is too large",
                           t->table->name);
        }
        page_put32(cell + head_n + local, page_peek(p));
        return put_overflow(p, &r, &part, r.size - local);
    }
    return reserved == 0 ? TS_OK
                         : keep_reserved(p, t, &r, reserved, rowid, cell + head_n + r.header_n);
}

ts_code ts_pages_put(ts_pages *p, unsigned id, const void *row, uint64_t reserved)
{
    page_table *t = &p->tables[id];
    ts_code code = t->integers && reserved == 0 ? put_integers(p, t, row, t->rows + 1)
                                                : put_record(p, t, row, t->rows + 1, reserved);
    t->rows += code == TS_OK ? 1 : 0;
    return code;
}

/* --- reserved rows ------------------------------------------------------------------------------ */

ts_code ts_pages_complete(ts_pages *p, unsigned id, int64_t rowid, unsigned column, int64_t value)
{
    page_table *t = &p->tables[id];
    uint8_t bytes[8];
    uint32_t at;
    reserved_row *r = t->reserved;
    while (r != NULL && r->rowid != rowid) {
        r = r->next;
    }
    if (r == NULL || column >= MAX_COLUMNS || (r->columns >> column & 1) == 0) {
        return ts_fail(p->ctx, TS_ERR_INTERNAL,
                       "no such reserved cell: table=%s, row=%lld, column=%u", t->table->name,
                       (long long)rowid, column);
    }
    at = r->at + r->offsets[column];
    put_be64(bytes, (uint64_t)value);
    if (r->page == 0) {
        memcpy(t->leaf.bytes + at, bytes, 8);
        return TS_OK;
    }
    return page_patch(p, r->page, at, bytes, 8);
}

void ts_pages_release(ts_pages *p, unsigned id, int64_t rowid)
{
    reserved_row **link = &p->tables[id].reserved;
    while (*link != NULL && (*link)->rowid != rowid) {
        link = &(*link)->next;
    }
    if (*link != NULL) {
        reserved_row *gone = *link;
        *link = gone->next;
        ts_free(p->ctx, gone);
    }
}

/* --- life --------------------------------------------------------------------------------------- */

ts_code ts_pages_new(ts_pages **out, ts_ctx *ctx, const ts_pages_config *config)
{
    ts_pages *p = ts_zalloc(ctx, 1, sizeof *p);
    *out = NULL;
    if (p == NULL) {
        return ctx->error.code;
    }
    p->ctx = ctx;
    p->fd = config->fd;
    p->path = config->path;
    p->page_size = config->page_size;
    p->max_local = config->page_size - 35;
    p->min_local = (config->page_size - 12) * 32 / 255 - 23;
    p->lock_page = (uint32_t)(TS_LOCK_BYTE / config->page_size) + 1;
    p->next = config->page_count + 1;
    p->out_cap = OUT_BYTES / config->page_size;
    p->out = ts_alloc(ctx, p->out_cap, config->page_size);
    p->overflow = ts_alloc(ctx, config->page_size, 1);
    if (p->out == NULL || p->overflow == NULL) {
        ts_code code = ctx->error.code;
        ts_pages_free(p);
        return code;
    }
    *out = p;
    return TS_OK;
}

void ts_pages_free(ts_pages *p)
{
    if (p == NULL) {
        return;
    }
    for (unsigned id = 0; id < TS_TABLE_COUNT; id++) {
        page_table *t = &p->tables[id];
        ts_free(p->ctx, t->leaf.bytes);
        for (unsigned at = 0; at < t->levels; at++) {
            ts_free(p->ctx, t->level[at].page.bytes);
        }
        while (t->reserved != NULL) {
            ts_pages_release(p, id, t->reserved->rowid);
        }
    }
    ts_free(p->ctx, p->out);
    ts_free(p->ctx, p->overflow);
    ts_free(p->ctx, p);
}

ts_code ts_pages_table(ts_pages *p, unsigned id, const ts_table *table, uint32_t root)
{
    page_table *t = &p->tables[id];
    if (table->column_count > MAX_COLUMNS) {
        return ts_fail(p->ctx, TS_ERR_INTERNAL, "table %s has too many columns", table->name);
    }
    t->table = table;
    t->root = root;
    t->integers = true;
    t->has_key = table->columns[0].type == TS_COL_KEY;
    for (unsigned i = 0; i < table->column_count; i++) {
        t->integers = t->integers && (table->columns[i].type == TS_COL_INT ||
                                      table->columns[i].type == TS_COL_KEY);
    }
    return TS_OK;
}

/* Page count, and a new change counter: connections that were open must read the file again. */
static ts_code update_header(ts_pages *p)
{
    enum { COUNTER_AT = 24, COUNT_AT = 28, VALID_FOR_AT = 92 };
    uint8_t header[8];
    uint32_t counter;
    ssize_t n = p->ctx->sys.pread(p->ctx->sys.user, p->fd, header, 4, COUNTER_AT);
    ts_code code;
    if (n != 4) {
        return ts_fail(p->ctx, TS_ERR_OUTPUT, "cannot read the database back: path=\"%s\"",
                       p->path);
    }
    counter = (uint32_t)header[0] << 24 | (uint32_t)header[1] << 16 | (uint32_t)header[2] << 8 |
              header[3];
    page_put32(header, counter + 1);
    page_put32(header + 4, p->next - 1);
    code = page_write_at(p, COUNTER_AT, header, 8);
    return code != TS_OK ? code : page_write_at(p, VALID_FOR_AT, header, 4);
}

ts_code ts_pages_finish(ts_pages *p, uint32_t *page_count)
{
    ts_code code = TS_OK;
    for (unsigned id = 0; id < TS_TABLE_COUNT && code == TS_OK; id++) {
        code = page_close_table(p, &p->tables[id]);
    }
    if (code != TS_OK || (code = page_flush(p)) != TS_OK) {
        return code;
    }
    *page_count = p->next - 1;
    return update_header(p);
}
