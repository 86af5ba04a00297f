/*
 * hiebpf-plugin: calls to the file system, page faults and requests to block devices that eBPF
 * recorded, for the files of this folder. Docs: docs/formats.md, "hiebpf-plugin".
 *
 * A section is a header and items one after the other; maps, symbols and paths may follow the
 * events that need them. All bytes are kept (in memory, then in a spool) until the recording ends,
 * when the clocks are known as well. Then each section is gone through once: maps and the places of
 * symbol tables are remembered, and places of events go into sorters. Events are handled kind by
 * kind in the order of their ends; their bodies are read again where they are.
 *
 * Memory: 32 bytes a map, 24 a symbol of a file that a frame lies in, 40 and a slot a distinct
 * address, 24 and a slot a distinct stack. Nothing grows with the number of events.
 */
#ifndef TS_HTRACE_PLUGINS_EBPF_H
#define TS_HTRACE_PLUGINS_EBPF_H

#include "base/buf.h"
#include "base/pool.h"
#include "base/sorter.h"
#include "base/vec.h"
#include "htrace/plugin.h"
#include "input/byte_window.h"
#include "symbols/symbol_table.h"

#define EBPF_PLUGIN "hiebpf-plugin"

enum {
    EBPF_HEADER = 1024, /* bytes of a section's header */
    EBPF_ITEM = 8,      /* of an item: its type and its length */
    EBPF_FIXED = 104,   /* what each item of a type has, at most */
    EBPF_IPS = 65535    /* of a stack that are used */
};

typedef enum ebpf_type {
    EBPF_MAPS = 0,
    EBPF_ELF = 1,
    EBPF_FILE = 2,  /* events: call to a file system, */
    EBPF_PAGE = 3,  /* page fault, */
    EBPF_BLOCK = 4, /* request to a block device */
    EBPF_TEXT = 5,
    EBPF_KERNEL = 0x10001
} ebpf_type;

enum { EBPF_KINDS = 3 }; /* of events, in the order in which they are handled */

/* Little endian. */
static inline uint64_t ebpf_number(const uint8_t *p, unsigned bytes)
{
    uint64_t v = 0;
    for (unsigned i = 0; i < bytes; i++) {
        v |= (uint64_t)p[i] << (8 * i);
    }
    return v;
}

static inline uint32_t ebpf_u32(const uint8_t *p)
{
    return (uint32_t)ebpf_number(p, 4);
}

static inline uint64_t ebpf_u64(const uint8_t *p)
{
    return ebpf_number(p, 8);
}

/* A section among all bytes that came. */
typedef struct ebpf_section {
    uint64_t base; /* of its first byte */
    uint64_t size;
    int64_t offset; /* of that byte in the input */
} ebpf_section;

/* --- ebpf_items.c: what a section is made of ----------------------------------------------------
 */

/* An item: its body is at `pos` of the section, `fixed` is what every item of its type has. */
typedef struct ebpf_item {
    uint32_t type;
    uint32_t length;
    uint64_t pos;
    uint8_t fixed[EBPF_FIXED];
} ebpf_item;

typedef struct ebpf_items {
    ts_window *bytes; /* on the part that is the section */
    uint64_t at;
} ebpf_items;

typedef enum ebpf_found {
    EBPF_END,
    EBPF_GOOD,
    EBPF_SHORT,   /* its length is less than what items of its type have */
    EBPF_UNKNOWN, /* its type is not known */
    EBPF_LOST     /* no item begins at item->pos, or it is cut: `length` bytes are passed over */
} ebpf_found;

/* The next item, from EBPF_HEADER on. */
ts_code ebpf_next(ebpf_found *found, ebpf_item *item, ebpf_items *items);

/* --- ebpf_symbols.c: maps and symbols of a section ----------------------------------------------
 */

/* A frame of a stack: ids of data_dict or -1, and its method. */
typedef struct ebpf_frame {
    uint64_t ip;
    int64_t pid;
    int64_t symbol;
    int64_t file;
    int64_t method;
} ebpf_frame;

/* A table of symbols that is read when it is needed. */
typedef struct ebpf_table {
    uint64_t entries; /* places in the section */
    uint64_t strings;
    uint32_t entries_n;
    uint32_t strings_n;
    uint32_t entry_size;
    bool read;
    ts_symbol_table symbols;
} ebpf_table;

typedef struct ebpf_symbols {
    ts_vec maps; /* of ebpf_map; sorted when all are there */
    ts_vec elves;
    ts_pool files; /* names of maps and symbol tables */
    ts_vec elf_of; /* uint32_t by file: its place in `elves` + 1, or 0 */
    bool has_kernel;
    uint64_t kernel_first;
    uint64_t kernel_last;
    ebpf_table kernel;
    ts_vec frames; /* of ebpf_frame, found by (pid, ip) */
    ts_index frame_index;
    ts_buf text;
    ts_buf clean;
    ts_buf name;
} ebpf_symbols;

/* --- the whole ----------------------------------------------------------------------------------
 */

typedef struct ebpf {
    const ts_plugin_host *host;
    ts_window bytes;
    ts_vec sections;
    /* The section that is gone through. */
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    const ebpf_section *section;
    int64_t source_id;
    ts_clock recorded; /* of its times */
    ts_span span;      /* that is wanted */
    bool timed;        /* an event was seen */
    int64_t begin;     /* the earliest of the events, as recorded */
    ts_sorter *joined; /* events and texts by what they have in common */
    ts_sorter *ends[EBPF_KINDS];
    ebpf_symbols symbols;
    ts_vec chains; /* of ebpf_chain, by their stacks */
    ts_index chain_index;
    ts_vec ips; /* of the stack that is new */
    ts_buf path;
    int64_t value_type; /* of sizes, 0: none yet */
    ts_tally *items;
    ts_tally *events;
    bool cut;      /* an item was, or was too short */
    bool lost;     /* the item at hand is not used, or not all of it */
    int64_t first; /* times of its rows; TS_NO_TIME before */
    int64_t last;
    /* Of all sections. */
    ts_htrace_times times;
    int64_t chains_before; /* chains of the sections before */
    uint64_t received[EBPF_KINDS];
    uint64_t invalid[EBPF_KINDS];
    uint64_t not_supported;
    uint64_t replaced; /* texts with bytes that are no UTF-8 */
    uint64_t lost_values;
} ebpf;

/* An issue of the section, at a place of it. */
#define ebpf_issue(e, code, pos, ...)                                                              \
    ts_issue((e)->store, (e)->source_id, TS_ISSUE_##code, EBPF_PLUGIN,                             \
             (e)->section->offset + (int64_t)(pos), __VA_ARGS__)

/* A text of the section, at most n bytes and up to NUL, with what is no UTF-8 replaced: in *b. */
ts_code ebpf_text(ts_text *out, ebpf *e, ts_buf *b, uint64_t pos, uint64_t n);

ts_code ebpf_add_maps(ebpf *e, const ebpf_item *item);
ts_code ebpf_add_elf(ebpf *e, const ebpf_item *item);
ts_code ebpf_add_kernel(ebpf *e, const ebpf_item *item);

/* All maps were added. */
void ebpf_symbols_ready(ebpf *e);

/* The frame of an address of a process; borrowed until the next call. */
ts_code ebpf_resolve(const ebpf_frame **out, ebpf *e, int64_t pid, uint64_t ip);

/* Those of the section are gone. */
void ebpf_symbols_free(ebpf *e);

/* --- ebpf_rows.c: events as rows ----------------------------------------------------------------
 */

/* An event or a text goes where it is sorted. */
ts_code ebpf_add_event(ebpf *e, const ebpf_item *item);
ts_code ebpf_add_text(ebpf *e, const ebpf_item *item);

/* Rows of all events of the section. */
ts_code ebpf_put_events(ebpf *e);
void ebpf_rows_free(ebpf *e);

#endif
