/*
 * The load of docs/tutorial-kernel.md: three real-time threads on one CPU. `player` (priority 20)
 * needs a lock each 20 ms, `cache` (5) holds it for 8 ms each 100 ms, `indexer` (10) computes for
 * 80 ms each 500 ms, without the lock, and begins while `cache` has it: so `cache` cannot go on,
 * and `player` waits for both. With the argument `inherit` the lock gives its owner the priority of
 * who waits for it. usage: inversion TRACE_MARKER [inherit]
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000
#define TIMES 2000 /* ms */

typedef struct work {
    const char *name, *slice;
    int priority;
    int64_t first, every, takes; /* ns */
    bool locks;
    struct state *state;
} work;

typedef struct state {
    pthread_mutex_t lock;
    struct timespec start;
    int marker;
} state;

static int64_t now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (int64_t)t.tv_sec * 1000 * MS + t.tv_nsec;
}

/* CPU time of the thread, not time of the clock: what preempts it takes nothing from it. */
static void compute(int64_t ns)
{
    struct timespec t;
    int64_t end;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    end = (int64_t)t.tv_sec * 1000 * MS + t.tv_nsec + ns;
    do {
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
    } while ((int64_t)t.tv_sec * 1000 * MS + t.tv_nsec < end);
}

static void mark(const state *s, const char *text, const char *name)
{
    char line[128];
    int length = snprintf(line, sizeof line, "%s|%d%s%s", text, getpid(), *name ? "|" : "", name);
    if (write(s->marker, line, (size_t)length) != length)
        perror("trace_marker");
}

static void *run(void *arg)
{
    const work *w = arg;
    state *s = w->state;
    int64_t start = (int64_t)s->start.tv_sec * 1000 * MS + s->start.tv_nsec, at;
    pthread_setname_np(pthread_self(), w->name);
    for (at = start + w->first; at < start + (int64_t)TIMES * MS; at += w->every) {
        struct timespec t = {.tv_sec = at / (1000 * MS), .tv_nsec = at % (1000 * MS)};
        if (now() >= at)
            continue; /* late for this one */
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &t, NULL);
        mark(s, "B", w->slice);
        if (w->locks)
            pthread_mutex_lock(&s->lock);
        compute(w->takes);
        if (w->locks)
            pthread_mutex_unlock(&s->lock);
        mark(s, "E", "");
    }
    return NULL;
}

int main(int argc, char **argv)
{
    state s = {.marker = open(argc > 1 ? argv[1] : "", O_WRONLY)};
    work works[] = {
        {"player", "play", 20, 3 * MS, 20 * MS, MS / 2, true, &s},
        {"cache", "clean the cache", 5, 100 * MS, 100 * MS, 8 * MS, true, &s},
        {"indexer", "index", 10, 502 * MS, 500 * MS, 80 * MS, false, &s},
    };
    pthread_t threads[3];
    pthread_mutexattr_t kind;
    cpu_set_t cpu;
    if (s.marker < 0)
        return 2;
    pthread_mutexattr_init(&kind);
    if (argc > 2 && strcmp(argv[2], "inherit") == 0)
        pthread_mutexattr_setprotocol(&kind, PTHREAD_PRIO_INHERIT);
    pthread_mutex_init(&s.lock, &kind);
    CPU_ZERO(&cpu);
    CPU_SET(1, &cpu);
    clock_gettime(CLOCK_MONOTONIC, &s.start);
    s.start.tv_sec++;
    for (int i = 0; i < 3; i++) {
        pthread_attr_t attr;
        struct sched_param p = {.sched_priority = works[i].priority};
        pthread_attr_init(&attr);
        pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
        pthread_attr_setschedpolicy(&attr, SCHED_FIFO);
        pthread_attr_setschedparam(&attr, &p);
        pthread_attr_setaffinity_np(&attr, sizeof cpu, &cpu);
        if (pthread_create(&threads[i], &attr, run, &works[i]) != 0)
            return 1;
    }
    for (int i = 0; i < 3; i++)
        pthread_join(threads[i], NULL);
    return 0;
}
