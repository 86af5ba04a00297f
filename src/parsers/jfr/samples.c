/* Events that become samples: rows of stack_sample with their values and labels, and lock_wait. */
#include "parsers/jfr/rules.h"

#include <inttypes.h>
#include <math.h>

/* --- numbers -------------------------------------------------------------------------------- */

/* Half to even; false: beyond 64 bits, or no number. */
static bool round_to_int(int64_t *out, double v)
{
    double rounded = nearbyint(v);
    if (!(rounded > -9.2233720368547758e18 && rounded < 9.2233720368547758e18)) {
        return false;
    }
    *out = (int64_t)rounded;
    return true;
}

static double weight_of(const jfr_rule *rule, const jfr_value *values)
{
    double weight = 1;
    if (rule->weight == 0 || !jfr_value_real(&weight, jfr_field_of(values, rule->weight - 1U))) {
        return 1;
    }
    return weight;
}

/* v * weight: exact when the weight is whole. */
static bool weighted(int64_t *out, int64_t v, double weight)
{
    int64_t whole;
    if (weight == 1) {
        *out = v;
        return true;
    }
    if (round_to_int(&whole, weight) && (double)whole == weight) {
        return !ts_ckd_mul(out, v, whole);
    }
    return round_to_int(out, (double)v * weight);
}

static bool amount_of(int64_t *out, const jfr_rule_value *value, const jfr_value *values,
                      double weight)
{
    const jfr_value *v = jfr_field_of(values, value->field);
    int64_t i;
    double real;
    switch (value->amount) {
    case JFR_AMOUNT_ONE:
        *out = 1;
        return true;
    case JFR_AMOUNT_WEIGHT:
        return round_to_int(out, weight);
    case JFR_AMOUNT_FIELD:
    case JFR_AMOUNT_FIELD_WEIGHT:
        weight = value->amount == JFR_AMOUNT_FIELD ? 1 : weight;
        if (jfr_value_int(&i, v)) {
            return weighted(out, i, weight);
        }
        return jfr_value_real(&real, v) && round_to_int(out, real * weight);
    default:
        return false;
    }
}

/* --- rows of a sample ----------------------------------------------------------------------- */

static ts_code put_value(jfr_chunk *c, int64_t sample, const char *name, const char *unit,
                         jfr_family family, int64_t value)
{
    ts_row_stack_sample_value row = {.sample_id = sample, .value = value};
    ts_code code = jfr_value_type_id(&row.value_type_id, c->rec, name, unit, family);
    TS_STEP(code, ts_put_stack_sample_value(c->rec->sink, &row));
    return code;
}

static ts_code put_values(jfr_chunk *c, int64_t sample, const jfr_rule *rule,
                          const jfr_value *values, double weight)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; i < 3 && rule->values[i].name != NULL && code == TS_OK; i++) {
        const jfr_rule_value *value = &rule->values[i];
        int64_t amount;
        if (amount_of(&amount, value, values, weight)) {
            code =
                put_value(c, sample, value->name, value->unit, (jfr_family)value->family, amount);
        } else {
            c->rec->bad_values++;
        }
    }
    return code;
}

/* Times and durations in ns, span ids without a sign; *null: there is no label. */
static ts_code label_text(bool *null, jfr_chunk *c, ts_buf *out, const char *label,
                          const jfr_value *v)
{
    bool time = v->unit >= JFR_TIME_TICKS && v->unit <= JFR_TIME_NS;
    bool span = v->unit >= JFR_SPAN_TICKS && v->unit <= JFR_SPAN_S;
    *null = v->kind == JFR_V_NONE;
    if (v->kind == JFR_V_INT && (time || span)) {
        int64_t ns = time ? jfr_value_time(c, v) : jfr_value_span(c, v);
        *null = ns == TS_NO_TIME;
        return *null ? TS_OK : ts_buf_decimal(c->ctx, out, ns);
    }
    if (v->kind == JFR_V_INT &&
        (strcmp(label, "spanId") == 0 || strcmp(label, "localRootSpanId") == 0)) {
        *null = v->i == 0;
        return *null ? TS_OK : ts_buf_printf(c->ctx, out, "%" PRIu64, (uint64_t)v->i);
    }
    return *null ? TS_OK : jfr_value_text(null, c, out, v);
}

static ts_code put_label(jfr_chunk *c, int64_t sample, const char *label, const jfr_value *v)
{
    bool null;
    ts_code code = TS_OK;
    c->rec->text.n = 0;
    TS_TRY_INTO(code, label_text(&null, c, &c->rec->text, label, v));
    TS_STEP_IF(code, !null && v->kind == JFR_V_INT && strcmp(label, "localRootSpanId") == 0,
               jfr_note_root(c->rec, sample, v->i));
    if (code == TS_OK && !null) {
        ts_row_stack_sample_label row = {
            .sample_id = sample, .key = ts_text_of(label), .value = ts_buf_text(&c->rec->text)};
        code = ts_put_stack_sample_label(c->rec->sink, &row);
    }
    return code;
}

static ts_code put_labels(jfr_chunk *c, uint32_t cls, int64_t sample, const jfr_rule *rule,
                          const jfr_value *values)
{
    ts_code code = TS_OK;
    for (unsigned left = c->schema->uses[cls].labels; left != 0 && code == TS_OK;
         left &= left - 1) {
        const unsigned i = (unsigned)__builtin_ctz(left);
        const jfr_value *v = jfr_field_of(values, i);
        TS_STEP_IF(code, v->kind != JFR_V_NONE, put_label(c, sample, rule->fields[i].label, v));
    }
    return code;
}

/* Only samples of all threads say that one was not to run. */
static ts_code is_sleeping(bool *sleeping, jfr_chunk *c, const jfr_rule *rule,
                           const jfr_value *values)
{
    bool null;
    ts_code code = TS_OK;
    *sleeping = false;
    if (c->wall_mode && rule->cpu && rule->fields[0].label != NULL) {
        c->rec->text.n = 0;
        code = jfr_value_text(&null, c, &c->rec->text, jfr_field_of(values, 0));
        *sleeping = ts_text_is(ts_buf_text(&c->rec->text), "STATE_SLEEPING");
    }
    return code;
}

static int64_t span_of(jfr_chunk *c, const jfr_rule *rule, const jfr_value *values, double weight)
{
    int64_t interval = rule->span == JFR_SPAN_CPU ? c->cpu_interval : c->wall_interval;
    int64_t ns;
    switch (rule->span) {
    case JFR_SPAN_DURATION:
        return jfr_value_span(c, &values[SLOT_DURATION]);
    case JFR_SPAN_FIELD:
        return jfr_value_span(c, jfr_field_of(values, 0));
    case JFR_SPAN_CPU:
    case JFR_SPAN_WALL:
        if (interval <= 0) {
            c->rec->default_intervals++;
            interval = JFR_DEFAULT_INTERVAL;
        }
        return weighted(&ns, interval, weight) ? ns : TS_NO_TIME;
    default:
        return TS_NO_TIME;
    }
}

/* --- the row and what hangs on it ------------------------------------------------------------ */

static ts_code put_lock_wait(jfr_chunk *c, const jfr_rule *rule, const jfr_value *values,
                             const ts_row_stack_sample *sample)
{
    ts_row_lock_wait row = {
        .id = (int64_t)ts_sink_rows(c->rec->sink, TS_T_lock_wait) + 1,
        .source_id = c->rec->source_id,
        .kind = ts_text_of(rule->lock),
        .itid = sample->itid,
        .ts = sample->ts,
        .dur = sample->dur,
        .node_id = sample->node_id,
    };
    bool null;
    ts_code code = jfr_value_thread(&row.owner_itid, c, jfr_field_of(values, 1));
    c->rec->text.n = 0;
    if (code != TS_OK ||
        (code = jfr_value_text(&null, c, &c->rec->text, jfr_field_of(values, 0))) != TS_OK) {
        return code;
    }
    row.class = null ? TS_TEXT_NULL : ts_buf_text(&c->rec->text);
    row.timeout = jfr_value_span(c, jfr_field_of(values, 3));
    row.null =
        TS_NULL_BIT(lock_wait, slice_id) |
        (sample->ts == TS_NO_TIME ? TS_NULL_BIT(lock_wait, ts) : 0) |
        (sample->dur == TS_NO_TIME ? TS_NULL_BIT(lock_wait, dur) : 0) |
        (sample->itid < 0 ? TS_NULL_BIT(lock_wait, itid) : 0) |
        (row.owner_itid < 0 ? TS_NULL_BIT(lock_wait, owner_itid) : 0) |
        (sample->node_id == 0 ? TS_NULL_BIT(lock_wait, node_id) : 0) |
        (row.timeout == TS_NO_TIME || row.timeout <= 0 ? TS_NULL_BIT(lock_wait, timeout) : 0);
    TS_NULL_IF(!jfr_value_int(&row.object_id, jfr_field_of(values, 2)), lock_wait, &row, object_id);
    return ts_put_lock_wait(c->rec->sink, &row);
}

static ts_code put_sample(jfr_chunk *c, ts_row_stack_sample *row, const jfr_rule *rule,
                          const jfr_value *values, double weight)
{
    bool sleeping;
    bool wall = rule->cpu && c->wall_mode;
    ts_code code = is_sleeping(&sleeping, c, rule, values);
    row->event = wall ? TS_TEXT_LIT("wall") : ts_text_of(rule->kind);
    row->null = (row->ts == TS_NO_TIME ? TS_NULL_BIT(stack_sample, ts) : 0) |
                (row->dur == TS_NO_TIME ? TS_NULL_BIT(stack_sample, dur) : 0) |
                (row->itid < 0 ? TS_NULL_BIT(stack_sample, itid) : 0) |
                (row->node_id == 0 ? TS_NULL_BIT(stack_sample, node_id) : 0);
    if (code != TS_OK || (code = ts_put_stack_sample(c->rec->sink, row)) != TS_OK) {
        return code;
    }
    if (rule->cpu && row->dur != TS_NO_TIME && !sleeping &&
        (code = put_value(c, row->id, "cpu", "ns", JFR_ALONE, row->dur)) != TS_OK) {
        return code;
    }
    return put_values(c, row->id, rule, values, weight);
}

static ts_code put_origin(jfr_chunk *c, uint32_t cls, const jfr_rule *rule, int64_t sample,
                          double weight, uint32_t stack)
{
    ts_row_jfr_sample row = {
        .sample_id = sample,
        .type_id = c->rec->type_base + (int64_t)c->schema->uses[cls].type,
        .weight = weight,
        .stack_id = c->rec->stacks.row_base + stack,
        .null = (rule->weight == 0 ? TS_NULL_BIT(jfr_sample, weight) : 0) |
                (stack == 0 ? TS_NULL_BIT(jfr_sample, stack_id) : 0),
    };
    return ts_put_jfr_sample(c->rec->sink, &row);
}

ts_code jfr_run_sample(jfr_chunk *c, uint32_t cls, const jfr_rule *rule, const jfr_value *values)
{
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(c->rec->sink, TS_T_stack_sample) + 1,
        .source_id = c->rec->source_id,
        .ts = jfr_value_time(c, &values[SLOT_TIME]),
    };
    const jfr_value *thread = jfr_thread_of(values);
    double weight = weight_of(rule, values);
    uint32_t stack;
    TS_TRY(jfr_value_thread(&row.itid, c, thread));
    TS_TRY(jfr_value_stack(&row.node_id, &stack, c, &values[SLOT_STACK]));
    row.dur = span_of(c, rule, values, weight);
    jfr_note_time(c->rec, row.ts);
    TS_TRY(put_sample(c, &row, rule, values, weight));
    TS_TRY(put_origin(c, cls, rule, row.id, weight, stack));
    TS_TRY(put_labels(c, cls, row.id, rule, values));
    return rule->lock == NULL ? TS_OK : put_lock_wait(c, rule, values, &row);
}
