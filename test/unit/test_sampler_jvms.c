/* What a Java VM is called, by its command line, and which processes are listed. */
#include "support.h"

#include "sampler/jvms.h"

#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMMAND(text) ((ts_text){text, sizeof text}) /* with the zero byte at its end */

static void test_names_of_commands(void **state)
{
    static const struct {
        ts_text command;
        const char *name;
    } all[] = {
        {COMMAND("java\0com.example.Main"), "com.example.Main"},
        {COMMAND("/usr/bin/java\0-Xmx64m\0-cp\0a.jar:b.jar\0com.example.Main\0-jar\0x"),
         "com.example.Main"},
        {COMMAND("java\0-jar\0/opt/shop/shop-1.2.jar\0--port\0"
                 "80"),
         "shop-1.2.jar"},
        {COMMAND("java\0--module-path\0mods\0-m\0com.app/com.app.Main"), "com.app.Main"},
        {COMMAND("java\0--add-opens\0java.base/java.lang=ALL-UNNAMED\0test/Sampled.java"),
         "Sampled.java"},
        {COMMAND("java\0a$b;rm -rf\n\33[31m"), "a$brm-rf31m"},
        {COMMAND("java\0-jar"), "java"},
        {COMMAND("java\0-cp"), "java"},
        {COMMAND("java"), "java"},
        {COMMAND(""), "java"},
        {COMMAND("java\0.."), "java"},
        {{"", 0}, "java"},
        {{"java\0Main", 9}, "Main"}, /* cut: no zero byte at its end */
    };
    char name[TS_JVM_NAME];
    (void)state;
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        ts_jvm_name(name, all[i].command);
        assert_string_equal(name, all[i].name);
    }
    char text[2 * TS_JVM_NAME];
    memset(text, 'x', sizeof text);
    memcpy(text, "java", 5);
    ts_jvm_name(name, (ts_text){text, sizeof text});
    assert_int_equal(strlen(name), TS_JVM_NAME - 1);
}

static void put(const char *folder, const char *pid, const char *name, const char *text, size_t n)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s", folder, pid);
    (void)mkdir(path, 0700);
    snprintf(path, sizeof path, "%s/%s/%s", folder, pid, name);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    assert_int_equal(fwrite(text, 1, n, f), n);
    assert_int_equal(fclose(f), 0);
}

/* A process of the given user; SIGQUIT is handled when bit 2 of the mask is set. */
static void process(const char *folder, const char *pid, unsigned uid, const char *caught,
                    const char *maps, const char *command, size_t n)
{
    char status[300];
    int length =
        snprintf(status, sizeof status, "Name:\tx\nUid:\t%u\t%u\t%u\t%u\nNSpid:\t%s\nSigCgt:\t%s\n",
                 uid, uid, uid, uid, pid, caught);
    put(folder, pid, "status", status, (size_t)length);
    put(folder, pid, "maps", maps, strlen(maps));
    put(folder, pid, "cmdline", command, n);
}

static void test_processes(void **state)
{
    static const char jvm[] = "7f00-7f01 r-xp 0 08:01 1 /opt/jdk/lib/server/libjvm.so\n";
    char *folder = strdup("/tmp/jvms-test-XXXXXX");
    ts_ctx *ctx = test_ctx_new();
    ts_vec found = {0};
    char command[100];
    (void)state;
    assert_non_null(mkdtemp(folder));
    process(folder, "70", geteuid(), "0000000000000004", jvm, "java\0-jar\0b.jar", 16);
    process(folder, "9", geteuid(), "0000000000000004", jvm, "java\0Main", 10);
    process(folder, "11", geteuid() + 1, "0000000000000004", jvm, "java\0Other", 11);
    process(folder, "12", geteuid(), "0000000000000000", jvm, "java\0Deaf", 10);
    process(folder, "13", geteuid(), "0000000000000004", "nothing of it\n", "python", 7);
    process(folder, "self", geteuid(), "0000000000000004", jvm, "java\0Self", 10);
    assert_ok(ctx, ts_jvms_find(&found, ctx, folder));
    const ts_jvm_found *all = found.p;
    assert_int_equal(found.n, 2);
    assert_int_equal(all[0].pid, 9);
    assert_string_equal(all[0].name, "Main");
    assert_int_equal(all[1].pid, 70);
    assert_string_equal(all[1].name, "b.jar");
    assert_ok(ctx, ts_jvms_find(&found, ctx, "/nowhere"));
    assert_int_equal(found.n, 0);
    ts_vec_free(ctx, &found);
    snprintf(command, sizeof command, "rm -rf '%s'", folder);
    assert_int_equal(system(command), 0);
    free(folder);
    test_ctx_free(ctx);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names_of_commands),
        cmocka_unit_test(test_processes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
