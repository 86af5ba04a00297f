/* Parts of heap snapshots that are missing or not in their places although the JSON is whole: what
 * the times of chunks and the names of plugins tell; and rows close before a contradiction.
 * test/damage/places.py does the same to every chunk of real recordings. */
#include "parsers_run.h"

#define UNUSED(x) ((void)(x))

enum { CHUNK = 80, STRING = 8, STRINGS = 60 };

/* A snapshot whose strings take 8 bytes each, ten of them a chunk: exchanged chunks leave no trace
 * in the text. *first is the first chunk of strings. */
static bytes even_text(size_t *first)
{
    snap s = tiny_snap();
    char strings[2048];
    bytes text;
    size_t pad = 0;
    for (int round = 0; round < 2; round++) { /* the second one knows where the strings begin */
        size_t n = (size_t)snprintf(strings, sizeof strings, "\"strings\":[%*s", (int)pad, "");
        for (int i = 0; i < STRINGS; i++) {
            n += (size_t)snprintf(strings + n, sizeof strings - n, "\"s%03d\",\n", i);
        }
        snprintf(strings + n, sizeof strings - n, "\"end\"]");
        s.m[M_STRINGS] = strings;
        text = snap_text(&s);
        const char *at = memmem(text.p, text.n, "\"s000\"", 6);
        assert_non_null(at);
        pad = CHUNK - (size_t)(at - (const char *)text.p) % CHUNK;
        *first = (size_t)(at - (const char *)text.p) / CHUNK;
        if (round == 0) {
            free(text.p);
        }
    }
    return text;
}

/* Chunks `order` (a chunk each, ended by -1) with their times, `behind` is taken from the times
 * from chunk `from` on. */
static void import_chunks(run *r, const bytes *text, const int *order, int from, uint64_t behind)
{
    bytes b = {0};
    size_t at = begin_recording(&b);
    uint64_t end = AT(11000) + 1000000;
    for (int i = 0; order[i] >= 0; i++) {
        size_t start = (size_t)order[i] * CHUNK;
        size_t n = text->n - start < CHUNK ? text->n - start : CHUNK;
        uint64_t ts = AT(11000) + (uint64_t)order[i] * 1000;
        put_chunk_n(&b, (const char *)text->p + start, n, order[i] >= from ? ts - behind : ts);
    }
    put_mark(&b, 1, end - behind);
    close_header(&b, at);
    import_bytes(r, b);
}

static int in_order(int *order, const bytes *text)
{
    int n = 0;
    while ((size_t)n * CHUNK < text->n) {
        order[n] = n;
        n++;
    }
    order[n] = -1;
    return n;
}

static void assert_strings(const run *r, size_t known)
{
    assert_rows(r, js_heap_string, STRINGS + 1);
    for (size_t i = 0; i < STRINGS; i++) {
        if (i < known) {
            assert_cell(r, js_heap_string, i, file_index, (int64_t)i);
        } else {
            assert_null_cell(r, js_heap_string, i, file_index);
        }
    }
}

static void test_chunks_exchanged(void **state)
{
    int order[64];
    size_t first;
    bytes text = even_text(&first);
    run r;
    UNUSED(state);
    in_order(order, &text);
    order[first + 2] = (int)first + 3;
    order[first + 3] = (int)first + 2;
    import_chunks(&r, &text, order, 1000, 0);
    assert_int_equal(issues(&r, "chunks_misplaced"), 1);
    assert_int_equal(issues(&r, "heap_place_unknown"), 1);
    assert_strings(&r, 20); /* two chunks of ten */
    assert_cell(&r, js_heap_file_detail, 0, complete, 0);
    assert_mem_row(r.sink, js_heap_edges, 3, "0|3|0|1|7|3|3"); /* they came before */
    assert_int_equal(LOST(&r, "heap_values"), 2 * (STRINGS + 1 - 20));
    run_free(&r);
    free(text.p);
}

/* The text up to a chunk's end: spaces between members mean nothing. */
static void put_padding(bytes *b)
{
    while (b->n % CHUNK != 0) {
        put_str(b, " ");
    }
}

/* Two chunks that hold whole members: in whichever order, the JSON is right. An array that began
 * and ended in the one that came too early is not certain either. */
static void test_members_exchanged(void **state)
{
    snap s = tiny_snap();
    bytes text = {0};
    int order[64];
    run r;
    UNUSED(state);
    put_str(&text, "{");
    for (int i = M_SNAPSHOT; i <= M_EDGES; i++) {
        put_str(&text, s.m[i]);
        put_str(&text, ",");
    }
    put_padding(&text);
    size_t first = text.n / CHUNK;
    put_str(&text, s.m[M_FUNCTIONS]);
    put_str(&text, ",");
    put_padding(&text);
    assert_int_equal(text.n / CHUNK, first + 1);
    put_str(&text, s.m[M_LOCATIONS]);
    put_str(&text, ",");
    put_padding(&text);
    put_str(&text, s.m[M_TREE]);
    put_str(&text, ",");
    put_str(&text, s.m[M_STRINGS]);
    put_str(&text, "}");
    for (int exchanged = 0; exchanged < 2; exchanged++) {
        in_order(order, &text);
        order[first] = (int)first + exchanged;
        order[first + 1] = (int)first + 1 - exchanged;
        import_chunks(&r, &text, order, 1000, 0);
        assert_int_equal(issues(&r, "chunks_misplaced"), exchanged);
        assert_rows(&r, js_heap_location, 1);
        assert_true(MEM_NULL(r.sink, js_heap_location, 0, line) == (exchanged == 1));
        assert_cell(&r, js_heap_file_detail, 0, complete, 1 - exchanged);
        assert_mem_row(r.sink, js_heap_edges, 3, "0|3|0|1|7|3|3"); /* they came before */
        run_free(&r);
    }
    free(text.p);
}

static void test_clock_set_back(void **state)
{
    int order[64];
    size_t first;
    bytes text = even_text(&first);
    run r;
    UNUSED(state);
    in_order(order, &text);
    import_chunks(&r, &text, order, (int)first + 2, 5000000);
    assert_int_equal(issues(&r, "chunks_misplaced"), 0);
    assert_strings(&r, STRINGS);
    assert_cell(&r, js_heap_file_detail, 0, complete, 1);
    run_free(&r);
    free(text.p);
}

static void test_chunk_twice(void **state)
{
    int order[64];
    size_t first;
    bytes text = even_text(&first);
    run r;
    UNUSED(state);
    int n = in_order(order, &text);
    memmove(order + first + 2, order + first + 1, ((size_t)n - first) * sizeof *order);
    import_chunks(&r, &text, order, 1000, 0);
    assert_int_equal(issues(&r, "chunks_misplaced"), 1);
    assert_rows(&r, js_heap_string, STRINGS + 11);
    for (size_t i = 0; i < STRINGS + 11; i++) {
        if (i < 20) { /* the second copy begins here */
            assert_cell(&r, js_heap_string, i, file_index, (int64_t)i);
        } else {
            assert_null_cell(&r, js_heap_string, i, file_index);
        }
    }
    run_free(&r);
    free(text.p);
}

/* --- names ------------------------------------------------------------------------------------ */

static void put_named(bytes *b, const char *name, const char *data, size_t n)
{
    bytes body = {0};
    put_text(&body, 1, name);
    put_field(&body, 3, data, n);
    put_number(&body, 5, 11);
    put_number(&body, 6, 7);
    put_raw_segment(b, &body);
}

static void import_named(run *r, const char *name, const char *data, size_t n)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    bytes b = {0};
    size_t at = begin_recording(&b);
    put_chunks(&b, &text, 0, AT(11000));
    put_named(&b, name, data, n);
    put_message(&b, "{\"id\":4,\"result\":{}}", AT(14000));
    close_header(&b, at);
    import_bytes(r, b);
    free(text.p);
}

static void test_damaged_names(void **state)
{
    static const char mark[] = "\n\x14{\"id\":1,\"result\":{}}";
    static const struct {
        const char *name;
        bool near;
    } cases[] = {
        {"arkts-plugio", true},  /* one bit: n is 6e, o 6f */
        {"arkts-plugZn", true},  /* a letter */
        {"arkts-plugn", true},   /* one is missing */
        {"arkts-pluginn", true}, /* one too much */
        {"Arkts-Plugin", true},  /* two bits in two letters */
        {"js-memory1", true},    /* near an older name */
        {"Arkts-PlugiZ", false}, {"arkts-plu", false}, {"other", false},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        import_named(&r, cases[i].name, mark, sizeof mark - 1);
        assert_int_equal(issues(&r, "plugin_name_damaged"), cases[i].near);
        assert_int_equal(issues(&r, "plugin_name_single"), !cases[i].near);
        assert_int_equal(issues(&r, "snapshot_no_end_mark"), !cases[i].near); /* it was the mark */
        assert_int_equal(SKIPPED(&r, "segments"), !cases[i].near);
        run_free(&r);
    }
}

/* The data decides: of a near name it may be that of another plugin. */
static void test_data_of_others(void **state)
{
    static const char *const data[] = {"", "\n", "\n\x02{", "\n\x03{}", "\x12\x02{}", "\n\x02[]"};
    UNUSED(state);
    for (size_t i = 0; i < sizeof data / sizeof data[0]; i++) {
        run r;
        import_named(&r, "arkts-plugim", data[i], strlen(data[i]));
        assert_int_equal(issues(&r, "plugin_name_damaged"), 0);
        assert_int_equal(issues(&r, "plugin_name_single"), 1);
        assert_int_equal(SKIPPED(&r, "plugin_segments:arkts-plugim"), 1);
        run_free(&r);
    }
}

static void test_damaged_name_of_a_configuration(void **state)
{
    static const char *const data[] = {"\x08\x05\x10\x01\x18\x0a", "\x08\x05\x42\x01x"};
    UNUSED(state);
    for (size_t i = 0; i < 2; i++) {
        run r;
        import_named(&r, "arkts-plugin_confih", data[i], strlen(data[i]));
        assert_int_equal(issues(&r, "plugin_name_damaged"), 1);
        assert_cell(&r, js_config, 0, pid, 5);
        run_free(&r);
    }
    run r;
    import_named(&r, "arkts-plugin_confih", "\x08\x05\x10", 3);
    assert_int_equal(issues(&r, "plugin_name_damaged"), 0);
    run_free(&r);
}

/* --- the guard distance ----------------------------------------------------------------------- */

enum {
    NODES = 6000,
    WRONG = 3000,
    LENGTH = 20,
    BAD = WRONG + LENGTH,
    NUMBERS = 7,
    GUARD = 8192,
    STEP = 1024
};

enum damage { ODD, ODD_AND_SUM, TYPE, BREAK };

/* Numbered as V8 does it: each node is the first to use its name. LENGTH rows from `wrong` on have
 * a size that no object has, or, when another row shows the damage, one that they could have. */
static void put_nodes(bytes *b, enum damage damage, int wrong, int from, int to)
{
    for (int i = from; i < to; i++) {
        bool is_wrong = i >= wrong && i < wrong + LENGTH;
        bool odd = damage == ODD || damage == ODD_AND_SUM;
        putf(b, "%s%d,%d,%d,%d,%d,0,0", i == 0 ? "" : ",",
             damage == TYPE && i == wrong + LENGTH ? 99 : 1, i + 1, 2 * i + 1,
             !is_wrong ? 8
             : odd     ? 7
                       : 4000,
             damage == ODD_AND_SUM && i == wrong);
        if (damage == BREAK && i == wrong + LENGTH) {
            put_str(b, "x");
        }
    }
}

static bytes nodes_text(enum damage damage, int wrong, int to)
{
    bytes b = {0};
    put_str(&b, "{\"snapshot\":{" META_ALL);
    putf(&b, ",\"node_count\":%d,\"edge_count\":0,\"trace_function_count\":0},\"nodes\":[", NODES);
    put_nodes(&b, damage, wrong, 0, to);
    if (to == NODES) {
        put_str(&b, "],\"edges\":[],\"trace_function_infos\":[],\"trace_tree\":[],\"samples\":[],"
                    "\"locations\":[],\"strings\":[\"\"");
        for (int i = 0; i < NODES; i++) {
            putf(&b, ",\"s%d\"", i);
        }
        put_str(&b, "]}");
    }
    return b;
}

/* Rows whose cells are right; all others are NULL. */
static size_t known_nodes(const run *r)
{
    size_t rows = MEM_ROWS(r->sink, js_heap_nodes);
    size_t known = 0;
    while (known < rows && !MEM_NULL(r->sink, js_heap_nodes, known, id)) {
        assert_cell(r, js_heap_nodes, known, id, 2 * (int64_t)known + 1);
        assert_cell(r, js_heap_nodes, known, self_size, 8);
        known++;
    }
    for (size_t i = known; i < rows; i++) {
        assert_null_cell(r, js_heap_nodes, i, id);
        assert_null_cell(r, js_heap_nodes, i, self_size);
        assert_null_cell(r, js_heap_nodes, i, node_index);
    }
    assert_cell(r, js_heap_files, 0, self_size, 8 * (int64_t)known);
    return known;
}

/* The rows right before a contradiction look like any others and are wrong. */
static void test_rows_before_a_contradiction(void **state)
{
    static const struct {
        enum damage damage;
        int row; /* that contradicts */
    } cases[] = {{ODD_AND_SUM, WRONG}, {TYPE, BAD}, {BREAK, BAD}};
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t least = (size_t)(cases[i].row - (GUARD + STEP) / NUMBERS - 2);
        run r;
        import_bytes(&r, nodes_text(cases[i].damage, WRONG, NODES));
        size_t known = known_nodes(&r);
        assert_true(known <= (size_t)(cases[i].row - GUARD / NUMBERS));
        assert_true(known >= least);
        assert_true(issues(&r, "heap_place_unknown") > 0);
        assert_cell(&r, js_heap_file_detail, 0, complete, 0);
        run_free(&r);
    }
}

/* So close to the beginning that nothing is far enough from the contradiction. */
static void test_contradiction_at_the_beginning(void **state)
{
    static const enum damage damage[] = {ODD_AND_SUM, TYPE, BREAK};
    UNUSED(state);
    for (size_t i = 0; i < sizeof damage / sizeof damage[0]; i++) {
        run r;
        import_bytes(&r, nodes_text(damage[i], GUARD / NUMBERS - LENGTH - 1, NODES));
        assert_int_equal(known_nodes(&r), 0);
        assert_cell(&r, js_heap_file_detail, 0, complete, 0);
        run_free(&r);
    }
}

/* An unusual size alone contradicts nothing. */
static void test_odd_rows_alone(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, nodes_text(ODD, WRONG, NODES));
    assert_rows(&r, js_heap_nodes, NODES);
    assert_cell(&r, js_heap_nodes, NODES - 1, id, 2 * (int64_t)NODES - 1);
    assert_cell(&r, js_heap_nodes, NODES - 1, self_size, 8);
    assert_cell(&r, js_heap_file_detail, 0, complete, 1);
    assert_rows(&r, import_issue, 0);
    run_free(&r);
}

/* A message that ends wrongly: bytes may be missing anywhere in its chunk. */
static void test_damaged_message(void **state)
{
    bytes first = nodes_text(TYPE, WRONG, 2000);
    bytes rest = {0};
    bytes rows = {0};
    bytes b = {0};
    size_t at = begin_recording(&b);
    run r;
    UNUSED(state);
    put_str(&first, ",");
    put_nodes(&rows, TYPE, WRONG, 2000, WRONG + 10);
    put_str(&rest, "{\"method\":\"HeapProfiler.addHeapSnapshotChunk\",\"params\":{\"chunk\":\"");
    put(&rest, rows.p + 1, rows.n - 1); /* without its comma */
    put_str(&rest, "\\q\"}}");
    put_chunk_n(&b, (const char *)first.p, first.n, AT(11000));
    put_message_n(&b, (const char *)rest.p, rest.n, AT(12000));
    close_header(&b, at);
    import_bytes(&r, b);
    assert_true(MEM_ROWS(r.sink, js_heap_nodes) > WRONG);
    assert_int_equal(known_nodes(&r), 2000);
    run_free(&r);
    free(first.p);
    free(rest.p);
    free(rows.p);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_chunks_exchanged),
        cmocka_unit_test(test_members_exchanged),
        cmocka_unit_test(test_clock_set_back),
        cmocka_unit_test(test_chunk_twice),
        cmocka_unit_test(test_damaged_names),
        cmocka_unit_test(test_data_of_others),
        cmocka_unit_test(test_damaged_name_of_a_configuration),
        cmocka_unit_test(test_rows_before_a_contradiction),
        cmocka_unit_test(test_contradiction_at_the_beginning),
        cmocka_unit_test(test_odd_rows_alone),
        cmocka_unit_test(test_damaged_message),
    };
    if (argc > 1) {
        cmocka_set_test_filter(argv[1]);
    }
    return cmocka_run_group_tests(tests, NULL, NULL);
}
