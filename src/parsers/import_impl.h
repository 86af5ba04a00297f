/* What import*.c share: the state of a run, and the calls between its parts. */
#ifndef TS_PARSERS_IMPORT_IMPL_H
#define TS_PARSERS_IMPORT_IMPL_H

#include "base/buf.h"
#include "parsers/import.h"

typedef struct shared_block {
    struct shared_block *next;
    const char *key;
    void *bytes;
    ts_shared_calls calls;
} shared_block;

/* A member of a set that its format has others import. */
typedef struct import_inner {
    int64_t parent_id;
    ts_member_import *out;
    uint32_t failures; /* of inputs in it */
} import_inner;

/* What was opened before its turn; see import_ahead.c. */
typedef struct import_opened {
    ts_stream *stream; /* NULL: nothing */
    ts_fileset *set;   /* of the stream */
    uint32_t member;
    ts_fileset *own;  /* `set`, as long as it is of an argument that waits for its turn */
    const char *path; /* of `own`: the argument itself */
} import_opened;

struct import_fed;

struct ts_run {
    ts_ctx *ctx;
    ts_store *store;
    const ts_import_request *request;
    ts_import_result *result;
    ts_import_options options;
    uint8_t *block;
    size_t block_size;
    shared_block *shared;
    import_inner *inner; /* NULL: the inputs themselves are imported */
    /* What the rows call the input, see import_label.c */
    ts_text *bases; /* base names of the arguments, sorted; NULL: one argument */
    ts_text given;  /* the argument as given when others have its base name, else NULL */
    const ts_fileset
        *argument[2];         /* the set of the argument; and of the archive that its file is */
    bool by_file;             /* a directory whose files are recordings, each for itself */
    const ts_fileset *inside; /* an archive in such a directory */
    bool joined;              /* several arguments are read as one directory */
    ts_buf label;             /* of a member */
    ts_buf set_label;         /* of a set */
    import_opened ahead;
    const char *next; /* the argument after the present one if it is a set of its own, or NULL */
    struct import_fed *fed; /* the input whose bytes are fed, or NULL */
    bool failed;
    ts_error failure; /* the first one */
};

/* One directory, archive or single file that is being imported; archives nest. */
typedef struct import_level {
    ts_fileset *set;
    uint32_t next;
    uint32_t count;
    int64_t source_id; /* of an archive of which not all was imported, and what it counts */
    ts_tally *members;
    uint32_t passed;    /* members that are no recordings */
    uint32_t failed;    /* members that could not be read or imported */
    uint32_t databases; /* members of a directory that are left out, see import_is_database */
    uint8_t *taken;     /* members that a set format has read, or NULL */
    bool beside;        /* below such a set: what is no recording has been reported already */
} import_level;

/* --- import_sniff.c --- */

/* Where a text begins: after a byte order mark and blanks. */
size_t import_text_begins(ts_text head);

/* The first key of a JSON object, when it is in the head and is a plain word; else NULL. */
enum { IMPORT_MAX_KEY = 64 };
const char *import_first_key(char key[IMPORT_MAX_KEY], ts_text head);

/* The format of a stream. NULL: unknown. */
const ts_format *import_sniff(const char *name, ts_text head, bool whole);

/*
 * The same for a file beside those that a set format has read. NULL also for one that has the
 * content of a set's file without such a name: that format has left it out for a reason.
 */
const ts_format *import_sniff_beside(const char *name, ts_text head);

/* The set format that recognises the names of a set (a form: its parts), or NULL. */
const ts_format *import_sniff_set(const char *name, const char *const *names, uint32_t n,
                                  bool form);

/* --- import_label.c --- */

/* Before the first argument. Released by import_labels_close. Errors: memory. */
ts_code import_labels_open(ts_run *run);
void import_labels_close(ts_run *run);

/* n arguments are imported next, as one set when there are several. */
void import_labels_argument(ts_run *run, const char *const *paths, size_t n);

/* `set` is entered from `outer`, NULL for the argument's own. */
void import_labels_enter(ts_run *run, const ts_fileset *set, const ts_fileset *outer);

/*
 * What the rows call the member `name` of the set, or an argument that could not be opened (set
 * NULL), and what they call the set `name` itself. Each is valid until the next call for another
 * input. Errors: memory.
 */
ts_code import_label(const char **out, ts_run *run, const ts_fileset *set, const char *name);
ts_code import_label_set(const char **out, ts_run *run, const ts_fileset *set, const char *name);

/* --- import_set.c --- */

/* Imports all of the set that belongs to the format. The first reports what cannot be read. */
ts_code import_run_set_format(ts_run *run, const ts_format *format, ts_job *job, bool first);

/*
 * Set formats see a directory or an archive first, one after the other while there is something
 * for them. *taken: by member, what was read; NULL when no format took anything. Caller frees.
 */
ts_code import_try_set_formats(uint8_t **taken, ts_run *run, ts_fileset *set, uint32_t count);

/* Records damage of an archive or directory and what of it cannot be read, on a row of its own. */
ts_code import_note_archive(ts_run *run, ts_fileset *set, import_level *l);

/* After the last member of an archive or directory: counts those that were imported, lost and
 * skipped. */
ts_code import_count_members(ts_run *run, import_level *l);

/* --- import.c --- */

/* A failure of one input, with its label, that does not end the run. Returns the code when it must
 * end it. */
ts_code import_failed(ts_run *run, ts_code code, const ts_fileset *set, const char *label);

/* Imports what is in the set of an argument, and closes it, also after an error. */
ts_code import_members(ts_run *run, ts_fileset *set);

/* TS_ERR_FORMAT with the reason when the format cannot take an input that begins so. */
ts_code import_refused(ts_run *run, const ts_format *format, const char *name, ts_text head);

/* Fails because the input has no known format; damage: of its wrapper, or NULL. */
ts_code import_unknown(ts_run *run, const char *name, ts_text head, const ts_damage *damage);

/* The source that is around the inputs that are imported; 0: none. */
static inline int64_t import_parent(const ts_run *run)
{
    return run->inner == NULL ? 0 : run->inner->parent_id;
}

/* A job for the set, or for a member of it; its label and source are the caller's business. */
static inline ts_job import_job(ts_run *run, const char *name, ts_fileset *set)
{
    return (ts_job){.ctx = run->ctx,
                    .store = run->store,
                    .options = &run->options,
                    .name = name,
                    .set = set,
                    .run = run};
}

/* The row of the job's source: that of the input, with the format. in: the archive that
 * it is in, or NULL. */
ts_code import_job_source(ts_run *run, ts_job *job, const ts_format *format, const ts_fileset *in);

/* After an import: names it for meta and counts it. */
ts_code import_done(ts_run *run, const ts_format *format, const char *name);

/* --- import_stream.c --- */

/* Imports member i of the set, whose stream is open, with a source of its own. */
ts_code import_stream(ts_run *run, const ts_format *format, ts_stream *stream, ts_fileset *set,
                      uint32_t i, const ts_fileset *top);

/* Feeds a stream to the parser until it ends. *broken: reading failed on the way, after a part. */
ts_code import_feed(ts_run *run, const ts_format *format, void *parser, ts_stream *stream,
                    const ts_fileset *top, int64_t source_id, bool *broken);

/* A parser of one stream and what its end is compared with. */
typedef struct import_parser {
    const ts_format *format;
    ts_job job;
    void *self; /* NULL: not open */
    ts_row_marks from;
    uint64_t losses; /* before it */
} import_parser;

/* Makes the job's source and opens the parser; in: the archive that the input is in, or NULL. The
 * caller closes it with import_parser_close, also after an error. */
ts_code import_parser_open(import_parser *p, ts_run *run, const ts_fileset *in);
void import_parser_close(import_parser *p);

/* After the last byte. doubt: what makes all of it doubtful, or NULL; broken: reading failed. */
ts_code import_parser_finish(import_parser *p, ts_run *run, const ts_stream_end *end,
                             const ts_damage *doubt, bool broken);

/* Adds the bytes of an input to its source and to the run. */
void import_note_bytes(ts_run *run, int64_t source_id, uint64_t bytes);

/* --- import_fed.c --- */

/* Releases an input that was not fed to its end. */
void import_fed_close(ts_run *run);

/* --- import_stream.c --- */

/* Notes how a stream ended: its bytes, the damage of its wrapper. */
ts_code import_note_end(ts_run *run, ts_stream *stream, int64_t source_id);

/* The text may be wrong anywhere: so may what the rows since `from` say, which becomes NULL. */
ts_code import_doubt(ts_run *run, int64_t source_id, const ts_damage *doubt,
                     const ts_row_marks *from, uint64_t bytes);

/* A parser has to count every byte that it was given. */
ts_code import_check_bytes(ts_run *run, int64_t source_id, uint64_t bytes);

/* --- import_ahead.c --- */

/* Opens a member of a directory, or an argument, before its turn, when threads are allowed and
 * nothing else is open. No errors: what fails is opened anew when its turn comes. */
void import_ahead_member(ts_run *run, ts_fileset *set, uint32_t i);
void import_ahead_argument(ts_run *run, const char *path);

/* ts_fileset_open and ts_member_open, or what was opened already. */
ts_code import_ahead_open(ts_fileset **out, ts_run *run, const char *path);
ts_code import_ahead_take(ts_stream **out, ts_run *run, ts_fileset *set, uint32_t i);

/* Closes what is open of the set, which is about to be closed; NULL: of any. */
void import_ahead_drop(ts_run *run, const ts_fileset *set);

/* --- import_directory.c --- */

/* -D: all files of one recording that the device has split. */
ts_code import_directory(ts_run *run, const char *path);

#endif
