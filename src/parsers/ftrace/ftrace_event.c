#include "parsers/ftrace/ftrace_event.h"

#include <stddef.h>

/* clang-format off */
#define FTRACE_KIND(kind, stat, number, use) static const ftrace_field_info fields_of_##kind[] = {
#define FTRACE_INT(kind, slot, name, number, width, text)                                          \
    {#name, number, slot, FTRACE_WIDTH_##width, text, false},
#define FTRACE_TEXT(kind, slot, name, number, text)                                                \
    {#name, number, slot, FTRACE_WIDTH_TEXT, text, true},
#define FTRACE_END(kind) {0}};
/* clang-format on */
#include "parsers/ftrace/event_kinds.def"

#define FIELDS_OF(kind) (unsigned)(sizeof fields_of_##kind / sizeof *fields_of_##kind - 1)

const ftrace_kind_info ftrace_kinds[FTRACE_KINDS] = {
#define FTRACE_KIND(kind, stat, number, use)                                                       \
    {#kind, stat, number, fields_of_##kind, FIELDS_OF(kind)},
#include "parsers/ftrace/event_kinds.def"
};

unsigned ftrace_kind_of(ts_text name)
{
    unsigned kind = 0;
    while (kind < FTRACE_KINDS && !ts_text_is(name, ftrace_kinds[kind].name)) {
        kind++;
    }
    return kind;
}
