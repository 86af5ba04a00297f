/* How much runs at once: places that work takes and gives back. */
#ifndef TS_SERVE_WORK_SLOTS_H
#define TS_SERVE_WORK_SLOTS_H

#include "serve/sandbox.h"

#include <pthread.h>

enum { TS_SLOTS_WAITING = 16, TS_SLOTS_PATIENCE_S = 10 };

typedef struct ts_slots {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    unsigned limit;
    unsigned running;
    unsigned waiting;
} ts_slots;

void ts_slots_init(ts_slots *s, unsigned limit);
void ts_slots_free(ts_slots *s);

/*
 * A place for work that begins: false when TS_SLOTS_WAITING others wait already, or none was free
 * for TS_SLOTS_PATIENCE_S seconds, or the guard ended it. Work that goes on waits as long as its
 * guard allows.
 */
bool ts_slots_take(ts_slots *s, ts_guard *guard, bool begins);
void ts_slots_give(ts_slots *s);

#endif
