/* For tests of readers of events: what they say as text, a line for each. */
#ifndef TS_TEST_FTRACE_LINES_H
#define TS_TEST_FTRACE_LINES_H

#include "support.h"

#include "parsers/ftrace/ftrace_event.h"

#include <inttypes.h>

typedef struct lines {
    char text[1 << 16];
    size_t n;
} lines;

static inline void add(lines *l, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
static inline void add(lines *l, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    l->n += (size_t)vsnprintf(l->text + l->n, sizeof l->text - l->n, fmt, ap);
    va_end(ap);
    assert_true(l->n < sizeof l->text);
}

/* What a reader says was lost. */
static inline void add_loss(lines *l, const ftrace_event *e)
{
    if (e->kind == FTRACE_GAP) {
        add(l, "lost\n");
    } else if (e->kind == FTRACE_LOST_HERE) {
        add(l, "lost c%u at %" PRId64 "\n", e->cpu, e->ts);
    } else {
        add(l, "%s c%u\n", e->kind == FTRACE_STARTED ? "started" : "lost", e->cpu);
    }
}

/* Name, time, thread, and the fields by name. */
static inline void add_event(lines *l, const ftrace_event *e)
{
    const ftrace_kind_info *info = &ftrace_kinds[e->kind];
    add(l, "%s %" PRId64 " %d/%d c%u %.*s", info->name, e->ts, e->pid, e->tgid, e->cpu,
        (int)e->comm.n, e->comm.p);
    for (unsigned f = 0; f < info->field_count; f++) {
        const ftrace_field_info *field = &info->fields[f];
        if (!field->is_text && ftrace_has_number(e, field->slot)) {
            add(l, " %s=%" PRId64, field->name, e->number[field->slot]);
        }
        if (field->is_text && ftrace_has_text(e, field->slot)) {
            add(l, " %s='%.*s'", field->name, (int)e->text[field->slot].n, e->text[field->slot].p);
        }
    }
    add(l, "\n");
}

#endif
