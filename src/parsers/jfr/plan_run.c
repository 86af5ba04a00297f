/* The steps of plans: made from their operations, and run over bytes. */
#include "parsers/jfr/plan.h"

/* --- making --------------------------------------------------------------------------------- */

/* A list of steps that is being made; loops whose ends are to come. */
typedef struct stepper {
    ts_ctx *ctx;
    jfr_plans *plans;
    uint32_t first;
    bool reading; /* what has a slot is read */
    uint32_t loops[JFR_MAX_NESTING];
    unsigned depth;
} stepper;

static jfr_step *step_at(const stepper *k, uint32_t i)
{
    return (jfr_step *)k->plans->steps.p + k->first + i;
}

static uint32_t step_count(const stepper *k)
{
    return (uint32_t)k->plans->steps.n - k->first;
}

static ts_code add_step(stepper *k, jfr_step step)
{
    jfr_step *p = ts_vec_add(k->ctx, &k->plans->steps, sizeof *p);
    TS_NEED(k->ctx, p);
    *p = step;
    return TS_OK;
}

/* What takes the bytes of an operation whose value is not wanted. */
static jfr_step passing_step(const jfr_op *op, bool compressed)
{
    static const uint8_t widths[] = {
        [JFR_OP_BOOLEAN] = 1, [JFR_OP_BYTE] = 1, [JFR_OP_CHAR] = 2,  [JFR_OP_SHORT] = 2,
        [JFR_OP_INT] = 4,     [JFR_OP_LONG] = 8, [JFR_OP_FLOAT] = 4, [JFR_OP_DOUBLE] = 8,
        [JFR_OP_STRING] = 0,  [JFR_OP_REF] = 8,
    };
    bool integer = op->kind == JFR_OP_CHAR || op->kind == JFR_OP_SHORT || op->kind == JFR_OP_INT ||
                   op->kind == JFR_OP_LONG || op->kind == JFR_OP_REF;
    if (op->kind == JFR_OP_STRING) {
        return (jfr_step){JFR_STEP_TEXT, JFR_NO_SLOT, JFR_PLAIN, 1, 0};
    }
    return integer && compressed
               ? (jfr_step){JFR_STEP_VARINTS, JFR_NO_SLOT, JFR_PLAIN, 1, 0}
               : (jfr_step){JFR_STEP_BYTES, JFR_NO_SLOT, JFR_PLAIN, widths[op->kind], 0};
}

static ts_code add_value(stepper *k, const jfr_op *op)
{
    jfr_step step = passing_step(op, k->plans->compressed);
    jfr_step *last = step_count(k) == 0 ? NULL : step_at(k, step_count(k) - 1);
    if (k->reading && op->slot != JFR_NO_SLOT) {
        return add_step(k, (jfr_step){op->kind, op->slot, op->unit, 1, op->cls});
    }
    if (last != NULL && last->kind == step.kind && step.kind != JFR_STEP_TEXT) {
        last->n += step.n;
        return TS_OK;
    }
    return add_step(k, step);
}

/* The end of an element. One of nothing but varints, or bytes, needs no loop. */
static ts_code end_loop(stepper *k)
{
    uint32_t at = k->loops[--k->depth];
    jfr_step *loop = step_at(k, at);
    const jfr_step *inner = loop + 1;
    ts_code code;
    if (step_count(k) == at + 2 && loop->slot == JFR_NO_SLOT &&
        (inner->kind == JFR_STEP_VARINTS || inner->kind == JFR_STEP_BYTES)) {
        loop->kind =
            inner->kind == JFR_STEP_VARINTS ? JFR_STEP_ARRAY_VARINTS : JFR_STEP_ARRAY_BYTES;
        loop->n = inner->n;
        k->plans->steps.n--;
        return TS_OK;
    }
    code = add_step(k, (jfr_step){JFR_STEP_NEXT, JFR_NO_SLOT, JFR_PLAIN, at + 1, 0});
    step_at(k, at)->n = step_count(k);
    return code;
}

static ts_code begin_loop(stepper *k, const jfr_op *op, bool empty)
{
    uint8_t slot = k->reading ? op->slot : (uint8_t)JFR_NO_SLOT;
    if (empty) { /* elements without bytes: only their number is there */
        return add_step(k, (jfr_step){JFR_STEP_ARRAY_BYTES, JFR_NO_SLOT, JFR_PLAIN, 0, 0});
    }
    k->loops[k->depth++] = step_count(k);
    return add_step(k, (jfr_step){JFR_STEP_LOOP, slot, JFR_PLAIN, 0, 0});
}

static ts_code make_steps(jfr_steps *out, ts_ctx *ctx, jfr_plans *plans, const jfr_plan *plan,
                          bool reading)
{
    stepper k = {.ctx = ctx, .plans = plans, .first = (uint32_t)plans->steps.n, .reading = reading};
    const jfr_op *ops = jfr_plan_ops(plans, plan);
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < plan->count && code == TS_OK; i++) {
        const jfr_op *op = &ops[i];
        if (op->kind == JFR_OP_ARRAY) {
            code = begin_loop(&k, op, op->jump == i + 1);
        } else if (op->kind == JFR_OP_NEXT) {
            code = end_loop(&k);
        } else if (op->kind < JFR_OP_ARRAY) {
            code = add_value(&k, op);
        }
    }
    *out = (jfr_steps){k.first, step_count(&k)};
    return code;
}

ts_code jfr_plan_steps(ts_ctx *ctx, jfr_plans *plans, jfr_plan *plan)
{
    ts_code code = make_steps(&plan->reading, ctx, plans, plan, true);
    TS_STEP(code, make_steps(&plan->passing, ctx, plans, plan, false));
    return code;
}

/* --- running -------------------------------------------------------------------------------- */

static double float_of(uint64_t bits)
{
    uint32_t low = (uint32_t)bits;
    float v;
    memcpy(&v, &low, sizeof v);
    return (double)v;
}

static double double_of(uint64_t bits)
{
    double v;
    memcpy(&v, &bits, sizeof v);
    return v;
}

static void set_int(jfr_value *v, const jfr_step *step, int64_t i)
{
    v->kind = JFR_V_INT;
    v->unit = step->unit;
    v->i = i;
}

static void set_real(jfr_value *v, const jfr_step *step, double real)
{
    v->kind = JFR_V_REAL;
    v->unit = step->unit;
    v->real = real;
}

static inline void read_value(jfr_value *v, const jfr_step *step, jfr_reader *r)
{
    switch (step->kind) {
    case JFR_OP_BOOLEAN:
        set_int(v, step, jfr_fixed(r, 1) != 0);
        break;
    case JFR_OP_BYTE:
        set_int(v, step, (int8_t)(uint8_t)jfr_fixed(r, 1));
        break;
    case JFR_OP_CHAR:
        set_int(v, step, (uint16_t)jfr_raw(r, 2));
        break;
    case JFR_OP_SHORT:
        set_int(v, step, (int16_t)(uint16_t)jfr_raw(r, 2));
        break;
    case JFR_OP_INT:
        set_int(v, step, jfr_int(r));
        break;
    case JFR_OP_LONG:
        set_int(v, step, jfr_long(r));
        break;
    case JFR_OP_FLOAT:
        set_real(v, step, float_of(jfr_fixed(r, 4)));
        break;
    case JFR_OP_DOUBLE:
        set_real(v, step, double_of(jfr_fixed(r, 8)));
        break;
    case JFR_OP_STRING:
        jfr_read_string(&v->string, r);
        v->kind = v->string.encoding == JFR_STRING_NULL ? JFR_V_NONE : JFR_V_STRING;
        break;
    default:
        v->kind = JFR_V_REF;
        v->cls = step->cls;
        v->i = jfr_long(r);
        break;
    }
}

void jfr_op_read(jfr_value *v, const jfr_op *op, jfr_reader *r)
{
    const jfr_step step = {op->kind, op->slot, op->unit, 1, op->cls};
    read_value(v, &step, r);
}

/* An array that is being read. */
typedef struct loop {
    size_t left;
    uint8_t slot;
} loop;

static ts_code end_element(uint32_t *i, loop *loops, unsigned *depth, const jfr_step *step,
                           const jfr_value *values, const jfr_element *element)
{
    loop *l = &loops[*depth - 1];
    ts_code code = TS_OK;
    if (element != NULL && l->slot == element->slot) {
        code = element->each(element->user, values);
    }
    if (--l->left > 0) {
        *i = step->n;
    } else {
        (*depth)--;
        (*i)++;
    }
    return code;
}

/* Passes over the bytes of a step that reads nothing; false: it is none. */
static inline bool pass_over(const jfr_step *step, jfr_reader *r)
{
    jfr_string string;
    size_t n;
    switch (step->kind) {
    case JFR_STEP_VARINTS:
        if (step->n == 1) {
            (void)jfr_varint(r);
        } else {
            jfr_skip_varints(r, step->n);
        }
        return true;
    case JFR_STEP_BYTES:
        (void)jfr_take(r, step->n);
        return true;
    case JFR_STEP_TEXT:
        jfr_read_string(&string, r);
        return true;
    case JFR_STEP_ARRAY_VARINTS:
        n = jfr_count(r);
        jfr_skip_varints(r, n * step->n);
        return true;
    case JFR_STEP_ARRAY_BYTES:
        n = jfr_count(r);
        (void)jfr_take(r, n * step->n);
        return true;
    default:
        return false;
    }
}

ts_code jfr_plan_run(jfr_reader *r, const jfr_plans *plans, const jfr_plan *plan, jfr_value *values,
                     const jfr_element *element)
{
    const jfr_steps *list = values != NULL ? &plan->reading : &plan->passing;
    const jfr_step *all = plans->steps.p;
    const jfr_step *steps = list->count == 0 ? all : all + list->first; /* of none: NULL */
    loop loops[JFR_MAX_NESTING] = {{0}};
    unsigned depth = 0;
    ts_code code = TS_OK;
    for (unsigned i = 0; i < JFR_SLOTS && values != NULL; i++) {
        values[i].kind = JFR_V_NONE;
    }
    for (uint32_t i = 0; i < list->count && !r->bad && code == TS_OK;) {
        const jfr_step *step = &steps[i];
        if (step->kind < JFR_OP_ARRAY) {
            /* Only a plan that reads has such steps. */
            read_value(&values[step->slot], step, r);
            i++;
        } else if (pass_over(step, r)) {
            i++;
        } else if (step->kind == JFR_STEP_NEXT) {
            code = end_element(&i, loops, &depth, step, values, element);
        } else {
            size_t n = jfr_count(r);
            if (n == 0) {
                i = step->n;
            } else {
                loops[depth++] = (loop){n, step->slot};
                i++;
            }
        }
    }
    return code;
}
