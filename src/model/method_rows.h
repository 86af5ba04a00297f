/* What the answers of hot_methods and alloc_hot_methods share: methods by what they weigh. */
#ifndef TS_MODEL_METHOD_ROWS_H
#define TS_MODEL_METHOD_ROWS_H

#include "model/answer_rows.h"
#include "model/call_stacks.h"
#include "model/stack_methods.h"

/* Of a method that is shown. */
typedef struct ts_method_name {
    bool shown;
    uint32_t label, file; /* in `texts` + 1; 0: not recorded */
    int64_t source_id;    /* INT64_MIN: not recorded */
    int64_t own_line;     /* where the first of those that are one begins; INT64_MAX: no line */
    int64_t line,
        to_line; /* the least and the last of those that are one; INT64_MAX: none has one */
} ts_method_name;

typedef struct ts_method_rows {
    ts_model *m;
    ts_ctx *ctx;
    ts_calls calls;
    const uint32_t *one;
    ts_method_sums sums;
    uint8_t *weighed; /* by call path: it has a weight, or is on the way to one */
    ts_vec found;     /* uint64_t: place of a method, and source, of such call paths */
    bool by_first;    /* of equal methods the one of the first source comes first */
    uint32_t *places; /* of methods, as they are shown */
    uint32_t n;
    ts_method_name *names; /* by place of a method */
    ts_pool texts;
    ts_wide all;
    bool nothing; /* no weight is called so: no rows, as in SQL */
} ts_method_rows;

/* The parameters source, thread, from, to and label, and what is asked; *r is zeroed but for m and
 * ctx. Then what has no weight above zero is left out, and r->weighed is known. */
ts_code ts_method_rows_ask(ts_method_rows *r, const ts_param *params, size_t count,
                           const ts_weigh_asked *asked);

/* The parameters source, thread and by; weight: NULL for the default. Free with
 * ts_method_rows_free, also after an error. */
ts_code ts_method_rows_weigh(ts_method_rows *r, const ts_param *params, size_t count,
                             const char *weight);
/* r->one, by the parameter by. */
ts_code ts_method_rows_merge(ts_method_rows *r, const ts_param *params, size_t count);
void ts_method_rows_free(ts_method_rows *r);
static inline const ts_weight *ts_method_rows_weight(const ts_method_rows *r)
{
    return &r->calls.weights[r->calls.chosen];
}

/* The sums of methods, and the sources of their call paths. */
ts_code ts_method_rows_add(ts_method_rows *r);
/* How many sources a method is in; *first: the least of them. */
int64_t ts_method_rows_sources(int64_t *first, const ts_method_rows *r, uint32_t method);

/* The methods that are shown, the heaviest first: those that `wants` wants, as many as the
 * parameter limit says. */
ts_code ts_method_rows_choose(ts_method_rows *r, const ts_param *params, size_t count,
                              bool (*wants)(const ts_method_rows *r, uint32_t method));
/* Their names. */
ts_code ts_method_rows_names(ts_method_rows *r);

static inline ts_text ts_method_rows_text(const ts_method_rows *r, uint32_t text)
{
    return text == 0 ? TS_TEXT_NULL : ts_pool_text(&r->texts, text - 1);
}

#endif
