/* The protobuf wire format of segments, of results and of configurations. */
#include "catalogue.h"

/* A good snapshot, before or behind which a damaged segment stands. */
static void begin_good(making *m)
{
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_tiny_snapshot(m, 11000);
    mark(m, 0);
}

/* A last segment of arg[0..n) and nothing else. */
static void make_segment(making *m)
{
    bytes body = {0};
    begin_good(m);
    put(&body, m->arg, (size_t)m->n);
    put_raw_segment(&m->b, &body);
    end_making(m);
}

/* A last segment with a name and data of which arg[0..n) says the length. */
static void make_length(making *m)
{
    bytes body = {0};
    begin_good(m);
    put_text(&body, 1, "cpu-plugin_config");
    put_varint(&body, 3 << 3 | 2);
    put(&body, m->arg, (size_t)m->n);
    put_str(&body, "some data");
    put_raw_segment(&m->b, &body);
    end_making(m);
}

/* n levels of field 6, each the only content of the one around it; *out is the outermost. */
static void put_nested(bytes *out, int64_t levels)
{
    /* From the inside: the length of each level, then all of them from the outside. */
    size_t *length = malloc(((size_t)levels + 1) * sizeof *length);
    assert_non_null(length);
    length[0] = 0;
    for (int64_t k = 1; k <= levels; k++) {
        size_t inner = length[k - 1];
        size_t bytes_of_length = 1;
        for (size_t v = inner; v >= 0x80; v >>= 7) {
            bytes_of_length++;
        }
        length[k] = 1 + bytes_of_length + inner;
    }
    for (int64_t k = levels; k > 0; k--) {
        put_varint(out, 6 << 3 | 2);
        put_varint(out, length[k - 1]);
    }
    free(length);
}

static void make_nested_ftrace(making *m)
{
    bytes nested = {0};
    bytes body = {0};
    m->header = put_header(&m->b, 0, 0, 0, 0); /* no clocks: they are looked for in it */
    put_nested(&nested, m->n);
    put_text(&body, 1, "ftrace-plugin");
    put_field(&body, 3, nested.p, nested.n);
    put_number(&body, 5, 1);
    put_raw_segment(&m->b, &body);
    put_config(&m->b, 1734, 0, false);
    put_tiny_snapshot(m, 11000);
    end_making(m);
    free(nested.p);
}

/* Inside a configuration, which a generated decoder reads. Field 9 is unknown to it. */
static void make_nested_config(making *m)
{
    bytes nested = {0};
    bytes data = {0};
    bytes body = {0};
    begin_making(m);
    put_nested(&nested, m->n);
    put_number(&data, 1, 1734);
    put_field(&data, 9, nested.p, nested.n);
    put_text(&body, 1, "arkts-plugin_config");
    put_field(&body, 3, data.p, data.n);
    put_raw_segment(&m->b, &body);
    put_tiny_snapshot(m, 11000);
    end_making(m);
    free(nested.p);
    free(data.p);
}

/* A configuration whose data is arg[0..n). */
static void make_config(making *m)
{
    bytes body = {0};
    begin_making(m);
    mark(m, 0);
    put_text(&body, 1, "arkts-plugin_config");
    put_field(&body, 3, m->arg, (size_t)m->n);
    put_raw_segment(&m->b, &body);
    put_tiny_snapshot(m, 11000);
    end_making(m);
}

static void make_flood(making *m)
{
    bytes body = {0};
    begin_good(m);
    put_text(&body, 1, "bytrace-plugin");
    for (int64_t i = 0; i < m->n; i++) {
        put_number(&body, 15, 0);
    }
    put_raw_segment(&m->b, &body);
    end_making(m);
}

/* Two data fields; the last one is the end mark of the snapshot before. */
static void make_data_twice(making *m)
{
    static const char end[] = "{\"id\":1,\"result\":{}}";
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    bytes result = {0};
    bytes body = {0};
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_chunks(&m->b, &text, 0, AT(11000));
    mark(m, 0);
    put_text(&result, 1, end);
    put_text(&body, 1, "arkts-plugin");
    put_text(&body, 3, "not this one");
    put_field(&body, 3, result.p, result.n);
    put_number(&body, 5, 100);
    put_number(&body, 6, 13000);
    put_raw_segment(&m->b, &body);
    end_making(m);
    free(text.p);
    free(result.p);
}

static void make_result_twice(making *m)
{
    static const char end[] = "{\"id\":1,\"result\":{}}";
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    bytes result = {0};
    bytes body = {0};
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_chunks(&m->b, &text, 0, AT(11000));
    mark(m, 0);
    put_text(&result, 1, end);
    put_text(&result, 1, "{\"id\":2,\"result\":{}}");
    put_text(&body, 1, "arkts-plugin");
    put_field(&body, 3, result.p, result.n);
    put_number(&body, 5, 100);
    put_number(&body, 6, 13000);
    put_raw_segment(&m->b, &body);
    end_making(m);
    free(text.p);
    free(result.p);
}

static void make_reversed(making *m)
{
    snap s = tiny_snap();
    bytes text = snap_text(&s);
    bytes result = {0};
    bytes body = {0};
    begin_making(m);
    put_config(&m->b, 1734, 0, false);
    put_chunks(&m->b, &text, 0, AT(11000));
    put_text(&result, 1, "{\"id\":1,\"result\":{}}");
    put_number(&body, 6, 13000);
    put_number(&body, 5, 100);
    put_field(&body, 3, result.p, result.n);
    put_text(&body, 1, "arkts-plugin");
    put_raw_segment(&m->b, &body);
    end_making(m);
    free(text.p);
    free(result.p);
}

static void check_times(const run *r)
{
    assert_cell(r, js_heap_files, 0, start_time, 11000);
    assert_cell(r, js_heap_files, 0, end_time, 13000);
}

#define BAD_SEGMENT                                                                                \
    .make = make_segment, .issues = {{"segment_bad_wire", 1, MARK(0)}},                            \
    .counts = {{"segments", 4, 3, 1, 0}},                                                          \
    .rows = {{TS_T_js_heap_files, 1}, {TS_T_js_heap_edges, 4}}
/* The name is known and decoded by nobody: its segment is skipped, and the damage in it reported.
 */
#define BAD_LENGTH                                                                                 \
    .make = make_length, .issues = {{"segment_bad_wire", 1, MARK(0)}},                             \
    .rows = {{TS_T_js_heap_files, 1}, {TS_T_js_heap_edges, 4}}
#define WHOLE                                                                                      \
    {TS_T_js_heap_files, 1}, {TS_T_js_heap_edges, 4},                                              \
    {                                                                                              \
        TS_T_js_config, 1                                                                          \
    }

const item wire_items[] = {
    {.name = "wire.varint_of_11_bytes",
     .arg = "\x28\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01",
     .n = 12,
     BAD_SEGMENT},
    {.name = "wire.length_2_64_minus_1",
     .arg = "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
     .n = 10,
     BAD_LENGTH},
    {.name = "wire.length_past_the_end", .arg = "\x0a", .n = 1, BAD_LENGTH},
    {.name = "wire.tag_0", .arg = "\x00\x01", .n = 2, BAD_SEGMENT},
    {.name = "wire.group_start_unmatched", .arg = "\x0b", .n = 1, BAD_SEGMENT},
    {.name = "wire.group_end_unmatched", .arg = "\x0c", .n = 1, BAD_SEGMENT},
    {.name = "wire.type_6", .arg = "\x0e\x01", .n = 2, BAD_SEGMENT},
    {.name = "wire.type_7", .arg = "\x0f\x01", .n = 2, BAD_SEGMENT},
    {.name = "wire.nesting_10_6_in_ftrace",
     .make = make_nested_ftrace,
     .n = 1000000,
     .issues = {{"no_clock_snapshot", 1, OFF_NONE}},
     .counts = {{"segments", 4, 4, 0, 0}},
     .rows = {WHOLE},
     .large = true},
    {.name = "wire.nesting_10_5_in_ftrace",
     .make = make_nested_ftrace,
     .n = 100000,
     .issues = {{"no_clock_snapshot", 1, OFF_NONE}},
     .counts = {{"segments", 4, 4, 0, 0}},
     .rows = {WHOLE}},
    {.name = "wire.nesting_10_5_in_config",
     .make = make_nested_config,
     .n = 100000,
     .counts = {{"configs", 1, 1, 0, 0}},
     .rows = {WHOLE}},
    /* interval (uint32) as a packed field whose length says 2^32 elements */
    {.name = "wire.packed_2_32_elements",
     .make = make_config,
     .arg = "\x08\xc6\x0d\x1a\x80\x80\x80\x80\x10\x01\x02",
     .n = 11,
     .issues = {{"config_bad", 1, MARK(0)}},
     .counts = {{"configs", 1, 0, 1, 0}},
     .rows = {WHOLE}}, /* one row is made up */
    {.name = "wire.unknown_field_flood_10_7",
     .make = make_flood,
     .n = 10000000,
     .counts = {{"segments", 4, 3, 0, 1}},
     .rows = {WHOLE},
     .large = true},
    {.name = "wire.unknown_field_flood_10_5",
     .make = make_flood,
     .n = 100000,
     .counts = {{"segments", 4, 3, 0, 1}},
     .rows = {WHOLE}},
    {.name = "wire.duplicate_data",
     .make = make_data_twice,
     .issues = {{"segment_duplicate_data", 1, MARK(0)}},
     .counts = {{"segments", 3, 3, 0, 0}, {"messages", 2, 2, 0, 0}},
     .rows = {WHOLE},
     .check = check_times},
    {.name = "wire.duplicate_result",
     .make = make_result_twice,
     .issues = {{"segment_duplicate_data", 1, MARK(0)}},
     .counts = {{"segments", 3, 3, 0, 0}, {"messages", 2, 2, 0, 0}},
     .rows = {WHOLE},
     .check = check_times},
    {.name = "wire.fields_reversed",
     .make = make_reversed,
     .counts = {{"segments", 3, 3, 0, 0}, {"messages", 2, 2, 0, 0}},
     .rows = {WHOLE},
     .check = check_times},
    {0},
};
