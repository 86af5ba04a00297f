/*
 * The trace tree: tuples (id, function_info_index, count, size, children) where children is an
 * array of such tuples. Rows go out parents first, when the children begin. What is kept of a level
 * is its parent's id: the position in the parent's tuple is always that of the children.
 */
#include "parsers/arkts/heap/heap_state.h"

#include "base/alloc.h"

enum { FIRST_NOTED = 4096 };

ts_code heap_tree_note(ts_heap *h, int64_t id, enum heap_noted by)
{
    heap_tree *t = &h->tree;
    if (id <= 0 || id >= HEAP_MAX_NOTED) {
        return TS_OK;
    }
    if ((size_t)id >= t->noted_n) {
        size_t n = (size_t)id < FIRST_NOTED ? FIRST_NOTED : 2 * (size_t)id;
        uint8_t *noted = ts_realloc(h->ctx, t->noted, n, 1);
        TS_NEED(h->ctx, noted);
        memset(noted + t->noted_n, 0, n - t->noted_n);
        t->noted = noted;
        t->noted_n = n;
    }
    t->twice = t->twice || (by == HEAP_NOTED_TUPLE && (t->noted[id] & HEAP_NOTED_TUPLE) != 0);
    t->noted[id] |= (uint8_t)by;
    return TS_OK;
}

bool heap_tree_lacks(const ts_heap *h)
{
    return h->tree.noted != NULL && memchr(h->tree.noted, HEAP_NOTED_NODE, h->tree.noted_n) != NULL;
}

static uint32_t children_position(const heap_fields *fields)
{
    for (uint32_t i = 0; i < MAX_FIELDS && i < fields->stride; i++) {
        if (fields->target[i] == TREE_CHILDREN) {
            return i;
        }
    }
    return UINT32_MAX;
}

static heap_array *tree_of(ts_heap *h)
{
    heap_array *a = &h->arrays[PART_TREE];
    if (a->fields.stride == 0) {
        heap_fields_default(&a->fields, PART_TREE);
    }
    return a;
}

static ts_code bad_tree(ts_heap *h, const char *what)
{
    h->tree.bad++;
    return ts_issue(h->store, h->source_id, TS_ISSUE_heap_bad_trace_tree, h->label, h->offset,
                    "trace_tree: %s", what);
}

static ts_code put_trace_node(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    ts_row_js_heap_trace_node row = {
        .null = heap_null_bits(nulls & ((1U << TREE_CHILDREN) - 1), TS_C_js_heap_trace_node__id),
        .file_id = h->file_id,
        .id = v[0],
        .function_info_index = v[1],
        .count = v[2],
        .size = v[3],
        .parent_id =
            h->tree.parents.n == 0 ? -1 : ts_intvec_get(&h->tree.parents, h->tree.parents.n - 1),
    };
    if ((nulls & 1U << 1) == 0) {
        heap_note_index(&h->tree.function_max, v[1]);
    }
    if ((nulls & 1U) == 0 && heap_tree_note(h, v[0], HEAP_NOTED_TUPLE) != TS_OK) {
        return h->ctx->error.code;
    }
    TS_NULL_IF(row.parent_id == HEAP_NULL, js_heap_trace_node, &row, parent_id);
    return ts_put_js_heap_trace_node(h->sink, &row);
}

/* The scalars of a tuple before its children are there: its row. Fields after the children, which
 * V8 never has, would come too late and are NULL. */
static ts_code put_tuple(ts_heap *h, heap_array *a)
{
    uint32_t nulls = a->nulls | a->fields.missing;
    ts_code code;
    for (uint32_t i = a->at; i < a->fields.stride && i < MAX_FIELDS; i++) {
        int target = a->fields.target[i];
        if (target >= 0 && target != TREE_CHILDREN) {
            nulls |= 1U << target;
            a->bad++;
        }
    }
    if ((nulls & 1U) != 0) {
        a->row[0] = HEAP_NULL;
    }
    code = put_trace_node(h, a->row, nulls);
    a->rows++;
    return code;
}

static void next_tuple(heap_array *a)
{
    a->at = 0;
    a->nulls = 0;
}

ts_code heap_tree_value(ts_heap *h, int64_t v)
{
    heap_array *a = tree_of(h);
    int target = a->at < MAX_FIELDS ? a->fields.target[a->at] : -1;
    ts_code code = TS_OK;
    if (target == TREE_CHILDREN) {
        code = bad_tree(h, "children is not an array");
        TS_STEP(code, put_tuple(h, a));
    } else if (target >= 0) {
        a->row[target] = v;
        if (v == HEAP_NULL) {
            a->nulls |= 1U << target;
            a->bad++;
        }
    }
    if (++a->at == a->fields.stride) {
        TS_STEP_IF(code, children_position(&a->fields) == UINT32_MAX, put_tuple(h, a));
        next_tuple(a);
    }
    return code;
}

ts_code heap_tree_begin(ts_heap *h)
{
    heap_array *a = tree_of(h);
    ts_code code;
    if (a->at != children_position(&a->fields)) {
        /* An array where a number should be: its elements become children of the tuple as it is. */
        TS_TRY_INTO(code, bad_tree(h, "an array is in the place of a number"));
    }
    if (h->tree.parents.n >= h->ctx->limits.json_depth) {
        return bad_tree(h, "deeper than the limit");
    }
    code = put_tuple(h, a);
    TS_STEP(code, ts_intvec_push(h->ctx, &h->tree.parents, a->row[0]));
    next_tuple(a);
    return code;
}

ts_code heap_tree_end(ts_heap *h)
{
    heap_array *a = tree_of(h);
    uint32_t children = children_position(&a->fields);
    ts_code code = TS_OK;
    if (a->at != 0) {
        code = ts_issue(h->store, h->source_id, TS_ISSUE_heap_partial_row, h->label, h->offset,
                        "trace_tree: an array ends inside a tuple");
        a->partial++;
    }
    if (h->tree.parents.n > 0) {
        ts_intvec_truncate(h->ctx, &h->tree.parents, h->tree.parents.n - 1);
    }
    next_tuple(a);
    if (children != UINT32_MAX && children + 1 < a->fields.stride) {
        a->at = children + 1;
    }
    return code;
}
