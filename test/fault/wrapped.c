#include "wrapped.h"

#include <dirent.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

/* Names of the linker. NOLINTBEGIN(bugprone-reserved-identifier,cert-dcl37-c,cert-dcl51-cpp) */
#define WRAPPED_AS(type, name, label, failure, parameters, arguments)                              \
    type __real_##name parameters;                                                                 \
    type __wrap_##name parameters;                                                                 \
    type __wrap_##name parameters                                                                  \
    {                                                                                              \
        return wrapped != NULL && faults_hit(wrapped, label) ? failure : __real_##name arguments;  \
    }

#define WRAPPED(type, name, failure, parameters, arguments)                                        \
    WRAPPED_AS(type, name, #name, failure, parameters, arguments)
/* Calls with the size of a file have another name where sizes have 64 bits. */
#define WRAPPED_BOTH(type, name, failure, parameters, arguments)                                   \
    WRAPPED_AS(type, name, #name, failure, parameters, arguments)                                  \
    WRAPPED_AS(type, name##64, #name, failure, parameters, arguments)

_Thread_local faults *wrapped;

WRAPPED(DIR *, opendir, NULL, (const char *path), (path))
WRAPPED(DIR *, fdopendir, NULL, (int fd), (fd))
WRAPPED_BOTH(struct dirent *, readdir, NULL, (DIR * dir), (dir))
WRAPPED_BOTH(int, fstatat, -1, (int dir, const char *name, struct stat *st, int flags),
             (dir, name, st, flags))
WRAPPED_BOTH(int, lstat, -1, (const char *path, struct stat *st), (path, st))
WRAPPED(int, socket, -1, (int domain, int type, int protocol), (domain, type, protocol))
WRAPPED(int, connect, -1, (int fd, const struct sockaddr *to, socklen_t n), (fd, to, n))
WRAPPED(int, setsockopt, -1, (int fd, int level, int name, const void *value, socklen_t n),
        (fd, level, name, value, n))
WRAPPED(int, getsockopt, -1, (int fd, int level, int name, void *value, socklen_t *n),
        (fd, level, name, value, n))
WRAPPED(ssize_t, send, -1, (int fd, const void *p, size_t n, int flags), (fd, p, n, flags))
WRAPPED(ssize_t, recv, -1, (int fd, void *p, size_t n, int flags), (fd, p, n, flags))
WRAPPED(int, poll, -1, (struct pollfd * fds, nfds_t n, int timeout), (fds, n, timeout))
/* NOLINTEND */
