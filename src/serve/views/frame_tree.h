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

/* --- where a tree begins (frame_root.c) ------------------------------------------------------- */

/* What a request names: a call path, or the id of a node and of the leaf of a reversed path. */
typedef struct ts_frame_root {
    ts_view_call *call;
    const ts_view_value *root, *leaf;
    const ts_paths *paths;
    const uint64_t *keys;  /* of methods (model/path_ids.h) */
    const uint8_t *hidden; /* as in ts_inverted_of */
} ts_frame_root;

/* The place of an id that a parameter gives; TS_NO_INDEX when it was not given. TS_ERR_USAGE when
 * there is none, as of the others. */
ts_code ts_frame_place(uint32_t *out, ts_view_call *call, const ts_view_value *v, const ts_ids *ids,
                       const char *what);
/* The node of a tree that has path_id. map: the node of each call path, NULL: they are the nodes.
 */
ts_code ts_frame_root_down(uint32_t *out, const ts_frame_root *r, const ts_tree *tree,
                           const uint32_t *map);
/* The call paths at which a reversed path ends and begins, and the id of what is before its end. */
ts_code ts_frame_root_up(uint32_t *root, uint32_t *leaf, uint64_t *above, const ts_frame_root *r);

/* --- writing (frame_tree_write.c) ------------------------------------------------------------- */

/* Writes members "total", "count", "id" ... "rest" of the open object. */
ts_code ts_tree_write(ts_view_call *call, const ts_tree *t, const ts_shown_tree *s,
                      ts_method_list *methods);

#endif
