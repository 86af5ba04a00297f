/* Parts of the reader of TPTP traces on their own: times, numbers, tables, tags. */
#include "parsers_run.h"

#include "parsers/tptp/binary_trace.h"
#include "parsers/tptp/xml_trace.h"

static void test_seconds(void **state)
{
    static const struct {
        const char *text;
        bool good;
        int64_t ns;
    } cases[] = {
        {"1171278546.933593750", true, INT64_C(1171278546933593750)},
        {"1171278546", true, INT64_C(1171278546000000000)},
        {"0.000000001", true, 1},
        {".5", true, 500000000},
        {"5.", true, INT64_C(5000000000)},
        {"1.0000000019", true, 1000000001},
        {"-2.5", true, -INT64_C(2500000000)},
        {"+2.5", true, INT64_C(2500000000)},
        {"1.5e3", true, INT64_C(1500000000000)},
        {"1171278546933593750E-9", true, INT64_C(1171278546933593750)},
        {"1e-10", true, 0},
        {"0e99", true, 0},
        {"9223372036.854775807", true, INT64_MAX},
        {"9223372036.854775808", false, 0},
        {"1e10", false, 0},
        {"1,5", false, 0},
        {"", false, 0},
        {".", false, 0},
        {"1e", false, 0},
        {"abc", false, 0},
        {"1 ", false, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t ns = 77;
        bool good = tptp_parse_seconds(&ns, cases[i].text);
        if (good != cases[i].good || (good && ns != cases[i].ns)) {
            fail_msg("%s: %d %lld", cases[i].text, good, (long long)ns);
        }
    }
}

static void test_numbers(void **state)
{
    int64_t v;
    (void)state;
    assert_true(tptp_parse_number(&v, "9223372036854775807") && v == INT64_MAX);
    assert_true(tptp_parse_number(&v, "-9223372036854775808") && v == INT64_MIN);
    assert_false(tptp_parse_number(&v, "9223372036854775808"));
    assert_false(tptp_parse_number(&v, "-9223372036854775809"));
    assert_false(tptp_parse_number(&v, "abc"));
    assert_false(tptp_parse_number(&v, "-"));
    assert_false(tptp_parse_number(&v, "1.5"));
}

static void test_ticks(void **state)
{
    tptp_ticks t = {0};
    int64_t ns;
    double hz = 2.4e9;
    uint64_t bits;
    (void)state;
    /* 2846137023130618680 ticks at 2.4 GHz. */
    assert_int_equal(tptp_ticks_rate(&t, UINT64_C(2400000000)), TPTP_RATE_PLAIN);
    assert_true(tptp_ticks_ns(&ns, &t, UINT64_C(2846137023130618680)));
    assert_int_equal(ns, INT64_C(1185890426304424450));
    assert_true(tptp_ticks_span(&ns, &t, -288000));
    assert_int_equal(ns, -120000);
    /* 1970 in ticks of 5 GHz is beyond 2^63. */
    assert_int_equal(tptp_ticks_rate(&t, UINT64_C(5000000000)), TPTP_RATE_PLAIN);
    assert_true(tptp_ticks_ns(&ns, &t, UINT64_C(10000000000000000005)));
    assert_int_equal(ns, INT64_C(2000000000000000001));
    assert_int_equal(tptp_ticks_rate(&t, 2400), TPTP_RATE_MHZ);
    assert_int_equal(t.frequency, UINT64_C(2400000000));
    memcpy(&bits, &hz, sizeof bits);
    assert_int_equal(tptp_ticks_rate(&t, bits), TPTP_RATE_DOUBLE);
    assert_int_equal(t.frequency, UINT64_C(2400000000));
    /* A frequency so high that a second of ticks times 10^9 does not fit into 64 bits. */
    assert_int_equal(tptp_ticks_rate(&t, UINT64_C(100000000000)), TPTP_RATE_PLAIN);
    assert_true(tptp_ticks_ns(&ns, &t, UINT64_C(199999999999)));
    assert_int_equal(ns, 1999999999);
    /* One tick a ns is the most that 64 bits of ticks may say. */
    t = (tptp_ticks){.frequency = 1};
    assert_false(tptp_ticks_ns(&ns, &t, UINT64_MAX));
    t = (tptp_ticks){0};
    tptp_ticks_guess(&t, UINT64_C(1185890426304));
    assert_int_equal(t.scale, 1000000);
    tptp_ticks_guess(&t, UINT64_C(1185890426304424));
    assert_int_equal(t.scale, 1000);
    tptp_ticks_guess(&t, UINT64_C(1185890426304424450));
    assert_int_equal(t.scale, 1);
}

/* What stands at the beginning of a text, and how long it is; in one piece and byte by byte. */
static void test_pieces(void **state)
{
    static const struct {
        const char *text;
        tptp_piece piece;
        size_t size;
    } cases[] = {
        {"<a b=\"c\"/>x", TPTP_PIECE_EMPTY, 10},
        {"<a b='c'>x", TPTP_PIECE_START, 9},
        {"<a b=\"<x>\" c='\"'/>y", TPTP_PIECE_EMPTY, 18},
        {"</a >x", TPTP_PIECE_END, 5},
        {"<?xml version=\"1.0\"?><a/>", TPTP_PIECE_OTHER, 21},
        {"<!-- <a/> - -- > --><b/>", TPTP_PIECE_OTHER, 20},
        {"<!DOCTYPE a [<!ENTITY b \"]>\">]><c/>", TPTP_PIECE_OTHER, 31},
        {"<![CDATA[<a/>]]]>x", TPTP_PIECE_CDATA, 17},
        {"text <a/>", TPTP_PIECE_TEXT, 5},
        {"< 5 <a/>", TPTP_PIECE_TEXT, 4},
        {"<a b=\"1 c=\"2\"/><d/>", TPTP_PIECE_BAD, 11}, /* a quote is missing */
        {"<a b=\"1<c d=\"2\"/>", TPTP_PIECE_BAD, 7},
        {"<a b<c d=\"2\"/>", TPTP_PIECE_BAD, 4},
        {"<a b=\"1", TPTP_PIECE_MORE, 0},
        {"<", TPTP_PIECE_MORE, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t n = strlen(cases[i].text);
        size_t size = 0;
        bool special;
        tptp_scan scan = {0};
        tptp_piece piece = tptp_xml_piece(&size, &special, &scan, cases[i].text, n, true);
        if (piece != cases[i].piece || size != cases[i].size) {
            fail_msg("%s: %d %zu", cases[i].text, piece, size);
        }
        scan = (tptp_scan){0};
        size = 0;
        piece = TPTP_PIECE_MORE;
        for (size_t k = 1; k <= n && piece == TPTP_PIECE_MORE; k++) {
            piece = tptp_xml_piece(&size, &special, &scan, cases[i].text, k, k == n);
        }
        if (piece != cases[i].piece || size != cases[i].size) {
            fail_msg("%s: %d %zu in bytes", cases[i].text, piece, size);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_pieces),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
