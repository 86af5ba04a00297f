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
static volatile sig_atomic_t result = -1;
static volatile sig_atomic_t guarded[TS_GUARDS];
static char guarded_path[TS_GUARDS][PATH_MAX];
static volatile sig_atomic_t hurried;
static volatile sig_atomic_t patient;
static volatile sig_atomic_t ticks;
static timer_t timer; /* of has_timer */
static bool has_timer;

static const int stopping[] = {SIGINT, SIGTERM, SIGHUP};
enum { STOPPING = sizeof stopping / sizeof stopping[0] };

/* The file of a folder whose path ends at `end`. */
static void remove_file(char *end, const char *name)
{
    memcpy(end, name, strlen(name) + 1);
    (void)unlink(guarded_path[TS_GUARD_FOLDER]);
}

static void remove_folder(void)
{
    char *path = guarded_path[TS_GUARD_FOLDER];
    size_t n = strlen(path);
    if (n + 16 > sizeof guarded_path[0]) {
        return;
    }
    path[n] = '/';
    for (int i = 0; i < TS_GUARD_FILES; i++) {
        char name[] = {(char)('0' + i / 10), (char)('0' + i % 10), '.', 'd', 'b', '\0'};
        remove_file(path + n + 1, i < 10 ? name + 1 : name);
    }
    remove_file(path + n + 1, TS_GUARD_OPEN_FILE);
    path[n] = '\0';
    (void)rmdir(path);
}

static void remove_guarded(void)
{
    for (int i = 0; i < TS_GUARDS; i++) {
        if (guarded[i] != 0) {
            guarded[i] = 0;
            if (i == TS_GUARD_FOLDER) {
                remove_folder();
            } else {
                (void)unlink(guarded_path[i]);
            }
        }
    }
}

static void on_signal(int number)
{
    static const struct itimerspec beat = {{0, TICK_NS}, {0, TICK_NS}};
    int saved = errno;
    if (caught != 0 && patient != 0) {
        return;
    }
    if (caught != 0) {
        remove_guarded();
        _exit(result >= 0 ? (int)result : 128 + number);
    }
    __atomic_store_n(&caught, number, __ATOMIC_RELAXED);
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
        _exit(result >= 0 ? (int)result : 128 + (int)caught);
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
    struct sigaction action;
    struct sigaction old;
    result = -1;
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
    for (int i = 0; i < STOPPING; i++) {
        /* What the caller ignores (nohup, a background job of a shell) stays ignored. */
        if (sigaction(stopping[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            (void)sigaction(stopping[i], &action, NULL);
        }
    }
    (void)atexit(remove_guarded);
    return &caught;
}

void ts_signals_patient(void)
{
    patient = 1;
}

void ts_signals_taken(void)
{
    static const struct itimerspec none = {{0, 0}, {0, 0}};
    if (has_timer) {
        (void)timer_settime(timer, 0, &none, NULL);
    }
    ticks = 0;
    caught = 0;
}

void ts_signals_hurry(bool on)
{
    hurried = on ? 1 : 0;
}

void ts_signals_guard(int kind, const char *path)
{
    guarded[kind] = 0;
    if (path != NULL && strlen(path) < sizeof guarded_path[kind]) {
        memcpy(guarded_path[kind], path, strlen(path) + 1);
        guarded[kind] = 1;
    }
}

static void mask(int how)
{
    sigset_t set;
    sigemptyset(&set);
    for (int i = 0; i < STOPPING; i++) {
        sigaddset(&set, stopping[i]);
    }
    sigaddset(&set, SIGALRM); /* which may end the program, too */
    (void)sigprocmask(how, &set, NULL);
}

void ts_signals_hold(void)
{
    mask(SIG_BLOCK);
}

void ts_signals_done(int exit_code)
{
    result = exit_code;
}

void ts_signals_release(void)
{
    mask(SIG_UNBLOCK);
}

void ts_signals_after(unsigned seconds)
{
    const struct itimerspec once = {{0, 0}, {(time_t)seconds, 0}};
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGTERM};
    timer_t end;
    if (timer_create(CLOCK_MONOTONIC, &event, &end) == 0) {
        (void)timer_settime(end, 0, &once, NULL);
    }
}
