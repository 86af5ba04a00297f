/* The classes of each producer, and the metadata event. */
#include "mkjfr.h"

#include <stdlib.h>
#include <string.h>

/*
 * "Name: field=type..." where a type may end in ! (constant pool), [] (array), @T (timestamp in
 * ticks), @D, @m, @n (duration in ticks, ms, ns). A + before the name: an event.
 */
static const char *const common[] = {
    "boolean:",
    "byte:",
    "char:",
    "short:",
    "int:",
    "long:",
    "float:",
    "double:",
    "java.lang.String:",
    "jdk.jfr.Timestamp: value=java.lang.String",
    "jdk.jfr.Timespan: value=java.lang.String",
    "jdk.types.Symbol: string=java.lang.String",
    "java.lang.Class: name=jdk.types.Symbol! package=jdk.types.Package! modifiers=int",
    "jdk.types.Package: name=jdk.types.Symbol! module=jdk.types.Module!",
    "jdk.types.Module: name=jdk.types.Symbol!",
    "jdk.types.Method: type=java.lang.Class! name=jdk.types.Symbol! descriptor=jdk.types.Symbol! "
    "modifiers=int hidden=boolean",
    "jdk.types.FrameType: description=java.lang.String",
    "jdk.types.StackFrame: method=jdk.types.Method! lineNumber=int bytecodeIndex=int "
    "type=jdk.types.FrameType!",
    "jdk.types.StackTrace: truncated=boolean frames=jdk.types.StackFrame[]",
    "jdk.types.ThreadState: name=java.lang.String",
    "jdk.types.ThreadGroup: name=java.lang.String",
    "java.lang.Thread: osName=java.lang.String osThreadId=long javaName=java.lang.String "
    "javaThreadId=long group=jdk.types.ThreadGroup! virtual=boolean",
    "+jdk.ActiveSetting: startTime=long@T id=long name=java.lang.String value=java.lang.String",
    "+jdk.ExecutionSample: startTime=long@T sampledThread=java.lang.Thread! "
    "stackTrace=jdk.types.StackTrace! state=jdk.types.ThreadState!",
    "+jdk.CPULoad: startTime=long@T jvmUser=float jvmSystem=float machineTotal=float",
    NULL,
};

static const char *const jdk[] = {
    "jdk.types.GCWhen: when=java.lang.String",
    "jdk.types.VirtualSpace: start=long committedEnd=long committedSize=long",
    "+jdk.JVMInformation: startTime=long@T jvmName=java.lang.String jvmVersion=java.lang.String "
    "pid=long",
    "+jdk.ObjectAllocationSample: startTime=long@T eventThread=java.lang.Thread! "
    "stackTrace=jdk.types.StackTrace! objectClass=java.lang.Class! weight=long",
    "+jdk.ObjectAllocationInNewTLAB: startTime=long@T eventThread=java.lang.Thread! "
    "stackTrace=jdk.types.StackTrace! objectClass=java.lang.Class! allocationSize=long "
    "tlabSize=long",
    "+jdk.JavaMonitorEnter: startTime=long@T duration=long@D eventThread=java.lang.Thread! "
    "stackTrace=jdk.types.StackTrace! monitorClass=java.lang.Class! "
    "previousOwner=java.lang.Thread! address=long",
    "+jdk.ThreadSleep: startTime=long@T duration=long@D eventThread=java.lang.Thread! "
    "stackTrace=jdk.types.StackTrace! time=long@n",
    "+jdk.GCHeapSummary: startTime=long@T gcId=int when=jdk.types.GCWhen! "
    "heapSpace=jdk.types.VirtualSpace heapUsed=long",
    "+jdk.GCPhasePause: startTime=long@T duration=long@D eventThread=java.lang.Thread! gcId=int "
    "name=java.lang.String",
    NULL,
};

static const char *const async[] = {
    "jdk.types.VirtualSpace: start=long committedEnd=long committedSize=long",
    "+app.Custom: startTime=long@T words=java.lang.String[] numbers=double[] small=byte "
    "letter=char count=short flags=boolean[] space=jdk.types.VirtualSpace[]",
    "+profiler.WallClockSample: startTime=long@T sampledThread=java.lang.Thread! "
    "stackTrace=jdk.types.StackTrace! state=jdk.types.ThreadState! samples=int",
    "+profiler.LiveObject: startTime=long@T eventThread=java.lang.Thread! "
    "stackTrace=jdk.types.StackTrace! objectClass=java.lang.Class! allocationSize=long",
    "+profiler.Malloc: startTime=long@T eventThread=java.lang.Thread! "
    "stackTrace=jdk.types.StackTrace! address=long size=long",
    "+jdk.ObjectAllocationInNewTLAB: startTime=long@T eventThread=java.lang.Thread! "
    "stackTrace=jdk.types.StackTrace! objectClass=java.lang.Class! allocationSize=long "
    "tlabSize=long",
    "+jdk.ActiveRecording: startTime=long@T name=java.lang.String",
    "+profiler.Log: startTime=long@T message=java.lang.String",
    NULL,
};

static const char *const datadog[] = {
    "+datadog.DatadogProfilerConfig: startTime=long@T cpuInterval=long@m wallInterval=long@m",
    "+datadog.ExecutionSample: startTime=long@T eventThread=java.lang.Thread! "
    "stackTrace=jdk.types.StackTrace! state=jdk.types.ThreadState! weight=int spanId=long "
    "localRootSpanId=long",
    "+datadog.MethodSample: startTime=long@T eventThread=java.lang.Thread! "
    "stackTrace=jdk.types.StackTrace! state=jdk.types.ThreadState! weight=int spanId=long "
    "localRootSpanId=long",
    "+datadog.ObjectSample: startTime=long@T eventThread=java.lang.Thread! "
    "stackTrace=jdk.types.StackTrace! objectClass=java.lang.Class! size=long weight=float "
    "spanId=long localRootSpanId=long",
    "+datadog.ExceptionCount: startTime=long@T type=java.lang.String count=long",
    "+datadog.Endpoint: startTime=long@T duration=long@D eventThread=java.lang.Thread! "
    "localRootSpanId=long endpoint=java.lang.String operation=java.lang.String",
    NULL,
};

static const char *const recursive[] = {
    "evil.Self: self=evil.Self n=int",
    "+evil.Recursive: startTime=long@T self=evil.Self",
    "+jdk.ThreadPark: startTime=long@T self=evil.Self",
    NULL,
};

static const char *const arrays[] = {
    "evil.Empty:",
    "evil.Row: row=evil.Empty[]",
    "evil.Table: table=evil.Row[]",
    "+jdk.ThreadPark: startTime=long@T tables=evil.Table[]",
    NULL,
};

/* --- the table ------------------------------------------------------------------------------ */

static void copy_to(char *to, size_t size, const char *from, size_t n)
{
    n = n < size ? n : size - 1;
    memcpy(to, from, n);
    to[n] = '\0';
}

static void parse_field(field *f, const char *p, size_t n)
{
    const char *eq = memchr(p, '=', n);
    const char *type = eq + 1;
    size_t type_n = n - (size_t)(type - p);
    const char *at = memchr(type, '@', type_n);
    if (at != NULL) {
        f->unit = at[1];
        type_n = (size_t)(at - type);
    }
    if (type_n > 0 && type[type_n - 1] == '!') {
        f->pool = true;
        type_n--;
    }
    if (type_n > 1 && type[type_n - 1] == ']') {
        f->array = true;
        type_n -= 2;
    }
    copy_to(f->name, sizeof f->name, p, (size_t)(eq - p));
    copy_to(f->type, sizeof f->type, type, type_n);
}

static void add_class(classes *c, const char *text)
{
    const char *colon;
    class_def *d;
    c->p = realloc(c->p, (c->n + 1) * sizeof *c->p);
    if (c->p == NULL) {
        exit(1);
    }
    d = &c->p[c->n++];
    memset(d, 0, sizeof *d);
    d->event = text[0] == '+';
    text += d->event ? 1 : 0;
    colon = strchr(text, ':');
    copy_to(d->name, sizeof d->name, text, (size_t)(colon - text));
    for (const char *p = colon + 1; *p != '\0';) {
        size_t n;
        p += strspn(p, " ");
        n = strcspn(p, " ");
        if (n > 0) {
            parse_field(&d->fields[d->count++], p, n);
        }
        p += n;
    }
}

static void add_all(classes *c, const char *const *texts)
{
    for (; *texts != NULL; texts++) {
        add_class(c, *texts);
    }
}

/* Each level has the one below it twice. */
static void add_nested(classes *c)
{
    char text[96];
    add_class(c, "evil.L0: n=int");
    for (unsigned i = 1; i <= 40; i++) {
        (void)snprintf(text, sizeof text, "evil.L%u: a=evil.L%u b=evil.L%u", i, i - 1, i - 1);
        add_class(c, text);
    }
    add_class(c, "+jdk.ThreadPark: startTime=long@T top=evil.L40");
}

void make_classes(classes *c, const options *o, producer like, unsigned number)
{
    static const char *const *const own[] = {jdk, async, datadog};
    memset(c, 0, sizeof *c);
    add_all(c, common);
    add_all(c, own[like]);
    if (o->damage == DAMAGE_RECURSIVE) {
        add_all(c, recursive);
    } else if (o->damage == DAMAGE_ARRAYS) {
        add_all(c, arrays);
    } else if (o->damage == DAMAGE_NESTED) {
        add_nested(c);
    }
    for (unsigned i = 0; i < c->n; i++) {
        class_def *d = &c->p[i];
        d->id = 20 + i + 200 * (number % 3) + (number % 5 == 4 ? 5000 : 0);
        /* In another order in each number. */
        for (unsigned turn = 0; d->event && d->count > 1 && turn < number % d->count; turn++) {
            field first = d->fields[0];
            memmove(d->fields, d->fields + 1, (d->count - 1) * sizeof *d->fields);
            d->fields[d->count - 1] = first;
        }
    }
}

const class_def *find_class(const classes *c, const char *name)
{
    for (unsigned i = 0; i < c->n; i++) {
        if (strcmp(c->p[i].name, name) == 0) {
            return &c->p[i];
        }
    }
    return NULL;
}

/* --- metadata ------------------------------------------------------------------------------- */

typedef struct names {
    char text[2048][56];
    unsigned n;
} names;

static unsigned number_of(names *s, const char *text)
{
    for (unsigned i = 0; i < s->n; i++) {
        if (strcmp(s->text[i], text) == 0) {
            return i;
        }
    }
    (void)snprintf(s->text[s->n], sizeof s->text[0], "%s", text);
    return s->n++;
}

/* An element; attributes are pairs up to NULL. */
static void put_element(bytes *b, names *s, const char *name, const char *const *attributes,
                        unsigned children)
{
    unsigned n = 0;
    while (attributes[n] != NULL) {
        n++;
    }
    put_int(b, number_of(s, name), 4);
    put_int(b, n / 2, 4);
    for (unsigned i = 0; i < n; i++) {
        put_int(b, number_of(s, attributes[i]), 4);
    }
    put_int(b, children, 4);
}

static void put_field(bytes *b, names *s, const classes *c, const field *f)
{
    static const char *const units[] = {"T", "TICKS",        "D", "TICKS",
                                        "m", "MILLISECONDS", "n", "NANOSECONDS"};
    char id[24];
    char unit[24];
    const char *attributes[12] = {"name", f->name, "class", id};
    unsigned n = 4;
    (void)snprintf(id, sizeof id, "%llu", (unsigned long long)find_class(c, f->type)->id);
    if (f->pool) {
        attributes[n++] = "constantPool";
        attributes[n++] = "true";
    }
    if (f->array) {
        attributes[n++] = "dimension";
        attributes[n++] = "1";
    }
    attributes[n] = NULL;
    put_element(b, s, "field", attributes, f->unit != 0);
    for (unsigned i = 0; i < 8 && f->unit != 0; i += 2) {
        if (units[i][0] == f->unit) {
            const class_def *d =
                find_class(c, f->unit == 'T' ? "jdk.jfr.Timestamp" : "jdk.jfr.Timespan");
            const char *with[] = {"class", unit, "value", units[i + 1], NULL};
            (void)snprintf(unit, sizeof unit, "%llu", (unsigned long long)d->id);
            put_element(b, s, "annotation", with, 0);
        }
    }
}

void put_metadata(bytes *b, const classes *c)
{
    static const char *const none[] = {NULL};
    static const char *const region[] = {"locale", "en_US", "gmtOffset", "0", NULL};
    static names s;
    bytes tree = {.compressed = b->compressed};
    size_t at;
    s.n = 0;
    put_element(&tree, &s, "root", none, 2);
    put_element(&tree, &s, "metadata", none, c->n);
    for (unsigned i = 0; i < c->n; i++) {
        const class_def *d = &c->p[i];
        char id[24];
        const char *attributes[] = {
            "id", id, "name", d->name, d->event ? "superType" : NULL, "jdk.jfr.Event", NULL};
        (void)snprintf(id, sizeof id, "%llu", (unsigned long long)d->id);
        put_element(&tree, &s, "class", attributes, d->count);
        for (unsigned f = 0; f < d->count; f++) {
            put_field(&tree, &s, c, &d->fields[f]);
        }
    }
    put_element(&tree, &s, "region", region, 0);
    at = begin_event(b);
    put_int(b, 0, 8);
    put_int(b, 0, 8);
    put_int(b, 0, 8);
    put_int(b, c->p[0].id, 8); /* readers keep classes while this number stays */
    put_int(b, s.n, 4);
    for (unsigned i = 0; i < s.n; i++) {
        put_string(b, s.text[i], i);
    }
    put_bytes(b, tree.p, tree.n);
    end_event(b, at);
    free(tree.p);
}
