/* Events that are kept as they are (--jfr-events): rows of jfr_event with their fields as JSON. */
#include "base/json_out.h"
#include "parsers/jfr/rules.h"

#include <math.h>

typedef struct json {
    jfr_chunk *c;
    ts_jout out;
} json;

static void put_name(json *j, const jfr_op *op)
{
    if (op->field != JFR_NO_FIELD) {
        ts_jout_key(&j->out, jfr_field_at(&j->c->schema->meta, op->field)->name);
    }
}

static void put_open(json *j, const jfr_op *op, char bracket)
{
    put_name(j, op);
    ts_jout_open(&j->out, NULL, bracket);
}

/* Times and durations in ns. */
static void put_number(json *j, const jfr_op *op, const jfr_value *v)
{
    if (op->kind == JFR_OP_BOOLEAN) {
        ts_jout_bool(&j->out, NULL, v->i != 0);
        return;
    }
    const bool time = v->unit >= JFR_TIME_TICKS && v->unit <= JFR_TIME_NS;
    const bool span = v->unit >= JFR_SPAN_TICKS && v->unit <= JFR_SPAN_S;
    const int64_t i = time ? jfr_value_time(j->c, v) : span ? jfr_value_span(j->c, v) : v->i;
    if ((time || span) && i == TS_NO_TIME) {
        ts_jout_null(&j->out, NULL);
    } else {
        ts_jout_int(&j->out, NULL, i);
    }
}

static ts_code put_value(json *j, const jfr_op *op, const jfr_value *v)
{
    ts_buf *text = &j->c->rec->parts[3];
    bool null = true;
    ts_code code = TS_OK;
    if (v->kind == JFR_V_INT) {
        put_number(j, op, v);
        return TS_OK;
    }
    if (v->kind == JFR_V_REAL && isfinite(v->real)) {
        ts_jout_printf(&j->out, NULL, "%.17g", v->real);
        return TS_OK;
    }
    text->n = 0;
    TS_STEP_IF(code, v->kind == JFR_V_STRING || v->kind == JFR_V_REF,
               jfr_value_text(&null, j->c, text, v));
    ts_jout_text(&j->out, NULL, null ? TS_TEXT_NULL : ts_buf_text(text));
    return code;
}

/* Reads the event again, which jfr_plan_run has found to fit its plan. */
static ts_code put_fields(json *j, const jfr_plan *plan, jfr_reader *r)
{
    const jfr_op *ops = jfr_plan_ops(&j->c->schema->plans, plan);
    size_t left[JFR_MAX_NESTING];
    unsigned arrays = 0;
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < plan->count && !r->bad && code == TS_OK;) {
        const jfr_op *op = &ops[i++];
        jfr_value v = {0};
        if (op->kind == JFR_OP_ARRAY) {
            size_t n = jfr_count(r);
            put_open(j, op, '[');
            if (n == 0 || op->jump == i) {
                i = op->jump;
                ts_jout_close(&j->out, ']');
            } else {
                left[arrays++] = n;
            }
        } else if (op->kind == JFR_OP_NEXT) {
            if (--left[arrays - 1] > 0) {
                i = op->jump;
            } else {
                arrays--;
                ts_jout_close(&j->out, ']');
            }
        } else if (op->kind == JFR_OP_OPEN) {
            put_open(j, op, '{');
        } else if (op->kind == JFR_OP_CLOSE) {
            ts_jout_close(&j->out, '}');
        } else {
            jfr_op_read(&v, op, r);
            if (!(j->out.depth == 1 && op->slot <= SLOT_STACK)) {
                put_name(j, op);
                code = put_value(j, op, &v);
            }
        }
    }
    ts_jout_fail(&j->out, code);
    return j->out.code;
}

ts_code jfr_keep_event(jfr_chunk *c, uint32_t cls, const jfr_value *values, jfr_reader r)
{
    const jfr_value *thread = jfr_thread_of(values);
    ts_buf *fields = &c->rec->parts[4];
    json j = {c, ts_jout_into(c->ctx, fields)};
    ts_row_jfr_event row = {
        .id = (int64_t)ts_sink_rows(c->rec->sink, TS_T_jfr_event) + 1,
        .source_id = c->rec->source_id,
        .type_id = c->rec->type_base + (int64_t)c->schema->uses[cls].type,
        .ts = jfr_value_time(c, &values[SLOT_TIME]),
        .dur = jfr_value_span(c, &values[SLOT_DURATION]),
    };
    uint32_t stack;
    ts_code code;
    TS_TRY_INTO(code, jfr_value_thread(&row.itid, c, thread));
    TS_TRY_INTO(code, jfr_value_stack(&row.node_id, &stack, c, &values[SLOT_STACK]));
    fields->n = 0;
    j.out.escapes = TS_JOUT_PLAIN;
    code = put_fields(&j, jfr_plan_at(&c->schema->plans, c->schema->uses[cls].plan), &r);
    row.fields = fields->n == 0 ? TS_TEXT_LIT("{}") : ts_buf_text(fields);
    row.null = (row.ts == TS_NO_TIME ? TS_NULL_BIT(jfr_event, ts) : 0) |
               (row.dur == TS_NO_TIME ? TS_NULL_BIT(jfr_event, dur) : 0) |
               (row.itid < 0 ? TS_NULL_BIT(jfr_event, itid) : 0) |
               (row.node_id == 0 ? TS_NULL_BIT(jfr_event, node_id) : 0);
    jfr_note_time(c->rec, row.ts);
    jfr_type_at(c->rec, c->schema->uses[cls].type)->kept++;
    TS_STEP(code, ts_put_jfr_event(c->rec->sink, &row));
    return code;
}
