/* The queue that puts events of the kernel in order of time, against qsort by (time, place). */
#include "parsers/ftrace/order/ftrace_feed.h"
#include "parsers/ftrace/order/ftrace_dense.h"
#include "sys_faults.h"

typedef struct sample {
    int64_t ts;
    size_t place;
    size_t length; /* of the event's text */
} sample;

typedef struct list {
    sample *p;
    size_t n;
} list;

enum { TEXT_STARTS = 26 };

enum shape { EQUAL, SORTED, REVERSED, RANDOM, FEW, CPUS, SHAPES };

static uint64_t random_next(uint64_t *state)
{
    *state += UINT64_C(0x9e3779b97f4a7c15);
    uint64_t z = *state;
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static list make(enum shape shape, size_t n, size_t longest)
{
    list t = {calloc(n + 1, sizeof(sample)), n};
    uint64_t state = n * 31 + shape;
    assert_non_null(t.p);
    for (size_t i = 0; i < n; i++) {
        uint64_t any = random_next(&state);
        t.p[i].place = i;
        t.p[i].length = longest == 0 ? 0 : any % longest;
        t.p[i].ts = shape == EQUAL      ? 7
                    : shape == SORTED   ? (int64_t)i / 2
                    : shape == REVERSED ? (int64_t)(n - i) / 2
                    : shape == RANDOM   ? (int64_t)random_next(&state)
                    : shape == FEW      ? (int64_t)(any % 3) - 1
                                        : (int64_t)(i % 100 + i / 400 * 100);
    }
    return t;
}

static int by_place(const void *a, const void *b)
{
    const sample *x = a;
    const sample *y = b;
    return x->ts != y->ts ? (x->ts > y->ts) - (x->ts < y->ts)
                          : (x->place > y->place) - (x->place < y->place);
}

/* Each field of an event depends on its place, so that a mixed-up one is noticed. */
static ftrace_event event_of(const sample *s, const char *text)
{
    ftrace_event e = {.ts = s->ts, .reader = FTRACE_FROM_RAW, .comm = {"comm", s->place % 5}};
    e.pid = (int32_t)s->place - 3;
    e.tgid = -(int32_t)s->place;
    e.cpu = (uint32_t)(s->place / 100 % 4) * 0x01010101U;
    e.kind = (uint16_t)(s->place % FTRACE_KINDS);
    e.numbers = (uint8_t)s->place;
    e.texts = (uint8_t)(s->place % 16);
    for (unsigned i = 0; i < FTRACE_NUMBERS; i++) {
        e.number[i] = (e.numbers >> i & 1) != 0 ? (int64_t)(s->place * (s->place + i)) : 0;
    }
    text += s->place * 7 % TEXT_STARTS; /* more short texts than a CPU has at a time */
    for (unsigned i = 0; i < FTRACE_TEXTS; i++) {
        e.text[i] = (e.texts >> i & 1) != 0 ? (ts_text){text, (s->length + i) % (s->length + 3)}
                                            : (ts_text){"", 0};
    }
    return e;
}

typedef struct taker {
    const list *want; /* in order */
    const char *text;
    size_t n;
    size_t stop; /* ends with TS_ERR_INTERNAL at this one; SIZE_MAX: never */
} taker;

static ts_code take(void *user, const ftrace_event *e)
{
    taker *t = user;
    ftrace_event want;
    if (t->n == t->stop) {
        return TS_ERR_INTERNAL;
    }
    assert_true(t->n < t->want->n);
    want = event_of(&t->want->p[t->n++], t->text);
    assert_int_equal(e->ts, want.ts);
    assert_int_equal(e->pid, want.pid);
    assert_int_equal(e->tgid, want.tgid);
    assert_int_equal(e->cpu, want.cpu);
    assert_int_equal(e->kind, want.kind);
    assert_int_equal(e->reader, want.reader);
    assert_int_equal(e->numbers, want.numbers);
    assert_int_equal(e->texts, want.texts);
    assert_memory_equal(e->number, want.number, sizeof want.number);
    assert_int_equal(e->comm.n, want.comm.n);
    assert_memory_equal(e->comm.p, want.comm.p, want.comm.n);
    for (unsigned i = 0; i < FTRACE_TEXTS; i++) {
        assert_non_null(e->text[i].p);
        assert_int_equal(e->text[i].n, want.text[i].n);
        assert_memory_equal(e->text[i].p, want.text[i].p, want.text[i].n);
    }
    return TS_OK;
}

static ts_code queue_all(ts_ctx *ctx, const list *in, const list *want, size_t memory,
                         const char *text, size_t stop)
{
    taker t = {want, text, 0, stop};
    ftrace_queue *queue;
    ts_code code = ftrace_queue_open(&queue, ctx, memory);
    for (size_t i = 0; i < in->n && code == TS_OK; i++) {
        ftrace_event e = event_of(&in->p[i], text);
        code = ftrace_queue_add(queue, &e);
    }
    code = code == TS_OK ? ftrace_queue_drain(queue, take, &t) : code;
    assert_true(code != TS_OK || t.n == want->n);
    ftrace_queue_close(queue);
    return code;
}

static char *text_of(size_t n)
{
    n += TEXT_STARTS;
    char *text = malloc(n + 1);
    assert_non_null(text);
    for (size_t i = 0; i < n; i++) {
        text[i] = (char)('a' + i % 26);
    }
    return text;
}

static list sorted(const list *in)
{
    list want = {malloc((in->n + 1) * sizeof(sample)), in->n};
    assert_non_null(want.p);
    memcpy(want.p, in->p, in->n * sizeof(sample));
    qsort(want.p, want.n, sizeof(sample), by_place);
    return want;
}

static void check(ts_ctx *ctx, enum shape shape, size_t n, size_t longest, size_t memory)
{
    list in = make(shape, n, longest);
    list want = sorted(&in);
    char *text = text_of(longest + 3);
    assert_ok(ctx, queue_all(ctx, &in, &want, memory, text, SIZE_MAX));
    free(text);
    free(want.p);
    free(in.p);
}

static void test_in_memory(void **state)
{
    static const size_t numbers[] = {0, 1, 2, 3, 15, 16, 17, 100, 1000, 5003};
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            check(ctx, (enum shape)shape, numbers[i], 40, 8 << 20);
        }
    }
    test_ctx_free(ctx);
}

/* No memory: all events are sorted, four at a time. */
static void test_no_memory(void **state)
{
    static const size_t numbers[] = {0, 1, 2, 3, 4, 5, 16, 17, 64, 1030};
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
            check(ctx, (enum shape)shape, numbers[i], 40, 0);
        }
    }
    test_ctx_free(ctx);
}

/* Little memory: blocks that end within events; events larger than a block. */
static void test_spools(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    for (int shape = 0; shape < SHAPES; shape++) {
        check(ctx, (enum shape)shape, 4001, 40, 200000);
        check(ctx, (enum shape)shape, 4001, 300, 300000);
        check(ctx, (enum shape)shape, 200, 30000, 100000);
        check(ctx, (enum shape)shape, 60, 100000, 70000);
    }
    test_ctx_free(ctx);
}

/* CPUs that come in order: most of it is read back from the spool, nothing is sorted. */
static void test_lanes(void **state)
{
    static const size_t numbers[] = {1, 100, 401, 20000};
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        for (size_t memory = 8192; memory < 2000000; memory *= 5) {
            check(ctx, CPUS, numbers[i], 40, memory);
            check(ctx, SORTED, numbers[i], 40, memory);
        }
    }
    test_ctx_free(ctx);
}

/* A gap keeps its place among events of its time, and no CPU's events are late because of it. */
static ts_code note_gap(void *user, const ftrace_event *e)
{
    char *at = user;
    at += strlen(at);
    at[0] = e->kind == FTRACE_GAP ? 'g' : (char)('0' + e->pid);
    at[1] = 0;
    return TS_OK;
}

static void test_gap(void **state)
{
    static const ftrace_event events[] = {
        {.ts = 10, .pid = 1, .cpu = 1}, {.ts = 7, .pid = 2},
        {.ts = 10, .kind = FTRACE_GAP}, {.ts = 8, .pid = 3},
        {.ts = 10, .pid = 4, .cpu = 1}, {.ts = 9, .pid = 5},
    };
    static const size_t memories[] = {0, 1 << 20};
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        ts_ctx *ctx = test_ctx_new();
        char got[16] = "";
        ftrace_queue *queue;
        assert_ok(ctx, ftrace_queue_open(&queue, ctx, memories[m]));
        for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
            assert_ok(ctx, ftrace_queue_add(queue, &events[i]));
        }
        assert_ok(ctx, ftrace_queue_drain(queue, note_gap, got));
        assert_string_equal(got, "2351g4");
        ftrace_queue_close(queue);
        test_ctx_free(ctx);
    }
}

/* Numbers at the ends of their ranges come back. */
static ts_code take_one(void *user, const ftrace_event *e)
{
    *(ftrace_event *)user = *e;
    return TS_OK;
}

static void test_extremes(void **state)
{
    static const int64_t sets[][FTRACE_NUMBERS] = {
        {INT64_MIN, INT64_MAX, -1, 0, 1, 63, -64, 64},
        {127, -128, 128, -129, 32767, -32768, 32768, -32769},
        {INT32_MAX, INT32_MIN, INT64_C(1) << 31, -(INT64_C(1) << 32), 0, 0, 0, 1},
    };
    ftrace_event e = {.ts = INT64_MIN, .pid = INT32_MIN, .tgid = INT32_MAX, .cpu = UINT32_MAX};
    ts_ctx *ctx = test_ctx_new();
    (void)state;
    e.numbers = UINT8_MAX;
    for (size_t memory = 0; memory < 200000; memory += 100000) {
        for (int i = 0; i < 8; i++) {
            const int64_t *values = sets[i / 2 % 3];
            ftrace_event got = {0};
            ftrace_queue *queue;
            e.kind = i < 2 ? FTRACE_STARTED : FTRACE_KINDS - 1;
            memcpy(e.number, values, sizeof e.number);
            assert_ok(ctx, ftrace_queue_open(&queue, ctx, memory));
            assert_ok(ctx, ftrace_queue_add(queue, &e));
            assert_ok(ctx, ftrace_queue_drain(queue, take_one, &got));
            assert_int_equal(got.ts, e.ts);
            assert_int_equal(got.pid, e.pid);
            assert_int_equal(got.tgid, e.tgid);
            assert_int_equal(got.cpu, e.cpu);
            assert_int_equal(got.kind, e.kind);
            assert_memory_equal(got.number, values, sizeof got.number);
            assert_int_equal(got.comm.n, 0);
            ftrace_queue_close(queue);
            e.ts = e.ts == INT64_MIN ? INT64_MAX : INT64_MIN;
        }
    }
    test_ctx_free(ctx);
}

/* What it takes beside a spool stays within what it may, and small queues take little. */
static void test_memory(void **state)
{
    enum { SPOOL = 64 * 1024 + 256, SELF = 48 * 1024 };
    static const size_t memories[] = {300000, 1 << 20};
    (void)state;
    for (size_t i = 0; i < sizeof memories / sizeof memories[0]; i++) {
        ts_ctx *ctx = test_ctx_new();
        check(ctx, RANDOM, memories[i] / 20, 40, memories[i]);
        /* The last doubling of the keys may be unused. */
        assert_in_range(ctx->memory_peak, memories[i] / 2, memories[i] * 3 / 2 + SPOOL + SELF);
        test_ctx_free(ctx);
    }
    ts_ctx *ctx = test_ctx_new();
    check(ctx, RANDOM, 10, 40, 1 << 30);
    assert_true(ctx->memory_peak < 100000);
    test_ctx_free(ctx);
}

/* --- failing --- */

/* Two passes, and events larger than a block. */
static const struct {
    size_t n, longest, memory;
} failing[] = {{900, 2000, 60000}, {30, 50000, 100000}};

static void test_each_system_call_fails_once(void **state)
{
    (void)state;
    for (size_t m = 0; m < sizeof failing / sizeof failing[0]; m++) {
        list in = make(CPUS, failing[m].n, failing[m].longest);
        list want = sorted(&in);
        char *text = text_of(failing[m].longest + 3);
        ts_code code = TS_ERR_OUTPUT;
        int last = 0;
        for (int fail_at = 1; code != TS_OK; fail_at++) {
            ts_ctx *ctx = test_ctx_new();
            faults f;
            faults_begin(&f, ctx, fail_at);
            code = queue_all(ctx, &in, &want, failing[m].memory, text, SIZE_MAX);
            assert_true(code == TS_OK ? f.calls < fail_at : code == TS_ERR_OUTPUT);
            assert_int_equal(f.files, 0);
            last = f.calls;
            test_ctx_free(ctx); /* all memory came back */
            /* A sample of them, each in its turn in the slow tests. */
            fail_at += code != TS_OK && !test_slow() && fail_at > 20 ? 12 : 0;
        }
        assert_true(last > 10);
        free(text);
        free(want.p);
        free(in.p);
    }
}

static void test_each_allocation_fails_once(void **state)
{
    static const size_t memories[] = {0, 60000, 8 << 20};
    (void)state;
    for (size_t m = 0; m < sizeof memories / sizeof memories[0]; m++) {
        list in = make(CPUS, m == 0 ? 20 : 600, m == 0 ? 20000 : 1000);
        list want = sorted(&in);
        char *text = text_of(20003);
        ts_code code = TS_ERR_NOMEM;
        for (uint64_t fail_at = 1; code != TS_OK; fail_at++) {
            ts_ctx *ctx = test_ctx_new();
            test_failing f = {.fail_at = fail_at};
            ctx->allocator = test_failing_allocator(&f);
            code = queue_all(ctx, &in, &want, memories[m], text, SIZE_MAX);
            assert_true(code == TS_OK ? f.calls < fail_at : code == TS_ERR_NOMEM);
            test_ctx_free(ctx);
        }
        free(text);
        free(want.p);
        free(in.p);
    }
}

/* --- damage --- */

static ssize_t f_damaged(void *user, int fd, void *p, size_t n, off_t off)
{
    faults *f = user;
    ssize_t got = f->sys.pread(f->sys.user, fd, p, n, off);
    uint64_t state = (uint64_t)f->fail_at * 1000003;
    for (ssize_t i = 0; i < got; i++) { /* one byte of 8 to 512, or runs of large ones */
        uint64_t any = random_next(&state);
        if (any % (UINT64_C(8) << f->fail_at % 7) == 0) {
            ((uint8_t *)p)[i] = f->fail_at % 3 == 0 ? 0xff : (uint8_t)(any >> 32);
        }
    }
    return got;
}

static ts_code pass(void *user, const ftrace_event *e)
{
    size_t *read = user;
    for (unsigned i = 0; i < FTRACE_TEXTS; i++) {
        *read += e->text[i].n;
    }
    return TS_OK;
}

/* What comes back from the disk is not what was written: an error, or other events. */
static void test_damaged_spool(void **state)
{
    unsigned noticed = 0;
    (void)state;
    for (int seed = 1; seed <= (test_slow() ? 5000 : 300); seed++) {
        bool lanes = seed % 2 == 0;
        list in = make(lanes ? CPUS : REVERSED, 500, seed % 5 == 0 ? 3 : 400);
        char *text = text_of(403);
        ts_ctx *ctx = test_ctx_new();
        faults f;
        ftrace_queue *queue;
        size_t read = 0;
        ts_code code = ftrace_queue_open(&queue, ctx, 20000);
        faults_begin(&f, ctx, -1);
        ctx->sys.pread = f_damaged;
        for (size_t i = 0; i < in.n && code == TS_OK; i++) {
            ftrace_event e = event_of(&in.p[i], text);
            code = ftrace_queue_add(queue, &e);
        }
        assert_int_equal(code, TS_OK);
        f.fail_at = seed;
        code = ftrace_queue_drain(queue, pass, &read);
        assert_true(code == TS_OK || code == TS_ERR_INTERNAL || code == TS_ERR_OUTPUT ||
                    code == TS_ERR_LIMIT || code == TS_ERR_NOMEM);
        noticed += code == TS_ERR_INTERNAL;
        ftrace_queue_close(queue);
        test_ctx_free(ctx);
        free(text);
        free(in.p);
    }
    assert_true(noticed > 20);
}

/* Texts that differ in one byte only are not taken for each other, wherever it is. */
static void test_texts_alike(void **state)
{
    enum { LONGEST = 20, ROOM = 3 * FTRACE_DENSE_SLACK + 200 };
    ftrace_event e = {.cpu = 1, .kind = 3, .texts = 1};
    uint8_t bytes[ROOM];
    (void)state;
    for (unsigned n = 1; n <= LONGEST; n++) {
        for (unsigned at = 0; at < n; at++) {
            ftrace_dense to;
            ftrace_dense from;
            ftrace_dense_begin(&to);
            ftrace_dense_begin(&from);
            for (unsigned k = 0; k < 4; k++) {
                char text[LONGEST];
                ftrace_event got;
                ftrace_packed in = {bytes, NULL};
                memset(text, 'a', sizeof text);
                text[at] = k % 2 == 0 ? 'a' : 'b';
                e.text[0] = (ts_text){text, n};
                e.comm = e.text[0];
                in.end = ftrace_dense_put(&to, bytes, &e);
                ftrace_dense_get(&got, &from, &in);
                assert_non_null(in.p);
                assert_int_equal(got.text[0].n, n);
                assert_memory_equal(got.text[0].p, text, n);
                assert_memory_equal(got.comm.p, text, n);
            }
        }
    }
}

/* Bytes of an event that end too early are none, wherever that is. */
static void test_cut_anywhere(void **state)
{
    enum { ROOM = 3 * FTRACE_DENSE_SLACK + 200 };
    ftrace_event e = {.pid = 70000, .tgid = -2, .cpu = 300, .kind = 3, .comm = {"thread1", 7}};
    uint8_t bytes[ROOM];
    ftrace_dense dense;
    ftrace_event got;
    (void)state;
    for (unsigned k = 0; k < 4; k++) {
        const uint8_t *end;
        e.numbers = k < 2 ? 0xff : 0;
        e.texts = k % 2;
        e.text[0] = (ts_text){"a text that is longer than others", 33};
        memset(e.number, 0x77, sizeof e.number);
        ftrace_dense_begin(&dense);
        end = ftrace_dense_put(&dense, bytes, &e);
        for (const uint8_t *cut = bytes; cut < end; cut++) {
            ftrace_packed in = {bytes, cut};
            ftrace_dense_begin(&dense);
            ftrace_dense_get(&got, &dense, &in);
            assert_null(in.p);
        }
        ftrace_dense_alone(&dense);
        end = ftrace_dense_put(&dense, bytes, &e);
        for (const uint8_t *cut = bytes; cut < end; cut++) {
            ftrace_packed in = {bytes, cut};
            ftrace_dense_alone(&dense);
            ftrace_dense_get(&got, &dense, &in);
            assert_null(in.p);
        }
    }
}

/* Events that are larger than what their sizes are kept in. */
static void test_too_large(void **state)
{
    static const size_t memories[] = {0, 8 << 20};
    (void)state;
    for (size_t m = 0; m < 2; m++) {
        ts_ctx *ctx = test_ctx_new();
        ftrace_event e = {.texts = 1, .comm = {"", 0}};
        ftrace_queue *queue;
        assert_ok(ctx, ftrace_queue_open(&queue, ctx, memories[m]));
        e.text[0] = (ts_text){"a", 1};
        assert_int_equal(ftrace_queue_add(queue, &e), TS_OK);
        e.text[0].n = (size_t)UINT32_MAX + 1;
        assert_int_equal(ftrace_queue_add(queue, &e), TS_ERR_LIMIT);
        e.text[0].n = SIZE_MAX;
        assert_int_equal(ftrace_queue_add(queue, &e), TS_ERR_LIMIT);
        ftrace_queue_close(queue);
        test_ctx_free(ctx);
    }
}

/* An event that is for itself needs none of those before it, nor their texts. */
static void test_alone(void **state)
{
    ftrace_event e[2] = {{.cpu = 4, .pid = 9, .kind = 3, .texts = 1, .comm = {"one", 3}},
                         {.cpu = 4, .pid = 9, .kind = 3, .texts = 1, .comm = {"one", 3}}};
    uint8_t bytes[3 * FTRACE_DENSE_SLACK];
    ftrace_dense to;
    ftrace_dense from;
    ftrace_event got;
    (void)state;
    ftrace_dense_begin(&to);
    ftrace_dense_begin(&from);
    for (unsigned i = 0; i < 2; i++) {
        e[i].text[0] = (ts_text){"two", 3};
        ftrace_dense_alone(&to);
        (void)ftrace_dense_put(&to, bytes, &e[i]);
    }
    ftrace_packed in = {bytes, bytes + sizeof bytes - FTRACE_DENSE_SLACK};
    ftrace_dense_alone(&from);
    ftrace_dense_get(&got, &from, &in);
    assert_non_null(in.p);
    assert_int_equal(got.cpu, 4);
    assert_int_equal(got.pid, 9);
    assert_true(ts_text_is(got.comm, "one"));
    assert_true(ts_text_is(got.text[0], "two"));
}

/* A code of the taker ends it, and so does a signal. */
static void test_it_ends_early(void **state)
{
    static const size_t memories[] = {0, 60000, 8 << 20};
    volatile sig_atomic_t signal = 2;
    list in = make(CPUS, 500, 100);
    list want = sorted(&in);
    char *text = text_of(103);
    (void)state;
    for (size_t m = 0; m < sizeof memories / sizeof memories[0]; m++) {
        ts_ctx *ctx = test_ctx_new();
        assert_int_equal(queue_all(ctx, &in, &want, memories[m], text, 0), TS_ERR_INTERNAL);
        assert_int_equal(queue_all(ctx, &in, &want, memories[m], text, 499), TS_ERR_INTERNAL);
        ctx->cancel = &signal;
        assert_int_equal(queue_all(ctx, &in, &want, memories[m], text, SIZE_MAX),
                         TS_ERR_INTERRUPTED);
        test_ctx_free(ctx);
    }
    ftrace_queue_close(NULL);
    free(text);
    free(want.p);
    free(in.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_in_memory),
        cmocka_unit_test(test_no_memory),
        cmocka_unit_test(test_spools),
        cmocka_unit_test(test_lanes),
        cmocka_unit_test(test_gap),
        cmocka_unit_test(test_extremes),
        cmocka_unit_test(test_memory),
        cmocka_unit_test(test_each_system_call_fails_once),
        cmocka_unit_test(test_each_allocation_fails_once),
        cmocka_unit_test(test_damaged_spool),
        cmocka_unit_test(test_texts_alike),
        cmocka_unit_test(test_cut_anywhere),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_alone),
        cmocka_unit_test(test_it_ends_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
