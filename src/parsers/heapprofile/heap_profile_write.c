/* The end of a heap profile: its nodes and samples as rows, and what is wrong with them. */
#include "parsers/heapprofile/heap_profile.h"
#include "parsers/shared/notes.h"

#include <inttypes.h>

static heap_profile_node *node_at(const heap_profile *p, size_t i)
{
    return (heap_profile_node *)p->nodes.p + i;
}

/* --- nodes ---------------------------------------------------------------------------------- */

/* Only the innermost open node may have no row yet, and it has none when its frame was cut. */
static ts_code end_open_nodes(heap_profile *p)
{
    const heap_profile_frame *open;
    heap_profile_node *node;
    if (p->open.n == 0) {
        return TS_OK;
    }
    open = (const heap_profile_frame *)p->open.p + p->open.n - 1;
    node = node_at(p, open->index);
    if (node->v8.stack_node != 0 || open->method == 0) {
        return TS_OK;
    }
    return heap_profile_put(p, open, node);
}

/*
 * V8 scales a node's count of each size of object as a whole, and those of its samples one by one:
 * rounding makes the node's own size up to half as large again as their sum. Samples that were
 * taken while the profile was written make the sum larger by any amount.
 */
static bool sizes_agree(const heap_profile *p, const heap_profile_node *node)
{
    uint64_t sum = 0;
    uint32_t both = TS_V8_ID | HAS_SIZE;
    if (!p->head_closed || !p->samples_closed || (node->v8.has & both) != both) {
        return true;
    }
    (void)ts_idmap_find(&sum, &p->sampled, node->v8.id);
    return (uint64_t)node->self_size / 2 <= sum && (sum > 0 || node->self_size == 0);
}

static ts_code put_node_row(heap_profile *p, const heap_profile_node *node)
{
    ts_row_heap_profile_node row = {
        .source_id = p->source_id,
        .node_id = node->v8.stack_node,
        .id = node->v8.id,
        .script_id = node->v8.script,
        .line_number = node->v8.line,
        .column_number = node->v8.column,
        .self_size = node->self_size,
    };
    TS_NULL_IF((node->v8.has & TS_V8_ID) == 0, heap_profile_node, &row, id);
    TS_NULL_IF((node->v8.has & TS_V8_SCRIPT) == 0, heap_profile_node, &row, script_id);
    TS_NULL_IF((node->v8.has & TS_V8_LINE) == 0, heap_profile_node, &row, line_number);
    TS_NULL_IF((node->v8.has & TS_V8_COLUMN) == 0, heap_profile_node, &row, column_number);
    TS_NULL_IF((node->v8.has & HAS_SIZE) == 0 || !sizes_agree(p, node), heap_profile_node, &row,
               self_size);
    return ts_put_heap_profile_node(p->sink, &row);
}

static ts_code put_nodes(heap_profile *p)
{
    uint64_t before = ts_sink_rows(p->sink, TS_T_heap_profile_node);
    ts_code code = end_open_nodes(p);
    for (size_t i = 0; i < p->nodes.n && code == TS_OK; i++) {
        const heap_profile_node *node = node_at(p, i);
        code = node->v8.stack_node == 0 ? TS_OK : put_node_row(p, node);
        if (code == TS_OK && !sizes_agree(p, node)) {
            code = ts_issue(p->job->store, p->source_id, TS_ISSUE_heap_profile_size_mismatch,
                            p->name, TS_NO_OFFSET,
                            "selfSize of node %" PRId64 " is more than its samples allow",
                            node->v8.id);
        }
    }
    if (code != TS_OK) {
        return code;
    }
    before = ts_sink_rows(p->sink, TS_T_heap_profile_node) - before;
    return ts_count_add(p->job->store, p->source_id, TS_ITEM_heap_profile_nodes, NULL, before,
                        p->nodes_seen - before, 0);
}

/* --- samples -------------------------------------------------------------------------------- */

static ts_code put_value(heap_profile *p, int64_t *type, int64_t sample, int64_t size)
{
    ts_row_stack_sample_value row = {.sample_id = sample, .value = size};
    if (*type == 0) {
        ts_row_stack_value_type value_type = {
            .id = (int64_t)ts_sink_rows(p->sink, TS_T_stack_value_type) + 1,
            .source_id = p->source_id,
            .name = TS_TEXT_LIT("alloc_space"),
            .unit = TS_TEXT_LIT("bytes"),
        };
        TS_TRY(ts_put_stack_value_type(p->sink, &value_type));
        *type = value_type.id;
    }
    row.value_type_id = *type;
    return ts_put_stack_sample_value(p->sink, &row);
}

/* node: NULL when the one that is named is not there. */
static ts_code put_stack_sample(heap_profile *p, int64_t *id, const heap_profile_node *node)
{
    ts_row_stack_sample row = {
        .id = (int64_t)ts_sink_rows(p->sink, TS_T_stack_sample) + 1,
        .source_id = p->source_id,
        .node_id = node == NULL ? 0 : node->v8.stack_node,
        .event = TS_TEXT_LIT("alloc"),
    };
    *id = row.id;
    TS_SET_NULL(stack_sample, &row, itid);
    TS_SET_NULL(stack_sample, &row, ts);
    TS_SET_NULL(stack_sample, &row, dur);
    TS_NULL_IF(row.node_id == 0, stack_sample, &row, node_id);
    return ts_put_stack_sample(p->sink, &row);
}

/*
 * Samples that are taken while V8 writes the profile may be of call paths that its tree, written
 * before, does not have yet: the last samples, with the largest node ids.
 */
static ts_code check_node(heap_profile *p, const heap_profile_sample *s, bool found)
{
    uint64_t late = p->late;
    if (!found && (s->has & TS_V8_ID) != 0 && s->node > p->max_id) {
        p->late++;
        return TS_OK;
    }
    if (found && late == 0) {
        return TS_OK;
    }
    p->late = 0;
    return ts_issue_n(p->job->store, p->source_id, TS_ISSUE_heap_profile_unknown_node, p->name,
                      TS_NO_OFFSET, late + (found ? 0 : 1),
                      "samples name nodes that are not there");
}

static ts_code put_sample(heap_profile *p, int64_t *type, const heap_profile_sample *s)
{
    const heap_profile_node *node = NULL;
    ts_row_heap_profile_sample row = {.ordinal = s->ordinal};
    uint64_t index;
    ts_code code;
    if ((s->has & TS_V8_ID) != 0 && ts_idmap_find(&index, &p->by_id, s->node)) {
        node = node_at(p, (size_t)index);
    }
    TS_TRY_INTO(code, check_node(p, s, node != NULL && node->v8.stack_node != 0));
    TS_NULL_IF((s->has & HAS_ORDINAL) == 0, heap_profile_sample, &row, ordinal);
    code = put_stack_sample(p, &row.sample_id, node);
    TS_STEP_IF(code, (s->has & HAS_SIZE) != 0 && (node == NULL || sizes_agree(p, node)),
               put_value(p, type, row.sample_id, s->size));
    TS_STEP(code, ts_put_heap_profile_sample(p->sink, &row));
    return code;
}

static ts_code put_samples(heap_profile *p, int64_t *type)
{
    const void *record = NULL;
    ts_code code = ts_sorter_finish(p->samples);
    while (code == TS_OK && (code = ts_sorter_next(&record, p->samples)) == TS_OK &&
           record != NULL) {
        code = put_sample(p, type, record);
    }
    return code;
}

/* Without the list of samples what each node allocated is one of them. */
static ts_code put_node_sizes(heap_profile *p, int64_t *type)
{
    ts_code code = TS_OK;
    for (size_t i = 0; i < p->nodes.n && code == TS_OK; i++) {
        const heap_profile_node *node = node_at(p, i);
        int64_t id;
        if (node->v8.stack_node == 0 || (node->v8.has & HAS_SIZE) == 0 || node->self_size == 0) {
            continue;
        }
        code = put_stack_sample(p, &id, node);
        TS_STEP(code, put_value(p, type, id, node->self_size));
    }
    return code;
}

static ts_code put_all_samples(heap_profile *p)
{
    uint64_t before = ts_sink_rows(p->sink, TS_T_heap_profile_sample);
    uint64_t stacks = ts_sink_rows(p->sink, TS_T_stack_sample);
    int64_t type = 0;
    ts_code code = p->samples_closed ? put_samples(p, &type) : put_node_sizes(p, &type);
    before = ts_sink_rows(p->sink, TS_T_heap_profile_sample) - before;
    if (code != TS_OK ||
        (code = ts_count_add(p->job->store, p->source_id, TS_ITEM_heap_profile_samples, NULL,
                             before, p->samples_seen - before, 0)) != TS_OK) {
        return code;
    }
    return ts_count_add(p->job->store, p->source_id, TS_ITEM_profile_samples, NULL,
                        ts_sink_rows(p->sink, TS_T_stack_sample) - stacks, 0, 0);
}

/* --- the whole ------------------------------------------------------------------------------ */

static ts_code record_issues(heap_profile *p, const char *reason)
{
    const ts_note notes[] = {
        {TS_ISSUE_heap_profile_incomplete, p->done ? 0 : 1,
         reason != NULL ? reason : "the profile is cut off"},
        {TS_ISSUE_heap_profile_no_head, p->done && !p->has_head ? 1 : 0, "head is missing"},
        {TS_ISSUE_heap_profile_no_samples, p->done && !p->has_samples ? 1 : 0,
         "samples is missing; each node with a selfSize has one sample"},
        {TS_ISSUE_heap_profile_late_samples, p->late,
         "samples were taken while the profile was written; their nodes are not in it"},
        {TS_ISSUE_heap_profile_field_missing,
         p->fields_missing + (p->by_id.count == 0 ? 0 : p->no_id),
         "nodes, frames or samples lack a member"},
        {TS_ISSUE_heap_profile_bad_number, p->bad_numbers,
         "values that should be integers in their range and are not"},
        {TS_ISSUE_heap_profile_text_cut, p->texts_cut, "texts longer than 1 MiB were cut"},
        {TS_ISSUE_heap_profile_bad_text, ts_json_replaced(p->json),
         "parts of texts that are not valid text became U+FFFD"},
    };
    return ts_notes_put(p->job->store, p->source_id, p->name, TS_NO_OFFSET, notes,
                        sizeof notes / sizeof notes[0]);
}

ts_code heap_profile_write(heap_profile *p, const char *reason)
{
    ts_row_source *source = ts_source(p->job->store, p->source_id);
    ts_code code = put_nodes(p);
    source->complete = p->done;
    TS_STEP(code, put_all_samples(p));
    TS_STEP(code, record_issues(p, reason));
    ts_stack_release(p->job->store, p->source_id);
    return code;
}
