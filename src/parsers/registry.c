#include "parsers/registry.h"

#include <string.h>

const ts_format *const ts_formats[] = {
#define TS_FORMAT(name) &ts_format_##name,
#include "parsers/format_list.def"
#undef TS_FORMAT
    NULL,
};

const ts_format *ts_format_find(const char *name)
{
    for (const ts_format *const *f = ts_formats; *f != NULL; f++) {
        if (strcmp((*f)->name, name) == 0) {
            return *f;
        }
    }
    return NULL;
}
