/*
 * The bytes are an argument of the command line: a file in memory (memfd), opened by name. All its
 * members are listed and read, as streams and as blobs, archives in archives too. Limits are small,
 * so that a bomb ends soon.
 */
#include "fuzz.h"

#include "input/input.h"

#include <sys/mman.h>
#include <unistd.h>

enum { MEMBERS_MAX = 20, SETS_MAX = 16, BLOCK = 70000 };

/* What a stream gives must be what a blob gives. */
static void read_member(ts_ctx *ctx, ts_fileset *set, uint32_t i, char *a, char *b)
{
    ts_stream *s = NULL;
    ts_blob *blob = NULL;
    ts_text head;
    size_t got = 1;
    uint64_t off = 0;
    if (ts_member_blob(&blob, set, i) != TS_OK || ts_member_open(&s, set, i) != TS_OK ||
        ts_stream_peek(&head, s) != TS_OK) {
        check(ctx->error.count > 0);
        goto out;
    }
    check(head.n <= TS_PEEK && (head.n == TS_PEEK || head.n == ts_blob_size(blob)));
    while (got > 0 && ts_stream_read(&got, s, a, BLOCK) == TS_OK) {
        size_t same;
        check(ts_blob_read(&same, blob, off, b, got) == TS_OK);
        check(same == got && memcmp(a, b, got) == 0);
        off += got;
        check(ts_stream_offset(s) == off);
    }
    check(got > 0 || off == ts_blob_size(blob));
out:
    ts_stream_close(s);
    ts_blob_close(blob);
}

/* Without recursion: sets that were entered wait in a list. */
static void walk(ts_ctx *ctx, ts_fileset *outer, char *a, char *b)
{
    ts_fileset *sets[SETS_MAX] = {outer};
    size_t n = 1;
    for (size_t at = 0; at < n; at++) {
        uint32_t count;
        if (ts_fileset_count(&count, sets[at]) != TS_OK) {
            continue;
        }
        for (uint32_t i = 0; i < count && i < MEMBERS_MAX; i++) {
            read_member(ctx, sets[at], i, a, b);
            if (n < SETS_MAX && ts_member_enter(&sets[n], sets[at], i) == TS_OK) {
                n++;
            }
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char path[40];
    ts_fileset *set = NULL;
    ts_ctx *ctx = fuzz_ctx_new();
    char *a = malloc(BLOCK);
    char *b = malloc(BLOCK);
    int fd = memfd_create("input", MFD_CLOEXEC);
    check(a != NULL && b != NULL && fd >= 0);
    check(size == 0 || write(fd, data, size) == (ssize_t)size);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (ts_fileset_open(&set, ctx, path) == TS_OK) {
        walk(ctx, set, a, b);
    }
    ts_fileset_close(set);
    (void)close(fd);
    free(a);
    free(b);
    fuzz_ctx_free(ctx);
    return 0;
}
