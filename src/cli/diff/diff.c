#include "cli/verbs.h"

#include "base/alloc.h"
#include "session/ask.h"
#include "cli/diff/diff_private.h"
#include "cli/exit_codes.h"
#include "tables/question_text.h"
#include "cli/signals.h"

#include <inttypes.h>
#include <stdio.h>
#include <unistd.h>

/* Everything that one comparison holds. */
typedef struct comparing {
    ts_ctx *ctx;
    const ts_options *options;
    ts_questions all; /* what can be compared, in order */
    bool *fits;       /* one each: both sides have it */
    const ts_shipped *by;
    diff_shape shape;
    diff_shape classes; /* of class.sql, for heaps */
    diff_condition *conditions;
    diff_side sides[2];
    bool one;      /* a single input */
    bool explicit; /* sources were chosen, so that the sides of a single input differ */
    diff_table table;
    diff_heap *heap;
    diff_methods methods;
    diff_result result;
    ts_output out;
    uint64_t losses[2];
    ts_buf others;
    bool failed;
} comparing;

/* --- what is asked for --------------------------------------------------------------------- */

static const ts_shipped *find_by(const comparing *c, const char *name)
{
    for (size_t i = 0; i < c->all.count; i++) {
        if (strcmp(c->all.all[i].name, name) == 0) {
            return &c->all.all[i];
        }
    }
    return NULL;
}

static ts_code unknown_by(comparing *c)
{
    ts_buf names = {0};
    ts_code code = diff_names(&names, c->ctx, &c->all, NULL, NULL);
    TS_STEP(code, ts_fail(c->ctx, TS_ERR_USAGE, "bad value for --by: \"%s\" is none of %.*s",
                          c->options->by, (int)names.n, names.n == 0 ? "" : names.p));
    ts_buf_free(c->ctx, &names);
    return code;
}

ts_code diff_load(ts_questions *all, ts_ctx *ctx, bool fleet)
{
    TS_TRY(ts_questions_load_from(all, ctx, fleet ? "/fleet/diff" : "/diff"));
    if (all->count == 0) {
        return ts_fail(ctx, TS_ERR_INPUT,
                       "what can be compared is not installed: %sdiff/*.sql is missing beside the "
                       "shipped questions",
                       fleet ? "fleet/" : "");
    }
    diff_order(all);
    return TS_OK;
}

ts_code ts_diff_list(ts_buf *out, ts_ctx *ctx, const ts_options *options)
{
    ts_questions all = {0};
    ts_code code = diff_load(&all, ctx, options->at != NULL);
    for (size_t i = 0; code == TS_OK && i < all.count; i++) {
        ts_text line = ts_question_first(ts_buf_text(&all.all[i].sql), "Question");
        code = ts_buf_printf(ctx, out, "%-16s %.*s\n", all.all[i].name, (int)line.n, line.p);
    }
    ts_questions_free(&all, ctx);
    return code;
}

/* All that can be wrong before an input is opened. */
static ts_code prepare(comparing *c)
{
    const ts_options *o = c->options;
    ts_code code = diff_load(&c->all, c->ctx, false);
    TS_STEP_IF(code, o->to != NULL, diff_export_check(c->ctx, o));
    if (code != TS_OK) {
        return code;
    }
    c->by = o->by == NULL ? NULL : find_by(c, o->by);
    if (o->by != NULL && c->by == NULL) {
        return unknown_by(c);
    }
    c->fits = ts_zalloc(c->ctx, c->all.count, sizeof *c->fits);
    c->conditions = ts_zalloc(c->ctx, o->fail_if.count, sizeof *c->conditions);
    if (c->fits == NULL || c->conditions == NULL) {
        return c->ctx->error.code;
    }
    for (size_t i = 0; code == TS_OK && i < o->fail_if.count; i++) {
        code = diff_condition_parse(&c->conditions[i], c->ctx, o->fail_if.all[i]);
    }
    return code;
}

/* --- both sides ---------------------------------------------------------------------------- */

static ts_code open_sides(comparing *c)
{
    const ts_options *o = c->options;
    ts_code code = TS_OK;
    bool nothing = o->before != NULL && strcmp(o->before, "none") == 0;
    c->one = o->path_count == 1 || strcmp(o->paths[0], o->paths[1]) == 0;
    c->explicit = o->before != NULL || o->after != NULL;
    if (nothing && o->path_count > 1) {
        return ts_fail(c->ctx, TS_ERR_USAGE, "--before=none: name one input, the one after");
    }
    for (unsigned i = 0; code == TS_OK && i < 2; i++) {
        diff_side *s = &c->sides[i];
        if (i == 0 && nothing) {
            *s = (diff_side){.ctx = c->ctx, .path = "", .nothing = true, .file = -1};
        } else if (i == 1 && c->one && !nothing) {
            *s = c->sides[0];
            s->chosen = (ts_buf){0};
            s->borrowed = true;
        } else {
            code = diff_side_open(s, c->ctx, o, o->paths[o->path_count == 1 ? 0 : i]);
        }
        s->selector = i == 0 ? o->before : o->after;
        s->selector = s->selector == NULL ? o->source : s->selector;
        code = code != TS_OK || s->nothing ? code : diff_side_select(s);
    }
    return code;
}

static bool is_method(const ts_shipped *s)
{
    return strcmp(s->name, "method") == 0;
}

static bool is_heap(const ts_shipped *s)
{
    return strcmp(s->name, "class") == 0 || strcmp(s->name, "node") == 0;
}

/* Two sources of one input, or two heap snapshots of it. */
static ts_code find_fits(comparing *c)
{
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < c->all.count; i++) {
        const ts_shipped *s = &c->all.all[i];
        bool both = true;
        ts_text what;
        for (unsigned side = c->sides[0].nothing; code == TS_OK && both && side < 2; side++) {
            code = ts_ask_fits(&both, &what, c->sides[side].db, ts_buf_text(&s->sql));
        }
        c->fits[i] = both && (!c->one || c->explicit || is_heap(s));
    }
    return code;
}

static ts_code nothing_fits(comparing *c)
{
    ts_text part =
        ts_question_part(c->by == NULL ? (ts_text){"", 0} : ts_buf_text(&c->by->sql), "Needs");
    ts_question_need need = {{NULL, 0}, {NULL, 0}};
    if (c->one && !c->explicit) {
        return ts_fail(c->ctx, TS_ERR_USAGE,
                       "both sides are the same: name two inputs, or sources of the one with "
                       "--before=SOURCE and --after=SOURCE");
    }
    if (c->by == NULL) {
        return ts_fail(c->ctx, TS_ERR_USAGE,
                       "the inputs have nothing in common that can be compared");
    }
    (void)ts_question_need_next(&need, &part);
    return ts_fail(c->ctx, TS_ERR_USAGE, "--by=%s does not fit: not both inputs have %.*s%s%s",
                   c->by->name, (int)need.what.n, need.what.p,
                   c->others.n == 0 ? "" : "; --by can be ", c->others.n == 0 ? "" : c->others.p);
}

/* Of what both sides have: what was asked for, or the first. */
static ts_code choose(comparing *c)
{
    ts_code code = find_fits(c);
    bool fit = false;
    for (size_t i = 0; i < c->all.count; i++) {
        if (c->fits[i] && c->by == NULL) {
            c->by = &c->all.all[i];
        }
        fit = fit || (c->fits[i] && c->by == &c->all.all[i]);
    }
    TS_STEP(code, diff_names(&c->others, c->ctx, &c->all, c->fits, c->by));
    TS_STEP(code, ts_buf_putc(c->ctx, &c->others, '\0'));
    if (code == TS_OK) {
        c->others.n--; /* the zero byte stays after the text */
    }
    TS_STEP_IF(code, !fit, nothing_fits(c));
    return code;
}

/* --- values -------------------------------------------------------------------------------- */

/* "size": self_size, or size. What methods weigh was chosen with their profiles. */
static ts_code choose_weight(comparing *c)
{
    const char *weight = c->options->weight;
    char self[DIFF_NAME + 8];
    diff_shape *s = &c->shape;
    if (weight == NULL || is_method(c->by)) {
        return TS_OK;
    }
    int n = snprintf(self, sizeof self, "self_%.*s", DIFF_NAME, weight);
    s->main = diff_value_find(s, self, (size_t)n);
    if (s->main == s->value_count) {
        s->main = diff_value_find(s, weight, strlen(weight));
    }
    return s->main < s->value_count
               ? TS_OK
               : ts_fail(c->ctx, TS_ERR_USAGE, "--by=%s has no value \"%s\" for --weight",
                         c->by->name, weight);
}

/* The first value that both sides have, unless one was asked for. */
static ts_code settle_weight(comparing *c)
{
    diff_shape *s = &c->shape;
    const diff_result *r = &c->result;
    if (c->options->weight != NULL && !diff_result_has(r, s->main) && r->rows[0] + r->rows[1] > 0) {
        return ts_fail(c->ctx, TS_ERR_USAGE, "--weight=%s: it is not recorded on both sides",
                       c->options->weight);
    }
    for (unsigned v = 0; c->options->weight == NULL && v < s->value_count; v++) {
        if (diff_result_has(r, v)) {
            s->main = v;
            return TS_OK;
        }
    }
    return TS_OK;
}

static ts_code find_shape(comparing *c)
{
    const ts_shipped *class = find_by(c, "class");
    ts_code code = diff_shape_read(&c->shape, c->ctx, c->by);
    TS_STEP_IF(code, is_heap(c->by),
               class == NULL ? ts_fail(c->ctx, TS_ERR_INPUT, "diff/class.sql is missing")
                             : diff_shape_read(&c->classes, c->ctx, class));
    TS_STEP_IF(code, is_method(c->by),
               diff_methods_open(&c->methods, c->ctx, &c->shape, c->sides, c->options));
    for (size_t i = 0; code == TS_OK && i < c->options->fail_if.count; i++) {
        code = diff_condition_bind(&c->conditions[i], c->ctx, &c->shape);
    }
    return code;
}

/* --- comparing ----------------------------------------------------------------------------- */

enum { PARAMS = 5 };

/* Options that the question has as parameters. */
static ts_code make_params(ts_param *params, size_t *count, const comparing *c,
                           const diff_side *side)
{
    const ts_options *o = c->options;
    const ts_param given[] = {{"source", side->selector},
                              {"thread", o->thread},
                              {"label", o->label},
                              {"from", o->from},
                              {"until", o->until}};
    ts_question_param param;
    *count = 0;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        if (given[i].value == NULL) {
            continue;
        }
        if (!ts_question_find_param(&param, ts_buf_text(&c->by->sql), given[i].name)) {
            return ts_fail(c->ctx, TS_ERR_USAGE, "--%s does not apply to --by=%s", given[i].name,
                           c->by->name);
        }
        params[(*count)++] = given[i];
    }
    return TS_OK;
}

static ts_code compare_rows(comparing *c)
{
    ts_code code = choose_weight(c);
    diff_table_init(&c->table, c->ctx, &c->shape);
    if (code == TS_OK && is_method(c->by)) {
        return diff_methods_put(&c->methods, &c->table);
    }
    for (unsigned side = c->sides[0].nothing; code == TS_OK && side < 2; side++) {
        ts_param params[PARAMS];
        size_t n;
        code = make_params(params, &n, c, &c->sides[side]);
        code = code != TS_OK ? code : diff_table_ask(&c->table, c->sides[side].db, side, params, n);
    }
    return code;
}

static ts_code open_heaps(comparing *c)
{
    ts_param params[PARAMS];
    size_t count; /* of parameters, all of which the sides have already */
    ts_code code = make_params(params, &count, c, &c->sides[0]);
    for (unsigned side = 0; code == TS_OK && side < 2; side++) {
        code = diff_side_heap(&c->sides[side], side == 0 && c->one && c->options->before == NULL);
    }
    if (code == TS_OK && c->one && c->sides[0].file == c->sides[1].file) {
        code = ts_fail(c->ctx, TS_ERR_USAGE,
                       "both sides are the same heap snapshot: name two inputs, or sources of "
                       "the one with --before=SOURCE and --after=SOURCE");
    }
    if (code == TS_OK && !c->sides[0].nothing && c->sides[0].analysed != c->sides[1].analysed) {
        ts_message(c->ctx, "only one side has the analysis heap: sizes are those of the nodes "
                           "alone (--analyze=heap adds it)");
    }
    return code != TS_OK ? code : choose_weight(c);
}

/* Something was asked for that is found out by ids. */
static bool asks_ids(const comparing *c)
{
    const diff_shape *s = &c->shape;
    bool ids = c->options->weight != NULL && s->values[s->main].kind == DIFF_ONCE;
    for (size_t i = 0; i < c->options->fail_if.count; i++) {
        ids = ids || s->values[c->conditions[i].value].kind == DIFF_ONCE;
    }
    return ids;
}

/* Ids of both sides do not mean the same objects. */
static void say_unrelated(const comparing *c, bool nodes)
{
    static const char what[] = "the snapshots are not of one run of the program, in this order";
    if (nodes) {
        ts_message(c->ctx,
                   "%s: nodes with one id are different objects; --by=class compares "
                   "classes",
                   what);
    } else if (asks_ids(c)) {
        ts_message(c->ctx, "%s: nodes with one id are different objects", what);
    } else {
        ts_message(c->ctx,
                   "%s: classes are compared by their totals (--weight=new_count: by the "
                   "ids of nodes all the same)",
                   what);
    }
}

static ts_code compare_heaps(comparing *c)
{
    bool by_class = strcmp(c->by->name, "class") == 0;
    ts_code code = open_heaps(c);
    diff_table_init(&c->table, c->ctx, &c->classes);
    TS_STEP(code, diff_heap_new(&c->heap, c->ctx, c->sides, &c->table, by_class));
    TS_STEP_IF(code, by_class, diff_heap_classes(c->heap, asks_ids(c)));
    return code;
}

/* From what was asked to rows and totals. */
static ts_code fill_result(comparing *c)
{
    const ts_options *o = c->options;
    diff_result *r = &c->result;
    bool nodes = c->heap != NULL && strcmp(c->by->name, "node") == 0;
    ts_code code = TS_OK;
    diff_result_init(r, c->ctx, &c->shape);
    r->conditions = c->conditions;
    r->condition_count = o->fail_if.count;
    r->limit = o->limit;
    if (nodes) {
        code = diff_heap_nodes(c->heap, r);
    } else {
        diff_table_count(&c->table, r);
        code = settle_weight(c);
        code = code != TS_OK ? code : diff_table_put(&c->table, r);
    }
    if (code == TS_OK && c->heap != NULL && !diff_heap_comparable(c->heap)) {
        say_unrelated(c, nodes);
    }
    return code != TS_OK ? code : diff_result_end(r);
}

static ts_code print_all(comparing *c)
{
    diff_report report = {
        .result = &c->result, .sides = c->sides, .others = c->others.p, .losses = c->losses};
    ts_code code = TS_OK;
    for (unsigned i = 0; code == TS_OK && i < 2; i++) {
        code = diff_side_label(&c->sides[i]);
    }
    for (unsigned i = 0; code == TS_OK && i < 2; i++) {
        code = c->one && i == 1 && diff_sides_same(c->sides)
                   ? TS_OK
                   : diff_side_losses(&c->losses[i], &c->sides[i]);
    }
    for (size_t i = 0; i < c->result.condition_count; i++) {
        report.failed = report.failed || c->conditions[i].holds;
    }
    TS_STEP_IF(code, !c->options->quiet, diff_say(c->ctx, &report));
    TS_STEP(code, diff_print(&c->out, &report, c->options->output, isatty(STDOUT_FILENO) == 1));
    c->failed = report.failed;
    return code != TS_OK ? code : diff_say_failures(c->ctx, &report);
}

/* --to instead of rows. */
static ts_code compare_pictures(comparing *c)
{
    if (c->one && diff_sides_same(c->sides)) {
        c->explicit = false;
        return nothing_fits(c);
    }
    ts_code code = diff_side_label(&c->sides[0]);
    TS_STEP(code, diff_side_label(&c->sides[1]));
    TS_STEP(code, diff_export(c->ctx, c->options, c->sides));
    for (unsigned i = 0; code == TS_OK && i < 2; i++) {
        code = diff_side_losses(&c->losses[i], &c->sides[i]);
    }
    return code;
}

static ts_code compare(comparing *c)
{
    ts_code code = prepare(c);
    TS_STEP(code, open_sides(c));
    if (code == TS_OK && c->options->to != NULL) {
        return compare_pictures(c);
    }
    ts_signals_hurry(true);
    TS_STEP(code, choose(c));
    TS_STEP(code, find_shape(c));
    TS_STEP(code, is_heap(c->by) ? compare_heaps(c) : compare_rows(c));
    TS_STEP(code, fill_result(c));
    TS_STEP(code, print_all(c));
    ts_signals_hurry(false);
    return code;
}

static void comparing_release(comparing *c)
{
    diff_result_free(&c->result);
    diff_heap_free(c->heap);
    diff_methods_free(&c->methods);
    diff_table_free(&c->table);
    diff_side_close(&c->sides[1]);
    diff_side_close(&c->sides[0]);
    for (size_t i = 0; c->conditions != NULL && i < c->options->fail_if.count; i++) {
        diff_condition_free(&c->conditions[i], c->ctx);
    }
    ts_free(c->ctx, c->conditions);
    ts_free(c->ctx, c->fits);
    ts_buf_free(c->ctx, &c->others);
    ts_questions_free(&c->all, c->ctx);
    ts_output_free(&c->out);
}

int ts_diff(ts_ctx *ctx, const ts_options *options)
{
    comparing c = {.ctx = ctx, .options = options};
    diff_table_init(&c.table, ctx, NULL);
    diff_result_init(&c.result, ctx, &c.shape);
    ts_output_init(&c.out, ctx, STDOUT_FILENO, "standard output");
    ts_code code = options->at == NULL ? compare(&c) : diff_fleet(&c.failed, ctx, options, &c.out);
    if (code != TS_OK) {
        ts_print_error(ctx, &ctx->error);
    }
    int exit_code = code == TS_OK && c.failed ? TS_EXIT_DIFFERS : ts_exit_code(ctx, code);
    comparing_release(&c);
    return exit_code;
}
