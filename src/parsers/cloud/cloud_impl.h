/*
 * What the files of this folder share. A pod is one start of a Java service under the agent; its
 * streams come from a directory, from flat files or out of a TCP conversation, and are imported in
 * the order in which they refer to each other: dictionary, params, suspend, sql and xml, trace,
 * calls.
 *
 * Kept per pod: 24 bytes a word and its text, 32 more with slots where ids are far apart, 16 a
 * pause, 16 a text, 64 a block, 16 a root, and the open frames of each thread. Arrays grow by half,
 * so that up to half as much is free.
 */
#ifndef TS_PARSERS_CLOUD_CLOUD_IMPL_H
#define TS_PARSERS_CLOUD_CLOUD_IMPL_H

#include "base/ckd.h"
#include "base/idmap.h"
#include "base/pool.h"
#include "parsers/cloud/reader.h"
#include "parsers/cloud/slots.h"
#include "parsers/format.h"

/* --- files --------------------------------------------------------------------------------- */

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

enum { CLOUD_STREAM_NAME = 48, CLOUD_LABEL = 80 };

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

/* --- a pod --------------------------------------------------------------------------------- */

typedef struct cloud_word {
    int64_t row;    /* id in cloud_dictionary; 0: not defined */
    int64_t method; /* id in stack_method; 0: not needed so far */
    uint32_t text;  /* number in cloud_pod.texts_of_words */
    bool signature; /* of a method: no tag has this name */
    bool param;     /* a parameter's name: no method has it */
} cloud_word;

/* A word whose id is far from the others. */
typedef struct cloud_far_word {
    uint32_t id;
    cloud_word word;
} cloud_far_word;

/* end and dur of all pauses so far; pauses are disjoint and in order of time. */
typedef struct cloud_pause {
    int64_t end;
    int64_t sum; /* with this one */
} cloud_pause;

/* A place in the numbered files of a stream, and the id of what stands there. */
typedef struct cloud_place {
    uint32_t file;
    uint32_t offset;
    int64_t id;
} cloud_place;

/* How many rows there were at some place of the trace. */
typedef struct cloud_rows {
    uint64_t slices;
    uint64_t tags;
    uint64_t roots;
} cloud_rows;

/* Where roots are found by the calls that refer to them. */
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
    uint32_t slice : 31;   /* id in stack_slice - cloud_pod.first_slice; 0: not in --time-range */
    uint32_t promised : 1; /* a record of its call was written, and was not met so far */
    int32_t since;         /* ms from the clock of its block to the start */
    uint32_t enters;       /* invocations in it, its own included */
    int32_t dur;           /* ms, -1: it did not end */
} cloud_root;

typedef struct cloud_frame {
    int64_t slice; /* 0: not wanted */
    int64_t node;
    int64_t start;    /* ms */
    int64_t children; /* ms of its callees */
} cloud_frame;

typedef struct cloud_thread {
    uint64_t tid;
    int64_t itid;
    cloud_frame *frames;
    uint32_t depth;
    uint32_t cap;
    int64_t last;    /* ms */
    size_t root;     /* number in cloud_pod.roots of the one that is open */
    bool resync;     /* the next end is that of the root; set while it is lost */
    bool lost;       /* how deep it is is not known; with resync up to its next end */
    bool told;       /* the open root's call.info was met */
    uint32_t block;  /* number + 1 of its last block */
    cloud_rows sure; /* when it last was certain that nothing was open */
    bool named;
    bool busy;  /* stands in cloud_pod.busy */
    bool open;  /* the trace has no end of the root */
    bool ended; /* but it has a record, which is written behind its end */
} cloud_thread;

/* Amounts of a call that the agent's encoder of long numbers may have cut (amounts.c). */
typedef enum cloud_amount_kind {
    CLOUD_MEMORY,
    CLOUD_FILE_READ,
    CLOUD_FILE_WRITTEN,
    CLOUD_NET_READ,
    CLOUD_NET_WRITTEN,
    CLOUD_AMOUNTS
} cloud_amount_kind;

typedef struct cloud_amount {
    size_t root; /* number in cloud_pod.roots */
    cloud_amount_kind kind;
    int64_t value; /* as a tag of the root has it, in full */
} cloud_amount;

/* A growing array; `size` bytes an element. */
typedef struct cloud_array {
    void *p;
    size_t n;
    size_t cap;
} cloud_array;

/* Room for one more element of `size` bytes; the caller fills it and counts it. */
ts_code cloud_grow(ts_ctx *ctx, cloud_array *a, size_t size);

/* The file of calls that is being read. */
typedef struct cloud_calls {
    int format;
    int64_t last; /* start of the call before, ms; at first that of the file */
    bool lost;    /* that did not fit: no start is known any more */
    int64_t record;
    int64_t sure;  /* the last row whose beginning is that of its root, or none of this file's */
    int64_t shift; /* ms from last to what the record before says, when its root says otherwise */
    cloud_array names; /* uint32_t: numbers in cloud_pod.thread_names */
    bool strayed;      /* a record has no root where the trace goes on */
} cloud_calls;

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

typedef struct cloud_pod {
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
    bool agent; /* the files are those of the agent itself: not framed */

    /* Compressed files, each the last of its stream. */
    uint64_t ended;
    uint64_t unended;

    /* The file that is being read. */
    const cloud_file *file;
    char label[CLOUD_LABEL];
    cloud_reader reader;
    bool newest;     /* the last one of its stream */
    bool damaged;    /* what follows is lost */
    const char *why; /* why no record can be at the reader's place; NULL: a text's length */
    uint64_t kept;   /* bytes up to the end of the last good record */

    uint32_t phrases; /* that began */
    ts_buf facts;     /* what its header says, for source_property */

    ts_buf text; /* scratch */
    ts_buf more; /* likewise */
    ts_buf name; /* likewise, for methods */

    cloud_array words;     /* cloud_word, by word id */
    cloud_array far_words; /* cloud_far_word, of ids that are not in words */
    cloud_slots far_slots;
    uint32_t word_count; /* that are defined */
    uint32_t word_end;   /* above the largest id */
    cloud_array by_text; /* uint32_t, by number in texts_of_words: id + 1 of the first such word */
    ts_pool texts_of_words;
    bool words_lost;        /* there are more than those */
    bool words_doubted;     /* nothing says which are right: none is given to anything */
    int64_t first_word;     /* row in cloud_dictionary */
    int64_t first_method;   /* row in stack_method */
    uint32_t last_word;     /* id of the next word in a dictionary without ids */
    int64_t word_call_info; /* -1: not there */
    int64_t word_java_thread;
    int64_t word_started; /* a tag at the end of roots that have a record in calls */
    int64_t word_node_name;
    int64_t word_amounts[CLOUD_AMOUNTS];

    cloud_array pauses;   /* cloud_pause */
    int64_t suspend_ms;   /* end of the last pause that was read */
    bool suspend_lost;    /* that did not fit */
    bool pauses_wrong;    /* the file's pauses contradict each other: their times are not known */
    bool pause_first;     /* the next one is the first of its file */
    int64_t pauses_known; /* ms: pauses that end later are not known */
    uint64_t file_pauses; /* rows before those of the file */
    cloud_array texts;    /* cloud_place: sql, then xml */
    size_t xml_first;

    cloud_array blocks;  /* cloud_block */
    cloud_array roots;   /* cloud_root */
    cloud_array amounts; /* cloud_amount: few */
    int64_t first_slice;
    cloud_array threads; /* cloud_thread */
    uint32_t open;       /* invocations, on all threads */
    cloud_array busy;    /* uint32_t: numbers of threads that may have something open */
    cloud_calls calls;
    ts_pool thread_names;
    bool roots_told;     /* a root ended with call.info, as all do */
    bool trace_torn;     /* a file of the trace did not end as it should */
    ts_idmap thread_ids; /* to places in threads */
} cloud_pod;

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
    pod->first_ms = ms < pod->first_ms ? ms : pod->first_ms;
    pod->last_ms = ms > pod->last_ms ? ms : pod->last_ms;
}

static inline bool cloud_wanted(const cloud_pod *pod, int64_t ms)
{
    return ts_span_has(&pod->wanted, cloud_ns(ms));
}

/* Is this a time that a recording may have: 2000-01-01 to 2100-01-01, in ms? */
static inline bool cloud_plausible_ms(uint64_t ms)
{
    return ms >= UINT64_C(946684800000) && ms < UINT64_C(4102444800000);
}

/* Imports the files of one pod, which are sorted here. The source's row is there already. */
ts_code cloud_pod_import(ts_job *job, int64_t source_id, cloud_file *files, size_t n, bool agent);

/* The row of a pod: that of the job for the first one. Its name may tell when the agent began. */
ts_code cloud_source(int64_t *id, ts_job *job, bool first);
ts_code cloud_source_name(ts_job *job, int64_t id, const char *p, size_t n);

/* What is wrong at an offset of the file that is being read. */
ts_code cloud_issue(cloud_pod *pod, ts_issue_code issue, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/*
 * n things that the recording refers to or implies are not there, or not as announced: an issue of
 * data loss says so, too. `what` is their kind, for import_count.
 */
ts_code cloud_lose(cloud_pod *pod, const char *what, uint64_t n);

/* The same for the source of a pod, or of the input. */
ts_code cloud_lose_of(ts_store *store, int64_t source_id, const char *what, uint64_t n);

/* An issue of something that is not there, which counts as lost. */
ts_code cloud_missing(cloud_pod *pod, ts_issue_code issue, const char *what, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The file ends in the middle of a record that begins at the reader's place: one item is lost. */
ts_code cloud_cut(cloud_pod *pod, cloud_item item, const char *what);

/* The bytes at the reader's place make no sense: what follows is lost. */
ts_code cloud_stop(cloud_pod *pod, const char *what);

/* The same for a record, which is counted as lost. */
ts_code cloud_stop_at(cloud_pod *pod, cloud_item item, const char *what);

/* No record can be at the cursor. */
static inline void cloud_refuse(cloud_pod *pod, cloud_cursor *c, const char *why)
{
    pod->why = why;
    cloud_fail(c, CLOUD_BAD);
}

/* Something that the file says of itself. */
ts_code cloud_fact(cloud_pod *pod, const char *name, int64_t value);

/* The file ends before its header does. */
ts_code cloud_no_header(cloud_pod *pod, size_t n);

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

/* --- the streams --------------------------------------------------------------------------- */

ts_code cloud_dictionary_import(cloud_pod *pod);
ts_code cloud_params_import(cloud_pod *pod);

/* The compression around the dictionary shows that something in it is wrong, but not what: its
 * words have no numbers, and methods no names. */
ts_code cloud_doubt_words(cloud_pod *pod);
/* Compares the agent's second dictionary, of the words that calls use, with the first. */
ts_code cloud_calls_words_check(cloud_pod *pod);
ts_code cloud_suspend_import(cloud_pod *pod);
ts_code cloud_texts_import(cloud_pod *pod);
ts_code cloud_trace_import(cloud_pod *pod);
ts_code cloud_calls_import(cloud_pod *pod);

/* Something shows that the block is not what the agent wrote: it is not certain, and what its
 * thread did since it last was certain that nothing was open is not, either. */
ts_code cloud_distrust(cloud_pod *pod, size_t block, const char *why);

/* The same of all that follows the last beginning of a call on the thread, except for that
 * beginning: the trace was read. Errors: memory. */
ts_code cloud_distrust_open(cloud_pod *pod, const cloud_thread *t);

/* The same of what stands in a call, which begins in the block, and of its length. */
ts_code cloud_distrust_root(cloud_pod *pod, const cloud_block *block, const cloud_root *root);

/* All files of the stream were read. */
ts_code cloud_dictionary_end(cloud_pod *pod);
void cloud_suspend_end(cloud_pod *pod);

/* Any byte of the file may be wrong: nothing is known of its pauses. Errors: memory. */
ts_code cloud_doubt_pauses(cloud_pod *pod);

/* state 1: the recording ends here. 2: what comes next in the trace is missing. */
ts_code cloud_close_frames(cloud_pod *pod, int state);

/* The row of stack_method of a word, made when new. */
ts_code cloud_method(int64_t *id, cloud_pod *pod, uint32_t word);

/* The word with this id among those that are far from the others, or NULL. */
cloud_word *cloud_far_word_of(const cloud_pod *pod, uint32_t id);

/* The word with this id, or NULL. */
static inline cloud_word *cloud_word_of(const cloud_pod *pod, uint32_t id)
{
    if (id < pod->words.n && ((cloud_word *)pod->words.p)[id].row != 0) {
        return (cloud_word *)pod->words.p + id;
    }
    return pod->far_words.n == 0 ? NULL : cloud_far_word_of(pod, id);
}

/* id in cloud_dictionary, or 0. */
static inline int64_t cloud_word_row(const cloud_pod *pod, uint32_t word)
{
    const cloud_word *w = cloud_word_of(pod, word);
    return w == NULL || pod->words_doubted ? 0 : w->row;
}

/* ms in [start, end) during which the Java VM was paused. */
int64_t cloud_paused(const cloud_pod *pod, int64_t start, int64_t end);

/* The id of a text, or 0. */
int64_t cloud_text_at(const cloud_pod *pod, cloud_kind kind, uint32_t file, uint32_t offset);

/* A tag or a parameter has a number that the dictionary lacks. */
ts_code cloud_no_word(cloud_pod *pod, const char *what, uint32_t word);

/* Was something read of this file of the trace? */
bool cloud_has_trace(const cloud_pod *pod, uint32_t file);
/* Does a block begin at the place or behind it? */
bool cloud_traced_behind(const cloud_pod *pod, uint32_t file, uint32_t offset);

/* The root that begins at this place of the trace, and the block that it is in, or NULL. */
cloud_root *cloud_root_at(const cloud_block **block, const cloud_pod *pod, uint32_t file,
                          uint32_t offset, uint32_t record);

/* All calls were read: roots that say that there is a record, which was not met. */
ts_code cloud_calls_end(cloud_pod *pod);

/* --- amounts ------------------------------------------------------------------------------- */

/* Decimal digits of the smallest amount that may be cut. */
enum { CLOUD_AMOUNT_DIGITS = 9 };

/* A tag of the root that is open on the thread; `text` is its value. */
ts_code cloud_amount_note(cloud_pod *pod, const cloud_thread *t, uint32_t word, ts_text text);

/* All of the trace was read. */
void cloud_amounts_end(cloud_pod *pod);

/* Mends the record of the call with this root. */
ts_code cloud_amounts_mend(cloud_pod *pod, const cloud_root *root, ts_row_cloud_call *row);

ts_code cloud_name_thread(cloud_pod *pod, cloud_thread *thread, ts_text name);

void cloud_trace_free(cloud_pod *pod);

#endif
