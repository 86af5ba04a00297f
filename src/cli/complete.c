/*
 * --complete=OPTION=TEXT: what a shell offers where TEXT was typed as the value of OPTION. The
 * other words of the command line are the program's own: inputs, -q, and parameters that were
 * given.
 *
 * A line is a whole value, TEXT included: "file=" is a parameter of the question, "file=Snapshot0"
 * one with a value from the finished database among the inputs. Of what cannot be read or takes
 * long, what is known by then is printed; values that a terminal must not get are left out.
 */
#include "cli/verbs.h"

#include "base/pool.h"
#include "base/utf8.h"
#include "cli/signals.h"
#include "session/ask.h"

enum { VALUES_MAX = 200, VALUE_BYTES_MAX = 1024, SECONDS_MAX = 2 };

typedef struct completing {
    ts_ctx *ctx;
    ts_buf *out;
    const ts_options *options;
    ts_text before; /* of a value: "file=" */
    ts_text typed;  /* what it begins with */
    ts_pool told;   /* those that are printed */
    size_t count;
} completing;

static bool is_shown(ts_text value)
{
    bool shown = value.n > 0 && value.n <= VALUE_BYTES_MAX;
    for (size_t i = 0; shown && i < value.n;) {
        uint32_t cp = 0;
        i += ts_utf8_next(&cp, value.p + i, value.n - i);
        shown = cp != UINT32_MAX && !ts_utf8_steers(cp);
    }
    return shown;
}

/* A ts_choice_told: more than can be looked through ends the telling. */
static ts_code tell(void *user, ts_text value)
{
    completing *c = user;
    bool added = false;
    uint32_t id;
    if (value.n < c->typed.n || memcmp(value.p, c->typed.p, c->typed.n) != 0 || !is_shown(value)) {
        return TS_OK;
    }
    TS_TRY(ts_pool_intern(c->ctx, &id, &added, &c->told, value));
    if (!added) {
        return TS_OK;
    }
    if (c->count++ == VALUES_MAX) {
        return ts_fail(c->ctx, TS_ERR_LIMIT, "more than %d values", VALUES_MAX);
    }
    return ts_buf_printf(c->ctx, c->out, "%.*s%.*s\n", (int)c->before.n, c->before.p, (int)value.n,
                         value.p);
}

/* The first finished database among the inputs; *db NULL: there is none. */
static ts_code open_first(ts_db **db, const completing *c)
{
    ts_code code = TS_OK;
    *db = NULL;
    for (size_t i = 0; code == TS_OK && *db == NULL && i < c->options->path_count; i++) {
        ts_db_kind kind = TS_DB_NONE;
        const char *path = c->options->paths[i];
        const bool known = strcmp(path, "-") != 0 && ts_db_kind_of(&kind, c->ctx, path) == TS_OK;
        code = known && kind == TS_DB_OURS ? ts_db_open(db, c->ctx, path) : TS_OK;
    }
    return code;
}

static ts_code tell_values(completing *c, const ts_question_param *param)
{
    const ts_choices choices = {c, tell};
    ts_db *db = NULL;
    ts_code code = open_first(&db, c);
    TS_STEP(code, ts_ask_choices(db, c->ctx, param, c->options->params, c->options->param_count,
                                 &choices));
    ts_db_close(db);
    return code;
}

static bool was_given(const ts_options *o, ts_text name)
{
    bool given = false;
    for (size_t i = 0; i < o->param_count; i++) {
        given = given || ts_text_is(name, o->params[i].name);
    }
    return given;
}

/* "file=", "limit=": the parameters of the question that have no value yet. */
static ts_code tell_names(completing *c, ts_text sql)
{
    ts_text part = ts_question_part(sql, "Parameters");
    ts_question_param param;
    ts_text name;
    ts_buf text = {0};
    ts_code code = TS_OK;
    while (code == TS_OK && ts_question_param_next(&param, &part)) {
        while (code == TS_OK && ts_question_name_next(&name, &param.names)) {
            text.n = 0;
            code = ts_buf_printf(c->ctx, &text, "%.*s=", (int)name.n, name.p);
            TS_STEP_IF(code, !was_given(c->options, name), tell(c, ts_buf_text(&text)));
        }
    }
    ts_buf_free(c->ctx, &text);
    return code;
}

/* --param: names, or values of the one that is named. */
static ts_code complete_param(completing *c)
{
    const char *question = c->options->query;
    const char *typed = c->typed.p;
    const char *equals = strchr(typed, '=');
    ts_question_param param;
    ts_query query = {0};
    char name[64];
    if (question == NULL || strcmp(question, "-") == 0) {
        return TS_OK;
    }
    ts_code code = ts_query_read(&query, c->ctx, question);
    const ts_text sql = ts_buf_text(&query.sql);
    if (code == TS_OK && equals == NULL) {
        code = tell_names(c, sql);
    } else if (code == TS_OK && (size_t)(equals - typed) < sizeof name) {
        memcpy(name, typed, (size_t)(equals - typed));
        name[equals - typed] = '\0';
        c->before = (ts_text){typed, (size_t)(equals - typed) + 1};
        c->typed = ts_text_of(equals + 1);
        TS_STEP_IF(code, ts_question_find_param(&param, sql, name), tell_values(c, &param));
    }
    ts_buf_free(c->ctx, &query.sql);
    return code;
}

ts_code ts_complete(ts_buf *out, ts_ctx *ctx, const ts_options *options)
{
    static const struct {
        const char *option;
        const char *doc; /* as questions say it of their parameters */
    } kinds[] = {{"--source=", "a source"},
                 {"--before=", "a source"},
                 {"--after=", "a source"},
                 {"--thread=", "a thread"},
                 {"--event=", "an event of samples, or call"},
                 {"--label=", "a label of samples"},
                 {"--weight=", "a weight of stacks"}};
    static const char param_option[] = "--param=";
    const ts_text asked = ts_text_of(options->complete);
    completing c = {.ctx = ctx, .out = out, .options = options};
    ts_code code = TS_OK;
    ts_signals_after(SECONDS_MAX);
    if (ts_text_begins(asked, param_option)) {
        c.typed = ts_text_from(asked, sizeof param_option - 1);
        code = complete_param(&c);
    }
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        const ts_question_param kind = {.doc = ts_text_of(kinds[i].doc)};
        if (ts_text_begins(asked, kinds[i].option)) {
            c.typed = ts_text_from(asked, strlen(kinds[i].option));
            code = tell_values(&c, &kind);
        }
    }
    ts_pool_free(ctx, &c.told);
    return code == TS_ERR_NOMEM ? code : TS_OK;
}
