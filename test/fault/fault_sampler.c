/*
 * The sampler of Java VMs while system calls fail one after the other: each kind of call once, and
 * once with all that follow. An error with a text, or samples without what could not be read;
 * nothing is left open or allocated, and nothing hangs.
 */
#include "wrapped.h"

#include "sampler/agent.h"
#include "sampler/hotspot.h"
#include "sampler/thread_cpu.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum { INNER = 12, LIMIT_S = 60 };

/* A folder in the place of /proc with this process as a Java VM in a container, whose number 12 it
 * is there, and an agent. */
typedef struct fixture {
    char *proc;
    char folder[64];
    int jvm;
    int agent;
    char address[32];
    atomic_bool ended;
    pthread_t thread;
} fixture;

static void put(const fixture *f, const char *name, const char *text)
{
    char *path = fault_path(f->folder, name);
    test_write_file(path, text, strlen(text));
    free(path);
}

static void make(const fixture *f, const char *name)
{
    char *path = fault_path(f->folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
    free(path);
}

/* --- what is connected to --------------------------------------------------------------------- */

static void serve_jvm(int listener)
{
    char request[64];
    size_t got = 0;
    ssize_t n = 1;
    int fd = accept(listener, NULL, NULL);
    while (fd >= 0 && n > 0 && got < sizeof "1\0threaddump\0-l\0\0\0" - 1) {
        n = read(fd, request + got, sizeof request - got);
        got += n > 0 ? (size_t)n : 0;
    }
    if (n > 0) {
        (void)send(fd, "0\nFull thread dump\n", 19, MSG_NOSIGNAL);
    }
    (void)close(fd);
}

static void serve_agent(int listener)
{
    static const char method[] = "*5\r\n+method\r\n+id\r\n:7\r\n+name\r\n+a.B.c()\r\n";
    char request[64];
    int fd = accept(listener, NULL, NULL);
    if (fd >= 0 && read(fd, request, sizeof request) > 0) {
        (void)send(fd, method, sizeof method - 1, MSG_NOSIGNAL);
    }
    (void)close(fd);
}

static void *serve(void *user)
{
    fixture *f = user;
    while (!atomic_load(&f->ended)) {
        struct pollfd p[2] = {{.fd = f->jvm, .events = POLLIN}, {.fd = f->agent, .events = POLLIN}};
        (void)poll(p, 2, 20);
        if ((p[0].revents & POLLIN) != 0) {
            serve_jvm(f->jvm);
        }
        if ((p[1].revents & POLLIN) != 0) {
            serve_agent(f->agent);
        }
    }
    return NULL;
}

static void listen_jvm(fixture *f)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s/root/tmp/.java_pid%d", f->folder,
             INNER);
    f->jvm = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(f->jvm, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(f->jvm, 8), 0);
}

static void listen_agent(fixture *f)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t n = sizeof address;
    f->agent = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(f->agent, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(f->agent, 8), 0);
    assert_int_equal(getsockname(f->agent, (struct sockaddr *)&address, &n), 0);
    snprintf(f->address, sizeof f->address, "127.0.0.1:%d", ntohs(address.sin_port));
}

static int setup(void **state)
{
    static fixture f;
    char status[300];
    unsigned uid = geteuid();
    f.proc = fault_folder();
    snprintf(f.folder, sizeof f.folder, "%s/%d", f.proc, (int)getpid());
    assert_int_equal(mkdir(f.folder, 0700), 0);
    make(&f, "root");
    make(&f, "root/tmp");
    make(&f, "task");
    make(&f, "task/900");
    snprintf(status, sizeof status,
             "Name:\tjava\nUid:\t%u\t%u\t%u\t%u\nNSpid:\t%d\t%d\nSigCgt:\t0000000000000004\n", uid,
             uid, uid, uid, (int)getpid(), INNER);
    put(&f, "status", status);
    put(&f, "maps", "7f00-7f01 r-xp 0 08:01 5 /usr/lib/jvm/java-17/lib/server/libjvm.so\n");
    put(&f, "task/900/status", "Name:\tx\nNSpid:\t900\t15\nUid:\t0\n");
    put(&f, "task/900/schedstat", "77 0 0\n");
    listen_jvm(&f);
    listen_agent(&f);
    assert_int_equal(pthread_create(&f.thread, NULL, serve, &f), 0);
    *state = &f;
    return 0;
}

static int teardown(void **state)
{
    fixture *f = *state;
    char command[128];
    atomic_store(&f->ended, true);
    pthread_join(f->thread, NULL);
    close(f->jvm);
    close(f->agent);
    snprintf(command, sizeof command, "rm -rf '%s'", f->proc);
    assert_int_equal(system(command), 0);
    free(f->proc);
    return 0;
}

/* --- what fails ------------------------------------------------------------------------------- */

/* Attaches, asks for a thread dump, and reads the CPU time of a thread. *got: how much there is. */
static ts_code attach(const fixture *f, ts_ctx *ctx, int *got)
{
    ts_jvm jvm;
    ts_thread_cpu cpu = {0};
    ts_buf out = {0};
    int64_t ns = -1;
    ts_code code = ts_jvm_open(&jvm, ctx, f->proc, (int)getpid(), NULL);
    if (code == TS_OK) {
        code = ts_jvm_command(&out, &jvm, ctx, "threaddump", "-l");
    }
    if (code == TS_OK) {
        assert_int_equal(out.n, 17);
        ts_thread_cpu_open(&cpu, ctx, &jvm);
        code = ts_thread_cpu_read(&ns, &cpu, 15);
        *got = ns == 77;
        if (code == TS_OK && ns != 77) { /* what failed once is read the next time */
            assert_int_equal(ns, -1);
            code = ts_thread_cpu_read(&ns, &cpu, 15);
        }
        *got += ns == 77;
    }
    ts_thread_cpu_close(&cpu);
    ts_buf_free(ctx, &out);
    ts_jvm_close(&jvm, ctx);
    return code;
}

static ts_code take_event(void *user, const ts_agent_event *event)
{
    int *got = user;
    *got += event->id == 7 ? 2 : 0;
    return TS_OK;
}

static ts_code connect_agent(const fixture *f, ts_ctx *ctx, int *got)
{
    ts_agent agent;
    bool ended = false;
    ts_code code = ts_agent_open(&agent, ctx, f->address);
    for (int i = 0; code == TS_OK && !ended && i < 100; i++) {
        code = ts_agent_read(&ended, &agent, 100, take_event, got);
    }
    ts_agent_close(&agent);
    return code;
}

/* Also those of the other end, which are closed a little later. */
static void assert_open_files(int expected)
{
    int n = 0;
    for (unsigned i = 0; i < 500 && (n = fault_names("/proc/self/fd")) != expected; i++) {
        (void)usleep(2000);
    }
    assert_int_equal(n, expected);
}

/* At least one call of the kind is made, and the run ends well when none fails. `soft`: without
 * what the call gives there are samples all the same. */
static void sweep(void **state, const char *what, int number, bool soft,
                  ts_code (*run)(const fixture *f, ts_ctx *ctx, int *got))
{
    const fixture *fixed = *state;
    /* without a socket that is seen an attempt takes five seconds */
    unsigned modes = strcmp(what, "lstat") == 0 ? 1 : 2;
    for (unsigned forever = 0; forever < modes; forever++) {
        bool whole = false;
        uint64_t n = 1;
        for (; !whole; n++) {
            faults f = {.what = what, .fail_at = n, .number = number, .forever = forever != 0};
            ts_ctx *ctx = test_ctx_new();
            int before = fault_names("/proc/self/fd");
            int got = 0;
            faults_install(&f, ctx);
            wrapped = &f;
            alarm(LIMIT_S); /* ends the test */
            ts_code code = run(fixed, ctx, &got);
            alarm(0);
            wrapped = NULL;
            whole = !f.failed;
            assert_true(code == TS_OK || (f.failed && ctx->error.causes[0][0] != '\0'));
            assert_true(code == TS_OK || code == TS_ERR_INPUT || code == TS_ERR_USAGE ||
                        (code == TS_ERR_NOMEM && strcmp(what, "realloc") == 0));
            assert_true(code != TS_OK || got == 2 || soft);
            assert_true(!whole || got == 2);
            assert_true(code != TS_OK || forever != 0 || strstr(what, "dir") == NULL || got >= 1);
            test_ctx_free(ctx);
            assert_int_equal(f.blocks, 0);
            assert_open_files(before);
        }
        if (n <= 2) {
            fail_msg("%s is never called", what);
        }
    }
}

static void test_attach(void **state)
{
    static const char *const hard[] = {"socket", "setsockopt", "connect", "getsockopt",
                                       "send",   "recv",       "lstat"};
    sweep(state, "realloc", ENOMEM, false, attach);
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        sweep(state, hard[i], ECONNRESET, false, attach);
    }
    sweep(state, "recv", EAGAIN, false, attach); /* a silent Java VM */
    sweep(state, "poll", EINVAL, false, attach);
    sweep(state, "open", EMFILE, true, attach);
    sweep(state, "read", EIO, true, attach);
    sweep(state, "opendir", EMFILE, true, attach);
    sweep(state, "readdir", EIO, true, attach);
}

static void test_agent(void **state)
{
    static const char *const hard[] = {"socket", "connect", "send", "poll"};
    sweep(state, "realloc", ENOMEM, false, connect_agent);
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        sweep(state, hard[i], EINVAL, false, connect_agent);
    }
    sweep(state, "recv", ECONNRESET, true, connect_agent); /* the sampling has ended then */
    sweep(state, "recv", EAGAIN, true, connect_agent);
    sweep(state, "getsockopt", EINVAL, true, connect_agent);
}

int main(void)
{
    (void)signal(SIGQUIT, SIG_IGN); /* what a Java VM is sent */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_attach),
        cmocka_unit_test(test_agent),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
