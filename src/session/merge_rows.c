/* Rows with new numbers. */
#include "session/merge_private.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "tables/part_rules.h"

/* What becomes of a column. */
typedef enum merge_action {
    MERGE_COPY,
    MERGE_ID,     /* number of the row itself */
    MERGE_ROW,    /* number of a row, by its id */
    MERGE_ROWID,  /* the same, by its place */
    MERGE_OFFSET, /* what was added to such numbers */
    MERGE_NUMBER, /* of what only the recording numbers */
    MERGE_TEXT,   /* of data_dict */
    MERGE_SOURCE,
    MERGE_PROCESS,
    MERGE_THREAD,
    MERGE_COUNTER,  /* of measure_filter */
    MERGE_ARGUMENT, /* args.value, by its type */
    MERGE_CALLER    /* callstack.parent_id: of asynchronous calls the thread */
} merge_action;

typedef struct merge_column {
    merge_action action;
    enum ts_table_id to;
    bool list;
} merge_column;

/* --- what columns are --------------------------------------------------------------------------
 */

/* Tables whose numbers come from the recording, and the column that has them. */
static const struct {
    enum ts_table_id table;
    unsigned column;
} numbered[] = {
    {TS_T_ebpf_callstack, TS_C_ebpf_callstack__callchain_id},
    {TS_T_native_hook_frame, TS_C_native_hook_frame__callchain_id},
    {TS_T_perf_callchain, TS_C_perf_callchain__callchain_id},
    {TS_T_args, TS_C_args__argset},
    {TS_T_js_cpu_profiler_node, TS_C_js_cpu_profiler_node__function_id},
    {TS_T_perf_files, TS_C_perf_files__file_id},
};

enum { NUMBERED = sizeof numbered / sizeof numbered[0] };

/* What the store writes, or what is made anew at the end. */
static const enum ts_table_id by_store[] = {
    TS_T_process,
    TS_T_process_detail,
    TS_T_thread,
    TS_T_thread_detail,
    TS_T_trace_range,
    TS_T_data_type,
    TS_T_stat,
    TS_T_meta,
    TS_T_data_dict,
    TS_T_datasource_clockid,
    TS_T_clock_snapshot,
    TS_T_device_info,
    TS_T_source,
    TS_T_source_property,
    TS_T_import_issue,
    TS_T_import_count,
    TS_T_schema_doc,
    TS_T_event_class,
    TS_T_cpu_measure_filter,
    TS_T_measure_filter,
    TS_T_process_measure_filter,
    TS_T_clock_event_filter,
    TS_T_clk_event_filter,
    TS_T_sys_event_filter,
    TS_T_js_config,
};

static bool is_by_store(enum ts_table_id table)
{
    bool is = false;
    for (size_t i = 0; i < sizeof by_store / sizeof by_store[0] && !is; i++) {
        is = by_store[i] == table;
    }
    for (unsigned i = 0; ts_analyses[i] != NULL && !is; i++) {
        for (const enum ts_table_id *t = ts_analyses[i]->writes; *t != TS_TABLE_COUNT && !is; t++) {
            is = *t == table;
        }
    }
    return is;
}

/* Numbers that are those of one file of a heap. */
static bool is_within_file(enum ts_table_id table)
{
    const ts_part_rule *rule = ts_part_rule_of(table);
    return rule != NULL && rule->kind == TS_PART_WITH &&
           strcmp(ts_schema[table].columns[0].name, "id") != 0;
}

static bool has_own_ids(enum ts_table_id table)
{
    const ts_column *first = &ts_schema[table].columns[0];
    return first->type == TS_COL_KEY ||
           (first->type == TS_COL_INT && strcmp(first->name, "id") == 0 && first->unit[0] == '\0');
}

static merge_action action_of(const ts_reference *r)
{
    switch (r->to) {
    case TS_T_data_dict:
        return MERGE_TEXT;
    case TS_T_source:
        return MERGE_SOURCE;
    case TS_T_process:
        return MERGE_PROCESS;
    case TS_T_thread:
        return ts_text_is(r->key, "id") || ts_text_is(r->key, "itid") ? MERGE_THREAD : MERGE_COPY;
    case TS_T_measure_filter:
    case TS_T_process_measure_filter:
    case TS_T_cpu_measure_filter:
    case TS_T_sys_event_filter:
    case TS_T_clock_event_filter:
    case TS_T_clk_event_filter:
        return MERGE_COUNTER;
    default:
        break;
    }
    for (unsigned i = 0; i < NUMBERED; i++) {
        if (numbered[i].table == r->to) {
            return ts_text_is(r->key, ts_schema[r->to].columns[numbered[i].column].name)
                       ? MERGE_NUMBER
                       : MERGE_COPY;
        }
    }
    return ts_text_is(r->key, "rowid")                                                ? MERGE_ROWID
           : has_own_ids(r->to) && ts_text_is(r->key, "id") && !is_within_file(r->to) ? MERGE_ROW
                                                                                      : MERGE_COPY;
}

static void plan_reference(merge_column *plan, const ts_reference *r)
{
    const ts_table *table = &ts_schema[r->table];
    for (unsigned i = 0; i < table->column_count; i++) {
        const merge_action action = action_of(r);
        if (strcmp(table->columns[i].name, r->what) == 0 && action != MERGE_COPY &&
            r->when[0] == '\0') {
            plan[i] =
                (merge_column){action, r->to, r->list || table->columns[i].type == TS_COL_TEXT};
        }
    }
}

/* What becomes of each column of a table. */
static void plan_table(merge_column *plan, enum ts_table_id id)
{
    ts_reference r;
    memset(plan, 0, ts_schema[id].column_count * sizeof *plan);
    for (unsigned at = 0; ts_reference_next(&r, &at);) {
        if (r.table == id) {
            plan_reference(plan, &r);
        }
    }
    if (has_own_ids(id)) {
        plan[0] = (merge_column){MERGE_ID, id, false};
    }
    for (unsigned i = 0; i < NUMBERED; i++) {
        if (numbered[i].table == id) {
            plan[numbered[i].column] = (merge_column){MERGE_NUMBER, id, false};
        }
    }
    if (id == TS_T_js_cpu_profile) {
        plan[TS_C_js_cpu_profile__id_offset] =
            (merge_column){MERGE_OFFSET, TS_T_js_cpu_profiler_node, false};
    }
    if (id == TS_T_callstack) {
        plan[TS_C_callstack__parent_id] = (merge_column){MERGE_CALLER, id, false};
    }
    if (id == TS_T_args) {
        plan[TS_C_args__value] = (merge_column){MERGE_ARGUMENT, id, false};
    }
}

/* --- what numbers there are --------------------------------------------------------------------
 */

/* Ids of rows begin with 1, or with 0 in tables without a key. */
static int64_t first_id(enum ts_table_id id)
{
    return ts_schema[id].columns[0].type == TS_COL_KEY || id == TS_T_hisys_all_event ? 1 : 0;
}

static ts_code not_rising(const merge_run *run, enum ts_table_id id)
{
    return ts_fail(run->ctx, TS_ERR_INPUT, "the ids of %s do not rise", ts_schema[id].name);
}

static ts_code note_number(merge_numbers *n, int64_t value)
{
    n->least = !n->any || value < n->least ? value : n->least;
    n->largest = !n->any || value > n->largest ? value : n->largest;
    n->any = true;
    return TS_OK;
}

static ts_code note_id(merge_run *run, enum ts_table_id id, int64_t value)
{
    ts_ids *ids = &run->ids[id];
    const int64_t one = value + 1 - first_id(id);
    if (value > INT64_MAX - 1 || (ids->count > 0 && one <= ts_ids_at(ids, ids->count - 1))) {
        return not_rising(run, id);
    }
    return ts_ids_add(run->ctx, ids, one);
}

/* Ids and places of the rows of a table. */
static ts_code read_ids(merge_run *run, enum ts_table_id id)
{
    unsigned column = 0;
    merge_numbers *numbers = NULL;
    const ts_rows_from from = ts_rows_of(run->reader);
    for (unsigned i = 0; i < NUMBERED; i++) {
        if (numbered[i].table == id) {
            column = numbered[i].column;
            numbers = &run->numbers[id];
        }
    }
    ts_code code = TS_OK;
    const bool own = has_own_ids(id);
    const unsigned columns[2] = {own ? 0 : column, column};
    const unsigned count = own && column != 0 ? 2 : 1;
    ts_walk at = ts_walk_of(from, id, columns, count);
    while (ts_walk_next(&code, &at)) {
        code = ts_ids_add(run->ctx, &run->rowids[id], ts_walk_id(&at));
        TS_STEP_IF(code, own, note_id(run, id, ts_walk_int(&at, 0)));
        TS_STEP_IF(code, numbers != NULL && !ts_walk_null(&at, count - 1),
                   note_number(numbers, ts_walk_int(&at, count - 1)));
    }
    return code;
}

ts_code merge_read_ids(merge_run *run)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; i < TS_TABLE_COUNT && code == TS_OK; i++) {
        const enum ts_table_id id = (enum ts_table_id)i;
        run->base[i] = (int64_t)ts_sink_rows(ts_store_sink(run->store), id);
        TS_STEP_IF(code, !is_by_store(id) && ts_reader_has_table(run->reader, id),
                   read_ids(run, id));
    }
    return code;
}

/* --- texts -------------------------------------------------------------------------------------
 */

/* Appends the whole of a text of a batch, however long it is. */
static ts_code whole_text(ts_buf *out, ts_ctx *ctx, ts_scan *scan, const ts_batch *b, unsigned row,
                          unsigned column)
{
    const ts_scan_text *t = &b->columns[column].texts[row];
    TS_TRY(ts_buf_put(ctx, out, t->p, t->n));
    char part[4096];
    size_t got = sizeof part;
    for (uint64_t at = t->n; at < t->size && got > 0; at += got) {
        TS_TRY(ts_scan_text_part(&got, scan, row, column, at, part, sizeof part));
        TS_TRY(ts_buf_put(ctx, out, part, got));
    }
    return TS_OK;
}

static ts_code add_text(merge_run *run, ts_scan *scan, const ts_batch *b, unsigned row)
{
    size_t *end;
    int64_t *id;
    TS_TRY(note_id(run, TS_T_data_dict, b->columns[0].ints[row]));
    TS_TRY(whole_text(&run->text_bytes, run->ctx, scan, b, row, 1));
    TS_NEED(run->ctx, end = ts_vec_add(run->ctx, &run->text_ends, sizeof *end));
    *end = run->text_bytes.n;
    TS_NEED(run->ctx, id = ts_vec_add(run->ctx, &run->text_ids, sizeof *id));
    *id = -1;
    return TS_OK;
}

ts_code merge_read_texts(merge_run *run)
{
    static const unsigned columns[] = {TS_C_data_dict__id, TS_C_data_dict__data};
    const ts_batch *b;
    ts_scan *scan = NULL;
    ts_code code = ts_scan_open(&scan, run->reader, TS_T_data_dict, columns, 2);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = add_text(run, scan, b, i);
        }
    }
    ts_scan_close(scan);
    return code;
}

static ts_text text_at(const merge_run *run, uint32_t place)
{
    const size_t *ends = run->text_ends.p;
    const size_t begin = place == 0 ? 0 : ends[place - 1];
    return (ts_text){run->text_bytes.p == NULL ? "" : run->text_bytes.p + begin,
                     ends[place] - begin};
}

/* The new id of a text, which is put when it has none. */
static ts_code map_text(int64_t *id, bool *null, merge_run *run)
{
    const uint32_t place = ts_ids_find(&run->ids[TS_T_data_dict], *id + 1);
    if (*id < 0 || place == TS_NO_INDEX) {
        *null = *id >= 0;
        return TS_OK;
    }
    int64_t *known = (int64_t *)run->text_ids.p + place;
    if (*known < 0) {
        TS_TRY(ts_dict(known, run->store, text_at(run, place)));
    }
    *id = *known;
    return TS_OK;
}

/* --- values ------------------------------------------------------------------------------------
 */

static int64_t shifted(const merge_run *run, enum ts_table_id table, int64_t value)
{
    const merge_numbers *n = &run->numbers[table];
    if (table == TS_T_js_cpu_profiler_node && run->root != 0 && value == run->root) {
        return run->m->root;
    }
    return n->any && value >= n->least && value <= n->largest
               ? value - (n->least < 1 ? n->least : 0) + run->m->largest[table]
               : value;
}

/* By what the store gave; what is not there stays when it says that there is none. */
static void map_known(int64_t *value, bool *null, const ts_idmap *map)
{
    uint64_t known;
    if (ts_idmap_find(&known, map, *value)) {
        *value = (int64_t)known;
    } else {
        *null = *value > 0 && *value != UINT32_MAX;
    }
}

static void map_place(int64_t *value, bool *null, uint32_t place, int64_t first)
{
    if (place != TS_NO_INDEX) {
        *value = first + place;
    } else {
        *null = *value > 0 && *value != UINT32_MAX;
    }
}

static ts_code map_value(int64_t *value, bool *null, merge_run *run, const merge_column *c)
{
    const int64_t first = first_id(c->to);
    switch (c->action) {
    case MERGE_ID:
    case MERGE_ROW:
        map_place(value, null, ts_ids_find(&run->ids[c->to], *value + 1 - first),
                  run->base[c->to] + first);
        break;
    case MERGE_ROWID:
        map_place(value, null, ts_ids_find(&run->rowids[c->to], *value), run->base[c->to] + 1);
        break;
    case MERGE_NUMBER:
        *value = shifted(run, c->to, *value);
        break;
    case MERGE_OFFSET:
        *value = ts_sat_add(*value, run->m->largest[c->to]);
        break;
    case MERGE_TEXT:
        return map_text(value, null, run);
    case MERGE_SOURCE:
        map_known(value, null, &run->sources);
        break;
    case MERGE_PROCESS:
        map_known(value, null, &run->processes);
        break;
    case MERGE_THREAD:
        map_known(value, null, &run->threads);
        break;
    case MERGE_COUNTER:
        map_known(value, null, &run->counters);
        break;
    default:
        break;
    }
    return TS_OK;
}

/* A text with numbers, and whatever is between them. */
static ts_code map_list(ts_text *text, ts_buf *out, merge_run *run, const merge_column *c)
{
    const char *p = text->p;
    const char *end = p + text->n;
    const size_t begin = out->n;
    ts_code code = TS_OK;
    while (p < end && code == TS_OK) {
        int64_t value = 0;
        bool null = false;
        const char *digits = p;
        for (; p < end && ts_is_digit(*p) && p - digits < 18; p++) {
            value = value * 10 + (*p - '0');
        }
        if (p == digits) {
            code = ts_buf_putc(run->ctx, out, *p++);
            continue;
        }
        code = map_value(&value, &null, run, c);
        TS_STEP(code, ts_buf_printf(run->ctx, out, "%lld", (long long)value));
    }
    *text = (ts_text){out->p == NULL ? "" : out->p + begin, out->n - begin};
    return code;
}

/* --- rows of tables ----------------------------------------------------------------------------
 */

/* Rows of one table. */
typedef struct merge_table {
    enum ts_table_id id;
    const ts_table *table;
    merge_column plan[TS_SCAN_COLUMNS];
    ts_buf texts[TS_SCAN_COLUMNS]; /* long ones and lists */
    char *row;                     /* its struct */
} merge_table;

static ts_code put_text(ts_text *out, merge_run *run, merge_table *t, ts_scan *scan,
                        const ts_batch *b, unsigned row, unsigned column)
{
    const ts_scan_text *text = &b->columns[column].texts[row];
    ts_buf *buf = &t->texts[column];
    *out = (ts_text){text->p, text->n};
    buf->n = 0;
    if (text->size > text->n) {
        TS_TRY(whole_text(buf, run->ctx, scan, b, row, column));
        *out = ts_buf_text(buf);
    }
    return t->plan[column].list ? map_list(out, buf, run, &t->plan[column]) : TS_OK;
}

/* args.value is a number, a text or a call. */
static ts_code put_argument(int64_t *value, bool *null, merge_run *run, const ts_batch *b,
                            unsigned row)
{
    static const merge_column call = {MERGE_ROW, TS_T_callstack, false};
    const int64_t type = b->columns[TS_C_args__datatype].ints[row];
    const int64_t key = b->columns[TS_C_args__key].ints[row];
    const uint32_t place = ts_ids_find(&run->ids[TS_T_data_dict], key + 1);
    if (type == 1) {
        return map_text(value, null, run);
    }
    return place != TS_NO_INDEX && ts_text_is(text_at(run, place), "destination slice id")
               ? map_value(value, null, run, &call)
               : TS_OK;
}

/* callstack.parent_id is a call, or of an asynchronous call the thread that began it. */
static ts_code put_caller(int64_t *value, bool *null, merge_run *run, const ts_batch *b,
                          unsigned row)
{
    static const merge_column call = {MERGE_ROW, TS_T_callstack, false};
    static const merge_column thread = {MERGE_THREAD, TS_T_thread, false};
    return map_value(value, null, run,
                     b->columns[TS_C_callstack__cookie].null[row] != 0 ? &call : &thread);
}

static ts_code put_cell(merge_run *run, merge_table *t, ts_scan *scan, const ts_batch *b,
                        unsigned row, unsigned column)
{
    const ts_column *about = &t->table->columns[column];
    const ts_batch_column *cells = &b->columns[column];
    char *at = t->row + about->offset;
    uint64_t *nulls = (uint64_t *)(void *)t->row;
    bool null = cells->null[row] != 0;
    ts_code code = TS_OK;
    if (about->type == TS_COL_TEXT) {
        ts_text text = TS_TEXT_NULL;
        TS_STEP_IF(code, !null, put_text(&text, run, t, scan, b, row, column));
        memcpy(at, &text, sizeof text);
    } else if (about->type == TS_COL_REAL) {
        memcpy(at, &cells->reals[row], sizeof(double));
    } else {
        int64_t value = cells->ints[row];
        if (null) {
            value = 0;
        } else if (t->plan[column].action == MERGE_ARGUMENT) {
            code = put_argument(&value, &null, run, b, row);
        } else if (t->plan[column].action == MERGE_CALLER) {
            code = put_caller(&value, &null, run, b, row);
        } else {
            code = map_value(&value, &null, run, &t->plan[column]);
        }
        memcpy(at, &value, sizeof value);
    }
    *nulls |= (uint64_t)null << column;
    return code;
}

/* java_heap_reference.name is a field or a root, by the type. */
static ts_code put_reference_name(merge_run *run, merge_table *t)
{
    static const merge_column field = {MERGE_ROW, TS_T_java_heap_field, false};
    static const merge_column root = {MERGE_ROWID, TS_T_java_heap_root, false};
    ts_row_java_heap_reference *row = (ts_row_java_heap_reference *)(void *)t->row;
    const bool is_field = row->type == 3 || row->type == 4;
    bool null = false;
    if ((row->null & TS_NULL_BIT(java_heap_reference, name)) != 0 ||
        (!is_field && row->type != 6 && row->type != 7)) {
        return TS_OK;
    }
    TS_TRY(map_value(&row->name, &null, run, is_field ? &field : &root));
    TS_NULL_IF(null, java_heap_reference, row, name);
    return TS_OK;
}

/* Profiles of JavaScript share one root, as viewers want it: further ones give it their children.
 * *left: the row is one of these. */
static ts_code share_root(bool *left, merge_run *run, merge_table *t, int64_t was)
{
    ts_row_js_cpu_profiler_node *row = (ts_row_js_cpu_profiler_node *)(void *)t->row;
    ts_buf *all = &run->m->root_children;
    const bool root =
        row->parent_id == 0 && (row->null & TS_NULL_BIT(js_cpu_profiler_node, parent_id)) == 0;
    *left = root && run->m->root != 0;
    if (!root) {
        return TS_OK;
    }
    if (*left) {
        run->root = was;
    } else {
        run->m->root = row->function_id;
        run->m->root_row = (int64_t)ts_sink_rows(ts_store_sink(run->store), t->id) + 1;
    }
    TS_TRY(all->n > 0 && row->children.n > 0 ? ts_buf_putc(run->ctx, all, ',') : TS_OK);
    return ts_buf_put(run->ctx, all, row->children.p, row->children.n);
}

static ts_code put_row(merge_run *run, merge_table *t, ts_scan *scan, const ts_batch *b,
                       unsigned row)
{
    ts_code code = TS_OK;
    memset(t->row, 0, t->table->row_size);
    for (unsigned i = 0; i < t->table->column_count && code == TS_OK; i++) {
        code = put_cell(run, t, scan, b, row, i);
    }
    bool left = false;
    TS_STEP_IF(code, t->id == TS_T_java_heap_reference, put_reference_name(run, t));
    TS_STEP_IF(
        code, t->id == TS_T_js_cpu_profiler_node,
        share_root(&left, run, t, b->columns[TS_C_js_cpu_profiler_node__function_id].ints[row]));
    TS_STEP_IF(code, !left, ts_sink_put(ts_store_sink(run->store), t->id, t->row));
    return code;
}

static ts_code put_rows(merge_run *run, merge_table *t)
{
    unsigned columns[TS_SCAN_COLUMNS];
    const ts_batch *b;
    ts_scan *scan = NULL;
    for (unsigned i = 0; i < t->table->column_count; i++) {
        columns[i] = i;
    }
    ts_code code = ts_scan_open(&scan, run->reader, t->id, columns, t->table->column_count);
    while (code == TS_OK && (code = ts_scan_next(&b, scan)) == TS_OK && b->rows > 0) {
        for (unsigned i = 0; i < b->rows && code == TS_OK; i++) {
            code = put_row(run, t, scan, b, i);
        }
    }
    ts_scan_close(scan);
    return code;
}

static ts_code put_table(merge_run *run, enum ts_table_id id)
{
    merge_table t = {.id = id, .table = &ts_schema[id]};
    plan_table(t.plan, id);
    TS_NEED(run->ctx, t.row = ts_alloc(run->ctx, 1, t.table->row_size));
    ts_code code = put_rows(run, &t);
    for (unsigned i = 0; i < TS_SCAN_COLUMNS; i++) {
        ts_buf_free(run->ctx, &t.texts[i]);
    }
    ts_free(run->ctx, t.row);
    return code;
}

/* Runs of samples, where they are a view of short rows. */
static ts_code put_runs(merge_run *run)
{
    static const unsigned columns[] = {0, 1, 2, 3, 4};
    static const merge_column node = {MERGE_NUMBER, TS_T_js_cpu_profiler_node, false};
    const ts_rows_from from = {.ctx = run->ctx, .db = ts_db_rows(run->db).db};
    ts_sink *sink = ts_store_sink(run->store);
    ts_code code = TS_OK;
    ts_walk at = ts_walk_of(from, TS_T_js_cpu_profiler_sample, columns, 5);
    while (ts_walk_next(&code, &at)) {
        bool null = false;
        ts_row_js_cpu_profiler_sample row = {
            .id = (int64_t)ts_sink_rows(sink, TS_T_js_cpu_profiler_sample),
            .function_id = ts_walk_int(&at, 1),
            .start_time = ts_walk_int(&at, 2),
            .end_time = ts_walk_int(&at, 3),
            .dur = ts_walk_int(&at, 4)};
        for (unsigned i = 1; i < 5; i++) {
            row.null |= (uint64_t)ts_walk_null(&at, i) << i;
        }
        TS_STEP(code, map_value(&row.function_id, &null, run, &node));
        TS_STEP(code, ts_put_js_cpu_profiler_sample(sink, &row));
    }
    return code;
}

ts_code merge_put_tables(merge_run *run)
{
    ts_code code = TS_OK;
    for (unsigned i = 0; i < TS_TABLE_COUNT && code == TS_OK; i++) {
        const enum ts_table_id id = (enum ts_table_id)i;
        if (is_by_store(id)) {
            continue;
        }
        if (ts_reader_has_table(run->reader, id)) {
            code = put_table(run, id);
        } else if (id == TS_T_js_cpu_profiler_sample) {
            code = put_runs(run);
        }
    }
    return code;
}
