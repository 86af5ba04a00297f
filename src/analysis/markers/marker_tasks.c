/*
 * task_pool: the calls that submit, run and end each task of a process. Of two calls of one kind
 * the first counts; what several calls say of a task, too.
 */
#include "analysis/markers/marker_work.h"

enum { STEPS = MARKER_TASK_END + 1 };
enum { PRIORITY, EXECUTE_STATE, RETURN_STATE, NUMBERS };

/* A call; with those of its task beside it in the order of the keys. */
typedef struct task_call {
    uint64_t ipid, task; /* ts_sorter_key */
    uint64_t number;     /* in the order of callstack */
    int64_t id;
    int64_t itid;
    int64_t numbers[NUMBERS];
    uint32_t has; /* a bit for each of the numbers */
    uint32_t step;
} task_call;

typedef struct task_record {
    uint64_t number; /* of its first call */
    int64_t task;
    int64_t ids[STEPS], itids[STEPS];
    int64_t numbers[NUMBERS];
    uint32_t has;
    uint32_t steps; /* a bit for each */
} task_record;

typedef struct task_work {
    marker_work *w;
    uint64_t count;
    ts_sorter *calls; /* by process and task */
    ts_sorter *tasks; /* by the first call */
} task_work;

static bool whole_number(int64_t *out, ts_text t)
{
    return marker_number(out, &t) && t.n == 0;
}

/* The pairs "key : value" between commas; false: no task is named. */
static bool read_pairs(task_call *call, int64_t *task, ts_text text)
{
    bool has_task = false;
    bool has_execution = false;
    int64_t execution = 0;
    ts_text rest = marker_part(&text, "|"); /* level and tag of the marker follow */
    while (rest.p != NULL) {
        ts_text value = marker_part(&rest, ",");
        ts_text key = marker_part(&value, ":");
        int64_t n;
        value = marker_part(&value, "\n");
        if (ts_text_is(key, "performResult") && (call->has & 1u << RETURN_STATE) == 0) {
            call->numbers[RETURN_STATE] = !ts_text_is(value, "Successful");
            call->has |= 1u << RETURN_STATE;
        } else if (!whole_number(&n, value)) {
            continue;
        } else if (ts_text_is(key, "taskId") && !has_task) {
            has_task = true;
            *task = n;
        } else if (ts_text_is(key, "executeId") && !has_execution) {
            has_execution = true;
            execution = n;
        } else if (ts_text_is(key, "priority") && (call->has & 1u << PRIORITY) == 0) {
            call->numbers[PRIORITY] = n;
            call->has |= 1u << PRIORITY;
        } else if (ts_text_is(key, "executeState") && (call->has & 1u << EXECUTE_STATE) == 0) {
            call->numbers[EXECUTE_STATE] = n;
            call->has |= 1u << EXECUTE_STATE;
        }
    }
    if (!has_task) {
        *task = execution;
    }
    return has_task || has_execution;
}

static ts_code tasks_take(void *self, const marker *m, unsigned step)
{
    task_work *t = self;
    int64_t task;
    task_call call = {.number = t->count, .id = m->id, .itid = m->itid, .step = step};
    if (!read_pairs(&call, &task, ts_text_from(m->name, m->prefix))) {
        return TS_OK;
    }
    t->count++;
    call.ipid = ts_sorter_key(marker_thread_of(t->w, m->itid).ipid);
    call.task = ts_sorter_key(task);
    return marker_keep(t->w, &t->calls, &call, sizeof call, 3);
}

/* --- rows ---------------------------------------------------------------------------------- */

static void add_call(task_record *task, const task_call *call)
{
    if ((task->steps & 1u << call->step) == 0) {
        task->steps |= 1u << call->step;
        task->ids[call->step] = call->id;
        task->itids[call->step] = call->itid;
    }
    for (unsigned i = 0; i < NUMBERS; i++) {
        if ((call->has & ~task->has & 1u << i) != 0) {
            task->numbers[i] = call->numbers[i];
        }
    }
    task->has |= call->has;
}

static ts_code join_calls(task_work *t)
{
    const void *record = NULL;
    task_record task = {0};
    uint64_t ipid = 0;
    ts_code code = ts_sorter_finish(t->calls);
    while (code == TS_OK && (code = ts_sorter_next(&record, t->calls)) == TS_OK) {
        const task_call *call = record;
        bool same = call != NULL && task.steps != 0 && call->ipid == ipid &&
                    call->task == ts_sorter_key(task.task);
        if (!same && task.steps != 0) {
            code = marker_keep(t->w, &t->tasks, &task, sizeof task, 1);
        }
        if (call == NULL || code != TS_OK) {
            break;
        }
        if (!same) {
            task = (task_record){.number = call->number,
                                 .task = (int64_t)(call->task ^ UINT64_C(1) << 63)};
            ipid = call->ipid;
        }
        add_call(&task, call);
    }
    return code;
}

static ts_code put_task(void *self, const void *record)
{
    task_work *t = self;
    const task_record *task = record;
    static const uint64_t step_bits[STEPS] = {
        TS_NULL_BIT(task_pool, allocation_task_row) | TS_NULL_BIT(task_pool, allocation_itid),
        TS_NULL_BIT(task_pool, execute_task_row) | TS_NULL_BIT(task_pool, execute_itid),
        TS_NULL_BIT(task_pool, return_task_row) | TS_NULL_BIT(task_pool, return_itid)};
    static const uint64_t number_bits[NUMBERS] = {TS_NULL_BIT(task_pool, priority),
                                                  TS_NULL_BIT(task_pool, execute_state),
                                                  TS_NULL_BIT(task_pool, return_state)};
    ts_row_task_pool row = {
        .id = (int64_t)ts_sink_rows(t->w->sink, TS_T_task_pool),
        .allocation_task_row = task->ids[MARKER_TASK_BEGIN],
        .execute_task_row = task->ids[MARKER_TASK_RUN],
        .return_task_row = task->ids[MARKER_TASK_END],
        .allocation_itid = task->itids[MARKER_TASK_BEGIN],
        .execute_itid = task->itids[MARKER_TASK_RUN],
        .return_itid = task->itids[MARKER_TASK_END],
        .task_id = task->task,
        .priority = task->numbers[PRIORITY],
        .execute_state = task->numbers[EXECUTE_STATE],
        .return_state = task->numbers[RETURN_STATE],
        .null = TS_NULL_BIT(task_pool, timeout_row),
    };
    for (unsigned i = 0; i < STEPS; i++) {
        row.null |= (task->steps & 1u << i) == 0 ? step_bits[i] : 0;
    }
    for (unsigned i = 0; i < NUMBERS; i++) {
        row.null |= (task->has & 1u << i) == 0 ? number_bits[i] : 0;
    }
    return ts_put_task_pool(t->w->sink, &row);
}

static ts_code tasks_finish(void *self)
{
    task_work *t = self;
    ts_code code = t->calls == NULL ? TS_OK : join_calls(t);
    return code != TS_OK ? code : ts_sorter_drain(t->tasks, put_task, t);
}

static void tasks_close(void *self)
{
    task_work *t = self;
    ts_sorter_close(t->calls);
    ts_sorter_close(t->tasks);
}

const marker_kind marker_tasks = {sizeof(task_work), tasks_take, tasks_finish, tasks_close};
