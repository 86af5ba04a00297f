/*
 * bench_sorter RECORDS WORDS MEMORY [random|sorted|reversed]: what the sorter takes for so many
 * records of so many words of 64 bits, the first of which is the key, within MEMORY bytes.
 */
#include "base/sorter.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double seconds(void)
{
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static uint64_t key_of(char shape, uint64_t i, uint64_t n, uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return shape == 's' ? i : shape == 'r' ? n - i : *state >> 16;
}

int main(int argc, char **argv)
{
    static ts_ctx ctx;
    uint64_t n = argc > 3 ? strtoull(argv[1], NULL, 10) : 0;
    size_t words = argc > 3 ? strtoul(argv[2], NULL, 10) : 0;
    size_t memory = argc > 3 ? strtoul(argv[3], NULL, 10) : 0;
    char shape = argc > 4 && strcmp(argv[4], "reversed") == 0 ? 'r'
                 : argc > 4 && strcmp(argv[4], "sorted") == 0 ? 's'
                                                              : 'x';
    ts_sorter_order order = {.key_count = 1};
    uint64_t record[64] = {0};
    uint64_t state = 1;
    uint64_t before = 0;
    const void *next;
    ts_sorter *s = NULL;
    ts_code code;
    double begin;
    double added;
    if (n == 0 || words == 0 || words > 64) {
        (void)fprintf(stderr,
                      "usage: bench_sorter RECORDS WORDS MEMORY [random|sorted|reversed]\n");
        return 2;
    }
    ts_ctx_init(&ctx);
    begin = seconds();
    code = ts_sorter_open(&s, &ctx, words * 8, &order, memory);
    for (uint64_t i = 0; i < n && code == TS_OK; i++) {
        record[0] = key_of(shape, i, n, &state);
        code = ts_sorter_add(s, record);
    }
    code = code == TS_OK ? ts_sorter_finish(s) : code;
    added = seconds();
    for (uint64_t i = 0; i < n && code == TS_OK; i++) {
        code = ts_sorter_next(&next, s);
        if (code == TS_OK && (next == NULL || *(const uint64_t *)next < before)) {
            (void)fprintf(stderr, "not sorted\n");
            return 1;
        }
        before = code == TS_OK ? *(const uint64_t *)next : 0;
    }
    ts_sorter_close(s);
    if (code != TS_OK) {
        (void)fprintf(stderr, "%s\n", ctx.error.causes[0]);
        return 1;
    }
    (void)printf("%.0f ns a record to add, %.0f ns to read, %.1f MiB at most\n",
                 (added - begin) * 1e9 / (double)n, (seconds() - added) * 1e9 / (double)n,
                 (double)ctx.memory_peak / 1048576.0);
    return 0;
}
