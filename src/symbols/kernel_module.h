/*
 * Modules of the kernel: what they are called, and where the kernel puts the code of one. The file
 * of a module is not linked: its symbols say where they are in a section.
 */
#ifndef TS_SYMBOLS_KERNEL_MODULE_H
#define TS_SYMBOLS_KERNEL_MODULE_H

#include "base/text.h"
#include "base/vec.h"

struct Elf; /* of libelf */

/* A section that is not part of the code. */
#define TS_MODULE_NO_PLACE UINT64_MAX

/* The name of the module that a map or a file is called after: "[nf_tables]", or a path that ends
 * ".ko", or ".ko." and more. Borrowed from it; no bytes: it is no module. */
ts_text ts_module_name(ts_text path);

/* Whether names are those of one module: files have '-' where the kernel has '_'. */
bool ts_module_equal(ts_text a, ts_text b);

/*
 * Where the kernel puts sections, counted from the beginning of the code: *places gets a uint64_t
 * for each, by its number, and *size what all need. Those with code follow each other in their
 * order; that of the start (.init) is elsewhere. What follows one that grows when the module is
 * loaded (.plt) has no place, so that nothing has one when the first is not .text. The caller frees
 * places. Errors: memory.
 */
ts_code ts_module_layout(ts_vec *places, uint64_t *size, ts_ctx *ctx, struct Elf *e);

#endif
