/* What may be attached to, and the socket's answers, with a folder in the place of /proc. */
#include "support.h"

#include "sampler/hotspot.h"
#include "sampler/thread_cpu.h"

#include <pthread.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

typedef struct fake {
    char proc[24];
    char folder[48]; /* of this process below it */
} fake;

static void put(const fake *f, const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    test_write_file(path, text, strlen(text));
}

static void make(const fake *f, const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", f->folder, name);
    assert_int_equal(mkdir(path, 0700), 0);
}

static void set_status(const fake *f, unsigned uid, const char *caught, const char *inner)
{
    char text[300];
    snprintf(text, sizeof text,
             "Name:\tjava\nUid:\t%u\t%u\t%u\t%u\nNSpid:\t%d%s\nSigCgt:\t%s\nSeccomp:\t0\n", uid,
             uid, uid, uid, (int)getpid(), inner, caught);
    put(f, "status", text);
}

#define MAPS "7f00-7f01 r-xp 0 08:01 5 /usr/lib/jvm/java-17/lib/server/libjvm.so\n"
#define CATCHES "0000000000000004" /* SIGQUIT is 3 */

static void fake_begin(fake *f)
{
    strcpy(f->proc, "/tmp/hotspot-XXXXXX");
    assert_non_null(mkdtemp(f->proc));
    snprintf(f->folder, sizeof f->folder, "%s/%d", f->proc, (int)getpid());
    assert_int_equal(mkdir(f->folder, 0700), 0);
    make(f, "root");
    make(f, "root/tmp");
    make(f, "cwd");
    set_status(f, geteuid(), CATCHES, "");
    put(f, "maps", MAPS);
}

static void fake_end(const fake *f)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf '%s'", f->proc);
    assert_int_equal(system(command), 0);
}

static void refuses(const fake *f, int pid, const char *message)
{
    ts_ctx *ctx = test_ctx_new();
    ts_jvm jvm;
    assert_int_equal(ts_jvm_open(&jvm, ctx, f->proc, pid, NULL), TS_ERR_USAGE);
    assert_non_null(strstr(ctx->error.causes[0], message));
    ts_jvm_close(&jvm, ctx);
    test_ctx_free(ctx);
}

/* A SIGQUIT would end this test. */
static void test_refused(void **state)
{
    fake f;
    int pid = (int)getpid();
    (void)state;
    fake_begin(&f);
    refuses(&f, 0, "not the number of a process");
    refuses(&f, -5, "not the number of a process");
    refuses(&f, pid + 1000000, "there is no process");
    put(&f, "maps", "7f00-7f01 r-xp 0 08:01 5 /usr/bin/python3\n");
    refuses(&f, pid, "is not a HotSpot Java VM");
    put(&f, "maps", MAPS "7f00-7f01 r-xp 0 08:01 5 /opt/lib/libj9vm29.so\n");
    refuses(&f, pid, "is not a HotSpot Java VM");
    put(&f, "maps", MAPS);
    set_status(&f, geteuid(), "0000000000000003", "");
    refuses(&f, pid, "does not handle SIGQUIT");
    set_status(&f, geteuid() + 1, CATCHES, "");
    refuses(&f, pid, "belongs to another user");
    put(&f, "status", "Name:\tjava\n");
    refuses(&f, pid, "cannot read what process");
    fake_end(&f);
}

static void test_checked(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    fake f;
    ts_jvm jvm;
    (void)state;
    fake_begin(&f);
    assert_ok(ctx, ts_jvm_check(&jvm, ctx, f.proc, (int)getpid()));
    assert_int_equal(jvm.inner_pid, getpid());
    set_status(&f, geteuid(), CATCHES, "\t77\t12");
    assert_ok(ctx, ts_jvm_check(&jvm, ctx, f.proc, (int)getpid()));
    assert_int_equal(jvm.inner_pid, 12);
    fake_end(&f);
    test_ctx_free(ctx);
}

/* --- a Java VM that listens ----------------------------------------------------------------- */

typedef struct server {
    int fd;
    const char *answer;
    size_t n;
    char request[64];
} server;

static void *serve(void *user)
{
    server *s = user;
    int fd = accept(s->fd, NULL, NULL);
    size_t got = 0;
    ssize_t n = 1;
    while (got < sizeof "1\0threaddump\0-l\0\0\0" - 1 && n > 0) {
        n = read(fd, s->request + got, sizeof s->request - got);
        got += n > 0 ? (size_t)n : 0;
    }
    for (size_t at = 0; at < s->n; at += 7) { /* in pieces */
        size_t piece = s->n - at < 7 ? s->n - at : 7;
        assert_int_equal(write(fd, s->answer + at, piece), piece);
    }
    close(fd);
    return NULL;
}

static void ask(const fake *f, server *s, ts_buf *out, ts_ctx *ctx, ts_code expected)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    pthread_t thread;
    ts_jvm jvm;
    snprintf(address.sun_path, sizeof address.sun_path, "%s/root/tmp/.java_pid%d", f->folder,
             (int)getpid());
    unlink(address.sun_path);
    s->fd = socket(AF_UNIX, SOCK_STREAM, 0);
    assert_int_equal(bind(s->fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(s->fd, 1), 0);
    assert_int_equal(pthread_create(&thread, NULL, serve, s), 0);
    assert_ok(ctx, ts_jvm_open(&jvm, ctx, f->proc, (int)getpid(), NULL));
    assert_int_equal(ts_jvm_command(out, &jvm, ctx, "threaddump", "-l"), expected);
    pthread_join(thread, NULL);
    ts_jvm_close(&jvm, ctx);
    close(s->fd);
}

static void test_command(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_buf out = {0};
    fake f;
    server good = {.answer = "0\nFull thread dump\n", .n = 19};
    server refused = {.answer = "100\nno such command\n", .n = 20};
    server empty = {.answer = "", .n = 0};
    (void)state;
    fake_begin(&f);
    ask(&f, &good, &out, ctx, TS_OK);
    assert_memory_equal(good.request, "1\0threaddump\0-l\0\0\0", 18);
    assert_int_equal(out.n, 17);
    assert_memory_equal(out.p, "Full thread dump\n", 17);
    ask(&f, &refused, &out, ctx, TS_ERR_INPUT);
    assert_non_null(strstr(ctx->error.causes[0], "no such command"));
    ask(&f, &empty, &out, ctx, TS_ERR_INPUT);
    ts_buf_free(ctx, &out);
    fake_end(&f);
    test_ctx_free(ctx);
}

/* A Java VM that is stopped holds up the end for half a second only. */
static void test_silent(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const atomic_bool stop = true;
    struct timespec before;
    struct timespec after;
    ts_buf out = {0};
    ts_jvm jvm;
    fake f;
    int fd = socket(AF_UNIX, SOCK_STREAM, 0);
    (void)state;
    fake_begin(&f);
    snprintf(address.sun_path, sizeof address.sun_path, "%s/root/tmp/.java_pid%d", f.folder,
             (int)getpid());
    assert_int_equal(bind(fd, (struct sockaddr *)&address, sizeof address), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_ok(ctx, ts_jvm_open(&jvm, ctx, f.proc, (int)getpid(), &stop));
    clock_gettime(CLOCK_MONOTONIC, &before);
    assert_int_equal(ts_jvm_command(&out, &jvm, ctx, "threaddump", ""), TS_ERR_INPUT);
    clock_gettime(CLOCK_MONOTONIC, &after);
    assert_true(after.tv_sec - before.tv_sec < 5);
    ts_jvm_close(&jvm, ctx);
    ts_buf_free(ctx, &out);
    close(fd);
    fake_end(&f);
    test_ctx_free(ctx);
}

/* schedstat has ns; where it says 0, stat has ticks, behind a name with anything in it. */
static void test_thread_cpu(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_thread_cpu cpu;
    ts_jvm jvm;
    int64_t ns;
    int64_t tick = 1000000000 / sysconf(_SC_CLK_TCK);
    fake f;
    (void)state;
    fake_begin(&f);
    assert_ok(ctx, ts_jvm_check(&jvm, ctx, f.proc, (int)getpid()));
    make(&f, "task");
    make(&f, "task/5");
    make(&f, "task/6");
    put(&f, "task/5/schedstat", "123456789 5 6\n");
    put(&f, "task/6/schedstat", "0 0 0\n");
    put(&f, "task/6/stat", "6 (a) b (c) S 1 2 3 4 5 6 7 8 9 10 70 30 0 0\n");
    ts_thread_cpu_open(&cpu, ctx, &jvm);
    assert_ok(ctx, ts_thread_cpu_read(&ns, &cpu, 5));
    assert_int_equal(ns, 123456789);
    assert_ok(ctx, ts_thread_cpu_read(&ns, &cpu, 6));
    assert_int_equal(ns, 100 * tick);
    assert_ok(ctx, ts_thread_cpu_read(&ns, &cpu, 7));
    assert_int_equal(ns, -1);
    ts_thread_cpu_close(&cpu);
    fake_end(&f);
    test_ctx_free(ctx);
}

/* In a container the Java VM knows its threads by other numbers. */
static void test_thread_cpu_inside(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    ts_thread_cpu cpu;
    ts_jvm jvm;
    int64_t ns;
    fake f;
    (void)state;
    fake_begin(&f);
    set_status(&f, geteuid(), CATCHES, "\t12");
    assert_ok(ctx, ts_jvm_check(&jvm, ctx, f.proc, (int)getpid()));
    make(&f, "task");
    make(&f, "task/900");
    put(&f, "task/900/status", "Name:\tx\nNSpid:\t900\t15\nUid:\t0\n");
    put(&f, "task/900/schedstat", "77 0 0\n");
    ts_thread_cpu_open(&cpu, ctx, &jvm);
    assert_ok(ctx, ts_thread_cpu_read(&ns, &cpu, 15));
    assert_int_equal(ns, 77);
    assert_ok(ctx, ts_thread_cpu_read(&ns, &cpu, 900));
    assert_int_equal(ns, -1);
    ts_thread_cpu_close(&cpu);
    fake_end(&f);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_refused),    cmocka_unit_test(test_checked),
        cmocka_unit_test(test_command),    cmocka_unit_test(test_silent),
        cmocka_unit_test(test_thread_cpu), cmocka_unit_test(test_thread_cpu_inside),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
