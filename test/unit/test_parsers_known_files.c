/* Files that are named: none that is read is taken for one, and no length of a file is too short.
 */
#include "parsers_run.h"

#include "parsers/known_files.h"

#include <dirent.h>
#include <sys/stat.h>

enum { HEAD = 4096, CHANGED = 64 };

static const char *named(const uint8_t *p, size_t n)
{
    const ts_known_file *known = ts_known_file_of((ts_text){(const char *)p, n});
    return known == NULL ? NULL : known->what;
}

/* Recordings of the tests, which other tests read. Those that are compressed are looked at when
 * they are unpacked. */
static void test_recordings(void **state)
{
    static const char *const folders[] = {TS_TEST_DATA, TS_TEST_DATA "/tiny"};
    size_t looked = 0;
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        DIR *dir = opendir(folders[i]);
        const struct dirent *entry;
        assert_non_null(dir);
        while ((entry = readdir(dir)) != NULL) {
            uint8_t head[HEAD];
            char path[512];
            struct stat st;
            snprintf(path, sizeof path, "%s/%s", folders[i], entry->d_name);
            FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) ? fopen(path, "rb") : NULL;
            if (f != NULL) {
                const size_t n = fread(head, 1, sizeof head, f);
                fclose(f);
                if (named(head, n) != NULL) {
                    fail_msg("%s is %s", path, named(head, n));
                }
                looked++;
            }
        }
        closedir(dir);
    }
    assert_true(looked > 20);
}

/* Each signature that is bytes at the beginning, cut everywhere and with lengths that are too large
 * after it. */
static void test_lengths(void **state)
{
    static const char *const begins[] = {
        "PERFFILE",
        "2ELIFREP",
        "SIMPLEPERF",
        "SLOW\x04",
        "\x17\x08\x44tracing",
        "memray",
        "go 1.22 trace",
        "Nettrace",
        "bplist00",
        "JAVA PROFILE 1.0.2",
        "tracy",
        "MZ",
        "\x7f\x45LF",
        "\xcf\xfa\xed\xfe",
        "\xfe\xed\xfa\xcf",
        "SQLite format 3",
        "P1;T",
        "\x04\x08{",
        "{",
        "{\"version",
        "\"",
        ", ",
        ",",
        "\x0a",
        "\x0a\xff\xff\xff\xff\x0f",
        "\x0a\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
        "\x09",
        "\xff\xfe",
        "<?xml",
        "<svg",
        "[",
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof begins / sizeof begins[0]; i++) {
        const size_t n = strlen(begins[i]);
        for (size_t cut = 0; cut <= n + CHANGED; cut++) {
            uint8_t *head = malloc(cut == 0 ? 1 : cut); /* so that a byte beyond it is found */
            assert_non_null(head);
            memset(head, 0xff, cut);
            memcpy(head, begins[i], cut < n ? cut : n);
            (void)named(head, cut);
            free(head);
        }
    }
}

static void test_order(void **state)
{
    UNUSED(state);
    assert_string_equal(named((const uint8_t *)"SQLite format 3\0 StringIds", 26),
                        "a database of Nsight");
    assert_string_equal(named((const uint8_t *)"SQLite format 3\0 x", 18), "a database");
    assert_null(named((const uint8_t *)"main;f 1\n", 9));
    assert_null(named((const uint8_t *)"\"text\", 1\n", 10));
    assert_null(named((const uint8_t *)"", 0));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_recordings),
        cmocka_unit_test(test_lengths),
        cmocka_unit_test(test_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
