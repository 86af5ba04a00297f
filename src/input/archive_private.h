/*
 * Inside of archives:
 *   archive.c        tar, and zip without a directory, through libarchive; the window on the bytes
 *   archive_names.c  names as members get them, links, the list as a whole
 *   zip_directory.c  the directories of a zip
 *   zip_member.c     members that are stored or deflated
 *   form.c           forms that were sent by HTTP
 *   form_chunks.c    bodies that were sent in chunks
 * Every member has the place of its header, so that it is reached without those before it.
 */
#ifndef TS_INPUT_ARCHIVE_PRIVATE_H
#define TS_INPUT_ARCHIVE_PRIVATE_H

#include "base/vec.h"
#include "input/input_private.h"

#include <locale.h>

/* A link waits until all members are known. */
typedef struct ts_archive_link {
    ts_member place; /* a zip holds the target as the link's data */
    char *name;
    char *target; /* NULL: it has to be read */
    bool hard;
} ts_archive_link;

/* What precedes the body of a form says of it. */
enum { TS_FORM_BOUNDARY = 256 };
typedef struct ts_form {
    uint64_t at;                     /* where the body begins */
    int64_t length;                  /* of the body as its head says; -1: it does not */
    char *target;                    /* of the request, or NULL */
    bool encoded;                    /* its transfer is, in a way that is not read */
    bool bare;                       /* its lines end with LF only */
    char boundary[TS_FORM_BOUNDARY]; /* with the two dashes */
    size_t boundary_n;
} ts_form;

/* A body in chunks, whose bytes are in a blob of their own since. */
typedef struct ts_form_chunks {
    bool decoded;
    const char *fault; /* where they ended too early, or NULL */
    uint64_t fault_at; /* in what was sent, as these are */
    uint64_t stray_at;
    uint64_t stray_n;
} ts_form_chunks;

struct ts_archive {
    ts_ctx *ctx;
    ts_fileset *set;
    ts_blob *blob;
    ts_wrap wrap;
    bool streaming;  /* a zip without a readable central directory: local headers only */
    locale_t locale; /* names are UTF-8 whatever the user's locale; 0 = none available */
    struct archive *a;
    uint64_t base; /* where the handle was opened */
    uint64_t next; /* ordinal of the next header */
    uint64_t out;  /* bytes that came out, inner archives and wrappers included */
    uint64_t entries;
    ts_vec links;   /* ts_archive_link */
    ts_vec removed; /* char *: what was removed from names, by origin - 1 */
    ts_form form;
    ts_form_chunks chunks;
    /* The window on the archive's bytes. */
    ts_code code; /* a failure of ours inside a callback of libarchive */
    uint64_t pos;
    bool at_end; /* libarchive asked for bytes after the last one */
    uint8_t *block;
    uint64_t block_off;
    size_t block_n;
    size_t block_want; /* of the next block, when it follows this one */
    uint64_t fetched;
};

/* Borrows the bytes from `off` on, at least `want` of them unless the end is nearer, until the next
 * call. want <= TS_INPUT_BLOCK. */
ts_code ts_archive_window(const uint8_t **p, size_t *n, ts_archive *ar, uint64_t off, size_t want);

/* --- the list --- */

typedef enum ts_entry_kind {
    TS_ENTRY_FILE,
    TS_ENTRY_LINK,
    TS_ENTRY_HARD_LINK,
    TS_ENTRY_OTHER
} ts_entry_kind;

/* Takes an entry with its name as found, NULL or "" for none. target: of a link, NULL when it is
 * the member's data. Directories are not given. */
ts_code ts_archive_add(ts_archive *ar, const ts_member *place, ts_entry_kind kind, const char *name,
                       const char *target);

/* All entries are there: members in the order of their places, links resolved, names distinguished.
 */
ts_code ts_archive_settle(ts_archive *ar);

/* Forgets what was listed. */
void ts_archive_forget(ts_archive *ar);

/* --- forms --- */

/* Lists the parts of a form; *usable is false when there is none. */
ts_code ts_form_list(bool *usable, ts_archive *ar);

/* Takes the chunks of a body apart that begins at `body`; the archive goes on with the bytes of
 * them, with what is before the body in front. */
ts_code ts_form_dechunk(ts_archive *ar, uint64_t body);

/* The bytes of a part. */
ts_code ts_form_layer(ts_layer **out, ts_archive *ar, const ts_member *m);

/* --- zip --- */

/* Lists the members by the directory at the end and by those of zips before it; *found is false
 * when there is none that can be read. */
ts_code ts_zip_list(bool *found, ts_archive *ar);

/* The bytes of a member whose place the directory gave. Only stored and deflated ones. */
ts_code ts_zip_layer(ts_layer **out, ts_archive *ar, const ts_member *m);
bool ts_zip_method_known(uint16_t method);

#endif
