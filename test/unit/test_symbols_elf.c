/* Files of ELF and folders of them: made here, byte by byte. */
#include "symbols/kernel_module.h"
#include "symbols/symbol_folder.h"
#include "support.h"

#include <fcntl.h>
#include <lzma.h>
#include <sys/stat.h>
#include <unistd.h>

/* --- making files ------------------------------------------------------------------------------
 */

typedef struct image {
    uint8_t p[16384];
    size_t n;
    bool wide;
} image;

static void set(image *f, size_t at, uint64_t v, unsigned bytes)
{
    for (unsigned i = 0; i < bytes; i++) {
        f->p[at + i] = (uint8_t)(v >> (8 * i));
    }
}

/* Bytes of the width of the file's words. */
static unsigned word(const image *f)
{
    return f->wide ? 8 : 4;
}

static size_t add(image *f, const void *p, size_t n)
{
    const size_t at = (f->n + 7) & ~(size_t)7;
    assert_true(at + n <= sizeof f->p);
    memcpy(f->p + at, p, n);
    f->n = at + n;
    return at;
}

static void begin_image(image *f, bool wide)
{
    *f = (image){.wide = wide, .n = wide ? 64 : 52};
    memcpy(f->p, "\177ELF", 4);
    f->p[4] = wide ? 2 : 1;
    f->p[5] = 1;
    f->p[6] = 1;
    set(f, 16, 3, 2);             /* a shared object, */
    set(f, 18, wide ? 62 : 3, 2); /* of x86 */
    set(f, 20, 1, 4);
    set(f, wide ? 52 : 40, f->n, 2);
}

typedef struct symbol {
    const char *name;
    uint64_t value, size;
    uint8_t info;
} symbol;

typedef struct section {
    const char *name;
    uint32_t type, link;
    size_t offset, size, entry;
} section;

/* A table of symbols with its strings, as the sections 2 * k and 2 * k + 1. */
static void add_table(image *f, section *s, size_t *n, uint32_t type, const symbol *symbols,
                      size_t count)
{
    const size_t entry = f->wide ? 24 : 16;
    char strings[256] = "";
    size_t used = 1;
    uint8_t entries[24 * 8] = {0};
    image e = {.wide = f->wide};
    for (size_t i = 0; i < count; i++) {
        memset(e.p, 0, entry);
        set(&e, 0, used, 4);
        if (f->wide) {
            e.p[4] = symbols[i].info;
            set(&e, 8, symbols[i].value, 8);
            set(&e, 16, symbols[i].size, 8);
        } else {
            set(&e, 4, symbols[i].value, 4);
            set(&e, 8, symbols[i].size, 4);
            e.p[12] = symbols[i].info;
        }
        memcpy(entries + i * entry, e.p, entry);
        strcpy(strings + used, symbols[i].name);
        used += strlen(symbols[i].name) + 1;
    }
    s[*n] = (section){"table",       type, (uint32_t)*n + 1, add(f, entries, count * entry),
                      count * entry, entry};
    s[*n + 1] = (section){"strings", 3, 0, add(f, strings, used), used, 0};
    *n += 2;
}

/* Sections, the names of which are the last one. */
static void end_image(image *f, section *s, size_t n)
{
    char names[256] = "";
    size_t used = 1;
    size_t at[16];
    for (size_t i = 1; i < n; i++) {
        at[i] = used;
        strcpy(names + used, s[i].name);
        used += strlen(s[i].name) + 1;
    }
    at[n] = 0;
    s[n] = (section){"", 3, 0, add(f, names, used), used, 0};
    n++;
    const size_t size = f->wide ? 64 : 40;
    uint8_t zeros[64 * 16] = {0};
    const size_t table = add(f, zeros, n * size);
    for (size_t i = 1; i < n; i++) {
        const size_t h = table + i * size;
        set(f, h, at[i], 4);
        set(f, h + 4, s[i].type, 4);
        set(f, h + (f->wide ? 24 : 16), s[i].offset, word(f));
        set(f, h + (f->wide ? 32 : 20), s[i].size, word(f));
        set(f, h + (f->wide ? 40 : 24), s[i].link, 4);
        set(f, h + (f->wide ? 56 : 36), s[i].entry, word(f));
    }
    set(f, f->wide ? 40 : 32, table, word(f));
    set(f, f->wide ? 58 : 46, size, 2);
    set(f, f->wide ? 60 : 48, n, 2);
    set(f, f->wide ? 62 : 50, n - 1, 2);
}

typedef struct segment {
    uint32_t type;
    uint64_t offset, vaddr, size;
    bool code; /* of 256 bytes, whether the file has them or not */
} segment;

static void add_segments(image *f, const segment *s, size_t n)
{
    const size_t size = f->wide ? 56 : 32;
    uint8_t zeros[56 * 8] = {0};
    const size_t table = add(f, zeros, n * size);
    for (size_t i = 0; i < n; i++) {
        const size_t h = table + i * size;
        set(f, h, s[i].type, 4);
        set(f, h + (f->wide ? 8 : 4), s[i].offset, word(f));
        set(f, h + (f->wide ? 16 : 8), s[i].vaddr, word(f));
        set(f, h + (f->wide ? 32 : 16), s[i].size, word(f));
        set(f, h + (f->wide ? 40 : 20), s[i].code ? 0x100 : s[i].size, word(f));
        set(f, h + (f->wide ? 4 : 24), s[i].code ? 5 : 4, 4);
    }
    set(f, f->wide ? 32 : 28, table, word(f));
    set(f, f->wide ? 54 : 42, size, 2);
    set(f, f->wide ? 56 : 44, n, 2);
}

/* A note with a build id of four bytes. */
static size_t add_note(image *f, uint8_t first)
{
    uint8_t note[20] = {4, 0, 0, 0, 4, 0, 0, 0, 3, 0, 0, 0, 'G', 'N', 'U', 0, first, 2, 3, 4};
    return add(f, note, sizeof note);
}

static const symbol whole[] = {{"main", 0x2000, 0x10, 2}, {"helper", 0x2010, 0x10, 2}};
static const symbol dynamic[] = {{"exported", 0x2020, 0x10, 0x12}, {"alias", 0x2000, 0x10, 0x12}};
static const symbol hidden[] = {{"hidden", 0x2030, 0x10, 2}, {"unused", 0x2020, 0x10, 2}};

enum { WITH_SYMBOLS = 1, WITH_DYNAMIC = 2, WITH_PACKED = 4, WITHOUT_CODE = 8 };

static void packed_symbols(image *f)
{
    static image inner;
    static uint8_t out[16384];
    section s[16] = {{0}};
    size_t n = 1;
    size_t used = 0;
    begin_image(&inner, f->wide);
    add_table(&inner, s, &n, 2, hidden, 2);
    end_image(&inner, s, n);
    assert_int_equal(lzma_easy_buffer_encode(0, LZMA_CHECK_CRC32, NULL, inner.p, inner.n, out,
                                             &used, sizeof out),
                     LZMA_OK);
    f->n = used;
    memcpy(f->p, out, used);
}

/* A program whose code is at 0x1000 of the file and at 0x2000 of memory. */
static void program(image *f, bool wide, uint8_t id, unsigned with)
{
    section s[16] = {{0}};
    size_t n = 1;
    begin_image(f, wide);
    const size_t note = add_note(f, id);
    const segment segments[] = {{4, note, 0, 20, false},
                                {1, 0, 0, 0x800, false},
                                {1, 0x1000, 0x2000, (with & WITHOUT_CODE) != 0 ? 0 : 0x100, true}};
    add_segments(f, segments, 3);
    if ((with & WITH_PACKED) != 0) {
        static image packed;
        packed.wide = wide;
        packed_symbols(&packed);
        s[n] = (section){".gnu_debugdata", 1, 0, add(f, packed.p, packed.n), packed.n, 0};
        n++;
    }
    if ((with & WITH_SYMBOLS) != 0) {
        add_table(f, s, &n, 2, whole, 2);
    }
    if ((with & WITH_DYNAMIC) != 0) {
        add_table(f, s, &n, 11, dynamic, 2);
    }
    s[n] = (section){"note", 7, 0, note, 20, 0};
    n++;
    end_image(f, s, n);
    if ((with & WITHOUT_CODE) == 0 && f->n < 0x1100) {
        f->n = 0x1100;
    }
}

/* --- files -------------------------------------------------------------------------------------
 */

static char folder[] = "/tmp/test_symbols_elf.XXXXXX";

static const char *in_folder(const char *path)
{
    static char whole_path[512];
    snprintf(whole_path, sizeof whole_path, "%s/%s", folder, path);
    return whole_path;
}

static void write_image(const char *path, const image *f)
{
    test_write_file(in_folder(path), f->p, f->n);
}

static void check(const ts_elf *elf, uint64_t offset, const char *name, uint64_t vaddr)
{
    ts_text found;
    uint64_t v = 0;
    const ts_symbol *s = ts_elf_find(&found, &v, elf, offset);
    if (name == NULL) {
        assert_null(s);
        return;
    }
    assert_non_null(s);
    assert_true(ts_text_is(found, name));
    assert_int_equal(v, vaddr);
}

static void read_image(ts_elf *elf, ts_ctx *ctx, const image *f, bool expected)
{
    bool good;
    write_image("one", f);
    const int fd = open(in_folder("one"), O_RDONLY);
    assert_ok(ctx, ts_elf_add(&good, elf, ctx, fd));
    assert_int_equal(good, expected);
    close(fd);
}

/* All tables, of both widths: .symtab counts most. */
static void test_symbols_of_files(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        ts_ctx *ctx = test_ctx_new();
        ts_elf elf = {0};
        image f;
        program(&f, wide != 0, 1, WITH_SYMBOLS | WITH_DYNAMIC | WITH_PACKED);
        read_image(&elf, ctx, &f, true);
        assert_ok(ctx, ts_elf_finish(&elf, ctx));
        check(&elf, 0x1000, "main", 0x2000);
        check(&elf, 0x101f, "helper", 0x201f);
        check(&elf, 0x1020, "unused", 0x2020); /* of .gnu_debugdata, read after .dynsym */
        check(&elf, 0x1035, "hidden", 0x2035);
        check(&elf, 0x1040, NULL, 0);
        check(&elf, 0x1100, NULL, 0); /* after the segment */
        check(&elf, 0x900, NULL, 0);  /* in none */
        ts_elf_free(ctx, &elf);
        program(&f, wide != 0, 1, WITH_DYNAMIC);
        read_image(&elf, ctx, &f, true);
        assert_ok(ctx, ts_elf_finish(&elf, ctx));
        check(&elf, 0x1000, "alias", 0x2000);
        check(&elf, 0x1030, NULL, 0);
        ts_elf_free(ctx, &elf);
        test_ctx_free(ctx);
    }
}

/* Debug information says what functions there are, the program where they are. */
static void test_debug_files(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    for (int first = 0; first < 2; first++) {
        ts_elf elf = {0};
        image f;
        for (int k = 0; k < 2; k++) {
            program(&f, true, 1, k == first ? WITH_DYNAMIC : WITH_SYMBOLS | WITHOUT_CODE);
            read_image(&elf, ctx, &f, true);
        }
        assert_ok(ctx, ts_elf_finish(&elf, ctx));
        check(&elf, 0x1010, "helper", 0x2010);
        check(&elf, 0x1020, "exported", 0x2020);
        ts_elf_free(ctx, &elf);
    }
    test_ctx_free(ctx);
}

static void damage(const image *whole_file)
{
    ts_ctx *ctx = test_ctx_new();
    static image f;
    static image bad;
    ts_build_id id;
    bool good;
    f = *whole_file;
    const size_t step = test_slow() ? 1 : 5;
    for (size_t k = 0; k < 2 * f.n; k += k < 128 ? 1 : step) {
        ts_elf elf = {0};
        bad = f;
        if (k < f.n) {
            bad.p[k] ^= 0xff;
        } else {
            bad.n = k - f.n;
        }
        write_image("one", &bad);
        const int fd = open(in_folder("one"), O_RDONLY);
        assert_ok(ctx, ts_elf_identify(&good, &id, ctx, fd));
        assert_ok(ctx, ts_elf_add(&good, &elf, ctx, fd));
        assert_ok(ctx, ts_elf_finish(&elf, ctx));
        ts_text name;
        uint64_t v;
        for (uint64_t at = 0; at < 0x1200; at += 8) {
            (void)ts_elf_find(&name, &v, &elf, at);
            (void)ts_elf_kernel_at(&name, &elf, at, TS_TEXT_NULL);
        }
        close(fd);
        ts_elf_free(ctx, &elf);
    }
    test_ctx_free(ctx);
}

/* --- folders -----------------------------------------------------------------------------------
 */

static void find(const char *name, ts_symbol_folder *f, ts_ctx *ctx, const char *path, uint8_t id,
                 uint64_t offset)
{
    const ts_build_id wanted = {id == 0 ? 0 : 4, {id, 2, 3, 4}};
    const ts_elf *elf;
    assert_ok(ctx, ts_symbol_folder_find(&elf, f, ts_text_of(path), &wanted));
    if (name == NULL) {
        assert_null(elf);
        return;
    }
    assert_non_null(elf);
    check(elf, offset, name, offset + 0x1000);
}

static void make_folder(void)
{
    static const char *const folders[] = {"usr", "usr/lib", "other", ".build-id", ".build-id/07"};
    image f;
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        mkdir(in_folder(folders[i]), 0700);
    }
    program(&f, true, 1, WITH_DYNAMIC);
    write_image("usr/lib/liba.so", &f);
    program(&f, true, 1, WITH_SYMBOLS | WITHOUT_CODE);
    write_image("other/liba.so.debug", &f);
    program(&f, true, 5, WITH_SYMBOLS);
    write_image("other/liba.so", &f);
    program(&f, true, 6, WITH_PACKED);
    write_image("other/tool", &f);
    program(&f, true, 7, WITH_SYMBOLS);
    set(&f, 64 + 12, 'X', 1); /* its note is of another name: the path has the id */
    write_image(".build-id/07/020304.debug", &f);
    test_write_file(in_folder("other/text"), "no ELF", 6);
    assert_int_equal(symlink("..", in_folder("other/up")), 0);
}

static void test_folder(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_symbol_folder *f;
    bool more;
    (void)state;
    assert_ok(ctx, ts_symbol_folder_open(&f, ctx, folder));
    assert_int_equal(ts_symbol_folder_count(&more, f), 6); /* one is of the tests before */
    assert_false(more);
    find("helper", f, ctx, "/usr/lib/liba.so", 1, 0x1010); /* both files of the id */
    find("exported", f, ctx, "/anywhere/else.so", 1, 0x1020);
    find("helper", f, ctx, "/x/liba.so", 5, 0x1010);
    find("hidden", f, ctx, "tool", 6, 0x1030);
    find("main", f, ctx, "/x", 7, 0x1000);        /* the id of the path */
    find(NULL, f, ctx, "/usr/lib/liba.so", 9, 0); /* another version of it */
    find("helper", f, ctx, "/usr/lib/liba.so", 0, 0x1010);
    find("hidden", f, ctx, "/opt/bin/tool", 0, 0x1030); /* by its name */
    find(NULL, f, ctx, "/opt/bin/text", 0, 0);
    find(NULL, f, ctx, "", 0, 0);
    find("hidden", f, ctx, "/opt/bin/tool", 0, 0x1030); /* as before */
    ts_symbol_folder_close(f);
    assert_int_equal(ts_symbol_folder_open(&f, ctx, in_folder("missing")), TS_ERR_INPUT);
    assert_null(f);
    test_ctx_free(ctx);
}

/* The kernel's own list: lines of other kinds say nothing, one as long as the reader's piece is
 * passed over. */
static void write_kallsyms(void)
{
    static const char lines[] = "ffffffff81000000 T _text\n"
                                "ffffffff81000100 t do_work\n"
                                "ffffffff81000180 D data\n"
                                "ffffffff81000200 W weak_one\t[module]\n"
                                "0000000000000000 T hidden\n"
                                "no line\n"
                                "\n"
                                "ffffffff81000300 T\n"
                                "ffffffff81000400 T last\n"
                                "ffffffff82000000 T start_kernel\n"
                                "ffffffff82000100 T _einittext\n"
                                "ffffffffc0000100 t mod_work\t[nf_tables]";
    static char text[100000];
    const size_t head = 25;
    memcpy(text, lines, head);
    memset(text + head, 'x', 70000);
    text[head + 70000] = '\n';
    memcpy(text + head + 70001, lines + head, sizeof lines - 1 - head);
    mkdir(in_folder("proc"), 0700);
    test_write_file(in_folder("proc/kallsyms"), text, 70001 + sizeof lines - 1);
}

static void check_at(const ts_elf *elf, uint64_t v, const char *name)
{
    ts_text found;
    const ts_symbol *s = ts_elf_at(&found, elf, v);
    assert_true(name == NULL ? s == NULL : s != NULL && ts_text_is(found, name));
}

static void check_list(const ts_elf *elf, uint64_t v, const char *module, const char *name)
{
    ts_text found;
    const ts_symbol *s = ts_elf_kernel_at(&found, elf, v, ts_text_of(module));
    assert_true(name == NULL ? s == NULL : s != NULL && ts_text_is(found, name));
}

static ts_kernel kernel_at(const char *mark, uint64_t at)
{
    return (ts_kernel){
        .release = TS_TEXT_LIT("6.1"), .mark = ts_text_of(mark), .at = at, .id = {0}};
}

static void test_kernel(void **state)
{
    const uint64_t start = UINT64_C(0xffffffff81000000);
    ts_ctx *ctx = test_ctx_new();
    const ts_elf *elf = NULL;
    ts_symbol_folder *f;
    uint64_t moved;
    (void)state;
    write_kallsyms();
    assert_ok(ctx, ts_symbol_folder_open(&f, ctx, folder));
    const ts_kernel here = kernel_at("_text", start);
    assert_ok(ctx, ts_symbol_folder_kernel(&elf, &moved, f, &here));
    assert_non_null(elf);
    assert_int_equal(moved, 0);
    check_list(elf, start - 1, "", NULL);
    check_list(elf, start + 0xff, "", "_text");
    check_list(elf, start + 0x100, "", "do_work");
    check_list(elf, start + 0x180, "", "do_work");
    check_list(elf, start + 0x200, "", NULL);
    check_list(elf, start + 0x200, "module", "weak_one");
    check_list(elf, start + 0x300, "module", "weak_one");
    check_list(elf, start + 0x400, "", "last");
    check_list(elf, start + 0x10000ff, "", "start_kernel");
    check_list(elf, start + 0x1000100, "", NULL); /* the kernel ends there */
    check_list(elf, start + 0x3f000110, "", NULL);
    check_list(elf, start + 0x3f000110, "nf-tables", "mod_work");
    check_list(elf, start + 0x3f000110, "module", NULL);
    assert_true(ts_elf_lists(elf, TS_TEXT_LIT("nf_tables")));
    assert_false(ts_elf_lists(elf, TS_TEXT_LIT("ext4")));
    /* Another start of the machine; a mark that the list lacks, or that no one knows. */
    static const char *const marks[] = {"_text", "_stext", "_etext", ""};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const ts_kernel kernel = kernel_at(marks[i], i == 0 ? start + 0x200000 : 0);
        assert_ok(ctx, ts_symbol_folder_kernel(&elf, &moved, f, &kernel));
        assert_null(elf);
    }
    ts_symbol_folder_close(f);
    test_ctx_free(ctx);
}

/* --- modules -----------------------------------------------------------------------------------
 */

static void test_module_names(void **state)
{
    static const char *const names[][2] = {
        {"[nf_tables]", "nf_tables"},
        {"/lib/modules/6.1/kernel/nf-tables.ko", "nf-tables"},
        {"nf_tables.ko.xz", "nf_tables"},
        {"a.b/nf_tables.ko.debug", "nf_tables"},
        {"/lib/nf_tables.so", ""},
        {"/lib/nf_tables.kos", ""},
        {"/lib/modules/nf_tables", ""},
        {"[", ""},
        {"", ""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_true(ts_text_is(ts_module_name(ts_text_of(names[i][0])), names[i][1]));
    }
    assert_true(ts_module_equal(TS_TEXT_LIT("nf-tables"), TS_TEXT_LIT("nf_tables")));
    assert_false(ts_module_equal(TS_TEXT_LIT("nf_tables"), TS_TEXT_LIT("nf_table")));
    assert_false(ts_module_equal(TS_TEXT_LIT("nf_tables"), TS_TEXT_LIT("nf.tables")));
}

/* One that is not linked: sections that begin at 0, each with code, and functions in them. */
static void module_image(image *f, bool wide, const char *first)
{
    enum { PARTS = 5 };
    static const uint8_t code[64];
    static const symbol symbols[] = {{"begin", 0, 0x10, 2},    {"second", 0x20, 0x14, 0x12},
                                     {"start", 0, 0x10, 2},    {"rare", 4, 8, 2},
                                     {"loader", 0, 0x10, 2},   {"after", 0, 0x10, 2},
                                     {"absolute", 8, 0x10, 2}, {"undefined", 0, 0x10, 2}};
    static const unsigned in[] = {1, 1, 2, 3, 4, 5, 0xfff1, 0};
    const char *const names[PARTS] = {first, ".init.text", ".text.unlikely", ".plt", ".text.after"};
    section s[16] = {{0}};
    size_t n = 1;
    begin_image(f, wide);
    set(f, 16, 1, 2);
    for (; n <= PARTS; n++) {
        s[n] = (section){names[n - 1], 1, 0, add(f, code, sizeof code), n == 1 ? 0x34 : 0x10, 0};
    }
    add_table(f, s, &n, 2, symbols, 8);
    end_image(f, s, n);
    const size_t entry = wide ? 24 : 16;
    for (size_t i = 0; i < 8; i++) {
        set(f, s[PARTS + 1].offset + i * entry + (wide ? 6 : 14), in[i], 2);
    }
    const size_t header = wide ? 64 : 40;
    const size_t table = f->n - (n + 1) * header;
    for (size_t i = 1; i <= PARTS; i++) {
        set(f, table + i * header + 8, 6, word(f)); /* code that is loaded, */
        set(f, table + i * header + (wide ? 48 : 32), i == 3 ? 32 : 1, word(f)); /* aligned */
    }
}

/* The kernel puts .text.unlikely after .text, aligned; what follows the section that grows is
 * somewhere. */
static void test_module(void **state)
{
    (void)state;
    for (int wide = 0; wide < 2; wide++) {
        ts_ctx *ctx = test_ctx_new();
        ts_elf elf = {0};
        image f;
        module_image(&f, wide != 0, ".text");
        read_image(&elf, ctx, &f, true);
        assert_ok(ctx, ts_elf_finish(&elf, ctx));
        assert_true(elf.module);
        assert_int_equal(elf.symbols.symbols.n, 3);
        check_list(&elf, 0, "any", "begin");
        check_list(&elf, 0xf, "any", "begin");
        check_list(&elf, 0x10, "any", NULL);
        check_list(&elf, 0x33, "any", "second");
        check_list(&elf, 0x34, "any", NULL);
        check_list(&elf, 0x44, "any", "rare");
        check_list(&elf, 0x4b, "any", "rare");
        check_list(&elf, 0x4c, "any", NULL);
        check_list(&elf, 0x50, "any", NULL);
        ts_elf_free(ctx, &elf);
        module_image(&f, wide != 0, ".plt.before");
        read_image(&elf, ctx, &f, true);
        assert_ok(ctx, ts_elf_finish(&elf, ctx));
        assert_int_equal(elf.symbols.symbols.n, 0);
        ts_elf_free(ctx, &elf);
        test_ctx_free(ctx);
    }
}

/* Each byte of a header or a table wrong, and each length: nothing is believed. */
static void test_damage(void **state)
{
    image f;
    (void)state;
    program(&f, true, 1, WITH_SYMBOLS | WITH_DYNAMIC | WITH_PACKED);
    f.n = f.n < 0x1100 ? f.n : 0x1000; /* nothing looks at the code */
    damage(&f);
    module_image(&f, true, ".text");
    damage(&f);
}

/* Without the program a mapping as long as the code says where it is. */
static void test_code(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_elf elf = {0};
    image f;
    uint64_t vaddr = 0;
    (void)state;
    program(&f, true, 1, WITH_SYMBOLS | WITHOUT_CODE);
    read_image(&elf, ctx, &f, true);
    assert_ok(ctx, ts_elf_finish(&elf, ctx));
    assert_false(ts_elf_has(&elf, 0x1010));
    assert_true(ts_elf_code(&vaddr, &elf, 0x1000));
    assert_int_equal(vaddr, 0x2000);
    check_at(&elf, 0x2010, "helper");
    assert_false(ts_elf_code(&vaddr, &elf, 0x2000));
    assert_false(ts_elf_code(&vaddr, &elf, 0));
    ts_elf_free(ctx, &elf);
    test_ctx_free(ctx);
}

static void test_without_memory(void **state)
{
    (void)state;
    bool done = false;
    for (uint64_t k = 1; !done; k++) {
        ts_ctx *ctx = test_ctx_new();
        const ts_allocator usual = ctx->allocator;
        test_failing fail = {.fail_at = k, .forever = true};
        const ts_build_id id = {4, {6, 2, 3, 4}};
        const ts_elf *elf = NULL;
        ts_symbol_folder *f = NULL;
        ctx->allocator = test_failing_allocator(&fail);
        ts_code code = ts_symbol_folder_open(&f, ctx, folder);
        const ts_kernel kernel = kernel_at("_text", UINT64_C(0xffffffff81000000));
        uint64_t moved;
        TS_STEP(code, ts_symbol_folder_kernel(&elf, &moved, f, &kernel));
        TS_STEP(code, ts_symbol_folder_find(&elf, f, TS_TEXT_LIT("/tool"), &id));
        done = code == TS_OK;
        assert_true(done ? elf != NULL && k > 20 : code == TS_ERR_NOMEM);
        ts_symbol_folder_close(f);
        ctx->allocator = usual;
        test_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_symbols_of_files), cmocka_unit_test(test_debug_files),
        cmocka_unit_test(test_damage),           cmocka_unit_test(test_folder),
        cmocka_unit_test(test_kernel),           cmocka_unit_test(test_module_names),
        cmocka_unit_test(test_module),           cmocka_unit_test(test_code),
        cmocka_unit_test(test_without_memory),
    };
    if (mkdtemp(folder) == NULL) {
        return 1;
    }
    make_folder();
    const int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[600];
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    return system(command) != 0 || failed != 0;
}
