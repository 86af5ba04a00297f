/* Trees and methods in replies. */
#ifndef TS_SERVE_FRAME_TREE_H
#define TS_SERVE_FRAME_TREE_H

#include "model/stack_tree.h"
#include "serve/views/views_private.h"

/* Numbers of the methods in a reply, in the order in which they are first asked for. */
typedef struct ts_method_list {
    uint32_t *number; /* per method; TS_NO_INDEX */
    ts_vec methods;   /* uint32_t: places */
    bool demangle;    /* names of C++ and Rust are as they are written */
} ts_method_list;

ts_code ts_method_list_begin(ts_method_list *l, ts_ctx *ctx, const ts_paths *paths);
void ts_method_list_free(ts_ctx *ctx, ts_method_list *l);
/* Its number, given when it has none; TS_NO_INDEX for TS_NO_INDEX. */
ts_code ts_method_list_add(uint32_t *number, ts_ctx *ctx, ts_method_list *l, uint32_t method);
/* Writes {"id":[],"name":[],"line":[],"file":[],"package":[],"library":[],"texts":[]}; name is what
 * v_stack_hot_method calls the method; files, packages and libraries are places in `texts`, -1 for
 * none. */
ts_code ts_method_list_write(ts_view_call *call, const char *key, const ts_method_list *l,
                             const ts_paths *paths);

/* Writes members "total", "count", "id" ... "rest" of the open object. */
ts_code ts_tree_write(ts_view_call *call, const ts_tree *t, const ts_shown_tree *s,
                      ts_method_list *methods);

#endif
