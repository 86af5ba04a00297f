#include "parsers/ftrace/ftrace_loss.h"

#include "parsers/ftrace/ftrace_state.h"

uint64_t ftrace_lost(const ftrace_machine *m)
{
    return m->losses.open > 0 ? m->losses.now : m->losses.ended;
}

uint64_t ftrace_lost_of_cpu(const ftrace_machine *m, const ftrace_cpu *cpu)
{
    return cpu->losing > 0 ? m->losses.now : cpu->lost > m->losses.all ? cpu->lost : m->losses.all;
}

/* Events of a thread are those of its CPU while it is known to run there, else of any. */
uint64_t ftrace_lost_of_thread(const ftrace_machine *m, const ftrace_thread *thread)
{
    const ftrace_thread_sched *t = &thread->sched;
    uint64_t lost = ftrace_lost(m);
    if (t->place != NULL && ftrace_lost_of_cpu(m, t->place) <= t->placed) {
        return t->lost;
    }
    return lost > t->placed ? lost : t->lost;
}

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
    if ((code = ftrace_cpu_of(&cpu, m, event->cpu)) != TS_OK) {
        return code;
    }
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
