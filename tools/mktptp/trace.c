/*
 * The events of a trace: threads that call methods, allocate, wait and contend, collections that
 * free objects, an aggregated call tree, heap dumps. Planted in it are a hot method (number 1), a
 * class whose objects are never freed (number 1), and a monitor that one thread holds and the
 * others want.
 */
#include "tptp.h"

#include <stdlib.h>
#include <string.h>

enum { LIVE = 64, HOT = 1, LEAKED = 1, BUSY = 77, FIRST_OBJECT = 1000000 };

typedef struct frame {
    int64_t method, ticket, entered, children, cpu;
} frame;

typedef struct thread {
    int64_t id, cpu, last_exit_cpu;
    int64_t depth;
    bool defined;
    frame *frames;
} thread;

typedef struct trace {
    tp_encoder *e;
    const tp_config *c;
    tp_figures *f;
    mk_rand r;
    tp_event event;
    int64_t session, now, ticket, next_object, versions;
    thread *threads;
    uint8_t *defined; /* of methods, of classes after them */
    int64_t *version; /* of each method */
    struct {
        int64_t id, age;
    } live[LIVE];
    size_t live_count;
    int64_t chances[16];
    int64_t leaked[LIVE];
    size_t leaked_count;
    int64_t used;
    char a[256], b[256];
} trace;

/* --- names and ids ---------------------------------------------------------------------------- */

static int64_t class_of(const trace *t, int64_t method)
{
    return method % t->c->classes;
}

static int64_t method_id(int64_t method)
{
    return 6000 + 3 * method;
}

static int64_t class_id(int64_t class)
{
    return 6001 + 3 * class;
}

static int64_t thread_id(int64_t i)
{
    return i + 1;
}

static const char *letters(const trace *t, int64_t i)
{
    static const char *const ascii[] = {"Parser", "Loader", "Query$Row", "View", "Cache"};
    static const char *const latin[] = {("Gr\xc3\xb6\xc3\x9f"
                                         "e"),
                                        "Na\xc3\xafve", "A&B", "Se\xc3\xb1or$Row"};
    static const char *const all[] = {"\xe7\xb1\xbb",
                                      ("Gr\xc3\xb6\xc3\x9f"
                                       "e"),
                                      "\xf0\x9f\x98\x80", "A<B>\"'&", "View"};

    if (strcmp(t->c->names, "ascii") == 0)
        return ascii[i % 5];
    if (strcmp(t->c->names, "latin") == 0)
        return latin[i % 4];
    return all[i % 5];
}

static const char *class_name(trace *t, int64_t class)
{
    if (class == LEAKED)
        return "com.example.app.LeakedSession";
    snprintf(t->a, sizeof t->a, "com.example.p%lld.%s%lld", (long long)(class % 7),
             letters(t, class), (long long)class);
    return t->a;
}

static const char *method_name(trace *t, int64_t method)
{
    if (method == HOT)
        return "hotMethod";
    if (method % 11 == 2)
        return "<init>";
    if (method % 29 == 3)
        return "<clinit>";
    if (t->version[method] > 0)
        snprintf(t->a, sizeof t->a, "again%lldOf%lld", (long long)t->version[method],
                 (long long)method);
    else
        snprintf(t->a, sizeof t->a, "%s%lld", method % 5 == 4 ? letters(t, method) : "run",
                 (long long)method);
    return t->a;
}

/* --- events ----------------------------------------------------------------------------------- */

static tp_event *begin(trace *t, tp_kind kind)
{
    t->event = (tp_event){.kind = kind};
    return &t->event;
}

static void put(trace *t)
{
    tp_encode(t->e, &t->event);
}

/* Whether this is the Nth chance for a fault. */
static bool chance(trace *t, int number, int64_t every)
{
    return every > 0 && ++t->chances[number] % every == 0;
}

static int64_t below(trace *t, int64_t bound)
{
    return (int64_t)mk_below(&t->r, (uint64_t)bound);
}

/* Time goes on; the thread computes meanwhile. */
static void advance(trace *t, thread *th, int64_t ns)
{
    int64_t before = t->now;

    t->now = tp_quantum(t->c, t->now + ns);
    if (th != NULL)
        th->cpu = tp_quantum(t->c, th->cpu + (t->now - before) / 2);
}

#define IDS(event, name, Name, id)                                                                 \
    do {                                                                                           \
        if (relocatable(t))                                                                        \
            TP_SET(e, event, Name, id);                                                            \
        else                                                                                       \
            TP_SET(e, event, name, id);                                                            \
    } while (0)

static bool relocatable(const trace *t)
{
    return strcmp(t->c->ids, "relocatable") == 0;
}

#define THREAD(event, th) IDS(event, threadIdRef, transientThreadIdRef, (th)->id)

static void define_class(trace *t, int64_t class, thread *th)
{
    uint8_t *done = &t->defined[t->c->methods + class];
    tp_event *e;

    if (*done || chance(t, 0, t->c->undefined_class))
        return;
    *done = 1;
    e = begin(t, TP_classDef);
    THREAD(classDef, th);
    TP_SET(e, classDef, time, t->now);
    IDS(classDef, classId, transientClassId, class_id(class));
    if (class % 3 == 0)
        IDS(classDef, objIdRef, transientObjIdRef, 500000 + class);
    TP_TEXT(e, classDef, name, class_name(t, class));
    snprintf(t->b, sizeof t->b, "C%lld.java", (long long)class);
    TP_TEXT(e, classDef, sourceName, t->b);
    if (class % 2 == 0) {
        TP_TEXT(e, classDef, superclass, "java.lang.Object");
        TP_TEXT(e, classDef, access, "public");
        TP_TEXT(e, classDef, classLoader, "app");
        TP_TEXT(e, classDef, interfaceNames, "java.io.Serializable");
        TP_SET(e, classDef, numInterfaces, 1);
        TP_SET(e, classDef, numMethods, class % 9);
        TP_SET(e, classDef, numStaticFields, class % 4);
        TP_SET(e, classDef, numInstanceFields, class % 5);
    }
    put(t);
    t->f->classes++;
}

static void put_method(trace *t, int64_t method)
{
    int64_t class = class_of(t, method);
    tp_event *e = begin(t, TP_methodDef);

    TP_TEXT(e, methodDef, name, method_name(t, method));
    TP_TEXT(e, methodDef, signature,
            method % 2 == 0 ? "(Ljava/awt/Graphics;)V" : "([JI)Ljava/lang/String;");
    TP_SET(e, methodDef, isNative, method % 8 == 7);
    TP_SET(e, methodDef, isStatic, method % 6 == 5);
    TP_SET(e, methodDef, isSynchronized, method % 10 == 9);
    TP_SET(e, methodDef, isAbstract, method % 31 == 30);
    if (method % 8 != 7) {
        TP_SET(e, methodDef, startLineNumber, 10 + method);
        TP_SET(e, methodDef, endLineNumber, 19 + method);
    }
    if (method % 16 == 0)
        TP_TEXT(e, methodDef, exceptions, "java.io.IOException");
    IDS(methodDef, classIdRef, transientClassIdRef, class_id(class));
    TP_SET(e, methodDef, methodId, method_id(method));
    put(t);
    t->f->methods++;
}

static void define_method(trace *t, int64_t method, thread *th)
{
    define_class(t, class_of(t, method), th);
    if (t->defined[method] || chance(t, 1, t->c->undefined_method))
        return;
    t->defined[method] = 1;
    put_method(t, method);
}

static void unknown_event(trace *t)
{
    tp_event *e;

    if (!chance(t, 2, t->c->unknown_event))
        return;
    e = begin(t, TP_unknownEvent);
    TP_TEXT(e, unknownEvent, body, "of a kind that nobody knows");
    put(t);
}

static int64_t event_time(trace *t)
{
    int64_t back = t->now > 3000000 ? tp_quantum(t->c, t->now - 3000000) : 0;

    return chance(t, 3, t->c->backwards) ? back : t->now;
}

static void put_exit(trace *t, thread *th, const frame *fr, int64_t ticket, int64_t time)
{
    tp_event *e = begin(t, TP_methodExit);

    THREAD(methodExit, th);
    TP_SET(e, methodExit, time, time);
    TP_SET(e, methodExit, ticket, ticket);
    TP_SET(e, methodExit, methodIdRef, method_id(fr->method));
    if (fr->method % 2 == 0)
        TP_SET(e, methodExit, transientClassIdRef, class_id(class_of(t, fr->method)));
    else
        TP_SET(e, methodExit, classIdRef, class_id(class_of(t, fr->method)));
    if (strcmp(t->c->cpu, "own") == 0)
        TP_SET(e, methodExit, threadCpuTime, tp_quantum(t->c, (th->cpu - fr->cpu) / 2));
    else if (strcmp(t->c->cpu, "none") != 0)
        TP_SET(e, methodExit, threadCpuTime, th->cpu);
    if (th->id % 2 == 0)
        TP_SET(e, methodExit, sequenceCounter, ticket);
    if (t->c->all)
        TP_SET(e, methodExit, overhead, 1234 + fr->method);
    put(t);
}

static void leave(trace *t, thread *th)
{
    frame *fr = &th->frames[--th->depth];
    int64_t time;
    int64_t dur;

    if (fr->method == HOT)
        advance(t, th, 2000000);
    time = event_time(t);
    dur = time - fr->entered;
    if (chance(t, 4, t->c->missing_exit))
        return;
    put_exit(t, th, fr, fr->ticket, time);
    t->f->exits++;
    if (th->depth > 0)
        th->frames[th->depth - 1].children += dur;
    if (fr->method == HOT)
        t->f->hot_self_ns += dur - fr->children;
}

static int64_t choose(trace *t)
{
    if (t->c->methods > HOT && below(t, 20) == 0)
        return HOT;
    return below(t, t->c->methods);
}

static void put_entry(trace *t, thread *th, const frame *fr)
{
    int64_t class = class_of(t, fr->method);
    tp_event *e = begin(t, TP_methodEntry);

    THREAD(methodEntry, th);
    TP_SET(e, methodEntry, time, fr->entered);
    TP_SET(e, methodEntry, methodIdRef, method_id(fr->method));
    TP_SET(e, methodEntry, ticket, fr->ticket);
    TP_SET(e, methodEntry, classIdRef, class_id(class));
    TP_SET(e, methodEntry, stackDepth, th->depth + 31);
    if (th->id % 2 == 0)
        TP_SET(e, methodEntry, sequenceCounter, fr->ticket);
    if (strcmp(t->c->cpu, "both") == 0)
        TP_SET(e, methodEntry, threadCpuTime, th->cpu);
    if (fr->method % 6 != 5 && strcmp(t->c->entry, "B") == 0)
        TP_SET(e, methodEntry, objIdRef, FIRST_OBJECT + fr->method);
    put(t);
}

static void enter(trace *t, thread *th)
{
    frame *fr = &th->frames[th->depth];
    int64_t method = choose(t);
    bool known = t->defined[method] != 0;

    define_method(t, method, th);
    if (known && chance(t, 5, t->c->redefine)) {
        t->version[method]++;
        put_method(t, method);
    }
    unknown_event(t);
    if (chance(t, 6, t->c->extra_exit))
        put_exit(t, th, &(frame){.method = method, .cpu = th->cpu}, 2000000000 + t->ticket % 1000,
                 t->now);
    *fr = (frame){.method = method, .entered = event_time(t), .cpu = th->cpu};
    if (!t->c->no_tickets)
        fr->ticket = ++t->ticket % INT32_MAX;
    th->depth++;
    put_entry(t, th, fr);
    t->f->entries++;
    t->f->hot_calls += method == HOT;
    if (th->depth > t->f->max_depth)
        t->f->max_depth = th->depth;
}

static void allocate(trace *t, thread *th)
{
    const frame *fr = &th->frames[th->depth - 1];
    bool leak = below(t, 10) == 0 && t->c->classes > LEAKED;
    int64_t class = leak ? LEAKED : class_of(t, fr->method + 2);
    int64_t id = t->next_object++;
    int64_t size = leak ? 1024 : 16 + 8 * below(t, 20);
    tp_event *e;

    if (!leak && class == LEAKED)
        return;
    define_class(t, class, th);
    e = begin(t, TP_objAlloc);
    THREAD(objAlloc, th);
    TP_SET(e, objAlloc, time, t->now);
    TP_SET(e, objAlloc, isArray, leak || id % 7 != 0 ? 0 : 1 + id % 5);
    IDS(objAlloc, objId, transientObjId, id);
    TP_SET(e, objAlloc, size, size);
    TP_SET(e, objAlloc, line, id % 5 == 0 ? 0 : 12 + fr->method);
    TP_SET(e, objAlloc, methodIdRef, method_id(fr->method));
    IDS(objAlloc, classIdRef, transientClassIdRef, class_id(class));
    put(t);
    t->f->allocations++;
    t->used += size;
    if (leak) {
        t->f->leaked_objects++;
        t->f->leaked_bytes += size;
        if (t->leaked_count < LIVE)
            t->leaked[t->leaked_count++] = id;
    } else if (t->live_count < LIVE) {
        t->live[t->live_count].id = id;
        t->live[t->live_count++].age = 0;
    } /* the rest is alive at the end */
}

static void put_free(trace *t, thread *th, int64_t id, int64_t age)
{
    tp_event *e = begin(t, TP_objFree);

    THREAD(objFree, th);
    TP_SET(e, objFree, time, t->now);
    IDS(objFree, objIdRef, transientObjIdRef, id);
    TP_SET(e, objFree, objAge, age);
    put(t);
}

static void collect(trace *t, thread *th)
{
    int64_t from;
    size_t kept = 0;
    tp_event *e = begin(t, TP_gcStart);

    from = t->now;
    THREAD(gcStart, th);
    TP_SET(e, gcStart, time, t->now);
    put(t);
    for (size_t i = 0; i < t->live_count; i++) {
        if (below(t, 3) == 0) {
            t->live[kept].id = t->live[i].id;
            t->live[kept++].age = t->live[i].age + 1;
            continue;
        }
        advance(t, NULL, 1000);
        put_free(t, th, t->live[i].id, t->live[i].age);
        t->f->frees++;
        if (chance(t, 7, t->c->unknown_free))
            put_free(t, th, 999999, 0);
    }
    t->live_count = kept;
    advance(t, NULL, 1000000 + below(t, 2000000));
    e = begin(t, TP_gcFinish);
    THREAD(gcFinish, th);
    TP_SET(e, gcFinish, time, t->now);
    TP_SET(e, gcFinish, totalObjSpace, 64 << 20);
    TP_SET(e, gcFinish, usedObjSpace, t->used);
    TP_SET(e, gcFinish, usedObjects, t->f->allocations - t->f->frees);
    put(t);
    t->f->gcs++;
    t->f->gc_ns += t->now - from;
}

static void stack(tp_event *e, int64_t n, int64_t from)
{
    static const char *const names[] = {"java.lang.Object.wait", "a.B.run",
                                        "com.example.app.Main.main"};

    e->frames = (int)n;
    for (int i = 0; i < e->frames; i++) {
        e->methods[i] = names[(i + from) % 3];
        e->lines[i] = i == 1 ? 0 : 485 - i - 10 * from;
    }
}

static void wait_for(trace *t, thread *th)
{
    int64_t from = t->now;
    bool live = t->live_count > 0 && below(t, 2) == 0;
    int64_t object = live ? t->live[0].id : 300 + below(t, 5);
    int64_t timeout = below(t, 3) * 250;
    int64_t top = below(t, 2);
    bool open = !chance(t, 8, t->c->monitor_begin);
    tp_event *e = begin(t, TP_monWait);

    TP_SET(e, monWait, threadIdRef, th->id);
    TP_SET(e, monWait, time, t->now);
    TP_SET(e, monWait, objIdRef, object);
    TP_SET(e, monWait, timeout, timeout);
    stack(e, 2, top);
    if (open)
        put(t);
    advance(t, NULL, 100000 + below(t, 100000));
    e = begin(t, TP_monWaited);
    TP_SET(e, monWaited, threadIdRef, th->id);
    TP_SET(e, monWaited, time, t->now);
    TP_SET(e, monWaited, objIdRef, object);
    TP_SET(e, monWaited, timeout, timeout);
    stack(e, below(t, 3), top);
    if (chance(t, 9, t->c->monitor_end))
        return;
    put(t);
    t->f->waits += open;
    t->f->wait_ns += open ? t->now - from : 0;
}

/* Others want what thread 1 has; now and then something else is wanted. */
static void contend(trace *t, thread *th)
{
    bool busy = th->id != 1 && below(t, 4) != 0;
    int64_t object = busy ? BUSY : 400 + below(t, 3);
    int64_t from = t->now;
    bool open = !chance(t, 8, t->c->monitor_begin);
    tp_event *e = begin(t, TP_monContendedEnter);

    TP_SET(e, monContendedEnter, threadIdRef, th->id);
    TP_SET(e, monContendedEnter, time, t->now);
    TP_SET(e, monContendedEnter, objIdRef, object);
    TP_SET(e, monContendedEnter, threadOwner, busy ? 1 : object % 3 == 0 ? t->c->threads : 0);
    stack(e, 1 + below(t, 3), object % 2);
    if (open)
        put(t);
    advance(t, NULL, busy ? 5000000 : 10000);
    e = begin(t, TP_monContendedEntered);
    TP_SET(e, monContendedEntered, threadIdRef, th->id);
    TP_SET(e, monContendedEntered, time, t->now);
    TP_SET(e, monContendedEntered, objIdRef, object);
    stack(e, 1, 0);
    if (chance(t, 9, t->c->monitor_end))
        return;
    put(t);
    t->f->contended += open;
    t->f->contended_ns += open ? t->now - from : 0;
    t->f->busy_contended += open && busy;
    t->f->busy_ns += open && busy ? t->now - from : 0;
}

/* --- the parts of a trace --------------------------------------------------------------------- */

static void put_option(trace *t, const char *key, const char *value)
{
    tp_event *e = begin(t, TP_option);

    TP_TEXT(e, option, key, key);
    TP_TEXT(e, option, value, value);
    put(t);
    t->f->options++;
}

static void put_filter(trace *t, const char *pattern, const char *generic, const char *mode)
{
    tp_event *e = begin(t, TP_filter);

    TP_TEXT(e, filter, pattern, pattern);
    TP_TEXT(e, filter, genericPattern, generic);
    TP_TEXT(e, filter, mode, mode);
    TP_TEXT(e, filter, methodPattern, *pattern != 0 ? "get" : "");
    TP_TEXT(e, filter, methodGenericPattern, "PREFIX");
    TP_TEXT(e, filter, methodMode, "INCLUDE");
    put(t);
    t->f->filters++;
}

static void put_head(trace *t)
{
    tp_event *e = begin(t, TP_node);

    TP_TEXT(e, node, nodeId, "UUID-node");
    snprintf(t->a, sizeof t->a, "host%lld.example.com", (long long)t->session);
    TP_TEXT(e, node, hostname, t->a);
    TP_TEXT(e, node, ipaddress, "192.0.2.7,127.0.0.1");
    TP_SET(e, node, timezone, -480);
    TP_SET(e, node, time, t->now);
    put(t);
    e = begin(t, TP_processCreate);
    TP_TEXT(e, processCreate, processId, "UUID-process");
    TP_TEXT(e, processCreate, name, t->session % 2 == 0 ? "app" : "batch");
    TP_SET(e, processCreate, pid, 4711 + t->session);
    TP_TEXT(e, processCreate, nodeIdRef, "UUID-node");
    TP_SET(e, processCreate, time, t->now);
    TP_TEXT(e, processCreate, exe, "/usr/bin/java");
    put(t);
    e = begin(t, TP_agentCreate);
    TP_TEXT(e, agentCreate, agentId, "UUID-agent");
    TP_TEXT(e, agentCreate, processIdRef, "UUID-process");
    TP_TEXT(e, agentCreate, agentName,
            t->session % 2 == 0 ? "org.eclipse.tptp.jvmti" : "Java Profiling Agent");
    TP_TEXT(e, agentCreate, agentType, "Profiler");
    TP_SET(e, agentCreate, time, t->now);
    TP_TEXT(e, agentCreate, agentParameters, "server=controlled");
    TP_TEXT(e, agentCreate, version, "1.000");
    put(t);
    e = begin(t, TP_traceStart);
    snprintf(t->a, sizeof t->a, "UUID-trace-%lld", (long long)t->session);
    TP_TEXT(e, traceStart, traceId, t->a);
    TP_TEXT(e, traceStart, agentIdRef, "UUID-agent");
    TP_SET(e, traceStart, time, t->now);
    put(t);
    put_option(t, "TICKET", t->c->no_tickets ? "false" : "true");
    put_option(t, "ID_STYLE", t->c->ids);
    put_option(t, "STACK_INFORMATION", "normal");
    put_option(t, "STACK_INFORMATION", "none");
    put_filter(t, "java", "PREFIX", "EXCLUDE");
    put_filter(t, "", "NONE", "INCLUDE");
}

static void put_threads(trace *t)
{
    for (int64_t i = 0; i < t->c->threads; i++) {
        thread *th = &t->threads[i];
        tp_event *e;

        th->id = thread_id(i);
        if (chance(t, 10, t->c->undefined_thread))
            continue;
        e = begin(t, TP_threadStart);
        IDS(threadStart, threadId, transientThreadId, th->id);
        TP_SET(e, threadStart, time, t->now);
        TP_TEXT(e, threadStart, groupName, i % 3 == 0 ? "system" : "main");
        TP_TEXT(e, threadStart, parentName, i == 0 ? "" : "main");
        if (i % 2 == 1)
            IDS(threadStart, objIdRef, transientObjIdRef, 100 + i);
        snprintf(t->a, sizeof t->a, i == 0 ? "main" : "Worker %s %lld", letters(t, i),
                 (long long)i);
        TP_TEXT(e, threadStart, threadName, t->a);
        put(t);
        th->defined = true;
        t->f->threads++;
        advance(t, NULL, 5000);
    }
}

static void put_runtime(trace *t, tp_kind kind)
{
    tp_event *e = begin(t, kind);

    if (kind == TP_runtimeInitDone)
        IDS(runtimeInitDone, threadIdRef, transientThreadIdRef, 1);
    e->n[TP_AT_runtimeInitDone_time] = t->now; /* the place is the same in both */
    put(t);
}

static void put_extras(trace *t)
{
    if (!t->c->extras)
        return;
    for (int kind = TP_processSuspend; kind < TP_unknownEvent; kind++) {
        tp_event *e = begin(t, (tp_kind)kind);

        for (int i = 0; tp_schemas[kind].attributes[i].name != NULL; i++) {
            e->s[i] = "x";
            e->n[i] = tp_schemas[kind].attributes[i].type[0] == 't' ? t->now : 1;
        }
        put(t);
    }
}

static void step(trace *t)
{
    thread *th = &t->threads[below(t, t->c->threads)];
    int64_t what = below(t, 1000);

    advance(t, th, 1 + below(t, 2 * t->c->step));
    if (th->depth == 0 || (th->depth < t->c->depth && below(t, 2) == 0))
        enter(t, th);
    else
        leave(t, th);
    if (t->c->objects == 0 || th->depth == 0)
        return;
    if (what < 120)
        allocate(t, th);
    else if (what < 125)
        collect(t, th);
    else if (what < 135)
        wait_for(t, th);
    else if (what < 150)
        contend(t, th);
}

static void put_aggregates(trace *t, thread *th, int64_t depth)
{
    for (int64_t i = 0; i < 2 * depth; i++) {
        int64_t method = (i < depth ? i : 2 * depth - 1 - i) % t->c->methods;
        tp_event *e;

        if (i >= depth) {
            e = begin(t, TP_agMethodExit);
            TP_SET(e, agMethodExit, threadIdRef, th->id);
            TP_SET(e, agMethodExit, methodIdRef, method_id(method));
            put(t);
            continue;
        }
        define_method(t, method, th);
        e = begin(t, TP_agMethodEntry);
        TP_SET(e, agMethodEntry, threadIdRef, th->id);
        TP_SET(e, agMethodEntry, methodIdRef, method_id(method));
        TP_SET(e, agMethodEntry, baseTime, tp_quantum(t->c, 1000000 * (i + 1)));
        TP_SET(e, agMethodEntry, minTime, tp_quantum(t->c, 1000 * (i + 1)));
        TP_SET(e, agMethodEntry, maxTime, tp_quantum(t->c, 500000 * (i + 1)));
        TP_SET(e, agMethodEntry, baseCPUTime, tp_quantum(t->c, 800000 * (i + 1)));
        TP_SET(e, agMethodEntry, numCalls, 10 * (i + 1));
        put(t);
        t->f->aggregates++;
    }
}

static void put_reference(trace *t, int64_t from, int64_t to, int64_t dump)
{
    tp_event *e = begin(t, TP_objReference);

    TP_SET(e, objReference, srcIdRef, from);
    TP_SET(e, objReference, targIdRef, to);
    TP_SET(e, objReference, heapDumpIdRef, dump);
    put(t);
    t->f->references++;
}

/* A root holds a map, that holds a table, that holds what leaks; objects refer back, too. */
static void put_dump(trace *t, int64_t dump)
{
    static const char *const types[] = {"JNI global", "System class"};
    tp_event *e = begin(t, TP_heapDumpDef);

    snprintf(t->a, sizeof t->a, "dump %lld", (long long)dump);
    TP_SET(e, heapDumpDef, heapDumpId, dump);
    TP_SET(e, heapDumpDef, time, t->now);
    TP_TEXT(e, heapDumpDef, name, t->a);
    TP_SET(e, heapDumpDef, basetime, tp_quantum(t->c, 250000000));
    put(t);
    t->f->dumps++;
    for (int64_t i = 0; i < 2; i++) {
        e = begin(t, TP_gcRoot);
        TP_SET(e, gcRoot, classIdRef, i == 0 ? class_id(0) : 0);
        TP_SET(e, gcRoot, objIdRef, 900 + i);
        TP_TEXT(e, gcRoot, type, types[i]);
        put(t);
        t->f->roots++;
    }
    put_reference(t, 900, 910, dump);
    put_reference(t, 901, 911, dump);
    put_reference(t, 910, 901, dump);
    put_reference(t, 910, 911, 0); /* of the latest */
    for (size_t i = 0; i < t->leaked_count; i++) {
        put_reference(t, 911, t->leaked[i], dump);
        put_reference(t, t->leaked[i], 910, dump);
    }
    for (size_t i = 0; i < t->live_count; i++)
        put_reference(t, 911, t->live[i].id, dump);
    advance(t, NULL, 1000000);
}

static void put_tail(trace *t)
{
    tp_event *e;

    for (int64_t i = 0; i < t->c->threads; i++) {
        thread *th = &t->threads[i];

        while (th->depth > (i < t->c->open ? 1 : 0)) {
            advance(t, th, 1 + below(t, 2 * t->c->step));
            leave(t, th);
        }
    }
    if (t->c->dumps > 0)
        put_aggregates(t, &t->threads[0], t->c->depth < 50 ? t->c->depth : 50);
    for (int64_t i = 1; i <= t->c->dumps; i++)
        put_dump(t, i);
    e = begin(t, TP_customData);
    TP_TEXT(e, customData, body, "<note author=\"a&b\">done</note>");
    put(t);
    t->f->custom++;
    put_extras(t);
    for (int64_t i = 1; i < t->c->threads; i += 2) {
        e = begin(t, TP_threadEnd);
        THREAD(threadEnd, &t->threads[i]);
        TP_SET(e, threadEnd, time, t->now);
        put(t);
        advance(t, NULL, 7000);
    }
    put_runtime(t, TP_runtimeShutdown);
    e = begin(t, TP_traceEnd);
    snprintf(t->a, sizeof t->a, "UUID-trace-%lld", (long long)t->session);
    TP_TEXT(e, traceEnd, traceIdRef, t->a);
    TP_SET(e, traceEnd, time, t->now);
    put(t);
    e = begin(t, TP_agentDestroy);
    TP_TEXT(e, agentDestroy, agentIdRef, "UUID-agent");
    TP_SET(e, agentDestroy, time, t->now);
    put(t);
}

void tp_trace_write(tp_encoder *encoder, int64_t session)
{
    const tp_config *c = encoder->c;
    trace *t = mk_realloc(NULL, sizeof *t);

    memset(t, 0, sizeof *t);
    t->e = encoder;
    t->c = c;
    t->f = encoder->figures;
    t->r.state = mk_mix((uint64_t)(c->seed + 1000 * session));
    t->session = session;
    t->now = tp_quantum(c, c->start + session * 3600000000000);
    t->next_object = FIRST_OBJECT;
    t->threads = calloc((size_t)c->threads, sizeof *t->threads);
    t->defined = calloc((size_t)(c->methods + c->classes), 1);
    t->version = calloc((size_t)c->methods, sizeof *t->version);
    if (t->threads == NULL || t->defined == NULL || t->version == NULL)
        mk_die("out of memory");
    for (int64_t i = 0; i < c->threads; i++)
        t->threads[i].frames = mk_realloc(NULL, (size_t)c->depth * sizeof(frame));
    put_head(t);
    put_threads(t);
    put_runtime(t, TP_runtimeInitDone);
    for (int64_t from = t->f->entries;
         t->f->entries - from < c->calls && !tp_output_stopped(t->e->out);)
        step(t);
    put_tail(t);
    t->f->sessions++;
    t->f->busy_monitor = BUSY;
    for (int64_t i = 0; i < c->threads; i++)
        free(t->threads[i].frames);
    free(t->threads);
    free(t->defined);
    free(t->version);
    free(t);
}
