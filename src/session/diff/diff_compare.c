#include "session/diff/diff_parts.h"

#include "base/alloc.h"
#include "session/ask.h"
#include "tables/question_text.h"

#include <stdarg.h>
#include <stdio.h>

enum { NOTE_MAX = 2048 };

void diff_note(const diff_asked *asked, const char *fmt, ...)
{
    char text[NOTE_MAX];
    va_list ap;
    if (asked->note != NULL) {
        va_start(ap, fmt);
        vsnprintf(text, sizeof text, fmt, ap);
        va_end(ap);
        asked->note(asked->note_user, text);
    }
}

ts_stack_filter diff_stack_filter(const diff_asked *asked, const char *source)
{
    return (ts_stack_filter){
        .wanted = {source, asked->thread, asked->from, asked->until, asked->label},
        .event = asked->event,
        .weight = asked->weight,
        .demangle = asked->demangle};
}

/* --- what is asked for --------------------------------------------------------------------- */

static const ts_shipped *find_by(const diff_comparison *d, const char *name)
{
    for (size_t i = 0; i < d->all.count; i++) {
        if (strcmp(d->all.all[i].name, name) == 0) {
            return &d->all.all[i];
        }
    }
    return NULL;
}

static ts_code unknown_by(diff_comparison *d)
{
    ts_buf names = {0};
    ts_code code = diff_names(&names, d->ctx, &d->all, NULL, NULL);
    TS_STEP(code, ts_fail(d->ctx, TS_ERR_USAGE, "bad value for --by: \"%s\" is not one of: %.*s",
                          d->asked.by, (int)names.n, names.n == 0 ? "" : names.p));
    ts_buf_free(d->ctx, &names);
    return code;
}

ts_code diff_prepare(diff_comparison *d)
{
    const diff_asked *o = &d->asked;
    TS_TRY(diff_load(&d->all, d->ctx, false));
    d->by = o->by == NULL ? NULL : find_by(d, o->by);
    if (o->by != NULL && d->by == NULL) {
        return unknown_by(d);
    }
    d->fits = ts_zalloc(d->ctx, d->all.count, sizeof *d->fits);
    d->conditions = ts_zalloc(d->ctx, o->condition_count, sizeof *d->conditions);
    if (d->fits == NULL || d->conditions == NULL) {
        return d->ctx->error.code;
    }
    for (size_t i = 0; i < o->condition_count; i++) {
        TS_TRY(diff_condition_parse(&d->conditions[i], d->ctx, o->conditions[i]));
    }
    return TS_OK;
}

/* --- both sides ---------------------------------------------------------------------------- */

static ts_code open_side(diff_comparison *d, unsigned i, const diff_inputs *inputs)
{
    const diff_asked *o = &d->asked;
    diff_side *s = &d->sides[i];
    ts_code code = TS_OK;
    *s = (diff_side){.ctx = d->ctx, .path = inputs->paths[inputs->count == 1 ? 0 : i], .fd = -1};
    s->file = -1;
    if (i == 0 && o->before != NULL && strcmp(o->before, "none") == 0) {
        s->path = "";
        s->nothing = true;
    } else if (i == 1 && d->one && !d->sides[0].nothing) {
        *s = d->sides[0];
        s->chosen = (ts_buf){0};
        s->borrowed = true;
    } else {
        code = inputs->open(inputs->user, s, i);
        TS_STEP(code, diff_side_check(s));
    }
    s->selector = i == 0 ? o->before : o->after;
    s->selector = s->selector == NULL ? o->source : s->selector;
    return code != TS_OK || s->nothing ? code : diff_side_select(s);
}

ts_code diff_open(diff_comparison *d, const diff_inputs *inputs)
{
    const diff_asked *o = &d->asked;
    d->inputs = inputs;
    d->one = inputs->one;
    d->is_explicit = o->before != NULL || o->after != NULL;
    if (o->before != NULL && strcmp(o->before, "none") == 0 && inputs->count > 1) {
        return ts_fail(d->ctx, TS_ERR_USAGE, "--before=none: name one input, the one after");
    }
    TS_TRY(open_side(d, 0, inputs));
    return open_side(d, 1, inputs);
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
static ts_code find_fits(diff_comparison *d)
{
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < d->all.count; i++) {
        const ts_shipped *s = &d->all.all[i];
        bool both = true;
        ts_text what;
        for (unsigned side = d->sides[0].nothing; code == TS_OK && both && side < 2; side++) {
            code = ts_ask_fits(&both, &what, d->sides[side].db, ts_buf_text(&s->sql));
        }
        d->fits[i] = both && (!d->one || d->is_explicit || is_heap(s));
    }
    return code;
}

ts_code diff_same(const diff_comparison *d)
{
    return ts_fail(d->ctx, TS_ERR_USAGE,
                   "both sides are the same: name two inputs, or sources of the one with "
                   "--before=SOURCE and --after=SOURCE");
}

static ts_code nothing_fits(diff_comparison *d)
{
    ts_text part =
        ts_question_part(d->by == NULL ? (ts_text){"", 0} : ts_buf_text(&d->by->sql), "Needs");
    ts_question_need need = {{NULL, 0}, {NULL, 0}};
    if (d->one && !d->is_explicit) {
        return diff_same(d);
    }
    if (d->by == NULL) {
        return ts_fail(d->ctx, TS_ERR_USAGE,
                       "the inputs have nothing in common that can be compared");
    }
    (void)ts_question_need_next(&need, &part);
    return ts_fail(d->ctx, TS_ERR_USAGE, "cannot compare by %s: not both inputs have %.*s%s%s",
                   d->by->name, (int)need.what.n, need.what.p,
                   d->others.n == 0 ? "" : "; --by can be ", d->others.n == 0 ? "" : d->others.p);
}

/* Of what both sides have: what was asked for, or the first. */
static ts_code choose(diff_comparison *d)
{
    ts_code code = find_fits(d);
    bool fit = false;
    for (size_t i = 0; i < d->all.count; i++) {
        if (d->fits[i] && d->by == NULL) {
            d->by = &d->all.all[i];
        }
        fit = fit || (d->fits[i] && d->by == &d->all.all[i]);
    }
    TS_STEP(code, diff_names(&d->others, d->ctx, &d->all, d->fits, d->by));
    TS_STEP(code, ts_buf_putc(d->ctx, &d->others, '\0'));
    if (code == TS_OK) {
        d->others.n--; /* the zero byte stays after the text */
    }
    TS_STEP_IF(code, !fit, nothing_fits(d));
    return code;
}

/* --- values -------------------------------------------------------------------------------- */

/* "size": self_size, or size. What methods weigh was chosen with their profiles. */
static ts_code choose_weight(diff_comparison *d)
{
    const char *weight = d->asked.weight;
    char self[DIFF_NAME + 8];
    diff_shape *s = &d->shape;
    if (weight == NULL || is_method(d->by)) {
        return TS_OK;
    }
    int n = snprintf(self, sizeof self, "self_%.*s", DIFF_NAME, weight);
    s->main = diff_value_find(s, self, (size_t)n);
    if (s->main == s->value_count) {
        s->main = diff_value_find(s, weight, strlen(weight));
    }
    return s->main < s->value_count
               ? TS_OK
               : ts_fail(d->ctx, TS_ERR_USAGE, "--by=%s has no value \"%s\" for --weight",
                         d->by->name, weight);
}

/* The first value that both sides have, unless one was asked for. */
static ts_code settle_weight(diff_comparison *d)
{
    diff_shape *s = &d->shape;
    const diff_result *r = &d->result;
    if (d->asked.weight != NULL && !diff_result_has(r, s->main) && r->rows[0] + r->rows[1] > 0) {
        return ts_fail(d->ctx, TS_ERR_USAGE, "--weight=%s: it is not recorded on both sides",
                       d->asked.weight);
    }
    for (unsigned v = 0; d->asked.weight == NULL && v < s->value_count; v++) {
        if (diff_result_has(r, v)) {
            s->main = v;
            return TS_OK;
        }
    }
    return TS_OK;
}

static ts_code find_shape(diff_comparison *d)
{
    const ts_shipped *class = find_by(d, "class");
    ts_code code = diff_shape_read(&d->shape, d->ctx, d->by);
    TS_STEP_IF(code, is_heap(d->by),
               class == NULL ? ts_fail(d->ctx, TS_ERR_INPUT, "diff/class.sql is missing")
                             : diff_shape_read(&d->classes, d->ctx, class));
    TS_STEP_IF(code, is_method(d->by),
               diff_methods_open(&d->methods, d->ctx, &d->shape, d->sides, &d->asked));
    for (size_t i = 0; code == TS_OK && i < d->asked.condition_count; i++) {
        code = diff_condition_bind(&d->conditions[i], d->ctx, &d->shape);
    }
    return code;
}

/* --- comparing ----------------------------------------------------------------------------- */

enum { PARAMS = 6 };

/* Options that the question has as parameters. */
static ts_code make_params(ts_param *params, size_t *count, const diff_comparison *d,
                           const diff_side *side)
{
    const diff_asked *o = &d->asked;
    const ts_param given[] = {{"source", side->selector}, {"thread", o->thread},
                              {"event", o->event},        {"label", o->label},
                              {"from", o->from},          {"until", o->until}};
    ts_question_param param;
    *count = 0;
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        if (given[i].value == NULL) {
            continue;
        }
        if (!ts_question_find_param(&param, ts_buf_text(&d->by->sql), given[i].name)) {
            return ts_fail(d->ctx, TS_ERR_USAGE, "--%s does not apply to --by=%s", given[i].name,
                           d->by->name);
        }
        params[(*count)++] = given[i];
    }
    return TS_OK;
}

static ts_code compare_rows(diff_comparison *d)
{
    ts_code code = choose_weight(d);
    diff_table_init(&d->table, d->ctx, &d->shape);
    if (code == TS_OK && is_method(d->by)) {
        return diff_methods_put(d->methods, &d->table);
    }
    for (unsigned side = d->sides[0].nothing; code == TS_OK && side < 2; side++) {
        ts_param params[PARAMS];
        size_t n;
        code = make_params(params, &n, d, &d->sides[side]);
        code = code != TS_OK ? code : diff_table_ask(&d->table, d->sides[side].db, side, params, n);
    }
    return code;
}

static ts_code open_heaps(diff_comparison *d)
{
    ts_param params[PARAMS];
    size_t count; /* of parameters, all of which the sides have already */
    ts_code code = make_params(params, &count, d, &d->sides[0]);
    for (unsigned side = 0; code == TS_OK && side < 2; side++) {
        code = diff_side_heap(&d->sides[side], side == 0 && d->one && d->asked.before == NULL);
    }
    if (code == TS_OK && d->one && d->sides[0].file == d->sides[1].file) {
        code = ts_fail(d->ctx, TS_ERR_USAGE,
                       "both sides are the same heap snapshot: name two inputs, or sources of "
                       "the one with --before=SOURCE and --after=SOURCE");
    }
    if (code == TS_OK && !d->sides[0].nothing && d->sides[0].analysed != d->sides[1].analysed) {
        diff_note(&d->asked, "only one side has the analysis heap: sizes are those of the nodes "
                             "alone (--analyze=heap adds it)");
    }
    return code != TS_OK ? code : choose_weight(d);
}

/* Something was asked for that is found out by ids. */
static bool asks_ids(const diff_comparison *d)
{
    const diff_shape *s = &d->shape;
    bool ids = d->asked.weight != NULL && s->values[s->main].kind == DIFF_ONCE;
    for (size_t i = 0; i < d->asked.condition_count; i++) {
        ids = ids || s->values[d->conditions[i].value].kind == DIFF_ONCE;
    }
    return ids;
}

/* Ids of both sides do not mean the same objects. */
static void say_unrelated(const diff_comparison *d, bool nodes)
{
    static const char what[] = "the snapshots are not of one run of the program, in this order";
    if (nodes) {
        diff_note(&d->asked,
                  "%s: nodes with one id are different objects; --by=class compares "
                  "classes",
                  what);
    } else if (asks_ids(d)) {
        diff_note(&d->asked, "%s: nodes with one id are different objects", what);
    } else {
        diff_note(&d->asked,
                  "%s: classes are compared by their totals (--weight=new_count: by the "
                  "ids of nodes all the same)",
                  what);
    }
}

static ts_code compare_heaps(diff_comparison *d)
{
    bool by_class = strcmp(d->by->name, "class") == 0;
    ts_code code = open_heaps(d);
    diff_table_init(&d->table, d->ctx, &d->classes);
    TS_STEP(code, diff_heap_new(&d->heap, d->ctx, d->sides, &d->table, by_class, &d->asked));
    TS_STEP_IF(code, by_class, diff_heap_classes(d->heap, asks_ids(d)));
    return code;
}

/* From what was asked to rows and totals. */
static ts_code fill_result(diff_comparison *d)
{
    const diff_asked *o = &d->asked;
    diff_result *r = &d->result;
    bool nodes = d->heap != NULL && strcmp(d->by->name, "node") == 0;
    ts_code code = TS_OK;
    diff_result_init(r, d->ctx, &d->shape);
    r->conditions = d->conditions;
    r->condition_count = o->condition_count;
    r->limit = o->limit;
    if (nodes) {
        code = diff_heap_nodes(d->heap, r);
    } else {
        diff_table_count(&d->table, r);
        code = settle_weight(d);
        code = code != TS_OK ? code : diff_table_put(&d->table, r);
    }
    if (code == TS_OK && d->heap != NULL && !diff_heap_comparable(d->heap)) {
        say_unrelated(d, nodes);
    }
    return code != TS_OK ? code : diff_result_end(r);
}

/* --- runs of a baseline -------------------------------------------------------------------- */

/* What is compared, up to the rows of both sides. */
static ts_code compare_sides(diff_comparison *d)
{
    TS_TRY(choose(d));
    TS_TRY(find_shape(d));
    return is_heap(d->by) ? compare_heaps(d) : compare_rows(d);
}

typedef struct run_opening {
    const diff_inputs *inputs; /* of the comparison that has the baseline */
} run_opening;

static ts_code open_run(void *user, diff_side *s, unsigned side)
{
    const run_opening *opening = user;
    (void)side;
    return opening->inputs->open(opening->inputs->user, s, 0);
}

/* What does not show before there are rows: what they weigh, and which classes they have. */
static ts_code check_run(const diff_comparison *d, const diff_comparison *run)
{
    if (d->methods != NULL) {
        const ts_calls *before = &run->methods->sides[1].weight;
        const ts_calls *after = &d->methods->sides[1].weight;
        return ts_weights_comparable(d->ctx, &before->weights[before->chosen],
                                     &after->weights[after->chosen]);
    }
    if (d->heap != NULL && run->sides[1].analysed != d->sides[1].analysed) {
        return ts_fail(d->ctx, TS_ERR_USAGE,
                       "only %s has the analysis heap, whose classes and sizes are others: "
                       "--analyze=heap adds it, --analyze=none leaves none out of a recording",
                       run->sides[1].analysed ? "the run" : "the input after");
    }
    return TS_OK;
}

/* A run against nothing, as the input after was compared, is what the baseline gets of it. */
static ts_code add_run(diff_comparison *d, const char *path)
{
    run_opening opening = {d->inputs};
    const diff_inputs inputs = {
        .paths = {path, path}, .count = 1, .one = true, .open = open_run, .user = &opening};
    diff_asked asked = d->asked;
    diff_comparison run;
    uint64_t losses[2] = {0, 0};
    asked.by = d->by->name;
    asked.after = d->run_source;
    asked.run_count = asked.condition_count = 0;
    asked.limit = 1;
    diff_begin(&run, d->ctx, &asked);
    ts_code code = diff_prepare(&run);
    TS_STEP(code, diff_open(&run, &inputs));
    TS_STEP(code, compare_sides(&run));
    TS_STEP(code, check_run(d, &run));
    TS_STEP(code, fill_result(&run));
    TS_STEP(code, diff_losses(losses, &run));
    TS_STEP(code, diff_baseline_add(d->baseline, &run.table, &run.result));
    d->run_losses += code == TS_OK ? losses[1] : 0;
    diff_end(&run);
    if (d->inputs->closed != NULL) {
        d->inputs->closed(d->inputs->user);
    }
    return code != TS_ERR_USAGE
               ? code
               : ts_cause(d->ctx, "cannot compare with the run: path=\"%s\"", path);
}

static ts_code add_runs(diff_comparison *d)
{
    if (strcmp(d->by->name, "node") == 0) {
        return ts_fail(d->ctx, TS_ERR_USAGE,
                       "--by=node does not go together with a baseline: ids of nodes mean the same "
                       "objects in one run of the program only; --by=class compares classes");
    }
    for (unsigned v = 0; v < d->shape.value_count; v++) {
        for (uint32_t id = 0; d->shape.values[v].kind == DIFF_ONCE && id < d->table.pool.count;
             id++) {
            *diff_table_cell(&d->table, id, v, 1) = diff_null();
        }
    }
    TS_TRY(diff_baseline_open(&d->baseline, d->ctx, &d->table));
    for (size_t i = 0; i < d->asked.run_count; i++) {
        TS_TRY(ts_check_cancel(d->ctx));
        TS_TRY(add_run(d, d->asked.runs[i]));
    }
    return diff_baseline_end(d->baseline);
}

ts_code diff_run(diff_comparison *d)
{
    ts_code code = compare_sides(d);
    TS_STEP_IF(code, d->asked.run_count > 0, add_runs(d));
    TS_STEP(code, fill_result(d));
    return code;
}

/* --- what the caller says of it ------------------------------------------------------------ */

ts_code diff_labels(diff_comparison *d)
{
    if (d->asked.run_count > 0) {
        ts_buf *label = &d->sides[0].label;
        label->n = 0;
        d->sides[0].path = d->asked.baseline;
        TS_TRY(ts_buf_printf(d->ctx, label, "%s, median of %zu run%s%c", d->asked.baseline,
                             d->asked.run_count, d->asked.run_count == 1 ? "" : "s", 0));
    } else {
        TS_TRY(diff_side_label(&d->sides[0]));
    }
    return diff_side_label(&d->sides[1]);
}

ts_code diff_losses(uint64_t losses[2], diff_comparison *d)
{
    losses[0] = losses[1] = 0;
    TS_TRY(diff_side_losses(&losses[0], &d->sides[0], &d->asked));
    losses[0] += d->run_losses;
    return d->one && diff_sides_same(d->sides)
               ? TS_OK
               : diff_side_losses(&losses[1], &d->sides[1], &d->asked);
}

bool diff_failed(const diff_comparison *d)
{
    bool failed = false;
    for (size_t i = 0; i < d->result.condition_count; i++) {
        failed = failed || d->conditions[i].holds;
    }
    return failed;
}

/* --- beginning and end --------------------------------------------------------------------- */

void diff_begin(diff_comparison *d, ts_ctx *ctx, const diff_asked *asked)
{
    *d = (diff_comparison){.ctx = ctx, .asked = *asked};
    if (asked->run_count > 0) {
        d->run_source = asked->before;
        d->asked.before = "none";
    }
    diff_table_init(&d->table, ctx, NULL);
    diff_result_init(&d->result, ctx, &d->shape);
}

void diff_end(diff_comparison *d)
{
    diff_result_free(&d->result);
    diff_baseline_free(d->baseline);
    diff_heap_free(d->heap);
    diff_methods_free(d->methods);
    diff_table_free(&d->table);
    diff_side_close(&d->sides[1]);
    diff_side_close(&d->sides[0]);
    for (size_t i = 0; d->conditions != NULL && i < d->asked.condition_count; i++) {
        diff_condition_free(&d->conditions[i], d->ctx);
    }
    ts_free(d->ctx, d->conditions);
    ts_free(d->ctx, d->fits);
    ts_buf_free(d->ctx, &d->others);
    ts_questions_free(&d->all, d->ctx);
}
