#include "parsers/ftrace/order/ftrace_loss.h"

#include "parsers/ftrace/rows/ftrace_state.h"

void ftrace_thread_moves(ftrace_machine *m, ftrace_thread *thread, ftrace_cpu *cpu)
{
    ftrace_thread_sched *t = &thread->sched;
    t->lost = ftrace_lost_of_thread(m, thread);
    t->placed = m->losses.now;
    t->place = cpu;
}

ts_code ftrace_lose(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_losses *l = &m->losses;
    ftrace_cpu *cpu = NULL;
    ts_code code;
    if (event->kind == FTRACE_GAP) {
        l->all = l->ended = l->now;
        return TS_OK;
    }
    TS_TRY(code, ftrace_cpu_of(&cpu, m, event->cpu));
    if (event->kind == FTRACE_LOSS_BEGINS) {
        l->open += cpu->losing == 0;
        cpu->losing++;
        return TS_OK;
    }
    cpu->losing--;
    l->open -= cpu->losing == 0;
    cpu->lost = l->ended = l->now;
    return TS_OK;
}
