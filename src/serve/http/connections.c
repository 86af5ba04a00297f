/*
 * How long each connection may be in what it does, and how many there are.
 *
 * A connection is in one phase; `patience` says how long each phase may take, and 0 is any time. A
 * connection whose time is over is shut down; its thread sees the end of the stream, and the
 * library closes it. The limit is one of the phase as a whole, so a header that comes byte by byte
 * ends like one that does not come.
 *
 * At most TS_CONNECTIONS_SERVED are served. When there is one more, the connection that has waited
 * longest for a header makes room; when all of them work, the new one is refused with 503. All of
 * the table is under the lock, and an entry belongs to its connection from ts_connections_add to
 * ts_connections_remove.
 */
#include "serve/http/exchange.h"

#include "serve/api/sandbox.h"

#include <sys/socket.h>

#define SECONDS(n) ((int64_t)(n)*1000000000)

/* How long a phase may take; 0: any time. */
static const int64_t patience[] = {
    [TS_PHASE_FREE] = 0,           [TS_PHASE_NEW] = SECONDS(10), [TS_PHASE_IDLE] = SECONDS(15),
    [TS_PHASE_BODY] = SECONDS(30), [TS_PHASE_WORK] = 0,          [TS_PHASE_SEND] = SECONDS(60),
    [TS_PHASE_SOCKET] = 0,         [TS_PHASE_CLOSING] = 0,
};

void ts_connections_init(ts_connections *c)
{
    *c = (ts_connections){0};
    (void)pthread_mutex_init(&c->lock, NULL);
}

void ts_connections_free(ts_connections *c)
{
    (void)pthread_mutex_destroy(&c->lock);
}

/* Its thread sees the end of the stream, or that it cannot write. */
static void connection_shut(ts_connection *one)
{
    (void)shutdown(one->fd, SHUT_RDWR);
    one->phase = TS_PHASE_CLOSING;
}

static bool awaits_header(const ts_connection *one)
{
    return one->phase == TS_PHASE_NEW || one->phase == TS_PHASE_IDLE;
}

/* A connection too many: room is made at the cost of one that asks for nothing. */
static bool make_room(ts_connections *c)
{
    ts_connection *oldest = NULL;
    for (unsigned i = 0; i < TS_CONNECTIONS_OPEN; i++) {
        ts_connection *one = &c->all[i];
        if (awaits_header(one) && (oldest == NULL || one->since < oldest->since)) {
            oldest = one;
        }
    }
    if (oldest != NULL) {
        connection_shut(oldest);
    }
    return oldest != NULL;
}

ts_connection *ts_connections_add(ts_connections *c, int fd)
{
    ts_connection *free_one = NULL;
    unsigned open = 0;
    (void)pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < TS_CONNECTIONS_OPEN; i++) {
        ts_connection *one = &c->all[i];
        bool is_free = one->phase == TS_PHASE_FREE;
        free_one = is_free && free_one == NULL ? one : free_one;
        open += is_free || one->phase == TS_PHASE_CLOSING ? 0 : 1;
    }
    if (free_one != NULL) {
        bool refused = open >= TS_CONNECTIONS_SERVED && !make_room(c);
        *free_one = (ts_connection){TS_PHASE_NEW, refused, fd, ts_guard_now()};
    }
    (void)pthread_mutex_unlock(&c->lock);
    return free_one;
}

void ts_connections_remove(ts_connections *c, ts_connection *one)
{
    (void)pthread_mutex_lock(&c->lock);
    one->phase = TS_PHASE_FREE;
    (void)pthread_mutex_unlock(&c->lock);
}

void ts_connections_enter(ts_connections *c, ts_connection *one, ts_phase phase)
{
    (void)pthread_mutex_lock(&c->lock);
    if (one->phase != TS_PHASE_CLOSING) {
        one->phase = phase;
        one->since = ts_guard_now();
    }
    (void)pthread_mutex_unlock(&c->lock);
}

bool ts_connections_upgrade(ts_connections *c, ts_connection *one)
{
    unsigned sockets = 0;
    (void)pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < TS_CONNECTIONS_OPEN; i++) {
        sockets += c->all[i].phase == TS_PHASE_SOCKET ? 1 : 0;
    }
    bool room = sockets < TS_WEBSOCKETS && one->phase != TS_PHASE_CLOSING;
    if (room) {
        one->phase = TS_PHASE_SOCKET;
    }
    (void)pthread_mutex_unlock(&c->lock);
    return room;
}

unsigned ts_connections_watch(ts_connections *c, int64_t now)
{
    unsigned shut = 0;
    (void)pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < TS_CONNECTIONS_OPEN; i++) {
        ts_connection *one = &c->all[i];
        if (patience[one->phase] != 0 && now - one->since > patience[one->phase]) {
            connection_shut(one);
            shut++;
        }
    }
    (void)pthread_mutex_unlock(&c->lock);
    return shut;
}

void ts_connections_shut(ts_connections *c)
{
    (void)pthread_mutex_lock(&c->lock);
    for (unsigned i = 0; i < TS_CONNECTIONS_OPEN; i++) {
        ts_connection *one = &c->all[i];
        if (one->phase != TS_PHASE_FREE && one->phase != TS_PHASE_SOCKET) {
            connection_shut(one);
        }
    }
    (void)pthread_mutex_unlock(&c->lock);
}
