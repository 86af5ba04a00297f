/* What the answers of the scheduler's questions share. */
#ifndef TS_MODEL_SCHED_ROWS_H
#define TS_MODEL_SCHED_ROWS_H

#include "model/answer_rows.h"
#include "model/sources.h"

/* The parameter pid. */
typedef struct sched_pid {
    bool asked;
    double pid;
} sched_pid;

sched_pid sched_pid_param(const ts_param *params, size_t count);
bool sched_wants_pid(const sched_pid *wanted, bool known, int64_t pid);

/* Its process, its name and its tid; NULL: not known. */
void sched_put_thread(ts_answer_row *row, const ts_thread_entry *t);

#endif
