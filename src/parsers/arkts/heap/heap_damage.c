/*
 * What can be trusted in a snapshot whose parts contradict each other.
 *
 * Most of a snapshot refers by place: an edge to the place of its node, a node to its edges by how
 * many are before them, names to places in the list of strings. Where something is missing,
 * doubled or exchanged, all that follows refers to wrong places. Such damage shows
 * in counts that do not agree. Where it begins is shown by
 *
 *   - strings: V8 numbers them as the nodes, and then the edges, use them for the first time. Each
 *     such use with the next number shows that no use was lost before it; another number shows that
 *     the damage lies between the last good use and this row. A use is believed when another one
 *     follows it, because a row may be made of the parts of two. That is a habit of V8 and no
 *     promise: it says where damage is, and never that there is some;
 *   - rows that cannot be: a type that is not in the list, a target that is no node's place;
 *   - chunks: what is lost of a recording are whole chunks, so that damage begins where one ends.
 *
 * A contradiction is a little after the damage: rows up to HEAP_GUARD numbers before it look
 * like any others and are not believed either. Nothing proves them right: that the
 * strings are in order says nothing of rows that use none for the first time.
 *
 * Rows before that place stay. The cells of those after it become NULL. Where no place is known,
 * that is the whole array.
 */
#include "parsers/arkts/heap/heap_state.h"

#include "base/ckd.h"

#include <inttypes.h>

enum {
    MANY_USES = 256, /* so many that one out of order is damage, whatever the counts say */
    NODE_TYPES = 0,
    EDGE_TYPES = 1
};

static const heap_place nowhere = {UINT64_MAX, 0};

void heap_trust_begin(ts_heap *h)
{
    for (int i = 0; i <= PART_STRINGS; i++) {
        h->trust[i] = (heap_trust){
            .use = {{0, 0}, {0, 0}},
            .seam = {nowhere, nowhere},
            .first_seam = nowhere,
            .limit = nowhere,
            .bad = UINT64_MAX,
            .guard = nowhere,
            .known = UINT64_MAX,
        };
    }
    h->damage.next_name = 1; /* 0 is a string that nothing uses */
    h->damage.early_known = UINT64_MAX;
    h->damage.issues_before = ts_issue_total(h->store, TS_DATA_LOSS);
}

/* --- the distance that is kept from a contradiction ------------------------------------------- */

/*
 * The distance that is kept from a contradiction, and nodes that are unlike those of V8.
 *
 * What shows damage is after it: rows in between are made of parts of others, or are in the
 * place of others, and each of them could be right. Such damage comes in blocks, of what a device
 * or a transport loses, doubles or exchanges, so that HEAP_GUARD covers the two blocks of 4 KiB of
 * an exchange. A row that is unlike those of V8 proves no damage. It counts where other numbers
 * contradict each other and do not show where.
 */
static void note_trail(heap_trail *trail, uint64_t at, heap_place place)
{
    if (at >= trail->next) {
        trail->place[trail->count % HEAP_TRAIL] = place;
        trail->at[trail->count % HEAP_TRAIL] = at;
        trail->count++;
        trail->next = at + HEAP_TRAIL_STEP;
    }
}

static heap_place trail_guard(const heap_trail *trail, uint64_t at)
{
    uint64_t oldest = trail->count > HEAP_TRAIL ? trail->count - HEAP_TRAIL : 0;
    for (uint64_t i = trail->count; i > oldest; i--) {
        if (trail->at[(i - 1) % HEAP_TRAIL] + HEAP_GUARD <= at) {
            return trail->place[(i - 1) % HEAP_TRAIL];
        }
    }
    return (heap_place){0, 0};
}

/* The place HEAP_GUARD before the row under way. */
static heap_place guard_of(const ts_heap *h, enum heap_part part)
{
    uint64_t stride = part == PART_STRINGS ? 1 : h->arrays[part].fields.stride;
    uint64_t rows = part == PART_STRINGS ? h->strings.count : h->arrays[part].rows;
    uint64_t back = stride == 0 ? rows : (HEAP_GUARD + stride - 1) / stride;
    if (part == PART_NODES) {
        return trail_guard(&h->trails.nodes, rows * stride);
    }
    if (part == PART_STRINGS) {
        return trail_guard(&h->trails.strings, h->trails.string_bytes / 2);
    }
    return (heap_place){rows > back ? rows - back : 0, 0};
}

/* One that is made of the parts of two others hardly passes all of these. */
static bool is_odd(const ts_heap *h, const int64_t *v, uint32_t nulls)
{
    uint32_t missing = h->arrays[PART_NODES].fields.missing;
    uint64_t type = (uint64_t)v[NODE_TYPE];
    bool foreign = type >= 64 || (h->meta.foreign_types >> type & 1) != 0;
    if ((nulls & ~missing) != 0) {
        return true;
    }
    if ((missing & 1U << NODE_TYPE) == 0 && !foreign &&
        (((missing & 1U << NODE_ID) == 0 && v[NODE_ID] % 2 != 1) ||
         ((missing & 1U << NODE_SELF_SIZE) == 0 && v[NODE_SELF_SIZE] % 4 != 0))) {
        return true;
    }
    return ((missing & 1U << NODE_TRACE_NODE_ID) == 0 && v[NODE_TRACE_NODE_ID] < 0) ||
           ((missing & 1U << NODE_DETACHEDNESS) == 0 && (uint64_t)v[NODE_DETACHEDNESS] > 2);
}

void heap_look_at_node(ts_heap *h, const int64_t *v, uint32_t nulls)
{
    heap_trust *t = &h->trust[PART_NODES];
    const heap_array *a = &h->arrays[PART_NODES];
    note_trail(&h->trails.nodes, a->rows * a->fields.stride,
               (heap_place){a->rows, h->nodes.self_size});
    if (t->odd || t->irregular || !is_odd(h, v, nulls)) {
        return;
    }
    if (a->rows < SOME_USES) {
        t->irregular = true;
    } else {
        t->odd = true;
        if (t->bad == UINT64_MAX) {
            t->guard = guard_of(h, PART_NODES);
        }
    }
}

void heap_look_at_string(ts_heap *h, uint64_t n)
{
    h->trails.string_bytes += n + 3; /* two quotes and a comma */
    note_trail(&h->trails.strings, h->trails.string_bytes / 2, (heap_place){h->strings.count, 0});
}

/* --- rows that speak of damage ---------------------------------------------------------------- */

static void suspect_row(ts_heap *h, enum heap_part part)
{
    heap_trust *t = &h->trust[part];
    if (t->bad == UINT64_MAX) {
        t->bad = h->arrays[part].rows;
        if (!t->odd) {
            t->guard = guard_of(h, part);
        }
    }
}

void heap_bad_row(ts_heap *h, enum heap_part part)
{
    h->trust[part].impossible = true;
    suspect_row(h, part);
}

void heap_first_use(ts_heap *h, enum heap_part part, int64_t name)
{
    heap_trust *t = &h->trust[part];
    if (h->damage.names_disordered) {
        return;
    }
    if (name != h->damage.next_name) {
        h->damage.names_disordered = true;
        if (h->damage.first_uses >= SOME_USES) {
            suspect_row(h, part);
        }
        return;
    }
    h->damage.next_name++;
    h->damage.first_uses++;
    if (t->bad == UINT64_MAX) {
        t->use[0] = t->use[1];
        t->seam[0] = t->seam[1];
        t->use[1] = (heap_place){h->arrays[part].rows + 1, h->nodes.self_size};
        t->seam[1] = nowhere;
    }
}

/* --- which arrays are damaged ---------------------------------------------------------------- */

static bool closed(const ts_heap *h, enum heap_part part)
{
    return h->arrays[part].state == PART_CLOSED;
}

/* The end of the array is not that of a row; or the text of another member is in it: one that
 * is not there itself. */
static bool broken(const ts_heap *h, enum heap_part part)
{
    const heap_array *a = &h->arrays[part];
    bool odd_end = closed(h, part) && (part == PART_TREE ? a->partial > 0 : a->at != 0);
    return odd_end || (a->bad > 0 && h->strings.state == PART_ABSENT && h->done);
}

/* Number of the array among those whose rows the snapshot counts. */
static int count_of(enum heap_part part)
{
    return part == PART_NODES ? 0 : part == PART_EDGES ? 1 : 2;
}

/* A row of which a part is missing may be anywhere: its successors are made of two each. */
static bool out_of_step(const ts_heap *h, enum heap_part part)
{
    const heap_trust *t = &h->trust[part];
    return h->damage.first_uses >= SOME_USES || t->odd || t->bad != UINT64_MAX;
}

/* Do the nodes claim as many edges as there are? Before edges come: as are announced. */
static bool sum_agrees(const ts_heap *h)
{
    uint64_t rows = h->arrays[PART_EDGES].rows;
    uint64_t announced = h->meta.has_count[1] ? (uint64_t)h->meta.count[1] : UINT64_MAX;
    return h->nodes.edge_count_sum == (rows > 0 ? rows : announced);
}

bool heap_exceeds(const ts_heap *h, enum heap_part part)
{
    int64_t announced = h->meta.count[count_of(part)];
    bool unique = (part == PART_FUNCTIONS ? h->rows.function_twice : h->damage.duplicates) == 0;
    return closed(h, part) && h->meta.has_count[count_of(part)] && announced >= 0 &&
           (uint64_t)announced < h->arrays[part].rows && h->arrays[part].at == 0 && unique &&
           !h->trust[part].impossible && (part == PART_FUNCTIONS || sum_agrees(h));
}

/* Of the arrays with a count, only that one says how many rows there should be. */
static bool miscounted(const ts_heap *h, enum heap_part part)
{
    const heap_meta *meta = &h->meta;
    int i = count_of(part);
    if (!meta->has_count[i]) {
        return broken(h, part);
    }
    return closed(h, part) && !heap_exceeds(h, part) &&
           (meta->count[i] < 0 || (uint64_t)meta->count[i] != h->arrays[part].rows ||
            (h->arrays[part].at != 0 && out_of_step(h, part)));
}

static bool by_itself(const ts_heap *h, enum heap_part part)
{
    const heap_trust *t = &h->trust[part];
    return t->limit.rows != UINT64_MAX || (t->impossible && h->damage.first_uses >= MANY_USES);
}

/* The nodes claim another number of edges than the snapshot, and some are unlike those of V8: they
 * are damaged and not the edges. */
static bool odd_nodes(const ts_heap *h)
{
    return h->trust[PART_NODES].odd && h->damage.first_uses >= SOME_USES && closed(h, PART_NODES) &&
           h->meta.has_count[1] && h->meta.count[1] >= 0 && !sum_agrees(h);
}

static bool nodes_damaged(const ts_heap *h)
{
    return miscounted(h, PART_NODES) || by_itself(h, PART_NODES) || odd_nodes(h);
}

static bool edges_damaged(const ts_heap *h)
{
    return miscounted(h, PART_EDGES) || by_itself(h, PART_EDGES);
}

static bool functions_damaged(const ts_heap *h)
{
    return miscounted(h, PART_FUNCTIONS) || by_itself(h, PART_FUNCTIONS) ||
           (closed(h, PART_FUNCTIONS) && h->tree.bad == 0 && h->arrays[PART_TREE].partial == 0 &&
            h->tree.function_max >= (int64_t)h->arrays[PART_FUNCTIONS].rows);
}

/* Ids say which stack a node was allocated in, so that none is there twice, and none is missing
 * that a node names. Where the JSON breaks inside the tree, brackets of it may be missing. */
static bool tree_damaged(const ts_heap *h)
{
    bool contradicts = h->damage.first_uses >= SOME_USES && closed(h, PART_TREE) &&
                       (h->tree.twice || heap_tree_lacks(h));
    return broken(h, PART_TREE) || by_itself(h, PART_TREE) || h->tree.bad > 0 || contradicts ||
           (h->damaged && h->part == PART_TREE);
}

static bool samples_damaged(const ts_heap *h)
{
    return broken(h, PART_SAMPLES) || by_itself(h, PART_SAMPLES) || h->rows.samples_disordered;
}

static bool locations_damaged(const ts_heap *h)
{
    return broken(h, PART_LOCATIONS) || h->trust[PART_LOCATIONS].limit.rows != UINT64_MAX ||
           (h->trust[PART_LOCATIONS].bad != UINT64_MAX && h->damage.first_uses >= SOME_USES);
}

/* A negative one says nothing about the strings. */
static int64_t larger(int64_t top, const ts_heap *h, enum heap_part part, int64_t max)
{
    return h->trust[part].damaged || max == INT64_MAX || max < top ? top : max;
}

/* The largest number says how many there must be. V8 writes no string that nothing uses and none
 * twice: both at once show that a part is doubled. */
static bool strings_damaged(const ts_heap *h)
{
    int64_t strings = (int64_t)h->strings.count;
    int64_t top = -1;
    bool exact = h->damage.first_uses >= MANY_USES && !h->damage.names_disordered &&
                 h->strings.twice && !h->trust[PART_EDGES].damaged &&
                 !h->trust[PART_FUNCTIONS].damaged && h->done;
    if (h->trust[PART_STRINGS].limit.rows != UINT64_MAX) {
        return true;
    }
    top = larger(top, h, PART_NODES, h->nodes.name_max);
    top = larger(top, h, PART_EDGES, h->edges.name_max);
    top = larger(top, h, PART_FUNCTIONS, h->rows.function_name_max);
    return h->strings.state == PART_CLOSED && (top >= strings || (exact && top + 1 != strings));
}

/* --- up to where ------------------------------------------------------------------------------ */

static heap_place known_place(const ts_heap *h, enum heap_part part)
{
    static const heap_place beginning = {0, 0};
    const heap_trust *t = &h->trust[part];
    bool seams = heap_chunks_whole(h) && !t->spooled;
    heap_place place = beginning;
    if (t->bad != UINT64_MAX && t->use[0].rows > 0) {
        place = seams && t->seam[0].rows != UINT64_MAX ? t->seam[0] : t->use[0];
    } else if (t->limit.rows != UINT64_MAX) {
        place = t->limit;
    } else if (seams && t->first_seam.rows != UINT64_MAX) {
        place = t->first_seam;
    }
    if (part == PART_NODES && t->bad == UINT64_MAX && !miscounted(h, part) && odd_nodes(h)) {
        place = t->guard;
    }
    if (t->limit.rows < place.rows) {
        place = t->limit;
    }
    if (t->guard.rows < place.rows) {
        place = t->guard;
    }
    return place.rows <= t->bad ? place : beginning;
}

/* In files whose strings are not numbered as V8 does it, rows that all look right are believed as
 * far as they do not depend on their places: what such a file counts is less dependable. */
static bool keeps_cells(const ts_heap *h, enum heap_part part)
{
    const heap_trust *t = &h->trust[part];
    return h->damage.first_uses < SOME_USES && t->bad == UINT64_MAX &&
           t->limit.rows == UINT64_MAX && (part == PART_STRINGS || !broken(h, part)) &&
           h->tree.bad == 0 &&
           (part != PART_NODES || h->damage.duplicates == 0); /* ids that come again: so do rows */
}

static void set_damaged(ts_heap *h, enum heap_part part)
{
    heap_trust *t = &h->trust[part];
    heap_place place = known_place(h, part);
    uint64_t rows = heap_rows_of(h, part);
    t->damaged = true;
    h->damage.contradicted = true;
    t->keeps_cells = keeps_cells(h, part);
    t->known = place.rows < rows ? place.rows : rows;
    if (part == PART_NODES && !t->keeps_cells && t->known < rows) {
        h->nodes.self_size = place.self_size;
        h->nodes.self_size_overflow = false;
    }
}

ts_code heap_judge_nodes(ts_heap *h)
{
    uint64_t rows = h->arrays[PART_NODES].rows;
    ts_code code = heap_count_duplicate_ids(&h->damage.duplicates, h, &h->nodes.ids);
    if (nodes_damaged(h)) {
        heap_place place = known_place(h, PART_NODES);
        h->damage.early_known = place.rows < rows ? place.rows : rows;
        h->nodes.owner_stop = h->damage.early_known < h->nodes.owner_stop ? h->damage.early_known
                                                                          : h->nodes.owner_stop;
        h->damage.names_disordered = true; /* the edges' names prove nothing any more */
    }
    h->edges.target_stop = h->damage.early_known < rows ? h->damage.early_known : rows;
    return code;
}

/* --- making cells NULL ------------------------------------------------------------------------ */

/* Cells of a table of this snapshot become NULL, from the row after `known` on. */
static ts_code heap_forget(ts_heap *h, enum ts_table_id table, uint64_t known, uint64_t columns)
{
    uint64_t first = h->first[table] + known + 1;
    uint64_t last = ts_sink_rows(h->sink, table);
    if (first > last) {
        return TS_OK;
    }
    h->damage.unknown += (last - first + 1) * (uint64_t)__builtin_popcountll(columns);
    return ts_sink_invalidate(h->sink, table, (int64_t)first, (int64_t)last, columns);
}

static uint64_t all_columns(enum ts_table_id table)
{
    return (UINT64_C(1) << ts_schema[table].column_count) - 2; /* but file_id */
}

static ts_code report_unknown(ts_heap *h, enum ts_table_id table, uint64_t known, uint64_t before)
{
    uint64_t cells = h->damage.unknown - before;
    return cells == 0 ? TS_OK
                      : ts_issue_n(h->store, h->source_id, TS_ISSUE_heap_place_unknown, h->label,
                                   TS_NO_OFFSET, cells,
                                   "%s: %" PRIu64 " values are not known after the first %" PRIu64
                                   " rows of the snapshot",
                                   ts_schema[table].name, cells, known);
}

static ts_code forget_part(ts_heap *h, enum heap_part part, enum ts_table_id table, uint64_t placed)
{
    const heap_trust *t = &h->trust[part];
    uint64_t before = h->damage.unknown;
    ts_code code;
    if (!t->damaged) {
        return TS_OK;
    }
    code = heap_forget(h, table, t->known, t->keeps_cells ? placed : all_columns(table));
    return code != TS_OK ? code : report_unknown(h, table, t->known, before);
}

/* What the edges from this one on know of their owners. */
static ts_code forget_blocks(ts_heap *h, uint64_t known)
{
    uint64_t before = h->damage.unknown;
    ts_code code = heap_forget(h, TS_T_js_heap_edge_block, known / EDGES_PER_BLOCK,
                               TS_NULL_BIT(js_heap_edge_block, first_node_rowid) |
                                   TS_NULL_BIT(js_heap_edge_block, last_node_rowid));
    h->damage.unknown = before; /* they repeat what the edges say */
    return code;
}

static ts_code forget_ends(ts_heap *h, uint64_t columns)
{
    uint64_t before = h->damage.unknown;
    ts_code code = heap_forget(h, TS_T_js_heap_edges, 0, columns);
    TS_STEP(code, report_unknown(h, TS_T_js_heap_edges, 0, before));
    return code != TS_OK ? code : forget_blocks(h, 0);
}

static ts_code forget_nodes(ts_heap *h)
{
    const heap_trust *t = &h->trust[PART_NODES];
    ts_code code =
        forget_part(h, PART_NODES, TS_T_js_heap_nodes, TS_NULL_BIT(js_heap_nodes, node_index));
    TS_STEP_IF(code, t->damaged && !t->keeps_cells,
               heap_forget(h, TS_T_js_heap_class, 0, all_columns(TS_T_js_heap_class)));
    TS_STEP_IF(code, t->damaged && t->known < h->damage.early_known,
               forget_ends(h, TS_NULL_BIT(js_heap_edges, from_node_id) |
                                  TS_NULL_BIT(js_heap_edges, to_node_id)));
    return code;
}

static ts_code forget_edges(ts_heap *h)
{
    const heap_trust *t = &h->trust[PART_EDGES];
    ts_code code = forget_part(h, PART_EDGES, TS_T_js_heap_edges,
                               TS_NULL_BIT(js_heap_edges, edge_index) |
                                   TS_NULL_BIT(js_heap_edges, from_node_id));
    TS_STEP_IF(code, t->damaged, forget_blocks(h, t->known));
    return code;
}

static ts_code forget_others(ts_heap *h)
{
    static const struct {
        enum heap_part part;
        enum ts_table_id table;
        uint64_t placed; /* columns that depend on the place; 0: all do */
    } others[] = {
        {PART_LOCATIONS, TS_T_js_heap_location, 0},
        {PART_SAMPLES, TS_T_js_heap_sample, 0},
        {PART_FUNCTIONS, TS_T_js_heap_trace_function_info,
         TS_NULL_BIT(js_heap_trace_function_info, function_index)},
        {PART_TREE, TS_T_js_heap_trace_node, TS_NULL_BIT(js_heap_trace_node, parent_id)},
        {PART_STRINGS, TS_T_js_heap_string, TS_NULL_BIT(js_heap_string, file_index)},
    };
    ts_code code = TS_OK;
    for (size_t i = 0; i < sizeof others / sizeof others[0] && code == TS_OK; i++) {
        uint64_t placed = others[i].placed == 0 ? all_columns(others[i].table) : others[i].placed;
        code = forget_part(h, others[i].part, others[i].table, placed);
    }
    return code;
}

/* Both arrays have the right length, but the nodes claim another number of edges: one of them has a
 * wrong edge_count. */
static ts_code check_sum(ts_heap *h)
{
    uint64_t before = h->damage.unknown;
    ts_code code;
    if (!closed(h, PART_NODES) || !closed(h, PART_EDGES) || miscounted(h, PART_NODES) ||
        by_itself(h, PART_NODES) || h->trust[PART_EDGES].damaged || h->nodes.bad_edge_counts > 0 ||
        h->arrays[PART_NODES].fields.missing >> NODE_EDGE_COUNT & 1 ||
        h->nodes.edge_count_sum == h->arrays[PART_EDGES].rows) {
        return TS_OK;
    }
    code = heap_forget(h, TS_T_js_heap_nodes, 0, TS_NULL_BIT(js_heap_nodes, edge_count));
    TS_STEP(code, report_unknown(h, TS_T_js_heap_nodes, 0, before));
    h->damage.contradicted = true;
    return code != TS_OK ? code : forget_ends(h, TS_NULL_BIT(js_heap_edges, from_node_id));
}

/*
 * Where the JSON breaks, the damage lies before: by as much as a block that was exchanged with
 * another, or doubled, is long.
 */
static void doubt_last(ts_heap *h)
{
    heap_place place;
    heap_trust *t;
    if (!(h->damaged || h->damage.broken) || h->part > PART_STRINGS || h->part == PART_TREE ||
        h->damage.first_uses < SOME_USES) {
        return;
    }
    t = &h->trust[h->part];
    place = guard_of(h, h->part);
    if (place.rows < t->limit.rows &&
        !(h->part == PART_STRINGS ? h->strings.state == PART_CLOSED : closed(h, h->part))) {
        t->limit = place;
    }
}

ts_code heap_judge(ts_heap *h)
{
    static bool (*const damaged[PART_STRINGS + 1])(const ts_heap *h) = {
        [PART_NODES] = nodes_damaged,         [PART_EDGES] = edges_damaged,
        [PART_LOCATIONS] = locations_damaged, [PART_SAMPLES] = samples_damaged,
        [PART_FUNCTIONS] = functions_damaged, [PART_TREE] = tree_damaged,
        [PART_STRINGS] = strings_damaged,
    };
    ts_code code = heap_count_duplicate_ids(&h->rows.function_twice, h, &h->rows.function_ids);
    doubt_last(h);
    for (int i = 0; i <= PART_STRINGS; i++) { /* the strings last: they are judged by the others */
        if (damaged[i](h)) {
            set_damaged(h, (enum heap_part)i);
        }
    }
    if (code == TS_OK && h->chunks.misplaced) {
        code = ts_issue(h->store, h->source_id, TS_ISSUE_chunks_misplaced, h->label, TS_NO_OFFSET,
                        "the times of chunks say that they are not in their order, or that one is "
                        "there twice");
    }
    TS_STEP(code, check_sum(h));
    TS_STEP(code, forget_nodes(h));
    TS_STEP(code, forget_edges(h));
    return code != TS_OK ? code : forget_others(h);
}
