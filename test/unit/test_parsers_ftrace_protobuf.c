/* Messages of ftrace-plugin: bytes from the description of the format, and what is read of them. */
#include "ftrace_messages.h"

#include "parsers/ftrace/plugin/ftrace_protobuf.h"
#include "parsers/ftrace/plugin/ftrace_result.h"

/* --- a plugin that writes down what it is called with ---------------------------------------- */

typedef struct reading {
    const ts_plugin_host *host;
    ftrace_protobuf reader;
    ftrace_result result;
    bytes log; /* a line a call */
    uint64_t faults;
} reading;

static reading *last; /* what the run under way has */

static void say(reading *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static void say(reading *t, const char *fmt, ...)
{
    char line[512];
    va_list ap;
    va_start(ap, fmt);
    int n = vsnprintf(line, sizeof line, fmt, ap);
    va_end(ap);
    assert_in_range(n, 0, sizeof line - 1);
    put(&t->log, line, (size_t)n);
}

static ts_code on_clock(void *user, ts_text name)
{
    say(user, "clock %.*s\n", (int)name.n, name.p);
    return TS_OK;
}

static ts_code on_stats(void *user, const ftrace_cpu_stats *s)
{
    say(user, "stats %d cpu %d overrun %d dropped %d\n", s->at_end, (int)s->cpu, (int)s->overrun,
        (int)s->dropped);
    return TS_OK;
}

static ts_code on_overwrite(void *user, uint32_t cpu, uint64_t n)
{
    say(user, "cpu %" PRIu32 " overwrote %" PRIu64 "\n", cpu, n);
    return TS_OK;
}

/* The event and the fields that it has, by the names of the table. */
static void say_event(reading *t, const ftrace_event *e)
{
    const ftrace_kind_info *kind = &ftrace_kinds[e->kind];
    say(t, "%" PRId64 " cpu %" PRIu32 " %d/%d '%.*s' %s", e->ts, e->cpu, e->tgid, e->pid,
        (int)e->comm.n, e->comm.p, kind->name);
    for (unsigned i = 0; i < kind->field_count; i++) {
        const ftrace_field_info *f = &kind->fields[i];
        if (f->is_text && ftrace_has_text(e, f->slot)) {
            say(t, " %s='%.*s'", f->name, (int)e->text[f->slot].n, e->text[f->slot].p);
        } else if (!f->is_text && ftrace_has_number(e, f->slot)) {
            say(t, " %s=%" PRId64, f->name, e->number[f->slot]);
        }
    }
    say(t, "\n");
}

static void same_text(ts_text a, ts_text b)
{
    assert_int_equal(a.n, b.n);
    assert_memory_equal(a.p, b.p, a.n);
}

static void same_event(const ftrace_event *a, const ftrace_event *b)
{
    assert_int_equal(a->ts, b->ts);
    assert_int_equal(a->pid, b->pid);
    assert_int_equal(a->tgid, b->tgid);
    assert_int_equal(a->cpu, b->cpu);
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->reader, b->reader);
    assert_int_equal(a->numbers, b->numbers);
    assert_int_equal(a->texts, b->texts);
    assert_memory_equal(a->number, b->number, sizeof a->number);
    same_text(a->comm, b->comm);
    for (unsigned i = 0; i < FTRACE_TEXTS; i++) {
        same_text(a->text[i], b->text[i]);
    }
}

/* Whatever stands behind the event, and whether it may be read: the event is the same. */
static void check_behind(const reading *t, uint32_t cpu, const uint8_t *p, size_t n)
{
    static const uint8_t behind[] = {0x00, 0x01, 0x7f, 0x80, 0x81, 0xff};
    uint8_t *alone = malloc(n + 1);
    uint8_t *more = malloc(n + FTRACE_PROTOBUF_SLACK);
    ftrace_event event;
    ftrace_event other;
    assert_non_null(alone);
    assert_non_null(more);
    memcpy(alone + 1, p, n); /* ends with its memory */
    memcpy(more, p, n);
    ftrace_found found = ftrace_protobuf_event(&event, &t->reader, cpu, alone + 1, n, n);
    for (size_t i = 0; i < sizeof behind; i++) {
        memset(more + n, behind[i], FTRACE_PROTOBUF_SLACK);
        assert_int_equal(found, ftrace_protobuf_event(&other, &t->reader, cpu, more, n,
                                                      n + FTRACE_PROTOBUF_SLACK));
        if (found == FTRACE_FOUND_EVENT) {
            same_event(&event, &other);
        }
    }
    free(alone);
    free(more);
}

static ts_code on_event(void *user, uint32_t cpu, const uint8_t *p, size_t n, size_t room)
{
    static const char *const others[] = {"", "other", "untimed", "odd", "damage"};
    reading *t = user;
    ftrace_event event;
    ftrace_found found = ftrace_protobuf_event(&event, &t->reader, cpu, p, n, room);
    check_behind(t, cpu, p, n);
    if (found == FTRACE_FOUND_EVENT) {
        say_event(t, &event);
    } else {
        say(t, "%s\n", others[found]);
    }
    return TS_OK;
}

static void on_part(void *user)
{
    (void)user;
}

static ts_code on_lost(void *user, uint32_t cpu, const char *why)
{
    (void)cpu;
    say(user, "lost %s\n", why == NULL ? "" : why);
    return TS_OK;
}

static ts_code on_symbol(void *user, uint64_t addr, ts_text name)
{
    say(user, "symbol %" PRIx64 " %.*s\n", addr, (int)name.n, name.p);
    return TS_OK;
}

static ts_code on_comm(void *user, int32_t tid, ts_text name)
{
    say(user, "comm %d %.*s\n", tid, (int)name.n, name.p);
    return TS_OK;
}

static const ftrace_result_calls calls = {on_clock, on_stats, on_part,   on_overwrite,
                                          on_event, on_lost,  on_symbol, on_comm};

static ts_code t_open(void **self, const ts_plugin_host *host)
{
    reading *t = calloc(1, sizeof *t);
    assert_non_null(t);
    t->host = host;
    ftrace_protobuf_init(&t->reader);
    ftrace_result_init(&t->result, host, &calls, t);
    *self = last = t;
    return TS_OK;
}

static ts_code t_begin(void *self, const ts_segment *seg)
{
    reading *t = self;
    ftrace_result_begin(&t->result, seg);
    return TS_OK;
}

static ts_code t_data(void *self, const ts_segment *seg, const uint8_t *p, size_t n)
{
    reading *t = self;
    return ftrace_result_feed(&t->result, seg, p, n);
}

static ts_code t_end(void *self, const ts_segment *seg)
{
    reading *t = self;
    uint64_t faults;
    ts_code code = ftrace_result_end(&faults, &t->result, seg);
    t->faults += faults;
    return code;
}

static void t_close(void *self)
{
    reading *t = self;
    ftrace_result_free(&t->result);
    free(t->log.p);
    free(t);
}

static const ts_plugin_name t_names[] = {{"ftrace-plugin", 0, NULL}, {NULL, 0, NULL}};
static const ts_htrace_plugin t_plugin = {.names = t_names,
                                          .open = t_open,
                                          .begin = t_begin,
                                          .data = t_data,
                                          .end = t_end,
                                          .close = t_close};
static const ts_htrace_plugin *const plugins[] = {&t_plugin, NULL};

/* The recording in blocks; what was called is that of `log`, and so many faults and issues. */
static void check_block(const bytes *f, size_t block, size_t hold, const char *log, uint64_t faults,
                        const char *issue)
{
    run r;
    run_begin_with(&r, plugins, NULL, hold);
    run_feed(&r, f->p, f->n, block);
    put(&last->log, "", 1);
    assert_string_equal((const char *)last->log.p, log);
    assert_int_equal(last->faults, faults);
    run_end(&r);
    assert_int_equal(r.code, TS_OK);
    if (issue != NULL) {
        assert_true(issues(&r, issue) > 0);
    } else {
        check_no_issues(&r);
    }
    run_free(&r);
}

/* Frees f. */
static void check(bytes *f, const char *log, uint64_t faults, const char *issue)
{
    static const size_t blocks[] = {0, 1, 2, 7, 64};
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        check_block(f, blocks[i] == 0 ? f->n : blocks[i], i % 2 * 8, log, faults, issue);
    }
    free(f->p);
    *f = (bytes){0};
}

/* The examples of the description: a print event and a sched_switch. */
#define PRINT                                                                                      \
    "088fa8d6b907 1014 1a03617070 92030220 14 aa4518 0800 1214 427c32307c483a6e616d65647c4d36327c" \
    "6b3d76"
#define SWITCH                                                                                     \
    "08 80a8d6b907 10 00 1a 07 73776170706572 92 03 02 20 00 8a 97 01 18 0a 07 73776170706572 "    \
    "10 00 18 78 20 00 2a 03 617070 30 14 38 78"
#define PRINT_IS "2000000015 cpu 0 20/20 'app' print buf='B|20|H:named|M62|k=v'\n"
#define SWITCH_IS                                                                                  \
    "2000000000 cpu 3 0/0 'swapper' sched_switch prev_comm='swapper' prev_pid=0 prev_prio=120 "    \
    "prev_state=0 next_comm='app' next_pid=20 next_prio=120\n"

static void test_examples(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    message(&f, "12(12(" PRINT "))");
    message(&f, "12(0803 12(" SWITCH "))");
    message(&f, ""); /* nothing */
    check(&f, PRINT_IS SWITCH_IS, 0, NULL);
}

/* The CPU may be named after its events; its last name counts. CPUs without events are no end. */
static void test_order_of_fields(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    message(&f, "12(0801) 12(0802 12(" SWITCH ") 1805 0803) 12() 12(12(" PRINT "))");
    check(&f, SWITCH_IS "cpu 3 overwrote 5\n" PRINT_IS, 0, NULL);
}

/* Stats do not hide events; parts in any order; unknown fields. */
static void test_parts(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    message(&f, "0a(0800 1a(626f6f74))"                    /* boot */
                "2a(08 8080808080808080e001 12())"         /* a symbol without a name */
                "2a(0810 12(66)) 3a(31)"                   /* f; the version */
                "42(0814 12(61))"                          /* 20 is a */
                "12(12(" PRINT "))"                        /* behind stats */
                "4a() 500a d10400000000000000006500000000" /* not known */
                "0a(0801 12(0800 1807) 12(0803 1805 4006 5002) 1a(6d6f))");
    check(&f,
          "clock boot\nsymbol e000000000000000 \nsymbol 10 f\ncomm 20 a\n" PRINT_IS
          "clock mo\nstats 1 cpu 0 overrun 7 dropped 0\nstats 1 cpu 3 overrun 5 dropped 6\n",
          0, NULL);
}

/* Numbers: int32 in ten bytes and in five, uint32 in ten, 64 bits; padded tags and lengths. */
static void test_numbers(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    /* cpu_idle (2005): state -1 in ten bytes, cpu_id 2 padded; tgid -1 in ten bytes, pid in five.
     */
    message(&f, "12(12(0801 10ffffffffffffffffff01 9203(20ffffffff0f)"
                "aafd8000(08ffffffffffffffffff01 1082808000)))");
    /* oom_score_adj_update (1800): adj -1000 in ten bytes. */
    message(&f, "12(12(0802 c270(0814 1898f8ffffffffffffff01 9a0500)))");
    /* sched_blocked_reason (4002): caller with the highest bit. */
    message(&f, "12(12(0803 92fa01(0814 1080808080808080808001 1801)))");
    /* sched_switch: prev_state of 64 bits; no fields but the kind. */
    message(&f, "12(12(0804 8a9701(20ffffffffffffffffff01)) 12(8a9701()))");
    check(&f,
          "1 cpu 0 -1/-1 '' cpu_idle state=4294967295 cpu_id=2\n"
          "2 cpu 0 0/0 '' oom_score_adj_update pid=20 oom_score_adj=-1000\n"
          "3 cpu 0 0/0 '' sched_blocked_reason pid=20 caller=-9223372036854775808 iowait=1\n"
          "4 cpu 0 0/0 '' sched_switch prev_state=-1\n0 cpu 0 0/0 '' sched_switch\n",
          0, NULL);
}

/* Of several the last counts: texts, the kind of the event. */
static void test_last_counts(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    message(&f, "12(12(0805 1a(61) 0801 1a() aa45(12(41) 12(42)) 92fa01(0807) aa45(12(43) 12())))");
    check(&f, "1 cpu 0 0/0 '' print buf=''\n", 0, NULL);
}

/* Fields of an event that are not known, of its own message, too: numbers and bytes. */
static void test_fields_not_known(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    message(&f,
            "12(12(0801 2005 aa45(1201 41 1a024242 2007)) 12(0802 aa45(1a024242 1201 43 2007)))");
    check(&f, "1 cpu 0 0/0 '' print buf='A'\n2 cpu 0 0/0 '' print buf='C'\n", 0, NULL);
}

static void test_not_handled(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    message(&f,
            "12(12(0805) 12() 12(0801 a206(0801)) 12(0801 82fb01(0801)) 12(0801 8080808001()))");
    message(&f, "12(12(08ffffffffffffffffff01 aa45(12(43))) 12(08ffffffffffffffff7f aa45()))");
    check(&f,
          "other\nother\nother\nother\nother\nuntimed\n9223372036854775807 cpu 0 0/0 '' print\n", 0,
          NULL);
}

/* Every field with another type than it should: the event is lost, its neighbours are not. */
static void test_wrong_types(void **state)
{
    static const char *const events[] = {
        "0a() aa45(12(43))",              /* the time as bytes */
        "0901000000000000 00 aa45(12())", /* as a fixed number */
        "0801 12() aa45()",
        "0801 1805 aa45()",
        "0801 900305 aa45()",
        "0801 9203(22()) aa45()",
        "0801 a84505",
        "0801 aa45(1005)",
        "0801 8a9701(1200)",
        "0801 8a9701(150000 0000)",
    };
    (void)state;
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        char text[300];
        bytes f;
        begin(&f);
        snprintf(text, sizeof text, "12(12(%s) 12(" PRINT "))", events[i]);
        message(&f, text);
        check(&f, "odd\n" PRINT_IS, 0, NULL);
    }
}

/* A field of the message itself, or of a CPU's part, with another type. */
static void test_wrong_types_of_parts(void **state)
{
    static const char *const parts[] = {"0805",     "1005",        "2805",
                                        "4005",     "150000 0000", "12(0a())",
                                        "12(1005)", "12(1a())",    "12(0d00000000)"};
    (void)state;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        char text[300];
        bytes f;
        begin(&f);
        snprintf(text, sizeof text, "%s 12(12(" PRINT "))", parts[i]);
        message(&f, text);
        check(&f, PRINT_IS, 1, "plugin_bad_message");
    }
    bytes f;
    begin(&f);
    message(&f, "0a(0a(00) 1a(6d)) 2a(0a() 12(61)) 2a(0801 1005) 42(0a() 12(61)) 42(0801 1005)");
    check(&f, "clock m\n", 5, "plugin_bad_field");
}

/* What is damaged ends there; events beside it and behind it go on. */
static void test_damage(void **state)
{
    static const struct {
        const char *message;
        const char *log;
        uint64_t faults;
    } cases[] = {
        /* Inside an event: a length beyond its end, its tag, a number of eleven bytes. */
        {"12(12(0801 aa45(12)) 12(" PRINT "))", "damage\n" PRINT_IS, 0},
        {"12(12(0801 aa45(1205 41)) 12(" PRINT "))", "damage\n" PRINT_IS, 0},
        {"12(12(0801 9203(2205 41)) 12(" PRINT "))", "damage\n" PRINT_IS, 0},
        {"12(12(08ffffffffffffffffffff01) 12(" PRINT "))", "damage\n" PRINT_IS, 0},
        {"12(12(00) 12(0b) 12(0e) 12(09 00) 12(0d 00) 12(1a05) 12(08))",
         "damage\ndamage\ndamage\ndamage\ndamage\ndamage\ndamage\n", 0},
        /* Its last number goes on behind it, of the event, of its own message, of common. */
        {"12(12(aa45(1201 41) 0880) 12(8a9701(1080)) 12(9203(2080) aa45(1201 41)))",
         "damage\ndamage\ndamage\n", 0},
        /* Of a CPU's part: an event beyond its end, a bad tag; the next CPU goes on. */
        {"12(12(" PRINT ") 1205 41) 12(0803 12(" SWITCH "))", PRINT_IS "lost \n" SWITCH_IS, 1},
        {"12(12(" PRINT ") 0f 1200) 12(0803 12(" SWITCH "))", PRINT_IS SWITCH_IS, 1},
        {"12(0880) 12(12(" PRINT "))", PRINT_IS, 1},
        /* Of the message: a part beyond its end, a bad tag. */
        {"12(12(" PRINT ")) 12051202", PRINT_IS "lost \n", 1},
        {"12(12(" PRINT ")) 07 12(12(" PRINT "))", PRINT_IS, 1},
        {"12(12(" PRINT ")) 0a05 1a", PRINT_IS, 1},
        {"0a(1a05 61)", "", 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes f;
        begin(&f);
        message(&f, cases[i].message);
        check(&f, cases[i].log, cases[i].faults, cases[i].faults > 0 ? "plugin_bad_message" : NULL);
    }
}

/* A part of a message that is not held as a whole: 4 MiB of events of a CPU. */
static void large_detail(bytes *f, bool told_first)
{
    bytes detail = {0};
    bytes data = {0};
    if (told_first) {
        put_number(&detail, 1, 3);
    }
    while (detail.n <= FTRACE_RESULT_HELD) {
        put_field(&detail, 90, "12345678901234567890", 20); /* not known */
        put_zeros(&detail, 0);
    }
    for (int i = 0; i < 3; i++) {
        bytes event = hex_bytes(SWITCH);
        put_part(&detail, 2, &event);
    }
    if (!told_first) {
        put_number(&detail, 1, 3);
    }
    put_number(&detail, 3, 9);
    put_part(&data, 2, &detail);
    segment(f, "ftrace-plugin", data.p, data.n, 14 * S);
    free(data.p);
}

static void test_large_parts(void **state)
{
    bytes f;
    (void)state;
    begin(&f);
    large_detail(&f, true);
    check_block(&f, f.n, 0, SWITCH_IS SWITCH_IS SWITCH_IS "cpu 3 overwrote 9\n", 0, NULL);
    check_block(&f, 1001, 8, SWITCH_IS SWITCH_IS SWITCH_IS "cpu 3 overwrote 9\n", 0, NULL);
    free(f.p);
}

/* An event of more than 1 MiB, and a symbol: neither is held. */
static void test_too_large(void **state)
{
    for (int which = 0; which < 2; which++) {
        bytes f;
        bytes part = {0};
        bytes detail = {0};
        bytes data = {0};
        (void)state;
        while (part.n <= FTRACE_RESULT_EVENT) {
            put_field(&part, 90, "12345678901234567890", 20);
        }
        if (which == 0) {
            put_part(&detail, 2, &part);
            put_part(&data, 2, &detail);
        } else {
            put_part(&data, 5, &part);
        }
        put_text(&data, 100, "");
        begin(&f);
        segment(&f, "ftrace-plugin", data.p, data.n, 14 * S);
        free(data.p);
        for (size_t block = 1003; block <= f.n; block += f.n - 1003) {
            check_block(&f, block, 0, which == 0 ? "lost it is larger than 1 MiB\n" : "",
                        (uint64_t)which, which == 0 ? NULL : "plugin_bad_message");
        }
        free(f.p);
    }
}

/* A recording cut at every byte: what was called before the cut is what was called of the whole. */
static void test_cut_anywhere(void **state)
{
    bytes f;
    bytes whole = {0};
    (void)state;
    begin(&f);
    message(&f, "0a(0800 1a(626f6f74)) 2a(0810 12(66))");
    message(&f, "12(12(" PRINT ")) 12(0803 12(" SWITCH ") 12(" SWITCH ") 1801) 42(0814 12(61))");
    for (size_t n = f.n + 1; n-- > 1024;) {
        run r;
        run_begin_with(&r, plugins, NULL, 0);
        run_feed(&r, f.p, n, n);
        r.code = ts_htrace_finish(r.h);
        assert_int_equal(r.code, TS_OK);
        bytes *log = &last->log;
        if (n == f.n) {
            put(&whole, log->p, log->n);
        }
        /* (An event that is cut is said to be lost.) */
        while (log->n >= 6 && memcmp(log->p + log->n - 6, "lost \n", 6) == 0) {
            log->n -= 6;
        }
        assert_true(log->n <= whole.n);
        assert_memory_equal(log->p, whole.p, log->n);
        run_end(&r);
        run_free(&r);
    }
    free(whole.p);
    free(f.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_examples),
        cmocka_unit_test(test_order_of_fields),
        cmocka_unit_test(test_parts),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_last_counts),
        cmocka_unit_test(test_fields_not_known),
        cmocka_unit_test(test_not_handled),
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_wrong_types_of_parts),
        cmocka_unit_test(test_damage),
        cmocka_unit_test(test_large_parts),
        cmocka_unit_test(test_too_large),
        cmocka_unit_test(test_cut_anywhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
