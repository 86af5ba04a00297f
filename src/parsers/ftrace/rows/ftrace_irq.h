/*
 * Interrupts: hardware, software, and those between processors (table irq). What came of
 * one is known at its end, and rows are in the order of their beginnings: they wait in a sorter.
 *
 * Memory: the open ones of each CPU, the different names, and the sorter's block.
 */
#ifndef TS_PARSERS_FTRACE_FTRACE_IRQ_H
#define TS_PARSERS_FTRACE_FTRACE_IRQ_H

#include "base/sorter.h"
#include "parsers/ftrace/ftrace_event.h"

struct ftrace_machine;

typedef enum ftrace_interrupt_kind {
    FTRACE_IRQ,
    FTRACE_SOFTIRQ,
    FTRACE_IPI,
    FTRACE_INTERRUPTS
} ftrace_interrupt_kind;

/* A row of irq to be. */
typedef struct ftrace_interrupt {
    uint64_t number; /* in the order of beginnings */
    int64_t ts;
    int64_t dur;  /* TS_NO_TIME: its end was not seen */
    int64_t args; /* FTRACE_NO_ARGS: none */
    uint32_t cpu;
    uint32_t name; /* in `names` of the machine */
    uint8_t kind;
    bool flagged; /* flag is 1 */
    bool used;    /* there is one here */
    uint8_t pad[5];
} ftrace_interrupt;

typedef struct ftrace_interrupts {
    ts_sorter *rows; /* NULL: none yet */
    uint64_t count;
} ftrace_interrupts;

ts_code ftrace_irq_event(struct ftrace_machine *m, const ftrace_event *event);
ts_code ftrace_irq_finish(struct ftrace_machine *m);
void ftrace_irq_free(struct ftrace_machine *m);

#endif
