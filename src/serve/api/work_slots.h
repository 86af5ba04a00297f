/* How much runs at once: places that work takes and gives back. */
#ifndef TS_SERVE_WORK_SLOTS_H
#define TS_SERVE_WORK_SLOTS_H

#include "serve/api/sandbox.h"

#include <pthread.h>

enum {
    TS_SLOTS_WAITING = 16,
    TS_SLOTS_PATIENCE_S = 10,
    TS_SLOTS_ASIDE = 16,    /* long pieces of work that run beside those in places */
    TS_SLOTS_SHORT_MS = 200 /* after which a piece of work is a long one */
};

typedef struct ts_slots {
    pthread_mutex_t lock;
    pthread_cond_t freed;
    unsigned limit;
    unsigned running;
    unsigned aside;
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
/* aside: ts_slots_aside was true for it. */
void ts_slots_give(ts_slots *s, bool aside);

/* Work in a process of its own that takes long leaves its place to others and runs on; false when
 * TS_SLOTS_ASIDE others have done so. */
bool ts_slots_aside(ts_slots *s);

#endif
