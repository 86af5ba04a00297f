#include "serve/api/work_slots.h"

#include <time.h>

enum { SLOTS_LOOK_NS = 100 * 1000 * 1000 };

void ts_slots_init(ts_slots *s, unsigned limit)
{
    pthread_condattr_t attributes;
    (void)pthread_condattr_init(&attributes);
    (void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    *s = (ts_slots){.limit = limit};
    (void)pthread_mutex_init(&s->lock, NULL);
    (void)pthread_cond_init(&s->freed, &attributes);
    (void)pthread_condattr_destroy(&attributes);
}

void ts_slots_free(ts_slots *s)
{
    (void)pthread_cond_destroy(&s->freed);
    (void)pthread_mutex_destroy(&s->lock);
}

bool ts_slots_take(ts_slots *s, ts_guard *guard, bool begins)
{
    int64_t end = ts_guard_now() + (int64_t)TS_SLOTS_PATIENCE_S * 1000000000;
    (void)pthread_mutex_lock(&s->lock);
    bool taken = s->running < s->limit;
    if (!taken && !(begins && s->waiting >= TS_SLOTS_WAITING)) {
        s->waiting++;
        while (s->running >= s->limit && !ts_guard_ended(guard) &&
               !(begins && ts_guard_now() >= end)) {
            /* Woken now and then: a client that has gone does not wake it. */
            int64_t until = ts_guard_now() + SLOTS_LOOK_NS;
            struct timespec t = {(time_t)(until / 1000000000), (long)(until % 1000000000)};
            (void)pthread_cond_timedwait(&s->freed, &s->lock, &t);
        }
        s->waiting--;
        taken = s->running < s->limit;
    }
    s->running += taken ? 1 : 0;
    (void)pthread_mutex_unlock(&s->lock);
    return taken;
}

void ts_slots_give(ts_slots *s, bool aside)
{
    (void)pthread_mutex_lock(&s->lock);
    *(aside ? &s->aside : &s->running) -= 1;
    (void)pthread_cond_signal(&s->freed);
    (void)pthread_mutex_unlock(&s->lock);
}

bool ts_slots_aside(ts_slots *s)
{
    (void)pthread_mutex_lock(&s->lock);
    bool room = s->aside < TS_SLOTS_ASIDE;
    if (room) {
        s->aside++;
        s->running--;
        (void)pthread_cond_signal(&s->freed);
    }
    (void)pthread_mutex_unlock(&s->lock);
    return room;
}
