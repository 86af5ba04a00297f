/*
 * mkchrometrace: makes a trace of any size as Chrome and Node.js write them (Trace Event Format),
 * the same bytes for the same options, with disorder and damage on demand. `mkchrometrace --help`
 * lists everything.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_THREADS = 256, MAX_DEPTH = 64, NODES = 200, SAMPLES = 100, BUFFER = 1 << 20 };

typedef struct config {
    const char *output;
    const char *form; /* object, list, open (a list without its end) or node */
    uint64_t bytes, seed, threads, depth, names, pairs, async, counters, profiles, disorder,
        fractions;
    uint64_t lost_ends, double_ends, crossing, negative, odd, late_names;
} config;

typedef struct thread {
    uint64_t pid, tid, now;
    uint64_t nodes; /* of its profile; 0: it has none */
    uint64_t sampled;
    bool named;
} thread;

typedef struct maker {
    config cfg;
    FILE *out;
    uint64_t random, written, tasks, async;
    bool any;
    thread threads[MAX_THREADS];
    char *held; /* an event that is after the next one */
    size_t held_n;
    char event[BUFFER];
} maker;

static uint64_t next(maker *m)
{
    m->random ^= m->random << 13;
    m->random ^= m->random >> 7;
    m->random ^= m->random << 17;
    return m->random >> 11;
}

/* True n times of 1000. */
static bool chance(maker *m, uint64_t n)
{
    return n > 0 && next(m) % 1000 < n;
}

/* --- events ---------------------------------------------------------------------------------- */

static void put_text(maker *m, const char *p, size_t n)
{
    fwrite(p, 1, n, m->out);
    m->written += n;
}

static void put_event(maker *m, size_t n)
{
    const char *between = m->any ? ",\n" : "";
    put_text(m, between, strlen(between));
    m->any = true;
    put_text(m, m->event, n);
}

/* Writes what is in m->event, now or after the next one. */
static void emit(maker *m, size_t n)
{
    if (m->held == NULL && chance(m, m->cfg.disorder)) {
        m->held = malloc(n);
        if (m->held != NULL) {
            memcpy(m->held, m->event, n);
            m->held_n = n;
            return;
        }
    }
    put_event(m, n);
    if (m->held != NULL) {
        memcpy(m->event, m->held, m->held_n);
        free(m->held);
        m->held = NULL;
        put_event(m, m->held_n);
    }
}

static size_t add(maker *m, size_t at, const char *fmt, ...) __attribute__((format(printf, 3, 4)));
static size_t add(maker *m, size_t at, const char *fmt, ...)
{
    va_list ap;
    int n;
    va_start(ap, fmt);
    n = vsnprintf(m->event + at, BUFFER - at, fmt, ap);
    va_end(ap);
    return n < 0 || (size_t)n >= BUFFER - at ? at : at + (size_t)n;
}

static size_t add_time(maker *m, size_t at, const char *key, uint64_t us)
{
    return chance(m, m->cfg.fractions)
               ? add(m, at, ",\"%s\":%" PRIu64 ".%03" PRIu64, key, us, us % 1000)
               : add(m, at, ",\"%s\":%" PRIu64, key, us);
}

static size_t begin(maker *m, const thread *t, char phase, const char *cat, const char *name,
                    const char *args)
{
    return add(m, 0,
               "{\"args\":%s,\"cat\":\"%s\",\"name\":\"%s\",\"ph\":\"%c\",\"pid\":%" PRIu64
               ",\"tid\":%" PRIu64,
               args, cat, name, phase, t->pid, t->tid);
}

static void simple(maker *m, const thread *t, char phase, const char *cat, const char *name,
                   const char *args, uint64_t ts, const char *more)
{
    size_t n = begin(m, t, phase, cat, name, args);
    n = add_time(m, n, "ts", ts);
    n = add(m, n, "%s}", more);
    emit(m, n);
}

/* --- spans ----------------------------------------------------------------------------------- */

static const char *const names[] = {
    "RunTask",    "FunctionCall", "EvaluateScript",   "UpdateLayoutTree",
    "Layout",     "Paint",        "Receive message",  "TimerFire",
    "v8.compile", "MinorGC",      "FireIdleCallback", "ParseHTML",
    "HitTest",    "Commit",       "XHRLoad",          "na\\u00efve \\\"x\\\"",
};

static void name_of(maker *m, char *name, size_t size, uint64_t level)
{
    /* A fourth of the names on each level: programs have far less call paths than calls. */
    uint64_t part = m->cfg.names / 4 + 1;
    uint64_t i = level == 0 ? 0 : (level * part + next(m) % part) % (m->cfg.names + 1);
    uint64_t known = sizeof names / sizeof names[0];
    if (i < known) {
        snprintf(name, size, "%s", names[i]);
    } else {
        snprintf(name, size, "%s #%" PRIu64, names[i % known], i);
    }
}

static void args_of(maker *m, char *args, size_t size, uint64_t level)
{
    switch (next(m) % 4) {
    case 0:
        snprintf(args, size, "{}");
        break;
    case 1:
        snprintf(args, size,
                 "{\"src_file\":\"components/part_%" PRIu64 ".cc\",\"src_func\":\"Run\"}",
                 next(m) % 100);
        break;
    case 2:
        snprintf(args, size,
                 "{\"data\":{\"columnNumber\":%" PRIu64
                 ",\"frame\":\"E6B42041C4D7B36C1BFB74B9D0174198\","
                 "\"functionName\":\"f%" PRIu64 "\",\"lineNumber\":%" PRIu64
                 ",\"url\":\"https://example.org/app.js\"}}",
                 next(m) % 90, next(m) % 300, next(m) % 5000);
        break;
    default:
        snprintf(args, size, "{\"beginData\":{\"dirty\":[%" PRIu64 ",%" PRIu64 "],\"partial\":%s}}",
                 next(m) % 50, level, next(m) % 2 == 0 ? "true" : "false");
        break;
    }
}

/* A span of [from, to] that is one event, or the beginning of one of two. */
static void open_span(maker *m, const thread *t, const char *name, uint64_t level, uint64_t from,
                      uint64_t to, bool pair)
{
    char args[512];
    char more[128];
    uint64_t dur = to - from;
    args_of(m, args, sizeof args, level);
    if (pair) {
        simple(m, t, 'B', "toplevel,flow", name, args, from, "");
        return;
    }
    if (chance(m, m->cfg.crossing)) {
        dur += 1000000;
    }
    snprintf(more, sizeof more, ",\"dur\":%s%" PRIu64 ",\"tdur\":%" PRIu64 ",\"tts\":%" PRIu64,
             chance(m, m->cfg.negative) ? "-" : "", dur, dur / 2, from % 10000000);
    simple(m, t, 'X', "devtools.timeline", name, args, from, more);
}

static void close_span(maker *m, const thread *t, const char *name, uint64_t to)
{
    if (!chance(m, m->cfg.lost_ends)) {
        simple(m, t, 'E', "toplevel,flow", name, "{}", to, "");
    }
    if (chance(m, m->cfg.double_ends)) {
        simple(m, t, 'E', "toplevel,flow", name, "{}", to, "");
    }
}

/* A task with spans in it, each in the first or the second half of the one around it. */
static void task(maker *m, thread *t)
{
    struct {
        uint64_t from, to;
        unsigned parts;
        bool pair;
        char name[64];
    } open[MAX_DEPTH];
    size_t n = 0;
    uint64_t end = t->now + 64 + next(m) % 20000;
    open[n].from = t->now;
    open[n].to = end;
    open[n].parts = 0;
    for (;;) {
        if (open[n].parts == 0) {
            open[n].pair = chance(m, m->cfg.pairs);
            name_of(m, open[n].name, sizeof open[n].name, n);
            open_span(m, t, open[n].name, n, open[n].from, open[n].to, open[n].pair);
        }
        if (n + 1 < m->cfg.depth && open[n].parts < 2 && open[n].to - open[n].from > 8 &&
            next(m) % 4 != 0) {
            uint64_t middle = open[n].from + (open[n].to - open[n].from) / 2;
            bool second = open[n].parts++ == 1;
            open[n + 1].from = second ? middle + 1 : open[n].from;
            open[n + 1].to = second ? open[n].to - next(m) % 3 : middle;
            open[n + 1].parts = 0;
            n++;
            continue;
        }
        open[n].parts = 2;
        if (open[n].pair) {
            close_span(m, t, open[n].name, open[n].to);
        }
        if (n == 0) {
            break;
        }
        n--;
    }
    t->now = end + next(m) % 300;
}

/* --- everything else ------------------------------------------------------------------------- */

static void async_span(maker *m, const thread *t)
{
    uint64_t id = m->async++;
    char more[64];
    snprintf(more, sizeof more, ",\"id2\":{\"local\":\"0x%" PRIx64 "\"}", id);
    simple(m, t, 'b', "netlog", "URL_REQUEST", "{\"params\":{\"method\":\"GET\"}}", t->now, more);
    simple(m, t, 'b', "netlog", "CONNECT", "{}", t->now + 3, more);
    simple(m, t, 'n', "netlog", "DELEGATE", "{}", t->now + 4, more);
    simple(m, t, 'e', "netlog", "CONNECT", "{}", t->now + 700, more);
    simple(m, t, 'e', "netlog", "URL_REQUEST", "{}", t->now + 900, more);
}

static void counters(maker *m, const thread *t)
{
    char args[128];
    snprintf(args, sizeof args, "{\"nodes\":%" PRIu64 ",\"listeners\":%" PRIu64 ".5}",
             1000 + next(m) % 500, next(m) % 40);
    simple(m, t, 'C', "memory", "Counters", args, t->now, ",\"id\":\"0x1\"");
}

static size_t add_nodes(maker *m, size_t n, thread *t)
{
    uint64_t more = t->nodes >= NODES ? 0 : 1 + next(m) % 20;
    if (more == 0) {
        return n;
    }
    n = add(m, n, "\"nodes\":[");
    for (uint64_t i = 0; i < more; i++) {
        uint64_t id = ++t->nodes;
        n = add(m, n,
                "%s{\"callFrame\":{\"codeType\":\"JS\",\"columnNumber\":%" PRIu64
                ",\"functionName\":\"%s%" PRIu64 "\",\"lineNumber\":%" PRIu64
                ",\"scriptId\":%" PRIu64 ",\"url\":\"file:///app/%" PRIu64 ".js\"},\"id\":%" PRIu64,
                i == 0 ? "" : ",", id % 50, id == 1 ? "(root)" : "f", id % 90, id % 1000, id % 9,
                id % 9, id);
        n = id == 1 ? add(m, n, "}")
                    : add(m, n, ",\"parent\":%" PRIu64 "}", 1 + next(m) % (id - 1));
    }
    return add(m, n, "],");
}

static size_t add_list(maker *m, size_t n, const char *key, uint64_t from, uint64_t range)
{
    n = add(m, n, "\"%s\":[", key);
    for (unsigned i = 0; i < SAMPLES; i++) {
        n = add(m, n, "%s%" PRIu64, i == 0 ? "" : ",", from + next(m) % range);
    }
    return add(m, n, "]");
}

static void chunk(maker *m, thread *t)
{
    thread other = *t;
    size_t n;
    other.tid += 500; /* a thread of its own writes chunks */
    n = add(m, 0, "{\"args\":{\"data\":{\"cpuProfile\":{");
    n = add_nodes(m, n, t);
    n = add_list(m, n, "samples", 1, t->nodes);
    n = add(m, n, "},");
    n = add_list(m, n, "lines", 0, 900);
    n = add(m, n, ",");
    n = add_list(m, n, "timeDeltas", 100, 150);
    n = add(m, n,
            "}},\"cat\":\"disabled-by-default-v8.cpu_profiler\",\"id\":\"0x%" PRIx64
            "\",\"name\":\"ProfileChunk\",\"ph\":\"P\",\"pid\":%" PRIu64 ",\"tid\":%" PRIu64
            ",\"ts\":%" PRIu64 "}",
            t->tid, t->pid, other.tid, t->now);
    emit(m, n);
}

static void metadata(maker *m, const thread *t)
{
    char args[64];
    snprintf(args, sizeof args, "{\"name\":\"Thread %" PRIu64 "\"}", t->tid % 1000);
    simple(m, t, 'M', "__metadata", "thread_name", args, 0, "");
    snprintf(args, sizeof args, "{\"name\":\"Process %" PRIu64 "\"}", t->pid);
    simple(m, t, 'M', "__metadata", "process_name", args, 0, "");
}

static void odd_event(maker *m, const thread *t)
{
    static const char *const events[] = {
        "{\"ph\":\"Z\",\"ts\":5}",
        "7",
        "{\"ph\":\"X\",\"dur\":1}",
        "{\"ph\":\"B\",\"ts\":\"soon\",\"name\":\"x\",\"pid\":1,\"tid\":\"main\"}",
        "{\"ph\":\"C\",\"ts\":1e3,\"name\":\"c\",\"args\":{\"v\":\"x\"}}",
    };
    (void)t;
    emit(m, add(m, 0, "%s", events[next(m) % (sizeof events / sizeof events[0])]));
}

static void one_task(maker *m)
{
    thread *t = &m->threads[next(m) % m->cfg.threads];
    if (!t->named && !chance(m, m->cfg.late_names)) {
        metadata(m, t);
        t->named = true;
    }
    task(m, t);
    m->tasks++;
    if (chance(m, m->cfg.async)) {
        async_span(m, t);
    }
    if (chance(m, m->cfg.counters)) {
        counters(m, t);
    }
    if (m->tasks % 7 == 0) {
        simple(m, t, 'I', "v8", "V8.GC_Heap_Stats", "{\"stats\":{\"used\":12345}}", t->now,
               ",\"s\":\"t\"");
    }
    if (t->nodes > 0 && chance(m, 60)) {
        chunk(m, t);
    }
    if (chance(m, m->cfg.odd)) {
        odd_event(m, t);
    }
}

static void make(maker *m)
{
    bool list = strcmp(m->cfg.form, "list") == 0 || strcmp(m->cfg.form, "open") == 0;
    const char *head = list ? "[\n" : "{\"traceEvents\":[\n";
    const char *tail = strcmp(m->cfg.form, "open") == 0 ? ",\n"
                       : list                           ? "\n]\n"
                       : strcmp(m->cfg.form, "node") == 0
                           ? "]}"
                           : "\n],\n\"metadata\":{\"command-line\":\"chrome\","
                             "\"cpu-model\":7,\"more\":{\"a\":1}}}";
    for (uint64_t i = 0; i < m->cfg.threads; i++) {
        thread *t = &m->threads[i];
        *t = (thread){
            .pid = 1000 + i / 4, .tid = 2000 + i, .now = UINT64_C(48198000000) + next(m) % 1000};
    }
    put_text(m, head, strlen(head));
    for (uint64_t i = 0; i < m->cfg.threads && i < m->cfg.profiles; i++) {
        thread *t = &m->threads[i];
        char args[64];
        char more[32];
        snprintf(args, sizeof args, "{\"data\":{\"startTime\":%" PRIu64 "}}", t->now);
        snprintf(more, sizeof more, ",\"id\":\"0x%" PRIx64 "\"", t->tid);
        simple(m, t, 'P', "disabled-by-default-v8.cpu_profiler", "Profile", args, t->now, more);
        chunk(m, t);
    }
    while (m->written < m->cfg.bytes) {
        one_task(m);
    }
    for (uint64_t i = 0; i < m->cfg.threads; i++) {
        if (!m->threads[i].named) {
            metadata(m, &m->threads[i]);
        }
    }
    put_text(m, tail, strlen(tail));
}

/* --- options --------------------------------------------------------------------------------- */

typedef struct option {
    const char *name;
    size_t offset;
    bool text;
    const char *help;
} option;

static const option options[] = {
    {"-o", offsetof(config, output), true, "the file to write; - is standard output"},
    {"--form", offsetof(config, form), true,
     "object (default), node, list, or open: a list without its end"},
    {"--bytes", offsetof(config, bytes), false, "size, roughly; default 100000"},
    {"--seed", offsetof(config, seed), false, "default 1"},
    {"--threads", offsetof(config, threads), false, "default 6, four a process"},
    {"--depth", offsetof(config, depth), false, "levels of spans; default 6"},
    {"--names", offsetof(config, names), false, "distinct names; default 16"},
    {"--profiles", offsetof(config, profiles), false, "threads with a CPU profile; default 2"},
    {"--pairs", offsetof(config, pairs), false, "spans of two events; default 100"},
    {"--async", offsetof(config, async), false, "tasks with an asynchronous span; default 50"},
    {"--counters", offsetof(config, counters), false, "tasks with counters; default 100"},
    {"--fractions", offsetof(config, fractions), false, "times with a fraction"},
    {"--late-names", offsetof(config, late_names), false, "threads that are named at the end"},
    {"--disorder", offsetof(config, disorder), false, "events that stand behind the next one"},
    {"--lost-ends", offsetof(config, lost_ends), false, "ends that are missing"},
    {"--double-ends", offsetof(config, double_ends), false, "ends that stand twice"},
    {"--crossing", offsetof(config, crossing), false, "spans that end a second late"},
    {"--negative", offsetof(config, negative), false, "durations below 0"},
    {"--odd", offsetof(config, odd), false, "tasks with an event that is wrong in some way"},
};

static int usage(FILE *out, int code)
{
    fprintf(out, "usage: mkchrometrace -o FILE [OPTION N]...\nHow many is in 1000, except for the "
                 "first ones.\n");
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        fprintf(out, "  %-14s %s\n", options[i].name, options[i].help);
    }
    return code;
}

static bool parse(config *cfg, int argc, char **argv)
{
    for (int i = 1; i + 1 < argc; i += 2) {
        const option *o = NULL;
        for (size_t k = 0; k < sizeof options / sizeof options[0]; k++) {
            o = strcmp(options[k].name, argv[i]) == 0 ? &options[k] : o;
        }
        if (o == NULL) {
            return false;
        }
        if (o->text) {
            memcpy((char *)cfg + o->offset, &argv[i + 1], sizeof argv[i + 1]);
        } else {
            char *end;
            uint64_t v = strtoull(argv[i + 1], &end, 10);
            memcpy((char *)cfg + o->offset, &v, sizeof v);
            if (*end != '\0') {
                return false;
            }
        }
    }
    return argc % 2 == 1 && cfg->output != NULL && cfg->threads > 0 &&
           cfg->threads <= MAX_THREADS && cfg->depth > 0 && cfg->depth <= MAX_DEPTH;
}

int main(int argc, char **argv)
{
    static maker m;
    int code = 0;
    m.cfg = (config){.form = "object",
                     .bytes = 100000,
                     .seed = 1,
                     .threads = 6,
                     .depth = 6,
                     .names = 16,
                     .profiles = 2,
                     .pairs = 100,
                     .async = 50,
                     .counters = 100};
    if (argc == 2 && strcmp(argv[1], "--help") == 0) {
        return usage(stdout, 0);
    }
    if (!parse(&m.cfg, argc, argv)) {
        return usage(stderr, 2);
    }
    m.random = (m.cfg.seed + 1) * UINT64_C(0x9e3779b97f4a7c15);
    m.out = strcmp(m.cfg.output, "-") == 0 ? stdout : fopen(m.cfg.output, "wb");
    if (m.out == NULL) {
        fprintf(stderr, "mkchrometrace: %s: %s\n", m.cfg.output, strerror(errno));
        return 1;
    }
    make(&m);
    free(m.held);
    code = ferror(m.out) ? 1 : 0;
    if (fclose(m.out) != 0 || code != 0) {
        fprintf(stderr, "mkchrometrace: cannot write %s\n", m.cfg.output);
        code = 1;
    }
    return code;
}
