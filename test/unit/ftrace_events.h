/* For tests of the ftrace machine: events in order of time, rows in memory. */
#ifndef TS_TEST_FTRACE_EVENTS_H
#define TS_TEST_FTRACE_EVENTS_H

#include "memsink.h"
#include "support.h"

#include "parsers/ftrace/ftrace_machine.h"
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

/* The rows of a table as text; ends with NULL. */
static inline void check_rows(const bench *b, enum ts_table_id table, const char *const *rows)
{
    size_t n = 0;
    for (; rows[n] != NULL; n++) {
        if (n >= memsink_rows(b->mem, table)) {
            memsink_print(b->mem, table);
            fail_msg("%s has no row %zu", ts_schema[table].name, n);
        }
        memsink_assert_row(b->mem, table, n, rows[n], __FILE__, __LINE__);
    }
    if (memsink_rows(b->mem, table) != n) {
        memsink_print(b->mem, table);
        fail_msg("%s has more than %zu rows", ts_schema[table].name, n);
    }
}

#define CHECK_ROWS(b, table, ...)                                                                  \
    check_rows((b), TS_T_##table, (const char *const[]){__VA_ARGS__, NULL})

#endif
