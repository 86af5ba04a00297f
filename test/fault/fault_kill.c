/*
 * fault_kill PROGRAM INPUT OLD-INPUT: kills conversions at random times and looks at what is there
 * afterwards. By SIGKILL: the target is absent, the old one byte for byte, or the complete new one;
 * the next run removes what was left. By SIGINT and SIGTERM: exit codes 130 and 143 in less than a
 * second, and nothing is left. TS_SEED repeats a run.
 */
#include "faults.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* What the tests of the group share; cmocka hands over no arguments. */
static struct {
    char *program;
    char *input;
    char *old_input;
    char *dir;
    char *tmp;
    char *target;
    char *query;
    char *old;
    size_t old_n;
    char *right;
    size_t right_n;
    int64_t span; /* ns of a whole conversion */
    uint64_t random;
} all;

static int64_t now(void)
{
    struct timespec t;
    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

/* xorshift64; below n */
static uint64_t dice(uint64_t n)
{
    all.random ^= all.random << 13;
    all.random ^= all.random >> 7;
    all.random ^= all.random << 17;
    return all.random % n;
}

static pid_t start(const char *const *argv)
{
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        int null = open("/dev/null", O_RDWR);
        (void)dup2(null, STDIN_FILENO);
        (void)dup2(null, STDOUT_FILENO);
        (void)dup2(null, STDERR_FILENO);
        (void)signal(SIGINT, SIG_DFL);
        (void)signal(SIGTERM, SIG_DFL);
        (void)execv(all.program, (char *const *)(uintptr_t)argv);
        _exit(126);
    }
    return pid;
}

static pid_t convert(const char *input)
{
    const char *argv[] = {"trace_streamer", input, "-e", all.target, "--quiet", NULL};
    return start(argv);
}

static pid_t ask(void)
{
    const char *argv[] = {"trace_streamer", all.input, "-q", all.query, "--quiet", NULL};
    return start(argv);
}

static int wait_for(pid_t pid)
{
    int status = 0;
    while (waitpid(pid, &status, 0) < 0) {
        assert_int_equal(errno, EINTR);
    }
    return status;
}

static void wait_for_success(pid_t pid)
{
    int status = wait_for(pid);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void sleep_ns(int64_t ns)
{
    struct timespec t = {ns / 1000000000, (long)(ns % 1000000000)};
    (void)nanosleep(&t, NULL);
}

/* Somewhere in a conversion, sometimes behind it. */
static void sleep_a_while(void)
{
    sleep_ns((int64_t)dice((uint64_t)(all.span + all.span / 8)));
}

/* Names of the folder other than the target; all must be temporaries of it. */
static int leftovers(void)
{
    int n = 0;
    DIR *d = opendir(all.dir);
    assert_non_null(d);
    for (struct dirent *e; (e = readdir(d)) != NULL;) {
        if (e->d_name[0] == '.' && (e->d_name[1] == '\0' || e->d_name[1] == '.')) {
            continue;
        }
        if (strcmp(e->d_name, "out.db") != 0) {
            assert_int_equal(strncmp(e->d_name, ".out.db.tmp-", 12), 0);
            n++;
        }
    }
    (void)closedir(d);
    return n;
}

static int group_setup(void **state)
{
    const char *seed = getenv("TS_SEED");
    (void)state;
    all.random = seed != NULL ? strtoull(seed, NULL, 10) : (uint64_t)now() | 1;
    print_message("TS_SEED=%" PRIu64 "\n", all.random);
    all.dir = fault_folder();
    all.tmp = fault_folder();
    (void)setenv("TMPDIR", all.tmp, 1);
    all.target = fault_path(all.dir, "out.db");
    assert_true(asprintf(&all.query, "%s.sql", all.dir) > 0);
    test_write_file(all.query, "SELECT count(*) FROM js_heap_nodes", 34);
    wait_for_success(convert(all.old_input));
    all.old = test_read_file(all.target, &all.old_n);
    for (int i = 0; i < 5; i++) {
        int64_t begin = now();
        wait_for_success(convert(all.input));
        int64_t span = now() - begin;
        all.span = i == 0 || span < all.span ? span : all.span;
    }
    all.right = test_read_file(all.target, &all.right_n);
    assert_true(all.right_n != all.old_n);
    print_message("a conversion takes %.1f ms\n", (double)all.span / 1e6);
    return 0;
}

static int group_teardown(void **state)
{
    (void)state;
    (void)unlink(all.query);
    fault_remove(all.dir);
    fault_remove(all.tmp);
    free(all.target);
    free(all.query);
    free(all.old);
    free(all.right);
    return 0;
}

enum { ABSENT, OLD, NEW };

static int put_before(void)
{
    (void)unlink(all.target);
    if (dice(2) == 0) {
        return ABSENT;
    }
    test_write_file(all.target, all.old, all.old_n);
    return OLD;
}

/* What stands there; anything else than the three is the failure this is about. */
static int look(void)
{
    if (access(all.target, F_OK) != 0) {
        return ABSENT;
    }
    if (fault_file_is(all.target, all.old, all.old_n)) {
        return OLD;
    }
    assert_true(fault_file_is(all.target, all.right, all.right_n));
    return NEW;
}

static void test_kill(void **state)
{
    uint64_t kills = test_slow() ? 4000 : 120;
    uint64_t left = 0;
    uint64_t complete = 0;
    uint64_t at_work = 0; /* since the last run that went to its end */
    (void)state;
    for (uint64_t i = 1; i <= kills; i++) {
        int before = put_before();
        pid_t pid = convert(all.input);
        sleep_a_while();
        assert_int_equal(kill(pid, SIGKILL), 0);
        (void)wait_for(pid);
        int after = look();
        assert_true(after == before || after == NEW);
        complete += after == NEW ? 1 : 0;
        /* Every run removes what those before it left, so at most one is there. */
        int n = leftovers();
        assert_in_range(n, 0, at_work + 1);
        left += n > 0 ? 1 : 0;
        at_work++;
        if (i % 20 == 0) {
            wait_for_success(convert(all.input));
            assert_int_equal(look(), NEW);
            assert_int_equal(leftovers(), 0);
            at_work = 0;
        }
    }
    print_message("%" PRIu64 " kills: %" PRIu64 " left a temporary, %" PRIu64 " came too late\n",
                  kills, left, complete);
    assert_true(left >= kills / 8); /* else they did not hit the conversion */
    assert_int_equal(fault_names(all.tmp), 0);
}

/* Without -e the database has a name for a moment only; the next run removes even that. */
static void test_kill_of_a_question(void **state)
{
    uint64_t kills = test_slow() ? 1000 : 40;
    int most = 0;
    (void)state;
    (void)unlink(all.target);
    for (uint64_t i = 1; i <= kills; i++) {
        pid_t pid = ask();
        /* The beginning is what matters. */
        sleep_ns((int64_t)dice((uint64_t)(i % 4 == 0 ? all.span : all.span / 3 + 1)));
        assert_int_equal(kill(pid, SIGKILL), 0);
        (void)wait_for(pid);
        int n = fault_names(all.tmp);
        most = n > most ? n : most;
    }
    print_message("%" PRIu64 " kills of questions: at most %d files left\n", kills, most);
    assert_in_range(most, 0, 1);
    wait_for_success(ask());
    assert_int_equal(fault_names(all.tmp), 0);
    assert_int_equal(fault_names(all.dir), 0);
}

/* The whole text of a file, or NULL when it is not there. */
static char *text_of(const char *path)
{
    size_t n;
    return access(path, F_OK) == 0 ? test_read_file(path, &n) : NULL;
}

/* The summary in a file is the old one or a whole one, and tells of the database that is there. */
static void test_kill_with_a_summary(void **state)
{
    static const char before[] = "an old summary\n";
    uint64_t kills = test_slow() ? 1000 : 50;
    char *json = fault_path(all.tmp, "summary");
    char *option = NULL;
    uint64_t whole = 0;
    (void)state;
    assert_true(asprintf(&option, "--json=%s", json) > 0);
    for (uint64_t i = 0; i < kills; i++) {
        const char *argv[] = {"trace_streamer", all.input, "-e", all.target,
                              option,           "--quiet", NULL};
        test_write_file(json, before, sizeof before - 1);
        (void)put_before();
        pid_t pid = start(argv);
        sleep_ns(all.span / 2 + (int64_t)dice((uint64_t)all.span));
        assert_int_equal(kill(pid, SIGKILL), 0);
        (void)wait_for(pid);
        char *text = text_of(json);
        assert_non_null(text);
        if (strcmp(text, before) != 0) {
            assert_non_null(strstr(text, "\"exit_code\": 0"));
            assert_string_equal(text + strlen(text) - 3, "\n}\n");
            assert_int_equal(look(), NEW);
            whole++;
        }
        free(text);
    }
    const char *argv[] = {"trace_streamer", all.input, "-e", all.target, option, "--quiet", NULL};
    wait_for_success(start(argv));
    assert_int_equal(leftovers(), 0);
    assert_int_equal(fault_names(all.tmp), 1);
    print_message("%" PRIu64 " kills: %" PRIu64 " summaries were whole\n", kills, whole);
    assert_int_equal(unlink(json), 0);
    free(json);
    free(option);
}

static void signal_once(int number, bool question)
{
    int before = put_before();
    pid_t pid = question ? ask() : convert(all.input);
    sleep_a_while();
    int64_t begin = now();
    assert_int_equal(kill(pid, number), 0);
    int status = wait_for(pid);
    assert_true(now() - begin < 1000000000);
    int after = look();
    if (WIFSIGNALED(status)) { /* before the program had begun */
        assert_int_equal(WTERMSIG(status), number);
        assert_int_equal(after, before);
    } else if (WEXITSTATUS(status) == 0) {
        assert_int_equal(after, question ? before : NEW);
    } else {
        assert_int_equal(WEXITSTATUS(status), 128 + number);
        assert_int_equal(after, before);
    }
    assert_int_equal(leftovers(), 0);
    assert_int_equal(fault_names(all.tmp), 0);
}

static void test_signals(void **state)
{
    uint64_t times = test_slow() ? 100 : 20;
    (void)state;
    for (uint64_t i = 0; i < times; i++) {
        signal_once(SIGINT, i % 4 == 3);
        signal_once(SIGTERM, i % 4 == 2);
    }
}

/* Fifty at once: to one target, and to one of each own. */
static void test_parallel(void **state)
{
    enum { RUNS = 50, SAME = 25 };
    pid_t pids[RUNS];
    char *targets[RUNS];
    (void)state;
    for (int i = 0; i < RUNS; i++) {
        char name[32];
        (void)snprintf(name, sizeof name, i < SAME ? "out.db" : "out%d.db", i);
        targets[i] = fault_path(all.dir, name);
        const char *argv[] = {"trace_streamer",
                              i % 2 == 0 ? all.input : all.old_input,
                              "-e",
                              targets[i],
                              "--quiet",
                              NULL};
        pids[i] = start(argv);
    }
    for (int i = 0; i < RUNS; i++) {
        wait_for_success(pids[i]);
    }
    assert_true(look() != ABSENT);
    assert_int_equal(fault_names(all.dir), RUNS - SAME + 1);
    for (int i = 0; i < RUNS; i++) {
        if (i >= SAME) {
            assert_true(i % 2 == 0 ? fault_file_is(targets[i], all.right, all.right_n)
                                   : fault_file_is(targets[i], all.old, all.old_n));
        }
        (void)unlink(targets[i]);
        free(targets[i]);
    }
    assert_int_equal(fault_names(all.tmp), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kill),
        cmocka_unit_test(test_kill_of_a_question),
        cmocka_unit_test(test_kill_with_a_summary),
        cmocka_unit_test(test_signals),
        cmocka_unit_test(test_parallel),
    };
    if (argc < 4) {
        fprintf(stderr, "usage: fault_kill PROGRAM INPUT OLD-INPUT [TEST]\n");
        return 2;
    }
    all.program = argv[1];
    all.input = argv[2];
    all.old_input = argv[3];
    if (argc > 4) {
        cmocka_set_test_filter(argv[4]);
    }
    return cmocka_run_group_tests(tests, group_setup, group_teardown);
}
