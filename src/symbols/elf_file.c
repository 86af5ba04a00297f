#include "symbols/elf_file.h"

#include "base/alloc.h"
#include "symbols/kernel_module.h"

#include <ctype.h>
#include <gelf.h>
#include <lzma.h>

enum {
    XZ_MOST = 256 << 20, /* that .gnu_debugdata may become */
    XZ_MEMORY = 128 << 20,
    STRINGS_MOST = INT32_MAX
};

typedef struct elf_segment {
    uint64_t offset;
    uint64_t vaddr;
    uint64_t size;
} elf_segment;

/* The file, open; NULL: it is not ELF that libelf can read. */
static Elf *open_elf(int fd)
{
    Elf *e = elf_version(EV_CURRENT) == EV_NONE ? NULL : elf_begin(fd, ELF_C_READ, NULL);
    GElf_Ehdr header;
    if (e != NULL && (elf_kind(e) != ELF_K_ELF || gelf_getehdr(e, &header) == NULL)) {
        elf_end(e);
        e = NULL;
    }
    return e;
}

/* --- build ids ---------------------------------------------------------------------------------
 */

static void find_build_id(ts_build_id *id, Elf_Data *notes)
{
    GElf_Nhdr note;
    size_t name;
    size_t text;
    size_t at = 0;
    while (notes != NULL && id->n == 0 &&
           (at = gelf_getnote(notes, at, &note, &name, &text)) != 0) {
        const char *p = (const char *)notes->d_buf;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 &&
            memcmp(p + name, "GNU", 4) == 0) {
            id->n = (uint8_t)(note.n_descsz < TS_BUILD_ID ? note.n_descsz : TS_BUILD_ID);
            memcpy(id->bytes, p + text, id->n);
        }
    }
}

ts_code ts_elf_identify(bool *good, ts_build_id *id, ts_ctx *ctx, int fd)
{
    Elf *e = open_elf(fd);
    Elf_Scn *section = NULL;
    size_t n = 0;
    (void)ctx;
    *id = (ts_build_id){0};
    *good = e != NULL;
    if (e == NULL || elf_getphdrnum(e, &n) != 0) {
        n = 0;
    }
    for (size_t i = 0; i < n && id->n == 0; i++) {
        GElf_Phdr p;
        if (gelf_getphdr(e, (int)i, &p) != NULL && p.p_type == PT_NOTE && p.p_filesz <= INT32_MAX) {
            find_build_id(id, elf_getdata_rawchunk(e, (int64_t)p.p_offset, (size_t)p.p_filesz,
                                                   p.p_align == 8 ? ELF_T_NHDR8 : ELF_T_NHDR));
        }
    }
    while (e != NULL && id->n == 0 && (section = elf_nextscn(e, section)) != NULL) {
        GElf_Shdr s;
        if (gelf_getshdr(section, &s) != NULL && s.sh_type == SHT_NOTE) {
            find_build_id(id, elf_getdata(section, NULL));
        }
    }
    elf_end(e);
    return TS_OK;
}

/* --- what is loaded where ----------------------------------------------------------------------
 */

/* The segments that are loaded; *loaded: bytes of them in the file. */
static ts_code read_segments(ts_vec *out, uint64_t *loaded, ts_ctx *ctx, Elf *e, uint64_t size)
{
    size_t n = 0;
    *loaded = 0;
    if (elf_getphdrnum(e, &n) != 0) {
        return TS_OK;
    }
    for (size_t i = 0; i < n; i++) {
        GElf_Phdr p;
        if (gelf_getphdr(e, (int)i, &p) != NULL && p.p_type == PT_LOAD) {
            const elf_segment s = {p.p_offset, p.p_vaddr, p.p_filesz};
            *loaded += s.offset <= size && s.size <= size - s.offset ? s.size : 0;
            TS_TRY(ts_vec_push(ctx, out, &s, sizeof s));
        }
    }
    return TS_OK;
}

/* Segments with code, each once. */
static ts_code add_code(ts_elf *elf, ts_ctx *ctx, Elf *e)
{
    size_t n = 0;
    ts_code code = TS_OK;
    if (elf_getphdrnum(e, &n) != 0) {
        return TS_OK;
    }
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        GElf_Phdr p;
        bool known = false;
        if (gelf_getphdr(e, (int)i, &p) == NULL || p.p_type != PT_LOAD || (p.p_flags & PF_X) == 0) {
            continue;
        }
        const elf_segment s = {0, p.p_vaddr, p.p_memsz};
        for (size_t k = 0; k < elf->code.n; k++) {
            const elf_segment *have = (const elf_segment *)elf->code.p + k;
            known = known || (have->vaddr == s.vaddr && have->size == s.size);
        }
        code = known ? TS_OK : ts_vec_push(ctx, &elf->code, &s, sizeof s);
    }
    return code;
}

static ts_code add_segments(ts_elf *elf, ts_ctx *ctx, Elf *e, int fd)
{
    ts_vec segments = {0};
    uint64_t loaded;
    struct stat st;
    const bool known = ctx->sys.fstat(ctx->sys.user, fd, &st) == 0;
    const ts_code code =
        read_segments(&segments, &loaded, ctx, e, known ? (uint64_t)st.st_size : 0);
    if (code == TS_OK && loaded > elf->loaded) {
        ts_vec_free(ctx, &elf->segments);
        elf->segments = segments;
        elf->loaded = loaded;
    } else {
        ts_vec_free(ctx, &segments);
    }
    return code;
}

/* --- symbols -----------------------------------------------------------------------------------
 */

static void note_mark(ts_elf *elf, ts_text name, uint64_t address)
{
    const bool ends =
        ts_text_is(name, "_etext") || ts_text_is(name, "_einittext") || ts_text_is(name, "_end");
    if (ts_text_is(name, "_text")) {
        elf->text = address;
    } else if (ts_text_is(name, "_stext")) {
        elf->stext = address;
    } else if (ends && address > elf->end) {
        elf->end = address;
    }
}

/* Where a symbol is; false: it is in no code. places: of the sections of a module, else NULL. */
static bool place_of(uint64_t *out, const GElf_Sym *sym, const ts_vec *places)
{
    uint64_t at = 0;
    if (places != NULL) {
        if (sym->st_shndx >= places->n || sym->st_shndx >= SHN_LORESERVE) {
            return false;
        }
        at = ((const uint64_t *)places->p)[sym->st_shndx];
    }
    *out = at + sym->st_value;
    return places == NULL ? *out != 0 : at != TS_MODULE_NO_PLACE && *out >= at;
}

/* Functions of a table, with the strings that their names are in. */
static ts_code add_table(ts_elf *elf, ts_ctx *ctx, Elf *e, Elf_Scn *section, const GElf_Shdr *s,
                         const ts_vec *places)
{
    const size_t base = elf->strings.n;
    Elf_Data *symbols = elf_getdata(section, NULL);
    Elf_Data *strings = elf_rawdata(elf_getscn(e, s->sh_link), NULL);
    if (symbols == NULL || strings == NULL || strings->d_buf == NULL || s->sh_entsize == 0 ||
        strings->d_size > STRINGS_MOST - base) {
        return TS_OK;
    }
    TS_TRY(ts_buf_put(ctx, &elf->strings, strings->d_buf, strings->d_size));
    const ts_text names = {(const char *)strings->d_buf, strings->d_size};
    for (size_t i = 0; i < symbols->d_size / s->sh_entsize; i++) {
        GElf_Sym sym;
        uint64_t at;
        if (gelf_getsym(symbols, (int)i, &sym) == NULL || !place_of(&at, &sym, places)) {
            continue;
        }
        const unsigned type = GELF_ST_TYPE(sym.st_info);
        if (type == STT_NOTYPE && places == NULL) {
            note_mark(elf, ts_symbol_text(names, sym.st_name), at);
        }
        if (type != STT_FUNC && type != STT_GNU_IFUNC) {
            continue;
        }
        TS_TRY(ts_symbols_add(ctx, &elf->symbols,
                              (ts_symbol){.address = at,
                                          .size = sym.st_size,
                                          .name = sym.st_name < strings->d_size
                                                      ? base + sym.st_name
                                                      : TS_SYMBOL_NAMELESS}));
    }
    return TS_OK;
}

static ts_code add_tables(ts_elf *elf, ts_ctx *ctx, Elf *e, uint32_t type, const ts_vec *places)
{
    Elf_Scn *section = NULL;
    ts_code code = TS_OK;
    while (code == TS_OK && (section = elf_nextscn(e, section)) != NULL) {
        GElf_Shdr s;
        if (gelf_getshdr(section, &s) != NULL && s.sh_type == type) {
            code = add_table(elf, ctx, e, section, &s, places);
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
static ts_code unpack(bool *good, ts_ctx *ctx, ts_buf *out, const uint8_t *in, size_t n)
{
    enum { STEP = 256 << 10 };
    const lzma_allocator allocator = {xz_alloc, xz_free, ctx};
    lzma_stream z = LZMA_STREAM_INIT;
    lzma_ret r;
    ts_code code = TS_OK;
    z.allocator = &allocator;
    z.next_in = in;
    z.avail_in = n;
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

/* The section of this name, as it is; NULL without one. */
static Elf_Data *find_section(Elf *e, const char *name)
{
    Elf_Scn *section = NULL;
    size_t names;
    if (elf_getshdrstrndx(e, &names) != 0) {
        return NULL;
    }
    while ((section = elf_nextscn(e, section)) != NULL) {
        GElf_Shdr s;
        const char *own =
            gelf_getshdr(section, &s) == NULL ? NULL : elf_strptr(e, names, s.sh_name);
        if (own != NULL && strcmp(own, name) == 0) {
            return elf_rawdata(section, NULL);
        }
    }
    return NULL;
}

static ts_code add_packed(ts_elf *elf, ts_ctx *ctx, Elf *e)
{
    const Elf_Data *packed = find_section(e, ".gnu_debugdata");
    ts_buf bytes = {0};
    bool good = false;
    if (packed == NULL || packed->d_buf == NULL) {
        return TS_OK;
    }
    ts_code code = unpack(&good, ctx, &bytes, (const uint8_t *)packed->d_buf, packed->d_size);
    Elf *inner = good && code == TS_OK ? elf_memory(bytes.p, bytes.n) : NULL;
    TS_STEP_IF(code, inner != NULL && elf_kind(inner) == ELF_K_ELF,
               add_tables(elf, ctx, inner, SHT_SYMTAB, NULL));
    elf_end(inner);
    ts_buf_free(ctx, &bytes);
    return code;
}

/* What libelf takes for the tables of symbols, with their strings, until the file is closed. */
static size_t table_bytes(Elf *e)
{
    Elf_Scn *section = NULL;
    size_t n = 0;
    while ((section = elf_nextscn(e, section)) != NULL) {
        GElf_Shdr s;
        if (gelf_getshdr(section, &s) != NULL &&
            (s.sh_type == SHT_SYMTAB || s.sh_type == SHT_DYNSYM || s.sh_type == SHT_STRTAB) &&
            s.sh_size <= STRINGS_MOST) {
            n = s.sh_size < SIZE_MAX - n ? n + (size_t)s.sh_size : SIZE_MAX;
        }
    }
    return n;
}

static ts_code add_module(ts_elf *elf, ts_ctx *ctx, Elf *e)
{
    ts_vec places = {0};
    uint64_t size;
    ts_code code = ts_module_layout(&places, &size, ctx, e);
    TS_STEP(code, add_tables(elf, ctx, e, SHT_SYMTAB, &places));
    elf->module = true;
    elf->end = size > elf->end ? size : elf->end;
    ts_vec_free(ctx, &places);
    return code;
}

static ts_code add_linked(ts_elf *elf, ts_ctx *ctx, Elf *e, int fd)
{
    TS_TRY(add_segments(elf, ctx, e, fd));
    TS_TRY(add_code(elf, ctx, e));
    TS_TRY(add_tables(elf, ctx, e, SHT_DYNSYM, NULL));
    TS_TRY(add_packed(elf, ctx, e));
    return add_tables(elf, ctx, e, SHT_SYMTAB, NULL);
}

ts_code ts_elf_add(bool *good, ts_elf *elf, ts_ctx *ctx, int fd)
{
    Elf *e = open_elf(fd);
    GElf_Ehdr header;
    *good = e != NULL;
    if (e == NULL) {
        return TS_OK;
    }
    const size_t lent = table_bytes(e);
    ts_code code = ts_alloc_lent(ctx, lent);
    if (code == TS_OK) {
        code = gelf_getehdr(e, &header) != NULL && header.e_type == ET_REL
                   ? add_module(elf, ctx, e)
                   : add_linked(elf, ctx, e, fd);
        ts_alloc_returned(ctx, lent);
    }
    elf_end(e);
    return code;
}

ts_code ts_elf_finish(ts_elf *elf, ts_ctx *ctx)
{
    return ts_symbols_sort(ctx, &elf->symbols, TS_SYMBOL_LAST);
}

const ts_symbol *ts_elf_at(ts_text *name, const ts_elf *elf, uint64_t v)
{
    const ts_symbol *found = ts_symbols_find(&elf->symbols, v);
    *name = found == NULL ? TS_TEXT_NULL : ts_symbol_text(ts_buf_text(&elf->strings), found->name);
    return name->n == 0 ? NULL : found;
}

static ts_text module_of(const ts_elf *elf, const ts_symbol *s)
{
    const ts_text strings = ts_buf_text(&elf->strings);
    return ts_symbol_text(strings, s->name + ts_symbol_text(strings, s->name).n + 1);
}

const ts_symbol *ts_elf_kernel_at(ts_text *name, const ts_elf *elf, uint64_t v, ts_text module)
{
    const bool bounded = elf->end > elf->text && (elf->module || module.n == 0);
    const ts_symbol *found = bounded && v >= elf->end ? NULL : ts_elf_at(name, elf, v);
    return found != NULL && elf->listed && !ts_module_equal(module_of(elf, found), module) ? NULL
                                                                                           : found;
}

bool ts_elf_lists(const ts_elf *elf, ts_text module)
{
    const ts_symbol *s = (const ts_symbol *)elf->symbols.symbols.p;
    bool lists = false;
    for (size_t i = 0; elf->listed && !lists && i < elf->symbols.symbols.n; i++) {
        lists = ts_module_equal(module_of(elf, &s[i]), module);
    }
    return lists;
}

const ts_symbol *ts_elf_find(ts_text *name, uint64_t *v, const ts_elf *elf, uint64_t offset)
{
    const elf_segment *segments = (const elf_segment *)elf->segments.p;
    *name = TS_TEXT_NULL;
    for (size_t i = 0; i < elf->segments.n; i++) {
        const elf_segment *s = &segments[i];
        if (offset >= s->offset && offset - s->offset < s->size) {
            *v = offset - s->offset + s->vaddr;
            return ts_elf_at(name, elf, *v);
        }
    }
    return NULL;
}

bool ts_elf_has(const ts_elf *elf, uint64_t offset)
{
    const elf_segment *s = (const elf_segment *)elf->segments.p;
    bool has = false;
    for (size_t i = 0; i < elf->segments.n; i++) {
        has = has || (offset >= s[i].offset && offset - s[i].offset < s[i].size);
    }
    return has;
}

bool ts_elf_code(uint64_t *vaddr, const ts_elf *elf, uint64_t size)
{
    static const uint64_t pages[] = {4096, 16384, 65536};
    const elf_segment *code = (const elf_segment *)elf->code.p;
    for (size_t p = 0; p < sizeof pages / sizeof pages[0]; p++) {
        const uint64_t within = pages[p] - 1;
        unsigned found = 0;
        for (size_t i = 0; i < elf->code.n; i++) {
            const uint64_t low = code[i].vaddr & ~within;
            const uint64_t high = (code[i].vaddr + code[i].size + within) & ~within;
            if (high > low && high - low == size) {
                *vaddr = low;
                found++;
            }
        }
        if (found > 0) {
            return found == 1;
        }
    }
    return false;
}

/* --- the kernel's list -------------------------------------------------------------------------
 */

/* What is before the next blank of a line, which loses both. */
static ts_text cut_word(ts_text *line)
{
    ts_text word = {line->p, 0};
    while (word.n < line->n && line->p[word.n] != ' ' && line->p[word.n] != '\t') {
        word.n++;
    }
    *line = ts_text_from(*line, word.n < line->n ? word.n + 1 : word.n);
    return word;
}

/* "address type name", and maybe a module. */
static ts_code add_line(ts_elf *elf, ts_ctx *ctx, ts_text line)
{
    const size_t at = elf->strings.n;
    uint64_t address = 0;
    const ts_text digits = cut_word(&line);
    const ts_text type = cut_word(&line);
    const ts_text name = cut_word(&line);
    const ts_text module = ts_module_name(cut_word(&line));
    for (size_t i = 0; i < digits.n; i++) {
        const char c = digits.p[i];
        if (digits.n > 16 || !isxdigit((unsigned char)c)) {
            return TS_OK;
        }
        address = address << 4 | (uint64_t)(ts_is_digit(c) ? c - '0' : (c | 0x20) - 'a' + 10);
    }
    if (address == 0 || type.n != 1 || name.n == 0) {
        return TS_OK;
    }
    const bool code = strchr("tTwW", *type.p) != NULL;
    if (module.n == 0 && (code || ts_text_is(name, "_end"))) {
        note_mark(elf, name, address);
    }
    if (!code) {
        return TS_OK;
    }
    TS_TRY(ts_buf_put(ctx, &elf->strings, name.p, name.n));
    TS_TRY(ts_buf_putc(ctx, &elf->strings, '\0'));
    TS_TRY(ts_buf_put(ctx, &elf->strings, module.p, module.n));
    TS_TRY(ts_buf_putc(ctx, &elf->strings, '\0'));
    return ts_symbols_add(ctx, &elf->symbols, (ts_symbol){.address = address, .name = at});
}

/* The lines of what was read; what is after the last one stays. */
static ts_code add_lines(ts_elf *elf, ts_ctx *ctx, ts_buf *text)
{
    size_t at = 0;
    ts_code code = TS_OK;
    while (code == TS_OK && at < text->n) {
        const char *end = (const char *)memchr(text->p + at, '\n', text->n - at);
        if (end == NULL) {
            break;
        }
        const size_t n = (size_t)(end - text->p) - at;
        code = add_line(elf, ctx, (ts_text){text->p + at, n});
        at += n + 1;
    }
    memmove(text->p, text->p + at, text->n - at);
    text->n -= at;
    return code;
}

ts_code ts_elf_add_kallsyms(ts_elf *elf, ts_ctx *ctx, int fd)
{
    enum { STEP = 64 << 10, LINE_MOST = 4096 };
    ts_buf text = {0};
    ts_code code = TS_OK;
    ssize_t got = 1;
    elf->listed = true;
    while (code == TS_OK && got > 0) {
        code = ts_check_cancel(ctx);
        TS_STEP_IF(code, text.n > LINE_MOST, ts_buf_put(ctx, &text, "\n", 1)); /* none is so long */
        TS_STEP(code, ts_buf_reserve(ctx, &text, STEP));
        if (code == TS_OK) {
            got = ctx->sys.read(ctx->sys.user, fd, text.p + text.n, STEP);
            text.n += got > 0 ? (size_t)got : 0;
            TS_STEP_IF(code, got == 0 && text.n > 0, ts_buf_putc(ctx, &text, '\n'));
            TS_STEP_IF(code, text.n > 0, add_lines(elf, ctx, &text));
        }
    }
    ts_buf_free(ctx, &text);
    return code;
}

void ts_elf_free(ts_ctx *ctx, ts_elf *elf)
{
    ts_vec_free(ctx, &elf->segments);
    ts_vec_free(ctx, &elf->code);
    ts_symbols_free(ctx, &elf->symbols);
    ts_buf_free(ctx, &elf->strings);
    *elf = (ts_elf){0};
}
