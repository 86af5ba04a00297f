/* Raw traces to events (docs/formats.md, "Raw traces of the kernel"): the texts that describe the
 * pages, entries of pages, damage. */
#include "ftrace_lines.h"

#include "parsers/ftrace/raw/ftrace_raw.h"

#include <inttypes.h>

typedef struct bytes {
    uint8_t p[1 << 16];
    size_t n;
} bytes;

static void put(bytes *b, const void *p, size_t n)
{
    assert_true(b->n + n <= sizeof b->p);
    memcpy(b->p + b->n, p, n);
    b->n += n;
}

static void put_int(bytes *b, uint64_t v, size_t n)
{
    uint8_t le[8];
    for (size_t i = 0; i < n; i++) {
        le[i] = (uint8_t)(v >> 8 * i);
    }
    put(b, le, n);
}

static void put_section(bytes *b, uint32_t type, const void *p, size_t n)
{
    put_int(b, type, 4);
    put_int(b, n, 4);
    put(b, p, n);
}

static void put_texts(bytes *b, uint32_t type, const char *text)
{
    put_section(b, type, text, strlen(text));
}

static void put_header(bytes *b, uint8_t type)
{
    static const uint8_t rest[8] = {1};
    put_int(b, 0xDF49, 2);
    put_int(b, type, 1);
    put(b, rest, 8);
    put_int(b, 0, 1);
}

#define COMMON                                                                                     \
    "format:\n"                                                                                    \
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"                         \
    "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"                         \
    "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"                 \
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"

static const char formats[] =
    "name: sched_switch\nID: 316\n" COMMON
    "\tfield:char prev_comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t prev_pid;\toffset:24;\tsize:4;\tsigned:1;\n"
    "\tfield:int prev_prio;\toffset:28;\tsize:4;\tsigned:1;\n"
    "\tfield:long prev_state;\toffset:32;\tsize:8;\tsigned:1;\n"
    "\tfield:char next_comm[16];\toffset:40;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t next_pid;\toffset:56;\tsize:4;\tsigned:1;\n"
    "\tfield:int next_prio;\toffset:60;\tsize:4;\tsigned:1;\n\n"
    "print fmt: \"prev_comm=%s\", REC->prev_comm\n\n"
    "name: print\nID: 5\n" COMMON "\tfield:unsigned long ip;\toffset:8;\tsize:8;\tsigned:0;\n"
    "\tfield:char buf[];\toffset:16;\tsize:0;\tsigned:0;\n\nprint fmt: \"%ps: %s\"\n"
    "name: irq_handler_entry\nID: 100\n" COMMON "\tfield:int irq;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:__data_loc char[] name;\toffset:12;\tsize:4;\tsigned:1;\n\nprint fmt: \"\"\n"
    "name: ipi_entry\nID: 101\n" COMMON
    "\tfield:const char * reason;\toffset:8;\tsize:8;\tsigned:0;\n\nprint fmt: \"\"\n"
    "name: sched_blocked_reason\nID: 102\n" COMMON
    "\tfield:pid_t pid;\toffset:8;\tsize:4;\tsigned:1;\n"
    "\tfield:void* caller;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:bool io_wait;\toffset:24;\tsize:1;\tsigned:0;\n\nprint fmt: \"\"\n"
    "name: no_such_event\nID: 103\n" COMMON "print fmt: \"\"\n";

/* --- pages -------------------------------------------------------------------------------------
 */

typedef struct page {
    uint8_t p[4096];
    size_t n; /* behind its header */
} page;

static page new_page(uint64_t time)
{
    page pg = {.n = 0};
    for (size_t i = 0; i < 8; i++) {
        pg.p[i] = (uint8_t)(time >> 8 * i);
    }
    return pg;
}

static void page_int(page *pg, uint64_t v, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        pg->p[16 + pg->n++] = (uint8_t)(v >> 8 * i);
    }
}

static void end_page(page *pg, uint32_t flags)
{
    uint64_t commit = pg->n | flags;
    for (size_t i = 0; i < 8; i++) {
        pg->p[8 + i] = (uint8_t)(commit >> 8 * i);
    }
}

/* The head of a record of so many bytes, and its common fields. */
static void begin_record(page *pg, uint32_t delta, size_t n, uint16_t id, int32_t pid)
{
    assert_int_equal(n % 4, 0);
    if (n / 4 <= 28) {
        page_int(pg, (uint64_t)delta << 5 | n / 4, 4);
    } else {
        page_int(pg, (uint64_t)delta << 5, 4);
        page_int(pg, n + 4, 4);
    }
    page_int(pg, id, 2);
    page_int(pg, 0, 2);
    page_int(pg, (uint32_t)pid, 4);
}

static void page_chars(page *pg, const char *s, size_t n)
{
    size_t have = strlen(s);
    for (size_t i = 0; i < n; i++) {
        pg->p[16 + pg->n++] = i < have ? (uint8_t)s[i] : 0;
    }
}

static void put_switch(page *pg, uint32_t delta, const char *prev, int32_t prev_pid, uint64_t state,
                       const char *next, int32_t next_pid)
{
    begin_record(pg, delta, 64, 316, prev_pid);
    page_chars(pg, prev, 16);
    page_int(pg, (uint32_t)prev_pid, 4);
    page_int(pg, 120, 4);
    page_int(pg, state, 8);
    page_chars(pg, next, 16);
    page_int(pg, (uint32_t)next_pid, 4);
    page_int(pg, 98, 4);
}

static void put_print(page *pg, uint32_t delta, int32_t pid, const char *text)
{
    size_t n = (strlen(text) + 1 + 3) / 4 * 4;
    begin_record(pg, delta, 16 + n, 5, pid);
    page_int(pg, 0, 8);
    page_chars(pg, text, n);
}

/* The example of the format's description. */
static void put_example(page *pg)
{
    *pg = new_page(1000);
    put_switch(pg, 0, "swapper", 0, 0, "app", 20);
    put_print(pg, 5, 20, "B|20|H:x\n");
    put_print(pg, 10, 20, "E|20\n");
    put_switch(pg, 7, "app", 20, 1, "swapper", 0);
    end_page(pg, 0);
}

static const char example_rows[] =
    "sched_switch 1000 0/0 c0  prev_comm='swapper' prev_pid=0 prev_prio=120 prev_state=0 "
    "next_comm='app' next_pid=20 next_prio=98\n"
    "print 1005 20/20 c0 app buf='B|20|H:x'\n"
    "print 1015 20/20 c0 app buf='E|20'\n"
    "sched_switch 1022 20/20 c0 app prev_comm='app' prev_pid=20 prev_prio=120 prev_state=1 "
    "next_comm='swapper' next_pid=0 next_prio=98\n";

/* --- reading -----------------------------------------------------------------------------------
 */

typedef struct seen {
    lines lines; /* what came */
    ftrace_raw_counts counts;
    uint64_t bad_lines;
    uint64_t lost;
    ts_code code;
} seen;

static ts_code take(void *user, const ftrace_event *e)
{
    seen *s = user;
    if (e->kind >= FTRACE_KINDS) {
        add_loss(&s->lines, e);
        return TS_OK;
    }
    assert_int_equal(e->reader, FTRACE_FROM_RAW);
    add_event(&s->lines, e);
    return TS_OK;
}

static ts_code on_symbol(void *user, uint64_t addr, ts_text name)
{
    add(&((seen *)user)->lines, "symbol %" PRIx64 " %.*s\n", addr, (int)name.n, name.p);
    return TS_OK;
}

static ts_code on_defect(void *user, ftrace_raw_defect defect, uint64_t at, const char *what)
{
    add(&((seen *)user)->lines, "! %d at %" PRIu64 " %s\n", (int)defect, at, what);
    return TS_OK;
}

static void read_blocks(seen *s, const bytes *b, size_t block)
{
    ts_ctx *ctx = test_ctx_new();
    const ftrace_raw_calls calls = {s, take, on_symbol, on_defect};
    ftrace_raw *r;
    memset(s, 0, sizeof *s);
    assert_ok(ctx, ftrace_raw_open(&r, ctx, &calls));
    for (size_t at = 0; at < b->n && s->code == TS_OK; at += block) {
        s->code = ftrace_raw_feed(r, b->p + at, b->n - at < block ? b->n - at : block);
    }
    s->code = s->code != TS_OK ? s->code : ftrace_raw_end(r);
    s->counts = *ftrace_raw_count(r);
    s->bad_lines = ftrace_raw_bad_lines(r);
    s->lost = s->counts.lost_bytes;
    ftrace_raw_close(r);
    test_ctx_free(ctx);
}

static seen whole;

static void read_raw(const bytes *b)
{
    static const size_t blocks[] = {1, 2, 3, 7, 61, 4095, 4097};
    static seen part;
    read_blocks(&whole, b, sizeof b->p);
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++) {
        read_blocks(&part, b, blocks[i]);
        assert_string_equal(part.lines.text, whole.lines.text);
        assert_int_equal(part.code, whole.code);
        assert_memory_equal(&part.counts, &whole.counts, sizeof part.counts);
        assert_int_equal(part.lost, whole.lost);
    }
}

static void begin_trace(bytes *b)
{
    b->n = 0;
    put_header(b, 0);
    put_texts(b, 2, "20 app\n21 my worker\n");
    put_texts(b, 3, "20 20\n21 20\n");
    put_texts(b, 30,
              "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
              "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
              "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
              "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:1;\n");
    put_texts(b, 31, "0xffffff8008 : \"Function call \"x\" interrupts\"\n");
    put_texts(b, 32,
              "ffffffc000 T start\nffffffc010 t run.cfi\nffffffc020 D data\n"
              "ffffffc030 t stop [module]\nffffffc038 t mod\t[module]\nffffffc040 T $x\n");
    put_texts(b, 1, formats);
}

#define SYMBOLS "symbol ffffffc000 start\nsymbol ffffffc030 stop\nsymbol ffffffc038 mod\n"

static bytes trace;

static void check(const char *expected)
{
    char all[8192];
    snprintf(all, sizeof all, SYMBOLS "%s", expected);
    read_raw(&trace);
    assert_int_equal(whole.code, TS_OK);
    assert_string_equal(whole.lines.text, all);
}

static void test_example(void **state)
{
    page pg;
    (void)state;
    begin_trace(&trace);
    put_example(&pg);
    put_section(&trace, 4, pg.p, sizeof pg.p);
    check(example_rows);
    assert_int_equal(whole.counts.events, 4);
    assert_int_equal(whole.counts.pages, 1);
    assert_int_equal(whole.bad_lines, 0);
}

static void test_fields(void **state)
{
    page pg = new_page(5);
    (void)state;
    begin_trace(&trace);
    begin_record(&pg, 1, 24, 100, 21);
    page_int(&pg, 4, 4);
    page_int(&pg, 16 | 5 << 16, 4);
    page_chars(&pg, "uart", 8);
    begin_record(&pg, 1, 16, 101, 21);
    page_int(&pg, UINT64_C(0xffffff8008), 8);
    begin_record(&pg, 1, 16, 101, 7);
    page_int(&pg, 1, 8);
    begin_record(&pg, 1, 28, 102, 21);
    page_int(&pg, 20, 8);
    page_int(&pg, UINT64_C(0xffffffc004), 8);
    page_int(&pg, 1, 4);
    begin_record(&pg, 1, 8, 103, 21);
    begin_record(&pg, 1, 8, 104, 21);
    begin_record(&pg, 1, 12, 100, 21); /* too short */
    page_int(&pg, 4, 4);
    begin_record(&pg, 1, 16, 100, 21); /* its text is outside */
    page_int(&pg, 4, 4);
    page_int(&pg, 16 | 1 << 16, 4);
    put_print(&pg, 1, 21,
              "0123456789012345678901234567890123456789012345678901234567890123456789"
              "0123456789012345678901234567890123456789012345678901234567890123456789\n");
    end_page(&pg, 0);
    put_section(&trace, 6, pg.p, sizeof pg.p);
    check("irq_handler_entry 6 21/20 c2 my worker irq=4 name='uart'\n"
          "ipi_entry 7 21/20 c2 my worker reason='Function call \"x\" interrupts'\n"
          "ipi_entry 8 7/0 c2 \n"
          "sched_blocked_reason 9 21/20 c2 my worker pid=20 caller=1099511611396 iowait=1\n"
          "lost c2 at 11\nlost c2 at 12\nlost c2 at 13\n"
          "print 14 21/20 c2 my worker "
          "buf='0123456789012345678901234567890123456789012345678901234567890123456789"
          "0123456789012345678901234567890123456789012345678901234567890123456789'\n");
    assert_int_equal(whole.counts.not_supported, 1);
    assert_int_equal(whole.counts.no_format, 1);
    assert_int_equal(whole.counts.bad_events, 2);
}

static void test_times(void **state)
{
    page pg = new_page(1000);
    (void)state;
    begin_trace(&trace);
    put_print(&pg, 1, 20, "a");
    page_int(&pg, 3 << 5 | 30, 4); /* 2 << 27 and 3 more */
    page_int(&pg, 2, 4);
    put_print(&pg, 0, 20, "b");
    page_int(&pg, 9 << 5 | 31, 4); /* (4 << 27) + 9 */
    page_int(&pg, 4, 4);
    put_print(&pg, 1, 20, "c");
    page_int(&pg, 7 << 5 | 29, 4); /* an entry that was taken back */
    page_int(&pg, 8, 4);
    page_int(&pg, 0, 4);
    put_print(&pg, 1, 20, "d");
    page_int(&pg, 29, 4); /* the rest is empty */
    page_int(&pg, 77, 4);
    end_page(&pg, 0);
    put_section(&trace, 4, pg.p, sizeof pg.p);
    check("print 1001 20/20 c0 app buf='a'\nprint 268436460 20/20 c0 app buf='b'\n"
          "print 536870922 20/20 c0 app buf='c'\nprint 536870923 20/20 c0 app buf='d'\n");
    /* The highest bits of a time stamp are those of the time before. */
    begin_trace(&trace);
    pg = new_page((UINT64_C(3) << 59) + 100);
    page_int(&pg, 50 << 5 | 31, 4);
    page_int(&pg, 0, 4);
    put_print(&pg, 0, 20, "a");
    end_page(&pg, 0);
    put_section(&trace, 4, pg.p, sizeof pg.p);
    check("print 2305843009213694002 20/20 c0 app buf='a'\n");
}

static void test_missed(void **state)
{
    page pg;
    char expected[4096];
    (void)state;
    begin_trace(&trace);
    put_example(&pg);
    pg.p[16 + pg.n] = 12; /* so many were dropped */
    end_page(&pg, UINT32_C(0xC0000000));
    put_section(&trace, 4, pg.p, sizeof pg.p);
    snprintf(expected, sizeof expected, "lost c0\n%s", example_rows);
    check(expected);
    assert_int_equal(whole.counts.missed_pages, 1);
    assert_int_equal(whole.counts.missed_events, 12);
}

static void test_bad_pages(void **state)
{
    page pg;
    char expected[4096];
    (void)state;
    /* A length beyond the page, an entry beyond the length, a page that is cut; others count. */
    begin_trace(&trace);
    put_int(&trace, 4, 4);
    put_int(&trace, 4096 * 3 + 100, 4);
    put_example(&pg);
    end_page(&pg, 0xF0000);
    put(&trace, pg.p, sizeof pg.p);
    pg = new_page(10);
    put_print(&pg, 1, 20, "a");
    page_int(&pg, 1 << 5 | 28, 4);
    end_page(&pg, 0);
    put(&trace, pg.p, sizeof pg.p);
    put_example(&pg);
    put(&trace, pg.p, sizeof pg.p);
    put(&trace, pg.p, 100);
    read_raw(&trace);
    snprintf(expected, sizeof expected,
             SYMBOLS "lost c0\n! 0 at %zu its length is larger than a page\n"
                     "print 11 20/20 c0 app buf='a'\n"
                     "lost c0\n! 0 at %zu an entry does not fit into it\n%s"
                     "lost c0\n! 0 at %zu it is cut\n",
             trace.n - 100 - 3 * 4096, trace.n - 100 - 2 * 4096, example_rows, trace.n - 100);
    assert_string_equal(whole.lines.text, expected);
    assert_int_equal(whole.counts.bad_pages, 3);
    assert_int_equal(whole.counts.pages, 4);
}

/* A page without records stands behind all others; one that has data, or before which none are
 * missing, has lost its length. */
static void test_empty_pages(void **state)
{
    page pg;
    page empty = new_page(0);
    char expected[4096];
    (void)state;
    begin_trace(&trace);
    put_int(&trace, 4, 4);
    put_int(&trace, 4096 * 5, 4);
    put_example(&pg);
    put(&trace, empty.p, sizeof empty.p);
    put(&trace, pg.p, sizeof pg.p);
    memset(pg.p + 8, 0, 8); /* `commit` */
    put(&trace, pg.p, sizeof pg.p);
    put(&trace, empty.p, sizeof empty.p);
    put(&trace, empty.p, sizeof empty.p);
    read_raw(&trace);
    snprintf(expected, sizeof expected,
             SYMBOLS "lost c0\n! 0 at %zu it is empty, and one after it is not\n%s"
                     "lost c0\n! 0 at %zu its length is 0, but it has data\n",
             trace.n - 5 * 4096, example_rows, trace.n - 3 * 4096);
    assert_string_equal(whole.lines.text, expected);
    assert_int_equal(whole.counts.bad_pages, 2);
    assert_int_equal(whole.counts.pages, 5);
}

static void test_bad_sections(void **state)
{
    page pg;
    char expected[4096];
    size_t at;
    (void)state;
    put_example(&pg);
    /* Unknown: what follows is lost. */
    begin_trace(&trace);
    at = trace.n;
    put_section(&trace, 33, "x", 1);
    put_section(&trace, 4, pg.p, sizeof pg.p);
    read_raw(&trace);
    snprintf(expected, sizeof expected,
             SYMBOLS "lost c4294967295\n! 1 at %zu the type of a section is not known\n", at);
    assert_string_equal(whole.lines.text, expected);
    assert_int_equal(whole.lost, 1 + 8 + 4096);
    /* Pages in front of the formats. */
    trace.n = 0;
    put_header(&trace, 0);
    put_section(&trace, 4, pg.p, sizeof pg.p);
    put_section(&trace, 5, pg.p, sizeof pg.p);
    put_texts(&trace, 1, formats);
    put_section(&trace, 4, pg.p, sizeof pg.p);
    read_raw(&trace);
    assert_int_equal(whole.counts.events, 4);
    assert_int_equal(whole.lost, 8192);
    assert_non_null(strstr(whole.lines.text, "! 3 at 20 \n"));
    /* Cut in a page, in a header. */
    begin_trace(&trace);
    put_section(&trace, 4, pg.p, sizeof pg.p);
    trace.n -= 10;
    read_raw(&trace);
    assert_non_null(strstr(whole.lines.text, "it is cut\n! 2 at "));
    assert_non_null(strstr(whole.lines.text, "lost c4294967295\nlost c0\n"));
    begin_trace(&trace);
    put_int(&trace, 4, 4);
    read_raw(&trace);
    assert_non_null(strstr(whole.lines.text, "! 2 at "));
    /* HongMeng; another type; no header. */
    trace.n = 0;
    put_header(&trace, 1);
    put_texts(&trace, 1, formats);
    put_section(&trace, 4, pg.p, sizeof pg.p);
    read_raw(&trace);
    assert_int_equal(whole.code, TS_OK);
    assert_non_null(strstr(whole.lines.text, "! 4 at "));
    trace.p[2] = 2;
    read_raw(&trace);
    assert_int_equal(whole.code, TS_ERR_FORMAT);
    trace.n = 11;
    read_raw(&trace);
    assert_int_equal(whole.code, TS_ERR_FORMAT);
}

/* Texts that make no sense are left out, and nothing else. */
static void test_bad_texts(void **state)
{
    page pg;
    (void)state;
    trace.n = 0;
    put_header(&trace, 0);
    put_texts(&trace, 2, "x app\n\n20 app\n-1 y\n99999999999 z\n21 <...>\n");
    put_texts(&trace, 3, "20 20\n21 x\n22\nx 5\n");
    put_texts(&trace, 30,
              "garbage\n\tfield: local_t commit;\toffset:8;\tsize:3;\tsigned:1;\n"
              "\tfield: char data;\toffset:16;\tsize:99999999;\tsigned:1;\n");
    put_texts(&trace, 31, "0xzz : \"a\"\n\n0x12 : b\n0x13 : \"c\" d\n");
    put_texts(&trace, 32, "zz T f\nffffffc000 T start\n");
    put_texts(&trace, 1, "ID: 5\nname: x\nfield:int y;\nname: print\nID: 70000\n");
    put_texts(&trace, 1, formats);
    put_example(&pg);
    put_section(&trace, 4, pg.p, sizeof pg.p);
    read_raw(&trace);
    assert_int_equal(whole.code, TS_OK);
    assert_memory_equal(whole.lines.text, "symbol ffffffc000 start\n", 24);
    assert_string_equal(whole.lines.text + 24, example_rows);
    assert_int_equal(whole.bad_lines, 3 + 3 + 2 + 2 + 4);
}

/* A page that ends before its commit; a commit that ends in the head of an entry. */
static void test_short_pages(void **state)
{
    page pg;
    (void)state;
    begin_trace(&trace);
    put_example(&pg);
    pg.n += 2;
    end_page(&pg, 0);
    put_section(&trace, 4, pg.p, sizeof pg.p);
    read_raw(&trace);
    assert_non_null(strstr(whole.lines.text, "it ends in an entry"));
    assert_int_equal(whole.counts.events, 4);
    assert_int_equal(whole.counts.bad_pages, 1);
    begin_trace(&trace);
    put_example(&pg);
    put_texts(&trace, 30, "\tfield: local_t commit;\toffset:4093;\tsize:8;\tsigned:1;\n");
    put_section(&trace, 4, pg.p, sizeof pg.p);
    read_raw(&trace);
    assert_non_null(strstr(whole.lines.text, "it is too short"));
    assert_int_equal(whole.counts.events, 0);
    assert_int_equal(whole.counts.bad_pages, 1);
}

static void test_no_trace(void **state)
{
    static const char text[] = "\x49\xee no trace at all";
    (void)state;
    trace.n = 0;
    put(&trace, text, sizeof text - 1);
    read_raw(&trace);
    assert_int_equal(whole.code, TS_ERR_FORMAT);
}

static void test_every_allocation_fails(void **state)
{
    static seen s;
    page pg;
    ts_code code = TS_ERR_NOMEM;
    (void)state;
    begin_trace(&trace);
    put_example(&pg);
    put_section(&trace, 4, pg.p, sizeof pg.p);
    for (uint64_t k = 1; code != TS_OK; k++) {
        test_failing fail = {.fail_at = k};
        const ftrace_raw_calls calls = {&s, take, on_symbol, on_defect};
        ts_ctx *ctx = test_ctx_new();
        ftrace_raw *r = NULL;
        memset(&s, 0, sizeof s);
        ctx->allocator = test_failing_allocator(&fail);
        code = ftrace_raw_open(&r, ctx, &calls);
        code = code == TS_OK ? ftrace_raw_feed(r, trace.p, trace.n) : code;
        code = code == TS_OK ? ftrace_raw_end(r) : code;
        assert_true(code == TS_OK ? k > 10 : code == TS_ERR_NOMEM);
        ftrace_raw_close(r);
        test_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_short_pages),
        cmocka_unit_test(test_no_trace),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_example),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_times),
        cmocka_unit_test(test_missed),
        cmocka_unit_test(test_bad_pages),
        cmocka_unit_test(test_empty_pages),
        cmocka_unit_test(test_bad_sections),
        cmocka_unit_test(test_bad_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
