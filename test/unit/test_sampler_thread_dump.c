/* Thread dumps as HotSpot prints them: values are those of the texts below. */
#include "support.h"

#include "sampler/thread_dump.h"

/* JDK 17: ids of the system in hexadecimal; native threads have no number. */
static const char jdk17[] =
    "2026-11-22 15:44:10\n"
    "Full thread dump OpenJDK 64-Bit Server VM (17.0.15+6 mixed mode, sharing):\n"
    "\n"
    "Threads class SMR info:\n"
    "_java_thread_list=0x00007f33d40dda30, length=2, elements={\n"
    "0x00007f33d4018090, 0x00007f33d40944c0\n"
    "}\n"
    "\n"
    "\"main\" #1 prio=5 os_prio=0 cpu=414.37ms elapsed=3.21s tid=0x00007f33d4018090 nid=0x3851 "
    "runnable  [0x00007f33da7fc000]\n"
    "   java.lang.Thread.State: RUNNABLE\n"
    "\tat java.lang.String.lastIndexOf(java.base@17.0.15/String.java:2654)\n"
    "\tat app.Main$$Lambda$45/0x00007f3360093f48.complete(Unknown Source)\n"
    "\t- locked <0x00000000fc086b58> (a java.lang.Object)\n"
    "\t- locked <0x00000000fc086b60> (a java.lang.Class for app.Main)\n"
    "\tat app.Main.main(Main.java:132)\n"
    "\n"
    "\"Finalizer\" #3 daemon prio=8 os_prio=0 cpu=0.20ms elapsed=3.12s tid=0x00007f33d40958a0 "
    "nid=0x386a in Object.wait()  [0x00007f33d9630000]\n"
    "   java.lang.Thread.State: WAITING (on object monitor)\n"
    "\tat java.lang.Object.wait(java.base@17.0.15/Native Method)\n"
    "\t- waiting on <0x00000000fc086b58> (a java.lang.ref.ReferenceQueue$Lock)\n"
    "\tat java.lang.ref.ReferenceQueue.remove(java.base@17.0.15/ReferenceQueue.java:155)\n"
    "\n"
    "\"C1 CompilerThread0\" #8 daemon prio=9 os_prio=0 cpu=176,53ms elapsed=3.11s "
    "tid=0x00007f33d40a2b80 nid=0x3876 waiting on condition  [0x0000000000000000]\n"
    "   java.lang.Thread.State: RUNNABLE\n"
    "   No compile task\n"
    "\n"
    "\"a \"quoted\" #5 name\n"
    "of two lines\" #20 prio=5 os_prio=0 cpu=1.00ms elapsed=1.0s tid=0x1 nid=0x10 sleeping\n"
    "   java.lang.Thread.State: TIMED_WAITING (sleeping)\n"
    "\tat java.lang.Thread.sleep(java.base@17.0.15/Native Method)\n"
    "\n"
    "\"blocked\" #21 prio=5 os_prio=0 cpu=2.5ms elapsed=1.0s tid=0x1 nid=0x11 waiting for monitor "
    "entry  [0x1]\n"
    "   java.lang.Thread.State: BLOCKED (on object monitor)\n"
    "\tat app.Db.query(Db.java:7)\n"
    "\t- waiting to lock <0x00000000fc086b58> (a app.Db)\n"
    "\n"
    "\"parked\" #22 prio=5 os_prio=0 cpu=2.5ms elapsed=1.0s tid=0x1 nid=0x12 waiting on condition\n"
    "   java.lang.Thread.State: TIMED_WAITING (parking)\n"
    "\tat jdk.internal.misc.Unsafe.park(java.base@17.0.15/Native Method)\n"
    "\t- parking to wait for  <0x0000000089> (a java.util.concurrent.Sync)\n"
    "\n"
    "\"new\" #23 prio=5 os_prio=0 cpu=0.0ms elapsed=1.0s tid=0x1 nid=0x13 new\n"
    "   java.lang.Thread.State: NEW\n"
    "\n"
    "\"over\" #24 prio=5 os_prio=0 cpu=0.0ms elapsed=1.0s tid=0x1 nid=0x14 terminated\n"
    "   java.lang.Thread.State: TERMINATED\n"
    "\n"
    "\"VM Thread\" os_prio=0 cpu=3.18ms elapsed=3.13s tid=0x00007f33d4090400 nid=0x3868 runnable  "
    "\n"
    "\n"
    "\"GC Thread#0\" os_prio=0 cpu=6.84ms elapsed=3.21s tid=0x00007f33d4038960 nid=0x3852 runnable "
    " "
    "\n"
    "\n"
    "JNI global refs: 7, weak refs: 0\n"
    "\n";

/* JDK 21: the system's id in decimal, twice; JDK 8: no cpu=. */
static const char others[] =
    "Full thread dump OpenJDK 64-Bit Server VM (21+35 mixed mode, sharing):\r\n"
    "\r\n"
    "\"main\" #1 [6659] prio=5 os_prio=0 cpu=45.125ms elapsed=1.20s tid=0x00007f nid=6659 runnable "
    " "
    "[0x00007f]\r\n"
    "   java.lang.Thread.State: RUNNABLE\r\n"
    "\tat app.Main.main(Main.java:3)\r\n"
    "\r\n"
    "\"carrier\" #31 daemon [6660] prio=5 os_prio=0 cpu=1ms elapsed=1.20s tid=0x00007f nid=6660\r\n"
    "   Carrying virtual thread #30\r\n"
    "\tat jdk.internal.vm.Continuation.run(java.base@21/Continuation.java:248)\r\n"
    "\"old\" #9 daemon prio=10 os_prio=0 tid=0x00007f nid=0x1a runnable [0x00]\r\n"
    "JNI global references: 14\r\n";

typedef struct seen {
    size_t n;
    struct {
        char name[64];
        int64_t id, nid, cpu, priority;
        bool daemon;
        ts_dump_state state;
        size_t frames, locked;
        char top[80], bottom[80], waiting[64];
    } all[16];
} seen;

static void copy(char *out, size_t n, ts_text t)
{
    snprintf(out, n, "%.*s", (int)t.n, t.p == NULL ? "" : t.p);
}

static ts_code collect(void *user, const ts_dump_thread *t)
{
    seen *s = user;
    assert_true(s->n < 16);
    copy(s->all[s->n].name, 64, t->name);
    s->all[s->n].id = t->id;
    s->all[s->n].nid = t->nid;
    s->all[s->n].cpu = t->cpu_ns;
    s->all[s->n].priority = t->priority;
    s->all[s->n].daemon = t->daemon;
    s->all[s->n].state = t->state;
    s->all[s->n].frames = t->frame_count;
    s->all[s->n].locked = t->locked;
    copy(s->all[s->n].top, 80, t->frame_count == 0 ? TS_TEXT_NULL : t->frames[0]);
    copy(s->all[s->n].bottom, 80,
         t->frame_count == 0 ? TS_TEXT_NULL : t->frames[t->frame_count - 1]);
    copy(s->all[s->n].waiting, 64, t->waiting_on);
    s->n++;
    return TS_OK;
}

static void check(const seen *s, size_t i, const char *name, int64_t id, int64_t nid, int64_t cpu,
                  ts_dump_state state, size_t frames, const char *top, const char *waiting)
{
    assert_string_equal(s->all[i].name, name);
    assert_int_equal(s->all[i].id, id);
    assert_int_equal(s->all[i].nid, nid);
    assert_int_equal(s->all[i].cpu, cpu);
    assert_int_equal(s->all[i].state, state);
    assert_int_equal(s->all[i].frames, frames);
    assert_string_equal(s->all[i].top, top);
    assert_string_equal(s->all[i].waiting, waiting);
}

static void test_jdk17(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    seen s = {0};
    bool complete;
    (void)state;
    assert_ok(ctx, ts_thread_dump(&complete, ctx, jdk17, sizeof jdk17 - 1, collect, &s));
    assert_true(complete);
    assert_int_equal(s.n, 10);
    check(&s, 0, "main", 1, 0x3851, 414370000, TS_DUMP_RUNNABLE, 3, "java.lang.String.lastIndexOf",
          "");
    assert_string_equal(s.all[0].bottom, "app.Main.main");
    assert_int_equal(s.all[0].locked, 2);
    assert_int_equal(s.all[0].priority, 5);
    assert_false(s.all[0].daemon);
    check(&s, 1, "Finalizer", 3, 0x386a, 200000, TS_DUMP_WAITING, 2, "java.lang.Object.wait",
          "java.lang.ref.ReferenceQueue$Lock");
    assert_true(s.all[1].daemon);
    check(&s, 2, "C1 CompilerThread0", 8, 0x3876, 176530000, TS_DUMP_RUNNABLE, 0, "", "");
    check(&s, 3, "a \"quoted\" #5 name\nof two lines", 20, 0x10, 1000000, TS_DUMP_TIMED_WAITING, 1,
          "java.lang.Thread.sleep", "");
    check(&s, 4, "blocked", 21, 0x11, 2500000, TS_DUMP_BLOCKED, 1, "app.Db.query", "app.Db");
    check(&s, 5, "parked", 22, 0x12, 2500000, TS_DUMP_TIMED_WAITING, 1,
          "jdk.internal.misc.Unsafe.park", "java.util.concurrent.Sync");
    check(&s, 6, "new", 23, 0x13, 0, TS_DUMP_NEW, 0, "", "");
    check(&s, 7, "over", 24, 0x14, 0, TS_DUMP_TERMINATED, 0, "", "");
    check(&s, 8, "VM Thread", -1, 0x3868, 3180000, TS_DUMP_UNKNOWN, 0, "", "");
    check(&s, 9, "GC Thread#0", -1, 0x3852, 6840000, TS_DUMP_UNKNOWN, 0, "", "");
    test_ctx_free(ctx);
}

static void test_other_versions(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    seen s = {0};
    bool complete;
    (void)state;
    assert_ok(ctx, ts_thread_dump(&complete, ctx, others, sizeof others - 1, collect, &s));
    assert_true(complete);
    assert_int_equal(s.n, 3);
    check(&s, 0, "main", 1, 6659, 45125000, TS_DUMP_RUNNABLE, 1, "app.Main.main", "");
    check(&s, 1, "carrier", 31, 6660, 1000000, TS_DUMP_UNKNOWN, 1,
          "jdk.internal.vm.Continuation.run", "");
    check(&s, 2, "old", 9, 0x1a, -1, TS_DUMP_UNKNOWN, 0, "", "");
    assert_int_equal(s.all[2].priority, 10);
    test_ctx_free(ctx);
}

/* Of a text that was cut, the threads that are passed on are the first ones, each whole. */
static void test_cut_at_every_byte(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    seen whole = {0};
    bool complete;
    (void)state;
    assert_ok(ctx, ts_thread_dump(&complete, ctx, jdk17, sizeof jdk17 - 1, collect, &whole));
    for (size_t n = 0; n < sizeof jdk17 - 1; n++) {
        seen s = {0};
        char *part = malloc(n + 1); /* so that reading behind it is found */
        memcpy(part, jdk17, n);
        assert_ok(ctx, ts_thread_dump(&complete, ctx, part, n, collect, &s));
        assert_true(s.n <= whole.n);
        assert_memory_equal(s.all, whole.all, s.n * sizeof s.all[0]);
        assert_true(!complete || s.n == whole.n);
        free(part);
    }
    test_ctx_free(ctx);
}

/* Bytes are changed: whatever is read, nothing else is touched. */
static void test_changed_bytes(void **state)
{
    ts_ctx *ctx = test_ctx_new();
    size_t step = test_slow() ? 1 : 5;
    char text[sizeof jdk17];
    (void)state;
    for (size_t i = 0; i < sizeof jdk17 - 1; i += step) {
        for (const char *to = "\"\n\t #(0"; *to != '\0'; to++) {
            seen s = {0};
            bool complete;
            memcpy(text, jdk17, sizeof text);
            text[i] = *to;
            assert_ok(ctx, ts_thread_dump(&complete, ctx, text, sizeof text - 1, collect, &s));
        }
    }
    test_ctx_free(ctx);
}

static void test_no_memory(void **state)
{
    uint64_t calls = 1;
    (void)state;
    for (uint64_t at = 1; at <= calls; at++) {
        ts_ctx *ctx = test_ctx_new();
        test_failing failing = {.fail_at = at};
        seen s = {0};
        bool complete;
        ts_code code;
        ctx->allocator = test_failing_allocator(&failing);
        code = ts_thread_dump(&complete, ctx, jdk17, sizeof jdk17 - 1, collect, &s);
        assert_true(failing.calls < at ? code == TS_OK : code == TS_ERR_NOMEM);
        calls = failing.calls;
        test_ctx_free(ctx);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_jdk17),
        cmocka_unit_test(test_other_versions),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_changed_bytes),
        cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
