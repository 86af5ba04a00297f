#include "parsers/arkts/arkts_run.h"

#include "base/ckd.h"

#include <inttypes.h>
#include <stdio.h>

typedef struct placed_rows {
    enum ts_table_id table;
    int64_t first, last;
    uint64_t columns;
} placed_rows;

/* --- the end of the run --------------------------------------------------------------------- */

/* Nothing but bare files: their times are those of the trace. */
static ts_code place_rows(ts_arkts_run *run, ts_store *store)
{
    int64_t delta;
    bool moves;
    ts_code code = ts_range_relative_begin(&moves, &delta, store);
    for (size_t i = 0; moves && i < run->placed.n && code == TS_OK; i++) {
        const placed_rows *rows = (const placed_rows *)run->placed.p + i;
        code = ts_sink_move(ts_store_sink(store), rows->table, rows->first, rows->last,
                            rows->columns, delta);
    }
    return code;
}

static ts_code finish_run(ts_ctx *ctx, ts_store *store, void *bytes)
{
    ts_arkts_run *run = bytes;
    ts_code code = TS_OK;
    (void)ctx;
    if (run->has_config) {
        code = ts_put_js_config(ts_store_sink(store), &run->config);
    }
    TS_STEP(code, ts_profile_ids_finish(&run->profile_ids, store));
    return code != TS_OK ? code : place_rows(run, store);
}

static void release_run(ts_ctx *ctx, void *bytes)
{
    ts_arkts_run *run = bytes;
    ts_buf_free(ctx, &run->profile_ids.root_children);
    ts_vec_free(ctx, &run->placed);
}

ts_code ts_arkts_run_of(ts_arkts_run **run, ts_job *job)
{
    void *p = NULL;
    ts_code code =
        ts_job_shared(&p, job, "arkts", sizeof **run, (ts_shared_calls){finish_run, release_run});
    *run = p;
    return code;
}

/* --- the configuration ---------------------------------------------------------------------- */

static ts_code keep_text(ts_job *job, int64_t source_id, const ts_row_js_config *row)
{
    char text[200];
    snprintf(text, sizeof text,
             "pid=%" PRId64 ",type=%" PRId64 ",interval=%" PRId64 ",capture_numeric_value=%" PRId64
             ",trace_allocation=%" PRId64 ",enable_cpu_profiler=%" PRId64
             ",cpu_profiler_interval=%" PRId64,
             row->pid, row->type, row->interval, row->capture_numeric_value, row->trace_allocation,
             row->enable_cpu_profiler, row->cpu_profiler_interval);
    return ts_source_property(job->store, source_id, "js_config", ts_text_of(text));
}

static int64_t first_of(int64_t a, int64_t b)
{
    return a != 0 ? a : b;
}

/* Values that are not 0 win, the first of them; of heap types those of which there is data, and
 * timelines win over snapshots. */
static void merge_config(ts_arkts_run *run, const ts_row_js_config *row, bool heaps)
{
    ts_row_js_config *all = &run->config;
    all->pid = first_of(all->pid, row->pid);
    all->interval = first_of(all->interval, row->interval);
    all->capture_numeric_value = first_of(all->capture_numeric_value, row->capture_numeric_value);
    all->trace_allocation = first_of(all->trace_allocation, row->trace_allocation);
    all->enable_cpu_profiler = first_of(all->enable_cpu_profiler, row->enable_cpu_profiler);
    all->cpu_profiler_interval = first_of(all->cpu_profiler_interval, row->cpu_profiler_interval);
    if (heaps && (!run->config_heaps || row->type > all->type)) {
        all->type = row->type;
    }
}

static void set_config(ts_arkts_run *run, const ts_row_js_config *row, bool heaps)
{
    if (run->has_config) {
        merge_config(run, row, heaps);
    } else {
        run->config = *row;
    }
    run->has_config = true;
    run->config_heaps = run->config_heaps || heaps;
}

ts_code ts_arkts_add_config(ts_job *job, ts_arkts_run *run, const ts_row_js_config *row, bool heaps)
{
    ts_row_js_config before = run->config;
    bool again = run->has_recorded;
    ts_code code = TS_OK;
    set_config(run, row, heaps);
    run->has_recorded = true;
    if (!again) {
        run->config_source = job->source_id;
        return TS_OK;
    }
    if (run->config_source != 0) { /* the first one, which stood alone until now */
        code = keep_text(job, run->config_source, &before);
        run->config_source = 0;
    }
    TS_STEP(code, keep_text(job, job->source_id, row));
    return code != TS_OK
               ? code
               : ts_issue(job->store, job->source_id, TS_ISSUE_config_merged, NULL, TS_NO_OFFSET,
                          "the viewer shows one configuration; this one is in "
                          "source_property as well");
}

static bool has_rows(ts_store *store, enum ts_table_id table)
{
    return ts_sink_rows(ts_store_sink(store), table) > 0;
}

ts_code ts_arkts_need_config(ts_job *job, ts_arkts_run *run, bool bare)
{
    bool heap = has_rows(job->store, TS_T_js_heap_files);
    bool cpu = has_rows(job->store, TS_T_js_cpu_profile);
    bool timeline = has_rows(job->store, TS_T_js_heap_sample);
    bool first = !run->has_config;
    ts_row_js_config row = {
        .type = !heap      ? TS_HEAP_NONE
                : timeline ? TS_HEAP_TIMELINE
                           : TS_HEAP_SNAPSHOT,
        .enable_cpu_profiler = cpu,
    };
    if (!heap && !cpu) {
        return TS_OK;
    }
    set_config(run, &row, heap);
    if (!first) {
        return TS_OK;
    }
    if (bare) { /* none has a configuration */
        return ts_source_property(job->store, job->source_id, "js_config", TS_TEXT_LIT("made up"));
    }
    return ts_issue(job->store, job->source_id, TS_ISSUE_config_made_up, NULL, TS_NO_OFFSET,
                    "one js_config row was made up: type %" PRId64 ", enable_cpu_profiler %" PRId64,
                    row.type, row.enable_cpu_profiler);
}

/* --- places --------------------------------------------------------------------------------- */

ts_code ts_arkts_place(ts_job *job, ts_arkts_run *run, enum ts_table_id table, int64_t first,
                       int64_t last, uint64_t columns)
{
    placed_rows *rows;
    if (last < first) {
        return TS_OK;
    }
    TS_NEED(job->ctx, rows = ts_vec_add(job->ctx, &run->placed, sizeof *rows));
    *rows = (placed_rows){table, first, last, columns};
    return TS_OK;
}

void ts_arkts_advance(ts_job *job, ts_arkts_run *run, int64_t width)
{
    run->bare_end = ts_sat_add(run->bare_end, width > 0 ? width : 0);
    ts_range_note(job->store, TS_CLOCK_RELATIVE, TS_RANGE_ROWS, 0);
    ts_range_note(job->store, TS_CLOCK_RELATIVE, TS_RANGE_ROWS,
                  run->bare_end > 1 ? run->bare_end : 1);
}
