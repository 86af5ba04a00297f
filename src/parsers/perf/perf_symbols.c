/*
 * Files and symbols of feature 192. A file's symbols are in the order of their addresses, the first
 * of those with one address; names stay in the recording until they are used.
 *
 * A symbol is looked for from the last one that begins at or before an address backwards, since a
 * longer one may be around those after it. So that this is no walk over all of them, `tops` has the
 * greatest end of each 64 symbols, of each 64 of these, and so on.
 */
#include "parsers/perf/perf_data.h"

#include "base/utf8.h"

#include <stdlib.h>

enum { FAN = 64, FAN_BITS = 6, LEVELS = 4 };

/* --- reading -----------------------------------------------------------------------------------
 */

ts_code perfd_put_file(perfd *r, uint32_t file, int64_t serial, ts_text symbol)
{
    const perfd_file *f = (const perfd_file *)r->files.p + file;
    ts_row_perf_files row = {
        .id = (int64_t)ts_sink_rows(r->sink, TS_T_perf_files),
        .file_id = (int64_t)(r->shared->files + file),
        .serial_id = serial,
        .symbol = symbol,
        .path = ts_pool_text(&r->paths, f->path),
    };
    return ts_put_perf_files(r->sink, &row);
}

ts_code perfd_add_file(uint32_t *number, perfd *r, uint32_t path)
{
    perfd_path *info = (perfd_path *)r->path_info.p + path;
    perfd_file *file;
    *number = (uint32_t)r->files.n;
    TS_NEED(r->ctx, file = ts_vec_add(r->ctx, &r->files, sizeof *file));
    file->path = path;
    file->type = UINT32_MAX;
    if (info->file == TS_INDEX_NONE) {
        info->file = *number;
    }
    return TS_OK;
}

static uint64_t place_of_text(uint64_t text)
{
    return text & ((UINT64_C(1) << PERFD_AT_BITS) - 1);
}

static int by_address(const void *a, const void *b)
{
    const perfd_symbol *x = a;
    const perfd_symbol *y = b;
    if (x->vaddr != y->vaddr) {
        return x->vaddr < y->vaddr ? -1 : 1;
    }
    return place_of_text(x->text) < place_of_text(y->text) ? -1 : 1;
}

/* In order, one for each address. */
static void sort_symbols(perfd_symbol *s, size_t *n)
{
    size_t kept = 0;
    bool sorted = true;
    for (size_t i = 1; i < *n && sorted; i++) {
        sorted = s[i - 1].vaddr <= s[i].vaddr;
    }
    if (!sorted) {
        qsort(s, *n, sizeof *s, by_address);
    }
    for (size_t i = 0; i < *n; i++) {
        if (kept == 0 || s[kept - 1].vaddr != s[i].vaddr) {
            s[kept++] = s[i];
        }
    }
    *n = kept;
}

static ts_code put_symbols(perfd *r, uint32_t number)
{
    const perfd_file *file = (const perfd_file *)r->files.p + number;
    if (file->count == 0) {
        return perfd_put_file(r, number, -1, TS_TEXT_NULL);
    }
    for (uint32_t i = 0; i < file->count; i++) {
        ts_text name;
        TS_TRY(perfd_symbol_name(&name, r, file, (perfd_symbol *)r->symbols.p + file->first + i));
        TS_TRY(perfd_put_file(r, number, i, name));
    }
    r->symbols_good += file->count;
    return ts_stat(r->store, "trace_perf", "received", file->count);
}

ts_code perfd_end_file(perfd *r, perfd_file *file)
{
    size_t count = r->symbols.n - file->first;
    uint32_t number;
    if (r->symbols.n > UINT32_MAX - 1) {
        return ts_fail(r->ctx, TS_ERR_LIMIT, "more than 4 billion symbols");
    }
    if (count > 0) {
        sort_symbols((perfd_symbol *)r->symbols.p + file->first, &count);
    }
    r->symbols.n = file->first + count;
    file->count = (uint32_t)count;
    TS_TRY(perfd_add_file(&number, r, file->path));
    ((perfd_path *)r->path_info.p)[file->path].known = true;
    ((perfd_file *)r->files.p)[number] = *file;
    return put_symbols(r, number);
}

static ts_code read_symbol(bool *good, perfd_cursor *c)
{
    const uint8_t *p;
    perfd_symbol symbol = {0};
    uint32_t n;
    TS_TRY(perfd_take(&p, c, 12));
    *good = p != NULL;
    if (!*good) {
        return TS_OK;
    }
    symbol.vaddr = perfd_u64(p);
    symbol.length = perfd_u32(p + 8);
    TS_TRY(perfd_take_u32(good, &n, c));
    *good = *good && n <= PERFD_MAX_TEXT && n <= c->end - c->at;
    if (!*good) {
        return TS_OK;
    }
    symbol.text = perfd_text_at(c->at, n);
    c->at += n;
    return ts_vec_push(c->r->ctx, &c->r->symbols, &symbol, sizeof symbol);
}

static ts_code read_file(bool *good, perfd_cursor *c)
{
    perfd *r = c->r;
    perfd_file file = {.first = (uint32_t)r->symbols.n};
    uint32_t n = 0;
    ts_text text;
    TS_TRY(perfd_take_text(good, &text, c));
    if (*good) {
        TS_TRY(perfd_path_id(&file.path, r, text));
        TS_TRY(perfd_take_u32(good, &file.type, c));
    }
    if (*good) {
        TS_TRY(perfd_take_u64(good, &file.text_vaddr, c));
    }
    if (*good) {
        TS_TRY(perfd_take_u64(good, &file.text_offset, c));
    }
    if (*good) {
        TS_TRY(perfd_take_text(good, &text, c)); /* build id */
    }
    if (*good) {
        TS_TRY(perfd_take_u32(good, &n, c));
    }
    if (!*good) {
        return TS_OK;
    }
    for (uint32_t i = 0; i < n && *good; i++) {
        TS_TRY(read_symbol(good, c));
    }
    r->symbols_lost += n - (r->symbols.n - file.first);
    return perfd_end_file(r, &file);
}

static uint64_t end_of(const perfd_symbol *s)
{
    uint64_t end = s->vaddr + s->length;
    return s->length == 0 || end < s->vaddr ? UINT64_MAX : end;
}

/* Of all symbols, whichever file they are of: files end at no multiple of 64. */
ts_code perfd_make_tops(perfd *r)
{
    size_t below = r->symbols.n;
    for (unsigned level = 0; level < LEVELS && below > FAN; level++) {
        ts_vec *tops = &r->tops[level];
        size_t n = (below + FAN - 1) / FAN;
        tops->n = 0;
        TS_TRY(ts_vec_reserve(r->ctx, tops, n, sizeof(uint64_t)));
        for (size_t i = 0; i < below; i++) {
            uint64_t end = level == 0 ? end_of((const perfd_symbol *)r->symbols.p + i)
                                      : ((const uint64_t *)r->tops[level - 1].p)[i];
            uint64_t *top = (uint64_t *)tops->p + i / FAN;
            *top = i % FAN == 0 || end > *top ? end : *top;
        }
        tops->n = n;
        below = n;
    }
    return TS_OK;
}

ts_code perfd_read_symbols(bool *good, perfd_cursor *c)
{
    uint32_t n;
    TS_TRY(perfd_take_u32(good, &n, c));
    for (uint32_t i = 0; i < n && *good; i++) {
        TS_TRY(read_file(good, c));
    }
    return perfd_make_tops(c->r);
}

/* --- names -------------------------------------------------------------------------------------
 */

/* The bytes of a text while a record is looked at, which must stay where it is. */
static ts_code read_aside(const uint8_t **p, perfd *r, uint64_t at, size_t n)
{
    size_t have;
    r->aside.n = 0;
    TS_TRY(ts_buf_reserve(r->ctx, &r->aside, n + 1));
    TS_TRY(ts_window_read(&have, r->in, at, r->aside.p, n));
    *p = have < n ? NULL : (const uint8_t *)r->aside.p;
    return TS_OK;
}

/* Borrowed until the next one is asked for. */
ts_code perfd_symbol_name(ts_text *name, perfd *r, const perfd_file *file, const perfd_symbol *s)
{
    const size_t n = (size_t)(s->text >> PERFD_AT_BITS);
    perfd_cursor c = {r, place_of_text(s->text), r->size};
    ts_text path = ts_pool_text(&r->paths, file->path);
    const uint8_t *p = NULL;
    if (r->records_read && !ts_window_held(r->in)) {
        TS_TRY(read_aside(&p, r, c.at, n));
    } else if (n > 0) {
        TS_TRY(perfd_take(&p, &c, n));
    }
    if (p != NULL && n > 0 && *p != '\0') {
        *name = (ts_text){(const char *)p, strnlen((const char *)p, n)};
        return ts_utf8_text(name, r->ctx, &r->clean, &r->bad_texts);
    }
    r->scratch.n = 0;
    TS_TRY(ts_buf_put(r->ctx, &r->scratch, path.p, path.n));
    TS_TRY(ts_buf_printf(r->ctx, &r->scratch, "+0x%llx", (unsigned long long)s->vaddr));
    *name = ts_buf_text(&r->scratch);
    return TS_OK;
}

/* --- searching ---------------------------------------------------------------------------------
 */

/* The number of symbols from `first` on, up to `n` of them, that begin at or before v. */
static size_t count_up_to(const perfd_symbol *s, size_t n, uint64_t v)
{
    size_t from = 0;
    while (n > 0) {
        size_t half = n / 2;
        if (s[from + half].vaddr <= v) {
            from += half + 1;
            n -= half + 1;
        } else {
            n = half;
        }
    }
    return from;
}

static uint64_t end_at(const perfd *r, unsigned level, size_t i)
{
    return level == 0 ? end_of((const perfd_symbol *)r->symbols.p + i)
                      : ((const uint64_t *)r->tops[level - 1].p)[i];
}

/* The last symbol before number `at` that ends after v: up the levels, passing over what is too
 * short, and down again. SIZE_MAX: none. */
static size_t last_around(const perfd *r, size_t at, uint64_t v)
{
    unsigned level = 0;
    for (;;) {
        while (at % FAN != 0 && end_at(r, level, at - 1) <= v) {
            at--;
        }
        if (at % FAN != 0) {
            break;
        }
        if (at == 0) {
            return SIZE_MAX;
        }
        if (level == LEVELS || r->tops[level].n == 0) {
            while (at > 0 && end_at(r, level, at - 1) <= v) {
                at--;
            }
            if (at == 0) {
                return SIZE_MAX;
            }
            break;
        }
        at /= FAN;
        level++;
    }
    for (at--; level > 0; level--) {
        size_t next = (at + 1) * FAN;
        size_t most = level == 1 ? r->symbols.n : r->tops[level - 2].n;
        next = next < most ? next : most;
        while (end_at(r, level - 1, next - 1) <= v) {
            next--;
        }
        at = next - 1;
    }
    return at;
}

uint32_t perfd_find_symbol(const perfd *r, const perfd_file *file, uint64_t v, bool exact)
{
    const perfd_symbol *all = r->symbols.p;
    if (file->count == 0) {
        return TS_INDEX_NONE;
    }
    const perfd_symbol *s = all + file->first;
    size_t n = count_up_to(s, file->count, v);
    size_t found;
    if (n == 0 || exact) {
        return n > 0 && s[n - 1].vaddr == v ? (uint32_t)(n - 1) : TS_INDEX_NONE;
    }
    if (end_of(&s[n - 1]) > v) {
        return (uint32_t)(n - 1);
    }
    found = last_around(r, file->first + n - 1, v);
    return found == SIZE_MAX || found < file->first ? TS_INDEX_NONE
                                                    : (uint32_t)(found - file->first);
}
