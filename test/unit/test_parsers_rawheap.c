/* Binary heap dumps of ArkTS (docs/formats.md, "Heap dumps of ArkTS"): two dumps byte by byte, what
 * is lost, damage. */
#include "parsers_sweep.h"

#include "parsers/registry.h"

static const char types[] =
    "{\"version\":\"1.0.0\",\"type_enum\":{\"INVALID\":8,\"LINE_STRING\":2,\"TREE_STRING\":2,"
    "\"JS_OBJECT\":3,\"TAGGED_ARRAY\":1,\"HCLASS\":0,\"TAGGED_DICTIONARY\":1,"
    "\"JS_NATIVE_POINTER\":8},\"type_list\":[{\"name\":\"TAGGED_OBJECT\",\"offsets\":[],"
    "\"end_offset\":8,\"parents\":[]},{\"name\":\"HCLASS\",\"node_name\":\"HiddenClass\","
    "\"offsets\":[{\"name\":\"BitField\",\"offset\":0,\"size\":4},{\"name\":\"BitField1\","
    "\"offset\":4,\"size\":4},{\"name\":\"Layout\",\"offset\":8,\"size\":8}],\"end_offset\":16,"
    "\"parents\":[\"TAGGED_OBJECT\"]},{\"name\":\"JS_OBJECT\",\"node_name\":\"JSObject\","
    "\"offsets\":[{\"name\":\"Properties\",\"offset\":0,\"size\":8},{\"name\":\"Elements\","
    "\"offset\":8,\"size\":8}],\"end_offset\":16,\"parents\":[\"TAGGED_OBJECT\"]},"
    "{\"name\":\"TAGGED_ARRAY\",\"node_name\":\"ArkInternalArray\",\"offsets\":[{\"name\":"
    "\"Length\",\"offset\":0,\"size\":4},{\"name\":\"Data\",\"offset\":8,\"size\":8}],"
    "\"end_offset\":0,\"parents\":[\"TAGGED_OBJECT\"],\"visit_type\":\"Array\"}],"
    "\"type_layout\":{\"Dictionary_layout\":{\"key_index\":0,\"value_index\":1,"
    "\"detail_index\":2,\"entry_size\":3,\"header_size\":4},\"Type_range\":{\"string_first\":"
    "\"LINE_STRING\",\"string_last\":\"TREE_STRING\",\"js_object_first\":\"JS_OBJECT\","
    "\"js_object_last\":\"JS_OBJECT\"}}}";

static void put_hex(bytes *b, const char *hex)
{
    unsigned byte;
    for (; *hex != '\0'; hex += *hex == ' ' ? 1 : 2) {
        if (*hex != ' ') {
            const char two[] = {hex[0], hex[1], '\0'};
            assert_int_equal(sscanf(two, "%2x", &byte), 1);
            put(b, &(uint8_t){(uint8_t)byte}, 1);
        }
    }
}

static void put_types(bytes *b, const char *json)
{
    const size_t at = b->n;
    put_str(b, json);
    put_le(b, at, 4);
    put_le(b, strlen(json), 4);
}

static void put_row(bytes *b, uint64_t address, uint64_t id, uint32_t size, uint32_t offset)
{
    put_le(b, address, 8);
    put_le(b, id, 8);
    put_le(b, size, 4);
    put_le(b, offset, 4);
}

/* Version 1: an object Foo with two properties, one of them in the object. */
static bytes first_dump(void)
{
    bytes b = {0};
    put_hex(&b, "312e302e30000000 00401e18240a0600");
    put_zeros(&b, 48);
    put_str(&b, "dynamic");
    put_zeros(&b, 1);
    put_hex(&b, "0100000008000000 0016000000000000"
                "00000000 01000000 0018000000000000 00000000 00000000 ffffffff"
                "0200000000000000"
                "0300000001000000 0015000000000000 6b657900"
                "0300000001000000 0016000000000000 466f6f00 00000000");
    assert_int_equal(b.n, 0xa8);
    put_hex(&b, "0900000018000000");
    put_row(&b, 0x1000, 3, 24, 0xd8);
    put_row(&b, 0x1100, 5, 24, 0xf0);
    put_row(&b, 0x1200, 7, 24, 0x108);
    put_row(&b, 0x1300, 9, 24, 0x120);
    put_row(&b, 0x1400, 11, 48, 0x138);
    put_row(&b, 0x1500, 13, 3, 0x168);
    put_row(&b, 0x1600, UINT64_C(0x4D0000000F), 32, 0x170);
    put_row(&b, 0x1700, 17, 24, 0x190);
    put_row(&b, 0x1800, 19, 40, 0x1a8);
    static const uint64_t slots[] = {
        0x1000, 5,
        0, /* 1000 */
        0x1000, UINT64_C(0x00020c0200000003),
        0x1400, /* 1100 */
        0x1000, 4,
        0, /* 1200 */
        0x1000, 1,
        0, /* 1300 */
        0x1200, 4,
        0x1500, 0x10,
        0x1500, 0, /* 1400 */
        0x1300,    /* 1500 */
        0x1100, 0x1700,
        5,      UINT64_C(0xffff000000000009), /* 1600 */
        0x1200, 1,
        0x1800, /* 1700 */
        0x1200, 3,
        0x1601, 2,
        5, /* 1800 */
    };
    assert_int_equal(b.n, 0x188);
    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++) {
        put_le(&b, slots[i], 8);
    }
    assert_int_equal(b.n, 0x280);
    put_hex(&b, "48000000 10000000 74000000 34000000 a8000000 d8010000 06000000 04000000");
    assert_int_equal(b.n, 672);
    put_types(&b, types);
    return b;
}

/* Version 2: less is written of each object. */
static bytes second_dump(void)
{
    static const char rows[] = "00000100 18000000 0300000000000000 00000000 05000000"
                               "00000200 18000000 0500000000000000 00000000 05000000"
                               "00000300 18000000 0700000000000000 00000000 05000000"
                               "00000400 18000000 0900000000000000 00000000 05000000"
                               "00000500 03000000 0b00000000000000 00000000 01000000"
                               "00000600 20000000 0d00000000000000 00000000 03000000"
                               "00000700 20000000 0f00000000000000 00000000 04000000";
    bytes b = {0};
    put_hex(&b, "322e302e30000000 00401e18240a0600");
    put_zeros(&b, 48);
    put_str(&b, "dynamic");
    put_zeros(&b, 1);
    put_hex(&b, "0100000004000000 00000600 00000000 00000000 00000000 00000000 ffffffff"
                "0100000000000000 0300000001000000 00000600 466f6f00");
    assert_int_equal(b.n, 0x80);
    put_hex(&b, "0700000018000000");
    put_hex(&b, rows);
    assert_int_equal(b.n, 0x130);
    put_hex(&b, "00000100 0202 00000100 0202 00000100 0202 00000100 0202 00000400"
                "00000200 00000700 02 00000500 00000300 0202 00000600");
    assert_int_equal(b.n, 0x163);
    put_hex(&b, "48000000 0c000000 68000000 18000000 80000000 e3000000 06000000 04000000");
    assert_int_equal(b.n, 387);
    put_types(&b, types);
    return b;
}

/* --- rows ------------------------------------------------------------------------------------- */

static const char *string_at(const run *r, int64_t number)
{
    static char text[64];
    const ts_text t = MEM_TEXT(r->sink, js_heap_string, (size_t)number, string);
    snprintf(text, sizeof text, "%.*s", (int)t.n, t.p);
    return text;
}

typedef struct node_row {
    int64_t type;
    const char *name;
    int64_t id, size;
} node_row;

typedef struct edge_row {
    int64_t from, type;
    const char *name; /* NULL: an index */
    int64_t index, to;
} edge_row;

static void check_rows(const run *r, const node_row *nodes, size_t node_count,
                       const edge_row *edges, size_t edge_count)
{
    size_t owned = 0;
    int64_t counts[32] = {0};
    assert_rows(r, js_heap_nodes, node_count);
    assert_rows(r, js_heap_edges, edge_count);
    for (size_t i = 0; i < edge_count; i++) {
        const int64_t name = MEM_INT(r->sink, js_heap_edges, i, name_or_index);
        counts[edges[i].from]++;
        assert_cell(r, js_heap_edges, i, type, edges[i].type);
        assert_cell(r, js_heap_edges, i, to_node, edges[i].to * 8);
        assert_cell(r, js_heap_edges, i, from_node_id, nodes[edges[i].from].id);
        assert_cell(r, js_heap_edges, i, to_node_id, nodes[edges[i].to].id);
        if (edges[i].name == NULL) {
            assert_int_equal(name, edges[i].index);
        } else {
            assert_string_equal(string_at(r, name), edges[i].name);
        }
        owned += edges[i].from >= edges[i == 0 ? 0 : i - 1].from;
    }
    assert_int_equal(owned, edge_count);
    for (size_t i = 0; i < node_count; i++) {
        assert_cell(r, js_heap_nodes, i, type, nodes[i].type);
        assert_string_equal(string_at(r, MEM_INT(r->sink, js_heap_nodes, i, name)), nodes[i].name);
        assert_cell(r, js_heap_nodes, i, id, nodes[i].id);
        assert_cell(r, js_heap_nodes, i, self_size, nodes[i].size);
        assert_cell(r, js_heap_nodes, i, edge_count, counts[i]);
        assert_cell(r, js_heap_nodes, i, native_size, 0);
    }
}

enum { ELEMENT = 1, PROPERTY = 2, SHORTCUT = 5, WEAK = 6 };

static void test_first(void **state)
{
    static const node_row nodes[] = {
        {9, "SyntheticRoot", 1, 0},
        {15, "LocalHandleRoot[0]", 0, 1},
        {15, "GlobalHandleRoot[1]", 0, 1},
        {15, "VMRoot[0]", 0, 1},
        {15, "FrameRoot[0]", 0, 1},
        {3, "Foo", 15, 32},
        {1, "ArkInternalArray", 19, 40},
        {2, "key", 13, 3},
        {0, "HiddenClass", 3, 24},
        {0, "HiddenClass", 5, 24},
        {0, "HiddenClass", 7, 24},
        {0, "HiddenClass", 9, 24},
        {1, "ArkInternalArray", 11, 48},
        {1, "ArkInternalArray", 17, 24},
        {7, "Int", 0, 0},
        {7, "Undefined", 0, 0},
        {7, "Int:77", 0, 0},
    };
    static const edge_row edges[] = {
        {0, SHORTCUT, "-subroot-", 0, 1},
        {0, SHORTCUT, "-subroot-", 0, 2},
        {0, SHORTCUT, "-subroot-", 0, 3},
        {0, SHORTCUT, "-subroot-", 0, 4},
        {0, SHORTCUT, "-subroot-", 0, 5},
        {2, ELEMENT, NULL, 0, 6},
        {5, PROPERTY, "hclass", 0, 9},
        {5, PROPERTY, "ArkInternalHash", 0, 16},
        {5, PROPERTY, "Properties", 0, 13},
        {5, PROPERTY, "key", 0, 14},
        {5, PROPERTY, "key", 0, 6},
        {6, PROPERTY, "hclass", 0, 10},
        {6, WEAK, "0", 0, 5},
        {6, ELEMENT, NULL, 1, 15},
        {7, PROPERTY, "hclass", 0, 11},
        {9, PROPERTY, "hclass", 0, 8},
        {9, PROPERTY, "Layout", 0, 12},
        {10, PROPERTY, "hclass", 0, 8},
        {11, PROPERTY, "hclass", 0, 8},
        {12, PROPERTY, "hclass", 0, 10},
        {12, ELEMENT, NULL, 0, 7},
        {12, ELEMENT, NULL, 2, 7},
        {13, PROPERTY, "hclass", 0, 10},
        {13, ELEMENT, NULL, 0, 6},
    };
    bytes b = first_dump();
    run r;
    UNUSED(state);
    import_damaged(&r, &b, 0);
    assert_int_equal(r.code, TS_OK);
    assert_rows(&r, import_issue, 0);
    check_rows(&r, nodes, 17, edges, 24);
    assert_rows(&r, js_heap_files, 1);
    assert_mem_text(r.sink, js_heap_files, 0, file_name, "Snapshot0");
    assert_cell(&r, js_heap_files, 0, start_time, INT64_C(1700000000000000000));
    assert_cell(&r, js_heap_files, 0, self_size, 247);
    assert_cell(&r, js_heap_file_detail, 0, complete, 1);
    assert_mem_text(r.sink, source, 1, kind, "snapshot");
    assert_mem_text(r.sink, source, 1, format, "rawheap");
    assert_mem_text(r.sink, source, 1, clock, "realtime");
    assert_string_equal(property(&r, "vm_type"), "dynamic");
    assert_string_equal(property(&r, "rawheap_version"), "1");
    run_free(&r);
    free(b.p);
}

static void test_second(void **state)
{
    static const node_row nodes[] = {
        {9, "SyntheticRoot", 1, 0},
        {15, "LocalHandleRoot[0]", 0, 1},
        {15, "GlobalHandleRoot[0]", 0, 1},
        {15, "VMRoot[0]", 0, 1},
        {15, "FrameRoot[0]", 0, 1},
        {8, "invalid", 0, 0},
        {0, "HiddenClass", 3, 24},
        {0, "HiddenClass", 5, 24},
        {0, "HiddenClass", 7, 24},
        {0, "HiddenClass", 9, 24},
        {2, "", 11, 3},
        {3, "Foo", 13, 32},
        {1, "ArkInternalArray", 15, 32},
    };
    static const edge_row edges[] = {
        {0, SHORTCUT, "-subroot-", 0, 1},    {0, SHORTCUT, "-subroot-", 0, 2},
        {0, SHORTCUT, "-subroot-", 0, 3},    {0, SHORTCUT, "-subroot-", 0, 4},
        {0, SHORTCUT, "-subroot-", 0, 11},   {7, PROPERTY, "hclass", 0, 6},
        {8, PROPERTY, "hclass", 0, 6},       {9, PROPERTY, "hclass", 0, 6},
        {10, PROPERTY, "hclass", 0, 9},      {11, PROPERTY, "hclass", 0, 7},
        {11, PROPERTY, "Properties", 0, 12}, {11, PROPERTY, "InlineProperty", 0, 10},
        {12, PROPERTY, "hclass", 0, 8},      {12, ELEMENT, NULL, 0, 11},
    };
    bytes b = second_dump();
    run r;
    UNUSED(state);
    import_damaged(&r, &b, 0);
    assert_int_equal(r.code, TS_OK);
    assert_rows(&r, import_issue, 0);
    check_rows(&r, nodes, 13, edges, 14);
    assert_string_equal(property(&r, "rawheap_version"), "2");
    run_free(&r);
    free(b.p);
}

/* --- damage ----------------------------------------------------------------------------------- */

/* One issue of this kind, and this many nodes. */
static void check_issue(const bytes *b, const char *issue, size_t nodes)
{
    run r;
    import_damaged(&r, b, 0);
    assert_int_equal(r.code, TS_OK);
    assert_true(issues(&r, issue) > 0);
    assert_rows(&r, js_heap_nodes, nodes);
    if (nodes > 0) {
        assert_cell(&r, js_heap_file_detail, 0, complete, 0);
        assert_mem_text(r.sink, js_heap_files, 0, file_name, "Snapshot0 (incomplete)");
    } else {
        assert_rows(&r, js_heap_files, 0);
        assert_cell(&r, source, 0, complete, 0);
    }
    run_free(&r);
}

static void set_u32(bytes *b, size_t at, uint32_t v)
{
    for (unsigned i = 0; i < 4; i++) {
        b->p[at + i] = (uint8_t)(v >> 8 * i);
    }
}

/* The list of sections is at 0x280: offset and size of roots, strings, objects. */
static void test_sections(void **state)
{
    static const struct {
        size_t at;
        uint32_t value;
    } cases[] = {
        {0x280, 4},           /* roots before the header: met in the order of strings and rows */
        {0x284, 0x80},        /* they overlap the strings */
        {0x48, 3},            /* more roots than the section has */
        {0x4c, 4},            /* addresses of another width */
        {0x288, 0xffffff00},  /* strings beyond the file */
        {0x74, 9},            /* more strings than there are */
        {0x80 - 4, 0xffffff}, /* a string that leaves its section */
        {0x290, 0x90},        /* objects within the strings */
        {0xa8, 99},           /* more rows than fit: memory is taken for rows */
        {0xac, 8},            /* rows of 8 bytes */
        {0xb0 + 8 * 24 + 20, 0xffff0000}, /* the memory of one object is not there */
        {0xb0 + 8 * 24 + 16, 4000},       /* or not all of it */
        {0x58, 0xfffffff0},               /* a group of too many */
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bytes b = first_dump();
        run r;
        set_u32(&b, cases[i].at, cases[i].value);
        import_damaged(&r, &b, 0);
        assert_int_equal(r.code, TS_OK);
        assert_true(issues(&r, "rawheap_section_bad") > 0);
        assert_int_equal(MEM_ROWS(r.sink, js_heap_files), 1);
        assert_true(MEM_ROWS(r.sink, js_heap_nodes) >= 5);
        assert_cell(&r, js_heap_file_detail, 0, complete, 0);
        assert_mem_text(r.sink, js_heap_files, 0, file_name, "Snapshot0 (incomplete)");
        run_free(&r);
        free(b.p);
    }
}

/* Strings lost: names of types; roots lost: objects and edges stay. */
static void test_lost_tables(void **state)
{
    bytes b = first_dump();
    run r;
    UNUSED(state);
    set_u32(&b, 0x288, 0);
    import_damaged(&r, &b, 0);
    assert_rows(&r, js_heap_nodes, 17); /* groups end where strings begin */
    assert_rows(&r, js_heap_edges, 24 - 1);
    assert_string_equal(string_at(&r, MEM_INT(r.sink, js_heap_nodes, 5, name)), "JSObject");
    run_free(&r);
    free(b.p);
    b = first_dump();
    set_u32(&b, 0x4c, 4);
    import_damaged(&r, &b, 0);
    assert_rows(&r, js_heap_edges, 24 - 2); /* to Foo and to the array */
    run_free(&r);
    free(b.p);
}

static void test_types(void **state)
{
    static const char *const bad[] = {
        "",
        "{",
        "{}",
        "[1]",
        "{\"type_enum\":{},\"type_list\":[]}",
        "{\"type_enum\":{\"A\":99},\"type_list\":[{\"name\":\"A\"}]}",
        "{\"type_enum\":{\"A\":1},\"type_list\":[{\"name\":\"A\"}]}", /* no HCLASS.BitField */
        "{\"type_enum\":{\"A\":1},\"type_list\":[{\"name\":\"A\"}]}}",
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        bytes b = first_dump();
        b.n = 672;
        put_types(&b, bad[i]);
        check_issue(&b, "rawheap_types_bad", 0);
        free(b.p);
    }
}

/* Parents in a ring, one of 70 above another, more types than numbers, unknown members. */
static void test_odd_types(void **state)
{
    bytes b = first_dump();
    bytes json = {0};
    run r;
    UNUSED(state);
    put_str(&json, "{\"type_enum\":{\"HCLASS\":0");
    for (int i = 0; i < 300; i++) {
        putf(&json, ",\"T%d\":3", i);
    }
    put_str(&json, "},\"odd\":{\"a\":[1,{}]},\"type_list\":[{\"name\":\"HCLASS\",\"parents\":["
                   "\"T0\"],\"offsets\":["
                   "{\"name\":\"BitField\",\"offset\":8,\"size\":4}]},"
                   "{\"name\":\"T0\",\"parents\":[\"HCLASS\"],\"end_offset\":4294967295}");
    for (int i = 1; i < 100; i++) {
        putf(&json,
             ",{\"name\":\"T%d\",\"parents\":[\"T%d\"],\"offsets\":[{\"name\":\"f\",\"offset\":"
             "0,"
             "\"size\":8}]}",
             i, i + 1);
    }
    put_str(&json, "]}");
    put(&json, "", 1);
    b.n = 672;
    put_types(&b, (const char *)json.p);
    import_damaged(&r, &b, 0);
    assert_int_equal(r.code, TS_OK);
    assert_int_equal(issues(&r, "rawheap_types_bad"), 0);
    assert_rows(&r, js_heap_files, 1);
    run_free(&r);
    free(json.p);
    free(b.p);
}

static void test_versions(void **state)
{
    bytes b = first_dump();
    run r;
    UNUSED(state);
    b.p[0] = '4';
    check_issue(&b, "rawheap_version", 0);
    memset(b.p, 0, 8); /* before there were numbers */
    import_damaged(&r, &b, 0);
    assert_rows(&r, import_issue, 0);
    assert_rows(&r, js_heap_nodes, 17);
    run_free(&r);
    memcpy(b.p, "2.0.1", 5);
    check_issue(&b, "rawheap_version", 0);
    memcpy(b.p, "0.9.9", 5);
    import_damaged(&r, &b, 0);
    assert_rows(&r, js_heap_nodes, 17);
    run_free(&r);
    free(b.p);
}

/* Version 3: 33 bytes, then records. */
static void test_static(void **state)
{
    bytes b = {0};
    run r;
    UNUSED(state);
    put_hex(&b, "332e302e31000000 04000000 00401e18240a0600 01 21000000 03000000 00000000");
    assert_int_equal(b.n, 33);
    for (int i = 0; i < 3; i++) {
        put_hex(&b, i < 2 ? "01" : "14");
        put_le(&b, 7, 8);
        put_le(&b, 5, 4);
        put_le(&b, 1, 4);
        put_str(&b, "abcde");
    }
    import_damaged(&r, &b, 0);
    assert_int_equal(r.code, TS_OK);
    assert_int_equal(issues(&r, "rawheap_static"), 1);
    assert_int_equal(issues(&r, "rawheap_section_bad"), 0);
    assert_rows(&r, js_heap_files, 0);
    assert_int_equal(SKIPPED(&r, "rawheap_records:0x01"), 2);
    assert_int_equal(SKIPPED(&r, "rawheap_records:0x14"), 1);
    run_free(&r);
    b.n--;
    check_issue(&b, "rawheap_section_bad", 0);
    free(b.p);
}

/* Version 2: two objects of one address; the first is referred to. */
static void test_address_twice(void **state)
{
    bytes b = second_dump();
    run r;
    UNUSED(state);
    set_u32(&b, 0x88 + 5 * 24, 0x70000); /* Foo gets the address of the array */
    import_damaged(&r, &b, 0);
    assert_int_equal(issue_sum(&r, "rawheap_address_twice"), 1);
    assert_rows(&r, js_heap_nodes, 13);
    assert_cell(&r, js_heap_edges, 9, to_node, 11 * 8); /* Properties: to itself, as written */
    run_free(&r);
    free(b.p);
}

/* Nothing tells where what is in a dump whose end is lost. */
static void test_cut_at_every_byte(void **state)
{
    bytes dumps[] = {first_dump(), second_dump()};
    UNUSED(state);
    for (size_t d = 0; d < 2; d++) {
        for (size_t cut = 8; cut < dumps[d].n; cut++) {
            bytes part = {dumps[d].p, cut, 0};
            check_issue(&part, "rawheap_no_types", 0);
        }
        free(dumps[d].p);
    }
}

static void test_cut_says_what_there_was(void **state)
{
    bytes b = first_dump();
    run r;
    UNUSED(state);
    b.n = 0xa4; /* after the last string */
    import_damaged(&r, &b, 0);
    assert_non_null(
        strstr(MEM_TEXT(r.sink, import_issue, 0, message).p, "1 roots and 2 of 2 strings"));
    run_free(&r);
    b.n = 0xa3;
    import_damaged(&r, &b, 0);
    assert_non_null(
        strstr(MEM_TEXT(r.sink, import_issue, 0, message).p, "1 roots and 1 of 2 strings"));
    run_free(&r);
    free(b.p);
}

/* Whatever its length is: the end no longer says where it is. */
static void test_deleted_and_doubled(void **state)
{
    UNUSED(state);
    for (size_t at = 8; at < 1800; at += 97) {
        bytes b = first_dump();
        bytes deleted = {0};
        bytes doubled = {0};
        put(&deleted, b.p, at);
        put(&deleted, b.p + at + 16, b.n - at - 16);
        put(&doubled, b.p, at + 16);
        put(&doubled, b.p + at, b.n - at);
        check_issue(&deleted, "rawheap_no_types", 0);
        check_issue(&doubled, "rawheap_no_types", 0);
        free(deleted.p);
        free(doubled.p);
        free(b.p);
    }
}

static void test_blocks(void **state)
{
    bytes b = first_dump();
    UNUSED(state);
    check_blocks(&b, 0);
    free(b.p);
    b = second_dump();
    check_blocks(&b, 0);
    b.n -= 300;
    check_blocks(&b, 1);
    free(b.p);
}

static void test_bits(void **state)
{
    bytes b = first_dump();
    UNUSED(state);
    check_bits(&b, 3);
    free(b.p);
    b = second_dump();
    check_bits(&b, 3);
    free(b.p);
}

static void test_every_allocation_fails(void **state)
{
    bytes b = first_dump();
    ts_code code = TS_ERR_NOMEM;
    UNUSED(state);
    for (uint64_t k = 1; code != TS_OK; k++) {
        test_failing fail = {.fail_at = k};
        ts_allocator allocator;
        run r;
        import_begin(&r);
        allocator = r.ctx->allocator;
        r.ctx->allocator = test_failing_allocator(&fail);
        (void)import_files(&r, &b, 1, 0);
        code = r.code;
        assert_true(code == TS_OK ? k > 10 : code == TS_ERR_NOMEM);
        r.ctx->allocator = allocator;
        run_free(&r);
    }
    free(b.p);
}

static void test_little_memory(void **state)
{
    bytes b = first_dump();
    run r;
    UNUSED(state);
    set_u32(&b, 0xa8, 8); /* what the rows say is looked at before any is kept */
    import_begin(&r);
    r.ctx->limits.max_memory = r.ctx->memory_used + 300;
    (void)import_files(&r, &b, 1, 0);
    assert_true(r.code == TS_ERR_NOMEM || r.code == TS_ERR_LIMIT ||
                issues(&r, "rawheap_memory") == 1);
    run_free(&r);
    free(b.p);
}

static int sniff(const bytes *b, size_t n, bool whole)
{
    const ts_sniff s = {.name = "x", .head = b->p, .n = n, .whole = whole};
    return ts_format_rawheap.sniff(&s);
}

static void test_sniff(void **state)
{
    bytes b = first_dump();
    bytes zeros = {0};
    UNUSED(state);
    assert_int_equal(sniff(&b, b.n, true), TS_SNIFF_SURE);
    assert_int_equal(sniff(&b, 8, false), TS_SNIFF_SURE);
    assert_int_equal(sniff(&b, 7, true), TS_SNIFF_NO);
    memset(b.p, 0, 8);
    assert_int_equal(sniff(&b, b.n, true), TS_SNIFF_SURE);
    b.p[0x4c] = 7;
    assert_int_equal(sniff(&b, b.n, true), TS_SNIFF_NO);
    put_zeros(&zeros, 4096);
    assert_int_equal(sniff(&zeros, 4096, false), TS_SNIFF_NO);
    memcpy(zeros.p, "1.0.0\n", 6); /* a text */
    assert_int_equal(sniff(&zeros, 4096, false), TS_SNIFF_NO);
    free(zeros.p);
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_first),
        cmocka_unit_test(test_second),
        cmocka_unit_test(test_sections),
        cmocka_unit_test(test_lost_tables),
        cmocka_unit_test(test_types),
        cmocka_unit_test(test_odd_types),
        cmocka_unit_test(test_versions),
        cmocka_unit_test(test_static),
        cmocka_unit_test(test_address_twice),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_cut_says_what_there_was),
        cmocka_unit_test(test_deleted_and_doubled),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_every_allocation_fails),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_sniff),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
