#include "input/input_private.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/file_set.h"
#include "base/vec.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct linked {
    ts_file_id to;
    char *name;
} linked;

/* A walk without recursion: directories that were seen wait in a list for their turn. */
typedef struct walk {
    ts_fileset *set;
    uint64_t entries;
    ts_file_set listed; /* directories, for links that lead to them */
    ts_vec linked;      /* linked: links to directories */
    ts_vec pending;     /* char *: relative names, owned */
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
static ts_code directory_push(walk *w, char *rel)
{
    char **p = ts_vec_add(w->set->ctx, &w->pending, sizeof *p);
    if (p == NULL) {
        ts_free(w->set->ctx, rel);
        return w->set->ctx->error.code;
    }
    *p = rel;
    return TS_OK;
}

/* The name that was pushed last, for the caller; NULL: there is none. */
static char *directory_pop(walk *w)
{
    return w->pending.n == 0 ? NULL : ((char **)w->pending.p)[--w->pending.n];
}

static ts_code note_listed(walk *w, const struct stat *st)
{
    return ts_file_set_add(w->set->ctx, &w->listed, st->st_dev, st->st_ino);
}

/* Takes `rel`. */
static ts_code note_linked(walk *w, char *rel, const struct stat *st)
{
    linked *l = ts_vec_add(w->set->ctx, &w->linked, sizeof *l);
    if (l == NULL) {
        ts_free(w->set->ctx, rel);
        return w->set->ctx->error.code;
    }
    *l = (linked){{st->st_dev, st->st_ino}, rel};
    return TS_OK;
}

/* Links to directories that were listed hide nothing; other links may lead to something. */
static ts_code settle_linked(walk *w)
{
    const linked *all = w->linked.p;
    ts_code code = TS_OK;
    for (size_t i = 0; i < w->linked.n && code == TS_OK; i++) {
        const struct stat to = {.st_dev = all[i].to.dev, .st_ino = all[i].to.ino};
        if (ts_file_set_has(&w->listed, &to)) {
            w->set->skipped++;
        } else {
            code = ts_fileset_note_unread(w->set, all[i].name);
        }
    }
    return code;
}

/* Takes `rel`. */
static ts_code directory_add_file(walk *w, char *rel, const struct stat *st)
{
    ts_ctx *ctx = w->set->ctx;
    ts_member *m;
    ts_code code = ts_fileset_add(&m, w->set, rel);
    if (code == TS_OK) {
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
    ts_code code;
    TS_TRY_INTO(code, ts_fileset_entry(&w->entries, w->set));
    if (fstatat(fd, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        note_unreadable(w, parent, errno);
        return ts_fileset_note_unread(w->set, name);
    }
    TS_TRY_INTO(code, ts_join_path(&rel, ctx, parent, name));
    struct stat target;
    bool link = S_ISLNK(st.st_mode) && fstatat(fd, name, &target, 0) == 0;
    st = link ? target : st;
    if (S_ISREG(st.st_mode)) {
        return directory_add_file(w, rel, &st);
    }
    if (S_ISDIR(st.st_mode)) {
        return link ? note_linked(w, rel, &st) : directory_push(w, rel);
    }
    code = ts_fileset_note_unread(w->set, rel);
    ts_free(ctx, rel);
    return code;
}

/* Lists one directory; `fd` stays the caller's. */
static ts_code list_one(walk *w, const char *parent, int fd)
{
    struct stat st;
    ts_code code;
    TS_TRY_INTO(code, fstat(fd, &st) == 0 ? note_listed(w, &st) : TS_OK);
    int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    DIR *dir = copy < 0 ? NULL : fdopendir(copy);
    if (dir == NULL) {
        note_unreadable(w, parent, errno);
        if (copy >= 0) {
            (void)close(copy);
        }
        return ts_fileset_note_unread(w->set, parent);
    }
    while (code == TS_OK && (code = ts_check_cancel(w->set->ctx)) == TS_OK) {
        errno = 0;
        const struct dirent *entry = readdir(dir);
        if (entry == NULL) {
            if (errno != 0) {
                note_unreadable(w, parent, errno);
                code = ts_fileset_note_unread(w->set, parent);
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
    ts_code code;
    TS_TRY_INTO(code, ts_join_path(&path, ctx, w->set->path, rel));
    fd = ts_sys_open(ctx, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
    code = fd < 0 && errno == EINTR ? ts_check_cancel(ctx) : TS_OK;
    if (code == TS_OK && fd < 0) {
        note_unreadable(w, rel, errno);
        code = ts_fileset_note_unread(w->set, rel);
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
    char *rel;
    ts_code code = list_one(&w, "", fd);
    while (code == TS_OK && (rel = directory_pop(&w)) != NULL) {
        code = list_pending(&w, rel);
        ts_free(set->ctx, rel);
    }
    while ((rel = directory_pop(&w)) != NULL) {
        ts_free(set->ctx, rel);
    }
    ts_vec_free(set->ctx, &w.pending);
    TS_STEP(code, settle_linked(&w));
    for (size_t i = 0; i < w.linked.n; i++) {
        ts_free(set->ctx, ((linked *)w.linked.p)[i].name);
    }
    ts_vec_free(set->ctx, &w.linked);
    ts_file_set_free(set->ctx, &w.listed);
    if (code == TS_OK && set->count > 0) {
        qsort(set->members, set->count, sizeof *set->members, compare_members);
    }
    return code;
}
