/* Samples of CPU profiles, many at once: their rows. */
#include "tables/sample_batch.h"

#include "tables/formats/common/common_constants.h"

ts_sample_place ts_sample_begin(const ts_sample_batch *b)
{
    return (ts_sample_place){
        .ts = b->ts, .run_ts = b->goes_on ? b->run_ts : b->ts, .goes_on = b->goes_on};
}

void ts_sample_move(ts_sample_place *at, const ts_sample_batch *b, unsigned n)
{
    const unsigned end = at->i + n;
    for (; at->i < end; at->i++) {
        at->ts += (int64_t)b->dur_us[at->i] * TS_NS_PER_US;
        at->goes_on = b->function_id[at->i] == 0;
        at->run_ts = at->goes_on ? at->run_ts : at->ts;
    }
}

ts_row_stack_sample ts_sample_row(const ts_sample_batch *b, const ts_sample_place *at)
{
    return (ts_row_stack_sample){
        .null = b->itid < 0 ? TS_NULL_BIT(stack_sample, itid) : 0,
        .source_id = b->source_id,
        .itid = b->itid,
        .ts = at->ts,
        .dur = (int64_t)b->dur_us[at->i] * TS_NS_PER_US,
        .node_id = b->node_id[at->i],
        .event = b->event,
    };
}

bool ts_sample_run(ts_row_js_cpu_profiler_sample *run, const ts_sample_batch *b,
                   const ts_sample_place *at)
{
    const int64_t end = at->ts + (int64_t)b->dur_us[at->i] * TS_NS_PER_US;
    *run = (ts_row_js_cpu_profiler_sample){
        .function_id = b->function_id[at->i],
        .start_time = at->run_ts + b->place,
        .end_time = end + b->place,
        .dur = end - at->run_ts,
    };
    return run->function_id != 0;
}

/* One by one. */
static ts_code put_each(ts_sink *sink, const ts_sample_batch *b)
{
    ts_sample_place at = ts_sample_begin(b);
    ts_code code = TS_OK;
    while (at.i < b->count && code == TS_OK) {
        ts_row_stack_sample row = ts_sample_row(b, &at);
        ts_row_js_cpu_profiler_sample run;
        row.id = (int64_t)sink->rows[TS_T_stack_sample] + 1;
        code = ts_put_stack_sample(sink, &row);
        if (code == TS_OK && ts_sample_run(&run, b, &at)) {
            run.id = (int64_t)sink->rows[TS_T_js_cpu_profiler_sample];
            code = ts_put_js_cpu_profiler_sample(sink, &run);
        }
        ts_sample_move(&at, b, 1);
    }
    return code;
}

ts_code ts_sink_put_samples(ts_sink *sink, const ts_sample_batch *b)
{
    ts_code code = TS_OK;
    if (sink->calls.put_samples == NULL || ts_sink_is_watched(sink, TS_T_stack_sample) ||
        ts_sink_is_watched(sink, TS_T_js_cpu_profiler_sample) ||
        !sink->calls.put_samples(&code, sink->self, b)) {
        return put_each(sink, b);
    }
    if (code == TS_OK) {
        sink->rows[TS_T_stack_sample] += b->count;
        sink->rows[TS_T_js_cpu_profiler_sample] += b->runs;
    }
    return code;
}
