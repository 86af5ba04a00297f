#include "tables/event_classes.h"

#include "tables/formats/flare/flare_constants.h"

#define TS_EVENT(f, e, s, c, r) {f, e, s, TS_CLASS_##c, r},
const ts_event_line ts_event_lines[] = {
#include "tables/formats/each.h"
};
const size_t ts_event_line_count = sizeof ts_event_lines / sizeof ts_event_lines[0];

/* How well a line's state fits: 0 not at all. "WAITING" fits "WAITING Object.wait" too. */
static size_t state_fit(const char *wanted, ts_text state)
{
    size_t n = strlen(wanted);
    if (strcmp(wanted, "*") == 0) {
        return 1;
    }
    return n <= state.n && memcmp(wanted, state.p, n) == 0 && (n == state.n || state.p[n] == ' ')
               ? n + 1
               : 0;
}

ts_event_class ts_class_of(const char **reason, ts_text format, ts_text event, ts_text state)
{
    const ts_event_line *found = NULL;
    size_t best = 0;
    for (size_t i = 0; i < ts_event_line_count; i++) {
        const ts_event_line *line = &ts_event_lines[i];
        if (ts_text_is(format, line->format) && ts_text_is(event, line->event) &&
            state_fit(line->state, state) > best) {
            best = state_fit(line->state, state);
            found = line;
        }
    }
    if (reason != NULL) {
        *reason = found == NULL || found->reason[0] == '\0' ? NULL : found->reason;
    }
    return found == NULL ? TS_CLASS_other : found->class;
}

const char *ts_event_class_name(ts_event_class class)
{
    static const char *const names[] = {"cpu", "wall", "waiting", "allocation", "live", "other"};
    return names[class];
}

ts_row_event_class ts_event_row(const ts_event_line *line)
{
    return (ts_row_event_class){
        .format = ts_text_of(line->format),
        .event = ts_text_of(line->event),
        .state = ts_text_of(line->state),
        .class = ts_text_of(ts_event_class_name(line->class)),
        .reason = line->reason[0] == '\0' ? TS_TEXT_NULL : ts_text_of(line->reason),
    };
}
