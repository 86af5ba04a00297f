/*
 * Questions that the model answers itself: the first comment of their file has the part
 *
 *     -- Model:      spent
 *
 * with the name of the answer. The statement in the file is for other programs, and says the same
 * as far as SQL can.
 */
#ifndef TS_MODEL_ANSWERS_H
#define TS_MODEL_ANSWERS_H

#include "model/model.h"
#include "tables/database.h"

/* The rows of the answer, with the parameters as they were typed. TS_ERR_USAGE for what they name
 * and does not exist. */
typedef ts_code ts_answer(ts_model *m, const ts_param *params, size_t count,
                          const ts_rows_visitor *visitor);

/* NULL: there is no answer of this name, or not with these parameters: the statement answers. */
ts_answer *ts_answer_find(ts_text name, const ts_param *params, size_t count);

ts_answer ts_answer_spent;
ts_answer ts_answer_methods;
ts_answer ts_answer_allocations;
ts_answer ts_answer_flame;
ts_answer ts_answer_folded;
ts_answer ts_answer_thread_folded;
ts_answer ts_answer_timeline;
ts_answer ts_answer_cpu_methods;
ts_answer ts_answer_sched_latency;
ts_answer ts_answer_cpu_busy;
ts_answer ts_answer_cpu_waits;
ts_answer ts_answer_waiting;
ts_answer ts_answer_process_usage;

#endif
