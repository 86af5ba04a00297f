/*
 * Heap dumps of Java and Android (HPROF). A file is read in passes over bytes that can be read
 * anywhere (a file, or a spool):
 *
 *   records  strings, class names, frames, stacks and segments of the whole file (hprof_records.c)
 *   objects  of each dump: what its segments hold, in their order (hprof_objects.c)
 *   index    id -> node (hprof_index.c), classes and names (hprof_classes.c), sizes (hprof_sizes.c)
 *   rows     the segments again: objects and references (hprof_rows.c), then threads
 *            (hprof_threads.c) and texts of strings (hprof_strings.c)
 *
 * Nothing depends on the order of records. Objects are numbered as they come ("seq", from 0); those
 * whose id was there before have no node, so node = 1 + seq - those before it (hprof_node_of_seq).
 *
 * Memory of a dump: 8 (id) + 8 (class, length) + at most 10 (map of ids; of a JVM 1) + 0.5 (place)
 * bytes an object until sizes are known, at most 21 after; with --max-memory as much as the
 * sixteenth of that in place of the first 16; 24 a root; of a file 16 a string, some 100 a class,
 * 32 a field, 90 a frame.
 */
#ifndef TS_PARSERS_HPROF_HPROF_H
#define TS_PARSERS_HPROF_HPROF_H

#include "base/buf.h"
#include "base/idmap.h"
#include "base/nearmap.h"
#include "base/spool.h"
#include "base/vec.h"
#include "input/byte_window.h"
#include "parsers/format.h"
#include "tables/formats/hprof/hprof_numbers.h"

#define HPROF_NONE UINT32_MAX

enum {
    HPROF_REC_STRING = 0x01,
    HPROF_REC_LOAD = 0x02,
    HPROF_REC_FRAME = 0x04,
    HPROF_REC_TRACE = 0x05,
    HPROF_REC_DUMP = 0x0c,
    HPROF_REC_LAST_OLD = 0x0e,
    HPROF_REC_SEGMENT = 0x1c,
    HPROF_REC_END = 0x2c,
    HPROF_REC_HEAD = 9,

    HPROF_CLASS = 0x20,
    HPROF_INSTANCE = 0x21,
    HPROF_OBJECTS = 0x22,
    HPROF_PRIMITIVES = 0x23,
    HPROF_NO_DATA = 0xc3,
    HPROF_HEAP = 0xfe,

    HPROF_OBJECT = 2, /* types of values */
    HPROF_BOOLEAN = 4,
    HPROF_CHAR = 5,
    HPROF_FLOAT = 6,
    HPROF_DOUBLE = 7,
    HPROF_BYTE = 8,
    HPROF_SHORT = 9,
    HPROF_INT = 10,
    HPROF_LONG = 11,
    HPROF_TYPES = 12,

    HPROF_PART = 17, /* most bytes of a part of a class */
    HPROF_STEP = 16, /* objects from one kept place to the next */
    HPROF_NEAR = 4096,
    HPROF_BATCH = 512,
    HPROF_RECENT = 64,
    HPROF_NAME = 1 << 20
};

/* --- bytes ---------------------------------------------------------------------------------- */

/* Reading in order goes through the window; reading here and there through a small buffer, so that
 * the window stays where it is. */
typedef struct hprof_in {
    ts_window *window;
    bool here_and_there;
    uint64_t at;
    size_t have;
    uint8_t near[HPROF_NEAR];
} hprof_in;

ts_code hprof_near(const uint8_t **p, size_t *n, hprof_in *in, uint64_t pos, size_t need);

/* *n bytes at `pos`, at least `need` (up to HPROF_NEAR) unless the file ends before. */
static inline ts_code hprof_get(const uint8_t **p, size_t *n, hprof_in *in, uint64_t pos,
                                size_t need)
{
    return in->here_and_there && !ts_window_held(in->window)
               ? hprof_near(p, n, in, pos, need)
               : ts_window_get(p, n, in->window, pos, need);
}

static inline uint16_t hprof_u16(const uint8_t *p)
{
    return (uint16_t)((unsigned)p[0] << 8 | p[1]);
}

static inline uint32_t hprof_u32(const uint8_t *p)
{
    uint32_t v;
    memcpy(&v, p, sizeof v);
    return be32toh(v);
}

static inline uint64_t hprof_u64(const uint8_t *p)
{
    uint64_t v;
    memcpy(&v, p, sizeof v);
    return be64toh(v);
}

static inline uint64_t hprof_id(const uint8_t *p, size_t id_size)
{
    return id_size == 8 ? hprof_u64(p) : hprof_u32(p);
}

/* Bytes of a value; 0: no type. */
unsigned hprof_type_size(unsigned type, unsigned id_size);
/* The bytes of a value as a number. */
uint64_t hprof_value(const uint8_t *p, unsigned size);

/* --- the file ------------------------------------------------------------------------------- */

typedef struct hprof_string {
    uint64_t id;
    uint64_t place; /* << 21, and its length, at most HPROF_NAME + 1 */
} hprof_string;

typedef struct hprof_frame {
    uint64_t method, signature, file;
    uint32_t class_serial;
    int32_t line;
} hprof_frame;

typedef struct hprof_trace {
    uint64_t at; /* of the ids of its frames */
    uint32_t frames;
    bool known;    /* `node` is */
    uint32_t node; /* row of stack_node; 0: empty */
} hprof_trace;

/* A heap dump, or a part of one: sub-records back to back. */
typedef struct hprof_segment {
    uint64_t at, end;
    uint32_t dump;
} hprof_segment;

typedef struct hprof_file {
    ts_job *job;
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    int64_t source_id; /* 0: none yet */
    char name[TS_SOURCE_NAME];
    ts_window window;
    bool again; /* the file can be read again at any place */
    uint64_t total;
    unsigned id_size;
    char version[8];
    bool android;
    uint64_t time_ms;
    bool cut;

    hprof_in in;   /* in order */
    hprof_in near; /* here and there */
    ts_vec strings;
    bool strings_sorted;
    ts_idmap name_of; /* id of a class -> id of its name */
    ts_idmap class_of_serial;
    ts_vec frames;
    ts_idmap frame_of;
    ts_vec traces;
    ts_idmap trace_of;
    ts_vec segments; /* hprof_segment */
    uint32_t dumps;
    bool complete;
    bool bad; /* something makes no sense before the end */

    ts_buf raw, clean, text;
    uint64_t names, names_lost, names_bad, names_cut;
    uint64_t frames_lost, stacks;
    uint64_t text_budget; /* bytes that looking for texts may still read */
} hprof_file;

/* Reads the records. False in *readable: the header is no header. */
ts_code hprof_records(bool *readable, hprof_file *f);

/* Something is lost: an issue, and an item that is. */
ts_code hprof_lose(hprof_file *f, ts_issue_code issue, ts_item item, const char *detail, int64_t at,
                   uint64_t count, const char *fmt, ...) __attribute__((format(printf, 7, 8)));

/* The text of a string, in f->clean or f->raw; one that is missing is "<string 0x...>". */
ts_code hprof_name(ts_text *out, hprof_file *f, uint64_t id);
/* Appends the name of a class as people write it. */
ts_code hprof_class_name(ts_ctx *ctx, ts_buf *out, ts_text symbol);

/* The call path of a stack: 0 when there is none. */
ts_code hprof_stack(uint32_t *node, hprof_file *f, uint32_t serial);

/* --- sub-records ---------------------------------------------------------------------------- */

typedef struct hprof_sub {
    uint8_t tag;
    uint8_t type;    /* of elements */
    uint32_t trace;  /* serial of a stack */
    uint32_t length; /* bytes of an instance, elements of an array */
    uint32_t serial; /* of a root: of its thread */
    uint32_t frame;
    uint64_t id;
    uint64_t class_id; /* of an instance or array of objects; of a heap its name */
    uint64_t at, body, next;
    bool beyond; /* it is not good because it ends after the place where it should */
} hprof_sub;

static inline bool hprof_is_object(unsigned tag)
{
    return (tag >= HPROF_CLASS && tag <= HPROF_PRIMITIVES) || tag == HPROF_NO_DATA;
}

/* The sub-record at `at`; *good is false when none is there that ends at `end` or before. */
ts_code hprof_sub_read(hprof_sub *s, bool *good, hprof_in *in, unsigned id_size, uint64_t at,
                       uint64_t end);

/* A part of a class: a constant, static field or field, without a value. */
typedef enum hprof_part { HPROF_CONSTANT, HPROF_STATIC, HPROF_FIELD } hprof_part;
typedef ts_code hprof_part_fn(void *user, hprof_part part, uint64_t name, unsigned type,
                              uint64_t value);
/* Visits the parts of a class whose constants begin at `at`; *next is its end. each may be NULL. */
ts_code hprof_parts(uint64_t *next, bool *good, hprof_in *in, unsigned id_size, uint64_t at,
                    uint64_t end, hprof_part_fn *each, void *user);

/* The sub-records of segments, one after the other. */
typedef struct hprof_walk {
    hprof_file *f;
    hprof_in *in;
    size_t segment; /* that pos is in */
    uint32_t dump;
    uint64_t pos;
} hprof_walk;

void hprof_walk_begin(hprof_walk *w, hprof_file *f, hprof_in *in, uint32_t dump);
ts_code hprof_walk_next(hprof_sub *s, bool *got, hprof_walk *w);

/* --- a dump --------------------------------------------------------------------------------- */

/* A field of a class. */
typedef struct hprof_field {
    uint64_t name;
    uint64_t value;  /* of a static one */
    uint32_t offset; /* in the class's own part of an instance */
    uint8_t type;
    bool referent; /* of java.lang.ref.Reference */
} hprof_field;

typedef struct hprof_class {
    uint64_t id, super_id, loader;
    uint32_t size; /* of an instance, as the file says */
    uint32_t trace;
    uint32_t super;   /* number, or HPROF_NONE */
    uint32_t fielded; /* the nearest class above it with fields */
    uint32_t node;
    uint32_t row;   /* place in the order of nodes */
    uint32_t first; /* of its fields, statics first */
    uint32_t statics;
    uint32_t fields;
    uint64_t own;   /* bytes of its own fields in an instance, and of the whole chain */
    uint64_t chain; /* saturated */
    uint64_t own_refs, chain_refs, static_bytes, static_refs;
    uint32_t name; /* place in dump.names */
    uint32_t name_n;
    uint8_t strength; /* of the referent of its instances */
    uint8_t element;  /* type of elements of an array of primitives */
    bool known;       /* the dump has it */
    bool named;       /* an object names it */
    bool made;        /* it is nowhere in the file */
    bool array;
    bool done; /* it has what comes from classes above it */
    bool sized;
    bool whole; /* so are all classes above it */
    uint64_t count, least, with_least;
    uint64_t shallow, mat; /* sums */
    uint64_t instance_size, mat_raw, mat_instance, extra;
    int64_t field_id; /* row of its first field */
} hprof_class;

typedef struct hprof_root {
    uint64_t id;
    uint32_t serial, frame;
    uint32_t thread; /* of dump.threads, or HPROF_NONE */
    uint8_t tag;
    bool local;
} hprof_root;

typedef struct hprof_thread {
    uint64_t id;
    uint32_t serial, trace, node;
} hprof_thread;

/* From this object on they are in this heap. */
typedef struct hprof_heap {
    uint32_t seq;
    bool none;
    uint64_t name;
} hprof_heap;

typedef struct hprof_local {
    uint32_t node, root;
} hprof_local;

/* A string, its array of characters, and its field `coder`. */
typedef struct hprof_text {
    uint32_t node, array;
} hprof_text;

/* An object, without what its record says beside. */
typedef struct hprof_object {
    uint64_t id;
    uint32_t what; /* number of the class, above it java_heap_object.kind */
    uint32_t length;
} hprof_object;

enum { HPROF_KIND_BITS = 29, HPROF_NUMBER = (1 << HPROF_KIND_BITS) - 1 };

static inline unsigned hprof_kind(const hprof_object *o)
{
    return o->what >> HPROF_KIND_BITS;
}

/* All of a dump, by seq (hprof_list.c). */
typedef struct hprof_list {
    ts_vec held;      /* hprof_object: all of them, or with `stored` some */
    ts_spool *stored; /* NULL: there is none */
} hprof_list;

/* Where a field of a class or of one above it is in an instance; type 0: there is none. */
typedef struct hprof_place {
    uint64_t offset;
    unsigned type;
} hprof_place;

/* Classes that were asked for last. */
typedef struct hprof_recent {
    uint64_t id;
    uint32_t number; /* HPROF_NONE: none */
} hprof_recent;

typedef struct hprof_dump {
    hprof_file *f;
    uint32_t number;
    int64_t file_id;
    uint32_t objects; /* with those that have no node */
    uint32_t nodes;
    hprof_list list;
    uint64_t first_id;
    ts_vec places; /* uint64_t, of each HPROF_STEP-th object */
    ts_vec twice;  /* uint32_t: seqs without a node, rising */
    ts_vec classes;
    ts_idmap class_of;
    ts_buf names;
    ts_vec order; /* numbers of classes in the order of nodes */
    ts_vec fields;
    ts_vec roots, threads, heaps, locals, texts;
    ts_idmap thread_of; /* serial -> thread */
    ts_idmap body_of;   /* number of a class -> seq of the instance with its id */
    hprof_recent recent[HPROF_RECENT];
    bool too_many;
    bool sticky;

    uint64_t least, greatest; /* ids */
    uint64_t all_bits;        /* of ids, relative to the first one */
    uint64_t distance;        /* greatest common divisor of distances */
    bool compressed;          /* arrays of objects are closer than references of 8 bytes allow */
    uint64_t last_array, last_array_end;
    hprof_walk near_walk; /* of hprof_record_of_seq */
    uint32_t near_seq;    /* of the object that it gives next; UINT32_MAX: none */
    ts_nearmap map;       /* id -> node, if it fits */
    uint32_t *numbers;    /* else: seqs by rising id */

    unsigned align, header, reference, object_header; /* header 0: not measured */
    unsigned mat_reference;
    bool reference_known;
    uint32_t class_class, loader_class, string_class;
    uint32_t primitive_class[HPROF_TYPES];
    uint32_t boot_node;
    int64_t first_class_id, first_field_id, first_root, first_thread_id;
    int64_t first_object, first_reference, first_string;
    uint64_t fields_bad;
    uint64_t lost;

    hprof_in *in;
    hprof_place value, coder, offset, count; /* fields of java.lang.String */
    ts_vec wide;                             /* bits by number of the text: coder is 1 */
    bool big_endian;                         /* bytes of wide strings */
} hprof_dump;

static inline hprof_class *hprof_class_at(const hprof_dump *d, uint32_t number)
{
    return (hprof_class *)d->classes.p + number;
}

static inline ts_text hprof_class_text(const hprof_dump *d, const hprof_class *c)
{
    return (ts_text){d->names.p + c->name, c->name_n};
}

void hprof_forget_recent(hprof_dump *d);

/* The number of the class with the id, which is added when it is new. */
ts_code hprof_class_of(uint32_t *number, hprof_dump *d, uint64_t id);

/* One more object; after the last one hprof_list_end. */
ts_code hprof_list_add(hprof_dump *d, const hprof_object *o);
ts_code hprof_list_end(hprof_dump *d);

/*
 * The objects of a dump, from the first to the last, one cursor at a time:
 *
 *     hprof_cursor c = {.d = d};
 *     for (const hprof_object *o; (o = hprof_list_next(&code, &c)) != NULL;) ... seq is c.seq
 *
 * NULL after the last one, and when `code` is a failure.
 */
typedef struct hprof_cursor {
    hprof_dump *d;
    const hprof_object *all;
    uint64_t part; /* seq of all[0] */
    unsigned at, n;
    uint32_t seq;
} hprof_cursor;

bool hprof_list_more(ts_code *code, hprof_cursor *c);

static inline const hprof_object *hprof_list_next(ts_code *code, hprof_cursor *c)
{
    if (*code != TS_OK || (c->at == c->n && !hprof_list_more(code, c))) {
        return NULL;
    }
    c->seq = (uint32_t)c->part + c->at;
    return &c->all[c->at++];
}

/* All of them into memory. */
ts_code hprof_list_hold(hprof_dump *d);
void hprof_list_free(hprof_dump *d);

/* The steps of a dump, in this order. */
ts_code hprof_objects(hprof_dump *d);
ts_code hprof_index(hprof_dump *d);
ts_code hprof_classes(hprof_dump *d);
ts_code hprof_sizes(hprof_dump *d);
ts_code hprof_put_classes(hprof_dump *d);
void hprof_find_threads(hprof_dump *d);
ts_code hprof_put_roots(hprof_dump *d);
ts_code hprof_put_objects(hprof_dump *d);
ts_code hprof_put_strings(hprof_dump *d);
ts_code hprof_put_threads(hprof_dump *d);
void hprof_index_free(hprof_dump *d);

/* Of a seq: HPROF_NONE when it has none. */
uint32_t hprof_node_of_seq(const hprof_dump *d, uint32_t seq);
/* The node with the id, or HPROF_NONE. */
uint32_t hprof_node_of(const hprof_dump *d, uint64_t id);
/* The same for many ids at once; 0 has none. */
void hprof_nodes_of(uint32_t *nodes, const hprof_dump *d, const uint64_t *ids, unsigned n);
/* The least id above this one, which is there; 0: it is the greatest. */
uint64_t hprof_next_id(const hprof_dump *d, uint64_t id);
/* The record of an object by its seq, or by its node; *got is false when the node is made up, or
 * when looking for records has cost too much. */
ts_code hprof_record_of_seq(hprof_sub *s, bool *got, hprof_dump *d, uint32_t seq);
ts_code hprof_record_of(hprof_sub *s, bool *got, hprof_dump *d, uint32_t node);

/* The same, or the class without a dump that has the id. */
uint32_t hprof_target_of(const hprof_dump *d, uint64_t id);

/* Sizes of an object by the measured rules and by those of MAT. */
typedef struct hprof_size {
    uint64_t shallow, mat;
} hprof_size;
hprof_size hprof_size_of(const hprof_dump *d, unsigned kind, uint32_t number, uint32_t length);

/* The first field of that name, from the class up. */
ts_code hprof_field_place(hprof_place *out, hprof_dump *d, uint32_t number, const char *name);
/* The value of a field of an instance; false: it does not have it. */
ts_code hprof_field_value(uint64_t *value, bool *got, hprof_dump *d, const hprof_sub *s,
                          hprof_place place);
/* The text of a java.lang.String or of an array of char, in f->text; p is NULL without one.
 * *units: its length; *hash: String.hashCode() */
typedef struct hprof_decoded {
    ts_text text;
    uint64_t units;
    uint32_t hash;
    bool cut;
} hprof_decoded;
ts_code hprof_string_text(hprof_decoded *out, hprof_dump *d, uint32_t node);

#endif
