/* Which documents are accepted, and where and why the others are not (RFC 8259). */
#include "json_check.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

static void test_accepted(void **state)
{
    (void)state;
    static const json_case cases[] = {
        {.in = "{}", .events = "{ } "},
        {.in = "[]", .events = "[ ] "},
        {.in = "null", .events = "n "},
        {.in = "true", .events = "t "},
        {.in = "false", .events = "f "},
        {.in = "\"\"", .events = "s\"\" "},
        {.in = "0", .events = "i0 "},
        {.in = " \t\r\n[ \t\r\n] \t\r\n", .events = "[ ] "},
        {.in = "\t12\n", .events = "i12 "},
        {.in = "[[],{},[[]]]", .events = "[ [ ] { } [ [ ] ] ] "},
        {.in = "[true,false,null]", .events = "[ t f n ] "},
        {.in = "[ 1 , \"a\" , 2 ]", .events = "[ i1 s\"a\" i2 ] "},
        {.in = "{\"a\":1,\"b\":[2],\"\":{}}", .events = "{ k\"a\" i1 k\"b\" [ i2 ] k\"\" { } } "},
        {.in = "{ \"a\" : 1 , \"a\" : null }", .events = "{ k\"a\" i1 k\"a\" n } "},
        {.in = "{\"a\":{\"b\":{\"c\":[{}]}}}",
         .events = "{ k\"a\" { k\"b\" { k\"c\" [ { } ] } } } "},
        {.in = "[\"\x7F\"]", .events = "[ s\"\\7F\" ] "},
        /* a byte order mark is skipped */
        {.in = "\xEF\xBB\xBF[1]", .events = "[ i1 ] "},
        {.in = "\xEF\xBB\xBF 7", .events = "i7 "},
    };
    json_check_all(cases, COUNT(cases), 0);
    json_check_all(cases, COUNT(cases), TS_JSON_RAW_STRINGS);
}

static void test_incomplete(void **state)
{
    (void)state;
    static const char array[] = "the text ends inside an array";
    static const char object[] = "the text ends inside an object";
    static const char string[] = "the text ends inside a string";
    static const char key[] = "the text ends inside a key";
    static const char number[] = "the text ends inside a number";
    static const char literal[] = "the text ends inside a literal";
    static const json_case cases[] = {
        {.in = "", .events = "", .reason = "the text is empty", .position = 0},
        {.in = " \n ", .events = "", .reason = "the text is empty", .position = 3},
        {.in = "\xEF\xBB\xBF", .events = "", .reason = "the text is empty", .position = 3},
        {.in = "\xEF\xBB", .events = "", .reason = "incomplete byte order mark", .position = 2},
        {.in = "[", .events = "[ ", .reason = array, .position = 1},
        {.in = "[[]", .events = "[ [ ] ", .reason = array, .position = 3},
        {.in = "[1,", .events = "[ i1 ", .reason = array, .position = 3},
        {.in = "[true", .events = "[ t ", .reason = array, .position = 5},
        {.in = "{", .events = "{ ", .reason = object, .position = 1},
        {.in = "{\"a\"", .events = "{ k\"a\" ", .reason = object, .position = 4},
        {.in = "{\"a\":", .events = "{ k\"a\" ", .reason = object, .position = 5},
        {.in = "{\"a\":[]", .events = "{ k\"a\" [ ] ", .reason = object, .position = 7},
        {.in = "{\"a\":[],", .events = "{ k\"a\" [ ] ", .reason = object, .position = 8},
        {.in = "{\"a", .events = "{ ", .reason = key, .position = 3},
        {.in = "\"", .events = "", .reason = string, .position = 1},
        {.in = "[\"ab", .events = "[ s\"ab", .reason = string, .position = 4},
        {.in = "[\"a\\", .events = "[ s\"a", .reason = string, .position = 4},
        {.in = "[\"a\\u00", .events = "[ s\"a", .reason = string, .position = 7},
        {.in = "[\"a\\n", .events = "[ s\"a\\0A", .reason = string, .position = 5},
        {.in = "[\"a\\ud800", .events = "[ s\"a", .reason = string, .position = 9},
        {.in = "nul", .events = "", .reason = literal, .position = 3},
        {.in = "[t", .events = "[ ", .reason = literal, .position = 2},
        /* at top level the end of the text ends a number, inside an array it may have been cut */
        {.in = "[12", .events = "[ ", .reason = number, .position = 3},
        {.in = "[1,2.5", .events = "[ i1 ", .reason = number, .position = 6},
        {.in = "-", .events = "", .reason = number, .position = 1},
        {.in = "1.", .events = "", .reason = number, .position = 2},
        {.in = "1e", .events = "", .reason = number, .position = 2},
        {.in = "1e+", .events = "", .reason = number, .position = 3},
    };
    json_check_all(cases, COUNT(cases), 0);
    json_check_all(cases, COUNT(cases), TS_JSON_RAW_STRINGS);
    /* half a character: only a reader that passes bytes on unchecked has anything to pass on */
    static const json_case half = {
        .in = "[\"a\xC3", .events = "[ s\"a", .reason = string, .position = 4};
    static const json_case raw_half = {
        .in = "[\"a\xC3", .events = "[ s\"a\\C3", .reason = string, .position = 4};
    json_check_all(&half, 1, 0);
    json_check_all(&raw_half, 1, TS_JSON_RAW_STRINGS);
}

static void test_misplaced(void **state)
{
    (void)state;
    static const char value[] = "expected a value";
    static const char first[] = "expected a value or ']'";
    static const char next[] = "expected ',' or ']'";
    static const char member[] = "expected ',' or '}'";
    static const char rest[] = "text after the end of the document";
    static const json_case cases[] = {
        {.in = "]", .events = "", .reason = value, .position = 0},
        {.in = "}", .events = "", .reason = value, .position = 0},
        {.in = ",", .events = "", .reason = value, .position = 0},
        {.in = "[,1]", .events = "[ ", .reason = first, .position = 1},
        {.in = "[}", .events = "[ ", .reason = first, .position = 1},
        {.in = "[1,]", .events = "[ i1 ", .reason = value, .position = 3},
        {.in = "[1,,2]", .events = "[ i1 ", .reason = value, .position = 3},
        {.in = "[1}", .events = "[ i1 ", .reason = next, .position = 2},
        {.in = "[1 2]", .events = "[ i1 ", .reason = next, .position = 3},
        {.in = "[1:2]", .events = "[ i1 ", .reason = next, .position = 2},
        {.in = "[\"a\" \"b\"]", .events = "[ s\"a\" ", .reason = next, .position = 5},
        {.in = "[[]1]", .events = "[ [ ] ", .reason = next, .position = 3},
        {.in = "[1]]", .events = "[ i1 ] ", .reason = rest, .position = 3},
        {.in = "{]", .events = "{ ", .reason = "expected a key or '}'", .position = 1},
        {.in = "{,}", .events = "{ ", .reason = "expected a key or '}'", .position = 1},
        {.in = "{1:2}", .events = "{ ", .reason = "expected a key or '}'", .position = 1},
        {.in = "{a:2}", .events = "{ ", .reason = "expected a key or '}'", .position = 1},
        {.in = "{'a':2}", .events = "{ ", .reason = "expected a key or '}'", .position = 1},
        {.in = "{\"a\":1,}", .events = "{ k\"a\" i1 ", .reason = "expected a key", .position = 7},
        {.in = "{\"a\" 1}", .events = "{ k\"a\" ", .reason = "expected ':'", .position = 5},
        {.in = "{\"a\",\"b\"}", .events = "{ k\"a\" ", .reason = "expected ':'", .position = 4},
        {.in = "{\"a\"}", .events = "{ k\"a\" ", .reason = "expected ':'", .position = 4},
        {.in = "{\"a\"::1}", .events = "{ k\"a\" ", .reason = value, .position = 5},
        {.in = "{\"a\":}", .events = "{ k\"a\" ", .reason = value, .position = 5},
        {.in = "{\"a\":1 \"b\":2}", .events = "{ k\"a\" i1 ", .reason = member, .position = 7},
        {.in = "{\"a\":1]", .events = "{ k\"a\" i1 ", .reason = member, .position = 6},
        {.in = "1 2", .events = "i1 ", .reason = rest, .position = 2},
        {.in = "{}{}", .events = "{ } ", .reason = rest, .position = 2},
        {.in = "null,", .events = "n ", .reason = rest, .position = 4},
        {.in = "\"a\"x", .events = "s\"a\" ", .reason = rest, .position = 3},
        {.in = "[]\0", .n = 3, .events = "[ ] ", .reason = rest, .position = 2},
    };
    json_check_all(cases, COUNT(cases), 0);
    json_check_all(cases, COUNT(cases), TS_JSON_RAW_STRINGS);
}

static void test_foreign(void **state)
{
    (void)state;
    static const char value[] = "expected a value";
    static const char first[] = "expected a value or ']'";
    static const char next[] = "expected ',' or ']'";
    static const json_case cases[] = {
        /* white space is only the four characters */
        {.in = "[\f1]", .events = "[ ", .reason = first, .position = 1},
        {.in = "[1\v]", .events = "[ i1 ", .reason = next, .position = 2},
        {.in = "[1,\xC2\xA0"
               "2]",
         .events = "[ i1 ",
         .reason = value,
         .position = 3},
        {.in = "[\0]", .n = 3, .events = "[ ", .reason = first, .position = 1},
        /* comments */
        {.in = "[1,//\n2]", .events = "[ i1 ", .reason = value, .position = 3},
        {.in = "[1/**/]", .events = "[ i1 ", .reason = next, .position = 2},
        {.in = "#\n1", .events = "", .reason = value, .position = 0},
        /* a second mark, half a mark, other encodings */
        {.in = "\xEF\xBB\xBF\xEF\xBB\xBF[]", .events = "", .reason = value, .position = 3},
        {.in = "\xEF\xBB[]", .events = "", .reason = "incomplete byte order mark", .position = 2},
        {.in = "[\xEF\xBB\xBF]", .events = "[ ", .reason = first, .position = 1},
        {.in = "\xFF\xFE[\0]\0",
         .n = 6,
         .events = "",
         .reason = "the text is not UTF-8",
         .position = 0},
        {.in = "\xFE\xFF\0[\0]",
         .n = 6,
         .events = "",
         .reason = "the text is not UTF-8",
         .position = 0},
        {.in = "[\0]\0", .n = 4, .events = "[ ", .reason = first, .position = 1},
        {.in = "\0[\0]", .n = 4, .events = "", .reason = value, .position = 0},
    };
    json_check_all(cases, COUNT(cases), 0);
    json_check_all(cases, COUNT(cases), TS_JSON_RAW_STRINGS);
}

static void test_literals(void **state)
{
    (void)state;
    static const char literal[] = "invalid literal";
    static const char value[] = "expected a value";
    static const json_case cases[] = {
        {.in = "nulL", .events = "", .reason = literal, .position = 3},
        {.in = "[ture]", .events = "[ ", .reason = literal, .position = 2},
        {.in = "[fals]", .events = "[ ", .reason = literal, .position = 5},
        {.in = "nan", .events = "", .reason = literal, .position = 1},
        {.in = "True", .events = "", .reason = value, .position = 0},
        {.in = "NULL", .events = "", .reason = value, .position = 0},
        {.in = "undefined", .events = "", .reason = value, .position = 0},
        {.in = "[truefalse]", .events = "[ t ", .reason = "expected ',' or ']'", .position = 5},
        {.in = "nulll",
         .events = "n ",
         .reason = "text after the end of the document",
         .position = 4},
    };
    json_check_all(cases, COUNT(cases), 0);
}

static void test_number_grammar(void **state)
{
    (void)state;
    static const char digit[] = "expected a digit";
    static const char zero[] = "a number with a superfluous leading zero";
    static const char value[] = "expected a value";
    static const char next[] = "expected ',' or ']'";
    static const json_case cases[] = {
        {.in = "[-]", .events = "[ ", .reason = digit, .position = 2},
        {.in = "[--1]", .events = "[ ", .reason = digit, .position = 2},
        {.in = "[-a]", .events = "[ ", .reason = digit, .position = 2},
        {.in = "[-.5]", .events = "[ ", .reason = digit, .position = 2},
        {.in = "[-Infinity]", .events = "[ ", .reason = digit, .position = 2},
        {.in = "[1.]", .events = "[ ", .reason = digit, .position = 3},
        {.in = "[1.e5]", .events = "[ ", .reason = digit, .position = 3},
        {.in = "[1e]", .events = "[ ", .reason = digit, .position = 3},
        {.in = "[1e+]", .events = "[ ", .reason = digit, .position = 4},
        {.in = "[1e-+2]", .events = "[ ", .reason = digit, .position = 4},
        {.in = "[1e++2]", .events = "[ ", .reason = digit, .position = 4},
        {.in = "[1..5]", .events = "[ ", .reason = digit, .position = 3},
        {.in = "[01]", .events = "[ ", .reason = zero, .position = 2},
        {.in = "[00]", .events = "[ ", .reason = zero, .position = 2},
        {.in = "[-012]", .events = "[ ", .reason = zero, .position = 3},
        {.in = "[1,012,3,4,5,6,7,8,9,10,11,12]", .events = "[ i1 ", .reason = zero, .position = 4},
        {.in = "[1,-012,3,4,5,6,7,8,9,10,11,12]", .events = "[ i1 ", .reason = zero, .position = 5},
        {.in = "[.5]", .events = "[ ", .reason = "expected a value or ']'", .position = 1},
        {.in = "[1,+1]", .events = "[ i1 ", .reason = value, .position = 3},
        {.in = "[1,NaN]", .events = "[ i1 ", .reason = value, .position = 3},
        {.in = "[1,Infinity]", .events = "[ i1 ", .reason = value, .position = 3},
        {.in = "[0x10]", .events = "[ i0 ", .reason = next, .position = 2},
        {.in = "[1_000]", .events = "[ i1 ", .reason = next, .position = 2},
        {.in = "[1.5.5]", .events = "[ d0x1.8p+0 ", .reason = next, .position = 4},
        {.in = "[1e5.5]", .events = "[ i100000 ", .reason = next, .position = 4},
        {.in = "[1e5e5]", .events = "[ i100000 ", .reason = next, .position = 4},
        {.in = "[1-2]", .events = "[ i1 ", .reason = next, .position = 2},
        {.in = "[1,2\"\"]", .events = "[ i1 i2 ", .reason = next, .position = 4},
    };
    json_check_all(cases, COUNT(cases), 0);
}

static void test_string_grammar(void **state)
{
    (void)state;
    static const char control[] = "control character in a string";
    static const char escape[] = "invalid escape in a string";
    static const char hex[] = "expected a hexadecimal digit";
    static const json_case cases[] = {
        {.in = "[\"\n\"]", .events = "[ ", .reason = control, .position = 2},
        {.in = "[\"a\tb\"]", .events = "[ s\"a", .reason = control, .position = 3},
        {.in = "[\"abcdefgh\0\"]",
         .n = 13,
         .events = "[ s\"abcdefgh",
         .reason = control,
         .position = 10},
        {.in = "[\"a\x1F\"]", .events = "[ s\"a", .reason = control, .position = 3},
        {.in = "{\"a\x1F\":1}", .events = "{ ", .reason = control, .position = 3},
        {.in = "[\"a\\n\n\"]", .events = "[ s\"a\\0A", .reason = control, .position = 5},
        {.in = "[\"a\\x41\"]", .events = "[ s\"a", .reason = escape, .position = 4},
        {.in = "[\"\\'\"]", .events = "[ ", .reason = escape, .position = 3},
        {.in = "[\"\\\0\"]", .n = 6, .events = "[ ", .reason = escape, .position = 3},
        {.in = "[\"\\U0041\"]", .events = "[ ", .reason = escape, .position = 3},
        {.in = "[\"\\\n\"]", .events = "[ ", .reason = escape, .position = 3},
        {.in = "{\"\\a\":1}", .events = "{ ", .reason = escape, .position = 3},
        {.in = "[\"\\u12G4\"]", .events = "[ ", .reason = hex, .position = 6},
        {.in = "[\"\\u\"]", .events = "[ ", .reason = hex, .position = 4},
        {.in = "[\"\\u00\"]", .events = "[ ", .reason = hex, .position = 6},
        {.in = "[\"\\u+123\"]", .events = "[ ", .reason = hex, .position = 4},
        {.in = "[\"\\u 123\"]", .events = "[ ", .reason = hex, .position = 4},
        {.in = "['a']", .events = "[ ", .reason = "expected a value or ']'", .position = 1},
    };
    json_check_all(cases, COUNT(cases), 0);
    json_check_all(cases, COUNT(cases), TS_JSON_RAW_STRINGS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted),       cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_misplaced),      cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_literals),       cmocka_unit_test(test_number_grammar),
        cmocka_unit_test(test_string_grammar),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
