/* The end of a snapshot: what its numbers say about it, its counts, and its js_heap_files row. */
#include "parsers/arkts/arkts_run.h"
#include "parsers/arkts/heap/heap_state.h"
#include "parsers/shared/notes.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>

static ts_code note_snapshot(ts_heap *h, ts_issue_code issue, uint64_t count, const char *text)
{
    return count == 0 ? TS_OK
                      : ts_issue_n(h->store, h->source_id, issue, h->label, TS_NO_OFFSET, count,
                                   "%s", text);
}

/* What the snapshot declares and does not hold is lost. */
static uint64_t missing_of(const ts_heap *h, enum heap_part part)
{
    static const int counts[PART_INTS] = {[PART_NODES] = 1, [PART_EDGES] = 2, [PART_FUNCTIONS] = 3};
    const heap_array *a = &h->arrays[part];
    int i = counts[part] - 1;
    uint64_t missing = 0;
    if (i >= 0 && h->meta.has_count[i] && h->meta.count[i] > 0 &&
        (uint64_t)h->meta.count[i] > a->rows) {
        missing = (uint64_t)h->meta.count[i] - a->rows;
    }
    return missing > a->partial ? missing : a->partial;
}

static ts_code tally_of(ts_heap *h, ts_item item, uint64_t imported, uint64_t lost)
{
    return ts_count_add(h->store, h->source_id, item, NULL, imported, lost, 0);
}

/* The values of fields without a column: those of the first few fields apart. */
static ts_code count_extra_fields(ts_heap *h)
{
    const heap_meta *meta = &h->meta;
    uint64_t values = 0;
    for (unsigned i = 0; i < meta->extras; i++) {
        meta->extra[i]->seen += h->arrays[meta->extra_part[i]].rows;
        meta->extra[i]->skipped += h->arrays[meta->extra_part[i]].rows;
    }
    for (int i = 0; i < PART_INTS; i++) {
        values += meta->further[i] * h->arrays[i].rows; /* no more than the array has values */
    }
    return values == 0
               ? TS_OK
               : ts_count_add(h->store, h->source_id, TS_ITEM_extra_fields, NULL, 0, 0, values);
}

static ts_code count_items(ts_heap *h)
{
    static const ts_item items[PART_INTS] = {TS_ITEM_nodes,           TS_ITEM_edges,
                                             TS_ITEM_locations,       TS_ITEM_heap_samples,
                                             TS_ITEM_trace_functions, TS_ITEM_trace_nodes};
    uint64_t lost = 0;
    ts_code code = TS_OK;
    for (int i = 0; i < PART_INTS && code == TS_OK; i++) {
        uint64_t missing = missing_of(h, (enum heap_part)i);
        lost |= missing;
        code = tally_of(h, items[i], h->arrays[i].rows, missing);
    }
    TS_STEP(code, count_extra_fields(h));
    TS_STEP(code, tally_of(h, TS_ITEM_strings, h->strings.count, 0));
    h->damage.lost = lost;
    return code;
}

static ts_code check_heap_numbers(ts_heap *h)
{
    ts_code code = TS_OK;
    for (int i = 0; i < PART_INTS && code == TS_OK; i++) {
        char text[96];
        snprintf(text, sizeof text, "%s: an element is not an integer; its cell is NULL",
                 heap_part_name((enum heap_part)i));
        code = note_snapshot(h, TS_ISSUE_heap_bad_number, h->arrays[i].bad, text);
    }
    TS_STEP(code, note_snapshot(h, TS_ISSUE_heap_size_overflow, h->nodes.self_size_overflow ? 1 : 0,
                                "the sum of self_size does not fit into 64 bits"));
    return code;
}

/* Arrays whose rows were made without a description of their fields. */
static ts_code check_described(ts_heap *h)
{
    uint64_t n = 0;
    for (int i = 0; i < PART_INTS; i++) {
        n += h->arrays[i].rows > 0 && !h->arrays[i].described ? 1 : 0;
    }
    return note_snapshot(
        h, TS_ISSUE_heap_missing_meta, n,
        "arrays whose fields the snapshot does not describe; the usual order was assumed");
}

/* There are more than the snapshot announces: so many are declared then. */
static ts_code note_more(ts_heap *h, const char *name, int64_t count, uint64_t rows, ts_item item)
{
    ts_tally *tally;
    TS_TRY(ts_count(&tally, h->store, h->source_id, item, NULL));
    tally->declared = rows;
    return ts_issue(h->store, h->source_id, TS_ISSUE_heap_count_exceeded, h->label, TS_NO_OFFSET,
                    "%s is %" PRId64 "; there are %" PRIu64 ", and all are whole", name, count,
                    rows);
}

static ts_code check_counts(ts_heap *h)
{
    static const enum heap_part parts[3] = {PART_NODES, PART_EDGES, PART_FUNCTIONS};
    static const ts_item items[3] = {TS_ITEM_nodes, TS_ITEM_edges, TS_ITEM_trace_functions};
    static const char *const names[3] = {"node_count", "edge_count", "trace_function_count"};
    ts_code code = TS_OK;
    for (int i = 0; i < 3 && code == TS_OK && h->done; i++) {
        uint64_t rows = h->arrays[parts[i]].rows;
        int64_t count = h->meta.count[i];
        if (heap_exceeds(h, parts[i])) {
            code = note_more(h, names[i], count, rows, items[i]);
        } else if (h->meta.has_count[i] && (count < 0 || (uint64_t)count != rows)) {
            code = ts_issue(h->store, h->source_id, TS_ISSUE_heap_count_mismatch, h->label,
                            TS_NO_OFFSET, "%s is %" PRId64 " but there are %" PRIu64, names[i],
                            count, rows);
        }
    }
    return code;
}

static ts_code check_edges(ts_heap *h)
{
    uint64_t edges = h->arrays[PART_EDGES].rows;
    ts_code code =
        note_snapshot(h, TS_ISSUE_heap_bad_edge_count, h->nodes.bad_edge_counts,
                      "a node's edge_count is not a count; the edges after it have no known owner");
    if (code == TS_OK && h->done && edges != h->nodes.edge_count_sum) {
        code = ts_issue(
            h->store, h->source_id, TS_ISSUE_heap_edge_count_mismatch, h->label, TS_NO_OFFSET,
            "the nodes' edge_count add up to %" PRIu64 " but there are %" PRIu64 " edges",
            h->nodes.edge_count_sum, edges);
    }
    TS_STEP(code, note_snapshot(h, TS_ISSUE_heap_edge_no_owner, h->edges.unowned,
                                "edges whose owner is not known: from_node_id is NULL"));
    TS_STEP(code, note_snapshot(h, TS_ISSUE_heap_edge_bad_target, h->edges.bad_target,
                                "edges whose to_node is not a node: to_node_id is NULL"));
    return code;
}

static ts_code check_strings(ts_heap *h)
{
    int64_t strings = (int64_t)h->strings.count;
    bool all = h->strings.state == PART_CLOSED;
    const ts_note notes[] = {
        {TS_ISSUE_heap_bad_string, h->strings.replaced,
         "parts of strings that are not valid text became U+FFFD"},
        {TS_ISSUE_heap_string_not_text, h->strings.not_text,
         "elements of strings that are not texts: the row is NULL"},
        {TS_ISSUE_heap_string_too_long, h->strings.cut, "strings longer than the limit were cut"},
        {TS_ISSUE_heap_bad_node_name, all && h->nodes.name_max >= strings ? 1 : 0,
         "a node's name lies outside the strings"},
        {TS_ISSUE_heap_edge_bad_name, all && h->edges.name_max >= strings ? 1 : 0,
         "an edge's name lies outside the strings"},
    };
    return ts_notes_put(h->store, h->source_id, h->label, TS_NO_OFFSET, notes,
                        sizeof notes / sizeof notes[0]);
}

static ts_code check_arrays(ts_heap *h)
{
    ts_code code = TS_OK;
    if (!h->done || h->damaged) {
        return TS_OK;
    }
    for (int i = 0; i < 2 && code == TS_OK; i++) {
        if (h->arrays[i].state == PART_ABSENT) {
            code =
                ts_issue(h->store, h->source_id, TS_ISSUE_heap_missing_array, h->label,
                         TS_NO_OFFSET, "the snapshot has no %s", heap_part_name((enum heap_part)i));
        }
    }
    TS_STEP_IF(code, h->strings.state == PART_ABSENT,
               ts_issue(h->store, h->source_id, TS_ISSUE_heap_missing_array, h->label, TS_NO_OFFSET,
                        "the snapshot has no strings"));
    if (code == TS_OK) {
        bool bad = h->tree.function_max >= (int64_t)h->arrays[PART_FUNCTIONS].rows;
        code = note_snapshot(h, TS_ISSUE_heap_bad_function_index, bad ? 1 : 0,
                             "a node of the trace tree refers to a function that is not there");
    }
    TS_STEP(code, note_snapshot(
                      h, TS_ISSUE_heap_samples_disordered, h->rows.samples_disordered ? 1 : 0,
                      "a sample's time or last assigned id is less than that of the one before"));
    return code;
}

static ts_code check_ids(ts_heap *h)
{
    return note_snapshot(h, TS_ISSUE_heap_duplicate_node_id, h->damage.duplicates,
                         "nodes with an id that a node before them has");
}

ts_code heap_check(ts_heap *h)
{
    static ts_code (*const checks[])(ts_heap *) = {
        check_ids,   check_described, check_heap_numbers, check_counts,
        check_edges, check_strings,   check_arrays,       count_items,
    };
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof checks / sizeof checks[0] && code == TS_OK; i++) {
        code = checks[i](h);
    }
    return code;
}

/* --- rows ---------------------------------------------------------------------------------- */

/* Rowid of the first row that this snapshot put into a table, or false when it put none. */
static bool first_row(int64_t *out, const ts_heap *h, enum ts_table_id table)
{
    *out = (int64_t)h->first[table] + 1;
    return ts_sink_rows(h->sink, table) > h->first[table];
}

#define FIRST_ROW(column, table)                                                                   \
    TS_NULL_IF(!first_row(&row.column, h, TS_T_##table), js_heap_file_detail, &row, column)

static ts_code put_detail(ts_heap *h, bool complete)
{
    ts_row_js_heap_file_detail row = {
        .file_id = h->file_id,
        .source_id = h->source_id,
        .node_stride = h->arrays[PART_NODES].fields.stride,
        .node_type_count = h->meta.types[0].names,
        .edge_type_count = h->meta.types[1].names,
        .node_count = (int64_t)h->arrays[PART_NODES].rows,
        .edge_count = (int64_t)h->arrays[PART_EDGES].rows,
        .string_count = (int64_t)h->strings.count,
        .complete = complete,
    };
    TS_NULL_IF(row.node_stride == 0, js_heap_file_detail, &row, node_stride);
    FIRST_ROW(first_info_rowid, js_heap_info);
    row.first_info_rowid += h->meta.types[0].names_at;
    FIRST_ROW(first_edge_type_rowid, js_heap_info);
    row.first_edge_type_rowid += h->meta.types[0].count + h->meta.types[1].names_at;
    FIRST_ROW(first_node_rowid, js_heap_nodes);
    FIRST_ROW(first_edge_rowid, js_heap_edges);
    FIRST_ROW(first_class_rowid, js_heap_class);
    row.class_count =
        (int64_t)(ts_sink_rows(h->sink, TS_T_js_heap_class) - h->first[TS_T_js_heap_class]);
    FIRST_ROW(first_edge_block_id, js_heap_edge_block);
    FIRST_ROW(first_string_rowid, js_heap_string);
    FIRST_ROW(first_sample_rowid, js_heap_sample);
    FIRST_ROW(first_location_rowid, js_heap_location);
    FIRST_ROW(first_trace_function_rowid, js_heap_trace_function_info);
    FIRST_ROW(first_trace_node_rowid, js_heap_trace_node);
    row.edge_block_count = (int64_t)(ts_sink_rows(h->sink, TS_T_js_heap_edge_block) -
                                     h->first[TS_T_js_heap_edge_block]);
    return ts_put_js_heap_file_detail(h->sink, &row);
}

static ts_code describe_snapshot(ts_heap *h, const ts_heap_end *end, const char *name,
                                 bool complete)
{
    ts_row_source *source = ts_source(h->store, h->source_id);
    source->bytes = (int64_t)h->fed;
    source->complete = complete;
    if (end->has_start) {
        TS_SET_VALUE(source, source, start_ts, end->start_ts);
    }
    if (end->has_end) {
        TS_SET_VALUE(source, source, end_ts, end->end_ts);
    }
    if (end->timeline) {
        TS_TRY(ts_source_text(h->store, h->source_id, &source->kind, "timeline", 8));
    }
    if (end->clock != TS_CLOCK_UNKNOWN) {
        const char *clock = ts_clock_name(end->clock);
        TS_TRY(ts_source_text(h->store, h->source_id, &source->clock, clock, strlen(clock)));
    }
    return ts_source_text(h->store, h->source_id, &source->name, name, strlen(name));
}

static ts_code record_cut(ts_heap *h, const ts_heap_end *end)
{
    if (!h->done && !h->damaged) {
        return ts_issue(h->store, h->source_id, TS_ISSUE_snapshot_incomplete, h->label, h->offset,
                        "the JSON ends after %" PRIu64 " bytes, before it is complete", h->fed);
    }
    if (h->done && !end->marked) {
        return ts_issue(h->store, h->source_id, TS_ISSUE_snapshot_no_end_mark, h->label, h->offset,
                        "no end mark follows; %s",
                        end->has_end ? "its last chunk's time is taken for the end"
                                     : "the end time is not known");
    }
    return TS_OK;
}

/* The classes of nodes that are not certain are left out. */
static ts_code write_classes(ts_heap *h)
{
    const heap_trust *nodes = &h->trust[PART_NODES];
    return nodes->damaged && !nodes->keeps_cells ? TS_OK : heap_classes_write(h);
}

/* Values that are not known. What was said to be lost and is neither a row nor one of these counts
 * as one value each. */
static ts_code count_unknown(ts_heap *h)
{
    if (h->damage.unknown == 0 && h->damage.lost == 0) {
        h->damage.unknown = ts_issue_total(h->store, TS_DATA_LOSS) - h->damage.issues_before;
    }
    return h->damage.unknown == 0 ? TS_OK : tally_of(h, TS_ITEM_heap_values, 0, h->damage.unknown);
}

static ts_code put_file_rows(ts_heap *h, const ts_heap_end *end, const ts_row_js_heap_files *row,
                             bool whole)
{
    ts_code code = record_cut(h, end);
    TS_STEP(code, write_classes(h));
    TS_STEP(code, ts_put_js_heap_files(h->sink, row));
    TS_STEP(code, put_detail(h, whole));
    return code != TS_OK ? code : ts_stat(h->store, "trace_js_memory", "received", 1);
}

ts_code heap_put_file(ts_heap *h, const ts_heap_end *end)
{
    bool whole = h->done && !h->damaged && end->marked && !h->damage.contradicted && !end->doubted;
    char name[64];
    ts_row_js_heap_files row = {
        .id = h->file_id,
        .start_time = end->start_ts,
        .end_time = end->end_ts,
        .self_size = h->nodes.self_size,
    };
    ts_code code;
    if (end->placed) {
        row.start_time = end->place;
        row.end_time =
            ts_sat_add(end->place, end->end_ts > TS_BARE_WIDTH ? end->end_ts : TS_BARE_WIDTH);
    }
    if (end->timeline) {
        snprintf(name, sizeof name, "Timeline%s", whole ? "" : " (incomplete)");
    } else {
        snprintf(name, sizeof name, "Snapshot%" PRId64 "%s", h->file_id,
                 whole ? "" : " (incomplete)");
    }
    row.file_name = ts_text_of(name);
    TS_NULL_IF(h->nodes.self_size_overflow, js_heap_files, &row, self_size);
    TS_NULL_IF(!end->has_start, js_heap_files, &row, start_time);
    TS_NULL_IF(!end->has_end, js_heap_files, &row, end_time);
    TS_TRY_INTO(code, put_file_rows(h, end, &row, whole));
    code = describe_snapshot(h, end, name, whole);
    return code != TS_OK ? code : count_unknown(h);
}
