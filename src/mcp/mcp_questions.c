/* Shipped questions: which fit a recording, what they are, and their answers. */
#include "lib/library.h"
#include "mcp/mcp_parts.h"
#include "session/ask.h"
#include "session/questions.h"
#include "tables/question_text.h"

#include <stdio.h>

/* The lines of a part of a question's text. */
static ts_code say_part(mcp_call *call, ts_text sql, const char *key, size_t most)
{
    ts_text rest = ts_question_part(sql, key);
    const size_t end = call->text.n + most;
    ts_text line;
    size_t column;
    ts_code code = TS_OK;
    while (rest.p != NULL && code == TS_OK && call->text.n < end &&
           ts_question_line(&line, &column, &rest)) {
        TS_STEP(code, mcp_say(call, "  "));
        TS_STEP(code, mcp_say_text(call, line));
        TS_STEP(code, mcp_say(call, "\n"));
    }
    return code;
}

/* The questions of a topic, or of all (topic.p NULL), that fit: name and what they answer. */
static ts_code say_fitting(mcp_call *call, tst_session *s, const ts_questions *q, ts_text topic,
                           bool names)
{
    ts_text last = TS_TEXT_LIT("");
    ts_text what;
    ts_code code = TS_OK;
    for (size_t i = 0; i < q->count && code == TS_OK; i++) {
        const ts_shipped *one = &q->all[i];
        const ts_text sql = ts_buf_text(&one->sql);
        bool fits = topic.p == NULL ||
                    (topic.n == one->topic.n && memcmp(topic.p, one->topic.p, topic.n) == 0);
        TS_STEP_IF(code, fits, ts_ask_fits(&fits, &what, s->db, sql));
        if (!fits || code != TS_OK) {
            continue;
        }
        const bool same = last.n == one->topic.n && memcmp(last.p, one->topic.p, last.n) == 0;
        if (!same) {
            last = one->topic;
            TS_STEP(code, mcp_say(call, "%s%.*s:%s", names && i > 0 ? "\n" : "", (int)last.n,
                                  last.p, names ? "" : "\n"));
        }
        if (names) {
            TS_STEP(code, mcp_say(call, " %s", one->name));
            continue;
        }
        TS_STEP(code, mcp_say(call, "  %s  ", one->name));
        TS_STEP(code, mcp_say_text(call, ts_question_first(sql, "Question")));
        TS_STEP(code, mcp_say(call, "\n"));
    }
    TS_STEP_IF(code, names, mcp_say(call, "\n"));
    return code;
}

ts_code mcp_fitting(mcp_call *call, tst_session *s)
{
    ts_questions q = {0};
    ts_code code = ts_questions_load(&q, &s->ctx);
    TS_STEP(
        code,
        mcp_say(call, "\nQuestions that fit (tool questions describes them, ask answers them)\n"));
    TS_STEP(code, say_fitting(call, s, &q, TS_TEXT_NULL, true));
    ts_questions_free(&q, &s->ctx);
    return code;
}

static ts_code describe(mcp_call *call, const ts_shipped *one)
{
    static const char *const parts[] = {"Question", "Needs", "Parameters", "Columns"};
    ts_code code = mcp_say(call, "%s\n", one->name);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && code == TS_OK; i++) {
        TS_STEP(code, mcp_say(call, "%s:\n", parts[i]));
        TS_STEP(code, say_part(call, ts_buf_text(&one->sql), parts[i], 3000));
    }
    return code;
}

/* The shipped question that an argument names; *one NULL: there is none, which was said. */
static ts_code find_question(const ts_shipped **one, mcp_call *call, const ts_questions *q)
{
    char name[128];
    const ts_text asked = mcp_argument(call, "question");
    *one = NULL;
    if (asked.p == NULL) {
        return mcp_refuse(call,
                          "say which by \"question\"; the tool questions lists those that fit");
    }
    (void)snprintf(name, sizeof name, "%.*s", (int)(asked.n < 100 ? asked.n : 100), asked.p);
    *one = ts_questions_find(q, name);
    if (*one != NULL) {
        return TS_OK;
    }
    const char *near = ts_questions_nearest(q, name);
    return mcp_refuse(call,
                      "there is no question \"%s\"%s%s%s; the tool questions lists those that fit",
                      name, near == NULL ? "" : "; did you mean \"", near == NULL ? "" : near,
                      near == NULL ? "" : "\"");
}

ts_code mcp_questions(mcp_call *call)
{
    const ts_shipped *one = NULL;
    tst_session *s;
    ts_questions q = {0};
    TS_TRY(mcp_recording_of(&s, call, "recording"));
    if (s == NULL) {
        return TS_OK;
    }
    ts_code code = ts_questions_load(&q, &s->ctx);
    if (mcp_argument(call, "question").p != NULL) {
        TS_STEP(code, find_question(&one, call, &q));
        TS_STEP_IF(code, one != NULL, describe(call, one));
    } else {
        TS_STEP(code, say_fitting(call, s, &q, mcp_argument(call, "topic"), false));
        TS_STEP_IF(
            code, call->text.n == 0,
            mcp_refuse(call, "no question of that topic fits; without a topic all are listed"));
    }
    ts_questions_free(&q, &s->ctx);
    return code;
}

/* What the answer's columns are comes first: their units are in it. */
ts_code mcp_ask(mcp_call *call)
{
    enum { COLUMNS_MOST = 1500 };
    const ts_shipped *one = NULL;
    tst_session *s;
    tst_rows *rows;
    ts_questions q = {0};
    mcp_params params = {0};
    TS_TRY(mcp_recording_of(&s, call, "recording"));
    if (s == NULL) {
        return TS_OK;
    }
    ts_code code = ts_questions_load(&q, &s->ctx);
    TS_STEP(code, find_question(&one, call, &q));
    TS_STEP(code, mcp_params_of(&params, call, "params.arguments.params."));
    TS_STEP(code, mcp_params_end(&params, call->m->ctx));
    if (code == TS_OK && one != NULL) {
        if (tst_ask(&rows, s, one->name, params.all.p, params.all.n) != TST_OK) {
            code = mcp_refuse_session(call, s);
            TS_STEP(
                code,
                mcp_say(
                    call,
                    "\nThe tool questions with \"question\": \"%s\" says which parameters it has.",
                    one->name));
        } else {
            code = say_part(call, ts_buf_text(&one->sql), "Columns", COLUMNS_MOST);
            if (code == TS_OK) {
                code = mcp_say_rows(NULL, call, s, NULL, rows, MCP_ANSWER_MOST);
            } else {
                tst_rows_free(rows);
            }
        }
    }
    mcp_params_free(&params, call->m->ctx);
    ts_questions_free(&q, &s->ctx);
    return code;
}
