/* What import.c and import_directory.c share. */
#ifndef TS_PARSERS_IMPORT_IMPL_H
#define TS_PARSERS_IMPORT_IMPL_H

#include "parsers/import.h"

typedef struct shared_block {
    struct shared_block *next;
    const char *key;
    void *bytes;
    ts_shared_calls calls;
} shared_block;

struct ts_run {
    ts_ctx *ctx;
    ts_store *store;
    const ts_import_request *request;
    ts_import_result *result;
    ts_import_options options;
    uint8_t *block;
    size_t block_size;
    shared_block *shared;
    bool failed;
    ts_error failure; /* the first one */
};

/* Formats that look at one stream. NULL: none knows it. */
const ts_format *import_sniff(const char *name, ts_text head, bool whole);

/* An input's own row. `set` gives the name of the archive that it stands in. */
ts_code import_source(ts_run *run, int64_t *id, const ts_fileset *set, const char *name);

/* Feeds a stream to the parser until it ends. *broken: reading failed on the way, after a part. */
ts_code import_feed(ts_run *run, const ts_format *format, void *parser, ts_stream *stream,
                    const ts_fileset *top, int64_t source_id, bool *broken);

/* Notes how a stream ended: its bytes, the damage of its wrapper. */
ts_code import_note_end(ts_run *run, ts_stream *stream, int64_t source_id);

/* The text may be wrong anywhere: so may what the rows since `from` say, which becomes NULL. */
ts_code import_doubt(ts_run *run, int64_t source_id, const ts_damage *doubt,
                     const ts_row_marks *from, uint64_t bytes);

/* A parser has to count every byte that it was given. */
ts_code import_check_bytes(ts_run *run, int64_t source_id, uint64_t bytes);

/* After an import: names it for meta and counts it. */
ts_code import_done(ts_run *run, const ts_format *format, const char *name);

/* -D: all files of one recording that the device has split. */
ts_code import_directory(ts_run *run, const char *path);

#endif
