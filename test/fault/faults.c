#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

bool faults_hit(faults *f, const char *what)
{
    bool memory = strcmp(what, "realloc") == 0;
    for (size_t i = 0; i < f->name_count; i++) {
        f->seen[i] += strcmp(f->names[i], what) == 0 ? 1 : 0;
    }
    if (f->what == NULL ? memory : strcmp(f->what, what) != 0) {
        return false;
    }
    f->calls++;
    if (f->fail_at == 0 || f->calls < f->fail_at || (f->calls > f->fail_at && !f->forever)) {
        return false;
    }
    f->failed = true;
    errno = f->number;
    return true;
}

/* Every call is interrupted once and done when it is tried again. */
static bool interrupted(faults *f)
{
    if (f->interrupt && f->toggle++ % 2 == 0) {
        errno = EINTR;
        return true;
    }
    return false;
}

static size_t shorter(const faults *f, size_t n)
{
    return f->most != 0 && n > f->most ? f->most : n;
}

static int f_open(void *user, const char *path, int flags, mode_t mode)
{
    faults *f = user;
    if (faults_hit(f, "open") || interrupted(f)) {
        return -1;
    }
    int fd = f->sys.open(f->sys.user, path, flags, mode);
    f->open_files += fd >= 0 ? 1 : 0;
    return fd;
}

/* A descriptor is gone even when its close says that it failed. */
static int f_close(void *user, int fd)
{
    faults *f = user;
    bool fails = faults_hit(f, "close");
    int number = errno;
    int r = f->sys.close(f->sys.user, fd);
    f->open_files--;
    if (fails) {
        errno = number;
        return -1;
    }
    return interrupted(f) ? -1 : r;
}

static ssize_t f_read(void *user, int fd, void *buf, size_t n)
{
    faults *f = user;
    return faults_hit(f, "read") || interrupted(f)
               ? -1
               : f->sys.read(f->sys.user, fd, buf, shorter(f, n));
}

static ssize_t f_pread(void *user, int fd, void *buf, size_t n, off_t off)
{
    faults *f = user;
    return faults_hit(f, "pread") || interrupted(f)
               ? -1
               : f->sys.pread(f->sys.user, fd, buf, shorter(f, n), off);
}

static ssize_t f_write(void *user, int fd, const void *buf, size_t n)
{
    faults *f = user;
    if (faults_hit(f, "write")) {
        f->message_lost = f->message_lost || fd == STDOUT_FILENO || fd == STDERR_FILENO;
        return -1;
    }
    if (interrupted(f)) {
        return -1;
    }
    n = shorter(f, n);
    if (fd != STDOUT_FILENO && fd != STDERR_FILENO) {
        return f->sys.write(f->sys.user, fd, buf, n);
    }
    size_t room = FAULT_TEXT - f->text_n;
    memcpy(f->text + f->text_n, buf, n < room ? n : room);
    f->text_n += n < room ? n : room;
    f->text[f->text_n] = '\0';
    return (ssize_t)n;
}

static ssize_t f_pwrite(void *user, int fd, const void *buf, size_t n, off_t off)
{
    faults *f = user;
    return faults_hit(f, "pwrite") || interrupted(f)
               ? -1
               : f->sys.pwrite(f->sys.user, fd, buf, shorter(f, n), off);
}

static int f_fstat(void *user, int fd, struct stat *st)
{
    faults *f = user;
    return faults_hit(f, "fstat") ? -1 : f->sys.fstat(f->sys.user, fd, st);
}

static int f_fsync(void *user, int fd)
{
    faults *f = user;
    return faults_hit(f, "fsync") || interrupted(f) ? -1 : f->sys.fsync(f->sys.user, fd);
}

static int f_ftruncate(void *user, int fd, off_t len)
{
    faults *f = user;
    return faults_hit(f, "ftruncate") || interrupted(f) ? -1
                                                        : f->sys.ftruncate(f->sys.user, fd, len);
}

static int f_openat(void *user, int dir, const char *name, int flags, mode_t mode)
{
    faults *f = user;
    if (faults_hit(f, "openat") || interrupted(f)) {
        return -1;
    }
    int fd = f->sys.openat(f->sys.user, dir, name, flags, mode);
    f->open_files += fd >= 0 ? 1 : 0;
    return fd;
}

static int f_linkat(void *user, int from_dir, const char *from, int to_dir, const char *to,
                    int flags)
{
    faults *f = user;
    return faults_hit(f, "linkat") ? -1
                                   : f->sys.linkat(f->sys.user, from_dir, from, to_dir, to, flags);
}

static int f_renameat(void *user, int from_dir, const char *from, int to_dir, const char *to)
{
    faults *f = user;
    return faults_hit(f, "renameat") ? -1
                                     : f->sys.renameat(f->sys.user, from_dir, from, to_dir, to);
}

static int f_unlinkat(void *user, int dir, const char *name)
{
    faults *f = user;
    return faults_hit(f, "unlinkat") ? -1 : f->sys.unlinkat(f->sys.user, dir, name);
}

static int f_rename(void *user, const char *from, const char *to)
{
    faults *f = user;
    return faults_hit(f, "rename") ? -1 : f->sys.rename(f->sys.user, from, to);
}

static int f_unlink(void *user, const char *path)
{
    faults *f = user;
    return faults_hit(f, "unlink") ? -1 : f->sys.unlink(f->sys.user, path);
}

static void *f_realloc(void *user, void *p, size_t n)
{
    faults *f = user;
    if (faults_hit(f, "realloc")) {
        return NULL;
    }
    void *fresh = f->allocator.realloc(f->allocator.user, p, n);
    f->blocks += p == NULL && fresh != NULL ? 1 : 0;
    return fresh;
}

static void f_free(void *user, void *p)
{
    faults *f = user;
    f->blocks -= p != NULL ? 1 : 0;
    f->allocator.free(f->allocator.user, p);
}

void faults_install(faults *f, ts_ctx *ctx)
{
    f->sys = ctx->sys;
    f->allocator = ctx->allocator;
    ctx->allocator = (ts_allocator){f, f_realloc, f_free};
    ctx->sys = (ts_sys){f,        f_open,   f_close,    f_read,      f_pread,  f_write,
                        f_pwrite, f_fstat,  f_fsync,    f_ftruncate, f_rename, f_unlink,
                        f_openat, f_linkat, f_renameat, f_unlinkat};
}

/* --- files ----------------------------------------------------------------------------------- */

char *fault_path(const char *dir, const char *name)
{
    char *path = NULL;
    assert_true(asprintf(&path, "%s/%s", dir, name) > 0);
    return path;
}

char *fault_folder(void)
{
    const char *tmp = getenv("TMPDIR");
    char *dir = fault_path(tmp != NULL && tmp[0] == '/' ? tmp : "/tmp", "ts-fault-XXXXXX");
    assert_non_null(mkdtemp(dir));
    return dir;
}

static int visit(const char *dir, bool remove_them)
{
    int n = 0;
    DIR *d = opendir(dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            n++;
            if (remove_them) {
                (void)unlinkat(dirfd(d), e->d_name, 0);
            }
        }
    }
    (void)closedir(d);
    return n;
}

int fault_names(const char *dir)
{
    return visit(dir, false);
}

void fault_empty(const char *dir)
{
    (void)visit(dir, true);
}

void fault_remove(char *dir)
{
    (void)visit(dir, true);
    assert_int_equal(rmdir(dir), 0);
    free(dir);
}

bool fault_file_is(const char *path, const void *p, size_t n)
{
    size_t have;
    if (access(path, F_OK) != 0) {
        return false;
    }
    char *q = test_read_file(path, &have);
    bool same = have == n && memcmp(p, q, n) == 0;
    free(q);
    return same;
}

/* --- sweeps ---------------------------------------------------------------------------------- */

uint64_t fault_step(uint64_t all, uint64_t points)
{
    return test_slow() || all <= points ? 1 : all / points * 3 / 2;
}
