/* The debugger's messages: chunks, marks, what stands between them. */
#include "catalogue.h"

/* A snapshot whose strings hold what chunks can end inside of. */
static bytes split_text(void)
{
    snap s = tiny_snap();
    s.m[M_STRINGS] =
        "\"strings\":[\"\\ud83d\\ude00\",\"back\\\\slash\",\"\xe2\x82\xac\",\"\",\"\"]";
    return snap_text(&s);
}

/* In two chunks, the second of which begins n bytes behind the begin of arg. */
static void make_split(making *m)
{
    bytes text = split_text();
    const uint8_t *at = memmem(text.p, text.n, m->arg, strlen(m->arg));
    assert_non_null(at);
    size_t cut = (size_t)(at - text.p) + (size_t)m->n;
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_chunk_n(&m->b, (const char *)text.p, cut, AT(11000));
    put_chunk_n(&m->b, (const char *)text.p + cut, text.n - cut, AT(12000));
    put_mark(&m->b, 1, AT(13000));
    end_making(m);
    free(text.p);
}

static void check_split(const run *r)
{
    assert_mem_text(r->sink, js_heap_string, 0, string, "\xf0\x9f\x98\x80");
    assert_mem_text(r->sink, js_heap_string, 1, string, "back\\slash");
    assert_mem_text(r->sink, js_heap_string, 2, string, "\xe2\x82\xac");
    assert_mem_row(r->sink, js_heap_nodes, 1, "0|1|1|2|3|24|2|1|0|NULL");
}

/* The message arg before a good snapshot. */
static void make_message(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    mark(m, 0);
    put_message(&m->b, m->arg, AT(10000));
    put_tiny_snapshot(m, 11000);
    end_making(m);
}

/* Chunks of n bytes, with the message arg, if any, behind each of the first 100 of them. */
static void make_between(making *m)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    begin_making(m);
    put_config(&m->b, 1734, 0, true);
    for (size_t at = 0; at < text.n; at += (size_t)m->n) {
        size_t n = text.n - at < (size_t)m->n ? text.n - at : (size_t)m->n;
        put_chunk_n(&m->b, (const char *)text.p + at, n, AT(11000));
        if (m->arg != NULL && at / (size_t)m->n < 100) {
            put_message(&m->b, m->arg, AT(11000));
        }
    }
    put_mark(&m->b, 1, AT(13000));
    end_making(m);
    free(text.p);
}

static void make_end_inside(making *m)
{
    snap s = tiny_snap();
    s.m[M_STRINGS] = "\"strings\":[\"{\\\"id\\\":1,\\\"result\\\":{}}\",\"\",\"\",\"\",\"\"]";
    bytes text = snap_text(&s);
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    /* A chunk that consists of the mark's text and nothing else, too. */
    const char *inner = "{\\\"id\\\":1,\\\"result\\\":{}}";
    const uint8_t *at = memmem(text.p, text.n, inner, strlen(inner));
    assert_non_null(at);
    size_t cut = (size_t)(at - text.p);
    put_chunk_n(&m->b, (const char *)text.p, cut, AT(11000));
    put_chunk(&m->b, inner, AT(11000));
    cut += strlen(inner);
    put_chunk_n(&m->b, (const char *)text.p + cut, text.n - cut, AT(11000));
    put_mark(&m->b, 1, AT(13000));
    end_making(m);
    free(text.p);
}

static void check_end_inside(const run *r)
{
    assert_mem_text(r->sink, js_heap_string, 0, string, "{\"id\":1,\"result\":{}}");
}

static void make_end_without_data(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    mark(m, 0);
    put_mark(&m->b, 1, AT(10000));
    end_making(m);
}

static void make_two_ends(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_tiny_snapshot(m, 11000);
    mark(m, 0);
    put_mark(&m->b, 1, AT(14000));
    end_making(m);
}

static void make_no_end(making *m)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_chunks(&m->b, &text, 100, AT(11000));
    end_making(m);
    free(text.p);
}

static void make_interleaved(making *m)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    begin_making(m);
    put_config(&m->b, 1734, 0, true);
    put_mark(&m->b, 3, AT(9000));
    for (size_t at = 0; at < text.n; at += 200) {
        size_t n = text.n - at < 200 ? text.n - at : 200;
        put_chunk_n(&m->b, (const char *)text.p + at, n, AT(11000));
        if (at == 400) {
            put_profile(&m->b, TINY_PROFILE, AT(11000));
        }
    }
    put_mark(&m->b, 1, AT(13000));
    end_making(m);
    free(text.p);
}

/* n chunks, all but those of the snapshot at their end blank text inside its first array. */
static void make_many_chunks(making *m)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    const char *nodes = "\"nodes\":[";
    const uint8_t *at = memmem(text.p, text.n, nodes, strlen(nodes));
    assert_non_null(at);
    size_t cut = (size_t)(at - text.p) + strlen(nodes);
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_chunk_n(&m->b, (const char *)text.p, cut, AT(11000));
    for (int64_t i = 0; i < m->n; i++) {
        put_chunk_n(&m->b, " ", 1, AT(11000));
    }
    put_chunk_n(&m->b, (const char *)text.p + cut, text.n - cut, AT(11000));
    put_mark(&m->b, 1, AT(13000));
    end_making(m);
    free(text.p);
}

#define WHOLE                                                                                      \
    {TS_T_js_heap_files, 1}, {TS_T_js_heap_nodes, 3},                                              \
    {                                                                                              \
        TS_T_js_heap_edges, 4                                                                      \
    }
#define SPLIT(what, text, behind)                                                                  \
    {                                                                                              \
        .name = "envelope.split_" what, .make = make_split, .arg = text, .n = behind,              \
        .rows = {WHOLE, {TS_T_js_heap_string, 5}}, .check = check_split                            \
    }
#define NO_TEXT(what, value)                                                                       \
    {                                                                                              \
        .name = "envelope.chunk_is_" what, .make = make_message,                                   \
        .arg = "{\"params\":{\"chunk\":" value "}}", .issues = {{"chunk_bad_type", 1, MARK(0)}},   \
        .counts = {{"messages", 3, 2, 1, 0}}, .rows = {                                            \
            WHOLE                                                                                  \
        }                                                                                          \
    }

const item envelope_items[] = {
    SPLIT("inside_surrogate_pair", "\\ud83d\\ude00", 6),
    SPLIT("inside_escape", "\\ud83d\\ude00", 3),
    SPLIT("inside_backslash", "back\\\\slash", 5),
    SPLIT("inside_number", "24,2,1,0", 1),
    SPLIT("inside_utf8", "\xe2\x82\xac", 1),
    NO_TEXT("number", "5"),
    NO_TEXT("null", "null"),
    NO_TEXT("array", "[\"{\"]"),
    {.name = "envelope.chunk_is_word_only",
     .make = make_message,
     .arg = "{\"method\":\"Console.messageAdded\",\"params\":{\"text\":\"a chunk of text\"}}",
     .counts = {{"messages", 3, 2, 0, 1}},
     .rows = {WHOLE}},
    {.name = "envelope.end_mark_inside_data",
     .make = make_end_inside,
     .counts = {{"snapshots", 1, 1, 0, 0}},
     .rows = {WHOLE, {TS_T_js_heap_string, 5}},
     .check = check_end_inside},
    {.name = "envelope.end_without_data",
     .make = make_end_without_data,
     .issues = {{"empty_mark", 1, MARK(0)}},
     .rows = {{TS_T_js_heap_files, 0}}},
    {.name = "envelope.two_ends",
     .make = make_two_ends,
     .issues = {{"empty_mark", 1, MARK(0)}},
     .counts = {{"snapshots", 1, 1, 0, 0}},
     .rows = {WHOLE}},
    {.name = "envelope.missing_end",
     .make = make_no_end,
     .issues = {{"snapshot_no_end_mark", 1, OFF_ANY}},
     .counts = {{"snapshots", 1, 1, 0, 0}},
     .rows = {WHOLE}},
    {.name = "envelope.snapshot_and_profile_interleaved",
     .make = make_interleaved,
     .counts = {{"snapshots", 1, 1, 0, 0}, {"profiles", 1, 1, 0, 0}},
     .rows = {WHOLE, {TS_T_js_cpu_profiler_node, 4}, {TS_T_stack_sample, 4}}},
    {.name = "envelope.empty_chunks",
     .make = make_between,
     .arg = "{\"params\":{\"chunk\":\"\"}}",
     .n = 50,
     .counts = {{"snapshots", 1, 1, 0, 0}},
     .rows = {WHOLE}},
    {.name = "envelope.chunks_of_1_byte",
     .make = make_between,
     .n = 1,
     .counts = {{"snapshots", 1, 1, 0, 0}},
     .rows = {WHOLE}},
    {.name = "envelope.chunks_of_1_byte_10_5",
     .make = make_many_chunks,
     .n = 100000,
     .counts = {{"snapshots", 1, 1, 0, 0}, {"messages", 100003, 100003, 0, 0}},
     .rows = {WHOLE},
     .large = true},
    {0},
};
