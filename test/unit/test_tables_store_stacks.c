/* Processes, threads, methods and call paths. */
#include "memsink.h"
#include "support.h"

#include "tables/store_paths.h"

typedef struct bench {
    ts_ctx *ctx;
    memsink *mem;
    ts_store *store;
    int64_t file;
    int64_t recording; /* below file */
    int64_t other;     /* another input file */
} bench;

static int setup(void **state)
{
    bench *b = calloc(1, sizeof *b);
    assert_non_null(b);
    b->ctx = test_ctx_new();
    b->mem = memsink_new(b->ctx);
    assert_ok(b->ctx, ts_store_new(&b->store, b->ctx, memsink_sink(b->mem), NULL));
    assert_ok(b->ctx, ts_source_add(&b->file, b->store, 0, "input", "a", NULL));
    assert_ok(b->ctx, ts_source_add(&b->recording, b->store, b->file, "profile", NULL, NULL));
    assert_ok(b->ctx, ts_source_add(&b->other, b->store, 0, "input", "b", NULL));
    *state = b;
    return 0;
}

static int teardown(void **state)
{
    bench *b = *state;
    ts_store_free(b->store);
    memsink_free(b->mem);
    test_ctx_free(b->ctx);
    free(b);
    return 0;
}

static int64_t process(bench *b, int64_t source, int64_t pid)
{
    int64_t ipid = -1;
    assert_ok(b->ctx, ts_process(&ipid, b->store, source, pid));
    return ipid;
}

static int64_t thread(bench *b, int64_t source, int64_t tid, int64_t ipid, const char *kind)
{
    int64_t itid = -1;
    assert_ok(b->ctx, ts_thread(&itid, b->store, source, tid, ipid, kind));
    return itid;
}

/* --- processes and threads ----------------------------------------------------------------- */

static void processes_are_keyed_by_input_file_and_pid(void **state)
{
    bench *b = *state;
    assert_int_equal(process(b, b->file, 1734), 1);
    assert_int_equal(process(b, b->recording, 1734), 1);
    assert_int_equal(process(b, b->other, 1734), 2);
    assert_int_equal(process(b, b->file, 99), 3);
    assert_int_equal(process(b, b->file, 0), 0);
    assert_int_equal(process(b, b->other, -5), 4);
}

static void threads_are_keyed_by_input_file_and_tid(void **state)
{
    bench *b = *state;
    int64_t ipid = process(b, b->file, 10);
    assert_int_equal(thread(b, b->file, 10, ipid, "os"), 1);
    assert_int_equal(thread(b, b->recording, 10, -1, "os"), 1);
    assert_int_equal(thread(b, b->other, 10, -1, "os"), 2);
    assert_int_equal(thread(b, b->file, 0, ipid, "os"), 0);
    assert_int_equal(thread(b, b->file, 0, ipid, "java"), 3);
}

static void rows_of_threads_know_their_process(void **state)
{
    bench *b = *state;
    int64_t ipid = process(b, b->file, 10);
    int64_t main_thread = thread(b, b->recording, 10, ipid, "os");
    int64_t late = thread(b, b->file, 11, -1, "os");
    int64_t java = thread(b, b->file, 12, ipid, "java");
    int64_t lost = thread(b, b->other, 10, -1, NULL);
    assert_ok(b->ctx, ts_thread_name(b->store, main_thread, TS_TEXT_LIT("com.app\xff")));
    assert_ok(b->ctx, ts_thread_name(b->store, java, TS_TEXT_LIT("worker")));
    thread(b, b->file, 11, ipid, "os");
    ts_thread_detail_row(b->store, java)->daemon = 1;
    ts_thread_detail_row(b->store, java)->null &= ~TS_NULL_BIT(thread_detail, daemon);
    ts_process_detail_row(b->store, ipid)->host = TS_TEXT_LIT("phone");
    assert_int_equal(late, 2);
    assert_int_equal(lost, 4);
    assert_ok(b->ctx, ts_store_finish(b->store));
    assert_int_equal(MEM_ROWS(b->mem, process), 2);
    assert_mem_row(b->mem, process, 1, "1|1|10|com.app\xef\xbf\xbd|NULL|0|3|0|0");
    assert_mem_row(b->mem, process_detail, 1, "1|1|phone|NULL|NULL|1");
    assert_int_equal(MEM_ROWS(b->mem, thread), 5);
    assert_mem_row(b->mem, thread, 1, "1|1|10|com.app\xef\xbf\xbd|NULL|NULL|1|1|0");
    assert_mem_row(b->mem, thread, 2, "2|2|11|NULL|NULL|NULL|1|0|0");
    assert_mem_row(b->mem, thread, 3, "3|3|12|worker|NULL|NULL|1|0|0");
    assert_mem_row(b->mem, thread, 4, "4|4|10|NULL|NULL|NULL|NULL|0|0");
    assert_mem_row(b->mem, thread_detail, 1, "1|1|os|NULL|NULL|NULL|NULL");
    assert_mem_row(b->mem, thread_detail, 3, "3|1|java|NULL|NULL|1|NULL");
    assert_mem_row(b->mem, thread_detail, 4, "4|3|unknown|NULL|NULL|NULL|NULL");
}

static void a_java_thread_with_the_pid_is_no_main_thread(void **state)
{
    bench *b = *state;
    int64_t ipid = process(b, b->file, 1);
    int64_t java = thread(b, b->file, 1, ipid, "java");
    assert_ok(b->ctx, ts_thread_name(b->store, java, TS_TEXT_LIT("main")));
    assert_ok(b->ctx, ts_store_finish(b->store));
    assert_mem_row(b->mem, process, 1, "1|1|1|NULL|NULL|0|1|0|0");
}

static void a_name_of_its_own_stays(void **state)
{
    bench *b = *state;
    int64_t ipid = process(b, b->file, 10);
    int64_t itid = thread(b, b->file, 10, ipid, "os");
    assert_ok(b->ctx, ts_process_name(b->store, ipid, TS_TEXT_LIT("app")));
    assert_ok(b->ctx, ts_thread_name(b->store, itid, TS_TEXT_LIT("main")));
    assert_ok(b->ctx, ts_store_finish(b->store));
    assert_mem_text(b->mem, process, 1, name, "app");
}

static void many_threads_are_found_again(void **state)
{
    bench *b = *state;
    for (int64_t i = 1; i <= 3000; i++) {
        assert_int_equal(thread(b, b->file, i * 7, -1, "os"), i);
    }
    for (int64_t i = 1; i <= 3000; i++) {
        assert_int_equal(thread(b, b->file, i * 7, -1, "os"), i);
        assert_int_equal(ts_thread_row(b->store, i)->tid, i * 7);
    }
}

/* --- methods ------------------------------------------------------------------------------- */

static int64_t method(bench *b, int64_t source, const ts_method *m)
{
    int64_t id = 0;
    assert_ok(b->ctx, ts_stack_method(&id, b->store, source, m));
    return id;
}

static void equal_methods_of_a_source_share_an_id(void **state)
{
    bench *b = *state;
    ts_method m = {.name = TS_TEXT_LIT("run"), .file = TS_TEXT_LIT("a.js")};
    assert_int_equal(method(b, b->file, &m), 1);
    assert_int_equal(method(b, b->file, &m), 1);
    assert_int_equal(method(b, b->other, &m), 2);
    m.has_line = true;
    m.line = 0;
    assert_int_equal(method(b, b->file, &m), 3);
    m.line = -1;
    assert_int_equal(method(b, b->file, &m), 4);
    m.has_raw_id = true;
    assert_int_equal(method(b, b->file, &m), 5);
    m.library = TS_TEXT_LIT("12");
    assert_int_equal(method(b, b->file, &m), 6);
    assert_int_equal(method(b, b->file, &m), 6);
    assert_int_equal(MEM_ROWS(b->mem, stack_method), 6);
    assert_mem_row(b->mem, stack_method, 0, "1|1|NULL|run|NULL|NULL|NULL|a.js|NULL|NULL|NULL");
    assert_mem_row(b->mem, stack_method, 1, "2|3|NULL|run|NULL|NULL|NULL|a.js|NULL|NULL|NULL");
    assert_mem_row(b->mem, stack_method, 2, "3|1|NULL|run|NULL|NULL|NULL|a.js|0|NULL|NULL");
    assert_mem_row(b->mem, stack_method, 5, "6|1|0|run|NULL|NULL|NULL|a.js|-1|12|NULL");
}

static void every_field_of_a_method_counts(void **state)
{
    bench *b = *state;
    ts_text texts[7] = {{NULL, 0}};
    int64_t n = 0;
    for (int field = -1; field < 7; field++) {
        for (int kind = 0; kind < 3; kind++) {
            ts_method m = {0};
            memset(texts, 0, sizeof texts);
            if (field >= 0) {
                texts[field] = kind == 0   ? TS_TEXT_LIT("")
                               : kind == 1 ? TS_TEXT_LIT("abcdefgh")
                                           : TS_TEXT_LIT("abcdefgh\0");
            } else if (kind > 0) {
                continue;
            }
            m.name = texts[0];
            m.cls = texts[1];
            m.package = texts[2];
            m.signature = texts[3];
            m.file = texts[4];
            m.library = texts[5];
            m.modifiers = texts[6];
            assert_int_equal(method(b, b->file, &m), ++n);
            assert_int_equal(method(b, b->file, &m), n);
        }
    }
    assert_mem_row(b->mem, stack_method, 4, "5|1|NULL|NULL||NULL|NULL|NULL|NULL|NULL|NULL");
}

static void texts_of_methods_are_utf8(void **state)
{
    bench *b = *state;
    ts_method m = {.name = TS_TEXT_LIT("a\xff")};
    method(b, b->file, &m);
    assert_mem_text(b->mem, stack_method, 0, name, "a\xef\xbf\xbd");
}

static void many_methods_are_found_again(void **state)
{
    bench *b = *state;
    char name[32];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 5000; i++) {
            ts_method m = {.name = {name, 0}};
            m.name.n = (size_t)snprintf(name, sizeof name, "function number %d", i);
            assert_int_equal(method(b, b->file, &m), i + 1);
        }
    }
    assert_int_equal(MEM_ROWS(b->mem, stack_method), 5000);
}

/* --- call paths ---------------------------------------------------------------------------- */

static int64_t node(bench *b, int64_t source, int64_t parent, int64_t method_id, int64_t line,
                    bool expect_new)
{
    int64_t id = 0;
    bool added = !expect_new;
    assert_ok(b->ctx, ts_stack_node(&id, &added, b->store, source, parent, method_id, line,
                                    parent == 0 ? 0 : 1, NULL));
    assert_int_equal(added, expect_new);
    return id;
}

static void a_call_path_is_parent_method_and_line(void **state)
{
    bench *b = *state;
    int64_t raw = -7;
    int64_t id;
    assert_int_equal(node(b, b->file, 0, 1, TS_NO_LINE, true), 1);
    assert_int_equal(node(b, b->file, 0, 1, TS_NO_LINE, false), 1);
    assert_int_equal(node(b, b->file, 1, 1, TS_NO_LINE, true), 2);
    assert_int_equal(node(b, b->file, 1, 1, 0, true), 3);
    assert_int_equal(node(b, b->file, 1, 1, INT64_C(5000000000), true), 4);
    assert_int_equal(node(b, b->file, 1, 1, INT64_C(5000000000), false), 4);
    assert_int_equal(node(b, b->other, 0, 1, TS_NO_LINE, true), 5);
    assert_ok(b->ctx, ts_stack_node(&id, NULL, b->store, b->file, 2, 0, TS_NO_LINE, 2, &raw));
    assert_int_equal(id, 6);
    assert_mem_row(b->mem, stack_node, 0, "1|1|NULL|1|NULL|0|NULL");
    assert_mem_row(b->mem, stack_node, 1, "2|1|1|1|NULL|1|NULL");
    assert_mem_row(b->mem, stack_node, 2, "3|1|1|1|0|1|NULL");
    assert_mem_row(b->mem, stack_node, 3, "4|1|1|1|5000000000|1|NULL");
    assert_mem_row(b->mem, stack_node, 4, "5|3|NULL|1|NULL|0|NULL");
    assert_mem_row(b->mem, stack_node, 5, "6|1|2|NULL|NULL|2|-7");
}

static void released_sources_begin_anew(void **state)
{
    bench *b = *state;
    assert_int_equal(node(b, b->file, 0, 1, 5, true), 1);
    assert_int_equal(node(b, b->other, 0, 1, 5, true), 2);
    ts_stack_release(b->store, b->file);
    ts_stack_release(b->store, b->file);
    assert_int_equal(node(b, b->other, 0, 1, 5, false), 2);
    assert_int_equal(node(b, b->file, 0, 1, 5, true), 3);
}

enum { NODES = 300000 };

/* A chain of paths, of which every `lines`th has a line; 0: none. */
static int64_t chain_node(bench *b, int64_t source, int64_t parent, int i, int lines)
{
    int64_t id = 0;
    int64_t line = lines != 0 && i % lines == 0 ? i % 7 : TS_NO_LINE;
    assert_ok(b->ctx,
              ts_stack_node(&id, NULL, b->store, source, parent, i % 50 + 1, line, i, NULL));
    return id;
}

static void call_paths_take_little_memory(void **state)
{
    bench *b = *state;
    /* What store_nodes.h says, and a page of memory or two for what does not grow with the paths.
     */
    static const struct {
        int lines;
        uint64_t bytes;
    } kinds[] = {{0, 18}, {1, 26}, {5000, 26}};
    int64_t first = 1;
    for (size_t k = 0; k < 3; k++, first += NODES) {
        uint64_t before = b->ctx->memory_used;
        int64_t id = 0;
        for (int i = 0; i < NODES; i++) {
            id = chain_node(b, b->file, id, i, kinds[k].lines);
            assert_int_equal(id, first + i);
        }
        assert_true(b->ctx->memory_used - before <= kinds[k].bytes * NODES + 65536);
        id = 0;
        for (int i = 0; i < NODES; i++) {
            id = chain_node(b, b->file, id, i, kinds[k].lines);
            assert_int_equal(id, first + i);
        }
        ts_stack_release(b->store, b->file);
        assert_true(b->ctx->memory_used <= before + 1024);
    }
}

/* Growing needs room for the new slots, not for old and new ones together. */
static void growing_takes_no_more_memory(void **state)
{
    bench *b = *state;
    uint64_t before = b->ctx->memory_peak;
    int64_t id = 0;
    for (int i = 0; i < NODES; i++) {
        id = chain_node(b, b->file, id, i, 0);
    }
    assert_true(b->ctx->memory_peak - before <= UINT64_C(18) * NODES + 65536);
}

/* The ids of a source have gaps where another one's lie. */
/* So many that the bits of the hash in a slot are often those of another path: the parent, the
 * method and the line themselves decide. */
static void paths_with_equal_hashes_are_told_apart(void **state)
{
    enum { PATHS = 100000 };
    bench *b = *state;
    memsink_drop(b->mem, TS_T_stack_node);
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t i = 0; i < 3 * PATHS; i++) {
            int64_t k = i % PATHS + 1;
            int64_t parent = i / PATHS == 1 ? k : 0;
            int64_t method = i / PATHS == 0 ? k + 1 : 1;
            int64_t line = i / PATHS == 2 ? k : TS_NO_LINE;
            int64_t id;
            bool added;
            assert_ok(b->ctx, ts_stack_node(&id, &added, b->store, b->file, parent, method, line,
                                            parent == 0 ? 0 : 1, NULL));
            assert_int_equal(id, i + 1);
            assert_int_equal(added, pass == 0);
            for (int again = 0; again < 2 && i % 8 == 0; again++) { /* as one that was met last */
                assert_ok(b->ctx, ts_stack_node(&id, &added, b->store, b->file, parent, method,
                                                line, parent == 0 ? 0 : 1, NULL));
                assert_int_equal(id, i + 1);
                assert_false(added);
            }
        }
    }
}

static void sources_may_take_turns(void **state)
{
    bench *b = *state;
    enum { TURNS = 20000 };
    static int64_t ids[TURNS];
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < TURNS; i++) {
            int64_t source = i % 5 < 3 ? b->file : b->other;
            int64_t parent = i < 10 ? 0 : ids[i - 5]; /* of the same source */
            int64_t id = chain_node(b, source, parent, i, 3);
            assert_int_equal(id, i + 1);
            ids[i] = id;
        }
    }
    assert_int_equal(MEM_ROWS(b->mem, stack_node), TURNS);
}

/* What the stacks of paths_by_frames are made of. */
enum { METHODS = 7, STACKS = 3000, DEEPEST = 40, TOGETHER = 50 };

typedef struct random_stack {
    uint32_t frames[DEEPEST];
    int64_t methods[DEEPEST];
    int64_t lines[DEEPEST];
    size_t n;
} random_stack;

static uint32_t next_random(uint64_t *state)
{
    *state = *state * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(*state >> 33);
}

/* A stack that begins like another one, and goes on differently or not at all. */
static void make_stack(bench *b, ts_path_store *paths, random_stack *s, const random_stack *like,
                       uint64_t *random)
{
    size_t n = next_random(random) % (DEEPEST + 1);
    size_t same = like->n == 0 ? 0 : next_random(random) % (like->n + 1);
    for (size_t i = 0; i < n; i++) {
        s->methods[i] = next_random(random) % (METHODS + 1);  /* 0: none */
        s->lines[i] = (int64_t)(next_random(random) % 5) - 1; /* -1 and 0: none */
        if (i < same) {
            s->methods[i] = like->methods[i];
            s->lines[i] = like->lines[i];
        }
        assert_ok(b->ctx, ts_paths_frame(&s->frames[i], b->ctx, paths, s->methods[i], s->lines[i]));
        assert_in_range(s->frames[i], 1, (METHODS + 1) * 4);
    }
    s->n = n;
}

/* The row of a stack by ts_stack_node, for another source. */
static int64_t node_of(bench *b, const random_stack *s)
{
    int64_t node = 0;
    for (size_t i = 0; i < s->n; i++) {
        assert_ok(b->ctx,
                  ts_stack_node(&node, NULL, b->store, b->other, node, s->methods[i],
                                s->lines[i] > 0 ? s->lines[i] : TS_NO_LINE, (int64_t)i, NULL));
    }
    return node;
}

/* Both rows are of the same frames, and so are those of their callers. */
static void assert_same_path(bench *b, uint32_t one, int64_t other)
{
    while (one != 0 && other != 0) {
        const ts_row_stack_node *x = MEM_ROW(b->mem, stack_node, one - 1);
        const ts_row_stack_node *y = MEM_ROW(b->mem, stack_node, (size_t)other - 1);
        assert_int_equal(x->null, y->null);
        assert_int_equal(x->source_id, b->file);
        assert_int_equal(x->method_id, y->method_id);
        assert_int_equal(x->line, y->line);
        assert_int_equal(x->depth, y->depth);
        assert_true(x->parent_id < one);
        one = (uint32_t)x->parent_id;
        other = y->parent_id;
    }
    assert_int_equal(one, 0);
    assert_int_equal(other, 0);
}

/* Paths by numbers of frames: one row for each (caller, method, line), the same as those of
 * ts_stack_node for another source, whose rows come between ours. */
static void paths_by_frames(void **state)
{
    bench *b = *state;
    ts_path_store paths = {0};
    random_stack *stacks = calloc(STACKS, sizeof *stacks);
    uint64_t random = 1;
    int64_t method_id;
    size_t rows;
    assert_non_null(stacks);
    for (int64_t i = 1; i <= METHODS; i++) {
        ts_method m = {.has_raw_id = true, .raw_id = i};
        assert_ok(b->ctx, ts_stack_method(&method_id, b->store, b->file, &m));
    }
    for (size_t i = 0; i < STACKS; i += TOGETHER) {
        ts_path_walk walks[TOGETHER];
        ts_path_walk *ahead[TOGETHER];
        for (size_t k = 0; k < TOGETHER; k++) {
            make_stack(b, &paths, &stacks[i + k], &stacks[next_random(&random) % (i + k + 1)],
                       &random);
            walks[k] = (ts_path_walk){.frames = stacks[i + k].frames, .n = stacks[i + k].n};
            ahead[k] = &walks[k];
        }
        ts_paths_ahead(&paths, ahead, i % 4 == 0 ? 0 : TOGETHER);
        for (size_t k = 0; k < TOGETHER; k++) {
            assert_ok(b->ctx, ts_paths_walk(&walks[k], &paths, b->store, b->file));
            assert_int_equal(walks[k].level, walks[k].n);
        }
        assert_ok(b->ctx, ts_paths_flush(&paths, b->store));
        for (size_t k = 0; k < TOGETHER; k++) {
            assert_same_path(b, ts_paths_row(&paths, &walks[k]), node_of(b, &stacks[i + k]));
        }
    }
    rows = 0;
    for (size_t i = 0; i < MEM_ROWS(b->mem, stack_node); i++) {
        rows += MEM_ROW(b->mem, stack_node, i)->source_id == b->file ? 1 : 0;
    }
    assert_int_equal(2 * rows, MEM_ROWS(b->mem, stack_node));
    assert_true(rows > (size_t)STACKS * 2);
    ts_paths_free(b->ctx, &paths);
    free(stacks);
}

#define T(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        T(processes_are_keyed_by_input_file_and_pid),
        T(paths_by_frames),
        T(threads_are_keyed_by_input_file_and_tid),
        T(rows_of_threads_know_their_process),
        T(a_java_thread_with_the_pid_is_no_main_thread),
        T(a_name_of_its_own_stays),
        T(many_threads_are_found_again),
        T(equal_methods_of_a_source_share_an_id),
        T(every_field_of_a_method_counts),
        T(texts_of_methods_are_utf8),
        T(many_methods_are_found_again),
        T(a_call_path_is_parent_method_and_line),
        T(released_sources_begin_anew),
        T(call_paths_take_little_memory),
        T(growing_takes_no_more_memory),
        T(paths_with_equal_hashes_are_told_apart),
        T(sources_may_take_turns),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
