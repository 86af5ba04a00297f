/* Events of a made-up kernel: threads that are switched, woken, call and count on some CPUs. */
#include "synth_ftrace.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CPUS_MAX = 256, FIRST_TID = 1000, TEXT_MAX = 160 };

typedef struct spec {
    int64_t events, cpus, processes, threads, depth, rate, seed, batch, late, lost, names, equal;
    int64_t start;
} spec;

/* An event as it is written in both forms. */
typedef struct event {
    int64_t ts;
    uint32_t cpu;
    int64_t tid; /* 0: idle */
    const char *kind;
    uint32_t number;     /* its field in FtraceEvent */
    mk_buf body;         /* its message */
    char text[TEXT_MAX]; /* its arguments */
} event;

typedef struct maker {
    spec s;
    mk_rand rand;
    int64_t now;
    uint64_t n;       /* events made */
    int64_t *running; /* by CPU: its thread, 0 idle */
    uint8_t *on_cpu;  /* by thread */
    uint32_t *height; /* by thread: open calls */
    uint8_t irq[CPUS_MAX];
    uint64_t transaction;
    uint64_t cookie;
    bool async; /* the last one is open */
    event e;
} maker;

/* --- descriptions ------------------------------------------------------------------------------
 */

static void set_value(spec *s, const char *key, const char *value)
{
    const struct {
        const char *key;
        int64_t *to;
    } keys[] = {
        {"events", &s->events},   {"cpus", &s->cpus},   {"processes", &s->processes},
        {"threads", &s->threads}, {"depth", &s->depth}, {"rate", &s->rate},
        {"seed", &s->seed},       {"batch", &s->batch}, {"late", &s->late},
        {"lost", &s->lost},       {"names", &s->names}, {"equal", &s->equal},
        {"start", &s->start},
    };
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        if (strcmp(keys[i].key, key) == 0) {
            *keys[i].to = mk_number(value, key);
            return;
        }
    }
    mk_die("a description of events has no %s", key);
}

static spec read_spec(const char *text)
{
    spec s = {.events = 10000,
              .cpus = 4,
              .processes = 8,
              .threads = 4,
              .depth = 8,
              .rate = 2000,
              .seed = 1,
              .batch = 4000,
              .names = 64,
              .start = 2000000000};
    char *copy = strdup(text);
    char *rest = copy;
    char *key;
    char *value;
    while (mk_pair(&rest, &key, &value))
        set_value(&s, key, value);
    free(copy);
    if (s.cpus < 1 || s.cpus > CPUS_MAX || s.processes < 1 || s.threads < 1 || s.batch < 1 ||
        s.rate < 1 || s.names < 1)
        mk_die("the description of events is out of range: %s", text);
    return s;
}

/* --- what is made ------------------------------------------------------------------------------
 */

static int64_t tgid_of(const maker *m, int64_t tid)
{
    return tid == 0 ? 0 : FIRST_TID + (tid - FIRST_TID) / m->s.threads * m->s.threads;
}

static void comm_of(char comm[32], int64_t tid)
{
    if (tid == 0)
        strcpy(comm, "swapper");
    else
        snprintf(comm, 32, "thread%" PRId64, tid);
}

static void begin(maker *m, const char *kind, uint32_t number)
{
    m->e.kind = kind;
    m->e.number = number;
    m->e.body.n = 0;
    m->e.text[0] = '\0';
}

static void number(maker *m, uint32_t field, uint64_t v)
{
    if (v != 0)
        mk_field_varint(&m->e.body, field, v);
}

static void text(maker *m, uint32_t field, const char *s)
{
    mk_field_bytes(&m->e.body, field, strlen(s), false);
    mk_buf_str(&m->e.body, s);
}

static void print(maker *m)
{
    text(m, 2, m->e.text);
}

static int64_t any_thread(maker *m)
{
    return FIRST_TID + (int64_t)mk_below(&m->rand, (uint64_t)(m->s.processes * m->s.threads));
}

static void make_switch(maker *m)
{
    static const char letters[] = "SRSDS";
    static const uint64_t states[] = {1, 0, 1, 2, 1};
    int64_t prev = m->running[m->e.cpu];
    int64_t next = mk_below(&m->rand, 8) == 0 ? 0 : any_thread(m);
    uint64_t state = mk_below(&m->rand, sizeof states / sizeof states[0]);
    char prev_comm[32];
    char next_comm[32];
    if (next != 0 && m->on_cpu[next - FIRST_TID])
        next = 0;
    comm_of(prev_comm, prev);
    comm_of(next_comm, next);
    begin(m, "sched_switch", 2417);
    text(m, 1, prev_comm);
    number(m, 2, (uint64_t)prev);
    number(m, 3, 120);
    number(m, 4, prev == 0 ? 0 : states[state]);
    text(m, 5, next_comm);
    number(m, 6, (uint64_t)next);
    number(m, 7, 120);
    snprintf(m->e.text, TEXT_MAX,
             "prev_comm=%s prev_pid=%" PRId64 " prev_prio=120 prev_state=%c ==> next_comm=%s "
             "next_pid=%" PRId64 " next_prio=120",
             prev_comm, prev, prev == 0 ? 'R' : letters[state], next_comm, next);
    if (prev != 0)
        m->on_cpu[prev - FIRST_TID] = 0;
    if (next != 0)
        m->on_cpu[next - FIRST_TID] = 1;
    m->running[m->e.cpu] = next;
}

static void make_wakeup(maker *m, bool waking)
{
    int64_t tid = any_thread(m);
    uint64_t target = mk_below(&m->rand, (uint64_t)m->s.cpus);
    char comm[32];
    comm_of(comm, tid);
    begin(m, waking ? "sched_waking" : "sched_wakeup", waking ? 2422 : 2420);
    text(m, 1, comm);
    number(m, 2, (uint64_t)tid);
    number(m, 3, 120);
    number(m, 5, target);
    snprintf(m->e.text, TEXT_MAX, "comm=%s pid=%" PRId64 " prio=120 target_cpu=%03" PRIu64, comm,
             tid, target);
}

static void make_call(maker *m)
{
    uint32_t *height = &m->height[m->e.tid - FIRST_TID];
    int64_t tgid = tgid_of(m, m->e.tid);
    bool up = *height == 0 || (*height < m->s.depth && mk_below(&m->rand, 2) == 0);
    begin(m, "print", 1109);
    if (up)
        snprintf(m->e.text, TEXT_MAX, "B|%" PRId64 "|H:call %" PRIu64, tgid,
                 mk_below(&m->rand, (uint64_t)m->s.names));
    else
        snprintf(m->e.text, TEXT_MAX, "E|%" PRId64 "|", tgid);
    *height = up ? *height + 1 : *height - 1;
    print(m);
}

static void make_async(maker *m)
{
    begin(m, "print", 1109);
    m->cookie += !m->async;
    m->async = !m->async;
    snprintf(m->e.text, TEXT_MAX, "%c|%d|H:load|%" PRIu64, m->async ? 'S' : 'F', FIRST_TID,
             m->cookie);
    print(m);
}

static void make_counter(maker *m)
{
    begin(m, "print", 1109);
    snprintf(m->e.text, TEXT_MAX, "C|%" PRId64 "|H:count%" PRIu64 "|%" PRIu64, tgid_of(m, m->e.tid),
             mk_below(&m->rand, 4), mk_below(&m->rand, 1000));
    print(m);
}

static void make_cpu(maker *m, bool idle)
{
    uint64_t state = idle ? mk_below(&m->rand, 3) : 300000 + 100000 * mk_below(&m->rand, 20);
    begin(m, idle ? "cpu_idle" : "cpu_frequency", idle ? 2005 : 2003);
    if (idle && state == 2)
        state = UINT32_MAX;
    number(m, 1, state);
    number(m, 2, m->e.cpu);
    snprintf(m->e.text, TEXT_MAX, "state=%" PRIu64 " cpu_id=%u", state, m->e.cpu);
}

static void make_irq(maker *m)
{
    bool in = m->irq[m->e.cpu] == 0;
    uint64_t irq = in ? 1 + mk_below(&m->rand, 30) : m->irq[m->e.cpu];
    m->irq[m->e.cpu] = in ? (uint8_t)irq : 0;
    begin(m, in ? "irq_handler_entry" : "irq_handler_exit", in ? 1500 : 1501);
    number(m, 1, irq);
    if (in) {
        text(m, 2, "uart");
        snprintf(m->e.text, TEXT_MAX, "irq=%" PRIu64 " name=uart", irq);
    } else {
        number(m, 2, 1);
        snprintf(m->e.text, TEXT_MAX, "irq=%" PRIu64 " ret=handled", irq);
    }
}

static void make_binder(maker *m)
{
    int64_t to = any_thread(m);
    m->transaction++;
    begin(m, "binder_transaction", 113);
    number(m, 1, m->transaction);
    number(m, 2, 7);
    number(m, 3, (uint64_t)tgid_of(m, to));
    number(m, 4, (uint64_t)to);
    number(m, 6, 3);
    number(m, 7, 17);
    snprintf(m->e.text, TEXT_MAX,
             "transaction=%" PRIu64 " dest_node=7 dest_proc=%" PRId64 " dest_thread=%" PRId64
             " reply=0 flags=0x11 code=0x3",
             m->transaction, tgid_of(m, to), to);
}

static void make_event(maker *m)
{
    uint64_t what = mk_below(&m->rand, 100);
    m->e.cpu = (uint32_t)mk_below(&m->rand, (uint64_t)m->s.cpus);
    m->e.tid = m->running[m->e.cpu];
    m->now += m->s.equal > 1 && m->n % (uint64_t)m->s.equal != 0
                  ? 0
                  : 1 + (int64_t)mk_below(&m->rand, (uint64_t)(2 * m->s.rate));
    m->e.ts = m->now;
    m->n++;
    /* late=N: of N events one is a thousand batches of time too late. */
    if (m->s.late > 0 && m->n % (uint64_t)m->s.late == 0)
        m->e.ts -= (int64_t)mk_below(&m->rand, (uint64_t)(m->s.rate * m->s.batch)) + 1;
    if (what < 35 || (m->e.tid == 0 && what >= 50 && what < 85))
        make_switch(m);
    else if (what < 50)
        make_wakeup(m, what % 2 != 0);
    else if (what < 80)
        make_call(m);
    else if (what < 85)
        make_counter(m);
    else if (what < 91)
        make_cpu(m, what % 2 != 0);
    else if (what < 97)
        make_irq(m);
    else if (what < 99 && m->e.tid != 0)
        make_async(m);
    else
        make_binder(m);
}

static void open_maker(maker *m, const char *description)
{
    size_t n;
    *m = (maker){.s = read_spec(description)};
    m->rand.state = (uint64_t)m->s.seed;
    m->now = m->s.start;
    n = (size_t)(m->s.processes * m->s.threads);
    m->running = calloc((size_t)m->s.cpus, sizeof *m->running);
    m->on_cpu = calloc(n, sizeof *m->on_cpu);
    m->height = calloc(n, sizeof *m->height);
    if (m->running == NULL || m->on_cpu == NULL || m->height == NULL)
        mk_die("no memory for %zu threads", n);
}

static void close_maker(maker *m)
{
    free(m->running);
    free(m->on_cpu);
    free(m->height);
    mk_buf_free(&m->e.body);
}

/* --- as messages -------------------------------------------------------------------------------
 */

static void nested(mk_buf *to, uint32_t field, const mk_buf *part)
{
    mk_field_bytes(to, field, part->n, false);
    mk_buf_put(to, part->p, part->n);
}

static void put_event(maker *m, mk_buf *detail, mk_buf *whole)
{
    char comm[32];
    uint8_t common[12] = {0x20}; /* field 4: the thread */
    mk_buf pid = {0};
    comm_of(comm, m->e.tid);
    whole->n = 0;
    mk_field_varint(whole, 1, (uint64_t)m->e.ts);
    if (m->e.tid != 0)
        mk_field_varint(whole, 2, (uint64_t)tgid_of(m, m->e.tid));
    mk_field_bytes(whole, 3, strlen(comm), false);
    mk_buf_str(whole, comm);
    mk_varint(&pid, (uint64_t)m->e.tid);
    memcpy(common + 1, pid.p, pid.n);
    mk_field_bytes(whole, 50, pid.n + 1, false);
    mk_buf_put(whole, common, pid.n + 1);
    nested(whole, m->e.number, &m->e.body);
    nested(detail, 2, whole);
    mk_buf_free(&pid);
}

static bool is_lost(const maker *m)
{
    return m->s.lost > 0 && mk_mix(m->n) % 1000 < (uint64_t)m->s.lost;
}

/* The events of each CPU, then the segment. */
static void put_batch(mk_buf details[], const uint64_t lost[], int64_t cpus, mk_writer *w)
{
    mk_buf data = {0};
    for (int64_t cpu = 0; cpu < cpus; cpu++) {
        mk_buf detail = {0};
        if (cpu != 0)
            mk_field_varint(&detail, 1, (uint64_t)cpu);
        mk_buf_put(&detail, details[cpu].p, details[cpu].n);
        if (lost[cpu] != 0)
            mk_field_varint(&detail, 3, lost[cpu]);
        nested(&data, 2, &detail);
        details[cpu].n = 0;
        mk_buf_free(&detail);
    }
    mk_plugin_whole(&w->out, &w->env, "ftrace-plugin", &data, w->next_ts);
    w->next_ts += w->step;
    mk_buf_free(&data);
}

void mk_ftrace_segments(mk_writer *w, const char *description)
{
    maker m;
    mk_buf whole = {0};
    mk_buf *details;
    uint64_t lost[CPUS_MAX] = {0};
    open_maker(&m, description);
    details = calloc((size_t)m.s.cpus, sizeof *details);
    if (details == NULL)
        mk_die("no memory");
    mk_writer_ready(w);
    while (m.n < (uint64_t)m.s.events) {
        make_event(&m);
        if (is_lost(&m))
            lost[m.e.cpu]++;
        else
            put_event(&m, &details[m.e.cpu], &whole);
        if (m.n % (uint64_t)m.s.batch == 0 || m.n == (uint64_t)m.s.events) {
            put_batch(details, lost, m.s.cpus, w);
            memset(lost, 0, sizeof lost);
        }
    }
    for (int64_t cpu = 0; cpu < m.s.cpus; cpu++)
        mk_buf_free(&details[cpu]);
    free(details);
    mk_buf_free(&whole);
    close_maker(&m);
}

/* --- as text -----------------------------------------------------------------------------------
 */

void mk_ftrace_text(const char *description, mk_sink to)
{
    maker m;
    mk_text *t = mk_realloc(NULL, sizeof *t);
    t->to = to;
    t->n = 0;
    open_maker(&m, description);
    mk_text_str(t, "# tracer: nop\n#\n");
    while (m.n < (uint64_t)m.s.events) {
        char line[2 * TEXT_MAX];
        char comm[32];
        make_event(&m);
        if (is_lost(&m))
            continue;
        comm_of(comm, m.e.tid);
        snprintf(line, sizeof line,
                 "%16s-%-5" PRId64 " (%5" PRId64 ") [%03u] d..3 %" PRId64 ".%09" PRId64
                 ": %s: %s\n",
                 m.e.tid == 0 ? "<idle>" : comm, m.e.tid, tgid_of(&m, m.e.tid), m.e.cpu,
                 m.e.ts / 1000000000, m.e.ts % 1000000000,
                 m.e.number == 1109 ? "tracing_mark_write" : m.e.kind, m.e.text);
        mk_text_str(t, line);
    }
    mk_text_flush(t);
    free(t);
    close_maker(&m);
}
