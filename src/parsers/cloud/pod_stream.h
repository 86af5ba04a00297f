/*
 * The stream file that is being read: its reader, what is wrong with it, and the walk over its
 * records (pod_stream.c) and phrases (records.c). Frames ("phrases") and streams: docs/formats.md,
 * "Cloud Profiler".
 *
 * The pod owns the cloud_stream from cloud_stream_open to cloud_stream_close; the file it reads is
 * the caller's. Only pod_stream.c, records.c and the inline functions here touch its fields.
 */
#ifndef TS_PARSERS_CLOUD_POD_STREAM_H
#define TS_PARSERS_CLOUD_POD_STREAM_H

#include "parsers/cloud/file_names.h"
#include "parsers/cloud/reader.h"
#include "parsers/format.h"

typedef struct cloud_pod cloud_pod;

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

void cloud_stream_close(cloud_pod *pod);

/* Imports one file. newest: it is the last one of its stream. */
ts_code cloud_stream_import(cloud_pod *pod, const cloud_file *file, bool newest);

/* All files were read: an agent that runs has ended none of its newest files, one that was stopped
 * has ended all. Anything else is a loss. */
ts_code cloud_stream_check_ends(cloud_pod *pod);

/* --- the place ------------------------------------------------------------------------------ */

static inline cloud_reader *cloud_stream_reader(cloud_stream *s)
{
    return &s->reader;
}

static inline uint64_t cloud_stream_offset(const cloud_stream *s)
{
    return cloud_offset(&s->reader);
}

static inline cloud_kind cloud_stream_kind(const cloud_stream *s)
{
    return s->file->kind;
}

/* The number of the file, from 1. */
static inline int64_t cloud_stream_index(const cloud_stream *s)
{
    return s->file->index;
}

/* Its name as recorded. */
static inline const char *cloud_stream_name(const cloud_stream *s)
{
    return s->file->stream;
}

/* Everything before the reader's place was imported. */
static inline void cloud_stream_keep(cloud_stream *s)
{
    s->kept = cloud_offset(&s->reader);
}

/* Offset after the last record that was imported. */
static inline uint64_t cloud_stream_kept(const cloud_stream *s)
{
    return s->kept;
}

/* What follows in the file is lost. */
static inline void cloud_stream_set_damaged(cloud_stream *s)
{
    s->damaged = true;
}

static inline bool cloud_stream_is_damaged(const cloud_stream *s)
{
    return s->damaged;
}

/* The record at the cursor is invalid. `why` is a constant. */
static inline void cloud_reject_record(cloud_stream *s, cloud_cursor *c, const char *why)
{
    s->why = why;
    cloud_fail(c, CLOUD_BAD);
}

/* --- issues --------------------------------------------------------------------------------- */

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

/* --- records -------------------------------------------------------------------------------- */

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

/* The reason of the last rejection, which is taken. */
const char *cloud_stream_take_reason(cloud_stream *s);

#endif
