/*
 * Cells of tables in a spool: a tag, and what it says it has. Numbers are decimal text that becomes
 * milliseconds and 10^-15 of one, so that sums of times are exact.
 */
#include "parsers/firefox/firefox.h"

#include "base/alloc.h"

#include <math.h>

enum { DIGITS_MAX = 36, PART_DIGITS = 15, NUMBER_TEXT = 64, POWER_MAX = 1000 };

#define NS_PER_PART ((int64_t)1000000000) /* 10^-15 ms in a ns */

/* --- numbers --------------------------------------------------------------------------------- */

typedef struct decimal {
    unsigned __int128 digits;
    unsigned count;
    int power; /* of ten */
    bool negative;
} decimal;

static void take_digit(decimal *d, char c, bool fraction)
{
    if (d->count < DIGITS_MAX) {
        d->digits = d->digits * 10 + (unsigned)(c - '0');
        d->count += d->digits > 0 ? 1 : 0;
        d->power -= fraction ? 1 : 0;
    } else {
        d->power += fraction ? 0 : 1;
    }
}

static void read_decimal(decimal *d, const char *p, const char *end)
{
    bool fraction = false;
    int power = 0;
    *d = (decimal){.negative = p < end && *p == '-'};
    p += d->negative ? 1 : 0;
    for (; p < end && (ts_is_digit(*p) || *p == '.'); p++) {
        if (*p == '.') {
            fraction = true;
        } else {
            take_digit(d, *p, fraction);
        }
    }
    if (p < end) { /* e */
        const bool below = p + 1 < end && p[1] == '-';
        p += p + 1 < end && (p[1] == '-' || p[1] == '+') ? 2 : 1;
        for (; p < end && ts_is_digit(*p); p++) {
            power = power < POWER_MAX ? power * 10 + (*p - '0') : power;
        }
        d->power += below ? -power : power;
    }
}

static bool scale(fox_time *v, const decimal *d)
{
    unsigned __int128 digits = d->digits;
    int power = d->power + PART_DIGITS;
    for (; power > 0 && digits > 0; power--) {
        if (ts_ckd_mul(&digits, digits, (unsigned __int128)10)) {
            return false;
        }
    }
    for (; power < 0 && digits > 0; power++) {
        digits /= 10;
    }
    if (digits > (unsigned __int128)((fox_time)INT64_MAX * FOX_MS)) {
        return false;
    }
    *v = d->negative ? -(fox_time)digits : (fox_time)digits;
    return true;
}

fox_number fox_number_of(const ts_json_number *n)
{
    fox_number out = {.known = true};
    decimal d;
    if (n->is_int) {
        out.v = (fox_time)n->i * FOX_MS;
        return out;
    }
    read_decimal(&d, n->p, n->p + n->n);
    out.known = n->n < NUMBER_TEXT && scale(&out.v, &d);
    return out;
}

int64_t fox_ns(fox_time v)
{
    const fox_time half = NS_PER_PART / 2;
    const fox_time ns = v < 0 ? -((-v + half) / NS_PER_PART) : (v + half) / NS_PER_PART;
    return ns > INT64_MAX || ns <= INT64_MIN ? TS_NO_TIME : (int64_t)ns;
}

bool fox_cell_time(fox_time *v, const fox_cell *c)
{
    *v = 0;
    if (c->tag != FOX_INT && c->tag != FOX_DECIMAL) {
        return false;
    }
    *v = (fox_time)c->i * FOX_MS + c->part;
    return true;
}

/* --- writing --------------------------------------------------------------------------------- */

ts_code fox_put_tag(fox *f, fox_tag tag)
{
    return ts_spool_put_int(f->cells, (int64_t)tag);
}

ts_code fox_put_int(fox *f, int64_t v)
{
    TS_TRY(fox_put_tag(f, FOX_INT));
    return ts_spool_put_int(f->cells, v);
}

ts_code fox_put_number(fox *f, const ts_json_number *n)
{
    const fox_number v = fox_number_of(n);
    int64_t ms, part, bits;
    if (n->is_int) {
        return fox_put_int(f, n->i);
    }
    if (!v.known) {
        memcpy(&bits, &n->d, sizeof bits);
        TS_TRY(fox_put_tag(f, FOX_REAL));
        return ts_spool_put_int(f->cells, bits);
    }
    ms = (int64_t)(v.v / FOX_MS);
    part = (int64_t)(v.v % FOX_MS);
    TS_TRY(fox_put_tag(f, FOX_DECIMAL));
    TS_TRY(ts_spool_put_int(f->cells, ms));
    TS_TRY(ts_spool_put_int(f->cells, part));
    memcpy(&bits, &n->d, sizeof bits);
    return ts_spool_put_int(f->cells, bits);
}

ts_code fox_put_bytes(fox *f, fox_tag tag, ts_text t)
{
    TS_TRY(fox_put_tag(f, tag));
    TS_TRY(ts_spool_put_int(f->cells, (int64_t)ts_spool_size(f->texts)));
    TS_TRY(ts_spool_put_int(f->cells, (int64_t)t.n));
    return t.n == 0 ? TS_OK : ts_spool_write(f->texts, t.p, t.n);
}

ts_code fox_bytes(fox *f, ts_buf *out, const fox_cell *c)
{
    const size_t n = (size_t)c->part;
    size_t got = 0;
    out->n = 0;
    TS_TRY(ts_buf_reserve(f->ctx, out, n));
    TS_TRY(ts_spool_read(&got, f->texts, (uint64_t)c->i, out->p, n));
    out->n = got;
    return TS_OK;
}

/* --- reading --------------------------------------------------------------------------------- */

typedef struct column {
    ts_spool_cursor *cursor; /* NULL: of rows, or its cells are not known */
    int place;               /* of rows; -1: not there */
    bool there;
    fox_cell cell;
} column;

struct fox_rows {
    fox *f;
    uint64_t rows, at;
    bool by_row;
    bool broken;         /* one of its columns lacks cells, so that another one may be missing */
    ts_spool_cursor row; /* of a table of Gecko */
    unsigned count;
    column columns[FOX_COLUMNS];
    fox_cell places[FOX_PLACES]; /* the row that was read */
};

static ts_code next_cell(fox_cell *c, ts_spool_cursor *cursor)
{
    int64_t tag, bits;
    bool end;
    *c = FOX_NO_CELL;
    TS_TRY(ts_spool_next_int(&tag, &end, cursor));
    c->tag = (fox_tag)tag;
    if (c->tag != FOX_INT && c->tag != FOX_DECIMAL && c->tag != FOX_TEXT && c->tag != FOX_RAW &&
        c->tag != FOX_REAL) {
        return TS_OK;
    }
    TS_TRY(ts_spool_next_int(&c->i, &end, cursor));
    c->d = (double)c->i;
    if (c->tag == FOX_INT) {
        return TS_OK;
    }
    if (c->tag == FOX_REAL) {
        memcpy(&c->d, &c->i, sizeof c->d);
        return TS_OK;
    }
    TS_TRY(ts_spool_next_int(&c->part, &end, cursor));
    if (c->tag == FOX_DECIMAL) {
        TS_TRY(ts_spool_next_int(&bits, &end, cursor));
        memcpy(&c->d, &bits, sizeof c->d);
    }
    return TS_OK;
}

/* NULL: it has none. */
static const fox_column *columns_of(const fox *f, const fox_table *t)
{
    return t->count == 0 ? NULL : (const fox_column *)f->columns.p + t->first;
}

/* *twice: there are two of them, of which one is of another table. */
static const fox_column *column_of(bool *twice, const fox *f, const fox_table *t, fox_column_id id,
                                   bool placed)
{
    const fox_column *all = columns_of(f, t);
    const fox_column *found = NULL;
    *twice = false;
    for (size_t i = 0; i < t->count; i++) {
        if (all[i].id == id && all[i].placed == placed) {
            *twice = found != NULL;
            found = &all[i];
        }
    }
    return found;
}

uint64_t fox_table_rows(uint64_t *missing, const fox *f, const fox_table *t)
{
    const fox_column *all = columns_of(f, t);
    const bool has_length = !t->rows && t->has_length && t->length >= 0;
    uint64_t n = 0;
    *missing = 0;
    for (size_t i = 0; i < t->count; i++) {
        if (all[i].placed || (t->rows && all[i].id != FOX_C_DATA)) {
            continue;
        }
        if (has_length && all[i].count == (uint64_t)t->length) {
            return all[i].count;
        }
        n = all[i].count > n ? all[i].count : n;
    }
    *missing = has_length && (uint64_t)t->length > n ? (uint64_t)t->length - n : 0;
    return n;
}

static ts_code open_column(fox_rows *r, const fox_table *t, fox_column_id id)
{
    fox *f = r->f;
    column *c = &r->columns[r->count++];
    bool twice;
    const fox_column *found = column_of(&twice, f, t, id, r->by_row);
    c->place = -1;
    if (found == NULL) {
        return TS_OK;
    }
    c->there = true;
    if (r->by_row) {
        f->n.short_columns += twice ? 1 : 0;
        f->n.short_cells += twice ? r->rows : 0;
        c->place = !twice && found->at < FOX_PLACES ? (int)found->at : -1;
        return TS_OK;
    }
    if (found->count != r->rows || twice) { /* where cells are missing is not known */
        f->n.short_columns++;
        f->n.short_cells += r->rows;
        return TS_OK;
    }
    TS_NEED(f->ctx, c->cursor = ts_alloc(f->ctx, 1, sizeof *c->cursor));
    ts_spool_rewind(c->cursor, f->cells);
    c->cursor->off = found->at;
    return TS_OK;
}

bool fox_rows_trusted(const fox_rows *r, unsigned i)
{
    return r->columns[i].cursor != NULL || r->columns[i].place >= 0;
}

static bool is_broken(const fox_rows *r, const fox_table *t)
{
    const fox_column *all = columns_of(r->f, t);
    for (size_t i = 0; i < t->count && !r->by_row; i++) {
        if (all[i].count != r->rows) {
            return true;
        }
    }
    return false;
}

/* At least one of the columns, without which rows say nothing, is there. */
void fox_rows_need(fox_rows *r, unsigned one, unsigned other)
{
    if (r->rows > 0 && !r->columns[one].there && !r->columns[other].there) {
        r->f->n.short_columns++;
        r->f->n.short_cells += r->rows;
    }
}

ts_code fox_rows_open(fox_rows **out, fox *f, const fox_table *t, const fox_column_id *wanted,
                      unsigned count)
{
    fox_rows *r = ts_zalloc(f->ctx, 1, sizeof *r);
    const fox_column *data;
    uint64_t missing;
    bool twice;
    *out = r;
    TS_NEED(f->ctx, r);
    r->f = f;
    r->by_row = t->rows;
    r->rows = fox_table_rows(&missing, f, t);
    if (!t->rows && t->has_length && r->rows != (uint64_t)t->length) {
        f->n.short_columns++;
        f->n.short_cells += missing + 1;
    }
    r->broken = is_broken(r, t);
    if (r->by_row && (data = column_of(&twice, f, t, FOX_C_DATA, false)) != NULL) {
        ts_spool_rewind(&r->row, f->cells);
        r->row.off = data->at;
    }
    for (unsigned i = 0; i < count; i++) {
        TS_TRY(open_column(r, t, wanted[i]));
    }
    return TS_OK;
}

/* A row of Gecko may be shorter than its schema. */
static ts_code next_row(fox_rows *r)
{
    fox_cell cell = FOX_NO_CELL;
    for (unsigned i = 0; i < FOX_PLACES; i++) {
        r->places[i] = FOX_NO_CELL;
    }
    for (unsigned i = 0; cell.tag != FOX_ROW_END; i++) {
        TS_TRY(next_cell(&cell, &r->row));
        if (i < FOX_PLACES && cell.tag != FOX_ROW_END) {
            r->places[i] = cell;
        }
    }
    return TS_OK;
}

bool fox_rows_next(ts_code *code, fox_rows *r)
{
    if (*code != TS_OK || r->at == r->rows) {
        return false;
    }
    r->at++;
    if ((r->at & 0xFFF) == 0 && (*code = ts_check_cancel(r->f->ctx)) != TS_OK) {
        return false;
    }
    if (r->by_row && (*code = next_row(r)) != TS_OK) {
        return false;
    }
    for (unsigned i = 0; i < r->count && *code == TS_OK; i++) {
        column *c = &r->columns[i];
        if (c->place >= 0) {
            c->cell = r->places[c->place];
        } else if (c->cursor != NULL) {
            *code = next_cell(&c->cell, c->cursor);
        } else {
            c->cell = FOX_NO_CELL;
        }
    }
    return *code == TS_OK;
}

const fox_cell *fox_rows_cell(const fox_rows *r, unsigned i)
{
    return &r->columns[i].cell;
}

bool fox_rows_has(const fox_rows *r, unsigned i)
{
    return r->columns[i].there;
}

uint64_t fox_rows_count(const fox_rows *r)
{
    return r->rows;
}

bool fox_rows_lost(const fox_rows *r, unsigned i)
{
    return !fox_rows_trusted(r, i) && (r->columns[i].there || r->broken);
}

void fox_rows_free(fox_rows *r)
{
    if (r == NULL) {
        return;
    }
    for (unsigned i = 0; i < r->count; i++) {
        ts_free(r->f->ctx, r->columns[i].cursor);
    }
    ts_free(r->f->ctx, r);
}
