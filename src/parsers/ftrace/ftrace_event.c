#include "parsers/ftrace/ftrace_event.h"

#include <stddef.h>

/* clang-format off */
#define FTRACE_KIND(kind, stat, number) static const ftrace_field_info fields_of_##kind[] = {
#define FTRACE_INT(kind, slot, name, number) {#name, number, slot, false},
#define FTRACE_TEXT(kind, slot, name, number) {#name, number, slot, true},
#define FTRACE_END(kind) {NULL, 0, 0, false}};
/* clang-format on */
#include "parsers/ftrace/event_kinds.def"
#undef FTRACE_KIND
#undef FTRACE_INT
#undef FTRACE_TEXT
#undef FTRACE_END

#define FIELDS_OF(kind) (unsigned)(sizeof fields_of_##kind / sizeof *fields_of_##kind - 1)

const ftrace_kind_info ftrace_kinds[FTRACE_KINDS] = {
#define FTRACE_KIND(kind, stat, number) {#kind, stat, number, fields_of_##kind, FIELDS_OF(kind)},
#define FTRACE_INT(kind, slot, name, number)
#define FTRACE_TEXT(kind, slot, name, number)
#define FTRACE_END(kind)
#include "parsers/ftrace/event_kinds.def"
#undef FTRACE_KIND
#undef FTRACE_INT
#undef FTRACE_TEXT
#undef FTRACE_END
};
