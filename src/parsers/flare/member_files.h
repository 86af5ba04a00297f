/*
 * Access to the members of a set. Those of a directory are read where they are; an archive is read
 * once, in its order, into a spool.
 *
 * The importer of the set owns flare_files from flare_files_open to flare_files_close, each reader
 * its flare_in. Only member_files.c and the inline functions here touch their fields. Format:
 * docs/formats.md, "Flare".
 */
#ifndef TS_PARSERS_FLARE_MEMBER_FILES_H
#define TS_PARSERS_FLARE_MEMBER_FILES_H

#include "base/spool.h"
#include "parsers/format.h"

typedef struct flare_dir flare_dir;

#define FLARE_NO_MEMBER UINT32_MAX

/* Where the bytes of an archive's member are in the spool. */
typedef struct flare_place {
    uint64_t at, size;
    bool there;
} flare_place;

/* All members of a set. An archive is read once, in its order, into a spool. */
typedef struct flare_files {
    ts_job *job;
    ts_spool *spool; /* NULL: members are opened where they are */
    flare_place *places;
    size_t block; /* bytes per read */
} flare_files;

/* One member, read at random through one window. */
typedef struct flare_in {
    flare_dir *dir;
    const char *name;
    ts_blob *blob;
    ts_spool *spool;
    uint64_t base; /* in the spool */
    uint64_t size; /* becomes smaller when reading fails */
    uint8_t *window;
    size_t cap;
    uint64_t at; /* position of the window */
    size_t have;
} flare_in;

/* True for a member that this format reads. */
typedef bool (*flare_wants)(const char *name);

ts_code flare_files_open(flare_files *files, ts_job *job, flare_wants wants);
void flare_files_close(flare_files *files);

/* *there: false when it cannot be read (an issue says so). Close it always. */
ts_code flare_in_open(bool *there, flare_in *in, flare_dir *dir, uint32_t member);
void flare_in_close(flare_in *in);

/* Borrows bytes at `off` until the next call: *got of them, less than n only at the end. */
ts_code flare_in_get(const uint8_t **p, size_t *got, flare_in *in, uint64_t off, size_t n);

#endif
