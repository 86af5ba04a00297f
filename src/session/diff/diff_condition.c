#include "session/diff/diff_rows.h"

#include <math.h>
#include <stdlib.h>

/* --- reading ------------------------------------------------------------------------------- */

static ts_code bad_condition(ts_ctx *ctx, const char *text, const char *why)
{
    return ts_fail(ctx, TS_ERR_USAGE,
                   "bad condition \"%s\" for --fail-if: %s; like self_size>+5%%, "
                   "count[NAME]>=100 or self_size[*]>+1MB",
                   text, why);
}

/* VALUE, VALUE[*] or VALUE[ROW]; returns what is after it. */
static const char *take_subject(diff_condition *c)
{
    const char *p = c->text;
    size_t n = strcspn(p, "[<> \t");
    c->value_name = (ts_text){p, n};
    c->scope = DIFF_TOTAL;
    p += n;
    if (*p != '[') {
        return p;
    }
    const char *close = strrchr(p, ']');
    if (close == NULL) {
        return NULL;
    }
    c->row = (ts_text){p + 1, (size_t)(close - p - 1)};
    c->scope = ts_text_is(c->row, "*") ? DIFF_ANY : DIFF_NAMED;
    return close + 1;
}

static const char *take_op(diff_condition *c, const char *p)
{
    p += strspn(p, " \t");
    if (*p != '<' && *p != '>') {
        return NULL;
    }
    bool equal = p[1] == '=';
    c->op = *p == '>' ? equal ? DIFF_GE : DIFF_GT : equal ? DIFF_LE : DIFF_LT;
    p += equal ? 2 : 1;
    return p + strspn(p, " \t");
}

/* Digits with a point, no exponent; returns what is after it. */
static const char *take_number(diff_condition *c, const char *p)
{
    bool negative = *p == '-';
    c->form = *p == '+' || *p == '-' ? DIFF_CHANGE : DIFF_AFTER;
    p += c->form == DIFF_CHANGE ? 1 : 0;
    size_t n = strspn(p, "0123456789");
    size_t digits = n;
    if (p[n] == '.') {
        size_t more = strspn(p + n + 1, "0123456789");
        n += 1 + more;
        digits += more;
    }
    char copy[64];
    if (digits == 0 || n >= sizeof copy) {
        return NULL;
    }
    memcpy(copy, p, n);
    copy[n] = '\0';
    c->number = strtod(copy, NULL); /* the program never sets a locale */
    c->number = negative ? -c->number : c->number;
    return p + n;
}

static bool take_unit(diff_condition *c, const char *p)
{
    static const struct {
        const char *name;
        diff_unit unit;
        double scale;
    } units[] = {
        {"", DIFF_PLAIN, 1},
        {"k", DIFF_PLAIN, 1e3},
        {"M", DIFF_PLAIN, 1e6},
        {"G", DIFF_PLAIN, 1e9},
        {"B", DIFF_BYTES, 1},
        {"kB", DIFF_BYTES, 1e3},
        {"MB", DIFF_BYTES, 1e6},
        {"GB", DIFF_BYTES, 1e9},
        {"KiB", DIFF_BYTES, 1024},
        {"MiB", DIFF_BYTES, 1048576},
        {"GiB", DIFF_BYTES, 1073741824},
        {"ns", DIFF_NS, 1},
        {"us", DIFF_NS, 1e3},
        {"ms", DIFF_NS, 1e6},
        {"s", DIFF_NS, 1e9},
        {"m", DIFF_NS, 60e9},
        {"%", DIFF_SHARE, 1},
    };
    p += strspn(p, " \t");
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (strcmp(units[i].name, p) == 0) {
            c->unit = units[i].unit;
            c->scale = units[i].scale;
            return true;
        }
    }
    return false;
}

ts_code diff_condition_parse(diff_condition *out, ts_ctx *ctx, const char *text)
{
    diff_condition c = {.text = text};
    const char *p = take_subject(&c);
    if (p == NULL || c.value_name.n == 0) {
        return bad_condition(ctx, text, "it begins with no value, or a bracket is not closed");
    }
    p = take_op(&c, p);
    if (p == NULL) {
        return bad_condition(ctx, text, "there is no >, >=, < or <= after the value");
    }
    p = take_number(&c, p);
    if (p == NULL) {
        return bad_condition(ctx, text, "there is no number");
    }
    if (!take_unit(&c, p)) {
        return bad_condition(
            ctx, text,
            "its unit must be one of k, M, G, B, kB, MB, GB, KiB, MiB, GiB, ns, us, "
            "ms, s, m and %");
    }
    c.number *= c.scale;
    if (c.unit == DIFF_SHARE && c.form == DIFF_CHANGE) {
        c.form = DIFF_RELATIVE;
    }
    *out = c;
    return TS_OK;
}

/* --- its value ----------------------------------------------------------------------------- */

static ts_code unknown_value(ts_ctx *ctx, const diff_condition *c, const diff_shape *shape)
{
    ts_buf names = {0};
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < shape->value_count; i++) {
        code = ts_buf_printf(ctx, &names, "%s%s", i == 0 ? "" : ", ", shape->values[i].name);
    }
    TS_STEP(code, ts_fail(ctx, TS_ERR_USAGE,
                          "--fail-if=\"%s\": --by=%s has no value \"%.*s\"; it has %.*s", c->text,
                          shape->file->name, (int)c->value_name.n, c->value_name.p, (int)names.n,
                          names.p));
    ts_buf_free(ctx, &names);
    return code;
}

ts_code diff_condition_bind(diff_condition *c, ts_ctx *ctx, const diff_shape *shape)
{
    c->value = diff_value_find(shape, c->value_name.p, c->value_name.n);
    if (c->value == shape->value_count) {
        return unknown_value(ctx, c, shape);
    }
    const diff_value *v = &shape->values[c->value];
    if (c->scope == DIFF_TOTAL && (v->kind == DIFF_LEVEL || v->kind == DIFF_EACH)) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "--fail-if=\"%s\": %s has no total; name a row, %s[NAME], or any, %s[*]",
                       c->text, v->name, v->name, v->name);
    }
    if (c->form == DIFF_AFTER && c->unit == DIFF_SHARE && v->unit != DIFF_SHARE) {
        return ts_fail(
            ctx, TS_ERR_USAGE,
            "--fail-if=\"%s\": %s is not a share; a relative change has a sign, as in +5%%",
            c->text, v->name);
    }
    if (c->form != DIFF_AFTER && v->kind == DIFF_ONCE) {
        return ts_fail(ctx, TS_ERR_USAGE,
                       "--fail-if=\"%s\": %s is a change itself; write the number without a sign",
                       c->text, v->name);
    }
    if ((c->unit == DIFF_BYTES || c->unit == DIFF_NS) && c->unit != v->unit) {
        return ts_fail(ctx, TS_ERR_USAGE, "--fail-if=\"%s\": %s is not in %s", c->text, v->name,
                       c->unit == DIFF_NS ? "units of time" : "bytes");
    }
    return TS_OK;
}

/* --- deciding ------------------------------------------------------------------------------ */

/* The number that is compared; false: there is none. */
static bool observed(double *out, const diff_condition *c, diff_cell before, diff_cell after)
{
    diff_cell cell = c->form == DIFF_AFTER ? after : diff_change(before, after);
    *out = diff_number(cell);
    if (cell.type == TS_CELL_NULL) {
        return false;
    }
    if (c->form == DIFF_RELATIVE) {
        diff_cell percent = diff_percent(before, after);
        /* From nothing to something is more than any number of percent. */
        *out = percent.type != TS_CELL_NULL ? diff_number(percent)
               : *out == 0                  ? 0
                                            : copysign(INFINITY, *out);
    }
    return true;
}

static bool decide(const diff_condition *c, double number)
{
    switch (c->op) {
    case DIFF_GT:
        return number > c->number;
    case DIFF_GE:
        return number >= c->number;
    case DIFF_LT:
        return number < c->number;
    case DIFF_LE:
        break;
    }
    return number <= c->number;
}

/* Whether a row is further in the direction of the condition than the one before. */
static bool is_further(const diff_condition *c, diff_cell before, diff_cell after)
{
    double now;
    double best;
    if (!observed(&now, c, before, after)) {
        return false;
    }
    if (!c->met || !observed(&best, c, c->before, c->after)) {
        return true;
    }
    return c->op == DIFF_GT || c->op == DIFF_GE ? now > best : now < best;
}

static bool is_noise(const diff_condition *c, diff_cell before, diff_cell after, diff_cell noise)
{
    return c->form != DIFF_AFTER && diff_is_noise(before, after, noise);
}

/* Whether a row says more than the one before: what is outside the noise goes first. */
static bool is_better(const diff_condition *c, diff_cell before, diff_cell after, diff_cell noise)
{
    const bool inside = is_noise(c, before, after, noise);
    double number;
    if (!observed(&number, c, before, after) || (inside && c->scope == DIFF_ANY)) {
        return false;
    }
    return c->met && inside != is_noise(c, c->before, c->after, c->noise)
               ? !inside
               : is_further(c, before, after);
}

static void set_row(diff_condition *c, const diff_row *row)
{
    c->handle = row->handle;
    c->is_row = true;
    c->met = true;
}

ts_code diff_condition_row(diff_condition *c, ts_ctx *ctx, const diff_shape *shape, ts_text key,
                           const diff_row *row)
{
    diff_cell before = row->cells[2 * (size_t)c->value];
    diff_cell after = row->cells[2 * (size_t)c->value + 1];
    diff_cell noise = row->noise == NULL ? diff_null() : row->noise[c->value];
    bool named = c->scope == DIFF_NAMED;
    if (c->scope == DIFF_TOTAL ||
        (named && (key.p == NULL || key.n != c->row.n || memcmp(key.p, c->row.p, key.n) != 0))) {
        return TS_OK;
    }
    if (named && shape->values[c->value].kind != DIFF_EACH) {
        c->before = diff_add(c->before, before);
        c->after = diff_add(c->after, after);
        c->noise = diff_add(c->noise, noise);
        set_row(c, row);
        return TS_OK;
    }
    if (!is_better(c, before, after, noise)) {
        return TS_OK;
    }
    c->before = before;
    c->after = after;
    c->noise = noise;
    set_row(c, row);
    c->met_row.n = 0;
    return ts_buf_put(ctx, &c->met_row, key.p == NULL ? "" : key.p, key.n);
}

void diff_condition_end(diff_condition *c, const diff_row *totals)
{
    double number;
    if (c->scope == DIFF_TOTAL) {
        c->before = totals->cells[2 * (size_t)c->value];
        c->after = totals->cells[2 * (size_t)c->value + 1];
        c->noise = totals->noise == NULL ? diff_null() : totals->noise[c->value];
        c->met = true;
    }
    c->holds = c->met && observed(&number, c, c->before, c->after) && decide(c, number);
    c->inside = c->holds && is_noise(c, c->before, c->after, c->noise);
    c->holds = c->holds && !c->inside;
}

/* --- saying it ----------------------------------------------------------------------------- */

ts_code diff_say_change(ts_buf *out, ts_ctx *ctx, diff_cell before, diff_cell after,
                        diff_cell noise, diff_unit unit)
{
    char a[DIFF_CELL_TEXT];
    char b[DIFF_CELL_TEXT];
    char change[DIFF_CELL_TEXT];
    diff_cell delta = diff_round(diff_change(before, after), 1000);
    diff_cell percent = diff_percent(before, after);
    const char *name = diff_unit_name(unit);
    (void)diff_text(a, diff_round(before, 1000));
    (void)diff_text(b, diff_round(after, 1000));
    (void)diff_text(change, delta);
    ts_code code = ts_buf_printf(ctx, out, " was %s and is %s%s%s", a[0] == '\0' ? "not there" : a,
                                 b[0] == '\0' ? "not there" : b, name[0] == '\0' ? "" : " ", name);
    if (code != TS_OK || delta.type == TS_CELL_NULL) {
        return code;
    }
    code = ts_buf_printf(ctx, out, " (%s%s", diff_number(delta) > 0 ? "+" : "", change);
    TS_STEP_IF(code, percent.type != TS_CELL_NULL,
               ts_buf_printf(ctx, out, ", %+.1f %%", diff_number(percent)));
    if (code == TS_OK && noise.type != TS_CELL_NULL) {
        (void)diff_text(change, diff_round(noise, 1000));
        code = ts_buf_printf(ctx, out, ", noise %s", change);
    }
    return code != TS_OK ? code : ts_buf_putc(ctx, out, ')');
}

ts_code diff_condition_say(ts_buf *out, ts_ctx *ctx, const diff_condition *c,
                           const diff_shape *shape)
{
    const diff_value *v = &shape->values[c->value];
    ts_text row = c->scope == DIFF_ANY ? ts_buf_text(&c->met_row) : c->row;
    ts_code code =
        ts_buf_printf(ctx, out, "%s%s", c->scope == DIFF_TOTAL ? "the total of " : "", v->name);
    if (code == TS_OK && c->scope != DIFF_TOTAL) {
        code = ts_buf_printf(ctx, out, " of ");
        code = code != TS_OK ? code : ts_buf_put(ctx, out, row.p, row.n);
    }
    if (code != TS_OK) {
        return code;
    }
    if (v->kind == DIFF_ONCE) {
        char text[DIFF_CELL_TEXT];
        (void)diff_text(text, c->after);
        return ts_buf_printf(ctx, out, " is %s", text);
    }
    return diff_say_change(out, ctx, c->before, c->after, c->noise, v->unit);
}

void diff_condition_free(diff_condition *c, ts_ctx *ctx)
{
    ts_buf_free(ctx, &c->met_row);
}
