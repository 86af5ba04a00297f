/* What is in a chunk: constant pools and events. */
#include "mkjfr.h"

#include <string.h>

uint64_t draw(chunk *c, uint64_t below)
{
    c->random = c->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return below == 0 ? 0 : (c->random >> 33) % below;
}

/* --- constant pools ------------------------------------------------------------------------- */

/* Keys have their top bits set, as some of the JDK's. Symbols: name i is 2 * i + 1, class i above.
 */
static uint64_t key_of(uint64_t i)
{
    return i == 0 ? 0 : UINT64_C(0x8000000000000000) + i * 3;
}

enum { SYMBOL_CLASS = 1000000, SYMBOL_DESCRIPTOR = 2000000, SYMBOL_PACKAGE = 3000000 };

static void begin_pool(chunk *c, const char *name, unsigned count)
{
    put_int(&c->b, find_class(&c->classes, name)->id, 8);
    put_int(&c->b, count, 4);
}

static bool is_left_out(const chunk *c, unsigned i)
{
    return c->o->damage == DAMAGE_POOL_MISSING && i % 5 == 3;
}

/* How many of n are not left out. */
static unsigned kept(const chunk *c, unsigned n)
{
    unsigned count = 0;
    for (unsigned i = 0; i < n; i++) {
        count += is_left_out(c, i) ? 0 : 1;
    }
    return count;
}

static void put_symbol(chunk *c, uint64_t key, const char *text)
{
    put_int(&c->b, key_of(key), 8);
    put_string(&c->b, text, (unsigned)key);
}

static void put_symbols(chunk *c)
{
    static const char *const descriptors[] = {"()V", "(Ljava/lang/String;I)[J",
                                              "(J[[D)Ljava/util/Map;"};
    unsigned n = c->o->methods;
    char text[80];
    begin_pool(c, "jdk.types.Symbol", n + n / 4 + 1 + 3 + 2);
    for (unsigned i = 0; i < n; i++) {
        (void)snprintf(text, sizeof text, i % 9 == 5 ? "m\xC3\xA9thode%u" : "method%u", i);
        put_symbol(c, i + 1, text);
    }
    for (unsigned i = 0; i <= n / 4; i++) {
        (void)snprintf(text, sizeof text,
                       i % 5 == 1   ? "java/util/Standard%u$In"
                       : i % 5 == 2 ? "com/example/app/Job$$Lambda$%u+0x0800/77"
                                    : "com/example/app/Class%u",
                       i);
        put_symbol(c, SYMBOL_CLASS + i, text);
    }
    for (unsigned i = 0; i < 3; i++) {
        put_symbol(c, SYMBOL_DESCRIPTOR + i, descriptors[i]);
    }
    put_symbol(c, SYMBOL_PACKAGE, "com/example/app");
    put_symbol(c, SYMBOL_PACKAGE + 1, "java.base");
}

static void put_methods(chunk *c)
{
    unsigned n = c->o->methods;
    begin_pool(c, "java.lang.Class", kept(c, n / 4 + 1));
    for (unsigned i = 0; i <= n / 4; i++) {
        if (!is_left_out(c, i)) {
            put_int(&c->b, key_of(i + 1), 8);
            put_int(&c->b, key_of(SYMBOL_CLASS + i), 8);
            put_int(&c->b, key_of(i % 5 == 1 ? 0 : 1), 8);
            put_int(&c->b, 1, 4);
        }
    }
    begin_pool(c, "jdk.types.Package", 1);
    put_int(&c->b, key_of(1), 8);
    put_int(&c->b, key_of(SYMBOL_PACKAGE), 8);
    put_int(&c->b, 0, 8);
    begin_pool(c, "jdk.types.Module", 1);
    put_int(&c->b, key_of(1), 8);
    put_int(&c->b, key_of(SYMBOL_PACKAGE + 1), 8);
    begin_pool(c, "jdk.types.Method", kept(c, n));
    for (unsigned i = 0; i < n; i++) {
        if (!is_left_out(c, i)) {
            put_int(&c->b, key_of(i + 1), 8);
            put_int(&c->b, key_of(i / 4 + 1), 8);
            put_int(&c->b, key_of(i + 1), 8);
            put_int(&c->b, key_of(SYMBOL_DESCRIPTOR + i % 3), 8);
            put_int(&c->b, i % 7 == 0 ? 9 : 1, 4);
            put_byte(&c->b, 0);
        }
    }
}

static void put_stacks(chunk *c)
{
    unsigned n = c->o->stacks;
    begin_pool(c, "jdk.types.StackTrace", kept(c, n));
    for (unsigned i = 0; i < n; i++) {
        unsigned depth = i == 0 ? c->o->depth : 1 + (unsigned)draw(c, c->o->depth);
        uint64_t at = draw(c, c->o->methods);
        if (is_left_out(c, i)) {
            continue;
        }
        put_int(&c->b, key_of(i + 1), 8);
        put_byte(&c->b, i % 11 == 10);
        put_int(&c->b, c->o->damage == DAMAGE_HUGE_COUNT && i == n / 2 ? 0x7FFFFFFF : depth, 4);
        for (unsigned f = 0; f < depth; f++) {
            /* The outer frames of all stacks are alike. */
            uint64_t method = f + 3 >= depth ? depth - f : (at + f * 7) % c->o->methods + 1;
            put_int(&c->b, key_of((method - 1) % c->o->methods + 1), 8);
            put_int(&c->b, f % 6 == 5 ? UINT64_MAX : f % 50, 4);
            put_int(&c->b, f, 4);
            put_int(&c->b, f % 3, 8);
        }
    }
}

static void put_threads(chunk *c)
{
    unsigned n = c->o->threads;
    char text[40];
    begin_pool(c, "java.lang.Thread", n);
    for (unsigned i = 0; i < n; i++) {
        bool is_virtual = i % 4 == 3;
        (void)snprintf(text, sizeof text,
                       i % 3 == 1 ? "w\xC3\xB6rker %u \xF0\x9F\x98\x80" : "thread-%u", i);
        put_int(&c->b, key_of(i + 1), 8);
        put_string(&c->b, is_virtual ? NULL : text, i);
        put_int(&c->b, is_virtual ? 0 : 1000 + i, 8);
        put_string(&c->b, i % 6 == 2 ? "" : text, i + 1);
        put_int(&c->b, i % 6 == 2 ? 0 : i + 1, 8);
        put_int(&c->b, i % 6 == 2 ? 0 : 1, 8);
        put_byte(&c->b, is_virtual);
    }
    begin_pool(c, "jdk.types.ThreadGroup", 1);
    put_int(&c->b, 1, 8);
    put_string(&c->b, "main", 0);
}

/* A pool of the texts from 0 on. */
static void put_list(chunk *c, const char *name, const char *const *texts)
{
    unsigned n = 0;
    while (texts[n] != NULL) {
        n++;
    }
    begin_pool(c, name, n);
    for (unsigned i = 0; i < n; i++) {
        put_int(&c->b, i, 8);
        if (c->o->damage == DAMAGE_POOL_CYCLE) {
            put_byte(&c->b, 2); /* a string of the pool, which is one of the pool */
            put_int(&c->b, 7, 8);
        } else {
            put_string(&c->b, texts[i], i);
        }
    }
}

static void put_strings(chunk *c)
{
    begin_pool(c, "java.lang.String", 2);
    for (unsigned i = 0; i < 2; i++) {
        put_int(&c->b, 7 + i, 8);
        if (c->o->damage == DAMAGE_POOL_CYCLE) {
            put_byte(&c->b, 2);
            put_int(&c->b, 8 - i, 8);
        } else {
            put_string(&c->b, i == 0 ? "kept in the pool" : "also", i);
        }
    }
}

static void put_checkpoint(chunk *c, bool first, bool last)
{
    static const char *const frame_types[] = {"Interpreted", "JIT compiled", "Inlined", NULL};
    static const char *const states[] = {"STATE_RUNNABLE", "STATE_SLEEPING", NULL};
    static const char *const whens[] = {"Before GC", "After GC", NULL};
    bool when = find_class(&c->classes, "jdk.types.GCWhen") != NULL;
    size_t at = begin_event(&c->b);
    bool looped = c->o->damage == DAMAGE_POOL_LOOP && first;
    put_int(&c->b, 1, 8);
    put_int(&c->b, c->ticks, 8);
    put_int(&c->b, 0, 8);
    put_int(&c->b, looped ? 4 : first ? 0 : (uint64_t)(c->last_checkpoint - at), 8);
    put_byte(&c->b, last ? 0 : 1);
    c->last_checkpoint = at;
    /* The first has the texts, the last what refers to them; both have the threads. */
    put_int(&c->b,
            (first ? (when ? 5U : 4U) : 0U) + (last ? 5U : 0U) +
                (last && c->like != LIKE_JDK ? 1U : 0U) + 2U,
            4);
    if (first) {
        put_symbols(c);
        put_list(c, "jdk.types.FrameType", frame_types);
        put_list(c, "jdk.types.ThreadState", states);
        put_strings(c);
        if (when) {
            put_list(c, "jdk.types.GCWhen", whens);
        }
    }
    if (last) {
        put_methods(c);
        put_stacks(c);
        /* An empty pool, which the JDK refuses and others write. */
        if (c->like != LIKE_JDK) {
            begin_pool(c, "jdk.types.StackTrace", 0);
        }
    }
    put_threads(c);
    end_event(&c->b, at);
}

void put_checkpoints(chunk *c, unsigned number)
{
    put_checkpoint(c, number == 0, number + 1 == c->o->checkpoints);
}

/* --- events --------------------------------------------------------------------------------- */

/* The i-th text of words. */
static const char *word(chunk *c)
{
    static const char *const words[] = {"a",
                                        "",
                                        "hello world",
                                        "na\xC3\xAFve",
                                        "\xE6\x97\xA5\xE6\x9C\xAC",
                                        "\xF0\x9F\x98\x80 emoji",
                                        NULL};
    return words[draw(c, 7)];
}

static void put_field_text(chunk *c)
{
    if (c->o->damage == DAMAGE_ODD_TEXT && draw(c, 2) == 0) {
        put_byte(&c->b, 3);
        put_int(&c->b, 3, 4);
        put_bytes(&c->b, "a\xFF\xC3", 3);
    } else if (draw(c, 8) == 0 && c->like != LIKE_JDK) {
        put_byte(&c->b, 2);
        put_int(&c->b, 7 + draw(c, 3), 8);
    } else {
        put_string(&c->b, word(c), (unsigned)draw(c, 3));
    }
}

static uint64_t reference(chunk *c, const field *f)
{
    if (strcmp(f->type, "java.lang.Thread") == 0) {
        return key_of(draw(c, c->o->threads) + 1);
    }
    if (strcmp(f->type, "jdk.types.StackTrace") == 0) {
        uint64_t i = draw(c, 40);
        return i == 0 ? 0 : key_of(draw(c, c->o->stacks) + (i == 1 ? 2 : 1));
    }
    if (strcmp(f->type, "java.lang.Class") == 0) {
        return key_of(draw(c, c->o->methods / 4 + 1) + 1);
    }
    return draw(c, 2);
}

static uint64_t number(chunk *c, const field *f)
{
    if (f->unit == 'T') {
        return c->ticks;
    }
    if (strcmp(f->name, "pid") == 0) {
        return 4242;
    }
    if (strcmp(f->name, "gcId") == 0) {
        return draw(c, 6);
    }
    if (strcmp(f->name, "localRootSpanId") == 0) {
        return draw(c, 60);
    }
    if (strcmp(f->name, "cpuInterval") == 0 || strcmp(f->name, "wallInterval") == 0) {
        return f->name[0] == 'c' ? 9 : 11;
    }
    if (strcmp(f->name, "weight") == 0 || strcmp(f->name, "samples") == 0) {
        return draw(c, 30) + 1;
    }
    return draw(c, 5) == 0 ? draw(c, UINT32_MAX) << 20 : draw(c, 5000);
}

static void put_value(chunk *c, const field *f);

static void put_plain(chunk *c, const field *f)
{
    static const struct {
        const char *type;
        unsigned width;
    } widths[] = {{"char", 2}, {"short", 2}, {"int", 4}, {"long", 8}};
    const class_def *d;
    for (unsigned i = 0; i < 4; i++) {
        if (strcmp(f->type, widths[i].type) == 0) {
            uint64_t v = number(c, f);
            put_int(&c->b, widths[i].width < 8 && draw(c, 9) == 0 ? 0 - v : v, widths[i].width);
            return;
        }
    }
    if (strcmp(f->type, "boolean") == 0 || strcmp(f->type, "byte") == 0) {
        put_byte(&c->b, (unsigned)draw(c, f->type[1] == 'o' ? 2 : 256));
    } else if (strcmp(f->type, "float") == 0 || strcmp(f->type, "double") == 0) {
        put_real(&c->b, (double)draw(c, 1000) / 64, f->type[0] == 'f' ? 4 : 8);
    } else if (strcmp(f->type, "java.lang.String") == 0) {
        put_field_text(c);
    } else {
        d = find_class(&c->classes, f->type);
        for (unsigned i = 0; i < d->count; i++) {
            put_value(c, &d->fields[i]);
        }
    }
}

static void put_value(chunk *c, const field *f)
{
    unsigned n = 1;
    if (f->array) {
        n = (unsigned)draw(c, 4);
        put_int(&c->b, n, 4);
    }
    for (unsigned i = 0; i < n; i++) {
        if (f->pool) {
            put_int(&c->b, reference(c, f), 8);
        } else {
            put_plain(c, f);
        }
    }
}

/* Settings of the recorder: of which event, name, value. */
static void put_setting(chunk *c, const char *event, const char *name, const char *value)
{
    const class_def *d = find_class(&c->classes, "jdk.ActiveSetting");
    size_t at = begin_event(&c->b);
    put_int(&c->b, d->id, 8);
    for (unsigned i = 0; i < d->count; i++) {
        const char *field_name = d->fields[i].name;
        if (strcmp(field_name, "id") == 0) {
            put_int(&c->b, find_class(&c->classes, event)->id, 8);
        } else if (strcmp(field_name, "startTime") == 0) {
            put_int(&c->b, c->ticks, 8);
        } else {
            put_string(&c->b, field_name[0] == 'n' ? name : value, i);
        }
    }
    end_event(&c->b, at);
}

static void put_damaged_event(chunk *c)
{
    const class_def *d = find_class(&c->classes, "jdk.ThreadPark");
    size_t at = begin_event(&c->b);
    if (d != NULL) {
        put_int(&c->b, d->id, 8);
        for (unsigned i = 0; i < 200; i++) {
            put_int(&c->b, c->o->damage == DAMAGE_ARRAYS ? 150 : 1, 4);
        }
    }
    end_event(&c->b, at);
    if (c->o->damage == DAMAGE_SIZE_ZERO) {
        c->b.n = at;
        put_int(&c->b, 0, 4);
    } else if (c->o->damage == DAMAGE_SIZE_HUGE) {
        c->b.n = at;
        put_int(&c->b, 0x0FFFFFFF, 4);
        put_int(&c->b, 99, 8);
    } else if (d == NULL) {
        c->b.n = at;
    }
}

void put_events(chunk *c, unsigned from, unsigned to)
{
    unsigned first = 0;
    while (!c->classes.p[first].event) {
        first++;
    }
    /* Samples may be before the settings that say how often they were taken. */
    if (from == 0 && c->like != LIKE_DATADOG) {
        put_setting(c, "jdk.ExecutionSample", c->like == LIKE_JDK ? "period" : "interval",
                    c->like == LIKE_JDK ? "20 ms" : "5000000");
    }
    if (from == 0 && c->like == LIKE_ASYNC) {
        put_setting(c, "jdk.ActiveRecording", "event", c->number % 2 == 0 ? "cpu" : "wall");
        put_setting(c, "profiler.WallClockSample", "interval", "50000000");
    }
    for (unsigned i = from; i < to; i++) {
        const class_def *d = &c->classes.p[first];
        size_t at;
        c->ticks += draw(c, 4000000);
        if (i == c->o->events / 2) {
            put_damaged_event(c);
        }
        do {
            d = &c->classes.p[draw(c, c->classes.n)];
        } while (!d->event || strcmp(d->name, "jdk.ActiveSetting") == 0 ||
                 strncmp(d->name, "jdk.ThreadPark", 14) == 0 || strncmp(d->name, "evil", 4) == 0);
        if (draw(c, 2) == 0) {
            d = find_class(&c->classes, "jdk.ExecutionSample");
        }
        at = begin_event(&c->b);
        put_int(&c->b, d->id, 8);
        for (unsigned f = 0; f < d->count; f++) {
            put_value(c, &d->fields[f]);
        }
        end_event(&c->b, at);
    }
}
