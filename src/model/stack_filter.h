/* Stacks by the frames that they have. */
#ifndef TS_MODEL_STACK_FILTER_H
#define TS_MODEL_STACK_FILTER_H

#include "model/call_paths.h"
#include "model/call_stacks.h"

/* Patterns (model/pattern.h) for what methods are called, or where they are: "file:line". */
typedef struct ts_frame_filter {
    ts_text only;   /* stacks with such a frame */
    ts_text ignore; /* stacks without such a frame */
    ts_text hide;   /* such frames are not shown */
    bool demangle;  /* names of C++ and Rust are as they are written */
} ts_frame_filter;

/*
 * Sets the weights of the call paths that do not pass to 0. *hidden: for each method whether its
 * frames are hidden, NULL when none are; caller frees it. TS_ERR_USAGE for a pattern that is none.
 */
ts_code ts_frames_filter(uint8_t **hidden, ts_path_weights *w, ts_model *model,
                         const ts_paths *paths, const ts_frame_filter *filter);

/* The same for who looks at single rows. By the place of a call path + 1; 0: none. */
typedef struct ts_shown_paths {
    uint32_t *visible; /* itself, or its nearest caller that is not hidden; NULL: no patterns */
    bool *passes;
} ts_shown_paths;

/* Caller frees both, also after an error. */
ts_code ts_frames_shown(ts_shown_paths *out, ts_model *model, const ts_paths *paths,
                        const ts_frame_filter *filter);

#endif
