#include "tables/profile_kinds.h"

#include <strings.h>

const char *ts_value_kind_name(ts_value_kind kind)
{
    static const char *const names[] = {"count", "duration", "memory"};
    return names[kind];
}

static bool is_any(ts_text t, const char *words)
{
    while (*words != '\0') {
        size_t n = strcspn(words, " ");
        if (t.n == n && strncasecmp(t.p, words, n) == 0) {
            return true;
        }
        words += n + (words[n] == ' ');
    }
    return false;
}

/* --- units ---------------------------------------------------------------------------------- */

static const struct {
    const char *names;
    ts_value_kind kind;
    int64_t scale;
} units[] = {
    {"nanoseconds nanosecond ns", TS_VALUE_DURATION, 1},
    {"microseconds microsecond us \xC2\xB5s \xCE\xBCs", TS_VALUE_DURATION, 1000},
    {"milliseconds millisecond ms", TS_VALUE_DURATION, 1000000},
    {"seconds second s", TS_VALUE_DURATION, 1000000000},
    {"minutes minute m", TS_VALUE_DURATION, INT64_C(60) * 1000000000},
    {"hours hour h", TS_VALUE_DURATION, INT64_C(3600) * 1000000000},
    {"bytes byte b", TS_VALUE_MEMORY, 1},
    {"kilobytes kilobyte kb kib", TS_VALUE_MEMORY, INT64_C(1) << 10},
    {"megabytes megabyte mb mib", TS_VALUE_MEMORY, INT64_C(1) << 20},
    {"gigabytes gigabyte gb gib", TS_VALUE_MEMORY, INT64_C(1) << 30},
    {"terabytes terabyte tb tib", TS_VALUE_MEMORY, INT64_C(1) << 40},
    {"petabytes petabyte pb pib", TS_VALUE_MEMORY, INT64_C(1) << 50},
};

ts_value_unit ts_value_unit_of(ts_text unit)
{
    static const char *const bases[] = {"count", "ns", "bytes"};
    for (size_t i = 0; unit.n > 0 && i < sizeof units / sizeof units[0]; i++) {
        if (is_any(unit, units[i].names)) {
            return (ts_value_unit){units[i].kind, units[i].scale, bases[units[i].kind]};
        }
    }
    return (ts_value_unit){TS_VALUE_COUNT, 1, bases[TS_VALUE_COUNT]};
}

/* --- events --------------------------------------------------------------------------------- */

static const struct {
    const char *types;
    const char *event;
} events[] = {
    {"samples cpu-samples sample", "cpu-samples"},
    {"cpu cpu-time", "cpu-time"},
    {"wall wall-time", "wall-time"},
    {"alloc_objects alloc-samples", "alloc-samples"},
    {"alloc_space alloc-space alloc-size", "alloc-space"},
    {"inuse_objects inuse-objects", "heap-live-objects"},
    {"inuse_space inuse-space heap-space", "heap-space"},
    {"goroutine goroutines", "goroutines"},
    {"exception-samples exception", "exception-samples"},
    {"lock-acquire lock-count", "lock-acquire"},
    {"lock-acquire-wait lock-time", "lock-acquire-wait"},
};

static bool named(ts_text file, const char *part)
{
    return file.n > 0 && memmem(file.p, file.n, part, strlen(part)) != NULL;
}

/* Some kinds of Node.js' profiles have no name: the file's says what they are. */
static ts_text unnamed_event(ts_text type, ts_text file)
{
    return named(file, "inuse_objects") ? TS_TEXT_LIT("heap-live-objects")
           : named(file, "inuse_space") ? TS_TEXT_LIT("heap-space")
           : named(file, "cpu")         ? TS_TEXT_LIT("cpu-samples")
                                        : type;
}

ts_text ts_value_event(ts_text type, ts_text file)
{
    bool mutex = named(file, "mutex");
    if (type.n == 0) {
        return unnamed_event(type, file);
    }
    if (ts_text_is(type, "delay")) {
        return mutex ? TS_TEXT_LIT("mutex") : TS_TEXT_LIT("block");
    }
    if (ts_text_is(type, "contentions")) {
        return mutex ? TS_TEXT_LIT("mutex-contentions") : TS_TEXT_LIT("block-contentions");
    }
    for (size_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        if (is_any(type, events[i].types)) {
            return ts_text_of(events[i].event);
        }
    }
    return type;
}

static const struct {
    const char *events;
    const char *cause;
} causes[] = {
    {"cpu-samples cpu-time", "cpu"},
    {"wall-samples wall-time", "wall"},
    {"alloc-samples alloc-space", "alloc"},
    {"heap-live-objects heap-space", "heap"},
    {"mutex mutex-contentions block block-contentions lock-acquire lock-acquire-wait lock-release "
     "lock-release-hold",
     "lock"},
    {"exception-samples", "exception"},
    {"goroutines", "goroutine"},
};

ts_text ts_sample_cause(ts_text event)
{
    for (size_t i = 0; event.n > 0 && i < sizeof causes / sizeof causes[0]; i++) {
        if (is_any(event, causes[i].events)) {
            return ts_text_of(causes[i].cause);
        }
    }
    return event;
}
