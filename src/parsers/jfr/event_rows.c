/* Events that are kept as they are (--jfr-events): rows of jfr_event with their fields as JSON. */
#include "parsers/jfr/rules.h"

#include <math.h>

/* The text so far; each value ends with a comma, which the end of its list takes back. */
typedef struct json {
    jfr_chunk *c;
    ts_buf *out;
    unsigned depth; /* of composites and arrays */
} json;

static ts_code put_quoted(json *j, ts_text text)
{
    ts_code code = ts_buf_putc(j->c->ctx, j->out, '"');
    for (size_t i = 0; i < text.n && code == TS_OK; i++) {
        unsigned char byte = (unsigned char)text.p[i];
        if (byte == '"' || byte == '\\') {
            code = ts_buf_printf(j->c->ctx, j->out, "\\%c", byte);
        } else if (byte < 0x20) {
            code = ts_buf_printf(j->c->ctx, j->out, "\\u%04x", byte);
        } else {
            code = ts_buf_putc(j->c->ctx, j->out, (char)byte);
        }
    }
    return code == TS_OK ? ts_buf_putc(j->c->ctx, j->out, '"') : code;
}

static ts_code put_name(json *j, const jfr_op *op)
{
    ts_code code = TS_OK;
    if (op->field != JFR_NO_FIELD) {
        code = put_quoted(j, jfr_field_at(&j->c->schema->meta, op->field)->name);
        if (code == TS_OK) {
            code = ts_buf_putc(j->c->ctx, j->out, ':');
        }
    }
    return code;
}

static ts_code put_open(json *j, const jfr_op *op, char bracket)
{
    ts_code code = put_name(j, op);
    j->depth++;
    return code == TS_OK ? ts_buf_putc(j->c->ctx, j->out, bracket) : code;
}

static ts_code put_close(json *j, char bracket)
{
    if (j->out->n > 0 && j->out->p[j->out->n - 1] == ',') {
        j->out->n--;
    }
    j->depth--;
    return ts_buf_printf(j->c->ctx, j->out, "%c,", bracket);
}

/* Times and durations in ns. */
static ts_code put_decimal(json *j, int64_t v)
{
    ts_code code = ts_buf_decimal(j->c->ctx, j->out, v);
    return code == TS_OK ? ts_buf_putc(j->c->ctx, j->out, ',') : code;
}

static ts_code put_number(json *j, const jfr_op *op, const jfr_value *v)
{
    int64_t i = v->i;
    if (op->kind == JFR_OP_BOOLEAN) {
        return ts_buf_printf(j->c->ctx, j->out, "%s,", i != 0 ? "true" : "false");
    }
    if (v->unit >= JFR_TIME_TICKS && v->unit <= JFR_TIME_NS) {
        i = jfr_value_time(j->c, v);
    } else if (v->unit >= JFR_SPAN_TICKS && v->unit <= JFR_SPAN_S) {
        i = jfr_value_span(j->c, v);
    } else {
        return put_decimal(j, i);
    }
    return i == TS_NO_TIME ? ts_buf_put(j->c->ctx, j->out, "null,", 5) : put_decimal(j, i);
}

static ts_code put_value(json *j, const jfr_op *op, const jfr_value *v)
{
    ts_buf *text = &j->c->rec->parts[3];
    bool null = true;
    ts_code code = TS_OK;
    if (v->kind == JFR_V_INT) {
        return put_number(j, op, v);
    }
    if (v->kind == JFR_V_REAL && isfinite(v->real)) {
        return ts_buf_printf(j->c->ctx, j->out, "%.17g,", v->real);
    }
    text->n = 0;
    if (v->kind == JFR_V_STRING || v->kind == JFR_V_REF) {
        code = jfr_value_text(&null, j->c, text, v);
    }
    if (code != TS_OK || null) {
        return code == TS_OK ? ts_buf_put(j->c->ctx, j->out, "null,", 5) : code;
    }
    code = put_quoted(j, ts_buf_text(text));
    return code == TS_OK ? ts_buf_putc(j->c->ctx, j->out, ',') : code;
}

/* Those that have columns of their own. */
static bool has_column(const json *j, const jfr_op *op)
{
    return j->depth == 1 && op->slot <= SLOT_STACK;
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
            code = put_open(j, op, '[');
            if (n == 0 || op->jump == i) {
                i = op->jump;
                code = code == TS_OK ? put_close(j, ']') : code;
            } else {
                left[arrays++] = n;
            }
        } else if (op->kind == JFR_OP_NEXT) {
            if (--left[arrays - 1] > 0) {
                i = op->jump;
            } else {
                arrays--;
                code = put_close(j, ']');
            }
        } else if (op->kind == JFR_OP_OPEN) {
            code = put_open(j, op, '{');
        } else if (op->kind == JFR_OP_CLOSE) {
            code = put_close(j, '}');
        } else {
            jfr_op_read(&v, op, r);
            if (!has_column(j, op) && (code = put_name(j, op)) == TS_OK) {
                code = put_value(j, op, &v);
            }
        }
    }
    return code;
}

ts_code jfr_keep_event(jfr_chunk *c, uint32_t cls, const jfr_value *values, jfr_reader r)
{
    const jfr_value *thread = values[SLOT_SAMPLED_THREAD].kind != JFR_V_NONE
                                  ? &values[SLOT_SAMPLED_THREAD]
                                  : &values[SLOT_EVENT_THREAD];
    json j = {c, &c->rec->parts[4], 0};
    ts_row_jfr_event row = {
        .id = (int64_t)ts_sink_rows(c->rec->sink, TS_T_jfr_event) + 1,
        .source_id = c->rec->source_id,
        .type_id = c->rec->type_base + (int64_t)c->schema->uses[cls].type,
        .ts = jfr_value_time(c, &values[SLOT_TIME]),
        .dur = jfr_value_span(c, &values[SLOT_DURATION]),
    };
    uint32_t stack;
    ts_code code = jfr_value_thread(&row.itid, c, thread);
    if (code != TS_OK ||
        (code = jfr_value_stack(&row.node_id, &stack, c, &values[SLOT_STACK])) != TS_OK) {
        return code;
    }
    j.out->n = 0;
    code = put_fields(&j, jfr_plan_at(&c->schema->plans, c->schema->uses[cls].plan), &r);
    j.out->n -= j.out->n > 0 ? 1 : 0;
    row.fields = j.out->n == 0 ? TS_TEXT_LIT("{}") : ts_buf_text(j.out);
    row.null = (row.ts == TS_NO_TIME ? TS_NULL_BIT(jfr_event, ts) : 0) |
               (row.dur == TS_NO_TIME ? TS_NULL_BIT(jfr_event, dur) : 0) |
               (row.itid < 0 ? TS_NULL_BIT(jfr_event, itid) : 0) |
               (row.node_id == 0 ? TS_NULL_BIT(jfr_event, node_id) : 0);
    jfr_note_time(c->rec, row.ts);
    jfr_type_at(c->rec, c->schema->uses[cls].type)->kept++;
    return code == TS_OK ? ts_put_jfr_event(c->rec->sink, &row) : code;
}
