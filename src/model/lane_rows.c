/* What the rows of each table are to lanes. */
#include "base/ckd.h"
#include "model/lane_private.h"

/* --- times ------------------------------------------------------------------------------------ */

/* A row that lasts dur; one without an end lasts to that of the recording when `lasts` is set. */
static lane_row timed_row(const lane_reader *r, const ts_batch *b, unsigned i, unsigned state,
                          bool lasts)
{
    lane_row row = {.rowid = b->rowids[i], .ts = ts_cell_or(b, 0, i, TS_NO_TIME), .state = state};
    ts_cell dur = ts_cell_of(b, 1, i);
    row.open = dur.null;
    row.end = row.ts;
    if (row.ts == TS_NO_TIME) {
        return row;
    }
    if (!dur.null && dur.value > 0) {
        row.end = ts_sat_add(row.ts, dur.value);
    } else if (dur.null && lasts && r->end > row.ts) {
        row.end = r->end;
    }
    return row;
}

static ts_text text_of(const ts_batch *b, unsigned column, unsigned i)
{
    return b->columns[column].null[i] ? TS_TEXT_NULL : ts_cell_text(b, column, i);
}

#define NO_CELL ((ts_cell){0, true})

static ts_code cpu_row(lane_reader *r, const ts_batch *b, unsigned i)
{
    enum { CPU = 2, ITID };
    const lane_key key = {NO_CELL, NO_CELL, b->columns[CPU].ints[i], TS_TEXT_NULL};
    const lane_row row = timed_row(r, b, i, b->columns[ITID].ints[i] == 0 ? 1 : 0, true);
    return r->visit(r->user, &key, &row);
}

static ts_code irq_row(lane_reader *r, const ts_batch *b, unsigned i)
{
    enum { CPU = 2 };
    const lane_key key = {NO_CELL, NO_CELL, b->columns[CPU].ints[i], TS_TEXT_NULL};
    const lane_row row = timed_row(r, b, i, 0, false);
    return r->visit(r->user, &key, &row);
}

unsigned ts_lane_state_of(ts_text state)
{
    static const struct {
        const char *name;
        unsigned state;
    } all[] = {{"Running", 0}, {"R", 1},     {"R+", 1}, {"R-B", 1},   {"S", 2},     {"D", 3},
               {"D-IO", 3},    {"DK-IO", 3}, {"DK", 3}, {"D-NIO", 3}, {"DK-NIO", 3}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (ts_text_is(state, all[i].name)) {
            return all[i].state;
        }
    }
    return 4;
}

static ts_code state_row(lane_reader *r, const ts_batch *b, unsigned i)
{
    enum { ITID = 2, STATE };
    const lane_key key = {NO_CELL, ts_cell_of(b, ITID, i), 0, TS_TEXT_NULL};
    const lane_row row = timed_row(r, b, i, ts_lane_state_of(ts_cell_text(b, STATE, i)), true);
    return r->visit(r->user, &key, &row);
}

/* What its threads ran, on any CPU; threads of no process are of none together. */
static ts_code process_row(lane_reader *r, const ts_batch *b, unsigned i)
{
    enum { ITID = 2 };
    int64_t itid = b->columns[ITID].ints[i];
    const ts_thread_entry *t = itid == 0 ? NULL : ts_threads_at(r->threads, itid);
    const lane_key key = {
        NO_CELL, {t == NULL ? 0 : t->ipid, t == NULL || t->ipid < 0}, 0, TS_TEXT_NULL};
    const lane_row row = timed_row(r, b, i, 0, true);
    return itid == 0 ? TS_OK : r->visit(r->user, &key, &row);
}

/* By what became of it, as frame_slice.flag says. */
static ts_code frame_row(lane_reader *r, const ts_batch *b, unsigned i)
{
    enum { IPID = 2, TYPE, FLAG, NOT_KNOWN = TS_LANE_STATES - 1 };
    int64_t flag = b->columns[FLAG].null[i] ? NOT_KNOWN : b->columns[FLAG].ints[i];
    const lane_key key = {NO_CELL, ts_cell_of(b, IPID, i), b->columns[TYPE].ints[i], TS_TEXT_NULL};
    const lane_row row = timed_row(
        r, b, i, flag >= 0 && flag < NOT_KNOWN ? (unsigned)flag : (unsigned)NOT_KNOWN, false);
    return r->visit(r->user, &key, &row);
}

/* The columns begin as those of path_sums.h, which reads the same rows. */
enum { COL_SOURCE, COL_ITID, COL_TS, COL_DUR, COL_NODE, COL_EVENT, COL_PARENT = 6, COL_CPU };

static lane_row stack_row(const ts_batch *b, unsigned i)
{
    lane_row row = {.rowid = b->rowids[i],
                    .ts = ts_cell_or(b, COL_TS, i, TS_NO_TIME),
                    .state = LANE_NO_STATE,
                    .dur = ts_cell_of(b, COL_DUR, i),
                    .cpu = NO_CELL};
    row.open = row.dur.null;
    row.end = row.ts == TS_NO_TIME || row.dur.null || row.dur.value < 0
                  ? row.ts
                  : ts_sat_add(row.ts, row.dur.value);
    return row;
}

static ts_code sample_row(lane_reader *r, const ts_batch *b, unsigned i)
{
    const lane_key key = {ts_cell_of(b, COL_SOURCE, i), ts_cell_of(b, COL_ITID, i), 0,
                          text_of(b, COL_EVENT, i)};
    ts_cell node = ts_cell_of(b, COL_NODE, i);
    uint32_t place = node.null ? TS_NO_INDEX : ts_ids_find(&r->paths->nodes, node.value);
    lane_row row = stack_row(b, i);
    if (!node.null && place == TS_NO_INDEX) {
        return ts_fail(r->ctx, TS_ERR_INPUT, "row %lld of stack_sample: no call path %lld",
                       (long long)row.rowid, (long long)node.value);
    }
    uint32_t method = place == TS_NO_INDEX ? TS_NO_INDEX : r->paths->method[place];
    ts_event_kind kind;
    TS_TRY(ts_events_sample(&kind, r->events, key.source.value, key.name, row.rowid,
                            method == TS_NO_INDEX ? 0 : ts_ids_at(&r->paths->methods, method)));
    bool idle = kind.reason != NULL && strcmp(kind.reason, "idle") == 0;
    row.state = kind.class != TS_CLASS_waiting ? 0 : idle ? 1 : 2;
    return r->visit(r->user, &key, &row);
}

static ts_code call_row(lane_reader *r, const ts_batch *b, unsigned i)
{
    const lane_key key = {ts_cell_of(b, COL_SOURCE, i), ts_cell_of(b, COL_ITID, i), 0,
                          TS_TEXT_NULL};
    lane_row row = stack_row(b, i);
    if (b->columns[COL_PARENT].null[i]) {
        row.state = 0;
        row.cpu = ts_cell_of(b, COL_CPU, i);
    } else {
        row.dur = NO_CELL;
    }
    return r->visit(r->user, &key, &row);
}

static ts_code slice_row(lane_reader *r, const ts_batch *b, unsigned i)
{
    enum { ITID = 2, COOKIE, PARENT, DEPTH };
    bool async = !b->columns[COOKIE].null[i];
    const lane_key key = {NO_CELL, ts_cell_of(b, ITID, i), async ? 1 : 0, TS_TEXT_NULL};
    int64_t parent = b->columns[PARENT].null[i] ? -1 : b->columns[PARENT].ints[i];
    bool inner = !async && parent >= 0 && parent < b->rowids[i]; /* --compat: a number of none */
    lane_row row = timed_row(r, b, i, inner ? LANE_NO_STATE : 0, true);
    bool known = !b->columns[DEPTH].null[i] && b->columns[DEPTH].ints[i] >= 0;
    row.depth = known ? b->columns[DEPTH].ints[i] : -1;
    return r->visit(r->user, &key, &row);
}

/* Of a source; waits also of a kind and a thread. */
static ts_code pause_row(lane_reader *r, const ts_batch *b, unsigned i)
{
    enum { SOURCE = 2, KIND, ITID };
    bool kinds = r->kind != TS_LANE_SUSPEND;
    const lane_key key = {ts_cell_of(b, SOURCE, i),
                          r->kind == TS_LANE_WAIT ? ts_cell_of(b, ITID, i) : NO_CELL, 0,
                          kinds ? text_of(b, KIND, i) : TS_TEXT_NULL};
    const lane_row row = timed_row(r, b, i, 0, false);
    return r->visit(r->user, &key, &row);
}

/* Rows of a moment: ts, and what they are called. */
static ts_code moment_row(lane_reader *r, const ts_batch *b, unsigned i)
{
    const lane_key key = {NO_CELL, NO_CELL, 0, text_of(b, 1, i)};
    lane_row row = {
        .rowid = b->rowids[i], .ts = ts_cell_or(b, 0, i, TS_NO_TIME), .state = LANE_NO_STATE};
    row.end = row.ts;
    return r->visit(r->user, &key, &row);
}

/* --- values ----------------------------------------------------------------------------------- */

static ts_code put_value(lane_reader *r, const lane_key *key, const ts_batch *b, unsigned column,
                         unsigned i)
{
    const ts_batch_column *c = &b->columns[column];
    lane_row row = {.rowid = b->rowids[i], .ts = ts_cell_or(b, 0, i, TS_NO_TIME)};
    row.end = row.ts;
    row.has_value = !c->null[i];
    row.value = c->null[i] ? 0 : c->reals != NULL ? c->reals[i] : (double)c->ints[i];
    return r->visit(r->user, key, &row);
}

/* ts, value, and the series or the filter. */
static ts_code value_row(lane_reader *r, const ts_batch *b, unsigned i)
{
    enum { VALUE = 1, NUMBER };
    const lane_key key = {NO_CELL, NO_CELL, b->columns[NUMBER].ints[i], TS_TEXT_NULL};
    return b->columns[NUMBER].null[i] ? TS_OK : put_value(r, &key, b, VALUE, i);
}

/* ts, and columns of values; of processes their id and name before these. */
static ts_code columns_row(lane_reader *r, const ts_batch *b, unsigned i)
{
    bool live = r->kind == TS_LANE_LIVE;
    unsigned first = live ? 3 : 1;
    lane_key key = {NO_CELL, NO_CELL, 0, TS_TEXT_NULL};
    ts_code code = TS_OK;
    if (live) {
        key.itid = ts_cell_of(b, 1, i);
        key.name = text_of(b, 2, i);
    }
    for (unsigned c = first; code == TS_OK && c < lane_table_of(r->kind)->count; c++) {
        key.number = c;
        code = put_value(r, &key, b, c, i);
    }
    return code;
}

/* --- tables ----------------------------------------------------------------------------------- */

#define C(table, column) TS_C_##table##__##column
#define LANE(name, table, row, states, ...)                                                        \
    {                                                                                              \
        name, TS_T_##table, row, {states}, sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned),   \
        {                                                                                          \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    }
#define STATES(...) __VA_ARGS__

static const lane_table tables[TS_LANES] = {
    [TS_LANE_CPU] = LANE("cpu", sched_slice, cpu_row, STATES("busy", "idle"), C(sched_slice, ts),
                         C(sched_slice, dur), C(sched_slice, cpu), C(sched_slice, itid)),
    [TS_LANE_IRQ] = LANE("irq", irq, irq_row, "busy", C(irq, ts), C(irq, dur), C(irq, callid)),
    [TS_LANE_STATE] =
        LANE("state", thread_state, state_row,
             STATES("running", "runnable", "sleeping", "blocked", "other"), C(thread_state, ts),
             C(thread_state, dur), C(thread_state, itid), C(thread_state, state)),
    [TS_LANE_SAMPLE] = LANE("sample", stack_sample, sample_row, STATES("busy", "idle", "waiting"),
                            C(stack_sample, source_id), C(stack_sample, itid), C(stack_sample, ts),
                            C(stack_sample, dur), C(stack_sample, node_id), C(stack_sample, event)),
    [TS_LANE_CALL] =
        LANE("call", stack_slice, call_row, "busy", C(stack_slice, source_id), C(stack_slice, itid),
             C(stack_slice, ts), C(stack_slice, dur), C(stack_slice, node_id),
             C(stack_slice, self_dur), C(stack_slice, parent_id), C(stack_slice, cpu_dur)),
    [TS_LANE_SLICE] = LANE("slice", callstack, slice_row, "busy", C(callstack, ts),
                           C(callstack, dur), C(callstack, callid), C(callstack, cookie),
                           C(callstack, parent_id), C(callstack, depth)),
    [TS_LANE_PAUSE] =
        LANE("pause", runtime_pause, pause_row, "paused", C(runtime_pause, ts),
             C(runtime_pause, dur), C(runtime_pause, source_id), C(runtime_pause, kind)),
    [TS_LANE_SUSPEND] = LANE("suspend", cloud_suspend, pause_row, "paused", C(cloud_suspend, ts),
                             C(cloud_suspend, dur), C(cloud_suspend, source_id)),
    [TS_LANE_WAIT] =
        LANE("wait", lock_wait, pause_row, "waiting", C(lock_wait, ts), C(lock_wait, dur),
             C(lock_wait, source_id), C(lock_wait, kind), C(lock_wait, itid)),
    [TS_LANE_LOG] = LANE("log", log, moment_row, NULL, C(log, ts), C(log, level)),
    [TS_LANE_EVENT] = LANE("event", hisys_all_event, moment_row, NULL, C(hisys_all_event, ts),
                           C(hisys_all_event, level)),
    [TS_LANE_INSTANT] =
        LANE("instant", instant, moment_row, NULL, C(instant, ts), C(instant, name)),
    [TS_LANE_PROCESS_CPU] = LANE("process", sched_slice, process_row, "busy", C(sched_slice, ts),
                                 C(sched_slice, dur), C(sched_slice, itid)),
    [TS_LANE_FRAME] =
        LANE("frame", frame_slice, frame_row,
             STATES("in_time", "late", "nothing", "late_shown", "not_known"), C(frame_slice, ts),
             C(frame_slice, dur), C(frame_slice, ipid), C(frame_slice, type), C(frame_slice, flag)),
    [TS_LANE_SERIES] =
        LANE("timeseries", timeseries_value, value_row, NULL, C(timeseries_value, ts),
             C(timeseries_value, value), C(timeseries_value, series_id)),
    [TS_LANE_MEASURE] = LANE("measure", measure, value_row, NULL, C(measure, ts), C(measure, value),
                             C(measure, filter_id)),
    [TS_LANE_SYS_MEM] =
        LANE("sys_mem_measure", sys_mem_measure, value_row, NULL, C(sys_mem_measure, ts),
             C(sys_mem_measure, value), C(sys_mem_measure, filter_id)),
    [TS_LANE_PROCESS] =
        LANE("process_measure", process_measure, value_row, NULL, C(process_measure, ts),
             C(process_measure, value), C(process_measure, filter_id)),
    [TS_LANE_XPOWER] =
        LANE("xpower_measure", xpower_measure, value_row, NULL, C(xpower_measure, ts),
             C(xpower_measure, value), C(xpower_measure, filter_id)),
    [TS_LANE_CPU_USAGE] =
        LANE("cpu_usage", cpu_usage, columns_row, NULL, C(cpu_usage, ts), C(cpu_usage, total_load),
             C(cpu_usage, user_load), C(cpu_usage, system_load), C(cpu_usage, process_num)),
    [TS_LANE_DISK] =
        LANE("diskio", diskio, columns_row, NULL, C(diskio, ts), C(diskio, rd), C(diskio, wr),
             C(diskio, rd_speed), C(diskio, wr_speed), C(diskio, rd_count), C(diskio, wr_count),
             C(diskio, rd_count_speed), C(diskio, wr_count_speed)),
    [TS_LANE_NETWORK] =
        LANE("network", network, columns_row, NULL, C(network, ts), C(network, tx), C(network, rx),
             C(network, tx_speed), C(network, rx_speed), C(network, packet_in),
             C(network, packet_in_sec), C(network, packet_out), C(network, packet_out_sec)),
    [TS_LANE_LIVE] =
        LANE("live_process", live_process, columns_row, NULL, C(live_process, ts),
             C(live_process, process_id), C(live_process, process_name), C(live_process, cpu_time),
             C(live_process, cpu_usage), C(live_process, pss_info), C(live_process, thread_num),
             C(live_process, disk_writes), C(live_process, disk_reads)),
};

const lane_table *lane_table_of(ts_lane_kind kind)
{
    return &tables[kind];
}
