/*
 * Processes that can be killed, forked by one process that has a single thread.
 *
 * The server forks the maker before it has threads (ts_workers_open); the maker forks a worker for
 * each ORDER_START. Orders go over a socket of whole messages; the end of the worker's channel
 * comes with the order, and a pid comes back. When the server dies, its end of the socket closes
 * and the maker ends; workers die with the maker (PR_SET_PDEATHSIG, and getppid in case it died
 * between).
 *
 * A pid is used for killing only while it cannot be another process: the maker asks waitid that it
 * is a child of its own, and waits for a child only with ORDER_END, until which the number stays
 * taken. The table of workers is under the lock, and an order and its answer are one step under it.
 * Signals of the terminal are ignored in maker and workers: the server decides when they end.
 */
#include "serve/api/remote.h"

#include "base/alloc.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { WORKERS = 128 };

struct ts_workers {
    ts_ctx ctx;
    pthread_mutex_t lock;
    int fd; /* to the process that makes them */
    pid_t pid;
    struct {
        pid_t pid;  /* 0: none */
        bool large; /* it was killed for its memory */
        bool rests;
    } all[WORKERS];
};

/* What the server tells it, and about which. ORDER_START comes with a descriptor and is answered
 * with a pid, or -1; one that was killed keeps its number until ORDER_END. */
typedef struct order {
    enum { ORDER_START, ORDER_KILL, ORDER_END } what;
    pid_t pid;
} order;

/* --- the process that makes them -------------------------------------------------------------- */

/* The control data of a message with one descriptor. */
typedef union passed {
    struct cmsghdr align;
    char bytes[CMSG_SPACE(sizeof(int))];
} passed;

static bool order_receive(int from, order *o, int *fd)
{
    passed control;
    struct iovec bytes = {o, sizeof *o};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    ssize_t n;
    *fd = -1;
    do {
        n = recvmsg(from, &message, MSG_CMSG_CLOEXEC);
    } while (n < 0 && errno == EINTR);
    const struct cmsghdr *c = n == (ssize_t)sizeof *o ? CMSG_FIRSTHDR(&message) : NULL;
    if (c != NULL && c->cmsg_type == SCM_RIGHTS) {
        memcpy(fd, CMSG_DATA(c), sizeof *fd);
    }
    return n == (ssize_t)sizeof *o;
}

static pid_t make_one(int orders, int fd, ts_worker_run *run, void *user)
{
    pid_t maker = getpid();
    pid_t pid = fd < 0 ? -1 : fork();
    if (pid == 0) {
        (void)close(orders);
        if (prctl(PR_SET_PDEATHSIG, SIGKILL) == 0 && getppid() == maker) {
            run(user, fd);
        }
        _exit(0);
    }
    return pid;
}

/* Whether it is one that was made here, and not waited for yet. */
static bool is_own(pid_t pid)
{
    siginfo_t info;
    return pid > 0 && waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0;
}

static void make_and_end(int orders, ts_worker_run *run, void *user)
{
    order o;
    int fd;
    while (order_receive(orders, &o, &fd)) {
        if (o.what != ORDER_START) {
            if (is_own(o.pid)) {
                (void)kill(o.pid, SIGKILL);
            }
            if (o.what == ORDER_END && o.pid > 0) {
                (void)waitpid(o.pid, NULL, 0);
            }
            continue;
        }
        o.pid = make_one(orders, fd, run, user);
        if (fd >= 0) {
            (void)close(fd);
        }
        (void)send(orders, &o, sizeof o, MSG_NOSIGNAL);
    }
}

/* The end of the server is theirs; its signals, which a terminal sends to all, are not. */
static void leave_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        (void)signal(numbers[i], SIG_IGN);
    }
    (void)signal(SIGCHLD, SIG_DFL); /* ignored, numbers of children would be free at once */
}

/* --- the server's side ------------------------------------------------------------------------ */

ts_code ts_workers_open(ts_workers **out, ts_ctx *ctx, ts_worker_run *run, void *user, int listener)
{
    int ends[2];
    ts_ctx own = *ctx;
    ts_workers *all = ts_zalloc(&own, 1, sizeof *all);
    *out = NULL;
    if (all == NULL) {
        return own.error.code;
    }
    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        ts_free(&own, all);
        return ts_fail(ctx, TS_ERR_INTERNAL, "cannot make a socket: %s", strerror(errno));
    }
    all->pid = fork();
    if (all->pid == 0) {
        leave_signals();
        (void)close(ends[0]);
        (void)close(listener);
        make_and_end(ends[1], run, user);
        _exit(0);
    }
    int error = errno;
    (void)close(ends[1]);
    if (all->pid < 0) {
        (void)close(ends[0]);
        ts_free(&own, all);
        return ts_fail(ctx, TS_ERR_INTERNAL, "cannot start a process: %s", strerror(error));
    }
    all->fd = ends[0];
    (void)pthread_mutex_init(&all->lock, NULL);
    all->ctx = own;
    *out = all;
    return TS_OK;
}

void ts_workers_close(ts_workers *all)
{
    if (all == NULL) {
        return;
    }
    (void)close(all->fd);
    while (waitpid(all->pid, NULL, 0) < 0 && errno == EINTR) {
    }
    (void)pthread_mutex_destroy(&all->lock);
    ts_ctx ctx = all->ctx;
    ts_free(&ctx, all);
}

/* Sends the order and a descriptor, and takes the answer. */
static pid_t order_start(const ts_workers *all, int fd)
{
    order o = {0};
    passed control = {0};
    struct iovec bytes = {&o, sizeof o};
    struct msghdr message = {.msg_iov = &bytes,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    struct cmsghdr *c = CMSG_FIRSTHDR(&message);
    ssize_t n;
    *c = (struct cmsghdr){
        .cmsg_len = CMSG_LEN(sizeof fd), .cmsg_level = SOL_SOCKET, .cmsg_type = SCM_RIGHTS};
    memcpy(CMSG_DATA(c), &fd, sizeof fd);
    if (sendmsg(all->fd, &message, MSG_NOSIGNAL) != (ssize_t)sizeof o) {
        return -1;
    }
    do {
        n = recv(all->fd, &o, sizeof o, 0);
    } while (n < 0 && errno == EINTR);
    return n == (ssize_t)sizeof o ? o.pid : -1;
}

/* Where it is in the list; 0: a free place. -1: nowhere. */
static int worker_place(const ts_workers *all, pid_t pid)
{
    for (int i = 0; i < WORKERS; i++) {
        if (all->all[i].pid == pid) {
            return i;
        }
    }
    return -1;
}

ts_code ts_worker_start(ts_worker *out, ts_workers *all, ts_ctx *ctx)
{
    int ends[2];
    *out = (ts_worker){0};
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) {
        return ts_fail(ctx, TS_ERR_LIMIT, "cannot make a socket: %s", strerror(errno));
    }
    (void)pthread_mutex_lock(&all->lock);
    int place = worker_place(all, 0);
    pid_t pid = place < 0 ? -1 : order_start(all, ends[1]);
    if (pid > 0) {
        all->all[place].pid = pid;
        all->all[place].large = false;
        all->all[place].rests = false;
    }
    (void)pthread_mutex_unlock(&all->lock);
    (void)close(ends[1]);
    if (pid <= 0) {
        (void)close(ends[0]);
        return ts_fail(ctx, TS_ERR_LIMIT, "cannot start a process for the request");
    }
    *out = (ts_worker){pid, ends[0]};
    return TS_OK;
}

void ts_worker_end(ts_worker *one, ts_workers *all)
{
    const order o = {ORDER_END, one->pid};
    if (one->pid != 0) {
        (void)pthread_mutex_lock(&all->lock);
        (void)send(all->fd, &o, sizeof o, MSG_NOSIGNAL);
        all->all[worker_place(all, one->pid)].pid = 0;
        (void)pthread_mutex_unlock(&all->lock);
        (void)close(one->fd);
    }
    *one = (ts_worker){0};
}

/* --- memory ----------------------------------------------------------------------------------- */

bool ts_worker_was_large(const ts_worker *one, ts_workers *all)
{
    (void)pthread_mutex_lock(&all->lock);
    bool large = one->pid != 0 && all->all[worker_place(all, one->pid)].large;
    (void)pthread_mutex_unlock(&all->lock);
    return large;
}

void ts_worker_rests(const ts_worker *one, ts_workers *all)
{
    (void)pthread_mutex_lock(&all->lock);
    if (one->pid != 0) {
        all->all[worker_place(all, one->pid)].rests = true;
    }
    (void)pthread_mutex_unlock(&all->lock);
}

bool ts_worker_wakes(const ts_worker *one, ts_workers *all)
{
    bool there = false;
    (void)pthread_mutex_lock(&all->lock);
    if (one->pid != 0) {
        int place = worker_place(all, one->pid);
        there = !all->all[place].large;
        all->all[place].rests = false;
    }
    (void)pthread_mutex_unlock(&all->lock);
    return there;
}

/* Bytes that are resident and not shared; 0 when the system does not say. */
static uint64_t worker_memory(pid_t pid)
{
    char path[32];
    char line[128];
    (void)snprintf(path, sizeof path, "/proc/%ld/statm", (long)pid);
    FILE *f = fopen(path, "re");
    if (f == NULL) {
        return 0;
    }
    bool read = fgets(line, sizeof line, f) != NULL;
    (void)fclose(f);
    if (!read) {
        return 0;
    }
    char *at = line;
    (void)strtoull(at, &at, 10); /* all of its addresses */
    uint64_t resident = strtoull(at, &at, 10);
    uint64_t shared = strtoull(at, &at, 10);
    return resident > shared ? (resident - shared) * (uint64_t)sysconf(_SC_PAGESIZE) : 0;
}

void ts_workers_watch(ts_workers *all, uint64_t most)
{
    uint64_t total = 0;
    uint64_t largest = 0;
    int at = -1;
    (void)pthread_mutex_lock(&all->lock);
    for (int i = 0; i < WORKERS; i++) {
        uint64_t bytes = all->all[i].pid == 0 ? 0 : worker_memory(all->all[i].pid);
        bool rests = all->all[i].rests;
        bool first = at >= 0 && rests && !all->all[at].rests;
        total += bytes;
        if (bytes > 0 && !all->all[i].large &&
            (first || (bytes > largest && (at < 0 || rests == all->all[at].rests)))) {
            largest = bytes;
            at = i;
        }
    }
    if (most != 0 && total > most && at >= 0) {
        const order o = {ORDER_KILL, all->all[at].pid};
        all->all[at].large = true;
        (void)send(all->fd, &o, sizeof o, MSG_NOSIGNAL);
    }
    (void)pthread_mutex_unlock(&all->lock);
}
