/* For tests of the ftrace machine: events in order of time, rows in memory. */
#ifndef TS_TEST_FTRACE_EVENTS_H
#define TS_TEST_FTRACE_EVENTS_H

#include "memsink.h"
#include "support.h"

#include "parsers/ftrace/rows/ftrace_machine.h"
#include "tables/store.h"

#include <string.h>

#define BEGIN INT64_C(2000000000)

typedef struct bench {
    ts_ctx *ctx;
    memsink *mem;
    ts_store *store;
    int64_t source;
    ftrace_machine *m;
    ftrace_reader reader;
    bool may_fail; /* events are put until one fails with `code` */
    ts_code code;
} bench;

static inline void bench_open(bench *b, const ts_clock_set *clocks, bool compat)
{
    const ftrace_machine_options options = {
        .clock = TS_CLOCK_BOOTTIME, .clocks = clocks, .stream = "ftrace-plugin"};
    *b = (bench){.ctx = test_ctx_new()};
    b->ctx->compat = compat;
    b->mem = memsink_new(b->ctx);
    assert_ok(b->ctx, ts_store_new(&b->store, b->ctx, memsink_sink(b->mem), NULL));
    assert_ok(b->ctx, ts_source_add(&b->source, b->store, 0, "input", "a.htrace", "htrace"));
    assert_ok(b->ctx, ftrace_machine_open(&b->m, b->ctx, b->store, b->source, &options));
}

static inline void bench_begin(bench *b, const ts_clock_set *clocks)
{
    bench_open(b, clocks, false);
}

static inline void bench_begin_compat(bench *b)
{
    bench_open(b, NULL, true);
}

/* --time-range: [BEGIN + from, BEGIN + to). */
static inline void bench_limit(bench *b, int64_t from, int64_t to)
{
    const ts_span wanted = {BEGIN + from, BEGIN + to};
    assert_ok(b->ctx, ftrace_machine_limit(b->m, &wanted));
}

/* Ends the recording and the store. */
static inline void bench_end(bench *b)
{
    assert_ok(b->ctx, ftrace_machine_finish(b->m));
    ftrace_machine_close(b->m);
    b->m = NULL;
    assert_ok(b->ctx, ts_store_finish(b->store));
}

static inline void bench_free(bench *b)
{
    ftrace_machine_close(b->m);
    ts_store_free(b->store);
    memsink_free(b->mem);
    test_ctx_free(b->ctx);
}

static inline void put_event(bench *b, ftrace_event *event)
{
    event->reader = (uint8_t)b->reader;
    if (!b->may_fail) {
        assert_ok(b->ctx, ftrace_machine_event(b->m, event));
    } else if (b->code == TS_OK) {
        b->code = ftrace_machine_event(b->m, event);
    }
}

/* An event at BEGIN + at of a thread. */
static inline ftrace_event event_of(ftrace_kind kind, int64_t at, uint32_t cpu, int32_t tgid,
                                    int32_t pid, const char *comm)
{
    return (ftrace_event){.ts = BEGIN + at,
                          .pid = pid,
                          .tgid = tgid,
                          .cpu = cpu,
                          .kind = (uint16_t)kind,
                          .comm = ts_text_of(comm)};
}

static inline void set_number(ftrace_event *event, unsigned slot, int64_t value)
{
    event->number[slot] = value;
    event->numbers |= (uint8_t)(1u << slot);
}

static inline void set_text(ftrace_event *event, unsigned slot, const char *value)
{
    event->text[slot] = ts_text_of(value);
    event->texts |= (uint8_t)(1u << slot);
}

/* An event with one number, of a thread without a name. */
static inline void number_at(bench *b, ftrace_kind kind, int64_t at, int32_t tgid, int32_t pid,
                             unsigned slot, int64_t value)
{
    ftrace_event e = event_of(kind, at, 0, tgid, pid, "");
    set_number(&e, slot, value);
    put_event(b, &e);
}

/* On CPU 0, threads without names. */
static inline void switch_to(bench *b, int64_t at, int32_t prev, int64_t state, int32_t next)
{
    ftrace_event e = event_of(FTRACE_sched_switch, at, 0, prev, prev, "");
    set_number(&e, FTRACE_N_sched_switch_prev_pid, prev);
    set_number(&e, FTRACE_N_sched_switch_prev_state, state);
    set_number(&e, FTRACE_N_sched_switch_next_pid, next);
    put_event(b, &e);
}

static inline void print_at(bench *b, int64_t at, int32_t tgid, int32_t pid, const char *comm,
                            const char *text)
{
    ftrace_event e = event_of(FTRACE_print, at, 0, tgid, pid, comm);
    set_text(&e, FTRACE_T_print_buf, text);
    put_event(b, &e);
}

/* The count of (event, type) in stat. */
static inline int64_t stat_of(const bench *b, const char *event, const char *type)
{
    for (size_t i = 0; i < MEM_ROWS(b->mem, stat); i++) {
        const ts_row_stat *row = MEM_ROW(b->mem, stat, i);
        if (ts_text_is(row->event_name, event) && ts_text_is(row->stat_type, type)) {
            return row->count;
        }
    }
    fail_msg("stat has no row of %s, %s", event, type);
    return -1;
}

/* The number of rows of import_issue with this code. */
static inline size_t issues_of(const bench *b, const char *code)
{
    size_t n = 0;
    for (size_t i = 0; i < MEM_ROWS(b->mem, import_issue); i++) {
        n += ts_text_is(MEM_TEXT(b->mem, import_issue, i, code), code);
    }
    return n;
}

/* The rows of a table as text. */
#define CHECK_ROWS(b, table, ...)                                                                  \
    memsink_assert_rows((b)->mem, TS_T_##table, (const char *const[]){__VA_ARGS__, NULL},          \
                        __FILE__, __LINE__)

#endif
