/*
 * Profiles by method, so that two can be compared: methods are one by texts, since ids of two
 * databases differ.
 *
 * Memory: 21 bytes a call path, 28 a method.
 */
#ifndef TS_MODEL_COMPARE_METHODS_H
#define TS_MODEL_COMPARE_METHODS_H

#include "model/call_stacks.h"

/* What tells frames apart whose methods are compared. */
enum { TS_COMPARED_FRAMES = TS_FRAME_FILE | TS_FRAME_NAMELESS_LINE | TS_FRAME_SEEN_LINE };

/* Texts are borrowed for the call. */
typedef struct ts_method_sum {
    ts_text name;  /* package.class.name; of one without a name with its line */
    ts_text file;  /* p NULL: not recorded */
    int64_t self;  /* of the weight that the profile chose */
    int64_t total; /* with all that it called; recursion counts once */
    int64_t line;  /* where it begins, the least of several; 0: not recorded */
} ts_method_sum;

typedef ts_code (*ts_method_visit)(void *user, const ts_method_sum *sum);

/* Visits the methods that have a weight, themselves or in what they called. */
ts_code ts_methods_each(const ts_calls *p, const ts_frames *frames, ts_method_visit visit,
                        void *user);

/* What a weight is compared as: the name of its class or, of what has none, its own. */
ts_text ts_weight_label(const ts_weight *w);

/* TS_ERR_USAGE: the weights that both chose are not of one class and unit. */
ts_code ts_weights_comparable(ts_ctx *ctx, const ts_weight *before, const ts_weight *after);

#endif
