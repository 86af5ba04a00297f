/*
 * For the tests of perf.data: recordings by hand, and those of two examples. The bytes of records
 * are in hexadecimal digits, as the description of the format has them.
 */
#ifndef TS_TEST_PERF_BUILD_H
#define TS_TEST_PERF_BUILD_H

#include "parsers_sweep.h"

/* --- bytes ------------------------------------------------------------------------------------ */

static inline unsigned digit(char c)
{
    return (unsigned)(c <= '9' ? c - '0' : c - 'a' + 10);
}

static inline void put_hex(bytes *b, const char *hex)
{
    for (; *hex != '\0'; hex += *hex == ' ' ? 1 : 2) {
        if (*hex != ' ') {
            put_le(b, digit(hex[0]) << 4 | digit(hex[1]), 1);
        }
    }
}

/* A text of a feature. */
static inline void put_string(bytes *b, const char *s)
{
    put_le(b, strlen(s) + 1, 4);
    put(b, s, strlen(s) + 1);
}

enum { EVENTS = 2, ATTR = 136, MOST_FEATURES = 8 };

typedef struct made {
    uint64_t sample_type, flags, clockid, read_format;
    bytes records;
    unsigned numbers[MOST_FEATURES]; /* rising */
    bytes features[MOST_FEATURES];
    size_t feature_n;
} made;

static inline void put_attr(bytes *b, const made *m)
{
    size_t at = b->n;
    put_zeros(b, ATTR);
    set_le(b, at + 4, ATTR, 4);
    set_le(b, at + 16, 4000, 8);
    set_le(b, at + 24, m->sample_type, 8);
    set_le(b, at + 32, m->read_format, 8);
    set_le(b, at + 40, m->flags, 8);
    set_le(b, at + 92, m->clockid, 4);
}

static inline bytes *add_feature(made *m, unsigned number)
{
    assert_true(m->feature_n < MOST_FEATURES);
    m->numbers[m->feature_n] = number;
    return &m->features[m->feature_n++];
}

static inline void add_events(made *m)
{
    bytes *b = add_feature(m, 12);
    put_le(b, EVENTS, 4);
    put_le(b, ATTR, 4);
    for (unsigned i = 0; i < EVENTS; i++) {
        put_attr(b, m);
        put_le(b, 1, 4);
        put_string(b, i == 0 ? "hw-cpu-cycles" : "sched:sched_switch");
        put_le(b, i + 1, 8);
    }
}

/* Header, ids, attributes, records, the table of features and they. Takes all over. */
static inline bytes whole(made *m)
{
    bytes b = {0};
    size_t table;
    put(&b, "PERFILE2", 8);
    put_le(&b, 104, 8);
    put_le(&b, ATTR + 16, 8);
    put_le(&b, 104 + 8 * EVENTS, 8);
    put_le(&b, EVENTS * (ATTR + 16), 8);
    put_le(&b, 104 + 8 * EVENTS + EVENTS * (ATTR + 16), 8);
    put_le(&b, m->records.n, 8);
    put_zeros(&b, 16 + 32);
    put_le(&b, 1, 8);
    put_le(&b, 2, 8);
    for (unsigned i = 0; i < EVENTS; i++) {
        put_attr(&b, m);
        put_le(&b, 104 + 8 * i, 8);
        put_le(&b, 8, 8);
    }
    put(&b, m->records.p, m->records.n);
    table = b.n;
    put_zeros(&b, 16 * m->feature_n);
    for (size_t i = 0; i < m->feature_n; i++) {
        b.p[72 + m->numbers[i] / 8] |= (uint8_t)(1U << m->numbers[i] % 8);
        set_le(&b, table + 16 * i, b.n, 8);
        set_le(&b, table + 16 * i + 8, m->features[i].n, 8);
        put(&b, m->features[i].p, m->features[i].n);
        free(m->features[i].p);
    }
    free(m->records.p);
    return b;
}

/* --- the examples ------------------------------------------------------------------------------
 */

#define KERNEL_MAP                                                                                 \
    "010000000100400000000000000000000000000000000000ffffffffffffffff00000000000000005b6b65726e65" \
    "6c2e6b616c6c73796d735d00000000000000"
#define COMMS                                                                                      \
    "030000000000180014000000140000006170700000000000"                                             \
    "03000000000018001400000015000000776f726b65720000"
#define LIBA_MAP                                                                                   \
    "0a000000020060001400000014000000000001000000000000100000000000000010000000000000080000000100" \
    "00"                                                                                           \
    "004d00000000000000000000000000000005000000020000002f73797374656d2f6c69622f6c6962612e736f0000" \
    "000000"
#define FIRST                                                                                      \
    "0900000001007000010000000000000010100010c0ffffff14000000150000000094357700000000010000000000" \
    "00"                                                                                           \
    "000300000000000000f401000000000000050000000000000080ffffffffffffff10100010c0ffffff00feffffff" \
    "ff"                                                                                           \
    "ffff04010100000000001000010000000000"
#define SECOND_SAMPLE                                                                              \
    "09000000020078000200000000000000040101000000000014000000150000000a9435770000000002000000"     \
    "0000000003000000000000000700000000000000060000000000000000feffffffffffff0401010000000000"     \
    "1090000000000000080003000000000008000400000000000800050000000000"
#define THIRD                                                                                      \
    "0900000001007000010000000000000010100010c0ffffff14000000150000001494357700000000010000000000" \
    "00"                                                                                           \
    "0002000000000000005802000000000000050000000000000080ffffffffffffff10100010c0ffffff00feffffff" \
    "ff"                                                                                           \
    "ffff04010100000000001000010000000000"
#define RENAMED "0300000000001800140000001500000072656e616d656400"
#define STACKS                                                                                     \
    "0100000014000000001000000500000005000000100001000000000006000000040101000005000007000000"     \
    "00feffffff0600800800000010100010c00700800900000080ffffffff080080"
#define BY_ID                                                                                      \
    "0900000001005000010000000000000010100010c0ffffff14000000150000000094357700000000010000000000" \
    "00"                                                                                           \
    "000300000000000000f40100000000000000000000000000000900800200000000"
#define BY_IPS                                                                                     \
    "09000000020060000100000000000000040101000000000014000000150000000"                            \
    "05ed0b20000000001000000000000000300000000000000f401000000000000030000000000000000fefffffffff" \
    "fff"                                                                                          \
    "04010100000000001000010000000000"

static inline void put_map(bytes *b, uint64_t start, const char *path)
{
    size_t at = b->n;
    put_hex(b, "0a00000002000000140000001400000000000000000000000010000000000000"
               "000000000000000008000000010000004d000000000000000000000000000000"
               "0500000002000000");
    set_le(b, at + 16, start, 8);
    put(b, path, strlen(path) + 1);
    while (b->n % 8 != 0) {
        put_zeros(b, 1);
    }
    set_le(b, at + 6, b->n - at, 2);
}

static inline void put_symbol(bytes *b, uint64_t vaddr, uint32_t length, const char *name)
{
    put_le(b, vaddr, 8);
    put_le(b, length, 4);
    put_string(b, name);
}

static inline void put_file(bytes *b, const char *path, uint32_t type, uint64_t vaddr,
                            uint64_t offset, uint32_t symbols)
{
    put_string(b, path);
    put_le(b, type, 4);
    put_le(b, vaddr, 8);
    put_le(b, offset, 8);
    put_string(b, "b1d");
    put_le(b, symbols, 4);
}

static inline void add_symbols(made *m)
{
    bytes *b = add_feature(m, 192);
    put_le(b, 4, 4);
    put_file(b, "[kernel.kallsyms]", 0, 0, 0, 1);
    put_symbol(b, UINT64_C(0xffffffc010001000), 0x100, "schedule");
    put_file(b, "/system/lib/liba.so", 3, 0x2000, 0x1000, 3);
    put_symbol(b, 0x2100, 0x40, "ns::leaf(int)");
    put_symbol(b, 0x2000, 0x100, "main");
    put_symbol(b, 0x2100, 8, "alias");
    put_file(b, "/data/x.abc", 6, 0, 0, 1);
    put_symbol(b, 0x9010, 0, "onClick: a.ets:3");
    put_file(b, "/system/lib/nosym.so", 3, 0, 0, 0);
}

static inline made begin(void)
{
    return (made){.sample_type = 0x101e7, .flags = 1 << 18 | 1 << 25, .clockid = 1};
}

static inline bytes first_example(void)
{
    made m = begin();
    put_hex(&m.records, KERNEL_MAP COMMS LIBA_MAP);
    put_map(&m.records, 0x9000, "/data/x.abc");
    put_map(&m.records, 0x30000, "/system/lib/nosym.so");
    put_map(&m.records, 0x40000, "/data/other.so");
    put_hex(&m.records, FIRST SECOND_SAMPLE THIRD RENAMED);
    put_string(add_feature(&m, 11), "hiperf record -a --offcpu");
    add_events(&m);
    add_symbols(&m);
    return whole(&m);
}

static inline bytes second_example(void)
{
    made m = begin();
    put_hex(&m.records, KERNEL_MAP COMMS LIBA_MAP BY_ID BY_IPS);
    add_events(&m);
    add_symbols(&m);
    put_hex(add_feature(&m, 197), STACKS);
    return whole(&m);
}

/* --- rows --------------------------------------------------------------------------------------
 */

/* A row of perf_callchain: its numbers, and its name. */
typedef struct frame {
    int64_t chain, depth;
    uint64_t ip, vaddr;
    int64_t offset, file, symbol;
    const char *name;
} frame;

static inline void assert_frames(const run *r, const frame *frames, size_t n)
{
    assert_rows(r, perf_callchain, n);
    for (size_t i = 0; i < n; i++) {
        assert_cell(r, perf_callchain, i, id, (int64_t)i);
        assert_cell(r, perf_callchain, i, callchain_id, frames[i].chain);
        assert_cell(r, perf_callchain, i, depth, frames[i].depth);
        assert_cell(r, perf_callchain, i, ip, (int64_t)frames[i].ip);
        assert_cell(r, perf_callchain, i, vaddr_in_file, (int64_t)frames[i].vaddr);
        assert_cell(r, perf_callchain, i, offset_to_vaddr, frames[i].offset);
        assert_cell(r, perf_callchain, i, file_id, frames[i].file);
        assert_cell(r, perf_callchain, i, symbol_id, frames[i].symbol);
        assert_true(
            ts_text_is(dict_text(r, MEM_INT(r->sink, perf_callchain, i, name)), frames[i].name));
    }
}

#define SCHEDULE UINT64_C(0xffffffc010001010), UINT64_C(0xffffffc010001000), 16, 0, 0, "schedule"
#define MAIN 0x10010, 0x2000, 16, 1, 0, "main"
#define LEAF 0x10104, 0x2100, 4, 1, 1, "ns::leaf(int)"

#endif
