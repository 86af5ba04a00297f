/* What makes the views of one database, one after the other, and keeps what they share (views.h).
 */
#ifndef TS_SERVE_VIEW_MAKER_H
#define TS_SERVE_VIEW_MAKER_H

#include "serve/api/databases.h"
#include "serve/views/views.h"

/* The view that is asked for, and who gets it. */
typedef struct ts_view_order {
    const ts_endpoint *endpoint;
    const ts_view_pair *pairs;
    size_t pair_count;
    void *user;
    int (*write)(void *user, const void *bytes, size_t n); /* a ts_jout_write */
    void (*report)(void *user, const char *what, uint64_t done, uint64_t total);
    ts_guard *guard;
} ts_view_order;

/* Zeroed but for the first four, which are borrowed. */
typedef struct ts_view_maker {
    const ts_ctx *base;
    ts_databases *databases;
    size_t database;
    uint64_t max_memory; /* bytes; 0: no limit */
    ts_view_db *views;   /* NULL: none yet */
    ts_identity identity;
} ts_view_maker;

/* The errors of ts_endpoint_run and ts_database_take; `message` then says why. */
ts_code ts_view_make(ts_view_maker *maker, const ts_view_order *order, char message[TS_ERROR_TEXT]);
void ts_view_maker_free(ts_view_maker *maker);

#endif
