#include "cli/options.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/number_list.h"
#include "cli/diff/diff.h"
#include "cli/serve/serve.h"
#include "cli/upgrade.h"
#include "model/names.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

/* --- values -------------------------------------------------------------------------------- */

static bool parse_digits(uint64_t *out, const char **end, const char *text)
{
    uint64_t n = 0;
    const char *p = text;
    for (; *p >= '0' && *p <= '9'; p++) {
        if (ts_ckd_mul(&n, n, (uint64_t)10) || ts_ckd_add(&n, n, (uint64_t)(*p - '0'))) {
            return false;
        }
    }
    *out = n;
    *end = p;
    return p != text;
}

bool ts_parse_size(uint64_t *out, const char *text)
{
    static const char units[] = "kmgt";
    uint64_t n;
    const char *p;
    if (!parse_digits(&n, &p, text)) {
        return false;
    }
    if (*p != '\0') {
        const char *unit = strchr(units, tolower((unsigned char)*p));
        if (unit == NULL || p[1] != '\0' ||
            ts_ckd_mul(&n, n, UINT64_C(1) << (10 * (unit - units + 1)))) {
            return false;
        }
    }
    *out = n;
    return n <= INT64_MAX;
}

static bool parse_level(int *out, const char *text)
{
    static const struct {
        const char *name;
        int level;
    } levels[] = {
        {"DEBUG", TS_LOG_DEBUG}, {"INFO", TS_LOG_INFO},   {"WARN", TS_LOG_WARN},
        {"ERROR", TS_LOG_ERROR}, {"FATAL", TS_LOG_ERROR}, {"OFF", TS_LEVEL_OFF},
    };
    for (size_t i = 0; i < sizeof levels / sizeof levels[0]; i++) {
        bool letter = text[0] != '\0' && text[1] == '\0' &&
                      toupper((unsigned char)text[0]) == levels[i].name[0];
        if (letter || strcasecmp(text, levels[i].name) == 0) {
            *out = levels[i].level;
            return true;
        }
    }
    return false;
}

static bool options_is_name(const char *p, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        bool letter = (p[i] >= 'a' && p[i] <= 'z') || (p[i] >= 'A' && p[i] <= 'Z') || p[i] == '_';
        bool digit = p[i] >= '0' && p[i] <= '9';
        if (!letter && !(digit && i > 0)) {
            return false;
        }
    }
    return n > 0;
}

/* --- suggestions --------------------------------------------------------------------------- */

static const char *skip_dashes(const char *s, size_t *n)
{
    while (*n > 0 && *s == '-') {
        s++;
        (*n)--;
    }
    return s;
}

const char *ts_option_nearest(const char *typed, size_t n)
{
    const char *best = NULL;
    const char *word = skip_dashes(typed, &n);
    size_t best_distance = n / 3 + 1 < 4 ? n / 3 + 1 : 3; /* farther is not a typing error */
    for (size_t i = 0; n > 0 && i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        const char *names[2] = {o->long_name, o->short_name};
        for (size_t k = 0; k < 2 && o->cls != TS_OPTION_REFUSED; k++) {
            if (names[k] == NULL) {
                continue;
            }
            size_t length = strlen(names[k]);
            const char *name = skip_dashes(names[k], &length);
            size_t d = ts_edit_distance(word, n, name, length);
            if (length > 1 && (d < best_distance || (d == best_distance && best == NULL))) {
                best = names[k];
                best_distance = d;
            }
        }
    }
    return best;
}

/* --- one option ---------------------------------------------------------------------------- */

/* An option as it was met. */
typedef struct given {
    const ts_option *option;
    const char *typed;
    int typed_n; /* without "=VALUE" */
    const char *value;
} given;

typedef struct parser {
    ts_options *options;
    ts_ctx *ctx;
    int argc;
    char **argv;
    int at;
    bool only_paths; /* after -- */
} parser;

static void *field(ts_options *options, size_t offset)
{
    return (char *)options + offset;
}

static ts_code bad_value(const parser *p, const given *g, const char *expected)
{
    return ts_fail(p->ctx, TS_ERR_USAGE, "bad value for %.*s: \"%s\" is not %s", g->typed_n,
                   g->typed, g->value, expected);
}

static ts_code twice(const parser *p, const given *g)
{
    return ts_fail(p->ctx, TS_ERR_USAGE, "%.*s was given twice", g->typed_n, g->typed);
}

static ts_code set_text(parser *p, const given *g)
{
    const char **target = field(p->options, g->option->offset);
    if (*target != NULL) {
        return twice(p, g);
    }
    if (g->value[0] == '\0') {
        return ts_fail(p->ctx, TS_ERR_USAGE, "%.*s was given an empty value", g->typed_n, g->typed);
    }
    *target = g->value;
    return TS_OK;
}

static ts_code set_size(parser *p, const given *g)
{
    uint64_t *target = field(p->options, g->option->offset);
    if (!ts_parse_size(target, g->value) || *target == 0) {
        return bad_value(p, g, "a size like 512M, 4G or 1048576");
    }
    return TS_OK;
}

static ts_code set_range(parser *p, const given *g)
{
    ts_time_range *target = field(p->options, g->option->offset);
    if (target->kind != TS_WANTED_ALL) {
        return twice(p, g);
    }
    if (!ts_parse_time_range(target, g->value)) {
        return bad_value(p, g,
                         "FROM,TO with FROM before TO (milliseconds since 1970, "
                         "2019-09-05T07:44:26Z, or +SECONDS)");
    }
    return TS_OK;
}

static ts_code set_syscalls(parser *p, const given *g)
{
    if (p->options->syscalls != NULL) {
        return twice(p, g);
    }
    if (strcmp(g->value, "all") != 0 && strcmp(g->value, "none") != 0 &&
        !ts_number_list_valid(g->value)) {
        return bad_value(p, g, "all, none, or numbers divided by commas");
    }
    p->options->syscalls = g->value;
    return TS_OK;
}

static ts_code add_param(parser *p, const given *g)
{
    const char *name = g->value + (g->value[0] != '\0' && strchr(":@$", g->value[0]) != NULL);
    const char *equals = strchr(name, '=');
    if (equals == NULL || !options_is_name(name, (size_t)(equals - name))) {
        return bad_value(p, g, "of the form NAME=VALUE");
    }
    ts_options *o = p->options;
    size_t n = (size_t)(equals - name);
    for (size_t i = 0; i < o->param_count; i++) {
        if (strlen(o->params[i].name) == n && memcmp(o->params[i].name, name, n) == 0) {
            return ts_fail(p->ctx, TS_ERR_USAGE, "parameter %s was given twice", o->params[i].name);
        }
    }
    ts_param *params = ts_realloc(p->ctx, o->params, o->param_count + 1, sizeof *params);
    if (params == NULL) {
        return p->ctx->error.code;
    }
    o->params = params;
    char *copy = ts_strndup(p->ctx, name, n);
    if (copy == NULL) {
        return p->ctx->error.code;
    }
    params[o->param_count++] = (ts_param){copy, equals + 1};
    return TS_OK;
}

static ts_code set_output(parser *p, const given *g)
{
    static const char *const names[] = {NULL, "table", "csv", "tsv", "json", "jsonl"};
    if (p->options->output != TS_ROWS_AUTO) {
        return twice(p, g);
    }
    for (size_t i = 1; i < sizeof names / sizeof names[0]; i++) {
        if (strcmp(names[i], g->value) == 0) {
            p->options->output = (ts_row_format)i;
            return TS_OK;
        }
    }
    return bad_value(p, g, "table, csv, tsv, json or jsonl");
}

static ts_code set_report(parser *p, const given *g)
{
    if (p->options->report != TS_REPORT_NONE) {
        return twice(p, g);
    }
    bool json = g->value != NULL && strcmp(g->value, "json") == 0;
    if (g->value != NULL && !json && strcmp(g->value, "text") != 0) {
        return bad_value(p, g, "text or json");
    }
    p->options->report = json ? TS_REPORT_JSON : TS_REPORT_TEXT;
    return TS_OK;
}

static ts_code set_json(parser *p, const given *g)
{
    ts_options *o = p->options;
    if (o->json) {
        return twice(p, g);
    }
    if (g->value != NULL && g->value[0] == '\0') {
        return ts_fail(p->ctx, TS_ERR_USAGE, "--json= needs the name of a file");
    }
    o->json = true;
    o->json_file = g->value;
    return TS_OK;
}

static ts_code add_condition(parser *p, const given *g)
{
    ts_options *o = p->options;
    const char **all = ts_realloc(p->ctx, o->fail_if, o->fail_count + 1, sizeof *all);
    if (all == NULL) {
        return p->ctx->error.code;
    }
    o->fail_if = all;
    all[o->fail_count++] = g->value;
    return TS_OK;
}

static ts_code add_text(parser *p, const given *g)
{
    ts_texts *texts = field(p->options, g->option->offset);
    const char **all = ts_realloc(p->ctx, texts->all, texts->count + 1, sizeof *all);
    if (all == NULL) {
        return p->ctx->error.code;
    }
    texts->all = all;
    all[texts->count++] = g->value;
    return TS_OK;
}

static ts_code set_number(parser *p, const given *g)
{
    uint64_t *target = field(p->options, g->option->offset);
    const char *end;
    if (*target != TS_NOT_GIVEN) {
        return twice(p, g);
    }
    if (!parse_digits(target, &end, g->value) || *end != '\0' || *target > UINT32_MAX) {
        return bad_value(p, g, "a number");
    }
    return TS_OK;
}

static ts_code set_limit(parser *p, const given *g)
{
    const char *end;
    if (p->options->limit_given) {
        return twice(p, g);
    }
    if (!parse_digits(&p->options->limit, &end, g->value) || *end != '\0' ||
        p->options->limit > UINT32_MAX) {
        return bad_value(p, g, "a number of rows");
    }
    p->options->limit_given = true;
    return TS_OK;
}

static ts_code check_threads(const parser *p, const given *g)
{
    uint64_t n;
    const char *end;
    if (!parse_digits(&n, &end, g->value) || *end != '\0' || n == 0 || n > 1024) {
        return bad_value(p, g, "a number of threads");
    }
    return TS_OK;
}

/* Information that was asked for first wins; -h and -v end the parsing before. */
static void set_mode(ts_options *o, ts_mode mode)
{
    if (o->mode == TS_MODE_RUN) {
        o->mode = mode;
    }
}

static ts_code options_apply(parser *p, const given *g)
{
    ts_options *o = p->options;
    switch (g->option->id) {
    case TS_OPT_FLAG:
        *(bool *)field(o, g->option->offset) = true;
        return TS_OK;
    case TS_OPT_TEXT:
        return set_text(p, g);
    case TS_OPT_SIZE:
        return set_size(p, g);
    case TS_OPT_RANGE:
        return set_range(p, g);
    case TS_OPT_SYSCALLS:
        return set_syscalls(p, g);
    case TS_OPT_PARAM:
        return add_param(p, g);
    case TS_OPT_OUTPUT:
        return set_output(p, g);
    case TS_OPT_FAIL_IF:
        return add_condition(p, g);
    case TS_OPT_TEXTS:
        return add_text(p, g);
    case TS_OPT_NUMBER:
        return set_number(p, g);
    case TS_OPT_LIMIT:
        return set_limit(p, g);
    case TS_OPT_REPORT:
        return set_report(p, g);
    case TS_OPT_LEVEL:
        return parse_level(&o->level, g->value) ? TS_OK
                                                : bad_value(p, g, "one of D, I, W, E, F, O");
    case TS_OPT_JSON:
        return set_json(p, g);
    case TS_OPT_THREADS:
        return check_threads(p, g);
    case TS_OPT_IGNORED:
        return TS_OK;
    case TS_OPT_TABLES:
        o->table = g->value;
        set_mode(o, TS_MODE_TABLES);
        return TS_OK;
    case TS_OPT_QUESTIONS:
        o->question = g->value;
        set_mode(o, TS_MODE_QUESTIONS);
        return TS_OK;
    case TS_OPT_INFO:
        set_mode(o, TS_MODE_INFO);
        return TS_OK;
    case TS_OPT_LIST:
        set_mode(o, TS_MODE_LIST);
        return TS_OK;
    case TS_OPT_HELP:
        o->mode = TS_MODE_HELP;
        return TS_OK;
    case TS_OPT_VERSION:
        o->mode = TS_MODE_VERSION;
        return TS_OK;
    case TS_OPT_REFUSED:
        break;
    }
    return ts_fail(p->ctx, TS_ERR_USAGE, "%.*s is not supported: %s", g->typed_n, g->typed,
                   g->option->help);
}

/* --- names --------------------------------------------------------------------------------- */

/* The option of "-eDB" or "-e=DB", which other programs take. */
static const ts_option *glued_value(const char *typed)
{
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if (o->short_name != NULL && strlen(o->short_name) == 2 && o->arg == TS_ARG_VALUE &&
            o->cls == TS_OPTION_ACTIVE && o->short_name[1] == typed[1]) {
            return o;
        }
    }
    return NULL;
}

static ts_code unknown_option(const parser *p, const char *typed, size_t n)
{
    const ts_option *glued = n > 2 && typed[1] != '-' ? glued_value(typed) : NULL;
    if (glued != NULL) {
        return ts_fail(p->ctx, TS_ERR_USAGE, "unknown option \"%s\"; did you mean %s %s?", typed,
                       glued->short_name, typed + 2 + (typed[2] == '=' ? 1 : 0));
    }
    const char *nearest = ts_option_nearest(typed, n);
    if (nearest == NULL) {
        return ts_fail(p->ctx, TS_ERR_USAGE, "unknown option \"%.*s\"", (int)n, typed);
    }
    return ts_fail(p->ctx, TS_ERR_USAGE, "unknown option \"%.*s\"; did you mean %s?", (int)n, typed,
                   nearest);
}

/* The option of a long name of n bytes: the exact one, or the only one that begins so. */
static ts_code find_long(const ts_option **out, const parser *p, const char *typed, size_t n)
{
    const ts_option *found[2] = {NULL, NULL};
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if (o->long_name == NULL || strncmp(o->long_name, typed, n) != 0) {
            continue;
        }
        if (o->long_name[n] == '\0') {
            *out = o;
            return TS_OK;
        }
        if (found[0] == NULL) {
            found[0] = o;
        } else if (found[1] == NULL) {
            found[1] = o;
        }
    }
    if (found[0] == NULL || n <= 2) {
        return unknown_option(p, typed, n);
    }
    if (found[1] != NULL) {
        return ts_fail(p->ctx, TS_ERR_USAGE, "ambiguous option \"%.*s\": %s or %s?", (int)n, typed,
                       found[0]->long_name, found[1]->long_name);
    }
    *out = found[0];
    return TS_OK;
}

static const ts_option *find_short(const char *typed)
{
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if (o->short_name != NULL && strcmp(o->short_name, typed) == 0) {
            return o;
        }
    }
    return NULL;
}

static bool is_option(const char *text)
{
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if ((o->long_name != NULL && strcmp(o->long_name, text) == 0) ||
            (o->short_name != NULL && strcmp(o->short_name, text) == 0)) {
            return true;
        }
    }
    return false;
}

/* The value: after "=", or the next argument. A known option there is a forgotten value. */
static ts_code options_take_value(given *g, parser *p, const char *equals)
{
    const ts_option *o = g->option;
    g->value = equals == NULL ? NULL : equals + 1;
    if (o->cls == TS_OPTION_REFUSED) {
        return TS_OK;
    }
    if (o->arg == TS_ARG_NONE && equals != NULL) {
        return ts_fail(p->ctx, TS_ERR_USAGE, "%.*s takes no value", g->typed_n, g->typed);
    }
    if (o->arg != TS_ARG_VALUE || equals != NULL) {
        return TS_OK;
    }
    if (p->at + 1 >= p->argc) {
        return ts_fail(p->ctx, TS_ERR_USAGE, "%.*s needs a value: %s", g->typed_n, g->typed,
                       o->value);
    }
    const char *next = p->argv[p->at + 1];
    if (is_option(next)) {
        return ts_fail(p->ctx, TS_ERR_USAGE,
                       "%.*s needs a value (%s), and %s is an option; "
                       "write %s%s%s if it is a name",
                       g->typed_n, g->typed, o->value, next,
                       o->long_name != NULL ? o->long_name : "./", o->long_name != NULL ? "=" : "",
                       next);
    }
    p->at++;
    g->value = next;
    return TS_OK;
}

static ts_code parse_argument(parser *p)
{
    const char *arg = p->argv[p->at];
    given g = {.typed = arg};
    const char *equals = NULL;
    ts_code code = TS_OK;
    if (p->only_paths || arg[0] != '-' || arg[1] == '\0') {
        if (arg[0] == '\0') {
            return ts_fail(p->ctx, TS_ERR_USAGE, "an input has an empty name");
        }
        p->options->paths[p->options->path_count++] = arg;
        return TS_OK;
    }
    if (strcmp(arg, "--") == 0) {
        p->only_paths = true;
        return TS_OK;
    }
    size_t n = strlen(arg);
    if (arg[1] == '-') {
        equals = strchr(arg, '=');
        n = equals == NULL ? n : (size_t)(equals - arg);
        code = find_long(&g.option, p, arg, n);
    } else {
        g.option = find_short(arg);
        code = g.option == NULL ? unknown_option(p, arg, n) : TS_OK;
    }
    g.typed_n = n > 200 ? 200 : (int)n;
    if (code == TS_OK) {
        code = options_take_value(&g, p, equals);
    }
    if (code != TS_OK) {
        return code;
    }
    return options_apply(p, &g);
}

/* --- combinations -------------------------------------------------------------------------- */

static size_t count_stdin(const ts_options *o)
{
    size_t n = o->query != NULL && strcmp(o->query, "-") == 0 ? 1 : 0;
    for (size_t i = 0; i < o->path_count; i++) {
        n += strcmp(o->paths[i], "-") == 0 ? 1 : 0;
    }
    return n;
}

static ts_code check_out(const ts_options *o, ts_ctx *ctx)
{
    if (o->extract && o->to != NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "-s and --to both need -o: run them one after the other");
    }
    if (o->extract && o->out == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "-s needs -o DIR, the directory for the files");
    }
    if (o->to != NULL && o->out == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "--to needs -o FILE, the file to write (- is standard output)");
    }
    if (o->out != NULL && !o->extract && o->to == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "-o is the directory for the files of -s, or the file of --to=FORMAT; "
                       "the database is named with -e");
    }
    return TS_OK;
}

static ts_code check_export(const ts_options *o, ts_ctx *ctx)
{
    const char *const names[] = {"--source", "--thread", "--event",
                                 "--weight", "--from",   "--until"};
    const char *const values[] = {o->source, o->thread, o->event, o->weight, o->from, o->until};
    bool asked = o->query != NULL || o->report != TS_REPORT_NONE;
    for (size_t i = 0; o->to == NULL && i < sizeof names / sizeof names[0]; i++) {
        if (values[i] != NULL) {
            return ts_fail(ctx, TS_ERR_USAGE, "%s requires --to or the verb diff", names[i]);
        }
    }
    if (o->to != NULL && strcmp(o->out, "-") == 0 && (asked || (o->json && o->json_file == NULL))) {
        return ts_fail(
            ctx, TS_ERR_USAGE,
            "--to with -o - prints to standard output, and so do -q, --report and --json: "
            "name a file");
    }
    return TS_OK;
}

/* Options of serve without it. */
static ts_code check_not_serve(const ts_options *o, ts_ctx *ctx)
{
    const char *name = o->port != TS_NOT_GIVEN            ? "--port"
                       : o->listen != NULL                ? "--listen"
                       : o->open_page                     ? "--open"
                       : o->no_token                      ? "--no-token"
                       : o->allow_origins.count > 0       ? "--allow-origin"
                       : o->allow_hosts.count > 0         ? "--allow-host"
                       : o->flare_ui != NULL              ? "--flare-ui"
                       : o->web != NULL                   ? "--web"
                       : o->samples != NULL               ? "--samples"
                       : o->query_timeout != TS_NOT_GIVEN ? "--query-timeout"
                       : o->max_rows != TS_NOT_GIVEN      ? "--max-rows"
                       : o->any                           ? "--any"
                                                          : NULL;
    return name == NULL
               ? TS_OK
               : ts_fail(ctx, TS_ERR_USAGE, "%s is an option of: trace_streamer serve DB", name);
}

/* Options of diff without it. */
static ts_code check_verb(const ts_options *o, ts_ctx *ctx)
{
    const char *name = o->by != NULL       ? "--by"
                       : o->before != NULL ? "--before"
                       : o->after != NULL  ? "--after"
                       : o->fail_count > 0 ? "--fail-if"
                       : o->limit_given    ? "--limit"
                                           : NULL;
    return name == NULL ? TS_OK
                        : ts_fail(ctx, TS_ERR_USAGE,
                                  "%s is an option of: trace_streamer diff BEFORE AFTER", name);
}

static ts_code options_check(const ts_options *o, ts_ctx *ctx)
{
    if (o->dimension != NULL && (o->to == NULL || o->verb != TS_VERB_NONE)) {
        return ts_fail(ctx, TS_ERR_USAGE, "--dimension requires --to=datakit-flamegraph");
    }
    if ((o->lp_derived || o->lp_extended) && (o->to == NULL || o->verb != TS_VERB_NONE)) {
        return ts_fail(ctx, TS_ERR_USAGE, "%s requires --to=line-protocol",
                       o->lp_derived ? "--lp-derived" : "--lp-extended");
    }
    if (o->max_output != TS_MAX_OUTPUT && o->to == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "--max-output requires --to");
    }
    ts_code code = o->verb == TS_VERB_SERVE ? TS_OK : check_not_serve(o, ctx);
    if (code != TS_OK) {
        return code;
    }
    if (o->verb == TS_VERB_DIFF) {
        return ts_diff_check(o, ctx);
    }
    if ((code = check_verb(o, ctx)) != TS_OK) {
        return code;
    }
    if (o->verb == TS_VERB_SERVE) {
        return ts_serve_check(o, ctx);
    }
    if (o->verb == TS_VERB_UPGRADE) {
        return ts_upgrade_check(o, ctx);
    }
    bool asked = o->export_db != NULL || o->query != NULL || o->extract || o->json ||
                 o->analyze != NULL || o->report != TS_REPORT_NONE || o->to != NULL;
    bool input = o->path_count > 0 || o->directory != NULL;
    if (!input && !asked) {
        return ts_fail(ctx, TS_ERR_USAGE, "no input was given");
    }
    if (!input) {
        return ts_fail(ctx, TS_ERR_USAGE, "no input was given: name a recording (or -D DIR)");
    }
    if (!asked) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "nothing to do with the input: -e DB writes a database, "
                       "--report says what is in it, -q QUESTION prints its answer, "
                       "--to=flame -o FILE draws its stacks, -s -o DIR takes the recordings out, "
                       "--json prints a summary");
    }
    if ((code = check_out(o, ctx)) != TS_OK || (code = check_export(o, ctx)) != TS_OK) {
        return code;
    }
    if (o->param_count > 0 && o->query == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "--param requires -q");
    }
    if (o->output != TS_ROWS_AUTO && o->query == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "--output is the form of the rows of -q; the database is named with -e");
    }
    if (o->query != NULL && o->report != TS_REPORT_NONE) {
        return ts_fail(ctx, TS_ERR_USAGE, "-q and --report both print to standard output");
    }
    if ((o->query != NULL || o->report != TS_REPORT_NONE) && o->json && o->json_file == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "-q and --report print to standard output: "
                       "with it, write --json=FILE to send the summary to a file");
    }
    if (o->export_db != NULL && strcmp(o->export_db, "-") == 0) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "-e - is not possible: a database cannot be written to a stream");
    }
    if (o->export_db == NULL && (o->index || o->sync || o->with_times) && o->query == NULL &&
        o->report == TS_REPORT_NONE && o->analyze == NULL && o->to == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "--index, --sync and --with-times need -e DB");
    }
    if (o->viewer != NULL && o->export_db == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "--viewer needs -e DB");
    }
    if (count_stdin(o) > 1) {
        return ts_fail(ctx, TS_ERR_USAGE, "standard input (-) can be used only once");
    }
    return TS_OK;
}

ts_verb ts_verb_of(const char *argument)
{
    return argument == NULL                   ? TS_VERB_NONE
           : strcmp(argument, "diff") == 0    ? TS_VERB_DIFF
           : strcmp(argument, "serve") == 0   ? TS_VERB_SERVE
           : strcmp(argument, "upgrade") == 0 ? TS_VERB_UPGRADE
                                              : TS_VERB_NONE;
}

ts_code ts_options_parse(ts_options *options, ts_ctx *ctx, int argc, char **argv)
{
    memset(options, 0, sizeof *options);
    options->level = TS_LEVEL_UNSET;
    options->limit = TS_DIFF_ROWS;
    options->port = TS_NOT_GIVEN;
    options->query_timeout = TS_NOT_GIVEN;
    options->max_rows = TS_NOT_GIVEN;
    options->threads = TS_NOT_GIVEN;
    options->max_output = TS_MAX_OUTPUT;
    options->verb = ts_verb_of(argc > 1 ? argv[1] : NULL);
    parser p = {options, ctx, argc, argv, options->verb == TS_VERB_NONE ? 1 : 2, false};
    options->paths = ts_alloc(ctx, (size_t)argc + 1, sizeof *options->paths);
    if (options->paths == NULL) {
        return ctx->error.code;
    }
    for (; p.at < argc; p.at++) {
        ts_code code = parse_argument(&p);
        if (code != TS_OK) {
            return code;
        }
        if (options->mode == TS_MODE_HELP || options->mode == TS_MODE_VERSION) {
            return TS_OK;
        }
    }
    if (options->format != NULL && strcmp(options->format, "list") == 0) {
        set_mode(options, TS_MODE_FORMATS);
    }
    if (options->analyze != NULL && strcmp(options->analyze, "list") == 0) {
        set_mode(options, TS_MODE_ANALYSES);
    }
    if (options->to != NULL && strcmp(options->to, "list") == 0) {
        set_mode(options, TS_MODE_EXPORTS);
    }
    if (options->by != NULL && strcmp(options->by, "list") == 0) {
        set_mode(options, TS_MODE_COMPARISONS);
    }
    return options->mode == TS_MODE_RUN ? options_check(options, ctx) : TS_OK;
}

void ts_options_free(ts_options *options, ts_ctx *ctx)
{
    for (size_t i = 0; i < options->param_count; i++) {
        union {
            const char *in;
            char *out;
        } name = {options->params[i].name}; /* ours, though the type says borrowed */
        ts_free(ctx, name.out);
    }
    ts_free(ctx, options->params);
    ts_free(ctx, options->fail_if);
    ts_free(ctx, options->allow_origins.all);
    ts_free(ctx, options->allow_hosts.all);
    ts_free(ctx, options->paths);
}
