/*
 * What the store keeps of a database that is added. Its own facts (data_type, event_class, the
 * range, numbers of processes without one) are made anew when the conversion ends.
 */
#include "session/merge_private.h"

#include "base/alloc.h"
#include "base/ckd.h"
#include "tables/store_merge.h"

#include <stdlib.h>

enum { NAME_BYTES = 4096 };

/* A text as a string of C, NULL for NULL; what is longer than a name or a path is cut. */
static const char *string_of(char out[NAME_BYTES], const ts_walk *at, unsigned column)
{
    const ts_text text = ts_walk_text(at, column);
    const size_t n = text.n < NAME_BYTES ? text.n : NAME_BYTES - 1;
    if (ts_walk_null(at, column)) {
        return NULL;
    }
    memcpy(out, text.p, n);
    out[n] = '\0';
    return out;
}

static int64_t mapped(const ts_idmap *map, int64_t id, int64_t otherwise)
{
    uint64_t known;
    return ts_idmap_find(&known, map, id) ? (int64_t)known : otherwise;
}

/* A text that lives as long as the store. */
static ts_code keep(ts_text *out, merge_run *run, const ts_walk *at, unsigned column)
{
    const ts_text text = ts_walk_text(at, column);
    *out = TS_TEXT_NULL;
    return ts_walk_null(at, column) ? TS_OK : ts_source_text(run->store, 0, out, text.p, text.n);
}

/* All columns of a table, for structs of rows. */
static ts_walk walk_all(const merge_run *run, enum ts_table_id id)
{
    static const unsigned all[TS_SCAN_COLUMNS] = {0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10,
                                                  11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
                                                  22, 23, 24, 25, 26, 27, 28, 29, 30, 31};
    return ts_walk_of(ts_rows_of(run->reader), id, all, ts_schema[id].column_count);
}

/* Fills a struct of a row from all of its columns; texts are kept. */
static ts_code take_row(void *row, merge_run *run, enum ts_table_id id, const ts_walk *at)
{
    uint64_t *nulls = row;
    ts_code code = TS_OK;
    memset(row, 0, ts_schema[id].row_size);
    for (unsigned i = 0; i < ts_schema[id].column_count && code == TS_OK; i++) {
        const ts_column *c = &ts_schema[id].columns[i];
        char *cell = (char *)row + c->offset;
        *nulls |= (uint64_t)ts_walk_null(at, i) << i;
        if (c->type == TS_COL_TEXT) {
            ts_text text;
            code = keep(&text, run, at, i);
            memcpy(cell, &text, sizeof text);
        } else if (c->type == TS_COL_REAL) {
            memcpy(cell, &at->b->columns[i].reals[at->row], sizeof(double));
        } else {
            memcpy(cell, &at->b->columns[i].ints[at->row], sizeof(int64_t));
        }
    }
    return code;
}

/* --- sources -----------------------------------------------------------------------------------
 */

/* Whether an earlier database has an input with this path. */
static bool has_path(const merge_run *run, ts_text path)
{
    bool has = false;
    for (int64_t i = 1; i <= (int64_t)run->sources_before && !has; i++) {
        const ts_row_source *row = ts_source(run->store, i);
        has = (row->null & TS_NULL_BIT(source, parent_id)) != 0 && path.p != NULL &&
              row->path.p != NULL && ts_text_equal(row->path, path);
    }
    return has;
}

/* DATABASE/PATH tells it from the other one. */
static ts_code name_path(ts_text *path, merge_run *run)
{
    ts_buf text = {0};
    ts_code code = ts_buf_printf(run->ctx, &text, "%s/", run->name);
    TS_STEP(code, ts_buf_put(run->ctx, &text, path->p, path->n));
    TS_STEP(code, ts_source_text(run->store, 0, path, text.p, text.n));
    ts_buf_free(run->ctx, &text);
    return code;
}

static ts_code add_source(merge_run *run, const ts_walk *at)
{
    char texts[3][NAME_BYTES];
    ts_row_source row;
    int64_t id;
    TS_TRY(take_row(&row, run, TS_T_source, at));
    if ((row.null & TS_NULL_BIT(source, parent_id)) != 0 && has_path(run, row.path)) {
        TS_TRY(name_path(&row.path, run));
    }
    const bool top = (row.null & TS_NULL_BIT(source, parent_id)) != 0;
    const int64_t parent = top ? 0 : mapped(&run->sources, row.parent_id, 0);
    TS_TRY(ts_source_add(&id, run->store, parent, string_of(texts[0], at, TS_C_source__kind),
                         string_of(texts[1], at, TS_C_source__path),
                         string_of(texts[2], at, TS_C_source__format)));
    TS_TRY(ts_idmap_put(run->ctx, &run->sources, row.id, (uint64_t)id));
    ts_row_source *to = ts_source(run->store, id);
    row.id = id;
    row.parent_id = to->parent_id;
    row.null =
        (row.null & ~TS_NULL_BIT(source, parent_id)) | (to->null & TS_NULL_BIT(source, parent_id));
    *to = row;
    return TS_OK;
}

static ts_code add_property(merge_run *run, const ts_walk *at)
{
    char key[NAME_BYTES];
    const int64_t source = mapped(&run->sources, ts_walk_int(at, 0), 0);
    const ts_text value = ts_walk_null(at, 2) ? TS_TEXT_NULL : ts_walk_text(at, 2);
    return source == 0 ? TS_OK
                       : ts_source_property(run->store, source, string_of(key, at, 1), value);
}

/* --- processes, threads, counters --------------------------------------------------------------
 */

/* Its detail, which is the row in the same place: source and whether its number is known. */
typedef struct merge_detail {
    ts_idmap sources, unknown;
} merge_detail;

static ts_code add_process(merge_run *run, const ts_walk *at, const merge_detail *details)
{
    ts_row_process row;
    int64_t ipid = 0;
    uint64_t flag;
    TS_TRY(take_row(&row, run, TS_T_process, at));
    const int64_t source = mapped(&details->sources, row.ipid, 0);
    const bool unknown = ts_idmap_find(&flag, &details->unknown, row.ipid);
    const int64_t id = row.ipid;
    if (id != 0) {
        const int64_t pid = unknown ? INT64_MIN + (int64_t)++run->m->unknown_pids : row.pid;
        TS_TRY(ts_process(&ipid, run->store, source, pid));
        row.id = row.ipid = ipid;
        row.thread_count = 0; /* counted again */
        TS_NULL_IF(unknown, process, &row, pid);
        *ts_process_row(run->store, ipid) = row;
    } else {
        ts_row_process *idle = ts_process_row(run->store, 0);
        idle->switch_count += row.switch_count;
        idle->slice_count += row.slice_count;
        idle->mem_count += row.mem_count;
    }
    return ts_idmap_put(run->ctx, &run->processes, id, (uint64_t)ipid);
}

static ts_code add_process_detail(merge_run *run, const ts_walk *at)
{
    ts_row_process_detail row;
    TS_TRY(take_row(&row, run, TS_T_process_detail, at));
    const int64_t ipid = mapped(&run->processes, row.ipid, 0);
    if (ipid != 0) {
        row.ipid = ipid;
        row.source_id = mapped(&run->sources, row.source_id, 0);
        TS_NULL_IF(row.source_id == 0, process_detail, &row, source_id);
        *ts_process_detail_row(run->store, ipid) = row;
    }
    return TS_OK;
}

static ts_code note_detail(merge_run *run, const ts_walk *at, merge_detail *details, bool process)
{
    const int64_t id = ts_walk_int(at, 0);
    ts_code code = TS_OK;
    TS_STEP_IF(code, !ts_walk_null(at, 1),
               ts_idmap_put(run->ctx, &details->sources, id,
                            (uint64_t)mapped(&run->sources, ts_walk_int(at, 1), 0)));
    TS_STEP_IF(code, process && ts_walk_int(at, 2) == 0,
               ts_idmap_put(run->ctx, &details->unknown, id, 1));
    return code;
}

static ts_code add_thread(merge_run *run, const ts_walk *at, const merge_detail *details)
{
    ts_row_thread row;
    int64_t itid = 0;
    TS_TRY(take_row(&row, run, TS_T_thread, at));
    const int64_t id = row.itid;
    if (id != 0) {
        const int64_t ipid = (row.null & TS_NULL_BIT(thread, ipid)) != 0
                                 ? -1
                                 : mapped(&run->processes, row.ipid, -1);
        TS_TRY(ts_thread_new(&itid, run->store, mapped(&details->sources, id, 0), row.tid, ipid,
                             NULL));
        row.id = row.itid = itid;
        row.ipid = ipid < 0 ? 0 : ipid;
        TS_NULL_IF(ipid < 0, thread, &row, ipid);
        *ts_thread_row(run->store, itid) = row;
    } else {
        ts_thread_row(run->store, 0)->switch_count += row.switch_count;
    }
    return ts_idmap_put(run->ctx, &run->threads, id, (uint64_t)itid);
}

static ts_code add_thread_detail(merge_run *run, const ts_walk *at)
{
    ts_row_thread_detail row;
    TS_TRY(take_row(&row, run, TS_T_thread_detail, at));
    const int64_t itid = mapped(&run->threads, row.itid, 0);
    if (itid != 0) {
        row.itid = itid;
        row.source_id = mapped(&run->sources, row.source_id, 0);
        TS_NULL_IF(row.source_id == 0, thread_detail, &row, source_id);
        *ts_thread_detail_row(run->store, itid) = row;
    }
    return TS_OK;
}

static ts_code add_people(merge_run *run)
{
    static const unsigned process_columns[] = {
        TS_C_process_detail__ipid, TS_C_process_detail__source_id, TS_C_process_detail__pid_known};
    static const unsigned thread_columns[] = {TS_C_thread_detail__itid,
                                              TS_C_thread_detail__source_id};
    const ts_rows_from from = ts_rows_of(run->reader);
    merge_detail of[2] = {0};
    ts_code code = TS_OK;
    ts_walk at = ts_walk_of(from, TS_T_process_detail, process_columns, 3);
    while (ts_walk_next(&code, &at)) {
        code = note_detail(run, &at, &of[0], true);
    }
    at = walk_all(run, TS_T_process);
    while (ts_walk_next(&code, &at)) {
        code = add_process(run, &at, &of[0]);
    }
    at = walk_all(run, TS_T_process_detail);
    while (ts_walk_next(&code, &at)) {
        code = add_process_detail(run, &at);
    }
    at = ts_walk_of(from, TS_T_thread_detail, thread_columns, 2);
    while (ts_walk_next(&code, &at)) {
        code = note_detail(run, &at, &of[1], false);
    }
    at = walk_all(run, TS_T_thread);
    while (ts_walk_next(&code, &at)) {
        code = add_thread(run, &at, &of[1]);
    }
    at = walk_all(run, TS_T_thread_detail);
    while (ts_walk_next(&code, &at)) {
        code = add_thread_detail(run, &at);
    }
    for (unsigned i = 0; i < 2; i++) {
        ts_idmap_free(run->ctx, &of[i].sources);
        ts_idmap_free(run->ctx, &of[i].unknown);
    }
    return code;
}

static ts_code add_counter(merge_run *run, const ts_walk *at)
{
    ts_row_measure_filter row;
    ts_filter_kind kind;
    int64_t id;
    TS_TRY(take_row(&row, run, TS_T_measure_filter, at));
    if (!ts_filter_kind_of(&kind, row.type)) {
        return ts_fail(run->ctx, TS_ERR_INPUT, "measure_filter has a counter of no known type");
    }
    const int64_t owner = kind == TS_FILTER_PROCESS
                              ? mapped(&run->processes, row.source_arg_set_id, 0)
                              : row.source_arg_set_id;
    TS_TRY(ts_filter(&id, run->store, kind, owner, row.name));
    return ts_idmap_put(run->ctx, &run->counters, row.id, (uint64_t)id);
}

/* --- issues and counts -------------------------------------------------------------------------
 */

/* Whether the end of the conversion finds it again. */
static bool is_found_again(const merge_run *run, ts_issue_code issue)
{
    bool again = issue == TS_ISSUE_clock_not_related || issue == TS_ISSUE_outside_of_range;
    for (unsigned i = 0; ts_analyses[i] != NULL && !again; i++) {
        for (const ts_issue_code *c = ts_analyses[i]->issues;
             (run->s->analyses >> i & 1) != 0 && *c != TS_ISSUE_COUNT && !again; c++) {
            again = *c == issue;
        }
    }
    return again;
}

static ts_code add_issue(merge_run *run, const ts_walk *at)
{
    char stream[NAME_BYTES];
    char message[NAME_BYTES];
    const ts_text code = ts_walk_text(at, TS_C_import_issue__code);
    unsigned issue = 0;
    while (issue < TS_ISSUE_COUNT && !ts_text_is(code, ts_issue_list[issue].name)) {
        issue++;
    }
    if (issue == TS_ISSUE_COUNT) {
        return ts_fail(run->ctx, TS_ERR_INPUT, "import_issue has a code of no known defect");
    }
    if (issue == TS_ISSUE_left_out) {
        ts_store_expect_parts(run->store);
    }
    const int64_t source =
        mapped(&run->sources, ts_walk_int_or(at, TS_C_import_issue__source_id, 0), 0);
    const int64_t count = ts_walk_int(at, TS_C_import_issue__count);
    const char *said = string_of(message, at, TS_C_import_issue__message);
    return is_found_again(run, (ts_issue_code)issue) || count < 1
               ? TS_OK
               : ts_issue_n(run->store, source, (ts_issue_code)issue,
                            string_of(stream, at, TS_C_import_issue__stream),
                            ts_walk_int_or(at, TS_C_import_issue__offset, TS_NO_OFFSET),
                            (uint64_t)count, "%s", said == NULL ? "" : said);
}

static uint64_t count_at(const ts_walk *at, unsigned column)
{
    const int64_t n = ts_walk_int_or(at, column, 0);
    return n < 0 ? 0 : (uint64_t)n;
}

static ts_code add_count(merge_run *run, const ts_walk *at)
{
    char name[NAME_BYTES];
    ts_tally *tally;
    unsigned item = 0;
    if (string_of(name, at, TS_C_import_count__item) == NULL) {
        return TS_OK;
    }
    char *detail = strchr(name, ':');
    if (detail != NULL) {
        *detail++ = '\0';
    }
    while (item < TS_ITEM_COUNT && strcmp(ts_item_list[item].name, name) != 0) {
        item++;
    }
    if (item == TS_ITEM_COUNT) {
        return ts_fail(run->ctx, TS_ERR_INPUT, "import_count has an item of no known kind");
    }
    const int64_t source =
        mapped(&run->sources, ts_walk_int_or(at, TS_C_import_count__source_id, 0), 0);
    TS_TRY(ts_count(&tally, run->store, source, (ts_item)item, detail));
    tally->has_declared = tally->has_declared || !ts_walk_null(at, TS_C_import_count__declared);
    tally->declared += count_at(at, TS_C_import_count__declared);
    tally->seen += count_at(at, TS_C_import_count__seen);
    tally->imported += count_at(at, TS_C_import_count__imported);
    tally->lost += count_at(at, TS_C_import_count__lost);
    tally->skipped += count_at(at, TS_C_import_count__skipped);
    if (item == TS_ITEM_cpu_nodes && run->root != 0 && !run->root_counted && tally->imported > 0) {
        run->root_counted = true;
        tally->imported--;
        tally->skipped++;
    }
    return TS_OK;
}

/* --- clocks and the range ----------------------------------------------------------------------
 */

static ts_clock clock_of(ts_text name)
{
    ts_clock clock = TS_CLOCK_BOOTTIME;
    while (clock < TS_CLOCK_COUNT && !ts_text_is(name, ts_clock_name(clock))) {
        clock++;
    }
    return clock < TS_CLOCK_COUNT ? clock : TS_CLOCK_UNKNOWN;
}

/* Of such profiles only the beginning and the end are known. */
static bool has_no_times(ts_text format)
{
    return ts_text_is(format, "pprof") || ts_text_is(format, "otlp");
}

/* The clock of the first source that has one, a relative one only when there is no other. */
static ts_code find_clock(ts_clock *clock, ts_range_weight *weight, merge_run *run)
{
    static const unsigned columns[] = {TS_C_source__clock, TS_C_source__format};
    ts_code code = TS_OK;
    ts_walk at = ts_walk_of(ts_rows_of(run->reader), TS_T_source, columns, 2);
    *clock = TS_CLOCK_UNKNOWN;
    *weight = TS_RANGE_ROWS;
    while (ts_walk_next(&code, &at)) {
        const ts_clock other = clock_of(ts_walk_text(&at, 0));
        if (other != TS_CLOCK_UNKNOWN &&
            (*clock == TS_CLOCK_UNKNOWN || *clock == TS_CLOCK_RELATIVE)) {
            *clock = other;
            *weight = has_no_times(ts_walk_text(&at, 1)) ? TS_RANGE_MARKS : TS_RANGE_ROWS;
        }
    }
    return code;
}

/* Rows of bare profiles and heaps, which follow each other and begin with the trace. */
static ts_code place(merge_run *run, enum ts_table_id table, uint64_t columns)
{
    merge_placed *p;
    ts_sink *sink = ts_store_sink(run->store);
    const int64_t first = run->base[table] + 1;
    const int64_t last = (int64_t)ts_sink_rows(sink, table);
    if (last < first) {
        return TS_OK;
    }
    TS_NEED(run->ctx, p = ts_vec_add(run->ctx, &run->m->placed, sizeof *p));
    *p = (merge_placed){table, first, last, columns};
    return run->m->relative_end == 0
               ? TS_OK
               : ts_sink_move(sink, table, first, last, columns, run->m->relative_end);
}

static uint64_t new_rows(const merge_run *run, enum ts_table_id table)
{
    return ts_sink_rows(ts_store_sink(run->store), table) - (uint64_t)run->base[table];
}

/* Whether it is of bare profiles and heaps of JavaScript, which have no clock. */
static bool is_bare(const merge_run *run, ts_clock clock)
{
    return clock == TS_CLOCK_RELATIVE &&
           new_rows(run, TS_T_js_heap_files) + new_rows(run, TS_T_js_cpu_profiler_sample) > 0;
}

static ts_code place_bare(merge_run *run)
{
    TS_TRY(place(run, TS_T_js_heap_files,
                 TS_NULL_BIT(js_heap_files, start_time) | TS_NULL_BIT(js_heap_files, end_time)));
    return place(run, TS_T_js_cpu_profiler_sample,
                 TS_NULL_BIT(js_cpu_profiler_sample, start_time) |
                     TS_NULL_BIT(js_cpu_profiler_sample, end_time));
}

static ts_code note_range(merge_run *run)
{
    static const unsigned columns[] = {TS_C_trace_range__start_ts, TS_C_trace_range__end_ts};
    ts_clock clock;
    ts_range_weight weight;
    ts_code code = find_clock(&clock, &weight, run);
    ts_walk at = ts_walk_of(ts_rows_of(run->reader), TS_T_trace_range, columns, 2);
    while (ts_walk_next(&code, &at)) {
        const int64_t start = ts_walk_int(&at, 0);
        int64_t end = ts_walk_int(&at, 1);
        if (clock == TS_CLOCK_UNKNOWN && (start != 0 || end != 1)) {
            clock = TS_CLOCK_BOOTTIME; /* formats that do not say it */
        }
        if (is_bare(run, clock)) {
            TS_STEP(code, place_bare(run));
            run->m->relative_end = end = ts_sat_add(run->m->relative_end, end);
        }
        /* A single time was given one before and one after it. */
        const bool single = clock != TS_CLOCK_RELATIVE && ts_sat_add(start, 2) == end;
        ts_range_note(run->store, clock, weight, single ? start + 1 : start);
        ts_range_note(run->store, clock, weight, single ? start + 1 : end);
    }
    return code;
}

static ts_code add_clocks(merge_run *run)
{
    ts_clock_set set = {0};
    char name[NAME_BYTES];
    ts_code code = TS_OK;
    ts_walk at = walk_all(run, TS_T_clock_snapshot);
    while (ts_walk_next(&code, &at)) {
        const int64_t clock = ts_walk_int(&at, TS_C_clock_snapshot__clock_id);
        if (clock > TS_CLOCK_UNKNOWN && clock < TS_CLOCK_RELATIVE) {
            set.at[clock] = (uint64_t)ts_walk_int(&at, TS_C_clock_snapshot__ts);
        }
    }
    TS_STEP(code, ts_clock_snapshot(run->store, &set));
    at = walk_all(run, TS_T_datasource_clockid);
    while (ts_walk_next(&code, &at)) {
        const int64_t clock = ts_walk_int(&at, TS_C_datasource_clockid__clock_id);
        const char *source = string_of(name, &at, TS_C_datasource_clockid__data_source_name);
        TS_STEP_IF(code, source != NULL && clock >= 0 && clock < TS_CLOCK_COUNT,
                   ts_datasource_clock(run->store, source, (ts_clock)clock));
    }
    return code;
}

/* --- facts of the whole ------------------------------------------------------------------------
 */

static ts_code add_stat(merge_run *run, const ts_walk *at)
{
    char event[NAME_BYTES];
    char type[NAME_BYTES];
    const char *what = string_of(event, at, TS_C_stat__event_name);
    const char *how = string_of(type, at, TS_C_stat__stat_type);
    const uint64_t slices = ts_sink_rows(ts_store_sink(run->store), TS_T_stack_slice) -
                            (uint64_t)run->base[TS_T_stack_slice];
    uint64_t count = count_at(at, TS_C_stat__count);
    if (what == NULL || how == NULL || count == 0) {
        return TS_OK;
    }
    /* Traced invocations are counted there at the end. */
    if (strcmp(what, "print") == 0 && strcmp(how, "received") == 0) {
        count -= count < slices ? count : slices;
    }
    return ts_stat(run->store, what, how, count);
}

static ts_code add_meta(merge_run *run)
{
    char texts[3][NAME_BYTES] = {"", "", ""};
    static const char *const names[] = {"datasize", "source_name", "source_type"};
    ts_code code = TS_OK;
    ts_walk at = walk_all(run, TS_T_meta);
    while (ts_walk_next(&code, &at)) {
        for (unsigned i = 0; i < 3; i++) {
            if (ts_text_is(ts_walk_text(&at, TS_C_meta__name), names[i])) {
                (void)string_of(texts[i], &at, TS_C_meta__value);
            }
        }
    }
    ts_meta_add_bytes(run->store, strtoull(texts[0], NULL, 10));
    return code != TS_OK || texts[1][0] == '\0' ? code
                                                : ts_meta_source(run->store, texts[1], texts[2]);
}

static int64_t first_of(int64_t a, int64_t b)
{
    return a != 0 ? a : b;
}

/* One configuration for the viewer, as the reader of these recordings makes it. */
static ts_code add_config(merge_run *run, const ts_walk *at)
{
    ts_row_js_config *all = &run->m->config;
    ts_row_js_config row;
    TS_TRY(take_row(&row, run, TS_T_js_config, at));
    if (!run->m->has_config) {
        *all = row;
        run->m->has_config = true;
        return TS_OK;
    }
    all->pid = first_of(all->pid, row.pid);
    all->interval = first_of(all->interval, row.interval);
    all->capture_numeric_value = first_of(all->capture_numeric_value, row.capture_numeric_value);
    all->trace_allocation = first_of(all->trace_allocation, row.trace_allocation);
    all->enable_cpu_profiler = first_of(all->enable_cpu_profiler, row.enable_cpu_profiler);
    all->cpu_profiler_interval = first_of(all->cpu_profiler_interval, row.cpu_profiler_interval);
    all->type = row.type > all->type ? row.type : all->type;
    return TS_OK;
}

static ts_code add_device(merge_run *run, const ts_walk *at)
{
    ts_row_device_info row;
    TS_TRY(take_row(&row, run, TS_T_device_info, at));
    if ((row.null & TS_NULL_BIT(device_info, physical_width)) == 0) {
        ts_device_info(run->store, &row);
    }
    return TS_OK;
}

/* --- one database ------------------------------------------------------------------------------
 */

static ts_code each_row(merge_run *run, enum ts_table_id id,
                        ts_code (*take)(merge_run *run, const ts_walk *at))
{
    ts_code code = TS_OK;
    ts_walk at = walk_all(run, id);
    while (ts_walk_next(&code, &at)) {
        code = take(run, &at);
    }
    return code;
}

static void advance_numbers(merge_run *run)
{
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        const merge_numbers *n = &run->numbers[i];
        if (n->any) {
            run->m->largest[i] =
                ts_sat_add(run->m->largest[i],
                           n->least < 1 ? ts_sat_add(n->largest, 1 - n->least) : n->largest);
        }
    }
}

static ts_code add_all(merge_run *run)
{
    ts_code code = merge_read_ids(run);
    TS_STEP(code, merge_read_texts(run));
    TS_STEP(code, each_row(run, TS_T_source, add_source));
    TS_STEP(code, each_row(run, TS_T_source_property, add_property));
    TS_STEP(code, add_people(run));
    TS_STEP(code, each_row(run, TS_T_measure_filter, add_counter));
    TS_STEP(code, merge_put_tables(run));
    advance_numbers(run);
    TS_STEP(code, note_range(run));
    TS_STEP(code, add_clocks(run));
    TS_STEP(code, each_row(run, TS_T_stat, add_stat));
    TS_STEP(code, add_meta(run));
    TS_STEP(code, each_row(run, TS_T_js_config, add_config));
    TS_STEP(code, each_row(run, TS_T_device_info, add_device));
    TS_STEP(code, each_row(run, TS_T_import_count, add_count));
    return code != TS_OK ? code : each_row(run, TS_T_import_issue, add_issue);
}

ts_code ts_merge_add(ts_merge *m, ts_conversion *s, ts_reader *reader, ts_db *db, const char *name)
{
    merge_run *run = ts_zalloc(s->ctx, 1, sizeof *run);
    TS_NEED(s->ctx, run);
    run->m = m;
    run->s = s;
    run->ctx = s->ctx;
    run->store = s->store;
    run->reader = reader;
    run->db = db;
    run->name = name;
    run->sources_before = ts_source_count(s->store);
    ts_code code = add_all(run);
    for (unsigned i = 0; i < TS_TABLE_COUNT; i++) {
        ts_ids_free(run->ctx, &run->ids[i]);
        ts_ids_free(run->ctx, &run->rowids[i]);
    }
    ts_idmap_free(run->ctx, &run->processes);
    ts_idmap_free(run->ctx, &run->threads);
    ts_idmap_free(run->ctx, &run->sources);
    ts_idmap_free(run->ctx, &run->counters);
    ts_buf_free(run->ctx, &run->text_bytes);
    ts_vec_free(run->ctx, &run->text_ends);
    ts_vec_free(run->ctx, &run->text_ids);
    ts_free(run->ctx, run);
    return code;
}

ts_code ts_merge_end(ts_merge *m, ts_conversion *s)
{
    ts_sink *sink = ts_store_sink(s->store);
    const merge_placed *placed = m->placed.p;
    int64_t delta;
    bool moves;
    ts_code code = ts_range_relative_begin(&moves, &delta, s->store);
    for (size_t i = 0; moves && i < m->placed.n && code == TS_OK; i++) {
        code = ts_sink_move(sink, placed[i].table, placed[i].first, placed[i].last,
                            placed[i].columns, delta);
    }
    TS_STEP_IF(code, m->root_row != 0,
               ts_sink_late_text(sink, TS_T_js_cpu_profiler_node, m->root_row,
                                 TS_C_js_cpu_profiler_node__children,
                                 ts_buf_text(&m->root_children)));
    TS_STEP_IF(code, m->has_config, ts_put_js_config(sink, &m->config));
    return code;
}

void ts_merge_free(ts_merge *m, ts_ctx *ctx)
{
    ts_vec_free(ctx, &m->placed);
    ts_buf_free(ctx, &m->root_children);
}
