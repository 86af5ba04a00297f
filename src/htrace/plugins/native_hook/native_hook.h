/*
 * Inside of the plugin of native memory: its state, and what its files give each other.
 *
 * A recording has tables (texts, frames, stacks, mappings, symbols) and events, which refer to
 * them by numbers. Tables are taken as they come; events wait in a sorter until the end, because
 * their order is that of their times. Then:
 *
 * 1. hook_events.c handles the events in order. What becomes a row goes to a spool; what is known
 *    of it only later (the end of a mapping) is a change, to the spool's last rows at once, to
 *    older ones through a sorter.
 * 2. hook_frames.c writes the frames of the chains that are asked for.
 * 3. hook_rows.c merges rows and changes, and writes them.
 *
 * A *chain* is a list of frames that events have: in the order of their numbers in
 * native_hook_frame they are h->chains, or the order in which they are handled. Tables belong to an
 * *owner*: a process where several are recorded, else to all.
 *
 * Memory: chains 56 bytes, frames 48, ids of tables 27 to 53, texts once; memory in use 40 bytes a
 * block and 60 a mapping; the sorters and the newest rows.
 */
#ifndef TS_HTRACE_PLUGINS_NATIVE_HOOK_H
#define TS_HTRACE_PLUGINS_NATIVE_HOOK_H

#include "htrace/plugins/native_hook/hook_ranges.h"
#include "htrace/plugins/plugin_records.h"

#include "base/idmap.h"
#include "base/pool.h"
#include "base/sorter.h"
#include "symbols/symbol_table.h"
#include "tables/store_processes.h"

#define HOOK_NAME "nativehook"

enum {
    HOOK_STACK_MAX = 65535, /* frames of a stack; more are cut */
    HOOK_RECENT = 8192,     /* rows that changes reach directly */
    HOOK_GROUPS = 5,
    HOOK_THREADS = 256 /* remembered at once */
};

/* --- events ----------------------------------------------------------------------------------- */

typedef enum hook_kind {
    HOOK_ALLOC,
    HOOK_FREE,
    HOOK_MMAP,
    HOOK_MUNMAP,
    HOOK_TAG,
    HOOK_TRACE_ALLOC,
    HOOK_TRACE_FREE,
    HOOK_STATISTICS,
    HOOK_KINDS
} hook_kind;

enum { HOOK_UNTIMED = 1, HOOK_AFTER_GAP = 2 };

typedef struct hook_event {
    uint64_t key;  /* of the time as recorded; of an untimed one, that of the event before */
    uint64_t addr; /* of statistics: the place of their sums */
    int64_t size;  /* of statistics: the type */
    int32_t pid, tid;
    uint32_t chain;  /* its place + 1; 0: none */
    uint32_t text;   /* type or tag, + 1 */
    uint32_t thread; /* id of the thread's name; 0: none */
    uint8_t kind;
    uint8_t trace; /* what is traced */
    uint8_t flags;
} hook_event;

/* Of statistics. */
typedef struct hook_sums {
    int64_t apply_count, release_count, apply_size, release_size;
} hook_sums;

/* --- tables ----------------------------------------------------------------------------------- */

enum {
    HOOK_HAS_IP = 1,
    HOOK_HAS_SYMBOL = 2, /* `symbol` is a text + 1 */
    HOOK_HAS_FILE = 4,
    HOOK_HAS_OFFSET = 8,
    HOOK_HAS_SYMBOL_OFFSET = 16,
    HOOK_HAS_SYMBOL_ID = 32, /* `symbol` is an id of the owner's texts */
    HOOK_HAS_FILE_ID = 64,
    HOOK_LEFT_OUT = 128, /* its texts are not known */
    HOOK_IS_SCRIPT = 256 /* `offset` is a line */
};

typedef struct hook_frame {
    uint64_t ip, offset, symbol_offset;
    uint32_t symbol, file;
    uint32_t method; /* of what it is called, once it is known; 0: not yet */
    uint16_t has;
} hook_frame;

/* Tables of a process, or of all. */
typedef struct hook_owner {
    int64_t pid;    /* of the process */
    ts_idmap files; /* places in `texts` + 1 by id */
    ts_idmap symbols;
    ts_idmap threads; /* the same for names of threads; the first of an id counts */
    ts_idmap frames;  /* places in `frames` by id */
    ts_idmap stacks;  /* places in `chains` by id */
    /* Of addresses (hook_offline.c). */
    hook_ranges mapped;   /* values: places in h->maps */
    hook_ranges unmapped; /* addresses without a mapping; values: their spots */
    ts_idmap tables;      /* places in h->symbols by id of the file */
    ts_idmap waiting;     /* spots + 1 that wait for symbols, by id of the file */
} hook_owner;

/* A mapping of a file. */
typedef struct hook_map {
    uint64_t start, offset;
    uint32_t file; /* id of its path */
} hook_map;

/* Symbols of a file. */
typedef struct hook_symbols {
    uint64_t vaddr, file_offset; /* of its code */
    ts_symbol_table table;
    uint64_t strings_at, strings_n; /* in h->strings_spool */
    uint64_t hash[2];
    bool any; /* it has entries */
} hook_symbols;

typedef enum hook_spot_state {
    HOOK_SPOT_UNMAPPED,
    HOOK_SPOT_SCRIPT,   /* code of JavaScript: a frame of frame_map */
    HOOK_SPOT_MAPPED,   /* without symbols so far */
    HOOK_SPOT_BARE,     /* its table has no entries */
    HOOK_SPOT_NAMELESS, /* in no symbol of its table */
    HOOK_SPOT_SYMBOL
} hook_spot_state;

/* What an address is at a time. */
typedef struct hook_spot {
    uint64_t ip;
    uint64_t v;      /* in the file, once symbols are known */
    uint64_t symbol; /* address of the symbol */
    uint32_t owner;
    uint32_t map, table; /* + 1 */
    uint32_t epoch;
    uint32_t waiting; /* the next one that waits with it, + 1 */
    uint32_t name;    /* text + 1 of the symbol */
    uint32_t method;
    uint8_t state;
} hook_spot;

typedef struct hook_chain {
    uint64_t
        at; /* of its list in h->lists: hook_frame, ids of frames (uint64_t), or spots (uint32_t) */
    uint32_t count; /* of the list, the leaf first */
    uint32_t owner;
    uint32_t id;              /* of the stack */
    uint32_t number;          /* callchain_id; 0: none yet */
    uint32_t node;            /* of its leaf; 0: none */
    uint32_t library, symbol; /* of the frame that counts as the caller: dict + 1; 0: none */
    uint32_t epoch;           /* of its spots */
    bool listed;              /* its list is known */
    bool wanted;              /* a row has it */
    bool summed; /* it had statistics that changed, which --time-range may have left out */
} hook_chain;

/* What is known of a text of the plugin. */
typedef struct hook_text {
    int64_t dict; /* -1: not in the dictionary yet */
    bool passed;  /* as a file: of the allocator, never the caller */
} hook_text;

/* --- what is in use --------------------------------------------------------------------------- */

typedef struct hook_group {
    int64_t all;   /* bytes in use */
    uint64_t last; /* number of the last row with a size, + 1; 0: none */
    int64_t last_ts;
    uint64_t gaps; /* before that row */
} hook_group;

typedef struct hook_process {
    int64_t pid, ipid;
    hook_group groups[HOOK_GROUPS];
    hook_ranges mapped; /* values: places in `mappings` */
} hook_process;

/* A block of the heap, or of the GPU, in use. */
typedef struct hook_block {
    uint64_t addr;
    uint64_t row;
    int64_t ts;
    int64_t size;
    uint32_t place; /* process and group */
    uint32_t text;
} hook_block;

typedef struct hook_mapping {
    uint64_t addr, size; /* as it was made */
    uint64_t left;       /* bytes that are still mapped */
    uint64_t row;
    uint32_t text;
    uint32_t next; /* of a free place: the next one + 1 */
} hook_mapping;

typedef struct hook_thread {
    int64_t itid;
    int32_t pid, tid; /* tid 0: nothing is remembered here */
} hook_thread;

/* --- rows ------------------------------------------------------------------------------------- */

typedef enum hook_type {
    HOOK_T_ALLOC,
    HOOK_T_FREE,
    HOOK_T_MMAP,
    HOOK_T_MUNMAP,
    HOOK_T_VK_ALLOC,
    HOOK_T_VK_FREE,
    HOOK_T_GLES_ALLOC,
    HOOK_T_GLES_FREE,
    HOOK_T_CL_ALLOC,
    HOOK_T_CL_FREE,
    HOOK_T_STATISTIC,
    HOOK_TYPES
} hook_type;

enum { HOOK_ROW_UNWANTED = 1, HOOK_ROW_ENDED = 2, HOOK_ROW_UNSUMMED = 4 };

/* A row on its way; of statistics `size` is the type, and its sums are in sums.at[addr]. */
typedef struct hook_row {
    int64_t ts, end_ts;
    uint64_t addr;
    int64_t size, all, current;
    uint32_t ipid, itid;
    uint32_t chain, text; /* + 1; 0: none */
    uint8_t type;         /* hook_type */
    uint8_t flags;
    uint16_t gone_high; /* bytes of a mapping that were released before all of it was */
    uint32_t gone_low;
} hook_row;

typedef enum hook_column { HOOK_END, HOOK_CURRENT, HOOK_SUB_TYPE, HOOK_GONE } hook_column;

typedef struct hook_change {
    uint64_t row;
    uint64_t column;
    int64_t value;
} hook_change;

/* What was left of a mapping when a part of it was released. */
typedef struct hook_part {
    uint64_t row;
    int64_t ts;
    uint64_t left;
} hook_part;

typedef struct hook_counts {
    uint64_t alloc, free, free_invalid, mmap, munmap, munmap_invalid, tag, statistics;
    uint64_t traces;
    uint64_t stacks_unknown, stacks_cut, frees_lost, frames_unknown, tables_bad;
} hook_counts;

typedef struct hook {
    ts_records records;
    int64_t source_id; /* of the samples; 0 before the first message */
    ts_tally *events;
    ts_tally *tables;
    ts_tally *samples; /* NULL before the first */
    hook_counts counts;
    /* What was asked for (nativehook_config). */
    bool has_pid, has_name;
    bool several, strings, stacks, offline, statistic;
    int64_t interval; /* of statistics, in ns */
    /* Tables. */
    ts_pool texts;
    ts_vec text_info; /* hook_text, as far as they were asked for */
    ts_buf text;
    ts_buf bytes;
    ts_vec owners;
    ts_idmap owner_of; /* by pid */
    int64_t last_pid;  /* that was asked for, and its owner + 1 */
    uint32_t last_owner;
    ts_vec frames; /* hook_frame */
    ts_vec direct; /* uint32_t: places of frames + 1 by id, of the owner before this number */
    uint32_t direct_owner;
    ts_vec chains;      /* hook_chain */
    ts_pool lists_seen; /* bytes of the lists of events */
    ts_vec of_list;     /* their chains: uint32_t */
    ts_spool *lists;
    int64_t numbers_before; /* chains of the inputs before have numbers up to this */
    int64_t numbers_last;   /* the largest one in rows */
    uint32_t numbers;       /* of chains given so far */
    ts_vec order;           /* chains in the order in which they were handled: uint32_t */
    /* Addresses. */
    ts_vec maps;    /* hook_map */
    ts_vec symbols; /* hook_symbols */
    ts_vec spots;   /* hook_spot */
    ts_index spot_index;
    ts_spool *strings_spool;
    ts_buf name;
    uint32_t epoch;
    /* Events. */
    ts_sorter *sorter;
    uint64_t last_key;
    bool gap;              /* events may be missing before the next one */
    bool lossy;            /* something is missing: events, tables */
    uint64_t message_from; /* least key of the events of the message before; UINT64_MAX: none */
    uint64_t gap_from;     /* the same of messages before a gap */
    ts_spool *sums;
    uint64_t sums_count;
    bool bare_summed; /* as hook_chain.summed, for those without a stack */
    /* The one that is being handled. */
    int64_t ts;
    bool wanted;
    uint64_t gaps; /* so far: sums are not known after the first */
    bool noted;
    int64_t first, last; /* times of the wanted ones */
    int64_t itid;
    ts_vec processes;
    ts_idmap process_of;                /* by pid */
    uint64_t last_process;              /* that was asked for */
    hook_group all_groups[HOOK_GROUPS]; /* --compat: of all processes together */
    hook_thread threads[HOOK_THREADS];
    ts_idmap named; /* owner << 32 | id of the last name by itid */
    ts_vec blocks;
    ts_index block_index;
    ts_vec mappings;
    uint32_t free_mapping; /* + 1 */
    /* Rows. */
    ts_spool *rows;
    hook_row *recent;
    uint32_t recent_n;
    uint64_t row_count;
    ts_sorter *changes;
    ts_sorter *parts;      /* hook_part */
    const hook_part *part; /* the next one, while rows are written */
    ts_idmap last_sums;    /* number of the last row by (chain, type) of statistics */
    int64_t value_types;   /* the first of the kinds of values */
} hook;

/* --- hook_tables.c: texts, frames, stacks ----------------------------------------------------- */

/* The place of a text that was recorded, with ill-formed bytes replaced; + 1. "" is one, too. */
ts_code hook_text_of(uint32_t *place, hook *h, const ts_value *value);
ts_code hook_text_place(uint32_t *place, hook *h, ts_text text);

/* What is known of the text at a place, with its id in data_dict. */
ts_code hook_text_info(const hook_text **info, hook *h, uint32_t place);

/* The owner of the tables and ids of a process. */
ts_code hook_owner_of(uint32_t *owner, hook *h, int64_t pid);

/* Reads a table of this field of NativeHookData. */
ts_code hook_table(hook *h, ts_message *m, uint32_t field, const uint8_t *p, size_t n);

/* The chain of a stack id; + 1. 0: none. */
ts_code hook_stack_chain(uint32_t *chain, hook *h, int64_t pid, const ts_value *id);

/* The chain of the frames in the field of an event; + 1. */
ts_code hook_list_chain(uint32_t *chain, hook *h, ts_message *m, int64_t pid, uint32_t field,
                        const uint8_t *p, size_t n);

void hook_tables_free(hook *h);

/* --- hook_offline.c: addresses ---------------------------------------------------------------- */

/* A mapping, start < end. */
ts_code hook_map_table(hook *h, uint32_t owner, uint64_t start, uint64_t end, const hook_map *map);

/* Symbols of a file; of *symbols vaddr and file_offset count. */
ts_code hook_symbol_table(hook *h, uint32_t owner, int64_t file, const hook_symbols *symbols,
                          uint32_t entry_size, ts_text entries, ts_text strings);

/* Binds the new chain at this place to `count` addresses, which are in h->bytes. */
ts_code hook_stack_bind(hook *h, uint32_t place, uint32_t count);

/* The chain that the stack of the one at *place has now. */
ts_code hook_stack_now(uint32_t *place, hook *h);
void hook_offline_free(hook *h);

/* --- hook_events.c ---------------------------------------------------------------------------- */

/* Handles all events in the order of their times. */
ts_code hook_events_handle(hook *h);
void hook_events_free(hook *h);

/* --- hook_frames.c ---------------------------------------------------------------------------- */

/* Writes the frames of the chains. */
ts_code hook_frames_write(hook *h);

/* --- hook_rows.c ------------------------------------------------------------------------------ */

/* Adds a row, whose number is h->row_count; then changes one. */
ts_code hook_row_add(hook *h, const hook_row *row);
ts_code hook_row_change(hook *h, uint64_t row, hook_column column, int64_t value);

/* So much is left of the mapping of a row from now on. */
ts_code hook_row_part(hook *h, uint64_t row, uint64_t left);

/* Writes the rows. */
ts_code hook_rows_write(hook *h);
void hook_rows_free(hook *h);

static inline hook_chain *hook_chain_at(const hook *h, uint32_t place)
{
    return (hook_chain *)h->chains.p + place;
}

/* The number of a chain in rows. */
static inline int64_t hook_chain_number(hook *h, const hook_chain *chain)
{
    const int64_t number = h->numbers_before + chain->number;
    h->numbers_last = number > h->numbers_last ? number : h->numbers_last;
    return number;
}

static inline hook_owner *hook_owner_at(const hook *h, uint32_t place)
{
    return (hook_owner *)h->owners.p + place;
}

#endif
