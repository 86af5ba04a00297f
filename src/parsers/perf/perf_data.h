/*
 * Inside of the reader of perf.data: one recording on its way to rows.
 *
 * Order of work: header and attributes; the features after the data (texts, events, files and
 * symbols, stacks by id); then the records in the order of the file, or of their times when the
 * recorder flushed buffers of several CPUs in rounds. A sample's addresses become frames by the
 * maps of that moment, its frames a chain.
 *
 * Memory: 24 bytes a symbol and 1 for the search; 8 a symbol that is used; 32 to 40 a place
 * without one; 32 to 64 a map and its
 * path once; 12 a node of stacks by id; 24 and slots of 8 to 16 a distinct stack; what
 * ts_path_store says of call paths; frames and stacks met lately (26 MiB, less of short
 * recordings); 16 bytes a record in a sorter that is bounded. Docs: docs/formats.md, "perf.data".
 */
#ifndef TS_PARSERS_PERF_PERF_DATA_H
#define TS_PARSERS_PERF_PERF_DATA_H

#include "base/buf.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"
#include "input/byte_window.h"
#include "parsers/perf/perf_reader.h"
#include "symbols/symbol_folder.h"
#include "tables/store_paths.h"
#include "tables/store_processes.h"

enum {
    PERFD_HEADER = 104,
    PERFD_PIPE_HEADER = 16,
    PERFD_FEATURES = 256,
    PERFD_MAX_TEXT = 1 << 20,
    PERFD_MAX_RECORD = 1 << 16,
    PERFD_BATCH = 64,
    PERFD_CACHE_BITS = 18, /* at most */
    PERFD_MET_BITS = 19,
    PERFD_MET_WAYS = 4,
    PERFD_AHEAD = 4096, /* bytes of a sample that is looked at before it is put */
    PERFD_CACHE_LEAST = 8,
    PERFD_CPUS = 256,
    PERFD_KERNEL_MAPS = 4096,
    PERFD_MAX_BY_ID = 2048 /* frames of a stack by id */
};

/* Features: numbers of bits in the header. */
enum {
    PERFD_BUILD_ID = 2,
    PERFD_HOSTNAME = 3,
    PERFD_OSRELEASE = 4,
    PERFD_ARCH = 6,
    PERFD_CMDLINE = 11,
    PERFD_EVENT_DESC = 12,
    PERFD_CLOCK_DATA = 29,
    PERFD_FILE = 128, /* these of simpleperf */
    PERFD_META_INFO = 129,
    PERFD_FILE2 = 132,
    PERFD_FILES_SYMBOL = 192,
    PERFD_WORKLOAD = 193,
    PERFD_RECORD_TIME = 194,
    PERFD_CPU_OFF = 195,
    PERFD_DEVHOST = 196,
    PERFD_STACK_TABLE = 197
};

/* Bits of perf_event_attr.sample_type. */
#define PERFD_IP (1U << 0)
#define PERFD_TID (1U << 1)
#define PERFD_TIME (1U << 2)
#define PERFD_ADDR (1U << 3)
#define PERFD_READ (1U << 4)
#define PERFD_CALLCHAIN (1U << 5)
#define PERFD_ID (1U << 6)
#define PERFD_CPU (1U << 7)
#define PERFD_PERIOD (1U << 8)
#define PERFD_STREAM_ID (1U << 9)
#define PERFD_RAW (1U << 10)
#define PERFD_BRANCH (1U << 11)
#define PERFD_REGS_USER (1U << 12)
#define PERFD_STACK_USER (1U << 13)
#define PERFD_IDENTIFIER (1U << 16)
#define PERFD_SERVER_PID (1U << 31)

/* --- little endian ---------------------------------------------------------------------------- */

static inline uint16_t perfd_u16(const uint8_t *p)
{
    return (uint16_t)(p[0] | p[1] << 8);
}

static inline uint32_t perfd_u32(const uint8_t *p)
{
    return (uint32_t)perfd_u16(p) | (uint32_t)perfd_u16(p + 2) << 16;
}

static inline uint64_t perfd_u64(const uint8_t *p)
{
    return (uint64_t)perfd_u32(p) | (uint64_t)perfd_u32(p + 4) << 32;
}

/* --- what is read ------------------------------------------------------------------------------
 */

/* How the samples of an event are laid out. */
typedef struct perfd_attr {
    uint32_t type;
    uint64_t config;
    uint64_t period; /* 0: by frequency */
    uint64_t sample_type;
    uint64_t read_format;
    uint64_t flags;
    uint64_t branch_type;
    uint64_t regs_user;
    int32_t clockid;
} perfd_attr;

enum { PERFD_FLAG_FREQ = 10, PERFD_FLAG_ID_ALL = 18, PERFD_FLAG_NO_USER_CHAIN = 21 };
enum { PERFD_FLAG_USE_CLOCKID = 25 };

static inline bool perfd_flag(const perfd_attr *a, unsigned bit)
{
    return (a->flags >> bit & 1) != 0;
}

typedef struct perfd_event {
    ts_text name; /* in the pool of texts */
    ts_text state;
    int64_t value_type; /* row of stack_value_type; 0: none yet */
    uint64_t lost;
} perfd_event;

/* How addresses in a file are counted. */
typedef enum perfd_kind {
    PERFD_KERNEL,
    PERFD_MODULE,
    PERFD_SERVICE,
    PERFD_ARK,
    PERFD_V8,
    PERFD_ELF
} perfd_kind;

enum { PERFD_TYPE_ARK = 6, PERFD_TYPE_V8 = 8 };

/* How an address becomes one of a file, where the path does not say it. */
typedef enum perfd_place {
    PERFD_BY_KIND,
    PERFD_BY_PART,  /* of the file that the map is */
    PERFD_BY_START, /* from where the map begins, whichever part of the file it is */
    PERFD_BY_IP
} perfd_place;

/* What is known of a path. */
typedef struct perfd_path {
    uint32_t file; /* TS_INDEX_NONE: not one of the files */
    uint8_t kind;
    uint32_t kernel;   /* its place among the maps of the kernel + 1; 0: it is not there */
    bool kept;         /* a map of this name is one */
    bool anonymous;    /* no file */
    bool known;        /* the file is one of feature 192 */
    uint32_t build_id; /* its place in `build_ids` + 1; 0: none was recorded */
} perfd_path;

typedef struct perfd_file {
    uint32_t path;
    uint32_t type;
    uint8_t place; /* perfd_place */
    uint64_t text_vaddr;
    uint64_t text_offset;
    uint32_t first; /* its symbols, by address */
    uint32_t count;
    const ts_elf *elf; /* of the folder of --symbols; NULL: none */
    bool of_kernel;    /* or of a module of it */
    uint64_t moved;    /* of the kernel: where it ran is so much after where its file has it */
    uint64_t code_at, code_size; /* a part of the file that has code, and its address; size 0: */
    uint64_t code_vaddr;         /* none is known */
    ts_idmap functions;          /* of it, by address: number of the row and, below, in `named` */
} perfd_file;

typedef struct perfd_symbol {
    uint64_t vaddr;
    uint32_t length;
    uint32_t named; /* number in `named` + 1; 0: no sample was in it yet */
    uint64_t text;  /* perfd_text_at: where its name is in the recording */
} perfd_symbol;

/* Texts have at most PERFD_MAX_TEXT bytes, recordings less than 8 TiB. */
enum { PERFD_AT_BITS = 43 };

static inline uint64_t perfd_text_at(uint64_t at, size_t n)
{
    return (uint64_t)n << PERFD_AT_BITS | at;
}

/* A name of a frame: id in data_dict, number among the frames of call paths. */
typedef struct perfd_named {
    uint32_t dict;
    uint32_t step;
} perfd_named;

/* A place in a file that has no symbol. */
typedef struct perfd_nameless {
    uint64_t v;
    uint32_t file; /* TS_INDEX_NONE: no file */
    perfd_named named;
} perfd_nameless;

typedef struct perfd_map {
    uint64_t start, end, pgoff;
    uint32_t path;
    uint32_t name; /* of kernel maps: the path as recorded */
} perfd_map;

/*
 * Maps of a process, by address, in pieces: lists share pieces, and processes that were forked
 * share lists, until one of them changes its own.
 */
enum { PERFD_PIECE = 64 };

typedef struct perfd_piece {
    uint32_t users;
    uint32_t n; /* at least 1 */
    perfd_map maps[PERFD_PIECE];
} perfd_piece;

typedef struct perfd_maps {
    ts_vec pieces; /* perfd_piece * */
    uint32_t users;
    uint32_t version; /* another one after each change; that of no other list */
} perfd_maps;

typedef struct perfd_process {
    int64_t pid;
    uint32_t maps; /* number in maps + 1, 0: none */
} perfd_process;

typedef struct perfd_thread {
    int64_t pid, tid;
    int64_t itid;  /* -2: not looked up */
    uint32_t name; /* in texts; TS_INDEX_NONE: not known */
    bool commed;   /* had a COMM */
    bool sampled;
} perfd_thread;

typedef enum perfd_context {
    PERFD_IN_UNKNOWN,
    PERFD_IN_KERNEL,
    PERFD_IN_USER,
    PERFD_IN_NONE /* hypervisor, guests */
} perfd_context;

typedef struct perfd_frame {
    uint64_t ip;
    uint64_t vaddr;
    uint64_t offset;  /* of symbols; without one the address in the file, for the key */
    uint32_t file;    /* TS_INDEX_NONE: none */
    uint32_t symbol;  /* TS_INDEX_NONE: none */
    perfd_named name; /* step 0: not known yet; then dict is a hash */
} perfd_frame;

/* A frame that was met lately, by address, maps and context. */
typedef struct perfd_cached {
    uint32_t maps, kernel; /* versions */
    uint32_t context;      /* + 1; 0: free */
    perfd_frame frame;
} perfd_cached;

/* An address of the sample that is looked up. */
typedef struct perfd_asked {
    uint64_t ip;
    const perfd_maps *maps; /* of the process, or NULL */
    uint32_t version;
    uint32_t context; /* as in perfd_cached */
} perfd_asked;

typedef struct perfd_chain {
    uint64_t a, b; /* hash of process and frames */
    uint32_t node; /* row of stack_node; 0: none */
} perfd_chain;

/* A stack that was met lately, by its bytes, process and maps: its chain is known without frames.
 * Those of PERFD_MET_WAYS places may be in any of them, the newest first. */
typedef struct perfd_met {
    uint64_t a, b;  /* hash; both 0: free */
    uint32_t chain; /* its place in `chains` */
    uint32_t node;
} perfd_met;

/* What a sample holds. Arrays are little endian, in the record. */
typedef struct perfd_sample {
    uint64_t at;
    uint16_t misc;
    const perfd_attr *attr;
    uint32_t event;
    uint64_t ip, time, id, period;
    int64_t pid, tid;
    uint32_t cpu;
    bool has_ip, has_tid, has_time, has_cpu;
    const uint8_t *ips;
    uint64_t ip_n;
    const uint8_t *servers;
    uint64_t server_n;
    const uint8_t *group; /* values of a group: the number of words of each, then they */
    uint64_t group_n;
    const uint8_t *calls; /* entries of a branch stack that are open calls, the innermost first */
    uint64_t call_n, branch_n; /* branch_n: of all entries */
    bool has_stack_id;
    uint64_t stack_id;
    uint64_t user_ip; /* of the registers; 0: none */
} perfd_sample;

/* A stack table of one process: nodes as recorded, by index. */
typedef struct perfd_stacks {
    int64_t pid;
    size_t first, count; /* of `nodes` */
} perfd_stacks;

enum { PERFD_NODE = 12 };

/* An entry of a branch stack: u64 from, to, flags. */
enum { PERFD_BRANCH_ENTRY = 24, PERFD_BRANCH_TO = 8 };

/* What all recordings of a run share: numbers that go on. */
typedef struct perfd_shared {
    uint64_t chains;
    uint64_t files;
    ts_symbol_folder *folder; /* of --symbols; NULL: not asked for */
} perfd_shared;

typedef struct perfd {
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    ts_job *job;
    const ts_plugin_host *host; /* NULL: a file of its own */
    perfd_shared *shared;
    int64_t source_id;
    char name[TS_SOURCE_NAME];
    ts_window *data;   /* what has the records: `in`, or `plain` */
    ts_window plain;   /* records that were compressed, and those between them */
    bool records_read; /* records are being read: those in a window stay where they are */
    ts_window *in;     /* the part that is chosen is the recording */
    int64_t offset;    /* of the recording in the input */
    uint64_t size;     /* its bytes that there are */
    ts_buf clean, scratch, aside;
    uint64_t bad_texts;

    /* Header, attributes, features. */
    uint64_t id_bytes; /* of attributes, in all */
    uint64_t attr_size, attrs_at, attrs_size, data_at, data_size;
    uint8_t features[PERFD_FEATURES / 8];
    bool pipe; /* attributes and features are records */
    bool cut;  /* the data is */
    bool hiperf;
    bool simpleperf;
    char *event_types; /* of simpleperf: lines "name,type,config" */
    ts_vec attrs;      /* perfd_attr */
    ts_idmap attr_of;  /* by id */
    ts_vec events;     /* perfd_event */
    ts_idmap event_of;
    bool described;      /* the events have their names */
    int64_t first_event; /* row of perf_report of event 0 */
    ts_pool texts;       /* names of events and threads */
    char *workload, *cmdline, *arch, *release;
    bool hongmeng;
    int64_t devhost; /* -1: none */
    ts_clock clock;  /* of the times; TS_CLOCK_UNKNOWN: perf's own */
    ts_clock_set clocks;
    ts_htrace_times times;
    uint64_t features_good, features_lost, features_skipped, symbols_good, symbols_lost;

    /* Files, symbols, maps. */
    ts_pool paths;
    ts_vec path_info; /* perfd_path, by id of the path */
    ts_vec build_ids; /* ts_build_id */
    ts_vec files;     /* perfd_file */
    ts_vec symbols;   /* perfd_symbol */
    ts_vec tops[4];   /* uint64_t: greatest ends of 64, 64 * 64 ... symbols */
    ts_vec named;     /* perfd_named */
    ts_vec nameless;  /* perfd_nameless */
    ts_index nameless_index;
    ts_vec stacks;      /* perfd_stacks */
    ts_idmap stacks_of; /* by process */
    ts_vec nodes;       /* PERFD_NODE bytes each */
    unsigned node_bits;
    ts_vec maps;      /* perfd_maps */
    ts_vec free_maps; /* uint32_t */
    ts_vec kernel;    /* perfd_map, in the order of their records */
    uint32_t version, kernel_version;
    ts_vec processes; /* perfd_process */
    ts_idmap process_of;
    ts_vec threads; /* perfd_thread */
    ts_index thread_index;
    uint32_t last_thread;
    ts_vec commed;  /* uint32_t: threads in the order of their first COMM */
    ts_vec sampled; /* the same of their first sample */

    /* Rows. */
    unsigned cache_bits, met_bits;
    perfd_cached *cache; /* 1 << cache_bits */
    perfd_met *met;      /* 1 << met_bits, in sets */
    ts_vec frames;       /* perfd_frame, of the sample: the leaf first */
    ts_vec places;       /* uint32_t, of each frame: its place in the cache */
    ts_vec asked;        /* perfd_asked */
    ts_vec steps;        /* uint32_t, the root first */
    ts_vec expanded;     /* a stack by id: 8 bytes an address */
    bool stack_known;    /* of the sample */
    ts_vec chains;       /* perfd_chain */
    ts_index chain_index;
    uint64_t first_chain;
    ts_path_store call_paths;
    unsigned batch_n, label_n, chain_row_n;
    ts_row_perf_sample sample_rows[PERFD_BATCH];
    ts_row_stack_sample stack_rows[PERFD_BATCH];
    ts_row_stack_sample_value value_rows[PERFD_BATCH];
    ts_row_stack_sample_label label_rows[2 * PERFD_BATCH];
    ts_row_perf_callchain chain_rows[PERFD_BATCH];
    char cpu_names[PERFD_CPUS][4];
    char label_text[2 * PERFD_BATCH][24];
    bool spanned;
    ts_span wanted;
    ts_clock row_clock; /* of rows: that of the times, or what they were converted to */
    int64_t first_ts, last_ts;
    uint64_t records_good, records_lost, records_skipped;
    uint64_t samples_good, samples_lost, samples_skipped;
    uint64_t branches_used, branches_skipped;
    uint64_t unknown_events, group_reads;
    uint8_t *record; /* PERFD_MAX_RECORD: one that is not in the window */
    /* A sample is put when the next record comes: what may be known of it comes from memory until
     * then. */
    bool waits;
    perfd_sample waiting;
    perfd_met waiting_key; /* of the sample that is put next */
    uint8_t waiting_bytes[PERFD_AHEAD];
} perfd;

/* Where a place of the recording is in the input. */
static inline int64_t perfd_offset(const perfd *r, uint64_t at)
{
    return at == UINT64_MAX || r->offset < 0 || r->data == &r->plain
               ? TS_NO_OFFSET
               : ts_sat_add(r->offset, (int64_t)at);
}

/* An issue of the recording, at this place of it (UINT64_MAX: none). */
#define PERFD_ISSUE(r, issue, at, ...)                                                             \
    ts_issue((r)->store, (r)->source_id, TS_ISSUE_##issue, (r)->name, perfd_offset(r, at),         \
             __VA_ARGS__)

/* --- perf_header.c -----------------------------------------------------------------------------
 */

ts_code perfd_read_header(bool *good, perfd *r);
void perfd_read_attr(perfd_attr *out, const uint8_t *p, size_t n);

/* --- perf_features.c ---------------------------------------------------------------------------
 */

/* A place in the recording, up to an end. */
typedef struct perfd_cursor {
    perfd *r;
    uint64_t at, end;
} perfd_cursor;

/* n bytes; NULL: they are not there. Borrowed until the next call. */
ts_code perfd_take(const uint8_t **p, perfd_cursor *c, size_t n);
ts_code perfd_take_u32(bool *good, uint32_t *out, perfd_cursor *c);
ts_code perfd_take_u64(bool *good, uint64_t *out, perfd_cursor *c);

/* A text up to its first NUL, valid UTF-8; borrowed until the next call. */
ts_code perfd_take_text(bool *good, ts_text *out, perfd_cursor *c);

ts_code perfd_read_features(perfd *r);

/* The feature with this number, whose data is there. */
ts_code perfd_read_section(perfd *r, unsigned number, uint64_t at, uint64_t size);

/* Where the data of a feature is; false: the recording lacks it or a part of it. */
ts_code perfd_find_section(bool *found, perfd_cursor *c, perfd *r, unsigned number);
ts_code perfd_put_property(perfd *r, const char *key, ts_text value);
ts_code perfd_intern(uint32_t *id, perfd *r, ts_text text);

/* --- perf_symbols.c ----------------------------------------------------------------------------
 */

/* Feature 192. *good: whole. */
ts_code perfd_read_symbols(bool *good, perfd_cursor *c);

/* A file of the recording, whose symbols are those from file->first on. */
ts_code perfd_end_file(perfd *r, perfd_file *file);

/* After the last file. */
ts_code perfd_make_tops(perfd *r);

/* The symbol of a file that has this address, or TS_INDEX_NONE. exact: that begins there. */
uint32_t perfd_find_symbol(const perfd *r, const perfd_file *file, uint64_t v, bool exact);
ts_code perfd_symbol_name(ts_text *name, perfd *r, const perfd_file *file, const perfd_symbol *s);
ts_code perfd_put_file(perfd *r, uint32_t file, int64_t serial, ts_text symbol);
ts_code perfd_add_file(uint32_t *number, perfd *r, uint32_t path);

/* --- perf_elf.c --------------------------------------------------------------------------------
 */

/* The folder of --symbols, once a run. TS_ERR_INPUT: it cannot be read. */
ts_code perfd_open_folder(perfd *r);
void perfd_close_folder(ts_ctx *ctx, void *shared);

/* What was recorded of the file with this path. */
ts_code perfd_build_id(perfd *r, uint32_t path, const uint8_t *p, size_t n);
ts_code perfd_read_build_ids(bool *good, perfd_cursor *c);

/* A new file that the recording has no symbols of: those of the folder, or its row without. */
ts_code perfd_find_elf(perfd *r, uint32_t file, const perfd_map *map);

/* The function at a place in the file, for the frame. */
ts_code perfd_find_function(bool *found, perfd *r, perfd_frame *f, uint32_t file,
                            const perfd_map *map, uint64_t place);

/* Rows of files that have functions, but no frame in one. */
ts_code perfd_end_files(perfd *r);

/* --- perf_simpleperf.c -------------------------------------------------------------------------
 */

/* Whether the recording is one of simpleperf, and what it says of itself. */
ts_code perfd_find_simpleperf(perfd *r);

/* FILE, META_INFO and FILE2. *good: whole. */
ts_code perfd_read_simpleperf(bool *good, perfd_cursor *c, unsigned number);

/* What simpleperf calls the event of an attribute; NULL: it does not say. */
ts_text perfd_event_type(const perfd *r, const perfd_attr *attr);

/* --- perf_stacks.c -----------------------------------------------------------------------------
 */

/* A stack table. *good: to the end of the section. */
ts_code perfd_read_stacks(bool *good, perfd_cursor *c);
ts_code perfd_stacks_ready(perfd *r);

/* The addresses of a stack into `expanded`; false: its nodes are not there. */
ts_code perfd_expand(bool *known, perfd *r, int64_t pid, uint64_t stack_id);

/* --- perf_maps.c -------------------------------------------------------------------------------
 */

ts_code perfd_path_id(uint32_t *id, perfd *r, ts_text path);
ts_code perfd_thread_at(uint32_t *number, perfd *r, int64_t pid, int64_t tid);
ts_code perfd_add_map(perfd *r, int64_t pid, bool kernel, const perfd_map *map, ts_text path);
ts_code perfd_comm(perfd *r, int64_t pid, int64_t tid, ts_text name);
ts_code perfd_fork(perfd *r, int64_t pid, int64_t ppid, int64_t tid, int64_t ptid);

/* The map of the process that holds the address, or NULL. */
const perfd_map *perfd_find_map(const perfd_maps *maps, uint64_t ip);
void perfd_free_maps(perfd *r, perfd_maps *maps);
const perfd_maps *perfd_maps_of(perfd *r, int64_t pid);
bool perfd_is_service(const perfd *r, int64_t pid);

/* --- perf_sample.c -----------------------------------------------------------------------------
 */

/* False: the record is too short for what its event says. */
bool perfd_read_sample(perfd_sample *out, perfd *r, const uint8_t *p, size_t n);

/* The time of a record that is no sample, 0: none. */
uint64_t perfd_record_time(const perfd *r, uint32_t type, const uint8_t *p, size_t n);

/* --- perf_records.c ----------------------------------------------------------------------------
 */

ts_code perfd_read_records(perfd *r);

/* Attributes and features of what was written to a pipe. */
ts_code perfd_read_pipe(perfd *r);

/* --- perf_frames.c -----------------------------------------------------------------------------
 */

/* The frames of a sample into `frames`. */
ts_code perfd_resolve(perfd *r, const perfd_sample *s);

/* What a function of a file is called. */
ts_code perfd_make_name(perfd_named *out, perfd *r, ts_text name, ts_text library);

/* --- perf_rows.c -------------------------------------------------------------------------------
 */

ts_code perfd_rows_begin(perfd *r);

/* Before perfd_put_sample of the same sample, with no other record between. */
void perfd_expect_sample(perfd *r, const perfd_sample *s);
ts_code perfd_put_sample(perfd *r, const perfd_sample *s);
ts_code perfd_rows_end(perfd *r);

#endif
