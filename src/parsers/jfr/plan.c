/* Plans are made from the metadata; plan_run.c makes and runs their steps. */
#include "parsers/jfr/plan.h"

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
    ts_code code;
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
    code = add_op(k, (jfr_op){JFR_OP_CLOSE, JFR_NO_SLOT, JFR_PLAIN, 0, JFR_NO_FIELD, 0});
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
    uint8_t kind;
    ts_code code = TS_OK;
    if (f->cls == JFR_NO_CLASS) {
        k->impossible = true;
        return TS_OK;
    }
    push_path(k, f->name);
    kind = jfr_class_at(k->m, f->cls)->kind;
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
