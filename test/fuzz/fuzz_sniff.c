/*
 * The first line of the input is the name of a file, the rest its content. Sniffing is pure: asked
 * twice, or without what lies beyond the first bytes, it says the same, and no format that was
 * passed over is surer. Then the file is imported as an argument of the command line, unwrapped,
 * sniffed and parsed, with blocks of two sizes. See import_check.h for what must hold.
 *
 * Options: -max_len=6000 -len_control=0
 */
#include "import_check.h"

#include "mutate.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

const size_t fuzz_prefix = SIZE_MAX; /* behind the first line */

enum { INPUT_FD = 200, NAME_LENGTH = 64, NAMES = 8 };

static void check_formats(const ts_sniff *s)
{
    for (const ts_format *const *f = ts_formats; *f != NULL; f++) {
        int confidence = (*f)->sniff(s);
        check(confidence >= TS_SNIFF_NO && confidence <= TS_SNIFF_SURE);
        check((*f)->sniff(s) == confidence);
    }
}

static void sniff(const char *name, const uint8_t *p, size_t n)
{
    size_t peek = n < TS_PEEK ? n : TS_PEEK;
    char *head = malloc(peek + 1);
    const char *names[NAMES] = {name, name};
    ts_sniff s = {.name = name, .head = (const uint8_t *)head, .n = peek, .whole = peek == n};
    ts_sniff set = {.name = name, .names = names, .name_count = 2};
    check(head != NULL);
    if (peek > 0) {
        memcpy(head, p, peek);
    }
    const ts_format *best = import_sniff(name, (ts_text){head, peek}, peek == n);
    check(best == import_sniff(name, (ts_text){head, peek}, peek == n));
    check_formats(&s);
    check_formats(&set);
    for (const ts_format *const *f = ts_formats; *f != NULL; f++) {
        if ((*f)->import_set == NULL && s.json_key == NULL && (*f)->sniff(&s) == TS_SNIFF_SURE) {
            check(best != NULL);
        }
    }
    free(head);
}

/* cuts: 0 for blocks of the usual size. */
static void import(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    char path[40];
    const char *paths[] = {path};
    ts_import_result result;
    ts_import_request request = {
        .paths = paths, .path_count = 1, .block_size = cuts == 0 ? 0 : 1 + (size_t)(cuts % 300)};
    int fd = memfd_create("input", MFD_CLOEXEC);
    check(fd >= 0 && dup2(fd, INPUT_FD) == INPUT_FD && close(fd) == 0);
    check(n == 0 || write(INPUT_FD, p, n) == (ssize_t)n);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", INPUT_FD);
    r->code = ts_import_run(&result, r->ctx, r->store, &request);
    check(r->code != TS_OK || result.imported > 0);
    check(r->code == TS_OK || r->code == TS_ERR_INPUT || r->code == TS_ERR_FORMAT ||
          r->code == TS_ERR_LIMIT);
    check(close(INPUT_FD) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[NAME_LENGTH + 1];
    const uint8_t *line = size == 0 ? NULL : memchr(data, '\n', size);
    size_t n = line == NULL ? 0 : (size_t)(line - data);
    size_t from = line == NULL ? 0 : n + 1;
    fuzz_run r;
    n = n < NAME_LENGTH ? n : NAME_LENGTH;
    if (n > 0) {
        memcpy(name, data, n);
    }
    name[n] = '\0';
    sniff(name, data + from, size - from);
    fuzz_run_both(&r, import, data + from, size - from);
    fuzz_run_free(&r);
    return 0;
}
