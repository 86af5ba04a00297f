/*
 * LD_PRELOAD library: lets one call of the program around it fail, its libraries' calls included.
 *
 *   TS_FAULT=NAME:NUMBER:WHAT[:on]   call NUMBER (from 1) of NAME fails; with ":on" all behind it
 * too TS_FAULT_CALLER=TEXT             only calls out of a shared object whose path contains TEXT
 *   TS_FAULT_COUNT=FILE              at the end the number of calls of NAME is written there
 *   TS_FAULT_MOST=N                  reads and writes of at most N bytes
 *
 * NAME is that of the call, the same for its 64-bit variant; "malloc" means every allocation.
 * WHAT is EIO, ENOSPC, EINTR, ENOMEM, EXIT (the library ends the program, as some do when memory
 * runs out) or TERM (SIGTERM comes just before the call, which is then made).
 *
 * The real calls are made by syscall() and glibc's own names, so nothing is looked up at run time.
 */
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EXPORT __attribute__((visibility("default")))

extern void *__libc_malloc(size_t n);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *p, size_t n);

static struct {
    bool ready;
    bool on;
    bool busy; /* the shim's own calls are nobody's */
    char name[24];
    char what[12];
    unsigned long number;
    unsigned long calls;
    size_t most;
    const char *caller;
    uintptr_t low; /* its code */
    uintptr_t high;
    const char *count;
} shim;

static void set_up(void)
{
    const char *fault = getenv("TS_FAULT");
    const char *most = getenv("TS_FAULT_MOST");
    shim.ready = true;
    shim.caller = getenv("TS_FAULT_CALLER");
    shim.count = getenv("TS_FAULT_COUNT");
    shim.most = most == NULL ? 0 : strtoul(most, NULL, 10);
    if (fault != NULL) {
        const char *colon = strchr(fault, ':');
        size_t n = colon == NULL ? strlen(fault) : (size_t)(colon - fault);
        n = n < sizeof shim.name ? n : sizeof shim.name - 1;
        memcpy(shim.name, fault, n);
        if (colon != NULL) {
            char *end;
            shim.number = strtoul(colon + 1, &end, 10);
            if (*end == ':') {
                const char *what = end + 1;
                size_t k = strcspn(what, ":");
                memcpy(shim.what, what, k < sizeof shim.what ? k : sizeof shim.what - 1);
                shim.on = what[k] == ':';
            }
        }
    }
}

static int number_of(const char *what)
{
    static const struct {
        const char *name;
        int number;
    } names[] = {{"EIO", EIO}, {"ENOSPC", ENOSPC}, {"EINTR", EINTR}, {"ENOMEM", ENOMEM}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i].name, what) == 0) {
            return names[i].number;
        }
    }
    return EINVAL;
}

/* Keeps the addresses of the shared object that TS_FAULT_CALLER names. */
static int find_caller(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size;
    (void)user;
    if (info->dlpi_name == NULL || strstr(info->dlpi_name, shim.caller) == NULL) {
        return 0;
    }
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type == PT_LOAD && (part->p_flags & PF_X) != 0) {
            shim.low = info->dlpi_addr + part->p_vaddr;
            shim.high = shim.low + part->p_memsz;
        }
    }
    return 1;
}

static bool called_from(const void *address)
{
    if (shim.caller == NULL) {
        return true;
    }
    if (shim.high == 0 && dl_iterate_phdr(find_caller, NULL) == 0) {
        return false;
    }
    return (uintptr_t)address >= shim.low && (uintptr_t)address < shim.high;
}

/* True when this call must fail; sets errno. */
static bool fails(const char *name, const void *from)
{
    if (!shim.ready) {
        set_up();
    }
    if (shim.busy || strcmp(name, shim.name) != 0) {
        return false;
    }
    shim.busy = true;
    bool counts = called_from(from);
    shim.busy = false;
    if (!counts) {
        return false;
    }
    shim.calls++;
    if (shim.number == 0 || shim.calls < shim.number || (shim.calls > shim.number && !shim.on)) {
        return false;
    }
    if (strcmp(shim.what, "TERM") == 0) {
        (void)raise(SIGTERM);
        return false;
    }
    if (strcmp(shim.what, "EXIT") == 0) {
        shim.number = 0;
        exit(1);
    }
    errno = number_of(shim.what);
    return true;
}
#define FAILS(name) fails((name), __builtin_return_address(0))

__attribute__((destructor)) static void report(void)
{
    char text[24];
    if (shim.count == NULL) {
        return;
    }
    int n = snprintf(text, sizeof text, "%lu\n", shim.calls);
    long fd = syscall(SYS_openat, AT_FDCWD, shim.count, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    if (fd >= 0) {
        (void)!syscall(SYS_write, fd, text, n);
        (void)syscall(SYS_close, fd);
    }
}

static size_t cut(size_t n)
{
    return shim.most != 0 && n > shim.most ? shim.most : n;
}

/* --- memory ---------------------------------------------------------------------------------- */

EXPORT void *malloc(size_t n)
{
    return FAILS("malloc") ? NULL : __libc_malloc(n);
}

EXPORT void *calloc(size_t count, size_t size)
{
    return FAILS("malloc") ? NULL : __libc_calloc(count, size);
}

EXPORT void *realloc(void *p, size_t n)
{
    return FAILS("malloc") ? NULL : __libc_realloc(p, n);
}

/* --- files ----------------------------------------------------------------------------------- */

#define OPEN(name)                                                                                 \
    EXPORT int name(const char *path, int flags, ...)                                              \
    {                                                                                              \
        va_list ap;                                                                                \
        mode_t mode = 0;                                                                           \
        va_start(ap, flags);                                                                       \
        if ((flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE) {                          \
            mode = va_arg(ap, mode_t);                                                             \
        }                                                                                          \
        va_end(ap);                                                                                \
        return FAILS("open") ? -1 : (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);         \
    }
OPEN(open)
OPEN(open64)

EXPORT int close(int fd)
{
    bool bad = FAILS("close");
    int number = errno;
    int r = (int)syscall(SYS_close, fd);
    errno = bad ? number : errno;
    return bad ? -1 : r;
}

EXPORT ssize_t read(int fd, void *p, size_t n)
{
    return FAILS("read") ? -1 : syscall(SYS_read, fd, p, cut(n));
}

EXPORT ssize_t write(int fd, const void *p, size_t n)
{
    return FAILS("write") ? -1 : syscall(SYS_write, fd, p, cut(n));
}

#define PREAD(name)                                                                                \
    EXPORT ssize_t name(int fd, void *p, size_t n, off64_t at)                                     \
    {                                                                                              \
        return FAILS("pread") ? -1 : syscall(SYS_pread64, fd, p, cut(n), at);                      \
    }
PREAD(pread)
PREAD(pread64)

#define PWRITE(name)                                                                               \
    EXPORT ssize_t name(int fd, const void *p, size_t n, off64_t at)                               \
    {                                                                                              \
        return FAILS("pwrite") ? -1 : syscall(SYS_pwrite64, fd, p, cut(n), at);                    \
    }
PWRITE(pwrite)
PWRITE(pwrite64)

#define FTRUNCATE(name)                                                                            \
    EXPORT int name(int fd, off64_t n)                                                             \
    {                                                                                              \
        return FAILS("ftruncate") ? -1 : (int)syscall(SYS_ftruncate, fd, n);                       \
    }
FTRUNCATE(ftruncate)
FTRUNCATE(ftruncate64)

/* The kernel's struct stat is glibc's on the 64-bit machines that this is for. */
#define FSTAT(name, type)                                                                          \
    EXPORT int name(int fd, type *st)                                                              \
    {                                                                                              \
        return FAILS("fstat") ? -1 : (int)syscall(SYS_fstat, fd, st);                              \
    }
FSTAT(fstat, struct stat)
FSTAT(fstat64, struct stat64)

EXPORT int fsync(int fd)
{
    return FAILS("fsync") ? -1 : (int)syscall(SYS_fsync, fd);
}

EXPORT int rename(const char *from, const char *to)
{
    return FAILS("rename") ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

EXPORT int unlink(const char *path)
{
    return FAILS("unlink") ? -1 : (int)syscall(SYS_unlinkat, AT_FDCWD, path, 0);
}

EXPORT int flock(int fd, int how)
{
    return FAILS("flock") ? -1 : (int)syscall(SYS_flock, fd, how);
}

EXPORT int fchmod(int fd, mode_t mode)
{
    return FAILS("fchmod") ? -1 : (int)syscall(SYS_fchmod, fd, mode);
}

EXPORT int poll(struct pollfd *fds, nfds_t n, int timeout)
{
    return FAILS("poll") ? -1 : (int)syscall(SYS_poll, fds, n, timeout);
}
