/* Plans are made from the metadata; plan_run.c makes and runs their steps. */
#include "parsers/jfr/plan.h"

/* --- steps: made from operations, and run over bytes ---------------------------------------- */

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
    if (step_count(k) == at + 2 && loop->slot == JFR_NO_SLOT &&
        (inner->kind == JFR_STEP_VARINTS || inner->kind == JFR_STEP_BYTES)) {
        loop->kind =
            inner->kind == JFR_STEP_VARINTS ? JFR_STEP_ARRAY_VARINTS : JFR_STEP_ARRAY_BYTES;
        loop->n = inner->n;
        k->plans->steps.n--;
        return TS_OK;
    }
    ts_code code = add_step(k, (jfr_step){JFR_STEP_NEXT, JFR_NO_SLOT, JFR_PLAIN, at + 1, 0});
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

/* Makes the steps of a plan whose operations are complete (plan_run.c). */
static ts_code jfr_plan_steps(ts_ctx *ctx, jfr_plans *plans, jfr_plan *plan)
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
    /* What ends has begun. NOLINTNEXTLINE(clang-analyzer-core*) */
    const bool wanted = element != NULL && l->slot == element->slot;
    ts_code code = wanted ? element->each(element->user, values) : TS_OK;
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
    loop loops[JFR_MAX_NESTING]; /* `depth` of them are set */
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

enum { MAX_OPS_OF_CLASS = 4096, MAX_OPS = 1 << 20, MAX_PATH = 256 };

/* --- making --------------------------------------------------------------------------------- */

/* A class whose fields are being added. */
typedef struct open_class {
    uint32_t cls;
    uint32_t next;  /* of its fields */
    uint32_t open;  /* its operation OPEN */
    uint32_t array; /* operation ARRAY around it, or JFR_NO_FIELD */
    size_t path;    /* length of the path before it */
} open_class;

typedef struct maker {
    ts_ctx *ctx;
    jfr_plans *plans;
    const jfr_metadata *m;
    const jfr_wish *wishes;
    size_t wish_count;
    uint32_t first;
    uint32_t slots;
    open_class open[JFR_MAX_NESTING];
    unsigned depth;
    unsigned arrays;
    char path[MAX_PATH];
    size_t path_n;
    bool impossible;
} maker;

static jfr_op *op_at(const maker *k, uint32_t i)
{
    return (jfr_op *)k->plans->ops.p + k->first + i;
}

static uint32_t op_count(const maker *k)
{
    return (uint32_t)k->plans->ops.n - k->first;
}

static ts_code add_op(maker *k, jfr_op op)
{
    jfr_op *p;
    if (op_count(k) >= MAX_OPS_OF_CLASS || k->plans->ops.n >= MAX_OPS) {
        k->impossible = true;
        return TS_OK;
    }
    TS_NEED(k->ctx, p = ts_vec_add(k->ctx, &k->plans->ops, sizeof *p));
    *p = op;
    return TS_OK;
}

/* Paths that are too long are not wanted. */
static void push_path(maker *k, ts_text name)
{
    size_t dot = k->path_n > 0 ? 1 : 0;
    if (name.n > MAX_PATH || k->path_n + dot + name.n >= MAX_PATH) {
        k->path_n = MAX_PATH;
        return;
    }
    if (dot != 0) {
        k->path[k->path_n] = '.';
    }
    memcpy(k->path + k->path_n + dot, name.p, name.n);
    k->path_n += dot + name.n;
}

static uint8_t slot_of(maker *k)
{
    for (size_t i = 0; i < k->wish_count && k->path_n < MAX_PATH; i++) {
        uint8_t slot = k->wishes[i].slot;
        if (strlen(k->wishes[i].path) == k->path_n &&
            memcmp(k->wishes[i].path, k->path, k->path_n) == 0 &&
            (k->slots & UINT32_C(1) << slot) == 0) {
            k->slots |= UINT32_C(1) << slot;
            return slot;
        }
    }
    return JFR_NO_SLOT;
}

static ts_code enter(maker *k, uint32_t cls, uint32_t field, uint32_t array, size_t path)
{
    if (k->depth >= JFR_MAX_NESTING) {
        k->impossible = true;
        return TS_OK;
    }
    k->open[k->depth++] =
        (open_class){.cls = cls, .next = 0, .open = op_count(k), .array = array, .path = path};
    return add_op(k, (jfr_op){JFR_OP_OPEN, JFR_NO_SLOT, JFR_PLAIN, 0, field, cls});
}

/* The end of an array's element, whose operation ARRAY is `array`. */
static ts_code end_array(maker *k, uint32_t array)
{
    ts_code code =
        add_op(k, (jfr_op){JFR_OP_NEXT, JFR_NO_SLOT, JFR_PLAIN, array + 1, JFR_NO_FIELD, 0});
    if (code == TS_OK && !k->impossible) {
        op_at(k, array)->jump = op_count(k);
    }
    k->arrays--;
    return code;
}

static ts_code leave(maker *k)
{
    const open_class *c = &k->open[--k->depth];
    k->path_n = c->path;
    if (op_count(k) == c->open + 1) {
        /* Nothing in it: its values take no bytes. An array of such has only its number. */
        k->plans->ops.n = k->first + c->open;
        if (c->array != JFR_NO_FIELD) {
            op_at(k, c->array)->jump = op_count(k);
            k->arrays--;
        }
        return TS_OK;
    }
    ts_code code = add_op(k, (jfr_op){JFR_OP_CLOSE, JFR_NO_SLOT, JFR_PLAIN, 0, JFR_NO_FIELD, 0});
    TS_STEP_IF(code, c->array != JFR_NO_FIELD, end_array(k, c->array));
    return code;
}

static ts_code add_field_op(maker *k, uint32_t number)
{
    static const uint8_t ops[] = {
        [JFR_BOOLEAN] = JFR_OP_BOOLEAN, [JFR_BYTE] = JFR_OP_BYTE,     [JFR_CHAR] = JFR_OP_CHAR,
        [JFR_SHORT] = JFR_OP_SHORT,     [JFR_INT] = JFR_OP_INT,       [JFR_LONG] = JFR_OP_LONG,
        [JFR_FLOAT] = JFR_OP_FLOAT,     [JFR_DOUBLE] = JFR_OP_DOUBLE, [JFR_STRING] = JFR_OP_STRING,
    };
    const jfr_field *f = jfr_field_at(k->m, number);
    size_t path = k->path_n;
    uint32_t array = JFR_NO_FIELD;
    ts_code code = TS_OK;
    if (f->cls == JFR_NO_CLASS) {
        k->impossible = true;
        return TS_OK;
    }
    push_path(k, f->name);
    uint8_t kind = jfr_class_at(k->m, f->cls)->kind;
    if (f->array) {
        array = op_count(k);
        k->impossible = k->impossible || ++k->arrays > JFR_MAX_NESTING;
        code = add_op(k, (jfr_op){JFR_OP_ARRAY, slot_of(k), f->unit, 0, number, f->cls});
        number = JFR_NO_FIELD;
    }
    if (code != TS_OK || k->impossible) {
        return code;
    }
    if (!f->pool && kind == JFR_COMPOSITE) {
        return enter(k, f->cls, number, array, path);
    }
    code = add_op(
        k, (jfr_op){f->pool ? JFR_OP_REF : ops[kind], slot_of(k), f->unit, 0, number, f->cls});
    k->path_n = path;
    TS_STEP_IF(code, array != JFR_NO_FIELD, end_array(k, array));
    return code;
}

ts_code jfr_plan_make(uint32_t *number, ts_ctx *ctx, jfr_plans *plans, const jfr_metadata *m,
                      uint32_t cls, const jfr_wish *wishes, size_t n)
{
    maker k = {.ctx = ctx,
               .plans = plans,
               .m = m,
               .wishes = wishes,
               .wish_count = n,
               .first = (uint32_t)plans->ops.n};
    uint8_t kind = jfr_class_at(m, cls)->kind;
    jfr_plan *plan;
    ts_code code = TS_OK;
    *number = JFR_NO_PLAN;
    if (kind == JFR_STRING) {
        uint8_t slot = n > 0 ? wishes[0].slot : (uint8_t)JFR_NO_SLOT;
        code = add_op(&k, (jfr_op){JFR_OP_STRING, slot, JFR_PLAIN, 0, JFR_NO_FIELD, cls});
    } else if (kind == JFR_COMPOSITE) {
        code = enter(&k, cls, JFR_NO_FIELD, JFR_NO_FIELD, 0);
        while (code == TS_OK && !k.impossible && k.depth > 0) {
            open_class *top = &k.open[k.depth - 1];
            const jfr_class *c = jfr_class_at(m, top->cls);
            code = top->next < c->count ? add_field_op(&k, c->first + top->next++) : leave(&k);
        }
    } else {
        k.impossible = true;
    }
    if (code != TS_OK || k.impossible) {
        plans->ops.n = k.first;
        return code;
    }
    TS_NEED(ctx, plan = ts_vec_add(ctx, &plans->plans, sizeof *plan));
    *plan = (jfr_plan){
        .cls = cls, .first = k.first, .count = op_count(&k), .slots = k.slots, .wishes = wishes};
    *number = (uint32_t)plans->plans.n - 1;
    return jfr_plan_steps(ctx, plans, plan);
}

void jfr_plans_free(ts_ctx *ctx, jfr_plans *plans)
{
    ts_vec_free(ctx, &plans->ops);
    ts_vec_free(ctx, &plans->steps);
    ts_vec_free(ctx, &plans->plans);
}
