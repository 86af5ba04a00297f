/*
 * Sections of eBPF: whatever items they hold, their rows are the same for every way to cut the
 * recording into blocks, and all that import_check.h says of importers. The input: a clock, a flag
 * (1: the section is there twice, 2: it is cut), the items.
 */
#include "htrace_file.h"

enum { EBPF_HEADER = 1024, TYPE_AT = 56, NAME_AT = 108, STANDALONE = 1000 };

/* A section of its own file: its header says that it is of hiebpf-plugin. */
static void put_section(uint8_t *file, const uint8_t *p, size_t n, uint8_t clock)
{
    uint8_t *header = file + FILE_HEADER;
    file[TYPE_AT] = STANDALONE & 255;
    file[TYPE_AT + 1] = STANDALONE >> 8;
    memcpy(file + NAME_AT, "hiebpf-plugin", 13);
    memcpy(header, "EBPFFILE\0\4\0\0\1", 13);
    header[16] = clock;
    memcpy(header + EBPF_HEADER, p, n);
}

static void ebpf(fuzz_run *r, const uint8_t *p, size_t n, uint64_t cuts)
{
    const size_t items = n < 2 ? 0 : n - 2;
    const size_t whole = FILE_HEADER + EBPF_HEADER + items;
    const bool twice = n >= 2 && (p[1] & 1) != 0;
    const bool cut = n >= 2 && (p[1] & 2) != 0;
    size_t size;
    uint8_t *file = file_begin(&size, 2 * (EBPF_HEADER + items) + FILE_HEADER);
    put_section(file, items == 0 ? (const uint8_t *)"" : p + 2, items, n < 2 ? 0 : p[0] % 5);
    if (twice) {
        memcpy(file + whole, file, whole);
    }
    for (unsigned i = 0; i < 8; i++) {
        file[8 + i] = (uint8_t)((uint64_t)whole >> (8 * i));
        file[twice ? whole + 8 + i : 8 + i] = file[8 + i];
    }
    fuzz_import_format(r, &ts_format_htrace, file, (twice ? 2 * whole : whole) - (cut ? 5 : 0),
                       cuts);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_run r;
    fuzz_run_both(&r, ebpf, data, size);
    check(r.code == TS_OK);
    fuzz_run_free(&r);
    return 0;
}
