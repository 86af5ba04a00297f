/*
 * Stream files: which stream of which pod a file belongs to, by its name. No state; the caller owns
 * the structs and the names in them. Facts: docs/formats.md, "Cloud Profiler".
 */
#ifndef TS_PARSERS_CLOUD_FILE_NAMES_H
#define TS_PARSERS_CLOUD_FILE_NAMES_H

#include "base/spool.h"

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

#endif
