/*
 * A layer whose bytes are read by a thread of its own, some blocks ahead: decompressing takes as
 * long as what is done with the bytes. The layers below are the thread's while it runs; it has a
 * context with an error of its own, which becomes that of the reader when the reader meets it, and
 * a copy of the set with that context, so that the set's other members can be opened meanwhile.
 *
 * Memory: AHEAD_BLOCKS blocks of 256 KiB.
 */
#include "input/input_private.h"

#include "base/alloc.h"

#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>

enum {
    BLOCK_BYTES = TS_INPUT_BLOCK,
    AHEAD_BLOCKS = 8,
    ENOUGH = 2 /* to be woken costs a part of the work on a block: who waits does so for two */
};

typedef struct ahead_layer {
    ts_layer base;
    ts_ctx *caller;
    ts_fileset *set;
    ts_ctx own;
    ts_fileset own_set; /* what layers need of a set; its names and members are those of `set` */
    bool running;
    size_t at; /* in the first block that is filled */
    uint8_t *bytes;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t filled;
    pthread_cond_t emptied;
    /* Below: with the lock. Blocks are used in turn. */
    uint64_t given;
    uint64_t taken;
    size_t n[AHEAD_BLOCKS];
    bool ended; /* no block will follow */
    bool stop;  /* no more is wanted */
    ts_code code;
} ahead_layer;

/* --- the thread ----------------------------------------------------------------------------- */

static ts_code fill(size_t *n, ahead_layer *l, uint8_t *block)
{
    ts_code code = TS_OK;
    size_t got = 1;
    for (*n = 0; code == TS_OK && got > 0 && *n < BLOCK_BYTES; *n += got) {
        got = 0;
        code = ts_layer_read(&got, l->base.below, block + *n, BLOCK_BYTES - *n);
    }
    return code;
}

static void *work(void *user)
{
    ahead_layer *l = user;
    (void)pthread_mutex_lock(&l->lock);
    while (!l->ended) {
        if (l->given - l->taken == AHEAD_BLOCKS) {
            while (l->given - l->taken > AHEAD_BLOCKS - ENOUGH && !l->stop) {
                (void)pthread_cond_wait(&l->emptied, &l->lock);
            }
        }
        if (l->stop) {
            break;
        }
        unsigned i = (unsigned)(l->given % AHEAD_BLOCKS);
        size_t n;
        (void)pthread_mutex_unlock(&l->lock);
        ts_code code = fill(&n, l, l->bytes + (size_t)i * BLOCK_BYTES);
        (void)pthread_mutex_lock(&l->lock);
        l->n[i] = n;
        l->code = code;
        l->given += n > 0 ? 1 : 0;
        l->ended = code != TS_OK || n < BLOCK_BYTES;
        if (l->ended || l->given - l->taken == 1 || l->given - l->taken == ENOUGH) {
            (void)pthread_cond_signal(&l->filled);
        }
    }
    (void)pthread_mutex_unlock(&l->lock);
    return NULL;
}

/* --- the reader ----------------------------------------------------------------------------- */

static ts_code ahead_pull(size_t *got, ts_layer *base, uint8_t *buf, size_t cap)
{
    ahead_layer *l = (ahead_layer *)base;
    bool empty;
    *got = 0;
    (void)pthread_mutex_lock(&l->lock);
    while (l->given == l->taken && !l->ended) {
        (void)pthread_cond_wait(&l->filled, &l->lock);
    }
    empty = l->given == l->taken;
    (void)pthread_mutex_unlock(&l->lock);
    if (empty) {
        if (l->code != TS_OK) {
            l->caller->error = l->own.error;
        }
        return l->code;
    }
    /* The thread leaves this block alone until it is taken. */
    unsigned i = (unsigned)(l->taken % AHEAD_BLOCKS);
    size_t left = l->n[i] - l->at;
    *got = left < cap ? left : cap;
    memcpy(buf, l->bytes + (size_t)i * BLOCK_BYTES + l->at, *got);
    l->at += *got;
    if (*got == left) {
        l->at = 0;
        (void)pthread_mutex_lock(&l->lock);
        l->taken++;
        if (l->given - l->taken == AHEAD_BLOCKS - ENOUGH) {
            (void)pthread_cond_signal(&l->emptied);
        }
        (void)pthread_mutex_unlock(&l->lock);
    }
    return TS_OK;
}

/* --- its life ------------------------------------------------------------------------------- */

/* The layers below are used with this context and this set from now on. */
static void use_context(const ahead_layer *l, ts_ctx *ctx, ts_fileset *set)
{
    for (ts_layer *below = l->base.below; below != NULL; below = below->below) {
        below->ctx = ctx;
        below->set = set;
    }
}

static void ahead_release(ts_layer *base)
{
    ahead_layer *l = (ahead_layer *)base;
    if (l->running) {
        (void)pthread_mutex_lock(&l->lock);
        l->stop = true;
        (void)pthread_cond_signal(&l->emptied);
        (void)pthread_mutex_unlock(&l->lock);
        (void)pthread_join(l->thread, NULL);
        use_context(l, l->caller, l->set);
    }
    (void)pthread_cond_destroy(&l->emptied);
    (void)pthread_cond_destroy(&l->filled);
    (void)pthread_mutex_destroy(&l->lock);
    ts_free(l->caller, l->bytes);
}

/* Signals are for the thread that is asked to stop by them. */
static bool start(ahead_layer *l)
{
    sigset_t all;
    sigset_t before;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    l->running = pthread_create(&l->thread, NULL, work, l) == 0;
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return l->running;
}

ts_code ts_ahead_layer(ts_layer **top, ts_fileset *set)
{
    ts_ctx *ctx = set->ctx;
    ahead_layer *l = ts_zalloc(ctx, 1, sizeof *l);
    TS_NEED(ctx, l);
    l->caller = ctx;
    l->set = set;
    l->base.ctx = ctx;
    l->base.direct = true;
    l->base.pull = ahead_pull;
    l->base.release = ahead_release;
    (void)pthread_mutex_init(&l->lock, NULL);
    (void)pthread_cond_init(&l->filled, NULL);
    (void)pthread_cond_init(&l->emptied, NULL);
    l->bytes = ts_alloc(ctx, AHEAD_BLOCKS, BLOCK_BYTES);
    if (l->bytes == NULL) {
        ts_layer_free(&l->base);
        return ctx->error.code;
    }
    /* All but the counts after them, which other threads change. */
    memcpy(&l->own, ctx, offsetof(ts_ctx, memory_used));
    l->own.memory_of = ctx->memory_of == NULL ? ctx : ctx->memory_of;
    l->base.below = *top;
    l->own_set = (ts_fileset){
        .ctx = &l->own,
        .kind = set->kind,
        .name = set->name,
        .path = set->path,
        .shown = set->shown,
        .members = set->members,
        .count = set->count,
        .fd = -1,
        .copy_of = set,
    };
    use_context(l, &l->own, &l->own_set);
    if (start(l)) {
        *top = &l->base;
        return TS_OK;
    }
    use_context(l, ctx, set); /* it is read as it was */
    l->base.below = NULL;
    ts_layer_free(&l->base);
    return TS_OK;
}
