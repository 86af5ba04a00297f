#include "support.h"

#include "wire/wire.h"

/* --- what a message holds, as text --------------------------------------------------------------
 */

typedef struct seen {
    char text[1024];
    size_t n;
    bool in_body;
    ts_code stop; /* returned by the next call */
    const uint8_t *whole;
    unsigned runs;
} seen;

static void say(seen *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(seen *s, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(s->text + s->n, sizeof s->text - s->n, fmt, ap);
    va_end(ap);
    assert_in_range(n, 0, sizeof s->text - s->n - 1);
    s->n += (size_t)n;
}

static const char *fault_name(ts_wire_fault fault)
{
    static const char *const names[] = {"ok", "cut", "length", "number", "field", "type", "depth"};
    return names[fault];
}

static ts_code on_number(void *user, uint32_t field, ts_wire_type type, uint64_t value)
{
    seen *s = user;
    say(s, "%u:%c%llx ", field,
        "vq??"
        "?d"[type],
        (unsigned long long)value);
    return s->stop;
}

static ts_code on_begin(void *user, uint32_t field, uint64_t n, bool *want)
{
    seen *s = user;
    assert_true(*want);
    (void)n;
    (void)field;
    s->in_body = true;
    return s->stop;
}

/* Text of a bytes field is held back until its end: the reader in memory never shows a part. */
static ts_code on_bytes(void *user, uint32_t field, const uint8_t *p, size_t n)
{
    seen *s = user;
    (void)field;
    assert_true(s->in_body);
    assert_true(n > 0);
    assert_in_range(n + s->n, 0, sizeof s->text - 1);
    memcpy(s->text + s->n, p, n);
    s->n += n;
    return TS_OK;
}

static ts_code on_end(void *user, uint32_t field, bool complete)
{
    seen *s = user;
    assert_true(s->in_body);
    s->in_body = false;
    say(s, "<%u%s ", field, complete ? "" : "!");
    return TS_OK;
}

static const ts_wire_handler show = {
    .number = on_number, .begin = on_begin, .bytes = on_bytes, .end = on_end};

/* Field 1 in runs, which show what the single calls would have shown. */
static ts_code on_run(void *user, uint64_t at, uint64_t count, const uint8_t *p, size_t n)
{
    seen *s = user;
    ts_wire w;
    ts_wire_field f;
    assert_false(s->in_body);
    assert_memory_equal(s->whole + at, p, n);
    ts_wire_init(&w, p, n);
    for (; ts_wire_next(&f, &w); count--) {
        assert_int_equal(f.number, 1);
        say(s, "%.*s<1 ", (int)f.n, (const char *)f.p);
    }
    assert_int_equal(w.fault, TS_WIRE_OK);
    assert_int_equal(count, 0);
    s->runs++;
    return TS_OK;
}

static const ts_wire_handler show_runs = {.number = on_number,
                                          .begin = on_begin,
                                          .bytes = on_bytes,
                                          .end = on_end,
                                          .run = on_run,
                                          .run_field = 1};

static void walk_memory(seen *s, const uint8_t *p, size_t n)
{
    ts_wire w;
    ts_wire_field f;
    *s = (seen){0};
    ts_wire_init(&w, p, n);
    while (ts_wire_next(&f, &w)) {
        if (f.type == TS_WIRE_BYTES) {
            say(s, "%.*s<%u ", (int)f.n, (const char *)f.p, f.number);
        } else {
            on_number(s, f.number, f.type, f.value);
        }
    }
    say(s, "%s@%zu", fault_name(w.fault), w.fault_at);
    /* The end is the end. */
    assert_false(ts_wire_next(&f, &w));
}

static void walk_pushed(seen *s, const ts_wire_handler *handler, const uint8_t *p, size_t n,
                        size_t block)
{
    ts_wire_push w;
    *s = (seen){.whole = p};
    ts_wire_push_init(&w, handler, s, n);
    for (size_t at = 0; at < n; at += block) {
        size_t m = n - at < block ? n - at : block;
        assert_int_equal(ts_wire_push_feed(&w, p + at, m), TS_OK);
    }
    assert_int_equal(ts_wire_push_finish(&w), TS_OK);
    assert_false(s->in_body);
    say(s, "%s@%zu", fault_name(w.fault), (size_t)w.fault_at);
}

/* Both readers, every block size: the same fields, fault and place. */
static void expect(const char *bytes, size_t n, const char *text)
{
    const uint8_t *p = (const uint8_t *)bytes;
    seen s;
    walk_memory(&s, p, n);
    assert_string_equal(s.text, text);
    for (size_t block = 1; block <= n + 1; block++) {
        walk_pushed(&s, &show, p, n, block);
        assert_string_equal(s.text, text);
        walk_pushed(&s, &show_runs, p, n, block);
        assert_string_equal(s.text, text);
    }
}

#define EXPECT(bytes, text) expect((bytes), sizeof(bytes) - 1, (text))

static void test_fields(void **state)
{
    (void)state;
    EXPECT("", "ok@0");
    EXPECT("\x08\x05", "1:v5 ok@0");
    EXPECT("\x0a\x03"
           "abc",
           "abc<1 ok@0");
    EXPECT("\x0a\x00", "<1 ok@0");
    EXPECT("\x09\x01\x02\x03\x04\x05\x06\x07\x88", "1:q8807060504030201 ok@0");
    EXPECT("\x0d\x01\x02\x03\x84", "1:d84030201 ok@0");
    /* Any order, repeated fields, fields nobody knows. */
    EXPECT("\x30\x01\x0a\x01x\x0a\x01y\xf8\x7f\x02\x30\x03", "6:v1 x<1 y<1 2047:v2 6:v3 ok@0");
    /* The largest field number: 2^29 - 1. */
    EXPECT("\xf8\xff\xff\xff\x0f\x01", "536870911:v1 ok@0");
}

static void test_varints(void **state)
{
    (void)state;
    /* Padded lengths and numbers as the device's own encoder writes them: B7 80 80 00 is 0x37. */
    EXPECT("\x08\xb7\x80\x80\x00", "1:v37 ok@0");
    EXPECT("\x0a\x83\x80\x80\x00"
           "abc",
           "abc<1 ok@0");
    EXPECT("\x88\x80\x00\x01", "1:v1 ok@0");
    /* 2^64 - 1 and -1 as int32 take ten bytes. */
    EXPECT("\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "1:vffffffffffffffff ok@0");
    EXPECT("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "1:v8000000000000000 ok@0");
    EXPECT("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x00", "1:v0 ok@0");
    /* A tenth byte above 1 is more than 64 bits, an eleventh byte more than a varint. */
    EXPECT("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x02", "number@0");
    EXPECT("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "number@0");
    EXPECT("\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "number@0");
    EXPECT("\x10\x01\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", "2:v1 number@2");
    /* The end inside. */
    EXPECT("\x08", "cut@0");
    EXPECT("\x80", "cut@0");
    EXPECT("\x10\x01\x08\x80", "2:v1 cut@2");
    EXPECT("\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80", "cut@0");
    EXPECT("\x09\x01\x02\x03\x04\x05\x06\x07", "cut@0");
    EXPECT("\x0d\x01\x02\x03", "cut@0");
}

static void test_bad_tags(void **state)
{
    (void)state;
    EXPECT("\x00\x01", "field@0");                 /* field number 0 */
    EXPECT("\x02\x00", "field@0");                 /* likewise, bytes */
    EXPECT("\x80\x80\x80\x80\x10\x01", "field@0"); /* 2^29 */
    EXPECT("\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", "field@0");
    EXPECT("\x08\x01\x0b\x0c", "1:v1 type@2"); /* a group begins */
    EXPECT("\x08\x01\x0c", "1:v1 type@2");     /* a group ends */
    EXPECT("\x08\x01\x0e\x01", "1:v1 type@2");
    EXPECT("\x08\x01\x0f\x01", "1:v1 type@2");
}

/* Lengths beyond the end: the reader in memory gives nothing of the field, the pushed one gives
 * what is there and says that it was cut. */
static void test_bad_lengths(void **state)
{
    static const struct {
        const char *p;
        size_t n;
    } lengths[] = {
        {"\x0a\x04"
         "abc",
         5},
        {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01"
         "abc",
         14}, /* 2^64 - 1 */
        {"\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01"
         "abc",
         14}, /* 2^63 */
        {"\x0a\xff\xff\xff\xff\x0f"
         "abc",
         9}, /* 2^32 - 1 */
    };
    (void)state;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        const uint8_t *p = (const uint8_t *)lengths[i].p;
        seen s;
        walk_memory(&s, p, lengths[i].n);
        assert_string_equal(s.text, "length@0");
        for (size_t block = 1; block <= lengths[i].n; block++) {
            walk_pushed(&s, &show, p, lengths[i].n, block);
            assert_string_equal(s.text, "abc<1! length@0");
        }
    }
}

static void test_message_that_ends_early(void **state)
{
    ts_wire_push w;
    seen s = {0};
    (void)state;
    ts_wire_push_init(&w, &show, &s, 100);
    assert_int_equal(ts_wire_push_feed(&w,
                                       (const uint8_t *)"\x0a\x05"
                                                        "ab",
                                       4),
                     TS_OK);
    assert_int_equal(ts_wire_push_finish(&w), TS_OK);
    assert_int_equal(w.fault, TS_WIRE_LENGTH);
    assert_string_equal(s.text, "ab<1! ");
    /* Between two fields. */
    s = (seen){0};
    ts_wire_push_init(&w, &show, &s, 3);
    assert_int_equal(ts_wire_push_feed(&w, (const uint8_t *)"\x08\x01", 2), TS_OK);
    assert_int_equal(ts_wire_push_finish(&w), TS_OK);
    assert_int_equal(w.fault, TS_WIRE_CUT);
    assert_int_equal(w.fault_at, 2);
}

/* Fields that come in a run: how many of them by the pieces, lengths of up to three bytes. */
static void test_runs(void **state)
{
    static const size_t sizes[] = {0, 1, 127, 128, 300};
    uint8_t p[1024];
    size_t n = 0;
    seen s;
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        p[n++] = 0x0a;
        if (i == 1) { /* padded */
            p[n++] = 0x81;
            p[n++] = 0x80;
            p[n++] = 0;
        } else {
            p[n++] = (uint8_t)(sizes[i] < 128 ? sizes[i] : (sizes[i] & 0x7f) | 0x80);
            if (sizes[i] >= 128) {
                p[n++] = (uint8_t)(sizes[i] >> 7);
            }
        }
        memset(p + n, 'a' + (int)i, sizes[i]);
        n += sizes[i];
    }
    walk_pushed(&s, &show_runs, p, n, n);
    assert_int_equal(s.runs, 1);
    for (size_t cut = n; cut > 0; cut--) { /* also inside of fields */
        seen single;
        walk_pushed(&single, &show, p, cut, cut);
        for (size_t block = 1; block <= cut; block += block < 20 ? 1 : 37) {
            walk_pushed(&s, &show_runs, p, cut, block);
            assert_string_equal(s.text, single.text);
        }
    }
}

static ts_code want_not(void *user, uint32_t field, uint64_t n, bool *want)
{
    (void)user;
    (void)field;
    (void)n;
    *want = false;
    return TS_OK;
}

static void test_skip(void **state)
{
    ts_wire_handler handler = {.number = on_number, .begin = want_not, .bytes = on_bytes};
    ts_wire_push w;
    seen s = {0};
    (void)state;
    ts_wire_push_init(&w, &handler, &s, 1000);
    assert_int_equal(ts_wire_push_unseen(&w), 0);
    assert_int_equal(ts_wire_push_feed(&w, (const uint8_t *)"\x0a\xe4\x07x", 4), TS_OK);
    assert_int_equal(ts_wire_push_unseen(&w), 995);
    assert_int_equal(ts_wire_push_body(&w), 995);
    assert_int_equal(ts_wire_push_skip(&w, 995), TS_OK);
    assert_int_equal(ts_wire_push_unseen(&w), 0);
    assert_int_equal(ts_wire_push_feed(&w, (const uint8_t *)"\x08", 1), TS_OK);
    assert_int_equal(ts_wire_push_finish(&w), TS_OK);
    assert_int_equal(w.fault, TS_WIRE_CUT);
    /* After a fault all the rest may be left out. */
    ts_wire_push_init(&w, &handler, &s, 50);
    assert_int_equal(ts_wire_push_feed(&w, (const uint8_t *)"\x0f", 1), TS_OK);
    assert_int_equal(ts_wire_push_unseen(&w), 49);
}

static void test_handler_stops(void **state)
{
    ts_wire_push w;
    seen s = {.stop = TS_ERR_OUTPUT};
    (void)state;
    ts_wire_push_init(&w, &show, &s, 4);
    assert_int_equal(ts_wire_push_feed(&w, (const uint8_t *)"\x08\x01\x08\x02", 4), TS_ERR_OUTPUT);
    assert_string_equal(s.text, "1:v1 ");
}

static void test_nesting(void **state)
{
    uint8_t p[200];
    size_t n = 0;
    ts_wire w;
    ts_wire_field f;
    (void)state;
    /* 66 messages, each around the one before it, inside out. */
    for (unsigned i = 0; i < 66; i++) {
        memmove(p + 2, p, n);
        p[0] = 0x0a;
        p[1] = (uint8_t)n;
        n += 2;
        if (n > 127) {
            break;
        }
    }
    ts_wire_init(&w, p, n);
    for (unsigned depth = 1; depth <= TS_WIRE_NESTING; depth++) {
        ts_wire inner;
        if (!ts_wire_next(&f, &w)) {
            assert_int_equal(w.fault, TS_WIRE_OK);
            break;
        }
        ts_wire_enter(&inner, &w, &f);
        assert_int_equal(inner.fault, TS_WIRE_OK);
        w = inner;
    }
    assert_int_equal(w.depth, 64);
    f = (ts_wire_field){.p = p, .n = 0, .type = TS_WIRE_BYTES};
    {
        ts_wire inner;
        ts_wire_enter(&inner, &w, &f);
        assert_int_equal(inner.fault, TS_WIRE_DEPTH);
        assert_false(ts_wire_next(&f, &inner));
    }
}

/* All numbers of a list at once are those that come one by one, and so is the fault: of lists of
 * numbers of 1, 2 and more bytes, cut at every byte. */
static void test_packed_all(void **state)
{
    enum { NUMBERS = 60, LIST = 10 * NUMBERS };
    uint32_t random = 1;
    (void)state;
    for (unsigned round = 0; round < 200; round++) {
        uint8_t list[LIST];
        size_t n = 0;
        for (unsigned i = 0; i < NUMBERS; i++) {
            random = random * 1664525 + 1013904223;
            unsigned bytes = round % 4 == 0   ? 1
                             : round % 4 == 1 ? 2
                             : round % 4 == 2 ? 1 + (random >> 16) % 2
                                              : 1 + (random >> 16) % 11;
            for (unsigned k = 0; k < bytes && n < LIST; k++) {
                list[n++] = (uint8_t)((random >> (k % 4 * 7) & 0x7F) | (k + 1 < bytes ? 0x80 : 0));
            }
        }
        for (size_t cut = 0; cut <= n; cut += round < 8 ? 1 : 7) {
            uint64_t all[LIST];
            uint64_t v;
            size_t count = 0;
            ts_wire one, many;
            ts_wire_init(&one, list, cut);
            ts_wire_init(&many, list, cut);
            size_t got = ts_wire_packed_all(all, &many);
            while (ts_wire_packed(&v, &one)) {
                assert_true(count < got && all[count] == v);
                count++;
            }
            assert_int_equal(got, count);
            assert_int_equal(many.fault, one.fault);
            assert_int_equal(many.fault_at, one.fault_at);
            assert_int_equal(many.in.at, one.in.at);
        }
    }
}

static void test_fault_texts(void **state)
{
    (void)state;
    for (int i = TS_WIRE_OK; i <= TS_WIRE_DEPTH; i++) {
        assert_true(strlen(ts_wire_fault_text((ts_wire_fault)i)) > 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_varints),
        cmocka_unit_test(test_bad_tags),
        cmocka_unit_test(test_bad_lengths),
        cmocka_unit_test(test_message_that_ends_early),
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_skip),
        cmocka_unit_test(test_handler_stops),
        cmocka_unit_test(test_nesting),
        cmocka_unit_test(test_packed_all),
        cmocka_unit_test(test_fault_texts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
