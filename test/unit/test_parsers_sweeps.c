/*
 * Damage everywhere: tiny inputs of each kind, cut at every byte, with every bit flipped, and read
 * in blocks of several sizes. Rows before the damage stay, the loss is reported, items are
 * conserved.
 */
#include "parsers_run.h"

enum kind {
    BARE_HEAP,
    BARE_SORTED,
    BARE_TIMELINE,
    BARE_PROFILE,
    REC_SNAPSHOT,
    REC_TIMELINE,
    REC_PROFILE,
    REC_TWO,
    REC_VIEWER,
    KINDS
};

/* Keys in the order of the viewer's cut files: edges before nodes, the description almost last. */
static const int sorted[MEMBERS] = {M_EDGES,    M_LOCATIONS, M_NODES,     M_SAMPLES,
                                    M_SNAPSHOT, M_STRINGS,   M_FUNCTIONS, M_TREE};

static void put_timeline(bytes *b, const bytes *text)
{
    put_config(b, 1734, 1, false);
    put_mark(b, 1, AT(5000));
    put_chunks(b, text, 200, AT(11000));
    put_mark(b, 2, AT(300000000));
}

static bytes make(enum kind kind)
{
    snap s = kind == REC_TIMELINE || kind == BARE_TIMELINE ? tiny_timeline() : tiny_snap();
    bytes text = {0};
    bytes b = {0};
    put_snap(&text, &s, kind == BARE_SORTED || kind == REC_VIEWER ? sorted : NULL);
    if (kind == BARE_HEAP || kind == BARE_SORTED || kind == BARE_TIMELINE) {
        return text;
    }
    if (kind == BARE_PROFILE) {
        free(text.p);
        return bytes_of(TINY_PROFILE);
    }
    size_t at = begin_recording(&b);
    if (kind == REC_TIMELINE) {
        put_timeline(&b, &text);
    } else if (kind == REC_PROFILE) {
        put_config(&b, 1734, -1, true);
        put_mark(&b, 3, AT(1000000));
        put_profile(&b, TINY_PROFILE, AT(2000000));
    } else if (kind == REC_VIEWER) {
        bytes m = {0};
        put_config(&b, 1734, 0, false);
        put_str(&m, "{\"params\":{\"chunk\":");
        put(&m, text.p, text.n);
        put_str(&m, "}}");
        put_message_n(&b, (const char *)m.p, m.n, AT(11000));
        put_mark(&b, 1, AT(13000));
        free(m.p);
    } else {
        put_config(&b, 1734, 0, false);
        put_snapshot(&b, &text, 300, AT(11000));
        if (kind == REC_TWO) {
            put_snapshot(&b, &text, 0, AT(21000));
        }
    }
    close_header(&b, at);
    free(text.p);
    return b;
}

/* --- blocks ----------------------------------------------------------------------------------- */

/* Larger than all inputs here, so that it changes nothing, and cheaper to have than the default. */
enum { SWEEP_BLOCK = 16 * 1024 };

/* The import of damaged bytes: no input at all is an answer too. */
static void import_damaged(run *r, const bytes *file, size_t block)
{
    import_begin(r);
    if (block == SWEEP_BLOCK) {
        memsink_drop(r->sink, TS_T_stat); /* half a thousand rows in every database */
    }
    (void)import_files(r, file, 1, block);
    if (r->code != TS_OK) {
        assert_true(r->code == TS_ERR_INPUT || r->code == TS_ERR_FORMAT);
        return;
    }
    assert_int_equal(issues(r, "conservation"), 0);
    assert_int_equal(SEEN(r, "bytes"), file->n);
}

static void compare_blocks(const bytes *file)
{
    static const size_t blocks[] = {1, 2, 3, 7, 4096};
    run whole;
    import_damaged(&whole, file, 0);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++) {
        run r;
        import_damaged(&r, file, blocks[i]);
        assert_int_equal(r.code, whole.code);
        assert_true(memsink_equal(r.sink, whole.sink));
        run_free(&r);
    }
    run_free(&whole);
}

static void test_blocks(void **state)
{
    UNUSED(state);
    for (int k = 0; k < KINDS; k++) {
        bytes file = make((enum kind)k);
        compare_blocks(&file);
        for (size_t cut = 1; cut < file.n; cut += 197) {
            bytes part = {file.p, cut, 0};
            compare_blocks(&part);
        }
        for (size_t at = 0; at < file.n; at += 131) {
            uint8_t was = file.p[at];
            file.p[at] ^= (uint8_t)(1U << at % 8);
            compare_blocks(&file);
            file.p[at] = was;
        }
        free(file.p);
    }
}

/* --- truncation ------------------------------------------------------------------------------- */

/* Cells that a cut may leave different in the last row of a table. */
static bool late_column(enum ts_table_id table, unsigned column)
{
    switch (table) {
    case TS_T_js_heap_files:
        return column != TS_C_js_heap_files__id;
    case TS_T_js_cpu_profiler_sample:
        return column == TS_C_js_cpu_profiler_sample__end_time ||
               column == TS_C_js_cpu_profiler_sample__dur;
    case TS_T_stack_sample:
        return column == TS_C_stack_sample__dur;
    case TS_T_js_heap_edge_block:
        return column == TS_C_js_heap_edge_block__last_node_rowid;
    default:
        return false;
    }
}

/* Cells that a cut may leave unknown in any row: ends of edges whose nodes come later. */
static bool unknown_column(enum kind kind, enum ts_table_id table, unsigned column)
{
    if (kind != BARE_SORTED && kind != REC_VIEWER) {
        return false;
    }
    return (table == TS_T_js_heap_edges && (column == TS_C_js_heap_edges__from_node_id ||
                                            column == TS_C_js_heap_edges__to_node_id)) ||
           table == TS_T_js_heap_edge_block || table == TS_T_js_heap_info;
}

/* The same cell, as text. */
static bool same_cell(const char **a, const char **b)
{
    size_t n = strcspn(*a, "|");
    size_t m = strcspn(*b, "|");
    bool same = n == m && memcmp(*a, *b, n) == 0;
    *a += n + ((*a)[n] == '|');
    *b += m + ((*b)[m] == '|');
    return same;
}

static void check_row(enum kind kind, const run *part, const run *whole, enum ts_table_id table,
                      size_t row, bool last)
{
    char *x = memsink_row_text(part->sink, table, row);
    char *y = memsink_row_text(whole->sink, table, row);
    const char *a = x;
    const char *b = y;
    for (unsigned column = 0; *a != '\0' || *b != '\0'; column++) {
        bool same = same_cell(&a, &b);
        if (!same && !(last && late_column(table, column)) &&
            !unknown_column(kind, table, column)) {
            print_error("kind %d table %d row %zu column %u: %s / %s\n", (int)kind, (int)table, row,
                        column, x, y);
            memsink_print(part->sink, TS_T_import_issue);
            memsink_print(part->sink, TS_T_source);
            fail();
        }
    }
    free(x);
    free(y);
}

static bool check_table(enum kind kind, const run *part, const run *whole, enum ts_table_id table)
{
    size_t n = memsink_rows(part->sink, table);
    size_t row;
    if (n > memsink_rows(whole->sink, table)) {
        print_error("kind %d table %d: %zu rows\n", (int)kind, (int)table, n);
        memsink_print(part->sink, table);
        memsink_print(part->sink, TS_T_import_issue);
        fail();
    }
    if (!memsink_is_prefix(&row, part->sink, whole->sink, table)) {
        for (; row < n; row++) {
            check_row(kind, part, whole, table, row, row + 1 == n);
        }
    }
    return n == memsink_rows(whole->sink, table);
}

static void check_prefix(enum kind kind, const run *part, const run *whole)
{
    static const enum ts_table_id tables[] = {
        TS_T_js_heap_files,        TS_T_js_heap_info,
        TS_T_js_heap_nodes,        TS_T_js_heap_edges,
        TS_T_js_heap_edge_block,   TS_T_js_heap_string,
        TS_T_js_heap_sample,       TS_T_js_heap_trace_function_info,
        TS_T_js_heap_location,     TS_T_js_heap_trace_node,
        TS_T_js_cpu_profiler_node, TS_T_js_cpu_profiler_sample,
        TS_T_stack_method,         TS_T_stack_node,
        TS_T_stack_sample,         TS_T_js_config,
    };
    bool all = true;
    for (size_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        if (tables[i] == TS_T_js_config && kind < REC_SNAPSHOT) {
            continue; /* made up from what there is */
        }
        all = check_table(kind, part, whole, tables[i]) && all;
    }
    if (!all) {
        assert_true(complaints(part) > 0);
    }
}

static void test_cut_at_every_byte(void **state)
{
    UNUSED(state);
    for (int k = 0; k < KINDS; k++) {
        bytes file = make((enum kind)k);
        run whole;
        import_damaged(&whole, &file, SWEEP_BLOCK);
        assert_int_equal(whole.code, TS_OK);
        assert_true(complaints(&whole) == (k == REC_VIEWER ? 1 : 0));
        for (size_t cut = 0; cut < file.n;
             cut += !test_slow() && k >= REC_SNAPSHOT && cut < TS_HTRACE_HEADER - 16 ? 16 : 1) {
            bytes part = {file.p, cut, 0};
            run r;
            import_damaged(&r, &part, SWEEP_BLOCK);
            /* What holds no more than {"nodes" may be a heap or a profile. */
            if (r.code == TS_OK && !(k == BARE_PROFILE && cut < 30)) {
                check_prefix((enum kind)k, &r, &whole);
                /* In a recording every cut leaves a trace; in JSON the white space at its end. */
                assert_true(complaints(&r) > 0);
            }
            run_free(&r);
        }
        run_free(&whole);
        free(file.p);
    }
}

/* --- bits ------------------------------------------------------------------------------------- */

/* One bit of every byte, and of a header's padding one byte in sixteen. With TS_SLOW=1 all bits of
 * all. */
static void test_every_bit_flipped(void **state)
{
    UNUSED(state);
    for (int k = 0; k < KINDS; k++) {
        bytes file = make((enum kind)k);
        bool recording = k >= REC_SNAPSHOT;
        for (size_t at = 0; at < file.n;
             at += !test_slow() && recording && at >= 240 && at < TS_HTRACE_HEADER - 16 ? 16 : 1) {
            for (size_t bit = 0; bit < 8; bit++) {
                run r;
                if (!test_slow() && bit != at % 8) {
                    continue;
                }
                file.p[at] ^= (uint8_t)(1U << bit);
                import_damaged(&r, &file, SWEEP_BLOCK);
                file.p[at] ^= (uint8_t)(1U << bit);
                run_free(&r);
            }
        }
        free(file.p);
    }
}

/* Runs of bytes lost, doubled or moved: what a broken writer or transport leaves. */
static void test_pieces_lost_or_doubled(void **state)
{
    UNUSED(state);
    for (int k = 0; k < KINDS; k++) {
        bytes file = make((enum kind)k);
        for (size_t at = 0; at + 4 < file.n; at += 13) {
            size_t n = 1 + at % 400;
            bytes other = {0};
            run r;
            n = n < file.n - at ? n : file.n - at;
            put(&other, file.p, at);
            if (at % 2 == 0) {
                put(&other, file.p + at, n);
                put(&other, file.p + at, file.n - at);
            } else {
                put(&other, file.p + at + n, file.n - at - n);
            }
            import_damaged(&r, &other, SWEEP_BLOCK);
            run_free(&r);
            free(other.p);
        }
        free(file.p);
    }
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_every_bit_flipped),
        cmocka_unit_test(test_pieces_lost_or_doubled),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
