/*
 * Tar archives, and zips without a readable directory, through libarchive.
 *
 * Members are listed once, by their headers alone, and each keeps the place and the ordinal of its
 * header. Reading a member goes on with the open handle when its header is the next one; otherwise
 * a new handle begins at the place of the header, so no member is reached by unpacking those before
 * it. After damage the handle is dropped, because it may be elsewhere than the list says.
 *
 * libarchive reads through callbacks on a window of the archive's bytes; a failure of ours in one
 * is kept in ar->code and wins over what libarchive reports. Damage ends a member, never the
 * import; where the archive goes on after it, the member's values are doubted. Every byte that
 * comes out is charged to all archives around it (ts_fileset_charge): --max-inflate and the ratio
 * hold for the sum.
 */
#include "input/archive_private.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <archive.h>
#include <archive_entry.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    FIRST_BLOCK = 32 * 1024, /* headers are small and far apart; longer where bytes are read on */
    TAR_BLOCK = 512,
};

/* --- what libarchive calls --- */

static int fail_callback(ts_archive *ar, struct archive *a, ts_code code)
{
    ar->code = code;
    archive_set_error(a, EIO, "reading failed");
    return ARCHIVE_FATAL;
}

/* Fills the window from `off` on: short after a jump, longer and longer where bytes are read on. */
static ts_code fetch(ts_archive *ar, uint64_t off, size_t want)
{
    ts_fileset *set = ar->set;
    uint64_t size = ts_blob_size(ar->blob);
    bool follows = off >= ar->block_off && off - ar->block_off <= ar->block_n;
    size_t got;
    ar->block_want = follows && ar->block_n > 0 ? ar->block_want * 2 : (size_t)FIRST_BLOCK;
    ar->block_want = ar->block_want < TS_INPUT_BLOCK ? ar->block_want : (size_t)TS_INPUT_BLOCK;
    want = want < ar->block_want ? ar->block_want : want;
    ar->block_n = 0;
    TS_TRY(ts_blob_read(&got, ar->blob, off, ar->block, want));
    ar->block_off = off;
    ar->block_n = got;
    if (set->listed) {
        ar->fetched += got;
        set->raw_offset = ar->fetched < size ? ar->fetched : size;
        if (set->parent != NULL && ts_blob_direct(ar->blob)) {
            ts_fileset_progress(set->parent, set->parent_member, set->raw_offset);
        }
    }
    return TS_OK;
}

ts_code ts_archive_window(const uint8_t **p, size_t *n, ts_archive *ar, uint64_t off, size_t want)
{
    uint64_t size = ts_blob_size(ar->blob);
    uint64_t left = off < size ? size - off : 0;
    *p = ar->block;
    *n = 0;
    want = left < want ? (size_t)left : want;
    if (left == 0) {
        return TS_OK;
    }
    if (off < ar->block_off || off - ar->block_off >= ar->block_n ||
        ar->block_n - (size_t)(off - ar->block_off) < want) {
        TS_TRY(fetch(ar, off, want));
    }
    *p = ar->block + (off - ar->block_off);
    *n = ar->block_n - (size_t)(off - ar->block_off);
    return TS_OK;
}

static la_ssize_t on_read(struct archive *a, void *user, const void **p)
{
    ts_archive *ar = user;
    if (ar->code != TS_OK) {
        return fail_callback(ar, a, ar->code);
    }
    size_t n;
    const uint8_t *at;
    ts_code code = ts_archive_window(&at, &n, ar, ar->pos, 1);
    if (code != TS_OK) {
        return fail_callback(ar, a, code);
    }
    *p = at;
    ar->pos += n;
    ar->at_end = n == 0;
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

static uint64_t where(const ts_archive *ar)
{
    la_int64_t at = archive_filter_bytes(ar->a, 0);
    return ar->base + (at > 0 ? (uint64_t)at : 0);
}

/* Begins at a header. *known is false when libarchive does not find what it looks for: damage. */
static ts_code archive_open_handle(bool *known, ts_archive *ar, uint64_t at, uint64_t ordinal)
{
    *known = false;
    close_handle(ar);
    ar->pos = at;
    ar->base = at;
    ar->next = ordinal;
    ar->code = TS_OK;
    ar->at_end = false;
    ar->a = archive_read_new();
    if (ar->a == NULL) {
        return ts_fail(ar->ctx, TS_ERR_NOMEM, "out of memory while '%s' was opened",
                       ar->set->shown);
    }
    int r = ar->wrap == TS_WRAP_TAR ? archive_read_support_format_tar(ar->a)
                                    : archive_read_support_format_zip_streamable(ar->a);
    if (r == ARCHIVE_OK && ar->wrap == TS_WRAP_TAR) {
        /* Else what is after an end mark would be lost without a word. */
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
    ts_archive_forget(ar);
    ts_blob_close(ar->blob);
    ts_free(ar->ctx, ar->form.target);
    ts_free(ar->ctx, ar->block);
    ts_free(ar->ctx, ar);
}

/* --- listing --- */

static ts_code list_entry(ts_archive *ar, struct archive_entry *entry)
{
    la_int64_t at = archive_read_header_position(ar->a);
    ts_member place = {.ordinal = ar->next - 1, .at = ar->base + (at > 0 ? (uint64_t)at : 0)};
    const char *target = archive_entry_hardlink(entry);
    ts_entry_kind kind = TS_ENTRY_OTHER;
    place.size = archive_entry_size_is_set(entry) ? archive_entry_size(entry) : -1;
    place.encrypted = archive_entry_is_encrypted(entry) != 0;
    if (target != NULL && place.size <= 0) {
        kind = TS_ENTRY_HARD_LINK;
    } else if (archive_entry_filetype(entry) == AE_IFREG) {
        kind = TS_ENTRY_FILE;
    } else if ((target = archive_entry_symlink(entry)) != NULL) {
        kind = TS_ENTRY_LINK;
    }
    ts_code code = ts_fileset_entry(&ar->entries, ar->set);
    if (code != TS_OK || archive_entry_filetype(entry) == AE_IFDIR) {
        return code;
    }
    return ts_archive_add(ar, &place, kind, archive_entry_pathname(entry), target);
}

/*
 * A member of a tar has no checksum. No header is where the last one ends: bytes of it may have
 * been taken out or put in, so that its end is that of another, or lies before its own.
 */
static void doubt_last(ts_archive *ar)
{
    ts_fileset *set = ar->set;
    if (set->count > 0 && set->members[set->count - 1].ordinal + 1 == ar->next) {
        set->members[set->count - 1].doubted = true;
    }
}

/* All headers of the handle; *usable is false when not even the first could be read. */
static ts_code archive_list_all(bool *usable, ts_archive *ar)
{
    ts_code code = archive_open_handle(usable, ar, 0, 0);
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
            code = list_entry(ar, entry);
            continue;
        }
        if ((code = failure(ar)) != TS_OK) {
            break;
        }
        *usable = ar->next > 0;
        ts_fileset_damage_set(ar->set, where(ar), "archive is damaged: %s", why(ar->a));
        /* In a tar the next good header is looked for. */
        if (r != ARCHIVE_RETRY) {
            break;
        }
        doubt_last(ar);
    }
    close_handle(ar);
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
    bool usable = false;
    ts_code code = TS_OK;
    ts_archive_forget(ar);
    set->damaged = damage != NULL;
    if (damage != NULL) {
        set->damage = *damage;
    }
    if (ar->wrap == TS_WRAP_FORM) {
        return ts_form_list(&usable, ar);
    }
    if (ar->wrap == TS_WRAP_ZIP) {
        code = ts_zip_list(&usable, ar);
    }
    ar->streaming = ar->wrap == TS_WRAP_ZIP && !usable;
    if (code == TS_OK && ar->streaming) {
        ts_fileset_damage_set(
            set, ts_blob_size(ar->blob),
            "zip archive has no readable directory at its end: members were found "
            "by their own headers");
    }
    TS_STEP_IF(code, !usable, archive_list_all(&usable, ar));
    TS_STEP_IF(code, ar->wrap == TS_WRAP_TAR, check_tar_end(ar));
    TS_STEP(code, ts_archive_settle(ar));
    return code;
}

/* --- limits --- */

ts_code ts_fileset_charge(ts_fileset *set, uint64_t n)
{
    ts_code code = TS_OK;
    for (; set != NULL && code == TS_OK; set = set->parent) {
        ts_archive *ar = set->archive;
        if (ar == NULL) {
            continue;
        }
        uint64_t in = ts_blob_size(ar->blob);
        ar->out += n;
        /* What is stored as it is may be as large as it likes. */
        if (ar->out > in) {
            char what[TS_ERROR_TEXT / 2];
            (void)snprintf(what, sizeof what, "'%s' unpacks", set->shown);
            code = ts_check_unpacked(set->ctx, what, ar->out, in);
        }
    }
    return code;
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
    bool doubted;
} entry_layer;

static ts_code next_block(entry_layer *e)
{
    ts_archive *ar = e->archive;
    const void *p = NULL;
    size_t n = 0;
    la_int64_t off = (la_int64_t)e->pos;
    int r = archive_read_data_block(ar->a, &p, &n, &off);
    if (r != ARCHIVE_OK && r != ARCHIVE_EOF) {
        TS_TRY(failure(ar));
        ts_layer_damage(&e->base, where(ar), false, "archive member is damaged: %s", why(ar->a));
        if (!ar->at_end) {
            /* Else it is only cut: what came before is right. */
            ts_layer_doubt(&e->base);
        }
    }
    e->done = r != ARCHIVE_OK;
    if (r != ARCHIVE_OK && r != ARCHIVE_EOF && r != ARCHIVE_WARN) {
        return TS_OK;
    }
    if (off < 0 || (uint64_t)off < e->pos) {
        ts_layer_damage(&e->base, where(ar), false, "archive member has overlapping parts");
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
        ts_layer_damage(&e->base, where(ar), false,
                        "archive member ends after %" PRIu64 " of %" PRId64 " bytes", e->pos,
                        e->size);
    }
    if (r == ARCHIVE_EOF && e->doubted) {
        ts_layer_damage(&e->base, where(ar), false,
                        "archive member is damaged: no header follows it");
        ts_layer_doubt(&e->base);
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
 * After a damaged member the handle may be elsewhere than when the headers were listed, which
 * is done without reading members: the next member is then looked for with a new handle.
 */
static void entry_release(ts_layer *l)
{
    if (l->damaged) {
        close_handle(((entry_layer *)l)->archive);
    }
}

/* Reads the header with that ordinal, which is the next; false when it cannot be read with this
 * handle. */
static ts_code advance(bool *found, ts_archive *ar, uint64_t ordinal)
{
    *found = false;
    while (ar->next <= ordinal) {
        struct archive_entry *entry;
        ts_code code;
        TS_TRY_INTO(code, ts_check_cancel(ar->ctx));
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

/*
 * The streamable reader of zips looks for a header only at the very place, but knows where a member
 * begins only as "after the one before it".
 */
static ts_code find_local_header(uint64_t *at, ts_archive *ar, const ts_member *m)
{
    const uint8_t *p;
    size_t n;
    *at = m->at;
    ts_code code = ts_archive_window(&p, &n, ar, m->at, FIRST_BLOCK);
    if (code == TS_OK && ar->wrap == TS_WRAP_ZIP && n > 0) {
        const uint8_t *found = memmem(p, n, "PK\3\4", 4);
        *at += found == NULL ? 0 : (uint64_t)(found - p);
    }
    return code;
}

static ts_code go_to(bool *found, ts_archive *ar, const ts_member *m)
{
    ts_code code = TS_OK;
    bool known = ar->a != NULL && ar->next == m->ordinal;
    *found = false;
    if (known) {
        code = advance(found, ar, m->ordinal);
    }
    /* Elsewhere, or a member that ended in damage took the handle with it: begin anew. */
    if (code == TS_OK && !*found) {
        uint64_t at;
        code = find_local_header(&at, ar, m);
        TS_STEP_IF(code, (code = archive_open_handle(&known, ar, at, m->ordinal)) == TS_OK && known,
                   advance(found, ar, m->ordinal));
    }
    if (code != TS_OK) {
        close_handle(ar);
    }
    return code;
}

static ts_code entry_layer_new(ts_layer **out, ts_archive *ar, const ts_member *m)
{
    ts_ctx *ctx = ar->ctx;
    bool found = false;
    ts_code code = TS_OK;
    if (!m->encrypted && (code = go_to(&found, ar, m)) != TS_OK) {
        return code;
    }
    entry_layer *e = ts_zalloc(ctx, 1, sizeof *e);
    TS_NEED(ctx, e);
    e->base.ctx = ctx;
    e->base.pull = entry_pull;
    e->base.release = entry_release;
    e->base.direct = true;
    e->archive = ar;
    e->size = m->size;
    e->doubted = m->doubted;
    if (m->encrypted) {
        ts_layer_damage(&e->base, m->at, false, "archive member is encrypted and cannot be read");
        e->done = true;
    } else if (!found) {
        ts_layer_damage(&e->base, m->at, false, "archive member cannot be read any more");
        e->done = true;
    }
    *out = &e->base;
    return TS_OK;
}

ts_code ts_archive_layer(ts_layer **out, ts_fileset *set, uint32_t i)
{
    ts_archive *ar = set->archive;
    const ts_member *m = &set->members[i];
    bool own = ar->wrap == TS_WRAP_ZIP && !ar->streaming && !m->encrypted &&
               ts_zip_method_known(m->method);
    *out = NULL;
    if (ar->wrap == TS_WRAP_FORM) {
        return ts_form_layer(out, ar, m);
    }
    if (own) {
        close_handle(ar); /* it keeps a place in the window */
    }
    return own ? ts_zip_layer(out, ar, m) : entry_layer_new(out, ar, m);
}
