#include "symbols/elf_file.h"

#include "base/alloc.h"

#include <lzma.h>

enum {
    HEADER = 64,           /* bytes of the header that are read; 52 of 32 bits */
    TABLE_MOST = 16 << 20, /* of a table of headers */
    NOTES_MOST = 64 << 10, /* of notes that are looked through */
    XZ_MOST = 256 << 20,   /* that .gnu_debugdata may become */
    XZ_MEMORY = 128 << 20,
    STRINGS_MOST = INT32_MAX
};

enum { PT_LOAD = 1, PT_NOTE = 4, SHT_SYMTAB = 2, SHT_NOTE = 7, SHT_NOBITS = 8, SHT_DYNSYM = 11 };
enum { NOTE_BUILD_ID = 3 };

/* A file, or the text of one in memory. */
typedef struct elf_bytes {
    ts_ctx *ctx;
    int fd;
    const uint8_t *p; /* NULL: of the descriptor */
    uint64_t size;
    bool wide; /* 64 bits */
} elf_bytes;

typedef struct elf_part {
    uint32_t name; /* in the table of names */
    uint32_t type;
    uint64_t vaddr;
    uint64_t offset;
    uint64_t size; /* in the file */
    uint32_t link;
    uint64_t entry_size;
} elf_part;

typedef struct elf_segment {
    uint64_t offset;
    uint64_t vaddr;
    uint64_t size;
} elf_segment;

/* --- bytes -------------------------------------------------------------------------------------
 */

static uint64_t number(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++) {
        v |= (uint64_t)p[i] << (8 * i);
    }
    return v;
}

/* A word of the file's width, at the place that it has with 64 or with 32 bits. */
static uint64_t word(const elf_bytes *f, const uint8_t *p, size_t wide, size_t narrow)
{
    return f->wide ? number(p + wide, 8) : number(p + narrow, 4);
}

static bool inside(const elf_bytes *f, uint64_t offset, uint64_t n)
{
    return offset <= f->size && n <= f->size - offset;
}

/* Appends n bytes of the file; *good: they are there. */
static ts_code read_part(bool *good, elf_bytes *f, ts_buf *to, uint64_t offset, uint64_t n)
{
    *good = inside(f, offset, n) && n <= STRINGS_MOST;
    if (!*good) {
        return TS_OK;
    }
    TS_TRY(ts_buf_reserve(f->ctx, to, (size_t)n + 1));
    if (f->p != NULL) {
        memcpy(to->p + to->n, f->p + offset, (size_t)n);
    } else {
        *good =
            ts_sys_pread_all(f->ctx, f->fd, to->p + to->n, (size_t)n, (off_t)offset) == (ssize_t)n;
    }
    to->n += *good ? (size_t)n : 0;
    return TS_OK;
}

/* --- headers -----------------------------------------------------------------------------------
 */

/* Tables of the header: of segments and of sections. */
typedef struct elf_tables {
    uint64_t segments, sections; /* places in the file */
    uint32_t segment_size, segment_n;
    uint32_t section_size, section_n;
    uint32_t names; /* the section with names of sections */
} elf_tables;

static ts_code open_file(bool *good, elf_bytes *f, elf_tables *t)
{
    ts_buf head = {0};
    const uint64_t n = f->size < HEADER ? f->size : HEADER;
    ts_code code = read_part(good, f, &head, 0, n);
    const uint8_t *p = (const uint8_t *)head.p;
    *good = code == TS_OK && *good && n >= 52 && memcmp(p, "\177ELF", 4) == 0 &&
            (p[4] == 1 || (p[4] == 2 && n == HEADER)) && p[5] == 1;
    if (*good) {
        f->wide = p[4] == 2;
        const uint8_t *sizes = p + (f->wide ? 54 : 42);
        *t = (elf_tables){
            .segments = word(f, p, 32, 28),
            .sections = word(f, p, 40, 32),
            .segment_size = (uint32_t)number(sizes, 2),
            .segment_n = (uint32_t)number(sizes + 2, 2),
            .section_size = (uint32_t)number(sizes + 4, 2),
            .section_n = (uint32_t)number(sizes + 6, 2),
            .names = (uint32_t)number(sizes + 8, 2),
        };
        *good = (t->segment_n == 0 || t->segment_size >= (f->wide ? 56 : 32)) &&
                (t->section_n == 0 || t->section_size >= (f->wide ? 64 : 40));
    }
    ts_buf_free(f->ctx, &head);
    return code;
}

static elf_part segment_at(const elf_bytes *f, const uint8_t *p)
{
    return (elf_part){.type = (uint32_t)number(p, 4),
                      .offset = word(f, p, 8, 4),
                      .vaddr = word(f, p, 16, 8),
                      .size = word(f, p, 32, 16)};
}

static elf_part section_at(const elf_bytes *f, const uint8_t *p)
{
    return (elf_part){.name = (uint32_t)number(p, 4),
                      .type = (uint32_t)number(p + 4, 4),
                      .vaddr = word(f, p, 16, 12),
                      .offset = word(f, p, 24, 16),
                      .size = word(f, p, 32, 20),
                      .link = (uint32_t)number(p + (f->wide ? 40 : 24), 4),
                      .entry_size = word(f, p, 56, 36)};
}

/* All headers of one of the tables, as an array in *out. A table that is not all there is none. */
static ts_code read_table(ts_vec *out, elf_bytes *f, const elf_tables *t, bool sections)
{
    const uint64_t size = sections ? t->section_size : t->segment_size;
    const uint64_t n = sections ? t->section_n : t->segment_n;
    ts_buf bytes = {0};
    bool good = size * n <= TABLE_MOST;
    ts_code code = TS_OK;
    TS_STEP_IF(code, good,
               read_part(&good, f, &bytes, sections ? t->sections : t->segments, size * n));
    for (uint64_t i = 0; good && code == TS_OK && i < n; i++) {
        const uint8_t *p = (const uint8_t *)bytes.p + i * size;
        const elf_part part = sections ? section_at(f, p) : segment_at(f, p);
        code = ts_vec_push(f->ctx, out, &part, sizeof part);
    }
    ts_buf_free(f->ctx, &bytes);
    return code;
}

/* --- build ids ---------------------------------------------------------------------------------
 */

static void find_build_id(ts_build_id *id, const uint8_t *p, size_t n)
{
    for (size_t at = 0; n - at >= 12;) {
        const uint64_t name = (number(p + at, 4) + 3) & ~UINT64_C(3);
        const uint64_t size = number(p + at + 4, 4);
        const uint64_t left = n - at - 12;
        if (name > left || size > left - name) {
            return;
        }
        if (number(p + at + 8, 4) == NOTE_BUILD_ID && number(p + at, 4) == 4 &&
            memcmp(p + at + 12, "GNU", 4) == 0 && size > 0) {
            id->n = (uint8_t)(size < TS_BUILD_ID ? size : TS_BUILD_ID);
            memcpy(id->bytes, p + at + 12 + name, id->n);
            return;
        }
        const uint64_t step = 12 + name + ((size + 3) & ~UINT64_C(3));
        at += step < n - at ? (size_t)step : n - at;
    }
}

/* Looks through the notes of a table. */
static ts_code look_for_id(ts_build_id *id, elf_bytes *f, const elf_tables *t, bool sections)
{
    ts_vec parts = {0};
    ts_buf notes = {0};
    ts_code code = read_table(&parts, f, t, sections);
    const elf_part *part = (const elf_part *)parts.p;
    for (size_t i = 0; code == TS_OK && id->n == 0 && i < parts.n; i++) {
        bool good = part[i].type == (sections ? (uint32_t)SHT_NOTE : (uint32_t)PT_NOTE) &&
                    part[i].size <= NOTES_MOST;
        notes.n = 0;
        TS_STEP_IF(code, good, read_part(&good, f, &notes, part[i].offset, part[i].size));
        if (code == TS_OK && good) {
            find_build_id(id, (const uint8_t *)notes.p, notes.n);
        }
    }
    ts_vec_free(f->ctx, &parts);
    ts_buf_free(f->ctx, &notes);
    return code;
}

static bool size_of(uint64_t *size, ts_ctx *ctx, int fd)
{
    struct stat st;
    const bool good = ctx->sys.fstat(ctx->sys.user, fd, &st) == 0 && S_ISREG(st.st_mode);
    *size = good ? (uint64_t)st.st_size : 0;
    return good;
}

ts_code ts_elf_identify(bool *good, ts_build_id *id, ts_ctx *ctx, int fd)
{
    elf_bytes f = {.ctx = ctx, .fd = fd};
    elf_tables t = {0};
    *id = (ts_build_id){0};
    *good = size_of(&f.size, ctx, fd);
    if (!*good) {
        return TS_OK;
    }
    TS_TRY(open_file(good, &f, &t));
    if (!*good) {
        return TS_OK;
    }
    TS_TRY(look_for_id(id, &f, &t, false));
    return id->n > 0 ? TS_OK : look_for_id(id, &f, &t, true);
}

/* --- what is loaded where ----------------------------------------------------------------------
 */

static ts_code add_segments(ts_elf *elf, elf_bytes *f, const elf_tables *t)
{
    ts_vec parts = {0};
    uint64_t loaded = 0;
    ts_code code = read_table(&parts, f, t, false);
    const elf_part *part = (const elf_part *)parts.p;
    for (size_t i = 0; i < parts.n; i++) {
        loaded +=
            part[i].type == PT_LOAD && inside(f, part[i].offset, part[i].size) ? part[i].size : 0;
    }
    if (loaded > elf->loaded) {
        elf->loaded = loaded;
        elf->segments.n = 0;
        for (size_t i = 0; code == TS_OK && i < parts.n; i++) {
            const elf_segment s = {part[i].offset, part[i].vaddr, part[i].size};
            if (part[i].type == PT_LOAD) {
                code = ts_vec_push(f->ctx, &elf->segments, &s, sizeof s);
            }
        }
    }
    ts_vec_free(f->ctx, &parts);
    return code;
}

/* --- symbols -----------------------------------------------------------------------------------
 */

/* Functions of a table, with the strings that their names are in. */
static ts_code add_symbols(ts_elf *elf, elf_bytes *f, const elf_part *table,
                           const elf_part *strings)
{
    const uint32_t entry = f->wide ? 24 : 16;
    const size_t base = elf->strings.n;
    const size_t before = elf->symbols.symbols.n;
    ts_buf entries = {0};
    bool good = table->entry_size == entry && strings->size <= STRINGS_MOST - base;
    ts_code code = TS_OK;
    TS_STEP_IF(code, good, read_part(&good, f, &elf->strings, strings->offset, strings->size));
    TS_STEP_IF(code, good, read_part(&good, f, &entries, table->offset, table->size));
    TS_STEP_IF(
        code, good,
        ts_symbols_add_elf(f->ctx, &elf->symbols, ts_buf_text(&entries), entry, strings->size));
    ts_symbol *s = (ts_symbol *)elf->symbols.symbols.p;
    for (size_t i = before; i < elf->symbols.symbols.n; i++) {
        s[i].name += s[i].name == TS_SYMBOL_NAMELESS ? 0 : base;
    }
    ts_buf_free(f->ctx, &entries);
    return code;
}

static ts_code add_tables(ts_elf *elf, elf_bytes *f, const ts_vec *sections, uint32_t type)
{
    const elf_part *all = (const elf_part *)sections->p;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < sections->n; i++) {
        if (all[i].type == type && all[i].link < sections->n &&
            all[all[i].link].type != SHT_NOBITS) {
            code = add_symbols(elf, f, &all[i], &all[all[i].link]);
        }
    }
    return code;
}

/* --- .gnu_debugdata ----------------------------------------------------------------------------
 */

static void *xz_alloc(void *ctx, size_t items, size_t size)
{
    return ts_alloc((ts_ctx *)ctx, items, size);
}

static void xz_free(void *ctx, void *p)
{
    ts_free((ts_ctx *)ctx, p);
}

/* What xz data becomes; *good: all of it is right. */
static ts_code unpack(bool *good, ts_ctx *ctx, ts_buf *out, const ts_buf *in)
{
    enum { STEP = 256 << 10 };
    const lzma_allocator allocator = {xz_alloc, xz_free, ctx};
    lzma_stream z = LZMA_STREAM_INIT;
    lzma_ret r;
    ts_code code = TS_OK;
    z.allocator = &allocator;
    z.next_in = (const uint8_t *)in->p;
    z.avail_in = in->n;
    r = lzma_stream_decoder(&z, XZ_MEMORY, 0);
    while (code == TS_OK && r == LZMA_OK && out->n <= XZ_MOST) {
        code = ts_buf_reserve(ctx, out, STEP);
        if (code == TS_OK) {
            z.next_out = (uint8_t *)out->p + out->n;
            z.avail_out = STEP;
            r = lzma_code(&z, LZMA_FINISH);
            out->n += STEP - z.avail_out;
        }
    }
    *good = r == LZMA_STREAM_END;
    if (code == TS_OK && r == LZMA_MEM_ERROR) {
        code = ctx->error.code;
    }
    lzma_end(&z);
    return code;
}

static ts_code add_sections(ts_elf *elf, elf_bytes *f, const elf_tables *t, ts_buf *packed);

static ts_code add_packed(ts_elf *elf, ts_ctx *ctx, const ts_buf *packed)
{
    elf_tables t = {0};
    ts_buf bytes = {0};
    bool good;
    ts_code code = unpack(&good, ctx, &bytes, packed);
    elf_bytes f = {.ctx = ctx, .fd = -1, .p = (const uint8_t *)bytes.p, .size = bytes.n};
    TS_STEP_IF(code, good, open_file(&good, &f, &t));
    TS_STEP_IF(code, good, add_sections(elf, &f, &t, NULL));
    ts_buf_free(ctx, &bytes);
    return code;
}

/* The section of this name is read into *out; empty without one. */
static ts_code read_named(ts_buf *out, elf_bytes *f, const ts_vec *sections, uint32_t names,
                          const char *name)
{
    const elf_part *all = (const elf_part *)sections->p;
    ts_buf text = {0};
    bool good = names < sections->n && all[names].size <= TABLE_MOST;
    bool found = false;
    ts_code code = TS_OK;
    TS_STEP_IF(code, good, read_part(&good, f, &text, all[names].offset, all[names].size));
    for (size_t i = 0; good && code == TS_OK && !found && i < sections->n; i++) {
        found = ts_text_is(ts_symbol_text(ts_buf_text(&text), all[i].name), name);
        TS_STEP_IF(code, found, read_part(&good, f, out, all[i].offset, all[i].size));
    }
    ts_buf_free(f->ctx, &text);
    return code;
}

/* The tables of symbols, those that matter most last. packed: where .gnu_debugdata goes, which is
 * read before .symtab; NULL in such data itself. */
static ts_code add_sections(ts_elf *elf, elf_bytes *f, const elf_tables *t, ts_buf *packed)
{
    ts_vec sections = {0};
    ts_code code = read_table(&sections, f, t, true);
    TS_STEP(code, add_tables(elf, f, &sections, SHT_DYNSYM));
    TS_STEP_IF(code, packed != NULL, read_named(packed, f, &sections, t->names, ".gnu_debugdata"));
    TS_STEP_IF(code, packed != NULL && packed->n > 0, add_packed(elf, f->ctx, packed));
    TS_STEP(code, add_tables(elf, f, &sections, SHT_SYMTAB));
    ts_vec_free(f->ctx, &sections);
    return code;
}

ts_code ts_elf_add(bool *good, ts_elf *elf, ts_ctx *ctx, int fd)
{
    elf_bytes f = {.ctx = ctx, .fd = fd};
    elf_tables t = {0};
    ts_buf packed = {0};
    *good = size_of(&f.size, ctx, fd);
    if (!*good) {
        return TS_OK;
    }
    TS_TRY(open_file(good, &f, &t));
    if (!*good) {
        return TS_OK;
    }
    ts_code code = add_segments(elf, &f, &t);
    TS_STEP(code, add_sections(elf, &f, &t, &packed));
    ts_buf_free(ctx, &packed);
    return code;
}

ts_code ts_elf_finish(ts_elf *elf, ts_ctx *ctx)
{
    return ts_symbols_sort(ctx, &elf->symbols, TS_SYMBOL_LAST);
}

const ts_symbol *ts_elf_find(ts_text *name, uint64_t *v, const ts_elf *elf, uint64_t offset)
{
    const elf_segment *segments = (const elf_segment *)elf->segments.p;
    *name = TS_TEXT_NULL;
    for (size_t i = 0; i < elf->segments.n; i++) {
        const elf_segment *s = &segments[i];
        if (offset >= s->offset && offset - s->offset < s->size) {
            *v = offset - s->offset + s->vaddr;
            const ts_symbol *found = ts_symbols_find(&elf->symbols, *v);
            if (found != NULL) {
                *name = ts_symbol_text(ts_buf_text(&elf->strings), found->name);
            }
            return name->n == 0 ? NULL : found;
        }
    }
    return NULL;
}

void ts_elf_free(ts_ctx *ctx, ts_elf *elf)
{
    ts_vec_free(ctx, &elf->segments);
    ts_symbols_free(ctx, &elf->symbols);
    ts_buf_free(ctx, &elf->strings);
    *elf = (ts_elf){0};
}
