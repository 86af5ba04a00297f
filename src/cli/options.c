#include "cli/options.h"

#include "session/conversion.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "base/names.h"

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

/* Which of the words it is, of those with a first letter of its own also by that; -1: none. */
static int find_word(const char *words, const char *text, size_t typed, bool letters)
{
    for (int i = 0; *words != '\0'; i++) {
        size_t n = strcspn(words, " ");
        bool letter = typed == 1 && toupper((unsigned char)text[0]) == words[0];
        if (letters ? letter || (typed == n && strncasecmp(words, text, n) == 0)
                    : typed == n && memcmp(words, text, n) == 0) {
            return i;
        }
        words += n + strspn(words + n, " ");
    }
    return -1;
}

/* Of several levels with commas the one with most messages, which comes first; -1: one is none. */
static int find_level(const char *words, const char *text)
{
    int found = -1;
    for (;; text++) {
        const size_t n = strcspn(text, ",");
        const int i = find_word(words, text, n, true);
        if (i < 0) {
            return -1;
        }
        found = found < 0 || i < found ? i : found;
        text += n;
        if (*text == '\0') {
            return found;
        }
    }
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

const char *ts_option_nearest(unsigned verbs, const char *typed, size_t n)
{
    const char *best = NULL;
    const char *word = skip_dashes(typed, &n);
    size_t best_distance = n / 3 + 1 < 4 ? n / 3 + 1 : 3; /* farther is not a typing error */
    for (size_t i = 0; n > 0 && i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        const char *names[2] = {o->long_name, o->short_name};
        for (size_t k = 0; k < 2 && o->cls != TS_OPTION_REFUSED; k++) {
            if (names[k] == NULL || (o->verbs & verbs) == 0) {
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
    bool *given;     /* by the place in ts_option_list */
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

static ts_code set_text(parser *p, const given *g)
{
    const char **target = field(p->options, g->option->offset);
    if (g->value[0] == '\0') {
        return ts_fail(p->ctx, TS_ERR_USAGE, "%.*s was given an empty value", g->typed_n, g->typed);
    }
    *target = g->value;
    return TS_OK;
}

static ts_code add_text(parser *p, const given *g)
{
    ts_texts *texts = field(p->options, g->option->offset);
    const char **all = ts_realloc(p->ctx, texts->all, texts->count + 1, sizeof *all);
    TS_NEED(p->ctx, all);
    texts->all = all;
    all[texts->count++] = g->value;
    return TS_OK;
}

static ts_code set_size(parser *p, const given *g)
{
    uint64_t n;
    uint64_t *target = field(p->options, g->option->offset);
    if (!ts_parse_size(&n, g->value) || n < g->option->least) {
        return bad_value(p, g, "a size like 512M, 4G or 1048576");
    }
    *target = n;
    return TS_OK;
}

static ts_code take_number(uint64_t *out, const parser *p, const given *g)
{
    const ts_option *o = g->option;
    const char *end;
    if (!parse_digits(out, &end, g->value) || *end != '\0' || *out < o->least || *out > o->most) {
        return ts_fail(p->ctx, TS_ERR_USAGE,
                       "bad value for %.*s: \"%s\" is not a number from %llu to %llu", g->typed_n,
                       g->typed, g->value, (unsigned long long)o->least,
                       (unsigned long long)o->most);
    }
    return TS_OK;
}

/* "90d", "12h", "30m", "5s" */
static ts_code set_age(parser *p, const given *g)
{
    static const char units[] = "smhd";
    static const uint64_t ms[] = {1000, 60000, 3600000, 86400000};
    const char *end;
    uint64_t n;
    uint64_t *target = field(p->options, g->option->offset);
    const char *unit =
        parse_digits(&n, &end, g->value) && *end != '\0' ? strchr(units, *end) : NULL;
    if (unit == NULL || end[1] != '\0' || ts_ckd_mul(target, n, ms[unit - units]) ||
        *target > UINT64_C(1) << 40) {
        return bad_value(p, g, "an age like 90d, 12h, 30m or 5s");
    }
    return TS_OK;
}

static ts_code set_range(parser *p, const given *g)
{
    if (!ts_parse_time_range(&p->options->time_range, g->value)) {
        return bad_value(p, g,
                         "FROM,TO with FROM before TO (milliseconds since 1970, "
                         "2019-09-05T07:44:26Z, or +SECONDS)");
    }
    return TS_OK;
}

static ts_code set_syscalls(parser *p, const given *g)
{
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
    TS_NEED(p->ctx, params);
    o->params = params;
    char *copy = ts_strndup(p->ctx, name, n);
    TS_NEED(p->ctx, copy);
    params[o->param_count++] = (ts_param){copy, equals + 1};
    return TS_OK;
}

static ts_code set_word(parser *p, const given *g)
{
    static const int levels[] = {TS_LOG_DEBUG, TS_LOG_INFO,  TS_LOG_WARN,
                                 TS_LOG_ERROR, TS_LOG_ERROR, TS_LEVEL_OFF};
    const ts_option *o = g->option;
    int i = g->value == NULL        ? 0
            : o->id == TS_OPT_LEVEL ? find_level(o->words, g->value)
                                    : find_word(o->words, g->value, strlen(g->value), false);
    if (i < 0) {
        return ts_fail(p->ctx, TS_ERR_USAGE, "bad value for %.*s: \"%s\" is not one of: %s",
                       g->typed_n, g->typed, g->value, o->words);
    }
    if (o->id == TS_OPT_LEVEL) {
        p->options->level = levels[i];
    } else if (o->id == TS_OPT_OUTPUT) {
        p->options->output = (ts_row_format)(i + 1);
    } else if (o->id == TS_OPT_ROWS) {
        p->options->rows = i == 0 ? "facts" : "all";
    } else if (o->id == TS_OPT_REDACT) {
        static const char *const redacted[] = {"strings", "names", "all"};
        p->options->redact = redacted[i];
    } else if (o->id == TS_OPT_LAYOUT) {
        p->options->layout = (ts_layout)(i + 1);
    } else {
        p->options->report = (ts_report_form)(i + 1);
    }
    return TS_OK;
}

static ts_code set_json(parser *p, const given *g)
{
    if (g->value != NULL && g->value[0] == '\0') {
        return ts_fail(p->ctx, TS_ERR_USAGE, "--json= needs the name of a file");
    }
    p->options->json = true;
    p->options->json_file = g->value;
    return TS_OK;
}

/* Information that was asked for first wins; -h and -v end the parsing before. */
static void set_mode(ts_options *o, ts_mode mode)
{
    if (o->mode == TS_MODE_RUN) {
        o->mode = mode;
    }
}

/* Asks for a mode; of -h: which help. */
static void ask_mode(ts_options *o, const given *g)
{
    ts_mode mode = (ts_mode)g->option->least;
    const char **text = field(o, g->option->offset);
    if (g->option->offset != 0) {
        *text = g->value;
    }
    if (mode == TS_MODE_HELP || mode == TS_MODE_VERSION) {
        o->mode = mode;
        o->about = o->verb;
    } else {
        set_mode(o, mode);
    }
}

/* Of those that set one value, but for numbers with units, levels and what has no effect. */
static bool is_once(ts_option_id id)
{
    return id == TS_OPT_TEXT || id == TS_OPT_NUMBER || id == TS_OPT_RANGE ||
           id == TS_OPT_SYSCALLS || id == TS_OPT_OUTPUT || id == TS_OPT_REPORT ||
           id == TS_OPT_LAYOUT || id == TS_OPT_ROWS || id == TS_OPT_REDACT || id == TS_OPT_AGE ||
           id == TS_OPT_JSON;
}

static ts_code options_apply(parser *p, const given *g)
{
    const ts_option *o = g->option;
    bool *given_before = &p->given[o - ts_option_list];
    uint64_t number;
    if (*given_before && is_once(o->id)) {
        return ts_fail(p->ctx, TS_ERR_USAGE, "%.*s was given twice", g->typed_n, g->typed);
    }
    *given_before = true;
    switch (o->id) {
    case TS_OPT_FLAG:
        *(bool *)field(p->options, o->offset) = true;
        return TS_OK;
    case TS_OPT_TEXT:
        return set_text(p, g);
    case TS_OPT_TEXTS:
        return add_text(p, g);
    case TS_OPT_SIZE:
        return set_size(p, g);
    case TS_OPT_NUMBER:
        return take_number(field(p->options, o->offset), p, g);
    case TS_OPT_MODE:
        ask_mode(p->options, g);
        return TS_OK;
    case TS_OPT_RANGE:
        return set_range(p, g);
    case TS_OPT_SYSCALLS:
        return set_syscalls(p, g);
    case TS_OPT_AGE:
        return set_age(p, g);
    case TS_OPT_PARAM:
        return add_param(p, g);
    case TS_OPT_OUTPUT:
    case TS_OPT_REPORT:
    case TS_OPT_LAYOUT:
    case TS_OPT_ROWS:
    case TS_OPT_REDACT:
    case TS_OPT_LEVEL:
        return set_word(p, g);
    case TS_OPT_JSON:
        return set_json(p, g);
    case TS_OPT_IGNORED:
        return o->most == 0 ? TS_OK : take_number(&number, p, g);
    case TS_OPT_REFUSED:
        break;
    }
    return ts_fail(p->ctx, TS_ERR_USAGE, "%.*s is not supported: %s", g->typed_n, g->typed,
                   o->help);
}

/* --- names --------------------------------------------------------------------------------- */

static unsigned own_verb(const parser *p)
{
    return 1U << p->options->verb;
}

static bool is_named(const char *name, const char *typed, size_t n)
{
    return name != NULL && strncmp(name, typed, n) == 0 && name[n] == '\0';
}

const ts_option *ts_option_find(unsigned verbs, const char *name, size_t n)
{
    for (size_t i = 0; i < ts_option_count; i++) {
        const ts_option *o = &ts_option_list[i];
        if ((o->verbs & verbs) != 0 &&
            (is_named(o->long_name, name, n) || is_named(o->short_name, name, n))) {
            return o;
        }
    }
    return NULL;
}

/* The option of "-eDB" or "-e=DB", which other programs take. */
static const ts_option *glued_value(const parser *p, const char *typed)
{
    const ts_option *o = ts_option_find(own_verb(p), typed, 2);
    return o != NULL && o->arg == TS_ARG_VALUE && o->cls == TS_OPTION_ACTIVE ? o : NULL;
}

static ts_code unknown_option(const parser *p, const char *typed, size_t n)
{
    const ts_option *glued = n > 2 && typed[1] != '-' ? glued_value(p, typed) : NULL;
    if (glued != NULL) {
        return ts_fail(p->ctx, TS_ERR_USAGE, "unknown option \"%s\"; did you mean %s %s?", typed,
                       glued->short_name, typed + 2 + (typed[2] == '=' ? 1 : 0));
    }
    const char *nearest = ts_option_nearest(own_verb(p), typed, n);
    return ts_fail(p->ctx, TS_ERR_USAGE, "unknown option \"%.*s\"%s%s%s", (int)n, typed,
                   nearest == NULL ? "" : "; did you mean ", nearest == NULL ? "" : nearest,
                   nearest == NULL ? "" : "?");
}

/* An option of other verbs. */
static ts_code foreign_option(const parser *p, const ts_option *o, const char *name)
{
    ts_verb verb = TS_VERB_NONE;
    if (p->options->verb != TS_VERB_NONE) {
        return ts_fail(p->ctx, TS_ERR_USAGE, "%s does not go together with %s", name,
                       ts_verb_list[p->options->verb].name);
    }
    while ((o->verbs & 1U << verb) == 0) {
        verb++;
    }
    return ts_fail(p->ctx, TS_ERR_USAGE, "%s is an option of: trace_streamer %s", name,
                   ts_verb_list[verb].name);
}

/* The names of these verbs' options that begin so: at most two of them. */
static size_t find_begun(const ts_option *found[2], unsigned verbs, const char *typed, size_t n)
{
    size_t count = 0;
    for (size_t i = 0; i < ts_option_count && count < 2; i++) {
        const ts_option *o = &ts_option_list[i];
        if ((o->verbs & verbs) != 0 && o->long_name != NULL &&
            strncmp(o->long_name, typed, n) == 0 &&
            (count == 0 || strcmp(o->long_name, found[0]->long_name) != 0)) {
            found[count++] = o;
        }
    }
    return count;
}

/* The option of that name, n bytes; a long one may be shortened while only one of the verb's begins
 * so. */
static ts_code find_option(const ts_option **out, const parser *p, const char *typed, size_t n)
{
    const ts_option *found[2];
    const ts_option *other = ts_option_find(~0U, typed, n);
    *out = ts_option_find(own_verb(p), typed, n);
    if (*out != NULL) {
        return TS_OK;
    }
    if (other != NULL) {
        const char *name = typed[1] == '-' ? other->long_name : other->short_name;
        return foreign_option(p, other, name);
    }
    if (typed[1] != '-' || n <= 2) {
        return unknown_option(p, typed, n);
    }
    size_t count = find_begun(found, own_verb(p), typed, n);
    if (count == 2) {
        return ts_fail(p->ctx, TS_ERR_USAGE, "ambiguous option \"%.*s\": %s or %s?", (int)n, typed,
                       found[0]->long_name, found[1]->long_name);
    }
    if (count == 0) {
        return find_begun(found, ~0U, typed, n) == 1
                   ? foreign_option(p, found[0], found[0]->long_name)
                   : unknown_option(p, typed, n);
    }
    *out = found[0];
    return TS_OK;
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
    if (ts_option_find(~0U, next, strlen(next)) != NULL) {
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
    }
    ts_code code = find_option(&g.option, p, arg, n);
    g.typed_n = n > 200 ? 200 : (int)n;
    TS_STEP(code, options_take_value(&g, p, equals));
    return code != TS_OK ? code : options_apply(p, &g);
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

/* The first of the names, divided by blanks, whose option was given; NULL: none. */
static const char *first_given(size_t *n, const parser *p, const char *names)
{
    for (; *names != '\0'; names += *n + strspn(names + *n, " ")) {
        *n = strcspn(names, " ");
        const ts_option *o = ts_option_find(own_verb(p), names, *n);
        if (o != NULL && p->given[o - ts_option_list]) {
            return names;
        }
    }
    return NULL;
}

static ts_code check_rule(const parser *p, const ts_option_rule *rule)
{
    const char *verb = ts_verb_list[p->options->verb].name;
    size_t n = strlen(verb);
    size_t other_n = 0;
    const char *name = rule->names == NULL ? verb : first_given(&n, p, rule->names);
    const char *other = first_given(&other_n, p, rule->others);
    if ((rule->verbs & own_verb(p)) == 0 || name == NULL || (other != NULL) == rule->needs) {
        return TS_OK;
    }
    if (rule->needs) {
        return ts_fail(p->ctx, TS_ERR_USAGE, "%.*s %s", (int)n, name, rule->why);
    }
    return ts_fail(p->ctx, TS_ERR_USAGE, "%.*s does not go together with %.*s: %s", (int)n, name,
                   (int)other_n, other, rule->why);
}

/* Whether a conversion has an input, and something is wanted of it. */
static ts_code check_task(const ts_options *o, ts_ctx *ctx)
{
    bool asked = o->export_db != NULL || o->query != NULL || o->extract || o->json ||
                 o->analyze != NULL || o->report != TS_REPORT_NONE || o->to != NULL || o->each;
    if (o->path_count == 0 && o->directory == NULL) {
        return ts_fail(ctx, TS_ERR_USAGE, "no input was given%s",
                       asked ? ": name a recording (or -D DIR)" : "");
    }
    if (!asked) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "nothing to do with the input: -e DB writes a database, "
                       "--report says what is in it, -q QUESTION prints its answer, "
                       "--to=flame -o FILE draws its stacks, -s -o DIR takes the recordings out, "
                       "--json prints a summary");
    }
    return TS_OK;
}

static ts_code check_inputs(const ts_options *o, ts_ctx *ctx)
{
    const ts_verb_about *verb = &ts_verb_list[o->verb];
    if (o->path_count > verb->most || (o->path_count < verb->least && o->samples == NULL)) {
        return ts_fail(ctx, TS_ERR_USAGE, "%s needs %s, not %zu", verb->name, verb->inputs,
                       o->path_count);
    }
    if (o->verb == TS_VERB_DIFF && o->at != NULL && o->path_count != 2) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "diff --at needs two groups of recordings, the one before and the one "
                       "after, such as build=1 build=2");
    }
    if (o->verb == TS_VERB_DIFF && o->baseline != NULL && o->path_count != 1) {
        return ts_fail(
            ctx, TS_ERR_USAGE,
            "diff --baseline=DIR needs one input, the one after: the databases in DIR are "
            "what was before");
    }
    if (o->verb == TS_VERB_SAMPLE && (o->path_count == 1) != (o->export_db != NULL)) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "sample needs a process id and -e DB; without both it lists Java VMs");
    }
    return TS_OK;
}

/* One thing at most reads standard input, and one writes to standard output. */
static ts_code check_streams(const ts_options *o, ts_ctx *ctx)
{
    bool asked = o->query != NULL || o->report != TS_REPORT_NONE;
    bool summary = o->json && o->json_file == NULL;
    if (o->to != NULL && o->out != NULL && strcmp(o->out, "-") == 0 && (asked || summary)) {
        return ts_fail(
            ctx, TS_ERR_USAGE,
            "--to with -o - prints to standard output, and so do -q, --report and --json: "
            "name a file");
    }
    if (asked && summary) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "-q and --report print to standard output: "
                       "with it, write --json=FILE to send the summary to a file");
    }
    if (o->export_db != NULL && strcmp(o->export_db, "-") == 0) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "-e - is not possible: a database cannot be written to a stream");
    }
    if (count_stdin(o) > 1) {
        return ts_fail(ctx, TS_ERR_USAGE, "standard input (-) can be used only once");
    }
    return TS_OK;
}

/* --label chooses samples, but with --to=clickhouse, which may have several. */
static ts_code check_label(ts_options *o, ts_ctx *ctx)
{
    if (o->labels.count == 0 || o->at != NULL) {
        return TS_OK;
    }
    o->label = o->labels.all[0];
    return o->labels.count > 1   ? ts_fail(ctx, TS_ERR_USAGE, "--label was given twice")
           : o->label[0] == '\0' ? ts_fail(ctx, TS_ERR_USAGE, "--label was given an empty value")
                                 : TS_OK;
}

/* --to=clickhouse is the one export without a file. */
static ts_code check_fleet(const ts_options *o, ts_ctx *ctx)
{
    const bool clickhouse = o->to != NULL && strcmp(o->to, TS_TO_CLICKHOUSE) == 0;
    if (clickhouse != (o->at != NULL) && o->verb == TS_VERB_NONE) {
        return clickhouse ? ts_fail(ctx, TS_ERR_USAGE, "--to=clickhouse needs --at=URL")
                          : ts_fail(ctx, TS_ERR_USAGE, "--at requires --to=clickhouse");
    }
    return TS_OK;
}

static ts_code options_check(const parser *p)
{
    ts_options *o = p->options;
    ts_code code = o->verb == TS_VERB_NONE ? check_task(o, p->ctx) : check_inputs(o, p->ctx);
    TS_STEP(code, check_fleet(o, p->ctx));
    for (size_t i = 0; code == TS_OK && i < ts_option_rule_count; i++) {
        code = check_rule(p, &ts_option_rules[i]);
    }
    TS_STEP(code, check_label(o, p->ctx));
    return code != TS_OK ? code : check_streams(o, p->ctx);
}

/* The verb of that name, or TS_VERB_NONE. */
static ts_verb verb_of(const char *name)
{
    ts_verb verb = TS_VERB_COUNT - 1;
    while (verb > TS_VERB_NONE && strcmp(name, ts_verb_list[verb].name) != 0) {
        verb--;
    }
    return verb;
}

/* Lists that are asked for by a value. */
static void ask_lists(ts_options *o)
{
    const struct {
        const char *value;
        ts_mode mode;
    } lists[] = {{o->format, TS_MODE_FORMATS},
                 {o->analyze, TS_MODE_ANALYSES},
                 {o->to, TS_MODE_EXPORTS},
                 {o->by, TS_MODE_COMPARISONS}};
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
        if (lists[i].value != NULL && strcmp(lists[i].value, "list") == 0) {
            set_mode(o, lists[i].mode);
        }
    }
}

/* The verbs that are answered as options are. */
static ts_code ask_about(ts_options *o, ts_ctx *ctx)
{
    if (o->verb == TS_VERB_VERSION) {
        o->mode = TS_MODE_VERSION;
    } else if (o->verb == TS_VERB_HELP) {
        o->mode = TS_MODE_HELP;
        o->about = o->path_count == 0 ? TS_VERB_NONE : verb_of(o->paths[0]);
        if (o->path_count > 0 && o->about == TS_VERB_NONE) {
            return ts_fail(ctx, TS_ERR_USAGE,
                           "there is no verb \"%s\" (trace_streamer help lists them)", o->paths[0]);
        }
    }
    return TS_OK;
}

static ts_code parse_all(parser *p)
{
    ts_options *o = p->options;
    ts_code code = TS_OK;
    for (;
         code == TS_OK && o->mode != TS_MODE_HELP && o->mode != TS_MODE_VERSION && p->at < p->argc;
         p->at++) {
        code = parse_argument(p);
    }
    ask_lists(o);
    if (o->at != NULL && o->mode == TS_MODE_TABLES && o->table != NULL) { /* those to load */
        o->mode = TS_MODE_RUN;
    }
    if (code != TS_OK || o->mode != TS_MODE_RUN || (code = options_check(p)) != TS_OK) {
        return code;
    }
    return ask_about(o, p->ctx);
}

ts_code ts_options_parse(ts_options *options, ts_ctx *ctx, int argc, char **argv)
{
    *options = (ts_options){
        .verb = argc > 1 ? verb_of(argv[1]) : TS_VERB_NONE,
        .level = TS_LEVEL_UNSET,
        .limit = TS_DIFF_ROWS,
        .port = TS_NOT_GIVEN,
        .query_timeout = TS_NOT_GIVEN,
        .max_rows = TS_NOT_GIVEN,
        .threads = TS_NOT_GIVEN,
        .seconds = TS_NOT_GIVEN,
        .interval = TS_NOT_GIVEN,
        .max_output = TS_MAX_OUTPUT,
        .retries = TS_NOT_GIVEN,
        .timeout = TS_NOT_GIVEN,
        .keep = TS_NOT_GIVEN,
        .older_than = TS_NOT_GIVEN,
    };
    parser p = {options, ctx, argc, argv, options->verb == TS_VERB_NONE ? 1 : 2, false, NULL};
    options->paths = ts_alloc(ctx, (size_t)argc + 1, sizeof *options->paths);
    p.given = ts_zalloc(ctx, ts_option_count, sizeof *p.given);
    ts_code code = options->paths == NULL || p.given == NULL ? ctx->error.code : parse_all(&p);
    ts_free(ctx, p.given);
    return code;
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
    ts_free(ctx, options->fail_if.all);
    ts_free(ctx, options->labels.all);
    ts_free(ctx, options->redact_keep.all);
    ts_free(ctx, options->allow_origins.all);
    ts_free(ctx, options->allow_hosts.all);
    ts_free(ctx, options->paths);
}
