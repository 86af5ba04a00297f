/*
 * Features of simpleperf, the recorder of Android, which it numbers from 128 on: files with the
 * symbols that samples are in (FILE, and FILE2, which is protobuf), and pairs of texts about the
 * recording (META_INFO). A recording is one of simpleperf when META_INFO has its version.
 */
#include "parsers/perf/perf_data.h"

#include "base/alloc.h"
#include "base/utf8.h"
#include "wire/wire.h"

enum { MAX_FILE = 256 << 20 }; /* bytes of a file of FILE2 */

/* Kinds of files. */
enum { SIMPLE_KERNEL, SIMPLE_MODULE, SIMPLE_ELF, SIMPLE_DEX, SIMPLE_SYMBOLS, SIMPLE_UNKNOWN };

/* --- pairs of texts --------------------------------------------------------------------------- */

/* A text up to its NUL, as recorded; borrowed until the next call. */
static ts_code take_c_text(bool *good, ts_text *out, perfd_cursor *c)
{
    const uint64_t left = c->end - c->at;
    const uint8_t *p = NULL;
    const uint8_t *end = NULL;
    size_t have = 0;
    size_t need = left < 256 ? (size_t)left : 256;
    bool more = left > 0;
    *out = TS_TEXT_LIT("");
    while (more) {
        TS_TRY(ts_window_get(&p, &have, c->r->in, c->at, need));
        have = have < left ? have : (size_t)left;
        end = have == 0 ? NULL : memchr(p, '\0', have);
        more = end == NULL && have >= need && have < left && have <= PERFD_MAX_TEXT;
        need = left < 2 * (uint64_t)have ? (size_t)left : 2 * have;
    }
    *good = end != NULL && end - p <= PERFD_MAX_TEXT;
    if (*good) {
        *out = (ts_text){(const char *)p, (size_t)(end - p)};
        c->at += out->n + 1;
    }
    return TS_OK;
}

/* The next pair: a copy of its key, and its value, which is borrowed. */
static ts_code take_pair(bool *good, ts_buf *key, ts_text *value, perfd_cursor *c)
{
    perfd *r = c->r;
    key->n = 0;
    TS_TRY(take_c_text(good, value, c));
    if (!*good) {
        return TS_OK;
    }
    TS_TRY(ts_utf8_text(value, r->ctx, &r->clean, &r->bad_texts));
    TS_TRY(ts_buf_put(r->ctx, key, value->p, value->n));
    TS_TRY(ts_buf_putc(r->ctx, key, '\0'));
    TS_TRY(take_c_text(good, value, c));
    return *good ? ts_utf8_text(value, r->ctx, &r->clean, &r->bad_texts) : TS_OK;
}

static ts_code read_pairs(bool *good, perfd_cursor *c, ts_buf *key)
{
    perfd *r = c->r;
    *good = true;
    while (*good && c->at < c->end) {
        ts_text value;
        TS_TRY(take_pair(good, key, &value, c));
        if (!*good || key->n <= 1) {
            continue;
        }
        if (strcmp(key->p, "event_type_info") == 0 && r->event_types == NULL) {
            TS_TRY(ts_copy_text(&r->event_types, r->ctx, value.p, value.n));
        }
        TS_TRY(perfd_put_property(r, key->p, value));
    }
    return TS_OK;
}

static ts_code find_version(perfd *r, perfd_cursor *c, ts_buf *key)
{
    bool good = true;
    while (good && c->at < c->end && !r->simpleperf) {
        ts_text value;
        TS_TRY(take_pair(&good, key, &value, c));
        r->simpleperf = good && strcmp(key->p, "simpleperf_version") == 0;
    }
    return TS_OK;
}

ts_code perfd_find_simpleperf(perfd *r)
{
    perfd_cursor c;
    ts_buf key = {0};
    bool found;
    TS_TRY(perfd_find_section(&found, &c, r, PERFD_META_INFO));
    ts_code code = found ? find_version(r, &c, &key) : TS_OK;
    ts_buf_free(r->ctx, &key);
    return code;
}

/* The number that the text is; false: it is none. */
static bool is_number(uint64_t *out, ts_text text)
{
    *out = 0;
    for (size_t i = 0; i < text.n; i++) {
        if (!ts_is_digit(text.p[i]) || *out > UINT64_MAX / 10 - 1) {
            return false;
        }
        *out = *out * 10 + (uint64_t)(text.p[i] - '0');
    }
    return text.n > 0;
}

/* What follows the last comma, which the text loses. */
static bool cut_field(uint64_t *out, ts_text *text)
{
    const char *comma = text->n == 0 ? NULL : memrchr(text->p, ',', text->n);
    if (comma == NULL || !is_number(out, ts_text_from(*text, (size_t)(comma - text->p) + 1))) {
        return false;
    }
    text->n = (size_t)(comma - text->p);
    return true;
}

ts_text perfd_event_type(const perfd *r, const perfd_attr *attr)
{
    ts_text rest = ts_text_of(r->event_types == NULL ? "" : r->event_types);
    while (rest.n > 0) {
        const char *end = memchr(rest.p, '\n', rest.n);
        ts_text line = {rest.p, end == NULL ? rest.n : (size_t)(end - rest.p)};
        uint64_t type;
        uint64_t config;
        rest = ts_text_from(rest, end == NULL ? rest.n : line.n + 1);
        if (cut_field(&config, &line) && cut_field(&type, &line) && type == attr->type &&
            config == attr->config) {
            return line;
        }
    }
    return TS_TEXT_NULL;
}

/* --- files ------------------------------------------------------------------------------------ */

/* What is said of where the code of a file is; offset UINT64_MAX: nothing. */
static void set_place(perfd_file *file, uint32_t type, uint64_t vaddr, uint64_t offset)
{
    file->type = UINT32_MAX;
    switch (type) {
    case SIMPLE_KERNEL:
        file->place = PERFD_BY_IP;
        break;
    case SIMPLE_MODULE:
        file->place = PERFD_BY_START;
        file->text_vaddr = vaddr;
        file->text_offset = offset == UINT64_MAX ? 0 : offset;
        break;
    case SIMPLE_ELF:
        file->place = offset == UINT64_MAX ? PERFD_BY_START : PERFD_BY_PART;
        file->text_vaddr = vaddr;
        file->text_offset = offset == UINT64_MAX ? 0 : offset;
        break;
    case SIMPLE_DEX:
        file->place = PERFD_BY_PART;
        break;
    default:
        file->place = PERFD_BY_IP;
        break;
    }
}

static ts_code add_symbol(perfd *r, uint64_t vaddr, uint32_t length, uint64_t at, size_t n)
{
    const perfd_symbol symbol = {.vaddr = vaddr, .length = length, .text = perfd_text_at(at, n)};
    return ts_vec_push(r->ctx, &r->symbols, &symbol, sizeof symbol);
}

static ts_code take_symbols(bool *good, perfd_cursor *c, uint32_t n)
{
    for (uint32_t i = 0; i < n && *good; i++) {
        const uint8_t *p;
        ts_text name;
        TS_TRY(perfd_take(&p, c, 12));
        *good = p != NULL;
        if (*good) {
            const uint64_t vaddr = perfd_u64(p);
            const uint32_t length = perfd_u32(p + 8);
            const uint64_t at = c->at;
            TS_TRY(take_c_text(good, &name, c));
            if (*good) {
                TS_TRY(add_symbol(c->r, vaddr, length, at, name.n));
            }
        }
    }
    return TS_OK;
}

/* A file of FILE, from after its path on. Symbols before a damaged one are used. */
static ts_code take_file(bool *good, perfd_cursor *c, perfd_file *file)
{
    perfd *r = c->r;
    const uint8_t *p;
    uint64_t offset = UINT64_MAX;
    TS_TRY(perfd_take(&p, c, 16));
    *good = p != NULL;
    if (!*good) {
        return TS_OK;
    }
    const uint32_t type = perfd_u32(p);
    const uint64_t vaddr = perfd_u64(p + 4);
    const uint32_t n = perfd_u32(p + 12);
    TS_TRY(take_symbols(good, c, n));
    r->symbols_lost += n - (r->symbols.n - file->first);
    if (*good && (type == SIMPLE_ELF || type == SIMPLE_MODULE) && c->end - c->at >= 8) {
        TS_TRY(perfd_take_u64(good, &offset, c));
    }
    set_place(file, type, vaddr, offset);
    return perfd_end_file(r, file);
}

static ts_code read_files(bool *good, perfd_cursor *c)
{
    perfd *r = c->r;
    *good = true;
    while (*good && c->at < c->end) {
        perfd_file file = {.first = (uint32_t)r->symbols.n};
        perfd_cursor one = *c;
        uint32_t size;
        ts_text path;
        TS_TRY(perfd_take_u32(good, &size, &one));
        if (!*good) {
            return TS_OK;
        }
        const bool whole = size <= one.end - one.at;
        one.end = whole ? one.at + size : one.end;
        c->at = one.end;
        TS_TRY(take_c_text(good, &path, &one));
        if (*good) {
            TS_TRY(ts_utf8_text(&path, r->ctx, &r->clean, &r->bad_texts));
            TS_TRY(perfd_path_id(&file.path, r, path));
            TS_TRY(take_file(good, &one, &file));
        }
        *good = *good && whole;
    }
    return TS_OK;
}

/* --- files in protobuf ------------------------------------------------------------------------ */

/* A symbol; false: it is damaged. base: where the message is in the recording. */
static ts_code take_message_symbol(bool *good, perfd *r, const ts_wire *outer,
                                   const ts_wire_field *field, const uint8_t *p, uint64_t base)
{
    enum { VADDR = 1, LENGTH, NAME };
    ts_wire w;
    ts_wire_field f;
    perfd_symbol symbol = {0};
    ts_wire_enter(&w, outer, field);
    while (ts_wire_next(&f, &w)) {
        if (f.number == VADDR && f.type == TS_WIRE_VARINT) {
            symbol.vaddr = f.value;
        } else if (f.number == LENGTH && f.type == TS_WIRE_VARINT) {
            symbol.length = (uint32_t)f.value;
        } else if (f.number == NAME && f.type == TS_WIRE_BYTES && f.n <= PERFD_MAX_TEXT) {
            symbol.text = perfd_text_at(base + (uint64_t)(f.p - p), f.n);
        }
    }
    *good = w.fault == TS_WIRE_OK;
    if (!*good) {
        r->symbols_lost++;
        return TS_OK;
    }
    return ts_vec_push(r->ctx, &r->symbols, &symbol, sizeof symbol);
}

/* The number in what is said of files of one kind. */
static uint64_t offset_in(const ts_wire *outer, const ts_wire_field *field)
{
    uint64_t offset = 0;
    ts_wire w;
    ts_wire_field f;
    ts_wire_enter(&w, outer, field);
    while (ts_wire_next(&f, &w)) {
        offset = f.number == 1 && f.type == TS_WIRE_VARINT ? f.value : offset;
    }
    return offset;
}

/* A message at `base` of the recording. What comes before damage is used. */
static ts_code take_message(bool *good, perfd *r, const uint8_t *p, size_t n, uint64_t base)
{
    enum { PATH = 1, TYPE, MIN_VADDR, SYMBOL, DEX, ELF, MODULE };
    perfd_file file = {.first = (uint32_t)r->symbols.n};
    uint64_t type = 0;
    uint64_t vaddr = 0;
    uint64_t offset = UINT64_MAX;
    ts_text path = TS_TEXT_LIT("");
    ts_wire w;
    ts_wire_field f;
    ts_wire_init(&w, p, n);
    *good = true;
    while (*good && ts_wire_next(&f, &w)) {
        const bool bytes = f.type == TS_WIRE_BYTES;
        const bool number = f.type == TS_WIRE_VARINT;
        if (f.number == PATH && bytes && f.n <= PERFD_MAX_TEXT) {
            path = (ts_text){(const char *)f.p, f.n};
        } else if (f.number == TYPE && number) {
            type = f.value;
        } else if (f.number == MIN_VADDR && number) {
            vaddr = f.value;
        } else if (f.number == SYMBOL && bytes) {
            TS_TRY(take_message_symbol(good, r, &w, &f, p, base));
        } else if ((f.number == ELF || f.number == MODULE) && bytes) {
            offset = offset_in(&w, &f);
        }
    }
    *good = *good && w.fault == TS_WIRE_OK;
    if (path.n == 0) {
        *good = false;
        r->symbols_lost += r->symbols.n - file.first;
        r->symbols.n = file.first;
        return TS_OK;
    }
    TS_TRY(ts_utf8_text(&path, r->ctx, &r->clean, &r->bad_texts));
    TS_TRY(perfd_path_id(&file.path, r, path));
    set_place(&file, type > SIMPLE_UNKNOWN ? SIMPLE_UNKNOWN : (uint32_t)type, vaddr, offset);
    return perfd_end_file(r, &file);
}

static ts_code read_messages(bool *good, perfd_cursor *c)
{
    *good = true;
    while (*good && c->at < c->end) {
        const uint8_t *p = NULL;
        uint32_t size;
        TS_TRY(perfd_take_u32(good, &size, c));
        const uint64_t base = c->at;
        if (*good && size <= MAX_FILE) {
            TS_TRY(perfd_take(&p, c, size));
        }
        *good = p != NULL;
        if (*good) {
            TS_TRY(take_message(good, c->r, p, size, base));
        }
    }
    return TS_OK;
}

ts_code perfd_read_simpleperf(bool *good, perfd_cursor *c, unsigned number)
{
    ts_buf key = {0};
    ts_code code;
    if (number == PERFD_META_INFO) {
        code = read_pairs(good, c, &key);
        ts_buf_free(c->r->ctx, &key);
        return code;
    }
    code = number == PERFD_FILE ? read_files(good, c) : read_messages(good, c);
    TS_STEP(code, perfd_make_tops(c->r));
    return code;
}
