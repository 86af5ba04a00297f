/*
 * Inputs as sets of named files (docs/formats.md, "Wrappers").
 *
 * A ts_fileset is one argument of the command line, or an archive met inside one: a single file
 * (also stdin or a pipe), a directory, a zip, a tar, or a form that was sent by HTTP
 * (multipart/form-data: its body, or the whole request), whose parts are members. Its members can
 * be listed, opened as streams and read at random. Wrappers of one stream (gzip, zlib) are taken
 * off transparently; a stream that turns out to be an archive is opened as a fileset of its own
 * (ts_member_enter).
 *
 * Nothing is ever written beside the input or in the current directory. What cannot be read twice
 * (stdin, pipes, compressed members) is spooled to an anonymous file when it must be.
 */
#ifndef TS_INPUT_INPUT_H
#define TS_INPUT_INPUT_H

#include "base/context.h"
#include "base/file_set.h"
#include "base/spool.h"
#include "base/text.h"

typedef struct ts_fileset ts_fileset;
typedef struct ts_stream ts_stream;
typedef struct ts_blob ts_blob;

typedef enum ts_set_kind { TS_SET_FILE, TS_SET_DIRECTORY, TS_SET_ARCHIVE } ts_set_kind;

/* What the first bytes of a member, unwrapped, say about its wrapping. */
typedef enum ts_wrap { TS_WRAP_NONE, TS_WRAP_ZIP, TS_WRAP_TAR, TS_WRAP_FORM } ts_wrap;

/*
 * Damage of a wrapper (truncated gzip, wrong checksum, bad archive header): a defect, not an error.
 * The bytes before it were delivered; the stream ends there.
 */
typedef struct ts_damage {
    uint64_t offset; /* in the wrapped bytes */
    bool trailing;   /* nothing is missing: bytes that do not belong there follow the end */
    bool doubtful;   /* delivered bytes may be wrong anywhere: see ts_stream_doubt */
    char what[160];  /* "gzip data ends early" */
} ts_damage;

/* --- filesets ----------------------------------------------------------------------------- */

/*
 * Opens an argument. "-" is stdin. A directory is listed recursively (relative names, sorted by
 * bytes, regular files only, symbolic links to files followed, to directories not). Errors:
 * TS_ERR_INPUT with path and reason. Caller frees with ts_fileset_close (which also closes what was
 * entered from it; streams and blobs must be closed before).
 */
ts_code ts_fileset_open(ts_fileset **out, ts_ctx *ctx, const char *path);
void ts_fileset_close(ts_fileset *set);

/*
 * The bytes of a spool as a file that is called `name`. The spool must outlive the set.
 */
ts_code ts_fileset_open_spool(ts_fileset **out, ts_ctx *ctx, const char *name, ts_spool *spool);

/*
 * Whether an input that begins with these bytes is read as it is: no wrapper, no archive, no line
 * before the recording. n: TS_PEEK, or fewer when they are all (`whole`). Errors: memory.
 */
ts_code ts_input_bare(bool *bare, ts_ctx *ctx, const uint8_t *p, size_t n, bool whole);

/*
 * Several arguments that name files of one directory, as one set of the kind TS_SET_DIRECTORY: as
 * if the directory held only these. A file that is not there shows when it is opened. n > 0.
 */
ts_code ts_fileset_open_files(ts_fileset **out, ts_ctx *ctx, const char *const *paths, size_t n);

ts_set_kind ts_fileset_kind(const ts_fileset *set);

/* The base name of the argument ("-" for stdin), or the member's name for an archive inside. */
const char *ts_fileset_name(const ts_fileset *set);

/* Members. Listing an archive reads its headers; a damaged one lists what could be read. */
ts_code ts_fileset_count(uint32_t *out, ts_fileset *set);
const char *ts_member_name(const ts_fileset *set,
                           uint32_t i); /* i < count; UTF-8 cleaned, "/"-separated */

/*
 * Of a form: the path that it was sent to, "" when only its body is there; NULL: the set is no
 * form. Known after ts_fileset_count. A part is called as its file, or as its field.
 */
const char *ts_fileset_form(const ts_fileset *set);

/* The field of a form that member i is in; NULL: the set is no form. *value: its text is the
 * field's value, and no file. */
const char *ts_member_field(bool *value, const ts_fileset *set, uint32_t i);

/*
 * What was there but is not listed; directories do not count. Known after ts_fileset_count.
 *
 * Skipped: links to what is listed under another name, so that nothing is missing. Unread: whatever
 * else cannot be read: links to what is not there, pipes, sockets, devices, directories that cannot
 * be listed. *first is the name of the first of these, or NULL.
 */
uint32_t ts_fileset_skipped(const ts_fileset *set);
uint32_t ts_fileset_unread(const char **first, const ts_fileset *set);

/* Bytes of an archive that belong to no member and are not all zero; *at is the first such place.
 */
uint64_t ts_fileset_stray(uint64_t *at, const ts_fileset *set);

/* Damage of the archive itself (listing), a part of a directory that cannot be listed, or NULL. */
const ts_damage *ts_fileset_damage(const ts_fileset *set);

/* Adds the files that a directory lists and whose names begin with `prefix` (""; all), as they were
 * when it was listed. Errors: memory. */
ts_code ts_fileset_files(ts_file_set *files, const ts_fileset *set, const char *prefix);

/* --- streams ------------------------------------------------------------------------------ */

/*
 * Opens a member with gzip and zlib wrappers taken off (up to limits.archive_depth in all, archives
 * included; deeper is TS_ERR_LIMIT, and so is data that inflates beyond limits.max_inflate or
 * limits.inflate_ratio, here or in a later read). A first line that begins with
 * "MarkPositionJSON->" is taken off too, when it ends within 1 MiB. Members are best opened in
 * order: an archive is then read once. One stream of a set may be open at a time. Caller closes
 * with ts_stream_close.
 *
 * A pipe or stdin can be opened anew as long as no stream or blob of it went beyond ts_stream_peek;
 * afterwards it is TS_ERR_INPUT ("can be read only once").
 */
ts_code ts_member_open(ts_stream **out, ts_fileset *set, uint32_t i);
void ts_stream_close(ts_stream *s);

/* Next bytes: *got of them, 0 at the end. Short reads are normal. TS_ERR_INPUT on a read error. */
ts_code ts_stream_read(size_t *got, ts_stream *s, void *buf, size_t cap);

/*
 * The stream is read by a thread of its own from now on if it is a compressed file, and not in an
 * archive or from a pipe, and no thread reads it yet; else nothing happens. The bytes are the same.
 * Other members of its set may be opened and read meanwhile. What damage and doubt there is, is
 * known at its end. Errors: memory.
 */
ts_code ts_stream_read_ahead(ts_stream *s);

/*
 * A hole of a sparse file begins here: *n zero bytes, which ts_stream_skip passes over without
 * reading them. 0 when there is none, it is small, or nothing is known (a pipe, a wrapper).
 */
ts_code ts_stream_hole(uint64_t *n, ts_stream *s);
void ts_stream_skip(ts_stream *s, uint64_t n);

/* Borrows the first bytes without consuming them (at most TS_PEEK); call before the first read. */
enum { TS_PEEK = 4096 };
ts_code ts_stream_peek(ts_text *head, ts_stream *s);

ts_wrap ts_stream_wrap(ts_stream *s);                  /* known after ts_stream_peek */
const char *ts_stream_wrappers(const ts_stream *s);    /* outermost first: "zlib+gzip", "" */
uint64_t ts_stream_offset(const ts_stream *s);         /* unwrapped bytes delivered */
const ts_damage *ts_stream_damage(const ts_stream *s); /* NULL while undamaged */

/*
 * Known at the end of the stream: the damage because of which any byte of it may be wrong, or NULL.
 * A checksum of a wrapper or of the archive around it disagrees, or compressed data makes no sense:
 * what was unpacked before may have come from damaged data as well. A text that only ends early is
 * not meant: what it has is right.
 */
const ts_damage *ts_stream_doubt(const ts_stream *s);

/* Raw bytes of the argument consumed so far, and their total (-1 unknown), for progress. */
uint64_t ts_fileset_raw_offset(const ts_fileset *set);
int64_t ts_fileset_raw_size(const ts_fileset *set);

/* Opens the archive that member i holds as a set (ts_stream_wrap said so). Depth counts. The inner
 * set is closed by the caller before the outer one. */
ts_code ts_member_enter(ts_fileset **out, ts_fileset *set, uint32_t i);

/* --- random access ------------------------------------------------------------------------ */

/* True when a blob of this member needs no spooling (a plain, uncompressed regular file). */
bool ts_member_seekable(ts_fileset *set, uint32_t i);

/* The unwrapped member at random; spools when it must. Caller closes with ts_blob_close. */
ts_code ts_member_blob(ts_blob **out, ts_fileset *set, uint32_t i);
void ts_blob_close(ts_blob *b);
uint64_t ts_blob_size(const ts_blob *b);

/* *got bytes at off: less than n only at the end (also when the file shrank). */
ts_code ts_blob_read(size_t *got, ts_blob *b, uint64_t off, void *buf, size_t n);
const ts_damage *ts_blob_damage(const ts_blob *b);

#endif
