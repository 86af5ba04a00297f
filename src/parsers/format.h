/*
 * What a source format is to the rest of the program. A new format is one folder
 * with one such descriptor and one line in format_list.def.
 *
 * Parsers know the store's typed writers, never SQL, and never each other.
 */
#ifndef TS_PARSERS_FORMAT_H
#define TS_PARSERS_FORMAT_H

#include "base/context.h"
#include "base/text.h"
#include "input/input.h"
#include "tables/store.h"

/* What sniff may look at. It is pure: no I/O, no state. */
typedef struct ts_sniff {
    const char *name;         /* base name of the file or set */
    const uint8_t *head;      /* first bytes, unwrapped; NULL for a set */
    size_t n;                 /* at most TS_PEEK */
    bool whole;               /* head is the whole content */
    const char *json_key;     /* for a JSON object the first top-level key in `head`, else NULL */
    const char *const *names; /* for a directory or archive: its member names, sorted */
    uint32_t name_count;
    bool form; /* the set is a form that was sent by HTTP */
} ts_sniff;

/* Confidence 0 (not mine) to 100 (magic number). */
enum { TS_SNIFF_NO = 0, TS_SNIFF_WEAK = 20, TS_SNIFF_LIKELY = 60, TS_SNIFF_SURE = 100 };

/* Where -s writes the recordings that are contained in an input, byte-exact. NULL members: not
 * asked. */
typedef struct ts_extract {
    void *user;
    /* input: the job's name; name: "Snapshot0.heapsnapshot"; *file is handed to the others. */
    ts_code (*begin)(void *user, void **file, const char *input, const char *name);
    ts_code (*write)(void *file, const char *p, size_t n);
    /* complete: false when the recording was cut. After begin this is called, or drop. */
    ts_code (*end)(void *file, bool complete);
    /* An error stopped the import: the file is not to be. */
    void (*drop)(void *file);
} ts_extract;

typedef struct ts_import_options {
    bool directory_run;         /* -D: one source, state goes on from file to file */
    const ts_extract *extract;  /* -s, or NULL */
    size_t block_size;          /* bytes per read, for set formats; never changes the rows */
    const char *jfr_events;     /* --jfr-events: names divided by commas, or NULL */
    const char *format_options; /* what is after the name in --format NAME:OPTIONS, or NULL */
} ts_import_options;

/* What the imports of one run share: a block of zeroed bytes per key, owned by parsers/import.c. */
typedef struct ts_run ts_run;

/* One import of one stream or set. Lives for the time of the import; owned by parsers/import.c. */
typedef struct ts_job {
    ts_ctx *ctx;
    ts_store *store;
    const ts_import_options *options;
    int64_t source_id; /* the `source` row of this input file */
    const char *name;  /* its name, for messages */
    const char *label; /* what rows call it: the name, or where it is when other inputs have that */
    ts_fileset *set;   /* where it comes from */
    uint32_t member;   /* which member (stream formats) */
    bool text_bad;     /* set by `finish`: the text breaks before its end; see ts_stream_end */
    uint8_t *taken;    /* set formats: by member, see ts_job_take */
    ts_run *run;
} ts_job;

/* For set formats: the member was read, or what is wrong with it was reported. All others may be
 * recordings of other formats and are looked at afterwards. */
static inline void ts_job_take(ts_job *job, uint32_t member)
{
    if (job->taken != NULL) {
        job->taken[member] = 1;
    }
}

/* Another set format has read it before. */
static inline bool ts_job_taken(const ts_job *job, uint32_t member)
{
    return job->taken != NULL && job->taken[member] != 0;
}

/*
 * State that the imports of one run share (node ids that must not repeat, a row that stands for
 * all): `size` zeroed bytes per key, the same for every job of the run. `finish` is called after
 * the last import, when nothing stopped the run. Released with the run, after `release` has freed
 * what hangs on it. Both may be NULL.
 */
typedef struct ts_shared_calls {
    ts_code (*finish)(ts_ctx *ctx, ts_store *store, void *bytes);
    void (*release)(ts_ctx *ctx, void *bytes);
} ts_shared_calls;
ts_code ts_job_shared(void **out, ts_job *job, const char *key, size_t size, ts_shared_calls calls);

/*
 * A source below `parent_id` for a recording without a name of its own: it is called `prefix` and a
 * number, which counts over the run. The name is written to `name` too. prefix: static text.
 */
enum { TS_SOURCE_NAME = 32 };
ts_code ts_job_source(int64_t *id, char name[TS_SOURCE_NAME], ts_job *job, int64_t parent_id,
                      const char *kind, const char *format, const char *prefix);

/* For set formats: bytes of members that were opened. Counts them for meta and shows progress. */
void ts_job_read(ts_job *job, uint64_t bytes);

/*
 * How a stream ended. What was unpacked from a file that was cut is right. When it ends early and
 * its text makes no sense before that, it was not only cut: it is doubted as well.
 */
typedef struct ts_stream_end {
    uint64_t bytes;          /* unwrapped bytes fed */
    const ts_damage *damage; /* the wrapper's damage, or NULL */
    bool doubted;            /* any byte may be wrong: the values of the rows become NULL */
} ts_stream_end;

/* The same once the format has looked at the text. */
static inline bool ts_stream_doubted(const ts_stream_end *end, bool text_bad)
{
    return end->doubted || (text_bad && end->damage != NULL && !end->damage->trailing);
}

typedef struct ts_format {
    const char *name;        /* for --format */
    const char *title;       /* one line for --format=list */
    const char *source_type; /* meta.source_type */
    int (*sniff)(const ts_sniff *s);
    bool json; /* one JSON object: --format cannot make anything else of this format */
    /* Are these options of --format NAME:OPTIONS valid? NULL: the format has none. */
    bool (*check_options)(const char *options);

    /* Stream formats: fed blocks of any size. `finish` is called once, also for a cut stream;
     * `close` always, also after an error. */
    ts_code (*open)(void **self, ts_job *job);
    ts_code (*feed)(void *self, const uint8_t *p, size_t n);
    ts_code (*finish)(void *self, const ts_stream_end *end);
    /* As feed with n zero bytes, of which *used are taken at once, without looking at each. None
     * when it matters what they are: then some are fed. NULL: never. */
    ts_code (*feed_zeros)(void *self, uint64_t *used, uint64_t n);
    void (*close)(void *self);
    /* -D: the file that was fed has ended and `name` goes on with it; missing: files between them
     * are not there. NULL when the format's recordings are never split. */
    ts_code (*next_file)(void *self, const char *name, bool missing);

    /* Set formats (directories, archives of files that belong together): NULL for stream formats.
     */
    ts_code (*import_set)(ts_job *job);
    /* Set formats whose files may also be given one by one: arguments with such base names that
     * follow one another and are in one directory are a set. May be NULL. */
    bool (*joins)(const char *name);

    /* Content that is recognised only to be refused with advice (JFR of old JDKs): the sentence. */
    const char *refusal;
} ts_format;

/* Defines the format `ts_format_<name>` for the list. */
#define TS_SOURCE_FORMAT(name)                                                                     \
    extern const ts_format ts_format_##name;                                                       \
    const ts_format ts_format_##name

/* What became of a member that was given to ts_job_import. */
typedef struct ts_member_import {
    const ts_format
        *format;       /* of the recording, or of the first one in an archive; NULL: of none */
    int64_t source_id; /* its source; 0: none was made */
    uint64_t bytes;    /* unwrapped bytes that were read of it */
    bool failed;       /* something of it could not be imported: an issue says why */
    bool doubted;      /* any byte of it may be wrong */
    bool database;     /* it is a database in a directory, which is no recording */
} ts_member_import;

/*
 * For set formats whose members are recordings of other formats: imports member i with a source
 * below `parent_id`, by whatever format recognises it; an archive with all that is in it, of which
 * none may be a set again. What fails is recorded and no error. Errors: those that end a run.
 */
ts_code ts_job_import(ts_member_import *out, ts_job *job, uint32_t i, int64_t parent_id);

/* All formats of format_list.def, best first; NULL-terminated. */
extern const ts_format *const ts_formats[];

const ts_format *ts_format_find(const char *name);

#endif
