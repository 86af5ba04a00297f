/* What stacks are weighed by: the samples and calls that are wanted, and their sums. */
#include "model/call_stacks_private.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "model/time_lanes.h"
#include "tables/formats/common/common_constants.h"

#include <stdio.h>

enum { VALUES_REPORT = 1 << 16 };

/* --- the list --------------------------------------------------------------------------------- */

ts_code stacks_add_weight(ts_weight **out, ts_calls *p, ts_weight_kind kind, ts_text name,
                          ts_text unit)
{
    uint32_t ids[2];
    if (p->weight_count == TS_WEIGHTS) {
        return ts_fail(p->ctx, TS_ERR_LIMIT, "more than %d kinds of values", TS_WEIGHTS);
    }
    TS_TRY(ts_pool_intern(p->ctx, &ids[0], NULL, &p->names, name));
    TS_TRY(ts_pool_intern(p->ctx, &ids[1], NULL, &p->names, unit));
    *out = &p->weights[p->weight_count++];
    **out = (ts_weight){
        .kind = kind,
        .name = ts_pool_text(&p->names, ids[0]),
        .unit = ts_pool_text(&p->names, ids[1]),
        .what = {TS_CLASS_other, NULL},
    };
    return TS_OK;
}

static ts_weight *weight_of(ts_calls *p, ts_weight_kind kind, ts_text name, ts_text unit)
{
    for (unsigned i = 0; i < p->weight_count; i++) {
        ts_weight *w = &p->weights[i];
        if (w->kind == kind && ts_text_equal(w->name, name) && ts_text_equal(w->unit, unit)) {
            return w;
        }
    }
    return NULL;
}

/* The kinds of values of the sources that are wanted, each name and unit once. */
static ts_code list_values(ts_calls *p)
{
    const ts_value_type *kinds = p->events->kinds.p;
    ts_code code = TS_OK;
    for (size_t id = 0; code == TS_OK && id < p->events->kinds.n; id++) {
        const ts_value_type *k = &kinds[id];
        if (k->source_id == 0 || !ts_calls_wants_source(p, k->source_id)) {
            continue;
        }
        ts_weight *w = weight_of(p, TS_WEIGHT_VALUE, k->name, k->unit);
        if (w == NULL) {
            code = stacks_add_weight(&w, p, TS_WEIGHT_VALUE, k->name, k->unit);
        }
        if (code == TS_OK) {
            w->value = w->name;
            w->what = w->classes == 0 ? k->kind : w->what;
            w->classes |= 1U << k->kind.class;
            w->usual = w->usual || k->usual;
        }
    }
    return code;
}

/* Whether the events of a source that is wanted can be of the class without values in ns. */
static bool has_length(const ts_calls *p, ts_event_class class)
{
    const uint32_t *formats = p->events->formats.p;
    if (class == TS_CLASS_wall && p->any_slice) {
        return true;
    }
    for (size_t id = 0; p->any_sample && id < p->events->formats.n; id++) {
        if (formats[id] == 0 || !ts_calls_wants_source(p, (int64_t)id) ||
            ts_events_in_ns(p->events, (int64_t)id, class)) {
            continue;
        }
        ts_text format = ts_pool_text(&p->events->format_names, formats[id] - 1);
        for (size_t i = 0; i < ts_event_line_count; i++) {
            if (ts_event_lines[i].class == class && ts_text_is(format, ts_event_lines[i].format)) {
                return true;
            }
        }
    }
    return false;
}

/* The kinds of values of a class in a unit: how many, and whether one of them is nothing else. */
static unsigned count_values(bool *alone, const ts_calls *p, ts_event_class class, ts_text unit)
{
    unsigned values = 0;
    *alone = true;
    for (unsigned i = 0; i < p->weight_count; i++) {
        const ts_weight *w = &p->weights[i];
        if ((w->classes >> class & 1) != 0 && ts_text_equal(w->unit, unit)) {
            values++;
            *alone = values == 1 && w->classes == 1U << class;
        }
    }
    return values;
}

/* Whether kinds of values of the class and unit are in its weight, and not weights of their own. */
static void set_parts(ts_calls *p, const ts_weight *class, bool part)
{
    for (unsigned i = 0; i < p->weight_count; i++) {
        ts_weight *w = &p->weights[i];
        if ((w->classes >> class->what.class & 1) != 0 && ts_text_equal(w->unit, class->unit)) {
            w->part = part;
        }
    }
}

/* The weight of a class in one unit, where it is not that of one kind of value alone. */
static ts_code list_class(ts_calls *p, ts_event_class class, ts_text unit, bool length)
{
    ts_text name = ts_text_of(ts_event_class_name(class));
    ts_weight *made = NULL;
    bool alone;
    unsigned values = count_values(&alone, p, class, unit);
    if (weight_of(p, TS_WEIGHT_CLASS, name, unit) != NULL || (!length && (values == 0 || alone))) {
        return TS_OK;
    }
    ts_code code = stacks_add_weight(&made, p, TS_WEIGHT_CLASS, name, unit);
    if (code == TS_OK) {
        made->what.class = class;
        set_parts(p, made, true);
    }
    return code;
}

static ts_code list_classes(ts_calls *p)
{
    ts_code code = TS_OK;
    unsigned values = p->weight_count;
    for (unsigned c = 0; code == TS_OK && c < TS_CLASS_other; c++) {
        ts_event_class class = (ts_event_class)c;
        code = list_class(p, class, TS_TEXT_LIT("ns"), has_length(p, class));
        for (unsigned i = 0; code == TS_OK && i < values; i++) {
            if ((p->weights[i].classes >> c & 1) != 0) {
                code = list_class(p, class, p->weights[i].unit, false);
            }
        }
    }
    return code;
}

/* A kind of value that is called as its class is, or as what is listed after it. */
static bool has_name(ts_calls *p, const char *name)
{
    for (unsigned i = 0; i < p->weight_count; i++) {
        if (ts_text_is(p->weights[i].name, name)) {
            return true;
        }
    }
    return false;
}

ts_code stacks_list_weights(ts_calls *p)
{
    ts_weight *w;
    if (p->is_heap) {
        return TS_OK;
    }
    ts_code code = list_values(p);
    TS_STEP(code, list_classes(p));
    TS_STEP_IF(
        code, p->events->async.n > 0,
        stacks_add_weight(&w, p, TS_WEIGHT_ASYNC, TS_TEXT_LIT("calls_async"), TS_TEXT_LIT("ns")));
    /* A profile whose rows are sums says itself how many samples they are. */
    TS_STEP_IF(
        code, !has_name(p, "samples"),
        stacks_add_weight(&w, p, TS_WEIGHT_SAMPLES, TS_TEXT_LIT("samples"), TS_TEXT_LIT("count")));
    TS_STEP_IF(code, !has_name(p, "dur"),
               stacks_add_weight(&w, p, TS_WEIGHT_DUR, TS_TEXT_LIT("dur"), TS_TEXT_LIT("ns")));
    return code;
}

/* NAME or NAME/UNIT */
static bool is_called(ts_text wanted, ts_text name, ts_text unit)
{
    size_t n = name.n;
    bool both = unit.n > 0 && wanted.n == n + 1 + unit.n && wanted.p[n] == '/' &&
                memcmp(wanted.p, name.p, n) == 0 && memcmp(wanted.p + n + 1, unit.p, unit.n) == 0;
    return both || ts_text_equal(name, wanted);
}

static bool is_named(const ts_weight *w, ts_text name)
{
    return is_called(name, w->name, w->unit);
}

/* What a name may mean: a class, any weight that is called so, the kind of value that alone is of
 * the class with that name, ns and bytes before others. */
enum { MEANS_CLASS, MEANS_NAME, MEANS_AMOUNT, MEANS_VALUE, MEANINGS };

static bool means(const ts_weight *w, ts_text name, int meaning)
{
    bool amount = ts_text_is(w->unit, "ns") || ts_text_is(w->unit, "bytes");
    bool value = (w->kind == TS_WEIGHT_HEAP || w->classes == 1U << w->what.class) &&
                 w->what.class != TS_CLASS_other &&
                 is_called(name, ts_text_of(ts_event_class_name(w->what.class)), w->unit);
    switch (meaning) {
    case MEANS_CLASS:
        return w->kind == TS_WEIGHT_CLASS && is_named(w, name);
    case MEANS_NAME:
        return w->kind != TS_WEIGHT_CLASS && is_named(w, name);
    case MEANS_AMOUNT:
        return value && amount;
    default:
        return value && !amount;
    }
}

/* --- samples and calls ----------------------------------------------------------------------- */

enum { ITEM_SOURCE, ITEM_THREAD, ITEM_TS, ITEM_DUR, ITEM_NODE, ITEM_LAST };

static const unsigned sample_columns[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                          TS_C_stack_sample__ts,        TS_C_stack_sample__dur,
                                          TS_C_stack_sample__node_id,   TS_C_stack_sample__event};
static const unsigned slice_columns[] = {TS_C_stack_slice__source_id, TS_C_stack_slice__itid,
                                         TS_C_stack_slice__ts,        TS_C_stack_slice__dur,
                                         TS_C_stack_slice__node_id,   TS_C_stack_slice__self_dur};

static bool wants_event(const ts_calls *p, const ts_batch *b, unsigned row,
                        const ts_calls_item *item)
{
    const char *wanted = p->filter.event;
    if (item->call) {
        return wanted == NULL || strcmp(wanted, "call") == 0;
    }
    if (wanted == NULL) {
        return stacks_wants_untimed(p, item->source_id) || item->ts != TS_NO_TIME;
    }
    return b->columns[ITEM_LAST].null[row] == 0 &&
           ts_text_is(ts_cell_text(b, ITEM_LAST, row), wanted);
}

bool stacks_wants_untimed(const ts_calls *p, int64_t source_id)
{
    return !ts_vec_bool(&p->sliced, source_id);
}

static ts_code read_node(uint32_t *out, const ts_calls *p, int64_t node, bool call)
{
    if (p->paths != NULL) {
        uint32_t at = ts_ids_find(&p->paths->nodes, node);
        *out = at + 1;
        return at != TS_NO_INDEX
                   ? TS_OK
                   : ts_fail(p->ctx, TS_ERR_INPUT, "no call path %lld", (long long)node);
    }
    *out = (uint32_t)node;
    return node < 1 || (p->nodes > 0 && node > p->nodes)
               ? ts_rows_changed(p->ctx, call ? "stack_slice" : "stack_sample")
               : TS_OK;
}

/* *wanted: the filter wants it, and its call path is known or not asked for. */
static ts_code read_item(ts_calls_item *item, bool *wanted, const ts_calls *p, const ts_batch *b,
                         unsigned row, bool call)
{
    int64_t node = ts_cell_or(b, ITEM_NODE, row, 0);
    *item = (ts_calls_item){
        .id = b->rowids[row],
        .source_id = b->columns[ITEM_SOURCE].ints[row],
        .itid = ts_cell_or(b, ITEM_THREAD, row, TS_NO_THREAD),
        .ts = ts_cell_or(b, ITEM_TS, row, TS_NO_TIME),
        .dur = ts_cell_or(b, ITEM_DUR, row, TS_NO_TIME),
        .own = call ? ts_cell_or(b, ITEM_LAST, row, TS_NO_TIME) : TS_NO_TIME,
        .event = call ? TS_TEXT_LIT("call") : ts_cell_text(b, ITEM_LAST, row),
        .call = call,
    };
    item->event = item->event.p == NULL ? TS_TEXT_LIT("") : item->event;
    item->begins = ts_calls_wants_time(p, item->ts);
    bool inside = item->begins || (!call && ts_select_inside(&p->select, item->ts, item->dur) > 0);
    bool empty = b->columns[ITEM_NODE].null[row] != 0;
    *wanted = (!empty || p->stackless) && ts_calls_wants_source(p, item->source_id) &&
              ts_calls_wants_thread(p, item->itid) && inside && wants_event(p, b, row, item) &&
              ts_select_label(&p->select, call, item->id);
    return *wanted && !empty ? read_node(&item->node, p, node, call) : TS_OK;
}

static bool is_async(const ts_calls *p, const ts_calls_item *item)
{
    return item->call && p->events != NULL && ts_vec_bool(&p->events->async, item->id);
}

int64_t stacks_method(const ts_calls *p, uint32_t node)
{
    if (node == 0 || p->paths == NULL) {
        return node == 0 ? 0 : p->method[node];
    }
    uint32_t method = p->paths->method[node - 1];
    return method == TS_NO_INDEX ? 0 : ts_ids_at(&p->paths->methods, method);
}

/* What a row of samples or calls weighs by its length: *has. */
static ts_code row_weight(ts_calls_item *item, bool *has, const ts_calls *p,
                          const ts_weight *weight)
{
    int64_t length = item->call ? item->own : item->dur;
    bool async = is_async(p, item);
    ts_code code = TS_OK;
    if (item->call && p->paths != NULL && length == TS_NO_TIME) {
        length = 0; /* it is there, whatever it weighs */
    }
    *has = weight->kind == TS_WEIGHT_SAMPLES ? item->begins
           : item->call                      ? length != TS_NO_TIME
                                             : length >= 0;
    item->weight = weight->kind == TS_WEIGHT_SAMPLES ? 1
                   : item->call || length <= 0       ? length
                                               : ts_select_inside(&p->select, item->ts, length);
    if (weight->kind == TS_WEIGHT_ASYNC) {
        *has = *has && async;
    } else if (weight->kind == TS_WEIGHT_CLASS && item->call) {
        item->what = (ts_event_kind){async ? TS_CLASS_other : TS_CLASS_wall, NULL};
    } else if (*has && (weight->kind == TS_WEIGHT_CLASS || p->no_idle)) {
        code = ts_events_sample(&item->what, p->events, item->source_id, item->event, item->id,
                                stacks_method(p, item->node));
        *has = weight->kind != TS_WEIGHT_CLASS ||
               !ts_events_in_ns(p->events, item->source_id, item->what.class);
    }
    return code;
}

bool stacks_is_of(const ts_weight *weight, const ts_event_kind *what)
{
    return weight->kind != TS_WEIGHT_CLASS || weight->what.class == TS_CLASS_other ||
           (weight->what.class == what->class &&
            (weight->what.reason == NULL ||
             (what->reason != NULL && strcmp(weight->what.reason, what->reason) == 0)));
}

bool stacks_is_idle(const ts_event_kind *what)
{
    return what->class == TS_CLASS_waiting && what->reason != NULL &&
           strcmp(what->reason, "idle") == 0;
}

/* Of an export; a page counts what is idle beside the others. */
static bool skips_idle(const ts_calls *p, const ts_weight *weight)
{
    return p->own != NULL && p->no_idle && weight->what.class != TS_CLASS_waiting;
}

/* Frames that are hidden are passed over; what does not pass the patterns is not visited. */
static ts_code visit_shown(const ts_calls *p, ts_calls_item *item, ts_calls_visit visit, void *user)
{
    bool passes = p->passes == NULL || p->passes[item->node];
    item->node = p->visible == NULL ? item->node : p->visible[item->node];
    return passes && (item->node != 0 || p->stackless) ? visit(user, item) : TS_OK;
}

static ts_code each_batch(const ts_calls *p, const ts_weight *weight, bool call, const ts_batch *b,
                          unsigned rows, ts_calls_visit visit, void *user)
{
    ts_calls_item item;
    bool wanted;
    bool skip_idle = skips_idle(p, weight);
    ts_code code = TS_OK;
    for (unsigned i = 0; i < rows && code == TS_OK; i++) {
        bool has = false;
        code = read_item(&item, &wanted, p, b, i, call);
        TS_STEP_IF(code, wanted, row_weight(&item, &has, p, weight));
        has = has && stacks_is_of(weight, &item.what) && !(skip_idle && stacks_is_idle(&item.what));
        TS_STEP_IF(code, has, visit_shown(p, &item, visit, user));
    }
    return code;
}

/* Where the rows of the span are. */
static ts_code walk_span(ts_lane_walk *walk, const ts_calls *p, bool call, ts_rows *rows)
{
    const ts_time_lanes *all = NULL;
    ts_code code;
    TS_TRY_INTO(code, ts_time_lanes_get(&all, p->model, call ? TS_LANE_CALL : TS_LANE_SAMPLE));
    const ts_lane *lanes = all->lanes.p;
    bool *wanted = ts_zalloc(p->ctx, all->lanes.n + 1, sizeof *wanted);
    TS_NEED(p->ctx, wanted);
    for (size_t i = 0; i < all->lanes.n; i++) {
        wanted[i] = ts_select_thread(&p->select, !lanes[i].itid.null, lanes[i].itid.value);
    }
    code = ts_lane_walk_begin(walk, p->model, all, wanted, p->select.span.from, p->select.span.to,
                              rows);
    ts_free(p->ctx, wanted);
    return code;
}

static ts_code each_row(const ts_calls *p, const ts_weight *weight, bool call, ts_calls_visit visit,
                        void *user)
{
    bool some = p->sums[call ? 1 : 0] != NULL && !ts_select_whole(&p->select);
    const ts_batch *b;
    ts_rows *rows = NULL;
    ts_lane_walk walk = {0};
    unsigned n = 1;
    ts_code code =
        ts_rows_open(&rows, ts_model_rows(p->model), call ? TS_T_stack_slice : TS_T_stack_sample,
                     call ? slice_columns : sample_columns, 6);
    TS_STEP_IF(code, some, walk_span(&walk, p, call, rows));
    while (code == TS_OK && n > 0) {
        if (some) {
            code = ts_lane_walk_next(&b, &n, &walk);
        } else if ((code = ts_rows_next(&b, rows)) == TS_OK) {
            n = b->rows;
        }
        TS_STEP_IF(code, n > 0, each_batch(p, weight, call, b, n, visit, user));
    }
    ts_rows_close(rows);
    ts_lane_walk_free(p->ctx, &walk);
    return code;
}

/* The samples by their ids, which mostly rise. */
typedef struct sample_finder {
    const stacks_values *values;
    ts_rows *rows;
    const ts_batch *b;
} sample_finder;

static bool batch_has(const ts_batch *b, int64_t id)
{
    return b != NULL && b->rows > 0 && id >= b->rowids[0] && id <= b->rowids[b->rows - 1];
}

/* The row of the sample in the batch; its number of rows when there is no such sample. */
static ts_code find_sample(unsigned *row, sample_finder *f, int64_t id)
{
    ts_code code = TS_OK;
    if (!batch_has(f->b, id) && f->b != NULL && f->b->rows > 0 && id > f->b->rowids[0]) {
        code = ts_rows_next(&f->b, f->rows);
    }
    TS_STEP_IF(code, !batch_has(f->b, id) && (code = ts_rows_seek(f->rows, id)) == TS_OK,
               ts_rows_next(&f->b, f->rows));
    if (code != TS_OK) {
        return code;
    }
    unsigned low = 0;
    unsigned high = f->b->rows;
    while (low < high) {
        unsigned middle = low + (high - low) / 2;
        if (f->b->rowids[middle] < id) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    *row = low < f->b->rows && f->b->rowids[low] == id ? low : f->b->rows;
    return TS_OK;
}

/* Values are those of the moment when the sample was taken; of time the part in the span. */
static int64_t value_inside(const ts_calls *p, const ts_calls_item *item, int64_t value, bool ns)
{
    int64_t inside = ns ? ts_select_inside(&p->select, item->ts, item->dur) : 0;
    return inside == 0 || inside == item->dur ? value
                                              : (int64_t)((__int128)value * inside / item->dur);
}

static ts_code each_value_row(const ts_calls *p, sample_finder *f, const ts_batch *b, unsigned i,
                              ts_calls_visit visit, void *user)
{
    bool ns = f->values->ns;
    ts_calls_item item;
    bool wanted;
    unsigned row = 0;
    ts_code code = find_sample(&row, f, b->columns[0].ints[i]);
    if (code != TS_OK || row == f->b->rows) {
        return code;
    }
    code = read_item(&item, &wanted, p, f->b, row, false);
    if (code != TS_OK || !wanted || (!ns && !item.begins)) {
        return code;
    }
    item.weight = value_inside(p, &item, b->columns[2].ints[i], ns);
    if (p->no_idle) {
        code = ts_events_sample(&item.what, p->events, item.source_id, item.event, item.id,
                                stacks_method(p, item.node));
    }
    if (code != TS_OK || (f->values->skip_idle && stacks_is_idle(&item.what))) {
        return code;
    }
    return visit_shown(p, &item, visit, user);
}

/* Whether values of this kind are of the weight. */
static bool stacks_is_value_of(const ts_calls *p, const ts_weight *weight, int64_t id)
{
    const ts_value_type *k = ts_events_value(p->events, id);
    return k != NULL && ts_calls_wants_source(p, k->source_id) &&
           ts_text_equal(k->unit, weight->unit) &&
           (weight->kind == TS_WEIGHT_CLASS ? stacks_is_of(weight, &k->kind)
                                            : ts_text_equal(k->name, weight->value));
}

ts_code stacks_each_value(const ts_calls *p, const stacks_values *values, ts_calls_visit visit,
                          void *user)
{
    static const unsigned columns[] = {TS_C_stack_sample_value__sample_id,
                                       TS_C_stack_sample_value__value_type_id,
                                       TS_C_stack_sample_value__value};
    const ts_rows_from *from = ts_model_rows(p->model);
    sample_finder f = {.values = values};
    uint64_t total = ts_rows_count(from, "stack_sample_value");
    uint64_t done = 0;
    const ts_batch *b;
    ts_rows *rows = NULL;
    ts_code code = ts_rows_open(&rows, from, TS_T_stack_sample_value, columns, 3);
    TS_STEP(code, ts_rows_open(&f.rows, from, TS_T_stack_sample, sample_columns, 6));
    while (code == TS_OK && (code = ts_rows_next(&b, rows)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            int64_t type = b->columns[1].ints[i];
            if (type >= 0 && (uint64_t)type < p->events->kinds.n && values->wanted[type]) {
                code = each_value_row(p, &f, b, i, visit, user);
            }
        }
        if (done / VALUES_REPORT != (done + b->rows) / VALUES_REPORT) {
            ts_model_report(p->model, "reading values of samples", done, total);
        }
        done += b->rows;
    }
    ts_rows_close(f.rows);
    ts_rows_close(rows);
    return code;
}

ts_code stacks_kinds_of(bool **wanted, bool *any, const ts_calls *p, const ts_weight *weight)
{
    size_t n = p->events->kinds.n;
    *any = false;
    *wanted = ts_zalloc(p->ctx, n + 1, sizeof **wanted);
    for (size_t id = 0; *wanted != NULL && id < n; id++) {
        (*wanted)[id] = stacks_is_value_of(p, weight, (int64_t)id);
        *any = *any || (*wanted)[id];
    }
    return *wanted == NULL ? p->ctx->error.code : TS_OK;
}

ts_code stacks_each_value_of(const ts_calls *p, const ts_weight *weight, ts_calls_visit visit,
                             void *user)
{
    bool *wanted;
    bool any;
    ts_code code = stacks_kinds_of(&wanted, &any, p, weight);
    const stacks_values values = {wanted, ts_text_is(weight->unit, "ns"), skips_idle(p, weight)};
    TS_STEP_IF(code, any, stacks_each_value(p, &values, visit, user));
    ts_free(p->ctx, wanted);
    return code;
}

ts_code stacks_each_length(const ts_calls *p, const ts_weight *weight, ts_calls_visit visit,
                           void *user)
{
    bool class = weight->kind == TS_WEIGHT_CLASS && weight->what.class != TS_CLASS_other;
    bool calls = !class || weight->what.class == TS_CLASS_wall;
    ts_code code = TS_OK;
    if (p->any_sample && weight->kind != TS_WEIGHT_ASYNC) {
        code = each_row(p, weight, false, visit, user);
    }
    TS_STEP_IF(code, p->any_slice && calls, each_row(p, weight, true, visit, user));
    return code;
}

ts_code ts_calls_each(const ts_calls *p, const ts_weight *weight, ts_calls_visit visit, void *user)
{
    ts_code code = TS_OK;
    if (p->is_heap || weight->kind == TS_WEIGHT_HEAP) {
        return TS_OK;
    }
    if (weight->kind != TS_WEIGHT_VALUE &&
        (weight->kind != TS_WEIGHT_CLASS || ts_text_is(weight->unit, "ns"))) {
        code = stacks_each_length(p, weight, visit, user);
    }
    TS_STEP_IF(code, (weight->kind == TS_WEIGHT_VALUE || weight->kind == TS_WEIGHT_CLASS),
               stacks_each_value_of(p, weight, visit, user));
    return code;
}

/* --- sums ------------------------------------------------------------------------------------ */

static ts_code sum_over(const ts_calls *p, const ts_weight *weight)
{
    return ts_fail(p->ctx, TS_ERR_LIMIT, "the sum of %.*s does not fit into 64 bits",
                   (int)weight->name.n, weight->name.p);
}

/* What is not above zero cannot be drawn: it counts as nothing. */
static void sum_total(const ts_calls *p, ts_weight *weight)
{
    weight->total = 0;
    for (uint32_t i = 1; weight->self != NULL && i <= p->nodes; i++) {
        weight->self[i] = weight->self[i] < 0 ? 0 : weight->self[i];
        weight->over = ts_ckd_add(&weight->total, weight->total, weight->self[i]) || weight->over;
    }
    weight->total = weight->over ? 1 : weight->total; /* not zero: it is there, and fails */
}

static ts_code load_weight(uint64_t *items, ts_calls *p, ts_weight *weight)
{
    ts_code code = stacks_weigh(items, p, weight);
    if (p->own != NULL) {
        sum_total(p, weight);
        TS_STEP_IF(code, weight->over, sum_over(p, weight));
    }
    return code;
}

void stacks_settle_class(ts_calls *p, ts_weight *class)
{
    bool alone;
    unsigned values = count_values(&alone, p, class->what.class, class->unit);
    if (!class->length && (values == 0 || alone)) {
        class->part = true;
        set_parts(p, class, false);
    }
}

/* The weights of all classes that lengths give, in one pass. */
static ts_code load_lengths(uint64_t *items, ts_calls *p)
{
    ts_weight *classes[TS_CLASS_other] = {NULL};
    bool wanted = false;
    *items = 0;
    for (unsigned i = 0; i < p->weight_count; i++) {
        ts_weight *weight = &p->weights[i];
        if (weight->kind == TS_WEIGHT_CLASS && ts_text_is(weight->unit, "ns")) {
            classes[weight->what.class] = weight;
            wanted = true;
        }
    }
    return wanted ? stacks_weigh_classes(items, p, classes) : TS_OK;
}

static void drop_weight(ts_calls *p, ts_weight *weight)
{
    ts_free(p->ctx, weight->self);
    stacks_weighed_free(p->ctx, weight);
    weight->self = NULL;
    weight->total = 0;
}

/* --- choosing --------------------------------------------------------------------------------- */

static ts_code weight_unknown(const ts_calls *p)
{
    ts_buf names = {0};
    ts_code code = TS_OK;
    for (unsigned c = 0; c < TS_CLASS_other; c++) {
        if (strcmp(p->filter.weight, ts_event_class_name((ts_event_class)c)) == 0) {
            return ts_fail(p->ctx, TS_ERR_USAGE, "no stack has a value of %s above zero",
                           p->filter.weight);
        }
    }
    for (unsigned i = 0; i < p->weight_count && i < 20 && code == TS_OK; i++) {
        ts_text name = p->weights[i].name;
        code = ts_buf_printf(p->ctx, &names, "%s%.*s", i == 0 ? "" : ", ",
                             name.n > 60 ? 60 : (int)name.n, name.p);
    }
    TS_STEP(code, ts_fail(p->ctx, TS_ERR_USAGE, "no value is called \"%.100s\"; there are %.*s",
                          p->filter.weight, (int)names.n, names.n == 0 ? "" : names.p));
    ts_buf_free(p->ctx, &names);
    return code;
}

static ts_code nothing_left(const ts_calls *p, const ts_weight *weight, uint64_t items)
{
    char what[200];
    if (p->paths != NULL) {
        return TS_OK; /* an empty tree is one */
    }
    if (items == 0 && p->filtered) {
        return ts_calls_explain(p, weight == NULL || weight->kind != TS_WEIGHT_VALUE
                                       ? "the options leave no stack"
                                       : "the options leave no stack with that value");
    }
    if (weight == NULL) {
        return ts_calls_explain(p, "no stack has a weight");
    }
    (void)snprintf(what, sizeof what, "no stack has a value of %.*s above zero",
                   weight->name.n > 60 ? 60 : (int)weight->name.n, weight->name.p);
    return ts_calls_explain(p, what);
}

/* Names that other programs have, and older versions had. */
static const char *plain_name(const char *name)
{
    return strcmp(name, "time") == 0 || strcmp(name, "self") == 0 ? "dur"
           : strcmp(name, "count") == 0                           ? "samples"
                                                                  : name;
}

/* "waiting:lock": a part of the weight of a class, by the reason that lines of classes name. */
static ts_code find_reason(ts_weight **out, ts_calls *p, const char *name)
{
    const char *colon = strchr(name, ':');
    *out = NULL;
    for (size_t i = 0; colon != NULL && *out == NULL && i < ts_event_line_count; i++) {
        const ts_event_line *line = &ts_event_lines[i];
        const char *class = ts_event_class_name(line->class);
        if (line->reason[0] != '\0' && strcmp(line->reason, colon + 1) == 0 &&
            strlen(class) == (size_t)(colon - name) &&
            strncmp(name, class, (size_t)(colon - name)) == 0) {
            ts_code code =
                stacks_add_weight(out, p, TS_WEIGHT_CLASS, ts_text_of(name), TS_TEXT_LIT("ns"));
            if (code != TS_OK) {
                return code;
            }
            (*out)->what = (ts_event_kind){line->class, line->reason};
        }
    }
    return TS_OK;
}

/* A kind of value that only samples have that are not wanted: nothing of it is. */
static ts_code find_elsewhere(ts_weight **out, ts_calls *p, const char *name)
{
    const ts_value_type *kinds = p->events->kinds.p;
    for (size_t id = 0; id < p->events->kinds.n; id++) {
        if (kinds[id].source_id != 0 && ts_text_is(kinds[id].name, name)) {
            ts_code code =
                stacks_add_weight(out, p, TS_WEIGHT_VALUE, kinds[id].name, kinds[id].unit);
            if (code == TS_OK) {
                (*out)->value = (*out)->name;
            }
            return code;
        }
    }
    return TS_OK;
}

/* The first weight of the name that is above zero; *first: the first of the name. */
static ts_code choose_name(ts_weight **first, uint64_t *items, ts_calls *p, const char *name)
{
    ts_code code = TS_OK;
    for (int meaning = 0; meaning < MEANINGS; meaning++) {
        for (unsigned i = 0; code == TS_OK && i < p->weight_count; i++) {
            ts_weight *w = &p->weights[i];
            if (!means(w, ts_text_of(name), meaning)) {
                continue;
            }
            *first = *first == NULL ? w : *first;
            code = load_weight(items, p, w);
            if (code == TS_OK && w->total > 0) {
                *first = w;
                return TS_OK;
            }
            drop_weight(p, w);
        }
    }
    return code;
}

/* A weight by its name. Elapsed time is the length of samples where no event is of its class. */
static ts_code choose_named(ts_calls *p)
{
    const char *name = p->filter.weight;
    const char *const names[] = {name, plain_name(name), strcmp(name, "wall") == 0 ? "dur" : NULL};
    ts_weight *found = NULL;
    uint64_t items = 0;
    ts_code code = TS_OK;
    for (size_t i = 0; code == TS_OK && i < 3 && (found == NULL || found->total == 0); i++) {
        code = names[i] == NULL || (i == 1 && names[1] == name)
                   ? TS_OK
                   : choose_name(&found, &items, p, names[i]);
    }
    if (code == TS_OK && found == NULL && !p->is_heap) {
        code = find_reason(&found, p, name);
        TS_STEP_IF(code, found != NULL, load_weight(&items, p, found));
    }
    TS_STEP_IF(code, found == NULL && p->paths != NULL, find_elsewhere(&found, p, name));
    if (code != TS_OK || found == NULL) {
        return code != TS_OK ? code : weight_unknown(p);
    }
    if (found->what.class != TS_CLASS_other &&
        strcmp(name, ts_event_class_name(found->what.class)) == 0) {
        found->name = ts_text_of(ts_event_class_name(found->what.class)); /* not of its one kind */
    }
    p->chosen = (unsigned)(found - p->weights);
    if (p->paths != NULL && found->of.self == NULL) {
        return load_weight(&items, p, found);
    }
    return found->total == 0 ? nothing_left(p, found, items) : TS_OK;
}

/* After those that views know, where no weight is named. */
enum { TS_RANK_DUR = TS_RANK_ASYNC + 1, TS_RANK_SAMPLES, RANKS };

static int rank_of(const ts_weight *w)
{
    static const struct {
        ts_event_class class;
        const char *unit; /* NULL: any other */
        int rank;
    } ranks[] = {
        {TS_CLASS_cpu, "ns", TS_RANK_CPU},
        {TS_CLASS_cpu, "cycles", TS_RANK_CPU_CYCLES},
        {TS_CLASS_cpu, NULL, TS_RANK_CPU_COUNT},
        {TS_CLASS_wall, "ns", TS_RANK_WALL},
        {TS_CLASS_allocation, "bytes", TS_RANK_ALLOCATED},
        {TS_CLASS_allocation, NULL, TS_RANK_ALLOCATIONS},
        {TS_CLASS_live, "bytes", TS_RANK_LIVE},
        {TS_CLASS_live, NULL, TS_RANK_LIVE_COUNT},
        {TS_CLASS_waiting, "ns", TS_RANK_WAITING},
        {TS_CLASS_waiting, NULL, TS_RANK_WAITS},
    };
    switch (w->kind) {
    case TS_WEIGHT_SAMPLES:
        return TS_RANK_SAMPLES;
    case TS_WEIGHT_DUR:
        return TS_RANK_DUR;
    case TS_WEIGHT_ASYNC:
        return TS_RANK_ASYNC;
    case TS_WEIGHT_HEAP:
        return TS_RANK_OTHER; /* in their order: what is in use comes first */
    case TS_WEIGHT_CLASS:
    case TS_WEIGHT_VALUE:
        break;
    }
    if (w->usual) {
        return TS_RANK_USUAL;
    }
    if (w->part) {
        return (w->classes >> TS_CLASS_other & 1) != 0 ? TS_RANK_OTHER : RANKS;
    }
    for (size_t i = 0; i < sizeof ranks / sizeof ranks[0]; i++) {
        if (ranks[i].class == w->what.class &&
            (ranks[i].unit == NULL || ts_text_is(w->unit, ranks[i].unit))) {
            return ranks[i].rank;
        }
    }
    return TS_RANK_OTHER;
}

static ts_code choose_default(ts_calls *p)
{
    uint64_t seen = 0;
    ts_code code = load_lengths(&seen, p);
    for (int rank = 0; code == TS_OK && rank < RANKS; rank++) {
        for (unsigned i = 0; code == TS_OK && i < p->weight_count; i++) {
            uint64_t items = 0;
            if (rank_of(&p->weights[i]) != rank) {
                continue;
            }
            if (p->paths != NULL && p->weights[i].length && p->weights[i].total == 0) {
                continue; /* its total is known */
            }
            code = load_weight(&items, p, &p->weights[i]);
            seen += items;
            if (code == TS_OK && p->weights[i].total > 0) {
                p->chosen = i;
                return TS_OK;
            }
            drop_weight(p, &p->weights[i]);
        }
    }
    if (code == TS_OK && p->paths != NULL) { /* an empty tree of the last one */
        p->chosen = p->weight_count - 1;
        return stacks_weigh(&seen, p, &p->weights[p->chosen]);
    }
    return code != TS_OK ? code : nothing_left(p, NULL, seen);
}

static ts_code load_count(ts_calls *p)
{
    ts_weight *weight = NULL;
    uint64_t items;
    ts_code code = stacks_add_weight(&weight, p, TS_WEIGHT_SAMPLES, TS_TEXT_LIT("samples"),
                                     TS_TEXT_LIT("count"));
    TS_STEP(code, load_weight(&items, p, weight));
    return code;
}

/* Whether a weight is shown beside the one that is chosen: not in two ways. */
static bool is_beside(ts_calls *p, const ts_weight *w)
{
    const ts_weight *class =
        w->kind == TS_WEIGHT_VALUE ? weight_of(p, TS_WEIGHT_CLASS, w->name, w->unit) : NULL;
    return w->kind == TS_WEIGHT_CLASS
               ? w->length
               : w->kind != TS_WEIGHT_DUR && (class == NULL || !class->length);
}

ts_code stacks_load_weights(ts_calls *p, ts_calls_load load)
{
    uint64_t items;
    ts_code code;
    if (load == TS_LOAD_COUNT) {
        return load_count(p);
    }
    code = p->filter.weight != NULL ? choose_named(p) : choose_default(p);
    for (unsigned i = 0; i < p->weight_count && code == TS_OK && p->paths == NULL; i++) {
        ts_weight *w = &p->weights[i];
        bool wanted = load == TS_LOAD_ALL && is_beside(p, w);
        if (i == p->chosen) {
            continue;
        }
        if (wanted) {
            code = load_weight(&items, p, w);
        }
        if (!wanted || w->total == 0) {
            drop_weight(p, w);
        }
    }
    return code;
}
