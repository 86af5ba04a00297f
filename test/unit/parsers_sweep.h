/* What the tests of damaged input of all formats have in common. */
#ifndef TS_TEST_PARSERS_SWEEP_H
#define TS_TEST_PARSERS_SWEEP_H

#include "parsers_run.h"

/* Imports what may be damaged, in blocks of this size (0: at once): it ends well or says that it is
 * no such input, and no item is lost without a word. Counters of stat are left out of the rows. */
static inline void import_damaged(run *r, const bytes *b, size_t block)
{
    import_begin(r);
    memsink_drop(r->sink, TS_T_stat);
    (void)import_files(r, b, 1, block);
    if (r->code == TS_OK) {
        assert_int_equal(issues(r, "conservation") + issues(r, "items_lost"), 0);
    } else {
        assert_true(r->code == TS_ERR_INPUT || r->code == TS_ERR_FORMAT);
    }
}

#define ANY_DEFECTS SIZE_MAX

/* The same rows whatever the sizes of blocks. defects: rows of import_issue that there are, or
 * ANY_DEFECTS. */
static inline void check_blocks(const bytes *b, size_t defects)
{
    static const size_t blocks[] = {1, 2, 3, 7, 23, 37, 61, 4096};
    run whole;
    import_damaged(&whole, b, 0);
    assert_true(defects == ANY_DEFECTS || MEM_ROWS(whole.sink, import_issue) == defects);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        run r;
        import_damaged(&r, b, blocks[i]);
        assert_true(memsink_equal(r.sink, whole.sink));
        run_free(&r);
    }
    run_free(&whole);
}

/* One bit of each `step`th byte is flipped in turn; with TS_SLOW=1 each bit of each byte. */
static inline void check_bits(bytes *b, size_t step)
{
    for (size_t at = 0; at < b->n; at += test_slow() ? 1 : step) {
        for (size_t bit = 0; bit < 8; bit++) {
            run r;
            if (!test_slow() && bit != at % 8) {
                continue;
            }
            b->p[at] ^= (uint8_t)(1U << bit);
            import_damaged(&r, b, 0);
            b->p[at] ^= (uint8_t)(1U << bit);
            run_free(&r);
        }
    }
}

#endif
