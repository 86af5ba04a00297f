/* Files that are named and not read: no recording of a format that is read is one of them, also
 * when one of its first bytes is another. (What is said of each kind: test/tools/known_files.py.)
 */
#include "parsers/import_impl.h"
#include "parsers/known_files.h"

#include "parsers_run.h"

#include <dirent.h>

enum { CHANGED = 64 };

static ts_text read_head(char *buffer, const char *folder, const char *name)
{
    char path[4096];
    FILE *in;
    size_t n;
    snprintf(path, sizeof path, "%s/%s", folder, name);
    in = fopen(path, "rb");
    assert_non_null(in);
    n = fread(buffer, 1, TS_PEEK, in);
    fclose(in);
    return (ts_text){buffer, n};
}

/* Files of a folder that a format takes, none of them; returns how many. */
static unsigned check_folder(const char *folder)
{
    DIR *dir = opendir(folder);
    unsigned tried = 0;
    char buffer[TS_PEEK];
    assert_non_null(dir);
    for (const struct dirent *e = readdir(dir); e != NULL; e = readdir(dir)) {
        ts_text head;
        if (e->d_type != DT_REG) {
            continue;
        }
        head = read_head(buffer, folder, e->d_name);
        if (import_sniff(e->d_name, head, head.n < TS_PEEK) == NULL) {
            continue;
        }
        tried++;
        assert_null(ts_known_file_of(head));
        for (size_t at = 0; at < CHANGED && at < head.n; at++) {
            for (unsigned bit = 0; bit < 8; bit++) {
                const ts_known_file *known;
                buffer[at] ^= (char)(1U << bit);
                known = ts_known_file_of(head);
                if (known != NULL) {
                    print_error("%s, byte %zu: %s\n", e->d_name, at, known->what);
                }
                assert_null(known);
                buffer[at] ^= (char)(1U << bit);
            }
        }
    }
    closedir(dir);
    return tried;
}

static void test_no_recording_is_named(void **state)
{
    UNUSED(state);
    assert_true(check_folder(TS_TEST_DATA) >= 5);
    assert_true(check_folder(TS_TEST_DATA "/tiny") >= 5);
}

static void test_nothing_is_named(void **state)
{
    UNUSED(state);
    assert_null(ts_known_file_of((ts_text){"", 0}));
    for (size_t n = 1; n < 16; n++) {
        char zeros[16] = {0};
        assert_null(ts_known_file_of((ts_text){zeros, n}));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_no_recording_is_named),
        cmocka_unit_test(test_nothing_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
