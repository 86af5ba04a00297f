/*
 * Talking to a HotSpot Java VM through its attach interface (see hotspot.h).
 *
 * The process is opened as a descriptor first, then checked: it belongs to the same user, handles
 * SIGQUIT and has libjvm.so mapped. Signals go to the descriptor only, so a process that gets the
 * number later is never meant; SIGQUIT would end a program that does not handle it.
 *
 * If the socket .java_pidN does not exist yet, the file .attach_pidN is made (O_EXCL, O_NOFOLLOW)
 * in the directory of the Java VM or in its /tmp, SIGQUIT is sent, and the file is removed again.
 * /tmp is open to all: the socket must belong to the user, and whoever listens must be that process
 * and user (SO_PEERCRED). A command is one connection: version, name and three arguments, each with
 * a zero byte; the answer begins with a line that is 0 or says what was wrong. Waits are short
 * slices, so that *stop is noticed.
 */
#include "sampler/hotspot.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

enum {
    FILE_MAX = 64 << 20,
    ANSWER_MAX = 256 << 20,
    WAIT_MS = 5000,
    ANSWER_MS = 10000,
    STOP_MS = 400,  /* for the answer when the sampling is to end */
    SLICE_MS = 100, /* how often that is looked at */
    PATH = 256
};

static void path_of(char out[PATH], const ts_jvm *jvm, const char *name)
{
    snprintf(out, PATH, "%s/%d/%s", jvm->proc, jvm->pid, name);
}

ts_code ts_jvm_read(ts_buf *out, const ts_jvm *jvm, ts_ctx *ctx, const char *name)
{
    char path[PATH];
    ssize_t n = 1;
    int fd;
    ts_code code = TS_OK;
    path_of(path, jvm, name);
    out->n = 0;
    fd = ts_sys_open(ctx, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0) {
        return ts_fail(ctx, TS_ERR_INPUT, "cannot open %s: %s", path, strerror(errno));
    }
    while (code == TS_OK && n > 0 && out->n < FILE_MAX) {
        code = ts_buf_reserve(ctx, out, 4096);
        if (code == TS_OK) {
            n = ts_sys_read_all(ctx, fd, out->p + out->n, 4096);
            out->n += n > 0 ? (size_t)n : 0;
            if (n < 0) {
                code = ts_fail(ctx, TS_ERR_INPUT, "cannot read %s: %s", path, strerror(errno));
            }
        }
    }
    ctx->sys.close(ctx->sys.user, fd);
    TS_STEP(code, ts_buf_put(ctx, out, "", 1)); /* ends with a zero byte */
    return code;
}

/* --- what a process is ---------------------------------------------------------------------- */

/* The text after "\nNAME:\t" of a status file; NULL: none. */
static const char *status_field(const char *status, const char *name)
{
    const char *found = strstr(status, name);
    return found == NULL ? NULL : found + strlen(name);
}

static ts_code check_status(ts_jvm *jvm, ts_ctx *ctx, const char *status)
{
    const char *uid = status_field(status, "\nUid:\t");
    const char *caught = status_field(status, "\nSigCgt:\t");
    const char *inner = status_field(status, "\nNSpid:\t");
    const char *effective = uid == NULL ? NULL : strchr(uid, '\t');
    if (uid == NULL || caught == NULL || effective == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "cannot read what process %d is", jvm->pid);
    }
    jvm->uid = (unsigned)strtoul(effective + 1, NULL, 10);
    if (jvm->uid != geteuid()) {
        return ts_fail(ctx, TS_ERR_USAGE, "process %d belongs to another user", jvm->pid);
    }
    jvm->inner_pid = jvm->pid;
    if (inner != NULL) { /* the last of the numbers in the line is that of the innermost space */
        const char *end = inner + strcspn(inner, "\n");
        while (end > inner && end[-1] != '\t') {
            end--;
        }
        jvm->inner_pid = (int)strtol(end, NULL, 10);
    }
    if ((strtoull(caught, NULL, 16) >> (SIGQUIT - 1) & 1) == 0 || jvm->inner_pid <= 0) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "process %d does not handle SIGQUIT, so it is not a Java VM that can be "
                       "attached to",
                       jvm->pid);
    }
    return TS_OK;
}

/* OpenJ9 has a library of this name too, but not HotSpot's interface. */
static ts_code check_maps(const ts_jvm *jvm, ts_ctx *ctx, const char *maps)
{
    if (strstr(maps, "/libjvm.so") == NULL || strstr(maps, "/libj9vm") != NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "process %d is not a HotSpot Java VM", jvm->pid);
    }
    return TS_OK;
}

ts_code ts_jvm_check(ts_jvm *jvm, ts_ctx *ctx, const char *proc, int pid)
{
    ts_buf text = {0};
    ts_code code;
    *jvm = (ts_jvm){.proc = proc, .pid = pid, .pidfd = -1};
    if (pid <= 0) {
        return ts_fail(ctx, TS_ERR_USAGE, "%d is not the number of a process", pid);
    }
    code = ts_jvm_read(&text, jvm, ctx, "status");
    if (code == TS_ERR_INPUT && errno == ENOENT) {
        code = ts_fail(ctx, TS_ERR_USAGE, "there is no process %d", pid);
    }
    TS_STEP(code, check_status(jvm, ctx, text.p));
    TS_STEP(code, ts_jvm_read(&text, jvm, ctx, "maps"));
    TS_STEP(code, check_maps(jvm, ctx, text.p));
    ts_buf_free(ctx, &text);
    return code;
}

bool ts_jvm_gone(const ts_jvm *jvm)
{
    struct pollfd p = {.fd = jvm->pidfd, .events = POLLIN};
    return jvm->pidfd < 0 || poll(&p, 1, 0) > 0;
}

/* --- the handshake -------------------------------------------------------------------------- */

static void socket_path(char out[PATH], const ts_jvm *jvm)
{
    char name[64];
    snprintf(name, sizeof name, "root/tmp/.java_pid%d", jvm->inner_pid);
    path_of(out, jvm, name);
}

/* The socket is there and belongs to the user: /tmp is open to all. */
static bool listens(const ts_jvm *jvm)
{
    char path[PATH];
    struct stat st;
    socket_path(path, jvm);
    return lstat(path, &st) == 0 && S_ISSOCK(st.st_mode) && st.st_uid == jvm->uid;
}

/* Makes the file that tells the Java VM what SIGQUIT means; where it may be made, in its directory
 * or in /tmp. *made: the caller removes it. */
static ts_code make_attach_file(char path[PATH], bool *made, const ts_jvm *jvm, ts_ctx *ctx)
{
    static const char *const folders[] = {"cwd", "root/tmp"};
    int number = 0;
    *made = false;
    for (size_t i = 0; i < 2; i++) {
        char name[64];
        int fd;
        snprintf(name, sizeof name, "%s/.attach_pid%d", folders[i], jvm->inner_pid);
        path_of(path, jvm, name);
        fd = ts_sys_open(ctx, path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
        number = errno;
        if (fd >= 0) {
            ctx->sys.close(ctx->sys.user, fd);
            *made = true;
            return TS_OK;
        }
        if (number == EEXIST) {
            return TS_OK; /* another program attaches at the same time */
        }
    }
    return ts_fail(ctx, TS_ERR_INPUT, "cannot make %s: %s", path, strerror(number));
}

static void sleep_ms(int64_t ms)
{
    struct timespec t = {.tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000 * 1000000)};
    nanosleep(&t, NULL);
}

static ts_code wait_for_socket(const ts_jvm *jvm, ts_ctx *ctx)
{
    for (int64_t waited = 0, each = 5; waited < WAIT_MS; waited += each) {
        if (listens(jvm)) {
            return TS_OK;
        }
        if (ts_jvm_gone(jvm) || (jvm->stop != NULL && atomic_load(jvm->stop))) {
            return ts_fail(ctx, TS_ERR_INPUT, "process %d has ended", jvm->pid);
        }
        each = each < 50 ? each * 2 : each;
        sleep_ms(each);
    }
    return ts_fail(ctx, TS_ERR_INPUT, "the Java VM %d does not answer", jvm->pid);
}

static ts_code make_listen(const ts_jvm *jvm, ts_ctx *ctx)
{
    char path[PATH];
    bool made;
    ts_code code;
    TS_TRY_INTO(code, make_attach_file(path, &made, jvm, ctx));
    if (syscall(SYS_pidfd_send_signal, jvm->pidfd, SIGQUIT, NULL, 0) != 0) {
        code =
            ts_fail(ctx, TS_ERR_INPUT, "cannot send SIGQUIT to %d: %s", jvm->pid, strerror(errno));
    } else {
        code = wait_for_socket(jvm, ctx);
    }
    if (made) {
        ctx->sys.unlink(ctx->sys.user, path);
    }
    return code;
}

ts_code ts_jvm_open(ts_jvm *jvm, ts_ctx *ctx, const char *proc, int pid, const atomic_bool *stop)
{
    int pidfd = pid <= 0 ? -1 : (int)syscall(SYS_pidfd_open, pid, 0);
    int number = errno;
    /* The descriptor comes first: what is checked then is the process that it stands for. */
    ts_code code = ts_jvm_check(jvm, ctx, proc, pid);
    jvm->pidfd = pidfd;
    jvm->stop = stop;
    TS_STEP_IF(code, pidfd < 0,
               ts_fail(ctx, TS_ERR_INPUT, "cannot open process %d: %s", pid, strerror(number)));
    TS_STEP_IF(code, ts_jvm_gone(jvm), ts_fail(ctx, TS_ERR_USAGE, "there is no process %d", pid));
    return code != TS_OK || listens(jvm) ? code : make_listen(jvm, ctx);
}

void ts_jvm_close(ts_jvm *jvm, ts_ctx *ctx)
{
    if (jvm->pidfd >= 0) {
        ctx->sys.close(ctx->sys.user, jvm->pidfd);
    }
    jvm->pidfd = -1;
}

/* --- commands ------------------------------------------------------------------------------- */

/* Connects, and makes sure that it is the Java VM that listens. */
static ts_code connect_to(int *out, const ts_jvm *jvm, ts_ctx *ctx)
{
    char path[PATH];
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    struct timeval limit = {.tv_usec = SLICE_MS * 1000L};
    struct ucred peer;
    socklen_t n = sizeof peer;
    int fd;
    socket_path(path, jvm);
    if (strlen(path) >= sizeof address.sun_path) {
        return ts_fail(ctx, TS_ERR_INPUT, "the path %s is too long for a socket", path);
    }
    memcpy(address.sun_path, path, strlen(path) + 1);
    fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0 ||
        setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof limit) != 0 ||
        connect(fd, (const struct sockaddr *)&address, sizeof address) != 0 ||
        getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &n) != 0) {
        int number = errno;
        if (fd >= 0) {
            close(fd);
        }
        return ts_fail(ctx, TS_ERR_INPUT, "cannot connect to %s: %s", path, strerror(number));
    }
    if (peer.uid != jvm->uid || (peer.pid != 0 && peer.pid != jvm->pid)) {
        close(fd);
        return ts_fail(ctx, TS_ERR_INPUT, "another process listens on %s", path);
    }
    *out = fd;
    return TS_OK;
}

/* Whether to wait for more after so long a silence: a Java VM that is stopped answers never. */
static bool is_patient(const ts_jvm *jvm, int64_t silent_ms)
{
    bool stop = jvm->stop != NULL && atomic_load(jvm->stop);
    return silent_ms < (stop ? STOP_MS : ANSWER_MS);
}

static ts_code read_answer(ts_buf *out, const ts_jvm *jvm, ts_ctx *ctx, int fd)
{
    int64_t silent = 0;
    ssize_t n = 1;
    ts_code code = TS_OK;
    out->n = 0;
    while (code == TS_OK && n != 0) {
        TS_TRY_INTO(code, ts_buf_reserve(ctx, out, 65536));
        n = recv(fd, out->p + out->n, 65536, 0);
        if (n > 0) {
            out->n += (size_t)n;
            silent = 0;
        } else if (n < 0 && errno != EINTR) {
            silent += SLICE_MS;
            if ((errno != EAGAIN && errno != EWOULDBLOCK) || !is_patient(jvm, silent)) {
                code =
                    ts_fail(ctx, TS_ERR_INPUT, "the Java VM does not answer: %s", strerror(errno));
            }
        }
        TS_STEP_IF(code, out->n > ANSWER_MAX,
                   ts_fail(ctx, TS_ERR_INPUT, "the answer of the Java VM is too long"));
    }
    return code;
}

/* The first line is 0, or a number and a text that says what was wrong. */
static ts_code take_result(ts_buf *out, ts_ctx *ctx)
{
    const char *end = memchr(out->p, '\n', out->n);
    size_t n = end == NULL ? 0 : (size_t)(end - out->p) + 1;
    if (n != 2 || out->p[0] != '0') {
        return ts_fail(ctx, TS_ERR_INPUT, "the Java VM refuses the command: %.*s",
                       (int)(out->n < 200 ? out->n : 200), out->p);
    }
    memmove(out->p, out->p + n, out->n - n);
    out->n -= n;
    return TS_OK;
}

ts_code ts_jvm_command(ts_buf *out, const ts_jvm *jvm, ts_ctx *ctx, const char *command,
                       const char *argument)
{
    char request[256];
    size_t n = 0;
    int fd = -1;
    ts_code code;
    TS_TRY_INTO(code, connect_to(&fd, jvm, ctx));
    /* The version, the command and three arguments, each with a zero byte after it. */
    n = (size_t)snprintf(request, sizeof request, "1%c%s%c%s%c%c", 0, command, 0, argument, 0, 0);
    request[n++] = '\0';
    if (send(fd, request, n, MSG_NOSIGNAL) != (ssize_t)n) {
        code =
            ts_fail(ctx, TS_ERR_INPUT, "cannot send a command to the Java VM: %s", strerror(errno));
    }
    TS_STEP(code, read_answer(out, jvm, ctx, fd));
    close(fd);
    TS_STEP(code, take_result(out, ctx));
    return code;
}
