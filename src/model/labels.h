/* Labels of samples, as they are typed. */
#ifndef TS_MODEL_LABELS_H
#define TS_MODEL_LABELS_H

#include "base/vec.h"
#include "model/model.h"

/*
 * Whether samples have a label, bool by id: KEY=VALUE or a glob of that, such as worker=w*
 * (stack_sample_label), or KEY with any value. TS_ERR_USAGE, with the nearest labels, when no
 * sample has one. Caller frees with ts_vec_free, also after an error.
 */
ts_code ts_labels_find(ts_vec *samples, ts_model *m, ts_text label);

#endif
