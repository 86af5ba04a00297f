/* Profiles of OpenTelemetry (docs/formats.md, "otlp-profiles"): rows of messages whose bytes were
 * made by other encoders, layouts, forms of files, damage. */
#include "parsers_sweep.h"

#include "parsers/registry.h"

/* --- bytes ------------------------------------------------------------------------------------ */

static int digit_of(char c)
{
    return c <= '9' ? c - '0' : c - 'A' + 10;
}

static bytes from_hex(const char *s)
{
    bytes b = {0};
    for (; *s != '\0'; s += *s == ' ' ? 1 : 2) {
        if (*s != ' ') {
            uint8_t v = (uint8_t)(digit_of(s[0]) << 4 | digit_of(s[1]));
            put(&b, &v, 1);
        }
    }
    return b;
}

/* Release 1.10: service.name is s; one profile cpu/nanoseconds at 1000 for 5; one sample, 10 at
 * 1000, in function f, line 7, with a link. */
static bytes message_1_10(void)
{
    return from_hex(
        "0A3F 0A15 0A13 0A0C 736572766963652E6E616D65 1203 0A0173 1226 1224 0A04 08011002 "
        "1211 0801 1801 22010A 2A08E803000000000000 19E803000000000000 2005 "
        "1255 0A00 1200 1209 108020 1A0408011007 1A00 1A020803 2200 "
        "221C 0A10 30313233343536373839616263646566 1208 3031323334353637 "
        "2A00 2A03637075 2A0B6E616E6F7365636F6E6473 2A0166 3200 3A00 3A030A0101");
}

/* The same with an empty list of attributes in its location: the first list of the message. */
static bytes message_with_empty_list(void)
{
    return from_hex(
        "0A3F 0A15 0A13 0A0C 736572766963652E6E616D65 1203 0A0173 1226 1224 0A04 08011002 "
        "1211 0801 1801 22010A 2A08E803000000000000 19E803000000000000 2005 "
        "1257 0A00 1200 120B 108020 1A0408011007 2200 1A00 1A020803 2200 "
        "221C 0A10 30313233343536373839616263646566 1208 3031323334353637 "
        "2A00 2A03637075 2A0B6E616E6F7365636F6E6473 2A0166 3200 3A00 3A030A0101");
}

/* The same in 1.4, without the resource. */
static bytes message_1_4(void)
{
    return from_hex(
        "0A41 123F 123D 0A0408011002 1209 1001 1A010A 3202E807 2207 108020 1A021007 "
        "2A0100 32020803 5200 5203637075 520B6E616E6F7365636F6E6473 520166 58E807 6005");
}

static const char json_text[] =
    "{\"resourceProfiles\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\",\"value\":"
    "{\"stringValue\":\"s\"}}]},\"scopeProfiles\":[{\"scope\":{},\"profiles\":[{\"sampleType\":"
    "{\"typeStrindex\":1,\"unitStrindex\":2},\"samples\":[{\"stackIndex\":1,\"linkIndex\":1,"
    "\"values\":[\"10\"],\"timestampsUnixNano\":[\"1000\"]}],\"timeUnixNano\":\"1000\","
    "\"durationNano\":\"5\",\"periodType\":{}}]}]}],\"dictionary\":{\"mappingTable\":[{}],"
    "\"locationTable\":[{},{\"address\":\"4096\",\"lines\":[{\"functionIndex\":1,\"line\":\"7\"}]}]"
    ","
    "\"functionTable\":[{},{\"nameStrindex\":3}],\"linkTable\":[{},{\"traceId\":"
    "\"30313233343536373839616263646566\",\"spanId\":\"3031323334353637\"}],\"stringTable\":[\"\","
    "\"cpu\",\"nanoseconds\",\"f\"],\"attributeTable\":[{}],\"stackTable\":[{},"
    "{\"locationIndices\":[1]}]}}\n";

static void put_be32(bytes *b, size_t n)
{
    const uint8_t be[] = {(uint8_t)(n >> 24), (uint8_t)(n >> 16), (uint8_t)(n >> 8), (uint8_t)n};
    put(b, be, sizeof be);
}

/* With its length before it; takes it over. */
static void put_framed(bytes *b, bytes message)
{
    put_be32(b, message.n);
    put(b, message.p, message.n);
    free(message.p);
}

/* A frame of zstd with one block that is not compressed. */
static bytes zstd_of(bytes message)
{
    bytes b = {0};
    static const uint8_t head[] = {0x28, 0xB5, 0x2F, 0xFD, 0xA0};
    put(&b, head, sizeof head);
    put_le(&b, message.n, 4);
    put_le(&b, message.n << 3 | 1, 3);
    put(&b, message.p, message.n);
    free(message.p);
    return b;
}

static void put_part(bytes *b, uint32_t field, bytes inner)
{
    put_field(b, field, inner.p, inner.n);
    free(inner.p);
}

/* A message since 1.7 with this sample, given in hex: texts "", cpu, count, k, v; attributes 1 and
 * 2 k = v; a location; for 1.7 function 0 and attributes with texts. */
static bytes message_with(const char *sample, bool old)
{
    bytes top = {0};
    bytes group = {0};
    bytes scoped = {0};
    bytes profile = {0};
    bytes dictionary = {0};
    put_part(&profile, 1, from_hex("08011002"));
    put_part(&profile, 2, from_hex(sample));
    put_part(&profile, 3, old ? from_hex("0100") : (bytes){0});
    if (old) {
        put_number(&profile, 4, 1000);
        put_number(&profile, 5, 5);
    } else {
        profile.n -= 2; /* the empty field 3 */
        put_str(&profile, "\x19\xE8\x03");
        put_zeros(&profile, 6);
    }
    put_part(&scoped, 2, profile);
    put_part(&group, 2, scoped);
    put_part(&top, 1, group);
    for (int i = 0; i < 2; i++) {
        put_part(&dictionary, 2, from_hex("1020"));
        put_part(&dictionary, 4, from_hex(i == 0 ? "" : "1208 3031323334353637"));
    }
    for (int i = 0; i < 3; i++) {
        put_part(&dictionary, 6,
                 from_hex(old      ? "0A016B 1203 0A0176"
                          : i == 0 ? ""
                                   : "0803 1203 0A0176"));
    }
    put_text(&dictionary, 5, "");
    put_text(&dictionary, 5, "cpu");
    put_text(&dictionary, 5, "count");
    put_text(&dictionary, 5, "k");
    if (!old) {
        put_part(&dictionary, 7, from_hex(""));
        put_part(&dictionary, 7, from_hex("0A0101"));
    }
    put_part(&top, 2, dictionary);
    return top;
}

/* --- rows ------------------------------------------------------------------------------------- */

static void assert_one_sample(run *r, const char *version, bool link)
{
    assert_int_equal(complaints(r), 0);
    assert_rows(r, stack_method, 1);
    assert_mem_row(r->sink, stack_method, 0, "1|2|NULL|f|NULL|NULL|NULL|NULL|NULL|NULL|NULL");
    assert_mem_row(r->sink, stack_node, 0, "1|2|NULL|1|7|0|NULL");
    assert_rows(r, stack_sample, 1);
    assert_mem_row(r->sink, stack_sample, 0, "1|2|NULL|1000|NULL|1|cpu");
    assert_mem_row(r->sink, stack_value_type, 0, "1|2|cpu|ns");
    assert_rows(r, stack_sample_value, 1);
    assert_mem_row(r->sink, stack_sample_value, 0, "1|1|10");
    assert_rows(r, stack_sample_label, link ? 2 : 0);
    if (link) {
        assert_mem_row(r->sink, stack_sample_label, 0,
                       "1|trace id|30313233343536373839616263646566");
        assert_mem_row(r->sink, stack_sample_label, 1, "1|span id|3031323334353637");
        assert_mem_text(r->sink, profile, 0, service, "s");
        assert_rows(r, profile_tag, 1);
    }
    assert_rows(r, profile, 1);
    assert_cell(r, profile, 0, start_ts, 1000);
    assert_cell(r, profile, 0, end_ts, 1005);
    assert_cell(r, profile, 0, dur, 5);
    assert_mem_text(r->sink, profile, 0, format, "otlp");
    assert_mem_text(r->sink, source, 1, clock, "realtime");
    assert_mem_text(r->sink, source, 1, format_version, version);
    assert_cell(r, source, 1, complete, 1);
}

static void test_worked_messages(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, message_1_10());
    assert_one_sample(&r, "1.10", true);
    run_free(&r);
    import_bytes(&r, message_with_empty_list());
    assert_one_sample(&r, "1.10", true);
    run_free(&r);
    import_bytes(&r, message_1_4());
    assert_one_sample(&r, "1.4", false);
    run_free(&r);
}

static void test_json(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, bytes_of(json_text));
    assert_one_sample(&r, "1.9", true);
    run_free(&r);
}

/* Members of a line each, and a line that does not end. */
static void test_json_over_lines(void **state)
{
    run r;
    bytes b = {0};
    UNUSED(state);
    for (const char *s = json_text; s[1] != '\0'; s++) {
        put(&b, s, 1);
        if (*s == ',' || *s == '{') {
            put_str(&b, "\n  ");
        }
    }
    import_bytes(&r, b);
    assert_one_sample(&r, "1.9", true);
    run_free(&r);
}

/* The same fields with the same wire types, but for what changed places. */
static void test_samples_of_layouts(void **state)
{
    static const struct {
        const char *sample;
        bool old;
        const char *version;
    } cases[] = {
        {"0800 1001 1A010A 220102 2801 3202E807", true, "1.7"},
        {"0801 12010A 1A0102 2001 2A08E803000000000000", false, "1.9"},
        {"0801 120102 1801 22010A 2A08E803000000000000", false, "1.10"},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        run r;
        import_bytes(&r, message_with(cases[i].sample, cases[i].old));
        assert_int_equal(complaints(&r), 0);
        assert_mem_text(r.sink, source, 1, format_version, cases[i].version);
        assert_rows(&r, stack_sample, 1);
        assert_cell(&r, stack_sample, 0, ts, 1000);
        assert_mem_row(r.sink, stack_sample_value, 0, "1|1|10");
        assert_rows(&r, stack_sample_label, 2);
        assert_mem_row(r.sink, stack_sample_label, 0, "1|k|v");
        assert_mem_row(r.sink, stack_sample_label, 1, "1|span id|3031323334353637");
        run_free(&r);
    }
}

/* 1 in field 2 may be a value of 1.9 or an attribute of 1.10: the value is 1 in both. */
static void test_open_layout(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, message_with("0801 120101 2A08E803000000000000", false));
    assert_int_equal(issue_sum(&r, "otlp_layout_guessed"), 1);
    assert_rows(&r, stack_sample, 1);
    assert_mem_row(r.sink, stack_sample_value, 0, "1|1|1");
    assert_rows(&r, stack_sample_label, 0);
    run_free(&r);
    import_bytes(&r, message_with("0801 120102 2A08E803000000000000", false));
    assert_int_equal(issue_sum(&r, "otlp_layout_guessed"), 1);
    assert_rows(&r, stack_sample, 1);
    assert_rows(&r, stack_sample_value, 0);
    run_free(&r);
    /* 9 is no attribute: it is a value. */
    import_bytes(&r, message_with("0801 120109 2A08E803000000000000", false));
    assert_int_equal(complaints(&r), 0);
    assert_mem_row(r.sink, stack_sample_value, 0, "1|1|9");
    run_free(&r);
}

/* Values and times of other numbers, and none of either. */
static void test_shapes(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, message_with("0801 1801 22020A0B", false));
    assert_int_equal(complaints(&r), 0);
    assert_rows(&r, stack_sample, 2);
    assert_mem_row(r.sink, stack_sample, 1, "2|2|NULL|NULL|NULL|1|cpu");
    assert_mem_row(r.sink, stack_sample_value, 1, "2|1|11");
    run_free(&r);
    import_bytes(&r, message_with("0801 1801 22020A0B 2A08E803000000000000", false));
    assert_int_equal(issue_sum(&r, "otlp_shape"), 1);
    assert_rows(&r, stack_sample, 1);
    assert_rows(&r, stack_sample_value, 0);
    run_free(&r);
    /* Beyond 64 bits: no time. */
    import_bytes(&r, message_with("0801 1801 22010A 2A08000000000000FFFF", false));
    assert_int_equal(issue_sum(&r, "time_overflow"), 1);
    assert_mem_row(r.sink, stack_sample_value, 0, "1|1|10");
    run_free(&r);
}

static void test_bad_indexes(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, message_with("0809 120109 1809 22010A 2A08E803000000000000", false));
    assert_int_equal(issue_sum(&r, "otlp_bad_index"), 3);
    assert_mem_row(r.sink, stack_sample, 0, "1|2|NULL|1000|NULL|NULL|cpu");
    assert_rows(&r, stack_sample_value, 1);
    run_free(&r);
}

/* Release 1.10: four samples in functions f1 to f4, with texts, locations and stacks of their own.
 * place: an entry of the table `field` whose byte `at` becomes `value`; text: in place of f2. */
typedef struct four {
    uint32_t field;
    int place;
    size_t at;
    uint8_t value;
    const char *text;
} four;

static void put_entry(bytes *b, const four *damage, uint32_t field, int place, bytes entry)
{
    size_t begin = b->n;
    put_part(b, field, entry);
    if (damage->field == field && damage->place == place) {
        b->p[begin + damage->at] = damage->value;
    }
}

static bytes dictionary_of_four(const four *damage)
{
    static const char *const texts[] = {"", "cpu", "count", "f1", "f2", "f3", "f4"};
    static const char *const entries[][5] = {
        [2] = {"", "1A020801", "1A020802", "1A020803", "1A020804"},
        [3] = {"", "0803", "0804", "0805", "0806"},
        [4] = {"", "12083031323334353637"},
        [7] = {"", "0A0101", "0A0102", "0A0103", "0A0104"}};
    bytes b = {0};
    for (uint32_t field = 2; field <= 7; field++) {
        for (int i = 0; field != 5 && i < 5 && entries[field][i] != NULL; i++) {
            put_entry(&b, damage, field, i, from_hex(entries[field][i]));
        }
        for (int i = 0; field == 5 && i < 7; i++) {
            bytes text = {0};
            put_str(&text, i == 4 && damage->text != NULL ? damage->text : texts[i]);
            put_entry(&b, damage, field, i, text);
        }
    }
    return b;
}

static bytes message_of_four(const four *damage)
{
    bytes top = {0};
    bytes group = {0};
    bytes scoped = {0};
    bytes profile = from_hex("0A0408011002");
    char hex[64];
    for (int i = 1; i <= 4; i++) {
        snprintf(hex, sizeof hex, "080%d 1801 22010%d 2A08E80%d000000000000", i, i, i);
        put_part(&profile, 2, from_hex(hex));
    }
    put_str(&profile, "\x19\xE8\x03");
    put_zeros(&profile, 6);
    put_part(&scoped, 2, profile);
    put_part(&group, 2, scoped);
    put_part(&top, 1, group);
    put_part(&top, 2, dictionary_of_four(damage));
    return top;
}

/* What follows damage that moves the entries of a table is not to be had: it would be that of
 * others. */
static void test_moved_entries(void **state)
{
    static const struct {
        four damage;
        uint64_t entries, indexes;
    } cases[] = {
        {{3, 2, 1, 6, NULL}, 1, 3},    /* its length takes the next one in */
        {{3, 2, 0, 0x4A, NULL}, 1, 3}, /* it is none of any table */
        {{3, 2, 0, 0x12, NULL}, 2, 3}, /* it is one of another table */
        {{5, 4, 1, 6, NULL}, 1, 3},
    };
    run r;
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        import_bytes(&r, message_of_four(&cases[i].damage));
        assert_int_equal(issue_sum(&r, "otlp_bad_entry"), cases[i].entries);
        assert_int_equal(issue_sum(&r, "otlp_bad_index"), cases[i].indexes);
        assert_rows(&r, stack_sample, 4);
        assert_mem_text(r.sink, stack_method, 0, name, "f1");
        for (size_t m = 1; m < MEM_ROWS(r.sink, stack_method); m++) {
            assert_null_cell(&r, stack_method, m, name);
        }
        run_free(&r);
    }
}

/* A text may look as if it had the next one in it. */
static void test_text_like_entries(void **state)
{
    static const four damage = {.text = "f2*\002f3"};
    run r;
    UNUSED(state);
    import_bytes(&r, message_of_four(&damage));
    assert_int_equal(complaints(&r), 0);
    assert_rows(&r, stack_method, 4);
    assert_mem_text(r.sink, stack_method, 1, name, "f2*\002f3");
    assert_mem_text(r.sink, stack_method, 3, name, "f4");
    run_free(&r);
}

/* A field of a later release is passed over, and named. */
static void test_unknown_field(void **state)
{
    run r;
    bytes b = message_1_10();
    UNUSED(state);
    put_number(&b, 19, 1);
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "otlp_unknown_field"), 1);
    assert_mem_text(r.sink, import_issue, 0, message,
                    "fields are not known, the first one is 19 of ProfilesData");
    assert_rows(&r, stack_sample_value, 1);
    run_free(&r);
}

/* --- forms of files ----------------------------------------------------------------------------
 */

static bytes two_framed(void)
{
    bytes b = {0};
    put_framed(&b, message_1_10());
    put_framed(&b, message_1_10());
    return b;
}

/* Equal sources of all messages are one. */
static void test_framed(void **state)
{
    run r;
    bytes b = {0};
    UNUSED(state);
    import_bytes(&r, two_framed());
    assert_int_equal(complaints(&r), 0);
    assert_rows(&r, profile, 1);
    assert_rows(&r, stack_sample, 2);
    assert_rows(&r, stack_node, 1);
    assert_true(memsink_find_text(r.sink, TS_T_source_property, TS_C_source_property__key,
                                  "otlp.messages") != SIZE_MAX);
    run_free(&r);
    put_framed(&b, zstd_of(message_1_10()));
    put_framed(&b, zstd_of(bytes_of(json_text)));
    import_bytes(&r, b);
    assert_int_equal(complaints(&r), 0);
    assert_rows(&r, profile, 1);
    assert_rows(&r, stack_sample, 2);
    run_free(&r);
}

static void test_lost_sync(void **state)
{
    run r;
    bytes b = two_framed();
    UNUSED(state);
    b.p[4 + 152 + 3]--; /* the second length */
    put_framed(&b, message_1_10());
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "otlp_bad_message") + issue_sum(&r, "otlp_cut"), 1);
    assert_int_equal(issue_sum(&r, "otlp_lost_sync"), 1);
    assert_rows(&r, stack_sample, 1);
    run_free(&r);
}

static void test_lines(void **state)
{
    run r;
    bytes b = {0};
    UNUSED(state);
    put_str(&b, json_text);
    put_str(&b, "{\"resourceProfiles\":[}\n\n");
    put_str(&b, json_text);
    put(&b, json_text, 400);
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "otlp_bad_message"), 1);
    assert_int_equal(issue_sum(&r, "otlp_cut"), 1);
    assert_int_equal(issue_offset(&r, "otlp_bad_message"), sizeof json_text - 1 + 21);
    assert_rows(&r, stack_sample, 2);
    assert_cell(&r, source, 1, complete, 0);
    run_free(&r);
}

/* An element of a list that is none moves the others. */
static void test_json_elements(void **state)
{
    run r;
    UNUSED(state);
    import_bytes(&r, bytes_of("{\"resourceProfiles\":[null]}"));
    assert_int_equal(issue_sum(&r, "otlp_bad_message"), 1);
    run_free(&r);
    import_bytes(&r, bytes_of("{\"resourceProfiles\":[{\"resource\":7,\"later\":[{}],"
                              "\"scopeProfiles\":null}]}"));
    assert_int_equal(issue_sum(&r, "prof_bad_element"), 1);
    assert_int_equal(issue_sum(&r, "otlp_bad_message"), 0);
    run_free(&r);
}

/* --- what it is --------------------------------------------------------------------------------
 */

static void test_sniff(void **state)
{
    struct {
        bytes b;
        bool otlp;
    } cases[] = {
        {message_1_10(), true},
        {message_1_4(), true},
        {bytes_of(json_text), true},
        {two_framed(), true},
        {bytes_of("{\"resourceSpans\":[]}"), false},
        {from_hex("0A04 40645001"), false},             /* a packet of Perfetto: time, sequence */
        {from_hex("0A06 1204 0A020807"), false},        /* processes */
        {from_hex("0A04 08011002 3200 320178"), false}, /* pprof */
        {from_hex("0A00 0A00"), false},
        {from_hex("00000004 0A020807"), false},
    };
    UNUSED(state);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *key = cases[i].b.p[0] != '{' ? NULL
                          : cases[i].otlp        ? "resourceProfiles"
                                                 : "resourceSpans";
        const ts_sniff s = {
            .name = "x", .head = cases[i].b.p, .n = cases[i].b.n, .whole = true, .json_key = key};
        assert_int_equal(ts_format_otlp.sniff(&s) != TS_SNIFF_NO, cases[i].otlp);
        assert_true(!cases[i].otlp || ts_format_pprof.sniff(&s) == TS_SNIFF_NO);
        free(cases[i].b.p);
    }
}

static void test_options(void **state)
{
    UNUSED(state);
    assert_true(ts_format_otlp.check_options("layout=1.3"));
    assert_true(ts_format_otlp.check_options("layout=1.11"));
    assert_false(ts_format_otlp.check_options("layout=1.12"));
    assert_false(ts_format_otlp.check_options("layout="));
    assert_false(ts_format_otlp.check_options("1.9"));
}

/* --- damage ------------------------------------------------------------------------------------
 */

static void test_no_dictionary(void **state)
{
    run r;
    bytes b = message_1_10();
    UNUSED(state);
    b.n = 65;
    import_bytes(&r, b);
    assert_int_equal(issue_sum(&r, "otlp_no_dictionary"), 1);
    assert_rows(&r, stack_sample, 0);
    run_free(&r);
}

/* The profile before the cut is used where it has its own tables. */
static void test_cut_old_layout(void **state)
{
    run r;
    bytes profile = from_hex("0A0408011002 1209 1001 1A010A 3202E807 2207 108020 1A021007 "
                             "2A0100 32020803 5200 5203637075 520B6E616E6F7365636F6E6473 520166 "
                             "58E807 6005");
    bytes scoped = {0};
    bytes group = {0};
    bytes top = {0};
    UNUSED(state);
    put_field(&scoped, 2, profile.p, profile.n);
    put_part(&scoped, 2, profile);
    put_part(&group, 2, scoped);
    put_part(&top, 1, group);
    top.n -= 5;
    import_bytes(&r, top);
    assert_int_equal(issue_sum(&r, "otlp_cut"), 1);
    assert_rows(&r, stack_sample, 1);
    assert_mem_row(r.sink, stack_sample_value, 0, "1|1|10");
    run_free(&r);
}

static bytes mixed(void)
{
    bytes b = two_framed();
    put_framed(&b, zstd_of(message_1_4()));
    put_framed(&b, bytes_of(json_text));
    return b;
}

static void test_blocks(void **state)
{
    bytes all[] = {message_1_10(), message_1_4(), mixed(), bytes_of(json_text), {0}};
    UNUSED(state);
    put_str(&all[4], json_text);
    put_str(&all[4], "{\"resourceProfiles\":[}\n");
    put(&all[4], json_text, 600);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        check_blocks(&all[i], ANY_DEFECTS);
        free(all[i].p);
    }
}

static void test_cut_at_every_byte(void **state)
{
    bytes all[] = {message_1_10(), message_1_4(), mixed(), bytes_of(json_text)};
    UNUSED(state);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        run whole;
        import_damaged(&whole, &all[i], 0);
        for (size_t cut = 1; cut < all[i].n; cut++) {
            bytes part = {all[i].p, cut, 0};
            size_t row;
            run r;
            import_damaged(&r, &part, 0);
            assert_true(memsink_is_prefix(&row, r.sink, whole.sink, TS_T_stack_sample));
            assert_true(memsink_is_prefix(&row, r.sink, whole.sink, TS_T_stack_sample_value));
            run_free(&r);
        }
        run_free(&whole);
        free(all[i].p);
    }
}

static void test_bits(void **state)
{
    bytes all[] = {message_1_10(), message_1_4(), mixed(), bytes_of(json_text)};
    UNUSED(state);
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        check_bits(&all[i], 1);
        free(all[i].p);
    }
}

static void test_every_allocation_fails(void **state)
{
    bytes b = mixed();
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
        assert_true(code == TS_OK ? k > 40 : code == TS_ERR_NOMEM);
        r.ctx->allocator = allocator;
        run_free(&r);
    }
    free(b.p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_messages),
        cmocka_unit_test(test_json),
        cmocka_unit_test(test_json_over_lines),
        cmocka_unit_test(test_samples_of_layouts),
        cmocka_unit_test(test_open_layout),
        cmocka_unit_test(test_shapes),
        cmocka_unit_test(test_bad_indexes),
        cmocka_unit_test(test_moved_entries),
        cmocka_unit_test(test_text_like_entries),
        cmocka_unit_test(test_unknown_field),
        cmocka_unit_test(test_framed),
        cmocka_unit_test(test_lost_sync),
        cmocka_unit_test(test_lines),
        cmocka_unit_test(test_json_elements),
        cmocka_unit_test(test_sniff),
        cmocka_unit_test(test_options),
        cmocka_unit_test(test_no_dictionary),
        cmocka_unit_test(test_cut_old_layout),
        cmocka_unit_test(test_blocks),
        cmocka_unit_test(test_cut_at_every_byte),
        cmocka_unit_test(test_bits),
        cmocka_unit_test(test_every_allocation_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
