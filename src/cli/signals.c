#include "cli/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* Time between two ticks after a signal, and ticks after which a hurried end is made. */
enum { TICK_NS = 200 * 1000 * 1000, PATIENCE = 3 };

/* A signal handler has no argument to find these by: the only variables of the program with static
 * storage that change. */
static volatile sig_atomic_t caught;
static volatile sig_atomic_t guarded;
static char guarded_path[PATH_MAX];
static volatile sig_atomic_t hurried;
static volatile sig_atomic_t ticks;
static timer_t timer; /* of has_timer */
static bool has_timer;

static void remove_guarded(void)
{
    if (guarded != 0) {
        guarded = 0;
        (void)unlink(guarded_path);
    }
}

static void on_signal(int number)
{
    static const struct itimerspec beat = {{0, TICK_NS}, {0, TICK_NS}};
    int saved = errno;
    if (caught != 0) {
        remove_guarded();
        _exit(128 + number);
    }
    caught = number;
    if (has_timer) {
        (void)timer_settime(timer, 0, &beat, NULL);
    }
    errno = saved;
}

/*
 * Comes again and again once a signal has come: a system call that began just after the signal, or
 * went on after a part of its work, is interrupted again, so that its caller sees the signal.
 */
static void on_tick(int number)
{
    (void)number;
    if (hurried != 0 && caught != 0 && ++ticks >= PATIENCE) {
        remove_guarded();
        _exit(128 + (int)caught);
    }
}

void ts_standard_descriptors(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};
    for (int fd = 0; fd <= 2; fd++) {
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", modes[fd]) != fd) {
            _exit(4);
        }
    }
}

const volatile sig_atomic_t *ts_signals_install(void)
{
    static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction action;
    struct sigaction old;
    memset(&action, 0, sizeof action);
    sigemptyset(&action.sa_mask);
    action.sa_handler = SIG_IGN;
    (void)sigaction(SIGPIPE, &action, NULL);
    (void)sigaction(SIGXFSZ, &action, NULL);
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    action.sa_handler = on_tick;
    has_timer = sigaction(SIGALRM, &action, NULL) == 0 &&
                timer_create(CLOCK_MONOTONIC, &event, &timer) == 0;
    action.sa_handler = on_signal;
    for (size_t i = 0; i < sizeof stopping / sizeof stopping[0]; i++) {
        /* What the caller ignores (nohup, a background job of a shell) stays ignored. */
        if (sigaction(stopping[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            (void)sigaction(stopping[i], &action, NULL);
        }
    }
    (void)atexit(remove_guarded);
    return &caught;
}

void ts_signals_hurry(bool on)
{
    hurried = on ? 1 : 0;
}

void ts_signals_guard(const char *path)
{
    guarded = 0;
    if (path != NULL && strlen(path) < sizeof guarded_path) {
        memcpy(guarded_path, path, strlen(path) + 1);
        guarded = 1;
    }
}
