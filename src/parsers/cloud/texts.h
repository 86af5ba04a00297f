/*
 * Long texts that tags refer to, found by file and offset. Streams sql and xml: docs/formats.md,
 * "Cloud Profiler".
 *
 * Kept: 16 bytes a text. cloud_texts belongs to the pod, zeroed, until cloud_texts_close; only
 * texts.c touches its fields.
 */
#ifndef TS_PARSERS_CLOUD_TEXTS_H
#define TS_PARSERS_CLOUD_TEXTS_H

#include "base/vec.h"
#include "parsers/cloud/file_names.h"

typedef struct cloud_pod cloud_pod;

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

void cloud_texts_close(cloud_pod *pod);

ts_code cloud_texts_import(cloud_pod *pod);

/* All files of sql were read; those of xml follow. */
void cloud_texts_end_sql(cloud_texts *texts);

/* The id of a text of CLOUD_SQL or CLOUD_XML, or 0. */
int64_t cloud_text_at(const cloud_texts *texts, cloud_kind kind, uint32_t file, uint32_t offset);

#endif
