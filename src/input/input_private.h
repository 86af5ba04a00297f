/*
 * Inside of the input layer: what filesets, streams and blobs are made of. Only src/input includes
 * it.
 *
 * A stream is a stack of layers. The lowest one reads an open file, a pipe or an archive member;
 * each one above takes a wrapper off. A layer has a window of bytes that were pulled but not taken
 * yet, so that whatever is above can look ahead.
 */
#ifndef TS_INPUT_PRIVATE_H
#define TS_INPUT_PRIVATE_H

#include "base/buf.h"
#include "input/input.h"
#include "base/spool.h"

#include <sys/types.h>

enum { TS_INPUT_BLOCK = 256 * 1024, TS_NAME_BYTES_MAX = 64 << 20 };

/* --- layers -------------------------------------------------------------------------------- */

typedef struct ts_layer ts_layer;
struct ts_layer {
    ts_ctx *ctx;
    ts_fileset *set; /* whose member it reads, or NULL */
    ts_layer *below; /* owned; NULL for the lowest */

    /* More bytes: *got of at most cap, 0 only at the end. */
    ts_code (*pull)(size_t *got, ts_layer *l, uint8_t *buf, size_t cap);
    void (*release)(ts_layer *l); /* what the layer itself holds; NULL = nothing */

    /* True when pull may be called with the reader's own memory: bytes do not depend on cap. */
    bool direct;
    uint8_t *buf;
    size_t cap;
    size_t at;
    size_t have;
    uint64_t taken; /* bytes that were handed on */
    bool ended;
    bool damaged;
    ts_damage damage;
};

/* Frees a stack of layers from the top down. NULL is allowed. */
void ts_layer_free(ts_layer *top);

/* Borrows the bytes at hand, at least `want` of them unless the end is nearer. */
ts_code ts_layer_window(const uint8_t **p, size_t *n, ts_layer *l, size_t want);
void ts_layer_take(ts_layer *l, size_t n);
ts_code ts_layer_read(size_t *got, ts_layer *l, void *buf, size_t cap);

/* Notes the first damage of a layer; the layer ends there. */
void ts_layer_damage(ts_layer *l, uint64_t offset, bool trailing, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* The damage that was just noted says that any byte that was handed on may be wrong. */
void ts_layer_doubt(ts_layer *l);

/* --- wrappers ------------------------------------------------------------------------------ */

struct ts_codec;

/* What is at the beginning: a codec's stream, the viewer's line, or neither. */
typedef struct ts_sniffed {
    const struct ts_codec *codec; /* NULL: not compressed */
    bool mark;
} ts_sniffed;

enum { TS_MARK_MAX = 1 << 20 };
#define TS_MARK_TEXT "MarkPositionJSON->"

/* What the first bytes are; `whole` says that nothing follows them. Errors: memory. */
ts_code ts_sniff_wrapper(ts_sniffed *out, ts_ctx *ctx, const uint8_t *p, size_t n, bool whole);
ts_wrap ts_sniff_archive(const uint8_t *p, size_t n);

/* Is this the begin of a form: of its body, or of a request with one? */
bool ts_form_begins(const char *p, size_t n);

/* A layer that decompresses what `below` gives; owns it from then on, also when it fails. */
ts_code ts_decompress_layer(ts_layer **out, ts_fileset *set, ts_layer *below,
                            const struct ts_codec *codec);

/* Puts a layer on *top that reads the ones below it, of a plain file of `set`, in a thread of its
 * own. *top stays as it is where the system gives no thread. The set may be used meanwhile.
 * Errors: memory. */
ts_code ts_ahead_layer(ts_layer **top, ts_fileset *set);

/* Initialises inflate with our memory. */
struct z_stream_s;
ts_code ts_inflate_open(struct z_stream_s *z, ts_ctx *ctx, int window_bits);

/* Tries to inflate the bytes: does this look like zlib data? */
ts_code ts_inflate_probe(bool *likely, ts_ctx *ctx, const uint8_t *p, size_t n, bool whole);

/* --- filesets ------------------------------------------------------------------------------ */

typedef struct ts_archive ts_archive;

typedef struct ts_member {
    char *name;       /* UTF-8 clean */
    char *path;       /* directory: the relative name as the file system has it; NULL = as name */
    char *field;      /* form: the name of its field */
    int64_t size;     /* archive: as its header says, -1 unknown */
    uint64_t seen;    /* raw bytes of it that were read, at most, for progress */
    uint64_t ordinal; /* archive: number of its header */
    ts_file_id file;  /* directory: which file the name led to when it was listed */
    uint64_t at;      /* archive: where its header begins */
    /* zip with a directory: what that says of the data */
    uint64_t packed;
    uint64_t room; /* where something else begins */
    uint32_t crc;
    uint16_t method;
    uint8_t origin; /* archive: what was removed from its name, see archive_names.c */
    bool encrypted;
    bool doubted; /* tar: no header follows where this one ends, so bytes of it may be missing */
    bool value;   /* form: of a field, no file */
    bool cut;     /* form: it ends without a boundary */
} ts_member;

struct ts_fileset {
    ts_ctx *ctx;
    ts_set_kind kind;
    char *name;  /* base name, UTF-8 clean */
    char *path;  /* as given */
    char *shown; /* the path for messages, printable */
    ts_fileset *parent;
    uint32_t parent_member;
    ts_fileset *children; /* entered and not closed yet */
    ts_fileset *sibling;
    uint32_t depth; /* wrappers around the members */

    ts_member *members;
    uint32_t count;
    uint32_t cap;
    uint64_t name_bytes;
    uint32_t skipped;
    uint32_t unread;
    char *unread_name; /* of the first one */
    uint64_t stray;    /* bytes that belong to no member */
    uint64_t stray_at;
    bool damaged;
    ts_damage damage;
    uint64_t raw_offset;
    int64_t raw_size;
    ts_fileset *copy_of; /* the set that a thread has this copy of, see ahead.c; else NULL */

    /* TS_SET_FILE */
    int fd;
    bool owns_fd;
    bool regular; /* can be read at random, from `start` on */
    off_t start;
    ts_buf replay; /* what a stream read from a pipe before its first ts_stream_read */
    bool keep;     /* bytes that are read go into `replay` */
    bool drained;  /* the pipe has ended */
    bool spent;    /* bytes are gone: it cannot be read from its begin any more */

    /* TS_SET_ARCHIVE */
    ts_archive *archive;
    bool listed;

    bool busy; /* a stream over a pipe or an archive is open */
};

/* Makes an empty set with these names (copied). On failure *out is NULL. */
ts_code ts_fileset_new(ts_fileset **out, ts_ctx *ctx, ts_set_kind kind, const char *name,
                       const char *shown);

/* Appends a member; `name` is as found (bytes). TS_ERR_LIMIT beyond TS_NAME_BYTES_MAX in all. */
ts_code ts_fileset_add(ts_member **out, ts_fileset *set, const char *name);

/* Counts an entry whose bytes are read under no name. */
ts_code ts_fileset_note_unread(ts_fileset *set, const char *name);

/* Counts bytes of an archive that belong to no member. */
void ts_fileset_note_stray(ts_fileset *set, uint64_t at, uint64_t n);

/* Counts one entry more, listed or not, against limits.archive_members. */
ts_code ts_fileset_entry(uint64_t *entries, ts_fileset *set);

void ts_fileset_damage_set(ts_fileset *set, uint64_t offset, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Member i was read up to `pos`. */
void ts_fileset_progress(ts_fileset *set, uint32_t i, uint64_t pos);

/* Fails with TS_ERR_LIMIT when `out` bytes came out of `in`, and that are too many: what: "zlib
 * data inflates". */
ts_code ts_check_unpacked(ts_ctx *ctx, const char *what, uint64_t out, uint64_t in);

/* n bytes more came out of a member of the set: charged to the archives around it. TS_ERR_LIMIT. */
ts_code ts_fileset_charge(ts_fileset *set, uint64_t n);

/* The member's name for messages, into buf. */
const char *ts_member_shown(char *buf, size_t cap, const ts_fileset *set, uint32_t i);

/* A printable copy of a name for messages. Caller frees. */
ts_code ts_printable(char **out, ts_ctx *ctx, const char *s);

/* Lists the directory that fd is open on, sorted. What cannot be read is damage of the set. */
ts_code ts_directory_list(ts_fileset *set, int fd);

/* Opens for reading, never creates. `shown` is the path for the message. */
ts_code ts_open_for_reading(int *fd, ts_ctx *ctx, const char *path, int flags, const char *shown);

/* "root/name". Caller frees; NULL on failure. */
ts_code ts_join_path(char **out, ts_ctx *ctx, const char *root, const char *name);

/* Lowest layers. */
ts_code ts_file_layer(ts_layer **out, ts_fileset *set, uint32_t i);
ts_code ts_archive_layer(ts_layer **out, ts_fileset *set, uint32_t i);

/* The descriptor of a file layer over a regular file, with its first byte's place; -1 otherwise. */
int ts_file_layer_fd(off_t *start, const ts_layer *l);

/* The length of the hole at the next byte of a file layer; 0 when there is none. */
ts_code ts_file_layer_hole(uint64_t *n, ts_layer *l);
void ts_file_layer_skip(ts_layer *l, uint64_t n);

/* The layer gives its descriptor away and does not close it any more; false when the set owns it.
 */
bool ts_file_layer_give_fd(ts_layer *l);

/* --- archives ------------------------------------------------------------------------------ */

/* Takes the blob, also when it fails. */
ts_code ts_archive_new(ts_archive **out, ts_fileset *set, ts_blob *blob, ts_wrap wrap);
void ts_archive_free(ts_archive *ar);
ts_code ts_archive_list(ts_fileset *set);

/* True when the blob reads the argument itself; then progress in the archive is progress there. */
bool ts_blob_direct(const ts_blob *b);

/* --- streams ------------------------------------------------------------------------------- */

struct ts_stream {
    ts_ctx *ctx;
    ts_fileset *set;
    uint32_t member;
    ts_layer *top;
    ts_layer *bottom;
    uint32_t depth;  /* wrappers around the bytes */
    uint64_t marked; /* bytes of the mark line that was taken off */
    uint64_t offset;
    ts_wrap wrap;
    bool locks; /* the set's busy flag is ours */
    bool ahead; /* a thread reads it */
    char wrappers[64];
};

/* A blob of the first `size` bytes of a spool, which it owns: what those of another one stand for.
 */
ts_code ts_blob_decoded(ts_blob **out, const ts_blob *encoded, ts_spool *spool, uint64_t size);

/* Makes a blob of an unread stream, which is closed in any case. */
ts_code ts_blob_of_stream(ts_blob **out, ts_stream *s);

#endif
