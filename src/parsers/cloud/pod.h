/*
 * A pod: one start of a Java service under the agent. Its streams come from a directory, from flat
 * files or out of a TCP conversation, and are imported in the order in which they refer to each
 * other: dictionary, params, suspend, sql and xml, trace, calls. Facts: docs/formats.md, "Cloud
 * Profiler".
 *
 * cloud_pod_import owns the pod, zeroed at first, and what its parts keep in it. Only the file of a
 * part changes the fields of its struct; a thread's place in the trace (cloud_thread.at) is changed
 * by trace.c and interrupt.c, and the fields of the pod itself by pod.c.
 */
#ifndef TS_PARSERS_CLOUD_POD_H
#define TS_PARSERS_CLOUD_POD_H

#include "base/spool.h"
#include "base/buf.h"
#include "base/ckd.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "base/vec.h"
#include "parsers/cloud/paths.h"
#include "parsers/cloud/reader.h"
#include "parsers/format.h"

typedef struct cloud_pod cloud_pod;
typedef struct cloud_thread cloud_thread;

/* --- stream files by their names (file_names.c) --------------------------------------------- */

/* In the order of their import. */
typedef enum cloud_kind {
    CLOUD_DICTIONARY,
    CLOUD_POS_DICTIONARY,
    CLOUD_PARAMS,
    CLOUD_SUSPEND,
    CLOUD_SQL,
    CLOUD_XML,
    CLOUD_TRACE,
    CLOUD_CALLS,
    CLOUD_OTHER, /* named, not imported */
    CLOUD_KINDS
} cloud_kind;

enum { CLOUD_STREAM_NAME = 48 };

/* One file of one stream. */
typedef struct cloud_file {
    cloud_kind kind;
    char stream[CLOUD_STREAM_NAME]; /* its name as recorded */
    int64_t index;                  /* from 1 */
    uint32_t member;                /* of the set, when there is no spool */
    ts_spool *spool;                /* from a conversation; owned by that */
    size_t pod_n;                   /* a set: the part of the member's name that is the pod's */
    bool borrowed;                  /* of another pod, which counts its bytes */
    const char *name;               /* the member's name */
} cloud_file;

/* Where a member of a set belongs. False: it is no stream file. */
bool cloud_file_parse(cloud_file *f, const char *name);

/* The kind of a stream by its name. */
cloud_kind cloud_kind_of(const char *stream, size_t n);

/* Where the last part of the pod's name begins; with an empty name, 0. */
size_t cloud_file_pod_base(const cloud_file *f);

/* --- the stream file that is being read (pod_stream.c, records.c) --------------------------- */

enum { CLOUD_LABEL = 80 };

/* What import_count counts. */
typedef enum cloud_item {
    CLOUD_N_WORDS,
    CLOUD_N_PARAMS,
    CLOUD_N_PAUSES,
    CLOUD_N_TEXTS,
    CLOUD_N_BLOCKS,
    CLOUD_N_ENTERS,
    CLOUD_N_EXITS,
    CLOUD_N_TAGS,
    CLOUD_N_CALLS,
    CLOUD_N_CALL_PARAMS,
    CLOUD_ITEMS
} cloud_item;

typedef struct cloud_stream {
    const cloud_file *file;
    char label[CLOUD_LABEL]; /* for issues and properties */
    cloud_reader reader;
    bool newest;      /* the last file of its stream */
    bool damaged;     /* what follows is lost */
    const char *why;  /* why the record at the cursor is rejected; NULL: a text's length */
    uint64_t kept;    /* bytes up to the end of the last good record */
    uint32_t phrases; /* that began */
    ts_buf facts;     /* what its header contains, for source_property */

    /* Of all files: compressed ones, each the last of its stream. */
    uint64_t ended;
    uint64_t unended;
} cloud_stream;

/* Imports one file. newest: it is the last one of its stream. */
ts_code cloud_stream_import(cloud_pod *pod, const cloud_file *file, bool newest);

/* All files were read: an agent that runs has ended none of its newest files, one that was stopped
 * has ended all. Anything else is a loss. */
ts_code cloud_stream_check_ends(cloud_pod *pod);

/* Everything before the reader's place was imported. */
static inline void cloud_stream_keep(cloud_stream *s)
{
    s->kept = cloud_offset(&s->reader);
}

/* The record at the cursor is invalid. `why` is a constant. */
static inline void cloud_reject_record(cloud_stream *s, cloud_cursor *c, const char *why)
{
    s->why = why;
    cloud_fail(c, CLOUD_BAD);
}

/* An issue at an offset of the file that is being read. */
ts_code cloud_issue(cloud_pod *pod, ts_issue_code issue, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * n things that the recording refers to or implies are missing, or not as announced: an issue of
 * data loss reports it, too. `what` is their kind, for import_count.
 */
ts_code cloud_lose(cloud_pod *pod, const char *what, uint64_t n);

/* The same for the source of a pod, or of the input. */
ts_code cloud_lose_of(ts_store *store, int64_t source_id, const char *what, uint64_t n);

/* An issue at the reader's place of something that is missing, which counts as lost. */
ts_code cloud_missing(cloud_pod *pod, ts_issue_code issue, const char *what, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The file ends in the middle of a record that begins at the reader's place: one item is lost. */
ts_code cloud_cut(cloud_pod *pod, cloud_item item, const char *what);

/* The bytes at the reader's place are invalid: what follows is lost. */
ts_code cloud_stop(cloud_pod *pod, const char *what);

/* The same for a record, which is counted as lost. */
ts_code cloud_stop_at(cloud_pod *pod, cloud_item item, const char *what);

/* A value in the header of the file, for source_property. */
ts_code cloud_fact(cloud_pod *pod, const char *name, int64_t value);

/* The file ends before its header does, which has n bytes. */
ts_code cloud_no_header(cloud_pod *pod, size_t n);

/* The file's stream is one that is not imported. */
ts_code cloud_stream_skipped(cloud_pod *pod);

/*
 * Decodes one record at the cursor and imports it; `offset` is where it begins. When the cursor's
 * state is not CLOUD_GOT at the return, nothing was imported.
 */
typedef ts_code (*cloud_record)(cloud_pod *pod, cloud_cursor *c, uint64_t offset);

/* Walks records that follow one another to the end of the file. */
ts_code cloud_records(cloud_pod *pod, cloud_record record, cloud_item item, const char *what);

/* Walks phrases. exact: a lost record shifts those after it, so that damage ends the stream. */
ts_code cloud_phrases(cloud_pod *pod, cloud_record record, size_t header, cloud_item item,
                      bool exact, const char *what);

/* --- words (dictionaries.c) ----------------------------------------------------------------- */

/* Kept: 24 bytes a word and its text, 32 more where ids are far apart. */

typedef struct cloud_word {
    int64_t row;    /* id in cloud_dictionary; 0: not defined */
    int64_t method; /* id in stack_method; 0: not needed so far */
    uint32_t text;  /* number in cloud_words.texts */
    bool signature; /* of a method: no tag has this name */
    bool param;     /* a parameter's name: no method has it */
} cloud_word;

/* A word whose id is far from the others. */
typedef struct cloud_far_word {
    uint32_t id;
    cloud_word word;
} cloud_far_word;

/* Words that have a meaning here. */
typedef enum cloud_known_word {
    CLOUD_WORD_CALL_INFO, /* a tag just before the end of each root */
    CLOUD_WORD_JAVA_THREAD,
    CLOUD_WORD_STARTED, /* a tag at the end of roots that have a record in calls */
    CLOUD_WORD_NODE_NAME,
    CLOUD_WORD_AMOUNTS, /* and after it, in the order of cloud_amount_kind */
    CLOUD_KNOWN_WORDS = CLOUD_WORD_AMOUNTS + 5
} cloud_known_word;

typedef struct cloud_words {
    ts_vec list; /* cloud_word, by id */
    ts_vec far;  /* cloud_far_word, of ids that are not in list */
    ts_idmap far_ids;
    uint32_t count;    /* that are defined */
    uint32_t end;      /* above the largest id */
    uint32_t *by_text; /* by number in texts: id + 1 of the first such word */
    ts_pool texts;
    bool lost;                        /* the recording has more words than those */
    bool doubted;                     /* which of them are right is not known: none is used */
    int64_t first_row;                /* cloud_dictionary had so many rows before */
    int64_t first_method;             /* likewise stack_method */
    uint32_t next_id;                 /* of the next word in a dictionary without ids */
    int64_t known[CLOUD_KNOWN_WORDS]; /* ids; -1: not in the dictionary */
    ts_buf signature;                 /* scratch */
} cloud_words;

ts_code cloud_dictionary_import(cloud_pod *pod);
ts_code cloud_params_import(cloud_pod *pod);

/* The dictionary of calls repeats words: one that contradicts makes all doubtful. */
ts_code cloud_calls_words_check(cloud_pod *pod);

/* All dictionaries were read. */
ts_code cloud_dictionary_end(cloud_pod *pod);

/* The compression around the dictionary shows that something in it is wrong, but not what: its
 * words become NULL, and no row refers to them from now on. */
ts_code cloud_doubt_words(cloud_pod *pod);

/* The row of stack_method of a word, made when new. */
ts_code cloud_method(int64_t *id, cloud_pod *pod, uint32_t word);

/* A tag or a parameter has a number that the dictionary lacks. */
ts_code cloud_no_word(cloud_pod *pod, const char *what, uint32_t word);

/* The word with this id among those that are far from the others, or NULL. */
cloud_word *cloud_far_word_of(const cloud_words *words, uint32_t id);

/* The word with this id, or NULL. */
static inline cloud_word *cloud_word_of(const cloud_words *words, uint32_t id)
{
    if (id < words->list.n && ((cloud_word *)words->list.p)[id].row != 0) {
        return (cloud_word *)words->list.p + id;
    }
    return words->far.n == 0 ? NULL : cloud_far_word_of(words, id);
}

/* id in cloud_dictionary, or 0. */
static inline int64_t cloud_word_row(const cloud_words *words, uint32_t word)
{
    const cloud_word *w = cloud_word_of(words, word);
    return w == NULL || words->doubted ? 0 : w->row;
}

/* id in stack_method of a word that is among the dense ones and has one, or 0. */
static inline int64_t cloud_word_method(const cloud_words *words, uint32_t word)
{
    return word < words->list.n ? ((const cloud_word *)words->list.p)[word].method : 0;
}

static inline bool cloud_word_is(const cloud_words *words, uint32_t word, cloud_known_word which)
{
    return words->known[which] == (int64_t)word;
}

/* No id from this one on has a word. UINT64_MAX: not known, since words were lost. */
static inline uint64_t cloud_words_end(const cloud_words *words)
{
    return words->lost ? UINT64_MAX : words->end;
}

/* --- pauses of the Java VM (suspend.c) ------------------------------------------------------ */

/* Kept: 16 bytes a pause. Times are ms since 1970. */

/* Pauses are disjoint and in order of time. */
typedef struct cloud_pause {
    int64_t end;
    int64_t sum; /* of all pauses so far, with this one */
} cloud_pause;

typedef struct cloud_suspend {
    ts_vec pauses;    /* cloud_pause */
    int64_t last_end; /* end of the last pause that was read */
    bool lost;        /* that did not fit */
    bool wrong;       /* the file's pauses contradict each other: their times are not known */
    bool first;       /* the next one is the first of its file */
    int64_t known;    /* pauses that end later are not known */
    uint64_t before;  /* rows before those of the file */
} cloud_suspend;

ts_code cloud_suspend_import(cloud_pod *pod);

/* Any byte of the file may be wrong: nothing is known of its pauses. Errors: memory. */
ts_code cloud_doubt_pauses(cloud_pod *pod);

/* All files of the stream were read. */
void cloud_suspend_end(cloud_suspend *suspend);

/* ms in [start, end) during which the Java VM was paused. */
int64_t cloud_paused(const cloud_suspend *suspend, int64_t start, int64_t end);

/* --- long texts that tags refer to (texts.c) ------------------------------------------------ */

/* Kept: 16 bytes a text. */

/* A place in the numbered files of a stream, and the id of the text there. */
typedef struct cloud_place {
    uint32_t file;
    uint32_t offset;
    int64_t id;
} cloud_place;

typedef struct cloud_texts {
    ts_vec places; /* cloud_place: sql, then xml */
    size_t xml_first;
} cloud_texts;

ts_code cloud_texts_import(cloud_pod *pod);

/* The id of a text of CLOUD_SQL or CLOUD_XML, or 0. */
int64_t cloud_text_at(const cloud_texts *texts, cloud_kind kind, uint32_t file, uint32_t offset);

/* --- blocks of the trace and their roots (roots.c) ------------------------------------------ */

/*
 * Calls refer to roots by file, offset of the block and number of the record. Kept: 64 bytes a
 * block, 24 a root. A block that cloud_block_at returned is valid until the next one is added.
 */

/* How many rows there were at some place of the trace. */
typedef struct cloud_rows {
    uint64_t slices;
    uint64_t tags;
    uint64_t roots;
} cloud_rows;

typedef struct cloud_block {
    uint32_t file;
    uint32_t offset;
    size_t first; /* number of the first root in it */
    int64_t real; /* ms */
    uint32_t thread;
    uint32_t before; /* number + 1 of the block of this thread before it; 0: none */
    cloud_rows rows; /* before those of the block */
} cloud_block;

typedef struct cloud_root {
    uint32_t record;
    uint32_t word;
    uint32_t slice : 31;   /* id in stack_slice - cloud_roots.first_slice; 0: no row */
    uint32_t promised : 1; /* a record of its call was written, and was not found so far */
    int32_t since;         /* ms from the clock of its block to the start */
    uint32_t enters;       /* invocations in it, its own included */
    int32_t dur;           /* ms, -1: it did not end */
} cloud_root;

typedef struct cloud_roots {
    ts_vec blocks; /* cloud_block, by file and offset */
    ts_vec roots;  /* cloud_root, by block and record */
    int64_t first_slice;
} cloud_roots;

/* A root that a call refers to. */
typedef struct cloud_found_root {
    size_t number;
    size_t block;    /* the number of its block */
    uint32_t thread; /* its number */
    uint32_t word;   /* of its method */
    int64_t start;   /* ms */
    int64_t slice;   /* id in stack_slice; 0: not in --time-range, or not certain */
    uint32_t enters; /* invocations in it, its own included */
    int32_t dur;     /* ms, -1: it did not end */
} cloud_found_root;

/* Rows of stack_slice, cloud_tag and cloud_root at present. */
cloud_rows cloud_rows_now(const cloud_pod *pod);

/* Adds the block that begins at an offset of the file that is read; `first` and `rows` are set
 * here. *number: as cloud_block_at takes it. */
ts_code cloud_block_add(size_t *number, cloud_pod *pod, cloud_block block, uint64_t offset);

static inline const cloud_block *cloud_block_at(const cloud_roots *roots, size_t number)
{
    return (const cloud_block *)roots->blocks.p + number;
}

static inline cloud_root *cloud_root_at(const cloud_roots *roots, size_t number)
{
    return (cloud_root *)roots->roots.p + number;
}

/* Adds a root to the last block. slice: id in stack_slice, or 0. *number: of the root. */
ts_code cloud_root_add(size_t *number, cloud_pod *pod, const cloud_root *root, int64_t slice);

/* The root ended after so many ms. */
void cloud_root_end(cloud_roots *roots, size_t number, int64_t dur);

/* Its id in stack_slice, or 0. */
int64_t cloud_root_slice(const cloud_roots *roots, size_t number);

/* The slice of the first root of a block that has one and comes after the given root, or 0. */
int64_t cloud_block_slice_behind(const cloud_roots *roots, size_t block, size_t number);

/* The root is not certain: calls find no slice of it. */
void cloud_root_forget(cloud_roots *roots, size_t number);

/* The same for all roots from that number on. */
void cloud_roots_forget_from(cloud_roots *roots, size_t first);

/* Was something read of this file of the trace? */
bool cloud_has_trace(const cloud_roots *roots, uint32_t file);

/* Whether a block begins at the place or after it. */
bool cloud_traced_behind(const cloud_roots *roots, uint32_t file, uint32_t offset);

/* The root that begins at this place of the trace. False: none does. */
bool cloud_root_find(cloud_found_root *found, const cloud_roots *roots, uint32_t file,
                     uint32_t offset, uint32_t record);

/* Roots whose calls have a record that was not found. */
uint64_t cloud_roots_promised(const cloud_roots *roots);

/* --- the trace (trace.c) -------------------------------------------------------------------- */

/* Where a thread is in the trace. */
typedef struct cloud_trace_place {
    int64_t last;    /* ms of its last event */
    size_t root;     /* number of the root that is open */
    bool resync;     /* the next end is that of the root; set while the depth is not known */
    bool lost;       /* the depth is not known; with resync up to its next end */
    bool has_info;   /* the open root's call.info was read */
    uint32_t block;  /* number + 1 of its last block */
    cloud_rows sure; /* when it last was certain that nothing was open */
    bool open;       /* the trace has no end of the root */
    bool ended;      /* but it has a record, which is written after its end */
} cloud_trace_place;

ts_code cloud_trace_import(cloud_pod *pod);

/* --- interruptions (interrupt.c) ------------------------------------------------------------ */

/* All of the trace was read: closes what is open. */
ts_code cloud_trace_end(cloud_pod *pod);

/* A file of the trace follows another one. gap: files between them are missing. What was open
 * before a gap or damage is closed. */
ts_code cloud_trace_follow(cloud_pod *pod, bool gap);

/* The same of what is in a root, which begins in the block, and of its length. */
ts_code cloud_distrust_root(cloud_pod *pod, size_t block, size_t root);

/* The root has a record. Is its end, which is written before that, not in the trace? True once. */
bool cloud_trace_lacks_end(cloud_thread *t, size_t root);

/* All calls were read. Roots of which cloud_trace_lacks_end was true: unless the trace was only
 * cut, what is in them is not certain, except for their beginning. strayed: a record has no
 * root where the trace goes on. */
ts_code cloud_distrust_ended(cloud_pod *pod, bool strayed);

/* --- threads and their open frames, which live across blocks and files (threads.c) ---------- */

/* Threads move when one is added. Times are ms since 1970. */

/* Deeper stacks are taken for damage, and so is more that is open on all threads of a pod. */
enum { CLOUD_MAX_DEPTH = 1000000, CLOUD_MAX_OPEN = 2000000 };

/* How an invocation ends: stack_slice.state. */
typedef enum cloud_end {
    CLOUD_ENDED,
    CLOUD_OPEN, /* the recording ends before it */
    CLOUD_LOST  /* the end may be in a part that is missing */
} cloud_end;

typedef struct cloud_frame {
    int64_t slice; /* 0: not wanted */
    int64_t node;
    int64_t start;    /* ms */
    int64_t children; /* ms of its callees */
} cloud_frame;

struct cloud_thread {
    uint64_t tid;
    int64_t itid;
    cloud_frame *frames;
    uint32_t depth;
    uint32_t cap;
    bool named;
    bool busy; /* is in cloud_threads.busy */
    cloud_trace_place at;
};

typedef struct cloud_threads {
    ts_vec list;   /* cloud_thread */
    ts_idmap ids;  /* to places in list */
    ts_vec busy;   /* uint32_t: numbers of threads that may have something open */
    uint32_t open; /* invocations, on all threads */
} cloud_threads;

/* The thread's number, given when new. */
ts_code cloud_thread_of(uint32_t *number, cloud_pod *pod, uint64_t tid);

static inline cloud_thread *cloud_thread_at(const cloud_threads *threads, uint32_t number)
{
    return (cloud_thread *)threads->list.p + number;
}

/* The outermost open one, and the innermost; there is one. */
static inline const cloud_frame *cloud_thread_root(const cloud_thread *t)
{
    return &t->frames[0];
}

static inline const cloud_frame *cloud_thread_top(const cloud_thread *t)
{
    return &t->frames[t->depth - 1];
}

/* The call path of the frame at this depth, from 1; 0 for depth 0. */
static inline int64_t cloud_thread_node(const cloud_thread *t, uint32_t depth)
{
    return depth == 0 ? 0 : t->frames[depth - 1].node;
}

/* Something of the thread may be open from now on: it is among the busy ones. */
ts_code cloud_thread_busy(cloud_pod *pod, cloud_thread *t);

/* The busy thread with this number among them, which is busy no longer, or NULL. */
cloud_thread *cloud_thread_idle(cloud_threads *threads, size_t i);

/* An invocation begins or ends on the thread; the stack is not empty for a pop. */
ts_code cloud_push(cloud_pod *pod, cloud_thread *t, uint32_t word, int64_t ms);
ts_code cloud_pop(cloud_pod *pod, cloud_thread *t, int64_t ms, cloud_end end);

/* The thread's name, unless it has one. */
ts_code cloud_name_thread(cloud_pod *pod, cloud_thread *thread, ts_text name);

/* --- amounts of memory and of bytes read and written (amounts.c) ---------------------------- */

/*
 * The agent's encoder of long numbers ends too early from 2^28 on when the low 28 bits of the
 * number fit into three groups of 7 bits: then they are all that the record of the call holds. The
 * tags at the end of its root have the same amounts as text, in full. Only amounts that may be
 * truncated are kept, one in 128 of the large ones.
 */

typedef enum cloud_amount_kind {
    CLOUD_MEMORY,
    CLOUD_FILE_READ,
    CLOUD_FILE_WRITTEN,
    CLOUD_NET_READ,
    CLOUD_NET_WRITTEN,
    CLOUD_AMOUNTS
} cloud_amount_kind;

typedef struct cloud_amount {
    size_t root; /* its number */
    cloud_amount_kind kind;
    int64_t value; /* as a tag of the root has it, in full */
} cloud_amount;

/* Decimal digits of the smallest amount that may be truncated. */
enum { CLOUD_AMOUNT_DIGITS = 9 };

/* A tag of the root with this number; `text` is its value. */
ts_code cloud_amount_note(cloud_pod *pod, size_t root, uint32_t word, ts_text text);

/* All of the trace was read. */
void cloud_amounts_end(cloud_pod *pod);

/* --- records of finished calls, formats 0 to 4 (calls.c) ------------------------------------ */

/* The file that is being read. */
typedef struct cloud_calls {
    int format;
    int64_t last; /* start of the call before, ms; at first that of the file */
    bool lost;    /* that did not fit: no start is known any more */
    int64_t record;
    int64_t sure;  /* the last row whose beginning is that of its root, or none of this file's */
    int64_t shift; /* ms from last to what the record before says, when its root says otherwise */
    bool strayed;  /* a record has no root where the trace goes on */
    ts_vec names;  /* uint32_t: numbers in thread_names */
    ts_pool thread_names; /* of all files */
    ts_buf name;          /* scratch: of the record's thread, until its row is put */
} cloud_calls;

ts_code cloud_calls_import(cloud_pod *pod);

/* All calls were read: roots that say that there is a record, which was not found. */
ts_code cloud_calls_end(cloud_pod *pod);

struct cloud_pod {
    ts_job *job;
    ts_ctx *ctx;
    ts_store *store;
    ts_sink *sink;
    int64_t source_id;
    int64_t ipid;
    ts_tally *counts[CLOUD_ITEMS];
    ts_span wanted;
    int64_t first_ms; /* of what was imported */
    int64_t last_ms;
    bool agent;  /* the files are those of the agent itself: not framed */
    ts_buf text; /* scratch of the stream that is imported */

    cloud_stream stream;
    cloud_words words;
    ts_buf param_signature; /* scratch */
    cloud_suspend suspend;
    cloud_texts texts;
    bool roots_have_info;  /* a root ended with call.info, as all do */
    bool trace_incomplete; /* its last file ended in damage */
    cloud_threads threads;
    cloud_paths paths;
    cloud_roots roots;
    ts_vec amounts; /* cloud_amount: few */
    cloud_calls calls;
};

/* Moves `low` to the first number in low..high - 1 of which `before`, said of `mid`, is false. It
 * is true of all before that one. */
#define CLOUD_BISECT(low, high, mid, before)                                                       \
    while ((low) < (high)) {                                                                       \
        size_t mid = (low) + ((high) - (low)) / 2;                                                 \
        if (before) {                                                                              \
            (low) = mid + 1;                                                                       \
        } else {                                                                                   \
            (high) = mid;                                                                          \
        }                                                                                          \
    }

#define CLOUD_NS_PER_MS INT64_C(1000000)

/* Do these ms fit 64 bits as ns? */
static inline bool cloud_fits(int64_t ms)
{
    return ms >= INT64_MIN / CLOUD_NS_PER_MS && ms <= INT64_MAX / CLOUD_NS_PER_MS;
}

/* For ms that fit. */
static inline int64_t cloud_ns(int64_t ms)
{
    return ts_sat_mul(ms, CLOUD_NS_PER_MS);
}

static inline void cloud_note_time(cloud_pod *pod, int64_t ms)
{
    if (ms < pod->first_ms) {
        pod->first_ms = ms;
    }
    if (ms > pod->last_ms) {
        pod->last_ms = ms;
    }
}

static inline bool cloud_wanted(const cloud_pod *pod, int64_t ms)
{
    const ts_span *wanted = &pod->wanted;
    return (wanted->from == INT64_MIN && wanted->to == INT64_MAX) ||
           ts_span_has(wanted, cloud_ns(ms));
}

/* Is this a time that a recording may have: 2000-01-01 to 2100-01-01, in ms? */
static inline bool cloud_plausible_ms(uint64_t ms)
{
    return ms >= UINT64_C(946684800000) && ms < UINT64_C(4102444800000);
}

static inline void cloud_count(cloud_pod *pod, cloud_item item)
{
    pod->counts[item]->seen++;
    pod->counts[item]->imported++;
}

static inline void cloud_count_skipped(cloud_pod *pod, cloud_item item)
{
    pod->counts[item]->seen++;
    pod->counts[item]->skipped++;
}

static inline void cloud_count_lost(cloud_pod *pod, cloud_item item)
{
    pod->counts[item]->seen++;
    pod->counts[item]->lost++;
}

/* Imports the files of one pod, which are sorted here. The source's row is there already. */
ts_code cloud_pod_import(ts_job *job, int64_t source_id, cloud_file *files, size_t n, bool agent);

/* Imports the stream of the file that was opened, by its kind. */
ts_code cloud_pod_read_stream(cloud_pod *pod);

/* Names the pod. The name may contain when the agent began. */
ts_code cloud_source_name(ts_job *job, int64_t id, const char *p, size_t n);

/* --- conversations (conversation.c) --------------------------------------------------------- */

/*
 * A TCP conversation between an agent and its collector, both directions in one file. Its streams
 * are taken apart into anonymous spools; each pod is imported when the next one begins, or at the
 * end.
 */

typedef struct cloud_conversation cloud_conversation;

/* Bytes that sniffing looks at. */
enum { CLOUD_CONVERSATION_HEAD = 13 };

/* Do the bytes begin a conversation? */
bool cloud_is_conversation(const uint8_t *p, size_t n);

/* source_id: of the file; the first pod gets it too. Caller frees. */
ts_code cloud_conversation_new(cloud_conversation **out, ts_job *job, int64_t source_id);
ts_code cloud_conversation_feed(cloud_conversation *c, const uint8_t *p, size_t n);

/* Imports what is left; counts the bytes. TS_ERR_FORMAT when no pod was there. */
ts_code cloud_conversation_finish(cloud_conversation *c);
void cloud_conversation_free(cloud_conversation *c);

#endif
