#include "input/input_private.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <locale.h>
#include <stdio.h>
#include <string.h>

enum {
    LIST_BLOCK = 32 * 1024, /* headers are small and far apart */
    NAME_LEN_MAX = 4096,
    DIRECTORY_SLACK = 1024, /* signatures that may be counted twice or stand in data by accident */
    TAR_BLOCK = 512,
    ZIP_END = 22,
};

struct ts_archive {
    ts_ctx *ctx;
    ts_fileset *set;
    ts_blob *blob;
    ts_wrap wrap;
    bool streaming; /* a zip without a readable central directory: local headers only */
    bool listing;
    locale_t locale; /* names are UTF-8 whatever the user's locale; 0 = none to be had */
    struct archive *a;
    uint64_t next; /* ordinal of the next header */
    uint64_t out;  /* bytes that came out, inner archives and wrappers included */
    /* What libarchive reads through. */
    ts_code code; /* a failure of ours inside a callback */
    uint64_t pos;
    uint8_t *block;
    uint64_t block_off;
    size_t block_n;
    uint64_t fetched;
    uint64_t signatures; /* of central directory entries */
};

/* --- what libarchive calls --- */

static int fail_callback(ts_archive *ar, struct archive *a, ts_code code)
{
    ar->code = code;
    archive_set_error(a, EIO, "reading failed");
    return ARCHIVE_FATAL;
}

/*
 * libarchive reads the whole central directory of a zip before it gives the first header. So the
 * limit on members is watched here too, lest a hostile directory fill the memory.
 */
static ts_code count_signatures(ts_archive *ar)
{
    const uint8_t *p = ar->block;
    const uint8_t *end = ar->block + ar->block_n;
    if (ar->wrap != TS_WRAP_ZIP || ar->streaming || ar->next > 0) {
        return TS_OK;
    }
    while (end - p >= 4 && (p = memchr(p, 'P', (size_t)(end - p) - 3)) != NULL) {
        ar->signatures += memcmp(p, "PK\1\2", 4) == 0;
        p++;
    }
    if (ar->signatures > (uint64_t)ar->ctx->limits.archive_members + DIRECTORY_SLACK) {
        return ts_fail(ar->ctx, TS_ERR_LIMIT,
                       "'%s' has more than %" PRIu32 " entries, which is the limit", ar->set->shown,
                       ar->ctx->limits.archive_members);
    }
    return TS_OK;
}

static ts_code fetch(ts_archive *ar)
{
    size_t got;
    ts_code code = ts_blob_read(&got, ar->blob, ar->pos, ar->block,
                                ar->listing ? (size_t)LIST_BLOCK : (size_t)TS_INPUT_BLOCK);
    if (code != TS_OK) {
        return code;
    }
    ar->block_off = ar->pos;
    ar->block_n = got;
    if (!ar->listing) {
        ts_fileset *set = ar->set;
        uint64_t size = ts_blob_size(ar->blob);
        ar->fetched += got;
        set->raw_offset = ar->fetched < size ? ar->fetched : size;
        if (set->parent != NULL && ts_blob_direct(ar->blob)) {
            ts_fileset_progress(set->parent, set->parent_member, set->raw_offset);
        }
    }
    return count_signatures(ar);
}

static la_ssize_t on_read(struct archive *a, void *user, const void **p)
{
    ts_archive *ar = user;
    if (ar->code != TS_OK) {
        return fail_callback(ar, a, ar->code);
    }
    if (ar->pos < ar->block_off || ar->pos - ar->block_off >= ar->block_n) {
        ts_code code = fetch(ar);
        if (code != TS_OK) {
            return fail_callback(ar, a, code);
        }
    }
    size_t skip = (size_t)(ar->pos - ar->block_off);
    size_t n = ar->block_n - skip;
    *p = ar->block + skip;
    ar->pos += n;
    return (la_ssize_t)n;
}

static la_int64_t on_skip(struct archive *a, void *user, la_int64_t request)
{
    ts_archive *ar = user;
    uint64_t size = ts_blob_size(ar->blob);
    uint64_t left = ar->pos < size ? size - ar->pos : 0;
    (void)a;
    if (request <= 0) {
        return 0;
    }
    uint64_t n = (uint64_t)request < left ? (uint64_t)request : left;
    ar->pos += n;
    return (la_int64_t)n;
}

static la_int64_t on_seek(struct archive *a, void *user, la_int64_t off, int whence)
{
    ts_archive *ar = user;
    int64_t base = 0;
    int64_t pos;
    if (whence == SEEK_CUR) {
        base = (int64_t)ar->pos;
    } else if (whence == SEEK_END) {
        base = (int64_t)ts_blob_size(ar->blob);
    }
    if (ts_ckd_add(&pos, base, off) || pos < 0) {
        archive_set_error(a, EINVAL, "a position lies before the begin of the archive");
        return ARCHIVE_FATAL;
    }
    ar->pos = (uint64_t)pos;
    return pos;
}

/* --- the handle --- */

static void close_handle(ts_archive *ar)
{
    if (ar->a != NULL) {
        (void)archive_read_free(ar->a);
        ar->a = NULL;
    }
}

/* The code for a call that failed: ours when a callback did, else memory, else TS_OK: damage. */
static ts_code failure(ts_archive *ar)
{
    if (ar->code != TS_OK) {
        return ar->code;
    }
    if (archive_errno(ar->a) == ENOMEM) {
        return ts_fail(ar->ctx, TS_ERR_NOMEM, "out of memory while '%s' was unpacked",
                       ar->set->shown);
    }
    return TS_OK;
}

static const char *why(struct archive *a)
{
    const char *text = archive_error_string(a);
    return text != NULL ? text : "unknown reason";
}

static uint64_t where(struct archive *a)
{
    la_int64_t at = archive_filter_bytes(a, 0);
    return at > 0 ? (uint64_t)at : 0;
}

/* *known is false when libarchive does not find what it looks for: damage. */
static ts_code open_handle(bool *known, ts_archive *ar)
{
    *known = false;
    close_handle(ar);
    ar->pos = 0;
    ar->next = 0;
    ar->code = TS_OK;
    ar->block_n = 0;
    ar->signatures = 0;
    ar->a = archive_read_new();
    if (ar->a == NULL) {
        return ts_fail(ar->ctx, TS_ERR_NOMEM, "out of memory while '%s' was opened",
                       ar->set->shown);
    }
    int r = ARCHIVE_OK;
    if (ar->wrap == TS_WRAP_TAR) {
        r = archive_read_support_format_tar(ar->a);
    } else if (ar->streaming) {
        r = archive_read_support_format_zip_streamable(ar->a);
    } else {
        r = archive_read_support_format_zip_seekable(ar->a);
        (void)archive_read_set_seek_callback(ar->a, on_seek);
    }
    if (r == ARCHIVE_OK && ar->wrap == TS_WRAP_TAR) {
        /* Else what stands behind an end mark would be lost without a word. */
        r = archive_read_set_options(ar->a, "tar:read_concatenated_archives");
    }
    (void)archive_read_set_read_callback(ar->a, on_read);
    (void)archive_read_set_skip_callback(ar->a, on_skip);
    (void)archive_read_set_callback_data(ar->a, ar);
    if (r != ARCHIVE_OK) {
        ts_code code = failure(ar);
        return code != TS_OK
                   ? code
                   : ts_fail(ar->ctx, TS_ERR_INTERNAL, "libarchive cannot be used: %s", why(ar->a));
    }
    *known = archive_read_open1(ar->a) == ARCHIVE_OK;
    return *known ? TS_OK : failure(ar);
}

static int next_header(ts_archive *ar, struct archive_entry **entry)
{
    locale_t old = ar->locale != (locale_t)0 ? uselocale(ar->locale) : (locale_t)0;
    int r = archive_read_next_header(ar->a, entry);
    if (ar->locale != (locale_t)0) {
        (void)uselocale(old);
    }
    if (r == ARCHIVE_OK || r == ARCHIVE_WARN) {
        ar->next++;
    }
    return r;
}

ts_code ts_archive_new(ts_archive **out, ts_fileset *set, ts_blob *blob, ts_wrap wrap)
{
    ts_ctx *ctx = set->ctx;
    ts_archive *ar = ts_zalloc(ctx, 1, sizeof *ar);
    *out = NULL;
    if (ar == NULL) {
        ts_blob_close(blob);
        return ctx->error.code;
    }
    ar->ctx = ctx;
    ar->set = set;
    ar->blob = blob;
    ar->wrap = wrap;
    ar->block = ts_alloc(ctx, TS_INPUT_BLOCK, 1);
    if (ar->block == NULL) {
        ts_archive_free(ar);
        return ctx->error.code;
    }
    ar->locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", (locale_t)0);
    *out = ar;
    return TS_OK;
}

void ts_archive_free(ts_archive *ar)
{
    if (ar == NULL) {
        return;
    }
    close_handle(ar);
    if (ar->locale != (locale_t)0) {
        freelocale(ar->locale);
    }
    ts_blob_close(ar->blob);
    ts_free(ar->ctx, ar->block);
    ts_free(ar->ctx, ar);
}

/* --- listing --- */

/* Copies the name with "." and empty parts dropped; false for names that lead out of the archive.
 */
static bool tidy_name(char *out, const char *name)
{
    size_t n = 0;
    bool drive = ((name[0] | 0x20) >= 'a' && (name[0] | 0x20) <= 'z') && name[1] == ':' &&
                 (name[2] == '/' || name[2] == '\\');
    if (name[0] == '/' || name[0] == '\\' || drive || strlen(name) > NAME_LEN_MAX) {
        return false;
    }
    for (const char *p = name; *p != '\0';) {
        size_t len = strcspn(p, "/");
        for (const char *q = p; q < p + len;) { /* a backslash parts names elsewhere */
            size_t inner = strcspn(q, "/\\");
            if (inner == 2 && q[0] == '.' && q[1] == '.') {
                return false;
            }
            q += inner + (q[inner] == '\\');
        }
        if (len > 0 && !(len == 1 && p[0] == '.')) {
            if (n > 0) {
                out[n++] = '/';
            }
            memcpy(out + n, p, len);
            n += len;
        }
        p += len + (p[len] == '/');
    }
    out[n] = '\0';
    return n > 0;
}

static ts_code list_entry(ts_archive *ar, struct archive_entry *entry, uint64_t *entries)
{
    char tidy[NAME_LEN_MAX + 1];
    ts_fileset *set = ar->set;
    ts_member *m;
    ts_code code = ts_fileset_entry(entries, set);
    if (code != TS_OK || archive_entry_filetype(entry) == AE_IFDIR) {
        return code;
    }
    const char *name = archive_entry_pathname(entry);
    char unnamed[32];
    if (name == NULL) { /* said to be UTF-8 and is not */
        (void)snprintf(unnamed, sizeof unnamed, "unnamed-%" PRIu64, ar->next - 1);
        name = unnamed;
    }
    if (archive_entry_filetype(entry) != AE_IFREG || archive_entry_hardlink(entry) != NULL ||
        !tidy_name(tidy, name)) {
        set->skipped++;
        return TS_OK;
    }
    if ((code = ts_fileset_add(&m, set, tidy)) != TS_OK) {
        return code;
    }
    m->ordinal = ar->next - 1;
    m->size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1;
    m->encrypted = archive_entry_is_encrypted(entry) != 0;
    return TS_OK;
}

/* All headers of the handle; *usable is false when not even the first could be read. */
static ts_code list_all(bool *usable, ts_archive *ar)
{
    uint64_t entries = 0;
    ts_code code = open_handle(usable, ar);
    if (code == TS_OK && !*usable) {
        ts_fileset_damage_set(ar->set, 0, "archive is damaged: %s", why(ar->a));
    }
    while (code == TS_OK && *usable && (code = ts_check_cancel(ar->ctx)) == TS_OK) {
        struct archive_entry *entry;
        int r = next_header(ar, &entry);
        if (r == ARCHIVE_EOF) {
            break;
        }
        if (r == ARCHIVE_OK || r == ARCHIVE_WARN) {
            code = list_entry(ar, entry, &entries);
            continue;
        }
        if ((code = failure(ar)) != TS_OK) {
            break;
        }
        *usable = ar->next > 0;
        ts_fileset_damage_set(ar->set, where(ar->a), "archive is damaged: %s", why(ar->a));
        /* In a tar the next good header is looked for. */
        if (r != ARCHIVE_RETRY) {
            break;
        }
    }
    close_handle(ar);
    return code;
}

/* libarchive does not see an end record that is all there is. */
static ts_code is_empty_zip(bool *out, ts_archive *ar)
{
    uint8_t end[ZIP_END];
    size_t got;
    ts_code code = ts_blob_read(&got, ar->blob, 0, end, sizeof end);
    *out = code == TS_OK && got == sizeof end && memcmp(end, "PK\5\6", 4) == 0 && end[10] == 0 &&
           end[11] == 0 && ts_blob_size(ar->blob) == ZIP_END + end[20] + end[21] * 256U;
    return code;
}

static ts_code check_tar_end(ts_archive *ar)
{
    uint8_t last[TAR_BLOCK];
    uint64_t size = ts_blob_size(ar->blob);
    size_t got = 0;
    bool zero = size >= TAR_BLOCK;
    ts_code code = zero ? ts_blob_read(&got, ar->blob, size - TAR_BLOCK, last, TAR_BLOCK) : TS_OK;
    for (size_t i = 0; i < got; i++) {
        zero = zero && last[i] == 0;
    }
    if (code == TS_OK && !zero) {
        ts_fileset_damage_set(ar->set, size,
                              "tar archive has no end mark: it may have been cut off");
    }
    return code;
}

ts_code ts_archive_list(ts_fileset *set)
{
    ts_archive *ar = set->archive;
    const ts_damage *damage = ts_blob_damage(ar->blob);
    bool usable;
    set->damaged = damage != NULL;
    if (damage != NULL) {
        set->damage = *damage;
    }
    bool empty = false;
    if (ar->wrap == TS_WRAP_ZIP) {
        ts_code code = is_empty_zip(&empty, ar);
        if (code != TS_OK || empty) {
            return code;
        }
    }
    ar->streaming = false;
    ar->listing = true;
    ts_code code = list_all(&usable, ar);
    if (code == TS_OK && !usable && ar->wrap == TS_WRAP_ZIP) {
        set->damaged = damage != NULL;
        ts_fileset_damage_set(
            set, ts_blob_size(ar->blob),
            "zip archive has no readable directory at its end: members were found "
            "by their own headers");
        ts_fileset_clear(set);
        ar->streaming = true;
        code = list_all(&usable, ar);
    }
    if (code == TS_OK && ar->wrap == TS_WRAP_TAR) {
        code = check_tar_end(ar);
    }
    ar->listing = false;
    return code;
}

/* --- limits --- */

ts_code ts_fileset_charge(ts_fileset *set, uint64_t n)
{
    const ts_limits *limits = &set->ctx->limits;
    for (; set != NULL; set = set->parent) {
        ts_archive *ar = set->archive;
        uint64_t allowed;
        if (ar == NULL) {
            continue;
        }
        uint64_t in = ts_blob_size(ar->blob);
        ar->out += n;
        /* What is stored as it is may be as large as it likes. */
        if (ar->out > limits->max_inflate && ar->out > in) {
            return ts_fail(set->ctx, TS_ERR_LIMIT,
                           "'%s' unpacks to more than %" PRIu64
                           " bytes, which is the limit (--max-inflate)",
                           set->shown, limits->max_inflate);
        }
        if (ar->out > limits->inflate_grace && !ts_ckd_mul(&allowed, limits->inflate_ratio, in) &&
            ar->out > allowed) {
            return ts_fail(set->ctx, TS_ERR_LIMIT,
                           "'%s' unpacks to more than %" PRIu64
                           " times its size, which is the limit: %" PRIu64 " bytes from %" PRIu64,
                           set->shown, limits->inflate_ratio, ar->out, in);
        }
    }
    return TS_OK;
}

/* --- members --- */

typedef struct entry_layer {
    ts_layer base;
    ts_archive *archive;
    const uint8_t *p; /* libarchive's, until its next call */
    size_t n;
    uint64_t zeros; /* of a hole in a sparse member, before p */
    uint64_t pos;   /* of the next byte that libarchive should give */
    int64_t size;   /* as listed, or -1 */
    bool done;
} entry_layer;

static ts_code next_block(entry_layer *e)
{
    ts_archive *ar = e->archive;
    const void *p = NULL;
    size_t n = 0;
    la_int64_t off = (la_int64_t)e->pos;
    int r = archive_read_data_block(ar->a, &p, &n, &off);
    if (r != ARCHIVE_OK && r != ARCHIVE_EOF) {
        ts_code code = failure(ar);
        if (code != TS_OK) {
            return code;
        }
        ts_layer_damage(&e->base, where(ar->a), false, "archive member is damaged: %s", why(ar->a));
    }
    e->done = r != ARCHIVE_OK;
    if (r != ARCHIVE_OK && r != ARCHIVE_EOF && r != ARCHIVE_WARN) {
        return TS_OK;
    }
    if (off < 0 || (uint64_t)off < e->pos) {
        ts_layer_damage(&e->base, where(ar->a), false, "archive member has overlapping parts");
        e->done = true;
        return TS_OK;
    }
    e->zeros = (uint64_t)off - e->pos;
    e->pos = (uint64_t)off;
    if (r != ARCHIVE_EOF && n > 0) {
        e->p = p;
        e->n = n;
        e->pos += n;
    }
    if (r == ARCHIVE_EOF && e->size >= 0 && e->pos < (uint64_t)e->size) {
        /* Without memory for what it keeps of a member, libarchive says that it is empty. */
        ts_layer_damage(&e->base, where(ar->a), false,
                        "archive member ends after %" PRIu64 " of %" PRId64 " bytes", e->pos,
                        e->size);
    }
    return TS_OK;
}

static ts_code entry_pull(size_t *got, ts_layer *l, uint8_t *buf, size_t cap)
{
    entry_layer *e = (entry_layer *)l;
    ts_code code = ts_check_cancel(l->ctx);
    *got = 0;
    while (code == TS_OK && !e->done && e->n == 0 && e->zeros == 0) {
        code = next_block(e);
    }
    if (code != TS_OK) {
        return code;
    }
    if (e->zeros > 0) {
        *got = e->zeros < cap ? (size_t)e->zeros : cap;
        memset(buf, 0, *got);
        e->zeros -= *got;
    } else if (e->n > 0) {
        *got = e->n < cap ? e->n : cap;
        memcpy(buf, e->p, *got);
        e->p += *got;
        e->n -= *got;
    }
    return ts_fileset_charge(e->archive->set, *got);
}

/*
 * Behind a damaged member the handle may stand elsewhere than when the headers were listed, which
 * is done without reading members: the next member is then looked for with a new handle.
 */
static void entry_release(ts_layer *l)
{
    if (l->damaged) {
        close_handle(((entry_layer *)l)->archive);
    }
}

/* Reads headers until the one with that ordinal; false when it is not to be had with this handle.
 */
static ts_code advance(bool *found, ts_archive *ar, uint64_t ordinal)
{
    *found = false;
    while (ar->next <= ordinal) {
        struct archive_entry *entry;
        ts_code code = ts_check_cancel(ar->ctx);
        if (code != TS_OK) {
            return code;
        }
        int r = next_header(ar, &entry);
        if (r == ARCHIVE_EOF) {
            return TS_OK;
        }
        if (r != ARCHIVE_OK && r != ARCHIVE_WARN) {
            if ((code = failure(ar)) != TS_OK || r != ARCHIVE_RETRY) {
                return code;
            }
        }
    }
    *found = true;
    return TS_OK;
}

static ts_code go_to(bool *found, ts_archive *ar, uint64_t ordinal)
{
    ts_code code = TS_OK;
    bool known;
    *found = false;
    if (ar->a != NULL && ar->next <= ordinal) {
        code = advance(found, ar, ordinal);
    }
    /* A member that ended in damage takes the handle with it: begin anew. */
    if (code == TS_OK && !*found) {
        code = open_handle(&known, ar);
        if (code == TS_OK && known) {
            code = advance(found, ar, ordinal);
        }
    }
    if (code != TS_OK) {
        close_handle(ar);
    }
    return code;
}

ts_code ts_archive_layer(ts_layer **out, ts_fileset *set, uint32_t i)
{
    ts_ctx *ctx = set->ctx;
    const ts_member *m = &set->members[i];
    bool found = false;
    ts_code code = TS_OK;
    *out = NULL;
    if (!m->encrypted && (code = go_to(&found, set->archive, m->ordinal)) != TS_OK) {
        return code;
    }
    entry_layer *e = ts_zalloc(ctx, 1, sizeof *e);
    if (e == NULL) {
        return ctx->error.code;
    }
    e->base.ctx = ctx;
    e->base.pull = entry_pull;
    e->base.release = entry_release;
    e->base.direct = true;
    e->archive = set->archive;
    e->size = m->size;
    if (m->encrypted) {
        ts_layer_damage(&e->base, 0, false, "archive member is encrypted and cannot be read");
        e->done = true;
    } else if (!found) {
        ts_layer_damage(&e->base, 0, false, "archive member cannot be reached any more");
        e->done = true;
    }
    *out = &e->base;
    return TS_OK;
}
