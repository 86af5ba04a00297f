#include "symbols/kernel_module.h"

#include "base/ckd.h"

#include <gelf.h>

/* --- names -------------------------------------------------------------------------------------
 */

ts_text ts_module_name(ts_text path)
{
    static const char ending[] = ".ko";
    size_t from = path.n;
    size_t n = 0;
    while (from > 0 && path.p[from - 1] != '/') {
        from--;
    }
    const ts_text name = ts_text_from(path, from);
    if (ts_text_begins(name, "[") && ts_text_ends(name, "]")) {
        return (ts_text){name.p + 1, name.n < 2 ? 0 : name.n - 2};
    }
    while (n < name.n && name.p[n] != '.') {
        n++;
    }
    const ts_text rest = ts_text_from(name, n);
    const bool module = ts_text_begins(rest, ending) &&
                        (rest.n == sizeof ending - 1 || rest.p[sizeof ending - 1] == '.');
    return (ts_text){name.p, module ? n : 0};
}

bool ts_module_equal(ts_text a, ts_text b)
{
    bool equal = a.n == b.n;
    for (size_t i = 0; equal && i < a.n; i++) {
        equal = (a.p[i] == '-' ? '_' : a.p[i]) == (b.p[i] == '-' ? '_' : b.p[i]);
    }
    return equal;
}

/* --- the layout --------------------------------------------------------------------------------
 */

/* Code that stays: that of the start (.init) is elsewhere, and gone later. */
static bool is_code(const GElf_Shdr *s, const char *name)
{
    const uint64_t flags = SHF_ALLOC | SHF_EXECINSTR;
    return (s->sh_flags & flags) == flags && strncmp(name, ".init", 5) != 0;
}

/* Places of what follows are not known: some of these grow when the module is loaded, and kernels
 * that never unload one have its end with its start. */
static bool is_last(const char *name)
{
    static const char *const begin[] = {".exit", ".plt", ".stubs", ".text.ftrace_trampoline"};
    bool last = false;
    for (size_t i = 0; i < sizeof begin / sizeof begin[0]; i++) {
        last = last || strncmp(name, begin[i], strlen(begin[i])) == 0;
    }
    return last;
}

/* The place of the section after so many bytes of code, and how many there are with it. False:
 * there is none. */
static bool put_section(uint64_t *place, uint64_t *size, const GElf_Shdr *s)
{
    const uint64_t within = s->sh_addralign > 1 ? s->sh_addralign - 1 : 0;
    uint64_t end;
    if ((within & (within + 1)) != 0 || ts_ckd_add(place, *size, within)) {
        return false;
    }
    *place &= ~within;
    if (ts_ckd_add(&end, *place, s->sh_size)) {
        return false;
    }
    *size = end;
    return true;
}

ts_code ts_module_layout(ts_vec *places, uint64_t *size, ts_ctx *ctx, Elf *e)
{
    Elf_Scn *section = NULL;
    size_t names;
    bool first = true;
    bool more = elf_getshdrstrndx(e, &names) == 0;
    uint64_t place = TS_MODULE_NO_PLACE; /* of section 0 */
    *size = 0;
    ts_code code = ts_vec_push(ctx, places, &place, sizeof place);
    while (code == TS_OK && more && (section = elf_nextscn(e, section)) != NULL) {
        GElf_Shdr s;
        const char *name =
            gelf_getshdr(section, &s) == NULL ? NULL : elf_strptr(e, names, s.sh_name);
        place = TS_MODULE_NO_PLACE;
        if (name == NULL) {
            more = false;
        } else if (is_code(&s, name)) {
            more = (!first || strcmp(name, ".text") == 0) && !is_last(name) &&
                   put_section(&place, size, &s);
            place = more ? place : TS_MODULE_NO_PLACE;
            first = false;
        }
        code = ts_vec_push(ctx, places, &place, sizeof place);
    }
    return code;
}
