/*
 * What a program, a library or a file of debug information says of its code: its build id, where
 * its segments are loaded, and its functions, of .dynsym, .symtab and .gnu_debugdata (a small
 * .symtab in xz, as distributions leave it in stripped files). Read by libelf: ELF of 32 and 64
 * bits and both orders of bytes; what of a file does not fit is left out.
 *
 * The kernel's own list of its functions (a file kallsyms) is read as well, as a table without
 * segments, and the files of its modules, which are not linked: a module's addresses are places in
 * its code, as the kernel lays that out.
 *
 * Memory: 24 bytes a function and the string tables of the files that were read.
 */
#ifndef TS_SYMBOLS_ELF_FILE_H
#define TS_SYMBOLS_ELF_FILE_H

#include "base/buf.h"
#include "symbols/symbol_table.h"

enum { TS_BUILD_ID = 32 }; /* bytes of one that are kept; 20 are usual */

typedef struct ts_build_id {
    uint8_t n; /* 0: none */
    uint8_t bytes[TS_BUILD_ID];
} ts_build_id;

static inline bool ts_build_id_equal(const ts_build_id *a, const ts_build_id *b)
{
    return a->n == b->n && memcmp(a->bytes, b->bytes, a->n) == 0;
}

/* Of one program. Zeroed: nothing is known. */
typedef struct ts_elf {
    ts_vec segments; /* those that are loaded */
    uint64_t loaded; /* bytes of them that the file has */
    ts_vec code; /* those with code, also of debug information, which does not have their bytes */
    uint64_t text, stext; /* where the kernel's _text and _stext are; 0: it has none */
    uint64_t end;         /* of the code of the kernel or of the module; 0: not known */
    bool module;          /* addresses are places in the code of a module */
    bool listed; /* the kernel's list: after a name in `strings` comes that of its module */
    ts_symbol_table symbols;
    ts_buf strings; /* where names of symbols are */
} ts_elf;

/* The build id of the file; *good: it is ELF that can be read. Errors: memory. */
ts_code ts_elf_identify(bool *good, ts_build_id *id, ts_ctx *ctx, int fd);

/*
 * Adds what the file says; of several files of one program (itself, its debug information) the one
 * with more bytes that are loaded says where. Where several have a function at one address, that of
 * the file that was added last counts. Errors: memory.
 */
ts_code ts_elf_add(bool *good, ts_elf *elf, ts_ctx *ctx, int fd);

/* All files were added. Errors: memory. */
ts_code ts_elf_finish(ts_elf *elf, ts_ctx *ctx);

/* The function that a byte of the file is in, its name, and where that byte is loaded (*v); NULL
 * without one. The name is borrowed. */
const ts_symbol *ts_elf_find(ts_text *name, uint64_t *v, const ts_elf *elf, uint64_t offset);

/* Whether it says where that byte is loaded. */
bool ts_elf_has(const ts_elf *elf, uint64_t offset);

/* The same of an address as the file counts. */
const ts_symbol *ts_elf_at(ts_text *name, const ts_elf *elf, uint64_t v);

/* The same of an address of the kernel (module: no bytes), or of a module of it. */
const ts_symbol *ts_elf_kernel_at(ts_text *name, const ts_elf *elf, uint64_t v, ts_text module);

/* Whether the kernel's list has functions of the module. */
bool ts_elf_lists(const ts_elf *elf, ts_text module);

/*
 * Where a mapping of so many bytes, which is known to have code, is loaded: those of a whole
 * segment, which only one of the file has. False: there is none. For files of debug information,
 * which do not say where a segment was in the program.
 */
bool ts_elf_code(uint64_t *vaddr, const ts_elf *elf, uint64_t size);

/* Adds the functions in a text of lines "address type name", maybe with "[module]" after them, as
 * /proc/kallsyms has them, up to where it cannot be read. Errors: memory. */
ts_code ts_elf_add_kallsyms(ts_elf *elf, ts_ctx *ctx, int fd);

void ts_elf_free(ts_ctx *ctx, ts_elf *elf);

#endif
