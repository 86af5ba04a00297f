/*
 * Symbols of a file or of the kernel, found by address.
 *
 * Symbols are added in any order, then sorted once, then looked up. A table keeps 24 bytes a
 * symbol; where the names are is known to its owner, who gets the number back that came with the
 * symbol (an offset in a string table, a place in a spool).
 */
#ifndef TS_SYMBOLS_SYMBOL_TABLE_H
#define TS_SYMBOLS_SYMBOL_TABLE_H

#include "base/text.h"
#include "base/vec.h"

/* The name of a symbol whose name is not in its string table. */
#define TS_SYMBOL_NAMELESS UINT64_MAX

typedef struct ts_symbol {
    uint64_t address;
    uint64_t size; /* 0: as far as the next one */
    uint64_t name;
} ts_symbol;

typedef struct ts_symbol_table {
    ts_vec symbols; /* of ts_symbol */
} ts_symbol_table;

/* Which of several symbols at one address stays. */
typedef enum ts_symbol_kept { TS_SYMBOL_FIRST, TS_SYMBOL_LAST } ts_symbol_kept;

ts_code ts_symbols_add(ts_ctx *ctx, ts_symbol_table *t, ts_symbol symbol);

/*
 * Adds the functions among the entries of a symbol table of ELF, little endian: those of type FUNC
 * or IFUNC with a value other than 0. An entry has 16 bytes (32 bit) or 24; bytes after the last
 * whole one are left out. A name at or after `strings` becomes TS_SYMBOL_NAMELESS.
 */
ts_code ts_symbols_add_elf(ts_ctx *ctx, ts_symbol_table *t, ts_text entries, uint32_t entry_size,
                           uint64_t strings);

/* Whether ts_symbols_add_elf knows entries of this size. */
static inline bool ts_symbols_elf_size(uint32_t entry_size)
{
    return entry_size == 16 || entry_size == 24;
}

/* Sorts the table by address, and leaves one symbol at each. Without memory for as much again
 * (TS_ERR_NOMEM, TS_ERR_LIMIT) it stays as it was. */
ts_code ts_symbols_sort(ts_ctx *ctx, ts_symbol_table *t, ts_symbol_kept kept);

/* The symbol with the greatest address that is not above v, if v is in it and it has a name; else
 * NULL. The table is sorted. */
const ts_symbol *ts_symbols_find(const ts_symbol_table *t, uint64_t v);

/* The text at a place of a string table, up to NUL or the table's end; NULL outside of it. */
ts_text ts_symbol_text(ts_text strings, uint64_t name);

void ts_symbols_free(ts_ctx *ctx, ts_symbol_table *t);

#endif
