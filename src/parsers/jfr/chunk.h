/*
 * One chunk (docs/formats.md, "JDK Flight Recorder"): its header, its classes and pools, and a walk
 * over its events. Metadata and pools are after the events that need them, so the chunk is in a
 * spool.
 */
#ifndef TS_PARSERS_JFR_CHUNK_H
#define TS_PARSERS_JFR_CHUNK_H

#include "parsers/jfr/plan.h"
#include "parsers/jfr/recording.h"

typedef struct jfr_chunk jfr_chunk;

/* --- constant pools (pools.c) --------------------------------------------------------------- */

/*
 * The constant pools of a chunk (docs/formats.md, "JDK Flight Recorder"): the bytes of its
 * checkpoint events are kept, and each entry is found by its class and key. What an entry is
 * becomes known when it is first used.
 */

/* What an entry was resolved to. A class may be used as one thing by one event, and as another by
 * the next. */
typedef enum jfr_known {
    JFR_KNOWN_NOT,
    JFR_KNOWN_TEXT,   /* the number of its text */
    JFR_KNOWN_THREAD, /* a row */
    JFR_KNOWN_METHOD, /* a row */
    JFR_KNOWN_STACK   /* a row, and the number of the stack */
} jfr_known;

typedef struct jfr_entry {
    const uint8_t *p; /* NULL: a place that is free */
    uint64_t key;
    int64_t value;
    uint32_t n;
    uint8_t known; /* what `value` is: jfr_known */
} jfr_entry;

/* Entries of one class: a table by their keys, of which three of four places are taken at most. */
typedef struct jfr_pool {
    jfr_entry *slots;
    uint32_t slot_count; /* a power of two, or 0 */
    uint32_t count;
} jfr_pool;

typedef struct jfr_pools {
    jfr_pool *by_class; /* one a class of the metadata */
    uint32_t class_count;
    ts_vec blocks;      /* uint8_t *: the bytes of checkpoints that are not held anyway */
    uint64_t random[2]; /* of the hash of keys: unknown to whoever makes an input */
    uint64_t entries, repeated;
} jfr_pools;

/* Pools without entries, for the classes of the metadata. */
ts_code jfr_pools_new(jfr_chunk *c);
void jfr_pools_free(ts_ctx *ctx, jfr_pools *pools);

/*
 * Adds the entries of a checkpoint event, `r` after its delta; its bytes are copied unless the
 * chunk's are held. Entries whose key is there already stay: newer checkpoints come first. *bad: it
 * makes no sense from some place on, or has entries of a class that cannot be decoded; those before
 * it are kept.
 */
ts_code jfr_pools_add(bool *bad, jfr_chunk *c, jfr_reader r);

/* The entry of a reference, or NULL. All entries have been added. */
jfr_entry *jfr_pool_find(jfr_chunk *c, uint32_t cls, uint64_t key);

/* --- the chunk ------------------------------------------------------------------------------ */

enum {
    JFR_HEADER = 68,
    JFR_DIRECT = 4096,
    JFR_MAGIC = 6,
    JFR_DEFAULT_INTERVAL = 10000000, /* ns */
    JFR_FLAG_COMPRESSED = 1,
    JFR_FLAG_LAST = 2 /* of its recording */
};

typedef struct jfr_header {
    uint16_t major, minor;
    int64_t size;
    int64_t checkpoint, metadata; /* offsets in the chunk */
    int64_t start_ns, duration_ns;
    int64_t start_ticks, ticks_per_second;
    uint8_t state, flags;
} jfr_header;

/* In which walk events of a class are read. */
typedef enum jfr_role { JFR_ROLE_COUNTED, JFR_ROLE_SETTING, JFR_ROLE_EVENT } jfr_role;

/* How events of a class are handled. */
typedef struct jfr_class_use {
    uint32_t type; /* in the recording's types */
    bool named;    /* type is set */
    bool planned;
    bool pool_planned;
    uint8_t role;       /* jfr_role */
    uint8_t labels;     /* a bit for each field of its rule that has a label */
    uint32_t plan;      /* of its events */
    uint32_t pool_plan; /* of its entries in pools; JFR_NO_PLAN: it cannot be decoded */
} jfr_class_use;

/* How frames of stacks are encoded: see stack_traces.c. */
enum { JFR_LAYOUT = 4, JFR_FRAME_TYPES = 16, JFR_RECENT = 4096 };
typedef struct jfr_layout {
    bool made;
    bool simple; /* frames are four varints */
    uint8_t n;
    uint8_t varints[JFR_LAYOUT]; /* the place of each */
    uint32_t method_class, type_class;
} jfr_layout;

/* A method that was resolved. */
typedef struct jfr_recent {
    int64_t key;
    uint32_t cls;
    uint32_t id; /* row of stack_method; 0: none */
} jfr_recent;

/* What a metadata event says and what was made from it: chunks that repeat its bytes share it. */
struct jfr_schema {
    ts_buf bytes; /* of the event; empty: not kept */
    jfr_metadata meta;
    jfr_plans plans;
    jfr_class_use *uses;   /* one a class; NULL: not made yet */
    uint32_t *direct;      /* JFR_DIRECT of them: class by small ids; JFR_NO_CLASS */
    uint32_t string_class; /* java.lang.String, or JFR_NO_CLASS */
    jfr_layout layout;
};

struct jfr_chunk {
    jfr_recording *rec;
    ts_ctx *ctx;
    ts_window *view; /* the chunk's part of the spool */
    uint64_t offset; /* in the input */
    jfr_header header;
    bool compressed;
    bool open;          /* it was being written */
    bool cut;           /* its end is not there, or not known */
    bool searched;      /* its header does not say where metadata and pools are, or not all */
    bool doubted_pools; /* a part of the pools is lost */
    jfr_schema *schema; /* NULL: none; may be that of the recording's last chunk */
    bool borrowed;      /* it is, because the chunk has none of its own */
    jfr_pools pools;
    uint64_t used; /* bytes up to the end of the last event */
    uint64_t lost_bytes;

    /* Settings: nanoseconds between samples, by kind; 0: not recorded. */
    int64_t cpu_interval, wall_interval;
    bool wall_mode; /* execution samples are of threads that wait as well */
    uint64_t default_intervals;
    ts_vec frames;                 /* of the stack that is being resolved, as recorded */
    ts_vec resolved;               /* jfr_frame */
    char letters[JFR_FRAME_TYPES]; /* of types of frames, by key; 0: not known yet */
    uint32_t letters_class;        /* + 1; 0: none yet */
    jfr_recent recent[JFR_RECENT];
};

/* An event of the walk. */
typedef struct jfr_event {
    uint64_t pos; /* in the chunk */
    uint64_t size;
    uint64_t type;       /* id of the class; 0 metadata, 1 checkpoint */
    uint32_t head;       /* bytes of size and type */
    const uint8_t *near; /* its bytes as far as they were held when it was walked to */
    size_t near_n;
} jfr_event;

/* The first bytes of a chunk: "FLR", 0 and the major version. */
extern const uint8_t jfr_magic[JFR_MAGIC];

/* Where in the part of the spool the next chunk begins, from `from` on; its size when there is
 * none. */
ts_code jfr_chunk_search(uint64_t *at, ts_window *v, uint64_t from);

/* Parses the 68 bytes of a header. */
void jfr_header_read(jfr_header *h, const uint8_t *p);

/*
 * Decodes the chunk at `base` of the spool of rec->view, of which `size` bytes are there; offset:
 * of its header in the input. *used: the bytes that belong to it, at most `size`. Damage is
 * recorded. Errors: memory, reading, writing.
 */
ts_code jfr_chunk_import(uint64_t *used, jfr_recording *rec, uint64_t base, uint64_t size,
                         uint64_t offset);

/* The plan of the entries of a class's pool, made when it is first wanted; JFR_NO_PLAN when it
 * cannot be decoded. */
ts_code jfr_chunk_pool_plan(uint32_t *plan, jfr_chunk *c, uint32_t cls);

/* The plan of a class of which a pool has entries. */
static inline const jfr_plan *jfr_pool_plan(const jfr_chunk *c, uint32_t cls)
{
    return jfr_plan_at(&c->schema->plans, c->schema->uses[cls].pool_plan);
}

void jfr_schema_free(ts_ctx *ctx, jfr_schema *schema);

/* Ticks of the chunk's clock as a time, and as a duration; TS_NO_TIME beyond 64 bits. */
int64_t jfr_ticks_time(const jfr_chunk *c, int64_t ticks);
int64_t jfr_ticks_span(const jfr_chunk *c, int64_t ticks);

/* --- values of events (resolve.c) ----------------------------------------------------------- */

/* A number in ns, when its field is a time or a duration; TS_NO_TIME when it is none. */
int64_t jfr_value_time(const jfr_chunk *c, const jfr_value *v);
int64_t jfr_value_span(const jfr_chunk *c, const jfr_value *v);

/* A number as it is; false: none. */
bool jfr_value_int(int64_t *out, const jfr_value *v);
bool jfr_value_real(double *out, const jfr_value *v);

/* Its text, appended to `out`; *null when it has none: names of classes with dots, of threads. */
ts_code jfr_value_text(bool *null, jfr_chunk *c, ts_buf *out, const jfr_value *v);

/* The thread, -1: none. */
ts_code jfr_value_thread(int64_t *itid, jfr_chunk *c, const jfr_value *v);

/* Row of stack_node, 0: none; *number: of the stack in the recording's, 0: none. */
ts_code jfr_value_stack(int64_t *node, uint32_t *number, jfr_chunk *c, const jfr_value *v);

/* The wishes of a class of pools, by its name. */
const jfr_wish *jfr_wishes_of(size_t *n, ts_text name);

/* --- entries of pools (resolve.c, stack_traces.c) ------------------------------------------- */

/* Slots of the values of entries, by class. */
enum { SYMBOL_STRING = 0 };
enum { CLASS_NAME, CLASS_PACKAGE };
enum { PACKAGE_NAME, PACKAGE_MODULE };
enum { MODULE_NAME = 0 };
enum { METHOD_TYPE, METHOD_NAME, METHOD_DESCRIPTOR, METHOD_MODIFIERS };
enum {
    THREAD_OS_NAME,
    THREAD_OS_ID,
    THREAD_JAVA_NAME,
    THREAD_JAVA_ID,
    THREAD_GROUP,
    THREAD_VIRTUAL
};
enum { GROUP_NAME = 0 };
enum { STACK_TRUNCATED, STACK_FRAMES, FRAME_METHOD, FRAME_LINE, FRAME_TYPE, FRAME_BYTECODE };

extern const jfr_wish jfr_class_wishes[2];
extern const jfr_wish jfr_package_wishes[2];
extern const jfr_wish jfr_module_wishes[1];
extern const jfr_wish jfr_method_wishes[4];
extern const jfr_wish jfr_stack_wishes[6];

/* The entry of a reference; NULL when there is none, which is counted unless the key says null. */
jfr_entry *jfr_entry_of(jfr_chunk *c, const jfr_value *v);

/*
 * The values of an entry of class cls, JFR_SLOTS of them; false: the class is not the one that has
 * these wishes. element: NULL, or what to do with elements of an array, whose errors are in *code.
 */
bool jfr_entry_values(jfr_value *values, const jfr_chunk *c, uint32_t cls, const jfr_entry *entry,
                      const jfr_wish *wishes, const jfr_element *element, ts_code *code);

/* Appends the text of a string, of a number, or of an entry that leads to one. */
ts_code jfr_plain_text(bool *null, jfr_chunk *c, ts_buf *out, const jfr_value *value);

/* --- rules (rules.c) ------------------------------------------------------------------------ */

const jfr_rule *jfr_rule_find(ts_text name);

/* rule NULL: of events that are kept and nothing else. */
ts_code jfr_rule_plan(jfr_chunk *c, uint32_t cls, const jfr_rule *rule);

/* Settings that other events need are read before these. */
bool jfr_rule_is_setting(const jfr_rule *rule);

/* *lost: the event makes no sense. */
ts_code jfr_rule_run(bool *lost, jfr_chunk *c, uint32_t cls, jfr_reader *r);

#endif
