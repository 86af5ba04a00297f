#include "input/input_private.h"

#include "base/alloc.h"
#include "base/ckd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* A walk without recursion: directories that were seen wait in a list for their turn. */
typedef struct walk {
    ts_fileset *set;
    uint64_t entries;
    char **pending; /* relative names, owned */
    size_t n;
    size_t cap;
} walk;

static const char *raw_name(const ts_member *m)
{
    return m->path != NULL ? m->path : m->name;
}

static int compare_members(const void *a, const void *b)
{
    return strcmp(raw_name(a), raw_name(b));
}

/* Takes `rel`. */
static ts_code push(walk *w, char *rel)
{
    ts_ctx *ctx = w->set->ctx;
    if (w->n == w->cap) {
        size_t cap = w->cap == 0 ? 16 : w->cap * 2;
        char **p = ts_realloc(ctx, w->pending, cap, sizeof *p);
        if (p == NULL) {
            ts_free(ctx, rel);
            return ctx->error.code;
        }
        w->pending = p;
        w->cap = cap;
    }
    w->pending[w->n++] = rel;
    return TS_OK;
}

/* Takes `rel`. */
static ts_code add_file(walk *w, char *rel, const struct stat *st)
{
    ts_ctx *ctx = w->set->ctx;
    ts_member *m;
    ts_code code = ts_fileset_add(&m, w->set, rel);
    if (code == TS_OK) {
        m->size = st->st_size;
        m->file = (ts_file_id){st->st_dev, st->st_ino};
        w->set->raw_size = ts_sat_add(w->set->raw_size, st->st_size);
        if (strcmp(m->name, rel) != 0) {
            m->path = rel;
            rel = NULL;
        }
    }
    ts_free(ctx, rel);
    return code;
}

static void note_unreadable(walk *w, const char *rel, int error)
{
    char *shown = NULL;
    if (rel[0] != '\0' && ts_printable(&shown, w->set->ctx, rel) == TS_OK) {
        ts_fileset_damage_set(w->set, 0, "cannot list '%s' of the directory: %s", shown,
                              strerror(error));
    } else {
        ts_fileset_damage_set(w->set, 0, "cannot list the directory: %s", strerror(error));
    }
    ts_free(w->set->ctx, shown);
}

/* One entry of the directory `parent` ("" = the root), which `fd` is open on. */
static ts_code add_entry(walk *w, const char *parent, int fd, const char *name)
{
    ts_ctx *ctx = w->set->ctx;
    struct stat st;
    char *rel;
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        return TS_OK;
    }
    ts_code code = ts_fileset_entry(&w->entries, w->set);
    if (code != TS_OK) {
        return code;
    }
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        note_unreadable(w, parent, errno);
        w->set->skipped++;
        return TS_OK;
    }
    bool link = S_ISLNK(st.st_mode);
    bool file = link ? fstatat(fd, name, &st, 0) == 0 && S_ISREG(st.st_mode) : S_ISREG(st.st_mode);
    if (!file && (link || !S_ISDIR(st.st_mode))) {
        w->set->skipped++;
        return TS_OK;
    }
    if ((code = ts_join_path(&rel, ctx, parent, name)) != TS_OK) {
        return code;
    }
    return file ? add_file(w, rel, &st) : push(w, rel);
}

/* Lists one directory; `fd` stays the caller's. */
static ts_code list_one(walk *w, const char *parent, int fd)
{
    ts_code code = TS_OK;
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (dir == NULL) {
        note_unreadable(w, parent, errno);
        if (copy >= 0) {
            (void)close(copy);
        }
        return TS_OK;
    }
    while (code == TS_OK && (code = ts_check_cancel(w->set->ctx)) == TS_OK) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL) {
            if (errno != 0) {
                note_unreadable(w, parent, errno);
            }
            break;
        }
        code = add_entry(w, parent, fd, entry->d_name);
    }
    (void)closedir(dir);
    return code;
}

static ts_code list_pending(walk *w, const char *rel)
{
    ts_ctx *ctx = w->set->ctx;
    char *path = NULL;
    int fd;
    ts_code code = ts_join_path(&path, ctx, w->set->path, rel);
    if (code != TS_OK) {
        return code;
    }
    do {
        code = ts_check_cancel(ctx);
        fd = code == TS_OK ? ctx->sys.open(ctx->sys.user, path,
                                           O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0)
                           : -1;
    } while (code == TS_OK && fd < 0 && errno == EINTR);
    if (code == TS_OK && fd < 0) {
        note_unreadable(w, rel, errno);
    } else if (code == TS_OK) {
        code = list_one(w, rel, fd);
        (void)ctx->sys.close(ctx->sys.user, fd);
    }
    ts_free(ctx, path);
    return code;
}

ts_code ts_directory_list(ts_fileset *set, int fd)
{
    walk w = {.set = set};
    set->raw_size = 0;
    ts_code code = list_one(&w, "", fd);
    while (code == TS_OK && w.n > 0) {
        char *rel = w.pending[--w.n];
        code = list_pending(&w, rel);
        ts_free(set->ctx, rel);
    }
    while (w.n > 0) {
        ts_free(set->ctx, w.pending[--w.n]);
    }
    ts_free(set->ctx, w.pending);
    if (code == TS_OK && set->count > 0) {
        qsort(set->members, set->count, sizeof *set->members, compare_members);
    }
    return code;
}
