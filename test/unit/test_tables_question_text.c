/* What a question says about itself: parts, parameters, needs. */
#include "support.h"

#include "tables/question_text.h"

static const char sql[] = "-- Question:   Who calls?\n"
                          "--             And when?\n"
                          "-- Topic:      calls\n"
                          "-- Needs:      stack_slice (traced calls),\n"
                          "--             cloud_call (calls)\n"
                          "-- Parameters: from, to  time: when they began\n"
                          "--                       (default: everything)\n"
                          "--             node      id of the node\n"
                          "--             timeout   ns (default 1)\n"
                          "-- Columns:    id\n"
                          "-- A comment.\n"
                          "SELECT 1;\n"
                          "-- Late:       no part\n";

static void assert_text(ts_text got, const char *want)
{
    if (!ts_text_is(got, want)) {
        fail_msg("\"%.*s\" is not \"%s\"", (int)got.n, got.p == NULL ? "" : got.p, want);
    }
}

static void parts_and_lines(void **state)
{
    ts_text part = ts_question_part(ts_text_of(sql), "Question");
    ts_text line;
    size_t column;
    (void)state;
    assert_true(ts_question_line(&line, &column, &part));
    assert_text(line, "Who calls?");
    assert_int_equal(column, 15);
    assert_true(ts_question_line(&line, &column, &part));
    assert_text(line, "And when?");
    assert_int_equal(column, 15);
    assert_false(ts_question_line(&line, &column, &part));
    assert_text(ts_question_part(ts_text_of(sql), "Topic"), "      calls");
    assert_text(ts_question_part(ts_text_of(sql), "Columns"), "    id");
    assert_null(ts_question_part(ts_text_of(sql), "Late").p);
    assert_null(ts_question_part(ts_text_of(sql), "Colum").p);
    assert_null(ts_question_part(ts_text_of("SELECT 1"), "Topic").p);
    assert_null(ts_question_part(ts_text_of(""), "Topic").p);
    assert_null(ts_question_part(TS_TEXT_NULL, "Topic").p);
    assert_text(ts_question_part(ts_text_of("-- Topic:"), "Topic"), "");
}

static void parameters(void **state)
{
    ts_text part = ts_question_part(ts_text_of(sql), "Parameters");
    ts_question_param p;
    ts_text name;
    (void)state;
    assert_true(ts_question_param_next(&p, &part));
    assert_text(p.names, "from, to");
    assert_text(p.doc, "time: when they began");
    assert_true(p.is_time && !p.required);
    assert_true(ts_question_name_next(&name, &p.names));
    assert_text(name, "from");
    assert_true(ts_question_name_next(&name, &p.names));
    assert_text(name, "to");
    assert_false(ts_question_name_next(&name, &p.names));
    assert_true(ts_question_param_next(&p, &part));
    assert_text(p.names, "node");
    assert_true(p.required && !p.is_time);
    assert_true(ts_question_param_next(&p, &part));
    assert_text(p.names, "timeout");
    assert_true(!p.required && !p.is_time);
    assert_false(ts_question_param_next(&p, &part));

    assert_true(ts_question_find_param(&p, ts_text_of(sql), "to"));
    assert_true(p.is_time);
    assert_false(ts_question_find_param(&p, ts_text_of(sql), "t"));
    assert_false(ts_question_find_param(&p, ts_text_of("-- Parameters: none\n"), "none"));
    assert_false(ts_question_find_param(&p, ts_text_of("-- Parameters:"), "x"));
}

static void needs(void **state)
{
    ts_text part = ts_question_part(ts_text_of(sql), "Needs");
    ts_question_need need;
    (void)state;
    assert_true(ts_question_need_next(&need, &part));
    assert_text(need.table, "stack_slice");
    assert_text(need.what, "traced calls");
    assert_true(ts_question_need_next(&need, &part));
    assert_text(need.table, "cloud_call");
    assert_text(need.what, "calls");
    assert_false(ts_question_need_next(&need, &part));
    part = ts_text_of("-- Needs: open (no end");
    assert_false(ts_question_need_next(&need, &part));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(parts_and_lines),
        cmocka_unit_test(parameters),
        cmocka_unit_test(needs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
