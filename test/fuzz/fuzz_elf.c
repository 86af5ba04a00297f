/*
 * Files of ELF (--symbols): whatever one says of itself, it is read within its bytes, and what is
 * found at a place of it is a function that is there. The input: the file.
 */
#include "fuzz.h"

#include "base/alloc.h"
#include "symbols/elf_file.h"

#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    ts_ctx *ctx = calloc(1, sizeof *ctx);
    ts_elf elf = {0};
    ts_build_id id;
    bool known;
    bool good;
    check(ctx != NULL);
    ts_ctx_init(ctx);
    const int fd = memfd_create("elf", MFD_CLOEXEC);
    check(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    check(ts_elf_identify(&known, &id, ctx, fd) == TS_OK && id.n <= TS_BUILD_ID);
    check(ts_elf_add(&good, &elf, ctx, fd) == TS_OK && good == known);
    check(ts_elf_finish(&elf, ctx) == TS_OK);
    for (uint64_t at = 0; at < 0x4000; at += 7) {
        ts_text name;
        uint64_t v;
        const ts_symbol *s = ts_elf_find(&name, &v, &elf, at);
        check(s == NULL || (s->address <= v && name.n > 0 && name.n <= elf.strings.n));
    }
    ts_elf_free(ctx, &elf);
    close(fd);
    check(ctx->memory_used == 0);
    free(ctx);
    return 0;
}
