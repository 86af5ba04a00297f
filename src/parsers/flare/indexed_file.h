/*
 * A data file and its index. Format: docs/formats.md,
 * "Flare".
 *
 * The reader owns the flare_pair, from flare_pair_open (which may fail) to flare_pair_close; a
 * record is valid until the next call. Only indexed_file.c changes the
 * fields of flare_pair and flare_index.
 */
#ifndef TS_PARSERS_FLARE_PAIR_H
#define TS_PARSERS_FLARE_PAIR_H

#include "parsers/flare/member_files.h"

enum { FLARE_KEY_U32 = 4, FLARE_KEY_I64 = 5 };

typedef struct flare_index {
    flare_in in;
    bool usable;
    bool no_keys; /* offsets only */
    uint64_t start;
    uint64_t count; /* entries */
    uint8_t key_size;
} flare_index;

typedef struct flare_pair {
    flare_dir *dir;
    flare_in data;
    flare_index index;
    bool usable;      /* the data file */
    uint64_t start;   /* of its first record */
    uint64_t at;      /* record that comes next */
    uint64_t entry;   /* index entry that comes next */
    uint64_t checked; /* entries before it were found to be in order or were counted as bad */
    bool (*starts_well)(uint8_t first); /* how a payload may begin */
    uint64_t matched, bad_entries;
    uint64_t unmatched_inside, unmatched_tail; /* records without an entry */
} flare_pair;

typedef struct flare_record {
    uint64_t at; /* of its length */
    const uint8_t *p;
    size_t n;
    bool has_key;
    int64_t key;
    bool cut;    /* the file ends before the record does */
    bool longer; /* its length was taken from the index */
    bool used;   /* its entry has been passed */
} flare_record;

enum { FLARE_MAX_LONG = 16 * 1024 * 1024 };

/* key_type: code of the key's type in files that do not contain it. */
/* starts_well: may a payload begin with that byte? */
ts_code flare_pair_open(flare_pair *pair, flare_dir *dir, uint32_t index, uint32_t data,
                        unsigned key_type, bool (*starts_well)(uint8_t first));
void flare_pair_close(flare_pair *pair);
/* *end: there is no record. */
ts_code flare_pair_next(bool *end, flare_pair *pair, flare_record *record);
/* The record was right. */
void flare_pair_accept(flare_pair *pair, const flare_record *record);
/* The record was wrong. *again: it is longer than its length says, look again; else it is skipped.
 */
ts_code flare_pair_reject(bool *again, flare_pair *pair, flare_record *record, const char *why);
/* Begins at the last entry whose key is below `key` (binary search). *passed: entries before it,
 * each of which stands for one record or, in an index that is not dense, for several. */
ts_code flare_pair_seek(flare_pair *pair, int64_t key, uint64_t *passed);
/* No further record is wanted; returns the number of index entries that were not used. */
uint64_t flare_pair_stop(flare_pair *pair);
/* After the last record. */
ts_code flare_pair_finish(flare_pair *pair);

#endif
