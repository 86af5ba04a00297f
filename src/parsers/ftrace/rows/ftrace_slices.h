/*
 * Slices: the stack of calls and marked sections of each thread, and asynchronous ones
 * (docs/formats.md, "ftrace-plugin"). A row of callstack is put when a slice begins, and completed
 * when it ends.
 *
 * Memory: the open slices; of those that began before the wanted span also their texts.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_SLICES_H
#define TS_PARSERS_FTRACE_FTRACE_SLICES_H

#include "base/vec.h"
#include "parsers/ftrace/ftrace_event.h"
#include "parsers/ftrace/rows/ftrace_open.h"
#include "tables/rows.h"

struct ftrace_machine;
struct ftrace_thread;

/* Categories and names that slices are looked for by. */
typedef enum ftrace_slice_cat {
    FTRACE_CAT_NONE,
    FTRACE_CAT_BINDER,
    FTRACE_CAT_WORKQUEUE
} ftrace_slice_cat;

typedef enum ftrace_slice_name {
    FTRACE_NAME_OTHER, /* as a wish: any */
    FTRACE_NAME_TRANSACTION,
    FTRACE_NAME_ASYNC,
    FTRACE_NAME_REPLY,
    FTRACE_NAME_ASYNC_RECEIVED,
    FTRACE_NAME_LOCK_WAITING,
    FTRACE_NAME_LOCK_HELD,
    FTRACE_SLICE_NAMES
} ftrace_slice_name;

typedef struct ftrace_slice {
    int64_t row; /* rowid in callstack; 0: it has none */
    int64_t ts;
    int64_t end;    /* TS_NO_TIME: open */
    int64_t args;   /* FTRACE_NO_ARGS: none */
    uint32_t below; /* 1 + place of the next one below with its name, 0: none; not of OTHER */
    uint8_t cat;
    uint8_t name;
    struct ftrace_thread *vsync_of; /* its end ends a frame of this thread, or NULL */
} ftrace_slice;

typedef struct ftrace_stack {
    ftrace_slice *slices; /* the lowest first */
    uint32_t count, cap;
    uint32_t closed;                  /* how many of them have ended */
    int64_t tidied;                   /* when it was tidied last */
    uint32_t top[FTRACE_SLICE_NAMES]; /* 1 + place of the topmost one of a name; not of OTHER */
} ftrace_stack;

/* What a row of callstack begins with. Texts are borrowed. */
typedef struct ftrace_push {
    ftrace_slice_cat cat;
    ftrace_slice_name name;
    ts_text text;         /* of the name OTHER */
    bool closed;          /* dur is 0 */
    int64_t args;         /* FTRACE_NO_ARGS: none */
    ts_row_callstack row; /* the texts that are set are used */
} ftrace_push_row;

typedef struct ftrace_async {
    int64_t row;
    int64_t ts;
    uint64_t begun; /* number of its event (ftrace_losses) */
    uint32_t older; /* 1 + place of the next older one with this key, or of a free place */
    bool open;
} ftrace_async;

typedef struct ftrace_slices {
    ftrace_open starts;  /* S by (owner, cookie, name) -> 1 + place in `asyncs` */
    ftrace_open groups;  /* G by (owner, cookie, category, name) -> the same */
    ts_vec asyncs;       /* ftrace_async */
    uint32_t free_async; /* 1 + place */
    ts_vec lost;         /* int64_t: rows whose end may be lost */
} ftrace_slices;

/* Events of the thread may be lost: the slices that are open end nowhere, and its frames take no
 * more part. See ftrace_slices_check. */
ts_code ftrace_slices_forget(struct ftrace_machine *m, struct ftrace_thread *thread);

/* Takes off what has ended before ts, and does ftrace_slices_check. Done by all that look for a
 * slice or begin one. */
ts_code ftrace_slice_tidy(struct ftrace_machine *m, struct ftrace_thread *thread, int64_t ts);

/* Begins a slice of the thread at ts. *out is valid until the stack changes. */
ts_code ftrace_slice_push(ftrace_slice **out, struct ftrace_machine *m,
                          struct ftrace_thread *thread, int64_t ts, ftrace_push_row *push);

/* The topmost open slice with a category and a name (NONE, OTHER: any), or NULL; valid until the
 * stack changes. */
ts_code ftrace_slice_find(ftrace_slice **out, struct ftrace_machine *m,
                          struct ftrace_thread *thread, int64_t ts, ftrace_slice_cat cat,
                          ftrace_slice_name name);

/* Ends it; it is not valid any more. */
ts_code ftrace_slice_end(struct ftrace_machine *m, struct ftrace_thread *thread,
                         ftrace_slice *slice, int64_t ts);

/* The topmost open slice of a name, or NULL. */
ftrace_slice *ftrace_slice_top(struct ftrace_thread *thread, ftrace_slice_name name);

/* It has this set of arguments, to which more may be added. */
ts_code ftrace_slice_args(struct ftrace_machine *m, ftrace_slice *slice, int64_t args);

/* What an end must share with its beginning. */
typedef struct ftrace_async_key {
    struct ftrace_thread *owner;
    bool group; /* any number may be open at once */
    int64_t cookie;
    ts_text name, category; /* category: of groups */
} ftrace_async_key;

/* Puts the row, whose parent, child and texts are set; not begun: one with its key is open. */
ts_code ftrace_async_begin(bool *begun, struct ftrace_machine *m, const ftrace_async_key *key,
                           int64_t ts, ts_row_callstack *row);

/* Ends the youngest with the key. */
ts_code ftrace_async_end(bool *found, struct ftrace_machine *m, const ftrace_async_key *key,
                         int64_t ts);

#endif
