#include "tables/sink_thread.h"

#include "base/alloc.h"
#include "tables/sample_batch.h"

#include <pthread.h>
#include <signal.h>
#include <stdalign.h>
#include <string.h>

enum {
    BATCH_BYTES = 256 << 10,
    SINK_THREAD_BATCHES = 8,
    /* To be woken costs a part of the work on a batch: who waits does so for several of them. */
    ENOUGH_FILLED = 2,
    ENOUGH_EMPTY = 6,
    LARGE = BATCH_BYTES / 4, /* a row that needs more is not copied */
    MAX_COLUMNS = 64         /* of a table: `null` has a bit for each */
};

typedef enum call_kind {
    CALL_PUT,
    CALL_PUT_RUN, /* several rows, each by a call of its own */
    CALL_PUT_MANY,
    CALL_PUT_COLUMNS,
    CALL_PUT_SAMPLES,
    CALL_COMPLETE,
    CALL_AMEND,
    CALL_RELEASE,
    CALL_SETTLE
} call_kind;

/* One call in a batch; what its kind does not use is not set. Rows, texts or values follow it. */
typedef struct call {
    alignas(8) uint32_t size; /* with what follows, a multiple of 8 */
    uint8_t kind;
    uint8_t column;
    uint16_t table;
    uint32_t count;
    int64_t rowid;
    int64_t value;
    uint64_t columns;
} call;

typedef struct batch {
    size_t used;
    alignas(8) uint8_t bytes[BATCH_BYTES];
} batch;

/* Which columns of a table are texts. */
typedef struct text_columns {
    uint16_t offset[MAX_COLUMNS];
    uint8_t count;
    bool known;
} text_columns;

struct ts_sink_thread {
    ts_ctx *ctx;
    ts_ctx *own;
    ts_sink *to;
    ts_sink front;
    bool running;
    call *run; /* the last call in the open batch, if it is CALL_PUT_RUN; else NULL */
    text_columns texts[TS_TABLE_COUNT];
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t filled;
    pthread_cond_t emptied;
    /* Below: with the lock. Batches are used in turn. */
    uint64_t given; /* batches that were filled */
    uint64_t taken; /* batches that were emptied */
    bool hurry;     /* the other side waits for all of them, or for the end */
    bool ended;
    ts_code code; /* of the first call that failed; none is made after it */
    batch batches[SINK_THREAD_BATCHES];
};

/* --- the thread ----------------------------------------------------------------------------- */

static ts_code put_run(ts_sink *to, enum ts_table_id table, const void *rows, uint32_t count)
{
    const size_t size = ts_schema[table].row_size;
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < count && code == TS_OK; i++) {
        code = ts_sink_put(to, table, (const uint8_t *)rows + i * size);
    }
    return code;
}

/* values: column after column, but for those in `nulls`, a bit each. */
static ts_code put_columns(ts_sink *to, enum ts_table_id table, const uint32_t *values,
                           uint32_t count, uint64_t nulls)
{
    const uint32_t *columns[MAX_COLUMNS];
    for (unsigned i = 0; i < ts_schema[table].column_count; i++) {
        bool is_null = (nulls >> i & 1) != 0;
        columns[i] = is_null ? NULL : values;
        values += is_null ? 0 : count;
    }
    return ts_sink_put_columns(to, table, columns, count);
}

static ts_code make_call(ts_sink *to, const call *c)
{
    const void *after = c + 1;
    enum ts_table_id table = (enum ts_table_id)c->table;
    switch ((call_kind)c->kind) {
    case CALL_PUT:
        return ts_sink_reserve(to, table, after, c->columns);
    case CALL_PUT_RUN:
        return put_run(to, table, after, c->count);
    case CALL_PUT_MANY:
        return ts_sink_put_many(to, table, after, ts_schema[table].row_size, c->count);
    case CALL_PUT_COLUMNS:
        return put_columns(to, table, after, c->count, c->columns);
    case CALL_PUT_SAMPLES:
        return ts_sink_put_samples(to, after);
    case CALL_COMPLETE:
        return ts_sink_complete(to, table, c->rowid, c->column, c->value);
    case CALL_AMEND:
        return ts_sink_amend(to, after);
    case CALL_RELEASE:
        ts_sink_release(to, table, c->rowid);
        return TS_OK;
    case CALL_SETTLE:
        return ts_sink_settle(to, table, c->rowid, c->columns, after);
    }
    return TS_OK;
}

static ts_code make_calls(ts_sink *to, const batch *b)
{
    ts_code code = TS_OK;
    for (size_t at = 0; at < b->used && code == TS_OK;) {
        const call *c = (const call *)(const void *)(b->bytes + at);
        code = make_call(to, c);
        at += c->size;
    }
    return code;
}

static void *work(void *user)
{
    ts_sink_thread *t = user;
    ts_code code = TS_OK;
    (void)pthread_mutex_lock(&t->lock);
    for (;;) {
        while (t->given == t->taken && !t->ended) {
            do {
                (void)pthread_cond_wait(&t->filled, &t->lock);
            } while (t->given - t->taken < ENOUGH_FILLED && !t->hurry);
        }
        if (t->given == t->taken) {
            break;
        }
        const batch *b = &t->batches[t->taken % SINK_THREAD_BATCHES];
        (void)pthread_mutex_unlock(&t->lock);
        code = code != TS_OK ? code : make_calls(t->to, b);
        (void)pthread_mutex_lock(&t->lock);
        t->code = code;
        t->taken++;
        if (t->given - t->taken == (t->hurry ? 0 : SINK_THREAD_BATCHES - ENOUGH_EMPTY)) {
            (void)pthread_cond_signal(&t->emptied);
        }
    }
    (void)pthread_mutex_unlock(&t->lock);
    return NULL;
}

/* --- batches -------------------------------------------------------------------------------- */

static batch *open_batch(ts_sink_thread *t)
{
    return &t->batches[t->given % SINK_THREAD_BATCHES];
}

static ts_code report(ts_sink_thread *t, ts_code code)
{
    if (code != TS_OK && t->own != t->ctx) {
        t->ctx->error = t->own->error;
    }
    return code;
}

/* Gives the open batch away; another one is free then. With `all`, it waits until the thread has
 * made all calls. */
static ts_code give(ts_sink_thread *t, bool all)
{
    uint64_t busy = all ? 0 : SINK_THREAD_BATCHES - 1;
    ts_code code;
    (void)pthread_mutex_lock(&t->lock);
    t->given += open_batch(t)->used > 0 ? 1 : 0;
    t->hurry = all;
    if (all || t->given - t->taken == ENOUGH_FILLED) {
        (void)pthread_cond_signal(&t->filled);
    }
    if (t->given - t->taken > busy) {
        busy = all ? 0 : SINK_THREAD_BATCHES - ENOUGH_EMPTY;
        while (t->given - t->taken > busy) {
            (void)pthread_cond_wait(&t->emptied, &t->lock);
        }
    }
    t->hurry = false;
    code = t->code;
    (void)pthread_mutex_unlock(&t->lock);
    open_batch(t)->used = 0;
    t->run = NULL;
    return report(t, code);
}

/* A call with `after` bytes after it, NULL on failure. At most LARGE. */
static call *add(ts_code *code, ts_sink_thread *t, call_kind kind, enum ts_table_id table,
                 size_t after)
{
    size_t size = (sizeof(call) + after + 7) & ~(size_t)7;
    call *c;
    *code = TS_OK;
    if (BATCH_BYTES - open_batch(t)->used < size && (*code = give(t, false)) != TS_OK) {
        return NULL;
    }
    c = (call *)(void *)(open_batch(t)->bytes + open_batch(t)->used);
    open_batch(t)->used += size;
    c->size = (uint32_t)size;
    c->kind = (uint8_t)kind;
    c->table = (uint16_t)table;
    t->run = kind == CALL_PUT_RUN ? c : NULL;
    return c;
}

/* All calls so far were made. */
static ts_code settle_all(ts_sink_thread *t)
{
    return t->running ? give(t, true) : TS_OK;
}

static const text_columns *texts_of(ts_sink_thread *t, enum ts_table_id table)
{
    text_columns *texts = &t->texts[table];
    if (!texts->known) {
        const ts_table *info = &ts_schema[table];
        for (unsigned i = 0; i < info->column_count; i++) {
            if (info->columns[i].type == TS_COL_TEXT) {
                texts->offset[texts->count++] = (uint16_t)info->columns[i].offset;
            }
        }
        texts->known = true;
    }
    return texts;
}

static ts_text text_at(const void *row, size_t offset)
{
    ts_text text;
    memcpy(&text, (const uint8_t *)row + offset, sizeof text);
    return text;
}

/* Bytes of a row's texts; more than LARGE: too many. */
static size_t text_bytes(const text_columns *texts, const void *row)
{
    size_t n = 0;
    for (unsigned i = 0; i < texts->count && n <= LARGE; i++) {
        ts_text text = text_at(row, texts->offset[i]);
        n = text.p == NULL || text.n > LARGE ? (text.p == NULL ? n : LARGE + 1) : n + text.n;
    }
    return n;
}

/* Puts the row at `to`, its texts at `bytes`; returns where they end. */
static uint8_t *copy_row(uint8_t *to, uint8_t *bytes, const text_columns *texts, const void *row,
                         size_t size)
{
    memcpy(to, row, size);
    for (unsigned i = 0; i < texts->count; i++) {
        ts_text text = text_at(row, texts->offset[i]);
        if (text.p == NULL) {
            continue;
        }
        if (text.n > 0) {
            memcpy(bytes, text.p, text.n);
        }
        text.p = (const char *)bytes;
        memcpy(to + texts->offset[i], &text, sizeof text);
        bytes += text.n;
    }
    return bytes;
}

/* --- the calls ------------------------------------------------------------------------------ */

/* A row without texts or reserved columns: rows of one table that follow each other are one call.
 */
static ts_code put_plain(ts_sink_thread *t, enum ts_table_id table, const void *row, size_t size)
{
    batch *b = open_batch(t);
    ts_code code;
    call *c = t->run;
    if (c != NULL && c->table == table && BATCH_BYTES - b->used >= size) {
        memcpy(b->bytes + b->used, row, size);
        b->used += size;
        c->size += (uint32_t)size;
        c->count++;
        return TS_OK;
    }
    if ((c = add(&code, t, CALL_PUT_RUN, table, size)) != NULL) {
        c->count = 1;
        memcpy(c + 1, row, size);
    }
    return code;
}

static ts_code thread_put(void *self, enum ts_table_id table, const void *row, uint64_t reserved)
{
    ts_sink_thread *t = self;
    const text_columns *texts = texts_of(t, table);
    size_t size = ts_schema[table].row_size;
    size_t n;
    ts_code code = TS_OK;
    if (t->running && texts->count == 0 && reserved == 0) {
        return put_plain(t, table, row, size);
    }
    n = text_bytes(texts, row);
    if (!t->running || n > LARGE) {
        code = settle_all(t);
        return code != TS_OK ? code : report(t, ts_sink_reserve(t->to, table, row, reserved));
    }
    call *c = add(&code, t, CALL_PUT, table, size + n);
    if (c == NULL) {
        return code;
    }
    c->columns = reserved;
    (void)copy_row((uint8_t *)(c + 1), (uint8_t *)(c + 1) + size, texts, row, size);
    return TS_OK;
}

/* How rows are cut into calls decides about the bytes of their cells: each is made as it came. */
static ts_code thread_put_many(void *self, enum ts_table_id table, const void *rows, size_t size,
                               unsigned count)
{
    ts_sink_thread *t = self;
    const text_columns *texts = texts_of(t, table);
    size_t n = t->running && count <= LARGE / size ? 0 : LARGE + 1;
    ts_code code = TS_OK;
    call *c;
    for (unsigned i = 0; i < count && n <= LARGE; i++) {
        n += text_bytes(texts, (const uint8_t *)rows + i * size);
    }
    if (n > LARGE) {
        code = settle_all(t);
        return code != TS_OK ? code : report(t, ts_sink_put_many(t->to, table, rows, size, count));
    }
    if ((c = add(&code, t, CALL_PUT_MANY, table, count * size + n)) != NULL) {
        uint8_t *to = (uint8_t *)(c + 1);
        uint8_t *bytes = to + count * size;
        c->count = count;
        for (unsigned i = 0; i < count; i++) {
            bytes = copy_row(to + i * size, bytes, texts, (const uint8_t *)rows + i * size, size);
        }
    }
    return code;
}

static bool thread_put_columns(ts_code *code, void *self, enum ts_table_id table,
                               const uint32_t *const *columns, unsigned count)
{
    ts_sink_thread *t = self;
    const unsigned n = ts_schema[table].column_count;
    const size_t bytes = count * sizeof **columns; /* of a column */
    call *c;
    if (!t->running || count > LARGE / sizeof **columns / n) {
        *code = settle_all(t);
        *code =
            *code != TS_OK ? *code : report(t, ts_sink_put_columns(t->to, table, columns, count));
        return true;
    }
    if ((c = add(code, t, CALL_PUT_COLUMNS, table, n * bytes)) != NULL) {
        uint8_t *to = (uint8_t *)(c + 1);
        c->count = count;
        c->columns = 0;
        for (unsigned i = 0; i < n; i++) {
            if (columns[i] == NULL) {
                c->columns |= UINT64_C(1) << i;
            } else {
                memcpy(to, columns[i], bytes);
                to += bytes;
            }
        }
    }
    return true;
}

/* Its arrays and its text follow the batch. */
static bool thread_put_samples(ts_code *code, void *self, const ts_sample_batch *samples)
{
    ts_sink_thread *t = self;
    const size_t bytes = samples->count * sizeof *samples->node_id; /* of an array */
    const size_t text_n = samples->event.p == NULL ? 0 : samples->event.n;
    call *c;
    if (!t->running || text_n > LARGE / 2) {
        *code = settle_all(t);
        *code = *code != TS_OK ? *code : report(t, ts_sink_put_samples(t->to, samples));
        return true;
    }
    c = add(code, t, CALL_PUT_SAMPLES, TS_T_stack_sample, sizeof *samples + 3 * bytes + text_n);
    if (c != NULL) {
        ts_sample_batch *to = (ts_sample_batch *)(void *)(c + 1);
        uint32_t *values = (uint32_t *)(void *)(to + 1);
        *to = *samples;
        to->dur_us = memcpy(values, samples->dur_us, bytes);
        to->node_id = memcpy(values + samples->count, samples->node_id, bytes);
        to->function_id = memcpy(values + 2 * (size_t)samples->count, samples->function_id, bytes);
        if (samples->event.p != NULL) {
            to->event.p = memcpy(values + 3 * (size_t)samples->count, samples->event.p, text_n);
        }
    }
    return true;
}

static ts_code thread_put_long(void *self, enum ts_table_id table, const void *row, ts_spool *text)
{
    ts_sink_thread *t = self;
    ts_code code = settle_all(t);
    if (code == TS_OK) {
        code = report(t, t->to->calls.put_long(t->to->self, table, row, text));
        t->to->rows[table] += code == TS_OK ? 1 : 0;
    }
    return code;
}

static ts_code thread_complete(void *self, enum ts_table_id table, int64_t rowid, unsigned column,
                               int64_t value)
{
    ts_sink_thread *t = self;
    ts_code code;
    call *c;
    if (!t->running) {
        return report(t, ts_sink_complete(t->to, table, rowid, column, value));
    }
    if ((c = add(&code, t, CALL_COMPLETE, table, 0)) != NULL) {
        c->rowid = rowid;
        c->column = (uint8_t)column;
        c->value = value;
    }
    return code;
}

/* The change and its text follow the call. */
static ts_code thread_amend(void *self, const ts_amendment *what)
{
    ts_sink_thread *t = self;
    const size_t n = what->text.p == NULL ? 0 : what->text.n;
    ts_code code = TS_OK;
    call *c;
    if (!t->running || n > LARGE) {
        code = settle_all(t);
        return code != TS_OK ? code : report(t, ts_sink_amend(t->to, what));
    }
    if ((c = add(&code, t, CALL_AMEND, what->table, sizeof *what + n)) != NULL) {
        ts_amendment *to = (ts_amendment *)(void *)(c + 1);
        *to = *what;
        if (what->text.p != NULL) {
            to->text.p = (const char *)(to + 1);
            memcpy(to + 1, what->text.p, n);
        }
    }
    return code;
}

static void thread_release(void *self, enum ts_table_id table, int64_t rowid)
{
    ts_sink_thread *t = self;
    ts_code code;
    call *c;
    if (!t->running) {
        ts_sink_release(t->to, table, rowid);
    } else if ((c = add(&code, t, CALL_RELEASE, table, 0)) != NULL) {
        c->rowid = rowid; /* a failure is reported by the next call */
    }
}

static ts_code thread_settle(void *self, enum ts_table_id table, int64_t rowid, uint64_t columns,
                             const int64_t *values)
{
    ts_sink_thread *t = self;
    const size_t n = (size_t)__builtin_popcountll(columns) * sizeof *values;
    ts_code code;
    call *c;
    if (!t->running) {
        return report(t, ts_sink_settle(t->to, table, rowid, columns, values));
    }
    if ((c = add(&code, t, CALL_SETTLE, table, n)) != NULL) {
        c->rowid = rowid;
        c->columns = columns;
        if (n > 0) {
            memcpy(c + 1, values, n);
        }
    }
    return code;
}

static void thread_show(void *self, ts_shown what)
{
    ts_sink_thread *t = self;
    (void)settle_all(t); /* a failure is reported by the next call */
    ts_sink_show(t->to, what);
}

/* --- its life ------------------------------------------------------------------------------- */

/* Signals are for the thread that is asked to stop by them. */
static int start(ts_sink_thread *t)
{
    sigset_t all;
    sigset_t before;
    int e;
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    e = pthread_create(&t->thread, NULL, work, t);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return e;
}

ts_code ts_sink_thread_start(ts_sink_thread **out, ts_ctx *ctx, ts_sink *to, ts_ctx *own)
{
    ts_sink_thread *t = ts_alloc(ctx, 1, sizeof *t);
    *out = NULL;
    TS_NEED(ctx, t);
    /* What batches hold is not touched: 2 MiB, of which short recordings use little. */
    memset(t, 0, offsetof(ts_sink_thread, batches));
    for (unsigned i = 0; i < SINK_THREAD_BATCHES; i++) {
        t->batches[i].used = 0;
    }
    t->ctx = ctx;
    t->own = own;
    t->to = to;
    t->front = ts_sink_of(
        t, &(ts_sink_calls){.put = thread_put,
                            .put_long = to->calls.put_long == NULL ? NULL : thread_put_long,
                            .put_many = thread_put_many,
                            .put_columns = thread_put_columns,
                            .put_samples = thread_put_samples,
                            .complete = thread_complete,
                            .release = thread_release,
                            .settle = thread_settle,
                            .amend = thread_amend,
                            .show = thread_show});
    memcpy(t->front.rows, to->rows, sizeof t->front.rows);
    (void)pthread_mutex_init(&t->lock, NULL);
    (void)pthread_cond_init(&t->filled, NULL);
    (void)pthread_cond_init(&t->emptied, NULL);
    if (start(t) != 0) {
        ts_sink_thread_free(t);
        return TS_OK;
    }
    t->running = true;
    *out = t;
    return TS_OK;
}

ts_sink *ts_sink_thread_sink(ts_sink_thread *t)
{
    return &t->front;
}

ts_code ts_sink_thread_stop(ts_sink_thread *t)
{
    ts_code code = settle_all(t);
    if (t->running) {
        (void)pthread_mutex_lock(&t->lock);
        t->ended = true;
        t->hurry = true;
        (void)pthread_cond_signal(&t->filled);
        (void)pthread_mutex_unlock(&t->lock);
        (void)pthread_join(t->thread, NULL);
        t->running = false;
        t->own = t->ctx;
    }
    return code;
}

void ts_sink_thread_free(ts_sink_thread *t)
{
    if (t == NULL) {
        return;
    }
    (void)ts_sink_thread_stop(t);
    (void)pthread_cond_destroy(&t->emptied);
    (void)pthread_cond_destroy(&t->filled);
    (void)pthread_mutex_destroy(&t->lock);
    ts_free(t->ctx, t);
}
