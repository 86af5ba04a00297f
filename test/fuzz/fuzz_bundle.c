/*
 * Uploads to Datakit. The bytes are an argument of the command line: a form or a request, in memory
 * (memfd). See import_check.h for what must hold; each file of an upload is a row, and there is one
 * profile an upload.
 */
#include "import_check.h"

#include "parsers/registry.h"

#include <sys/mman.h>
#include <unistd.h>

static void import(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    char path[40];
    const char *paths[] = {path};
    ts_import_request request = {
        .paths = paths, .path_count = 1, .block_size = cuts == 0 ? 65536 : 1 + (size_t)(cuts % 97)};
    ts_import_result result;
    int fd = memfd_create("input", MFD_CLOEXEC);
    check(fd >= 0 && (n == 0 || write(fd, p, n) == (ssize_t)n));
    check(dup2(fd, 200) == 200);
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", 200);
    r->code = ts_import_run(&result, r->ctx, r->store, &request);
    check(r->code == TS_OK || r->code == TS_ERR_FORMAT || r->code == TS_ERR_INPUT ||
          r->code == TS_ERR_LIMIT);
    (void)close(fd);
    (void)close(200);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, import, data, size);
    if (r.code == TS_OK) {
        check(r.items[TS_ITEM_profile_samples] == r.sink.sink.rows[TS_T_stack_sample] ||
              r.items[TS_ITEM_profile_samples] == 0);
        check(r.items[TS_ITEM_datakit_attachments] <= r.sink.sink.rows[TS_T_profile_attachment]);
        check(r.items[TS_ITEM_datakit_numbers] == r.sink.sink.rows[TS_T_profile_number]);
    }
    fuzz_run_free(&r);
    return 0;
}
