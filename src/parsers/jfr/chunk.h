/*
 * One chunk (profiles.md 2.1, 2.3): its header, its classes and pools, and a walk over its events.
 * Metadata and pools stand behind the events that need them, so the chunk is in a spool.
 */
#ifndef TS_PARSERS_JFR_CHUNK_H
#define TS_PARSERS_JFR_CHUNK_H

#include "parsers/jfr/pools.h"
#include "parsers/jfr/recording.h"

enum {
    JFR_HEADER = 68,
    JFR_DIRECT = 4096,
    JFR_MAGIC = 6,
    JFR_DEFAULT_INTERVAL = 10000000 /* ns */
};

typedef struct jfr_header {
    uint16_t major, minor;
    int64_t size;
    int64_t checkpoint, metadata; /* offsets in the chunk */
    int64_t start_ns, duration_ns;
    int64_t start_ticks, ticks_per_second;
    uint8_t state, flags;
} jfr_header;

/* How events of a class are handled in this chunk. */
typedef struct jfr_class_use {
    uint32_t type; /* in the recording's types */
    bool named;    /* type is set */
    bool planned;
    uint32_t plan;
} jfr_class_use;

struct jfr_chunk {
    jfr_recording *rec;
    ts_ctx *ctx;
    jfr_view *view;  /* the chunk's part of the spool */
    uint64_t offset; /* in the input */
    jfr_header header;
    bool compressed;
    bool cut;           /* its end is not there, or not known */
    bool doubted_pools; /* a part of the pools is lost */
    jfr_metadata meta;
    bool borrowed; /* meta is that of the recording's last chunk */
    jfr_plans plans;
    jfr_pools pools;
    jfr_class_use *uses;         /* one a class */
    uint32_t direct[JFR_DIRECT]; /* class by small ids; JFR_NO_CLASS */
    uint64_t used;               /* bytes up to the end of the last event */
    uint64_t lost_bytes;
    uint32_t string_class; /* java.lang.String, or JFR_NO_CLASS */

    /* Settings: nanoseconds between samples, by kind; 0: not recorded. */
    int64_t cpu_interval, wall_interval;
    bool wall_mode; /* execution samples are of threads that wait as well */
    uint64_t default_intervals;
    ts_vec frames; /* of the stack that is being resolved */
};

/* An event of the walk. */
typedef struct jfr_event {
    uint64_t pos; /* in the chunk */
    uint64_t size;
    uint64_t type; /* id of the class; 0 metadata, 1 checkpoint */
    uint32_t head; /* bytes of size and type */
} jfr_event;

/* The first bytes of a chunk: "FLR", 0 and the major version. */
extern const uint8_t jfr_magic[JFR_MAGIC];

/* Where in the part of the spool the next chunk begins, from `from` on; its size when there is
 * none. */
ts_code jfr_chunk_search(uint64_t *at, jfr_view *v, uint64_t from);

/* Parses the 68 bytes of a header. */
void jfr_header_read(jfr_header *h, const uint8_t *p);

/*
 * Decodes the chunk at `base` of the spool of rec->view, of which `size` bytes are there; offset:
 * of its header in the input. *used: the bytes that belong to it, at most `size`. Damage is
 * recorded. Errors: memory, reading, writing.
 */
ts_code jfr_chunk_import(uint64_t *used, jfr_recording *rec, uint64_t base, uint64_t size,
                         uint64_t offset);

/* Makes the plan of the entries of a class's pool; JFR_NO_PLAN when it cannot be decoded. */
ts_code jfr_chunk_pool_plan(jfr_chunk *c, uint32_t cls);

/* Its bytes behind size and type; *there is false when they cannot be held. */
ts_code jfr_event_body(bool *there, jfr_reader *r, jfr_chunk *c, const jfr_event *e);

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

/* Row of stack_node, 0: none. *truncated: the recorder left its outermost frames out. */
ts_code jfr_value_stack(int64_t *node, bool *truncated, jfr_chunk *c, const jfr_value *v);

/* The wishes of a class of pools, by its name. */
const jfr_wish *jfr_wishes_of(size_t *n, ts_text name);

/* --- rules (rules.c) ------------------------------------------------------------------------ */

const jfr_rule *jfr_rule_find(ts_text name);

/* rule NULL: of events that are kept and nothing else. */
ts_code jfr_rule_plan(jfr_chunk *c, uint32_t cls, const jfr_rule *rule);

/* Settings that other events need are read before these. */
bool jfr_rule_is_setting(const jfr_rule *rule);

/* *lost: the event makes no sense. */
ts_code jfr_rule_run(bool *lost, jfr_chunk *c, uint32_t cls, jfr_reader *r);

#endif
