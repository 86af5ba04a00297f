/*
 * What Datakit calls a profile: what was recorded of one process at one time. Each source whose
 * samples or calls have stacks is one. A source says what it knows itself or what the sources
 * around it say; what was not recorded is an empty text or TS_NO_TIME.
 *
 * Memory: some 300 bytes a source, and their texts.
 */
#ifndef TS_EXPORT_EXPORT_UPLOADS_H
#define TS_EXPORT_EXPORT_UPLOADS_H

#include "base/hash.h"
#include "base/pool.h"
#include "base/vec.h"
#include "model/call_stacks.h"

/* Texts of an upload. */
typedef enum ts_upload_text {
    TS_UP_ID, /* a UUID; of sources without one it is made of their rows: equal ones have equal ids
               */
    TS_UP_AGENT_VER,
    TS_UP_ENDPOINT,
    TS_UP_SERVICE,
    TS_UP_ENV,
    TS_UP_VERSION,
    TS_UP_HOST,
    TS_UP_PID,
    TS_UP_LANGUAGE, /* as Datakit writes it: java, golang, python, nodejs ...; or arkts */
    TS_UP_LANGUAGE_VER,
    TS_UP_RUNTIME,
    TS_UP_RUNTIME_OS,
    TS_UP_RUNTIME_ARCH,
    TS_UP_FORMAT,
    TS_UP_PATH, /* of the input */
    TS_UP_TEXTS
} ts_upload_text;

typedef struct ts_upload {
    int64_t source_id;
    int64_t owner;   /* the source that it is a file of, or itself */
    bool own_stacks; /* the source has samples or calls */
    bool stacks;     /* it, or a file of it, has */
    bool profile;    /* it has a row in profile */
    size_t first_tag, tags;
    size_t first_file, files;
    ts_text texts[TS_UP_TEXTS];
    int64_t start, end;           /* ns of the epoch, or TS_NO_TIME */
    int64_t dur;                  /* ns, or TS_NO_TIME; of clocks of any kind */
    int64_t own_start, own_end;   /* on the source's clock */
    int64_t first, last;          /* beginning of the first sample or call, end of the last */
    int64_t realtime;             /* what is added to times of the source; TS_NO_TIME: not known */
    int64_t boottime, real_start; /* as the recording states them; TS_NO_TIME: it does not */
    ts_hash hash;
} ts_upload;

/* What an upload is made of, as ts_export.needs has it. */
#define TS_NEEDS_SAMPLES "stack_sample (sampled stacks), stack_slice (traced calls)"

/* A tag that is none of the texts. */
typedef struct ts_upload_tag {
    ts_text key, value;
} ts_upload_tag;

typedef struct ts_uploads {
    ts_vec by_source;  /* ts_upload, by source_id; all sources, those without stacks too */
    ts_vec parents;    /* int64_t, by source_id; INT64_MAX: none */
    ts_vec lossy;      /* int64_t: ids of sources that are not complete */
    ts_vec by_profile; /* int64_t: source_id, by id of profile */
    ts_vec tags;       /* ts_upload_tag, profile by profile */
    ts_vec files;      /* ts_text: names of attachments, profile by profile */
    ts_pool texts;
} ts_uploads;

/*
 * Reads all sources: their texts only (of methods' languages), or, with `rows`, all of the above,
 * for which samples, calls, values and methods are read. Release with ts_uploads_free, also after
 * an error.
 */
ts_code ts_uploads_load(ts_uploads *u, ts_ctx *ctx, ts_reader *reader, bool rows);
void ts_uploads_free(ts_uploads *u, ts_ctx *ctx);

/* The upload of a source: that which it is a file of, or itself. NULL: there is no such source. */
const ts_upload *ts_uploads_find(const ts_uploads *u, int64_t source_id);

#endif
