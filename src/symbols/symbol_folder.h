/*
 * A folder of programs, libraries and debug information (--symbols): symbols for the files that a
 * recording names. A file is found by its build id, in its own notes or in its path
 * (.build-id/ab/cdef.debug); without one, or when no file has it, by its path: that of the system
 * below the folder, else a file with that name, or that name and ".debug". One whose build id is
 * another is not taken. The kernel's functions are those of a vmlinux, or of a list that the kernel
 * itself gave (kallsyms) while it ran where it was recorded; those of its modules are in files of
 * their names (nf_tables.ko), too.
 *
 * Memory: 64 bytes and its path a file of the folder; of a file that is looked up, what elf_file.h
 * says, until the folder is closed.
 */
#ifndef TS_SYMBOLS_SYMBOL_FOLDER_H
#define TS_SYMBOLS_SYMBOL_FOLDER_H

#include "symbols/elf_file.h"

enum {
    TS_FOLDER_FILES = 200000, /* that are looked at; others are left out */
    TS_FOLDER_DEPTH = 32
};

typedef struct ts_symbol_folder ts_symbol_folder;

/* Looks through the folder; links are not followed. TS_ERR_INPUT when it cannot be read, memory.
 * The caller closes it. */
ts_code ts_symbol_folder_open(ts_symbol_folder **out, ts_ctx *ctx, const char *path);

/* What the folder has of the file that was mapped as `path`, or NULL; borrowed, up to the end. id:
 * as recorded, may have no bytes. Errors: memory. */
ts_code ts_symbol_folder_find(const ts_elf **out, ts_symbol_folder *folder, ts_text path,
                              const ts_build_id *id);

/* The kernel that was recorded. */
typedef struct ts_kernel {
    ts_text release; /* may be empty */
    ts_build_id id;
    ts_text mark; /* _text or _stext */
    uint64_t at;  /* where that was */
} ts_kernel;

/* What the folder has of it, or NULL, as above; addresses of the recording are *moved more than
 * those of the table. Errors: memory. */
ts_code ts_symbol_folder_kernel(const ts_elf **out, uint64_t *moved, ts_symbol_folder *folder,
                                const ts_kernel *kernel);

/*
 * What it has of the module that was loaded as `path` or as "[name]", or NULL, as above: its file,
 * of which addresses are places in its code, or the list of that kernel (NULL: not known). A file
 * counts more than the list when it has the build id. Errors: memory.
 */
ts_code ts_symbol_folder_module(const ts_elf **out, ts_symbol_folder *folder,
                                const ts_kernel *kernel, ts_text path, const ts_build_id *id);

/* How many files of it are ELF, and whether others were left out. */
uint64_t ts_symbol_folder_count(bool *more, const ts_symbol_folder *folder);

/* NULL is allowed. */
void ts_symbol_folder_close(ts_symbol_folder *folder);

#endif
