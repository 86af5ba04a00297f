/*
 * A fileset is an argument as members: one file or pipe, the files of a directory, or the members
 * of an archive.
 *
 * Sets nest: an archive inside a member is a set whose parent is that of the member, and closing a
 * set closes all sets below it first, without recursion. Names are UTF-8 clean copies, at most
 * TS_NAME_BYTES_MAX bytes in all and limits.archive_members entries; `path` keeps the bytes that
 * the file system has. Of the damage to the set as a whole only the first is kept.
 *
 * raw_offset counts the raw bytes of the argument that were read, each once however often a member
 * is read: a member counts up to the highest position that was seen (`seen`). A thread that reads
 * ahead has a copy of the set (ahead.c) and counts in the original, atomically.
 */
#include "input/input_private.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* --- names --- */

/* What was put into the buffer as a text of its own, unless that failed. */
static ts_code own_text(char **out, ts_ctx *ctx, ts_buf *b, ts_code code)
{
    *out = NULL;
    TS_STEP_IF(code, (*out = ts_strndup(ctx, b->p == NULL ? "" : b->p, b->n)) == NULL,
               ctx->error.code);
    ts_buf_free(ctx, b);
    return code;
}

ts_code ts_printable(char **out, ts_ctx *ctx, const char *s)
{
    enum { SHOWN_MAX = 200 };
    ts_buf b = {0};
    return own_text(out, ctx, &b, ts_utf8_printable(ctx, &b, s, strlen(s), SHOWN_MAX));
}

static ts_code fileset_clean_name(char **out, ts_ctx *ctx, const char *s, size_t n)
{
    ts_buf b = {0};
    uint64_t replaced = 0;
    return own_text(out, ctx, &b, ts_utf8_clean(ctx, &b, &replaced, s, n));
}

/* The last part of a path; "/" stays "/". */
static void base_name(const char **p, size_t *n, const char *path)
{
    size_t end = strlen(path);
    while (end > 1 && path[end - 1] == '/') {
        end--;
    }
    size_t begin = end;
    while (begin > 0 && path[begin - 1] != '/') {
        begin--;
    }
    if (begin == end && end > 0) {
        begin = end - 1;
    }
    *p = path + begin;
    *n = end - begin;
}

ts_code ts_join_path(char **out, ts_ctx *ctx, const char *root, const char *name)
{
    ts_buf b = {0};
    size_t n = strlen(root);
    ts_code code = ts_buf_put(ctx, &b, root, n);
    TS_STEP_IF(code, n > 0 && root[n - 1] != '/', ts_buf_putc(ctx, &b, '/'));
    TS_STEP(code, ts_buf_put(ctx, &b, name, strlen(name) + 1));
    if (code != TS_OK) {
        ts_buf_free(ctx, &b);
    }
    *out = b.p;
    return code;
}

const char *ts_member_shown(char *buf, size_t cap, const ts_fileset *set, uint32_t i)
{
    const ts_member *m = &set->members[i];
    char *name = NULL;
    if (set->kind == TS_SET_FILE) {
        (void)snprintf(buf, cap, "%s", set->shown);
    } else if (ts_printable(&name, set->ctx, m->name) == TS_OK) {
        (void)snprintf(buf, cap, "%s%s%s", set->shown, set->kind == TS_SET_ARCHIVE ? ": " : "/",
                       name);
    } else {
        (void)snprintf(buf, cap, "%s: member %" PRIu32, set->shown, i);
    }
    ts_free(set->ctx, name);
    return buf;
}

/* --- making and freeing --- */

ts_code ts_fileset_new(ts_fileset **out, ts_ctx *ctx, ts_set_kind kind, const char *name,
                       const char *shown)
{
    ts_fileset *set = ts_zalloc(ctx, 1, sizeof *set);
    *out = NULL;
    TS_NEED(ctx, set);
    set->ctx = ctx;
    set->kind = kind;
    set->fd = -1;
    set->raw_size = -1;
    ts_code code = fileset_clean_name(&set->name, ctx, name, strlen(name));
    if (code == TS_OK) {
        set->shown = ts_strndup(ctx, shown, strlen(shown));
        code = set->shown == NULL ? ctx->error.code : TS_OK;
    }
    if (code != TS_OK) {
        ts_fileset_close(set);
        return code;
    }
    *out = set;
    return TS_OK;
}

/* Drops all members. */
static void drop_members(ts_fileset *set)
{
    for (uint32_t i = 0; i < set->count; i++) {
        ts_free(set->ctx, set->members[i].name);
        ts_free(set->ctx, set->members[i].path);
        ts_free(set->ctx, set->members[i].field);
    }
    ts_free(set->ctx, set->members);
    ts_free(set->ctx, set->unread_name);
    set->members = NULL;
    set->unread_name = NULL;
    set->count = 0;
    set->cap = 0;
    set->name_bytes = 0;
    set->skipped = 0;
    set->unread = 0;
    set->stray = 0;
}

static void close_one(ts_fileset *set)
{
    ts_ctx *ctx = set->ctx;
    if (set->parent != NULL) {
        ts_fileset **link = &set->parent->children;
        while (*link != set) {
            link = &(*link)->sibling;
        }
        *link = set->sibling;
    }
    ts_archive_free(set->archive);
    if (set->owns_fd) {
        (void)ctx->sys.close(ctx->sys.user, set->fd);
    }
    drop_members(set);
    ts_buf_free(ctx, &set->replay);
    ts_free(ctx, set->name);
    ts_free(ctx, set->path);
    ts_free(ctx, set->shown);
    ts_free(ctx, set);
}

void ts_fileset_close(ts_fileset *set)
{
    if (set == NULL) {
        return;
    }
    while (set->children != NULL) {
        ts_fileset *leaf = set->children;
        while (leaf->children != NULL) {
            leaf = leaf->children;
        }
        close_one(leaf);
    }
    close_one(set);
}

/* --- members --- */

ts_code ts_fileset_entry(uint64_t *entries, ts_fileset *set)
{
    ts_ctx *ctx = set->ctx;
    if (*entries >= ctx->limits.archive_members) {
        return ts_fail(ctx, TS_ERR_LIMIT,
                       "'%s' has more than %" PRIu32 " entries, which is the limit", set->shown,
                       ctx->limits.archive_members);
    }
    (*entries)++;
    return TS_OK;
}

ts_code ts_fileset_add(ts_member **out, ts_fileset *set, const char *name)
{
    ts_ctx *ctx = set->ctx;
    *out = NULL;
    set->name_bytes += strlen(name) + 1;
    if (set->name_bytes > TS_NAME_BYTES_MAX) {
        return ts_fail(ctx, TS_ERR_LIMIT,
                       "the names in '%s' have more than %d bytes in all, which is the limit",
                       set->shown, (int)TS_NAME_BYTES_MAX);
    }
    if (set->count == set->cap) {
        uint32_t cap;
        if (ts_ckd_mul(&cap, set->cap, 2U)) {
            return ts_fail(ctx, TS_ERR_LIMIT, "'%s' has too many entries", set->shown);
        }
        cap = cap < 8 ? 8 : cap;
        ts_member *p = ts_realloc(ctx, set->members, cap, sizeof *p);
        TS_NEED(ctx, p);
        set->members = p;
        set->cap = cap;
    }
    ts_member *m = &set->members[set->count];
    memset(m, 0, sizeof *m);
    m->size = -1;
    ts_code code = fileset_clean_name(&m->name, ctx, name, strlen(name));
    if (code == TS_OK) {
        set->count++;
        *out = m;
    }
    return code;
}

ts_code ts_fileset_note_unread(ts_fileset *set, const char *name)
{
    set->unread++;
    return set->unread_name != NULL
               ? TS_OK
               : fileset_clean_name(&set->unread_name, set->ctx, name, strlen(name));
}

void ts_fileset_note_stray(ts_fileset *set, uint64_t at, uint64_t n)
{
    if (set->stray == 0 || at < set->stray_at) {
        set->stray_at = at;
    }
    set->stray += n;
}

void ts_fileset_damage_set(ts_fileset *set, uint64_t offset, const char *fmt, ...)
{
    if (set->damaged) {
        return;
    }
    va_list ap;
    va_start(ap, fmt);
    (void)vsnprintf(set->damage.what, sizeof set->damage.what, fmt, ap);
    va_end(ap);
    set->damage.offset = offset;
    set->damaged = true;
}

void ts_fileset_progress(ts_fileset *set, uint32_t i, uint64_t pos)
{
    ts_member *m = &set->members[i];
    set = set->copy_of == NULL ? set : set->copy_of;
    if (pos > m->seen) {
        (void)__atomic_add_fetch(&set->raw_offset, pos - m->seen, __ATOMIC_RELAXED);
        m->seen = pos;
    }
}

/* --- opening an argument --- */

ts_code ts_open_for_reading(int *fd, ts_ctx *ctx, const char *path, int flags, const char *shown)
{
    TS_TRY(ts_check_cancel(ctx));
    *fd = ts_sys_open(ctx, path, O_RDONLY | O_CLOEXEC | O_NOCTTY | flags, 0);
    if (*fd >= 0) {
        return TS_OK;
    }
    return errno == EINTR
               ? ts_check_cancel(ctx)
               : ts_fail(ctx, TS_ERR_INPUT, "cannot open '%s': %s", shown, strerror(errno));
}

static ts_code open_directory(ts_fileset *set)
{
    ts_ctx *ctx = set->ctx;
    set->kind = TS_SET_DIRECTORY;
    ts_code code = ts_directory_list(set, set->fd);
    TS_STEP_IF(code, set->count == 0,
               set->damaged
                   ? ts_fail(ctx, TS_ERR_INPUT, "'%s': %s", set->shown, set->damage.what)
                   : ts_fail(ctx, TS_ERR_INPUT, "directory '%s' holds no files", set->shown));
    return code;
}

static ts_code fileset_open_single(ts_fileset *set, const struct stat *st)
{
    ts_member *m;
    /* Files of /proc and the like say that they are empty and are not: they are read like pipes. */
    if (S_ISREG(st->st_mode)) {
        set->start = set->owns_fd ? 0 : lseek(set->fd, 0, SEEK_CUR);
        if (set->start >= 0) {
            set->raw_size = st->st_size > set->start ? st->st_size - set->start : 0;
            set->regular = set->raw_size > 0;
        }
    }
    return ts_fileset_add(&m, set, set->name);
}

static ts_code open_path(ts_fileset *set, const char *path)
{
    ts_ctx *ctx = set->ctx;
    struct stat st;
    ts_code code = TS_OK;
    TS_NEED(ctx, set->path = ts_strndup(ctx, path, strlen(path)));
    if (strcmp(path, "-") == 0) {
        set->fd = STDIN_FILENO;
    } else if ((code = ts_open_for_reading(&set->fd, ctx, path, 0, set->shown)) != TS_OK) {
        return code;
    } else {
        set->owns_fd = true;
    }
    if (ctx->sys.fstat(ctx->sys.user, set->fd, &st) != 0) {
        return ts_fail(ctx, TS_ERR_INPUT, "cannot examine '%s': %s", set->shown, strerror(errno));
    }
    if (!S_ISDIR(st.st_mode)) {
        return fileset_open_single(set, &st);
    }
    if (!set->owns_fd) {
        return ts_fail(ctx, TS_ERR_INPUT, "cannot read '%s': %s", set->shown, strerror(EISDIR));
    }
    return open_directory(set);
}

ts_code ts_fileset_open(ts_fileset **out, ts_ctx *ctx, const char *path)
{
    ts_fileset *set = NULL;
    char *shown = NULL;
    char *name = NULL;
    const char *base;
    size_t n;
    *out = NULL;
    base_name(&base, &n, path);
    ts_code code = ts_printable(&shown, ctx, path);
    TS_STEP_IF(code, (name = ts_strndup(ctx, base, n)) == NULL, ctx->error.code);
    TS_STEP(code, ts_fileset_new(&set, ctx, TS_SET_FILE, name, shown));
    TS_STEP(code, open_path(set, path));
    ts_free(ctx, name);
    ts_free(ctx, shown);
    if (code != TS_OK) {
        ts_fileset_close(set);
        return code;
    }
    *out = set;
    return TS_OK;
}

ts_code ts_fileset_open_spool(ts_fileset **out, ts_ctx *ctx, const char *name, ts_spool *spool)
{
    ts_fileset *set = NULL;
    char *shown = NULL;
    ts_member *m;
    int fd;
    *out = NULL;
    ts_code code = ts_printable(&shown, ctx, name);
    TS_STEP(code, ts_spool_file(&fd, spool));
    TS_STEP(code, ts_fileset_new(&set, ctx, TS_SET_FILE, name, shown));
    if (code == TS_OK) {
        set->fd = fd;
        set->raw_size = (int64_t)ts_spool_size(spool);
        set->regular = true;
        code = ts_fileset_add(&m, set, name);
    }
    ts_free(ctx, shown);
    if (code != TS_OK) {
        ts_fileset_close(set);
        return code;
    }
    *out = set;
    return TS_OK;
}

static ts_code add_paths(ts_fileset *set, const char *const *paths, size_t n, size_t skip)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < n && code == TS_OK; i++) {
        ts_member *m;
        const char *base = paths[i] + skip;
        code = ts_fileset_add(&m, set, base);
        if (code == TS_OK) {
            if (strcmp(m->name, base) != 0) {
                m->path = ts_strndup(set->ctx, base, strlen(base));
                code = m->path == NULL ? set->ctx->error.code : TS_OK;
            }
        }
    }
    return code;
}

ts_code ts_fileset_open_files(ts_fileset **out, ts_ctx *ctx, const char *const *paths, size_t n)
{
    const char *slash = strrchr(paths[0], '/');
    size_t skip = slash == NULL ? 0 : (size_t)(slash - paths[0]) + 1;
    char *dir = slash == NULL ? ts_strndup(ctx, ".", 1)
                              : ts_strndup(ctx, paths[0], skip == 1 ? 1 : skip - 1);
    char *shown = NULL;
    ts_fileset *set = NULL;
    ts_code code = dir == NULL ? ctx->error.code : ts_printable(&shown, ctx, dir);
    *out = NULL;
    if (code == TS_OK) {
        const char *last = strrchr(dir, '/');
        code = ts_fileset_new(&set, ctx, TS_SET_DIRECTORY, last == NULL ? dir : last + 1, shown);
    }
    if (code == TS_OK) {
        set->path = dir;
        dir = NULL;
        code = add_paths(set, paths, n, skip);
    }
    ts_free(ctx, dir);
    ts_free(ctx, shown);
    if (code != TS_OK && set != NULL) {
        ts_fileset_close(set);
        return code;
    }
    *out = set;
    return code;
}

/* --- what callers ask --- */

ts_set_kind ts_fileset_kind(const ts_fileset *set)
{
    return set->kind;
}

const char *ts_fileset_name(const ts_fileset *set)
{
    return set->name;
}

ts_code ts_fileset_count(uint32_t *out, ts_fileset *set)
{
    *out = 0;
    if (set->kind == TS_SET_ARCHIVE && !set->listed) {
        ts_code code = ts_archive_list(set);
        if (code != TS_OK) {
            drop_members(set);
            return code;
        }
        set->listed = true;
    }
    *out = set->count;
    return TS_OK;
}

const char *ts_member_name(const ts_fileset *set, uint32_t i)
{
    return set->members[i].name;
}

uint32_t ts_fileset_skipped(const ts_fileset *set)
{
    return set->skipped;
}

uint32_t ts_fileset_unread(const char **first, const ts_fileset *set)
{
    *first = set->unread_name;
    return set->unread;
}

uint64_t ts_fileset_stray(uint64_t *at, const ts_fileset *set)
{
    *at = set->stray_at;
    return set->stray;
}

const ts_damage *ts_fileset_damage(const ts_fileset *set)
{
    return set->damaged ? &set->damage : NULL;
}

ts_code ts_fileset_files(ts_file_set *files, const ts_fileset *set, const char *prefix)
{
    ts_code code = TS_OK;
    size_t n = strlen(prefix);
    for (uint32_t i = 0; code == TS_OK && set->kind == TS_SET_DIRECTORY && i < set->count; i++) {
        const ts_member *m = &set->members[i];
        if (strncmp(m->name, prefix, n) == 0) {
            code = ts_file_set_add(set->ctx, files, m->file.dev, m->file.ino);
        }
    }
    return code;
}

uint64_t ts_fileset_raw_offset(const ts_fileset *set)
{
    return __atomic_load_n(&set->raw_offset, __ATOMIC_RELAXED);
}

int64_t ts_fileset_raw_size(const ts_fileset *set)
{
    return set->raw_size;
}
