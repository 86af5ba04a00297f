#include "parsers/ftrace/rows/ftrace_state.h"

enum { SORTER_MEMORY = 8 << 20, SOFTIRQS = 10 };

static const ts_text softirqs[SOFTIRQS] = {
    TS_TEXT_LIT("HI"),      TS_TEXT_LIT("TIMER"), TS_TEXT_LIT("NET_TX"),
    TS_TEXT_LIT("NET_RX"),  TS_TEXT_LIT("BLOCK"), TS_TEXT_LIT("BLOCK_IOPOLL"),
    TS_TEXT_LIT("TASKLET"), TS_TEXT_LIT("SCHED"), TS_TEXT_LIT("HRTIMER"),
    TS_TEXT_LIT("RCU"),
};

/* The row is complete. */
static ts_code add_row(ftrace_machine *m, ftrace_interrupt *row)
{
    static const ts_sorter_order order = {.key_offset = offsetof(ftrace_interrupt, number),
                                          .key_count = 1};
    if (!row->used) {
        return TS_OK;
    }
    row->used = false;
    return ts_sorter_put(&m->interrupts.rows, m->ctx, row, sizeof *row, &order, SORTER_MEMORY);
}

/* lost: the kind that is counted when one is open. */
static ts_code begin(ftrace_machine *m, const ftrace_event *event, ftrace_cpu *cpu,
                     ftrace_interrupt_kind kind, ts_text name)
{
    ftrace_interrupt *row = &cpu->interrupts[kind];
    uint32_t number = 0;
    ts_code code = ftrace_clean(&name, m);
    if (row->used) {
        ftrace_stat(m, event->kind, FTRACE_LOST);
        TS_STEP(code, add_row(m, row));
    }
    TS_STEP(code, ts_pool_intern(m->ctx, &number, NULL, &m->names, name));
    *row = (ftrace_interrupt){.number = m->interrupts.count++,
                              .ts = event->ts,
                              .dur = TS_NO_TIME,
                              .args = FTRACE_NO_ARGS,
                              .cpu = event->cpu,
                              .name = number,
                              .kind = (uint8_t)kind,
                              .used = true};
    return code;
}

static void end(ftrace_interrupt *row, int64_t ts, bool flagged)
{
    row->flagged = flagged;
    row->dur = ftrace_time_between(row->ts, ts);
}

static ts_code irq_entry(ftrace_machine *m, const ftrace_event *event, ftrace_cpu *cpu)
{
    ts_code code = begin(m, event, cpu, FTRACE_IRQ, event->text[FTRACE_T_irq_handler_entry_name]);
    return code != TS_OK ? code : add_row(m, &cpu->ended_ipi);
}

static ts_code irq_exit(ftrace_machine *m, const ftrace_event *event, ftrace_cpu *cpu)
{
    ftrace_interrupt *row = &cpu->interrupts[FTRACE_IRQ];
    bool handled = event->number[FTRACE_N_irq_handler_exit_ret] == 1;
    ts_code code;
    if (!row->used) {
        ftrace_stat(m, event->kind, FTRACE_NOT_MATCH);
        return TS_OK;
    }
    end(row, event->ts, !cpu->ended_ipi.used);
    code = ftrace_args_text(&row->args, &m->args, "irq_ret",
                            handled ? TS_TEXT_LIT("handled") : TS_TEXT_LIT("unhandled"));
    TS_STEP(code, ftrace_args_int(&row->args, &m->args, "irq",
                                  event->number[FTRACE_N_irq_handler_exit_irq]));
    if (cpu->ended_ipi.used) {
        row->dur = m->compat /* QF-28 */ ? cpu->ended_ipi.dur : row->dur;
        cpu->ended_ipi.args = row->args;
        TS_STEP(code, add_row(m, &cpu->ended_ipi));
    }
    return code != TS_OK ? code : add_row(m, row);
}

static ts_code softirq_entry(ftrace_machine *m, const ftrace_event *event, ftrace_cpu *cpu)
{
    int64_t vec = event->number[FTRACE_N_softirq_entry_vec];
    return vec < 0 || vec >= SOFTIRQS ? TS_OK : begin(m, event, cpu, FTRACE_SOFTIRQ, softirqs[vec]);
}

static ts_code softirq_exit(ftrace_machine *m, const ftrace_event *event, ftrace_cpu *cpu)
{
    ftrace_interrupt *row = &cpu->interrupts[FTRACE_SOFTIRQ];
    int64_t vec = event->number[FTRACE_N_softirq_exit_vec];
    if (vec < 0 || vec >= SOFTIRQS) {
        ftrace_stat(m, event->kind, FTRACE_NOT_MATCH);
        return TS_OK;
    }
    if (!row->used) {
        ftrace_stat(m, event->kind, FTRACE_LOST);
        return TS_OK;
    }
    end(row, event->ts, false);
    TS_TRY(ftrace_args_text(&row->args, &m->args, "irq_ret", softirqs[vec]));
    TS_TRY(ftrace_args_int(&row->args, &m->args, "vec", vec));
    return add_row(m, row);
}

static ts_code ipi_exit(ftrace_machine *m, const ftrace_event *event, ftrace_cpu *cpu)
{
    ftrace_interrupt *row = &cpu->interrupts[FTRACE_IPI];
    ts_code code;
    if (!row->used) {
        ftrace_stat(m, FTRACE_softirq_exit, FTRACE_LOST);
        return TS_OK;
    }
    end(row, event->ts, true);
    if (!cpu->interrupts[FTRACE_IRQ].used) {
        return add_row(m, row);
    }
    code = add_row(m, &cpu->ended_ipi);
    cpu->ended_ipi = *row; /* it is going to have the arguments of the irq */
    row->used = false;
    return code;
}

/* What is open has no end that is known. */
static ts_code put_open(ftrace_machine *m, ftrace_cpu *cpu)
{
    ts_code code = TS_OK;
    for (unsigned k = 0; k < FTRACE_INTERRUPTS && code == TS_OK; k++) {
        code = add_row(m, &cpu->interrupts[k]);
    }
    return code != TS_OK ? code : add_row(m, &cpu->ended_ipi);
}

ts_code ftrace_irq_event(ftrace_machine *m, const ftrace_event *event)
{
    ftrace_cpu *cpu = NULL;
    ts_code code = ftrace_cpu_of(&cpu, m, event->cpu);
    TS_STEP_IF(code, ftrace_lost_of_cpu(m, cpu) > cpu->interrupted, put_open(m, cpu));
    if (code != TS_OK) {
        return code;
    }
    cpu->interrupted = m->losses.now;
    switch ((ftrace_kind)event->kind) {
    case FTRACE_irq_handler_entry:
        return irq_entry(m, event, cpu);
    case FTRACE_irq_handler_exit:
        return irq_exit(m, event, cpu);
    case FTRACE_softirq_entry:
        return softirq_entry(m, event, cpu);
    case FTRACE_softirq_exit:
        return softirq_exit(m, event, cpu);
    case FTRACE_ipi_entry:
        return begin(m, event, cpu, FTRACE_IPI, event->text[FTRACE_T_ipi_entry_reason]);
    default:
        return ipi_exit(m, event, cpu);
    }
}

static ts_code put_row(void *machine, const void *record)
{
    ftrace_machine *m = machine;
    const ftrace_interrupt *irq = record;
    static const ts_text cats[FTRACE_INTERRUPTS] = {[FTRACE_IRQ] = TS_TEXT_LIT("irq"),
                                                    [FTRACE_SOFTIRQ] = TS_TEXT_LIT("softirq"),
                                                    [FTRACE_IPI] = TS_TEXT_LIT("ipi")};
    ts_row_irq row = {.null = TS_NULL_BIT(irq, cookie) | TS_NULL_BIT(irq, parent_id),
                      .id = (int64_t)ts_sink_rows(m->sink, TS_T_irq),
                      .ts = irq->ts,
                      .dur = irq->dur,
                      .callid = irq->cpu,
                      .cat = cats[irq->kind],
                      .name = ts_pool_text(&m->names, irq->name),
                      .argsetid = irq->args,
                      .flag = irq->flagged ? TS_TEXT_LIT("1") : TS_TEXT_LIT("")};
    if (irq->dur == TS_NO_TIME && m->compat /* QF-28 */) {
        row.dur = 0;
    } else if (irq->dur == TS_NO_TIME) {
        TS_SET_NULL(irq, &row, dur);
    }
    row.null |= irq->args == FTRACE_NO_ARGS ? TS_NULL_BIT(irq, argsetid) : 0;
    return ts_put_irq(m->sink, &row);
}

ts_code ftrace_irq_finish(ftrace_machine *m)
{
    ts_code code = TS_OK;
    for (uint32_t i = 0; i < m->sched.cpu_numbers.count && code == TS_OK; i++) {
        code = put_open(m, (ftrace_cpu *)(uintptr_t)m->sched.cpu_numbers.entries[i].value);
    }
    return code != TS_OK ? code : ts_sorter_drain(m->interrupts.rows, put_row, m);
}

void ftrace_irq_free(ftrace_machine *m)
{
    ts_sorter_close(m->interrupts.rows);
}
