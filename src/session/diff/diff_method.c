#include "session/diff/diff_parts.h"

#include "base/alloc.h"

#include <stdio.h>

/* Values of method.sql, in their order; self has a share after it. */
enum { V_SELF, V_SHARE, V_TOTAL, V_WEIGHT };

/* --- opening -------------------------------------------------------------------------------- */

static ts_code open_side(diff_method_side *m, ts_ctx *ctx, const diff_side *s,
                         const diff_asked *asked)
{
    ts_stack_filter filter = diff_stack_filter(asked, s->selector);
    ts_code code = diff_side_reader(&m->reader, &m->copy, s, asked);
    if (filter.weight != NULL && strncmp(filter.weight, "self_", 5) == 0) {
        filter.weight += 5; /* as the value is called */
    }
    m->frames.parts = TS_COMPARED_FRAMES;
    TS_STEP(code, ts_calls_open(&m->weight, ctx, m->reader, &filter, &m->frames, TS_LOAD_CHOSEN));
    filter.weight = NULL;
    TS_STEP_IF(code, m->weight.weights[m->weight.chosen].kind != TS_WEIGHT_SAMPLES,
               ts_calls_open(&m->count, ctx, m->reader, &filter, &m->frames, TS_LOAD_COUNT));
    return code != TS_ERR_USAGE ? code : ts_cause(ctx, "cannot compare %s", s->path);
}

/* self_cpu, share_cpu, cpu; self_value ... for a weight without a class. */
static void name_values(diff_shape *shape, const ts_weight *w)
{
    ts_text label = ts_weight_label(w);
    bool known =
        w->kind == TS_WEIGHT_SAMPLES || w->kind == TS_WEIGHT_DUR || w->what.class != TS_CLASS_other;
    if (w->kind == TS_WEIGHT_SAMPLES) { /* which have values of their own, after these */
        shape->value_count -= V_WEIGHT;
        memmove(shape->values, shape->values + V_WEIGHT,
                shape->value_count * sizeof shape->values[0]);
        shape->values[V_SHARE].share_of = V_SELF;
        return;
    }
    for (unsigned v = V_SELF; v < V_WEIGHT; v++) {
        diff_value *value = &shape->values[v];
        static const char *const before[] = {"self_", "share_", ""};
        if (known) {
            (void)snprintf(value->name, sizeof value->name, "%s%.*s", before[v], (int)label.n,
                           label.p);
        }
        if (v != V_SHARE) {
            value->unit = ts_text_is(w->unit, "ns")      ? DIFF_NS
                          : ts_text_is(w->unit, "bytes") ? DIFF_BYTES
                                                         : DIFF_PLAIN;
        }
    }
}

ts_code diff_methods_open(diff_methods **out, ts_ctx *ctx, diff_shape *shape,
                          const diff_side *sides, const diff_asked *asked)
{
    const ts_weight *weights[2] = {NULL, NULL};
    diff_methods *m = ts_zalloc(ctx, 1, sizeof *m);
    ts_code code = TS_OK;
    *out = m;
    TS_NEED(ctx, m);
    m->ctx = ctx;
    for (unsigned side = 0; code == TS_OK && side < 2; side++) {
        if (!sides[side].nothing) {
            const ts_calls *p = &m->sides[side].weight;
            code = open_side(&m->sides[side], ctx, &sides[side], asked);
            weights[side] = &p->weights[p->chosen];
        }
    }
    TS_STEP_IF(code, weights[0] != NULL, ts_weights_comparable(ctx, weights[0], weights[1]));
    if (code == TS_OK) {
        m->counts_only = weights[1]->kind == TS_WEIGHT_SAMPLES;
        name_values(shape, weights[1]);
    }
    return code;
}

void diff_methods_free(diff_methods *m)
{
    for (unsigned side = 0; m != NULL && side < 2; side++) {
        diff_method_side *s = &m->sides[side];
        ts_calls_free(&s->weight);
        ts_calls_free(&s->count);
        ts_frames_free(m->ctx, &s->frames);
        ts_reader_free(s->reader);
        ts_target_free(s->copy);
    }
    if (m != NULL) {
        ts_free(m->ctx, m);
    }
}

/* --- rows ----------------------------------------------------------------------------------- */

typedef struct putting {
    diff_table *table;
    unsigned side;
    unsigned first;  /* of the values that are put */
    bool has_counts; /* samples are recorded: methods without any have 0 */
} putting;

static ts_code put_method(void *user, const ts_method_sum *sum)
{
    const putting *p = user;
    const ts_text keys[DIFF_KEYS] = {sum->name, sum->file};
    diff_cell cells[DIFF_VALUES] = {{0}};
    uint32_t id;
    for (unsigned v = 0; v < p->table->shape->value_count; v++) {
        cells[v] = v % V_WEIGHT == V_SHARE || (v >= V_WEIGHT && !p->has_counts) ? diff_null()
                                                                                : diff_int(0);
    }
    cells[p->first + V_SELF] = diff_int(sum->self);
    cells[p->first + V_TOTAL] = diff_int(sum->total);
    ts_code code = diff_table_key(&id, p->table, keys);
    if (code == TS_OK) {
        diff_table_add(p->table, id, p->side, cells);
        diff_table_line(p->table, id, p->side, sum->line);
    }
    return code;
}

ts_code diff_methods_put(diff_methods *m, diff_table *table)
{
    ts_code code = TS_OK;
    for (unsigned side = 0; code == TS_OK && side < 2; side++) {
        const diff_method_side *s = &m->sides[side];
        putting p = {.table = table, .side = side};
        if (s->reader == NULL) {
            continue;
        }
        p.has_counts = !s->weight.is_heap && !m->counts_only;
        code = ts_methods_each(&s->weight, &s->frames, put_method, &p);
        p.first = V_WEIGHT;
        TS_STEP_IF(code, p.has_counts, ts_methods_each(&s->count, &s->frames, put_method, &p));
    }
    return code;
}
