/* What stacks are weighed by: the samples and calls that are wanted, and their sums. */
#include "export/export_private.h"

#include "base/alloc.h"
#include "base/buf.h"

#include <stdio.h>

/* --- the list
 * -------------------------------------------------------------------------------------- */

ts_code profile_add_weight(ts_weight **out, ts_calls *p, ts_weight_kind kind, ts_text name,
                           ts_text unit)
{
    uint32_t ids[2];
    ts_code code;
    if (p->weight_count == TS_WEIGHTS) {
        return ts_fail(p->ctx, TS_ERR_LIMIT, "more than %d kinds of values", TS_WEIGHTS);
    }
    unit = ts_text_is(unit, "nanoseconds") ? TS_TEXT_LIT("ns") : unit;
    if ((code = ts_pool_intern(p->ctx, &ids[0], NULL, &p->names, name)) != TS_OK ||
        (code = ts_pool_intern(p->ctx, &ids[1], NULL, &p->names, unit)) != TS_OK) {
        return code;
    }
    *out = &p->weights[p->weight_count++];
    **out = (ts_weight){
        .kind = kind,
        .name = ts_pool_text(&p->names, ids[0]),
        .unit = ts_pool_text(&p->names, ids[1]),
    };
    return TS_OK;
}

static bool same_text(ts_text a, ts_text b)
{
    return a.n == b.n && memcmp(a.p, b.p, a.n) == 0;
}

static ts_code list_type(ts_calls *p, int64_t id, ts_text name, ts_text unit)
{
    unsigned at = 0;
    ts_weight *weight;
    ts_code code = profile_vec_reach(p->ctx, &p->types, id, sizeof(uint8_t));
    unit = ts_text_is(unit, "nanoseconds") ? TS_TEXT_LIT("ns") : unit;
    while (at < p->weight_count &&
           !(p->weights[at].kind == TS_WEIGHT_VALUE && same_text(p->weights[at].name, name) &&
             same_text(p->weights[at].unit, unit))) {
        at++;
    }
    if (code == TS_OK && at == p->weight_count) {
        code = profile_add_weight(&weight, p, TS_WEIGHT_VALUE, name, unit);
    }
    if (code == TS_OK) {
        ((uint8_t *)p->types.p)[id] = (uint8_t)(at + 1);
    }
    return code;
}

static const ts_weight *find_weight(const ts_calls *p, ts_text name)
{
    const char *slash = memchr(name.p, '/', name.n);
    for (unsigned i = 0; i < p->weight_count; i++) {
        const ts_weight *w = &p->weights[i];
        size_t n = w->name.n;
        bool whole = same_text(w->name, name);
        bool unit = slash != NULL && name.n == n + 1 + w->unit.n && name.p[n] == '/' &&
                    memcmp(name.p, w->name.p, n) == 0 &&
                    memcmp(name.p + n + 1, w->unit.p, w->unit.n) == 0;
        if (whole || unit) {
            return w;
        }
    }
    return NULL;
}

ts_code profile_list_weights(ts_calls *p)
{
    static const unsigned columns[] = {TS_C_stack_value_type__source_id,
                                       TS_C_stack_value_type__name, TS_C_stack_value_type__unit};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_weight *weight;
    ts_code code = TS_OK;
    if (p->is_heap) {
        return TS_OK;
    }
    code = ts_scan_open(&scan, p->reader, TS_T_stack_value_type, columns, 3);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            if (ts_calls_wants_source(p, b->columns[0].ints[i])) {
                code = list_type(p, b->rowids[i], profile_cell(b, 1, i), profile_cell(b, 2, i));
            }
        }
    }
    ts_scan_close(scan);
    if (code == TS_OK && find_weight(p, TS_TEXT_LIT("wall")) == NULL) {
        code =
            profile_add_weight(&weight, p, TS_WEIGHT_WALL, TS_TEXT_LIT("wall"), TS_TEXT_LIT("ns"));
    }
    /* A profile whose rows are sums says itself how many samples they stand for. */
    if (code == TS_OK && find_weight(p, TS_TEXT_LIT("samples")) == NULL) {
        code = profile_add_weight(&weight, p, TS_WEIGHT_SAMPLES, TS_TEXT_LIT("samples"),
                                  TS_TEXT_LIT("count"));
    }
    return code;
}

/* --- samples and calls
 * ------------------------------------------------------------------------------ */

enum { ITEM_SOURCE, ITEM_THREAD, ITEM_TS, ITEM_DUR, ITEM_NODE, ITEM_LAST };

static const unsigned sample_columns[] = {TS_C_stack_sample__source_id, TS_C_stack_sample__itid,
                                          TS_C_stack_sample__ts,        TS_C_stack_sample__dur,
                                          TS_C_stack_sample__node_id,   TS_C_stack_sample__event};
static const unsigned slice_columns[] = {TS_C_stack_slice__source_id, TS_C_stack_slice__itid,
                                         TS_C_stack_slice__ts,        TS_C_stack_slice__dur,
                                         TS_C_stack_slice__node_id,   TS_C_stack_slice__self_dur};

static int64_t number_or(const ts_batch *b, unsigned column, unsigned row, int64_t null)
{
    return b->columns[column].null[row] != 0 ? null : b->columns[column].ints[row];
}

static bool wants_event(const ts_calls *p, const ts_batch *b, unsigned row,
                        const ts_calls_item *item)
{
    const char *wanted = p->filter.event;
    if (item->call) {
        return wanted == NULL || strcmp(wanted, "call") == 0;
    }
    if (wanted == NULL) {
        return item->ts != TS_NO_TIME || !profile_has(&p->sliced, item->source_id);
    }
    return b->columns[ITEM_LAST].null[row] == 0 &&
           ts_text_is(profile_cell(b, ITEM_LAST, row), wanted);
}

/* *wanted: the filter wants it, and its call path is known or not asked for. */
static ts_code read_item(ts_calls_item *item, bool *wanted, const ts_calls *p, const ts_batch *b,
                         unsigned row, bool call)
{
    int64_t node = number_or(b, ITEM_NODE, row, 0);
    *item = (ts_calls_item){
        .id = b->rowids[row],
        .source_id = b->columns[ITEM_SOURCE].ints[row],
        .itid = number_or(b, ITEM_THREAD, row, TS_NO_THREAD),
        .ts = number_or(b, ITEM_TS, row, TS_NO_TIME),
        .dur = number_or(b, ITEM_DUR, row, TS_NO_TIME),
        .own = call ? number_or(b, ITEM_LAST, row, TS_NO_TIME) : TS_NO_TIME,
        .event = call ? TS_TEXT_LIT("call") : profile_cell(b, ITEM_LAST, row),
        .call = call,
    };
    bool empty = b->columns[ITEM_NODE].null[row] != 0;
    *wanted = (!empty || p->stackless) && ts_calls_wants_source(p, item->source_id) &&
              ts_calls_wants_thread(p, item->itid) && ts_calls_wants_time(p, item->ts) &&
              wants_event(p, b, row, item);
    if (*wanted && !empty && (node < 1 || (p->nodes > 0 && node > p->nodes))) {
        return profile_bad_rows(p, call ? "stack_slice" : "stack_sample");
    }
    item->node = *wanted ? (uint32_t)node : 0;
    return TS_OK;
}

static ts_code each_row(const ts_calls *p, const ts_weight *weight, bool call, ts_calls_visit visit,
                        void *user)
{
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_calls_item item;
    bool wanted;
    ts_code code = ts_scan_open(&scan, p->reader, call ? TS_T_stack_slice : TS_T_stack_sample,
                                call ? slice_columns : sample_columns, 6);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = read_item(&item, &wanted, p, b, i, call);
            unsigned column = call ? ITEM_LAST : ITEM_DUR;
            bool has = weight->kind == TS_WEIGHT_SAMPLES || b->columns[column].null[i] == 0;
            if (code == TS_OK && wanted && has) {
                item.weight = weight->kind == TS_WEIGHT_SAMPLES ? 1 : b->columns[column].ints[i];
                code = visit(user, &item);
            }
        }
    }
    ts_scan_close(scan);
    return code;
}

/* The samples by their ids, which mostly rise. */
typedef struct sample_finder {
    ts_scan *scan;
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
        code = ts_scan_next(&f->b, f->scan);
    }
    if (code == TS_OK && !batch_has(f->b, id) && (code = ts_scan_seek(f->scan, id)) == TS_OK) {
        code = ts_scan_next(&f->b, f->scan);
    }
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

static ts_code each_value_row(const ts_calls *p, sample_finder *f, const ts_batch *b, unsigned i,
                              ts_calls_visit visit, void *user)
{
    ts_calls_item item;
    bool wanted;
    unsigned row = 0;
    ts_code code = find_sample(&row, f, b->columns[0].ints[i]);
    if (code != TS_OK || row == f->b->rows) {
        return code;
    }
    code = read_item(&item, &wanted, p, f->b, row, false);
    if (code != TS_OK || !wanted) {
        return code;
    }
    item.weight = b->columns[2].ints[i];
    return visit(user, &item);
}

static ts_code each_value(const ts_calls *p, const ts_weight *weight, ts_calls_visit visit,
                          void *user)
{
    static const unsigned columns[] = {TS_C_stack_sample_value__sample_id,
                                       TS_C_stack_sample_value__value_type_id,
                                       TS_C_stack_sample_value__value};
    const uint8_t *places = p->types.p;
    uint8_t place = (uint8_t)(weight - p->weights + 1);
    sample_finder f = {0};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, p->reader, TS_T_stack_sample_value, columns, 3);
    if (code == TS_OK) {
        code = ts_scan_open(&f.scan, p->reader, TS_T_stack_sample, sample_columns, 6);
    }
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            int64_t type = b->columns[1].ints[i];
            if (type >= 0 && (uint64_t)type < p->types.n && places[type] == place) {
                code = each_value_row(p, &f, b, i, visit, user);
            }
        }
    }
    ts_scan_close(f.scan);
    ts_scan_close(scan);
    return code;
}

ts_code ts_calls_each(const ts_calls *p, const ts_weight *weight, ts_calls_visit visit, void *user)
{
    ts_code code = TS_OK;
    if (p->is_heap || weight->kind == TS_WEIGHT_HEAP) {
        return TS_OK;
    }
    if (weight->kind == TS_WEIGHT_VALUE) {
        return each_value(p, weight, visit, user);
    }
    if (p->any_sample) {
        code = each_row(p, weight, false, visit, user);
    }
    if (code == TS_OK && p->any_slice) {
        code = each_row(p, weight, true, visit, user);
    }
    return code;
}

/* --- sums
 * ---------------------------------------------------------------------------------------------- */

typedef struct sum_work {
    ts_ctx *ctx;
    ts_weight *weight;
    uint64_t items;
} sum_work;

static ts_code sum_item(void *user, const ts_calls_item *item)
{
    sum_work *w = user;
    int64_t *sum = &w->weight->self[item->node];
    w->items++;
    return ts_ckd_add(sum, *sum, item->weight)
               ? ts_fail(w->ctx, TS_ERR_LIMIT, "the sum of %.*s does not fit 64 bits",
                         (int)w->weight->name.n, w->weight->name.p)
               : TS_OK;
}

/* What is not above zero cannot be drawn: it counts as nothing. */
static ts_code sum_total(const ts_calls *p, ts_weight *weight)
{
    weight->total = 0;
    for (uint32_t i = 1; i <= p->nodes; i++) {
        weight->self[i] = weight->self[i] < 0 ? 0 : weight->self[i];
        if (ts_ckd_add(&weight->total, weight->total, weight->self[i])) {
            return ts_fail(p->ctx, TS_ERR_LIMIT, "the sum of %.*s does not fit 64 bits",
                           (int)weight->name.n, weight->name.p);
        }
    }
    return TS_OK;
}

static ts_code load_weight(uint64_t *items, ts_calls *p, ts_weight *weight)
{
    sum_work w = {p->ctx, weight, 0};
    ts_code code = TS_OK;
    if (weight->self == NULL) {
        weight->self = ts_zalloc(p->ctx, (size_t)p->nodes + 1, sizeof *weight->self);
        code = weight->self == NULL ? p->ctx->error.code : ts_calls_each(p, weight, sum_item, &w);
    }
    *items = w.items;
    return code == TS_OK ? sum_total(p, weight) : code;
}

static void drop_weight(ts_calls *p, ts_weight *weight)
{
    ts_free(p->ctx, weight->self);
    weight->self = NULL;
    weight->total = 0;
}

/* --- choosing
 * -------------------------------------------------------------------------------------------- */

static ts_code weight_unknown(const ts_calls *p)
{
    ts_buf names = {0};
    ts_code code = TS_OK;
    for (unsigned i = 0; i < p->weight_count && i < 20 && code == TS_OK; i++) {
        ts_text name = p->weights[i].name;
        code = ts_buf_printf(p->ctx, &names, "%s%.*s", i == 0 ? "" : ", ",
                             name.n > 60 ? 60 : (int)name.n, name.p);
    }
    if (code == TS_OK) {
        code = ts_fail(p->ctx, TS_ERR_USAGE, "no value is called \"%.100s\"; there are %.*s",
                       p->filter.weight, (int)names.n, names.n == 0 ? "" : names.p);
    }
    ts_buf_free(p->ctx, &names);
    return code;
}

static const char *plain_name(const char *name)
{
    return strcmp(name, "dur") == 0 || strcmp(name, "time") == 0 ? "wall"
           : strcmp(name, "count") == 0                          ? "samples"
                                                                 : name;
}

static ts_code nothing_left(const ts_calls *p, const ts_weight *weight, uint64_t items)
{
    char what[200];
    if (items == 0 && p->filtered) {
        return profile_explain(p, weight == NULL || weight->kind != TS_WEIGHT_VALUE
                                      ? "no stack is wanted"
                                      : "no stack with that value is wanted");
    }
    if (weight == NULL) {
        return profile_explain(p, "no stack has a weight");
    }
    (void)snprintf(what, sizeof what, "no stack has a value of %.*s above zero",
                   weight->name.n > 60 ? 60 : (int)weight->name.n, weight->name.p);
    return profile_explain(p, what);
}

static ts_code choose_named(ts_calls *p)
{
    const ts_weight *found = find_weight(p, ts_text_of(p->filter.weight));
    uint64_t items = 0;
    if (found == NULL) {
        found = find_weight(p, ts_text_of(plain_name(p->filter.weight)));
    }
    if (found == NULL) {
        return weight_unknown(p);
    }
    p->chosen = (unsigned)(found - p->weights);
    ts_code code = load_weight(&items, p, &p->weights[p->chosen]);
    if (code == TS_OK && found->total == 0) {
        code = nothing_left(p, found, items);
    }
    return code;
}

/* CPU time, time, values in ns or bytes, other values, numbers. */
enum { RANK_CPU, RANK_WALL, RANK_AMOUNT, RANK_VALUE, RANK_SAMPLES, RANKS };

static int rank_of(const ts_weight *w)
{
    bool ns = ts_text_is(w->unit, "ns");
    switch (w->kind) {
    case TS_WEIGHT_WALL:
        return RANK_WALL;
    case TS_WEIGHT_SAMPLES:
        return RANK_SAMPLES;
    case TS_WEIGHT_VALUE:
        return ns && ts_text_is(w->name, "cpu")     ? RANK_CPU
               : ns || ts_text_is(w->unit, "bytes") ? RANK_AMOUNT
                                                    : RANK_VALUE;
    case TS_WEIGHT_HEAP:
        break;
    }
    return RANK_VALUE; /* in their order: what is in use comes first */
}

/* The first that is not zero everywhere; of amounts the last, which is what profiles of several
 * kinds mean to be looked at (inuse_space after alloc_space). */
static ts_code choose_default(ts_calls *p)
{
    uint64_t seen = 0;
    for (int rank = 0; rank < RANKS; rank++) {
        for (unsigned k = 0; k < p->weight_count; k++) {
            unsigned i = rank == RANK_AMOUNT ? p->weight_count - 1 - k : k;
            uint64_t items = 0;
            if (rank_of(&p->weights[i]) != rank) {
                continue;
            }
            ts_code code = load_weight(&items, p, &p->weights[i]);
            seen += items;
            if (code != TS_OK) {
                return code;
            }
            if (p->weights[i].total > 0) {
                p->chosen = i;
                return TS_OK;
            }
            drop_weight(p, &p->weights[i]);
        }
    }
    return nothing_left(p, NULL, seen);
}

static ts_code load_count(ts_calls *p)
{
    ts_weight *weight = NULL;
    uint64_t items;
    ts_code code = profile_add_weight(&weight, p, TS_WEIGHT_SAMPLES, TS_TEXT_LIT("samples"),
                                      TS_TEXT_LIT("count"));
    return code == TS_OK ? load_weight(&items, p, weight) : code;
}

ts_code profile_load_weights(ts_calls *p, ts_calls_load load)
{
    uint64_t items;
    ts_code code;
    if (load == TS_LOAD_COUNT) {
        return load_count(p);
    }
    code = p->filter.weight != NULL ? choose_named(p) : choose_default(p);
    for (unsigned i = 0; i < p->weight_count && code == TS_OK; i++) {
        if (i == p->chosen) {
            continue;
        }
        if (load == TS_LOAD_ALL) {
            code = load_weight(&items, p, &p->weights[i]);
        }
        if (load != TS_LOAD_ALL || p->weights[i].total == 0) {
            drop_weight(p, &p->weights[i]);
        }
    }
    return code;
}
